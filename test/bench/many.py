#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""many.py - many real jobs at one MoM: figures for doc/performance.md.

    HF_PREFIX=<install prefix> HF_BUILD=<its build> test/bench/many.py [--jobs 1000] [--traps]

Starts a private cluster with one real MoM. N jobs of one cpu that sleep are started, run for a while in
which their usage is looked at, and are deleted with one qdel; then the MoM is ended and started beside N
others, is killed and started beside N others, and is told to end and to kill them. Printed are for each of
these steps the processor time that the MoM's process used, her children's that she has waited for, and her
longest turn (test/bench/turn.c), all in milliseconds of a processor, so that other work on the machine does
not count. With --traps the jobs' scripts go on behind SIGTERM until SIGKILL. It needs root, for two users."""
import argparse
import os
import platform
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.build import built  # noqa: E402
from holdfast.services import wait_for  # noqa: E402
from holdfast.users import make_users, remove_users  # noqa: E402
from jobs import wait_count  # noqa: E402
from paths import Turns, turn_library  # noqa: E402
from real import used_us, user_and_system  # noqa: E402

STANDS_S = 25  # for two samples of usage
SLEEPS = "#!/bin/sh\nsleep 36000\n"
TRAPS = "#!/bin/sh\ntrap : TERM\nwhile :; do sleep 36000 & wait; done\n"


class Bench:
    def __init__(self, cluster, args, turns):
        self.cluster, self.args, self.turns = cluster, args, turns
        self.server, self.mom = cluster.server, cluster.mom

    def step(self, what, action):
        """What the MoM uses meanwhile; one that was started in this step has used nothing before."""
        self.turns.clear()
        pid = self.mom.process.pid
        before, children = used_us(pid), user_and_system(pid)
        begin = time.perf_counter()
        action()
        took_s = time.perf_counter() - begin
        if not self.mom.is_up():  # what she used is gone with her
            print("%-44s %8.1f s" % (what, took_s), flush=True)
            return
        if self.mom.process.pid != pid:
            pid, before, children = self.mom.process.pid, 0, [0] * 4
        used, waited = used_us(pid), user_and_system(pid)
        print("%-44s %8.1f s %10.0f %10.0f %8.1f" % (
            what, took_s, (used - before) / 1000,
            sum(waited[2:]) / 1000 - sum(children[2:]) / 1000, self.turns.longest_ms()), flush=True)

    def start(self):
        script = self.cluster.write("job.sh", TRAPS if self.args.traps else SLEEPS)
        self.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        self.cluster.run([built("test/bench/submit"), str(self.args.jobs), script,
                          "Resource_List.select=1:ncpus=1", "Output_Path=/dev/null", "Join_Path=oe"],
                         user=USER1, timeout=600)
        self.step("%d jobs start" % self.args.jobs, lambda: (
            self.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"}),
            wait_for("their sessions", lambda: self.n_sessions() == self.args.jobs, deadline=300)))
        self.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})

    def n_sessions(self):
        time.sleep(0.5)
        return self.cluster.run(["qstat", "-f"], timeout=60).stdout.count("session_id")

    def stand(self):
        self.step("they run, %d s" % STANDS_S, lambda: time.sleep(STANDS_S))

    def delete(self):
        self.step("one qdel of all, until none is left", lambda: (
            self.cluster.run(["sh", "-c", "qselect | xargs qdel"], timeout=900),
            wait_count(self.server, "Running:0 Exiting:0 ", deadline=900)))

    def back(self, what, end):
        def again():
            end()
            self.mom.start()
            wait_for("the MoM is back", lambda: all("down" not in v["state"] and "unknown" not in v["state"]
                                                    for v in self.server.status(VNODE)), deadline=120)
            time.sleep(2)
        self.step(what, again)


def run(cluster, args, turns):
    b = Bench(cluster, args, turns)
    cluster.server.manager(MGR_CMD_SET, SERVER, {"job_history_enable": "False"})
    print("%-44s %10s %10s %10s %8s" % ("ms of a processor", "", "MoM", "children", "turn"))
    b.start()
    b.stand()
    b.delete()
    b.start()
    b.back("the MoM ends (SIGINT) and starts with -p", lambda: b.mom.stop(signal.SIGINT))
    b.stand()
    b.delete()
    b.start()
    b.back("she is killed and starts", b.mom.kill)
    b.delete()
    b.start()
    b.step("she ends and kills them (SIGTERM)", lambda: b.mom.stop(signal.SIGTERM))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--traps", action="store_true")
    args = parser.parse_args()
    library = turn_library()
    make_users()
    try:
        print("machine: %s, %d cpus, %s, load %.1f" % (platform.machine(), os.cpu_count(), platform.release(),
                                                      os.getloadavg()[0]))
        cluster = Cluster(vnodes=1, ncpus=args.jobs)
        path = os.path.join(cluster.root, "pbs_mom.turns")
        cluster.mom.variables = {"LD_PRELOAD": library, "HF_TURNS": path}
        with cluster:
            run(cluster, args, Turns(path))
    finally:
        remove_users()


if __name__ == "__main__":
    main()
