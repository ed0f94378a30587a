# SPDX-License-Identifier: Apache-2.0
"""Vnodes with the same value of a resource hold a request together (scheduling.md 16)."""
import time

from holdfast import *


def qmgr(cluster, line):
    return cluster.run(["qmgr", "-c", line]).stdout


def wire(cluster, switches):
    """The vnodes' switches, in the order of the vnodes."""
    qmgr(cluster, "create resource switch type=string_array,flag=h")
    for vnode, switch in zip(cluster.vnode_names(), switches):
        qmgr(cluster, "set node %s resources_available.switch=%s" % (vnode, switch))


def vnodes_of(server, jid):
    server.expect(JOB, {"job_state": "R"}, id=jid)
    text = server.status(JOB, jid)[0]["exec_vnode"]
    return [part.strip("()").split(":")[0] for part in text.split("+")]


def test_jobs_stay_in_a_set_and_wait_for_it(cluster):
    server = cluster.server
    wire(cluster, "ABAB")
    qmgr(cluster, "set server node_group_enable=True; set server node_group_key=switch")
    names = cluster.vnode_names()
    first = server.submit(Job(attrs={"Resource_List.select": "2:ncpus=1",
                                     "Resource_List.place": "vscatter"}))
    whole = int(server.status(VNODE, names[0])[0]["resources_available.ncpus"])
    assert vnodes_of(server, first) in ([names[0], names[2]], [names[1], names[3]])
    # Two free vnodes are left that lie in two sets: a job of two vnodes waits.
    server.delete(first)
    blockers = [server.submit(Job(attrs={
        "Resource_List.select": "1:ncpus=%d:vnode=%s" % (whole, name)})) for name in names[:2]]
    for jid in blockers:
        server.expect(JOB, {"job_state": "R"}, id=jid)
    late = server.submit(Job(attrs={"Resource_List.select": "2:ncpus=%d" % whole}))
    server.expect(JOB, {"comment": "Not Running: Placement set switch=B has too few free resources"},
                  id=late)
    qmgr(cluster, "set sched default do_not_span_psets=True")
    never = server.submit(Job(attrs={"Resource_List.select": "3:ncpus=%d" % whole}))
    server.expect(JOB, {"comment": "Can Never Run: can't fit in the largest placement set, "
                                   "and can't span psets"}, id=never)
    server.delete(blockers[1])
    assert vnodes_of(server, late) == [names[1], names[3]]
    for jid in (blockers[0], late, never):
        server.delete(jid)


def test_the_log_says_which_sets_are_tried(cluster):
    """To those who have asked for such lines (scheduling.md 16)."""
    server, sched = cluster.server, cluster.scheduler
    wire(cluster, "ABBB")
    qmgr(cluster, "set server node_group_enable=True; set server node_group_key=switch")
    whole = int(server.status(VNODE, cluster.vnode_names()[0])[0]["resources_available.ncpus"])
    want = Job(attrs={"Resource_List.select": "2:ncpus=%d" % whole})
    silent = server.submit(want)
    server.expect(JOB, {"job_state": "R"}, id=silent)
    sched.log_match("placement set", existence=False)
    server.delete(silent)
    qmgr(cluster, "set sched default log_events=2047")
    jid = server.submit(want)
    for line in ("Evaluating placement set: switch=A",
                 "Placement set switch=A is too small: Insufficient amount of resource: "
                 "ncpus (R: %d A: %d T: %d)" % (2 * whole, whole, whole),
                 "Evaluating placement set: switch=B"):
        sched.log_match(";0400;pbs_sched;Job;%s;%s" % (jid, line))
    server.expect(JOB, {"job_state": "R"}, id=jid)
    late = server.submit(want)  # one vnode of B is left
    server.expect(JOB, {"comment": (MATCH_RE, "Placement set switch=B has too few")}, id=late)
    sched.log_match(";0400;pbs_sched;Job;%s;Evaluating placement set: switch=B" % late)
    server.delete(jid)
    server.expect(JOB, {"job_state": "R"}, id=late)
    server.delete(late)


def test_a_reservation_lies_in_one_set(cluster):
    server = cluster.server
    wire(cluster, "ABBA")
    names = cluster.vnode_names()
    r = Reservation(select="2:ncpus=1", start=time.time() + 3600, duration=600, interactive=60,
                    options=["-l", "place=vscatter:group=switch"])
    rid = server.submit(r)
    assert r.answer.split()[-1] == "CONFIRMED"
    text = server.status(RESV, rid)[0]["resv_nodes"]
    assert text == "(%s:ncpus=1)+(%s:ncpus=1)" % (names[0], names[3])
