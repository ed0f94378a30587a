# SPDX-License-Identifier: Apache-2.0
"""Two hosts: a network namespace for the test and what it starts, and another one beside it,
which a pair of interfaces joins to the first. The machine's own network is not touched."""
import contextlib
import ctypes
import os
import subprocess

from .services import wait_for

CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result:
        raise OSError(ctypes.get_errno(), what)


def ip(*words, argv=()):
    subprocess.run(list(argv) + ["ip"] + list(words), check=True)


class Neighbour:
    """with Neighbour() as n: this thread, and what it starts, is on the host n.here; with
    n.inside(): sockets that are made are of the host n.there, where n.argv(cmd) runs a
    command. As root only."""

    here, there = "10.0.0.1", "10.0.0.2"
    own = "/proc/thread-self/ns/net"

    def __enter__(self):
        self.home = open(self.own)
        check(LIBC.unshare(CLONE_NEWNET), "unshare")
        self.keeper = subprocess.Popen(["unshare", "-n", "cat"], stdin=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL)
        try:
            self.path = "/proc/%d/ns/net" % self.keeper.pid
            wait_for("a network of its own",
                     lambda: os.readlink(self.path) != os.readlink(self.own))
            ip("link", "add", "hf0", "type", "veth", "peer", "name", "hf1", "netns",
               str(self.keeper.pid))
            for argv, name, address in (([], "hf0", self.here), (self.argv([]), "hf1", self.there)):
                ip("link", "set", "lo", "up", argv=argv)
                ip("addr", "add", address + "/30", "dev", name, argv=argv)
                ip("link", "set", name, "up", argv=argv)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc):
        """The interfaces go with the namespaces, and these with the last process in them."""
        check(LIBC.setns(self.home.fileno(), CLONE_NEWNET), "setns")
        self.home.close()
        self.keeper.stdin.close()
        self.keeper.wait()

    def argv(self, cmd):
        return ["nsenter", "--net=" + self.path] + cmd

    @contextlib.contextmanager
    def inside(self):
        with open(self.own) as here, open(self.path) as there:
            check(LIBC.setns(there.fileno(), CLONE_NEWNET), "setns")
            try:
                yield
            finally:
                check(LIBC.setns(here.fileno(), CLONE_NEWNET), "setns")
