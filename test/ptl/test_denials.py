# SPDX-License-Identifier: Apache-2.0
"""What a denied pbs_rsub is told, and what is promised instead of a denial."""
from holdfast import *


def whole(cluster):
    name = cluster.vnode_names()[0]
    return int(cluster.server.status(VNODE, name)[0]["resources_available.ncpus"])


def test_jobs_without_a_walltime_are_named(cluster):
    server, names = cluster.server, cluster.vnode_names()
    jid = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1:vnode=%s" % names[0]}))
    server.expect(JOB, {"job_state": "R"}, id=jid)
    select = "%d:ncpus=%d" % (len(names), whole(cluster))
    r = Reservation(select=select, start=86400, duration=600, interactive=60)
    rid = server.submit(r)
    assert r.answer.split()[-1] == "DENIED"
    cluster.scheduler.log_match(
        "%s;Note: jobs without a walltime may never give back their vnodes: %s" % (rid, jid))
    server.delete(jid)


def test_a_vnode_that_is_offline_today_is_promised_for_tomorrow(cluster):
    server, names = cluster.server, cluster.vnode_names()
    server.manager(MGR_CMD_SET, NODE, {"state": "offline"}, id=names[0])
    server.expect(VNODE, {"state": "offline"}, id=names[0])
    select = "%d:ncpus=%d" % (len(names), whole(cluster))
    soon = Reservation(select=select, start=300, duration=600, interactive=60)
    server.submit(soon)
    assert soon.answer.split()[-1] == "DENIED"
    late = Reservation(select=select, start=86400, duration=600, interactive=60)
    rid = server.submit(late)
    assert late.answer.split()[-1] == "CONFIRMED"
    seen = server.status(RESV, rid)[0]
    assert (seen["reserve_state"], seen["reserve_substate"]) == ("RESV_DEGRADED", "10"), seen
    assert "reserve_retry" in seen
    server.manager(MGR_CMD_SET, NODE, {"state": "free"}, id=names[0])
    server.expect(RESV, {"reserve_substate": "2"}, id=rid)
