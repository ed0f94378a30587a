/* Tests of StatusChanges, what a scheduler asks that keeps what it was shown
 * (doc/design/042-mirror.md): who may ask, what is refused, what the reply holds. That
 * it says the same as everything made anew, the simulator looks at after every turn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "scheduler/sched.h"

#include <stdlib.h>

static struct wire_class classes[] = { { .type = OBJECT_RESV },
                                       { .type = OBJECT_NODE },
                                       { .type = OBJECT_QUEUE } };

/* The reply to whoever asks on that connection; its objects are opened. */
static const struct wire_reply *ask(struct world *w, uint64_t conn,
                                    const struct body_changes *body)
{
    const struct wire_request rq = { .number = BATCH_STATUS_CHANGES, .body = body };
    struct requester who = { .user = conn == CONN_USER ? "user1" : "root",
                             .host = "svr",
                             .server_uid = conn != CONN_USER,
                             .conn = conn };
    struct wire_reply *reply;

    world_clear(w);
    (void)svr_request(w->s, w->now_at, &who, &rq, &w->out);
    reply = (struct wire_reply *)world_reply(w, conn);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    batch_open_reply(reply, w->arena);
    return reply;
}

static const struct wire_reply *ask_since(struct world *w, uint64_t since)
{
    const struct body_changes body = { .since = since,
                                       .n_classes = ARRAY_LEN(classes),
                                       .classes = classes };

    /* Whatever follows from what was done before. */
    while (svr_has_work(w->s))
        (void)svr_go_on(w->s, w->now_at, &w->out);
    return ask(w, CONN_SCHED, &body);
}

/* "R1.svr -R1 mark": names in order, '-' for those that are gone. */
static const char *names_of(struct world *w, const struct wire_reply *reply)
{
    struct buf out = { 0 };
    const char *text;

    for (size_t i = 0; i < reply->objects.n; i++) {
        const struct wire_object *o = &reply->objects.v[i];

        buf_printf(&out, "%s%s%s", i ? " " : "", o->attrs.n == 0 ? "-" : "",
                   o->type == OBJECT_MARK ? "mark" : o->name);
    }
    text = arena_strdup(w->arena, out.data ? out.data : "");
    buf_fini(&out);
    return text;
}

static uint64_t number_of(const struct wire_reply *reply, const char *name)
{
    const struct wire_object *mark = &reply->objects.v[reply->objects.n - 1];

    CU_ASSERT_EQUAL_FATAL(mark->type, OBJECT_MARK);
    return strtoull(wire_attrs_value(&mark->attrs, name, NULL), NULL, 10);
}

static void all_then_what_has_changed(void)
{
    struct world w;
    uint64_t seq;

    world_new(&w);
    seq = number_of(ask_since(&w, 0), "seq");
    EXPECT_TEXT(names_of(&w, ask_since(&w, 0)), "vn[0] vn[1] vn[2] vn[3] vn[4] mark");
    EXPECT_TEXT(names_of(&w, ask_since(&w, seq)), "mark");
    CU_ASSERT_EQUAL(number_of(ask_since(&w, seq), "since"), seq);
    world_reserve(&w, 1, NOW + 600, 600);
    /* Its vnode shows the reservation. */
    EXPECT_TEXT(names_of(&w, ask_since(&w, seq)), "R1.svr vn[0] R1 mark");
    seq = number_of(ask_since(&w, seq), "seq");
    world_vnode(&w, "vn[3]", NODE_OFFLINE);
    EXPECT_TEXT(names_of(&w, ask_since(&w, seq)), "vn[3] mark");
    seq = number_of(ask_since(&w, seq), "seq");
    world_delete(&w, "user1", "R1.svr");
    EXPECT_TEXT(names_of(&w, ask_since(&w, seq)), "-R1.svr vn[0] -R1 mark");
    world_free(&w);
}

/* Where a list of what has changed would be too long, all are gone through. */
static void what_has_changed_without_a_list(void)
{
    world_slice_cost = 1;
    all_then_what_has_changed();
    world_slice_cost = 0;
}

static void an_open_alteration_is_a_change(void)
{
    struct world w;
    const struct wire_reply *reply;
    uint64_t seq;

    world_new(&w);
    world_reserve(&w, 1, NOW + 600, 600);
    seq = number_of(ask_since(&w, 0), "seq");
    world_modify(&w, "user1", "R1.svr", "reserve_end=1795249971", NULL);
    reply = ask_since(&w, seq);
    EXPECT_TEXT(names_of(&w, reply), "R1.svr mark");
    EXPECT_TEXT(wire_attrs_value(&reply->objects.v[0].attrs, "reserve_state", NULL),
                "11");
    seq = number_of(reply, "seq");
    world_deny(&w, "R1.svr");
    reply = ask_since(&w, seq);
    EXPECT_TEXT(wire_attrs_value(&reply->objects.v[0].attrs, "reserve_state", NULL),
                "2");
    world_free(&w);
}

static void what_is_not_known_is_refused(void)
{
    struct world w;
    uint64_t seq;

    world_new(&w);
    seq = number_of(ask_since(&w, 0), "seq");
    CU_ASSERT_EQUAL(ask_since(&w, seq + 1)->code, PBSE_BADSTATE);
    CU_ASSERT_EQUAL(ask_since(&w, UINT64_MAX)->code, PBSE_BADSTATE);
    CU_ASSERT_EQUAL(ask_since(&w, seq)->code, 0);
    /* This setting of the server decides what is shown of everything. */
    world_server(&w, SERVER_A_SHOW_HIDDEN_ATTRIBS, NULL, "1");
    CU_ASSERT_EQUAL(ask_since(&w, seq)->code, PBSE_BADSTATE);
    seq = number_of(ask_since(&w, 0), "seq");
    CU_ASSERT_EQUAL(ask_since(&w, seq)->code, 0);
    /* What went before the restart is not remembered. */
    world_reserve(&w, 1, NOW + 600, 600);
    world_restart(&w);
    CU_ASSERT_EQUAL(ask_since(&w, seq)->code, PBSE_BADSTATE);
    CU_ASSERT_EQUAL(ask_since(&w, 0)->code, 0);
    world_free(&w);
}

static void a_setting_is_a_change_of_the_server(void)
{
    static struct wire_class all[] = { { .type = OBJECT_SERVER },
                                       { .type = OBJECT_RESV },
                                       { .type = OBJECT_NODE },
                                       { .type = OBJECT_QUEUE } };
    struct body_changes body = { .n_classes = ARRAY_LEN(all), .classes = all };
    const struct wire_reply *reply;
    struct world w;

    world_new(&w);
    body.since = number_of(ask_since(&w, 0), "seq");
    world_server(&w, SERVER_A_NODE_GROUP_KEY, NULL, "host");
    world_server(&w, SERVER_A_MAX_RUN, NULL, "[u:PBS_GENERIC=3]");
    reply = ask(&w, CONN_SCHED, &body);
    EXPECT_TEXT(names_of(&w, reply), "svr mark");
    EXPECT_TEXT(wire_attrs_value(&reply->objects.v[0].attrs, "node_group_key", NULL),
                "host");
    body.since = number_of(reply, "seq");
    EXPECT_TEXT(names_of(&w, ask(&w, CONN_SCHED, &body)), "mark");
    world_free(&w);
}

static void only_schedulers_may_ask(void)
{
    static const uint64_t others[] = { CONN_USER, CONN_OTHER, CONN_SCHED2 };
    const struct body_changes body = { .n_classes = 1, .classes = classes };
    struct world w;

    world_new(&w);
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        CU_ASSERT_EQUAL(ask(&w, others[i], &body)->code, PBSE_PERM);
    CU_ASSERT_EQUAL(ask(&w, CONN_SCHED, &body)->code, 0);
    world_free(&w);
}

static void wrong_classes_are_refused(void)
{
    static struct wire_class hooks[] = { { .type = OBJECT_HOOK } };
    static struct wire_class marks[] = { { .type = OBJECT_MARK } };
    static struct wire_class none[] = { { .type = UINT32_MAX } };
    static struct wire_class twice[] = { { .type = OBJECT_NODE },
                                         { .type = OBJECT_NODE } };
    static struct wire_class many[6];
    const struct body_changes bodies[] = {
        { 0 },
        { .n_classes = 1, .classes = hooks },
        { .n_classes = 1, .classes = marks },
        { .n_classes = 1, .classes = none },
        { .n_classes = 2, .classes = twice },
        { .n_classes = 6, .classes = many },
    };
    struct arena *arena = arena_new(); /* each request clears the world's */
    struct wire_class unknown = { .type = OBJECT_NODE };
    const struct body_changes of_unknown = { .n_classes = 1, .classes = &unknown };
    struct world w;

    world_new(&w);
    for (size_t i = 0; i < ARRAY_LEN(bodies); i++)
        CU_ASSERT_EQUAL(ask(&w, CONN_SCHED, &bodies[i])->code, PBSE_IVALREQ);
    wire_attrs_add(&unknown.wanted, arena, "colour", NULL, "", WIRE_OP_SET);
    CU_ASSERT_EQUAL(ask(&w, CONN_SCHED, &of_unknown)->code, PBSE_NOATTR);
    arena_free(arena);
    world_free(&w);
}

/* What these show does not set the object's shown_seq (model/edges.h), so that a
 * scheduler that keeps them would not be told. */
static void nobody_keeps_what_changes_without_a_word(void)
{
    static const char *const volatile_ones[] = {
        "oversubscribed_jobs", "oversubscribed_resv", "oversubscribed_on",
        "total_jobs",          "state_count",         "server_state",
        "resources_assigned",
    };
    struct arena *arena = arena_new();
    struct body_changes body = { 0 };

    snapshot_classes(arena, &body);
    CU_ASSERT_EQUAL(body.n_classes, 5);
    for (size_t i = 0; i < body.n_classes; i++)
        for (size_t k = 0; k < ARRAY_LEN(volatile_ones); k++)
            CU_ASSERT_PTR_NULL(
                wire_attrs_value(&body.classes[i].wanted, volatile_ones[k], NULL));
    arena_free(arena);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "first all, then what has changed, gone ones before others",
          all_then_what_has_changed },
        { "the same without a list", what_has_changed_without_a_list },
        { "an open alteration is a change, and so is its end",
          an_open_alteration_is_a_change },
        { "what is not known any more is refused", what_is_not_known_is_refused },
        { "a setting is a change of the server alone, unless all looks depend on it",
          a_setting_is_a_change_of_the_server },
        { "only schedulers may ask", only_schedulers_may_ask },
        { "wrong classes are refused", wrong_classes_are_refused },
        { "nobody keeps what changes without a word",
          nobody_keeps_what_changes_without_a_word },
    };

    return unit_main("server/status_changes", cases, ARRAY_LEN(cases));
}
