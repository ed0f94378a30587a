# SPDX-License-Identifier: Apache-2.0
"""Bytes that no client should send: the sender alone suffers."""
import os
import socket
import struct

import pytest

from holdfast import *
from holdfast.services import wait_for


def packet(payload, magic=b"PKTV1\0"):
    return magic + b"\0" + struct.pack(">I", len(payload)) + payload


def local(cluster):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect(os.path.join(cluster.home, "ipc", "server.sock"))
    return s


def user():
    import pwd
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


@pytest.mark.parametrize("data,code", [
    (b"GET / HTTP/1.0\r\n\r\n", b"5+15056"),
    (packet(b""), b"5+15056"),
    (packet(b"+3+22+21%s+0+0+0" % ME), b"5+15056"),
    (packet(b"+2+32+21%s+0+0+0" % ME), b"5+15056"),
    (packet(b"+2+2+x"), b"5+15056"),
    (packet(b"+2+22+21-4root+0+0+0"), b"5+15056"),
    (packet(b"+2+202+21%s+0+0+0" % ME), b"5+15056"),
    (packet(b"+2+23+499%s+0" % ME), b"5+15005"),
    (packet(b"+2+2+8%s3+300" % ME + b"1" * 300 + b"+0"), b"5+15056"),
    (packet(b"+2+2+8%s+3a\0b+0" % ME), b"5+15056"),
], ids=["http", "empty", "protocol 3", "version 3", "no digit", "negative length",
        "leading zero", "unknown request", "job id too long", "NUL in a job id"])
def test_bad_bytes_get_their_code_and_an_end(cluster, data, code):
    s = local(cluster)
    s.sendall(data)
    reply = answer(s)
    assert code in reply, reply
    assert is_closed(s)
    assert cluster.host in cluster.run(["qstat", "-B"]).stdout


def test_somebody_elses_name_in_the_header_is_refused(cluster):
    s = local(cluster)
    s.sendall(packet(b"+2+22+21+6nobody+0+0+0"))
    assert b"5+15019" in answer(s)
    assert is_closed(s)


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
