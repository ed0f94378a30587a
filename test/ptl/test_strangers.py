# SPDX-License-Identifier: Apache-2.0
"""The story with our extensions switched off at each end: our scheduler at a server that has
none of them, and our server with a scheduler that has none (holdfast/plain.py stands between
them). Reservations are confirmed, begin, lose vnodes, are altered, forced and end as ever; what
only we understand is refused with its reason, and nothing of it is done."""
import os
import time

import pytest

from holdfast import *
from holdfast.plain import CONFIRM_RESV, REGISTER_SCHED, STATUS_CHANGES, Plain
from holdfast.services import wait_for
from story import *

NOT_TOLD = 2  # how a dry run ends that nobody can answer


@pytest.fixture
def cluster():
    with Cluster() as c:
        c.scheduler.stop()
        c.scheduler.socket = os.path.join(c.root, "between.sock")
        with Plain(c.scheduler.socket, os.path.join(c.home, "ipc", "server.sock")) as between:
            c.scheduler.start()
            yield c
            c.scheduler.stop()
        assert between.broken == []
        assert {REGISTER_SCHED, CONFIRM_RESV} <= between.asked
        assert STATUS_CHANGES not in between.asked


def run(cluster, *argv, user=USER1):
    done = cluster.run(list(argv), user=user, check=False, env={"PBS_TZID": "UTC"})
    return done.returncode, done.stdout, done.stderr


def ralter(cluster, rid, *options, user=USER1):
    """The first line of the answer."""
    rc, out, err = run(cluster, "pbs_ralter", "-I", "60", *options, rid, user=user)
    assert (rc, err) == (0, ""), (rc, out, err)
    return out.splitlines()[0]


def records(server, letter, rid):
    return [l for l in server.accounting_lines() if ";%s;%s;" % (letter, rid) in l]


def test_a_whole_life(cluster):
    """Jobs in it and outside; another one that does not fit beside it is denied."""
    server = cluster.server
    rid = running_resv(server, select="5:ncpus=2", duration=3600)
    other = Reservation(select="1:ncpus=1", start=600, duration=60, interactive=60)
    assert server.submit(other) and other.answer.endswith(" DENIED")
    jid = running_job(server, queue_of(rid))
    outside = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1"}))
    server.expect(JOB, {"job_state": "Q", "comment": (SET, None)}, id=outside)
    assert ralter(cluster, rid, "-E", Reservation.clock(6)).endswith(" CONFIRMED")
    is_gone(server, RESV, rid)
    is_gone(server, JOB, jid)
    server.expect(JOB, {"job_state": "R"}, id=outside)
    assert "".join(l for l in "UYBFK" if records(server, l, rid)) == "UYBFK"


def test_a_vnode_is_lost(cluster):
    """Of one that runs only that one is replaced, and waited for while a job is on it."""
    server, gate = cluster.server, Gate(cluster)
    retry_soon(server, 1)
    rid = running_resv(server, select="3:ncpus=2")
    before = resv_nodes(server, rid)
    jid = running_job(server, queue_of(rid), script=script_until(gate.path))
    (used,) = job_vnodes(server, jid)
    lost = next(v for v in before if v != used)
    set_offline(server, lost)
    wait_for("another vnode", lambda: lost not in resv_nodes(server, rid))
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5,
                         "reserve_retry": (UNSET, None)}, id=rid)
    assert set(before) - {lost} < set(resv_nodes(server, rid))
    assert len(records(server, "Y", rid)) == 2
    set_offline(server, used)
    cluster.scheduler.log_match("%s;PBS Failed to confirm resv: Reservation has running jobs in it"
                                % rid)
    assert used in resv_nodes(server, rid)
    gate.open()
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=rid)
    assert used not in resv_nodes(server, rid)


def test_before_the_start_it_moves(cluster):
    server = cluster.server
    retry_soon(server, 1)
    rid = confirmed(server, select="2:ncpus=2")
    (lost, _) = resv_nodes(server, rid)
    set_offline(server, lost)
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 2}, id=rid)
    assert lost not in resv_nodes(server, rid) and len(records(server, "Y", rid)) == 2


def test_alterations(cluster):
    server = cluster.server
    rid = confirmed(server, select="2:ncpus=2")
    start, end = window(server, rid)
    assert ralter(cluster, rid, "-D", "900") == "pbs_ralter: %s CONFIRMED" % rid
    assert window(server, rid) == (start, start + 900)
    assert ralter(cluster, rid, "-l", "select=1:ncpus=2", "-R", Reservation.clock(start + 60)) == \
        "pbs_ralter: %s CONFIRMED" % rid
    assert window(server, rid) == (start + 60, start + 900)
    assert len(resv_nodes(server, rid)) == 1 and len(records(server, "Y", rid)) == 3
    other = confirmed(server, select="5:ncpus=2", start=start + 900)
    before = server.status(RESV, rid)[0]
    assert ralter(cluster, rid, "-D", "1200", "-N", "other") == "pbs_ralter: %s DENIED" % rid
    assert server.status(RESV, rid)[0] == before
    assert ralter(cluster, rid, "-W", "force", "-D", "1200", user=None) == \
        "pbs_ralter: %s CONFIRMED" % rid
    assert server.status(RESV, rid)[0]["oversubscribed_resv"] == other
    rc, out, err = run(cluster, "pbs_ralter", "-l", "select=3:ncpus=2", rid)
    assert rc == 15183 & 255 and "must be made up of a subset" in err


def test_one_that_runs_is_altered_where_it_is(cluster):
    server = cluster.server
    rid = running_resv(server, select="3:ncpus=2")
    jid = running_job(server, queue_of(rid))
    held = resv_nodes(server, rid)
    assert ralter(cluster, rid, "-D", "1200").endswith(" CONFIRMED")
    assert resv_nodes(server, rid) == held
    assert ralter(cluster, rid, "-l", "select=1:ncpus=2").endswith(" CONFIRMED")
    assert resv_nodes(server, rid) == job_vnodes(server, jid)
    server.expect(JOB, {"job_state": "R"}, id=jid)


def test_an_answer_is_for_the_question_that_stands(cluster):
    """The server dies with a question open: an alteration is dropped, a new one is confirmed."""
    server = cluster.server
    rid = confirmed(server, select="2:ncpus=2")
    cluster.scheduler.stop()
    new = server.submit(Reservation(start=7200, duration=60))
    assert run(cluster, "pbs_ralter", "-D", "900", rid)[1].endswith(" ALTER REQUESTED\n")
    server.kill()
    server.start()
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_duration": "600"}, id=rid)
    server.expect(RESV, {"reserve_state": "RESV_UNCONFIRMED"}, id=new)
    cluster.scheduler.start()
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=new)
    assert ralter(cluster, rid, "-D", "900").endswith(" CONFIRMED")


def test_a_reservation_from_a_job(cluster):
    server = cluster.server
    jid = running_job(server, create_resv_from_job=1, **{"Resource_List.walltime": "0:10:00"})
    resv = wait_for("a reservation", lambda: server.status(RESV))[0]
    assert (resv["reserve_job"], resv["reserve_state"]) == (jid, "RESV_RUNNING")
    assert confirmed(server, select="4:ncpus=2", start=30)


def test_a_series(cluster):
    """All its occurrences are promised; the current one is altered; one of its index is not,
    since the scheduler would take that for the current one."""
    server = cluster.server
    day, start = 86400, int(time.time()) + 3600
    rc, out, err = run(cluster, "pbs_rsub", "-I", "60", "-R", Reservation.clock(start), "-D", "600",
                       "-l", "select=3:ncpus=2", "-r", "FREQ=DAILY;COUNT=3")
    assert out.endswith(" CONFIRMED\n"), (out, err)
    rid = out.split()[0]
    for i in range(3):
        other = Reservation(select="3:ncpus=2", start=start + i * day, duration=60, interactive=60)
        assert server.submit(other) and other.answer.endswith(" DENIED"), i
    assert ralter(cluster, rid, "-D", "900").endswith(" CONFIRMED")
    third = rid.replace(".", "[3].", 1)
    rc, out, err = run(cluster, "pbs_ralter", "-D", "900", third)
    assert (rc, out) == (15029 & 255, "") and "No support for requested service" in err
    # It is deleted all the same, since nobody has to be asked. (The scheduler reckons with the
    # dates of the rule, and goes on promising its vnodes to nobody: doc/design/052.)
    rc, out, err = run(cluster, "pbs_rdel", third)
    assert (rc, err) == (0, "")
    rc, out, err = run(cluster, "pbs_rstat", "-B", rid.replace(".", "[].", 1))
    assert out.split() == ["Resv", "ID:", rid.replace(".", "[1].", 1), "Resv", "ID:",
                           rid.replace(".", "[2].", 1)]


def test_what_only_ours_can_tell_is_refused(cluster):
    """A dry run would be a real run for a stranger; nobody is moved by one."""
    server = cluster.server
    rid = confirmed(server, select="5:ncpus=2")
    _, end = window(server, rid)
    behind = confirmed(server, select="5:ncpus=2", start=end)
    longer = Reservation.clock(end + 300)
    before = server.status(RESV), server.accounting_lines()
    for argv in (["pbs_rsub", "--dry-run", "-R", Reservation.clock(60), "-D", "60"],
                 ["pbs_ralter", "--dry-run", "-D", "60", rid],
                 ["pbs_ralter", "--dry-run", "--push", "-E", longer, rid]):
        rc, out, err = run(cluster, *argv, user=None if "--push" in argv else USER1)
        assert (rc, out) == (NOT_TOLD, ""), (argv, out, err)
        assert "scheduler default knows of no dry runs" in err, err
    assert ralter(cluster, rid, "--push", "-E", longer, user=None) == "pbs_ralter: %s DENIED" % rid
    assert (server.status(RESV), server.accounting_lines()) == before
    # What needs no scheduler is told and done all the same.
    rc, out, err = run(cluster, "pbs_rdel", "--dry-run", behind)
    assert rc == 0 and out.startswith(behind + " WOULD BE DELETED"), (out, err)
