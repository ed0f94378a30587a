# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL service of the test's own, from Debian's package, on a Unix socket."""
import csv
import glob
import io
import os
import pwd
import shutil
import signal
import subprocess
import tempfile

from .services import DEADLINE, wait_for


def binaries():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    assert found, "no PostgreSQL below /usr/lib/postgresql: install the package postgresql"
    return os.path.dirname(found[-1])


class Service:
    """start(), stop(immediately) and sql(); remove() ends it. As root it runs as postgres."""

    def __init__(self, directory):
        self.dir, self.bin, self.process = directory, binaries(), None
        self.kwargs = {"env": {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, "cwd": directory,
                       "stdin": subprocess.DEVNULL}
        self.user = pwd.getpwuid(os.geteuid()).pw_name
        if os.geteuid() == 0:
            entry = pwd.getpwnam("postgres")
            os.chown(directory, entry.pw_uid, entry.pw_gid)
            self.user = "postgres"
            self.kwargs.update(user=entry.pw_uid, group=entry.pw_gid, extra_groups=[])
        self.run("initdb", "-D", directory + "/data", "-A", "trust", "-U", self.user, "-E", "UTF8",
                 "--locale=C", "-N")

    def run(self, program, *args):
        return subprocess.run([os.path.join(self.bin, program)] + list(args), check=True,
                              capture_output=True, text=True, timeout=300, **self.kwargs).stdout

    def start(self):
        with open(os.path.join(self.dir, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [os.path.join(self.bin, "postgres"), "-D", self.dir + "/data",
                 "-c", "listen_addresses=", "-c", "unix_socket_directories=" + self.dir],
                stdout=log, stderr=log, start_new_session=True, **self.kwargs)
        wait_for("PostgreSQL", self.answers)

    def is_up(self):
        return self.process is not None

    def answers(self):
        assert self.process.poll() is None, open(os.path.join(self.dir, "log")).read()[-2000:]
        try:
            self.sql("SELECT 1", "postgres")
            return True
        except subprocess.CalledProcessError:
            return False

    def stop(self, immediately=False):
        """immediately: as if its machine had gone."""
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT if immediately else signal.SIGINT)
            self.process.wait(DEADLINE)
        self.process = None

    def remove(self):
        self.stop(immediately=True)
        shutil.rmtree(self.dir, ignore_errors=True)

    def sql(self, text, database):
        """The rows of the last statement, as lists of texts; None is null."""
        out = self.run("psql", "-X", "-q", "-h", self.dir, "-U", self.user, "-d", database,
                       "-v", "ON_ERROR_STOP=1", "--csv", "-t", "-P", "null=\x01",
                       "-c", "SET search_path TO holdfast", "-c", text)
        return [[None if v == "\x01" else v for v in row] for row in csv.reader(io.StringIO(out))]


_service = None


def service():
    """The one of this run; made at first use, for that takes seconds."""
    global _service
    if _service is None:
        _service = Service(tempfile.mkdtemp(prefix="hf-pg-", dir="/tmp"))
    if not _service.is_up():
        _service.start()
    return _service


def remove_service():
    if _service is not None:
        _service.remove()


class Database:
    """A database of one cluster in the service, which a test may stop() and start()."""

    count = 0

    def __init__(self):
        Database.count += 1
        self.service, self.name = service(), "pbs%d" % Database.count
        self.service.sql("CREATE DATABASE " + self.name, "postgres")
        self.start, self.stop = self.service.start, self.service.stop

    def url(self):
        return "postgresql:host=%s user=%s dbname=%s" % (self.service.dir, self.service.user,
                                                         self.name)

    def sql(self, text):
        return self.service.sql(text, self.name)

    def drop(self):
        if self.service.is_up():
            self.service.sql("DROP DATABASE %s WITH (FORCE)" % self.name, "postgres")
