# SPDX-License-Identifier: Apache-2.0
"""Daemons as objects: start, stop, kill, restart, logs; and what a server can be asked."""
import os
import re
import signal
import subprocess
import time

from .constants import *
from .objects import Job, Reservation
from .users import run_as

DEADLINE = 60  # seconds that a condition may take on a busy machine
INTERVAL = 0.1


class PbsError(Exception):
    """A command failed: rc, out and err as the user saw them."""

    def __init__(self, cmd, rc, out, err):
        super().__init__("%s: exit %d\n%s%s" % (" ".join(cmd), rc, out, err))
        self.rc, self.out, self.err = rc, out, err
        self.msg = err.splitlines()


class ExpectError(AssertionError):
    """A condition did not come true in time."""


def wait_for(what, probe, deadline=DEADLINE):
    """Call probe() until it returns something true; the value. 'what' names it."""
    end = time.monotonic() + deadline
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > end:
            raise ExpectError("not in %d s: %s" % (deadline, what() if callable(what) else what))
        time.sleep(INTERVAL)


def day_file_lines(folder):
    """The lines of all files in 'folder', whose names are days: midnight may pass."""
    lines = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), errors="replace") as f:
            lines += f.read().splitlines()
    return lines


class Service:
    """One daemon of a cluster, in the foreground below this process."""

    name = log_dir = lock = None

    def __init__(self, cluster):
        self.cluster = cluster
        self.process = None
        self.variables = {}  # of its environment, beside the cluster's

    def argv(self):
        return [os.path.join(self.cluster.exec_dir, "sbin", self.name), "-N"]

    def env(self):
        return dict(self.cluster.env(), **self.variables)

    def start(self):
        assert not self.is_up(), self.name + " runs already"
        out = open(os.path.join(self.cluster.root, self.name + ".out"), "ab")
        with out:
            self.process = subprocess.Popen(self.argv(), stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=out, env=self.env(), cwd="/",
                                            start_new_session=True)
        self.wait_up()

    def wait_up(self):
        pass

    def is_up(self):
        return self.process is not None and self.process.poll() is None

    def send_signal(self, number):
        self.process.send_signal(number)

    def stop(self, number=signal.SIGTERM):
        """End it and wait until it is gone; a daemon that ignores the signal is killed,
        and that is an error."""
        if not self.is_up():
            return
        self.send_signal(number)
        try:
            self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise ExpectError("%s did not end on signal %d" % (self.name, number))

    def kill(self):
        """SIGKILL: no chance to save anything."""
        if self.is_up():
            self.process.kill()
        self.process.wait()

    def restart(self):
        self.stop()
        self.start()

    def log_lines(self):
        return day_file_lines(os.path.join(self.cluster.home, self.log_dir))

    def log_match(self, text, regexp=False, existence=True, deadline=DEADLINE, starttime=None):
        """Wait for a log line with 'text'; with existence=False it must not be there now."""
        def found():
            for line in self.log_lines():
                if re.search(text, line) if regexp else text in line:
                    return line
            return None
        if existence:
            return wait_for("%s in the log of %s" % (text, self.name), found, deadline)
        line = found()
        if line:
            raise ExpectError("%s logged: %s" % (self.name, line))
        return None


class Comm(Service):
    name, log_dir = "pbs_comm", "comm_logs"

    def wait_up(self):
        self.cluster.wait_port(self.cluster.ports["comm"], self)


class MoM(Service):
    name, log_dir = "pbs_mom", "mom_logs"

    def argv(self):
        return super().argv() + (["-m"] if self.cluster.mock else [])


class Scheduler(Service):
    name, log_dir = "pbs_sched", "sched_logs"

    socket = None  # where it looks for the server, if not at its own socket

    def env(self):
        more = {"PBS_SERVER_SOCKET": self.socket} if self.socket else {}
        return dict(super().env(), **more)

    def config(self, name="sched_config"):
        """The path of one of the administrator's files."""
        return os.path.join(self.cluster.home, "sched_priv", name)

    def reconfigure(self):
        """Have it read its files again, and wait until it has."""
        def count():
            return sum("Scheduler is reconfiguring" in line for line in self.log_lines())
        before = count()
        self.send_signal(signal.SIGHUP)
        wait_for("the scheduler's files to be read", lambda: count() > before)

    def add_resource(self, *names):
        """These are compared with what vnodes have, as those of the installed file are."""
        wait_for("sched_config", lambda: os.path.exists(self.config()))
        with open(self.config()) as f:
            text = f.read()
        new = re.sub('^(resources: ".*)"', r'\1, %s"' % ", ".join(names), text, flags=re.M)
        assert new != text
        with open(self.config(), "w") as f:
            f.write(new)
        self.reconfigure()


class Server(Service):
    """The server, and what can be asked of it through the commands."""

    name, log_dir = "pbs_server", "server_logs"

    how = None

    def argv(self):
        fresh = not os.path.exists(os.path.join(self.cluster.home, "server_priv", "started"))
        how = "create" if fresh else self.how
        return super().argv() + (["-t", how] if how else [])

    def start(self, how=None):
        """how: "hot", for one that is not warm."""
        self.how = how
        super().start()
        open(os.path.join(self.cluster.home, "server_priv", "started"), "w").close()

    def wait_up(self):
        def answers():
            if not self.is_up():
                raise ExpectError("pbs_server ended: " + self.cluster.read("pbs_server.out"))
            return self.cluster.run(["qstat", "-B"], check=False).returncode == 0
        wait_for("an answer of pbs_server", answers)

    # what PTL calls the server's methods

    def manager(self, cmd, kind, attrs=None, id=None, user=None):
        """qmgr -c "set server scheduling=True" and its kin; attrs {name: value} or
        {name: (op, value)}."""
        parts = []
        for name, value in (attrs or {}).items():
            if cmd == MGR_CMD_UNSET:
                parts.append(name)
            else:
                op, value = value if isinstance(value, tuple) else ("=", value)
                parts.append("%s %s '%s'" % (name, op, value))
        words = [cmd, "node" if kind == VNODE else kind] + ([id] if id else [])
        line = " ".join(words) + " " + ", ".join(parts)
        return self.cluster.run(["qmgr", "-c", line], user=user).stdout

    def submit(self, what):
        """qsub or pbs_rsub; the id."""
        if isinstance(what, Job):
            path = self.cluster.write_script(what)
            out = self.cluster.run(["qsub"] + what.options() + [path], user=what.user).stdout
            return out.strip()
        out = self.cluster.run(["pbs_rsub"] + what.options(), user=what.user).stdout
        what.answer = out.strip()
        return what.answer.split()[0]

    def delete(self, id, user=None):
        cmd = "pbs_rdel" if id[0] in "RSM" else "qdel"
        self.cluster.run([cmd, id], user=user)

    def status(self, kind, id=None):
        """Objects as a list of dictionaries; "id" is the name."""
        cmd = {SERVER: ["qstat", "-Bf"], QUEUE: ["qstat", "-Qf"], JOB: ["qstat", "-f"],
               NODE: ["pbsnodes", "-v"], VNODE: ["pbsnodes", "-v"], RESV: ["pbs_rstat", "-f"]}[kind]
        if kind in (NODE, VNODE):
            cmd = ["pbsnodes", "-v", id] if id else ["pbsnodes", "-av"]
        elif id and kind != SERVER:
            cmd = cmd + [id]
        run = self.cluster.run(cmd, check=False)
        return parse_full(run.stdout)

    def expect(self, kind, attrs, id=None, op=EQ, deadline=DEADLINE):
        """Wait until the object's attributes are as given: {name: value} or
        {name: (op, value)}. op=UNSET with a name or kind alone: it is gone."""
        seen = []

        def holds():
            del seen[:]
            seen.extend(self.status(kind, id))
            if op == UNSET and not isinstance(attrs, dict):
                return not seen or all(attrs not in o for o in seen)
            return bool(seen) and all(matches(seen[0], name, want, op)
                                      for name, want in attrs.items())
        wait_for(lambda: "%s %s %s %s; it is %s" % (kind, id, op, attrs, seen), holds, deadline)
        return seen[0] if seen else None

    def accounting_lines(self):
        return day_file_lines(os.path.join(self.cluster.home, "server_priv", "accounting"))

    def accounting_match(self, text, regexp=False, deadline=DEADLINE):
        def found():
            return next((l for l in self.accounting_lines()
                         if (re.search(text, l) if regexp else text in l)), None)
        return wait_for("%s in the accounting file" % text, found, deadline)


def matches(obj, name, want, op=EQ):
    if isinstance(want, tuple):
        op, want = want
    have = obj.get(name)
    if op in (SET, UNSET):
        return (have is not None) == (op == SET)
    if have is None:
        return False
    if op == MATCH_RE:
        return re.search(str(want), have) is not None
    try:
        a, b = int(have), int(want)
    except ValueError:
        a, b = have, str(want)
    return {EQ: a == b, NE: a != b, GT: a > b, GE: a >= b, LT: a < b, LE: a <= b}[op]


OBJECT_LINE = re.compile(r"^(?:Job Id: |Server: |Queue: |Resv ID: )?([^\s=]+)$")


def parse_full(text):
    """The -f form of qstat, pbsnodes and pbs_rstat."""
    objects = []
    for line in text.replace("\n\t", "").splitlines():
        if " = " in line or line.rstrip().endswith(" ="):
            name, _, value = line.strip().partition(" =")
            if objects:
                objects[-1][name] = value[1:]
        else:
            found = OBJECT_LINE.match(line.rstrip())
            if found:
                objects.append({"id": found.group(1)})
    return [o for o in objects if len(o) > 1]
