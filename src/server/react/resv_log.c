/* resv_log.c - the server's log lines about reservations (reservations.md 22).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/resv_oversub.h"
#include "server/model/resv_state.h"
#include "server/react/reactions.h"
#include "server/react/resv_react.h"

#include "lib/base/log.h"

#include <stdlib.h>
#include <string.h>

void react_resv_log_new(const struct reaction *r, const struct object *o)
{
    char start[DATE_TEXT_BYTES];
    char end[DATE_TEXT_BYTES];
    const char *recurs = "";

    if (obj_num(o, RESV_A_RESERVE_STANDING, 0))
        recurs = arena_printf(r->out->arena, " recurrence_rrule=%s timezone=%s",
                              obj_str(o, RESV_A_RESERVE_RRULE, ""),
                              obj_str(o, RESV_A_RESERVE_TIMEZONE, ""));
    effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, o->id,
               "New reservation submitted start=%s end=%s%s",
               date_text(react_date(r, obj_num(o, RESV_A_RESERVE_START, 0)), start),
               date_text(react_date(r, obj_num(o, RESV_A_RESERVE_END, 0)), end),
               recurs);
}

/* One made out of a job is told when the job has moved into it (job_log.c). */
void log_resv_submitted(const struct reaction *r)
{
    if (!obj_is_set(r->o, RESV_A_RESERVE_JOB))
        react_resv_log_new(r, r->o);
}

void log_resv_confirmed(const struct reaction *r)
{
    effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, r->rec->id,
               "Reservation confirmed");
}

static const char *log_date(const void *arg, int64_t at, struct arena *arena)
{
    char text[DATE_TEXT_BYTES];

    return arena_strdup(arena, date_text(react_date(arg, at), text));
}

/* A forced one may be in somebody's way: in whose, and then where and when. */
static void log_oversub(const struct reaction *r)
{
    struct arena *arena = r->out->arena;
    const struct occurrence *oc = r->rec->kind == OBJ_OCCURRENCE
                                      ? &TO_LATER(r->o)->occurrence
                                      : &TO_RESV(r->o)->current;
    struct oversub found = resv_oversub(r->m, oc, r->now_at, arena);
    const char *jobs = oversub_text(found.jobs, found.n_jobs, arena);
    const char *resvs = oversub_text(found.resvs, found.n_resvs, arena);

    /* Nothing is written when everybody has what was promised. */
    if (jobs || resvs)
        effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, r->rec->id,
                   "Reservation oversubscribes vnodes%s%s%s%s", jobs ? " jobs=" : "",
                   jobs ? jobs : "", resvs ? " reservations=" : "", resvs ? resvs : "");
    for (size_t i = 0; i < MIN_OF(found.n_met, (size_t)OVERSUB_MET_MAX); i++)
        effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, r->rec->id,
                   "Reservation meets %s",
                   oversub_met_text(&found.met[i], log_date, r, arena));
}

/* How others are told of a reservation that a push has moved. */
const char *react_resv_moved_text(const struct reaction *r)
{
    const struct change *start = reaction_change(
        r->rec, r->rec->kind == OBJ_OCCURRENCE ? (int)OCCURRENCE_A_START
                                               : (int)RESV_A_RESERVE_START);
    char before[DATE_TEXT_BYTES], after[DATE_TEXT_BYTES];

    if (!start || !start->before || !start->after ||
        strcmp(start->before, start->after) == 0)
        return "on other vnodes, at the same time";
    return arena_printf(
        r->out->arena, "from %s to %s",
        date_text(react_date(r, strtoll(start->before, NULL, 10)), before),
        date_text(react_date(r, strtoll(start->after, NULL, 10)), after));
}

void log_resv_altered(const struct reaction *r)
{
    effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, r->rec->id,
               "Reservation alter confirmed");
    /* Those that are moved come before the one that they are moved for; nothing is
     * promised twice once all have another place. */
    if (r->rec->reason != REASON_PUSHED)
        log_oversub(r);
    if (r->rec->reason == REASON_PUSHED)
        effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, r->rec->id,
                   "Reservation moved %s, %s", react_resv_moved_text(r),
                   r->rec->note ? r->rec->note : "");
}

/* Nor was anybody asked about one out of a job. Its job is in it only now. */
void log_resv_started(const struct reaction *r)
{
    if (obj_is_set(r->o, RESV_A_RESERVE_JOB))
        log_oversub(r);
}

void log_resv_alter_denied(const struct reaction *r)
{
    bool dropped = r->rec->reason == REASON_SERVER_BEGAN;

    effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, r->rec->id,
               dropped ? "Reservation alter dropped: the server was started again"
                       : "Reservation alter denied");
}

/* The event is that of jobs; readers search the text. */
void log_resv_denied(const struct reaction *r)
{
    effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_RESV, r->rec->id,
               "Reservation denied");
    /* PBS writes both lines: a denied reservation is deleted at once. */
    effect_log(r->out, r->rec->seq, LOG_EV_DEBUG, LOG_IN_RESV, r->rec->id,
               "reservation deleted");
}

/* A line of its own newline, as it has always been: an empty line follows. */
static void log_attempt(const struct reaction *r, const char *word)
{
    int64_t at = obj_num(r->o, RESV_A_RESERVE_RETRY, 0);
    char date[DATE_TEXT_BYTES];

    effect_log(r->out, r->rec->seq, LOG_EV_DEBUG2, LOG_IN_RESV, r->rec->id,
               "%s attempt to reconfirm reservation will be made on %s\n", word,
               date_ctime(react_date(r, at), date));
}

void log_resv_degraded(const struct reaction *r)
{
    for (size_t i = 0; i < r->rec->n_changes; i++)
        if (r->rec->changes[i].attr == RESV_A_RESERVE_RETRY)
            log_attempt(r, "An");
}

/* The first one for a later occurrence of a series is set while the current one is
 * well.
 */
void log_resv_retry(const struct reaction *r)
{
    bool first = false;

    for (size_t i = 0; i < r->rec->n_changes; i++)
        first |= r->rec->changes[i].attr == RESV_A_RESERVE_RETRY &&
                 !r->rec->changes[i].before;
    log_attempt(r, first ? "An" : "Next");
}

static void log_end_of(const struct reaction *r)
{
    effect_log(r->out, r->rec->seq, LOG_EV_DEBUG, LOG_IN_RESV, r->o->id,
               "reached end of occurrence %" PRId64 "/%" PRId64,
               obj_num(r->o, RESV_A_RESERVE_INDEX, 1),
               obj_num(r->o, RESV_A_RESERVE_COUNT, 1));
}

static void log_skipped(const struct reaction *r, const struct resv *resv,
                        int64_t index, int64_t start_at)
{
    /* The start is told in local time, as PBS writes it. */
    struct date d = react_date(r, start_at);

    effect_log(r->out, r->rec->seq, LOG_EV_ERROR, LOG_IN_RESV, resv->obj.id,
               "reservation occurrence %" PRId64 "/%" PRId64
               " scheduled at %02d:%02d:%02d was skipped because its end time is in "
               "the past",
               index, obj_num(&resv->obj, RESV_A_RESERVE_COUNT, 1), d.hour, d.minute,
               d.second);
}

static void log_cancelled(const struct reaction *r, const struct resv *resv,
                          int64_t index)
{
    effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, resv->obj.id,
               "occurrence %" PRId64 "/%" PRId64 " deleted at request of %s", index,
               obj_num(&resv->obj, RESV_A_RESERVE_COUNT, 1), r->rec->actor);
}

/* One that has never run was skipped, too. */
void log_resv_over(const struct reaction *r)
{
    if (r->rec->reason == REASON_CANCELLED) {
        log_cancelled(r, TO_RESV(r->o), obj_num(r->o, RESV_A_RESERVE_INDEX, 1));
        return;
    }
    log_end_of(r);
    /* The state is still known from the record, which has changed it. */
    if (react_resv_state_before(r) != RESV_RUNNING)
        log_skipped(r, TO_RESV(r->o), obj_num(r->o, RESV_A_RESERVE_INDEX, 1),
                    obj_num(r->o, RESV_A_RESERVE_START, 0));
}

void log_occurrence_deleted(const struct reaction *r)
{
    const struct resv *resv = react_resv(r);

    MUST(r->rec->kind == OBJ_OCCURRENCE);
    if (r->rec->reason == REASON_CANCELLED && resv)
        log_cancelled(r, resv, obj_num(r->o, OCCURRENCE_A_INDEX, 1));
    if (r->rec->reason == REASON_SKIPPED && resv)
        log_skipped(r, resv, obj_num(r->o, OCCURRENCE_A_INDEX, 1),
                    obj_num(r->o, OCCURRENCE_A_START, 0));
}

/* A change was proposed, perhaps of this very end and by force, and nobody has answered
 * in time. Who deletes a reservation gives up what was proposed of it. */
static void log_alteration_lost(const struct reaction *r)
{
    const struct change *edit = reaction_change(r->rec, RESV_A_HF_ALTER_EDIT);

    if (r->rec->reason == REASON_END_REACHED && edit && edit->before)
        effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, r->rec->id,
                   "Reservation alter denied: its end has passed");
}

void log_resv_ending(const struct reaction *r)
{
    int64_t before = react_resv_state_before(r);

    /* The end of an occurrence was told already when the reservation was between two of
     * them. */
    if (r->rec->reason == REASON_END_REACHED && before != RESV_DELETING_JOBS &&
        obj_num(r->o, RESV_A_RESERVE_COUNT, 1) > 1)
        log_end_of(r);
    log_alteration_lost(r);
    if (r->rec->reason == REASON_IDLE)
        effect_log(r->out, r->rec->seq, LOG_EV_RESV, LOG_IN_RESV, r->rec->id,
                   "Deleting reservation after being idle for %" PRId64 " seconds",
                   obj_num(r->o, RESV_A_DELETE_IDLE_TIME, 0));
}
