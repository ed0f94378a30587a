# SPDX-License-Identifier: Apache-2.0
"""Two servers on this host, alpha and beta, each with its own scheduler and vnode."""
import signal
import threading

import pytest

from .cluster import Cluster
from .constants import *
from .services import parse_full
from .users import ROOTLESS, USER1

needs_root = pytest.mark.skipif(ROOTLESS, reason="needs root: servers know each other by "
                                                 "reserved ports")


class Complex(Cluster):
    """One of the two, with a name of its own for this host."""

    methods = "clusterkey,resvport"
    other = None

    def __init__(self, name, **more):
        self.host = name + ".localhost"
        super().__init__(**dict(dict(vnodes=1, ncpus=4), **more))

    def write_conf(self, **more):
        super().write_conf(PBS_SUPPORTED_AUTH_METHODS=self.methods,
                           PBS_IFF_SERVERS=self.other.address, **more)

    @property
    def address(self):
        return "%s:%d" % (self.host, self.ports["server"])


@pytest.fixture(scope="module")
def pair():
    a, b = Complex("alpha"), Complex("beta")
    a.other, b.other = b, a
    with a, b:
        for c in (a, b):
            c.server.manager(MGR_CMD_SET, SERVER, {"job_history_enable": "True"})
        yield a, b


@pytest.fixture
def two(pair):
    """Both are up, and beta takes jobs and runs none."""
    for c in pair:
        c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        c.server.manager(MGR_CMD_SET, QUEUE, {"enabled": "True"}, id="workq")
    yield pair
    for c in pair:
        c.server.send_signal(signal.SIGCONT)
        c.no_jobs()


def qmove(c, to, jid, user=USER1):
    done = c.run(["qmove", to, jid], user=user, check=False)
    return done.returncode, done.stderr.strip()


def full(c, jid):
    """The job as that server shows it, history included; None."""
    done = c.run(["qstat", "-xf", jid + "@" + c.host], check=False)
    found = parse_full(done.stdout)
    return found[0] if found else None


def state(c, jid):
    job = full(c, jid)
    return job and job["job_state"]


def in_thread(fn):
    t = threading.Thread(target=fn)
    t.start()
    return t
