/* touch.c - who has to look again when a record changes an object: those whose rules
 * look at it, as their rows say (rules/rule.h), along the edges of the model
 * (model/edges.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/svr_priv.h"

#include "server/rules/rule.h"
#include <utlist.h>

static void touch(struct svr *s, const struct object *o)
{
    /* A kind without rules is watched by nobody, and neither is history. */
    if (rules_of(o->kind).there && !(o->kind == OBJ_JOB && TO_JOB(o)->past))
        watch_touch(&s->watches, o);
}

static void touch_end(void *arg, const struct object *to)
{
    touch(arg, to);
}

/* What it changes concerns its object alone. */
static bool is_alone(const struct record *rec)
{
    const struct attr_row *rows = kind_table(rec->kind)->rows;

    if (rec->fact != FACT_SET)
        return false;
    for (size_t i = 0; i < rec->n_changes; i++)
        if (!(rows[rec->changes[i].attr].flags & ATTR_ALONE))
            return false;
    return true;
}

/* The jobs of a queue may be many: each turn marks as many as it looks at. */
static void touch_along(struct svr *s, enum edge e, const struct object *o)
{
    const struct queue *q;

    if (!edge_leads_to_queue(e))
        edge_each(s->m, e, o, touch_end, s);
    else if ((q = edge_queue(e, o)) != NULL)
        watch_sweep_queue(&s->watches, q);
}

void touch_around(struct svr *s, const struct object *o, const struct record *rec)
{
    touch(s, o);
    if (is_alone(rec))
        return;
    for (enum edge e = 0; e < EDGE_COUNT; e++)
        /* The rules at the other end look along the edge back to this object. */
        if (edge_from(e) == o->kind && rules_of(edge_to(e)).looks & SEES(edge_back(e)))
            touch_along(s, e, o);
}

/* There may be as many as jobs are: each turn marks as many as it looks at. */
static void touch_kind(struct svr *s, enum obj_kind kind)
{
    if (rules_of(kind).there)
        watch_sweep(&s->watches, kind);
}

/* Rules about jobs that are put back have nothing to say without such jobs. */
static bool is_asleep(const struct svr *s, const struct rule_row *row)
{
    return (row->looks & SEES(EDGE_HOT_JOB_QUEUE)) && s->m->n_hot == 0;
}

/* Does the rule look at what the record changes, besides edges? */
static bool rule_sees(const struct rule_row *row, const struct record *rec)
{
    const struct attr_row *rows = kind_table(rec->kind)->rows;

    if (rec->kind == OBJ_SCHED)
        return rec->n_changes > 0 && (row->looks & SEES_SCHEDULERS);
    for (size_t i = 0; rec->kind == OBJ_SERVER && i < rec->n_changes; i++)
        if (!(rows[rec->changes[i].attr].flags & ATTR_ALONE) &&
            rule_sees_setting(row, rec->changes[i].attr))
            return true;
    return false;
}

static bool is_setting(const struct record *rec)
{
    const struct attr_row *rows = kind_table(rec->kind)->rows;

    for (size_t i = 0; rec->kind == OBJ_SERVER && i < rec->n_changes; i++)
        if (!(rows[rec->changes[i].attr].flags & ATTR_ALONE))
            return true;
    return false;
}

/* Rules that wait for an answer have read settings that their rows do not name: what
 * they are about to do may be forbidden now. There are few of them. */
static void touch_waiting(struct svr *s)
{
    const struct inquiry *q;
    const struct awaits *a;

    DL_FOREACH (s->inquiries.oldest, q)
        DL_FOREACH (q->first, a)
            if (a->who->o)
                touch(s, a->who->o);
}

void touch_for_settings(struct svr *s, const struct record *rec)
{
    bool sees[OBJ_KIND_COUNT] = { false };

    if (rec->kind != OBJ_SERVER && rec->kind != OBJ_SCHED)
        return;
    for (size_t i = 0; i < n_rule_rows; i++)
        if (!is_asleep(s, &rule_rows[i]) && rule_sees(&rule_rows[i], rec))
            sees[rule_rows[i].kind] = true;
    if (is_setting(rec))
        touch_waiting(s);
    /* A setting may concern every object of the kinds whose rules look at it. */
    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        if (sees[kind])
            touch_kind(s, (enum obj_kind)kind);
}

void touch_all(struct svr *s)
{
    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        touch_kind(s, (enum obj_kind)kind);
}
