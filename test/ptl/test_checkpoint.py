# SPDX-License-Identifier: Apache-2.0
"""Checkpoints by the administrator's scripts, on real processes (execution.md 25): jobs
that are held and go on, images in time and at the end of a server, and what becomes of
both when a daemon is killed between two steps.

The jobs count; an image is the number that one has come to."""
import os
import pwd
import re
import signal
import stat
import subprocess

import pytest

from holdfast import *
from holdfast.services import wait_for
from test_full_disk import refusal, small_disk
from holdfast.users import run_as
from story import *
from test_mom import exit_status, seq

COUNT = """n=${1:-0}
while :; do
    n=$((n + 1))
    echo $n > {state}.new && mv {state}.new {state}
    echo line $n
    sleep 0.05
done
"""
MAKE = """: > {root}/begun
[ -e {root}/fail ] && exit 7
while [ -e {root}/wait ]; do sleep 0.05; done
cp {state} $2/number || exit 1
echo "$1 $2 $3 $PBS_JOBID $PBS_SID $(id -u)" >> {root}/told
"""
ABORT = MAKE + "pkill -KILL -s $3\nexit 0\n"
RESTART = """[ -e {root}/fail ] && exit 7
while [ -e {root}/wait ]; do sleep 0.05; done
echo "restart $1 $2 $3 $(id -u)" >> {root}/told
setpriv --reuid $UID --regid $GID --clear-groups sh {root}/count.sh $(cat $2/number) &
exit 0
"""


def write(path, text, mode=0o755):
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)


def read(path):
    with open(path) as f:
        return f.read()


class Images:
    """The scripts, and what they have written."""

    def __init__(self, cluster):
        self.cluster = cluster
        # What users write into, and what root's scripts read.
        self.root = os.path.join(cluster.root, "images")
        os.mkdir(self.root)
        os.chmod(self.root, 0o1777)
        self.state = os.path.join(self.root, "state")
        write(self.path("count.sh"), self.filled(COUNT))
        self.config = os.path.join(cluster.home, "mom_priv/config")
        self.plain = read(self.config) if os.path.exists(self.config) else ""
        self.dir = os.path.join(cluster.home, "checkpoint")

    def filled(self, text):
        return text.replace("{root}", self.root).replace("{state}", self.state)

    def path(self, name):
        return os.path.join(self.root, name)

    def script(self, name, text):
        path = os.path.join(self.cluster.home, "mom_priv", name)
        write(path, "#!/bin/bash\n" + self.filled(text), 0o700)
        return path

    def configure(self, *lines):
        write(self.config, self.plain + "".join(line + "\n" for line in lines), 0o644)
        self.cluster.mom.send_signal(signal.SIGHUP)
        self.cluster.mom.log_match(";process_hup;reset")

    def install(self, *more):
        self.script("make", MAKE)
        self.script("abort", ABORT)
        self.script("restart", RESTART)
        self.configure("$action checkpoint 60 !make %jobid %path %sid",
                       "$action checkpoint_abort 60 !abort %jobid %path %sid",
                       "$action restart 60 !restart %jobid %path %sid", *more)
        self.cluster.mom.log_match("action;restart: ")

    def flag(self, name, is_there=True):
        if is_there:
            write(self.path(name), "")
        elif os.path.exists(self.path(name)):
            os.unlink(self.path(name))

    def told(self):
        return read(self.path("told")).splitlines() if os.path.exists(self.path("told")) else []

    def number(self):
        text = read(self.state) if os.path.exists(self.state) else ""
        return int(text) if text.strip() else 0

    def reaches(self, number):
        wait_for("the job counts to %d" % number, lambda: self.number() >= number)

    def image(self, jid):
        return os.path.join(self.dir, jid + ".CK")

    def left(self):
        return sorted(os.listdir(self.dir))

    def clear(self):
        for name in ("begun", "fail", "wait", "told", "state"):
            self.flag(name, False)


@pytest.fixture
def cluster():
    with Cluster(vnodes=2) as c:
        yield c


@pytest.fixture
def images(cluster):
    i = Images(cluster)
    i.install()
    return i


def counter(cluster, images, **attrs):
    attrs = dict({"Job_Name": "count", "Join_Path": "oe", "Resource_List.select": "1:ncpus=1"}, **attrs)
    jid = cluster.server.submit(Job(attrs=attrs,
                                    script="#!/bin/sh\nexec sh %s\n" % images.path("count.sh")))
    cluster.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=jid)
    images.reaches(3)
    return jid


def qhold(cluster, jid, *options):
    return cluster.run(["qhold", *options, jid], check=False)


def begin_hold(cluster, jid):
    """qhold, which waits for the image."""
    return subprocess.Popen([os.path.join(cluster.exec_dir, "bin", "qhold"), jid],
                            env=cluster.env(), stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def job(cluster, jid):
    return cluster.server.status(JOB, id=jid)[0]


def goes_on(cluster, images, jid, number):
    """It runs again and counts on, from where it was."""
    cluster.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=jid)
    images.reaches(number + 3)


def lines_of(cluster, jid):
    """What it has written by its end, which is asked for here."""
    cluster.run(["qsig", "-s", "SIGKILL", jid])
    is_gone(cluster.server, JOB, jid)
    return [int(n) for n in re.findall(r"line (\d+)", cluster.output(USER1, "count.o" + seq(jid)))]


def no_image_left(images):
    wait_for("no image is left", lambda: images.left() == [])


def test_a_held_job_goes_on_from_its_image(cluster, images):
    jid = counter(cluster, images)
    at = job(cluster, jid)["exec_vnode"]
    done = qhold(cluster, jid)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    cluster.server.expect(JOB, {"job_state": "H", "substate": "20", "Hold_Types": "u",
                                "exec_vnode": at}, id=jid)
    number = int(read(os.path.join(images.image(jid), "number")))
    who = images.told()[-1].split()
    assert who[:2] == [jid, images.image(jid)] and who[3] == jid and who[5] == str(os.getuid())
    assert who[2] == who[4] != "0"
    st = os.stat(images.image(jid))
    assert (stat.S_IMODE(st.st_mode), st.st_uid) == (0o700, os.getuid())
    cluster.mom.log_match(";0008;pbs_mom;Job;%s;req_holdjob: Checkpoint initiated." % jid)
    cluster.mom.log_match("%s;checkpointed to %s" % (jid, images.image(jid)))
    cluster.mom.log_match("checkpoint_abort script %s: exit code 0"
                          % os.path.join(cluster.home, "mom_priv/abort"))
    assert cluster.server.accounting_match(";C;%s;" % jid).rstrip("\n").endswith(";C;%s;" % jid)
    # Its vnode is free for others.
    name = re.match(r"\(([^:)]+)", at).group(1)
    cluster.server.expect(NODE, {"state": "free", "resources_assigned.ncpus": "0"}, id=name)

    cluster.run(["qrls", jid])
    goes_on(cluster, images, jid, number)
    assert job(cluster, jid)["exec_vnode"] == at
    assert images.told()[-1].split()[:3] == ["restart", jid, images.image(jid)]
    assert cluster.server.accounting_match(";T;%s;" % jid).rstrip("\n").endswith(";T;%s;" % jid)
    lines = lines_of(cluster, jid)
    again = max(i for i, n in enumerate(lines) if n == number + 1)
    assert lines[again:] == list(range(number + 1, number + 1 + len(lines) - again))
    assert lines.index(1) == 0 and lines.count(1) == 1, "it has begun anew"
    no_image_left(images)


def test_a_session_that_was_attached_is_in_the_image(cluster, images):
    """Its script is told the session and the task; what is restored of it is a task of the job like any other."""
    images.script("abort", 'echo $3 > $2/task-$4\n[ $4 != 1 ] || cp {state} $2/number\npkill -KILL -s $3\nexit 0\n')
    images.script("restart", "[ -s $2/task-$4 ] || exit 1\n"
                  "if [ $4 != 1 ]; then\n"
                  "    setpriv --reuid $UID --regid $GID --clear-groups sleep 1000 &\n"
                  "    echo $! $(ps -o sid= $$) $PBS_SID > {root}/again.new; mv {root}/again.new {root}/again; exit 0\n"
                  "fi\n" + RESTART)
    images.configure("$action checkpoint_abort 60 !abort %jobid %path %sid %taskid",
                     "$action restart 60 !restart %jobid %path %sid %taskid")
    jid = counter(cluster, images)
    kwargs, env = run_as(USER1)
    with subprocess.Popen(["sleep", "1000"], env=dict(os.environ, **env), start_new_session=True, **kwargs) as given:
        cluster.run(["pbs_attach", "-m", str(cluster.ports["rm"]), "-j", jid, "-p", str(given.pid)], user=USER1)
        assert qhold(cluster, jid).returncode == 0
        cluster.server.expect(JOB, {"job_state": "H"}, id=jid)
        assert given.wait(60) == -signal.SIGKILL
    number = int(read(os.path.join(images.image(jid), "number")))
    assert read(os.path.join(images.image(jid), "task-2")) == "%d\n" % given.pid
    cluster.run(["qrls", jid])
    goes_on(cluster, images, jid, number)
    cluster.mom.log_match("%s;restarted from its checkpoint" % jid)
    pid, session, was = map(int, read(images.path("again")).split())
    assert was == given.pid and os.getsid(pid) == session != given.pid
    # The end of the job is its end, also for a MoM that knows it by its record alone.
    cluster.mom.kill()
    cluster.mom.start()
    mom_has_registered(cluster)
    os.kill(pid, 0)
    lines_of(cluster, jid)
    wait_for("the end of what was restored", lambda: not os.path.exists("/proc/%d" % pid))
    no_image_left(images)


def test_without_a_script_the_hold_counts_later(cluster):
    """The MoM has none: the job runs on, and is held when it is back in its queue."""
    jid = cluster.server.submit(Job(sleep=1000))
    cluster.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=jid)
    done = qhold(cluster, jid)
    assert (done.returncode, done.stderr) == (0, "")
    assert job(cluster, jid)["Hold_Types"] == "u"
    assert job(cluster, jid)["job_state"] == "R"
    cluster.run(["qrerun", jid])
    cluster.server.expect(JOB, {"job_state": "H"}, id=jid)


def test_who_has_said_no_is_not_checkpointed(cluster, images):
    jid = counter(cluster, images, Checkpoint="n")
    assert qhold(cluster, jid).returncode == 0
    assert job(cluster, jid)["job_state"] == "R" and images.told() == []
    assert images.left() == []


def test_a_script_that_fails_leaves_the_job_running(cluster, images):
    jid = counter(cluster, images)
    images.flag("fail")
    done = qhold(cluster, jid)
    assert done.returncode != 0 and "checkpoint failed: errno=7" in done.stderr, done.stderr
    assert job(cluster, jid)["job_state"] == "R" and job(cluster, jid)["Hold_Types"] == "u"
    cluster.mom.log_match("%s;checkpoint failed: errno=7" % jid)
    images.reaches(images.number() + 3)
    no_image_left(images)


@pytest.mark.skipif(refusal is not None, reason="no mount namespace: %s" % refusal)
def test_an_image_may_fill_the_disk(cluster, images):
    """The job has ended by then: what its script has ended with is written nevertheless."""
    images.script("abort", ABORT.replace("exit 0", "cat /dev/zero > $2/rest\nexit 0"))
    with small_disk(cluster, "checkpoint", service=cluster.mom):
        jid = counter(cluster, images)
        number = images.number()
        qhold(cluster, jid)
        cluster.server.expect(JOB, {"job_state": "H", "substate": "20"}, id=jid)
        cluster.mom.log_match("%s;checkpointed to " % jid)
        os.unlink(os.path.join(cluster.home, "checkpoint", jid + ".CK", "rest"))
        cluster.run(["qrls", jid])
        goes_on(cluster, images, jid, number)
        lines_of(cluster, jid)


@pytest.mark.parametrize("spoil, words", [
    (lambda path: os.chmod(path, 0o722), "cannot be executed due to permissions"),
    (os.unlink, "does not exist")])
def test_a_script_that_others_may_write_is_not_run(cluster, images, spoil, words):
    path = images.script("abort", ABORT)
    spoil(path)
    jid = counter(cluster, images)
    assert "checkpoint failed: errno=13" in qhold(cluster, jid).stderr
    cluster.mom.log_match("%s;action checkpoint_abort script %s %s" % (jid, path, words))
    assert job(cluster, jid)["job_state"] == "R" and images.told() == []


def test_an_unknown_parameter_is_named(cluster, images):
    images.configure("$action checkpoint_abort 60 !abort %jobid %nonsense")
    jid = counter(cluster, images)
    assert qhold(cluster, jid).returncode != 0
    cluster.mom.log_match("%s;action checkpoint_abort script %s cannot be run due to unknown "
                          "parameter %%nonsense" % (jid, os.path.join(cluster.home, "mom_priv/abort")))


def test_a_script_has_its_time(cluster, images):
    images.configure("$action checkpoint_abort 1 !abort %jobid %path %sid")
    jid = counter(cluster, images)
    images.flag("wait")
    assert "checkpoint failed: errno=62" in qhold(cluster, jid).stderr
    cluster.mom.log_match("%s;Action alarm time exceeded" % jid)
    assert job(cluster, jid)["job_state"] == "R"
    no_image_left(images)


def test_a_deletion_does_not_wait_for_the_script(cluster, images):
    jid = counter(cluster, images)
    images.flag("wait")
    hold = begin_hold(cluster, jid)
    cluster.mom.log_match("%s;req_holdjob: Checkpoint initiated." % jid)
    cluster.run(["qdel", jid])
    is_gone(cluster.server, JOB, jid)
    assert hold.wait(timeout=60) != 0
    no_image_left(images)


def test_an_image_goes_with_its_job(cluster, images):
    jid = counter(cluster, images)
    assert qhold(cluster, jid).returncode == 0
    cluster.server.expect(JOB, {"job_state": "H"}, id=jid)
    assert images.left() == [jid + ".CK"]
    cluster.server.delete(jid)
    is_gone(cluster.server, JOB, jid)
    no_image_left(images)
    wait_for("the job's record is gone",
             lambda: not os.path.exists(os.path.join(cluster.home, "mom_priv/jobs/%s.JB" % jid)))


def test_images_are_made_in_time(cluster, images):
    """Of a job that runs on; a MoM that is killed with all of the job goes on from it."""
    images.configure("$action checkpoint 60 !make %jobid %path %sid",
                     "$action restart 60 !restart %jobid %path %sid",
                     "$min_check_poll 1")
    jid = counter(cluster, images, Checkpoint="w=1")
    wait_for("the image is there", lambda: os.path.exists(images.image(jid)) and images.told(), 90)
    assert job(cluster, jid)["job_state"] == "R"
    cluster.mom.log_match("%s;checkpointed to %s" % (jid, images.image(jid)))
    number = int(read(os.path.join(images.image(jid), "number")))
    # SIGTERM ends the jobs; this one has an image to go on from.
    cluster.mom.stop()
    cluster.mom.start()
    wait_for("the job is restored", lambda: "restart " + jid in images.told()[-1])
    goes_on(cluster, images, jid, number)
    cluster.server.accounting_match(";T;%s;" % jid)
    # It ends by itself, and an epilogue sends it back to its image; a deleted job ends all the same.
    images.script("epilogue", "exit 2\n")
    session = cluster.server.status(JOB, jid)[0]["session_id"]
    told = len(images.told())
    subprocess.run(["pkill", "-KILL", "-s", session], check=True)
    wait_for("the job is restored again", lambda: len(images.told()) > told)
    assert "restart " + jid in images.told()[-1]
    cluster.server.accounting_match(";R;%s;.*Exit_status=-15 " % jid, regexp=True)
    goes_on(cluster, images, jid, number)
    cluster.server.delete(jid)
    is_gone(cluster.server, JOB, jid)
    no_image_left(images)


def test_a_restart_that_fails_keeps_the_image(cluster, images):
    jid = counter(cluster, images)
    assert qhold(cluster, jid).returncode == 0
    cluster.server.expect(JOB, {"job_state": "H"}, id=jid)
    number = int(read(os.path.join(images.image(jid), "number")))
    images.flag("fail")
    cluster.run(["qrls", jid])
    cluster.server.expect(JOB, {"job_state": "H", "Hold_Types": "s"}, id=jid)
    assert job(cluster, jid)["comment"].startswith("job held, too many failed attempts to run")
    assert int(read(os.path.join(images.image(jid), "number"))) == number
    images.flag("fail", False)
    cluster.run(["qrls", "-h", "s", jid])
    goes_on(cluster, images, jid, number)
    assert lines_of(cluster, jid).count(1) == 1
    # The server knew of the image, too: none of these runs was a start.
    assert len([l for l in cluster.server.accounting_lines() if ";S;%s;" % jid in l]) == 1


def test_a_job_gives_way_with_its_image(cluster, images):
    """To one of an express queue, by the method C of preempt_order."""
    server = cluster.server
    server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "execution", "started": "True",
                                           "enabled": "True", "Priority": "200"}, id="hi")
    server.manager(MGR_CMD_SET, SCHED, {"preempt_order": "C", "log_events": "2047"}, id="default")
    jid = counter(cluster, images, **{"Resource_List.select": "2:ncpus=2"})
    at = job(cluster, jid)["exec_vnode"]
    asks = cluster.run(["qsub", "-q", "hi", "-l", "select=1:ncpus=2", "--", "/bin/sleep", "1000"],
                       user=USER1).stdout.strip()
    server.expect(JOB, {"job_state": "R", "substate": "42"}, id=asks)
    server.expect(JOB, {"job_state": "Q", "exec_vnode": at}, id=jid)
    cluster.scheduler.log_match("%s;Job preempted by checkpointing" % jid)
    server.accounting_match(";C;%s;" % jid)
    number = int(read(os.path.join(images.image(jid), "number")))
    server.delete(asks)
    goes_on(cluster, images, jid, number)
    assert lines_of(cluster, jid).count(1) == 1
    no_image_left(images)


def test_a_script_may_become_the_job(cluster, images):
    images.install("$restart_transmogrify true")
    images.script("restart", "echo \"became $(ps -o sid= -p $$ | tr -d ' ') $$\" >> {root}/told\n"
                  "exec setpriv --reuid $UID --regid $GID --clear-groups "
                  "sh {root}/count.sh $(cat $2/number)\n")
    jid = counter(cluster, images)
    assert qhold(cluster, jid).returncode == 0
    cluster.server.expect(JOB, {"job_state": "H"}, id=jid)
    number = int(read(os.path.join(images.image(jid), "number")))
    cluster.run(["qrls", jid])
    goes_on(cluster, images, jid, number)
    # The old run may have counted beyond the image, so the new one may not have said it yet.
    wait_for("the script", lambda: images.told()[-1].startswith("became"))
    became = images.told()[-1].split()
    assert became[1] == became[2] == job(cluster, jid)["session_id"]
    assert lines_of(cluster, jid).count(1) == 1


def test_the_image_survives_all_daemons(cluster, images):
    jid = counter(cluster, images)
    assert qhold(cluster, jid).returncode == 0
    cluster.server.expect(JOB, {"job_state": "H"}, id=jid)
    number = int(read(os.path.join(images.image(jid), "number")))
    for daemon in (cluster.mom, cluster.server, cluster.mom):
        daemon.kill()
        daemon.start()
    cluster.server.expect(JOB, {"job_state": "H"}, id=jid)
    assert images.left() == [jid + ".CK"]
    cluster.run(["qrls", jid])
    goes_on(cluster, images, jid, number)
    assert lines_of(cluster, jid).count(1) == 1


@pytest.mark.parametrize("who", ["mom", "server", "both"])
def test_a_daemon_is_killed_while_the_script_runs(cluster, images, who):
    """The script ends the job after that; nobody takes it for its own end."""
    jid = counter(cluster, images)
    images.flag("wait")
    hold = begin_hold(cluster, jid)
    # The MoM says that it begins before there is a process.
    wait_for("the script", lambda: os.path.exists(images.path("begun")))
    if who != "server":
        cluster.mom.kill()
    if who != "mom":
        cluster.server.kill()
    hold.wait(timeout=60)
    images.flag("wait", False)
    wait_for("the script is over", lambda: images.told() != [])
    if who != "mom":
        cluster.server.start()
    if who != "server":
        cluster.mom.start()
    cluster.server.expect(JOB, {"job_state": "H", "Hold_Types": "u"}, id=jid)
    number = int(read(os.path.join(images.image(jid), "number")))
    cluster.server.accounting_match(";C;%s;" % jid)
    cluster.run(["qrls", jid])
    goes_on(cluster, images, jid, number)
    assert lines_of(cluster, jid).count(1) == 1
    no_image_left(images)


def test_jobs_are_checkpointed_when_the_server_ends(cluster, images):
    jid = counter(cluster, images)
    cluster.run(["qterm", "-t", "immediate"])
    cluster.server.process.wait(timeout=60)
    number = int(read(os.path.join(images.image(jid), "number")))
    cluster.server.start()
    cluster.server.expect(JOB, {"job_state": "H", "Hold_Types": "s"}, id=jid)
    cluster.server.accounting_match(";C;%s;" % jid)
    cluster.run(["qrls", "-h", "s", jid])
    goes_on(cluster, images, jid, number)
    assert lines_of(cluster, jid).count(1) == 1


@pytest.mark.skipif(ROOTLESS, reason="needs root: a file of somebody else")
@pytest.mark.parametrize("spoil", [lambda d: os.chmod(d, 0o750),
                                   lambda d: os.chown(d, pwd.getpwnam(USER1).pw_uid, -1)])
def test_a_mom_does_not_start_on_images_of_others(cluster, images, spoil):
    """Whoever may write there could have the MoM restore what he likes."""
    cluster.mom.stop()
    spoil(images.dir)
    done = subprocess.run([os.path.join(cluster.exec_dir, "sbin/pbs_mom"), "-N"], env=cluster.env(),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                          timeout=60)
    assert done.returncode == 3, done
    os.chown(images.dir, 0, -1)
    os.chmod(images.dir, 0o700)
    cluster.mom.start()
