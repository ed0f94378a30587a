#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""real.py - what real short jobs cost their MoM: figures for doc/performance.md.

    HF_PREFIX=<install prefix> test/bench/real.py [--jobs 300] [--a-minute 1000]
                                                  [--processes 0] [--perf FILE]

Starts a private cluster with one real MoM. N jobs of one cpu, a script that ends at once, are
submitted evenly, so many a minute. Printed is the processor time that the MoM itself used for
each, from the first job to the end of the last: what its children do is theirs, and the forks
are in it; how long those are is measured apart, with strace where it is installed. As many processes as asked for sleep beside, since
a host has others."""
import argparse
import os
import platform
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.services import wait_for  # noqa: E402
from holdfast.users import make_users, remove_users  # noqa: E402


def used_us(pid):
    """Microseconds on a processor: of all threads, without children."""
    us = 0
    for tid in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/schedstat" % (pid, tid)) as f:
            us += int(f.read().split()[0]) / 1000
    return us


def user_and_system(pid):
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rpartition(")")[2].split()
    return [int(n) * 1e6 / os.sysconf("SC_CLK_TCK") for n in fields[11:13]]


def submit_evenly(cluster, args):
    script = cluster.write("job.sh", "#!/bin/sh\nexit 0\n")
    begin = time.monotonic()
    for i in range(args.jobs):
        cluster.run(["qsub", "-o", "/dev/null", "-j", "oe", "-l", "select=1:ncpus=1", script], user=USER1)
        time.sleep(max(0.0, begin + (i + 1) * 60 / args.a_minute - time.monotonic()))
    return time.monotonic() - begin


def ended(cluster):
    return sum(";E;" in line for line in cluster.server.accounting_lines())


def measure(cluster, args):
    pid = cluster.mom.process.pid
    cluster.run(["qsub", "-o", "/dev/null", "-j", "oe", cluster.write("first.sh", "#!/bin/sh\n")],
                user=USER1)
    wait_for("the first job's end", lambda: ended(cluster) == 1)
    watch = subprocess.Popen(args.watch.split() + [str(pid)]) if args.watch else None
    before, before_each = used_us(pid), user_and_system(pid)
    took_s = submit_evenly(cluster, args)
    wait_for("all ends", lambda: ended(cluster) == 1 + args.jobs)
    each = (used_us(pid) - before) / args.jobs
    user, system = ((b - a) / args.jobs for a, b in zip(before_each, user_and_system(pid)))
    if watch:
        watch.send_signal(2)
        watch.wait()
    print("%d jobs, %.0f a minute, load %.1f, %d processes: %.0f us of the MoM for each (user %.0f, "
          "system %.0f)" % (args.jobs, args.jobs / took_s * 60, os.getloadavg()[0],
                            len(list(filter(str.isdigit, os.listdir("/proc")))), each, user, system),
          flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=300)
    parser.add_argument("--a-minute", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=0)
    parser.add_argument("--watch", help="a program that is given the MoM's process id, and SIGINT at "
                        "the end: 'strace -c -f -p', 'perf record -g -p'")
    args = parser.parse_args()
    make_users()
    others = [subprocess.Popen(["sleep", "3600"]) for _ in range(args.processes)]
    try:
        print("machine: %s, %d cpus, %s" % (platform.machine(), os.cpu_count(), platform.release()))
        with Cluster(vnodes=1, ncpus=100) as cluster:
            measure(cluster, args)
    finally:
        for p in others:
            p.kill()
            p.wait()
        remove_users()


if __name__ == "__main__":
    main()
