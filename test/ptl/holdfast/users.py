# SPDX-License-Identifier: Apache-2.0
"""The accounts that tests run as."""
import contextlib
import fcntl
import os
import pwd
import random
import shutil
import subprocess
import time

ROOTLESS = os.geteuid() != 0
if ROOTLESS:
    USER1 = USER2 = pwd.getpwuid(os.geteuid()).pw_name
else:
    USER1, USER2 = "hfuser1", "hfuser2"

# Sessions beside one another share the accounts: each holds a shared lock on this file,
# which names the accounts that one of them made, and the last one to end removes them.
LOCK = "/run/holdfast-test-accounts.lock"
_lock = None

# Whose jobs may have directories of their own in the home of USER1.
LOCK_DIRECTORIES = ("/tmp/holdfast-test-directories.%d" % os.geteuid() if ROOTLESS
                    else "/run/holdfast-test-directories.lock")


def _exists(name):
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def make_users():
    """Make the test accounts that do not exist."""
    global _lock
    if ROOTLESS:
        _make_workdir(USER1)
        return
    _lock = os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    # Waiting for the exclusive lock would mean waiting for the end of every session that
    # runs; whoever holds the shared one finds the accounts made.
    fcntl.flock(_lock, fcntl.LOCK_SH)
    while not all(_exists(name) for name in (USER1, USER2)):
        try:
            fcntl.flock(_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _make_missing()
        except BlockingIOError:  # somebody else is about to
            time.sleep(random.uniform(0.01, 0.1))
        fcntl.flock(_lock, fcntl.LOCK_SH)
    for name in (USER1, USER2, "root"):
        _make_workdir(name)


def _workdir(entry):
    """Where the commands of this run start. Runs beside one another number their jobs alike
    and would find each other's output files in a home directory that they share."""
    return os.path.join(entry.pw_dir, "hf-ptl.%d" % os.getpid())


def _make_workdir(name):
    entry = pwd.getpwnam(name)
    path = _workdir(entry)
    os.makedirs(path, exist_ok=True)
    os.chown(path, entry.pw_uid, entry.pw_gid)


def _remove_workdirs():
    for name in (USER1,) if ROOTLESS else (USER1, USER2, "root"):
        with contextlib.suppress(KeyError):
            shutil.rmtree(_workdir(pwd.getpwnam(name)), ignore_errors=True)


def _make_missing():
    for name in (USER1, USER2):
        if not _exists(name):
            subprocess.run(["useradd", "-m", "-s", "/bin/bash", name], check=True,
                           capture_output=True)
            os.lseek(_lock, 0, os.SEEK_END)
            os.write(_lock, name.encode() + b"\n")


def remove_users():
    """Remove what sessions made, if nobody else uses it."""
    global _lock
    _remove_workdirs()
    if _lock is None:
        return
    try:
        fcntl.flock(_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass
    else:
        for name in os.pread(_lock, 4096, 0).decode().split():
            subprocess.run(["userdel", "-r", name], capture_output=True)
        os.ftruncate(_lock, 0)
    os.close(_lock)
    _lock = None


@contextlib.contextmanager
def job_directories():
    """Alone with the jobs' own directories in the home of USER1. They are named by job and
    server, and clusters beside one another number their jobs alike: one's job would move the
    other's directory aside."""
    lock = os.open(LOCK_DIRECTORIES, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def run_as(user):
    """Keyword arguments that make subprocess start a program as 'user'."""
    me = pwd.getpwuid(os.geteuid())
    entry = pwd.getpwnam(user) if user else me
    env = {"HOME": entry.pw_dir, "USER": entry.pw_name, "LOGNAME": entry.pw_name,
           "SHELL": entry.pw_shell or "/bin/sh", "TZ": "UTC", "LANG": "C"}
    home = entry.pw_dir if os.path.isdir(entry.pw_dir) else "/"
    workdir = _workdir(entry)
    kwargs = {"cwd": workdir if os.path.isdir(workdir) else home}
    if entry.pw_uid != me.pw_uid:
        kwargs.update(user=entry.pw_uid, group=entry.pw_gid,
                      extra_groups=os.getgrouplist(entry.pw_name, entry.pw_gid))
    return kwargs, env
