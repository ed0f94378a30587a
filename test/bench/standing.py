#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""standing.py - how long it takes to confirm a long standing reservation.

    HF_PREFIX=<install prefix> test/bench/standing.py [--vnodes 2000] [--count 2000]

Starts a private cluster with mock vnodes. pbs_rsub -I asks for a series of an occurrence an
hour, first where the same vnodes are free in all of them, then where each of some vnodes is
taken in some hour, then as an advance reservation beside them; printed is the time from the
start of the command to its exit."""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.users import make_users, remove_users  # noqa: E402

HOUR = 3600


def ask(cluster, what, start, chunks, options):
    argv = ["pbs_rsub", "-I", "600", "-R", Reservation.clock(start), "-D", "1800",
            "-l", "select=%d:ncpus=2" % chunks, "-l", "place=vscatter"] + options
    begin = time.perf_counter()
    done = cluster.run(argv, user=USER1, env={"PBS_TZID": "UTC"}, timeout=900)
    print("%-44s %8.0f ms  %s" % (what, (time.perf_counter() - begin) * 1000,
                                  done.stdout.strip()), flush=True)


def run(cluster, args):
    start = int(time.time()) + 86400
    rule = ["-r", "FREQ=HOURLY;COUNT=%d" % args.count]
    ask(cluster, "new, the same vnodes for all", start, args.chunks, rule)
    # In each of these hours all vnodes are taken but as many as the next series needs.
    rest = args.vnodes - 2 * args.chunks
    for i in range(0, args.count, max(args.count // 10, 1)):
        ask(cluster, "a reservation on %d vnodes in hour %d" % (rest, i), start + i * HOUR,
            rest, [])
    ask(cluster, "new, not the same vnodes for all", start, args.chunks, rule)
    ask(cluster, "an advance reservation beside them", start + 1800, args.chunks, [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vnodes", type=int, default=2000)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--chunks", type=int, default=64)
    args = parser.parse_args()
    make_users()
    try:
        with Cluster(vnodes=args.vnodes, mock=True) as cluster:
            print("%d vnodes, %d occurrences of %d chunks"
                  % (args.vnodes, args.count, args.chunks))
            run(cluster, args)
    finally:
        remove_users()


if __name__ == "__main__":
    main()
