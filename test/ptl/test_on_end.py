# SPDX-License-Identifier: Apache-2.0
"""on_end: jobs that survive the end of their reservation, on real daemons."""
from holdfast import *
from holdfast.peer import STATUS_SERVER, asked_of_older
from story import *


def ends(cluster, *options, **kwargs):
    """A running reservation that says what becomes of its jobs; its id."""
    return running_resv(cluster.server, options=list(options), **kwargs)


def end_now(cluster, rid, seconds=1):
    """Its owner shortens it, so that its end comes."""
    cluster.run(["pbs_ralter", "-E", Reservation.clock(seconds), "-I", "30", rid], user=USER1)


def types_of(server, oid):
    """The types of its accounting records, in their order."""
    lines = [line.split(";") for line in server.accounting_lines()]
    return "".join(line[1] for line in lines if line[2] == oid)


def make_queue(server, name, attrs=()):
    want = {"queue_type": "Execution", "enabled": "True", "started": "False"}
    server.manager(MGR_CMD_CREATE, QUEUE, dict(want, **dict(attrs)), id=name)


def test_a_running_job_is_requeued_and_runs_again(cluster):
    server, gate = cluster.server, Gate(cluster)
    rid = ends(cluster, "-W", "on_end=requeue")
    assert server.status(RESV, rid)[0]["on_end"] == "requeue"
    jid = running_job(server, queue_of(rid), script=script_until(gate.path))
    end_now(cluster, rid)
    is_gone(server, RESV, rid)
    # It runs outside, from its beginning.
    job = server.expect(JOB, {"job_state": "R", "substate": 42, "queue": "workq",
                              "run_count": 2}, id=jid)
    assert "reserve_ID" not in job
    assert "on_end=requeue" in server.accounting_match(";F;%s;" % rid)
    assert types_of(server, jid)[:4] == "QSRQ"
    assert "resvID=%s " % rid in server.accounting_match(";R;%s;" % jid)
    server.log_match("%s;Job is requeued at the end of its reservation" % jid)
    gate.open()
    assert "Exit_status=0" in server.accounting_match(";E;%s;" % jid)
    all_is_free(cluster)


def test_jobs_are_held_where_they_were_sent(cluster):
    server, gate = cluster.server, Gate(cluster)
    make_queue(server, "late")
    rid = ends(cluster, "-W", "on_end=hold,on_end_queue=late")
    runs = running_job(server, queue_of(rid), script=script_until(gate.path))
    once = running_job(server, queue_of(rid), script=script_until(gate.path), Rerunable="n")
    waits = server.submit(Job(attrs={"queue": queue_of(rid),
                                     "Resource_List.select": "3:ncpus=2"}))
    end_now(cluster, rid)
    is_gone(server, RESV, rid)
    for jid in (runs, waits):
        server.expect(JOB, {"job_state": "H", "queue": "late", "Hold_Types": "u"}, id=jid)
    is_gone(server, JOB, once)
    server.log_match("%s;Job is not rerunable and is deleted" % once)
    assert types_of(server, once)[-2:] == "DE"
    server.delete(runs)
    server.delete(waits)
    all_is_free(cluster)


def test_the_servers_default_and_a_word_against_it(cluster):
    server, gate = cluster.server, Gate(cluster)
    server.manager(MGR_CMD_SET, SERVER, {"resv_default_on_end": "hold"})
    kept = ends(cluster, select="1:ncpus=2")
    killed = ends(cluster, "-W", "on_end=kill", select="1:ncpus=2")
    of_kept = running_job(server, queue_of(kept), script=script_until(gate.path))
    of_killed = running_job(server, queue_of(killed), script=script_until(gate.path))
    for rid in (kept, killed):
        end_now(cluster, rid)
        is_gone(server, RESV, rid)
    server.expect(JOB, {"job_state": "H", "queue": "workq"}, id=of_kept)
    assert types_of(server, of_killed)[-2:] == "DE"


def test_no_end_opens_a_queue(cluster):
    """The owner of the reservation may use the queue, the owner of the job may not."""
    server, gate = cluster.server, Gate(cluster)
    make_queue(server, "mine", {"acl_user_enable": "True", "acl_users": USER1})
    rid = ends(cluster, "-W", "on_end=hold,on_end_queue=mine", "-U",
               "%s,%s" % (USER1, USER2))
    jid = server.submit(Job(USER2, attrs={"queue": queue_of(rid),
                                          "Resource_List.select": "1:ncpus=1"},
                            script=script_until(gate.path)))
    server.expect(JOB, {"job_state": "R", "substate": 42}, id=jid)
    end_now(cluster, rid)
    server.expect(JOB, {"job_state": "H", "queue": "workq"}, id=jid)
    server.log_match("%s;Queue mine does not take the job" % jid)


def test_the_server_dies_while_the_end_goes_on(cluster):
    """The setting is changed meanwhile: what the end does was settled when it began."""
    server, gate = cluster.server, Gate(cluster)
    rid = ends(cluster, "-W", "on_end=hold")
    jid = running_job(server, queue_of(rid), script=script_until(gate.path))
    server_dies_amid_the_end(cluster, rid)
    assert server.status(JOB, jid)[0]["queue"] == queue_of(rid)
    cluster.mom.start()
    server.expect(JOB, {"job_state": "H", "queue": "workq"}, id=jid)
    is_gone(server, RESV, rid)


def refused(cluster, *argv, user=USER1):
    done = cluster.run(list(argv), user=user, check=False)
    return done.returncode, done.stderr


def test_what_is_refused(cluster):
    server = cluster.server
    rid = ends(cluster)
    make_queue(server, "theirs", {"acl_user_enable": "True", "acl_users": USER2})
    for setting, text in (("on_end=keep", "pbs_ralter: illegal -W value"),
                          ("auto_extend=59", "illegal -W value"),
                          ("auto_extend_max=0", "illegal -W value"),
                          ("on_end_queue=nowhere", "Unknown queue"),
                          ("on_end_queue=" + queue_of(rid), "the queue of a reservation"),
                          ("on_end_queue=theirs", "Unauthorized Request"),
                          ("on_end", "illegal -W value"),
                          ("Priority=5", "illegal -W value")):
        code, said = refused(cluster, "pbs_ralter", "-W", setting, rid)
        assert code != 0 and text in said, (setting, said)
    assert "kill, requeue, hold or extend" in refused(cluster, "pbs_ralter", "-W", "on_end=keep", rid)[1]
    code, said = refused(cluster, "pbs_ralter", "-W", "on_end=hold", rid, user=USER2)
    assert code != 0 and "Unauthorized Request" in said
    resv = server.status(RESV, rid)[0]
    assert "on_end" not in resv and "on_end_queue" not in resv
    assert "from a minute to a year" in refused(cluster, "pbs_ralter", "-W", "auto_extend=59",
                                                rid)[1]


def test_it_is_altered_and_kept_over_a_restart(cluster):
    server = cluster.server
    make_queue(server, "late")
    rid = ends(cluster, "-W", "on_end=hold")
    out = cluster.run(["pbs_ralter", "-W", "on_end=requeue,on_end_queue=late", "-I", "30", rid],
                      user=USER1).stdout
    assert out == "pbs_ralter: %s CONFIRMED\n" % rid
    server.kill()
    server.start()
    resv = server.status(RESV, rid)[0]
    assert (resv["on_end"], resv["on_end_queue"]) == ("requeue", "late")
    cluster.run(["pbs_ralter", "-W", 'on_end="",on_end_queue=""', rid], user=USER1)
    resv = server.status(RESV, rid)[0]
    assert "on_end" not in resv and "on_end_queue" not in resv


def test_a_stranger_is_sent_nothing(cluster, tmp_path):
    start = Reservation.clock(3600)
    for argv in (["pbs_rsub", "-R", start, "-D", "60", "-W", "on_end=hold"],
                 ["pbs_rsub", "-R", start, "-D", "60", "-W", "on_end_queue=late"],
                 ["pbs_ralter", "-W", "on_end=hold", "R1.localhost"],
                 ["pbs_ralter", "-D", "60", "-W", "on_end=hold", "R1.localhost"]):
        done, asked = asked_of_older(cluster, tmp_path, argv)
        assert (done.returncode, done.stdout) == (1, ""), argv
        assert "does not offer on_end" in done.stderr
        # It was asked what it offers, and nothing else.
        assert asked == [STATUS_SERVER]
