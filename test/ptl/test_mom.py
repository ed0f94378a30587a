# SPDX-License-Identifier: Apache-2.0
"""What the MoM does with a job: its world, its limits, its end, and restarts."""
import os
import shutil
import signal
import socket
import subprocess

import pytest

from holdfast import *
from holdfast.cluster import free_ports
from holdfast.services import wait_for
from story import *


def seq(jid):
    return jid.split(".")[0]


def exit_status(server, jid):
    line = server.accounting_match(";E;%s;" % jid)
    return int(line.split("Exit_status=")[1].split()[0])


def session_of(server, jid):
    return server.status(JOB, jid)[0]["session_id"]


def test_a_job_finds_its_world(cluster):
    server = cluster.server
    jid = server.submit(Job(attrs={"Resource_List.select": "2:ncpus=1:mpiprocs=2",
                                   "Job_Name": "world", "Variable_List": "A=1,B=two"},
                            script="#!/bin/sh\nenv\necho NODES $(wc -l < $PBS_NODEFILE)\n"
                                   "echo IN $(pwd) MASK $(umask)\n"
                                   "test -d $TMPDIR && echo SCRATCH\nexit 42\n"))
    assert exit_status(server, jid) == 42
    text = cluster.output(USER1, "world.o" + seq(jid))
    lines = text.splitlines()
    for want in ("PBS_JOBID=" + jid, "PBS_JOBNAME=world", "PBS_QUEUE=workq",
                 "PBS_ENVIRONMENT=PBS_BATCH", "ENVIRONMENT=BATCH", "PBS_NODENUM=0",
                 "PBS_TASKNUM=1", "A=1", "B=two", "NCPUS=1", "OMP_NUM_THREADS=1",
                 "NODES 4", "SCRATCH"):
        assert want in lines, want
    assert any(line.startswith("IN ") and line.endswith("MASK 0077") for line in lines)
    assert cluster.output(USER1, "world.e" + seq(jid)) == ""
    scratch = [line for line in lines if line.startswith("TMPDIR=")][0][len("TMPDIR="):]
    wait_for("no scratch directory", lambda: not os.path.exists(scratch))
    wait_for("no files of the job",
             lambda: not os.listdir(os.path.join(cluster.home, "mom_priv", "jobs")))


def test_the_router_tells_of_a_mom(cluster):
    """Three seconds after the MoM has joined (tpp.md 5.4)."""
    cluster.server.log_match("TPP;.*Received UPDATE from pbs_comm", regexp=True)


def test_an_empty_script_is_a_job(cluster):
    jid = cluster.run(["qsub"], user=USER1, input="").stdout.strip()
    assert exit_status(cluster.server, jid) == 0


def test_joined_output_and_a_killed_job(cluster):
    server = cluster.server
    jid = server.submit(Job(attrs={"Join_Path": "oe", "Job_Name": "joined"},
                            script="#!/bin/sh\necho out\necho err >&2\nkill -9 $$\n"))
    assert exit_status(server, jid) in (137, 265)
    text = cluster.output(USER1, "joined.o" + seq(jid))
    assert text.splitlines()[:2] == ["out", "err"]


def test_what_a_job_leaves_behind(cluster):
    """Its session is ended with it; what has lost its parent meanwhile is waited for."""
    note = cluster.write("tmp/left", "")
    os.chmod(note, 0o666)
    jid = cluster.server.submit(Job(attrs={"Job_Name": "leaves", "Join_Path": "oe"}, script=(
        "#!/bin/sh\n(sleep 1000 </dev/null >/dev/null 2>&1 & echo $! > %s)\n"
        "for i in 1 2 3 4 5 6 7 8 9; do (true & echo $! >> $TMPDIR/orphans); done\n"
        "for p in $(cat $TMPDIR/orphans); do while kill -0 $p 2>/dev/null; do sleep 0.1; done; done\n"
        "echo waited\n"
        % note)))
    assert exit_status(cluster.server, jid) == 0
    assert cluster.output(USER1, "leaves.o" + seq(jid)) == "waited\n"
    left = int(cluster.read("tmp/left"))
    wait_for("the end of what was left", lambda: not os.path.exists("/proc/%d" % left))


def test_the_port_of_the_configuration(cluster):
    """It is the service port, unless the command line says another one."""
    port = free_ports(2)[0]
    cluster.write("home/mom_priv/config", "$port %d\ntape 4\n" % port)
    cluster.mom.restart()
    cluster.mom.log_match("MOM:%d RM:%d" % (port, port + 1))
    cluster.mom.log_match("add name tape value 4")
    with socket.create_connection(("127.0.0.1", port)):
        pass
    cluster.write("home/mom_priv/config", "")
    cluster.mom.restart()
    cluster.wait_nodes()


def test_walltime_is_the_end(cluster):
    server = cluster.server
    jid = server.submit(Job(attrs={"Resource_List.walltime": 2, "Job_Name": "long"},
                            script="#!/bin/sh\nsleep 1000\n"))
    assert exit_status(server, jid) == -29
    assert "=>> PBS: job killed: walltime" in cluster.output(USER1, "long.e" + seq(jid))
    cluster.output(USER1, "long.o" + seq(jid))


def test_kill_follows_term(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, QUEUE, {"kill_delay": 1}, id="workq")
    jid, told = script_that_catches(cluster, "")
    session = session_of(server, jid)
    server.delete(jid)
    is_gone(server, JOB, jid)
    assert read(told) == "ready\n"
    wait_for("no process of the job", lambda: not os.path.exists("/proc/" + session))
    cluster.mom.log_match(";%s;signal job with TermJob" % jid)


def read(path):
    with open(path) as f:
        return f.read()


def script_that_catches(cluster, commands):
    """A job whose script does this at SIGTERM, and the file that it writes into."""
    told = os.path.join(cluster.root, "tmp", "told")
    jid = running_job(cluster.server, script="#!/bin/sh\ntrap '%s' TERM\necho ready > %s\n"
                      "while :; do sleep 0.1; done\n" % (commands.replace("TOLD", told), told))
    wait_for("the trap", lambda: os.path.exists(told) and read(told))
    return jid, told


@pytest.mark.parametrize("how", ["qdel", "qrerun"])
def test_a_script_has_its_time_to_clean_up(cluster, how):
    """Its login shell ends at once by the same signal, and the job with the script."""
    server = cluster.server
    server.manager(MGR_CMD_SET, QUEUE, {"kill_delay": 3600}, id="workq")
    jid, told = script_that_catches(cluster, "sleep 1; echo cleaned >> TOLD; exit 3")
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    cluster.run([how, jid])
    if how == "qdel":
        is_gone(server, JOB, jid)
    else:
        server.expect(JOB, {"job_state": "Q"}, id=jid)
    assert read(told) == "ready\ncleaned\n"


def test_what_has_left_the_session_is_not_waited_for(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, QUEUE, {"kill_delay": 3600}, id="workq")
    pid = os.path.join(cluster.root, "tmp", "pid")
    jid = running_job(server, script="#!/bin/sh\nsetsid sh -c 'trap \"\" TERM; echo $$ > %s; "
                      "while :; do sleep 0.1; done' > /dev/null 2>&1 &\nsleep 1000\n" % pid)
    wait_for("the process", lambda: os.path.exists(pid) and read(pid))
    server.delete(jid)
    is_gone(server, JOB, jid)
    os.kill(int(read(pid)), signal.SIGKILL)


def test_an_end_without_a_mom_is_known(cluster):
    server = cluster.server
    gate = Gate(cluster)
    jid = running_job(server, script=script_until(gate.path) + "exit 7\n")
    session = session_of(server, jid)
    cluster.mom.kill()
    gate.open()
    wait_for("the end of the job's session", lambda: not os.path.exists("/proc/" + session))
    cluster.mom.start()
    assert exit_status(server, jid) == 7


def test_a_stopped_mom_gives_its_jobs_back(cluster):
    server = cluster.server
    jid = running_job(server)
    session = session_of(server, jid)
    cluster.mom.stop(signal.SIGTERM)
    assert not os.path.exists("/proc/" + session)
    cluster.mom.start()
    server.expect(JOB, {"job_state": "R", "run_count": 2}, id=jid)
    server.delete(jid)
    is_gone(server, JOB, jid)


def test_an_interrupted_mom_leaves_its_jobs(cluster):
    server = cluster.server
    jid = running_job(server)
    session = session_of(server, jid)
    cluster.mom.stop(signal.SIGINT)
    assert os.path.exists("/proc/" + session)
    cluster.mom.start()
    server.expect(VNODE, {"state": (MATCH_RE, "^(free|job-busy)$")}, id="vn[0]")
    server.expect(JOB, {"job_state": "R", "session_id": session, "run_count": 1}, id=jid)
    server.delete(jid)
    is_gone(server, JOB, jid)


def test_output_that_cannot_be_delivered_is_kept(cluster):
    server = cluster.server
    jid = server.submit(Job(attrs={"Output_Path": "/no/such/directory/out", "Join_Path": "oe"},
                            script="#!/bin/sh\necho precious\n"))
    assert exit_status(server, jid) == 0
    kept = os.path.join(cluster.home, "undelivered", jid + ".OU")
    wait_for("the kept output", lambda: os.path.exists(kept))
    with open(kept) as f:
        assert f.read() == "precious\n"
    is_gone(server, JOB, jid)


@pytest.mark.parametrize("shell, status", [("/no/such/shell", 254)])
def test_a_shell_that_is_not_there(cluster, shell, status):
    server = cluster.server
    jid = server.submit(Job(attrs={"Shell_Path_List": shell, "Job_Name": "noshell"}, sleep=0))
    assert exit_status(server, jid) == status
    assert cluster.output(USER1, "noshell.e" + seq(jid)) == \
        "pbs_mom, exec of %s failed with error: No such file or directory\n" % shell
    cluster.output(USER1, "noshell.o" + seq(jid))


def test_vnode_files(cluster):
    mom = os.path.join(cluster.exec_dir, "sbin", "pbs_mom")
    path = cluster.write("more.def", "$configversion 2\n"
                                     "more[0]: resources_available.ncpus = 3\n")
    assert cluster.run([mom, "-s", "insert", "more", path]).stdout == ""
    assert "more" in cluster.run([mom, "-s", "list"]).stdout.splitlines()
    assert cluster.run([mom, "-s", "insert", "more", path], check=False).returncode == 1
    assert "more[0]: resources_available.ncpus = 3" in cluster.run([mom, "-s", "show", "more"]).stdout
    cluster.mom.send_signal(signal.SIGHUP)
    cluster.server.expect(VNODE, {"state": "free", "resources_available.ncpus": 3}, id="more[0]")
    cluster.run([mom, "-s", "remove", "more"])
    assert "more" not in cluster.run([mom, "-s", "list"]).stdout.splitlines()
    # It stays until the MoM is started again, or the configuration says otherwise.
    reports = [line for line in cluster.server.log_lines() if "Mom reporting" in line]
    cluster.mom.send_signal(signal.SIGHUP)
    wait_for("the next report", lambda: len([
        line for line in cluster.server.log_lines() if "Mom reporting" in line]) > len(reports))
    assert cluster.server.status(VNODE, "more[0]")[0]["state"] == "free"
    cluster.write("home/mom_priv/config", "$vnodedef_additive no\n")
    cluster.mom.send_signal(signal.SIGHUP)
    cluster.server.expect(VNODE, {"state": (MATCH_RE, "Stale")}, id="more[0]")
    cluster.write("home/mom_priv/config", "")
    assert cluster.run([mom, "-s", "nonsense"], check=False).returncode == 1


def test_vnode_files_with_mistakes(cluster):
    """Each is told to the caller, and stands in the log; nothing is made or removed."""
    mom = os.path.join(cluster.exec_dir, "sbin", "pbs_mom")
    good = cluster.write("good", "$configversion 2\nmore[0]: Priority = 3\n")
    link, fifo = good + "-link", good + "-fifo"
    os.symlink(good, link)
    os.mkfifo(fifo)
    kept = os.path.join(cluster.home, "mom_priv", "config.d")
    for words, text in [
            (["insert", "PBSmore", good], 'config file may not start with "PBS"'),
            (["insert", "vnodes", good], "attempt to add existing config file %s/vnodes" % kept),
            (["insert", "more", good + "-none"], "access R_OK %s-none: No such file" % good),
            (["insert", "more", kept], "access R_OK %s is a directory" % kept),
            (["insert", "more", fifo], "access R_OK %s is a FIFO" % fifo),
            (["insert", "../more", good], "../more is not a file name"),
            (["insert", ".more", good], ".more is not a file name"),
            (["insert", "", good], " is not a file name"),
            (["insert", "two\nlines", good], "two\nlines is not a file name"),
            (["insert", "x" * 300, good], "x" * 60 + " is not a file name"),
            (["remove", "PBSmore"], 'file begins with reserved prefix "PBS" and may not be removed'),
            (["remove", "more"], "%s/more: No such file" % kept),
            (["show", "more"], "access R_OK %s/more" % kept)]:
        done = cluster.run([mom, "-s"] + words, check=False, timeout=30)
        assert done.returncode == 1 and text in done.stderr, (words, done)
        if "\n" not in text:
            cluster.mom.log_match(";0001;pbs_mom;Svr;pbs_mom;" + done.stderr[len("pbs_mom: "):-1])
    assert cluster.run([mom, "-s", "list"]).stdout == "vnodes\n"
    # What a link leads to is copied.
    cluster.run([mom, "-s", "insert", "more", link])
    assert cluster.run([mom, "-s", "show", "more"]).stdout == cluster.read("good")
    path = os.path.join(kept, "more")
    assert not os.path.islink(path) and os.stat(path).st_mode & 0o7777 == 0o600


def test_what_others_could_have_written_is_not_read(cluster):
    """Whoever writes there would decide what root runs: the MoM does not start, and after HUP it goes
    on with what it has."""
    mom = os.path.join(cluster.exec_dir, "sbin", "pbs_mom")
    config = cluster.write("home/mom_priv/config", "$prologalarm 77\n$momname elsewhere\n")
    kept = os.path.join(cluster.home, "mom_priv", "config.d")
    unsafe = "warning: config file has a non-secure file access mask"

    def start(text):
        done = cluster.run([mom, "-N"], check=False, timeout=30)
        assert done.returncode and text in done.stderr, done
        return done.returncode

    for n, (path, good, bad) in enumerate([(config, 0o644, 0o664), (kept, 0o751, 0o771),
                                           (os.path.join(kept, "vnodes"), 0o644, 0o646)]):
        os.chmod(path, bad)
        cluster.mom.send_signal(signal.SIGHUP)
        wait_for("a refusal", lambda: sum("keeping the old configuration" in line
                                          for line in cluster.mom.log_lines()) > n)
        os.chmod(path, good)
    assert sum(unsafe in line for line in cluster.mom.log_lines()) == 3
    cluster.mom.stop()
    os.chmod(config, 0o664)
    assert start("config file(s) parsing failed") == 1
    os.chmod(config, 0o644)
    # A link is as safe as what it leads to.
    os.rename(config, config + ".real")
    os.symlink(config + ".real", config)
    environment = os.path.join(cluster.home, "pbs_environment")
    os.chmod(environment, 0o664)
    assert start("Warning: one of chk_file_sec failed: " + environment) == 3
    os.chmod(environment, 0o644)
    cluster.mom.start()
    cluster.mom.log_match("prolog alarm;77")
    cluster.server.log_match("elsewhere reported in UPDATE2 message from Mom on " + cluster.host)
    cluster.wait_nodes()


def test_a_second_mom_is_refused(cluster):
    mom = os.path.join(cluster.exec_dir, "sbin", "pbs_mom")
    done = cluster.run([mom, "-N"], check=False)
    assert done.returncode == 1
    assert "another mom running" in done.stderr
    assert cluster.mom.is_up()


WRONG_WORDS = [
    # The port of the resource monitor is the one behind the MoM's.
    ("-M 65535", 1, "Bad RM port value 65536"),
    ("-M 0", 1, "Bad MOM port value 0"),
    ("-M x", 1, "Bad MOM port value x"),
    ("-M 70000", 1, "Bad MOM port value 70000"),
    ("-R 1x", 1, "Bad RM port value 1x"),
    ("-R 65535", 1, "Mom RM port must be one greater than the Mom Service port"),
    ("-S 0", 1, "Bad Server port value 0"),
    ("-a x", 1, "x: bad alarm time\nUsage: "),
    ("-a -5", 1, "-5: bad alarm time\nUsage: "),
    ("-n x", 1, "x: bad nice value\nUsage: "),
    ("-n 21", 1, "21: bad nice value\nUsage: "),
    ("-n -21", 1, "-21: bad nice value\nUsage: "),
    ("-d here", 1, "pbs_mom: \"here\" is not an absolute path"),
    ("-d ", 1, "pbs_mom: \"\" is not an absolute path"),
    ("-L here", 1, "pbs_mom: Unable to open logfile\npbs_mom: here: not an absolute path"),
    ("-L /no/such/directory/log", 1, "pbs_mom: Unable to open logfile"),
    ("-C here", 3, "pbs_mom: \"here\" is not an absolute path"),
    ("-C /tmp", 3, "pbs_mom: /tmp: the checkpoint directory must be root's alone (0700)"),
    ("-c missing", 1, "config file(s) parsing failed"),
    ("-p -r", 1, "Usage: "),
    ("-Z", 1, "Usage: "),
    ("-Q", 1, "Usage: "),
    ("operand", 1, "Usage: "),
    ("-s", 1, "Usage: "),
    ("-s list more", 1, "Usage: "),
    ("-s insert name", 1, "Usage: "),
    ("-s show", 1, "Usage: "),
    ("-s remove a b", 1, "Usage: "),
]


def test_words_of_the_command_line_that_are_wrong(cluster):
    """Each is told, and nothing is begun."""
    mom = os.path.join(cluster.exec_dir, "sbin", "pbs_mom")
    cluster.mom.stop()
    folder = cluster.run(["ls", "-R", cluster.home]).stdout
    for words, status, text in WRONG_WORDS:
        done = cluster.run([mom, "-N"] + words.split(" "), check=False, timeout=30)
        assert done.returncode == status, (words, done)
        assert text in done.stderr, (words, done)
        # Of ports it is said without a name before it (execution.md 1).
        assert words[1] not in "MRS" or done.stderr == text + "\n", (words, done)
        assert done.stdout == ""
    assert cluster.run(["ls", "-R", cluster.home]).stdout == folder


def newest_record(path):
    """What a job's file has: each half begins with a line "HFR1 TURN BYTES LENGTH SUM"."""
    with open(path, "rb") as f:
        data = f.read()
    halves = [h for h in (data[:len(data) // 2], data[len(data) // 2:]) if h.startswith(b"HFR1 ")]
    newest = max(halves, key=lambda h: int(h.split()[1], 16))
    return newest[64:64 + int(newest.split()[3], 16)]


def test_the_record_of_an_older_mom_is_read(cluster):
    """Its file is the record and nothing else; the job runs on and ends with its own status."""
    server, gate = cluster.server, Gate(cluster)
    jid = running_job(server, script=script_until(gate.path) + "exit 7\n")
    session = session_of(server, jid)
    cluster.mom.kill()
    path = os.path.join(cluster.home, "mom_priv", "jobs", jid + ".JB")
    record = newest_record(path)
    assert record.startswith(b"+4HFJ5") and session.encode() in record
    with open(path, "wb") as f:
        f.write(record)
    cluster.mom.start()
    gate.open()
    assert exit_status(server, jid) == 7
    assert "session=%s " % session in server.accounting_match(";E;%s;" % jid)


def test_a_copy_of_a_record_is_no_second_job(cluster):
    """Whatever is found first, the job keeps its record and runs on."""
    server = cluster.server
    gate = Gate(cluster)
    jid = running_job(server, script=script_until(gate.path) + "exit 7\n")
    session = session_of(server, jid)
    cluster.mom.kill()
    jobs = os.path.join(cluster.home, "mom_priv", "jobs")
    for i in range(20):
        shutil.copy(os.path.join(jobs, jid + ".JB"), os.path.join(jobs, "%d.%s.JB" % (i, jid)))
    cluster.mom.start()
    wait_for("the copies to be removed", lambda: not [
        name for name in os.listdir(jobs) if name.endswith("." + jid + ".JB")])
    assert jid + ".JB" in os.listdir(jobs)
    gate.open()
    assert exit_status(server, jid) == 7
    assert "session=%s " % session in server.accounting_match(";E;%s;" % jid)


PARENT, SESSION = 1, 3


def stat_of(pid):
    """The numbers of /proc/PID/stat behind the command's name; the state is the first."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            fields = f.read().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return [fields[0]] + [int(f) for f in fields[1:]]


def processes_of(session):
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in pids if (stat_of(pid) or [0] * 4)[SESSION] == session]


def stranger_with_pid(pid):
    """A process, leader of its own session, that has got the number; None: others were faster."""
    for _ in range(200):
        try:
            with open("/proc/sys/kernel/ns_last_pid", "w") as f:
                f.write(str(pid - 1))
        except OSError as err:
            pytest.skip("the next process number cannot be chosen here: %s" % err)
        stranger = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        if stranger.pid == pid:
            return stranger
        stranger.kill()
        stranger.wait()
    return None


def test_a_session_that_somebody_else_has_by_now_is_left_alone(cluster):
    """Numbers of processes are used again: the job was lost while no MoM looked, and whoever has
    its number is no part of it."""
    server = cluster.server
    jid = running_job(server)
    session = int(session_of(server, jid))
    shepherd = stat_of(session)[PARENT]
    cluster.mom.kill()
    # The number is free when nothing has it any more, be it as that of a session.
    for pid in [shepherd] + processes_of(session):
        os.kill(pid, signal.SIGKILL)
    wait_for("the end of the job's processes", lambda: not processes_of(session))
    stranger = stranger_with_pid(session)
    if not stranger:
        pytest.skip("the number went to others")
    try:
        cluster.mom.start()
        server.expect(JOB, {"job_state": "R", "run_count": 2}, id=jid)
        server.delete(jid)
        is_gone(server, JOB, jid)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_deleted_vnodes_stay_away(cluster):
    """A vnode that is deleted does not come back with the next report; a MoM without vnodes is
    refused until it is created again, and then all that it reports is there."""
    server, mom = cluster.server, cluster.mom
    server.manager(MGR_CMD_DELETE, NODE, id="vn[1]")
    mom.send_signal(signal.SIGHUP)
    server.log_match("vn[1] reported in UPDATE2 message from Mom on %s" % cluster.host)
    assert "vn[1]" not in {n["id"] for n in server.status(NODE)}
    server.manager(MGR_CMD_DELETE, NODE, id="@default")
    mom.log_match("Server closed connection.")
    mom.send_signal(signal.SIGHUP)
    server.log_match("reason=tfind2:pmom")
    assert server.status(NODE) == []
    server.manager(MGR_CMD_CREATE, NODE, {"Port": cluster.ports["mom"]}, id=cluster.host)
    cluster.wait_nodes()
    assert {n["id"] for n in server.status(NODE)} == set(cluster.vnode_names() + [cluster.host])


def test_a_vnode_file_names_the_host(cluster):
    """resources_available.host of a vnode file counts from the making of the vnode on."""
    path = cluster.write("def", "$configversion 2\n"
                                "there: resources_available.ncpus = 3\n"
                                "there: resources_available.host = otherhost\n")
    cluster.run([os.path.join(cluster.exec_dir, "sbin", "pbs_mom"), "-s", "insert", "other", path])
    cluster.mom.send_signal(signal.SIGHUP)
    cluster.server.expect(VNODE, {"state": "free"}, id="there")
    assert cluster.server.status(VNODE, "there")[0]["resources_available.host"] == "otherhost"
    jid = cluster.server.submit(Job(attrs={"Resource_List.select": "1:host=otherhost"}))
    cluster.server.expect(JOB, {"exec_vnode": "(there:ncpus=1)"}, id=jid)


def test_a_host_with_much_to_do_is_busy(cluster):
    """$max_load 0 is a load that every host has. HUP alone frees it again, and a wrong line leaves
    it as it is; the job that runs is not disturbed."""
    server, mom = cluster.server, cluster.mom
    runs = running_job(server)
    cluster.write("home/mom_priv/config", "$max_load 0\n")
    mom.send_signal(signal.SIGHUP)
    server.expect(VNODE, {"state": "busy"}, id="vn[1]")
    waits = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1"}))
    server.expect(JOB, {"comment": (MATCH_RE, "Not Running")}, id=waits)
    mom.kill()
    mom.start()  # it says so with its registration
    mom_has_registered(cluster)
    server.expect(VNODE, {"state": "busy"}, id="vn[1]")
    cluster.write("home/mom_priv/config", "$max_load much\n")
    mom.send_signal(signal.SIGHUP)
    mom.log_match("config file(s) parsing failed, keeping the old configuration")
    assert "busy" in server.status(VNODE, "vn[1]")[0]["state"]
    assert server.status(JOB, waits)[0]["job_state"] == "Q"
    cluster.write("home/mom_priv/config", "")
    mom.send_signal(signal.SIGHUP)
    server.expect(JOB, {"job_state": "R"}, id=waits)
    assert server.status(JOB, runs)[0]["run_count"] == "1"
