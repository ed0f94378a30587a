# SPDX-License-Identifier: Apache-2.0
"""What starts a cycle of the scheduler (scheduling.md 2 and 3): what lets a job run that waits
is followed by one, without scheduler_iteration; and no request for a run is lost."""
import threading

import pytest

from holdfast import *
from story import *


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=2) as c:
        yield c


@pytest.fixture
def empty(site):
    yield site
    site.run(["qdel"] + [j["id"] for j in site.server.status(JOB)], check=False)
    all_is_free(site)


def waits(server, select="1:ncpus=2"):
    """A job that the scheduler has looked at and left."""
    jid = server.submit(Job(attrs={"Resource_List.select": select}))
    server.expect(JOB, {"job_state": "Q", "comment": (SET, None)}, id=jid)
    return jid


def test_a_vnode_that_comes_back_starts_a_cycle(empty):
    server = empty.server
    for vnode in empty.vnode_names():
        set_offline(server, vnode)
    jid = waits(server)
    for vnode in empty.vnode_names():
        set_free(server, vnode)
    server.expect(JOB, {"job_state": "R"}, id=jid)


def test_a_limit_that_is_raised_starts_a_cycle(empty):
    server = empty.server
    server.manager(MGR_CMD_SET, SERVER, {"max_run": "[u:PBS_GENERIC=1]"})
    running_job(server)
    jid = waits(server)
    server.manager(MGR_CMD_UNSET, SERVER, {"max_run": ""})
    server.expect(JOB, {"job_state": "R"}, id=jid)


def test_more_of_a_resource_starts_a_cycle(empty):
    server = empty.server
    jid = waits(server, "1:ncpus=4:vnode=vn[0]")
    server.manager(MGR_CMD_SET, NODE, {"resources_available.ncpus": "4"}, id="vn[0]")
    server.expect(JOB, {"job_state": "R"}, id=jid)
    server.delete(jid)
    is_gone(server, JOB, jid)
    server.manager(MGR_CMD_SET, NODE, {"resources_available.ncpus": "2"}, id="vn[0]")


def test_a_queue_that_is_started_starts_a_cycle(empty):
    server = empty.server
    server.manager(MGR_CMD_SET, QUEUE, {"started": "False"}, id="workq")
    jid = waits(server)
    server.manager(MGR_CMD_SET, QUEUE, {"started": "True"}, id="workq")
    server.expect(JOB, {"job_state": "R"}, id=jid)


def test_many_requests_for_a_run_at_once(empty):
    """PBS has room for two."""
    server = empty.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    jobs = [server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1"})) for _ in range(4)]
    runs = [threading.Thread(target=empty.run, args=(["qrun", j],)) for j in jobs]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    for jid in jobs:
        server.expect(JOB, {"job_state": "R"}, id=jid)
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
