# SPDX-License-Identifier: Apache-2.0
"""A server that is played: it answers requests from a list, on a local socket."""
import os
import socket
import struct
import subprocess
import threading

from .wire import Reader, number, string

DISCONNECT, CONNECT = 59, 0


def signed(n):
    return number(n) if n >= 0 else number(-n).replace("+", "-")


def text_list(words):
    return number(len(words)) + "".join(string(w) for w in words)


def attrs(*entries):
    """(name, resource or None, value, operator number) each."""
    out = number(len(entries))
    for name, resource, value, op in entries:
        size = len(name) + len(value) + 2 + (len(resource) + 1 if resource else 0)
        out += number(size) + string(name)
        out += "+1" + string(resource) if resource else "+0"
        out += string(value) + number(op)
    return out


def extend(text=None):
    return "+1" + string(text) if text else "+0"


def reply(code=0, aux=0, choice=1, body="", more=0):
    return "+2+2" + signed(code) + signed(aux) + number(choice) + number(more) + body


def objects(*each, more=0):
    """(type, name, attribute entries) each."""
    return reply(choice=6, more=more, body=number(len(each)) + "".join(
        number(kind) + string(name) + attrs(*entries) for kind, name, entries in each))


def packet(payload):
    return b"PKTV1\0\0" + struct.pack(">I", len(payload)) + payload.encode("latin1")


class Acceptor:
    """A thread that takes what connects to a local socket: met() of each."""

    def __init__(self, path):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        os.chmod(path, 0o666)
        self.listener.listen(16)
        self.acceptor = threading.Thread(target=self.accept, daemon=True)
        self.acceptor.start()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        # Woken before the number is free: the next one's listener may get it at once.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.acceptor.join()
        self.listener.close()

    def accept(self):
        while True:
            try:
                s, _ = self.listener.accept()
            except OSError:
                return
            self.met(s)

    @staticmethod
    def in_thread(fn, *args):
        threading.Thread(target=fn, args=args, daemon=True).start()


class Peer(Acceptor):
    """'script' is a list of (request number, rest of the message behind the user, answer):
    the answer is a payload, a list of payloads (parts), or bytes as they are; None: none.
    Connect is acknowledged and Disconnect closes without a line of the script; 'connects'
    has their extensions. What differs from the script is in 'wrong'."""

    def __init__(self, path, script):
        self.script, self.wrong, self.connects = list(script), [], []
        self.registered = []
        self.lock = threading.Lock()
        super().__init__(path)

    def met(self, s):
        self.in_thread(self.serve, s)

    @staticmethod
    def take(s, n):
        data = b""
        while len(data) < n:
            got = s.recv(n - len(data))
            if not got:
                return None
            data += got
        return data

    def serve(self, s):
        with s:
            while True:
                head = self.take(s, 11)
                body = head and self.take(s, struct.unpack(">I", head[7:])[0])
                if not body or not self.answer(s, Reader(body.decode("latin1"))):
                    return

    def register(self, s):
        """Answer RegisterSched; the second link that registers is for commands, and its
        first one is "configure". Counted before the answer: behind it the scheduler
        registers its other link, in another thread of ours."""
        self.registered.append(s)
        second = len(self.registered) == 2
        s.sendall(packet(reply()))
        if second:
            s.sendall(packet("+6"))

    def answer(self, s, r):
        assert (r.number(), r.number()) == (2, 2)
        n = r.number()
        r.string()
        rest = r.data[r.at:]
        if n == DISCONNECT:
            return False
        if n == CONNECT:
            self.connects.append(rest)
            s.sendall(packet(reply()))
            return True
        with self.lock:
            want = self.script.pop(0) if self.script else (None, None, reply())
            if (n, rest) != want[:2]:
                self.wrong.append(((n, rest), want[:2]))
        for part in want[2] if isinstance(want[2], list) else [want[2]]:
            if part is not None:
                s.sendall(part if isinstance(part, bytes) else packet(part))
        return True


STATUS_SERVER = 21


def asked_of_older(cluster, folder, argv, offers="changes,why"):
    """A command towards a server of ours that does not offer as much as this one: how the
    command ended, and the numbers of the requests that the server got of it."""
    path = os.path.join(str(folder), "s%d" % len(os.listdir(str(folder))))
    env = dict(os.environ, PBS_CONF_FILE="/nonexistent", PBS_HOME=str(folder),
               PBS_EXEC=cluster.exec_dir, PBS_SERVER="localhost", PBS_SERVER_SOCKET=path)
    offer = objects((0, "svr", [("holdfast_extensions", None, offers, 0)]))
    with Peer(path, [(None, None, offer)]) as played:
        done = subprocess.run([os.path.join(cluster.exec_dir, "bin", argv[0]), *argv[1:]],
                              env=env, text=True, capture_output=True, timeout=60)
    return done, [n for (n, _), _ in played.wrong]
