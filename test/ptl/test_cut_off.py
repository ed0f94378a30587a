# SPDX-License-Identifier: Apache-2.0
"""Hosts that cannot be reached for a while: the cable is pulled, and all runs on behind it."""
import contextlib
import os

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.wide import ImpatientCluster, needs_namespaces
from story import *

pytestmark = needs_namespaces()


@pytest.fixture(scope="module")
def c():
    with ImpatientCluster(3, config="$max_poll_downtime 5\n") as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def whole(c):
    """Each test begins and ends with all hosts there."""
    yield
    c.is_whole()


def processes(word):
    """On any host: pids of "sleep WORD"."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open("/proc/%s/cmdline" % pid, "rb") as f:
            if f.read().split(b"\0")[:2] == [b"sleep", word.encode()]:
                found.append(int(pid))
    return found


def job_on(c, host, word, *options):
    """A job that sleeps 'word' seconds on that host and may run on any other."""
    others = [name for name in c.names if name != host]
    for name in others:
        set_offline(c.server, name)
    jid = c.server.submit(Job(script="#!/bin/sh\n#PBS -N cut%s\n" % word +
                              "".join("#PBS %s\n" % o for o in options) + "sleep %s\n" % word))
    c.server.expect(JOB, {"job_state": "R", "exec_host": host + "/0"}, id=jid)
    wait_for("its program", lambda: len(processes(word)) == 1)
    for name in others:
        set_free(c.server, name)
    return jid


def test_a_job_of_a_lost_host_runs_elsewhere_and_not_twice(c):
    """What is left of the first run ends when the host is back; the second one goes on."""
    c.server.manager(MGR_CMD_SET, SERVER, {"node_fail_requeue": 3})
    jid = job_on(c, "h1", "3971")
    first = processes("3971")
    c.link(1, up=False)
    c.server.expect(JOB, {"job_state": "R", "run_count": 2}, id=jid, deadline=120)
    assert c.server.status(JOB, id=jid)[0]["exec_host"] in ("h0/0", "h2/0")
    c.server.log_match("%s;Job requeued, execution node h1 down" % jid)
    wait_for("the program of the second run", lambda: len(processes("3971")) == 2)
    c.link(1, up=True)
    wait_for("the end of the first run", lambda: not set(first) & set(processes("3971")), 120)
    assert len(processes("3971")) == 1
    c.server.expect(JOB, {"job_state": "R", "run_count": 2}, id=jid)
    c.server.delete(jid)
    wait_for("the end of " + jid, lambda: not c.server.status(JOB, id=jid))
    ends = [line for line in c.server.accounting_lines() if ";E;%s;" % jid in line]
    assert len(ends) == 1 and "run_count=2" in ends[0]


def test_a_job_that_is_not_rerunnable_ends_with_its_host(c):
    c.server.manager(MGR_CMD_SET, SERVER, {"node_fail_requeue": 3})
    jid = job_on(c, "h1", "3972", "-r n")
    c.link(1, up=False)
    c.server.log_match("%s;Job deleted, execution node h1 down" % jid, deadline=120)
    wait_for("the end of " + jid, lambda: not c.server.status(JOB, id=jid))
    c.server.accounting_match(";E;%s;" % jid)
    assert len(processes("3972")) == 1
    c.link(1, up=True)
    wait_for("the end of its processes", lambda: not processes("3972"), 120)


def test_a_short_cut_ends_nothing(c):
    """The host is down for the server meanwhile, and its job goes on."""
    c.server.manager(MGR_CMD_UNSET, SERVER, {"node_fail_requeue": None})
    jid = job_on(c, "h1", "3973")
    c.link(1, up=False)
    c.server.expect(VNODE, {"state": (MATCH_RE, "down")}, id="h1", deadline=120)
    c.link(1, up=True)
    c.server.expect(VNODE, {"state": (MATCH_RE, "^(free|job-busy)$")}, id="h1", deadline=120)
    c.server.expect(JOB, {"job_state": "R", "run_count": 1}, id=jid)
    assert len(processes("3973")) == 1
    c.server.delete(jid)
    wait_for("the end of " + jid, lambda: not c.server.status(JOB, id=jid))
    assert processes("3973") == []


def test_an_end_behind_the_cut_is_told_later(c):
    """The job has ended long before the host is back: it has not run again, and its own status is
    what the record says."""
    c.server.manager(MGR_CMD_UNSET, SERVER, {"node_fail_requeue": None})
    jid = job_on(c, "h1", "3974")
    c.link(1, up=False)
    c.server.expect(VNODE, {"state": (MATCH_RE, "down")}, id="h1", deadline=120)
    for pid in processes("3974"):
        os.kill(pid, 9)
    c.link(1, up=True)
    line = c.server.accounting_match(";E;%s;" % jid, deadline=120)
    assert "Exit_status=137" in line and "run_count=1" in line


def test_a_sister_that_is_lost_for_long_ends_the_run(c):
    """The mother superior gives up after $max_poll_downtime, and the job waits for hosts again; the
    sister ends what she has of it by herself."""
    jid = c.server.submit(Job(script="#!/bin/sh\n#PBS -N cut3975\n#PBS -l select=2:ncpus=2\n"
                                     "#PBS -l place=scatter:excl\nPATH=%s/bin:$PATH\n"
                                     "pbsdsh -- sleep 3975\n" % c.exec_dir))
    wait_for("two tasks", lambda: len(processes("3975")) == 2)
    hosts_of = c.server.status(JOB, id=jid)[0]["exec_host"].split("+")
    mother, sister = (int(h[1]) for h in (hosts_of[0], hosts_of[1]))
    if sister == 0:
        pytest.skip("the hub is not cut off")
    c.link(sister, up=False)
    c.moms[mother].log_match("lost communication with h%d" % sister, deadline=120)
    c.server.expect(JOB, {"run_count": (GE, 2)}, id=jid, deadline=180)
    c.link(sister, up=True)
    wait_for("one run of it", lambda: len(processes("3975")) <= 2, 180)
    c.server.delete(jid)
    wait_for("the end of " + jid, lambda: not c.server.status(JOB, id=jid))
    wait_for("the end of its tasks", lambda: processes("3975") == [], 120)
