/* check_books.c - what the server counts as assigned is what reservations and jobs
 * have, and jobs have what they were given.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_state.h"
#include "server/model/occurrence.h"
#include "server/model/resv_state.h"
#include "shares.h"
#include "sim.h"

#include <string.h>

/* Books. */

/* What a job that gave something back still has: what it was given less that. */
static int64_t kept(const struct model *m, const struct job *j, int64_t given,
                    const char *resource, struct arena *arena)
{
    const char *text = obj_str(&j->obj, JOB_A_RESOURCES_RELEASED, NULL);
    struct exec_vnode back = { 0 };

    if (!text || exec_vnode_parse(text, m->defs, arena, &back, NULL))
        return 0; /* all of it */
    return given - exec_vnode_amount(&back, NULL, resource);
}

/* What a job has by what it was given, without the books of the server. */
static void check_job_has(struct sim *s, const struct model *m, const struct job *j,
                          const char *resource)
{
    const char *text = obj_str(&j->obj, JOB_A_EXEC_VNODE, "");
    struct arena *arena = arena_new();
    struct exec_vnode ev = { 0 };
    int64_t given = 0, has = 0;

    if (exec_vnode_parse(text, m->defs, arena, &ev, NULL) == 0)
        given = exec_vnode_amount(&ev, NULL, resource);
    if (share_gave_back(j))
        given = kept(m, j, given, resource, arena);
    for (size_t i = 0; i < j->bookings.n; i++)
        has += resources_amount(&j->bookings.v[i].amount, resource, 0);
    if (job_state(j) == 'R' && has != given)
        check_failed(s, CHECK_BOOKS, "%s has %" PRId64 " of %s, and should %" PRId64,
                     j->obj.id, has, resource, given);
    arena_free(arena);
}

/* Nobody is given what processes still use: those of a job that gave its vnodes back
 * stand, unless they are being ended. */
static void check_stands(struct sim *s, const struct job *j)
{
    int32_t run = (int32_t)obj_num(&j->obj, JOB_A_RUN_VERSION, 0);

    if (!share_gave_back(j) || obj_is_set(&j->obj, JOB_A_HF_KILL_BY) ||
        obj_is_set(&j->obj, JOB_A_HF_REQUEUE))
        return;
    for (int i = 0; i < s->cluster.n_hosts; i++) {
        const struct run *r = host_run(&s->hosts[i], j->obj.id, run);

        if (r && r->state == RUN_ON && !r->is_stopped && !r->was_signalled)
            check_failed(s, CHECK_BOOKS, "%s is suspended, and runs on %s", j->obj.id,
                         s->hosts[i].name);
    }
}

static void check_jobs_have(struct sim *s, const struct model *m)
{
    MODEL_EACH_LIVE(m, OBJ_JOB, o)
    {
        const struct job *j = TO_JOB(o);

        if (!obj_is_set(o, JOB_A_EXEC_VNODE))
            continue;
        check_job_has(s, m, j, "ncpus");
        check_job_has(s, m, j, "mem");
        check_stands(s, j);
    }
}

/* A job of a reservation that has begun uses what that has. */
static int64_t running_amount(const struct node *n, const char *resource)
{
    int64_t sum = 0;

    for (size_t i = 0; i < n->n_occurrences; i++)
        if (occurrence_is_current(n->occurrences[i]) &&
            share_has_begun(n->occurrences[i]->resv))
            sum += share_amount_on(&n->occurrences[i]->bookings, n, resource);
    for (size_t i = 0; i < n->n_jobs; i++)
        if (!n->jobs[i]->resv || !share_has_begun(n->jobs[i]->resv))
            sum += share_amount_on(&n->jobs[i]->bookings, n, resource);
    return sum;
}

void check_books(struct sim *s, const struct model *m)
{
    check_jobs_have(s, m);
    MODEL_EACH (m, OBJ_NODE, o) {
        const struct node *n = TO_NODE(o);
        const char *resource;
        size_t i = 0;

        while ((resource = next_counted(m, &i))) {
            int64_t is = resources_amount(&n->assigned.shown, resource, 0);

            if (is != running_amount(n, resource))
                check_failed(s, CHECK_BOOKS,
                             "%s has %" PRId64 " of %s assigned, and %" PRId64
                             " are in use",
                             o->id, is, resource, running_amount(n, resource));
        }
    }
}
