# SPDX-License-Identifier: Apache-2.0
"""The life of each kind of reservation, with the server killed right before and right after
the commits that make it, and with the scheduler, the router or the MoM killed while the server
makes them. Afterwards nothing is lost, done twice, stuck or held, and accounting says what the
journal says. HF_LONG=1 adds more commits of each life, more lives for router and MoM, and lives
in which the server is killed at random moments."""
import collections
import os
import random
import subprocess
import threading
import time

import pytest

from holdfast import *
from holdfast.services import ExpectError, wait_for
from story import *
from test_kill_loop import accounting, check_objects

LONG = bool(os.environ.get("HF_LONG"))
CC = os.environ.get("CC", "cc").split()
KILLS_AT_RANDOM = 12

# Stands before the C library of the server. The file PBS_TEST_KILL_AT says "before WORD" or "after
# WORD": the server is killed when it is about to write a page of its store that has the word
# in it, so that the transaction is not there; or when that transaction is on the disk, so that
# nobody has been told of it. With another word in the first place the process whose id is in
# the file PBS_TEST_KILL_AT.<that word> is killed when the page is about to be written.
KILLER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int is_written;
static int read_file(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY);
    ssize_t len = fd < 0 ? 0 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[len < 0 ? 0 : len] = 0;
    return len > 0;
}
static void look(const void *data, size_t n)
{
    const char *path = getenv("PBS_TEST_KILL_AT");
    char text[256], first[32], other[4096];
    int at = 0;
    if (!read_file(path, text, sizeof(text)) || sscanf(text, "%31s %n", first, &at) != 1 ||
        !memmem(data, n, text + at, strlen(text + at)))
        return;
    if (strcmp(first, "before") == 0) {
        unlink(path);
        kill(getpid(), SIGKILL);
    } else if (strcmp(first, "after") == 0) {
        unlink(path);
        is_written = 1;
    } else {
        snprintf(other, sizeof(other), "%s.%s", path, first);
        if (read_file(other, text, sizeof(text))) {
            unlink(path);
            kill(atoi(text), SIGKILL);
        }
    }
}
#define WRITE(name, offset) \
    ssize_t name(int fd, const void *data, size_t n, offset at) \
    { \
        ssize_t (*real)(int, const void *, size_t, offset); \
        *(void **)&real = dlsym(RTLD_NEXT, #name); \
        look(data, n); \
        return real(fd, data, n, at); \
    }
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)
#define SYNC(name) \
    int name(int fd) \
    { \
        int (*real)(int); \
        int err; \
        *(void **)&real = dlsym(RTLD_NEXT, #name); \
        err = real(fd); \
        if (is_written) \
            kill(getpid(), SIGKILL); \
        return err; \
    }
SYNC(fsync)
SYNC(fdatasync)
"""


@pytest.fixture(scope="module")
def killer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("killer")
    (folder / "killer.c").write_text(KILLER)
    subprocess.run(CC + ["-shared", "-fPIC", "-o", str(folder / "killer.so"),
                         str(folder / "killer.c"), "-ldl"], check=True)
    os.chmod(str(folder), 0o755)
    return str(folder / "killer.so")


def sql(cluster, text):
    """Good at any moment: the store may be opened anew just now."""
    def rows():
        try:
            return [cluster.sql(text)]
        except Exception as e:  # sqlite3 has a dozen of them
            if "locked" not in str(e) and "unable" not in str(e) and "disk I/O" not in str(e):
                raise
            return None
    return wait_for("the store", rows)[0]


class Fate(threading.Thread):
    """Starts again whoever has died, and says who dies next: "before" and "after" a commit the
    server, "pbs_sched" and so on in it."""

    def __init__(self, cluster, kills, at_random=0):
        super().__init__(daemon=True)
        self.cluster, self.kills, self.at_random = cluster, list(kills), at_random
        self.stop, self.n_deaths, self.n_skipped = threading.Event(), 0, 0
        self.path = os.path.join(cluster.root, "kill_at")
        self.services = [cluster.server, cluster.scheduler, cluster.mom, cluster.comm]
        for service in self.services[1:]:
            self.note_id(service)
        self.arm()

    def id_path(self, service):
        return "%s.%s" % (self.path, service.name)

    def note_id(self, service):
        self.write(self.id_path(service), str(service.process.pid))

    def write(self, path, text):
        with open(path + ".new", "w") as f:
            f.write(text)
        os.rename(path + ".new", path)

    def has_passed(self, fact):
        """It came with another one in a commit that is done: nothing is left to kill."""
        return sql(self.cluster, "SELECT 1 FROM journal WHERE fact = '%s' LIMIT 1" % fact) != []

    def arm(self):
        while self.kills and self.kills[0][0] != "after" and self.has_passed(self.kills[0][1]):
            n = 2 if self.kills[0][0] == "before" else 1
            del self.kills[:n]
            self.n_skipped += n
        self.armed = self.kills.pop(0) if self.kills else None
        if self.armed:
            self.write(self.path, "%s %s" % self.armed)

    def is_over(self):
        return not self.kills and not self.at_random and not os.path.exists(self.path) and \
            all(s.is_up() for s in self.services)

    def bring_back(self, service):
        self.n_deaths += 1
        if os.path.exists(self.id_path(service)):
            os.unlink(self.id_path(service))
        self.arm()
        try:
            service.start()
        except ExpectError:
            if service.is_up():
                raise
        if service is not self.cluster.server:
            self.note_id(service)

    def skip_missed(self):
        """It was made while the victim was not yet back from its last death."""
        if os.path.exists(self.path) and self.armed[0].startswith("pbs_") and \
                self.has_passed(self.armed[1]):
            try:
                os.unlink(self.path)
            except FileNotFoundError:
                return  # the kill came just now, and its victim is found dead
            self.n_skipped += 1
            self.arm()

    def die_at_random(self):
        server = self.cluster.server
        if self.at_random and random.random() < 0.05:
            self.at_random -= 1
            server.process.kill()
            server.process.wait()

    def run(self):
        while not self.stop.is_set() or not all(s.is_up() for s in self.services):
            dead = [s for s in self.services if not s.is_up()]
            if dead:
                self.bring_back(dead[0])
                continue
            time.sleep(0.02)  # between two looks at the processes
            self.skip_missed()
            self.die_at_random()


class Life:
    """A cluster whose server dies again and again, and what its users do all the same."""

    def __init__(self, cluster, length):
        self.cluster, self.server, self.length = cluster, cluster.server, length

    def sql(self, text):
        return sql(self.cluster, text)

    def facts(self):
        return [tuple(row) for row in self.sql("SELECT fact, id FROM journal ORDER BY seq")]

    def wait(self, fact, of=None):
        wait_for(lambda: "%s of %s; there are %s" % (fact, of, self.facts()),
                 lambda: any(f == fact and of in (None, id) for f, id in self.facts()))

    def find(self, kind, attr, value):
        """The object with that value, by the journal: it may have gone by now."""
        rows = self.sql("SELECT j.id FROM journal j JOIN journal_changes c ON j.seq = c.seq "
                        "WHERE j.kind = '%s' AND j.op = 'create' AND c.attr = '%s' "
                        "AND c.after = '%s'" % (kind, attr, value))
        assert len(rows) < 2, "made twice: %s" % rows
        return rows[0][0] if rows else None

    def again(self, argv, is_done, user=USER1):
        """Give a command until it was heard; argv() and is_done() are asked each time."""
        said = []

        def heard():
            done = is_done()
            if not done:
                said.append(self.cluster.run(argv(), user=user, check=False,
                                             env={"PBS_TZID": "UTC"}))
                done = is_done()
            return done
        return wait_for(lambda: "an effect of %s: %s" % (argv(), said[-1:]), heard)

    def reserve(self, *more, start=None, length=600, user=USER1):
        def argv():
            when = ["-R", Reservation.clock(start), "-D", str(length)] if start else []
            return ["pbs_rsub", "-N", "r1"] + when + list(more)
        return self.again(argv, lambda: self.find("resv", "Reserve_Name", "r1"), user=user)

    def submit(self, name, *more):
        path = self.cluster.write("job", "#!/bin/sh\nsleep 1000\n")
        return self.again(lambda: ["qsub", "-N", name, "-o", "/dev/null", "-e", "/dev/null"]
                          + list(more) + [path],
                          lambda: self.find("job", "Job_Name", name))

    def delete(self, id):
        kind = "resv" if id[0] in "RSM" else "job"

        def is_gone():
            return not self.sql("SELECT id FROM objects WHERE kind = '%s' AND id = '%s'"
                                % (kind, id)) or any(f == kind + ".ending" and i == id
                                                     for f, i in self.facts())
        self.again(lambda: ["pbs_rdel" if kind == "resv" else "qdel", id], is_gone, user=None)

    def set(self, what):
        """A setting: given twice it does no harm."""
        wait_for(what, lambda: self.cluster.run(["qmgr", "-c", what],
                                                check=False).returncode == 0)


def advance(life):
    rid = life.reserve("-l", "select=2:ncpus=1", start=5, length=life.length)
    jid = life.submit("j1", "-q", queue_of(rid), "-l", "select=1:ncpus=1", "-l", "walltime=2")
    life.wait("job.ended", jid)
    return rid


def standing(life):
    rid = life.reserve("-l", "select=2:ncpus=1", "-r", "FREQ=MINUTELY;COUNT=3", start=5,
                       length=3)
    life.wait("resv.turn", rid)
    life.delete(rid)
    return rid


def maintenance(life):
    """The command makes it and confirms it. One that nobody has confirmed, since the server
    died in between, ends by itself when its time has passed."""
    life.set("set node vn[0] resources_available.host = h0")
    life.set("set server operators = %s@*" % USER2)

    def confirmed():
        return next((id for fact, id in life.facts() if fact == "resv.confirmed"), None)
    rid = life.again(lambda: ["pbs_rsub", "--hosts", "h0", "-R", Reservation.clock(5),
                              "-D", "3"], confirmed, user=USER2)
    life.wait("resv.started", rid)
    return rid


def from_job(life):
    jid = life.submit("j1", "-l", "select=1:ncpus=1", "-l", "walltime=600")
    life.wait("job.started", jid)
    rid = life.again(lambda: ["pbs_rsub", "-N", "r1", "--job", jid],
                     lambda: life.find("resv", "reserve_job", jid))
    life.wait("resv.started", rid)
    life.delete(jid)
    life.wait("job.ended", jid)
    life.delete(rid)
    return rid


def as_soon_as_possible(life):
    jid = life.submit("j1", "-l", "select=1:ncpus=1", "-l", "walltime=2", "-h")
    rid = life.again(lambda: ["pbs_rsub", "-I", "-60", "-W", "qmove=" + jid],
                     lambda: life.find("resv", "qmove", jid))
    life.wait("job.moved", jid)
    life.wait("resv.started", rid)
    life.delete(rid)
    return rid


def remade(life):
    life.set("set server reserve_retry_time = 1")
    rid = life.reserve("-l", "select=2:ncpus=1", "-l", "place=vscatter", start=3)
    life.wait("resv.started", rid)
    held = vnodes_of(life.sql("SELECT value FROM attributes WHERE id = '%s' AND "
                              "attr = 'resv_nodes'" % rid)[0][0])
    life.set("set node %s state = offline" % held[0])
    life.wait("resv.reconfirmed", rid)
    life.delete(rid)
    life.wait("resv.gone", rid)
    life.set("set node %s state = free" % held[0])
    return rid


def altered(life):
    """The server drops an open alteration when it begins: then it is asked for again."""
    rid = life.reserve("-l", "select=2:ncpus=1", start=3600)
    life.wait("resv.confirmed", rid)
    life.again(lambda: ["pbs_ralter", "-I", "20", "-D", "1200", rid],
               lambda: ("resv.altered", rid) in life.facts())
    life.delete(rid)
    return rid


KINDS = [
    # life, commits at which the server dies, those that are added by HF_LONG
    (advance, ["resv.started", "job.ended"],
     ["resv.submitted", "resv.confirmed", "job.queued", "job.run", "job.obit", "resv.ending",
      "resv.gone"]),
    (standing, ["resv.over", "resv.turn"],
     ["resv.submitted", "resv.confirmed", "resv.started", "resv.ending", "resv.gone"]),
    (maintenance, ["resv.confirmed", "resv.started"], ["resv.ending", "resv.gone"]),
    (from_job, ["resv.submitted", "resv.gone"], ["job.run", "resv.ending"]),
    (as_soon_as_possible, ["resv.submitted", "job.moved"],
     ["job.queued", "resv.started", "resv.ending", "resv.gone"]),
    (remade, ["resv.degraded", "resv.reconfirmed"], ["resv.started", "resv.ending"]),
    (altered, ["resv.alter_asked", "resv.altered"], ["resv.confirmed", "resv.ending"]),
]
# In the order of the life, whatever the list says: a kill waits for its commit.
ORDER = ["resv.submitted", "resv.confirmed", "job.queued", "resv.started", "job.run",
         "resv.degraded", "resv.reconfirmed", "resv.alter_asked", "resv.altered", "job.moved",
         "job.obit", "job.ended", "resv.over", "resv.turn", "resv.ending", "resv.gone"]
ONCE = ["resv.submitted", "resv.confirmed", "resv.ending", "resv.gone", "job.queued",
        "job.moved", "job.obit", "job.ended", "resv.altered"]
LETTERS = {"job.queued": "Q", "job.sent": "S", "job.ended": "E", "resv.started": "B"}


def counted(pairs, what):
    return collections.Counter(id for w, id in pairs if w == what)


def check_lines(facts, lines):
    for fact, letter in LETTERS.items():
        if letter == "Q" and counted(facts, "job.moved"):
            continue  # a move has a line too
        assert counted(lines, letter) == counted(facts, fact), (fact, facts, lines)
    assert len([l for l, id in lines if l in "kKF"]) >= 1, lines


def check_end(life):
    for made in counted(life.facts(), "resv.submitted"):
        life.wait("resv.gone", made)
    wait_for("no job", lambda: not life.sql("SELECT id FROM objects WHERE kind = 'job'"))
    all_is_free(life.cluster)
    for kind in ("resv", "job", "occurrence", "occurrences"):
        assert life.sql("SELECT id FROM objects WHERE kind = '%s'" % kind) == []
    assert life.sql("SELECT id FROM objects WHERE kind = 'queue'") == [["workq"]]
    life.server.stop()
    facts = life.facts()
    for fact in ONCE:
        assert all(n == 1 for n in counted(facts, fact).values()), (fact, facts)
    check_lines(facts, accounting(life.cluster))
    check_objects(life.cluster)


def live(life_of, killer, kills, at_random=0, length=20 if LONG else 6):
    with Cluster(vnodes=4, mock=True) as c:
        server = c.server
        server.stop()
        argv = server.argv
        server.argv = lambda: ["env", "LD_PRELOAD=" + killer,
                               "PBS_TEST_KILL_AT=" + os.path.join(c.root, "kill_at")] + argv()
        server.start()
        fate = Fate(c, kills, at_random)
        fate.start()
        try:
            life = Life(c, length)
            rid = life_of(life)
            life.wait("resv.gone", rid)
            wait_for(lambda: "all kills: %s are left" % fate.kills, fate.is_over)
        finally:
            fate.stop.set()
            fate.join(60)
        assert fate.n_deaths + fate.n_skipped >= len(kills), (fate.n_deaths, fate.n_skipped)
        assert fate.n_deaths > 0
        check_end(life)


@pytest.mark.parametrize("life_of,quick,more", KINDS, ids=[k[0].__name__ for k in KINDS])
def test_around_its_commits(killer, life_of, quick, more):
    facts = sorted(quick + (more if LONG else []), key=ORDER.index)
    live(life_of, killer, [(when, fact) for fact in facts for when in ("before", "after")])


def in_commits_of(killer, victim, life_of, facts):
    # A job has to be run and seen to end although its MoM cannot be reached at times.
    live(life_of, killer, [(victim, fact) for fact in sorted(facts, key=ORDER.index)], length=20)


@pytest.mark.parametrize("life_of,quick,more", KINDS, ids=[k[0].__name__ for k in KINDS])
def test_the_scheduler_in_commits(killer, life_of, quick, more):
    in_commits_of(killer, "pbs_sched", life_of, quick + more)


SOME = [k for k in KINDS if LONG or k[0] in (advance, remade)]


@pytest.mark.parametrize("victim", ["pbs_comm", "pbs_mom"])
@pytest.mark.parametrize("life_of,quick,more", SOME, ids=[k[0].__name__ for k in SOME])
def test_router_and_mom_in_commits(killer, victim, life_of, quick, more):
    in_commits_of(killer, victim, life_of, quick + more)


@pytest.mark.skipif(not LONG, reason="two minutes: HF_LONG=1")
@pytest.mark.parametrize("life_of", [k[0] for k in KINDS], ids=[k[0].__name__ for k in KINDS])
def test_at_random(killer, life_of):
    live(life_of, killer, [], at_random=KILLS_AT_RANDOM)
