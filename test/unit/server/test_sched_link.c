/* test_sched_link.c - the registration of schedulers: the table over every state and
 * event, who may register, and who is left when somebody goes away.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/sched_link.h"
#include "test/unit/server/harness.h"
#include "test/unit/unit.h"

#include <string.h>

static void every_pair_of_state_and_event(void)
{
    static const char *const expected[SCHED_STATES] = {
        /* register, command, done, gone: n = not possible */
        [SCHED_AWAY] = "hnnn",
        [SCHED_HALF] = "innA",
        [SCHED_IDLE] = "nbiA",
        [SCHED_BUSY] = "nbiA",
    };
    static const char letter[SCHED_STATES] = { 'n', 'A', 'h', 'i', 'b' };

    for (int state = SCHED_AWAY; state < SCHED_STATES; state++)
        for (int event = 0; event < SCHED_EVENTS; event++)
            CU_ASSERT_EQUAL(
                letter[sched_next((enum sched_state)state, (enum sched_event)event)],
                expected[state][event]);
}

/* Words: "1+" connection 1 registers from host a, "1*" from host b, "1-" it ends, "1."
 * the end of a cycle there, "t" all commands that wait are sent. Each gives a code or
 * 0; "=" asserts the state as qstat shows it. */
struct step {
    const char *what;
    int code;
    const char *shown;
};

static int carry_out(struct rig *r, const char *what)
{
    const struct body_id body = { .id = "default" };
    const struct requester who = { .user = "root",
                                   .host = what[1] == '*' ? "b" : "a",
                                   .may_schedule = true,
                                   .conn = (uint64_t)(what[0] - '0') };
    const struct wire_request rq = { .number = BATCH_REGISTER_SCHED,
                                     .user = "root",
                                     .body = &body };

    r->out.n = 0;
    if (what[1] == '-') {
        svr_client_gone(r->s, r->now_at, who.conn, &r->out);
    } else if (what[1] == '.') {
        svr_sched_done(r->s, r->now_at, who.conn, &r->out);
    } else {
        svr_request(r->s, r->now_at, &who, &rq, &r->out);
        return rig_reply(r, who.conn)->code;
    }
    return 0;
}

static void walk(const struct step *steps, size_t n)
{
    struct rig *r = rig_new();

    for (size_t i = 0; i < n; i++) {
        int code = carry_out(r, steps[i].what);

        if (code != steps[i].code)
            fprintf(stderr, "step %zu, %s: %d\n", i, steps[i].what, code);
        CU_ASSERT_EQUAL(code, steps[i].code);
        CU_ASSERT_EQUAL(rig_count(r, EFFECT_CLOSE) > 0,
                        code != 0 || strchr(steps[i].shown, '!') != NULL);
        CU_ASSERT(str_same(rig_value(r, RIG_USER, SCH, "", "state"),
                           steps[i].shown + (*steps[i].shown == '!')));
    }
    rig_free(r);
}

#define WALK(...)                                                                      \
    walk((const struct step[]){ __VA_ARGS__ },                                         \
         ARRAY_LEN(((const struct step[]){ __VA_ARGS__ })))

static void the_first_and_the_second_connection(void)
{
    WALK({ "1+", 0, "idle" }, /* it has not come, and is shown idle */
         { "1+", PBSE_IVALREQ, "idle" } /* the same connection twice */,
         { "2*", PBSE_PERM, "idle" } /* from another host */, { "2+", 0, "scheduling" },
         { "3+", PBSE_SCHEDCONNECTED, "scheduling" },
         { "3*", PBSE_SCHEDCONNECTED, "scheduling" },
         { "1+", PBSE_SCHEDCONNECTED, "scheduling" }, { "2.", 0, "scheduling" },
         { "2.", 0, "scheduling" }, { "2.", 0, "idle" }, /* 6, 6, 9 */
         { "2.", 0, "idle" },
         /* one end too many is nothing */);
}

static void who_is_half_registered_may_go_away(void)
{
    WALK({ "1+", 0, "idle" }, { "1-", 0, "idle" }, /* nothing was lost */
         { "2*", 0, "idle" },                      /* anybody may begin again */
         { "3+", PBSE_PERM, "idle" }, { "3*", 0, "scheduling" });
}

static void either_connection_ends_both(void)
{
    WALK({ "1+", 0, "idle" }, { "2+", 0, "scheduling" }, { "1-", 0, "!down" },
         /* The name is free at once, before the other connection has ended. */
         { "3*", 0, "down" }, { "2-", 0, "down" }, { "4*", 0, "down" },
         { "4.", 0, "scheduling" }, { "4.", 0, "idle" }, { "4-", 0, "!down" },
         { "3-", 0, "down" }, { "5+", 0, "down" }, { "5-", 0, "down" });
}

static void only_the_second_connection_ends_a_cycle(void)
{
    WALK({ "1+", 0, "idle" }, { "1.", 0, "idle" }, { "2+", 0, "scheduling" },
         { "1.", 0, "scheduling" }, { "9.", 0, "scheduling" });
}

static void commands_go_to_the_second_connection(void)
{
    struct rig *r = rig_new();

    carry_out(r, "1+");
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_SCHED_COMMAND), 0);
    carry_out(r, "2+");
    CU_ASSERT_EQUAL_FATAL(rig_count(r, EFFECT_SCHED_COMMAND), 1);
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_SCHED_COMMAND, 0)->u.sched.conn, 2);
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_SCHED_COMMAND, 0)->u.sched.command,
                    SCHED_CONFIGURE);
    rig_free(r);
}

/* Were it to wait for a store that is lost it would be refused in the end, and the
 * connection would be registered all the same: the next one would be taken for the
 * second of the two. */
static void a_registration_does_not_wait_for_the_store(void)
{
    struct rig *r = rig_new();

    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, 0, "", "comment=a"), 0);
    CU_ASSERT(svr_model(r->s)->seq > 0);
    svr_set_store_failed(r->s, true);
    for (const char *const *what = (const char *const[]){ "1+", "2+", NULL }; *what;
         what++) {
        CU_ASSERT_EQUAL(carry_out(r, *what), 0);
        CU_ASSERT_EQUAL_FATAL(rig_count(r, EFFECT_REPLY), 1);
        CU_ASSERT_EQUAL(rig_effect(r, EFFECT_REPLY, 0)->seq, 0);
    }
    CU_ASSERT_EQUAL_FATAL(rig_count(r, EFFECT_SCHED_COMMAND), 1);
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_SCHED_COMMAND, 0)->seq,
                    svr_model(r->s)->seq); /* what it wakes for is in the store then */
    rig_free(r);
}

/* The status that the scheduler asks for waits, and that is enough. */
static void a_command_does_not_wait_for_the_disk(void)
{
    struct rig *r = rig_new();

    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, 0, "", "comment=a"), 0);
    CU_ASSERT(svr_model(r->s)->seq > 0);
    carry_out(r, "1+");
    carry_out(r, "2+");
    CU_ASSERT_EQUAL_FATAL(rig_count(r, EFFECT_SCHED_COMMAND), 1);
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_SCHED_COMMAND, 0)->seq, 0);
    rig_free(r);
}

/* The cycle that found the store lost has seen nothing: another one looks when the
 * store has what was decided, and no command is sent before. */
static void a_lost_store_is_followed_by_a_cycle(void)
{
    struct rig *r = rig_new();

    carry_out(r, "1+");
    carry_out(r, "2+");
    for (int i = 0; i < 3; i++) /* 6, 6, 9 */
        carry_out(r, "2.");
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_SCHED_COMMAND), 0);
    r->out.n = 0;
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, 0, "", "scheduling=True"), 0);
    CU_ASSERT_EQUAL_FATAL(rig_count(r, EFFECT_SCHED_COMMAND), 1);
    svr_set_store_failed(r->s, true);
    svr_give_up(r->s, r->now_at, 0, &r->out);
    carry_out(r, "2.");
    CU_ASSERT_EQUAL_FATAL(rig_count(r, EFFECT_SCHED_COMMAND), 1);
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_SCHED_COMMAND, 0)->seq, svr_model(r->s)->seq);
    svr_set_store_failed(r->s, false);
    carry_out(r, "2.");
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_SCHED_COMMAND), 0);
    rig_free(r);
}

static int register_as(struct rig *r, const char *sched, uint64_t conn)
{
    const struct body_id body = { .id = sched };
    const struct wire_reply *reply =
        rig_ask_on(r, conn, RIG_ROOT, BATCH_REGISTER_SCHED, &body, NULL);

    return reply ? (int)reply->code : -1;
}

static bool is_closed(const struct rig *r, uint64_t conn)
{
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.v[i].kind == EFFECT_CLOSE && r->out.v[i].u.close_conn == conn)
            return true;
    return false;
}

/* Its object is deleted: both connections end, it may not come back under that name,
 * and the next object of that name is free for it. */
static void who_is_deleted_is_left(void)
{
    struct rig *r = rig_new();

    for (int both = 0; both < 2; both++) {
        uint64_t first = 101 + 10 * (uint64_t)both, second = first + 1;

        CU_ASSERT_EQUAL(
            rig_manager(r, RIG_ROOT, CREATE, OBJECT_SCHED, "s2", "partition=p2"), 0);
        CU_ASSERT_EQUAL(register_as(r, "s2", first), 0);
        if (both) {
            CU_ASSERT_EQUAL(register_as(r, "s2", second), 0);
            CU_ASSERT(!str_same(rig_value(r, RIG_ROOT, SCH, "s2", "state"), "down"));
        }
        CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_SCHED, "s2", ""), 0);
        CU_ASSERT_TRUE(is_closed(r, first));
        CU_ASSERT_EQUAL(is_closed(r, second), both);
        CU_ASSERT_EQUAL(rig_count(r, EFFECT_SCHED_COMMAND), 0);
        CU_ASSERT_NOT_EQUAL(register_as(r, "s2", first + 5), 0);
    }
    rig_free(r);
}

static const struct unit_case cases[] = {
    { "who is deleted is left", who_is_deleted_is_left },
    { "every pair of state and event", every_pair_of_state_and_event },
    { "the first and the second connection", the_first_and_the_second_connection },
    { "who is half registered may go away", who_is_half_registered_may_go_away },
    { "either connection ends both", either_connection_ends_both },
    { "a command does not wait for the disk", a_command_does_not_wait_for_the_disk },
    { "a lost store is followed by a cycle", a_lost_store_is_followed_by_a_cycle },
    { "only the second connection ends a cycle",
      only_the_second_connection_ends_a_cycle },
    { "commands go to the second connection", commands_go_to_the_second_connection },
    { "a registration does not wait for the store",
      a_registration_does_not_wait_for_the_store },
};

int main(void)
{
    return unit_main("links to schedulers", cases, ARRAY_LEN(cases));
}
