#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""arrays.py - one large job array from its submission to its end, and how long others wait
beside what is done to it.

    HF_PREFIX=<install prefix> test/bench/arrays.py [--subjobs 10000] [--running 10000]

A private cluster whose MoM pretends gets one array, of which so many subjobs run. For each
request about all of it are printed: the time to its answer and until the server has
nothing left to do, the processor time of the server, and how long another client's status
of the server took meanwhile: median and longest. Memory of the server is its resident
size. Nothing here fails: machines differ. It needs root, for two users."""
import argparse
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.users import make_users, remove_users  # noqa: E402
from largest import Other, cpu_ms, until_idle  # noqa: E402

VNODES = 100


def memory_mb(pid):
    with open("/proc/%d/statm" % pid, encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


class Bench:
    def __init__(self, cluster):
        self.cluster, self.server = cluster, cluster.server
        self.path = os.path.join(cluster.home, "ipc", "server.sock")

    @property
    def pid(self):
        return self.server.process.pid

    def counts(self, jid):
        return self.server.status(JOB, id=jid)[0]["array_state_count"]

    def until(self, what, jid, deadline=600):
        begin = time.perf_counter()
        while what not in self.counts(jid):
            if time.perf_counter() - begin > deadline:
                raise SystemExit("not in %d s: %s" % (deadline, self.counts(jid)))
            time.sleep(0.1)

    def until_resumed(self, jid, deadline=600):
        """Suspended subjobs count as running; each shows state S."""
        begin = time.perf_counter()
        while self.cluster.run(["qselect", "-T", "-s", "S"], timeout=600).stdout.strip():
            if time.perf_counter() - begin > deadline:
                raise SystemExit("%s is not resumed in %d s" % (jid, deadline))
            time.sleep(0.5)

    def beside(self, what, do):
        """Another client asks while it is done and until all of it has followed."""
        other = Other(self.path)
        other.start()
        time.sleep(0.05)
        cpu, begin = cpu_ms(self.pid), time.perf_counter()
        do()
        answer = (time.perf_counter() - begin) * 1000
        until_idle(self.pid, other)
        over = (time.perf_counter() - begin) * 1000
        cpu, waits = cpu_ms(self.pid) - cpu, other.end()
        print("%-44s %9.0f %9.0f %9.0f %9.1f %9.1f %7.0f" % (
            what, answer, over, cpu, statistics.median(waits), max(waits), memory_mb(self.pid)),
            flush=True)

    def command(self, what, *argv, user=None):
        self.beside(what, lambda: self.cluster.run(list(argv), user=user, check=False, timeout=1200))


def run(cluster, n, running):
    b = Bench(cluster)
    root = {"max_array_size": "1000000", "scheduling": "False"}
    b.server.manager(MGR_CMD_SET, SERVER, root)
    print("%-44s %9s %9s %9s %9s %9s %7s" % ("milliseconds", "answer", "all over", "processor",
                                             "others", "longest", "MB"))
    b.command("nothing (qstat -B)", "qstat", "-B")
    ids = []
    b.beside("qsub -J 0-%d" % (n - 1), lambda: ids.append(cluster.run(
        ["qsub", "-J", "0-%d" % (n - 1), "-l", "select=1:ncpus=1", "--", "/bin/sleep", "100000"],
        user=USER1).stdout.strip()))
    jid = ids[0]
    every = jid.replace("[]", "[0-%d]" % (n - 1))
    b.command("qhold", "qhold", jid, user=USER1)
    b.command("qrls", "qrls", jid, user=USER1)
    b.command("qstat -t", "qstat", "-t", user=USER1)
    b.command("qstat -f of all indices", "qstat", "-f", every, user=USER1)
    b.command("qselect -T", "qselect", "-T", user=USER1)
    if running:
        begin, cpu = time.perf_counter(), cpu_ms(b.pid)
        b.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
        b.until("Running:%d " % running, jid)
        took, cpu = time.perf_counter() - begin, cpu_ms(b.pid) - cpu
        print("%d started in %.1f s: %.0f a second, %.3f ms of the server for each; %.0f MB" % (
            running, took, running / took, cpu / running, memory_mb(b.pid)))
        b.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        b.command("qsig -s 0, all that run", "qsig", "-s", "0", jid, user=USER1)
        b.command("qsig -s suspend, all that run", "qsig", "-s", "suspend", jid)
        b.command("qsig -s resume, all of them", "qsig", "-s", "resume", jid)
        b.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
        b.until_resumed(jid)
        b.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        b.command("qhold while they run", "qhold", jid, user=USER1)
        b.command("qrls while they run", "qrls", jid, user=USER1)
        b.command("qstat -t while they run", "qstat", "-t", user=USER1)
        b.command("qdel of a hundredth, a range", "qdel", jid.replace("[]", "[0-%d]" % (running // 100)),
                  user=USER1)
        b.command("qrerun -W force, a tenth", "qrerun", "-W", "force",
                  jid.replace("[]", "[%d-%d]" % (running // 2, running // 2 + running // 10)))
        b.command("qrerun of all that run", "qrerun", jid)
        b.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
        time.sleep(1)
        b.until("Running:%d " % (running - 0 if n > running * 2 else n - running // 100 - 1), jid)
        b.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    else:
        b.command("qdel of half, every other index", "qdel", jid.replace("[]", "[0-%d:2]" % (n - 1)),
                  user=USER1)
        b.command("qdel of a quarter, a range", "qdel", jid.replace("[]", "[0-%d]" % (n // 2)), user=USER1)
    for how in ("a restart", "a restart after kill -9"):
        cpu, begin = 0, time.perf_counter()
        (b.server.stop if how == "a restart" else b.server.kill)()
        begin = time.perf_counter()
        b.server.start()
        cluster.run(["qstat", "-B"])
        print("%s to the first answer: %.2f s, %.0f MB" % (how, time.perf_counter() - begin, memory_mb(b.pid)))
    b.command("qdel of the array", "qdel", jid, user=USER1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--subjobs", type=int, default=10000)
    parser.add_argument("--running", type=int, default=10000)
    args = parser.parse_args()
    make_users()
    try:
        with Cluster(vnodes=VNODES, ncpus=max(1, args.running // VNODES), mock=True) as cluster:
            print("%d subjobs, %d of them run" % (args.subjobs, args.running))
            run(cluster, args.subjobs, args.running)
    finally:
        remove_users()


if __name__ == "__main__":
    main()
