# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of jobs on several hosts (doc/design/084), on three hosts in namespaces: all hosts have
their image or none counts, and all go on from the same one.

The top task and a task on each host count; an image is the number that one has come to."""
import os
import signal
import subprocess

import pytest

from holdfast import *
from holdfast import hosts
from holdfast.services import wait_for
from holdfast.wide import WideCluster
from story import *
from test_checkpoint import read, write

REFUSAL = None if ROOTLESS else hosts.refusal()
pytestmark = [pytest.mark.skipif(ROOTLESS, reason="needs root: namespaces"),
              pytest.mark.skipif(REFUSAL is not None,
                                 reason="no network namespaces: %s" % REFUSAL)]

# Decimal, as %taskid has them.
TASKS = {"1": 0, "2": 0, str(0x40000001): 1, str(0x80000001): 2}
COUNT = """task=$1 n=${2:-0}
while :; do
    n=$((n + 1))
    echo $n > {root}/state.$task.new && mv {root}/state.$task.new {root}/state.$task
    sleep 0.05
done
"""
BEGIN = """exec sh {root}/count.sh $(printf %d 0x$PBS_TASKNUM)
"""
MAKE = """host=$(hostname)
: > {root}/begun.$host
[ -e {root}/fail.$host ] && exit 7
while [ -e {root}/wait.$host ]; do sleep 0.05; done
cp {root}/state.$4 $2/number.$4 || exit 1
echo "$4 $PBS_TASKNUM $PBS_NODENUM $PBS_SID $3 $host" >> {root}/told
"""
ABORT = MAKE + "pkill -KILL -s $3\nexit 0\n"
RESTART = """host=$(hostname)
[ -e {root}/fail.$host ] && exit 7
setpriv --reuid $UID --regid $GID --clear-groups sh {root}/count.sh $4 $(cat $2/number.$4) &
echo "$4 from $(cat $2/number.$4)" >> {root}/restarted
exit 0
"""
CONFIG = """$action checkpoint 120 !make %jobid %path %sid %taskid
$action checkpoint_abort 120 !abort %jobid %path %sid %taskid
$action restart 120 !restart %jobid %path %sid %taskid
$min_check_poll 1
$max_check_poll 2
"""


class Images:
    def __init__(self, c):
        self.c = c
        self.root = os.path.join(c.root, "images")
        os.mkdir(self.root)
        os.chmod(self.root, 0o1777)
        for name, text in (("count.sh", COUNT), ("begin.sh", BEGIN)):
            write(self.path(name), text.replace("{root}", self.root))
        for mom in c.moms:
            for name, text in (("make", MAKE), ("abort", ABORT), ("restart", RESTART)):
                write(os.path.join(mom.home, "mom_priv", name),
                      "#!/bin/bash\n" + text.replace("{root}", self.root), 0o700)

    def path(self, name):
        return os.path.join(self.root, name)

    def flag(self, name, is_there=True):
        if is_there:
            write(self.path(name), "")
        elif os.path.exists(self.path(name)):
            os.unlink(self.path(name))

    def clear(self):
        for name in os.listdir(self.root):
            if not name.endswith(".sh"):
                self.flag(name, False)

    def lines(self, name):
        return read(self.path(name)).splitlines() if os.path.exists(self.path(name)) else []

    def numbers(self):
        found = {}
        for task in TASKS:
            text = read(self.path("state." + task)) if os.path.exists(
                self.path("state." + task)) else ""
            found[task] = int(text) if text.strip() else 0
        return found

    def all_count_on(self):
        before = self.numbers()
        wait_for(lambda: "all tasks count on from %s: %s" % (before, self.numbers()),
                 lambda: all(n > before[t] + 2 for t, n in self.numbers().items()))

    def kept(self, jid, k, suffix="CK"):
        """What the image of host k says."""
        path = os.path.join(self.c.moms[k].home, "checkpoint", "%s.%s" % (jid, suffix))
        return {n.split(".")[1]: int(read(os.path.join(path, n))) for n in os.listdir(path)}

    def left(self):
        return [sorted(os.listdir(os.path.join(m.home, "checkpoint"))) for m in self.c.moms]

    def none_left(self):
        wait_for(lambda: "no image is left: %s" % self.left(), lambda: self.left() == [[], [], []])


@pytest.fixture(scope="module")
def c():
    with WideCluster(3, config=CONFIG) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def shared(c):
    return Images(c)


@pytest.fixture
def images(c, shared):
    """Each test begins with no job and ends with none."""
    shared.clear()
    yield shared
    shared.clear()
    for job in c.server.status(JOB):
        c.server.delete(job["id"])
    wait_for("the end of all jobs", lambda: not c.server.status(JOB))
    shared.none_left()
    for name in c.names:
        c.server.expect(VNODE, {"state": "free"}, id=name)


def counter(c, images, *options):
    jid = c.server.submit(Job(script="#!/bin/sh\n#PBS -N wide\n#PBS -l select=3:ncpus=2\n"
                                     "#PBS -l place=scatter\n" +
                                     "".join("#PBS %s\n" % o for o in options) +
                                     "%s/bin/pbsdsh -o -- /bin/sh %s\nexec sh %s 1\n" % (
                                         c.exec_dir, images.path("begin.sh"),
                                         images.path("count.sh"))))
    images.all_count_on()
    c.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=jid)
    return jid


def qhold(c, jid):
    return c.run(["qhold", jid], check=False)


def begin_hold(c, jid):
    """qhold, which waits for the images."""
    return subprocess.Popen(c.network.hosts[0].inside() + [
        os.path.join(c.exec_dir, "bin", "qhold"), jid], env=c.env(), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def is_held(c, images, jid, holds="u"):
    """The images are there, of all tasks, and of one moment for those of each host."""
    c.server.expect(JOB, {"job_state": "H", "substate": "20", "Hold_Types": holds}, id=jid)
    numbers = {}
    for k in range(3):
        kept = images.kept(jid, k)
        assert set(kept) == {t for t, host in TASKS.items() if host == k}
        numbers.update(kept)
    return numbers


def goes_on(c, images, jid, numbers):
    """Each task counts on from its own number."""
    c.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=jid)
    images.all_count_on()
    assert set(images.lines("restarted")[-4:]) == {"%s from %d" % x for x in numbers.items()}


def test_a_job_on_three_hosts_goes_on_from_its_images(c, images):
    jid = counter(c, images)
    where = c.server.status(JOB, id=jid)[0]["exec_vnode"]
    done = qhold(c, jid)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    numbers = is_held(c, images, jid)
    assert c.server.status(JOB, id=jid)[0]["exec_vnode"] == where
    told = {line.split()[0]: line.split() for line in images.lines("told")}
    for task, host in TASKS.items():
        assert told[task][1:3] == [task, str(host)] and told[task][5] == "h%d" % host
        assert told[task][3] == told[task][4] != "0"
    for mom in c.moms[1:]:
        mom.log_match(";0008;pbs_mom;Job;%s;CHECKPOINT_ABORT received" % jid)
        mom.log_match("%s;checkpointed to %s" % (jid, os.path.join(mom.home, "checkpoint", jid + ".CK")))
    c.server.accounting_match(";C;%s;" % jid)
    for name in c.names:
        c.server.expect(VNODE, {"state": "free", "resources_assigned.ncpus": "0"}, id=name)

    c.run(["qrls", jid])
    goes_on(c, images, jid, numbers)
    assert c.server.status(JOB, id=jid)[0]["exec_vnode"] == where
    for mom in c.moms[1:]:
        mom.log_match(";0008;pbs_mom;Job;%s;RESTART received" % jid)
        mom.log_match("%s;restarted from its checkpoint" % jid)
    c.server.accounting_match(";T;%s;" % jid)


def test_an_image_goes_with_its_job_on_all_hosts(c, images):
    jid = counter(c, images)
    assert qhold(c, jid).returncode == 0
    is_held(c, images, jid)
    # The one that is down meanwhile hears of it when it is back.
    c.moms[2].kill()
    c.server.delete(jid)
    is_gone(c.server, JOB, jid)
    c.moms[2].start()
    images.none_left()
    for mom in c.moms:
        wait_for("no record of it is left", lambda: not os.path.exists(
            os.path.join(mom.home, "mom_priv/jobs", jid + ".JB")))


@pytest.mark.parametrize("bad", [0, 2])
def test_a_script_that_fails_on_one_host_ends_nothing(c, images, bad):
    """The tasks of the others are restored, and the job counts on."""
    jid = counter(c, images)
    images.flag("fail.h%d" % bad)
    done = qhold(c, jid)
    words = "checkpoint failed: errno=7"
    assert done.returncode != 0 and ("h2: " + words if bad else words) in done.stderr, done.stderr
    if bad:
        c.moms[0].log_match("%s;CHECKPOINT_ABORT failed on h2, 15010: %s" % (jid, words))
    c.moms[1].log_match("%s;RESTART received" % jid)
    assert c.server.status(JOB, id=jid)[0]["job_state"] == "R"
    images.all_count_on()
    assert {line.split()[0] for line in images.lines("restarted")} == {
        t for t, host in TASKS.items() if host not in (0, bad)}
    images.none_left()
    images.flag("fail.h%d" % bad, False)
    # It was asked to be held when it would be queued; the image is another matter.
    assert qhold(c, jid).returncode == 0
    numbers = is_held(c, images, jid)
    c.run(["qrls", jid])
    goes_on(c, images, jid, numbers)


def test_a_script_has_its_time_on_each_host(c, images):
    config = os.path.join(c.moms[2].home, "mom_priv/config")
    plain = read(config)
    write(config, plain.replace("checkpoint_abort 120", "checkpoint_abort 1"), 0o644)
    c.moms[2].send_signal(signal.SIGHUP)
    c.moms[2].log_match(";process_hup;reset")
    try:
        jid = counter(c, images)
        images.flag("wait.h2")
        assert "h2: checkpoint failed: errno=62" in qhold(c, jid).stderr
        c.moms[2].log_match("%s;Action alarm time exceeded" % jid)
        images.all_count_on()
    finally:
        write(config, plain, 0o644)
        c.moms[2].send_signal(signal.SIGHUP)


def test_a_deletion_waits_for_no_host(c, images):
    jid = counter(c, images)
    images.flag("wait.h2")
    hold = begin_hold(c, jid)
    wait_for("the script", lambda: os.path.exists(images.path("begun.h2")))
    c.run(["qdel", jid])
    is_gone(c.server, JOB, jid)
    assert hold.wait(timeout=60) != 0
    hold.stderr.close()
    images.none_left()


def test_a_sister_is_killed_while_her_script_runs(c, images):
    """The hold fails; her script ends her tasks nevertheless, and she brings them back."""
    jid = counter(c, images)
    images.flag("wait.h2")
    hold = begin_hold(c, jid)
    wait_for("the script", lambda: os.path.exists(images.path("begun.h2")))
    c.moms[2].kill()
    images.flag("wait.h2", False)
    wait_for("the end of her script", lambda: any(
        line.endswith(" h2") for line in images.lines("told")))
    c.moms[2].start()
    _, err = hold.communicate(timeout=120)
    assert hold.returncode != 0 and "15059" in err, err
    c.moms[2].log_match("%s;RESTART received" % jid)
    images.all_count_on()
    c.server.expect(JOB, {"job_state": "R", "run_count": 1}, id=jid)
    images.none_left()


def test_the_mother_superior_is_killed_while_her_script_runs(c, images):
    """All others have made theirs: the job is held, as if nothing had been."""
    jid = counter(c, images)
    images.flag("wait.h0")
    hold = begin_hold(c, jid)
    wait_for("the script", lambda: os.path.exists(images.path("begun.h0")))
    c.moms[0].kill()
    hold.communicate(timeout=120)
    images.flag("wait.h0", False)
    wait_for("the end of her script", lambda: any(
        line.startswith("1 ") for line in images.lines("told")))
    c.moms[0].start()
    numbers = is_held(c, images, jid)
    c.run(["qrls", jid])
    goes_on(c, images, jid, numbers)


def test_all_daemons_may_end_while_the_job_rests(c, images):
    jid = counter(c, images)
    assert qhold(c, jid).returncode == 0
    numbers = is_held(c, images, jid)
    for mom in c.moms:
        mom.kill()
    c.server.kill()
    c.server.start()
    for mom in c.moms:
        mom.start()
    for name in c.names:
        c.server.expect(VNODE, {"state": "free"}, id=name)
    assert is_held(c, images, jid) == numbers
    c.run(["qrls", jid])
    goes_on(c, images, jid, numbers)


@pytest.fixture
def failed(c, images):
    """A job with images that has been started once since, in vain: of one host the script fails.
    The scheduler rests, as it would start it again at once until it is held."""
    jid = counter(c, images)
    assert qhold(c, jid).returncode == 0
    numbers = is_held(c, images, jid)
    c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    images.flag("fail.h2")
    c.run(["qrls", jid])
    c.run(["qrun", jid], check=False)
    c.moms[0].log_match("%s;job_start_error 15010 from node h2 could not RESTART successfully" % jid)
    c.server.expect(JOB, {"job_state": "Q", "substate": "10"}, id=jid)
    images.flag("fail.h2", False)
    yield jid, numbers
    c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})


def test_a_restart_that_fails_on_one_host_costs_no_image(c, images, failed):
    jid, numbers = failed
    c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    goes_on(c, images, jid, numbers)


def test_a_deletion_after_a_restart_that_failed_leaves_no_image(c, images, failed):
    jid, _ = failed
    c.server.delete(jid)
    wait_for("its end", lambda: not c.server.status(JOB))
    images.none_left()


def test_a_job_gives_way_with_its_images(c, images):
    server = c.server
    server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "execution", "started": "True",
                                           "enabled": "True", "Priority": "200"}, id="hi")
    server.manager(MGR_CMD_SET, SCHED, {"preempt_order": "C"}, id="default")
    jid = counter(c, images)
    asks = c.run(["qsub", "-q", "hi", "-l", "select=1:ncpus=2", "--", "/bin/sleep", "1000"],
                 user=USER1).stdout.strip()
    server.expect(JOB, {"job_state": "R", "substate": "42"}, id=asks)
    server.expect(JOB, {"job_state": "Q"}, id=jid)
    c.scheduler.log_match("%s;Job preempted by checkpointing" % jid)
    numbers = {}
    for k in range(3):
        numbers.update(images.kept(jid, k))
    server.delete(asks)
    goes_on(c, images, jid, numbers)


def test_it_is_checkpointed_when_the_server_ends(c, images):
    jid = counter(c, images)
    c.run(["qterm", "-t", "immediate"])
    c.server.process.wait(timeout=120)
    c.server.start()
    numbers = is_held(c, images, jid, "s")
    for name in c.names:
        c.server.expect(VNODE, {"state": "free"}, id=name)
    c.run(["qrls", "-h", "s", jid])
    goes_on(c, images, jid, numbers)


def test_images_in_time_are_of_all_hosts(c, images):
    """The mother superior ends with her part of the job: it goes on from the periodic images."""
    jid = counter(c, images, "-c w=1")
    c.moms[0].log_match("%s;checkpointed to" % jid, deadline=150)
    numbers = {}
    for k in range(3):
        numbers.update(images.kept(jid, k))
    assert set(numbers) == set(TASKS)
    c.server.expect(JOB, {"job_state": "R", "run_count": 1}, id=jid)
    c.moms[0].stop()
    c.moms[0].start()
    goes_on(c, images, jid, numbers)
    c.server.expect(JOB, {"run_count": 2}, id=jid)
