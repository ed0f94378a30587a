/* remark_log.c - log lines of a cycle that are about none of its steps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/shell.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void log_stray(void *arg, const char *job_id, const char *vnode)
{
    const struct shell *sh = arg;

    logfile_printf(sh->log, LOG_EV_RESV, LOG_IN_RESV, job_id,
                   "Job has been assigned a node that doesn't exist in its "
                   "reservation: %s",
                   vnode);
}

static void log_occurrence(void *arg, const char *resv_id, int64_t number,
                           int64_t count, int64_t start_at)
{
    const struct shell *sh = arg;
    time_t at = (time_t)start_at;
    char text[32];
    struct tm tm;

    if (localtime_r(&at, &tm) && strftime(text, sizeof(text), "%Y%m%d-%H:%M:%S", &tm))
        logfile_printf(sh->log, LOG_EV_DEBUG2, LOG_IN_RESV, resv_id,
                       "Occurrence %lld/%lld,%s", (long long)number, (long long)count,
                       text);
}

/* Up to four decimals, without zeros behind them. */
static const char *number_text(double value, char text[static 32])
{
    size_t len = (size_t)snprintf(text, 32, "%.4f", value);

    /* A number of that size has no decimals that anybody would miss. */
    if (len >= 32) {
        snprintf(text, 32, "%g", value);
        return text;
    }
    while (strchr(text, '.') && (text[len - 1] == '0' || text[len - 1] == '.'))
        text[--len] = '\0';
    return text;
}

static void log_value(void *arg, const struct job_worth *w)
{
    const struct shell *sh = arg;
    char value[32], threshold[32];

    if (w->why)
        logfile_printf(sh->log, LOG_EV_DEBUG2, LOG_IN_JOB, w->id,
                       "Formula evaluation for job had an error.  Zero value will be "
                       "used: %s",
                       w->why);
    logfile_printf(sh->log, LOG_EV_DEBUG2, LOG_IN_JOB, w->id, "Formula Evaluation = %s",
                   number_text(w->value, value));
    if (w->under)
        logfile_printf(sh->log, LOG_EV_DEBUG2, LOG_IN_JOB, w->id,
                       "Job's formula value %s is under threshold %s",
                       number_text(w->value, value),
                       number_text(w->threshold, threshold));
}

/* Counted for those who have asked for the line. */
static void log_classes(struct shell *sh, struct planning *p)
{
    size_t n = logfile_mask(sh->log) & LOG_EV_DEBUG3 ? planning_classes(p) : 0;

    if (n)
        logfile_printf(sh->log, LOG_EV_DEBUG3, LOG_IN_SCHED, "create_resresv_sets",
                       "Number of job equivalence classes: %zu", n);
}

/* PBS ends the cycle behind these (scheduling.md 8). Here it goes on: whoever waits for
 * an answer about a reservation or a job has it. */
static void log_nothing_to_serve(struct shell *sh, const struct planning *p)
{
    if (!planning_has_partition(p))
        logfile_write(sh->log, LOG_EV_SCHED, LOG_IN_SERVER, "query_server",
                      "Scheduler does not contain a partition");
    else if (!planning_has_vnodes(p))
        logfile_write(sh->log, LOG_EV_SCHED, LOG_IN_SERVER, "query_nodes",
                      "No nodes found in partitions serviced by scheduler");
}

void shell_log_remarks(struct shell *sh, struct planning *p)
{
    const char *fault = planning_formula_fault(p);

    log_nothing_to_serve(sh, p);

    if (fault)
        logfile_printf(sh->log, LOG_EV_ERROR, LOG_IN_SCHED, "job_sort_formula",
                       "The formula cannot be computed, all jobs have the value 0: %s",
                       fault);
    if (planning_orders_twice(p))
        logfile_write(sh->log, LOG_EV_DEBUG, LOG_IN_SCHED, "job_sort_formula",
                      "Job sorting formula and job_sort_key are incompatible.  The job "
                      "sorting formula will be used.");
    log_classes(sh, p);
    planning_strays(p, log_stray, sh);
    /* Series have thousands of occurrences, and who has not asked for these lines does
     * not pay for them. */
    if (logfile_mask(sh->log) & LOG_EV_DEBUG2) {
        planning_occurrences(p, log_occurrence, sh);
        planning_values(p, log_value, sh);
    }
}
