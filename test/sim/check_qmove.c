/* check_qmove.c - see check_qmove.h.
 *
 * The yes and the move stand in one turn and in one commit, so that no restart finds
 * one without the other. Nothing else moves the job: a reservation that is denied,
 * deleted or not waited for any longer leaves the job where it was.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_qmove.h"

#include "server/decide/resv_qmove.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <string.h>

static const char *text_after(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return rec->changes[i].after;
    return NULL;
}

/* The record of the move of a job, or of any into the reservation. */
static bool is_move(const struct record *rec, const char *job_id, const char *resv_id)
{
    return rec->fact == FACT_JOB_MOVED && (!job_id || str_same(rec->id, job_id)) &&
           str_same(text_after(rec, JOB_A_RESERVE_ID), resv_id);
}

/* The first yes of a reservation for a job needs the move; and what it is given is a
 * window of the length that was asked for, from now on. */
static void check_yes(struct sim *s, const struct resv *r, const struct record *rec,
                      const struct effects *turn)
{
    const char *start = text_after(rec, RESV_A_RESERVE_START);
    const char *job_id = obj_str(&r->obj, RESV_A_QMOVE, "");
    const struct record *move = NULL;

    for (size_t i = 0; i < turn->n; i++)
        if (turn->v[i].kind == EFFECT_RECORD &&
            is_move(turn->v[i].u.record, job_id, rec->id))
            move = turn->v[i].u.record;
    if (!move)
        check_failed(s, CHECK_QMOVE, "%s is confirmed, and job %s is not moved",
                     rec->id, job_id);
    else if (!r->queue || !str_same(text_after(move, JOB_A_QUEUE), r->queue->obj.id))
        check_failed(s, CHECK_QMOVE, "job %s is moved into %s, not the queue of %s",
                     job_id, text_after(move, JOB_A_QUEUE), rec->id);
    if (!start || atoll(start) == RESV_START_OPEN)
        check_failed(s, CHECK_QMOVE, "%s is confirmed without a start", rec->id);
}

static bool has_yes(const struct effects *turn, const char *resv_id)
{
    for (size_t i = 0; i < turn->n; i++) {
        const struct record *rec =
            turn->v[i].kind == EFFECT_RECORD ? turn->v[i].u.record : NULL;

        if (rec && rec->fact == FACT_RESV_CONFIRMED && str_same(rec->id, resv_id))
            return true;
    }
    return false;
}

/* Of a reservation that was made for a job: nobody else's move, and none without a yes.
 */
static void check_move(struct sim *s, const struct model *m, const struct record *rec,
                       const struct effects *turn)
{
    const char *resv_id = text_after(rec, JOB_A_RESERVE_ID);
    const struct resv *r = resv_id ? model_resv(m, resv_id) : NULL;

    /* Whoever moves jobs into it later needs no yes. */
    if (!r || !resv_qmove_is(r) || rec->reason == REASON_MOVED)
        return;
    if (!str_same(obj_str(&r->obj, RESV_A_QMOVE, ""), rec->id))
        check_failed(s, CHECK_QMOVE, "job %s is moved into %s, made for %s", rec->id,
                     resv_id, obj_str(&r->obj, RESV_A_QMOVE, ""));
    if (!has_yes(turn, resv_id))
        check_failed(s, CHECK_QMOVE, "job %s is moved into %s, which is not confirmed",
                     rec->id, resv_id);
}

/* Only the owner of a job and the staff may ask. */
static void check_asked(struct sim *s, const struct model *m, const struct record *rec)
{
    const char *job_id = text_after(rec, RESV_A_QMOVE);
    const struct job *job = job_id ? model_job(m, job_id) : NULL;
    const char *owner = job ? obj_str(&job->obj, JOB_A_JOB_OWNER, "") : "";
    size_t len = strcspn(owner, "@");

    if (job_id && !job)
        check_failed(s, CHECK_QMOVE, "%s is made for %s, which is not there", rec->id,
                     job_id);
    if (job && strncmp(rec->actor, "root@", 5) != 0 &&
        (strncmp(rec->actor, owner, len) != 0 || rec->actor[len] != '@'))
        check_failed(s, CHECK_QMOVE, "%s makes %s for a job of %s", rec->actor, rec->id,
                     owner);
}

void check_qmove_turn(struct sim *s, const struct model *m, const struct effects *turn)
{
    for (size_t i = 0; i < turn->n; i++) {
        const struct record *rec =
            turn->v[i].kind == EFFECT_RECORD ? turn->v[i].u.record : NULL;
        const struct resv *r = rec ? model_resv(m, rec->id) : NULL;

        if (!rec)
            continue;
        if (rec->fact == FACT_RESV_SUBMITTED)
            check_asked(s, m, rec);
        if (rec->fact == FACT_RESV_CONFIRMED && r && resv_qmove_is(r))
            check_yes(s, r, rec, turn);
        if (rec->fact == FACT_JOB_MOVED)
            check_move(s, m, rec, turn);
    }
}

void check_qmove_settled(struct sim *s, const struct model *m)
{
    MODEL_EACH (m, OBJ_RESV, o) {
        const struct job *job = model_job(m, obj_str(o, RESV_A_QMOVE, ""));

        if (job && resv_phase(TO_RESV(o)) == PHASE_UNCONFIRMED &&
            job->resv == TO_RESV(o))
            check_failed(s, CHECK_QMOVE, "job %s is in %s, which is not confirmed",
                         job->obj.id, o->id);
    }
}

void check_qmove_commit(struct sim *s, size_t n, const struct effect *const *facts)
{
    for (size_t i = 0; i < n; i++) {
        const struct record *rec =
            facts[i]->kind == EFFECT_RECORD ? facts[i]->u.record : NULL;
        const struct entry *e = rec ? ledger_find(&s->ledger, rec->id) : NULL;
        bool moved = false;

        if (!e || !e->is_qmove || rec->fact != FACT_RESV_CONFIRMED)
            continue;
        for (size_t k = 0; k < n && !moved; k++)
            moved = facts[k]->kind == EFFECT_RECORD &&
                    is_move(facts[k]->u.record, NULL, rec->id);
        if (!moved)
            check_failed(s, CHECK_QMOVE,
                         "the yes to %s is durable, and the move of its job is not",
                         rec->id);
    }
}
