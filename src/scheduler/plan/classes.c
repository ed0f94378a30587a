/* classes.c - see classes.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/classes.h"

#include "scheduler/plan/rules.h"

#include <stdlib.h>
#include <string.h>

struct class
{
    UT_hash_handle hh;
    size_t len;
    char key[]; /* len bytes */
};

static void add_text(struct buf *key, const char *text)
{
    buf_add_char(key, text ? '+' : '-');
    buf_add(key, text ? text : "", text ? strlen(text) + 1 : 0);
}

static void add_number(struct buf *key, int64_t n)
{
    buf_add(key, &n, sizeof(n));
}

static bool vnodes_limit_owners(const struct snapshot *s)
{
    for (size_t i = 0; i < s->n_vnodes; i++)
        if (s->vnodes[i].max_user_run.is_set || s->vnodes[i].max_group_run.is_set)
            return true;
    return false;
}

static bool queue_counts(const struct planner *pl, const struct job_link *link)
{
    const struct snap_queue *q = link->queue;

    return link->resv || !q->started || q->limits.n || q->soft.n || q->available.n ||
           q->group_key || pl->links->queue_has_vnodes[q - pl->s->queues];
}

static void add_key(const struct planner *pl, const struct snap_job *j, bool of_owners,
                    struct buf *key)
{
    const struct job_link *link = link_of_job(pl, j);

    /* Equal requests have one address in a snapshot. */
    buf_add(key, &j->request, sizeof(j->request));
    add_number(key, j->walltime_s);
    add_number(key, j->soft_walltime_s);
    add_number(key, j->min_walltime_s);
    add_number(key, j->max_walltime_s);
    add_text(key, queue_counts(pl, link) ? j->queue : NULL);
    add_text(key, of_owners ? j->user : NULL);
    add_text(key, of_owners ? j->group : NULL);
    add_text(key, of_owners ? j->project : NULL);
}

/* A subjob is of the class of its array, which is there as well. */
static bool has_a_class(const struct planner *pl, const struct snap_job *j)
{
    return link_of_job(pl, j)->queue && !j->array_id &&
           (rules_runs(j) || rules_waits(pl, NULL, j));
}

size_t classes_count(struct planner *pl)
{
    bool of_owners = limit_fit_is_of_owner(pl) || limit_fit_is_soft(pl) ||
                     vnodes_limit_owners(pl->s);
    struct class *all = NULL, *c;
    struct buf key = { 0 };
    size_t n;

    for (size_t i = 0; i < pl->s->n_jobs; i++) {
        const struct snap_job *j = &pl->s->jobs[i];

        if (!has_a_class(pl, j))
            continue;
        buf_clear(&key);
        add_key(pl, j, of_owners, &key);
        HASH_FIND(hh, all, key.data, key.len, c);
        if (c)
            continue;
        c = arena_alloc(pl->arena, sizeof(*c) + key.len);
        c->len = key.len;
        memcpy(c->key, key.data, key.len);
        HASH_ADD_KEYPTR(hh, all, c->key, c->len, c);
    }
    n = HASH_COUNT(all);
    HASH_CLEAR(hh, all);
    buf_fini(&key);
    return n;
}
