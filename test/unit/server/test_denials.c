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
    /* Where there are blanks, it is cut at one. */
    words[7] = ' ';
    denials_add(d, "R1.svr", "", words, 1000);
    EXPECT_TEXT(reason_of(d, "R1.svr", 1000), "xxxxxxx");
    CU_ASSERT_EQUAL(strlen(reason_of(d, id, 1000)), DENIAL_REASON_MAX);
    free(words);
    denials_free(d);
}

/* What that user of that host is told; "15084" when refused, "none" without the
 * attribute. */
static const char *told_at(struct world *w, const char *user, const char *host,
                           const char *id, const char *attr)
{
    const struct body_id body = { .id = id };
    const struct wire_request rq = { .number = BATCH_RESV_WHY, .body = &body };
    const struct requester who = { .user = user, .host = host, .conn = CONN_OTHER };
    const struct wire_reply *reply;
    const char *text;

    world_clear(w);
    (void)svr_request(w->s, w->now_at, &who, &rq, &w->out);
    reply = world_reply(w, CONN_OTHER);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    if (reply->code)
        return arena_printf(w->arena, "%d", reply->code);
    text = wire_attrs_value(&reply->objects.v[0].attrs, attr, NULL);
    return text ? text : "none";
}

static const char *told(struct world *w, const char *user, const char *id,
                        const char *attr)
{
    return told_at(w, user, "svr", id, attr);
}

static void the_owner_and_the_staff_are_told(void)
{
    struct world w;

    world_new(&w);
    world_server(&w, SERVER_A_FLATUID, NULL, "False");
    world_submit(&w, "user1",
                 "reserve_start=1795248000|reserve_end=1795248600|"
                 "Resource_List.select=9:ncpus=2");
    world_deny_with(&w, "R1.svr", "PBS_RESV_CONFIRM_FAIL:reason=too large: by 4");
    EXPECT_TEXT(world_phase(&w, "R1.svr"), "gone");
    EXPECT_TEXT(told(&w, "user1", "R1.svr", "denied_reason"), "too large: by 4");
    EXPECT_TEXT(told(&w, "user1", "R1.svr", "denied_at"), "1795247571");
    EXPECT_TEXT(told(&w, "mgr1", "R1.svr", "denied_reason"), "too large: by 4");
    /* Whoever may delete a reservation from any host may ask from any host. */
    EXPECT_TEXT(told_at(&w, "user1", "login2", "R1.svr", "denied_reason"),
                "too large: by 4");
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

/* R1 has lost a vnode, and the attempt to replace it was in vain. */
static void lose_in_vain(struct world *w)
{
    world_new(w);
    world_reserve(w, 2, NOW + 7200, 600);
    world_vnode(w, "vn[0]", NODE_OFFLINE);
    world_go(w, obj_num(&model_resv(svr_model(w->s), "R1.svr")->obj,
                        RESV_A_RESERVE_RETRY, 0));
    world_deny_with(w, "R1.svr", "PBS_RESV_CONFIRM_FAIL:reason=too few");
}

static void a_vain_attempt_is_told_while_it_matters(void)
{
    struct world w;

    lose_in_vain(&w);
    EXPECT_TEXT(told(&w, "user2", "R1.svr", "denied_reason"), "too few");
    EXPECT_TEXT(told(&w, "user2", "R1.svr", "denied_at"),
                arena_printf(w.arena, "%" PRId64, w.now_at));
    world_restart(&w);
    EXPECT_TEXT(told(&w, "user2", "R1.svr", "denied_reason"), "too few");
    /* It is whole again; what is lost next has not been looked for yet. */
    world_vnode(&w, "vn[0]", 0);
    EXPECT_TEXT(told(&w, "user2", "R1.svr", "denied_reason"), "none");
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    EXPECT_TEXT(told(&w, "user2", "R1.svr", "denied_reason"), "none");
    CU_ASSERT_STRING_NOT_EQUAL(told(&w, "user2", "R1.svr", "reserve_retry"), "none");
    world_free(&w);
}

static void what_was_confirmed_was_not_denied(void)
{
    struct world w;

    lose_in_vain(&w);
    world_delete(&w, "user1", "R1.svr");
    EXPECT_TEXT(world_phase(&w, "R1.svr"), "gone");
    EXPECT_TEXT(told(&w, "user1", "R1.svr", "denied_reason"), "15084");
    EXPECT_TEXT(told(&w, "mgr1", "R1.svr", "denied_reason"), "15084");
    world_free(&w);
}

/* A rule says why it sets the next attempt, and that is no answer of a scheduler. */
static void a_remark_of_the_server_is_no_denial(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, NOW + 7200, 600);
    world_later(&w, 2, NOW + 90000, 600, "(vn[4]:ncpus=2)");
    world_vnode(&w, "vn[4]", NODE_OFFLINE);
    CU_ASSERT_STRING_NOT_EQUAL(told(&w, "user2", "R1.svr", "reserve_retry"), "none");
    EXPECT_TEXT(told(&w, "user2", "R1.svr", "denied_reason"), "none");
    world_free(&w);
}

/* Nobody said no, and it is gone all the same. */
static void what_nobody_confirmed_is_told(void)
{
    static const char *const attrs[] = {
        "reserve_start=1795248000|reserve_end=1795248600|interactive=-5|"
        "Resource_List.select=1:ncpus=2",
        "reserve_start=1795248000|reserve_end=1795248600|"
        "Resource_List.select=1:ncpus=2",
    };
    static const char *const reasons[] = {
        "no scheduler confirmed it while it was waited for",
        "no scheduler confirmed it before its time had passed",
    };
    struct world w;

    for (size_t i = 0; i < ARRAY_LEN(attrs); i++) {
        world_new(&w);
        world_submit(&w, "user1", attrs[i]);
        world_go(&w, i == 0 ? NOW + 6 : 1795248601);
        EXPECT_TEXT(world_phase(&w, "R1.svr"), "gone");
        EXPECT_TEXT(told(&w, "user1", "R1.svr", "denied_reason"), reasons[i]);
        EXPECT_TEXT(told(&w, "user2", "R1.svr", "denied_reason"), "15084");
        world_free(&w);
    }
}

static void who_deletes_needs_no_reason(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1",
                 "reserve_start=1795248000|reserve_end=1795248600|"
                 "Resource_List.select=1:ncpus=2");
    world_delete(&w, "user1", "R1.svr");
    EXPECT_TEXT(told(&w, "user1", "R1.svr", "denied_reason"), "15084");
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
        { "a vain attempt is told until the reservation is whole, over a restart too",
          a_vain_attempt_is_told_while_it_matters },
        { "of what was confirmed and deleted nobody says that it was denied",
          what_was_confirmed_was_not_denied },
        { "a remark of the server is no denial", a_remark_of_the_server_is_no_denial },
        { "what nobody confirmed in time is told", what_nobody_confirmed_is_told },
        { "what its owner deleted was not denied", who_deletes_needs_no_reason },
    };

    return unit_main("server/denials", cases, ARRAY_LEN(cases));
}
