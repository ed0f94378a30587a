# SPDX-License-Identifier: Apache-2.0
"""Our server and our scheduler as strangers to one another: what stands between them hides
all that other makes of PBS do not say (doc/extensions.md). To the scheduler the server looks
like another one, which knows no attribute and no request of ours; to the server the scheduler
looks like another one, which does not say what it can. What either says all the same is in
'broken'."""
import os
import socket
import struct

from .peer import Acceptor, Peer, objects, packet, reply
from .wire import Reader, number, string

CONFIRM_RESV, REGISTER_SCHED, STATUS_CHANGES = 75, 98, 200
FIRST_OF_OURS = 200
SELECT_STATUS, STATUSES = 51, (19, 20, 21, 51, 58, 71, 81)
UNKNOWN_ATTRIBUTE = 15002
CUT, DRY_RUN = 16, 200
TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../doc/pbs/tables")


def known_names():
    """The attributes of other makes."""
    names = set()
    for name in os.listdir(TABLES):
        if "-attributes." in name:
            with open(os.path.join(TABLES, name)) as f:
                names |= {line.split("\t")[0] for line in f.read().splitlines()[1:]}
    return names


def list_of(r):
    """Entries of an attribute list, as attrs() takes them."""
    found = []
    for _ in range(r.number()):
        r.number()
        name = r.string()
        resource = r.string() if r.number() else None
        found.append((name, resource, r.string(), r.number()))
    return found


class Plain(Acceptor):
    """with Plain(path, real): what connects to 'path' reaches the server behind 'real'."""

    def __init__(self, path, real):
        self.path, self.real, self.broken, self.asked = path, real, [], set()
        self.known = known_names()
        super().__init__(path)

    def met(self, near):
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(self.real)
        except OSError:
            near.close()
            far.close()
            return
        self.in_thread(self.carry, near, far, self.of_scheduler)
        self.in_thread(self.carry, far, near, self.of_server)

    def carry(self, source, sink, change):
        """Frame by frame; the end of one side is that of the other."""
        try:
            while True:
                head = Peer.take(source, 11)
                body = head and Peer.take(source, struct.unpack(">I", head[7:])[0])
                if not body:
                    break
                text = change(body.decode("latin1"), source)
                if text is not None:
                    sink.sendall(packet(text))
        except OSError:
            pass
        except Exception as e:  # a mistake of this file is one of the test
            self.broken.append(repr(e))
        for s in (source, sink):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def of_scheduler(self, text, near):
        """What goes on to the server; None: nothing, it has its answer."""
        if text == "+0":
            return text
        r = Reader(text)
        assert (r.number(), r.number()) == (2, 2)
        kind = r.number()
        self.asked.add(kind)
        user = r.string()
        if kind == REGISTER_SCHED:
            return "+2+2" + number(kind) + string(user) + string(r.string()) + "+0"
        if kind >= FIRST_OF_OURS:
            self.broken.append("request %d" % kind)
        if kind == CONFIRM_RESV and any(w in text for w in (":seq=", ":reason=", ":away=")):
            self.broken.append(text)
        if kind in STATUSES:
            if kind == SELECT_STATUS:
                list_of(r)
            else:
                r.string()
            if any(name not in self.known for name, _, _, _ in list_of(r)):
                near.sendall(packet(reply(UNKNOWN_ATTRIBUTE, choice=7,
                                          body=string("Undefined attribute  "))))
                return None
        return text

    def of_server(self, text, far):
        r = Reader(text)
        first = r.number()
        if r.at == len(text) or (first != 2 and text[r.at] != "+"):
            if first in (CUT, DRY_RUN):
                self.broken.append("command %d" % first)
            return text
        if (first, r.number()) != (2, 2):
            return text  # a command with the id of a job
        code, aux, choice, more = r.number(), r.number(), r.number(), r.number()
        if choice != 6:
            return text
        found = []
        for _ in range(r.number()):
            kind, name = r.number(), r.string()
            found.append((kind, name, list_of(r)))
        assert r.at == len(text)
        return objects(*[(kind, name, [a for a in entries
                                       if kind == 5 or a[0] in self.known])
                         for kind, name, entries in found], more=more)
