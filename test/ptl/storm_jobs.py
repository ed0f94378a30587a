# SPDX-License-Identifier: Apache-2.0
"""The jobs of a storm: what was submitted, and what was done to it that changes what is due."""
import contextlib
import os
import re
import signal

from holdfast import *

# Two runs of one job at the same time write "twice".
SCRIPT = """#!/bin/sh
#PBS -N storm
#PBS -j oe
told() {{ echo "$1" >> {root}/tmp/told.$PBS_JOBID; }}
exec 9>> {root}/tmp/lock.$PBS_JOBID
flock -n 9 || told twice
told begun
{work}
sleep {seconds}
told ended
echo all
"""
WIDE = "{bin}/pbsdsh -- "
LONG = 5000  # seconds that only a deletion ends


class Jobs:
    def __init__(self, cluster, rnd):
        self.c, self.rnd = cluster, rnd
        self.ids = []
        self.booked = {}  # durations in seconds that a reservation may have
        self.deleted, self.rerun, self.wide, self.once, self.endless = (set() for _ in range(5))
        self.after = {}  # which job a job waits for
        self.priority = {}  # those that it may have
        self.held, self.stopped = set(), set()  # who asked for it was told that it is so
        self.left = set()  # (job, run, host), where the host is the job's no more
        self.made_room = set()  # arrays: one subjob was stopped for another, and both go on
        self.gone = {}  # whoever is no job any more has written this

    def submit(self, options=(), work="", queue=None, seconds=None):
        """Maybe the server dies meanwhile: whoever is told an id has a job."""
        script = SCRIPT.format(root=self.c.root, work=work,
                               seconds=self.rnd.randrange(4) if seconds is None else seconds)
        self.c.scripts += 1
        path = self.c.write("script%d" % self.c.scripts, script)
        done = self.c.run(["qsub", *options, *(["-q", queue] if queue else []), path],
                          user=USER1, check=False)
        jid = done.stdout.strip()
        if done.returncode == 0:
            self.ids.append(jid)
        return jid if done.returncode == 0 else None

    def one(self, lasting=1, among=None):
        """One that lasts, in so many of three cases, or one of the last ones."""
        some = [jid for jid in self.ids if among is None or jid in among]
        lasts = [jid for jid in some if jid in self.endless - self.deleted]
        if lasts and self.rnd.randrange(3) < lasting:
            return self.rnd.choice(lasts)
        return self.rnd.choice(some[-20:]) if some else None

    def changes(self, jid):
        """It may go on or end, from now on."""
        self.stopped.discard(jid)

    def is_lost(self, jid, has_ended):
        """A host took its run, or its output."""
        self.changes(jid)
        (self.deleted if has_ended or jid in self.once else self.rerun).add(jid)

    def told(self, jid):
        """The words that it, or a subjob, wrote."""
        try:
            with open(os.path.join(self.c.root, "tmp", "told." + jid)) as f:
                return f.read().split()
        except FileNotFoundError:
            return []


def array_of(jid):
    """The array of a subjob; any other job is its own."""
    return re.sub(r"\[\d+\]", "[]", jid)


def processes_of(c, jid=None, host=None, of_jobs=True):
    """[(number, state, job)] of what runs for jobs, on all hosts or on one; with of_jobs=False of
    all that belongs to the cluster."""
    net = host and os.readlink("/proc/%d/ns/net" % host.pid)
    found = []
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            with open("/proc/%d/environ" % pid, "rb") as f:
                environ = f.read()
            with open("/proc/%d/stat" % pid) as f:
                state = f.read().rpartition(")")[2].split()[0]
            there = os.readlink("/proc/%d/ns/net" % pid)
        except OSError:  # it has ended
            continue
        job = re.search(rb"(?:^|\0)PBS_JOBID=([^\0]*)", environ)
        job = job and job[1].decode()
        if c.root.encode() in environ and (job or not of_jobs) and jid in (None, job) and \
                net in (None, there):
            found.append((pid, state, job))
    return found


def end_at_once(processes):
    """None of them notes how another one has ended."""
    for how in (signal.SIGSTOP, signal.SIGKILL):
        for pid, _, _ in processes:
            with contextlib.suppress(OSError):
                os.kill(pid, how)
