# SPDX-License-Identifier: Apache-2.0
"""Job arrays in reservations: what becomes of subjobs that run, wait and are over when the
reservation ends, or the occurrence that they run in (doc/design/045-on-end.md)."""
import re
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *


def submit_array(cluster, rid, gate, indices="1-5", chunks="1:ncpus=2", options=()):
    """An array in the reservation, whose subjobs run until the gate is open."""
    script = cluster.write("sub.sh", script_until(gate.path))
    jid = cluster.run(["qsub", "-N", "sub", "-q", queue_of(rid), "-J", indices,
                       "-l", "select=" + chunks, *options, script], user=USER1).stdout.strip()
    assert re.fullmatch(r"\d+\[\]\..*", jid)
    return jid


def sub(jid, index):
    return jid.replace("[]", "[%d]" % index)


def counts(cluster, jid, queued, running, exiting=0, expired=0, **attrs):
    text = "Queued:%d Running:%d Exiting:%d Expired:%d" % (queued, running, exiting, expired)
    return cluster.server.expect(JOB, {"array_state_count": text, **attrs}, id=jid)


def runs(cluster, jid, *indices):
    """They have a session each."""
    for i in indices:
        cluster.server.expect(JOB, {"job_state": "R", "substate": 42}, id=sub(jid, i))


def ends(cluster, rid, *options):
    cluster.run(["pbs_ralter", "-E", Reservation.clock(1), "-I", "30", rid], user=USER1)


def types_of(server, oid):
    lines = [line.split(";") for line in server.accounting_lines()]
    return "".join(line[1] for line in lines if line[2] == oid)


def test_the_end_kills_an_array(cluster):
    server, gate = cluster.server, Gate(cluster)
    rid = running_resv(server)
    jid = submit_array(cluster, rid, gate)
    counts(cluster, jid, 2, 3)
    runs(cluster, jid, 1, 2, 3)
    ends(cluster, rid)
    is_gone(server, RESV, rid)
    is_gone(server, JOB, jid)
    for i in (1, 2, 3):
        assert "Exit_status=" in server.accounting_match(";E;%s;" % sub(jid, i))
    all_is_free(cluster)


def test_the_end_requeues_an_array(cluster):
    """Its runs end, it moves as a whole with one Q record, and goes on outside."""
    server, gate = cluster.server, Gate(cluster)
    rid = running_resv(server, options=["-W", "on_end=requeue"])
    jid = submit_array(cluster, rid, gate)
    runs(cluster, jid, 1, 2, 3)
    cluster.run(["qdel", sub(jid, 5)], user=USER1)
    counts(cluster, jid, 1, 3, expired=1)
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    cluster.run(["pbs_ralter", "-W", "force", "-E", Reservation.clock(1), rid])
    is_gone(server, RESV, rid)
    job = counts(cluster, jid, 4, 0, expired=1, job_state="B", queue="workq")
    assert "reserve_ID" not in job
    for i in (1, 4):
        one = server.status(JOB, id=sub(jid, i))[0]
        assert (one["queue"], one["job_state"]) == ("workq", "Q")
        assert "reserve_ID" not in one
    assert types_of(server, jid) == "QSQ"
    assert types_of(server, sub(jid, 1)) == "SR"
    server.kill()
    server.start()
    counts(cluster, jid, 4, 0, expired=1, job_state="B", queue="workq")
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    runs(cluster, jid, 1, 2, 3)
    assert server.status(JOB, id=sub(jid, 1))[0]["run_count"] == "2"
    gate.open()
    is_gone(server, JOB, jid)
    assert types_of(server, sub(jid, 1)) == "SRSE"
    all_is_free(cluster)


def test_the_end_holds_an_array(cluster):
    server, gate = cluster.server, Gate(cluster)
    rid = running_resv(server, options=["-W", "on_end=hold"])
    jid = submit_array(cluster, rid, gate)
    runs(cluster, jid, 1, 2, 3)
    ends(cluster, rid)
    is_gone(server, RESV, rid)
    counts(cluster, jid, 5, 0, job_state="H", queue="workq", Hold_Types="u")
    cluster.run(["qrls", jid], user=USER1)
    runs(cluster, jid, 1, 2, 3)
    gate.open()
    is_gone(server, JOB, jid)
    all_is_free(cluster)


def test_the_server_dies_amid_the_end(cluster):
    """Without its MoM no run can end: the array waits for them, across a restart."""
    server, gate = cluster.server, Gate(cluster)
    rid = running_resv(server, options=["-W", "on_end=requeue"])
    jid = submit_array(cluster, rid, gate)
    runs(cluster, jid, 1, 2, 3)
    server_dies_amid_the_end(cluster, rid)
    counts(cluster, jid, 2, 3, queue=queue_of(rid))
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    cluster.mom.start()
    counts(cluster, jid, 5, 0, job_state="B", queue="workq")
    is_gone(server, RESV, rid)
    server.delete(jid)
    all_is_free(cluster)


def test_extend_keeps_an_array_that_runs(cluster):
    server, gate = cluster.server, Gate(cluster)
    rid = running_resv(server, options=["-W", "on_end=extend"], duration=15)
    first = server.status(RESV, rid)[0]["reserve_end"]
    jid = submit_array(cluster, rid, gate, "1-4")
    runs(cluster, jid, 1, 2, 3)
    server.log_match("%s;Reservation alter confirmed" % rid)
    assert server.status(RESV, rid)[0]["reserve_end"] != first
    over = time.mktime(time.strptime(first))
    wait_for("the end that was asked for", lambda: time.time() > over + 1)
    runs(cluster, jid, 1, 2, 3)
    gate.open()
    is_gone(server, JOB, jid)
    is_gone(server, RESV, rid)  # it was there for its array only
    all_is_free(cluster)


@pytest.mark.parametrize("on_end, records", [("kill", "SAE"), ("requeue", "SRSE")])
def test_an_array_goes_on_in_the_next_occurrence(cluster, on_end, records):
    """It begins in the first one; what ran there is killed or runs again."""
    server, gate = cluster.server, Gate(cluster)
    done = cluster.run(["pbs_rsub", "-R", Reservation.clock(4), "-D", "12", "-r",
                        "FREQ=MINUTELY;COUNT=2", "-l", "select=2:ncpus=2", "-I", "30",
                        "-W", "on_end=" + on_end], user=USER1, env={"PBS_TZID": "UTC"})
    rid = done.stdout.split()[0]
    jid = submit_array(cluster, rid, gate)
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)
    runs(cluster, jid, 1, 2)
    expired = 2 if on_end == "kill" else 0
    counts(cluster, jid, 5 - expired, 0, expired=expired, queue=queue_of(rid), job_state="B")
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_index": 2}, id=rid)
    gate.open()
    # Its own start is a minute behind the first one.
    cluster.run(["pbs_ralter", "-R", Reservation.clock(8), "-D", "60", "-I", "30", rid],
                user=USER1)
    wait_for("the next occurrence", lambda: server.status(RESV, rid)[0]["reserve_state"] ==
             "RESV_RUNNING", deadline=90)
    is_gone(server, JOB, jid)
    assert types_of(server, sub(jid, 1)) == records
    assert types_of(server, sub(jid, 5)) == "SE"
    cluster.run(["pbs_rdel", rid], user=USER1)
    is_gone(server, RESV, rid)
    all_is_free(cluster)
