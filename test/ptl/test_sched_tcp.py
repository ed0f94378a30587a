# SPDX-License-Identifier: Apache-2.0
"""Schedulers over TCP: who may register and from where, played byte by byte from this host
and from another one; and ours, which goes there when no local socket answers."""
import os
import shutil
import subprocess

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.wire import Connection, number, open_as, open_local, string
from test_auth import tls_setup

pytestmark = pytest.mark.skipif(ROOTLESS, reason="needs root: it is who registers")


def register(user, name="default"):
    return "+2+2" + number(98) + string(user) + string(name) + "+0"


def comment(user):
    """Manager: a comment for the server, which managers and schedulers may set."""
    return "+2+2+9" + string(user) + "+2+0+0+12+16+7comment+0+1x+0+0"


def hang_up(c):
    """When it is closed the server has forgotten it."""
    c.send("+2+22+59" + string("root"))
    assert c.is_closed()
    c.s.close()


class Site(Cluster):
    methods = "clusterkey,resvport"
    more = {}

    def write_conf(self, **more):
        super().write_conf(PBS_SUPPORTED_AUTH_METHODS=self.methods, **dict(self.more, **more))

    def start(self):
        super().start()
        # One that the server has never seen is told its configuration twice.
        self.server.log_match("Sched;default;scheduler connected")
        self.scheduler.stop()

    def free(self):
        """No scheduler is registered, or half registered."""
        def is_free():
            c = open_local(self.home + "/ipc/server.sock")
            if c.ask(register("root")).code:
                c.s.close()  # the server has closed it
                return False
            hang_up(c)
            return True
        wait_for("the end of the last registration", is_free)


@pytest.fixture(scope="module")
def site(far):
    """A node of that other host makes its reserved ports count, for vouching."""
    with Site(vnodes=0) as c:
        c.server.manager(MGR_CMD_CREATE, NODE, {"Port": 1}, id=far.there)
        yield c


def command(c):
    """The next one on a second connection; one of a single digit."""
    head = c.take(11)
    return c.take(head[10]).decode() if head else None


def both(site, user, name="default", host="127.0.0.1"):
    """Codes of the two registrations, and the first command."""
    first, second = (open_as(site.ports["server"], user, host) for _ in range(2))
    codes = [c.ask(register(user, name)).code for c in (first, second) if c]
    told = command(second) if codes == [0, 0] else None
    return first, second, codes, told


def test_root_over_tcp_registers(site):
    """Vouched for from a reserved port of this host: it gets commands and a scheduler's rights."""
    site.free()
    first, second, codes, told = both(site, "root")
    assert (codes, told) == ([0, 0], "+6")
    second.send("+0")
    site.server.log_match("scheduler connected")
    jid = site.server.submit(Job())
    assert command(second) in ("+1", "+9")
    assert first.ask(comment("root")).code == 0
    third = open_local(site.home + "/ipc/server.sock")
    assert (third.ask(register("root")).code, third.is_closed()) == (15230, True)
    hang_up(first)
    assert second.is_closed()
    site.server.log_match("scheduler disconnected")
    site.server.delete(jid)


@pytest.mark.parametrize("user", [USER1, USER2])
def test_others_do_not(site, user):
    c = open_as(site.ports["server"], user)
    assert (c.ask(register(user)).code, c.is_closed()) == (15007, True)


def test_a_reserved_port_alone_registers_nobody(site):
    with Connection(site.ports["server"], reserved=True) as c:
        assert (c.ask(register("root")).code, c.is_closed()) == (15019, True)


def far_codes(site, far, user="root", name="default"):
    with far.inside():
        first, second, codes, told = both(site, user, name, far.here)
    if told:
        hang_up(first)
    return codes, told


def test_another_host_is_refused_until_it_is_configured(site, far):
    """Its root is known, as a node's host makes its reserved ports count, and that is not
    enough; sched_host names the host, and only for that scheduler."""
    assert far_codes(site, far) == ([15007, 15007], None)
    site.server.manager(MGR_CMD_CREATE, SCHED, {}, id="other")
    site.server.manager(MGR_CMD_SET, SCHED, {"sched_host": far.there}, id="other")
    assert far_codes(site, far) == ([15007, 15007], None)
    assert far_codes(site, far, name="other") == ([0, 0], "+6")
    assert far_codes(site, far, USER1, "other") == ([15007, 15007], None)


def test_both_connections_come_from_one_host(site, far):
    site.server.manager(MGR_CMD_SET, SCHED, {"sched_host": far.there}, id="default")
    site.free()
    here = open_as(site.ports["server"], "root")
    assert here.ask(register("root")).code == 0
    with far.inside():
        there = open_as(site.ports["server"], "root", far.here)
    assert there.ask(register("root")).code == 15007
    hang_up(here)


def test_access_lists_do_not_stop_a_far_scheduler(site, far):
    site.server.manager(MGR_CMD_SET, SCHED, {"sched_host": far.there}, id="default")
    site.server.manager(MGR_CMD_SET, SERVER, {"acl_host_enable": "True"})
    site.free()
    with far.inside():
        first, second, codes, told = both(site, "root", host=far.here)
        ordinary = open_as(site.ports["server"], "root", far.here)
    assert (codes, told) == ([0, 0], "+6")
    assert first.ask(comment("root")).code == 0
    assert ordinary.ask("+2+22+21" + string("root") + "+0+0+0").code == 15008
    hang_up(first)
    site.server.manager(MGR_CMD_SET, SERVER, {"acl_host_enable": "False"})


def test_the_schedulers_user_and_trusted_hosts(far):
    """PBS_DAEMON_SERVICE_USER from PBS_TRUSTED_HOSTS; for anything else it is nobody special."""
    class Trusting(Site):
        more = {"PBS_TRUSTED_HOSTS": far.there, "PBS_DAEMON_SERVICE_USER": USER1}

    with Trusting(vnodes=0) as site:
        assert far_codes(site, far, USER1) == ([0, 0], "+6")
        site.free()
        assert far_codes(site, far, USER2) == ([15007, 15007], None)
        with far.inside():
            c = open_as(site.ports["server"], USER1, far.here)
        assert c.ask(comment(USER1)).code == 15007


# Ours.


def far_scheduler(site, far, name, **settings):
    """Our scheduler on the other host: home and settings of its own. (process, its log)"""
    home = os.path.join(site.root, name)
    for folder in ("", "sched_priv", "sched_logs", "ipc"):
        os.makedirs(os.path.join(home, folder), exist_ok=True)
    conf = dict(PBS_EXEC=site.exec_dir, PBS_HOME=home, PBS_SERVER=far.here,
                PBS_BATCH_SERVICE_PORT=site.ports["server"], **settings)
    path = site.write(name + ".conf", "".join("%s=%s\n" % kv for kv in conf.items()))
    log = os.path.join(home, "log")
    process = subprocess.Popen(
        far.argv([os.path.join(site.exec_dir, "sbin", "pbs_sched"), "-N", "-L", log]), cwd="/",
        stdin=subprocess.DEVNULL, env=dict(site.env(), PBS_CONF_FILE=path))
    return process, log


def wait_log(log, text):
    def has():
        if not os.path.exists(log):
            return False
        with open(log) as f:
            return text in f.read()
    wait_for("%s in %s" % (text, log), has)


@pytest.mark.parametrize("method", ["resvport", "munge", "resvport tls", "munge tls"])
def test_ours_on_another_host(far, munged, method):
    """It registers with the configured method, encrypted where that is asked for, starts
    jobs, and comes back when the server does."""
    auth, encrypt = (method.split() + [""])[:2]

    class Far(Site):
        methods = "clusterkey,resvport,munge"
        more = {"PBS_TRUSTED_HOSTS": far.there, "PBS_MUNGE_SOCKET": munged.socket,
                "PBS_ENCRYPT_METHOD": encrypt}

        def prepare(self):
            super().prepare()
            if encrypt:
                authority = os.path.join(self.root, "authority")
                tls_setup(self, "ca", authority)
                tls_setup(self, "host", authority, far.here, os.path.join(self.home, "tls"))

    with Far(vnodes=1) as site:
        process, log = far_scheduler(site, far, "far", PBS_AUTH_METHOD=auth,
                                     PBS_MUNGE_SOCKET=munged.socket, PBS_ENCRYPT_METHOD=encrypt)
        if encrypt:
            shutil.copytree(os.path.join(site.home, "tls"), os.path.join(site.root, "far", "tls"))
        try:
            jid = site.server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1"}))
            site.server.expect(JOB, {"job_state": "R"}, id=jid)
            wait_log(log, "Connected to the server")
            site.server.restart()
            second = site.server.submit(Job(attrs={"Resource_List.select": "1:ncpus=8"}))
            site.server.expect(JOB, {"comment": (MATCH_RE, "^Can Never Run: ")}, id=second)
        finally:
            process.terminate()
            assert process.wait(60) == 0


def test_ours_says_what_is_wrong(site, far):
    """Not a host for schedulers; the server is told by name."""
    site.server.manager(MGR_CMD_SET, SCHED, {"sched_host": "127.0.0.1"}, id="default")
    process, log = far_scheduler(site, far, "refused", PBS_AUTH_METHOD="resvport")
    try:
        wait_log(log, "Couldn't register the scheduler default with connected server")
    finally:
        process.terminate()
        assert process.wait(60) == 0


def test_ours_on_the_servers_host_without_its_socket(far):
    class NoSocket(Site):
        def start(self):
            super().start()
            super().write_conf(PBS_LOCAL_SOCKET="0", PBS_AUTH_METHOD="resvport")
            self.scheduler.start()

    with NoSocket(vnodes=1) as site:
        site.server.log_match("Type 95 request received from root@127.0.0.1")
        jid = site.server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1"}))
        site.server.expect(JOB, {"job_state": "R"}, id=jid)


@pytest.mark.parametrize("n", [1, 2])
def test_a_scheduler_whose_object_is_deleted(cluster, n):
    """Each of its connections ends, the server goes on, and it cannot register until there is an
    object of that name again (scheduling.md 8)."""
    server, path = cluster.server, cluster.home + "/ipc/server.sock"
    server.manager(MGR_CMD_CREATE, SCHED, {"partition": "p2"}, id="s2")
    ends = [open_local(path) for _ in range(n)]
    assert [c.ask(register("root", "s2")).code for c in ends] == [0] * n
    server.manager(MGR_CMD_DELETE, SCHED, {}, id="s2")
    for c in ends:
        assert len(c.take(1000)) < 1000, "the commands that were sent, and the end"
        c.s.close()
    late = open_local(path)
    assert late.ask(register("root", "s2")).code == 15213
    late.s.close()
    server.manager(MGR_CMD_CREATE, SCHED, {"partition": "p2"}, id="s2")
    again = open_local(path)
    assert again.ask(register("root", "s2")).code == 0
    again.s.close()
    jid = server.submit(Job())
    server.expect(JOB, {"job_state": "R"}, id=jid)
