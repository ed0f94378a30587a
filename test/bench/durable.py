#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""durable.py - how many changes a second the server acknowledges: doc/performance.md.

    HF_PREFIX=<install prefix> test/bench/durable.py [--seconds 5] [--connections 64]

Starts a server on each kind of store and lets test/bench/hammer change attributes of the
server, a queue and four nodes. No figure fails anything: the time of an fdatasync is printed
beside them, before and after, for another's work on the same disk shows in both."""
import argparse
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.build import built  # noqa: E402
from holdfast.postgres import remove_service  # noqa: E402


def sync_ms(directory):
    """Median of 50 fdatasyncs behind 4 KiB each."""
    times = []
    with tempfile.NamedTemporaryFile(dir=directory) as f:
        for _ in range(50):
            f.write(b"x" * 4096)
            f.flush()
            begin = time.perf_counter()
            os.fdatasync(f.fileno())
            times.append((time.perf_counter() - begin) * 1000)
    return sorted(times)[25]


def ticks(pid):
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def run(store, args):
    with Cluster(store=store, alone=True) as cluster:
        pid = cluster.server.process.pid
        before, begin = sync_ms(cluster.home), ticks(pid)
        out = subprocess.run([built("test/bench/hammer"), "-c", str(args.connections),
                              "-s", str(args.seconds), "-n", "4",
                              os.path.join(cluster.home, "ipc", "server.sock")],
                             env=cluster.env(), check=True, text=True, capture_output=True).stdout
        used = (ticks(pid) - begin) / os.sysconf("SC_CLK_TCK")
        n = int(out.split()[0])
        print("%-12s %s" % (store, out.strip()))
        print("%-12s fdatasync %.1f ms before, %.1f ms after; server's processor time %.0f us "
              "a change; load %.1f" % ("", before, sync_ms(cluster.home), used / n * 1e6,
                                       os.getloadavg()[0]), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--store", choices=["sqlite", "postgresql"])
    args = parser.parse_args()
    try:
        for store in [args.store] if args.store else ["sqlite", "postgresql"]:
            run(store, args)
    finally:
        remove_service()


if __name__ == "__main__":
    main()
