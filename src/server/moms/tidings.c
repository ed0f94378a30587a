/* tidings.c - see tidings.h: what waits, and which phases it has.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/moms/tidings.h"

#include <stdlib.h>
#include <utlist.h>

/* In the units of config_slice_cost(): a look at a vnode or a job that the MoM speaks
 * of, and a record that comes of it. */
#define LOOK_COST   20
#define RECORD_COST 60

typedef bool phase_fn(struct moms *ms, struct moms_turn *t, struct tidings *x,
                      struct slice *s);

/* What is no list of vnodes or jobs is short, since MoMs tell of so many jobs in a
 * message and no more. */
static bool take_whole(struct moms *ms, struct moms_turn *t, struct tidings *x,
                       struct slice *s)
{
    mom_take_message(ms, t, x->mom, &x->msg);
    (void)slice_goes_on(s, t, 1);
    return true;
}

/* From now on what is next for a job is decided: it is known what the MoM has. */
static bool compared(struct moms *ms UNUSED, struct moms_turn *t UNUSED,
                     struct tidings *x, struct slice *s UNUSED)
{
    x->mom->compared = true;
    return true;
}

/* Vnodes come before jobs: a job that is sent goes to a vnode whose state is known.
 * Those that are missing are made first, all of them: see vnodes_make(). */
static phase_fn *const list_phases[] = { vnodes_define, vnodes_make, vnodes_take,
                                         vnodes_mark_stale, NULL };
static phase_fn *const plain_phases[] = { vnodes_take_plain, NULL };
static phase_fn *const job_phases[] = { register_compare, compared, register_look,
                                        NULL };
static phase_fn *const lost_phases[] = { vnodes_are_down, NULL };
static phase_fn *const router_lost_phases[] = { vnodes_are_unknown, NULL };
static phase_fn *const whole_phases[] = { take_whole, NULL };

static phase_fn *const *vnode_phases(const struct tidings *x)
{
    if (x->kind == TIDINGS_LOST)
        return lost_phases;
    if (x->kind == TIDINGS_ROUTER_LOST)
        return router_lost_phases;
    if (!is_has_state(&x->msg))
        return whole_phases;
    return x->list ? list_phases : plain_phases;
}

/* The phase that is next, NULL: all are over. */
static phase_fn *phase_of(const struct tidings *x)
{
    phase_fn *const *phases = vnode_phases(x);
    size_t n = 0;

    while (phases[n] && n < x->phase)
        n++;
    if (phases[n])
        return phases[n];
    if (x->kind != TIDINGS_MESSAGE || x->msg.command != IS_REGISTERMOM)
        return NULL;
    MUST(x->phase - n < ARRAY_LEN(job_phases));
    return job_phases[x->phase - n];
}

static void begin_phase(struct tidings *x)
{
    x->next = 0;
    x->node = x->mom->nodes;
}

static void begin(struct moms *ms, struct moms_turn *t, struct tidings *x)
{
    x->begun = true;
    x->youngest = ms->n_nodes_ever;
    if (x->kind == TIDINGS_MESSAGE && is_has_state(&x->msg))
        vnodes_begin(ms, t, x);
    begin_phase(x);
}

bool slice_goes_on(struct slice *s, const struct moms_turn *t, size_t looks)
{
    size_t n = t->out->records.n;
    size_t cost = looks * LOOK_COST + (n - s->n_records) * RECORD_COST;

    MUST(n >= s->n_records);
    s->n_records = n;
    s->left -= MIN_OF(s->left, cost);
    return s->left > 0;
}

size_t slice_records(const struct slice *s)
{
    return s->left / (LOOK_COST + RECORD_COST);
}

static struct tidings *append(struct moms *ms, struct mom *mom, enum tidings_kind kind)
{
    struct tidings *x = xcalloc(1, sizeof(*x));

    x->kind = kind;
    x->mom = mom;
    x->number = ++ms->n_tidings_ever;
    x->arena = arena_new_small();
    x->bytes = sizeof(*x);
    ms->tidings_bytes += x->bytes;
    mom->n_tidings++;
    DL_APPEND2(ms->tidings, x, prev, next_one);
    return x;
}

void tidings_add(struct moms *ms, struct mom *mom, enum tidings_kind kind)
{
    MUST(kind != TIDINGS_MESSAGE);
    append(ms, mom, kind);
}

void tidings_add_message(struct moms *ms, struct mom *mom, const struct is_message *msg)
{
    struct tidings *x = append(ms, mom, TIDINGS_MESSAGE);

    is_copy(msg, x->arena, &x->msg);
    x->bytes += arena_used_bytes(x->arena);
    ms->tidings_bytes += arena_used_bytes(x->arena);
}

bool tidings_wait(const struct moms *ms UNUSED, const struct mom *mom)
{
    return mom->n_tidings > 0;
}

static void forget(struct moms *ms, struct tidings *x)
{
    MUST(x->mom->n_tidings > 0);
    x->mom->n_tidings--;
    ms->tidings_bytes -= x->bytes;
    DL_DELETE2(ms->tidings, x, prev, next_one);
    vnode_list_free(x->list);
    listed_jobs_clear(&x->jobs);
    arena_free(x->arena);
    free(x);
}

size_t tidings_take(struct moms *ms, struct moms_turn *t, size_t most)
{
    struct tidings *x = ms->tidings;
    struct slice s = { .left = most, .n_records = t->out->records.n };

    MUST(x && most > 0);
    if (!x->begun)
        begin(ms, t, x);
    if (phase_of(x)(ms, t, x, &s)) {
        x->phase++;
        begin_phase(x);
    }
    if (!phase_of(x))
        forget(ms, x);
    /* Nothing is for nothing, so that this comes to an end. */
    return MAX_OF(most - s.left, 1);
}

void tidings_forget_said(struct moms *ms, const struct mom *mom)
{
    struct tidings *x, *next;

    DL_FOREACH_SAFE2 (ms->tidings, x, next, next_one) {
        if (x->mom == mom && x->kind == TIDINGS_MESSAGE)
            forget(ms, x);
    }
}

void tidings_fini(struct moms *ms)
{
    while (ms->tidings)
        forget(ms, ms->tidings);
}

void tidings_leave_node(struct moms *ms, const struct mom_node *n)
{
    struct tidings *x;

    DL_FOREACH2 (ms->tidings, x, next_one) {
        if (x->node == n)
            x->node = n->next;
    }
}

const struct mom_node *tidings_next_node(struct tidings *x)
{
    const struct mom_node *n = x->node;

    /* Vnodes are appended, so behind one that came later all are. */
    if (!n || n->number > x->youngest)
        return NULL;
    x->node = n->next;
    return n;
}
