#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""memory.py - what others can make the daemons hold: figures for doc/performance.md.

    HF_PREFIX=<install prefix> test/bench/memory.py

Starts a private cluster, attacks it as one ordinary user or as a stranger, and prints the
resident memory of the attacked daemon before, at its peak and afterwards, in MiB. As root:
ordinary users are needed. No figure fails anything."""
import os
import pwd
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.users import make_users, remove_users  # noqa: E402
from holdfast.wire import number, string  # noqa: E402

MIB = 1 << 20


def memory_mib(daemon, field="VmRSS"):
    with open("/proc/%d/status" % daemon.process.pid) as f:
        return [int(line.split()[1]) / 1024 for line in f if line.startswith(field)][0]


def store_mib(cluster):
    folder = os.path.join(cluster.home, "server_priv")
    return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)
               if name.startswith("holdfast.db")) / MIB


def show(what, *figures):
    print("%-62s" % what + "".join(" %8.1f" % f for f in figures), flush=True)


def local(cluster):
    """A connection of an ordinary user."""
    os.seteuid(pwd.getpwnam(USER1).pw_uid)
    try:
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(5)
        s.connect(os.path.join(cluster.home, "ipc", "server.sock"))
        return s
    finally:
        os.seteuid(0)


def packet(payload):
    return b"PKTV1\0\0" + struct.pack(">I", len(payload)) + payload


def head(request):
    return ("+2+2" + number(request) + string(USER1)).encode()


def attr(name, value):
    size = number(len(name) + len(value) + 2)
    return (size + string(name) + "+0" + string(value) + "+0").encode()


def queue_job(*attrs):
    return packet(head(1) + b"+0+0" + number(len(attrs)).encode() + b"".join(attrs) + b"+0")


def script(part):
    return packet(head(3) + b"+0+0" + number(len(part)).encode() + b"+0" +
                  number(len(part)).encode() + part + b"+0")


def try_to(send):
    """False when the daemon has had enough."""
    try:
        return send() is not False
    except OSError:
        return False


def ask(s, data):
    s.sendall(data)
    return s.recv(65536) != b""


def idle_connections(cluster):
    before = memory_mib(cluster.server)
    held = []
    for _ in range(9000):
        s = local(cluster)
        held.append(s)
        if not try_to(lambda: ask(s, packet(head(21) + b"+0+0+0"))):
            break
    show("%d connections of a user, one status each" % len(held), before,
         memory_mib(cluster.server))
    for s in held:
        s.close()


def uncommitted_scripts(cluster):
    before, held, sent = memory_mib(cluster.server), [], 0
    for _ in range(10):
        s = local(cluster)
        held.append(s)
        if not try_to(lambda: ask(s, queue_job())):
            continue
        for _ in range(24):
            if not try_to(lambda: ask(s, script(b"x" * (4 * MIB)))):
                break
            sent += 4
    peak = memory_mib(cluster.server, "VmHWM")
    for s in held:
        s.close()
    time.sleep(12)
    show("10 connections, scripts without a Commit (%d MiB were taken)" % sent, before, peak,
         memory_mib(cluster.server))


def jobs_of_7_mib(cluster):
    large_jobs(cluster, 7 * MIB, "7 MiB")


def jobs_of_1_mib(cluster):
    large_jobs(cluster, 1000 * 1024, "1000 KiB")


def large_jobs(cluster, size, words):
    before, disk = memory_mib(cluster.server), store_mib(cluster)
    s = local(cluster)
    for _ in range(60):
        value = attr("Variable_List", "X=" + "y" * size)
        data = packet(head(1) + b"+0+0+1" + value + b"+1" + string(":C:").encode())
        if not try_to(lambda: ask(s, data)):
            s = local(cluster)
    peak, disk_peak = memory_mib(cluster.server, "VmHWM"), store_mib(cluster)
    jobs = [j["id"] for j in cluster.server.status(JOB)]
    for i in range(0, len(jobs), 20):
        cluster.run(["qdel", "-W", "force"] + jobs[i:i + 20], check=False)
    for i in range(30):
        cluster.server.manager(MGR_CMD_SET, QUEUE, {"Priority": i + 1}, id="workq")
    time.sleep(12)
    show("60 jobs with %s of attributes (%d were taken): memory" % (words, len(jobs)), before, peak,
         memory_mib(cluster.server))
    cluster.server.restart()
    show("    and the store's files", disk, disk_peak, store_mib(cluster))


def strangers_at_the_router(cluster):
    before, held = memory_mib(cluster.comm), []
    for _ in range(20):
        s = socket.create_connection(("127.0.0.1", cluster.ports["comm"]), 5)
        held.append(s)
        s.sendall(struct.pack(">IB", 64 * MIB - 1, 7))
        for _ in range(60):
            if not try_to(lambda: s.sendall(b"x" * MIB)):
                break
    time.sleep(1)
    peak = memory_mib(cluster.comm, "VmHWM")
    for s in held:
        s.close()
    time.sleep(1)
    show("20 strangers at the router, 60 MiB each before a JOIN", before, peak,
         memory_mib(cluster.comm))


def main():
    make_users()
    try:
        print("%-62s %8s %8s %8s" % ("MiB", "before", "peak", "after"))
        for attack in (idle_connections, uncommitted_scripts, jobs_of_7_mib, jobs_of_1_mib,
                       strangers_at_the_router):
            with Cluster(vnodes=0) as cluster:
                cluster.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
                attack(cluster)
    finally:
        remove_users()


if __name__ == "__main__":
    main()
