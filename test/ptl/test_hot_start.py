# SPDX-License-Identifier: Apache-2.0
"""pbs_server -t hot: jobs that ran before run again where they were (operations.md 11)."""
from holdfast import *
from holdfast.services import wait_for
from story import *


def host_dies(cluster):
    """Server, MoM and all processes of jobs end at once; nobody sees an end."""
    cluster.server.kill()
    cluster.mom.kill()
    cluster.stop_jobs()


def job_on_second(cluster, gate):
    """A job on vn[1], while vn[0], where a scheduler would put it, is free; its id."""
    server = cluster.server
    first = running_job(server, script=script_until(gate.path))
    jid = running_job(server, script=script_until(gate.path))
    assert job_vnodes(server, jid) == ["vn[1]"]
    server.delete(first)
    is_gone(server, JOB, first)
    return jid


def state_column(cluster):
    return cluster.run(["qstat", "-B"]).stdout.splitlines()[2].split()[-1]


def is_over(server):
    server.log_match("Hot start is over, 0 jobs that ran before are not running again")
    server.expect(SERVER, {"server_state": (NE, "Hot_Start")})


def test_a_job_goes_back_where_it_was(cluster):
    server, gate = cluster.server, Gate(cluster)
    jid = job_on_second(cluster, gate)
    host_dies(cluster)
    server.start("hot")
    server.log_match("started, initialization type = 0")
    assert server.status(SERVER)[0]["server_state"] == "Hot_Start"
    assert state_column(cluster) == "Hot_Start"
    server.expect(JOB, {"job_state": "R"}, id=jid)
    cluster.mom.start()
    server.expect(JOB, {"job_state": "R", "substate": 42, "run_count": 2}, id=jid)
    assert job_vnodes(server, jid) == ["vn[1]"]
    is_over(server)
    assert state_column(cluster) in ("Active", "Scheduling")
    server.accounting_match(";R;%s;" % jid)
    gate.open()
    assert "Exit_status=0" in server.accounting_match(";E;%s;" % jid)


def test_a_job_goes_back_into_its_reservation(cluster):
    server, gate = cluster.server, Gate(cluster)
    rid = running_resv(server, select="2:ncpus=2")
    other = running_job(server, queue_of(rid), script=script_until(gate.path))
    jid = running_job(server, queue_of(rid), script=script_until(gate.path))
    where = job_vnodes(server, jid)
    server.delete(other)
    is_gone(server, JOB, other)
    host_dies(cluster)
    server.start("hot")
    cluster.mom.start()
    server.expect(JOB, {"job_state": "R", "substate": 42, "run_count": 2}, id=jid)
    assert job_vnodes(server, jid) == where
    assert where[0] in resv_nodes(server, rid)
    is_over(server)
    gate.open()
    is_gone(server, JOB, jid)


def test_a_job_that_is_still_there_runs_on(cluster):
    server, gate = cluster.server, Gate(cluster)
    jid = running_job(server, script=script_until(gate.path))
    session = server.status(JOB, jid)[0]["session_id"]
    server.kill()
    cluster.mom.kill()
    server.start("hot")
    cluster.mom.start()
    is_over(server)
    server.expect(JOB, {"job_state": "R", "session_id": session, "run_count": 1}, id=jid)
    gate.open()
    assert "Exit_status=0" in server.accounting_match(";E;%s;" % jid)


def test_what_qterm_requeued_goes_back(cluster):
    """A hot start needs no scheduler for it, and a warm one leaves it in the queue."""
    server, gate = cluster.server, Gate(cluster)
    jid = job_on_second(cluster, gate)
    cluster.scheduler.stop()
    for how, state in (("hot", "R"), (None, "Q")):
        cluster.run(["qterm", "-t", "immediate"])
        wait_for("the end of pbs_server", lambda: not server.is_up())
        server.start(how)
        cluster.wait_nodes()
        server.expect(JOB, {"job_state": state}, id=jid)
        server.expect(SERVER, {"server_state": (NE, "Hot_Start")})
        if state == "R":
            server.expect(JOB, {"substate": 42, "run_count": 2}, id=jid)
            assert job_vnodes(server, jid) == ["vn[1]"]
    assert "exec_vnode" not in server.status(JOB, jid)[0]
    gate.open()


def test_a_second_kill_and_a_warm_start(cluster):
    """The hot start is forgotten: the scheduler puts the job where it likes."""
    server, gate = cluster.server, Gate(cluster)
    jid = job_on_second(cluster, gate)
    host_dies(cluster)
    server.start("hot")
    server.expect(SERVER, {"server_state": "Hot_Start"})
    server.kill()
    server.start()
    server.expect(SERVER, {"server_state": (NE, "Hot_Start")})
    cluster.mom.start()
    server.expect(JOB, {"job_state": "R", "substate": 42, "run_count": 2}, id=jid)
    assert job_vnodes(server, jid) == ["vn[0]"]
    gate.open()
