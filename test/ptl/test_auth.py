# SPDX-License-Identifier: Apache-2.0
"""Methods of plug-ins: munge says who a client is, TLS hides what it says."""
import os
import shutil
import signal
import socket
import struct
import subprocess

import pytest

from holdfast import *
from holdfast.munged import Munged
from holdfast.users import run_as
from holdfast.wire import Connection, string

TCP = {"PBS_LOCAL_SOCKET": "0"}


class AuthCluster(Cluster):
    more = {}

    def write_conf(self, **more):
        super().write_conf(**dict(self.more, **more))


@pytest.fixture(scope="module")
def site(munged):
    AuthCluster.more = dict(PBS_SUPPORTED_AUTH_METHODS="clusterkey,munge",
                            PBS_MUNGE_SOCKET=munged.socket)
    with AuthCluster(vnodes=1) as c:
        yield c


def munge_env(**more):
    return dict(TCP, PBS_AUTH_METHOD="munge", **more)


def authenticate(c, user, method="munge", encrypt=""):
    return c.vouch(user, 0, method, encrypt)


def token(c, data, kind=1):
    c.s.sendall(b"PKTV1\0" + bytes([kind]) + struct.pack(">I", len(data)) + data)


def answer(c):
    """(type, payload) of the next packet; None when the server has closed."""
    head = c.take(11)
    if not head:
        return None
    return head[6], c.take(struct.unpack(">I", head[7:])[0])


def status(c, user):
    return c.ask("+2+22+21" + string(user) + "+0+0+0")


def names():
    me = run_as(None)[1]["USER"]
    import grp
    import pwd
    return me, "%s:%s" % (me, grp.getgrgid(pwd.getpwnam(me).pw_gid).gr_name)


ME, MINE = names()


def test_commands_with_munge(site):
    """As whom munge says, root with root's rights."""
    for user in (None, USER2):
        assert site.run(["qstat", "-B"], user=user, env=munge_env()).stdout
    jid = site.run(["qsub", site.write_script(Job(script="#!/bin/sh\nsleep 1000\n"))], user=USER2,
                   env=munge_env()).stdout.strip()
    full = site.run(["qstat", "-f", jid], env=munge_env()).stdout
    assert "Job_Owner = %s@" % USER2 in full
    site.run(["qdel", jid], user=USER2, env=munge_env())
    if not ROOTLESS:
        site.run(["qmgr", "-c", "set server comment=x"], env=munge_env())
        done = site.run(["qmgr", "-c", "set server comment=y"], user=USER2, env=munge_env(),
                        check=False)
        assert "15007" in done.stderr


def test_the_conversation_is_the_captured_one(site, munged):
    """Connect, Authenticate, one token each way, requests (type 1 stays in the packets)."""
    with Connection(site.ports["server"]) as c:
        assert c.connect(ME).code == 0
        assert authenticate(c, ME).code == 0
        cred = munged.credential(MINE)
        assert cred.startswith(b"MUNGE:") and cred.endswith(b":\0")
        token(c, cred)
        assert answer(c) == (3, b"\0")
        token(c, ("+2+22+21" + string(ME) + "+0+0+0").encode(), kind=1)
        kind, payload = answer(c)
        assert payload.startswith(b"+2+2+0+0+6")
        token(c, ("+2+22+59" + string(ME)).encode(), kind=1)
        assert answer(c) is None


def test_the_munge_user_counts_not_the_header(site, munged):
    with Connection(site.ports["server"]) as c:
        assert authenticate(c, "somebody").code == 0
        token(c, munged.credential(MINE))
        assert answer(c) == (3, b"\0")
        assert status(c, ME).code == 0
        assert status(c, "somebody").code == 15019
        assert c.is_closed()


def refusal(site, data, kind=1, user=ME):
    with Connection(site.ports["server"]) as c:
        assert authenticate(c, user).code == 0
        token(c, data, kind)
        got = answer(c)
        assert got is None or c.is_closed()
        return got


def test_credentials_that_are_refused(site, munged):
    used = munged.credential(MINE)
    with Connection(site.ports["server"]) as c:
        assert authenticate(c, ME).code == 0
        token(c, used)
        assert answer(c)[0] == 3
    other = Munged()
    other.start()
    try:
        foreign = other.credential(MINE)
    finally:
        other.stop()
    failed = "MUNGE user-authentication on decode failed with `%s`"
    for data, words in ((used, failed % "Replayed credential"),
                        (foreign, failed % "Invalid credential"),
                        (b"MUNGE:nonsense:\0", failed % "Invalid credential version"),
                        (b"x", failed % "Invalid credential format"),
                        (munged.credential("somebody:else"), "User credentials do not match"),
                        (munged.credential(ME + "x:root"), "User credentials do not match"),
                        (munged.credential(""), "User credentials do not match")):
        kind, text = refusal(site, data)
        assert kind == 2
        assert text.decode() == words
    assert refusal(site, b"token", kind=2) is None
    assert refusal(site, b"token", kind=3) is None
    assert refusal(site, ("+2+22+21" + string(ME) + "+0+0+0").encode(), kind=0) is None
    site.server.log_match("handshake with 127.0.0.1 failed: " + failed % "Replayed credential")


@pytest.mark.skipif(ROOTLESS, reason="needs root: a uid without an account")
def test_a_uid_without_an_account_is_refused(site, munged):
    cred = subprocess.run(["munge", "-S", munged.socket, "-s", "x"], user=54321, check=True,
                          capture_output=True).stdout.strip() + b"\0"
    assert refusal(site, cred) == (2, b"Failed to obtain user-info for uid = 54321")


def test_what_clients_print(site, munged):
    port = site.ports["server"]
    done = site.run(["qstat", "-B"], env=munge_env(PBS_MUNGE_SOCKET="/nonexistent"), check=False)
    assert done.stderr.startswith("auth: error returned: 15019\nauth: MUNGE user-authentication on "
                                  "encode failed with `")
    assert done.stderr.endswith("qstat: cannot connect to server localhost (errno=15019)\n")
    other = Munged()
    other.start()
    try:
        done = site.run(["qstat", "-B"], env=munge_env(PBS_MUNGE_SOCKET=other.socket), check=False)
    finally:
        other.stop()
    assert done.stderr == ("auth: error returned: 15019\nauth: MUNGE user-authentication on decode "
                           "failed with `Invalid credential`\n"
                           "qstat: cannot connect to server localhost (errno=15019)\n")
    done = site.run(["qstat", "-B"], env=dict(TCP, PBS_AUTH_METHOD="gss"), check=False)
    assert done.stderr.startswith("Failed to load %s/lib/libauth_gss.so\n" % site.exec_dir)
    assert done.stderr.endswith("qstat: cannot connect to server localhost (errno=15010)\n")
    done = site.run(["qstat", "-B"], env=munge_env(PBS_ENCRYPT_METHOD="munge"), check=False)
    assert done.stderr.startswith("The given PBS_ENCRYPT_METHOD = munge does not support "
                                  "encrypt/decrypt of data\n")
    done = site.run(["qstat", "-B"], env=munge_env(PBS_ENCRYPT_METHOD="tls"), check=False)
    assert done.stderr.startswith("auth: error returned: 15029\n")
    assert port


@pytest.mark.parametrize("method,encrypt", [
    ("", ""), ("gss", ""), ("tls", ""), ("clusterkey", ""), ("../munge", ""), ("munge", "munge"),
    ("munge", "../tls"), ("munge", "tls"), ("resvport", ""), ("x" * 100, "")])
def test_methods_that_are_not_offered(site, method, encrypt):
    with Connection(site.ports["server"]) as c:
        reply = authenticate(c, ME, method, encrypt)
        assert reply.code == (15056 if not method else 15029)
        assert c.is_closed()


def test_a_munged_that_hangs_holds_up_nobody_else(site, munged):
    munged.process.send_signal(signal.SIGSTOP)
    waiting = []
    try:
        for _ in range(6):
            c = Connection(site.ports["server"])
            waiting.append(c)
            assert authenticate(c, ME).code == 0
            token(c, b"MUNGE:AwQF:\0")
        for _ in range(3):
            assert site.run(["qstat", "-B"]).stdout
        waiting.pop(0).s.close()
    finally:
        munged.process.send_signal(signal.SIGCONT)
    for c in waiting:
        assert answer(c)[0] == 2
        c.s.close()
    assert site.run(["qstat", "-B"], env=munge_env()).stdout


# TLS


def tls_setup(site, *args):
    subprocess.run([os.path.join(site.exec_dir, "sbin", "pbs_tls_setup"), *args], check=True)


class TlsCluster(AuthCluster):
    """Certificates in the usual place; once it is up, commands come over TLS."""

    over_tls = False

    def prepare(self):
        super().prepare()
        self.tls = os.path.join(self.home, "tls")
        self.authority = os.path.join(self.root, "authority")
        tls_setup(self, "ca", self.authority)
        tls_setup(self, "host", self.authority, "localhost,127.0.0.1", self.tls)
        os.chmod(self.tls, 0o755)

    def run(self, argv, env=None, **kwargs):
        usual = munge_env(PBS_ENCRYPT_METHOD="tls") if self.over_tls else {}
        return super().run(argv, env=dict(usual, **(env or {})), **kwargs)


@pytest.fixture(scope="module")
def secret(munged):
    AuthCluster.more = dict(PBS_SUPPORTED_AUTH_METHODS="clusterkey,munge,resvport",
                            PBS_MUNGE_SOCKET=munged.socket, PBS_ENCRYPT_METHOD="tls",
                            PBS_REQUIRE_ENCRYPTION="1")
    with TlsCluster(vnodes=1) as c:
        c.over_tls = True
        yield c


class Tap:
    """A TCP relay that keeps what passes it."""

    def __init__(self, to):
        self.to, self.seen = to, {"up": b"", "down": b""}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def run_one(self):
        import select
        a, _ = self.listener.accept()
        b = socket.create_connection(("127.0.0.1", self.to))
        while True:
            ready, _, _ = select.select([a, b], [], [], 60)
            for s in ready:
                data = s.recv(65536)
                if not data:
                    a.close()
                    b.close()
                    return
                self.seen["up" if s is a else "down"] += data
                (b if s is a else a).sendall(data)
            assert ready


def test_commands_with_tls(secret):
    users = (None,) if ROOTLESS else (None, USER2)
    for user in users:
        assert secret.run(["qstat", "-B"], user=user).stdout
    jid = secret.run(["qsub", secret.write_script(Job(script="#!/bin/sh\nsleep 1000\n"))],
                     user=USER2).stdout.strip()
    assert "Job_Owner = %s@" % USER2 in secret.run(["qstat", "-f", jid]).stdout
    secret.run(["qdel", jid])
    if not ROOTLESS:
        assert secret.run(["qstat", "-B"], user=USER2, env={"PBS_AUTH_METHOD": "resvport"}).stdout
        assert "15007" in secret.run(["qmgr", "-c", "set server comment=y"], user=USER2, check=False,
                                     env={"PBS_AUTH_METHOD": "resvport"}).stderr


def test_long_answers_and_scripts_with_tls(secret):
    """Many records in a packet, both ways."""
    big = "".join("# %d %s\n" % (i, "x" * 80) for i in range(3000))
    jid = secret.run(["qsub", secret.write_script(Job(script="#!/bin/sh\n" + big + "sleep 1000\n"))],
                     user=USER2).stdout.strip()
    secret.run(["qmgr", "-c", "set server comment=" + "y" * 30000], env={"PBS_LOCAL_SOCKET": "1"})
    out = secret.run(["qmgr", "-c", "list server"]).stdout
    assert out.replace("\n", "").replace("\t", "").replace(" ", "").count("y") > 30000
    secret.run(["qdel", jid], check=False)  # accounts without a home end it


def test_nothing_is_readable_on_the_way(secret):
    import threading
    tap = Tap(secret.ports["server"])
    t = threading.Thread(target=tap.run_one)
    t.start()
    done = secret.run(["qstat", "-f", "-B", "localhost:%d" % tap.port])
    t.join(60)
    assert "server_state" in done.stdout
    up, down = tap.seen["up"], tap.seen["down"]
    assert b"+35munge" not in up and b"munge" in up and b"tls" in up  # Authenticate itself
    for word in (b"MUNGE:", b"server_state", b"default_queue", ME.encode() + b"+0+0+0"):
        assert word not in up and word not in down
    assert len(down) > 1000


@pytest.mark.parametrize("method", ["munge", "resvport"])
def test_encryption_can_be_demanded(secret, method):
    if method == "resvport" and ROOTLESS:
        pytest.skip("needs root: reserved ports")
    done = secret.run(["qstat", "-B"], check=False,
                      env={"PBS_ENCRYPT_METHOD": "", "PBS_AUTH_METHOD": method})
    assert done.stderr.startswith("auth: error returned: %s\n" %
                                  ("15029" if method == "munge" else "-1"))
    secret.server.log_match("refused: it would not be encrypted")


def client_conf(cluster, name, **more):
    """Another pbs.conf, for a client only."""
    path = os.path.join(cluster.root, name)
    with open(cluster.conf) as f:
        text = f.read()
    with open(path, "w") as f:
        f.write(text + "".join("%s=%s\n" % kv for kv in more.items()))
    return {"PBS_CONF_FILE": path}


def tls_error(cluster, **env):
    done = cluster.run(["qstat", "-B"], env=env, check=False)
    lines = done.stderr.splitlines()
    assert lines[0] == "auth: error returned: 15019", done.stderr
    assert lines[-1] == "qstat: cannot connect to server localhost (errno=15019)"
    return lines[1]


def test_a_server_that_is_not_the_clusters_is_refused(secret):
    """Its certificate is of another authority, for another host, or out of date."""
    other = os.path.join(secret.root, "other")
    tls_setup(secret, "ca", other)
    env = client_conf(secret, "other.conf", PBS_TLS_CA=os.path.join(other, "ca.pem"))
    assert "certificate" in tls_error(secret, **env)
    env = client_conf(secret, "no.conf", PBS_TLS_CA="/nonexistent/ca.pem")
    assert tls_error(secret, **env) == \
        "auth: TLS: cannot read /nonexistent/ca.pem: No such file or directory"
    kept = os.path.join(secret.root, "kept")
    shutil.copytree(secret.tls, kept)
    try:
        tls_setup(secret, "host", secret.authority, "elsewhere", secret.tls)
        assert tls_error(secret).endswith("is refused: hostname mismatch")
        make_expired(secret)
        assert tls_error(secret).endswith("is refused: certificate has expired")
    finally:
        restore(kept, secret.tls)
    assert secret.run(["qstat", "-B"]).stdout


def make_expired(cluster):
    ext = os.path.join(cluster.root, "ext")
    with open(ext, "w") as f:
        f.write("subjectAltName=DNS:localhost\n")
    key, req = os.path.join(cluster.tls, "key.pem"), os.path.join(cluster.root, "req")
    openssl("req", "-new", "-key", key, "-subj", "/CN=localhost", "-out", req)
    openssl("x509", "-req", "-in", req, "-CA", os.path.join(cluster.authority, "ca.pem"), "-CAkey",
            os.path.join(cluster.authority, "ca.key"), "-days", "-1", "-set_serial", "7", "-extfile",
            ext, "-out", os.path.join(cluster.tls, "cert.pem"))


def openssl(*args):
    subprocess.run(["openssl", *args], check=True, capture_output=True)


def restore(kept, to):
    for name in ("key.pem", "cert.pem"):
        shutil.copy2(os.path.join(kept, name), os.path.join(to, name))
        os.utime(os.path.join(to, name))


@pytest.mark.parametrize("how,words", [
    ("open key", "mode 0644 lets others read or write the key"),
    ("no key", "No such file or directory"), ("no certificate", "No such file or directory"),
    ("garbage", "cert.pem: "), ("other key", "key.pem: key values mismatch")])
def test_a_server_with_wrong_files_says_so_in_its_log(secret, how, words):
    key, cert = (os.path.join(secret.tls, n) for n in ("key.pem", "cert.pem"))
    kept = os.path.join(secret.root, "kept-" + how.replace(" ", "-"))
    shutil.copytree(secret.tls, kept)
    try:
        if how == "open key":
            os.chmod(key, 0o644)
        elif how == "no key":
            os.unlink(key)
        elif how == "no certificate":
            os.unlink(cert)
        elif how == "garbage":
            with open(cert, "w") as f:
                f.write("nonsense\n")
        else:
            openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-out", key)
            os.chmod(key, 0o600)
        assert tls_error(secret) == "auth: TLS: this host has no usable certificate"
        secret.server.log_match("tls;TLS: ")
        assert any("tls;TLS: " in line and words in line for line in secret.server.log_lines())
    finally:
        restore(kept, secret.tls)
        os.chmod(key, 0o600)
    assert secret.run(["qstat", "-B"]).stdout


def test_bytes_that_are_not_tls(secret):
    with Connection(secret.ports["server"]) as c:
        assert authenticate(c, ME, "munge", "tls").code == 0
        token(c, b"\x16\x03\x01\x00\x05hello")
        kind, text = answer(c)
        assert kind == 2 and text.startswith(b"TLS: handshake failed: ")
        assert c.is_closed()
    assert secret.run(["qstat", "-B"]).stdout


def test_an_encryption_method_that_does_not_encrypt_is_no_start(munged):
    AuthCluster.more = dict(PBS_ENCRYPT_METHOD="munge")
    c = AuthCluster(vnodes=0)
    try:
        c.prepare()
        done = c.run([os.path.join(c.exec_dir, "sbin", "pbs_server"), "-N", "-t", "create"],
                     input="y\n", check=False)
        assert done.returncode != 0
        assert "The given PBS_ENCRYPT_METHOD = munge does not support encrypt/decrypt of data" in \
            done.stderr + c.read("server.out") + "".join(c.server.log_lines())
    finally:
        AuthCluster.more = {}
        c.stop()
        shutil.rmtree(c.root)
