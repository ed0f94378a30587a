# SPDX-License-Identifier: Apache-2.0
"""The batch protocol byte by byte, for tests that play a client of their own."""
import os
import pwd
import random
import socket
import struct

TIMEOUT = 60


def number(n):
    """An unsigned number: the sign, the digits, and before them how many digits."""
    text, digits = "+%d" % n, len(str(n))
    while digits > 1:
        text, digits = str(digits) + text, len(str(digits))
    return text


def string(s):
    return number(len(s)) + s


class Reader:
    """Takes values from the front of a message."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        digits = 1
        while True:
            sign = self.data[self.at]
            if sign in "+-":
                value = int(self.data[self.at:self.at + 1 + digits])
                self.at += 1 + digits
                return value
            digits, self.at = int(self.data[self.at:self.at + digits]), self.at + digits

    def string(self):
        n = self.number()
        self.at += n
        return self.data[self.at - n:self.at]


class Reply:
    """code, aux, choice, and by choice: text, ids, objects [(type, name, [attribute])],
    results [(id, code)], preempted [(id, letter)]; 'more' if another part follows."""

    def __init__(self, data):
        r = Reader(data.decode("latin1"))
        assert (r.number(), r.number()) == (2, 2), data
        self.code, self.aux, self.choice = r.number(), r.number(), r.number()
        self.more = bool(r.number())
        self.text, self.ids, self.objects, self.results = "", [], [], []
        self.preempted = []
        if self.choice in (2, 4, 8):
            self.ids = [r.string()]
        elif self.choice == 5:
            self.ids = [r.string() for _ in range(r.number())]
        elif self.choice == 6:
            self.objects = [self.read_object(r) for _ in range(r.number())]
        elif self.choice == 7:
            self.text = r.string()
        elif self.choice == 10:
            self.preempted = [(r.string(), r.string()) for _ in range(r.number())]
        elif self.choice == 11:
            self.results = [(r.string(), r.number()) for _ in range(r.number())]
        else:
            assert self.choice == 1, data
        assert r.at == len(r.data), data

    @staticmethod
    def read_object(r):
        kind, name, attrs = r.number(), r.string(), []
        for _ in range(r.number()):
            r.number()
            attr = r.string()
            if r.number():
                attr += "." + r.string()
            r.string()
            r.number()
            attrs.append(attr)
        return kind, name, attrs


def take(sock, n):
    """So many bytes; fewer when the other side has closed."""
    data = b""
    while len(data) < n:
        got = sock.recv(n - len(data))
        if not got:
            break
        data += got
    return data


class Connection:
    """A TCP connection to the server; 'reserved': from a port below 1024. The kernel
    knows its socket as one that 'user' made (None: who runs the test). 'source' is a port
    that other connections may have as well."""

    def __init__(self, port, reserved=False, user=None, host="127.0.0.1", source=None):
        self.server_port = port
        if reserved:
            self.s = self.connect_reserved(port, host)
        else:
            self.s = self.socket_of(user)
            self.s.settimeout(TIMEOUT)
            if source is not None:
                self.s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                self.s.bind(("127.0.0.1", source))
            self.s.connect((host, port))
        self.s.settimeout(TIMEOUT)
        self.port = self.s.getsockname()[1]

    @staticmethod
    def socket_of(user):
        uid = pwd.getpwnam(user).pw_uid if user else os.geteuid()
        own = os.geteuid()
        os.seteuid(uid)
        try:
            return socket.socket()
        finally:
            os.seteuid(own)

    @staticmethod
    def connect_reserved(port, host):
        for low in random.sample(range(512, 1024), 512):
            s = socket.socket()
            try:
                # Closed at once: no port is left waiting.
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                s.bind((host if host == "127.0.0.1" else "", low))
                s.connect((host, port))
                return s
            except OSError:
                s.close()
        raise RuntimeError("no reserved port")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.s.close()

    def send(self, message):
        data = message if isinstance(message, bytes) else message.encode("latin1")
        self.s.sendall(b"PKTV1\0\0" + struct.pack(">I", len(data)) + data)

    def take(self, n):
        return take(self.s, n)

    def receive(self):
        """The next reply; None when the server has closed."""
        head = self.take(11)
        if not head:
            return None
        assert head[:6] == b"PKTV1\0", head
        return Reply(self.take(struct.unpack(">I", head[7:])[0]))

    def ask(self, message):
        self.send(message)
        return self.receive()

    def is_closed(self):
        try:
            return self.s.recv(1) == b""
        except ConnectionResetError:
            return True

    def connect(self, user):
        return self.ask("+2+2+0" + string(user) + "+0")

    def vouch(self, user, port, method="resvport", encrypt=""):
        return self.ask(vouching(user, port, method, encrypt))


def vouching(user, port, method="resvport", encrypt=""):
    """Authenticate, as pbs_iff sends it: whose the connection from 'port' is."""
    return ("+2+2" + number(95) + string(user) + number(len(method)) + string(method) +
            number(len(encrypt)) + (string(encrypt) if encrypt else "") + number(port) + "+0")


def open_as(port, user, host="127.0.0.1"):
    """An authenticated connection."""
    c = Connection(port, user=user, host=host)
    assert c.connect(user).code == 0
    with Connection(port, reserved=True, host=host) as helper:
        assert helper.vouch(user, c.port).code == 0
    return c


def open_local(path):
    """A connection on the server's own socket: the kernel says whose it is."""
    c = Connection.__new__(Connection)
    c.s = socket.socket(socket.AF_UNIX)
    c.s.settimeout(TIMEOUT)
    c.s.connect(path)
    return c
