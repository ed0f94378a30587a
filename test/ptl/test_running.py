# SPDX-License-Identifier: Apache-2.0
"""Suites are pointed at a PBS that runs already (HF_RUNNING), and leave it as they found it."""
import os
import subprocess
import sys

import pytest

from holdfast import *
from holdfast.cluster import Cluster

HERE = os.path.dirname(os.path.abspath(__file__))


@pytest.fixture
def site():
    """A site as an administrator may have it: things of its own, and settings."""
    with Cluster(vnodes=0) as c:
        c.run(["qmgr", "-c", "create queue ours queue_type=e,enabled=True,started=False"])
        c.run(["qmgr", "-c", "set server max_run = '[u:PBS_GENERIC=7]'"])
        c.run(["qmgr", "-c", "set server comment = 'hands off'"])
        # What its MoM says of the host is part of the picture.
        c.server.expect(VNODE, {"state": "free"}, id="localhost")
        c.kept = c.run(["qsub", "-h", "-q", "ours", "--", "/bin/true"], user=USER1).stdout.strip()
        yield c


def pointed_at(site, *cases):
    env = dict(os.environ, HF_RUNNING=site.conf)
    return subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rs",
                           *cases], cwd=HERE, env=env, text=True, capture_output=True, timeout=280)


def picture(site):
    return (site.run(["qmgr", "-c", "print server"]).stdout.splitlines(),
            site.run(["pbsnodes", "-av"]).stdout.split("license")[0].split("last_")[0].splitlines(),
            [j["id"] for j in site.server.status(JOB)], site.server.status(RESV))


def test_a_suite_is_pointed_at_it(site):
    site.server.manager(MGR_CMD_SET, SERVER, {"log_events": 511})
    before = picture(site)
    pids = [s.process.pid for s in (site.server, site.scheduler, site.mom, site.comm)]
    done = pointed_at(site, "test_run_limits.py", "test_resv_jobs.py", "test_mom.py::test_a_job_finds_its_world")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout and "failed" not in done.stdout
    for now, then in zip(picture(site), before):
        assert now == then
    assert pids == [s.process.pid for s in (site.server, site.scheduler, site.mom, site.comm)]
    assert site.mom.is_up() and site.server.is_up()


def test_what_would_stop_it_is_left_out(site):
    done = pointed_at(site, "test_kill.py::test_scheduler_and_router_may_die")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "this needs an installation of its own" in done.stdout and "1 skipped" in done.stdout
    assert site.scheduler.is_up() and site.comm.is_up()
