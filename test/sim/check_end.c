/* check_end.c - faults have stopped, everything had time to end: now all is free.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/hot_start.h"
#include "server/model/node_life.h"
#include "sim.h"

#include <stdio.h>
#include <string.h>

static void check_none_left(struct sim *s, const struct model *m, enum obj_kind kind)
{
    MODEL_EACH (m, kind, o) {
        check_failed(s, CHECK_END, "%s %s is still there", kind_name(kind), o->id);
    }
}

static bool is_zero(const struct resources *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (resources_amount(r, r->v[i].def->name, 0) != 0)
            return false;
    return true;
}

static void check_nodes(struct sim *s, const struct model *m)
{
    struct arena *arena = arena_new();

    MODEL_EACH (m, OBJ_NODE, o) {
        const struct node *n = TO_NODE(o);
        const char *state = node_state_text(node_state(n), arena);

        if (strcmp(state, "free") != 0)
            check_failed(s, CHECK_END, "vnode %s is %s", o->id, state);
        if (!is_zero(&n->assigned.shown))
            check_failed(s, CHECK_END, "vnode %s has resources assigned", o->id);
        if (n->n_jobs || n->n_occurrences)
            check_failed(s, CHECK_END, "vnode %s has %zu jobs and %zu reservations",
                         o->id, n->n_jobs, n->n_occurrences);
    }
    arena_free(arena);
}

static void check_queues(struct sim *s, const struct model *m)
{
    MODEL_EACH (m, OBJ_QUEUE, o) {
        /* Those of reservations have their letter and a number. */
        if (strchr("RSM", o->id[0]))
            check_failed(s, CHECK_END, "queue %s is still there", o->id);
        if (TO_QUEUE(o)->n_jobs || !is_zero(&TO_QUEUE(o)->assigned.shown))
            check_failed(s, CHECK_END, "queue %s is not empty", o->id);
    }
}

static void check_accounts(struct sim *s)
{
    struct entry *e, *next;

    HASH_ITER (hh, s->ledger.entries, e, next) {
        const int *n = e->n_account;

        if (e->kind == OBJ_RESV && n['B'] != e->n_started)
            check_failed(s, CHECK_ACCOUNT, "%s: %d starts and %d B lines", e->id,
                         e->n_started, n['B']);
        if (e->kind == OBJ_RESV && e->n_started > 1 + e->n_moved_out + e->n_turns)
            check_failed(s, CHECK_ACCOUNT, "%s has started %d times", e->id,
                         e->n_started);
        if (e->kind == OBJ_JOB && n['E'] > 1)
            check_failed(s, CHECK_ACCOUNT, "%s has %d E lines", e->id, n['E']);
        if (e->kind == OBJ_JOB && n['S'] > n['E'] + n['R'] + (e->n_back ? 1 : 0))
            check_failed(s, CHECK_ACCOUNT, "%s: %d S lines, %d E and %d R", e->id,
                         n['S'], n['E'], n['R']);
        if (!e->ended)
            check_failed(s, CHECK_END, "%s has not ended", e->id);
    }
}

void check_end(struct sim *s)
{
    const struct model *m = shell_model(s);

    if (!m) {
        check_failed(s, CHECK_END, "the server is down");
        return;
    }
    check_none_left(s, m, OBJ_RESV);
    check_none_left(s, m, OBJ_OCCURRENCE);
    check_none_left(s, m, OBJ_JOB);
    check_none_left(s, m, OBJ_REQUEST);
    check_whole(s, m);
    check_nodes(s, m);
    check_queues(s, m);
    if (hot_start_is_on(m))
        check_failed(s, CHECK_END, "the hot start is not over");
    if (!is_zero(&m->assigned.shown))
        check_failed(s, CHECK_END, "the server has resources assigned");
    check_accounts(s);
    check_runs_end(s);
    clients_check_answered(s);
    check_store(s);
}
