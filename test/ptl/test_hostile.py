# SPDX-License-Identifier: Apache-2.0
"""Bytes that no client should send: the sender alone suffers."""
import contextlib
import os
import pwd
import socket
import struct
import time

import pytest

from holdfast import *
from holdfast.services import Server, wait_for
from holdfast.wire import Connection, Reply, number, string


def packet(payload, magic=b"PKTV1\0"):
    return magic + b"\0" + struct.pack(">I", len(payload)) + payload


def local(cluster):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect(os.path.join(cluster.home, "ipc", "server.sock"))
    return s


def user():
    name = pwd.getpwuid(os.geteuid()).pw_name
    return b"+%d%s" % (len(name), name.encode())


def answer(s):
    """One reply's payload, b"" when the peer closed."""
    head = b""
    while len(head) < 11:
        got = s.recv(11 - len(head))
        if not got:
            return b""
        head += got
    want, body = struct.unpack(">I", head[7:])[0], b""
    while len(body) < want:
        got = s.recv(want - len(body))
        assert got
        body += got
    return body


def is_closed(s):
    try:
        return s.recv(1) == b""
    except ConnectionResetError:
        return True


STATUS = b"+2+22+21" + b"%s" + b"+0+0+0"


def test_half_a_request_delays_nobody_else(cluster):
    stalled = [local(cluster) for _ in range(3)]
    stalled[0].sendall(b"PKTV1\0\0")
    stalled[1].sendall(packet(STATUS % user())[:20])
    stalled[2].sendall(packet(b"+2+22+21")[:12])
    for _ in range(5):
        assert cluster.host in cluster.run(["qstat", "-B"]).stdout
    stalled[1].sendall(packet(STATUS % user())[20:])
    assert answer(stalled[1]).startswith(b"+2+2+0+0+6")
    for s in stalled:
        s.close()


ME = user()
USER = pwd.getpwuid(os.geteuid()).pw_name


def test_two_requests_in_one_packet_are_both_answered(cluster):
    s = local(cluster)
    s.sendall(packet((STATUS % user()) * 2))
    assert answer(s).startswith(b"+2+2+0+0+6")
    assert answer(s).startswith(b"+2+2+0+0+6")


def test_tcp_without_authentication_is_refused(cluster):
    with socket.create_connection(("127.0.0.1", cluster.ports["server"]), 60) as s:
        s.sendall(packet(STATUS % b"+4root"))
        assert b"5+15019" in answer(s)
        assert is_closed(s)


def test_garbage_to_the_router_ends_only_its_sender(cluster):
    with socket.create_connection(("127.0.0.1", cluster.ports["comm"]), 60) as s:
        s.sendall(os.urandom(4096))
        s.shutdown(socket.SHUT_WR)
        wait_for("the router's close", lambda: is_closed(s))
    jid = cluster.server.submit(Job())
    cluster.server.expect(JOB, {"job_state": "R"}, id=jid)


# One row for each row of wire.md 11.3, and for other requests that have ended servers. 'also' is what the answer may hold beside its code.

PROTOCOL, UNKNOWN, CREDENTIAL = 15056, 15005, 15019
PERMISSION = 15007


def head(number_, user=None, version="+2", protocol="+2"):
    return protocol + version + number(number_) + string(USER if user is None else user)


def job_id(text):
    return head(8) + string(text) + "+0"


def attr(name, value, size=None):
    real = len(name) + len(value) + 2
    return number(real if size is None else size) + string(name) + "+0" + string(value) + "+0"


def wanted(n, *attrs):
    return head(21) + "+0" + number(n) + "".join(attrs) + "+0"


HUGE = 4294967295
CLOSED, OPEN = True, False
ROWS = [
    ("text of another protocol", b"GET / HTTP/1.0\r\n\r\n", PROTOCOL, CLOSED),
    ("wrong magic at the last byte", b"PKTV1\1\0\0\0\0\4+2+2", PROTOCOL, CLOSED),
    ("an older magic", b"PKTV0\0\0\0\0\0\4+2+2", PROTOCOL, CLOSED),
    ("a packet of length 0", b"PKTV1\0\0\0\0\0\0", PROTOCOL, CLOSED),
    ("a packet of 4 GiB", b"PKTV1\0\0\xff\xff\xff\xff" + b"+2" * 500, PROTOCOL, CLOSED),
    ("protocol type 3", head(21, protocol="+3") + "+0+0+0", PROTOCOL, CLOSED),
    ("protocol type 0", head(21, protocol="+0") + "+0+0+0", PROTOCOL, CLOSED),
    ("protocol version 0", head(21, version="+0") + "+0+0+0", PROTOCOL, CLOSED),
    ("protocol version 1", head(21, version="+1") + "+0+0+0", 0, OPEN),
    ("protocol version 3", head(21, version="+3") + "+0+0+0", PROTOCOL, CLOSED),
    ("protocol version 3, an empty request", head(0, version="+3") + "+0", PROTOCOL, CLOSED),
    ("protocol version 4294967295", head(21, version=number(HUGE)) + "+0+0+0", PROTOCOL, CLOSED),
    ("no digit", "+2+2+x", PROTOCOL, CLOSED),
    ("no sign", "2222", PROTOCOL, CLOSED),
    ("a leading zero", "+2+202+21" + string(USER) + "+0+0+0", PROTOCOL, CLOSED),
    ("a negative request number", "+2+2-3" + string(USER) + "+0", PROTOCOL, CLOSED),
    ("a negative length of a string", "+2+22+21-4root+0+0+0", PROTOCOL, CLOSED),
    ("a number that is too large", "+2+2" + "3" + "225" + "1" * 25, PROTOCOL, CLOSED),
    ("counts of counts without end", "+2+2" + "9" * 60, PROTOCOL, CLOSED),
    ("a user name of 256 characters", head(21, user="u" * 256) + "+0+0+0", CREDENTIAL, CLOSED),
    ("a user name of 257 characters", head(21, user="u" * 257) + "+0+0+0", CREDENTIAL, CLOSED),
    ("a user name of 258 characters", head(21, user="u" * 258) + "+0+0+0", PROTOCOL, CLOSED),
    ("a user name that is empty", head(21, user="") + "+0+0+0", CREDENTIAL, CLOSED),
    ("a NUL in the user name", head(21, user="ro\0t") + "+0+0+0", PROTOCOL, CLOSED),
    ("another user's name", head(21, user="somebody") + "+0+0+0", CREDENTIAL, CLOSED),
    ("a job id of 276 characters", job_id("1" * 276), 15001, OPEN),
    ("a job id of 277 characters", job_id("1" * 277), PROTOCOL, CLOSED),
    ("a NUL in a job id", job_id("1\0" + "2"), PROTOCOL, CLOSED),
    ("bytes above 127 in a job id", job_id("1\xff\xfe"), 15001, OPEN),
    ("an attribute's size too small", wanted(1, attr("comment", "", 3)), PROTOCOL, CLOSED),
    ("an attribute's size of 0", wanted(1, attr("comment", "", 0)), PROTOCOL, CLOSED),
    ("an attribute's size too large", wanted(1, attr("server_state", "", 99)), 0, OPEN),
    ("an attribute's size of 4 GiB", wanted(1, attr("server_state", "", HUGE)), 0, OPEN),
    ("an unknown request number", head(77) + "+0", UNKNOWN, CLOSED),
    ("request number 4294967295", head(HUGE) + "+0", UNKNOWN, CLOSED),
    ("StatusSched with an unknown attribute",
     head(81) + "+0+1" + attr("nonsense", "") + "+0", 15002, OPEN),
    ("packet type 7", b"\7" + (head(21) + "+0+0+0").encode(), 0, OPEN),
]
TO_MOM_ONLY = [(54, "CopyFiles"), (55, "DelFiles")]


def frame(data):
    """Text is a message in a packet; bytes with a magic are as they are; other bytes are
    type and message."""
    if isinstance(data, str):
        return packet(data.encode("latin1"))
    if data[:1] in b"PG":
        return data
    return b"PKTV1\0" + data[:1] + struct.pack(">I", len(data) - 1) + data[1:]


def reply_of(s):
    data = answer(s)
    return Reply(data) if data else None


def rss_kb(pid):
    with open("/proc/%d/status" % pid) as f:
        return int(next(line for line in f if line.startswith("VmRSS")).split()[1])


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=1) as c:
        yield c


def rejects(site):
    return [line for line in site.server.log_lines() if ";req_reject;" in line]


@pytest.mark.parametrize("name,data,code,closes", ROWS, ids=[r[0] for r in ROWS])
def test_bad_input(site, name, data, code, closes):
    """Its code, the connection's fate, one line in the log; others go on."""
    before = len(rejects(site))
    with local(site) as s:
        s.sendall(frame(data))
        reply = reply_of(s)
        assert (reply.code, reply.aux) == (code, 0)
        if code == PROTOCOL:
            assert reply.choice == 1 and reply.text == ""
        if closes:
            assert is_closed(s)
        else:
            s.sendall(packet(STATUS % ME))
            assert reply_of(s).code == 0
    assert len(rejects(site)) == before + (code != 0)
    assert site.server.is_up()


@pytest.mark.parametrize("number_,name", TO_MOM_ONLY, ids=[n for _, n in TO_MOM_ONLY])
def test_requests_for_a_mom_are_unknown_to_the_server(site, number_, name):
    body = string("1.x") + string("u") + string("u") + string("g") + "+0" + "+0"
    with local(site) as s:
        s.sendall(packet((head(number_) + body + "+0").encode()))
        assert reply_of(s).code == UNKNOWN
        assert is_closed(s)


STRANGE = [
    ("a status", head(21, user="root") + "+0+0+0", CREDENTIAL),
    ("Manager", head(9, user="root") + "+2+0+0+1" + attr("comment", "x") + "+0", CREDENTIAL),
    ("an unknown request", head(77, user="root") + "+0", UNKNOWN),
    ("protocol version 3", head(21, user="root", version="+3") + "+0+0+0", PROTOCOL),
    ("FailOver 3", head(27, user="root") + "+3+0", CREDENTIAL),
    ("RegisterSched", head(98, user="root") + string("default") + "+0", CREDENTIAL),
    ("garbage", b"GET / HTTP/1.0\r\n\r\n", PROTOCOL),
    ("more than a stranger may say", b"PKTV1\0\0\0\1\0\1" + b"+" * 100, PROTOCOL),
    ("a string longer than its packet", "+2+22+21+5root", None),
]


@pytest.mark.parametrize("name,data,code", STRANGE, ids=[r[0] for r in STRANGE])
@pytest.mark.parametrize("reserved", [False, True], ids=["any port", "reserved port"])
def test_strangers(site, name, data, code, reserved):
    """Nobody is authenticated, and a port below 1024 has no rights."""
    if reserved and ROOTLESS:
        pytest.skip("needs root: reserved ports")
    with Connection(site.ports["server"], reserved=reserved) as c:
        c.s.sendall(frame(data))
        if code is None:  # the rest is waited for, by that connection alone
            assert site.run(["qstat", "-B"]).stdout
            c.s.shutdown(socket.SHUT_WR)
            code = PROTOCOL
        assert c.receive().code == code
        assert c.is_closed()
    assert site.server.is_up()


@pytest.mark.parametrize("body", ["23%s" + string("1.x") + "+0+0+0", "96%s+2+2" + string("1.x") + "+0+0"])
def test_who_asks_for_no_answer_gets_none_at_the_door_either(site, body):
    """AsyrunJob and ModifyJob_Async of somebody who is nobody: the connection ends, and nothing was said (wire.md 8.6)."""
    before = len(rejects(site))
    with Connection(site.ports["server"]) as c:
        c.send("+2+22+" + body % string("root"))
        assert c.is_closed()
    assert "code=15019" in rejects(site)[before]


@pytest.mark.parametrize("value", [0, 1, 2, 3, 4, 5, 99])
def test_failover_messages_of_somebody(site, value):
    with local(site) as s:
        s.sendall(packet((head(27) + number(value) + "+0").encode()))
        assert reply_of(s).code == PERMISSION
    assert site.server.is_up()
    assert site.run(["qstat", "-B"]).stdout


def test_huge_counts_take_no_memory(site):
    """Counts are promises: what has not come is not allocated."""
    before = rss_kb(site.server.process.pid)
    held = []
    for message in (head(100) + number(HUGE), head(93) + number(HUGE), head(21) + "+0" + number(HUGE),
                    head(8) + number(HUGE), head(9) + "+2+0" + number(1 << 30)):
        for _ in range(20):
            s = local(site)
            held.append(s)
            s.sendall(packet(message.encode()))
    s = local(site)
    held.append(s)
    s.sendall(b"PKTV1\0\0\3\xff\xff\xff" + b"+2+2")
    assert site.run(["qstat", "-B"]).stdout
    assert rss_kb(site.server.process.pid) - before < 50000
    for s in held:
        s.close()


@pytest.mark.skipif(ROOTLESS, reason="needs root: a second account")
def test_a_users_message_has_8_mib(site):
    """Root's may be longer; what is looked at takes time of all."""
    def head_of(n):
        return b"PKTV1\0\0" + struct.pack(">I", n)
    for s, most in ((held_by_user(site), 8 << 20), (local(site), 64 << 20)):
        s.settimeout(60)
        s.sendall(head_of(most))
        assert site.run(["qstat", "-B"]).stdout
        s.setblocking(False)
        with pytest.raises(BlockingIOError):
            s.recv(1)  # the rest is waited for
        s.close()
    for s, who, most in ((held_by_user(site), USER1, 8 << 20), (local(site), "root", 64 << 20)):
        s.settimeout(20)  # less than what the rest of a message has
        s.sendall(head_of(most + 1))
        assert reply_of(s).code == PROTOCOL
        assert is_closed(s)
        site.server.log_match("bad input from %s@%s: not a packet" % (who, socket.gethostname()))


def test_long_lists_of_a_user_keep_nobody_waiting_long(site):
    """Whatever is compared with each other in a request: these took minutes and gigabytes."""
    def resource(name, value):
        size = len("Resource_List") + len(name) + len(value) + 3
        return number(size) + string("Resource_List") + "+1" + string(name) + string(value) + "+0"
    names = ",".join("u%d@h" % i for i in range(60000))
    messages = [
        (head(16) + "+1" + attr("User_List", names) + "+0+0", 5),
        (head(16) + "+1" + resource("select", "+".join(["1:ncpus=1"] * 10000)) + "+0+0", 5),
        (head(100) + number(60000) + string("1.x") * 60000 + "+0", 11),
    ]
    for message, choice in messages:
        with local(site) as s:
            s.sendall(packet(message.encode()))
            assert reply_of(s).choice == choice
    assert rss_kb(site.server.process.pid) < 1000000


def test_delete_lists_are_always_answered(site):
    """An empty one too, once, and what follows on the connection as well."""
    with local(site) as s:
        s.sendall(packet((head(100) + "+0" + "+0").encode()))
        assert answer(s) == b"+2+2+0+0" b"2+11" b"+0+0"  # choice 11, no entries
        s.sendall(packet(STATUS % ME))
        assert reply_of(s).choice == 6


def test_every_message_cut_anywhere(site):
    """And its sender gone: nothing but that connection ends."""
    for message in (wanted(1, attr("server_state", "")), job_id("12.x")):
        data = packet(message.encode())
        for n in range(1, len(data), 3):
            with local(site) as s:
                s.sendall(data[:n])
                s.shutdown(socket.SHUT_WR)
                assert PROTOCOL == reply_of(s).code
                assert is_closed(s)
    assert site.server.is_up()


@pytest.mark.skipif(not os.environ.get("HF_LONG"), reason="30 s: HF_LONG=1")
def test_the_rest_of_a_message_has_30_seconds(site):
    """All at once; the answer is 15056 and the end. The helper's time is 2 minutes."""
    parts = [b"PKTV1\0\0", packet(STATUS % ME)[:-3], packet(head(21).encode()),
             packet(wanted(2, attr("server_state", ""))[:-2].encode()),
             packet((head(21) + "+0+0").encode())]
    held = [local(site) for _ in parts]
    for s, data in zip(held, parts):
        s.sendall(data)
    assert site.run(["qstat", "-B"]).stdout
    for s in held:
        assert reply_of(s).code == PROTOCOL
        assert is_closed(s)
        s.close()


class FewDescriptors(Server):
    def argv(self):
        return ["prlimit", "--nofile=160:160"] + super().argv()


class SmallCluster(Cluster):
    def __init__(self):
        super().__init__(vnodes=0)
        self.server = FewDescriptors(self)


def test_a_flood_of_connections_leaves_the_server_working():
    with SmallCluster() as c:
        held = []
        try:
            for i in range(400):
                s = socket.create_connection(("127.0.0.1", c.ports["server"]), 60)
                held.append(s)
                s.sendall(b"PKTV1\0" if i % 2 else b"")
                if i % 100 == 50:
                    assert c.run(["qstat", "-B"]).stdout
            assert c.run(["qstat", "-B"], user=USER2).stdout
            c.server.log_match("unauthenticated ones are dropped")
            crowded = [line for line in c.server.log_lines() if "ones are dropped" in line]
            assert len(crowded) == 1
        finally:
            for s in held:
                s.close()


@pytest.mark.skipif(ROOTLESS, reason="needs two accounts")
def test_the_connections_of_one_user_keep_nobody_else_out():
    """The server has 160 descriptors: 80 connections, of which one user has 21."""
    with SmallCluster() as c:
        held = []
        try:
            for _ in range(150):
                held.append(held_by_user(c))
            assert c.run(["qstat", "-B"]).stdout
            assert c.run(["qstat", "-B"], user=USER2).stdout
            refused = c.run(["qstat", "-B"], user=USER1, check=False)
            assert refused.returncode != 0
            assert "Too many open connections" in refused.stderr
            c.server.log_match("one more from %s: further ones of that user are refused" % USER1)
            # The refusals of the last ones may still be on their way.
            ended = set()

            def count_of_those_that_stay():
                ended.update(s for s in held if s not in ended and has_ended(s))
                return len(held) - len(ended)

            wait_for("21 connections that stay", lambda: count_of_those_that_stay() == 21)
        finally:
            for s in held:
                s.close()
        wait_for("that user being served again",
                 lambda: c.run(["qstat", "-B"], user=USER1, check=False).returncode == 0)


def has_ended(s):
    """Has the server told this connection that there is no room, and closed it?"""
    s.setblocking(False)
    try:
        return b"5+15033" in s.recv(100)
    except BlockingIOError:
        return False


def test_strangers_of_one_address_go_before_those_of_another():
    """20 strangers have room: a crowd from 127.0.0.2 goes before the one from 127.0.0.3."""
    with SmallCluster() as c:
        held = []
        try:
            address = ("127.0.0.1", c.ports["server"])
            lone = socket.create_connection(address, 60, ("127.0.0.3", 0))
            held.append(lone)
            for _ in range(60):
                held.append(socket.create_connection(address, 60, ("127.0.0.2", 0)))
            wait_for("the first of the crowd being dropped", lambda: is_closed(held[1]))
            lone.sendall(packet(STATUS % b"+4root"))
            assert b"5+15019" in answer(lone), "it was served, and not dropped"
        finally:
            for s in held:
                s.close()


def test_a_stranger_at_the_router_has_16_kib(site):
    """Before its JOIN: 64 MiB of each of 20 strangers were 1.2 GB of memory."""
    with socket.create_connection(("127.0.0.1", site.ports["comm"]), 60) as s:
        s.sendall(struct.pack(">IB", 16385, 7) + b"\0" * 100)
        wait_for("the router's close", lambda: is_closed(s))
    assert site.comm.is_up()


def held_by_user(c):
    """A connection to the local socket with an ordinary user's uid."""
    import pwd
    uid = pwd.getpwnam(USER1).pw_uid
    os.seteuid(uid)
    try:
        s = socket.socket(socket.AF_UNIX)
        s.connect(os.path.join(c.home, "ipc", "server.sock"))
        return s
    finally:
        os.seteuid(0)


ROUTER = [
    ("a packet of length 3", struct.pack(">IB", 3, 3)),
    ("type 0", struct.pack(">IB", 12, 0) + b"\0" * 7), ("type 9", struct.pack(">IB", 12, 9) + b"\0" * 7),
    ("DATA before JOIN", struct.pack(">IB", 64, 3) + b"\0" * 59),
    ("MCAST before JOIN", struct.pack(">IB", 44, 6) + b"\0" * 39),
    ("NOROUTE before JOIN", struct.pack(">IBB", 52, 4, 1) + b"\0" * 46),
    ("LEAVE before JOIN", struct.pack(">IB", 28, 2) + b"\0" * 23),
    ("a JOIN shorter than its addresses", struct.pack(">IBBBBB", 12, 1, 1, 1, 0, 5) + b"\0" * 3),
    ("2 GiB", struct.pack(">IB", 0x7fffffff, 3) + b"\0" * 59),
    ("ENCRYPTED_DATA", struct.pack(">IB", 32, 8) + b"\0" * 27),
]


@pytest.mark.parametrize("name,data", ROUTER, ids=[r[0] for r in ROUTER])
def test_bad_input_to_the_router(site, name, data):
    with socket.create_connection(("127.0.0.1", site.ports["comm"]), 60) as s:
        s.settimeout(60)
        s.sendall(data)
        s.shutdown(socket.SHUT_WR)
        wait_for("the router's close", lambda: is_closed(s))
    assert site.comm.is_up()


def test_the_cluster_works_after_all_that(site):
    jid = site.server.submit(Job(script="#!/bin/sh\nexit 0\n"))
    site.server.accounting_match(";E;%s" % jid)


# Texts that a terminal would obey, or that would begin another line.

OWNED = "x\x1b]0;owned\x07\x1b[2J\x0b\x0c\r\n11/21/2026 08:02:34;0002;forged"


@contextlib.contextmanager
def connected_as(cluster, user):
    """A local connection of that user: the kernel tells the uid of who connects."""
    account = pwd.getpwnam(user)
    before = os.getegid(), os.geteuid()
    os.setegid(account.pw_gid)
    os.seteuid(account.pw_uid)
    try:
        s = local(cluster)
    finally:
        os.seteuid(before[1])
        os.setegid(before[0])
    with s:
        yield s


def told(cluster, user, number_, body):
    """The reply to a request of 'user'."""
    with connected_as(cluster, user) as s:
        s.sendall(packet(("+2+2" + number(number_) + string(user) + body).encode("latin1")))
        return reply_of(s)


def attrs(**values):
    return number(len(values)) + "".join(attr(k, v) for k, v in values.items())


def unprintable(data):
    return sorted({c for c in data if c < 32 and c not in b"\n\t"})


def logs_of(cluster):
    for name in ("server_logs", "sched_logs", "mom_logs", "comm_logs", "server_priv/accounting"):
        directory = os.path.join(cluster.home, name)
        for day in os.listdir(directory):
            with open(os.path.join(directory, day), "rb") as f:
                yield name, f.read()


LOOKS = [["qstat"], ["qstat", "-a"], ["qstat", "-ns"], ["qstat", "-w"], ["qstat", "-f"],
         ["qstat", "-fw"], ["qstat", "-f", "-Fdsv"], ["qstat", "-f", "-Fjson"], ["qstat", "-Q"],
         ["qstat", "-Bf"], ["pbs_rstat"], ["pbs_rstat", "-f"], ["pbs_rstat", "-F"],
         ["pbsnodes", "-av"], ["pbsnodes", "-aS"], ["pbsnodes", "-l"], ["pbsnodes", "-a", "-Fdsv"],
         ["qmgr", "-c", "list server"], ["qmgr", "-c", "list node @default"]]


def test_no_text_of_a_user_speaks_to_a_terminal(cluster):
    """Names and values with control characters, in every place where somebody else reads them:
    logs, accounting, letters, and what commands print."""
    letters = cluster.letter_file()
    server = cluster.server
    server.manager(MGR_CMD_SET, NODE, {"state": "offline"}, id="vn[0]")
    for kind, name in (("+0", ""), ("+3", "vn[0]"), ("+1", "workq")):  # set, by a manager
        assert told(cluster, USER, 9, "+2" + kind + string(name) +
                    attrs(comment="c\x1b[2Jd") + "+0").code in (0, 15002)
    job = told(cluster, USER1, 1, string("") + string("") + attrs(
        project="p\x1b(0\n", Account_Name=OWNED, Mail_Points="abe",
        Variable_List="A=" + OWNED.replace("\n", "")) + "+1" + string(":C:"))
    assert job.code == 0
    now = int(time.time())
    resv = told(cluster, USER1, 70, string("") + string("") + attrs(
        Account_Name=OWNED, Authorized_Users=OWNED, reserve_start=str(now + 600), reserve_end=str(now + 900),
        Mail_Points="abce") + "+0")
    assert resv.code == 0
    rid = resv.text.split()[0]
    for bad in ("a@b\rBcc: eve", "a\x1b"):
        again = told(cluster, USER1, 70, string("") + string("") + attrs(
            Mail_Users=bad, reserve_start=str(now + 600), reserve_end=str(now + 900)) + "+0")
        assert again.code == 15014
    server.expect(RESV, {"reserve_state": (MATCH_RE, "RESV_CONFIRMED")}, id=rid)
    for who, what in (("\x1bq", "print"), ("q;\x1b", "queue")):  # refused, and told of
        told(cluster, USER1, 9, "+2+1" + string(who) + "+0+0")
    for argv in LOOKS:
        out = cluster.run(argv, check=False).stdout.encode()
        assert not unprintable(out), (argv, out)
    for name in ("Job_Name", "Reserve_Name"):
        assert told(cluster, USER1, 1 if name[0] == "J" else 70, string("") + string("") +
                    attrs(**{name: OWNED}) + "+0").code == 15014
    server.accounting_match(";Y;" + rid)
    server.log_match("comment = c^[[2Jd")
    for name, data in logs_of(cluster):
        assert not unprintable(data), name
        assert b"\n11/21/2026 08:02:34;0002;forged" not in data
    wait_for("a letter", lambda: "\n\n" in open(letters).read())
    with open(letters, "rb") as f:
        letter = f.read()
    assert b"Reservation Name:" in letter and not unprintable(letter)
