/* resv_log.c - the server's log lines about reservations (reservations.md 22).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/resv_oversub.h"
#include "server/model/resv_state.h"
#include "server/react/reactions.h"
#include "server/react/resv_react.h"

#include "lib/base/log.h"

#include <string.h>

void react_resv_log_new(const struct reaction *r, const struct object *o)
{
    char start[DATE_TEXT_BYTES];
    char end[DATE_TEXT_BYTES];

    effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, o->id,
               "New reservation submitted start=%s end=%s",
               date_text(react_date(r, obj_num(o, RESV_A_RESERVE_START, 0)), start),
               date_text(react_date(r, obj_num(o, RESV_A_RESERVE_END, 0)), end));
}

/* One made out of a job is told when the job has moved into it (job_log.c). */
static void log_submitted(const struct reaction *r)
{
    if (!obj_is_set(react_resv(r), RESV_A_RESERVE_JOB))
        react_resv_log_new(r, react_resv(r));
}

static void log_confirmed(const struct reaction *r)
{
    effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, r->rec->id,
               "Reservation confirmed");
}

/* A forced one may be in somebody's way. */
static void log_oversub(const struct reaction *r)
{
    struct arena *arena = r->out->arena;
    struct oversub found = resv_oversub(TO_RESV(react_resv(r)), r->now_at, arena);
    const char *jobs = oversub_text(found.jobs, found.n_jobs, arena);
    const char *resvs = oversub_text(found.resvs, found.n_resvs, arena);

    if (jobs || resvs)
        effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, r->rec->id,
                   "Reservation oversubscribes vnodes%s%s%s%s", jobs ? " jobs=" : "",
                   jobs ? jobs : "", resvs ? " reservations=" : "", resvs ? resvs : "");
}

static void log_altered(const struct reaction *r)
{
    effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, r->rec->id,
               "Reservation alter confirmed");
    log_oversub(r);
}

/* Nor was anybody asked about one out of a job. Its job is in it only now. */
static void log_started(const struct reaction *r)
{
    if (obj_is_set(react_resv(r), RESV_A_RESERVE_JOB))
        log_oversub(r);
}

static void log_alter_denied(const struct reaction *r)
{
    effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, r->rec->id,
               "Reservation alter denied");
}

/* The event is that of jobs; readers search the text. */
static void log_denied(const struct reaction *r)
{
    effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_RESV, r->rec->id,
               "Reservation denied");
    effect_log(r->out, r->rec->seq, LOG_EV_DEBUG, LOG_IN_RESV, r->rec->id,
               "reservation deleted");
}

/* A line of its own newline, as it has always been: an empty line follows. */
static void log_attempt(const struct reaction *r, const char *word)
{
    int64_t at = obj_num(react_resv(r), RESV_A_RESERVE_RETRY, 0);
    char date[DATE_TEXT_BYTES];

    effect_log(r->out, r->rec->seq, LOG_EV_DEBUG2, LOG_IN_RESV, r->rec->id,
               "%s attempt to reconfirm reservation will be made on %s\n", word,
               date_ctime(react_date(r, at), date));
}

static void log_degraded(const struct reaction *r)
{
    for (size_t i = 0; i < r->rec->n_changes; i++)
        if (r->rec->changes[i].attr == RESV_A_RESERVE_RETRY)
            log_attempt(r, "An");
}

static void log_retry(const struct reaction *r)
{
    log_attempt(r, "Next");
}

static void log_ending(const struct reaction *r)
{
    if (r->rec->reason == REASON_IDLE)
        effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, r->rec->id,
                   "Deleting reservation after being idle for %" PRId64 " seconds",
                   obj_num(react_resv(r), RESV_A_DELETE_IDLE_TIME, 0));
}

static const struct {
    enum fact fact;
    react_fn log;
} rows[] = {
    { FACT_RESV_SUBMITTED, log_submitted },
    { FACT_RESV_CONFIRMED, log_confirmed },
    { FACT_RESV_RECONFIRMED, log_confirmed },
    { FACT_RESV_STARTED, log_started },
    { FACT_RESV_ALTERED, log_altered },
    { FACT_RESV_ALTER_DENIED, log_alter_denied },
    { FACT_RESV_DENIED, log_denied },
    { FACT_RESV_DEGRADED, log_degraded },
    { FACT_RESV_RETRY, log_retry },
    { FACT_RESV_ENDING, log_ending },
};

void react_resv_log(const struct reaction *r)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].fact == r->rec->fact)
            rows[i].log(r);
}
