# SPDX-License-Identifier: Apache-2.0
"""Packets that clients of the PBS protocol sent, replayed over TCP: the server's answers
are those of test/golden/conversations/clients.txt (its head explains the form)."""
import os
import re
import time

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.wire import Connection, number, open_as, open_local, string

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "../golden/conversations/clients.txt")
needs_root = pytest.mark.skipif(ROOTLESS, reason="needs root: reserved ports, a second account")


class Conversation:
    """given: what must be there before; steps: [(kind, text or expected)]."""

    def __init__(self, name):
        self.name, self.given, self.steps, self.unserved = name, [], [], None

    def add(self, line):
        word, _, rest = line.partition(" ")
        if word == "given":
            self.given.append(rest)
        elif word == "unserved":
            self.unserved = rest
        elif line.startswith("  "):
            self.steps[-1][2].append(line.split())
        elif word == "<":
            self.steps.append(["<", rest, []])
        elif word in (">", "connection", "closed"):
            self.steps.append([word, rest])
        else:
            raise AssertionError("not understood: " + line)


def load():
    found = []
    with open(FILE) as f:
        for line in f.read().splitlines():
            if line.startswith("conversation "):
                found.append(Conversation(line.split()[1]))
            elif line.strip() and not line.startswith("#"):
                found[-1].add(line)
    return found


ALL = load()


class OneVnode(Cluster):
    """A server that takes clients over TCP, one vnode, no scheduling."""

    def write_conf(self, **more):
        super().write_conf(PBS_SUPPORTED_AUTH_METHODS="clusterkey,resvport", **more)

    def vnode_file(self):
        return "$configversion 2\n%s: resources_available.ncpus = 2\n" % self.host


@pytest.fixture(scope="module")
def site():
    with OneVnode(vnodes=0) as c:
        c.server.expect(VNODE, {"state": "free"}, id=c.host)
        c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        yield c


def unescape(text):
    return re.sub(r"\\(n|\\|x[0-9a-f]{2})", lambda m: {"n": "\n", "\\": "\\"}.get(
        m.group(1)) or chr(int(m.group(1)[1:], 16)), text)


class Player:
    """Makes what a conversation is about, and knows names by their placeholders."""

    def __init__(self, cluster):
        self.cluster, self.server = cluster, cluster.server
        host = cluster.host
        self.names = {"user": USER1, "server": host, "nojob": "99999." + host,
                      "nojob_at": "99999.%s@%s" % (host, host), "noresv": "R99999." + host,
                      "job8": "99998." + host, "array7": "99996[]." + host, "job9": "99997." + host,
                      "workq_at": "workq@" + host, "run": "(%s:ncpus=1)" % host,
                      "soon": str(int(time.time()) + 3600)}

    def name(self, key):
        if key not in self.names:
            self.names[key] = self.make(key)
        return self.names[key]

    def make(self, key):
        if key.startswith("job"):
            return self.server.submit(Job(attrs={"Job_Name": "job1", "Resource_List.select":
                                                 "1:ncpus=1"}))
        assert key == "resv8", key
        self.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
        try:
            rid = self.server.submit(Reservation(start=3600, duration=600,
                                                 interactive=30))
            self.server.expect(RESV, {"reserve_state": "RESV_CONFIRMED"}, id=rid)
        finally:
            self.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        return rid

    def prepare(self, given):
        what, _, name = given.partition(" ")
        if what in ("queue", "no-queue"):
            self.ensure(what == "queue", "queue " + name, " queue_type=e,enabled=t,started=t,"
                        "resources_max.ncpus=2")
        elif what in ("resource", "no-resource"):
            self.ensure(what == "resource", "resource " + name, " type=long,flag=nh")
        elif what in ("hook", "no-hook"):
            self.ensure(what == "hook", "hook " + name, " event=queuejob")
        elif what == "hook-file":
            self.cluster.write("home/server_priv/hooks/tmp/" + name, "import pbs\n")
        elif what == "job-running":
            with open_as(self.cluster.ports["server"], "root") as c:
                assert c.ask("+2+22+15" + string("root") + string(self.name(name)) +
                             string(self.name("run")) + "+0+0").code == 0
            self.server.expect(JOB, {"job_state": "R", "substate": 42}, id=self.name(name))
        elif what == "job-finished":
            self.server.delete(self.name(name))
            wait_for("the job's end", lambda: not self.server.status(JOB))
        elif what == "job-ran":
            self.prepare("job-running " + name)
            self.prepare("job-finished " + name)
        elif what in ("history", "flatuid"):
            attr = {"history": "job_history_enable"}.get(what, what)
            self.server.manager(MGR_CMD_SET, SERVER, {attr: "True"})
        elif what == "offline":
            self.server.manager(MGR_CMD_SET, NODE, {"state": "offline"}, id=self.name("server"))
        elif what in ("job", "resv"):
            self.name(name)
        else:
            raise AssertionError(given)

    def clear(self):
        """Nothing is left for the next conversation."""
        for attr in ("job_history_enable", "flatuid"):
            self.server.manager(MGR_CMD_UNSET, SERVER, {attr: None})
        self.server.manager(MGR_CMD_SET, NODE, {"state": "free"}, id=self.name("server"))
        for kind in (JOB, RESV):
            for o in self.server.status(kind):
                self.cluster.run([{JOB: "qdel", RESV: "pbs_rdel"}[kind], o["id"]], check=False)
        wait_for("no jobs, no reservations",
                 lambda: not self.server.status(JOB) and not self.server.status(RESV))

    def ensure(self, there, thing, attrs):
        def qmgr(line):
            return self.cluster.run(["qmgr", "-c", line], check=False).returncode == 0
        qmgr("delete " + thing)
        assert not there or qmgr("create " + thing + attrs)

    def message(self, text):
        return unescape(re.sub(r"\{(\w+)\}", lambda m: string(self.name(m.group(1))), text))

    def matches(self, expected, actual):
        """A name as the file has it, which may be the first to tell what it stands for."""
        pattern = ""
        for part in re.split(r"(\{\w+\})", expected):
            key = part[1:-1]
            if part in ("{newR}", "{newS}"):
                pattern += part[4] + r"\d+\." + re.escape(self.names["server"])
            elif part.startswith("{"):
                if key not in self.names:
                    self.names[key] = actual
                pattern += re.escape(self.names[key])
            else:
                pattern += re.escape(part)
        return re.fullmatch(pattern, actual) is not None


def attrs_of(words):
    """What the answer shows: names in the order of the file, those of the original that
    are not shown ("-name") left out, our own ("+name") put in."""
    return [w.lstrip("+") for w in words if not w.startswith("-")]


def difference(want, got):
    return "missing %s, not expected %s" % ([a for a in want if a not in got],
                                            [a for a in got if a not in want])


def check(player, expected, objects, reply):
    words = expected.split(" ", 3)
    assert reply is not None, "closed"
    assert [str(reply.code), str(reply.aux), str(reply.choice)] == words[:3], \
        (reply.__dict__, expected)
    rest = words[3] if len(words) > 3 else ""
    if reply.choice == 7:
        assert player.matches(unescape(rest), reply.text), (reply.text, rest)
    elif reply.choice in (2, 4, 5, 8):
        assert len(rest.split()) == len(reply.ids), (reply.ids, rest)
        assert all(map(player.matches, rest.split(), reply.ids)), (reply.ids, rest)
    elif reply.choice == 11:
        want = [w.split("=") for w in rest.split()]
        assert [(player.name(k[1:-1]), int(v)) for k, v in want] == reply.results
    elif reply.choice == 6:
        assert len(objects) == len(reply.objects), reply.objects
        for (kind, name, *attrs), (got_kind, got_name, got) in zip(objects, reply.objects):
            assert (int(kind), player.matches(name, got_name)) == (got_kind, True)
            assert attrs_of(attrs) == got, difference(attrs_of(attrs), got)


def connect(player, who):
    if who.startswith("local "):
        return open_local(player.cluster.home + "/ipc/server.sock")
    return open_as(player.cluster.ports["server"], player.name("user") if who == "{user}" else who)


def replay(player, conversation):
    c, silent = None, False
    for step in conversation.steps + [["end", ""]]:
        if step[0] != "<" and silent:
            # No answer is due: the next one is to something else.
            assert c.connect("root").code == 0
            silent = False
        if step[0] in ("connection", "end"):
            if c is not None:
                c.s.close()
            c = connect(player, step[1]) if step[1] else None
        elif step[0] == ">":
            c.send(player.message(step[1]))
            silent = True
        elif step[0] == "closed":
            assert c.is_closed()
        else:
            check(player, step[1], step[2], c.receive())
            silent = False


def replay_unserved(player, conversation):
    """Refused with the code in the file; a request that is not known ends the connection."""
    code = int(conversation.unserved.split()[0])
    who, request = conversation.steps[0][1], conversation.steps[1][1]
    with connect(player, who) as c:
        reply = c.ask(player.message(request))
        assert reply.code == code, reply.__dict__
        if code == 15005:
            assert c.is_closed()
        else:
            assert c.connect("root").code == 0


@needs_root
@pytest.mark.parametrize("conversation", [c for c in ALL if c.name != "shutdown"],
                         ids=lambda c: c.name)
def test_the_answers_are_the_known_ones(site, conversation):
    player = Player(site)
    for given in conversation.given:
        player.prepare(given)
    (replay_unserved if conversation.unserved else replay)(player, conversation)
    player.clear()


STATUS = "+2+22+21%s+0+12+142+12server_state+0+0+0+0"


@pytest.fixture
def port(site):
    return site.ports["server"]


def refused(reply, code, text):
    return (reply.code, reply.aux, reply.choice, reply.text) == (code, 0, 7, text)


@needs_root
def test_connect_then_authenticate(port):
    """connect-resvport: what qstat -B says on its two connections."""
    with Connection(port) as c, Connection(port, reserved=True) as helper:
        assert c.connect("root").code == 0
        assert helper.vouch("root", c.port).choice == 1
        reply = c.ask("+2+22+21+4root+0+0+0")
        assert (reply.code, reply.choice, reply.objects[0][0]) == (0, 6, 0)
        c.send("+2+22+59+4root")
        assert c.is_closed()


@needs_root
def test_authenticate_may_come_before_connect_or_replace_it(port):
    """authenticate-then-status; and the helper's connection can be used again."""
    with Connection(port) as c, Connection(port, user=USER1) as other, \
            Connection(port, reserved=True) as helper:
        assert helper.vouch("root", c.port).code == 0
        reply = c.ask(STATUS % "+4root")
        assert [(kind, attrs) for kind, _, attrs in reply.objects] == [(0, ["server_state"])]
        assert c.connect("root").code == 0
        assert helper.vouch(USER1, other.port).code == 0
        assert other.ask(STATUS % string(USER1)).code == 0


@needs_root
@pytest.mark.parametrize("reserved,method,encrypt,code,text", [
    (True, "xx", "", 15029, "No support for requested service"),
    (True, "munge", "", 15029, "No support for requested service"),
    (True, "resvport", "tls", 15029, "No support for requested service"),
    (False, "xx", "", 15029, "No support for requested service"),
    (False, "resvport", "", 15019, "Invalid credential"),
])
def test_what_is_refused_ends_the_connection(port, reserved, method, encrypt, code, text):
    """auth-refused: the method, then the port it comes from."""
    with Connection(port) as c, Connection(port, reserved=reserved) as helper:
        assert refused(helper.vouch("root", c.port, method, encrypt), code, text)
        assert helper.is_closed()
        assert refused(c.ask(STATUS % "+4root"), 15019, "Invalid credential")
        assert c.is_closed()


@needs_root
def test_a_port_that_is_not_connected_is_refused(port):
    with Connection(port, reserved=True) as helper:
        assert refused(helper.vouch("root", 1), 15019, "Invalid credential")
        assert helper.is_closed()


def test_nothing_is_answered_without_authentication(port):
    """unauthenticated."""
    with Connection(port) as c:
        assert refused(c.ask("+2+22+21+4root+0+0+0"), 15019, "Invalid credential")
        assert c.is_closed()


@needs_root
def test_a_connection_does_not_change_hands(port):
    with open_as(port, USER1) as c:
        with Connection(port, reserved=True) as helper:
            assert helper.vouch(USER1, c.port).code == 0
            assert refused(helper.vouch(USER2, c.port), 15019, "Invalid credential")
        assert c.ask(STATUS % string(USER1)).code == 0
        assert refused(c.ask(STATUS % string(USER2)), 15019, "Invalid credential")
        assert c.is_closed()


def not_let_vouch(site, helper, user, c, why):
    assert refused(helper.vouch(user, c.port), 15019, "Invalid credential")
    assert helper.is_closed()
    site.server.log_match("%s@127.0.0.1 was not let vouch for port %d: %s" % (user, c.port, why))
    assert refused(c.ask(STATUS % string(user)), 15019, "Invalid credential")


@needs_root
@pytest.mark.parametrize("user,maker", [("root", USER1), (USER1, "root"), (USER2, USER1)])
def test_nobody_vouches_for_another_users_socket(site, port, user, maker):
    """Whatever comes from a reserved port: the kernel knows who made the socket."""
    with Connection(port, user=maker) as c, Connection(port, reserved=True) as helper:
        not_let_vouch(site, helper, user, c, "another user made its other end")


@needs_root
def test_nobody_vouches_for_who_has_no_account(site, port):
    with Connection(port) as c, Connection(port, reserved=True) as helper:
        not_let_vouch(site, helper, "hfnobody", c, "no such account at this host")


@needs_root
@pytest.mark.parametrize("way", ["127.0.0.1", "127.0.0.2"])
def test_a_vouch_names_one_connection(site, port, way):
    """Two may have the same port at the far end when they lead to two addresses here: the
    one that leads to the helper's is meant, and no other."""
    other_way = {"127.0.0.1": "127.0.0.2", "127.0.0.2": "127.0.0.1"}[way]
    with Connection(port, host=other_way) as other:
        with Connection(port, reserved=True, host=way) as helper:
            not_let_vouch(site, helper, "root", other, "there is no such connection")
    with Connection(port, host=other_way, source=0) as other, \
            Connection(port, host=way, source=other.port) as c:
        for _ in range(2):  # once more changes nothing
            with Connection(port, reserved=True, host=way) as helper:
                assert helper.vouch("root", c.port).code == 0
        assert c.ask(STATUS % "+4root").code == 0
        assert refused(other.ask(STATUS % "+4root"), 15019, "Invalid credential")


@needs_root
@pytest.mark.parametrize("request_", [
    "+2+2+9+4root+2+0+0+12+16+7comment+0+1x+0+0", STATUS % "+4root", "+2+22+98+4root+7default+0"])
def test_a_reserved_port_has_no_rights_of_its_own(port, request_):
    with Connection(port, reserved=True) as c:
        assert refused(c.ask(request_), 15019, "Invalid credential")
        assert c.is_closed()


@needs_root
def test_connect_from_a_reserved_port_is_unknown(port):
    with Connection(port, reserved=True) as c:
        assert refused(c.connect("root"), 15005, "Unknown request")
        assert c.is_closed()


@needs_root
def test_what_only_the_kernels_word_gives_is_not_given(site, port):
    """Root by a helper's word is manager, and not the server's own user."""
    with open_as(port, "root") as c:
        assert c.ask("+2+2+9+4root+2+0+0+12+16+7comment+0+1x+0+0").code == 0
        assert c.ask("+2+2+9+4root+2+0+0+12+15+9acl_roots+0+4root+0+0").code == 15003
    with open_as(port, USER1) as c:
        assert c.ask("+2+2+9%s+2+0+0+12+16+7comment+0+1x+0+0" % string(USER1)).code == 15007


@needs_root
def test_the_log_tells_why_somebody_was_not_believed(site, port):
    with Connection(port) as helper:
        helper.vouch("root", 1)
    site.server.log_match("root@127.0.0.1 was not let vouch for port 1: not from a reserved port")


@needs_root
def test_more_than_500_jobs_come_in_parts(site, port):
    """status-job-parts."""
    player = Player(site)
    submit = next(c for c in ALL if c.name == "submit-implicit-commit").steps[1][1]
    with open_as(port, USER1) as c:
        ids = [c.ask(player.message(submit)).ids[0] for _ in range(501)]
        first = c.ask("+2+22+19%s+0+12+12+9job_state+0+0+0+0" % string(USER1))
        second = c.receive()
        assert [(r.code, r.choice, r.more) for r in (first, second)] == [(0, 6, True), (0, 6, False)]
        assert [name for _, name, _ in first.objects + second.objects] == ids
        assert len(first.objects) == 500
        assert c.ask("+2+23+100" + string(USER1) + number(len(ids)) +
                     "".join(map(string, ids)) + "+0").code == 0
    player.clear()


@needs_root
def test_shutdown_is_the_last_answer(site):
    replay(Player(site), next(c for c in ALL if c.name == "shutdown"))
    wait_for("the end of pbs_server", lambda: not site.server.is_up())
