# SPDX-License-Identifier: Apache-2.0
"""qsub as it is typed: what it refuses before a server is asked, which variables go with the
job, and where the copy of a script lies (cli.md 1.8, 3)."""
import contextlib
import json
import os
import re
import signal
import subprocess

import pytest

from holdfast import *
from holdfast.services import wait_for


@pytest.fixture(scope="module")
def cluster():
    with Cluster(alone=True) as c:
        c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        yield c


def said(cluster, *argv, env=None, input="true\n"):
    """Exit status, output and the lines of errors before the usage text, which is "(usage)"."""
    done = cluster.run(["qsub", *argv], user=USER1, check=False, env=env, input=input)
    err = done.stderr.replace(os.path.join(cluster.exec_dir, "bin", ""), "")
    lines = re.sub(r"(?ms)^usage: .*", "(usage)", err).splitlines()
    return done.returncode, done.stdout, lines


# Of a wrong value the option is named, also of one that -W gives (cli.md 2, samples/cli-qsub.txt).
ILLEGAL = [
    ("a", ["9999"]), ("a", ["24:00"]), ("a", ["000"]), ("a", ["6902011200"]),
    ("c", ["u"]), ("c", ["zz"]), ("c", ["c=0"]),
    ("J", ["5"]), ("J", ["1-1"]), ("J", ["5-3"]), ("J", ["1-2:"]), ("J", ["1-2:0"]), ("J", ["1-2,4"]),
    ("J", ["1-9223372036854775807"]), ("J", ["1-4%"]), ("J", ["1-4%x"]),
    ("j", ["zz"]), ("j", ["OE"]), ("k", ["zz"]), ("k", ["d"]), ("k", ["no"]), ("m", ["q"]), ("m", ["nb"]),
    ("N", ["a@b"]), ("N", [""]), ("N", ["a b"]), ("N", ["\xfc"]), ("p", ["1025"]), ("p", ["-1025"]), ("p", ["5x"]),
    ("R", ["x"]), ("r", ["x"]), ("r", ["yes"]), ("S", ["relative"]), ("S", ["/bin/sh,/bin/csh"]),
    ("u", ["a@b,c@b"]), ("o", ["nosuch.invalid:/tmp/x"]), ("e", ["a_b:/tmp/x"]),
    ("W", [""]), ("W", ["foo"]), ("W", ["=1"]), ("W", ["umask=1,"]), ("W", ["umask='1"]),
    ("W", ["run_count=-1"]), ("W", ["umask=abc"]), ("W", ["sandbox=foo"]),
    ("W", ["block=maybe"]), ("W", ["interactive=maybe"]),
    ("W", ["stagein=abc"]), ("W", ["stageout=a@b"]), ("W", ["group_list=a@b,c@b"]),
    ("W", ["release_nodes_on_stageout=maybe"]), ("W", ["tolerate_node_failures=bad"]),
    ("W", ["reserve_start=99999"]), ("W", ["reserve_end=x"]),
    ("W", ["depend=afterok"]), ("W", ["depend=afterok:"]), ("W", ["depend=AFTEROK:1"]), ("W", ["depend=on:x"]),
    ("W", ["depend=afterok:1x"]), ("W", ["depend=afterok:1."]), ("W", ["depend=before:xyz"]),
]


@pytest.mark.parametrize("letter, words", ILLEGAL, ids=["%s%s" % (a, b[0]) for a, b in ILLEGAL])
def test_a_wrong_value_names_its_option(cluster, letter, words):
    code, out, lines = said(cluster, "-" + letter, *words)
    assert (code, out) == (2, "")
    assert lines[0] == "qsub: illegal -%s value" % letter
    assert lines[-1] == "(usage)" and len(lines) <= 3


# What else is refused, with all that is said.
REFUSED = [
    (["-N", "n" * 231], 2, ["qsub: Job name is too long "]),
    (["-J", "1-4%"], 2, ["qsub: illegal -J value",
                         "qsub: -J takes first-last[:step][%most at once], for example 1-10:2%4", "(usage)"]),
    (["-c", "u"], 2, ["qsub: illegal -c value", "qsub: -c takes n, s, c, w, c=minutes or w=minutes",
                      "(usage)"]),
    (["-G"], 2, ["qsub: invalid option -- 'G'", "(usage)"]),
    (["-N"], 2, ["qsub: option requires an argument -- 'N'", "(usage)"]),
    (["--"], 2, ["(usage)"]),
    (["-", "--", "/bin/true"], 2, ["(usage)"]),
    (["a", "b"], 2, ["(usage)"]),
    (["/tmp"], 1, ["qsub: script not a file"]),
    (["/nosuch"], 1, ["qsub: script file:: No such file or directory"]),
    (["-I"], 1, ["qsub:\tstandard input and output must be a terminal for",
                 "\tinteractive job submission"]),
    (["-I", "-J", "1-4"], 1, ["qsub:\tstandard input and output must be a terminal for",
                              "\tinteractive job submission"]),
    (["-m", "jb"], 1, ["qsub: mail option 'j' can not be used without array job"]),
    (["-r", "n", "-J", "1-4"], 2, ["qsub:  cannot submit non-rerunable Array Job", "(usage)"]),
    (["-J", "1-4%2", "-W", "max_run_subjobs=3"], 2,
     ["qsub: multiple max_run_subjobs values found", "(usage)"]),
    (["-X"], 2, ["qsub: DISPLAY not set", "(usage)"]),
    (["-u", "x", "-W", "cred=krb"], 2, ["qsub: credential incompatable with -u", "(usage)"]),
    (["-W", "depend=afterok:1[3]"], 2, ["cannot have dependancy on subjob or range",
                                        "qsub: illegal -W value", None, "(usage)"]),
    (["-W", "foo=1"], 154, ["qsub: Error (15002) submitting job", None]),
    (["-v", "HOME,NOSUCHVAR,PATH"], 1,
     ["qsub: cannot send environment with the job",
      "qsub: -v names \"NOSUCHVAR\", which is not set here; export it, or say -v name=value"]),
    (["-q", "a@b@c"], 2, ["qsub: illegally formed destination: a@b@c"]),
    (["-q", "waytoolongqueuename"], 2, ["qsub: illegally formed destination: waytoolongqueuename"]),
    (["-q", "workq@nosuch.invalid"], 160,
     ["Unknown Host.", "qsub: cannot connect to server localhost (errno=15008)"]),
    (["-l", "=3"], 2, ["qsub: illegal -l value", "(usage)"]),
    (["-l", "ncpus=1,"], 2, ["qsub: illegal -l value", "(usage)"]),
    (["-l", "ncpus=1,,mem=1gb"], 2, ["qsub: illegal -l value", "(usage)"]),
    (["-l", "mem=1&gb"], 2, ["qsub: illegal -l value", " illegal character:", "mem=1&gb", "     ^", "(usage)"]),
    (["-l", "select=\"1:ncpus=1 5"], 2, ["qsub: illegal -l value", " no closing quote:", "select=\"1:ncpus=1 5",
                                         "                   ^", "(usage)"]),
]


@pytest.mark.parametrize("words, code, lines", REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused(cluster, words, code, lines):
    got = said(cluster, *words)
    assert got[:2] == (code, "")
    # Our own explanations may say what they like.
    assert [None if want is None else have for have, want in zip(got[2], lines)] == lines
    assert len(got[2]) == len(lines)


def test_a_display_without_a_terminal(cluster):
    """Whoever has a display and no interactive job is told so (cli.md 3.7)."""
    assert said(cluster, "-X", env={"DISPLAY": ":0"}) == (
        1, "", ["qsub: X11 Forwarding possible only for interactive jobs"])


def variables(cluster, *words, env=None):
    """What Variable_List has between what qsub and the server add."""
    code, out, lines = said(cluster, "-h", *words, env=env)
    assert (code, lines) == (0, [])
    shown = cluster.run(["qstat", "-fw", out.strip()]).stdout
    found = re.search(r"Variable_List = .*,PBS_O_SYSTEM=Linux(?:,(.*))?,PBS_O_QUEUE=workq,PBS_O_HOST=[^,]*$",
                      shown, re.M)
    return found.group(1)


VARIABLES = [
    ("B=2\\,3,C=\"x,y\"", {}, "B=2\\,3,C=x\\,y"),
    ("X,Y=", {"X": "a'b\"c,d\\e"}, "X=a\\'b\\\"c\\,d\\\\e,Y="),
    ("A=1,PBS_O_FOO=3,PBS_O_HOME,PBS_JOBCOOKIE", {"PBS_JOBCOOKIE": "1"}, "A=1"),
    (",A=1,,B='2 3',", {}, "A=1,B=2 3"),
    ("A=\\", {}, "A=\\\\"),
    ("A='b\\\\',C=1", {}, "A=b\\\\,C=1"),
    ("A,C=1", {"A": "b\\"}, "A=b\\\\,C=1"),
    ("", {}, None),
]


@pytest.mark.parametrize("text, env, shown", VARIABLES, ids=range(len(VARIABLES)))
def test_variables_by_name(cluster, text, env, shown):
    assert variables(cluster, "-v", text, env=env) == shown


def test_all_variables(cluster):
    got = variables(cluster, "-V", "-v", "A=1", env={
        "PBS_JOBCOOKIE": "1", "PBS_O_A": "2", "PBS_INTERACTIVE_COOKIE": "3", "ZED": "a,b\\c",
        "NAME,OF_TWO": "4",
        "BASH_FUNC_f%%": "() {  echo a;\n echo b\n}", "LINES_OF": "a;\nb"})
    assert got.startswith("A=1,")
    for one in ("ZED=a\\,b\\\\c", "BASH_FUNC_f%%=() {  echo a; echo b\\n}", "LINES_OF=a;\\nb"):
        assert "," + one in got
    assert "COOKIE" not in got and "PBS_O_A" not in got and "OF_TWO" not in got


def test_backslashes_at_the_end(cluster):
    """A value that ends in one does not take in the next variable, in no place that shows it, and
    a directory may be called like that."""
    path = os.path.join(cluster.root, "tmp", "a,b\\")
    os.mkdir(path)
    try:
        code, out, lines = said(cluster, "-h", "-v", "A=b\\", env={"LANG": "C\\"})
        assert (code, lines) == (0, [])
        shown = cluster.run(["sh", "-c", "cd '%s' && exec qsub -h -v A -- /bin/true" % path], user=USER1,
                            env={"A": "b\\"}).stdout.strip()
        for jid, place in ((out.strip(), None), (shown, path.replace("\\", "\\\\"))):
            job = json.loads(cluster.run(["qstat", "-f", "-F", "json", jid]).stdout)["Jobs"][jid]
            assert job["Variable_List"]["A"] == "b\\\\"
            assert job["Variable_List"]["PBS_O_QUEUE"] == "workq"
            assert place in (None, job["Variable_List"]["PBS_O_WORKDIR"])
    finally:
        os.rmdir(path)


def test_a_script_that_cannot_be_read(cluster):
    """No job is made of what could be read of it."""
    before = cluster.run(["qselect"]).stdout
    for redirected, why in (("</", "Is a directory"), ("<&-", "Bad file descriptor")):
        for words in ("-h", "-h -"):
            done = cluster.run(["sh", "-c", "exec qsub %s %s" % (words, redirected)],
                               user=USER1, check=False)
            assert (done.returncode, done.stdout, done.stderr) == (
                1, "", "qsub: could not read the script: %s\n" % why)
    assert cluster.run(["qselect"]).stdout == before


ENDS = [signal.SIGHUP, signal.SIGINT, signal.SIGTERM]


def heeds_signals():
    """Whoever runs the tests may ignore some of them, as nohup(1) does."""
    for number in ENDS:
        signal.signal(number, signal.SIG_DFL)


@contextlib.contextmanager
def submission(cluster, *words, **streams):
    argv, env, kwargs = cluster.typed(["qsub", *words], USER1, None)
    with subprocess.Popen(argv, env=env, text=True, stderr=subprocess.PIPE,
                          preexec_fn=heeds_signals, **streams, **kwargs) as p:
        try:
            yield p
        finally:
            p.kill()


def copies(cluster):
    return [name for name in os.listdir(os.path.join(cluster.root, "tmp"))
            if name.startswith("pbsscrpt")]


@pytest.mark.parametrize("number", ENDS)
def test_no_copy_is_left_by_who_is_interrupted(cluster, number):
    """Somebody thinks better of a script while he types it."""
    assert copies(cluster) == []
    with submission(cluster, "-h", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as p:
        p.stdin.write("#PBS -N typed\n")
        p.stdin.flush()
        wait_for("the copy", lambda: copies(cluster))
        p.send_signal(number)
        assert p.wait(60) == -number
    assert copies(cluster) == [] and "typed" not in cluster.run(["qstat"]).stdout


def test_no_copy_is_left_by_who_prints_to_nobody(cluster):
    """The job is submitted, and the end of the program comes when it prints the id."""
    read, write = os.pipe()
    os.close(read)
    with submission(cluster, "-h", "-N", "unread", stdin=subprocess.PIPE, stdout=write) as p:
        os.close(write)
        p.stdin.close()
        assert p.wait(60) == -signal.SIGPIPE
    assert copies(cluster) == [] and "unread" in cluster.run(["qstat"]).stdout


def test_no_copy_is_kept_by_who_waits(cluster):
    with submission(cluster, "-W", "block=true", "-h", stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE) as p:
        jid = p.stdout.readline().strip()
        assert copies(cluster) == []
        cluster.run(["qdel", jid])
        p.wait(60)


def test_the_copy_of_a_script(cluster):
    """It lies where the environment says, else where pbs.conf says (cli.md 1.8)."""
    nowhere = os.path.join(cluster.root, "nowhere")
    conf = cluster.read("pbs.conf")
    other = cluster.write("other.conf", re.sub("(?m)^PBS_TMPDIR=.*", "PBS_TMPDIR=" + nowhere, conf))
    for env in ({"PBS_CONF_FILE": other}, {"TMPDIR": nowhere},
                {"PBS_TMPDIR": nowhere, "TMPDIR": "/tmp"}):
        code, out, lines = said(cluster, env=env)
        assert (code, out, lines[0]) == (1, "", "mkstemp: No such file or directory")
        assert re.fullmatch("qsub: could not create/open tmp file %s/pbsscrpt.{6} for script"
                            % re.escape(nowhere), lines[1])
    code, out, lines = said(cluster, "-h", env={"PBS_CONF_FILE": other, "TMPDIR": "/tmp"})
    assert (code, lines) == (0, [])
