# SPDX-License-Identifier: Apache-2.0
"""What clients may write of a reservation, attribute by attribute (reservations.md 2): users,
operators and managers, through libpbs without the checks of the library, at the submission and
in an alteration. What is the server's is refused, and with it the whole request."""
import json
import os
import sys
import time

import pytest

from holdfast import *
from story import *

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(os.environ["HF_PREFIX"], "lib", "libpbs.so.0")
READ_ONLY = "Cannot set attribute, read only or insufficient permission "
STAFF = ["operator", "manager"]
ROLES = ["manager"] if ROOTLESS else ["user"] + STAFF


def table():
    """name: (who writes it, its type) of each attribute, as in spec/tables."""
    text = open(os.path.join(HERE, "..", "golden", "attributes.txt")).read()
    part = text.split("object reservation\n")[1].split("\nobject ")[0]
    rows = [line.split("\t") for line in part.splitlines() if "\t" in line]
    return {row[0]: (row[2], row[3]) for row in rows}


TABLE = table()
ALTERABLE = {"Reserve_Name", "reserve_start", "reserve_end", "reserve_duration", "Resource_List",
             "Authorized_Users", "Authorized_Groups", "Mail_Points", "Mail_Users", "Priority",
             "interactive"}
# Attributes of ours that only the server writes; below them what it keeps for itself.
OURS = ["oversubscribed_jobs", "oversubscribed_resv", "oversubscribed_on", "alter_denied",
        "alter_seq", "alter_allows", "pushed", "reserve_occurrences", "alter_occurrence",
        "alter_schedselect", "reserve_standing_schedselect", "reserve_occurrence_schedselects"]
HIDDEN = ["hf_begun_at", "hf_asked_at", "hf_question", "hf_ended_by", "hf_starts"]


def writes(role, name):
    """Whether the role may give the attribute to a new reservation."""
    letters = TABLE[name][0]
    return any(letter in letters for letter in {"user": "u", "operator": "uo",
                                                "manager": "uom"}[role])


def entry(name):
    kind = TABLE.get(name, ("", "string"))[1]
    if kind == "resource list":
        return [name, "walltime", "60"]
    return [name, None, {"long": "5", "time": "5", "duration": "5", "job name": "x",
                         "duration in seconds": "5"}.get(kind, "x")]


class Reservations:
    """One reservation that waits and one that runs, both of user1; user2 is an operator."""

    def __init__(self, c):
        self.c, self.server = c, c.server
        if not ROOTLESS:
            c.server.manager(MGR_CMD_SET, SERVER, {"operators": ("+=", USER2 + "@*")})
        self.running = running_resv(c.server, select="1:ncpus=1", start=2, duration=7200)
        self.waiting = c.server.submit(Reservation(start=3600, duration=600, interactive=60))
        self.script = open(os.path.join(HERE, "library", "write_resv.py")).read()

    def attempts(self, role, what):
        """[code, text] of each attempt."""
        user = {"user": USER1, "operator": USER2, "manager": None}[role]
        done = self.c.run([sys.executable, "-c", self.script, LIBRARY], user=user,
                          input=json.dumps(what), env={"ASAN_OPTIONS": "detect_leaks=0"})
        return json.loads(done.stdout)

    def seen(self):
        """All that a manager sees of reservations, queues and jobs."""
        return [self.server.status(kind) for kind in (RESV, QUEUE, JOB)]


@pytest.fixture(scope="module")
def resvs():
    with Cluster() as c:
        yield Reservations(c)


def window():
    start = int(time.time()) + 7200
    return [["reserve_start", None, str(start)], ["Resource_List", "walltime", "60"],
            ["Resource_List", "select", "1:ncpus=1"]]


def all_refused(resvs, role, names, requests):
    """Each with the attribute's name, and nothing is made or changed."""
    before = resvs.seen()
    answers = resvs.attempts(role, requests)
    assert len(answers) == len(requests)
    wrong = [(name, answer) for name, answer in zip(names, answers)
             if answer[0] != 15003 or not answer[1].startswith(READ_ONLY)]
    assert wrong == []
    assert resvs.seen() == before


# reserve_standing comes with each rule; by itself it is worth nothing (test_resv_seen.py).
SERVERS = [n for n in TABLE if n != "reserve_standing"]


@pytest.mark.parametrize("role", ROLES)
def test_a_submission_writes_nothing_of_the_servers(resvs, role):
    names = [n for n in SERVERS if not writes(role, n)] + OURS
    assert {"reserve_state", "reserve_index", "reserve_count", "reserve_execvnodes", "reserve_retry",
            "resv_nodes", "queue", "partition", "ctime"} < set(names)
    requests = [[None, window() + [entry(n)]] for n in names]
    all_refused(resvs, role, names, requests)
    # Before what is well, and by another spelling.
    all_refused(resvs, role, names, [[None, [entry(n)] + window()] for n in names])
    all_refused(resvs, role, names, [[None, window() + [[n.upper()] + entry(n)[1:]]] for n in names])


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("which", ["waiting", "running"])
def test_an_alteration_writes_nothing_of_the_servers(resvs, role, which):
    """Nor what is given once, at the submission; and nothing else that the request asks for."""
    rid = getattr(resvs, which)
    names = [n for n in TABLE if n not in ALTERABLE] + OURS
    assert {"reserve_state", "reserve_rrule", "reserve_standing", "node_set", "reserve_job"} < set(names)
    well = [["Reserve_Name", None, "other"], ["reserve_duration", None, "900"],
            ["Authorized_Users", None, "nobody"], ["Mail_Points", None, "n"]]
    all_refused(resvs, role, names, [[rid, [entry(n)]] for n in names])
    all_refused(resvs, role, names, [[rid, well + [entry(n)]] for n in names])
    all_refused(resvs, role, names, [[rid, [entry(n)] + well] for n in names])


@pytest.mark.parametrize("role", ROLES)
def test_what_the_server_keeps_for_itself_has_no_name(resvs, role):
    before = resvs.seen()
    for rid in (None, resvs.waiting):
        answers = resvs.attempts(role, [[rid, (window() if not rid else []) + [[n, None, "1"]]]
                                       for n in HIDDEN])
        assert [code for code, _ in answers] == [15002] * len(HIDDEN), answers
    assert resvs.seen() == before


@pytest.mark.parametrize("role", ["manager"] if ROOTLESS else ["user"])
def test_a_job_to_be_moved_gives_no_rights(resvs, role):
    """In PBS the attribute qmove lets its sender write all the others."""
    server = resvs.server
    jid = resvs.c.run(["qsub", "-h", "-l", "select=1:ncpus=1,walltime=60", "--", "/bin/true"],
                     user=USER1).stdout.strip()
    names = [n for n in SERVERS if not writes(role, n)] + OURS
    asap = [["qmove", None, jid], ["reserve_start", None, "1893488460"],
            ["Resource_List", "select", "1:ncpus=1"], ["Resource_List", "walltime", "60"]]
    all_refused(resvs, role, names, [[None, asap + [entry(n)]] for n in names])
    assert server.status(JOB, jid)[0]["queue"] == "workq"
    server.delete(jid)


def test_what_may_be_written_is(resvs):
    """The same way with what is allowed: nothing else refuses. No refusal has taken a number."""
    (code, said), = resvs.attempts(ROLES[0], [[None, window() + [["Reserve_Name", None, "x"]]]])
    assert code == 0 and said.endswith(" UNCONFIRMED"), (code, said)
    rid = said.split()[0]
    resvs.server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=rid)
    for role in ROLES:
        (code, said), = resvs.attempts(role, [[rid, [["Reserve_Name", None, role]]]])
        assert (code, said) == (0, rid + " ALTER REQUESTED")
        assert resvs.server.status(RESV, rid)[0]["Reserve_Name"] == role
    numbers = [int(i[1:].split(".")[0]) for i in (resvs.running, resvs.waiting, rid)]
    assert numbers[2] - numbers[1] <= 2, "the job that was to be moved had one"
    resvs.server.delete(rid)
