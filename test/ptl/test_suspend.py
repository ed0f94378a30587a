# SPDX-License-Identifier: Apache-2.0
"""Jobs are suspended and resumed on real processes (execution.md 23, attributes.md 14.1)."""
import re
import subprocess

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import mom_has_registered


@pytest.fixture(scope="module")
def cluster():
    """Its MoM runs processes; the vnodes have two cpus each."""
    with Cluster(vnodes=2) as c:
        yield c


def said(cluster, *argv, user=None):
    done = cluster.run(list(argv), user=user, check=False)
    return done.returncode, done.stdout, done.stderr


def sleeper(cluster, *options, ncpus=1):
    jid = cluster.run(["qsub", "-l", "select=1:ncpus=%d" % ncpus, *options, "--", "/bin/sleep", "1000"],
                      user=USER1).stdout.strip()
    cluster.server.expect(JOB, {"job_state": "R", "session_id": None}, id=jid, op=SET)
    return jid


def job(cluster, jid):
    return cluster.server.status(JOB, id=jid)[0]


def processes(cluster, jid):
    """The letters of the states of its processes."""
    out = subprocess.run(["ps", "-o", "stat=", "-s", job(cluster, jid)["session_id"]],
                         stdout=subprocess.PIPE, universal_newlines=True).stdout
    return {line.strip()[0] for line in out.splitlines()}


def stands(cluster, jid):
    wait_for("processes of %s stand" % jid, lambda: processes(cluster, jid) == {"T"})


def runs(cluster, jid):
    wait_for("processes of %s run" % jid,
             lambda: processes(cluster, jid) and "T" not in processes(cluster, jid))


def vnode_of(cluster, jid):
    name = re.match(r"\(([^:)]+)", job(cluster, jid)["exec_vnode"]).group(1)
    return cluster.server.status(NODE, id=name)[0]


@pytest.fixture(autouse=True)
def no_jobs_left(cluster):
    yield
    left = said(cluster, "qselect")[1].split()
    if left:
        cluster.run(["qdel", "-W", "force", *left])
    wait_for("no job is left", lambda: not said(cluster, "qselect")[1].split())


def test_a_suspended_job_stands_and_gives_its_vnode_back(cluster):
    jid = sleeper(cluster)
    assert vnode_of(cluster, jid)["resources_assigned.ncpus"] == "1"
    assert said(cluster, "qsig", "-s", "suspend", jid) == (0, "", "")
    stands(cluster, jid)
    told = job(cluster, jid)
    assert (told["job_state"], told["substate"]) == ("S", "43")
    assert vnode_of(cluster, jid)["resources_assigned.ncpus"] == "0"
    assert vnode_of(cluster, jid)["state"] == "free"
    assert said(cluster, "qselect", "-s", "S")[1].split() == [jid]
    assert said(cluster, "qselect", "-s", "R")[1].split() == []
    cluster.server.accounting_match(r";z;%s;resources_used.*walltime=" % re.escape(jid), regexp=True)
    cluster.server.log_match("%s;job signaled with suspend by" % jid)
    rc, out, err = said(cluster, "qsig", "-s", "suspend", jid)
    assert (rc, err) == (168, "qsig: Request invalid for state of job %s\n" % jid)
    # A signal would end the job or let it go on.
    rc, out, err = said(cluster, "qsig", "-s", "SIGCONT", jid)
    assert (rc, err) == (168, "qsig: Request invalid for state of job %s\n" % jid)


def test_it_is_deleted_like_any_other(cluster):
    jid = sleeper(cluster)
    cluster.run(["qsig", "-s", "suspend", jid])
    cluster.run(["qdel", jid], user=USER1)
    wait_for(jid + " is gone", lambda: said(cluster, "qstat", jid)[0] != 0)
    cluster.server.accounting_match(r";E;%s;.*Exit_status=271" % re.escape(jid), regexp=True)


def test_users_may_not(cluster):
    jid = sleeper(cluster)
    for word in ("suspend", "resume", "admin-suspend", "admin-resume"):
        rc, out, err = said(cluster, "qsig", "-s", word, jid, user=USER1)
        assert (rc, err) == (159, "qsig: Unauthorized Request  %s\n" % jid)
    assert processes(cluster, jid) and "T" not in processes(cluster, jid)


def test_the_forms_of_administrators_go_with_maintenance(cluster):
    jid = sleeper(cluster)
    name = vnode_of(cluster, jid)["id"]
    cluster.run(["qsig", "-s", "admin-suspend", jid])
    stands(cluster, jid)
    cluster.server.expect(NODE, {"state": "maintenance", "maintenance_jobs": jid}, id=name)
    assert vnode_of(cluster, jid)["resources_assigned.ncpus"] == "1"
    rc, out, err = said(cluster, "qsig", "-s", "resume", jid)
    assert err == ("qsig: Job can not be resumed with the requested resume signal %s\n" % jid)
    cluster.run(["qsig", "-s", "admin-resume", jid])
    runs(cluster, jid)
    cluster.server.expect(NODE, {"state": "free"}, id=name)
    assert "maintenance_jobs" not in cluster.server.status(NODE, id=name)[0]
    cluster.server.accounting_match(";r;%s;" % jid)


@pytest.mark.parametrize("who", ["server", "mom"])
def test_it_stays_suspended_when_a_daemon_is_killed(cluster, who):
    jid = sleeper(cluster)
    name = vnode_of(cluster, jid)["id"]
    cluster.run(["qsig", "-s", "admin-suspend", jid])
    stands(cluster, jid)
    daemon = getattr(cluster, who)
    daemon.kill()
    daemon.start()
    if who == "mom":
        mom_has_registered(cluster)
    cluster.server.expect(NODE, {"state": "maintenance", "maintenance_jobs": jid}, id=name)
    cluster.server.expect(JOB, {"job_state": "S", "substate": "43"}, id=jid)
    stands(cluster, jid)
    cluster.run(["qsig", "-s", "admin-resume", jid])
    runs(cluster, jid)
    cluster.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=jid)


def test_a_scheduler_resumes_it_when_there_is_room():
    with Cluster(vnodes=1) as c:
        jid = sleeper(c, "-l", "walltime=1:00:00", ncpus=2)
        c.run(["qsig", "-s", "suspend", jid])
        stands(c, jid)
        other = sleeper(c, ncpus=2)
        c.run(["qsig", "-s", "resume", jid])
        c.server.expect(JOB, {"job_state": "S", "substate": "45"}, id=jid)
        c.server.expect(JOB, {"comment": "Not Running: No available resources on nodes"}, id=jid)
        stands(c, jid)
        c.run(["qdel", other])
        c.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=jid)
        runs(c, jid)
        assert job(c, jid)["comment"].startswith("Job run at ")
        c.server.accounting_match(";r;%s;" % jid)
        # Once more, with a scheduler that begins anew.
        c.run(["qsig", "-s", "suspend", jid])
        c.scheduler.kill()
        c.run(["qsig", "-s", "resume", jid])
        c.scheduler.start()
        c.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=jid)
        runs(c, jid)
        c.run(["qdel", "-W", "force", jid])
