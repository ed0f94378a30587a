# SPDX-License-Identifier: Apache-2.0
"""Daemons are killed at bad moments; nothing that anyone was told is lost (story, step 5)."""
import os
import socket
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *
from test_lost import Asking


def without_times(obj):
    return {k: v for k, v in obj.items() if k not in ("mtime", "Submit_arguments")}


def test_the_killed_server_comes_back_with_the_same_reservation_and_job(cluster):
    server = cluster.server
    retry_soon(server, 600)
    gate = Gate(cluster)
    rid = running_resv(server)
    jid = running_job(server, queue_of(rid), script=script_until(gate.path))
    set_offline(server, job_vnodes(server, jid)[0])
    server.expect(RESV, {"reserve_substate": 10}, id=rid)
    resv, job = server.status(RESV, rid)[0], server.status(JOB, jid)[0]
    lines = server.accounting_lines()
    server.kill()
    server.start()
    assert without_times(server.status(RESV, rid)[0]) == without_times(resv)
    again = server.status(JOB, jid)[0]
    for name in ("session_id", "exec_vnode", "exec_host", "run_version", "stime", "queue"):
        assert again.get(name) == job.get(name), name
    assert server.accounting_lines()[:len(lines)] == lines
    gate.open()
    line = server.accounting_match(";E;%s;" % jid)
    assert "Exit_status=0" in line
    assert len([l for l in server.accounting_lines() if ";B;%s;" % rid in l]) == 1
    assert len([l for l in server.accounting_lines() if ";S;%s;" % jid in l]) == 1


def test_a_job_that_ends_while_the_server_is_dead_is_accounted_for(cluster):
    server = cluster.server
    gate = Gate(cluster)
    jid = running_job(server, script=script_until(gate.path))
    session = server.status(JOB, jid)[0]["session_id"]
    server.kill()
    gate.open()
    wait_for("the end of the job's session", lambda: not os.path.exists("/proc/" + session))
    server.start()
    line = server.accounting_match(";E;%s;" % jid)
    assert "Exit_status=0" in line
    is_gone(server, JOB, jid)
    assert "done" in cluster.output(USER1, "script1.o" + jid.split(".")[0])


def test_a_job_survives_its_mom(cluster):
    server = cluster.server
    gate = Gate(cluster)
    jid = running_job(server, script=script_until(gate.path))
    session = server.status(JOB, jid)[0]["session_id"]
    cluster.mom.kill()
    cluster.mom.start()
    server.expect(VNODE, {"state": (NE, "down")}, id="vn[0]")
    # While another job lives, the MoM looks several times whether this one has ended.
    other = server.submit(Job(sleep=2))
    server.accounting_match(";E;%s;" % other)
    server.expect(JOB, {"job_state": "R", "session_id": session}, id=jid)
    gate.open()
    line = server.accounting_match(";E;%s;" % jid)
    assert "Exit_status=0" in line and "run_count=1" in line
    assert not [l for l in server.accounting_lines() if ";R;%s;" % jid in l]


def test_scheduler_and_router_may_die(cluster):
    server = cluster.server
    jid = running_job(server)
    cluster.scheduler.kill()
    cluster.comm.kill()
    cluster.comm.start()
    cluster.scheduler.start()
    cluster.wait_nodes()
    server.expect(JOB, {"job_state": "R"}, id=jid)
    other = running_job(server)
    server.delete(other)
    is_gone(server, JOB, other)


def number_of(rid):
    return int(rid[1:].split(".")[0])


def test_what_was_acknowledged_is_there_after_a_kill(cluster):
    server = cluster.server
    ids = [server.submit(Reservation(select="1:ncpus=1", start=3600 + i * 700, duration=600))
           for i in range(10)]
    server.kill()
    server.start()
    known = [r["id"] for r in server.status(RESV)]
    assert known == ids
    more = server.submit(Reservation(select="1:ncpus=1", start=36000, duration=600))
    # What is left of a window of numbers may have been told (doc/design/014-numbers.md).
    assert 1 <= number_of(more) - number_of(ids[-1]) <= 32, "a gap in numbers"


def test_a_clean_stop_and_qterm(cluster):
    server = cluster.server
    rid = server.submit(Reservation(start=3600, duration=600, interactive=60))
    cluster.run(["qterm"])
    wait_for("the server's end", lambda: not server.is_up())
    assert server.process.returncode == 0
    server.start()
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=rid)
    # An end in order leaves out no number, whoever asks for it.
    second = server.submit(Reservation(start=4800, duration=600))
    assert number_of(second) == number_of(rid) + 1
    server.stop()
    server.start()
    assert number_of(server.submit(Reservation(start=6000, duration=600))) == number_of(second) + 1


def test_a_start_does_not_wait_for_the_end_of_the_killed_one(cluster):
    """kill -9 and the next start in one breath, while a commit is under way."""
    server = cluster.server
    for _ in range(5):
        changes = [Asking(cluster, "qmgr", "-c", "set queue workq Priority = %d" % i)
                   for i in range(4)]
        dying = server.process
        dying.kill()
        server.process = None
        server.start()
        dying.wait()
        for change in changes:
            change.join(60)


def test_a_second_server_on_the_same_home_is_refused(cluster):
    done = cluster.run([os.path.join(cluster.exec_dir, "sbin", "pbs_server"), "-N"], check=False)
    assert done.returncode != 0 and done.stderr
    assert cluster.server.is_up()
