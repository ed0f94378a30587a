# SPDX-License-Identifier: Apache-2.0
"""resources_available of the server: what all jobs may have together, licences for example."""
import re
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *


@pytest.fixture(scope="module")
def cluster():
    with Cluster(mock=True) as c:
        c.server.manager(MGR_CMD_CREATE, RSC, {"type": "long", "flag": "q"}, id="lic")
        c.scheduler.add_resource("lic")
        yield c


@pytest.fixture
def licences(cluster):
    """Three licences for the whole complex, of a resource that no vnode has."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"resources_available.lic": 3})
    yield server
    jobs = [j["id"] for j in server.status(JOB)]
    if jobs:  # some may have ended meanwhile
        cluster.run(["qdel", "-W", "force"] + jobs, check=False)
    wait_for("no jobs", lambda: not server.status(JOB))
    server.manager(MGR_CMD_UNSET, SERVER, {"resources_available.lic": None})


def asking(server, n):
    return server.submit(Job(attrs={"Resource_List.lic": n, "Resource_List.walltime": 1000},
                             sleep=1000))


def waits(server, jid, words):
    server.expect(JOB, {"job_state": "Q", "comment": (MATCH_RE, words)}, id=jid)


def test_jobs_share_what_there_is(licences):
    server = licences
    assert server.status(SERVER)[0]["resources_available.lic"] == "3"
    first = asking(server, 2)
    server.expect(JOB, {"job_state": "R"}, id=first)
    assert server.status(SERVER)[0]["resources_assigned.lic"] == "2"
    second = asking(server, 2)
    waits(server, second, r"Not Running: Insufficient amount of server resource: lic "
                          r"\(R: 2 A: 1 T: 3\)")
    third = asking(server, 1)  # there is one left
    server.expect(JOB, {"job_state": "R"}, id=third)
    many = asking(server, 4)
    waits(server, many, r"Can Never Run: Insufficient amount of server resource: lic "
                        r"\(R: 4 A: 0 T: 3\)")
    server.delete(first)
    server.expect(JOB, {"job_state": "R"}, id=second)
    server.manager(MGR_CMD_SET, SERVER, {"resources_available.lic": 7})
    server.expect(JOB, {"job_state": "R"}, id=many)


def test_what_a_suspended_job_had_is_given_to_others(cluster, licences):
    server = licences
    first = asking(server, 3)
    server.expect(JOB, {"job_state": "R"}, id=first)
    second = asking(server, 1)
    waits(server, second, "server resource: lic")
    cluster.run(["qsig", "-s", "suspend", first])
    server.expect(JOB, {"job_state": "S"}, id=first)
    server.expect(JOB, {"job_state": "R"}, id=second)
    server.delete(second)


def rsub(cluster, n, start, length):
    """A reservation of n licences: its id, the answer, and the reason of a denial."""
    done = cluster.run(["pbs_rsub", "-I", "60", "-l", "select=1:ncpus=1", "-l", f"lic={n}",
                        "-R", Reservation.clock(start), "-D", str(length)],
                       user=USER1, check=False)
    rid, answer = done.stdout.split()
    return rid, answer, done.stderr


def confirmed(cluster, n, start, length):
    rid, answer, reason = rsub(cluster, n, start, length)
    assert answer == "CONFIRMED", reason
    return rid


def ralter(cluster, rid, length):
    done = cluster.run(["pbs_ralter", "-I", "60", "-D", str(length), rid], user=USER1, check=False)
    return done.stdout + done.stderr


def test_reservations_share_what_there_is(cluster, licences):
    server = licences
    start = (int(time.time()) // 60 + 60) * 60
    first = confirmed(cluster, 2, start, 1000)
    refused, answer, reason = rsub(cluster, 2, start + 500, 1000)
    assert answer == "DENIED"
    assert re.match(rf"pbs_rsub: reason: Insufficient amount of server resource: lic : lic of the "
                    rf"server is held by {re.escape(first)} until .*; all chunks together need 2 "
                    rf"of lic, of the server's at most 1 is free; it would fit from ", reason)
    second = confirmed(cluster, 2, start + 1000, 1000)
    out = ralter(cluster, first, 1001)
    assert "DENIED" in out and "server resource: lic" in out, out
    out = ralter(cluster, first, 900)
    assert "CONFIRMED" in out, out
    long = server.submit(Job(attrs={"Resource_List.lic": 2, "Resource_List.walltime": 7200},
                             sleep=1000))
    waits(server, long, "Not Running: Job would conflict with reservation or top job")
    short = asking(server, 3)  # it is over before the first one begins
    server.expect(JOB, {"job_state": "R"}, id=short)
    for rid in (first, second):
        cluster.run(["pbs_rdel", rid])


def test_force_says_who_has_too_much_of_it(cluster, licences):
    """Reservations first, then jobs: in attributes, on standard output and in the log."""
    server = licences
    start = (int(time.time()) // 60 + 60) * 60
    first, second = (confirmed(cluster, 2, at, 1000) for at in (start, start + 1000))
    vnodes = [server.status(RESV, rid)[0]["resv_nodes"] for rid in (first, second)]
    done = cluster.run(["pbs_ralter", "-W", "force", "-I", "60", "-D", "1500", first])
    begins = server.status(RESV, second)[0]["reserve_start"]
    ends = server.status(RESV, first)[0]["reserve_end"]
    # mock vnodes have many cpus: both are on one vnode, where there is enough for them
    assert vnodes[0] == vnodes[1]
    met = f"{second} on server resource lic from {begins} to {ends}"
    assert done.stdout.splitlines() == [f"pbs_ralter: {first} CONFIRMED",
                                        f"pbs_ralter: oversubscribes reservations {second}",
                                        f"pbs_ralter: meets {met}"]
    server.log_match(f"{first};Reservation meets {met}")
    assert server.status(RESV, first)[0]["oversubscribed_resv"] == second
    assert server.status(RESV, second)[0]["oversubscribed_resv"] == first
    server.manager(MGR_CMD_SET, SERVER, {"resources_available.lic": 4})  # one more was bought
    assert "oversubscribed_resv" not in server.status(RESV, first)[0]
    for rid in (first, second):
        cluster.run(["pbs_rdel", rid])


def test_jobs_are_named_when_there_is_less_than_they_have(cluster, licences):
    server = licences
    jobs = [asking(server, 1) for _ in range(2)]
    for jid in jobs:
        server.expect(JOB, {"job_state": "R"}, id=jid)
    rid = confirmed(cluster, 1, int(time.time()) + 60, 2000)
    assert "oversubscribed_jobs" not in server.status(RESV, rid)[0]
    server.manager(MGR_CMD_SET, SERVER, {"resources_available.lic": 2})
    assert server.status(RESV, rid)[0]["oversubscribed_jobs"] == ",".join(jobs)
    server.delete(jobs[0])
    server.expect(RESV, "oversubscribed_jobs", op=UNSET, id=rid)
    cluster.run(["pbs_rdel", rid])
