# SPDX-License-Identifier: Apache-2.0
"""States of reservations and what leads from one to the next (reservations.md 3), their start,
end and idle time (10), jobs in them (11), and what is lost while they end (12.7, 19)."""
import re
import signal
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *

needs_root = pytest.mark.skipif(ROOTLESS, reason="needs root: a second account")
ZONE = {"PBS_TZID": "UTC"}
REFUSED = "pbs_ralter: Request invalid for state of job"


def series(cluster, rule, start, duration, select="1:ncpus=2"):
    done = cluster.run(["pbs_rsub", "-R", Reservation.clock(start), "-D", str(duration), "-I",
                        "60", "-r", rule, "-l", "select=" + select], user=USER1, env=ZONE)
    assert done.stdout.endswith(" CONFIRMED\n")
    return done.stdout.split()[0]


def phase(server, rid):
    shown = server.status(RESV, rid)[0]
    return shown["reserve_state"], shown["reserve_substate"]


def commands(cluster):
    return [l.rsplit(" ", 1)[1] for l in cluster.server.log_lines()
            if "Scheduler sent command " in l]


def dying(cluster, **kwargs):
    """A reservation in BD: the MoM of its job hears nothing."""
    server = cluster.server
    rid = running_resv(server, start=2, **kwargs)
    jid = running_job(server, queue_of(rid))
    cluster.mom.send_signal(signal.SIGSTOP)
    server.delete(rid, user=USER1)
    server.expect(RESV, {"reserve_state": "RESV_BEING_DELETED"}, id=rid)
    return rid, jid


@pytest.fixture
def deaf(cluster):
    """Its MoM may be stopped by the test, and is awake at the end."""
    yield cluster
    cluster.mom.send_signal(signal.SIGCONT)


# 3.1: how states are written

def test_names_of_states(cluster):
    server = cluster.server
    letters = lambda rid: next(l.split()[3] for l in cluster.run(["pbs_rstat"]).stdout.splitlines()
                               if l.startswith(rid[:10]))
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    rid = server.submit(Reservation(select="5:ncpus=2", start=3600, duration=600))
    assert (letters(rid), phase(server, rid)) == ("UN", ("RESV_UNCONFIRMED", "1"))
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=rid)
    assert letters(rid) == "CO"
    set_offline(server, "vn[0]")
    server.expect(RESV, {"reserve_state": "RESV_DEGRADED", "reserve_substate": 10}, id=rid)
    assert letters(rid) == "DG"
    set_free(server, "vn[0]")
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 2}, id=rid)
    cluster.scheduler.stop()
    cluster.run(["pbs_ralter", "-D", "300", rid], user=USER1)
    assert (letters(rid), phase(server, rid)) == ("AL", ("RESV_BEING_ALTERED", "2"))


# 10: start, end, idle

@pytest.mark.parametrize("job", [False, True])
def test_it_may_end_earlier_for_what_comes_after(cluster, job):
    """resv_post_processing_time: it ends that many seconds before its end, jobs too."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"resv_post_processing_time": 3590})
    rid = running_resv(server, select="1:ncpus=2", start=3, duration=3602)
    end = server.status(RESV, rid)[0]["reserve_end"]
    jid = running_job(server, queue_of(rid)) if job else None
    is_gone(server, RESV, rid)
    if job:
        is_gone(server, JOB, jid)
    line = server.accounting_match(";F;%s;" % rid)
    told = time.mktime(time.strptime(line.split(";")[0], "%m/%d/%Y %H:%M:%S"))
    assert told <= time.mktime(time.strptime(end, "%a %b %d %H:%M:%S %Y")) - 3590 + 30
    assert server.accounting_match(";K;%s;requestor=root@" % rid)


def test_idle_time_counts_while_no_job_is_there(cluster):
    """A waiting or held job keeps it; when the last one has gone the time begins anew."""
    server = cluster.server
    rid = confirmed(server, select="1:ncpus=2", start=3,
                    options=["-W", "delete_idle_time=3"])
    path = cluster.write_script(Job(sleep=1))
    jid = cluster.run(["qsub", "-q", queue_of(rid), "-h", "-o", "/dev/null", "-e", "/dev/null",
                       path], user=USER1).stdout.strip()
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)
    other = running_resv(server, select="1:ncpus=2", start=2,
                         options=["-W", "delete_idle_time=5"])
    is_gone(server, RESV, other)  # begun later, with more time: gone earlier
    assert phase(server, rid) == ("RESV_RUNNING", "5")
    cluster.run(["qdel", jid])
    is_gone(server, RESV, rid)
    server.log_match("0200;.*;Resv;%s;Deleting reservation after being idle for 3 seconds" % rid,
                     regexp=True)
    assert server.accounting_match(";K;%s;requestor=root@" % rid)


def test_an_unconfirmed_one_ends_at_its_end(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    rid = server.submit(Reservation(start=2, duration=2))
    is_gone(server, RESV, rid)
    letters = [l.split(";")[1] for l in server.accounting_lines() if ";%s;" % rid in l]
    assert letters == ["U", "K"]


def test_it_goes_with_its_last_job(deaf):
    """10.3, Beat this: not by looking again and again. Nothing else happens meanwhile."""
    server = deaf.server
    rid, jid = dying(deaf, select="1:ncpus=2")
    assert phase(server, rid)[0] == "RESV_BEING_DELETED"
    deaf.run(["qdel", "-W", "force", jid])
    is_gone(server, RESV, rid)
    lines = server.log_lines()
    last = max(i for i, l in enumerate(lines) if ";Job;%s;" % jid in l)
    purge = next(i for i, l in enumerate(lines)
                 if ";Que;%s;deleted at request" % queue_of(rid) in l)
    between = lines[min(last, purge):purge]
    assert not any(";Req;" in l for l in between), between  # in the same turn
    deaf.mom.send_signal(signal.SIGCONT)
    all_is_free(deaf)


# 3.3: one that is being deleted

def test_the_dying_are_left_alone(deaf):
    """12.7, Beat this: a vnode that goes and returns changes nothing, nobody is asked; no
    alteration is taken (13.4, Beat this)."""
    server = deaf.server
    retry_soon(server, 1)
    rid, jid = dying(deaf, select="1:ncpus=2")
    (vnode,) = resv_nodes(server, rid)
    before, n = phase(server, rid), len(commands(deaf))
    set_offline(server, vnode)
    server.expect(VNODE, {"state": (MATCH_RE, "offline")}, id=vnode)
    assert phase(server, rid) == before
    for argv in (["-D", "900"], ["-E", Reservation.clock(4000)], ["-N", "x"], ["-U", "a"],
                 ["-l", "select=1:ncpus=1"]):
        done = deaf.run(["pbs_ralter"] + argv + [rid], user=USER1, check=False)
        assert (done.returncode, done.stderr.splitlines()[0]) == (15016 & 255, REFUSED), argv
    set_free(server, vnode)
    server.expect(VNODE, {"state": (MATCH_RE, "^(free|job|resv)")}, id=vnode)
    assert phase(server, rid) == before and "reserve_retry" not in server.status(RESV, rid)[0]
    assert "15" not in commands(deaf)[n:]
    with pytest.raises(PbsError) as e:
        server.submit(Job(attrs={"queue": queue_of(rid)}))
    assert "Queue is not enabled" in e.value.err
    deaf.run(["qdel", "-W", "force", jid])
    is_gone(server, RESV, rid)


def test_a_killed_server_goes_on_with_the_deletion(deaf):
    """19, Beat this: before its end too."""
    server = deaf.server
    rid, jid = dying(deaf, select="1:ncpus=2")
    server.kill()
    server.start()
    assert phase(server, rid)[0] == "RESV_BEING_DELETED"
    assert resv_nodes(server, rid)
    deaf.run(["qdel", "-W", "force", jid])
    is_gone(server, RESV, rid)
    assert len([l for l in server.accounting_lines() if re.search(";[kK];%s;" % rid, l)]) == 1
    deaf.mom.send_signal(signal.SIGCONT)
    all_is_free(deaf)


# 1: the stored kind decides

@needs_root
def test_maintenance_is_maintenance_by_any_name(cluster):
    """1, Beat this: R5 for M5 opens nothing."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"operators": ("+=", USER2 + "@*")})
    done = cluster.run(["pbs_rsub", "--hosts", cluster.host, "-R", Reservation.clock(3600), "-D",
                        "60"], user=USER2, check=False)
    assert done.returncode == 0, done.stderr
    mid = done.stdout.split()[0]
    # Its owner is an operator no more: that it is his own is not enough.
    server.manager(MGR_CMD_UNSET, SERVER, {"operators": ""})
    for name in (mid, "R" + mid[1:], "S" + mid[1:], "R" + mid[1:].split(".")[0]):
        for argv in (["pbs_rdel", name], ["pbs_ralter", "-N", "x", name],
                     ["pbs_ralter", "-D", "90", name]):
            for user in (USER1, USER2):
                done = cluster.run(argv, user=user, check=False)
                assert done.returncode == 15007 & 255, (argv, user, done.stderr)
    server.manager(MGR_CMD_SET, SERVER, {"operators": USER2 + "@*"})
    assert server.status(RESV, mid)[0]["Reserve_Name"] == "NULL"
    cluster.run(["pbs_rdel", "R" + mid[1:]], user=USER2)
    is_gone(server, RESV, mid)


# 9: series

def test_altering_a_later_occurrence(cluster):
    """7.4 and 9.7, Beat this: the second of three is altered; it stays the second, the third
    is as the rule says."""
    server = cluster.server
    start = int(time.time()) + 4
    rid = series(cluster, "FREQ=SECONDLY;COUNT=3;INTERVAL=15", start, 1)
    server.expect(RESV, {"reserve_index": 2, "reserve_state": "RESV_CONFIRMED"}, id=rid)
    done = cluster.run(["pbs_ralter", "-R", Reservation.clock(start + 17), "-D", "3", "-I", "30",
                        rid], user=USER1)
    assert done.stdout.startswith("pbs_ralter: %s CONFIRMED" % rid)
    at = lambda o, name: int(time.mktime(time.strptime(o[name], "%a %b %d %H:%M:%S %Y")))
    shown = server.status(RESV, rid)[0]
    assert (shown["reserve_index"], at(shown, "reserve_start"), shown["reserve_duration"]) == \
        ("2", start + 17, "3")
    shown = server.expect(RESV, {"reserve_index": 3}, id=rid)
    assert (at(shown, "reserve_start"), shown["reserve_duration"], shown["reserve_count"]) == \
        (start + 30, "1", "3")
    is_gone(server, RESV, rid)
    begun = [int(re.search(r" start=(\d+)", l).group(1)) for l in server.accounting_lines()
             if ";B;%s;" % rid in l]
    assert begun == [start, start + 17, start + 30]


def test_a_healthy_occurrence_after_an_attempt_that_is_over(cluster):
    """9.5, Beat this: the next turn is CO/2 when an earlier attempt was cleared."""
    server = cluster.server
    retry_soon(server, 600)
    start = int(time.time()) + 8
    rid = series(cluster, "FREQ=SECONDLY;COUNT=3;INTERVAL=30", start, 1, select="5:ncpus=2")
    set_offline(server, "vn[1]")
    server.expect(RESV, {"reserve_substate": 10, "reserve_retry": (SET, None)}, id=rid)
    set_free(server, "vn[1]")
    server.expect(RESV, {"reserve_substate": 2, "reserve_retry": (UNSET, None)}, id=rid)
    shown = server.expect(RESV, {"reserve_index": 2}, id=rid)
    assert (shown["reserve_state"], shown["reserve_substate"]) == ("RESV_CONFIRMED", "2")
    assert "reserve_retry" not in shown


# 12: after an answer

def test_jobs_that_wait_run_right_after_a_reconfirmation(cluster):
    """12.5, Beat this: not after the next iteration of the scheduler."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduler_iteration": 3600})
    retry_soon(server, 3)
    rid = running_resv(server, select="2:ncpus=2", start=3)
    first = resv_nodes(server, rid)
    set_offline(server, first[0])
    server.expect(RESV, {"reserve_substate": 10}, id=rid)
    jid = server.submit(Job(attrs={"queue": queue_of(rid), "Resource_List.select": "2:ncpus=2"}))
    server.expect(RESV, {"reserve_substate": 5}, id=rid)
    server.expect(JOB, {"job_state": "R"}, id=jid)
    assert first[0] not in job_vnodes(server, jid)


def test_conflict_wakes_the_scheduler(cluster):
    """14.3, Beat this: one that loses vnodes to maintenance is given others at once."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduler_iteration": 3600,
                                         "operators": ("+=", USER2 + "@*")})
    for i in range(5):
        server.manager(MGR_CMD_SET, NODE, {"resources_available.host": "h%d" % i},
                       id="vn[%d]" % i)
    rid = confirmed(server, select="2:ncpus=2")
    lost = resv_nodes(server, rid)[0]
    cluster.run(["pbs_rsub", "--hosts", "h" + lost[3], "-R", Reservation.clock(3600), "-D", "60"],
                user=USER2)
    wait_for("other vnodes", lambda: lost not in resv_nodes(server, rid)
             and len(resv_nodes(server, rid)) == 2)
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 2}, id=rid)


def test_two_faults_of_one_vnode_count_once(cluster):
    """12.7, Beat this: offline, then down; when only one of the two is over it is not back."""
    server = cluster.server
    retry_soon(server, 3600)
    rid = running_resv(server, select="5:ncpus=2", start=3)
    set_offline(server, "vn[1]")
    server.expect(RESV, {"reserve_substate": 10}, id=rid)
    cluster.mom.stop()
    server.expect(VNODE, {"state": (MATCH_RE, "down")}, id="vn[1]")
    cluster.mom.start()
    server.expect(VNODE, {"state": (MATCH_RE, "^(?!.*down)")}, id="vn[0]")
    server.expect(VNODE, {"state": (MATCH_RE, "^(?!.*down).*offline")}, id="vn[1]")
    assert phase(server, rid) == ("RESV_RUNNING", "10")
    set_free(server, "vn[1]")
    server.expect(RESV, {"reserve_substate": 5, "reserve_retry": (UNSET, None)}, id=rid)


def test_an_attempt_that_was_cleared_is_not_made(cluster):
    """12.7, Beat this: the vnode is back before the attempt; nobody is woken for it."""
    server = cluster.server
    retry_soon(server, 2)
    rid = confirmed(server, select="5:ncpus=2")
    server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_time": 4})
    set_offline(server, "vn[1]")
    set_free(server, "vn[1]")
    server.expect(RESV, {"reserve_substate": 2, "reserve_retry": (UNSET, None)}, id=rid)
    other = running_resv(server, select="1:ncpus=0", start=7)  # later than the attempt
    assert other and "15" not in commands(cluster)
    cluster.scheduler.log_match("Reservation Failed to Reconfirm", existence=False)


def test_times_alone_move_nothing_that_runs(cluster):
    """25.4, Beat this: the vnodes stay and the books with them."""
    server = cluster.server
    first = confirmed(server, start=2, select="2:ncpus=2", duration=600)
    rid = running_resv(server, select="2:ncpus=2", start=2)
    held = resv_nodes(server, rid)
    server.delete(first)
    is_gone(server, RESV, first)
    done = cluster.run(["pbs_ralter", "-D", "900", "-I", "30", rid], user=USER1)
    assert done.stdout.startswith("pbs_ralter: %s CONFIRMED" % rid)
    assert resv_nodes(server, rid) == held
    for n in server.status(VNODE):
        assert n.get("resources_assigned.ncpus", "0") == ("2" if n["id"] in held else "0"), n
    server.delete(rid)
    is_gone(server, RESV, rid)
    all_is_free(cluster)


# 11: jobs

PLACES = [
    # of the reservation, of the job: refused?
    ("free", "excl", True), ("free", "exclhost", True), ("free:excl", "exclhost", True),
    ("free:excl", "excl", False), ("free:exclhost", "exclhost", False),
    ("free:exclhost", "excl", False), ("free", "shared", False), ("free:excl", "shared", False),
]


@pytest.fixture(scope="module")
def site():
    with Cluster() as c:
        yield c


@pytest.mark.parametrize("of_resv,of_job,refused", PLACES, ids=["%s, %s" % p[:2] for p in PLACES])
def test_a_job_is_no_more_exclusive_than_its_reservation(site, of_resv, of_job, refused):
    server = site.server
    rid = confirmed(server, options=["-l", "place=" + of_resv])
    done = site.run(["qsub", "-q", queue_of(rid), "-l", "select=1:ncpus=1", "-l",
                     "place=" + of_job, "--", "/bin/true"], user=USER1, check=False)
    if refused:
        assert (done.returncode, done.stderr.splitlines()[0]) == \
            (52, "qsub: job and reservation have conflicting specification Resource_List.place")
    else:
        assert done.returncode == 0, done.stderr
    server.delete(rid)
    is_gone(server, RESV, rid)


def test_the_door_is_the_sums_of_the_reservation(site):
    """Per job (15036); a longer walltime than the reservation's is none of its business."""
    server = site.server
    rid = confirmed(server, select="2:ncpus=2")
    with pytest.raises(PbsError) as e:
        server.submit(Job(attrs={"queue": queue_of(rid), "Resource_List.select": "5:ncpus=1"}))
    assert "qsub: Job violates queue and/or server resource limits" in e.value.err
    assert e.value.rc == 15036 & 255
    long = server.submit(Job(attrs={"queue": queue_of(rid), "Resource_List.walltime": "99:00:00"}))
    assert server.status(JOB, long)[0]["Resource_List.walltime"] == "99:00:00"
    server.delete(rid)
    is_gone(server, RESV, rid)
    is_gone(server, JOB, long)


def test_a_job_inherits_what_the_reservation_sums_up(site):
    server = site.server
    rid = running_resv(server, select="1:ncpus=2:mem=1gb", start=2)
    first = server.submit(Job(attrs={"queue": queue_of(rid),
                                     "Resource_List.select": "1:ncpus=1"}))
    shown = server.expect(JOB, {"job_state": "R"}, id=first)
    assert shown["Resource_List.mem"] == "1gb" and shown["reserve_ID"] == rid
    assert re.fullmatch(r"\(vn\[\d\]:ncpus=1\)", shown["exec_vnode"])
    second = server.submit(Job(attrs={"queue": queue_of(rid),
                                      "Resource_List.select": "1:ncpus=1"}))
    server.expect(JOB, {"comment": "Not Running: Insufficient amount of queue resource: mem "
                        "(R: 1gb A: 0kb T: 1gb)"}, id=second)
    server.delete(first)
    server.expect(JOB, {"job_state": "R"}, id=second)
    server.delete(rid)
    is_gone(server, RESV, rid)


def test_moving_in_and_out(site):
    server = site.server
    rid = confirmed(server, select="1:ncpus=2")
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    jid = server.submit(Job())
    site.run(["qmove", queue_of(rid), jid], user=USER1)
    shown = server.status(JOB, jid)[0]
    assert (shown["queue"], shown["reserve_ID"]) == (queue_of(rid), rid)
    site.run(["qmove", "workq", jid], user=USER1)
    shown = server.status(JOB, jid)[0]
    assert shown["queue"] == "workq" and "reserve_ID" not in shown
    assert len([l for l in server.accounting_lines() if ";Q;%s;" % jid in l]) == 3
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    site.run(["qdel", jid])
    server.delete(rid)
    is_gone(server, RESV, rid)


def test_a_manager_runs_a_job_before_the_start(site):
    server = site.server
    rid = confirmed(server, select="1:ncpus=2")
    jid = server.submit(Job(attrs={"queue": queue_of(rid)}))
    site.run(["qrun", jid])
    server.expect(JOB, {"job_state": "R", "substate": 42}, id=jid)
    server.delete(rid)
    is_gone(server, JOB, jid)
    is_gone(server, RESV, rid)
