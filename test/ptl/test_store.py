# SPDX-License-Identifier: Apache-2.0
"""The store under a running server: lost and found again, held by another, too new, asked by
an administrator; and each answer behind its sync."""
import contextlib
import os
import re
import resource
import signal
import sqlite3
import subprocess
import threading
import time

import pytest

from holdfast import *
from holdfast.build import TOP, built
from holdfast.services import PbsError, wait_for

STORES = ["sqlite", "postgresql"]
LOST = "the store cannot be written, changes are refused: "
BACK = "the store can be written again"
SAVE_ERR = 15161


def alone(*stores):
    """The server without scheduler, router and MoM, on each of the stores."""
    return pytest.mark.parametrize("cluster", [dict(store=s, alone=True) for s in stores],
                                   indirect=True, ids=list(stores))


def comment(server):
    return server.status(SERVER)[0].get("comment")


def refused(server, attrs):
    """True when the server says that it cannot save."""
    try:
        server.manager(MGR_CMD_SET, SERVER, attrs)
    except PbsError as e:
        return str(SAVE_ERR) in e.err or "save" in e.err.lower()
    return False


def store_file(cluster):
    return os.path.join(cluster.home, "server_priv", "holdfast.db")


def sqlite_change(cluster, text):
    with contextlib.closing(sqlite3.connect(store_file(cluster))) as db:
        db.execute(text)
        db.commit()


class Waiting(threading.Thread):
    """A change that is on its way; 'done' when it was answered."""

    def __init__(self, server, text):
        super().__init__()
        self.server, self.text, self.done, self.error = server, text, False, None
        self.start()

    def run(self):
        try:
            self.server.manager(MGR_CMD_SET, SERVER, {"comment": self.text})
            self.done = True
        except PbsError as e:
            self.error = e


def loses_its_postgresql(cluster, text):
    """One change was acknowledged before; the change to 'text' is under way."""
    cluster.server.manager(MGR_CMD_SET, SERVER, {"comment": "acknowledged"})
    cluster.postgres.stop(immediately=True)
    waiting = Waiting(cluster.server, text)
    cluster.server.log_match(LOST)
    return waiting


@alone("postgresql")
def test_a_lost_postgresql_loses_nothing_and_comes_back(cluster):
    server = cluster.server
    waiting = loses_its_postgresql(cluster, "under way")
    assert refused(server, {"comment": "refused"})
    assert not waiting.done and not waiting.error
    cluster.postgres.start()
    waiting.join(60)
    assert waiting.done, waiting.error
    server.log_match(BACK)
    assert comment(server) == "under way"
    assert cluster.sql("SELECT value FROM attributes WHERE kind = 'server'"
                       " AND attr = 'comment'") == [["under way"]]
    server.manager(MGR_CMD_SET, SERVER, {"comment": "after"})
    assert comment(server) == "after"


@alone("postgresql")
def test_a_server_killed_without_its_postgresql_has_what_it_told(cluster):
    server = cluster.server
    waiting = loses_its_postgresql(cluster, "never told")
    server.kill()
    waiting.join(60)
    assert not waiting.done
    with without_waiting(server):
        server.start()
    server.log_match("waiting for the database")
    assert server.is_up()
    cluster.postgres.start()
    server.wait_up()
    server.log_match("the database is there, the server starts")
    assert comment(server) == "acknowledged"


@alone("postgresql")
def test_a_start_without_its_postgresql_says_so_and_waits(cluster):
    """Whoever starts the daemon is not held up; what was asked of a store that nobody has seen
    is refused; and a server that waits can be stopped."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"comment": "acknowledged"})
    server.stop()
    cluster.postgres.stop(immediately=True)
    argv, kwargs = server.argv()[:1], dict(env=cluster.env(), capture_output=True, text=True,
                                           timeout=60)
    new = subprocess.run(argv + ["-t", "create", "-f"], **kwargs)
    assert new.returncode == 3 and "PostgreSQL: " in new.stderr
    begun = subprocess.run(argv, **kwargs)
    assert begun.returncode == 0
    assert "PostgreSQL: " in begun.stderr and "waiting for the database" in begun.stderr
    pid = int(cluster.read("home/server_priv/server.lock"))
    with open("/proc/%d/status" % pid) as f:
        ignored = int(re.search(r"SigIgn:\s*(\w+)", f.read()).group(1), 16)
    assert ignored & 1 << (signal.SIGHUP - 1), "logs may be rotated meanwhile"
    os.kill(pid, signal.SIGTERM)
    wait_for("the end of the one that waits", lambda: not os.path.exists("/proc/%d" % pid))
    cluster.postgres.start()
    server.start()
    assert comment(server) == "acknowledged"


@contextlib.contextmanager
def without_waiting(server):
    """start() returns at once."""
    server.wait_up = lambda: None
    yield
    del server.wait_up


def fill(server):
    """Set ever new large values until the store cannot take one more; those that were told."""
    told = None
    for i in range(200):
        waiting = Waiting(server, "%d %s" % (i, "x" * 30000))
        wait_for("an answer or a full disk", lambda: waiting.done or waiting.error or
                 LOST in "\n".join(server.log_lines()[-20:]))
        if not waiting.done:
            return told, waiting
        told = waiting.text
    raise AssertionError("the disk is never full")


@alone("sqlite")
def test_a_full_disk_loses_nothing_and_the_server_goes_on(cluster):
    server = cluster.server
    limit = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1 << 20, limit[1]))
    told, waiting = fill(server)
    assert told, "not one was told"
    assert refused(server, {"comment": "refused"})
    waiting.join(60)
    assert "it may still be done when the store is back" in str(waiting.error)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limit)
    server.log_match(BACK)
    assert comment(server) == waiting.text


@alone("sqlite")
def test_a_server_killed_on_a_full_disk_has_what_it_told(cluster):
    server = cluster.server
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1 << 20, -1))
    told, waiting = fill(server)
    server.kill()
    waiting.join(60)
    assert not waiting.done
    server.start()
    assert comment(server) == told


@alone(*STORES)
def test_two_servers_cannot_have_one_store(cluster):
    url = cluster.postgres.url() if cluster.postgres else \
        "sqlite:" + store_file(cluster)
    with Cluster(alone=True) as other:
        other.server.stop()
        other.write_conf(PBS_STORE=url)
        done = subprocess.run(other.server.argv(), env=other.env(), capture_output=True,
                              text=True, timeout=60)
    assert done.returncode == 3
    assert "another server uses this store: " in done.stderr
    assert ":%d" % cluster.server.process.pid in done.stderr
    cluster.server.manager(MGR_CMD_SET, SERVER, {"comment": "still here"})


@alone(*STORES)
def test_a_server_whose_store_was_taken_over_ends(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"comment": "mine"})
    change = "UPDATE progress SET epoch = epoch + 1, holder = 'other:1'"
    if cluster.postgres:
        cluster.sql(change)
    else:
        sqlite_change(cluster, change)
    with pytest.raises(PbsError):
        server.manager(MGR_CMD_SET, SERVER, {"comment": "not mine"})
    wait_for("the server's end", lambda: not server.is_up())
    assert server.process.returncode == 3
    server.log_match("the store is not this server's any more")
    server.start()
    assert comment(server) == "mine"


@alone(*STORES)
def test_a_store_that_contradicts_a_record_ends_the_server(cluster):
    """Somebody removes a queue's rows while the server runs: what it saves next of that
    queue cannot be true. Nobody is told of it, and a start finds what is stored."""
    server = cluster.server
    change = cluster.sql if cluster.postgres else lambda text: sqlite_change(cluster, text)
    server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "e"}, id="q1")
    server.manager(MGR_CMD_SET, SERVER, {"comment": "before"})
    last = int(cluster.sql("SELECT max(seq) FROM journal")[0][0])
    change("DELETE FROM attributes WHERE kind = 'queue' AND id = 'q1'")
    change("DELETE FROM objects WHERE kind = 'queue' AND id = 'q1'")
    with pytest.raises(PbsError):
        server.manager(MGR_CMD_SET, QUEUE, {"Priority": "3"}, id="q1")
    wait_for("the server's end", lambda: not server.is_up())
    assert server.process.returncode == 3
    server.log_match("what is to be saved cannot be true")
    server.log_match("what was decided before record %d is saved" % (last + 1))
    server.start()
    assert comment(server) == "before"
    assert "q1" not in [q["id"] for q in server.status(QUEUE)]


@alone(*STORES)
def test_a_store_that_is_too_new_is_refused_and_left_alone(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"comment": "of a newer version"})
    server.stop()

    def set_version(n):
        text = "UPDATE schema_version SET version = %d" % n
        if cluster.postgres:
            cluster.sql(text)
        else:
            sqlite_change(cluster, text)

    set_version(99)
    done = subprocess.run(server.argv(), env=cluster.env(), capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 3
    assert "made by a newer version (layout 99, this program knows up to 6)" in done.stderr
    server.log_match("made by a newer version")
    set_version(6)
    server.start()
    assert comment(server) == "of a newer version"


@alone(*STORES)
@pytest.mark.parametrize("edit, back, words", [
    ("UPDATE attributes SET value = 'many' WHERE kind = 'queue' AND attr = 'Priority'",
     "UPDATE attributes SET value = '7' WHERE kind = 'queue' AND attr = 'Priority'",
     "the store's queue workq has a value of Priority that cannot be read"),
    ("INSERT INTO objects (kind, id, seq) VALUES ('occurrence', 'S77[1].nowhere', 1000000)",
     "DELETE FROM objects WHERE kind = 'occurrence'",
     "the store's occurrence S77[1].nowhere has no reservation"),
    ("INSERT INTO objects (kind, id, seq) VALUES ('resource', 'ncpus', 1000000)",
     "DELETE FROM objects WHERE kind = 'resource'",
     "the store's resource ncpus is a resource that there is already"),
    ("INSERT INTO objects (kind, id, seq) VALUES ('job', 'elephant', 1000000)",
     "DELETE FROM objects WHERE kind = 'job'",
     "the store's job elephant has an id that cannot be one"),
])
def test_a_store_that_was_edited_is_refused_by_its_row(cluster, edit, back, words):
    server = cluster.server
    server.manager(MGR_CMD_SET, QUEUE, {"Priority": "7"}, "workq")
    server.stop()
    change = cluster.sql if cluster.postgres else lambda text: sqlite_change(cluster, text)
    change(edit)
    done = subprocess.run(server.argv(), env=cluster.env(), capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 3
    assert words in done.stderr and "restore a backup" in done.stderr
    server.log_match(words)
    change(back)
    server.start()
    assert server.status(QUEUE, id="workq")[0]["Priority"] == "7"


@alone(*STORES)
def test_create_puts_the_old_store_aside(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"comment": "old"})
    server.stop()
    argv = server.argv() + ["-t", "create"]
    no = subprocess.run(argv, env=cluster.env(), input="n\n", capture_output=True, text=True,
                        timeout=60)
    assert no.returncode != 0 and "do you wish to continue y/(n)?" in no.stdout
    server.argv = lambda: argv + ["-f"]
    server.start()
    assert comment(server) is None
    if cluster.postgres:
        rows = cluster.sql("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'holdfast_%'")
        assert len(rows) == 1
        old = cluster.sql("SELECT value FROM %s.attributes WHERE attr = 'comment'" % rows[0][0])
    else:
        names = [n for n in os.listdir(os.path.join(cluster.home, "server_priv"))
                 if re.fullmatch(r"holdfast\.db\.\d+", n)]
        assert len(names) == 1
        old = sqlite3.connect(os.path.join(cluster.home, "server_priv", names[0])).execute(
            "SELECT value FROM attributes WHERE attr = 'comment'").fetchall()
    assert [list(row) for row in old] == [["old"]]


@alone(*STORES)
def test_the_journal_goes_back_as_far_as_is_set(cluster):
    server = cluster.server
    server.stop()
    now = int(time.time())
    change = "UPDATE journal SET at = %d WHERE kind = 'queue'" % (now - 3 * 86400)
    if cluster.postgres:
        cluster.sql(change)
    else:
        sqlite_change(cluster, change)
    count = "SELECT count(*) FROM journal WHERE kind = 'queue'"
    old = int(cluster.sql(count)[0][0])
    assert old > 0
    server.start()
    server.manager(MGR_CMD_SET, SERVER, {"comment": "30 days are the default"})
    assert int(cluster.sql(count)[0][0]) == old
    server.stop()
    cluster.write_conf(PBS_JOURNAL_DAYS=2)
    server.start()
    server.manager(MGR_CMD_SET, SERVER, {"comment": "two days"})
    wait_for("the old records to go", lambda: int(cluster.sql(count)[0][0]) == 0)
    assert int(cluster.sql("SELECT count(*) FROM journal")[0][0]) > 0
    assert int(cluster.sql("SELECT count(*) FROM journal_changes WHERE seq NOT IN"
                           " (SELECT seq FROM journal)")[0][0]) == 0
    assert [r for r in cluster.sql("SELECT id FROM objects WHERE kind = 'queue'")]


def test_an_accounting_file_that_was_moved_away_stays_away(cluster):
    server = cluster.server
    jid = server.submit(Job(sleep=0))
    server.accounting_match(";E;%s;" % jid)
    server.stop()
    folder = os.path.join(cluster.home, "server_priv", "accounting")
    for name in os.listdir(folder):
        os.rename(os.path.join(folder, name), os.path.join(cluster.root, "old-" + name))
    server.start()
    # That of the day is opened at the start, and is empty.
    assert not any(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))


@pytest.mark.parametrize("cluster", [dict(store=s) for s in STORES], indirect=True, ids=STORES)
def test_the_queries_of_the_manual_work(cluster):
    server = cluster.server
    server.submit(Job())
    server.submit(Reservation(start=3600, duration=600))
    series = Reservation(start=7200, duration=60, options=["-r", "FREQ=DAILY;COUNT=4", "-I", "60"])
    cluster.run(["pbs_rsub"] + series.options(), user=USER1, env={"PBS_TZID": "UTC"})
    server.manager(MGR_CMD_SET, VNODE, {"comment": "a word"}, id="vn[1]")
    server.manager(MGR_CMD_SET, QUEUE, {"Priority": 7}, id="workq")
    with open(os.path.join(TOP, "doc", "store.md")) as f:
        queries = re.findall(r"```sql\n(.*?)```", f.read(), re.S)
    assert len(queries) >= 8
    for query in queries:
        assert cluster.sql(query.rstrip().rstrip(";")), query
    assert cluster.sql("SELECT id, priority FROM queues WHERE id = 'workq'") == [["workq", "7"]]
    assert cluster.sql("SELECT id, comment FROM vnodes WHERE comment IS NOT NULL") == \
        [["vn[1]", "a word"]]
    (resv,) = cluster.sql("SELECT end_at, start_at, duration_s FROM reservations WHERE id LIKE 'R%'")
    assert int(resv[0]) - int(resv[1]) == int(resv[2]) == 600


def system_calls(path):
    """(first line, last line, name, text of the descriptor, result) of each call."""
    calls, open_calls = [], {}
    with open(path, errors="replace") as f:
        for at, line in enumerate(f):
            found = re.match(r"(\d+) +(?:<\.\.\. )?(\w+)(?: resumed>|\((\d+<[^>]*>?[^,)]*>?))?", line)
            if not found:
                continue
            pid, name, fd = found.groups()
            result = re.search(r"= (-?\d+)[^=]*$", line)
            if "<unfinished ...>" in line:
                open_calls[pid] = (at, name, fd)
            elif " resumed>" in line:
                if pid in open_calls and result:
                    begin, name, fd = open_calls.pop(pid)
                    calls.append((begin, at, name, fd or "", int(result.group(1))))
            elif result:
                calls.append((at, at, name, fd or "", int(result.group(1))))
    return sorted(calls, key=lambda c: c[1])


@alone("sqlite")
def test_each_answer_follows_its_sync(cluster):
    """A kill is no power loss, so the calls are traced: between reading a change and answering
    it lies an fdatasync of the store's log that began after the one and ended before the
    other."""
    server, trace = cluster.server, os.path.join(cluster.root, "trace")
    argv = server.argv()
    server.stop()
    server.argv = lambda: ["strace", "-D", "-f", "-y", "-s", "0", "-o", trace, "-e",
                           "trace=fdatasync,fsync,read,readv,recvfrom,recvmsg,write,writev,"
                           "sendto,sendmsg"] + argv
    server.start()
    out = subprocess.run([built("test/bench/hammer"), "-c", "6", "-s", "2",
                          os.path.join(cluster.home, "ipc", "server.sock")],
                         env=cluster.env(), text=True, capture_output=True, timeout=120)
    assert out.returncode == 0, out.stderr
    n_told = int(out.stdout.split()[0])
    server.stop()
    syncs, read_at, answers = [], {}, {}
    for begin, end, name, fd, result in system_calls(trace):
        if name in ("fdatasync", "fsync"):
            if "holdfast.db-wal" in fd and result == 0:
                syncs.append((begin, end))
        elif "socket:" in fd or "UNIX" in fd:
            if result <= 0:
                continue
            if name.startswith("re"):
                read_at[fd] = end
            else:
                answers.setdefault(fd, []).append((read_at.get(fd), begin))
    checked = 0
    for fd, pairs in answers.items():
        if len(pairs) < 4:
            continue  # qstat, and the connection that made the queue
        for read, sent in pairs[1:]:  # the first one answers Connect
            assert any(begin > read and end < sent for begin, end in syncs), (fd, read, sent)
            checked += 1
    assert checked >= 20, "%d answers seen of %d" % (checked, n_told)
