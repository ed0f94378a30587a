# SPDX-License-Identifier: Apache-2.0
"""Routing queues whose destinations are at another server (attributes.md 12)."""
import os
import random
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.two_servers import *

pytestmark = needs_root


@pytest.fixture
def routing(two):
    """alpha sends the jobs of its queue "in" to beta; the function sets what is different."""
    a, b = two
    a.server.manager(MGR_CMD_CREATE, QUEUE,
                     {"queue_type": "Route", "enabled": "True", "started": "True",
                      "route_retry_time": "2", "route_destinations": "workq@" + b.address},
                     id="in")

    def change(**attrs):
        a.server.manager(MGR_CMD_SET, QUEUE, attrs, id="in")
    try:
        yield a, b, change
    finally:
        if not b.server.is_up():
            b.server.start()
        a.no_jobs()
        a.server.manager(MGR_CMD_DELETE, QUEUE, id="in")


def submit(c, *options):
    return c.run(["qsub", "-q", "in"] + list(options) + ["--", "/bin/true"],
                 user=USER1).stdout.strip()


def test_a_job_goes_where_it_is_sent(routing):
    a, b, _ = routing
    jid = submit(a, "-l", "walltime=600", "-N", "far")
    wait_for("the job at beta", lambda: state(b, jid) == "Q")
    wait_for("its mark here", lambda: state(a, jid) == "M")
    there = full(b, jid)
    assert (there["queue"], there["Job_Name"]) == ("workq", "far")
    assert there["Resource_List.walltime"] == "00:10:00"
    a.server.accounting_match(";Q;%s;" % jid)
    a.server.accounting_match(";M;%s;destination=workq@%s" % (jid, b.host))
    b.server.accounting_match(";Q;%s;" % jid)
    assert a.run(["qdel", jid], user=USER1, check=False).returncode == 0
    wait_for("its end", lambda: state(b, jid) == "F")


def test_the_next_destination_has_its_turn(routing):
    a, b, change = routing
    change(route_destinations="nosuch@%s,workq@localhost:1,workq@%s" % (b.address, b.address))
    jid = submit(a)
    wait_for("the job at beta", lambda: state(b, jid) == "Q")
    change(route_destinations="nosuch@%s,workq" % b.address)
    jid = submit(a)
    a.server.expect(JOB, {"queue": "workq"}, id=jid)
    assert state(b, jid) is None


def test_nobody_takes_it(routing):
    a, b, change = routing
    change(route_destinations="nosuch@" + b.address)
    jid = submit(a)
    a.server.accounting_match(";A;%s;Job rejected by all possible destinations" % jid)
    wait_for("its end", lambda: state(a, jid) == "F")
    assert state(b, jid) is None


def test_a_closed_queue_is_asked_again(routing):
    a, b, _ = routing
    b.server.manager(MGR_CMD_SET, QUEUE, {"enabled": "False"}, id="workq")
    jid = submit(a)
    a.server.log_match("%s;Job stays here, the other server" % jid)
    a.server.expect(JOB, {"job_state": "Q", "queue": "in"}, id=jid)
    b.server.manager(MGR_CMD_SET, QUEUE, {"enabled": "True"}, id="workq")
    wait_for("the job at beta", lambda: state(b, jid) == "Q")


def test_a_server_that_is_away_is_asked_again(routing):
    a, b, _ = routing
    b.server.kill()
    jid = submit(a)
    a.server.log_match("%s;Job stays here, the other server" % jid)
    a.server.expect(JOB, {"job_state": "Q", "queue": "in"}, id=jid)
    b.server.start()
    wait_for("the job at beta", lambda: state(b, jid) == "Q")


def test_a_held_job_goes_where_that_is_wanted(routing):
    a, b, change = routing
    jid = submit(a, "-h")
    a.server.expect(JOB, {"job_state": "H", "queue": "in"}, id=jid)
    change(route_held_jobs="True")
    wait_for("the job at beta", lambda: state(b, jid) == "H")


def test_no_job_is_lost_and_none_runs_twice(routing):
    """Servers are killed while the queue sends jobs on; each job leaves one line."""
    a, b, change = routing
    rng = random.Random(815)
    mark = os.path.join(a.root, "tmp", "routed")
    change(started="False")
    jobs = [a.server.submit(Job(USER1, attrs={"queue": "in"},
                                script="#!/bin/sh\necho $PBS_JOBID >> %s\n" % mark))
            for _ in range(12)]
    change(started="True")
    for _ in range(6):
        time.sleep(rng.random() * 0.1)  # at any moment; nothing is waited for
        victim = rng.choice((a, b))
        victim.server.kill()
        victim.server.start()
    for jid in jobs:
        wait_for("the move of " + jid, lambda: state(a, jid) == "M", 120)
    b.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    for jid in jobs:
        wait_for("the end of " + jid, lambda: state(b, jid) == "F")
    assert sorted(l.strip() for l in open(mark)) == sorted(jobs)
