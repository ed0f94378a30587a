# SPDX-License-Identifier: Apache-2.0
"""Random faults on three hosts: while users submit, alter, hold, suspend, rerun and delete jobs of
every kind, daemons are killed or stand still and cables are pulled. Afterwards each job has run
to its end, once where nothing took a run from it, and nothing of it is left anywhere.

HF_STORM=300 lasts so many seconds instead of 20; HF_STORM_SEED=7 is another order of events (what
happens at each of them depends on the machine, too)."""
import glob
import os
import random
import re
import signal
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.users import run_as
from holdfast.wide import ImpatientCluster, needs_namespaces
from story import retry_soon

SECONDS = int(os.environ.get("HF_STORM", "20"))
SEED = int(os.environ.get("HF_STORM_SEED", "1"))
MOST_BOOKED = 4
MOST = 60  # jobs and subjobs that wait or run at a time

pytestmark = needs_namespaces() + [pytest.mark.timeout(SECONDS * 3 + 400)]

# Two runs of one job at the same time write "twice".
SCRIPT = """#!/bin/sh
#PBS -N storm
#PBS -j oe
exec 9>> {root}/tmp/lock.$PBS_JOBID
flock -n 9 || echo twice >> {root}/tmp/told.$PBS_JOBID
echo begun >> {root}/tmp/told.$PBS_JOBID
{work}
sleep {seconds}
echo ended >> {root}/tmp/told.$PBS_JOBID
echo all
"""
WIDE = "{bin}/pbsdsh -- /bin/true"


class Jobs:
    """What was submitted, and what was done to it that changes what is expected of it."""

    def __init__(self, cluster, rnd):
        self.c, self.rnd = cluster, rnd
        self.ids = []
        self.booked = {}  # durations in seconds that a reservation may have
        self.deleted, self.rerun, self.wide = set(), set(), set()

    def submit(self, options=(), work="", queue=None):
        """Maybe the server dies meanwhile: whoever is told an id has a job."""
        script = SCRIPT.format(root=self.c.root, work=work, seconds=self.rnd.randrange(4))
        self.c.scripts += 1
        path = self.c.write("script%d" % self.c.scripts, script)
        done = self.c.run(["qsub", *options, *(["-q", queue] if queue else []), path],
                          user=USER1, check=False)
        jid = done.stdout.strip()
        if done.returncode == 0:
            self.ids.append(jid)
        return jid if done.returncode == 0 else None

    def one(self):
        return self.rnd.choice(self.ids[-20:]) if self.ids else None


# What users do.

def small_job(jobs):
    jobs.submit()


def once_only(jobs):
    jobs.submit(["-r", "n"])


def array(jobs):
    jobs.submit(["-J", "0-5%2"])


def wide_job(jobs):
    jid = jobs.submit(["-l", "select=3:ncpus=1", "-l", "place=scatter"],
                      WIDE.format(bin=os.path.join(jobs.c.exec_dir, "bin")))
    if jid:
        jobs.wide.add(jid)


def waiting_job(jobs):
    before = jobs.one()
    if before:
        jobs.submit(["-W", "depend=afterany:" + before])


def booked_job(jobs):
    """A reservation that lasts longer than the storm, and a job in it. They leave room for all."""
    if len(jobs.booked) == MOST_BOOKED:
        return
    done = jobs.c.run(["pbs_rsub", "-R", Reservation.clock(3), "-D", "3600", "-I", "5",
                       "-l", "select=1:ncpus=1"], user=USER1, check=False)
    rid = done.stdout.split()
    if done.returncode == 0 and rid[1:] == ["CONFIRMED"]:
        jobs.booked[rid[0]] = {3600}
        jobs.submit(queue=rid[0].split(".")[0])


def longer(jobs):
    """Who is told that the change is made finds it; else it may be made or not."""
    if not jobs.booked:
        return
    rid = jobs.rnd.choice(sorted(jobs.booked))
    seconds = 3600 + jobs.rnd.randrange(3600)
    done = jobs.c.run(["pbs_ralter", "-D", str(seconds), "-I", "5", rid], user=USER1, check=False)
    known = set() if done.stdout.split()[-1:] == ["CONFIRMED"] else jobs.booked[rid]
    jobs.booked[rid] = known | {seconds}


def typed(*words):
    """A command of an administrator about some job; it may come too late."""
    def act(jobs):
        jid = jobs.one()
        if jid:
            jobs.c.run([*words, jid], check=False)
    return act


def delete(jobs):
    jid = jobs.one()
    if jid:
        jobs.deleted.add(jid)
        jobs.c.run(["qdel", jid], user=USER1, check=False)


def rerun(jobs):
    jid = jobs.one()
    if jid:
        jobs.rerun.add(jid)
        jobs.c.run(["qrerun", jid], check=False)


def release(jobs):
    """A wide job gives a host back; its tasks there end."""
    jid = jobs.rnd.choice(sorted(jobs.wide)[-10:] or [None])
    if jid:
        jobs.c.run(["pbs_release_nodes", "-j", jid, jobs.rnd.choice(jobs.c.names)], check=False)


USERS = [(6, small_job), (2, once_only), (2, array), (3, wide_job), (2, waiting_job),
         (1, booked_job), (1, longer), (1, typed("qhold", "-h", "s")), (2, typed("qrls", "-h", "s")),
         (1, typed("qsig", "-s", "suspend")), (2, typed("qsig", "-s", "resume")),
         (1, typed("qalter", "-p", "10")), (1, delete), (1, rerun), (1, release)]


# What breaks.

def dies(service):
    service.kill()
    service.start()


def stands_still(jobs, service):
    service.process.send_signal(signal.SIGSTOP)
    time.sleep(jobs.rnd.random() * 2)
    service.process.send_signal(signal.SIGCONT)


def some_mom(jobs):
    return jobs.rnd.choice(jobs.c.moms)


def cable(jobs):
    k = jobs.rnd.randrange(1, len(jobs.c.moms))
    jobs.c.link(k, up=False)
    time.sleep(jobs.rnd.random() * 4)
    jobs.c.link(k, up=True)


FAULTS = [(3, lambda jobs: dies(jobs.c.server)), (1, lambda jobs: dies(jobs.c.scheduler)),
          (2, lambda jobs: dies(jobs.c.comm)), (4, lambda jobs: dies(some_mom(jobs))),
          (1, lambda jobs: stands_still(jobs, jobs.c.server)),
          (1, lambda jobs: stands_still(jobs, some_mom(jobs))), (2, cable)]


def some(rnd, weighted):
    return rnd.choices([act for _, act in weighted], [w for w, _ in weighted])[0]


def rage(jobs):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for _ in range(jobs.rnd.randrange(6)):
            if len(jobs.c.server.status(JOB)) < MOST:
                some(jobs.rnd, USERS)(jobs)
        some(jobs.rnd, FAULTS)(jobs)


# Afterwards.

def no_job_waits(c):
    """Who was held or suspended goes on."""
    for job in c.server.status(JOB):
        if job.get("job_state") == "H":
            c.run(["qrls", "-h", "uos", job["id"]], check=False)
        if job.get("job_state") in ("S", "B"):  # or some of its subjobs
            c.run(["qsig", "-s", "resume", job["id"]], check=False)
    return not c.server.status(JOB)


def reservations_hold(jobs):
    for rid, seconds in jobs.booked.items():
        resv = jobs.c.server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": "5"},
                                    id=rid)
        assert int(resv["reserve_duration"]) in seconds
        jobs.c.server.delete(rid)


def jobs_end(c):
    wait_for(lambda: "the end of all jobs: %s" % c.server.status(JOB), lambda: no_job_waits(c),
             deadline=240)


def all_is_free(c):
    for resv in c.server.status(RESV):  # whoever asked for it was not told
        c.server.delete(resv["id"])
    for name in c.names:
        c.server.expect(VNODE, {"state": "free", "resources_assigned.ncpus": "0"}, id=name,
                        deadline=120)


def runs_of(c, jid):
    """(id, what it wrote), of each subjob in the case of an array."""
    names = os.path.join(c.root, "tmp", "told.")
    for path in glob.glob(names + glob.escape(jid).replace("[[]]", "[[]*]")):
        with open(path) as f:
            yield path[len(names):], f.read().split()


def ran_as_it_should(jobs, jid, words):
    """Once and to its end; where somebody may have ended a run of it, or a host that it needed was
    away, the last run did."""
    if jid in jobs.rerun | jobs.wide:
        return "twice" not in words and words[-2:] == ["begun", "ended"]
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


def wrongs(jobs):
    """All jobs of which something is not as it has to be, in words."""
    c, found = jobs.c, []
    ends = [line for line in c.server.accounting_lines() if ";E;" in line]
    for jid in jobs.ids:
        runs = dict(runs_of(c, jid))
        if jid in jobs.deleted:
            found += ["%s was deleted: %s" % x for x in runs.items() if "twice" in x[1]]
            continue
        if len(runs) != (6 if "[]" in jid else 1):
            found.append("%s: ran %s" % (jid, runs))
        for one, words in runs.items():
            mine = [line for line in ends if ";E;%s;" % one in line]
            if not ran_as_it_should(jobs, jid, words):
                found.append("%s: %s" % (one, words))
            found += no_output(one)
            if len(mine) != 1 or "Exit_status=0" not in mine[0]:
                found.append("%s: ends %s" % (one, mine))
    return found


def left_over(c):
    return [path for mom in c.moms
            for path in glob.glob(os.path.join(mom.home, "mom_priv/jobs/*.JB")) +
            glob.glob(os.path.join(mom.home, "spool/*.OU"))]


def test_a_storm():
    rnd = random.Random(SEED)
    with ImpatientCluster(3, ncpus=6) as c:
        retry_soon(c.server)
        jobs = Jobs(c, rnd)
        rage(jobs)
        c.is_whole()
        jobs_end(c)
        reservations_hold(jobs)
        all_is_free(c)
        assert len(jobs.ids) > SECONDS / 4
        assert wrongs(jobs) == []
        wait_for(lambda: "nothing is left: %s" % left_over(c), lambda: not left_over(c),
                 deadline=120)
