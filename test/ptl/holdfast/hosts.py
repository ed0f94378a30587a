# SPDX-License-Identifier: Apache-2.0
"""Several hosts on one machine: network namespaces with a link from each to the first."""
import ctypes
import os
import socket
import subprocess

from .services import wait_for

CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


class Host:
    """A namespace for the network and for mounts; it lasts as long as its process."""

    def __init__(self, name):
        self.name = name
        self.process = subprocess.Popen(["unshare", "-n", "-m", "sleep", "1000"],
                                        stdin=subprocess.DEVNULL)
        own = os.readlink("/proc/self/ns/net")
        wait_for("namespace " + name, lambda: os.path.exists("/proc/%d/exe" % self.pid) and
                 os.path.basename(os.readlink("/proc/%d/exe" % self.pid)).startswith(
                     ("sleep", "coreutils", "busybox")) and
                 os.readlink("/proc/%d/ns/net" % self.pid) != own)
        self.run("ip", "link", "set", "lo", "up")

    @property
    def pid(self):
        return self.process.pid

    def inside(self):
        """What stands before a command that is to run there."""
        return ["nsenter", "-t", str(self.pid), "-n", "-m"]

    def run(self, *argv):
        subprocess.run(self.inside() + list(argv), check=True, capture_output=True, timeout=60)

    def has_hosts(self, path):
        """That file is its /etc/hosts."""
        self.run("mount", "--bind", path, "/etc/hosts")

    def socket(self):
        """A socket of that host's network, for this process."""
        with open("/proc/%d/ns/net" % self.pid) as there, open("/proc/self/ns/net") as here:
            self._enter(there)
            try:
                return socket.socket()
            finally:
                self._enter(here)

    @staticmethod
    def _enter(namespace):
        if _libc.setns(namespace.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    def stop(self):
        self.process.kill()
        self.process.wait()


class Network:
    """hosts[0] is the hub. hosts[k] has the address 10.99.k.2, and the hub 10.99.k.1 on the
    same link; 'more' are further addresses of hosts."""

    def __init__(self, n, more=()):
        self.hosts = []
        try:
            for k in range(n):
                self.hosts.append(Host("h%d" % k))
                if k:
                    self.link(k)
            for k, address in more:
                self.hosts[k].run("ip", "address", "add", address + "/24", "dev", "eth0")
        except BaseException:
            self.stop()
            raise

    def link(self, k):
        hub, host = self.hosts[0], self.hosts[k]
        hub.run("ip", "link", "add", "to%d" % k, "type", "veth", "peer", "name", "eth0",
                "netns", str(host.pid))
        hub.run("ip", "address", "add", "10.99.%d.1/24" % k, "dev", "to%d" % k)
        hub.run("ip", "link", "set", "to%d" % k, "up")
        host.run("ip", "address", "add", "10.99.%d.2/24" % k, "dev", "eth0")
        host.run("ip", "link", "set", "eth0", "up")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.stop()

    def stop(self):
        for host in self.hosts:
            host.stop()


def refusal():
    """None, or why this machine cannot do it."""
    try:
        with Network(2):
            return None
    except FileNotFoundError as e:
        return str(e)
    except subprocess.CalledProcessError as e:
        return e.stderr.decode().strip() or str(e)
    except AssertionError as e:
        return str(e)
