# SPDX-License-Identifier: Apache-2.0
"""What an administrator does with an installation: pbs_postinstall, pbs_init.d."""
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile

import pytest

from holdfast import *
from holdfast.cluster import free_ports
from holdfast.services import wait_for
from holdfast.users import run_as

DAEMONS = ("server", "mom", "sched", "comm")
LOCKS = {"server": "server_priv/server.lock", "mom": "mom_priv/mom.lock",
         "sched": "sched_priv/sched.lock", "comm": "server_priv/comm.lock"}


class Site:
    """A private cluster below /tmp, run by an ordinary account where there is one."""

    def __init__(self):
        self.exec_dir = os.environ["HF_PREFIX"]
        self.user = USER1
        self.root = tempfile.mkdtemp(prefix="hf-site-", dir="/tmp")
        # The server starts nowhere that others may write to.
        os.chmod(self.root, 0o755)
        shutil.chown(self.root, self.user)
        self.home = os.path.join(self.root, "home")
        self.conf = os.path.join(self.root, "pbs.conf")

    def run(self, *argv, env=None, shell_path="/usr/bin:/bin"):
        kwargs, who = run_as(self.user)
        full = dict(who, PATH=self.exec_dir + "/bin:" + shell_path, PBS_CONF_FILE=self.conf)
        full.update(env or {})
        argv = list(argv)
        for place in ("libexec", "bin", "sbin"):
            if os.path.exists(os.path.join(self.exec_dir, place, argv[0])):
                argv[0] = os.path.join(self.exec_dir, place, argv[0])
        return subprocess.run(argv, env=full, text=True, capture_output=True, timeout=120,
                              stdin=subprocess.DEVNULL, **kwargs)

    def init(self, verb, **env):
        return self.run("pbs_init.d", verb, env=env)

    def install(self, *more):
        return self.run("pbs_postinstall", "--private", "-H", self.home, "-s", "localhost",
                        "-p", str(free_ports(4)[0]), *more)

    def pid(self, daemon):
        try:
            with open(os.path.join(self.home, LOCKS[daemon])) as f:
                return int(f.read())
        except (OSError, ValueError):
            return None

    def settings(self):
        with open(self.conf) as f:
            return dict(line.rstrip("\n").split("=", 1) for line in f if "=" in line)

    def write_conf(self, text):
        with open(self.conf, "w") as f:
            f.write(text)
        os.chmod(self.conf, 0o666)

    def clean(self):
        for daemon in DAEMONS:
            pid = self.pid(daemon)
            try:
                with open("/proc/%d/cmdline" % (pid or 0), "rb") as f:
                    if self.exec_dir.encode() in f.read():
                        os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        shutil.rmtree(self.root, ignore_errors=True)


@pytest.fixture
def place():
    s = Site()
    yield s
    s.clean()


def test_a_private_cluster_is_made_started_used_and_stopped(place):
    done = place.install()
    assert done.returncode == 0, done.stderr
    assert all(line.startswith("*** ") for line in done.stdout.splitlines())
    done = place.init("start")
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("PBS ")]
    assert lines[1:] == ["PBS comm", "PBS mom", "PBS sched", "PBS server"]
    assert done.stdout.splitlines()[0] == "Starting PBS"
    wait_for("a free node", lambda: "state = free" in place.run("pbsnodes", "-a").stdout)
    assert place.run("qmgr", "-c", "set server scheduling=true").returncode == 0
    job = place.run("qsub", "-o", place.home + "/out", "-j", "oe", "--", "/bin/echo", "it works")
    assert job.returncode == 0, job.stderr
    wait_for("the job's output", lambda: os.path.exists(place.home + "/out"))

    done = place.init("status")
    assert (done.returncode, done.stdout.splitlines()) == (0, [
        "pbs_server is pid %d" % place.pid("server"), "pbs_mom is pid %d" % place.pid("mom"),
        "pbs_sched is pid %d" % place.pid("sched"), "pbs_comm is %d" % place.pid("comm")])
    assert [line for line in place.init("start").stdout.splitlines()] == [
        "Starting PBS", "PBS comm already running.", "PBS mom already running.",
        "PBS scheduler already running.", "PBS Server already running."]

    pids = {name: place.pid(name) for name in DAEMONS}
    farewell = os.path.join(place.home, "server_priv/qmgr_shutdown")
    with open(farewell, "w") as f:
        f.write("set server comment = 'good night'\nset queue nosuch enabled = t\n")
    done = place.init("stop")
    assert done.stderr.splitlines()[-3:] == [
        "qmgr obj=nosuch svr=default: Unknown queue",
        "qmgr: Error (15018) returned from server",
        "The last of the commands in %s failed." % farewell]
    assert (done.returncode, done.stdout.splitlines()) == (0, [
        "Stopping PBS", "Shutting server down with qterm.",
        "PBS server - was pid: %d" % pids["server"], "PBS mom - was pid: %d" % pids["mom"],
        "PBS sched - was pid: %d" % pids["sched"], "PBS comm - was pid: %d" % pids["comm"],
        "Waiting for shutdown to complete"])
    done = place.init("status")
    assert done.returncode == 0
    assert done.stdout.splitlines() == ["pbs_%s is not running" % name for name in DAEMONS]
    assert place.init("stop").stdout.splitlines() == [
        "Stopping PBS", "Waiting for shutdown to complete"]
    assert place.init("start").returncode == 0
    assert "comment = good night\n" in place.run("qstat", "-Bf").stdout


def test_one_daemon_alone_by_the_environment(place):
    place.install()
    assert place.init("start").returncode == 0
    before = {name: place.pid(name) for name in DAEMONS}
    done = place.init("restart", PBS_START_SERVER="0", PBS_START_SCHED="0", PBS_START_COMM="0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "Restarting PBS", "Stopping PBS", "PBS mom - was pid: %d" % before["mom"],
        "Waiting for shutdown to complete", "Starting PBS", "PBS mom"]
    after = {name: place.pid(name) for name in DAEMONS}
    assert [n for n in DAEMONS if before[n] != after[n]] == ["mom"]

    # One that was killed has left its lock file behind: it is not running, and starts.
    os.kill(after["server"], signal.SIGKILL)
    wait_for("the end of the server",
             lambda: "pbs_server is not running" in place.init("status").stdout)
    lines = place.init("start").stdout.splitlines()
    assert lines[-1] == "PBS server" and lines[1] == "PBS comm already running."
    # A number in a lock file that somebody else has by now does not count.
    assert place.init("stop").returncode == 0
    with open(os.path.join(place.home, LOCKS["mom"]), "w") as f:
        f.write("%d\n" % os.getpid())
    assert "pbs_mom is not running" in place.init("status").stdout


def test_home_has_its_layout_and_nothing_is_overwritten(place):
    place.install()
    home = {path: stat.S_IMODE(os.stat(os.path.join(place.home, path)).st_mode) for path in (
        ".", "aux", "checkpoint", "spool", "undelivered", "server_logs", "sched_logs",
        "mom_logs", "comm_logs", "server_priv", "server_priv/accounting", "server_priv/jobs",
        "server_priv/users", "server_priv/hooks", "server_priv/hooks/tmp", "sched_priv",
        "sched_priv/sched_config", "sched_priv/holidays", "sched_priv/dedicated_time",
        "sched_priv/resource_group",
        "mom_priv", "mom_priv/jobs", "mom_priv/hooks", "mom_priv/hooks/tmp", "mom_priv/config",
        "pbs_environment")}
    assert home == {
        ".": 0o755, "aux": 0o755, "checkpoint": 0o700, "spool": 0o1777, "undelivered": 0o1777,
        "server_logs": 0o755, "sched_logs": 0o755, "mom_logs": 0o755, "comm_logs": 0o755,
        "server_priv": 0o750, "server_priv/accounting": 0o755, "server_priv/jobs": 0o750,
        "server_priv/users": 0o750, "server_priv/hooks": 0o750, "server_priv/hooks/tmp": 0o750,
        "sched_priv": 0o750, "mom_priv": 0o751, "mom_priv/jobs": 0o751, "mom_priv/hooks": 0o750,
        "mom_priv/hooks/tmp": 0o750, "mom_priv/config": 0o644,
        "sched_priv/sched_config": 0o644, "sched_priv/holidays": 0o644,
        "sched_priv/dedicated_time": 0o644, "sched_priv/resource_group": 0o644,
        "pbs_environment": 0o644}
    assert place.run("pbs_habitat").returncode == 0
    with open(place.home + "/pbs_version") as f:
        assert f.read() == "23.06.06\n"

    # What an administrator changed stays, and what went missing comes back.
    with open(place.home + "/pbs_environment", "w") as f:
        f.write("MINE=1\n")
    with open(place.conf) as f:
        text = f.read().replace("PBS_CORE_LIMIT=unlimited\n", "").rstrip("\n")
    place.write_conf("# mine\n" + text.replace("PBS_START_SCHED=1", "PBS_START_SCHED=0"))
    os.rmdir(place.home + "/aux")
    done = place.install("-H", "/somewhere/else")
    assert done.returncode == 0, done.stderr
    assert "PBS_HOME is %s in %s already; /somewhere/else is not used" % (
        place.home, place.conf) in done.stdout
    assert os.path.isdir(place.home + "/aux")
    with open(place.home + "/pbs_environment") as f:
        assert f.read() == "MINE=1\n"
    with open(place.conf) as f:
        changed = f.read()
    assert changed.startswith("# mine\n" + text[:20]) and changed.endswith(
        "\nPBS_CORE_LIMIT=unlimited\n")
    assert place.settings()["PBS_START_SCHED"] == "0"
    assert os.path.exists(place.conf + ".pre.23.06.06")
    assert place.run("pbs_postinstall", "--private").returncode == 0
    with open(place.conf) as f:
        assert f.read() == changed


@pytest.mark.parametrize("conf,env,rc,text", [
    ("", {}, 1, "PBS_EXEC is undefined."),
    ("PBS_EXEC=/no/such\n", {}, 1, "/no/such is not a directory.\n"
     "PBS_EXEC directory does not exist: /no/such"),
    ("PBS_EXEC={exec}\n", {}, 1, "PBS_HOME is undefined."),
    ("PBS_EXEC={exec}\nPBS_HOME={home}\n", {"PBS_LEAF_NAME": "No.such.invalid"}, 1,
     "***\n*** Invalid local hostname: no\n"
     "*** This value must resolve to a valid IP address.\n***"),
    ("PBS_EXEC={exec}\nPBS_HOME={home}\nPBS_LEAF_NAME=localhost\n", {}, 1,
     "*** The hostname of the PBS server in {conf} is invalid.\n"
     "*** Update the configuration file before starting PBS."),
    ("PBS_EXEC={exec}\nPBS_HOME={home}\nPBS_LEAF_NAME=localhost\n"
     "PBS_SERVER=CHANGE_THIS_TO_PBS_SERVER_HOSTNAME\n", {}, 1,
     "*** The hostname of the PBS server in {conf} is invalid."),
    ("PBS_EXEC={exec}\nPBS_HOME={home}\nPBS_LEAF_NAME=localhost\nPBS_SERVER=x.invalid\n", {}, 1,
     "*** The PBS server could not be found: x.invalid\n"
     "*** This value must resolve to a valid IP address."),
    ("PBS_EXEC='{exec}'\n", {}, 1,
     "{conf}: PBS_EXEC: quotes and variables mean nothing here: '{exec}'"),
    ("PBS_EXEC={exec}\nPBS_HOME=$(touch {home}.made)\n", {}, 1,
     "{conf}: PBS_HOME: quotes and variables mean nothing here: $(touch {home}.made)"),
    # Lines without '=', comments, blanks, a torn last line; the last of two counts.
    ("garbage\n#PBS_EXEC=/x\n  PBS_EXEC=/y\n\tPBS_EXEC={exec}  \nPBS_HOME", {}, 1,
     "PBS_HOME is undefined."),
])
def test_a_bad_settings_file_is_told(place, conf, env, rc, text):
    fill = dict(exec=place.exec_dir, home=place.home, conf=place.conf)
    place.write_conf(conf.format(**fill))
    done = place.init("start", **env)
    assert done.returncode == rc
    assert done.stderr.startswith(text.format(**fill)), done.stderr
    assert not os.path.exists(place.home + ".made")


def test_the_scripts_tell_version_usage_and_mistakes(place):
    version = place.run("qstat", "--version").stdout
    for script in ("pbs_init.d", "pbs_habitat", "pbs_postinstall", "pbs_probe"):
        assert place.run(script, "--version").stdout == version
        done = place.run(script, "--help")
        assert done.returncode == 0 and "Usage: " + script in done.stdout
        assert place.run(script, "--bogus").returncode == 1
    assert place.run("pbs_tls_setup", "--version").stdout == version
    assert "Usage: pbs_tls_setup" in place.run("pbs_tls_setup", "--help").stdout
    done = place.run("pbs_tls_setup", "--version", "more")
    assert done.returncode == 2 and "Usage: pbs_tls_setup" in done.stderr
    for verb in ("", "bogus"):
        done = place.run("pbs_init.d", verb)
        assert (done.returncode, done.stdout) == (
            1, "Usage: pbs_init.d --version\n"
               "Usage: pbs_init.d {start|stop|restart|status}\n")
    assert place.run("pbs_init.d", "start_msg").stdout == "Starting PBS\n"
    assert place.run("pbs_init.d", "stop_msg").stdout == "Stopping PBS\n"
    for argv in (["-p", "65533"], ["-p", "x"], ["-H", "relative"], ["-H", "/a b"], ["-s"],
                 ["--private", "server"], ["server", "1.0"], ["bogus"],
                 ["-e", "/nowhere"]):
        done = place.run("pbs_postinstall", *argv)
        assert done.returncode == 1 and done.stderr.startswith("*** "), argv
        assert not os.path.exists(place.conf), argv


def test_an_installation_is_looked_at_and_repaired(place):
    """A correct one has no problems; exit status 0 all the same (operations.md 8)."""
    place.install()
    words = "\n\n====== System Information =======\n\n\nsysname=Linux\nnodename="
    done = place.run("pbs_probe")
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith(words)
    assert "Problems" not in done.stdout, done.stdout
    assert [line.split("=")[0] for line in done.stdout.splitlines()[5:10]] == [
        "sysname", "nodename", "release", "version", "machine"]
    jobs, aux, logs = (os.path.join(place.home, d) for d in (
        "server_priv/jobs", "aux", "mom_logs"))
    os.rmdir(aux)
    os.chmod(jobs, 0o777)
    os.rmdir(logs)
    elsewhere = os.path.join(place.root, "elsewhere")
    os.mkdir(elsewhere)
    shutil.chown(elsewhere, place.user)
    os.chmod(elsewhere, 0o700)
    os.symlink(elsewhere, logs)
    told = ("\n====== Problems in PBS HOME Hierarchy =======\n\nReal Path Problems:\n"
            "%s, No such file or directory\n\n\nPermission Problems:\n"
            "%s, mode 777 instead of 750%s\n\n%s, mode 700 instead of 755%s\n\n")
    for options, jobs_word, logs_word in (([], "", ""), (["-f"], ", repaired", ", not repaired")):
        done = place.run("pbs_probe", *options)
        assert done.returncode == 0
        assert done.stdout.endswith(told % (aux, jobs, jobs_word, logs, logs_word)), done.stdout
    assert stat.S_IMODE(os.stat(jobs).st_mode) == 0o750
    assert stat.S_IMODE(os.stat(elsewhere).st_mode) == 0o700
    shown = place.run("pbs_probe", "-v").stdout
    for text in ("PBS_HOME=" + place.home, "PBS_CONF_FILE=" + place.conf, "PBS_START_MOM=1",
                 jobs, place.exec_dir + "/bin/qsub", place.exec_dir + "/sbin/pbs_server"):
        assert "\n%s\n" % text in shown, text
    for words in (["-z"], ["-v", "word"], ["--version", "-v"]):
        done = place.run("pbs_probe", *words)
        assert (done.returncode, done.stdout) == (1, "") and "Usage: pbs_probe [ -fv ]" in done.stderr
    if not ROOTLESS:
        shutil.chown(place.home, "root")
        done = place.run("pbs_probe")
        assert done.returncode == 1 and "run it as root" in done.stderr


@pytest.mark.parametrize("kind,starts,priv", [
    ("server", "1110", {"server_priv", "sched_priv", "mom_priv"}),
    ("execution", "0001", {"mom_priv"}),
    ("client", "0000", None),
])
def test_each_type_of_host_gets_what_it_needs(place, kind, starts, priv):
    done = place.run("pbs_postinstall", "--no-service", kind, "23.06.06", place.exec_dir,
                     place.home)
    assert done.returncode == 0, done.stderr
    settings = place.settings()
    assert "".join(settings["PBS_START_" + d] for d in ("SERVER", "SCHED", "COMM", "MOM")) == starts
    assert settings["PBS_HOME"] == place.home and settings["PBS_EXEC"] == place.exec_dir
    if priv is None:
        assert not os.path.exists(place.home)
    else:
        assert {n for n in os.listdir(place.home) if n.endswith("_priv")} == priv
    if kind != "server":
        assert settings["PBS_SERVER"] == "CHANGE_THIS_TO_PBS_SERVER_HOSTNAME"
        done = place.init("start", PBS_LEAF_NAME="localhost")
        assert done.returncode == 1 and " is invalid.\n" in done.stderr


def test_the_installation_is_laid_out_as_tools_expect(place):
    sbin = os.path.join(place.exec_dir, "sbin")
    assert os.readlink(os.path.join(sbin, "pbs_server.bin")) == "pbs_server"
    with open(os.path.join(place.exec_dir, "lib/systemd/system/pbs.service")) as f:
        unit = dict(re.findall(r"^(\w+)=(.*)$", f.read(), re.M))
    script = os.path.join(place.exec_dir, "libexec/pbs_init.d")
    assert unit["ExecStart"] == script + " start" and unit["ExecStop"] == script + " stop"
    assert unit["ExecReload"].split()[1:] == [script, "start"]
    assert (unit["Type"], unit["Delegate"], unit["TasksMax"]) == ("forking", "yes", "infinity")
    setuid = [os.path.join(d, f) for d in ("bin", "sbin", "libexec") for f in
              os.listdir(os.path.join(place.exec_dir, d))
              if os.stat(os.path.join(place.exec_dir, d, f)).st_mode & 0o6000]
    assert setuid in ([], ["sbin/pbs_iff"])
    place.write_conf("PBS_EXEC=%s\n" % place.exec_dir)
    done = place.run("sh", "-c", ". '%s/etc/pbs.sh'; echo $PATH; echo $MANPATH" % place.exec_dir,
                     env={"PATH": "/bin"})
    assert done.stdout.splitlines()[0].startswith("/bin:%s/bin" % place.exec_dir)
    assert done.stdout.splitlines()[1] == ":%s/share/man" % place.exec_dir
