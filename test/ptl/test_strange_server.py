# SPDX-License-Identifier: Apache-2.0
"""Our MoM below a server of another make, which is played byte by byte."""
import os
import pwd
import shutil
import tempfile

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.stranger import *
from holdfast.wire import Reply

pytestmark = pytest.mark.skipif(ROOTLESS, reason="plays a server from a reserved port")


@pytest.fixture
def cluster():
    c = Cluster()
    try:
        only_mom(c)
        yield c
    finally:
        c.__exit__(None, None, None)


@pytest.fixture
def server(cluster):
    with StrangeServer(cluster) as s:
        s.hello()
        yield s


@pytest.fixture
def folder():
    path = tempfile.mkdtemp(prefix="hf-strange-", dir="/tmp")
    entry = pwd.getpwnam(USER1)
    os.chown(path, entry.pw_uid, entry.pw_gid)
    yield path
    shutil.rmtree(path, ignore_errors=True)


JID = "7.strange"


def program_attrs(*argv):
    return dict(executable=argv[0],
                argument_list="".join("<jsdl-hpcpa:Argument>%s</jsdl-hpcpa:Argument>" % a
                                      for a in argv[1:]))


def read(path):
    with open(path) as f:
        return f.read()


def test_a_job_of_a_script(cluster, server, folder):
    out = os.path.join(folder, "out")
    code, choice, text = server.ask(
        queue_job(cluster, JID, USER1, group_of(USER1)),
        script("#!/bin/sh\necho hello\nexit 5\n"), request(COMMIT, string(JID)))
    assert (code, choice, text) == (0, 4, JID)
    server.runs(JID)
    assert server.ends(JID) == 5
    assert server.ask(copy_files(JID, USER1, 1, (1, JID + ".OU", "localhost:" + out))) == \
        (0, 1, None)
    assert read(out) == "hello\n"
    server.forget(JID)


def test_a_job_of_a_program_is_committed_at_once(cluster, server, folder):
    """No script, no credential, no earlier run: QueueJob with ":C:" is all there is."""
    mark = os.path.join(folder, "mark")
    answer = server.ask(queue_job(cluster, JID, USER1, group_of(USER1), extension=":C:",
                                  **program_attrs("/bin/touch", mark)))
    assert answer == (0, 4, JID)
    server.runs(JID)
    assert server.ends(JID) == 0
    assert os.path.exists(mark)
    server.forget(JID)


def test_files_are_staged_in_before_the_job_is_there(cluster, server, folder):
    source, dest = os.path.join(folder, "in"), os.path.join(folder, "staged")
    with open(source, "w") as f:
        f.write("data")
    os.chmod(source, 0o644)
    pair = (3, dest, "localhost:" + source)
    assert server.ask(copy_files(JID, USER1, 0, pair)) == (0, 1, None)
    assert read(dest) == "data"
    assert os.stat(dest).st_uid == pwd.getpwnam(USER1).pw_uid
    assert server.ask(copy_files(JID, USER1, 0, pair, kind=DEL_FILES)) == (0, 1, None)
    assert not os.path.exists(dest) and os.path.exists(source)
    code, _, text = server.ask(copy_files(JID, USER1, 0, (3, dest, "localhost:/no/such")))
    assert code == 15051 and "/no/such: No such file or directory" in text
    code, _, text = server.ask(copy_files(JID, "nobody-at-all", 0, pair))
    assert code == 15051 and "nobody-at-all" in text


def test_a_private_sandbox_is_another_bit_of_the_direction(cluster, server, folder, directories):
    out = os.path.join(folder, "out")
    server.ask(queue_job(cluster, JID, USER1, group_of(USER1), sandbox="PRIVATE"),
               script("#!/bin/sh\necho kept\n"), request(COMMIT, string(JID)))
    assert server.ends(JID) == 0
    assert server.ask(copy_files(JID, USER1, 3, (1, JID + ".OU", "localhost:" + out))) == \
        (0, 1, None)
    assert read(out) == "kept\n"
    server.forget(JID)


def test_output_of_an_earlier_run_is_continued(cluster, server, folder):
    """It comes between script and commit, from the host where the job ran before."""
    out = os.path.join(folder, "out")
    answer = server.ask(queue_job(cluster, JID, USER1, group_of(USER1)),
                        script("#!/bin/sh\necho second\n"),
                        script("fir", kind=MOVE_FILE, which=2),
                        script("st\n", seq=1, kind=MOVE_FILE, which=2),
                        request(COMMIT, string(JID)))
    assert answer == (0, 4, JID)
    assert server.ends(JID) == 0
    server.ask(copy_files(JID, USER1, 1, (1, JID + ".OU", "localhost:" + out)))
    assert read(out) == "first\nsecond\n"
    server.forget(JID)


def send_large(cluster, c, jid, text):
    reply = c.ask(queue_job(cluster, jid, USER1, group_of(USER1)))
    assert (reply.code, reply.choice, reply.ids) == (0, 2, [jid])
    for seq, at in enumerate(range(0, len(text), 65536)):
        assert c.ask(script(text[at:at + 65536], seq=seq)).code == 0
    reply = c.ask(request(COMMIT, string(jid)))
    assert (reply.code, reply.choice, reply.ids) == (0, 4, [jid])


def test_a_large_job_comes_to_the_service_port(cluster, server, folder):
    text = "#!/bin/sh\nwc -c < $0\n" + "# %s\n" % ("x" * 96) * 30000
    out = os.path.join(folder, "out")
    assert len(text) > 2 << 20
    with ServiceConnection(cluster) as c:
        c.log_in()
        send_large(cluster, c, JID, text)
        c.send("+2+2" + number(DISCONNECT) + string("root"))
        assert c.is_closed()
    server.runs(JID)
    assert server.ends(JID) == 0
    server.ask(copy_files(JID, USER1, 1, (1, JID + ".OU", "localhost:" + out)))
    server.forget(JID)
    assert int(read(out)) == len(text)


def test_half_a_large_job_is_none(cluster, server):
    with ServiceConnection(cluster) as c:
        c.log_in()
        assert c.ask(queue_job(cluster, JID, USER1, group_of(USER1))).code == 0
    answer = server.ask(queue_job(cluster, JID, USER1, group_of(USER1), extension=":C:",
                                  **program_attrs("/bin/true")))
    assert answer == (0, 4, JID)
    assert server.ends(JID) == 0
    server.forget(JID)


WRONG_TOKENS = [
    (lambda port: token(port + 1), "received incorrect auth token"),
    (lambda port: token(port, at=0), "received incorrect auth token"),
    (lambda port: token(port, inner_salt=b"x" * 15), "received incorrect auth token"),
    (lambda port: token(port)[:-3] + b"\0", "Failed to decrypt auth data"),
    (lambda port: b"\0", "failed to receive auth token"),
    (lambda port: b"x" * 5000, "failed to receive auth token"),
]


@pytest.mark.parametrize("make, words", WRONG_TOKENS)
def test_a_wrong_token_is_the_end(cluster, server, make, words):
    with ServiceConnection(cluster) as c:
        c.send_token(make(c.port))
        assert c.is_closed()
    cluster.mom.log_match(words)
    with ServiceConnection(cluster) as c:
        c.log_in()


def test_the_service_port_is_for_servers(cluster, server):
    with ServiceConnection(cluster, reserved=False) as c:
        c.send(queue_job(cluster, JID, USER1, group_of(USER1)))
        assert c.receive().code == 15019
        assert c.is_closed()
    with ServiceConnection(cluster, reserved=False) as c:
        c.send_token()
        assert c.is_closed()
    with ServiceConnection(cluster) as c:  # no token
        c.send(queue_job(cluster, JID, USER1, group_of(USER1)))
        assert c.receive().code == 15019
        assert c.is_closed()
    with ServiceConnection(cluster) as c:
        c.log_in()
        assert c.ask(request(21, string("") + "+0")).code == 15005
        c.s.sendall(b"nonsense, and no frame")
        assert c.is_closed()
    assert cluster.mom.is_up()


def test_many_idle_connections_leave_room_for_the_server(cluster, server):
    idle = [ServiceConnection(cluster, reserved=False) for _ in range(100)]
    try:
        with ServiceConnection(cluster) as c:
            c.log_in()
    finally:
        for c in idle:
            c.s.close()


def test_without_reserved_ports_nobody_is_served(cluster, server):
    cluster.mom.stop()
    cluster.write_conf(PBS_AUTH_METHOD="resvport", PBS_SUPPORTED_AUTH_METHODS="munge")
    cluster.mom.start()
    cluster.wait_port(cluster.ports["mom"], cluster.mom)
    with ServiceConnection(cluster) as c:
        c.send_token()
        assert c.is_closed()
