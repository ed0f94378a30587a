# SPDX-License-Identifier: Apache-2.0
"""A scheduling cycle over many jobs: it is planned in slices, makes way for a question about a
reservation, and goes on where it was left. What our scheduler does with a command that a
server sends in the middle of a cycle."""
import os
import re
import signal

import pytest

from holdfast import *
from holdfast.peer import CONNECT, Peer, objects, packet, reply
from holdfast.services import wait_for
from holdfast.wire import string

N = 600         # jobs, each with a reason of its own to wait
BEFORE_CUT = 32  # searches of the slice that is looked at all the same
LEAVING = "Leaving scheduling cycle as requested by server."
REGISTER_SCHED, STATUS_QUEUE, DEF_SCHED_REPLY = 98, 20, 80
SUBMIT = """
for i in $(seq %d); do
    echo true | qsub -l select=1:ncpus=64 -l walltime=$((1000 + i)) || exit 1
done
"""


@pytest.fixture
def many():
    with Cluster(mock=True) as c:
        yield c


def idle(cluster):
    cluster.server.expect(SERVER, {"server_state": "Active"})


def test_a_question_does_not_wait_for_all_jobs(many):
    server, sched = many.server, many.scheduler
    server.manager(MGR_CMD_SET, QUEUE, {"started": "False"}, id="workq")
    jobs = many.run(["sh", "-c", SUBMIT % N], user=USER1, timeout=300).stdout.split()
    assert len(jobs) == N
    idle(many)
    # The cycle is under way, and stands still, when the question comes.
    sched.send_signal(signal.SIGSTOP)
    server.manager(MGR_CMD_SET, QUEUE, {"started": "True"}, id="workq")
    rid = server.submit(Reservation(select="1:ncpus=1", start=3600, duration=60))
    sched.send_signal(signal.SIGCONT)
    server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=rid)
    sched.log_match(LEAVING)
    # The next cycle goes on behind the last job that was looked at.
    server.expect(JOB, {"comment": (MATCH_RE, "Can Never Run")}, id=jobs[-1])
    idle(many)
    looked_at, was_left = [], None
    for line in sched.log_lines():
        if LEAVING in line:
            was_left = len(looked_at)
        found = re.search(r";Job;([^;]+);Job will never run", line)
        if found:
            looked_at.append(found.group(1))
    assert was_left == BEFORE_CUT
    assert looked_at[:N] == jobs
    assert all("comment" in j for j in server.status(JOB))
    # All is as it was: the next question is answered, the next cycle is whole.
    late = Reservation(select="1:ncpus=1", start=7200, duration=60, interactive=60)
    server.submit(late)
    assert late.answer.endswith("CONFIRMED")
    idle(many)
    assert sum(LEAVING in l for l in sched.log_lines()) == 1


def test_a_cycle_has_its_length(many):
    """With a length of 0 each cycle looks at one job, and the next one goes on behind it."""
    server, sched = many.server, many.scheduler
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    server.manager(MGR_CMD_SET, SCHED, {"sched_cycle_length": 0}, id="default")
    jobs = many.run(["sh", "-c", SUBMIT % 3], user=USER1).stdout.split()

    def last_is_told():
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
        return "comment" in server.status(JOB, jobs[-1])[0]

    wait_for("a cycle that looks at the last job", last_is_told)
    cycles = "\n".join(sched.log_lines()).split("Starting Scheduling Cycle")
    told = [re.findall(r";Job;([^;]+);Job will never run", c) for c in cycles]
    assert [ids[0] for ids in told if ids][:3] == jobs
    assert max(map(len, told)) == 1
    sched.log_match(";0040;pbs_sched;Sched;toolong;Leaving the scheduling cycle: Cycle duration of "
                    "0 seconds has exceeded sched_cycle_length of 0 seconds")


class Played(Peer):
    """A server of ours that has nothing. It sends 'first' when its configure is done, and
    'meanwhile' in the middle of the first cycle."""

    def __init__(self, path, first=("+1",), meanwhile=None):
        self.first, self.meanwhile = first, meanwhile
        self.asked, self.ends, self.gone = [], 0, 0
        super().__init__(path, [])

    def serve(self, s):
        super().serve(s)
        self.gone += 1

    def answer(self, s, r):
        if r.data == "+0":
            self.ends += 1
            for command in self.first if self.ends == 1 else ():
                s.sendall(packet(command))
            return True
        assert (r.number(), r.number()) == (2, 2)
        n = r.number()
        if n == CONNECT:
            s.sendall(packet(reply()))
        elif n == REGISTER_SCHED:
            self.register(s)
        else:
            self.asked.append(n)
            if self.meanwhile and n == STATUS_QUEUE and self.asked.count(n) == 1:
                self.registered[1].sendall(packet(self.meanwhile))
            s.sendall(packet(objects()))
        return True


def socket_of(cluster):
    """Where our scheduler looks for a server first; nobody is there."""
    cluster.scheduler.stop()
    cluster.server.stop()
    path = os.path.join(cluster.home, "ipc", "server.sock")
    if os.path.exists(path):
        os.unlink(path)
    return path


def all_was_said(cluster, played):
    """The scheduler has ended, and what it said has been read."""
    cluster.scheduler.stop()
    wait_for("the end of both connections", lambda: played.gone == 2)


@pytest.mark.parametrize("meanwhile, cycles, ends", [
    ("+2", 2, 3),       # obeyed when the cycle is over
    ("2+16", 1, 2),     # ends the cycle; there were no jobs to leave
])
def test_a_command_in_the_middle_of_a_cycle(many, meanwhile, cycles, ends):
    with Played(socket_of(many), meanwhile=meanwhile) as played:
        many.scheduler.start()
        wait_for("the end of the last cycle", lambda: played.ends == ends)
        all_was_said(many, played)
        assert (played.asked.count(STATUS_QUEUE), played.ends) == (cycles, ends)


def test_an_end_that_comes_too_late(many):
    """Command 16 crosses the end of a cycle: it has no end of its own, which the server would
    take for that of the next command."""
    with Played(socket_of(many), first=("2+16", "+1")) as played:
        many.scheduler.start()
        wait_for("a cycle", lambda: played.ends >= 2 and STATUS_QUEUE in played.asked)
        all_was_said(many, played)
        assert (played.asked.count(STATUS_QUEUE), played.ends) == (1, 2)


def test_a_qrun_of_a_job_that_is_gone(many):
    """Whoever typed it is told, and the log says so."""
    with Played(socket_of(many), first=("2+11" + string("7.nobody"),)) as played:
        many.scheduler.start()
        wait_for("the end of the cycle", lambda: played.ends == 2)
        all_was_said(many, played)
        assert DEF_SCHED_REPLY in played.asked
    many.scheduler.log_match(";0008;pbs_sched;Job;7.nobody;Received qrun request")
    many.scheduler.log_match(";0040;pbs_sched;Job;7.nobody;Could not find job to qrun.")
