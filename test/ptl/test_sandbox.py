# SPDX-License-Identifier: Apache-2.0
"""Jobs in a directory of their own, and files that are staged out of it or of the home
directory (execution.md 14, 22)."""
import os
import pwd
import shutil
import signal
import tempfile

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *
from test_mom import exit_status, seq

pytestmark = pytest.mark.usefixtures("directories")


@pytest.fixture(scope="module")
def cluster():
    with Cluster(vnodes=2) as c:
        yield c


@pytest.fixture
def folder():
    """A directory of the user whom jobs run as."""
    path = tempfile.mkdtemp(prefix="hf-box-", dir="/tmp")
    entry = pwd.getpwnam(USER1)
    os.chown(path, entry.pw_uid, entry.pw_gid)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def home():
    return pwd.getpwnam(USER1).pw_dir


def read(path):
    with open(path) as f:
        return f.read()


def box_of(jid, root=None):
    return "%s/pbs.%s.x8z" % (root or home(), jid)


PRIVATE = {"sandbox": "private"}


def test_a_job_has_a_directory_of_its_own(cluster, folder):
    server, gate = cluster.server, Gate(cluster, "own")
    jid = server.submit(Job(attrs=dict(PRIVATE, Output_Path=folder + "/out", Join_Path="oe"),
                            script="#!/bin/sh\npwd\necho $PBS_JOBDIR\necho x > kept\n"
                                   "while [ ! -e %s ]; do sleep 0.2; done\n" % gate.path))
    server.expect(JOB, {"job_state": "R", "substate": 42, "jobdir": box_of(jid)}, id=jid)
    wait_for("its file", lambda: os.path.exists(box_of(jid) + "/kept"))
    assert os.stat(box_of(jid)).st_mode & 0o7777 == 0o700
    assert read(box_of(jid) + "/%s.OU" % jid).split() == [box_of(jid)] * 2
    assert not os.path.exists(os.path.join(cluster.home, "spool", jid + ".OU"))
    gate.open()
    assert exit_status(server, jid) == 0
    assert read(folder + "/out").split() == [box_of(jid)] * 2
    wait_for("no directory", lambda: not [n for n in os.listdir(home()) if jid in n])
    cluster.mom.log_match(";0008;pbs_mom;Job;%s;created the job directory %s" % (jid, box_of(jid)))


def test_a_program_begins_there(cluster, folder):
    jid = cluster.run(["qsub", "-W", "sandbox=PRIVATE", "-j", "oe", "-o", folder + "/out", "--",
                       "/bin/pwd"], user=USER1).stdout.strip()
    assert exit_status(cluster.server, jid) == 0
    assert read(folder + "/out").split() == [box_of(jid)]


def test_output_that_is_kept_stays(cluster):
    jid = cluster.run(["qsub", "-W", "sandbox=PRIVATE", "-N", "box", "-k", "oe"], user=USER1,
                      input="echo kept\n").stdout.strip()
    assert exit_status(cluster.server, jid) == 0
    is_gone(cluster.server, JOB, jid)
    assert read("%s/box.o%s" % (box_of(jid), seq(jid))) == "kept\n"
    shutil.rmtree(box_of(jid))


@pytest.mark.parametrize("options", [["-k", "oe", "-R", "oe"], ["-k", "e", "-j", "oe"]])
def test_a_directory_without_kept_output_goes(cluster, folder, options):
    """What is kept by name, and is removed, or is joined with what is not kept, keeps no directory."""
    jid = cluster.run(["qsub", "-W", "sandbox=PRIVATE", *options, "-o", folder + "/out"], user=USER1,
                      input="echo kept > more\n").stdout.strip()
    assert exit_status(cluster.server, jid) == 0
    is_gone(cluster.server, JOB, jid)
    wait_for("no directory", lambda: not os.path.exists(box_of(jid)))


def test_files_are_staged_out_of_it(cluster, folder):
    """Several, by pattern, and a directory."""
    server = cluster.server
    out = "localhost:" + folder
    jid = server.submit(Job(attrs=dict(PRIVATE, Output_Path="/dev/null", Join_Path="oe",
                                       stageout="one@%s/1,*.dat@%s,tree@%s/t" % (out, out, out)),
                            script="#!/bin/sh\necho 1 > one; echo a > a.dat; echo b > b.dat\n"
                                   "mkdir -p tree/deep; echo d > tree/deep/d\n"))
    assert exit_status(server, jid) == 0
    is_gone(server, JOB, jid)
    assert {n: read("%s/%s" % (folder, n)) for n in ("1", "a.dat", "b.dat", "t/deep/d")} == \
        {"1": "1\n", "a.dat": "a\n", "b.dat": "b\n", "t/deep/d": "d\n"}
    wait_for("no directory", lambda: not os.path.exists(box_of(jid)))
    cluster.mom.log_match(";%s;Staged 4/4 items out over" % jid)


def test_what_cannot_be_delivered_stays_there(cluster, folder):
    server = cluster.server
    jid = server.submit(Job(attrs=dict(PRIVATE, Output_Path="/no/such/dir/out", Join_Path="oe",
                                       stageout="one@localhost:%s/1" % folder),
                            script="#!/bin/sh\necho precious\necho 1 > one\n"))
    assert exit_status(server, jid) == 0
    is_gone(server, JOB, jid)
    assert read(folder + "/1") == "1\n"
    assert read(box_of(jid) + "/%s.OU" % jid) == "precious\n"
    shutil.rmtree(box_of(jid))


def nobody_elses_directory(cluster, root, folder):
    """Somebody has made one there before: it is moved aside, for a start and for files."""
    server = cluster.server
    for staged in ({}, {"stagein": "in@localhost:%s/in" % folder}):
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        with open(folder + "/in", "w") as f:
            f.write("staged\n")
        jid = server.submit(Job(attrs=dict(PRIVATE, Output_Path=folder + "/out", Join_Path="oe",
                                           **staged), script="#!/bin/sh\npwd\n[ ! -e in ] || cat in\n"))
        box = box_of(jid, root)
        os.mkdir(box)
        os.chmod(box, 0o777)
        uid = pwd.getpwnam(USER2).pw_uid
        os.chown(box, uid, -1)
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
        assert exit_status(server, jid) == 0
        assert read(folder + "/out").split() == [box] + ["staged"] * len(staged)
        cluster.mom.log_match("%s belonged to uid %d: moved aside as " % (box, uid))
        aside, = [name for name in os.listdir(root) if ".aside." in name]
        assert os.stat(root + "/" + aside).st_uid == uid
        os.rmdir(root + "/" + aside)
        wait_for("no directory", lambda: not os.listdir(root))


def test_a_root_for_all(cluster, folder):
    """$jobdir_root: everybody may make directories there; anything else is refused."""
    config = os.path.join(cluster.home, "mom_priv/config")
    before, root = read(config), tempfile.mkdtemp(prefix="hf-root-", dir="/tmp")
    try:
        for mode, word in ((0o755, "Security violation"), (0o1777, "created the job directory")):
            os.chmod(root, mode)
            with open(config, "w") as f:
                f.write(before + "$jobdir_root %s\n" % root)
            cluster.mom.send_signal(signal.SIGHUP)
            if mode == 0o755:
                cluster.mom.log_match(word + ' "%s"' % root)
                continue
            cluster.mom.log_match(";jobdir_root;" + root)
            jid = cluster.server.submit(Job(attrs=dict(PRIVATE, Output_Path=folder + "/out",
                                                       Join_Path="oe"),
                                            script="#!/bin/sh\npwd\n"))
            assert exit_status(cluster.server, jid) == 0
            assert read(folder + "/out").split() == [box_of(jid, root)]
            wait_for("no directory", lambda: not os.listdir(root))
        if not ROOTLESS:
            nobody_elses_directory(cluster, root, folder)
    finally:
        with open(config, "w") as f:
            f.write(before)
        cluster.mom.send_signal(signal.SIGHUP)
        shutil.rmtree(root)


def test_a_name_that_is_taken_starts_no_job(cluster):
    """A link somewhere else in the place of the directory is not followed."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    jid = server.submit(Job(attrs=dict(PRIVATE, Output_Path="/dev/null", Join_Path="oe"),
                            sleep=0))
    os.symlink("/tmp", box_of(jid))
    try:
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
        cluster.mom.log_match("cannot make the job directory " + box_of(jid))
        server.expect(JOB, {"job_state": "H"}, id=jid)
    finally:
        os.unlink(box_of(jid))
    server.delete(jid)
    is_gone(server, JOB, jid)


SCP = """#!/bin/sh
echo "$*" >> %(root)s/scp.calls
[ -e %(root)s/scp.fails ] && { echo no route >&2; exit 1; }
for last; do to=$from; from=$last; done
exec /bin/cp -r "${to#*:}" "${from#*:}"
"""


def test_other_hosts_are_reached_by_scp(cluster, folder):
    """$usecp first, then PBS_SCP; what cannot be delivered is kept."""
    server = cluster.server
    path = cluster.write("scp", SCP % {"root": cluster.root})
    os.chmod(path, 0o755)
    calls = cluster.write("scp.calls", "")
    os.chmod(calls, 0o666)
    with open(os.path.join(cluster.root, "pbs.conf"), "a") as f:
        f.write("PBS_SCP=%s\nPBS_RCP=%s\n" % (path, path))
    cluster.mom.restart()
    cluster.wait_nodes()
    jid = server.submit(Job(attrs={"Output_Path": "192.0.2.77:%s/out" % folder,
                                   "Join_Path": "oe"}, script="#!/bin/sh\necho far\n"))
    assert exit_status(server, jid) == 0
    is_gone(server, JOB, jid)
    assert read(folder + "/out") == "far\n"
    assert read(calls) == "-Brvp %s/spool/%s.OU %s@192.0.2.77:%s/out\n" % (
        cluster.home, jid, USER1, folder)
    with open(os.path.join(cluster.root, "scp.fails"), "w"):
        pass
    jid = server.submit(Job(attrs={"Output_Path": "192.0.2.77:%s/other" % folder,
                                   "Join_Path": "oe"}, script="#!/bin/sh\necho kept\n"))
    assert exit_status(server, jid) == 0
    kept = os.path.join(cluster.home, "undelivered", jid + ".OU")
    wait_for("the kept output", lambda: os.path.exists(kept))
    assert read(kept) == "kept\n"
    cluster.mom.log_match(";0080;pbs_mom;Fil;sys_copy;command: %s" % path)
    assert len(read(calls).splitlines()) == 5
