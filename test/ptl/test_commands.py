# SPDX-License-Identifier: Apache-2.0
"""Commands in trouble: a server that is not there or leaves in the middle of a sentence,
operands that are too long, settings that are half broken."""
import os
import socket
import threading

import pytest

from holdfast import *


class CuttingProxy:
    """A local socket that passes everything on to the server, but of its answers only the
    first 'limit' bytes; then the connection ends. Counts what it passed."""

    def __init__(self, cluster):
        self.path = os.path.join(cluster.root, "proxy.sock")
        self.target = os.path.join(cluster.home, "ipc", "server.sock")
        self.limit, self.passed = None, 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        os.chmod(self.path, 0o777)
        self.listener.listen(16)
        self.acceptor = threading.Thread(target=self.accept, daemon=True)
        self.acceptor.start()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.target)
            threading.Thread(target=self.copy, args=(client, server, None), daemon=True).start()
            threading.Thread(target=self.copy, args=(server, client, self.limit),
                             daemon=True).start()

    def copy(self, source, sink, limit):
        left = limit
        try:
            while True:
                data = source.recv(65536)
                if source.getpeername() == self.target:
                    self.passed += len(data)
                if left is not None:
                    data = data[:left]
                    left -= len(data)
                if data:
                    sink.sendall(data)
                if not data or left == 0:
                    break
        except OSError:
            pass
        for s in (source, sink):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)  # wakes the acceptor while the number is its own
        self.acceptor.join()
        self.listener.close()


# What each says when nothing comes back; the words after the name are the interface's.
COMMANDS = [
    (["qstat", "-B"], "qstat: "),
    (["qstat", "-Q", "-f", "-F", "json"], "qstat: "),
    (["qstat"], "qstat: "),
    (["pbsnodes", "-av"], "pbsnodes: "),
    (["pbsnodes", "-o", "localhost"], "Error marking node "),
    (["qdisable", "workq"], "qdisable: "),
    (["qdel", "1"], "qdel: "),
    (["qalter", "-p", "1", "1"], "qalter: "),
    (["qhold", "1"], "qhold: "),
    (["qrls", "1"], "qrls: "),
    (["qsig", "1"], "qsig: "),
    (["qmsg", "text", "1"], "qmsg: "),
    (["qmove", "workq", "1"], "qmove: "),
    (["qorder", "1", "2"], "qorder: "),
    (["qrerun", "1"], "qrerun: "),
    (["qrun", "1"], "qrun: "),
    (["qselect", "-p", "1"], "qselect: "),
    (["pbs_rstat"], "pbs_rstat: "),
    (["pbs_rdel", "R1"], "pbs_rdel: "),
]


def test_a_server_that_leaves_in_the_middle_of_a_reply_is_a_failure(cluster):
    proxy = CuttingProxy(cluster)
    env = {"PBS_SERVER_SOCKET": proxy.path}
    try:
        for argv, begin in COMMANDS:
            proxy.limit, proxy.passed = None, 0
            cluster.run(argv, env=env, check=False)
            whole = proxy.passed
            assert whole > 20, argv
            step = max(1, whole // 12)
            for limit in sorted(set(range(0, whole - 1, step)) | {1, 10, 11, 12, whole - 1}):
                proxy.limit = limit
                done = cluster.run(argv, env=env, check=False, timeout=30)
                # Killed by a signal it would be negative.
                assert done.returncode > 0, (argv, limit, whole, done)
                assert done.stderr and "\0" not in done.stderr, (argv, limit)
                assert len(done.stderr.splitlines()) <= 3, (argv, limit, done.stderr)
    finally:
        proxy.close()


def test_a_server_that_is_not_there_is_told_with_its_name_and_code(cluster):
    cluster.server.stop()
    host = cluster.host
    # PBS_LOCAL_SOCKET=0 is what a client of another host sees.
    for env in ({}, {"PBS_LOCAL_SOCKET": "0"}):
        for argv, text in (
                (["qstat", "-B"], r"qstat: cannot connect to server %s (errno="),
                (["qsub", "--", "true"], "qsub: cannot connect to server %s (errno="),
                (["qdel", "1"], "Couldn't connect to cluster: %s"),
                (["pbsnodes", "-a"], "pbsnodes: cannot connect to server %s, error="),
                (["qstart", "workq"], "qstart: could not connect to server "),
                (["qterm"], "qterm: could not connect to server "),
                (["pbs_rstat"], "pbs_rstat: cannot connect to server (errno="),
                (["pbs_rdel", "R1"], "pbs_rdel: cannot connect to server %s (errno=")):
            done = cluster.run(argv, env=env, check=False)
            first, second = done.stderr.splitlines()[:2]
            assert first == "Connection refused", (argv, env, done.stderr)
            assert second.startswith(text.replace("%s", host)), (argv, env, done.stderr)
            assert done.returncode > 0


def test_operands_that_are_too_long_or_odd_are_refused_here(cluster):
    long = "x" * 5000
    digits = "1" * 5000
    for argv, rc, begin in (
            (["qstat", digits], 1, "qstat: illegally formed job identifier: "),
            (["qstat", "1." + long], 1, "qstat: illegally formed job identifier: "),
            (["qstat", "1@" + long], 1, "qstat: illegally formed job identifier: "),
            (["qstat", "1[" + digits + "]"], None, "qstat: "),
            (["qstat", long], 1, "qstat: illegally formed destination: "),
            (["qstat", "@" + long], 1, "qstat: illegally formed destination: "),
            (["qstat", "-Q", long], 1, "qstat: illegal 'destination' value"),
            (["qstat", "-B", long], 255, "Unknown Host.\nqstat: cannot connect to server "),
            (["qstat", "-E", "workq"], 1, "qstat: Express option can only be used with job ids"),
            (["qstat", "-E"], 1, "qstat: Express option can only be used with job ids"),
            (["qstat", "-u", ""], 2, "usage: "),
            (["qstat", "-u", long], None, ""),
            (["qstat", "-W", "z"], 2, "usage: "),
            (["qdel", digits], 1, "qdel: illegally formed job identifier: "),
            (["qstart", long], 1, "qstart: illegally formed destination: "),
            (["qstart", "-x"], 1, "Usage: qstart "),
            (["pbsnodes", long], 1, "Node: xxx"),
            (["pbsnodes", "-v", long], 1, "Node: xxx"),
            (["pbsnodes", "-o", long], 1, "Error marking node xxx"),
            (["pbsnodes", "-s", long, "-a"], 1, ""),
            (["pbsnodes", "-z"], 1, "pbsnodes: invalid option -- 'z'\nusage:"),
            (["pbsnodes", "-q", "-z", "-q"], 1, ""),
            (["qterm", long], 2, ""),
            (["pbs_rsub", "-W", "Resource_List=x", "--hosts", "h1"], 2,
             "pbs_rsub: can't use -l with --hosts\n"),
            (["pbs_hostn", long], 0, "no name entry found for xxx"),
            (["qstat", "-f", "-F", "xml"], 2, "usage: "),
            (["qstat", "-f", "-D", ",", "-F", "dsv"], 2, "usage: ")):
        done = cluster.run(argv, check=False, timeout=60)
        shown = [a[:40] for a in argv]
        path = os.path.join(cluster.exec_dir, "bin", argv[0])
        assert done.stderr.replace(path, argv[0]).startswith(begin), (shown, done.stderr[:200])
        if rc is None:
            assert done.returncode >= 0, shown
        else:
            assert done.returncode == rc, (shown, done.stderr[:200])


def test_a_script_that_cannot_be_copied_is_told(cluster):
    # No file may grow, which is what a full disk looks like to qsub.
    full = "trap '' XFSZ; ulimit -f 0; exec \"$0\" -N full"
    qsub = os.path.join(cluster.exec_dir, "bin", "qsub")
    # A short script fails when its copy is closed, a long one while it is written.
    for script in ("true\n", "true\n" * 100000):
        done = cluster.run(["sh", "-c", full, qsub], check=False, input=script,
                           env={"PBS_TMPDIR": cluster.root})
        assert done.returncode == 1 and done.stdout == "", done
        assert done.stderr == ("qsub: could not copy the script to %s: File too large\n"
                               % cluster.root), done


@pytest.mark.parametrize("change,first", [
    ({"PBS_SERVER": None}, "pbsconf error: pbs conf variables not found: PBS_SERVER"),
    ({"PBS_HOME": None, "PBS_EXEC": None},
     "pbsconf error: pbs conf variables not found: PBS_HOME PBS_EXEC"),
    ({"PBS_SERVER_HOST_NAME": "a:1"},
     "pbsconf error: illegal value for: PBS_SERVER_HOST_NAME"),
])
def test_half_broken_settings_are_told_by_every_command(cluster, change, first):
    broken = os.path.join(cluster.root, "broken.conf")
    with open(cluster.conf) as f:
        settings = dict(line.rstrip("\n").split("=", 1) for line in f)
    settings.update(change)
    with open(broken, "w") as f:
        f.writelines("%s=%s\n" % kv for kv in settings.items() if kv[1] is not None)
        f.write("no equals sign\n= no name\n\n#\n\0\n\xff=\xff\n")
    for argv in (["qstat"], ["pbsnodes", "-a"], ["qstop", "workq"], ["qterm"], ["qdel", "1"],
                 ["qsub", "--", "true"], ["pbs_rstat"]):
        done = cluster.run(argv, env={"PBS_CONF_FILE": broken}, check=False)
        assert done.returncode > 0, argv
        assert done.stderr.splitlines()[0] == first, (argv, done.stderr)
    assert cluster.run(["qstat", "--version"], env={"PBS_CONF_FILE": broken}).stdout


def test_hosts_are_marked_and_commented(cluster):
    host, svr = cluster.host, cluster.server
    cluster.run(["pbsnodes", "-o", "-C", "c" * 100, host])
    for name in cluster.vnode_names():
        node = svr.status(VNODE, name)[0]
        assert node["state"].startswith("offline") and node["comment"] == "c" * 79
    lines = cluster.run(["pbsnodes", "-v", "-l"]).stdout.splitlines()
    assert len(lines) == cluster.n_vnodes + 1
    assert "%-20s offline %s" % ("vn[0]", "c" * 79) in lines
    assert cluster.run(["pbsnodes", "-l", "nosuch"], check=False).returncode == 1
    cluster.run(["pbsnodes", "-r", host])
    assert cluster.run(["pbsnodes", "-v", "-l"]).stdout == ""
    cluster.run(["pbsnodes", "-C", "c" * 78 + "\u00fc", host])
    assert svr.status(VNODE, "vn[0]")[0]["comment"] == "c" * 78  # no half of a character
    # The empty comment takes it away, and nothing crashes.
    cluster.run(["pbsnodes", "-C", "", host])
    assert "comment" not in svr.status(VNODE, "vn[0]")[0]
    done = cluster.run(["pbsnodes", "-v", "-o", "vn[1]"], check=False)
    first, second = done.stderr.splitlines()
    assert (done.returncode, first) == (1, "Error marking node vn[1] - Unknown node ")
    assert "qmgr -c 'set node vn[1] state += offline'" in second
    for words in ([""], ["-v", ""], ["-H", ""], ["-o", ""]):
        done = cluster.run(["pbsnodes"] + words, check=False)
        assert (done.returncode, done.stdout) == (1, "") and "Unknown node" in done.stderr, words
    done = cluster.run(["pbsnodes", "-q", "-o", "nosuch"], check=False)
    assert (done.returncode, done.stderr) == (1, "")


def test_operators_open_all_queues_of_a_server(cluster):
    svr = cluster.server
    for name in ("q2", "q3"):
        svr.manager(MGR_CMD_CREATE, QUEUE, {"queue_type": "e"}, id=name)
    cluster.run(["qenable", "@" + cluster.host])
    assert all(q["enabled"] == "True" for q in svr.status(QUEUE))
