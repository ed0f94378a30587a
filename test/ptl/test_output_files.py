# SPDX-License-Identifier: Apache-2.0
"""Where the output of a job ends up: -k, -k d, -R, -j and -o together (execution.md 13)."""
import os
import re

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.users import run_as

# Runs beside one another number their jobs alike and share the home directory.
NAME = "t%d" % os.getpid()


@pytest.fixture(scope="module")
def cluster():
    with Cluster(vnodes=2) as c:
        c.write("home/mom_priv/config", "$logevent 0x7ff\n")
        c.mom.restart()
        c.wait_nodes()
        yield c


def places():
    """The directory of submission, and the home directory."""
    kwargs, env = run_as(USER1)
    return kwargs["cwd"], env["HOME"]


def files_of(seq):
    """What there is of a job, by its place: "here", "home"."""
    found = {}
    for name, folder in zip(("here", "home"), places()):
        for entry in os.listdir(folder):
            if re.match(r"%s\.[oe]%s$" % (NAME, seq), entry):
                path = os.path.join(folder, entry)
                with open(path) as f:
                    found[name + "." + entry[len(NAME) + 1]] = f.read()
                os.unlink(path)
    return found


def run(cluster, *options, status=0, script="echo out; echo err >&2"):
    jid = cluster.run(["qsub", "-N", NAME, *options], user=USER1,
                      input="%s\nexit %d\n" % (script, status)).stdout.strip()
    cluster.server.accounting_match(r";E;%s;.* Exit_status=%d " % (re.escape(jid), status),
                                    regexp=True)
    wait_for("no files at the MoM", lambda: not [
        n for d in ("spool", "mom_priv/jobs") for n in os.listdir(os.path.join(cluster.home, d))
        if n.startswith(jid)])
    return files_of(jid.split(".")[0])


BOTH = {"here.o": "out\n", "here.e": "err\n"}


@pytest.mark.parametrize("options, status, expect", [
    ([], 0, BOTH),
    (["-k", "n"], 0, BOTH),
    (["-k", "oe"], 0, {"home.o": "out\n", "home.e": "err\n"}),
    (["-k", "o"], 0, {"home.o": "out\n", "here.e": "err\n"}),
    (["-k", "oed"], 0, BOTH),
    (["-k", "doe"], 0, BOTH),
    (["-k", "od"], 0, BOTH),
    (["-k", "oed", "-j", "oe"], 0, {"here.o": "out\nerr\n"}),
    (["-k", "oed", "-j", "eo"], 0, {"here.e": "out\nerr\n"}),
    (["-k", "oed", "-o", "/dev/null"], 0, {"here.e": "err\n"}),
    (["-R", "oe"], 0, {}),
    (["-R", "o"], 0, {"here.e": "err\n"}),
    (["-R", "e"], 0, {"here.o": "out\n"}),
    (["-R", "oe"], 3, BOTH),
    (["-R", "oe", "-j", "oe"], 0, {}),
    (["-k", "oe", "-R", "oe"], 0, {}),
    (["-k", "oe", "-R", "oe"], 3, {"home.o": "out\n", "home.e": "err\n"}),
    (["-k", "oe", "-R", "e"], 0, {"home.o": "out\n"}),
    (["-k", "o", "-R", "oe"], 0, {}),
    (["-k", "de", "-R", "e"], 0, {"here.o": "out\n"}),
    (["-k", "doe", "-R", "oe"], 0, {}),
    (["-k", "doe", "-R", "e"], 0, {"here.o": "out\n"}),
])
def test_where(cluster, options, status, expect):
    assert run(cluster, *options, status=status) == expect


def test_who_has_not_ended_well_keeps_its_output(cluster):
    """The status of the job counts, not that of its program, which ends with 0 when its time is over."""
    jid = cluster.run(["qsub", "-N", NAME, "-k", "oe", "-R", "oe", "-l", "walltime=1", "--", "/bin/sh", "-c",
                       "trap 'echo cleaned; exit 0' TERM; while :; do sleep 0.1; done"], user=USER1).stdout.strip()
    cluster.server.accounting_match(";E;%s;.* Exit_status=-29 " % re.escape(jid), regexp=True)
    found = files_of(jid.split(".")[0])
    assert set(found) == {"home.o", "home.e"}
    assert found["home.o"] == "cleaned\n" and "job killed: walltime" in found["home.e"]


def test_written_from_the_start(cluster):
    """What is written directly can be read while the job runs."""
    here = places()[0]
    jid = cluster.run(["qsub", "-N", NAME, "-k", "oed"], user=USER1,
                      input="echo first; sleep 1000\n").stdout.strip()
    path = os.path.join(here, NAME + ".o" + jid.split(".")[0])
    wait_for("its first line", lambda: os.path.exists(path) and open(path).read() == "first\n")
    assert not [n for n in os.listdir(os.path.join(cluster.home, "spool")) if n.startswith(jid)]
    cluster.server.delete(jid)
    wait_for("its end", lambda: not cluster.server.status(JOB, id=jid))
    assert set(files_of(jid.split(".")[0])) == {"here.o", "here.e"}


def test_into_a_directory(cluster):
    here = places()[0]
    folder = os.path.join(here, "into")
    cluster.run(["mkdir", folder], user=USER1)
    jid = cluster.run(["qsub", "-k", "oed", "-o", folder, "-e", folder + "/named"], user=USER1,
                      input="echo out\n").stdout.strip()
    cluster.server.accounting_match(";E;%s;" % jid)
    with open(os.path.join(folder, jid + ".OU")) as f:
        assert f.read() == "out\n"
    assert sorted(os.listdir(folder)) == sorted([jid + ".OU", "named"])


@pytest.mark.parametrize("more", [[], ["-W", "sandbox=PRIVATE"]])
def test_not_possible(cluster, directories, more):
    """It is kept in the home directory of the execution host, and a line says why."""
    found = run(cluster, "-k", "oed", "-o", "192.0.2.77:/p/q", *more)
    words = cluster.mom.log_match("ReplyHello")  # the MoM's host, by its short name
    assert words
    assert found["home.o"] == "out\n"
    assert re.match(r"Direct write is requested for job: \S+, but the destination is not "
                    r"usecp-able from \S+\nerr\n$", found["here.e"])
    cluster.mom.log_match(r";0400;pbs_mom;Job;(\S+);Direct write is requested for job: \1, but the destination: "
                          r"192.0.2.77:/p/q is not usecp-able from \S+$", regexp=True)


def test_by_usecp(cluster):
    """The first line that fits counts, and a star stands for any beginning of a host's name."""
    here = places()[0]
    folder = os.path.join(here, "mapped")
    cluster.run(["mkdir", folder], user=USER1)
    with open(os.path.join(cluster.home, "mom_priv/config"), "a") as f:
        f.write("$usecp *.0.2.79:/remote /nodir\n$usecp *.0.2.78:/remote %s\n"
                "$usecp 192.0.2.78:/ /nodir/\n" % folder)
    cluster.mom.restart()
    cluster.wait_nodes()
    jid = cluster.run(["qsub", "-k", "od", "-o", "192.0.2.78:/remote/out", "-e", "/dev/null"],
                      user=USER1, input="echo mapped\n").stdout.strip()
    cluster.server.accounting_match(";E;%s;" % jid)
    with open(os.path.join(folder, "out")) as f:
        assert f.read() == "mapped\n"


def test_a_destination_that_cannot_be_opened(cluster):
    """The start fails, is tried again, and the job is held in the end."""
    jid = cluster.run(["qsub", "-k", "oed", "-o", "/nodir/x"], user=USER1,
                      input="echo\n").stdout.strip()
    cluster.server.expect(JOB, {"job_state": "H", "Hold_Types": "s"}, id=jid)
    assert cluster.server.status(JOB, id=jid)[0]["comment"].startswith(
        "job held, too many failed attempts to run")
    cluster.server.delete(jid)


def test_nobody_elses_file(cluster):
    """A link to a file that the user may write and that is another's is not written."""
    here = places()[0]
    victim = cluster.write("victim", "old\n")
    os.chmod(victim, 0o666)
    os.symlink(victim, os.path.join(here, "link"))
    jid = cluster.run(["qsub", "-k", "oed", "-o", os.path.join(here, "link")], user=USER1,
                      input="echo new\n").stdout.strip()
    cluster.server.expect(JOB, {"job_state": "H"}, id=jid)
    with open(victim) as f:
        assert f.read() == "old\n"
    cluster.server.delete(jid)


@pytest.mark.parametrize("keep", ["d", "nd", "x", "no", "ond"])
def test_letters_that_say_nothing(cluster, keep):
    done = cluster.run(["qsub", "-k", keep], user=USER1, input="", check=False)
    if keep == "nd":
        assert done.returncode == 0
    else:
        assert done.returncode == 2 and done.stderr.startswith("qsub: illegal -k value\n")
