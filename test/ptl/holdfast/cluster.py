# SPDX-License-Identifier: Apache-2.0
"""A private one-host cluster: directories, ports, pbs.conf, daemons."""
import contextlib
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile

from . import sanitizers
from .constants import *
from .postgres import Database
from .services import Comm, MoM, PbsError, Scheduler, Server, wait_for
from .users import run_as


def free_ports(n):
    """n consecutive free TCP ports, below those that the kernel hands out. At random:
    other runs on this host, perhaps in other containers, look for theirs now."""
    for _ in range(1000):
        base = 20000 + random.randrange(12000 // n) * n
        sockets = []
        try:
            for port in range(base, base + n):
                s = socket.socket()
                sockets.append(s)
                s.bind(("127.0.0.1", port))
            return list(range(base, base + n))
        except OSError:
            continue
        finally:
            for s in sockets:
                s.close()
    raise RuntimeError("no free ports")


class Cluster:
    """with Cluster() as c: c.server, c.scheduler, c.mom, c.comm are up, five vnodes free."""

    host = "localhost"

    def __init__(self, vnodes=5, ncpus=2, mock=False, store="sqlite", alone=False):
        """store: "sqlite" or "postgresql" (a service of its own); alone: the server only."""
        self.prefix = os.environ["HF_PREFIX"]
        self.exec_dir = self.prefix
        self.n_vnodes, self.ncpus, self.mock = vnodes, ncpus, mock
        self.root = tempfile.mkdtemp(prefix="hf-ptl-", dir="/tmp")
        os.chmod(self.root, 0o755)
        self.home = os.path.join(self.root, "home")
        self.conf = os.path.join(self.root, "pbs.conf")
        ports = free_ports(4)
        self.ports = dict(server=ports[0], mom=ports[1], rm=ports[2], comm=ports[3])
        self.server, self.scheduler = Server(self), Scheduler(self)
        self.mom, self.comm = MoM(self), Comm(self)
        self.scripts = 0
        self.store_kind, self.alone, self.postgres = store, alone, None

    # files

    def prepare(self):
        for path, mode in HOME_DIRS:
            full = os.path.join(self.home, path)
            os.makedirs(full, exist_ok=True)
            os.chmod(full, mode)
        sanitizers.prepare(self.root)
        os.makedirs(os.path.join(self.root, "tmp"))
        os.chmod(os.path.join(self.root, "tmp"), 0o1777)
        self.write("home/pbs_environment", "PATH=/bin:/usr/bin\nTZ=UTC\n")
        self.write("home/mom_priv/config", "")
        self.write("home/mom_priv/config.d/vnodes", self.vnode_file())
        self.write_conf()

    def write_conf(self, **more):
        values = dict(PBS_EXEC=self.exec_dir, PBS_HOME=self.home, PBS_SERVER=self.host,
                      PBS_BATCH_SERVICE_PORT=self.ports["server"],
                      PBS_MOM_SERVICE_PORT=self.ports["mom"],
                      PBS_MANAGER_SERVICE_PORT=self.ports["rm"],
                      PBS_COMM_NAME="%s:%d" % (self.host, self.ports["comm"]),
                      PBS_LEAF_ROUTERS="%s:%d" % (self.host, self.ports["comm"]),
                      PBS_AUTH_METHOD="clusterkey", PBS_SUPPORTED_AUTH_METHODS="clusterkey",
                      PBS_TMPDIR=os.path.join(self.root, "tmp"), PBS_LOG_HIGHRES_TIMESTAMP=1, PBS_START_SERVER=1, PBS_START_SCHED=1,
                      PBS_START_COMM=1, PBS_START_MOM=1)
        if self.postgres:
            values["PBS_STORE"] = self.postgres.url()
        values.update(more)
        self.write("pbs.conf", "".join("%s=%s\n" % kv for kv in values.items()))

    def vnode_file(self):
        lines = ["$configversion 2", "%s: resources_available.ncpus = 0" % self.host]
        for i in range(self.n_vnodes):
            lines.append("vn[%d]: resources_available.ncpus = %d" % (i, self.ncpus))
            lines.append("vn[%d]: resources_available.mem = 2gb" % i)
        return "\n".join(lines) + "\n"

    def write(self, name, text):
        path = os.path.join(self.root, name)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, 0o644)
        return path

    def write_script(self, job):
        self.scripts += 1
        path = self.write("script%d" % self.scripts, job.script)
        os.chmod(path, 0o755)
        return path

    def read(self, name):
        try:
            with open(os.path.join(self.root, name), errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def env(self):
        more = sanitizers.variables(self.root) if sanitizers.are_on(self.prefix) else {}
        return {"PATH": os.path.join(self.exec_dir, "bin") + ":/usr/sbin:/usr/bin:/sbin:/bin",
                "PBS_CONF_FILE": self.conf, "TZ": "UTC", "LANG": "C",
                "HOME": os.environ.get("HOME", "/"), **more}

    def output(self, user, name):
        """A job's output file in the directory it was submitted from."""
        kwargs, _ = run_as(user)
        path = os.path.join(kwargs["cwd"], name)
        wait_for("the file " + path, lambda: os.path.exists(path))
        with open(path) as f:
            text = f.read()
        os.unlink(path)
        return text

    # letters

    def mails_by(self, script):
        """The server's letters go through that script."""
        mailer = self.write("mailer", script)
        os.chmod(mailer, 0o755)
        self.server.manager(MGR_CMD_SET, SERVER, {"mailer": mailer})

    def letter_file(self):
        """They go into one file, each behind the words that a mailer is called with; the file."""
        path = self.write("letters", "")
        os.chmod(path, 0o666)  # the mailer is not root
        self.mails_by("#!/bin/sh\n(echo \"$@\"; cat) >> %s\n" % path)
        return path

    def letter_folder(self, script):
        """They go through that script, in which %(dir)s is a directory of theirs; the directory."""
        folder = os.path.join(self.root, "letters")
        os.mkdir(folder)
        os.chmod(folder, 0o1777)
        self.mails_by(script % {"dir": folder})
        return folder

    # processes

    def typed(self, argv, user, env):
        """What a user types: the words, the environment, and what subprocess is told of him."""
        kwargs, who = run_as(user)
        path = os.path.join(self.exec_dir, "bin", argv[0])
        return ([path if os.path.exists(path) else argv[0], *argv[1:]],
                {**self.env(), **who, **(env or {})}, kwargs)

    @staticmethod
    def ended(argv, done, check):
        if check and done.returncode != 0:
            raise PbsError(argv, done.returncode, done.stdout, done.stderr)
        return done

    def run(self, argv, user=None, check=True, input=None, env=None, timeout=120):
        """A command as a user would type it; raises PbsError when it fails."""
        words, variables, kwargs = self.typed(argv, user, env)
        done = subprocess.run(words, env=variables, input=input, text=True,
                              capture_output=True, timeout=timeout, **kwargs)
        return self.ended(argv, done, check)

    def no_jobs(self):
        """Whatever jobs there are, they are deleted by force and gone."""
        def gone():
            ids = [j["id"] + "@" + self.host for j in self.server.status(JOB)]
            if ids:
                self.run(["qdel", "-Wforce"] + ids, check=False)
            return not ids
        wait_for("an end of all jobs", gone)

    def wait_port(self, port, service):
        def listening():
            if not service.is_up():
                raise AssertionError("%s ended: %s" % (service.name,
                                                       self.read(service.name + ".out")))
            with socket.socket() as s:
                return s.connect_ex(("127.0.0.1", port)) == 0
        wait_for("%s listening on %d" % (service.name, port), listening)

    def sql(self, text):
        """Ask the store: rows as lists of texts, None is null."""
        if self.postgres:
            return self.postgres.sql(text)
        path = os.path.join(self.home, "server_priv", "holdfast.db")
        with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % path, uri=True)) as db:
            return [[None if v is None else str(v) for v in row] for row in db.execute(text)]

    def start(self):
        if self.store_kind == "postgresql":
            self.postgres = Database()
        self.prepare()
        if self.alone:
            self.server.start()
            return
        self.comm.start()
        self.server.start()
        self.scheduler.start()
        self.server.manager(MGR_CMD_CREATE, NODE, {"Port": self.ports["mom"]}, id=self.host)
        self.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True", "log_events": 2047})
        self.mom.start()
        self.wait_nodes()

    def vnode_names(self):
        return ["vn[%d]" % i for i in range(self.n_vnodes)]

    def wait_nodes(self):
        last = self.n_vnodes - 1
        if self.n_vnodes:
            self.server.expect(VNODE, {"state": "free"}, id="vn[%d]" % last)

    def stop(self):
        problems = []
        for service in (self.server, self.scheduler, self.mom, self.comm):
            try:
                if service.process is not None:
                    service.stop()
            except AssertionError as e:
                problems.append(str(e))
        self.stop_jobs()
        if self.postgres:
            self.postgres.drop()
        return problems + sanitizers.reports(self.root)

    def stop_jobs(self):
        """End what a killed or stopped MoM left running: processes of this cluster's jobs
        are known by PBS_CONF_FILE or the spool path in their environment. They are stopped
        first, so that none notes how another one has ended."""
        daemons = [s.process.pid for s in (self.server, self.scheduler, self.mom, self.comm)
                   if s.is_up()]
        jobs = []
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            try:
                with open("/proc/%d/environ" % pid, "rb") as f:
                    environ = f.read()
                if self.root.encode() in environ and pid not in daemons + [os.getpid()]:
                    os.kill(pid, signal.SIGSTOP)
                    jobs.append(pid)
            except (OSError, PermissionError):
                continue
        for pid in jobs:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *exc):
        problems = self.stop()
        if os.environ.get("HF_KEEP"):
            print("kept:", self.root)
        else:
            shutil.rmtree(self.root, ignore_errors=True)
        if exc and exc[0]:
            print("\n".join(problems))  # what the test failed of may come from these
        else:
            assert not problems, problems


HOME_DIRS = [
    (".", 0o755), ("aux", 0o755), ("checkpoint", 0o700), ("spool", 0o1777),
    ("undelivered", 0o1777), ("server_logs", 0o755), ("sched_logs", 0o755),
    ("mom_logs", 0o755), ("comm_logs", 0o755), ("server_priv", 0o750),
    ("server_priv/accounting", 0o755), ("server_priv/jobs", 0o750),
    ("server_priv/users", 0o750), ("sched_priv", 0o750), ("mom_priv", 0o751),
    ("mom_priv/config.d", 0o751), ("mom_priv/jobs", 0o751), ("ipc", 0o755),
]
