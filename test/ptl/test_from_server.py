# SPDX-License-Identifier: Apache-2.0
"""Who may hand over jobs as another server: by which port, from which host, for which
requests; played byte by byte (wire.md 14, doc/security.md)."""
import pytest

from holdfast import *
from holdfast.peer import attrs
from holdfast.wire import Connection, number, open_local, string
from test_sched_tcp import Site, comment, hang_up

pytestmark = pytest.mark.skipif(ROOTLESS, reason="needs root: reserved ports, namespaces")

OWNER = "%s@far.example" % USER1


def queue_job(jid, owner=OWNER, user="root"):
    entries = [("Job_Name", None, "far", 0), ("hop_count", None, "1", 0)]
    if owner:
        entries.append(("Job_Owner", None, owner, 0))
    return "+2+2" + number(1) + string(user) + string(jid) + string("workq") + \
        attrs(*entries) + "+0"


def commit(jid, user="root"):
    return "+2+2" + number(5) + string(user) + string(jid) + "+0"


@pytest.fixture(scope="module")
def site(far):
    """That other host has vnodes, and is trusted with their reports alone."""
    with Site(vnodes=0) as c:
        c.server.manager(MGR_CMD_CREATE, NODE, {"Port": 1}, id=far.there)
        yield c


def test_a_server_of_this_host_hands_over_a_job(site):
    with Connection(site.ports["server"], reserved=True) as c:
        assert c.ask(queue_job("71.far")).code == 0
        assert c.ask(commit("71.far")).code == 0
        assert c.ask(queue_job("71.far")).code == 15009
        assert c.ask(queue_job("72.far", owner=None)).code == 15004
        assert c.ask(queue_job("")).code == 15004
        assert c.ask(queue_job("73.far", owner="root@far.example")).code == 15023
        assert c.ask(queue_job("74.far", owner="nobody-here@far.example")).code == 15023
    job = site.server.expect(JOB, {"job_state": "Q"}, id="71.far@" + site.host)
    assert job["Job_Owner"] == OWNER and "euser" in job
    site.server.accounting_match(";Q;71.far;user=%s " % USER1)


def test_it_may_ask_nothing_else(site):
    """Not even after a request of its own, on the same connection."""
    with Connection(site.ports["server"], reserved=True) as c:
        assert c.ask(queue_job("75.far")).code == 0
        assert (c.ask(comment("root")).code, c.is_closed()) == (15019, True)
    assert "comment" not in site.server.status(SERVER)[0]


def test_another_user_of_the_connection_is_refused(site):
    with Connection(site.ports["server"], reserved=True) as c:
        assert c.ask(queue_job("76.far")).code == 0
        assert (c.ask(commit("76.far", user=str(USER1))).code, c.is_closed()) == (15019, True)
    assert site.server.status(JOB, "76.far@" + site.host) == []


def test_an_ordinary_port_is_no_server(site):
    with Connection(site.ports["server"]) as c:
        assert (c.ask(queue_job("77.far")).code, c.is_closed()) == (15019, True)


def test_root_over_the_local_socket_is_none(site):
    c = open_local(site.home + "/ipc/server.sock")
    assert c.ask(queue_job("78.far")).code == 15004
    hang_up(c)


def test_a_host_of_vnodes_is_none(site, far):
    with far.inside():
        with Connection(site.ports["server"], reserved=True, host=far.here) as c:
            assert (c.ask(queue_job("79.far")).code, c.is_closed()) == (15019, True)


def test_a_trusted_host_is_one(far):
    class Trusts(Site):
        more = {"PBS_TRUSTED_HOSTS": far.there}

    with Trusts(vnodes=0) as c:
        with far.inside():
            with Connection(c.ports["server"], reserved=True, host=far.here) as far_server:
                assert far_server.ask(queue_job("80.far")).code == 0
                assert far_server.ask(commit("80.far")).code == 0
        c.server.expect(JOB, {"job_state": "Q", "Job_Owner": OWNER}, id="80.far@" + c.host)


def test_reserved_ports_may_be_turned_off():
    class Keyed(Site):
        methods = "clusterkey"

    with Keyed(vnodes=0) as c:
        with Connection(c.ports["server"], reserved=True) as server:
            assert (server.ask(queue_job("81.far")).code, server.is_closed()) == (15019, True)
