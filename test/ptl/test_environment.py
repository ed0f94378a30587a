# SPDX-License-Identifier: Apache-2.0
"""pbs_environment: the environment of server, scheduler and MoM, and of what they start
(operations.md 4)."""
import os
import re
import signal
import time

import pytest

from holdfast import *
from holdfast.services import wait_for

HOUR_S = 3600
# Who starts the daemons has these.
OF_THE_SHELL = {"TZ": "UTC", "LANG": "C", "SHELL_ONLY": "shell", "TAKEN": "of the shell"}
TEXT = """# What the site wants.
PATH=/usr/bin:/bin:/site/bin
TZ=%s
LD_LIBRARY_PATH=/site/lib
LANG=C.UTF-8
TAKEN

 IGNORED=x
"""


class SiteCluster(Cluster):
    zone = "AAA-5"

    def env(self):
        return dict(super().env(), **OF_THE_SHELL)

    def prepare(self):
        super().prepare()
        self.write("home/pbs_environment", TEXT % self.zone)


@pytest.fixture(scope="module")
def cluster():
    with SiteCluster(vnodes=1) as c:
        yield c


def hours_ahead(line):
    """Of UTC, by the time of a line that was written a moment ago."""
    text = re.match(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d", line).group()
    there = time.strptime(text, "%m/%d/%Y %H:%M:%S")
    return round((time.mktime(there) - time.mktime(time.gmtime())) / HOUR_S)


def put(cluster, text):
    cluster.write("home/pbs_environment", text)


def variables(cluster):
    """Of a job that runs now."""
    path = os.path.join(cluster.root, "tmp", "variables")
    jid = cluster.run(["qsub", "-j", "oe", "-o", path, "--", "/usr/bin/env"],
                      user=USER1).stdout.strip()
    cluster.server.accounting_match(";E;%s;" % jid)
    with open(path) as f:
        found = dict(line.split("=", 1) for line in f.read().splitlines() if "=" in line)
    os.unlink(path)
    return found


def start_by_hand(cluster, service):
    return cluster.run([os.path.join(cluster.exec_dir, "sbin", service.name), "-N"], check=False,
                       timeout=60)


@pytest.mark.parametrize("who", ["server", "scheduler", "mom"])
def test_a_daemon_lives_by_it(cluster, who):
    service = getattr(cluster, who)
    service.log_match("0002;%s;n/a;setup_env;read environment from %s/pbs_environment"
                      % (r"Server@[^;]*" if who == "server" else service.name, re.escape(cluster.home)),
                      regexp=True)
    service.restart()
    lines = service.log_lines()
    assert {hours_ahead(line) for line in lines} == {5}, lines


def test_jobs_have_it_and_nothing_of_who_started_the_mom(cluster):
    has = variables(cluster)
    assert has["PATH"] == "/usr/bin:/bin:/site/bin" and has["LD_LIBRARY_PATH"] == "/site/lib"
    assert has["TZ"] == "AAA-5" and has["TAKEN"] == "of the shell"
    assert not {"SHELL_ONLY", "IGNORED", "PBS_CONF_FILE"} & set(has), has


def test_the_mom_reads_it_again_on_hup(cluster):
    """What is wrong then leaves it as it was."""
    def hup(words):
        before = sum(words in line for line in cluster.mom.log_lines())
        cluster.mom.send_signal(signal.SIGHUP)
        wait_for(words, lambda: sum(words in line for line in cluster.mom.log_lines()) > before)

    put(cluster, "PATH=/usr/bin:/bin\nTZ=BBB-7\nNEW=1\nTAKEN\n")
    assert "NEW" not in variables(cluster), "not before the signal"
    hup("setup_env;read environment from ")
    has = variables(cluster)
    assert has["NEW"] == "1" and has["TAKEN"] == "of the shell" and "LD_LIBRARY_PATH" not in has
    assert hours_ahead([line for line in cluster.mom.log_lines() if "setup_env" in line][-1]) == 7
    put(cluster, "".join("V%d=x\n" % i for i in range(65)))
    hup(";0001;pbs_mom;n/a;setup_env;Could not set up the environment")
    put(cluster, "NEW=2\n")
    os.chmod(cluster.home + "/pbs_environment", 0o666)
    hup("pbs_environment: others may write it")
    assert variables(cluster)["NEW"] == "1"
    put(cluster, TEXT % cluster.zone)
    hup("setup_env;read environment from ")
    assert "NEW" not in variables(cluster)


@pytest.mark.parametrize("who,status", [("server", 3), ("scheduler", 1), ("mom", 1)])
def test_more_than_it_may_have_ends_the_start(cluster, who, status):
    service = getattr(cluster, who)
    service.stop()
    for text in ("".join("V%d=x\n" % i for i in range(65)), "V=" + 8190 * "x" + "\n"):
        put(cluster, text)
        done = start_by_hand(cluster, service)
        assert done.returncode == status, done
        assert done.stderr.endswith(": Could not set up the environment\n")
        assert "/pbs_environment: line " in done.stderr
    assert sum(";setup_env;Could not set up the environment" in line
               for line in service.log_lines()) >= 2
    # As many as there may be, and none at all.
    put(cluster, "".join("V%d=x\n" % i for i in range(63)) + "V=" + 8189 * "x" + "\n")
    service.start()
    service.stop()
    os.unlink(cluster.home + "/pbs_environment")
    service.start()
    put(cluster, TEXT % cluster.zone)
    service.restart()
    cluster.wait_nodes()


@pytest.mark.skipif(ROOTLESS, reason="needs root: others cannot write for root")
@pytest.mark.parametrize("who,status,words", [
    ("server", 3, "chmod go-w"), ("scheduler", 1, ""), ("mom", 3, "one of chk_file_sec failed")])
def test_one_that_others_could_have_written_ends_the_start(cluster, who, status, words):
    service = getattr(cluster, who)
    service.stop()
    os.chmod(cluster.home + "/pbs_environment", 0o664)
    try:
        done = start_by_hand(cluster, service)
        assert done.returncode == status and words in done.stderr, done
        assert (who == "scheduler") == (done.stderr == ""), done
    finally:
        os.chmod(cluster.home + "/pbs_environment", 0o644)
    service.start()
    cluster.wait_nodes()
