/* Unit tests of lib/wire: messages between MoMs, and of tasks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/im.h"
#include "lib/wire/task.h"

#include "../unit.h"

#include <string.h>

static void expect_bytes(const struct im_message *msg, const char *bytes)
{
    struct buf b = { 0 };

    im_encode(&b, msg);
    CU_ASSERT_STRING_EQUAL(b.data, bytes);
    buf_fini(&b);
}

static void test_messages_have_the_known_bytes(void)
{
    const char *argv[] = { "a", "", "b" };
    uint32_t tasks[] = { 1, 0x40000001 };
    struct wire_attr used = { "resources_used", "x", "7", 0 };
    const struct {
        struct im_message msg;
        const char *bytes;
    } cases[] = {
        { { "9.x", "c", IM_ERROR, 1, 0, .code = 15009 },
          "+3+5+39.x+1c2+99+1+05+15009" },
        { { "9.x", "c", IM_ERROR2, 1, 0, .code = 15171, .text = "no" },
          "+3+5+39.x+1c3+100+1+05+15171+2no" },
        { { "9.x", "c", IM_JOIN_JOB, 1, 0, .n_nodes = 2, .stdout_port = 7,
            .stderr_port = 8 },
          "+3+5+39.x+1c+1+1+0+2+7+8+0+0" },
        { { "9.x", "c", IM_JOIN_JOB, 1, 0, .n_nodes = 2, .credtype = 1,
            .cred = { "xy", 2 } },
          "+3+5+39.x+1c+1+1+0+2+0+0+1+2xy+0" },
        /* Without the empty argument it would be version 5, ended by an empty one. */
        { { "9.x", "c", IM_SPAWN_TASK, 4, 1, .target_vnode = 1, .args = { 3, argv } },
          "+3+6+39.x+1c+3+4+1+0+1+0+3+1a+0+1b" },
        { { "9.x", "c", IM_GET_INFO, 4, 1, .target_task = 2, .name = "k" },
          "+3+5+39.x+1c+8+4+1+0+2+1k" },
        { { "9.x", "c", IM_ALL_OKAY, 4, 1, .asked = IM_GET_TASKS,
            .tasks = { 2, tasks } },
          "+3+5+39.x+1c+0+4+1+1210+1073741825" },
        { { "9.x", "c", IM_ALL_OKAY, 4, 1, .asked = IM_KILL_JOB, .cput_s = 5,
            .mem_kb = 6, .attrs = { 1, 1, &used } },
          "+3+5+39.x+1c+0+4+1+5+6+0+12+192+14resources_used+1+1x+17+0" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        expect_bytes(&cases[i].msg, cases[i].bytes);
}

static void test_strange_messages_are_refused(void)
{
    static const struct {
        const char *story, *bytes;
        enum dis_error expect;
    } cases[] = {
        { "another protocol", "+4+5+39.x+1c+7+8+0", DIS_PROTOCOL },
        { "version 4", "+3+4+39.x+1c+7+8+0", DIS_PROTOCOL },
        { "version 7", "+3+7+39.x+1c+7+8+0", DIS_PROTOCOL },
        { "version 6 for what has none", "+3+6+39.x+1c+7+8+0", DIS_OK },
        { "a negative command", "+3+5+39.x+1c-7+8+0", DIS_PROTOCOL },
        { "a command nobody knows, raw", "+3+5+39.x+1c2+77+8+0anything", DIS_OK },
        { "something behind", "+3+5+39.x+1c+7+8+0+0", DIS_PROTOCOL },
        { "a cookie longer than any",
          "+3+5+39.x2+65"
          "0123456789012345678901234567890123456789"
          "0123456789012345678901234+7+8+0",
          DIS_OVERFLOW },
        { "many arguments promised", "+3+6+39.x+1c+3+4+1+0+1+0210+4000000000",
          DIS_EOD },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena *a = arena_new();
        struct im_message got;
        enum dis_error e = im_decode(cases[i].bytes, strlen(cases[i].bytes), a, &got);

        CU_ASSERT_EQUAL(e, cases[i].expect);
        if (e != cases[i].expect)
            fprintf(stderr, "%s: %d\n", cases[i].story, (int)e);
        arena_free(a);
    }
}

static void test_an_answer_is_read_by_what_was_asked(void)
{
    static const struct {
        enum im_command asked;
        const char *body;
        enum dis_error expect;
    } cases[] = {
        { IM_JOIN_JOB, "", DIS_OK },
        { IM_JOIN_JOB, "+1", DIS_PROTOCOL },
        { IM_KILL_JOB, "+1+2+3", DIS_OK },
        { IM_KILL_JOB, "+1+2", DIS_EOD },
        { IM_POLL_JOB, "+1+1+2+3", DIS_OK },
        { IM_POLL_JOB, "+1+1+2+3+0", DIS_OK },
        { IM_POLL_JOB, "+1+1+2-3", DIS_BAD_SIGN },
        { IM_GET_TASKS, "", DIS_OK },
        { IM_GET_TASKS, "+1+2", DIS_OK },
        { IM_GET_RESC, "+2ab", DIS_OK },
        { IM_ALL_OKAY, "", DIS_PROTOCOL },
        { IM_ERROR, "", DIS_PROTOCOL },
        { (enum im_command)4000, "", DIS_PROTOCOL },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena *a = arena_new();
        struct im_message msg = { .command = IM_ALL_OKAY,
                                  .raw = { cases[i].body, strlen(cases[i].body) } };

        CU_ASSERT_EQUAL(im_decode_answer(&msg, cases[i].asked, a), cases[i].expect);
        CU_ASSERT_EQUAL(msg.asked, cases[i].expect ? IM_ALL_OKAY : cases[i].asked);
        arena_free(a);
    }
}

static void test_tasks_messages_are_told_apart(void)
{
    static const struct {
        const char *story, *bytes;
        enum dis_error expect;
    } cases[] = {
        { "the old version", "+2+1+39.x+1c3+100+1+1", DIS_OK },
        { "another version", "+2+3+39.x+1c3+100+1+1", DIS_PROTOCOL },
        { "another protocol", "+3+2+39.x+1c3+100+1+1", DIS_PROTOCOL },
        { "an attachment without job", "+2+2+0+03+113+1+0+4100+5", DIS_OVERFLOW },
        { "a command nobody knows", "+2+2+39.x+1c3+150+1+1 whatever", DIS_OK },
        { "something behind", "+2+2+39.x+1c3+100+1+1+1", DIS_PROTOCOL },
        { "a spawn without its end", "+2+2+39.x+1c3+102+1+1+0+1+1a+3A=b", DIS_EOD },
        { "a spawn with environment", "+2+2+39.x+1c3+102+1+1+0+1+1a+3A=b+0", DIS_OK },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena *a = arena_new();
        struct task_request got;
        enum dis_error e =
            task_request_decode(cases[i].bytes, strlen(cases[i].bytes), a, &got);

        CU_ASSERT_EQUAL(!e, !cases[i].expect);
        if (!e != !cases[i].expect)
            fprintf(stderr, "%s: %d\n", cases[i].story, (int)e);
        arena_free(a);
    }
}

static void test_errors_of_tasks_have_a_code(void)
{
    const struct task_reply no = {
        .version = 2, .failed = true, .event = 9, .code = 17002
    };
    struct arena *a = arena_new();
    struct task_reply got;
    struct buf b = { 0 };

    task_reply_encode(&b, &no, TASK_OBIT);
    CU_ASSERT_STRING_EQUAL(b.data, "+2+23+999+95+17002");
    CU_ASSERT_EQUAL(task_reply_decode(b.data, b.len, a, &got), DIS_OK);
    CU_ASSERT_EQUAL(task_reply_decode_body(&got, TASK_OBIT, a), DIS_OK);
    CU_ASSERT_TRUE(got.failed);
    CU_ASSERT_EQUAL(got.code, 17002);
    buf_fini(&b);
    arena_free(a);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "messages have the known bytes", test_messages_have_the_known_bytes },
        { "strange messages are refused", test_strange_messages_are_refused },
        { "an answer is read by what was asked",
          test_an_answer_is_read_by_what_was_asked },
        { "messages of tasks are told apart", test_tasks_messages_are_told_apart },
        { "errors of tasks have a code", test_errors_of_tasks_have_a_code },
    };

    return unit_main("im", cases, ARRAY_LEN(cases));
}
