# SPDX-License-Identifier: Apache-2.0
"""The MoM and files that users choose: it waits for none of them, takes no name from
anybody, and removes nothing of theirs as root."""
import os
import pwd
import shutil
import socket
import stat
import tempfile

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.users import ROOTLESS, USER2
from story import *
from test_mom import exit_status, seq

as_two_users = pytest.mark.skipif(ROOTLESS, reason="needs a second account")


@pytest.fixture
def folder():
    """A directory of the user whom jobs run as."""
    path = tempfile.mkdtemp(prefix="hf-files-", dir="/tmp")
    entry = pwd.getpwnam(USER1)
    os.chown(path, entry.pw_uid, entry.pw_gid)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def next_id(jid):
    number, server = jid.split(".", 1)
    return "%d.%s" % (int(number) + 1, server)


def no_scheduling(server):
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})


def scheduling(server):
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})


def make_fifo(path):
    os.mkfifo(path, 0o666)
    os.chmod(path, 0o666)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(path)
    os.chmod(path, 0o666)


def make_device(path):
    os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    os.chmod(path, 0o666)


def make_directory(path):
    """The name that the file would get in it is a directory too."""
    os.mkdir(path)


KINDS = [(make_fifo, "a FIFO"), (make_socket, "a socket"),
         pytest.param(make_device, "a device",
                      marks=pytest.mark.skipif(ROOTLESS, reason="makes a device"))]


@pytest.mark.parametrize("make, kind", KINDS)
def test_output_goes_into_plain_files_only(cluster, folder, make, kind):
    server, path = cluster.server, os.path.join(folder, "out")
    letters = cluster.letter_file()
    make(path)
    jid = server.submit(Job(attrs={"Output_Path": path, "Join_Path": "oe"},
                            script="#!/bin/sh\necho precious\n"))
    assert exit_status(server, jid) == 0
    is_gone(server, JOB, jid)
    with open(os.path.join(cluster.home, "undelivered", jid + ".OU")) as f:
        assert f.read() == "precious\n"
    cluster.mom.log_match("%s is %s" % (path, kind))
    all_is_free(cluster)

    def letter():
        with open(letters) as f:
            text = f.read()
        return text if "retained" in text else None
    text = wait_for("a letter to the user", letter)
    for words in ("Subject: PBS JOB " + jid, "Post job file processing error; job %s on host" % jid,
                  "Unable to copy file %s/spool/%s.OU to" % (cluster.home, jid),
                  "%s is %s, not a plain file" % (path, kind),
                  "Output retained on that host in: %s/undelivered/%s.OU" % (cluster.home, jid)):
        assert words in text, text


def test_a_directory_takes_the_file_under_its_name(cluster, folder):
    server = cluster.server
    jid = server.submit(Job(attrs={"Output_Path": folder + "/", "Join_Path": "oe"},
                            script="#!/bin/sh\necho within\n"))
    assert exit_status(server, jid) == 0
    with open(os.path.join(folder, jid + ".OU")) as f:
        assert f.read() == "within\n"


def test_a_directory_of_that_name_takes_nothing(cluster, folder):
    server = cluster.server
    no_scheduling(server)
    jid = server.submit(Job(attrs={"Output_Path": folder + "/", "Join_Path": "oe"},
                            script="#!/bin/sh\necho within\n"))
    os.mkdir(os.path.join(folder, jid + ".OU"))
    scheduling(server)
    assert exit_status(server, jid) == 0
    is_gone(server, JOB, jid)
    cluster.mom.log_match("%s/%s.OU is a directory" % (folder, jid))


@as_two_users
@pytest.mark.parametrize("end", ["", "/"])
def test_links_of_others_lead_into_no_directory(cluster, folder, end):
    server = cluster.server
    crowd = tempfile.mkdtemp(prefix="hf-crowd-", dir="/tmp")
    os.chmod(crowd, 0o1777)
    try:
        link = os.path.join(crowd, "out")
        os.symlink(folder, link)
        entry = pwd.getpwnam(USER2)
        os.lchown(link, entry.pw_uid, entry.pw_gid)
        jid = server.submit(Job(attrs={"Output_Path": link + end, "Join_Path": "oe"},
                                script="#!/bin/sh\necho new\n"))
        assert exit_status(server, jid) == 0
        is_gone(server, JOB, jid)
        cluster.mom.log_match("%s is a symbolic link of somebody else's" % link)
        assert os.listdir(folder) == []
    finally:
        shutil.rmtree(crowd)


@as_two_users
@pytest.mark.parametrize("owner, mode, follows", [
    (USER2, 0o1777, False), (USER1, 0o1777, True), ("root", 0o1777, True), (USER2, 0o777, True)])
def test_links_where_everybody_makes_names(cluster, folder, owner, mode, follows):
    """As fs.protected_symlinks has it, whatever the kernel of this host is told."""
    server, precious = cluster.server, os.path.join(folder, "precious")
    cluster.run(["sh", "-c", "echo mine > %s" % precious], user=USER1)
    crowd = tempfile.mkdtemp(prefix="hf-crowd-", dir="/tmp")
    try:
        link = os.path.join(crowd, "out")
        os.symlink(precious, link)
        entry = pwd.getpwnam(owner)
        os.lchown(link, entry.pw_uid, entry.pw_gid)
        os.chmod(crowd, mode)
        jid = server.submit(Job(attrs={"Output_Path": link, "Join_Path": "oe"},
                                script="#!/bin/sh\necho new\n"))
        assert exit_status(server, jid) == 0
        is_gone(server, JOB, jid)
        assert os.path.islink(link)
        with open(precious) as f:
            assert f.read() == ("new\n" if follows else "mine\n")
        kept = os.path.join(cluster.home, "undelivered", jid + ".OU")
        assert os.path.exists(kept) != follows
        if not follows:
            cluster.mom.log_match("%s is a symbolic link of somebody else's" % link)
    finally:
        shutil.rmtree(crowd)


@pytest.mark.parametrize("keep", ["oe"])
def test_a_kept_file_that_is_a_fifo_starts_no_job(cluster, keep):
    """Nobody waits for it: the start fails, and the MoM serves the next job."""
    server = cluster.server
    no_scheduling(server)
    jid = server.submit(Job(attrs={"Keep_Files": keep, "Job_Name": "kept"},
                            script="#!/bin/sh\ntrue\n"))
    home = pwd.getpwnam(USER1).pw_dir
    path = os.path.join(home, "kept.o" + seq(jid))
    make_fifo(path)
    try:
        scheduling(server)
        cluster.mom.log_match("%s is a FIFO" % path)
        server.expect(JOB, {"job_state": "H"}, id=jid)
        other = server.submit(Job(attrs={"Output_Path": "/dev/null", "Join_Path": "oe"},
                                  script="#!/bin/sh\ntrue\n"))
        assert exit_status(server, other) == 0
        server.delete(jid)
        is_gone(server, JOB, jid)
    finally:
        os.unlink(path)


def test_words_for_a_job_wait_for_no_reader(cluster, folder):
    """The error file of a job that is killed became a FIFO: the MoM goes on."""
    server = cluster.server
    home = pwd.getpwnam(USER1).pw_dir
    jid = server.submit(Job(
        attrs={"Keep_Files": "oe", "Job_Name": "fifo", "Resource_List.walltime": 1},
        script="#!/bin/sh\nid=${PBS_JOBID%%.*}\nrm -f ~/fifo.e$id ~/fifo.o$id\n"
               "mkfifo ~/fifo.e$id ~/fifo.o$id\nsleep 1000\n"))
    try:
        assert exit_status(server, jid) == -29
        other = server.submit(Job(attrs={"Output_Path": "/dev/null", "Join_Path": "oe"},
                                  script="#!/bin/sh\ntrue\n"))
        assert exit_status(server, other) == 0
    finally:
        for letter in "oe":
            os.unlink(os.path.join(home, "fifo.%s%s" % (letter, seq(jid))))


@as_two_users
@pytest.mark.parametrize("kind", ["directory", "file", "link", "fifo"])
def test_names_in_the_spool_belong_to_jobs(cluster, folder, kind):
    """Somebody took the names of a job before it was there: it runs, and what lay there
    is still there under another name."""
    server = cluster.server
    spool, tmp = os.path.join(cluster.home, "spool"), os.path.join(cluster.root, "tmp")
    no_scheduling(server)
    jid = server.submit(Job(attrs={"Output_Path": folder + "/out", "Join_Path": "oe"},
                            script="#!/bin/sh\necho mine\ntest -O $TMPDIR && echo scratch\n"))
    command = {"directory": "mkdir {0} && touch {0}/theirs", "file": "echo theirs > {0}",
               "link": "ln -s /etc/passwd {0}", "fifo": "mkfifo {0}"}[kind]
    taken = [os.path.join(spool, jid + ".OU"), os.path.join(tmp, "pbs." + jid)]
    for path in taken:
        cluster.run(["sh", "-c", command.format(path)], user=USER2)
    scheduling(server)
    assert exit_status(server, jid) == 0
    is_gone(server, JOB, jid)
    with open(os.path.join(folder, "out")) as f:
        assert f.read() == "mine\nscratch\n"
    for path in taken:
        where, name = os.path.split(path)
        assert not os.path.lexists(path)
        aside = [n for n in os.listdir(where) if n.startswith(name + ".aside.")]
        assert len(aside) == 1, os.listdir(where)
        now = os.path.join(where, aside[0])
        assert os.lstat(now).st_uid == pwd.getpwnam(USER2).pw_uid
        if kind == "directory":
            assert os.listdir(now) == ["theirs"]
    assert os.path.exists("/etc/passwd")
    cluster.mom.log_match(";%s;" % jid + ".*moved aside", regexp=True)


@as_two_users
def test_a_taken_name_among_the_undelivered_loses_no_output(cluster):
    server = cluster.server
    no_scheduling(server)
    jid = server.submit(Job(attrs={"Output_Path": "/no/such/directory/out", "Join_Path": "oe"},
                            script="#!/bin/sh\necho precious\n"))
    kept = os.path.join(cluster.home, "undelivered", jid + ".OU")
    cluster.run(["mkdir", kept], user=USER2)
    scheduling(server)
    assert exit_status(server, jid) == 0
    is_gone(server, JOB, jid)
    with open(kept) as f:
        assert f.read() == "precious\n"


def test_scratch_is_removed_by_its_owner(cluster, folder):
    """A scratch directory is emptied with the rights of its user, also one that he has
    closed to himself."""
    server = cluster.server
    jid = server.submit(Job(
        attrs={"Output_Path": "/dev/null", "Join_Path": "oe"},
        script="#!/bin/sh\nmkdir -p $TMPDIR/a/b\ntouch $TMPDIR/a/b/c\nchmod 0 $TMPDIR/a\n"
               "ln -s %s $TMPDIR/out\nchmod 0500 $TMPDIR\n" % folder))
    assert exit_status(server, jid) == 0
    is_gone(server, JOB, jid)
    tmp = os.path.join(cluster.root, "tmp")
    wait_for("no scratch directory", lambda: not os.listdir(tmp))
    assert os.path.isdir(folder)
