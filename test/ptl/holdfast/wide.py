# SPDX-License-Identifier: Apache-2.0
"""A cluster over several hosts: server, scheduler, router and a MoM on the hub, a MoM on each
other host. All are namespaces of this machine, which share its files and have networks and
names of their own."""
import os
import shutil
import subprocess

import pytest

from . import hosts
from .cluster import HOME_DIRS, Cluster
from .constants import *
from .services import MoM, wait_for
from .users import ROOTLESS


class WideMoM(MoM):
    """The MoM of host k, with a PBS_HOME of its own where it is not the hub's."""

    def __init__(self, cluster, k):
        super().__init__(cluster)
        self.k = k
        self.host_name = cluster.names[k]
        self.home = cluster.home if k == 0 else os.path.join(cluster.root, "home%d" % k)
        self.conf = cluster.conf if k == 0 else os.path.join(cluster.root, "pbs%d.conf" % k)
        self.options = []

    def argv(self):
        run = 'hostname "$1"; shift; export PBS_CONF_FILE="$1"; shift; exec "$@"'
        return self.cluster.network.hosts[self.k].inside() + [
            "unshare", "-u", "sh", "-c", run, "sh", self.host_name, self.conf] + \
            super().argv() + self.options

    def log_lines(self):
        from .services import day_file_lines
        return day_file_lines(os.path.join(self.home, "mom_logs"))

    def wait_up(self):
        self.log_match("ready, using ports")

    def start(self):
        before = len([x for x in self.log_lines() if "ready, using ports" in x])
        super().start()
        wait_for("the MoM of " + self.host_name, lambda: len(
            [x for x in self.log_lines() if "ready, using ports" in x]) > before)


class WideCluster(Cluster):
    """with WideCluster(3) as c: c.moms[0] is the hub's. Each host has one vnode, its own."""

    host = "h0"

    def __init__(self, n=3, ncpus=2, config=""):
        super().__init__(vnodes=0, ncpus=ncpus)
        self.names = ["h%d" % k for k in range(n)]
        self.config = config
        self.network = hosts.Network(n)
        self.moms = [WideMoM(self, k) for k in range(n)]
        self.mom = self.moms[0]
        hub = self.network.hosts[0]
        for service in (self.comm, self.server, self.scheduler):
            self._into(service, hub)

    def _into(self, service, host):
        argv = service.argv
        service.argv = lambda *args: host.inside() + [
            "unshare", "-u", "sh", "-c", 'hostname h0; exec "$@"', "sh"] + argv(*args)

    def route(self):
        hub = self.network.hosts[0]
        hub.run("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
        text = "127.0.0.1 localhost\n10.99.1.1 h0\n"
        for k in range(1, len(self.names)):
            text += "10.99.%d.2 h%d\n" % (k, k)
            self.network.hosts[k].run("ip", "route", "add", "default", "via",
                                      "10.99.%d.1" % k)
        path = self.write("hosts", text)
        for host in self.network.hosts:
            host.has_hosts(path)

    def vnode_file(self):
        return "$configversion 2\nh0: resources_available.ncpus = %d\n" % self.ncpus

    def prepare(self):
        super().prepare()
        self.route()
        self.write("home/mom_priv/config", "$usecp *:/ /\n" + self.config)
        for mom in self.moms[1:]:
            self.prepare_mom(mom)

    def prepare_mom(self, mom):
        for path, mode in HOME_DIRS:
            full = os.path.join(mom.home, path)
            os.makedirs(full, exist_ok=True)
            os.chmod(full, mode)
        name = os.path.basename(mom.home)
        self.write(name + "/pbs_environment", "PATH=/bin:/usr/bin\nTZ=UTC\n")
        self.write(name + "/mom_priv/config", "$usecp *:/ /\n" + self.config)
        self.write(name + "/mom_priv/config.d/vnodes",
                   "$configversion 2\n%s: resources_available.ncpus = %d\n" %
                   (mom.host_name, self.ncpus))
        text = self.read("pbs.conf").replace("PBS_HOME=%s\n" % self.home,
                                             "PBS_HOME=%s\n" % mom.home)
        self.write(os.path.basename(mom.conf), text)

    def run(self, argv, user=None, check=True, input=None, env=None, timeout=120):
        """On the hub, as a user would type it."""
        words, variables, kwargs = self.typed(argv, user, env)
        become = []
        if "user" in kwargs:
            become = ["setpriv", "--reuid", str(kwargs["user"]), "--regid",
                      str(kwargs["group"]), "--init-groups"]
        enter = self.network.hosts[0].inside() + [
            "unshare", "-u", "sh", "-c", 'hostname h0; cd "$1"; shift; exec "$@"', "sh",
            kwargs["cwd"]]
        done = subprocess.run(enter + become + words, env=variables, input=input, text=True,
                              capture_output=True, timeout=timeout)
        return self.ended(argv, done, check)

    def wait_port(self, port, service):
        def listening():
            if not service.is_up():
                raise AssertionError("%s ended: %s" % (service.name,
                                                       self.read(service.name + ".out")))
            with self.network.hosts[0].socket() as s:
                return s.connect_ex(("10.99.1.1", port)) == 0
        wait_for("%s listening on %d" % (service.name, port), listening)

    def start(self):
        self.prepare()
        self.comm.start()
        self.server.start()
        self.scheduler.start()
        for name in self.names:
            self.server.manager(MGR_CMD_CREATE, NODE, {"Port": self.ports["mom"]}, id=name)
        self.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True", "log_events": 2047})
        for mom in self.moms:
            if mom.k:
                self.share_key(mom)
            mom.start()
        for name in self.names:
            self.server.expect(VNODE, {"state": "free"}, id=name)

    def share_key(self, mom):
        for folder, _, files in os.walk(self.home):
            for f in files:
                if "key" in f:
                    to = os.path.join(mom.home, os.path.relpath(folder, self.home), f)
                    shutil.copy2(os.path.join(folder, f), to)

    def link(self, k, up):
        """The cable of host k."""
        self.network.hosts[0].run("ip", "link", "set", "to%d" % k, "up" if up else "down")

    def stop(self):
        problems = []
        for mom in self.moms[1:]:
            try:
                if mom.process is not None:
                    mom.stop()
            except AssertionError as e:
                problems.append(str(e))
        problems += super().stop()
        self.network.stop()
        return problems

    def is_whole(self):
        """All cables are in, and all hosts are there."""
        for k in range(1, len(self.names)):
            self.link(k, up=True)
        for name in self.names:
            self.server.expect(VNODE, {"state": (MATCH_RE, "^(free|job-busy)$")}, id=name,
                               deadline=120)


# A connection whose other end is silent is given up after some seconds instead of a minute.
KEEPALIVE = "1,1,1,2,4000"


class ImpatientCluster(WideCluster):
    def env(self):
        return dict(super().env(), PBS_TCP_KEEPALIVE=KEEPALIVE)

    def prepare(self):
        super().prepare()
        # Server, scheduler and MoM have the environment of this file instead of their own.
        for home in {self.home} | {mom.home for mom in self.moms}:
            with open(os.path.join(home, "pbs_environment"), "a") as f:
                f.write("PBS_TCP_KEEPALIVE=%s\n" % KEEPALIVE)


def needs_namespaces():
    """Marks of a suite that has several hosts."""
    refusal = None if ROOTLESS else hosts.refusal()
    return [pytest.mark.skipif(ROOTLESS, reason="needs root: namespaces"),
            pytest.mark.skipif(refusal is not None,
                               reason="no network namespaces: %s" % refusal)]
