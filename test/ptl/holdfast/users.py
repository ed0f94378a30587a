# SPDX-License-Identifier: Apache-2.0
"""The accounts that tests run as."""
import os
import pwd
import subprocess

ROOTLESS = os.geteuid() != 0
if ROOTLESS:
    USER1 = USER2 = pwd.getpwuid(os.geteuid()).pw_name
else:
    USER1, USER2 = "hfuser1", "hfuser2"
_made = []


def make_users():
    """Make the test accounts that do not exist; remembers which."""
    if ROOTLESS:
        return
    for name in (USER1, USER2):
        try:
            pwd.getpwnam(name)
        except KeyError:
            subprocess.run(["useradd", "-m", "-s", "/bin/bash", name], check=True,
                           capture_output=True)
            _made.append(name)


def remove_users():
    """Remove what make_users() made."""
    while _made:
        subprocess.run(["userdel", "-r", _made.pop()], capture_output=True)


def run_as(user):
    """Keyword arguments that make subprocess start a program as 'user'."""
    me = pwd.getpwuid(os.geteuid())
    entry = pwd.getpwnam(user) if user else me
    env = {"HOME": entry.pw_dir, "USER": entry.pw_name, "LOGNAME": entry.pw_name,
           "SHELL": entry.pw_shell or "/bin/sh", "TZ": "UTC", "LANG": "C"}
    kwargs = {"cwd": entry.pw_dir if os.path.isdir(entry.pw_dir) else "/"}
    if entry.pw_uid != me.pw_uid:
        kwargs.update(user=entry.pw_uid, group=entry.pw_gid,
                      extra_groups=os.getgrouplist(entry.pw_name, entry.pw_gid))
    return kwargs, env
