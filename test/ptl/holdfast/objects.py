# SPDX-License-Identifier: Apache-2.0
"""What is submitted: jobs and reservations."""
import time

from .users import USER1


class Job:
    """A batch job: qsub options by attribute, and a script or a sleep."""

    def __init__(self, user=USER1, attrs=None, script=None, sleep=None):
        self.user = user
        self.attrs = dict(attrs or {})
        self.script = script or "#!/bin/sh\nsleep %d\n" % (1000 if sleep is None else sleep)

    def options(self):
        opts = []
        for name, value in self.attrs.items():
            if name.startswith("Resource_List."):
                opts += ["-l", "%s=%s" % (name.split(".", 1)[1], value)]
            elif name in OPTIONS:
                opts += [OPTIONS[name], str(value)]
            else:
                opts += ["-W", "%s=%s" % (name, value)]
        return opts


OPTIONS = {"queue": "-q", "Job_Name": "-N", "Output_Path": "-o", "Error_Path": "-e",
           "Join_Path": "-j", "Shell_Path_List": "-S", "Priority": "-p", "Hold_Types": "-h",
           "Rerunable": "-r", "Variable_List": "-v", "Keep_Files": "-k"}


class Reservation:
    """An advance reservation. Times are seconds from now unless they are large."""

    def __init__(self, user=USER1, select="1:ncpus=1", start=None, end=None, duration=None,
                 interactive=None, options=()):
        self.user = user
        self.select = select
        self.start, self.end, self.duration = start, end, duration
        self.interactive = interactive
        self.more = list(options)

    @staticmethod
    def clock(at):
        """A date as pbs_rsub takes it, to the second."""
        if at < 10 ** 9:
            at += time.time()
        return time.strftime("%Y%m%d%H%M.%S", time.gmtime(at))

    def options(self):
        opts = []
        if self.start is not None:
            opts += ["-R", self.clock(self.start)]
        if self.end is not None:
            opts += ["-E", self.clock(self.end)]
        if self.duration is not None:
            opts += ["-D", str(self.duration)]
        if self.interactive is not None:
            opts += ["-I", str(self.interactive)]
        if self.select is not None:
            opts += ["-l", "select=" + self.select]
        return opts + self.more
