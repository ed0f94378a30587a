# SPDX-License-Identifier: Apache-2.0
"""A method of somebody else's (plugin/auth_greet.c, built with the installed header alone)
in a running server and in commands: it works, it refuses, it misbehaves."""
import os
import subprocess

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.wire import Connection
from test_auth import ME, AuthCluster, answer, authenticate, status, token

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugin")
CC = os.environ.get("CC", "cc").split()
THREADS = 4  # of a method


class PluginCluster(AuthCluster):
    """PBS_EXEC is a directory of the test's own: the installation and two methods more."""

    def prepare(self):
        self.exec_dir = os.path.join(self.root, "exec")
        os.makedirs(os.path.join(self.exec_dir, "lib"))
        for name in os.listdir(self.prefix):
            if name != "lib":
                os.symlink(os.path.join(self.prefix, name), os.path.join(self.exec_dir, name))
        for name in os.listdir(os.path.join(self.prefix, "lib")):
            os.symlink(os.path.join(self.prefix, "lib", name),
                       os.path.join(self.exec_dir, "lib", name))
        for name in ("greet", "other"):
            subprocess.run([*CC, "-D_GNU_SOURCE", "-std=c17", "-Wall", "-Wextra", "-Werror", "-fPIC",
                            "-shared", "-I", os.path.join(self.prefix, "include"), "-o",
                            os.path.join(self.exec_dir, "lib", "libauth_%s.so" % name),
                            os.path.join(HERE, "auth_greet.c")], check=True)
        super().prepare()


@pytest.fixture(scope="module")
def site():
    AuthCluster.more = dict(PBS_SUPPORTED_AUTH_METHODS="clusterkey,resvport,greet,Other")
    try:
        with PluginCluster(vnodes=1) as c:
            yield c
    finally:
        AuthCluster.more = {}


def says(text, do=None, **more):
    env = dict(PBS_LOCAL_SOCKET="0", PBS_AUTH_METHOD="greet", GREET_SAY=text)
    return dict(env, GREET_DO=do or "") | more


def qstat(site, *args, **kwargs):
    return site.run(["qstat", "-B"], env=says(*args, **kwargs), check=False)


def failed(site, *args, **kwargs):
    """What people see, less the last line, which says what always is said."""
    done = qstat(site, *args, **kwargs)
    assert done.returncode != 0
    lines = done.stderr.splitlines()
    assert lines[0] == "auth: error returned: 15019", done.stderr
    assert lines[-1] == "qstat: cannot connect to server localhost (errno=15019)"
    return "\n".join(lines[1:-1])


def test_it_says_who_a_client_is(site):
    assert qstat(site, "hello " + ME).stdout
    assert qstat(site, "hello " + ME, PBS_AUTH_METHOD="OTHER").stdout
    jid = site.run(["qsub", site.write_script(Job(script="#!/bin/sh\nsleep 1000\n"))], user=USER2,
                   env=says("hello " + USER2)).stdout.strip()
    assert "Job_Owner = %s@" % USER2 in site.run(["qstat", "-f", jid]).stdout
    site.run(["qdel", jid], env=says("hello " + ME))
    site.server.log_match("greet;a token came")


def test_whom_it_names_counts(site):
    """Not whom the command says it is."""
    done = qstat(site, "hello somebody")
    assert done.returncode != 0 and not done.stdout
    with Connection(site.ports["server"]) as c:
        assert authenticate(c, ME, "greet").code == 0
        token(c, b"hello somebody")
        assert answer(c) == (1, b"who?")
        token(c, b"somebody")
        assert answer(c) == (3, b"\0")
        assert status(c, "somebody").code == 0
        assert status(c, ME).code == 15019
        assert c.is_closed()


@pytest.mark.parametrize("text,words", [
    ("refuse you are late", "you are late"),
    ("refuse \x07two\nlines\xe9", "?two?lines??"),
    ("mute", "Unknown auth error"),
    ("silent", "the method has nothing to say"),
    ("huge", "the method gave a token that is too long"),
    ("hello an@b", "the method names no user"),
    ("nobody", "the method names no user"),
    ("odd", "the method names no user"),
    ("blank", "the method names no user"),
    ("long" + "g" * 600, "the method names no user"),
], ids=lambda text: text.split()[0][:9])
def test_a_refusal_travels_and_is_logged_once(site, text, words):
    def lines():
        return [line for line in site.server.log_lines()
                if "handshake with 127.0.0.1 failed: " + words in line]
    before = len(lines())
    assert failed(site, text) == "auth: " + words
    wait_for("the log's line", lambda: len(lines()) == before + 1)
    assert qstat(site, "hello " + ME).stdout


def test_a_token_more_each_time_ends(site):
    assert failed(site, "garbage") == "auth: the server has closed the connection"
    site.server.log_match("handshake with 127.0.0.1 failed: too many tokens")


@pytest.mark.parametrize("do,words", [
    ("fail", "I would rather not"),
    ("none", "the method has nothing to say"),
    ("long", "the method gave a token that is too long"),
    ("close", "the server is gone"),
])
def test_a_clients_end_that_misbehaves(site, do, words):
    assert failed(site, "hello " + ME, do=do) == "auth: " + words
    assert qstat(site, "hello " + ME).stdout


def begin(site, text, method="greet"):
    c = Connection(site.ports["server"])
    assert authenticate(c, ME, method).code == 0
    token(c, text.encode())
    return c


def test_who_goes_during_the_handshake_leaves_nothing_behind(site):
    """The method is with a token whose connection is gone; those that wait behind it are
    passed over, and the next one is served."""
    def looked_at():
        return len([line for line in site.server.log_lines() if "greet;a token came" in line])
    path, before = os.path.join(site.root, "go-on"), looked_at()
    busy = [begin(site, "file " + path) for _ in range(THREADS)]
    wait_for("busy threads", lambda: looked_at() == before + THREADS)
    for _ in range(20):
        begin(site, "file " + path).s.close()
    for c in busy:
        c.s.close()
    late = begin(site, "file " + path)
    assert site.run(["qstat", "-B"]).stdout
    site.write("go-on", "")
    assert answer(late) == (3, b"\0")
    assert looked_at() <= before + THREADS + 1
    assert status(late, "root").code == 0
    late.s.close()


def test_it_encrypts():
    """For it to be in force it has to be in the server's settings: another cluster."""
    AuthCluster.more = dict(PBS_SUPPORTED_AUTH_METHODS="clusterkey,greet,resvport",
                            PBS_ENCRYPT_METHOD="greet", PBS_REQUIRE_ENCRYPTION="1")
    try:
        with PluginCluster(vnodes=0) as c:
            assert "server_state" in c.run(["qstat", "-f", "-B"], env=says("hello " + ME)).stdout
            assert failed(c, "refuse not you") == "auth: not you"
            if not ROOTLESS:  # the helper says who, the method encrypts
                env = says("hello " + ME, PBS_ENCRYPT_METHOD="greet")
                assert c.run(["qstat", "-B"], env=dict(env, PBS_AUTH_METHOD="resvport")).stdout
    finally:
        AuthCluster.more = {}


def test_a_method_that_hangs_holds_up_itself_alone(site):
    """More hang than it has threads: others are served, by other methods too. (Last: the
    method is of no use in this server any more.)"""
    held = [begin(site, "hang") for _ in range(THREADS + 2)]
    assert qstat(site, "hello " + ME, PBS_AUTH_METHOD="other").stdout
    assert site.run(["qstat", "-B"]).stdout
    if not ROOTLESS:
        assert qstat(site, "", PBS_AUTH_METHOD="resvport").stdout
    for c in held[1:]:
        c.s.close()
    if os.environ.get("HF_LONG"):  # 30 s
        assert answer(held[0]) is None
        site.server.log_match("handshake with 127.0.0.1 failed: not finished in time")
    held[0].s.close()
    assert site.server.is_up()


def test_the_server_ends_although_a_method_hangs(site):
    site.server.stop()
    site.server.start()
    assert qstat(site, "hello " + ME).stdout
