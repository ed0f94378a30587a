#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""paths.py - what less common paths cost with many jobs: figures for doc/performance.md.

    HF_PREFIX=<install prefix> HF_BUILD=<its build> test/bench/paths.py [part ...] [--vnodes 5000] [--resvs 500]
        [--jobs 10000]

Each part starts a private cluster whose MoM pretends, with reservations of the next days, and takes
one path: preemption, a limit, a formula, a chain of dependencies and so on. Printed are the
processor time of the server's loop, its store, the scheduler and the MoM, and the longest turn of the
event loops of server and MoM (the scheduler has none), all in milliseconds of a processor: other work on the
machine does not count. The turns are seen by test/bench/turn.c, which is compiled here. Nothing
fails: machines differ. It needs root, for two users."""
import argparse
import os
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.peer import attrs  # noqa: E402
from holdfast.users import make_users, remove_users  # noqa: E402
from holdfast.wire import Reply, string  # noqa: E402
from holdfast.services import wait_for  # noqa: E402
from jobs import reserve, threads_us  # noqa: E402
from largest import DECR, INCR, MANAGER, OBJ_NODE, OBJ_QUEUE, QUEUE_JOB, SET, Client, manage  # noqa: E402

MODIFY_JOB_ASYNC, CMD_DELETE, CMD_SET, OBJ_JOB = 96, 1, 2, 2

QUIET_MS = 10  # of a processor in a look: less is nothing to do


def turn_library():
    """The path of turn.c, compiled."""
    library = os.path.join(os.environ["HF_BUILD"], "turn.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "turn.c")
    subprocess.run(["cc", "-O2", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


class Turns:
    """The file in which a daemon's turns are counted."""

    def __init__(self, path):
        self.path = path

    def clear(self):
        if os.path.exists(self.path):
            with open(self.path, "r+b") as f:
                f.write(bytes(24))

    def longest_ms(self):
        with open(self.path, "rb") as f:
            return struct.unpack("=QQQ", f.read(24))[0] / 1e6


class Bench:
    def __init__(self, args, library, **more):
        self.args, self.cluster = args, Cluster(vnodes=args.vnodes, mock=True, **more)
        self.server, self.scheduler = self.cluster.server, self.cluster.scheduler
        self.turns = {}
        for daemon in (self.server, self.cluster.mom):
            path = os.path.join(self.cluster.root, daemon.name + ".turns")
            daemon.variables = {"LD_PRELOAD": library, "HF_TURNS": path}
            self.turns[daemon] = Turns(path)

    def __enter__(self):
        self.cluster.__enter__()
        reserve(self.server, self.args.resvs)
        return self

    def __exit__(self, *exc):
        self.cluster.__exit__(*exc)

    def set(self, **values):
        self.server.manager(MGR_CMD_SET, SERVER, values)

    def set_one(self, kind, name, attr, value):
        """One attribute; a refusal is told, and the bench goes on."""
        words = ["set", kind] + ([name] if name else []) + ["%s='%s'" % (attr, value)]
        err = self.cluster.run(["qmgr", "-c", " ".join(words)], check=False).stderr.strip()
        if err:
            print("    " + err.replace("\n", "; "), flush=True)

    def submit(self, n, attrs_of=lambda i: (), queue="workq", walltime=9000):
        """n jobs of one cpu over one connection."""
        client = Client(os.path.join(self.cluster.home, "ipc", "server.sock"), USER1)
        client.s.settimeout(120)

        def body(i):
            return string("") + string(queue) + attrs(
                ("Job_Name", None, "n", SET), ("Resource_List", "select", "1:ncpus=1", SET),
                ("Resource_List", "walltime", str(walltime), SET),
                *((name, res, value, SET) for name, res, value in attrs_of(i)))
        reply = Reply(client.ask(QUEUE_JOB, body(0), ":C:"))
        assert reply.code == 0, reply.text
        client.pipeline((QUEUE_JOB, body(i), ":C:") for i in range(1, n))
        client.s.close()

    def next_number(self):
        """Of the next job: one is submitted to know it, and deleted."""
        jid = self.cluster.run(["qsub", "-h", "--", "/bin/true"], user=USER1).stdout.strip()
        self.cluster.run(["qdel", jid])
        return int(jid.split(".")[0]) + 1

    def scheduling(self, on):
        self.set(scheduling=str(on))

    def used(self):
        loop, store = threads_us(self.server.process.pid)
        return [loop, store, sum(threads_us(self.scheduler.process.pid)),
                sum(threads_us(self.cluster.mom.process.pid))]

    def until_quiet(self, deadline=180):
        """Nothing that this part has begun goes on."""
        end, quiet = time.monotonic() + deadline, 0
        while quiet < 5 and time.monotonic() < end:
            before = sum(self.used())
            time.sleep(0.2)
            quiet = quiet + 1 if (sum(self.used()) - before) / 1000 < QUIET_MS else 0

    def memory_mb(self):
        with open("/proc/%d/statm" % self.server.process.pid, encoding="ascii") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def measure(self, what, action):
        self.until_quiet()
        for turns in self.turns.values():
            turns.clear()
        before = self.used()
        action()
        self.until_quiet()
        figures = [(b - a) / 1000 for a, b in zip(before, self.used())]
        figures += [self.turns[d].longest_ms() for d in (self.server, self.cluster.mom)]
        print("%-64s %7.0f %7.0f %7.0f %7.0f %8.1f %8.1f" % (what, *figures), flush=True)

    def cycle(self, what):
        self.measure(what, lambda: self.scheduling(True))

    def counts(self):
        print("    " + self.server.status(SERVER)[0]["state_count"], flush=True)

    def queue(self, name, **values):
        self.server.manager(MGR_CMD_CREATE, QUEUE, dict({
            "queue_type": "E", "enabled": "True", "started": "True"}, **values), id=name)

    def waiting(self, what, attrs_of=lambda i: (), **more):
        """Jobs that are there before the scheduler looks; then looks."""
        n = self.args.jobs
        self.scheduling(False)
        self.submit(n, attrs_of, **more)
        self.cycle("%s: the first look at %d jobs" % (what, n))
        self.cycle("%s: a look at nothing new" % what)
        self.measure("%s: one job more" % what, lambda: self.submit(1, attrs_of, **more))
        self.counts()


def preempt(b):
    """A queue whose jobs preempt, beside as many jobs as there are cpus."""
    b.queue("express", Priority="200")
    b.scheduling(False)
    b.submit(b.args.jobs)
    b.cycle("preempt: %d ordinary jobs start" % b.args.jobs)
    b.measure("preempt: 1 job of express", lambda: b.submit(1, queue="express"))
    b.scheduling(False)
    b.submit(100, queue="express")
    b.cycle("preempt: 100 jobs of express")
    b.counts()
    b.scheduling(False)
    b.submit(1000, queue="express")
    b.cycle("preempt: 1,000 jobs of express")
    b.counts()
    b.cycle("preempt: a look at nothing new")


def preempt_never(b):
    """Nobody can be preempted: 10,000 wait that would, beside jobs as high."""
    b.queue("express", Priority="200")
    b.scheduling(False)
    b.submit(b.args.jobs, queue="express")
    b.cycle("preempt in vain: %d jobs start" % b.args.jobs)
    b.waiting("preempt in vain", queue="express")


def server_limit(b):
    b.set(**{"resources_available.ncpus": "100"})
    b.waiting("server's ncpus=100")


def formula(b):
    b.set(job_sort_formula="ncpus*10 + walltime/3600 + eligible_time/60", eligible_time_enable="True")
    b.submit(b.args.jobs)
    b.until_quiet()
    b.waiting("formula")


def groups(b):
    b.set(max_run="[p:PBS_GENERIC=1]", **{"max_run_res.ncpus": "[p:PBS_GENERIC=2]"})
    b.waiting("run limits of 1,000 projects", lambda i: (("project", None, "p%d" % (i % 1000)),))


def strict(b):
    b.submit(b.args.jobs)
    b.until_quiet()
    with open(b.scheduler.config(), "a") as f:
        f.write("\nstrict_ordering: true ALL\n")
    b.scheduler.reconfigure()
    b.set(backfill_depth="100", eligible_time_enable="True")
    b.waiting("strict ordering, 100 top jobs")


def fit(b):
    b.submit(b.args.jobs)
    b.until_quiet()
    b.waiting("shrink to fit", lambda i: (("Resource_List", "min_walltime", "600"),))


def chain(b):
    """Each job waits for the one before it; then all are deleted."""
    for name, behind in (("chain", lambda i: i - 1), ("fan-out", lambda i: 0)):
        b.scheduling(False)
        first = b.next_number()
        before = "%d.localhost"
        b.measure("%s: %d jobs submitted" % (name, b.args.jobs), lambda: b.submit(
            b.args.jobs, lambda i: (("depend", None, "afterok:" + before % (first + behind(i))),) if i else ()))
        b.cycle("%s: a look" % name)
        b.counts()
        b.scheduling(False)
        b.measure("%s: the first is deleted, all follow" % name, lambda: b.cluster.run(
            ["qdel", "-W", "force", str(first)], check=False))
        b.counts()


def all_deleted(b):
    b.scheduling(False)
    first = b.next_number()
    b.submit(b.args.jobs, lambda i: (("depend", None, "afterany:%d.localhost" % (first + i - 1)),) if i else ())
    ids = [str(first + i) for i in range(b.args.jobs)]
    b.measure("qdel of all %d of a chain, in one command" % b.args.jobs,
              lambda: b.cluster.run(["qdel"] + ids, check=False, timeout=300))
    b.counts()


def routed(b):
    b.queue("full", max_queuable="0")
    b.server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "R", "route_destinations": "full",
                                             "enabled": "True", "started": "True"}, id="route")
    b.measure("%d jobs into a routing queue whose destination takes none" % b.args.jobs,
              lambda: b.submit(b.args.jobs, queue="route"))
    b.counts()
    b.cycle("routing: a look")
    b.measure("routing: 40 idle seconds", lambda: time.sleep(40))


def vnode_limit(b):
    b.scheduling(False)
    names = ",".join("vn[%d]" % i for i in range(b.args.vnodes))
    b.cluster.run(["qmgr", "-c", "set node %s max_running=1" % names], timeout=600, check=False)
    b.cluster.run(["qmgr", "-c", "set node %s max_run=[u:PBS_GENERIC=1]" % names], timeout=600, check=False)
    b.waiting("max_run of each vnode")
    jobs = [j["id"] for j in b.server.status(JOB) if j["job_state"] == "R"][:1000]
    b.measure("%d of them suspended" % len(jobs),
              lambda: b.cluster.run(["qsig", "-s", "suspend"] + jobs, timeout=300))
    b.cycle("max_run of each vnode: a look beside the suspended")
    b.counts()


def array(b):
    """100,000 subjobs that wait."""
    b.set(max_array_size="1000000")
    b.scheduling(False)
    before, ids = b.memory_mb(), []
    b.measure("an array of 100,000: qsub", lambda: ids.append(b.cluster.run(
        ["qsub", "-J", "0-99999", "-l", "select=1:ncpus=1", "-l", "walltime=9000", "--", "/bin/true"],
        user=USER1).stdout.strip()))
    jid = ids[0]
    with_array = b.memory_mb()
    for words in (["qstat", "-t"], ["qstat", "-f", jid.replace("[]", "[0-99999]")], ["qselect", "-T"],
                  ["qdel", jid.replace("[]", "[0-99999:2]")], ["qdel", jid]):
        b.measure("an array of 100,000: " + " ".join(words),
                  lambda: b.cluster.run(words, user=USER1, timeout=300, check=False))
    print("    memory of the server: %.1f MB before, %.1f with it, %.1f at the end"
          % (before, with_array, b.memory_mb()), flush=True)


def comments(b):
    """Of all jobs, as a scheduler changes them."""
    b.scheduling(False)
    first = b.next_number()
    b.submit(b.args.jobs)

    def change():
        client = Client(os.path.join(b.cluster.home, "ipc", "server.sock"), "root")
        for i in range(b.args.jobs):  # which are not answered
            client.send(MODIFY_JOB_ASYNC, manage(CMD_SET, OBJ_JOB, "%d.localhost" % (first + i), (
                "comment", None, "another comment of this job", SET)))
        client.s.close()
    b.measure("the comments of %d jobs, a request each" % b.args.jobs, change)
    b.cycle("a look after that")


def history(b, n=100000):
    """Finished jobs are shown, and leave together."""
    b.set(job_history_enable="True")
    b.scheduling(False)
    first = b.next_number()
    b.submit(n)
    ids = [str(first + i) for i in range(n)]

    def delete():
        for i in range(0, n, 10000):
            b.cluster.run(["qdel"] + ids[i:i + 10000], timeout=300)
    b.measure("%d jobs are deleted and finished" % n, delete)
    print("    memory of the server: %.1f MB" % b.memory_mb(), flush=True)
    b.measure("qstat -x of them", lambda: b.cluster.run(["qstat", "-x"], timeout=300))
    b.measure("qstat -xf of them", lambda: b.cluster.run(["qstat", "-xf"], timeout=300))
    b.measure("qselect -x", lambda: b.cluster.run(["qselect", "-x"], timeout=300))
    b.measure("all of them are forgotten", lambda: (
        b.set(job_history_duration="1"), wait_for("no history", lambda: not b.cluster.run(
            ["qstat", "-x"], timeout=300).stdout.strip(), deadline=300)))
    print("    memory of the server: %.1f MB" % b.memory_mb(), flush=True)


def shutdown(b):
    """qterm with as many running jobs as there are vnodes; what it costs until it is over is
    known of turns only."""
    for how in ("quick", "delay", "immediate"):
        b.submit(b.args.vnodes, walltime=90000)
        b.until_quiet()
        b.counts()
        turns = b.turns[b.server]
        turns.clear()
        process = b.server.process
        b.cluster.run(["qterm", "-t", how], timeout=300)
        process.wait(timeout=300)
        print("%-64s %48.1f" % ("qterm -t " + how, turns.longest_ms()), flush=True)
        turns.clear()
        b.server.start()
        b.until_quiet()
        print("%-64s %48.1f" % ("the server starts again", turns.longest_ms()), flush=True)
        b.scheduling(False)
        b.cluster.run(["sh", "-c", "qselect | xargs qdel -W force"], timeout=300)
        b.until_quiet()
        b.scheduling(True)


def promised(b):
    """Jobs that start and end beside the reservations of the next days."""
    b.scheduling(False)
    b.submit(b.args.jobs, walltime=5)
    b.measure("%d short jobs start and end" % b.args.jobs, lambda: (
        b.scheduling(True), wait_for("the end", lambda: "Queued:0 Held:0 Waiting:0 Running:0 Exiting:0" in
                                     b.server.status(SERVER)[0]["state_count"], deadline=300)))


def registered(b):
    """One MoM has all vnodes: she goes and comes, and so does the server, beside as many running jobs."""
    b.submit(b.args.vnodes, walltime=90000)
    b.until_quiet()
    b.counts()

    def turn(what, action, down):
        """What daemons use that end meanwhile is known of turns only."""
        for turns in b.turns.values():
            turns.clear()
        action()
        wait_for(what, lambda: all(("down" in v["state"] or "unknown" in v["state"]) == down for v in b.server.status(
            VNODE) if v["id"] != b.cluster.host), deadline=120)
        time.sleep(1)
        print("%-64s %40s %8.1f %8.1f" % (what, "", *(b.turns[d].longest_ms() for d in (
            b.server, b.cluster.mom))), flush=True)

    turn("the MoM is killed", b.cluster.mom.kill, True)
    turn("the MoM comes back", b.cluster.mom.start, False)
    turn("the server is killed, and comes back", lambda: (b.server.kill(), b.server.start()), False)


SETTINGS = (  # of each kind of object: a name, two values
    (SERVER, None, (
        ("comment", "a", "b"), ("query_other_jobs", "False", "True"), ("scheduler_iteration", "900", "600"),
        ("resources_default.walltime", "01:00:00", "02:00:00"), ("default_chunk.ncpus", "2", "1"),
        ("resources_available.ncpus", "100000", "200000"), ("resources_max.ncpus", "1000", "2000"),
        ("eligible_time_enable", "True", "False"), ("backfill_depth", "10", "20"),
        ("node_fail_requeue", "100", "300"), ("max_run", "[u:PBS_GENERIC=10]", "[u:PBS_GENERIC=20]"),
        ("max_queued", "[u:PBS_GENERIC=100000]", "[u:PBS_GENERIC=200000]"),
        ("job_sort_formula", "ncpus", "ncpus*2"), ("job_history_enable", "True", "False"),
        ("job_requeue_timeout", "50", "60"), ("operators", "root@*", "hfuser1@*"),
        ("acl_roots", "root@localhost", "root@*"), ("restrict_res_to_release_on_suspend", "ncpus", "mem"),
        ("node_group_key", "host", "vnode"), ("default_queue", "other", "workq"),
        ("max_array_size", "1000", "2000"), ("log_events", "511", "2047"))),
    (QUEUE, "workq", (
        ("enabled", "False", "True"), ("started", "False", "True"), ("Priority", "10", "20"),
        ("comment", "a", "b"), ("resources_default.walltime", "01:00:00", "02:00:00"),
        ("default_chunk.ncpus", "2", "1"), ("resources_available.ncpus", "100000", "200000"),
        ("resources_max.ncpus", "1000", "2000"), ("resources_min.ncpus", "1", "0"),
        ("max_run", "[u:PBS_GENERIC=10]", "[u:PBS_GENERIC=20]"),
        ("max_queued", "[u:PBS_GENERIC=100000]", "[u:PBS_GENERIC=200000]"),
        ("max_run_soft", "[u:PBS_GENERIC=10]", "[u:PBS_GENERIC=20]"), ("max_array_size", "1000", "2000"),
        ("acl_user_enable", "True", "False"), ("acl_users", "hfuser1@*", "hfuser2@*"),
        ("from_route_only", "True", "False"), ("backfill_depth", "10", "20"), ("node_group_key", "host", "vnode"),
        ("checkpoint_min", "5", "6"), ("kill_delay", "5", "10"), ("queue_type", "Execution", "Execution"))),
    (SCHED, "default", (
        ("comment", "a", "b"), ("opt_backfill_fuzzy", "low", "high"), ("throughput_mode", "False", "True"),
        ("only_explicit_psets", "True", "False"), ("do_not_span_psets", "True", "False"),
        ("scheduler_iteration", "900", "600"), ("sched_cycle_length", "00:10:00", "00:20:00"),
        ("job_sort_formula_threshold", "1", "2"), ("job_sort_formula", "ncpus", "ncpus*2"),
        ("preempt_order", "R", "SCR"), ("preempt_prio", "express_queue", "normal_jobs"),
        ("preempt_queue_prio", "100", "150"), ("preempt_sort", "min_time_since_start", "min_time_since_start"),
        ("log_events", "511", "767"), ("server_dyn_res_alarm", "10", "30"))),
)


def settings(b):
    """One setting after the other, beside as many jobs that wait."""
    b.scheduling(False)
    b.queue("other")
    b.submit(b.args.jobs)
    for kind, name, rows in SETTINGS:
        for attr, *values in rows:
            for value in values:
                b.measure("set %s %s=%s" % ({SERVER: "server", QUEUE: "queue", SCHED: "sched"}[kind], attr, value),
                          lambda: b.set_one(kind, name, attr, value))


def marking(b):
    """The settings that all jobs look at, alone: for very many jobs."""
    b.scheduling(False)
    b.submit(b.args.jobs)
    for attr, *values in (("eligible_time_enable", "True", "False"), ("node_fail_requeue", "100", "300")):
        for value in values:
            b.measure("set server %s=%s" % (attr, value), lambda: b.set_one(SERVER, None, attr, value))


def crowded(b):
    """What is done to a queue that holds as many jobs: one of execution, one that routes."""
    b.scheduling(False)
    b.submit(b.args.jobs)
    b.queue("full", max_queuable="0")
    b.queue("routes", queue_type="R", route_destinations="full")
    b.submit(b.args.jobs, queue="routes")

    def change(name, attr, value):
        b.measure("%s: set queue %s=%s" % (name, attr, value), lambda: b.set_one(QUEUE, name, attr, value))
    for name, rows in (("workq", (("started", "False", "True"), ("enabled", "False", "True"),
                                  ("resources_max.ncpus", "1000", "2000"))),
                       ("routes", (("started", "False", "True"), ("enabled", "False", "True"), ("Priority", "1", "2"),
                                   ("route_held_jobs", "True", "False"), ("route_retry_time", "20", "30"),
                                   ("route_destinations", "full,workq@elsewhere", "full")))):
        for attr, *values in rows:
            for value in values:
                change(name, attr, value)
        b.measure("%s: delete queue, refused" % name, lambda: b.cluster.run(
            ["qmgr", "-c", "delete queue " + name], check=False))
    b.measure("full: max_queuable=10, and 10 come", lambda: b.server.manager(
        MGR_CMD_SET, QUEUE, {"max_queuable": "10"}, id="full"))


def resv_deleted(b):
    """A reservation with as many jobs in its queue goes."""
    b.scheduling(True)
    resv = b.server.submit(Reservation(select="4:ncpus=1", start=time.time() + 40 * 86400, duration=3600))
    wait_for("it to be confirmed", lambda: b.server.status(RESV, id=resv)[0]["reserve_state"] == "RESV_CONFIRMED")
    b.submit(b.args.jobs, queue=resv.split(".")[0])
    b.counts()
    b.measure("pbs_rdel of a reservation with %d jobs" % b.args.jobs, lambda: (
        b.cluster.run(["pbs_rdel", resv]), wait_for("the end", lambda: b.server.status(
            SERVER)[0]["total_jobs"] == "0", deadline=120)))


def one_vnode(b):
    """A vnode that as many reservations use goes and comes back."""
    base = int(time.time()) // 3600 * 3600 + 60 * 86400
    for i in range(b.args.resvs):
        b.server.submit(Reservation(select="1:ncpus=1:vnode=vn[0]", start=base + i * 3600, duration=3000))
    wait_for("all to be confirmed", lambda: all(
        r["reserve_state"] == "RESV_CONFIRMED" for r in b.server.status(RESV)), deadline=600)
    for change in ("state+=offline", "state-=offline", "comment=a", "resources_available.mem=3gb"):
        b.measure("the vnode of %d reservations: %s" % (b.args.resvs, change), lambda: b.cluster.run(
            ["qmgr", "-c", "set node vn[0] " + change]))
    b.measure("pbs_rstat -f of all", lambda: b.cluster.run(["pbs_rstat", "-f"]))


def all_vnodes(b):
    """One request about all vnodes, about all of a host, or about all queues; jobs run on them. (qmgr
    sends a request for each vnode; a client may send one for all.)"""
    def ask(what, *request):
        client = Client(os.path.join(b.cluster.home, "ipc", "server.sock"), "root")
        client.s.settimeout(120)
        replies = []
        b.measure(what, lambda: replies.append(Reply(client.ask(MANAGER, manage(*request)))))
        client.s.close()
        if replies[0].code:
            print("    %d %s" % (replies[0].code, replies[0].text[:80]), flush=True)
    b.submit(b.args.vnodes, walltime=90000)
    b.until_quiet()
    b.scheduling(False)
    for name, resource, value, op in (("comment", None, "a", SET), ("resources_available", "mem", "3gb", SET),
                                      ("state", None, "offline", INCR), ("state", None, "offline", DECR),
                                      ("queue", None, "nosuch", SET)):
        ask("set node @default %s %s" % (name, value), CMD_SET, OBJ_NODE, "@default", (name, resource, value, op))
    ask("set queue @default Priority 7", CMD_SET, OBJ_QUEUE, "@default", ("Priority", None, "7", SET))
    b.measure("qmgr -c 'set node @default comment=b'", lambda: b.cluster.run(
        ["qmgr", "-c", "set node @default comment=b"]))
    for option in ("-o", "-r"):
        b.measure("pbsnodes %s of their host" % option, lambda: b.cluster.run(
            ["pbsnodes", option, b.cluster.host], check=False))
    ask("delete node @default, jobs on half of them", CMD_DELETE, OBJ_NODE, "@default")
    b.cluster.run(["sh", "-c", "qselect | xargs qdel -W force"], timeout=300)
    ask("delete node @default", CMD_DELETE, OBJ_NODE, "@default")


PARTS = {f.__name__: f for f in (preempt, preempt_never, server_limit, formula, groups, strict, fit, chain,
                                 all_deleted, routed, vnode_limit, array, comments, history, shutdown,
                                 promised, registered, settings, marking, crowded, resv_deleted, one_vnode, all_vnodes)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", choices=sorted(PARTS) + [[]])
    parser.add_argument("--vnodes", type=int, default=5000)
    parser.add_argument("--resvs", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=10000)
    args = parser.parse_args()
    library = turn_library()
    make_users()
    try:
        print("%-64s %7s %7s %7s %7s %8s %8s" % ("ms of a processor", "server", "store", "sched", "MoM",
                                               "turn", "MoM's"))
        for name in args.parts or sorted(PARTS):
            with Bench(args, library) as bench:
                PARTS[name](bench)
    finally:
        remove_users()


if __name__ == "__main__":
    main()
