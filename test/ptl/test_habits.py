# SPDX-License-Identifier: Apache-2.0
"""What regression suites do before each of their tests: everything unset in one request,
everything deleted, and all of it made again."""
from holdfast import *
from holdfast.services import wait_for

# Of qstat -Bf, what suites know to be nobody's to unset, and what they set themselves.
KEPT = {"pbs_license", "provision_enable", "server_state", "total_jobs", "state_count",
        "resources_assigned", "FLicenses", "server_host", "license_count", "pbs_version",
        "managers", "operators", "pbs_license_min", "pbs_license_info", "power_provisioning"}


def qmgr(cluster, line, rc=0):
    done = cluster.run(["qmgr", "-c", line], check=False)
    assert done.returncode == rc, (line, done.stdout, done.stderr)
    return done


def shown(text):
    """Names of attributes in a long listing."""
    lines = [l for l in text.splitlines() if l.startswith("    ") and " = " in l]
    return [l.split(" = ")[0].strip() for l in lines]


def settings(text):
    """The lines without what a scheduler does at the moment."""
    return [line for line in text.splitlines() if not line.lstrip().startswith("state =")]


def test_a_suites_set_up(cluster):
    server = cluster.server
    sched = settings(qmgr(cluster, "list sched").stdout)
    qmgr(cluster, "set sched sched_cycle_length=10,log_events=1,comment=x,preempt_order=R,"
                  "throughput_mode=f,scheduler_iteration=5")
    qmgr(cluster, "set server scheduling=f,mail_from=x,max_array_size=7,comment=y,"
                  "resources_default.ncpus=3")
    server.submit(Job())
    for line in ("unset server managers", "unset server operators",
                 "set server managers += root@*,operators += root@*"):
        qmgr(cluster, line)
    names = [n for n in shown(cluster.run(["qstat", "-Bf"]).stdout) if n.split(".")[0] not in KEPT]
    assert "holdfast_version" in names and "scheduling" in names
    cluster.run(["qdel", "-W", "force"] + [j["id"] for j in server.status(JOB)])
    qmgr(cluster, "unset server " + ",".join(names))
    now = cluster.run(["qstat", "-Bf"]).stdout
    for want in ("scheduling = True", "log_events = 511", "mail_from = adm",
                 "resources_default.ncpus = 1", "max_array_size = 10000",
                 "eligible_time_enable = False", "query_other_jobs = True"):
        assert want in now, want
    assert "comment" not in now and "job_history_enable" not in now
    names = [n for n in shown(qmgr(cluster, "list sched").stdout)
             if n not in ("sched_host", "state", "pbs_version")]
    qmgr(cluster, "unset sched " + ",".join(names))
    assert settings(qmgr(cluster, "list sched").stdout) == sched
    qmgr(cluster, "unset sched default " + ",".join(names))
    qmgr(cluster, "delete queue workq")
    qmgr(cluster, "create queue workq queue_type=Execution,enabled=True,started=True")
    qmgr(cluster, "delete node @default")
    assert "vn[0]" not in cluster.run(["pbsnodes", "-av"], check=False).stdout
    qmgr(cluster, "set hook pbs_cgroups enabled=false")
    qmgr(cluster, "set server default_queue=workq,node_fail_requeue=310,flatuid=True,"
                  "default_chunk.ncpus=1,acl_roots=root")
    qmgr(cluster, "create node %s Port=%d" % (cluster.host, cluster.ports["mom"]))
    server.expect(VNODE, {"state": "free"}, id=cluster.host)
    qmgr(cluster, "set sched default opt_backfill_fuzzy=off")
    wait_for("the vnodes of the MoM", lambda: server.status(VNODE, "vn[0]"))
    jid = server.submit(Job())
    server.expect(JOB, {"job_state": "R"}, id=jid)
