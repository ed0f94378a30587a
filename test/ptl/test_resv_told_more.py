# SPDX-License-Identifier: Apache-2.0
"""What is told of reservations that end otherwise than by time, or are made otherwise than by
pbs_rsub: records (reservations.md 21), lines of the server (22), letters (24)."""
import re
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *
from test_resv_told import ZONE, letters, logged, needs_root, records, requestor, site, submitted

HOST = ["-l", "select=1:ncpus=2"]


def texts(site, rid):
    return [t for _, _, t in logged(site.server, rid)]


def last_record(site, rid):
    wait_for("the last record", lambda: records(site, rid)[-1:] and
             records(site, rid)[-1][0] in "Kk")
    return records(site, rid)[-1]


def test_an_idle_one(site):
    """Its line, K in root's name and the letter: it is no end by time."""
    rid = submitted(site, 2, 600, ["-I", "60", "-m", "ae", "-W", "delete_idle_time=2"] + HOST)
    is_gone(site.server, RESV, rid)
    root = "root@" + requestor(site, rid).split("@")[1]
    assert last_record(site, rid) == ("K", "requestor=" + root)
    assert ("0200", "Resv", "Deleting reservation after being idle for 2 seconds") in \
        logged(site.server, rid)
    assert "F" not in [r[0] for r in records(site, rid)]
    assert letters(site, 1)[0][1].endswith("Reservation removed\nRequesting party: %s\n" % root)


def test_one_that_nobody_confirms_in_time(site):
    site.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    done = site.run(["pbs_rsub", "-R", Reservation.clock(600), "-D", "60", "-I", "-2"] + HOST,
                    user=USER1)
    rid, said = done.stdout.strip().split(" ", 1)
    assert said == "delete, wait period expired"
    host = requestor(site, rid).split("@")[1]
    assert [r[0] for r in records(site, rid)] == ["U", "K"]
    assert records(site, rid)[0][1].endswith(" Interactive=-2")
    assert last_record(site, rid) == ("K", "requestor=root@" + host)


def test_one_that_ends_before_it_is_confirmed(site):
    """By time: K of root, no B and no F, since it has never begun."""
    site.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    rid = submitted(site, 1, 2, ["-m", "abce"] + HOST)
    is_gone(site.server, RESV, rid)
    host = requestor(site, rid).split("@")[1]
    assert last_record(site, rid) == ("K", "requestor=root@" + host)
    assert "B" not in [r[0] for r in records(site, rid)]


@needs_root
def test_maintenance(site):
    """U and Y are its maker's, and it begins and ends as others do."""
    server = site.server
    server.manager(MGR_CMD_SET, SERVER, {"operators": ("+=", USER2 + "@*")})
    host = server.status(VNODE, "vn[0]")[0]["resources_available.host"]
    start = int(time.time()) + 3
    done = site.run(["pbs_rsub", "-N", "disks", "-R", Reservation.clock(start), "-D", "3",
                     "-m", "n", "--hosts", host], user=USER2)
    mid = done.stdout.split()[0]
    is_gone(server, RESV, mid)
    found = records(site, mid) if last_record(site, mid) else None
    who = requestor(site, mid)
    assert who.split("@")[0] == USER2
    assert [r[0] for r in found] == ["U", "Y", "B", "F", "K"]
    nodes = "+".join("(vn[%d]:ncpus=2)" % i for i in range(5))
    assert found[1][1] == "requestor=%s start=%d end=%d nodes=%s" % (who, start, start + 3, nodes)
    assert found[2][1] == found[3][1] and found[2][1].startswith(
        "owner=%s name=disks queue=%s ctime=" % (who, queue_of(mid)))
    assert " Resource_List.select=host=%s:ncpus=10 Resource_List.place=exclhost " % host in found[2][1]
    assert found[4][1] == "requestor=root@" + who.split("@")[1]
    assert texts(site, mid)[0].startswith("New reservation submitted start=")
    assert texts(site, mid)[1:] == ["Reservation confirmed"]


def test_one_from_a_job(site):
    """No U; Y of nobody; B at once; the job's second Q without the reservation, its E with it."""
    server = site.server
    jid = running_job(server, **{"Resource_List.walltime": "600"})
    rid = site.run(["pbs_rsub", "--job", jid, "-m", "n"], user=USER1).stdout.split()[0]
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)
    wait_for("B", lambda: "B" in dict(records(site, rid)))
    assert [r[0] for r in records(site, rid)] == ["Y", "B"]
    assert records(site, rid)[0][1].startswith("requestor=@ start=")
    lines = texts(site, rid)
    assert lines[0] == "Reservation confirmed"
    assert lines[1].startswith("New reservation submitted start=")
    queues = [text for letter, text in records(site, jid) if letter == "Q"]
    assert len(queues) == 2 and " queue=%s " % queue_of(rid) in queues[1]
    assert "resvID=" not in queues[1]
    server.delete(jid)
    wait_for("E", lambda: "E" in dict(records(site, jid)))
    assert " queue=%s resvname=NULL resvID=%s " % (queue_of(rid), rid) in dict(records(site, jid))["E"]


def test_amounts_stand_in_their_order(site):
    """The alphabet, then nodect, select, place and walltime, whatever the request had first."""
    rid = submitted(site, 3, 3, ["-l", "walltime=3,software=x,cput=60", "-l",
                                 "place=free,select=1:ncpus=1:mem=10mb", "-I", "60", "-m", "n",
                                 "-H", site.host, "-N", "mine"])
    is_gone(site.server, RESV, rid)
    last_record(site, rid)
    text = dict(records(site, rid))["B"]
    assert re.findall(r"Resource_List\.(\w+)=", text) == \
        ["cput", "mem", "ncpus", "software", "nodect", "select", "place", "walltime"]
    owner = re.search("owner=(\\S+)", text).group(1)
    assert " Authorized_Users=%s Authorized_Hosts=%s Resource_List." % (owner, site.host) in text


def test_letters_of_a_series(site):
    """One for the confirmation, one for each start; the end is told once, of the last one."""
    rid = submitted(site, 4, 1, ["-r", "FREQ=SECONDLY;COUNT=2;INTERVAL=10", "-I", "60", "-m", "abce",
                                 "-M", "a@there"] + HOST, ZONE)
    is_gone(site.server, RESV, rid)
    lines = [text.splitlines()[6] for _, text in letters(site, 5)]
    assert lines[:3] == ["Reservation transitioned from state UNCONFIRMED to CONFIRMED",
                         "Reservation period starting", "Reservation period starting"]
    assert sorted(lines[3:]) == ["Reservation period ended", "Reservation removed"]


def test_occurrences_that_nobody_saw(site):
    """The server is away for two of four: each is told, with its place, and none is run."""
    server = site.server
    rid = submitted(site, 5, 1, ["-r", "FREQ=SECONDLY;COUNT=5;INTERVAL=4", "-I", "60",
                                 "-m", "n"] + HOST, ZONE)
    server.stop()
    wait_for("the ends of some", lambda: time.time() > start_of(site, rid) + 7)
    server.start()
    is_gone(server, RESV, rid)
    told = [(e, c, t) for e, c, t in logged(server, rid) if "was skipped" in t]
    assert told and all(e == "0001" and c == "Resv" for e, c, _ in told)
    places = [int(re.fullmatch(r"reservation occurrence (\d)/5 scheduled at \d\d:\d\d:\d\d was "
                               "skipped because its end time is in the past", t).group(1))
              for _, _, t in told]
    assert places == sorted(set(places)) and {1, 2} <= set(places)
    begun = [l for l, _ in records(site, rid)].count("B")
    assert begun + len(places) == 5


def start_of(site, rid):
    return int(re.search(r" start=(\d+) ", dict(records(site, rid))["Y"]).group(1))


def test_what_stands_in_the_way_of_an_alteration(site):
    rid = submitted(site, 3600, 60, ["-r", "FREQ=HOURLY;COUNT=3", "-I", "60"] + HOST, ZONE)
    done = site.run(["pbs_ralter", "-D", "3600", rid], user=USER1, check=False)
    assert done.returncode == 15179 & 255
    assert ("0200", "Resv", "Requested time(s) will interfere with a later occurrence") in \
        logged(site.server, rid)
    site.server.log_match("Reject reply code=15179, aux=0, type=91, from %s@" % USER1)


def test_shrinking_is_no_matter_of_reservations(site):
    done = site.run(["pbs_rsub", "-R", Reservation.clock(600), "-D", "60", "-l", "min_walltime=5"],
                    user=USER1, check=False)
    assert done.returncode == 15164 & 255
    site.server.log_match(r';0001;[^;]*;Req;;"min_walltime" and "max_walltime" are not valid '
                          r"resources for a reservation$", regexp=True)


def test_lines_of_requests_and_of_jobs(site):
    """What suites look for around the lines of a reservation."""
    server = site.server
    rid = submitted(site, 3600, 600, ["-I", "60"] + HOST)
    site.run(["pbs_ralter", "-N", "other", rid], user=USER1)
    site.run(["pbs_rstat", rid], user=USER1)
    jid = server.submit(Job(attrs={"queue": queue_of(rid), "Resource_List.select": "1:ncpus=1"}))
    server.log_match("%s;enqueuing into %s, state Q hop 1" % (jid, queue_of(rid)))
    other = site.run(["qsub", "-h", "-l", "select=1:ncpus=1", "--", "/bin/true"],
                     user=USER1).stdout.strip()
    site.run(["qmove", queue_of(rid), other])
    server.log_match("%s;Job moved to %s at request of root@" % (other, queue_of(rid)))
    site.run(["pbs_rdel", rid], user=USER1)
    for number, who in ((70, USER1), (71, USER1), (72, USER1), (91, USER1), (75, "Scheduler")):
        server.log_match(r"Type %d request received from %s@\S+, sock=\d+" % (number, who),
                         regexp=True)
    is_gone(server, RESV, rid)
    assert last_record(site, rid)[0] == "k"


def test_letters_go_to_the_host_for_mail(site):
    """To the owner there, when no address is given."""
    site.write_conf(PBS_MAIL_HOST_NAME="mail.example")
    site.server.restart()
    rid = submitted(site, 3600, 60, ["-I", "60", "-m", "c"] + HOST)
    args, text = letters(site, 1)[0]
    assert args.endswith(" %s@mail.example" % USER1), args
    assert text.startswith("To: %s@mail.example\nSubject: PBS RESERVATION %s\n" % (USER1, rid))
