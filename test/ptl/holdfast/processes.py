# SPDX-License-Identifier: Apache-2.0
"""Processes of a job, told from those of jobs with the same id in other tests' clusters."""
import contextlib
import os


def processes_of_job(cluster, jid, name=None):
    """Pids on whichever host; with 'name' only of that program.

    Clusters of several tests run at a time, and each has a job 1.localhost: the environment has
    to name this cluster's directory, too.
    """
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open("/proc/%s/environ" % pid, "rb") as f:
                environ = f.read()
            with open("/proc/%s/comm" % pid) as f:
                comm = f.read().strip()
            if (b"PBS_JOBID=%s" % jid.encode() in environ.split(b"\0")
                    and cluster.root.encode() in environ and name in (None, comm)):
                found.append(int(pid))
    return found
