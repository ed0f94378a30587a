# SPDX-License-Identifier: Apache-2.0
"""qmgr on a real server: what it prints, refuses and exits with (cli.md 8), what print
shows and a fresh server makes of it, hooks' contents, terminals, bad input."""
import json
import os
import re
import shutil
import signal
import subprocess
from contextlib import contextmanager

import pytest

from holdfast import *
from holdfast.services import wait_for
from holdfast.terminal import Terminal


class TcpCluster(Cluster):
    def write_conf(self, **more):
        super().write_conf(PBS_SUPPORTED_AUTH_METHODS="clusterkey,resvport", **more)


@contextmanager
def server_alone(kind=Cluster):
    """A cluster with its server only: nothing else is asked here."""
    c = kind(vnodes=0)
    try:
        c.prepare()
        c.server.start()
        yield c
    finally:
        problems = c.stop()
        shutil.rmtree(c.root, ignore_errors=True)
    assert not problems, problems


@pytest.fixture(scope="module")
def site():
    """One server for all that leaves no traces."""
    with server_alone() as c:
        qmgr(c, "create resource foo type=long,flag=nh; create resource bigstr; "
                "create queue expressq queue_type=e,Priority=150; "
                "set queue expressq max_run='[u:pbsuser=3]'")
        yield c


def qmgr(c, line, *options, **how):
    return c.run(["qmgr", *options, "-c", line], **how).stdout


def told(c, argv, input=None, **how):
    """(stdout, stderr, exit code) of qmgr."""
    done = c.run(["qmgr"] + argv, check=False, input=input, **how)
    return done.stdout, done.stderr, done.returncode


SYNTAX = "qmgr: Syntax error\n%s\n%s^\n"


def refused(text, code, obj=""):
    return "qmgr obj=%s svr=default: %s\nqmgr: Error (%d) returned from server\n" % (
        obj, text, code)


# command, what goes to standard output, to standard error, exit code
ANSWERS = [
    ("set server", "", SYNTAX % ("set server", " " * 10), 4),
    ("frobnicate server x=1", "",
     "qmgr: Illegal operation: frobnicate\nTry 'help' if you are having trouble.\n", 1),
    ("set widget x=1", "", "qmgr: Illegal object type: widget.\n", 2),
    ("set", "", "qmgr: No object type given\n", 2),
    ("set server scheduling = a b", "", SYNTAX % ("set server scheduling = a b", " " * 26), 4),
    ("  set queue 1abc enabled=true", "",
     SYNTAX % ("set queue 1abc enabled=true", " " * 10), 3),
    ("set server max_run = [x:PBS_ALL=7]", "",
     SYNTAX % ("set server max_run = [x:PBS_ALL=7]", " " * 22), 4),
    ("set server max_run = [o:PBS_ALL=a]", "",
     refused("Illegal attribute or resource value max_run", 15014), 166),
    ("", "", "", 255),
    ("set queue enabled=true", "", "No Active Queues, nothing done.\n", 0),
    ("set node state=free", "", "No Active Nodes, nothing done.\n", 0),
    ("active queue nosuch", "", "", 0),
    ("active queue nosuch@default", "", refused("Unknown queue", 15018, "nosuch"), 170),
    ("set queue nosuch enabled=true", "", refused("Unknown queue", 15018, "nosuch"), 170),
    ("create queue workq", "", refused("Queue already exists", 15025, "workq"), 177),
    ("create queue averyveryverylongq", "",
     "qmgr: Error (15028) returned from server\n", 180),
    ("delete queue nosuch", "", refused("Unknown queue", 15018, "nosuch"), 170),
    ("set server resources_default.nosuch=1", "",
     refused("Unknown resource resources_default.nosuch", 15035), 187),
    ("set server total_jobs=3", "",
     refused("Cannot set attribute, read only or insufficient permission  total_jobs",
             15003), 155),
    ("set server managers=bob", "",
     refused("Access from host not allowed, or unknown host", 15008), 160),
    ("set node nosuch state=free", "", refused("Unknown node ", 15062, "nosuch"), 214),
    ("create resource ncpus", "", refused("Duplicate entry in list ", 15055, "ncpus"), 207),
    ("create resource r2 type=bogus", "",
     refused("Illegal attribute or resource value", 15014, "r2"), 166),
    ("list resource nosuch", "", refused("Unknown resource", 15035, "nosuch"), 187),
    ("delete resource nosuch", "", refused("Unknown resource", 15035, "nosuch"), 187),
    ("list server scheduling,default_queue,resources_default.ncpus",
     "Server HOST\n    resources_default.ncpus = 1\n    default_queue = workq\n"
     "    scheduling = True\n\n", "", 0),
    ("l q workq,expressq enabled,Priority", "Queue workq\n    enabled = True\n\n"
     "Queue expressq\n    Priority = 150\n\n", "", 0),
    ("l q workq@default queue_type", "Queue workq\n    queue_type = Execution\n\n", "", 0),
    ("l r foo", "Resource foo\n    type = long\n    flag = hn\n\n", "", 0),
    ("list resource",
     "#\n# Create resources and set their properties.\n#\n"
     "Resource foo\n    type = long\n    flag = hn\n\n"
     "Resource bigstr\n    type = string\n\n", "", 0),
    ("print resource foo",
     "#\n# Create resources and set their properties.\n#\n"
     "#\n# Create and define resource foo\n#\n"
     "create resource foo\nset resource foo type = long\nset resource foo flag = hn\n", "", 0),
    ("l sched nosuch", "", "", 0),
    ("print pbshook", "", "", 1),
    ("print queue expressq max_run,Priority",
     "#\n# Create queues and set their attributes.\n#\n"
     "#\n# Create and define queue expressq\n#\ncreate queue expressq\n"
     "set queue expressq Priority = 150\nset queue expressq max_run = [u:pbsuser=3]\n", "", 0),
    ("p s scheduling", "#\n# Set server attributes.\n#\nset server scheduling = True\n", "", 0),
    ("l s scheduling; l s default_queue", "Server HOST\n    scheduling = True\n\n"
     "Server HOST\n    default_queue = workq\n\n", "", 0),
    ("l s HOST scheduling", "Server HOST\n    scheduling = True\n\n", "", 0),
    ("l s scheduling @nosuchhost", "",
     SYNTAX % ("l s scheduling @nosuchhost", " " * 15), 4),
    ("l s @host.invalid scheduling", "",
     "Unknown Host.\nqmgr: cannot connect to server host.invalid\n", 3),
    ("?  nosuch", "No help available on: nosuch\n"
     "Check the PBS Reference Guide for more help.\n\n", "", 255),
    ("l s scheduling; set queue nosuch enabled=t; l s default_queue",
     "Server HOST\n    scheduling = True\n\nServer HOST\n    default_queue = workq\n\n",
     refused("Unknown queue", 15018, "nosuch"), 0),
    ("set queue nosuch,expressq,missing Priority=150", "",
     refused("Unknown queue", 15018, "nosuch") + refused("Unknown queue", 15018, "missing"),
     170),
    ("history", "", "", 0),
    ("quit; set", "", "", 0),
]


@pytest.mark.parametrize("line,out,err,rc", ANSWERS, ids=[repr(a[0])[:40] for a in ANSWERS])
def test_a_command_is_answered_to_the_letter(site, line, out, err, rc):
    here = site.host
    assert told(site, ["-c", line.replace("HOST", here)]) == (
        out.replace("HOST", here), err.replace("HOST", here), rc)


def test_values_that_are_none_are_refused_before_they_travel(site):
    """The client's library looks at them; its answer has no attribute name."""
    for line in ("set server scheduling=maybe", "set server max_array_size=abc"):
        assert told(site, ["-c", line]) == (
            "", refused("Illegal attribute or resource value", 15014), 166), line


def test_a_server_alone_means_all_that_it_has():
    with server_alone() as c:
        qmgr(c, "create queue q1,q2; create resource r1,r2; create hook h1,h2")
        qmgr(c, "set queue @default Priority=7; set hook @default order=9; "
                "set resource @default type=long")
        assert qmgr(c, "list queue @default Priority").count("    Priority = 7\n") == 3
        assert qmgr(c, "list hook @default order").count("    order = 9\n") == 3
        assert qmgr(c, "list resource @active type").count("    type = long\n") == 2
        qmgr(c, "delete resource @default; delete queue q1,q2")
        assert qmgr(c, "list resource").count("Resource ") == 0
        out, err, rc = told(c, ["-c", "create queue @default"])
        assert (out, err, rc) == ("", SYNTAX % ("create queue @default", " " * 13), 3)


def test_options_change_what_is_told_and_done(site):
    bad = "set server nosuchattr=1"
    lines = SYNTAX % (bad, " " * 22)
    assert told(site, ["-z", "-c", bad]) == ("", "", 4)
    assert told(site, ["-z", "-c", "set queue nosuch enabled=t"]) == ("", "", 170)
    assert told(site, ["-z", "-c", "set queue enabled=t"]) == ("", "", 0)
    assert told(site, ["-a", "-c", bad]) == ("", lines, 1)
    assert told(site, ["-a", "-c", "set queue nosuch enabled=t; l s"]) == (
        "", refused("Unknown queue", 15018, "nosuch"), 2)
    assert told(site, ["-e", "-n", "-c", bad]) == (bad + "\n", lines, 4)
    assert told(site, ["-n", "-c", "delete queue workq"]) == ("", "", 0)
    assert told(site, ["-n", "-c", "l s @nosuch.invalid"]) == ("", "", 0)
    out, err, rc = told(site, ["-x"])
    assert rc == 1 and "qmgr: invalid option -- 'x'\nUsage: qmgr " in err
    out, err, rc = told(site, ["-F", "dsv", "-c", "l s"])
    assert rc == 1 and err.startswith("qmgr: -F takes json, not dsv\nUsage: qmgr ")
    assert told(site, ["-F", "JSON", "-c", "l s scheduling"])[0].startswith("{")
    assert told(site, ["host.invalid", "-c", "l s"]) == (
        "", "Unknown Host.\nqmgr: cannot connect to server host.invalid\n", 3)
    out, err, rc = told(site, ["--version"])
    assert (out.splitlines()[0], rc) == ("pbs_version = 23.06.06", 0)


def test_several_commands_run_in_their_order(site):
    one, two = ("Server %s\n    %s = %s\n\n" % (site.host, a, v)
                for a, v in (("scheduling", "True"), ("default_queue", "workq")))
    assert told(site, ["-c", "l s scheduling", "-c", "l s default_queue"]) == (one + two, "", 0)
    assert told(site, ["-c", "set server", "-c", "l s default_queue"]) == (
        two, SYNTAX % ("set server", " " * 10), 0)
    assert told(site, ["-a", "-c", "set server", "-c", "l s default_queue"]) == (
        "", SYNTAX % ("set server", " " * 10), 1)
    assert told(site, ["-c", "quit", "-c", "l s default_queue"]) == ("", "", 0)
    lines = "\n# a comment \\\nl s scheduling\n  l s \\\ndefault_queue\n\n"
    assert told(site, ["-c", lines]) == (one + two, "", 0)
    assert told(site, ["-c", "# nothing", "-c", "\n"]) == ("", "", 255)
    assert told(site, ["-c", "l s scheduling", "-c", ""]) == (one, "", 0)
    # A line end within quotes belongs to the value (cli.md 8.1).
    two_lines = "s s comment=\"line1\nit's \\\nline2\"; l s scheduling # it's\nl s default_queue"
    assert told(site, ["-c", two_lines]) == (one + two, "", 0)
    assert qmgr(site, "l s comment") == (
        "Server %s\n    comment = line1\nit's  line2\n\n" % site.host)
    qmgr(site, "unset server comment")
    # What no quote closes is one command up to the end, so nothing behind it is carried out.
    never = "s s comment='open\ns s scheduling=f"
    assert told(site, ["-c", never]) == ("", SYNTAX % (never, " " * 12), 4)
    assert qmgr(site, "l s scheduling") == one
    many = [w for _ in range(65) for w in ("-c", "quit")]
    assert told(site, many)[1].startswith("qmgr: more than 64 commands")


def test_lines_are_read_as_a_script(site):
    script = ("active queue workq,expressq\nactive queue\nlist queue queue_type\n# comment\n\n"
              "   # another \\\nset queue expressq Priority=\\\n  150; p q expressq Priority "
              "# tail\n?  nosuch\n")
    out, err, rc = told(site, ["-e"], input=script)
    assert (err, rc) == ("", 255)
    assert out == (
        "Max open servers: 49\nactive queue workq,expressq\nactive queue\nActive queues:\n"
        "workq@active\nexpressq@active\nlist queue queue_type\nQueue workq\n"
        "    queue_type = Execution\n\nQueue expressq\n    queue_type = Execution\n\n"
        "set queue expressq Priority=   150\np q expressq Priority \n"
        "#\n# Create queues and set their attributes.\n#\n"
        "#\n# Create and define queue expressq\n#\ncreate queue expressq\n"
        "set queue expressq Priority = 150\n?  nosuch\nNo help available on: nosuch\n"
        "Check the PBS Reference Guide for more help.\n\n")


@pytest.mark.parametrize("script,rc", [
    ("", 0), ("set server\n", 4), ("set server\nl s scheduling\n", 0),
    ("l s scheduling\nfrob\n", 1), ("help\n", 255), ("set server\nquit\nfrob\n", 0),
    ("set server\n\n# end\n", 4), ("set queue nosuch enabled=t\n", 170),
    ("l s scheduling", 0), ("set server \\", 4), ("l s scheduling\r\nexit\r\n", 0),
    ("set server scheduling = \\\r\n  true\r\n", 0)])
def test_the_last_command_decides_the_exit_code(site, script, rc):
    assert told(site, [], input=script)[2] == rc


def test_with_a_a_script_ends_at_its_first_error(site):
    out, err, rc = told(site, ["-a"], input="l s scheduling\nset server\nl s default_queue\n")
    assert rc == 1 and "default_queue" not in out
    assert err == SYNTAX % ("set server", " " * 10) + "qmgr: stopped at line 2\n"
    out, err, rc = told(site, ["-a"], input="delete queue nosuch\nl s default_queue\n")
    assert rc == 2 and "default_queue" not in out and err.endswith("stopped at line 1\n")


# --- dumps

# What a string can hold that the language gives a meaning to.
AWKWARD = ["plain", "two words", "a,b,c", 'hello, it is "me"', "it's", "it's \"both\"",
           "ends with \\", "back\\slash", "# no comment", "a #b; c", "x;y", "two\nlines",
           "tab\there", "a & b", "\u00fcml\u00e4ut \u2603", "=5", "$'x'", "$HOME `ls` %s", "-",
           "a, b,, c,", "\x01control"]


def quoted(value):
    """As $'...': every byte that could mean something is written in hexadecimal."""
    return "$'%s'" % "".join(chr(b) if b < 128 and chr(b).isalnum() else "\\x%02x" % b
                             for b in value.encode())


def dump(c):
    return qmgr(c, "print server")


@pytest.mark.parametrize("value", AWKWARD, ids=lambda v: repr(v)[1:-1])
def test_any_comment_is_printed_so_that_it_is_read_again(site, value):
    qmgr(site, "set server comment = " + quoted(value))
    try:
        first = qmgr(site, "print server comment")
        assert len(first.splitlines()) == 4
        qmgr(site, "unset server comment")
        out, err, rc = told(site, ["-a"], input=first)
        assert (err, rc) == ("", 0)
        assert qmgr(site, "print server comment") == first
        shown = json.loads(qmgr(site, "list server comment", "-F", "json"))
        assert shown == {"Server": {site.host: {"comment": value}}}
    finally:
        qmgr(site, "unset server comment")


def furnish(c):
    """A server with something of everything."""
    script = """
create resource lic type=long, flag=q
create resource colour type=string
create resource tags type=string_array, flag=h
create resource scratch type=size, flag=nh
create queue express queue_type=e, Priority=150, resources_max.walltime=1:00:00
set queue express resources_available.colour = "red, blue"
set queue express resources_available.tags = 'a,b,c'
set queue express acl_users = "+ann@*,-bob@bad.org,carl", acl_user_enable=t
set queue express max_run = "[u:PBS_GENERIC=5],[u:ann=7],[g:\\"The Group\\"=9]"
set queue express max_run_res.mem = '[u:PBS_GENERIC=5gb],[u:ann=9gb]'
set queue express max_run_res.ncpus = [o:PBS_ALL=64]
set queue express enabled=t, started=t
create queue rq queue_type=r
set queue rq route_destinations="workq,express", enabled=t
set server managers = "ann@*,bob@*.example.org"
set server managers += carl@*
set server operators = oscar@*
set server max_queued = "[o:PBS_ALL=1000],[p:proj=10],[u:PBS_GENERIC=100]"
set server resources_available.lic = 40, resources_available.colour = "a,b c"
set server job_sort_formula = 'ncpus * 2 + lic'
set server node_group_key = "tags,colour", node_group_enable = t
set server default_qsub_arguments = "-m n -r n"
set server acl_hosts = "*.example.org,10.0.0.0/8"
"""
    script = script.replace('\\\\"', '"')
    script = script.replace('max_run = "[u:PBS_GENERIC=5],[u:ann=7],[g:\\"The Group\\"=9]"',
                            "max_run = '[u:PBS_GENERIC=5],[u:ann=7],[g:\"The Group\"=9]'")
    script += "set server comment = %s\n" % quoted("it's\n\"awkward\", # and; long \\")
    script += "set server mail_from = %s\n" % quoted("ops & co")
    out, err, rc = told(c, ["-a"], input=script)
    assert (err, rc) == ("", 0), (out, err)


def test_a_fresh_server_makes_the_same_of_a_dump():
    with server_alone() as one, server_alone() as other:
        furnish(one)
        first = dump(one)
        assert 'set queue express max_run += [u:ann=7]\n' in first
        assert "set queue express max_run = '[g:\"The Group\"=9]'\n" in first
        assert 'set server resources_available.colour = "a,b c"\n' in first
        assert "set queue express resources_available.tags += b\n" in first
        out, err, rc = told(other, [], input=first)
        assert err == refused("Queue already exists", 15025, "workq"), err
        assert rc == 0
        assert dump(other) == first
        # And once more over what is there: nothing is doubled.
        told(other, [], input=first)
        assert dump(other) == first


# As an OpenPBS server prints it (operations.md 23), with what fresh ones leave out.
FOREIGN = """\
#
# Create resources and set their properties.
#
#
# Create and define resource sz
#
create resource sz
set resource sz type = size
set resource sz flag = hn
#
# Create queues and set their attributes.
#
#
# Create and define queue workq
#
create queue workq
set queue workq queue_type = Execution
set queue workq Priority = 1
set queue workq enabled = True
set queue workq started = True
#
# Create and define queue rq
#
create queue rq
set queue rq queue_type = Route
set queue rq route_destinations = workq
set queue rq enabled = True
set queue rq started = True
#
# Set server attributes.
#
set server scheduling = True
set server default_queue = workq
set server log_events = 511
set server mailer = /usr/sbin/sendmail
set server mail_from = adm
set server query_other_jobs = True
set server resources_default.ncpus = 1
set server default_chunk.ncpus = 1
set server scheduler_iteration = 600
set server resv_enable = True
set server node_fail_requeue = 310
set server max_array_size = 10000
set server resend_term_delay = 5
set server pbs_license_min = 0
set server pbs_license_max = 2147483647
set server pbs_license_linger_time = 31536000
set server eligible_time_enable = True
set server job_history_enable = True
set server max_concurrent_provision = 5
set server clear_topjob_estimates_enable = False
set server show_hidden_attribs = False
set server max_job_sequence_id = 9999999
"""
FOREIGN_SCHED = """\
#
# Create and define scheduler default
#
create sched default
set sched sched_host = localhost
set sched sched_cycle_length = 00:10:00
set sched throughput_mode = True
set sched job_run_wait = runjob_hook
set sched partition = pbs-default
set sched sched_priv = /var/spool/pbs/sched_priv
set sched sched_log = /var/spool/pbs/sched_logs
set sched scheduling = True
set sched scheduler_iteration = 600
set sched state = idle
set sched preempt_queue_prio = 140
set sched preempt_prio = "express_queue, normal_jobs"
set sched preempt_order = SCR
set sched preempt_sort = min_time_since_start
set sched log_events = 767
set sched server_dyn_res_alarm = 30
"""


def test_the_dump_of_another_make_is_taken():
    with server_alone() as c:
        out, err, rc = told(c, [], input=FOREIGN)
        assert err == refused("Queue already exists", 15025, "workq") and rc == 0
        assert dump(c) == FOREIGN
        out, err, rc = told(c, [], input=FOREIGN_SCHED)
        assert (err, rc) == ("", 0)
        shown = qmgr(c, "list sched")
        assert "sched_cycle_length = 00:10:00\n" in shown
        assert "preempt_queue_prio = 140\n" in shown
        # Only what is replayed is passed over.
        assert "15211" in told(c, ["-c", "create sched default"])[1]
        assert "15223" in told(c, ["-c", "set sched partition=p"])[1]


def test_nodes_are_printed_so_that_they_are_made_again(cluster):
    qmgr(cluster, "create resource tags type=string_array,flag=h; "
                  "create resource colour type=string,flag=h; "
                  "set node vn[0] comment='a, b', resources_available.tags='x,y', "
                  "resources_available.colour='a,b c'; set node vn[1] state=offline")
    first = qmgr(cluster, "print node vn[0],vn[1]")
    assert first.count("# Create nodes and set their properties.\n") == 2
    assert "create node vn[0] Mom=%s,Port=%d\n" % (cluster.host, cluster.ports["mom"]) in first
    assert 'set node vn[0] resources_available.colour = "a,b c"\n' in first
    assert "set node vn[0] resources_available.tags = x\n" \
           "set node vn[0] resources_available.tags += y\n" in first
    assert 'set node vn[0] comment = "a, b"\n' in first
    assert "set node vn[1] state = offline\n" in first
    assert "create node vn[0]\n" in qmgr(cluster, "print node vn[0] comment")
    assert "ntype" not in first and "license" not in first and "jobs" not in first
    everything = qmgr(cluster, "print node @default")
    assert everything.count("# Create nodes and set their properties.\n") == 1
    qmgr(cluster, "unset node vn[0] comment,resources_available.tags; set node vn[1] state=free")
    told(cluster, [], input=first)
    assert qmgr(cluster, "print node vn[0],vn[1]") == first


def test_a_node_stays_offline_whatever_the_dump_found_it_in(cluster):
    """Busy with a job, or down on the server that is made anew: offline is what lasts."""
    job = cluster.server.submit(Job(USER1, attrs={"Resource_List.select": "1:ncpus=2"}))
    cluster.server.expect(JOB, {"job_state": "R"}, id=job)
    vnode = re.search(r"exec_vnode = \((.*?):", cluster.run(["qstat", "-f", job]).stdout)[1]
    busy = qmgr(cluster, "print node @default")
    assert "set node %s state = job-busy\n" % vnode in busy
    again = told(cluster, [], input=busy)[1]
    assert again.count("15066") == 6 and "15067" not in again  # they are there; no news
    only = "set node %s state = job-busy\nset node %s jobs = x\n" % (vnode, vnode)
    assert told(cluster, ["-a"], input=only)[1:] == ("", 0)
    assert told(cluster, [], input="set node %s state = bogus\n" % vnode)[2] == 219
    qmgr(cluster, "set node %s state = offline" % vnode)
    line = "set node %s state = offline\n" % vnode
    shown = qmgr(cluster, "list node %s state" % vnode)
    assert "    state = offline,job-busy\n" in shown
    first = qmgr(cluster, "print node @default")
    assert line in first
    with server_alone() as fresh:
        assert told(fresh, [], input=first)[1:] == ("", 0)
        assert re.search(r" state = state-unknown,.*offline\n", qmgr(fresh, "list node " + vnode))
        again = qmgr(fresh, "print node @default")
        assert line in again and again.count("state =") == 1


# --- other servers

def test_commands_go_to_the_servers_they_name(site):
    if ROOTLESS:
        pytest.skip("needs root: reserved ports")
    env = {"PBS_AUTH_METHOD": "resvport"}
    with server_alone(TcpCluster) as other:
        there = "%s:%d" % (other.host, other.ports["server"])
        qmgr(other, "create queue there")
        site.write_conf(PBS_IFF_SERVERS=there)  # pbs_iff vouches to no others
        out, err, rc = told(site, ["-c", "l q there@%s total_jobs" % there], env=env)
        assert (out, err, rc) == ("Queue there\n    total_jobs = 0\n\n", "", 0)
        out, err, rc = told(site, ["-c", "l q @%s total_jobs" % there], env=env)
        assert out.count("Queue ") == 2
        out, err, rc = told(site, ["-c", "delete queue nosuch@%s" % there], env=env)
        assert err.startswith("qmgr obj=nosuch svr=%s: Unknown queue\n" % there) and rc == 170
        both = [site.host, there, "-c", "l q expressq,there total_jobs"]
        out, err, rc = told(site, both, env=env)
        assert out.count("Queue expressq\n") == 1 and out.count("Queue there\n") == 1
        assert "obj=expressq svr=%s: Unknown queue" % there in err
        script = "active server %s\nl q there total_jobs\nactive server\nl q workq@default " \
                 "enabled\n" % there
        out, err, rc = told(site, [], input=script, env=env)
        assert (err, rc) == ("", 0)
        assert "Queue there\n" in out and "Active servers:\n%s\n" % there in out
        assert "Queue workq\n    enabled = True\n" in out


# --- hooks

SCRIPT = "import pbs\n\npbs.event().accept()\n" + "# %s\n" % ("x" * 70) * 20


def test_more_servers_than_there_is_room_for_are_told(site):
    many = ["127.0.0.%d" % n for n in range(1, 66)]
    assert told(site, ["-c", "l s scheduling"] + many[:2])[2] == 0
    assert told(site, ["-c", "l s scheduling"] + many) == (
        "", "Too many open connections.\nqmgr: cannot connect to server 127.0.0.65\n", 3)


def test_hooks_are_imported_exported_and_printed():
    with server_alone() as c:
        path = c.write("h 1.py", SCRIPT)
        conf = c.write("h1.json", '{"a": 1}\n')
        work = os.path.join(c.home, "server_priv/hooks/tmp")
        qmgr(c, "create hook h1 event='queuejob,modifyjob',order=7")
        assert told(c, ["-c", "import hook h1 application/x-python default '%s'" % path]) == (
            "", "", 0)
        again = "import hook h1 application/x-python default '%s'" % path
        assert told(c, ["-c", again]) == ("", "hook 'h1' contents overwritten\n", 0)
        qmgr(c, "import hook h1 application/x-config default " + conf)
        assert qmgr(c, "export hook h1 application/x-python default") == SCRIPT
        out = os.path.join(c.root, "out.py")
        assert qmgr(c, "export hook h1 application/x-python default " + out) == ""
        assert c.read("out.py") == SCRIPT
        encoded = qmgr(c, "export hook h1 application/x-python base64")
        assert [len(l) for l in encoded.splitlines()[:-1]] == [684] * (len(SCRIPT) // 512)
        first = qmgr(c, "print hook h1")
        assert first.endswith("import hook h1 application/x-python base64 -\n" + encoded + "\n"
                              "import hook h1 application/x-config base64 -\neyJhIjogMX0K\n\n")
        qmgr(c, "create hook h2")
        bare = qmgr(c, "print hook h2")
        assert "set hook h2 event = '\"\"'\n" in bare
        assert bare.endswith("import hook h2 application/x-config base64 -\n\n")
        qmgr(c, "delete hook h1,h2")
        assert told(c, [], input=first + bare) == ("Max open servers: 49\n", "", 0)
        assert qmgr(c, "print hook h1,h2") == first + bare
        assert qmgr(c, "export hook h1 application/x-python default") == SCRIPT
        assert told(c, ["-c", "import hook h2 application/x-python default -"],
                    input=SCRIPT)[1:] == ("", 0)
        assert qmgr(c, "export hook h2 application/x-python default") == SCRIPT
        # Every byte of it arrives, whatever lines it has.
        odd = "x = '%s'\r\n# no line end" % ("y" * (1 << 20))
        assert told(c, ["-c", "import hook h2 application/x-python default -"],
                    input=odd)[2] == 0
        done = subprocess.run([c.exec_dir + "/bin/qmgr", "-c",
                               "export hook h2 application/x-python default"],
                              capture_output=True, env=c.env())
        assert done.stdout == odd.encode()
        # A line of encoded text that is cut would be another script.
        assert told(c, ["-c", "import hook h2 application/x-python base64 -"],
                    input="QQ" * (1 << 20) + "\n\n") == (
            "", "qmgr: line 1 is longer than a megabyte\n", 1)
        qmgr(c, "import hook h2 application/x-python default '%s'" % path)
        # "Nothing" in a dump takes nothing away.
        assert told(c, [], input="import hook h1 application/x-config base64 -\n\n")[2] == 0
        assert qmgr(c, "export hook h1 application/x-config default") == '{"a": 1}\n'
        assert os.listdir(work) == []


def test_what_is_wrong_with_a_hooks_file_is_told(site):
    hooks = "\nqmgr: hook error returned from server\n"
    cases = [
        ("import hook h1 application/x-python default /nosuch",
         "/nosuch - No such file or directory\n", 1),
        ("import hook h1 application/x-python default /", "/ - Is a directory\n", 1),
        ("import hook nosuch application/x-python default /dev/null",
         "qmgr obj=nosuch svr=default: nosuch does not exist!" + hooks, 32),
        ("import hook h1 text/plain default /dev/null",
         "qmgr obj=h1 svr=default: <content-type> must be application/x-python or "
         "application/x-config" + hooks, 32),
        ("export hook h1 application/x-python default /nosuch/file",
         "/nosuch/file - No such file or directory\n", 1),
        ("import hook h1", SYNTAX % ("import hook h1", " " * 15), 4),
    ]
    qmgr(site, "create hook h1")
    try:
        for line, err, rc in cases:
            assert told(site, ["-c", line]) == ("", err, rc), line
        # What Python does not take leaves the old script, and the log says why.
        good, bad = site.write("good.py", SCRIPT), site.write("bad.py", "import pbs\nif x\n")
        qmgr(site, "import hook h1 application/x-python default " + good)
        for way in ("default " + bad, "base64 -"):
            assert told(site, ["-c", "import hook h1 application/x-python " + way],
                        input="aWYgeAo=\n\n") == (
                "", "qmgr obj=h1 svr=default: Failed to compile script, hook 'h1' contents not "
                "overwritten" + hooks, 32)
        assert qmgr(site, "export hook h1 application/x-python default") == SCRIPT
        site.server.log_match("Hook;h1;line 2: ")
        # A configuration is what the suffix of its file says, and anything without one.
        for suffix, text, words in ((".json", "{'a': 1}", "no json, not overwritten: JSONDecodeError"),
                                    (".ini", "a = 1", "no ini, not overwritten: Missing"),
                                    (".xml", "<a>", "no xml, not overwritten: ParseError"),
                                    (".py", "if x", "no py, not overwritten: line 1: ")):
            path = site.write("conf" + suffix, text)
            out, err, rc = told(site, ["-c", "import hook h1 application/x-config default " + path])
            assert rc == 32 and err.startswith(
                "qmgr obj=h1 svr=default: configuration of hook 'h1' is " + words), err
            path = site.write("conf", text)
        assert qmgr(site, "export hook h1 application/x-config default") == ""
        qmgr(site, "import hook h1 application/x-config default " + path)
        warning = "WARNING: Disabling a PBS hook results in an unsupported configuration!\n"
        assert told(site, ["-c", "set pbshook PBS_power enabled=False"])[1:] == (warning, 0)
        # What is printed of it is what may be set.
        qmgr(site, "set pbshook PBS_power alarm=181")
        first = qmgr(site, "print pbshook PBS_power")
        assert "set pbshook PBS_power alarm = 181\n" in first and "event" not in first
        qmgr(site, "set pbshook PBS_power alarm=180")
        assert told(site, [], input=first)[1:] == (warning, 0)
        assert qmgr(site, "print pbshook PBS_power") == first
        assert told(site, ["-c", "delete pbshook PBS_power"])[1:] == (
            refused("Invalid request", 15004, "PBS_power"), 156)
    finally:
        qmgr(site, "delete hook h1")


def test_hooks_are_no_business_of_ordinary_users(site):
    if ROOTLESS:
        pytest.skip("needs a second account")
    for line in ("print hook", "list hook",
                 "import hook h1 application/x-python default /dev/null"):
        out, err, rc = told(site, ["-c", line], user=USER1)
        assert out == "" and rc in (1, 32), line
        assert re.search(r"%s@\S+ is unauthorized to access hooks data from server \S+\n"
                         r"qmgr: hook error returned from server\n" % USER1, err), err


# --- a terminal

def qmgr_terminal(c, home, *argv):
    # libedit keeps the name of a function of ours: no leak of qmgr's.
    return Terminal(c, ["qmgr", *argv], HOME=home, LSAN_OPTIONS="detect_leaks=0")


def quit(t):
    t.type("quit\n")
    return t.end()[0]


def test_a_terminal_has_prompts_history_completion_and_advice(site, tmp_path):
    t = qmgr_terminal(site, str(tmp_path))
    t.until("Qmgr: ")
    t.type("list server \\\n")
    t.until("Qmgr< ")
    t.type("scheduling\n")
    t.until("    scheduling = True")
    t.until("Qmgr: ")
    t.type("set server nosuch=1\n")
    assert "a server has no attribute 'nosuch'" in t.until("Qmgr: ")
    t.type("pri\tser\tdefault_queu\t\n")
    t.until("set server default_queue = workq")
    t.until("Qmgr: ")
    t.type("history\n")
    t.until("set server nosuch=1")
    t.until("Qmgr: ")
    t.type("!1\n")
    t.until("    scheduling = True")
    t.until("Qmgr: ")
    t.type("!77\n")
    t.until("No item 77 in history")
    t.until("Qmgr: ")
    assert quit(t) == 0
    kept = tmp_path / ".pbs_qmgr_history"
    assert "set server nosuch=1\n" in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600
    t = qmgr_terminal(site, str(tmp_path))
    t.until("Qmgr: ")
    t.type("\x10\x10\n")  # the line before "quit"
    t.until("    scheduling = True")
    t.until("Qmgr: ")
    assert quit(t) == 0


def test_an_interrupt_takes_back_what_is_being_typed_and_no_more(site, tmp_path):
    t = qmgr_terminal(site, str(tmp_path))
    t.until("Qmgr: ")
    t.type("active queue workq\n")
    t.until("Qmgr: ")
    t.type("delete queue expr\x03")
    t.until("Qmgr: ")
    t.type("set server comment = gone \\\n")
    t.until("Qmgr< ")
    t.type("\x03")
    t.until("Qmgr: ")
    t.type("list queue queue_type\n")
    t.until("    queue_type = Execution")
    t.until("Qmgr: ")
    assert quit(t) == 0
    assert "comment" not in qmgr(site, "list server")
    assert (tmp_path / ".pbs_qmgr_history").read_text().splitlines() == [
        "active queue workq", "list queue queue_type", "quit"]
    # Half a hook is no hook: there it ends qmgr.
    qmgr(site, "create hook h1")
    try:
        t = qmgr_terminal(site, str(tmp_path))
        t.until("Qmgr: ")
        t.type("import hook h1 application/x-python default %s\n" % site.write("no.py", "if x\n"))
        t.until("the server's log says in which line")
        t.until("Qmgr: ")
        t.type("import hook h1 application/x-python base64 -\n")
        t.until("base64 -")
        typing = site.home + "/server_priv/hooks/tmp"
        wait_for("a hook being typed", lambda: os.listdir(typing))  # and no command any more
        t.type("aW1wb3J0IHBicwo=\n\x03")
        status = os.waitpid(t.pid, 0)[1]
        os.close(t.fd)
        assert os.WTERMSIG(status) == signal.SIGINT
        assert qmgr(site, "export hook h1 application/x-python default") == ""
    finally:
        qmgr(site, "delete hook h1")


# --- bad input

def test_lines_that_no_command_can_be_are_refused_and_the_next_is_read(site):
    raw = b"list server\0 x\nl s scheduling\n"
    done = subprocess.run([site.exec_dir + "/bin/qmgr"], input=raw, capture_output=True,
                          env=site.env())
    assert b"scheduling = True" in done.stdout and done.returncode == 0
    assert done.stderr == b"qmgr: line 1 contains a NUL byte\n"
    # What continues such a line is no command of its own.
    for bad in (b"list server\0 \\\n", b"list server " + b"x" * (1 << 20) + b" \\\n"):
        raw = b"\n" + bad + b"l s \\\r\nscheduling\nl s default_queue\n"
        done = subprocess.run([site.exec_dir + "/bin/qmgr"], input=raw, capture_output=True,
                              env=site.env())
        assert b"scheduling" not in done.stdout and b"default_queue = " in done.stdout
        assert done.stderr.startswith(b"qmgr: line 2 ") and done.stderr.count(b"\n") == 1
    long = "set server comment = '" + "x" * (1 << 20) + "'\nl s scheduling\n"
    out, err, rc = told(site, [], input=long)
    assert err == "qmgr: line 1 is longer than a megabyte\n" and "scheduling = True" in out
    out, err, rc = told(site, [], input="x\\\n" * 600000 + "\nl s scheduling")
    assert "is longer than a megabyte with what continues it" in err or rc
    bad = "qmgr: line 2 contains a NUL byte\n"
    assert told(site, ["-a"], input="\nlist server\0\nl s scheduling") == (
        "Max open servers: 49\n", bad + "qmgr: stopped at line 2\n", 1)
    assert told(site, ["-z"], input="\nlist server\0") == ("Max open servers: 49\n", "", 4)
    out, err, rc = told(site, [], input="set server comment = 'open\nl s scheduling\n")
    assert err == SYNTAX % ("set server comment = 'open", " " * 21)
    assert "scheduling = True" in out and rc == 0


def test_bytes_of_any_kind_end_nothing(site):
    junk = bytes((i * 7919 + i // 251) % 256 for i in range(200000))
    done = subprocess.run([site.exec_dir + "/bin/qmgr", "-n"], input=junk + b"\nset server",
                          capture_output=True, env=site.env(), timeout=60)
    assert done.returncode == 4


def test_closed_and_full_files_are_told(site):
    path = site.exec_dir + "/bin/qmgr"
    sh = lambda text: subprocess.run(["sh", "-c", text], env=site.env(), capture_output=True,
                                     text=True, timeout=60)
    done = sh(path + " <&-")
    assert (done.stdout, done.stderr, done.returncode) == ("Max open servers: 49\n", "", 0)
    done = sh(path + " -c 'print server' > /dev/full")
    assert (done.stderr, done.returncode) == (
        "qmgr: the output cannot be written: No space left on device\n", 1)
    for words in ("-c 'print server'", "-c 'list server'", "--help", "--version"):
        done = sh(path + " %s >&-" % words)
        assert done.stderr.startswith("qmgr: the output cannot be written: "), words
        assert done.returncode == 1, words
        assert sh(path + " %s >/dev/full" % words).returncode == 1, words
    assert sh(path + " -c 'set server' 2>&- >&-").returncode == 4


def test_a_server_that_goes_away_ends_a_script():
    with server_alone() as c:
        path = c.exec_dir + "/bin/qmgr"
        p = subprocess.Popen([path], env=c.env(), stdin=subprocess.PIPE, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        p.stdin.write("l s scheduling\n")
        p.stdin.flush()
        while "scheduling" not in p.stdout.readline():
            pass
        c.server.kill()
        out, err = p.communicate("l s default_queue\ncreate queue q\n", timeout=60)
        assert err == "qmgr: Protocol error, server disconnected\n"
        assert p.returncode == 1 and "default_queue" not in out
        out, err, rc = told(c, ["-c", "l s"])
        assert rc == 3 and err.endswith("qmgr: cannot connect to server \n")


# --- json

def test_a_list_as_json_has_types(site):
    qmgr(site, "set queue expressq resources_max.ncpus=4, acl_users='a@*,b@*'")
    shown = json.loads(qmgr(site, "list queue expressq", "-F", "json"))["Queue"]["expressq"]
    assert shown["Priority"] == 150 and shown["resources_max"] == {"ncpus": 4}
    assert shown["max_run"] == ["[u:pbsuser=3]"] and shown["acl_users"] == ["a@*", "b@*"]
    assert list(shown)[0] == "queue_type"
    shown = json.loads(qmgr(site, "list resource foo", "-F", "json"))
    assert shown == {"Resource": {"foo": {"type": "long", "flag": "hn"}}}
    assert json.loads(qmgr(site, "list sched nosuch", "-F", "json")) == {"Sched": {}}
