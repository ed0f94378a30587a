/* Unit tests of lib/wire: messages between server and MoM.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/is.h"

#include "../unit.h"

#include <string.h>

static void expect_bytes(const struct is_message *msg, const char *bytes)
{
    struct buf b = { 0 };

    is_encode(&b, msg);
    CU_ASSERT_STRING_EQUAL(b.data, bytes);
    buf_fini(&b);
}

static void test_plain_messages_have_the_known_bytes(void)
{
    struct is_range range = { 172819713, 3 };
    const char *acks[] = { "21.pbs1" };
    struct is_job_update end = { "21.pbs1", NULL, 266, 1, { 0 } };
    struct is_job_action left = { "4.pbs1", 1, 1, IS_ACTION_DEALLOCATE, 0 };
    struct is_acked one = { 1 };
    const struct {
        struct is_message msg;
        const char *bytes;
    } cases[] = {
        { { .command = IS_HELLOSVR, .mom_port = 15002 }, "+4+42+225+15002" },
        { { .command = IS_REPLYHELLO,
            .need_inventory = 1,
            .n_ranges = 1,
            .ranges = &range },
          "+4+4+8+1+19+172819713+3" },
        { { .command = IS_CLUSTER_ADDRS, .n_ranges = 1, .ranges = &range },
          "+4+4+3+19+172819713+3" },
        { { .command = IS_SHUTDOWN }, "+4+4+9" },
        { { .command = IS_IDLE, .stands = 1, .job_id = "77.pbs4" },
          "+4+42+10+1+777.pbs4" },
        { { .command = IS_DISCARD_JOB, .job_id = "77.pbs4", .run_version = -1 },
          "+4+42+13+777.pbs4-1" },
        { { .command = IS_OBITREPLY, .acks = { 1, acks } }, "+4+4+7+1+721.pbs1+0" },
        { { .command = IS_JOBOBIT, .n_updates = 1, .updates = &end },
          "+4+4+6+1+721.pbs1+03+266+1+0" },
        { { .command = IS_HOOK_JOB_ACTION, .n_actions = 1, .actions = &left },
          "+4+42+17+1+64.pbs1+1+1+2+0" },
        { { .command = IS_HOOK_ACTION_ACK,
            .acked_type = IS_HOOK_JOB_ACTION,
            .n_acked = 1,
            .acked = &one },
          "+4+42+182+17+1+1" },
        { { .command = IS_UPDATE_FROM_HOOK, .action_id = 7, .raw = { "+4root", 6 } },
          "+4+42+15+7+4root" },
        { { .command = IS_HOOK_CHECKSUMS, .raw = { "+0+0", 4 } }, "+4+42+20+0+0" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        expect_bytes(&cases[i].msg, cases[i].bytes);
}

static void test_another_version_is_told_from_another_protocol(void)
{
    int32_t version = 0;

    CU_ASSERT(is_of_other_version("+4+5+7", 6, &version));
    CU_ASSERT_EQUAL(version, 5);
    CU_ASSERT_FALSE(is_of_other_version("+4+4+7", 6, &version));
    CU_ASSERT_FALSE(is_of_other_version("+3+5+7", 6, &version));
    CU_ASSERT_FALSE(is_of_other_version("+4", 2, &version));
}

static void test_a_reply_inside_has_neither_type_nor_version(void)
{
    const struct body_signal body = { "21.pbs1", "SIGUSR1" };
    const struct is_message cmd = {
        .command = IS_CMD,
        .msgid = "1795249314:0",
        .request = { BATCH_SIGNAL_JOB, "root", &body, NULL },
    };
    const struct is_message reply = {
        .command = IS_CMD_REPLY,
        .msgid = "1795249314:0",
        .reply = { .choice = REPLY_NULL },
    };

    expect_bytes(&cmd, "+4+4+12+121795249314:0+2+22+18+4root+721.pbs1+7SIGUSR1+0");
    expect_bytes(&reply, "+4+4+22+121795249314:0+0+0+1+0");
}

/* The same bytes mean different things with and without a vnode list. */
static void test_the_inventory_is_there_when_it_was_asked_for(void)
{
    struct is_vnode_attr attr = { "resources_available.ncpus", "3", 0, 0 };
    struct is_vnode vnode = { "pbs4", 1, &attr };
    struct is_running job = { "4.x", 42, 1, 0, "(pbs4:ncpus=1)" };
    struct is_message msg = {
        .command = IS_REGISTERMOM,
        .n_running = 1,
        .running = &job,
        .state = { 0, 2, 2, 4000000, "linux", true, 1795248655, 1, &vnode, "23.06" },
    };
    struct arena *a = arena_new();
    struct is_message got = { 0 };
    struct buf b = { 0 };
    bool known;

    is_encode(&b, &msg);
    CU_ASSERT_EQUAL_FATAL(is_decode(b.data, b.len, true, a, &got, &known), DIS_OK);
    CU_ASSERT_EQUAL_FATAL(got.state.n_vnodes, 1);
    CU_ASSERT_STRING_EQUAL(got.state.vnodes[0].attrs[0].value, "3");
    CU_ASSERT_STRING_EQUAL(got.state.version, "23.06");
    CU_ASSERT_STRING_EQUAL(got.running[0].exec_vnode, "(pbs4:ncpus=1)");
    CU_ASSERT_NOT_EQUAL(is_decode(b.data, b.len, false, a, &got, &known), DIS_OK);

    msg.state.has_vnodes = false;
    msg.state.version = NULL;
    buf_clear(&b);
    is_encode(&b, &msg);
    CU_ASSERT_EQUAL_FATAL(is_decode(b.data, b.len, false, a, &got, &known), DIS_OK);
    CU_ASSERT_FALSE(got.state.has_vnodes);
    CU_ASSERT_PTR_NULL(got.state.version);
    CU_ASSERT_EQUAL(is_decode(b.data, b.len, true, a, &got, &known), DIS_EOD);
    buf_fini(&b);
    arena_free(a);
}

static void test_strange_messages_are_named(void)
{
    static const struct {
        const char *story, *bytes;
        enum dis_error expect;
        bool known;
    } cases[] = {
        { "another protocol", "+3+42+225+15002", DIS_PROTOCOL, true },
        { "another version", "+4+52+225+15002", DIS_PROTOCOL, true },
        { "negative command", "+4+4-1", DIS_PROTOCOL, true },
        { "unknown command, raw", "+4+42+99+1", DIS_OK, true },
        { "command 0, raw", "+4+4+0", DIS_OK, true },
        { "something behind", "+4+42+225+15002+0", DIS_PROTOCOL, true },
        { "many ranges promised", "+4+4+3210+4000000000", DIS_EOD, true },
        { "many acks promised", "+4+4+7210+4000000000", DIS_EOD, true },
        { "old vnode list", "+4+42+12+0+1+1+1+1x+3+5+1+1v+1+1a+1b", DIS_OK, true },
        { "future vnode list", "+4+42+12+0+1+1+1+1x+5+5+1+1v+0", DIS_PROTOCOL, true },
        { "unknown request", "+4+4+1+1m+2+22+77+4root anything", DIS_OK, false },
        { "request of version 3", "+4+4+1+1m+2+32+18+4root+1j+1s+0", DIS_PROTOCOL,
          true },
        { "request with a tail", "+4+4+1+1m+2+22+18+4root+1j+1s+0+0", DIS_PROTOCOL,
          true },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena *a = arena_new();
        struct is_message got = { .command = IS_IDLE };
        bool known = true;

        CU_ASSERT_EQUAL(
            is_decode(cases[i].bytes, strlen(cases[i].bytes), true, a, &got, &known),
            cases[i].expect);
        CU_ASSERT_EQUAL(known, cases[i].known);
        if (cases[i].expect)
            CU_ASSERT_EQUAL(got.command, IS_IDLE);
        CU_ASSERT_TRUE(arena_used_bytes(a) < 4000);
        arena_free(a);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "another version is told from another protocol",
          test_another_version_is_told_from_another_protocol },
        { "plain messages have the known bytes",
          test_plain_messages_have_the_known_bytes },
        { "a reply inside has neither type nor version",
          test_a_reply_inside_has_neither_type_nor_version },
        { "the inventory is there when it was asked for",
          test_the_inventory_is_there_when_it_was_asked_for },
        { "strange messages are named", test_strange_messages_are_named },
    };

    return unit_main("is", cases, ARRAY_LEN(cases));
}
