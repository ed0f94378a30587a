# SPDX-License-Identifier: Apache-2.0
"""A name service that does not answer: whoever needs it waits, and nobody else."""
import os
import select
import subprocess

import pytest

from holdfast import *
from holdfast.services import Server
from test_long_requests import Caller

from holdfast.peer import attrs
from holdfast.wire import string

QUEUE_JOB, STATUS_SERVER = 1, 21
CC = os.environ.get("CC", "cc").split()

# Stands before the C library: what it is asked about this user, or about a host whose name
# ends in ".slow", it never answers, as long as a file is there.
SLOW = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void wait_for_service(const char *name)
{
    while ((strcmp(name, getenv("SLOW_USER")) == 0 || strstr(name, ".slow")) && access(getenv("SLOW_FILE"), F_OK) == 0)
        usleep(10000);
}
struct passwd *getpwnam(const char *name)
{
    struct passwd *(*real)(const char *);
    wait_for_service(name);
    *(void **)&real = dlsym(RTLD_NEXT, "getpwnam");
    return real(name);
}
int getpwnam_r(const char *name, struct passwd *pw, char *buf, size_t n, struct passwd **ret)
{
    int (*real)(const char *, struct passwd *, char *, size_t, struct passwd **);
    wait_for_service(name);
    *(void **)&real = dlsym(RTLD_NEXT, "getpwnam_r");
    return real(name, pw, buf, n, ret);
}
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **ret)
{
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    wait_for_service(host ? host : "");
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    return real(host, service, hints, ret);
}
"""


class SlowServer(Server):
    """Its own environment: the others have good services."""

    def start(self, how=None):
        plain = self.cluster.env
        self.cluster.env = lambda: dict(plain(), LD_PRELOAD=self.cluster.slow_so, SLOW_USER=USER1,
                                        SLOW_FILE=self.cluster.slow_file)
        try:
            super().start(how)
        finally:
            self.cluster.env = plain


class SlowCluster(Cluster):
    def __init__(self):
        super().__init__(alone=True)
        self.slow_so = os.path.join(self.root, "slow.so")
        self.slow_file = self.write("slow", "")
        source = self.write("slow.c", SLOW)
        subprocess.run(CC + ["-shared", "-fPIC", "-o", self.slow_so, source, "-ldl"], check=True)
        self.server = SlowServer(self)


pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: a second account")


def submit(caller):
    caller.send(QUEUE_JOB, string("") + string("workq") + attrs(("Hold_Types", None, "u", 0)), ":C:")


def is_answered(caller):
    return bool(select.select([caller.c.s], [], [], 0)[0])


def test_only_who_needs_the_answer_waits():
    with SlowCluster() as c:
        c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        slow, other = [Caller(c, USER1) for _ in range(20)], Caller(c, USER2)
        for caller in slow:
            submit(caller)
        submit(other)
        assert other.c.receive().choice == 4  # a job of somebody whose groups are known
        assert other.ask(STATUS_SERVER, string("") + "+0").code == 0
        assert not any(is_answered(s) for s in slow)
        slow.pop().c.s.close()  # one does not wait
        os.unlink(c.slow_file)
        for caller in slow:
            assert caller.c.receive().choice == 4
        total = c.server.status(SERVER)[0]["total_jobs"]
        assert int(total) == len(slow) + 1  # not that of the one that went


@pytest.mark.parametrize("line, words", [
    ("create node n1.slow", "Unknown node"),
    ("set server managers += bob@far.slow", "Access from host not allowed"),
    ("set sched default sched_host = far.slow", "Illegal attribute or resource value"),
])
def test_a_host_that_nobody_knows_delays_only_who_names_it(line, words):
    with SlowCluster() as c:
        other = Caller(c, USER2)
        waiting = subprocess.Popen(["qmgr", "-c", line], env=c.env(), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            c.server.log_match("Type 9 request received")
            for _ in range(20):
                assert other.ask(STATUS_SERVER, string("") + "+0").code == 0
            assert waiting.poll() is None
            os.unlink(c.slow_file)
            assert words in waiting.communicate(timeout=20)[0]
        finally:
            waiting.kill()
            waiting.wait()
