/* vnode_state.c - the record about one vnode that a report leads to, and the state in
 * it (tpp.md 5.6).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/node_attrs.h"
#include "server/model/node_life.h"
#include "server/moms/vnode_report.h"

/* The bits of a MoM's state word that say something about its vnodes (tpp.md 5.2). */
enum {
    MOM_DOWN = 0x02,
    MOM_BUSY = 0x80
};

static struct record *begin(struct node_record *nr)
{
    /* A report without news leads to no record, so a large cluster that is quiet writes
     * nothing. */
    if (!nr->rec)
        nr->rec = moms_record(nr->t, FACT_NODE_REPORTED, OBJ_NODE, nr->n->obj.id);
    return nr->rec;
}

void node_put(struct node_record *nr, int attr, const char *resource, const char *text)
{
    struct arena *arena = nr->t->out->arena;
    const struct attr_type *type = node_rows[attr].type;
    const struct attr_value *v = obj_attr(&nr->n->obj, attr);
    /* The texts are compared, because that is the form in which a record keeps a
     * value. */
    const char *before = resource ? attr_value_member(type, v, resource, arena)
                                  : attr_value_text(type, v, arena);

    if (!str_same(before, text))
        record_change(begin(nr), arena, attr,
                      resource ? arena_strdup(arena, resource) : NULL,
                      text ? arena_strdup(arena, text) : NULL);
}

void node_put_num(struct node_record *nr, int attr, int64_t num)
{
    node_put(nr, attr, NULL, arena_printf(nr->t->out->arena, "%" PRId64, num));
}

/* The server's own comments come and go; a manager's stays. */
static void put_comment(struct node_record *nr, const char *comment)
{
    const struct object *o = &nr->n->obj;

    /* A comment that is not marked as the server's own is a manager's. */
    if (obj_is_set(o, NODE_A_COMMENT) && !obj_num(o, NODE_A_HF_OWN_COMMENT, 0))
        return;
    node_put(nr, NODE_A_COMMENT, NULL, comment);
    node_put(nr, NODE_A_HF_OWN_COMMENT, NULL, comment ? "True" : NULL);
}

void node_put_state(struct node_record *nr, uint32_t bits)
{
    uint32_t before = node_state_stored(nr->n);

    /* A vnode that a manager has just created has no stored state yet, and gets one in
     * any case. */
    if (bits == before && obj_is_set(&nr->n->obj, NODE_A_HF_STATE))
        return;
    node_put_num(nr, NODE_A_HF_STATE, bits);
    node_put_num(nr, NODE_A_LAST_STATE_CHANGE_TIME, nr->t->now_at);
    /* The node wait is counted from this moment, also after a restart. */
    if (bits & NODE_LAST_KNOWN)
        node_put_num(nr, NODE_A_HF_UNKNOWN_AT, nr->t->now_at);
    else
        node_put(nr, NODE_A_HF_UNKNOWN_AT, NULL, NULL);
}

void node_change_state(struct moms_turn *t, const struct node *n, uint32_t bits,
                       const char *comment, const char *note)
{
    struct node_record nr = { .t = t, .n = n };

    if (bits == node_state_stored(n))
        return;
    /* The record has a fact of its own, since its cause is the link and not a
     * report. */
    nr.rec = moms_record(t, FACT_NODE_STATE, OBJ_NODE, n->obj.id);
    nr.rec->note = note;
    node_put_state(&nr, bits);
    if (comment)
        put_comment(&nr, comment);
}

uint32_t node_reported_bits(uint32_t stored, uint32_t mom_state)
{
    uint32_t bits = stored & ~(uint32_t)REPORT_CLEARS;

    if (mom_state & MOM_DOWN)
        bits |= NODE_DOWN;
    if (mom_state & MOM_BUSY)
        bits |= NODE_BUSY;
    return bits;
}

void node_put_reported_state(struct node_record *nr, uint32_t mom_state)
{
    uint32_t before = node_state_stored(nr->n);
    uint32_t bits = node_reported_bits(before, mom_state);

    node_put_state(nr, bits);
    /* The server's comment goes when the vnode is up again. */
    put_comment(nr, bits & NODE_DOWN ? "node down: by mom" : NULL);
    /* Nothing has changed, so there is no record that a note could stand in. */
    if (!nr->rec)
        return;
    if (bits & NODE_DOWN)
        nr->rec->note = "node down: by mom";
    else if (before & (NODE_DOWN | NODE_STATE_UNKNOWN | NODE_STALE))
        nr->rec->note = "node up";
}
