# SPDX-License-Identifier: Apache-2.0
"""What a scheduler said to a PBS server (test/golden/frames), said again on the two
connections of one: the answers and commands are the recorded ones, as far as they do not
depend on what there was in that cluster. Over TCP, as it was recorded, and over the local
socket; from another host: test_sched_tcp.py."""
import os
import pwd
import re
import struct
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.wire import Reader, Reply, open_as, open_local, string
from test_conversations import OneVnode, unescape
from story import is_gone

FRAMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/frames")
pytestmark = pytest.mark.skipif(ROOTLESS, reason="needs root: it is who spoke")


def frames(file):
    found = {}
    with open(os.path.join(FRAMES, file)) as f:
        for line in f.read().splitlines():
            if line and not line.startswith("#"):
                _, name, _, data = line.split(" ", 3)
                found[name] = unescape(data)
    return found


REQUESTS, REPLIES = frames("requests.txt"), frames("replies.txt")
REGISTER = "registersched-error.3"  # the same bytes as in scheduler-register


def say(c, name, names={}):
    """A recorded request; 'names': what stands for the strings of that cluster."""
    message = REQUESTS[name]
    for old, new in names.items():
        assert string(old) in message, (old, message)
        message = message.replace(string(old), string(new))
    c.send(message)


def ask(c, name, names={}):
    say(c, name, names)
    return c.receive()


def recorded(name):
    return Reply(REPLIES[name].encode("latin1"))


def same(reply, name, text=None):
    want = recorded(name)
    assert (reply.code, reply.aux, reply.choice) == (want.code, want.aux, want.choice)
    assert reply.text == (want.text if text is None else text)


def is_null(reply):
    return (reply.code, reply.aux, reply.choice) == (0, 0, 1)


class Scheduler:
    """Two registered connections: "TCP", or "local socket"."""

    def __init__(self, cluster, way, extend=None):
        self.cluster, self.way, self.extend = cluster, way, extend
        wait_for("the end of the last one", self.is_first)
        self.second = self.open()
        assert is_null(self.register(self.second))

    def register(self, c):
        message = REQUESTS[REGISTER]
        if self.extend:
            assert message.endswith("+0")
            message = message[:-2] + "+1" + string(self.extend)
        c.send(message)
        return c.receive()

    def open(self):
        return open_as(self.cluster.ports["server"], "root") if self.way == "TCP" else \
            open_local(self.cluster.home + "/ipc/server.sock")

    def is_first(self):
        self.first = self.open()
        reply = self.register(self.first)
        assert is_null(reply) or reply.code == 15230
        return is_null(reply)

    def command(self):
        """The next one; 11 comes with a job's id."""
        head = self.second.take(11)
        r = Reader(self.second.take(struct.unpack(">I", head[7:])[0]).decode())
        number = r.number()
        got = (number, r.string()) if number == 11 else number
        assert r.at == len(r.data)
        return got

    def done(self):
        self.second.send("+0")

    def until(self, wanted):
        """Cycles that do nothing, up to that command."""
        for _ in range(10):
            got = self.command()
            if got == wanted:
                return
            self.done()
        raise AssertionError("command %s did not come" % (wanted,))

    def close(self):
        self.first.s.close()
        self.second.s.close()


@pytest.fixture(scope="module")
def site():
    with OneVnode(vnodes=0) as c:
        c.server.expect(VNODE, {"state": "free"}, id=c.host)
        c.scheduler.stop()
        yield c


@pytest.fixture(params=["TCP", "local socket"])
def sched(site, request):
    s = Scheduler(site, request.param)
    assert s.command() == 6
    s.done()
    yield s
    s.close()


def new_job(site):
    return site.server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1"}))


def test_registration(site, sched):
    """scheduler-register: what it asks first. (Of the resources the recording was cut.)"""
    reply = ask(sched.first, "scheduler-register.3")
    assert (reply.code, reply.aux, reply.choice) == (0, 0, 6)
    assert {kind for kind, _, _ in reply.objects} == {5}
    assert all(attrs == ["type", "flag"] for _, _, attrs in reply.objects)
    assert [name for _, name, _ in reply.objects][:6] == \
        ["cput", "mem", "walltime", "soft_walltime", "min_walltime", "max_walltime"]
    reply = ask(sched.first, "scheduler-register.5")
    (kind, name, want), (got_kind, got_name, got) = recorded("scheduler-register.6").objects[0], \
        reply.objects[0]
    assert (kind, name) == (got_kind, got_name) and len(reply.objects) == 1
    assert [a for a in got if a in want] == want


def test_what_a_cycle_asks(site, sched):
    """scheduler-cycle."""
    c = sched.first
    assert [ask(c, "scheduler-cycle.%d" % n).choice for n in (7, 9, 11)] == [6, 6, 6]
    kind, name, got = ask(c, "scheduler-cycle.9").objects[0]
    want = recorded("scheduler-cycle.10").objects[0][2]
    asked = {a.split(".")[0] for a in want}
    assert (kind, name) == (3, site.host)
    assert {a.split(".")[0] for a in got} <= asked | set(re.findall(
        r"\d([A-Za-z_]+)\+0\+0\+0", REQUESTS["scheduler-cycle.9"]))
    assert [a for a in got if a in want] == [a for a in want if a in got]
    jid = new_job(site)
    reply = ask(c, "scheduler-cycle.13")
    assert reply.objects[-1][:2] == (2, jid)  # the one before may still be ending
    asked = re.findall(r"\d([A-Za-z_]+)\+0\+0\+0", REQUESTS["scheduler-cycle.13"])
    assert {a.split(".")[0] for a in reply.objects[-1][2]} <= set(asked)
    assert {"Resource_List.select", "schedselect", "job_state", "substate", "queue_rank",
            "euser"} <= set(reply.objects[-1][2])
    say(c, "scheduler-cycle.40", {"16.pbs1": jid})  # never answered
    assert [ask(c, "scheduler-cycle.11").choice] == [6]
    site.server.expect(JOB, {"comment": "Can Never Run: Insufficient amount of resource: ncpus "
                                        "(R: 8 A: 2 T: 2)"}, id=jid)
    say(c, "scheduler-cycle.23", {"15.pbs1": jid, "(pbs1:ncpus=1)": "(%s:ncpus=1)" % site.host})
    site.server.expect(JOB, {"substate": 42}, id=jid)
    site.server.delete(jid)
    is_gone(site.server, JOB, jid)  # or it is in the way of the next test


def test_a_job_that_cannot_run(site, sched):
    """sched-ajob: the command, the scheduler's words, and those that reach qrun."""
    jid = new_job(site)
    with open_as(site.ports["server"], "root") as client:
        say(client, "sched-ajob.8", {"17.pbs1": jid})
        sched.until((11, jid))
        say(sched.first, "sched-ajob.5", {"17.pbs1": jid})
        assert is_null(ask(sched.first, "sched-ajob.6", {"17.pbs1": jid}))
        same(client.receive(), "sched-ajob.9")
        sched.done()
    site.server.delete(jid)
    is_gone(site.server, JOB, jid)  # or it is in the way of the next test


def test_a_job_that_is_run_at_once(site, sched):
    """sched-defschreply."""
    jid = new_job(site)
    with open_as(site.ports["server"], "root") as client:
        say(client, "sched-defschreply.5", {"12.pbs1": jid})
        sched.until((11, jid))
        say(sched.first, "sched-defschreply.2",
            {"12.pbs1": jid, "(pbs1:ncpus=1)": "(%s:ncpus=1)" % site.host})
        assert is_null(ask(sched.first, "sched-defschreply.3", {"12.pbs1": jid}))
        assert is_null(client.receive())
        sched.done()
    site.server.expect(JOB, {"job_state": "R"}, id=jid)
    site.server.delete(jid)
    is_gone(site.server, JOB, jid)  # or it is in the way of the next test


def test_a_reservation_that_is_waited_for(site, sched):
    """sched-confirmresv: +1 to the scheduler, its answer, the client's text."""
    start = str(int(time.time()) + 3600)
    with open_as(site.ports["server"], USER1) as client:
        say(client, "sched-confirmresv.1", {"pbsuser": USER1, "1795272840": start})
        sched.until(1)
        rid = site.server.status(RESV)[0]["id"]
        names = {"R11.pbs1": rid, "(pbs1:ncpus=1)": "(%s:ncpus=1)" % site.host}
        REQUESTS["confirm"] = REQUESTS["sched-confirmresv.4"].replace("1795272840", start)
        assert is_null(ask(sched.first, "confirm", names))
        same(client.receive(), "sched-confirmresv.2", rid + " CONFIRMED")
        sched.done()
    site.server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=rid)
    site.server.delete(rid)


@pytest.mark.parametrize("extend", ["cut", None, "cu", "cut " * 1000])
def test_a_cycle_is_cut_for_a_reservation(site, extend):
    """Command 16 comes to a scheduler that has said so, and to no other one."""
    s = Scheduler(site, "local socket", extend)
    rids = []

    def reserve():
        rids.append(site.server.submit(Reservation(start=3600 + 120 * len(rids), duration=60)))
    try:
        assert s.command() == 6
        s.done()
        assert s.command() in (1, 2)  # 2: of the reservation that was deleted last
        s.done()
        reserve()
        assert s.command() == 1
        reserve()
        if extend == "cut":
            assert s.command() == 16
        s.done()  # of the cycle; the next one looks at the second reservation
        assert s.command() == 1
        s.done()
    finally:
        s.close()
        for rid in rids:
            site.server.delete(rid)


def test_a_name_that_is_not_known_or_taken(site, sched):
    """registersched-error, from whom the kernel names."""
    for name, code, text in (("registersched-error.1", 15213, "Unknown Scheduler"),
                             (REGISTER, 15230, "Scheduler already connected")):
        c = open_local(site.home + "/ipc/server.sock")
        reply = ask(c, name)
        assert (reply.code, reply.choice, reply.text) == (code, 7, text)
        assert c.is_closed()
        c.s.close()


def open_local_as(cluster, user):
    os.seteuid(pwd.getpwnam(user).pw_uid)
    try:
        return open_local(cluster.home + "/ipc/server.sock")
    finally:
        os.seteuid(0)


def test_the_schedulers_user_may_be_another():
    """PBS_DAEMON_SERVICE_USER: it registers, and has a scheduler's rights on the first of the
    two connections; elsewhere it is a user like others."""
    class Site(OneVnode):
        def write_conf(self, **more):
            super().write_conf(PBS_DAEMON_SERVICE_USER=USER1, **more)

    def register(user):
        c = open_local_as(cluster, user)
        return c, c.ask(REQUESTS[REGISTER].replace("+4root", string(user)))

    comment = "+2+2+9%s+2+0+0+12+16+7comment+0+1x+0+0" % string(USER1)
    with Site(vnodes=0) as cluster:
        cluster.scheduler.stop()
        c, reply = register(USER2)
        assert (reply.code, c.is_closed()) == (15007, True)
        (first, one), (second, two) = register(USER1), register(USER1)
        assert is_null(one) and is_null(two)
        assert first.ask(comment).code == 0
        assert open_local_as(cluster, USER1).ask(comment).code == 15007


def test_a_scheduler_preempts(site, sched):
    """preemptjobs: jobs that are not there have left; from others it is 15011. The log has the scheduler's name."""
    reply = ask(sched.first, "preemptjobs.1")
    assert (reply.code, reply.preempted) == (0, [("20.pbs1", "D"), ("999.pbs1", "D")])
    site.server.log_match("Type 93 request received from Scheduler@")
    with open_as(site.ports["server"], "root") as c:
        assert ask(c, "preemptjobs.1").code == 15011
