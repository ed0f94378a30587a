# SPDX-License-Identifier: Apache-2.0
"""What an administrator sees of a new cluster, and what qmgr changes (story, step 1)."""
import json
import os
import subprocess

import pytest

from holdfast import *


def test_a_new_cluster_shows_its_server_and_free_vnodes(cluster):
    server = cluster.server
    svr = server.expect(SERVER, {"server_state": "Active"})
    assert svr["scheduling"] == "True"
    assert svr["total_jobs"] == "0"
    assert svr["pbs_version"] == "23.06.06"
    out = cluster.run(["qstat", "-B"]).stdout.splitlines()
    assert out[0].split() == "Server Max Tot Que Run Hld Wat Trn Ext Status".split()
    assert out[2].split()[0] == cluster.host and out[2].split()[-1] in ("Active", "Scheduling")
    for name in cluster.vnode_names():
        node = server.status(VNODE, name)[0]
        assert node["state"] == "free"
        assert node["resources_available.ncpus"] == str(cluster.ncpus)
        assert node["resources_assigned.ncpus"] == "0"


def test_reserve_retry_time_is_set_shown_and_checked(cluster):
    server = cluster.server
    server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_time": 7})
    assert server.status(SERVER)[0]["reserve_retry_time"] == "7"
    for bad in (0, -5):
        with pytest.raises(PbsError) as e:
            server.manager(MGR_CMD_SET, SERVER, {"reserve_retry_time": bad})
        assert "Illegal attribute or resource value" in e.value.err
        assert "Error (15014) returned from server" in e.value.err
    server.manager(MGR_CMD_UNSET, SERVER, {"reserve_retry_time": None})
    assert server.status(SERVER)[0].get("reserve_retry_time") in (None, "600")


def test_queues_are_made_changed_listed_printed_and_deleted(cluster):
    server = cluster.server
    server.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "e", "enabled": "t", "started": "t"},
                   id="expressq")
    server.manager(MGR_CMD_SET, QUEUE, {"Priority": 50, "resources_max.ncpus": 4}, id="expressq")
    queue = server.status(QUEUE, "expressq")[0]
    assert queue["queue_type"] == "Execution"
    assert queue["Priority"] == "50" and queue["resources_max.ncpus"] == "4"
    printed = cluster.run(["qmgr", "-c", "print queue expressq"]).stdout
    assert "create queue expressq\nset queue expressq queue_type = Execution\n" in printed
    server.manager(MGR_CMD_DELETE, QUEUE, id="expressq")
    cluster.run(["qmgr"], input=printed)
    again = server.status(QUEUE, "expressq")[0]
    assert {k: again[k] for k in queue if k not in ("ctime", "mtime")} == \
        {k: queue[k] for k in queue if k not in ("ctime", "mtime")}


@pytest.mark.parametrize("line,code,rc", [
    ("set queue nosuch enabled=true", 15018, 170),
    ("create queue workq2,averyveryverylongname", 15028, 180),
    ("set server nosuch=1", None, 4),
    ("delete node nosuch", 15062, 214),
    ("set server scheduling=maybe", 15014, 166),
])
def test_bad_qmgr_commands_are_refused_with_their_code(cluster, line, code, rc):
    with pytest.raises(PbsError) as e:
        cluster.run(["qmgr", "-c", line])
    assert e.value.rc == rc, e.value
    if code:
        assert "qmgr: Error (%d) returned from server" % code in e.value.err


def test_ordinary_users_may_look_but_not_change(cluster):
    if ROOTLESS:
        pytest.skip("needs a second account")
    assert cluster.host in cluster.run(["qstat", "-B"], user=USER1).stdout
    with pytest.raises(PbsError) as e:
        cluster.run(["qmgr", "-c", "set server scheduling=false"], user=USER1)
    assert "qmgr obj= svr=default: Unauthorized Request " in e.value.err
    assert "qmgr: Error (15007) returned from server" in e.value.err
    assert cluster.server.status(SERVER)[0]["scheduling"] == "True"


def test_json_forms_are_json(cluster):
    doc = json.loads(cluster.run(["qstat", "-Bf", "-F", "json"]).stdout)
    assert doc["Server"][cluster.host]["server_state"] in ("Active", "Scheduling")
    doc = json.loads(cluster.run(["pbsnodes", "-av", "-F", "json"]).stdout)
    assert set(cluster.vnode_names()) <= set(doc["nodes"])


def test_unknown_things_have_the_exact_texts_and_codes(cluster):
    for argv, rc, text in (
            (["qstat", "999"], 153, "qstat: Unknown Job Id 999.%s" % cluster.host),
            (["qstat", "-Q", "nosuch"], 170, "qstat: Unknown queue nosuch"),
            (["qdel", "999"], 153, "qdel: Unknown Job Id 999.%s" % cluster.host),
            (["pbs_rdel", "R999"], 236,
             "pbs_rdel: Unknown Reservation Id R999.%s" % cluster.host),
            (["pbs_rstat", "R999"], 0, "pbs_rstat: Unknown Reservation Id"),
            (["pbs_rstat", "xyz"], 1, "pbs_rstat: illegally formed reservation identifier: xyz"),
            (["pbsnodes", "-v", "nosuch"], 1, "Node: nosuch,  Error: Unknown node "),
            (["pbsnodes", "vn[1]"], 1, "Node: vn[1],  Error: Unknown node "),
    ):
        done = cluster.run(argv, check=False)
        assert (done.returncode, done.stderr.splitlines()[0].rstrip()) == (rc, text.rstrip()), argv


def test_values_are_judged_before_they_travel(cluster):
    for argv, letter in ((["pbs_rsub", "-m", "z"], "m"), (["pbs_rsub", "-N", "9*"], "N"),
                         (["qsub", "-p", "1025", "--", "true"], "p"),
                         (["qsub", "-N", "a@b", "--", "true"], "N"),
                         (["qsub", "-S", "sh", "--", "true"], "S"),
                         (["qsub", "-u", "a@b,c@b", "--", "true"], "u"),
                         (["qsub", "-W", "umask=abc", "--", "true"], "W")):
        done = cluster.run(argv, check=False)
        assert done.returncode == 2, argv
        first, *rest = done.stderr.splitlines()
        assert first == "%s: illegal -%s value" % (argv[0], letter), argv
        assert any(line.startswith("usage: ") for line in rest), argv


def test_a_script_and_a_command_together_are_refused(cluster):
    done = cluster.run(["qsub", "script", "--", "true"], check=False)
    assert (done.returncode, done.stderr[:12]) == (2, "usage: qsub ")


def test_hosts_show_their_vnodes_as_one(cluster):
    host, = [line for line in cluster.run(["pbsnodes", "-a"]).stdout.splitlines()
             if line and not line.startswith(" ")]
    assert host == cluster.host
    text = cluster.run(["pbsnodes", cluster.host]).stdout
    assert "resources_available.ncpus = %d\n" % (cluster.n_vnodes * cluster.ncpus) in text
    assert "resources_available.vnode = <various>\n" in text


def test_an_obsolete_setting_succeeds_and_says_so(cluster):
    done = cluster.run(["qmgr", "-c", "set server reserve_retry_cutoff = 7200"])
    assert done.stderr.startswith("qmgr: warning: reserve_retry_cutoff has no effect")
    cluster.server.log_match("reserve_retry_cutoff is obsolete and has no effect")
    assert "cutoff" not in cluster.run(["qmgr", "-c", "print server"]).stdout


def test_print_resource_shows_what_was_made_here(cluster):
    cluster.run(["qmgr", "-c", "create resource foo type=long,flag=hn"])
    assert cluster.run(["qmgr", "-c", "print resource"]).stdout.splitlines()[3:] == [
        "#", "# Create and define resource foo", "#", "create resource foo",
        "set resource foo type = long", "set resource foo flag = hn"]
    cluster.run(["qmgr", "-c", "delete resource foo"])


def test_every_command_answers_version_and_help(cluster):
    for cmd in sorted(os.listdir(os.path.join(cluster.exec_dir, "bin"))):
        done = cluster.run([cmd, "--version"])
        assert done.stdout.splitlines()[0] == "pbs_version = 23.06.06"
        done = cluster.run([cmd, "--help"])
        assert cmd in done.stdout


def test_another_host_named_by_the_environment_is_not_the_local_server(cluster):
    done = cluster.run(["qstat", "-B"], env={"PBS_SERVER": "no-such-host.invalid"}, check=False)
    assert done.returncode == 255
    assert done.stderr.splitlines()[0] == "Unknown Host."


def test_another_port_named_by_the_environment_is_not_the_local_server(cluster):
    """Its socket must not be taken for that of a server on another port."""
    other = {"PBS_BATCH_SERVICE_PORT": "1"}
    for argv in (["qterm"], ["qmgr", "-c", "set server comment=x"], ["qstat", "-B"],
                 ["qstop", "workq"]):
        done = cluster.run(argv, env=other, check=False)
        assert done.returncode != 0, argv
        assert done.stderr.splitlines()[0] == "Connection refused", argv
    assert cluster.server.is_up()
    assert "comment" not in cluster.run(["qmgr", "-c", "list server"]).stdout


def test_queues_are_opened_and_closed(cluster):
    svr = cluster.server
    svr.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "e"}, id="q2")
    for cmd, attr, value in (("qenable", "enabled", "True"), ("qstart", "started", "True"),
                             ("qdisable", "enabled", "False"), ("qstop", "started", "False")):
        cluster.run([cmd, "q2"])
        assert svr.status(QUEUE, "q2")[0][attr] == value
        done = cluster.run([cmd, "q2@" + cluster.host, "nosuch", "a@b@c"], check=False)
        assert (done.returncode, done.stderr.splitlines()) == (1, [
            cmd + ": Unknown queue nosuch", cmd + ": illegally formed destination: a@b@c"])
        assert cluster.run([cmd, "nosuch"], check=False).returncode == 2
        assert cluster.run([cmd], check=False).returncode == 1
    if not ROOTLESS:
        done = cluster.run(["qstart", "q2"], user=USER1, check=False)
        assert (done.returncode, done.stderr) == (2, "qstart: Unauthorized Request  q2\n")


def test_output_that_cannot_be_written_is_a_failure(cluster):
    for argv in (["qstat", "-B"], ["qstat", "-Bf", "-F", "json"], ["pbsnodes", "-a"],
                 ["qstat", "--version"], ["pbs_hostn", "localhost"]):
        path = os.path.join(cluster.exec_dir, "bin", argv[0])
        for redirect in (">/dev/full", ">&-"):
            done = subprocess.run(["/bin/sh", "-c", 'exec "$0" "$@" ' + redirect, path]
                                  + argv[1:], env=cluster.env(), capture_output=True, text=True)
            assert done.returncode == 1, (argv, redirect)
            assert "could not write all of the output: " in done.stderr


def test_rstat_takes_a_form_only_where_it_is_one(cluster):
    """-F has no argument in PBS; the word behind it is a form if it is json or dsv."""
    rid = cluster.server.submit(Reservation(start=3600, duration=60, interactive=60))
    full = cluster.run(["pbs_rstat", "-f", rid]).stdout
    for words in (["-F", rid], ["-F"], ["-f", "-F", rid]):
        assert cluster.run(["pbs_rstat"] + words).stdout == full, words
    assert rid in json.loads(cluster.run(["pbs_rstat", "-F", "json", rid]).stdout)["Reservations"]
    assert cluster.run(["pbs_rstat", "-F", "dsv"]).stdout.startswith("Resv ID: %s|" % rid)
