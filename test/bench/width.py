#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""width.py - what reservations cost on clusters of every width: figures for doc/performance.md.

    HF_PREFIX=<install prefix> test/bench/width.py curve [--sizes 10,100,1000,10000]
    HF_PREFIX=<install prefix> test/bench/width.py loss
    HF_PREFIX=<install prefix> test/bench/width.py many
    HF_PREFIX=<install prefix> test/bench/width.py memory
    HF_PREFIX=<install prefix> test/bench/width.py cycle

Each part starts private clusters with mock vnodes. "curve" asks for a reservation and alters
it on clusters with more and more vnodes and a tenth as many reservations; "loss" takes a
tenth of 5,000 vnodes from 500 reservations; "many" has 10,000 reservations: status, restart,
and what an idle second costs; "memory" has 50,000 vnodes and 10,000 reservations; "cycle" asks
for reservations while the scheduler looks at 10,000 jobs on 5,000 vnodes."""
import argparse
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.services import wait_for  # noqa: E402
from holdfast.users import make_users, remove_users  # noqa: E402

HOUR = 3600


def say(what, value, unit="ms", note=""):
    print("%-62s %10.1f %-3s %s" % (what, value, unit, note), flush=True)


def timed(action):
    begin = time.perf_counter()
    action()
    return (time.perf_counter() - begin) * 1000


def reserve(cluster, base, n, chunks=4, slots=20, options=()):
    """n reservations, in so many windows one after the other; all confirmed."""
    server = cluster.server
    for i in range(n):
        server.submit(Reservation(select="%d:ncpus=1" % chunks,
                                  start=base + (i % slots) * 2 * HOUR, duration=HOUR,
                                  options=options))
    for resv in server.status(RESV):
        server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=resv["id"], deadline=900)


def memory_mb(daemon):
    with open("/proc/%d/status" % daemon.process.pid) as f:
        return next(int(l.split()[1]) for l in f if l.startswith("VmRSS")) / 1024


def processor_ms(daemon):
    with open("/proc/%d/stat" % daemon.process.pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def curve_of(vnodes, runs):
    with Cluster(vnodes=vnodes, mock=True) as cluster:
        base = time.time() + 86400
        n = min(vnodes // 10, 1000)
        reserve(cluster, base, n)
        asked, altered = [], []
        for i in range(runs):
            r = Reservation(select="4:ncpus=1", start=base + 200000 + i * 2 * HOUR,
                            duration=HOUR, interactive=60)
            asked.append(timed(lambda: cluster.server.submit(r)))
            assert r.answer.endswith("CONFIRMED"), r.answer
            rid = r.answer.split()[0]
            altered.append(timed(lambda: cluster.run(
                ["pbs_ralter", "-I", "60", "-D", "5400", rid])))
        note = "%d reservations" % n
        say("%d vnodes: pbs_rsub -I" % vnodes, statistics.median(asked), note=note)
        say("%d vnodes: pbs_ralter -I" % vnodes, statistics.median(altered), note=note)


def curve(args):
    for vnodes in args.sizes.split(","):
        curve_of(int(vnodes), args.runs)


def loss(args):
    """Every tenth vnode goes offline; the clock runs from the retry time."""
    with Cluster(vnodes=args.vnodes, mock=True) as cluster:
        server = cluster.server
        wait_s = 20
        server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_time": wait_s})
        reserve(cluster, time.time() + 86400, args.resvs, chunks=100,
                options=["-l", "place=vscatter"])
        lost = ["vn[%d]" % i for i in range(0, args.vnodes, 10)]
        begin = time.time()
        say("%d vnodes set offline" % len(lost), timed(
            lambda: cluster.run(["qmgr", "-c", "set node %s state=offline" % ",".join(lost)],
                                timeout=600)))
        degraded = [r for r in server.status(RESV) if r["reserve_substate"] == "10"]
        say("all marked after", (time.time() - begin) * 1000,
            note="%d of %d degraded" % (len(degraded), args.resvs))
        used = processor_ms(server), processor_ms(cluster.scheduler)
        # Nobody asks before the retry time, so that no status is counted before it.
        time.sleep(max(begin + wait_s - time.time(), 0))
        wait_for("all to be made anew", lambda: not any(
            r["reserve_substate"] == "10" for r in server.status(RESV)), deadline=600)
        say("all made anew, after the retry time of %d s" % wait_s,
            (time.time() - begin - wait_s) * 1000)
        say("processor time: server", processor_ms(server) - used[0])
        say("processor time: scheduler", processor_ms(cluster.scheduler) - used[1])


def many(args):
    with Cluster(vnodes=1000, mock=True) as cluster:
        server = cluster.server
        say("10,000 reservations made, one process each", timed(
            lambda: reserve(cluster, time.time() + 86400, 10000, chunks=1, slots=1000)))
        times = [timed(lambda: cluster.run(["pbs_rstat", "-f"])) for _ in range(5)]
        say("pbs_rstat -f of all", statistics.median(times))
        used = processor_ms(server), processor_ms(cluster.scheduler)
        time.sleep(10)  # what is measured: seconds in which nothing happens
        say("processor time in an idle second: server", (processor_ms(server) - used[0]) / 10)
        say("processor time in an idle second: scheduler",
            (processor_ms(cluster.scheduler) - used[1]) / 10)
        r = Reservation(select="1:ncpus=1", start=time.time() + 5000000, duration=HOUR,
                        interactive=60)
        say("pbs_rsub -I beside them", timed(lambda: server.submit(r)))
        server.stop()
        say("restart to the first answer", timed(lambda: (server.start(), server.status(SERVER))))


def memory(args):
    with Cluster(vnodes=50000, mock=True) as cluster:
        reserve(cluster, time.time() + 86400, 10000, chunks=4, slots=1000)
        say("server", memory_mb(cluster.server), "MB")
        say("scheduler", memory_mb(cluster.scheduler), "MB")


def cycle(args):
    with Cluster(vnodes=args.vnodes, mock=True) as cluster:
        server = cluster.server
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        loop = "for i in $(seq 3000 13000); do echo true | qsub -l select=2:ncpus=1 " \
            "-l walltime=$i >/dev/null || exit 1; done"
        cluster.run(["sh", "-c", loop], user=USER1, timeout=900)
        base = time.time() + 86400
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
        times = []
        for i in range(args.runs):
            r = Reservation(select="4:ncpus=1", start=base + i * 2 * HOUR, duration=HOUR,
                            interactive=60)
            times.append(timed(lambda: server.submit(r)))
            assert r.answer.endswith("CONFIRMED"), r.answer
        say("pbs_rsub -I in long cycles, median", statistics.median(times))
        print(" ".join("%.0f" % t for t in times))
        say("longest", max(times), note=server.status(SERVER)[0]["state_count"])


PARTS = {f.__name__: f for f in (curve, loss, many, memory, cycle)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=sorted(PARTS))
    parser.add_argument("--sizes", default="10,100,1000,10000")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--vnodes", type=int, default=5000)
    parser.add_argument("--resvs", type=int, default=500)
    args = parser.parse_args()
    make_users()
    try:
        PARTS[args.part](args)
    finally:
        remove_users()


if __name__ == "__main__":
    main()
