#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""standing.py - how long it takes to confirm a long standing reservation.

    HF_PREFIX=<install prefix> test/bench/standing.py [--vnodes 2000] [--count 2000]

Starts a private cluster with mock vnodes. pbs_rsub -I asks for a series of an occurrence an
hour, first where the same vnodes are free in all of them, then where each of some vnodes is
taken in some hour, then as an advance reservation beside them; printed is the time from the
start of the command to its exit.

    test/bench/standing.py --others --vnodes 10 --count 10000 --chunks 1

asks for one series and deletes it, and prints what the server works for that, and how long
others wait meanwhile."""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.users import make_users, remove_users  # noqa: E402
from largest import MANAGER, OBJ_SERVER, SET, Other, manage  # noqa: E402

HOUR = 3600


def ask(cluster, what, start, chunks, options):
    argv = ["pbs_rsub", "-I", "600", "-R", Reservation.clock(start), "-D", "1800",
            "-l", "select=%d:ncpus=2" % chunks, "-l", "place=vscatter"] + options
    begin = time.perf_counter()
    done = cluster.run(argv, user=USER1, env={"PBS_TZID": "UTC"}, timeout=900)
    print("%-44s %8.0f ms  %s" % (what, (time.perf_counter() - begin) * 1000,
                                  done.stdout.strip()), flush=True)


def beside(cluster, what, action):
    """How long others wait meanwhile: who asks for the status of the server, who changes it."""
    path = os.path.join(cluster.home, "ipc", "server.sock")
    change = manage(2, OBJ_SERVER, "", ("comment", None, "it is busy", SET))
    others = [Other(path), Other(path, MANAGER, change)]
    for other in others:
        other.start()
    time.sleep(0.1)
    action()
    time.sleep(0.5)
    print("    beside %-14s longest status of the server %.0f ms, longest change of it %.0f ms"
          % ((what,) + tuple(max(other.end()) for other in others)), flush=True)


def processor_ms(pid):
    """Of each thread by its number, in order: the first is the loop."""
    tasks = "/proc/%d/task" % pid
    return {int(t): int(open("%s/%s/schedstat" % (tasks, t)).read().split()[0]) / 1e6
            for t in os.listdir(tasks)}


def alone(cluster, what, action):
    """What the server's threads work for it when nobody else asks for anything."""
    time.sleep(0.5)
    before = processor_ms(cluster.server.process.pid)
    action()
    time.sleep(0.5)
    after = processor_ms(cluster.server.process.pid)
    used = [after[t] - before.get(t, 0) for t in sorted(after)]
    print("    alone, %-14s the loop works %.1f ms, other threads %s ms"
          % (what, used[0], " ".join("%.1f" % u for u in used[1:] if u > 0.05)), flush=True)


def one_long_series(cluster, args):
    start = int(time.time()) + 86400
    for i in range(args.runs):
        rule = ["-r", "FREQ=HOURLY;COUNT=%d" % args.count]
        alone(cluster, "confirmation:", lambda: ask(
            cluster, "a series of %d" % args.count, start, args.chunks, rule))
        rid = cluster.server.status(RESV)[0]["id"]
        alone(cluster, "deletion:", lambda: cluster.run(["pbs_rdel", rid]))
    for i in range(args.runs):
        rule = ["-r", "FREQ=HOURLY;COUNT=%d" % args.count]
        beside(cluster, "confirmation:", lambda: ask(
            cluster, "a series of %d" % args.count, start, args.chunks, rule))
        rid = cluster.server.status(RESV)[0]["id"]
        beside(cluster, "deletion:", lambda: cluster.run(["pbs_rdel", rid]))


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
    parser.add_argument("--others", action="store_true")
    parser.add_argument("--runs", type=int, default=5, help="of --others")
    args = parser.parse_args()
    make_users()
    try:
        with Cluster(vnodes=args.vnodes, mock=True) as cluster:
            print("%d vnodes, %d occurrences of %d chunks"
                  % (args.vnodes, args.count, args.chunks))
            (one_long_series if args.others else run)(cluster, args)
    finally:
        remove_users()


if __name__ == "__main__":
    main()
