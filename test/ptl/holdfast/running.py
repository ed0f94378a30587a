# SPDX-License-Identifier: Apache-2.0
"""A PBS that runs already, of any make, instead of a private cluster: HF_RUNNING names its
pbs.conf. The tests get vnodes of their own there, and what they leave is taken away again."""
import contextlib
import os
import re
import shutil
import signal
import tempfile

import pytest

from .cluster import Cluster
from .constants import *
from .services import MoM, Scheduler, Server, Comm, wait_for

VNODE_FILE = "holdfast_tests"  # pbs_mom's name of the file with the tests' vnodes
DEFAULTS = dict(PBS_BATCH_SERVICE_PORT=15001, PBS_MOM_SERVICE_PORT=15002,
                PBS_MANAGER_SERVICE_PORT=15003, PBS_COMM_PORT=17001)


def needs_its_own(what):
    pytest.skip("%s: this needs an installation of its own" % what)


def settings_of(path):
    """NAME=value lines of a pbs.conf."""
    with open(path) as f:
        return dict(re.findall(r"^\s*([A-Z_]+)=(.*?)\s*$", f.read(), flags=re.M))


def running(kind, lock):
    """A daemon that nobody starts and stops, and whose log begins with the test."""
    class Running(kind):
        def __init__(self, cluster):
            super().__init__(cluster)
            self.lock, self.before = lock, 0

        def is_up(self):
            return True

        def send_signal(self, number):
            with open(os.path.join(self.cluster.home, self.lock)) as f:
                os.kill(int(f.read().split()[0]), number)

        def log_lines(self):
            return super().log_lines()[self.before:]

        def begin(self):
            self.before = len(super().log_lines())

        def _not_here(self, *args, **kwargs):
            needs_its_own("the end of " + self.name)

        start = stop = kill = restart = _not_here
    return Running


class RunningScheduler(running(Scheduler, "sched_priv/sched.lock")):
    def config(self, name="sched_config"):
        needs_its_own("another " + name)


class RunningServer(running(Server, "server_priv/server.lock")):
    def begin(self):
        super().begin()
        self.accounted = len(Server.accounting_lines(self))

    def accounting_lines(self):
        return super().accounting_lines()[self.accounted:]

    def status(self, kind, id=None):
        """Without what the site had before: tests delete all that they see."""
        found = super().status(kind, id)
        return found if id else [o for o in found if o["id"] not in self.cluster.objects_before]


class RunningCluster(Cluster):
    """Calls that a running site cannot answer skip the test, and so does a second cluster
    beside the first one."""

    in_use = False

    def __init__(self, vnodes=5, ncpus=2, mock=False, store="sqlite", alone=False):
        if mock or alone or store != "sqlite":
            needs_its_own("a mock MoM, a server alone or another store")
        if RunningCluster.in_use:
            needs_its_own("a second cluster")
        self.conf = os.environ["HF_RUNNING"]
        settings = {**DEFAULTS, **settings_of(self.conf)}
        self.prefix = self.exec_dir = settings["PBS_EXEC"]
        self.home, self.host = settings["PBS_HOME"], settings["PBS_SERVER"]
        self.n_vnodes, self.ncpus, self.mock, self.scripts = vnodes, ncpus, False, 0
        self.store_kind, self.alone, self.postgres = "sqlite", False, None
        self.objects_before = set()
        self.ports = {name: int(settings[key]) for name, key in (
            ("server", "PBS_BATCH_SERVICE_PORT"), ("mom", "PBS_MOM_SERVICE_PORT"),
            ("rm", "PBS_MANAGER_SERVICE_PORT"), ("comm", "PBS_COMM_PORT"))}
        self.root = tempfile.mkdtemp(prefix="hf-ptl-", dir="/tmp")
        os.chmod(self.root, 0o755)
        self.server, self.scheduler = RunningServer(self), RunningScheduler(self)
        self.mom = running(MoM, "mom_priv/mom.lock")(self)
        self.comm = running(Comm, "server_priv/comm.lock")(self)

    def write_conf(self, **more):
        needs_its_own("another pbs.conf")

    def sql(self, text):
        needs_its_own("a look into the store")

    def write(self, name, text):
        if name.startswith("home/"):
            needs_its_own("another " + name)
        return super().write(name, text)

    def pbs_mom(self, *words):
        self.run([os.path.join(self.exec_dir, "sbin", "pbs_mom"), "-s", *words])
        self.mom.send_signal(signal.SIGHUP)

    def settings(self):
        """What qmgr prints of server, queues and resources, as {"set server": lines}."""
        found = {}
        for line in self.run(["qmgr", "-c", "print server"]).stdout.splitlines():
            m = re.match(r"((?:create|set) \w+)(?: .*)?$", line)
            if m:
                found.setdefault(m[1], []).append(line)
        return found

    def objects(self):
        return {o["id"] for kind in (JOB, RESV) for o in self.server.status(kind)}

    def start(self):
        RunningCluster.in_use = True
        os.makedirs(os.path.join(self.root, "tmp"))
        os.chmod(os.path.join(self.root, "tmp"), 0o1777)
        self.settings_before, self.objects_before = self.settings(), self.objects()
        for service in (self.server, self.scheduler, self.mom, self.comm):
            with contextlib.suppress(FileNotFoundError):
                service.begin()
        self.pbs_mom("insert", VNODE_FILE, self.write("vnodes", self.vnode_file()))
        self.wait_nodes()
        self.server.manager(MGR_CMD_SET, SERVER, {"log_events": 2047})

    def remove_objects(self):
        """Jobs, reservations and queues of the tests."""
        for id in sorted(self.objects()):
            self.run(["pbs_rdel", id] if id[0] in "RSM" else ["qdel", "-W", "force", id],
                     check=False)
        wait_for("nothing of the tests", lambda: not self.objects())
        for kind in ("queue", "resource"):
            create = "create " + kind
            for line in self.settings().get(create, []):
                if line not in self.settings_before.get(create, []):
                    self.run(["qmgr", "-c", "delete " + line[len("create "):].split(" type")[0]],
                             check=False)

    def restore(self):
        """The server's settings, as they were."""
        now, before = (s.get("set server", []) for s in (self.settings(), self.settings_before))
        names = {line.split()[2] for line in set(now) ^ set(before)}
        for name in sorted(names):
            self.run(["qmgr", "-c", "unset server " + name], check=False)
            for line in before:
                if line.split()[2] == name:
                    self.run(["qmgr", "-c", line], check=False)

    def stop(self):
        RunningCluster.in_use = False
        self.remove_objects()
        self.restore()
        self.pbs_mom("remove", VNODE_FILE)
        for name in self.vnode_names():
            self.run(["qmgr", "-c", "delete node " + name], check=False)
        shutil.rmtree(self.root, ignore_errors=True)
        return []
