#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""queued.py - many jobs that wait: figures for doc/performance.md.

    HF_PREFIX=<install prefix> test/bench/queued.py [--jobs 100000] [--submitters 8] [--qsubs 100]

A server alone on loopback, scheduling off. So many submitters at once, each a process with one
connection of libpbs, queue N jobs with the attributes that qsub sends and a script of
three lines; each answer says that the job is on disk. Printed are jobs accepted a second, the server's processor
time for each (loop and store apart), its memory for each, the speed at which a status of all
is read (by a client that counts bytes, and by qstat -f), and the time from a restart to its first answer. qsub is
compared with /bin/true, started the same way, in turns. No figure fails anything: machines differ."""
import argparse
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptl"))

from holdfast import *  # noqa: E402
from holdfast.build import built  # noqa: E402
from holdfast.users import make_users, remove_users, run_as  # noqa: E402
from holdfast.wire import string  # noqa: E402
from jobs import threads_us  # noqa: E402
from largest import STATUS_JOB, Client  # noqa: E402

# What qsub says of a job whose owner has given no options.
ENVIRONMENT = ",".join("PBS_O_%s" % v for v in (
    "HOME=/home/user", "LANG=en_US.UTF-8", "LOGNAME=user", "PATH=/usr/local/bin:/usr/bin:/bin",
    "MAIL=/var/mail/user", "SHELL=/bin/bash", "WORKDIR=/home/user/run", "SYSTEM=Linux",
    "QUEUE=workq", "HOST=login.example"))
ATTRIBUTES = ["Job_Name=solve.sh", "Checkpoint=u", "Hold_Types=n", "Join_Path=n", "Keep_Files=n",
              "Mail_Points=a", "Priority=0", "Rerunable=True", "Error_Path=localhost:/home/user/run/solve.e",
              "Output_Path=localhost:/home/user/run/solve.o", "Resource_List.select=1:ncpus=1",
              "Resource_List.walltime=01:00:00", "Variable_List=" + ENVIRONMENT]


def start(cluster, argv):
    """As an ordinary user, output thrown away."""
    kwargs, who = run_as(USER1)
    return subprocess.Popen(argv, env={**cluster.env(), **who}, stdout=subprocess.DEVNULL, **kwargs)


def memory_kb(pid):
    with open("/proc/%d/smaps_rollup" % pid, encoding="ascii") as f:
        return [int(line.split()[1]) for line in f if line.startswith("Rss:")][0]


def submit(cluster, n, submitters, script):
    """Jobs a second."""
    pid, each = cluster.server.process.pid, n // submitters
    loop, store, before = *threads_us(pid), memory_kb(pid)
    begin = time.perf_counter()
    running = [start(cluster, [built("test/bench/submit"), str(each), script] + ATTRIBUTES)
               for _ in range(submitters)]
    if any(p.wait() for p in running):
        raise SystemExit("a submitter failed")
    took, n = time.perf_counter() - begin, each * submitters
    used = threads_us(pid)
    print("%d jobs of %d submitters: %.0f a second; processor time of the server for each: loop %.0f, "
          "store %.0f us" % (n, submitters, n / took, (used[0] - loop) / n, (used[1] - store) / n))
    print("memory of the server: %.1f MB, %.2f KB for each job" % (
        memory_kb(pid) / 1000, (memory_kb(pid) - before) / n), flush=True)


def status(cluster):
    """As fast as a client can read it, and what qstat -f takes."""
    pid = cluster.server.process.pid
    for _ in range(2):
        client = Client(os.path.join(cluster.home, "ipc", "server.sock"), "root")
        loop, begin, size = threads_us(pid)[0], time.perf_counter(), 0
        client.send(STATUS_JOB, string("") + "+0")
        more = True
        while more:
            part = client.receive()
            size += len(part)
            more = len(part) > 12 and part[4:].startswith(b"+0+0+6+1")
        took, used = time.perf_counter() - begin, threads_us(pid)[0] - loop
        print("status of all: %.1f MB in %.2f s, %.0f MB/s; %.0f MB for a second of the server's loop" % (
            size / 1e6, took, size / took / 1e6, size / used), flush=True)
        client.s.close()
    begin = time.perf_counter()
    with open("/dev/null", "w") as null:
        subprocess.run([os.path.join(cluster.exec_dir, "bin", "qstat"), "-f"], env=cluster.env(),
                       stdout=null, check=True)
    took = time.perf_counter() - begin
    print("qstat -f of all: %.2f s, %.0f MB/s of the wire" % (took, size / took / 1e6), flush=True)


def restart(cluster):
    for how in ("stop", "kill"):
        getattr(cluster.server, how)()
        begin = time.perf_counter()
        cluster.server.start()
        cluster.run(["qstat", "-B"])
        pid = cluster.server.process.pid
        print("%s, and a start to its first answer: %.2f s, of which %.2f on a processor; %.1f MB" % (
            how, time.perf_counter() - begin, sum(threads_us(pid)) / 1e6, memory_kb(pid) / 1000), flush=True)


def qsubs(cluster, n, script):
    qsub = [os.path.join(cluster.exec_dir, "bin", "qsub"), script]
    times = {"true": [], "qsub": []}
    for _ in range(n):
        for name, argv in (("true", ["/bin/true"]), ("qsub", qsub)):
            begin = time.perf_counter()
            if start(cluster, argv).wait():
                raise SystemExit("%s failed" % name)
            times[name].append((time.perf_counter() - begin) * 1000)
    for name, taken in times.items():
        print("%s, start to exit: median %.2f ms, least %.2f" % (name, statistics.median(taken), min(taken)))
    print("qsub is longer by %.2f ms" % (statistics.median(times["qsub"]) - statistics.median(times["true"])))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=100000)
    parser.add_argument("--submitters", type=int, default=8)
    parser.add_argument("--qsubs", type=int, default=100)
    args = parser.parse_args()
    make_users()
    try:
        with Cluster(alone=True) as cluster:
            script = cluster.write("solve.sh", "#!/bin/sh\n#PBS -N solve\n/bin/true\n")
            cluster.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
            print("load %.1f" % os.getloadavg()[0])
            qsubs(cluster, args.qsubs, script)
            submit(cluster, args.jobs, args.submitters, script)
            status(cluster)
            restart(cluster)
    finally:
        remove_users()


if __name__ == "__main__":
    main()
