# SPDX-License-Identifier: Apache-2.0
"""The server's own life: how it starts, what it keeps, how it ends (operations.md 2.1, 10 to 13)."""
import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import threading

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *

SCRIPT = "import pbs\nprint('\\\\0 %s')\n" % ("x" * 2000)


@pytest.fixture
def alone():
    with Cluster(alone=True) as c:
        yield c


def start_by_hand(cluster, *options, input=""):
    """pbs_server in the foreground until it ends by itself."""
    return subprocess.run([os.path.join(cluster.exec_dir, "sbin/pbs_server"), "-N", *options],
                          env=cluster.env(), input=input, text=True, capture_output=True, cwd="/",
                          timeout=60)


def test_hooks_survive_with_their_bodies(alone):
    """What qmgr has imported is there after a SIGKILL."""
    path = alone.write("body.py", SCRIPT)
    alone.run(["qmgr", "-c", "create hook keep event=queuejob,order=7"])
    alone.run(["qmgr", "-c", "import hook keep application/x-python default " + path])
    alone.server.kill()
    alone.server.start()
    shown = alone.run(["qmgr", "-c", "list hook keep"]).stdout
    assert "event = queuejob" in shown and "order = 7" in shown
    out = alone.run(["qmgr", "-c", "export hook keep application/x-python default"]).stdout
    assert out == SCRIPT
    assert os.listdir(alone.home + "/server_priv/hooks/tmp") == []
    alone.server.log_match("Found hook keep type=site")


def test_directories_that_others_can_write_are_not_trusted(alone):
    alone.server.stop()
    path = alone.home + "/server_priv/jobs"
    os.chmod(path, 0o777)
    done = start_by_hand(alone)
    assert done.returncode == 3
    assert path + " is writable by" in done.stderr and "chmod go-w" in done.stderr
    alone.server.log_match("Security issue from secure_check: writable by")
    alone.server.log_match("pbsd_init failed")
    os.chmod(path, 0o750)
    done = start_by_hand(alone, "-A", "relative")
    assert done.returncode == 3 and "pbsd_init failed" in done.stderr
    assert "-A needs an absolute path" in done.stderr
    alone.server.start()
    alone.server.log_match(";Act;Act;Account file %s/server_priv/accounting/" % alone.home)


def test_a_cold_start_asks_before_it_gives_up_jobs(alone):
    jid = alone.server.submit(Job())
    alone.server.stop()
    done = start_by_hand(alone, "-t", "cold", input="what\nn\n")
    assert done.returncode != 0
    question = ": Cold mode and jobs exists, \ndo you wish to continue y/(n)?"
    assert done.stdout.startswith("Server@") and done.stdout.endswith(
        " %s%sy(es) or n(o) please:" % (alone.host, question))
    assert done.stderr == "PBS server %s initialization aborted\n" % alone.host
    alone.server.start()
    assert [j["id"] for j in alone.server.status(JOB)] == [jid]
    alone.server.stop()
    assert start_by_hand(alone, "-t", "cold", "-f", "-C").returncode == 0
    alone.server.start()
    assert alone.server.status(JOB) == []
    assert alone.server.status(QUEUE, "workq")
    alone.server.accounting_match(";D;%s;requestor=" % jid)


def stores(cluster):
    return [n for n in os.listdir(cluster.home + "/server_priv") if n.startswith("holdfast.db.")
            and not n.endswith(("-wal", "-shm"))]


def test_a_new_store_is_made_only_after_a_yes(alone):
    """Nobody answers, somebody says no, yes, or -f; and the old store stays as a file."""
    jid = alone.server.submit(Job())
    alone.server.stop()
    for text in ("", "\n", "n\n", "never\nn\n"):
        done = start_by_hand(alone, "-t", "create", "-C", input=text)
        assert done.returncode == 1, text
        assert ": Create mode and server database exists, \ndo you wish" in done.stdout
        assert "initialization aborted" in done.stderr
    alone.server.start()
    assert [j["id"] for j in alone.server.status(JOB)] == [jid]
    alone.server.stop()
    before = stores(alone)
    assert start_by_hand(alone, "-t", "create", "-C", input="y\n").returncode == 0
    assert len(stores(alone)) == len(before) + 1
    alone.server.start()
    assert alone.server.status(JOB) == []
    assert alone.server.submit(Job()) == jid, "numbers begin anew"
    alone.server.stop()
    done = start_by_hand(alone, "-t", "create", "-C", "-f")
    assert done.returncode == 0 and done.stdout == ""


def test_a_start_says_what_it_recovers(alone):
    """Every job with its state and substate; updatedb is another word for warm."""
    queued = alone.server.submit(Job())
    held = alone.run(["qsub", "-h", alone.write_script(Job())], user=USER1).stdout.strip()
    alone.server.stop()
    done = start_by_hand(alone, "-t", "updatedb", "-C")
    assert done.returncode == 0
    alone.server.start()
    assert [j["id"] for j in alone.server.status(JOB)] == [queued, held]
    for jid, state, substate in ((queued, "Q", 10), (held, "H", 20)):
        alone.server.log_match(";0100;Server@.*;Job;%s;enqueuing into workq, state %s hop 1$" %
                               (re.escape(jid), state), regexp=True)
        alone.server.log_match(
            ";0086;Server@.*;Job;%s;Requeueing job, substate: %d Requeued in queue: workq$" %
            (re.escape(jid), substate), regexp=True)
    for line in ("Recovered queue workq", "Recovered 2 jobs", "initialization type = 4",
                 "Found hook pbs_cgroups type=site"):
        alone.server.log_match(line)


def test_hup_follows_moved_files(alone):
    """Log and accounting, as log rotation leaves them."""
    logs = alone.home + "/server_logs"
    day = os.listdir(logs)[0]
    os.rename(os.path.join(logs, day), os.path.join(alone.root, "old"))
    alone.server.send_signal(signal.SIGHUP)
    wait_for("a new log", lambda: os.listdir(logs))
    alone.server.log_match(";Log;Log opened")
    alone.server.log_match(";Act;Act;Account file %s/server_priv/accounting/" % alone.home)
    assert ";Log;Log closed" in alone.read("old")


def test_log_events_choose_the_lines(alone):
    alone.server.manager(MGR_CMD_SET, SERVER, {"log_events": 0})
    alone.server.manager(MGR_CMD_SET, SERVER, {"comment": "unheard"})
    alone.server.manager(MGR_CMD_SET, SERVER, {"log_events": 2047})
    alone.server.manager(MGR_CMD_SET, SERVER, {"comment": "heard"})
    alone.server.log_match("attributes set: comment = heard")
    alone.server.log_match("attributes set: comment = unheard", existence=False)


def qterm(cluster, how, done):
    def wait():
        done.append(cluster.run(["qterm", "-t", how], check=False, timeout=300).returncode)
    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def test_a_delayed_end_waits_for_what_cannot_run_again(cluster):
    server, gate, done = cluster.server, Gate(cluster), []
    jid = running_job(server, script=script_until(gate.path), Rerunable="n")
    thread = qterm(cluster, "delay", done)
    server.expect(SERVER, {"server_state": "Terminating_Delay"})
    server.log_match("job running on at Server shutdown on Server shutdown")
    assert cluster.run(["qstat", "-B"]).stdout.splitlines()[2].endswith(" Terminati*")
    refused = cluster.run(["qsub", "-h", "--", "/bin/true"], check=False)
    assert "Request not allowed: Server shutting down" in refused.stderr
    assert done == [] and server.is_up()
    gate.open()
    thread.join()
    assert done == [0]
    wait_for("the end of pbs_server", lambda: not server.is_up())
    assert "Exit_status=0" in server.accounting_match(";E;%s;" % jid)


def test_an_immediate_end_requeues_or_kills(cluster):
    server, gate, done = cluster.server, Gate(cluster), []
    again = running_job(server, script=script_until(gate.path))
    once = running_job(server, script=script_until(gate.path), Rerunable="n")
    thread = qterm(cluster, "immediate", done)
    thread.join()
    assert done == [0]
    wait_for("the end of pbs_server", lambda: not server.is_up())
    assert "Exit_status=-11" in server.accounting_match(";R;%s;" % again)
    server.accounting_match(";A;%s;Aborted by PBS Server  on Server shutdown" % once)
    assert "Exit_status=265" in server.accounting_match(";E;%s;" % once)
    server.log_match("Requeued in queue: workq on Server shutdown")
    gate.open()
    server.start()
    assert once not in [j["id"] for j in server.status(JOB)]
    server.accounting_match(";E;%s;" % again)


class WrongCoreLimit(Cluster):
    def write_conf(self, **more):
        super().write_conf(PBS_CORE_LIMIT="1mb", **more)


def test_each_daemon_tells_a_core_limit_that_is_none():
    with WrongCoreLimit() as c:
        for daemon in (c.server, c.scheduler, c.mom, c.comm):
            daemon.log_match("invalid value for PBS_CORE_LIMIT in pbs.conf, continuing "
                             "with default core limit")


def score(pid):
    with open("/proc/%s/oom_score_adj" % pid, encoding="ascii") as f:
        return int(f.read())


def test_memory_that_runs_out(cluster):
    """Daemons are spared by the kernel, jobs are not; where that is not allowed the log says so."""
    gate = Gate(cluster)
    jid = running_job(cluster.server, script=script_until(gate.path))
    session = cluster.server.status(JOB, jid)[0]["session_id"]
    may = subprocess.run(["sh", "-c", "echo -1000 >/proc/self/oom_score_adj"], stderr=subprocess.DEVNULL,
                         check=False).returncode == 0
    before = score("self")
    for daemon in (cluster.server, cluster.scheduler, cluster.mom, cluster.comm):
        if may:
            assert score(daemon.process.pid) == -1000
        else:
            assert score(daemon.process.pid) == before
            if daemon is not cluster.comm:  # its log has forced lines only
                daemon.log_match(r";0001;[^;]*;Svr;[^;]*;daemon_protect, write failed\. ERR: .", regexp=True)
    assert score(session) == (0 if may else before)
    gate.open()
    cluster.server.accounting_match(";E;%s;" % jid)


def end_of(service):
    wait_for("the end of " + service.name, lambda: not service.is_up())
    return service.process.returncode


def test_qterm_quick_leaves_jobs_and_stops_whom_it_names(cluster):
    """-s the scheduler, -m the MoM; what the MoM ran goes on and is found again."""
    server, gate = cluster.server, Gate(cluster)
    jid = running_job(server, script=script_until(gate.path))
    session = server.status(JOB, jid)[0]["session_id"]
    lines = len(server.accounting_lines())
    cluster.run(["qterm", "-s", "-m"])
    assert [end_of(s) for s in (server, cluster.scheduler, cluster.mom)] == [0, 0, 0]
    assert cluster.comm.is_up()
    assert len(server.accounting_lines()) == lines
    for line in ("Shutdown request from ", "Starting to shutdown the server, type is Quick",
                 "Server shutdown completed", "Log closed"):
        server.log_match(line)
    server.start()
    cluster.mom.start()
    server.expect(VNODE, {"state": "job-busy"}, id="vn[0]")
    server.expect(JOB, {"job_state": "R", "session_id": session, "run_count": 1}, id=jid)
    gate.open()
    assert "Exit_status=0" in server.accounting_match(";E;%s;" % jid)


@pytest.mark.parametrize("option", ["-f", "-i"])
def test_qterm_without_a_secondary_stops_the_only_server(alone, option):
    alone.run(["qterm", option])
    assert end_of(alone.server) == 0


def test_qterm_of_a_secondary_that_is_not_there_is_refused(alone):
    done = alone.run(["qterm", "-F"], check=False)
    assert done.returncode == 2 and done.stderr.startswith("qterm: ")
    assert alone.server.status(SERVER)[0]["server_state"] in ("Active", "Scheduling")
    alone.server.log_match("Shutdown request from", existence=False)


@contextlib.contextmanager
def frozen(service):
    service.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        service.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("how", ["qterm", "TERM"])
@pytest.mark.parametrize("checkpoint", ["n", "u"])
def test_a_second_request_does_not_wait(cluster, how, checkpoint):
    """The MoM says nothing, of the job's end or of an image that it is to make first: whoever
    waits is answered, and the job is still there."""
    server, done = cluster.server, []
    jid = running_job(server, script=script_until(Gate(cluster).path), Rerunable="n",
                      Checkpoint=checkpoint)
    with frozen(cluster.mom):
        thread = qterm(cluster, "immediate", done)
        server.expect(SERVER, {"server_state": "Terminating"})
        if checkpoint == "n":
            server.log_match("Aborted by PBS Server  on Server shutdown")
        assert done == []
        if how == "qterm":
            cluster.run(["qterm", "-t", "immediate"])
            server.log_match("Starting to shutdown the server, type is Forced")
        else:
            server.send_signal(signal.SIGTERM)
            server.log_match("Starting to shutdown the server, type is By Signal")
        assert end_of(server) == 0
        thread.join()
        assert done == [0]
        server.start()
        server.expect(JOB, {"job_state": "R"}, id=jid)
    is_gone(server, JOB, jid)


def cycles(cluster):
    return sum("Starting Scheduling Cycle" in line for line in cluster.scheduler.log_lines())


def configured(cluster):
    """Have the scheduler read its settings: what was sent to it before has been done then."""
    def count():
        return sum("Scheduler is reconfiguring" in line for line in cluster.scheduler.log_lines())
    cluster.server.expect(SERVER, {"server_state": (MATCH_RE, "Idle|Active")})
    before = count()
    cluster.server.manager(MGR_CMD_SET, SCHED, {"comment": "read %d" % before}, id="default")
    wait_for("a scheduler that is configured", lambda: count() > before)


def restart_with(server, *options):
    server.argv = lambda: type(server).argv(server) + list(options)
    connected = sum("scheduler connected" in line for line in server.log_lines())
    server.restart()
    wait_for("the scheduler", lambda: sum(
        "scheduler connected" in line for line in server.log_lines()) > connected)
    server.cluster.wait_nodes()


def test_a_server_started_with_scheduling_off_starts_no_job(cluster):
    """What is stored counts, and `pbs_server -a` before it: no job, no question, no cycle
    until scheduling is on."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    jid = server.submit(Job(sleep=100))
    rid = server.submit(Reservation(start=600, duration=600))
    configured(cluster)
    before = cycles(cluster)
    restart_with(server)
    configured(cluster)
    assert cycles(cluster) == before
    assert server.status(JOB, jid)[0]["job_state"] == "Q"
    assert server.status(RESV, rid)[0]["reserve_state"] == "RESV_UNCONFIRMED"

    restart_with(server, "-a", "true")
    assert server.status(SERVER)[0]["scheduling"] == "True"
    server.expect(JOB, {"job_state": "R"}, id=jid)
    server.expect(RESV, {"reserve_state": (MATCH_RE, "RESV_CONFIRMED")}, id=rid)

    server.delete(jid)
    restart_with(server, "-a", "false")
    assert server.status(SERVER)[0]["scheduling"] == "False"
    before = cycles(cluster)
    server.submit(Job(sleep=100))
    cluster.scheduler.restart()
    configured(cluster)
    assert cycles(cluster) == before


def rename(cluster, name):
    cluster.server.stop()
    cluster.write_conf(PBS_SERVER=name, PBS_SERVER_HOST_NAME=cluster.host)
    cluster.server.start()


@pytest.mark.parametrize("cluster", [dict(store=s) for s in ("sqlite", "postgresql")],
                         indirect=True, ids=["sqlite", "postgresql"])
def test_a_renamed_server_goes_on(cluster):
    """PBS_SERVER may change: running jobs go on, what there is keeps its ids, and changes are
    taken and kept."""
    server = cluster.server
    running = server.submit(Job(sleep=1000))
    rid = server.submit(Reservation(start=600, duration=600, options=["-I", "60"]))
    server.expect(JOB, {"job_state": "R", "substate": "42"}, id=running)
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    queued = server.submit(Job())
    rename(cluster, "fresh")
    assert "was named localhost and is fresh now" in cluster.read("pbs_server.out")
    server.log_match("set PBS_SERVER=localhost")
    server.manager(MGR_CMD_SET, SERVER, {"comment": "renamed"})
    new = server.submit(Job())
    assert new.split(".")[1] == "fresh"
    numbers = [int(re.search(r"\d+", id).group()) for id in (running, queued, rid, new)]
    assert len(set(numbers)) == 4
    shown = {j["id"]: j for j in server.status(JOB)}
    assert set(shown) == {running, queued, new}
    assert {j["server"] for j in shown.values()} == {"fresh"}
    assert shown[running]["substate"] == "42"
    assert [r["id"] for r in server.status(RESV)] == [rid]

    server.kill()
    server.start()
    shown = server.status(SERVER)[0]
    assert (shown["id"], shown["comment"]) == ("fresh", "renamed")
    assert {j["id"] for j in server.status(JOB)} == {running, queued, new}
    assert cluster.sql("SELECT id FROM objects WHERE kind = 'server'") == [["fresh"]]
    server.delete(queued)
    server.delete(running)
    server.accounting_match(";E;%s;" % running)
    server.delete(rid)
    server.expect(RESV, "id", id=rid, op=UNSET)


@pytest.mark.parametrize("name", ["a/b", "a b", "-x", "a@b", "a\x1bb"])
def test_a_name_that_no_id_can_end_in_is_refused(alone, name):
    alone.server.stop()
    alone.write_conf(PBS_SERVER=name, PBS_SERVER_HOST_NAME=alone.host)
    done = start_by_hand(alone)
    assert done.returncode == 1
    assert "PBS_SERVER cannot be a server's name" in done.stderr


def test_a_store_that_contradicts_itself_is_refused(alone):
    """Two servers, or one reservation twice, come from an unsuited hand: nothing starts on them."""
    server = alone.server
    server.stop()
    path = os.path.join(alone.home, "server_priv", "holdfast.db")
    for rows, words in (("('server', 'other', 900)", "has two servers, localhost and other"),
                        ("('resv', 'R5.a', 901), ('resv', 'R5.b', 902)",
                         "has resv R5.a and R5.b, which are the same")):
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute("INSERT INTO objects (kind, id, seq) VALUES " + rows)
            db.commit()
        done = start_by_hand(alone)
        assert done.returncode == 3 and words in done.stderr
        server.log_match(words)
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute("DELETE FROM objects WHERE seq >= 900")
            db.commit()
    server.start()
