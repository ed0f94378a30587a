#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""past.py - a server with a large history: figures for doc/performance.md.

    HF_PREFIX=<install prefix> HF_BUILD=<its build> test/bench/past.py [--finished 100000] [--jobs 10000]
        [--vnodes 1000]

Jobs run on a MoM that pretends and end; then as many wait. Printed are, for what is done to and beside
them, the processor time of the server's loop and of its store and the longest turn of the loop, in
milliseconds of a processor (test/bench/turn.c). With --finished 0 the same is done without a history: what
differs is what the history costs. Nothing fails: machines differ. It needs root, for two users."""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.services import wait_for  # noqa: E402
from holdfast.users import make_users, remove_users  # noqa: E402
from jobs import threads_us  # noqa: E402
from largest import Client, manage  # noqa: E402
from paths import Bench, turn_library  # noqa: E402

DELETE_JOB, OBJ_JOB, CMD_DELETE = 6, 2, 1
ROUND = 20000  # jobs that run at the same time


def ended(b):
    b.until_quiet()
    wait_for("the end of all", lambda: "Queued:0 Held:0 Waiting:0 Running:0 Exiting:0" in b.server.status(
        SERVER)[0]["state_count"], deadline=600)


def finish(b, n):
    """So many jobs have run. What they cost in memory."""
    b.set(job_history_enable="True")
    before = b.memory_mb()
    while n > 0:
        b.scheduling(False)
        b.submit(min(n, ROUND), walltime=2)
        b.scheduling(True)
        ended(b)
        n -= ROUND
        print("    %.1f MB" % b.memory_mb(), flush=True)
    b.counts()
    return before


def restart(b, how):
    getattr(b.server, how)()
    b.turns[b.server].clear()
    began = time.perf_counter()
    b.server.start()
    b.cluster.run(["qstat", "-B"])
    took = time.perf_counter() - began
    loop, store = threads_us(b.server.process.pid)
    print("%-64s %7.0f %7.0f   (%.2f s by the clock)" % (how + " and start, to the first answer", loop / 1000,
                                                         store / 1000, took), flush=True)
    b.until_quiet()
    print("%-64s %48.1f; %.1f MB" % ("the longest turn behind it", b.turns[b.server].longest_ms(),
                                     b.memory_mb()), flush=True)


def delete(b, ids, more=None):
    client = Client(os.path.join(b.cluster.home, "ipc", "server.sock"), "root")
    client.s.settimeout(120)
    client.pipeline((DELETE_JOB, manage(CMD_DELETE, OBJ_JOB, jid), more) for jid in ids)
    client.s.close()


def quiet_run(b, *words):
    return lambda: b.cluster.run(list(words), timeout=600, check=False)


def looks(b, past):
    b.measure("qstat", quiet_run(b, "qstat"))
    b.measure("qstat -Q, qstat -B", lambda: (quiet_run(b, "qstat", "-Q")(), quiet_run(b, "qstat", "-B")()))
    b.measure("qstat -x", quiet_run(b, "qstat", "-x"))
    b.measure("qstat -xf", quiet_run(b, "qstat", "-xf"))
    if past:
        b.measure("qstat -fx of one, 100 times", lambda: [
            b.cluster.run(["qstat", "-fx", past[len(past) // 2]]) for _ in range(100)])
    b.measure("qselect -x", quiet_run(b, "qselect", "-x"))


def changes(b, waiting):
    b.measure("1,000 submissions", lambda: b.submit(1000))
    b.measure("1,000 deletions, a request each", lambda: delete(b, waiting[:1000]))
    b.measure("job_history_duration of another week", lambda: b.set(job_history_duration="504:00:00"))


def run_and_end(b):
    """Jobs that end one after the other."""
    b.submit(1000, walltime=3, queue="short")
    b.server.manager(MGR_CMD_SET, QUEUE, {"started": "True"}, id="short")
    b.measure("1,000 jobs start and end", lambda: (b.scheduling(True), wait_for("the end", lambda: (
        b.server.status(QUEUE, id="short")[0]["total_jobs"]) == "0" or "Running:0" in b.server.status(
            QUEUE, id="short")[0]["state_count"] and "Queued:0" in b.server.status(
                QUEUE, id="short")[0]["state_count"], deadline=120)))
    b.scheduling(False)


def purge(b, past):
    some, rest = past[:len(past) // 10], past[len(past) // 10:]
    b.measure("qdel -x of %d in one command" % len(some), quiet_run(b, "qdel", "-x", *some))
    some, rest = rest[:len(past) // 10], rest[len(past) // 10:]
    b.measure("qdel -W force -x of %d in one command" % len(some), quiet_run(
        b, "qdel", "-W", "force", "-x", *some))
    print("    %.1f MB" % b.memory_mb(), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--finished", type=int, default=100000)
    parser.add_argument("--jobs", type=int, default=10000)
    parser.add_argument("--vnodes", type=int, default=1000)
    parser.add_argument("--resvs", type=int, default=0)
    parser.add_argument("--forget", choices=["duration", "off"], default="duration")
    args = parser.parse_args()
    library = turn_library()
    make_users()
    try:
        print("%-64s %7s %7s %7s %7s %8s %8s" % ("ms of a processor", "server", "store", "sched", "MoM",
                                               "turn", "MoM's"))
        with Bench(args, library, ncpus=-(-ROUND // args.vnodes)) as b:
            first = b.next_number()
            before = finish(b, args.finished)
            print("    memory for each that is over: %.2f KB" % (
                (b.memory_mb() - before) * 1000 / max(args.finished, 1)), flush=True)
            past = ["%d.localhost" % (first + i) for i in range(args.finished)]
            b.scheduling(False)
            b.queue("short", started="False")
            first = b.next_number()
            b.submit(args.jobs)
            waiting = ["%d.localhost" % (first + i) for i in range(args.jobs)]
            looks(b, past)
            changes(b, waiting)
            run_and_end(b)
            restart(b, "stop")
            restart(b, "kill")
            if past:
                purge(b, past)
            if args.forget == "duration":
                b.measure("job_history_duration=1: all is forgotten", lambda: b.set(job_history_duration="1"))
            else:
                b.measure("job_history_enable=False: all is forgotten", lambda: b.set(job_history_enable="False"))
            print("    %.1f MB" % b.memory_mb(), flush=True)
            b.measure("qstat -x", quiet_run(b, "qstat", "-x"))
    finally:
        remove_users()


if __name__ == "__main__":
    main()
