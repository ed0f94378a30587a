# SPDX-License-Identifier: Apache-2.0
"""The administrator's scripts before and after a job: what they are told, what their end
means, and what the MoM does not run (execution.md 16)."""
import os
import pwd
import signal

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *
from test_mom import exit_status, seq, session_of


@pytest.fixture(scope="module")
def cluster():
    with Cluster(vnodes=2) as c:
        yield c


@pytest.fixture
def place(cluster):
    """A way to put a script into mom_priv; it is taken away again."""
    put = []

    def place(name, text, mode=0o700):
        path = os.path.join(cluster.home, "mom_priv", name)
        with open(path, "w") as f:
            f.write("#!/bin/sh\n" + text)
        os.chmod(path, mode)
        put.append(path)
        return path
    yield place
    for path in put:
        os.unlink(path)


def note(cluster, name):
    """A file that root's and users' scripts may write into."""
    path = os.path.join(cluster.root, name)
    with open(path, "w"):
        os.chmod(path, 0o666)
    return path


def read(path):
    with open(path) as f:
        return f.read()


def test_both_are_told_of_the_job(cluster, place):
    server, told = cluster.server, note(cluster, "told")
    place("prologue", 'echo "P $# $1 $2 $PBS_JOBDIR $(basename $(pwd))" >> %s\n'
                      "echo from the prologue\n" % told)
    place("epilogue", 'echo "E $# $1 $2 $4 $8 $9" >> %s\nshift 4\n'
                      'echo "E $1 $2 $3 $4 $5 $6 $7 $(pwd) $(umask)" >> %s\n'
                      "echo from the epilogue\n" % (told, told))
    home = pwd.getpwnam(USER1).pw_dir
    jid = server.submit(Job(attrs={"Job_Name": "told", "Resource_List.select": "1:ncpus=1",
                                   "Join_Path": "oe"},
                            script="#!/bin/sh\necho from the job\nexit 5\n"))
    assert exit_status(server, jid) == 5
    session = cluster.server.accounting_match(";E;%s;" % jid).split("session=")[1].split()[0]
    assert cluster.output(USER1, "told.o" + seq(jid)) == \
        "from the prologue\nfrom the job\nfrom the epilogue\n"
    lines = read(told).splitlines()
    assert lines[0] == "P 3 %s %s %s mom_priv" % (jid, USER1, home)
    assert lines[1].startswith("E 10 %s %s told " % (jid, USER1))
    words = lines[2].split()
    assert words[1] == session
    assert "ncpus=1" in words[2].split(",")
    assert [w.split("=")[0] for w in words[3].split(",")] == \
        ["cpupercent", "cput", "mem", "ncpus", "vmem", "walltime"]
    assert words[4:] == ["workq", "null", "5", home, "0022"]
    for words in ("running prologue", "running epilogue"):
        cluster.mom.log_match(";0080;pbs_mom;Job;%s;%s" % (jid, words))


def test_a_prologue_refuses_the_job(cluster, place):
    server = cluster.server
    place("prologue", "exit 1\n")
    jid = server.submit(Job(attrs={"Job_Name": "refused"}, script="#!/bin/sh\necho ran\n"))
    assert exit_status(server, jid) == -2
    is_gone(server, JOB, jid)
    cluster.mom.log_match(";%s;completed prologue, exit=1" % jid)
    assert "Could not run prolog" in cluster.output(USER1, "refused.e" + seq(jid))
    assert "ran" not in cluster.output(USER1, "refused.o" + seq(jid))


@pytest.mark.parametrize("text, mode, words", [
    ("exit 3\n", 0o700, "exit: 3, nonzero p/e exit status"),
    ("exit 0\n", 0o722, "exit: -1, Permission Error")])
def test_a_prologue_that_fails_puts_the_job_off(cluster, place, text, mode, words):
    server = cluster.server
    path = place("prologue", text, mode)
    jid = server.submit(Job(attrs={"Output_Path": "/dev/null", "Join_Path": "oe"}, sleep=0))
    server.expect(JOB, {"job_state": "H", "Hold_Types": "s"}, id=jid)
    assert server.status(JOB, jid)[0]["comment"].startswith(
        "job held, too many failed attempts to run")
    cluster.mom.log_match(";%s;pro/epilogue failed, file: %s, %s" % (jid, path, words))
    server.delete(jid)
    is_gone(server, JOB, jid)


def test_a_prologue_has_its_time(cluster, place):
    """Its process group is killed, and the job is put off."""
    server, config = cluster.server, os.path.join(cluster.home, "mom_priv/config")
    pids, before = note(cluster, "pids"), read(config)
    with open(config, "a") as f:
        f.write("$prologalarm 1\n")
    cluster.mom.send_signal(signal.SIGHUP)
    cluster.mom.log_match(";prolog alarm;1")
    path = place("prologue", "[ -s %s ] && exit 1\n(sleep 1000) & echo $! $$ >> %s\nwait\n"
                 % (pids, pids))
    jid = server.submit(Job(attrs={"Output_Path": "/dev/null", "Join_Path": "oe"}, sleep=0))
    cluster.mom.log_match(";%s;completed prologue, exit=-4" % jid)
    cluster.mom.log_match(";%s;pro/epilogue failed, file: %s, exit: -4" % (jid, path))
    for pid in read(pids).split():
        wait_for("the end of " + pid, lambda: not os.path.exists("/proc/" + pid))
    assert exit_status(server, jid) == -2  # the second time it is refused
    with open(config, "w") as f:
        f.write(before)
    cluster.mom.send_signal(signal.SIGHUP)


def test_an_epilogue_changes_nothing(cluster, place):
    server = cluster.server
    path = place("epilogue", "exit 9\n")
    jid = server.submit(Job(attrs={"Output_Path": "/dev/null", "Join_Path": "oe"},
                            script="#!/bin/sh\nexit 4\n"))
    assert exit_status(server, jid) == 4
    cluster.mom.log_match(";%s;pro/epilogue failed, file: %s, exit: 9" % (jid, path))


def test_an_epilogue_begins_where_its_job_was(cluster, directories, place):
    """In the job's own directory, if it has one; PBS_JOBDIR is the home all the same."""
    told = note(cluster, "where")
    place("epilogue", "echo $(pwd) $PBS_JOBDIR > %s\n" % told)
    home = pwd.getpwnam(USER1).pw_dir
    jid = cluster.server.submit(Job(attrs={"Output_Path": "/dev/null", "Join_Path": "oe",
                                           "sandbox": "PRIVATE"}, sleep=0))
    assert exit_status(cluster.server, jid) == 0
    assert read(told).split() == ["%s/pbs.%s.x8z" % (home, jid), home]


def test_an_epilogue_that_hangs_keeps_nobody_else(cluster, place):
    """The job ends when its epilogue is killed; others end meanwhile."""
    server, gate = cluster.server, Gate(cluster, "epi")
    place("epilogue", '[ "$4" = stays ] || exit 0\nwhile [ ! -e %s ]; do sleep 0.2; done\n'
          % gate.path)
    nowhere = {"Output_Path": "/dev/null", "Join_Path": "oe"}
    jid = server.submit(Job(attrs=dict(nowhere, Job_Name="stays"), sleep=0))
    cluster.mom.log_match(";%s;Terminated" % jid)
    other = server.submit(Job(attrs=nowhere, sleep=0))
    assert exit_status(server, other) == 0
    assert server.status(JOB, jid)[0]["job_state"] == "R"
    gate.open()
    assert exit_status(server, jid) == 0


def test_an_epilogue_runs_after_a_restart(cluster, place):
    """It ends with the MoM and runs once more: the next one finds the end of the job."""
    server, told, gate = cluster.server, note(cluster, "twice"), Gate(cluster, "twice-gate")
    place("epilogue", "echo begun >> %s\nwhile [ ! -e %s ]; do sleep 0.2; done\necho done >> %s\n"
          % (told, gate.path, told))
    jid = server.submit(Job(attrs={"Output_Path": "/dev/null", "Join_Path": "oe"},
                            script="#!/bin/sh\nexit 6\n"))
    wait_for("the epilogue", lambda: read(told) == "begun\n")
    cluster.mom.kill()
    cluster.mom.start()
    wait_for("the second epilogue", lambda: read(told) == "begun\nbegun\n")
    gate.open()
    assert exit_status(server, jid) == 6
    assert read(told) == "begun\nbegun\ndone\n"
