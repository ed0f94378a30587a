/* act.c - see act.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/act.h"

#include "server/decide/request.h"

struct act *act_add(struct decision *out, enum act_kind kind)
{
    struct acts *list = &out->acts;

    MUST(kind < ACT_KINDS);
    MUST(!act_find(out, kind)); /* nothing is asked for twice */
    /* A decision has one act or two, so the list begins small. */
    list->v = arena_grow(out->arena, list->v, list->n, &list->cap, 2, sizeof(*list->v));
    list->v[list->n] = (struct act){ .kind = kind };
    return &list->v[list->n++];
}

void act_wait(struct decision *out, const struct wait_for *wait_for)
{
    MUST(wait_for->id);
    act_add(out, ACT_WAIT)->u.wait_for = *wait_for;
}

void act_wait_jobs(struct decision *out, size_t n, const char *const *job_ids, int code)
{
    struct act *a = act_add(out, ACT_WAIT_JOBS);

    a->u.wait_jobs.n = n;
    a->u.wait_jobs.ids = job_ids;
    a->u.wait_jobs.code = code;
}

void act_about_job(struct decision *out, enum act_kind kind, const char *job_id)
{
    MUST(job_id);
    act_add(out, kind)->u.job_id = job_id;
}

void act_forward(struct decision *out, size_t n, const char *const *job_ids)
{
    struct act *act;

    MUST(n > 0); /* somebody answers */
    act = act_add(out, ACT_FORWARD);
    act->u.jobs.n = n;
    act->u.jobs.ids = job_ids;
}

const struct act *act_find(const struct decision *d, enum act_kind kind)
{
    for (size_t i = 0; i < d->acts.n; i++)
        if (d->acts.v[i].kind == kind)
            return &d->acts.v[i];
    return NULL;
}
