/* Our own requests, byte by byte: what clients and schedulers ask with the frames of
 * test/golden/frames/extensions.txt is answered with the frames behind them
 * (doc/extensions.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "../../golden/frames.h"

#include <string.h>

static struct arena *arena;
static struct frames frames;

static const struct frame *frame(const char *name)
{
    for (size_t i = 0; i < frames.n; i++)
        if (strcmp(frames.v[i].name, name) == 0)
            return &frames.v[i];
    fprintf(stderr, "there is no frame %s\n", name);
    CU_FAIL_FATAL("no such frame");
    return NULL;
}

/* What the server sends to whoever says that; NULL when the request does not decode. */
static const struct wire_reply *answer(struct world *w, const struct frame *said,
                                       uint64_t conn)
{
    struct wire_request rq;
    struct requester who = { .host = "svr", .conn = conn };
    struct buf again = { 0 };
    bool known;

    world_clear(w);
    CU_ASSERT_EQUAL_FATAL(
        batch_decode_request(said->data, said->len, w->arena, &rq, &known), DIS_OK);
    CU_ASSERT_FATAL(known);
    batch_encode_request(&again, &rq);
    CU_ASSERT(again.len == said->len && memcmp(again.data, said->data, said->len) == 0);
    buf_fini(&again);
    who.user = rq.user;
    who.server_uid = strcmp(rq.user, "root") == 0;
    (void)svr_request(w->s, w->now_at, &who, &rq, &w->out);
    return world_reply(w, conn);
}

/* "NAME.1" is answered with the bytes of "NAME.2". */
static void expect(struct world *w, const char *name, uint64_t conn)
{
    const struct frame *said = frame(arena_printf(arena, "%s.1", name));
    const struct frame *want = frame(arena_printf(arena, "%s.2", name));
    const struct wire_reply *reply = answer(w, said, conn);
    struct buf got = { 0 };

    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    batch_encode_reply(&got, reply);
    buf_add_str(&got, "");
    /* A frame has no NUL behind it. */
    EXPECT_TEXT(got.data, arena_text(arena, want->data, want->len));
    buf_fini(&got);
}

/* Records that nobody here asks for, until the last one has that number: so frames
 * know it. */
static void go_to_record(struct world *w, uint64_t seq)
{
    CU_ASSERT_FATAL(svr_model(w->s)->seq < seq);
    while (svr_model(w->s)->seq < seq)
        world_fact(w, FACT_SET, OBJ_QUEUE, "workq", QUEUE_A_PRIORITY, NULL,
                   svr_model(w->s)->seq % 2 ? "1" : "2");
    CU_ASSERT_EQUAL_FATAL(svr_model(w->s)->seq, seq);
}

static void why_one_that_is_gone_was_denied(void)
{
    struct world w;

    world_new(&w);
    world_server(&w, SERVER_A_FLATUID, NULL, "False");
    world_submit(&w, "user1",
                 "reserve_start=1795248000|reserve_end=1795248600|"
                 "Resource_List.select=9:ncpus=2");
    world_deny_with(&w, "R1.svr", "PBS_RESV_CONFIRM_FAIL:reason=too large: by 4");
    expect(&w, "why-denied", CONN_OTHER);
    expect(&w, "why-of-a-stranger", CONN_OTHER);
    world_free(&w);
}

static void why_one_that_is_there_waits(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1",
                 "reserve_start=1795248000|reserve_end=1795248600|"
                 "Resource_List.select=1:ncpus=2");
    expect(&w, "why-asked", CONN_OTHER);
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
    expect(&w, "why-confirmed", CONN_OTHER);
    world_free(&w);
}

static void what_has_changed(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, 1795248000, 600);
    world_fact(&w, FACT_CREATED, OBJ_QUEUE, "workq", QUEUE_A_PRIORITY, NULL, "1");
    go_to_record(&w, 1000);
    expect(&w, "changes-all", CONN_SCHED);
    world_delete(&w, "user1", "R1.svr");
    go_to_record(&w, 2000);
    expect(&w, "changes-since", CONN_SCHED);
    expect(&w, "changes-not-known", CONN_SCHED);
    expect(&w, "changes-of-hooks", CONN_SCHED);
    expect(&w, "changes-of-a-colour", CONN_SCHED);
    expect(&w, "changes-for-a-user", CONN_OTHER);
    world_free(&w);
}

/* Half of a request is never carried out: the reservation is there until the last
 * frame. */
static void what_an_act_may_ask_for(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, 1795248000, 600);
    expect(&w, "act-unknown", CONN_OTHER);
    expect(&w, "act-unknown-flag", CONN_OTHER);
    expect(&w, "act-delete-what", CONN_OTHER);
    expect(&w, "act-push-delete", CONN_OTHER);
    expect(&w, "act-new-occurrence", CONN_OTHER);
    EXPECT_TEXT(world_phase(&w, "R1.svr"), "2/2");
    expect(&w, "act-delete", CONN_OTHER);
    EXPECT_TEXT(world_phase(&w, "R1.svr"), "gone");
    world_free(&w);
}

/* Each frame is one of a pair that is asked above. */
static void all_frames_come_in_pairs(void)
{
    CU_ASSERT_EQUAL(frames.n, 2 * 16);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "why one that is gone was denied, as bytes",
          why_one_that_is_gone_was_denied },
        { "why one that is there waits, as bytes", why_one_that_is_there_waits },
        { "what has changed, as bytes", what_has_changed },
        { "what an act may ask for, as bytes", what_an_act_may_ask_for },
        { "all frames come in pairs", all_frames_come_in_pairs },
    };
    int failed;

    arena = arena_new();
    frames = frames_load(arena, "extensions.txt");
    failed = unit_main("server/extensions", cases, ARRAY_LEN(cases));
    arena_free(arena);
    return failed;
}
