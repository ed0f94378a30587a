# SPDX-License-Identifier: Apache-2.0
"""What is seen of reservations: their attributes and who writes them (reservations.md 2), the
queue of each (6), what they hold and how vnodes show it (18)."""
import pytest

from holdfast import *
from story import *

needs_root = pytest.mark.skipif(ROOTLESS, reason="needs root: an account without rights")


@pytest.fixture(scope="module")
def site():
    with Cluster() as c:
        yield c


def gone(site, rid):
    site.server.delete(rid)
    is_gone(site.server, RESV, rid)


# Each attribute that is the server's, by a client that does not judge before it sends.
SERVERS_OWN = ["reserve_state=5", "reserve_substate=5", "reserve_index=2", "reserve_count=9",
               "reserve_execvnodes=1#(vn[0]:ncpus=1){0}", "reserve_retry=1", "ctime=1",
               "mtime=1", "resv_nodes=(vn[0]:ncpus=1)", "queue=workq", "server=other",
               "Reserve_Owner=root@here", "schedselect=1:ncpus=1", "schedselect_orig=1:ncpus=1",
               "euser=root", "egroup=root", "partition=p1", "hop_count=1", "hashname=x",
               "reserve_ID=R1", "reservation_Tag=1", "resources_used.ncpus=1",
               "reserve_alter_revert.walltime=1", "reserve_standing_revert.walltime=1",
               "node_set=a", "oversubscribed_jobs=1", "oversubscribed_resv=R1",
               "oversubscribed_on=R1",
               "alter_denied=x", "alter_seq=1"]


@pytest.mark.parametrize("setting", SERVERS_OWN, ids=[s.split("=")[0] for s in SERVERS_OWN])
def test_clients_do_not_write_what_is_the_servers(site, setting):
    """Nothing is made. (Later, and from managers: unit/server/test_resv_submit.c.)"""
    words = ["-R", Reservation.clock(3600), "-D", "60", "-W", setting]
    done = site.run(["pbs_rsub"] + words, user=USER1, check=False)
    first = done.stderr.splitlines()[0]
    assert done.returncode in (15003 & 255, 15002 & 255, 2), (done.returncode, done.stderr)
    assert first.startswith("pbs_rsub: ") and done.stdout == ""
    assert not site.server.status(RESV)


def test_a_standing_mark_alone_makes_no_series(site):
    """reserve_standing is sent by pbs_rsub -r; without a rule it means nothing."""
    done = site.run(["pbs_rsub", "-R", Reservation.clock(3600), "-D", "60", "-I", "60",
                     "-W", "reserve_standing=0"], user=USER1, check=False)
    if done.returncode == 0:
        rid = done.stdout.split()[0]
        assert rid[0] == "R" and site.server.status(RESV, rid)[0]["reserve_count"] == "1"
        gone(site, rid)
    done = site.run(["pbs_rsub", "-R", Reservation.clock(3600), "-D", "60",
                     "-W", "reserve_standing=1"], user=USER1, check=False)
    assert done.returncode != 0 and not site.server.status(RESV)


ORDER = ["Reserve_Name", "Reserve_Owner", "reserve_state", "reserve_substate", "reserve_start",
         "reserve_end", "reserve_duration", "queue", "Resource_List", "schedselect",
         "resv_nodes", "Authorized_Users", "Authorized_Groups", "Authorized_Hosts", "server",
         "Account_Name", "ctime", "Mail_Points", "Mail_Users", "mtime", "Priority",
         "interactive", "Variable_List", "euser", "egroup", "reserve_rrule", "reserve_index",
         "reserve_count", "delete_idle_time", "Submit_Host", "partition"]
MANAGERS = {"schedselect", "euser", "egroup"}


def shown(site, rid, user=None):
    text = site.run(["pbs_rstat", "-f", rid], user=user).stdout
    lines = [l for l in text.splitlines() if " = " in l]
    return [l.split(" = ")[0].split(".")[0] for l in lines], text


@needs_root
def test_attributes_have_their_order_and_their_readers(site):
    done = site.run(["pbs_rsub", "-R", Reservation.clock(3600), "-D", "600", "-I", "60",
                     "-r", "FREQ=DAILY;COUNT=2", "-m", "abce", "-M", "a@b", "-G", USER1,
                     "-H", site.host, "-W", "Priority=5,delete_idle_time=60,Account_Name=acct",
                     "-l", "select=1:ncpus=1"], user=USER1, env={"PBS_TZID": "UTC"})
    rid = done.stdout.split()[0]
    names, text = shown(site, rid)
    seen = sorted(set(names), key=names.index)
    assert seen == ORDER, seen
    assert "reserve_state = RESV_CONFIRMED" in text and "reserve_substate = 2" in text
    names, _ = shown(site, rid, user=USER2)
    assert set(ORDER) - set(names) == MANAGERS
    gone(site, rid)


def test_any_spelling_finds_it(site):
    """The letter and what follows the first dot do not matter (1)."""
    rid = confirmed(site.server)
    number = rid[1:].split(".")[0]
    for other in ("R" + number, "S" + number, "M" + number, "S%s.%s" % (number, site.host)):
        text = site.run(["pbs_rstat", "-B", other]).stdout
        assert text == "Resv ID: %s\n" % rid, other
    # Options may follow the id.
    assert site.run(["pbs_rstat", rid, "-B"]).stdout == text
    for words in ([rid, "-F", "dsv"], ["-f", rid, "-F", "dsv"]):
        dsv = site.run(["pbs_rstat", *words]).stdout
        assert dsv.startswith("Resv ID: %s|" % rid) and dsv.count("\n") == 1, words
    done = site.run(["pbs_rstat", "R999999"], check=False)
    assert (done.stdout, done.stderr.splitlines()[0], done.returncode) == \
        ("", "pbs_rstat: Unknown Reservation Id", 0)
    gone(site, rid)


def test_settings_of_the_server(site):
    """reserve_retry_init is the old name of reserve_retry_time (2)."""
    server = site.server

    def values():
        s = server.status(SERVER)[0]
        return s.get("reserve_retry_time"), s.get("reserve_retry_init")
    server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_init": 90})
    assert values() == ("90", "90")
    server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_time": 80})
    assert values() == ("80", None)
    server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_init": 70})
    server.manager(MGR_CMD_UNSET, SERVER, {"reserve_retry_init": None})
    assert values() == ("70", None)
    server.manager(MGR_CMD_UNSET, SERVER, {"reserve_retry_time": None})
    assert values()[0] in (None, "600")
    for name in ("reserve_retry_time", "reserve_retry_init"):
        for value in ("0", "-5", "soon"):
            done = site.run(["qmgr", "-c", "set server %s = %s" % (name, value)], check=False)
            assert "Illegal attribute or resource value" in done.stderr, (name, value)


def test_a_vnode_that_reservations_may_not_use(site):
    """resv_enable False keeps new ones away; what is there stays (2, 25.2)."""
    server = site.server
    rid = confirmed(server, select="5:ncpus=2")
    server.manager(MGR_CMD_SET, NODE, {"resv_enable": "False"}, id="vn[2]")
    try:
        server.expect(RESV, {"reserve_state": "RESV_CONFIRMED", "reserve_substate": 2}, id=rid)
        gone(site, rid)
        r = Reservation(select="5:ncpus=2", start=3600, duration=60, interactive=60)
        server.submit(r)
        assert r.answer.endswith("DENIED")
        rid = confirmed(server, select="4:ncpus=2")
        assert "vn[2]" not in resv_nodes(server, rid)
        gone(site, rid)
    finally:
        server.manager(MGR_CMD_SET, NODE, {"resv_enable": "True"}, id="vn[2]")


# 6: the queue.

def queue_lines(site, queue):
    """Class Que, event 0004, behind the queue's name."""
    return [l.split(";")[5] for l in site.server.log_lines()
            if l.split(";")[1:2] == ["0004"] and ";Que;%s;" % queue in l]


def by(site, who):
    return "attributes set:  at request of %s" % who


@needs_root
def test_lines_of_a_queue_through_a_whole_life(site):
    """Made, opened, started, and away when no job is left, in this order."""
    server = site.server
    rid = server.submit(Reservation(select="2:ncpus=2:mem=100mb", start=4, duration=4,
                                    interactive=60, options=["-G", USER1, "-H", site.host]))
    queue, owner = queue_of(rid), "%s@%s" % (USER1, host_of(site, rid))
    is_gone(server, RESV, rid)
    server.log_match("%s;deleted at request" % queue)
    lines = queue_lines(site, queue)
    host = lines[-1].split("@")[1]
    assert lines == [
        "created at request of pbs_server@" + site.host,
        "attributes set: resources_available.mem = 200mb",
        "attributes set: resources_available.ncpus = 4",
        "attributes set: resources_max.mem = 200mb",
        "attributes set: resources_max.ncpus = 4",
        "attributes set: queue_type = Execution",
        "attributes set: enabled = False",
        "attributes set: started = False",
        "attributes set: acl_users = " + owner,
        "attributes set: acl_user_enable = True",
        "attributes set: acl_groups = " + USER1,
        "attributes set: acl_group_enable = True",
        "attributes set: acl_hosts = " + site.host,
        "attributes set: acl_host_enable = True",
        by(site, "pbs_server@" + host), "attributes set: enabled = True",
        by(site, "pbs_server@" + host), "attributes set: started = True",
        "deleted at request of pbs_server@" + host,
    ]


def host_of(site, rid):
    line = site.server.accounting_match(";U;%s;requestor=" % rid)
    return line.split("@")[1].split()[0]


@needs_root
@pytest.mark.parametrize("who", ["owner", "manager"])
def test_lines_of_a_queue_with_jobs(site, who):
    """It is closed in the name of who deletes it. (In PBS an owner's rights are too few for
    that, so that jobs go on coming into what is being deleted; ours closes it.)"""
    server = site.server
    rid = running_resv(server, select="1:ncpus=2", start=2)
    jid = running_job(server, queue_of(rid))
    server.delete(rid, user=USER1 if who == "owner" else None)
    is_gone(server, RESV, rid)
    is_gone(server, JOB, jid)
    lines = queue_lines(site, queue_of(rid))
    tail = lines[lines.index("attributes set: started = True") + 1:]
    assert tail[-1].startswith("deleted at request of pbs_server@")
    host = tail[-1].split("@")[1]
    assert tail[:3] == ["attributes set:  at request of %s@%s"
                        % (USER1 if who == "owner" else "root", host),
                        "attributes set: enabled = False", "attributes set: started = False"]


def test_a_queue_of_a_reservation_is_not_for_others(site):
    server = site.server
    rid = confirmed(server)
    queue = queue_of(rid)
    shown = server.status(QUEUE, queue)[0]
    assert (shown["enabled"], shown["started"], shown["queue_type"], shown["partition"]) == \
        ("True", "False", "Execution", "pbs-default")
    assert "resources_max.walltime" not in shown and "resources_max.nodect" not in shown
    done = site.run(["qmgr", "-c", "delete queue " + queue], check=False)
    assert "Cannot delete busy object" in done.stderr and done.returncode
    done = site.run(["qstat", "-Q", "nosuch"], check=False)
    assert "qstat: Unknown queue nosuch" in done.stderr
    gone(site, rid)
    assert queue not in [q["id"] for q in server.status(QUEUE)]


def test_a_queue_is_closed_until_the_confirmation(site):
    server = site.server
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    rid = server.submit(Reservation(start=3600, duration=60))
    shown = server.status(QUEUE, queue_of(rid))[0]
    assert (shown["enabled"], shown["started"]) == ("False", "False")
    assert "partition" not in shown
    with pytest.raises(PbsError) as e:
        server.submit(Job(attrs={"queue": queue_of(rid)}))
    assert "qsub: Queue is not enabled" in e.value.err and e.value.rc == 15021 & 255
    server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})
    server.expect(QUEUE, {"enabled": "True"}, id=queue_of(rid))
    with pytest.raises(PbsError) as e:
        server.submit(Job(attrs={"queue": rid}))
    assert "qsub: Unknown queue" in e.value.err and e.value.rc == 15018 & 255
    gone(site, rid)


def test_a_manager_may_start_the_queue_before_its_time(site):
    server = site.server
    rid = confirmed(server, select="1:ncpus=2")
    jid = server.submit(Job(attrs={"queue": queue_of(rid)}))
    server.expect(JOB, {"comment": "Not Running: Queue not started."}, id=jid)
    server.manager(MGR_CMD_SET, QUEUE, {"started": "True"}, id=queue_of(rid))
    server.expect(QUEUE, {"started": "True"}, id=queue_of(rid))
    gone(site, rid)


def test_sums_of_the_queue_follow_the_select(site):
    """They are those of the reservation after each granted alteration (6, Beat this)."""
    server = site.server
    rid = confirmed(server, select="2:ncpus=2+1:ncpus=1")
    site.run(["pbs_ralter", "-I", "60", "-l", "select=1:ncpus=2", rid], user=USER1)
    queue = server.status(QUEUE, queue_of(rid))[0]
    assert (queue["resources_max.ncpus"], queue["resources_available.ncpus"]) == ("2", "2")
    with pytest.raises(PbsError) as e:
        server.submit(Job(attrs={"queue": queue_of(rid), "Resource_List.select": "2:ncpus=2"}))
    assert "Job violates queue and/or server resource limits" in e.value.err
    gone(site, rid)


# 18: what is held.

def assigned(o, name="ncpus"):
    return o.get("resources_assigned." + name, "0")


def test_what_is_held_while_it_runs_and_only_then(site):
    server = site.server
    rid = server.submit(Reservation(select="2:ncpus=2", start=4, duration=6, interactive=60))
    held = resv_nodes(server, rid)
    assert assigned(server.status(SERVER)[0]) == "0"
    assert server.status(VNODE, held[0])[0]["resv"] == rid
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)
    svr = server.status(SERVER)[0]
    assert (assigned(svr), assigned(svr, "nodect")) == ("4", "2")
    for n in server.status(VNODE):
        assert assigned(n) == ("2" if n["id"] in held else "0")
        assert n["state"] != "resv-exclusive"
    is_gone(server, RESV, rid)
    all_is_free(site)
    assert "resv" not in server.status(VNODE, held[0])[0]


def test_a_vnode_names_its_reservations_the_last_one_first(site):
    """Once for every part of resv_nodes."""
    server = site.server
    first = confirmed(server, select="1:ncpus=1:vnode=vn[1]")
    second = confirmed(server, start=7200, select="2:ncpus=1:vnode=vn[1]")
    assert server.status(VNODE, "vn[1]")[0]["resv"] == ", ".join([second, second, first])
    done = site.run(["qmgr", "-c", "delete node vn[1]"], check=False)
    assert "Cannot delete busy object" in done.stderr and done.returncode
    gone(site, second)
    gone(site, first)


@pytest.mark.parametrize("sharing,place,exclusive", [
    ("default_shared", "free", False), ("default_shared", "free:excl", True),
    ("default_shared", "free:exclhost", True), ("default_excl", "free", True),
    ("default_excl", "free:shared", False), ("force_excl", "free:shared", True),
    ("ignore_excl", "free:excl", False)])
def test_which_vnodes_are_exclusive(sharing, place, exclusive):
    class OneVnode(Cluster):
        def vnode_file(self):
            return super().vnode_file() + "vn[0]: sharing = %s\n" % sharing
    with OneVnode(vnodes=1) as c:
        rid = running_resv(c.server, select="1:ncpus=1", start=2, options=["-l", "place=" + place])
        state = c.server.status(VNODE, "vn[0]")[0]["state"]
        assert ("resv-exclusive" in state) == exclusive, state
        jid = running_job(c.server, queue_of(rid), select="1:ncpus=1")
        state = c.server.status(VNODE, "vn[0]")[0]["state"]
        assert ("resv-exclusive" in state) == exclusive, state
        c.server.delete(rid)
        is_gone(c.server, JOB, jid)
        is_gone(c.server, RESV, rid)
        c.server.expect(VNODE, {"state": "free"}, id="vn[0]")


def test_a_job_in_it_is_not_counted_again(site):
    """The vnode lists the job and adds nothing; the queue counts it (11)."""
    server = site.server
    rid = running_resv(server, select="2:ncpus=2", start=2)
    before = [assigned(server.status(SERVER)[0])] + [assigned(n) for n in server.status(VNODE)]
    jid = running_job(server, queue_of(rid), select="1:ncpus=1")
    assert before == [assigned(server.status(SERVER)[0])] + \
        [assigned(n) for n in server.status(VNODE)]
    (used,) = job_vnodes(server, jid)
    assert jid in server.status(VNODE, used)[0]["jobs"]
    assert assigned(server.status(QUEUE, queue_of(rid))[0]) == "1"
    gone(site, rid)
    all_is_free(site)
