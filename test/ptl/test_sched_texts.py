# SPDX-License-Identifier: Apache-2.0
"""Why a job waits, text by text (scheduling.md 12): the comment of the job and the line of the
scheduler's log on real daemons. And when the reason goes, the job runs, without another event
and long before scheduler_iteration (3)."""
import re

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *

WEB = ["-P", "web"]


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=1, ncpus=4, mock=True) as c:
        set_offline(c.server, c.host)  # the MoM's own vnode, which has no processors
        yield c


@pytest.fixture
def empty(site):
    yield site
    site.no_jobs()


def submit(site, *options, select="1:ncpus=1"):
    return site.run(["qsub", "-l", "select=" + select, *options, "--", "/bin/true"],
                    user=USER1).stdout.strip()


def is_told(site, jid, comment, log, never=False):
    site.server.expect(JOB, {"job_state": "Q", "comment": "%s: %s" % (
        "Can Never Run" if never else "Not Running", comment)}, id=jid)
    site.scheduler.log_match(r";0040;[^;]*;Job;%s;%s$" % (re.escape(jid), re.escape(log)),
                             regexp=True)


S, Q, V = (SERVER, None), (QUEUE, "workq"), (VNODE, "vn[0]")
U, G = USER1, USER1  # the user's group has the user's name
# Code, what has the limit, the limit, what the job that waits is told, and the log where that is
# called otherwise.
LIMITS = [
    (16306, Q, "max_run", "[o:PBS_ALL=1]", "Queue workq job limit has been reached.",
     "Queue workq job limit reached"),
    (16306, Q, "max_running", "1", "Queue workq job limit has been reached.",
     "Queue workq job limit reached"),
    (16307, S, "max_run", "[o:PBS_ALL=1]", "Server job limit has been reached.",
     "Server job limit reached"),
    (16307, S, "max_running", "1", "Server job limit has been reached.",
     "Server job limit reached"),
    (16308, S, "max_run", "[u:PBS_GENERIC=1]", "User has reached server running job limit.",
     "Server per-user job limit reached"),
    (16309, Q, "max_run", "[u:PBS_GENERIC=1]", "User has reached queue workq running job limit.",
     "Queue workq per-user job limit reached"),
    (16309, Q, "max_user_run", "1", "User has reached queue workq running job limit.",
     "Queue workq per-user job limit reached"),
    (16310, S, "max_run", "[g:PBS_GENERIC=1]", "Group has reached server running limit.",
     "Server per-group limit reached"),
    (16311, Q, "max_run", "[g:PBS_GENERIC=1]", "Group has reached queue workq running limit.",
     "Queue workq per-group job limit reached"),
    (16324, Q, "max_run_res.ncpus", "[u:PBS_GENERIC=1]",
     "Queue workq per-user limit reached on resource ncpus", None),
    (16325, S, "max_run_res.ncpus", "[u:PBS_GENERIC=1]",
     "Server per-user limit reached on resource ncpus", None),
    (16326, Q, "max_run_res.ncpus", "[g:PBS_GENERIC=1]",
     "Queue workq per-group limit reached on resource ncpus", None),
    (16327, S, "max_run_res.ncpus", "[g:PBS_GENERIC=1]",
     "Server per-group limit reached on resource ncpus", None),
    (16332, V, "max_running", "1", "Node has reached job run limit", None),
    (16333, V, "max_user_run", "1", "Node has reached user run limit", None),
    (16334, V, "max_group_run", "1", "Node has reached group run limit", None),
    (16346, Q, "resources_available.ncpus", "1",
     "Insufficient amount of queue resource: ncpus (R: 1 A: 0 T: 1)", None),
    (16348, Q, "max_run", "[g:%s=1]" % G, "Queue workq job limit reached for group " + G, None),
    (16349, Q, "max_run", "[u:%s=1]" % U, "Queue workq job limit reached for user " + U, None),
    (16350, S, "max_run", "[g:%s=1]" % G, "Server job limit reached for group " + G, None),
    (16351, S, "max_run", "[u:%s=1]" % U, "Server job limit reached for user " + U, None),
    (16352, S, "max_run_res.ncpus", "[g:%s=1]" % G,
     "would exceed group %s's limit on resource ncpus in complex" % G, None),
    (16353, S, "max_run_res.ncpus", "[u:%s=1]" % U,
     "would exceed user %s's limit on resource ncpus in complex" % U, None),
    (16354, Q, "max_run_res.ncpus", "[g:%s=1]" % G,
     "would exceed group %s's limit on resource ncpus in queue workq" % G, None),
    (16355, Q, "max_run_res.ncpus", "[u:%s=1]" % U,
     "would exceed user %s's limit on resource ncpus in queue workq" % U, None),
    (16356, Q, "max_run_res.ncpus", "[o:PBS_ALL=1]",
     "would exceed overall limit on resource ncpus in queue workq", None),
    (16357, S, "max_run_res.ncpus", "[o:PBS_ALL=1]",
     "would exceed overall limit on resource ncpus in complex", None),
    (16369, S, "max_run", "[p:PBS_GENERIC=1]", "Project has reached server running limit.",
     "Server per-project limit reached"),
    (16370, S, "max_run_res.ncpus", "[p:PBS_GENERIC=1]",
     "Server per-project limit reached on resource ncpus", None),
    (16371, S, "max_run_res.ncpus", "[p:web=1]",
     "would exceed project web's limit on resource ncpus in complex", None),
    (16372, S, "max_run", "[p:web=1]", "Server job limit reached for project web", None),
    (16373, Q, "max_run", "[p:PBS_GENERIC=1]",
     "Project has reached queue workq's running limit.",
     "Queue workq per-project job limit reached"),
    (16374, Q, "max_run_res.ncpus", "[p:PBS_GENERIC=1]",
     "Queue workq per-project limit reached on resource ncpus", None),
    (16375, Q, "max_run_res.ncpus", "[p:web=1]",
     "would exceed project web's limit on resource ncpus in queue workq", None),
    (16376, Q, "max_run", "[p:web=1]", "Queue workq job limit reached for project web", None),
]


@pytest.mark.parametrize("code,where,name,value,comment,log", LIMITS,
                         ids=["%d %s" % (l[0], l[2]) for l in LIMITS])
def test_limits(empty, code, where, name, value, comment, log):
    """The second job is told, and runs when the limit is gone."""
    server, (kind, id) = empty.server, where
    server.manager(MGR_CMD_SET, kind, {name: value}, id=id)
    try:
        first = submit(empty, *WEB)
        server.expect(JOB, {"job_state": "R"}, id=first)
        second = submit(empty, *WEB)
        is_told(empty, second, comment, log or comment)
        server.expect(SERVER, {"server_state": "Active"})
    finally:
        server.manager(MGR_CMD_UNSET, kind, {name: ""}, id=id)
    server.expect(JOB, {"job_state": "R"}, id=second)


def test_a_stopped_queue(empty):
    server = empty.server
    server.manager(MGR_CMD_SET, QUEUE, {"started": "False"}, id="workq")
    jid = submit(empty)
    is_told(empty, jid, "Queue not started.", "Queue not started")
    server.manager(MGR_CMD_SET, QUEUE, {"started": "True"}, id="workq")
    server.expect(JOB, {"job_state": "R"}, id=jid)


# What one job has, what the next one asks for, what that one is told.
SHORT = [
    (16339, "1:ncpus=1", "1:ncpus=4", [], False,
     "Insufficient amount of resource: ncpus (R: 4 A: 3 T: 4)"),
    (16339, None, "1:ncpus=5", [], True,
     "Insufficient amount of resource: ncpus (R: 5 A: 4 T: 4)"),
    (16339, None, "1:ncpus=1:host=nowhere", [], True,
     "Insufficient amount of resource: host (nowhere != HOST)"),
    (16368, "1:ncpus=4", "1:ncpus=1", [], False, "Not enough free nodes available"),
    (16377, None, "3:ncpus=1", ["-l", "place=scatter"], True, "Not enough total nodes available"),
]


@pytest.mark.parametrize("code,has,asks,options,never,text", SHORT,
                         ids=["%d %s" % (s[0], s[2]) for s in SHORT])
def test_what_is_short(empty, code, has, asks, options, never, text):
    if has:
        first = submit(empty, select=has)
        empty.server.expect(JOB, {"job_state": "R"}, id=first)
    jid = submit(empty, *options, select=asks)
    host = empty.server.status(VNODE)[0]["resources_available.host"]
    is_told(empty, jid, text.replace("HOST", host), text.replace("HOST", host), never)
    if never:
        empty.scheduler.log_match("%s;Job will never run with the resources currently configured "
                                  "in the complex" % jid)
    else:
        empty.server.delete(first)
        empty.server.expect(JOB, {"job_state": "R"}, id=jid)


def test_a_vnode_that_is_in_use(empty):
    """16331."""
    text = "Job is requesting an exclusive node and node is in use"
    first = submit(empty)
    empty.server.expect(JOB, {"job_state": "R"}, id=first)
    jid = submit(empty, "-l", "place=excl")
    is_told(empty, jid, text, text)
    empty.server.delete(first)
    empty.server.expect(JOB, {"job_state": "R"}, id=jid)


def test_a_chunk_that_is_larger_than_each_vnode():
    """All together have enough, and PBS says that the job does not run, without a number."""
    with Cluster(vnodes=3, ncpus=2, mock=True) as c:
        for i in range(3):  # a chunk may lie on all vnodes of a host
            c.server.manager(MGR_CMD_SET, VNODE, {"resources_available.host": "h%d" % i},
                             id="vn[%d]" % i)
        jid = submit(c, select="1:ncpus=3")
        text = "Insufficient amount of resource: ncpus (R: 3 A: 2 T: 2)"
        is_told(c, jid, text, text, never=True)
        # One with enough comes: now it can.
        c.server.manager(MGR_CMD_SET, VNODE, {"resources_available.ncpus": 3}, id="vn[1]")
        assert job_vnodes(c.server, c.server.expect(JOB, {"job_state": "R"}, id=jid)["id"]) == \
            ["vn[1]"]


def test_a_reservation_is_in_the_way(empty):
    """16340: the job has no walltime. With a short one it runs."""
    server = empty.server
    r = Reservation(select="1:ncpus=4", start=3600, duration=600, interactive=60)
    rid = server.submit(r)
    assert r.answer.endswith("CONFIRMED")
    text = "Job would conflict with reservation or top job"
    jid = submit(empty)
    is_told(empty, jid, text, text)
    empty.run(["qalter", "-l", "walltime=60", jid], user=USER1)
    server.expect(JOB, {"job_state": "R"}, id=jid)
    server.delete(rid)


def test_a_nonprime_queue(empty):
    """16319: it is prime time for ever."""
    server = empty.server
    server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "execution", "started": "True",
                                           "enabled": "True"}, id="np_night")
    jid = submit(empty, "-q", "np_night")
    is_told(empty, jid, "Job will run in nonprimetime only", "Job only runs in nonprimetime")


def test_an_array_that_may_run_so_many(empty):
    """16380: the array is told in the log only, and runs more when it may."""
    server = empty.server
    jid = empty.run(["qsub", "-J", "1-3%1", "-l", "select=1:ncpus=1", "--", "/bin/true"],
                    user=USER1).stdout.strip()
    server.expect(JOB, {"job_state": "B", "comment": (MATCH_RE, "^Job Array Began at ")}, id=jid)
    empty.scheduler.log_match("%s;Number of concurrent running subjobs limit reached" % jid)

    def running():
        lines = empty.run(["qstat", "-t", jid]).stdout.splitlines()
        return sum(" R " in line for line in lines)
    wait_for("one subjob", lambda: running() == 1)
    empty.run(["qalter", "-Wmax_run_subjobs=3", jid], user=USER1)
    wait_for("three subjobs", lambda: running() == 3)


def test_a_vnode_that_reservations_may_not_use(empty):
    """16342: told of the reservation."""
    server = empty.server
    server.manager(MGR_CMD_SET, VNODE, {"resv_enable": "False"}, id="vn[0]")
    try:
        r = Reservation(select="1:ncpus=1", start=3600, duration=60, interactive=60)
        rid = server.submit(r)
        assert r.answer.endswith("DENIED")
        empty.scheduler.log_match("%s;PBS Failed to confirm resv: Node not eligible for advance "
                                  "reservation" % rid)
    finally:
        server.manager(MGR_CMD_SET, VNODE, {"resv_enable": "True"}, id="vn[0]")
