# SPDX-License-Identifier: Apache-2.0
"""Jobs that wait for jobs of another server (RegistDep, wire.md 14), on two real servers."""
import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.two_servers import *

pytestmark = needs_root


def first(b, *options):
    """A job of beta that is held until somebody lets it go."""
    return b.run(["qsub", "-h"] + list(options) + ["--", "/bin/true"], user=USER1).stdout.strip()


def waits(a, b, kind, jid, check=True):
    """A job of alpha that waits for that one of beta; its id, or exit status and words."""
    done = a.run(["qsub", "-W", "depend=%s:%s@%s" % (kind, jid, b.host), "--", "/bin/true"],
                 user=USER1, check=False)
    if not check:
        return done.returncode, done.stderr.splitlines()[:1]
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def delete(b, jid):
    b.run(["qdel", jid + "@" + b.host], user=USER1)


def run(b, jid):
    b.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    b.run(["qrls", jid + "@" + b.host], user=USER1)
    wait_for("the end of " + jid, lambda: state(b, jid) == "F")


def test_a_job_is_let_go(two):
    a, b = two
    jid = first(b)
    mine = waits(a, b, "afterok", jid)
    here = full(a, mine)
    assert (here["job_state"], here["substate"], here["Hold_Types"]) == ("H", "22", "s")
    assert here["depend"] == "afterok:%s@%s" % (jid, b.host)
    assert full(b, jid)["depend"].startswith("beforeok:%s@" % mine)
    run(b, jid)
    wait_for("its release", lambda: state(a, mine) == "Q")
    assert full(a, mine)["Hold_Types"] == "n"
    assert "depend" not in full(a, mine)


def test_a_job_is_deleted(two):
    a, b = two
    jid = first(b)
    mine = waits(a, b, "afterok", jid)
    delete(b, jid)
    a.server.accounting_match(";A;%s;Job deleted as result of dependency on job %s" % (mine, jid))
    wait_for("its end", lambda: state(a, mine) == "F")


def test_unknown_jobs_are_refused_at_once(two):
    a, b = two
    jid = first(b)
    assert waits(a, b, "afterok", "99999." + b.host, check=False) == (
        206, ["qsub: Invalid Job Dependency"])
    delete(b, jid)
    wait_for("its end", lambda: state(b, jid) == "F")
    assert waits(a, b, "afterok", jid, check=False) == (
        125, ["qsub: Finished job did not satisfy dependency"])
    mine = waits(a, b, "afternotok", jid)
    wait_for("its release", lambda: state(a, mine) == "Q")
    b.server.stop()
    try:
        code, words = waits(a, b, "afterok", jid, check=False)
        assert code != 0 and "Cannot connect to server" in words[0], words
    finally:
        b.server.start()
    assert [j["id"] for j in a.server.status(JOB)] == [mine]


def test_an_alteration_registers_too(two):
    a, b = two
    jid = first(b)
    mine = a.run(["qsub", "--", "/bin/true"], user=USER1).stdout.strip()
    a.run(["qalter", "-W", "depend=afterany:%s@%s" % (jid, b.host), mine], user=USER1)
    assert state(a, mine) == "H"
    delete(b, jid)
    wait_for("its release", lambda: state(a, mine) == "Q")


def ends_beside_a_death(dead, awaited, jid, waiting, mine):
    """The server 'dead' is killed; the job 'jid' of the server 'awaited' ends, and lets 'mine' of
    the server 'waiting' go when both are there again."""
    dead.server.kill()
    if dead is awaited:
        dead.server.start()
    delete(awaited, jid)
    if dead is waiting:
        wait_for("its end", lambda: state(awaited, jid) == "F")
        dead.server.start()
    wait_for("its release", lambda: state(waiting, mine) == "Q", 150)


@pytest.mark.parametrize("victim", ["waiting", "awaited"])
def test_a_server_dies_in_between(two, victim):
    """Killed after the registration; the other job ends while the waiting server is down."""
    a, b = two
    jid = first(b)
    mine = waits(a, b, "afterany", jid)
    ends_beside_a_death(a if victim == "waiting" else b, b, jid, a, mine)


def test_a_job_that_is_awaited_stays(two):
    a, b = two
    jid = first(b)
    mine = waits(a, b, "afterok", jid)
    done = b.run(["qmove", "workq@" + a.address, jid], user=USER1, check=False)
    assert done.stderr.startswith("qmove: No support for requested service"), done.stderr
    assert state(a, mine) == "H"


def comes_before(a, b, kind, jid, *options):
    """A job of alpha for which that one of beta is to wait."""
    done = a.run(["qsub", "-h", *options, "-W", "depend=%s:%s@%s" % (kind, jid, b.host), "--",
                  "/bin/true"], user=USER1, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def queued(b):
    return b.run(["qsub", "--", "/bin/true"], user=USER1).stdout.strip()


def test_a_job_of_the_other_server_waits(two):
    a, b = two
    jid = queued(b)
    mine = comes_before(a, b, "beforeok", jid)
    there = full(b, jid)
    assert (there["job_state"], there["substate"], there["Hold_Types"]) == ("H", "22", "s")
    assert there["depend"].startswith("afterok:%s@" % mine)
    assert full(a, mine)["depend"] == "beforeok:%s@%s" % (jid, b.host)
    run(a, mine)
    wait_for("its release", lambda: state(b, jid) == "Q")
    assert "depend" not in full(b, jid)


def test_a_job_of_the_other_server_is_deleted(two):
    a, b = two
    jid = queued(b)
    mine = comes_before(a, b, "before", jid)
    delete(a, mine)
    b.server.accounting_match(";A;%s;Job deleted as result of dependency on job %s" % (jid, mine))
    wait_for("its end", lambda: state(b, jid) == "F")


@pytest.mark.parametrize("victim", ["first", "second"])
def test_a_server_dies_between_registration_and_release(two, victim):
    """Each of the servers in turn, right after the answer, and again while the other one tells it."""
    a, b = two
    jid = queued(b)
    mine = comes_before(a, b, "beforeany", jid)
    ends_beside_a_death(a if victim == "first" else b, a, mine, b, jid)
    releases = [l for l in b.server.accounting_lines() if ";%s;" % jid in l and ";A;" in l]
    assert releases == []


def test_what_cannot_wait_there_is_refused(two):
    a, b = two
    jid = first(b)
    for kind, target, code, words in (("before", "99999." + b.host, 206, "Invalid Job Dependency"),
                                      ("runone", jid, 206,
                                       "Invalid Job Dependency: all jobs of a runone set have to be "
                                       "at one server, and job %s@%s is at another one"
                                       % (jid, b.host))):
        assert waits(a, b, kind, target, check=False) == (code, ["qsub: " + words]), kind
    done = a.run(["qsub", "-W", "depend=before:%s@%s" % (jid, b.host), "--", "/bin/true"], user=USER2,
                 check=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == (206, "qsub: Invalid Job Dependency")
    mine = waits(a, b, "after", jid)
    done = a.run(["qalter", "-W", "depend=after:%s@%s,before:%s@%s" % (jid, b.host, jid, b.host), mine],
                 user=USER1, check=False)
    assert done.stderr.startswith("qalter: Invalid Job Dependency"), done.stderr
    done = b.run(["qalter", "-W", "depend=after:%s@%s" % (mine, a.host), jid], user=USER1, check=False)
    assert done.stderr.startswith("qalter: Invalid Job Dependency"), done.stderr
    assert "depend" not in full(b, jid) or full(b, jid)["depend"].startswith("before")


def test_a_circle_through_both_servers_is_refused(two):
    """Each server is asked what its jobs wait for (StatusJob on a connection of a server)."""
    a, b = two
    last = queued(b)
    second = waits(a, b, "afterok", last)
    third = waits(b, a, "afterok", second)
    first_ = waits(a, b, "afterok", third)
    done = b.run(["qalter", "-W", "depend=afterok:%s@%s" % (first_, a.host), last], user=USER1,
                 check=False)
    assert done.stderr.startswith("qalter: Invalid Job Dependency"), done.stderr
    assert state(b, last) == "Q"


def test_a_number_is_counted_down_over_servers(two):
    a, b = two
    jid = b.run(["qsub", "-W", "depend=on:2", "--", "/bin/true"], user=USER1).stdout.strip()
    far = comes_before(a, b, "beforeany", jid)
    assert full(b, jid)["depend"].startswith("on:1,afterany:%s@" % far)
    near = b.run(["qsub", "-h", "-W", "depend=beforeany:" + jid, "--", "/bin/true"],
                 user=USER1).stdout.strip()
    assert "on:" not in full(b, jid)["depend"]
    delete(a, far)
    delete(b, near)
    wait_for("its release", lambda: state(b, jid) == "Q")


def test_arrays_wait_and_are_awaited_over_servers(two):
    a, b = two
    there = first(b, "-J", "1-2")
    mine = waits(a, b, "afterok", there)
    array = a.run(["qsub", "-J", "1-2", "-W", "depend=afterany:%s@%s" % (there, b.host), "--",
                   "/bin/true"], user=USER1).stdout.strip()
    assert (state(a, mine), state(a, array)) == ("H", "H")
    run(b, there)
    wait_for("the job's release", lambda: state(a, mine) == "Q")
    wait_for("the array's release", lambda: state(a, array) == "Q")
