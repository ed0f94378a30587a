# SPDX-License-Identifier: Apache-2.0
"""At the door of reservations (reservations.md 5): what pbs_rsub refuses itself, what the
server refuses with which code and text, which error wins, and how times follow from what
is given. Nobody confirms anything here."""
import datetime
import re
import time

import pytest

from holdfast import *
from story import *

needs_root = pytest.mark.skipif(ROOTLESS, reason="needs root: accounts with other rights")
WINDOW = ["-R", "@3600", "-D", "60"]
ONE = ["-l", "select=1:ncpus=1"]


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=1) as c:
        c.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
        yield c


def arguments(words):
    """@N is the date N seconds from now; a name in braces is the host's."""
    return [Reservation.clock(int(w[1:])) if re.fullmatch(r"@-?\d+", w) else w for w in words]


def rsub(site, words, user=USER1, env=None):
    return site.run(["pbs_rsub"] + arguments(words), user=user, check=False, env=env)


def accepted(site, words, user=USER1, env=None):
    """What the new reservation is; it is deleted."""
    done = rsub(site, words, user, env)
    assert re.fullmatch(r"[RSM]\d+\.\S+ UNCONFIRMED\n", done.stdout), (done.stdout, done.stderr)
    rid = done.stdout.split()[0]
    shown = site.server.status(RESV, rid)[0]
    site.server.delete(rid)
    return shown


def epoch(text):
    return int(time.mktime(time.strptime(text, "%a %b %d %H:%M:%S %Y")))


# What the command says itself (5.1): the first line, then its usage.
LONG = "FREQ=WEEKLY;COUNT=10;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=1,2,3,4,5,6"
MISTAKES = [
    (["-E", "9999"], "illegal -E time value"),
    (["-R", "soon"], "illegal -R time value"),
    (["-R", "12345"], "illegal -R time value"),
    (["-R", "1200.60"], "illegal -R time value"),
    (["-R", "1200.5"], "illegal -R time value"),
    (["-R", "2400"], "illegal -R time value"),
    (["-R", "1260"], "illegal -R time value"),
    (["-R", "202713011200"], "illegal -R time value"),
    (["-R", "202701321200"], "illegal -R time value"),
    (["-R", "196912312359"], "illegal -R time value"),
    (["-R", ""], "illegal -R time value"),
    (["-I", "soon"], "illegal -I time value"),
    (["-I", "1.5"], "illegal -I time value"),
    (["-I", ""], "illegal -I time value"),
    (["-l", "ncpus=1,"], "illegal -l value"),
    (["-l", "=1"], "illegal -l value"),
    (["-q", "workq"], 'illegal -q value: format "@server"'),
    (["-r", LONG + ",7"], "illegal -r value (expression too long)"),
    (["-W", ""], "illegal -W value"),
    (["-W", "Priority"], "illegal -W value"),
    (["-W", "qmove=1", "-R", "@60"], "-Wqmove is not compatible with -R or -E option"),
    (["-W", "qmove=1", "-E", "@60"], "-Wqmove is not compatible with -R or -E option"),
    (["--hosts", "h", "-I", "5"], "can't use -I with --hosts"),
    (["--hosts", "h", "-l", "select=1"], "can't use -l with --hosts"),
    (["--hosts", "a", "b", "a"], "Duplicate host: a"),
    (["--hosts"], "missing host(s)"),
    (["--job", "1", "-R", "@60"], "Start/End time cannot be used with --job option"),
    (["--job", "1", "-E", "@60"], "Start/End time cannot be used with --job option"),
    (["left", "over"], "directive error: left over "),
]


@pytest.mark.parametrize("words,line", MISTAKES, ids=[" ".join(m[0])[:40] for m in MISTAKES])
def test_mistakes_are_told_with_the_usage(site, words, line):
    done = rsub(site, words)
    lines = done.stderr.splitlines()
    assert (done.returncode, lines[0], done.stdout) == (2, "pbs_rsub: " + line, "")
    assert any(l.startswith("usage: pbs_rsub") for l in lines[1:])


def test_a_rule_needs_a_zone(site):
    done = rsub(site, WINDOW + ["-r", "FREQ=DAILY;COUNT=2"])
    assert (done.returncode, done.stderr.splitlines()[0]) == \
        (2, "pbs_rsub error: a valid PBS_TZID timezone environment variable is required.")
    assert not any("usage" in l for l in done.stderr.splitlines())


# What the server says of one attribute is told as a mistake in its option (5.1).
NAMED = [
    (["-m", "z"], "illegal -m value"),
    (["-N", "a b"], "illegal -N value"),
]


@pytest.mark.parametrize("words,line", NAMED, ids=[n[0][1][:5] for n in NAMED])
def test_what_the_server_says_of_an_option(site, words, line):
    done = rsub(site, WINDOW + ONE + words)
    lines = done.stderr.splitlines()
    assert (done.returncode, lines[0]) == (2, "pbs_rsub: " + line), done.stderr
    assert any(l.startswith("usage: pbs_rsub") for l in lines[1:])


def test_a_name_that_is_too_long(site):
    done = rsub(site, WINDOW + ONE + ["-N", "n" * 231])
    assert (done.returncode, done.stderr.splitlines()[0]) == \
        (2, "pbs_rsub: Reservation name is too long ")


# Every error of 5.4 and of the steps in 5.2: the text to its last blank, the exit byte.
VALUE = "Illegal attribute or resource value"
TIMES = "Bad time specification(s)"
READ_ONLY = "Cannot set attribute, read only or insufficient permission "
ERRORS = [
    (["-l", "select=1"], 15086, TIMES),
    (["-R", "@60"], 15086, TIMES),
    (["-E", "@60"], 15086, TIMES),
    (["-D", "60"], 15086, TIMES),
    (WINDOW + ["-W", "foo=bar"], 15002, "Undefined attribute "),
    (WINDOW + ["-l", "foo=1"], 15035, "Unknown resource Resource_List.foo"),
    (WINDOW + ["-l", "select=1:foo=1"], 15035, "Unknown resource: foo"),
    (WINDOW + ["-l", "ncpus=abc"], 15014, VALUE + " Resource_List.ncpus"),
    (WINDOW + ["-l", "select=1", "-l", "place=bogus"], 15014, VALUE + " Resource_List.place"),
    (["-R", "@60", "-D", "xx"], 15014, VALUE + " Resource_List.walltime"),
    (["-R", "@60", "-D", "-5"], 15014, VALUE + " Resource_List.walltime"),
    (["-R", "@60", "-D", "1:2:3:4"], 15014, VALUE + " Resource_List.walltime"),
    (WINDOW + ["-l", "min_walltime=5"], 15164,
     '"min_walltime" and "max_walltime" are not valid resources for a reservation'),
    (WINDOW + ["-l", "max_walltime=5"], 15164,
     '"min_walltime" and "max_walltime" are not valid resources for a reservation'),
    (WINDOW + ["-U", "a,a"], 15055, "Duplicate entry in list "),
    (WINDOW + ["-G", "g,g"], 15055, "Duplicate entry in list "),
    (WINDOW + ["-H", "h,h"], 15055, "Duplicate entry in list "),
    (WINDOW + ["-W", "Priority=5000"], 15014, VALUE),
    (WINDOW + ["-W", "Priority=-1025"], 15014, VALUE),
]


@pytest.mark.parametrize("words,code,text", ERRORS, ids=[" ".join(e[0])[:60] for e in ERRORS])
def test_each_error_has_its_text_and_its_exit_byte(site, words, code, text):
    done = rsub(site, words)
    assert (done.returncode, done.stderr.splitlines()[0], done.stdout) == \
        (code & 255, "pbs_rsub: " + text, ""), done.stderr
    assert not site.server.status(RESV)


def set_acl(site, name, value):
    site.server.manager(MGR_CMD_SET, SERVER, {"acl_resv_%ss" % name: value,
                                              "acl_resv_%s_enable" % name: "True"})


def unset_acls(site):
    site.server.manager(MGR_CMD_UNSET, SERVER, {
        "acl_resv_%s%s" % (name, end): None
        for name in ("host", "user", "group") for end in ("_enable", "s")})
    site.server.manager(MGR_CMD_SET, SERVER, {"resv_enable": "True"})


OTHER = "Bad effective UID for reservation"


@needs_root
def test_the_first_step_that_fails_decides(site):
    """5.2: resv_enable, host, staff, attributes in their order, resources, times, rule,
    account, group, user, lists. (The command judges
    values itself; test_resv_submit has them on the wire.)"""
    def first(words, code, text, user=USER1):
        done = rsub(site, words, user, env={"PBS_TZID": "UTC"})
        assert (done.returncode, done.stderr.splitlines()[0]) == \
            (code & 255, "pbs_rsub: " + text), done.stderr
    for name, value in (("host", "nosuch.invalid"), ("user", "nobody@*"), ("group", "nosuch")):
        set_acl(site, name, value)
    site.server.manager(MGR_CMD_SET, SERVER, {"resv_enable": "False"})
    words = ["-R", "@-600", "-D", "60", "-r", "FREQ=DAILY", "-u", "nosuchuser",
             "-U", "a,a", "-l", "foo=1"]
    try:
        first(words, 15094, "reservations disallowed on localhost")
        site.server.manager(MGR_CMD_SET, SERVER, {"resv_enable": "True"})
        first(words, 15092,
              "Host machine not authorized to submit reservations")
        site.server.manager(MGR_CMD_UNSET, SERVER, {"acl_resv_host_enable": None})
        first(words, 15035, "Unknown resource Resource_List.foo")
        words = words[:-2]
        first(words, 15086, TIMES)
        words[1] = "@600"
        first(words, 15134, "Undefined iCalendar syntax. A valid COUNT or UNTIL is required")
        words[5] += ";COUNT=2"
        first(words, 15095, OTHER)
        words.remove("-u")
        words.remove("nosuchuser")
        first(words, 15093, "Requestor's group not authorized to submit reservations")
        site.server.manager(MGR_CMD_UNSET, SERVER, {"acl_resv_group_enable": None})
        first(words, 15094, "Requestor not authorized to make reservations")
        site.server.manager(MGR_CMD_UNSET, SERVER, {"acl_resv_user_enable": None})
        first(words, 15055, "Duplicate entry in list ")
        words[-1] = "a"
        assert accepted(site, words, env={"PBS_TZID": "UTC"})["id"][0] == "S"
    finally:
        unset_acls(site)


@needs_root
def test_access_lists_let_those_in_whom_they_name(site):
    """Lists that are on and name the user, his group and his host; one that is on and unset
    lets the server's own host in, and nobody else."""
    good = {"user": "+%s@*" % USER1, "group": USER1, "host": "+*"}
    bad = [("user", 15094, "-%s@*,+%s@*" % (USER1, USER2)), ("group", 15093, USER2),
           ("host", 15092, "-*")]
    try:
        for name, value in good.items():
            set_acl(site, name, value)
        assert accepted(site, WINDOW)
        for name, code, value in bad:
            set_acl(site, name, value)
            assert rsub(site, WINDOW).returncode == code & 255
            set_acl(site, name, good[name])
    finally:
        unset_acls(site)
    try:
        site.server.manager(MGR_CMD_SET, SERVER, {"acl_resv_host_enable": "True"})
        assert accepted(site, WINDOW)
    finally:
        unset_acls(site)


@needs_root
def test_root_and_other_accounts_own_nothing(site):
    for words, user in ((WINDOW, None), (WINDOW + ["-u", USER2], USER1),
                        (WINDOW + ["-u", "root"], USER1)):
        done = rsub(site, words, user)
        assert (done.returncode, done.stderr.splitlines()[0]) == \
            (15095 & 255, "pbs_rsub: " + OTHER), (words, done.stderr)
    done = rsub(site, WINDOW + ["-g", "root"])
    assert done.returncode == 15045 & 255, done.stderr


def test_refusals_take_no_number(site):
    """PBS burns one; here numbers have no gaps."""
    def number():
        return int(accepted(site, WINDOW)["id"][1:].split(".")[0])
    first = number()
    for words, _, _ in ERRORS:
        rsub(site, words)
    assert number() == first + 1


# What may look wrong and is not.
FINE = [
    (["-N", "1abc"], {"Reserve_Name": "1abc"}),
    (["-N", "a", "-N", "b"], {"Reserve_Name": "b"}),  # the later one, but of lengths
    (["-m", "n", "-m", "ab", "-M", "a@b", "-M", "c@d"], {"Mail_Points": "ab", "Mail_Users": "c@d"}),
    (["-W", "Priority=5", "-W", "Priority=6"], {"Priority": "6"}),
    (["-l", "walltime=50"], {"Resource_List.walltime": "00:01:00", "reserve_duration": "60"}),
    (["-l", "place=scatter"], {"Resource_List.place": "scatter"}),
    (["-l", "ncpus=2,mem=10mb"], {"Resource_List.select": "1:mem=10mb:ncpus=2",
                                  "Resource_List.place": "free"}),
    (["-l", "nodes=2:ppn=1"], {"Resource_List.select": "2:ncpus=1:mpiprocs=1"}),
    (["-l", "select=900:ncpus=9"], {"Resource_List.ncpus": "8100"}),
    (["-W", "Priority=1024"], {"Priority": "1024"}),
    (["-W", "delete_idle_time=1:00"], {"delete_idle_time": "00:01:00"}),
    (["-m", "abce", "-M", "a@b,c@d"], {"Mail_Points": "abce", "Mail_Users": "a@b,c@d"}),
    (["-U", USER2], {"Authorized_Users": None}),
]


@pytest.mark.parametrize("words,expected", FINE, ids=[" ".join(f[0]) for f in FINE])
def test_what_is_accepted(site, words, expected):
    shown = accepted(site, WINDOW + words)
    for name, value in expected.items():
        assert value is None or shown.get(name) == value, (name, shown)
    assert shown["Reserve_Owner"] in shown["Authorized_Users"].split(",")
    assert shown["reserve_count"] == "1" and shown["reserve_state"] == "RESV_UNCONFIRMED"
    assert shown["Reserve_Name"] == expected.get("Reserve_Name", "NULL")


# 5.3: s, e: start and end; W: -D; D: reserve_duration. None: refused.
COMBINATIONS = [
    ({"s": 3600, "e": 3900}, (3600, 300)),
    ({"s": 3600, "W": 300}, (3600, 300)),
    ({"e": 3900, "W": 300}, (3600, 300)),
    ({"s": 3600, "e": 3900, "W": 300}, (3600, 300)),
    ({"s": 3600, "D": 300}, (3600, 300)),
    ({"e": 3900, "D": 300}, (3600, 300)),
    ({"s": 3600, "e": 3900, "D": 300}, (3600, 300)),
    ({"s": 3600, "D": 300, "W": 300}, (3600, 300)),
    ({"s": -60, "e": 3600}, None),
    ({"s": 3600, "e": 3600}, None),
    ({"s": 3600, "e": 3599}, None),
    ({"s": -60, "W": 300}, None),
    ({"s": 3600, "W": 0}, None),
    ({"e": 3600, "W": 0}, None),
    ({"e": 100, "W": 300}, None),
    ({"s": 3600, "e": 3900, "W": 299}, None),
    ({"s": 3600, "e": 3900, "W": 301}, None),
    ({"s": -60, "D": 300}, None),
    ({"s": 3600, "D": 0}, None),
    ({"e": 100, "D": 300}, None),
    ({"s": 3600, "e": 3900, "D": 299}, None),
    ({"s": 3600, "D": 300, "W": 301}, None),
    ({"s": 3600, "e": 3900, "D": 300, "W": 300}, None),
    ({"e": 3900, "D": 300, "W": 300}, None),
    ({"D": 300, "W": 300}, None),
    ({"W": 300}, None),
    ({"D": 300}, None),
]


@pytest.mark.parametrize("given,result", COMBINATIONS,
                         ids=["".join("%s%d" % kv for kv in g.items()) for g, _ in COMBINATIONS])
def test_times_follow_from_one_another(site, given, result):
    now = int(time.time())
    words = []
    for key, option in (("s", "-R"), ("e", "-E")):
        if key in given:
            words += [option, "@%d" % (now + given[key])]
    if "W" in given:
        words += ["-D", str(given["W"])]
    if "D" in given:
        words += ["-W", "reserve_duration=%d" % given["D"]]
    if result is None:
        done = rsub(site, words)
        assert (done.returncode, done.stderr.splitlines()[0]) == \
            (15086 & 255, "pbs_rsub: " + TIMES)
        return
    shown = accepted(site, words)
    start, duration = now + result[0], result[1]
    assert (epoch(shown["reserve_start"]), epoch(shown["reserve_end"])) == \
        (start, start + duration)
    assert (shown["reserve_duration"], shown["Resource_List.walltime"]) == \
        (str(duration), "00:%02d:%02d" % divmod(duration, 60))


def test_a_start_in_this_second_is_not_in_the_past(site):
    for _ in range(20):  # the second may pass between the two clocks
        done = rsub(site, ["-R", "@0", "-D", "600"])
        if done.returncode == 0:
            site.server.delete(done.stdout.split()[0])
            return
    raise AssertionError(done.stderr)


def test_an_end_before_a_start_of_four_digits_is_tomorrow(site):
    soon = datetime.datetime.utcnow() + datetime.timedelta(hours=2)
    before = soon - datetime.timedelta(hours=1)
    for start in (soon.strftime("%H%M"), soon.strftime("%H%M.30")):
        shown = accepted(site, ["-R", start, "-E", before.strftime("%H%M")])
        seconds = 23 * 3600 - (30 if "." in start else 0)
        assert shown["reserve_duration"] == str(seconds)
    full = soon.strftime("%Y%m%d%H%M")
    done = rsub(site, ["-R", full, "-E", before.strftime("%Y%m%d%H%M")])
    assert done.returncode == 15086 & 255


def day(months=0, days=0):
    """Noon of a day that comes."""
    at = datetime.datetime.utcnow().replace(hour=12, minute=0, second=0, microsecond=0)
    return at + datetime.timedelta(days=days + 31 * months)


def test_forms_of_dates(site):
    """[[[[CC]YY]MM]DD]hhmm[.SS], in the zone of the command."""
    at = day(days=2)
    def start(text, env=None):
        return datetime.datetime.utcfromtimestamp(
            epoch(accepted(site, ["-R", text, "-D", "60"], env=env)["reserve_start"]))
    for form in ("%Y%m%d%H%M", "%y%m%d%H%M"):
        assert start(at.strftime(form)) == at
        assert start(at.strftime(form) + ".07") == at.replace(second=7)
    if at.year == day().year and at.month == day().month:
        assert start(at.strftime("%m%d%H%M")) == start(at.strftime("%d%H%M")) == at
    year = day().year
    for text, expected in (("%d02301200" % (year + 1), datetime.datetime(year + 1, 3, 2, 12)),
                           ("%d02291200" % (year + 1), datetime.datetime(year + 1, 3, 1, 12)),
                           ("202802291200", datetime.datetime(2028, 2, 29, 12)),
                           ("6802011200", datetime.datetime(2068, 2, 1, 12))):
        if year + 1 != 2028 or "0229" not in text[4:] or text.startswith("2028"):
            assert start(text) == expected, text
    assert start(at.strftime("%Y%m%d%H%M"), env={"TZ": "Asia/Kolkata"}) == \
        at - datetime.timedelta(hours=5, minutes=30)
    soon = datetime.datetime.utcnow() + datetime.timedelta(minutes=90)
    assert start(soon.strftime("%H%M")) == soon.replace(second=0, microsecond=0)
    past = datetime.datetime.utcnow() - datetime.timedelta(minutes=90)
    assert start(past.strftime("%H%M")) == \
        past.replace(second=0, microsecond=0) + datetime.timedelta(days=1)


def test_times_are_judged_on_the_epoch(site):
    """Times that came from another program, in seconds, and such as no calendar has."""
    for words in (["reserve_start=soon", "reserve_end=later"], ["reserve_start=-1"],
                  ["reserve_start=99999999999999999999"]):
        options = [w for word in words for w in ("-W", word)]
        done = rsub(site, options + ["-D", "60"])
        assert done.returncode != 0 and done.stderr.startswith("pbs_rsub: "), words
    assert not site.server.status(RESV)
