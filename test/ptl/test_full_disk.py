# SPDX-License-Identifier: Apache-2.0
"""File systems that are really full: a small one is mounted over PBS_HOME or a part of it, in
a mount namespace of the test's own."""
import contextlib
import os
import re
import shutil
import subprocess

import pytest

from holdfast import *
from holdfast.services import wait_for
from test_kill_loop import accounting, check_accounting, check_objects
from test_lost import WAIT, Asking, IN_DOUBT, NOT_SHOWN, REFUSED
from test_store import BACK, LOST, alone

SIZE_MB = 8
# The small disk begins as a copy of what it is mounted over.
SET_UP = """mkdir -p "$2" && mount -t tmpfs -o size=$3m,mode=755 small "$2" &&
cp -a "$1/." "$2" && mount --bind "$2" "$1" && echo ready && exec sleep 100000"""


def unshare():
    return ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-Urm"]


def may_mount():
    """None, or why not."""
    try:
        done = subprocess.run(unshare() + ["mount", "-t", "tmpfs", "small", "/mnt"],
                              capture_output=True, text=True, timeout=60)
    except FileNotFoundError as e:
        return str(e)
    return done.stderr.strip() if done.returncode else None


refusal = may_mount()
pytestmark = pytest.mark.skipif(refusal is not None, reason="no mount namespace: %s" % refusal)


class SmallDisk:
    """A daemon of the cluster, the server by default, is in a namespace where 'folder' of
    PBS_HOME is a small disk."""

    def __init__(self, cluster, folder, wait, service):
        self.cluster, self.folder, self.service = cluster, folder, service
        service.stop()
        if service is cluster.server:
            sockets = os.path.join(cluster.root, "sockets")  # for those outside
            cluster.write_conf(PBS_STORE_WAIT=wait, PBS_SERVER_SOCKET=sockets + "/server.sock")
        path = os.path.normpath(os.path.join(cluster.home, folder))
        self.holder = subprocess.Popen(
            unshare() + ["sh", "-c", SET_UP, "sh", path, os.path.join(cluster.root, "small"),
                         str(SIZE_MB)], stdout=subprocess.PIPE, text=True)
        assert self.holder.stdout.readline() == "ready\n"
        inside = ["nsenter", "-t", str(self.holder.pid), "-m"] + \
            ([] if os.geteuid() == 0 else ["-U", "--preserve-credentials"])
        argv = service.argv
        service.argv = lambda: inside + argv()
        self.home = cluster.home
        cluster.home = "/proc/%d/root%s" % (self.holder.pid, cluster.home)
        self.filler = os.path.join(cluster.home, folder, "filler")
        service.start()

    def fill(self):
        with open(self.filler, "wb", buffering=0) as f:
            with contextlib.suppress(OSError):
                while True:
                    f.write(b"x" * 4096)
        usage = os.statvfs(self.filler)
        assert usage.f_bavail == 0

    def free(self):
        os.unlink(self.filler)

    def remove(self):
        """What is there stays, on the large disk."""
        self.service.stop()
        with contextlib.suppress(FileNotFoundError):
            self.free()
        inside, self.cluster.home = self.cluster.home, self.home
        shutil.copytree(os.path.join(inside, self.folder), os.path.join(self.home, self.folder),
                        dirs_exist_ok=True)
        self.holder.kill()
        self.holder.wait()


@contextlib.contextmanager
def small_disk(cluster, folder, wait=WAIT, service=None):
    disk = SmallDisk(cluster, folder, wait, service or cluster.server)
    try:
        yield disk
    finally:
        disk.remove()


def set_priority(cluster, value):
    return Asking(cluster, "qmgr", "-c", "set queue workq Priority = %d" % value)


def priority(server):
    return int(server.status(QUEUE, "workq")[0]["Priority"])


def change_until_lost(cluster):
    """The last value that was told, and the change that was not."""
    for value in range(2, 900):
        change = set_priority(cluster, value)
        wait_for("an answer or a full disk", lambda: change.done or LOST in
                 "\n".join(cluster.server.log_lines()[-20:]))
        change.join(1)
        if not change.done or change.done.returncode != 0:
            return value - 1, change
    raise AssertionError("the disk is never full")


@alone("sqlite")
def test_a_full_pbs_home_is_refused_and_recovered_from(cluster):
    """Store, logs and accounting on one disk, as they usually are."""
    server = cluster.server
    server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "execution"}, id="other")
    server.manager(MGR_CMD_SET, QUEUE, {"Priority": 1}, id="workq")
    with small_disk(cluster, ".") as disk:
        disk.fill()
        told, change = change_until_lost(cluster)
        assert len(server.status(QUEUE, "other")) == 1, "who looks at what is stored"
        assert IN_DOUBT in change.answer()
        assert REFUSED in set_priority(cluster, 1000).answer()
        assert NOT_SHOWN in Asking(cluster, "qstat", "-Qf", "workq").answer()
        disk.free()
        wait_for("the change that was in doubt", lambda:
                 cluster.run(["qstat", "-Qf", "workq"], check=False).returncode == 0)
        assert priority(server) == told + 1
        server.log_match(BACK)
        server.manager(MGR_CMD_SET, QUEUE, {"Priority": 1001}, id="workq")
        disk.fill()
        told, change = change_until_lost(cluster)
        server.kill()
        change.join(60)
        disk.free()
        server.start()
        assert priority(server) in (told, told + 1, 1001)
        check_objects(cluster)


@alone("sqlite")
def test_nobody_waits_for_a_full_disk(cluster):
    """With the settings as they come: PBS_STORE_WAIT is longer than this test may take, and
    every command has its answer all the same, the one too that finds the disk full."""
    server = cluster.server
    with small_disk(cluster, ".", wait=1000) as disk:
        disk.fill()
        told, change = change_until_lost(cluster)
        assert IN_DOUBT in change.answer()
        for argv in (["qsub", "--", "/bin/true"], ["qstat", "-Qf", "workq"]):
            answer = cluster.run(argv, check=False)
            assert answer.returncode == 15161 % 256, answer
            assert "Failed to save" in answer.stderr
        disk.free()
        server.log_match(BACK)
        assert priority(server) == told + 1


def check_lines(cluster, ids):
    """Every job is in the accounting file, once, and in order; no line is torn."""
    lines = [id for letter, id in accounting(cluster) if letter == "Q"]
    assert lines == ids


@alone("sqlite")
def test_a_full_accounting_folder_stops_nothing(cluster):
    server = cluster.server
    with small_disk(cluster, "server_priv/accounting") as disk:
        ids = [server.submit(Job())]
        disk.fill()
        while "server_priv/accounting" not in "".join(
                line for line in server.log_lines() if "cannot be written" in line):
            ids.append(server.submit(Job()))
            assert len(ids) < 200
        ids += [server.submit(Job()) for _ in range(3)]
        server.kill()
        server.start()
        ids += [server.submit(Job()) for _ in range(3)]
        assert [j["id"] for j in server.status(JOB)] == ids
        server.restart()
        ids.append(server.submit(Job()))
        disk.free()
        server.log_match("Account files can be written again")
        ids.append(server.submit(Job()))
        wait_for("all lines", lambda: len(accounting(cluster)) >= len(ids))
        check_lines(cluster, ids)
        server.kill()
        server.start()
        check_lines(cluster, ids)
        facts = [tuple(row) for row in cluster.sql("SELECT fact, id FROM journal ORDER BY seq")]
        check_accounting(facts, accounting(cluster))


@alone("sqlite")
def test_a_full_log_folder_stops_nothing(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"log_events": 2047})
    with small_disk(cluster, "server_logs") as disk:
        disk.fill()
        ids = [server.submit(Job()) for _ in range(20)]
        server.kill()
        server.start()
        ids += [server.submit(Job()) for _ in range(3)]
        assert [j["id"] for j in server.status(JOB)] == ids
        disk.free()
        last = server.submit(Job())
        server.log_match(last)
        server.log_match("lines of this log could not be written")
        stamps = [len(re.findall(r"\d\d/\d\d/\d{4} \d\d:", line))
                  for line in server.log_lines()]
        assert set(stamps) <= {0, 1}, "a line was added to a part of another"
    check_lines(cluster, ids + [last])


def over(cluster, jid, status):
    cluster.server.accounting_match(";E;%s;.* Exit_status=%s " % (jid, status), regexp=True)


def output_of(cluster, name):
    """What was delivered to a file of the cluster's own directory."""
    wait_for(name, lambda: os.path.exists(os.path.join(cluster.root, "tmp", name)))
    return cluster.read("tmp/" + name)


def submit_echo(cluster, name, *commands):
    """A job whose output is delivered to that file."""
    path = os.path.join(cluster.root, "tmp", name)
    return cluster.server.submit(Job(script="\n".join(["#!/bin/sh", *commands, ""]),
                                     attrs={"Join_Path": "oe", "Output_Path": path}))


def test_a_full_spool_ends_no_job_and_loses_no_line(cluster):
    """A job is told that its line was not written; what had been written is delivered, and
    jobs that begin on the full disk run, too."""
    gate = os.path.join(cluster.root, "tmp", "gate")
    with small_disk(cluster, "spool", service=cluster.mom) as disk:
        cluster.wait_nodes()
        written = submit_echo(cluster, "written", "echo first", "while [ ! -e %s ]; do sleep 0.2; done" % gate,
                              "head -c 9000 /dev/zero || exit 7")
        cluster.server.expect(JOB, {"job_state": "R"}, id=written)
        spooled = os.path.join(cluster.home, "spool", written + ".OU")
        wait_for("the first line", lambda: os.path.exists(spooled) and os.path.getsize(spooled))
        disk.fill()
        cluster.write("tmp/gate", "")
        over(cluster, written, 7)
        assert output_of(cluster, "written").startswith("first\n")
        begins = submit_echo(cluster, "begins", "exit 3")
        over(cluster, begins, 3)
        disk.free()
        later = submit_echo(cluster, "later", "echo fine")
        over(cluster, later, 0)
        assert output_of(cluster, "later") == "fine\n"


def test_a_mom_that_cannot_note_its_jobs_loses_none(cluster):
    """The records of jobs are on a full disk: who runs there ends once, who comes waits
    and runs when there is room, for the server hears that the host takes no jobs."""
    server, gate = cluster.server, os.path.join(cluster.root, "tmp", "gate")
    with small_disk(cluster, "mom_priv", service=cluster.mom) as disk:
        cluster.wait_nodes()
        runs = submit_echo(cluster, "runs", "while [ ! -e %s ]; do sleep 0.2; done" % gate, "echo over", "exit 4")
        server.expect(JOB, {"job_state": "R", "substate": 42}, id=runs)
        disk.fill()
        comes = submit_echo(cluster, "comes", "echo here", "exit 5")
        # Refused, it waits for a later cycle; begun in vain again and again, it is held.
        cluster.mom.log_match(comes + r".*No space left on device", regexp=True)
        server.expect(VNODE, {"state": (MATCH_RE, "busy$")}, id="vn[0]")
        server.expect(JOB, {"job_state": "Q"}, id=comes)
        cluster.write("tmp/gate", "")
        over(cluster, runs, 4)
        assert output_of(cluster, "runs") == "over\n"
        disk.free()
        server.expect(VNODE, {"state": "free"}, id="vn[0]")
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
        over(cluster, comes, 5)
        # Begun in vain again and again, it would have been held.
        assert int(re.search(r";E;%s;.* run_count=(\d+)" % re.escape(comes), "\n".join(
            server.accounting_lines())).group(1)) <= 3
        assert output_of(cluster, "comes") == "here\n"
    for jid in (runs, comes):
        assert len([l for l in server.accounting_lines() if ";E;%s;" % jid in l]) == 1
