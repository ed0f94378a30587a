# SPDX-License-Identifier: Apache-2.0
"""The server is killed again and again while clients change things. Afterwards whatever
anyone was told is there and nothing is there by halves, and accounting says what the journal
says. HF_KILLS=200 is the long form."""
import collections
import glob
import os
import subprocess
import threading

import pytest

from holdfast import *
from holdfast.build import built
from holdfast.services import wait_for

KILLS = int(os.environ.get("HF_KILLS", "8"))
WINDOW = 32  # numbers that are stored at once
CLIENTS = 4
HAMMERS = 8
BETWEEN = 6  # acknowledgements of jobs and reservations between two kills
RECORDS = {"job.queued": "Q", "resv.submitted": "U", "resv.confirmed": "Y", "job.ended": "E",
           "job.sent": "S"}


class Client(threading.Thread):
    """Submits jobs and reservations, and deletes some of them, until told to stop."""

    def __init__(self, cluster, index, acknowledged, stop):
        super().__init__()
        self.cluster, self.index, self.stop = cluster, index, stop
        self.acknowledged = acknowledged
        self.path = cluster.write("loop%d" % index, "#!/bin/sh\ntrue\n")

    def ask(self, argv):
        """The command's output, None when the server did not say yes."""
        try:
            done = self.cluster.run(argv, user=USER1, check=False)
        except subprocess.TimeoutExpired:
            return None
        return done.stdout.split() if done.returncode == 0 else None

    def run(self):
        turn = 0
        while not self.stop.is_set():
            turn += 1
            start = 86400 + (self.index * 10000 + turn) * 600
            if turn % 2:
                out = self.ask(["qsub", "-o", "/dev/null", "-e", "/dev/null", "-h", self.path]
                               if turn % 4 == 1 else
                               ["qsub", "-o", "/dev/null", "-e", "/dev/null", self.path])
            else:
                out = self.ask(["pbs_rsub"] + Reservation(start=start, duration=300).options())
            if out:
                self.acknowledged.append(out[0])
            if out and turn % 3 == 0:
                self.ask(["pbs_rdel" if out[0][0] == "R" else "qdel", out[0]])


class Hammer:
    """Connections that make, set and delete queues, and look after each of the server's
    deaths whether what they were told is there (test/bench/hammer.c)."""

    def __init__(self, cluster):
        self.process = subprocess.Popen(
            [built("test/bench/hammer"), "-w", "-s", "0", "-c", str(HAMMERS),
             os.path.join(cluster.home, "ipc", "server.sock")],
            env=cluster.env(), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def end(self):
        """How many changes were acknowledged, and how many looks found them."""
        self.process.terminate()
        out = self.process.communicate(timeout=120)[0]
        assert self.process.returncode == 0, out
        words = out.split()
        return int(words[0]), int(words[-2])


def accounting(cluster):
    """(type, id) of every line of all days."""
    lines = []
    for path in sorted(glob.glob(os.path.join(cluster.home, "server_priv", "accounting", "2*"))):
        with open(path, errors="strict") as f:
            text = f.read()
        assert text.endswith("\n")
        lines += [tuple(line.split(";")[1:3]) for line in text.splitlines()]
    return lines


def check_accounting(facts, lines):
    for fact, letter in RECORDS.items():
        expect = collections.Counter(id for f, id in facts if f == fact)
        found = collections.Counter(id for l, id in lines if l == letter)
        assert found == expect, (fact, (found - expect) + (expect - found))


def check_objects(cluster):
    """The objects are what the journal has made of them, to the last value."""
    objects, changes = {}, collections.defaultdict(list)
    for seq, attr, resource, after in cluster.sql(
            "SELECT seq, attr, resource, after FROM journal_changes ORDER BY seq, n"):
        changes[seq].append((attr, resource, after))
    for seq, op, kind, id in cluster.sql("SELECT seq, op, kind, id FROM journal ORDER BY seq"):
        if op == "remove":
            del objects[kind, id]
            continue
        assert (op == "create") == ((kind, id) not in objects), (seq, op, kind, id)
        values = objects.setdefault((kind, id), {})
        for attr, resource, after in changes[seq]:
            values[attr, resource] = after
    made = {(kind, id, attr, resource, value) for (kind, id), values in objects.items()
            for (attr, resource), value in values.items() if value is not None}
    stored = {tuple(row) for row in
              cluster.sql("SELECT kind, id, attr, resource, value FROM attributes")}
    assert made == stored, (made ^ stored)
    assert set(objects) == {tuple(row) for row in cluster.sql("SELECT kind, id FROM objects")}


def check_numbers(facts):
    """Jobs and reservations share one sequence. A number is missing only where a kill came
    between a job's QueueJob, whose answer tells the number, and its Commit, while another
    client had the next number already; and behind a kill the rest of a window may have been told
    (doc/design/014-numbers.md)."""
    numbers = [int(id.lstrip("R").split(".")[0]) for fact, id in facts
               if fact in ("job.queued", "resv.submitted")]
    assert len(set(numbers)) == len(numbers), "a number was used twice"
    assert max(numbers) - len(numbers) < KILLS * (CLIENTS - 1 + WINDOW - 1), "a gap"


def check_ids(known, acknowledged, lines):
    """Every id is there, or its end is on record."""
    ended = {id for letter, id in lines if letter in "EDKkF"}
    lost = [id for id in acknowledged if id not in known | ended]
    assert not lost, lost


def kill_again_and_again(cluster, acknowledged):
    stop = threading.Event()
    hammer = Hammer(cluster)
    clients = [Client(cluster, i, acknowledged, stop) for i in range(CLIENTS)]
    for client in clients:
        client.start()
    try:
        for _ in range(KILLS):
            target = len(acknowledged) + BETWEEN
            wait_for("%d acknowledgements" % target, lambda: len(acknowledged) >= target)
            cluster.server.kill()
            cluster.server.start()
    finally:
        stop.set()
        for client in clients:
            client.join()
        n_changes, n_looks = hammer.end()
    assert n_changes > KILLS * HAMMERS
    assert n_looks > KILLS * HAMMERS / 2, "too few of them looked"
    print("%d kills, %d jobs and reservations, %d changes, %d looks"
          % (KILLS, len(acknowledged), n_changes, n_looks))


@pytest.mark.parametrize("cluster", [dict(store="sqlite"), dict(store="postgresql")],
                         indirect=True, ids=["sqlite", "postgresql"])
def test_nothing_is_lost_in_a_loop_of_kills(cluster):
    server, ids = cluster.server, []
    kill_again_and_again(cluster, ids)
    wait_for("no job that could run", lambda: all(
        job["job_state"] == "H" for job in server.status(JOB)))
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=server.status(RESV)[-1]["id"])
    assert len(set(ids)) == len(ids), "an id was given twice"
    known = {o["id"] for kind in (JOB, RESV) for o in server.status(kind)}
    server.stop()
    facts = [tuple(row) for row in cluster.sql("SELECT fact, id FROM journal ORDER BY seq")]
    lines = accounting(cluster)
    check_ids(known, ids, lines)
    check_accounting(facts, lines)
    check_objects(cluster)
    check_numbers(facts)
    denied = [id for fact, id in facts if fact == "resv.denied"]
    assert not denied, "all of them fit: %s" % denied
