# SPDX-License-Identifier: Apache-2.0
"""Sessions that users give to their jobs: pbs_attach."""
import contextlib
import os
import re
import signal
import subprocess

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.users import run_as
from story import *

OTHERS = pytest.mark.skipif(ROOTLESS, reason="needs root: two users")


def attach(cluster, *words, user=USER1, check=True):
    return cluster.run(["pbs_attach", "-m", str(cluster.ports["rm"])] + list(words), user=user,
                       check=check)


@contextlib.contextmanager
def outside(user=USER1, argv=("sleep", "1000")):
    """A process of the user that no job knows, in a session of its own."""
    kwargs, env = run_as(user)
    process = subprocess.Popen(argv, env=dict(os.environ, **env), start_new_session=True, **kwargs)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def ends_with(server, jid, process):
    """The job is deleted, and the process is killed with it."""
    server.delete(jid)
    is_gone(server, JOB, jid)
    assert process.wait(timeout=60) in (-signal.SIGTERM, -signal.SIGKILL)


def test_an_attached_session_ends_with_the_job(cluster):
    server = cluster.server
    jid = running_job(server)
    with outside() as process:
        attach(cluster, "-j", jid, "-p", str(process.pid))
        cluster.mom.log_match("%s;task [0-9A-F]{8} attached, session = %d" % (jid, process.pid),
                              regexp=True)
        assert process.poll() is None
        ends_with(server, jid, process)


def test_the_only_job_needs_no_name(cluster):
    server = cluster.server
    first = running_job(server)
    with outside() as process:
        attach(cluster, "-p", str(process.pid))
        cluster.mom.log_match("%s;task [0-9A-F]{8} attached" % first, regexp=True)
        with outside() as other:
            second = running_job(server)
            done = attach(cluster, "-p", str(other.pid), check=False)
            assert done.returncode == 1
            assert "name one with -j (17006)" in done.stderr
            attach(cluster, "-j", second.split(".")[0], "-p", str(other.pid))
    for jid in (first, second):
        server.delete(jid)
        is_gone(server, JOB, jid)


def test_its_end_is_no_end_of_the_job(cluster):
    server = cluster.server
    jid = running_job(server)
    with outside() as process:
        attach(cluster, "-j", jid, "-p", str(process.pid))
    cluster.mom.log_match("%s;task [0-9A-F]{8} terminated" % jid, regexp=True)
    server.expect(JOB, {"job_state": "R"}, id=jid)
    server.delete(jid)
    is_gone(server, JOB, jid)


def test_what_it_uses_is_counted(cluster):
    """Also after its end."""
    server = cluster.server
    gate = Gate(cluster)
    jid = running_job(server, script=script_until(gate.path))
    with outside(argv=("sh", "-c", "while :; do :; done")) as process:
        attach(cluster, "-j", jid, "-p", str(process.pid))

        def has_used():
            job = server.status(JOB, jid)[0]
            return job.get("resources_used.cput", "00:00:00") > "00:00:00"
        wait_for("processor time of the job", has_used)
    cluster.mom.log_match("%s;task [0-9A-F]{8} terminated" % jid, regexp=True)
    gate.open()
    line = server.accounting_match(";E;%s;" % jid)
    assert not re.search(r"resources_used.cput=00:00:00 ", line), line


def test_a_restarted_mom_knows_it(cluster):
    server = cluster.server
    jid = running_job(server)
    with outside() as process, outside() as another:
        attach(cluster, "-j", jid, "-p", str(process.pid))
        attach(cluster, "-j", jid, "-p", str(another.pid))
        cluster.mom.kill()
        another.kill()
        another.wait()
        cluster.mom.start()
        cluster.mom.log_match("%s;task [0-9A-F]{8} terminated" % jid, regexp=True)
        server.expect(JOB, {"job_state": "R", "run_count": 1}, id=jid)
        assert process.poll() is None
        ends_with(server, jid, process)


def test_a_command_runs_in_the_job(cluster):
    server = cluster.server
    jid = running_job(server)
    done = attach(cluster, "-j", jid, "-s", "sh", "-c", "echo in; exit 5", check=False)
    assert (done.returncode, done.stdout) == (5, "in\n"), done.stderr
    cluster.mom.log_match("%s;task [0-9A-F]{8} terminated" % jid, regexp=True)
    done = attach(cluster, "-j", jid, "-s", "/nonexist", check=False)
    assert done.returncode == 127
    done = attach(cluster, "-j", "999999", "-s", "echo", "runs", check=False)
    assert (done.returncode, done.stdout) == (1, "")
    server.delete(jid)
    is_gone(server, JOB, jid)


def test_within_the_job_there_is_nothing_to_do(cluster):
    """MPI programs start their helpers so on every host, also on the first one."""
    server = cluster.server
    jid = server.submit(Job(script="#!/bin/sh\n#PBS -N within\n%s/bin/pbs_attach -j $PBS_JOBID echo within\n"
                                   "%s/bin/pbs_attach -j $PBS_JOBID -p $$\necho $?\n"
                                   % (cluster.exec_dir, cluster.exec_dir)))
    text = cluster.output(USER1, "within.o" + jid.split(".")[0])
    assert text.split() == ["within", "1"]
    assert "(17008)" in cluster.output(USER1, "within.e" + jid.split(".")[0])


@OTHERS
def test_nobody_attaches_what_is_not_his(cluster):
    server = cluster.server
    jid = running_job(server)
    with outside() as mine, outside(USER2) as foreign:
        for user, pid, code in ((USER2, foreign.pid, 17009), (USER1, foreign.pid, 17010),
                                ("root", mine.pid, 17010), (USER1, 2 ** 31 - 1, 17011),
                                (USER1, 1, 17011)):
            done = attach(cluster, "-j", jid, "-p", str(pid), user=user, check=False)
            assert done.returncode == 1 and "(%d)" % code in done.stderr, (user, pid, done.stderr)
        server.delete(jid)
        is_gone(server, JOB, jid)
        assert mine.poll() is None and foreign.poll() is None


@OTHERS
def test_a_session_that_another_user_leads_is_not_given(cluster):
    """All of a session ends with the job, so root's shell must not be in it."""
    server = cluster.server
    jid = running_job(server)
    kwargs, env = run_as(USER1)
    code = ("import os,sys,time\n"
            "if os.fork() == 0:\n os.setgroups([]); os.setgid(%d); os.setuid(%d)\n"
            " print(os.getpid(), flush=True)\ntime.sleep(1000)\n" % (kwargs["group"], kwargs["user"]))
    leader = subprocess.Popen(["python3", "-c", code], stdout=subprocess.PIPE, text=True,
                              start_new_session=True)
    try:
        pid = int(leader.stdout.readline())
        done = attach(cluster, "-j", jid, "-p", str(pid), check=False)
        assert "(17010)" in done.stderr
    finally:
        os.killpg(leader.pid, signal.SIGKILL)
        leader.wait()
        leader.stdout.close()
    server.delete(jid)
    is_gone(server, JOB, jid)


def test_a_host_may_forbid_it(cluster):
    server = cluster.server
    jid = running_job(server)
    config = os.path.join(cluster.home, "mom_priv", "config")
    with open(config) as f:
        before = f.read()
    with open(config, "a") as f:
        f.write("$attach_allow false\n")
    cluster.mom.send_signal(signal.SIGHUP)
    cluster.mom.log_match(";attach_allow;false")
    with outside() as process:
        done = attach(cluster, "-j", jid, "-p", str(process.pid), check=False)
        assert done.returncode == 1 and "(17004)" in done.stderr
    with open(config, "w") as f:
        f.write(before)
    server.delete(jid)
    is_gone(server, JOB, jid)


@pytest.mark.parametrize("words, text", [
    ([], "must specify pid or command"),
    (["-p", "x"], "bad pid: x"),
    (["-p", "0"], "bad pid: 0"),
    (["-p", "5", "echo"], "must specify pid or command"),
    (["-m", "70000", "-p", "5"], "bad port: 70000"),
    (["-j", "no job", "-p", "5"], "illegally formed job identifier: no job"),
    (["-Z"], "Usage:"),
])
def test_mistakes_are_told(cluster, words, text):
    done = cluster.run(["pbs_attach"] + words, check=False)
    assert done.returncode == 2 and text in done.stderr and "Usage:" in done.stderr
