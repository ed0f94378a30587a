# SPDX-License-Identifier: Apache-2.0
"""qsub -I: a session at a terminal, from submission to end (cli.md 3.8, execution.md 26)."""
import os
import re
import signal
import socket
import termios

import pytest

from holdfast import *
from holdfast.peer import attrs
from holdfast.processes import processes_of_job
from holdfast.services import wait_for
from holdfast.terminal import Terminal
from holdfast.users import ROOTLESS
from test_long_requests import Caller


@pytest.fixture(scope="module")
def cluster():
    with Cluster(vnodes=2) as c:
        yield c


def qsub(cluster, *options, **env):
    return Terminal(cluster, ["qsub", "-I", *options], user=USER1, **env)


def started(cluster, *options, **env):
    """A session whose shell has said its first prompt."""
    t = qsub(cluster, *options, PS1="% ", **env)
    t.until("qsub: waiting for job ")
    t.job = t.until(" to start").strip()
    t.until("qsub: job %s ready\r\n\r\n" % t.job)
    return t


def told(t, command):
    """What the shell prints for a command: between two words that only their expansion makes."""
    t.type("echo be''gin; %s; echo e''nd\n" % command)
    t.until("begin\r\n")
    return t.until("end\r\n").replace("\r\n", "\n")


def gone(cluster, job):
    wait_for("the end of " + job, lambda: not cluster.server.status(JOB, id=job))


def ended_with(cluster, job, status):
    cluster.server.accounting_match(r";E;%s;.* Exit_status=%d " % (re.escape(job), status), regexp=True)


def test_a_session(cluster):
    """The shell runs on the job's vnode, as the user, with a terminal like the user's."""
    t = Terminal(cluster, ["qsub", "-I", "-l", "select=1:ncpus=2", "-N", "talk"], user=USER1,
                 size=(33, 101), TERM="xterm-256color")
    t.until("qsub: waiting for job ")
    job = t.until(" to start").strip()
    t.until("qsub: job %s ready\r\n\r\n" % job)
    assert told(t, "id -un") == USER1 + "\n"
    assert told(t, "echo $PBS_JOBID $PBS_ENVIRONMENT ${ENVIRONMENT-none} $TERM $NCPUS") == (
        "%s PBS_INTERACTIVE none xterm-256color 2\n" % job)
    assert told(t, "stty size") == "33 101\n"
    assert re.match(r"/dev/pts/\d+\n$", told(t, "tty"))
    assert told(t, "stat -c %U $(tty)") == USER1 + "\n"
    assert told(t, "pwd") == told(t, "cd; pwd")
    shown = cluster.server.status(JOB, id=job)[0]
    assert shown["interactive"] == "True"
    cluster.mom.log_match("0008;pbs_mom;Job;%s;interactive authentication method = resvport" % job)
    assert shown["Rerunable"] == "False"
    assert shown["job_state"] == "R" and shown["Job_Name"] == "talk"
    t.type("exit 7\n")
    code, rest = t.end()
    assert code == 0
    assert rest.endswith("\r\nqsub: job %s completed\r\n" % job)
    gone(cluster, job)
    ended_with(cluster, job, 7)


def test_keys_go_through(cluster):
    """Interrupts end a command and not the session; nothing is echoed twice; other bytes pass."""
    t = started(cluster)
    t.type("sleep 100; echo sle''pt\n")
    t.until("sleep 100")
    wait_for("the sleep", lambda: processes_of_job(cluster, t.job, "sleep"))
    t.type("\x03")
    wait_for("its end", lambda: not processes_of_job(cluster, t.job, "sleep"))
    # A shell throws away what was typed before it has its prompt again.
    t.until("^C")
    t.until("$ ")
    assert told(t, "echo $((6*7))") == "42\n"
    t.type("printf 'a\\001\\377z' | od -An -tx1; echo do''ne\n")
    assert " 61 01 ff 7a" in t.until("done")
    t.until("$ ")  # an end of input that comes before is lost in the same way
    t.type("\x04")
    assert t.end()[0] == 0
    gone(cluster, t.job)


def test_much_in_both_directions(cluster):
    t = started(cluster)
    t.type("stty -echo; cat > /dev/null; seq 1 20000 | cksum; seq 1 20000; echo al''l\n")
    # What is typed is read by cat, to the end of file.
    for _ in range(50):
        t.type("x" * 200 + "\n")
    t.type("\x04")
    out = t.until("all\r\n")
    assert "19999\r\n20000\r\n" in out
    t.type("exit\n")
    assert t.end()[0] == 0
    gone(cluster, t.job)


def test_tilde(cluster):
    """A command of the user's to qsub at the start of a line, also behind an empty one."""
    t = started(cluster)
    assert told(t, "echo a~.b") == "a~.b\n"
    t.type("\r\r~.")
    code, rest = t.end()
    assert code == 0 and "qsub: job %s completed" % t.job in rest
    gone(cluster, t.job)
    # The MoM's shell was killed, as for any client that goes.
    ended_with(cluster, t.job, 265)


def test_the_terminal_is_given_back(cluster):
    t = qsub(cluster)
    before = t.settings()
    t.until("ready\r\n")
    wait_for("raw mode", lambda: not t.settings()[3] & termios.ICANON)
    t.type("exit\n")
    t.until("completed")
    assert t.settings()[3] == before[3]
    assert t.end()[0] == 0


def test_a_client_that_disappears(cluster):
    """Its job ends, with all its processes."""
    for how in ("hang up", "kill"):
        t = started(cluster)
        t.type("sleep 1000 & sleep 1000\n")
        wait_for("two processes", lambda: len(processes_of_job(cluster, t.job, "sleep")) == 2)
        if how == "kill":
            os.kill(t.pid, signal.SIGKILL)
        t.hang_up()
        gone(cluster, t.job)
        wait_for("the end of its processes", lambda: not processes_of_job(cluster, t.job, "sleep"))


def test_deleted_from_elsewhere(cluster):
    t = started(cluster)
    cluster.server.delete(t.job)
    code, rest = t.end()
    assert code == 0 and "completed" in rest


def test_mom_is_restarted(cluster):
    """The session belongs to a process of its own."""
    t = started(cluster)
    told(t, "true")  # the shell has begun
    cluster.mom.kill()
    assert told(t, "echo al''ive") == "alive\n"
    cluster.mom.start()
    assert told(t, "echo st''ill") == "still\n"
    t.type("exit\n")
    assert t.end()[0] == 0
    gone(cluster, t.job)


def waiting(cluster, *options):
    """One whose job cannot start."""
    t = qsub(cluster, "-h", *options)
    t.until("qsub: waiting for job ")
    t.job = t.until(" to start").strip()
    return t


@pytest.mark.parametrize("answer", ["y\n", "Y\n", "\x04", "maybe\nyes\n"])
def test_asked_and_ended(cluster, answer):
    t = waiting(cluster)
    t.type("\x03")
    t.until("Do you wish to terminate the job and exit (y|[n])? ")
    t.type(answer)
    code, rest = t.end()
    assert code == 0
    assert "Job %s is being deleted" % t.job in rest
    assert ("yes or no please" in rest) == ("maybe" in answer)
    gone(cluster, t.job)


@pytest.mark.parametrize("answer", ["n\n", "N\n", "\n"])
def test_asked_and_kept(cluster, answer):
    t = waiting(cluster)
    t.type("\x1a")
    t.until("Sorry, you cannot suspend qsub until the job is started")
    t.type("\x03")
    t.until("(y|[n])? ")
    t.type(answer)
    cluster.run(["qrls", t.job], user=USER1)
    t.until("qsub: job %s ready\r\n" % t.job)
    t.type("exit\n")
    assert t.end()[0] == 0


def test_hung_up_while_it_waits(cluster):
    t = waiting(cluster)
    t.hang_up()
    gone(cluster, t.job)


def test_killed_while_it_waits(cluster):
    """Nobody is there when the job starts: it ends, and is not tried again and again."""
    t = waiting(cluster)
    os.kill(t.pid, signal.SIGKILL)
    t.hang_up()
    cluster.run(["qrls", t.job], user=USER1)
    gone(cluster, t.job)
    cluster.mom.log_match("cannot open qsub sock for %s" % t.job)
    ended_with(cluster, t.job, -1)


def test_not_at_a_terminal(cluster):
    for options in (["-I"], ["-W", "interactive=true"]):
        done = cluster.run(["qsub", *options], user=USER1, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == ("qsub:\tstandard input and output must be a terminal for\n"
                               "\tinteractive job submission\n")
    done = cluster.run(["qsub", "-W", "interactive=maybe"], user=USER1, check=False)
    assert done.returncode == 2 and done.stderr.startswith("qsub: illegal -W value\n")


def test_warnings(cluster):
    t = qsub(cluster, "-r", "y", "-W", "block=true")
    t.until("(Warning): Interactive jobs will be treated as not rerunnable\r\n")
    t.until("ready\r\n")
    t.type("exit\n")
    assert t.end()[0] == 0
    t = qsub(cluster, "-W", "block=true")
    t.until('qsub (Warning) : setting "block" attribute as "true" for an interactive job will '
            "not return job's exit status\r\n")
    t.until("ready\r\n")
    t.type("exit\n")
    assert t.end()[0] == 0


def test_directives_count_and_the_script_does_not_run(cluster):
    path = cluster.write("session.sh", "#!/bin/sh\n#PBS -N directed\necho wro''ng\n")
    t = qsub(cluster, path)
    job = re.search(r"\d+\.\S+", t.until("ready\r\n")).group()
    assert cluster.server.status(JOB, id=job)[0]["Job_Name"] == "directed"
    t.type("exit\n")
    code, rest = t.end()
    assert code == 0 and "wrong" not in rest


def test_a_program_instead_of_the_shell(cluster):
    t = qsub(cluster, "--", "/bin/sh", "-c", "tty; read a; echo got-$a")
    t.until("ready\r\n")
    t.until("/dev/pts/")
    t.type("it\n")
    t.until("got-it")
    assert t.end()[0] == 0


def test_no_run_again(cluster):
    t = started(cluster)
    done = cluster.run(["qalter", "-r", "y", t.job], check=False)
    assert cluster.server.status(JOB, id=t.job)[0]["Rerunable"] == "False", done
    done = cluster.run(["qrerun", t.job], check=False)
    assert done.returncode != 0
    t.type("exit\n")
    assert t.end()[0] == 0


# --- who may call

RESVPORT = ("PBS_O_HOST=localhost,PBS_O_INTERACTIVE_AUTH_METHOD=resvport,"
            "PBS_O_INTERACTIVE_ENCRYPT_METHOD=")
QUEUE_JOB, BAD_VALUE = 1, 15014


def submit(cluster, port, variables=RESVPORT):
    """QueueJob as a client of another make may send it; the job, or the error number."""
    body = "+0" + "+0" + attrs(("interactive", None, str(port), 0),
                               ("Variable_List", None, variables, 0))
    caller = Caller(cluster, USER1)
    caller.send(QUEUE_JOB, body, ":C:")
    reply = caller.c.receive()
    return reply.code or reply.ids[0]


def listener():
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.listen()
    s.settimeout(60)
    return s


def greeting(term=b"TERM=vt100", control=bytes([3, 28, 127, 21, 4, 26]), window=b"WINSIZE 24,80,0,0"):
    return term.ljust(80, b"\0") + control + window.ljust(80, b"\0")


def read_exactly(s, n):
    got = b""
    while len(got) < n:
        more = s.recv(n - len(got))
        assert more, got
        got += more
    return got


def test_a_client_of_another_make(cluster):
    """The bytes that any qsub of PBS sends and hears."""
    with listener() as s:
        job = submit(cluster, s.getsockname()[1])
        mom, at = s.accept()
        with mom:
            mom.settimeout(60)
            assert ROOTLESS or at[1] < 1024
            assert read_exactly(mom, 276) == job.encode().ljust(276, b"\0")
            # What stands behind a text means nothing.
            mom.sendall(greeting(b"TERM=dumb\0\xff\xfe", window=b"WINSIZE 5,6,7,8\0garbage"))
            mom.sendall(b"stty size; echo $TERM; exit 3\n")
            seen = b""
            while more := mom.recv(4096):
                seen += more
            assert b"5 6\r\ndumb\r\n" in seen
        gone(cluster, job)
        ended_with(cluster, job, 3)


@pytest.mark.parametrize("said", [
    greeting(term=b"vt100"), greeting(window=b"WINSIZE 1,2"), greeting(window=b"1,2,3,4"),
    b"x" * 166, greeting()[:100],
])
def test_a_client_that_says_nonsense(cluster, said):
    with listener() as s:
        job = submit(cluster, s.getsockname()[1])
        mom = s.accept()[0]
        read_exactly(mom, 276)
        mom.sendall(said)
        mom.shutdown(socket.SHUT_WR)
        assert mom.recv(1) == b""
        mom.close()
        gone(cluster, job)
    ended_with(cluster, job, -1)
    cluster.mom.log_match("Failed to authenticate with qsub")


@pytest.mark.parametrize("port", ["0", "22", "1023", "65536", "-5", "99999999999999999999"])
def test_ports_of_services_are_refused(cluster, port):
    assert submit(cluster, port) == BAD_VALUE


@pytest.mark.parametrize("variables, words", [
    ("PBS_O_HOST=nosuch.invalid", "PBS_O_INTERACTIVE_AUTH_METHOD not set"),
    ("PBS_O_HOST=localhost,PBS_O_INTERACTIVE_AUTH_METHOD=resvport",
     "PBS_O_INTERACTIVE_ENCRYPT_METHOD not set"),
    ("PBS_O_HOST=localhost,PBS_O_INTERACTIVE_AUTH_METHOD=gss,PBS_O_INTERACTIVE_ENCRYPT_METHOD=",
     "interactive authentication method gss not supported"),
    ("PBS_O_HOST=nosuch.invalid,PBS_O_INTERACTIVE_AUTH_METHOD=resvport,"
     "PBS_O_INTERACTIVE_ENCRYPT_METHOD=", "nosuch.invalid"),
])
def test_what_the_mom_cannot_use(cluster, variables, words):
    job = submit(cluster, 40000, variables)
    gone(cluster, job)
    cluster.mom.log_match("%s;.*%s" % (re.escape(job), words), regexp=True)
    ended_with(cluster, job, -1)


def test_a_caller_that_is_no_mom(cluster):
    """Others of this host who find the port get nothing and stop nothing."""
    t = waiting(cluster)
    port = port_of(t.pid)
    if not ROOTLESS:
        pid = os.fork()
        if pid == 0:
            try:
                os.setuid(65534)
                with socket.create_connection(("127.0.0.1", port)) as s:
                    s.settimeout(60)
                    s.sendall(t.job.encode().ljust(276, b"\0"))
                    os._exit(0 if s.recv(1) == b"" else 1)
            except ConnectionError:
                os._exit(0)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        t.until("qsub: failed authentication with execution host\r\n")
    cluster.run(["qrls", t.job], user=USER1)
    t.until("qsub: job %s ready\r\n" % t.job)
    t.type("exit\n")
    assert t.end()[0] == 0


def port_of(pid):
    """The port at which a process listens."""
    inodes = set()
    for fd in os.listdir("/proc/%d/fd" % pid):
        try:
            inodes.add(os.readlink("/proc/%d/fd/%s" % (pid, fd)))
        except OSError:
            continue
    with open("/proc/net/tcp") as f:
        for line in f.readlines()[1:]:
            words = line.split()
            if words[3] == "0A" and "socket:[%s]" % words[9] in inodes:
                return int(words[1].split(":")[1], 16)
    raise AssertionError("no port")
