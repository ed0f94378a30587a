# SPDX-License-Identifier: Apache-2.0
"""pbs_ralter -l select by the examples of those who asked for it (doc/requirements.md 2)."""
import time

import pytest

from holdfast import *
from story import *

SUBSET = "pbs_ralter: New select must be made up of a subset of the original chunks"
ORIGINAL = "2:ncpus=2:color=red+2:ncpus=2:color=yellow"


@pytest.fixture(scope="module")
def site():
    """Four red vnodes, then four yellow ones."""
    with Cluster(vnodes=8) as c:
        c.run(["qmgr", "-c", "create resource color type=string,flag=h"])
        for i in range(8):
            c.server.manager(MGR_CMD_SET, NODE, {"resources_available.color":
                                                 "red" if i < 4 else "yellow"}, id="vn[%d]" % i)
        c.scheduler.add_resource("color")
        yield c


@pytest.fixture
def painted(site):
    """A reservation of two red and two yellow chunks that waits."""
    rid = site.server.submit(Reservation(select=ORIGINAL, start=3600, duration=600,
                                         interactive=60))
    site.server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=rid)
    yield rid
    site.server.delete(rid)
    is_gone(site.server, RESV, rid)
    for vnode in site.server.status(VNODE):
        if "offline" in vnode["state"]:
            set_free(site.server, vnode["id"])


def ralter(site, rid, *options, user=USER1):
    done = site.run(["pbs_ralter"] + list(options) + [rid], user=user, check=False)
    return done.returncode, done.stdout.split("\n")[0], done.stderr.split("\n")[0]


def colors(site, rid):
    """How many red and yellow vnodes it has."""
    held = [int(v[3]) for v in resv_nodes(site.server, rid)]
    return sum(i < 4 for i in held), sum(i >= 4 for i in held)


@pytest.mark.parametrize("select,left", [
    ("1:ncpus=2:color=red+2:ncpus=2:color=yellow", (1, 2)),
    ("1:ncpus=2:color=red+1:ncpus=2:color=yellow", (1, 1)),
    ("2:ncpus=2:color=yellow", (0, 2)),
    ("2:ncpus=2:color=red", (2, 0)),
    (ORIGINAL, (2, 2)),
])
def test_examples_that_are_allowed(site, painted, select, left):
    assert ralter(site, painted, "-I", "60", "-l", "select=" + select) == \
        (0, "pbs_ralter: %s CONFIRMED" % painted, "")
    resv = site.server.status(RESV, painted)[0]
    assert resv["Resource_List.select"] == resv["schedselect"] == select
    assert colors(site, painted) == left
    assert resv["Resource_List.ncpus"] == str(2 * sum(left))


@pytest.mark.parametrize("select", [
    "4:ncpus=2:color=red+2:ncpus=2:color=yellow",
    "2:ncpus=2:color=green+2:ncpus=2:color=yellow",
    "2:ncpus=1:color=red+2:ncpus=2:color=yellow",
    "2:ncpus=2:color=red+2:ncpus=2:color=yellow+2:ncpus=2:color=green",
    "1:ncpus=2:color=red+1:ncpus=2:color=red+1:ncpus=2:color=yellow+1:ncpus=2:color=yellow",
])
def test_examples_that_are_not_allowed(site, painted, select):
    before = site.server.status(RESV, painted)[0]
    assert ralter(site, painted, "-l", "select=" + select) == (15183 & 255, "", SUBSET)
    assert site.server.status(RESV, painted)[0] == before


def test_the_answer_needs_no_scheduler(site, painted):
    site.scheduler.stop()
    try:
        assert ralter(site, painted, "-I", "60", "-l", "select=3:ncpus=2:color=red") == \
            (15183 & 255, "", SUBSET)
    finally:
        site.scheduler.start()


def test_which_chunk_is_left_out_decides(site):
    """A red vnode of a running one is lost. Without a yellow chunk it is still needed, and no
    other red one is free: denied. Without a red chunk it is what goes."""
    server = site.server
    rid = running_resv(server, select="4:ncpus=2:color=red+2:ncpus=2:color=yellow")
    held = resv_nodes(server, rid)
    set_offline(server, held[1])
    server.expect(RESV, {"reserve_substate": 10}, id=rid)
    try:
        rc, out, err = ralter(site, rid, "-I", "60", "-l",
                              "select=4:ncpus=2:color=red+1:ncpus=2:color=yellow")
        assert (rc, out) == (0, "pbs_ralter: %s DENIED" % rid)
        assert resv_nodes(server, rid) == held
        rc, out, err = ralter(site, rid, "-I", "60", "-l",
                              "select=3:ncpus=2:color=red+2:ncpus=2:color=yellow")
        assert (rc, out) == (0, "pbs_ralter: %s CONFIRMED" % rid)
        assert set(resv_nodes(server, rid)) == set(held) - {held[1]}
        server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=rid)
    finally:
        server.delete(rid)
        is_gone(server, RESV, rid)
        set_free(server, held[1])


def test_fewer_chunks_and_a_later_end(site, painted):
    """Two of each are another's from its end on: as long as it asks for three red ones too
    many, the later end is denied, and the select with it."""
    server = site.server
    end = server.status(RESV, painted)[0]["reserve_end"]
    at = int(time.mktime(time.strptime(end, "%a %b %d %H:%M:%S %Y")))
    other = server.submit(Reservation(select="3:ncpus=2:color=red+3:ncpus=2:color=yellow",
                                      start=at, duration=600, interactive=60))
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=other)
    before = server.status(RESV, painted)[0]
    rc, out, err = ralter(site, painted, "-I", "60", "-D", "900", "-l",
                          "select=2:ncpus=2:color=red+1:ncpus=2:color=yellow")
    assert (rc, out) == (0, "pbs_ralter: %s DENIED" % painted)
    same = ("Resource_List.select", "schedselect", "reserve_end", "reserve_duration",
            "resv_nodes", "Resource_List.ncpus")
    after = server.status(RESV, painted)[0]
    assert [after[k] for k in same] == [before[k] for k in same]
    assert ralter(site, painted, "-I", "60", "-D", "900", "-l",
                  "select=1:ncpus=2:color=red+1:ncpus=2:color=yellow")[1] == \
        "pbs_ralter: %s CONFIRMED" % painted
    assert server.status(RESV, painted)[0]["reserve_duration"] == "900"
    assert colors(site, painted) == (1, 1)
    server.delete(other)
    is_gone(server, RESV, other)


def test_the_select_that_is_shown_is_the_one_to_start_from(site):
    """It need not be what was typed: here the server made it of ncpus, and an alteration has
    changed it since (hooks may, too: unit/server/test_verdict.c)."""
    server = site.server
    done = site.run(["pbs_rsub", "-R", Reservation.clock(3600), "-D", "60", "-I", "60", "-l",
                     "ncpus=2"], user=USER1)
    rid = done.stdout.split()[0]

    def shown():
        text = site.run(["pbs_rstat", "-f", rid], user=USER1).stdout
        return [l.split(" = ")[1] for l in text.splitlines() if "Resource_List.select" in l][0]
    assert shown() == "1:ncpus=2"
    assert ralter(site, rid, "-l", "select=1:ncpus=1") == (15183 & 255, "", SUBSET)
    assert ralter(site, rid, "-I", "60", "-l", "select=" + shown())[1].endswith(" CONFIRMED")
    server.delete(rid)
    is_gone(server, RESV, rid)
    rid = server.submit(Reservation(select=ORIGINAL, start=3600, duration=60, interactive=60))
    for select in ("2:ncpus=2:color=red+1:ncpus=2:color=yellow", "1:ncpus=2:color=yellow"):
        assert ralter(site, rid, "-I", "60", "-l", "select=" + select)[1].endswith(" CONFIRMED")
        assert shown() == select
        assert ralter(site, rid, "-l", "select=" + ORIGINAL) == (15183 & 255, "", SUBSET)
    server.delete(rid)
    is_gone(server, RESV, rid)
