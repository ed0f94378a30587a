# SPDX-License-Identifier: Apache-2.0
"""Random faults on three hosts: while users submit, alter, hold, suspend, rerun and delete jobs of
every kind, daemons are killed or stand still, hosts crash and cables are pulled. Meanwhile whoever
was told that something is so finds it so. Afterwards each job has run to its end, once where
nothing took a run from it, and nothing of it is left anywhere.

HF_STORM=300 lasts so many seconds instead of 20; HF_STORM_SEED=7 is another order of events (what
happens at each of them depends on the machine, too)."""
import os
import random
import signal
import time

import pytest

from holdfast import *
from holdfast.services import parse_full, wait_for
from holdfast.wide import ImpatientCluster, needs_namespaces
from storm_checks import (all_is_free, files_of_jobs, jobs_end, looks, nothing_is_left,
                          reservations_hold, wrongs)
from storm_jobs import LONG, WIDE, Jobs, array_of, end_at_once, processes_of
from story import retry_soon

SECONDS = int(os.environ.get("HF_STORM", "20"))
SEED = int(os.environ.get("HF_STORM_SEED", "1"))
MOST_BOOKED = 4
ENDLESS = 3
MOST = 60  # jobs and subjobs that wait or run at a time

pytestmark = needs_namespaces() + [pytest.mark.timeout(SECONDS * 3 + 400)]


# What users do.

def small_job(jobs):
    jobs.submit()


def once_only(jobs):
    jid = jobs.submit(["-r", "n"])
    if jid:
        jobs.once.add(jid)


def array(jobs):
    jobs.submit(["-J", "0-5%2"])


def wide_job(jobs):
    jid = jobs.submit(["-l", "select=3:ncpus=1", "-l", "place=scatter"],
                      on_all_hosts(jobs, "/bin/true"))
    if jid:
        jobs.wide.add(jid)


def on_all_hosts(jobs, what):
    return WIDE.format(bin=os.path.join(jobs.c.exec_dir, "bin")) + what


def endless_job(jobs):
    """On one or several hosts, until it is deleted."""
    if len(jobs.endless - jobs.deleted) >= ENDLESS:
        return
    wide, once = jobs.rnd.randrange(3) > 0, jobs.rnd.randrange(2)
    jid = jobs.submit(["-l", "select=%d:ncpus=1" % (3 if wide else 1), "-l", "place=scatter",
                       "-r", "n" if once else "y"],
                      on_all_hosts(jobs, "sleep %d &" % LONG) if wide else "", seconds=LONG)
    for kind in [jobs.endless] + [jobs.wide] * wide + [jobs.once] * once:
        kind.update([jid] if jid else [])


def waiting_job(jobs):
    before = jobs.one()
    if not before:
        return
    files = before.replace("[]", "[$i]").join((jobs.c.root + "/tmp/told.", ""))
    jid = jobs.submit(["-W", "depend=afterany:" + before],
                      "for i in %s; do grep -qx ended %s || told early; done" %
                      ("0 1 2 3 4 5" if "[]" in before else "0", files))
    if jid:
        jobs.after[jid] = before


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


def typed(jobs, *words, lasting=1):
    """A command about some job, which may come too late: (who it is, whether it was done)."""
    jid = jobs.one(lasting)
    return jid, jid is not None and jobs.c.run([*words, jid], check=False).returncode == 0


def hold(jobs):
    jid, done = typed(jobs, "qhold", "-h", "s")
    if done:
        jobs.held.add(jid)


def let_go(jobs):
    jid, _ = typed(jobs, "qrls", "-h", "s")
    jobs.held.discard(jid)


def suspend(jobs):
    jid, done = typed(jobs, "qsig", "-s", "suspend", lasting=2)
    if jid and "[]" in jid:
        jobs.made_room.add(jid)
    elif done:
        jobs.stopped.add(jid)


def resume(jobs):
    jid = jobs.one()
    jobs.changes(jid)
    if jid:
        jobs.c.run(["qsig", "-s", "resume", jid], check=False)


def prefer(jobs):
    number = jobs.rnd.randrange(1, 100)
    jid, done = typed(jobs, "qalter", "-p", str(number))
    if jid:
        jobs.priority[jid] = {number} if done else jobs.priority.get(jid, {0}) | {number}


def delete(jobs):
    jid = jobs.one()
    if jid:
        jobs.changes(jid)
        jobs.deleted.add(jid)
        jobs.c.run(["qdel", jid], user=USER1, check=False)


def rerun(jobs):
    """Not one that says that it must not run twice."""
    jid = jobs.one()
    if jid:
        jobs.changes(jid)
        if jid not in jobs.once:
            jobs.rerun.add(jid)
        jobs.c.run(["qrerun", jid], check=False)


def run_on(jobs, jid, host):
    """The run of the job that lies on the host; None: it does not."""
    job = jobs.c.server.status(JOB, jid)
    return job[0].get("run_count") if job and host in job[0].get("exec_vnode", "") else None


def release(jobs):
    """A wide job gives a host back; its tasks there end."""
    jid = jobs.one(lasting=2, among=jobs.wide)
    k = jobs.rnd.randrange(1, len(jobs.c.names))
    name = jobs.c.names[k]
    run = run_on(jobs, jid, name) if jid else None
    if not run or jobs.c.run(["pbs_release_nodes", "-j", jid, name], check=False).returncode:
        return
    jobs.left.add((jid, run, name))
    wait_for("%s to have ended on %s" % (jid, name), lambda: not processes_of(
        jobs.c, jid, jobs.c.network.hosts[k]) or run_on(jobs, jid, name))


USERS = [(6, small_job), (2, once_only), (2, array), (3, wide_job), (2, waiting_job),
         (1, booked_job), (1, longer), (1, hold), (2, let_go), (2, suspend),
         (2, resume), (1, prefer), (2, delete), (1, rerun), (2, release)]


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


def crash(jobs):
    """All that runs on a host ends, and nothing there notes how. What lay there runs anew, but for
    what must not run twice. Maybe the host's disk is a new one."""
    k = jobs.rnd.randrange(1, len(jobs.c.moms))
    jobs.c.moms[k].kill()
    end_at_once(processes_of(jobs.c, host=jobs.c.network.hosts[k], of_jobs=False))
    for job in parse_full(jobs.c.run(["qstat", "-tf"]).stdout):
        if jobs.c.names[k] in job.get("exec_vnode", ""):
            jobs.is_lost(array_of(job["id"]), has_ended=job["job_state"] == "E")
    if jobs.rnd.randrange(2):
        for path in files_of_jobs(jobs.c.moms[k]):
            os.unlink(path)
    time.sleep(jobs.rnd.random() * 3)
    jobs.c.moms[k].start()


FAULTS = [(2, crash), (3, lambda jobs: dies(jobs.c.server)),
          (1, lambda jobs: dies(jobs.c.scheduler)), (2, lambda jobs: dies(jobs.c.comm)),
          (4, lambda jobs: dies(some_mom(jobs))),
          (1, lambda jobs: stands_still(jobs, jobs.c.server)),
          (1, lambda jobs: stands_still(jobs, some_mom(jobs))), (2, cable)]


def some(rnd, weighted):
    return rnd.choices([act for _, act in weighted], [w for w, _ in weighted])[0]


def rage(jobs):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        endless_job(jobs)
        for _ in range(jobs.rnd.randrange(6)):
            if len(jobs.c.server.status(JOB)) < MOST:
                some(jobs.rnd, USERS)(jobs)
        some(jobs.rnd, FAULTS)(jobs)
        looks(jobs)


def nothing_comes_back(c):
    """What a daemon has to know when it is started is nothing."""
    for service in (c.server, c.scheduler, *c.moms):
        dies(service)
    c.is_whole()
    all_is_free(c)


def test_a_storm():
    rnd = random.Random(SEED)
    with ImpatientCluster(3, ncpus=6) as c:
        retry_soon(c.server)
        jobs = Jobs(c, rnd)
        rage(jobs)
        c.is_whole()
        jobs_end(jobs)
        reservations_hold(jobs)
        all_is_free(c)
        assert len(jobs.ids) > SECONDS / 4
        found = wrongs(jobs)
        assert not found, "\n".join(found)
        nothing_is_left(c)
        nothing_comes_back(c)
        nothing_is_left(c)
