# SPDX-License-Identifier: Apache-2.0
"""Requests that take the server many turns: others are served in between, and whatever
happens in the middle, each job is there or is gone."""
import os
import pwd
import signal
import struct

import pytest

from holdfast import *
from holdfast.peer import attrs, extend
from holdfast.wire import number, open_local, string

QUEUE_JOB, STATUS_SERVER, SELECT_JOBS, DELETE_LIST = 1, 21, 16, 100
JOBS = 1500


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


def submit(caller, n):
    """Ids of so many held jobs, without waiting for each one's answer."""
    ids, under_way = [], 0
    body = string("") + string("workq") + attrs(("Hold_Types", None, "u", 0))
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
