# SPDX-License-Identifier: Apache-2.0
"""pbs_ralter: times, chunks, force, and who may not (story, the second half)."""
import os
import re
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *

MANAGER = None  # who runs the tests
HEALTH = ("reserve_retry",)  # attempts go on meanwhile


def ralter(cluster, rid, *options, user=USER1):
    """What pbs_ralter does: return code, stdout, stderr."""
    done = cluster.run(["pbs_ralter"] + list(options) + [rid], user=user, check=False)
    return done.returncode, done.stdout, done.stderr


def granted(cluster, rid, *options, user=USER1):
    done = ralter(cluster, rid, "-I", "60", *options, user=user)
    assert done == (0, "pbs_ralter: %s CONFIRMED\n" % rid, ""), done


def denied(cluster, rid, *options, user=USER1):
    """Denied, with nothing changed, of it and of its queue; the reason."""
    def look():
        resv = {k: v for k, v in cluster.server.status(RESV, rid)[0].items() if k not in HEALTH}
        return resv, cluster.server.status(QUEUE, queue_of(rid))[0]
    before = look()
    rc, out, err = ralter(cluster, rid, "-I", "60", *options, user=user)
    lines = out.splitlines()
    assert (rc, lines[0], err) == (0, "pbs_ralter: %s DENIED" % rid, ""), (rc, out, err)
    assert look() == before
    cluster.server.log_match("%s;Reservation alter denied" % rid)
    assert len(lines) == 2 and lines[1].startswith("pbs_ralter: reason: ")
    return lines[1][len("pbs_ralter: reason: "):]


def refused(cluster, rid, rc, text, *options, user=USER1):
    before = cluster.server.status(RESV, rid)[0]
    code, out, err = ralter(cluster, rid, *options, user=user)
    assert (code, out) == (rc, "") and text in err, (code, out, err)
    assert cluster.server.status(RESV, rid)[0] == before


def at(server, rid, name):
    """A time of the reservation as a number."""
    text = server.status(RESV, rid)[0][name]
    return int(time.mktime(time.strptime(text, "%a %b %d %H:%M:%S %Y")))


def waiting(server, start=3600, **kwargs):
    kwargs.setdefault("select", "2:ncpus=2")
    kwargs.setdefault("duration", 600)
    return server.submit(Reservation(start=start, interactive=60, **kwargs))


def y_records(server, rid):
    return [l for l in server.accounting_lines() if ";Y;%s;" % rid in l]


def alone(server, rid):
    """Put a reservation of all other vnodes right behind this one."""
    return waiting(server, start=at(server, rid, "reserve_end"), select="5:ncpus=2")


# --- before the start ---

def test_times_of_a_waiting_one(cluster):
    server = cluster.server
    rid = waiting(server)
    start, end = at(server, rid, "reserve_start"), at(server, rid, "reserve_end")
    granted(cluster, rid, "-D", "900")
    assert at(server, rid, "reserve_start") == start
    assert at(server, rid, "reserve_end") == start + 900
    granted(cluster, rid, "-E", Reservation.clock(end + 1800))
    assert at(server, rid, "reserve_end") == end + 1800
    granted(cluster, rid, "-R", Reservation.clock(start + 600))
    assert at(server, rid, "reserve_start") == start + 600
    assert at(server, rid, "reserve_end") == end + 1800
    granted(cluster, rid, "-R", Reservation.clock(start + 60), "-D", "01:00")
    resv = server.status(RESV, rid)[0]
    assert resv["reserve_duration"] == "60" and resv["Resource_List.walltime"] == "00:01:00"
    granted(cluster, rid, "-E", Reservation.clock(end + 60), "-D", "00:02:00")
    assert at(server, rid, "reserve_start") == end + 60 - 120
    assert resv["reserve_state"] == "RESV_CONFIRMED"
    lines = y_records(server, rid)
    assert len(lines) == 6
    assert re.search(r";requestor=Scheduler@\S+ start=%d end=%d nodes=\(vn" % (end - 60, end + 60),
                     lines[-1])
    server.log_match("%s;Reservation alter confirmed" % rid)
    server.log_match("%s;Attempting to modify reservation start=" % rid)


def test_a_waiting_one_moves_to_other_vnodes(cluster):
    server = cluster.server
    rid = waiting(server, select="2:ncpus=2")
    held = resv_nodes(server, rid)
    other = waiting(server, start=at(server, rid, "reserve_end"), select="2:ncpus=2")
    assert resv_nodes(server, other) == held
    granted(cluster, rid, "-D", "900")
    assert not set(resv_nodes(server, rid)) & set(resv_nodes(server, other))


def test_a_smaller_one_moves_to_other_vnodes(cluster):
    """Its own ones are promised from its end on, so with fewer chunks and a later end it is
    made on none of them."""
    server = cluster.server
    rid = waiting(server, select="3:ncpus=2")
    held = resv_nodes(server, rid)
    waiting(server, start=at(server, rid, "reserve_end"), select="3:ncpus=2")
    assert denied(cluster, rid, "-D", "900")
    granted(cluster, rid, "-l", "select=2:ncpus=2", "-D", "900")
    assert len(resv_nodes(server, rid)) == 2 and not set(resv_nodes(server, rid)) & set(held)


def test_a_conflict_is_denied_with_its_reason_and_nothing_changed(cluster):
    server = cluster.server
    rid = waiting(server)
    alone(server, rid)
    reason = denied(cluster, rid, "-D", "900", "-N", "other", "-U", "+" + USER2)
    assert re.search("conflict|nsufficient", reason)
    assert denied(cluster, rid, "-l", "select=1:ncpus=2", "-D", "900", "-m", "n")
    assert len(y_records(server, rid)) == 1


def test_the_proposal_is_shown_until_it_is_answered(cluster):
    server = cluster.server
    rid = waiting(server, select="3:ncpus=2")
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    rc, out, err = ralter(cluster, rid, "-D", "900", "-l", "select=2:ncpus=2")
    assert (rc, out) == (0, "pbs_ralter: %s ALTER REQUESTED\n" % rid)
    resv = server.status(RESV, rid)[0]
    assert resv["reserve_state"] == "RESV_BEING_ALTERED" and resv["reserve_substate"] == "2"
    assert resv["reserve_duration"] == "900"
    assert resv["Resource_List.select"] == "2:ncpus=2"
    assert resv["reserve_alter_revert.select"] == "3:ncpus=2"
    assert resv["schedselect_orig"] == "3:ncpus=2"
    row = [l for l in cluster.run(["pbs_rstat"], user=USER1).stdout.splitlines()
           if l.startswith(rid[:10])][0]
    assert " AL " in row and " / 900 / " in row
    refused(cluster, rid, 168, "Request invalid for state of job", "-N", "x")
    assert ralter(cluster, rid, "-I", "1", "-D", "60")[0] == 168
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    resv = server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=rid)
    assert len(set(resv_nodes(server, rid))) == 2 and resv["reserve_duration"] == "900"


def test_nobody_answers(cluster):
    server = cluster.server
    rid = waiting(server)
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False", "resv_answer_time": 4})
    assert ralter(cluster, rid, "-I", "1", "-D", "900")[1] == "pbs_ralter: %s UNCONFIRMED\n" % rid
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_duration": "600"}, id=rid)
    server.log_match("%s;Reservation alter denied" % rid)


def test_an_open_alteration_ends_with_the_server(cluster):
    server = cluster.server
    rid = waiting(server)
    cluster.scheduler.stop()
    ralter(cluster, rid, "-D", "900", "-N", "longer")
    assert server.status(RESV, rid)[0]["reserve_state"] == "RESV_BEING_ALTERED"
    server.kill()
    server.start()
    server.log_match("%s;Reservation alter dropped: the server was started again" % rid)
    resv = server.status(RESV, rid)[0]
    assert (resv["reserve_state"], resv["reserve_duration"]) == ("RESV_CONFIRMED", "600")
    assert resv["Reserve_Name"] != "longer"
    cluster.scheduler.start()
    granted(cluster, rid, "-D", "900", "-N", "longer")


def test_names_and_lists_alone_are_answered_at_once(cluster):
    server = cluster.server
    rid = waiting(server)
    users = ",".join(dict.fromkeys((USER1, USER2)))  # without root, one and the same
    cluster.scheduler.stop()
    rc, out, err = ralter(cluster, rid, "-I", "50", "-N", "better", "-U", users, "-m", "n")
    assert out == "pbs_ralter: %s CONFIRMED\n" % rid
    resv = server.status(RESV, rid)[0]
    assert resv["Reserve_Name"] == "better" and resv["Mail_Points"] == "n"
    queue = server.status(QUEUE, queue_of(rid))[0]
    assert queue["acl_users"].replace(" ", "") == users
    assert ralter(cluster, rid, "-N", "best")[1] == "pbs_ralter: %s ALTER REQUESTED\n" % rid


# --- while it runs ---

def test_a_running_one_is_extended_where_it_is(cluster):
    server = cluster.server
    rid = running_resv(server, select="2:ncpus=2")
    held = resv_nodes(server, rid)
    jid = running_job(server, queue_of(rid))
    granted(cluster, rid, "-D", "1200")
    assert resv_nodes(server, rid) == held
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5,
                         "reserve_duration": "1200"}, id=rid)
    server.expect(JOB, {"job_state": "R"}, id=jid)
    refused(cluster, rid, 15178 & 255, "Reservation not empty", "-R", Reservation.clock(300))
    refused(cluster, rid, 15178 & 255, "Reservation not empty", "-E", Reservation.clock(900),
            "-D", "600")


def test_a_running_one_is_not_extended_into_another(cluster):
    server = cluster.server
    rid = running_resv(server, select="2:ncpus=2")
    other = alone(server, rid)
    reason = denied(cluster, rid, "-D", "1200")
    assert other in reason
    granted(cluster, rid, "-D", "300")
    # Its start is pushed back by hand, and then there is room.
    granted(cluster, other, "-R", Reservation.clock(at(server, rid, "reserve_start") + 1200),
            "-D", "600", user=MANAGER)
    granted(cluster, rid, "-D", "1200")


def test_a_running_one_goes_back_to_waiting(cluster):
    server = cluster.server
    rid = running_resv(server, select="2:ncpus=2")
    path = cluster.write_script(Job())
    cluster.run(["qsub", "-h", "-q", queue_of(rid), path], user=USER1)
    granted(cluster, rid, "-R", Reservation.clock(300))
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 2}, id=rid)
    assert server.status(QUEUE, queue_of(rid))[0]["started"] == "False"
    all_is_free(cluster)
    start = int(time.time()) + 10  # more than a busy machine takes to say so
    granted(cluster, rid, "-R", Reservation.clock(start))
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)
    assert len([l for l in server.accounting_lines() if ";B;%s;" % rid in l]) == 2


def test_an_end_that_has_come_ends_it(cluster):
    server = cluster.server
    rid = running_resv(server, select="2:ncpus=2", start=3)
    assert ralter(cluster, rid, "-D", "1")[1] == "pbs_ralter: %s ALTER REQUESTED\n" % rid
    is_gone(server, RESV, rid)
    all_is_free(cluster)


def test_a_degraded_one_is_extended_when_the_lost_vnode_is_replaced(cluster):
    server = cluster.server
    rid = running_resv(server, select="3:ncpus=2")
    lost = resv_nodes(server, rid)[1]
    set_offline(server, lost)
    server.expect(RESV, {"reserve_substate": 10}, id=rid)
    kept = set(resv_nodes(server, rid)) - {lost}
    granted(cluster, rid, "-D", "1200")
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=rid)
    now = set(resv_nodes(server, rid))
    assert kept < now and lost not in now
    for vnode in set("vn[%d]" % i for i in range(5)) - now - {lost}:
        set_offline(server, vnode)
    set_offline(server, sorted(now)[0])
    server.expect(RESV, {"reserve_substate": 10}, id=rid)
    assert "-W force" in denied(cluster, rid, "-D", "1300")


# --- fewer chunks ---

def test_fewer_chunks_before_the_start(cluster):
    server = cluster.server
    rid = waiting(server, select="2:ncpus=2+1:ncpus=1")
    text = "New select must be made up of a subset of the original chunks"
    for select in ("3:ncpus=2", "2:ncpus=1", "1:ncpus=1+2:ncpus=2", "1:ncpus=2+1:ncpus=2",
                   "2:ncpus=2+2:ncpus=1", "2:ncpus=2+1:ncpus=1+1:ncpus=1"):
        refused(cluster, rid, 15183 & 255, text, "-l", "select=" + select)
    granted(cluster, rid, "-l", "select=1:ncpus=2+1:ncpus=1")
    resv = server.status(RESV, rid)[0]
    assert resv["Resource_List.select"] == "1:ncpus=2+1:ncpus=1"
    assert resv["Resource_List.ncpus"] == "3" and resv["Resource_List.nodect"] == "2"
    records = y_records(server, rid)
    assert len(records) == 2 and records[-1].count("ncpus=") == 2, records
    queue = server.status(QUEUE, queue_of(rid))[0]
    assert queue["resources_max.ncpus"] == queue["resources_available.ncpus"] == "3"
    refused(cluster, rid, 15183 & 255, text, "-l", "select=2:ncpus=2+1:ncpus=1")
    granted(cluster, rid, "-l", "select=1:ncpus=1", "-D", "300")
    assert server.status(RESV, rid)[0]["Resource_List.ncpus"] == "1"


def test_fewer_chunks_while_running_lost_ones_first_never_one_with_a_job(cluster):
    server = cluster.server
    rid = running_resv(server, select="4:ncpus=2")
    held = resv_nodes(server, rid)
    lost, busy = held[1], held[2]  # an idle one stands before them, another one behind
    first = running_job(server, queue_of(rid), select="1:ncpus=2:vnode=" + busy)
    set_offline(server, lost)
    server.expect(RESV, {"reserve_substate": 10}, id=rid)
    granted(cluster, rid, "-l", "select=3:ncpus=2")
    left = set(resv_nodes(server, rid))
    assert left == set(held) - {lost}
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=rid)
    granted(cluster, rid, "-l", "select=1:ncpus=2")
    assert resv_nodes(server, rid) == [busy]
    server.expect(JOB, {"job_state": "R"}, id=first)
    assert server.status(QUEUE, queue_of(rid))[0]["resources_max.ncpus"] == "2"
    assigned = {n["id"]: n.get("resources_assigned.ncpus", "0") for n in server.status(VNODE)}
    assert [v for v, n in assigned.items() if int(n)] == [busy]


def test_more_jobs_than_chunks_are_left_is_denied(cluster):
    server = cluster.server
    rid = running_resv(server, select="3:ncpus=2")
    running_job(server, queue_of(rid))
    running_job(server, queue_of(rid))
    granted(cluster, rid, "-l", "select=2:ncpus=2")
    reason = denied(cluster, rid, "-l", "select=1:ncpus=2")
    assert reason.startswith("Reservation has running jobs in it")


# --- force ---

def test_force_against_another_reservation(cluster):
    server = cluster.server
    rid = running_resv(server, select="2:ncpus=2")
    held = resv_nodes(server, rid)
    other = alone(server, rid)
    rc, out, err = ralter(cluster, rid, "-W", "force", "-I", "60", "-D", "1200", user=MANAGER)
    lines = out.splitlines()
    assert (rc, lines[:2]) == (0, ["pbs_ralter: %s CONFIRMED" % rid,
                                   "pbs_ralter: oversubscribes reservations " + other])
    both = sorted(set(held) & set(resv_nodes(server, other)))
    start = server.status(RESV, other)[0]["reserve_start"]
    end = server.status(RESV, rid)[0]["reserve_end"]
    met = "%s on %s from %s to %s" % (other, "+".join(both), start, end)
    assert lines[2:] == ["pbs_ralter: meets " + met]
    server.log_match("%s;Reservation meets %s" % (rid, met))
    resv = server.status(RESV, rid)[0]
    assert resv["reserve_duration"] == "1200" and resv["oversubscribed_resv"] == other
    assert resv_nodes(server, rid) == held
    server.log_match("%s;Reservation oversubscribes vnodes reservations=%s" % (rid, other))
    assert server.status(RESV, other)[0]["oversubscribed_resv"] == rid


def oversubscribed(server, rid):
    """What the reservation says of whom it meets."""
    resv = server.status(RESV, rid)[0]
    return {name: value for name, value in resv.items() if name.startswith("oversubscribed_")}


def test_who_is_oversubscribed_is_told_until_that_is_over(cluster):
    """To everybody, on which vnodes and from when to when; after a crash too."""
    server = cluster.server
    rid = running_resv(server, select="2:ncpus=2")
    other = alone(server, rid)
    ralter(cluster, rid, "-W", "force", "-I", "60", "-D", "1200", user=MANAGER)
    both = "+".join(sorted(set(resv_nodes(server, rid)) & set(resv_nodes(server, other))))
    meeting = at(server, other, "reserve_start"), at(server, rid, "reserve_end")
    met = "%s on " + both + " from %s to %s" % (server.status(RESV, other)[0]["reserve_start"],
                                                server.status(RESV, rid)[0]["reserve_end"])
    expected = {"oversubscribed_resv": other, "oversubscribed_on": met % other}
    assert oversubscribed(server, rid) == expected
    assert oversubscribed(server, other) == {"oversubscribed_resv": rid,
                                             "oversubscribed_on": met % rid}
    shown = cluster.run(["pbs_rstat", "-f", rid], user=USER2).stdout
    assert "\noversubscribed_resv = %s\noversubscribed_on = %s\n" % (other, met % other) in shown
    raw = cluster.run(["pbs_rstat", "-F", "json", rid], user=USER2).stdout
    assert " from @%d to @%d" % meeting in raw
    server.kill()
    server.start()
    assert oversubscribed(server, rid) == expected
    ralter(cluster, rid, "-I", "60", "-E", Reservation.clock(at(server, other, "reserve_start")))
    assert oversubscribed(server, rid) == oversubscribed(server, other) == {}


def test_who_is_deleted_is_oversubscribed_no_more(cluster):
    server = cluster.server
    rid = running_resv(server, select="2:ncpus=2")
    other = alone(server, rid)
    ralter(cluster, rid, "-W", "force", "-I", "60", "-D", "1200", user=MANAGER)
    server.delete(other)
    is_gone(server, RESV, other)
    assert oversubscribed(server, rid) == {}


def test_force_against_a_job_outside(cluster):
    server = cluster.server
    rid = waiting(server, select="5:ncpus=2")
    jid = running_job(server, select="1:ncpus=2", **{"Resource_List.walltime": "00:30:00"})
    rc, out, err = ralter(cluster, rid, "-W", "force", "-R", Reservation.clock(900), "-I", "60",
                          user=MANAGER)
    lines = out.splitlines()
    assert lines[1] == "pbs_ralter: oversubscribes jobs " + jid and len(lines) == 3
    assert lines[2].startswith("pbs_ralter: meets %s on %s from " % (jid, job_vnodes(server, jid)[0]))
    assert server.status(RESV, rid)[0]["oversubscribed_jobs"] == jid
    server.delete(jid)
    is_gone(server, JOB, jid)
    resv = server.status(RESV, rid)[0]
    assert "oversubscribed_jobs" not in resv and "oversubscribed_on" not in resv


def test_force_that_is_possible_is_made_by_the_scheduler(cluster):
    server = cluster.server
    rid = waiting(server, select="2:ncpus=2")
    other = waiting(server, start=at(server, rid, "reserve_end"), select="2:ncpus=2")
    rc, out, err = ralter(cluster, rid, "-W", "force", "-D", "1200", "-I", "60", user=MANAGER)
    assert out == "pbs_ralter: %s CONFIRMED\n" % rid
    assert not set(resv_nodes(server, rid)) & set(resv_nodes(server, other))


def test_a_running_one_with_vnodes_down_is_extended_against_a_no(cluster):
    """What force is for: the scheduler, asked first, cannot replace the vnode that is lost."""
    server = cluster.server
    retry_soon(server, 600)
    rid = running_resv(server, select="5:ncpus=2")
    held = resv_nodes(server, rid)
    set_offline(server, held[0])
    server.expect(RESV, {"reserve_substate": 10}, id=rid)
    denied(cluster, rid, "-D", "1200")
    end = at(server, rid, "reserve_end") + 600
    rc, out, err = ralter(cluster, rid, "-W", "force", "-E", Reservation.clock(end), "-I", "60",
                          user=MANAGER)
    assert (rc, out.splitlines()[0]) == (0, "pbs_ralter: %s CONFIRMED" % rid), (rc, out, err)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 10,
                         "reserve_retry": (SET, None)}, id=rid)
    assert at(server, rid, "reserve_end") == end and resv_nodes(server, rid) == held


def test_force_without_a_scheduler_is_made_at_once_and_stays_degraded(cluster):
    server = cluster.server
    retry_soon(server, 600)
    rid = running_resv(server, select="2:ncpus=2")
    set_offline(server, resv_nodes(server, rid)[0])
    server.expect(RESV, {"reserve_substate": 10}, id=rid)
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    rc, out, err = ralter(cluster, rid, "-W", "force", "-D", "1200", user=MANAGER)
    assert (rc, out) == (0, "pbs_ralter: %s CONFIRMED\n" % rid)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 10,
                         "reserve_duration": "1200", "reserve_retry": (SET, None)}, id=rid)
    assert ";requestor=@ start=" in y_records(server, rid)[-1]


# --- who may not, and what cannot be ---

def test_strangers_and_ordinary_users_are_refused(cluster):
    if ROOTLESS:
        pytest.skip("needs a second account")
    server = cluster.server
    rid = waiting(server)
    refused(cluster, rid, 159, "pbs_ralter: Unauthorized Request", "-D", "60", user=USER2)
    server.log_match("Unauthorized Request, request type: 91, Object: RESCRESV, Name: %s, "
                     "request from: %s@" % (rid, USER2))
    refused(cluster, rid, 159, "pbs_ralter: Unauthorized Request", "-W", "force", "-D", "60")
    # An operator alters what is others', without force.
    server.manager(MGR_CMD_SET, SERVER, {"operators": ("+=", USER2 + "@*")})
    granted(cluster, rid, "-D", "660", user=USER2)


BAD = [
    (["-E", "-60"], 238, "Bad time specification(s)"),
    (["-R", "-60"], 238, "Bad time specification(s)"),
    (["-D", "0"], 238, "Bad time specification(s)"),
    (["-R", "+60", "-E", "+120", "-D", "61"], 238, "Bad time specification(s)"),
    (["-E", "+120", "-D", "600"], 238, "Bad time specification(s)"),
    (["-D", "xx"], 2, "pbs_ralter: illegal -D value"),
    (["-m", "xyz"], 2, "pbs_ralter: illegal -m value"),
    (["-l", "select=1:foo=1"], 187, "Unknown resource"),
    (["-W", "force", "-l", "select=1:ncpus=2", "-D", "60"], 181,
     "No support for requested service"),
]


@pytest.mark.parametrize("argv,rc,text", BAD, ids=[" ".join(b[0]) for b in BAD])
def test_bad_alterations_are_refused_and_change_nothing(cluster, argv, rc, text):
    rid = waiting(cluster.server)
    args = [Reservation.clock(int(a)) if a[0] in "+-" and a[1:].isdigit() else a for a in argv]
    refused(cluster, rid, rc, text, *args, user=MANAGER if "force" in argv else USER1)


def test_usage_mistakes_exit_with_2(cluster):
    for argv, text in ((["-R", "9999"], "pbs_ralter: illegal -R time value"),
                       (["-E", "soon"], "pbs_ralter: illegal -E time value"),
                       (["-I", "0"], "pbs_ralter: illegal -I time value"),
                       (["-l", "ncpus=1"], "pbs_ralter -l only allows for select"),
                       (["-W", "gently"], "pbs_ralter: illegal -W value"),
                       (["-W", "force", "-N", "x"],
                        "pbs_ralter: No support for requested service"),
                       (["-q", "workq"], 'pbs_ralter: illegal -q value: format "@server"')):
        rc, out, err = ralter(cluster, "R1", *argv)
        assert (rc, err.splitlines()[0]) == (2, text)
    rc, out, err = ralter(cluster, "nonsense", "-D", "60")
    assert (rc, err) == (2, "pbs_ralter: illegally formed reservation identifier: nonsense\n")
    rc, out, err = ralter(cluster, "R999", "-D", "60")
    assert (rc, err.splitlines()[0]) == (236, "pbs_ralter: Unknown Reservation Id")
    assert "there is no reservation R999" in err.splitlines()[1]


SECOND_LINES = [
    (["-E", "+120", "-D", "600"], "the start would be "),
    (["-R", "+60", "-E", "+120", "-D", "61"], "from -R to -E are 60 s, but -D says 61 s"),
    (["-D", "0"], "-D is 0 s; it has to be at least one second"),
    (["-E", "+600"], "it has to be after the start, "),
    (["-D", "xx"], 'reserve_duration is "xx"; it has to be [[HH:]MM:]SS'),
    (["-E", "soon"], '"soon" is no time; write [[[[CC]YY]MM]DD]hhmm[.SS]'),
    (["-l", "select=9:ncpus=2"], "has select=2:ncpus=2; chunks can be left out"),
    (["-U", "a,a"], 'Authorized_Users names "a" twice; once is enough'),
]


@pytest.mark.parametrize("argv,words", SECOND_LINES, ids=[" ".join(b[0]) for b in SECOND_LINES])
def test_a_second_line_says_what_to_change(cluster, argv, words):
    rid = waiting(cluster.server)
    args = [Reservation.clock(int(a)) if a[0] in "+-" and a[1:].isdigit() else a for a in argv]
    rc, out, err = ralter(cluster, rid, *args)
    second = err.splitlines()[1]
    assert rc != 0 and second.startswith("pbs_ralter: ") and words in second, err


# --- sooner, and dedicated time ---

def test_a_start_is_moved_sooner(cluster):
    server = cluster.server
    rid = waiting(server, select="2:ncpus=2")
    held = resv_nodes(server, rid)
    start = at(server, rid, "reserve_start")
    other = waiting(server, start=start - 900, duration=900, select="2:ncpus=2")
    assert resv_nodes(server, other) == held
    granted(cluster, rid, "-R", Reservation.clock(start - 300))  # on other vnodes
    assert at(server, rid, "reserve_start") == start - 300
    assert not set(resv_nodes(server, rid)) & set(held)
    waiting(server, start=start - 1800, duration=900, select="5:ncpus=2")
    assert denied(cluster, rid, "-R", Reservation.clock(start - 1000))
    now = int(time.time()) + 10
    granted(cluster, rid, "-R", Reservation.clock(now), "-D", "300")
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)


def test_dedicated_time_counts_like_a_reservation(cluster):
    server = cluster.server
    start = (int(time.time()) // 60 + 60) * 60
    stamp = [time.strftime("%m/%d/%Y %H:%M", time.gmtime(t)) for t in (start, start + 3600)]
    wait_for("the scheduler's files",
             lambda: os.path.exists(cluster.scheduler.config("dedicated_time")))
    with open(cluster.scheduler.config("dedicated_time"), "w") as f:
        f.write("%s %s\n" % tuple(stamp))
    cluster.scheduler.reconfigure()
    waits = waiting(server, start=start - 1200, duration=600)
    runs = running_resv(server, select="1:ncpus=2:vnode=vn[4]")
    behind = waiting(server, start=start + 4000, duration=600)
    for rid, words in ((waits, ["-D", "1500"]), (runs, ["-E", Reservation.clock(start + 60)]),
                       (behind, ["-R", Reservation.clock(start + 3000)])):
        assert "dedicated time" in denied(cluster, rid, *words)
    granted(cluster, waits, "-D", "1200")
    granted(cluster, runs, "-E", Reservation.clock(start))
    granted(cluster, behind, "-R", Reservation.clock(start + 3600))
    start = at(server, waits, "reserve_start")
    rc, out, err = ralter(cluster, waits, "-W", "force", "-I", "60", "-D", "1500", user=MANAGER)
    assert (rc, out.splitlines()[0]) == (0, "pbs_ralter: %s CONFIRMED" % waits), (rc, out, err)
    assert at(server, waits, "reserve_end") == start + 1500
