# SPDX-License-Identifier: Apache-2.0
"""Zones and dates of reservations (reservations.md 5, 9.1, cli.md 1.9): series over every change of
the clocks of zones all over the world, beside what Python's zoneinfo says; names of zones; dates in
each of their forms, also where the clocks of the command change."""
import datetime
import zoneinfo

import pytest

from holdfast import *
from story import *
from test_resv_rules import occurrences, rsub

YEAR = datetime.datetime.utcnow().year + 1
HOUR, DAY = 3600, 86400
# North and south, east and west; whole hours, halves and quarters; a change by half an hour, by
# two, one that goes back in summer, and zones without any.
ZONES = ["Europe/Berlin", "Europe/London", "Europe/Dublin", "America/New_York", "America/Los_Angeles",
         "America/St_Johns", "America/Santiago", "Africa/Cairo", "Australia/Sydney",
         "Australia/Lord_Howe", "Pacific/Auckland", "Pacific/Chatham", "Antarctica/Troll",
         "Asia/Kolkata", "Asia/Kathmandu", "Pacific/Kiritimati", "Etc/GMT+5", "UTC"]


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=1) as c:
        yield c


def offset(zone, at):
    return int(datetime.datetime.fromtimestamp(at, zoneinfo.ZoneInfo(zone)).utcoffset()
               .total_seconds())


def changes(zone):
    """The seconds at which the clocks change in YEAR, with the offsets before and after."""
    at = int(datetime.datetime(YEAR, 1, 1, tzinfo=datetime.timezone.utc).timestamp())
    found = []
    for quarter in range(at, at + 365 * DAY, 900):
        before, after = offset(zone, quarter - 1), offset(zone, quarter)
        if before != after:
            found.append((quarter, before, after))
    return found


def instant(zone, local):
    """A time by the clocks of the zone: of two the first, of none as if they had not changed."""
    return int(local.replace(tzinfo=zoneinfo.ZoneInfo(zone), fold=0).timestamp())


def local(zone, at):
    return datetime.datetime.fromtimestamp(at, zoneinfo.ZoneInfo(zone)).replace(tzinfo=None, fold=0)


def test_the_zones_change_their_clocks_as_the_cases_say():
    """Or else the cases below would show nothing."""
    seen = {zone: changes(zone) for zone in ZONES}
    assert sum(bool(found) for found in seen.values()) >= 12
    assert all(len(found) in (0, 2) for found in seen.values())
    assert {abs(c[2] - c[1]) for found in seen.values() for c in found} >= {1800, HOUR, 2 * HOUR}


@pytest.mark.parametrize("zone", ZONES)
def test_days_over_each_change(site, zone):
    """At noon; and each day at the half hour that one of them leaves out or has twice."""
    for at, before, after in changes(zone) or [(instant(zone, datetime.datetime(YEAR, 5, 1)), 0, 0)]:
        # The first of the clocks' times that is skipped or shown twice, and half of the way on.
        shown = datetime.datetime.utcfromtimestamp(at + min(before, after)) + \
            datetime.timedelta(seconds=abs(after - before) // 2)
        for clock in (shown, shown.replace(hour=12, minute=0)):
            days = [clock + datetime.timedelta(days=i) for i in range(-1, 3)]
            expected = [instant(zone, day) for day in days]
            assert occurrences(site, "FREQ=DAILY;COUNT=4", expected[0], zone) == expected, clock


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Sydney",
                                  "Australia/Lord_Howe"])
def test_hours_over_each_change(site, zone):
    """What the clocks show twice is used once, what they leave out is where it would have been,
    and two that would begin together are one."""
    for at, before, after in changes(zone):
        first = at - 3 * HOUR - at % HOUR
        clocks = [local(zone, first) + datetime.timedelta(hours=i) for i in range(12)]
        starts = sorted({instant(zone, c) for c in clocks})[:8]
        assert occurrences(site, "FREQ=HOURLY;COUNT=8", first, zone) == starts


def test_a_month_and_a_year_over_changes(site):
    for zone in ("Europe/Berlin", "Pacific/Auckland"):
        clock = datetime.datetime(YEAR, 1, 15, 9, 30)
        expected = [instant(zone, clock.replace(month=m)) for m in range(1, 13)]
        assert occurrences(site, "FREQ=MONTHLY;COUNT=12", expected[0], zone) == expected
        expected = [instant(zone, clock.replace(year=YEAR + i, month=7)) for i in range(2)]
        assert occurrences(site, "FREQ=YEARLY;COUNT=2", expected[0], zone) == expected


def test_weekdays_are_those_of_the_zone(site):
    """When it is Monday morning in Kiritimati it is Sunday in UTC."""
    zone = "Pacific/Kiritimati"
    monday = datetime.datetime(YEAR, 5, 1, 8)
    monday += datetime.timedelta(days=-monday.weekday() % 7)
    expected = [instant(zone, monday + datetime.timedelta(days=7 * i)) for i in range(3)]
    assert datetime.datetime.utcfromtimestamp(expected[0]).weekday() == 6
    assert occurrences(site, "FREQ=WEEKLY;BYDAY=MO;COUNT=3", expected[0], zone) == expected
    hours = [instant(zone, monday.replace(hour=h)) for h in (9, 17)]
    assert occurrences(site, "FREQ=DAILY;BYHOUR=9,17;COUNT=2", expected[0], zone) == hours


def test_until_is_by_the_clocks_or_in_utc(site):
    zone = "Pacific/Auckland"
    clock = datetime.datetime(YEAR, 5, 1, 8)
    three = [instant(zone, clock + datetime.timedelta(days=i)) for i in range(3)]
    last = clock + datetime.timedelta(days=2)
    for until, n in ((last.strftime("%Y%m%dT%H%M%S"), 3),
                     (last.strftime("%Y%m%dT075959"), 2),
                     (datetime.datetime.utcfromtimestamp(three[2]).strftime("%Y%m%dT%H%M%SZ"), 3),
                     (datetime.datetime.utcfromtimestamp(three[2] - 1).strftime("%Y%m%dT%H%M%SZ"), 2)):
        assert occurrences(site, "FREQ=DAILY;UNTIL=" + until, three[0], zone) == three[:n]


# Other names of zones, also such as have no place: all that the data base of zones has.
ALIASES = ["US/Eastern", "EST5EDT", "GB", "NZ", "Asia/Calcutta", "Etc/UTC", "Zulu", "GMT0",
           "America/Argentina/Buenos_Aires", "CET", "Europe/Kiev"]


@pytest.mark.parametrize("zone", ALIASES)
def test_other_names_of_zones(site, zone):
    clock = datetime.datetime(YEAR, 7, 1, 9)
    expected = [instant(zone, clock + datetime.timedelta(days=184 * i)) for i in range(2)]
    assert occurrences(site, "FREQ=DAILY;INTERVAL=184;COUNT=2", expected[0], zone) == expected


@pytest.mark.parametrize("zone", ["europe/berlin", "Berlin", "CEST", "EST5", ":UTC", "posix/../UTC",
                                  "./UTC", "zone.tab", "tzdata.zi", "UTC\x01", "Ünknown"],
                         ids=repr)
def test_names_that_are_no_zones(site, zone):
    done = rsub(site, "FREQ=DAILY;COUNT=2", zone=zone)
    assert (done.returncode, done.stderr.splitlines()[0]) == \
        (15135 & 255, "pbs_rsub: Unrecognized PBS_TZID environment variable")
    assert not site.server.status(RESV)


def submitted(site, *words, tz="UTC"):
    """The start, and the end if it was told, of a reservation; None when it is refused."""
    done = site.run(["pbs_rsub", *words], user=USER1, check=False, env={"TZ": tz})
    if done.returncode == 15086 & 255:
        return None
    assert done.returncode == 0, done.stderr
    rid = done.stdout.split()[0]
    shown = site.server.status(RESV, rid)[0]
    site.server.delete(rid)
    return [int(datetime.datetime.strptime(shown[name], "%a %b %d %H:%M:%S %Y").replace(
        tzinfo=datetime.timezone.utc).timestamp()) for name in ("reserve_start", "reserve_end")]


@pytest.mark.parametrize("zone", ["America/New_York", "Australia/Sydney", "Europe/Berlin"])
def test_dates_where_the_clocks_of_the_command_change(site, zone):
    """Of two instants, or of none, mktime() chooses, which depends on what it was asked before:
    one of the two. Three hours later there is no choice."""
    for at, before, after in changes(zone):
        shown = datetime.datetime.utcfromtimestamp(at + min(before, after)) + \
            datetime.timedelta(minutes=30)
        for clock in (shown, shown + datetime.timedelta(hours=3)):
            text = clock.strftime("%Y%m%d%H%M")
            wanted = {int(clock.replace(tzinfo=zoneinfo.ZoneInfo(zone), fold=f).timestamp())
                      for f in (0, 1)}
            assert len(wanted) == (2 if clock == shown else 1)
            start, end = submitted(site, "-R", text, "-D", "60", tz=zone)
            assert start in wanted and end == start + 60
            start, end = submitted(site, "-E", text, "-D", "60", tz=zone)
            assert end in wanted and end == start + 60


def by_the_grammar(text, now):
    """What the date means, by the table of cli.md 1.9, in UTC."""
    text, _, seconds = text.partition(".")
    part = [int(text[i:i + 2]) for i in range(0, len(text), 2)]
    year, month, day = now.year, now.month, now.day
    later = datetime.timedelta()
    if len(part) == 6:
        year, month, day = part[0] * 100 + part[1], part[2], part[3]
    elif len(part) == 5:
        year, month, day = part[0] + (1900 if part[0] > 68 else 2000), part[1], part[2]
    elif len(part) == 4:
        month, day = part[0], part[1]
        year += month < now.month
    elif len(part) == 3:
        day = part[0]
        if day < now.day:
            year, month = (year, month + 1) if month < 12 else (year + 1, 1)
    elif part[-2:] <= [now.hour, now.minute]:
        later = datetime.timedelta(days=1)
    # Days that the month has not are those of the next one.
    start = datetime.datetime(year, month, 1, part[-2], part[-1], int(seconds or 0))
    return start + datetime.timedelta(days=day - 1) + later


def forms(now):
    """Dates around now in each form."""
    for minutes in (-90, -1, 0, 1, 90):
        at = now + datetime.timedelta(minutes=minutes)
        yield at.strftime("%H%M")
        yield at.strftime("%d%H%M")
        yield at.strftime("%m%d%H%M")
    for days in (-40, -3, 3, 40, 400):
        at = now + datetime.timedelta(days=days)
        for form in ("%d%H%M", "%m%d%H%M", "%y%m%d%H%M", "%Y%m%d%H%M", "%Y%m%d%H%M.59"):
            yield at.strftime(form)
    yield from ("310000", "02301200", "%d02291200" % (YEAR + 2), "6812312359",
                "202812312359.59", "197001010000")


def test_dates_in_each_form(site):
    for text in sorted(set(forms(datetime.datetime.utcnow()))):
        for _ in range(3):  # the minute may pass meanwhile
            now = datetime.datetime.utcnow()
            wanted = by_the_grammar(text, now)
            got = submitted(site, "-R", text, "-D", "60")
            if datetime.datetime.utcnow().minute == now.minute:
                break
        at = int(wanted.replace(tzinfo=datetime.timezone.utc).timestamp())
        if wanted == now.replace(microsecond=0) and got == [at, at + 60]:
            continue  # this very second is no time that has passed
        assert got == (None if wanted < now else [at, at + 60]), (text, wanted, now)
