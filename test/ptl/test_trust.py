# SPDX-License-Identifier: Apache-2.0
"""Whom daemons believe on the router network: a leaf's addresses are those of the host that its
connection comes from, and a MoM obeys the server's address and port."""
import socket

import pytest

from holdfast import *
from holdfast import hosts, wire
from holdfast.services import wait_for
from holdfast.tpp import Leaf

needs_root = pytest.mark.skipif(ROOTLESS, reason="needs root: reserved ports, namespaces")
REFUSAL = None if ROOTLESS else hosts.refusal()
needs_network = pytest.mark.skipif(REFUSAL is not None, reason="no network namespaces: %s" % REFUSAL)

PORT = 17001


def number(n):
    return wire.number(n).encode()


def text(s):
    return wire.string(s).encode()


IS = b"+4+4"
SHUTDOWN = IS + b"+9"

# Host 2 has a second address, and its name has both. That its name also has one of somebody
# else says nothing, because that address bears another name. 10.99.1.7 has no name.
HOSTS = """127.0.0.1 localhost
10.99.1.1 hub
10.99.1.2 one
10.99.2.2 two
10.99.2.3 two
10.99.1.9 stranger
10.99.1.9 two
"""


class Router:
    """pbs_comm alone, on host 0 of a network of three."""

    def __init__(self, methods):
        self.cluster = Cluster(vnodes=0, alone=True)
        self.network = hosts.Network(3, more=[(2, "10.99.2.3")])
        self.cluster.prepare()
        self.hub = self.network.hosts[0]
        self.hub.has_hosts(self.cluster.write("hosts", HOSTS))
        self.cluster.write_conf(
            PBS_COMM_NAME="10.99.1.1:%d" % PORT, PBS_LEAF_ROUTERS="10.99.1.1:%d" % PORT,
            PBS_SUPPORTED_AUTH_METHODS=methods, PBS_TRUSTED_HOSTS="10.99.1.2,10.99.2.2")
        self.comm = self.cluster.comm
        argv = self.comm.argv
        self.comm.argv = lambda: self.hub.inside() + argv()
        self.comm.wait_up = lambda: self.comm.log_match("Proxy Name:")
        self.comm.start()
        self.key = None
        if methods == "clusterkey":
            with open(self.cluster.home + "/cluster.key") as f:
                self.key = f.read().strip()

    def leaf(self, k, to="10.99.%d.1"):
        return Leaf(self.network.hosts[k].socket(), (to % k if "%" in to else to, PORT), self.key)

    def stop(self):
        self.comm.stop()
        self.network.stop()
        self.cluster.__exit__(None, None, None)


@pytest.fixture(scope="module", params=["resvport", "clusterkey"])
def router(request):
    r = Router(request.param)
    try:
        yield r
    finally:
        r.stop()


def joined(router, leaf, *texts):
    leaf.join(*texts)
    router.comm.log_match("Leaf registered address %s" % texts[0])
    return leaf


@needs_root
@needs_network
def test_a_leaf_has_the_addresses_of_its_host(router):
    """Those of another host, and those that nobody has, are left out; a message from one of
    them is a forgery."""
    with router.leaf(1) as victim, router.leaf(2) as liar:
        joined(router, victim, "10.99.1.2:15003")
        joined(router, liar, "10.99.2.2:15003", "10.99.1.2:15001", "10.99.1.1:15001",
               "10.99.1.7:15001", "127.0.0.1:15001", "10.99.1.9:15001")
        for text in ("10.99.1.2:15001", "10.99.1.1:15001", "10.99.1.7:15001", "127.0.0.1:15001",
                     "10.99.1.9:15001"):
            router.comm.log_match("Address %s is not known to be of the host of connection "
                                  "10.99.2.2:" % text)
            router.comm.log_match("Leaf registered address " + text, existence=False)
        liar.data("10.99.2.2:15003", "10.99.1.2:15003", b"true")
        assert victim.next_data() == ("10.99.2.2:15003", b"true")
        liar.data("10.99.1.1:15001", "10.99.1.2:15003", SHUTDOWN)
        assert liar.is_closed()
        router.comm.log_match("forged source address 10.99.1.1:15001")


@needs_root
@needs_network
@pytest.mark.parametrize("first", ["10.99.1.2:15003", "10.99.1.1:15001", "10.99.1.7:15003",
                                   "127.0.0.1:15003", "10.99.1.9:15003", "0.0.0.0:15003"])
def test_the_first_address_is_the_hosts_own(router, first):
    with router.leaf(2) as liar:
        liar.join(first, "10.99.2.2:15003")
        assert "Address %s is not known to be of the host of connection 10.99.2.2:" % first in \
            liar.refusal()


@needs_root
@needs_network
def test_nobody_ousts_the_leaf_of_another_host(router):
    with router.leaf(1) as victim, router.leaf(2) as liar, router.leaf(2) as friend:
        joined(router, victim, "10.99.1.2:15007")
        liar.join("10.99.1.2:15007", "10.99.2.2:15007")
        assert "is not known to be of" in liar.refusal()
        joined(router, friend, "10.99.2.2:15008")
        friend.data("10.99.2.2:15008", "10.99.1.2:15007", b"still there")
        assert victim.next_data() == ("10.99.2.2:15008", b"still there")


@needs_root
@needs_network
def test_a_host_may_have_several_addresses(router):
    """When their name has the address of the connection: also as the first, and also those of
    the router's own host, whose interfaces say so."""
    with router.leaf(2) as leaf, router.leaf(0, to="10.99.1.1") as local, router.leaf(1) as peer:
        joined(router, leaf, "10.99.2.3:15010", "10.99.2.2:15010")
        joined(router, local, "10.99.2.1:15011", "10.99.1.1:15011")
        joined(router, peer, "10.99.1.2:15012")
        for target, at in (("10.99.2.3:15010", leaf), ("10.99.2.2:15010", leaf),
                           ("10.99.2.1:15011", local), ("10.99.1.1:15011", local)):
            peer.data("10.99.1.2:15012", target, target.encode())
            assert at.next_data() == ("10.99.1.2:15012", target.encode())


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=1) as c:
        yield c


def cluster_leaf(site):
    with open(site.home + "/cluster.key") as f:
        return Leaf(socket.socket(), ("127.0.0.1", site.ports["comm"]), f.read().strip())


def test_a_mom_obeys_the_servers_port(site):
    """Any other leaf of the server's host is none: it may have the address."""
    port = site.ports["server"] + 7
    source, mom = "127.0.0.1:%d" % port, "127.0.0.1:%d" % site.ports["rm"]
    with cluster_leaf(site) as leaf:
        leaf.join(source)
        site.comm.log_match("Leaf registered address " + source)
        leaf.data(source, mom, SHUTDOWN)
        site.mom.log_match("bad connect from " + source)
        assert site.mom.is_up()
        jid = site.server.submit(Job(USER1, script="#!/bin/sh\nsleep 1000\n"))
        site.server.expect(JOB, {"job_state": "R"}, id=jid)
        leaf.data(source, mom, IS + number(13) + text(jid) + b"-1", src_sd=2)
        wait_for("a second refusal", lambda: sum(
            "bad connect from " + source in line for line in site.mom.log_lines()) == 2)
        site.server.expect(JOB, {"job_state": "R"}, id=jid)
        site.server.delete(jid)


def test_a_server_hears_a_mom_on_its_port(site):
    """A leaf that says it is the MoM of this host, and is at another port."""
    source = "127.0.0.1:%d" % (site.ports["server"] + 8)
    with cluster_leaf(site) as leaf:
        leaf.join(source)
        site.comm.log_match("Leaf registered address " + source)
        leaf.data(source, "127.0.0.1:%d" % site.ports["server"],
                  IS + number(22) + number(site.ports["mom"]))
        site.server.log_match("bad attempt to connect from %s, reason=tfind2:pmom" % source)
        site.server.expect(VNODE, {"state": "free"}, id="vn[0]")
