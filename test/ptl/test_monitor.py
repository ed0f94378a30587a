# SPDX-License-Identifier: Apache-2.0
"""Questions to a MoM about its host, and what a host that may command it wants (tpp.md 9), by
pbs_rmget and packet by packet."""
import json
import os
import re
import signal
import socket

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast import hosts, tpp
from holdfast.tpp import Leaf
from holdfast.users import ROOTLESS
from holdfast.wide import WideCluster
from holdfast.wire import number, string
from story import *

CLOSE, REQUEST, CONFIG, SHUTDOWN = 1, 2, 3, 4


def rmget(cluster, *words):
    """(exit status, {name: value}, what it said otherwise)"""
    path = os.path.join(cluster.exec_dir, "unsupported", "pbs_rmget")
    done = cluster.run([path, "-m", cluster.host] + list(words), check=False)
    told = {name: value for name, _, value in
            (line.rpartition("=") for line in done.stdout.splitlines())}
    return done.returncode, told, done.stderr


def configure(mom, cluster, text):
    taken = sum("read_config;max_check_poll" in line for line in mom.log_lines())
    cluster.write("%s/mom_priv/config" % os.path.basename(getattr(mom, "home", cluster.home)),
                  "$logevent 0xffff\n" + text)
    mom.send_signal(signal.SIGHUP)
    wait_for("the configuration", lambda: sum(
        "read_config;max_check_poll" in line for line in mom.log_lines()) > taken)


def key_of(cluster):
    return cluster.read("home/cluster.key").strip()


class Asker(Leaf):
    """A host that asks the MoM at 'mom'."""

    def __init__(self, s, router, key, own, mom):
        super().__init__(s, router, key)
        self.own, self.mom = own, mom
        self.join(own)

    def ask(self, command, *texts):
        self.data(self.own, self.mom, (number(1) + number(1) + number(command)).encode() +
                  b"".join(string(t).encode() for t in texts))

    def answer(self):
        return self.next_data()[1].decode()


def asker(cluster):
    return Asker(socket.socket(), ("127.0.0.1", cluster.ports["comm"]), key_of(cluster),
                 "127.0.0.1:4444", "127.0.0.1:%d" % (cluster.ports["mom"] + 1))


@pytest.fixture
def cluster():
    with Cluster(vnodes=1) as c:
        yield c


def test_a_host_is_asked(cluster):
    configure(cluster.mom, cluster,
              "tape 4\nscratch !echo 12gb; echo more\nbad !exit 3\n$max_load 30 suspend\n")
    code, told, said = rmget(cluster, "loadave", "ncpus", "physmem", "availmem", "totmem", "uname",
                             "arch", "nusers", "nsessions", "idletime", "size[fs=/]",
                             "tape", "scratch", "max_load", "validuser[user=root]")
    assert code == 0 and not said, (code, told, said)
    assert re.fullmatch(r"\d+\.\d\d", told["loadave"])
    assert int(told["ncpus"]) == os.sysconf("SC_NPROCESSORS_ONLN")
    for name in ("physmem", "availmem", "totmem", "size[fs=/]"):
        assert re.search(r"\d+kb$", told[name]), name
    assert told["uname"].split()[1] == os.uname().nodename
    assert (told["arch"], told["tape"], told["scratch"]) == ("linux", "4", "12gb")
    assert told["max_load"] == "30 suspend" and told["validuser[user=root]"] == "yes"
    assert rmget(cluster, "tape", "nosuch", "cput", "bad", "arch[x=1]") == (
        1, {"tape": "4", "nosuch": "? 15201", "cput": "? 15203", "bad": "? 15205",
            "arch[x=1]": "? 15202"}, "")
    code, told, said = rmget(cluster, *["ncpus"] * 257)
    assert (code, told) == (1, {}) and "too many questions" in said


def test_a_command_is_told_what_stands_in_brackets(cluster):
    loose = cluster.write("tmp/loose", "#!/bin/sh\necho 1\n")
    os.chmod(loose, 0o777)
    configure(cluster.mom, cluster, "quota !printf '%%s|' %%user \"<%%fs>\"\nloose !%s\n" % loose)
    cluster.mom.log_match("error: %s file has a non-secure file access, errno: 1" % loose)
    names = ["quota[user=joe][fs=/home]", "quota[fs=$(id)][user=a  b;id]", "quota[user=joe]",
             "quota[fs=/][user=-x]", "quota[nosuch=1]", "loose"]
    answers = ["joe|</home>|", "a  b;id|<$(id)>|", "joe|<%fs>|", "? 15202", "? 15202", "? 15201"]
    with asker(cluster) as a:
        a.ask(REQUEST, *names)
        assert a.answer() == "3+100" + "".join(
            string("%s=%s" % each) for each in zip(names, answers))


def test_answers_as_json(cluster):
    configure(cluster.mom, cluster, "odd !printf 'a\\033[1m=? b'\ntape 4\n")
    path = os.path.join(cluster.exec_dir, "unsupported", "pbs_rmget")
    done = cluster.run([path, "-m", cluster.host, "-F", "json", "odd", "tape", "size[fs=/]",
                        "nosuch", "cput"], check=False)
    told = json.loads(done.stdout)["hosts"][cluster.host]
    assert done.returncode == 1 and set(told) == {"values", "codes"}
    assert (told["values"]["odd"], told["values"]["tape"]) == ("a\033[1m=? b", 4)
    assert told["values"]["size[fs=/]"].endswith("kb")
    assert told["codes"] == {"nosuch": 15201, "cput": 15203}
    # A value may look like a code, and a terminal is told nothing.
    done = cluster.run([path, "-m", cluster.host, "odd"], check=False)
    assert (done.returncode, done.stdout) == (0, "odd=a^[[1m=? b\n")
    done = cluster.run([path, "-F", "xml", "odd"], check=False)
    assert done.returncode == 2 and "Usage" in done.stderr
    done = cluster.run([path, "-p", "1", "-F", "json", "odd"], check=False)
    assert (done.returncode, done.stdout) == (2, "")


def test_a_job_is_asked_for(cluster):
    jid = running_job(cluster.server)
    session = cluster.server.status(JOB, id=jid)[0]["session_id"]
    code, told, said = rmget(cluster, "pids[session=%s]" % session, "resi[session=%s]" % session,
                             "walltime[session=%s]" % session)
    assert code == 0, (told, said)
    assert session in told["pids[session=%s]" % session].split()


def test_what_pbs_rmget_says(cluster):
    assert rmget(cluster)[0] == 2
    assert rmget(cluster, "")[0] == 2
    assert rmget(cluster, "-p", "x", "ncpus")[0] == 2
    code, told, said = rmget(cluster, "-p", "1", "ncpus")
    assert (code, told) == (2, {}) and "is not there" in said
    code, told, said = rmget(cluster, "-m", "no.such.host.invalid", "ncpus")
    assert (code, told) == (2, {}) and "no.such.host.invalid" in said


def test_answers_come_in_order(cluster):
    """Also when the first one takes its time."""
    configure(cluster.mom, cluster, "slow !sleep 1; echo late\n")
    with asker(cluster) as a:
        a.ask(REQUEST, "slow")
        a.ask(REQUEST, "arch")
        a.ask(17)
        answers = [a.answer() for _ in range(3)]
    # What is no question is answered at once.
    assert answers == ["3+9992+18unknown command 17", "3+100+9slow=late",
                       "3+1002+10arch=linux"], answers


def test_one_host_keeps_no_other_from_asking(cluster):
    """It has one thread and 16 messages, and nothing of it outlives the MoM."""
    note = os.path.join(cluster.root, "tmp", "pids")
    configure(cluster.mom, cluster, "$clienthost 127.0.0.2\n"
              "slow !echo $$ >> %s; exec sleep 1000\n" % note)

    def pids():
        return open(note).read().split() if os.path.exists(note) else []

    with asker(cluster) as a:
        for _ in range(17):
            a.ask(REQUEST, "slow", "slow", "slow")
        assert a.answer() == "3+9992+18too many questions"
        wait_for("the command", lambda: pids())
        with Asker(socket.socket(), ("127.0.0.1", cluster.ports["comm"]), key_of(cluster),
                   "127.0.0.2:4445", "127.0.0.1:%d" % (cluster.ports["mom"] + 1)) as other:
            other.ask(REQUEST, "arch")
            assert other.answer() == "3+1002+10arch=linux"
        cluster.mom.stop()
    wait_for("the end of all commands",
             lambda: not any(os.path.exists("/proc/" + pid) for pid in pids()))


def test_who_goes_is_not_answered(cluster):
    """What it has asked for ends, and what waits is forgotten."""
    note = os.path.join(cluster.root, "tmp", "pids")
    configure(cluster.mom, cluster, "slow !echo $$ >> %s; exec sleep 1000\n" % note)

    def pids():
        return open(note).read().split() if os.path.exists(note) else []

    with asker(cluster) as a:
        for _ in range(10):
            a.ask(REQUEST, "slow")
        wait_for("the command", lambda: pids())
        first = pids()[0]
    wait_for("the end of the command", lambda: not os.path.exists("/proc/" + first))
    with asker(cluster) as a:
        a.ask(REQUEST, "arch")
        assert a.answer() == "3+1002+10arch=linux"
    assert pids() == [first]


def test_the_configuration_is_read_again(cluster):
    with asker(cluster) as a:
        cluster.write("home/mom_priv/config", "tape 5\n")
        a.ask(CONFIG)
        assert a.answer() == "3+100"
        cluster.mom.log_match("add name tape value 5")
        a.ask(CONFIG, "/etc/passwd")
        assert a.answer().startswith("3+999") and cluster.mom.is_up()
        cluster.write("home/mom_priv/config", "$nonsense\n")
        a.ask(CONFIG)
        assert a.answer().startswith("3+999")
        a.ask(REQUEST, "tape")
        assert a.answer() == "3+100+6tape=5"


def test_a_mom_is_shut_down_and_its_job_goes_on(cluster):
    jid = running_job(cluster.server)
    with asker(cluster) as a:
        a.ask(SHUTDOWN)
        assert a.answer() == "3+100"
    wait_for("the end of the MoM", lambda: not cluster.mom.is_up())
    cluster.mom.start()
    mom_has_registered(cluster)
    cluster.server.expect(JOB, {"job_state": "R", "run_count": "1"}, id=jid)


@pytest.mark.parametrize("payload", [b"+1+1", b"+1+2+2", b"+1+1+2+5ncp", b"+1+1+2-1x", b"+1",
                                     b"+1+1+2" + b"9" * 200])
def test_bytes_that_are_no_question(cluster, payload):
    with asker(cluster) as a:
        a.data(a.own, a.mom, payload)
        assert a.receive()[0] == tpp.CLOSE
        cluster.mom.log_match("from 127.0.0.1:4444")
        a.data(a.own, a.mom, b"+1+1+2+4arch", src_sd=2)
        assert a.answer() == "3+1002+10arch=linux"


def refused(mom):
    """One line more than the last time."""
    mom.refused = getattr(mom, "refused", 0) + 1
    wait_for("the refusal", lambda: sum(
        "rm_request;message refused from port 4444 addr 10.99.2.2" in line
        for line in mom.log_lines()) == mom.refused)
    return True


@pytest.mark.skipif(ROOTLESS, reason="needs root: namespaces")
@pytest.mark.skipif(hosts.refusal() is not None, reason="no network namespaces")
def test_who_is_of_no_cluster():
    """h2 has no MoM that the server knows: it is refused, until $restricted lets it ask."""
    with WideCluster(3) as c:
        mom, stranger = c.moms[1], c.network.hosts[2]
        c.moms[2].stop()
        c.server.manager(MGR_CMD_DELETE, NODE, id="h2")
        mom.stop()
        mom.start()
        c.server.expect(VNODE, {"state": "free"}, id="h1")
        to = ("10.99.2.2:4444", "10.99.1.2:%d" % (c.ports["mom"] + 1))

        def ask(*words):
            with Asker(stranger.socket(), ("10.99.2.1", c.ports["comm"]), key_of(c), *to) as a:
                a.ask(*words)
                return a.answer() if words[0] == REQUEST and mom.may else refused(mom)

        mom.may = False
        assert ask(REQUEST, "arch")
        configure(mom, c, "$restricted *.site\n")
        assert ask(REQUEST, "arch")
        configure(mom, c, "$restricted *.site\n$restricted H2\n")
        assert ask(SHUTDOWN) and mom.is_up()
        assert ask(CONFIG)
        mom.may = True
        assert ask(REQUEST, "arch") == "3+1002+10arch=linux"
