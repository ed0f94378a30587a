# SPDX-License-Identifier: Apache-2.0
"""qsub -W depend and qalter -W depend on real daemons: what is refused at once, who is held, who
is let go, and who is deleted."""
import pytest

from holdfast import *
from holdfast.services import wait_for


@pytest.fixture(scope="module")
def cluster():
    """Its MoM runs processes."""
    with Cluster(vnodes=3) as c:
        yield c


def said(cluster, *argv, user=USER1):
    done = cluster.run(list(argv), user=user, check=False)
    return done.returncode, done.stdout, done.stderr.splitlines()[:1]


def submitted(cluster, *argv, user=USER1):
    return cluster.run(["qsub", "-l", "select=1:ncpus=1", *argv], user=user).stdout.strip()


def value(cluster, jid, name):
    return cluster.server.status(JOB, id=jid)[0].get(name)


def gone(cluster, jid):
    wait_for("the end of " + jid, lambda: said(cluster, "qstat", jid)[0] == 153)


def test_refused_at_once(cluster):
    """PBS takes such a job and deletes it later without a word."""
    assert said(cluster, "qsub", "-W", "depend=afterok:99999", "--", "/bin/true") == (
        206, "", ["qsub: Invalid Job Dependency"])
    jid = submitted(cluster, "-h", "--", "/bin/true")
    code, out, err = said(cluster, "qalter", "-W", "depend=afterok:99999", jid)
    assert (code, out, err) == (206, "", ["qalter: Invalid Job Dependency " + jid])
    assert value(cluster, jid, "job_state") == "H"
    # A circle of two.
    other = submitted(cluster, "-W", "depend=afterany:" + jid, "--", "/bin/true")
    assert said(cluster, "qalter", "-W", "depend=afterok:" + other, jid)[0] == 206
    cluster.server.delete(other)
    cluster.server.delete(jid)


def test_ends(cluster):
    first = submitted(cluster, "-h", "--", "/bin/true")
    ok = submitted(cluster, "-W", "depend=afterok:" + first, "--", "/bin/sleep", "1000")
    notok = submitted(cluster, "-W", "depend=afternotok:" + first, "--", "/bin/true")
    both = submitted(cluster, "-h", "-W", "depend=afterany:%s:%s" % (first, ok), "--",
                     "/bin/true")
    name = first.split(".", 1)[1]
    for jid in (ok, notok, both):
        assert value(cluster, jid, "job_state") == "H"
        assert value(cluster, jid, "substate") == "22"
    assert value(cluster, ok, "Hold_Types") == "s"
    assert value(cluster, both, "Hold_Types") == "su"
    assert value(cluster, ok, "depend") == "afterok:%s@%s,beforeany:%s@%s" % (
        first, name, both, name)
    # An administrator cannot make it run, nor release it.
    assert said(cluster, "qrun", ok, user="root")[0] != 0
    cluster.run(["qrls", "-h", "s", ok], user="root")
    assert value(cluster, ok, "job_state") == "H"
    cluster.run(["qrls", first], user=USER1)
    cluster.server.expect(JOB, {"job_state": "R"}, id=ok)
    gone(cluster, notok)
    cluster.server.log_match("%s;Job deleted as result of dependency on job %s" % (notok, first))
    cluster.server.accounting_match(
        "A;%s;Job deleted as result of dependency on job %s" % (notok, first))
    cluster.run(["qdel", ok], user=USER1)
    wait_for("the release", lambda: value(cluster, both, "substate") == "20")
    assert value(cluster, both, "Hold_Types") == "u"
    assert value(cluster, both, "depend") is None
    cluster.server.delete(both)


def test_before_and_on(cluster):
    late = submitted(cluster, "-W", "depend=on:1", "--", "/bin/sleep", "1000")
    assert value(cluster, late, "substate") == "22"
    early = submitted(cluster, "-W", "depend=before:" + late, "--", "/bin/sleep", "1000")
    cluster.server.expect(JOB, {"job_state": "R"}, id=early)
    cluster.server.expect(JOB, {"job_state": "R"}, id=late)
    cluster.server.delete(early)
    cluster.server.delete(late)


def test_one_of_a_set(cluster):
    a = submitted(cluster, "-h", "--", "/bin/sleep", "1000")
    b = submitted(cluster, "-W", "depend=runone:" + a, "--", "/bin/true")
    wait_for("the end of the set", lambda: said(cluster, "qstat", a)[0] == 153)
    gone(cluster, b)


def test_what_is_over(cluster):
    cluster.server.manager(MGR_CMD_SET, SERVER, {"job_history_enable": "True"})
    first = submitted(cluster, "--", "/bin/true")
    wait_for("the end", lambda: said(cluster, "qstat", first)[0] == 35)
    assert said(cluster, "qsub", "-W", "depend=afternotok:" + first, "--", "/bin/true") == (
        125, "", ["qsub: Finished job did not satisfy dependency"])
    jid = submitted(cluster, "-h", "-W", "depend=afterok:" + first, "--", "/bin/true")
    assert value(cluster, jid, "substate") == "20"
    assert value(cluster, jid, "depend") is None
    cluster.server.delete(jid)
    cluster.server.manager(MGR_CMD_SET, SERVER, {"job_history_enable": "False"})


def test_a_restart_in_between(cluster):
    first = submitted(cluster, "--", "/bin/sleep", "1000")
    cluster.server.expect(JOB, {"job_state": "R", "substate": 42}, id=first)
    waits = submitted(cluster, "-W", "depend=afterany:" + first, "--", "/bin/sleep", "1000")
    cluster.server.kill()
    cluster.server.start()
    assert value(cluster, waits, "substate") == "22"
    cluster.run(["qdel", first], user=USER1)
    cluster.server.expect(JOB, {"job_state": "R"}, id=waits)
    cluster.server.delete(waits)
