# SPDX-License-Identifier: Apache-2.0
"""Jobs that do not want to end: whatever their processes do, a deletion ends, and nothing of their session is left."""
import os
import sys

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *

# Each says with a file that it is ready.
HEAD = """import ctypes, os, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def ready():
    open(sys.argv[1], "w").close()
def for_ever():
    while True:
        time.sleep(1000)
for s in (signal.SIGHUP, signal.SIGINT):
    signal.signal(s, signal.SIG_IGN)
"""

PROGRAMS = {
    # All of them stand.
    "stopped": """
if os.fork() == 0:
    os.kill(os.getpid(), signal.SIGSTOP)
    for_ever()
ready()
os.kill(os.getpid(), signal.SIGSTOP)
for_ever()
""",
    # SIGTERM is not heard, and the first process has ended.
    "without_its_leader": """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    while os.getppid() == os.getsid(0):
        time.sleep(0.01)
    ready()
    for_ever()
signal.signal(signal.SIGTERM, signal.SIG_DFL)
os.kill(os.getpid(), signal.SIGTERM)
""",
    # At the first signal each becomes another process again and again.
    "moving": """
def move(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    until = time.time() + 60
    while time.time() < until:
        if os.fork() != 0:
            os._exit(0)
signal.signal(signal.SIGTERM, move)
for _ in range(5):
    if os.fork() == 0:
        for_ever()
ready()
for_ever()
""",
    # A process that has left the session traces the first one, whose end it hears first and tells nobody.
    "traced": """
libc.prctl(0x59616d61, ctypes.c_ulong(-1 & (2 ** 64 - 1)), 0, 0, 0)
leader = os.getpid()
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    assert libc.ptrace(0x4206, leader, None, None) == 0, ctypes.get_errno()
    ready()
    time.sleep(120)
    os._exit(0)
for_ever()
""",
}


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=1) as c:
        c.server.manager(MGR_CMD_SET, QUEUE, {"kill_delay": 1}, id="workq")
        c.write("home/mom_priv/config", c.read("home/mom_priv/config") + "$min_check_poll 1\n$max_check_poll 1\n")
        c.mom.restart()
        c.wait_nodes()
        yield c


def of_session(session):
    """The processes of a session that have not ended."""
    left = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid) as f:
                fields = f.read().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            left.append(int(pid))
    return left


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_deletion_ends(site, name):
    program = site.write("tmp/%s.py" % name, HEAD + PROGRAMS[name])
    sign = os.path.join(site.root, "tmp", name + ".ready")
    jid = site.run(["qsub", "-k", "oe", "--", sys.executable, program, sign], user=USER1).stdout.strip()
    wait_for("the job", lambda: os.path.exists(sign))
    session = int(site.server.status(JOB, jid)[0]["session_id"])
    assert of_session(session)
    site.run(["qdel", jid], user=USER1)
    is_gone(site.server, JOB, jid)
    assert of_session(session) == []


def test_who_asks_to_be_traced_has_its_own_status(site):
    """The parent, which is the MoM's, becomes the tracer: a stop is no end."""
    program = site.write("tmp/traceme.py", HEAD + """
assert libc.ptrace(0, 0, None, None) == 0
os.execv("/bin/sh", ["sh", "-c", "kill -USR2 $$; exit 7"])
""")
    jid = site.run(["qsub", "-k", "oe", "--", sys.executable, program], user=USER1).stdout.strip()
    site.server.accounting_match(";E;%s;.* Exit_status=%d " % (jid, 256 + 12), regexp=True)
