# SPDX-License-Identifier: Apache-2.0
"""The files that the administrator writes for the scheduler: sched_config, holidays,
dedicated_time, resource_group."""
import os
import signal
import time

import pytest

from holdfast import *
from holdfast.services import wait_for

INSTALLED = {"sched_config": "pbs_sched_config", "holidays": "pbs_holidays",
             "dedicated_time": "pbs_dedicated", "resource_group": "pbs_resource_group"}


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=1) as c:
        yield c


def read(path):
    with open(path) as f:
        return f.read()


def write(site, name, text):
    with open(site.scheduler.config(name), "w") as f:
        f.write(text)
    site.scheduler.reconfigure()


@pytest.fixture
def files(site):
    """As installed, and again so afterwards."""
    yield site
    for name, installed in INSTALLED.items():
        text = read(os.path.join(site.exec_dir, "etc", installed))
        with open(site.scheduler.config(name), "w") as f:
            f.write(text)
    site.scheduler.reconfigure()


def logged(site, mark):
    """What the log says of the files since the line 'mark' of it, without the time."""
    return [line.split(";", 5)[3:] for line in site.scheduler.log_lines()[mark:]
            if ";Fil;" in line or ";fairshare;" in line]


def test_they_are_there_after_the_first_start(site):
    site.scheduler.log_match("Connected to the server")
    for name, installed in INSTALLED.items():
        path = site.scheduler.config(name)
        assert read(path) == read(os.path.join(site.exec_dir, "etc", installed))
        assert os.stat(path).st_mode & 0o7777 == 0o644


def test_the_installed_ones_are_without_mistakes(files):
    mark = len(files.scheduler.log_lines())
    files.scheduler.restart()
    wait_for("a new connection", lambda: any(
        "Connected to the server" in line for line in files.scheduler.log_lines()[mark:]))
    assert [line for line in logged(files, mark) if line[1] in list(INSTALLED) + ["fairshare"]] == []


def test_what_is_missing_comes_back_and_the_rest_stays(files):
    files.scheduler.stop()
    os.unlink(files.scheduler.config("holidays"))
    with open(files.scheduler.config("dedicated_time"), "w") as f:
        f.write("# mine\n")
    files.scheduler.start()
    wait_for("holidays", lambda: os.path.exists(files.scheduler.config("holidays")))
    assert read(files.scheduler.config("dedicated_time")) == "# mine\n"


def test_lines_and_what_the_log_answers(files):
    mark = len(files.scheduler.log_lines())
    write(files, "sched_config", "by_queue True\n\n# comment\nsort_by: fifo\nby_queue\n"
          "resources: \"ncpus, \\\n  mem\"\npreempt_order: \"SCR\"\nmax_starve: 24:00:00 sometimes\n"
          "smp_cluster_dist: round_robin ALL\n" + "# " + 2000 * "x" + "\nprime_spill: 60\n")
    files.scheduler.log_match("Invalid time 60")
    files.scheduler.log_match("not served yet: smp_cluster_dist")
    assert logged(files, mark) == [
        ["Fil", "sched_config", "Error reading line 4: Unknown config parameter"],
        ["Fil", "sched_config", "Error reading line 5: Config line invalid"],
        ["Fil", "sched_config", "Obsolete config name preempt_order, instead use nothing - set via "
         "qmgr"],
        ["Fil", "sched_config", "Error reading line 9: Invalid prime keyword: sometimes"],
        ["Fil", "sched_config", "Error reading line 12: Invalid time 60"],
        ["Fil", "sched_config", "Read, and not served yet: smp_cluster_dist"]]


def test_names_that_no_resource_has(files):
    """Said when the server has told which there are; words that are none are known."""
    mark = len(files.scheduler.log_lines())
    write(files, "sched_config", "job_sort_key: \"nonsense HIGH\"\njob_sort_key: \"job_priority HIGH\"\n"
          "job_sort_key: \"ncpus LOW\"\nnode_sort_key: \"speed HIGH\"\nnode_sort_key: \"sort_priority HIGH\"\n"
          "node_sort_key: \"mem LOW unused\"\nresources: \"ncpus, lics, mem\"\n")
    files.scheduler.log_match("0040;pbs_sched;Fil;lics;Unknown Resource")
    assert logged(files, mark) == [
        ["Fil", "sched_config", "prime job sorting resource nonsense is not a valid resource"],
        ["Fil", "sched_config", "prime node sorting resource speed is not a valid resource"],
        ["Fil", "lics", "Unknown Resource"]]
    files.server.manager(MGR_CMD_CREATE, RSC, {"type": "long", "flag": "q"}, id="lics")
    mark = len(files.scheduler.log_lines())
    write(files, "sched_config", "resources: \"ncpus, lics\"\njob_sort_key: \"lics HIGH\"\n")
    wait_for("another cycle", lambda: "Updating scheduler attributes" in str(files.scheduler.log_lines()[mark:]))
    files.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    wait_for("a cycle", lambda: "Leaving Scheduling Cycle" in str(files.scheduler.log_lines()[mark:]))
    assert logged(files, mark) == []


def test_more_threads_than_cores(site):
    """Said where it was typed, and then it goes on: there is another one here."""
    done = site.run([os.path.join(site.exec_dir, "sbin", "pbs_sched"), "-N", "-t", "9999"], check=False)
    assert done.returncode == 1
    assert done.stderr == "9999: cannot be larger than number of cores %d, using number of cores instead\n" \
        "pbs_sched: another scheduler running\n" % os.sysconf("SC_NPROCESSORS_ONLN")


def test_the_other_files(files):
    mark = len(files.scheduler.log_lines())
    write(files, "holidays", "YEAR 2020\nweekday 0600 soon\nmonday all all\n400 Never\n"
          "1 New Year\n")
    write(files, "resource_group", "# none\nphysics 10 root\n")
    write(files, "resource_group", "physics 10 root 60\n")
    files.scheduler.log_match("served yet: holidays (it is prime time for ever), "
                              "resource_group")
    os.unlink(files.scheduler.config("holidays"))
    os.unlink(files.scheduler.config("sched_config"))
    files.scheduler.reconfigure()
    files.scheduler.log_match("cannot open holidays file")
    got = logged(files, mark)
    for object_name, text in (
            ("holidays", "The holiday file is out of date; please update it."),
            ("holidays", "Error on line 2, line started with: weekday"),
            ("holidays", "Warning: both prime & non-prime starts are 'all'; assuming 24hr "
             "primetime"),
            ("holidays", "Error on line 4, line started with: 400"),
            ("holidays", "Warning: cannot open holidays file; assuming 24hr primetime"),
            ("fairshare", "resgroup: error on line 2."),
            ("sched_config", "Can not open file: sched_config")):
        assert ["Fil", object_name, text] in got, (text, got)


def stamp(at):
    return time.strftime("%m/%d/%Y %H:%M", time.gmtime(at))


def test_dedicated_time(files):
    """From an hour on for an hour; and a day later for an hour, wrongly written."""
    start = (int(time.time()) // 60 + 60) * 60
    write(files, "dedicated_time", "%s %s\n04/15/1998 12:00 04/15/1998 15:30\ntomorrow at noon\n" %
          (stamp(start), stamp(start + 3600)))
    wait_for("the mistake on standard output",
             lambda: "Error: tomorrow at noon" in read(files.scheduler.config("sched_out")))
    files.server.manager(MGR_CMD_CREATE, QUEUE,
                         {"queue_type": "execution", "started": "True", "enabled": "True"}, id="dedq")
    jobs = [files.server.submit(Job(attrs=dict({"Resource_List.select": "1:ncpus=1"}, **more)))
            for more in ({}, {"Resource_List.walltime": "02:00:00"},
                         {"Resource_List.walltime": "00:01:00", "queue": "dedq"},
                         {"Resource_List.walltime": "00:01:00"})]
    for jid in jobs[:2]:
        files.server.expect(
            JOB, {"comment": "Not Running: Job would cross dedicated time boundary"}, id=jid)
    files.server.expect(JOB, {"comment": "Not Running: Dedicated time conflict"}, id=jobs[2])
    files.server.expect(JOB, {"job_state": "R"}, id=jobs[3])
    files.scheduler.log_match(jobs[2] + ";Dedicated Time")
    for jid in jobs:
        files.server.delete(jid)
    within = files.server.submit(Reservation(start=start, end=start + 3600))
    files.server.expect(RESV, {"reserve_state": (MATCH_RE, "RESV_CONFIRMED")}, id=within)
    across = Reservation(start=start + 1800, end=start + 5400, interactive=30)
    files.server.submit(across)
    assert across.answer.endswith("DENIED")
    files.scheduler.log_match("PBS Failed to confirm resv: Job would not finish before dedicated time")
    files.server.delete(within)


def test_long_lines_stay_one(files):
    """PBS reads a line in parts of 255 bytes: the end of a comment was a line of its own."""
    start = (int(time.time()) // 60 + 600) * 60
    entry = "%s %s" % (stamp(start), stamp(start + 3600))
    for length in (250, 254, 255, 256, 510, 5000):
        write(files, "dedicated_time", "#%s%s\n" % ("x" * (length - 1), entry))
        write(files, "holidays", "*%sYEAR 2020\n" % ("x" * (length - 1)))
        write(files, "resource_group", "#%sphysics 10 nobody 60\n" % ("x" * (length - 1)))
        mark = len(files.scheduler.log_lines())
        files.scheduler.reconfigure()
        assert not [l for l in logged(files, mark) if l[1] in ("holidays", "fairshare")], length
        across = Reservation(start=start - 60, end=start + 600, interactive=30)
        rid = files.server.submit(across)
        assert across.answer.endswith("CONFIRMED"), length
        files.server.delete(rid)
    # The same line without the mark of a comment is obeyed.
    write(files, "dedicated_time", entry + "\n")
    across = Reservation(start=start - 60, end=start + 600, interactive=30)
    files.server.submit(across)
    assert across.answer.endswith("DENIED")
    write(files, "dedicated_time", "")
    write(files, "holidays", "")
    write(files, "resource_group", "")


def test_a_wrong_time_is_told_behind_a_right_one(files):
    """PBS forgets to look after the first time that it could read."""
    mark = len(files.scheduler.log_lines())
    write(files, "sched_config", "half_life: 24:00:00\nprime_spill: 60\nhalf_life: 1:2:x\n")
    files.scheduler.log_match("Error reading line 3: Invalid time 1:2:x")
    told = [l[2] for l in logged(files, mark) if l[1] == "sched_config" and "Invalid time" in l[2]]
    assert told == ["Error reading line 2: Invalid time 60", "Error reading line 3: Invalid time 1:2:x"]
    os.unlink(files.scheduler.config("sched_config"))
    files.scheduler.reconfigure()


def has_taken(service, number):
    """The signal does not wait for that process any more."""
    with open("/proc/%d/status" % service.process.pid) as f:
        waiting = [int(line.split()[1], 16) for line in f if line.startswith(("SigPnd", "ShdPnd"))]
    return not any(mask >> (number - 1) & 1 for mask in waiting)


def test_a_hangup_during_a_request_is_not_lost(cluster):
    """The scheduler waits for a server that stands still when the signal comes."""
    def readings():
        return sum("Scheduler is reconfiguring" in line
                   for line in cluster.scheduler.log_lines())
    before = readings()
    cluster.server.send_signal(signal.SIGSTOP)
    try:
        cluster.scheduler.send_signal(signal.SIGHUP)
        wait_for("the files to be read", lambda: readings() == before + 1)
        cluster.scheduler.send_signal(signal.SIGHUP)
        wait_for("the signal to be taken", lambda: has_taken(cluster.scheduler, signal.SIGHUP))
    finally:
        cluster.server.send_signal(signal.SIGCONT)
    wait_for("the files to be read again", lambda: readings() >= before + 2)


def test_signals_that_mean_nothing_here_end_nothing(cluster):
    """USR1 and USR2 are what the other daemons take no notice of, too."""
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        cluster.scheduler.send_signal(number)
        wait_for("the signal to be taken", lambda: has_taken(cluster.scheduler, number))
    cluster.scheduler.reconfigure()
    assert cluster.scheduler.process.poll() is None


def test_vnodes_in_the_order_of_what_is_unused():
    """node_sort_key "ncpus HIGH unused" spreads, LOW fills (scheduling.md 15.3)."""
    with Cluster(vnodes=3, mock=True) as c:
        for line, expect in (("ncpus HIGH unused", ["vn[0]", "vn[1]", "vn[2]", "vn[0]"]),
                             ("ncpus LOW unused", ["vn[0]", "vn[0]", "vn[1]", "vn[1]"])):
            with open(c.scheduler.config(), "w") as f:
                f.write('node_sort_key: "%s" ALL\n' % line)
            c.scheduler.reconfigure()
            c.server.manager(MGR_CMD_SET, NODE, {"resources_available.ncpus": 2},
                             id="vn[0],vn[1],vn[2]")
            ids = [c.server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1"}))
                   for _ in expect]
            for jid in ids:
                c.server.expect(JOB, {"job_state": "R"}, id=jid)
            assert [c.server.status(JOB, id=jid)[0]["exec_vnode"] for jid in ids] == [
                "(%s:ncpus=1)" % vnode for vnode in expect]
            for jid in ids:
                c.server.delete(jid)
            wait_for("no jobs", lambda: not c.server.status(JOB))
