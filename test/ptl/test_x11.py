# SPDX-License-Identifier: Apache-2.0
"""qsub -I -X: X programs of a job and the user's X server, which is played (cli.md 3.8)."""
import os
import socket
import subprocess
import threading

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.users import run_as
from test_interactive import ended_with, gone, started, told

COOKIE = "0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def cluster():
    with Cluster(vnodes=2) as c:
        yield c


class Server:
    """It says "X " and back what it is told, to each who connects."""

    def __init__(self):
        for self.number in range(200, 300):
            try:
                self.socket = socket.create_server(("127.0.0.1", 6000 + self.number))
                break
            except OSError:
                continue
        self.n_callers = 0
        self.display = "localhost:%d.3" % self.number
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                s, _ = self.socket.accept()
            except OSError:
                return
            self.n_callers += 1
            threading.Thread(target=self.answer, args=(s,), daemon=True).start()

    @staticmethod
    def answer(s):
        with s:
            s.sendall(b"X ")
            while True:
                data = s.recv(65536)
                if not data:
                    break
                s.sendall(data)


def xauth(*words, check=True):
    kwargs, who = run_as(USER1)
    return subprocess.run(["xauth", *words], env=dict(who, PATH="/usr/bin:/bin"), text=True,
                          capture_output=True, check=check, **kwargs)


@pytest.fixture
def x11():
    server = Server()
    xauth("-q", "add", "unix:%d" % server.number, "MIT-MAGIC-COOKIE-1", COOKIE)
    yield server
    xauth("-q", "remove", "unix:%d" % server.number)
    server.socket.close()


# How a client begins: version 11.0, the name of the authorization and the cookie.
HELLO = ("b'l'+bytes([0,11,0,0,0,18,0,16,0,0,0])+b'MIT-MAGIC-COOKIE-1'+bytes(2)+bytes.fromhex('%s')"
         % COOKIE)
TALK = ("import os,socket;n=int(os.environ['DISPLAY'].split(':')[1].split('.')[0]);"
        "s=socket.create_connection(('localhost',6000+n));s.sendall(" + HELLO + ");"
        "a=s.recv(1);s.sendall(b'q'*300000);"
        "s.shutdown(1);a+=b''.join(iter(lambda:s.recv(65536),b''));print(a[:2],a[2:].count(b'q'))")


def listens(number):
    with open("/proc/net/tcp") as f:
        return any(line.split()[1].endswith(":%04X" % (6000 + number)) and line.split()[3] == "0A"
                   for line in f.readlines()[1:])


def test_a_program_reaches_the_users_server(cluster, x11):
    t = started(cluster, "-X", DISPLAY=x11.display)
    shown = cluster.server.status(JOB, t.job)[0]
    assert shown["forward_x11_port"] == "True"
    mine = cluster.run(["qstat", "-f", t.job], user=USER1).stdout
    assert COOKIE not in mine and "forward_x11_cookie" not in mine
    display = told(t, "echo $DISPLAY").strip()
    number = int(display.split(":")[1].split(".")[0])
    assert display == "localhost:%d.3" % number and number != x11.number
    assert ("/unix:%d  MIT-MAGIC-COOKIE-1  %s" % (number, COOKIE)) in told(t, "xauth list")
    for _ in range(2):
        assert told(t, '/usr/bin/python3 -c "%s"' % TALK).strip() == "b'X ' 300000"
    t.type("exit 0\n")
    assert t.end()[0] == 0
    ended_with(cluster, t.job, 0)
    wait_for("no display", lambda: not listens(number))
    xauth("-q", "remove", "unix:%d" % number)


def test_only_x_with_the_cookie_is_carried(cluster, x11):
    """What the MoM opens comes from a reserved port, and who chooses what is sent on one is root to
    a server: the port that X is to be carried to is the user's choice."""
    t = started(cluster, "-X", DISPLAY=x11.display)
    number = int(told(t, "echo $DISPLAY").split(":")[1].split(".")[0])
    for words in (b"+2+1+0+4root", b"l\0\x0b\0\0\0\x12\0\x10\0\0\0MIT-MAGIC-COOKIE-1\0\0" + bytes(16)):
        with socket.create_connection(("127.0.0.1", 6000 + number)) as s:
            s.settimeout(60)
            s.sendall(words)
            assert s.recv(1) == b""
    assert x11.n_callers == 0
    t.type("exit 0\n")
    assert t.end()[0] == 0
    xauth("-q", "remove", "unix:%d" % number)


def test_a_client_that_disappears_takes_the_display_along(cluster, x11):
    t = started(cluster, "-X", DISPLAY=x11.display)
    number = int(told(t, "echo $DISPLAY").split(":")[1].split(".")[0])
    assert listens(number)
    t.hang_up()
    gone(cluster, t.job)
    wait_for("no display", lambda: not listens(number))
    xauth("-q", "remove", "unix:%d" % number)


def test_without_it_there_is_no_display(cluster, x11):
    t = started(cluster, DISPLAY=x11.display)
    assert told(t, "echo =$DISPLAY=").strip() == "=="
    t.type("exit\n")
    t.end()


def refused(cluster, *words, **env):
    """From a terminal, as its own words."""
    from holdfast.terminal import Terminal
    t = Terminal(cluster, ["qsub", *words], user=USER1, **env)
    return t.end()


def test_what_is_refused(cluster, x11):
    code, text = refused(cluster, "-X", "--", "/bin/true", DISPLAY=x11.display)
    assert (code, text.strip()) == (1, "qsub: X11 Forwarding possible only for interactive jobs")
    code, text = refused(cluster, "-I", "-X")
    assert code == 2 and text.startswith("qsub: DISPLAY not set\r\nusage:")
    code, text = refused(cluster, "-I", "-X", "-v", "A=1,DISPLAY", DISPLAY=x11.display)
    assert (code, text.strip()) == (1, "qsub: invalid usage of incompatible option "
                                       "\u2013X with \u2013v DISPLAY")
    code, text = refused(cluster, "-I", "-X", DISPLAY="nonsense")
    assert (code, text.strip()) == (1, "qsub: DISPLAY is none: nonsense")
    code, text = refused(cluster, "-I", "-X", DISPLAY="localhost:59000")
    assert code == 1 and text.strip().endswith("qsub: xauth has no cookie for unix:59000")
    assert not cluster.server.status(JOB)
