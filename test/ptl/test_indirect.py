# SPDX-License-Identifier: Apache-2.0
"""Resources that vnodes borrow from one another, and those that a MoM brings along."""
import time

from holdfast import *


def qmgr(cluster, line):
    return cluster.run(["qmgr", "-c", line]).stdout


def lend(cluster, amount):
    """vn[0] has the licences; every other vnode borrows them."""
    qmgr(cluster, "create resource lic type=long,flag=nh; "
                  "set node vn[0] resources_available.lic=%d" % amount)
    for vnode in cluster.vnode_names()[1:]:
        qmgr(cluster, "set node %s resources_available.lic=@vn[0]" % vnode)
    cluster.scheduler.add_resource("lic")


def assigned(server, vnode):
    return server.status(VNODE, vnode)[0]["resources_assigned.lic"]


def test_jobs_on_all_vnodes_share_the_licences_of_one(cluster):
    server = cluster.server
    lend(cluster, 3)
    jobs = [server.submit(Job(attrs={"Resource_List.select": "1:ncpus=2:lic=1:vnode=vn[%d]" % i}))
            for i in (1, 2, 3)]
    for jid in jobs:
        server.expect(JOB, {"job_state": "R"}, id=jid)
    assert assigned(server, "vn[0]") == "3"
    assert assigned(server, "vn[1]") == "@vn[0]"
    late = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1:lic=1"}))
    server.expect(JOB, {"comment": "Not Running: Insufficient amount of resource: lic"}, id=late)
    server.restart()
    cluster.wait_nodes()
    assert assigned(server, "vn[0]") == "3"
    server.delete(jobs[0])
    server.expect(JOB, {"job_state": "R"}, id=late)
    assert assigned(server, "vn[0]") == "3"
    for jid in jobs[1:] + [late]:
        server.delete(jid)
    server.expect(VNODE, {"resources_assigned.lic": "0"}, id="vn[0]")
    # What is lent stays, and so does who lends it.
    for line in ("delete node vn[0]", "unset node vn[0] resources_available.lic"):
        assert cluster.run(["qmgr", "-c", line], check=False).returncode == 15027 & 255


def test_reservations_share_the_licences_of_one(cluster):
    server = cluster.server
    lend(cluster, 3)
    at = time.time() + 3600

    def ask(select, start):
        r = Reservation(select=select, start=start, duration=600, interactive=60)
        server.submit(r)
        return r.answer.split()[-1]

    assert ask("1:ncpus=1:lic=2:vnode=vn[1]", at) == "CONFIRMED"
    assert ask("1:ncpus=1:lic=2:vnode=vn[2]", at + 300) == "DENIED"
    assert ask("1:ncpus=1:lic=1:vnode=vn[2]", at + 300) == "CONFIRMED"
    assert ask("1:ncpus=1:lic=1:vnode=vn[0]", at + 300) == "DENIED"
    assert ask("1:ncpus=1:lic=3:vnode=vn[0]", at + 900) == "CONFIRMED"


def test_jobs_of_a_reservation_share_what_it_borrowed(cluster):
    server = cluster.server
    lend(cluster, 3)
    rid = server.submit(Reservation(select="1:ncpus=2:lic=1:vnode=vn[1]+1:ncpus=2:lic=1:vnode=vn[2]",
                                    start=4, duration=600, interactive=60))
    server.expect(RESV, {"reserve_state": "RESV_RUNNING"}, id=rid)
    assert assigned(server, "vn[0]") == "2"
    queue = rid.split(".")[0]
    first = server.submit(Job(attrs={"queue": queue,
                                     "Resource_List.select": "1:ncpus=1:lic=2"}))
    server.expect(JOB, {"job_state": "R"}, id=first)
    second = server.submit(Job(attrs={"queue": queue,
                                      "Resource_List.select": "1:ncpus=1:lic=1"}))
    # The queue of a reservation has what the reservation has, and is asked first.
    server.expect(JOB, {"comment": "Not Running: Insufficient amount of queue resource: lic "
                                   "(R: 1 A: 0 T: 2)"},
                  id=second)
    outside = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1:lic=1"}))
    server.expect(JOB, {"job_state": "R"}, id=outside)
    assert assigned(server, "vn[0]") == "3"


def test_a_vnode_file_brings_its_resources(cluster):
    server = cluster.server
    text = cluster.vnode_file()
    text += ("\nvn[0]: resources_available.gpus = 2 type = long\n"
             "vn[1]: resources_available.gpus = @vn[0]\n"
             "vn[1]: resources_available.colour = red type = string\n"
             "vn[1]: resources_available.unknown = 5\n")
    cluster.write("home/mom_priv/config.d/vnodes", text.replace("\n\n", "\n"))
    cluster.mom.restart()
    server.expect(VNODE, {"resources_available.gpus": "2"}, id="vn[0]")
    server.expect(VNODE, {"resources_available.gpus": "@vn[0]",
                          "resources_available.colour": "red"}, id="vn[1]")
    assert "type = long" in qmgr(cluster, "list resource gpus")
    assert "type = string" in qmgr(cluster, "list resource colour")
    assert cluster.run(["qmgr", "-c", "list resource unknown"], check=False).returncode == 187
    qmgr(cluster, "set resource gpus flag=nh")
    cluster.scheduler.add_resource("gpus")
    jid = server.submit(Job(attrs={"Resource_List.select": "1:ncpus=1:gpus=2:vnode=vn[1]"}))
    server.expect(JOB, {"job_state": "R"}, id=jid)
    assert server.status(VNODE, "vn[0]")[0]["resources_assigned.gpus"] == "2"
