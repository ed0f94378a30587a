# SPDX-License-Identifier: Apache-2.0
"""Occurrences of a standing reservation by their index, S5[3]: shown, altered and deleted alone,
on real daemons; and never asked of a server of another make."""
import json
import re
import time

import pytest

from holdfast import *
from holdfast.peer import STATUS_SERVER, asked_of_older
from story import *

DAY = 86400
FAR = int(time.time()) // 60 * 60 + DAY


def ask(cluster, select, start, duration=600, options=()):
    """pbs_rsub -I: the reservation's id and the last word of the answer."""
    out = cluster.run(["pbs_rsub", "-I", "60", "-R", Reservation.clock(start),
                       "-D", str(duration), "-l", "select=" + select] + list(options),
                      user=USER1, env={"PBS_TZID": "UTC"}).stdout
    return out.split()[0], out.split()[-1]


def series(cluster, select="1:ncpus=2", start=FAR, duration=600, rule="FREQ=DAILY;COUNT=4"):
    rid, answer = ask(cluster, select, start, duration, ["-r", rule])
    assert answer == "CONFIRMED"
    return rid


def one(rid, index):
    """S5.svr, 3: S5[3].svr"""
    head, server = rid.split(".", 1)
    return "%s[%s].%s" % (head, index, server)


def shown(cluster, rid, index):
    """The attributes of one occurrence, {} when there is none."""
    out = cluster.run(["pbs_rstat", "-F", "json", one(rid, index)], user=USER2).stdout
    return json.loads(out).get("Reservations", {}).get(one(rid, index), {})


def left(cluster, rid):
    """The indices of the occurrences that are left."""
    out = cluster.run(["pbs_rstat", "-B", one(rid, "")], user=USER2).stdout
    return [int(l.split("[")[1].split("]")[0]) for l in out.splitlines()]


def test_occurrences_are_shown(cluster):
    server = cluster.server
    rid = series(cluster)
    assert left(cluster, rid) == [1, 2, 3, 4]
    third = shown(cluster, rid, 3)
    assert int(third["reserve_index"]) == 3 and int(third["reserve_count"]) == 4
    assert third["resv_nodes"] == server.status(RESV, rid)[0]["resv_nodes"]
    assert time.strftime("%a %b %d %H:%M:%S %Y", time.localtime(FAR + 2 * DAY)) == \
        third["reserve_start"]
    short = rid.split(".")[0]
    # With and without the server's name, in every form.
    full = cluster.run(["pbs_rstat", "-f", short + "[3]"], user=USER1).stdout
    assert full.startswith("Resv ID: %s\n" % one(rid, 3)) and "reserve_index = 3\n" in full
    line = cluster.run(["pbs_rstat", "-F", "dsv", one(rid, 3)], user=USER1).stdout
    assert line.startswith("Resv ID: %s|" % one(rid, 3)) and "|reserve_index=3|" in line
    table = cluster.run(["pbs_rstat", short + "[]"], user=USER1).stdout.splitlines()
    assert len(table) == 6 and table[4].split()[0] == one(rid, 3)[:15], table
    document = json.loads(cluster.run(["pbs_rstat", "-F", "json", short + "[]"]).stdout)
    assert sorted(document["Reservations"]) == [one(rid, i) for i in (1, 2, 3, 4)]


def push(cluster, operand, *options):
    done = cluster.run(["pbs_ralter", "-I", "60", "--push"] + list(options) + [operand],
                       check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def begins(cluster, rid, index):
    """How many seconds after its day's start."""
    at = time.mktime(time.strptime(shown(cluster, rid, index)["reserve_start"]))
    return int(at) - FAR - (index - 1) * DAY


def test_a_later_one_is_moved_to_make_room(cluster):
    """For another reservation, for the one before it, and by one that comes later."""
    server = cluster.server
    rid = series(cluster, select="5:ncpus=2")
    other, answer = ask(cluster, "5:ncpus=2", FAR + DAY - 700)
    assert answer == "CONFIRMED"
    out = push(cluster, other, "-D", "900")
    assert out[0] == "pbs_ralter: %s CONFIRMED" % other
    assert out[1].startswith("pbs_ralter: moved %s from " % one(rid, 2)) and len(out) == 2
    assert [begins(cluster, rid, i) for i in (1, 2, 3, 4)] == [0, 200, 0, 0]
    server.log_match("%s;Reservation moved from .* to .*, to make room for %s"
                     % (re.escape(one(rid, 2)), other), regexp=True)
    server.accounting_match(";Y;%s;" % one(rid, 2))
    # The first one gets longer than until the second one begins, on vnodes that are free.
    end = Reservation.clock(FAR + DAY + 260)
    done = cluster.run(["pbs_ralter", "-E", end, rid], check=False)
    assert "Requested time(s) will interfere with a later occurrence" in done.stderr
    out = push(cluster, other, "-R", Reservation.clock(FAR + 10 * DAY), "-D", "600")
    out = push(cluster, rid, "-E", end)
    assert out[0].endswith(" CONFIRMED") and one(rid, 2) in out[1], out
    assert [begins(cluster, rid, i) for i in (1, 2, 3, 4)] == [0, 261, 0, 0]
    # And the third one pushes the fourth.
    out = push(cluster, one(rid, 3), "-E", Reservation.clock(FAR + 3 * DAY + 30))
    assert out[0] == "pbs_ralter: %s CONFIRMED" % one(rid, 3) and one(rid, 4) in out[1], out
    server.kill()
    server.start()
    assert [begins(cluster, rid, i) for i in (1, 2, 3, 4)] == [0, 261, 0, 31]


def test_what_is_no_occurrence(cluster):
    rid = series(cluster)
    other, _ = ask(cluster, "1:ncpus=1", FAR)
    for word in (one(rid, 9), one(other, 1), "S99[1]"):
        done = cluster.run(["pbs_rstat", word], check=False)
        assert done.returncode == 0 and "Unknown Reservation Id" in done.stderr
        done = cluster.run(["pbs_rdel", word], user=USER1, check=False)
        assert done.returncode == 15084 & 255
        assert "pbs_rdel: Unknown Reservation Id" in done.stderr
    for word in ("S1[0]", "S1[-1]", "S1[x]", "S1[1", "S1[1]x", "S1[1234567890]", "[1]"):
        for command in ("pbs_rstat", "pbs_rdel"):
            done = cluster.run([command, word], user=USER1, check=False)
            assert done.returncode == 1
            assert "illegally formed reservation identifier: " + word in done.stderr
    done = cluster.run(["pbs_rdel", one(rid, "")], user=USER1, check=False)
    assert "illegally formed reservation identifier" in done.stderr
    done = cluster.run(["pbs_rdel", one(rid, 2)], user=USER2, check=False)
    assert done.stderr == "pbs_rdel: Unauthorized Request  %s\n" % rid
    assert left(cluster, rid) == [1, 2, 3, 4]


def test_a_later_one_is_deleted_and_its_vnodes_are_free(cluster):
    server = cluster.server
    rid = series(cluster, select="5:ncpus=2")
    assert ask(cluster, "1:ncpus=1", FAR + 2 * DAY)[1] == "DENIED"
    cluster.run(["pbs_rdel", one(rid, 3)], user=USER1)
    assert left(cluster, rid) == [1, 2, 4]
    assert server.status(RESV, rid)[0]["reserve_count"] == "4"
    server.log_match("%s;occurrence 3/4 deleted at request of %s@" % (rid, USER1))
    server.accounting_match(";k;%s;requestor=%s@" % (one(rid, 3), USER1))
    assert not [l for l in server.accounting_lines() if ";k;%s;" % rid in l]
    assert ask(cluster, "1:ncpus=1", FAR + 2 * DAY)[1] == "CONFIRMED"
    for i in (0, 1, 3):
        assert ask(cluster, "1:ncpus=1", FAR + i * DAY)[1] == "DENIED", i
    server.kill()
    server.start()
    assert left(cluster, rid) == [1, 2, 4]


def test_the_running_one_is_deleted(cluster):
    """Its job is killed as at its end, the one that waits stays, and the next one is shown."""
    server = cluster.server
    rid = series(cluster, start=int(time.time()) + 5, rule="FREQ=DAILY;COUNT=3")
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)
    runs = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=2",
                                    "queue": queue_of(rid)}, sleep=600))
    server.expect(JOB, {"job_state": "R", "substate": 42}, id=runs)
    waits = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=2",
                                     "queue": queue_of(rid)}, sleep=600))
    cluster.run(["pbs_rdel", one(rid, 1)], user=USER1)
    is_gone(server, JOB, runs)
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_index": 2}, id=rid)
    assert left(cluster, rid) == [2, 3]
    server.expect(JOB, {"job_state": "Q"}, id=waits)
    server.accounting_match(";A;%s;Deleting running job at end of reservation occurrence" % runs)
    server.accounting_match(";k;%s;requestor=%s@" % (one(rid, 1), USER1))
    # The last ones; with the only one that is left the reservation goes.
    cluster.run(["pbs_rdel", one(rid, 3)], user=USER1)
    cluster.run(["pbs_rdel", one(rid, 2)], user=USER1)
    is_gone(server, RESV, rid)
    is_gone(server, JOB, waits)
    server.accounting_match(";k;%s;requestor=%s@" % (rid, USER1))


@pytest.mark.parametrize("argv", [["pbs_rstat", "S1[2].localhost"], ["pbs_rstat", "S1[]"],
                                  ["pbs_rdel", "S1[2]"], ["pbs_ralter", "-D", "60", "S1[2]"]])
def test_a_stranger_is_sent_nothing(cluster, tmp_path, argv):
    done, asked = asked_of_older(cluster, tmp_path, argv)
    assert (done.returncode, done.stdout) == (1, "")
    assert "does not know occurrences by their index" in done.stderr
    # It was asked what it offers, and nothing else.
    assert asked == [STATUS_SERVER]


def ralter(cluster, rid, index, *options, user=USER1, check=True, wait=True):
    return cluster.run(["pbs_ralter"] + list(options) + (["-I", "30"] if wait else []) +
                       [one(rid, index)], user=user, check=check)


def clock(at):
    return time.strftime("%a %b %d %H:%M:%S %Y", time.localtime(at))


def test_a_later_one_is_altered_and_the_others_stay(cluster):
    server = cluster.server
    rid = series(cluster, select="2:ncpus=2", start=FAR)
    at = FAR + 2 * DAY + 7200
    done = ralter(cluster, rid, 3, "-R", Reservation.clock(at), "-D", "1800")
    assert done.stdout == "pbs_ralter: %s CONFIRMED\n" % one(rid, 3)
    third = shown(cluster, rid, 3)
    assert (third["reserve_start"], third["reserve_end"]) == (clock(at), clock(at + 1800))
    assert int(third["reserve_duration"]) == 1800
    for i in (1, 2, 4):
        other = shown(cluster, rid, i)
        assert other["reserve_start"] == clock(FAR + (i - 1) * DAY), i
        assert int(other["reserve_duration"]) == 600, i
    assert server.status(RESV, rid)[0]["reserve_state"] == "RESV_CONFIRMED"
    server.log_match("%s;Reservation alter confirmed" % one(rid, 3))
    line = server.accounting_match(";Y;%s;requestor=Scheduler@" % one(rid, 3))
    assert " start=%d end=%d " % (at, at + 1800) in line
    # Where it was is free, where it is now is not.
    assert ask(cluster, "4:ncpus=2", FAR + 2 * DAY)[1] == "CONFIRMED"
    assert ask(cluster, "4:ncpus=2", at)[1] == "DENIED"
    # Its select alone.
    done = ralter(cluster, rid, 4, "-l", "select=1:ncpus=2")
    assert done.stdout.endswith(" CONFIRMED\n")
    assert int(shown(cluster, rid, 4)["Resource_List"]["ncpus"]) == 2
    assert len(vnodes_of(shown(cluster, rid, 4)["resv_nodes"])) == 1
    assert len(vnodes_of(shown(cluster, rid, 3)["resv_nodes"])) == 2
    server.kill()
    server.start()
    assert shown(cluster, rid, 3)["reserve_start"] == clock(at)
    assert len(vnodes_of(shown(cluster, rid, 4)["resv_nodes"])) == 1


def test_it_keeps_its_place_among_the_others(cluster):
    rid = series(cluster)
    text = "pbs_ralter: Requested time(s) will interfere with a later occurrence\n"
    for options in (["-E", Reservation.clock(FAR + 2 * DAY)],
                    ["-R", Reservation.clock(FAR + 3 * DAY), "-D", "60"],
                    ["-R", Reservation.clock(FAR + 600)]):
        done = ralter(cluster, rid, 2, *options, check=False)
        assert done.stderr.startswith(text), options
        assert done.returncode == 15179 & 255
    done = ralter(cluster, rid, 2, "-N", "other", check=False)
    assert done.returncode == 2 and "illegal -N value" in done.stderr
    done = ralter(cluster, rid, 2, "-D", "60", user=USER2, check=False)
    assert done.stderr.startswith("pbs_ralter: Unauthorized Request")
    done = ralter(cluster, rid, 9, "-D", "60", check=False)
    assert done.stderr.startswith("pbs_ralter: Unknown Reservation Id")
    done = cluster.run(["pbs_ralter", "-D", "60", one(rid, "")], user=USER1, check=False)
    assert done.returncode == 2 and "illegally formed" in done.stderr
    assert int(shown(cluster, rid, 2)["reserve_duration"]) == 600


def test_a_denial_and_force(cluster):
    server = cluster.server
    rid = series(cluster, select="5:ncpus=2")
    other, answer = ask(cluster, "1:ncpus=1", FAR + DAY + 900, 60)
    assert answer == "CONFIRMED"
    done = ralter(cluster, rid, 2, "-D", "1200")
    assert done.stdout.startswith("pbs_ralter: %s DENIED\npbs_ralter: reason: " % one(rid, 2))
    assert other in done.stdout
    assert int(shown(cluster, rid, 2)["reserve_duration"]) == 600
    done = ralter(cluster, rid, 2, "-D", "1200", "-W", "force", check=False)
    assert done.stderr.startswith("pbs_ralter: Unauthorized Request")
    done = ralter(cluster, rid, 2, "-D", "1200", "-W", "force", user=None)
    assert done.stdout.startswith("pbs_ralter: %s CONFIRMED\npbs_ralter: oversubscribes "
                                  "reservations %s\n" % (one(rid, 2), other))
    assert shown(cluster, rid, 2)["oversubscribed_resv"] == other
    assert "oversubscribed_resv" not in server.status(RESV, rid)[0]


def test_an_altered_one_has_its_turn(cluster):
    """The second one is moved, and runs when it was moved to."""
    server = cluster.server
    start = int(time.time()) + 6
    rid = series(cluster, start=start, duration=1, rule="FREQ=SECONDLY;COUNT=3;INTERVAL=30")
    done = ralter(cluster, rid, 2, "-R", Reservation.clock(start + 10), "-D", "15")
    assert done.stdout.endswith(" CONFIRMED\n")
    server.expect(RESV, {"reserve_index": 2, "reserve_state": "RESV_RUNNING"}, id=rid, deadline=60)
    jid = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=2", "queue": queue_of(rid)},
                            sleep=600))
    server.expect(JOB, {"job_state": "R"}, id=jid)
    server.accounting_match(" start=%d end=%d duration=15 " % (start + 10, start + 25))
    server.log_match("reached end of occurrence 2/3", deadline=60)
    shown_third = server.expect(RESV, {"reserve_index": 3}, id=rid, deadline=60)
    assert shown_third["reserve_start"] == clock(start + 60)
    assert shown_third["reserve_duration"] == "1"


def test_no_occurrence_of_an_unconfirmed_series_is_deleted(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    cluster.run(["pbs_rsub", "-R", Reservation.clock(FAR), "-D", "600", "-l", "select=1:ncpus=1",
                 "-r", "FREQ=DAILY;COUNT=3"], user=USER1, env={"PBS_TZID": "UTC"})
    rid = server.status(RESV)[0]["id"]
    done = cluster.run(["pbs_rdel", one(rid, 1)], user=USER1, check=False)
    assert "occurrences can be deleted when the series is confirmed" in done.stderr
