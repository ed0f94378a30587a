# SPDX-License-Identifier: Apache-2.0
"""tracejob: lines about a job out of the files of this host, in the order of their times."""
import os
import re
import time

import pytest

from holdfast import *

DAY = 24 * 3600
SERVER_LOG = """\
11/21/2026 08:01:36;0100;Server@pbs1;Job;2002.pbs1;enqueuing into workq, state H hop 1
11/21/2026 08:01:36;0008;Server@pbs1;Job;2002.pbs1;Job Queued at request of pbsuser@pbs1, owner = pbsuser@pbs1, job name = 0123, queue = workq
11/21/2026 08:01:37;0008;Server@pbs1;Job;200.pbs1;another one
11/21/2026 08:01:53;0080;Server@pbs1;Job;2002.pbs1;delete job request received
11/21/2026 08:01:53;0008;Server@pbs1;Job;2002.pbs1;Job to be deleted at request of root@pbs1
a line that is none;2002.pbs1
"""
ACCOUNTING = """\
11/21/2026 08:01:36;Q;2002.pbs1;user=pbsuser group=tstgrp00 account="0077" project=12 jobname=0123 queue=workq ctime=1795248096 qtime=1795248096 etime=0 Resource_List.ncpus=1 Resource_List.nodect=1 Resource_List.place=pack Resource_List.select=1:ncpus=1 Resource_List.software=7;8 
11/21/2026 08:01:53;D;2002.pbs1;requestor=root@pbs1
"""
SHOWN = """
Job: 2002.localhost

11/21/2026 08:01:36  S    enqueuing into workq, state H hop 1
11/21/2026 08:01:36  S    Job Queued at request of pbsuser@pbs1, owner =
                          pbsuser@pbs1, job name = 0123, queue = workq
11/21/2026 08:01:36  A    user=pbsuser group=tstgrp00 account="0077" project=12
                          jobname=0123 queue=workq ctime=1795248096
                          qtime=1795248096 etime=0 Resource_List.ncpus=1
                          Resource_List.nodect=1 Resource_List.place=pack
                          Resource_List.select=1:ncpus=1
                          Resource_List.software=7;8 
11/21/2026 08:01:53  S    delete job request received
11/21/2026 08:01:53  S    Job to be deleted at request of root@pbs1
11/21/2026 08:01:53  A    requestor=root@pbs1
"""


@pytest.fixture(scope="module")
def cluster():
    with Cluster(vnodes=1, mock=True) as c:
        yield c


def tracejob(cluster, *argv, user=None):
    done = cluster.run(["tracejob"] + list(argv), user=user, check=False)
    return done.returncode, done.stdout, done.stderr


class Home:
    """A PBS_HOME with files that the test writes."""

    def __init__(self, path):
        self.path = str(path)

    def write(self, folder, text, days_ago=0):
        name = time.strftime("%Y%m%d", time.gmtime(time.time() - days_ago * DAY))
        os.makedirs(os.path.join(self.path, folder), exist_ok=True)
        with open(os.path.join(self.path, folder, name), "w") as f:
            f.write(text)


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


def test_the_captured_output(cluster, home):
    home.write("server_logs", SERVER_LOG)
    home.write("server_priv/accounting", ACCOUNTING)
    for operand in ("2002", "2002.localhost"):
        assert tracejob(cluster, "-p", home.path, "-w", "80", operand) == (0, SHOWN, "")
    # The port of the server is no part of its name.
    assert cluster.run(["tracejob", "-p", home.path, "-w", "80", "2002"],
                       env={"PBS_SERVER": "localhost:15999"}).stdout == SHOWN
    # Without a terminal lines are as long as they are.
    out = tracejob(cluster, "-p", home.path, "2002")[1]
    assert len(out.splitlines()) == 9 and max(map(len, out.splitlines())) > 200
    assert tracejob(cluster, "-p", home.path, "-a", "2002")[1].count("  A  ") == 0
    assert tracejob(cluster, "-p", home.path, "-s", "2002")[1].count("  S  ") == 0


def test_filters(cluster, home):
    home.write("server_logs", SERVER_LOG)
    shown = tracejob(cluster, "-p", home.path, "-f", "job", "2002")[1]
    assert "enqueuing" in shown and "delete job" in shown and "Job to be" not in shown
    assert tracejob(cluster, "-p", home.path, "-f", "debug2", "-f", "debug", "2002")[1] == \
        tracejob(cluster, "-p", home.path, "-f", "180", "2002")[1]
    assert "enqueuing" not in tracejob(cluster, "-p", home.path, "-f", "0x180", "2002")[1]


def test_order(cluster, home):
    """By year, day and time; fractions within a second, and what has none behind them."""
    home.write("server_logs", "01/01/2027 00:00:00.5;0008;s;Job;7.x;five\n"
                              "12/31/2026 23:59:59.9;0008;s;Job;7.x;four\n"
                              "01/01/2027 00:00:01;0008;s;Job;7.x;eight\n")
    home.write("sched_logs", "01/01/2027 00:00:01.5;0008;s;Job;7.x;seven\n")
    home.write("sched_logs", "12/31/2026 23:59:59.1;0008;s;Job;7.x;three\n", 1)
    home.write("mom_logs", "02/01/2026 23:59:59;0008;s;Job;7.x;one\n", 1)
    home.write("server_priv/accounting", "01/01/2027 00:00:00;E;7.x;six\n"
                                         "11/30/2026 00:00:00;Q;7.x;two\n")
    out = tracejob(cluster, "-p", home.path, "-n", "2", "7")[1]
    assert [line.split()[-1] for line in out.splitlines()[3:]] == [
        "one", "two", "three", "four", "five", "six", "seven", "eight"]
    assert out.splitlines()[3] == "02/01/2026 23:59:59         M    one"
    # Yesterday's files are looked at when they are asked for.
    assert "three" not in tracejob(cluster, "-p", home.path, "7")[1]


def test_repeated_messages(cluster, home):
    home.write("sched_logs", "".join("11/21/2026 08:00:%02d;0080;pbs_sched;Job;7.x;%s\n"
                                     % (i, "again" if i % 2 else "once %d" % i)
                                     for i in range(34)))
    lines = tracejob(cluster, "-p", home.path, "7")[1].splitlines()
    assert [line for line in lines if "again" in line] == ["11/21/2026 08:00:33  L    again"]
    assert sum("once" in line for line in lines) == 17
    for more in (["-z"], ["-c", "17"]):
        assert tracejob(cluster, "-p", home.path, *more, "7")[1].count("again") == 17
    assert tracejob(cluster, "-p", home.path, "-c", "16", "7")[1].count("again") == 1


def test_a_job_with_very_many_lines(cluster, home):
    """As one has that waits for weeks: what they cost follows their number."""
    home.write("sched_logs", "".join("11/21/2026 08:00:00;0080;pbs_sched;Job;7.x;no room %d\n"
                                     % (i // 2) for i in range(400000)))
    out = cluster.run(["tracejob", "-p", home.path, "-c", "1", "7"], timeout=100).stdout
    assert out.count("no room") == 200000


def test_lines_of_any_kind(cluster, home):
    """Lines about no object are nobody's, a record may have no text, and no byte of a file
    speaks to a terminal."""
    home.write("server_logs", "11/21/2026 08:00:00;0008;s;Req;;about nothing\n"
                              "11/21/2026 08:00:01;0008;s;Job;7.x\n"
                              "11/21/2026 08:00:02;0008;s;Job;7.x;\x1b[2J;b\0c\n"
                              "11/21/2026 08:00:03;0008;s;Job;7.x;" + "w" * 100000 + "\n"
                              ";;;;;\n\n;\n11/21/2026 08:00:05;0008;s;Job;7.x;no newline")
    home.write("server_priv/accounting", "11/21/2026 08:00:04;D;7.x\n11/21/2026 08:00:04;D\n")
    out = tracejob(cluster, "-p", home.path, "-v", "7")[1]
    assert [line.split("    ", 1)[1][:20] for line in out.splitlines()[3:]] == [
        "^[[2J;b", "w" * 20, "", "no newline"]
    for none in ("", ".", ".localhost", "7@localhost", "07", "7[]", "x"):
        code, out, err = tracejob(cluster, "-p", home.path, none)
        assert (code, out) == (1, "") and "Couldn't find Job Id %s" % none in err, none


def test_what_is_no_file(cluster, home):
    """Neither a pipe nor a directory in its place keeps anybody waiting, and no number of days
    does: there are no files from before 1970."""
    home.write("mom_logs", "11/21/2026 08:00:00;0008;s;Job;7.x;one\n")
    name = os.listdir(os.path.join(home.path, "mom_logs"))[0]
    for folder, make in (("server_logs", os.mkfifo), ("sched_logs", os.mkdir)):
        os.mkdir(os.path.join(home.path, folder))
        make(os.path.join(home.path, folder, name))
    code, out, err = tracejob(cluster, "-p", home.path, "-v", "7")
    assert (code, out.count("one")) == (0, 1)
    assert re.sub("(?m)^.*/", "", err) == ("%s: Invalid argument\n%s: Is a directory\n"
                                          "%s: No such file or directory\n" % (name, name, name))
    done = cluster.run(["tracejob", "-p", home.path, "-n", "2147483647", "7", "8"], check=False,
                       timeout=100)
    assert done.returncode == 1 and "one" in done.stdout
    assert "Job Id 8.localhost in logs of past 2147483647 days" in done.stderr


HINT = "tracejob: -n days looks further back; -v tells which files could not be read\n"


def test_what_is_not_found(cluster, home):
    assert tracejob(cluster, "99") == (
        1, "", "\ntracejob: Couldn't find Job Id 99.localhost in logs of past 1 day\n\n" + HINT)
    code, out, err = tracejob(cluster, "-v", "-p", home.path, "-n", "3", "99")
    assert (code, out) == (1, "") and err.count("No such file or directory") == 12
    assert err.endswith("\ntracejob: Couldn't find Job Id 99.localhost in logs of past 3 days\n\n" + HINT)
    for wrong in ([], ["-n", "0", "1"], ["-n", "x", "1"], ["-w", "-1", "1"], ["-f", "xyz", "1"],
                  ["-c", "0", "1"], ["-q", "1"], ["-w"], ["-n"], ["-p"], ["-p", "", "1"], ["-c", "1x", "1"],
                  ["-f"], ["-f", "", "1"], ["-f", "0x", "1"], ["-f", "100000000", "1"],
                  ["--version", "1"], ["-n", "99999999999", "1"]):
        code, out, _ = tracejob(cluster, *wrong)
        assert code == 1 and out.startswith("USAGE: tracejob "), wrong


def test_a_job_of_this_cluster(cluster):
    jid = cluster.run(["qsub", "--", "/bin/sleep", "1000"], user=USER1).stdout.strip()
    cluster.server.expect(JOB, {"job_state": "R", "substate": 42}, id=jid)
    cluster.run(["qdel", jid])
    cluster.server.expect(JOB, "job_state", id=jid, op=UNSET)
    cluster.server.accounting_match(";E;" + jid)
    code, out, err = tracejob(cluster, "-n", "2", jid)
    assert (code, err) == (0, "") and out.startswith("\nJob: %s\n\n" % jid)
    for letter, text in (("S", "Job Queued at request of"), ("L", "Job run"),
                         ("M", "Started mock run"), ("A", "Exit_status=")):
        assert any("  %s    " % letter in line and text in line for line in out.splitlines()), text
    # Accounting is not for everybody's eyes.
    if not ROOTLESS:
        code, out, err = tracejob(cluster, "-v", "-n", "2", jid, user=USER1)
        assert code == 0 and "  A    " not in out
        assert "Job Queued" in out and "Permission denied" in err
