# SPDX-License-Identifier: Apache-2.0
"""Jobs over several hosts, on three hosts in namespaces."""
import pytest

from holdfast import *
from holdfast import hosts
from holdfast.wide import WideCluster

REFUSAL = None if ROOTLESS else hosts.refusal()
pytestmark = [pytest.mark.skipif(ROOTLESS, reason="needs root: namespaces"),
              pytest.mark.skipif(REFUSAL is not None,
                                 reason="no network namespaces: %s" % REFUSAL)]


@pytest.fixture(scope="module")
def c():
    with WideCluster(3) as cluster:
        yield cluster


def three(c, script, options=()):
    return c.server.submit(Job(script="#!/bin/sh\n#PBS -l select=3:ncpus=1 -l place=scatter\n" +
                               "".join("#PBS %s\n" % o for o in options) + script))


def test_a_job_over_three_hosts_runs_and_ends(c):
    jid = three(c, "cat $PBS_NODEFILE; sleep 2\n")
    c.server.expect(JOB, {"job_state": "R"}, id=jid)
    for mom in c.moms[1:]:
        mom.log_match("%s;JOIN_JOB as node" % jid)
    job = c.server.status(JOB, id=jid)[0]
    assert sorted(job["exec_host"].split("+")) == ["h0/0", "h1/0", "h2/0"], job["exec_host"]
    for mom in c.moms[1:]:
        mom.log_match("%s;KILL_JOB received" % jid)
        mom.log_match("%s;DELETE_JOB received" % jid)
    c.server.accounting_match("E;%s;" % jid)
