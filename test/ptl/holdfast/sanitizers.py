# SPDX-License-Identifier: Apache-2.0
"""Reports of AddressSanitizer and UBSan. The daemons have no terminal, and what a MoM forks writes
to files of users or to nowhere: so reports of a build with sanitizers go into a directory of the
cluster, and a cluster that has one fails when it stops."""
import functools
import glob
import os



@functools.lru_cache(maxsize=None)
def are_on(prefix):
    """Was that installed from a build with --enable-sanitizers?"""
    with open(os.path.join(prefix, "sbin", "pbs_mom"), "rb") as f:
        return b"libasan.so" in f.read()


def variables(root):
    """What the environment of a daemon needs for that. A MoM's child that ends without exit
    handlers has not freed what it had, so leaks are no reports. gcc's UBSan writes to the standard
    error output whatever its log_path is: so it aborts, and the report of that is AddressSanitizer's,
    also in a child that has reset its signals (child_reset_signals() leaves that one)."""
    to = "log_path=%s/sanitizer/report:print_stacktrace=1" % root
    return {"ASAN_OPTIONS": to + ":detect_leaks=0:handle_segv=1:handle_abort=1",
            "UBSAN_OPTIONS": to + ":abort_on_error=1"}


def prepare(root):
    """Reports come from processes of all users."""
    path = os.path.join(root, "sanitizer")
    os.makedirs(path, exist_ok=True)
    os.chmod(path, 0o1777)


def reports(root):
    found = []
    for path in sorted(glob.glob(os.path.join(glob.escape(root), "sanitizer", "report.*"))):
        with open(path, errors="replace") as f:
            found.append(f.read()[:6000])
    return found
