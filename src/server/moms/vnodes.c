/* vnodes.c - what a MoM says of its vnodes (tpp.md 5.5, 5.6): which of them are listed,
 * created, stale or another MoM's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "lib/attr/node_attrs.h"
#include "lib/base/date.h"
#include "server/model/node_life.h"
#include "server/moms/tidings.h"
#include "server/moms/vnode_report.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *vnode_attr(const struct is_vnode *vn, const char *name)
{
    for (size_t i = 0; i < vn->n; i++)
        if (strcasecmp(vn->attrs[i].name, name) == 0)
            return vn->attrs[i].value;
    return NULL;
}

static const char *version_of(const struct is_state *state)
{
    return state->version ? state->version : "unavailable";
}

static void take_listed(struct report *rp, const struct node *n,
                        const struct is_vnode *vn, bool natural)
{
    const struct is_state *state = rp->state;
    struct node_record nr = { .t = rp->t, .n = n };
    struct given g = { 0 };
    const char *sharing = vnode_attr(vn, "sharing");

    MUST(n && vn);
    /* What the list says of this vnode goes before what the block says of the whole
     * host. */
    report_give_listed(rp, &g, n, vn);
    report_give_block(rp, &g, n, n->obj.id, natural);
    report_give_place(rp, &g, n, n->obj.id, node_mom_host(n));
    report_put(&nr, &g);
    if (natural)
        node_put_num(&nr, NODE_A_PCPUS, state->pcpus);
    node_put(&nr, NODE_A_PBS_VERSION, NULL, version_of(state));
    node_put(&nr, NODE_A_TOPOLOGY_INFO, NULL, vnode_attr(vn, "topology_info"));
    /* A vnode keeps its sharing when the report does not mention it. */
    if (sharing)
        node_put(&nr, NODE_A_SHARING, NULL, sharing);
    node_put_num(&nr, NODE_A_HF_MODTIME, state->modtime);
    node_put_reported_state(&nr, state->state);
}

/* 'dated': it gets the time of the list. */
static void create_vnode(struct report *rp, const struct mom *mom,
                         const struct is_vnode *vn, bool dated)
{
    const struct is_state *state = rp->state;
    struct moms_turn *t = rp->t;
    struct arena *arena = t->out->arena;
    struct given g = { 0 };
    const char *sharing = vnode_attr(vn, "sharing");
    struct record *rec;

    MUST(!model_node(t->m, vn->name)); /* may_be_made() has seen to it */
    report_give_listed(rp, &g, NULL, vn);
    report_give_block(rp, &g, NULL, vn->name, false);
    report_give_place(rp, &g, NULL, vn->name, mom->host);
    rec = moms_record(t, FACT_CREATED, OBJ_NODE, vn->name);
    record_change(rec, arena, NODE_A_MOM, NULL, arena_strdup(arena, mom->host));
    record_change_num(rec, arena, NODE_A_PORT, mom->port);
    record_change(rec, arena, NODE_A_NTYPE, NULL, "PBS");
    record_change(rec, arena, NODE_A_RESV_ENABLE, NULL, "True");
    record_change(rec, arena, NODE_A_SHARING, NULL,
                  sharing ? arena_strdup(arena, sharing) : "default_shared");
    record_change(rec, arena, NODE_A_PBS_VERSION, NULL,
                  arena_strdup(arena, version_of(state)));
    report_record(rec, &g, arena);
    if (dated)
        record_change_num(rec, arena, NODE_A_HF_MODTIME, state->modtime);
    /* It has reported itself, so it is up unless the MoM says otherwise. */
    record_change_num(rec, arena, NODE_A_HF_STATE, node_reported_bits(0, state->state));
    record_change_num(rec, arena, NODE_A_LAST_STATE_CHANGE_TIME, t->now_at);
    effect_log(t->effects, t->m->seq, LOG_EV_SYSTEM, LOG_IN_NODE, vn->name,
               "autocreated vnode %s", vn->name);
}

/* "n1" is the natural vnode of the MoM "n1.cluster": the short name counts, too. */
static bool is_named_natural(const struct mom *mom, const char *vnode)
{
    size_t len = strcspn(mom->host, ".");

    return strcasecmp(vnode, mom->host) == 0 ||
           (strlen(vnode) == len && strncasecmp(vnode, mom->host, len) == 0);
}

/* The vnode that carries the MoM's own name, else the first one. */
static const struct node *natural_of(const struct moms_turn *t, const struct mom *mom)
{
    for (const struct mom_node *mn = mom->nodes; mn; mn = mn->next)
        if (is_named_natural(mom, mn->id))
            return model_node(t->m, mn->id);
    return mom->nodes ? model_node(t->m, mom->nodes->id) : NULL;
}

static int64_t stored_modtime(const struct moms_turn *t, const struct mom *mom)
{
    int64_t modtime = 0;

    /* Each vnode of the MoM carries the time of the list that it was in; the newest is
     * the MoM's. */
    for (const struct mom_node *mn = mom->nodes; mn; mn = mn->next) {
        const struct node *n = model_node(t->m, mn->id);

        if (n)
            modtime = MAX_OF(modtime, obj_num(&n->obj, NODE_A_HF_MODTIME, 0));
    }
    return modtime;
}

/* The vnode that an entry of the list speaks of; NULL: an unknown one. */
static const struct node *listed_node(const struct moms *ms, const struct moms_turn *t,
                                      const struct mom *mom, const struct is_vnode *vn)
{
    const struct node *n = model_node(t->m, vn->name);

    if (n && mom_of_node(ms, vn->name) != mom)
        return NULL; /* another MoM's */
    /* An entry with the topology describes the host, under whatever name. It is meant
     * for the natural vnode. */
    if (!n && vnode_attr(vn, "topology_info"))
        n = natural_of(t, mom);
    return n;
}

static void say_unknown(const struct moms_turn *t, const struct mom *mom,
                        const char *vnode)
{
    const char *known =
        model_node(t->m, vnode) ? "" : "Unknown node  (15062) in update2, ";

    effect_log(t->effects, t->m->seq, LOG_EV_ERROR, LOG_IN_NODE, vnode,
               "%s%s reported in UPDATE2 message from Mom on %s", known, vnode,
               mom->host);
}

/* A name that no manager could give would be in everybody's lists and lines. */
static bool may_be_made(const struct moms_turn *t, const struct is_vnode *vn)
{
    /* The limits are those of a manager's "create node". */
    return !model_node(t->m, vn->name) && strlen(vn->name) <= NAME_MAX_HOST &&
           node_name_is_valid(vn->name);
}

/* What becomes of an entry of the list. */
enum entry_is {
    ENTRY_UNKNOWN, /* nothing: it is reported */
    ENTRY_OLD,     /* of a vnode that was there when the list came */
    ENTRY_NEW,     /* the vnode is to be made */
    ENTRY_MADE,    /* it has been, and is not known to be of this list yet */
    ENTRY_DONE,    /* it has been, with all that the list says of it */
};

/* A list that is being taken up. */
struct vnode_list {
    int64_t stored; /* modtime of the list before */
    char *natural;  /* name of the natural vnode; NULL: there is none */
    size_t n_to_make;
    unsigned char *entries; /* enum entry_is */
    struct vnode_name *names;
};

void vnode_list_free(struct vnode_list *list)
{
    if (!list)
        return;
    vnode_names_clear(&list->names);
    free(list->natural);
    free(list->entries);
    free(list);
}

static enum entry_is entry_is(const struct moms *ms, const struct moms_turn *t,
                              const struct tidings *x, size_t i)
{
    const struct is_vnode *vn = &x->msg.state.vnodes[i];

    if (listed_node(ms, t, x->mom, vn))
        return ENTRY_OLD;
    /* An older list, or the same one again, does not bring back a vnode that was
     * deleted meanwhile. A name that is listed twice counts once. */
    if (may_be_made(t, vn) && x->msg.state.modtime > x->list->stored &&
        vnode_names_find(x->list->names, vn->name) == vn)
        return ENTRY_NEW;
    return ENTRY_UNKNOWN;
}

static void begin_list(const struct moms *ms, struct moms_turn *t, struct tidings *x)
{
    const struct is_state *state = &x->msg.state;
    const struct node *natural = natural_of(t, x->mom);
    struct vnode_list *list = xcalloc(1, sizeof(*list));

    x->list = list;
    list->stored = stored_modtime(t, x->mom);
    list->natural = natural ? xstrdup(natural->obj.id) : NULL;
    list->entries = xcalloc(state->n_vnodes + 1, 1);
    vnode_names_add(&list->names, state, x->arena);
    /* What is to be made is known from the beginning: a vnode that a manager deletes
     * before its entry has its turn does not come back. */
    for (size_t i = 0; i < state->n_vnodes; i++) {
        list->entries[i] = (unsigned char)entry_is(ms, t, x, i);
        list->n_to_make += list->entries[i] == ENTRY_NEW;
    }
}

void vnodes_begin(struct moms *ms, struct moms_turn *t, struct tidings *x)
{
    const struct is_state *state = &x->msg.state;
    struct date d = date_of(
        state->modtime,
        t->cfg->utc_offset_s ? t->cfg->utc_offset_s(t->cfg->arg, state->modtime) : 0);
    char text[DATE_TEXT_BYTES];

    effect_log(t->effects, t->m->seq, LOG_EV_SYSTEM, LOG_IN_NODE, x->mom->host,
               "update2 state:%" PRIu32 " ncpus:%" PRIu32, state->state, state->acpus);
    /* A list that is older than the stored one was overtaken on its way, and only its
     * state counts. */
    if (!state->has_vnodes || state->modtime < stored_modtime(t, x->mom))
        return;
    effect_log(t->effects, t->m->seq, LOG_EV_SYSTEM, LOG_IN_NODE, x->mom->host,
               "Mom reporting %zu vnodes as of %s", state->n_vnodes,
               date_ctime(d, text));
    begin_list(ms, t, x);
}

static struct report report_of(const struct tidings *x, struct moms_turn *t)
{
    return (struct report){ .t = t, .state = &x->msg.state, .names = x->list->names };
}

/* Resources come before who has them, wherever in the list they are defined. */
bool vnodes_define(struct moms *ms UNUSED, struct moms_turn *t, struct tidings *x,
                   struct slice *s)
{
    struct report rp = report_of(x, t);

    for (bool more = true; more && x->next < x->msg.state.n_vnodes; x->next++) {
        if (x->list->entries[x->next] != ENTRY_UNKNOWN)
            report_define(&rp, &x->msg.state.vnodes[x->next]);
        more = slice_goes_on(s, t, 1);
    }
    resource_defs_free(rp.fresh);
    return x->next == x->msg.state.n_vnodes;
}

/* Whether the list is a newer one is seen from the time that vnodes have of it, so none
 * has the new time before all that the list makes are there: a server that is killed in
 * between makes the others when the MoM tells of them again. */
bool vnodes_make(struct moms *ms UNUSED, struct moms_turn *t, struct tidings *x,
                 struct slice *s)
{
    const struct is_state *state = &x->msg.state;
    struct vnode_list *list = x->list;
    bool all_at_once = x->next == 0 && list->n_to_make <= slice_records(s);
    struct report rp = report_of(x, t);
    bool more = true;

    for (; more && list->n_to_make > 0; x->next++) {
        unsigned char *is = &list->entries[x->next];

        MUST(x->next < state->n_vnodes);
        if (*is != ENTRY_NEW)
            continue;
        list->n_to_make--;
        /* A manager may have been quicker. */
        *is = model_node(t->m, state->vnodes[x->next].name) ? ENTRY_OLD : ENTRY_MADE;
        if (*is == ENTRY_OLD)
            continue;
        create_vnode(&rp, x->mom, &state->vnodes[x->next], all_at_once);
        if (all_at_once)
            *is = ENTRY_DONE;
        more = slice_goes_on(s, t, 1);
    }
    return list->n_to_make == 0;
}

static void take_entry(struct moms *ms, struct report *rp, struct tidings *x, size_t i)
{
    const struct is_vnode *vn = &x->msg.state.vnodes[i];
    const struct vnode_list *list = x->list;
    const struct node *n =
        list->entries[i] == ENTRY_UNKNOWN ? NULL : listed_node(ms, rp->t, x->mom, vn);
    struct mom_node *mn = n ? moms_find_node(ms, n->obj.id) : NULL;
    struct node_record nr = { .t = rp->t, .n = n };

    /* A vnode that is listed twice counts once, and its second entry is reported. */
    if (!mn || mn->listed == x->number) {
        say_unknown(rp->t, x->mom, vn->name);
        return;
    }
    mn->listed = x->number;
    if (list->entries[i] == ENTRY_OLD)
        take_listed(rp, n, vn, list->natural && strcmp(n->obj.id, list->natural) == 0);
    else if (list->entries[i] == ENTRY_MADE)
        node_put_num(&nr, NODE_A_HF_MODTIME, x->msg.state.modtime);
}

bool vnodes_take(struct moms *ms, struct moms_turn *t, struct tidings *x,
                 struct slice *s)
{
    struct report rp = report_of(x, t);

    for (bool more = true; more && x->next < x->msg.state.n_vnodes;) {
        take_entry(ms, &rp, x, x->next++);
        more = slice_goes_on(s, t, 1);
    }
    return x->next == x->msg.state.n_vnodes;
}

typedef void node_fn(struct moms_turn *t, const struct tidings *x,
                     const struct mom_node *mn, const struct node *n);

/* True: all vnodes of the MoM that were there when these tidings had their turn. */
static bool for_each_node(struct moms_turn *t, struct tidings *x, struct slice *s,
                          node_fn *fn)
{
    const struct mom_node *mn;

    while ((mn = tidings_next_node(x))) {
        const struct node *n = model_node(t->m, mn->id);

        if (n)
            fn(t, x, mn, n);
        if (!slice_goes_on(s, t, 1))
            return false;
    }
    return true;
}

/* Vnodes of the MoM that its list leaves out. They keep the time of the list, too: it
 * is the MoM's, whichever of its vnodes is deleted next. */
static void mark_stale(struct moms_turn *t, const struct tidings *x,
                       const struct mom_node *mn, const struct node *n)
{
    struct node_record nr = { .t = t, .n = n };

    if (mn->listed == x->number)
        return;
    /* Whatever the MoM said of it before is void; what an administrator set stays. */
    node_put_state(&nr, (node_state_stored(n) & ~(uint32_t)REPORT_CLEARS) | NODE_STALE);
    if (nr.rec)
        nr.rec->note = arena_printf(t->out->arena, "vnode %s is stale", n->obj.id);
    node_put_num(&nr, NODE_A_HF_MODTIME, x->msg.state.modtime);
}

bool vnodes_mark_stale(struct moms *ms UNUSED, struct moms_turn *t, struct tidings *x,
                       struct slice *s)
{
    return for_each_node(t, x, s, mark_stale);
}

static void take_plain(struct moms_turn *t, const struct tidings *x,
                       const struct mom_node *mn UNUSED, const struct node *n)
{
    struct node_record nr = { .t = t, .n = n };

    /* Which vnodes there are besides the host's own one a list says, and no other. */
    if (!(node_state_stored(n) & NODE_STALE) || is_named_natural(x->mom, n->obj.id))
        node_put_reported_state(&nr, x->msg.state.state);
}

/* A block without a list: only the state of the MoM as a whole. */
bool vnodes_take_plain(struct moms *ms UNUSED, struct moms_turn *t, struct tidings *x,
                       struct slice *s)
{
    return for_each_node(t, x, s, take_plain);
}

static void is_down(struct moms_turn *t, const struct tidings *x UNUSED,
                    const struct mom_node *mn UNUSED, const struct node *n)
{
    node_change_state(t, n, node_state_stored(n) | NODE_DOWN,
                      "node down: communication closed",
                      "node down: communication closed");
}

bool vnodes_are_down(struct moms *ms UNUSED, struct moms_turn *t, struct tidings *x,
                     struct slice *s)
{
    return for_each_node(t, x, s, is_down);
}

static void is_unknown(struct moms_turn *t, const struct tidings *x UNUSED,
                       const struct mom_node *mn UNUSED, const struct node *n)
{
    node_unknown(t, n);
}

bool vnodes_are_unknown(struct moms *ms UNUSED, struct moms_turn *t, struct tidings *x,
                        struct slice *s)
{
    return for_each_node(t, x, s, is_unknown);
}
