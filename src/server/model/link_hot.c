/* link_hot.c - jobs that a hot start puts back, and the vnodes that they await.
 *
 * Such a job holds nothing while it is queued; its old vnodes know whom to wake.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_state.h"
#include "server/model/link_priv.h"
#include "server/model/resv_claims.h"

#include <stdlib.h>
#include <utlist.h>

static void add_awaits(struct model *m, struct job *j)
{
    bookings_make(m, obj_str(&j->obj, JOB_A_HF_HOT_VNODES, NULL), &j->awaits);
    for (size_t i = 0; i < j->awaits.n; i++) {
        struct node *n = j->awaits.v[i].node;

        /* The place is that of the job's creation, so that a restart makes the same
         * order. */
        n->awaited = array_insert(n->awaited, &n->n_awaited, j,
                                  place_of_job(n->awaited, n->n_awaited, j));
    }
}

static void remove_awaits(struct job *j)
{
    for (size_t i = 0; i < j->awaits.n; i++) {
        struct node *n = j->awaits.v[i].node;

        n->awaited = array_remove(n->awaited, &n->n_awaited, j);
    }
    bookings_drop(&j->awaits);
}

/* A job that is held or waits for its time is none of a hot start's for now. */
void link_hot(struct model *m, struct job *j)
{
    bool queued = job_state(j) == 'Q';

    j->hot = obj_is_set(&j->obj, JOB_A_HF_HOT_VNODES) && (queued || job_is_at_mom(j));
    /* The number lets everybody skip this work while there are no such jobs. */
    m->n_hot += j->hot;
    /* A job that runs has its vnodes and awaits nothing. */
    MUST(j->awaits.n == 0);
    if (j->hot && queued)
        add_awaits(m, j);
}

void unlink_hot(struct model *m, struct job *j)
{
    MUST(!j->hot || m->n_hot > 0);
    remove_awaits(j);
    m->n_hot -= j->hot;
    j->hot = false;
}

/* A vnode that is created may be one that jobs await. */
void find_awaits(struct model *m)
{
    struct job *j;

    if (m->n_hot == 0)
        return;
    DL_FOREACH2 (m->live, j, list_next) {
        if (!j->linked || !j->hot)
            continue;
        unlink_hot(m, j);
        link_hot(m, j);
    }
}

static void drop_await(struct job *j, const struct node *n)
{
    for (size_t i = 0; i < j->awaits.n; i++) {
        if (j->awaits.v[i].node != n)
            continue;
        resources_clear(&j->awaits.v[i].amount);
        /* The order of what a job awaits does not matter. */
        j->awaits.v[i] = j->awaits.v[--j->awaits.n];
        return;
    }
}

/* A vnode that is removed is not awaited any more. */
void drop_awaited(struct node *n)
{
    for (size_t i = 0; i < n->n_awaited; i++)
        drop_await(n->awaited[i], n);
    free(n->awaited);
    n->awaited = NULL;
    n->n_awaited = 0;
}
