/* manager_node.c - creating, setting and deleting vnodes, and the request on a whole
 * host that pbsnodes -o, -r and -C send (attributes.md 11, cli.md 9).
 *
 * The words of 'state' that an administrator sets are bits of hf_state; the others are
 * what the MoM, the network or the jobs make of the vnode (model/node_life.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/manager_each.h"

#include "lib/attr/ids.h"
#include "server/decide/config.h"
#include "server/decide/kept_request.h"
#include "server/decide/know.h"
#include "server/model/node_life.h"
#include "server/requests/node_indirect.h"

#include <string.h>
#include <strings.h>

#define DEFAULT_PORT  15002

/* What one of many vnodes costs, in the units of request_slice_cost(). */
#define SET_COST      100
#define DELETION_COST 200

/* Attributes that only the creation sets, and their refusals. */
static int check_create_only(struct manager *g)
{
    for (size_t i = 0; i < g->attrs.n; i++) {
        const char *name = g->attrs.v[i].name;

        /* A vnode stays with its MoM for its life; jobs and links rely on it. */
        if (strcasecmp(name, "Mom") == 0 || strcasecmp(name, "Port") == 0)
            return diag_about(&g->out->why, PBSE_ATTRRO, name);
        if (strcasecmp(name, "vnode_pool") == 0 && g->command == MANAGER_SET)
            return REFUSE(g, PBSE_IVALREQ);
        /* Clients are told that there is none (node-attributes.tsv). */
        if (strcasecmp(name, "license") == 0)
            return diag_about(&g->out->why, PBSE_NOATTR, name);
    }
    return 0;
}

/* What cannot be unset. */
static int check_unset(struct manager *g)
{
    static const char *const never[] = { "state", "ntype", "vnode_pool" };

    for (size_t i = 0; i < g->attrs.n; i++) {
        const struct wire_attr *a = &g->attrs.v[i];

        if (*a->value != '\0')
            continue;
        for (size_t k = 0; k < ARRAY_LEN(never); k++)
            if (strcasecmp(a->name, never[k]) == 0)
                return diag_about(&g->out->why, PBSE_BADNDATVAL, never[k]);
        if (strcasecmp(a->name, "resources_available") == 0 &&
            (!a->resource || strcasecmp(a->resource, "host") == 0))
            return diag_about(&g->out->why, PBSE_BADNDATVAL,
                              a->resource ? "resources_available.host"
                                          : "resources_available");
    }
    return 0;
}

/* Take 'state' out of the list and make bits of it. */
static int take_state(struct manager *g, const struct object *o, struct edit *e,
                      struct wire_attrs *rest)
{
    uint32_t was = o ? node_state_stored(TO_NODE(o)) : NODE_INITIAL;
    uint32_t bits = was;

    *rest = (struct wire_attrs){ 0 };
    for (size_t i = 0; i < g->attrs.n; i++) {
        const struct wire_attr *a = &g->attrs.v[i];
        int err;

        if (strcasecmp(a->name, "state") != 0) {
            wire_attrs_add(rest, g->rq->arena, a->name, a->resource, a->value, a->op);
            continue;
        }
        /* Several entries are applied one after the other, each to what the one before
         * has left. */
        err = node_state_change(bits, a->value, (enum wire_op)a->op, &bits, NULL);
        if (err)
            return diag_about(&g->out->why, err, "state");
    }
    /* A state that is so already is no change, and its time stays. */
    if (o && bits == was)
        return 0;
    edit_set_num(e, NODE_A_HF_STATE, bits);
    edit_set_num(e, NODE_A_LAST_STATE_CHANGE_TIME, g->rq->now_at);
    return 0;
}

/* A comment of an administrator is his, and so is a resource he sets. */
static int take_ownership(struct manager *g, struct edit *e)
{
    if (e->touched[NODE_A_COMMENT])
        edit_unset(e, NODE_A_HF_OWN_COMMENT, NULL);
    for (size_t i = 0; i < g->attrs.n; i++) {
        const struct wire_attr *a = &g->attrs.v[i];
        int err;

        if (strcasecmp(a->name, "resources_available") != 0 || !a->resource ||
            !edit_value(e, NODE_A_HF_FROM_MOM)->set)
            continue;
        /* The next report of the MoM leaves the value alone from now on. */
        err = edit_set(e, NODE_A_HF_FROM_MOM, NULL, a->resource, WIRE_OP_DECR,
                       &g->out->why);
        if (err)
            return err;
    }
    return 0;
}

/* Unsetting ncpus brings the MoM's number back, or 1. */
static int restore_ncpus(struct manager *g, struct edit *e)
{
    const struct attr_value *v = edit_value(e, NODE_A_RESOURCES_AVAILABLE);
    const char *ncpus;
    int err;

    if (!e->touched[NODE_A_RESOURCES_AVAILABLE] || g->body->command == MANAGER_CREATE ||
        (v->set && resources_find(&v->u.res, "ncpus")))
        return 0;
    ncpus = arena_printf(g->rq->arena, "%" PRId64, edit_num(e, NODE_A_PCPUS, 1));
    /* NODE_A_PCPUS is what the MoM last counted on its host. */
    err = edit_set(e, NODE_A_RESOURCES_AVAILABLE, "ncpus", ncpus, WIRE_OP_SET,
                   &g->out->why);
    if (err)
        return err;
    return edit_set(e, NODE_A_HF_FROM_MOM, NULL, "ncpus",
                    edit_value(e, NODE_A_HF_FROM_MOM)->set ? WIRE_OP_INCR : WIRE_OP_SET,
                    &g->out->why);
}

static bool same_short(const char *a, const char *b)
{
    size_t len = strcspn(a, ".");

    return strcspn(b, ".") == len && strncasecmp(a, b, len) == 0;
}

static bool on_server_host(const struct manager *g, const struct edit *e)
{
    const struct attr_value *moms = edit_value(e, NODE_A_MOM);

    for (size_t i = 0; moms->set && i < moms->u.list.n; i++)
        if (same_short(moms->u.list.v[i], g->rq->cfg->server_host))
            return true;
    /* Without the attribute the MoM has the name of the vnode. */
    return !moms->set && same_short(g->name, g->rq->cfg->server_host);
}

/* What provisioning is set on: not the server's own host (short names compared), and an
 * environment that the vnode has. */
static int check_provisioning(const struct manager *g, const struct edit *e)
{
    const struct attr_value *have = edit_value(e, NODE_A_RESOURCES_AVAILABLE);
    const char *aoe = edit_str(e, NODE_A_CURRENT_AOE, NULL);
    const struct resource_value *list =
        have->set ? resources_find(&have->u.res, "aoe") : NULL;
    bool found = false;

    for (size_t i = 0; list && aoe && i < list->value.u.list.n; i++)
        found |= strcmp(list->value.u.list.v[i], aoe) == 0;
    if (e->touched[NODE_A_CURRENT_AOE] && aoe && !found)
        return diag_code(&g->out->why, PBSE_NODE_BAD_CURRENT_AOE);
    /* Provisioning reboots a host, which must not be the one that the server runs
     * on. */
    if ((e->touched[NODE_A_CURRENT_AOE] && aoe) ||
        (e->touched[NODE_A_PROVISION_ENABLE] &&
         edit_num(e, NODE_A_PROVISION_ENABLE, 0)) ||
        (e->touched[NODE_A_POWER_PROVISIONING] &&
         edit_num(e, NODE_A_POWER_PROVISIONING, 0)))
        return on_server_host(g, e) ? diag_code(&g->out->why, PBSE_PROV_HEADERROR) : 0;
    return 0;
}

static int refuse_named(const struct manager *g, int code, const char *fmt_text,
                        const char *name)
{
    const char *rest = strstr(fmt_text, "%s");

    MUST(rest); /* the text of the code has a place for the name */
    return diag_set(&g->out->why, code, "%.*s%s%s", (int)(rest - fmt_text), fmt_text,
                    name, rest + 2);
}

/* Jobs ask for it within a select. */
static int check_host_name(const struct manager *g, const struct edit *e)
{
    const struct attr_value *have = edit_value(e, NODE_A_RESOURCES_AVAILABLE);
    const struct resource_value *host =
        e->touched[NODE_A_RESOURCES_AVAILABLE] && have->set
            ? resources_find(&have->u.res, "host")
            : NULL;

    return !host || !host->value.set || host_name_is_valid(host->value.u.str)
               ? 0
               : diag_code(&g->out->why, PBSE_BADATVAL);
}

static int check_node(const struct manager *g, const struct edit *e)
{
    const char *queue = edit_str(e, NODE_A_QUEUE, NULL);
    const struct queue *q = queue ? model_queue(g->m, queue) : NULL;
    const char *partition = edit_str(e, NODE_A_PARTITION, NULL);
    const char *of_queue = q ? obj_str(&q->obj, QUEUE_A_PARTITION, NULL) : NULL;
    int err;

    if (e->touched[NODE_A_QUEUE] && queue && !q)
        return diag_code(&g->out->why, PBSE_UNKQUE);
    /* Whichever of the two is changed is named in the refusal. */
    if ((e->touched[NODE_A_QUEUE] || e->touched[NODE_A_PARTITION]) && partition &&
        of_queue && strcmp(partition, of_queue) != 0) {
        int code = e->touched[NODE_A_PARTITION] ? PBSE_PARTITION_NOT_IN_QUE
                                                : PBSE_QUE_NOT_IN_PARTITION;

        return refuse_named(g, code, pbse_text(code),
                            e->touched[NODE_A_PARTITION] ? partition : queue);
    }
    err = check_host_name(g, e);
    return err ? err : check_provisioning(g, e);
}

static int fill_edit(struct manager *g, const struct object *o, struct edit *e)
{
    struct wire_attrs changes, rest;
    /* "state" and references to other vnodes are not plain values, so they are taken
     * out of the list first. */
    int err = take_state(g, o, e, &changes);

    if (err == 0)
        err = node_take_references(g, o, e, &changes, &rest);
    if (err == 0)
        err = edit_list(e, &rest, g->rq->who->rights, &g->out->why);
    if (err == 0)
        err = take_ownership(g, e);
    if (err == 0)
        err = restore_ncpus(g, e);
    return err ? err : check_node(g, e);
}

static int set_node(struct manager *g, const struct object *o, bool decides)
{
    struct edit e;
    int err;

    MUST(o->kind == OBJ_NODE);
    edit_init(&e, g->m, OBJ_NODE, o);
    err = fill_edit(g, o, &e);
    if (err == 0 && decides)
        manager_commit(g, &e, FACT_SET, OBJ_NODE, o->id);
    edit_fini(&e);
    return err;
}

/* Such an error would be the same for every vnode. */
static bool is_of_request(int code)
{
    return code == PBSE_NOATTR || code == PBSE_ATTRRO;
}

/* What is wrong with the request itself is said as it is; what some vnodes refuse is
 * said with their names. Nothing is changed then. */
static const struct manager_each set_each = {
    .kind = OBJ_NODE,
    .tries_first = true,
    .cost = SET_COST,
    .one = set_node,
    .is_for_all = is_of_request,
};

int manager_node_set(struct manager *g)
{
    const struct object *o = model_find(g->m, OBJ_NODE, g->name);
    int err;

    /* The name is looked up before the attributes are checked, so an unknown vnode is
     * refused as such. */
    if (!o && !manager_means_all(g))
        return REFUSE(g, PBSE_UNKNODE);
    err = check_create_only(g);
    if (err == 0)
        err = check_unset(g);
    if (err)
        return err;
    if (manager_means_all(g))
        return manager_each(g, &set_each, NULL);
    /* Checks and lines have its name as it was created. */
    g->name = o->id;
    return set_node(g, o, true);
}

int manager_host_set(struct manager *g)
{
    const struct host *h = model_host(g->m, g->name);
    /* Others may delete its vnodes, but for one or altogether, between two slices. */
    bool has_begun = kept_request_find(g->m, g->rq->progress) != NULL;
    int err;

    if (!h && !has_begun)
        return REFUSE(g, PBSE_UNKNODE);
    err = check_create_only(g);
    if (err == 0)
        err = check_unset(g);
    if (err)
        return err;
    /* Of a single vnode the refusal is the one of setting it by its name. */
    if (!has_begun && h->n == 1)
        return set_node(g, &h->nodes->obj, true);
    return manager_each(g, &set_each, g->name);
}

/* All are looked up before it is said that some have to be found out. */
static int hosts_are_known(struct manager *g, const struct attr_value *moms)
{
    int err = 0;

    for (size_t i = 0; i < moms->u.list.n && (err == 0 || err == NEEDED); i++) {
        int one = request_host(g->rq, moms->u.list.v[i], PBSE_UNKNODE, &g->out->why);

        /* A real refusal is not hidden by a later host that only has to be found
         * out. */
        err = one ? one : err;
    }
    return err;
}

/* A default is not the manager's word: what the MoM says later counts. */
static int default_member(struct manager *g, struct edit *e, const char *name,
                          const char *text)
{
    const struct attr_value *v = edit_value(e, NODE_A_RESOURCES_AVAILABLE);
    bool more = edit_value(e, NODE_A_HF_FROM_MOM)->set;
    int err;

    if (v->set && resources_find(&v->u.res, name))
        return 0;
    /* The list says which values a report of the MoM may replace. */
    err = edit_set(e, NODE_A_HF_FROM_MOM, NULL, name, more ? WIRE_OP_INCR : WIRE_OP_SET,
                   &g->out->why);
    if (err)
        return err;
    return edit_set(e, NODE_A_RESOURCES_AVAILABLE, name, text, WIRE_OP_SET,
                    &g->out->why);
}

/* What a new vnode has without being told. */
static int complete_new(struct manager *g, struct edit *e)
{
    const struct attr_value *moms;
    int err;

    moms = edit_value(e, NODE_A_MOM);
    if (!moms->set || moms->u.list.n == 0)
        edit_set_str(e, NODE_A_MOM, g->name);
    /* The value is read again, since it may have been set just above. */
    moms = edit_value(e, NODE_A_MOM);
    MUST(moms->set && moms->u.list.n > 0);
    err = hosts_are_known(g, moms);
    if (err)
        return err;
    if (!edit_value(e, NODE_A_PORT)->set)
        edit_set_num(e, NODE_A_PORT,
                     g->rq->cfg->mom_port ? g->rq->cfg->mom_port : DEFAULT_PORT);
    edit_defaults(e);
    if (!edit_value(e, NODE_A_PBS_VERSION)->set)
        edit_set_str(e, NODE_A_PBS_VERSION, "unavailable");
    err = default_member(g, e, "host",
                         node_default_host(moms->u.list.v[0], g->rq->arena));
    return err ? err : default_member(g, e, "vnode", g->name);
}

int manager_node_create(struct manager *g)
{
    struct edit e;
    int err;

    if (strlen(g->name) > NAME_MAX_HOST)
        return REFUSE(g, PBSE_NODENBIG);
    if (!node_name_is_valid(g->name))
        return REFUSE(g, PBSE_BADNDATVAL);
    if (model_node(g->m, g->name))
        return REFUSE(g, PBSE_NODEEXIST);
    edit_init(&e, g->m, OBJ_NODE, NULL);
    /* What the manager said is taken first, and defaults fill what is left. */
    err = fill_edit(g, NULL, &e);
    if (err == 0)
        err = complete_new(g, &e);
    if (err == 0)
        manager_commit(g, &e, FACT_CREATED, OBJ_NODE, g->name);
    edit_fini(&e);
    return err;
}

/* The natural vnode of a MoM stays while others share that MoM. */
static bool serves_others(const struct node *n)
{
    /* Only a natural vnode stands for its host. */
    if (node_natural(n) != n || !n->host)
        return false;
    for (const struct node *o = n->host->nodes; o; o = o->host_next)
        if (o != n && node_natural(o) == n)
            return true;
    return false;
}

static bool is_in_use(const struct node *n)
{
    return n->n_jobs > 0 || n->n_occurrences > 0;
}

/* What lends to a vnode that stays, stays; what lends to one that goes can go with it.
 */
static bool stays(const struct node *n)
{
    for (size_t i = 0; i < n->n_referrers; i++)
        if (is_in_use(n->referrers[i]))
            return true;
    return is_in_use(n);
}

static void record_deletion(struct manager *g, const struct object *o)
{
    decide(g->out, g->rq, FACT_DELETED, OBJ_NODE, o->id);
}

static void log_emptiness(struct manager *g)
{
    MUST(g->out->records.n <= g->m->kinds[OBJ_NODE].n); /* one for each vnode */
    if (g->out->records.n > 0 && g->out->records.n == g->m->kinds[OBJ_NODE].n)
        decide_log(g->out, LOG_EV_ADMIN, LOG_IN_SERVER, "nodes",
                   "Server has empty nodes list");
}

static int delete_node(struct manager *g, const struct object *o, bool decides UNUSED)
{
    if (stays(TO_NODE(o)))
        return REFUSE(g, PBSE_OBJBUSY);
    record_deletion(g, o);
    return 0;
}

static void log_deletion(struct manager *g)
{
    manager_log(g, OBJ_NODE, "_All_", "deleted");
}

/* Vnodes with jobs or reservations remain and are named; the others go, whoever shares
 * a MoM with whom (attributes.md 11). Those that borrow go before those that lend:
 * fewer links are made anew. */
static const struct manager_each delete_each = {
    .kind = OBJ_NODE,
    .backwards = true,
    .cost = DELETION_COST,
    .one = delete_node,
    .begins = log_deletion,
    .ends = log_emptiness,
};

static int delete_all(struct manager *g)
{
    const struct object *first = g->m->kinds[OBJ_NODE].first;

    /* Between two slices others may have deleted what was left. */
    if (g->rq->progress)
        return manager_each(g, &delete_each, NULL);
    if (!first)
        return REFUSE(g, PBSE_UNKNODE);
    /* With a single vnode the refusal is the one of deleting it by its name. */
    if (!first->next && is_in_use(TO_NODE(first)))
        return REFUSE(g, PBSE_OBJBUSY);
    return manager_each(g, &delete_each, NULL);
}

int manager_node_delete(struct manager *g)
{
    const struct node *n = model_node(g->m, g->name);

    if (manager_means_all(g))
        return delete_all(g);
    if (!n)
        return REFUSE(g, PBSE_UNKNODE);
    /* Whoever has jobs or reservations on the vnode, shares its MoM or borrows from it
     * would lose them. */
    if (is_in_use(n) || serves_others(n) || n->n_referrers > 0)
        return REFUSE(g, PBSE_OBJBUSY);
    record_deletion(g, &n->obj);
    manager_log(g, OBJ_NODE, n->obj.id, "deleted");
    log_emptiness(g);
    return 0;
}
