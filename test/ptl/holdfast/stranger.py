# SPDX-License-Identifier: Apache-2.0
"""A server of another make, played byte by byte towards our MoM: a leaf at the router,
and connections to the MoM's service port (tpp.md 2, 5 and 6, wire.md 13)."""
import os
import socket
import struct
import subprocess
import time

from .peer import attrs, packet
from .services import DEADLINE, ExpectError
from .wire import TIMEOUT, Connection, Reader, number, string

JOIN, LEAVE, DATA, CLOSE = 1, 2, 3, 5
(CMD, CMD_REPLY, RESCUSED, JOBOBIT, OBITREPLY, REPLYHELLO, REGISTERMOM, CHECKSUMS,
 HELLOSVR) = 1, 2, 5, 6, 7, 8, 11, 20, 22
QUEUE_JOB, SCRIPT, COMMIT, DELETE_JOB, SIGNAL, COPY, DEL_FILES, MOVE_FILE, DISCONNECT = (
    1, 3, 5, 6, 18, 54, 55, 57, 59)


def address(port):
    return socket.inet_aton("127.0.0.1") + bytes(12) + struct.pack(">HBB", port, 0, 0)


def request(kind, body, extension=None):
    """A batch request of root."""
    return ("+2+2" + number(kind) + string("root") + body +
            ("+1" + string(extension) if extension else "+0"))


def job_attrs(cluster, jid, user, group, **more):
    """What such a server sends at least (tpp.md 6.3)."""
    values = {"Job_Name": "strange", "Job_Owner": user + "@localhost", "queue": "workq",
              "server": jid.split(".", 1)[1], "Checkpoint": "u", "Join_Path": "oe",
              "Keep_Files": "n", "Error_Path": "localhost:/dev/null",
              "Output_Path": "localhost:/dev/null",
              "exec_host2": "localhost:%d/0" % cluster.ports["mom"],
              "exec_vnode": "(localhost:ncpus=1)", "schedselect": "1:ncpus=1",
              "Variable_List": "PBS_O_HOME=/tmp,PBS_O_WORKDIR=/tmp", "euser": user,
              "egroup": group, "hashname": jid, "run_count": "1", "run_version": "5",
              "project": "x"}
    values.update(more)
    entries = [(k, None, v, 0) for k, v in values.items()]
    return attrs(*entries, ("Resource_List", "ncpus", "1", 10))


def queue_job(cluster, jid, user, group, extension=None, **more):
    return request(QUEUE_JOB, string(jid) + string("localhost") +
                   job_attrs(cluster, jid, user, group, **more), extension)


def script(text, seq=0, kind=SCRIPT, which=0, jid=""):
    return request(kind, number(seq) + number(which) + number(len(text)) + string(jid) +
                   string(text))


def copy_files(jid, user, direction, *pairs, kind=COPY):
    """(flag, local, remote) each."""
    return request(kind, string(jid) + string(user) + string(user) + string("") +
                   number(direction) + number(len(pairs)) +
                   "".join(number(f) + string(a) + string(b) for f, a, b in pairs))


class StrangeServer:
    """Registered at the router as the server that the MoM knows. Say hello() first."""

    def __init__(self, cluster):
        self.cluster, self.buffer, self.inbox = cluster, b"", []
        self.s = Connection.connect_reserved(cluster.ports["comm"], "127.0.0.1")
        self.s.settimeout(TIMEOUT)
        self.me, self.mom, self.counter = address(cluster.ports["server"]), None, 0
        self.send_packet(JOIN, b"\x01\x02\x00\x01" + bytes(3) + self.me)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.s.close()

    def send_packet(self, kind, rest):
        self.s.sendall(struct.pack(">IB", len(rest) + 5, kind) + rest)

    def send(self, text):
        data = packet(text)
        sd, magic, peer = self.mom
        self.send_packet(DATA, bytes(3) + struct.pack(">IIII", magic, 3, sd, len(data)) +
                         self.me + peer + data)

    def read_packet(self, until):
        while True:
            if len(self.buffer) >= 4:
                size = struct.unpack(">I", self.buffer[:4])[0]
                if len(self.buffer) >= size:
                    data, self.buffer = self.buffer[:size], self.buffer[size:]
                    return data
            if time.monotonic() > until:
                raise ExpectError("no message; others: %s" % self.inbox)
            self.s.settimeout(max(0.01, until - time.monotonic()))
            try:
                more = self.s.recv(65536)
            except socket.timeout:
                continue
            if not more:
                raise ExpectError("the router has closed")
            self.buffer += more

    def take_packet(self, until):
        data = self.read_packet(until)
        if data[4] != DATA or len(data) == 64:
            return
        magic, sd = struct.unpack(">II", data[8:16])
        r = Reader(data[64 + 11:].decode("latin1"))
        assert (r.number(), r.number()) == (4, 4)
        command = r.number()
        if command == HELLOSVR:
            self.mom = (sd, int(time.time()), data[24:44])
        self.inbox.append((command, r.data[r.at:]))

    def expect(self, command, match=lambda body: True, deadline=DEADLINE):
        """The body of the next message of that kind that matches; others stay."""
        until = time.monotonic() + deadline
        while True:
            for i, (kind, body) in enumerate(self.inbox):
                if kind == command and match(body):
                    del self.inbox[i]
                    return body
            self.take_packet(until)

    def hello(self):
        self.expect(HELLOSVR)
        self.send("+4+4+8+1+0")  # inventory wanted, no address ranges
        self.expect(REGISTERMOM)

    def msgid(self):
        self.counter += 1
        return "%d:%d" % (time.time(), self.counter)

    def command(self, *requests):
        """All under one message number; that number."""
        msgid = self.msgid()
        for rq in requests:
            self.send("+4+4+1" + string(msgid) + rq)
        return msgid

    def answer(self, msgid):
        """(code, choice, text) of the answer."""
        r = Reader(self.expect(CMD_REPLY, lambda body: body.startswith(string(msgid))))
        r.string()
        code, _, choice, _ = r.number(), r.number(), r.number(), r.number()
        return code, choice, r.string() if r.at < len(r.data) else None

    def ask(self, *requests):
        return self.answer(self.command(*requests))

    def runs(self, jid):
        """Wait for its session, which is what makes a job run for such a server."""
        return self.expect(RESCUSED, lambda body: string(jid) in body and "session_id" in body)

    def ends(self, jid):
        """Wait for its obituary and acknowledge it; the exit status."""
        r = Reader(self.expect(JOBOBIT, lambda body: string(jid) in body))
        assert r.number() == 1 and r.string() == jid
        assert r.number() == 0
        status = r.number()
        assert r.number() == 5  # run_version
        self.send("+4+4+7+1" + string(jid) + "+0")
        return status

    def forget(self, jid):
        assert self.ask(request(DELETE_JOB, "+1+2" + string(jid) + "+0"))[0] == 0


SALT = b"abcdefghijklmno"


def token(port, salt=SALT, inner_salt=None, at=None):
    """What such a server shows on a connection (wire.md 13): the key is all zero."""
    text = (inner_salt or salt) + b";%d;%s\0" % (
        int(time.time() if at is None else at), str(port).encode())
    done = subprocess.run(["openssl", "enc", "-aes-256-cbc", "-K", "0" * 64, "-iv", "0" * 32],
                          input=text, capture_output=True, check=True)
    return salt + b";" + done.stdout + b"\0"


class ServiceConnection(Connection):
    """To the MoM's service port, from a reserved port unless it shall not be."""

    def __init__(self, cluster, reserved=True):
        super().__init__(cluster.ports["mom"], reserved=reserved)

    def send_token(self, data=None):
        data = token(self.port) if data is None else data
        self.s.sendall(b"PKTV1\0\x01" + struct.pack(">I", len(data)) + data)

    def log_in(self):
        self.send_token()
        assert self.take(12) == b"PKTV1\0\x03\0\0\0\x01\0"


def group_of(user):
    done = subprocess.run(["id", "-gn", user], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def only_mom(cluster):
    """Comm and MoM of the cluster, without its server and scheduler."""
    cluster.prepare()
    cluster.write_conf(PBS_AUTH_METHOD="resvport", PBS_SUPPORTED_AUTH_METHODS="resvport",
                       PBS_START_SERVER=0, PBS_START_SCHED=0)
    assert os.geteuid() == 0
    cluster.comm.start()
    cluster.mom.start()
