/* resv_world.c - see resv_world.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "../cal/zones.h"
#include "server/engine/svr_priv.h"

#include <stdlib.h>
#include <string.h>

/* Everybody has two groups, every host is this one. */
static bool known(void *arg UNUSED, const struct need *need, struct arena *arena,
                  struct finding *ret)
{
    static const uint32_t addr = 0x7f000001;
    const char **v = ARENA_ARRAY(arena, const char *, 2);

    v[0] = strcmp(need->name, "user2") == 0 ? "g2" : "g1";
    v[1] = "all";
    *ret = (struct finding){ .found = strcmp(need->name, "nobody1") != 0,
                             .groups = { 2, v },
                             .n_addrs = 1,
                             .addrs = &addr };
    if (need->kind == NEED_ZONE) {
        ret->data = zone_bytes(need->name, arena, &ret->len);
        ret->found = ret->data != NULL;
    }
    return true;
}

size_t world_slice_cost;

static struct svr *new_server(void)
{
    const struct svr_config cfg = {
        .slice_cost = world_slice_cost,
        .server_name = "svr",
        .server_host = "svr",
        .server_port = 15001,
        .version = "23.06.06",
        .holdfast_version = "0",
        .root_user = "root",
        .known = known,
    };

    return svr_new(&cfg);
}

void world_clear(struct world *w)
{
    arena_clear(w->arena);
    w->out = (struct effects){ .arena = w->arena };
}

static void load(struct world *w, enum obj_kind kind, const char *id, size_t n,
                 const struct change *changes)
{
    struct records list = { 0 };
    struct record *rec =
        record_add(&list, w->arena, FACT_LOADED, kind, id, "root@svr", 0);

    for (size_t i = 0; i < n; i++)
        record_change(rec, w->arena, changes[i].attr, changes[i].resource,
                      changes[i].after);
    MUST(!svr_load(w->s, rec));
}

static void load_cluster(struct world *w)
{
    static const struct change server[] = {
        { SERVER_A_SCHEDULING, NULL, NULL, "True" },
        { SERVER_A_RESOURCES_DEFAULT, "ncpus", NULL, "1" },
        { SERVER_A_DEFAULT_CHUNK, "ncpus", NULL, "1" },
        { SERVER_A_FLATUID, NULL, NULL, "True" },
        { SERVER_A_HF_NEXT_NUMBER, NULL, NULL, "1" },
        { SERVER_A_MANAGERS, NULL, NULL, "mgr1@*" },
    };
    static const struct change sched[] = {
        { SCHED_A_SCHEDULING, NULL, NULL, "True" },
        { SCHED_A_PARTITION, NULL, NULL, "pbs-default" },
        { SCHED_A_SCHEDULER_ITERATION, NULL, NULL, "1000000" },
    };
    static const struct change node[] = {
        { NODE_A_HF_STATE, NULL, NULL, "0" },
        { NODE_A_RESOURCES_AVAILABLE, "ncpus", NULL, "2" },
        { NODE_A_RESOURCES_AVAILABLE, "host", NULL, "svr" },
    };

    load(w, OBJ_SERVER, "svr", ARRAY_LEN(server), server);
    load(w, OBJ_SCHED, "default", ARRAY_LEN(sched), sched);
    for (int i = 0; i < 5; i++)
        load(w, OBJ_NODE, arena_printf(w->arena, "vn[%d]", i), ARRAY_LEN(node), node);
}

/* The MoM of every vnode reports at once: what was known last is known again. */
static void all_report(struct world *w)
{
    for (const struct object *o = svr_model(w->s)->kinds[OBJ_NODE].first; o;
         o = o->next) {
        uint32_t bits = node_state_stored(TO_NODE(o));

        if (bits & NODE_LAST_KNOWN)
            world_vnode(w, o->id,
                        bits & ~((uint32_t)NODE_LAST_KNOWN | NODE_STATE_UNKNOWN));
    }
}

static void request(struct world *w, const struct requester *who, uint32_t number,
                    const void *body, const char *extend)
{
    const struct wire_request rq = {
        .number = number,
        .user = who->user,
        .body = body,
        .extend = extend,
    };

    svr_request(w->s, w->now_at, who, &rq, &w->out);
}

static void attach(struct world *w, const char *sched, uint64_t primary,
                   uint64_t secondary, const char *extend)
{
    const struct requester who[] = {
        { .user = "root", .host = "svr", .server_uid = true, .conn = primary },
        { .user = "root", .host = "svr", .server_uid = true, .conn = secondary },
    };
    const struct body_id body = { .id = sched };

    for (size_t i = 0; i < ARRAY_LEN(who); i++)
        request(w, &who[i], BATCH_REGISTER_SCHED, &body, extend);
}

void world_attach(struct world *w, const char *sched, uint64_t primary,
                  uint64_t secondary)
{
    attach(w, sched, primary, secondary, NULL);
}

void world_attach_ours(struct world *w)
{
    svr_client_gone(w->s, w->now_at, CONN_SCHED, &w->out);
    attach(w, "default", CONN_SCHED, CONN_SCHED2, REGISTER_MAY_CUT);
    world_sched_done(w);
    world_clear(w);
}

static void start(struct world *w, uint64_t seq, bool silent)
{
    svr_loaded(w->s, seq);
    svr_start(w->s, w->now_at, SVR_WARM, &w->out);
    if (!silent)
        all_report(w);
    world_attach(w, "default", CONN_SCHED, CONN_SCHED2);
    world_sched_done(w); /* configure, configure, first cycle */
}

void world_new(struct world *w)
{
    *w = (struct world){ .s = new_server(), .arena = arena_new(), .now_at = NOW };
    world_clear(w);
    load_cluster(w);
    start(w, 100, false);
    world_clear(w);
}

void world_free(struct world *w)
{
    svr_free(w->s);
    arena_free(w->arena);
}

/* Every saved attribute of an object as a loaded record of the new server. */
static void carry_over(struct world *w, const struct object *o)
{
    const struct attr_table *t = kind_table(o->kind);
    struct records list = { 0 };
    struct record *rec =
        record_add(&list, w->arena, FACT_LOADED, o->kind, o->id, "root@svr", 0);

    rec->seq = o->made_seq;
    for (size_t i = 0; i < t->n; i++) {
        const struct attr_type *type = t->rows[i].type;
        const struct attr_value *v = obj_attr(o, (int)i);
        struct attr_members members;

        if (!v->set || t->rows[i].flags & ATTR_NOT_SAVED)
            continue;
        if (!attr_type_has_members(type)) {
            record_change(rec, w->arena, (int)i, NULL,
                          attr_value_text(type, v, w->arena));
            continue;
        }
        members = attr_value_members(type, v, w->arena);
        for (size_t k = 0; k < members.n; k++)
            record_change(rec, w->arena, (int)i, members.v[k].name, members.v[k].text);
    }
    MUST(!svr_load(w->s, rec));
}

static void restart(struct world *w, bool silent)
{
    struct svr *old = w->s;
    struct buf why = { 0 };

    w->s = new_server();
    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        for (const struct object *o = svr_model(old)->kinds[kind].first; o; o = o->next)
            carry_over(w, o);
    svr_loaded(w->s, svr_model(old)->seq);
    CU_ASSERT_TRUE(model_same(svr_model(old), svr_model(w->s), &why));
    if (why.len)
        fprintf(stderr, "restart: %s\n", why.data);
    buf_fini(&why);
    start(w, svr_model(old)->seq, silent);
    svr_free(old);
}

void world_restart(struct world *w)
{
    restart(w, false);
}

void world_restart_silent(struct world *w)
{
    restart(w, true);
}

/* Facts. */

void world_take(struct world *w, struct decision *d)
{
    struct turn t = { .s = w->s, .now_at = w->now_at, .out = &w->out };

    take_up(&t, d);
    settle(&t);
}

void world_fact(struct world *w, enum fact fact, enum obj_kind kind, const char *id,
                int attr, const char *resource, const char *text)
{
    struct decision d = { .arena = w->arena };
    struct record *rec =
        record_add(&d.records, w->arena, fact, kind, id, "mgr1@svr", w->now_at);

    record_change(rec, w->arena, attr, resource, text);
    world_take(w, &d);
}

void world_vnode(struct world *w, const char *name, uint32_t bits)
{
    world_fact(w, FACT_NODE_STATE, OBJ_NODE, name, NODE_A_HF_STATE, NULL,
               arena_printf(w->arena, "%" PRIu32, bits));
}

void world_server(struct world *w, int attr, const char *resource, const char *text)
{
    world_fact(w, FACT_SET, OBJ_SERVER, "svr", attr, resource, text);
}

void world_job(struct world *w, const char *id, const char *queue,
               const char *exec_vnode, const char *walltime)
{
    struct decision d = { .arena = w->arena };
    struct record *rec = record_add(&d.records, w->arena, FACT_JOB_QUEUED, OBJ_JOB, id,
                                    "user1@svr", w->now_at);

    record_change(rec, w->arena, JOB_A_JOB_STATE, NULL, exec_vnode ? "R" : "H");
    record_change_num(rec, w->arena, JOB_A_SUBSTATE, exec_vnode ? 42 : 20);
    if (queue)
        record_change(rec, w->arena, JOB_A_QUEUE, NULL, queue);
    if (exec_vnode) {
        record_change(rec, w->arena, JOB_A_EXEC_VNODE, NULL, exec_vnode);
        record_change_num(rec, w->arena, JOB_A_STIME, w->now_at);
    }
    if (walltime)
        record_change(rec, w->arena, JOB_A_RESOURCE_LIST, "walltime", walltime);
    world_take(w, &d);
}

void world_job_stands(struct world *w, const char *id)
{
    world_fact(w, FACT_SET, OBJ_JOB, id, JOB_A_HF_SENT, NULL, "True");
    world_fact(w, FACT_SET, OBJ_JOB, id, JOB_A_SUBSTATE, NULL, "43");
    world_fact(w, FACT_SET, OBJ_JOB, id, JOB_A_HF_SUSPEND, NULL, "admin-suspend");
}

void world_job_end(struct world *w, const char *id)
{
    struct decision d = { .arena = w->arena };

    record_add(&d.records, w->arena, FACT_JOB_DELETED, OBJ_JOB, id, "root@svr",
               w->now_at);
    world_take(w, &d);
}

/* Requests. */

static struct wire_attrs parse_attrs(struct world *w, const char *text)
{
    struct wire_attrs list = { 0 };
    char *copy = arena_strdup(w->arena, text);
    char *at;

    for (char *entry = strtok_r(copy, "|", &at); entry;
         entry = strtok_r(NULL, "|", &at)) {
        char *value = strchr(entry, '=');
        char *resource;

        *value++ = '\0';
        resource = strchr(entry, '.');
        if (resource)
            *resource++ = '\0';
        wire_attrs_add(&list, w->arena, entry, resource, value, WIRE_OP_SET);
    }
    return list;
}

static const struct requester sched = {
    .user = "root", .host = "svr", .server_uid = true, .conn = CONN_SCHED
};

void world_submit_as(struct world *w, const struct requester *who, const char *extend,
                     const char *id, const char *attrs)
{
    const struct body_queue body = { .id = id,
                                     .destination = "",
                                     .attrs = parse_attrs(w, attrs) };

    request(w, who, BATCH_SUBMIT_RESV, &body, extend);
}

void world_submit(struct world *w, const char *user, const char *attrs)
{
    const struct requester who = { .user = user, .host = "svr", .conn = CONN_USER };

    world_submit_as(w, &who, NULL, "", attrs);
}

void world_second_sched(struct world *w)
{
    world_fact(w, FACT_CREATED, OBJ_SCHED, "second", SCHED_A_PARTITION, NULL, "p2");
    world_fact(w, FACT_SET, OBJ_SCHED, "second", SCHED_A_SCHEDULING, NULL, "True");
    world_attach(w, "second", CONN_SECOND, CONN_SECOND2);
}

void world_confirm_at(struct world *w, const struct requester *who, const char *id,
                      const char *vnodes, uint64_t start_at, const char *extend)
{
    const struct body_run body = { .object_id = id,
                                   .vnodes = vnodes,
                                   .argument = start_at };

    request(w, who ? who : &sched, BATCH_CONFIRM_RESV, &body, extend);
}

void world_confirm(struct world *w, const char *id, const char *vnodes)
{
    world_confirm_at(w, NULL, id, vnodes, 0,
                     "PBS_RESV_CONFIRM_SUCCESS:partition=pbs-default");
}

void world_deny(struct world *w, const char *id)
{
    world_confirm_at(w, NULL, id, "null", 0, "PBS_RESV_CONFIRM_FAIL");
}

void world_delete(struct world *w, const char *user, const char *id)
{
    const struct requester who = { .user = user, .host = "svr", .conn = CONN_OTHER };
    const struct body_manage body = { .command = 1,
                                      .object_type = 2,
                                      .object_name = id };

    request(w, &who, BATCH_DELETE_RESV, &body, NULL);
}

void world_act(struct world *w, const char *user, uint32_t what, uint32_t flags,
               uint32_t occurrence, const char *id, const char *attrs)
{
    const struct requester who = { .user = user,
                                   .host = "svr",
                                   .server_uid = strcmp(user, "root") == 0,
                                   .conn = strcmp(user, "root") ? CONN_OTHER : 99 };
    const struct body_resv_act body = { .what = what,
                                        .flags = flags,
                                        .occurrence = occurrence,
                                        .id = id,
                                        .attrs = parse_attrs(w, attrs) };

    request(w, &who, BATCH_RESV_ACT, &body, NULL);
}

const char *world_occurrence_shown(struct world *w, const char *id, uint32_t occurrence,
                                   const char *attr, const char *resource)
{
    const struct wire_reply *reply;
    const char *value;

    world_clear(w); /* its own reply is the first on that connection */
    world_act(w, "user1", RESV_ACT_STATUS, 0, occurrence, id, "");
    reply = world_reply(w, CONN_OTHER);
    if (!reply || reply->code || reply->objects.n != 1)
        return "";
    value = strcmp(attr, "name") == 0
                ? reply->objects.v[0].name
                : wire_attrs_value(&reply->objects.v[0].attrs, attr, resource);
    return value ? value : "";
}

static size_t count_commands(const struct world *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->out.n; i++)
        n += w->out.v[i].kind == EFFECT_SCHED_COMMAND;
    return n;
}

void world_sched_done(struct world *w)
{
    size_t before;

    do {
        before = count_commands(w);
        svr_sched_done(w->s, w->now_at, CONN_SCHED2, &w->out);
    } while (count_commands(w) != before);
}

void world_go(struct world *w, int64_t at)
{
    int64_t due_at;

    while ((due_at = svr_next_deadline(w->s)) <= at) {
        CU_ASSERT_TRUE_FATAL(due_at >= w->now_at);
        w->now_at = MAX_OF(w->now_at, due_at);
        svr_tick(w->s, w->now_at, &w->out);
    }
    w->now_at = at;
}

/* What has left. */

const struct wire_reply *world_reply(const struct world *w, uint64_t conn)
{
    for (size_t i = 0; i < w->out.n; i++)
        if (w->out.v[i].kind == EFFECT_REPLY && w->out.v[i].u.reply.conn == conn) {
            batch_open_reply(&w->out.v[i].u.reply.reply, w->out.arena);
            return &w->out.v[i].u.reply.reply;
        }
    return NULL;
}

int world_reply_code(const struct world *w, uint64_t conn)
{
    const struct wire_reply *r = world_reply(w, conn);

    return r ? r->code : -1;
}

const char *world_reply_text(const struct world *w, uint64_t conn)
{
    const struct wire_reply *r = world_reply(w, conn);

    return r && r->text ? r->text : "";
}

const char *world_account(const struct world *w, char type, size_t n)
{
    for (size_t i = 0; i < w->out.n; i++)
        if (w->out.v[i].kind == EFFECT_ACCOUNT && w->out.v[i].u.account.type == type &&
            n-- == 0)
            return w->out.v[i].u.account.text;
    return NULL;
}

size_t world_count_log(const struct world *w, const char *text)
{
    size_t n = 0;

    for (size_t i = 0; i < w->out.n; i++)
        n +=
            w->out.v[i].kind == EFFECT_LOG && strcmp(w->out.v[i].u.log.text, text) == 0;
    return n;
}

const char *world_log_of(const struct world *w, const char *object)
{
    char *text = arena_strdup(w->arena, "");

    for (size_t i = 0; i < w->out.n; i++)
        if (w->out.v[i].kind == EFFECT_LOG &&
            strcmp(w->out.v[i].u.log.object, object) == 0)
            text = arena_printf(w->arena, "%s%s\n", text, w->out.v[i].u.log.text);
    return text;
}

size_t world_count_mail(const struct world *w, const char *line)
{
    size_t n = 0;

    for (size_t i = 0; i < w->out.n; i++)
        n += w->out.v[i].kind == EFFECT_MAIL && strstr(w->out.v[i].u.mail.text, line);
    return n;
}

bool world_has_record(const struct world *w, enum fact fact, enum obj_kind kind,
                      const char *id)
{
    for (size_t i = 0; i < w->out.n; i++) {
        const struct record *rec = w->out.v[i].u.record;

        if (w->out.v[i].kind == EFFECT_RECORD && rec->fact == fact &&
            rec->kind == kind && strcmp(rec->id, id) == 0)
            return true;
    }
    return false;
}

size_t world_count_fact(const struct world *w, enum fact fact)
{
    size_t n = 0;

    for (size_t i = 0; i < w->out.n; i++)
        n += w->out.v[i].kind == EFFECT_RECORD && w->out.v[i].u.record->fact == fact;
    return n;
}

bool world_commanded(const struct world *w, int32_t command)
{
    for (size_t i = 0; i < w->out.n; i++)
        if (w->out.v[i].kind == EFFECT_SCHED_COMMAND &&
            w->out.v[i].u.sched.command == command)
            return true;
    return false;
}

const char *world_attr(struct world *w, enum obj_kind kind, const char *id, int attr,
                       const char *resource)
{
    const struct object *o = model_find(svr_model(w->s), kind, id);
    const struct attr_type *type = kind_table(kind)->rows[attr].type;
    const char *text = NULL;

    if (o && obj_is_set(o, attr))
        text = resource ? attr_value_member(type, obj_attr(o, attr), resource, w->arena)
                        : attr_value_text(type, obj_attr(o, attr), w->arena);
    return text ? text : "";
}

const char *world_phase(struct world *w, const char *id)
{
    if (!model_resv(svr_model(w->s), id))
        return "gone";
    return arena_printf(w->arena, "%s/%s",
                        world_attr(w, OBJ_RESV, id, RESV_A_RESERVE_STATE, NULL),
                        world_attr(w, OBJ_RESV, id, RESV_A_RESERVE_SUBSTATE, NULL));
}

int64_t world_assigned(const struct world *w, const char *vnode)
{
    return resources_amount(&model_node(svr_model(w->s), vnode)->assigned.shown,
                            "ncpus", 0);
}

void world_reserve(struct world *w, size_t n, int64_t start_at, int64_t length_s)
{
    const struct requester who = { .user = "user1", .host = "svr", .conn = CONN_USER };
    struct buf vnodes = { 0 };

    for (size_t i = 0; i < n; i++)
        buf_printf(&vnodes, "%s(vn[%zu]:ncpus=2)", i ? "+" : "", i);
    world_submit_as(w, &who, NULL, "",
                    arena_printf(w->arena,
                                 "reserve_start=%" PRId64
                                 "|Resource_List.walltime=%" PRId64
                                 "|Resource_List.select=%zu:ncpus=2",
                                 start_at, length_s, n));
    CU_ASSERT_EQUAL_FATAL(world_reply_code(w, CONN_USER), 0);
    world_confirm(w, "R1.svr", vnodes.data);
    CU_ASSERT_EQUAL_FATAL(world_reply_code(w, CONN_SCHED), 0);
    world_sched_done(w);
    buf_fini(&vnodes);
    world_clear(w);
}

/* Alterations. */

void world_modify(struct world *w, const char *user, const char *id, const char *attrs,
                  const char *extend)
{
    const struct requester who = { .user = user, .host = "svr", .conn = CONN_OTHER };
    const struct body_modify_resv body = { .object_type = OBJECT_RESV,
                                           .resv_id = id,
                                           .attrs = parse_attrs(w, attrs) };

    request(w, &who, BATCH_MODIFY_RESV, &body, extend);
}

void world_deny_with(struct world *w, const char *id, const char *extend)
{
    world_confirm_at(w, NULL, id, "null", 0, extend);
}

/* An attribute of the one object that a status tells of, "" when there is none. */
static const char *shown(struct world *w, uint32_t number, const char *user,
                         const char *id, const char *attr, const char *resource,
                         const char *extend)
{
    const struct requester who = { .user = user,
                                   .host = "svr",
                                   .server_uid = number == BATCH_STATUS_NODE,
                                   .conn = strcmp(user, "root") ? 99 : CONN_SCHED };
    struct wire_attrs none = { 0 };
    const struct body_status body = { .id = id, .wanted = none };
    const struct wire_reply *reply;
    const char *value;

    request(w, &who, number, &body, extend);
    reply = world_reply(w, who.conn);
    if (!reply || reply->code || reply->objects.n != 1)
        return "";
    value = wire_attrs_value(&reply->objects.v[0].attrs, attr, resource);
    return value ? value : "";
}

const char *world_shown(struct world *w, const char *user, const char *id,
                        const char *attr, const char *resource, const char *extend)
{
    return shown(w, BATCH_STATUS_RESV, user, id, attr, resource, extend);
}

const char *world_vnode_shown(struct world *w, const char *vnode, const char *attr,
                              const char *resource)
{
    world_clear(w); /* its own reply is the first on that connection */
    return shown(w, BATCH_STATUS_NODE, "root", vnode, attr, resource, NULL);
}

void world_later(struct world *w, int64_t index, int64_t start_at, int64_t length_s,
                 const char *vnodes)
{
    struct decision d = { .arena = w->arena };
    const char *id = arena_printf(w->arena, "R1[%" PRId64 "].svr", index);
    struct record *rec = record_add(&d.records, w->arena, FACT_CREATED, OBJ_OCCURRENCE,
                                    id, "root@svr", w->now_at);

    record_change_num(rec, w->arena, OCCURRENCE_A_INDEX, index);
    record_change_num(rec, w->arena, OCCURRENCE_A_START, start_at);
    record_change_num(rec, w->arena, OCCURRENCE_A_END, start_at + length_s);
    record_change_num(rec, w->arena, OCCURRENCE_A_STATE, RESV_CONFIRMED);
    record_change_num(rec, w->arena, OCCURRENCE_A_SUBSTATE, RESV_CONFIRMED);
    record_change(rec, w->arena, OCCURRENCE_A_RESV_NODES, NULL, vnodes);
    world_take(w, &d);
}
