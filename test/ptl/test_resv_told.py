# SPDX-License-Identifier: Apache-2.0
"""What is told of reservations, to the byte: accounting records (reservations.md 21), lines of
the server's log (22) and of the scheduler's (23), letters (24)."""
import os
import re
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *

needs_root = pytest.mark.skipif(ROOTLESS, reason="needs root: a requestor with another name")
ZONE = {"PBS_TZID": "UTC"}
DATE = "%a %b %d %H:%M:%S %Y"

MAILER = """#!/bin/sh
out=$(mktemp "%(dir)s/mail.XXXXXX")
{ echo "args=$*"; cat; } > "$out"
mv "$out" "%(dir)s/$(date +%%s%%N).letter"
"""


@pytest.fixture
def site(cluster):
    """With a mailer that keeps the letters."""
    cluster.letters = cluster.letter_folder(MAILER)
    return cluster


def letters(site, n):
    """The n letters, as (arguments, text), in the order of their coming."""
    def all_there():
        names = sorted(x for x in os.listdir(site.letters) if x.endswith(".letter"))
        return names if len(names) >= n else None
    names = wait_for("%d letters" % n, all_there)
    assert len(names) == n, names
    found = []
    for name in names:
        with open(os.path.join(site.letters, name)) as f:
            args, text = f.read().split("\n", 1)
        found.append((args[len("args="):], re.sub("\nDate: .*", "", text, count=1)))
    return found


def records(site, rid):
    """(letter, text) of each accounting record of it."""
    found = [l.split(";", 3) for l in site.server.accounting_lines()]
    return [(f[1], f[3]) for f in found if f[2] == rid]


def logged(service, name):
    """(event, class, text) of each line of that name."""
    found = [l.split(";", 5) for l in service.log_lines()]
    return [(f[1], f[3], f[5]) for f in found if len(f) == 6 and f[4] == name]


def submitted(site, start, duration, more=(), env=None, user=USER1):
    words = ["pbs_rsub", "-R", Reservation.clock(start), "-D", str(duration)] + list(more)
    return site.run(words, user=user, env=env).stdout.split()[0]


def requestor(site, rid):
    return dict(records(site, rid))["U"].split()[0].split("=")[1]


def test_all_that_is_told_of_a_whole_life(site):
    """Submitted, confirmed, begun, ended by time."""
    server = site.server
    start = int(time.time()) + 5
    rid = submitted(site, start, 5, ["-N", "advr", "-l", "select=2:ncpus=2+1:ncpus=1",
                                     "-m", "abce", "-M", "a@there,b@there", "-I", "60",
                                     "-G", USER1, "-W", "Account_Name=acct"])
    shown = server.status(RESV, rid)[0]
    ctime = int(time.mktime(time.strptime(shown["ctime"], DATE)))
    is_gone(server, RESV, rid)
    wait_for("the last record", lambda: "K" in dict(records(site, rid)))
    who = requestor(site, rid)
    host = who.split("@")[1]
    window = "start=%d end=%d" % (start, start + 5)
    nodes = "nodes=(vn[0]:ncpus=2)+(vn[1]:ncpus=2)+(vn[2]:ncpus=1)"
    whole = ("owner=%s name=advr account=\"acct\" queue=%s ctime=%d %s duration=5 %s "
             "Authorized_Users=%s Authorized_Groups=%s Resource_List.ncpus=5 "
             "Resource_List.nodect=3 Resource_List.select=2:ncpus=2+1:ncpus=1 "
             "Resource_List.place=free Resource_List.walltime=00:00:05 "
             % (who, queue_of(rid), ctime, window, nodes, who, USER1))
    assert records(site, rid) == [
        ("U", "requestor=%s Interactive=60" % who),
        ("Y", "requestor=Scheduler@%s %s %s" % (host, window, nodes)),
        ("B", whole), ("F", whole), ("K", "requestor=root@%s" % host)]
    date = [time.strftime(DATE, time.gmtime(t)) for t in (start, start + 5)]
    assert logged(server, rid) == [
        ("0200", "Resv", "New reservation submitted start=%s end=%s" % tuple(date)),
        ("0200", "Resv", "Reservation confirmed")]
    assert logged(site.scheduler, rid) == [("0200", "Resv", "Reservation Confirmed")]
    head = "To: a@there,b@there\nSubject: PBS RESERVATION %s\nFrom: adm\n\nPBS Reservation Id: %s\n" \
        "Reservation Name:   advr\n" % (rid, rid)
    texts = [text for _, text in letters(site, 4)]
    assert texts[:2] == [
        head + "Reservation transitioned from state UNCONFIRMED to CONFIRMED\n\n",
        head + "Reservation period starting\n\n"]
    # The last two leave at the same instant, each through a mailer of its own.
    assert sorted(texts[2:]) == [
        head + "Reservation period ended\n\n",
        head + "Reservation removed\nRequesting party: root@%s\n" % host]
    assert all(args.startswith("-f ") and args.endswith(" a@there,b@there") or
               args.endswith(" a@there b@there") for args, _ in letters(site, 4))


def test_records_of_a_series(site):
    """U has the rule, Y the number of all, B one for each; F and K at the end of the last."""
    server = site.server
    start = int(time.time()) + 5
    rule = "FREQ=SECONDLY;COUNT=2;INTERVAL=12"
    rid = submitted(site, start, 1, ["-r", rule, "-I", "60", "-l", "select=1:ncpus=2"], ZONE)
    is_gone(server, RESV, rid)
    wait_for("the last record", lambda: "K" in dict(records(site, rid)))
    who = requestor(site, rid)
    found = records(site, rid)
    assert [letter for letter, _ in found] == ["U", "Y", "B", "B", "F", "K"]
    assert found[0][1] == "requestor=%s Interactive=60 recurrence_rrule=%s timezone=UTC" % (who, rule)
    assert found[1][1].endswith(" start=%d end=%d nodes=(vn[0]:ncpus=2) count=2"
                                % (start, start + 1))
    assert [re.search(r" start=(\d+) ", text).group(1) for letter, text in found
            if letter == "B"] == [str(start), str(start + 12)]
    texts = [text for _, _, text in logged(server, rid)]
    assert texts[0].endswith(" recurrence_rrule=%s timezone=UTC" % rule)
    assert texts[1:] == ["Reservation confirmed", "reached end of occurrence 1/2",
                         "reached end of occurrence 2/2"]
    assert ("0080", "Resv", "reached end of occurrence 1/2") in logged(server, rid)
    assert [t for _, _, t in logged(site.scheduler, rid)] == \
        ["Confirming 2 Occurrences", "Reservation Confirmed"]


def test_each_cycle_tells_the_occurrences_that_are_left(site):
    """To those who ask for such lines: event 0100 of the scheduler."""
    server = site.server
    start = int(time.time()) + 3600
    rid = submitted(site, start, 60, ["-r", "FREQ=DAILY;COUNT=3", "-I", "60",
                                      "-l", "select=1:ncpus=2"], ZONE)
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": True})
    assert not any("Occurrence " in text for _, _, text in logged(site.scheduler, rid))
    server.manager(MGR_CMD_SET, SCHED, {"log_events": 4095}, id="default")
    server.delete(rid.replace(".", "[2].", 1))
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": True})
    day = 86400
    expected = [("0100", "Resv", "Occurrence %d/3,%s" % (
        i + 1, time.strftime("%Y%m%d-%H:%M:%S", time.localtime(start + i * day))))
        for i in (0, 2)]
    wait_for("the lines of a cycle",
             lambda: [x for x in logged(site.scheduler, rid)
                      if "Occurrence " in x[2] and "Confirming" not in x[2]][-2:] == expected)


def test_a_denial(site):
    server = site.server
    rid = submitted(site, 3600, 60, ["-l", "select=9:ncpus=2", "-m", "abce"])
    is_gone(server, RESV, rid)
    wait_for("the last record", lambda: "K" in dict(records(site, rid)))
    assert records(site, rid)[1:] == [("K", "requestor=Server@%s@%s" % (site.host, site.host))]
    assert logged(server, rid)[1:] == [("0008", "Resv", "Reservation denied"),
                                       ("0080", "Resv", "reservation deleted")]
    wait_for("the scheduler's line", lambda: logged(site.scheduler, rid))
    line = logged(site.scheduler, rid)[0]
    assert line[:2] == ("0200", "Resv") and line[2].startswith("PBS Failed to confirm resv: ")
    other = submitted(site, 3600, 60, ["-l", "select=1:ncpus=2", "-m", "c"])
    text = letters(site, 1)[0][1]
    assert other in text and rid not in text


@needs_root
@pytest.mark.parametrize("who,letter", [(USER1, "k"), (None, "K")])
def test_a_deletion_tells_who_asked(site, who, letter):
    server = site.server
    rid = submitted(site, 3600, 60, ["-I", "60", "-m", "ae"])
    server.delete(rid, user=who)
    wait_for("the last record", lambda: len(records(site, rid)) == 3)
    user = "%s@%s" % (who or "root", requestor(site, rid).split("@")[1])
    assert records(site, rid)[-1] == (letter, "requestor=" + user)
    assert letters(site, 1)[0][1].endswith("Reservation removed\nRequesting party: %s\n" % user)
    # There is no line of class Resv for it; the queue's is the one to look for.
    assert [t for _, _, t in logged(server, rid)][-1] == "Reservation confirmed"


@needs_root
def test_refused_requests_are_logged(site):
    server = site.server
    rid = submitted(site, 3600, 60, ["-I", "60"])
    for argv, number in ((["pbs_rdel", rid], 72), (["pbs_ralter", "-N", "x", rid], 91)):
        done = site.run(argv, user=USER2, check=False)
        assert done.returncode == 15007 & 255
        server.log_match("0020;.*;Unauthorized Request, request type: %d, Object: RESCRESV, "
                         "Name: %s, request from: %s@" % (number, rid, USER2), regexp=True)
        server.log_match("Reject reply code=15007, aux=0, type=%d, from %s@" % (number, USER2))
    site.run(["pbs_ralter", "-N", "x", "R9999"], check=False)
    assert ("0080", "Resv", "Unknown Reservation Id") in logged(server, "R9999." + site.host)


def test_jobs_of_it_name_it(site):
    """Q, S and E have resvname and resvID behind the queue; those that are deleted with it
    have the requestor of the end: K first, then D, and E of what ran when it has ended."""
    server = site.server
    rid = submitted(site, 4, 12, ["-N", "advr", "-l", "select=1:ncpus=2", "-I", "60"])
    runs = server.submit(Job(attrs={"queue": queue_of(rid), "Resource_List.select": "1:ncpus=2"}))
    waits = server.submit(Job(attrs={"queue": queue_of(rid), "Resource_List.select": "1:ncpus=2"}))
    server.expect(JOB, {"job_state": "R"}, id=runs)
    is_gone(server, RESV, rid)
    wait_for("E", lambda: any(l == "E" for l, _ in records(site, runs)))
    mark = " queue=%s resvname=advr resvID=%s " % (queue_of(rid), rid)
    for letter in "QSE":
        assert mark in dict(records(site, runs))[letter], letter
    assert "Exit_status=271" in dict(records(site, runs))["E"]
    host = requestor(site, rid).split("@")[1]
    for jid in (runs, waits):
        assert dict(records(site, jid))["D"] == "requestor=root@" + host
    order = [tuple(l.split(";")[1:3]) for l in server.accounting_lines()]
    place = order.index
    assert place(("K", rid)) < min(place(("D", waits)), place(("D", runs))), order
    assert place(("D", runs)) < place(("E", runs)), order


def test_an_occurrence_ends_its_running_jobs(site):
    """Their A record says so, and nothing of the reservation is told as its end."""
    server = site.server
    start = int(time.time()) + 5
    rid = submitted(site, start, 1, ["-r", "FREQ=SECONDLY;COUNT=2;INTERVAL=60", "-I", "60",
                                     "-l", "select=1:ncpus=2"], ZONE)
    site.run(["pbs_ralter", "-D", "8", "-I", "30", rid], user=USER1)
    jid = server.submit(Job(attrs={"queue": queue_of(rid), "Resource_List.select": "1:ncpus=2"}))
    server.expect(JOB, {"job_state": "R"}, id=jid)
    is_gone(server, JOB, jid)
    found = dict(records(site, jid))
    assert found["A"] == "Deleting running job at end of reservation occurrence"
    # It is asked first, as at the last end (doc/design/045): PBS has 265 here. The record says
    # in what it ran.
    assert " Exit_status=271 " in found["E"], found["E"]
    assert (" queue=%s resvname=" % queue_of(rid)) in found["E"] and " resvID=%s " % rid in found["E"]
    assert "D" not in found
    assert not {"F", "K", "k"} & set(dict(records(site, rid)))
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_index": 2}, id=rid)


def test_reconfirmation_and_its_lines(site):
    """Times of the next attempts, what the scheduler says meanwhile, the second Y."""
    server = site.server
    retry_soon(server, 2)
    rid = submitted(site, 3600, 600, ["-l", "select=5:ncpus=2", "-I", "60", "-m", "c"])
    set_offline(server, "vn[0]")
    first = server.log_match("%s;An attempt to reconfirm reservation will be made on " % rid)
    assert re.search(r";0100;.*;Resv;.* on \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$", first), first
    second = server.log_match("%s;Next attempt to reconfirm reservation will be made on " % rid)
    assert ";0100;" in second
    for text in ("Reservation Failed to Reconfirm: ", "PBS Failed to confirm resv: ",
                 "Reservation is in degraded mode"):
        assert ";0200;" in site.scheduler.log_match("%s;%s" % (rid, text))
    site.run(["pbs_ralter", "-l", "select=4:ncpus=2", "-I", "30", rid], user=USER1)
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 2}, id=rid)
    assert [l for l, _ in records(site, rid)] == ["U", "Y", "Y"]
    texts = [t for _, _, t in logged(server, rid)]
    assert "Attempting to modify reservation select=4:ncpus=2" in texts
    assert texts[-1] == "Reservation alter confirmed"
    assert len(letters(site, 2)) == 2


def test_lines_of_an_alteration(site):
    """Attempted with what changes or follows, then confirmed or denied; a denial has no
    record and no letter."""
    server = site.server
    start = int(time.time()) + 3600
    rid = submitted(site, start, 600, ["-l", "select=4:ncpus=2", "-I", "60", "-m", "c"])
    other = submitted(site, start + 1200, 600, ["-l", "select=4:ncpus=2", "-I", "60", "-m", "n"])
    site.run(["pbs_ralter", "-D", "900", "-I", "30", rid], user=USER1)
    done = site.run(["pbs_ralter", "-E", Reservation.clock(start + 1300), "-I", "30", rid],
                    user=USER1)
    assert done.stdout.splitlines()[0] == "pbs_ralter: %s DENIED" % rid
    date = lambda t: time.strftime(DATE, time.gmtime(t))
    assert [t for e, _, t in logged(server, rid)][2:] == [
        "Attempting to modify reservation end=" + date(start + 900),
        "Reservation alter confirmed",
        "Attempting to modify reservation end=" + date(start + 1300),
        "Reservation alter denied"]
    assert all(e == "0200" for e, _, _ in logged(server, rid))
    assert [l for l, _ in records(site, rid)] == ["U", "Y", "Y"]
    assert len(letters(site, 2)) == 2 and other


def test_the_order_of_what_is_logged_of_an_alteration(site):
    """13.3: asked, attempted, the scheduler woken, confirmed; of one that is refused before anybody
    is asked there is the refusal alone."""
    server = site.server
    start = int(time.time()) + 3600
    rid = submitted(site, start, 600, ["-l", "select=1:ncpus=2", "-I", "60"])
    begin = len(server.log_lines())
    site.run(["pbs_ralter", "-D", "900", "-I", "30", rid], user=USER1)
    lines = iter(server.log_lines()[begin:])
    for words in ("Type 91 request received from %s@" % USER1,
                  "%s;Attempting to modify reservation end=" % rid, "Scheduler sent command 15",
                  "Type 75 request received from ", "%s;Reservation alter confirmed" % rid):
        assert any(words in line for line in lines), words
    # One that needs no scheduler, too.
    site.scheduler.stop()
    site.run(["pbs_ralter", "-D", "960", "-W", "force", rid])
    assert [t for _, _, t in logged(server, rid)][-2:] == \
        ["Attempting to modify reservation end=" + time.strftime(DATE, time.gmtime(start + 960)),
         "Reservation alter confirmed"]
    begin = len(server.log_lines())
    for argv, code in ((["-D", "0"], 15086), (["-l", "select=2:ncpus=2"], 15183)):
        site.run(["pbs_ralter"] + argv + [rid], user=USER1, check=False)
        server.log_match("Reject reply code=%d, aux=0, type=91, from %s@" % (code, USER1))
    assert not any(rid in line for line in server.log_lines()[begin:])


def test_all_addresses_of_M_get_the_letter(site):
    """24, Beat this: also without a configured mail host; no other text is in the letter."""
    rid = submitted(site, 3600, 60, ["-I", "60", "-m", "c", "-M", "a@b,c@d,e"])
    args, text = letters(site, 1)[0]
    assert re.split(r"[ ,]", args)[2:4] == ["a@b", "c@d"] and len(re.split(r"[ ,]", args)) == 5
    assert text.splitlines()[0].startswith("To: a@b,c@d,e")
    site.server.log_match("Email list is too long", existence=False)
    assert len(text.splitlines()) in (7, 8) and rid in text


@pytest.mark.parametrize("points,n", [("n", 0), ("", 2), ("e", 0), ("ac", 2)])
def test_points_of_mail(site, points, n):
    """Without -m: at its confirmation and its deletion."""
    more = ["-m", points] if points else []
    rid = submitted(site, 3600, 60, ["-I", "60", "-M", "a@b"] + more)
    site.server.delete(rid)
    is_gone(site.server, RESV, rid)
    last = submitted(site, 3600, 60, ["-I", "60", "-M", "a@b", "-m", "c"])
    found = letters(site, n + 1)
    assert last in found[-1][1] and all(rid in text for _, text in found[:-1])


def test_lines_of_a_start_of_the_server(site):
    server = site.server
    rid = submitted(site, 3600, 60, ["-I", "60"])
    n = len([t for _, _, t in logged(server, queue_of(rid)) if t == "attributes set: enabled = True"])
    server.restart()
    server.log_match("0086;.*;Svr;.*;Recovered reservation %s" % rid, regexp=True)
    wait_for("the queue's lines again", lambda: len(
        [t for _, _, t in logged(server, queue_of(rid))
         if t == "attributes set: enabled = True"]) == n + 1)
