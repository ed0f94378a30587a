/* Unit tests of what a MoM answers about its host.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/host_facts.h"

#include "lib/wire/rm.h"
#include "mom/shell/host_script.h"

#include "../unit.h"

#include <string.h>
#include <unistd.h>

static const struct host_resource own[] = {
    { "tape", "3" },   { "scratch", "!printf '12gb\\nmore\\n'" },
    { "tape", "4" },   { "bad", "!exit 3" },
    { "ncpus", "64" }, { "long", "!head -c 70000 /dev/zero | tr '\\000' x" },
};

static bool is_answered(const char *query, const char *expect)
{
    struct host_facts f = { .home = "/nonexistent",
                            .n_own = ARRAY_LEN(own),
                            .own = own };
    struct buf b = { 0 };
    bool same;

    host_facts_answer(&f, query, &b);
    same = strcmp(b.data, expect) == 0;
    if (!same)
        fprintf(stderr, "%s\n", b.data);
    buf_fini(&b);
    host_facts_fini(&f);
    return same;
}

static void test_answers_and_codes(void)
{
    static const struct {
        const char *query, *expect;
    } rows[] = {
        { "tape", "tape=4" },
        { "scratch", "scratch=12gb" },
        { "ncpus", "ncpus=64" },
        { "bad", "bad=? 15205" },
        { "long", "long=? 15014" },
        { "tape[x=1]", "tape[x=1]=? 15202" },
        { "arch", "arch=linux" },
        { "nosuch", "nosuch=? 15201" },
        { "", "=? 15201" },
        { "[fs=/]", "[fs=/]=? 15201" },
        { "size", "size=? 15203" },
        { "size[fs=tmp]", "size[fs=tmp]=? 15202" },
        { "size[fs=/no/such/place]", "size[fs=/no/such/place]=? 15204" },
        { "size[file=/]", "size[file=/]=? 15202" },
        { "size[fs=/", "size[fs=/=? 15202" },
        { "size[fs=]", "size[fs=]=? 15202" },
        { "size[fs=/]x", "size[fs=/]x=? 15202" },
        { "size[=/]", "size[=/]=? 15202" },
        { "arch[x=1]", "arch[x=1]=? 15202" },
        { "cput", "cput=? 15203" },
        { "cput[session=1x]", "cput[session=1x]=? 15202" },
        { "cput[session=-1]", "cput[session=-1]=? 15202" },
        { "cput[session=99999999999999999999]",
          "cput[session=99999999999999999999]=? 15202" },
        { "pids[session=2147483647]", "pids[session=2147483647]=? 15204" },
        { "validuser[user=root]", "validuser[user=root]=yes" },
        { "validuser[user=no:such]", "validuser[user=no:such]=no" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CU_ASSERT(is_answered(rows[i].query, rows[i].expect));
}

static void test_names_of_any_length(void)
{
    struct host_facts f = { .home = "/" };
    char query[5000];
    struct buf b = { 0 };

    for (size_t len = 1; len < sizeof(query) - 1; len += 97) {
        memset(query, 'a', len);
        query[len] = '\0';
        buf_clear(&b);
        host_facts_answer(&f, query, &b);
        CU_ASSERT_STRING_EQUAL(b.data + len, "=? 15201");
        memcpy(query, "size[fs=/", len < 9 ? len : 9);
        buf_clear(&b);
        host_facts_answer(&f, query, &b);
        CU_ASSERT_PTR_NOT_NULL(strstr(b.data, "=? 1520"));
    }
    buf_fini(&b);
    host_facts_fini(&f);
}

static void test_this_session_is_seen(void)
{
    struct host_facts f = { .home = "/" };
    char query[64], pid[32];
    struct buf b = { 0 };

    snprintf(query, sizeof(query), "pids[session=%d]", getsid(0));
    snprintf(pid, sizeof(pid), " %d", getpid());
    host_facts_answer(&f, query, &b);
    CU_ASSERT_PTR_NOT_NULL(strstr(b.data, pid));
    buf_clear(&b);
    snprintf(query, sizeof(query), "resi[session=%d]", getsid(0));
    host_facts_answer(&f, query, &b);
    CU_ASSERT_PTR_NULL(strstr(b.data, "=0kb"));
    CU_ASSERT_PTR_NULL(strstr(b.data, "=?"));
    buf_fini(&b);
    host_facts_fini(&f);
}

static void test_commands_end_in_time(void)
{
    struct buf b = { 0 };

    CU_ASSERT_FALSE(host_script_run("sleep 1000", 200, 100, &b));
    /* What it has left keeps the output open, and is killed. */
    CU_ASSERT_FALSE(host_script_run("sleep 1000 & echo 1", 200, 100, &b));
    CU_ASSERT_FALSE(host_script_run("exec >&-; sleep 1000", 200, 100, &b));
    CU_ASSERT_FALSE(host_script_run("kill -9 $$", 60000, 100, &b));
    CU_ASSERT_FALSE(host_script_run("printf '1\\0002'", 60000, 100, &b));
    CU_ASSERT_EQUAL(b.len, 0);
    CU_ASSERT_TRUE(host_script_run("true", 60000, 4, &b));
    CU_ASSERT_EQUAL(b.len, 0);
    CU_ASSERT_TRUE(host_script_run("echo 12345; yes | head -c 1000000", 60000, 4, &b));
    CU_ASSERT_STRING_EQUAL(b.data, "1234");
    buf_fini(&b);
}

static void test_patterns_of_hosts(void)
{
    static const char *const of[] = { "*.Site.org", "alone" };

    CU_ASSERT_TRUE(host_is_among("a.site.org", of, 2));
    CU_ASSERT_TRUE(host_is_among("ALONE", of, 2));
    CU_ASSERT_FALSE(host_is_among("site.org", of, 2));
    CU_ASSERT_FALSE(host_is_among("a.site.org.evil", of, 2));
    CU_ASSERT_FALSE(host_is_among("xalone", of, 2));
    CU_ASSERT_FALSE(host_is_among("", of, 2));
    CU_ASSERT_FALSE(host_is_among("alone", of, 1));
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "each question has its answer or its code", test_answers_and_codes },
        { "names of any length are answered", test_names_of_any_length },
        { "a session that lives is seen", test_this_session_is_seen },
        { "commands end in time", test_commands_end_in_time },
        { "patterns of hosts", test_patterns_of_hosts },
    };

    return unit_main("mom: facts of the host", cases, ARRAY_LEN(cases));
}
