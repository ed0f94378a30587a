/* step_log.c - log lines about the steps of a plan (scheduling.md 32, reservations.md
 * 23).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/shell.h"

#include <string.h>
#include <time.h>

static void time_words(struct buf *out, const char *before, int64_t at)
{
    char text[20];

    log_time_text(at, text);
    buf_printf(out, "%s%s", before, text);
}

/* A second line for people: what exactly was short, who has it, and when it would fit.
 */
static void log_detail(struct shell *sh, const struct plan_step *step)
{
    const struct plan_short *why = &step->why;
    struct buf out = { 0 };

    MUST(!why->holder || why->vnode); /* it is held there */
    buf_add_str(&out, step->shortage);
    if (why->holder) {
        buf_printf(&out, "%s%s is held by %s", out.len ? "; " : "", why->vnode,
                   why->holder);
        time_words(&out, " until ", why->until_at);
    }
    if (why->earliest_at)
        time_words(&out, out.len ? "; fits from " : "Fits from ", why->earliest_at);
    if (out.len)
        logfile_write(sh->log, LOG_EV_RESV, LOG_IN_RESV, step->id, out.data);
    buf_fini(&out);
}

static void log_denial(struct shell *sh, const struct plan_step *step)
{
    MUST(step->reason && step->advice);
    if (step->degraded)
        logfile_printf(sh->log, LOG_EV_RESV, LOG_IN_RESV, step->id,
                       "Reservation Failed to Reconfirm: %s", step->reason);
    logfile_printf(sh->log, LOG_EV_RESV, LOG_IN_RESV, step->id,
                   "PBS Failed to confirm resv: %s", step->reason);
    log_detail(sh, step);
    /* The advice is made to follow the reason in one sentence; as a line of its own it
     * goes without the separator. */
    if (strncmp(step->advice, "; ", 2) == 0)
        logfile_printf(sh->log, LOG_EV_RESV, LOG_IN_RESV, step->id, "Note: %s",
                       step->advice + 2);
    if (step->degraded && step->failure != FAIL_RESV_JOBS)
        logfile_write(sh->log, LOG_EV_RESV, LOG_IN_RESV, step->id,
                      "Reservation is in degraded mode");
}

/* The first one is the reservation itself. */
static void log_places(struct shell *sh, const struct plan_step *step)
{
    for (size_t i = 0; i < step->n_places; i++) {
        struct buf out = { 0 };

        buf_add_str(&out, i == 0 ? "Is given another window" : "Moved to make room");
        time_words(&out, " from ", step->places[i].start_at);
        time_words(&out, " to ", step->places[i].end_at);
        logfile_write(sh->log, LOG_EV_RESV, LOG_IN_RESV, step->places[i].id, out.data);
        buf_fini(&out);
    }
}

static void log_confirmation(struct shell *sh, const struct plan_step *step,
                             const struct wire_reply *reply)
{
    log_places(sh, step);
    if (step->n_occurrences > 0)
        logfile_printf(sh->log, LOG_EV_RESV, LOG_IN_RESV, step->id,
                       "Confirming %zu Occurrences", step->n_occurrences);
    if (reply && reply->code)
        logfile_printf(sh->log, LOG_EV_RESV, LOG_IN_RESV, step->id,
                       "PBS Failed to confirm resv: %s (%d)",
                       reply->text ? reply->text : "", (int)reply->code);
    else
        logfile_write(sh->log, LOG_EV_RESV, LOG_IN_RESV, step->id,
                      "Reservation Confirmed");
}

/* It comes before the line that says why the job waits (scheduling.md 20.3). */
static void log_top_job(struct shell *sh, const struct plan_step *step)
{
    time_t at = (time_t)step->est_start_at;
    char text[64];
    struct tm tm;

    logfile_write(sh->log, LOG_EV_DEBUG2, LOG_IN_JOB, step->id,
                  "Estimating the start time for a top job.");
    if (step->est_start_at > 0 && localtime_r(&at, &tm) &&
        strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm) > 0) {
        logfile_printf(sh->log, LOG_EV_DEBUG, LOG_IN_JOB, step->id,
                       "Job is a top job and will run at %s", text);
        return;
    }
    logfile_printf(sh->log, LOG_EV_DEBUG, LOG_IN_JOB, step->id,
                   "Can't find start time estimate %s", step->log);
    logfile_write(sh->log, LOG_EV_SCHED, LOG_IN_JOB, step->id,
                  "Error in calculation of start time of top job");
}

static void log_considered(struct shell *sh, const struct plan_step *step)
{
    logfile_write(sh->log, LOG_EV_DEBUG, LOG_IN_JOB, step->id,
                  "Considering job to run");
}

static void log_notes(struct shell *sh, const struct plan_step *step)
{
    for (size_t i = 0; i < step->n_notes; i++)
        logfile_write(sh->log, step->notes[i].event, LOG_IN_JOB, step->notes[i].job_id,
                      step->notes[i].text);
}

/* What became of each of the victims (scheduling.md 22.3). */
static void log_preemption(struct shell *sh, const struct wire_reply *reply)
{
    static const struct {
        const char *order, *words;
    } rows[] = {
        { "S", "Job preempted by suspension" },
        { "C", "Job preempted by checkpointing" },
        { "Q", "Job preempted by requeuing" },
        { "D", "Job preempted by deletion" },
        { "000", "Job failed to be preempted" },
    };

    for (size_t i = 0; reply && i < reply->deleted.n; i++)
        for (size_t k = 0; k < ARRAY_LEN(rows); k++)
            if (str_same(reply->deleted.v[i].order, rows[k].order))
                logfile_write(sh->log, LOG_EV_SCHED, LOG_IN_JOB, reply->deleted.v[i].id,
                              rows[k].words);
}

static void log_run(struct shell *sh, const struct plan_step *step,
                    const struct wire_reply *reply)
{
    if (!step->considered)
        log_considered(sh, step);
    log_notes(sh, step);
    if (!reply || !reply->code) {
        logfile_write(sh->log, LOG_EV_SCHED, LOG_IN_JOB, step->id, "Job run");
        return;
    }
    logfile_printf(sh->log, LOG_EV_SCHED, LOG_IN_JOB, step->id,
                   "Failed to run: %s (%d)",
                   reply->text ? reply->text : pbse_text(reply->code), reply->code);
    if (step->preempts)
        logfile_write(sh->log, LOG_EV_DEBUG, LOG_IN_JOB, step->id,
                      "Preempted work didn't run job - rerun it");
}

static void log_waiting(struct shell *sh, const struct plan_step *step)
{
    MUST(step->log);
    if (!step->early)
        log_considered(sh, step);
    log_notes(sh, step);
    if (step->top)
        log_top_job(sh, step);
    logfile_write(sh->log, LOG_EV_SCHED, LOG_IN_JOB, step->id, step->log);
    if (step->never)
        logfile_write(sh->log, LOG_EV_SCHED, LOG_IN_JOB, step->id,
                      "Job will never run with the resources currently configured in "
                      "the complex");
}

static void log_shrunk(struct shell *sh, const struct plan_step *step)
{
    log_considered(sh, step);
    for (size_t i = 0; i < ARRAY_LEN(step->why_shrunk) && step->why_shrunk[i]; i++)
        logfile_write(sh->log, LOG_EV_SCHED, LOG_IN_JOB, step->id, step->why_shrunk[i]);
    logfile_printf(sh->log, LOG_EV_SCHED, LOG_IN_JOB, step->id,
                   "Job will run for duration=%s", step->walltime);
}

void shell_log_step(struct shell *sh, const struct plan_step *step,
                    const struct wire_reply *reply)
{
    switch (step->kind) {
    case PLAN_CONFIRM_RESV:
        log_confirmation(sh, step, reply);
        break;
    case PLAN_DENY_RESV:
        log_denial(sh, step);
        break;
    case PLAN_SHRINK_JOB:
        log_shrunk(sh, step);
        break;
    case PLAN_EXTEND_JOB:
        logfile_printf(sh->log, LOG_EV_SCHED, LOG_IN_JOB, step->id,
                       "Job runs for longer than its soft_walltime, and is taken to "
                       "last %s",
                       step->walltime);
        break;
    case PLAN_RUN_JOB:
        log_run(sh, step, reply);
        break;
    case PLAN_PREEMPT_JOBS:
        log_considered(sh, step);
        log_notes(sh, step);
        log_preemption(sh, reply);
        break;
    case PLAN_COMMENT_JOB:
        log_waiting(sh, step);
        break;
    }
}
