# SPDX-License-Identifier: Apache-2.0
"""A vnode of a reservation is lost: degraded, retried, re-made (story, step 4)."""
import re
import time

from holdfast import *
from holdfast.services import wait_for
from story import *


def test_a_running_one_loses_an_idle_vnode_and_only_that_is_replaced(cluster):
    server = cluster.server
    retry_soon(server)
    rid = running_resv(server)
    before = resv_nodes(server, rid)
    jid = running_job(server, queue_of(rid))
    kept = job_vnodes(server, jid)
    lost = next(v for v in before if v not in kept)
    set_offline(server, lost)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 10,
                         "reserve_retry": (SET, None)}, id=rid)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5,
                         "reserve_retry": (UNSET, None)}, id=rid)
    after = resv_nodes(server, rid)
    assert lost not in after
    assert set(before) - {lost} <= set(after), "a usable vnode was given away"
    assert len(set(after)) == 3
    lines = [l for l in server.accounting_lines() if ";Y;%s;" % rid in l]
    assert len(lines) == 2
    assert re.search(r";requestor=Scheduler@\S+ start=\d+ end=\d+ nodes=\(vn", lines[-1])
    assert lost not in lines[-1]
    server.expect(JOB, {"job_state": "R"}, id=jid)


def test_it_waits_for_the_job_on_the_lost_vnode(cluster):
    server = cluster.server
    gate = Gate(cluster)
    retry_soon(server, 1)
    rid = running_resv(server)
    jid = running_job(server, queue_of(rid), script=script_until(gate.path))
    lost = job_vnodes(server, jid)[0]
    set_offline(server, lost)
    server.expect(RESV, {"reserve_substate": 10}, id=rid)
    cluster.scheduler.log_match("Reservation has running jobs in it")
    assert lost in resv_nodes(server, rid)
    server.expect(JOB, {"job_state": "R"}, id=jid)
    gate.open()
    is_gone(server, JOB, jid)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=rid)
    assert lost not in resv_nodes(server, rid)


def test_a_vnode_that_comes_back_heals_it_without_a_Y_record(cluster):
    server = cluster.server
    retry_soon(server, 600)
    rid = running_resv(server, select="5:ncpus=2")
    set_offline(server, "vn[1]")
    server.expect(RESV, {"reserve_substate": 10}, id=rid)
    set_free(server, "vn[1]")
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5,
                         "reserve_retry": (UNSET, None)}, id=rid)
    assert len([l for l in server.accounting_lines() if ";Y;%s;" % rid in l]) == 1


def test_before_the_start_it_is_degraded_and_moves(cluster):
    server = cluster.server
    retry_soon(server)
    rid = server.submit(Reservation(select="2:ncpus=2", start=3600, duration=600, interactive=60))
    lost = resv_nodes(server, rid)[0]
    set_offline(server, lost)
    server.expect(RESV, {"reserve_state": "RESV_DEGRADED", "reserve_substate": 10}, id=rid)
    server.log_match("An attempt to reconfirm reservation will be made on ")
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 2}, id=rid)
    assert lost not in resv_nodes(server, rid)


def test_the_cutoff_stops_no_attempt(cluster):
    """The start is nearer than reserve_retry_cutoff, and the vnode is replaced."""
    server = cluster.server
    retry_soon(server)
    server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_cutoff": 7200})
    rid = server.submit(Reservation(select="2:ncpus=2", start=600, duration=600, interactive=60))
    lost = resv_nodes(server, rid)[0]
    set_offline(server, lost)
    wait_for("another vnode", lambda: lost not in resv_nodes(server, rid))
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 2,
                         "reserve_retry": (UNSET, None)}, id=rid)


def test_while_there_is_no_room_it_is_tried_again_and_again(cluster):
    server = cluster.server
    retry_soon(server, 1)
    rid = server.submit(Reservation(select="5:ncpus=2", start=3600, duration=600, interactive=60))
    set_offline(server, "vn[0]")
    server.expect(RESV, {"reserve_state": "RESV_DEGRADED"}, id=rid)
    first = int_retry(server, rid)
    server.log_match("Next attempt to reconfirm reservation will be made on ")
    wait_for("a later retry", lambda: int_retry(server, rid) > first)
    assert server.status(RESV, rid)[0]["reserve_state"] == "RESV_DEGRADED"


def int_retry(server, rid):
    text = server.status(RESV, rid)[0].get("reserve_retry")
    return time.mktime(time.strptime(text)) if text else 0


def test_attempt_is_made_right_before_the_start(cluster):
    server = cluster.server
    retry_soon(server, 600)
    rid = server.submit(Reservation(select="2:ncpus=2", start=15, duration=600, interactive=60))
    resv = server.status(RESV, rid)[0]
    lost = resv_nodes(server, rid)[0]
    set_offline(server, lost)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=rid)
    assert lost not in resv_nodes(server, rid)
    start = time.mktime(time.strptime(resv["reserve_start"]))
    lines = [l for l in server.accounting_lines() if ";Y;%s;" % rid in l]
    made = time.mktime(time.strptime(lines[-1].split(";")[0], "%m/%d/%Y %H:%M:%S"))
    assert made < start, "the vnode was replaced only at the start"


def test_losing_the_mom_degrades_and_its_return_heals(cluster):
    server = cluster.server
    retry_soon(server, 600)
    rid = running_resv(server)
    cluster.mom.stop()
    server.expect(VNODE, {"state": (MATCH_RE, "down")}, id="vn[0]")
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 10}, id=rid)
    cluster.mom.start()
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=rid)
    server.expect(VNODE, {"state": (MATCH_RE, "free|job-busy|resv-exclusive")}, id="vn[0]")


def test_settings_of_attempts_are_written_by_managers_and_read_by_all(cluster):
    server = cluster.server
    for name, value in (("reserve_retry_init", 90), ("reserve_retry_time", 80),
                        ("reserve_retry_now", "True")):
        server.manager(MGR_CMD_SET, SERVER, {name: value})
    seen = cluster.run(["qstat", "-Bf"], user=USER1).stdout
    assert "reserve_retry_time = 80\n" in seen and "reserve_retry_now = True\n" in seen
    if not ROOTLESS:
        for name in ("reserve_retry_time", "reserve_retry_init", "reserve_retry_now",
                     "reserve_retry_cutoff"):
            done = cluster.run(["qmgr", "-c", "set server %s = 1" % name], user=USER1,
                               check=False)
            assert done.returncode != 0 and "Unauthorized Request" in done.stderr, done
    assert server.status(SERVER)[0]["reserve_retry_time"] == "80"


def test_with_reserve_retry_now_it_is_made_anew_at_once(cluster):
    server = cluster.server
    retry_soon(server, 3600)
    server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_now": "True"})
    rid = running_resv(server)
    lost = resv_nodes(server, rid)[0]
    set_offline(server, lost)
    wait_for("another vnode", lambda: lost not in resv_nodes(server, rid))
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5,
                         "reserve_retry": (UNSET, None)}, id=rid)


def test_the_attempt_follows_the_end_of_the_job_that_was_in_the_way(cluster):
    server = cluster.server
    gate = Gate(cluster)
    retry_soon(server, 2)
    rid = running_resv(server)
    jid = running_job(server, queue_of(rid), script=script_until(gate.path))
    lost = job_vnodes(server, jid)[0]
    set_offline(server, lost)
    cluster.scheduler.log_match("Reservation has running jobs in it")
    retry_soon(server, 3600)
    wait_for("a late attempt", lambda: int_retry(server, rid) > time.time() + 1800)
    gate.open()
    is_gone(server, JOB, jid)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=rid)
    assert lost not in resv_nodes(server, rid)


def test_it_waits_for_the_job_on_a_vnode_in_maintenance(cluster):
    """An administrator suspends a job outside of it, so that the vnode of both is in
    maintenance. The job of the reservation there runs on, and is waited for."""
    server, gate = cluster.server, Gate(cluster)
    maintenance = {"state": (MATCH_RE, "maintenance")}
    retry_soon(server, 1)
    outside = running_job(server, select="1:ncpus=1:vnode=vn[0]")
    rid = running_resv(server, select="2:ncpus=1", options=["-l", "place=vscatter"])
    assert resv_nodes(server, rid) == ["vn[0]", "vn[1]"]
    jid = running_job(server, queue_of(rid), select="1:ncpus=1:vnode=vn[0]",
                      script=script_until(gate.path))
    cluster.run(["qsig", "-s", "admin-suspend", outside])
    server.expect(VNODE, maintenance, id="vn[0]")
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 10,
                         "reserve_retry": (SET, None)}, id=rid)
    cluster.scheduler.log_match("%s;PBS Failed to confirm resv: Reservation has running jobs in it"
                                % rid)
    assert resv_nodes(server, rid) == ["vn[0]", "vn[1]"]
    server.expect(JOB, {"job_state": "R", "substate": 42}, id=jid)
    gate.open()
    is_gone(server, JOB, jid)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=rid)
    after = resv_nodes(server, rid)
    assert "vn[0]" not in after and "vn[1]" in after and len(after) == 2
    server.expect(VNODE, maintenance, id="vn[0]")


def test_by_default_the_first_attempt_comes_after_ten_minutes(cluster):
    """As long as reserve_retry_time is unset, and again when it has been unset."""
    server = cluster.server
    rid = server.submit(Reservation(select="5:ncpus=2", start=7200, duration=600, interactive=60))
    for interval in (600, 37, 600):
        if interval != 600:
            retry_soon(server, interval)
        before = int(time.time())
        set_offline(server, "vn[0]")
        server.expect(RESV, {"reserve_substate": 10}, id=rid)
        assert before + interval <= int_retry(server, rid) <= time.time() + interval
        set_free(server, "vn[0]")
        server.expect(RESV, {"reserve_substate": 2, "reserve_retry": (UNSET, None)}, id=rid)
        if interval != 600:
            server.manager(MGR_CMD_UNSET, SERVER, {"reserve_retry_time": None})


DATE = r"\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}"


def attempts(server, rid):
    """(when it was said, for when) of each attempt that is announced, in seconds."""
    found = []
    for line in server.log_lines():
        said = re.search(";%s;.*ttempt to reconfirm reservation will be made on (%s)"
                         % (re.escape(rid), DATE), line)
        if said:
            at = time.mktime(time.strptime(line[:19], "%m/%d/%Y %H:%M:%S"))
            found.append((at, time.mktime(time.strptime(said.group(1)))))
    return found


def test_reserve_retry_is_the_time_of_the_next_attempt(cluster):
    """What everybody reads is what the log announces, and no attempt is made before it."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduler_iteration": 3600})
    retry_soon(server, 4)
    rid = server.submit(Reservation(select="5:ncpus=2", start=3600, duration=600, interactive=60))
    set_offline(server, "vn[0]")
    server.expect(RESV, {"reserve_state": "RESV_DEGRADED"}, id=rid)
    shown = set()

    def third():
        text = cluster.run(["pbs_rstat", "-f", rid], user=USER2).stdout
        shown.add(time.mktime(time.strptime(re.search("reserve_retry = (%s)\n" % DATE,
                                                      text).group(1))))
        return len(attempts(server, rid)) >= 3
    wait_for("two attempts in vain", third)
    told = attempts(server, rid)
    assert len(shown) >= 2 and shown <= {due for _, due in told}
    for (_, due), (said, _) in zip(told, told[1:]):
        assert said >= due
