# SPDX-License-Identifier: Apache-2.0
"""What pbs_rsub sends and what becomes of it (reservations.md 2, 4, 5), and what jobs have of a
reservation and nothing else (11)."""
import os
import pwd

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.wire import number, open_local, string
from story import *


@pytest.fixture(scope="module")
def site():
    with Cluster() as c:
        yield c


def rsub(site, *words, env=None):
    done = site.run(["pbs_rsub", "-R", Reservation.clock(3600), "-D", "600"] + list(words),
                    user=USER1, env=env)
    return done.stdout.split()[0]


def delete_all(site):
    site.run(["qdel"] + [j["id"] for j in site.server.status(JOB)], check=False)
    for resv in site.server.status(RESV):
        site.server.delete(resv["id"])
    wait_for("nothing is left",
             lambda: not site.server.status(RESV) and not site.server.status(JOB))
    all_is_free(site)


def waits(server, jid, comment):
    server.expect(JOB, {"job_state": "Q", "comment": (MATCH_RE, comment)}, id=jid)


# 2 and 26: in the order in which they were made

def test_they_are_listed_in_the_order_of_their_making(site):
    first, late, series = rsub(site), rsub(site, "-N", "a"), \
        rsub(site, "-r", "FREQ=DAILY;COUNT=2", env={"PBS_TZID": "UTC"})
    site.server.delete(first)
    is_gone(site.server, RESV, first)
    last = rsub(site, "-R", Reservation.clock(60))
    assert [r["id"] for r in site.server.status(RESV)] == [late, series, last]
    delete_all(site)


# 4: what pbs_rsub says of its caller

def test_the_variables_of_the_caller(site):
    """The login name, the host, the mailbox and the zone, and nothing else of the environment."""
    env = {"MAIL": "/var/mail/me", "PBS_TZID": "Asia/Kolkata", "OTHER": "1"}
    shown = site.server.status(RESV, rsub(site, "-I", "60", env=env))[0]
    said = dict(v.split("=", 1) for v in shown["Variable_List"].split(","))
    assert set(said) == {"PBS_O_LOGNAME", "PBS_O_HOST", "PBS_O_MAIL", "PBS_TZID"}
    assert (said["PBS_O_LOGNAME"], said["PBS_O_MAIL"]) == (USER1, "/var/mail/me")
    assert said["PBS_TZID"] == "Asia/Kolkata"
    assert shown["Reserve_Owner"].startswith(USER1 + "@") and shown["interactive"] == "60"
    delete_all(site)


# 4: requests that are the server's own vehicles

@pytest.mark.parametrize("kind,code", [(76, 15005), (92, 0)], ids=["BeginResv", "ResvOccurEnd"])
def test_what_the_server_says_to_itself_does_nothing(site, kind, code):
    """BeginResv is no request; ResvOccurEnd is acknowledged, and no occurrence ends."""
    me = pwd.getpwuid(os.geteuid()).pw_name
    rid = rsub(site, "-I", "60", "-r", "FREQ=DAILY;COUNT=2", env={"PBS_TZID": "UTC"})
    before = site.server.status(RESV, rid)
    with open_local(os.path.join(site.home, "ipc", "server.sock")) as c:
        assert c.ask("+2+2" + number(kind) + string(me) + "+1+2" + string(rid) +
                     "+0+0").code == code
    assert site.server.status(RESV, rid) == before
    delete_all(site)


# 5.2: what is filled in

def test_defaults_of_resources_are_filled_in(site):
    """Those of the server and of each chunk; a default walltime is no length."""
    server = site.server
    server.manager(MGR_CMD_SET, SERVER, {"resources_default.mem": "64mb",
                                         "resources_default.walltime": "00:00:30",
                                         "default_chunk.mem": "32mb"})
    try:
        shown = server.status(RESV, rsub(site, "-l", "select=2:ncpus=1"))[0]
        assert shown["schedselect"] == "2:ncpus=1:mem=32mb"
        assert shown["Resource_List.mem"] == "64mb" and shown["reserve_duration"] == "600"
        refused = site.run(["pbs_rsub", "-R", Reservation.clock(60)], user=USER1, check=False)
        assert refused.stderr.startswith("pbs_rsub: Bad time specification(s)\n")
    finally:
        server.manager(MGR_CMD_UNSET, SERVER, {"resources_default.mem": "",
                                               "resources_default.walltime": "",
                                               "default_chunk.mem": ""})
    delete_all(site)


# 11: jobs of a reservation

def test_its_jobs_have_its_vnodes_and_no_others(site):
    """The third one waits, though three vnodes are free; so does one that asks for a vnode
    beside it."""
    server = site.server
    rid = running_resv(server, select="2:ncpus=2", start=2)
    held = resv_nodes(server, rid)
    jobs = [running_job(server, queue_of(rid)) for _ in range(2)]
    assert {job_vnodes(server, j)[0] for j in jobs} == set(held)
    third = server.submit(Job(attrs={"queue": queue_of(rid),
                                     "Resource_List.select": "1:ncpus=2"}))
    waits(server, third, "Insufficient amount of (queue )?resource: ncpus")
    beside = next(v for v in site.vnode_names() if v not in held)
    other = server.submit(Job(attrs={"queue": queue_of(rid),
                                     "Resource_List.select": "1:ncpus=1:vnode=" + beside}))
    server.delete(jobs[0])
    server.expect(JOB, {"job_state": "R"}, id=third)
    assert job_vnodes(server, third)[0] in held
    server.expect(JOB, {"job_state": "Q", "comment": (SET, None)}, id=other)
    delete_all(site)


def test_limits_of_users_count_in_a_reservation(site):
    server = site.server
    rid = running_resv(server, select="2:ncpus=2", start=2)
    server.manager(MGR_CMD_SET, SERVER, {"max_run": "[u:PBS_GENERIC=1]"})
    try:
        first = running_job(server, queue_of(rid))
        second = server.submit(Job(attrs={"queue": queue_of(rid),
                                          "Resource_List.select": "1:ncpus=2"}))
        waits(server, second, "limit")
        server.delete(first)
        server.expect(JOB, {"job_state": "R"}, id=second)
    finally:
        server.manager(MGR_CMD_UNSET, SERVER, {"max_run": ""})
    delete_all(site)


def test_jobs_are_taken_while_it_is_degraded_and_while_it_is_altered(site):
    """Its queue is open from the confirmation to the end."""
    server = site.server
    rid = rsub(site, "-I", "60", "-l", "select=2:ncpus=2")
    job = Job(attrs={"queue": queue_of(rid), "Resource_List.select": "1:ncpus=1"})
    lost = resv_nodes(server, rid)[0]
    set_offline(server, lost)
    server.expect(RESV, {"reserve_state": "RESV_DEGRADED"}, id=rid)
    server.submit(job)
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    site.run(["pbs_ralter", "-D", "300", rid], user=USER1)
    server.expect(RESV, {"reserve_state": "RESV_BEING_ALTERED"}, id=rid)
    server.submit(job)
    assert len(server.status(JOB)) == 2
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    set_free(server, lost)
    delete_all(site)
