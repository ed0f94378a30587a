# SPDX-License-Identifier: Apache-2.0
"""qsub -W block=true: it waits for the end of its job and exits with its status (cli.md 3.9)."""
import contextlib
import os
import signal
import socket
import struct
import subprocess

import pytest

from holdfast import *
from holdfast.peer import attrs
from holdfast.services import wait_for
from holdfast.users import ROOTLESS, run_as
from holdfast.wire import number, string
from test_interactive import port_of
from test_long_requests import Caller

QUEUE_JOB = 1


@pytest.fixture(scope="module")
def cluster():
    with Cluster(vnodes=3) as c:
        yield c


def blocking(cluster, *words, alone=False):
    """A qsub that waits; its job is in .job. alone: in a network of its own."""
    kwargs, who = run_as(USER1)
    before = []
    if alone:
        before = ["unshare", "-n", "--", "setpriv", "--reuid", USER1, "--regid",
                  str(kwargs["group"]), "--init-groups", "--"]
        kwargs = {"cwd": kwargs["cwd"]}
    argv = [*before, os.path.join(cluster.exec_dir, "bin", "qsub"), "-W", "block=true", *words]
    p = subprocess.Popen(argv, env=dict(cluster.env(), **who), stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, **kwargs)
    p.job = p.stdout.readline().strip()
    return p


def ended(p):
    out, err = p.communicate(timeout=120)
    return p.returncode, out, err


@pytest.mark.parametrize("status", [0, 3, 255])
def test_the_status_of_the_job(cluster, status):
    p = blocking(cluster, "--", "/bin/sh", "-c", "exit %d" % status)
    assert ended(p) == (status, "", "")


def test_killed_by_a_signal(cluster):
    p = blocking(cluster, "--", "/bin/sh", "-c", "kill -9 $$")
    assert ended(p) == (265 & 0xff, "", "")


def test_the_job_shows_that_somebody_waits_and_not_where(cluster):
    p = blocking(cluster, "-h", "--", "/bin/true")
    job = cluster.server.status(JOB, id=p.job)[0]
    assert job["block"] == "True"
    cluster.run(["qrls", p.job], user=USER1)
    assert ended(p) == (0, "", "")


def test_quietly(cluster):
    done = cluster.run(["qsub", "-z", "-W", "block=true", "--", "/bin/sh", "-c", "exit 4"],
                       user=USER1, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (4, "", "")


@pytest.mark.parametrize("state", ["held", "running"])
def test_deleted(cluster, state):
    words = ["-h"] if state == "held" else []
    p = blocking(cluster, *words, "--", "/bin/sleep", "1000")
    if state == "running":
        cluster.server.expect(JOB, {"job_state": "R", "substate": 42}, id=p.job)
    cluster.server.delete(p.job)
    code, out, err = ended(p)
    assert (code, out) == (3, "")
    assert err.startswith("qsub: %s Job to be deleted at request of root@" % p.job)


@pytest.mark.parametrize("signo", [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM])
def test_interrupted(cluster, signo):
    p = blocking(cluster, "-h", "--", "/bin/true")
    p.send_signal(signo)
    assert ended(p) == (2, "Job %s is being deleted\n" % p.job,
                        "qsub: wait for job %s interrupted by signal %d\n" % (p.job, signo))
    wait_for("its end", lambda: not cluster.server.status(JOB, id=p.job))


def test_the_server_goes_meanwhile(cluster):
    p = blocking(cluster, "--", "/bin/sh", "-c", "sleep 3; exit 5")
    cluster.server.expect(JOB, {"job_state": "R", "substate": 42}, id=p.job)
    cluster.server.kill()
    assert p.poll() is None
    cluster.server.start()
    assert ended(p) == (5, "", "")


@pytest.mark.skipif(ROOTLESS, reason="a network of its own needs root")
@pytest.mark.parametrize("history", [True, False])
def test_a_call_that_does_not_get_through(cluster, history):
    """qsub asks the server now and then; here it is in a network where nobody reaches it."""
    cluster.server.manager(MGR_CMD_SET, SERVER, {"job_history_enable": history})
    p = blocking(cluster, "--", "/bin/sh", "-c", "exit 6", alone=True)
    cluster.server.accounting_match(";E;%s;" % p.job)
    code, out, err = ended(p)
    if history:
        assert (code, out, err) == (6, "", "")
    else:
        assert (code, out) == (3, "")
        assert err == "qsub: job %s has ended; its exit status is not known\n" % p.job
    cluster.server.manager(MGR_CMD_SET, SERVER, {"job_history_enable": "False"})


def packet(body):
    return b"PKTV1\0\0" + struct.pack(">I", len(body)) + body.encode("latin1")


def call(port, data):
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.settimeout(60)
        # Whoever hears nonsense may close before all of it was said.
        with contextlib.suppress(ConnectionError, OSError):
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            assert s.recv(1) == b""


@pytest.mark.parametrize("said, words", [
    (packet("+2"), "qsub: unknown protocol version 2\n"),
    (packet("+1" + string("99.other") + "+0+0"), "qsub: Unknown Job Identifier 99.other\n"),
    (packet("x"), "qsub: unknown protocol version -1\n"),
    (b"GET / HTTP/1.0\r\n\r\n", ""),
    (b"PKTV1\0\0\xff\xff\xff\xff", ""),
    (b"PKTV1\0\0\0\0\0\x05+1", ""),
    (b"", ""),
])
def test_calls_of_others(cluster, said, words):
    """They are told, and qsub goes on waiting."""
    p = blocking(cluster, "-h", "--", "/bin/sh", "-c", "exit 7")
    call(port_of(p.pid), said)
    assert p.poll() is None
    cluster.run(["qrls", p.job], user=USER1)
    assert ended(p) == (7, "", words)


def test_a_false_end_is_not_believed(cluster):
    p = blocking(cluster, "-h", "--", "/bin/sh", "-c", "exit 7")
    call(port_of(p.pid), packet("+1" + string(p.job) + "+0+0"))
    assert p.poll() is None
    cluster.run(["qrls", p.job], user=USER1)
    assert ended(p) == (7, "", "")


def test_what_is_cut_off(cluster):
    for rest, part in (("9+99", "message"), ("+0", "exitval")):
        p = blocking(cluster, "-h", "--", "/bin/true")
        call(port_of(p.pid), packet("+1" + string(p.job) + rest))
        assert ended(p) == (3, "", "qsub: Bad Request Protocol, %s\n" % part)
        cluster.server.delete(p.job)


def submit(cluster, port):
    body = "+0" + "+0" + attrs(("block", None, str(port), 0))
    caller = Caller(cluster, USER1)
    caller.send(QUEUE_JOB, body, ":C:")
    reply = caller.c.receive()
    return reply.code or reply.ids[0]


def test_bytes_of_a_call(cluster):
    """As PBS's qsub reads them; somebody who comes late is called again."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
        job = submit(cluster, port)
        cluster.server.accounting_match(";E;%s;" % job)
        s.listen()
        s.settimeout(60)
        server = s.accept()[0]
        body = "+1" + string(job) + "+0+0"
        got = b""
        while more := server.recv(4096):
            got += more
        assert got == b"PKTV1\0\0" + struct.pack(">I", len(body)) + body.encode()
        server.close()


def test_ports_of_services_are_refused(cluster):
    for port in (0, 22, 1023, 65536, -1):
        assert submit(cluster, port) == 15014
