/* Tests of what is remembered of denied reservations (src/server/decide/denials.c), and
 * of the request that asks for it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/denials.h"

#include "resv_world.h"

#include <stdio.h>
#include <string.h>

static const char *reason_of(const struct denials *d, const char *id, int64_t now_at)
{
    const struct denial *found = denials_find(d, id, now_at);

    return found ? found->reason : "none";
}

static void the_last_one_is_kept_for_a_day(void)
{
    struct denials *d = denials_new();

    EXPECT_TEXT(reason_of(d, "R1.svr", 1000), "none");
    denials_add(d, "R1.svr", "user1@svr", "first", 1000);
    denials_add(d, "R2.svr", "user2@svr", NULL, 1001);
    denials_add(d, "R1.svr", "user1@svr", "second", 1002);
    EXPECT_TEXT(reason_of(d, "R1.svr", 1002), "second");
    EXPECT_TEXT(reason_of(d, "R2.svr", 1002), "");
    EXPECT_TEXT(reason_of(d, "R1.svr", 1002 + DENIALS_KEPT_S), "second");
    EXPECT_TEXT(reason_of(d, "R1.svr", 1003 + DENIALS_KEPT_S), "none");
    denials_free(d);
}

static void number_and_length_are_bounded(void)
{
    struct denials *d = denials_new();
    char *words = xcalloc(1, 2 * DENIAL_REASON_MAX + 1);
    char id[32];

    memset(words, 'x', 2 * DENIAL_REASON_MAX);
    for (int i = 0; i <= DENIALS_MAX; i++) {
        snprintf(id, sizeof(id), "R%d.svr", i);
        denials_add(d, id, "", words, 1000);
    }
    EXPECT_TEXT(reason_of(d, "R0.svr", 1000), "none");
    CU_ASSERT_EQUAL(strlen(reason_of(d, "R1.svr", 1000)), DENIAL_REASON_MAX);
    CU_ASSERT_EQUAL(strlen(reason_of(d, id, 1000)), DENIAL_REASON_MAX);
    free(words);
    denials_free(d);
}

/* What that user is told; "15084" when refused. */
static const char *told(struct world *w, const char *user, const char *id,
                        const char *attr)
{
    const struct body_id body = { .id = id };
    const struct wire_request rq = { .number = BATCH_RESV_WHY, .body = &body };
    const struct requester who = { .user = user, .host = "svr", .conn = CONN_OTHER };
    const struct wire_reply *reply;

    world_clear(w);
    (void)svr_request(w->s, w->now_at, &who, &rq, &w->out);
    reply = world_reply(w, CONN_OTHER);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    if (reply->code)
        return arena_printf(w->arena, "%d", reply->code);
    return wire_attrs_value(&reply->objects.v[0].attrs, attr, NULL);
}

static void the_owner_and_the_staff_are_told(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1",
                 "reserve_start=1795248000|reserve_end=1795248600|"
                 "Resource_List.select=9:ncpus=2");
    world_deny_with(&w, "R1.svr", "PBS_RESV_CONFIRM_FAIL:reason=too large: by 4");
    EXPECT_TEXT(world_phase(&w, "R1.svr"), "gone");
    EXPECT_TEXT(told(&w, "user1", "R1.svr", "denied_reason"), "too large: by 4");
    EXPECT_TEXT(told(&w, "user1", "R1.svr", "denied_at"), "1795247571");
    EXPECT_TEXT(told(&w, "mgr1", "R1.svr", "denied_reason"), "too large: by 4");
    EXPECT_TEXT(told(&w, "user2", "R1.svr", "denied_reason"), "15084");
    EXPECT_TEXT(told(&w, "user1", "R2.svr", "denied_reason"), "15084");
    EXPECT_TEXT(told(&w, "user1", "", "denied_reason"), "15084");
    world_go(&w, NOW + DENIALS_KEPT_S + 1);
    EXPECT_TEXT(told(&w, "user1", "R1.svr", "denied_reason"), "15084");
    world_free(&w);
}

/* A shell that starts anew hands over what the journal has. One whose owner is not in
 * it is the staff's. */
static void what_is_restored_is_told(void)
{
    struct world w;

    world_new(&w);
    svr_restore_denial(w.s, "R7.svr", "user1@svr", "in use", NOW - 60);
    svr_restore_denial(w.s, "R8.svr", "", NULL, NOW - 60);
    EXPECT_TEXT(told(&w, "user1", "R7.svr", "denied_reason"), "in use");
    EXPECT_TEXT(told(&w, "user2", "R7.svr", "denied_reason"), "15084");
    EXPECT_TEXT(told(&w, "user1", "R8.svr", "denied_reason"), "15084");
    EXPECT_TEXT(told(&w, "mgr1", "R8.svr", "denied_reason"),
                "the scheduler gave no reason");
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the last denial of a reservation is kept for a day",
          the_last_one_is_kept_for_a_day },
        { "number and length are bounded", number_and_length_are_bounded },
        { "its owner and the staff are told, others hear of no such reservation",
          the_owner_and_the_staff_are_told },
        { "what is restored from the journal is told", what_is_restored_is_told },
    };

    return unit_main("server/denials", cases, ARRAY_LEN(cases));
}
