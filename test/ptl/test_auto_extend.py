# SPDX-License-Identifier: Apache-2.0
"""Reservations that extend themselves while jobs run, on real daemons
(doc/design/049-auto-extend.md). The least step is a minute, so an end that was added is never
waited for here: the job ends before it, or the reservation is shortened."""
import time

import pytest

from holdfast import *
from holdfast.peer import STATUS_SERVER, asked_of_older
from holdfast.services import wait_for
from story import *


def is_extended(server, rid, end):
    wait_for("the extension", lambda: window(server, rid)[1] == end)
    return server.status(RESV, rid)[0]


def extended(cluster, *options, duration=10):
    """A short reservation in which a job runs: its id, the job's, the job's gate."""
    gate = Gate(cluster)
    rid = running_resv(cluster.server, options=list(options), duration=duration)
    jid = running_job(cluster.server, queue_of(rid), script=script_until(gate.path))
    return rid, jid, gate


def test_it_goes_on_while_its_job_runs_and_ends_with_it(cluster):
    server = cluster.server
    rid, jid, gate = extended(cluster, "-W", "auto_extend=60,auto_extend_max=90")
    start, _ = window(server, rid)
    resv = is_extended(server, rid, start + 70)
    assert resv["auto_extend"] == "00:01:00" and resv["auto_extend_max"] == "00:01:30"
    assert resv["reserve_duration"] == "70"
    server.log_match("%s;Jobs run in it, attempting to extend reservation by 60 seconds" % rid)
    server.log_match("%s;Reservation alter confirmed" % rid)
    server.accounting_match(";Y;%s;" % rid)
    # Beyond the end that was asked for it is there for its job only.
    wait_for("the end that was asked for", lambda: time.time() > start + 11)
    assert server.status(JOB, jid)[0]["job_state"] == "R"
    gate.open()
    is_gone(server, RESV, rid)
    assert "Exit_status=0" in server.accounting_match(";E;%s;" % jid)
    all_is_free(cluster)


def test_nobody_is_displaced(cluster):
    server = cluster.server
    rid = running_resv(server, options=["-W", "on_end=extend"], duration=15,
                       select="3:ncpus=2")
    start, end = window(server, rid)
    late = Reservation(select="3:ncpus=2", start=end + 5, duration=60, interactive=30)
    server.submit(late)
    assert late.answer.endswith("CONFIRMED"), late.answer
    jid = running_job(server, queue_of(rid), script="sleep 1000\n")
    # It goes on until the other one begins, and asks once more before that.
    is_extended(server, rid, end + 5)
    server.log_match("%s;Reservation alter denied" % rid)
    assert window(server, rid) == (start, end + 5)
    is_gone(server, RESV, rid)
    is_gone(server, JOB, jid)
    assert server.status(RESV, late.answer.split()[0])[0]["reserve_state"] != "RESV_DEGRADED"


def test_the_question_outlives_the_server(cluster):
    server = cluster.server
    rid, jid, gate = extended(cluster, "-W", "auto_extend=300", duration=20)
    start, _ = window(server, rid)
    server.kill()
    server.start()
    is_extended(server, rid, start + 320)
    assert server.status(JOB, jid)[0]["job_state"] == "R"
    gate.open()
    is_gone(server, RESV, rid)


def test_what_is_idle_is_given_back(cluster):
    server = cluster.server
    rid, jid, gate = extended(cluster, "-W", "auto_extend=60,auto_extend_release=true")
    start, _ = window(server, rid)
    resv = is_extended(server, rid, start + 70)
    assert resv["auto_extend_release"] == "True"
    assert resv_nodes(server, rid) == job_vnodes(server, jid)
    assert resv["Resource_List.select"] == "1:ncpus=2" and resv["Resource_List.ncpus"] == "2"
    # The others have them at once.
    other = Reservation(select="4:ncpus=2", start=2, duration=60, interactive=30)
    server.submit(other)
    assert other.answer.endswith("CONFIRMED"), other.answer
    gate.open()
    is_gone(server, RESV, rid)


def test_pbs_ralter_gives_back_what_is_idle(cluster):
    server = cluster.server
    rid = running_resv(server, duration=600)
    jid = running_job(server, queue_of(rid), script="sleep 1000\n")
    start, end = window(server, rid)

    def ralter(*options):
        done = cluster.run(["pbs_ralter", "-I", "60", *options, "--release-idle", rid],
                           user=USER1, check=False)
        return done.returncode, done.stdout, done.stderr
    rc, _, err = ralter("-D", "500")
    assert rc == 15029 & 255 and "No support for requested service" in err
    rc, _, err = ralter("-N", "other")
    assert rc == 2 and "--release-idle needs -E or -D" in err
    assert window(server, rid) == (start, end) and len(resv_nodes(server, rid)) == 3
    assert ralter("-D", "900") == (0, "pbs_ralter: %s CONFIRMED\n" % rid, "")
    assert window(server, rid) == (start, start + 900)
    assert resv_nodes(server, rid) == job_vnodes(server, jid)
    server.log_match("%s;Attempting to modify reservation end=.* select=1:ncpus=2" % rid,
                     regexp=True)


@pytest.mark.parametrize("word", ["auto_extend=60", "auto_extend_max=60",
                                  "auto_extend_release=True"])
def test_a_stranger_is_sent_nothing(cluster, tmp_path, word):
    for argv in (["pbs_rsub", "-R", Reservation.clock(3600), "-D", "60", "-W", word],
                 ["pbs_ralter", "-W", word, "R1.localhost"]):
        done, asked = asked_of_older(cluster, tmp_path, argv, offers="changes,why,on_end")
        assert (done.returncode, done.stdout) == (1, ""), argv
        assert "does not offer " in done.stderr
        # It was asked what it offers, and nothing else.
        assert asked == [STATUS_SERVER]
