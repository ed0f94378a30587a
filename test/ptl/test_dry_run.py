# SPDX-License-Identifier: Apache-2.0
"""--dry-run of pbs_rsub, pbs_ralter and pbs_rdel on real daemons: the verdict is what the
request then gets, and nothing of a dry run is left (doc/design/046-dry-run.md)."""
import json
import signal
import threading
import time

import pytest

from holdfast import *
from holdfast.peer import STATUS_SERVER, asked_of_older
from story import *

HOUR = 3600
CONFIRM, DENY, NOT_TOLD, FORCE = 0, 1, 2, 3


@pytest.fixture(scope="module")
def cluster():
    with Cluster() as c:
        yield c


@pytest.fixture(autouse=True)
def nothing_stays(cluster):
    yield
    for resv in cluster.server.status(RESV):
        cluster.server.delete(resv["id"])
        is_gone(cluster.server, RESV, resv["id"])
    # A job that was deleted may still be ending.
    for job in cluster.server.status(JOB):
        is_gone(cluster.server, JOB, job["id"])


def run(cluster, *argv, user=USER1, code=None, env=None):
    """A command as it has ended; with 'code' its output, and that is its exit status."""
    done = cluster.run([str(a) for a in argv], user=user, check=False, env=env)
    if code is None:
        return done
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done.stdout


def verdict(cluster, command, *argv, user=USER1, code=CONFIRM, env=None):
    out = run(cluster, command, "--dry-run", "-F", "json", *argv, user=user, code=code,
              env=env)
    (name, said), = json.loads(out)["Reservations"].items()
    return said


def window(start, length=HOUR):
    return ["-R", Reservation.clock(start), "-D", str(length)]


def rsub(cluster, *options, user=USER1, env=None):
    return run(cluster, "pbs_rsub", "-I", "60", *options, user=user, code=0, env=env).split()


def names(exec_vnode):
    return sorted({part.split(":")[0] for part in exec_vnode.strip("()").split(")+(")})


class Unchanged:
    """All that a dry run must not touch: every status, accounting, the journal (but for what
    jobs and vnodes report meanwhile), and cycles of the scheduler, of which it needs none."""

    def __init__(self, cluster):
        self.cluster = cluster

    def look(self):
        c = self.cluster
        resvs = [dict(r) for r in c.server.status(RESV)]
        jobs = [dict(j, resources_used="") for j in c.server.status(JOB)]
        journal = c.sql("SELECT seq, fact, id FROM journal WHERE kind NOT IN ('job', 'node')")
        cycles = sum("Starting Scheduling Cycle" in line for line in c.scheduler.log_lines())
        return resvs, [(j["id"], j["job_state"], j["queue"]) for j in jobs], \
            c.server.accounting_lines(), c.server.status(QUEUE), journal, cycles

    def __enter__(self):
        self.before = self.look()
        return self

    def __exit__(self, kind, *rest):
        if kind is None:
            assert self.look() == self.before


def test_a_submission_is_told_and_then_so(cluster):
    start = int(time.time()) // HOUR * HOUR + 4 * HOUR
    options = ["-l", "select=2:ncpus=2", "-l", "place=vscatter", *window(start)]
    with Unchanged(cluster):
        said = verdict(cluster, "pbs_rsub", *options)
    assert said["verdict"] == "confirm" and said["reserve_start"] == start
    rid, state = rsub(cluster, *options)
    assert state == "CONFIRMED"
    resv = cluster.server.status(RESV, rid)[0]
    assert resv["resv_nodes"] == said["resv_nodes"]
    assert sorted(said["vnodes_gained"]) == names(resv["resv_nodes"])
    # No number was used.
    other, _ = rsub(cluster, "-l", "select=1:ncpus=1", *window(start))
    assert int(other[1:].split(".")[0]) == int(rid[1:].split(".")[0]) + 1


def test_the_words_for_people(cluster):
    start = int(time.time()) // HOUR * HOUR + 4 * HOUR
    done = run(cluster, "pbs_rsub", "--dry-run", "-l", "select=1:ncpus=2", *window(start))
    assert done.returncode == CONFIRM and done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "A new reservation WOULD BE CONFIRMED"
    assert lines[1] == "    start: " + time.strftime("%a %b %d %H:%M:%S %Y",
                                                     time.localtime(start))
    assert lines[3].startswith("    vnodes gained: vn[")


def test_what_does_not_fit(cluster):
    start = int(time.time()) // HOUR * HOUR + 4 * HOUR
    all_of_it, state = rsub(cluster, "-l", "select=5:ncpus=2", *window(start))
    assert state == "CONFIRMED"
    with Unchanged(cluster):
        said = verdict(cluster, "pbs_rsub", "-l", "select=1:ncpus=2", *window(start + 60),
                       code=DENY)
    assert said["verdict"] == "deny" and all_of_it in said["reason"]
    assert said["earliest_start"] == start + HOUR
    done = run(cluster, "pbs_rsub", "-I", "60", "-l", "select=1:ncpus=2", *window(start + 60))
    assert done.stdout.split()[1] == "DENIED" and all_of_it in done.stderr
    # What is refused before anybody is asked is refused with its own words.
    done = run(cluster, "pbs_rsub", "--dry-run", "-l", "select=1:ncpus=2",
               "-R", Reservation.clock(time.time() - HOUR), "-D", 60)
    assert (done.returncode, done.stdout) == (DENY, "")
    assert "Bad time specification(s)" in done.stderr


def neighbours(cluster):
    """Two reservations of all vnodes, one behind the other."""
    start = int(time.time()) // HOUR * HOUR + 4 * HOUR
    first, _ = rsub(cluster, "-l", "select=5:ncpus=2", *window(start))
    second, _ = rsub(cluster, "-l", "select=5:ncpus=2", *window(start + HOUR), user=USER2)
    return start, first, second


def test_an_alteration_that_needs_force(cluster):
    start, first, second = neighbours(cluster)
    longer = ["-E", Reservation.clock(start + HOUR + 600), first]
    with Unchanged(cluster):
        said = verdict(cluster, "pbs_ralter", *longer, code=FORCE)
        forced = verdict(cluster, "pbs_ralter", "-W", "force", *longer, user=None, code=FORCE)
        shorter = verdict(cluster, "pbs_ralter", "-D", 600, first)
    assert second in said["reason"] and said["oversubscribed_resv"] == [second]
    assert forced["oversubscribed_resv"] == [second]
    assert len(said["vnodes_kept"]) == 5
    assert shorter["reserve_end"] == start + 600
    # Who may not force is refused as ever, and the real ones get what was told.
    done = run(cluster, "pbs_ralter", "--dry-run", "-W", "force", *longer)
    assert done.returncode == DENY and "Unauthorized Request" in done.stderr
    done = run(cluster, "pbs_ralter", "-I", 60, *longer)
    assert "DENIED" in done.stdout and second in done.stdout
    done = run(cluster, "pbs_ralter", "-I", 60, "-W", "force", *longer, user=None)
    assert "oversubscribes reservations " + second in done.stdout


def test_a_running_one_shrinks_and_is_deleted(cluster):
    rid = running_resv(cluster.server)
    jid = running_job(cluster.server, queue_of(rid))
    busy = names(cluster.server.status(JOB, jid)[0]["exec_vnode"])
    with Unchanged(cluster):
        less = verdict(cluster, "pbs_ralter", "-l", "select=1:ncpus=2", rid)
        gone = verdict(cluster, "pbs_rdel", rid)
        done = run(cluster, "pbs_rdel", "--dry-run", rid)
    assert less["vnodes_kept"] == busy and len(less["vnodes_released"]) == 2
    assert gone["jobs_deleted"] == [jid] and len(gone["vnodes_released"]) == 3
    assert done.stdout.splitlines()[0] == rid + " WOULD BE DELETED"
    assert "    jobs that end with it: " + jid in done.stdout
    run(cluster, "pbs_ralter", "-I", 60, "-l", "select=1:ncpus=2", rid, code=0)
    assert names(cluster.server.status(RESV, rid)[0]["resv_nodes"]) == less["vnodes_kept"]
    run(cluster, "pbs_rdel", rid, code=0)
    for jid in gone["jobs_deleted"]:
        is_gone(cluster.server, JOB, jid)
        assert "requestor=%s@" % USER1 in cluster.server.accounting_match(";D;%s;" % jid)
    is_gone(cluster.server, RESV, rid)


def test_a_running_job_keeps_its_vnodes(cluster):
    jid = running_job(cluster.server, **{"Resource_List.walltime": 600})
    with Unchanged(cluster):
        said = verdict(cluster, "pbs_rsub", "--job", jid)
    assert said["jobs_moved"] == [jid]
    assert said["vnodes_gained"] == names(cluster.server.status(JOB, jid)[0]["exec_vnode"])
    cluster.server.delete(jid)


def test_maintenance_names_whom_it_takes_from(cluster):
    start = int(time.time()) // HOUR * HOUR + 4 * HOUR
    rid, _ = rsub(cluster, "-l", "select=5:ncpus=2", *window(start))
    host = cluster.server.status(NODE)[0]["resources_available.host"]
    cluster.server.manager(MGR_CMD_SET, SERVER, {"managers": (INCR, str(USER2) + "@*")})
    with Unchanged(cluster):
        said = verdict(cluster, "pbs_rsub", "--hosts", host, *window(start), user=USER2)
        refused = run(cluster, "pbs_rsub", "--dry-run", "--hosts", host, *window(start))
    assert said["conflicts_resv"] == [rid] and len(said["vnodes_gained"]) == 5
    assert refused.returncode == DENY and "Unauthorized Request" in refused.stderr
    cluster.server.manager(MGR_CMD_UNSET, SERVER, {"managers": None})


def test_a_series(cluster):
    start = int(time.time()) // HOUR * HOUR + 4 * HOUR
    with Unchanged(cluster):
        said = verdict(cluster, "pbs_rsub", "-l", "select=1:ncpus=2", "-r",
                       "FREQ=DAILY;COUNT=3", *window(start), env={"PBS_TZID": "UTC"})
    assert said["verdict"] == "confirm" and said["reserve_count"] == 3


def test_one_occurrence(cluster):
    """S5[3] alone: what is told of it, and then so; the series stays what it is."""
    start = int(time.time()) // HOUR * HOUR + 4 * HOUR
    rid, _ = rsub(cluster, "-l", "select=5:ncpus=2", "-r", "FREQ=DAILY;COUNT=4",
                  *window(start), env={"PBS_TZID": "UTC"})
    third = rid.replace(".", "[3].", 1)
    begins = start + 2 * 86400
    other, _ = rsub(cluster, "-l", "select=1:ncpus=2", *window(begins + HOUR), user=USER2)
    longer = ["-E", Reservation.clock(begins + HOUR + 600), third]
    with Unchanged(cluster):
        shorter = verdict(cluster, "pbs_ralter", "-D", 600, third)
        said = verdict(cluster, "pbs_ralter", *longer, code=FORCE)
        forced = verdict(cluster, "pbs_ralter", "-W", "force", *longer, user=None, code=FORCE)
        gone = verdict(cluster, "pbs_rdel", third)
        done = run(cluster, "pbs_rdel", "--dry-run", third)
        refused = run(cluster, "pbs_ralter", "--dry-run", "-E",
                      Reservation.clock(begins + 86400), third)
    assert (shorter["reserve_start"], shorter["reserve_end"]) == (begins, begins + 600)
    assert other in said["reason"] and said["oversubscribed_resv"] == [other]
    assert forced["oversubscribed_resv"] == [other]
    assert len(gone["vnodes_released"]) == 5 and "jobs_deleted" not in gone
    assert done.stdout.splitlines()[0] == third + " WOULD BE DELETED"
    assert (refused.returncode, refused.stdout) == (DENY, "")
    assert "interfere with a later occurrence" in refused.stderr
    done = run(cluster, "pbs_ralter", "-I", 60, *longer)
    assert done.stdout.split()[2] == "DENIED" and other in done.stdout
    run(cluster, "pbs_ralter", "-I", 60, "-D", 600, third, code=0)
    out = run(cluster, "pbs_rstat", "-F", "json", third, code=0)
    shown = json.loads(out)["Reservations"][third]
    assert shown["resv_nodes"] == shorter["resv_nodes"]


def verdicts(cluster, command, *argv, code, **more):
    """The same of several operands: by their names."""
    out = run(cluster, command, "--dry-run", "-F", "json", *argv, code=code, **more)
    return json.loads(out)["Reservations"]


def test_whom_a_push_would_move(cluster):
    """They are named with their times, nobody is moved, and then they are."""
    start, first, second = neighbours(cluster)
    longer = ["--push", "-E", Reservation.clock(start + HOUR + 600), first]
    with Unchanged(cluster):
        said = verdict(cluster, "pbs_ralter", *longer, user=None)
        text = run(cluster, "pbs_ralter", "--dry-run", *longer, user=None, code=CONFIRM)
        refused = run(cluster, "pbs_ralter", "--dry-run", *longer)
    assert said["verdict"] == "confirm" and "oversubscribed_resv" not in said
    assert said["moved_from"] == {second: start + HOUR}
    assert said["moved_to"] == {second: start + HOUR + 600}
    assert text.splitlines()[0] == first + " WOULD BE CONFIRMED"
    times = [time.strftime("%a %b %d %H:%M:%S %Y", time.localtime(start + HOUR + plus))
             for plus in (0, 600)]
    assert "    moves %s from %s to %s" % (second, *times) in text.splitlines()
    assert refused.returncode == DENY and "Unauthorized Request" in refused.stderr
    done = run(cluster, "pbs_ralter", "-I", 60, *longer, user=None, code=0)
    assert "moved %s from %s to %s" % (second, *times) in done
    moved = cluster.server.status(RESV, second)[0]
    assert moved["resv_nodes"] == said["moved_nodes"][second]


def test_a_push_that_finds_no_room(cluster):
    """Maintenance is not moved: the reason names it, and what force would cost is told."""
    start = int(time.time()) // HOUR * HOUR + 4 * HOUR
    first, _ = rsub(cluster, "-l", "select=5:ncpus=2", *window(start))
    host = cluster.server.status(NODE)[0]["resources_available.host"]
    cluster.server.manager(MGR_CMD_SET, SERVER, {"managers": (INCR, str(USER2) + "@*")})
    out = run(cluster, "pbs_rsub", "--hosts", host, *window(start + HOUR), user=USER2, code=0)
    with Unchanged(cluster):
        said = verdict(cluster, "pbs_ralter", "--push", "-E",
                       Reservation.clock(start + HOUR + 600), first, user=USER2, code=FORCE)
    cluster.server.manager(MGR_CMD_UNSET, SERVER, {"managers": None})
    assert out.split()[0] in said["reason"]
    assert said["oversubscribed_resv"] == [out.split()[0]]


def test_several_and_the_worst_of_them(cluster):
    start, first, second = neighbours(cluster)
    with Unchanged(cluster):
        fine = verdicts(cluster, "pbs_ralter", "-D", 600, first, second, user=None,
                        code=CONFIRM)
        longer = verdicts(cluster, "pbs_ralter", "-D", HOUR + 600, second, first, user=None,
                          code=FORCE)
        denied = run(cluster, "pbs_ralter", "--dry-run", "-D", HOUR + 600, first, second,
                     code=DENY)
        gone = verdicts(cluster, "pbs_rdel", second, first, user=None, code=CONFIRM)
        unknown = run(cluster, "pbs_rdel", "--dry-run", "R99999", first, user=None)
    assert [fine[r]["verdict"] for r in (first, second)] == ["confirm", "confirm"]
    assert [longer[r]["verdict"] for r in (first, second)] == ["force", "confirm"]
    assert denied.splitlines()[0] == first + " WOULD NEED FORCE"  # the second is user2's
    assert sorted(gone) == sorted([first, second])
    assert unknown.returncode == DENY and first + " WOULD BE DELETED" in unknown.stdout
    # Only dry runs have several.
    done = run(cluster, "pbs_ralter", "-D", 600, first, second, user=None)
    assert done.returncode == 2 and done.stderr.startswith("usage: ")


def test_each_occurrence(cluster):
    start = int(time.time()) // HOUR * HOUR + 4 * HOUR
    rid, _ = rsub(cluster, "-l", "select=5:ncpus=2", "-r", "FREQ=DAILY;COUNT=3",
                  *window(start), env={"PBS_TZID": "UTC"})
    rsub(cluster, "-l", "select=1:ncpus=2", *window(start + 86400 + HOUR), user=USER2)
    of = [rid.replace(".", "[%s].", 1) % i for i in ("", 1, 2, 3)]
    with Unchanged(cluster):
        said = verdicts(cluster, "pbs_ralter", "-D", HOUR + 600, of[0], code=FORCE)
        gone = run(cluster, "pbs_rdel", "--dry-run", of[0], code=CONFIRM)
        moved = run(cluster, "pbs_ralter", "--dry-run", "-R", Reservation.clock(start), of[0])
        real = run(cluster, "pbs_rdel", of[0])
    assert [said[one]["verdict"] for one in of[1:]] == ["confirm", "force", "confirm"]
    assert [l for l in gone.splitlines() if "WOULD" in l] == \
        [one + " WOULD BE DELETED" for one in of[1:]]
    assert moved.returncode == 2 and "without -R and -E" in moved.stderr
    assert real.returncode == 1 and "name one occurrence, as S5[3]" in real.stderr


def test_as_soon_as_possible(cluster):
    jid = cluster.server.submit(Job(attrs={"Resource_List.select": "6:ncpus=2",
                                           "Resource_List.walltime": 600}))
    with Unchanged(cluster):
        said = verdict(cluster, "pbs_rsub", "-W", "qmove=" + jid, code=DENY)
    assert said["verdict"] == "deny"
    cluster.server.delete(jid)
    blocker = running_job(cluster.server, select="5:ncpus=2", **{"Resource_List.walltime": 600})
    jid = cluster.server.submit(Job(attrs={"Resource_List.select": "1:ncpus=2",
                                           "Resource_List.walltime": 600}))
    with Unchanged(cluster):
        said = verdict(cluster, "pbs_rsub", "-W", "qmove=" + jid)
    assert said["jobs_moved"] == [jid] and said["reserve_start"] > time.time() + 300
    for each in (jid, blocker):
        cluster.server.delete(each)
    is_gone(cluster.server, JOB, blocker)


def test_without_a_scheduler_nobody_can_tell(cluster):
    start = int(time.time()) // HOUR * HOUR + 4 * HOUR
    rid, _ = rsub(cluster, "-l", "select=1:ncpus=2", *window(start))
    cluster.scheduler.kill()
    cluster.server.log_match("scheduler disconnected")
    with Unchanged(cluster):
        done = run(cluster, "pbs_rsub", "--dry-run", "-l", "select=1:ncpus=2", *window(start))
        assert (done.returncode, done.stdout) == (NOT_TOLD, "")
        assert "no scheduler is there to be asked" in done.stderr
        # What needs no scheduler is told.
        assert verdict(cluster, "pbs_rdel", rid)["verdict"] == "confirm"
    cluster.scheduler.start()


def test_a_server_that_dies_with_one_has_forgotten_it(cluster):
    start = int(time.time()) // HOUR * HOUR + 4 * HOUR
    said = []
    cluster.scheduler.send_signal(signal.SIGSTOP)
    try:
        asking = threading.Thread(target=lambda: said.append(
            run(cluster, "pbs_rsub", "--dry-run", "-l", "select=1:ncpus=2", *window(start))))
        asking.start()
        cluster.server.log_match("Scheduler sent command 200")
        cluster.server.kill()
        asking.join(60)
        assert said[0].returncode not in (CONFIRM, FORCE)
    finally:
        cluster.scheduler.send_signal(signal.SIGCONT)
    cluster.server.start()
    assert cluster.server.status(RESV) == []


def test_a_stranger_is_sent_nothing(cluster, tmp_path):
    at = Reservation.clock(HOUR)
    for argv in (["pbs_rsub", "--dry-run", "-R", at, "-D", "60"],
                 ["pbs_ralter", "--dry-run", "-D", "60", "R1.localhost"],
                 ["pbs_rdel", "--dry-run", "R1.localhost"]):
        done, asked = asked_of_older(cluster, tmp_path, argv)
        assert (done.returncode, done.stdout) == (NOT_TOLD, ""), argv
        assert "offers no dry runs" in done.stderr
        assert asked == [STATUS_SERVER]


def test_the_form_is_for_dry_runs(cluster):
    for argv in (["pbs_rdel", "-F", "json", "R1"], ["pbs_ralter", "-F", "json", "-D", 60, "R1"],
                 ["pbs_rsub", "-F", "json", "-D", 60, "-R", Reservation.clock(HOUR)]):
        done = run(cluster, *argv)
        assert done.returncode == 2 and "-F json is for --dry-run" in done.stderr
