# SPDX-License-Identifier: Apache-2.0
"""Reservations: submission, confirmation, start, end, deletion (story, steps 2, 3, 5)."""
import time

import pytest

from holdfast import *
from story import *


def test_a_reservation_is_unconfirmed_then_confirmed(cluster):
    server = cluster.server
    r = Reservation(select="3:ncpus=2", start=3600, duration=600)
    rid = server.submit(r)
    assert r.answer == rid + " UNCONFIRMED"
    resv = server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 2}, id=rid)
    assert resv["reserve_duration"] == "600"
    assert resv["Resource_List.select"] == "3:ncpus=2"
    assert resv["Resource_List.ncpus"] == "6"
    assert resv["Resource_List.nodect"] == "3"
    assert resv["Resource_List.walltime"] == "00:10:00"
    assert len(set(vnodes_of(resv["resv_nodes"]))) == 3
    assert resv["partition"] == "pbs-default"
    assert resv["queue"] == queue_of(rid)
    server.accounting_match(";U;%s;requestor=%s@" % (rid, USER1))
    server.accounting_match(r";Y;%s;requestor=Scheduler@\S+ start=\d+ end=\d+ nodes=\(vn" % rid,
                            regexp=True)
    server.log_match("Reservation confirmed")
    row = [l for l in cluster.run(["pbs_rstat"]).stdout.splitlines() if l.startswith(rid[:10])][0]
    assert " CO " in row and " / 600 / " in row


def test_waiting_for_the_answer_with_I(cluster):
    server = cluster.server
    r = Reservation(select="2:ncpus=2", start=3600, duration=600, interactive=60)
    rid = server.submit(r)
    assert r.answer == rid + " CONFIRMED"


def test_what_cannot_be_confirmed_is_denied_and_gone(cluster):
    server = cluster.server
    r = Reservation(select="6:ncpus=2", start=3600, duration=600, interactive=60)
    rid = server.submit(r)
    assert r.answer == rid + " DENIED"
    assert not server.status(RESV, rid)
    server.log_match("Reservation denied")
    server.accounting_match(";K;%s;" % rid)


def test_two_reservations_never_share_a_vnode(cluster):
    server = cluster.server
    at = time.time() + 3600
    first = server.submit(Reservation(select="3:ncpus=2", start=at, duration=600, interactive=60))
    second = server.submit(Reservation(select="2:ncpus=2", start=at + 300, duration=600,
                                       interactive=60))
    assert not set(resv_nodes(server, first)) & set(resv_nodes(server, second))
    third = Reservation(select="1:ncpus=1", start=at + 400, duration=60, interactive=60)
    server.submit(third)
    assert third.answer.endswith("DENIED")
    after = Reservation(select="3:ncpus=2", start=at + 600, duration=60, interactive=60)
    server.submit(after)
    assert after.answer.endswith("CONFIRMED")


def test_without_a_scheduler_it_waits_and_is_confirmed_later(cluster):
    cluster.scheduler.stop()
    server = cluster.server
    r = Reservation(select="1:ncpus=2", start=3600, duration=600, interactive=1)
    rid = server.submit(r)
    assert r.answer == rid + " UNCONFIRMED"
    cluster.scheduler.start()
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=rid)


def test_giving_up_after_a_negative_wait_deletes_it(cluster):
    cluster.scheduler.stop()
    server = cluster.server
    r = Reservation(select="1:ncpus=2", start=3600, duration=600, interactive=-1)
    rid = server.submit(r)
    assert r.answer == rid + " delete, wait period expired"
    is_gone(server, RESV, rid)


BAD = [
    (["-R", "+60", "-l", "select=1"], 238, "Bad time specification(s)"),
    (["-D", "600", "-l", "select=1"], 238, "Bad time specification(s)"),
    (["-R", "-600", "-E", "-60", "-l", "select=1"], 238, "Bad time specification(s)"),
    (["-R", "+600", "-E", "+60", "-l", "select=1"], 238, "Bad time specification(s)"),
    (["-R", "+60", "-D", "0", "-l", "select=1"], 238, "Bad time specification(s)"),
    (["-R", "+60", "-D", "60", "-l", "foo=1"], 187, "Unknown resource Resource_List.foo"),
    (["-R", "+60", "-D", "60", "-l", "select=1:foo=1"], 187, "Unknown resource: foo"),
    (["-R", "+60", "-D", "60", "-l", "select=1", "-l", "place=bogus"], 166,
     "Illegal attribute or resource value Resource_List.place"),
    (["-R", "+60", "-D", "xx", "-l", "select=1"], 166,
     "Illegal attribute or resource value Resource_List.walltime"),
    (["-R", "+60", "-D", "60", "-l", "select=1", "-W", "nosuch=1"], 154, "Undefined attribute"),
    (["-R", "+60", "-D", "60", "-l", "select=1", "-W", "reserve_state=5"], 155,
     "Cannot set attribute, read only or insufficient permission"),
    (["-R", "+60", "-D", "60", "-l", "select=1", "-W", "Priority=5000"], 166,
     "Illegal attribute or resource value"),
    (["-R", "+60", "-D", "60", "-l", "select=1", "-U", "a,a"], 207, "Duplicate entry in list"),
]


@pytest.mark.parametrize("argv,rc,text", BAD, ids=[" ".join(b[0]) for b in BAD])
def test_bad_submissions_are_refused_and_leave_nothing(cluster, argv, rc, text):
    args = [Reservation.clock(int(a)) if a[0] in "+-" and a[1:].isdigit() else a for a in argv]
    done = cluster.run(["pbs_rsub"] + args, user=USER1, check=False)
    assert (done.returncode, text in done.stderr) == (rc, True), done.stderr
    assert not cluster.server.status(RESV)


SECOND_LINES = [
    (["-R", "+60", "-l", "select=1"], "only -R was given"),
    (["-D", "600", "-l", "select=1"], "only -D was given"),
    (["-R", "-600", "-E", "-60", "-l", "select=1"], "the start -R is "),
    (["-R", "+600", "-E", "+60", "-l", "select=1"], "it has to be after the start -R, "),
    (["-R", "+60", "-D", "60", "-l", "foo=1"], 'the server has no resource "foo"'),
    (["-R", "+60", "-D", "60", "-l", "select=1:foo=1"], 'the server has no resource "foo"'),
    (["-R", "+60", "-D", "xx", "-l", "select=1"], 'Resource_List.walltime is "xx"; it has to be '
     "[[HH:]MM:]SS"),
    (["-R", "+60", "-D", "60", "-l", "select=1", "-W", "nosuch=1"],
     'a reservation has no attribute "nosuch"'),
    (["-R", "+60", "-D", "60", "-l", "select=1", "-W", "Priority=5000"], 'Priority is "5000"'),
    (["-R", "+60", "-D", "60", "-l", "select=1", "-N", "a/b"],
     'Reserve_Name is "a/b"; it has to be up to 230 letters, digits, -, _, + and .'),
    (["-R", "9999", "-D", "60"], '"9999" is no time; write [[[[CC]YY]MM]DD]hhmm[.SS]'),
    (["-I", "soon"], '"soon" is no whole number of seconds'),
    (["-R", "+60", "-D", "60", "-l", "select=1", "-m", "z"], 'Mail_Points is "z"'),
]


@pytest.mark.parametrize("argv,words", SECOND_LINES, ids=[" ".join(b[0]) for b in SECOND_LINES])
def test_a_second_line_says_what_to_change(cluster, argv, words):
    args = [Reservation.clock(int(a)) if a[0] in "+-" and a[1:].isdigit() else a for a in argv]
    done = cluster.run(["pbs_rsub"] + args, user=USER1, check=False)
    second = done.stderr.splitlines()[1]
    assert second.startswith("pbs_rsub: ") and words in second, done.stderr


def test_usage_mistakes_exit_with_2(cluster):
    for argv, text in ((["-R", "9999"], "pbs_rsub: illegal -R time value"),
                       (["-I", "soon"], "pbs_rsub: illegal -I time value"),
                       (["-l", "select"], None),
                       (["-q", "workq"], 'pbs_rsub: illegal -q value: format "@server"'),
                       (["-l", "ncpus=1,"], "pbs_rsub: illegal -l value"),
                       (["-W", ""], "pbs_rsub: illegal -W value"),
                       (["left", "over"], "pbs_rsub: directive error: left over ")):
        done = cluster.run(["pbs_rsub"] + argv, user=USER1, check=False)
        if text:
            assert (done.returncode, done.stderr.splitlines()[0]) == (2, text)


def test_root_may_not_own_a_reservation(cluster):
    if ROOTLESS:
        pytest.skip("needs root")
    with pytest.raises(PbsError) as e:
        cluster.server.submit(Reservation(user=None, start=3600, duration=60))
    assert "Bad effective UID for reservation" in e.value.err and e.value.rc == 15095 & 255


def test_resv_enable_false_refuses_all(cluster):
    cluster.server.manager(MGR_CMD_SET, SERVER, {"resv_enable": "False"})
    with pytest.raises(PbsError) as e:
        cluster.server.submit(Reservation(start=3600, duration=60))
    assert "reservations disallowed on %s" % cluster.host in e.value.err


def test_a_job_waits_for_the_start_runs_and_writes_its_output(cluster):
    server = cluster.server
    rid = server.submit(Reservation(select="2:ncpus=2", start=8, duration=600, interactive=60))
    jid = server.submit(Job(attrs={"queue": queue_of(rid), "Job_Name": "hello"},
                            script="#!/bin/sh\necho out of $PBS_JOBID in $PBS_QUEUE\n"
                                   "echo err >&2\nexit 3\n"))
    job = server.status(JOB, jid)[0]
    assert job["job_state"] == "Q" and job["queue"] == queue_of(rid)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)
    server.accounting_match(";B;%s;" % rid)
    line = server.accounting_match(";E;%s;" % jid)
    assert "Exit_status=3" in line and "resvID=%s" % rid in line
    is_gone(server, JOB, jid)
    number = jid.split(".")[0]
    out = cluster.output(USER1, "hello.o" + number)
    assert out == "out of %s in %s\n" % (jid, queue_of(rid))
    assert cluster.output(USER1, "hello.e" + number) == "err\n"


def test_queued_job_says_why_it_waits(cluster):
    server = cluster.server
    rid = server.submit(Reservation(select="1:ncpus=2", start=600, duration=60, interactive=60))
    jid = server.submit(Job(attrs={"queue": queue_of(rid)}))
    server.expect(JOB, {"comment": "Not Running: Queue not started."}, id=jid)


def test_jobs_outside_keep_off_the_reserved_vnodes(cluster):
    server = cluster.server
    rid = running_resv(server, select="3:ncpus=2")
    held = set(resv_nodes(server, rid))
    first = running_job(server, select="2:ncpus=2")
    assert not held & set(job_vnodes(server, first))
    waiting = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1"}))
    server.expect(JOB, {"job_state": "Q", "comment": (MATCH_RE, "Insufficient amount")},
                  id=waiting)


def test_other_users_may_not_use_it(cluster):
    if ROOTLESS:
        pytest.skip("needs a second account")
    server = cluster.server
    rid = server.submit(Reservation(start=600, duration=60, interactive=60))
    with pytest.raises(PbsError) as e:
        server.submit(Job(user=USER2, attrs={"queue": queue_of(rid)}))
    assert "Unauthorized Request" in e.value.err
    with pytest.raises(PbsError) as e:
        server.delete(rid, user=USER2)
    assert "Unauthorized Request" in e.value.err and e.value.rc == 159
    server.delete(rid, user=USER1)
    is_gone(server, RESV, rid)


def test_at_the_end_running_jobs_are_killed_and_all_is_free(cluster):
    server = cluster.server
    rid = running_resv(server, select="2:ncpus=2", duration=15)
    jid = running_job(server, queue_of(rid), script="#!/bin/sh\nexec sleep 3000\n")
    is_gone(server, RESV, rid)
    is_gone(server, JOB, jid)
    server.accounting_match(";K;%s;requestor=" % rid)
    assert queue_of(rid) not in [q["id"] for q in server.status(QUEUE)]
    all_is_free(cluster)


def test_deleting_a_running_one_takes_its_jobs_along(cluster):
    server = cluster.server
    rid = running_resv(server, select="2:ncpus=2")
    running = running_job(server, queue_of(rid), script="#!/bin/sh\nexec sleep 3000\n")
    queued = server.submit(Job(attrs={"queue": queue_of(rid),
                                      "Resource_List.select": "2:ncpus=2"}))
    server.delete(rid, user=USER1)
    for jid in (running, queued):
        is_gone(server, JOB, jid)
    is_gone(server, RESV, rid)
    server.accounting_match(";k;%s;requestor=%s@" % (rid, USER1))
    all_is_free(cluster)


def test_an_idle_one_deletes_itself(cluster):
    server = cluster.server
    rid = running_resv(server, select="1:ncpus=2", options=["-W", "delete_idle_time=3"])
    is_gone(server, RESV, rid)
    server.log_match("Deleting reservation after being idle for 3 seconds")


def test_place_is_shown_behind_select(cluster):
    """As clients have always seen it, whether it was asked for or not."""
    for select, members in ((None, ["ncpus", "nodect", "select", "place", "walltime"]),
                            ("pack", ["ncpus", "nodect", "select", "place", "walltime"])):
        r = Reservation(start=3600, duration=600, interactive=30,
                        options=["-l", "place=" + select] if select else [])
        rid = cluster.server.submit(r)
        text = cluster.run(["pbs_rstat", "-f", rid]).stdout
        assert [line.split(" = ")[0].split(".")[1] for line in text.splitlines()
                if line.startswith("Resource_List.")] == members


def test_a_job_may_ask_for_what_its_reservation_does_not_name(cluster):
    """That is the vnode's own: 2 GB each."""
    server = cluster.server
    rid = server.submit(Reservation(select="1:ncpus=2:vnode=vn[1]", start=3, duration=600))
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)
    queue = rid.split(".")[0]
    fits, too_much, again = (server.submit(Job(attrs={
        "queue": queue, "Resource_List.select": "1:ncpus=1:mem=" + mem}))
        for mem in ("1500mb", "3gb", "1gb"))
    server.expect(JOB, {"job_state": "R", "exec_vnode": "(vn[1]:ncpus=1:mem=1536000kb)"}, id=fits)
    for jid in (too_much, again):
        server.expect(JOB, {"comment": (MATCH_RE,
                                        "^Not Running: Insufficient amount of resource: mem")}, id=jid)
    outside = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=0:mem=1gb:vnode=vn[1]"}))
    server.expect(JOB, {"comment": (MATCH_RE, "Insufficient amount of resource: mem")}, id=outside)
    server.delete(fits)
    server.expect(JOB, {"job_state": "R"}, id=again)


def test_its_end_lets_jobs_outside_run(cluster):
    """A cycle follows the end of a reservation; the next one by itself is an hour away."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduler_iteration": 3600})
    rid = running_resv(server, select="5:ncpus=2", start=4, duration=20)
    jid = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1"}))
    server.expect(JOB, {"job_state": "Q", "comment": (SET, None)}, id=jid)
    server.expect(SERVER, {"server_state": "Active"})
    is_gone(server, RESV, rid)
    server.expect(JOB, {"job_state": "R"}, id=jid)


def test_an_end_that_is_moved_forward_frees_its_vnodes(cluster):
    """For another reservation when it has not begun, and for jobs when it runs."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduler_iteration": 3600})
    start = int(time.time()) + 3600

    def half():
        r = Reservation(select="5:ncpus=2", start=start + 1800, duration=1800, interactive=60)
        server.submit(r)
        return r.answer.split()[-1]
    waits = server.submit(Reservation(select="5:ncpus=2", start=start, duration=3600,
                                      interactive=60))
    assert half() == "DENIED"
    cluster.run(["pbs_ralter", "-I", "60", "-E", Reservation.clock(start + 1800), waits],
                user=USER1)
    assert half() == "CONFIRMED"
    runs = running_resv(server, select="5:ncpus=2", start=4, duration=900)
    jid = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1",
                                   "Resource_List.walltime": "60"}))
    server.expect(JOB, {"job_state": "Q", "comment": (SET, None)}, id=jid)
    end = Reservation.clock(3)
    done = cluster.run(["pbs_ralter", "-I", "60", "-E", end, runs], user=USER1)
    assert done.stdout.endswith(" CONFIRMED\n")
    is_gone(server, RESV, runs)
    server.expect(JOB, {"job_state": "R"}, id=jid)
