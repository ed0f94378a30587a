# SPDX-License-Identifier: Apache-2.0
"""Jobs with min_walltime are shortened to fit before what is promised to others
(scheduling.md 21), on real daemons."""
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=1, ncpus=4, mock=True) as c:
        yield c


@pytest.fixture
def empty(site):
    yield site
    site.no_jobs()
    for resv in site.server.status(RESV):
        site.run(["pbs_rdel", resv["id"]], check=False)
    wait_for("no reservations", lambda: not site.server.status(RESV))


def seconds(text):
    h, m, s = text.split(":")
    return int(h) * 3600 + int(m) * 60 + int(s)


def submit(site, ncpus, *lengths):
    return site.run(["qsub", "-l", "select=1:ncpus=%d" % ncpus, *["-l%s" % l for l in lengths],
                     "--", "/bin/true"], user=USER1).stdout.strip()


def stime(job):
    return int(time.mktime(time.strptime(job["stime"], "%a %b %d %H:%M:%S %Y")))


def test_it_ends_where_the_reservation_begins(empty):
    rid = empty.server.submit(Reservation(select="1:ncpus=4", start=600, duration=60, interactive=30))
    start = int(time.mktime(time.strptime(empty.server.status(RESV, rid)[0]["reserve_start"])))
    jid = submit(empty, 2, "min_walltime=00:01:00", "max_walltime=10:00:00")
    job = empty.server.expect(JOB, {"job_state": "R"}, id=jid)
    length = job["Resource_List.walltime"]
    assert start - 2 <= stime(job) + seconds(length) <= start
    for text in ("Considering shrinking job to duration=%s, due to a reservation/top job conflict",
                 "Job will run for duration=%s"):
        empty.scheduler.log_match("%s;%s" % (jid, text % length))
    # A job that may not be shortened waits, and so does one that would be too short.
    for lengths in (["walltime=10:00:00"], ["min_walltime=09:00:00", "max_walltime=10:00:00"]):
        waits = submit(empty, 1, *lengths)
        empty.server.expect(JOB, {"job_state": "Q", "comment":
                                  "Not Running: Job would conflict with reservation or top job"},
                            id=waits)


def test_what_is_not_in_the_way_shortens_nothing(empty):
    first = submit(empty, 1, "min_walltime=60", "max_walltime=01:00:00")
    job = empty.server.expect(JOB, {"job_state": "R"}, id=first)
    assert job["Resource_List.walltime"] == "01:00:00"
    endless = submit(empty, 1, "min_walltime=60")
    assert "Resource_List.walltime" not in empty.server.expect(JOB, {"job_state": "R"}, id=endless)
    assert "Resource_List.walltime=01:00:00" in empty.server.accounting_match(";S;%s;" % first)
    empty.scheduler.log_match("%s;Considering shrinking" % first, existence=False)


def test_it_is_as_long_as_fits_when_it_runs_again(empty):
    """max_walltime counts anew; where there is none the walltime that it got stays."""
    rid = empty.server.submit(Reservation(select="1:ncpus=4", start=600, duration=60, interactive=30))
    jid = submit(empty, 2, "min_walltime=60", "max_walltime=01:00:00")
    job = empty.server.expect(JOB, {"job_state": "R"}, id=jid)
    assert seconds(job["Resource_List.walltime"]) <= 600
    empty.run(["pbs_rdel", rid])
    empty.run(["qrerun", jid])
    wait_for("another run", lambda: empty.server.status(JOB, jid)[0].get("run_count") == "2")
    job = empty.server.expect(JOB, {"job_state": "R"}, id=jid)
    assert job["Resource_List.walltime"] == "01:00:00"


@pytest.mark.parametrize("lengths, code", [
    (["max_walltime=10"], 15162), (["min_walltime=10", "max_walltime=5"], 15163),
    (["min_walltime=10", "soft_walltime=5"], 15180)])
def test_lengths_that_are_refused(empty, lengths, code):
    done = empty.run(["qsub", *["-l%s" % l for l in lengths], "--", "/bin/true"], check=False)
    assert done.returncode == code & 255, done.stderr


def test_limits_of_queues_hold_both_lengths(empty):
    """resources_max and resources_min of walltime (attributes.md 9, step 13)."""
    empty.run(["qmgr", "-c", "create queue q2 queue_type=e,enabled=true,started=true",
               "-c", "set queue q2 resources_max.walltime=100"])
    empty.run(["qmgr", "-c", "set queue q2 resources_min.walltime=10"])
    try:
        for lengths, refused in ((["min_walltime=10", "max_walltime=100"], False),
                                 (["min_walltime=10", "max_walltime=101"], True),
                                 (["min_walltime=9", "max_walltime=100"], True),
                                 (["min_walltime=101", "max_walltime=102"], True)):
            done = empty.run(["qsub", "-q", "q2", *["-l%s" % l for l in lengths], "--", "/bin/true"],
                             user=USER1, check=False)
            assert (done.returncode == 15036 & 255) == refused, (lengths, done.stderr)
    finally:
        for job in empty.server.status(JOB):
            empty.run(["qdel", "-Wforce", job["id"]], check=False)
        wait_for("no jobs", lambda: not empty.server.status(JOB))
        empty.run(["qmgr", "-c", "delete queue q2"])
