# SPDX-License-Identifier: Apache-2.0
"""Job arrays on real daemons: from qsub -J to the last record (attributes.md 14.2)."""
import os
import re

import pytest

from holdfast import *
from holdfast.services import wait_for


@pytest.fixture(scope="module")
def cluster():
    """Its MoM runs processes."""
    with Cluster(vnodes=2) as c:
        yield c


@pytest.fixture(scope="module")
def mock():
    with Cluster(vnodes=4, mock=True) as c:
        yield c


def said(cluster, *argv, user=USER1):
    done = cluster.run(list(argv), user=user, check=False)
    err = re.sub(r"(?s)^usage: .*", "(usage)", done.stderr, flags=re.M)
    return done.returncode, done.stdout, err


def array(cluster, indices, *options, command=("/bin/sleep", "1000"), user=USER1):
    jid = cluster.run(["qsub", "-N", "arr", "-J", indices, "-l", "select=1:ncpus=1", *options,
                       "--", *command], user=user).stdout.strip()
    assert re.fullmatch(r"\d+\[\]\..*", jid)
    return jid


def sub(jid, index):
    return jid.replace("[]", "[%s]" % index)


def gone(cluster, jid):
    wait_for(jid + " is gone", lambda: said(cluster, "qstat", jid)[0] != 0)


def counts(cluster, jid, **expected):
    order = ("Queued", "Running", "Exiting", "Expired")
    text = " ".join("%s:%d" % (k, expected.get(k, 0)) for k in order)
    cluster.server.expect(JOB, {"array_state_count": text}, id=jid)


def test_an_array_runs_from_one_end_to_the_other(cluster):
    """Each subjob has its index, its files and its record; the array ends with the last."""
    script = cluster.write("arr.sh", "#!/bin/sh\n#PBS -J 2-6:2\n"
                           "echo $PBS_ARRAY_INDEX $PBS_ARRAY_ID $PBS_JOBID\n"
                           "exit $((PBS_ARRAY_INDEX == 4))\n")
    jid = cluster.run(["qsub", "-N", "arr", script], user=USER1).stdout.strip()
    gone(cluster, jid)
    number = jid.split("[")[0]
    for i in (2, 4, 6):
        assert cluster.output(USER1, "arr.o%s.%d" % (number, i)) == (
            "%d %s %s\n" % (i, jid, sub(jid, i)))
        assert cluster.output(USER1, "arr.e%s.%d" % (number, i)) == ""
        cluster.server.accounting_match(r";S;%s;.*exec_host=" % re.escape(sub(jid, i)), regexp=True)
        cluster.server.accounting_match(r";E;%s;.*Exit_status=%d"
                                        % (re.escape(sub(jid, i)), i == 4), regexp=True)
    cluster.server.accounting_match(r";Q;%s;.* array_indices=2-6:2 Resource_List"
                                    % re.escape(jid), regexp=True)
    cluster.server.accounting_match(r";S;%s;.* array_indices=2-6:2 Resource_List"
                                    % re.escape(jid), regexp=True)
    cluster.server.accounting_match(r";E;%s;.*session=0 end=\d+ Exit_status=1 run_count=0"
                                    % re.escape(jid), regexp=True)


def test_what_qstat_shows(mock):
    jid = array(mock, "1-10")
    counts(mock, jid, Running=8, Queued=2)
    shown = mock.server.status(JOB, id=jid)[0]
    assert shown["job_state"] == "B"
    assert shown["array_indices_submitted"] == "1-10"
    assert shown["array_indices_remaining"] == "9-10"
    assert re.fullmatch(r"Job Array Began at \w{3} \w{3} [ \d]\d at \d\d:\d\d", shown["comment"])

    def states(*argv):
        lines = said(mock, "qstat", *argv)[1].splitlines()[2:]
        return [(l.split()[0].split(".")[0].split("[")[1], l.split()[-2]) for l in lines]
    assert states(jid) == [("]", "B")]
    assert states("-t", jid) == [("]", "B")] + [
        ("%d]" % i, "R" if i < 9 else "Q") for i in range(1, 11)]
    assert states(sub(jid, 3)) == [("3]", "R")]
    assert states(sub(jid, "7-10")) == [("7]", "R"), ("8]", "R"), ("9]", "Q"), ("10]", "Q")]
    assert states(sub(jid, "1-10:4")) == [("1]", "R"), ("5]", "R"), ("9]", "Q")]
    assert states("-J") == [("]", "B")]
    assert said(mock, "qstat", sub(jid, 11)) == (153, "", "qstat: Unknown Job Id %s\n"
                                                 % sub(jid, 11))
    assert said(mock, "qselect", "-T", "-s", "Q")[1].split() == [sub(jid, 9), sub(jid, 10)]
    assert said(mock, "qselect", "-J")[1].split() == [jid]
    mock.server.delete(jid)
    gone(mock, jid)


def test_how_many_run_at_once(mock):
    """-J ...%N; qalter -W max_run_subjobs changes it."""
    jid = array(mock, "1-6%2")
    counts(mock, jid, Running=2, Queued=4)
    assert said(mock, "qalter", "-W", "max_run_subjobs=3", jid) == (0, "", "")
    mock.run(["qmgr", "-c", "set server scheduling=true"])  # the next cycle, now
    counts(mock, jid, Running=3, Queued=3)
    mock.server.delete(jid)
    gone(mock, jid)


def test_subjobs_are_deleted(mock):
    jid = array(mock, "1-20")
    counts(mock, jid, Running=8, Queued=12)
    # Those that wait; one that runs; a range over both, and over what is over already.
    assert said(mock, "qdel", sub(jid, "15-16"), sub(jid, 12)) == (0, "", "")
    counts(mock, jid, Running=8, Queued=9, Expired=3)
    assert said(mock, "qsig", "-s", "0", sub(jid, 2)) == (0, "", "")
    assert said(mock, "qsig", "-s", "0", sub(jid, 2), user=USER2)[0] == 159
    assert said(mock, "qdel", sub(jid, 2)) == (0, "", "")
    counts(mock, jid, Running=8, Queued=8, Expired=4)
    assert said(mock, "qdel", sub(jid, "11-16")) == (0, "", "")
    assert said(mock, "qdel", sub(jid, 12)) == (
        55, "", "qdel: Request invalid for finished array subjob %s\n" % sub(jid, 12))
    assert said(mock, "qdel", sub(jid, 21)) == (
        153, "", "qdel: Unknown Job Id %s\n" % sub(jid, 21))
    assert said(mock, "qdel", sub(jid, 3), user=USER2)[0] == 159
    assert said(mock, "qdel", jid) == (0, "", "")
    gone(mock, jid)


def test_commands_that_are_for_whole_arrays(mock):
    jid = array(mock, "1-3", "-h")
    for words in (["qhold"], ["qrls"], ["qalter", "-p", "3"], ["qmove", "workq"]):
        assert said(mock, *words, sub(jid, 1)) == (
            156, "", "%s: Invalid request %s\n" % (words[0], sub(jid, 1))), words
        assert said(mock, *words, sub(jid, "1-2"))[0] == 156, words
    assert said(mock, "qalter", "-p", "3", jid) == (0, "", "")
    assert mock.server.status(JOB, id=jid)[0]["Priority"] == "3"
    assert mock.server.status(JOB, id=sub(jid, 2))[0]["Priority"] == "3"
    assert said(mock, "qrls", jid) == (0, "", "")
    counts(mock, jid, Running=3)
    assert said(mock, "qhold", jid) == (0, "", "")
    mock.server.expect(JOB, {"job_state": "H"}, id=jid)
    assert said(mock, "qrls", jid) == (0, "", "")
    mock.server.expect(JOB, {"job_state": "B"}, id=jid)
    mock.server.delete(jid)
    gone(mock, jid)


def test_commands_on_what_runs(mock):
    """qsig and qrerun reach what runs of an array; qrun starts what waits; qmsg is for no array."""
    jid = array(mock, "1-12")
    counts(mock, jid, Running=8, Queued=4)
    for i in range(1, 9):  # there is something to be signalled once its MoM has said so
        mock.server.expect(JOB, {"job_state": "R", "substate": 42}, id=sub(jid, i))
    for operand in (jid, sub(jid, 2), sub(jid, "7-10")):
        assert said(mock, "qsig", "-s", "0", operand) == (0, "", ""), operand
        assert said(mock, "qsig", "-s", "0", operand, user=USER2) == (
            159, "", "qsig: Unauthorized Request  %s\n" % operand)
        assert said(mock, "qmsg", "hello", operand) == (
            181, "", "qmsg: not supported for Array Jobs %s\n" % operand)
        assert said(mock, "qrerun", operand) == (
            159, "", "qrerun: Unauthorized Request  %s\n" % operand)
    for cmd in (["qsig"], ["qrerun"]):
        for operand in (sub(jid, 9), sub(jid, "9-12")):
            assert said(mock, *cmd, operand, user=None) == (
                168, "", "%s: Request invalid for state of job %s\n" % (cmd[0], operand))
        assert said(mock, *cmd, sub(jid, "13-15"), user=None) == (
            153, "", "%s: Unknown Job Id %s\n" % (cmd[0], sub(jid, "13-15")))
    assert said(mock, "qsig", "-s", "BOGUS", jid) == (
        165, "", "qsig: Unknown/illegal signal name %s\n" % jid)
    assert said(mock, "qrun", jid, user=None) == (2, "", "qrun: Invalid request %s\n" % jid)
    mock.run(["qmgr", "-c", "set server scheduling=false"])
    # More than there is: nobody can leave for it.
    large = mock.run(["qsub", "-J", "1-2", "-l", "select=1:ncpus=99", "--", "/bin/true"],
                     user=USER1).stdout.strip()
    code, out, err = said(mock, "qrun", sub(large, "1-2"), user=None)
    assert (code, out) == (2, "") and err.startswith("qrun: Insufficient amount of resource: ncpus")
    mock.run(["qdel", large])
    for operand, left in ((sub(jid, 3), 7), (sub(jid, "1-2"), 5)):
        assert said(mock, "qrerun", operand, user=None) == (0, "", "")
        counts(mock, jid, Running=left, Queued=12 - left)
    assert said(mock, "qrerun", "-W", "force", jid, user=None) == (0, "", "")
    counts(mock, jid, Queued=12)
    # On vnodes that are named, and on those that the scheduler chooses.
    vnode = mock.server.status(NODE)[0]["id"]
    assert said(mock, "qrun", "-H", vnode, sub(jid, 4), user=None) == (0, "", "")
    mock.server.expect(JOB, {"job_state": "R"}, id=sub(jid, 4))
    assert said(mock, "qrun", sub(jid, "10-12:2"), user=None) == (0, "", "")
    counts(mock, jid, Running=3, Queued=9)
    assert mock.server.status(JOB, id=jid)[0]["array_indices_remaining"] == "1-3,5-9,11"
    assert said(mock, "qrun", sub(jid, 10), user=None) == (
        2, "", "qrun: Request invalid for state of job %s\n" % sub(jid, 10))
    mock.run(["qmgr", "-c", "set server scheduling=true"])
    mock.server.delete(jid)
    gone(mock, jid)


def test_commands_on_subjobs_that_are_over(mock):
    jid = array(mock, "1-20")
    counts(mock, jid, Running=8, Queued=12)
    assert said(mock, "qdel", sub(jid, 3), sub(jid, 20)) == (0, "", "")
    mock.server.expect(JOB, {"job_state": "X"}, id=sub(jid, 3))
    for i in (3, 20):
        for cmd in (["qsig"], ["qrerun"], ["qdel"]):
            assert said(mock, *cmd, sub(jid, i), user=None) == (
                55, "", "%s: Request invalid for finished array subjob %s\n"
                % (cmd[0], sub(jid, i))), (cmd, i)
        assert said(mock, "qrun", sub(jid, i), user=None)[:2] == (2, "")
    mock.server.delete(jid)
    gone(mock, jid)


def test_arrays_change_places(mock):
    """qorder and qmove are for whole arrays that have not begun."""
    one, two = array(mock, "1-3", "-h"), array(mock, "1-3", "-h")

    def order():
        return [i for i in said(mock, "qselect")[1].split() if i in (one, two)]
    assert order() == [one, two]
    assert said(mock, "qorder", one, two) == (0, "", "")
    mock.run(["qmgr", "-c", "create queue q2 queue_type=e,enabled=true,started=true"])
    code, out, err = said(mock, "qorder", sub(one, 1), two)
    assert (code, out, err) == (156, "", "qorder: Invalid request %s or %s\n"
                                % (sub(one, 1), two))
    assert said(mock, "qmove", "q2", one) == (0, "", "")
    assert mock.server.status(JOB, id=sub(one, 2))[0]["queue"] == "q2"
    assert said(mock, "qrls", one, two) == (0, "", "")
    mock.server.expect(JOB, {"job_state": "B"}, id=one)
    mock.server.expect(JOB, {"job_state": "B"}, id=two)
    assert said(mock, "qmove", "workq", one)[1:] == (
        "", "qmove: Request invalid for state of job %s\n" % one)
    for jid in (one, two):
        mock.server.delete(jid)
        gone(mock, jid)


def test_a_range_that_is_none(mock):
    for text in ("5", "1-1", "5-3", "1-2:", "1-2:0", "1-2,4", "1-2%", "1-2%x", "-2", "a-b"):
        code, out, err = said(mock, "qsub", "-J", text, "--", "/bin/true")
        assert (code, out, err.splitlines()[0]) == (2, "", "qsub: illegal -J value"), text
    assert said(mock, "qsub", "-J", "1-20000", "--", "/bin/true") == (
        3, "", "qsub: Array job exceeds server or queue size limit\n")
    assert said(mock, "qsub", "-J", "1-3", "-r", "n", "--", "/bin/true") == (
        2, "", "qsub:  cannot submit non-rerunable Array Job\n(usage)")
    assert said(mock, "qsub", "-m", "j", "--", "/bin/true") == (
        1, "", "qsub: mail option 'j' can not be used without array job\n")
    assert said(mock, "qsub", "-J", "1-3%2", "-W", "max_run_subjobs=3", "--", "/bin/true") == (
        2, "", "qsub: multiple max_run_subjobs values found\n(usage)")
    assert said(mock, "qsub", "-W", "max_run_subjobs=3", "--", "/bin/true")[0] == 127


def test_an_array_survives_a_killed_server(mock):
    jid = array(mock, "1-12")
    counts(mock, jid, Running=8, Queued=4)
    said(mock, "qdel", sub(jid, 11))
    before = mock.server.status(JOB, id=jid)[0]
    mock.server.kill()
    mock.server.start()
    after = mock.server.status(JOB, id=jid)[0]
    for name in ("array_state_count", "array_indices_remaining", "job_state", "comment"):
        assert before[name] == after[name]
    mock.server.delete(jid)
    gone(mock, jid)


def test_an_array_in_a_reservation(mock):
    """Its subjobs run in the reservation, and go with it."""
    rid = mock.server.submit(Reservation(user=USER1, select="2:ncpus=1", start=8, duration=3600,
                                         interactive=60))
    mock.server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)
    jid = array(mock, "1-4", "-q", rid.split(".")[0])
    counts(mock, jid, Running=2, Queued=2)
    for i in (1, 2):
        mock.server.expect(JOB, {"job_state": "R", "reserve_ID": rid}, id=sub(jid, i))
    mock.run(["pbs_rdel", rid], user=USER1)
    gone(mock, jid)


def test_no_reservation_comes_out_of_an_array(mock):
    """Nor out of a subjob, whether it runs or waits."""
    jid = array(mock, "1-10")
    counts(mock, jid, Running=8, Queued=2)
    number = jid.split("[")[0]
    refusal = (15182 & 255, "",
               "pbs_rsub: Reservation may not be created from an array job\n")
    for name in (jid, number + "[]", sub(jid, 1), number + "[1]", number + "[10]"):
        assert said(mock, "pbs_rsub", "--job", name) == refusal
    unknown = said(mock, "pbs_rsub", "--job", sub(jid, 11))[2]
    assert unknown.splitlines()[0] == "pbs_rsub: Unknown Job Id"
    assert not mock.server.status(RESV)
    counts(mock, jid, Running=8, Queued=2)
    mock.server.delete(jid)
    gone(mock, jid)


def test_subjobs_that_are_marked_make_no_reservation(mock):
    jid = array(mock, "1-3", "-W", "create_resv_from_job=1")
    counts(mock, jid, Running=3)
    for i in (1, 2, 3):
        mock.server.expect(JOB, {"job_state": "R", "substate": 42}, id=sub(jid, i))
    after = mock.server.submit(Job(user=USER1, attrs={"create_resv_from_job": "1"}))
    mock.server.expect(JOB, {"job_state": "R", "substate": 42}, id=after)
    wait_for("a reservation", lambda: mock.server.status(RESV))
    assert [r["reserve_job"] for r in mock.server.status(RESV)] == [after]
    mock.server.delete(jid)
    gone(mock, jid)
