#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dry.py - what a dry run costs beside the request itself.

    HF_PREFIX=<install prefix> test/bench/dry.py [--vnodes 1000] [--resvs 200] [--runs 40]

Starts a private cluster with mock vnodes and so many reservations. pbs_rsub and pbs_ralter
are run in turns with --dry-run and with -I, about the same chunks and times, and pbs_ralter with
--push, too; printed are the
median, the fastest and the slowest time from the start of the command to its exit. What is
reserved is deleted between two runs, which is not measured. Nothing here fails: machines
differ. The server's journal is looked at before and after the dry runs: they add nothing."""
import argparse
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.users import make_users, remove_users  # noqa: E402

HOUR = 3600


ROOT = None


def timed(cluster, argv, user=USER1):
    begin = time.perf_counter()
    done = cluster.run(argv, user=user)
    return (time.perf_counter() - begin) * 1000, done.stdout


def show(what, times):
    print("%-28s median %6.1f ms  fastest %6.1f  slowest %6.1f"
          % (what, statistics.median(times), min(times), max(times)), flush=True)


def records(cluster):
    """The number of the last record, as the store has it."""
    return int(cluster.sql("SELECT max(seq) FROM journal")[0][0])


def book(cluster, n, start):
    for i in range(n):
        cluster.run(["pbs_rsub", "-I", "60", "-l", "select=4:ncpus=2", "-R",
                     Reservation.clock(start + i % 10 * HOUR), "-D", "3000"], user=USER1)


def rsub(cluster, args, start):
    what = ["-l", "select=4:ncpus=2", "-R", Reservation.clock(start), "-D", "3000"]
    dry, real = [], []
    for _ in range(args.runs):
        dry.append(timed(cluster, ["pbs_rsub", "--dry-run"] + what)[0])
        ms, out = timed(cluster, ["pbs_rsub", "-I", "60"] + what)
        real.append(ms)
        cluster.server.delete(out.split()[0])
    show("pbs_rsub --dry-run", dry)
    show("pbs_rsub -I", real)


def ralter(cluster, args, start):
    dry, real = [], []
    rid = cluster.run(["pbs_rsub", "-I", "60", "-l", "select=4:ncpus=2", "-R",
                       Reservation.clock(start), "-D", "3000"], user=USER1).stdout.split()[0]
    for i in range(args.runs):
        what = ["-D", str(3600 + i), rid]
        dry.append(timed(cluster, ["pbs_ralter", "--dry-run"] + what)[0])
        real.append(timed(cluster, ["pbs_ralter", "-I", "60"] + what)[0])
    show("pbs_ralter --dry-run", dry)
    show("pbs_ralter -I", real)
    dry = [timed(cluster, ["pbs_rdel", "--dry-run", rid])[0] for _ in range(args.runs)]
    show("pbs_rdel --dry-run", dry)


def push(cluster, args, start):
    """Two that have all vnodes, one behind the other: each run moves the second one on."""
    both = [cluster.run(["pbs_rsub", "-I", "60", "-l", "select=%d:ncpus=2" % args.vnodes, "-R",
                         Reservation.clock(start + i * 600), "-D", "600"],
                        user=USER1).stdout.split()[0] for i in range(2)]
    dry, real = [], []
    for i in range(args.runs):
        what = ["--push", "-D", str(660 + i * 60), both[0]]
        dry.append(timed(cluster, ["pbs_ralter", "--dry-run"] + what, ROOT))
        real.append(timed(cluster, ["pbs_ralter", "-I", "60"] + what, ROOT))
        for _, out in dry[-1], real[-1]:
            if both[1] not in out:
                sys.exit("nobody was moved: " + out[:500])
    show("pbs_ralter --dry-run --push", [ms for ms, _ in dry])
    show("pbs_ralter --push", [ms for ms, _ in real])
    return both[0]


def many(cluster, args, start, pushed):
    before = records(cluster)
    for _ in range(args.runs):
        timed(cluster, ["pbs_rsub", "--dry-run", "-l", "select=4:ncpus=2", "-R",
                        Reservation.clock(start), "-D", "3000"])
        timed(cluster, ["pbs_ralter", "--dry-run", "--push", "-D", "86400", pushed], ROOT)
    print("records of %d dry runs: %d" % (2 * args.runs, records(cluster) - before))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vnodes", type=int, default=1000)
    parser.add_argument("--resvs", type=int, default=200)
    parser.add_argument("--runs", type=int, default=40)
    args = parser.parse_args()
    make_users()
    try:
        with Cluster(vnodes=args.vnodes, mock=True) as cluster:
            start = int(time.time()) // HOUR * HOUR + 24 * HOUR
            print("%d vnodes, %d reservations" % (args.vnodes, args.resvs))
            book(cluster, args.resvs, start)
            rsub(cluster, args, start)
            ralter(cluster, args, start)
            pushed = push(cluster, args, start + 24 * HOUR)
            many(cluster, args, start, pushed)
    finally:
        remove_users()


if __name__ == "__main__":
    main()
