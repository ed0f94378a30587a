# SPDX-License-Identifier: Apache-2.0
"""Directives of pbs_mom that stop, end or forbid processes ($restrict_user, $alien_kill, $alien_attach,
$max_load with suspend, $kbd_idle, $action terminate), on real processes."""
import contextlib
import os
import signal
import subprocess

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *

# Nobody else on this host has uids of this height, so nobody else is meant by what the tests
# forbid: MAX_SYSTEM is the last one that is left alone.
MAX_SYSTEM = 4000000000 // 2
NOBODYS = MAX_SYSTEM + 1
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="other users' processes are made by root")


def configure(cluster, text):
    """The directives, taken over by HUP."""
    mom = cluster.mom
    taken = sum("read_config;max_check_poll" in line for line in mom.log_lines())
    cluster.write("home/mom_priv/config", "$logevent 0xffff\n" + text)
    mom.send_signal(signal.SIGHUP)
    wait_for("the configuration", lambda: sum(
        "read_config;max_check_poll" in line for line in mom.log_lines()) > taken)


@contextlib.contextmanager
def process_of(uid, **kwargs):
    p = subprocess.Popen(["sleep", "1000"], user=uid, group=uid, extra_groups=[],
                         start_new_session=True, cwd="/", **kwargs)
    try:
        yield p
    finally:
        p.kill()
        p.wait()


RESTRICT = "$restrict_user on\n$restrict_user_maxsysid %d\n" % MAX_SYSTEM


def killed(p):
    return wait_for("the end of the process", lambda: p.poll() is not None) and \
        p.returncode == -signal.SIGKILL


@as_root
def test_users_without_a_job_have_no_processes(cluster):
    jid = running_job(cluster.server)
    with process_of(NOBODYS) as user, process_of(MAX_SYSTEM) as system:
        configure(cluster, RESTRICT)
        assert killed(user)
        cluster.mom.log_match("restrict_user;uid %d has no job here: 1 of its processes killed"
                              % NOBODYS)
        assert system.poll() is None
    # Not once, but from now on.
    with process_of(NOBODYS) as user:
        assert killed(user)
    # HUP without the line ends it. A look of before is over when a wrong line was refused.
    configure(cluster, "")
    with process_of(NOBODYS) as user, process_of(NOBODYS + 1) as other:
        configure(cluster, RESTRICT + "$restrict_user_maxsysid %d\n" % NOBODYS)
        assert killed(other)
        assert user.poll() is None
    cluster.server.expect(JOB, {"job_state": "R"}, id=jid)


@pytest.fixture
def high_user():
    """An account whose uid is beyond those of the system."""
    name = "hfhigh%d" % os.getpid()
    subprocess.run(["useradd", "-l", "-M", "-o", "-u", str(NOBODYS + 5), "-d", "/tmp", "-s", "/bin/sh",
                    "-N", "-g", "nogroup", name], check=True, capture_output=True)
    yield name, NOBODYS + 5
    subprocess.run(["userdel", name], capture_output=True)


@as_root
def test_exceptions_and_owners_of_jobs_are_left_alone(cluster, high_user):
    name, uid = high_user
    with process_of(NOBODYS) as other, process_of(uid) as user:
        configure(cluster, RESTRICT + "$restrict_user_exceptions nobody,%s\n" % name)
        assert killed(other)
        assert user.poll() is None
        cluster.run(["qsub", "-o", "/dev/null", "-e", "/dev/null", "--", "/bin/sleep", "1000"],
                    user=name)
        jid = cluster.server.status(JOB)[0]["id"]
        cluster.server.expect(JOB, {"job_state": "R", "substate": 42}, id=jid)
        configure(cluster, RESTRICT)
        with process_of(NOBODYS) as other:
            assert killed(other)
        assert user.poll() is None
        # What is outside of the job is an alien.
        configure(cluster, RESTRICT + "$alien_kill on\n")
        assert killed(user)
        cluster.server.expect(JOB, {"job_state": "R"}, id=jid)
    with process_of(uid) as user:
        configure(cluster, RESTRICT + "$alien_attach on\n$alien_kill on\n")
        cluster.mom.log_match("attached, session = %d" % user.pid)
        assert user.poll() is None
        cluster.server.delete(jid)
        assert wait_for("the end with the job", lambda: user.poll() is not None)


def state_of(session):
    with open("/proc/%s/stat" % session) as f:
        return f.read().rsplit(")", 1)[1].split()[0]


def is_stopped(session):
    return state_of(session) in "Tt"


def test_jobs_stand_while_the_host_has_much_to_do(cluster):
    server = cluster.server
    jid = running_job(server)
    session = server.status(JOB, jid)[0]["session_id"]
    configure(cluster, "$max_load 0 suspend\n")
    wait_for("the job to stand", lambda: is_stopped(session))
    cluster.mom.log_match("%s;the host is busy, job suspended" % jid)
    server.expect(VNODE, {"state": (MATCH_RE, "busy")}, id="vn[0]")
    # A MoM that is killed leaves it as it is, and the next one looks at the load again.
    cluster.mom.kill()
    assert is_stopped(session)
    cluster.mom.start()
    server.expect(VNODE, {"state": (MATCH_RE, "busy")}, id="vn[0]")
    assert is_stopped(session)
    configure(cluster, "$max_load 1000000 suspend\n")
    wait_for("the job to go on", lambda: not is_stopped(session))
    configure(cluster, "$max_load 0 suspend\n")
    wait_for("the job to stand", lambda: is_stopped(session))
    # Whoever stands can be deleted.
    server.delete(jid)
    is_gone(server, JOB, jid)


def touch(cluster, ago=0):
    """What a program does that watches a display."""
    path = os.path.join(cluster.home, "spool", "idledir", "somebody")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a"):
        pass
    now = os.stat(path).st_mtime if ago else None
    os.utime(path, (now - ago, now - ago) if ago else None)


def test_a_workstation_is_there_for_jobs_while_nobody_uses_it(cluster):
    server = cluster.server
    jid = running_job(server)
    session = server.status(JOB, jid)[0]["session_id"]
    touch(cluster, ago=100000)
    configure(cluster, "$kbd_idle 1000 0 1\n")
    touch(cluster)
    wait_for("the job to stand", lambda: is_stopped(session))
    cluster.mom.log_match("kbd_idle;keyboard or mouse are in use: the host is busy")
    server.expect(VNODE, {"state": (MATCH_RE, "busy")}, id="vn[0]")
    touch(cluster, ago=100000)
    wait_for("the job to go on", lambda: not is_stopped(session))
    server.expect(VNODE, {"state": (MATCH_RE, "free|job-busy")}, id="vn[0]")


def script(cluster, name, text):
    path = cluster.write("home/mom_priv/" + name, "#!/bin/sh\n" + text)
    os.chmod(path, 0o700)
    return path


def test_a_script_ends_jobs(cluster):
    """It is told the job, and does what it likes; what it leaves is killed."""
    server = cluster.server
    note = os.path.join(cluster.root, "tmp", "note")
    script(cluster, "ender", "echo \"$@\" $PBS_JOBID > %s\nkill -USR1 -$2\n" % note)
    configure(cluster, "$action terminate 60 !ender %jobid %sid x\n")
    jid = running_job(server, script="#!/bin/sh\ntrap 'exit 9' USR1\ntrap '' TERM\n"
                                     "while :; do sleep 0.1; done\n", Shell_Path_List="/bin/sh")
    session = server.status(JOB, jid)[0]["session_id"]
    server.delete(jid)
    is_gone(server, JOB, jid)
    assert cluster.read("tmp/note") == "%s %s x %s\n" % (jid, session, jid)
    cluster.mom.log_match("terminate script %s/mom_priv/ender: exit code 0" % cluster.home)
    cluster.mom.log_match("Terminate action failed", existence=False)


@pytest.mark.parametrize("text, limit, words", [
    ("exit 3\n", 60, "exit code 3"),
    ("kill -USR1 $$\n", 60, ";0002;pbs_mom;Job;JID;terminate script SCRIPT: got signal 10"),
    ("sleep 1000\n", 1, "Action alarm time exceeded"),
    (None, 60, "does not exist"),
])
def test_a_script_that_fails_is_followed_by_sigkill(cluster, text, limit, words):
    server = cluster.server
    server.manager(MGR_CMD_SET, QUEUE, {"kill_delay": 1000}, id="workq")
    if text:
        script(cluster, "ender", text)
    configure(cluster, "$action terminate %d !ender\n" % limit)
    jid = running_job(server, script="#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.1; done\n",
                      Shell_Path_List="/bin/sh")
    server.delete(jid)
    is_gone(server, JOB, jid)
    cluster.mom.log_match(words.replace("JID", jid).replace(
        "SCRIPT", os.path.join(cluster.home, "mom_priv", "ender")))
    cluster.mom.log_match("%s;Terminate action failed" % jid)


def test_a_script_is_begun_anew_by_the_next_mom(cluster):
    server = cluster.server
    note = os.path.join(cluster.root, "tmp", "note")
    script(cluster, "ender", "echo begun >> %s\n[ -e %s.go ] || exec sleep 1000\nkill -KILL -$1\n"
           % (note, note))
    configure(cluster, "$action terminate 0 !ender %sid\n")
    jid = running_job(server)
    server.delete(jid)
    wait_for("the script", lambda: cluster.read("tmp/note"))
    cluster.mom.kill()
    cluster.write("tmp/note.go", "")
    cluster.mom.start()
    is_gone(server, JOB, jid)
    assert cluster.read("tmp/note") == "begun\nbegun\n"


def test_hosts_of_clients_are_looked_up_with_the_configuration(cluster):
    """A name that nobody knows is said, and one that is new counts at once."""
    configure(cluster, "$clienthost nobody.invalid\n$clienthost 127.0.0.9\n")
    cluster.mom.log_match(";0001;pbs_mom;Svr;pbs_mom;addclient_byname, host nobody.invalid not found")
    cluster.mom.log_match("Adding IP address 127.0.0.9 as authorized")
    cluster.mom.restart()
    said = wait_for("the name is said again", lambda: [
        line for line in cluster.mom.log_lines() if "host nobody.invalid not found" in line][1:])
    assert len(said) == 1
