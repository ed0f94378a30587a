# SPDX-License-Identifier: Apache-2.0
"""Standing reservations with server and scheduler: every occurrence has vnodes of its own,
others go around all of them, and what is lost is made anew alone."""
import time

from holdfast import *

DAY = 86400


def ask(cluster, select, start, options=()):
    """pbs_rsub -I: the reservation's id and the last word of the answer."""
    out = cluster.run(["pbs_rsub", "-I", "60", "-R", Reservation.clock(start), "-D", "600",
                       "-l", "select=" + select, "-l", "place=free"] + list(options),
                      user=USER1, env={"PBS_TZID": "UTC"}).stdout
    return out.split()[0], out.split()[-1]


def ask_series(cluster, select, start, rule="FREQ=DAILY;COUNT=3"):
    return ask(cluster, select, start, ["-r", rule])


def on(names, which):
    """Two cpus on each of these vnodes."""
    return "+".join("1:ncpus=2:vnode=%s" % names[i] for i in which)


def test_others_go_around_every_occurrence(cluster):
    start = int(time.time()) + DAY
    rid, answer = ask_series(cluster, "3:ncpus=2", start)
    assert answer == "CONFIRMED"
    cluster.scheduler.log_match("%s;Confirming 3 Occurrences" % rid)
    names = cluster.vnode_names()
    for i in range(3):
        other, answer = ask(cluster, "2:ncpus=2", start + i * DAY)
        assert answer == "CONFIRMED", i
        nodes = cluster.server.status(RESV, other)[0]["resv_nodes"]
        assert nodes == "(%s:ncpus=2)+(%s:ncpus=2)" % (names[3], names[4]), i
    for i, expected in ((2, "DENIED"), (3, "CONFIRMED")):
        assert ask(cluster, "1:ncpus=1", start + i * DAY)[1] == expected, i


def test_one_that_does_not_fit_denies_all(cluster):
    start = int(time.time()) + DAY
    assert ask(cluster, "4:ncpus=2", start + DAY)[1] == "CONFIRMED"
    rid, answer = ask_series(cluster, "2:ncpus=2", start)
    assert answer == "DENIED"
    cluster.scheduler.log_match("%s;Note: occurrence 2 of 3 does not fit" % rid)
    assert ask(cluster, "5:ncpus=2", start)[1] == "CONFIRMED"


def test_a_later_occurrence_is_made_anew_alone(cluster):
    server, names = cluster.server, cluster.vnode_names()
    server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_time": 1})
    start = int(time.time()) + DAY
    ask(cluster, on(names, (0, 1, 2, 3)), start)
    second, _ = ask(cluster, on(names, (1, 2, 3, 4)), start + DAY)
    rid, answer = ask_series(cluster, "1:ncpus=2", start)
    assert answer == "CONFIRMED"
    # Only the second occurrence is on the vnode that goes.
    server.manager(MGR_CMD_SET, NODE, {"state": "offline"}, id=names[0])
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": "10"}, id=rid)
    cluster.scheduler.log_match("%s;Note: occurrence 2 of 3 does not fit" % rid)
    server.delete(second)
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": "2"}, id=rid)
    assert server.status(RESV, rid)[0]["resv_nodes"] == "(%s:ncpus=2)" % names[4]
    # It has left the vnode for good, and is on one of the others.
    server.manager(MGR_CMD_SET, NODE, {"state": "free"}, id=names[0])
    server.expect(VNODE, {"state": "free"}, id=names[0])
    assert ask(cluster, on(names, (0,)), start + DAY)[1] == "CONFIRMED"
    assert ask(cluster, "4:ncpus=2", start + DAY)[1] == "DENIED"
    assert ask(cluster, "3:ncpus=2", start + DAY)[1] == "CONFIRMED"
