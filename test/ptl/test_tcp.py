# SPDX-License-Identifier: Apache-2.0
"""Commands over TCP: pbs_iff vouches for them, and for nothing that is not the caller's."""
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys

import pytest

from holdfast import *
from holdfast.users import run_as
from holdfast.wire import Connection, open_as, string

pytestmark = pytest.mark.skipif(ROOTLESS, reason="needs root: reserved ports, a second account")

TCP = {"PBS_AUTH_METHOD": "resvport", "PBS_LOCAL_SOCKET": "0"}
OK = b"\0\0\0\0"
REFUSED = bytes.fromhex("ab3a000012000000") + b"Invalid credential"


class TcpCluster(Cluster):
    methods = "clusterkey,resvport"

    def write_conf(self, **more):
        super().write_conf(PBS_SUPPORTED_AUTH_METHODS=self.methods, **more)


@pytest.fixture(scope="module")
def site():
    with TcpCluster(vnodes=2) as c:
        yield c


def over_tcp(cluster, argv, user=USER2, **env):
    return cluster.run(argv, user=user, env=dict(TCP, **env), check=False)


def test_every_command_works_over_tcp(site):
    """As a second user; what the server notes is that user's."""
    script = site.write_script(Job(script="#!/bin/sh\nsleep 1000\n"))
    jid = over_tcp(site, ["qsub", script]).stdout.strip()
    rid = over_tcp(site, ["pbs_rsub", "-I", "30", "-R", Reservation.clock(3600), "-D", "600", "-l",
                          "select=1:ncpus=1"]).stdout.split()[0]
    for argv, word in ((["qstat"], jid[:10]), (["qstat", "-f", jid], "Job_Owner = %s@" % USER2),
                       (["qstat", "-B"], "localhost"), (["qstat", "-Q"], "workq"),
                       (["pbs_rstat"], rid[:10]), (["pbsnodes", "-av"], "vn[1]"),
                       (["pbs_rstat", "-f", rid], "Reserve_Owner = %s@" % USER2),
                       (["pbs_rdel", rid], ""), (["qdel", jid], ""),
                       (["qmgr", "-c", "list server"], "server_state")):
        done = over_tcp(site, argv)
        assert (done.returncode, done.stderr) == (0, ""), argv
        assert word in done.stdout, argv
    done = over_tcp(site, ["qmgr", "-c", "set server comment=x"])
    assert "qmgr: Error (15007) returned from server" in done.stderr
    assert over_tcp(site, ["qmgr", "-c", "set server comment=x"], user=None).returncode == 0


def test_tcp_is_used_when_asked_for(site):
    over_tcp(site, ["qstat", "-B"])
    site.server.log_match("Type 95 request received from %s@127.0.0.1" % USER2)


def other_exec(cluster, name, mode=None):
    """An installation directory with no pbs_iff, or one of that mode."""
    sbin = os.path.join(cluster.root, name, "sbin")
    os.makedirs(sbin, exist_ok=True)
    if mode:
        shutil.copy(os.path.join(cluster.exec_dir, "sbin", "pbs_iff"), sbin)
        os.chmod(os.path.join(sbin, "pbs_iff"), mode)
    return os.path.dirname(sbin)


@pytest.mark.parametrize("name,mode,first", [
    ("missing", None, ""), ("plain", 0o755, "pbs_iff: cannot connect to host\n"),
    ("unreadable", 0o700, "")])
def test_without_a_set_uid_helper_there_is_the_known_text(site, name, mode, first):
    prefix = other_exec(site, name, mode)
    words = first + "auth: error returned: -1\nauth: Unable to authenticate connection " \
        "(localhost:%d)\n" % site.ports["server"]
    for argv, last, code in (
            (["qstat"], "qstat: cannot connect to server localhost (errno=-1)\n", 255),
            (["pbs_rsub", "-D", "60"], "pbs_rsub: cannot connect to server localhost (errno=-1)\n",
             255),
            (["qmgr", "-c", "list server"], "qmgr: cannot connect to server \n", 3)):
        done = over_tcp(site, argv, PBS_EXEC=prefix)
        assert (done.stderr, done.returncode) == (words + last, code)


def test_an_administrator_can_turn_it_off():
    class Off(TcpCluster):
        methods = "clusterkey"
    with Off(vnodes=0) as c:
        done = over_tcp(c, ["qstat", "-B"])
        assert done.stderr.startswith("auth: error returned: -1\n")
        with Connection(c.ports["server"], reserved=True) as helper:
            assert helper.vouch("root", 1).code == 15029
        assert c.run(["qstat", "-B"], user=USER2).returncode == 0


# pbs_iff itself


def iff(cluster, argv, fd=None, user=USER1, stdout=subprocess.PIPE, **env):
    """(exit status, stdout, stderr); the descriptor keeps its number in the helper."""
    kwargs, who = run_as(user)
    done = subprocess.run([os.path.join(cluster.exec_dir, "sbin", "pbs_iff")] +
                          [str(a) for a in argv], stdin=subprocess.DEVNULL, stdout=stdout,
                          stderr=subprocess.PIPE,
                          env=dict(who, PBS_CONF_FILE=cluster.conf, **env), timeout=120,
                          pass_fds=[fd] if fd is not None else [], **kwargs)
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.fixture
def port(site):
    return site.ports["server"]


@pytest.fixture
def conn(port):
    with Connection(port, user=USER1) as c:
        yield c


def raw(c):
    """The port as the library passes it on."""
    return socket.htons(c.port)


@pytest.mark.parametrize("form", ["full", "without port", "address in the environment", "-i", "-i old"])
def test_the_forms_of_its_command_line(port, conn, site, form):
    fd, env = conn.s.fileno(), {}
    argv = ["localhost", port, fd, raw(conn)]
    if form in ("without port", "-i old"):
        argv.pop()
    if form == "address in the environment":
        env["PBS_IFF_CLIENT_ADDR"] = "127.0.0.1"
    if form.startswith("-i"):
        argv = ["-i", "127.0.0.1"] + argv
    assert iff(site, argv, fd, **env) == (0, OK, "")
    assert conn.ask("+2+22+21" + string(USER1) + "+0+0+0").code == 0


def test_who_is_vouched_for_is_who_started_it(port, conn, site):
    env = {"USER": "root", "LOGNAME": "root", "LD_PRELOAD": "/nonexistent.so"}
    fd = conn.s.fileno()
    assert iff(site, ["localhost", port, fd, raw(conn)], fd, **env)[:2] == (0, OK)
    assert conn.ask("+2+22+21+4root+0+0+0").code == 15019


def test_the_test_mode_vouches_for_itself(port, site):
    assert iff(site, ["-t", "localhost", port]) == (0, OK, "")
    assert iff(site, ["-t", "-i", "127.0.0.1", "localhost", port])[:2] == (1, b"")
    assert iff(site, ["--version"])[1].startswith(b"pbs_version = 23.06.06\n")


def test_a_refusal_is_passed_on(port, site):
    with open_as(port, USER2) as c:
        fd = c.s.fileno()
        assert iff(site, ["localhost", port, fd, raw(c)], fd) == (1, REFUSED, "")


def test_another_connection_is_not_vouched_for(port, conn, site):
    """The descriptor is ours, the port is somebody else's."""
    with Connection(port) as other:
        fd = other.s.fileno()
        for argv, word in ((["localhost", port, fd, raw(conn)], "another port"),
                           (["-i", "127.0.0.2", "localhost", port, fd, raw(other)], "another address"),
                           (["-i", "x", "localhost", port, fd, raw(other)], "another address"),
                           (["localhost", port + 1, fd, raw(other)], "not connected to that server")):
            code, out, err = iff(site, argv, fd)
            assert (code, out) == (1, b"") and word in err, argv
    assert conn.ask("+2+22+21" + string(USER1) + "+0+0+0").code == 15019


def test_a_socket_of_another_network_proves_nothing(port, conn, site):
    """In a network of one's own any address and port can be had."""
    ours, theirs = socket.socketpair()
    child = subprocess.Popen(
        ["unshare", "-n", sys.executable, "-c", ELSEWHERE, str(theirs.fileno()), str(port),
         str(conn.port)], pass_fds=[theirs.fileno()], stdin=subprocess.PIPE)
    try:
        theirs.close()
        _, fds, _, _ = socket.recv_fds(ours, 1, 1)
        with socket.socket(fileno=fds[0]) as s:
            assert s.getsockname() == conn.s.getsockname()
            assert s.getpeername() == conn.s.getpeername()
            code, out, err = iff(site, ["localhost", port, fds[0], raw(conn)], fds[0])
            assert (code, out) == (1, b"") and "another network" in err
    finally:
        child.stdin.close()
        child.wait()
        ours.close()


ELSEWHERE = """
import fcntl, socket, struct, sys
out, port, own = (int(a) for a in sys.argv[1:])
listener = socket.socket()
fcntl.ioctl(listener, 0x8914, struct.pack("16sh14x", b"lo", 0x49))
listener.bind(("127.0.0.1", port))
listener.listen()
s = socket.socket()
s.bind(("127.0.0.1", own))
s.connect(("127.0.0.1", port))
socket.send_fds(socket.socket(fileno=out), [b"x"], [s.fileno()])
sys.stdin.read()
"""


def test_what_is_no_connection_is_refused(port, site):
    with open("/dev/null") as null, socket.socket() as idle, socket.socket(socket.AF_UNIX) as local, \
            socket.socket(type=socket.SOCK_DGRAM) as udp:
        udp.connect(("127.0.0.1", port))
        for thing, code in ((null, 3), (idle, 1), (local, 1), (udp, 1)):
            fd = thing.fileno()
            assert iff(site, ["localhost", port, fd], fd)[:2] == (code, b"")
    assert iff(site, ["localhost", port, 77])[:2] == (3, b"")


@pytest.mark.parametrize("argv", [
    [], ["localhost"], ["localhost", "15001"], ["localhost", "0", "3"], ["localhost", "65536", "3"],
    ["localhost", "15001x", "3"], ["localhost", "-1", "3"], ["localhost", "15001", "-1"],
    ["localhost", "15001", "99999999999999999999"], ["localhost", "15001", "3", "0"],
    ["localhost", "15001", "3", "70000"], ["localhost", "15001", "3", "1", "2"], ["-x"], ["-t"],
    ["-t", "localhost", "15001", "3"], ["", "15001", "3"], ["h" * 256, "15001", "3"], ["-i"]])
def test_a_wrong_command_line_says_nothing_on_stdout(site, argv):
    code, out, err = iff(site, argv)
    assert (code, out) == (1, b"") and err


def test_its_other_ends(port, conn, site):
    fd = conn.s.fileno()
    code, out, err = iff(site, ["no.such.host.invalid", port, fd], fd)
    assert (code, out, err) == (1, b"", "pbs_iff: unknown host no.such.host.invalid\n")
    assert iff(site, ["localhost", port, fd], fd, PBS_ENCRYPT_METHOD="x" * 101)[:2] == (1, b"")
    # any refusal but 15019
    assert iff(site, ["localhost", port, fd], fd, PBS_ENCRYPT_METHOD="tls")[:2] == (2, b"")
    done = subprocess.run([os.path.join(site.exec_dir, "sbin", "pbs_iff"), "localhost", str(port),
                           str(fd)], pass_fds=[fd], user=54321, capture_output=True,
                          env={"PBS_CONF_FILE": site.conf})
    assert (done.returncode, done.stdout) == (3, b"")


def test_stdout_is_no_terminal(port, conn, site):
    master, slave = pty.openpty()
    fd = conn.s.fileno()
    code, _, err = iff(site, ["localhost", port, fd], fd, stdout=slave)
    os.close(master)
    os.close(slave)
    assert (code, err) == (1, "pbs_iff: output is a tty & not test mode\n")


def fake_server():
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.listen()
    return s, s.getsockname()[1]


class Ours:
    """Something else that listens, and pbs.conf that makes it the server."""

    def __init__(self, site, listener, port, **more):
        self.exec_dir, self.listener, self.port = site.exec_dir, listener, port
        self.conf = self.write(site, "iff-%d.conf" % port, PBS_HOME=site.home,
                               PBS_EXEC=site.exec_dir, PBS_SERVER="localhost",
                               PBS_BATCH_SERVICE_PORT=port, **more)

    @staticmethod
    def write(site, name, **values):
        return site.write(name, "".join("%s=%s\n" % kv for kv in values.items()))

    def start(self, user, fd):
        """The helper; nobody waits for it."""
        kwargs, who = run_as(user)
        return subprocess.Popen(
            [os.path.join(self.exec_dir, "sbin", "pbs_iff"), "localhost", str(self.port), str(fd)],
            pass_fds=[fd], env=dict(who, PBS_CONF_FILE=self.conf), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **kwargs)


def test_it_talks_to_the_configured_server_only(site):
    """To a server of somebody's own it says nothing, and has no port to hold for it."""
    listener, where = fake_server()
    with listener, Connection(where, user=USER1) as c:
        listener.accept()[0].close()
        listener.settimeout(0)
        fd = c.s.fileno()
        code, out, err = iff(site, ["localhost", where, fd], fd)
        assert (code, out) == (1, b"")
        assert "127.0.0.1:%d is not the server of %s" % (where, site.conf) in err
        code, out, err = iff(site, ["-t", "localhost", where])
        assert (code, out) == (1, b"") and "is not the server of" in err
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_others_can_be_named(site, port, conn):
    fd = conn.s.fileno()
    for names, code in (("elsewhere.invalid,localhost:%d" % port, 0), ("localhost:%d" % (port + 1), 1),
                        ("localhost", 1)):
        other = Ours(site, None, port + 1, PBS_IFF_SERVERS=names)
        assert iff(other, ["localhost", port, fd], fd)[0] == code, names


def test_settings_of_a_users_own_do_not_count(site, port, conn):
    """Whoever may write the file could name a server of his own."""
    fd = conn.s.fileno()
    uid = run_as(USER1)[0]["user"]
    ours = Ours(site, None, port)
    for change in (lambda: os.chmod(ours.conf, 0o646), lambda: os.chown(ours.conf, uid, 0),
                   lambda: os.chmod(ours.conf, 0o664) or os.chown(ours.conf, 0, uid)):
        os.chmod(ours.conf, 0o644)
        os.chown(ours.conf, 0, 0)
        assert iff(ours, ["localhost", port, fd], fd)[0] == 0
        change()
        code, out, err = iff(ours, ["localhost", port, fd], fd)
        assert (code, out) == (1, b"") and "others than root could have written it" in err
    for path in ("/nonexistent", "/dev/null", "/"):
        ours.conf = path
        assert iff(ours, ["localhost", port, fd], fd)[:2] == (1, b"")
    # an environment is no settings file
    listener, where = fake_server()
    with listener, Connection(where, user=USER1) as c:
        assert iff(site, ["localhost", where, c.s.fileno()], c.s.fileno(), PBS_SERVER="localhost",
                   PBS_BATCH_SERVICE_PORT=str(where))[0] == 1


def test_a_user_has_a_few_reserved_ports_at_a_time(site):
    """Also one who stops the helper while it has one; others get theirs."""
    listener, where = fake_server()
    ours = Ours(site, listener, where)
    helpers, peers = [], []
    with listener, Connection(where, user=USER1) as c, Connection(where, user=USER2) as d:
        peers += [listener.accept()[0], listener.accept()[0]]
        try:
            for _ in range(8):
                helpers.append(ours.start(USER1, c.s.fileno()))
                peers.append(listener.accept()[0])
                helpers[-1].send_signal(signal.SIGSTOP)
            ninth, other = ours.start(USER1, c.s.fileno()), ours.start(USER2, d.s.fileno())
            helpers += [ninth, other]
            peers.append(listener.accept()[0])  # the other user's
            assert peers[-1].recv(1) == b"P"
            # who has no place gives up, and who is not answered
            for helper, end in (
                    (ninth, (4, b"", b"pbs_iff: 8 others of this user are under way\n")),
                    (other, (2, b"", b"pbs_iff: no answer from the server\n"))):
                out, err = helper.communicate(timeout=60)
                assert (helper.returncode, out, err) == end
            helpers[0].kill()
            helpers[0].wait()
            helpers.append(ours.start(USER1, c.s.fileno()))
            peers.append(listener.accept()[0])
            assert peers[-1].recv(1) == b"P"
        finally:
            for p in helpers:
                p.kill()
                p.communicate()
            for s in peers:
                s.close()


def test_a_server_that_is_gone_or_talks_nonsense(site):
    listener, where = fake_server()
    ours = Ours(site, listener, where)
    with listener, Connection(where) as c:
        accepted = [listener.accept()[0]]
        fd = c.s.fileno()
        kwargs, _ = run_as(USER1)
        helper = ours.start(USER1, fd)
        peer, address = listener.accept()
        assert 512 <= address[1] < 1024
        assert peer.recv(1) == b"P"  # rights are gone before it says anything
        with open("/proc/%d/status" % helper.pid) as f:
            ids = [line.split()[1:] for line in f if line.startswith(("Uid", "Gid"))]
        peer.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
        assert helper.communicate()[0] == b"" and helper.returncode == 2
        assert ids == [[str(kwargs["user"])] * 4, [str(kwargs["group"])] * 4]
        listener.close()
        assert iff(ours, ["localhost", where, fd], fd) == \
            (4, b"", "pbs_iff: cannot connect to host\n")
        for s in accepted + [peer]:
            s.close()
