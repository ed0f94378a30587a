# SPDX-License-Identifier: Apache-2.0
"""The mailer: who names it, and what it is given of the server's."""
import os
import pwd
import re

import pytest

from holdfast import *
from holdfast.services import wait_for

PERM = "qmgr: Error (15003) returned from server"

# It writes what it has into a file of its own, then the letter.
MAILER = """#!/bin/sh
out=$(mktemp "%(dir)s/mail.XXXXXX")
{ echo "uid=$(id -u) groups=$(id -G) cwd=$(pwd)"
  echo "env=$(env | sort | tr '\\n' ' ')"
  echo "fds=$(ls -l /proc/$$/fd | tr '\\n' ' ')"
  echo "args=$*"
  cat
} > "$out"
mv "$out" "$out.done"
"""


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=1) as c:
        yield c


class SecretCluster(Cluster):
    def env(self):
        return dict(super().env(), HF_SECRET="of the server's")


def letters(folder):
    return sorted(os.path.join(folder, n) for n in os.listdir(folder) if n.endswith(".done"))


@pytest.mark.skipif(ROOTLESS, reason="needs root: a manager who is somebody else")
def test_a_manager_does_not_name_it(site):
    site.server.manager(MGR_CMD_SET, SERVER, {"managers": ("+=", USER1 + "@*")})
    before = site.server.status(SERVER)[0]["mailer"]
    for line in ("set server mailer = /tmp/own", "unset server mailer"):
        done = site.run(["qmgr", "-c", line], user=USER1, check=False)
        assert PERM in done.stderr, done.stderr
    assert site.server.status(SERVER)[0]["mailer"] == before
    assert site.run(["qmgr", "-c", "set server mail_from = x"], user=USER1).returncode == 0


@pytest.mark.parametrize("user", ["daemon", "root"])
def test_it_gets_nothing_of_the_servers(user):
    """Its account is PBS_MAIL_USER."""
    with SecretCluster(vnodes=1) as c:
        c.write_conf(PBS_MAIL_USER=user, PBS_MAIL_HOST_NAME="site.example")
        c.server.restart()
        folder = c.letter_folder(MAILER)
        rid = c.server.submit(Reservation(select="1:ncpus=1", start=3600, duration=600,
                                          options=["-m", "c", "-M", "joe@there,ann"]))
        wait_for("a letter", lambda: letters(folder))
        with open(letters(folder)[0]) as f:
            lines = f.read().splitlines()
    entry = pwd.getpwnam("daemon" if user == "daemon" else "root")
    if ROOTLESS:
        entry = pwd.getpwuid(os.geteuid())
        assert lines[0].startswith("uid=%d " % entry.pw_uid) and lines[0].endswith(" cwd=/")
    elif user == "daemon":
        assert lines[0] == "uid=%d groups=%d cwd=/" % (entry.pw_uid, entry.pw_gid)
    else:
        assert lines[0].startswith("uid=0 ") and lines[0].endswith(" cwd=/")
    names = {word.split("=")[0] for word in lines[1][len("env="):].split()}
    assert names <= {"PATH", "SHELL", "HOME", "LANG", "TZ", "PWD", "OLDPWD", "_", "SHLVL"}, lines[1]
    # What pbs_environment says, and nothing else of the server's.
    assert " PATH=/bin:/usr/bin " in lines[1] and " TZ=UTC " in lines[1], lines[1]
    assert "socket:" not in lines[2] and c.home not in lines[2] and "letter" in lines[2]
    assert lines[3] == "args=-f adm joe@there ann@site.example"
    assert lines[4:7] == ["To: joe@there,ann@site.example", "Subject: PBS RESERVATION " + rid,
                          "From: adm"]
    assert lines[7].startswith("Date: ") and lines[7].endswith(" +0000") and lines[8] == ""


def test_letters_about_jobs():
    """At the beginning and the end, as operations.md 18 has them byte for byte."""
    with Cluster(vnodes=1) as c:
        folder = c.letter_folder(MAILER)

        def told(jid, n):
            seen = {}

            def all_of():
                for name in letters(folder):
                    with open(name) as f:
                        text = f.read()
                    if "PBS JOB %s\n" % jid in text:
                        seen[name] = re.sub("Date: .*\n", "", text.split("args=-f adm ", 1)[1])
                return len(seen) >= n
            wait_for("%d letters about %s" % (n, jid), all_of)
            return sorted(seen.values())
        jid = c.run(["qsub", "-N", "mailjob", "-m", "be", "-M", "joe@there", "--", "/bin/false"],
                    user=USER1).stdout.strip()
        head = "joe@there\nTo: joe@there\nSubject: PBS JOB %s\nFrom: adm\n\nPBS Job Id: %s\nJob Name:   mailjob\n"
        begun, ended = told(jid, 2)
        assert begun == head % (jid, jid) + "Begun execution\n"
        assert ended.startswith(head % (jid, jid) + "Execution terminated\nExit_status=1\n")
        names = [line.split("=")[0] for line in ended.splitlines()[8:]]
        assert names[0] == "Exit_status" and "resources_used.walltime" in names, ended
        jid = c.run(["qsub", "-N", "arr", "-J", "1-2", "-m", "ej", "-M", "joe@there", "--",
                     "/bin/true"], user=USER1).stdout.strip()
        for i in ("[]", "[1]", "[2]"):
            text, = told(jid.replace("[]", i), 1)
            assert "Execution terminated\nExit_status=0\n" in text, text


# It says that it has begun, and hangs until there is a file "go".
SLOW_MAILER = """#!/bin/sh
touch "%(dir)s/begun.$$"
until [ -e "%(dir)s/go" ]; do sleep 0.05; done
touch "%(dir)s/$$.done"
"""


def test_a_mailer_that_hangs_is_not_started_for_every_letter():
    """There are 32 at a time, and no letter is lost."""
    with Cluster(vnodes=1) as c:
        folder = c.letter_folder(SLOW_MAILER)
        begun = lambda: sum(n.startswith("begun.") for n in os.listdir(folder))
        try:
            for i in range(36):
                c.server.submit(Reservation(select="1:ncpus=1", start=3600 * (i + 1), duration=600,
                                            options=["-I", "60", "-m", "c", "-M", "joe@there"]))
            wait_for("the mailers", lambda: begun() >= 32)
            c.server.status(SERVER)
            assert begun() == 32
        finally:
            c.write(os.path.join(folder, "go"), "")
        wait_for("all letters", lambda: len(letters(folder)) == 36)


@pytest.mark.skipif(ROOTLESS, reason="needs root: another account is taken on")
def test_without_its_account_nothing_runs():
    """Root's rights are nothing to fall back to."""
    with Cluster(vnodes=1) as c:
        c.write_conf(PBS_MAIL_USER="hf-no-such")
        c.server.restart()
        mark = os.path.join(c.root, "it-ran")
        c.mails_by("#!/bin/sh\ntouch %s\n" % mark)
        c.server.submit(Reservation(select="1:ncpus=1", start=3600, duration=600,
                                    options=["-m", "c", "-M", "joe@there"]))
        c.server.log_match("PBS_MAIL_USER names no account: hf-no-such")
        assert not os.path.exists(mark)
