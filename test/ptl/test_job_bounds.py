# SPDX-License-Identifier: Apache-2.0
"""Jobs at the edge of what is legal: large scripts, names of all bytes, owners who are gone."""
import os
import pwd
import random
import shutil
import signal
import string as letters
import subprocess

import pytest

from holdfast import *
from holdfast.peer import attrs
from holdfast.services import wait_for
from holdfast.users import ROOTLESS
from test_long_requests import Caller

MIB = 1 << 20
QUEUE_JOB, BAD_VALUE = 1, 15014


def over(site, jid, status=0):
    """The job has ended with this status."""
    site.server.accounting_match(";E;%s;.* Exit_status=%d " % (jid, status), regexp=True)


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=2) as c:
        yield c


def test_a_script_of_64_mib(site):
    """It travels in parts, is stored, goes to the MoM and runs as it was given."""
    line = "# " + "x" * 61 + "\n"
    path = site.write("large", "#!/bin/sh\n" + line * MIB + "echo the last line\n")
    size = os.path.getsize(path)
    assert size > 64 * MIB
    jid = site.run(["qsub", "-j", "oe", "-o", site.root + "/tmp/large.out", path],
                   user=USER1).stdout.strip()
    over(site, jid)
    assert site.read("tmp/large.out") == "the last line\n"


def test_a_script_beyond_the_limit(site):
    """It is refused, and nothing of it stays."""
    site.run(["qmgr", "-c", "set server jobscript_max_size=1mb"])
    try:
        path = site.write("toolarge", "#!/bin/sh\n" + "# y\n" * (MIB // 2))
        before = site.server.status(JOB)
        done = site.run(["qsub", path], user=USER1, check=False)
        assert (done.returncode, done.stdout) == (15175 % 256, "")
        assert "jobscript size exceeded the jobscript_max_size" in done.stderr
        assert site.server.status(JOB) == before
    finally:
        site.run(["qmgr", "-c", "unset server jobscript_max_size"])


# What a name may consist of, by cli.md 2.
LEGAL = set(map(ord, letters.ascii_letters + letters.digits + "._+-"))


@pytest.mark.parametrize("place", ["first", "middle"])
def test_every_byte_in_a_name(site, place):
    """Past the client's own check: each byte is taken as it is, or refused with its code."""
    caller = Caller(site, USER1)
    for byte in range(1, 256):
        name = (chr(byte) + "a") if place == "first" else "a%sb" % chr(byte)
        reply = caller.ask(QUEUE_JOB, "+0+0" + attrs(("Job_Name", None, name, 0),
                                                     ("Hold_Types", None, "u", 0)), ":C:")
        if byte not in LEGAL:
            assert reply.code == BAD_VALUE, (byte, reply.code)
            continue
        assert reply.code == 0, (byte, reply.code)
        assert site.server.status(JOB, reply.ids[0])[0]["Job_Name"] == name
        site.run(["qdel", reply.ids[0]])
    assert site.server.status(JOB) == []


@pytest.fixture
def passing(site):
    """An account that a test removes; its home goes with the installation."""
    if ROOTLESS:
        pytest.skip("accounts are made by root only")
    name = "hfgone%05d" % random.randrange(10 ** 5)
    home = os.path.join(site.root, "tmp", name)
    # The server keeps for a while whose a uid is: one that has gone is not given again.
    uid = str(random.randrange(20000, 60000))
    subprocess.run(["useradd", "-M", "-d", home, "-s", "/bin/sh", "-u", uid, name], check=True)
    os.mkdir(home)
    shutil.chown(home, name)
    yield name
    subprocess.run(["userdel", "-f", name], check=False, capture_output=True)


def test_the_owner_is_deleted_from_the_system(site, passing):
    """Who runs ends as always; who waits is neither lost nor run, and can be deleted."""
    gate = site.root + "/tmp/gate"
    runs, waits = (site.run(["su", passing, "-c", "%s/bin/qsub %s -k oe -- /bin/sh -c '%s'" % (
        site.exec_dir, hold, script)]).stdout.strip() for hold, script in (
            ("", "while [ ! -e %s ]; do sleep 0.2; done" % gate), ("-h", "exit 0")))
    # A job is R before its MoM has looked up who owns it; in substate 42 it has a session.
    site.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=runs)
    subprocess.run(["userdel", "-f", passing], check=True, capture_output=True)
    site.run(["qrls", waits])
    site.mom.log_match("%s;No Password Entry for User %s" % (waits, passing))
    # Each start fails, and after 21 of them it is held.
    site.server.expect(JOB, {"job_state": "H", "Hold_Types": "s"}, id=waits)
    open(gate, "w").close()
    over(site, runs)
    site.run(["qdel", "-W", "force", waits])
    assert site.server.status(JOB) == []
    jid = site.server.submit(Job(sleep=0))
    over(site, jid)


def submit_as(site, name, *argv):
    return site.run(["su", name, "-s", "/bin/sh", "-c", " ".join(
        (site.exec_dir + "/bin/qsub",) + argv)]).stdout.strip()


def test_an_account_without_shell_and_group_entry(site, passing):
    """The system's shell takes the place of the shell; a group may be a number only."""
    subprocess.run(["usermod", "-s", "", passing], check=True, capture_output=True)
    subprocess.run(["groupdel", "-f", passing], check=True, capture_output=True)
    out = "%s/tmp/%s/out" % (site.root, passing)
    path = site.write("shellless", "echo $SHELL; id -g\n")
    jid = submit_as(site, passing, "-j", "oe", "-o", out, path)
    over(site, jid)
    assert site.read("tmp/%s/out" % passing) == "/bin/sh\n%d\n" % pwd.getpwnam(passing).pw_gid


def test_an_account_that_lets_others_in(site, passing):
    """Its ~/.rhosts names who may run jobs as it, unless others may write to that file."""
    home = os.path.join(site.root, "tmp", passing)
    rhosts = os.path.join(home, ".rhosts")
    host = site.server.status(SERVER)[0]["server_host"]
    with open(rhosts, "w") as f:
        f.write("%s %s\n%s %s\n" % (host, USER1, host, USER2))
    shutil.chown(rhosts, passing)
    argv = ["qsub", "-u", passing, "-j", "oe", "-o", home + "/who", "--", "/usr/bin/id", "-un"]
    os.chmod(rhosts, 0o664)
    refused = site.run(argv, user=USER2, check=False)
    assert refused.returncode == 15023 % 256, refused.stderr
    os.chmod(rhosts, 0o644)
    over(site, site.run(argv, user=USER1).stdout.strip())
    assert site.read("tmp/%s/who" % passing) == passing + "\n"


def test_an_account_without_home(site, passing):
    """The job is given up at once; it is not tried 21 times."""
    os.rmdir(os.path.join(site.root, "tmp", passing))
    jid = submit_as(site, passing, "-k", "oe", "--", "/bin/true")
    over(site, jid, -2)
    site.mom.log_match(";0001;pbs_mom;Job;%s;%s: home directory: %s/tmp/%s" % (jid, jid, site.root, passing))
    site.mom.log_match("%s;Could not chdir to Home directory" % jid)


@pytest.mark.parametrize("more, begins", [([], "/"), (["-W", "sandbox=PRIVATE"], None)])
def test_a_home_that_cannot_be_entered(site, passing, more, begins):
    """Nothing of the job is to be kept there, so it runs elsewhere: at the root, or in the directory that is its own
    ($jobdir_root). Its owner is told."""
    home = os.path.join(site.root, "tmp", passing)
    root = os.path.join(site.root, "tmp", "root" + passing)
    os.mkdir(root)
    os.chmod(root, 0o1777)
    config = site.read("home/mom_priv/config")
    hup(site, config + "$jobdir_root %s\n" % root)
    shutil.chown(home, "root", "root")
    os.chmod(home, 0o700)
    try:
        path = site.write("homeless", "/bin/pwd\n")
        jid = submit_as(site, passing, *more, "-o", root + "/out", "-e", root + "/err", path)
        over(site, jid)
        site.mom.log_match(";0028;pbs_mom;Job;%s;Could not chdir to Home directory" % jid)
        assert site.read("tmp/%s/out" % os.path.basename(root)) == \
            (begins or "%s/pbs.%s.x8z" % (root, jid)) + "\n"
        assert "Could not chdir to home directory\n" in site.read("tmp/%s/err" % os.path.basename(root))
    finally:
        hup(site, config)


def hup(site, config):
    """The configuration of the MoM, taken over."""
    def taken():
        return sum("read_config;max_check_poll" in line for line in site.mom.log_lines())
    before = taken()
    site.write("home/mom_priv/config", config)
    site.mom.send_signal(signal.SIGHUP)
    wait_for("the configuration", lambda: taken() > before)


@pytest.mark.parametrize("command, dir_is_home", [("userdel", False), ("groupdel", True)])
def test_an_epilogue_of_an_account_that_has_gone(site, passing, command, dir_is_home):
    """The administrator's script runs behind each job, whatever has become of the owner or the group meanwhile."""
    told, gate = (os.path.join(site.root, "tmp", passing + name) for name in ("told", "gate"))
    group, epilogue = passing + "g", os.path.join(site.home, "mom_priv", "epilogue")
    subprocess.run(["groupadd", "-U", passing, group], check=True, capture_output=True)
    site.write("home/mom_priv/epilogue", "#!/bin/sh\necho $1 $2 $3 $(pwd) > %s\n" % told)
    os.chmod(epilogue, 0o700)
    try:
        jid = submit_as(site, passing, "-k", "oe", "-W", "group_list=" + group, "--", "/bin/sh", "-c",
                        "'while [ ! -e %s ]; do sleep 0.2; done'" % gate)
        site.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=jid)
        if command == "userdel":
            subprocess.run(["userdel", "-f", passing], check=True, capture_output=True)
        subprocess.run(["groupdel", "-f", group], check=True, capture_output=True)
        open(gate, "w").close()
        over(site, jid)
        home = os.path.join(site.root, "tmp", passing)
        assert site.read("tmp/%stold" % passing).split() == \
            [jid, passing, group, home if dir_is_home else "/"]
    finally:
        os.unlink(epilogue)
        subprocess.run(["groupdel", "-f", group], capture_output=True)


def test_the_owner_leaves_the_group_of_his_job(site, passing):
    """A job that waits does not run in a group that its owner is in no more."""
    group = passing + "g"
    subprocess.run(["groupadd", "-U", passing, group], check=True, capture_output=True)
    try:
        runs, waits = (submit_as(site, passing, "-k", "oe", "-W", "group_list=" + group, *more)
                       for more in (["--", "/bin/true"], ["-h", "--", "/bin/true"]))
        over(site, runs)
        subprocess.run(["gpasswd", "-d", passing, group], check=True, capture_output=True)
        site.run(["qrls", waits])
        site.mom.log_match("%s;user not in group" % waits)
    finally:
        site.run(["qdel", "-W", "force", waits])
        subprocess.run(["groupdel", group], check=True, capture_output=True)


@pytest.mark.parametrize("again", ["another_uid", "same_uid_of_another"])
def test_the_account_is_somebody_elses_by_now(site, passing, again):
    """The owner was deleted while his job ran, and made again with another uid, or his uid is another account's: the
    job ends as always, and its output is kept and not delivered."""
    gate, out = (os.path.join(site.root, "tmp", passing + name) for name in ("gate", "out"))
    os.mkdir(out)
    os.chmod(out, 0o777)
    jid = submit_as(site, passing, "-j", "oe", "-o", out + "/text", "--", "/bin/sh", "-c",
                    "'echo secret; while [ ! -e %s ]; do sleep 0.2; done'" % gate)
    site.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=jid)
    session = site.server.status(JOB, jid)[0]["session_id"]
    uid = pwd.getpwnam(passing).pw_uid
    other = passing + "o"
    subprocess.run(["userdel", "-f", passing], check=True, capture_output=True)
    try:
        subprocess.run(["useradd", "-M", "-u", str(uid + (again == "another_uid")),
                        passing if again == "another_uid" else other], check=True)
        open(gate, "w").close()
        over(site, jid)
        wait_for("the end of the job", lambda: not site.server.status(JOB, jid))
        assert os.listdir(out) == []
        kept = os.path.join(site.home, "undelivered", jid + ".OU")
        assert site.read("home/undelivered/%s.OU" % jid) == "secret\n"
        state = os.stat(kept)
        assert (state.st_uid, state.st_mode & 0o077) == (uid, 0)
        assert not os.path.exists("/proc/%s" % session)
    finally:
        subprocess.run(["userdel", "-f", other], capture_output=True)
