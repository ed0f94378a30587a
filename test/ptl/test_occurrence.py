# SPDX-License-Identifier: Apache-2.0
"""Occurrences of a standing reservation by their index, S5[3]: shown, altered and deleted alone,
on real daemons; and never asked of a server of another make."""
import json
import os
import subprocess
import time

import pytest

from holdfast import *
from holdfast.peer import Peer, objects as status
from story import *

DAY = 86400
FAR = int(time.time()) // 60 * 60 + DAY


def ask(cluster, select, start, duration=600, options=()):
    """pbs_rsub -I: the reservation's id and the last word of the answer."""
    out = cluster.run(["pbs_rsub", "-I", "60", "-R", Reservation.clock(start),
                       "-D", str(duration), "-l", "select=" + select] + list(options),
                      user=USER1, env={"PBS_TZID": "UTC"}).stdout
    return out.split()[0], out.split()[-1]


def series(cluster, select="1:ncpus=2", start=FAR, duration=600, rule="FREQ=DAILY;COUNT=4"):
    rid, answer = ask(cluster, select, start, duration, ["-r", rule])
    assert answer == "CONFIRMED"
    return rid


def one(rid, index):
    """S5.svr, 3: S5[3].svr"""
    head, server = rid.split(".", 1)
    return "%s[%s].%s" % (head, index, server)


def shown(cluster, rid, index):
    """The attributes of one occurrence, {} when there is none."""
    out = cluster.run(["pbs_rstat", "-F", "json", one(rid, index)], user=USER2).stdout
    return json.loads(out).get("Reservations", {}).get(one(rid, index), {})


def left(cluster, rid):
    """The indices of the occurrences that are left."""
    out = cluster.run(["pbs_rstat", "-B", one(rid, "")], user=USER2).stdout
    return [int(l.split("[")[1].split("]")[0]) for l in out.splitlines()]


def test_occurrences_are_shown(cluster):
    server = cluster.server
    rid = series(cluster)
    assert left(cluster, rid) == [1, 2, 3, 4]
    third = shown(cluster, rid, 3)
    assert int(third["reserve_index"]) == 3 and int(third["reserve_count"]) == 4
    assert third["resv_nodes"] == server.status(RESV, rid)[0]["resv_nodes"]
    assert time.strftime("%a %b %d %H:%M:%S %Y", time.localtime(FAR + 2 * DAY)) == \
        third["reserve_start"]
    short = rid.split(".")[0]
    # With and without the server's name, in every form.
    full = cluster.run(["pbs_rstat", "-f", short + "[3]"], user=USER1).stdout
    assert full.startswith("Resv ID: %s\n" % one(rid, 3)) and "reserve_index = 3\n" in full
    line = cluster.run(["pbs_rstat", "-F", "dsv", one(rid, 3)], user=USER1).stdout
    assert line.startswith("Resv ID: %s|" % one(rid, 3)) and "|reserve_index=3|" in line
    table = cluster.run(["pbs_rstat", short + "[]"], user=USER1).stdout.splitlines()
    assert len(table) == 6 and table[4].split()[0] == one(rid, 3)[:15], table
    document = json.loads(cluster.run(["pbs_rstat", "-F", "json", short + "[]"]).stdout)
    assert sorted(document["Reservations"]) == [one(rid, i) for i in (1, 2, 3, 4)]


def test_what_is_no_occurrence(cluster):
    rid = series(cluster)
    other, _ = ask(cluster, "1:ncpus=1", FAR)
    for word in (one(rid, 9), one(other, 1), "S99[1]"):
        done = cluster.run(["pbs_rstat", word], check=False)
        assert done.returncode == 0 and "Unknown Reservation Id" in done.stderr
        done = cluster.run(["pbs_rdel", word], user=USER1, check=False)
        assert done.returncode == 15084 & 255
        assert "pbs_rdel: Unknown Reservation Id" in done.stderr
    for word in ("S1[0]", "S1[-1]", "S1[x]", "S1[1", "S1[1]x", "S1[1234567890]", "[1]"):
        for command in ("pbs_rstat", "pbs_rdel"):
            done = cluster.run([command, word], user=USER1, check=False)
            assert done.returncode == 1
            assert "illegally formed reservation identifier: " + word in done.stderr
    done = cluster.run(["pbs_rdel", one(rid, "")], user=USER1, check=False)
    assert "illegally formed reservation identifier" in done.stderr
    done = cluster.run(["pbs_rdel", one(rid, 2)], user=USER2, check=False)
    assert done.stderr == "pbs_rdel: Unauthorized Request  %s\n" % rid
    assert left(cluster, rid) == [1, 2, 3, 4]


def test_a_later_one_is_deleted_and_its_vnodes_are_free(cluster):
    server = cluster.server
    rid = series(cluster, select="5:ncpus=2")
    assert ask(cluster, "1:ncpus=1", FAR + 2 * DAY)[1] == "DENIED"
    cluster.run(["pbs_rdel", one(rid, 3)], user=USER1)
    assert left(cluster, rid) == [1, 2, 4]
    assert server.status(RESV, rid)[0]["reserve_count"] == "4"
    server.log_match("%s;occurrence 3/4 deleted at request of %s@" % (rid, USER1))
    server.accounting_match(";k;%s;requestor=%s@" % (one(rid, 3), USER1))
    assert not [l for l in server.accounting_lines() if ";k;%s;" % rid in l]
    assert ask(cluster, "1:ncpus=1", FAR + 2 * DAY)[1] == "CONFIRMED"
    for i in (0, 1, 3):
        assert ask(cluster, "1:ncpus=1", FAR + i * DAY)[1] == "DENIED", i
    server.kill()
    server.start()
    assert left(cluster, rid) == [1, 2, 4]


def test_the_running_one_is_deleted(cluster):
    """Its job is killed as at its end, the one that waits stays, and the next one is shown."""
    server = cluster.server
    rid = series(cluster, start=int(time.time()) + 5, rule="FREQ=DAILY;COUNT=3")
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)
    runs = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=2",
                                    "queue": queue_of(rid)}, sleep=600))
    server.expect(JOB, {"job_state": "R", "substate": 42}, id=runs)
    waits = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=2",
                                     "queue": queue_of(rid)}, sleep=600))
    cluster.run(["pbs_rdel", one(rid, 1)], user=USER1)
    is_gone(server, JOB, runs)
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_index": 2}, id=rid)
    assert left(cluster, rid) == [2, 3]
    server.expect(JOB, {"job_state": "Q"}, id=waits)
    server.accounting_match(";A;%s;Deleting running job at end of reservation occurrence" % runs)
    server.accounting_match(";k;%s;requestor=%s@" % (one(rid, 1), USER1))
    # The last ones; with the only one that is left the reservation goes.
    cluster.run(["pbs_rdel", one(rid, 3)], user=USER1)
    cluster.run(["pbs_rdel", one(rid, 2)], user=USER1)
    is_gone(server, RESV, rid)
    is_gone(server, JOB, waits)
    server.accounting_match(";k;%s;requestor=%s@" % (rid, USER1))


STATUS_SERVER = 21


@pytest.mark.parametrize("argv", [["pbs_rstat", "S1[2].localhost"], ["pbs_rstat", "S1[]"],
                                  ["pbs_rdel", "S1[2]"]])
def test_a_stranger_is_sent_nothing(cluster, tmp_path, argv):
    env = dict(os.environ, PBS_CONF_FILE="/nonexistent", PBS_HOME=str(tmp_path),
               PBS_EXEC=cluster.exec_dir, PBS_SERVER="localhost",
               PBS_SERVER_SOCKET=str(tmp_path / "s"))
    older = status((0, "svr", [("holdfast_extensions", None, "changes,why", 0)]))
    with Peer(env["PBS_SERVER_SOCKET"], [(None, None, older)]) as played:
        program = os.path.join(cluster.exec_dir, "bin", argv[0])
        done = subprocess.run([program] + argv[1:], env=env, text=True, capture_output=True,
                              timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert "does not know occurrences by their index" in done.stderr
    # It was asked what it offers, and nothing else.
    assert [n for (n, _), _ in played.wrong] == [STATUS_SERVER]
