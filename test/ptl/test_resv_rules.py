# SPDX-License-Identifier: Apache-2.0
"""Rules of standing reservations (reservations.md 9.1): every refusal with its code and text,
what is accepted, and when occurrences are by the clocks of a zone: over both changes of the
clocks, north and south, over leap days, and 10,000 of them."""
import calendar
import datetime
import os
import re
import struct
import time

import pytest

from holdfast import *
from holdfast.wire import Reader, number, open_local, string
from story import *

SYNTAX = "Undefined iCalendar syntax"
ENDLESS = "Undefined iCalendar syntax. A valid COUNT or UNTIL is required"
TIMES = "Bad time specification(s)"
YEAR = datetime.datetime.utcnow().year + 1


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=1) as c:
        yield c


def rsub(site, rule, start=3600, duration=600, zone="UTC", more=()):
    words = ["pbs_rsub", "-R", Reservation.clock(start), "-D", str(duration), "-r", rule,
             "-l", "select=1:ncpus=1"]
    return site.run(words + list(more), user=USER1, check=False, env={"PBS_TZID": zone})


def stored_starts(site, rid):
    """The starts of later occurrences: bundles have lists of them, one alone has a row."""
    alone = site.sql("SELECT value FROM attributes WHERE kind = 'occurrence' AND "
                     "id LIKE '%s[%%' AND attr = 'reserve_start'" % rid.split(".")[0])
    lists = site.sql("SELECT value FROM attributes WHERE kind = 'occurrences' AND "
                     "id LIKE '%s[%%' AND attr = 'times'" % rid.split(".")[0])
    return sorted([int(row[0]) for row in alone] +
                  [int(time.split("+")[0]) for row in lists for time in row[0].split(",")])


def occurrences(site, rule, start, zone="UTC", duration=60):
    """The starts of all occurrences of the series, which is confirmed and deleted again."""
    done = rsub(site, rule, start, duration, zone, ["-I", "60"])
    assert done.returncode == 0 and done.stdout.endswith(" CONFIRMED\n"), (done.stdout,
                                                                            done.stderr)
    rid = done.stdout.split()[0]
    shown = site.server.status(RESV, rid)[0]
    first = calendar.timegm(time.strptime(shown["reserve_start"], "%a %b %d %H:%M:%S %Y"))
    later = stored_starts(site, rid)
    site.server.delete(rid)
    starts = [first] + later
    assert len(starts) == int(shown["reserve_count"])
    return starts


def utc(*parts):
    return calendar.timegm(datetime.datetime(*parts).timetuple())


def last_sunday(year, month):
    days = calendar.monthcalendar(year, month)
    return max(week[6] for week in days)


def nth_sunday(year, month, n):
    return [week[6] for week in calendar.monthcalendar(year, month) if week[6]][n - 1]


# Each refusal of the table, in its order; the length is 600 seconds unless it says another.
REFUSED = [
    ("FREQ=DAILY;COUNT=2", 600, "Mars/Base", 15135, "Unrecognized PBS_TZID environment variable"),
    ("nonsense", 600, "Mars/Base", 15135, "Unrecognized PBS_TZID environment variable"),
    ("nonsense", 600, "UTC", 15133, SYNTAX),
    ("FREQ=", 600, "UTC", 15133, SYNTAX),
    ("FREQ=FORTNIGHTLY;COUNT=2", 600, "UTC", 15133, SYNTAX),
    ("COUNT=2", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=2;BYDAY=1MO", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=2;BYDAY=-1MO", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=2;BYDAY=XX", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=2;BYHOUR=24", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=2;BYHOUR=-1", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=2;BYHOUR=", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=2;BYSECOND=1", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=2;BYMINUTE=1", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=2;BYYEARDAY=1", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=2;BYMONTHDAY=1", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=2;BYWEEKNO=1", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=2;BYSETPOS=1", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=2;UNTIL=20990101T000000Z", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=-1", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=x", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;COUNT=2;INTERVAL=0", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY;UNTIL=tomorrow", 600, "UTC", 15133, SYNTAX),
    ("FREQ=DAILY", 600, "UTC", 15134, ENDLESS),
    ("FREQ=DAILY;UNTIL=20200101T000000Z", 600, "UTC", 15086, TIMES),
    ("FREQ=SECONDLY;COUNT=2;INTERVAL=9", 2, "UTC", 15132,
     "SECONDLY recurrence duration cannot exceed 1 second"),
    ("FREQ=MINUTELY;COUNT=2;INTERVAL=9", 61, "UTC", 15131,
     "MINUTELY recurrence duration cannot exceed 1 minute"),
    ("FREQ=HOURLY;COUNT=2;INTERVAL=9", 3601, "UTC", 15130,
     "HOURLY recurrence duration cannot exceed 1 hour"),
    ("FREQ=DAILY;COUNT=2;INTERVAL=9", 86401, "UTC", 15129,
     "DAILY recurrence duration cannot exceed 24 hours"),
    ("FREQ=WEEKLY;COUNT=2;INTERVAL=9", 7 * 86400 + 1, "UTC", 15128,
     "WEEKLY recurrence duration cannot exceed 1 week"),
    ("FREQ=MONTHLY;COUNT=2;INTERVAL=9", 30 * 86400 + 1, "UTC", 15127,
     "MONTHLY recurrence duration cannot exceed 1 month"),
    ("FREQ=YEARLY;COUNT=2;INTERVAL=9", 30 * 365 * 86400 + 1, "UTC", 15126,
     "YEARLY recurrence duration cannot exceed 1 year"),
    ("FREQ=DAILY;COUNT=9;BYHOUR=7,8", 3601, "UTC", 15086, TIMES),
    ("FREQ=MINUTELY;COUNT=10001", 60, "UTC", 15086, TIMES),
]


@pytest.mark.parametrize("rule,length,zone,code,text", REFUSED, ids=[r[0] for r in REFUSED])
def test_refusals(site, rule, length, zone, code, text):
    done = rsub(site, rule, duration=length, zone=zone)
    assert (done.returncode, done.stderr.splitlines()[0], done.stdout) == \
        (code & 255, "pbs_rsub: " + text, ""), done.stderr
    assert not site.server.status(RESV)


@pytest.mark.parametrize("zone", ["Mars/Base", "../../etc/passwd", "/etc/localtime", "",
                                  "Europe", "Europe/", "x" * 5000, "Europe/Berlin ", "utc\n"])
def test_zones_that_are_none(site, zone):
    done = rsub(site, "FREQ=DAILY;COUNT=2", zone=zone)
    assert (done.returncode, done.stderr.splitlines()[0]) == \
        (15135 & 255, "pbs_rsub: Unrecognized PBS_TZID environment variable")


def test_a_rule_has_66_characters_at_most(site):
    """The longest one is accepted; a client that does not count is refused by the server."""
    rule = "FREQ=WEEKLY;COUNT=2;WKST=MO;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=1,12"
    assert len(rule) == 66
    assert occurrences(site, rule, int(time.time()) + 3600)
    for longer in (rule.replace("1,12", "11,12"), rule + ",3", rule + ",3" * 1000):
        done = rsub(site, longer)
        assert done.returncode == 2 and "expression too long" in done.stderr
        done = site.run(["pbs_rsub", "-R", Reservation.clock(3600), "-D", "60",
                         "-W", "reserve_timezone=UTC", "-W", "reserve_standing=1",
                         "-W", "reserve_rrule='%s'" % longer], user=USER1, check=False)
        assert done.returncode in (15133 & 255, 15003 & 255), (done.returncode, done.stderr)
        assert not site.server.status(RESV)


def test_a_length_may_be_the_whole_distance(site):
    now = int(time.time()) + 3600
    for rule, length in (("FREQ=SECONDLY;COUNT=3", 1), ("FREQ=MINUTELY;COUNT=3", 60),
                         ("FREQ=HOURLY;COUNT=3", 3600), ("FREQ=DAILY;COUNT=3", 86400)):
        starts = occurrences(site, rule, now, duration=length)
        assert [b - a for a, b in zip(starts, starts[1:])] == [length, length]


def test_the_first_one_is_the_first_date_of_the_rule(site):
    """Until it is confirmed the start is as it was asked for."""
    days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    asked = datetime.datetime.utcnow().replace(microsecond=0) + datetime.timedelta(days=1)
    later = asked + datetime.timedelta(days=2)
    starts = occurrences(site, "FREQ=WEEKLY;COUNT=2;BYDAY=" + days[later.weekday()],
                         calendar.timegm(asked.timetuple()))
    assert starts == [calendar.timegm(later.timetuple()) + i * 7 * 86400 for i in (0, 1)]
    site.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "False"})
    done = rsub(site, "FREQ=WEEKLY;COUNT=2;BYDAY=" + days[later.weekday()],
                calendar.timegm(asked.timetuple()))
    rid = done.stdout.split()[0]
    shown = site.server.status(RESV, rid)[0]
    assert shown["reserve_start"] == asked.strftime("%a %b %d %H:%M:%S %Y")
    site.server.delete(rid)
    site.server.manager(MGR_CMD_SET, SERVER, {"scheduling": "True"})


BERLIN, YORK, SYDNEY = "Europe/Berlin", "America/New_York", "Australia/Sydney"


def days_around(first, n, hour, minute=0):
    return [(first + datetime.timedelta(days=i)).replace(hour=hour, minute=minute)
            for i in range(n)]


@pytest.mark.parametrize("zone,change,before_h,after_h", [
    # the day on which the clocks change; hours behind UTC before and after it
    (BERLIN, datetime.datetime(YEAR, 3, last_sunday(YEAR, 3)), 1, 2),
    (BERLIN, datetime.datetime(YEAR, 10, last_sunday(YEAR, 10)), 2, 1),
    (YORK, datetime.datetime(YEAR, 3, nth_sunday(YEAR, 3, 2)), -5, -4),
    (YORK, datetime.datetime(YEAR, 11, nth_sunday(YEAR, 11, 1)), -4, -5),
    (SYDNEY, datetime.datetime(YEAR, 10, nth_sunday(YEAR, 10, 1)), 10, 11),
    (SYDNEY, datetime.datetime(YEAR, 4, nth_sunday(YEAR, 4, 1)), 11, 10),
], ids=["Berlin spring", "Berlin autumn", "New York spring", "New York autumn",
        "Sydney spring", "Sydney autumn"])
def test_days_over_a_change_of_the_clocks(site, zone, change, before_h, after_h):
    """At noon by the clocks of the zone, whatever UTC says."""
    noon = days_around(change - datetime.timedelta(days=1), 3, 12)
    hours = (before_h, after_h, after_h)
    expected = [calendar.timegm(at.timetuple()) - h * 3600 for at, h in zip(noon, hours)]
    assert occurrences(site, "FREQ=DAILY;COUNT=3", expected[0], zone) == expected


def test_an_hour_that_is_left_out_and_one_that_comes_twice(site):
    """New York: 2:30 is no time in the night of spring, 1:30 comes twice in that of autumn."""
    spring = datetime.datetime(YEAR, 3, nth_sunday(YEAR, 3, 2))
    before = spring - datetime.timedelta(days=1)
    starts = occurrences(site, "FREQ=DAILY;COUNT=3", utc(before.year, before.month, before.day,
                                                         2 + 5, 30), YORK)
    day = 86400
    assert len(set(starts)) == 3 and starts == sorted(starts)
    assert starts[0] == utc(before.year, before.month, before.day, 7, 30)
    # The last one is at 2:30 in summer time; the one of the gap is within an hour of its place.
    after = spring + datetime.timedelta(days=1)
    assert starts[2] == utc(after.year, after.month, after.day, 6, 30)
    assert abs(starts[1] - (starts[0] + day)) <= 3600
    autumn = datetime.datetime(YEAR, 11, nth_sunday(YEAR, 11, 1))
    before = autumn - datetime.timedelta(days=1)
    starts = occurrences(site, "FREQ=DAILY;COUNT=3", utc(before.year, before.month, before.day,
                                                         1 + 4, 30), YORK)
    assert starts[1] in (utc(autumn.year, autumn.month, autumn.day, 5, 30),
                         utc(autumn.year, autumn.month, autumn.day, 6, 30))
    after = autumn + datetime.timedelta(days=1)
    assert (starts[0], starts[2]) == (utc(before.year, before.month, before.day, 5, 30),
                                      utc(after.year, after.month, after.day, 6, 30))


def test_hours_over_a_change_of_the_clocks(site):
    """None comes twice; of the hour that the clocks show twice one is left out."""
    for change in (datetime.datetime(YEAR, 3, nth_sunday(YEAR, 3, 2), 4),
                   datetime.datetime(YEAR, 11, nth_sunday(YEAR, 11, 1), 3)):
        start = calendar.timegm(change.timetuple())
        starts = occurrences(site, "FREQ=HOURLY;COUNT=8", start, YORK)
        assert len(starts) == 8 and len(set(starts)) == 8
        assert all(b - a in (3600, 7200) for a, b in zip(starts, starts[1:])), starts


def leap_year():
    year = YEAR
    while not calendar.isleap(year):
        year += 1
    return year


def test_leap_days(site):
    """February has its 29th day in a leap year; a day that a month has not is left out."""
    year = leap_year()
    assert occurrences(site, "FREQ=DAILY;COUNT=3", utc(year, 2, 28, 12)) == \
        [utc(year, 2, 28, 12), utc(year, 2, 29, 12), utc(year, 3, 1, 12)]
    assert occurrences(site, "FREQ=YEARLY;COUNT=3", utc(year, 2, 28, 12)) == \
        [utc(year + i, 2, 28, 12) for i in range(3)]
    assert occurrences(site, "FREQ=MONTHLY;COUNT=3", utc(year, 1, 31, 12)) == \
        [utc(year, 1, 31, 12), utc(year, 3, 31, 12), utc(year, 5, 31, 12)]


def test_parts_that_choose(site):
    """INTERVAL, BYHOUR, BYMONTH, UNTIL in UTC and in the time of the zone."""
    assert occurrences(site, "FREQ=DAILY;INTERVAL=10;COUNT=2", utc(YEAR, 5, 1, 8)) == \
        [utc(YEAR, 5, 1, 8), utc(YEAR, 5, 11, 8)]
    assert occurrences(site, "FREQ=DAILY;COUNT=4;BYHOUR=7,9", utc(YEAR, 5, 1, 8)) == \
        [utc(YEAR, 5, 1, 9), utc(YEAR, 5, 2, 7), utc(YEAR, 5, 2, 9), utc(YEAR, 5, 3, 7)]
    assert occurrences(site, "FREQ=MONTHLY;COUNT=2;BYMONTH=6,8", utc(YEAR, 5, 1, 8)) == \
        [utc(YEAR, 6, 1, 8), utc(YEAR, 8, 1, 8)]
    assert occurrences(site, "FREQ=DAILY;UNTIL=%d0503T080000Z" % YEAR, utc(YEAR, 5, 1, 8)) == \
        [utc(YEAR, 5, d, 8) for d in (1, 2, 3)]
    assert occurrences(site, "FREQ=DAILY;UNTIL=%d0503T075959Z" % YEAR, utc(YEAR, 5, 1, 8)) == \
        [utc(YEAR, 5, d, 8) for d in (1, 2)]
    berlin = utc(YEAR, 5, 1, 6)  # 8 o'clock there
    assert occurrences(site, "FREQ=DAILY;UNTIL=%d0502T080000" % YEAR, berlin, BERLIN) == \
        [berlin, berlin + 86400]


def test_ten_thousand(site):
    """They are confirmed, shown and gone again, each once."""
    starts = occurrences(site, "FREQ=MINUTELY;COUNT=10000", int(time.time()) + 3600)
    assert [b - a for a, b in zip(starts, starts[1:])] == [60] * 9999
    assert site.sql("SELECT count(*) FROM objects WHERE kind LIKE 'occurrence%'") == [["0"]]


def test_the_sequence_is_written_as_it_is_read(site):
    """reserve_execvnodes: how many, and for each vnodes the places of their occurrences."""
    with Root(site) as root:
        rid = rsub(site, "FREQ=DAILY;COUNT=3", more=["-I", "60"]).stdout.split()[0]
        values = root.status(71, rid)
        assert values["reserve_execvnodes"] == "3#(vn[0]:ncpus=1){0-2}"
        assert (values["reserve_count"], values["reserve_index"]) == ("3", "1")
        site.server.delete(rid)


def test_what_lies_three_years_behind_the_start_is_not_counted(site):
    year = leap_year()
    assert occurrences(site, "FREQ=YEARLY;COUNT=2", utc(year, 2, 29, 12)) == \
        [utc(year, 2, 29, 12)]


class Root:
    """The server's own socket, for values that pbs_rstat does not print."""

    def __init__(self, site):
        self.c = open_local(os.path.join(site.home, "ipc", "server.sock"))
        assert self.c.connect("root").code == 0

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.c.s.close()

    def status(self, kind, id):
        self.c.send("+2+2" + number(kind) + string("root") + string(id) + "+0" + "+0")
        head = self.c.take(11)
        text = self.c.take(struct.unpack(">I", head[7:])[0]).decode("latin1")
        found = re.findall(r"\d*\+(\d+)(reserve_\w+)\+0", text)
        return {name: self.value_after(text, name) for _, name in found}

    @staticmethod
    def value_after(text, name):
        r = Reader(text)
        r.at = text.index(name) + len(name)
        assert r.number() == 0
        return r.string()
