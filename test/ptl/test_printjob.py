# SPDX-License-Identifier: Apache-2.0
"""printjob: what is on record of a job, at its MoM and at the server."""
import os

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *
from test_mom import exit_status, session_of

BOTH_STORES = pytest.mark.parametrize("cluster", [{"store": "sqlite"}, {"store": "postgresql"}],
                                      indirect=True, ids=["sqlite", "postgresql"])


def printjob(cluster, *words, user=None, check=True):
    return cluster.run(["printjob"] + list(words), user=user, check=check)


def held(cluster, *words, **job):
    """A job that waits."""
    path = cluster.write_script(Job(**job))
    return cluster.run(["qsub", "-h"] + list(words) + [path], user=USER1).stdout.strip()


def fields(text):
    """The lines "name:<tabs>value" of a head and of tasks."""
    return dict(line.strip().split(":", 1) for line in text.splitlines() if ":\t" in line)


def attributes(text):
    lines = text.split("--attributes--\n")[1].split("\n\n")[0].splitlines()
    return [line.split(" = ", 1) for line in lines]


@BOTH_STORES
def test_what_the_server_has_on_record(cluster):
    server = cluster.server
    script = "#!/bin/sh\n# \\ and \\0, \t\u00e4 and no end of line"
    jid = held(cluster, "-N", "shown", "-A", "0077", "-v", "A=\x1b[2J", script=script)
    text = printjob(cluster, jid).stdout
    dashes = "-" * 51
    assert text.startswith("%s\njobid:\t%s\n%s\nstate:\t\t0x2\nsubstate:\t0x14 (20)\n"
                           "svrflgs:\t0x1 (1)\nstime:\t\t0\nobittime:\t\t0\nfile base:\t\n"
                           "queue:\t\tworkq\nunion type exec:\n\texits\t0\n--attributes--\n"
                           % (dashes, jid, dashes))
    got = attributes(text)
    assert [a[0] for a in got] == sorted((a[0] for a in got), key=lambda n: (len(n), n))
    assert ["Job_Name", "shown"] in got and ["job_state", "H"] in got
    assert ["Resource_List.ncpus", "1"] in got and ["Account_Name", "0077"] in got
    # What a terminal would obey is shown as everywhere.
    assert "A=^[[2J" in dict(got)["Variable_List"] and "\x1b" not in text
    assert not [name for name, _ in got if name.startswith("hf_")]
    assert "--attributes--" not in printjob(cluster, "-a", jid).stdout
    number = jid.split(".")[0]
    assert printjob(cluster, "-s", number).stdout == \
        "%s\nJobscript for jobid:%s\n%s\n%s\n" % (dashes, jid, dashes, script)
    # A subjob has the script of its array.
    array = held(cluster, "-J", "1-3", script=script)
    for name in (array, array.replace("[]", "[2]")):
        assert printjob(cluster, "-s", name).stdout.endswith("%s\n%s\n" % (dashes, script))
    # The store is there without its server.
    server.stop()
    assert printjob(cluster, number).stdout == text
    server.start()


def test_what_the_mom_has_on_record(cluster):
    jid = running_job(cluster.server, script="#!/bin/sh\nsleep 1000\n")
    path = os.path.join(cluster.home, "mom_priv/jobs", jid + ".JB")
    session = session_of(cluster.server, jid)
    wait_for("the session", lambda: session in printjob(cluster, path).stdout)
    text = printjob(cluster, path).stdout
    head = fields(text)
    assert head["jobid"].strip() == jid and head["state"].strip() == "0x4"
    assert head["substate"].strip() == "0x2a (42)" and head["svrflgs"].strip() == "0x21 (33)"
    assert head["file base"].strip() == jid and head["queue"].strip() == ""
    assert int(head["stime"]) > 0
    assert "task file %s, task 00000001\n\n\tparentjobid:\t%s\n" % (path, jid) in text
    assert "\tstatus:\t\t1\tTI_STATE_RUNNING\n\tsid:\t\t%s\n" % session in text
    got = dict(attributes(text))
    assert got["run_version"] == "1" and got["Resource_List.ncpus"] == "2"
    assert "cookie" in got
    assert "--attributes--" not in printjob(cluster, "-a", path).stdout
    cluster.server.delete(jid)


def test_mistakes(cluster):
    jid = running_job(cluster.server, script="#!/bin/sh\nsleep 1000\n")
    path = os.path.join(cluster.home, "mom_priv/jobs", jid + ".JB")
    with open(path, "rb") as f:
        record = f.read()
    pipe = os.path.join(cluster.root, "pipe")
    os.mkfifo(pipe)
    bad = [(pipe, "it is no plain file"), (cluster.root, "it is no plain file"),
           (os.path.join(cluster.root, "nothing"), "No such file or directory")]
    for n, cut in enumerate((b"", record[:-1], record + b"+", b"\0" * 100, record[: len(record) // 2])):
        bad.append((os.path.join(cluster.root, "bad%d" % n), "it is no record of a job, or is damaged"))
        with open(bad[-1][0], "wb") as f:
            f.write(cut)
    for name, words in bad:
        r = printjob(cluster, name, check=False)
        assert (r.returncode, r.stdout, r.stderr) == (1, "", "printjob: %s: %s\n" % (name, words))
    r = printjob(cluster, "99999", "wrong id", path, check=False)
    assert r.returncode == 1 and "\njobid:\t%s\n" % jid in r.stdout
    assert r.stderr == "Job 99999.%s not found\nprintjob: illegally formed job identifier: " \
        "wrong id\n" % cluster.host
    for words in ((), ("-a",), ("-z", jid), ("-a", "-s", jid)):
        r = printjob(cluster, *words, check=False)
        assert r.returncode == 1 and not r.stdout and "usage: printjob" in r.stderr
    program = cluster.run(["qsub", "-h", "--", "/bin/true"], user=USER1).stdout.strip()
    r = printjob(cluster, "-s", program, check=False)
    assert (r.returncode, r.stderr) == (1, "printjob: job %s has no script\n" % program)
    cluster.server.delete(jid)


@pytest.mark.skipif(ROOTLESS, reason="needs root: files of another user")
def test_nobody_else_reads_the_store(cluster):
    jid = held(cluster, script="#!/bin/sh\n")
    r = printjob(cluster, jid, user=USER1, check=False)
    assert r.returncode == 1 and not r.stdout and "unable to open" in r.stderr
