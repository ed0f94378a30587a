# SPDX-License-Identifier: Apache-2.0
"""Standing reservations (reservations.md 9): what is refused, confirmation of all occurrences or
none, what is shown, the turns, degraded later occurrences, restarts."""
import json
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *

ZONE = {"PBS_TZID": "UTC"}
RULE = "FREQ=DAILY;COUNT=3"


def rsub(cluster, rule, start=3600, duration=600, select="1:ncpus=2", env=ZONE, more=()):
    """pbs_rsub -r, as it ends."""
    r = Reservation(select=select, start=start, duration=duration,
                    options=["-r", rule] + list(more))
    return cluster.run(["pbs_rsub"] + r.options(), user=USER1, check=False, env=env)


def series(cluster, rule=RULE, **kwargs):
    """The id of a series that is confirmed."""
    done = rsub(cluster, rule, more=["-I", "60"], **kwargs)
    assert done.returncode == 0, done.stderr
    rid, answer = done.stdout.split(None, 1)
    assert answer.strip() == "CONFIRMED", done.stdout
    return rid


def lines(cluster, letter, rid):
    return [l for l in cluster.server.accounting_lines() if ";%s;%s;" % (letter, rid) in l]


@pytest.mark.parametrize("rule, text", [
    ("FREQ=DAILY", "Undefined iCalendar syntax. A valid COUNT or UNTIL is required"),
    ("COUNT=2", "Undefined iCalendar syntax"),
    ("FREQ=MONTHLY;COUNT=2;BYMONTHDAY=1", "Undefined iCalendar syntax"),
    ("FREQ=DAILY;COUNT=2;UNTIL=20990101T000000Z", "Undefined iCalendar syntax"),
    ("FREQ=DAILY;UNTIL=20200101T000000Z", "Bad time specification(s)"),
    ("FREQ=HOURLY;COUNT=10001", "Bad time specification(s)"),
    ("FREQ=MINUTELY;COUNT=2", "MINUTELY recurrence duration cannot exceed 1 minute"),
    ("FREQ=SECONDLY;COUNT=2", "SECONDLY recurrence duration cannot exceed 1 second"),
])
def test_rules_that_are_refused(cluster, rule, text):
    done = rsub(cluster, rule)
    assert done.returncode != 0
    assert "pbs_rsub: " in done.stderr and text in done.stderr, done.stderr
    assert not cluster.server.status(RESV)


def test_zones_and_lengths_of_rules(cluster):
    done = rsub(cluster, RULE, env={})
    assert done.returncode == 2
    assert "pbs_rsub error: a valid PBS_TZID timezone environment variable is required." \
        in done.stderr
    for zone in ("Mars/Base", "../../etc/passwd", "", "x" * 300):
        done = rsub(cluster, RULE, env={"PBS_TZID": zone})
        assert "Unrecognized PBS_TZID environment variable" in done.stderr, zone
    long = "FREQ=WEEKLY;COUNT=10;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=1,2,3,4,5,6,7"
    done = rsub(cluster, long[:67])
    assert done.returncode == 2
    assert "pbs_rsub: illegal -r value (expression too long)" in done.stderr
    assert not cluster.server.status(RESV)


def test_a_series_that_is_not_confirmed_is_altered(cluster):
    """Its first occurrence; all are confirmed with it, or the alteration is denied."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    rid = rsub(cluster, RULE, select="2:ncpus=2").stdout.split()[0]
    done = cluster.run(["pbs_ralter", "-D", "86400", rid], user=USER1, check=False)
    assert "Requested time(s) will interfere with a later occurrence" in done.stderr
    for change in (["-D", "1200"], ["-l", "select=1:ncpus=2"]):
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        if server.status(RESV, rid)[0]["reserve_state"] != "RESV_UNCONFIRMED":
            rid = rsub(cluster, RULE, select="2:ncpus=2", start=7200).stdout.split()[0]
        done = cluster.run(["pbs_ralter"] + change + [rid], user=USER1, check=False)
        assert done.stdout == "pbs_ralter: %s ALTER REQUESTED\n" % rid, done.stderr
        server.expect(RESV, {"reserve_state": "RESV_BEING_ALTERED"}, id=rid)
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
        server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_index": 1,
                             "reserve_count": 3}, id=rid)
        name = rid.replace(".", "[2].", 1)
        others = cluster.run(["pbs_rstat", "-f", "%s[2]" % rid.split(".")[0]]).stdout
        assert "Name: " + name in others or name in others, others
        assert "reserve_duration = 600" in others and "Resource_List.nodect = 2" in others
    assert server.status(RESV, rid)[0]["Resource_List.nodect"] == "1"
    server.log_match("%s;Reservation alter confirmed" % rid)


def test_a_series_is_confirmed_and_shown(cluster):
    server = cluster.server
    rid = series(cluster, select="2:ncpus=2")
    assert rid[0] == "S"
    shown = server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 2,
                                 "reserve_index": 1, "reserve_count": 3,
                                 "reserve_rrule": RULE}, id=rid)
    assert len(vnodes_of(shown["resv_nodes"])) == 2
    for hidden in ("reserve_execvnodes", "reserve_standing", "reserve_timezone"):
        assert hidden not in shown
    assert "PBS_TZID=UTC" in shown["Variable_List"]
    server.log_match(r"New reservation submitted start=.* end=.* "
                     r"recurrence_rrule=FREQ=DAILY;COUNT=3 timezone=UTC", regexp=True)
    server.log_match("%s;Reservation confirmed" % rid)
    server.accounting_match(";U;%s;requestor=%s@" % (rid, USER1))
    server.accounting_match(";Y;%s;requestor=Scheduler@" % rid)
    # Nobody else gets the vnodes of any occurrence.
    at = time.time() + 3600 + 2 * 86400
    other = Reservation(select="4:ncpus=2", start=at, duration=60, interactive=60)
    server.submit(other)
    assert other.answer.endswith("DENIED")


def test_one_occurrence_that_does_not_fit_denies_all(cluster):
    server = cluster.server
    server.submit(Reservation(select="5:ncpus=2", start=time.time() + 3600 + 86400, duration=60,
                              interactive=60))
    done = rsub(cluster, RULE, more=["-I", "60"])
    assert done.returncode == 0
    rid, answer = done.stdout.split()
    assert answer == "DENIED"
    is_gone(server, RESV, rid)
    server.accounting_match(";K;%s;" % rid)
    # Another time of the day is free.
    series(cluster, start=7200)


def test_a_rule_of_one_occurrence_is_an_advance_reservation(cluster):
    rid = series(cluster, "FREQ=DAILY;COUNT=1")
    assert rid[0] == "R"
    assert cluster.server.status(RESV, rid)[0]["reserve_count"] == "1"


def test_the_turns_of_a_series(cluster):
    """Each begins with a B; the job of the first one is killed at its end, the one that waits
    runs in the next one."""
    server = cluster.server
    start = int(time.time()) + 8
    rid = series(cluster, "FREQ=SECONDLY;COUNT=3;INTERVAL=25", start=start, duration=1)
    server.manager(MGR_CMD_SET, SERVER, {"resend_term_delay": 1})
    done = cluster.run(["pbs_ralter", "-D", "12", "-I", "30", rid], user=USER1)
    assert "CONFIRMED" in done.stdout
    late = cluster.run(["pbs_ralter", "-D", "25", rid], user=USER1, check=False)
    assert "Requested time(s) will interfere with a later occurrence" in late.stderr
    jid = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=2", "queue": queue_of(rid)},
                            script="#!/bin/sh\nsleep 600\n"))
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_index": 1}, id=rid)
    server.expect(JOB, {"job_state": "R"}, id=jid)
    server.log_match("reached end of occurrence 1/3", deadline=60)
    is_gone(server, JOB, jid)
    shown = server.expect(RESV, {"reserve_index": 2}, id=rid)
    assert shown["reserve_duration"] == "1" and shown["reserve_count"] == "3"
    server.log_match("reached end of occurrence 2/3", deadline=60)
    server.log_match("reached end of occurrence 3/3", deadline=60)
    is_gone(server, RESV, rid)
    wait_for("three B records", lambda: len(lines(cluster, "B", rid)) == 3)
    assert len(lines(cluster, "K", rid)) == 1 and len(lines(cluster, "F", rid)) == 1
    server.accounting_match("Deleting running job at end of reservation occurrence")


@pytest.mark.parametrize("running", [False, True])
def test_deletion_of_a_series(cluster, running):
    server = cluster.server
    rid = series(cluster, start=3 if running else 3600)
    if running:
        server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)
    server.delete(rid, user=USER1)
    is_gone(server, RESV, rid)
    server.accounting_match(";k;%s;" % rid)
    rid = series(cluster, select="5:ncpus=2")  # all is free again
    assert rid


def test_a_later_occurrence_is_degraded_and_heals(cluster):
    """CO with substate 10 while only a later occurrence lacks a vnode, over a restart; the first
    one stays where it is when the later one is made anew."""
    server = cluster.server
    at = time.time() + 3600
    day = 86400

    def reserve(n, start):
        return server.submit(Reservation(select="%d:ncpus=2" % n, start=start, duration=900,
                                         interactive=60))
    low = set(resv_nodes(server, reserve(2, at - 60)))
    gone = reserve(2, at + day - 60)
    high = reserve(2, at + day - 60)
    server.delete(gone, user=USER1)
    is_gone(server, RESV, gone)
    server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_time": 3600})
    rid = series(cluster, "FREQ=DAILY;COUNT=2", start=at, duration=300, select="2:ncpus=2")
    first = resv_nodes(server, rid)
    taken = set(resv_nodes(server, high))
    assert not low & set(first) and not taken & low
    # Two of the five have the second occurrence; they are among those that "gone" had.
    lost = next(v for v in sorted(low) if v not in first)
    set_offline(server, lost)
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 10}, id=rid)
    assert "reserve_retry" in server.status(RESV, rid)[0]
    server.restart()
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 10}, id=rid)
    set_free(server, lost)
    healed = server.expect(RESV, {"reserve_substate": 2}, id=rid)
    assert "reserve_retry" not in healed
    server.delete(high, user=USER1)
    retry_soon(server)
    set_offline(server, lost)
    wait_for("a second Y record", lambda: len(lines(cluster, "Y", rid)) == 2)
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 2}, id=rid)
    assert resv_nodes(server, rid) == first


def test_a_series_outlives_the_server(cluster):
    """kill -9 in each state: unconfirmed, confirmed, running."""
    server = cluster.server
    cluster.scheduler.stop()
    done = rsub(cluster, RULE, start=15)
    rid = done.stdout.split()[0]
    server.kill()
    server.start()
    server.expect(RESV, {"reserve_state": "RESV_UNCONFIRMED", "reserve_count": 3}, id=rid)
    cluster.scheduler.start()
    shown = server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_index": 1}, id=rid)
    server.kill()
    server.start()
    again = server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=rid)
    same = lambda o: {k: v for k, v in o.items() if k != "mtime"}
    assert same(again) == same(shown)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid, deadline=60)
    server.kill()
    server.start()
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_index": 1}, id=rid)
    server.delete(rid, user=USER1)
    is_gone(server, RESV, rid)
    assert len(lines(cluster, "B", rid)) == 1


def seen(cluster, rid, index):
    """One of its occurrences."""
    name = rid.replace(".", "[%d]." % index, 1)
    out = cluster.run(["pbs_rstat", "-F", "json", name]).stdout
    shown = json.loads(out)["Reservations"][name]
    # What the series had is told from the first alteration on, and mtime is the series'.
    for name in ("reserve_standing_revert", "mtime"):
        shown.pop(name, None)
    return shown


def test_only_the_current_occurrence_is_altered(cluster):
    """Times and select of a series without an index. The later ones keep theirs, with their
    vnodes; the second one has all of it when its turn comes."""
    server = cluster.server
    start = int(time.time()) + 25
    rid = series(cluster, "FREQ=MINUTELY;COUNT=3;INTERVAL=2", start=start, duration=20,
                 select="2:ncpus=2")
    second, third = seen(cluster, rid, 2), seen(cluster, rid, 3)
    done = cluster.run(["pbs_ralter", "-I", "60", "-D", "4", "-l", "select=1:ncpus=2", rid],
                       user=USER1)
    assert done.stdout == "pbs_ralter: %s CONFIRMED\n" % rid
    shown = server.status(RESV, rid)[0]
    assert (shown["reserve_duration"], shown["Resource_List.select"], shown["reserve_index"]) == \
        ("4", "1:ncpus=2", "1")
    assert len(resv_nodes(server, rid)) == 1
    assert seen(cluster, rid, 2) == second and seen(cluster, rid, 3) == third
    assert second["Resource_List"]["select"] == "2:ncpus=2"
    for at, n, answer in ((start, 4, "CONFIRMED"), (start + 120, 4, "DENIED"),
                          (start + 120, 3, "CONFIRMED"), (start + 240, 4, "DENIED")):
        r = Reservation(select="%d:ncpus=2" % n, start=at, duration=4, interactive=60)
        server.submit(r)
        assert r.answer.endswith(answer), (at - start, n)
    shown = server.expect(RESV, {"reserve_index": 2}, id=rid)
    assert (shown["reserve_duration"], shown["Resource_List.select"], shown["schedselect"]) == \
        ("20", "2:ncpus=2", "2:ncpus=2")
    assert len(resv_nodes(server, rid)) == 2
    assert server.status(QUEUE, queue_of(rid))[0]["resources_max.ncpus"] == "4"


def test_in_conflict_it_is_made_anew_between_occurrences(cluster):
    """Maintenance takes the vnode of the first two occurrences, and nothing else is free. The
    first one runs in conflict to its end. Then, before the second one begins, there is room."""
    server = cluster.server
    retry_soon(server, 1)
    for i in range(5):
        server.manager(MGR_CMD_SET, NODE, {"resources_available.host": "h%d" % i},
                       id="vn[%d]" % i)
    server.manager(MGR_CMD_SET, SERVER, {"operators": ("+=", USER2 + "@*")})
    start = int(time.time()) + 25
    rid = series(cluster, "FREQ=MINUTELY;COUNT=3", start=start, duration=8)
    (lost,) = resv_nodes(server, rid)
    other = server.submit(Reservation(select="4:ncpus=2", start=start - 3, duration=3600,
                                      interactive=60))
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=other)
    cluster.run(["pbs_rsub", "--hosts", "h" + lost[3], "-R", Reservation.clock(start - 3), "-D",
                 "90"], user=USER2)
    server.expect(RESV, {"reserve_state": "RESV_DEGRADED", "reserve_substate": 12}, id=rid)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 12,
                         "reserve_index": 1, "resv_nodes": (UNSET, None)}, id=rid)
    server.expect(RESV, {"reserve_state": "RESV_DEGRADED", "reserve_substate": 12,
                         "reserve_index": 2, "reserve_retry": (SET, None)}, id=rid)
    assert len(lines(cluster, "Y", rid)) == 1
    server.delete(other)
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 2,
                         "reserve_index": 2, "reserve_retry": (UNSET, None)}, id=rid)
    assert lost not in resv_nodes(server, rid)
    assert " start=%d end=%d " % (start + 60, start + 68) in lines(cluster, "Y", rid)[-1]
    # Its own start is a minute behind the first one.
    cluster.run(["pbs_ralter", "-R", Reservation.clock(8), "-I", "30", rid], user=USER1)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=rid)
