# SPDX-License-Identifier: Apache-2.0
"""Two servers on this host: jobs that go from one to the other, whatever dies on the way."""
import os
import random
import re
import signal
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.terminal import Terminal
from holdfast.two_servers import *

pytestmark = needs_root


def test_a_job_goes_and_runs_there(two):
    a, b = two
    jid = a.server.submit(Job(USER1, attrs={"Resource_List.walltime": "00:10:00"},
                              script="#!/bin/sh\necho it ran\n"))
    assert qmove(a, "workq@" + b.address, jid) == (0, "")
    there = b.server.expect(JOB, {"job_state": "Q", "queue": "workq"}, id=jid + "@" + b.host)
    assert there["Job_Owner"].split("@")[0] == str(USER1)
    assert there["Resource_List.walltime"] == "00:10:00"
    here = full(a, jid)
    assert (here["job_state"], here["substate"]) == ("M", "94")
    assert here["comment"] == 'Job has been moved to "workq@%s"' % b.address
    # Whichever name of its host the other server has told meanwhile.
    assert re.fullmatch("workq@.+:%d" % b.ports["server"], here["queue"]), here["queue"]
    a.server.accounting_match(";M;%s;destination=workq@%s" % (jid, b.host))
    b.server.accounting_match(";Q;%s;" % jid)
    a.server.log_match('%s;Job Moved to destination: "workq@%s"' % (jid, b.address))
    b.server.log_match("%s;enqueuing into workq, state Q hop 2" % jid)
    b.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    wait_for("its end", lambda: state(b, jid) == "F")
    assert full(b, jid)["Exit_status"] == "0"


def test_commands_are_told_where_it_is(two):
    a, b = two
    jid = a.run(["qsub", "-h", "--", "/bin/true"], user=USER1).stdout.strip()
    assert qmove(a, "@" + b.address, jid) == (0, "")
    assert b.server.status(JOB, jid + "@" + b.host)[0]["job_state"] == "H"
    assert jid.split(".")[0] in a.run(["qstat", jid]).stdout
    done = a.run(["qrls", jid], user=USER1, check=False)
    assert done.returncode == 0, done.stderr
    b.server.expect(JOB, {"job_state": "Q"}, id=jid + "@" + b.host)
    for command in (["qalter", "-N", "far"], ["qhold"], ["qdel"]):
        done = a.run(command + [jid], user=USER1, check=False)
        assert (done.returncode, done.stderr) == (0, ""), command
    wait_for("its end", lambda: state(b, jid) == "F")
    assert full(b, jid)["Job_Name"] == "far"


@pytest.mark.parametrize("queue", ["", "workq"])
def test_default_arguments_name_another_server(two, queue):
    """The destination among default_qsub_arguments may be a queue elsewhere: the job goes there, unless
    another one was asked for (cli.md 3.2)."""
    a, b = two
    a.server.manager(MGR_CMD_SET, SERVER,
                     {"default_qsub_arguments": "-N far -q %s@%s" % (queue, b.address)})
    try:
        jid = a.run(["qsub", "-h", "--", "/bin/true"], user=USER1).stdout.strip()
        there = b.server.status(JOB, jid)[0]
        assert (there["Job_Name"], there["queue"]) == ("far", "workq")
        assert there["server"] == b.host
        here = a.run(["qsub", "-h", "-q", "workq", "--", "/bin/true"], user=USER1).stdout.strip()
        assert a.server.status(JOB, here)[0]["server"] == a.host
        a.server.manager(MGR_CMD_SET, SERVER,
                         {"default_qsub_arguments": "-q @nosuch.invalid"})
        done = a.run(["qsub", "-h", "--", "/bin/true"], user=USER1, check=False)
        assert (done.returncode, done.stdout) == (15008 & 255, "")
        assert done.stderr.startswith("Unknown Host.\nqsub: cannot connect to server ")
    finally:
        a.server.manager(MGR_CMD_UNSET, SERVER, {"default_qsub_arguments": None})


class Both:
    """Further servers of a complex."""

    def __init__(self, *complexes):
        self.address = ",".join(c.address for c in complexes)


def test_the_first_server_knows_where_a_job_went_on_to(two):
    """alpha made it, beta had it, gamma has it: commands at alpha reach it (TrackJob)."""
    a, b = two
    c = Complex("gamma")
    c.other = Both(a, b)
    a.other = Both(b, c)
    a.write_conf()
    try:
        with c:
            c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False",
                                                   "job_history_enable": "True"})
            jid = a.run(["qsub", "-h", "--", "/bin/true"], user=USER1).stdout.strip()
            assert qmove(a, "@" + b.address, jid) == (0, "")
            done = b.run(["qmove", "workq@" + c.address, jid + "@" + b.host], user=USER1,
                         check=False)
            assert (done.returncode, done.stderr) == (0, "")
            wait_for("the word of gamma", lambda: a.run(["qalter", "-N", "far", jid], user=USER1,
                                                        check=False).returncode == 0)
            assert full(c, jid)["Job_Name"] == "far"
            assert (state(a, jid), state(b, jid)) == ("M", "M")
            assert a.run(["qdel", jid], user=USER1, check=False).returncode == 0
            wait_for("its end", lambda: state(c, jid) == "F")
    finally:
        a.other = b
        a.write_conf()


def test_an_array_goes_before_it_begins(two):
    a, b = two
    array = a.run(["qsub", "-J", "1-3", "--", "/bin/true"], user=USER1).stdout.strip()
    assert qmove(a, "workq@" + b.address, array) == (0, "")
    there = b.server.expect(JOB, {"array_indices_submitted": "1-3"}, id=array + "@" + b.host)
    assert there["job_state"] == "Q"
    b.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    wait_for("its end", lambda: state(b, array) == "F")
    ends = [l for l in b.server.accounting_lines()
            if re.search(r";E;%s\[\d+\]" % array.split("[")[0], l)]
    assert len(ends) == 3


def test_a_server_that_does_not_answer(two):
    """It is not waited for for ever, and has nothing when it goes on."""
    a, b = two
    jid = a.server.submit(Job(USER1))
    b.server.send_signal(signal.SIGSTOP)
    code, words = qmove(a, "workq@" + b.address, jid)
    assert "No answer of server %s" % b.address in words, words
    a.server.expect(JOB, {"job_state": "Q"}, id=jid)
    b.server.send_signal(signal.SIGCONT)
    assert state(b, jid) is None
    assert qmove(a, "workq@" + b.address, jid) == (0, "")


def test_refusals_leave_the_job(two):
    a, b = two
    jid = a.server.submit(Job(USER1))
    assert qmove(a, "nosuch@" + b.address, jid) == (18 + 152, "qmove: Unknown queue " + jid)
    b.server.manager(MGR_CMD_SET, QUEUE, {"enabled": "False"}, id="workq")
    code, words = qmove(a, "workq@" + b.address, jid)
    assert words == "qmove: Queue is not enabled " + jid
    code, words = qmove(a, "workq@no.such.host.invalid", jid)
    assert words == "qmove: Access from host not allowed, or unknown host " + jid
    code, words = qmove(a, "workq@localhost:1", jid)
    assert "Cannot connect to server localhost:1: Connection refused" in words, words
    code, words = qmove(a, "workq@" + b.address, jid, user=USER2)
    assert words == "qmove: Unauthorized Request  " + jid
    a.server.expect(JOB, {"job_state": "Q", "queue": "workq"}, id=jid)
    assert state(b, jid) is None
    dependent = a.server.submit(Job(USER1, attrs={"depend": "afterok:" + jid}))
    for each in (jid, dependent):
        assert qmove(a, "workq@" + b.address, each)[1].startswith(
            "qmove: No support for requested service")


def test_it_comes_back(two):
    a, b = two
    jid = a.server.submit(Job(USER1))
    assert qmove(a, "workq@" + b.address, jid) == (0, "")
    done = b.run(["qmove", "workq@" + a.address, jid + "@" + b.host], user=USER1, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    a.server.expect(JOB, {"job_state": "Q"}, id=jid)
    assert state(b, jid) == "M"
    assert qmove(a, "workq@" + b.address, jid) == (0, "")
    b.server.expect(JOB, {"job_state": "Q"}, id=jid + "@" + b.host)


@pytest.mark.parametrize("first", ["sender", "receiver"])
def test_a_server_that_dies_meanwhile(two, first):
    """The receiver stands still and has the requests before it; then one of them is killed."""
    a, b = two
    jid = a.server.submit(Job(USER1))
    b.server.send_signal(signal.SIGSTOP)
    asks = in_thread(lambda: qmove(a, "workq@" + b.address, jid))
    wait_for("the move", lambda: state(a, jid) == "T")
    (a if first == "sender" else b).server.kill()
    b.server.send_signal(signal.SIGCONT) if first == "sender" else b.server.start()
    if first == "sender":
        a.server.start()
    asks.join()
    wait_for("the end of the move", lambda: state(a, jid) in ("M", "Q"))
    places = [state(a, jid) == "Q", state(b, jid) == "Q"]
    assert sorted(places) == [False, True], places
    if first == "sender":
        assert places[1]


def test_no_job_is_lost_and_none_runs_twice(two):
    """Servers are killed while jobs move, again and again; each job leaves one line."""
    a, b = two
    rng = random.Random(4711)
    mark = os.path.join(a.root, "tmp", "ran")
    jobs = [a.server.submit(Job(USER1, script="#!/bin/sh\necho $PBS_JOBID >> %s\n" % mark))
            for _ in range(12)]
    for jid in jobs:
        asks = in_thread(lambda: qmove(a, "workq@" + b.address, jid))
        time.sleep(rng.random() * 0.03)  # at any moment; nothing is waited for
        victim = rng.choice((a, b))
        victim.server.kill()
        victim.server.start()
        asks.join()
    for jid in jobs:
        wait_for("an end of " + jid, lambda: state(a, jid) in ("M", "Q"), 120)
    if not any(state(a, jid) == "M" for jid in jobs):  # every kill came before a move
        assert qmove(a, "workq@" + b.address, jobs[0])[0] == 0
    for c in two:
        c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    wait_for("all lines", lambda: os.path.exists(mark) and len(open(mark).readlines()) >= 12)
    for jid in jobs:
        wait_for("the end of " + jid,
                 lambda: state(b if state(a, jid) == "M" else a, jid) == "F")
    assert sorted(l.strip() for l in open(mark)) == sorted(jobs)


def test_a_server_may_be_trusted_by_nobody(two):
    """Without reserved ports no server is believed: the reason is told, the job stays."""
    a, b = two
    jid = a.server.submit(Job(USER1))
    b.methods = "clusterkey"
    b.write_conf()
    b.server.restart()
    try:
        code, words = qmove(a, "workq@" + b.address, jid)
        assert words == "qmove: Invalid credential " + jid
        a.server.expect(JOB, {"job_state": "Q"}, id=jid)
    finally:
        b.methods = Complex.methods
        b.write_conf()
        b.server.restart()


# peer_queue: beta's scheduler pulls the jobs that wait at alpha (scheduling.md 28).

def sched_config(c, *lines):
    path = c.scheduler.config()
    wait_for("sched_config", lambda: os.path.exists(path))
    with open(path) as f:
        kept = [l for l in f.read().splitlines() if not l.startswith(("peer_queue", "job_sort_key"))]
    with open(path, "w") as f:
        f.write("\n".join(kept + list(lines)) + "\n")
    c.scheduler.reconfigure()


@pytest.fixture
def pulling(two):
    """alpha has a queue that runs nothing itself, and beta pulls from it."""
    a, b = two
    a.server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "Execution", "enabled": "True",
                                             "started": "False"}, id="far")
    sched_config(b, 'peer_queue: "workq far@%s"' % a.address)
    try:
        yield a, b
    finally:
        sched_config(b)
        a.no_jobs()
        a.server.manager(MGR_CMD_DELETE, QUEUE, id="far")


def cycle(c):
    c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})


def test_a_job_is_pulled_and_runs(pulling):
    a, b = pulling
    jid = a.server.submit(Job(USER1, attrs={"queue": "far"}))
    a.server.expect(JOB, {"job_state": "Q", "queue": "far"}, id=jid)
    cycle(b)
    job = b.server.expect(JOB, {"job_state": "R", "queue": "workq"}, id=jid + "@" + b.host)
    assert job["exec_vnode"].startswith("(vn[0]")
    assert state(a, jid) == "M"
    a.server.accounting_match(";M;%s;destination=workq@%s" % (jid, b.host))
    b.server.accounting_match(";Q;%s;" % jid)
    b.server.accounting_match(";S;%s;" % jid)


def test_only_what_can_run_is_pulled(pulling):
    """The vnode has four cpus: a job that is too large now, an array and a held job stay, and
    nothing is written into them."""
    a, b = pulling
    held = a.run(["qsub", "-h", "-q", "far", "--", "/bin/true"], user=USER1).stdout.strip()
    array = a.run(["qsub", "-J", "1-3", "-q", "far", "--", "/bin/true"], user=USER1).stdout.strip()
    large = a.server.submit(Job(USER1, attrs={"queue": "far", "Resource_List.select": "1:ncpus=3"}))
    first = a.server.submit(Job(USER1, attrs={"queue": "far", "Resource_List.select": "1:ncpus=3"}))
    cycle(b)
    wait_for("one of the two", lambda: sorted(map(lambda j: state(a, j), (large, first)))
             == ["M", "Q"])
    b.scheduler.log_match("Leaving Scheduling Cycle")
    stays = large if state(a, large) == "Q" else first
    goes = first if stays == large else large
    b.server.expect(JOB, {"job_state": "R"}, id=goes + "@" + b.host)
    assert [state(a, j) for j in (held, array, stays)] == ["H", "Q", "Q"]
    assert "comment" not in full(a, stays)
    b.run(["qdel", "-W", "force", goes + "@" + b.host])
    b.server.expect(JOB, {"job_state": "R"}, id=stays + "@" + b.host)


def test_a_pulled_job_makes_its_reservation_there(pulling):
    """create_resv_from_job: made in the pulling complex, when the job has started there."""
    a, b = pulling
    jid = a.server.submit(Job(USER1, attrs={"queue": "far", "Resource_List.walltime": "00:10:00",
                                            "create_resv_from_job": "1"}))
    assert a.server.status(RESV) == [] and b.server.status(RESV) == []
    cycle(b)
    wait_for("the reservation", lambda: b.server.status(RESV))
    resv = b.server.expect(RESV, {"reserve_state": "RESV_RUNNING"})
    job = b.server.expect(JOB, {"job_state": "R", "queue": resv["id"].split(".")[0]},
                          id=jid + "@" + b.host)
    assert resv["reserve_job"] == jid and job["reserve_ID"] == resv["id"]
    assert resv["id"].endswith("." + b.host) and resv["resv_nodes"] == job["exec_vnode"]
    assert resv["Reserve_Owner"] == job["Job_Owner"]
    assert a.server.status(RESV) == []
    b.run(["pbs_rdel", resv["id"]])
    wait_for("its end", lambda: not b.server.status(RESV))


def test_what_a_job_has_comes_along(pulling):
    """A script of several megabytes, and files that are staged in and out."""
    a, b = pulling
    folder = os.path.join(a.root, "tmp")
    large, ran, source = (os.path.join(folder, name) for name in ("large", "ran", "source"))
    with open(large, "w") as f:
        f.write("#!/bin/sh\n" + ("#" * 63 + "\n") * 60000 + "echo $PBS_JOBID > %s\n" % ran)
    with open(source, "w") as f:
        f.write("staged\n")
    os.chmod(source, 0o644)
    jobs = [a.run(["qsub", "-q", "far", *rest], user=USER1).stdout.strip() for rest in (
        [large], ["-W", "stagein=hf-staged@localhost:" + source, "-W",
                  "stageout=hf-staged@localhost:%s.back" % source, "--", "/bin/true"])]
    cycle(b)
    for jid in jobs:
        wait_for("the end of " + jid, lambda: state(b, jid) == "F")
        assert (full(b, jid)["Exit_status"], state(a, jid)) == ("0", "M")
    assert open(ran).read().strip() == jobs[0]
    assert open(source + ".back").read() == "staged\n"


def test_an_interactive_job_is_pulled(pulling):
    """Its terminal stays where it was submitted."""
    a, b = pulling
    t = Terminal(a, ["qsub", "-I", "-q", "far"], user=USER1)
    t.until("waiting for job ")
    cycle(b)
    t.until("ready")
    t.type("echo on-$PBS_JOBID; exit\n")
    code, words = t.end()
    assert code == 0 and ".alpha.localhost" in words.split("on-")[-1], words


def test_what_is_not_moved_stays_and_holds_nobody_up(pulling):
    """A job that comes before another one, and any job while the queue is closed: the move is
    refused, the job is unchanged, and others run."""
    a, b = pulling
    later = a.run(["qsub", "-h", "-q", "far", "--", "/bin/true"], user=USER1).stdout.strip()
    first = a.run(["qsub", "-q", "far", "-W", "depend=before:" + later, "--", "/bin/true"],
                  user=USER1).stdout.strip()
    other = a.run(["qsub", "-q", "far", "--", "/bin/true"], user=USER1).stdout.strip()
    b.run(["qmgr", "-c", "set sched log_events = 2047"])
    b.server.manager(MGR_CMD_SET, QUEUE, {"enabled": "False"}, id="workq")
    cycle(b)
    b.scheduler.log_match("%s;Failed to move the job to workq@%s" % (other, b.address))
    assert (state(a, other), state(b, other)) == ("Q", None)
    b.server.manager(MGR_CMD_SET, QUEUE, {"enabled": "True"}, id="workq")
    cycle(b)
    wait_for("the end of the other one", lambda: state(b, other) == "F")
    b.scheduler.log_match("%s;Failed to move the job to workq@%s: No support" % (first, b.address))
    assert (state(a, first), state(b, first)) == ("Q", None)
    assert "comment" not in full(a, first)


def test_what_is_refused_again_and_again_leaves_its_vnodes_to_others(pulling):
    """Each cycle that tries it keeps the vnodes from all others, so it is tried ever more seldom: the job of this
    server, which comes behind it, runs."""
    a, b = pulling
    sched_config(b, 'peer_queue: "workq far@%s"' % a.address, 'job_sort_key: "job_priority HIGH"')
    later = a.run(["qsub", "-h", "-q", "far", "--", "/bin/true"], user=USER1).stdout.strip()
    first = a.run(["qsub", "-q", "far", "-p", "1000", "-l", "select=1:ncpus=4", "-W", "depend=before:" + later,
                   "--", "/bin/true"], user=USER1).stdout.strip()
    b.run(["qmgr", "-c", "set sched log_events = 2047"])
    seen = len(b.scheduler.log_lines())
    mine = b.server.submit(Job(USER1, attrs={"Resource_List.select": "1:ncpus=4", "Priority": "-1000"}))
    wait_for("its run", lambda: cycle(b) or state(b, mine) == "R")
    for _ in range(20):
        cycle(b)
    tries = [l for l in b.scheduler.log_lines()[seen:] if "%s;Failed to move the job" % first in l]
    assert 1 <= len(tries) < 10
    assert state(a, first) == "Q"


def test_a_queue_of_the_same_server(two):
    """Jobs of a stopped queue run in the other one, once."""
    b = two[1]
    b.server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "Execution", "enabled": "True",
                                             "started": "False"}, id="side")
    sched_config(b, 'peer_queue: "workq side"')
    jid = b.server.submit(Job(USER1, attrs={"queue": "side"}))
    cycle(b)
    b.server.expect(JOB, {"job_state": "R", "queue": "workq"}, id=jid)
    b.server.log_match("%s;Job moved to workq at request of" % jid)
    b.server.accounting_match(";S;%s;" % jid)
    assert sum(";S;%s;" % jid in l for l in b.server.accounting_lines()) == 1
    b.no_jobs()
    sched_config(b)
    b.server.manager(MGR_CMD_DELETE, QUEUE, id="side")


def test_a_peer_that_is_away_costs_nothing(pulling):
    a, b = pulling
    b.run(["qmgr", "-c", "set sched log_events = 2047"])
    a.server.stop()
    try:
        mine = b.server.submit(Job(USER1))
        cycle(b)
        b.server.expect(JOB, {"job_state": "R"}, id=mine)
        b.scheduler.log_match("workq;Can not connect to peer %s" % a.address)
    finally:
        a.server.start()
