# SPDX-License-Identifier: Apache-2.0
"""Where the processes of a cluster stand: for a test that ran into its time limit."""
import os
import shutil
import subprocess

LIMIT = 20  # seconds that the debugger may take for one process


def processes_of(root):
    """The processes whose environment or arguments name the directory 'root'."""
    found = []
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        if pid == os.getpid():
            continue
        try:
            texts = b""
            for name in ("environ", "cmdline"):
                with open("/proc/%d/%s" % (pid, name), "rb") as f:
                    texts += f.read()
        except OSError:
            continue
        if root.encode() in texts:
            found.append(pid)
    return found


def _stack(pid):
    if not shutil.which("gdb"):
        return "(gdb is not installed)"
    try:
        done = subprocess.run(["gdb", "-p", str(pid), "-batch", "-nx", "-ex",
                               "thread apply all bt"], capture_output=True, text=True,
                              errors="replace", timeout=LIMIT, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "(gdb had no answer in %d s)" % LIMIT
    return "\n".join(line for line in done.stdout.splitlines()
                     if line.startswith(("#", "Thread")))


def stacks_of(root):
    """One text: what each process of the cluster below 'root' is doing."""
    parts = []
    for pid in processes_of(root):
        try:
            with open("/proc/%d/cmdline" % pid, "rb") as f:
                name = f.read().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        parts.append("%d %s\n%s" % (pid, name.strip(), _stack(pid)))
    return "\n\n".join(parts) or "no process of the cluster is left"
