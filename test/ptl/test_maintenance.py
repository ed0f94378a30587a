# SPDX-License-Identifier: Apache-2.0
"""Maintenance reservations and what they do to others (reservations.md 14)."""
import re
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *

HEALTHY = {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 2}
CONFLICT = {"reserve_state": "RESV_DEGRADED", "reserve_substate": 12}
RUNS_IN_CONFLICT = {"reserve_state": "RESV_RUNNING", "reserve_substate": 12}


@pytest.fixture
def site(cluster):
    """Five vnodes, each on a host of its own, and an operator who is not root."""
    for i in range(5):
        cluster.server.manager(MGR_CMD_SET, NODE, {"resources_available.host": "h%d" % i},
                               id="vn[%d]" % i)
    cluster.server.manager(MGR_CMD_SET, SERVER, {"operators": ("+=", USER2 + "@*")})
    return cluster


def maintain(site, *hosts, start=60, duration=600, user=USER2, check=True, more=()):
    argv = ["pbs_rsub", "--hosts"] + list(hosts) + list(more)
    if start is not None:
        argv += ["-R", Reservation.clock(start), "-D", str(duration)]
    return site.run(argv, user=user, check=check)


def maintenance(site, *hosts, **kwargs):
    """Its id."""
    out = maintain(site, *hosts, **kwargs).stdout
    assert re.fullmatch(r"M\d+\.%s CONFIRMED\n" % re.escape(site.host), out), out
    return out.split()[0]


def confirmed(server, **kwargs):
    rid = server.submit(Reservation(**kwargs))
    server.expect(RESV, HEALTHY, id=rid)
    return rid


def test_it_has_all_vnodes_of_its_hosts_and_nobody_is_asked(site):
    server = site.server
    site.scheduler.stop()
    mid = maintenance(site, "h1", "h3", more=["-N", "disks"])
    resv = server.expect(RESV, HEALTHY, id=mid)
    assert resv["resv_nodes"] == "(vn[1]:ncpus=2)+(vn[3]:ncpus=2)"
    assert resv["Resource_List.select"] == "host=h1:ncpus=2+host=h3:ncpus=2"
    assert resv["Resource_List.place"] == "exclhost"
    assert resv["Reserve_Name"] == "disks"
    assert resv["partition"] == "pbs-default"
    assert server.status(QUEUE, queue_of(mid))[0]["enabled"] == "True"
    server.accounting_match(r";U;%s;requestor=%s@" % (mid, USER2), regexp=True)
    server.accounting_match(r";Y;%s;requestor=%s@\S+ start=\d+ end=\d+ nodes=\(vn\[1\]"
                            % (mid, USER2), regexp=True)


def test_vnodes_out_of_order_do_not_degrade_it(site):
    server = site.server
    set_offline(server, "vn[2]")
    mid = maintenance(site, "h2", start=5)
    resv = server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=mid)
    assert "reserve_retry" not in resv
    set_offline(server, "vn[1]")  # the rules have looked at all vnodes when this is done
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=mid)


def test_while_it_runs_nobody_else_starts_there(site):
    server = site.server
    foreign = running_job(server, select="1:ncpus=1:host=h0")
    mid = maintenance(site, "h0", start=5)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=mid)
    vnode = server.expect(NODE, {"state": (MATCH_RE, "resv-exclusive")}, id="vn[0]")
    assert vnode["resources_assigned.ncpus"] == "3"  # two of it, one of the job
    server.expect(JOB, {"job_state": "R"}, id=foreign)
    late = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1:host=h0"}))
    own = server.submit(Job(user=USER2, attrs={"Resource_List.select": "1:ncpus=2:host=h0",
                                               "queue": queue_of(mid)}))
    server.expect(JOB, {"job_state": "R"}, id=own)
    server.expect(JOB, {"job_state": "Q", "comment": (SET, None)}, id=late)
    server.delete(mid)
    is_gone(server, RESV, mid)
    server.expect(JOB, {"job_state": "R"}, id=late)


def test_jobs_it_meets_are_told_without_force(site):
    server = site.server
    walltime = {"Resource_List.walltime": "01:00:00"}
    jid = running_job(server, select="1:ncpus=1:host=h0", **walltime)
    mid = maintenance(site, "h0")
    resv = server.status(RESV, mid)[0]
    assert resv["oversubscribed_jobs"] == jid
    assert resv["oversubscribed_on"].startswith("%s on vn[0] from " % jid)


def test_one_that_has_not_begun_is_given_other_vnodes(site):
    server = site.server
    rid = confirmed(server, select="2:ncpus=2", start=120, duration=300)
    taken, kept = resv_nodes(server, rid)
    site.scheduler.stop()
    maintenance(site, "h" + taken[3], start=100)
    resv = server.expect(RESV, CONFLICT, id=rid)
    assert resv_nodes(server, rid) == [kept]
    assert "reserve_retry" in resv
    server.log_match("%s;An attempt to reconfirm reservation will be made on" % rid)
    site.scheduler.start()
    server.expect(RESV, dict(HEALTHY, reserve_retry=(UNSET, None)), id=rid)
    after = resv_nodes(server, rid)
    assert len(after) == 2 and taken not in after
    assert len([l for l in server.accounting_lines() if ";Y;%s;" % rid in l]) == 2


def test_windows_that_touch_do_not_meet(site):
    server = site.server
    start = int(time.time()) + 200
    rid = confirmed(server, select="5:ncpus=2", start=start, end=start + 100)
    maintenance(site, "h0", start=start + 100, duration=50)
    maintenance(site, "h1", start=start - 50, duration=50)
    server.expect(RESV, HEALTHY, id=rid)
    maintenance(site, "h2", start=start + 99, duration=50)
    server.expect(RESV, CONFLICT, id=rid)


def test_one_that_runs_keeps_the_rest_until_its_end(site):
    server = site.server
    retry_soon(server, 1)
    rid = running_resv(server, select="3:ncpus=2", duration=600)
    before = resv_nodes(server, rid)
    jid = running_job(server, queue_of(rid))
    (used,) = job_vnodes(server, jid)
    lost = next(v for v in before if v != used)
    mid = maintenance(site, "h" + lost[3], start=300)
    server.expect(RESV, dict(RUNS_IN_CONFLICT, reserve_retry=(UNSET, None)), id=rid)
    assert resv_nodes(server, rid) == [v for v in before if v != lost]
    assert "resources_assigned.ncpus" not in server.status(NODE, lost)[0] or \
        server.status(NODE, lost)[0]["resources_assigned.ncpus"] == "0"
    server.expect(JOB, {"job_state": "R"}, id=jid)
    server.delete(mid)
    is_gone(server, RESV, mid)
    server.expect(RESV, RUNS_IN_CONFLICT, id=rid)
    refused = site.run(["pbs_ralter", "-l", "select=2:ncpus=2", rid], check=False)
    assert (refused.returncode, refused.stderr.split("\n")[0]) == \
        (15016 & 255, "pbs_ralter: Request invalid for state of job")


def test_a_job_whose_vnode_has_left_is_named_and_runs_on(site):
    """It is named in the log of the scheduler (reservations.md 11)."""
    server = site.server
    rid = running_resv(server, select="3:ncpus=2", duration=600)
    jid = running_job(server, queue_of(rid))
    (used,) = job_vnodes(server, jid)
    line = "%s;Job has been assigned a node that doesn't exist in its reservation: " % jid
    mid = maintenance(site, "h" + used[3], start=300)
    server.expect(RESV, RUNS_IN_CONFLICT, id=rid)
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": True})
    site.scheduler.log_match(line + used)
    server.expect(JOB, {"job_state": "R"}, id=jid)
    assert not any(line in l and not l.endswith(used) for l in site.scheduler.log_lines())
    server.delete(mid)


def test_one_that_loses_all_starts_no_more_jobs(site):
    server = site.server
    rid = running_resv(server, select="1:ncpus=2", duration=600)
    (lost,) = resv_nodes(server, rid)
    maintenance(site, "h" + lost[3], start=300)
    resv = server.expect(RESV, dict(RUNS_IN_CONFLICT, resv_nodes=(UNSET, None)), id=rid)
    assert resv
    queue = server.status(QUEUE, queue_of(rid))[0]
    assert (queue["enabled"], queue["started"]) == ("True", "False")


def test_conflict_before_the_start_stays_when_it_begins(site):
    server = site.server
    rid = confirmed(server, select="5:ncpus=2", start=6, duration=300)
    maintenance(site, "h0", start=100)
    server.expect(RESV, CONFLICT, id=rid)
    server.expect(RESV, dict(RUNS_IN_CONFLICT, reserve_retry=(UNSET, None)), id=rid)


def test_maintenance_takes_nothing_from_maintenance(site):
    first = maintenance(site, "h0", "h1")
    second = maintenance(site, "h1", "h2")
    for mid in (first, second):
        site.server.expect(RESV, HEALTHY, id=mid)


def test_moved_maintenance_takes_what_is_there(site):
    server = site.server
    rid = confirmed(server, select="5:ncpus=2", start=3600, duration=600)
    mid = maintenance(site, "h4", start=60, duration=600)
    server.expect(RESV, HEALTHY, id=rid)
    site.run(["pbs_ralter", "-E", Reservation.clock(4000), mid], user=USER2)
    server.expect(RESV, dict(HEALTHY, reserve_duration=(GE, 3900)), id=mid)
    server.expect(RESV, CONFLICT, id=rid)


def test_later_occurrences_are_given_other_vnodes(site):
    """Maintenance over the second day of a series: that day moves at once, alone; with no
    room left it waits without vnodes, over a restart, until there is room again."""
    server = site.server
    retry_soon(server)
    start = int(time.time()) + 3600
    day2 = start + 86400
    made = site.run(["pbs_rsub", "-R", Reservation.clock(start), "-D", "600", "-I", "60",
                     "-r", "FREQ=DAILY;COUNT=3", "-l", "select=2:ncpus=2"],
                    user=USER1, env={"PBS_TZID": "UTC"})
    rid = made.stdout.split()[0]
    first = resv_nodes(server, rid)

    def others_get(n):
        """Are so many vnodes free for others on the second day?"""
        other = Reservation(select="%d:ncpus=2" % n, start=day2, duration=60, interactive=60)
        oid = server.submit(other)
        if other.answer.endswith("DENIED"):
            return False
        server.delete(oid, user=USER1)
        is_gone(server, RESV, oid)
        return True
    maintenance(site, "h" + first[0][3], start=day2 - 60)
    wait_for("a second Y record",
             lambda: len([l for l in server.accounting_lines() if ";Y;%s;" % rid in l]) == 2)
    server.expect(RESV, dict(HEALTHY, reserve_retry=(UNSET, None)), id=rid)
    assert resv_nodes(server, rid) == first and others_get(2) and not others_get(3)
    mid = maintenance(site, *["h%d" % i for i in range(5) if "vn[%d]" % i != first[0]],
                      start=day2)
    lacking = {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 10,
               "reserve_retry": (SET, None)}
    server.expect(RESV, lacking, id=rid)
    server.restart()
    server.expect(RESV, lacking, id=rid)
    server.delete(mid)
    is_gone(server, RESV, mid)
    server.expect(RESV, dict(HEALTHY, reserve_retry=(UNSET, None)), id=rid, deadline=60)
    assert resv_nodes(server, rid) == first and others_get(2) and not others_get(3)


def test_a_restart_keeps_the_conflict(site):
    server = site.server
    retry_soon(server, 1)
    rid = confirmed(server, select="5:ncpus=2", start=600, duration=600)
    mid = maintenance(site, "h0", start=600)
    server.expect(RESV, CONFLICT, id=rid)
    left = resv_nodes(server, rid)
    server.kill()
    server.start()
    server.expect(RESV, CONFLICT, id=rid)
    assert resv_nodes(server, rid) == left
    server.expect(RESV, HEALTHY, id=mid)
    server.delete(mid)
    server.expect(RESV, HEALTHY, id=rid)
    assert len(resv_nodes(server, rid)) == 5


@pytest.mark.parametrize("argv,line", [
    (["--hosts", "h0", "-I", "5"], "can't use -I with --hosts"),
    (["--hosts", "h0", "-l", "select=1"], "can't use -l with --hosts"),
    (["--hosts", "h0", "h1", "h0"], "Duplicate host: h0"),
    (["--hosts", "-D", "60"], "missing host(s)"),
])
def test_mistakes_on_the_command_line(site, argv, line):
    run = site.run(["pbs_rsub"] + argv, user=USER2, check=False)
    first, second = run.stderr.split("\n")[:2]
    assert (run.returncode, first) == (2, "pbs_rsub: " + line)
    assert second.startswith("usage: pbs_rsub")


def test_a_host_that_is_not_there(site):
    run = maintain(site, "h0", "nowhere", check=False)
    assert (run.returncode, run.stderr) == \
        (2, "pbs_rsub: Host with resources not found: nowhere\n")
    assert site.server.status(RESV) == []


def test_it_is_for_the_staff(site):
    if USER1 == USER2:
        pytest.skip("needs an account without rights: run as root")
    run = maintain(site, "h0", user=USER1, check=False)
    assert run.returncode == 15007 & 255
    assert run.stderr.split("\n")[0] == "pbs_rsub: Unauthorized Request "
    mid = maintenance(site, "h0")
    run = site.run(["pbs_rdel", mid], user=USER1, check=False)
    assert run.stderr.split("\n")[0] == "pbs_rdel: Unauthorized Request  " + mid


def test_a_time_in_the_past(site):
    run = maintain(site, "h0", start=time.time() - 4000, check=False)
    assert run.returncode == 15086 & 255
    assert run.stderr.split("\n")[0] == "pbs_rsub: Bad time specification(s)"
