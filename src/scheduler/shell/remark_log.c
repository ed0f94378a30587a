/* remark_log.c - log lines of a cycle that are about none of its steps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/shell.h"

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

void shell_log_remarks(struct shell *sh, const struct planning *p)
{
    planning_strays(p, log_stray, sh);
    /* Series have thousands of occurrences, and who has not asked for these lines does
     * not pay for them. */
    if (logfile_mask(sh->log) & LOG_EV_DEBUG2)
        planning_occurrences(p, log_occurrence, sh);
}
