# SPDX-License-Identifier: Apache-2.0
"""Limits of running jobs, new and old, are kept by the scheduler, with PBS's words for the jobs that
wait, and by the server when somebody runs a job himself."""
import pytest

from holdfast import *


@pytest.fixture(scope="module")
def cluster():
    with Cluster(vnodes=4, mock=True) as c:
        yield c


def queued(cluster, user=USER1):
    return cluster.run(["qsub", "-l", "select=1:ncpus=1", "--", "/bin/sleep", "1000"],
                       user=user).stdout.strip()


@pytest.mark.parametrize("kind,id,name,text,words", [
    (QUEUE, "workq", "max_run", "[u:PBS_GENERIC=1]", "User has reached queue workq running job limit."),
    (SERVER, None, "max_run", "[o:PBS_ALL=1]", "Server job limit has been reached."),
    (SERVER, None, "max_user_run", "1", "User has reached server running job limit."),
    (SERVER, None, "max_run_res.ncpus", "[u:%s=1]" % USER1,
     "would exceed user %s's limit on resource ncpus in complex" % USER1),
])
def test_limit(cluster, kind, id, name, text, words):
    cluster.server.manager(MGR_CMD_SET, kind, {name: text}, id=id)
    first, second = queued(cluster), queued(cluster)
    cluster.server.expect(JOB, {"job_state": "R"}, id=first)
    cluster.server.expect(JOB, {"comment": "Not Running: " + words}, id=second)
    cluster.server.delete(first)
    cluster.server.expect(JOB, {"job_state": "R"}, id=second)
    third = queued(cluster)
    cluster.server.expect(JOB, {"comment": "Not Running: " + words}, id=third)
    done = cluster.run(["qrun", third], user="root", check=False)
    assert (done.returncode, done.stderr) == (2, "qrun: %s %s\n" % (words, third))
    assert cluster.server.status(JOB, id=third)[0]["job_state"] == "Q"
    for jid in (second, third):
        cluster.server.delete(jid)
    cluster.server.manager(MGR_CMD_UNSET, kind, {name.split(".")[0]: None}, id=id)
