# SPDX-License-Identifier: Apache-2.0
"""A reservation out of a running job: pbs_rsub --job and create_resv_from_job."""
import os
import re
import signal
import threading
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *

FIVE_YEARS = 157680000
IN_RESV = "Reservation may not be created from a job already within a reservation"


def rsub(cluster, *argv, user=USER1, check=True):
    return cluster.run(["pbs_rsub"] + list(argv), user=user, check=check)


def from_job(cluster, jid, *argv):
    """The reservation made from a job; its id."""
    out = rsub(cluster, "--job", jid, *argv).stdout
    assert re.fullmatch(r"R\d+\.%s CONFIRMED\n" % re.escape(cluster.host), out), out
    return out.split()[0]


def stime(job):
    return int(time.mktime(time.strptime(job["stime"])))


def assigned(server):
    """ncpus assigned on the server and, summed up, on the vnodes."""
    of_server = int(server.status(SERVER)[0].get("resources_assigned.ncpus", 0))
    return of_server, sum(int(n.get("resources_assigned.ncpus", 0))
                          for n in server.status(VNODE))


def test_it_has_what_the_job_has(cluster):
    server = cluster.server
    jid = running_job(server, select="2:ncpus=2", **{"Resource_List.walltime": "0:10:00"})
    before = assigned(server)
    assert before == (4, 4)
    rid = from_job(cluster, jid, "-N", "keep")
    job = server.status(JOB, jid)[0]
    resv = server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=rid)
    assert resv["Reserve_Name"] == "keep"
    assert resv["Reserve_Owner"] == job["Job_Owner"]
    assert resv["reserve_start"] == job["stime"]
    assert resv["reserve_duration"] == "600"
    assert resv["resv_nodes"] == job["exec_vnode"]
    assert resv["reserve_job"] == jid
    for name in ("select", "ncpus", "nodect", "place", "walltime"):
        assert resv["Resource_List." + name] == job["Resource_List." + name]
    assert (job["job_state"], job["substate"]) == ("R", "42")
    assert (job["queue"], job["reserve_ID"]) == (queue_of(rid), rid)
    assert assigned(server) == before
    assert not [l for l in server.accounting_lines() if ";U;%s;" % rid in l]
    server.accounting_match(r";Y;%s;requestor=@ start=\d+ end=\d+ nodes=\(vn" % rid, regexp=True)
    server.accounting_match(";B;%s;owner=%s" % (rid, job["Job_Owner"]))
    server.accounting_match(r";Q;%s;.* queue=%s " % (jid, queue_of(rid)), regexp=True)
    server.log_match("enqueuing into %s, state R hop 1" % queue_of(rid))
    server.log_match("New reservation submitted start=")


@pytest.mark.parametrize("argv,seconds", [([], FIVE_YEARS), (["-D", "0:30:00"], 1800),
                                          (["-I", "5", "-D", "99"], 99)])
def test_its_length_without_a_walltime(cluster, argv, seconds):
    rid = from_job(cluster, running_job(cluster.server), *argv)
    assert cluster.server.status(RESV, rid)[0]["reserve_duration"] == str(seconds)


def test_nobody_is_asked(cluster):
    jid = running_job(cluster.server)
    cluster.scheduler.stop()
    rid = from_job(cluster, jid, "-I", "60")
    assert cluster.server.status(RESV, rid)[0]["reserve_state"] == "RESV_RUNNING"


def test_the_reservation_outlives_its_job_and_takes_the_next(cluster):
    server = cluster.server
    gate = Gate(cluster)
    jid = running_job(server, script=script_until(gate.path))
    rid = from_job(cluster, jid, "-U", USER2)
    held = server.status(RESV, rid)[0]["resv_nodes"]
    gate.open()
    line = server.accounting_match(";E;%s;" % jid)
    assert " queue=%s resvname=NULL resvID=%s " % (queue_of(rid), rid) in line
    is_gone(server, JOB, jid)
    resv = server.status(RESV, rid)[0]
    assert (resv["reserve_state"], resv["resv_nodes"]) == ("RESV_RUNNING", held)
    assert assigned(server) == (2, 2)
    for user in (USER1, USER2):
        again = server.submit(Job(user=user, attrs={"queue": queue_of(rid)},
                                  script="#!/bin/sh\necho again\n"))
        assert "Exit_status=0" in server.accounting_match(";E;%s;" % again)
    with pytest.raises(PbsError) as e:
        server.submit(Job(attrs={"queue": queue_of(rid), "Resource_List.select": "1:ncpus=3"}))
    assert "Job violates queue and/or server resource limits" in e.value.err
    server.delete(rid, user=USER1)
    is_gone(server, RESV, rid)
    all_is_free(cluster)


def test_its_end_takes_the_job_along(cluster):
    server = cluster.server
    jid = running_job(server)
    ran = time.time() - stime(server.status(JOB, jid)[0])
    rid = from_job(cluster, jid, "-D", str(int(ran) + 10))
    server.accounting_match(";F;%s;" % rid)
    server.accounting_match(";E;%s;" % jid)
    is_gone(server, RESV, rid)
    is_gone(server, JOB, jid)
    all_is_free(cluster)


def test_pbs_rdel_kills_the_job_in_it(cluster):
    server = cluster.server
    jid = running_job(server)
    rid = from_job(cluster, jid)
    server.delete(rid, user=USER1)
    assert "Exit_status=271" in server.accounting_match(";E;%s;" % jid)
    server.accounting_match(";k;%s;requestor=%s@" % (rid, USER1))
    is_gone(server, RESV, rid)
    all_is_free(cluster)


def test_a_killed_server_knows_it_again(cluster):
    server = cluster.server
    gate = Gate(cluster)
    jid = running_job(server, script=script_until(gate.path))
    rid = from_job(cluster, jid, "-D", "3600")
    server.kill()
    server.start()
    resv = server.status(RESV, rid)[0]
    assert (resv["reserve_state"], resv["reserve_job"]) == ("RESV_RUNNING", jid)
    job = server.status(JOB, jid)[0]
    assert (job["job_state"], job["queue"], job["reserve_ID"]) == ("R", queue_of(rid), rid)
    assert assigned(server) == (2, 2)
    cluster.wait_nodes()
    gate.open()
    line = server.accounting_match(";E;%s;" % jid)
    assert "resvID=" + rid in line and "Exit_status=0" in line
    for kind in "YB":
        assert len([l for l in server.accounting_lines() if ";%s;%s;" % (kind, rid) in l]) == 1
    assert server.status(RESV, rid)[0]["reserve_state"] == "RESV_RUNNING"
    server.delete(rid, user=USER1)
    is_gone(server, RESV, rid)
    all_is_free(cluster)


# what is refused

def refused(cluster, argv, rc, text, user=USER1):
    """The first line is PBS's; what follows is returned."""
    done = rsub(cluster, *argv, user=user, check=False)
    lines = done.stderr.splitlines()
    assert (done.returncode, lines[0]) == (rc, "pbs_rsub: " + text), done.stderr
    return lines[1:]


def test_jobs_that_give_no_reservation(cluster):
    server = cluster.server
    assert refused(cluster, ["--job", "77"], 15001 & 255, "Unknown Job Id") == [
        "pbs_rsub: there is no job 77; qstat lists all"]
    refused(cluster, ["--job", "77[]"], 15001 & 255, "Unknown Job Id")
    jid = running_job(server)
    strangers = [] if ROOTLESS else [USER2, None]
    for user in strangers:
        assert refused(
            cluster, ["--job", jid], 15007 & 255, "Unauthorized Request ", user=user) == [
                "pbs_rsub: %s is not yours; only its owner reserves with --job" % jid]
    waiting = server.submit(Job(attrs={"Resource_List.select": "9:ncpus=2"}))
    assert refused(
        cluster, ["--job", waiting], 15016 & 255, "Request invalid for state of job") == [
            "pbs_rsub: --job takes a job that runs; for one that waits there is "
            "pbs_rsub -W qmove=" + waiting]
    for user in strangers:
        refused(cluster, ["--job", waiting], 15007 & 255, "Unauthorized Request ", user=user)
    assert not server.status(RESV)
    rid = from_job(cluster, queue_of(jid))
    for user in [USER1] + strangers:
        refused(cluster, ["--job", jid], 15181 & 255, IN_RESV, user=user)
    assert [r["id"] for r in server.status(RESV)] == [rid]
    server.manager(MGR_CMD_SET, SERVER, {"resv_enable": "False"})
    refused(cluster, ["--job", jid], 15094 & 255,
            "reservations disallowed on " + cluster.host)


def test_usage_mistakes(cluster):
    both = "Start/End time cannot be used with --job option"
    for argv in (["--job", "1", "-R", "2359"], ["-E", "2359", "--job", "1"]):
        refused(cluster, argv, 2, both)
    assert rsub(cluster, "--job", check=False).returncode == 2
    assert rsub(cluster, "--jobs", "1", check=False).returncode == 2
    assert not cluster.server.status(RESV)


# jobs that ask by themselves

def test_a_marked_job_makes_its_reservation(cluster):
    server = cluster.server
    gate = Gate(cluster)
    jid = running_job(server, script=script_until(gate.path), create_resv_from_job=1,
                      **{"Resource_List.walltime": "0:10:00"})
    resv = wait_for("a reservation", lambda: server.status(RESV))[0]
    assert resv["reserve_job"] == jid
    assert resv["reserve_state"] == "RESV_RUNNING"
    job = server.status(JOB, jid)[0]
    assert job["queue"] == queue_of(resv["id"])
    assert (resv["Reserve_Owner"], resv["reserve_start"]) == (job["Job_Owner"], job["stime"])
    assert resv["Resource_List.walltime"] == "00:10:00"
    assert assigned(server) == (2, 2)
    gate.open()
    server.accounting_match(";E;%s;" % jid)
    assert server.status(RESV)[0]["reserve_state"] == "RESV_RUNNING"


def test_the_mark_is_refused_in_a_reservation(cluster):
    rid = from_job(cluster, running_job(cluster.server))
    with pytest.raises(PbsError) as e:
        cluster.server.submit(Job(attrs={"queue": queue_of(rid), "create_resv_from_job": 1}))
    assert e.value.rc == 15181 & 255
    assert e.value.msg[0] == "qsub: " + IN_RESV


def test_the_mark_is_yes_or_no(cluster):
    for word in ("2", "perhaps", "10"):
        done = cluster.run(["qsub", "-h", "-Wcreate_resv_from_job=" + word, "--", "/bin/true"],
                           user=USER1, check=False)
        assert done.returncode != 0 and done.stdout == "", word
    for word, shown in (("y", "True"), ("TRUE", "True"), ("n", "False")):
        jid = cluster.run(["qsub", "-h", "-Wcreate_resv_from_job=" + word, "--", "/bin/true"],
                          user=USER1).stdout.strip()
        assert cluster.server.status(JOB, jid)[0]["create_resv_from_job"] == shown


def test_a_job_that_may_not_reserve_runs_all_the_same(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"resv_enable": "False"})
    jid = running_job(server, create_resv_from_job=1)
    server.log_match("No reservation created from job: reservations disallowed on")
    assert not server.status(RESV)
    job = server.status(JOB, jid)[0]
    assert job["job_state"] == "R" and "create_resv_from_job" not in job


def test_it_waits_until_the_job_has_started(cluster):
    """A job that is shown as running may not have started yet (substate 41): pbs_rsub waits
    for its MoM's word, and others are served meanwhile."""
    server, mom = cluster.server, cluster.mom
    mom.send_signal(signal.SIGSTOP)
    try:
        jid = server.submit(Job(sleep=1000))
        server.expect(JOB, {"job_state": "R", "substate": 41}, id=jid)
        done = []
        waiting = threading.Thread(target=lambda: done.append(
            rsub(cluster, "--job", jid, check=False)))
        waiting.start()
        server.log_match("Type 70 request received")
        assert server.status(JOB, jid)[0]["substate"] == "41"
        assert waiting.is_alive() and not server.status(RESV)
    finally:
        mom.send_signal(signal.SIGCONT)
    waiting.join(60)
    assert done and done[0].returncode == 0, done
    assert done[0].stdout.split()[1] == "CONFIRMED"
    rid = done[0].stdout.split()[0]
    assert server.status(JOB, jid)[0]["queue"] == rid.split(".")[0]
    assert server.status(RESV, rid)[0]["reserve_state"] == "RESV_RUNNING"


def test_a_job_that_never_starts_leaves_no_reservation(cluster):
    """Its prologue sends it away: neither the mark nor a command that waits makes one."""
    server, gate = cluster.server, Gate(cluster)
    path = os.path.join(cluster.home, "mom_priv", "prologue")
    with open(path, "w") as f:
        f.write(script_until(gate.path) + "exit 1\n")
    os.chmod(path, 0o700)
    try:
        marked = server.submit(Job(attrs={"create_resv_from_job": "1"}))
        plain = server.submit(Job(sleep=1000))
        server.expect(JOB, {"job_state": "R", "substate": 41}, id=plain)
        done = []
        waits = threading.Thread(target=lambda: done.append(
            rsub(cluster, "--job", plain, check=False)))
        waits.start()
        server.log_match("Type 70 request received")
        gate.open()
        waits.join(60)
        for jid in (marked, plain):
            is_gone(server, JOB, jid)
    finally:
        os.unlink(path)
    assert done and done[0].stdout == "" and done[0].returncode != 0, done
    assert server.status(RESV) == []
    assert not [l for l in server.accounting_lines() if ";R" in l and l.split(";")[1] in "UYB"]
    all_is_free(cluster)


# as it was shown to those who asked for it (doc/requirements.md 3)

def test_chunks_on_one_vnode_are_shown_as_the_job_has_them(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, NODE, {"resources_available.ncpus": 3}, id="vn[0]")
    jid = running_job(server, select="3:ncpus=1", **{"Resource_List.place": "pack"})
    nodes = "(vn[0]:ncpus=1)+(vn[0]:ncpus=1)+(vn[0]:ncpus=1)"
    assert server.status(JOB, jid)[0]["exec_vnode"] == nodes
    out = rsub(cluster, "--job", jid.split(".")[0]).stdout
    # The next number, with the letter of an advance reservation.
    rid = "R%d.%s" % (int(jid.split(".")[0]) + 1, cluster.host)
    assert out == rid + " CONFIRMED\n"
    resv = server.status(RESV, rid)[0]
    assert resv["resv_nodes"] == nodes and resv["schedselect"] == "3:ncpus=1"
    job = server.status(JOB, jid)[0]
    assert resv["schedselect"] == job["schedselect"]


def test_qalter_marks_a_job_that_waits(cluster):
    server = cluster.server
    path = cluster.write_script(Job(sleep=1000))
    jid = cluster.run(["qsub", "-h", path], user=USER1).stdout.strip()
    cluster.run(["qalter", "-Wcreate_resv_from_job=1", jid], user=USER1)
    assert server.status(JOB, jid)[0]["create_resv_from_job"] == "True"
    cluster.run(["qrls", jid], user=USER1)
    resv = wait_for("a reservation", lambda: server.status(RESV))[0]
    assert resv["reserve_job"] == jid
    assert resv["reserve_duration"] == str(FIVE_YEARS)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=resv["id"])
    job = server.expect(JOB, {"job_state": "R", "queue": queue_of(resv["id"])}, id=jid)
    assert resv["resv_nodes"] == job["exec_vnode"]
    row = cluster.run(["pbs_rstat"], user=USER1).stdout.splitlines()[-1]
    assert re.search(r"^R\d+\..* RN .* / %d / " % FIVE_YEARS, row), row


def test_qalter_takes_the_mark_away(cluster):
    server = cluster.server
    path = cluster.write_script(Job(sleep=1000))
    jid = cluster.run(["qsub", "-h", "-Wcreate_resv_from_job=1", path], user=USER1).stdout.strip()
    cluster.run(["qalter", "-Wcreate_resv_from_job=0", jid], user=USER1)
    cluster.run(["qrls", jid], user=USER1)
    server.expect(JOB, {"job_state": "R", "substate": 42}, id=jid)
    rsub(cluster, "--job", jid)  # by its owner it still can be
    assert [r["reserve_job"] for r in server.status(RESV)] == [jid]


def test_qalter_in_a_reservation_is_refused(cluster):
    server = cluster.server
    rid = from_job(cluster, running_job(server))
    path = cluster.write_script(Job())
    jid = cluster.run(["qsub", "-h", "-q", queue_of(rid), path], user=USER1).stdout.strip()
    done = cluster.run(["qalter", "-Wcreate_resv_from_job=1", jid], user=USER1, check=False)
    assert done.returncode == 15181 & 255, done
    assert done.stderr.splitlines()[0].startswith("qalter: " + IN_RESV)
    assert "create_resv_from_job" not in server.status(JOB, jid)[0]
    marked = cluster.run(["qsub", "-h", "-Wcreate_resv_from_job=1", path], user=USER1)
    outside = marked.stdout.strip()
    done = cluster.run(["qmove", queue_of(rid), outside], user=USER1, check=False)
    assert done.returncode == 15181 & 255 and IN_RESV in done.stderr, done
    assert server.status(JOB, outside)[0]["queue"] == "workq"


def test_a_marked_job_gives_what_job_gives(cluster):
    """All that is said of --job holds for the mark: its reservation and that of the same job
    by the command differ in what is each job's own, and in nothing else."""
    server = cluster.server
    attrs = {"Resource_List.walltime": "0:10:00", "Resource_List.place": "pack"}
    plain = running_job(server, select="2:ncpus=1", **attrs)
    from_job(cluster, plain)
    marked = running_job(server, select="2:ncpus=1", create_resv_from_job=1, **attrs)
    wait_for("its reservation", lambda: len(server.status(RESV)) == 2)
    rids = ["R%d.%s" % (int(jid.split(".")[0]) + 1, cluster.host) for jid in (plain, marked)]
    resvs = [server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=rid)
             for rid in rids]
    own = {"id", "ctime", "mtime", "queue", "reserve_start", "reserve_end", "reserve_job",
           "resv_nodes", "Variable_List", "interactive"}
    same = [{k: v for k, v in r.items() if k not in own} for r in resvs]
    assert same[0] == same[1]
    for rid, jid, resv in zip(rids, (plain, marked), resvs):
        job = server.expect(JOB, {"job_state": "R", "queue": queue_of(rid), "reserve_ID": rid},
                            id=jid)
        start = stime(job)
        assert (resv["reserve_job"], resv["queue"]) == (jid, queue_of(rid))
        assert resv["resv_nodes"] == job["exec_vnode"] and resv["resv_nodes"].count("vn[") == 2
        assert (resv["Reserve_Owner"], resv["schedselect"]) == \
            (job["Job_Owner"], job["schedselect"])
        assert resv["reserve_start"] == job["stime"]
        assert time.mktime(time.strptime(resv["reserve_end"])) == start + 600
        record = "start=%d end=%d nodes=%s" % (start, start + 600, job["exec_vnode"])
        server.accounting_match(";Y;%s;requestor=@ %s" % (rid, record))
        server.accounting_match(";B;%s;owner=%s " % (rid, job["Job_Owner"]))
        assert not [l for l in server.accounting_lines() if ";U;%s;" % rid in l]
