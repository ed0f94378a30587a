# SPDX-License-Identifier: Apache-2.0
"""The router is killed, or the cable of a host is pulled, while a job starts and ends on three
hosts: it runs once and to its end, and nothing of it is left anywhere."""
import os

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.wide import ImpatientCluster, needs_namespaces

pytestmark = needs_namespaces()

# What a MoM logs at a step, and which.
JOINED = (1, "JOIN_JOB as node")
BEGUN = (0, "Started, pid")
SPREAD = (1, "task 40000001 started")
OVER = (1, "KILL_JOB received")


@pytest.fixture(scope="module")
def c():
    with ImpatientCluster(3) as cluster:
        yield cluster


def told(c):
    """What each run of a job writes to, also one whose output is thrown away."""
    return os.path.join(c.root, "tmp", "told")


def submit(c):
    """Its tasks may be refused while hosts cannot reach each other; the job goes on."""
    return c.server.submit(Job(script="#!/bin/sh\n#PBS -N cut -j oe\n"
                                      "#PBS -l select=3:ncpus=2 -l place=scatter\n"
                                      "echo begun >> {told}.$PBS_JOBID\n"
                                      "{bin}/pbsdsh -- /bin/true\nsleep 1\n"
                                      "echo ended >> {told}.$PBS_JOBID\n".format(
                                          told=told(c), bin=os.path.join(c.exec_dir, "bin"))))


def router_dies(c):
    c.comm.kill()
    c.comm.start()


def cable_is_pulled(c):
    c.link(2, up=False)
    c.server.expect(VNODE, {"state": (MATCH_RE, "down")}, id="h2")
    c.link(2, up=True)


def records(c, jid):
    return [m.host_name for m in c.moms
            if os.path.exists(os.path.join(m.home, "mom_priv/jobs", jid + ".JB"))]


@pytest.mark.parametrize("breaks, step", [
    (router_dies, JOINED), (router_dies, BEGUN), (router_dies, SPREAD), (router_dies, OVER),
    (cable_is_pulled, JOINED), (cable_is_pulled, SPREAD)])
def test_a_start_that_is_cut_off(c, breaks, step):
    jid = submit(c)
    c.moms[step[0]].log_match("%s;%s" % (jid, step[1]))
    breaks(c)
    wait_for("the end of " + jid, lambda: not c.server.status(JOB, id=jid), deadline=120)
    assert c.read("tmp/told." + jid).split() == ["begun", "ended"]
    c.output(USER1, "cut.o" + jid.split(".")[0])
    assert len([line for line in c.server.accounting_lines() if ";E;%s;" % jid in line]) == 1
    for name in c.names:
        c.server.expect(VNODE, {"state": "free", "resources_assigned.ncpus": "0"}, id=name,
                        deadline=120)
    wait_for(lambda: "no record of it is left: %s" % records(c, jid), lambda: not records(c, jid),
             deadline=120)
