# SPDX-License-Identifier: Apache-2.0
"""Requests that take the server many turns, or of which so much follows: others are served
in between, and whatever happens in the middle, each job is there or is gone."""
import os
import pwd
import select
import signal
import struct
import time

import pytest

from holdfast import *
from holdfast.peer import attrs, extend
from holdfast.services import wait_for
from holdfast.wire import number, open_local, string

QUEUE_JOB, MANAGER, STATUS_SERVER, SELECT_JOBS, DELETE_LIST = 1, 9, 21, 16, 100
SUBMIT_RESV, STATUS_RESV, DELETE_RESV, UNKNOWN_RESV = 70, 71, 72, 15084
JOBS = 1500
VNODES = 1500


class Caller:
    """A connection to the local socket as an ordinary user; as root where there is one."""

    def __init__(self, cluster, user):
        me = os.geteuid()
        if me == 0:
            os.seteuid(pwd.getpwnam(user).pw_uid)
        else:
            user = pwd.getpwuid(me).pw_name
        try:
            self.c = open_local(os.path.join(cluster.home, "ipc", "server.sock"))
        finally:
            os.seteuid(me)
        self.user = user

    def send(self, kind, body, ext=None):
        self.c.send("+2+2" + number(kind) + string(self.user) + body + extend(ext))

    def ask(self, kind, body, ext=None):
        self.send(kind, body, ext)
        return self.c.receive()

    def raw(self):
        """The next reply as it came."""
        head = self.c.take(11)
        return self.c.take(struct.unpack(">I", head[7:])[0]).decode("latin1")


def submit(caller, n, queue="workq"):
    """Ids of so many held jobs, without waiting for each one's answer."""
    ids, under_way = [], 0
    body = string("") + string(queue) + attrs(("Hold_Types", None, "u", 0))
    for _ in range(n):
        caller.send(QUEUE_JOB, body, ":C:")
        under_way += 1
        if under_way == 200:
            ids.append(caller.c.receive().ids[0])
            under_way -= 1
    return ids + [caller.c.receive().ids[0] for _ in range(under_way)]


def jobs_left(caller):
    """As the server shows them to everybody."""
    return caller.ask(SELECT_JOBS, "+0+0").ids


@pytest.fixture
def site():
    with Cluster(alone=True) as c:
        c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False", "flatuid": "True"})
        yield c


def deletion(ids):
    return number(len(ids)) + "".join(string(i) for i in ids)


def test_a_question_is_answered_before_a_long_deletion(site):
    """Both lie before the server when it wakes up: the deletion came first, and nothing
    of it is done when the question is answered."""
    caller, other = Caller(site, USER1), Caller(site, USER2)
    ids = submit(caller, JOBS)
    site.server.send_signal(signal.SIGSTOP)
    try:
        caller.send(DELETE_LIST, deletion(ids))
        other.send(STATUS_SERVER, string("") + attrs(("total_jobs", None, "", 0)))
    finally:
        site.server.send_signal(signal.SIGCONT)
    assert "total_jobs" + number(0) + string(str(JOBS)) in other.raw()
    reply = caller.c.receive()
    assert (reply.code, reply.choice, reply.results) == (0, 11, [])
    assert jobs_left(other) == []


def test_a_killed_server_has_deleted_the_first_of_the_list(site):
    """Wherever it was killed, no job is missing in the middle."""
    ids = submit(Caller(site, USER1), JOBS)
    for kills in range(3):
        caller = Caller(site, USER1)
        caller.send(DELETE_LIST, deletion(ids))
        other = Caller(site, USER2)
        assert other.ask(STATUS_SERVER, string("") + "+0").code == 0
        site.server.kill()
        site.server.start()
        left = jobs_left(Caller(site, USER2))
        assert left == ids[len(ids) - len(left):], kills
        ids = left
    again = Caller(site, USER1)
    assert again.ask(DELETE_LIST, deletion(ids)).code == 0
    assert jobs_left(again) == []


def reserve(site, caller):
    """A reservation whose queue takes jobs by the manager's word, since nobody confirms it."""
    start_at = int(time.time()) + 86400
    reply = caller.ask(SUBMIT_RESV, string("") + string("") + attrs(
        ("Resource_List", "select", "1:ncpus=1", 0), ("reserve_start", None, str(start_at), 0),
        ("reserve_end", None, str(start_at + 600), 0)))
    assert reply.code == 0, reply.text
    resv = reply.text.split()[0]
    site.server.manager(MGR_CMD_SET, QUEUE, {"enabled": "True"}, id=resv.split(".")[0])
    return resv


def delete_resv(resv):
    return number(1) + number(2) + string(resv) + "+0"


def resv_code(caller, resv):
    return caller.ask(STATUS_RESV, string(resv) + "+0").code


def test_a_question_is_answered_before_all_jobs_of_a_reservation_are_deleted(site):
    """The deletion is answered when the reservation is being deleted. Its jobs go in later
    turns, no faster than the store takes them, and questions are answered in between."""
    caller, other = Caller(site, USER1), Caller(site, USER2)
    resv = reserve(site, caller)
    submit(caller, JOBS, resv.split(".")[0])
    assert caller.ask(DELETE_RESV, delete_resv(resv)).code == 0
    assert jobs_left(other) != []
    wait_for("the end of " + resv, lambda: resv_code(other, resv) == UNKNOWN_RESV)
    assert jobs_left(other) == []


def test_a_killed_server_deletes_the_rest_of_a_reservation(site):
    """Wherever it was killed, the reservation that was deleted goes with all its jobs."""
    caller = Caller(site, USER1)
    resv = reserve(site, caller)
    submit(caller, JOBS, resv.split(".")[0])
    assert caller.ask(DELETE_RESV, delete_resv(resv)).code == 0
    site.server.kill()
    site.server.start()
    other = Caller(site, USER2)
    wait_for("the end of " + resv, lambda: resv_code(other, resv) == UNKNOWN_RESV)
    assert jobs_left(other) == []


def manage(command, vnode, *entries):
    return number(command) + number(3) + string(vnode) + attrs(*entries)


@pytest.fixture
def wide(site):
    """Vnodes of a MoM that is not there. Requests of several connections share commits."""
    me = pwd.getpwuid(os.geteuid()).pw_name
    callers = [Caller(site, me) for _ in range(50)]
    for first in range(0, VNODES, len(callers)):
        for i, caller in enumerate(callers):
            caller.send(MANAGER, manage(0, "vn[%d]" % (first + i), ("Mom", None, "localhost", 0)))
        assert {caller.c.receive().code for caller in callers} == {0}
    for caller in callers:
        caller.c.s.close()
    return site


def kept(cluster):
    """The requests that the store says are under way."""
    return cluster.sql("SELECT id FROM objects WHERE kind = 'request'")


def priorities(cluster):
    """Of all vnodes, as the store has them; None: they have none."""
    return {row[0] for row in cluster.sql(
        "SELECT DISTINCT a.value FROM objects o LEFT JOIN attributes a ON a.kind = o.kind AND a.id = o.id"
        " AND a.attr = 'Priority' WHERE o.kind = 'node'")}


def killed_in_the_middle(cluster):
    """The priority of all vnodes becomes one more, and the server is killed when its store says that it is at
    it. True: it was not through."""
    caller = Caller(cluster, pwd.getpwuid(os.geteuid()).pw_name)
    caller.send(MANAGER, manage(2, "@default", ("Priority", None, "1", 2)))
    while not kept(cluster) and not select.select([caller.c.s], [], [], 0)[0]:
        pass
    cluster.server.kill()
    caller.c.s.close()
    return bool(kept(cluster))


def test_what_is_done_to_all_vnodes_is_done_whole(wide):
    """Some have more when the server is killed, and others have not: the next start adds it to the others,
    and to none twice."""
    n_middle, tries, was = 0, 0, None
    while n_middle < 2 and tries < 10:
        tries += 1
        if killed_in_the_middle(wide):
            n_middle += 1
            assert priorities(wide) == {was, str(tries)}
        wide.server.start()
        wait_for("the end of it", lambda: not kept(wide))
        assert priorities(wide) == {str(tries)}
        was = str(tries)
    assert n_middle == 2
    wide.server.log_match("was under way when the server ended: it goes on")
