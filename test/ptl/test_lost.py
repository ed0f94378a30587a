# SPDX-License-Identifier: Apache-2.0
"""A store that is lost, or hangs: nobody waits for ever, who only looks is served, nothing
that was acknowledged is lost, nothing is half done, and all is as before when it is back."""
import contextlib
import os
import signal
import threading

import pytest

from holdfast import *
from holdfast.services import wait_for
from test_kill_loop import check_objects
from test_store import BACK, LOST, alone

WAIT = 5  # long enough for a commit on a busy machine
GIVEN_UP = "the store has not saved anything for %d seconds" % WAIT
IN_DOUBT = "it may still be done when the store is back"
NOT_SHOWN = "nothing was changed: ask again later"
ACKNOWLEDGED, DOUBTFUL = 1, 2
REFUSED = "Failed to save job/resv, refer server logs for details"


class Asking(threading.Thread):
    """A command under way; 'done' is its result."""

    def __init__(self, cluster, *argv):
        super().__init__()
        self.cluster, self.argv, self.done = cluster, argv, None
        self.start()

    def run(self):
        self.done = self.cluster.run(self.argv, check=False)

    def answer(self):
        """What it printed when it ended without success."""
        self.join(60)
        assert self.done, "it waits: %s" % (self.argv,)
        assert self.done.returncode != 0, self.done
        return self.done.stdout + self.done.stderr


def set_priority(cluster, value):
    return Asking(cluster, "qmgr", "-c", "set queue workq Priority = %d" % value)


def priority(server):
    return int(server.status(QUEUE, "workq")[0]["Priority"])


def with_short_patience(cluster):
    """Nobody is to wait longer than WAIT seconds."""
    cluster.write_conf(PBS_STORE_WAIT=WAIT)
    cluster.server.restart()
    cluster.server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "execution"}, id="other")
    cluster.server.manager(MGR_CMD_SET, QUEUE, {"Priority": ACKNOWLEDGED}, id="workq")


def changes_asked_for(server):
    return len([line for line in server.log_lines() if "Type 9 request received" in line])


def all_get_answers(cluster):
    """The store is lost now. Whoever waits for it is answered, and so is who comes later."""
    server = cluster.server
    n_before = changes_asked_for(server)
    change = set_priority(cluster, DOUBTFUL)
    wait_for("the change to be on its way", lambda: changes_asked_for(server) > n_before)
    look = Asking(cluster, "qstat", "-Qf")
    assert len(server.status(QUEUE, "other")) == 1, "nothing changed there"
    assert IN_DOUBT in change.answer()
    assert NOT_SHOWN in look.answer()
    server.log_match(GIVEN_UP)
    assert NOT_SHOWN in Asking(cluster, "qstat", "-Qf").answer()
    assert REFUSED in set_priority(cluster, 3).answer()
    assert len(server.status(QUEUE, "other")) == 1


def all_is_as_before(cluster):
    cluster.server.log_match(BACK)
    assert priority(cluster.server) == DOUBTFUL
    cluster.server.manager(MGR_CMD_SET, QUEUE, {"Priority": 4}, id="workq")
    cluster.server.kill()
    cluster.server.start()
    assert priority(cluster.server) == 4
    check_objects(cluster)


@alone("postgresql")
def test_nobody_waits_for_ever_for_a_lost_postgresql(cluster):
    with_short_patience(cluster)
    cluster.postgres.stop(immediately=True)
    try:
        all_get_answers(cluster)
        cluster.server.log_match(LOST)
    finally:
        cluster.postgres.start()
    all_is_as_before(cluster)


def session(cluster):
    """Process ids of the server's session with the database."""
    rows = cluster.sql("SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                       " AND application_name = 'holdfast'")
    assert len(rows) == 1, rows
    return [int(rows[0][0])]


def whole_service(cluster):
    """Of the service: the postmaster and all that it has started."""
    pid = cluster.postgres.service.process.pid
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        return [pid] + [int(child) for child in f.read().split()]


@contextlib.contextmanager
def hanging(pids):
    try:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("what", [session, whole_service])
@alone("postgresql")
def test_nobody_waits_for_ever_for_a_postgresql_that_hangs(cluster, what):
    with_short_patience(cluster)
    with hanging(what(cluster)):
        all_get_answers(cluster)
    all_is_as_before(cluster)


@pytest.mark.skipif(not os.environ.get("HF_LONG"), reason="30 s and more: HF_LONG=1")
@pytest.mark.parametrize("what", [session, whole_service])
@alone("postgresql")
def test_a_session_that_hangs_longer_than_a_statement_may_take(cluster, what):
    """Its connection is given up; what it had under way is found out, not guessed."""
    with_short_patience(cluster)
    with hanging(what(cluster)):
        all_get_answers(cluster)
        cluster.server.log_match(LOST)
    all_is_as_before(cluster)


@pytest.mark.parametrize("what", [session, whole_service])
@alone("postgresql")
def test_a_server_killed_while_its_postgresql_hangs(cluster, what):
    """What was in doubt is done or not, and not by halves; what was told is there."""
    with_short_patience(cluster)
    with hanging(what(cluster)):
        all_get_answers(cluster)
        cluster.server.kill()
    cluster.server.start()
    assert priority(cluster.server) in (ACKNOWLEDGED, DOUBTFUL)
    check_objects(cluster)
