# SPDX-License-Identifier: Apache-2.0
"""The public library as other people's programs meet it: the installed header, what
pkg-config says of it, the shared object; from C and, through ctypes, from Python."""
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from holdfast import *
from holdfast.peer import Peer, attrs, extend, objects, reply, signed, text_list
from holdfast.wire import number, string

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "library")
PREFIX = os.environ["HF_PREFIX"]
LIB = os.path.join(PREFIX, "lib")
U, S = number, string


def flags(what):
    env = dict(os.environ, PKG_CONFIG_PATH=os.path.join(LIB, "pkgconfig"))
    return subprocess.run(["pkg-config", "--define-variable=prefix=" + PREFIX, what, "pbs"],
                          env=env, check=True, text=True, capture_output=True).stdout.split()


def needed():
    out = subprocess.run(["readelf", "-d", os.path.join(LIB, "libpbs.so.0")], check=True,
                         text=True, capture_output=True).stdout
    assert "Library soname: [libpbs.so.0]" in out
    assert "TEXTREL" not in out
    return set(re.findall(r"NEEDED.*\[(.*)\]", out))


def is_sanitized():
    return any(name.startswith("libasan") for name in needed())


CC = os.environ.get("CC", "cc").split()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Compile with the installed header and library alone: nothing of the tree is near."""
    where = tmp_path_factory.mktemp("library")
    for name in os.listdir(HERE):
        shutil.copy(os.path.join(HERE, name), where)

    def build(name, *sources):
        out = str(where / name)
        sanitizers = ["-fsanitize=address,undefined"] if is_sanitized() else []
        subprocess.run([*CC, *sanitizers, "-std=c17", "-Wall", "-Wextra", "-Werror", *flags("--cflags"), "-o",
                        out, *sources, *flags("--libs"), "-Wl,-rpath," + LIB, "-pthread"],
                       cwd=where, check=True)
        return out
    build.where = where
    return build


def calls():
    text = open(os.path.join(HERE, "calls.def")).read()
    return re.findall(r"^(CALL|PLAIN)\((\w+),", text, re.M)


# What no other library of PBS has: doc/extensions.md.
OURS = {("holdfast_why", "T"), ("holdfast_resv_act", "T"), ("holdfast_resv_look", "T")}


def test_the_library_shows_its_calls_and_no_more():
    out = subprocess.run(["nm", "-D", "--defined-only", os.path.join(LIB, "libpbs.so.0")],
                         check=True, text=True, capture_output=True).stdout
    shown = {(line.split()[2].split("@")[0], line.split()[1]) for line in out.splitlines()}
    wanted = {(name, "T") for _, name in calls()}
    wanted |= {("pfn_" + name, "D") for kind, name in calls() if kind == "CALL"}
    header = open(os.path.join(PREFIX, "include", "tm.h")).read()
    tasks = {(name, "T") for name in re.findall(r"^int (tm_\w+)\(", header, re.M)}
    assert len(tasks) == 19
    assert shown == wanted | OURS | tasks


def test_the_library_is_light():
    """What qstat -B would have to load before it begins."""
    assert [n for n in needed()
            if not re.match(r"lib(c|pthread|dl|asan|ubsan|m)\.so|ld-", n)] == []


NULL = reply()
TEXT = 7
VNODES = objects(
    (3, "n1", [("state", None, "free", 0), ("resources_available", "host", "alpha", 0),
               ("resources_available", "ncpus", "2", 0),
               ("resources_available", "mem", "3mb", 0)]),
    (3, "n2", [("state", None, "down", 0), ("resources_available", "host", "alpha", 0),
               ("resources_available", "ncpus", "4", 0),
               ("resources_available", "mem", "10kb", 0)]),
    (3, "n3", [("resources_available", "host", "beta", 0)]))
COMMENT = attrs(("comment", None, "", 0))
JOB_SET = attrs(("Job_Name", None, "one", 0), ("Resource_List", "ncpus", "2", 0))
JOB = attrs(("Job_Name", None, "one", 4), ("Resource_List", "ncpus", "2", 6))
START = attrs(("reserve_start", None, "4000000000", 0))
PRIORITY = attrs(("Priority", None, "7", 0))
ALPHA = ("alpha,state=<various>,resources_available.host=alpha,resources_available.ncpus=6,"
         "resources_available.mem=3082kb")
SCRIPT = "#!/bin/sh\n" + "x" * 65536 + "\n"


def manage(command, kind, name, entries="+0", ext=None):
    return U(command) + U(kind) + S(name) + entries + extend(ext)


def text(words, code=0):
    return reply(code, choice=TEXT, body=S(words))


def some(kind, name, *entries):
    return objects((kind, name, list(entries)))


def queried(available, allocated, reserved, down):
    return reply(choice=9, body="+1" + U(available) + U(allocated) + U(reserved) + U(down))


NODES = signed(0) + text_list(["nodes"]) + extend()

# What a caller prints, and the requests that arrive for it: number, body, answer.
STORY = [
    ("pbs_loadconf 1",),
    ("pbs_default localhost",),
    ("pbs_query_max_connections 49",),
    ("pbs_connect 1",),
    ("pbs_server localhost",),
    ("pbs_connect_extend 0",),
    ("pbs_connect_noblk 0",),
    ("pbs_connection_set_nodelay 0",),
    ("pbs_connection_set_nodelay -1",),
    ("pbs_submit 4.x 0", (1, S("") + S("workq") + JOB_SET + extend("x"), reply(choice=2, body=S("4.x"))),
     (3, U(0) + U(0) + U(65536) + S("") + S(SCRIPT[:65536]) + extend(), NULL),
     (3, U(1) + U(0) + U(11) + S("") + S(SCRIPT[65536:]) + extend(), NULL),
     (5, S("4.x") + extend(), reply(choice=4, body=S("4.x")))),
    ("pbs_submit 5.x 0", (1, S("") + S("") + "+0" + extend(":C:"), reply(choice=4, body=S("5.x")))),
    ("pbs_submit - 15042",),
    ("pbs_geterrmsg cannot access script file",),
    ("pbs_submit_with_cred 6.x 15175", (1, S("") + S("") + "+0" + extend(),
                                        reply(choice=2, body=S("6.x"))),
     (62, U(3) + S("a\0b") + extend(), NULL),
     (5, S("6.x") + extend(), text("too large", 15175))),
    ("pbs_alterjob 0", (11, manage(2, 2, "1.x", PRIORITY, "y"), NULL)),
    ("pbs_asyalterjob 0", (96, manage(2, 2, "1.x", PRIORITY), None)),
    ("pbs_holdjob 0", (7, manage(2, 2, "1.x", attrs(("Hold_Types", None, "u", 0))), NULL)),
    ("pbs_rlsjob 0", (13, manage(2, 2, "1.x", attrs(("Hold_Types", None, "os", 0))), NULL)),
    ("pbs_locjob elsewhere 0", (8, S("1.x") + extend(), reply(choice=8, body=S("elsewhere")))),
    ("pbs_movejob 0", (12, S("1.x") + S("q@h") + extend(), NULL)),
    ("pbs_msgjob 0", (10, S("1.x") + U(3) + S("hi") + extend(), NULL)),
    ("pbs_msgjob 15004",),
    ("pbs_orderjob 0", (50, S("1.x") + S("2.x") + extend(), NULL)),
    ("pbs_relnodesjob 0", (90, S("1.x") + S("n1+n2") + extend(), NULL)),
    ("pbs_relnodesjob 0", (90, S("1.x") + S("") + extend("select=3"), NULL)),
    ("pbs_relnodesjob 15108",),
    ("pbs_geterrmsg illegal -k value",),
    ("pbs_relnodesjob 15004",),
    ('pbs_geterrmsg only a "select=" string is valid in -k option',),
    ("pbs_rerunjob 15001", (14, S("9.x") + extend("force"), text("Unknown Job Id", 15001))),
    ("pbs_geterrmsg Unknown Job Id",),
    ("pbs_geterrno 15001",),
    ("pbs_rerunjob 15004",),
    ("pbs_runjob 0", (15, S("1.x") + S("(n1:ncpus=1)") + U(0) + extend(), NULL)),
    ("pbs_asyrunjob 0", (23, S("1.x") + S("") + U(0) + extend(), None)),
    ("pbs_asyrunjob_ack 0", (97, S("1.x") + S("n1") + U(0) + extend(), NULL)),
    ("pbs_stagein 0", (48, S("1.x") + S("n1") + U(0) + extend(), NULL)),
    ("pbs_sigjob 0", (18, S("1.x") + S("SIGUSR1") + extend(), NULL)),
    ("pbs_sigjob 15004",),
    ("pbs_deljob 0", (100, text_list(["1.x"]) + extend("deletehist"), reply(choice=11, body="+0"))),
    ("pbs_deljob 15001", (100, text_list(["1.x"]) + extend(),
                          reply(15001, choice=11, body="+1" + S("1.x") + U(15001)))),
    ("pbs_deljoblist 2.x 15139", (100, text_list(["1.x", "2.x", "3.x"]) + extend("nomailforce"),
                                  reply(choice=11, body="+2" + S("1.x") + U(15001) + S("2.x") +
                                        U(15139)))),
    ("pbs_deljoblist 1.x 15001",),
    ("pbs_delstatfree 0",),
    ("pbs_submit_resv R1.x UNCONFIRMED 0", (70, S("") + S("") + START + extend("m"),
                                            text("R1.x UNCONFIRMED"))),
    ("pbs_modify_resv R1.x CONFIRMED 0", (91, U(4) + S("R1.x") + START + extend("force"),
                                          text("R1.x CONFIRMED"))),
    ("pbs_modify_resv - 15016", (91, U(4) + S("R1.x") + "+0" + extend(), text("no", 15016))),
    ("pbs_delresv 0", (72, manage(1, 2, "R1.x"), NULL)),
    ("pbs_confirmresv 0", (75, S("R1.x") + S("(n1:ncpus=1)") + U(4000000000) + extend("OK"), NULL)),
    ("pbs_selectjob 1.x", (16, JOB + "+0" + extend("T"),
                           reply(choice=5, body=text_list(["1.x", "2[3].x"])))),
    ("pbs_selectjob 2[3].x",),
    ("pbs_selstat 0 1.x,comment=a 2.x,comment=b",
     (51, JOB + COMMENT + extend("S"), [objects((2, "1.x", [("comment", None, "a", 0)]), more=1),
                                        some(2, "2.x", ("comment", None, "b", 0))])),
    ("pbs_statjob 0 1[].x,job_state=B,array_indices_remaining=0,2 1[0].x,job_state=Q,"
     "array_indices_remaining=0,2 1[1].x,job_state=R 1[2].x,job_state=Q,array_indices_remaining=0,2",
     (19, S("1[].x") + "+0" + extend("t"),
      objects((10, "1[].x", [("job_state", None, "B", 0),
                             ("array_indices_remaining", None, "0,2", 0)]),
              (11, "1[1].x", [("job_state", None, "R", 0)])))),
    ("pbs_statque 0 workq,comment=c", (20, S("workq") + COMMENT + extend(),
                                       some(1, "workq", ("comment", None, "c", 0)))),
    ("pbs_statserver 0 x", (21, S("") + COMMENT + extend(), some(0, "x"))),
    ("pbs_statsched 0", (81, S("") + COMMENT + extend(), objects())),
    ("pbs_statvnode 15062", (58, S("n1") + COMMENT + extend(), text("Unknown node ", 15062))),
    ("pbs_stathost 0 " + ALPHA, (58, S("") + "+0" + extend(), VNODES)),
    ("pbs_stathost 15062", (58, S("") + "+0" + extend(), VNODES)),
    ("pbs_statnode 0 " + ALPHA + " beta,resources_available.host=beta",
     (58, S("") + "+0" + extend(), VNODES)),
    ("pbs_statresv 0", (71, S("") + "+0" + extend(), objects())),
    ("pbs_statrsc 0 ncpus,type=1", (82, S("ncpus") + "+0" + extend("p"),
                                    some(5, "ncpus", ("type", None, "1", 0)))),
    ("pbs_stathook 0 h1", (83, S("h1") + "+0" + extend("pbshook"), some(9, "h1"))),
    ("pbs_stathook 15004",),
    ("pbs_manager 0", (9, manage(0, 1, "q2", attrs(("queue_type", None, "e", 0))), NULL)),
    ("pbs_manager 15002",),
    ("pbs_get_attributes_in_error 1 no_such 15002 Undefined attribute ",),
    ("set_no_attribute_verification 0",
     (9, manage(2, 1, "q2", attrs(("no_such", None, "1", 0), ("queue_type", None, "e", 0))), NULL)),
    ("pbs_terminate 0", (17, U(2) + extend(), NULL)),
    ("pbs_register_sched -1", (98, S("default") + extend(), NULL),
     (98, S("default") + extend(), text("Unknown Scheduler", 15213))),
    ("pbs_defschreply 0", (80, signed(11) + S("1.x") + signed(15044) + signed(1) + S("no") + extend(),
                           NULL)),
    ("pbs_preempt_jobs 1.x S 2.x 000 1",
     (93, text_list(["1.x", "2.x"]) + extend(),
      reply(1, choice=10, body="+2" + S("1.x") + S("S") + S("2.x") + S("000")))),
    ("pbs_py_spawn 42", (84, S("1.x") + S("run") + S("it") + S("") + S("A=b") + S("") + extend(),
                         reply(aux=42))),
    ("pbs_rescquery 0", (24, signed(0) + text_list(["nodes", "mem"]) + extend(),
                         reply(choice=9, body="+2" + "".join(U(n) for n in range(1, 9))))),
    ("pbs_rescquery 1 2 3 4 5 6 7 8",),
    ("pbs_rescreserve 15029 0", (25, signed(0) + text_list(["nodes", "mem"]) + extend(),
                                 text("No support for requested service", 15029))),
    ("pbs_rescrelease 15029", (26, signed(0) + "+0" + extend(), reply(15029))),
    ("totpool 10", (24, NODES, queried(1, 2, 3, 4))),
    ("usepool 9",),
    ("totpool -1", (24, NODES, reply(15029))),
    ("avail yes", (24, NODES, queried(1, 1, 0, 0))),
    ("avail no", (24, NODES, queried(0, 1, 0, 0))),
    ("avail never", (24, NODES, queried(0, 0, 0, 5))),
    ("avail ?", (24, NODES, reply(15029))),
    ("pbs_rerunjob 0", (14, S("1.x") + extend(), text("done"))),
    ("pbs_locjob - 15031", (8, S("1.x") + extend(), NULL)),
    ("pbs_statserver 15031", (21, S("") + "+0" + extend(), b"PKTV1\0\0\0\0\0\4+2+x")),
    ("pbs_geterrmsg Non-digit found where a digit was expected",),
    ("pbs_statserver 15031",),  # of no use any more: nothing is sent
    ("pbs_geterrmsg End of File",),
    ("pbs_disconnect 0",),
    ("pbs_disconnect -1",),
    ("pfn_pbs_default mine 1",),
    ("__pbs_errno_location 4711",),
    ("__pbs_server_location localhost",),
]


def play(argv, where, **more):
    """Run a caller against a played server: what it printed, what arrived amiss."""
    sock = str(where / "s")
    if os.path.exists(sock):
        os.unlink(sock)
    (where / "script").write_text(SCRIPT)
    env = dict(os.environ, PBS_CONF_FILE="/nonexistent", PBS_HOME=str(where), PBS_EXEC=PREFIX,
               PBS_SERVER="localhost", PBS_SERVER_SOCKET=sock, **more)
    env.pop("PBS_DEFAULT", None)
    script = [request for line in STORY for request in line[1:]]
    with Peer(sock, script) as peer:
        done = subprocess.run(argv + [str(where / "script")], env=env, text=True,
                              capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr + done.stdout
    assert done.stderr == ""
    assert peer.wrong == []
    assert peer.script == []
    assert peer.connects == ["+0", extend("hello"), extend("NOBLK"), "+0", "+0"]
    return done.stdout.splitlines()


def test_every_call_from_c(built, tmp_path):
    program = built("every_call", "every_call.c", "abi.c")
    assert play([program], tmp_path) == [line[0] for line in STORY]


def test_every_call_through_ctypes(tmp_path):
    """The structures are laid out anew in Python, from the chapter and not from the header."""
    caller = os.path.join(HERE, "every_call.py")
    more = {}
    if is_sanitized():  # Python itself is not
        more = {"ASAN_OPTIONS": "detect_leaks=0", "LD_PRELOAD": subprocess.run(
            [*CC, "-print-file-name=libasan.so"], check=True, text=True,
            capture_output=True).stdout.strip()}
    said = play([sys.executable, caller, os.path.join(LIB, "libpbs.so.0")], tmp_path, **more)
    assert said == [line[0] for line in STORY if not line[0].startswith("pfn_")]


def test_the_callers_leave_no_call_out():
    """Frees and switches say nothing, but they are there."""
    for source in ("every_call.c", "every_call.py"):
        program = open(os.path.join(HERE, source)).read()
        for _, name in calls():
            assert re.search(r"\b%s\(" % name, program), (source, name)


def test_the_manual_page_has_every_call():
    page = open(os.path.join(PREFIX, "share/man/man3/pbs_ifl.3")).read()
    described = re.findall(r'^\.BI? "[\w *]*?(\w+)\(', page, re.M)
    shown = [name for _, name in calls() if not name.startswith("__")]
    assert sorted(described) == sorted(shown + [name for name, _ in OURS])


ON_A_SERVER = """
pbs_manager 0
pbs_submit 0
pbs_submit 0
pbs_holdjob 0
pbs_statjob 1 H 0
pbs_rlsjob 0
pbs_statjob 1 Q 0
pbs_alterjob 0
pbs_asyalterjob 0
pbs_statjob 1 9 0
pbs_selectjob 0 1
pbs_selstat 1 first 0
pbs_locjob 1
pbs_rerunjob 15016
pbs_runjob 0
pbs_statjob 1 R 0
pbs_sigjob 15001
pbs_asyrunjob 0
pbs_asyrunjob_ack 15001
pbs_deljoblist 9999.none 15001 0
pbs_deljob 0
pbs_deljob 15001
pbs_submit_resv R UNCONFIRMED 0
pbs_statresv 1 1 0
pbs_modify_resv 15084
pbs_confirmresv 15084
pbs_delresv 0
pbs_delresv 15084
pbs_statserver 1 False 0
pbs_statsched 1 pbs-default 0
pbs_statque 1 Execution 0
pbs_statque 0 - 15018
pbs_statvnode 1 free 0
pbs_statvnode 3 free 0
pbs_stathost 1 free 0
pbs_statnode 0 - 15062
pbs_statrsc 1 long 0
pbs_manager 0
pbs_manager 15025
pbs_geterrmsg Queue already exists
pbs_manager 0
pbs_register_sched -1
pbs_defschreply 1
pbs_terminate 0
pbs_disconnect 0
""".split("\n")[1:-1]


@pytest.mark.parametrize("cluster", [{"vnodes": 2}], indirect=True)
def test_calls_on_a_real_server(built, cluster):
    cluster.server.manager(MGR_CMD_SET, SERVER, {"managers": (INCR, "%s@*" % USER1)})
    script = cluster.write_script(Job(script="#!/bin/sh\nsleep 1000\n"))
    program = shutil.copy(built("on_a_server", "on_a_server.c"), os.path.dirname(script))
    done = cluster.run([program, script, "(vn[0]:ncpus=1)"], user=USER1, check=False)
    print(done.stdout, done.stderr)
    assert done.returncode == 0
    assert done.stdout.splitlines() == ON_A_SERVER
