# SPDX-License-Identifier: Apache-2.0
"""kill -9 of a real MoM at each stage of a real job: the job's program runs once, its output is
delivered whole, and the server hears of one end (execution.md 29)."""
import os
import re
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *
from test_mom import exit_status, seq, session_of
from test_prologue import note, read

KILLS = int(os.environ.get("HF_MOM_KILLS", "24"))


def place(cluster, name, text):
    path = os.path.join(cluster.home, "mom_priv", name)
    with open(path, "w") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o700)


def kill_and_start(cluster):
    cluster.mom.kill()
    cluster.mom.start()


def ends_of(server, jid):
    return [line for line in server.accounting_lines() if ";E;%s;" % jid in line]


def processes_with(text):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid) as f:
                if text in f.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def test_in_the_prologue(cluster):
    """The program has not begun: the server runs the job again, and the first run's never does."""
    server, told, gate = cluster.server, note(cluster, "told"), Gate(cluster)
    place(cluster, "prologue", "echo prologue >> %s\nwhile [ ! -e %s ]; do sleep 0.2; done\n"
          % (told, gate.path))
    jid = server.submit(Job(attrs={"Job_Name": "pro", "Join_Path": "oe"},
                            script="#!/bin/sh\necho ran >> %s\necho output\n" % told))
    wait_for("the prologue", lambda: read(told) == "prologue\n")
    kill_and_start(cluster)
    wait_for("the second prologue", lambda: read(told) == "prologue\nprologue\n")
    gate.open()
    assert exit_status(server, jid) == 0
    assert cluster.output(USER1, "pro.o" + seq(jid)) == "output\n"
    is_gone(server, JOB, jid)
    wait_for("the end of the first prologue",
             lambda: not processes_with(os.path.join(cluster.home, "mom_priv", "prologue")))
    assert read(told) == "prologue\nprologue\nran\n"
    assert len(ends_of(server, jid)) == 1
    assert "run_count=2" in ends_of(server, jid)[0].split()


# It waits for the gate, and then copies to the directory "far", whatever place was named.
SCP = """#!/bin/sh
echo $$ >> %(root)s/scp.calls
for last; do from=$to; to=$last; done
while [ ! -e %(root)s/gate ] && [ -d %(root)s ]; do sleep 0.2; done
exec cp "${from#*:}" "%(root)s/far/$(basename "${to#*:}")"
"""
HOST = "192.0.2.77"


@pytest.fixture
def far(cluster):
    """Files of another host go through a program that waits for the gate. How often it was run."""
    scp = cluster.write("scp", SCP % {"root": cluster.root})
    os.chmod(scp, 0o755)
    calls = note(cluster, "scp.calls")
    os.mkdir(os.path.join(cluster.root, "far"))
    os.chmod(os.path.join(cluster.root, "far"), 0o777)
    with open(cluster.conf, "a") as f:
        f.write("PBS_SCP=%s\nPBS_RCP=%s\n" % (scp, scp))
    cluster.mom.restart()
    cluster.wait_nodes()
    return lambda: len(read(calls).splitlines())


def test_while_output_is_delivered(cluster, far):
    """It is delivered again by the next one, and nothing of it is lost."""
    server, gate = cluster.server, Gate(cluster)
    jid = server.submit(Job(attrs={"Output_Path": HOST + ":/x/out", "Join_Path": "oe"},
                            script="#!/bin/sh\necho precious\nexit 3\n"))
    wait_for("the copy to begin", lambda: far() == 1)
    kill_and_start(cluster)
    wait_for("the copy to begin again", lambda: far() >= 2)
    gate.open()
    is_gone(server, JOB, jid)
    assert exit_status(server, jid) == 3 and len(ends_of(server, jid)) == 1
    assert cluster.read("far/out") == "precious\n"
    wait_for("no files of the job", lambda: not [
        name for folder in ("mom_priv/jobs", "spool", "undelivered", "aux")
        for name in os.listdir(os.path.join(cluster.home, folder)) if name.startswith(seq(jid))])


def test_while_files_are_staged_in(cluster, far):
    """The job has not come to the host yet: the server has its files brought again."""
    server, gate = cluster.server, Gate(cluster)
    data = cluster.write("data", "staged\n")
    os.chmod(data, 0o644)
    jid = server.submit(Job(attrs={"Output_Path": "/dev/null", "Join_Path": "oe",
                                   "stagein": "%s/far/got@%s:%s" % (cluster.root, HOST, data)},
                            script="#!/bin/sh\nexec grep -q staged %s/far/got\n" % cluster.root))
    wait_for("the copy to begin", lambda: far() == 1)
    kill_and_start(cluster)
    gate.open()
    assert exit_status(server, jid) == 0
    assert len(ends_of(server, jid)) == 1


def test_at_any_moment(cluster):
    """The MoM is killed again and again, at moments that move through the lives of jobs. Each job's
    program runs once from its begin to its end."""
    server, told = cluster.server, note(cluster, "told")
    script = cluster.write("job.sh", "#!/bin/sh\necho begin $PBS_JOBID >> %s\nsleep 0.1\n"
                                     "echo output\necho end $PBS_JOBID >> %s\nexit 9\n" % (told, told))
    ids = []
    for i in range(KILLS):
        ids.append(cluster.run(["qsub", "-j", "oe", "-N", "swept", script], user=USER1).stdout.strip())
        time.sleep(i % 12 * 0.04)  # spreads the kills over the life; nothing is waited for
        kill_and_start(cluster)
    for jid in ids:
        assert exit_status(server, jid) == 9, jid
        is_gone(server, JOB, jid)
        assert len(ends_of(server, jid)) == 1, jid
        assert cluster.output(USER1, "swept.o" + seq(jid)) == "output\n"
    lines = read(told).splitlines()
    for jid in ids:
        assert [lines.count(word + " " + jid) for word in ("begin", "end")] == [1, 1], jid
    wait_for("no files of jobs", lambda: not os.listdir(os.path.join(cluster.home, "mom_priv/jobs")))
    assert os.listdir(os.path.join(cluster.home, "undelivered")) == []


@pytest.mark.parametrize("option", ["-p", "-r"])
def test_what_the_next_one_is_told(cluster, option):
    """-p: the job goes on; -r: it is killed and run again."""
    server, gate = cluster.server, Gate(cluster)
    jid = running_job(server, script=script_until(gate.path) + "exit 7\n")
    session = session_of(server, jid)
    cluster.mom.kill()
    argv = cluster.mom.argv
    cluster.mom.argv = lambda: argv() + [option]
    cluster.mom.start()
    cluster.mom.argv = argv
    runs = 1 if option == "-p" else 2
    server.expect(JOB, {"job_state": "R", "substate": 42, "run_count": runs}, id=jid)
    assert (session_of(server, jid) == session) == (option == "-p")
    assert os.path.exists("/proc/" + session) == (option == "-p")
    gate.open()
    assert exit_status(server, jid) == 7
    assert len(ends_of(server, jid)) == 1


def test_what_shall_end_is_given_its_time(cluster):
    """The login shell of the job ends by SIGTERM at once, and its script cleans up until SIGKILL is
    due: longer than a job is looked for of which nothing is left."""
    server, told = cluster.server, note(cluster, "told")
    jid = running_job(server, script="#!/bin/sh\ntrap 'sleep 7; echo cleaned >> %s; exit 0' TERM\n"
                                     "echo ready >> %s\nsleep 1000 & wait\n" % (told, told))
    wait_for("the script", lambda: read(told) == "ready\n")
    kill_and_start(cluster)
    wait_for("the MoM to be there for the server",
             lambda: cluster.run(["qdel", jid], check=False).returncode == 0)
    is_gone(server, JOB, jid)
    assert read(told) == "ready\ncleaned\n"


# Two tasks that end at once, and one that stays and says which session it is. A command whose MoM is
# killed fails, and the next one finds the next MoM.
MANY_TASKS = """#!/bin/sh
while [ ! -e %(stop)s ]; do
    %(dsh)s -n 0 -- true
    %(dsh)s -n 0 -- true
    %(dsh)s -n 0 -- /bin/sh -c 'cut -d" " -f6 /proc/$$/stat >> %(told)s; exec sleep 4023' &
    sleep 0.05
done
echo over >> %(over)s
exec sleep 4023
"""


def sessions_on_record(cluster, path):
    """Those of the job's tasks beside the top task, as its file has them."""
    parts = cluster.run(["printjob", "-a", path]).stdout.split(", task ")[1:]
    return sorted(re.search(r"sid:\s+(\d+)", p).group(1) for p in parts if not p.startswith("00000001"))


def test_a_status_of_no_task(cluster):
    """A MoM that is killed while she lets a task begin leaves the file for its status, and no word of
    it: the next one removes that."""
    server, gate = cluster.server, Gate(cluster)
    jid = running_job(server, script=script_until(gate.path))
    jobs = os.path.join(cluster.home, "mom_priv/jobs")
    top = "%s.1.EX" % jid
    cluster.mom.kill()
    for name in (top[:-3] + "-00000077.EX", top[:-4] + "0-00000002.EX"):
        with open(os.path.join(jobs, name), "w") as f:
            f.write("-3 0 3636 1\n")
    cluster.mom.start()
    wait_for("these files to go", lambda: [n for n in os.listdir(jobs) if n.endswith(".EX")] == [top])
    gate.open()
    assert exit_status(server, jid) == 0
    wait_for("no files of the job", lambda: not os.listdir(jobs))


def test_among_many_tasks(cluster):
    """Begins and ends of tasks are notes behind the job's record: what had begun is known to each
    MoM that follows, and ends with the job."""
    server, told, over = cluster.server, note(cluster, "told"), note(cluster, "over")
    stop = os.path.join(cluster.root, "stop")
    jid = running_job(server, script=MANY_TASKS % {
        "stop": stop, "told": told, "over": over, "dsh": os.path.join(cluster.exec_dir, "bin/pbsdsh")})
    path = os.path.join(cluster.home, "mom_priv/jobs", jid + ".JB")

    def has_notes():
        with open(path, "rb") as f:
            return b"HFN1 " in f.read()

    wait_for("notes", has_notes)
    for i in range(6):
        before = len(read(told).split())
        wait_for("more tasks", lambda: len(read(told).split()) > before + 2)
        time.sleep(i * 0.03)  # spreads the kills over what is written; nothing is waited for
        kill_and_start(cluster)
    with open(stop, "w"):
        pass
    wait_for("the end of the script's loop", lambda: read(over))
    kill_and_start(cluster)
    lives = sorted(read(told).split())
    assert len(lives) >= 12 and all(os.path.exists("/proc/" + sid) for sid in lives)
    assert set(lives) <= set(sessions_on_record(cluster, path))
    # What ended while no MoM ran is found out.
    wait_for("the ends of the others", lambda: sessions_on_record(cluster, path) == sorted(read(told).split()))
    wait_for("the MoM to be there for the server",
             lambda: cluster.run(["qdel", jid], check=False).returncode == 0)
    is_gone(server, JOB, jid)
    wait_for("the end of all tasks", lambda: not any(os.path.exists("/proc/" + sid) for sid in lives))
    assert len(ends_of(server, jid)) == 1
    wait_for("no files of the job", lambda: not os.listdir(os.path.join(cluster.home, "mom_priv/jobs")))
