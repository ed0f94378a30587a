# SPDX-License-Identifier: Apache-2.0
"""Routing queues on real daemons: where jobs go, when they are tried again, what users see of it."""
import pytest

from holdfast import *
from holdfast.services import wait_for


@pytest.fixture(scope="module")
def cluster():
    with Cluster(vnodes=2, mock=True) as c:
        manager = c.server.manager
        for name, attrs in (
                ("small", {"queue_type": "e", "enabled": "True", "started": "True",
                           "resources_max.ncpus": "1", "from_route_only": "True"}),
                ("large", {"queue_type": "e", "enabled": "True", "started": "True",
                           "resources_min.ncpus": "2"}),
                ("entry", {"queue_type": "r", "route_destinations": "small,large",
                           "route_retry_time": "2", "enabled": "True", "started": "True"})):
            manager(MGR_CMD_CREATE, QUEUE, attrs, id=name)
        yield c


def said(cluster, *argv, user=USER1):
    done = cluster.run(list(argv), user=user, check=False)
    return done.returncode, done.stdout, done.stderr.splitlines()[:1]


def submitted(cluster, *argv, queue="entry"):
    code, out, err = said(cluster, "qsub", "-q", queue, *argv, "--", "/bin/sleep", "1000")
    assert code == 0, err
    return out.strip()


def queue_of(cluster, jid):
    return cluster.server.status(JOB, id=jid)[0]["queue"]


def test_first_that_takes_it(cluster):
    server = cluster.server
    small = submitted(cluster, "-l", "select=1:ncpus=1")
    assert queue_of(cluster, small) == "small"
    server.expect(JOB, {"job_state": "R"}, id=small)
    large = submitted(cluster, "-h", "-l", "select=1:ncpus=2")
    assert queue_of(cluster, large) == "entry"
    assert server.status(JOB, id=large)[0]["job_state"] == "H"
    assert cluster.run(["qrls", large], user=USER1).returncode == 0
    assert queue_of(cluster, large) == "large"
    assert server.accounting_match(";Q;%s;.*queue=entry .*etime=0 " % large, regexp=True)
    assert server.accounting_match(";Q;%s;.*queue=large " % large, regexp=True)
    assert server.log_match("%s;enqueuing into large, state Q hop 2" % large)
    for jid in (small, large):
        server.delete(jid)


def test_rejected(cluster):
    """15039, and nothing is left of the job."""
    server = cluster.server
    server.manager(MGR_CMD_SET, QUEUE, {"resources_max.ncpus": "4"}, id="large")
    assert said(cluster, "qsub", "-q", "entry", "-l", "select=1:ncpus=5", "--", "/bin/true") == (
        191, "", ["qsub: Job rejected by all possible destinations"])
    assert said(cluster, "qsub", "-q", "small", "--", "/bin/true")[0] == 174
    assert server.status(JOB) == []
    server.manager(MGR_CMD_UNSET, QUEUE, {"resources_max": None}, id="large")


def test_tried_again(cluster):
    """Also after the server was killed."""
    server = cluster.server
    server.manager(MGR_CMD_SET, QUEUE, {"enabled": "False"}, id="small")
    jid = submitted(cluster, "-l", "select=1:ncpus=1")
    assert queue_of(cluster, jid) == "entry"
    assert server.status(JOB, id=jid)[0]["queue_type"] == "R"
    shown = cluster.run(["qstat", "-Q", "entry"], user=USER1).stdout.splitlines()[2].split()
    assert shown[0] == "entry" and shown[5] == "1" and shown[-1].startswith("Rou")
    assert said(cluster, "qrun", jid, user="root") == (2, "", ["qrun: Invalid request " + jid])
    server.kill()
    server.start()
    server.manager(MGR_CMD_SET, QUEUE, {"enabled": "True"}, id="small")
    server.expect(JOB, {"queue": "small", "job_state": "R"}, id=jid)
    server.delete(jid)


def test_aborted(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, QUEUE, {"enabled": "False"}, id="small")
    jid = submitted(cluster, "-l", "select=1:ncpus=1")
    server.manager(MGR_CMD_SET, QUEUE, {"resources_max.ncpus": "0", "enabled": "True"},
                   id="small")
    wait_for("the end of " + jid, lambda: said(cluster, "qstat", jid)[0] == 153)
    assert server.accounting_match(";A;%s;Job rejected by all possible destinations" % jid)
    server.manager(MGR_CMD_SET, QUEUE, {"resources_max.ncpus": "1"}, id="small")
    server.manager(MGR_CMD_SET, QUEUE, {"route_lifetime": "1"}, id="entry")
    jid = submitted(cluster, "-h")
    wait_for("the end of " + jid, lambda: said(cluster, "qstat", jid)[0] == 153)
    assert server.accounting_match(";A;%s;Job was in its routing queue for too long" % jid)
    server.manager(MGR_CMD_UNSET, QUEUE, {"route_lifetime": None}, id="entry")
