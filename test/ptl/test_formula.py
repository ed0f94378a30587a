# SPDX-License-Identifier: Apache-2.0
"""The job sort formula, its threshold and job_sort_key, on real daemons (scheduling.md 10, 24)."""
import pytest

from holdfast import *
from holdfast.services import wait_for


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=1, ncpus=4, mock=True) as c:
        c.server.manager(MGR_CMD_SET, SCHED, {"log_events": "2047"}, id="default")
        yield c


@pytest.fixture
def empty(site):
    yield site
    site.server.manager(MGR_CMD_UNSET, SERVER, {"job_sort_formula": "", "eligible_time_enable": ""})
    site.server.manager(MGR_CMD_UNSET, SCHED, {"job_sort_formula": "",
                                               "job_sort_formula_threshold": ""}, id="default")
    site.no_jobs()


def submit(site, *options):
    return site.run(["qsub", "-l", "select=1:ncpus=4", *options, "--", "/bin/true"],
                    user=USER1).stdout.strip()


def three(site):
    """Jobs of which one runs at a time; none does before scheduling is on."""
    site.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    return [submit(site, "-p", str(p), "-l", "walltime=%d" % w)
            for p, w in ((0, 300), (10, 200), (5, 100))]


def first(site, jobs):
    """Which of them runs."""
    site.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    site.server.expect(SERVER, {"server_state": "Active"})
    return wait_for("one that runs", lambda: [
        j["id"] for j in site.server.status(JOB) if j["job_state"] == "R"])


@pytest.mark.parametrize("formula, which", [
    ("job_priority", 1), ("-walltime", 2), ("walltime/100 if walltime > 250 else 0", 0),
    ("max(job_priority, 6) + sqrt(walltime)/1000", 1), ("1/0", 0)])
def test_the_formula_orders_jobs(empty, formula, which):
    jobs = three(empty)
    empty.run(["qmgr", "-c", "set server job_sort_formula='%s'" % formula])
    assert first(empty, jobs) == [jobs[which]]
    if formula == "job_priority":
        empty.scheduler.log_match("%s;Formula Evaluation = 10" % jobs[1])
    if formula == "1/0":
        empty.scheduler.log_match("%s;Formula evaluation for job had an error.  Zero value will be "
                                  "used: division by zero" % jobs[0])


def test_the_schedulers_own_formula_and_its_threshold(empty):
    jobs = three(empty)
    empty.run(["qmgr", "-c", "set sched default job_sort_formula=job_priority"])
    empty.run(["qmgr", "-c", "set sched default job_sort_formula_threshold=7"])
    assert first(empty, jobs) == [jobs[1]]
    for jid, value in ((jobs[0], "0"), (jobs[2], "5")):
        empty.server.expect(JOB, {"job_state": "Q", "comment":
                                  "Not Running: Job is under job_sort_formula threshold value"}, id=jid)
        empty.scheduler.log_match("%s;Job's formula value %s is under threshold 7" % (jid, value))
        empty.scheduler.log_match("%s;Job is under job_sort_formula threshold value" % jid)
    # Whom an administrator asks for runs all the same.
    empty.server.delete(jobs[1])
    wait_for("room", lambda: not empty.server.status(JOB, jobs[1]))
    empty.run(["qrun", jobs[2]])
    empty.server.expect(JOB, {"job_state": "R"}, id=jobs[2])


def test_who_waits_longer_comes_first(empty):
    """eligible_time grows while the scheduler is told nothing of the job."""
    empty.run(["qmgr", "-c", "set server eligible_time_enable=true"])
    empty.run(["qmgr", "-c", "set server job_sort_formula='eligible_time'"])
    runs = submit(empty)
    empty.server.expect(JOB, {"job_state": "R"}, id=runs)
    old = submit(empty)
    empty.server.expect(JOB, {"accrue_type": "2"}, id=old)
    wait_for("time", lambda: empty.server.status(JOB, old)[0]["eligible_time"] >= "00:00:03")
    submit(empty, "-p", "1000")
    empty.scheduler.log_match(r"%s;Formula Evaluation = [3-9]" % old.replace("[", r"\["), regexp=True)
    empty.server.delete(runs)
    empty.server.expect(JOB, {"job_state": "R"}, id=old)


def test_keys_of_the_configuration(empty):
    path = empty.scheduler.config("sched_config")
    with open(path) as f:
        before = f.read()
    try:
        with open(path, "a") as f:
            f.write('\njob_sort_key: "job_priority HIGH" ALL\n')
        empty.scheduler.reconfigure()
        jobs = three(empty)
        assert first(empty, jobs) == [jobs[1]]
        empty.scheduler.log_match(r";0100;[^;]*;Svr;;It is primetime\.  It will never end$",
                                  regexp=True)
        empty.run(["qmgr", "-c", "set server job_sort_formula=ncpus"])
        empty.scheduler.log_match("Job sorting formula and job_sort_key are incompatible.  "
                                  "The job sorting formula will be used.")
    finally:
        with open(path, "w") as f:
            f.write(before)
        empty.scheduler.reconfigure()


@pytest.mark.parametrize("text, code", [
    ("1+(", 15123), ("__import__(1)", 15124), ("(1).__class__", 15123), ("arch", 15125)])
def test_what_is_no_formula(empty, text, code):
    done = empty.run(["qmgr", "-c", "set server job_sort_formula='%s'" % text], check=False)
    assert str(code) in done.stderr, done.stderr
    assert "job_sort_formula" not in empty.server.status(SERVER)[0]
