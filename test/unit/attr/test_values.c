/* Unit tests of the value types: what they accept, print, add and subtract (the tables
 * of attributes.md 3, 4, 5 and their bad inputs).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resource.h"
#include "lib/attr/resource_sums.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

static struct resource_defs *defs;
static struct arena *arena;

/* The text of a value, "-" when unset; members as "name=text". */
static const char *shown(const struct attr_type *type, const struct attr_value *v)
{
    const char *text = attr_value_text(type, v, arena);

    return text ? text : "-";
}

struct step {
    const struct attr_type *type;
    const char *start; /* NULL: unset */
    enum wire_op op;
    const char *text;
    int code;
    const char *result; /* after it */
    const char *resource;
};

static void run_steps(const struct step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct step *s = &steps[i];
        struct attr_value v = { 0 };
        int err = 0;

        if (s->start)
            err = attr_value_set(s->type, &v, defs, s->resource, s->start, WIRE_OP_SET);
        CU_ASSERT_EQUAL(err, 0);
        err = attr_value_set(s->type, &v, defs, s->resource, s->text, s->op);
        if (err != s->code || strcmp(shown(s->type, &v), s->result) != 0)
            printf("\n  case %zu: '%s' op %d '%s': code %d '%s', expected %d '%s'\n", i,
                   s->start ? s->start : "", s->op, s->text, err, shown(s->type, &v),
                   s->code, s->result);
        CU_ASSERT_EQUAL(err, s->code);
        CU_ASSERT_STRING_EQUAL(shown(s->type, &v), s->result);
        s->type->clear(&v);
        CU_ASSERT_FALSE(v.set);
    }
}

#define SET        WIRE_OP_SET
#define INCR       WIRE_OP_INCR
#define DECR       WIRE_OP_DECR
#define BAD        PBSE_BADATVAL
#define RUN(steps) run_steps(steps, ARRAY_LEN(steps))

static void test_booleans(void)
{
    static const char *const yes[] = {
        "True", "TRUE", "true", "t", "T", "1", "y", "Y"
    };
    static const char *const no[] = {
        "False", "FALSE", "false", "f", "F", "0", "n", "N"
    };
    static const char *const bad[] = {
        "yes", "no", "on", "maybe", "tRuE", "", " t", "2"
    };
    struct attr_value v = { 0 };

    for (size_t i = 0; i < 8; i++) {
        CU_ASSERT_EQUAL(attr_value_set(&attr_bool, &v, defs, NULL, yes[i], SET), 0);
        CU_ASSERT_STRING_EQUAL(shown(&attr_bool, &v), "True");
        CU_ASSERT_EQUAL(attr_value_set(&attr_bool, &v, defs, NULL, bad[i], SET), BAD);
        CU_ASSERT_STRING_EQUAL(shown(&attr_bool, &v), "True");
        CU_ASSERT_EQUAL(attr_value_set(&attr_bool, &v, defs, NULL, no[i], SET), 0);
        CU_ASSERT_STRING_EQUAL(shown(&attr_bool, &v), "False");
    }
    static const struct step steps[] = {
        { &attr_bool, "False", INCR, "True", 0, "True", NULL },
        { &attr_bool, "True", DECR, "True", 0, "False", NULL },
        { &attr_bool, "True", DECR, "False", 0, "True", NULL },
        { &attr_bool_words, NULL, SET, "tRuE", 0, "true", NULL },
        { &attr_bool_words, NULL, SET, "FALSE", 0, "false", NULL },
        { &attr_bool_words, NULL, SET, "truetruetrue", BAD, "-", NULL },
    };
    RUN(steps);
}

static void test_numbers(void)
{
    static const struct step steps[] = {
        { &attr_long, NULL, SET, "007", 0, "7", NULL },
        { &attr_long, NULL, SET, "-5", 0, "-5", NULL },
        { &attr_long, NULL, SET, "+5", 0, "5", NULL },
        { &attr_long, NULL, SET, "", 0, "0", NULL },
        { &attr_long, "3", SET, "abc", BAD, "3", NULL },
        { &attr_long, "3", SET, "3x", BAD, "3", NULL },
        { &attr_long, "3", SET, " 4", BAD, "3", NULL },
        { &attr_long, "3", SET, "1.5", BAD, "3", NULL },
        { &attr_long, "3", SET, "-", BAD, "3", NULL },
        { &attr_long, "3", INCR, "4", 0, "7", NULL },
        { &attr_long, "3", DECR, "4", 0, "-1", NULL },
        { &attr_long, NULL, SET, "99999999999999999999", 0, "9223372036854775807",
          NULL },
        { &attr_long, "9223372036854775807", INCR, "1", 0, "9223372036854775807",
          NULL },
        { &attr_int64, NULL, SET, "0x10", 0, "16", NULL },
        { &attr_int64, NULL, SET, "010", 0, "8", NULL },
        { &attr_int64, NULL, SET, "1x", BAD, "-", NULL },
        { &attr_int64, NULL, SET, "99999999999999999999", BAD, "-", NULL },
        { &attr_float, NULL, SET, "2.5", 0, "2.5", NULL },
        { &attr_float, NULL, SET, "1.23456", 0, "1.2346", NULL },
        { &attr_float, NULL, SET, "1e3", 0, "1000", NULL },
        { &attr_float, "1.5", INCR, "3", 0, "4.5", NULL },
        { &attr_float, "1.5", DECR, "0.5", 0, "1", NULL },
        { &attr_float, "1.5", SET, "nan", BAD, "1.5", NULL },
        { &attr_float, "1.5", SET, "1.5x", BAD, "1.5", NULL },
        { &attr_char, NULL, SET, "Execution", 0, "E", NULL },
    };
    RUN(steps);
}

static void test_sizes(void)
{
    static const struct step steps[] = {
        { &attr_size, NULL, SET, "1Tb", 0, "1tb", NULL },
        { &attr_size, NULL, SET, "10kw", 0, "10kw", NULL },
        { &attr_size, NULL, SET, "1048576", 0, "1048576b", NULL },
        { &attr_size, NULL, SET, "10", 0, "10b", NULL },
        { &attr_size, NULL, SET, "5M", 0, "5mb", NULL },
        { &attr_size, NULL, SET, "5w", 0, "5w", NULL },
        { &attr_size, "1kb", SET, "1.5gb", BAD, "1kb", NULL },
        { &attr_size, "1kb", SET, "1xb", BAD, "1kb", NULL },
        { &attr_size, "1kb", SET, "5x", BAD, "1kb", NULL },
        { &attr_size, "1kb", SET, "-5kb", BAD, "1kb", NULL },
        { &attr_size, "1kb", SET, "5 kb", BAD, "1kb", NULL },
        { &attr_size, "1kb", SET, "", BAD, "1kb", NULL },
        { &attr_size, "1kb", SET, "99999999999999999999", BAD, "1kb", NULL },
        { &attr_size, "1tb", INCR, "100mb", 0, "1048676mb", NULL },
        { &attr_size, "100b", INCR, "1b", 0, "2kb", NULL },
        { &attr_size, "0kb", INCR, "5gb", 0, "5gb", NULL },
        { &attr_size, NULL, INCR, "5gb", 0, "5gb", NULL },
        { &attr_size, "1gb", DECR, "1gb", 0, "0gb", NULL },
        { &attr_size, "1gb", DECR, "1mb", 0, "1023mb", NULL },
        { &attr_size, "1kb", DECR, "2kb", BAD, "1kb", NULL },
        { &attr_size, "1kw", INCR, "1kb", 0, "9kb", NULL },
        { &attr_size, "1kw", INCR, "1kw", 0, "2kw", NULL },
        { &attr_size, "18446744073709551615pb", INCR, "1pb", BAD,
          "18446744073709551615pb", NULL },
        { &attr_size, "18446744073709551615pb", INCR, "1kb", BAD,
          "18446744073709551615pb", NULL },
    };
    struct size_value s;
    struct attr_value a = { 0 }, b = { 0 };

    RUN(steps);
    CU_ASSERT_EQUAL(attr_value_set(&attr_size, &a, defs, NULL, "100b", SET), 0);
    CU_ASSERT_EQUAL(attr_value_set(&attr_size, &b, defs, NULL, "1000b", SET), 0);
    CU_ASSERT_EQUAL(attr_size.compare(&a, &b), 0);
    CU_ASSERT_EQUAL(attr_value_set(&attr_size, &b, defs, NULL, "1025b", SET), 0);
    CU_ASSERT_TRUE(attr_size.compare(&a, &b) < 0);
    CU_ASSERT_EQUAL(size_parse("2gb", &s), 0);
    CU_ASSERT_EQUAL(size_kib(&s), 2 * 1024 * 1024);
    CU_ASSERT_EQUAL(size_parse("1", &s), 0);
    CU_ASSERT_EQUAL(size_kib(&s), 1);
    CU_ASSERT_EQUAL(size_parse("999999999999pb", &s), 0);
    CU_ASSERT_EQUAL(size_kib(&s), INT64_MAX);
}

static void test_durations(void)
{
    static const struct step steps[] = {
        { &attr_duration, NULL, SET, "1:60:90", 0, "02:01:30", NULL },
        { &attr_duration, NULL, SET, "99:99:99", 0, "100:40:39", NULL },
        { &attr_duration, NULL, SET, "45", 0, "00:00:45", NULL },
        { &attr_duration, NULL, SET, "3.5", 0, "00:00:04", NULL },
        { &attr_duration, NULL, SET, "5.6", 0, "00:00:06", NULL },
        { &attr_duration, NULL, SET, "5.499", 0, "00:00:05", NULL },
        { &attr_duration, NULL, SET, "2147483648", 0, "596523:14:08", NULL },
        { &attr_duration, "5", SET, ":5", BAD, "00:00:05", NULL },
        { &attr_duration, "5", SET, "-5", BAD, "00:00:05", NULL },
        { &attr_duration, "5", SET, "1:2:3:4", BAD, "00:00:05", NULL },
        { &attr_duration, "5", SET, "1:", BAD, "00:00:05", NULL },
        { &attr_duration, "5", SET, "5h", BAD, "00:00:05", NULL },
        { &attr_duration, "5", SET, "5.", BAD, "00:00:05", NULL },
        { &attr_duration, "5", SET, "", BAD, "00:00:05", NULL },
        { &attr_duration, "5", SET, "9223372036854775808", BAD, "00:00:05", NULL },
        { &attr_duration, "5", SET, "9223372036854775807:0:0", BAD, "00:00:05", NULL },
        { &attr_duration, "1:00", INCR, "30", 0, "00:01:30", NULL },
        { &attr_duration, "1:00", DECR, "30", 0, "00:00:30", NULL },
        { &attr_duration, "30", DECR, "1:00", BAD, "00:00:30", NULL },
        { &attr_seconds, NULL, SET, "1:00:00", 0, "3600", NULL },
    };
    RUN(steps);
}

static void test_texts(void)
{
    static const struct step steps[] = {
        { &attr_string, "a", SET, "b c", 0, "b c", NULL },
        { &attr_string, "a", SET, "", 0, "-", NULL },
        { &attr_string, "ab", INCR, "cd", 0, "abcd", NULL },
        { &attr_string, "xabyabz", DECR, "ab", 0, "xyz", NULL },
        { &attr_string, "aaa", DECR, "aa", 0, "a", NULL },
        { &attr_string, "ab", DECR, "ab", 0, "-", NULL },
        /* what has a grammar keeps it */
        { &attr_select, "1:ncpus=1", INCR, "2", 0, "1:ncpus=12", NULL },
        { &attr_select, "1:ncpus=1", INCR, "1:ncpus=1", 0, "1:ncpus=11:ncpus=1", NULL },
        { &attr_select, "1:ncpus=1", DECR, "1", BAD, "1:ncpus=1", NULL },
        { &attr_place, "pack", INCR, "excl", BAD, "pack", NULL },
        { &attr_nodes, "2:ppn=2", DECR, "2", BAD, "2:ppn=2", NULL },
        { &attr_jobname, "a", INCR, "b", 0, "ab", NULL },
        { &attr_jobname, NULL, SET, "my-job_1.x+", 0, "my-job_1.x+", NULL },
        { &attr_jobname, NULL, SET, "a b", BAD, "-", NULL },
        { &attr_jobname, NULL, SET, "", BAD, "-", NULL },
        { &attr_project, NULL, SET, "my project", 0, "my project", NULL },
        { &attr_project, NULL, SET, "a/b", BAD, "-", NULL },
        { &attr_hold, NULL, SET, "u", 0, "u", NULL },
        { &attr_hold, NULL, SET, "uos", 0, "sou", NULL },
        { &attr_hold, NULL, SET, "un", 0, "n", NULL },
        { &attr_hold, "u", INCR, "s", 0, "su", NULL },
        { &attr_hold, "us", DECR, "u", 0, "s", NULL },
        { &attr_hold, "us", DECR, "us", 0, "n", NULL },
        { &attr_hold, "u", SET, "x", BAD, "u", NULL },
        { &attr_node_state, NULL, SET, "free", 0, "free", NULL },
        { &attr_node_state, NULL, SET, "offline,down", 0, "down,offline", NULL },
        { &attr_node_state, NULL, SET, "offline_by_mom", 0, "offline", NULL },
        { &attr_node_state, "offline,offline_by_mom", INCR, "down", 0, "down,offline",
          NULL },
        { &attr_node_state, "offline,offline_by_mom,sleep", DECR, "offline", 0, "sleep",
          NULL },
        { &attr_node_state, "down", SET, "free,down", PBSE_MUTUALEX, "down", NULL },
        { &attr_node_state, "down", SET, "up", PBSE_BADNDATVAL, "down", NULL },
        { &attr_node_state, "down", SET, "", PBSE_BADNDATVAL, "down", NULL },
    };
    RUN(steps);
}

static void test_lists(void)
{
    static const struct step steps[] = {
        { &attr_strings, NULL, SET, " a , b,c,", 0, "a,b,c", NULL },
        { &attr_strings, NULL, SET, "a\\,b,c", 0, "a\\,b,c", NULL },
        { &attr_strings, NULL, SET, "a\nb", 0, "a,b", NULL },
        { &attr_strings, "a,b", INCR, "a", 0, "a,b,a", NULL },
        { &attr_strings, "a,b,a,c", DECR, "a,x", 0, "b,a,c", NULL },
        { &attr_strings, "a", DECR, "a", 0, "", NULL },
        { &attr_variables, NULL, SET, "A=1\\,2,B=x\\\\y", 0, "A=1\\,2,B=x\\\\y", NULL },
        { &attr_variables, NULL, SET, "A=\"q\",B='", 0, "A=\\\"q\\\",B=\\'", NULL },
        { &attr_variables, NULL, SET, "A=1\n2", 0, "A=1\n2", NULL },
    };
    struct attr_value v = { 0 };

    RUN(steps);
    CU_ASSERT_EQUAL(
        attr_value_set(&attr_variables, &v, defs, NULL, "A=1\\,2,B=x\\\\y", SET), 0);
    CU_ASSERT_EQUAL(v.u.list.n, 2);
    CU_ASSERT_STRING_EQUAL(v.u.list.v[0], "A=1,2");
    CU_ASSERT_STRING_EQUAL(v.u.list.v[1], "B=x\\y");
    attr_variables.clear(&v);
}

static void test_access_lists_are_kept_in_their_order(void)
{
    static const struct step steps[] = {
        { &attr_acl_host, NULL, SET, "+x.y.z,*.a.b,-q.a.b,c.a.b", 0,
          "+x.y.z,-q.a.b,c.a.b,*.a.b", NULL },
        { &attr_acl_host, "+x.y.z,*.a.b,-q.a.b,c.a.b", INCR, "*,+", 0,
          "+x.y.z,-q.a.b,c.a.b,*.a.b,+,*", NULL },
        { &attr_acl_user, NULL, SET, "bob@*.x.org,-bob@bad.x.org,alice,+carl@h", 0,
          "alice,-bob@bad.x.org,bob@*.x.org,+carl@h", NULL },
        { &attr_acl_group, NULL, SET, "staff,-guests", 0, "-guests,staff", NULL },
        { &attr_acl_user, "dup@h", INCR, "dup@h", PBSE_DUPLIST, "dup@h", NULL },
        { &attr_acl_user, "a@h", SET, "b@h,b@h", PBSE_DUPLIST, "a@h", NULL },
        { &attr_acl_user, "a@h", INCR, "b@h,a@h", PBSE_DUPLIST, "a@h", NULL },
        { &attr_acl_user, "a@h,b@h,c@h", DECR, "b@h,z@h,b@h", 0, "a@h,c@h", NULL },
    };
    RUN(steps);
}

static const char *const_list(int n, int stride, const char *fmt)
{
    struct buf text = { 0 };
    const char *ret;

    for (int i = 0; i < n; i++) {
        char member[64];

        snprintf(member, sizeof(member), fmt, i * stride % n);
        buf_printf(&text, "%s%s", i ? "," : "", member);
    }
    ret = arena_strdup(arena, text.data);
    buf_fini(&text);
    return ret;
}

/* In whatever order ten thousand come, they are kept in one, and go again in another.
 */
static void test_long_lists(void)
{
    static const struct {
        const struct attr_type *type;
        const char *fmt, *sorted;
    } rows[] = {
        { &attr_acl_user, "user%05d@*.x", "user%05d@*.x" },
        { &attr_acl_host, "%05d.a.b", NULL },
        { &attr_acl_group, "g%05d", "g%05d" },
        { &attr_strings, "s%05d", NULL },
        { &attr_entity_limit, "[u:u%05d=3]", "[u:u%05d=3]" },
    };
    enum {
        N = 10000
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct attr_type *t = rows[i].type;
        struct attr_value v = { 0 }, w = { 0 };
        const char *there = const_list(N, 7919, rows[i].fmt);
        const char *back = const_list(N, 3571, rows[i].fmt);

        CU_ASSERT_EQUAL(attr_value_set(t, &v, defs, NULL, there, SET), 0);
        CU_ASSERT_EQUAL(attr_value_set(t, &w, defs, NULL, back, SET), 0);
        if (t != &attr_strings)
            CU_ASSERT_STRING_EQUAL(shown(t, &v), shown(t, &w));
        if (rows[i].sorted)
            CU_ASSERT_STRING_EQUAL(shown(t, &v), const_list(N, 1, rows[i].sorted));
        CU_ASSERT_EQUAL(attr_value_set(t, &v, defs, NULL, back, DECR), 0);
        CU_ASSERT_TRUE(!v.set || v.u.list.n == 0);
        t->clear(&v);
        t->clear(&w);
    }
}

static void test_a_refused_list_changes_nothing(void)
{
    static const struct step steps[] = {
        { &attr_acl_user, "m@h", INCR, "a@h,z@h,-a@h,a@h", PBSE_DUPLIST, "m@h", NULL },
        { &attr_acl_user, NULL, SET, "a,b,a", PBSE_DUPLIST, "-", NULL },
        { &attr_acl_user, "+", INCR, "-bob,+bob,bob", 0, "+,-bob,+bob,bob", NULL },
        { &attr_acl_user, "-bob", INCR, "bob,-bob", PBSE_DUPLIST, "-bob", NULL },
        { &attr_acl_host, "A.b", INCR, "a.B,a.b", 0, "A.b,a.B,a.b", NULL },
        { &attr_acl_host, "A.b,a.b", INCR, "A.b", PBSE_DUPLIST, "A.b,a.b", NULL },
        { &attr_strings, "a,b,a,b,a", DECR, "a,a,b", 0, "b,a", NULL },
        { &attr_strings, "a,b", DECR, "b,a,c", 0, "", NULL },
        { &attr_string, NULL, INCR, "ab", 0, "ab", NULL },
    };

    RUN(steps);
}

static void test_entity_limits(void)
{
    static const struct attr_type *const count = &attr_entity_limit;
    static const struct attr_type *const per_res = &attr_entity_limit_resource;
    const struct step steps[] = {
        { count, NULL, SET, "[u:PBS_GENERIC=5],[o:PBS_ALL=100],[g:grp=2],[p:proj=3]", 0,
          "[g:grp=2],[o:PBS_ALL=100],[p:proj=3],[u:PBS_GENERIC=5]", NULL },
        { count, "[u:bob=1]", SET, "[u:al=2]", 0, "[u:al=2]", NULL },
        { count, "[u:bob=1]", INCR, "[ u:bob = 3 ]", 0, "[u:bob=3]", NULL },
        { count, "[u:bob=1],[u:al=2]", DECR, "[u:bob]", 0, "[u:al=2]", NULL },
        { count, "[u:bob=1]", DECR, "[u:bob=2]", 0, "[u:bob=1]", NULL },
        { count, "[u:bob=1]", DECR, "[u:bob=1]", 0, "-", NULL },
        { count, "[u:bob=1]", SET, "[u:bob=3x]", BAD, "[u:bob=1]", NULL },
        { count, "[u:bob=1]", SET, "[u:bob]", BAD, "[u:bob=1]", NULL },
        { count, "[u:bob=1]", SET, "[u:PBS_ALL=1]", BAD, "[u:bob=1]", NULL },
        { count, "[u:bob=1]", SET, "[o:bob=1]", BAD, "[u:bob=1]", NULL },
        { count, "[u:bob=1]", SET, "[u:bob=-1]", BAD, "[u:bob=1]", NULL },
        { count, "[u:bob=1]", SET, "[x:bob=1]", BAD, "[u:bob=1]", NULL },
        { count, "[u:bob=1]", SET, "[u:b*b=1]", BAD, "[u:bob=1]", NULL },
        { count, "[u:bob=1]", SET, "[u:bob=1],", BAD, "[u:bob=1]", NULL },
        { count, NULL, SET, "[u:\"a b\"=1]", 0, "[u:\"a b\"=1]", NULL },
        { per_res, NULL, SET, "[u:PBS_GENERIC=5GB]", 0, "[u:PBS_GENERIC=5gb]", "mem" },
        { per_res, "[u:bob=2],[g:x=1]", SET, "[u:al=3]", 0, "[u:al=3]", "ncpus" },
        { per_res, NULL, SET, "[u:bob=2]", PBSE_INVALJOBRESC, "-", "arch" },
        { per_res, NULL, SET, "[u:bob=2]", PBSE_UNKRESC, "-", "nosuch" },
        { per_res, NULL, SET, "[u:bob=2]", PBSE_UNKRESC, "-", NULL },
        { per_res, "[u:bob=2]", SET, "[u:bob=x]", BAD, "[u:bob=2]", "ncpus" },
    };
    RUN(steps);
}

/* Put in in no order, many: each is found by its key, and nobody else. */
static void test_every_limit_is_found_by_its_key(void)
{
    struct attr_value v = { 0 };
    char text[64];

    for (int i = 0; i < 500; i++) {
        snprintf(text, sizeof(text), "[%c:e%d=%d]", "gpu"[i % 3], i * 7919 % 500, i);
        CU_ASSERT_EQUAL(
            attr_value_set(&attr_entity_limit, &v, NULL, NULL, text, WIRE_OP_INCR), 0);
    }
    CU_ASSERT_EQUAL(v.u.limits.n, 500);
    for (int i = 0; i < 500; i++) {
        const struct limit *l;

        snprintf(text, sizeof(text), "e%d", i * 7919 % 500);
        l = limits_find(&v, "gpu"[i % 3], text, NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(l);
        CU_ASSERT_EQUAL(strtol(l->value, NULL, 10), i);
        CU_ASSERT_PTR_NULL(limits_find(&v, "pug"[i % 3], text, NULL));
    }
    CU_ASSERT_PTR_NULL(limits_find(&v, 'u', "e", NULL));
    CU_ASSERT_PTR_NULL(limits_find(&v, 'o', "PBS_ALL", NULL));
    attr_entity_limit.clear(&v);
    CU_ASSERT_PTR_NULL(limits_find(&v, 'u', "e0", NULL));
}

/* As many as an object may hold: what is done with them must not cost their cube. */
static void test_limits_of_many_resources(void)
{
    enum {
        N = 3000
    };
    struct resource_defs *many = resource_defs_new();
    const struct attr_type *t = &attr_entity_limit_resource;
    struct attr_value v = { 0 };
    struct attr_members members;
    char name[32];

    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof(name), "r%d", i);
        CU_ASSERT_EQUAL(resource_define(many, name, "long", "q", NULL), 0);
        CU_ASSERT_EQUAL(attr_value_set(t, &v, many, name, "[u:x=5],[g:y=6]", SET), 0);
    }
    members = attr_value_members(t, &v, arena);
    CU_ASSERT_EQUAL_FATAL(members.n, N);
    CU_ASSERT_TRUE(attr_value_has_member(t, &v, "R17"));
    CU_ASSERT_FALSE(attr_value_has_member(t, &v, "r"));
    CU_ASSERT_STRING_EQUAL(attr_value_member(t, &v, members.v[N - 1].name, arena),
                           "[g:y=6],[u:x=5]");
    t->clear(&v);
    resource_defs_free(many);
}

static void test_limits_of_resources_are_shown_by_entity(void)
{
    struct attr_value v = { 0 };
    struct wire_attrs out = { 0 };
    const struct attr_type *t = &attr_entity_limit_resource;

    CU_ASSERT_EQUAL(attr_value_set(t, &v, defs, "ncpus", "[u:x=5],[u:bob=2]", SET), 0);
    CU_ASSERT_EQUAL(attr_value_set(t, &v, defs, "MEM", "[u:x=5gb]", SET), 0);
    attr_value_encode(t, &v, "max_run_res", &out, arena);
    CU_ASSERT_EQUAL_FATAL(out.n, 3);
    CU_ASSERT_STRING_EQUAL(out.v[0].value, "[u:bob=2]");
    CU_ASSERT_STRING_EQUAL(out.v[1].resource, "mem");
    CU_ASSERT_STRING_EQUAL(out.v[2].resource, "ncpus");
    CU_ASSERT_STRING_EQUAL(attr_value_member(t, &v, "ncpus", arena),
                           "[u:bob=2],[u:x=5]");
    CU_ASSERT_TRUE(attr_value_has_member(t, &v, "NCPUS"));
    attr_value_unset(t, &v, "ncpus");
    CU_ASSERT_PTR_NULL(attr_value_member(t, &v, "ncpus", arena));
    CU_ASSERT_FALSE(attr_value_has_member(t, &v, "ncpus"));
    attr_value_unset(t, &v, "mem");
    CU_ASSERT_FALSE(v.set);
}

/* A list whose last member went away holds nothing that the next set would lose. */
static void test_an_emptied_list_holds_nothing(void)
{
    struct attr_value v = { 0 };

    CU_ASSERT_EQUAL(attr_value_set(&attr_resources, &v, defs, "arch", "a", SET), 0);
    CU_ASSERT_EQUAL(attr_value_set(&attr_resources, &v, defs, "arch", "", SET), 0);
    CU_ASSERT_FALSE(v.set);
    CU_ASSERT_PTR_NULL(v.u.res.v);
    CU_ASSERT_EQUAL(attr_value_set(&attr_resources, &v, defs, "arch", "b", SET), 0);
    attr_value_unset(&attr_resources, &v, "arch");
    CU_ASSERT_FALSE(v.set);
    CU_ASSERT_PTR_NULL(v.u.res.v);
    attr_resources.clear(&v);
}

static void test_resource_lists(void)
{
    static const struct {
        const char *resource, *text;
        enum wire_op op;
        int code;
        const char *result;
    } steps[] = {
        { "NCPUS", "3", SET, 0, "ncpus=3" },
        { "mem", "1gb", SET, 0, "mem=1gb,ncpus=3" },
        { "nosuch", "1", SET, PBSE_UNKRESC, "mem=1gb,ncpus=3" },
        { NULL, "1", SET, PBSE_UNKRESC, "mem=1gb,ncpus=3" },
        { "ncpus", "x", SET, BAD, "mem=1gb,ncpus=3" },
        { "ncpus", "-1", SET, BAD, "mem=1gb,ncpus=3" },
        { "ncpus", "2", INCR, 0, "mem=1gb,ncpus=5" },
        { "ncpus", "6", DECR, BAD, "mem=1gb,ncpus=5" },
        { "mem", "2gb", DECR, BAD, "mem=1gb,ncpus=5" },
        { "walltime", "1:00", INCR, 0, "mem=1gb,ncpus=5,walltime=00:01:00" },
        { "place", "scat", SET, BAD, "mem=1gb,ncpus=5,walltime=00:01:00" },
        { "place", "group=nosuch", SET, PBSE_UNKRESC,
          "mem=1gb,ncpus=5,walltime=00:01:00" },
        { "place", "group=ncpus", SET, PBSE_RESCNOTSTR,
          "mem=1gb,ncpus=5,walltime=00:01:00" },
        { "select", "xx:ncpus=1", SET, BAD, "mem=1gb,ncpus=5,walltime=00:01:00" },
        { "select", "2:nosuch=1", SET, 0,
          "mem=1gb,ncpus=5,select=2:nosuch=1,walltime=00:01:00" },
        { "nodes", "2*", SET, BAD,
          "mem=1gb,ncpus=5,select=2:nosuch=1,walltime=00:01:00" },
    };
    struct attr_value v = { 0 }, copy;
    struct wire_attrs out = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        CU_ASSERT_EQUAL(attr_value_set(&attr_resources, &v, defs, steps[i].resource,
                                       steps[i].text, steps[i].op),
                        steps[i].code);
        CU_ASSERT_STRING_EQUAL(shown(&attr_resources, &v), steps[i].result);
    }
    attr_value_encode(&attr_resources, &v, "Resource_List", &out, arena);
    CU_ASSERT_EQUAL(out.n, 4);
    CU_ASSERT_STRING_EQUAL(out.v[0].resource, "mem");
    CU_ASSERT_EQUAL(resources_amount(&v.u.res, "mem", -1), 1024 * 1024);
    CU_ASSERT_EQUAL(resources_amount(&v.u.res, "walltime", -1), 60);
    CU_ASSERT_EQUAL(resources_amount(&v.u.res, "vmem", -1), -1);
    attr_resources.copy(&copy, &v);
    CU_ASSERT_EQUAL(attr_resources.compare(&copy, &v), 0);
    attr_value_unset(&attr_resources, &v, "MEM");
    CU_ASSERT_NOT_EQUAL(attr_resources.compare(&copy, &v), 0);
    CU_ASSERT_PTR_NULL(resources_find(&v.u.res, "mem"));
    attr_value_unset(&attr_resources, &v, NULL);
    CU_ASSERT_FALSE(v.set);
    attr_resources.clear(&copy);
}

static void test_accumulated_resources_come_back_to_zero(void)
{
    struct attr_value job = { 0 };
    struct resource_sums sums = { 0 };
    struct resources total = { 0 };
    const struct resource_value *mem;

    CU_ASSERT_EQUAL(attr_value_set(&attr_resources, &job, defs, "mem", "10mb", SET), 0);
    CU_ASSERT_EQUAL(attr_value_set(&attr_resources, &job, defs, "ncpus", "2", SET), 0);
    CU_ASSERT_EQUAL(attr_value_set(&attr_resources, &job, defs, "nodect", "2", SET), 0);
    CU_ASSERT_EQUAL(attr_value_set(&attr_resources, &job, defs, "walltime", "9", SET),
                    0);
    resource_sums_count(&sums, &job.u.res, 1);
    resource_sums_count(&sums, &job.u.res, 1);
    CU_ASSERT_EQUAL(resources_amount(&sums.shown, "ncpus", -1), 4);
    CU_ASSERT_EQUAL(resources_amount(&sums.shown, "nodect", -1), 4);
    CU_ASSERT_EQUAL(resources_amount(&sums.shown, "mem", -1), 20 * 1024);
    CU_ASSERT_EQUAL(resources_amount(&sums.shown, "walltime", -1), -1);
    resource_sums_count(&sums, &job.u.res, -1);
    resource_sums_count(&sums, &job.u.res, -1);
    CU_ASSERT_EQUAL(resources_amount(&sums.shown, "ncpus", -1), 0);
    mem = resources_find(&sums.shown, "mem");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mem);
    CU_ASSERT_STRING_EQUAL(shown(&attr_size, &mem->value), "0mb");
    resource_sums_clear(&sums);
    resources_add_flagged(&total, &job.u.res, RESOURCE_NODE);
    CU_ASSERT_PTR_NULL(resources_find(&total, "nodect"));
    CU_ASSERT_EQUAL(total.n, 2);
    resources_clear(&total);
    attr_resources.clear(&job);
}

/* Add and take away one list of a single resource. */
static void count_one(struct resource_sums *sums, const char *resource,
                      const char *text, int sign)
{
    struct attr_value v = { 0 };

    CU_ASSERT_EQUAL_FATAL(
        attr_value_set(&attr_resources, &v, defs, resource, text, SET), 0);
    resource_sums_count(sums, &v.u.res, sign);
    attr_resources.clear(&v);
}

static const char *shown_sum(const struct resource_sums *sums, const char *resource)
{
    const struct resource_value *rv = resources_find(&sums->shown, resource);

    return rv ? shown(rv->def->type, &rv->value) : "-";
}

static void test_sums_beyond_their_range_come_back(void)
{
    static const struct {
        const char *resource, *text;
        int sign;
        const char *sum;
    } steps[] = {
        { "hpm", "5", 1, "5" },
        { "hpm", "9223372036854775807", 1, "9223372036854775807" },
        { "hpm", "9223372036854775807", 1, "9223372036854775807" },
        { "hpm", "9223372036854775807", -1, "9223372036854775807" },
        { "hpm", "9223372036854775807", -1, "5" },
        { "hpm", "5", -1, "0" },
        { "hpm", "-9223372036854775807", 1, "-9223372036854775807" },
        { "hpm", "-7", 1, "-9223372036854775808" },
        { "hpm", "-9223372036854775807", -1, "-7" },
        /* The second size has no room beside the first in any unit. */
        { "vmem", "1gb", 1, "1gb" },
        { "vmem", "18446744073709551615pw", 1, "18446744073709551615kb" },
        { "vmem", "18446744073709551615pw", 1, "18446744073709551615kb" },
        { "vmem", "2gb", 1, "18446744073709551615kb" },
        { "vmem", "18446744073709551615pw", -1, "18446744073709551615kb" },
        { "vmem", "1gb", -1, "18446744073709551615kb" },
        { "vmem", "18446744073709551615pw", -1, "2097152kb" },
        { "vmem", "2gb", -1, "0kb" },
        { "vmem", "18446744073709551615pw", 1, "18446744073709551615pw" },
        { "vmem", "1kb", 1, "18446744073709551615kb" },
        { "vmem", "18446744073709551615pw", -1, "1kb" },
        /* More is taken away than was added: sums of sizes end at zero. */
        { "vmem", "2kb", -1, "0kb" },
        /* What is small beside the others is there when they have gone. */
        { "scratch", "7.5", 1, "7.5" },
        { "scratch", "1e308", 1, "70368744177671.5" },
        { "scratch", "1e308", 1, "140737488355335.5" },
        { "scratch", "0.5", 1, "140737488355336" },
        { "scratch", "1e308", -1, "70368744177672" },
        { "scratch", "7.5", -1, "70368744177664.5" },
        { "scratch", "1e308", -1, "0.5" },
        { "scratch", "0.1", 1, "0.6" },
        { "scratch", "0.5", -1, "0.1" },
        { "scratch", "0.2", 1, "0.3" },
        { "scratch", "0.1", -1, "0.2" },
        { "scratch", "0.2", -1, "0" },
        { "scratch", "-2.5", 1, "-2.5" },
        { "mpiprocs", "9223372036854775807", 1, "9223372036854775807" },
        { "mpiprocs", "1", 1, "9223372036854775807" },
    };
    struct resource_sums sums = { 0 };
    struct diag why = { 0 };

    CU_ASSERT_EQUAL_FATAL(resource_define(defs, "scratch", "float", "nh", &why), 0);
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        count_one(&sums, steps[i].resource, steps[i].text, steps[i].sign);
        CU_ASSERT_STRING_EQUAL(shown_sum(&sums, steps[i].resource), steps[i].sum);
        if (strcmp(shown_sum(&sums, steps[i].resource), steps[i].sum) != 0)
            printf("\n  step %zu: %s\n", i, shown_sum(&sums, steps[i].resource));
    }
    CU_ASSERT_EQUAL(sums.n_beyond, 1);
    resource_sums_remove(&sums, "MPIPROCS");
    CU_ASSERT_EQUAL(sums.n_beyond, 0);
    CU_ASSERT_STRING_EQUAL(shown_sum(&sums, "mpiprocs"), "-");
    CU_ASSERT_STRING_EQUAL(shown_sum(&sums, "hpm"), "-7");
    count_one(&sums, "hpm", "-9223372036854775807", 1);
    resource_sums_clear(&sums);
    CU_ASSERT_EQUAL(resource_undefine(defs, "scratch", &why), 0);
}

static void test_totals_stay_at_the_largest(void)
{
    struct attr_value v = { 0 };
    struct resources total = { 0 };

    CU_ASSERT_EQUAL(
        attr_value_set(&attr_resources, &v, defs, "hpm", "9223372036854775807", SET),
        0);
    CU_ASSERT_EQUAL(attr_value_set(&attr_resources, &v, defs, "vmem",
                                   "18446744073709551615tb", SET),
                    0);
    resources_add(&total, &v.u.res);
    attr_value_unset(&attr_resources, &v, "vmem");
    CU_ASSERT_EQUAL(attr_value_set(&attr_resources, &v, defs, "vmem", "1kb", SET), 0);
    resources_add(&total, &v.u.res);
    CU_ASSERT_EQUAL(resources_amount(&total, "hpm", 0), INT64_MAX);
    CU_ASSERT_EQUAL(resources_amount(&total, "vmem", 0), INT64_MAX);
    resources_clear(&total);
    attr_resources.clear(&v);
}

static void test_unset_and_emptied_values_are_not_shown(void)
{
    struct attr_value v = { 0 };
    struct wire_attrs out = { 0 };

    attr_value_encode(&attr_strings, &v, "Mail_Users", &out, arena);
    CU_ASSERT_EQUAL(attr_value_set(&attr_strings, &v, defs, NULL, "a", SET), 0);
    CU_ASSERT_EQUAL(attr_value_set(&attr_strings, &v, defs, NULL, "a", DECR), 0);
    CU_ASSERT_TRUE(v.set);
    attr_value_encode(&attr_strings, &v, "Mail_Users", &out, arena);
    CU_ASSERT_EQUAL(out.n, 0);
    CU_ASSERT_EQUAL(attr_value_set(&attr_strings, &v, defs, NULL, "a,b", SET), 0);
    attr_value_encode(&attr_strings, &v, "Mail_Users", &out, arena);
    CU_ASSERT_EQUAL_FATAL(out.n, 1);
    CU_ASSERT_STRING_EQUAL(out.v[0].value, "a,b");
    attr_value_unset(&attr_strings, &v, NULL);
    CU_ASSERT_PTR_NULL(attr_value_text(&attr_strings, &v, arena));
    CU_ASSERT_PTR_EQUAL(attr_type_find("user ACL"), &attr_acl_user);
    CU_ASSERT_PTR_NULL(attr_type_find("nosuch"));
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "booleans are exactly the known words", test_booleans },
        { "numbers are whole texts", test_numbers },
        { "sizes are kept as written and added in a common unit", test_sizes },
        { "durations are weighted by 60 and have no sign", test_durations },
        { "texts, holds and states follow their letters and words", test_texts },
        { "lists split at commas that nothing protects", test_lists },
        { "access lists are kept in the order of evaluation",
          test_access_lists_are_kept_in_their_order },
        { "long lists are kept in their order", test_long_lists },
        { "a refused list changes nothing", test_a_refused_list_changes_nothing },
        { "entity limits are a map by key", test_entity_limits },
        { "every limit is found by its key", test_every_limit_is_found_by_its_key },
        { "limits of resources are shown by entity",
          test_limits_of_resources_are_shown_by_entity },
        { "limits of many resources", test_limits_of_many_resources },
        { "an emptied list holds nothing", test_an_emptied_list_holds_nothing },
        { "resource lists check each member by its type", test_resource_lists },
        { "accumulated resources come back to zero",
          test_accumulated_resources_come_back_to_zero },
        { "sums beyond their range come back", test_sums_beyond_their_range_come_back },
        { "totals stay at the largest", test_totals_stay_at_the_largest },
        { "unset and emptied values are not shown",
          test_unset_and_emptied_values_are_not_shown },
    };
    int status;

    defs = resource_defs_new();
    arena = arena_new();
    status = unit_main("attr values", cases, ARRAY_LEN(cases));
    arena_free(arena);
    resource_defs_free(defs);
    return status;
}
