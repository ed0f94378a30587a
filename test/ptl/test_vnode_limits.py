# SPDX-License-Identifier: Apache-2.0
"""Run limits of vnodes, on real daemons (scheduling.md 13)."""
import pytest

from holdfast import *


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=2, ncpus=4, mock=True) as c:
        yield c


@pytest.fixture
def empty(site):
    yield site
    site.server.manager(MGR_CMD_UNSET, VNODE, {"max_running": "", "max_user_run": "",
                                               "max_group_run": ""}, id="@default")
    site.no_jobs()


def submit(site, user=USER1):
    return site.run(["qsub", "-l", "select=1:ncpus=1", "--", "/bin/true"], user=user).stdout.strip()


def test_a_vnode_takes_so_many_jobs(empty):
    empty.server.manager(MGR_CMD_SET, VNODE, {"max_running": "1"}, id="@default")
    jobs = [submit(empty) for _ in range(3)]
    on = {empty.server.expect(JOB, {"job_state": "R"}, id=j)["exec_vnode"] for j in jobs[:2]}
    assert len(on) == 2
    empty.server.expect(JOB, {"job_state": "Q", "comment":
                              "Not Running: Node has reached job run limit"}, id=jobs[2])
    empty.scheduler.log_match("%s;Node has reached job run limit" % jobs[2])
    # The limit is changed, and the scheduler hears of it.
    vnode = empty.server.status(VNODE)[1]["id"]
    empty.server.manager(MGR_CMD_SET, VNODE, {"max_running": "2"}, id=vnode)
    job = empty.server.expect(JOB, {"job_state": "R"}, id=jobs[2])
    assert vnode in job["exec_vnode"]


def test_a_user_has_so_many_there(empty):
    empty.server.manager(MGR_CMD_SET, VNODE, {"max_user_run": "1"}, id="@default")
    mine = [submit(empty) for _ in range(3)]
    theirs = submit(empty, USER2)
    for j in mine[:2] + [theirs]:
        empty.server.expect(JOB, {"job_state": "R"}, id=j)
    empty.server.expect(JOB, {"job_state": "Q", "comment":
                              "Not Running: Node has reached user run limit"}, id=mine[2])
    # An administrator passes it; and when one ends there is room.
    empty.run(["qrun", mine[2]])
    empty.server.expect(JOB, {"job_state": "R"}, id=mine[2])
    waits = submit(empty, USER2)
    more = submit(empty, USER2)
    empty.server.expect(JOB, {"job_state": "R"}, id=waits)
    empty.server.expect(JOB, {"job_state": "Q"}, id=more)
    empty.server.delete(theirs)
    empty.server.expect(JOB, {"job_state": "R"}, id=more)
