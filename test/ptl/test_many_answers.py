# SPDX-License-Identifier: Apache-2.0
"""What the scheduler says about many reservations in one cycle: one request to a server that
offers it, one after the other to any other (AnswerResvs, doc/extensions.md)."""
import os
import time

import pytest

from holdfast import *
from holdfast.peer import CONNECT, Peer, objects, packet, reply
from holdfast.services import wait_for
from holdfast.wire import string

STATUS_SERVER, CONFIRM_RESV, REGISTER_SCHED, STATUS_CHANGES = 21, 75, 98, 200
ANSWER_RESVS = 205
SERVER_TYPE, QUEUE_TYPE, NODE_TYPE, RESV_TYPE, MARK_TYPE = 0, 1, 3, 4, 200
RETRY_S = 5
EXTENSIONS = "holdfast_extensions"
VNODE = [("state", None, "free", 0), ("license", None, "l", 0),
         ("resources_available", "ncpus", "2", 0)]


@pytest.fixture
def cluster():
    with Cluster(vnodes=8, mock=True) as c:
        yield c


def test_all_that_are_lost_are_made_anew_by_one_request(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_time": RETRY_S})
    ids = [server.submit(Reservation(select="1:ncpus=1", start=3600, duration=600,
                                     interactive=60, options=["-l", "place=excl"]))
           for _ in range(3)]
    lost = "vn[0],vn[1],vn[2]"
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    cluster.run(["qmgr", "-c", "set node %s state=offline" % lost])
    for rid in ids:
        server.expect(RESV, {"reserve_substate": 10}, id=rid)
    due_at = time.time() + RETRY_S  # or a little before
    wait_for("the attempt to be due", lambda: time.time() > due_at)
    n = len([l for l in server.log_lines() if "Type 205 request received" in l])
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    for rid in ids:
        server.expect(RESV, {"reserve_substate": 2}, id=rid)
    assert len([l for l in server.log_lines() if "Type 205 request received" in l]) == n + 1
    held = [r["resv_nodes"] for r in server.status(RESV)]
    assert sorted(held) == ["(vn[%d]:ncpus=1)" % i for i in (3, 4, 5)]
    for rid in ids:
        cluster.scheduler.log_match("%s;Reservation Confirmed" % rid)


class Played(Peer):
    """A server with two vnodes and three reservations that are asked about, once. What it is
    told of them is in 'said', as (request number, id) each; the second is refused."""

    def __init__(self, path, offers, resvs):
        self.offers, self.resvs, self.said, self.ends = offers, resvs, [], 0
        super().__init__(path, [])

    def changes(self, since):
        told = [(NODE_TYPE, "n%d" % i, VNODE + [("resources_available", "host", "n%d" % i, 0),
                                                ("resources_available", "vnode", "n%d" % i, 0)])
                for i in (1, 2, 3)] + self.resvs if since == 0 else []
        return objects(*told, (MARK_TYPE, "", [("since", None, str(since), 0),
                                               ("seq", None, str(since + 1), 0)]))

    def confirm(self, r):
        rid = r.string()
        self.said.append((CONFIRM_RESV, rid))
        return reply(15016, choice=7, body=string("not now")) if rid == "R2.svr" else reply()

    def answers(self, r):
        for _ in range(r.number()):
            self.said.append((ANSWER_RESVS, r.string()))
            r.string(), r.number(), r.string()
        return objects((RESV_TYPE, "R2.svr", [("place", None, "2", 0), ("code", None, "15016", 0),
                                              ("text", None, "not now", 0)]))

    def answer(self, s, r):
        if r.data == "+0":
            self.ends += 1
            if self.ends == 1:
                s.sendall(packet("+1"))
            return True
        assert (r.number(), r.number()) == (2, 2)
        n = r.number()
        r.string()
        if n == REGISTER_SCHED:
            self.register(s)
        elif n == STATUS_CHANGES:
            s.sendall(packet(self.changes(r.number())))
        elif n == CONFIRM_RESV:
            s.sendall(packet(self.confirm(r)))
        elif n == ANSWER_RESVS:
            s.sendall(packet(self.answers(r)))
        elif n == STATUS_SERVER and EXTENSIONS in r.data:
            s.sendall(packet(objects((SERVER_TYPE, "svr",
                                      [(EXTENSIONS, None, self.offers, 0)]))))
        else:
            s.sendall(packet(reply() if n == CONNECT else objects()))
        return True


def unconfirmed(i):
    start = int(time.time()) + 3600
    words = {"reserve_state": 1, "reserve_substate": 1, "reserve_start": start,
             "reserve_end": start + 600, "queue": "R%d" % i, "schedselect": "1:ncpus=2",
             "alter_seq": 0}
    return (RESV_TYPE, "R%d.svr" % i,
            [(name, None, str(value), 0) for name, value in words.items()] +
            [("Resource_List", "place", "free", 0)])


@pytest.mark.parametrize("offers, request_number", [
    ("changes,answers", ANSWER_RESVS),
    ("changes", CONFIRM_RESV),
])
def test_only_who_offers_it_is_sent_many_at_once(cluster, offers, request_number):
    cluster.scheduler.stop()
    cluster.server.stop()
    path = os.path.join(cluster.home, "ipc", "server.sock")
    if os.path.exists(path):
        os.unlink(path)
    with Played(path, offers, [unconfirmed(i) for i in (1, 2, 3)]) as played:
        cluster.scheduler.start()
        wait_for("the cycle", lambda: played.ends == 2)
        cluster.scheduler.stop()
        said = played.said
    # The one that was refused is looked at again in the same cycle, alone.
    assert said[:3] == [(request_number, "R%d.svr" % i) for i in (1, 2, 3)]
    assert set(said[3:]) == {(CONFIRM_RESV, "R2.svr")}
    for i in (1, 3):
        cluster.scheduler.log_match("R%d.svr;Reservation Confirmed" % i)
    cluster.scheduler.log_match("R2.svr;PBS Failed to confirm resv: not now (15016)")
