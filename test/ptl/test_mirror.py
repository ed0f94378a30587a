# SPDX-License-Identifier: Apache-2.0
"""What our scheduler keeps of the server's status between cycles (doc/design/042): it is told
what has changed, asks for everything when that does not go on from what it has, and compares
both where the administrator wants it."""
import os

import pytest

from holdfast import *
from holdfast.peer import CONNECT, Peer, objects, packet, reply
from holdfast.services import wait_for

STATUS_SERVER, STATUS_NODE, REGISTER_SCHED, STATUS_CHANGES = 21, 58, 98, 200
SERVER_TYPE, NODE_TYPE, MARK_TYPE = 0, 3, 200
EXTENSIONS = "holdfast_extensions"
AGAIN = "Asking for the whole status again"
DIFFERS = "What is kept of the server's status is not what the server says"
VNODE = [("state", None, "free", 0), ("license", None, "l", 0),
         ("resources_available", "ncpus", "2", 0)]


def set_config(cluster, line):
    wait_for("sched_config", lambda: os.path.exists(cluster.scheduler.config()))
    with open(cluster.scheduler.config(), "a") as f:
        f.write("\n" + line + "\n")
    cluster.scheduler.reconfigure()


@pytest.fixture
def cluster():
    with Cluster(mock=True) as c:
        yield c


def logged(cluster, text):
    return sum(text in line for line in cluster.scheduler.log_lines())


def confirmed(server, start):
    r = Reservation(select="1:ncpus=1", start=start, duration=60, interactive=60)
    rid = server.submit(r)
    assert r.answer.endswith("CONFIRMED"), r.answer
    return rid


def test_kept_and_compared(cluster):
    """Everything that can happen to what is kept, compared in each cycle."""
    server = cluster.server
    set_config(cluster, "check_status: True")
    before = logged(cluster, AGAIN)
    rid = confirmed(server, 3600)
    jid = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1"}))
    server.expect(JOB, {"job_state": "R"}, id=jid)
    cluster.run(["pbs_ralter", "-I", "60", "-D", "120", rid], user=USER1)
    server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "Execution"}, id="other")
    server.delete(jid)
    confirmed(server, 7200)
    server.manager(MGR_CMD_DELETE, QUEUE, id="other")
    server.delete(rid)
    confirmed(server, 10800)
    # A setting is a change as any other, and obeyed.
    server.manager(MGR_CMD_SET, SERVER, {"max_run": "[o:PBS_ALL=0]"})
    jid = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1"}))
    server.expect(JOB, {"comment": (MATCH_RE, "limit")}, id=jid)
    server.manager(MGR_CMD_UNSET, SERVER, {"max_run": None})
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    server.expect(JOB, {"job_state": "R"}, id=jid)
    server.delete(jid)
    assert logged(cluster, DIFFERS) == 0
    assert logged(cluster, AGAIN) == before
    # What all objects depend on: nobody knows what has changed, so all is asked for.
    server.manager(MGR_CMD_SET, SERVER, {"show_hidden_attribs": "True"})
    confirmed(server, 14400)
    assert logged(cluster, AGAIN) == before + 1


def test_not_kept(cluster):
    set_config(cluster, "keep_status: False")
    before = logged(cluster, AGAIN)
    confirmed(cluster.server, 3600)
    cluster.server.manager(MGR_CMD_SET, SERVER, {"show_hidden_attribs": "True"})
    confirmed(cluster.server, 7200)
    assert logged(cluster, AGAIN) == before


class Played(Peer):
    """A server that tells changes: the n-th StatusChanges is answered with told[n], as
    objects behind which a mark is put unless they have one, or as the code of a refusal;
    whole statuses are empty."""

    def __init__(self, path, told, commands):
        self.told, self.commands = list(told), list(commands)
        self.since, self.ends = [], 0
        super().__init__(path, [])

    def changes(self, r):
        n = len(self.since)
        self.since.append(r.number())
        told = self.told[n] if n < len(self.told) else []
        if isinstance(told, int):
            return reply(told)
        if not any(kind == MARK_TYPE for kind, _, _ in told):
            told = told + [mark(self.since[-1], n + 1)]
        return objects(*told)

    def answer(self, s, r):
        if r.data == "+0":
            self.ends += 1
            if self.commands:
                s.sendall(packet(self.commands.pop(0)))
            return True
        assert (r.number(), r.number()) == (2, 2)
        n = r.number()
        r.string()
        if n == REGISTER_SCHED:
            self.register(s)
        elif n == STATUS_CHANGES:
            s.sendall(packet(self.changes(r)))
        elif n == STATUS_SERVER and EXTENSIONS in r.data:
            s.sendall(packet(objects((SERVER_TYPE, "svr", [(EXTENSIONS, None, "changes", 0)]))))
        else:
            s.sendall(packet(reply() if n == CONNECT else objects()))
        return True


def mark(since, seq):
    return (MARK_TYPE, "", [("since", None, str(since), 0), ("seq", None, str(seq), 0)])


def play(cluster, told, line, cycles):
    """What the scheduler asked since, at a played server, and how often it began anew."""
    set_config(cluster, line)
    cluster.scheduler.stop()
    cluster.server.stop()
    before = logged(cluster, AGAIN)
    path = os.path.join(cluster.home, "ipc", "server.sock")
    if os.path.exists(path):
        os.unlink(path)
    with Played(path, told, ["+1"] * cycles) as played:
        cluster.scheduler.start()
        wait_for("the cycles", lambda: played.ends == cycles + 1)
        cluster.scheduler.stop()
        return played.since, logged(cluster, AGAIN) - before


@pytest.mark.parametrize("told, since", [
    ([[], [], []], [0, 1, 2]),
    # The first answer again; one of another question; none of whom it goes on from.
    ([[], [mark(0, 1)], []], [0, 1, 0, 3]),
    ([[], [mark(7, 8)], []], [0, 1, 0, 3]),
    ([[], [mark(1, 0)], []], [0, 1, 0, 3]),
    ([[], [(MARK_TYPE, "", [])], []], [0, 1, 0, 3]),
])
def test_answers_that_do_not_follow(cluster, told, since):
    assert play(cluster, told, "check_status: False", 3) == (since, len(since) - 3)


def test_a_server_that_answers_amiss_is_asked_for_everything(cluster):
    """It names the request, and answers it with nothing that can be used."""
    wrong = [(MARK_TYPE, "", [])]
    assert play(cluster, [wrong] * 9, "check_status: False", 3) == ([0, 0], 0)
    assert logged(cluster, "StatusChanges failed") == 1
    assert logged(cluster, "Problem with creating server data structure") == 0


def test_a_server_that_has_lost_its_store_is_asked_later(cluster):
    """It shows nothing for a while. What is kept of it stays, and the cycle ends."""
    assert play(cluster, [[], 15161, []], "check_status: False", 3) == ([0, 1, 1], 0)
    assert logged(cluster, "StatusChanges failed:  (15161)") == 1


# The server has a vnode by its changes and none by its status.
DIFFERENT = [(NODE_TYPE, "n1", VNODE)]


def test_a_difference_is_told_and_mended(cluster):
    """The server has changed nothing meanwhile, as its next answer says."""
    since, _ = play(cluster, [DIFFERENT, [mark(1, 1)]], "check_status: True", 1)
    assert logged(cluster, DIFFERS + ": one has 1 objects of type 3, one 0") == 1
    assert since == [0, 1, 0]


def test_a_server_that_never_stands_still_is_not_accused(cluster):
    """Each answer says that something has changed while the status was taken."""
    since, _ = play(cluster, [DIFFERENT], "check_status: True", 1)
    assert logged(cluster, DIFFERS) == 0
    assert since == [0, 1, 2, 3, 4, 5]
