# SPDX-License-Identifier: Apache-2.0
"""What a MoM tells the server of its host (topology_info): by libhwloc, in a program of its own."""
import os
import signal
import subprocess

import pytest

from holdfast import *
from holdfast.services import wait_for
from story import *

LEAST = 'hwloc<?xml version="1.0"?><topology><object type="Machine">' \
        '<object type="Socket" os_index="0"></object></object></topology>'


def program(cluster):
    return os.path.join(cluster.exec_dir, "sbin", "pbs_topology")


def told(cluster):
    """What the server has of the host; "": nothing yet."""
    rows = cluster.sql("SELECT value FROM attributes WHERE attr = 'topology_info'")
    return rows[0][0] if rows else ""


def described(cluster, *options, **kwargs):
    done = subprocess.run([program(cluster)] + list(options), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, **kwargs)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def start_with(cluster, **variables):
    cluster.mom.stop()
    cluster.mom.variables = variables
    cluster.mom.start()
    mom_has_registered(cluster)
    cluster.wait_nodes()


@pytest.fixture
def cluster():
    with Cluster(vnodes=1) as c:
        if not os.path.exists(program(c)):
            pytest.skip("built without libhwloc")
        # The natural vnode has the name that the server knows the host by.
        c.write("home/mom_priv/config", "$momname %s\n" % c.host)
        start_with(c)
        yield c


def test_the_host_is_told_and_stays_the_same(cluster):
    code, text, _ = described(cluster)
    assert code == 0 and text.startswith("hwloc<?xml ") and 'type="Machine"' in text
    wait_for("the host at the server", lambda: told(cluster) == text)
    cluster.mom.send_signal(signal.SIGHUP)
    cluster.mom.log_match("process_hup;reset")
    jid = running_job(cluster.server)
    assert told(cluster) == text
    assert cluster.server.status(VNODE)[0].get("license") == "l"
    assert "topology_info" not in cluster.server.status(VNODE)[0], "it is for daemons"
    cluster.server.delete(jid)


def test_a_described_host(cluster):
    """Whoever starts the MoM may have another host described; jobs run on this one."""
    start_with(cluster, HWLOC_SYNTHETIC="pack:3 core:2 pu:2")
    wait_for("the described host", lambda: told(cluster).count('type="Socket"') == 3)
    cluster.mom.log_match("0002;pbs_mom;n/a;ncpus;hyperthreading enabled")
    cluster.mom.log_match("0002;pbs_mom;n/a;initialize;pcpus=12, OS reports %d cpu(s)"
                          % os.sysconf("SC_NPROCESSORS_ONLN"))
    xml = cluster.write("host.xml", described(cluster, "-s", "pack:5 core:1 pu:1")[1][len("hwloc"):])
    start_with(cluster, HWLOC_XMLFILE=xml)
    wait_for("the host of the file", lambda: told(cluster).count('type="Socket"') == 5)
    cluster.mom.log_match("0002;pbs_mom;n/a;ncpus;hyperthreading disabled")
    cluster.write("host.xml", described(cluster, "-s", "pack:7 core:1 pu:1")[1][len("hwloc"):])
    os.chmod(xml, 0o666)
    cluster.mom.send_signal(signal.SIGHUP)
    cluster.mom.log_match("host.xml: it is no plain file that only root may write")
    wait_for("this host again", lambda: told(cluster) == described(cluster)[1])
    os.chmod(xml, 0o644)
    cluster.mom.send_signal(signal.SIGHUP)
    wait_for("the file's host", lambda: told(cluster).count('type="Socket"') == 7)


HOSTILE = {
    "cut": lambda xml: xml[:len(xml) // 2],
    "empty": lambda xml: "",
    "entities": lambda xml: '<?xml version="1.0"?><!DOCTYPE t [<!ENTITY a "x"><!ENTITY b "%s">]>\n'
                            '<topology>&b;</topology>' % ("&a;" * 1000),
    "nested": lambda xml: '<?xml version="1.0"?>\n<topology>' + '<object type="Group">' * 100000,
    "numbers": lambda xml: xml.replace('os_index="0"', 'os_index="4294967295"'),
    "sets": lambda xml: xml.replace('cpuset="0x', 'cpuset="0xf...f,0x'),
    "long": lambda xml: xml + " " * (5 << 20),
    "bytes": lambda xml: xml.replace("Socket", "\x01\x7f%n"),
}


@pytest.mark.parametrize("kind", sorted(HOSTILE))
def test_a_hostile_file_costs_nothing_but_the_description(cluster, kind):
    """Each is described somehow or not at all, and the MoM works."""
    xml = HOSTILE[kind](described(cluster, "-s", "pack:2 core:2 pu:2")[1][len("hwloc"):])
    start_with(cluster, HWLOC_XMLFILE=cluster.write("host.xml", xml))
    text = told(cluster)
    assert text.startswith("hwloc<?xml ") and len(text) <= 256 << 10
    assert set(c for c in text if not c.isprintable()) <= {"\n"}
    jid = cluster.server.submit(Job(attrs={"Output_Path": "/dev/null", "Join_Path": "oe"}, sleep=0))
    assert "Exit_status=0" in cluster.server.accounting_match(";E;%s;" % jid)


def test_a_description_without_end_ends(cluster):
    """A few numbers can mean millions of objects: time and memory of the program are limited."""
    start_with(cluster, HWLOC_SYNTHETIC="pack:1000 core:1000 pu:1000")
    wait_for("the least", lambda: told(cluster) == LEAST)
    cluster.mom.log_match("pbs_topology has not described the host; run it to see why")


def test_the_program_by_hand(cluster):
    assert described(cluster, "-s", "nonsense")[0] == 1
    assert "describes no topology" in described(cluster, "-s", "nonsense")[2]
    assert described(cluster, "-x", "-s", "pack:1")[0] == 2
    assert described(cluster, "-q")[0] == 2
    assert described(cluster, "x")[0] == 2
    assert described(cluster, "--help")[1].startswith("Usage: pbs_topology")
    assert described(cluster, "--version")[1].startswith("pbs_version = ")
    assert described(cluster, "-s", "pack:1" + " " * 2000)[0] == 1
    # Variables of the library are none of its options.
    mine = described(cluster)[1]
    assert described(cluster, env={"HWLOC_SYNTHETIC": "pack:9 core:1 pu:1"})[1] == mine
