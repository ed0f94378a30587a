# SPDX-License-Identifier: Apache-2.0
"""Files that a job finds when it begins, and what becomes of it when they are not there
(execution.md 22)."""
import os
import pwd
import shutil
import tempfile

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *
from test_mom import exit_status
from test_sandbox import PRIVATE, box_of, home, read

pytestmark = pytest.mark.usefixtures("directories")


@pytest.fixture(scope="module")
def cluster():
    with Cluster(vnodes=2) as c:
        yield c


@pytest.fixture
def folder():
    """A directory of the user whom jobs run as, with a file and a directory in it."""
    path = tempfile.mkdtemp(prefix="hf-in-", dir="/tmp")
    os.mkdir(path + "/tree")
    for name in ("file", "tree/leaf"):
        with open("%s/%s" % (path, name), "w") as f:
            f.write("content of %s\n" % name)
    for base, dirs, files in os.walk(path):
        for name in [base] + [os.path.join(base, n) for n in files]:
            os.chown(name, pwd.getpwnam(USER1).pw_uid, pwd.getpwnam(USER1).pw_gid)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.mark.parametrize("private", [False, True])
def test_files_are_there_when_the_job_begins(cluster, folder, private):
    server, name = cluster.server, "hf-in-%d" % os.getpid()
    attrs = dict(PRIVATE if private else {}, Output_Path=folder + "/out", Join_Path="oe",
                 stagein="%s@localhost:%s/file,%s.d@localhost:%s/tree" % (name, folder, name, folder))
    jid = server.submit(Job(attrs=attrs, script="#!/bin/sh\npwd\ncat %s %s.d/leaf\n" % (name, name)))
    assert exit_status(server, jid) == 0
    is_gone(server, JOB, jid)
    assert read(folder + "/out").splitlines() == [
        box_of(jid) if private else home(), "content of file", "content of tree/leaf"]
    assert os.path.exists(folder + "/file")  # its source stays
    for path in (box_of(jid), "%s/%s" % (home(), name), "%s/%s.d" % (home(), name)):
        wait_for("no " + path, lambda: not os.path.exists(path))


def test_a_file_that_is_not_there_has_the_job_wait(cluster, folder):
    server, letters = cluster.server, cluster.letter_file()
    name = "hf-none-%d" % os.getpid()
    jid = server.submit(Job(attrs={
        "Output_Path": folder + "/out", "Join_Path": "oe",
        "stagein": "%s@localhost:%s/file,%s.2@localhost:%s/missing" % (name, folder, name, folder)},
        script="#!/bin/sh\ncat %s %s.2\n" % (name, name)))
    server.expect(JOB, {"job_state": "W", "substate": 37}, id=jid)
    job = server.status(JOB, jid)[0]
    assert job["comment"].startswith("Not Running: File stage in failed: Unable to copy file "
                                     "%s.2 from localhost:%s/missing" % (name, folder))
    assert "Hold_Types" in job and job["Hold_Types"] == "n"
    assert not os.path.exists("%s/%s" % (home(), name))  # what had come has gone
    cluster.mom.log_match(";Fil;stage_file;Job %s: no wildcards:local stagein failed for %s" %
                          (jid, USER1))
    wait_for("a letter", lambda: "File stage in failed, see below." in read(letters))
    with open(folder + "/missing", "w") as f:
        f.write("now it is\n")
    os.chown(folder + "/missing", pwd.getpwnam(USER1).pw_uid, -1)
    cluster.run(["qalter", "-a", "200001010000", jid], user=USER1)
    assert exit_status(server, jid) == 0
    assert read(folder + "/out") == "content of file\nnow it is\n"


def test_a_rerun_fetches_them_again(cluster, folder):
    server, gate = cluster.server, Gate(cluster, "rerun")
    name = "hf-again-%d" % os.getpid()
    jid = server.submit(Job(attrs={"Output_Path": folder + "/out", "Join_Path": "oe",
                                   "stagein": "%s@localhost:%s/file" % (name, folder)},
                            script="#!/bin/sh\ncat %s\nrm %s\n[ -e %s ] || sleep 1000\n"
                                   % (name, name, gate.path)))
    server.expect(JOB, {"job_state": "R", "substate": 42}, id=jid)
    wait_for("its file", lambda: not os.path.exists("%s/%s" % (home(), name)))
    gate.open()
    cluster.run(["qrerun", jid])
    assert exit_status(server, jid) == 0
    cluster.server.accounting_match(";E;%s;.* Exit_status=0 .*run_count=2" % jid, regexp=True)
    assert read(folder + "/out").splitlines()[-1] == "content of file"
