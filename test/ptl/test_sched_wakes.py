# SPDX-License-Identifier: Apache-2.0
"""What starts a cycle of the scheduler (scheduling.md 2 and 3): what lets a job run that waits
is followed by one, without scheduler_iteration; and no request for a run is lost."""
import signal
import threading

import pytest

from holdfast import *
from holdfast.services import wait_for
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


def cycles(site):
    return sum("Starting Scheduling Cycle" in line for line in site.scheduler.log_lines())


def idle(site):
    """The server waits for no scheduler."""
    site.server.expect(SERVER, {"server_state": "Active"})


def at_rest(site):
    idle(site)
    return cycles(site)


def test_a_limit_of_a_queue_that_is_raised_starts_a_cycle(empty):
    """So do those of vnodes and of the server, each of them: test_sched_texts.py."""
    server = empty.server
    server.manager(MGR_CMD_SET, QUEUE, {"max_run": "[u:PBS_GENERIC=1]"}, id="workq")
    running_job(server)
    jid = waits(server)
    idle(empty)
    server.manager(MGR_CMD_SET, QUEUE, {"max_run": "[u:PBS_GENERIC=2]"}, id="workq")
    server.expect(JOB, {"job_state": "R"}, id=jid)
    server.manager(MGR_CMD_UNSET, QUEUE, {"max_run": ""}, id="workq")


@pytest.mark.parametrize("words", [["-l", "select=1:ncpus=2"], ["-P", "other"]],
                         ids=["a smaller select", "another project"])
def test_a_job_that_is_altered_runs(empty, words):
    server = empty.server
    server.manager(MGR_CMD_SET, SERVER, {"max_run": "[p:mine=0]"})
    jid = empty.run(["qsub", "-P", "mine" if "-P" in words else "his", "-l", "select=1:ncpus=%d" %
                     (2 if "-P" in words else 64), "--", "/bin/sleep", "1000"],
                    user=USER1).stdout.strip()
    server.expect(JOB, {"job_state": "Q", "comment": (SET, None)}, id=jid)
    idle(empty)
    empty.run(["qalter"] + words + [jid], user=USER1)
    server.expect(JOB, {"job_state": "R"}, id=jid)
    server.manager(MGR_CMD_UNSET, SERVER, {"max_run": ""})


def test_a_running_job_that_is_shortened_starts_a_cycle(empty):
    """What is planned behind it moves: others may run before that, or no more."""
    server = empty.server
    first = empty.run(["qsub", "-l", "select=1:ncpus=2:vnode=vn[0],walltime=90000", "--",
                       "/bin/sleep", "1000"], user=USER1).stdout.strip()
    server.expect(JOB, {"job_state": "R"}, id=first)
    before = at_rest(empty)
    empty.run(["qalter", "-l", "walltime=60", first])
    wait_for("a cycle", lambda: cycles(empty) == before + 1)


def test_what_lets_no_job_run_starts_no_cycle(empty):
    """Nor do what a scheduler writes itself, and attributes that it does not ask for. The last
    change starts one, and it is the only one."""
    server = empty.server
    jid = waits(server, "1:ncpus=64")
    before = at_rest(empty)
    empty.run(["qalter", "-N", "other", "-m", "n", jid], user=USER1)
    server.manager(MGR_CMD_SET, QUEUE, {"max_queued": "[u:PBS_GENERIC=500]"}, id="workq")
    server.manager(MGR_CMD_UNSET, QUEUE, {"max_queued": ""}, id="workq")
    server.manager(MGR_CMD_SET, SERVER, {"comment": "hello"})
    server.manager(MGR_CMD_SET, NODE, {"comment": "hello"}, id="vn[0]")
    idle(empty)
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    wait_for("a cycle", lambda: cycles(empty) > before)
    assert at_rest(empty) == before + 1


def test_many_changes_are_one_cycle_more(empty):
    """The scheduler stands still in the first one until all have been made."""
    server, sched = empty.server, empty.scheduler
    jid = waits(server, "1:ncpus=64")
    before = at_rest(empty)
    sched.send_signal(signal.SIGSTOP)
    try:
        for i in range(30):
            server.manager(MGR_CMD_SET, QUEUE, {"max_running": i + 10}, id="workq")
            empty.run(["qalter", "-p", str(i + 1), jid], user=USER1)
    finally:
        sched.send_signal(signal.SIGCONT)
    wait_for("two cycles", lambda: cycles(empty) == before + 2)
    assert at_rest(empty) == before + 2
    server.manager(MGR_CMD_UNSET, QUEUE, {"max_running": ""}, id="workq")


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
