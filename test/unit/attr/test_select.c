/* Unit tests of select, place, schedselect, exec_vnode and the older forms of a request
 * (attributes.md 7, 8, 11; reservations.md 13.5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/row.h"
#include "lib/attr/select.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

static struct resource_defs *defs;
static struct arena *arena;

static void fill(struct attr_value *v, const char *const pairs[][2], size_t n)
{
    *v = (struct attr_value){ .set = true };
    for (size_t i = 0; i < n; i++)
        CU_ASSERT_EQUAL(attr_value_set(&attr_resources, v, defs, pairs[i][0],
                                       pairs[i][1], WIRE_OP_SET),
                        0);
}

static void test_select_is_parsed(void)
{
    static const struct {
        const char *text;
        size_t n;
        int64_t count; /* of the first chunk */
        bool counted;
        const char *name, *value; /* its first resource */
    } cases[] = {
        { "5", 1, 5, true, NULL, NULL },
        { "2:ncpus=1+1", 2, 2, true, "ncpus", "1" },
        { "ncpus=2", 1, 1, false, "ncpus", "2" },
        { "  3:NCPUS=2:mem=1gb", 1, 3, true, "NCPUS", "2" },
        { "1:arch=\"a+b:c\"", 1, 1, true, "arch", "a+b:c" },
        { "1:arch='say \"x\"'", 1, 1, true, "arch", "say \"x\"" },
        { "0:ncpus=1+1:ncpus=1", 2, 0, true, "ncpus", "1" },
        { "1:host=a*b", 1, 1, true, "host", "a*b" },
    };
    struct select sel;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CU_ASSERT_EQUAL_FATAL(select_parse(cases[i].text, defs, arena, &sel, NULL), 0);
        CU_ASSERT_EQUAL(sel.n, cases[i].n);
        CU_ASSERT_EQUAL(sel.chunks[0].count, cases[i].count);
        CU_ASSERT_EQUAL(sel.chunks[0].counted, cases[i].counted);
        CU_ASSERT_EQUAL(sel.chunks[0].n > 0, cases[i].name != NULL);
        if (!cases[i].name)
            continue;
        CU_ASSERT_STRING_EQUAL(sel.chunks[0].res[0].name, cases[i].name);
        CU_ASSERT_STRING_EQUAL(sel.chunks[0].res[0].value, cases[i].value);
    }
}

static void test_bad_selects_are_refused(void)
{
#define ILLEGAL "Illegal attribute or resource value"
    static const struct {
        const char *text;
        bool grammar; /* refused without definitions too */
        int code;
        const char *words;
    } cases[] = {
        { "", true, 15014, ILLEGAL },
        { "1:", true, 15014, ILLEGAL },
        { "1:ncpus", true, 15014, ILLEGAL },
        { "1:ncpus=", true, 15014, ILLEGAL },
        { "1+", true, 15014, ILLEGAL },
        { "+1", true, 15014, ILLEGAL },
        { "-1:ncpus=1", true, 15014, ILLEGAL },
        { "xx:ncpus=1", true, 15014, ILLEGAL },
        { "1:arch=\"a", true, 15014, ILLEGAL },
        { "99999999999:ncpus=1", true, 15014, ILLEGAL },
        { "0", false, 15014, ILLEGAL },
        { "0:ncpus=1", false, 15014, ILLEGAL },
        { "1:ncpus=x", false, 15014, ILLEGAL },
        { "1:ncpus=-1", false, 15014, ILLEGAL },
        { "1:ncpus=1.5", false, 15014, ILLEGAL },
        { "1:mem=5x", false, 15014, ILLEGAL },
        { "1:accelerator=yes", false, 15014, ILLEGAL },
        { "2000000000:mem=9999999999pb", false, 15014, ILLEGAL },
        { "2:ncpus=9223372036854775807", false, 15014, ILLEGAL },
        { "1:ncpus=9223372036854775807+1:ncpus=1", false, 15014, ILLEGAL },
        { "1:nosuch=1", false, 15035, "Unknown resource: nosuch" },
        { "1:walltime=3", false, 15108,
          "Resource invalid in \"select\" specification: walltime" },
        { "1:software=x", false, 15108,
          "Resource invalid in \"select\" specification: software" },
        { "1:ncpus=1:NCPUS=2", false, 15116,
          "duplicated resource within a section of a select specification, resource "
          "is: "
          "NCPUS" },
        { "1:aoe=a+1:aoe=b", false, 15155, NULL },
        { "1:aoe=a+1:ncpus=1", false, 15155, NULL },
    };
    struct select sel;
    struct diag why;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CU_ASSERT_EQUAL(select_parse(cases[i].text, defs, arena, &sel, &why),
                        cases[i].code);
        if (cases[i].words)
            CU_ASSERT_STRING_EQUAL(why.text, cases[i].words);
        CU_ASSERT_EQUAL(select_parse(cases[i].text, NULL, arena, &sel, NULL),
                        cases[i].grammar ? cases[i].code : 0);
    }
}

static void test_schedselect_makes_defaults_explicit(void)
{
    static const char *const ncpus1[][2] = { { "ncpus", "1" } };
    static const char *const nchunk4[][2] = { { "ncpus", "1" }, { "nchunk", "4" } };
    static const char *const none[1][2];
    static const struct {
        const char *select;
        const char *const (*defaults)[2];
        size_t n_defaults;
        const char *schedselect;
    } cases[] = {
        { "2", ncpus1, 1, "2:ncpus=1" },
        { "2:mem=1gb", ncpus1, 1, "2:mem=1gb:ncpus=1" },
        { "NCPUS=3", ncpus1, 1, "1:NCPUS=3" },
        { "1:mem=100m:vmem=5", none, 0, "1:mem=100mb:vmem=5b" },
        { "1:mem=5kw", none, 0, "1:mem=5kw" },
        { "1:accelerator=t", none, 0, "1:accelerator=True" },
        { "1:arch='a+b'", none, 0, "1:arch=\"a+b\"" },
        { "1:arch='a\"b'", none, 0, "1:arch='a\"b'" },
        { "ncpus=1+2:ncpus=1", nchunk4, 2, "4:ncpus=1+2:ncpus=1" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct select sel;
        struct attr_value defaults;

        fill(&defaults, cases[i].defaults, cases[i].n_defaults);
        CU_ASSERT_EQUAL_FATAL(select_parse(cases[i].select, defs, arena, &sel, NULL),
                              0);
        CU_ASSERT_STRING_EQUAL(select_to_schedselect(&sel, &defaults.u.res, arena),
                               cases[i].schedselect);
        attr_resources.clear(&defaults);
    }
}

static void test_sums_count_every_chunk(void)
{
    static const struct {
        const char *select, *sums;
    } cases[] = {
        { "2:ncpus=2+1:ncpus=1", "ncpus=5,nodect=3" },
        { "3:mem=100mb:ncpus=1", "mem=300mb,ncpus=3,nodect=3" },
        { "1:mem=1gb+1:mem=1mb", "mem=1025mb,nodect=2" },
        { "2:ncpus=2:mpiprocs=4:ompthreads=3", "mpiprocs=8,ncpus=4,nodect=2" },
        { "3:fl=1.5", "fl=4.5,nodect=3" },
        { "0:ncpus=7+1:ncpus=1", "ncpus=1,nodect=1" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct select sel;
        struct attr_value v = { .set = true };

        CU_ASSERT_EQUAL_FATAL(select_parse(cases[i].select, defs, arena, &sel, NULL),
                              0);
        select_sum(&sel, defs, &v.u.res);
        select_sum(&sel, defs, &v.u.res); /* replaces, never adds */
        CU_ASSERT_STRING_EQUAL(attr_value_text(&attr_resources, &v, arena),
                               cases[i].sums);
        attr_resources.clear(&v);
    }
}

static void test_a_subset_has_fewer_of_the_same_chunks_in_order(void)
{
#define ORIGINAL "2:ncpus=2+2:ncpus=1:mem=100mb"
    static const struct {
        const char *wanted, *original;
        bool subset;
    } cases[] = {
        { "1:ncpus=2+2:ncpus=1:mem=100mb", ORIGINAL, true },
        { "1:ncpus=1:mem=100mb", ORIGINAL, true },
        { "ncpus=2", ORIGINAL, true },
        { "1:ncpus=2", ORIGINAL, true },
        { ORIGINAL, ORIGINAL, true },
        { "3:ncpus=2", ORIGINAL, false },
        { "1:ncpus=3", ORIGINAL, false },
        { "1:ncpus=1:mem=100mb+1:ncpus=2", ORIGINAL, false },
        { ORIGINAL "+1:ncpus=2", ORIGINAL, false },
        { "1:mem=100mb:ncpus=1", ORIGINAL, false },
        { "1:ncpus=2+1:ncpus=2", ORIGINAL, false },
        { "0:ncpus=2", ORIGINAL, false },
        { "", ORIGINAL, false },
        { "1:ncpus=1", "1:ncpus=12", false },
        { "1:arch=\"a+b\"", "2:arch=\"a+b\"", true },
        { "1:ncpus=2+1:ncpus=2", "1:ncpus=2+1:ncpus=2", true },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        CU_ASSERT_EQUAL(schedselect_is_subset(cases[i].wanted, cases[i].original),
                        cases[i].subset);
}

static void test_place_takes_one_word_of_each_set(void)
{
    static const struct {
        const char *text;
        int code;
        enum place_arrange arrange;
        enum place_share share;
        const char *group;
    } cases[] = {
        { "free", 0, PLACE_FREE, PLACE_SHARED, NULL },
        { "Scatter:EXCL", 0, PLACE_SCATTER, PLACE_EXCL, NULL },
        { "exclhost:vscatter", 0, PLACE_VSCATTER, PLACE_EXCLHOST, NULL },
        { "pack:group=host", 0, PLACE_PACK, PLACE_SHARED, "host" },
        { "shared", 0, PLACE_FREE, PLACE_SHARED, NULL },
        { "", 15014, 0, 0, NULL },
        { "scat", 15014, 0, 0, NULL },
        { "share", 15014, 0, 0, NULL },
        { "exclh", 15014, 0, 0, NULL },
        { "free:", 15014, 0, 0, NULL },
        { "free:pack", 15014, 0, 0, NULL },
        { "excl:shared", 15014, 0, 0, NULL },
        { "group=", 15014, 0, 0, NULL },
        { "group=a b", 15014, 0, 0, NULL },
        { "nowhere", 15014, 0, 0, NULL },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct place p = { 0 };

        CU_ASSERT_EQUAL(place_parse(cases[i].text, arena, &p, NULL), cases[i].code);
        CU_ASSERT_EQUAL(p.arrange, cases[i].arrange);
        CU_ASSERT_EQUAL(p.share, cases[i].share);
        CU_ASSERT_TRUE(str_same(p.group, cases[i].group));
    }
}

static void test_exec_vnode_is_parsed_and_printed(void)
{
    static const struct {
        const char *text, *printed;
        size_t chunks;
    } cases[] = {
        { "(vn:ncpus=1:mem=1gb+vn2:ncpus=1)+(vn3:ncpus=2)",
          "(vn:ncpus=1:mem=1gb+vn2:ncpus=1)+(vn3:ncpus=2)", 2 },
        { "vn[0]:ncpus=2+vn[1]:ncpus=1", "(vn[0]:ncpus=2)+(vn[1]:ncpus=1)", 2 },
        { "pbs1", "(pbs1)", 1 },
        { "(a:ncpus=1)+(b:ncpus=1)+(c:ncpus=1)+(d:ncpus=1)+(e:ncpus=1)",
          "(a:ncpus=1)+(b:ncpus=1)+(c:ncpus=1)+(d:ncpus=1)+(e:ncpus=1)", 5 },
        { "(a:arch=\"x(y)\")", "(a:arch=\"x(y)\")", 1 },
        { "(a:arch='x\ny')", "(a:arch=\"x\ny\")", 1 },
        { "(a:arch=\"\"')')", "(a:arch=\")\")", 1 },
        { "(a:arch='\"'\"'\"+b:ncpus=1)", "(a:arch='\"'\"'\"+b:ncpus=1)", 1 },
    };
    static const char *const bad[] = {
        "",       "(",           "()",       "(pbs1:ncpus=1", "pbs1:ncpus=1)",
        "(a)+",   "+(a)",        "(a)(b)",   "(a:ncpus)",     "(a:ncpus=)",
        "((a))",  "(a:ncpus=x)", "a b",      "(a+)",          "(a:ncpus=-1)",
        "(a:=1)", "(a)+()",      ":ncpus=1",
    };
    struct exec_vnode ev;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CU_ASSERT_EQUAL_FATAL(exec_vnode_parse(cases[i].text, defs, arena, &ev, NULL),
                              0);
        CU_ASSERT_EQUAL(ev.n, cases[i].chunks);
        CU_ASSERT_STRING_EQUAL(exec_vnode_print(&ev, arena), cases[i].printed);
    }
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        CU_ASSERT_EQUAL(exec_vnode_parse(bad[i], defs, arena, &ev, NULL), 15014);
    CU_ASSERT_EQUAL(exec_vnode_parse("(a:nosuch=1)", defs, arena, &ev, NULL), 15035);
    CU_ASSERT_EQUAL(exec_vnode_parse("(a:nosuch=1)", NULL, arena, &ev, NULL), 0);
}

static void test_exec_vnode_amounts(void)
{
    struct exec_vnode ev;
    struct attr_value sum = { .set = true };

    CU_ASSERT_EQUAL_FATAL(
        exec_vnode_parse("(vn:ncpus=1:mem=10240kb+w:ncpus=2)+(vn:ncpus=4:mem=1mb)",
                         NULL, arena, &ev, NULL),
        0);
    CU_ASSERT_EQUAL(exec_vnode_amount(&ev, "vn", "ncpus"), 5);
    CU_ASSERT_EQUAL(exec_vnode_amount(&ev, NULL, "NCPUS"), 7);
    CU_ASSERT_EQUAL(exec_vnode_amount(&ev, "vn", "mem"), 11264);
    CU_ASSERT_EQUAL(exec_vnode_amount(&ev, "x", "mem"), 0);
    CU_ASSERT_TRUE(exec_vnode_has(&ev, "w"));
    CU_ASSERT_FALSE(exec_vnode_has(&ev, "x"));
    CU_ASSERT_EQUAL_FATAL(
        exec_vnode_parse("(vn:ncpus=1:mem=10240kb+w:ncpus=2)+(vn:ncpus=4:mem=1mb)",
                         defs, arena, &ev, NULL),
        0);
    exec_vnode_sum(&ev, "vn", &sum.u.res);
    CU_ASSERT_STRING_EQUAL(attr_value_text(&attr_resources, &sum, arena),
                           "mem=11264kb,ncpus=5");
    attr_resources.clear(&sum);
}

static void test_older_forms_become_select_and_place(void)
{
    static const struct {
        const char *pairs[3][2];
        size_t n;
        int code;
        const char *select, *place;
    } cases[] = {
        { { { "ncpus", "3" }, { "mem", "2gb" } }, 2, 0, "1:mem=2gb:ncpus=3", "pack" },
        { { { "arch", "a+b" }, { "ncpus", "1" } },
          2,
          0,
          "1:arch=\"a+b\":ncpus=1",
          "pack" },
        { { { "walltime", "5" } }, 1, 0, "1", "pack" },
        { { { NULL, NULL } }, 0, 0, "1:ncpus=1", "pack" },
        { { { "nodes", "2" } }, 1, 0, "2:ncpus=1", "scatter" },
        { { { "nodes", "2#excl" } }, 1, 0, "2:ncpus=1", "scatter:excl" },
        { { { "nodes", "2#shared" } }, 1, 0, "2:ncpus=1", "scatter:shared" },
        { { { "nodes", "2:ppn=3" } }, 1, 0, "2:ncpus=3:mpiprocs=3", "scatter" },
        { { { "nodes", "2:ppn=2:cpp=2" } }, 1, 0, "2:ncpus=4:mpiprocs=2", "scatter" },
        { { { "nodes", "h1:ppn=2+2" } },
          1,
          0,
          "1:ncpus=2:host=h1:mpiprocs=2+2:ncpus=1",
          "scatter" },
        { { { "nodes", "1:accelerator" } },
          1,
          0,
          "1:ncpus=1:accelerator=True",
          "scatter" },
        { { { "nodes", "2" }, { "ncpus", "4" } }, 2, 0, "2:ncpus=2", "scatter" },
        { { { "nodes", "2:ppn=2" }, { "ncpus", "8" } },
          2,
          0,
          "2:ncpus=4:mpiprocs=2",
          "scatter" },
        { { { "nodes", "2" }, { "mem", "4gb" } },
          2,
          0,
          "2:ncpus=1:mem=2097152KB",
          "scatter" },
        { { { "nodes", "2" }, { "ncpus", "3" } }, 2, 15014, NULL, NULL },
        { { { "nodes", "1:mem=3gb" } }, 1, 15089, NULL, NULL },
        { { { "nodes", "2:ppn=0" } }, 1, 15089, NULL, NULL },
        { { { "nodes", "0" } }, 1, 15089, NULL, NULL },
        { { { "nodes", "2:foo" } }, 1, 15108, NULL, NULL },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct attr_value v;
        const char *select = NULL, *place = NULL;

        fill(&v, cases[i].pairs, cases[i].n);
        CU_ASSERT_EQUAL(select_from_resources(&v.u.res, &v.u.res, defs, true, arena,
                                              &select, &place, NULL),
                        cases[i].code);
        CU_ASSERT_TRUE(str_same(select, cases[i].select));
        CU_ASSERT_TRUE(str_same(place, cases[i].place));
        attr_resources.clear(&v);
    }
    CU_ASSERT_FALSE(nodes_is_valid("-1"));
    CU_ASSERT_FALSE(nodes_is_valid("2*"));
    CU_ASSERT_FALSE(nodes_is_valid(""));
    CU_ASSERT_FALSE(nodes_is_valid("2+"));
    CU_ASSERT_FALSE(nodes_is_valid("2#other"));
}

static void test_a_default_ncpus_is_not_divided(void)
{
    static const char *const pairs[][2] = { { "nodes", "2" }, { "ncpus", "1" } };
    struct attr_value v;
    const char *select = NULL, *place = NULL;

    fill(&v, pairs, 2);
    CU_ASSERT_EQUAL(
        select_from_resources(&v.u.res, NULL, defs, true, arena, &select, &place, NULL),
        0);
    CU_ASSERT_STRING_EQUAL(select, "2:ncpus=1");
    attr_resources.clear(&v);
}

static void test_users_cannot_ask_for_what_is_kept_from_them(void)
{
    struct select sel;
    struct diag why;

    CU_ASSERT_EQUAL_FATAL(select_parse("1:ro=1+1", defs, arena, &sel, NULL), 0);
    CU_ASSERT_TRUE(select_has_bare_chunk(&sel));
    CU_ASSERT_EQUAL(select_check_writer(&sel, WHO_USER, &why), 15108);
    CU_ASSERT_STRING_EQUAL(why.text,
                           "Resource invalid in \"select\" specification: ro");
    CU_ASSERT_EQUAL(select_check_writer(&sel, WHO_USER | WHO_MANAGER, &why), 0);
}

/* Each text costs a few times its length, however many values are in it: the entry of a
 * pair is longer than the shortest pair. */
static void test_long_texts_take_little(void)
{
    static const char *const pairs[] = { "a=1:", "abcdefgh='1,2+3'\"x\":" };

    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        struct arena *own = arena_new();
        struct buf text = { 0 };
        struct select sel;
        struct exec_vnode ev;

        buf_add_str(&text, "1:");
        while (text.len < 100000)
            buf_add_str(&text, pairs[i]);
        buf_add_str(&text, "z=1");
        CU_ASSERT_EQUAL(select_parse(text.data, NULL, own, &sel, NULL), 0);
        CU_ASSERT_TRUE(arena_used_bytes(own) < 40 * text.len);
        arena_clear(own);
        CU_ASSERT_EQUAL(exec_vnode_parse(text.data, NULL, own, &ev, NULL), 0);
        CU_ASSERT_TRUE(arena_used_bytes(own) < 40 * text.len);
        buf_fini(&text);
        arena_free(own);
    }
}

/* As a whole number, without leaving the range of one. */
static void test_floats_of_any_size_have_an_amount(void)
{
    static const struct {
        const char *text;
        int64_t expect;
    } cases[] = {
        { "1e300", INT64_MAX },
        { "-1e300", INT64_MIN },
        { "9223372036854775808", INT64_MAX },
        { "1e15", 1000000000000000 },
        { "-1.5", -1 },
    };
    const struct resource_def *def = resource_find(defs, "fl");

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct resources r = { 0 };

        CU_ASSERT_EQUAL(
            resource_decode(def, defs, resources_member(&r, def), cases[i].text), 0);
        CU_ASSERT_EQUAL(resources_amount(&r, "fl", 0), cases[i].expect);
        resources_clear(&r);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "select is parsed", test_select_is_parsed },
        { "bad selects are refused", test_bad_selects_are_refused },
        { "schedselect makes defaults explicit",
          test_schedselect_makes_defaults_explicit },
        { "sums count every chunk", test_sums_count_every_chunk },
        { "a subset has fewer of the same chunks in order",
          test_a_subset_has_fewer_of_the_same_chunks_in_order },
        { "place takes one word of each set", test_place_takes_one_word_of_each_set },
        { "exec_vnode is parsed and printed", test_exec_vnode_is_parsed_and_printed },
        { "exec_vnode amounts are sums by vnode", test_exec_vnode_amounts },
        { "older forms become select and place",
          test_older_forms_become_select_and_place },
        { "a default ncpus is not divided", test_a_default_ncpus_is_not_divided },
        { "users cannot ask for what is kept from them",
          test_users_cannot_ask_for_what_is_kept_from_them },
        { "long texts take little", test_long_texts_take_little },
        { "floats of any size have an amount", test_floats_of_any_size_have_an_amount },
    };
    int status;

    defs = resource_defs_new();
    arena = arena_new();
    if (resource_define(defs, "fl", "float", "hn", NULL) ||
        resource_define(defs, "ro", "long", "hr", NULL))
        return 2;
    status = unit_main("attr select", cases, ARRAY_LEN(cases));
    arena_free(arena);
    resource_defs_free(defs);
    return status;
}
