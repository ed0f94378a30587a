# SPDX-License-Identifier: Apache-2.0
"""Steps that several suites of the reservation story share."""
import os
import re
import time

from holdfast import *
from holdfast.services import wait_for


def vnodes_of(text):
    """The vnodes of an exec_vnode or resv_nodes, in order."""
    return re.findall(r"[(+]([^:()+]+\[\d+\]|[^:()+]+):", text)


def resv_nodes(server, rid):
    return vnodes_of(server.status(RESV, rid)[0]["resv_nodes"])


def retry_soon(server, seconds=2):
    server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_time": seconds})


def running_resv(server, select="3:ncpus=2", duration=600, start=5, **kwargs):
    """A reservation that has started; its id."""
    rid = server.submit(Reservation(select=select, start=start, duration=duration, **kwargs))
    server.expect(RESV, {"reserve_state": "RESV_RUNNING", "reserve_substate": 5}, id=rid)
    return rid


def confirmed(server, **kwargs):
    """A reservation that a scheduler has said yes to, an hour from now; its id."""
    r = Reservation(interactive=60, **{"start": 3600, "duration": 600, **kwargs})
    rid = server.submit(r)
    assert r.answer == rid + " CONFIRMED", r.answer
    return rid


def window(server, rid):
    """Its start and its end, in seconds since the epoch."""
    resv = server.status(RESV, rid)[0]
    return tuple(int(time.mktime(time.strptime(resv["reserve_" + which])))
                 for which in ("start", "end"))


def queue_of(rid):
    return rid.split(".")[0]


def script_until(path):
    """A job script that runs until the file 'path' exists."""
    return "#!/bin/sh\necho begun\nwhile [ ! -e %s ]; do sleep 0.2; done\necho done\n" % path


class Gate:
    """A file that a job waits for."""

    def __init__(self, cluster, name="gate"):
        self.path = os.path.join(cluster.root, name)

    def open(self):
        with open(self.path, "w"):
            pass


def running_job(server, queue=None, select="1:ncpus=2", script=None, **attrs):
    """A job that runs with a known session; its id."""
    want = dict(attrs)
    want["Resource_List.select"] = select
    if queue:
        want["queue"] = queue
    jid = server.submit(Job(attrs=want, script=script))
    server.expect(JOB, {"job_state": "R", "substate": 42}, id=jid)
    return jid


def job_vnodes(server, jid):
    return vnodes_of(server.status(JOB, jid)[0]["exec_vnode"])


def is_gone(server, kind, oid):
    wait_for("%s is gone" % oid, lambda: not server.status(kind, oid))


def mom_has_registered(cluster):
    """The MoM that runs now has been greeted by the server, and takes signals; until then who asks
    something of its jobs is told that the server could not connect to it."""
    ready = "Mom pid = %d ready" % cluster.mom.process.pid

    def greeted():
        lines = cluster.mom.log_lines()
        at = [i for i, line in enumerate(lines) if ready in line]
        return at and any("ReplyHello" in line for line in lines[at[-1]:])
    wait_for("the greeting of the MoM", greeted)


def server_dies_amid_the_end(cluster, rid):
    """The end of the reservation has begun and cannot finish, because the MoM is killed; the
    server is killed, too, and started again."""
    server = cluster.server
    cluster.mom.kill()
    wait_for("the vnodes are down",
             lambda: all("down" in n["state"] for n in server.status(VNODE)))
    # Without its vnodes the reservation is altered by force only.
    cluster.run(["pbs_ralter", "-W", "force", "-E", Reservation.clock(1), "-I", "30", rid])
    server.expect(RESV, {"reserve_state": "RESV_BEING_DELETED"}, id=rid)
    server.kill()
    server.start()


def set_offline(server, vnode):
    server.manager(MGR_CMD_SET, NODE, {"state": "offline"}, id=vnode)


def set_free(server, vnode):
    server.manager(MGR_CMD_SET, NODE, {"state": "free"}, id=vnode)


def all_is_free(cluster):
    """Nothing is assigned anywhere, no vnode is held."""
    def settled():
        svr = cluster.server.status(SERVER)[0]
        used = [v for k, v in svr.items() if k.startswith("resources_assigned.")]
        nodes = cluster.server.status(VNODE)
        used += [v for n in nodes for k, v in n.items() if k.startswith("resources_assigned.")]
        return all(re.match(r"0\D*$", v) for v in used) and \
            all(n["state"] == "free" and "jobs" not in n for n in nodes)
    wait_for("everything free", settled)
