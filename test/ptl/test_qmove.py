# SPDX-License-Identifier: Apache-2.0
"""pbs_rsub -W qmove: a reservation for a job that waits, at the first start at which it fits."""
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from holdfast import *

HOUR = 3600


@pytest.fixture
def cluster():
    with Cluster(vnodes=2, mock=True) as c:
        yield c


def job(cluster, select="1:ncpus=1", walltime="00:10:00", user=USER1, **more):
    attrs = {"Resource_List.select": select, **more}
    if walltime:
        attrs["Resource_List.walltime"] = walltime
    return cluster.server.submit(Job(user=user, attrs=attrs))


def qmove(cluster, jid, *options, user=USER1):
    done = cluster.run(["pbs_rsub"] + list(options) + ["-W", "qmove=" + jid], user=user,
                       check=False, env={"PBS_TZID": "UTC"})
    return done.returncode, done.stdout.strip(), done.stderr


def full(cluster, walltime="01:00:00"):
    """A job that has all vnodes."""
    n = sum(int(v.get("resources_available.ncpus", 0)) > 0
            for v in cluster.server.status(VNODE))
    jid = job(cluster, "%d:ncpus=1" % n, walltime, **{"Resource_List.place": "vscatter:excl"})
    return cluster.server.expect(JOB, {"job_state": "R"}, id=jid)


def started_at(obj):
    return time.mktime(time.strptime(obj["stime"]))


def start_of(cluster, rid):
    return time.mktime(time.strptime(cluster.server.status(RESV, id=rid)[0]["reserve_start"]))


def test_now_when_there_is_room(cluster):
    server = cluster.server
    jid = cluster.run(["qsub", "-h", "-l", "select=1:ncpus=1", "-l", "walltime=00:10:00", "--",
                       "/bin/sleep", "100"], user=USER1).stdout.strip()
    code, out, err = qmove(cluster, jid)
    assert (code, err) == (0, "") and re.fullmatch(r"R\d+\.\S+ CONFIRMED", out), (out, err)
    rid = out.split()[0]
    queue = rid.split(".")[0]
    shown = server.status(RESV, id=rid)[0]
    assert abs(start_of(cluster, rid) - time.time()) < 60
    assert (shown["reserve_duration"], shown["delete_idle_time"]) == ("600", "00:10:00")
    assert shown["qmove"] == jid
    moved = server.expect(JOB, {"queue": queue}, id=jid)
    assert moved["job_state"] == "H" and moved["reserve_ID"] == rid
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)
    assert server.accounting_match(";U;%s;" % rid)
    assert "Interactive=-10" in server.accounting_match(";U;%s;" % rid)
    assert server.accounting_match(";Y;%s;" % rid)
    assert server.accounting_match(";Q;%s;.*queue=%s\\b" % (re.escape(jid), queue), regexp=True)


def test_behind_what_runs(cluster):
    server = cluster.server
    busy = full(cluster)
    jid = job(cluster, "2:ncpus=1", "00:05:00")
    server.expect(JOB, {"job_state": "Q"}, id=jid)
    code, out, err = qmove(cluster, jid)
    assert (code, err) == (0, ""), err
    rid = out.split()[0]
    assert out == rid + " CONFIRMED"
    assert start_of(cluster, rid) == started_at(busy) + HOUR
    server.expect(JOB, {"queue": rid.split(".")[0], "job_state": "Q"}, id=jid)
    # The next one, which needs what the first one has, comes behind it.
    late = job(cluster, "2:ncpus=1", "00:05:00", **{"Resource_List.place": "vscatter:excl"})
    out = qmove(cluster, late)[1]
    assert out.endswith(" CONFIRMED")
    assert start_of(cluster, out.split()[0]) == started_at(busy) + HOUR + 300


def test_the_job_runs_in_it(cluster):
    server = cluster.server
    busy = full(cluster, "00:00:05")["id"]
    jid = job(cluster, "2:ncpus=1", "00:05:00")
    code, out, err = qmove(cluster, jid)
    rid = out.split()[0]
    assert out == rid + " CONFIRMED", err
    server.expect(JOB, "job_state", id=busy, op=UNSET)
    server.expect(JOB, {"job_state": "R", "queue": rid.split(".")[0]}, id=jid)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)


def in_background(fn, *args):
    return ThreadPoolExecutor(1).submit(fn, *args)


def ask_and_wait(cluster, wait):
    """A question that is open while the scheduler stands still: job, reservation, answer."""
    server = cluster.server
    full(cluster)
    jid = job(cluster)
    server.expect(JOB, {"comment": (SET, None)}, id=jid)
    server.expect(SERVER, {"server_state": "Active"})
    cluster.scheduler.send_signal(signal.SIGSTOP)
    waiting = in_background(qmove, cluster, jid, "-I", wait)
    server.expect(RESV, {"reserve_state": "RESV_UNCONFIRMED"})
    return jid, server.status(RESV)[0]["id"], waiting


def test_the_job_goes_meanwhile(cluster):
    """The scheduler's yes comes when the job is gone: the reservation ends."""
    server, sched = cluster.server, cluster.scheduler
    jid, rid, waiting = ask_and_wait(cluster, "-60")
    server.delete(jid)
    sched.send_signal(signal.SIGCONT)
    assert waiting.result(60)[1] == rid + " FAILED"
    server.expect(RESV, "reserve_state", id=rid, op=UNSET)


def test_nobody_answers(cluster):
    full(cluster)
    jid = job(cluster)
    cluster.scheduler.stop()
    code, out, err = qmove(cluster, jid, "-I", "-2")
    assert out.endswith(" delete, wait period expired"), (code, out, err)
    assert cluster.server.status(JOB, id=jid)[0]["queue"] == "workq"
    assert cluster.server.status(RESV) == []


def test_over_a_restart(cluster):
    """The server is killed while the question is open, and once more behind the answer."""
    server, sched = cluster.server, cluster.scheduler
    jid, rid, waiting = ask_and_wait(cluster, "-600")
    server.kill()
    assert waiting.result(60)[0] != 0
    server.start()
    sched.send_signal(signal.SIGCONT)
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=rid)
    server.kill()
    server.start()
    server.expect(JOB, {"queue": rid.split(".")[0], "reserve_ID": rid}, id=jid)
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=rid)


def test_the_scheduler_dies_meanwhile(cluster):
    """It is killed while the question is open; the next one is asked again."""
    server, sched = cluster.server, cluster.scheduler
    jid, rid, waiting = ask_and_wait(cluster, "-600")
    sched.kill()
    sched.start()
    assert waiting.result(60)[1] == rid + " CONFIRMED"
    server.expect(JOB, {"queue": rid.split(".")[0]}, id=jid)


def test_the_reservation_is_deleted_meanwhile(cluster):
    server, sched = cluster.server, cluster.scheduler
    jid, rid, waiting = ask_and_wait(cluster, "-600")
    server.delete(rid)
    waiting.result(60)
    sched.send_signal(signal.SIGCONT)
    server.expect(RESV, "reserve_state", id=rid, op=UNSET)
    assert server.status(JOB, id=jid)[0]["queue"] == "workq"


def test_refusals(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    jid = job(cluster)
    no_time = job(cluster, walltime=None)
    others = job(cluster, user=USER2)
    rows = [
        (["-R", Reservation.clock(600)], jid, 2, "-Wqmove is not compatible with -R or -E option"),
        (["-E", Reservation.clock(600)], jid, 2, "-Wqmove is not compatible with -R or -E option"),
        (["-I", "5"], jid, 2, "-I <timeout> value must be negative when used with -Wqmove option."),
        ([], "x1", 255, "illegally formed job identifier: x1"),
        ([], "777." + jid.split(".", 1)[1], 2, "Job 777.localhost does not exist"),
        ([], others, 15007 & 255, "^pbs_rsub: Unauthorized Request *$"),
        (["-r", "FREQ=DAILY;COUNT=2"], jid, 15029 & 255, "No support for requested service"),
    ]
    for options, job_id, code, text in rows:
        got = qmove(cluster, job_id, *options)
        assert re.search(text.replace("<", "[<]"), got[2]) and got[1] == "", (options, got)
        assert got[0] == code, got
    code, out, err = qmove(cluster, no_time)
    assert (code, out) == (15086 & 255, "") and "Bad time specification" in err, (code, err)
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    server.expect(JOB, {"job_state": "R"}, id=jid)
    assert qmove(cluster, jid) == (2, "", "Job not in qmove state\n")
    assert server.status(RESV) == []
