# SPDX-License-Identifier: Apache-2.0
"""Jobs in state U: somebody sits at the host ($kbd_idle), so its jobs stand and go on by
themselves (execution.md 30, tpp.md 5.1), on real processes."""
import os

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *
from test_mom_directives import configure, is_stopped, touch

LONG_AGO = 100000


def selected(cluster, letters):
    return cluster.run(["qselect", "-s", letters]).stdout.split()


def stands(cluster, jid, session):
    server = cluster.server
    server.expect(JOB, {"job_state": "U", "substate": "43"}, id=jid)
    server.expect(VNODE, {"state": (MATCH_RE, "busy")}, id="vn[0]")
    assert is_stopped(session)
    assert selected(cluster, "U") == [jid] and selected(cluster, "R") == []


def goes_on(cluster, jid, session):
    cluster.server.expect(JOB, {"job_state": "R", "substate": "42", "run_count": "1"}, id=jid)
    wait_for("the job to go on", lambda: not is_stopped(session))
    cluster.server.expect(VNODE, {"state": (MATCH_RE, "free|job-busy")}, id="vn[0]")


@pytest.fixture
def used(cluster):
    """A job at whose host somebody sits."""
    jid = running_job(cluster.server)
    session = cluster.server.status(JOB, jid)[0]["session_id"]
    touch(cluster, ago=LONG_AGO)
    configure(cluster, "$kbd_idle 1000 0 1\n")
    touch(cluster)
    stands(cluster, jid, session)
    return jid, session


def test_a_job_stands_while_somebody_sits_at_its_host(cluster, used):
    jid, session = used
    server = cluster.server
    server.accounting_match(r";z;%s;resources_used.*walltime=" % jid, regexp=True)
    # It keeps what it has, and runs as far as counts go.
    assert server.status(JOB, jid)[0]["exec_vnode"] == "(vn[0]:ncpus=2)"
    server.expect(VNODE, {"resources_assigned.ncpus": "2"}, id="vn[0]")
    assert "Running:1 " in server.status(SERVER)[0]["state_count"]
    # A signal would let it go on.
    done = cluster.run(["qsig", "-s", "SIGCONT", jid], check=False)
    assert done.returncode == 168 and is_stopped(session), done
    table = cluster.run(["qstat", jid]).stdout.splitlines()[-1].split()
    assert table[-2] == "U", table
    touch(cluster, ago=LONG_AGO)
    goes_on(cluster, jid, session)
    server.accounting_match(";r;%s;" % jid)


def test_daemons_that_are_killed_know_what_stands(cluster, used):
    jid, session = used
    cluster.server.kill()
    cluster.server.start()
    stands(cluster, jid, session)
    mom_has_registered(cluster)
    stands(cluster, jid, session)
    cluster.mom.kill()
    assert is_stopped(session)
    cluster.mom.start()
    stands(cluster, jid, session)
    # While the server is away the job goes on, which the server hears of afterwards.
    cluster.server.kill()
    touch(cluster, ago=LONG_AGO)
    wait_for("the job to go on", lambda: not is_stopped(session))
    cluster.server.start()
    goes_on(cluster, jid, session)


def test_what_stands_is_suspended_and_resumed(cluster, used):
    jid, session = used
    server = cluster.server
    cluster.run(["qsig", "-s", "admin-suspend", jid])
    server.expect(JOB, {"job_state": "S", "substate": "43"}, id=jid)
    assert selected(cluster, "U") == []
    touch(cluster, ago=LONG_AGO)
    cluster.mom.log_match("kbd_idle;keyboard and mouse are idle")
    assert is_stopped(session)
    touch(cluster)
    server.expect(VNODE, {"state": (MATCH_RE, "busy")}, id="vn[0]")
    cluster.run(["qsig", "-s", "admin-resume", jid])
    server.expect(JOB, {"job_state": "U"}, id=jid)
    assert is_stopped(session)
    touch(cluster, ago=LONG_AGO)
    goes_on(cluster, jid, session)


@pytest.mark.parametrize("how", ["deleted", "killed", "requeued"])
def test_what_stands_can_be_ended(cluster, used, how):
    jid, session = used
    server = cluster.server
    if how == "deleted":
        server.delete(jid)
    elif how == "killed":
        cluster.run(["qsig", "-s", "SIGKILL", jid])
    else:
        cluster.run(["qrerun", jid])
        # Its host is busy, so it waits.
        server.expect(JOB, {"job_state": "Q"}, id=jid)
        assert server.status(JOB, jid)[0].get("substate") == "10"
        wait_for("the end of the run", lambda: not os.path.exists("/proc/" + session))
        server.delete(jid)
    is_gone(server, JOB, jid)
    wait_for("the end of the processes", lambda: not os.path.exists("/proc/" + session))


def test_a_hold_leaves_it_standing(cluster, used):
    """Without a script that makes images, a hold only stays for later."""
    jid, session = used
    cluster.run(["qhold", "-h", "u", jid], check=False)
    cluster.server.expect(JOB, {"job_state": "U", "Hold_Types": "u"}, id=jid)
    assert is_stopped(session)
    touch(cluster, ago=LONG_AGO)
    goes_on(cluster, jid, session)
