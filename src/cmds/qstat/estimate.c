/* estimate.c - the column and the order of "qstat -T" (cli.md 4.5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qstat/qstat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_S     86400
#define YEARS_MAX 5
#define NO_START  INT64_MAX

static int64_t instant(const struct batch_status *job, const char *attr,
                       const char *member)
{
    const char *value = status_value(job, attr, member);

    return value && *value ? strtoll(value, NULL, 10) : -1;
}

void qstat_estimate(char out[CELL_MAX], const struct batch_status *job, time_t now_at)
{
    const char *state = cell_or(status_value(job, "job_state", NULL), "?");
    time_t at = (time_t)instant(job, "estimated", "start_time");
    struct tm start, now;

    /* Of a job that runs or has ended an estimate says nothing any more. */
    snprintf(out, CELL_MAX, "--");
    if (!strchr("QSB", *state) || at < 0)
        return;
    /* 0 means that the start is unknown (cli.md 4.9). */
    if (at == 0) {
        snprintf(out, CELL_MAX, "?");
        return;
    }
    if (at < now_at || !localtime_r(&at, &start) || !localtime_r(&now_at, &now))
        return;
    /* The further away the start is, the less of it is told, so that it fits into five
     * characters (cli.md 4.5). */
    if (start.tm_year == now.tm_year && start.tm_yday == now.tm_yday)
        strftime(out, CELL_MAX, "%H:%M", &start);
    else if (at - now_at < 7 * DAY_S) {
        strftime(out, CELL_MAX, "%a", &start);
        /* The hour overwrites the third letter of the day's name. */
        snprintf(out + 2, CELL_MAX - 2, " %02d", start.tm_hour);
    } else if (start.tm_year == now.tm_year)
        strftime(out, CELL_MAX, "%b", &start);
    else if (start.tm_year - now.tm_year < YEARS_MAX)
        strftime(out, CELL_MAX, "%Y", &start);
    else
        snprintf(out, CELL_MAX, ">%dyrs", YEARS_MAX);
}

struct rank {
    struct batch_status *job;
    int group; /* 0 has started, 1 will start, 2 unknown */
    int64_t start_at;
    size_t place; /* where it was: the last key */
};

static struct rank rank_of(struct batch_status *job, size_t place, time_t now_at)
{
    int64_t started_at = instant(job, "stime", NULL);
    int64_t expected_at = instant(job, "estimated", "start_time");

    /* An estimate that has passed is worth no more than none, so such a job is sorted
     * among those without one. */
    if (started_at > 0)
        return (struct rank){ job, 0, started_at, place };
    if (expected_at > now_at)
        return (struct rank){ job, 1, expected_at, place };
    return (struct rank){ job, 2, NO_START, place };
}

static int compare(const void *pa, const void *pb)
{
    const struct rank *a = pa, *b = pb;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->start_at != b->start_at)
        return a->start_at < b->start_at ? -1 : 1;
    /* qsort() is not stable; the place makes the order of equal jobs that of the
     * server. */
    return a->place < b->place ? -1 : 1;
}

struct batch_status *qstat_sort_by_start(struct batch_status *jobs, time_t now_at)
{
    struct batch_status *head = NULL, **end = &head;
    struct rank *all;
    size_t n = 0;

    for (const struct batch_status *j = jobs; j; j = j->next)
        n++;
    if (n == 0)
        return NULL;
    all = xcalloc(n, sizeof(*all));
    n = 0;
    for (struct batch_status *j = jobs; j; j = j->next, n++)
        all[n] = rank_of(j, n, now_at);
    qsort(all, n, sizeof(*all), compare);
    for (size_t i = 0; i < n; i++) {
        *end = all[i].job;
        end = &all[i].job->next;
    }
    *end = NULL;
    free(all);
    return head;
}
