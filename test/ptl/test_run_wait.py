# SPDX-License-Identifier: Apache-2.0
"""What a scheduler's attributes say of its talk with the server: whether it waits for the MoM of a
job that it runs (job_run_wait, scheduling.md 19), and how often it writes comments
(attr_update_period, scheduling.md 30)."""
import os
import re

import pytest

from holdfast import *
from holdfast.services import wait_for


@pytest.fixture(scope="module")
def cluster():
    with Cluster() as c:
        c.server.manager(MGR_CMD_SET, SCHED, {"log_events": "2047"}, id="default")
        yield c


@pytest.fixture
def empty(cluster):
    yield cluster
    cluster.no_jobs()


def submit(cluster, select="1:ncpus=1", *options):
    return cluster.run(["qsub", "-l", "select=" + select, *options, "--", "/bin/sleep", "1000"],
                       user=USER1).stdout.strip()


def set_sched(cluster, **values):
    cluster.server.manager(MGR_CMD_SET, SCHED, values, id="default")


def unset_sched(cluster, *names):
    for name in names:
        cluster.server.manager(MGR_CMD_UNSET, SCHED, {name: None}, id="default")


def cycle(cluster):
    """One more cycle has ended."""
    def count():
        return sum("Leaving Scheduling Cycle" in l for l in cluster.scheduler.log_lines())
    before = count()
    set_sched(cluster, scheduling="True")
    wait_for("a cycle", lambda: count() > before)


def comment(cluster, jid):
    return cluster.server.status(JOB, id=jid)[0].get("comment")


def test_a_run_that_the_mom_refuses(empty):
    """16365: who waits for the MoM hears of it. She has no place to keep the job, and is out of the question from then on;
    the comments of later cycles are held back."""
    jobs = os.path.join(empty.home, "mom_priv/jobs")
    set_sched(empty, job_run_wait="execjob_hook", attr_update_period="100000")
    os.rename(jobs, jobs + ".aside")
    try:
        jid = submit(empty)
        empty.scheduler.log_match(r";0040;pbs_sched;Job;%s;Failed to run: .* \(\d+\)$" % re.escape(jid),
                                  regexp=True)
        wait_for("its comment", lambda: re.match("Not Running: PBS Error: .", comment(empty, jid) or ""))
    finally:
        os.rename(jobs + ".aside", jobs)
    unset_sched(empty, "job_run_wait", "attr_update_period")
    assert not any(";%s;Job run" % jid in l for l in empty.scheduler.log_lines())
    empty.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=jid)


@pytest.mark.parametrize("wait", ["none", "runjob_hook", "execjob_hook"])
def test_jobs_run_whatever_is_waited_for(empty, wait):
    set_sched(empty, job_run_wait=wait)
    jid = submit(empty)
    empty.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=jid)
    empty.scheduler.log_match("%s;Job run" % jid)
    unset_sched(empty, "job_run_wait")


def test_comments_wait_for_their_period(empty):
    """The first cycle after a change of the period writes, the next ones do not, and the log says
    each reason all the same."""
    set_sched(empty, attr_update_period="100000")
    first = submit(empty, "1:ncpus=1000")
    wait_for("the first comment", lambda: comment(empty, first))
    second = submit(empty, "1:ncpus=2000")
    empty.scheduler.log_match(";0040;pbs_sched;Job;%s;Insufficient amount of resource: ncpus" % second)
    cycle(empty)
    assert comment(empty, second) is None
    set_sched(empty, attr_update_period="200000")
    cycle(empty)
    wait_for("the second comment", lambda: comment(empty, second))
    unset_sched(empty, "attr_update_period")


def test_kinds_of_jobs_are_counted(empty):
    set_sched(empty, scheduling="False")
    for select in ("1:ncpus=1000", "1:ncpus=1000", "1:ncpus=2000"):
        submit(empty, select)
    set_sched(empty, scheduling="True")
    empty.scheduler.log_match(";0400;pbs_sched;Sched;create_resresv_sets;"
                              "Number of job equivalence classes: 2")
