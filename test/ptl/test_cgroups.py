# SPDX-License-Identifier: Apache-2.0
"""Groups of jobs in the kernel ($cgroups): who is in them, and what becomes of them. What
needs controllers that a test machine may not have is shown on a tree of plain files."""
import os
import signal
import socket
import tempfile

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *
from test_mom import exit_status, seq


def cgroup2():
    """A directory of cgroup v2 where this user may make groups; None."""
    for path in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        if os.path.exists(path + "/cgroup.controllers") and os.access(path, os.W_OK):
            return path
    return None


pytestmark = pytest.mark.skipif(ROOTLESS, reason="needs root: a directory of cgroup v2")
KERNEL = pytest.mark.skipif(not cgroup2(), reason="no cgroup v2 on this machine")


HOST = socket.gethostname().split(".")[0]


def group_of(jid):
    return HOST + ":" + jid


def groups_in(path):
    return [name for name in os.listdir(path) if ":" in name]


@pytest.fixture
def groups():
    path = tempfile.mkdtemp(prefix="hf-ptl-", dir=cgroup2())
    yield path
    for name in groups_in(path):
        with open(os.path.join(path, name, "cgroup.kill"), "w") as f:
            f.write("1")

    def removed():
        try:
            for name in groups_in(path):
                os.rmdir(os.path.join(path, name))
        except OSError:
            return False
        os.rmdir(path)
        return True
    wait_for("the end of what the test has left", removed)


def use_groups(cluster, path, *words):
    cluster.write("home/mom_priv/config", "$cgroups %s\n" % " ".join((path,) + words))
    cluster.mom.restart()
    cluster.wait_nodes()


def members(group):
    with open(os.path.join(group, "cgroup.procs")) as f:
        return [int(pid) for pid in f.read().split()]


def gone(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


# It leaves its session for good, which is how processes escaped.
ESCAPES = ("#!/bin/sh\nsetsid sh -c 'echo $$ > %s; exec sleep 1000' </dev/null >/dev/null 2>&1 &\n"
           "%s\n")


@KERNEL
def test_a_job_has_a_group_until_it_ends(cluster, groups):
    use_groups(cluster, groups)
    note = cluster.write("tmp/escaped", "")
    os.chmod(note, 0o666)
    jid = cluster.server.submit(Job(attrs={"Job_Name": "grouped", "Join_Path": "oe"},
                                    script=ESCAPES % (note, "cat /proc/self/cgroup\n"
                                                      "until test -s %s; do sleep 0.1; done" % note)))
    assert exit_status(cluster.server, jid) == 0
    assert "/" + group_of(jid) in cluster.output(USER1, "grouped.o" + seq(jid))
    escaped = int(cluster.read("tmp/escaped"))
    wait_for("the end of what left the session", lambda: gone(escaped))
    wait_for("no group", lambda: not groups_in(groups))


@KERNEL
def test_groups_outlive_a_mom_and_not_their_job(cluster, groups):
    """A job goes on in its group under the next MoM; the group of a job that is on no
    record is emptied and removed."""
    use_groups(cluster, groups)
    stays, goes = (running_job(cluster.server, script="#!/bin/sh\nsleep 1000\n")
                   for _ in range(2))
    left = {jid: members(os.path.join(groups, group_of(jid))) for jid in (stays, goes)}
    assert all(left.values())
    cluster.mom.kill()
    for suffix in (".JB", ".SC"):
        os.unlink(os.path.join(cluster.home, "mom_priv/jobs", goes + suffix))
    cluster.mom.start()
    wait_for("one group", lambda: groups_in(groups) == [group_of(stays)])
    assert all(gone(pid) for pid in left[goes])
    assert not any(gone(pid) for pid in left[stays])
    cluster.server.delete(stays)
    wait_for("no group", lambda: not groups_in(groups))


@KERNEL
def test_the_kernel_counts_what_left_the_session(cluster, groups):
    """Processor time of a process that no sum over sessions has."""
    use_groups(cluster, groups)
    done = cluster.write("tmp/done", "")
    os.chmod(done, 0o666)
    burn = "import time\nwhile time.process_time() < 2: pass\nopen('%s', 'w').write('x')" % done
    jid = cluster.server.submit(Job(attrs={"Output_Path": "/dev/null", "Join_Path": "oe"}, script=(
        '#!/bin/sh\n(setsid /usr/bin/python3 -c "%s" &)\n'
        "until test -s %s; do sleep 0.2; done\n" % (burn, done))))
    line = cluster.server.accounting_match(";E;%s;" % jid)
    used = line.split("resources_used.cput=")[1].split()[0].split(":")
    assert int(used[2]) >= 2, line


def test_without_cgroup_v2_it_is_said_and_jobs_run(cluster):
    use_groups(cluster, os.path.join(cluster.root, "tmp"))
    cluster.mom.log_match("not available, jobs have no groups: %s is no directory of cgroup v2"
                          % os.path.join(cluster.root, "tmp"))
    jid = cluster.server.submit(Job(attrs={"Output_Path": "/dev/null", "Join_Path": "oe"},
                                    script="#!/bin/sh\nexit 3\n"))
    assert exit_status(cluster.server, jid) == 3


FILES = {"cgroup.procs": "", "cgroup.kill": "", "cpu.stat": "usage_usec 5000000\n",
         "memory.max": "", "memory.oom.group": "", "memory.peak": "8388608\n",
         "memory.events": "oom 1\noom_kill 1\n", "cpu.max": "", "cpuset.cpus": ""}


@pytest.fixture
def plain_tree(cluster):
    """Plain files where the kernel would have a directory with all controllers but pids, and
    in it the group of the first job, whose memory has come to its end."""
    group = os.path.join(cluster.root, "tree", group_of("0.localhost"))
    os.makedirs(group)
    for name, text in (("cgroup.controllers", "cpuset cpu memory\n"),
                       ("cgroup.subtree_control", ""), ("cpuset.cpus.effective", "0-7\n")):
        cluster.write("tree/" + name, text)
    for name, text in FILES.items():
        cluster.write(os.path.join("tree", os.path.basename(group), name), text)
    return group


def test_limits_are_those_of_the_job_and_the_end_is_told(cluster, plain_tree):
    use_groups(cluster, os.path.dirname(plain_tree))
    jid = cluster.server.submit(Job(attrs={
        "Job_Name": "full", "Resource_List.select": "1:ncpus=2:mem=8mb"},
        script="#!/bin/sh\nkill -9 $$\n"))
    assert exit_status(cluster.server, jid) == -27
    assert "=>> PBS: job killed: mem exceeded limit 8192kb of this host" in \
        cluster.output(USER1, "full.e" + seq(jid))
    line = cluster.server.accounting_match(";E;%s;" % jid)
    assert "resources_used.mem=8192kb" in line and "resources_used.cput=00:00:05" in line, line

    def written(name):
        return cluster.read(os.path.join("tree", group_of(jid), name)).split()
    assert written("memory.max") == [str(8 << 20)]
    assert written("cpu.max") == ["200000", "100000"]
    assert written("cpuset.cpus") == ["0-1"]
    assert written("cgroup.kill") == ["1"]
    assert cluster.read("tree/cgroup.subtree_control").split() == ["+cpuset"]


def test_limits_follow_a_hup(cluster, plain_tree):
    """Controllers and the number of processes hold for jobs that run, another directory does not."""
    tree = os.path.dirname(plain_tree)
    config = "home/mom_priv/config"
    use_groups(cluster, tree, "memory")
    jid = running_job(cluster.server, select="1:ncpus=2:mem=64mb", script="#!/bin/sh\nsleep 1000\n")

    def written(name):
        return cluster.read(os.path.join("tree", group_of(jid), name)).split()
    assert (written("memory.max"), written("cpu.max")) == ([str(64 << 20)], [])
    cluster.write(config, "$cgroups %s cpu cpuset\n" % tree)
    cluster.mom.send_signal(signal.SIGHUP)
    wait_for("other limits", lambda: written("cpuset.cpus") == ["0-1"])
    assert (written("memory.max"), written("cpu.max")) == (["max"], ["200000", "100000"])
    cluster.write(config, "$cgroups %s io\n" % tree)
    cluster.mom.send_signal(signal.SIGHUP)
    cluster.mom.log_match("keeping the old configuration")
    assert written("cpu.max") == ["200000", "100000"]
    cluster.write(config, "")
    cluster.mom.send_signal(signal.SIGHUP)
    cluster.mom.log_match("off is taken when the MoM is started again; until then jobs have the groups")
    assert written("cpu.max") == ["200000", "100000"]
    assert cluster.server.status(JOB, jid)[0]["job_state"] == "R"
    cluster.server.delete(jid)
    is_gone(cluster.server, JOB, jid)
    assert written("cgroup.kill") == ["1"]


def test_a_controller_that_is_missing_is_named(cluster, plain_tree):
    use_groups(cluster, os.path.dirname(plain_tree), "memory", "pids=50")
    cluster.mom.log_match("controller pids is not to be had in %s" % os.path.dirname(plain_tree))


def test_a_job_without_its_group_does_not_start(cluster, plain_tree):
    """The second job has no group, and plain files do not come with a directory."""
    use_groups(cluster, os.path.dirname(plain_tree))
    cluster.server.submit(Job(script="#!/bin/sh\nexit 0\n", attrs={
        "Output_Path": "/dev/null", "Join_Path": "oe"}))
    jid = cluster.server.submit(Job(script="#!/bin/sh\nexit 0\n"))
    cluster.mom.log_match("cannot set a limit of the group " + group_of(jid))
    cluster.server.delete(jid)
