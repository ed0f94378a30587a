# SPDX-License-Identifier: Apache-2.0
"""A name service that does not answer: whoever needs it waits, and nobody else."""
import os
import pwd
import re
import resource
import select
import signal
import subprocess
from contextlib import contextmanager

import pytest

from holdfast import *
from holdfast.peer import attrs, extend, packet
from holdfast.services import Comm, MoM, Scheduler, Server, wait_for
from holdfast.stranger import (COMMIT, MOVE_FILE, StrangeServer, copy_files, group_of, only_mom,
                               queue_job, request, script)
from holdfast.wire import Connection, number, open_as, string, vouching
from story import Gate, script_until
from test_long_requests import Caller

QUEUE_JOB, STATUS_SERVER = 1, 21
CC = os.environ.get("CC", "cc").split()

# Stands before the C library. While there is a file with that name in the folder PBS_TEST_SLOW, nobody
# gets an answer about a host, address, user or uid, nobody starts Python ("python"), and
# nobody opens a file of a directory ("file"); who asks in vain leaves NAME.asked. Hosts whose names end in ".there" have the
# address PBS_TEST_THERE.
SLOW = r"""
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <pwd.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define REAL(name) *(void **)&real = dlsym(RTLD_NEXT, name)
static void wait_for_service(const char *name)
{
    char path[4096], asked[4096 + 8];
    snprintf(path, sizeof(path), "%s/%s", getenv("PBS_TEST_SLOW"), name);
    if (access(path, F_OK) == 0)
        close(open(strcat(strcpy(asked, path), ".asked"), O_CREAT | O_WRONLY, 0644));
    while (access(path, F_OK) == 0)
        usleep(10000);
}
struct passwd *getpwnam(const char *name)
{
    struct passwd *(*real)(const char *);
    wait_for_service(name);
    REAL("getpwnam");
    return real(name);
}
int getpwnam_r(const char *name, struct passwd *pw, char *buf, size_t n, struct passwd **ret)
{
    int (*real)(const char *, struct passwd *, char *, size_t, struct passwd **);
    wait_for_service(name);
    REAL("getpwnam_r");
    return real(name, pw, buf, n, ret);
}
int getpwuid_r(uid_t uid, struct passwd *pw, char *buf, size_t n, struct passwd **ret)
{
    int (*real)(uid_t, struct passwd *, char *, size_t, struct passwd **);
    char key[24];
    snprintf(key, sizeof(key), "uid %u", (unsigned)uid);
    wait_for_service(key);
    REAL("getpwuid_r");
    return real(uid, pw, buf, n, ret);
}
int getservbyname_r(const char *name, const char *proto, struct servent *se, char *buf, size_t n, struct servent **ret)
{
    int (*real)(const char *, const char *, struct servent *, char *, size_t, struct servent **);
    wait_for_service("services");
    REAL("getservbyname_r");
    return real(name, proto, se, buf, n, ret);
}
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **ret)
{
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    const char *end = host ? strstr(host, ".there") : NULL;
    wait_for_service(host ? host : "");
    REAL("getaddrinfo");
    return real(end && !end[6] ? getenv("PBS_TEST_THERE") : host, service, hints, ret);
}
int getnameinfo(const struct sockaddr *a, socklen_t len, char *host, socklen_t host_len, char *service,
                socklen_t service_len, int flags)
{
    int (*real)(const struct sockaddr *, socklen_t, char *, socklen_t, char *, socklen_t, int);
    char key[INET_ADDRSTRLEN] = "";
    if (a->sa_family == AF_INET && !(flags & NI_NUMERICHOST))
        wait_for_service(inet_ntop(AF_INET, &((const struct sockaddr_in *)a)->sin_addr, key, sizeof(key)));
    REAL("getnameinfo");
    return real(a, len, host, host_len, service, service_len, flags);
}
int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *files,
                 const posix_spawnattr_t *how, char *const argv[], char *const envp[])
{
    int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                char *const[], char *const[]);
    wait_for_service("python");
    REAL("posix_spawnp");
    return real(pid, file, files, how, argv, envp);
}
int openat(int dir, const char *path, int flags, ...)
{
    int (*real)(int, const char *, int, ...);
    va_list ap;
    mode_t mode;
    va_start(ap, flags);
    mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    wait_for_service("file");
    REAL("openat");
    return real(dir, path, flags, mode);
}
"""


class Slow:
    """A daemon with an environment of its own: the others have good services."""

    def slow_dir(self):
        return os.path.join(self.cluster.root, "slow." + self.name)

    def start(self, *args, **how):
        plain = self.cluster.env
        os.makedirs(self.slow_dir(), exist_ok=True)
        self.cluster.env = lambda: dict(plain(), LD_PRELOAD=self.cluster.slow_so,
                                        PBS_TEST_SLOW=self.slow_dir(), PBS_TEST_THERE=self.cluster.there)
        try:
            super().start(*args, **how)
        finally:
            self.cluster.env = plain

    def is_slow(self, name):
        self.cluster.write(os.path.join(self.slow_dir(), name), "")

    def answers(self, name):
        os.unlink(os.path.join(self.slow_dir(), name))

    def asks(self, name):
        """Wait until it asks in vain for a name that is_slow()."""
        asked = os.path.join(self.slow_dir(), name + ".asked")
        wait_for("a question for " + name, lambda: os.path.exists(asked))
        os.unlink(asked)


class SlowServer(Slow, Server):
    pass


class SlowMoM(Slow, MoM):
    pass


class SlowComm(Slow, Comm):
    pass


class SlowScheduler(Slow, Scheduler):
    pass


class SlowCluster(Cluster):
    def __init__(self, slow="", there="127.0.0.1", conf=None, **more):
        super().__init__(**dict(dict(alone=True), **more))
        self.there = there
        self.conf_more = dict({"PBS_SUPPORTED_AUTH_METHODS": "clusterkey,resvport"}, **(conf or {}))
        self.slow_so = os.path.join(self.root, "slow.so")
        source = self.write("slow.c", SLOW)
        subprocess.run(CC + ["-shared", "-fPIC", "-o", self.slow_so, source, "-ldl"], check=True)
        self.server, self.mom, self.comm = SlowServer(self), SlowMoM(self), SlowComm(self)
        self.scheduler = SlowScheduler(self)
        os.mkdir(self.server.slow_dir())
        if slow:
            self.is_slow(slow)

    def write_conf(self, **more):
        super().write_conf(**dict(self.conf_more, **more))

    def is_slow(self, name):
        self.server.is_slow(name)

    def answers(self, name):
        self.server.answers(name)


pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: a second account")


def is_served(caller):
    """As if there were nobody else."""
    for _ in range(20):
        assert caller.ask(STATUS_SERVER, string("") + "+0").code == 0


def submit(caller, n=1):
    """So many jobs, in one piece: who is not read from must not keep the test waiting."""
    message = ("+2+2" + number(QUEUE_JOB) + string(caller.user) + string("") + string("workq")
               + attrs(("Hold_Types", None, "u", 0)) + extend(":C:"))
    caller.c.s.sendall(n * packet(message))


def is_answered(caller):
    return bool(select.select([caller.c.s], [], [], 0)[0])


def test_only_who_needs_the_answer_waits():
    with SlowCluster(USER1) as c:
        c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        slow, other = [Caller(c, USER1) for _ in range(20)], Caller(c, USER2)
        for caller in slow:
            submit(caller)
        submit(other)
        assert other.c.receive().choice == 4  # a job of somebody whose groups are known
        assert other.ask(STATUS_SERVER, string("") + "+0").code == 0
        assert not any(is_answered(s) for s in slow)
        slow.pop().c.s.close()  # one does not wait
        c.answers(USER1)
        for caller in slow:
            assert caller.c.receive().choice == 4
        total = c.server.status(SERVER)[0]["total_jobs"]
        assert int(total) == len(slow) + 1  # not that of the one that went


CROWD, MOST_WAITING, REFUSED = 1000, 100, 15004


@contextmanager
def many_files():
    """A connection of this process is a file of it."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], min(CROWD + 500, before[1])), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def one_of_many(c):
    """The server takes connections up in its own time."""
    def connect():
        try:
            return Caller(c, USER1)
        except BlockingIOError:
            return None

    return wait_for("a connection", connect)


def is_refused(caller):
    reply = caller.c.receive()
    return reply.code == REFUSED and reply.text.endswith(": too many long requests at a time")


def waits(c, caller, other):
    """It asks once more. Who is refused is answered before others ask again."""
    def received():
        return len([line for line in c.server.log_lines()
                    if "Type 1 request received from " + USER1 in line])

    before = received()
    submit(caller)
    wait_for("the request", lambda: received() > before)
    is_served(other)
    return not (is_answered(caller) and is_refused(caller))


def test_a_thousand_requests_of_one_user_stop_nobody_else():
    """The first hundred wait, the others are told. Who leaves makes room for another one."""
    with many_files(), SlowCluster(USER1, conf={"PBS_LIMIT_USER_CONNECTIONS": str(CROWD + 100)}) as c:
        c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        other = Caller(c, USER2)
        crowd = [one_of_many(c) for _ in range(CROWD)]
        for caller in crowd:
            submit(caller)
        wait_for("the refusals", lambda: sum(map(is_answered, crowd)) == CROWD - MOST_WAITING)
        refused = [caller for caller in crowd if is_answered(caller)]
        waiting = [caller for caller in crowd if caller not in refused]
        assert all(is_refused(caller) for caller in refused)
        is_served(other)
        is_served(refused[0])
        submit(other)
        assert other.c.receive().choice == 4
        assert not waits(c, refused[0], other)
        for _ in range(MOST_WAITING // 2):
            waiting.pop().c.s.close()
        wait_for("room for another one", lambda: waits(c, refused[0], other))
        for caller in refused[1:MOST_WAITING // 2]:
            assert waits(c, caller, other)
        assert not waits(c, refused[-1], other)
        c.answers(USER1)
        for caller in waiting + refused[:MOST_WAITING // 2]:
            assert caller.c.receive().choice == 4
        total = c.server.status(SERVER)[0]["total_jobs"]
        assert int(total) == MOST_WAITING + 1  # nobody's who went, or was refused


def test_a_thousand_requests_on_one_connection_wait_behind_the_first():
    with SlowCluster(USER1) as c:
        c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        slow, other = Caller(c, USER1), Caller(c, USER2)
        submit(slow, CROWD)
        is_served(other)
        is_served(Caller(c, USER2))
        assert not is_answered(slow)
        c.answers(USER1)
        numbers = [int(slow.c.receive().ids[0].split(".")[0]) for _ in range(CROWD)]
        assert numbers == sorted(numbers)


@pytest.mark.parametrize("host, line, words", [
    ("n1.slow", "create node n1.slow", "Unknown node"),
    ("far.slow", "set server managers += bob@far.slow", "Access from host not allowed"),
    ("far.slow", "set sched default sched_host = far.slow", "Illegal attribute or resource value"),
])
def test_a_host_that_nobody_knows_delays_only_who_names_it(host, line, words):
    with SlowCluster(host) as c:
        other = Caller(c, USER2)
        waiting = qmgr(c, line)
        try:
            c.server.log_match("Type 9 request received")
            is_served(other)
            assert waiting.poll() is None
            c.answers(host)
            assert words in waiting.communicate(timeout=20)[0]
        finally:
            waiting.kill()
            waiting.wait()


def qmgr(c, line):
    return subprocess.Popen(["qmgr", "-c", line], env=c.env(), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@pytest.mark.parametrize("what", ["file", "python"])
def test_a_hooks_body_delays_only_its_import(what):
    """A disk that hangs, and a Python that does not begin."""
    with SlowCluster() as c:
        c.run(["qmgr", "-c", "create hook h1"])
        body = c.write("h1.py", "x = 1\n")
        other = Caller(c, USER2)
        c.is_slow(what)
        before = len([line for line in c.server.log_lines() if "Type 9 request" in line])
        waiting = qmgr(c, "import hook h1 application/x-python default " + body)
        try:
            wait_for("the import", lambda: len([line for line in c.server.log_lines()
                                                if "Type 9 request" in line]) > before)
            is_served(other)
            assert waiting.poll() is None
            c.answers(what)
            assert waiting.communicate(timeout=20)[0] == ""
        finally:
            waiting.kill()
            waiting.wait()


def test_a_uid_without_an_answer_delays_only_its_own():
    """Several connections of it; one that leaves is not waited for."""
    slow_uid = "uid %d" % pwd.getpwnam(USER1).pw_uid
    with SlowCluster() as c:
        other = Caller(c, USER2)
        c.is_slow(slow_uid)
        slow = [Caller(c, USER1) for _ in range(10)]
        for caller in slow:
            caller.send(STATUS_SERVER, string("") + "+0")
        slow.pop().c.s.close()
        is_served(other)
        is_served(Caller(c, USER2))
        assert c.server.status(SERVER)
        assert not any(is_answered(s) for s in slow)
        c.answers(slow_uid)
        for caller in slow:
            assert caller.c.receive().code == 0
            is_served(caller)


def test_root_gets_in_whatever_the_service_does():
    with SlowCluster() as c:
        c.is_slow("uid 0")
        assert c.server.status(SERVER)


def test_an_account_that_is_vouched_for_delays_only_its_own():
    """The kernel is asked whose socket that is, and the name service what uid it ought to be."""
    with SlowCluster() as c:
        other = Caller(c, USER2)
        c.is_slow(USER1)
        client = Connection(c.ports["server"], user=USER1)
        assert client.connect(USER1).code == 0
        with Connection(c.ports["server"], reserved=True) as helper:
            helper.send(vouching(USER1, client.port))
            c.server.log_match("Type 95 request received")
            is_served(other)
            assert not select.select([helper.s], [], [], 0)[0]
            c.answers(USER1)
            assert helper.receive().code == 0
        assert client.ask("+2+2" + number(STATUS_SERVER) + string(USER1) + string("") + "+0+0").code == 0
        log = [line for line in c.server.log_lines() if "Type 95 request" in line]
        assert len(log) == 1  # served again, and told once


@pytest.mark.parametrize("slow", ["10.0.0.2", "far.there"])
def test_a_clients_host_delays_only_that_client(far, slow):
    """What its address is called, and whether a trusted host has it."""
    with SlowCluster(slow, there=far.there, conf={"PBS_TRUSTED_HOSTS": "far.there"}) as c:
        other = Caller(c, USER2)
        port = c.ports["server"]
        with far.inside():
            client, helper = Connection(port, user=USER1, host=far.here), \
                Connection(port, reserved=True, host=far.here)
            third = Connection(port, reserved=True, host=far.here)
        with client, helper, third:
            assert client.connect(USER1).code == 0
            helper.send(vouching(USER1, client.port))
            third.send(vouching(USER1, client.port))
            c.server.log_match("Type 95 request received")
            third.s.close()
            is_served(other)
            assert not select.select([helper.s], [], [], 0)[0]
            c.answers(slow)
            assert helper.receive().code == 0
            assert client.ask("+2+2" + number(STATUS_SERVER) + string(USER1) + string("")
                              + "+0+0").code == 0


def far_root(c, far):
    with far.inside():
        return open_as(c.ports["server"], "root", far.here)


def is_waiting(c, request, caller):
    """The server has read it, and has not answered."""
    c.server.log_match("Type %d request received from root@" % request)
    return not select.select([caller.s], [], [], 0)[0]


def test_a_schedulers_host_delays_only_that_scheduler(far):
    with SlowCluster(there=far.there) as c:
        c.server.manager(MGR_CMD_CREATE, NODE, {"Port": 1}, id=far.there)
        c.server.manager(MGR_CMD_CREATE, SCHED, {}, id="other")
        c.server.manager(MGR_CMD_SET, SCHED, {"sched_host": "far.there"}, id="other")
        c.is_slow("far.there")
        other = Caller(c, USER2)
        with far_root(c, far) as first:
            first.send("+2+2" + number(98) + string("root") + string("other") + "+0")
            assert is_waiting(c, 98, first)
            is_served(other)
            c.answers("far.there")
            assert first.receive().code == 0


def test_a_moms_host_delays_only_the_clients_that_it_may_be(far):
    """Hosts of MoMs may be let in, and nobody knows where one of them is."""
    with SlowCluster(there=far.there, conf={"PBS_TRUSTED_HOSTS": far.there}) as c:
        c.server.manager(MGR_CMD_CREATE, NODE, {"Port": 1}, id="far.there")
        c.server.manager(MGR_CMD_SET, SERVER, {"acl_host_enable": "True", "acl_hosts": "localhost",
                                               "acl_host_moms_enable": "True"})
        c.is_slow("far.there")
        c.server.restart()
        other = Caller(c, USER2)
        with far_root(c, far) as client:
            client.send("+2+2" + number(STATUS_SERVER) + string("root") + string("") + "+0+0")
            assert is_waiting(c, STATUS_SERVER, client)
            is_served(other)
            c.answers("far.there")
            assert client.receive().code == 0


def test_a_moms_hello_waits_alone():
    with SlowCluster(alone=False, vnodes=1) as c:
        c.mom.stop()
        c.server.manager(MGR_CMD_DELETE, NODE, id="@default")
        c.server.manager(MGR_CMD_CREATE, NODE, {"Port": c.ports["mom"]}, id="mom.there")
        c.is_slow("mom.there")
        c.server.restart()
        c.mom.start()
        other = Caller(c, USER2)
        c.mom.log_match("HELLO sent to server")
        is_served(other)
        assert "down" in c.server.status(NODE, id="mom.there")[0]["state"]
        c.answers("mom.there")
        c.server.expect(NODE, {"state": "free"}, id="mom.there")


def test_the_mailers_account_delays_only_the_letter():
    with SlowCluster("daemon", alone=False, vnodes=1, conf={"PBS_MAIL_USER": "daemon"}) as c:
        letter = os.path.join(c.root, "tmp", "letter")
        c.mails_by('#!/bin/sh\ncat > "%s"\nmv "%s" "%s.done"\n' % ((letter,) * 3))
        rid = c.server.submit(Reservation(select="1:ncpus=1", start=3600, duration=600,
                                          options=["-m", "c", "-M", "joe@there"]))
        c.server.expect(RESV, {"reserve_state": (MATCH_RE, "RESV_CONFIRMED|2")}, id=rid)
        is_served(Caller(c, USER2))
        assert not os.path.exists(letter + ".done")
        c.answers("daemon")
        wait_for("the letter", lambda: os.path.exists(letter + ".done"))


def test_a_routers_host_delays_nobody():
    """The way to a router that is not there is tried again and again."""
    def tries():
        return sum("Connecting to pbs_comm router.there" in line for line in c.server.log_lines())

    with SlowCluster(conf={"PBS_LEAF_ROUTERS": "router.there:1"}) as c:
        other = Caller(c, USER2)
        wait_for("an attempt", tries)
        c.is_slow("router.there")
        n = tries()
        wait_for("another attempt", lambda: tries() > n)
        is_served(other)
        c.answers("router.there")
        wait_for("further attempts", lambda: tries() > n + 1)


def test_a_mom_finds_its_server_while_nobody_tells_where_it_is():
    """A name service and a server that are away together stop no job of the host."""
    with SlowCluster(alone=False, vnodes=1) as c:
        c.server.expect(NODE, {"state": "free"}, id=c.host)
        c.mom.is_slow("127.0.0.1")
        c.server.restart()
        c.server.expect(NODE, {"state": "free"}, id=c.host)
        jid = c.server.submit(Job(USER1, script="exit 7\n"))
        assert "Exit_status=7" in c.server.accounting_match(";E;%s;" % jid)
        c.mom.answers("127.0.0.1")
        c.server.restart()
        c.server.expect(NODE, {"state": "free"}, id=c.host)


def test_a_scheduler_hears_signals_while_nobody_tells_where_its_server_is():
    with SlowCluster(alone=False, vnodes=1) as c:
        c.scheduler.stop()
        c.scheduler.is_slow("127.0.0.1")
        c.scheduler.start()
        c.scheduler.asks("127.0.0.1")
        c.scheduler.stop()
        c.scheduler.start()
        c.scheduler.asks("127.0.0.1")
        c.scheduler.answers("127.0.0.1")
        jid = c.server.submit(Job(USER1, script="exit 7\n"))
        assert "Exit_status=7" in c.server.accounting_match(";E;%s;" % jid)


def test_an_account_delays_only_the_start_of_its_own_jobs():
    with SlowCluster(alone=False, vnodes=1) as c:
        c.mom.is_slow(USER1)
        slow = c.server.submit(Job(USER1, attrs={"Resource_List.select": "1:ncpus=1"}, script="exit 3\n"))
        c.server.expect(JOB, {"job_state": "R"}, id=slow)
        other = c.server.submit(Job(USER2, attrs={"Resource_List.select": "1:ncpus=1"}, script="exit 7\n"))
        assert "Exit_status=7" in c.server.accounting_match(";E;%s;" % other)
        c.server.expect(JOB, {"job_state": "R", "substate": 41}, id=slow)
        c.mom.answers(USER1)
        assert "Exit_status=3" in c.server.accounting_match(";E;%s;" % slow)


def test_an_account_delays_only_the_files_of_its_own_jobs():
    with SlowCluster(alone=False, vnodes=1) as c:
        gate = Gate(c)
        slow = c.server.submit(Job(USER1, attrs={"Resource_List.select": "1:ncpus=1"},
                                   script=script_until(gate.path) + "exit 3\n"))
        c.server.expect(JOB, {"job_state": "R", "substate": 42}, id=slow)
        c.mom.is_slow(USER1)
        gate.open()
        c.mom.log_match("copy file request received")
        other = c.server.submit(Job(USER2, attrs={"Resource_List.select": "1:ncpus=1"}, script="exit 7\n"))
        assert "Exit_status=7" in c.server.accounting_match(";E;%s;" % other)
        assert not [line for line in c.server.accounting_lines() if ";E;%s;" % slow in line]
        c.mom.answers(USER1)
        assert "Exit_status=3" in c.server.accounting_match(";E;%s;" % slow)


def test_an_account_delays_only_its_own_job_with_output_of_an_earlier_run():
    """A server of another make brings what the job has written on another host."""
    def job(jid, user, text):
        return (queue_job(c, jid, user, group_of(user)), script(text),
                script("first\n", kind=MOVE_FILE, which=2), request(COMMIT, string(jid)))

    slow, other, jobs = "7.strange", "8.strange", os.path.join("mom_priv", "jobs")
    c = SlowCluster(alone=False, vnodes=1)
    try:
        only_mom(c)
        out = os.path.join(c.root, "tmp", "out")
        with StrangeServer(c) as server:
            server.hello()
            c.mom.is_slow(USER1)
            waiting = server.command(*job(slow, USER1, "#!/bin/sh\necho second\n"))
            assert server.ask(*job(other, USER2, "#!/bin/sh\nexit 7\n")) == (0, 4, other)
            assert server.ends(other) == 7
            server.forget(other)
            c.mom.answers(USER1)
            assert server.answer(waiting) == (0, 4, slow)
            assert server.ends(slow) == 0
            server.ask(copy_files(slow, USER1, 1, (1, slow + ".OU", "localhost:" + out)))
            with open(out) as f:
                assert f.read() == "first\nsecond\n"
            server.forget(slow)
            wait_for("no files of jobs", lambda: not os.listdir(os.path.join(c.home, jobs)))
    finally:
        c.__exit__(None, None, None)


def test_a_router_carries_packets_while_it_reads_its_settings():
    """It asks for the numbers of services; a second SIGHUP meanwhile is not lost."""
    def told(words):
        return sum(words in line for line in c.comm.log_lines())

    with SlowCluster(alone=False, vnodes=1) as c:
        c.comm.is_slow("services")
        settings = c.read("pbs.conf")
        # A port that no setting gives is looked for among the services.
        c.write("pbs.conf", re.sub("PBS_MANAGER_SERVICE_PORT=.*\n", "", settings))
        for n in 1, 2:
            c.comm.send_signal(signal.SIGHUP)
            wait_for("the signal", lambda: told("hup_me, Caught signal") == n)
            if n == 1:
                c.comm.asks("services")
        c.write("pbs.conf", settings)
        c.mom.restart()
        c.server.expect(NODE, {"state": "free"}, id=c.host)
        assert not told("Processed SIGHUP")
        c.comm.answers("services")
        wait_for("the settings to be read twice", lambda: told("Processed SIGHUP") == 2)
