/* Unit tests of identifiers, names and access control lists (attributes.md 4, 10).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/acl.h"
#include "lib/attr/ids.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

static struct arena *arena;

static void test_job_ids(void)
{
    static const struct {
        const char *text;
        bool good;
        uint64_t number;
        const char *index, *server;
    } cases[] = {
        { "12.svr", true, 12, NULL, "svr" },
        { "12", true, 12, NULL, NULL },
        { "12[].svr", true, 12, "", "svr" },
        { "12[3].svr.a.b", true, 12, "3", "svr.a.b" },
        { "12[1-5:2]", true, 12, "1-5:2", NULL },
        { "12[1,3-4].svr", true, 12, "1,3-4", "svr" },
        { "0.svr", true, 0, NULL, "svr" },
        { "999999999999.svr", true, 999999999999, NULL, "svr" },
        { "9999999999999.svr", false, 0, NULL, NULL },
        { "", false, 0, NULL, NULL },
        { ".svr", false, 0, NULL, NULL },
        { "12.", false, 0, NULL, NULL },
        { "a12.svr", false, 0, NULL, NULL },
        { "12x.svr", false, 0, NULL, NULL },
        { "12[3.svr", false, 0, NULL, NULL },
        { "12[x].svr", false, 0, NULL, NULL },
        { "12[1-].svr", false, 0, NULL, NULL },
        { "-1.svr", false, 0, NULL, NULL },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct job_id id = { 0 };

        CU_ASSERT_EQUAL(job_id_parse(cases[i].text, arena, &id), cases[i].good);
        CU_ASSERT_EQUAL(id.number, cases[i].number);
        CU_ASSERT_TRUE(str_same(id.index, cases[i].index));
        CU_ASSERT_EQUAL(id.array, cases[i].index != NULL);
        CU_ASSERT_TRUE(str_same(id.server, cases[i].server));
    }
    CU_ASSERT_STRING_EQUAL(job_id_make(7, "svr", arena), "7.svr");
    CU_ASSERT_STRING_EQUAL(array_id_make(7, "svr", arena), "7[].svr");
    CU_ASSERT_STRING_EQUAL(subjob_id_make("7[].svr.x", 12, arena), "7[12].svr.x");
    CU_ASSERT_STRING_EQUAL(resv_id_make('S', 7, "svr", arena), "S7.svr");
}

static void test_the_letter_is_no_part_of_the_key(void)
{
    const char *key = NULL;

    CU_ASSERT_TRUE(resv_id_key("R4.other", arena, &key));
    CU_ASSERT_STRING_EQUAL(key, "4");
    CU_ASSERT_TRUE(resv_id_key("S4", arena, &key));
    CU_ASSERT_STRING_EQUAL(key, "4");
    CU_ASSERT_FALSE(resv_id_key("", arena, &key));
    CU_ASSERT_FALSE(resv_id_key("R", arena, &key));
    CU_ASSERT_FALSE(resv_id_key("R.svr", arena, &key));
}

static void test_names_have_their_limits(void)
{
    char name[300];

    memset(name, 'a', sizeof(name));
    name[NAME_MAX_JOB] = '\0';
    CU_ASSERT_TRUE(job_name_is_valid(name));
    name[NAME_MAX_JOB] = 'a';
    name[NAME_MAX_JOB + 1] = '\0';
    CU_ASSERT_FALSE(job_name_is_valid(name));
    name[NAME_MAX_QUEUE] = '\0';
    CU_ASSERT_TRUE(queue_name_is_valid(name));
    name[NAME_MAX_QUEUE] = 'a';
    name[NAME_MAX_QUEUE + 1] = '\0';
    CU_ASSERT_FALSE(queue_name_is_valid(name));
    CU_ASSERT_TRUE(job_name_is_valid("1st-job_x+y.z"));
    CU_ASSERT_FALSE(job_name_is_valid("a/b"));
    CU_ASSERT_TRUE(queue_name_is_valid("9q-a_b"));
    CU_ASSERT_FALSE(queue_name_is_valid("_q"));
    CU_ASSERT_FALSE(queue_name_is_valid("a.b"));
    CU_ASSERT_FALSE(queue_name_is_valid(""));
}

static struct attr_value list_of(const struct attr_type *type, const char *text)
{
    struct attr_value v = { 0 };

    if (text)
        CU_ASSERT_EQUAL(attr_value_set(type, &v, NULL, NULL, text, WIRE_OP_SET), 0);
    return v;
}

static void test_hosts_are_allowed_by_the_first_match(void)
{
    static const struct {
        const char *acl, *host;
        bool allowed;
    } cases[] = {
        { NULL, "svr", true },
        { NULL, "SVR", true },
        { NULL, "other", false },
        { "a.b", "A.B", true },
        { "a.b", "x.a.b", false },
        { "*.a.b", "x.a.b", true },
        { "*.a.b", "a.b", false },
        { "*.a.b,-q.a.b", "q.a.b", false },
        { "*.a.b,-q.a.b", "r.a.b", true },
        { "*", "anything", true },
        { "+", "anything", true },
        { "+,-", "anything", true }, /* "-" sorts before the "+" that overrides it */
        { "-h,+", "h", false },
        { "10.1.0.0/16", "10.1.2.3", true },
        { "10.1.0.0/16", "10.2.2.3", false },
        { "10.1.0.0/255.255.0.0", "10.1.2.3", true },
        { "10.1.0.0/0.0.0.0", "10.1.2.3", false },
        { "10.1.0.0/33", "10.1.2.3", false },
        { "10.1.2.3/32", "10.1.2.3", true },
        { "10.1.2.3/32", "10.1.2.2", false },
        { "10.1.0.0/0", "10.1.2.3", false },
        { "10.1.0.0/16", "10.1.2.300", false },
        { "10.300.0.0/16", "10.45.0.1", false },
        { "*a.b", "a.b", true },
        { "-10.1.0.0/16", "10.1.2.3", false },
        { "10.1.0.0/16", "10.1.2", false },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct attr_value v = list_of(&attr_acl_host, cases[i].acl);
        bool allowed = acl_allows_host(&v, cases[i].host, "svr");

        if (allowed != cases[i].allowed)
            printf("\n  acl '%s' host '%s'\n", cases[i].acl, cases[i].host);
        CU_ASSERT_EQUAL(allowed, cases[i].allowed);
        attr_acl_host.clear(&v);
    }
}

static void test_users_are_allowed_by_name_and_host(void)
{
    static const struct {
        const char *acl, *user, *host;
        bool allowed;
    } cases[] = {
        { NULL, "bob", "h", false },
        { "bob", "bob", "any", true },
        { "bob", "Bob", "any", false },
        { "bob", "bobby", "any", false },
        { "bob@h", "bob", "H", true },
        { "bob@h", "bob", "other", false },
        { "bob@*", "bob", "other", true },
        { "bob@*.x.org,-bob@bad.x.org", "bob", "bad.x.org", false },
        { "bob@*.x.org,-bob@bad.x.org", "bob", "good.x.org", true },
        { "+,-bob", "bob", "h", false },
        { "+,-bob", "al", "h", true },
        { "*@h", "bob", "h", false }, /* no wildcard in the name */
    };
    static const char *const groups[] = { "users", "staff" };
    struct attr_value v;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        v = list_of(&attr_acl_user, cases[i].acl);
        CU_ASSERT_EQUAL(acl_allows_user(&v, cases[i].user, cases[i].host),
                        cases[i].allowed);
        attr_acl_user.clear(&v);
    }
    v = list_of(&attr_acl_group, "staff");
    CU_ASSERT_TRUE(acl_allows_group(&v, groups, 2));
    CU_ASSERT_FALSE(acl_allows_group(&v, groups, 1));
    attr_acl_group.clear(&v);
    CU_ASSERT_FALSE(acl_allows_group(&v, groups, 2));
    v = list_of(&attr_acl_group, "-staff,users");
    CU_ASSERT_FALSE(acl_allows_group(&v, groups, 2));
    attr_acl_group.clear(&v);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "job ids are read in all their forms", test_job_ids },
        { "the letter is no part of a reservation's key",
          test_the_letter_is_no_part_of_the_key },
        { "names have their limits", test_names_have_their_limits },
        { "hosts are allowed by the first match",
          test_hosts_are_allowed_by_the_first_match },
        { "users are allowed by name and host",
          test_users_are_allowed_by_name_and_host },
    };
    int status;

    arena = arena_new();
    status = unit_main("attr ids", cases, ARRAY_LEN(cases));
    arena_free(arena);
    return status;
}
