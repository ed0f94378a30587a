# SPDX-License-Identifier: Apache-2.0
"""Jobs over several hosts, on three hosts in namespaces."""
import contextlib
import os
import pwd
import re
import signal
import subprocess

import pytest

from holdfast import *
from holdfast.processes import processes_of_job
from holdfast.services import wait_for
from holdfast.wide import WideCluster, needs_namespaces

pytestmark = needs_namespaces()


@pytest.fixture(scope="module")
def c():
    with WideCluster(3, config="$sister_join_job_alarm 12\n") as cluster:
        yield cluster


def three(c, script, options=()):
    return c.server.submit(Job(script="#!/bin/sh\n#PBS -l select=3:ncpus=1 -l place=scatter\n" +
                               "".join("#PBS %s\n" % o for o in options) +
                               "PATH=%s/bin:$PATH\n" % c.exec_dir + script))


def test_a_job_over_three_hosts_runs_and_ends(c):
    jid = three(c, "cat $PBS_NODEFILE; sleep 2\n")
    c.server.expect(JOB, {"job_state": "R"}, id=jid)
    for mom in c.moms[1:]:
        mom.log_match("%s;JOIN_JOB as node" % jid)
    job = c.server.status(JOB, id=jid)[0]
    assert sorted(job["exec_host"].split("+")) == ["h0/0", "h1/0", "h2/0"], job["exec_host"]
    for mom in c.moms[1:]:
        mom.log_match("%s;KILL_JOB received" % jid)
        mom.log_match("%s;DELETE_JOB received" % jid)
    c.server.accounting_match("E;%s;" % jid)


def test_a_session_on_another_host_is_given_to_the_job(c):
    """As an MPI program does that starts its processes with ssh."""
    jid = three(c, "sleep 1000\n")
    c.server.expect(JOB, {"job_state": "R"}, id=jid)
    c.moms[1].log_match("%s;JOIN_JOB as node" % jid)
    user = pwd.getpwnam(USER1)
    worker = subprocess.Popen(
        c.network.hosts[1].inside() +
        ["setpriv", "--reuid", str(user.pw_uid), "--regid", str(user.pw_gid), "--init-groups",
         os.path.join(c.exec_dir, "bin", "pbs_attach"), "-m", str(c.ports["rm"]), "-j", jid, "-s",
         "sleep", "1000"], env=c.env())
    c.moms[1].log_match("%s;task 40000001 attached" % jid)
    c.server.delete(jid)
    ended(c, jid)
    assert worker.wait(timeout=60) in (128 + 15, 128 + 9)


def ended(c, jid):
    return wait_for("the end of " + jid, lambda: not c.server.status(JOB, id=jid))


def test_tasks_run_on_every_host_and_write_to_the_job(c):
    """pbsdsh: one task for each vnode, with its number, and the highest status of them."""
    jid = three(c, "pbsdsh -v -- /bin/sh -c "
                   "'echo on $(hostname) $PBS_NODENUM $PBS_TASKNUM; echo e$PBS_NODENUM >&2; "
                   "exit $PBS_NODENUM'\necho rc=$?\n", ["-N dsh"])
    ended(c, jid)
    out = c.output(USER1, "dsh.o" + jid.split(".")[0])
    assert "on h0 0 00000002" in out
    assert "on h1 1 40000001" in out
    assert "on h2 2 80000001" in out
    assert "rc=2" in out
    err = c.output(USER1, "dsh.e" + jid.split(".")[0])
    assert sorted(w for w in err.split() if w in ("e0", "e1", "e2")) == ["e0", "e1", "e2"]
    assert "waiting on 3 spawned and 0 obits" in err
    c.moms[1].log_match("%s;task 40000001 started" % jid)


def test_processes_have_the_limits_of_their_host(c):
    """vmem of a chunk, not the sum of all hosts."""
    jid = c.server.submit(Job(script="#!/bin/sh\n#PBS -l select=1:ncpus=1:vmem=3gb+1:ncpus=1:vmem=2gb\n"
                                     "#PBS -l place=scatter\n#PBS -N limits\nulimit -v\n"
                                     "%s/bin/pbsdsh -n 1 -- /bin/sh -c 'ulimit -v'\n" % c.exec_dir))
    ended(c, jid)
    assert c.output(USER1, "limits.o" + jid.split(".")[0]).split() == [str(3 << 20), str(2 << 20)]
    c.output(USER1, "limits.e" + jid.split(".")[0])


def test_the_node_file_lists_all_hosts_also_there(c):
    jid = three(c, "pbsdsh -n 2 -- /bin/sh -c 'echo $(cat $PBS_NODEFILE)'\n"
                   "echo $(cat $PBS_NODEFILE)\n", ["-N nodes"])
    ended(c, jid)
    assert c.output(USER1, "nodes.o" + jid.split(".")[0]) == "h0 h1 h2\n" * 2
    c.output(USER1, "nodes.e" + jid.split(".")[0])


def test_each_host_has_the_directory_of_a_jobs_own(c):
    """Where hosts do not share it, each that runs tasks makes one and removes it; not so with $jobdir_root ... shared."""
    roots, before = [], "$usecp *:/ /\n" + c.config
    try:
        for mom, word in zip(c.moms[1:], ("", " shared")):
            roots.append(os.path.join(c.root, "tmp", "boxes%d" % mom.k))
            os.mkdir(roots[-1])
            os.chmod(roots[-1], 0o1777)
            c.write(os.path.basename(mom.home) + "/mom_priv/config", before + "$jobdir_root %s%s\n" % (roots[-1], word))
            mom.send_signal(signal.SIGHUP)
            mom.log_match(";jobdir_root;" + roots[-1])
        jid = three(c, "for n in 1 2; do pbsdsh -n $n -- /bin/sh -c 'echo $PBS_JOBDIR; stat -c \"%a %U\" $PBS_JOBDIR || "
                       "echo none'; done\ncat /dev/null > kept\n", ["-N boxes", "-W sandbox=PRIVATE"])
        ended(c, jid)
        names = ["%s/pbs.%s.x8z" % (root, jid) for root in roots]
        assert c.output(USER1, "boxes.o" + jid.split(".")[0]).splitlines() == \
            [names[0], "700 " + USER1, names[1], "none"]
        c.output(USER1, "boxes.e" + jid.split(".")[0])
        c.moms[1].log_match(";0008;pbs_mom;Job;%s;created the job directory %s" % (jid, names[0]))
        wait_for("no directories", lambda: not any(map(os.listdir, roots)))
    finally:
        for mom in c.moms[1:]:
            c.write(os.path.basename(mom.home) + "/mom_priv/config", before)
            mom.send_signal(signal.SIGHUP)


def test_commands_run_on_a_host_by_its_name(c):
    jid = three(c, "pbs_tmrsh h2 'hostname; exit 7'\necho rc=$?\n"
                   "pbs_tmrsh elsewhere true\necho rc=$?\n", ["-N rsh"])
    ended(c, jid)
    assert c.output(USER1, "rsh.o" + jid.split(".")[0]) == "h2\nrc=7\nrc=1\n"
    assert "elsewhere" in c.output(USER1, "rsh.e" + jid.split(".")[0])


def test_outside_of_a_job_there_are_no_tasks(c):
    for words in (["pbsdsh", "true"], ["pbs_tmrsh", "h1", "true"]):
        done = c.run(words, user=USER1, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (
            1, "", words[0] + ": not executing under PBS\n")


def test_options_of_pbsdsh(c):
    """Copies and vnodes go round, a signal counts as in a shell, what cannot be run is said."""
    jid = three(c, "echo() { /bin/echo $1 $?; }\n"
                   "pbsdsh -c 4 -- /bin/sh -c 'echo on $PBS_NODENUM'; echo rc\n"
                   "pbsdsh -n 4 -- /bin/sh -c 'echo at $PBS_NODENUM'; echo rc\n"
                   "pbsdsh -c 0 -- /bin/echo none; echo rc\n"
                   "pbsdsh -n 1 -- /bin/sh -c 'kill -9 $$'; echo rc\n"
                   "pbsdsh -s -- /bin/sh -c 'echo turn $PBS_NODENUM'; echo rc\n"
                   "pbsdsh -n 0 -- /bin/echo 'a  b' '' '*'; echo rc\n"
                   "pbsdsh -n 1 -- /nonexistent; echo rc\n"
                   "for o in '-c x' '-n -1' '-c 1 -n 1' '-h h1' -z; do pbsdsh $o true; echo rc; done\n",
                ["-N opts"])
    ended(c, jid)
    out = c.output(USER1, "opts.o" + jid.split(".")[0]).splitlines()
    assert sorted(out[:4]) == ["on 0", "on 0", "on 1", "on 2"]
    assert out[4:] == ["rc 0", "at 1", "rc 0", "rc 0", "rc 137", "turn 0", "turn 1", "turn 2",
                       "rc 0", "a  b  *", "rc 0", "rc 254"] + ["rc 1"] * 5
    err = c.output(USER1, "opts.e" + jid.split(".")[0])
    assert "exec of /nonexistent failed with error: No such file or directory" in err
    assert err.count("Usage: pbsdsh") == 5


def test_tasks_that_are_left_end_with_the_script(c):
    """At once and by SIGKILL, whichever session and host they are in (execution.md 19)."""
    told = os.path.join(c.root, "told")
    jid = three(c, "pbsdsh -o -- /bin/sh -c 'trap \"echo >%s\" TERM; "
                   "while :; do /bin/sleep 3988; done'\n"
                   "while [ ! -e %s/go ]; do sleep 0.1; done\n" % (told, c.root))
    wait_for("three tasks", lambda: len(sleepers(3988)) == 3)
    c.write("go", "")
    ended(c, jid)
    assert list(processes_of_job(c, jid)) == [] and not os.path.exists(told)
    os.unlink(os.path.join(c.root, "go"))


def test_deletion_ends_the_tasks_on_all_hosts(c):
    jid = three(c, "pbsdsh -o -- /bin/sleep 3987\nsleep 1000\n", ["-N del"])
    for mom, task in ((c.moms[1], "40000001"), (c.moms[2], "80000001")):
        mom.log_match("%s;task %s started" % (jid, task))
    wait_for("three tasks", lambda: len(sleepers(3987)) == 3)
    c.server.delete(jid)
    ended(c, jid)
    assert sleepers(3987) == []
    for mom in c.moms[1:]:
        mom.log_match("%s;DELETE_JOB received" % jid)


def spread(c, seconds, name):
    """A job whose three tasks sleep."""
    jid = three(c, "pbsdsh -- /bin/sleep %d\n" % seconds, ["-N " + name])
    wait_for(lambda: "three tasks of %s" % c.server.status(JOB, id=jid),
             lambda: len(sleepers(seconds)) == 3)
    return jid


def sleepers(seconds):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as f:
                if f.read() == b"/bin/sleep\0%d\0" % seconds:
                    found.append(int(pid))
        except OSError:
            continue
    return found


def state_of(pid):
    with open("/proc/%d/stat" % pid) as f:
        return f.read().rsplit(")", 1)[1].split()[0]


def test_signals_reach_all_hosts(c):
    jid = spread(c, 3986, "sig")
    c.run(["qsig", "-s", "SIGSTOP", jid])
    wait_for("all to stop", lambda: [state_of(p) for p in sleepers(3986)] == ["T"] * 3)
    c.run(["qsig", "-s", "SIGCONT", jid])
    wait_for("all to go on", lambda: [state_of(p) for p in sleepers(3986)] == ["S"] * 3)
    c.run(["qsig", "-s", "SIGKILL", jid])
    ended(c, jid)
    assert sleepers(3986) == []


def test_usage_of_all_hosts_is_summed(c):
    jid = three(c, "pbsdsh -- /bin/sh -c 'i=0; while [ $i -lt 2000000 ]; do i=$((i+1)); done'\n",
                ["-N sum"])
    ended(c, jid)
    line = c.server.accounting_match("E;%s;" % jid)
    cput = re.search(r"resources_used.cput=(\d+):(\d+):(\d+)", line)
    assert sum(int(x) * f for x, f in zip(cput.groups(), (3600, 60, 1))) >= 2, line


def test_a_sister_dies_and_returns(c):
    """A sister's MoM dies and comes back: with its tasks the job goes on."""
    jid = spread(c, 3985, "back")
    c.moms[1].kill()
    c.moms[0].log_match("lost communication with h1, not killing job yet")
    assert len(sleepers(3985)) == 3
    c.moms[1].start()
    c.server.expect(VNODE, {"state": (MATCH_RE, "free|job-busy")}, id="h1")
    c.server.expect(JOB, {"job_state": "R"}, id=jid)
    c.server.delete(jid)
    ended(c, jid)
    assert sleepers(3985) == []


def test_a_program_makes_every_call_of_task_management(c):
    """Compiled with the installed header and library alone, as an MPI library is."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "library", "tasks.c")
    program, lib = os.path.join(c.root, "tasks"), os.path.join(c.prefix, "lib")
    subprocess.run(["cc", "-I", os.path.join(c.prefix, "include"), "-o", program, here,
                    "-L", lib, "-Wl,-rpath," + lib, "-lpbs"], check=True)
    jid = three(c, program + "\n", ["-N tm"])
    ended(c, jid)
    assert c.output(USER1, "tm.o" + jid.split(".")[0]) == "ok\n"


def test_the_mother_superior_is_restarted(c):
    """The job goes on, and what tasks on other hosts write meanwhile is in its output."""
    wait = "while [ ! -e %s/%s ]; do sleep 0.2; done; "
    jid = three(c, "pbsdsh -o -n 1 -- /bin/sh -c '%secho after'\n%secho end\n" %
                (wait % (c.root, "go"), wait % (c.root, "done")), ["-N ms"])
    c.moms[1].log_match("%s;task 40000001 started" % jid)
    c.moms[0].kill()
    c.moms[0].start()
    c.server.expect(VNODE, {"state": (MATCH_RE, "free|job-busy")}, id="h0")
    c.server.expect(JOB, {"job_state": "R"}, id=jid)
    c.write("go", "")
    c.moms[1].log_match("%s;task 40000001 terminated" % jid)
    c.write("done", "")
    ended(c, jid)
    assert sorted(c.output(USER1, "ms.o" + jid.split(".")[0]).split()) == ["after", "end"]
    c.moms[1].log_match("%s;DELETE_JOB received" % jid)


def test_a_job_whose_host_cannot_be_reached_waits_and_starts_later(c):
    c.link(2, up=False)
    jid = three(c, "sleep 1\n", ["-N cut"])
    try:
        c.moms[0].log_match("%s;job_start_error" % jid)
    finally:
        c.link(2, up=True)
    c.run(["qrls", "-h", "s", jid], check=False)
    ended(c, jid)
    c.server.accounting_match("E;%s;" % jid)


def release(c, *words, user=USER1):
    done = c.run(["pbs_release_nodes"] + list(words), user=user, check=False)
    return done.returncode, done.stdout, done.stderr


def assigned(c, host):
    return c.server.status(VNODE, id=host)[0].get("resources_assigned.ncpus", "0")


def test_vnodes_are_given_back_while_the_job_runs(c):
    """Its tasks there end, others may run there, and accounting has both phases."""
    jid = spread(c, 3984, "narrow")
    assert release(c, "-j", jid, "h1") == (0, "", "")
    assert len(sleepers(3984)) == 2
    job = c.server.status(JOB, id=jid)[0]
    assert job["exec_host"] == "h0/0+h2/0"
    assert job["exec_vnode"] == "(h0:ncpus=1)+(h2:ncpus=1)"
    assert (job["Resource_List.ncpus"], job["Resource_List.nodect"]) == ("2", "2")
    assert job["Resource_List.select"] == job["schedselect"] == "1:ncpus=1+1:ncpus=1"
    assert (assigned(c, "h1"), assigned(c, "h2")) == ("0", "1")
    c.moms[1].log_match("%s;DELETE_JOB2 received" % jid)
    assert c.read("home/aux/" + jid) == "h0\nh2\n"
    other = c.server.submit(Job(script="#!/bin/sh\n#PBS -l select=1:ncpus=2:host=h1\nsleep 1\n"))
    ended(c, other)
    c.server.delete(jid)
    ended(c, jid)
    assert sleepers(3984) == []
    assert "exec_host=h0/0+h1/0+h2/0 " in c.server.accounting_match(";u;%s;" % jid)
    assert "exec_host=h0/0+h2/0 " in c.server.accounting_match(";c;%s;" % jid)
    assert "exec_host=h0/0+h2/0 " in c.server.accounting_match(";e;%s;" % jid)
    assert "exec_host=h0/0+h1/0+h2/0 " in c.server.accounting_match(";E;%s;" % jid)


def test_a_job_gives_its_own_vnodes_back(c):
    """With -a and -k, out of the job: PBS_JOBID names it. It ends as ever."""
    jid = three(c, "export PBS_CONF_FILE=" + c.conf + "\n"
                   "pbs_release_nodes -k 2 && echo $(cat $PBS_NODEFILE)\n"
                   "pbs_release_nodes -a && echo $(cat $PBS_NODEFILE)\n"
                   "pbsdsh -- /bin/echo here\n", ["-N own"])
    ended(c, jid)
    assert c.output(USER1, "own.e" + jid.split(".")[0]) == ""
    assert c.output(USER1, "own.o" + jid.split(".")[0]) == "h0 h1\nh0\nhere\n"
    for mom in c.moms[1:]:
        mom.log_match("%s;DELETE_JOB2 received" % jid)


def test_what_cannot_be_given_back_is_said(c):
    jid = spread(c, 3983, "keep")
    code, out, err = release(c, "-j", jid, "h0")
    assert (code, out) == (15010 & 255, "")
    assert err.startswith("pbs_release_nodes: Can't free 'h0' since it's on a primary "
                          "execution host")
    assert release(c, "-j", jid, "-k", "3") == (0, "pbs_release_nodes: select=3\n", "")
    assert "bogus" not in release(c, "-j", jid, "-k", "select=bogus")[1]
    assert release(c, "-j", jid, "-k", "select=bogus")[0] == 15014 & 255
    assert release(c, "-j", jid, "h1", user=USER2)[0] == 15007 & 255
    assert release(c, "-j", "999", "-a") == (
        153, "", "pbs_release_nodes: Unknown Job Id 999.%s\n" % jid.split(".", 1)[1])
    assert release(c, "-a")[::2] == (2, "pbs_release_nodes: No jobid given\n")
    # An empty word, as of a variable that is not set, is not the wish to give everything back.
    for words in (["-j", "2", "-a", "-k", "1"], ["-j", "2", "-k", "1", "h1"], [], ["-x"], ["-j"],
                  ["-j", jid, "-k", ""], ["-j", jid, ""], ["-j", jid, "h1", ""], ["-j", jid, "+"],
                  ["-j", jid, "-a", "h1"], ["-j", jid, "-k"]):
        code, out, err = release(c, *words)
        assert (code, out) == (2, "") and "usage: pbs_release_nodes" in err, words
    for word in ("12x", "", "12[", jid + "@"):
        code, out, err = release(c, "-j", word, "h1")
        assert (code, out) == (2, "") and err == (
            "pbs_release_nodes: illegally formed job identifier: %s\n" % word if word else
            "pbs_release_nodes: No jobid given\n"), word
    # One that cannot go keeps the others, and number of hosts and select are as they should be.
    for words, rc in ((["h1", "nosuch"], 15010), (["h1", "h0"], 15010), (["h1.x"], 15010),
                      (["-k", "4"], 15183), (["-k", "0"], 15108), (["-k", "-1"], 15108),
                      (["-k", "1x"], 15108), (["-k", "x"], 15004), (["-k", "select="], 15014),
                      (["-k", "select=1:ncpus=2"], 15183)):
        code, out, err = release(c, "-j", jid, *words)
        assert (code, out) == (rc & 255, "") and err.endswith(" %s\n" % jid), (words, err)
    assert c.server.status(JOB, id=jid)[0]["exec_host"] == "h0/0+h1/0+h2/0"
    assert len(sleepers(3983)) == 3
    c.server.delete(jid)
    ended(c, jid)


def test_a_lost_host_can_be_given_back(c):
    """The job goes on without it, and what is left of it there ends when it returns."""
    jid = spread(c, 3982, "off")
    c.moms[2].kill()
    try:
        c.moms[0].log_match("%s;im_eof, lost communication with h2, not killing job yet" % jid)
        assert release(c, "-j", jid, "h2") == (0, "", "")
        assert c.server.status(JOB, id=jid)[0]["exec_host"] == "h0/0+h1/0"
        assert len(sleepers(3982)) == 3
    finally:
        c.moms[2].start()
    c.server.log_match("%s;Discard running job, has left this host" % jid)
    wait_for("the task on h2 to end", lambda: len(sleepers(3982)) == 2)
    c.server.expect(VNODE, {"state": (MATCH_RE, "free|job-busy")}, id="h2")
    c.server.expect(JOB, {"job_state": "R"}, id=jid)
    c.server.delete(jid)
    ended(c, jid)


def states_of(c, jid):
    """The letters of the states of all processes of the job, on whichever host."""
    letters = set()
    for pid in processes_of_job(c, jid):
        with contextlib.suppress(OSError), open("/proc/%d/stat" % pid) as f:
            letters.add(f.read().rsplit(")", 1)[1].split()[0])
    return letters


def test_it_is_suspended_and_resumed_on_every_host(c):
    jid = three(c, "pbsdsh -- sleep 1000\n")
    c.server.expect(JOB, {"job_state": "R"}, id=jid)
    for mom, task in zip(c.moms[1:], ("40000001", "80000001")):
        mom.log_match("%s;task %s started" % (jid, task))
    c.run(["qsig", "-s", "suspend", jid])
    wait_for("all of it stands", lambda: states_of(c, jid) == {"T"})
    c.run(["qsig", "-s", "resume", jid])
    c.server.expect(JOB, {"job_state": "R", "substate": "42"}, id=jid)
    wait_for("all of it runs", lambda: states_of(c, jid) and "T" not in states_of(c, jid))
    c.run(["qsig", "-s", "suspend", jid])
    c.run(["qdel", jid])
    ended(c, jid)
    wait_for("nothing of it is left", lambda: not states_of(c, jid))
