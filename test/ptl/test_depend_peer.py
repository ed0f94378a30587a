# SPDX-License-Identifier: Apache-2.0
"""A server of another make, played: what it says when a job here is to wait for one of its jobs, be
it nonsense."""
import contextlib
import socket
import threading

import pytest

from holdfast import *
from holdfast.peer import objects, packet, reply
from holdfast.two_servers import *
from holdfast.wire import string

pytestmark = needs_root

WAIT = "depend=afterok:7.gamma.localhost@gamma.localhost"


class Played:
    """It listens on TCP, and answers each request with what 'says' is at the moment."""

    def __init__(self):
        self.says = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "gamma.localhost:%d" % self.listener.getsockname()[1]
        self.acceptor = threading.Thread(target=self.accept, daemon=True)
        self.acceptor.start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                near = self.listener.accept()[0]
                threading.Thread(target=self.serve, args=(near,), daemon=True).start()

    def serve(self, near):
        with near, contextlib.suppress(OSError):
            while near.recv(4096):
                if self.says is None:
                    return
                near.sendall(self.says)

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.acceptor.join()
        self.listener.close()


@pytest.fixture(scope="module")
def asking():
    """alpha alone, and the server that it asks."""
    played = Played()
    a = Complex("alpha")
    a.other = played
    with a:
        yield a, played
    played.stop()


def refusal(code, text):
    return packet(reply(code=code, choice=7, body=string(text)))


NONSENSE = [
    ("closes", None, 162, "Connection reset by peer"),
    ("bytes", b"\xff" * 4000, 162, "Protocol error"),
    ("another protocol", b"HTTP/1.0 400 Bad Request\r\n\r\n", 162, "Protocol error"),
    ("a length beyond all bounds", b"PKTV1\0\0\xff\xff\xff\xff" + b"x" * 100, 162, "Protocol error"),
    ("no such reply", packet("+2+2+0+0+99+0"), 162, "Protocol error"),
    ("no such code", refusal(2 ** 31 - 1, "what"), 206, "Invalid Job Dependency"),
    ("a negative code", refusal(-5, "what"), 206, "Invalid Job Dependency"),
    ("a line of a log", refusal(15001, "no\n11/28/2026 00:00:00;0080;Svr;x;made up\x1b[2J"), 206,
     "Invalid Job Dependency"),
    ("very much", refusal(15001, "y" * 400000), 206, "Invalid Job Dependency"),
]


def test_nonsense_is_a_refusal(asking):
    """Exit status and words of qsub; no job is left, and the log has one short line of it."""
    a, played = asking
    for story, says, code, words in NONSENSE:
        played.says = says
        done = a.run(["qsub", "-W", WAIT, "--", "/bin/true"], user=USER1, check=False)
        assert (done.returncode, done.stdout) == (code, ""), (story, done.stderr)
        assert done.stderr.startswith("qsub: ") and words in done.stderr, (story, done.stderr)
    assert a.server.status(JOB) == []
    assert max(map(len, a.server.log_lines())) < 2000
    assert not any(line.startswith("11/28/2026 00:00:00;") for line in a.server.log_lines())


def test_what_says_no_more_than_yes_is_yes(asking):
    """A status where none was asked for: the job is registered, and waits."""
    a, played = asking
    played.says = packet(objects((2, "7.x", [("depend", None, "afterok:1.x", 0)])))
    jid = a.run(["qsub", "-W", WAIT, "--", "/bin/true"], user=USER1).stdout.strip()
    assert a.server.status(JOB, jid)[0]["job_state"] == "H"
    a.run(["qdel", jid])
