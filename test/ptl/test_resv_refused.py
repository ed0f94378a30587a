# SPDX-License-Identifier: Apache-2.0
"""What pbs_ralter is refused in each state of a reservation (reservations.md 13): the exact
line, the exit byte, and nothing changed. The scheduler rests, so that every state stays."""
import signal
import time

import pytest

from holdfast import *
from story import *

MANAGER = None  # who runs the tests
needs_root = pytest.mark.skipif(ROOTLESS, reason="needs root: accounts without rights")


class States:
    """One reservation of user1 in each state, by the letters of pbs_rstat."""

    def __init__(self, site):
        self.site, self.server = site, site.server
        self.ids = {}
        server = self.server
        for i in range(9):
            server.manager(MGR_CMD_SET, NODE, {"resources_available.host": "h%d" % i},
                           id="vn[%d]" % i)
        server.manager(MGR_CMD_SET, SERVER, {"operators": ("+=", USER2 + "@*"),
                                             "resv_answer_time": 3600})
        self.running()
        self.waiting()
        server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        self.conflicts()
        self.undecided()

    def keep(self, name, rid, state, substate):
        self.server.expect(RESV, {"reserve_state": state, "reserve_substate": substate}, id=rid)
        self.ids[name] = rid

    def running(self):
        server = self.server
        names = ("RN", "RN+job", "RN+held", "RN/10", "RN/12")
        for name in names:
            self.ids[name] = server.submit(Reservation(select="1:ncpus=2", start=5, duration=3600))
        for name in names:
            self.keep(name, self.ids[name], "RESV_RUNNING", 5)
        running_job(server, queue_of(self.ids["RN+job"]))
        path = self.site.write_script(Job())
        self.site.run(["qsub", "-h", "-q", queue_of(self.ids["RN+held"]), path], user=USER1)
        lost = resv_nodes(server, self.ids["RN/10"])[0]
        set_offline(server, lost)
        self.keep("RN/10", self.ids["RN/10"], "RESV_RUNNING", 10)

    def waiting(self):
        """Each in a window of its own."""
        server = self.server
        self.t0 = int(time.time()) + 7200
        for i, name in enumerate(("CO", "DG", "IC", "AL")):
            select = "2:ncpus=2+1:ncpus=1" + (":vnode=vn[8]" if name == "DG" else "")
            self.keep(name, server.submit(Reservation(
                select=select, start=self.t0 + i * 3600, duration=600, interactive=60)),
                "RESV_CONFIRMED", 2)
        set_offline(server, "vn[8]")
        self.keep("DG", self.ids["DG"], "RESV_DEGRADED", 10)
        done = self.site.run(["pbs_rsub", "-R", Reservation.clock(self.t0 + 5 * 3600), "-D",
                              "600", "-I", "60", "-r", "FREQ=HOURLY;COUNT=3", "-l",
                              "select=1:ncpus=1"], user=USER1, env={"PBS_TZID": "UTC"})
        self.keep("S", done.stdout.split()[0], "RESV_CONFIRMED", 2)

    def conflicts(self):
        for name, start in (("RN/12", time.time() + 300), ("IC", self.t0 + 2 * 3600)):
            host = "h" + resv_nodes(self.server, self.ids[name])[0][3]
            out = self.site.run(["pbs_rsub", "--hosts", host, "-R", Reservation.clock(start),
                                 "-D", "600"], user=USER2).stdout
            self.ids["M"] = out.split()[0]
        self.keep("RN/12", self.ids["RN/12"], "RESV_RUNNING", 12)
        self.keep("IC", self.ids["IC"], "RESV_DEGRADED", 12)

    def undecided(self):
        self.keep("UN", self.server.submit(Reservation(select="2:ncpus=2", start=self.t0,
                                                       duration=600)), "RESV_UNCONFIRMED", 1)
        self.site.run(["pbs_ralter", "-D", "900", self.ids["AL"]], user=USER1)
        self.keep("AL", self.ids["AL"], "RESV_BEING_ALTERED", 2)

    def words(self, name, words):
        """Words with times: "now+60", "start-5", "end+1" of that reservation."""
        resv = self.server.status(RESV, self.ids[name])[0]
        known = {"now": time.time(), "start": seconds_of(resv["reserve_start"]),
                 "end": seconds_of(resv["reserve_end"])}
        return [Reservation.clock(known[w.rstrip("+-0123456789")] + int(w.lstrip("nowstared")))
                if w.rstrip("+-0123456789") in known and w[-1].isdigit() else w
                for w in words.split()]


def seconds_of(text):
    return int(time.mktime(time.strptime(text, "%a %b %d %H:%M:%S %Y")))


@pytest.fixture(scope="module")
def states():
    with Cluster(vnodes=9) as c:
        yield States(c)


PAST = "Bad time specification(s)"
STATE = "Request invalid for state of job"
JOBS = "Reservation not empty"
SUBSET = "New select must be made up of a subset of the original chunks"
LATER = "Requested time(s) will interfere with a later occurrence"
NO_FORCE = "No support for requested service"
SELECT = "-l select=1:ncpus=2"
EVERYWHERE = "UN CO DG IC RN RN/10 S"

# States, words, exit byte, text; by the steps of 13.3.
REFUSED = [
    # 3, 4: one thing after the other
    ("AL", "-D 60", 15016, STATE),
    ("AL", "-N other", 15016, STATE),
    ("AL", "-m a", 15016, STATE),
    ("AL", "-U root", 15016, STATE),
    ("AL", SELECT, 15016, STATE),
    # 13.4: the start
    ("UN CO DG IC RN RN/10 RN/12 S", "-R now-60", 15086, PAST),
    ("UN CO DG IC RN RN/10 RN/12 S", "-R now+0", 15086, PAST),
    ("RN+job", "-R now+600", 15178, JOBS),
    ("RN+job", "-R now-60", 15178, JOBS),
    ("RN+job", "-R now+600 -D 60", 15178, JOBS),
    ("RN+job", "-E end+600 -D 60", 15178, JOBS),
    ("RN+held", "-R now-60", 15086, PAST),
    # 13.6: times that follow
    (EVERYWHERE, "-D 0", 15086, PAST),
    (EVERYWHERE, "-E start+0", 15086, PAST),
    (EVERYWHERE, "-E start-60", 15086, PAST),
    ("UN CO DG IC S", "-R end+0", 15086, PAST),
    ("UN CO DG IC", "-R start+60 -E start+120 -D 61", 15086, PAST),
    ("UN CO DG IC", "-E now+120 -D 600", 15086, PAST),
    ("RN", "-R now+60 -E now+120 -D 59", 15086, PAST),
    # 9: the next occurrence is in the way
    ("S", "-E start+3600", 15179, LATER),
    ("S", "-D 3600", 15179, LATER),
    ("S", "-R start+3600 -D 60", 15179, LATER),
    # 13.5
    ("CO DG IC UN", "-l select=3:ncpus=2", 15183, SUBSET),
    ("CO", "-l select=1:ncpus=1+2:ncpus=2", 15183, SUBSET),
    ("CO", "-l select=1:ncpus=2+1:ncpus=2", 15183, SUBSET),
    ("CO", "-l select=2:ncpus=2+1:ncpus=1+1:ncpus=1", 15183, SUBSET),
    ("CO", "-l select=2:ncpus=2+1:ncpus=1:mem=1kb", 15183, SUBSET),
    ("RN RN+job RN/10 S", "-l select=2:ncpus=2", 15183, SUBSET),
    ("RN RN+job RN/10 S", "-l select=1:ncpus=1:mem=1kb", 15183, SUBSET),
    ("RN/12", SELECT, 15016, STATE),
    # times that are well, and a select that is not: the whole is refused
    ("CO", "-D 60 -l select=3:ncpus=2", 15183, SUBSET),
    ("RN/12", "-D 60 " + SELECT, 15016, STATE),
    # values
    ("CO RN", "-D xx", 2, "illegal -D value"),
    ("CO RN", "-m xyz", 2, "illegal -m value"),
    ("CO RN", "-U a,a", 2, "illegal -U value"),
    ("CO RN", "-G g,g", 15055, "Duplicate entry in list "),
    ("CO RN", "-l select=0:ncpus=2", 15183, SUBSET),
    ("CO", "-l select=1:ncpus=x", 15014, "Illegal attribute or resource value select.ncpus"),
    ("CO", "-l select=1:nothing=2", 15035, "Unknown resource: nothing"),
    # 13.1: what the command refuses itself
    ("CO", "-R soon", 2, "illegal -R time value"),
    ("CO", "-E soon", 2, "illegal -E time value"),
    ("CO", "-I 0", 2, "illegal -I time value"),
    ("CO", "-I -5 -D 60", 2, "illegal -I time value"),
    ("CO", "-I soon -D 60", 2, "illegal -I time value"),
    ("CO", "-N 9*", 2, "illegal -N value"),
    ("CO", "-l ncpus=1", 2, None),
    ("CO", "-W gently", 2, "illegal -W value"),
    ("CO", "-q workq", 2, 'illegal -q value: format "@server"'),
]
# The same for managers, with force.
FORCED = [
    ("CO RN", "-W force", 2, NO_FORCE),
    ("CO RN", "-W force -N other", 2, NO_FORCE),
    ("CO RN", "-W force " + SELECT, 2, NO_FORCE),
    ("UN CO DG IC RN RN/10", "-W force -D 60 " + SELECT, 15029, NO_FORCE),
    ("AL", "-W force -D 60", 15016, STATE),
    ("UN CO DG IC RN RN/10 RN/12", "-W force -R now-60", 15086, PAST),
    ("RN+job", "-W force -R now+600", 15178, JOBS),
    ("RN+job", "-W force -E end+600 -D 60", 15178, JOBS),
    ("S", "-W force -E start+3600", 15179, LATER),
    (EVERYWHERE, "-W force -D 0", 15086, PAST),
]
# Who may not.
BY_WHOM = [
    ("CO RN AL UN S", "-D 60", USER2 if ROOTLESS else "nobody", 15007, "Unauthorized Request "),
    ("CO RN S", "-W force -D 60", USER1, 15007, "Unauthorized Request "),
    ("CO RN S", "-W force -D 60", USER2, 15007, "Unauthorized Request "),
    ("M", "-D 60", USER1, 15007, "Unauthorized Request "),
    ("M", "-N other", USER1, 15007, "Unauthorized Request "),
]


def rows(table):
    """One for each state: parameters, and how they are called."""
    split = [(state,) + row[1:] for row in table for state in row[0].split()]
    return dict(argvalues=split, ids=["%s %s" % r[:2] for r in split])


def is_refused(states, name, words, code, text, user):
    before = states.server.status(RESV)
    argv = ["pbs_ralter"] + states.words(name, words) + [states.ids[name]]
    done = states.site.run(argv, user=user, check=False)
    first, rest = done.stderr.split("\n")[0], done.stderr.split("\n")[1:]
    words = "pbs_ralter: " + text if text else "pbs_ralter -l only allows for select"
    assert (done.returncode, done.stdout, first) == (code & 255, "", words), done.stderr
    # The command's own refusals, and values that it is told are wrong, come with the usage.
    assert any(line.startswith("usage: pbs_ralter") for line in rest) == (code == 2)
    assert states.server.status(RESV) == before


@pytest.mark.parametrize("name,words,code,text", **rows(REFUSED))
def test_alterations_by_the_owner(states, name, words, code, text):
    is_refused(states, name, words, code, text, USER1)


@pytest.mark.parametrize("name,words,code,text", **rows(FORCED))
def test_alterations_by_force(states, name, words, code, text):
    is_refused(states, name, words, code, text, MANAGER)


@needs_root
@pytest.mark.parametrize("name,words,user,code,text", **rows(BY_WHOM))
def test_alterations_by_others(states, name, words, user, code, text):
    is_refused(states, name, words, code, text, user)
    states.server.log_match("Unauthorized Request, request type: 91, Object: RESCRESV, Name: %s, "
                            "request from: %s@" % (states.ids[name], user))


@pytest.mark.parametrize("rid,code,text", [
    ("R999", 15084, "Unknown Reservation Id"), ("S999", 15084, "Unknown Reservation Id"),
    ("nonsense", 2, "illegally formed reservation identifier: nonsense"),
])
def test_ids_that_name_nothing(states, rid, code, text):
    done = states.site.run(["pbs_ralter", "-D", "60", rid], user=USER1, check=False)
    assert (done.returncode, done.stderr.split("\n")[0]) == (code & 255, "pbs_ralter: " + text)


def test_in_conflict_before_the_start_a_select_is_asked_about(states):
    """The last: from here on that reservation is being altered."""
    server, rid = states.server, states.ids["IC"]
    out = states.site.run(["pbs_ralter", "-l", "select=1:ncpus=2", rid], user=USER1).stdout
    assert out == "pbs_ralter: %s ALTER REQUESTED\n" % rid
    server.expect(RESV, {"reserve_state": "RESV_BEING_ALTERED", "reserve_substate": 12}, id=rid)
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    resv = server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 2,
                                "reserve_retry": (UNSET, None)}, id=rid)
    assert resv["Resource_List.select"] == "1:ncpus=2"


def test_while_it_is_deleted_nothing_is_altered(cluster):
    """Its job does not end, since the MoM stands still."""
    server, mom = cluster.server, cluster.mom
    rid = running_resv(server, select="2:ncpus=2")
    running_job(server, queue_of(rid))
    mom.send_signal(signal.SIGSTOP)
    try:
        server.delete(rid)
        before = server.expect(RESV, {"reserve_state": "RESV_BEING_DELETED",
                                      "reserve_substate": 9}, id=rid)
        for words, user in (("-D 60", USER1), ("-N other", USER1), ("-m n", USER1),
                            (SELECT, USER1), ("-W force -D 60", MANAGER)):
            done = cluster.run(["pbs_ralter"] + words.split() + [rid], user=user, check=False)
            assert (done.returncode, done.stdout, done.stderr.split("\n")[0]) == \
                (15016 & 255, "", "pbs_ralter: " + STATE), words
        assert server.status(RESV, rid)[0] == before
    finally:
        mom.send_signal(signal.SIGCONT)
    is_gone(server, RESV, rid)
