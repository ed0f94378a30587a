# SPDX-License-Identifier: Apache-2.0
"""Jobs that go on without hosts that have failed (tolerate_node_failures, execution.md 28), on three
hosts in namespaces."""
import contextlib
import os
import signal

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.wide import ImpatientCluster, needs_namespaces
from test_cut_off import processes
from test_wide import assigned, ended

pytestmark = needs_namespaces()


@pytest.fixture(scope="module")
def c():
    config = "$max_poll_downtime 5\n$sister_join_job_alarm 6\n$job_launch_delay 6\n"
    with ImpatientCluster(3, config=config) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def whole(c):
    """Each test ends with all hosts there."""
    yield
    c.is_whole()


def wide(c, script, *options):
    return c.server.submit(Job(script="#!/bin/sh\n#PBS -l select=3:ncpus=1 -l place=scatter\n" +
                               "".join("#PBS %s\n" % o for o in options) +
                               "PATH=%s/bin:$PATH\n" % c.exec_dir + script))


@contextlib.contextmanager
def deaf(mom):
    """It has stopped, and its connections stand."""
    mom.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        mom.send_signal(signal.SIGCONT)


def lines(c, jid, letter):
    return [l for l in c.server.accounting_lines() if ";%s;%s;" % (letter, jid) in l]


@pytest.mark.parametrize("word", ["job_start", "all"])
def test_a_job_begins_without_a_host_that_does_not_join(c, word):
    with deaf(c.moms[2]):
        jid = wide(c, "cat $PBS_NODEFILE; pbsdsh hostname; sleep 2\n", "-N tol",
                   "-W tolerate_node_failures=" + word)
        job = c.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=jid, deadline=120)
        assert job["tolerate_node_failures"] == word
        assert job["exec_host"] == "h0/0+h1/0"
        assert job["exec_vnode"] == "(h0:ncpus=1)+(h1:ncpus=1)"
        assert job["schedselect"] == job["Resource_List.select"] == "1:ncpus=1+1:ncpus=1"
        assert (job["Resource_List.ncpus"], job["Resource_List.nodect"]) == ("2", "2")
        assert (assigned(c, "h1"), assigned(c, "h2")) == ("1", "0")
        c.moms[0].log_match("%s;sister_join_job_alarm wait time 6 secs exceeded" % jid)
        c.moms[0].log_match("%s;pruned from exec_vnode=(h0:ncpus=1)+(h1:ncpus=1)+(h2:ncpus=1)" % jid)
        c.moms[0].log_match("%s;pruned to exec_vnode=(h0:ncpus=1)+(h1:ncpus=1)" % jid)
        c.server.log_match("%s;pruned to exec_vnode=(h0:ncpus=1)+(h1:ncpus=1)" % jid)
        ended(c, jid)
    n = jid.split(".")[0]
    names = c.output(USER1, "tol.o" + n).split()
    assert names[:2] == ["h0", "h1"]
    assert sorted(names[2:]) == ["h0", "h1"]  # both tasks write as they come
    assert c.output(USER1, "tol.e" + n) == ""
    assert "exec_host=h0/0+h1/0+h2/0 " in lines(c, jid, "S")[0]
    assert ["exec_host=h0/0+h1/0 " in l and "resource_assigned.ncpus=2" in l
            for l in lines(c, jid, "s")] == [True]
    assert lines(c, jid, "u") == []
    assert "exec_host=h0/0+h1/0+h2/0 " in lines(c, jid, "E")[0]
    assert "Exit_status=0 " in lines(c, jid, "E")[0]
    wait_for("nothing of it on h2", lambda: not os.path.exists(
        os.path.join(c.moms[2].home, "mom_priv/jobs", jid + ".JB")))


def test_without_it_a_host_that_does_not_join_ends_the_start(c):
    with deaf(c.moms[2]):
        jid = wide(c, "sleep 1\n", "-W tolerate_node_failures=none")
        c.moms[0].log_match("%s;job_start_error 15059 from node h2 could not JOIN_JOB" % jid,
                            deadline=120)
        assert lines(c, jid, "s") == []
    c.server.delete(jid)
    ended(c, jid)


def test_a_job_goes_on_without_a_host_that_is_lost(c):
    jid = wide(c, "pbsdsh -- sleep 3961\nsleep 3961\n", "-N lost", "-W tolerate_node_failures=all")
    wait_for("its tasks", lambda: len(processes("3961")) == 3)
    c.link(2, up=False)
    c.moms[0].log_match("%s;lost communication with h2 for > 5 secs, the job goes on without it" % jid,
                        deadline=180)
    job = c.server.expect(JOB, {"exec_host": "h0/0+h1/0"}, id=jid)
    assert (job["job_state"], job["run_count"]) == ("R", "1")
    assert job["exec_vnode"] == "(h0:ncpus=1)+(h1:ncpus=1)"
    c.link(2, up=True)
    wait_for("the end of the task on h2", lambda: len(processes("3961")) <= 3 and
             c.server.status(VNODE, id="h2")[0]["state"] == "free", 180)
    wait_for("the end of the task on h2", lambda: not os.path.exists(
        os.path.join(c.moms[2].home, "mom_priv/jobs", jid + ".JB")), 180)
    assert c.server.status(JOB, id=jid)[0]["job_state"] == "R"
    c.server.delete(jid)
    ended(c, jid)
    wait_for("the end of its tasks", lambda: processes("3961") == [], 60)
    assert "exec_host=h0/0+h1/0+h2/0 " in lines(c, jid, "u")[0]
    assert "exec_host=h0/0+h1/0 " in lines(c, jid, "c")[0]
    assert lines(c, jid, "s") == []


def test_what_is_asked_for_at_the_start_ends_there(c):
    """A job that runs is another thing: one that has lost a host with "all" is put back by the
    next loss when its owner takes that back meanwhile."""
    jid = wide(c, "pbsdsh -- sleep 3962\n", "-N later", "-W tolerate_node_failures=job_start")
    wait_for("its tasks", lambda: len(processes("3962")) == 3)
    c.run(["qalter", "-W", "tolerate_node_failures=all", jid], user=USER1)
    c.moms[0].log_match("%s;Job Modified at request of" % jid)
    c.moms[2].kill()
    try:
        c.server.expect(JOB, {"exec_host": "h0/0+h1/0"}, id=jid, deadline=180)
        c.run(["qalter", "-W", "tolerate_node_failures=job_start", jid], user=USER1)
        c.moms[1].kill()
        try:
            c.server.accounting_match(";R;%s;" % jid, deadline=180)
        finally:
            c.moms[1].start()
    finally:
        c.moms[2].start()
    c.server.delete(jid)
    ended(c, jid)
    wait_for("the end of its tasks", lambda: processes("3962") == [], 120)


def test_a_job_that_runs_again_wants_all_of_it(c):
    with deaf(c.moms[2]):
        jid = wide(c, "sleep 1000\n", "-W tolerate_node_failures=all")
        c.server.expect(JOB, {"exec_host": "h0/0+h1/0", "substate": "42"}, id=jid, deadline=120)
        c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        c.run(["qrerun", jid])
        job = c.server.expect(JOB, {"job_state": "Q"}, id=jid)
    assert job["Resource_List.select"] == "3:ncpus=1"
    assert job["Resource_List.ncpus"] == "3"
    c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    c.server.expect(JOB, {"exec_host": "h0/0+h1/0+h2/0", "substate": "42"}, id=jid, deadline=120)
    c.server.delete(jid)
    ended(c, jid)


def test_wrong_words_are_refused(c):
    for word in ("some", "al", "all job_start", "0"):
        done = c.run(["qsub", "-W", "tolerate_node_failures=" + word, "--", "/bin/true"], user=USER1,
                     check=False)
        assert done.returncode != 0, word
        assert done.stderr.startswith(
            'qsub: illegal -W value\nqsub: tolerate_node_failures is "%s"; it has to be none, job_start '
            'or all\n' % word), done.stderr
    jid = c.run(["qsub", "-h", "--", "/bin/true"], user=USER1).stdout.strip()
    done = c.run(["qalter", "-W", "tolerate_node_failures=some", jid], user=USER1, check=False)
    assert done.stderr.startswith(
        'qalter: illegal -W value\nqalter: tolerate_node_failures is "some"; it has to be none, job_start '
        'or all\n'), done.stderr
    assert c.run(["qalter", "-W", "tolerate_node_failures=all", jid], user=USER2,
                 check=False).returncode != 0
    assert "tolerate_node_failures" not in c.server.status(JOB, id=jid)[0]
    c.server.delete(jid)
