/* resv_end.c - how a reservation ends by itself: its end has come, nobody waits for its
 * confirmation any longer, it has been idle too long; and how it goes when no job is
 * left. When the end of an occurrence has come and later ones are left, the next one
 * takes its turn instead (resv_turn.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/instant.h"
#include "server/decide/resv_extend.h"
#include "server/decide/resv_queue.h"
#include "server/decide/resv_record.h"
#include "server/decide/resv_turn.h"
#include "server/model/occurrence.h"
#include "server/rules/rules.h"

static bool is_alive(const struct resv *r)
{
    enum resv_phase phase = resv_phase(r);

    return phase == PHASE_UNCONFIRMED || phase_is_confirmed(phase);
}

static bool end_now(const struct rule_context *c, const struct object *o,
                    enum reason reason, struct decision *out)
{
    resv_record_ending(c->m, TO_RESV(o), c->server_actor, reason, c->now_at, out);
    return true;
}

int64_t deadline_resv_end(const struct model *m, const struct object *o)
{
    return is_alive(TO_RESV(o)) ? resv_extended_over_at(m, TO_RESV(o)) : INT64_MAX;
}

bool rule_resv_end(const struct rule_context *c, const struct object *o,
                   struct decision *out)
{
    const struct resv *r = TO_RESV(o);

    if (c->now_at < deadline_resv_end(c->m, o))
        return false;
    if (r->n_later == 0 || resv_next(resv_phase(r), RESV_EV_OVER) == PHASE_NONE)
        return end_now(c, o, REASON_END_REACHED, out);
    resv_turn_over(c->m, r, REASON_NONE, c->server_actor, c->now_at, out);
    return true;
}

bool rule_resv_turn(const struct rule_context *c, const struct object *o,
                    struct decision *out)
{
    const struct resv *r = TO_RESV(o);

    if (resv_next(resv_phase(r), RESV_EV_TURN) == PHASE_NONE || resv_has_busy_job(r))
        return false;
    resv_turn_next(c->m, r, c->server_actor, c->now_at, out);
    return true;
}

/* "pbs_rsub -I -N": the reservation is deleted when it was not confirmed within that
 * time. */
int64_t deadline_resv_expire(const struct model *m, const struct object *o)
{
    int64_t wait_s = obj_num(o, RESV_A_INTERACTIVE, 0);
    int64_t until_at;

    (void)m;
    if (resv_phase(TO_RESV(o)) != PHASE_UNCONFIRMED || wait_s >= 0 ||
        __builtin_sub_overflow(obj_num(o, RESV_A_CTIME, 0), wait_s, &until_at))
        return INT64_MAX;
    return until_at;
}

bool rule_resv_expire(const struct rule_context *c, const struct object *o,
                      struct decision *out)
{
    return c->now_at >= deadline_resv_expire(c->m, o) &&
           end_now(c, o, REASON_EXPIRED, out);
}

/* A reservation that ends goes when no job is left in it. */
bool rule_resv_purge(const struct rule_context *c, const struct object *o,
                     struct decision *out)
{
    const struct resv *r = TO_RESV(o);

    if (resv_next(resv_phase(r), RESV_EV_EMPTY) == PHASE_NONE || resv_job_count(r) > 0)
        return false;
    MUST(r->n_later == 0); /* they went when it began to end */
    resv_queue_record(c->m, r, FACT_DELETED, REASON_RESV_KEEPS, c->now_at, out);
    rule_decide(c, o, FACT_RESV_GONE, out);
    return true;
}

/* A reservation with delete_idle_time is deleted when it has run for so long without a
 * job. */
static bool counts_idle_time(const struct object *o)
{
    return phase_is_running(resv_phase(TO_RESV(o))) &&
           obj_is_set(o, RESV_A_DELETE_IDLE_TIME);
}

int64_t deadline_resv_idle(const struct model *m, const struct object *o)
{
    (void)m;
    if (!counts_idle_time(o) || !obj_is_set(o, RESV_A_HF_IDLE_AT))
        return INT64_MAX;
    return instant_after(obj_num(o, RESV_A_HF_IDLE_AT, 0),
                         obj_num(o, RESV_A_DELETE_IDLE_TIME, 0));
}

static bool note_idle(const struct rule_context *c, const struct object *o, bool idle,
                      struct decision *out)
{
    struct record *rec = rule_decide(c, o, FACT_SET, out);

    if (idle)
        record_change_num(rec, c->arena, RESV_A_HF_IDLE_AT, c->now_at);
    else
        record_change(rec, c->arena, RESV_A_HF_IDLE_AT, NULL, NULL);
    return true;
}

bool rule_resv_idle(const struct rule_context *c, const struct object *o,
                    struct decision *out)
{
    bool empty = resv_job_count(TO_RESV(o)) == 0;

    if (!counts_idle_time(o))
        return false;
    if (empty != obj_is_set(o, RESV_A_HF_IDLE_AT))
        return note_idle(c, o, empty, out);
    return c->now_at >= deadline_resv_idle(c->m, o) && end_now(c, o, REASON_IDLE, out);
}
