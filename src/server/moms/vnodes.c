/* vnodes.c - what a MoM says of its vnodes (tpp.md 5.5, 5.6).
 *
 * Values that a manager set stay; values that the MoM reported before and does not
 * report any more go. Which ones are the MoM's is in hf_from_mom.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "lib/attr/node_attrs.h"
#include "lib/base/date.h"
#include "server/decide/edit.h"
#include "server/model/indirect.h"
#include "server/model/node_life.h"
#include "server/moms/moms_priv.h"

#include <string.h>
#include <strings.h>

enum {
    MOM_DOWN = 0x02,
    MOM_BUSY = 0x80
};

#define AVAILABLE "resources_available."

/* A record about one vnode that is begun with its first difference. */
struct node_record {
    struct moms_turn *t;
    const struct node *n;
    struct record *rec;
};

static struct record *begin(struct node_record *nr)
{
    if (!nr->rec)
        nr->rec = moms_record(nr->t, FACT_NODE_REPORTED, OBJ_NODE, nr->n->obj.id);
    return nr->rec;
}

static void put(struct node_record *nr, int attr, const char *resource,
                const char *text)
{
    struct arena *arena = nr->t->out->arena;
    const struct attr_type *type = node_rows[attr].type;
    const struct attr_value *v = obj_attr(&nr->n->obj, attr);
    const char *before = resource ? attr_value_member(type, v, resource, arena)
                                  : attr_value_text(type, v, arena);

    if (!str_same(before, text))
        record_change(begin(nr), arena, attr,
                      resource ? arena_strdup(arena, resource) : NULL,
                      text ? arena_strdup(arena, text) : NULL);
}

static void put_num(struct node_record *nr, int attr, int64_t num)
{
    put(nr, attr, NULL, arena_printf(nr->t->out->arena, "%" PRId64, num));
}

/* State. */

/* The server's own comments come and go; a manager's stays. */
static void put_comment(struct node_record *nr, const char *comment)
{
    const struct object *o = &nr->n->obj;

    if (obj_is_set(o, NODE_A_COMMENT) && !obj_num(o, NODE_A_HF_OWN_COMMENT, 0))
        return;
    put(nr, NODE_A_COMMENT, NULL, comment);
    put(nr, NODE_A_HF_OWN_COMMENT, NULL, comment ? "True" : NULL);
}

static void put_state(struct node_record *nr, uint32_t bits)
{
    uint32_t before = node_state_stored(nr->n);

    if (bits == before && obj_is_set(&nr->n->obj, NODE_A_HF_STATE))
        return;
    put_num(nr, NODE_A_HF_STATE, bits);
    put_num(nr, NODE_A_LAST_STATE_CHANGE_TIME, nr->t->now_at);
    if (bits & NODE_LAST_KNOWN)
        put_num(nr, NODE_A_HF_UNKNOWN_AT, nr->t->now_at);
    else
        put(nr, NODE_A_HF_UNKNOWN_AT, NULL, NULL);
}

void node_change_state(struct moms_turn *t, const struct node *n, uint32_t bits,
                       const char *comment, const char *note)
{
    struct node_record nr = { .t = t, .n = n };

    if (bits == node_state_stored(n))
        return;
    nr.rec = moms_record(t, FACT_NODE_STATE, OBJ_NODE, n->obj.id);
    nr.rec->note = note;
    put_state(&nr, bits);
    if (comment)
        put_comment(&nr, comment);
}

/* Bits that a report clears; what administrators and hooks set stays. */
#define REPORT_CLEARS                                                                  \
    (NODE_DOWN | NODE_STATE_UNKNOWN | NODE_LAST_KNOWN | NODE_STALE | NODE_BUSY |       \
     NODE_SLEEP | NODE_UNRESOLVABLE)

static uint32_t reported_bits(uint32_t stored, uint32_t mom_state)
{
    uint32_t bits = stored & ~(uint32_t)REPORT_CLEARS;

    if (mom_state & MOM_DOWN)
        bits |= NODE_DOWN;
    if (mom_state & MOM_BUSY)
        bits |= NODE_BUSY;
    return bits;
}

static void put_reported_state(struct node_record *nr, uint32_t mom_state)
{
    uint32_t before = node_state_stored(nr->n);
    uint32_t bits = reported_bits(before, mom_state);

    put_state(nr, bits);
    put_comment(nr, bits & NODE_DOWN ? "node down: by mom" : NULL);
    if (!nr->rec)
        return;
    if (bits & NODE_DOWN)
        nr->rec->note = "node down: by mom";
    else if (before & (NODE_DOWN | NODE_STATE_UNKNOWN | NODE_STALE))
        nr->rec->note = "node up";
}

/* Resources. */

static bool is_from_mom(const struct node *n, const char *resource)
{
    const struct attr_value *v = obj_attr(&n->obj, NODE_A_HF_FROM_MOM);

    for (size_t i = 0; v->set && i < v->u.list.n; i++)
        if (strcasecmp(v->u.list.v[i], resource) == 0)
            return true;
    return false;
}

static bool is_managers(const struct node *n, const char *resource)
{
    const struct object *o = &n->obj;

    return (resources_find(obj_resources(o, NODE_A_RESOURCES_AVAILABLE), resource) ||
            node_reference(obj_attr(o, NODE_A_HF_INDIRECT), resource)) &&
           !is_from_mom(n, resource);
}

/* One state block with its list of vnodes. */
struct report {
    struct moms_turn *t;
    const struct is_state *state;
    struct resource_defs *fresh; /* resources that it defines; NULL: none yet */
};

/* What this report gives: members in order, for hf_from_mom. */
struct given {
    struct wire_attrs list; /* name = resource, value = text, "@vnode" for another's */
};

static void say_undefined(const struct report *rp, const char *vnode,
                          const char *resource)
{
    effect_log(rp->t->effects, rp->t->m->seq, LOG_EV_ERROR, LOG_IN_NODE, vnode,
               "error: resource %s for vnode %s cannot be defined", resource, vnode);
}

static const struct resource_def *find_def(const struct report *rp,
                                           const char *resource)
{
    const struct resource_def *def = resource_find(rp->t->m->defs, resource);

    return !def && rp->fresh ? resource_find(rp->fresh, resource) : def;
}

/* A resource that nobody has defined is, when the MoM says of what type it is. */
static bool define(struct report *rp, const char *resource,
                   const struct is_vnode_attr *a)
{
    struct arena *arena = rp->t->out->arena;
    const char *type = resource_type_of_number(a->type);
    struct buf flags = { 0 };
    struct record *rec;
    int err = type ? 0 : PBSE_BADATVAL;

    if (!rp->fresh)
        rp->fresh = resource_defs_new();
    resource_flags_of_number((uint32_t)a->flags, &flags);
    if (!err)
        err = resource_define(rp->fresh, resource, type, flags.data ? flags.data : "",
                              NULL);
    if (!err) {
        rec = moms_record(rp->t, FACT_CREATED, OBJ_RESOURCE,
                          arena_strdup(arena, resource));
        record_change(rec, arena, RESOURCE_A_TYPE, NULL, type);
        if (flags.len > 0)
            record_change(rec, arena, RESOURCE_A_FLAG, NULL,
                          arena_strdup(arena, flags.data));
    }
    buf_fini(&flags);
    return !err;
}

/* May a value of that resource be taken? It is known, and of the type that is said, or
 * becomes known. Without a type what nobody knows is passed over in silence. */
static bool is_defined(struct report *rp, const char *vnode, const char *resource,
                       const struct is_vnode_attr *a)
{
    const struct resource_def *def = find_def(rp, resource);
    bool good = def ? !a->type || def->type->wire_type == a->type
                    : a->type && define(rp, resource, a);

    if (!good && (def || a->type))
        say_undefined(rp, vnode, resource);
    return good;
}

static bool lists_own(const struct report *rp, const char *vnode, const char *resource)
{
    for (size_t i = 0; i < rp->state->n_vnodes; i++) {
        const struct is_vnode *vn = &rp->state->vnodes[i];

        if (strcmp(vn->name, vnode) != 0)
            continue;
        for (size_t k = 0; k < vn->n; k++)
            if (strncasecmp(vn->attrs[k].name, AVAILABLE, strlen(AVAILABLE)) == 0 &&
                strcasecmp(vn->attrs[k].name + strlen(AVAILABLE), resource) == 0)
                return *vn->attrs[k].value != '@';
    }
    return false;
}

static bool has_own(const struct report *rp, const char *vnode, const char *resource)
{
    const struct node *n = model_node(rp->t->m, vnode);

    return n &&
           resources_find(obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE), resource);
}

/* The rules of a manager's reference (requests/node_indirect.c). */
static bool may_borrow(const struct report *rp, const struct node *n, const char *vnode,
                       const char *resource, const char *home)
{
    if (strcmp(vnode, home) == 0 || strcasecmp(resource, "ncpus") == 0 ||
        (n && node_shares(n, resource) && node_home(n, resource) == n))
        return false;
    return lists_own(rp, home, resource) || has_own(rp, home, resource);
}

static bool value_decodes(const struct report *rp, const char *resource,
                          const char *text)
{
    const struct resource_def *def = find_def(rp, resource);
    struct attr_value v = { 0 };

    if (!def || resource_decode(def, rp->t->m->defs, &v, text))
        return false;
    def->type->clear(&v);
    return true;
}

static void give(struct report *rp, struct given *g, const struct node *n,
                 const char *vnode, const char *resource, const char *text)
{
    struct arena *arena = rp->t->out->arena;
    bool good = *text == '@' ? may_borrow(rp, n, vnode, resource, text + 1)
                             : value_decodes(rp, resource, text);

    if (wire_attrs_find(&g->list, resource, NULL) || (n && is_managers(n, resource)))
        return;
    if (good)
        wire_attrs_add(&g->list, arena, arena_strdup(arena, resource), NULL,
                       arena_strdup(arena, text), WIRE_OP_SET);
    else
        say_undefined(rp, vnode, resource);
}

static void give_listed(struct report *rp, struct given *g, const struct node *n,
                        const struct is_vnode *vn)
{
    const char *vnode = n ? n->obj.id : vn->name;

    for (size_t i = 0; i < vn->n; i++) {
        const struct is_vnode_attr *a = &vn->attrs[i];
        const char *resource = a->name + strlen(AVAILABLE);

        if (strncasecmp(a->name, AVAILABLE, strlen(AVAILABLE)) == 0 &&
            is_defined(rp, vnode, resource, a))
            give(rp, g, n, vnode, resource, a->value);
    }
}

static void give_block(struct report *rp, struct given *g, const struct node *n,
                       const char *vnode, bool natural)
{
    const struct is_state *state = rp->state;
    struct arena *arena = rp->t->out->arena;

    if (state->arch && *state->arch)
        give(rp, g, n, vnode, "arch", state->arch);
    if (!natural)
        return;
    give(rp, g, n, vnode, "ncpus", arena_printf(arena, "%" PRIu32, state->acpus));
    give(rp, g, n, vnode, "mem", arena_printf(arena, "%" PRIu64 "kb", state->mem_kb));
}

/* What the list leaves out: every vnode is on a host and has its own name. */
static void give_place(struct report *rp, struct given *g, const struct node *n,
                       const char *vnode, const char *mom_host)
{
    struct arena *arena = rp->t->out->arena;

    if (!wire_attrs_find(&g->list, "host", NULL))
        give(rp, g, n, vnode, "host", node_default_host(mom_host, arena));
    if (!wire_attrs_find(&g->list, "vnode", NULL))
        give(rp, g, n, vnode, "vnode", vnode);
}

static const char *names_of(const struct given *g, struct arena *arena)
{
    struct buf text = { 0 };
    const char *ret;

    for (size_t i = 0; i < g->list.n; i++)
        buf_printf(&text, "%s%s", i ? "," : "", g->list.v[i].name);
    ret = text.len ? arena_strdup(arena, text.data) : NULL;
    buf_fini(&text);
    return ret;
}

/* "sz=other" for each one that is another vnode's: what a manager said, and this. */
static const char *references_of(const struct node *n, const struct given *g,
                                 struct arena *arena)
{
    const char *resource, *vnode, *ret = NULL;

    for (size_t i = 0;
         n && (resource = node_reference_at(obj_attr(&n->obj, NODE_A_HF_INDIRECT), i,
                                            arena, &vnode));
         i++)
        if (!is_from_mom(n, resource))
            ret = arena_printf(arena, "%s%s%s=%s", ret ? ret : "", ret ? "," : "",
                               resource, vnode + 1);
    for (size_t i = 0; i < g->list.n; i++)
        if (*g->list.v[i].value == '@')
            ret = arena_printf(arena, "%s%s%s=%s", ret ? ret : "", ret ? "," : "",
                               g->list.v[i].name, g->list.v[i].value + 1);
    return ret;
}

static void put_given(struct node_record *nr, const struct given *g)
{
    const struct attr_value *old = obj_attr(&nr->n->obj, NODE_A_HF_FROM_MOM);

    for (size_t i = 0; i < g->list.n; i++) {
        const char *text = g->list.v[i].value;

        put(nr, NODE_A_RESOURCES_AVAILABLE, g->list.v[i].name,
            *text == '@' ? NULL : text);
    }
    for (size_t i = 0; old->set && i < old->u.list.n; i++)
        if (!wire_attrs_find(&g->list, old->u.list.v[i], NULL))
            put(nr, NODE_A_RESOURCES_AVAILABLE, old->u.list.v[i], NULL);
    put(nr, NODE_A_HF_INDIRECT, NULL, references_of(nr->n, g, nr->t->out->arena));
    put(nr, NODE_A_HF_FROM_MOM, NULL, names_of(g, nr->t->out->arena));
}

static const char *vnode_attr(const struct is_vnode *vn, const char *name)
{
    for (size_t i = 0; i < vn->n; i++)
        if (strcasecmp(vn->attrs[i].name, name) == 0)
            return vn->attrs[i].value;
    return NULL;
}

/* Vnodes. */

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

    give_listed(rp, &g, n, vn);
    give_block(rp, &g, n, n->obj.id, natural);
    give_place(rp, &g, n, n->obj.id, node_mom_host(n));
    put_given(&nr, &g);
    if (natural)
        put_num(&nr, NODE_A_PCPUS, state->pcpus);
    put(&nr, NODE_A_PBS_VERSION, NULL, version_of(state));
    put(&nr, NODE_A_TOPOLOGY_INFO, NULL, vnode_attr(vn, "topology_info"));
    if (sharing)
        put(&nr, NODE_A_SHARING, NULL, sharing);
    put_num(&nr, NODE_A_HF_MODTIME, state->modtime);
    put_reported_state(&nr, state->state);
}

static void record_given(struct record *rec, const struct given *g, struct arena *arena)
{
    for (size_t i = 0; i < g->list.n; i++)
        if (*g->list.v[i].value != '@')
            record_change(rec, arena, NODE_A_RESOURCES_AVAILABLE, g->list.v[i].name,
                          g->list.v[i].value);
    record_change(rec, arena, NODE_A_HF_INDIRECT, NULL, references_of(NULL, g, arena));
    record_change(rec, arena, NODE_A_HF_FROM_MOM, NULL, names_of(g, arena));
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

    give_listed(rp, &g, NULL, vn); /* resources come before who has them */
    give_block(rp, &g, NULL, vn->name, false);
    give_place(rp, &g, NULL, vn->name, mom->host);
    rec = moms_record(t, FACT_CREATED, OBJ_NODE, vn->name);
    record_change(rec, arena, NODE_A_MOM, NULL, arena_strdup(arena, mom->host));
    record_change_num(rec, arena, NODE_A_PORT, mom->port);
    record_change(rec, arena, NODE_A_NTYPE, NULL, "PBS");
    record_change(rec, arena, NODE_A_RESV_ENABLE, NULL, "True");
    record_change(rec, arena, NODE_A_SHARING, NULL,
                  sharing ? arena_strdup(arena, sharing) : "default_shared");
    record_change(rec, arena, NODE_A_PBS_VERSION, NULL,
                  arena_strdup(arena, version_of(state)));
    record_given(rec, &g, arena);
    record_change_num(rec, arena, NODE_A_HF_MODTIME, state->modtime);
    record_change_num(rec, arena, NODE_A_HF_STATE, reported_bits(0, state->state));
    record_change_num(rec, arena, NODE_A_LAST_STATE_CHANGE_TIME, t->now_at);
    effect_log(t->effects, t->m->seq, LOG_EV_SYSTEM, LOG_IN_NODE, vn->name,
               "autocreated vnode %s", vn->name);
}

/* The vnode that carries the MoM's own name, else the first one. */
static const struct node *natural_of(const struct moms_turn *t, const struct mom *mom)
{
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

        if (n && !is_seen(*seen, n)) {
            take_listed(rp, n, vn, n == natural);
            see(seen, n, t->out->arena);
        } else if (!n && may_be_made(t, vn) && state->modtime > stored) {
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
        put_state(&nr, (node_state_stored(n) & ~(uint32_t)REPORT_CLEARS) | NODE_STALE);
        put_num(&nr, NODE_A_HF_MODTIME, modtime);
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
            put_reported_state(&nr, state->state);
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
    if (!state->has_vnodes || state->modtime < stored_modtime(t, mom)) {
        take_plain(t, mom, state);
        return;
    }
    effect_log(t->effects, t->m->seq, LOG_EV_SYSTEM, LOG_IN_NODE, mom->host,
               "Mom reporting %zu vnodes as of %s", state->n_vnodes,
               date_ctime(d, text));
    take_list(ms, &rp, mom, &seen);
    mark_stale(t, mom, state->modtime, seen);
    HASH_CLEAR(hh, seen);
    resource_defs_free(rp.fresh);
}
