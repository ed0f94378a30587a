# SPDX-License-Identifier: Apache-2.0
"""Strict ordering: the place of the first job that waits is kept, its start is estimated, and
others run meanwhile where they are not in its way (scheduling.md 20.3)."""
import time

import pytest

from holdfast import *
from holdfast.services import wait_for

IN_WAY = "Not Running: Job would conflict with reservation or top job"
BEHIND = "Not Running: Job would break strict sorted order"


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=1, ncpus=4, mock=True) as c:
        with open(c.scheduler.config("sched_config"), "a") as f:
            f.write("\nstrict_ordering: true ALL\n")
        c.scheduler.reconfigure()
        c.server.manager(MGR_CMD_SET, SCHED, {"opt_backfill_fuzzy": "off"}, id="default")
        yield c


@pytest.fixture
def empty(site):
    yield site
    site.no_jobs()
    site.server.manager(MGR_CMD_UNSET, SERVER, {"backfill_depth": "", "clear_topjob_estimates_enable": "",
                                                "max_run": ""})


def instant(text):
    return int(time.mktime(time.strptime(text, "%a %b %d %H:%M:%S %Y")))


def submit(site, ncpus, walltime, user=USER1):
    return site.run(["qsub", "-l", "select=1:ncpus=%d,walltime=%d" % (ncpus, walltime), "--",
                     "/bin/true"], user=user).stdout.strip()


def busy(site):
    """One job has 3 of the 4 cpus for an hour; another one wants all of them."""
    first = submit(site, 3, 3600)
    site.server.expect(JOB, {"job_state": "R"}, id=first)
    top = submit(site, 4, 600)
    site.server.expect(JOB, {"topjob": "True"}, id=top)
    return first, top


def test_the_start_is_estimated_and_kept_free(empty):
    server = empty.server
    first, top = busy(empty)
    begun = instant(server.status(JOB, first)[0]["stime"])
    shown = server.status(JOB, top)[0]
    assert shown["estimated.exec_vnode"] == "(vn[0]:ncpus=4)", shown
    said = shown["estimated.start_time"]
    assert instant(said) == begun + 3600
    empty.scheduler.log_match("%s;Job is a top job and will run at %s" % (top, said))
    long, short = submit(empty, 1, 7200), submit(empty, 1, 600)
    server.expect(JOB, {"job_state": "R"}, id=short)
    server.expect(JOB, {"job_state": "Q", "comment": IN_WAY}, id=long)
    lines = empty.run(["qstat", "-T"]).stdout.splitlines()
    line, = [x for x in lines if x.startswith(top.split(".")[0] + ".")]
    at = time.localtime(begun + 3600)
    assert line.endswith(time.strftime("%H:%M", at)) or line.endswith(
        time.strftime("%a", at)[:2] + time.strftime(" %H", at)), lines


def altered(server):
    return sum("Type 96 request" in x for x in server.log_lines())


def cycles(scheduler):
    return sum("Leaving Scheduling Cycle" in x for x in scheduler.log_lines())


def test_what_is_so_already_is_not_written_again(empty):
    busy(empty)
    number, before = altered(empty.server), cycles(empty.scheduler)
    assert number > 0
    empty.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    wait_for("a cycle", lambda: cycles(empty.scheduler) > before)
    assert altered(empty.server) == number


def test_it_runs_when_the_others_are_gone(empty):
    first, top = busy(empty)
    empty.run(["qdel", first])
    empty.server.expect(JOB, {"job_state": "R"}, id=top)


def test_an_estimate_goes_with_its_top_job(empty):
    """Where the site wants that."""
    server = empty.server
    server.manager(MGR_CMD_SET, SERVER, {"clear_topjob_estimates_enable": "True"})
    _, top = busy(empty)
    assert "estimated.start_time" in server.status(JOB, top)[0]
    server.manager(MGR_CMD_SET, SERVER, {"backfill_depth": "0"})
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    server.expect(JOB, {"topjob": "False"}, id=top)
    assert "estimated.start_time" not in server.status(JOB, top)[0]
    last = submit(empty, 1, 60)
    server.expect(JOB, {"job_state": "Q", "comment": BEHIND}, id=last)


def test_limits_count_it_from_its_start_on(empty):
    """One user may run one job: what would still run when his top job starts waits, though there is room
    for it; what ends before runs, and so does what others submit."""
    server = empty.server
    first = submit(empty, 3, 3600)
    server.expect(JOB, {"job_state": "R"}, id=first)
    server.manager(MGR_CMD_SET, SERVER, {"max_run": "[u:%s=1]" % USER2})
    top = submit(empty, 2, 600, user=USER2)
    server.expect(JOB, {"topjob": "True"}, id=top)
    long = submit(empty, 1, 7200, user=USER2)
    held = "Not Running: Server job limit reached for user %s" % USER2
    server.expect(JOB, {"job_state": "Q", "comment": held}, id=long)
    short = submit(empty, 1, 600, user=USER2)
    server.expect(JOB, {"job_state": "R"}, id=short)
    empty.run(["qdel", short])
    other = submit(empty, 1, 7200)
    server.expect(JOB, {"job_state": "R"}, id=other)
    empty.run(["qdel", first])
    server.expect(JOB, {"job_state": "R"}, id=top)
    server.expect(JOB, {"job_state": "Q", "comment": held}, id=long)
    empty.run(["qdel", top])
    server.expect(JOB, {"job_state": "R"}, id=long)


def test_a_manager_knows_how_long_it_takes(empty):
    """soft_walltime (scheduling.md 20.1): jobs are planned with it, reservations are not."""
    server = empty.server
    first, top = busy(empty)
    behind = submit(empty, 1, 7200)
    server.expect(JOB, {"job_state": "Q", "comment": IN_WAY}, id=behind)
    done = empty.run(["qalter", "-l", "soft_walltime=600", first], user=USER1, check=False)
    assert (done.returncode, "Cannot set attribute, read only or insufficient permission  Resource_List."
            "soft_walltime" in done.stderr) == (15003 & 255, True), done
    empty.run(["qalter", "-l", "soft_walltime=1800", first])
    begun = instant(server.status(JOB, first)[0]["stime"])
    wait_for("an earlier start", lambda:
             instant(server.status(JOB, top)[0]["estimated.start_time"]) == begun + 1800)
    empty.run(["qalter", "-l", "soft_walltime=1200", behind])
    server.expect(JOB, {"job_state": "R"}, id=behind)
    denied = Reservation(select="1:ncpus=4", start=2400, duration=60, interactive=30)
    assert "DENIED" in empty.run(["pbs_rsub", *denied.options()], user=USER1, check=False).stdout
    assert server.status(JOB, first)[0]["job_state"] == "R"


def test_what_lasts_longer_than_was_expected(empty):
    server = empty.server
    first, top = busy(empty)
    empty.run(["qalter", "-l", "soft_walltime=2", first])
    begun = instant(server.status(JOB, first)[0]["stime"])

    def extended():
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
        return server.status(JOB, first)[0].get("estimated.soft_walltime")

    wait_for("an extension", extended)
    job = server.status(JOB, first)[0]
    assert job["Resource_List.soft_walltime"] == "00:00:02"
    hours, minutes, seconds = (int(n) for n in job["estimated.soft_walltime"].split(":"))
    lasts = 3600 * hours + 60 * minutes + seconds
    assert lasts % 2 == 0 and 4 <= lasts < time.time() - begun + 2
    empty.scheduler.log_match("%s;Job runs for longer than its soft_walltime, and is taken to last %s"
                              % (first, job["estimated.soft_walltime"]))
    assert server.status(JOB, top)[0]["job_state"] == "Q"
