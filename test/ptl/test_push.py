# SPDX-License-Identifier: Apache-2.0
"""pbs_ralter --push: reservations behind the altered one are moved to make room, all or
nothing (doc/design/050-push.md)."""
import re
import time

import pytest

from holdfast import *
from holdfast.peer import STATUS_SERVER, asked_of_older
from holdfast.services import wait_for
from story import *

ALL = "5:ncpus=2"


def behind(server, start, duration=600, **kwargs):
    """A reservation of all vnodes; its id and window."""
    kwargs.setdefault("select", ALL)
    rid = server.submit(Reservation(start=start, duration=duration, interactive=60, **kwargs))
    return rid, window(server, rid)


def ralter(cluster, rid, *options, user=None):
    done = cluster.run(["pbs_ralter"] + list(options) + [rid], user=user, check=False)
    return done.returncode, done.stdout.splitlines(), done.stderr


def clock(at):
    return Reservation.clock(at)


def y_records(server, rid):
    return [l for l in server.accounting_lines() if ";Y;%s;" % rid in l]


@pytest.fixture
def letters(cluster):
    return cluster.letter_file()


def test_who_is_in_the_way_is_moved_and_told(cluster, letters):
    server = cluster.server
    first = running_resv(server, select=ALL, duration=600)
    start, end = window(server, first)
    second, at2 = behind(server, end + 60)
    third, at3 = behind(server, at2[1] + 120)
    fourth, at4 = behind(server, at3[1] + 3600)
    # Without the word the one in the way is the reason.
    rc, out, err = ralter(cluster, first, "-E", clock(end + 300), "-I", "60")
    assert (rc, out[0]) == (0, "pbs_ralter: %s DENIED" % first) and second in out[1]
    rc, out, err = ralter(cluster, first, "-E", clock(end + 300), "-I", "60", "--push")
    assert (rc, err) == (0, "") and out[0] == "pbs_ralter: %s CONFIRMED" % first, (out, err)
    assert re.match("pbs_ralter: moved %s from .* to .*, %s from .* to " % (second, third), out[1])
    assert len(out) == 2
    moved2 = (end + 300, end + 900)
    moved3 = (end + 900, end + 1500)
    assert window(server, first) == (start, end + 300)
    assert window(server, second) == moved2 and window(server, third) == moved3
    assert window(server, fourth) == at4
    for rid, n in ((first, 2), (second, 2), (third, 2), (fourth, 1)):
        wait_for("the records of " + rid, lambda: len(y_records(server, rid)) == n)
        assert server.status(RESV, rid)[0]["reserve_substate"] in ("2", "5")
    assert "start=%d end=%d" % moved2 in y_records(server, second)[-1]
    server.log_match("%s;Reservation moved from .* to .*, to make room for %s" % (second, first),
                     regexp=True)
    for rid in (second, third):
        wait_for("the letter about " + rid, lambda: re.search(
            "Subject: PBS RESERVATION %s\n(.*\n)*Reservation moved from .* to .*\n"
            "This was done to make room for %s." % (rid, first), open(letters).read()))
    server.kill()
    server.start()
    assert window(server, first) == (start, end + 300)
    assert window(server, second) == moved2 and window(server, third) == moved3


def test_what_was_forced_is_put_right(cluster):
    """An extension by force promises vnodes twice; a push with the times that the
    reservation has by then moves the other one."""
    server = cluster.server
    first = running_resv(server, select=ALL, duration=600)
    start, end = window(server, first)
    second, (begins, ends) = behind(server, end + 60)
    code, out, err = ralter(cluster, first, "-I", "60", "-W", "force", "-D", "1200")
    assert code == 0, err
    server.expect(RESV, {"oversubscribed_resv": second}, id=first)
    code, out, err = ralter(cluster, first, "-I", "60", "--push", "-D", "1200")
    assert code == 0, err
    assert window(server, first) == (start, start + 1200)
    assert window(server, second) == (start + 1200, start + 1200 + (ends - begins))
    assert "oversubscribed_resv" not in server.status(RESV, first)[0]


def test_who_has_other_vnodes_keeps_the_time(cluster):
    server = cluster.server
    first = running_resv(server, select="3:ncpus=2", duration=600)
    _, end = window(server, first)
    # One job's worth on the vnodes of the first: those are tried first when they are free.
    second, at2 = behind(server, end, select="2:ncpus=2")
    rc, out, err = ralter(cluster, first, "-E", clock(end + 300), "-I", "60", "--push")
    assert rc == 0 and out[0].endswith(" CONFIRMED"), (out, err)
    assert window(server, second) == at2
    assert not set(resv_nodes(server, first)) & set(resv_nodes(server, second))
    if len(out) > 1:
        assert out[1:] == ["pbs_ralter: moved %s to other vnodes" % second]


def test_who_cannot_be_moved_is_the_reason(cluster):
    server = cluster.server
    first = running_resv(server, select=ALL, duration=600)
    start, end = window(server, first)
    second, at2 = behind(server, end + 60)
    server.manager(MGR_CMD_SET, SERVER, {"operators": ("+=", USER2 + "@*")})
    hosts = sorted({n["resources_available.host"] for n in server.status(VNODE)})
    done = cluster.run(["pbs_rsub", "-R", clock(end + 2000), "-D", "600", "--hosts"] + hosts,
                       user=USER2)
    maintenance = done.stdout.split()[0]
    rc, out, err = ralter(cluster, first, "-E", clock(end + 2100), "-I", "60", "--push")
    assert (rc, out[0]) == (0, "pbs_ralter: %s DENIED" % first), (out, err)
    assert maintenance in out[1] and second not in out[1]
    assert window(server, first) == (start, end) and window(server, second) == at2


def test_who_may(cluster):
    """A manager: neither the owner nor an operator moves what others were promised."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"operators": ("+=", USER2 + "@*")})
    done = cluster.run(["pbs_rsub", "-l", "select=" + ALL, "-R", clock(int(time.time()) + 3600),
                        "-D", "600", "-I", "60"], user=USER1)
    rid = done.stdout.split()[0]
    before = window(server, rid)
    for user in (USER1, USER2):
        rc, out, err = ralter(cluster, rid, "-D", "900", "--push", user=user)
        assert (rc, out) == (15007 & 255, [])
        assert err.splitlines() == ["pbs_ralter: Unauthorized Request ",
                                    "pbs_ralter: --push is for managers"]
        rc, out, err = ralter(cluster, rid, "-D", "900", "--push", "--dry-run", user=user)
        assert (rc, out) == (1, []) and "--push is for managers" in err.splitlines()[1]
    # The owner alone extends it without the word, where there is room.
    rc, out, err = ralter(cluster, rid, "-D", "700", "-I", "60", user=USER1)
    assert (rc, err, out) == (0, "", ["pbs_ralter: %s CONFIRMED" % rid])
    # One who is made a manager may.
    server.manager(MGR_CMD_SET, SERVER, {"managers": ("+=", USER2 + "@*")})
    rc, out, err = ralter(cluster, rid, "-D", "900", "--push", "-I", "60", user=USER2)
    assert (rc, err, out) == (0, "", ["pbs_ralter: %s CONFIRMED" % rid])
    assert window(server, rid) == (before[0], before[0] + 900)


@pytest.mark.parametrize("options, why", [
    ([], "--push needs -R, -E or -D beside it"),
    (["-N", "x"], "--push needs -R, -E or -D beside it"),
    (["-l", "select=1:ncpus=2"], "--push needs -R, -E or -D beside it"),
    (["-D", "900", "-W", "force"], "--push makes room by moving others, and -W force takes "
                                   "their vnodes: one or the other")])
def test_what_is_no_push(cluster, options, why):
    """Refused by the command with the words for what cannot be forced either."""
    server = cluster.server
    rid, before = behind(server, 3600)
    rc, out, err = ralter(cluster, rid, "--push", *options)
    assert (rc, out) == (2, [])
    assert err.splitlines()[:2] == ["pbs_ralter: No support for requested service",
                                    "pbs_ralter: " + why]
    assert window(server, rid) == before


def test_maintenance_pushes_nobody(cluster):
    """It takes what it needs, and asks nobody for room: refused by the server."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"managers": ("+=", USER2 + "@*")})
    host = server.status(NODE)[0]["resources_available.host"]
    done = cluster.run(["pbs_rsub", "-R", clock(int(time.time()) + 3600), "-D", "600", "--hosts",
                        host], user=USER2)
    rid = done.stdout.split()[0]
    before = window(server, rid)
    rc, out, err = ralter(cluster, rid, "-D", "900", "--push", user=USER2)
    assert (rc, out) == (15029 & 255, [])
    assert err.splitlines()[0] == "pbs_ralter: No support for requested service"
    assert window(server, rid) == before


def test_an_open_one_is_dropped_when_the_server_is_killed(cluster):
    server = cluster.server
    first = running_resv(server, select=ALL, duration=600)
    second, at2 = behind(server, window(server, first)[1])
    before = window(server, first)
    cluster.scheduler.stop()
    rc, out, err = ralter(cluster, first, "-E", clock(before[1] + 300), "--push")
    assert (rc, out) == (0, ["pbs_ralter: %s ALTER REQUESTED" % first])
    server.expect(RESV, {"reserve_state": "RESV_BEING_ALTERED"}, id=first)
    assert server.status(RESV, second)[0]["reserve_state"] == "RESV_CONFIRMED"
    server.kill()
    server.start()
    cluster.scheduler.start()
    server.log_match("%s;Reservation alter dropped" % first)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=first)
    assert window(server, first) == before and window(server, second) == at2


@pytest.mark.parametrize("option", ["--push", "--release-idle"])
def test_a_stranger_is_sent_nothing(cluster, tmp_path, option):
    done, asked = asked_of_older(cluster, tmp_path,
                                 ["pbs_ralter", "-D", "60", option, "R1.localhost"])
    assert (done.returncode, done.stdout) == (1, "")
    assert "does not offer " + option in done.stderr
    # It was asked what it offers, and nothing else.
    assert asked == [STATUS_SERVER]
