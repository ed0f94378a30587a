/* harness.c - see harness.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/harness.h"

#include "../cal/zones.h"
#include "lib/wire/packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All names are this host's, but for those that begin with "elsewhere". */
static size_t addrs_of(void *arg, const char *host, uint32_t *ret, size_t max)
{
    (void)arg;
    if (strcmp(host, "nosuchhost") == 0 || max == 0)
        return 0;
    *ret = strncmp(host, "elsewhere", 9) == 0 ? 0xc0000207 : 0x7f000001;
    return 1;
}

/* A hook directory of one file. */
struct rig_file rig_file;

static void read_file(const char *name, struct arena *arena, struct finding *ret)
{
    ret->found = strcmp(name, rig_file.name) == 0;
    if (!ret->found) {
        ret->words = arena_printf(arena, "%s - No such file or directory", name);
        return;
    }
    ret->data = arena_copy(arena, rig_file.data, rig_file.len);
    ret->len = rig_file.len;
}

static void write_file(const struct need *need, struct arena *arena,
                       struct finding *ret)
{
    ret->found = need->len < sizeof(rig_file.data);
    if (!ret->found) {
        ret->words = arena_printf(arena, "%s - File too large", need->name);
        return;
    }
    rig_file.name = "written";
    if (need->len > 0)
        memcpy(rig_file.data, need->data, need->len);
    rig_file.data[need->len] = '\0';
    rig_file.len = need->len;
}

static void find_groups(const char *user, struct arena *arena, struct finding *ret)
{
    const char **v = ARENA_ARRAY(arena, const char *, 1);

    v[0] = user;
    ret->found = strcmp(user, "nobodyknows") != 0;
    ret->groups = (struct wire_strings){ 1, v };
}

bool rig_hides_groups;
const char *rig_trusted;

static bool is_trusted(const struct need *need)
{
    size_t len = strlen(need->name);

    return rig_trusted && strncmp(rig_trusted, need->name, len) == 0 &&
           rig_trusted[len] == ' ' && strcmp(rig_trusted + len + 1, need->detail) == 0;
}

static bool known(void *arg, const struct need *need, struct arena *arena,
                  struct finding *ret)
{
    uint32_t *addr = ARENA_NEW(arena, uint32_t);

    if (need->kind == NEED_VERDICT || need_is_deed(need->kind) ||
        (need->kind == NEED_GROUPS && rig_hides_groups))
        return false;
    *ret = (struct finding){ .found = true };
    if (need->kind == NEED_GROUPS)
        find_groups(need->name, arena, ret);
    else if (need->kind == NEED_EQUIVALENT)
        ret->found = is_trusted(need);
    else if (need->kind == NEED_ADDRS)
        ret->n_addrs = addrs_of(arg, need->name, addr, 1);
    else if (need->kind == NEED_FULL_NAME)
        ret->found =
            strchr(need->name, '.') != NULL && strcmp(need->name, "no.such.host") != 0;
    else if (need->kind == NEED_FILE)
        read_file(need->name, arena, ret);
    else if (need->kind == NEED_ZONE)
        ret->found = (ret->data = zone_bytes(need->name, arena, &ret->len)) != NULL;
    else if (need->kind == NEED_WRITTEN)
        write_file(need, arena, ret);
    ret->addrs = addr;
    if (need->kind == NEED_ADDRS)
        ret->found = ret->n_addrs > 0;
    return true;
}

size_t rig_slice_cost;
bool rig_finds_out;
bool rig_runs_hooks;

uint32_t rig_number_window;

static struct svr *make(void)
{
    struct svr_config cfg = {
        .server_name = "svr",
        .server_host = RIG_HOST,
        .server_port = 15001,
        .version = "23.06.06",
        .holdfast_version = "0.1.0",
        .root_user = RIG_ROOT,
        .known = rig_finds_out ? NULL : known,
        .runs_hooks = rig_runs_hooks,
        .slice_cost = rig_slice_cost,
        .number_window = rig_number_window,
    };

    return svr_new(&cfg);
}

static struct effects *fresh(struct rig *r)
{
    r->out = (struct effects){ .arena = r->arena };
    return &r->out;
}

struct rig *rig_new(void)
{
    struct rig *r = xcalloc(1, sizeof(*r));

    r->arena = arena_new();
    r->now_at = RIG_START_AT;
    r->conn = 100;
    r->s = make();
    svr_start(r->s, r->now_at, SVR_CREATE, fresh(r));
    return r;
}

void rig_free(struct rig *r)
{
    svr_free(r->s);
    arena_free(r->arena);
    free(r);
}

static int by_creation(const void *a, const void *b)
{
    const struct object *const *x = a;
    const struct object *const *y = b;

    return (*x)->created_seq < (*y)->created_seq ? -1 : 1;
}

void rig_restart(struct rig *r)
{
    rig_restart_as(r, SVR_WARM);
}

void rig_restart_as(struct rig *r, enum svr_start type)
{
    const struct model *m = svr_model(r->s);
    struct svr *next = make();
    const struct object **all;
    size_t n = 0;

    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        n += m->kinds[kind].n;
    all = ARENA_ARRAY(r->arena, const struct object *, n);
    n = 0;
    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        MODEL_EACH (m, kind, o) {
            all[n++] = o;
        }
    qsort(all, n, sizeof(*all), by_creation);
    for (size_t i = 0; i < n; i++)
        MUST(!svr_load(next, record_of_object(all[i], r->arena)));
    svr_loaded(next, m->seq);
    svr_free(r->s);
    r->s = next;
    svr_start(r->s, r->now_at, type, fresh(r));
}

/* A part of a long status, as the reply that it is. */
static void read_part(struct rig *r, struct effect *e)
{
    struct buf bytes = { 0 };
    struct packet p;
    enum svr_listing left;

    do {
        left = svr_listing_read(r->s, e->u.listing_conn, 1000, &bytes);
    } while (left == SVR_LISTING_SOME);
    e->u.reply.conn = e->u.listing_conn;
    e->kind = EFFECT_REPLY;
    if (packet_peek(bytes.data, bytes.len, bytes.len, &p) != PACKET_READY ||
        batch_decode_reply(p.data, p.len, r->out.arena, &e->u.reply.reply) != DIS_OK)
        abort();
    buf_fini(&bytes);
}

static void read_listing(struct rig *r, uint64_t conn)
{
    for (size_t i = 0;; i++) {
        while (svr_listing_is_gathering(r->s, conn))
            svr_listing_go_on(r->s, r->now_at, conn, &r->out);
        if (i == r->out.n)
            return;
        if (r->out.v[i].kind == EFFECT_LISTING)
            read_part(r, &r->out.v[i]);
        else if (r->out.v[i].kind == EFFECT_REPLY)
            batch_open_reply(&r->out.v[i].u.reply.reply, r->out.arena);
    }
}

const struct wire_reply *rig_ask_on(struct rig *r, uint64_t conn, const char *user,
                                    uint32_t number, const void *body,
                                    const char *extend)
{
    const char *at = strchr(user, '@');
    char name[64];
    struct requester who = {
        .user = name,
        .host = at ? at + 1 : RIG_HOST,
        .server_uid = strcmp(user, RIG_ROOT) == 0,
        .conn = conn,
    };
    struct wire_request rq = {
        .number = number, .user = user, .body = body, .extend = extend
    };

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(user, "@"), user);
    r->conn = conn;
    svr_request(r->s, r->now_at, &who, &rq, fresh(r));
    read_listing(r, conn);
    return rig_reply(r, conn);
}

const struct wire_reply *rig_ask(struct rig *r, const char *user, uint32_t number,
                                 const void *body, const char *extend)
{
    return rig_ask_on(r, r->conn + 1, user, number, body, extend);
}

const struct wire_reply *rig_go_on(struct rig *r, uint64_t conn)
{
    svr_go_on(r->s, r->now_at, fresh(r));
    return rig_reply(r, conn);
}

void rig_settle(struct rig *r)
{
    fresh(r);
    while (svr_is_settling(r->s)) {
        svr_go_on(r->s, r->now_at, &r->out);
        MUST(svr_is_settled(r->s, r->now_at, NULL));
    }
}

/* One word: name[.resource] op value. */
static void add_word(struct rig *r, struct wire_attrs *list, char *word)
{
    char *eq = strchr(word, '=');
    uint32_t op = WIRE_OP_SET;
    const char *value = "";
    char *dot;

    if (eq) {
        value = eq + 1;
        *eq = '\0';
        if (eq > word && eq[-1] == '+')
            op = WIRE_OP_INCR;
        if (eq > word && eq[-1] == '-')
            op = WIRE_OP_DECR;
        if (op != WIRE_OP_SET)
            eq[-1] = '\0';
    }
    dot = strchr(word, '.');
    if (dot)
        *dot++ = '\0';
    wire_attrs_add(list, r->arena, word, dot, value, op);
}

struct wire_attrs rig_attrs(struct rig *r, const char *text)
{
    struct wire_attrs list = { 0 };
    char *copy = arena_strdup(r->arena, text);
    char *save = NULL;

    for (char *word = strtok_r(copy, " ", &save); word;
         word = strtok_r(NULL, " ", &save))
        add_word(r, &list, word);
    return list;
}

int rig_manager(struct rig *r, const char *user, uint32_t command, uint32_t type,
                const char *name, const char *attrs)
{
    struct body_manage body = {
        .command = command,
        .object_type = type,
        .object_name = name,
        .attrs = rig_attrs(r, attrs),
    };
    const struct wire_reply *reply = rig_ask(r, user, BATCH_MANAGER, &body, NULL);

    return reply ? reply->code : -1;
}

const char *rig_text(const struct rig *r)
{
    const struct wire_reply *reply = rig_reply(r, r->conn);

    return reply && reply->text ? reply->text : "";
}

const struct wire_objects *rig_status(struct rig *r, const char *user, uint32_t number,
                                      const char *id, const char *wanted)
{
    struct body_status body = { .id = id, .wanted = rig_attrs(r, wanted) };
    const struct wire_reply *reply = rig_ask(r, user, number, &body, NULL);

    return reply && reply->code == 0 ? &reply->objects : NULL;
}

const char *rig_value(struct rig *r, const char *user, uint32_t number, const char *id,
                      const char *attr)
{
    char *name = arena_strdup(r->arena, attr);
    char *resource = strchr(name, '.');
    const struct wire_objects *objects;

    if (resource)
        *resource++ = '\0';
    objects = rig_status(r, user, number, id, name);
    if (!objects || objects->n != 1)
        return NULL;
    return wire_attrs_value(&objects->v[0].attrs, name, resource);
}

void rig_advance(struct rig *r, int64_t at)
{
    fresh(r);
    for (;;) {
        int64_t next = svr_next_deadline(r->s);

        if (next > at)
            break;
        r->now_at = MAX_OF(r->now_at, next);
        svr_tick(r->s, r->now_at, &r->out);
    }
    r->now_at = at;
    svr_tick(r->s, at, &r->out);
}

uint64_t rig_attach_sched(struct rig *r)
{
    struct body_id body = { .id = "default" };
    uint64_t primary = r->conn + 1;

    rig_ask_on(r, primary, RIG_ROOT, BATCH_REGISTER_SCHED, &body, NULL);
    rig_ask_on(r, primary + 1, RIG_ROOT, BATCH_REGISTER_SCHED, &body, NULL);
    r->sched_conn = primary + 1;
    return primary;
}

void rig_sched_done(struct rig *r)
{
    svr_sched_done(r->s, r->now_at, r->sched_conn, fresh(r));
}

size_t rig_count(const struct rig *r, enum effect_kind kind)
{
    size_t n = 0;

    for (size_t i = 0; i < r->out.n; i++)
        n += r->out.v[i].kind == kind;
    return n;
}

const struct effect *rig_effect(const struct rig *r, enum effect_kind kind, size_t n)
{
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.v[i].kind == kind && n-- == 0)
            return &r->out.v[i];
    return NULL;
}

const struct wire_reply *rig_reply(const struct rig *r, uint64_t conn)
{
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.v[i].kind == EFFECT_REPLY && r->out.v[i].u.reply.conn == conn)
            return &r->out.v[i].u.reply.reply;
    return NULL;
}

bool rig_logged(const struct rig *r, const char *text)
{
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.v[i].kind == EFFECT_LOG && strstr(r->out.v[i].u.log.text, text))
            return true;
    return false;
}

bool rig_is_same(struct rig *r)
{
    struct model *copy = model_rebuild(svr_model(r->s));
    struct buf why = { 0 };
    bool same = model_same(svr_model(r->s), copy, &why);

    if (!same)
        printf("models differ: %s\n", why.data ? why.data : "");
    buf_fini(&why);
    model_free(copy);
    return same;
}
