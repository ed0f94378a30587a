#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""largest.py - how long others wait beside the largest legal request of each kind.

    HF_PREFIX=<install prefix> test/bench/largest.py [--jobs 40000] [--vnodes 5000] [-k word]

A server alone on loopback gets so many vnodes and jobs. One client sends a request that
is as large as one may be; meanwhile, and until the server has nothing left to do, another
client asks for the status of the server, again and again. Printed are the time until the
large request is answered, the processor time that the server took for all of it, and how
long the other client waited: median and longest. Nothing here fails: machines differ. It
needs root, for an ordinary user's connection."""
import argparse
import os
import pwd
import socket
import statistics
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.peer import attrs, extend, packet  # noqa: E402
from holdfast.users import make_users, remove_users  # noqa: E402
from holdfast.wire import Reply, number, string  # noqa: E402

MOST_S = 20  # who waits longer is not waited for
MOST = (8 << 20) - 2000  # bytes of a user's message, less its head
SET, UNSET, INCR, DECR, EQ_OP = 0, 1, 2, 3, 4
(QUEUE_JOB, DELETE_JOB, HOLD_JOB, MANAGER, MODIFY_JOB, SELECT, STATUS_JOB, STATUS_SERVER, SELSTAT,
 SUBMIT_RESV, STATUS_RESV, DELETE_RESV, CONFIRM_RESV, RUN_JOB, MODIFY_RESV, SIGNAL, DELETE_LIST,
 STATUS_NODE, MESSAGE, STATUS_QUEUE) = (
     1, 6, 7, 9, 11, 16, 19, 21, 51, 70, 71, 72, 75, 15, 91, 18, 100, 58, 10, 20)
OBJ_SERVER, OBJ_QUEUE, OBJ_NODE, OBJ_RESOURCE = 0, 1, 3, 5


class Client:
    def __init__(self, path, user):
        entry, me = pwd.getpwnam(user), os.geteuid()
        self.user, self.s = user, socket.socket(socket.AF_UNIX)
        self.s.settimeout(MOST_S)
        os.seteuid(entry.pw_uid)
        try:
            self.s.connect(path)
        finally:
            os.seteuid(me)

    def send(self, kind, body, ext=None):
        self.s.sendall(packet("+2+2" + number(kind) + string(self.user) + body + extend(ext)))

    def take(self, n):
        got = bytearray()
        while len(got) < n:
            more = self.s.recv(min(n - len(got), 1 << 20))
            if not more:
                raise EOFError("the server hung up")
            got += more
        return bytes(got)

    def receive(self):
        return self.take(int.from_bytes(self.take(11)[7:], "big"))

    def ask(self, kind, body, ext=None):
        self.send(kind, body, ext)
        return self.receive()

    def pipeline(self, requests, window=500):
        """Many small ones; the replies are read and thrown away."""
        under_way = 0
        for kind, body, ext in requests:
            self.send(kind, body, ext)
            under_way += 1
            if under_way >= window:
                self.receive()
                under_way -= 1
        for _ in range(under_way):
            self.receive()


def manage(command, kind, name, *entries):
    return number(command) + number(kind) + string(name) + attrs(*entries)


def queue_job(*entries):
    return string("") + string("workq") + attrs(*entries)


def fill(piece, most=MOST, sep=","):
    """Distinct members until the text is full: piece(i)."""
    out, size, i = [], 0, 0
    while size < most:
        out.append(piece(i))
        size += len(out[-1]) + len(sep)
        i += 1
    return sep.join(out[:-1])


def repeat(name, resource, value, op, most=MOST, first=()):
    """The same entry as often as it fits."""
    each = len(attrs((name, resource, value, op)))
    n = (most - sum(len(e[2]) + 40 for e in first)) // each
    return list(first) + [(name, resource, value, op)] * n


def shuffled(i):
    return "u%07x" % ((i * 2654435761) & 0xfffffff)


def many_entries(name, op, piece, most=MOST):
    out, size, i = [], 0, 0
    while size < most:
        entry = (name, None, piece(i), op)
        size += len(name) + len(entry[2]) + 20
        out.append(entry)
        i += 1
    return out[:-1]


def at_the_bounds(args):
    """The largest that is not refused for its size alone (lib/attr/bounds.h)."""
    members, entries, chunks = 65536, 10000, 10000
    text = 1 << 20
    variables = ("Variable_List", None, ",".join("v%d=1" % i for i in range(members - 3)), SET)
    yield "QueueJob, Variable_List of 65,533 members", QUEUE_JOB, queue_job(variables)
    yield "QueueJob, and 9,999 entries with -=", QUEUE_JOB, queue_job(
        variables, *[("Variable_List", None, "v%d=1" % (i * 6), DECR) for i in range(entries - 1)])
    yield "QueueJob, and 9,999 entries with += and -= in turns", QUEUE_JOB, queue_job(
        ("Variable_List", None, fill(lambda i: "v%d=1" % i, text // 2), SET),
        *[("Variable_List", None, "w%d" % (i // 2), (INCR, DECR)[i % 2]) for i in range(entries - 1)])
    yield "QueueJob, User_List of 1 MiB", QUEUE_JOB, queue_job(("User_List", None, fill(shuffled, text), SET))
    yield "QueueJob, User_List of 65,536 equal names", QUEUE_JOB, queue_job(
        ("User_List", None, ",".join("u@%06x" % (i * 7919 % 65536) for i in range(members)), SET))
    yield "SubmitResv, Authorized_Users of 1 MiB", SUBMIT_RESV, string("") + string("") + attrs(
        ("Resource_List", "select", "1:ncpus=1", SET), ("reserve_start", None, str(int(time.time()) + 86400 * 300), SET),
        ("reserve_duration", None, "60", SET), ("Authorized_Users", None, fill(shuffled, text), SET))
    yield "SubmitResv, 9,990 entries with Authorized_Users +=", SUBMIT_RESV, string("") + string("") + attrs(
        ("Resource_List", "select", "1:ncpus=1", SET), ("reserve_start", None, str(int(time.time()) + 86400 * 300), SET),
        ("reserve_duration", None, "60", SET), *[("Authorized_Users", None, shuffled(i), INCR) for i in range(entries - 10)])
    select = "+".join(["1:ncpus=1:mem=1mb"] * chunks)
    yield "QueueJob, select of 10,000 chunks", QUEUE_JOB, queue_job(("Resource_List", "select", select, SET))
    yield "QueueJob, nodes of 10,000 parts", QUEUE_JOB, queue_job(("Resource_List", "nodes", "+".join(["1:ppn=1"] * chunks), SET))
    yield "SelectJobs, 1 MiB of users", SELECT, attrs(("User_List", None, fill(shuffled, text - 100), 5)) + "+0"
    yield "StatusJob, 200,000 times one id", STATUS_JOB, string(",".join([args.job] * 200000)) + attrs(
        ("Job_Name", None, "", SET))
    yield "DeleteJobList, 200,000 unknown ids", DELETE_LIST, number(200000) + string("1.x") * 200000


def requests_of_a_user(args):
    half = MOST // 2
    big_list = ("Variable_List", None, fill(lambda i: "v%d=1" % i, half), SET)
    ab = "ab" * (half // 2)
    comb = "a" * half
    yield "nothing (a status of the server)", STATUS_SERVER, string("") + "+0"
    yield "QueueJob, Variable_List of empty members", QUEUE_JOB, queue_job(("Variable_List", None, "," * MOST, SET))
    yield "QueueJob, Variable_List of one-letter members", QUEUE_JOB, queue_job(("Variable_List", None, "a," * (MOST // 2), SET))
    yield "QueueJob, Variable_List and -= in separate entries", QUEUE_JOB, queue_job(
        big_list, *many_entries("Variable_List", DECR, lambda i: "w%d" % i, half))
    yield "QueueJob, Variable_List and += in separate entries", QUEUE_JOB, queue_job(
        big_list, *many_entries("Variable_List", INCR, lambda i: "w%d" % i, half))
    yield "QueueJob, Variable_List, += and -= in turns", QUEUE_JOB, queue_job(
        big_list, *[e for pair in zip(many_entries("Variable_List", INCR, lambda i: "w%d" % i, half // 2),
                                      many_entries("Variable_List", DECR, lambda i: "v%d" % i, half // 2)) for e in pair])
    yield "QueueJob, User_List", QUEUE_JOB, queue_job(("User_List", None, fill(shuffled), SET))
    yield "QueueJob, User_List += in separate entries", QUEUE_JOB, queue_job(*many_entries("User_List", INCR, shuffled))
    yield "QueueJob, User_List of equal names, other hosts", QUEUE_JOB, queue_job(
        ("User_List", None, fill(lambda i: "u@" + shuffled(i)), SET))
    yield "QueueJob, Mail_Users", QUEUE_JOB, queue_job(("Mail_Users", None, fill(shuffled), SET))
    yield "QueueJob, Account_Name += in separate entries", QUEUE_JOB, queue_job(
        ("Account_Name", None, comb, SET), *many_entries("Account_Name", INCR, lambda i: "b", half))
    yield "QueueJob, Account_Name -= one letter of two", QUEUE_JOB, queue_job(
        ("Account_Name", None, ab, SET), ("Account_Name", None, "a", DECR))
    yield "QueueJob, Account_Name -= a long text that is nearly there", QUEUE_JOB, queue_job(
        ("Account_Name", None, comb, SET), ("Account_Name", None, "b" + "a" * (half // 2), DECR))
    yield "QueueJob, Account_Name -= in separate entries", QUEUE_JOB, queue_job(
        ("Account_Name", None, comb, SET), *many_entries("Account_Name", DECR, lambda i: "b", half))
    yield "QueueJob, project += in separate entries", QUEUE_JOB, queue_job(
        ("project", None, comb, SET), *many_entries("project", INCR, lambda i: "b", half))
    select = "+".join(["1:ncpus=1"] * (MOST // 10))
    yield "QueueJob, select of many chunks", QUEUE_JOB, queue_job(("Resource_List", "select", select, SET))
    yield "QueueJob, select and += in separate entries", QUEUE_JOB, queue_job(
        ("Resource_List", "select", select[:half // 10 * 10 - 1], SET),
        *[("Resource_List", "select", "+1:ncpus=1", INCR)] * (half // 60))
    yield "QueueJob, select of one chunk with many pairs", QUEUE_JOB, queue_job(
        ("Resource_List", "select", "1:ncpus=1:" + ":".join(["mem=1kb"] * (MOST // 8)), SET))
    yield "QueueJob, place group= many times", QUEUE_JOB, queue_job(
        ("Resource_List", "place", "free:" + ":".join(["group=host"] * (MOST // 11)), SET))
    yield "QueueJob, nodes", QUEUE_JOB, queue_job(("Resource_List", "nodes", "+".join(["1:ppn=1"] * (MOST // 8)), SET))
    yield "QueueJob, nodes in one spec", QUEUE_JOB, queue_job(
        ("Resource_List", "nodes", "1:" + ":".join(["host"] * (MOST // 5)), SET))
    yield "QueueJob, walltime many times", QUEUE_JOB, queue_job(*repeat("Resource_List", "walltime", "1", SET))
    yield "QueueJob, walltime += many times", QUEUE_JOB, queue_job(*repeat("Resource_List", "walltime", "1", INCR))
    yield "QueueJob, entries of unknown names", QUEUE_JOB, queue_job(*repeat("x", None, "", SET))
    yield "QueueJob, depend", QUEUE_JOB, queue_job(("depend", None, "afterok:" + ":".join(["1.x"] * (MOST // 4)), SET))
    yield "QueueJob, stagein", QUEUE_JOB, queue_job(("stagein", None, fill(lambda i: "a%d@h:b%d" % (i, i)), SET))
    yield "QueueJob, stageout", QUEUE_JOB, queue_job(("stageout", None, fill(lambda i: "a%d@h:b%d" % (i, i)), SET))
    yield "ModifyJob, Variable_List -= in separate entries", MODIFY_JOB, manage(
        SET, 2, args.job, big_list, *many_entries("Variable_List", DECR, lambda i: "w%d" % i, half))
    yield "ModifyJob, comment of unprintable bytes", MODIFY_JOB, manage(SET, 2, args.job, ("Account_Name", None, "\1" * MOST, SET))
    now = int(time.time())
    times = [("reserve_start", None, str(now + 86400 * 300), SET), ("reserve_end", None, str(now + 86400 * 300 + 60), SET)]
    one = ("Resource_List", "select", "1:ncpus=1", SET)

    def submit_resv(*more):
        return string("") + string("") + attrs(one, *times, *more)
    yield "SubmitResv, Authorized_Users", SUBMIT_RESV, submit_resv(("Authorized_Users", None, fill(shuffled), SET))
    yield "SubmitResv, Authorized_Users += in separate entries", SUBMIT_RESV, submit_resv(
        *many_entries("Authorized_Users", INCR, shuffled))
    yield "SubmitResv, Authorized_Hosts", SUBMIT_RESV, submit_resv(("Authorized_Hosts", None, fill(shuffled), SET))
    yield "SubmitResv, select of many chunks", SUBMIT_RESV, string("") + string("") + attrs(
        ("Resource_List", "select", select, SET), *times)
    yield "ModifyResv, Authorized_Users += in separate entries", MODIFY_RESV, "+0" + string(args.resv) + attrs(
        *many_entries("Authorized_Users", INCR, shuffled))
    yield "ModifyResv, select of many chunks", MODIFY_RESV, "+0" + string(args.resv) + attrs(("Resource_List", "select", select, SET))
    yield "StatusJob, list of unknown ids", STATUS_JOB, string("1.x," * (MOST // 4)) + "+0"
    yield "StatusJob, list of one id many times", STATUS_JOB, string(("%s," % args.job) * (MOST // (len(args.job) + 1))) + attrs(
        ("Job_Name", None, "", SET))
    yield "StatusJob, one attribute wanted many times", STATUS_JOB, string(args.job) + attrs(*repeat("Job_Name", None, "", SET))
    yield "StatusJob, all jobs", STATUS_JOB, string("") + "+0"
    yield "StatusJob, long extension", STATUS_JOB, string(args.job) + "+0", "t" * MOST
    yield "StatusNode, all vnodes", STATUS_NODE, string("") + "+0"
    yield "SelectJobs, all", SELECT, "+0+0"
    most_criteria = [("Variable_List", None, "a" * 900, 5)] * 1000
    yield "SelectJobs, 1000 criteria", SELECT, attrs(*most_criteria) + "+0"
    yield "SelStat, 1000 criteria", SELSTAT, attrs(*most_criteria) + attrs(("Job_Name", None, "", SET))
    yield "SelectJobs, 1 MiB of users", SELECT, attrs(("User_List", None, fill(shuffled, 1 << 20) , 5)) + "+0"
    yield "SelectJobs, 8 MiB of criteria", SELECT, attrs(*[("job_state", None, "Q", 4)] * (MOST // 30)) + "+0"
    yield "DeleteJobList, unknown ids", DELETE_LIST, number(MOST // 8) + string("1.x") * (MOST // 8)
    yield "DeleteJobList, one id many times", DELETE_LIST, number(MOST // 20) + string(args.job) * (MOST // 20)
    yield "DeleteResv of all that is in it", DELETE_RESV, manage(1, 4, args.resv_full)
    yield "DeleteJobList, all jobs", DELETE_LIST, number(len(args.ids)) + "".join(string(i) for i in args.ids)


def requests_of_a_manager(args):
    yield "Manager, set node @default comment", MANAGER, manage(2, OBJ_NODE, "@default", ("comment", None, "all of them", SET))
    yield "Manager, set node @default resources_available", MANAGER, manage(
        2, OBJ_NODE, "@default", ("resources_available", "mem", "7gb", SET))
    yield "Manager, set queue @default", MANAGER, manage(2, OBJ_QUEUE, "@default", ("Priority", None, "7", SET))
    yield "Manager, set server acl_users", MANAGER, manage(2, OBJ_SERVER, "", ("acl_users", None, fill(shuffled), SET))
    yield "Manager, set server max_queued", MANAGER, manage(
        2, OBJ_SERVER, "", ("max_queued", None, fill(lambda i: "[u:%s=3]" % shuffled(i)), SET))
    yield "Manager, create resource", MANAGER, manage(0, OBJ_RESOURCE, "bench", ("type", None, "long", SET), ("flag", None, "h", SET))
    yield "RunJob, vnodes", RUN_JOB, string(args.job) + string("+".join(["(vn1:ncpus=1)"] * (MOST // 14))) + "+0"
    yield "ConfirmResv, vnodes", CONFIRM_RESV, string(args.resv) + string("+".join(["(vn1:ncpus=1)"] * (MOST // 14))) + "+0"
    yield "Manager, delete node @default", MANAGER, manage(1, OBJ_NODE, "@default")


class Other(threading.Thread):
    """Asks for the status of the server, or for something else, until it is told to stop;
    milliseconds."""

    def __init__(self, path, kind=STATUS_SERVER, body=string("") + "+0"):
        super().__init__(daemon=True)
        self.kind, self.body = kind, body
        self.client, self.waits, self.over = Client(path, "root"), [], threading.Event()

    def run(self):
        while not self.over.is_set():
            begin = time.perf_counter()
            try:
                self.client.ask(self.kind, self.body)
            except OSError:
                return
            self.waits.append((time.perf_counter() - begin) * 1000)
            time.sleep(0.002)

    def end(self):
        self.over.set()
        self.join()
        return self.waits


def cpu_ms(pid):
    """Of all threads."""
    total = 0
    for task in os.listdir("/proc/%d/task" % pid):
        try:
            with open("/proc/%d/task/%s/schedstat" % (pid, task), encoding="ascii") as f:
                total += int(f.read().split()[0])
        except FileNotFoundError:
            pass
    return total / 1e6


def until_idle(pid, other):
    """What follows from a request may go on after its answer; the other one alone takes
    a few milliseconds of processor time in so long."""
    end, n = time.perf_counter() + MOST_S, 0
    while n < 2 and time.perf_counter() < end:
        before, asked = cpu_ms(pid), len(other.waits)
        time.sleep(0.1)
        n = n + 1 if cpu_ms(pid) - before < 20 and len(other.waits) > asked else 0


def measure(path, pid, client, what, kind, body, ext=None):
    other = Other(path)
    message = packet("+2+2" + number(kind) + string(client.user) + body + extend(ext))
    other.start()
    time.sleep(0.05)
    cpu, begin = cpu_ms(pid), time.perf_counter()
    client.s.sendall(message)
    parts = [client.receive()]
    while len(parts[-1]) > 12 and parts[-1][4:].decode("latin1")[:64].startswith("+0+0+6+1"):
        parts.append(client.receive())
    took = (time.perf_counter() - begin) * 1000
    until_idle(pid, other)
    cpu = cpu_ms(pid) - cpu
    waits = other.end()
    head = parts[-1][:60].decode("latin1")
    try:
        reply = Reply(parts[-1])
        head = "%d %s" % (reply.code, reply.text[:50])
    except (AssertionError, IndexError, ValueError):
        pass
    print("%-60s %8.1f %9.0f %9.0f %9.1f %9.1f  %s" % (
        what, len(message) / 1e6, took, cpu, statistics.median(waits), max(waits), head), flush=True)


def populate(cluster, path, args):
    root, user = Client(path, "root"), Client(path, USER1)
    root.ask(MANAGER, manage(2, OBJ_SERVER, "", ("scheduling", None, "False", SET)))
    root.pipeline((MANAGER, manage(0, OBJ_NODE, "vn%d" % i, ("Mom", None, "localhost", SET),
                                   ("resources_available", "ncpus", "4", SET)), None)
                  for i in range(args.vnodes))
    root.pipeline((MANAGER, manage(0, OBJ_QUEUE, "q%d" % i, ("queue_type", None, "E", SET)), None)
                  for i in range(args.queues))
    now = int(time.time())

    def resv():
        reply = Reply(user.ask(SUBMIT_RESV, string("") + string("") + attrs(
            ("Resource_List", "select", "1:ncpus=1", SET), ("reserve_start", None, str(now + 86400), SET),
            ("reserve_end", None, str(now + 90000), SET))))
        assert reply.code == 0, reply.text
        return reply.text.split()[0]
    args.resv, args.resv_full = resv(), resv()
    job = attrs(("Job_Name", None, "n", SET), ("Resource_List", "select", "1:ncpus=1", SET))
    full = args.resv_full.split(".")[0]
    # Nobody confirms without a scheduler, so the queue takes jobs by the manager's word.
    reply = Reply(root.ask(MANAGER, manage(2, OBJ_QUEUE, full, ("enabled", None, "True", SET))))
    assert reply.code == 0, reply.text
    user.pipeline(((QUEUE_JOB, string("") + string("workq") + job, ":C:") for _ in range(args.jobs)))
    user.pipeline(((QUEUE_JOB, string("") + string(full) + job, ":C:") for _ in range(args.jobs // 4)))
    out = cluster.run(["qselect"] if os.path.exists(os.path.join(cluster.prefix, "bin", "qselect")) else ["qstat", "-f"])
    ids = [line.split()[-1] for line in out.stdout.splitlines() if line.startswith("Job Id:")]
    args.ids = ids[:args.jobs]
    args.job = ids[0]


def serve_until_too_long(args, left):
    """Measure what is left on a server of its own, up to what takes too long."""
    with Cluster(alone=True) as cluster:
        path = os.path.join(cluster.home, "ipc", "server.sock")
        with open(os.path.join(cluster.home, "server_priv", "server.lock"), encoding="ascii") as f:
            pid = int(f.read())
        populate(cluster, path, args)
        every = [(USER1,) + r for r in list(at_the_bounds(args)) + list(requests_of_a_user(args))] + [("root",) + r for r in requests_of_a_manager(args)]
        for user, what, *request in every:
            if what not in left and left:
                continue
            if args.word not in what:
                continue
            client = Client(path, user)
            try:
                measure(path, pid, client, what, *request)
            except TimeoutError:  # what waits now waits for this
                print("%-60s longer than %d s" % (what, MOST_S), flush=True)
                cluster.server.process.kill()
                return [w for _, w, *_ in every[[e[1] for e in every].index(what) + 1:]]
            except (EOFError, OSError) as e:
                print("%-60s %s" % (what, e), flush=True)
            client.s.close()
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=40000)
    parser.add_argument("--vnodes", type=int, default=5000)
    parser.add_argument("--queues", type=int, default=500)
    parser.add_argument("-k", dest="word", default="")
    args = parser.parse_args()
    make_users()
    try:
        print("%d vnodes, %d queues, %d jobs" % (args.vnodes, args.queues, args.jobs))
        print("%-60s %8s %9s %9s %9s %9s  %s" % (
            "milliseconds", "MB", "answer", "processor", "others", "longest", "reply"), flush=True)
        left = serve_until_too_long(args, [])
        while left:
            left = serve_until_too_long(args, left)
    finally:
        remove_users()


if __name__ == "__main__":
    main()
