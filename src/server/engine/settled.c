/* settled.c - has everybody looked who had to, and does everybody look only where he
 * says that he does? Both are about the rows of the rules (rules/rule.h): the first
 * finds an edge that is missing there when it has come to harm, the second also before.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "server/decide/know.h"
#include "server/engine/svr_priv.h"
#include "server/model/reads.h"

/* The rule that has something to say about the object; NULL when none has. */
static const struct rule_row *rule_left(const struct rule_context *c,
                                        const struct object *o)
{
    for (size_t i = 0; i < n_rule_rows; i++) {
        struct decision d = { .arena = c->arena };

        if (rule_rows[i].kind == o->kind && rule_rows[i].due(c, o, &d))
            return &rule_rows[i];
    }
    return NULL;
}

static bool is_settled(const struct svr *s, struct rule_context *c,
                       const struct object *o, struct buf *why)
{
    const struct rule_row *left = NULL;

    rules_know(c, watch_find(&s->watches, o));
    /* An object that is still to be looked at may well have something due. */
    if (!watch_is_pending(&s->watches, o, c->now_at))
        left = rule_left(c, o);
    if (left && why)
        buf_printf(why, "%s %s: rule \"%s\" was not woken", kind_name(o->kind), o->id,
                   left->name);
    return !left;
}

bool svr_is_settled(const struct svr *s, int64_t now_at, struct buf *why)
{
    struct arena *arena = arena_new();
    struct needs needs;
    struct rule_context c = rule_context(s, now_at, arena, &needs);
    bool settled = true;

    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        MODEL_EACH_LIVE(s->m, kind, o)
        {
            settled = settled && is_settled(s, &c, o, why);
        }
    arena_free(arena);
    return settled;
}

#ifdef HF_CHECKS
static void forget_end(void *arg UNUSED, const struct object *to)
{
    const struct attr_table *t = kind_table(to->kind);

    for (size_t i = 0; i < t->n; i++)
        MUST(!reads_has(to, (int)i) || !(t->rows[i].flags & ATTR_ALONE));
    reads_forget(to);
}

/* ... and no other one than those that the rule names. */
static void forget_settings(const struct model *m, const struct rule_row *row)
{
    for (size_t i = 0; i < kind_table(OBJ_SERVER)->n; i++)
        MUST(!reads_has(m->server, (int)i) || rule_sees_setting(row, (int)i));
    forget_end(NULL, m->server);
}

/* What the rule may look at: its object, the ends of its edges, settings. */
static void forget_what_is_seen(const struct model *m, const struct rule_row *row,
                                const struct object *o)
{
    for (enum edge e = 0; e < EDGE_COUNT; e++)
        if (row->looks & SEES(e))
            edge_each(m, e, o, forget_end, NULL);
    reads_forget(o);
    if (row->looks & SEES_SETTINGS)
        forget_settings(m, row);
    if (!(row->looks & SEES_SCHEDULERS))
        return;
    MODEL_EACH (m, OBJ_SCHED, sched) {
        forget_end(NULL, sched);
    }
}

static void each_object(const struct model *m, void (*fn)(const struct object *o))
{
    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        MODEL_EACH (m, kind, o) {
            fn(o);
        }
}

/* A vnode keeps its MoM: what never changes wakes nobody. */
static bool never_changes(const struct object *o, size_t attr)
{
    return o->kind == OBJ_NODE && (attr == NODE_A_MOM || attr == NODE_A_PORT);
}

static void saw_nothing_else(const struct object *o)
{
    /* Whatever is still noted was read without being declared in the rule's row. */
    for (size_t i = 0; i < kind_table(o->kind)->n; i++)
        MUST(!reads_has(o, (int)i) || never_changes(o, i)); /* or its row says so */
}

/* A rule that waits for an answer may have read anything: it reads again when the
 * answer is there. */
static void check_looks(const struct rule_context *c, const struct rule_row *row,
                        const struct object *o)
{
    struct decision d = { .arena = c->arena };

    c->knows.needs->n = 0;
    each_object(c->m, reads_begin);
    /* A rule that is due reads on to make its records; only what makes it silent has to
     * be declared. */
    if (!row->due(c, o, &d) && c->knows.needs->n == 0) {
        if (row->deadline)
            (void)row->deadline(c->m, o);
        forget_what_is_seen(c->m, row, o);
        each_object(c->m, saw_nothing_else);
    }
    each_object(c->m, reads_end);
}

/* One object, another one each time. */
static const struct object *one_of(const struct model *m, uint64_t n)
{
    static const enum obj_kind kinds[] = { OBJ_RESV, OBJ_JOB,  OBJ_RESV,
                                           OBJ_JOB,  OBJ_NODE, OBJ_SERVER };
    enum obj_kind kind = kinds[n % ARRAY_LEN(kinds)];
    const struct object *o = model_first_live(m, kind);
    size_t n_live = model_n_live(m, kind);
    /* The kinds take turns, and within each kind the objects. */
    uint64_t i = n_live ? n / ARRAY_LEN(kinds) % n_live : 0;

    while (o && i-- > 0)
        o = object_next_live(o);
    return o;
}
#endif

/* It costs as much as the model is large: the larger, the rarer. */
void check_settled(const struct turn *t)
{
#ifdef HF_CHECKS
    const struct svr *s = t->s;
    const struct object *o = one_of(s->m, s->n_checked);
    struct needs needs;
    struct rule_context c = rule_context(s, t->now_at, t->out->arena, &needs);
    struct buf why = { 0 }; /* for a debugger */

    /* In a large model the check is made in few turns, so its cost stays in
     * proportion. */
    if (s->n_turns % (1 + s->m->created / 64) != 0)
        return;
    MUST(svr_is_settled(s, t->now_at, &why));
    buf_fini(&why);
    t->s->n_checked++;
    rules_know(&c, o ? watch_find(&s->watches, o) : NULL);
    for (size_t i = 0; o && i < n_rule_rows; i++)
        if (rule_rows[i].kind == o->kind)
            check_looks(&c, &rule_rows[i], o);
#else
    (void)t;
#endif
}
