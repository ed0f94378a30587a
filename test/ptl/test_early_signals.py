# SPDX-License-Identifier: Apache-2.0
"""A signal that reaches a daemon early, before it has said that it is ready, waits: the daemon
starts, and then does what the signal means."""
import os
import signal
import subprocess

import pytest

from holdfast import *
from holdfast.services import wait_for


def pending_hangup():
    """In the new process: a SIGHUP that is sent before the first line of the daemon runs."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    os.kill(os.getpid(), signal.SIGHUP)


def start_with_hangup(service):
    with open(os.path.join(service.cluster.root, "early.out"), "ab") as out:
        service.process = subprocess.Popen(service.argv(), stdin=subprocess.DEVNULL, stdout=out,
                                           stderr=out, env=service.env(), cwd="/",
                                           start_new_session=True, preexec_fn=pending_hangup)
    service.wait_up()


@pytest.mark.parametrize("name, words", [
    ("comm", "hup_me, Caught signal 1"),
    ("mom", "catch_hup;caught signal 1"),
])
def test_it_is_taken_when_the_daemon_is_ready(cluster, name, words):
    service = getattr(cluster, name)
    service.stop()
    before = sum(words in line for line in service.log_lines())
    start_with_hangup(service)
    wait_for("the signal", lambda: sum(words in line for line in service.log_lines()) > before)
    assert service.is_up()
    cluster.wait_nodes()


def is_pending(pid):
    with open("/proc/%d/status" % pid) as f:
        status = dict(line.rstrip("\n").split(":", 1) for line in f)
    return any(int(status[mask], 16) & 1 << signal.SIGHUP - 1 for mask in ("SigPnd", "ShdPnd"))


@pytest.mark.parametrize("name", ["server", "scheduler"])
def test_it_does_not_wait_for_ever(cluster, name):
    service = getattr(cluster, name)
    service.stop()
    start_with_hangup(service)
    wait_for("the signal to be taken", lambda: not is_pending(service.process.pid))
    cluster.wait_nodes()
    assert service.is_up()
