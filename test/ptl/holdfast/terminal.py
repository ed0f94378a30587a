# SPDX-License-Identifier: Apache-2.0
"""A command behind a pseudo terminal, as a person would use it."""
import fcntl
import os
import pty
import select
import struct
import termios
import time

from .users import run_as


class Terminal:
    """t = Terminal(cluster, ["qsub", "-I"], user=USER1); t.until("ready"); t.type("ls\\n")"""

    def __init__(self, cluster, argv, user=None, size=(24, 80), **env):
        kwargs, who = run_as(user)
        full = dict(cluster.env(), **who, TERM="vt100", PATH="/usr/bin:/bin")
        full.update(env)
        path = os.path.join(cluster.exec_dir, "bin", argv[0])
        self.seen, self.exit = "", None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(kwargs["cwd"])
                if "user" in kwargs:
                    os.setgroups(kwargs["extra_groups"])
                    os.setgid(kwargs["group"])
                    os.setuid(kwargs["user"])
                os.execve(path, [path, *argv[1:]], full)
            finally:
                os._exit(127)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))

    def _read(self):
        """What has come within a second; None when the terminal is closed."""
        if not select.select([self.fd], [], [], 1)[0]:
            return ""
        try:
            return os.read(self.fd, 4096).decode(errors="replace") or None
        except OSError:
            return None

    def until(self, text):
        """Read until 'text' appears behind what was matched before; what came before it."""
        end = time.monotonic() + 60
        while text not in self.seen:
            assert time.monotonic() < end, self.seen
            more = self._read()
            assert more is not None, "ended: " + self.seen
            self.seen += more
        before, self.seen = self.seen.split(text, 1)
        return before

    def type(self, text):
        os.write(self.fd, text.encode())

    def settings(self):
        """The flags of the terminal: input, output, control, local."""
        return termios.tcgetattr(self.fd)[:4]

    def end(self):
        """Read to the end; the exit status, and what was left."""
        end = time.monotonic() + 60
        while True:
            assert time.monotonic() < end, self.seen
            more = self._read()
            if more is None:
                break
            self.seen += more
        self.exit = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
        return self.exit, self.seen

    def hang_up(self):
        """Close the terminal, as when its window is closed, and wait for the command."""
        os.close(self.fd)
        self.exit = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.exit
