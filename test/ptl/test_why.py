# SPDX-License-Identifier: Apache-2.0
"""Why a reservation was denied, or what it waits for: the second line of pbs_rsub -I, and
pbs_rstat --why, for a day and over a restart."""
import json
import os
import re
import subprocess
import time

import pytest

from holdfast import *
from holdfast.peer import Peer, objects
from holdfast.services import wait_for

HOUR = 3600
NO_SUCH = 1


@pytest.fixture(scope="module")
def cluster():
    with Cluster(vnodes=2, mock=True) as c:
        yield c


def rsub(cluster, *options, user=USER1):
    done = cluster.run(["pbs_rsub", "-I", "60"] + list(options), user=user, check=False)
    return done.stdout.split()[0], done.stdout.strip(), done.stderr


def why(cluster, rid, *options, user=USER1):
    done = cluster.run(["pbs_rstat", "--why"] + list(options) + [rid], user=user, check=False)
    return done.returncode, done.stdout, done.stderr


def window(start, length=HOUR):
    return ["-R", Reservation.clock(start), "-D", str(length)]


def too_large(cluster, user=USER1):
    rid, out, err = rsub(cluster, "-l", "select=1:ncpus=9999", *window(HOUR), user=user)
    assert out == rid + " DENIED"
    return rid, err


def test_what_was_short(cluster):
    rid, err = too_large(cluster)
    assert re.fullmatch(r"pbs_rsub: reason: .*; chunk 1 needs 9999 of ncpus, at most \d+ is free\n",
                        err), err
    code, out, err2 = why(cluster, rid)
    assert (code, err2) == (0, "")
    said = re.fullmatch(r"%s was denied (.*?): (.*)\n" % re.escape(rid), out)
    assert said and "chunk 1 needs 9999 of ncpus" in said.group(2), out
    assert abs(time.mktime(time.strptime(said.group(1))) - time.time()) < 600
    assert "@" not in out.replace(rid, "")


def test_what_would_never_fit_is_nobodys_fault(cluster):
    """Both vnodes are on one host, and somebody has one of them."""
    start = (int(time.time()) // HOUR + 24) * HOUR
    holder = rsub(cluster, "-l", "select=1:ncpus=1", "-l", "place=excl", *window(start))[0]
    rid, out, err = rsub(cluster, "-l", "select=2:ncpus=1", "-l", "place=scatter",
                         *window(start))
    assert out == rid + " DENIED"
    assert err.endswith("; there is room for 1 of the 2 copies of chunk 1, each on a host of "
                        "its own, even with nobody else there\n"), err
    rid, out, err = rsub(cluster, "-l", "select=1:mem=900tb", *window(start))
    assert re.search(r"; chunk 1 needs 900tb of mem, at most \d+[kmgt]b is free\n", err), err
    rid, out, err = rsub(cluster, "-l", "select=1:ncpus=1:host=nowhere", *window(start))
    assert err.endswith("; chunk 1 needs host=nowhere, which no usable vnode has\n"), err
    cluster.server.delete(holder)


def test_who_holds_it_and_when_it_fits(cluster):
    start = (int(time.time()) // HOUR + 48) * HOUR
    holder, out, err = rsub(cluster, "-l", "select=2:ncpus=1", "-l", "place=vscatter:excl",
                            *window(start))
    assert (out, err) == (holder + " CONFIRMED", "")
    rid, out, err = rsub(cluster, "-l", "select=1:ncpus=1", *window(start + 60))
    assert out == rid + " DENIED"
    assert " is held by %s until " % holder in err
    at = re.search(r"; it would fit from (\w{3} \w{3} +\d+ [\d:]{8} \d{4})", err).group(1)
    fits = time.mktime(time.strptime(at))
    assert fits == start + HOUR
    moved, out, err = rsub(cluster, "-l", "select=1:ncpus=1", *window(fits))
    assert out == moved + " CONFIRMED"
    for each in (holder, moved):
        cluster.server.delete(each)


def test_jobs_without_a_walltime_are_named(cluster):
    jobs = [cluster.server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1",
                                             "Resource_List.place": "excl"}))
            for _ in range(2)]
    for jid in jobs:
        cluster.server.expect(JOB, {"job_state": "R"}, id=jid)
    rid, out, err = rsub(cluster, "-l", "select=1:ncpus=1", *window(HOUR))
    assert out == rid + " DENIED"
    assert "without a walltime" in err and any(jid in err for jid in jobs), err
    assert err.split("reason: ", 1)[1] in why(cluster, rid)[1]
    for jid in jobs:
        cluster.server.delete(jid)


def test_a_denial_is_its_owners(cluster):
    rid, _ = too_large(cluster)
    assert why(cluster, rid, user=None)[0] == 0
    code, out, err = why(cluster, rid, user=USER2)
    assert code != 0 and out == ""
    assert "Unknown Reservation" in err and "none of yours was denied" in err, err
    code, out, err = why(cluster, "R9999." + rid.split(".", 1)[1])
    assert code != 0 and "Unknown Reservation" in err


def test_over_a_restart(cluster):
    mine, _ = too_large(cluster)
    others, _ = too_large(cluster, user=USER2)
    before = why(cluster, mine)
    cluster.server.kill()
    cluster.server.start()
    assert why(cluster, mine) == before
    assert why(cluster, others, user=USER2)[0] == 0
    assert why(cluster, others)[0] != 0
    assert why(cluster, others, user=None)[0] == 0


def test_as_json_and_dsv(cluster):
    rid, _ = too_large(cluster)
    code, out, _ = why(cluster, rid, "-F", "json")
    one = json.loads(out)["Reservations"][rid]
    assert code == 0 and "9999 of ncpus" in one["denied_reason"]
    assert abs(int(one["denied_at"]) - time.time()) < 600
    code, out, _ = why(cluster, rid, "-F", "dsv")
    assert out.startswith("Resv ID: %s|denied_at=" % rid) and "|denied_reason=" in out


def test_one_that_lives(cluster):
    server = cluster.server
    start = (int(time.time()) // HOUR + 72) * HOUR
    rid, out, _ = rsub(cluster, "-l", "select=2:ncpus=1", "-l", "place=vscatter", *window(start))
    assert out == rid + " CONFIRMED"
    assert why(cluster, rid, user=USER2) == (
        0, "%s is in state RESV_CONFIRMED, and has what it asked for\n" % rid, "")
    server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_time": 5})
    held = server.status(RESV, id=rid)[0]["resv_nodes"]
    lost = re.search(r"\(([^:]+):", held).group(1)
    server.manager(MGR_CMD_SET, VNODE, {"state": "offline"}, id=lost)
    wait_for(lambda: "an attempt in vain: " + why(cluster, rid)[1],
             lambda: "was given no vnodes" in why(cluster, rid)[1])
    out = why(cluster, rid)[1]
    assert "%s is in state RESV_DEGRADED\n" % rid in out
    assert re.search(r"lacks vnodes; it is tried again \w{3} \w{3} ", out), out
    server.manager(MGR_CMD_SET, VNODE, {"state": "free"}, id=lost)
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=rid)
    assert "was given no vnodes" not in why(cluster, rid)[1]
    server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_time": 600})
    server.manager(MGR_CMD_SET, VNODE, {"state": "offline"}, id=lost)
    server.expect(RESV, {"reserve_state": "RESV_DEGRADED"}, id=rid)
    again = why(cluster, rid)[1]
    assert "lacks vnodes" in again and "was given no vnodes" not in again
    server.manager(MGR_CMD_SET, VNODE, {"state": "free"}, id=lost)
    server.delete(rid)
    code, out, err = why(cluster, rid)
    assert (code != 0, out) == (True, "") and "Unknown Reservation" in err, "it was not denied"


def test_why_it_could_not_be_altered(cluster):
    start = (int(time.time()) // HOUR + 96) * HOUR
    first, out, _ = rsub(cluster, "-l", "select=2:ncpus=1", "-l", "place=vscatter:excl",
                         *window(start))
    second, out, _ = rsub(cluster, "-l", "select=1:ncpus=1", *window(start + HOUR))
    assert out == second + " CONFIRMED"
    done = cluster.run(["pbs_ralter", "-I", "60", "-R", Reservation.clock(start), second],
                       user=USER1, check=False)
    assert second + " DENIED" in done.stdout
    said = re.search(r"^pbs_ralter: reason: (.*)$", done.stdout, re.M).group(1)
    assert "held by " + first in said
    assert "%s could not be altered: %s\n" % (second, said) in why(cluster, second)[1]
    for each in (first, second):
        cluster.server.delete(each)


def test_one_that_nobody_confirmed_in_time(cluster):
    cluster.scheduler.stop()
    done = cluster.run(["pbs_rsub", "-I", "-2", "-l", "select=1:ncpus=1"] + window(HOUR),
                       user=USER1, check=False)
    cluster.scheduler.start()
    assert done.stdout.endswith("delete, wait period expired\n"), done.stdout
    rid = done.stdout.split()[0]
    before = why(cluster, rid)
    assert before[0] == 0
    assert before[1].endswith("no scheduler confirmed it while it was waited for\n")
    cluster.server.kill()
    cluster.server.start()
    assert why(cluster, rid) == before
    assert why(cluster, rid, user=USER2)[0] != 0


def test_one_that_nobody_has_answered(cluster):
    cluster.scheduler.stop()
    done = cluster.run(["pbs_rsub", "-l", "select=1:ncpus=1"] + window(HOUR), user=USER1)
    rid = done.stdout.split()[0]
    code, out, _ = why(cluster, rid)
    assert code == 0 and out.startswith("%s is in state RESV_UNCONFIRMED\n" % rid), out
    assert len(out.splitlines()) == 2
    cluster.server.delete(rid)
    cluster.scheduler.start()


def test_wrong_lines(cluster):
    done = cluster.run(["pbs_rstat", "--why"], check=False)
    assert done.returncode == 1 and "--why needs the id of a reservation" in done.stderr
    done = cluster.run(["pbs_rstat", "--why", "S7[2]"], check=False)
    assert done.returncode == 1 and "a whole series: ask for S7" in done.stderr
    done = cluster.run(["pbs_rstat", "--why", "x"], check=False)
    assert done.returncode == 1 and "illegally formed" in done.stderr


class Stranger(Peer):
    numbers = ()

    def answer(self, s, r):
        self.numbers += (r.data[:10],)
        return super().answer(s, r)


def test_a_stranger_is_not_asked(cluster, tmp_path):
    """A server of another make may end the connection at a number that it does not know."""
    env = dict(os.environ, PBS_CONF_FILE="/nonexistent", PBS_HOME=str(tmp_path),
               PBS_EXEC=cluster.exec_dir, PBS_SERVER="localhost",
               PBS_SERVER_SOCKET=str(tmp_path / "s"))
    with Stranger(env["PBS_SERVER_SOCKET"], [(None, None, objects((0, "svr", [])))]) as played:
        done = subprocess.run([os.path.join(cluster.exec_dir, "bin", "pbs_rstat"), "--why",
                               "R1.localhost"], env=env, text=True, capture_output=True,
                              timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert "does not tell why" in done.stderr
    assert played.script == [] and not any("201" in n for n in played.numbers)
