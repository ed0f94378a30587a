# SPDX-License-Identifier: Apache-2.0
"""Tasks that mean no good, and what they ask of the MoM of their host (tm.h, byte by byte)."""
import contextlib
import os
import resource
import socket
import struct

import pytest

from holdfast import *
from holdfast.users import ROOTLESS
from holdfast.wire import Reader, number, string, take
from story import *

(INIT, TASKS, SPAWN, SIGNAL, OBIT, RESOURCES, POSTINFO, GETINFO) = range(100, 108)
REGISTER, FINALIZE = 109, 112
SYSTEM, UNKNOWN, MISSING, NO_TASK = 17000, 17003, 17004, 17006
MIB = 1 << 20
# Most connections whose tasks are known, and most that have shown no cookie.
KNOWN, STRANGERS = 1800, 200


class Task:
    """A connection to the MoM, and how a task of a job speaks on it."""

    def __init__(self, site, job="", cookie="", task=1):
        self.job, self.cookie, self.task = job, cookie, task
        self.s = socket.create_connection(("127.0.0.1", site.ports["rm"]), 60)
        self.event = 0

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.s.close()

    def message(self, command, body=""):
        self.event += 1
        data = ("+2+2" + string(self.job) + string(self.cookie) + number(command) +
                number(self.event) + number(self.task) + body).encode("latin1")
        return b"PKTV1\0\0" + struct.pack(">I", len(data)) + data

    def receive(self):
        """The code, and what is behind the head of the answer; None when there is none."""
        head = take(self.s, 11)
        if not head:
            return None
        r = Reader(take(self.s, struct.unpack(">I", head[7:])[0]).decode("latin1"))
        assert (r.number(), r.number()) == (2, 2)
        failed, _ = r.number(), r.number()
        return (r.number() if failed else 0), r

    def ask(self, command, body=""):
        self.s.sendall(self.message(command, body))
        return self.receive()

    def is_closed(self):
        with contextlib.suppress(ConnectionResetError):
            return self.s.recv(1) == b""
        return True


def cookie_of(site, jid):
    session = site.server.status(JOB, jid)[0]["session_id"]
    with open("/proc/%s/environ" % session) as f:
        return dict(x.split("=", 1) for x in f.read().split("\0") if x)["PBS_JOBCOOKIE"]


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=3) as c:
        yield c


def job_of(site, user):
    jid = site.server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1"}, user=user))
    site.server.expect(JOB, {"job_state": "R", "substate": 42}, id=jid)
    return jid, cookie_of(site, jid)


@pytest.fixture(scope="module")
def own(site):
    return job_of(site, USER1)


@pytest.fixture(scope="module")
def other(site):
    if ROOTLESS:
        pytest.skip("needs two accounts")
    return job_of(site, USER2)


def still_served(site, own):
    with Task(site, *own) as t:
        assert t.ask(INIT)[0] == 0


def test_who_shows_no_cookie_is_not_answered(site, own, other):
    """Not of the job that is named, of no job, or none at all: the connection ends, and the log says so."""
    for job, cookie in ((own[0], "0" * 32), (own[0], ""), (own[0], other[1]), (own[0], own[1].lower() + "0"),
                        ("999.nowhere", own[1]), ("", own[1])):
        with Task(site, job, cookie) as t:
            port = t.s.getsockname()[1]
            t.s.sendall(t.message(SIGNAL, "+0+1+9") + t.message(INIT))
            assert t.is_closed(), (job, cookie)
        site.mom.log_match("tm_request;message refused from port %d addr 127.0.0.1" % port)
    still_served(site, own)
    assert site.server.status(JOB, own[0])[0]["job_state"] == "R"


@pytest.mark.parametrize("data", [
    b"GET / HTTP/1.1\r\n\r\n",
    b"PKTV1\0\0\0\0\0\0",
    b"PKTV1\0\0\x7f\xff\xff\xff",
    b"PKTV1\0\0\0\0\0\x04+3+2",
    b"PKTV1\0\0\0\0\0\x04+2+9",
    b"PKTV1\0\0\0\0\0\x0f+2+29+999999999",
    b"PKTV1\0\0\0\0\0\x09+2+23+276",
    b"PKTV1\0\0\0\0\0\x0a+2+2+1a+16",
    b"PKTV1\0\0\0\0\0\x14+2+2+1a+1b3+102+1+1+",
])
def test_bytes_that_are_no_request(site, own, data):
    with Task(site) as t:
        t.s.sendall(data)
        assert t.is_closed()
    still_served(site, own)


def test_all_of_a_connection_is_of_one_version(site, own):
    """Answers have the version of their requests, also those that wait for something; another version ends the connection."""
    def older(data):
        return data.replace(b"+2+2", b"+2+1", 1)

    with Task(site, *own) as t:
        for command, body in ((INIT, ""), (TASKS, "+0")):
            t.s.sendall(older(t.message(command, body)))
            head = take(t.s, 11)
            assert take(t.s, struct.unpack(">I", head[7:])[0]).startswith(b"+2+1+0")
        port = t.s.getsockname()[1]
        t.s.sendall(t.message(INIT))
        assert t.is_closed()
    site.mom.log_match("tm_request;message refused from port %d addr 127.0.0.1" % port)
    with Task(site, *own) as t:
        assert t.ask(INIT)[0] == 0
        t.s.sendall(older(t.message(SIGNAL, "+0+1+9")))
        assert t.is_closed()
    still_served(site, own)
    assert site.server.status(JOB, own[0])[0]["job_state"] == "R"


# What a task may say of its own job; command, body, code.
ASKED = [
    ("a vnode that is none", TASKS, "+7", NO_TASK),
    ("a vnode beyond all", TASKS, "210+4294967295", NO_TASK),
    ("a program on a vnode that is none", SPAWN, "+7+1" + string("/bin/true") + "+0", NO_TASK),
    ("no program", SPAWN, "+0+0+0", SYSTEM),
    ("a signal above all", SIGNAL, "+0+12+65", SYSTEM),
    ("a signal below 0", SIGNAL, "+0+1210+4294967287", SYSTEM),
    ("a task that is none", SIGNAL, "+0+2+9", NO_TASK),
    ("a task that is none to wait for", OBIT, "+0" + number(0x20000001), NO_TASK),
    ("what nobody has published", GETINFO, "+0+1" + string("k"), NO_TASK),
    ("more than a job may publish", POSTINFO, string("k") + string("x" * MIB), SYSTEM),
    ("a part that no MoM serves", REGISTER, "", MISSING),
    ("an unknown number", 99, "", UNKNOWN),
    ("an unknown number with a body", 108, "+1+2+3", UNKNOWN),
]


@pytest.mark.parametrize("story, command, body, code", ASKED, ids=[x[0] for x in ASKED])
def test_what_a_task_asks_in_vain(site, own, story, command, body, code):
    with Task(site, *own) as t:
        assert t.ask(command, body)[0] == code
        assert t.is_closed() if command == REGISTER else t.ask(INIT)[0] == 0


def test_who_never_reads_is_not_read_from(site, own):
    """Answers of a mebibyte each to a hundred questions: they are not made before there is room for them."""
    value = "v" * (MIB - 1000)
    with Task(site, *own) as t, Task(site, *own) as hungry:
        assert t.ask(POSTINFO, string("large") + string(value))[0] == 0
        before = memory_kib(site.mom)
        hungry.s.sendall(b"".join(hungry.message(GETINFO, "+0+1" + string("large")) for _ in range(100)))
        for _ in range(20):
            assert t.ask(INIT)[0] == 0
        assert memory_kib(site.mom) < before + 30 * 1024
        for _ in range(100):
            code, r = hungry.receive()
            assert code == 0 and r.string() == value


def memory_kib(daemon):
    with open("/proc/%d/status" % daemon.process.pid) as f:
        return int([x for x in f if x.startswith("VmRSS")][0].split()[1])


@pytest.fixture
def many_files():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_strangers_go_for_one_another(site, own, many_files):
    """Whoever shows a cookie is served beside any number of those who show none."""
    with contextlib.ExitStack() as stack:
        known = stack.enter_context(Task(site, *own))
        assert known.ask(INIT)[0] == 0
        crowd = [stack.enter_context(Task(site)) for _ in range(STRANGERS + 50)]
        still_served(site, own)
        assert known.ask(INIT)[0] == 0
        for t in crowd[:50]:
            t.s.settimeout(20)  # of those that say nothing each ends after 30 s
            assert t.is_closed()


def test_the_tasks_of_one_user_keep_no_others_out(site, own, other, many_files):
    with contextlib.ExitStack() as stack:
        crowd = []
        for _ in range(KNOWN):
            crowd.append(stack.enter_context(Task(site, *other)))
            assert crowd[-1].ask(INIT)[0] == 0
        crowd.append(stack.enter_context(Task(site, *other)))
        # One more of his is told so; one of somebody else takes the place of his newest.
        assert crowd[-1].ask(INIT)[0] == SYSTEM and crowd[-1].is_closed()
        with Task(site, *own) as t:
            assert t.ask(INIT)[0] == 0
            assert crowd[-2].is_closed()
            assert crowd[0].ask(INIT)[0] == 0
    site.mom.log_match("task_service;tasks of %s: too many connections, the newest is closed" % USER2)


@pytest.mark.parametrize("env, words", [
    ({"PBS_JOBCOOKIE": "0" * 32}, "17002: no MoM answers on this host, or it does not take"),
    ({"PBS_TASKNUM": "none"}, "17005: the job's variables (PBS_JOBID, "),
])
@pytest.mark.parametrize("command", [["pbsdsh", "true"], ["pbs_tmrsh", "h0", "true"]], ids=["pbsdsh", "pbs_tmrsh"])
def test_commands_say_what_is_wrong(site, own, command, env, words):
    told = site.run(command, check=False, env=dict(
        {"PBS_JOBID": own[0], "PBS_JOBCOOKIE": own[1], "PBS_NODENUM": "0", "PBS_TASKNUM": "1",
         "PBS_MOMPORT": str(site.ports["rm"]), "PBS_ENVIRONMENT": "PBS_BATCH"}, **env))
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.startswith("%s: tm_init returned %s" % (command[0], words))
