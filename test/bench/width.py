#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""width.py - what reservations cost on clusters of every width: figures for doc/performance.md.

    HF_PREFIX=<install prefix> test/bench/width.py curve [--sizes 10,100,1000,10000]
    HF_PREFIX=<install prefix> test/bench/width.py alter [--vnodes 10000] [--resvs 1000]
    HF_PREFIX=<install prefix> test/bench/width.py loss
    HF_PREFIX=<install prefix> test/bench/width.py outage
    HF_PREFIX=<install prefix> test/bench/width.py many
    HF_PREFIX=<install prefix> test/bench/width.py memory
    HF_PREFIX=<install prefix> test/bench/width.py cycle

Each part starts private clusters with mock vnodes. "curve" asks for a reservation and alters
it on clusters with more and more vnodes and a tenth as many reservations; "alter"
asks for times and for a select beside as many live reservations as are told; "loss" takes a
tenth of 5,000 vnodes from 500 reservations; "outage" takes 1,000 vnodes from 500 running ones,
once with their MoM and once one by one, and lets them be made anew; "many" has 10,000 reservations: status, restart,
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


def alter(args):
    """By times and by a select, of one that waits and of one that runs."""
    with Cluster(vnodes=args.vnodes, mock=True) as cluster:
        server = cluster.server
        reserve(cluster, time.time() + 86400, args.resvs)
        running = server.submit(Reservation(select="64:ncpus=1", start=time.time() + 5,
                                            duration=HOUR, options=["-l", "place=vscatter"]))
        waiting = server.submit(Reservation(select="64:ncpus=1", start=time.time() + 9000000,
                                            duration=HOUR, options=["-l", "place=vscatter"]))
        for rid, state in ((waiting, "CONFIRMED"), (running, "RUNNING")):
            server.expect(RESV, {"reserve_state": "RESV_" + state}, id=rid, deadline=120)
        used = processor_ms(server), processor_ms(cluster.scheduler)
        for name, rid in (("waits", waiting), ("runs", running)):
            times, selects = [], []
            for i in range(args.runs):
                for kept, words in ((times, ["-D", str(HOUR + 60 * i + 60)]),
                                    (selects, ["-l", "select=%d:ncpus=1" % (63 - i)])):
                    argv = ["pbs_ralter", "-I", "60"] + words + [rid]
                    done = []
                    kept.append(timed(lambda: done.append(cluster.run(argv))))
                    assert done[0].stdout.endswith(" CONFIRMED\n"), done[0].stdout
            for what, kept in (("-D", times), ("-l select", selects)):
                say("pbs_ralter -I %s of one that %s, median" % (what, name),
                    statistics.median(kept), note="%.1f to %.1f" % (min(kept), max(kept)))
        for daemon, before in zip((server, cluster.scheduler), used):
            say("processor time for each: " + daemon.name,
                (processor_ms(daemon) - before) / (4 * args.runs))


def stamp(line):
    """The time of a line of a log, in seconds of its day."""
    hours, minutes, seconds = line.split(";")[0].split(" ")[1].split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def marked_ms(server, begin, resvs):
    """From the first line of the log with 'begin' to the last reservation that is marked."""
    def marks():
        return [l for l in server.log_lines() if "An attempt to reconfirm reservation" in l]
    wait_for("all to be marked", lambda: len(marks()) >= resvs, deadline=120)
    first = next(l for l in server.log_lines() if begin in l)
    return (stamp(marks()[-1]) - stamp(first)) * 1000


def outage_of(args, vnodes, take):
    """A cluster whose first 1,000 vnodes have the running reservations, two each."""
    with Cluster(vnodes=vnodes, mock=True) as cluster:
        server = cluster.server
        server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_time": args.retry})
        start = time.time() + 60 + args.resvs / 20
        for _ in range(args.resvs):
            server.submit(Reservation(select="2:ncpus=2", start=start, duration=9 * HOUR,
                                      options=["-l", "place=vscatter"]))
        wait_for("all to run", lambda: all(
            r["reserve_state"] == "RESV_RUNNING" for r in server.status(RESV)), deadline=600)
        take(cluster)


def mom_is_lost(args, cluster):
    cluster.mom.kill()
    say("1,000 vnodes of a MoM that dies: all marked, after the server knows",
        marked_ms(cluster.server, args.lost, args.resvs))


def each_is_lost(args, cluster):
    server = cluster.server
    names = ",".join("vn[%d]" % i for i in range(2 * args.resvs))
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    begin = time.time()
    say("1,000 vnodes set offline, one change each, until all is answered", timed(
        lambda: cluster.run(["qmgr", "-c", "set node %s state=offline" % names], timeout=600)))
    degraded = [r for r in server.status(RESV) if r["reserve_substate"] == "10"]
    assert len(degraded) == args.resvs, len(degraded)
    say("all marked, from the first change to a status that says so",
        (time.time() - begin) * 1000)
    # One attempt for all: the last one's time has come when scheduling is on again.
    last = max(int(r["reserve_retry"]) if r["reserve_retry"].isdigit() else begin + args.retry
               for r in degraded)
    wait_for("the last one's time", lambda: time.time() > last + 1)
    used = processor_ms(server), processor_ms(cluster.scheduler)
    begin = time.time()
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    wait_for("all to be made anew", lambda: not any(
        r["reserve_substate"] == "10" for r in server.status(RESV)), deadline=600)
    say("all made anew in one attempt", (time.time() - begin) * 1000)
    for daemon, before in zip((server, cluster.scheduler), used):
        say("processor time for that: " + daemon.name, processor_ms(daemon) - before)


def outage(args):
    if args.lost:
        outage_of(args, 2 * args.resvs, lambda cluster: mom_is_lost(args, cluster))
    outage_of(args, 6 * args.resvs, lambda cluster: each_is_lost(args, cluster))


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


PARTS = {f.__name__: f for f in (curve, alter, loss, outage, many, memory, cycle)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=sorted(PARTS))
    parser.add_argument("--sizes", default="10,100,1000,10000")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--vnodes", type=int, default=5000)
    parser.add_argument("--resvs", type=int, default=500)
    parser.add_argument("--retry", type=int, default=20, help="reserve_retry_time of an outage")
    parser.add_argument("--lost", default="stream_eof, ", help="what the log says of a MoM "
                        "that is lost")
    args = parser.parse_args()
    make_users()
    try:
        PARTS[args.part](args)
    finally:
        remove_users()


if __name__ == "__main__":
    main()
