#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench.py - how long an administrator waits: figures for doc/performance.md.

    HF_PREFIX=<install prefix> test/bench/bench.py [--vnodes 1000] [--resvs 200]

Starts a private cluster with mock vnodes and prints medians. No figure fails anything:
machines differ, so the machine and its fsync time are printed beside them."""
import argparse
import os
import platform
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.users import make_users, remove_users  # noqa: E402


def timed(action, n):
    """Milliseconds of n calls: (median, smallest, largest)."""
    times = []
    for i in range(n):
        begin = time.perf_counter()
        action(i)
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times), min(times), max(times)


def fsync_ms(directory):
    with tempfile.NamedTemporaryFile(dir=directory) as f:
        def write(_):
            f.write(b"x" * 4096)
            f.flush()
            os.fsync(f.fileno())
        return timed(write, 50)


def show(what, figures, note=""):
    print("%-58s %8.1f %8.1f %8.1f  %s" % ((what,) + figures + (note,)), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vnodes", type=int, default=1000)
    parser.add_argument("--resvs", type=int, default=200)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--jobs", type=int, default=500)
    args = parser.parse_args()

    make_users()
    try:
        with Cluster(vnodes=args.vnodes, mock=True) as cluster:
            run(cluster, args)
    finally:
        remove_users()


def run(cluster, args):
    server = cluster.server
    print("machine: %s, %d cpus, %s" % (platform.machine(), os.cpu_count(), platform.release()))
    print("%-58s %8s %8s %8s" % ("milliseconds", "median", "least", "most"))
    show("write and fsync of 4 KiB where the store lies", fsync_ms(cluster.home))
    show("start and end of an empty process (true)",
         timed(lambda i: cluster.run(["true"]), args.runs))
    base = time.time() + 86400
    for i in range(args.resvs):
        server.submit(Reservation(select="4:ncpus=1", start=base + (i % 20) * 7200,
                                  duration=3600))
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=server.status(RESV)[-1]["id"],
                  deadline=300)
    print("%d vnodes, %d reservations" % (args.vnodes, args.resvs))

    booked = []

    def book(i):
        r = Reservation(select="4:ncpus=1", start=base + 200000 + i * 7200, duration=3600,
                        interactive=60)
        server.submit(r)
        assert r.answer.endswith("CONFIRMED"), r.answer
        booked.append(r.answer.split()[0])

    def alter(i):
        done = cluster.run(["pbs_ralter", "-I", "60", "-D", "5400", booked[i]])
        assert done.stdout.endswith("CONFIRMED\n"), done.stdout
    show("pbs_rsub -I to CONFIRMED, process start to exit", timed(book, args.runs))
    show("pbs_ralter -I to CONFIRMED, process start to exit", timed(alter, args.runs))
    show("qstat -B", timed(lambda i: cluster.run(["qstat", "-B"]), args.runs))
    show("pbs_rstat (all)", timed(lambda i: cluster.run(["pbs_rstat"]), args.runs))
    show("pbsnodes -av", timed(lambda i: cluster.run(["pbsnodes", "-av"]), 5))
    jobs(cluster, args.jobs)


def jobs(cluster, n):
    """n one-cpu jobs, all queued, then scheduling is switched on."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    begin = time.perf_counter()
    script = cluster.write("job.sh", "#!/bin/sh\n#PBS -l walltime=600\ntrue\n")
    os.chmod(script, 0o755)
    loop = "i=0; while [ $i -lt %d ]; do qsub -z %s || exit 1; i=$((i+1)); done" % (n, script)
    cluster.run(["sh", "-c", loop], user=USER1, timeout=600)
    submitted = time.perf_counter() - begin
    begin = time.perf_counter()
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    while True:
        count = server.status(SERVER)[0]["state_count"]
        if "Running:%d " % n in count + " ":
            break
        if time.perf_counter() - begin > 300:
            print("jobs did not all start:", count)
            return
        time.sleep(0.05)
    started = time.perf_counter() - begin
    print("%-58s %8.0f a second" % ("qsub, one process each", n / submitted))
    print("%-58s %8.0f a second" % ("jobs started (%d, mock MoM)" % n, n / started))


if __name__ == "__main__":
    main()
