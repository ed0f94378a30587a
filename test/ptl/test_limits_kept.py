# SPDX-License-Identifier: Apache-2.0
"""Limits of a job's processes: what the kernel is told, and what the MoM sees to
(execution.md 17, 18)."""
import os
import re
import resource
import signal
import sys

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *
from test_mom import exit_status, seq, session_of


@pytest.fixture(scope="module")
def cluster():
    with Cluster(vnodes=2, ncpus=4) as c:
        yield c


NOWHERE = {"Output_Path": "/dev/null", "Join_Path": "oe"}


@pytest.fixture
def configured(cluster):
    """Lines for mom_priv/config, taken away again."""
    path = os.path.join(cluster.home, "mom_priv/config")
    with open(path) as f:
        before = f.read()

    def configure(*lines):
        with open(path, "w") as f:
            f.write(before + "".join(line + "\n" for line in lines))
        cluster.mom.restart()
        cluster.wait_nodes()
    yield configure
    with open(path, "w") as f:
        f.write(before)
    cluster.mom.restart()
    cluster.wait_nodes()


def as_nice(by):
    """What a job shows that asks for so much: it counts from what its MoM has, as we have."""
    return str(max(-20, min(19, os.nice(0) + by)))


def test_the_kernel_is_told(cluster):
    server = cluster.server
    jid = server.submit(Job(attrs={
        "Job_Name": "told", "Join_Path": "oe", "Resource_List.cput": "00:02:00",
        "Resource_List.pcput": "00:01:00", "Resource_List.file": "3mb",
        "Resource_List.pvmem": "4gb", "Resource_List.nice": 5},
        script="#!/bin/bash\nulimit -t; ulimit -f; ulimit -v; nice\n"))
    assert exit_status(server, jid) == 0
    assert cluster.output(USER1, "told.o" + seq(jid)).split() == \
        ["60", "3072", str(4 << 20), as_nice(5)]


@pytest.mark.skipif(ROOTLESS, reason="only root may raise limits")
def test_what_only_root_may_give(cluster):
    """A priority above that of others; and the soft limits of whoever has started the MoM are not those of jobs."""
    few = {resource.RLIMIT_MEMLOCK: 1 << 20, resource.RLIMIT_NPROC: 10000, resource.RLIMIT_FSIZE: 1 << 40}
    before = {kind: resource.getrlimit(kind) for kind in few}
    cluster.mom.stop()
    try:
        for kind, limit in few.items():
            resource.setrlimit(kind, (limit, before[kind][1]))
        cluster.mom.start()
    finally:
        for kind in few:
            resource.setrlimit(kind, before[kind])
    cluster.wait_nodes()
    jid = cluster.server.submit(Job(attrs={
        "Job_Name": "given", "Join_Path": "oe", "Resource_List.nice": -5},
        script="#!/bin/bash\nnice; ulimit -l; ulimit -u; ulimit -f\n"))
    assert exit_status(cluster.server, jid) == 0
    nice, *limits = cluster.output(USER1, "given.o" + seq(jid)).split()
    assert nice == as_nice(-5)
    for text, kind, unit in zip(limits, few, (1024, 1, 1024)):
        hard = before[kind][1]
        assert text == "unlimited" or (hard != resource.RLIM_INFINITY and int(text) >= hard // unit)


def test_processor_time_is_over(cluster):
    """The kernel ends a single process."""
    server = cluster.server
    jid = server.submit(Job(attrs=dict(NOWHERE, **{"Resource_List.cput": 1}),
                            script="#!/bin/sh\nexec sh -c 'while :; do :; done'\n"))
    assert exit_status(server, jid) in (256 + signal.SIGKILL, 256 + signal.SIGXCPU, 137)


def test_a_file_does_not_grow(cluster):
    server = cluster.server
    jid = server.submit(Job(attrs=dict(NOWHERE, **{"Resource_List.file": "1kb"}),
                            script="#!/bin/sh\nexec head -c 5000 /dev/zero > $TMPDIR/f\n"))
    assert exit_status(server, jid) in (256 + signal.SIGXFSZ, 128 + signal.SIGXFSZ)


def test_processor_time_of_several_processes(cluster, configured):
    """The MoM sums them up at each look."""
    configured("$min_check_poll 1", "$max_check_poll 1")
    server = cluster.server
    jid = server.submit(Job(attrs={"Job_Name": "several", "Output_Path": "/dev/null",
                                   "Resource_List.cput": 2},
                            script="#!/bin/sh\nfor i in 1 2 3 4; do sh -c "
                                   "'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; sleep 1000' & "
                                   "done\nfor i in 1 2 3 4 5 6 7 8; do sh -c "
                                   "'i=0; while [ $i -lt 900000 ]; do i=$((i+1)); done' & done\n"
                                   "wait\n"))
    assert exit_status(server, jid) == -28
    assert "=>> PBS: job killed: cput " in cluster.output(USER1, "several.e" + seq(jid))


def test_more_processors_than_asked_for(cluster, configured):
    """$enforce cpuburst ends it; without it, it is said once."""
    configured("$min_check_poll 1", "$max_check_poll 1", "$enforce cpuburst",
               "$enforce delta_percent_over 10", "$enforce delta_cpufactor 0.1",
               "$enforce delta_weightup 1")
    server = cluster.server
    jid = server.submit(Job(attrs={"Job_Name": "burst", "Output_Path": "/dev/null"},
                            script="#!/bin/sh\nwhile :; do :; done\n"))
    assert exit_status(server, jid) == -24
    text = cluster.output(USER1, "burst.e" + seq(jid))
    assert "=>> PBS: job killed: ncpus " in text and "exceeded limit 1 (burst)" in text
    cluster.mom.log_match("exceeded limit 1 (burst)")


def test_usage_is_told(cluster, configured):
    configured("$min_check_poll 1", "$max_check_poll 1")
    server, gate = cluster.server, Gate(cluster, "usage")
    jid = server.submit(Job(attrs=NOWHERE, script="#!/bin/sh\nx=$(head -c 20000000 /dev/zero | "
                                                  "tr '\\0' a)\nwhile [ ! -e %s ]; do :; done\n"
                                                  % gate.path))

    def used():
        job = server.status(JOB, jid)[0]
        mem = int(job.get("resources_used.mem", "0kb")[:-2])
        cpu = int(job.get("resources_used.cpupercent", "0"))
        return mem > 10000 and cpu > 0 and int(job["resources_used.vmem"][:-2]) >= mem and \
            job["resources_used.ncpus"] == "1" and job["resources_used.cput"] > "00:00:00"
    wait_for("its usage", used)
    gate.open()
    assert exit_status(server, jid) == 0
    line = server.accounting_match(";E;%s;" % jid)
    assert int(line.split("resources_used.mem=")[1].split("kb")[0]) > 10000



@pytest.mark.parametrize("name, words, status", [
    # Each process stays below it, and all of them together do not.
    ("vmem", "24mb", -26),
    ("mem", "20mb", -27),
])
def test_the_memory_of_all_processes_is_over(cluster, configured, name, words, status):
    """The owner is told in the job's error output, and in its comment."""
    configured("$enforce mem", "$min_check_poll 1", "$max_check_poll 1")
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"job_history_enable": True})
    one = "sleep 1000" if name == "vmem" else \
        "%s -c 'import time; b = bytearray(4 << 20); time.sleep(1000)'" % sys.executable
    jid = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1:%s=%s" % (name, words),
                                   "Job_Name": "large", "Join_Path": "oe"},
                            script="#!/bin/sh\n" + (one + " &\n") * 8 + "wait\n"))
    assert exit_status(server, jid) == status
    wait_for("the comment", lambda: "and exceeded resource %s" % name in
             cluster.run(["qstat", "-xf", jid]).stdout.replace("\n\t", ""))
    assert re.search("=>> PBS: job killed: %s [0-9]+kb exceeded limit %dkb" % (name, int(words[:-2]) << 10),
                     cluster.output(USER1, "large.o" + seq(jid)))


def test_a_scratch_directory_that_cannot_be_made(cluster, configured):
    """The job is held at once, with words."""
    place = os.path.join(cluster.root, "tmp", "scratch")
    os.mkdir(place)
    os.chmod(place, 0o1777)
    configured("$tmpdir " + place)
    os.rmdir(place)
    open(place, "w").close()
    jid = cluster.server.submit(Job(attrs=NOWHERE, sleep=0))
    cluster.server.expect(JOB, {
        "job_state": "H", "Hold_Types": "s", "run_count": 1,
        "comment": "job held due to possible security breach of job tmpdir, failed to start"}, id=jid)
    cluster.mom.log_match("%s;job not started, Failure -21" % jid)
    cluster.run(["qdel", jid])
