#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ends.py - running mock jobs deleted at once: figures for doc/performance.md.

    HF_PREFIX=<install prefix> test/bench/ends.py [--jobs 10000]

Starts a private cluster whose MoM pretends, lets N one-cpu jobs run, deletes all of them
with one qdel, and prints how long it takes until the server has none left, and the
processor time that server and MoM used for it."""
import argparse
import os
import platform
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.users import make_users, remove_users  # noqa: E402

VNODES = 100


def cpu_s(service):
    with open("/proc/%d/stat" % service.process.pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_count(server, word, deadline):
    begin = time.perf_counter()
    while word not in server.status(SERVER)[0]["state_count"] + " ":
        if time.perf_counter() - begin > deadline:
            raise SystemExit("not in %d s: %s" % (deadline, server.status(SERVER)[0]))
        time.sleep(0.05)
    return time.perf_counter() - begin


def run(cluster, n):
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    script = cluster.write("job.sh", "#!/bin/sh\n#PBS -l walltime=10:00:00\ntrue\n")
    os.chmod(script, 0o755)
    loop = "i=0; while [ $i -lt %d ]; do qsub %s || exit 1; i=$((i+1)); done" % (n, script)
    ids = cluster.run(["sh", "-c", loop], user=USER1, timeout=1200).stdout.split()
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    started = wait_count(server, "Running:%d " % n, 1200)
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    before = [cpu_s(s) for s in (server, cluster.mom)]
    begin = time.perf_counter()
    cluster.run(["qdel"] + ids, user=USER1, timeout=1200)
    answered = time.perf_counter() - begin
    wait_count(server, "Running:0 Exiting:0 ", 1200)
    ended = time.perf_counter() - begin
    used = [cpu_s(s) - b for s, b in zip((server, cluster.mom), before)]
    print("machine: %s, %d cpus, %s" % (platform.machine(), os.cpu_count(), platform.release()))
    print("%d jobs started in %.1f s" % (n, started))
    print("one qdel of all: answered after %.2f s, none left after %.2f s" % (answered, ended))
    print("processor time of one end: server %.3f ms, MoM %.3f ms" %
          (used[0] * 1000 / n, used[1] * 1000 / n))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=10000)
    args = parser.parse_args()
    make_users()
    try:
        with Cluster(vnodes=VNODES, ncpus=-(-args.jobs // VNODES), mock=True) as cluster:
            run(cluster, args.jobs)
    finally:
        remove_users()


if __name__ == "__main__":
    main()
