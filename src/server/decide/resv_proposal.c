/* resv_proposal.c - see resv_proposal.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_proposal.h"

#include "server/decide/resv_question.h"
#include "server/decide/resv_queue.h"
#include "server/decide/resv_record.h"
#include "server/model/occurrence.h"

#include <string.h>

/* Where the proposed value of an attribute is kept. */
static const struct proposed_row {
    int attr;
    int proposed;
} rows[] = {
    { RESV_A_RESERVE_START, RESV_A_HF_ALTER_START },
    { RESV_A_RESERVE_END, RESV_A_HF_ALTER_END },
    { RESV_A_RESERVE_DURATION, RESV_A_HF_ALTER_DURATION },
    { RESV_A_RESOURCE_LIST, RESV_A_HF_ALTER_RESOURCES },
    { RESV_A_SCHEDSELECT, RESV_A_HF_ALTER_SCHEDSELECT },
    { RESV_A_RESERVE_NAME, RESV_A_HF_ALTER_NAME },
    { RESV_A_MAIL_POINTS, RESV_A_HF_ALTER_MAIL_POINTS },
    { RESV_A_MAIL_USERS, RESV_A_HF_ALTER_MAIL_USERS },
    { RESV_A_AUTHORIZED_USERS, RESV_A_HF_ALTER_USERS },
    { RESV_A_AUTHORIZED_GROUPS, RESV_A_HF_ALTER_GROUPS },
    { RESV_A_PRIORITY, RESV_A_HF_ALTER_PRIORITY },
    { RESV_A_INTERACTIVE, RESV_A_HF_ALTER_INTERACTIVE },
};

/* What else belongs to it and goes with it. */
static const int bookkeeping[] = { RESV_A_HF_ALTER_SEQ, RESV_A_HF_ALTER_AT,
                                   RESV_A_HF_ALTER_FORCE, RESV_A_HF_ALTER_UNSET };

static const struct proposed_row *row_of(int attr)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].attr == attr)
            return &rows[i];
    return NULL;
}

/* Looking at one. */

int64_t proposal_seq(const struct resv *r)
{
    return obj_num(&r->obj, RESV_A_HF_ALTER_SEQ, 0);
}

bool proposal_is_open(const struct resv *r)
{
    return obj_is_set(&r->obj, RESV_A_HF_ALTER_SEQ);
}

bool proposal_is_forced(const struct resv *r)
{
    return obj_num(&r->obj, RESV_A_HF_ALTER_FORCE, 0) != 0;
}

static int64_t proposed_num(const struct resv *r, int attr, int64_t unset)
{
    const struct attr_value *v = proposal_value(r, attr);

    return v->set ? v->u.num : unset;
}

const char *proposal_obstacle(const struct resv *r, int64_t now_at)
{
    bool runs = phase_is_running(resv_phase(r));

    if (runs && proposed_num(r, RESV_A_RESERVE_START, 0) > now_at &&
        resv_has_busy_job(r))
        return pbse_text(PBSE_RESV_NOT_EMPTY);
    if (!runs && proposed_num(r, RESV_A_RESERVE_END, 0) <= now_at)
        return "its end has passed";
    return NULL;
}

bool proposal_knows(int attr)
{
    return row_of(attr) != NULL;
}

const struct attr_value *proposal_value(const struct resv *r, int attr)
{
    const struct proposed_row *row = row_of(attr);

    if (row && obj_is_set(&r->obj, row->proposed))
        return obj_attr(&r->obj, row->proposed);
    return obj_attr(&r->obj, attr);
}

/* Opening one. */

static void want_list(const struct attr_value *v, int attr, struct record *rec,
                      struct arena *arena)
{
    const char *name;

    for (size_t i = 0; (name = attr_value_member_name(&attr_resources, v, i)); i++)
        record_change(rec, arena, attr, arena_strdup(arena, name),
                      attr_value_member(&attr_resources, v, name, arena));
}

static void want(const struct edit *e, const struct proposed_row *row,
                 struct buf *unset, struct record *rec, struct arena *arena)
{
    const struct attr_value *v = edit_value(e, row->attr);
    const struct attr_type *type = resv_rows[row->attr].type;

    if (!v->set)
        buf_printf(unset, "%s%s", unset->len ? "," : "", resv_rows[row->attr].name);
    else if (attr_type_has_members(type))
        want_list(v, row->proposed, rec, arena);
    else
        record_change(rec, arena, row->proposed, NULL, attr_value_text(type, v, arena));
}

void proposal_record(const struct edit *e, struct record *rec, struct arena *arena)
{
    struct buf unset = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (e->touched[rows[i].attr])
            want(e, &rows[i], &unset, rec, arena);
    if (unset.len)
        record_change(rec, arena, RESV_A_HF_ALTER_UNSET, NULL,
                      arena_strdup(arena, unset.data));
    buf_fini(&unset);
}

/* Taking it up again. */

/* The texts are canonical ones of values that were accepted. */
static void take(struct edit *e, int attr, const char *resource, const char *text)
{
    int err = edit_set(e, attr, resource, text, WIRE_OP_SET, NULL);

    MUST(!err);
    (void)err;
}

/* A list is proposed whole. */
static void take_list(const struct resv *r, const struct proposed_row *row,
                      struct edit *e, struct arena *arena)
{
    const struct attr_value *v = obj_attr(&r->obj, row->proposed);
    const char *name;

    edit_unset(e, row->attr, NULL);
    for (size_t i = 0; (name = attr_value_member_name(&attr_resources, v, i)); i++)
        take(e, row->attr, name, attr_value_member(&attr_resources, v, name, arena));
}

void proposal_edit(const struct resv *r, struct edit *e, struct arena *arena)
{
    const struct attr_value *unset = obj_attr(&r->obj, RESV_A_HF_ALTER_UNSET);

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct attr_type *type = resv_rows[rows[i].attr].type;
        const struct attr_value *v = obj_attr(&r->obj, rows[i].proposed);

        if (!v->set)
            continue;
        if (attr_type_has_members(type))
            take_list(r, &rows[i], e, arena);
        else
            take(e, rows[i].attr, NULL, attr_value_text(type, v, arena));
    }
    for (size_t i = 0; unset->set && i < unset->u.list.n; i++)
        edit_unset(e, attr_find(&resv_table, unset->u.list.v[i]), NULL);
}

void proposal_record_forgotten(struct record *rec, struct arena *arena)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        record_change(rec, arena, rows[i].proposed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(bookkeeping); i++)
        record_change(rec, arena, bookkeeping[i], NULL, NULL);
}

/* Its end. */

static bool moves_out(const struct resv *r, const struct proposal_grant *g)
{
    return phase_is_running(resv_phase(r)) &&
           edit_num(g->e, RESV_A_RESERVE_START, 0) > g->now_at;
}

static enum resv_phase phase_after(const struct resv *r, const struct proposal_grant *g)
{
    enum resv_phase from = resv_phase(r);

    if (from == PHASE_UNCONFIRMED && !g->vnodes)
        return from;
    return resv_next(from, moves_out(r, g) ? RESV_EV_MOVE_OUT : RESV_EV_CONFIRM);
}

static void switch_queue(const struct model *m, const struct resv *r,
                         const struct proposal_grant *g, enum resv_phase to,
                         struct decision *out)
{
    bool started = r->queue && obj_num(&r->queue->obj, QUEUE_A_STARTED, 0);
    struct record *rec;

    if (to != PHASE_CONFIRMED)
        return;
    /* Only what confirms the reservation is told of its queue. */
    resv_queue_switch(m, r, true, started && !moves_out(r, g),
                      resv_phase(r) == PHASE_UNCONFIRMED ? REASON_RESV_KEEPS
                                                         : REASON_NONE,
                      g->now_at, out);
    if (!g->partition)
        return;
    rec = resv_queue_record(m, r, FACT_SET, REASON_NONE, g->now_at, out);
    if (rec)
        record_change(rec, out->arena, QUEUE_A_PARTITION, NULL, g->partition);
}

void proposal_grant(const struct model *m, const struct resv *r,
                    const struct proposal_grant *g, struct decision *out)
{
    enum resv_phase to = phase_after(r, g);
    struct record *rec =
        record_add(&out->records, out->arena, FACT_RESV_ALTERED, OBJ_RESV,
                   arena_strdup(out->arena, r->obj.id), g->actor, g->now_at);

    rec->reason = g->reason;
    if (g->e->touched[RESV_A_RESOURCE_LIST] || g->e->touched[RESV_A_SCHEDSELECT])
        occurrence_keep_series(r, out->arena, rec);
    edit_commit(g->e, out->arena, rec);
    record_change_phase(rec, out->arena, to);
    if (g->vnodes)
        record_change(rec, out->arena, RESV_A_RESV_NODES, NULL, g->vnodes);
    if (to == PHASE_CONFIRMED && g->partition)
        record_change(rec, out->arena, RESV_A_PARTITION, NULL, g->partition);
    if (moves_out(r, g)) {
        record_change(rec, out->arena, RESV_A_HF_BEGUN_AT, NULL, NULL);
        record_change(rec, out->arena, RESV_A_HF_IDLE_AT, NULL, NULL);
    }
    resv_record_unasked(rec, out->arena);
    proposal_record_forgotten(rec, out->arena);
    record_change(rec, out->arena, RESV_A_ALTER_DENIED, NULL, NULL);
    record_change_num(rec, out->arena, RESV_A_MTIME, g->now_at);
    resv_queue_follow(m, r, g->e, g->now_at, out);
    switch_queue(m, r, g, to, out);
}

void proposal_deny(const struct resv *r, const char *actor, const char *reason,
                   int64_t now_at, struct decision *out)
{
    struct record *rec =
        record_add(&out->records, out->arena, FACT_RESV_ALTER_DENIED, OBJ_RESV,
                   arena_strdup(out->arena, r->obj.id), actor, now_at);

    rec->note = reason;
    record_change(rec, out->arena, RESV_A_ALTER_DENIED, NULL, reason);
    proposal_record_forgotten(rec, out->arena);
    question_over(rec, out->arena);
}
