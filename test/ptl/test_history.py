# SPDX-License-Identifier: Apache-2.0
"""Jobs that are over and kept: qstat -x and -H, qselect -x and -H, qdel -x, and what all other
commands say of them, on real daemons."""
import pytest

from holdfast import *
from holdfast.services import wait_for


@pytest.fixture(scope="module")
def cluster():
    """Its MoM runs processes."""
    with Cluster(vnodes=2) as c:
        c.server.manager(MGR_CMD_SET, SERVER, {"job_history_enable": "True"})
        yield c


def said(cluster, *argv, user=USER1):
    done = cluster.run(list(argv), user=user, check=False)
    return done.returncode, done.stdout, done.stderr


def submitted(cluster, *argv, user=USER1):
    return cluster.run(["qsub", *argv], user=user).stdout.strip()


def full(cluster, jid):
    """The attributes that qstat -xf shows, continuation lines joined."""
    out = cluster.run(["qstat", "-x", "-f", "-w", jid], user=USER1).stdout
    return dict(line.strip().split(" = ", 1) for line in out.splitlines() if " = " in line)


def finished(cluster, jid):
    wait_for("the end of " + jid, lambda: full(cluster, jid).get("job_state") == "F")
    return full(cluster, jid)


def test_ends(cluster):
    """How a job ended is in its substate, its exit status and its comment."""
    well = submitted(cluster, "--", "/bin/true")
    badly = submitted(cluster, "--", "/bin/sh", "-c", "exit 7")
    killed = submitted(cluster, "--", "/bin/sleep", "1000")
    cluster.server.expect(JOB, {"job_state": "R", "substate": 42}, id=killed)
    cluster.run(["qdel", killed], user=USER1)
    queued = submitted(cluster, "-h", "--", "/bin/true")
    cluster.run(["qdel", queued], user="root")
    a = finished(cluster, well)
    assert (a["substate"], a["Exit_status"]) == ("92", "0")
    assert a["comment"].startswith("Job run at ") and a["comment"].endswith(" and finished")
    assert int(a["history_timestamp"]) > 0
    a = finished(cluster, badly)
    assert (a["substate"], a["Exit_status"]) == ("93", "7")
    assert a["comment"].endswith(" and failed")
    a = finished(cluster, killed)
    assert a["substate"] == "91"
    assert " and terminated by %s@" % USER1 in a["comment"]
    a = finished(cluster, queued)
    assert a["substate"] == "91" and "Exit_status" not in a
    assert "terminated by root@" in a["comment"]


def test_who_sees_it(cluster):
    jid = submitted(cluster, "-h", "--", "/bin/true")
    lives = submitted(cluster, "-h", "--", "/bin/true")
    cluster.run(["qdel", jid], user=USER1)
    code, out, err = said(cluster, "qstat", jid)
    assert (code, out) == (35, "")
    assert err == ("qstat: %s Job has finished, use -x or -H to obtain historical job "
                   "information\n" % jid)
    assert jid not in said(cluster, "qstat")[1]
    lines = said(cluster, "qstat", "-x")[1].splitlines()
    ids = [line.split()[0] for line in lines[2:]]
    # In the order in which they came, whatever has become of them.
    assert ids.index(lives) == ids.index(jid) + 1
    assert [line.split()[4] for line in lines if line.startswith(jid)] == ["F"]
    assert jid in said(cluster, "qstat", "-H")[1]
    assert lives not in said(cluster, "qstat", "-H")[1]
    assert jid in said(cluster, "qstat", "-x", "workq")[1]
    assert jid not in said(cluster, "qselect")[1].split()
    assert jid in said(cluster, "qselect", "-x")[1].split()
    assert jid in said(cluster, "qselect", "-H")[1].split()
    assert lives not in said(cluster, "qselect", "-H")[1].split()
    assert jid in said(cluster, "qselect", "-x", "-q", "workq", "-s", "F")[1].split()
    cluster.server.delete(lives)


def test_other_commands(cluster):
    """It is finished for all of them, and they say which job."""
    jid = submitted(cluster, "-h", "--", "/bin/true")
    other = submitted(cluster, "-h", "--", "/bin/true")
    cluster.run(["qdel", jid], user=USER1)
    for argv in (["qhold"], ["qrls"], ["qalter", "-p", "1"], ["qsig"], ["qmsg", "x"],
                 ["qmove", "workq"], ["qrerun"], ["qrun"]):
        code, out, err = said(cluster, *argv, jid, user="root")
        assert (out, err) == ("", "%s: Job has finished %s\n" % (argv[0], jid))
        assert code in (35, 2) and code != 0
    assert said(cluster, "qdel", jid) == (35, "", "qdel: Job has finished %s\n" % jid)
    cluster.server.delete(other)


def test_deletion_of_history(cluster):
    jid = submitted(cluster, "-h", "--", "/bin/true")
    cluster.run(["qdel", jid], user=USER1)
    assert said(cluster, "qdel", "-x", jid, user=USER2)[0] == 159
    assert said(cluster, "qdel", "-x", jid) == (0, "", "")
    assert said(cluster, "qstat", "-x", jid)[0] == 153
    cluster.server.log_match("Deleting job history upon request from %s@" % USER1)
    # A job that lives is deleted, and nothing is kept.
    jid = submitted(cluster, "--", "/bin/sleep", "1000")
    cluster.server.expect(JOB, {"job_state": "R", "substate": 42}, id=jid)
    assert said(cluster, "qdel", "-x", jid) == (0, "", "")
    wait_for("the job is gone", lambda: said(cluster, "qstat", "-x", jid)[0] == 153)
    cluster.server.log_match("%s;Also deleted job history" % jid)


def test_restart_and_expiry(cluster):
    """History outlives the server; when its time is over it goes, without anybody asking."""
    jid = submitted(cluster, "-h", "--", "/bin/true")
    cluster.run(["qdel", jid], user=USER1)
    cluster.server.restart()
    assert full(cluster, jid)["job_state"] == "F"
    cluster.server.manager(MGR_CMD_SET, SERVER, {"job_history_duration": "0"})
    wait_for("history is over", lambda: said(cluster, "qstat", "-x", jid)[0] == 153)
    cluster.server.manager(MGR_CMD_UNSET, SERVER, {"job_history_duration": None})
    jid = submitted(cluster, "-h", "--", "/bin/true")
    cluster.run(["qdel", jid], user=USER1)
    cluster.server.manager(MGR_CMD_SET, SERVER, {"job_history_enable": "False"})
    assert said(cluster, "qstat", "-x") == (
        0, "", "qstat: PBS is not configured to maintain job history \n")
    assert said(cluster, "qselect", "-x") == (
        0, "", "qselect: PBS is not configured to maintain job history\n")
    cluster.server.manager(MGR_CMD_SET, SERVER, {"job_history_enable": "True"})
    assert said(cluster, "qstat", "-x", jid)[0] == 153
