/* recur.c - rules are read here and expanded by libical.
 *
 * libical is given a text of ours, made of what was understood, and of that only the
 * parts that add occurrences to a period (RFC 5545, 3.3.10). The parts that take some
 * away are applied here: the library would look for a match without end, seven seconds
 * for a SECONDLY rule with a BYMONTH, in a loop that nobody can leave. A rule without
 * parts that add is walked here as well: its dates are equally far from one another,
 * and the library needs 3 microseconds for each.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/recur.h"

#include "lib/base/buf.h"
#include "lib/cal/recur_rule.h"

#include <libical/ical.h>
#include <string.h>

struct recur {
    struct recur_rule rule;
    struct icalrecurrencetype expand;
};

/* For each frequency: which parts of a rule add occurrences, how long an occurrence may
 * be, and the error when it is longer; how far its dates are from one another when
 * nothing is added, 0 where months and years are of different lengths. */
static const struct {
    bool hours, days, months; /* BYHOUR, BYDAY, BYMONTH add occurrences */
    int64_t step_s;
    int64_t longest_s;
    int too_long;
} frequencies[] = {
    [RECUR_SECONDLY] = { false, false, false, 1, 1, PBSE_BAD_RRULE_SECONDLY },
    [RECUR_MINUTELY] = { false, false, false, 60, 60, PBSE_BAD_RRULE_MINUTELY },
    [RECUR_HOURLY] = { false, false, false, 3600, 3600, PBSE_BAD_RRULE_HOURLY },
    [RECUR_DAILY] = { true, false, false, 86400, 86400, PBSE_BAD_RRULE_DAILY },
    [RECUR_WEEKLY] = { true, true, false, 7 * 86400, 7 * 86400, PBSE_BAD_RRULE_WEEKLY },
    [RECUR_MONTHLY] = { true, true, false, 0, 30 * 86400, PBSE_BAD_RRULE_MONTHLY },
    [RECUR_YEARLY] = { true, true, true, 0, INT64_C(30) * 365 * 86400,
                       PBSE_BAD_RRULE_YEARLY },
};

/* True when the parts of the rule that take occurrences away leave this one. A part
 * that adds occurrences at this frequency is libical's and not asked again. */
static bool is_left(const struct recur_rule *r, struct date d)
{
    if (!frequencies[r->frequency].hours && r->hours && !(r->hours >> d.hour & 1))
        return false;
    if (!frequencies[r->frequency].days && r->days && !(r->days >> d.weekday & 1))
        return false;
    return frequencies[r->frequency].months || !r->months || r->months >> d.month & 1;
}

static void add_numbers(struct buf *out, const char *part, uint32_t set)
{
    const char *separator = part;

    for (int i = 0; i < 32; i++)
        if (set >> i & 1) {
            buf_printf(out, "%s%d", separator, i);
            separator = ",";
        }
}

static void add_days(struct buf *out, uint32_t set)
{
    const char *separator = ";BYDAY=";

    for (int i = 0; i < 7; i++)
        if (set >> i & 1) {
            buf_printf(out, "%s%s", separator, recur_weekdays[i]);
            separator = ",";
        }
}

/* The rule as libical gets it: written anew from what was understood, so that no
 * text of a user reaches the library. */
static struct icalrecurrencetype expansion(const struct recur_rule *r)
{
    struct icalrecurrencetype got;
    struct buf text = { 0 };

    buf_printf(&text, "FREQ=%s;INTERVAL=%d;WKST=%s", recur_frequencies[r->frequency],
               r->interval, recur_weekdays[r->week_start]);
    if (frequencies[r->frequency].hours)
        add_numbers(&text, ";BYHOUR=", r->hours);
    if (frequencies[r->frequency].days)
        add_days(&text, r->days);
    if (frequencies[r->frequency].months)
        add_numbers(&text, ";BYMONTH=", r->months);
    got = icalrecurrencetype_from_string(text.data);
    buf_fini(&text);
    return got;
}

int recur_parse(const char *text, struct arena *arena, struct recur **ret,
                struct diag *why)
{
    struct recur *r = ARENA_NEW(arena, struct recur);

    if (!recur_rule_parse(text, &r->rule))
        return diag_code(why, PBSE_BAD_RRULE_SYNTAX);
    if (r->rule.count == 0 && !r->rule.has_until)
        return diag_code(why, PBSE_BAD_RRULE_SYNTAX2);
    r->expand = expansion(&r->rule);
    if (r->expand.freq == ICAL_NO_RECURRENCE)
        return diag_code(why, PBSE_BAD_RRULE_SYNTAX);
    *ret = r;
    return 0;
}

struct walk {
    const struct recur *r;
    const struct zone *zone;
    int64_t start_at;
    int64_t start_local_s;
    int64_t step_s;       /* between two dates; 0: libical knows them */
    int64_t next_local_s; /* then; INT64_MAX: there is none any more */
    int64_t until_at;     /* the last instant at which one may begin */
    int64_t last_at;      /* of the occurrence before */
    size_t n;             /* occurrences so far */
    size_t n_steps;
    bool is_tired; /* all steps are used up: there may be more */
    icalrecur_iterator *dates;
};

static struct icaltimetype time_of(struct date d)
{
    return (struct icaltimetype){ .year = (int)d.year,
                                  .month = d.month,
                                  .day = d.day,
                                  .hour = d.hour,
                                  .minute = d.minute,
                                  .second = d.second };
}

static struct date date_from(struct icaltimetype t)
{
    const struct date d = { .year = t.year,
                            .month = t.month,
                            .day = t.day,
                            .hour = t.hour,
                            .minute = t.minute,
                            .second = t.second };

    return date_of(date_at(d, 0), 0); /* with its weekday */
}

/* The last instant at which an occurrence may begin. A time without Z is local. */
static int64_t until(const struct recur_rule *r, const struct zone *z)
{
    if (!r->has_until)
        return INT64_MAX;
    return r->until_is_utc ? date_at(r->until, 0)
                           : zone_instant(z, date_at(r->until, 0));
}

/* How far the dates of a rule are from one another, when they are equally far. */
static int64_t step_of(const struct recur_rule *r)
{
    bool adds = (frequencies[r->frequency].hours && r->hours) ||
                (frequencies[r->frequency].days && r->days) ||
                (frequencies[r->frequency].months && r->months);

    return adds ? 0 : r->interval * frequencies[r->frequency].step_s;
}

static void walk_init(struct walk *w, const struct recur *r, const struct zone *z,
                      int64_t start_at)
{
    *w = (struct walk){ .r = r,
                        .zone = z,
                        .start_at = start_at,
                        .last_at = INT64_MIN,
                        .next_local_s = INT64_MAX };
    w->until_at = until(&r->rule, z);
    /* libical counts in years of four digits. Without dates the walk is at its end. */
    if (start_at < 0 || start_at > RECUR_LAST_AT || r->rule.never)
        return;
    w->start_local_s = start_at + zone_offset_s(z, start_at);
    w->step_s = step_of(&r->rule);
    if (w->step_s > 0) {
        w->next_local_s = w->start_local_s;
        return;
    }
    w->dates = icalrecur_iterator_new(r->expand, time_of(date_of(w->start_local_s, 0)));
}

static void walk_fini(struct walk *w)
{
    if (w->dates)
        icalrecur_iterator_free(w->dates);
}

/* The next date of libical's, with its weekday. */
static bool next_of_library(struct walk *w, struct date *ret)
{
    struct icaltimetype t;

    if (!w->dates)
        return false;
    t = icalrecur_iterator_next(w->dates);
    if (t.year == 0)
        return false;
    *ret = date_from(t);
    return true;
}

static bool next_of_step(struct walk *w, struct date *ret)
{
    MUST(w->step_s > 0 && !w->dates);
    if (w->next_local_s > RECUR_LAST_AT)
        return false;
    *ret = date_of(w->next_local_s, 0);
    w->next_local_s += w->step_s;
    return true;
}

/* The next date that the parts of the rule agree on, as an instant. */
static bool next_date(struct walk *w, int64_t *ret_at)
{
    while (!w->is_tired) {
        struct date d;
        int64_t local_s;

        if (!(w->step_s ? next_of_step(w, &d) : next_of_library(w, &d)))
            return false;
        w->is_tired = ++w->n_steps == RECUR_MAX_STEPS;
        if (!is_left(&w->r->rule, d))
            continue;
        local_s = date_at(d, 0);
        /* The first occurrence is the start that was asked for, also in the hour
         * that a clock goes through twice. */
        *ret_at =
            local_s == w->start_local_s ? w->start_at : zone_instant(w->zone, local_s);
        if (*ret_at > w->until_at)
            return false;
        /* Two local times may be one instant when clocks change; an instant is an
         * occurrence once only. */
        if (*ret_at >= w->start_at && *ret_at > w->last_at)
            return true;
    }
    return false;
}

static bool walk_next(struct walk *w, int64_t *ret_at)
{
    MUST(w->n == 0 || w->last_at >= w->start_at);
    if ((w->r->rule.count > 0 && w->n >= w->r->rule.count) || !next_date(w, ret_at))
        return false;
    w->last_at = *ret_at;
    w->n++;
    return true;
}

size_t recur_list(const struct recur *r, const struct zone *z, int64_t start_at,
                  int64_t before_at, size_t max, int64_t *ret_at)
{
    struct walk w;
    size_t n = 0;
    int64_t at;

    MUST(max == 0 || ret_at);
    walk_init(&w, r, z, start_at);
    while (n < max && walk_next(&w, &at) && at < before_at)
        ret_at[n++] = at;
    walk_fini(&w);
    return n;
}

int recur_expand(const struct recur *r, const struct zone *z, int64_t start_at,
                 int64_t duration_s, int64_t *ret_at, size_t *ret_n, struct diag *why)
{
    int64_t at, before_at = INT64_MAX, least_s = INT64_MAX;
    struct walk w;
    size_t n = 0;

    walk_init(&w, r, z, start_at);
    /* One occurrence more than allowed is enough to know that there are too many. */
    while (n <= RECUR_MAX && walk_next(&w, &at) && at - start_at < RECUR_HORIZON_S) {
        if (n > 0)
            least_s = MIN_OF(least_s, at - before_at);
        if (n < RECUR_MAX)
            ret_at[n] = at;
        n++;
        before_at = at;
    }
    walk_fini(&w);
    if (n == 0 || n > RECUR_MAX || w.is_tired)
        return diag_code(why, PBSE_BADTSPEC);
    if (duration_s > frequencies[r->rule.frequency].longest_s)
        return diag_code(why, frequencies[r->rule.frequency].too_long);
    if (least_s < duration_s)
        return diag_code(why, PBSE_BADTSPEC);
    *ret_n = n;
    return 0;
}
