/* resv_extend.c - see resv_extend.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_extend.h"

#include "lib/attr/check.h"
#include "lib/base/instant.h"
#include "lib/base/log.h"
#include "server/decide/resv_on_end.h"
#include "server/decide/resv_proposal.h"
#include "server/decide/resv_shrink.h"
#include "server/decide/resv_turn.h"
#include "server/model/occurrence.h"
#include "server/model/resv_state.h"

/* Long enough for schedulers in the middle of a cycle, and too short for many jobs to
 * end meanwhile. */
#define LEAD_S 30

_Static_assert(LEAD_S < AUTO_EXTEND_MIN_S, "a step brings more than was left");

/* 0: it does not extend itself. */
static int64_t step_s(const struct model *m, const struct resv *r)
{
    int64_t own = obj_num(&r->obj, RESV_A_AUTO_EXTEND, 0);

    /* Nobody has agreed to the end of maintenance, so nobody is asked for a later one:
     * whoever maintains alters it. */
    if (resv_is_maintenance(r))
        return 0;
    return own == 0 && resv_on_end_extends(m, r) ? EXTEND_STEP_S : own;
}

/* The end that it would have next. Not after its own when there is nothing more to
 * have. */
static int64_t next_end(const struct model *m, const struct resv *r, int64_t end_at)
{
    int64_t asked_at = obj_num(&r->obj, RESV_A_HF_ASKED_END, end_at);
    int64_t max_s = obj_num(&r->obj, RESV_A_AUTO_EXTEND_MAX, 0);
    int64_t next_at = instant_after(end_at, step_s(m, r));

    if (max_s > 0)
        next_at = MIN_OF(next_at, instant_after(asked_at, max_s));
    /* An occurrence ends before the next one of its series begins. */
    if (r->n_later > 0)
        next_at = MIN_OF(next_at, occurrence_start_at(r->later, INT64_MAX) - 1);
    /* Behind all time there is no end to ask for. */
    return next_at == INT64_MAX ? end_at : next_at;
}

int64_t resv_extend_at(const struct model *m, const struct resv *r)
{
    int64_t end_at = occurrence_end_at(&r->current, INT64_MAX);

    if (step_s(m, r) == 0 || !phase_is_running(resv_phase(r)) || proposal_is_open(r) ||
        end_at == INT64_MAX || obj_num(&r->obj, RESV_A_HF_EXTEND_TRIED, 0) == end_at ||
        next_end(m, r, end_at) <= end_at)
        return INT64_MAX;
    return resv_over_at(m, &r->current) - LEAD_S;
}

/* It wants no more vnodes than its jobs have, when its owner says so. */
static void release_idle(struct edit *e, const struct model *m, const struct resv *r,
                         struct arena *arena)
{
    bool wanted = obj_num(&r->obj, RESV_A_AUTO_EXTEND_RELEASE, 0) != 0;
    const char *select = wanted ? resv_busy_select(m, r, arena) : NULL;
    struct diag why;

    /* Chunks of a select that cannot be read any more, since a resource was deleted,
     * stay. */
    if (select && resv_shrink_to(e, m, r, select, arena, &why)) {
        edit_fini(e);
        edit_init(e, m, OBJ_RESV, &r->obj);
    }
}

void resv_extend_ask(const struct model *m, const struct resv *r, const char *asks,
                     const char *actor, int64_t now_at, struct decision *out)
{
    int64_t end_at = occurrence_end_at(&r->current, INT64_MAX);
    int64_t next_at = next_end(m, r, end_at);
    struct edit e;
    const struct proposal_part part = { .resv = r, .e = &e, .asks = asks };

    MUST(asks && now_at >= resv_extend_at(m, r));
    edit_init(&e, m, OBJ_RESV, &r->obj);
    release_idle(&e, m, r, out->arena);
    proposal_set_times(&e, occurrence_start_at(&r->current, 0), next_at, out->arena);
    edit_set_num(&e, RESV_A_HF_ASKED_END,
                 obj_num(&r->obj, RESV_A_HF_ASKED_END, end_at));
    proposal_open(m,
                  &(struct proposal){ .parts = &part,
                                      .n = 1,
                                      .allows = ALLOWS_SHORTER,
                                      .by_itself = true,
                                      .actor = actor,
                                      .now_at = now_at },
                  out);
    edit_fini(&e);
    decide_log(out, LOG_EV_RESV, LOG_IN_RESV, r->obj.id,
               "Jobs run in it, attempting to extend reservation by %" PRId64
               " seconds",
               next_at - end_at);
}

int64_t resv_extended_over_at(const struct model *m, const struct resv *r)
{
    int64_t over_at = resv_over_at(m, &r->current);

    if (obj_is_set(&r->obj, RESV_A_HF_ASKED_END) && !resv_has_busy_job(r))
        over_at = MIN_OF(over_at, obj_num(&r->obj, RESV_A_HF_ASKED_END, 0));
    return over_at;
}
