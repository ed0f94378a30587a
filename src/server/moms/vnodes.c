/* vnodes.c - what a MoM says of its vnodes (tpp.md 5.5, 5.6): which of them are listed,
 * created, stale or another MoM's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "lib/attr/node_attrs.h"
#include "lib/base/date.h"
#include "server/model/node_life.h"
#include "server/moms/vnode_report.h"

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

static void create_vnode(struct report *rp, const struct mom *mom,
                         const struct is_vnode *vn)
{
    const struct is_state *state = rp->state;
    struct moms_turn *t = rp->t;
    struct arena *arena = t->out->arena;
    struct given g = { 0 };
    const char *sharing = vnode_attr(vn, "sharing");
    struct record *rec;

    MUST(!model_node(t->m, vn->name));    /* may_be_made() has seen to it */
    report_give_listed(rp, &g, NULL, vn); /* resources come before who has them */
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
    record_change_num(rec, arena, NODE_A_HF_MODTIME, state->modtime);
    /* It has reported itself, so it is up unless the MoM says otherwise. */
    record_change_num(rec, arena, NODE_A_HF_STATE, node_reported_bits(0, state->state));
    record_change_num(rec, arena, NODE_A_LAST_STATE_CHANGE_TIME, t->now_at);
    effect_log(t->effects, t->m->seq, LOG_EV_SYSTEM, LOG_IN_NODE, vn->name,
               "autocreated vnode %s", vn->name);
}

/* The vnode that carries the MoM's own name, else the first one. */
static const struct node *natural_of(const struct moms_turn *t, const struct mom *mom)
{
    /* "n1" is the natural vnode of the MoM "n1.cluster": the short name counts, too. */
    size_t len = strcspn(mom->host, ".");

    for (const struct mom_node *mn = mom->nodes; mn; mn = mn->next)
        if (strcasecmp(mn->id, mom->host) == 0 ||
            (strlen(mn->id) == len && strncasecmp(mn->id, mom->host, len) == 0))
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

/* Vnodes that the list names. */
struct seen {
    const struct node *n;
    UT_hash_handle hh;
};

static void see(struct seen **seen, const struct node *n, struct arena *arena)
{
    struct seen *s;

    MUST(n);
    /* The table is keyed by the address of the vnode, and nobody walks it, so its order
     * does not matter. */
    HASH_FIND_PTR(*seen, &n, s);
    if (s)
        return;
    s = ARENA_NEW(arena, struct seen);
    s->n = n;
    HASH_ADD_PTR(*seen, n, s);
}

static bool is_seen(struct seen *seen, const struct node *n)
{
    struct seen *s;

    HASH_FIND_PTR(seen, &n, s);
    return s != NULL;
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

static void take_list(struct moms *ms, struct report *rp, struct mom *mom,
                      struct seen **seen)
{
    struct moms_turn *t = rp->t;
    const struct is_state *state = rp->state;
    int64_t stored = stored_modtime(t, mom);
    const struct node *natural = natural_of(t, mom);

    for (size_t i = 0; i < state->n_vnodes; i++) {
        const struct is_vnode *vn = &state->vnodes[i];
        const struct node *n = listed_node(ms, t, mom, vn);

        /* A vnode that is listed twice counts once, and its second entry is
         * reported. */
        if (n && !is_seen(*seen, n)) {
            take_listed(rp, n, vn, n == natural);
            see(seen, n, t->out->arena);
        } else if (!n && may_be_made(t, vn) && state->modtime > stored) {
            /* An older list, or the same one again, does not bring back a vnode that
             * was deleted meanwhile. */
            create_vnode(rp, mom, vn);
        } else {
            say_unknown(t, mom, vn->name);
        }
    }
}

/* Vnodes of the MoM that its list leaves out. They keep the time of the list, too: it
 * is the MoM's, whichever of its vnodes is deleted next. */
static void mark_stale(struct moms_turn *t, const struct mom *mom, int64_t modtime,
                       struct seen *seen)
{
    for (const struct mom_node *mn = mom->nodes; mn; mn = mn->next) {
        const struct node *n = model_node(t->m, mn->id);
        struct node_record nr = { .t = t, .n = n };

        if (!n || is_seen(seen, n))
            continue;
        /* Whatever the MoM said of it before is void; what an administrator set
         * stays. */
        node_put_state(&nr,
                       (node_state_stored(n) & ~(uint32_t)REPORT_CLEARS) | NODE_STALE);
        node_put_num(&nr, NODE_A_HF_MODTIME, modtime);
    }
}

/* A block without a list: only the state of the MoM as a whole. */
static void take_plain(struct moms_turn *t, const struct mom *mom,
                       const struct is_state *state)
{
    for (const struct mom_node *mn = mom->nodes; mn; mn = mn->next) {
        const struct node *n = model_node(t->m, mn->id);
        struct node_record nr = { .t = t, .n = n };

        if (n)
            node_put_reported_state(&nr, state->state);
    }
}

void mom_take_state(struct moms *ms, struct moms_turn *t, struct mom *mom,
                    const struct is_state *state)
{
    struct date d = date_of(
        state->modtime,
        t->cfg->utc_offset_s ? t->cfg->utc_offset_s(t->cfg->arg, state->modtime) : 0);
    char text[DATE_TEXT_BYTES];
    struct report rp = { .t = t, .state = state };
    struct seen *seen = NULL;

    effect_log(t->effects, t->m->seq, LOG_EV_SYSTEM, LOG_IN_NODE, mom->host,
               "update2 state:%" PRIu32 " ncpus:%" PRIu32, state->state, state->acpus);
    /* A list that is older than the stored one was overtaken on its way, and only its
     * state counts. */
    if (!state->has_vnodes || state->modtime < stored_modtime(t, mom)) {
        take_plain(t, mom, state);
        return;
    }
    effect_log(t->effects, t->m->seq, LOG_EV_SYSTEM, LOG_IN_NODE, mom->host,
               "Mom reporting %zu vnodes as of %s", state->n_vnodes,
               date_ctime(d, text));
    take_list(ms, &rp, mom, &seen);
    mark_stale(t, mom, state->modtime, seen);
    /* The entries belong to the arena of the turn; only the table itself is cleared. */
    HASH_CLEAR(hh, seen);
    resource_defs_free(rp.fresh);
}
