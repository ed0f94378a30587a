#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""others.py - how long other clients wait while a very long status is sent.

    HF_PREFIX=<install prefix> test/bench/others.py [--vnodes 100000] [--polls 400]

A server of its own gets so many vnodes from a mock MoM. One connection asks for the status of all of
them, over and over, and reads as fast as it can, in a process of its own; another one
asks for the status of the server and waits for the answer. Then the reader stops
reading in the middle, several times over, and the server's memory is looked at. The
waits beside an idle server come from the same run. Nothing here fails: machines differ."""
import argparse
import multiprocessing
import os
import socket
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402


def dis(value):
    """One DIS value: a number or a text."""
    if isinstance(value, str):
        return dis(len(value)) + value
    digits = str(value)
    text = "+" + digits
    while len(digits) > 1:
        digits = str(len(digits))
        text = digits + text
    return text


def packet(*values):
    body = "".join(dis(v) for v in values).encode()
    return b"PKTV1\0\0" + len(body).to_bytes(4, "big") + body


STATUS_SERVER, STATUS_NODE = 21, 58


def ask(sock, number, user):
    sock.sendall(packet(2, 2, number, user, "", 0, 0))


def read_some(sock, n):
    got = bytearray(n)
    view = memoryview(got)
    while view:
        k = sock.recv_into(view)
        if k == 0:
            raise EOFError("the server hung up")
        view = view[k:]
    return got


def read_reply(sock):
    """One packet, thrown away; its length."""
    left = total = int.from_bytes(read_some(sock, 11)[7:], "big")
    bin_ = bytearray(1 << 18)
    while left:
        n = sock.recv_into(bin_, min(left, len(bin_)))
        if n == 0:
            raise EOFError("the server hung up")
        left -= n
    return total


def connect(path):
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(path)
    return sock


def read_all_the_time(path, user, results, stop):
    sock = connect(path)
    while not stop.is_set():
        begin = time.perf_counter()
        ask(sock, STATUS_NODE, user)
        results.put((read_reply(sock), time.perf_counter() - begin))
    results.put(None)


def waits(path, user, n):
    """Milliseconds from a question to its answer."""
    sock = connect(path)
    times = []
    for _ in range(n):
        begin = time.perf_counter()
        ask(sock, STATUS_SERVER, user)
        read_reply(sock)
        times.append((time.perf_counter() - begin) * 1000)
        time.sleep(0.003)
    times.sort()
    return times


def show(what, times):
    print("%-44s median %6.2f ms   99%% %6.2f ms   longest %6.2f ms" % (
        what, statistics.median(times), times[len(times) * 99 // 100], times[-1]), flush=True)


def rss_mb(pid):
    with open("/proc/%d/status" % pid, encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS")) / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vnodes", type=int, default=100000)
    parser.add_argument("--polls", type=int, default=400)
    parser.add_argument("--slow", type=int, default=20)
    args = parser.parse_args()
    begin = time.perf_counter()
    with Cluster(vnodes=args.vnodes, mock=True) as cluster:
        run(cluster, args, time.perf_counter() - begin)


def run(cluster, args, start_s):
    path = os.path.join(cluster.home, "ipc", "server.sock")
    user = "root" if os.geteuid() == 0 else os.environ["USER"]
    pid = int(open(os.path.join(cluster.home, "server_priv", "server.lock"), encoding="ascii").read())
    print("a cluster of %d vnodes is up in %.0f s; the server has %.0f MB" % (
        args.vnodes, start_s, rss_mb(pid)), flush=True)
    show("beside nobody", waits(path, user, args.polls))
    results, stop = multiprocessing.Queue(), multiprocessing.Event()
    reader = multiprocessing.Process(target=read_all_the_time, args=(path, user, results, stop))
    reader.start()
    show("beside a status of all vnodes, again and again", waits(path, user, args.polls))
    stop.set()
    speeds = [size / 1e6 / seconds for size, seconds in iter(results.get, None)]
    reader.join()
    print("that status: first %.0f MB/s, then %.0f MB/s (median of %d) from question to last byte" % (
        speeds[0], statistics.median(speeds[1:] or speeds), len(speeds)))
    before, slow = rss_mb(pid), [connect(path) for _ in range(args.slow)]
    for sock in slow:
        ask(sock, STATUS_NODE, user)
    time.sleep(2)
    show("beside %d that do not read" % args.slow, waits(path, user, args.polls))
    print("memory: %.0f MB, with %d that do not read %.0f MB" % (before, args.slow, rss_mb(pid)))


if __name__ == "__main__":
    main()
