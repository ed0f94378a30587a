# SPDX-License-Identifier: Apache-2.0
"""Jobs of an express queue make others leave: by suspension, requeue or deletion, and nobody else
(scheduling.md 22). Real processes, real daemons."""
import os
import re
import signal
import time

import pytest

from holdfast import *
from holdfast.peer import packet, reply
from holdfast.plain import Plain
from holdfast.services import wait_for
from holdfast.wire import Reader, string


@pytest.fixture(scope="module")
def cluster():
    """Two vnodes of two cpus each."""
    with Cluster(vnodes=2) as c:
        c.server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "execution", "started": "True",
                                                 "enabled": "True", "Priority": "200"}, id="hi")
        c.server.manager(MGR_CMD_SET, SCHED, {"log_events": "2047"}, id="default")
        yield c


@pytest.fixture(autouse=True)
def as_it_was(cluster):
    yield
    left = [job["id"] for job in cluster.server.status(JOB)]
    if left:
        cluster.run(["qdel", "-W", "force", *left], check=False)
    wait_for("no job is left", lambda: not cluster.server.status(JOB))
    for name in ("preempt_order", "preempt_prio", "sched_preempt_enforce_resumption"):
        cluster.server.manager(MGR_CMD_UNSET, SCHED, {name: None}, id="default")
    for name in ("max_run_soft", "restrict_res_to_release_on_suspend", "job_requeue_timeout"):
        cluster.server.manager(MGR_CMD_UNSET, SERVER, {name: None})


def order(cluster, text):
    cluster.server.manager(MGR_CMD_SET, SCHED, {"preempt_order": text}, id="default")


def submit(cluster, *options, user=USER1, ncpus=2, queue="workq", seconds=1000, chunks=1):
    return cluster.run(["qsub", "-q", queue, "-l", "select=%d:ncpus=%d" % (chunks, ncpus), *options, "--",
                        "/bin/sleep", str(seconds)], user=user).stdout.strip()


def running(cluster, *options, **what):
    jid = submit(cluster, *options, **what)
    cluster.server.expect(JOB, {"job_state": "R", "session_id": None}, id=jid, op=SET)
    return jid


def is_running(cluster, jid):
    cluster.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=jid)


def job(cluster, jid):
    return cluster.server.status(JOB, id=jid)[0]


def is_gone(cluster, jid):
    wait_for(jid + " is gone", lambda: cluster.run(["qstat", jid], check=False).returncode != 0)


def test_the_last_to_start_is_suspended_and_goes_on(cluster):
    first, began = running(cluster), time.time()
    wait_for("the next second", lambda: int(time.time()) > int(began))
    last = running(cluster)
    asks = running(cluster, queue="hi")
    cluster.server.expect(JOB, {"job_state": "S", "substate": "45"}, id=last)
    assert job(cluster, first)["job_state"] == "R"
    assert job(cluster, asks)["exec_vnode"] == job(cluster, last)["exec_vnode"]
    for words in ("%s;Employing preemption to try and run high priority job." % asks,
                  "%s;Simulation: preempting job" % last,
                  "%s;Job preempted by suspension" % last, "%s;Job run" % asks):
        cluster.scheduler.log_match(words)
    cluster.server.accounting_match(r";z;%s;" % re.escape(last), regexp=True)
    cluster.server.delete(asks)
    is_running(cluster, last)


def test_a_reservation_does_not_wait_for_who_leaves(cluster):
    """The MoM says nothing, so the requeue takes its time; the scheduler, which waits for
    it, is wanted for a reservation."""
    order(cluster, "R")
    cluster.server.manager(MGR_CMD_SET, SERVER, {"job_requeue_timeout": "3600"})
    victims = [running(cluster, "-l", "walltime=1800") for _ in range(2)]
    cluster.mom.send_signal(signal.SIGSTOP)
    try:
        asks = submit(cluster, "-l", "walltime=1800", queue="hi")
        wait_for("somebody is asked to leave", lambda: any(
            "Job Rerun at request of Scheduler" in l for l in cluster.server.log_lines()))
        rid = cluster.run(["pbs_rsub", "-I", "60", "-R", Reservation.clock(7200), "-D", "600",
                           "-l", "select=1:ncpus=1"], user=USER1).stdout
        assert rid.split()[1] == "CONFIRMED"
        assert [job(cluster, v)["job_state"] for v in victims] == ["R", "R"]
    finally:
        cluster.mom.send_signal(signal.SIGCONT)
    is_running(cluster, asks)
    cluster.server.delete(rid.split()[0])


def test_what_cannot_be_run_again_is_deleted(cluster):
    order(cluster, "RD")
    stays, goes = running(cluster, "-r", "y"), running(cluster, "-r", "n")
    asks = [running(cluster, queue="hi") for _ in range(2)]
    is_gone(cluster, goes)
    cluster.server.accounting_match(r";D;%s;requestor=Scheduler@" % re.escape(goes), regexp=True)
    cluster.server.log_match(";preemption method requeue failed for job (15038)")
    cluster.server.expect(JOB, {"job_state": "Q"}, id=stays)
    cluster.scheduler.log_match("%s;Job preempted by requeuing" % stays)
    cluster.scheduler.log_match("%s;Job preempted by deletion" % goes)
    cluster.server.delete(asks[0])
    is_running(cluster, stays)


def test_nobody_leaves_in_vain(cluster):
    """A job that would not fit anyhow, one of the same level, one that names no targets."""
    jobs = [running(cluster, queue="hi"), running(cluster)]
    asks = [submit(cluster, "-l", "select=2:ncpus=2", queue="hi"),
            submit(cluster, "-l", "preempt_targets=NONE", queue="hi"),
            submit(cluster)]
    for jid in asks:
        cluster.server.expect(JOB, {"comment": None}, id=jid, op=SET)
    cluster.scheduler.log_match("%s;No preemption set specified for the job: Job will not preempt"
                                % asks[1])
    for jid in jobs:
        assert job(cluster, jid)["job_state"] == "R"


def test_targets_are_chosen_from(cluster):
    """The job of the other queue would have been the first to leave."""
    cluster.server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "execution", "started": "True",
                                                   "enabled": "True"}, id="low")
    meant, other = running(cluster, queue="low"), running(cluster)
    running(cluster, "-l", "preempt_targets=queue=low", queue="hi")
    cluster.server.expect(JOB, {"substate": "45"}, id=meant)
    assert job(cluster, other)["job_state"] == "R"
    cluster.scheduler.log_match("Limited running jobs used for preemption from 2 to 1")


def test_who_is_over_a_soft_limit_makes_room(cluster):
    cluster.server.manager(MGR_CMD_SET, SCHED, {"preempt_prio": "express_queue, normal_jobs, "
                                                "server_softlimits"}, id="default")
    cluster.server.manager(MGR_CMD_SET, SERVER, {"max_run_soft": "[u:PBS_GENERIC=1]"})
    hers = [running(cluster), running(cluster)]
    running(cluster, user=USER2)
    # She is at her limit now, and nobody can take more from her.
    waits = submit(cluster, user=USER2)
    cluster.server.expect(JOB, {"comment": None}, id=waits, op=SET)
    assert sorted(job(cluster, jid)["job_state"] for jid in hers) == ["R", "S"]


def test_a_reservation_is_left_alone(cluster):
    """Its job is of a lower level, and its window is nobody's to run into."""
    rid = cluster.run(["pbs_rsub", "-I", "60", "-R", cluster.run(
        ["date", "-d", "+1 hour", "+%Y%m%d%H%M"]).stdout.strip(), "-D", "3600", "-l",
        "select=2:ncpus=2"], user=USER1).stdout.split()[0]
    try:
        jobs = [running(cluster, "-l", "walltime=60"), running(cluster, "-l", "walltime=60")]
        asks = submit(cluster, "-l", "walltime=7200", queue="hi")
        cluster.server.expect(JOB, {"comment": None}, id=asks, op=SET)
        assert [job(cluster, jid)["job_state"] for jid in jobs] == ["R", "R"]
        fits = running(cluster, "-l", "walltime=120", queue="hi")
        assert job(cluster, fits)["job_state"] == "R"
    finally:
        cluster.run(["pbs_rdel", rid.split(".")[0]])


def test_qrun_preempts(cluster):
    """Whatever the levels are."""
    jobs = [running(cluster), running(cluster)]
    waits = submit(cluster)
    cluster.server.expect(JOB, {"comment": None}, id=waits, op=SET)
    done = cluster.run(["qrun", waits], user="root", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    is_running(cluster, waits)
    assert sorted(job(cluster, jid)["job_state"] for jid in jobs) == ["R", "S"]


def test_what_was_preempted_has_its_place_kept(cluster):
    """With enforced resumption a small job does not run into the place of a suspended one."""
    cluster.server.manager(MGR_CMD_SET, SCHED, {"sched_preempt_enforce_resumption": "True"},
                           id="default")
    stands = running(cluster, "-l", "walltime=1000")
    other = running(cluster, "-l", "walltime=1000")
    asks = running(cluster, "-l", "walltime=500", queue="hi")
    jid = stands if job(cluster, stands)["job_state"] == "S" else other
    cluster.server.expect(JOB, {"topjob": "True", "estimated.start_time": None}, id=jid, op=SET)
    shown = job(cluster, jid)
    assert shown["estimated.exec_vnode"] == shown["exec_vnode"]
    cluster.server.delete(asks)
    is_running(cluster, jid)


@pytest.mark.parametrize("who", ["server", "scheduler"])
def test_it_goes_on_after_a_daemon_was_killed(cluster, who):
    jobs = [running(cluster), running(cluster)]
    asks = running(cluster, queue="hi")
    jid = next(j for j in jobs if job(cluster, j)["job_state"] == "S")
    daemon = getattr(cluster, who)
    daemon.kill()
    daemon.start()
    wait_for("the server answers", lambda: cluster.run(["qstat", "-B"], check=False).returncode == 0)
    cluster.server.expect(JOB, {"substate": "45"}, id=jid)
    is_running(cluster, asks)
    cluster.server.delete(asks)
    is_running(cluster, jid)


def test_a_job_gives_up_after_five_tries(cluster):
    """No MoM here makes images, so whoever is to leave stays, one after the other."""
    vnodes = ["vn[0]", "vn[1]"]
    before = {v: cluster.server.status(VNODE, id=v)[0]["resources_available.ncpus"] for v in vnodes}
    order(cluster, "C")
    for v in vnodes:
        cluster.server.manager(MGR_CMD_SET, VNODE, {"resources_available.ncpus": "3"}, id=v)
    try:
        victims = [running(cluster, ncpus=1) for _ in range(6)]
        asks = submit(cluster, ncpus=1, queue="hi")
        cluster.scheduler.log_match(";0080;pbs_sched;Job;%s;Maximum number of preemption tries exceeded - "
                                    "cannot run job" % asks)
        cluster.server.expect(JOB, {"comment": None}, id=asks, op=SET)
        for jid in victims:
            is_running(cluster, jid)
    finally:
        for v, n in before.items():
            cluster.server.manager(MGR_CMD_SET, VNODE, {"resources_available.ncpus": n}, id=v)


SIGNAL_JOB, RUN_REQUESTS, ASYRUN_JOB = 18, (15, 23, 97), 23


class Refuser(Plain):
    """Between the scheduler and the server: jobs of 'refused' are not run, nor do they go on."""

    def __init__(self, path, real):
        self.refused = set()
        super().__init__(path, real)

    def of_scheduler(self, text, near):
        if text == "+0":
            return text
        r = Reader(text)
        assert (r.number(), r.number()) == (2, 2)
        kind, _ = r.number(), r.string()
        if kind not in RUN_REQUESTS + (SIGNAL_JOB,) or r.string() not in self.refused:
            return text
        if kind != ASYRUN_JOB:
            near.sendall(packet(reply(15041, choice=7, body=string("no way"))))
        return None

    def of_server(self, text, far):
        return text


@pytest.fixture
def refuser(cluster):
    cluster.scheduler.stop()
    cluster.scheduler.socket = os.path.join(cluster.root, "between%d.sock" % time.time_ns())
    with Refuser(cluster.scheduler.socket, os.path.join(cluster.home, "ipc", "server.sock")) as between:
        cluster.scheduler.start()
        yield between
        cluster.scheduler.stop()
    assert between.broken == []
    cluster.scheduler.socket = None
    cluster.scheduler.start()


@pytest.mark.parametrize("method", ["S", "R"])
def test_who_left_in_vain_comes_first(cluster, refuser, method):
    """scheduling.md 22.2: the job for which another one has left does not run, so that one has its place again, whoever is
    first in the order; and where it cannot have it, the log says so."""
    def said(words, jid, n):
        wait_for("%d times %s" % (n, words), lambda: sum(
            ";Job;%s;%s" % (jid, words) in line for line in cluster.scheduler.log_lines()) >= n)

    order(cluster, method)
    victim = running(cluster, chunks=2)
    asks = submit(cluster, "-h", queue="hi", chunks=2)
    refuser.refused = {asks}
    cluster.run(["qrls", asks])
    said("Failed to run: no way (15041)", asks, 1)
    said("Preempted work didn't run job - rerun it", asks, 1)
    said("Job run", victim, 2)
    is_running(cluster, victim)
    assert not any(victim + ";Failed to rerun job" in line for line in cluster.scheduler.log_lines())
    # Whoever has come back wakes the next cycle, which leaves him alone.
    said("Insufficient amount of resource: ncpus", asks, 1)
    assert sum(victim + ";Job preempted" in line for line in cluster.scheduler.log_lines()) == 1
    # The next one that looks at all tries it again.
    refuser.refused = {asks, victim}
    cluster.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    cluster.scheduler.log_match(";0040;pbs_sched;Job;%s;Failed to rerun job: no way" % victim)
    refuser.refused = set()
    cluster.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    is_running(cluster, asks)
    cluster.server.delete(asks)
    is_running(cluster, victim)
