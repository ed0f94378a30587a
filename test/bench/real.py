#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""real.py - what real short jobs cost their MoM: figures for doc/performance.md.

    HF_PREFIX=<install prefix> test/bench/real.py [--jobs 300] [--a-minute 1000]
                                                  [--processes 0] [--split] [--watch PROGRAM]

Starts a private cluster with one real MoM. N jobs of one cpu, a script that ends at once, are
submitted evenly, so many a minute. Printed is the processor time that the MoM itself used for
each, from the first job to the end of the last, and that of its children: shepherds, the jobs,
deliveries. With --split, perf tells where the MoM's own time went: in forks (what the kernel does
for them, and the pages that are copied afterwards since a child has them too), on the disk, in
messages and so on. As many processes as asked for sleep beside, since a host has others."""
import argparse
import os
import platform
import re
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
    """Of itself, and of the children that it has waited for."""
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rpartition(")")[2].split()
    return [int(n) * 1e6 / os.sysconf("SC_CLK_TCK") for n in fields[11:15]]


# What a sample counts as: the first row of which a function is in its stack. Nearly all
# faults (8,165 of 8,181 in 100 jobs) are writes to pages that a fork has write-protected.
SPLIT = (
    ("forks", "kernel_clone"),
    ("pages copied after them", "page_fault|wp_page_copy|do_wp_page|wp_page_reuse"),
    ("children waited for", "kernel_wait|do_wait|kernel_waitid"),
    ("disk: fsync", "fsync|fdatasync"),
    ("disk: removal", "unlink|rmdir"),
    ("disk: names", "rename"),
    ("/proc", "proc_reg|proc_pid|proc_single|proc_tgid|proc_lookup"),
    ("opening", "do_sys_open|openat|path_openat"),
    ("messages", "sock_|tcp_|unix_|inet_|sendmsg|recvmsg"),
    ("waiting for events", "epoll"),
    ("writing", "vfs_write|ksys_write|pwrite"),
    ("reading", "vfs_read|ksys_read|pread"),
    ("closing", "__fput|close"),
    ("other calls", "do_syscall|entry_SYSCALL|syscall"),
    ("interrupts", "irq|apic_timer|hrtimer"),
)


def split(path, us_each):
    """Print the parts of the MoM's time for a job by the samples of perf."""
    script = subprocess.run(["perf", "script", "-i", path, "-F", "ip,sym"], capture_output=True, text=True)
    stacks = [s for s in script.stdout.split("\n\n") if s.strip()]
    parts = dict.fromkeys([name for name, _ in SPLIT] + ["its own code"], 0)
    for stack in stacks:
        for name, functions in SPLIT:
            if re.search(functions, stack):
                break
        else:
            name = "its own code"
        parts[name] += 1
    for name, n in parts.items():
        print("    %-24s %5.0f us" % (name, us_each * n / max(1, len(stacks))))


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
    samples = os.path.join(cluster.root, "perf.data")
    if args.split:
        args.watch = "perf record -q -i -g -F 4999 -o %s -p" % samples
    watch = subprocess.Popen(args.watch.split() + [str(pid)]) if args.watch else None
    before, before_each = used_us(pid), user_and_system(pid)
    took_s = submit_evenly(cluster, args)
    wait_for("all ends", lambda: ended(cluster) == 1 + args.jobs)
    each = (used_us(pid) - before) / args.jobs
    user, system, child_user, child_system = (
        (b - a) / args.jobs for a, b in zip(before_each, user_and_system(pid)))
    if watch:
        watch.send_signal(2)
        watch.wait()
    print("%d jobs, %.0f a minute, load %.1f, %d processes: %.0f us of the MoM for each (user %.0f, "
          "system %.0f), %.0f us of its children (user %.0f, system %.0f)" % (
              args.jobs, args.jobs / took_s * 60, os.getloadavg()[0],
              len(list(filter(str.isdigit, os.listdir("/proc")))), each, user, system,
              child_user + child_system, child_user, child_system), flush=True)
    if args.split:
        split(samples, each)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=300)
    parser.add_argument("--a-minute", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=0)
    parser.add_argument("--split", action="store_true", help="where the time goes, by perf")
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
