# SPDX-License-Identifier: Apache-2.0
"""munged, the daemon behind the method munge."""
import os
import shutil
import signal
import subprocess
import tempfile

from .services import wait_for
from .users import run_as


class Munged:
    """A munged of the test's own: key, socket and files in a directory of its own."""

    def __init__(self):
        self.root = tempfile.mkdtemp(prefix="hf-munge-", dir="/tmp")
        os.chmod(self.root, 0o755)
        self.socket = os.path.join(self.root, "socket")
        self.process = None

    def start(self):
        key = os.path.join(self.root, "key")
        with open(key, "wb") as f:
            f.write(os.urandom(128))
        os.chmod(key, 0o600)
        self.process = subprocess.Popen(
            ["munged", "--foreground", "--force", "--num-threads=2", "--key-file=" + key,
             "--socket=" + self.socket] +
            ["--%s=%s" % (what, os.path.join(self.root, what))
             for what in ("pid-file", "log-file", "seed-file")],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for("munged", lambda: os.path.exists(self.socket))

    def credential(self, payload, user=None, socket=None):
        kwargs, env = run_as(user)
        env["PATH"] = "/usr/bin:/bin"
        return subprocess.run(["munge", "-S", socket or self.socket, "-s", payload], env=env,
                              check=True, capture_output=True, **kwargs).stdout.strip() + b"\0"

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            self.process.wait(30)
        shutil.rmtree(self.root, ignore_errors=True)
