#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jobs.py - what a job's start and its end cost: figures for doc/performance.md.

    HF_PREFIX=<install prefix> test/bench/jobs.py [--vnodes 5000] [--resvs 500] [--jobs 5000]

Starts a private cluster whose MoM pretends, with reservations of the next days. N equal jobs of one cpu
wait; then scheduling is switched on, all start, and all end by themselves when their walltime is over.
Printed are how many started and ended in a second, and the processor time that each daemon used for one
of them, threads of the server apart: on a machine that does other work only the latter says much."""
import argparse
import os
import platform
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.build import built  # noqa: E402
from holdfast.services import wait_for  # noqa: E402
from holdfast.users import make_users, remove_users  # noqa: E402


def threads_us(pid):
    """Microseconds on a processor: of the main thread, of all others."""
    used = [0, 0]
    for tid in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/schedstat" % (pid, tid)) as f:
            used[int(tid) != pid] += int(f.read().split()[0]) / 1000
    return used


def all_us(cluster):
    loop, store = threads_us(cluster.server.process.pid)
    return {"server's loop": loop, "its store": store,
            "scheduler": sum(threads_us(cluster.scheduler.process.pid)),
            "MoM": sum(threads_us(cluster.mom.process.pid)),
            "router": sum(threads_us(cluster.comm.process.pid))}


def say(what, n, took_s, before, after):
    used = {name: (after[name] - before[name]) / n for name in before}
    print("%d jobs %s in %.2f s: %.0f a second (load %.1f)" % (n, what, took_s, n / took_s,
                                                             os.getloadavg()[0]))
    print("  processor time for each, us: " + ", ".join(
        "%s %.0f" % item for item in used.items()) + "; all %.0f" % sum(used.values()), flush=True)


def reserve(server, n):
    base = time.time() + 86400
    for i in range(n):
        server.submit(Reservation(select="4:ncpus=1", start=base + (i % 20) * 7200, duration=3600))
    wait_for("all to be confirmed", lambda: all(
        r["reserve_state"] == "RESV_CONFIRMED" for r in server.status(RESV)), deadline=600)


def stamp(line):
    """The time of a line of a log, in seconds of its day."""
    hours, minutes, seconds = line.split(";")[0].split(" ")[1].split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def last_stamp(server, word):
    return max(stamp(line) for line in server.log_lines() if word in line)


def busy_s(server, words):
    """From the first to the last line with one of the words. Walltimes are whole seconds: pauses
    in which no job is due are left out."""
    times = sorted(stamp(line) for line in server.log_lines() if any(w in line for w in words))
    gaps = [b - a for a, b in zip(times, times[1:])]
    return sum(gap for gap in gaps if gap < 0.3)


def wait_count(server, word, deadline=600):
    """A look each tenth of a second costs little, and all variants the same."""
    wait_for(word, lambda: word in server.status(SERVER)[0]["state_count"] + " ",
             deadline=deadline)



def run(cluster, args):
    server = cluster.server
    reserve(server, args.resvs)
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    script = cluster.write("job.sh", "#!/bin/sh\ntrue\n")
    begin, before = time.perf_counter(), all_us(cluster)
    cluster.run([built("test/bench/submit"), str(args.jobs), script, "Resource_List.select=1:ncpus=1",
                 "Resource_List.walltime=%d" % args.walltime], user=USER1, timeout=600)
    say("submitted", args.jobs, time.perf_counter() - begin, before, all_us(cluster))
    before = all_us(cluster)
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    begin = stamp(next(l for l in reversed(server.log_lines()) if "attributes set: scheduling = True" in l))
    wait_count(server, "Running:%d " % args.jobs)
    say("started", args.jobs, last_stamp(server, "Job Run at request") - begin, before,
        all_us(cluster))
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    before = all_us(cluster)
    wait_count(server, "Running:0 Exiting:0 ")
    say("ended", args.jobs, busy_s(server, ["Exit_status=", "dequeuing from"]), before,
        all_us(cluster))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vnodes", type=int, default=5000)
    parser.add_argument("--resvs", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=5000)
    parser.add_argument("--walltime", type=int, default=15, help="of a job, seconds; longer than "
                        "all starts take")
    args = parser.parse_args()
    make_users()
    try:
        print("machine: %s, %d cpus, %s" % (platform.machine(), os.cpu_count(),
                                            platform.release()))
        with Cluster(vnodes=args.vnodes, mock=True, ncpus=-(-args.jobs // args.vnodes)) as cluster:
            run(cluster, args)
    finally:
        remove_users()


if __name__ == "__main__":
    main()
