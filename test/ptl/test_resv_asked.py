# SPDX-License-Identifier: Apache-2.0
"""The dialogue about a reservation: who is woken when (reservations.md 7.1), what an answer
must be (7.3, 7.4), and how long a client waits (8)."""
import os
import re
import signal
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.wire import open_local, number, string
from story import *

needs_root = pytest.mark.skipif(ROOTLESS, reason="needs root: an account without rights")


@pytest.fixture(scope="module")
def site():
    """Nobody answers unless a test does."""
    with Cluster() as c:
        c.scheduler.stop()
        yield c


def commands(site):
    """The commands sent so far, in their order."""
    return [int(l.rsplit(" ", 1)[1]) for l in site.server.log_lines()
            if "Scheduler sent command " in l]


def unconfirmed(site, **kwargs):
    kwargs.setdefault("start", 3600)
    return site.server.submit(Reservation(duration=600, **kwargs))


def root(site):
    c = open_local(os.path.join(site.home, "ipc", "server.sock"))
    assert c.connect("root").code == 0
    return c


SUCCESS = "PBS_RESV_CONFIRM_SUCCESS:partition=pbs-default"
FAIL = "PBS_RESV_CONFIRM_FAIL"


def answer(rid, nodes, start=0, extension=SUCCESS, user="root"):
    """ConfirmResv, byte for byte."""
    tail = "+0" if extension is None else "+1" + string(extension)
    return "+2" + "+2" + number(75) + string(user) + string(rid) + string(nodes) + \
        number(start) + tail


def confirm(site, rid, nodes="(vn[0]:ncpus=1)", **kwargs):
    c = root(site)
    try:
        return c.ask(answer(rid, nodes, **kwargs)).code
    finally:
        c.s.close()


def state(site, rid):
    shown = site.server.status(RESV, rid)
    return (shown[0]["reserve_state"], shown[0]["reserve_substate"]) if shown else None


def gone(site, rid):
    site.server.delete(rid)
    is_gone(site.server, RESV, rid)


ANSWERS = [
    # what is wrong with the answer, and its code
    ("an unknown reservation", dict(rid="R9999.localhost"), 15084),
    ("no extension", dict(extension=None), 15081),
    ("an unknown vnode", dict(nodes="(nosuch:ncpus=1)"), None),
    ("more than a vnode has", dict(nodes="(vn[0]:ncpus=3)"), None),
    ("no vnodes at all", dict(nodes=""), None),
    ("half of them", dict(nodes="(vn[0]:ncpus=1"), None),
    ("a sequence for one", dict(nodes="2#(vn[0]:ncpus=1){0-1}"), None),
    ("another word", dict(extension="PBS_RESV_CONFIRM_PERHAPS"), None),
]


@pytest.mark.parametrize("why,wrong,code", ANSWERS, ids=[a[0] for a in ANSWERS])
def test_answers_that_are_refused_change_nothing(site, why, wrong, code):
    rid = unconfirmed(site)
    wrong = dict(wrong)
    got = confirm(site, wrong.pop("rid", rid), **wrong)
    assert got != 0 and (code is None or got == code), got
    assert state(site, rid) == ("RESV_UNCONFIRMED", "1")
    assert confirm(site, rid) == 0
    assert state(site, rid) == ("RESV_CONFIRMED", "2")
    assert resv_nodes(site.server, rid) == ["vn[0]"]
    gone(site, rid)


@needs_root
def test_an_answer_is_for_the_staff(site):
    rid = unconfirmed(site)
    done = site.run(["python3", "-c", """
import sys
sys.path.insert(0, %r)
from holdfast.wire import open_local
c = open_local(%r)
assert c.connect(%r).code == 0
print(c.ask(%r).code)
""" % (os.path.dirname(os.path.abspath(__file__)),
       os.path.join(site.home, "ipc", "server.sock"), USER1,
       answer(rid, "(vn[0]:ncpus=1)", user=USER1))], user=USER1)
    assert done.stdout == "15007\n"
    assert state(site, rid) == ("RESV_UNCONFIRMED", "1")
    gone(site, rid)


def test_the_answer_says_the_start(site):
    """reserve_end follows by the duration."""
    rid = unconfirmed(site, start=7200)
    start = int(time.time()) + 9000
    assert confirm(site, rid, start=start) == 0
    shown = site.server.status(RESV, rid)[0]
    at = lambda name: int(time.mktime(time.strptime(shown[name], "%a %b %d %H:%M:%S %Y")))
    assert (at("reserve_start"), at("reserve_end")) == (start, start + 600)
    gone(site, rid)


def test_the_number_of_occurrences_must_be_right(site):
    done = site.run(["pbs_rsub", "-R", Reservation.clock(3600), "-D", "60", "-r",
                     "FREQ=DAILY;COUNT=3"], user=USER1, env={"PBS_TZID": "UTC"})
    rid = done.stdout.split()[0]
    assert confirm(site, rid, nodes="2#(vn[0]:ncpus=1){0-1}") == 15014
    site.server.log_match("0200;.*;Resv;%s;Number of execvnodes given does not equal the number "
                          "of occurrences left" % rid, regexp=True)
    for nodes in ("(vn[0]:ncpus=1)", "3#", "4#(vn[0]:ncpus=1){0-3}",
                  "3#(vn[0]:ncpus=1){0,1}", "3#(vn[0]:ncpus=1){0-9}",
                  "0#", "x#(vn[0]:ncpus=1){0-2}", "3#(vn[0]:ncpus=1){2-0}"):
        assert confirm(site, rid, nodes=nodes) != 0, nodes
    assert state(site, rid) == ("RESV_UNCONFIRMED", "1")
    assert confirm(site, rid, nodes="3#(vn[0]:ncpus=1){1}(vn[1]:ncpus=1){0,2}") == 0
    assert resv_nodes(site.server, rid) == ["vn[1]"]
    gone(site, rid)


def test_a_no_ends_a_new_one(site):
    rid = unconfirmed(site)
    assert confirm(site, rid, nodes="null", extension=FAIL) == 0
    is_gone(site.server, RESV, rid)
    site.server.log_match("%s;Reservation denied" % rid)
    assert confirm(site, rid) == 15084


# 7.1: whom what wakes. A scheduler is there, and says nothing: it is stopped.

def test_which_commands_wake_the_scheduler():
    with Cluster() as c:
        server = c.server
        server.manager(MGR_CMD_SET, SERVER, {"scheduler_iteration": 3600,
                                             "reserve_retry_time": 3600})
        rid = server.submit(Reservation(start=6, duration=8, interactive=60, select="1:ncpus=2"))
        assert commands(c)[-1] == 1
        n = len(commands(c))
        c.run(["pbs_ralter", "-D", "9", "-I", "30", rid], user=USER1)
        assert 15 in commands(c)[n:]
        server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)
        assert 10 in commands(c)[n:]
        n = len(commands(c))
        is_gone(server, RESV, rid)
        wait_for("command 2", lambda: 2 in commands(c)[n:])
        # An alteration that needs nobody, and maintenance, ask nobody.
        rid = server.submit(Reservation(start=3600, duration=8, interactive=60))
        n = len(commands(c))
        c.run(["pbs_ralter", "-N", "other", rid], user=USER1)
        server.expect(RESV, {"Reserve_Name": "other"}, id=rid)
        assert 15 not in commands(c)[n:]


def test_without_scheduling_nobody_is_woken():
    """A new one waits, and is asked about when scheduling is switched on."""
    with Cluster() as c:
        server = c.server
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        n = len(commands(c))
        rid = server.submit(Reservation(start=3600, duration=60))
        server.status(RESV, rid)
        assert 1 not in commands(c)[n:]
        assert state(c, rid) == ("RESV_UNCONFIRMED", "1")
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
        server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=rid)


# 8: how long a client waits.

class Waiting:
    """A command that is running."""

    def __init__(self, site, argv, user=USER1):
        import subprocess
        from holdfast.users import run_as
        kwargs, who = run_as(user)
        env = dict(site.env(), **who)
        self.p = subprocess.Popen([os.path.join(site.exec_dir, "bin", argv[0])] + argv[1:],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=env, **kwargs)

    def end(self):
        out, _ = self.p.communicate(timeout=60)
        return out, self.p.returncode


def submitted_and_waiting(site, seconds, **more):
    """The command waits; the reservation is there."""
    before = {o["id"] for o in site.server.status(RESV)}
    w = Waiting(site, ["pbs_rsub", "-R", Reservation.clock(3600), "-D", "60", "-I",
                       str(seconds)])
    new = wait_for("the reservation",
                   lambda: {o["id"] for o in site.server.status(RESV)} - before)
    return w, new.pop()


def test_what_a_waiting_client_hears(site):
    for how, word in (("yes", "CONFIRMED"), ("no", "DENIED"), ("deleted", "DENIED")):
        w, rid = submitted_and_waiting(site, 50)
        if how == "yes":
            assert confirm(site, rid) == 0
        elif how == "no":
            assert confirm(site, rid, nodes="null", extension=FAIL) == 0
        else:
            site.server.delete(rid)
        out, rc = w.end()
        assert (out, rc) == ("%s %s\n" % (rid, word), 0)
        if how == "yes":
            gone(site, rid)


def test_after_its_seconds_it_hears_that_nothing_is_known(site):
    for seconds in (0, 1):
        r = Reservation(start=3600, duration=60, interactive=seconds)
        rid = site.server.submit(r)
        assert r.answer == rid + " UNCONFIRMED"
        assert state(site, rid) == ("RESV_UNCONFIRMED", "1")
        assert site.server.status(RESV, rid)[0]["interactive"] == str(seconds)
        gone(site, rid)
    r = Reservation(start=3600, duration=60, interactive=-1)
    rid = site.server.submit(r)
    assert r.answer == rid + " delete, wait period expired"
    is_gone(site.server, RESV, rid)
    line = site.server.accounting_match(";K;%s;" % rid)
    assert re.search(r";requestor=root@\S+$", line)


def test_who_alters_hears_at_once_what_needs_nobody(site):
    """8, Beat this: names and lists are granted without a scheduler, in every state."""
    rid = unconfirmed(site)
    done = site.run(["pbs_ralter", "-I", "50", "-N", "one", rid], user=USER1)
    assert done.stdout == "pbs_ralter: %s CONFIRMED\n" % rid or \
        done.stdout == "pbs_ralter: %s UNCONFIRMED\n" % rid, done.stdout
    assert confirm(site, rid) == 0
    done = site.run(["pbs_ralter", "-I", "50", "-U", USER1, rid], user=USER1)
    assert done.stdout == "pbs_ralter: %s CONFIRMED\n" % rid
    done = site.run(["pbs_ralter", "-I", "1", "-D", "500", rid], user=USER1)
    assert done.stdout.splitlines()[0] == "pbs_ralter: %s UNCONFIRMED" % rid
    assert state(site, rid)[0] == "RESV_BEING_ALTERED"
    done = site.run(["pbs_ralter", "-D", "400", rid], user=USER1, check=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == \
        (15016 & 255, "pbs_ralter: Request invalid for state of job")
    gone(site, rid)


def test_clients_that_leave_keep_nobody(site):
    """Its answer goes nowhere, the reservation lives."""
    w, rid = submitted_and_waiting(site, 600)
    w.p.kill()
    w.p.wait()
    assert confirm(site, rid) == 0
    assert state(site, rid) == ("RESV_CONFIRMED", "2")
    gone(site, rid)


# what an answer is for, and questions over a restart

def test_an_answer_with_a_number_is_for_that_question(site):
    """Without one it answers the proposal that stands; with that of another question it is
    refused, be it a yes or a no, and the proposal stands."""
    rid = unconfirmed(site)
    assert confirm(site, rid) == 0
    for seconds, number, ending in ((500, ":seq=1", "yes"), (400, ":seq=1", "no")):
        done = site.run(["pbs_ralter", "-D", str(seconds), rid], user=USER1)
        assert done.stdout == "pbs_ralter: %s ALTER REQUESTED\n" % rid
        for word in ("SUCCESS", "FAIL"):
            extension = "PBS_RESV_CONFIRM_%s%s:partition=pbs-default" % (word, number)
            if word == "FAIL":
                extension = "PBS_RESV_CONFIRM_FAIL%s:reason=too late" % number
            assert confirm(site, rid, extension=extension) == 15016
            assert state(site, rid) == ("RESV_BEING_ALTERED", "2")
        assert confirm(site, rid, extension=SUCCESS if ending == "yes" else FAIL) == 0
        assert state(site, rid) == ("RESV_CONFIRMED", "2")
        assert site.server.status(RESV, rid)[0]["reserve_duration"] == "500"
    gone(site, rid)


def test_a_new_one_that_nobody_has_answered_outlives_the_server():
    """The scheduler has the question and says nothing when the server dies. The reservation
    is there, unconfirmed; who registers next is asked about it."""
    with Cluster() as c:
        c.server.manager(MGR_CMD_SET, SERVER, {"resv_answer_time": 2})
        c.server.expect(SERVER, {"server_state": "Active"})
        c.scheduler.send_signal(signal.SIGSTOP)
        n = len(commands(c))
        rid = c.server.submit(Reservation(start=3600, duration=60))
        wait_for("the question", lambda: 1 in commands(c)[n:])
        asked = time.time()
        wait_for("the time for an answer", lambda: time.time() > asked + 4)
        assert state(c, rid) == ("RESV_UNCONFIRMED", "1")
        before = c.server.status(RESV, rid)[0]
        c.server.kill()
        c.scheduler.kill()
        c.server.start()
        assert c.server.status(RESV, rid)[0] == before
        n = len(commands(c))
        c.scheduler.start()
        c.server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 2}, id=rid)
        assert commands(c)[n:]
