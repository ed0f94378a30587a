# SPDX-License-Identifier: Apache-2.0
"""What has to be so in a storm: looks() while it goes on, wrongs() when all jobs have ended."""
import glob
import os
import re

from holdfast import *
from holdfast.services import parse_full, wait_for
from holdfast.users import run_as
from storm_jobs import array_of, processes_of

# While it goes on.

def daemons_live(c):
    for service in (c.server, c.scheduler, c.comm, *c.moms):
        assert service.is_up(), "%s ended by itself" % service.name


def nothing_is_given_twice(c):
    for vnode in c.server.status(VNODE):
        used = int(vnode.get("resources_assigned.ncpus", 0))
        assert used <= c.ncpus, "%s has %d cpus assigned" % (vnode["id"], used)


def is_as_told(jobs, job):
    """Who was told that a change is made finds it."""
    jid = job["id"]
    assert int(job.get("Priority", 0)) in jobs.priority.get(jid, {0}), \
        "%s has the priority %s, of %s" % (jid, job.get("Priority"), jobs.priority[jid])
    assert jid not in jobs.held or "s" in job.get("Hold_Types", ""), "%s is not held" % jid
    for host in re.findall(r"h\d", job.get("exec_vnode", "")):
        assert (jid, job["run_count"], host) not in jobs.left, "%s has %s again" % (jid, host)
    running = re.search(r"Running:([3-9])", job.get("array_state_count", ""))
    assert not running or jid in jobs.made_room, "%s runs %s at a time" % (jid, running[1])


def are_gone(jobs, there):
    """Who is no job any more does not come back."""
    for jid in jobs.ids:
        if jid not in there and jid not in jobs.gone:
            jobs.gone[jid] = jobs.told(jid)
        assert jid not in there or jid not in jobs.gone, "%s is back" % jid


def stands(jobs, jid):
    """No process of a suspended job runs; whether it is one is known only after the look."""
    # D: its child was stopped between fork and exec.
    run = [p for p in processes_of(jobs.c, jid) if p[1] not in "TtD"]
    job = jobs.c.server.status(JOB, jid)
    return not run or not job or job[0]["job_state"] != "S"


def run_on(jobs):
    """Processes of jobs that are gone."""
    return [p for p in processes_of(jobs.c) if array_of(p[2]) in jobs.gone]


def those_wait(jobs):
    """For a job that neither has ended nor is to be deleted; of one that is, later, only here."""
    for jid, before in jobs.after.items():
        assert before in jobs.deleted or "early" not in jobs.told(jid), \
            "%s has not waited for %s" % (jid, before)


def looks(jobs):
    c = jobs.c
    daemons_live(c)
    nothing_is_given_twice(c)
    there = parse_full(c.run(["qstat", "-f"]).stdout)
    for job in there:
        is_as_told(jobs, job)
    are_gone(jobs, {job["id"] for job in there})
    those_wait(jobs)
    wait_for(lambda: "the end of %s" % run_on(jobs), lambda: not run_on(jobs))
    for jid in jobs.stopped - set(jobs.gone):
        wait_for(lambda: "%s stands: %s" % (jid, processes_of(c, jid)), lambda: stands(jobs, jid))


# Afterwards.

def no_job_waits(jobs):
    """Who was held or suspended goes on, and who does not end is deleted."""
    c = jobs.c
    for job in c.server.status(JOB):
        if job["id"] in jobs.endless and c.run(["qdel", job["id"]], check=False).returncode == 0:
            jobs.endless.discard(job["id"])
            jobs.deleted.add(job["id"])
        if job.get("job_state") == "H":
            c.run(["qrls", "-h", "uos", job["id"]], check=False)
        if job.get("job_state") in ("S", "B"):  # or some of its subjobs
            c.run(["qsig", "-s", "resume", job["id"]], check=False)
    return not c.server.status(JOB)


def reservations_hold(jobs):
    for rid, seconds in jobs.booked.items():
        resv = jobs.c.server.expect(
            RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": "5"}, id=rid)
        assert int(resv["reserve_duration"]) in seconds
        jobs.c.server.delete(rid)


def jobs_end(jobs):
    wait_for(lambda: "the end of all jobs: %s" % jobs.c.server.status(JOB),
             lambda: no_job_waits(jobs), deadline=240)


def nothing_counts(obj):
    """Neither jobs nor anything that they had."""
    used = [v for k, v in obj.items() if k.startswith("resources_assigned.")]
    counts = re.findall(r":(\d+)", obj["state_count"])
    return not any(int(re.match(r"\d+", n)[0]) for n in [obj["total_jobs"], *used, *counts])


def all_is_free(c):
    for resv in c.server.status(RESV):  # whoever asked for it was not told
        c.server.delete(resv["id"])
    for name in c.names:
        c.server.expect(VNODE, {"state": "free", "resources_assigned.ncpus": "0"}, id=name,
                        deadline=120)
    wait_for(lambda: "no jobs: %s %s" % (c.server.status(SERVER), c.server.status(QUEUE)),
             lambda: all(map(nothing_counts, c.server.status(SERVER))) and
             [(q["id"], nothing_counts(q)) for q in c.server.status(QUEUE)] == [("workq", True)])
    assert c.server.status(JOB) == []


def runs_of(jobs, jid):
    """(id, what it wrote), of each subjob in the case of an array."""
    ids = [jid.replace("[]", "[%d]" % i) for i in range(6)] if "[]" in jid else [jid]
    return [(one, jobs.told(one)) for one in ids]


def words_of(jobs, jid, words):
    """Before a job that was deleted has ended one that waits for it may begin."""
    return [w for w in words if w != "early" or jobs.after.get(jid) not in jobs.deleted]


def ran_as_it_should(jobs, jid, words):
    """Once and to its end; where somebody may have ended a run of it, or a host that it needed was
    away, the last run did."""
    if jid in jobs.rerun | jobs.wide:
        return "twice" not in words and "early" not in words and words[-2:] == ["begun", "ended"]
    return words == ["begun", "ended"]


def no_output(jid):
    """Where it was submitted its output is, whole: "all", in the last line."""
    number, index = re.match(r"(\d+)(?:\[(\d+)\])?", jid).groups()
    name = "storm.o" + number + ("." + index if index else "")
    try:
        with open(os.path.join(run_as(USER1)[0]["cwd"], name)) as f:
            return [] if f.read().endswith("all\n") else [name + " is not whole"]
    except OSError as e:
        return [str(e)]


def wrongs_of_a_deleted(jobs, jid, one, words):
    """It may have ended by itself, but nothing of it begins when it is gone."""
    was = jobs.gone.get(jid)
    if "twice" in words or (was is not None and "[]" not in jid and words != was) or \
            (jid in jobs.once and words.count("begun") > 1):
        return ["%s was deleted: %s, %s when it was gone" % (one, words, was)]
    return []


def wrongs_of(jobs, jid, one, words, ends):
    mine = [line for line in ends if ";E;%s;" % one in line]
    found = no_output(one)
    if not ran_as_it_should(jobs, jid, words_of(jobs, jid, words)):
        found.append("%s: %s" % (one, words))
    if len(mine) != 1 or "Exit_status=0" not in mine[0]:
        found.append("%s: ends %s" % (one, mine))
    return found


def wrongs(jobs):
    """All jobs of which something is not as it has to be, in words."""
    lines = jobs.c.server.accounting_lines()
    ends = [line for line in lines if ";E;" in line]
    found = []
    for jid in jobs.ids:
        if len([line for line in lines if ";Q;%s;" % jid in line]) != 1:
            found.append("%s is not queued once in the accounts" % jid)
        for one, words in runs_of(jobs, jid):
            found += wrongs_of_a_deleted(jobs, jid, one, words) if jid in jobs.deleted \
                else wrongs_of(jobs, jid, one, words, ends)
    return found


def files_of_jobs(mom):
    return [path for what in ("mom_priv/jobs/*", "spool/*")
            for path in glob.glob(os.path.join(mom.home, what))]


def left_over(c):
    """Processes of jobs, and their files."""
    return processes_of(c) + [path for mom in c.moms for path in files_of_jobs(mom)]


def nothing_is_left(c):
    wait_for(lambda: "nothing is left: %s" % left_over(c), lambda: not left_over(c), deadline=120)
