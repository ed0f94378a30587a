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

/* Somebody says that, and all that follows at once has happened. */
static void say(struct world *w, const struct frame *said, uint64_t conn)
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
    while (svr_has_work(w->s))
        (void)svr_go_on(w->s, w->now_at, &w->out);
}

static void ask(struct world *w, const char *name, uint64_t conn)
{
    say(w, frame(arena_printf(arena, "%s.1", name)), conn);
}

/* What that connection is sent are the bytes of "NAME.2". */
static void expect_reply(struct world *w, const char *name, uint64_t conn)
{
    const struct frame *want = frame(arena_printf(arena, "%s.2", name));
    const struct wire_reply *reply = world_reply(w, conn);
    struct buf got = { 0 };

    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    batch_encode_reply(&got, reply);
    buf_add_str(&got, "");
    /* A frame has no NUL behind it. */
    EXPECT_TEXT(got.data, arena_text(arena, want->data, want->len));
    buf_fini(&got);
}

static void expect(struct world *w, const char *name, uint64_t conn)
{
    ask(w, name, conn);
    expect_reply(w, name, conn);
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

/* The scheduler comes anew, and says what it can do. */
static void attach(struct world *w, const char *may)
{
    const struct body_id body = { .id = "default" };
    const struct wire_request rq = {
        .number = BATCH_REGISTER_SCHED, .user = "root", .body = &body, .extend = may
    };
    struct requester who = { .user = "root", .host = "svr", .server_uid = true };

    svr_client_gone(w->s, w->now_at, CONN_SCHED, &w->out);
    for (who.conn = CONN_SCHED; who.conn <= CONN_SCHED2; who.conn++)
        (void)svr_request(w->s, w->now_at, &who, &rq, &w->out);
    world_sched_done(w);
}

static void what_would_happen(void)
{
    struct world w;

    world_new(&w);
    world_server(&w, SERVER_A_FLATUID, NULL, "False");
    attach(&w, "cut,dry_run");
    world_reserve(&w, 1, 1795248000, 600);
    world_fact(&w, FACT_CREATED, OBJ_QUEUE, "workq", QUEUE_A_PRIORITY, NULL, "1");
    go_to_record(&w, 1000);
    expect(&w, "act-dry-delete", CONN_OTHER);
    expect(&w, "act-dry-of-a-stranger", CONN_OTHER);
    ask(&w, "act-dry-alter", CONN_OTHER);
    CU_ASSERT_PTR_NULL(world_reply(&w, CONN_OTHER));
    expect(&w, "dry-of-a-user", CONN_USER);
    expect(&w, "dry-first", CONN_SCHED);
    expect(&w, "dry-answer", CONN_SCHED);
    expect_reply(&w, "act-dry-alter", CONN_OTHER);
    expect(&w, "dry-over", CONN_SCHED);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESERVE_END, NULL), "1795248600");
    world_free(&w);
}

static void one_occurrence(void)
{
    struct world w;

    world_new(&w);
    world_attach_ours(&w);
    world_submit(&w, "user1",
                 "reserve_start=1795248000|Resource_List.walltime=600|"
                 "Resource_List.select=1:ncpus=2|reserve_timezone=UTC|"
                 "reserve_standing=1|reserve_rrule=FREQ=DAILY;COUNT=4");
    world_confirm(&w, "S1.svr", "4#(vn[2]:ncpus=2){0-3}");
    expect(&w, "act-occurrence", CONN_OTHER);
    expect(&w, "act-occurrences", CONN_OTHER);
    expect(&w, "act-no-occurrence", CONN_OTHER);
    expect(&w, "act-alter-occurrence", CONN_OTHER);
    expect(&w, "act-delete-occurrence", CONN_OTHER);
    expect(&w, "act-deleted-occurrence", CONN_OTHER);
    world_free(&w);
}

static void what_is_idle_is_given_back(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 2, NOW, 600);
    expect(&w, "act-release-nothing", CONN_OTHER);
    expect(&w, "act-release", CONN_OTHER);
    world_free(&w);
}

/* R1 runs until R2 begins; 'w' is new. */
static void make_neighbours(struct world *w)
{
    world_new(w);
    world_reserve(w, 2, NOW, 600);
    world_submit(w, "user2",
                 arena_printf(w->arena,
                              "reserve_start=%d|reserve_end=%d|"
                              "Resource_List.select=1:ncpus=2",
                              NOW + 600, NOW + 800));
    world_confirm(w, "R2.svr", "(vn[0]:ncpus=2)");
    world_fact(w, FACT_CREATED, OBJ_QUEUE, "workq", QUEUE_A_PRIORITY, NULL, "1");
}

static void others_are_moved(void)
{
    struct world w;

    make_neighbours(&w);
    expect(&w, "act-push-of-an-owner", CONN_OTHER);
    go_to_record(&w, 3000);
    expect(&w, "act-push", CONN_OTHER);
    expect(&w, "offer-of-a-user", CONN_OTHER);
    expect(&w, "offer-stale", CONN_SCHED);
    expect(&w, "offer-no-place", CONN_SCHED);
    expect(&w, "offer-unknown", CONN_SCHED);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R2", RESV_A_RESERVE_START, NULL),
                arena_printf(w.arena, "%d", NOW + 600));
    expect(&w, "offer", CONN_SCHED);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R2", RESV_A_RESERVE_START, NULL),
                arena_printf(w.arena, "%d", NOW + 900));
    world_free(&w);
}

static void others_would_be_moved(void)
{
    struct world w;

    make_neighbours(&w);
    attach(&w, "cut,dry_run,dry_push");
    go_to_record(&w, 3000);
    ask(&w, "act-dry-push", CONN_OTHER);
    CU_ASSERT_PTR_NULL(world_reply(&w, CONN_OTHER));
    expect(&w, "dry-push-first", CONN_SCHED);
    expect(&w, "dry-offer-of-a-user", CONN_USER);
    expect(&w, "dry-offer-no-place", CONN_SCHED);
    expect(&w, "dry-offer", CONN_SCHED);
    expect_reply(&w, "act-dry-push", CONN_OTHER);
    CU_ASSERT_EQUAL(svr_model(w.s)->seq, 3000);
    world_free(&w);
}

static void many_are_answered_at_once(void)
{
    struct world w;

    world_new(&w);
    for (int i = 0; i < 3; i++)
        world_submit(&w, "user1",
                     "reserve_start=1795248000|reserve_end=1795248600|"
                     "Resource_List.select=1:ncpus=2");
    expect(&w, "answers-none", CONN_SCHED);
    expect(&w, "answers-of-a-user", CONN_OTHER);
    expect(&w, "answers", CONN_SCHED);
    EXPECT_TEXT(world_phase(&w, "R1.svr"), "2/2");
    EXPECT_TEXT(world_phase(&w, "R2.svr"), "1/1");
    EXPECT_TEXT(world_phase(&w, "R3.svr"), "gone");
    world_free(&w);
}

/* Each frame is one of a pair that is asked above. */
static void all_frames_come_in_pairs(void)
{
    CU_ASSERT_EQUAL(frames.n, 2 * 46);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "why one that is gone was denied, as bytes",
          why_one_that_is_gone_was_denied },
        { "why one that is there waits, as bytes", why_one_that_is_there_waits },
        { "what has changed, as bytes", what_has_changed },
        { "what an act may ask for, as bytes", what_an_act_may_ask_for },
        { "what would happen, as bytes", what_would_happen },
        { "one occurrence, as bytes", one_occurrence },
        { "what is idle is given back, as bytes", what_is_idle_is_given_back },
        { "others are moved, as bytes", others_are_moved },
        { "others would be moved, as bytes", others_would_be_moved },
        { "many are answered at once, as bytes", many_are_answered_at_once },
        { "all frames come in pairs", all_frames_come_in_pairs },
    };
    int failed;

    arena = arena_new();
    frames = frames_load(arena, "extensions.txt");
    failed = unit_main("server/extensions", cases, ARRAY_LEN(cases));
    arena_free(arena);
    return failed;
}
