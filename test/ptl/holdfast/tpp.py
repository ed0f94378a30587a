# SPDX-License-Identifier: Apache-2.0
"""A leaf on the router network, packet by packet (tpp.md 2), for tests that play one."""
import hashlib
import hmac
import os
import socket
import struct

from .wire import TIMEOUT

JOIN, LEAVE, DATA, CTL, CLOSE, MCAST, AUTH = 1, 2, 3, 4, 5, 6, 7
NOROUTE, UPDATE, AUTHERR = 1, 2, 3
NO_SD = 0xffffffff


def address(text):
    """ "10.0.0.1:15003" as a packet has it."""
    host, port = text.split(":")
    return socket.inet_aton(host) + bytes(12) + struct.pack(">HBB", int(port), 0, 0)


def address_text(raw):
    return "%s:%d" % (socket.inet_ntoa(raw[:4]), struct.unpack(">H", raw[16:18])[0])


def message(payload):
    """A message in its frame."""
    return b"PKTV1\0\0" + struct.pack(">I", len(payload)) + payload


class Leaf:
    """'s' is a socket that is not connected yet; 'key' is the text of the cluster's key, or
    None for a reserved port."""

    def __init__(self, s, router, key=None):
        self.s, self.key = s, key
        self.s.settimeout(TIMEOUT)
        if key is None:
            self.bind_reserved()
        self.s.connect(router)

    def bind_reserved(self):
        for port in range(1023, 600, -1):
            try:
                self.s.bind(("", port))
                return
            except OSError:
                continue
        raise RuntimeError("no reserved port")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.s.close()

    def send(self, kind, rest):
        self.s.sendall(struct.pack(">IB", 5 + len(rest), kind) + rest)

    def receive(self):
        """(type, bytes from offset 5) of the next packet; None when it was closed."""
        head = self.take(4)
        if len(head) < 4:
            return None
        rest = self.take(struct.unpack(">I", head)[0] - 4)
        return rest[0], rest[1:]

    def take(self, n):
        data = b""
        while len(data) < n:
            try:
                got = self.s.recv(n - len(data))
            except ConnectionResetError:
                got = b""
            if not got:
                break
            data += got
        return data

    def auth(self, payload):
        self.send(AUTH, bytes(3) + struct.pack("=I", 0) + b"clusterkey".ljust(101, b"\0") +
                  bytes(101 + 2) + payload)

    def mac(self, role, data):
        return hmac.new(bytes.fromhex(self.key), role + b"\0" + data, hashlib.sha256).digest()

    def prove(self, node_type, addresses):
        mine = os.urandom(32)
        self.auth(b"H" + mine)
        kind, rest = self.receive()
        step = rest[211:]
        assert (kind, step[:1]) == (AUTH, b"C"), rest
        theirs = step[1:33]
        assert step[33:] == self.mac(b"router", mine + theirs)
        covered = b"".join(a[:19] for a in addresses)
        self.auth(b"P" + self.mac(b"leaf", mine + theirs + bytes([node_type]) + covered))

    def join(self, *texts, node_type=1):
        """There is no answer when it is granted."""
        addresses = [address(t) for t in texts]
        if self.key is not None:
            self.prove(node_type, addresses)
        self.send(JOIN, bytes([1, node_type, 0, len(addresses), 0, 0, 0]) + b"".join(addresses))

    def data(self, source, target, payload, src_sd=1, dest_sd=NO_SD):
        frame = message(payload)
        self.send(DATA, bytes(3) + struct.pack(">IIII", 7, src_sd, dest_sd, len(frame)) +
                  address(source) + address(target) + frame)

    def refusal(self):
        """The text of the AUTHERR that comes next."""
        kind, rest = self.receive()
        assert (kind, rest[0]) == (CTL, AUTHERR), (kind, rest)
        return rest[47:].rstrip(b"\0").decode()

    def next_data(self):
        """(source, payload of the frame) of the next DATA; LEAVEs before it are passed over."""
        while True:
            kind, rest = self.receive()
            if kind == DATA:
                return address_text(rest[19:39]), rest[59 + 11:]
            assert kind in (LEAVE, CTL), kind

    def is_closed(self):
        while True:
            got = self.receive()
            if got is None:
                return True
            assert got[0] == LEAVE, got
