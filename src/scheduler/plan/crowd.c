/* crowd.c - jobs that differ in nothing that decides whether they run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/waiting_priv.h"

#include <stdlib.h>
#include <string.h>

bool crowd_is_none(const struct planner *pl, const struct snap_job *j)
{
    return j->array || j->array_id || j->preempted_at || rules_resumes(j) ||
           link_of_job(pl, j)->rests;
}

static void add_text(struct buf *key, const char *text)
{
    buf_add_char(key, text ? '+' : '-');
    buf_add(key, text ? text : "", text ? strlen(text) + 1 : 0);
}

static void add_number(struct buf *key, int64_t n)
{
    buf_add(key, &n, sizeof(n));
}

/* All that rules, limits, sums, searches and comments read of a job. The name of its
 * queue says in which reservation it is. A request has one address as long as some job
 * uses it, and the jobs of the crowd do. */
static void add_key(const struct snap_job *j, struct buf *key)
{
    buf_add(key, &j->request, sizeof(j->request));
    buf_add_char(key, j->state);
    add_number(key, j->walltime_s);
    add_number(key, j->soft_walltime_s);
    add_number(key, j->min_walltime_s);
    add_number(key, j->max_walltime_s);
    add_number(key, j->ran_s);
    add_text(key, j->queue);
    add_text(key, j->user);
    add_text(key, j->group);
    add_text(key, j->project);
    for (size_t i = 0; i < j->asked.n; i++) {
        add_number(key, (int64_t)j->asked.v[i].res);
        add_number(key, j->asked.v[i].amount);
        add_text(key, j->asked.v[i].text);
    }
}

static struct crowd *crowd_of(struct waiting *k, const struct snap_job *j)
{
    struct buf key = { 0 };
    struct crowd *c;

    add_key(j, &key);
    HASH_FIND(hh, k->crowds, key.data, key.len, c);
    if (!c) {
        c = xcalloc(1, sizeof(*c));
        c->len = key.len;
        c->key = buf_take(&key);
        HASH_ADD_KEYPTR(hh, k->crowds, c->key, c->len, c);
    }
    buf_fini(&key);
    return c;
}

void crowd_join(struct waiting *k, const struct planner *pl, struct waiter *w)
{
    const struct snap_job *j = &pl->s->jobs[w->job];

    w->told = 0;
    w->crowd = crowd_is_none(pl, j) ? NULL : crowd_of(k, j);
    if (w->crowd)
        w->crowd->n++;
}

void crowd_leave(struct waiting *k, struct waiter *w)
{
    struct crowd *c = w->crowd;

    w->crowd = NULL;
    if (!c || --c->n > 0)
        return;
    HASH_DEL(k->crowds, c);
    free(c->key);
    free(c->log);
    free(c->comment);
    free(c);
}

bool crowd_is_right(const struct planner *pl, const struct waiter *w)
{
    const struct snap_job *j = &pl->s->jobs[w->job];
    struct buf key = { 0 };
    bool ret;

    if (!w->crowd || crowd_is_none(pl, j))
        return !w->crowd && crowd_is_none(pl, j);
    add_key(j, &key);
    ret = key.len == w->crowd->len && memcmp(key.data, w->crowd->key, key.len) == 0;
    buf_fini(&key);
    return ret;
}
