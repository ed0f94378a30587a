# SPDX-License-Identifier: Apache-2.0
"""qalter, qhold, qrls, qsig, qrerun, qmsg, qmove, qorder, qrun and qselect on real daemons: what they say,
their exit status, and what becomes of the jobs."""
import itertools
import os
import re
import signal
import time

import pytest

from holdfast import *
from holdfast.services import wait_for


@pytest.fixture(scope="module")
def cluster():
    with Cluster(vnodes=2, mock=True) as c:
        yield c


@pytest.fixture(scope="module")
def real():
    """One whose MoM runs processes."""
    with Cluster(vnodes=2) as c:
        yield c


def said(cluster, *argv, user=USER1):
    """Exit status, output and errors; a usage text counts as a word."""
    done = cluster.run(list(argv), user=user, check=False)
    err = re.sub(r"(?s)^[uU]sage:.*", "(usage)", done.stderr, flags=re.M)
    return done.returncode, done.stdout, err


def held_job(cluster, user=USER1, **attrs):
    return cluster.server.submit(Job(user=user, attrs={"Hold_Types": None, **attrs}))


def held(cluster, *options, user=USER1):
    return cluster.run(["qsub", "-h", *options, "--", "/bin/sleep", "1000"],
                       user=user).stdout.strip()


def running(cluster, *options, user=USER1):
    jid = cluster.run(["qsub", "-l", "select=1:ncpus=1", *options, "--", "/bin/sleep", "1000"],
                      user=user).stdout.strip()
    cluster.server.expect(JOB, {"job_state": "R", "substate": 42}, id=jid)
    return jid


def value(cluster, jid, name):
    return cluster.server.status(JOB, id=jid)[0].get(name)


def test_operands(cluster):
    """All commands on jobs understand and refuse the same operands."""
    jid = held(cluster)
    number, name = jid.split(".", 1)
    unknown = "99999." + name
    commands = [["qalter", "-p", "3"], ["qhold"], ["qrls", "-h", "n"]]
    for words in commands:
        cmd = words[0]
        for operand in (number, jid, number + "@" + name, jid + "@" + name, " " + number,
                        jid.upper()):
            assert said(cluster, *words, operand) == (0, "", ""), operand
        for operand in ("12x", "1.", "1.2@", "12[a]", "1234567890123"):
            assert said(cluster, *words, operand) == (
                1, "", "%s: illegally formed job identifier: %s\n" % (cmd, operand))
        assert said(cluster, *words, "99999") == (
            153, "", "%s: Unknown Job Id %s\n" % (cmd, unknown))
        # The last failure decides, and the others are done.
        assert said(cluster, *words, "99999", number, "12x") == (
            1, "", "%s: Unknown Job Id %s\n%s: illegally formed job identifier: 12x\n"
            % (cmd, unknown, cmd))
        assert said(cluster, *words)[0] == 2
        code, out, err = said(cluster, *words, number + "@nosuch.invalid")
        assert (code, out) == (160, "")
        assert err == ("Unknown Host.\n%s: cannot connect to server nosuch.invalid "
                       "(errno=15008)\n" % cmd)


# Every command that takes identifiers; whose exit status is another one has its own here.
OF_IDS = [
    (["qalter", "-p", "1"], 1), (["qdel"], 1), (["qhold"], 1), (["qmove", "workq"], 1),
    (["qmsg", "text"], 1), (["qorder", "1"], 1), (["qrerun"], 1), (["qrls"], 1), (["qrun"], 1),
    (["qsig"], 1), (["qstat"], 1), (["pbs_release_nodes", "-a", "-j"], 2),
    (["pbs_rdel"], 1), (["pbs_rstat"], 1), (["pbs_ralter", "-N", "x"], 2),
]


@pytest.mark.parametrize("words, code", OF_IDS, ids=[words[0] for words, _ in OF_IDS])
def test_a_server_that_no_host_is_called_like(cluster, words, code):
    """An identifier with such a server is none (cli.md 1.3); behind '@' it is a server that is
    not found, and a host that there is, is asked."""
    kind = "reservation" if words[0].startswith("pbs_r") and code < 3 and \
        words[0] != "pbs_release_nodes" else "job"
    number = "R5" if kind == "reservation" else "5"
    for operand in (number + ".nosuch.invalid", number + ".nosuch.invalid:99"):
        assert said(cluster, *words, operand) == (
            code, "", "%s: illegally formed %s identifier: %s\n" % (words[0], kind, operand))
    if words[0] not in ("qorder", "qrun"):
        assert "Unknown Host.\n" in said(cluster, *words, number + "@nosuch.invalid")[2]
    assert "illegally" not in said(cluster, *words, number + ".LocalHost")[2]


def test_operands_of_signals(cluster):
    jid = running(cluster)
    for words in (["qsig", "-s", "0"], ["qmsg", "hello"]):
        assert said(cluster, *words, "99999", jid)[0] == 153
        assert said(cluster, *words, jid, "x1") == (
            1, "", "%s: illegally formed job identifier: x1\n" % words[0])
    cluster.server.delete(jid)


def test_operands_of_operators(cluster):
    jid = held(cluster)
    assert said(cluster, "qrerun", "99999", jid, user=None) == (
        168, "", "qrerun: Unknown Job Id 99999.%s\nqrerun: Request invalid for state of job %s\n"
        % (cluster.host, jid))
    assert said(cluster, "qrun", "99999", user=None) == (
        2, "", "qrun: Unknown Job Id 99999.%s\n" % cluster.host)
    assert said(cluster, "qrun", "12x", user=None) == (
        1, "", "qrun: illegally formed job identifier: 12x\n")
    # Of several any refusal decides, whichever comes last.
    for operands in (("99999", "12x"), ("12x", "99999")):
        assert said(cluster, "qrun", *operands, user=None)[0] == 2
    assert said(cluster, "qrun", user=None) == (1, "", "(usage)")
    assert said(cluster, "qrun", "-H", "", jid, user=None) == (
        1, "", "qrun: illegal -H value\n(usage)")


# What qalter is given, its exit status and what it says; J is the job.
ALTERATIONS = [
    (["-p", "2000"], 2, "qalter: illegal -p value\n"),
    (["-l", "nosuch=1"], 187, "qalter: Unknown resource Resource_List.nosuch J\n"),
    (["-r", "maybe"], 2, "qalter: illegal -r value\n"),
    (["-W", ""], 2, "qalter: illegal -W value\n"),
    (["-W", "nosuch=3"], 154, "qalter: Undefined attribute  J\n"),
    (["-a", "9999"], 2, "qalter: illegal -a value\n"),
    (["-c", "u"], 2, "qalter: illegal -c value\n"),
    (["-c", "q"], 2, "qalter: illegal -c value\n"),
    (["-N", "1bad@name"], 2, "qalter: illegal -N value\n"),
    ([], 0, ""),
    (["-l", "walltime="], 0, ""),
    (["-h", "z"], 2, "qalter: illegal -h value\n"),
    (["-k", "xx"], 2, "qalter: illegal -k value\n"),
    (["-l", "walltime=abc"], 166,
     "qalter: Illegal attribute or resource value Resource_List.walltime J\n"),
    (["-l", "ncpus"], 166,
     "qalter: Illegal attribute or resource value Resource_List.ncpus J\n"),
    (["-m", "j"], 2, "qalter: illegal -m value\n"),
    (["-j", "xx"], 2, "qalter: illegal -j value\n"),
    (["-W", "depend=foo:1"], 2, "qalter: illegal -W value\n"),
    (["-S", "relative"], 2, "qalter: illegal -S value\n"),
    (["-l", "a=1,,b=2"], 2, "qalter: illegal -l value\n"),
]


@pytest.mark.parametrize("words, code, text", ALTERATIONS)
def test_what_qalter_says(cluster, words, code, text):
    jid = held(cluster)
    got, out, err = said(cluster, "qalter", *words, jid)
    # PBS's line comes first; ours, which explain it, and the usage may follow.
    assert (got, out) == (code, "") and err.startswith(text.replace("J\n", jid + "\n")), err
    assert bool(err) == bool(text)
    assert ("(usage)" in err) == (code == 2)


def test_an_option_of_qsub_alone(cluster):
    code, out, err = said(cluster, "qalter", "-J", "1-2", "1")
    assert (code, out) == (2, "") and "qalter: invalid option -- 'J'\n(usage)" in err


def test_qalter_changes(cluster):
    jid = held(cluster)
    assert said(cluster, "qalter", "-N", "newname", "-p", "100", "-l", "walltime=5:00", "-W",
                "umask=022", "-A", "acct", "-P", "proj", "-r", "n", "-m", "be", "-M", "a@b",
                "-o", "/tmp/out", "-e", "/tmp/err", "-j", "oe", "-k", "o", "-S", "/bin/sh",
                "-c", "c=5", "-R", "e", "-a", "204001011200", jid) == (0, "", "")
    job = cluster.server.status(JOB, id=jid)[0]
    for name, want in (("Job_Name", "newname"), ("Priority", "100"), ("Account_Name", "acct"),
                       ("Resource_List.walltime", "00:05:00"), ("project", "proj"),
                       ("Rerunable", "False"), ("Mail_Points", "be"), ("Mail_Users", "a@b"),
                       ("Join_Path", "oe"), ("Keep_Files", "o"), ("Shell_Path_List", "/bin/sh"),
                       ("Checkpoint", "c=5"), ("Remove_Files", "e"),
                       ("Execution_Time", "Sun Jan  1 12:00:00 2040")):
        assert job[name] == want, name
    assert job["Output_Path"].endswith(":/tmp/out") and job["Error_Path"].endswith(":/tmp/err")
    assert int(job["umask"]) == 22
    # Holds: those that are named, and no others; then none, so that it waits for its time.
    assert said(cluster, "qalter", "-h", "n", jid) == (0, "", "")
    cluster.server.expect(JOB, {"job_state": "W"}, id=jid)
    # A name without a value takes it away, and nothing limits the job then.
    assert said(cluster, "qalter", "-l", "walltime", jid) == (0, "", "")
    assert value(cluster, jid, "Resource_List.walltime") is None


def test_a_wrong_value_stops_at_the_first_job(cluster):
    jid = held(cluster)
    code, _, err = said(cluster, "qalter", "-p", "-1025", "99999", jid)
    assert code == 2 and "Unknown" not in err and err.count("illegal -p value") == 1


def test_qalter_of_a_running_job(cluster):
    jid = running(cluster, "-l", "walltime=1000")
    assert said(cluster, "qalter", "-l", "select=1", jid) == (
        167, "", "qalter: Cannot modify attribute while job running  Resource_List.select %s\n"
        % jid)
    assert said(cluster, "qalter", "-N", "foo", "-l", "walltime=500", "-p", "3", jid) == (0, "", "")
    job = cluster.server.status(JOB, id=jid)[0]
    assert (job["Job_Name"], job["Resource_List.walltime"]) == ("foo", "00:08:20")
    cluster.server.delete(jid)


@pytest.mark.skipif(ROOTLESS, reason="needs a second account")
def test_whose_jobs(cluster):
    jid = held(cluster)
    run = running(cluster)
    refused = "%s: Unauthorized Request  %s\n"
    for words in (["qalter", "-p", "3"], ["qhold"], ["qrls"], ["qhold", "-h", "n"]):
        assert said(cluster, *words, jid, user=USER2) == (159, "", refused % (words[0], jid))
    for words in (["qsig", "-s", "0"], ["qmsg", "x"]):
        assert said(cluster, *words, run, user=USER2) == (159, "", refused % (words[0], run))
    # The owner is none to rerun, to run, or to hold for others.
    assert said(cluster, "qrerun", run) == (159, "", refused % ("qrerun", run))
    assert said(cluster, "qrun", jid) == (2, "", refused % ("qrun", jid))
    for letters in ("o", "s", "us"):
        assert said(cluster, "qhold", "-h", letters, jid) == (159, "", refused % ("qhold", jid))
        assert said(cluster, "qrls", "-h", letters, jid) == (159, "", refused % ("qrls", jid))
    cluster.server.delete(run)


def test_holds(cluster):
    jid = held(cluster, "-a", "204001011200")
    assert said(cluster, "qrls", jid) == (0, "", "")
    cluster.server.expect(JOB, {"job_state": "W", "Hold_Types": "n"}, id=jid)
    assert said(cluster, "qhold", jid) == (0, "", "")
    job = cluster.server.expect(JOB, {"job_state": "H", "Hold_Types": "u"}, id=jid)
    assert job["comment"].startswith("Job held by %s on " % USER1)
    assert said(cluster, "qhold", "-h", "so", jid, user=None) == (0, "", "")
    assert sorted(value(cluster, jid, "Hold_Types")) == ["o", "s", "u"]
    for cmd, letter in itertools.product(("qhold", "qrls"), "np"):
        assert said(cluster, cmd, "-h", letter, jid) == (0, "", "")
    assert sorted(value(cluster, jid, "Hold_Types")) == ["o", "s", "u"]
    assert said(cluster, "qrls", jid) == (0, "", "")
    assert sorted(value(cluster, jid, "Hold_Types")) == ["o", "s"]
    assert said(cluster, "qrls", "-h", "os", jid, user=None) == (0, "", "")
    cluster.server.expect(JOB, {"job_state": "W", "Hold_Types": "n"}, id=jid)


@pytest.mark.parametrize("letters, hold, release", [
    ("x", False, False), ("", False, False), ("nu", False, False), ("us x", False, False)])
def test_letters_that_are_no_holds(cluster, letters, hold, release):
    jid = held(cluster)
    for cmd in ("qhold", "qrls"):
        code, out, err = said(cluster, cmd, "-h", letters, jid)
        assert (code, out) == (2, "") and err.startswith(cmd + ": illegal -h value\n")
        assert err.endswith("(usage)")


def test_a_running_job_is_held_when_it_comes_back(cluster):
    jid = running(cluster)
    assert said(cluster, "qhold", jid) == (0, "", "")
    cluster.server.expect(JOB, {"job_state": "R", "Hold_Types": "u"}, id=jid)
    assert said(cluster, "qrerun", jid, user=None) == (0, "", "")
    cluster.server.expect(JOB, {"job_state": "H", "run_count": 1}, id=jid)
    cluster.server.delete(jid)


def test_qrerun(cluster):
    jid = running(cluster, "-r", "n")
    assert said(cluster, "qrerun", jid, user=None) == (
        15038 & 255, "", "qrerun: job is not rerunnable %s\n" % jid)
    assert said(cluster, "qrerun", "-W", "bogus", jid, user=None) == (2, "", "(usage)")
    assert said(cluster, "qrerun", "-W", "force", jid, user=None) == (0, "", "")
    # It waits, and is started again at once.
    cluster.server.expect(JOB, {"job_state": "R", "run_count": 2}, id=jid)
    cluster.server.delete(jid)


def test_qrerun_waits_for_so_long(real):
    """The MoM stands still: the time passes, and the job goes back when the MoM goes on."""
    server = real.server
    jid = running(real)
    assert said(real, "qrerun", jid, user=None) == (0, "", "")
    server.expect(JOB, {"job_state": "R", "substate": 42, "run_count": 2}, id=jid)
    server.manager(MGR_CMD_SET, SERVER, {"job_requeue_timeout": 1})
    real.mom.send_signal(signal.SIGSTOP)
    try:
        code, out, err = said(real, "qrerun", jid, user=None)
        assert (code, out) == (15011 & 255, "")
        assert err.startswith("qrerun: the job is still being ended after 1 s (job_requeue_timeout)")
        assert server.status(JOB, jid)[0]["run_count"] == "2"
    finally:
        real.mom.send_signal(signal.SIGCONT)
        server.manager(MGR_CMD_UNSET, SERVER, {"job_requeue_timeout": None})
    server.expect(JOB, {"job_state": "R", "run_count": 3}, id=jid)
    server.delete(jid)


def test_qrun(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    try:
        jid = cluster.run(["qsub", "-l", "select=1:ncpus=1", "--", "/bin/sleep", "1000"],
                          user=USER1).stdout.strip()
        assert said(cluster, "qrun", "-H", "nosuch", jid, user=None) == (
            2, "", "qrun: Unknown node  nosuch\n")
        long = "x" * 300
        assert said(cluster, "qrun", "-H", long, jid, user=None) == (
            2, "", ("qrun: Unknown node  " + long)[:255] + "...\n")
        assert said(cluster, "qrun", "-H", "-", jid, user=None) == (
            2, "", "qrun: Invalid request %s\n" % jid)
        assert said(cluster, "qrun", "-H", "+", jid, user=None)[0] == 2
        assert said(cluster, "qrun", "-H", "vn[1]", jid, user=None) == (0, "", "")
        job = server.expect(JOB, {"job_state": "R"}, id=jid)
        assert job["exec_vnode"] == "vn[1]:ncpus=1"
        assert said(cluster, "qrun", jid, user=None) == (
            2, "", "qrun: Request invalid for state of job %s\n" % jid)
        assert said(cluster, "qrun", "-a", jid, user=None) == (
            2, "", "qrun: Request invalid for state of job %s\n" % jid)
        # Amounts are not checked: the vnode is overfilled.
        two = held(cluster, "-l", "select=1:ncpus=2")
        cluster.run(["qrls", two], user=USER1)
        assert said(cluster, "qrun", "-H", "(vn[1]:ncpus=2)", two, user=None) == (0, "", "")
        server.expect(JOB, {"job_state": "R", "exec_vnode": "(vn[1]:ncpus=2)"}, id=two)
        server.delete(two)
        server.delete(jid)
        server.expect(JOB, "job_state", id=jid, op=UNSET)
    finally:
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})


def test_qrun_at_once_tells_refusals(cluster):
    """-a returns before the job runs, but what is refused is said (cli.md 5.5)."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    try:
        jid = cluster.run(["qsub", "-l", "select=1:ncpus=1", "--", "/bin/sleep", "1000"],
                          user=USER1).stdout.strip()
        for words, who, text in (
                ([jid], USER1, "Unauthorized Request  " + jid),
                (["99999"], None, "Unknown Job Id 99999." + cluster.host),
                (["-H", "nosuch", jid], None, "Unknown node  nosuch"),
                (["-H", "+", jid], None, "node(s) specification error " + jid)):
            assert said(cluster, "qrun", "-a", *words, user=who) == (
                2, "", "qrun: %s\n" % text), words
        assert said(cluster, "qrun", "-a", "-H", "vn[1]", jid, user=None) == (0, "", "")
        server.expect(JOB, {"job_state": "R", "exec_vnode": "vn[1]:ncpus=1"}, id=jid)
        server.delete(jid)
    finally:
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    jid = cluster.run(["qsub", "-h", "--", "/bin/sleep", "1000"], user=USER1).stdout.strip()
    assert said(cluster, "qrun", "-a", jid, user=None)[0] == 2
    cluster.run(["qdel", jid])


def test_qrun_asks_the_scheduler(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, QUEUE, {"started": "False"}, id="workq")
    try:
        jid = cluster.run(["qsub", "-l", "select=1:ncpus=1", "--", "/bin/sleep", "1000"],
                          user=USER1).stdout.strip()
        big = cluster.run(["qsub", "-l", "select=1:ncpus=64", "--", "/bin/sleep", "1000"],
                          user=USER1).stdout.strip()
        assert said(cluster, "qrun", jid, user=None) == (0, "", "")
        server.expect(JOB, {"job_state": "R"}, id=jid)
        code, out, err = said(cluster, "qrun", big, user=None)
        assert (code, out) == (2, "") and err.startswith("qrun: ") and err.endswith(big + "\n")
        assert "ncpus" in err
        server.expect(JOB, {"job_state": "Q"}, id=big)
        cluster.run(["qdel", jid, big])
    finally:
        server.manager(MGR_CMD_SET, QUEUE, {"started": "True"}, id="workq")

def test_qmove(cluster):
    server = cluster.server
    server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "Execution", "enabled": "True",
                                           "started": "True"}, id="q2")
    server.manager(MGR_CMD_SET, QUEUE, {"resources_default.walltime": "3600"}, id="q2")
    server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "Execution", "enabled": "False",
                                           "started": "True"}, id="shut")
    server.manager(MGR_CMD_CREATE, QUEUE, id="untyped")
    jid = held(cluster)
    number, name = jid.split(".", 1)
    assert said(cluster, "qmove", "q2", number) == (0, "", "")
    job = server.expect(JOB, {"queue": "q2", "job_state": "H"}, id=jid)
    assert job["Resource_List.walltime"] == "01:00:00"
    server.log_match("Job moved to q2 at request of %s@" % USER1)
    assert server.accounting_match(";Q;%s;.* queue=q2 " % re.escape(jid), regexp=True)
    assert said(cluster, "qmove", "workq@%s:%d" % (name, cluster.ports["server"]), jid) == (
        0, "", "")
    assert "Resource_List.walltime" not in server.expect(JOB, {"queue": "workq"}, id=jid)
    for words, code, text in (
            (["nosuch"], 170, "qmove: Unknown queue %s\n" % jid),
            (["averyverylongq1"], 170, "qmove: Unknown queue %s\n" % jid),
            (["shut"], 15021 & 255, "qmove: Queue is not enabled %s\n" % jid),
            (["a@b@c"], 2, "qmove: illegally formed destination: a@b@c\n"),
            (["averyverylongqueue"], 2,
             "qmove: illegally formed destination: averyverylongqueue\n"),
            (["q2@elsewhere.invalid"], 15008 & 255,
             "qmove: Access from host not allowed, or unknown host %s\n" % jid),
            # At another port there is another server, which is not there.
            (["q2@%s:1" % cluster.host], 15010 & 255,
             "qmove: Cannot connect to server %s:1: Connection refused %s\n"
             % (cluster.host, jid))):
        assert said(cluster, "qmove", *words, jid) == (code, "", text), words
    assert said(cluster, "qmove", "workq") == (2, "", "(usage)")
    assert said(cluster, "qmove", "untyped", jid, user=None) == (
        0, "", "qmove: Queue type not set for queue 'untyped'\n")
    # A manager goes through doors that are shut.
    assert said(cluster, "qmove", "shut", "99999", jid, user=None) == (
        153, "", "qmove: Unknown Job Id 99999.%s\n" % name)
    server.expect(JOB, {"queue": "shut"}, id=jid)
    run = running(cluster)
    assert said(cluster, "qmove", "q2", run) == (
        168, "", "qmove: Request invalid for state of job %s\n" % run)
    server.delete(run)


def test_a_job_that_is_moved_may_start(cluster):
    """Out of a queue that is stopped; and the scheduler is told at once."""
    server = cluster.server
    server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "Execution", "enabled": "True",
                                           "started": "False"}, id="stopped")
    jid = cluster.run(["qsub", "-q", "stopped", "--", "/bin/sleep", "1000"],
                      user=USER1).stdout.strip()
    server.expect(JOB, {"job_state": "Q"}, id=jid)
    assert said(cluster, "qmove", "workq", jid) == (0, "", "")
    server.expect(JOB, {"job_state": "R"}, id=jid)
    server.delete(jid)


def test_into_a_reservation_and_out(cluster):
    server = cluster.server
    rid = server.submit(Reservation(user=USER1, start=time.time() + 3600, duration=600))
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=rid)
    jid = held(cluster)
    assert said(cluster, "qmove", rid.split(".")[0], jid) == (0, "", "")
    job = server.expect(JOB, {"queue": rid.split(".")[0]}, id=jid)
    assert job["reserve_ID"] == rid
    assert server.accounting_match(";Q;%s;.* resvID=%s " % tuple(map(re.escape, (jid, rid))),
                                   regexp=True)
    server.restart()
    assert said(cluster, "qmove", "workq", jid) == (0, "", "")
    assert "reserve_ID" not in server.expect(JOB, {"queue": "workq"}, id=jid)
    # One that is not confirmed takes nobody, whoever asks.
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    new = server.submit(Reservation(user=USER1, start=time.time() + 7200, duration=600))
    assert said(cluster, "qmove", new.split(".")[0], jid, user=None) == (
        15021 & 255, "", "qmove: Queue is not enabled %s\n" % jid)
    server.delete(new)
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    # The deletion of the reservation is nothing to a job that has left.
    server.delete(rid, user=USER1)
    server.expect(RESV, rid, id=rid, op=UNSET)
    server.expect(JOB, {"job_state": "H"}, id=jid)


def test_qorder(cluster):
    """The scheduler starts the job first that was told to be first."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    try:
        ids = [cluster.run(["qsub", "-l", "select=2:ncpus=2", "--", "/bin/sleep", "1000"],
                           user=USER1).stdout.strip() for _ in range(3)]
        name = ids[0].split(".", 1)[1]
        assert said(cluster, "qorder", ids[0], ids[2]) == (0, "", "")
        for command in (["qselect"], ["qselect", "-q", "workq"]):
            assert [jid for jid in cluster.run(command).stdout.split() if jid in ids] == ids[::-1]
        for command in (["qstat"], ["qstat", "workq"], ["qstat", "-a"]):
            assert [line.split(".")[0] for line in cluster.run(command).stdout.splitlines()
                    if re.match(r"\d+\.", line)][-3:] == [jid.split(".")[0] for jid in ids[::-1]]
        # The default server may be named or not.
        for _ in range(2):
            assert said(cluster, "qorder", ids[0] + "@" + cluster.host, ids[2]) == (0, "", "")
        assert said(cluster, "qorder", ids[0]) == (2, "", "(usage)")
        assert said(cluster, "qorder", ids[0], "99999") == (
            153, "", "qorder: Unknown Job Id %s or 99999.%s\n" % (ids[0], name))
        assert said(cluster, "qorder", ids[0], ids[1] + "@elsewhere") == (
            1, "", "qorder: both jobs ids must specify the same server\n")
        assert said(cluster, "qorder", "12x", ids[1]) == (
            1, "", "qorder: illegally formed job identifier: 12x\n")
        if not ROOTLESS:
            assert said(cluster, "qorder", ids[0], ids[1], user=USER2) == (
                159, "", "qorder: Unauthorized Request  %s or %s\n" % (ids[0], ids[1]))
    finally:
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    server.expect(JOB, {"job_state": "R"}, id=ids[2])
    assert [value(cluster, jid, "job_state") for jid in ids] == ["Q", "Q", "R"]
    assert said(cluster, "qorder", ids[2], ids[0]) == (
        168, "", "qorder: Request invalid for state of job %s or %s\n" % (ids[2], ids[0]))
    server.delete(ids[2])
    server.expect(JOB, {"job_state": "R"}, id=ids[1])
    cluster.run(["qdel"] + ids[:2])


def contents(path):
    try:
        with open(path) as f:
            return f.read()
    except FileNotFoundError:
        return ""


def test_qsig(real):
    # All processes of the job get the signal, and only the script catches this one.
    path = os.path.join(real.root, "tmp", "signals")
    script = "#!/bin/sh\nexec >%s\ntrap 'echo one' WINCH\necho up\n" \
             "while :; do sleep 0.1; done\n" % path
    jid = real.server.submit(Job(script=script))
    real.server.expect(JOB, {"job_state": "R", "substate": 42}, id=jid)
    wait_for("the job's first line", lambda: "up" in contents(path))
    for name in ("0", "NULL", "SIGNULL"):
        assert said(real, "qsig", "-s", name, jid) == (0, "", ""), name
    for name in ("SIGFOO", "foo", "TERM" * 10):
        assert said(real, "qsig", "-s", name, jid) == (
            165, "", "qsig: Unknown/illegal signal name %s\n" % jid), name
    assert said(real, "qsig", "-s", "SIGWINCH", jid) == (0, "", "")
    wait_for("the first signal", lambda: "one" in contents(path))
    assert said(real, "qsig", jid) == (0, "", "")
    real.server.expect(JOB, "job_state", id=jid, op=UNSET)
    end = real.server.accounting_match(";E;%s;" % jid)
    assert re.search("Exit_status=(143|271)", end), end


def test_qsig_and_qmsg_of_a_job_that_waits(cluster):
    jid = held(cluster)
    for words in (["qsig", "-s", "0"], ["qmsg", "x"]):
        assert said(cluster, *words, jid) == (
            168, "", "%s: Request invalid for state of job %s\n" % (words[0], jid))
    assert said(cluster, "qsig") == (2, "", "(usage)")


def test_qmsg(real):
    jid = real.server.submit(Job(script="#!/bin/sh\nsleep 1000\n"))
    real.server.expect(JOB, {"job_state": "R", "substate": 42}, id=jid)
    out, err = (os.path.join(real.home, "spool", jid + end) for end in (".OU", ".ER"))
    assert said(real, "qmsg", "to error", jid) == (0, "", "")
    assert said(real, "qmsg", "-O", "to output", jid) == (0, "", "")
    assert said(real, "qmsg", "-E", "-O", "to both", jid) == (0, "", "")
    assert said(real, "qmsg", "y" * 300, jid) == (0, "", "")
    assert contents(err) == "to error\nto both\n" + "y" * 256 + "\n"
    assert contents(out) == "to output\nto both\n"
    assert said(real, "qmsg", "", jid) == (156, "", "qmsg: Invalid request %s\n" % jid)
    os.remove(out)
    assert said(real, "qmsg", "-O", "lost", jid) == (
        162, "", "qmsg: The output of the job is not there or cannot be written %s\n" % jid)
    assert not os.path.exists(out)
    real.server.delete(jid)


@pytest.fixture(scope="module")
def many():
    """Jobs to select from, by a word each."""
    with Cluster(vnodes=1, mock=True) as c:
        server = c.server
        server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "Execution", "enabled": "True",
                                               "started": "True"}, id="other")
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        ids = {
            "plain": held(c, "-N", "plain", "-l", "select=1:ncpus=1", "-p", "7"),
            "big": held(c, "-N", "big", "-l", "select=1:ncpus=4", "-l", "walltime=1:00:00",
                        "-A", "acct1", "-P", "projx"),
            "other": c.run(["qsub", "-q", "other", "-r", "n", "-c", "s", "-p", "-5", "--",
                            "/bin/sleep", "9"], user=USER2).stdout.strip(),
            "later": c.run(["qsub", "-a", "204001011200", "-c", "c=5", "--", "/bin/sleep", "9"],
                           user=USER1).stdout.strip(),
        }
        c.run(["qhold", "-h", "s", ids["big"]])
        yield c, ids


# Options, and the jobs that they select.
SELECTIONS = [
    ([], "plain big other later"),
    (["-A", "acct1"], "big"),
    (["-P", "projx"], "big"),
    (["-N", "plain"], "plain"),
    (["-a", ".gt.203001011200"], "later"),
    (["-a", ".lt.203001011200"], ""),
    (["-a", "204001011200"], "later"),
    (["-c", "s"], "other"),
    (["-c", ".eq.c=5"], "later"),
    (["-c", ".gt.c=5"], "other"),
    (["-h", "u"], "plain"),
    (["-h", "us"], "big"),
    (["-h", ".ne.n"], "plain big"),
    (["-h", "n"], "other later"),
    (["-l", "ncpus.ge.4"], "big"),
    (["-l", "ncpus.eq.4,walltime.gt.60"], "big"),
    (["-l", "ncpus.eq.4,walltime.gt.1:00:00"], ""),
    (["-l", "walltime.eq.1:00:00"], "big"),
    (["-p", ".gt.0"], "plain"),
    (["-p.lt.0"], "other"),
    (["-p", "-5"], "other"),
    (["-p", ".ge.-5", "-p", ".le.0"], "big other later"),
    (["-q", "other"], "other"),
    (["-q", "workq"], "plain big later"),
    (["-q", "@localhost"], "plain big other later"),
    (["-q", "workq@localhost"], "plain big later"),
    (["-r", "n"], "other"),
    (["-r", "y"], "plain big later"),
    (["-s", "H"], "plain big"),
    (["-s", "QW"], "other later"),
    (["-s", ".ne.H"], "other later"),
    (["-s", "R"], ""),
    (["-t", "c.gt.202001011200"], "plain big other later"),
    (["-t", "c.gt.203801011200"], ""),
    (["-t", "a.ge.204001011200"], "later"),
    (["-t", "s.gt.202001011200"], ""),
    (["-t", "t.gt.202001011200"], ""),
    (["-t", "g.lt.99:00:00"], ""),
    (["-J"], ""),
    (["-T"], "plain big other later"),
    (["-s", "H", "-l", "ncpus.lt.4"], "plain"),
]


@pytest.mark.parametrize("words, names", SELECTIONS)
def test_qselect(many, words, names):
    c, ids = many
    assert said(c, "qselect", *words, user=None) == (
        0, "".join(ids[name] + "\n" for name in names.split()), "")


SELECT_ERRORS = [
    (["xx"], 2, "(usage)"),
    (["-l", "nosuch.ge.4"], 187, "qselect: Unknown resource Resource_List.nosuch\n"),
    (["-p", "abc"], 166, "qselect: Illegal attribute or resource value\n"),
    (["-q", "nosuch"], 170, "qselect: Unknown queue destination\n"),
    (["-q", "a@b@c"], 2, "qselect: illegally formed destination: a@b@c\n"),
    (["-x"], 0, "qselect: PBS is not configured to maintain job history\n"),
    (["-H"], 0, "qselect: PBS is not configured to maintain job history\n"),
    (["-s", "Z"], 2, "qselect: illegal -s value\n(usage)"),
    (["-c", ""], 2, "qselect: illegal -c value\n(usage)"),
    (["-c", "zz"], 166, "qselect: Illegal attribute or resource value\n"),
    (["-h", "z"], 2, "qselect: illegal -h value\n(usage)"),
    (["-u", "bad user@x@y"], 2, "qselect: illegal -u value\n(usage)"),
    (["-q", "@nosuch.invalid"], 160,
     "Unknown Host.\nqselect: cannot connect to server nosuch.invalid (errno=15008)\n"),
]


@pytest.mark.parametrize("words, code, text", SELECT_ERRORS)
def test_what_qselect_says(many, words, code, text):
    assert said(many[0], "qselect", *words) == (code, "", text)


@pytest.mark.skipif(ROOTLESS, reason="needs a second account")
def test_users_are_selected(many):
    c, ids = many
    everyone = [ids[name] for name in ("plain", "big", "other", "later")]
    mine = [jid for jid in everyone if jid != ids["other"]]
    assert said(c, "qselect", "-u", USER2)[1].split() == [ids["other"]]
    assert said(c, "qselect", "-u", USER1)[1].split() == mine
    assert said(c, "qselect", "-u", USER1 + "," + USER2)[1].split() == everyone
    host = c.server.status(JOB, id=ids["other"])[0]["Job_Owner"].split("@")[1]
    assert said(c, "qselect", "-u", "%s@%s" % (USER2, host))[1].split() == [ids["other"]]
    assert said(c, "qselect", "-u", USER2 + "@nosuch.invalid")[1] == ""
    # Others' jobs are not told to those who may not see them.
    c.server.manager(MGR_CMD_SET, SERVER, {"query_other_jobs": "False"})
    assert said(c, "qselect")[1].split() == mine
    c.server.manager(MGR_CMD_SET, SERVER, {"query_other_jobs": "True"})


def test_times_of_starts(cluster):
    jid = running(cluster)
    day = time.strftime("%Y%m%d%H%M", time.gmtime(time.time() - 3600))
    assert jid in said(cluster, "qselect", "-t", "s.gt." + day)[1].split()
    assert said(cluster, "qselect", "-t", "s.lt." + day)[1] == ""
    cluster.server.delete(jid)


def script_of(cluster, text):
    return cluster.write_script(Job(script=text))


def test_arguments_by_default(cluster):
    """What the server's default_qsub_arguments say is the lowest level: directives of the script go
    before it, and what was typed before both (cli.md 3.2)."""
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "Execution", "enabled": "True",
                                           "started": "True"}, id="lowest")

    def given(arguments):
        server.manager(MGR_CMD_SET, SERVER, {"default_qsub_arguments": arguments})

    def submitted(*argv):
        code, out, err = said(cluster, "qsub", *argv)
        assert (code, err) == (0, "")
        job = server.status(JOB, id=out.strip())[0]
        cluster.run(["qdel", out.strip()])
        return [job.get(name) for name in ("Priority", "Mail_Points", "queue",
                                           "Resource_List.walltime")]
    path = script_of(cluster, "#!/bin/sh\n#PBS -p 5\n")
    try:
        given("-p 44 -m n -q lowest -l walltime=77,software=x")
        assert submitted(path) == ["5", "n", "lowest", "00:01:17"]
        assert submitted("-m", "be", "-q", "workq", "-l", "walltime=5", path) == \
            ["5", "be", "workq", "00:00:05"]
        for arguments, code, text in (
                ("-q nosuch", 170, "qsub: Unknown queue\n"),
                ("-q a@b@c", 2, "qsub: illegally formed destination: a@b@c\n"),
                ("-Z", 255, "qsub: directive error: -Z \n"),
                ("-p 5 rest", 255, "qsub: directive error: -p 5 rest \n")):
            given(arguments)
            got = said(cluster, "qsub", path)
            assert got[:2] == (code, "") and text in got[2], (arguments, got)
        # What is refused by default may be overruled.
        given("-q nosuch")
        assert submitted("-q", "workq", path)[2] == "workq"
    finally:
        server.manager(MGR_CMD_UNSET, SERVER, {"default_qsub_arguments": None})
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})


SCRIPTS = [
    # The script, the exit status, and the name of the job or the errors.
    ("#!/bin/sh\r\n#PBS -N x\r\n", 1, "qsub: script contains cr, lf\n"),
    ("#PBS -N x \\\n -p 3\r\n", 1, "qsub: script contains cr, lf\n"),
    ("echo\n\r\n", 1, "qsub: script contains cr, lf\n"),
    ("#PBS -N a b\n", 1, "qsub: directive error: -N a b \n"),
    ("#PBSX -N a\n", 1, "qsub: directive error: X -N a \n"),
    ("#PBS -N 'a\n", 1, "qsub: unmatched quote\n"),
    ("#PBS" + " -p 1" * 65 + "\n", 1, "qsub: directive error: " + " -p 1" * 65 + "\n"),
    ("#PBS -N two\\\n -p 7\n", 0, "two"),
    ("  #PBS -N 'lead'\n", 0, "lead"),
    (": text\n#PBS -N colon\n", 0, "colon"),
    ("# text\n\n#PBS -N later\n", 0, "later"),
    ("echo\n#PBS -N late\n", 0, "script"),
    ("#pbs -N small\n", 0, "script"),
    ("", 0, "script"),
]


@pytest.mark.parametrize("text, code, words", SCRIPTS, ids=range(len(SCRIPTS)))
def test_directives(cluster, text, code, words):
    """Which lines of a script are directives, and what is refused of them (cli.md 3.4)."""
    got = said(cluster, "qsub", "-h", script_of(cluster, text))
    if code:
        assert got == (code, "", words)
        return
    assert (got[0], got[2]) == (0, "")
    name = value(cluster, got[1].strip(), "Job_Name")
    assert re.fullmatch(words, re.sub(r"\d+$", "", name))
    cluster.run(["qdel", got[1].strip()])


# What qdel is given, its exit status and what it says; J is a held job, A an array, @ the server.
DELETIONS = [
    (["999"], 153, "qdel: Unknown Job Id 999.@\n"),
    (["J", "999", "998"], 153, "qdel: Unknown Job Id 999.@\nqdel: Unknown Job Id 998.@\n"),
    (["12x", "J"], 1, "qdel: illegally formed job identifier: 12x\n"),
    (["A[1]", "A[2-3]", "A[]"], 0, ""),
    (["A[9]"], 153, "qdel: Unknown Job Id A[9].@\n"),
    (["J[1]"], 153, "qdel: Unknown Job Id J[1].@\n"),
    (["-W", "30", "J"], 0, ""),
    (["-W", "force", "-x", "J"], 0, ""),
    (["-W", "suppress_email=0", "J", "A[]"], 0, ""),
    (["-W", "suppress_email=", "J"], 2, "qdel: illegal -W value\n(usage)"),
    (["-W", "bogus", "J"], 2, "qdel: illegal -W value\n(usage)"),
    (["-W", "", "J"], 2, "qdel: illegal -W value\n(usage)"),
    ([], 2, "(usage)"),
]


@pytest.mark.parametrize("words, code, text", DELETIONS, ids=range(len(DELETIONS)))
def test_what_qdel_says(cluster, words, code, text):
    jid, array = held(cluster), held(cluster, "-J", "1-5")
    numbers = {"J": jid.split(".")[0], "A": array.split("[")[0]}

    def named(word):
        return re.sub(r"\b[JA]\b(?=$|\[)", lambda m: numbers[m.group()], word)
    got = said(cluster, "qdel", *map(named, words))
    want = re.sub(r"\b[JA](?=\[)", lambda m: numbers[m.group()], text).replace("@", cluster.host)
    assert got == (code, "", want)
    cluster.run(["qdel", "-Wforce", jid, array], user=USER1, check=False)


def test_arguments_of_qdel_by_default(cluster):
    """What default_qdel_arguments may say is one thing; anything else is told and ignored (cli.md 5.1)."""
    server = cluster.server
    try:
        for given, text in (("-Wsuppress_email=5", ""),
                            ("-x", "qdel: unsupported default_qdel_arguments '-x'\n")):
            server.manager(MGR_CMD_SET, SERVER, {"default_qdel_arguments": given})
            assert said(cluster, "qdel", held(cluster)) == (0, "", text)
            # What is typed is not overruled, and nobody asks.
            assert said(cluster, "qdel", "-W", "suppress_email=1", held(cluster)) == (0, "", "")
    finally:
        server.manager(MGR_CMD_UNSET, SERVER, {"default_qdel_arguments": None})
