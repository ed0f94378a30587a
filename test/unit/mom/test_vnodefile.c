/* Unit tests of version-2 vnode files and of the job's environment.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/environ.h"
#include "mom/shell/vnodefile.h"

#include "lib/base/buf.h"

#include "../unit.h"

#include <stdio.h>
#include <string.h>

static char said[512];

static void complain(void *arg, const char *words)
{
    (void)arg;
    snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s|", words);
}

static bool read_text(const char *text, struct vnode_list *list)
{
    said[0] = '\0';
    return vnode_file_read(text, strlen(text), list, NULL, complain);
}

static void test_definitions_are_read(void)
{
    struct vnode_list list = { .arena = arena_new() };

    CU_ASSERT(vnode_file_is_one("$configversion 2\n"));
    CU_ASSERT_FALSE(vnode_file_is_one("$configversion 22\n"));
    CU_ASSERT_FALSE(vnode_file_is_one("$logevent 511\n"));
    CU_ASSERT(read_text("$configversion 2\n"
                        "n1: resources_available.ncpus = 0\n"
                        "\n"
                        "n1[0] : resources_available.ncpus=4\n"
                        "n1[0]: resources_available.color = red blue type = string\n"
                        "n1[0]: sharing = default_excl\n",
                        &list));
    CU_ASSERT_EQUAL_FATAL(list.n, 2);
    CU_ASSERT_STRING_EQUAL(list.v[1].name, "n1[0]");
    CU_ASSERT_EQUAL(list.v[1].n, 3);
    CU_ASSERT_STRING_EQUAL(list.v[1].attrs[1].value, "red blue");
    CU_ASSERT_EQUAL(list.v[1].attrs[1].type, 3);
    CU_ASSERT(
        read_text("$configversion 2\nn1[0]: resources_available.ncpus = 8\n", &list));
    CU_ASSERT_EQUAL(list.n, 2);
    CU_ASSERT_STRING_EQUAL(list.v[1].attrs[0].value, "8"); /* the later file wins */
    arena_free(list.arena);
}

static void test_wrong_lines_discard_the_file(void)
{
    static const struct {
        const char *line, *words;
    } cases[] = {
        { "n1 resources_available.ncpus = 1\n", "line 2:  missing ':'|" },
        { ": a = 1\n", "line 2:  no vnode id|" },
        { "n1: a 1\n", "line 2:  missing '='|" },
        { "n1: a b = 1\n", "line 2:  missing '='|" },
        { "n1: a\tb = 1\n", "line 2:  missing '='|" },
        { "n1: = 1\n", "line 2:  no attribute name|" },
        { "n1: a =\n", "line 2:  no attribute value|" },
        { "n1: a = b=c\n", "line 2:  illegal char '=' in value|" },
        { "n1: a = b kind = long\n", "line 2:  invalid keyword 'kind'|" },
        { "n1: a = b type = real\n", "line 2: invalid type 'real'|" },
        { "n,1: a = b\n", "invalid character in vnode name \"n,1\"|" },
        { "n1: a = b", "line 2 not newline-terminated|" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct vnode_list list = { .arena = arena_new() };
        char text[256];

        snprintf(text, sizeof(text), "$configversion 2\n%s", cases[i].line);
        CU_ASSERT_FALSE(read_text(text, &list));
        CU_ASSERT_STRING_EQUAL(said, cases[i].words);
        CU_ASSERT_EQUAL(list.n, 0);
        arena_free(list.arena);
    }
}

/* Without their files vnodes stay until a restart; what files say counts first. */
static void test_vnodes_add_up(void)
{
    struct vnode_list old = { .arena = arena_new() };
    struct vnode_list now = { .arena = arena_new() };

    CU_ASSERT(read_text("$configversion 2\nhost: a = 1\nn2: a = 2\nn1: a = 3\n"
                        "n1: b = 4\nn3: a = 5\n",
                        &old));
    CU_ASSERT(read_text("$configversion 2\nn3: a = 6\nn4: a = 7\n", &now));
    vnode_list_keep(&now, &old, "host");
    arena_free(old.arena); /* nothing of it is kept */
    CU_ASSERT_EQUAL_FATAL(now.n, 4);
    CU_ASSERT_STRING_EQUAL(now.v[0].name, "n3");
    CU_ASSERT_STRING_EQUAL(now.v[0].attrs[0].value, "6");
    CU_ASSERT_STRING_EQUAL(now.v[1].name, "n4");
    CU_ASSERT_STRING_EQUAL(now.v[2].name, "n2");
    CU_ASSERT_STRING_EQUAL(now.v[3].name, "n1");
    CU_ASSERT_EQUAL(now.v[3].n, 2);
    CU_ASSERT_STRING_EQUAL(now.v[3].attrs[1].value, "4");
    arena_free(now.arena);
}

/* A host that jobs have alone is so in all that is said of it. */
static void test_sharing_is_one_of_a_host(void)
{
    static const struct {
        const char *lines, *words; /* NULL: it may be */
    } rows[] = {
        { "a: sharing = default_shared\nb: sharing = force_excl\n", NULL },
        { "a: sharing = default_exclhost\nb: sharing = default_exclhost\n", NULL },
        { "a: sharing = default_exclhost\nb: x = 1\n", NULL },
        { "a: sharing = default_shared\nb: sharing = default_exclhost\n"
          "b: resources_available.host = h2\n",
          NULL },
        { "a: sharing = default_exclhost\nb: sharing = default_shared\n",
          "It is erroneous to mix sharing=default_shared for vnode b with "
          "sharing=default_exclhost which is set for other vnodes on host h1" },
        { "a: sharing = ignore_excl\nb: sharing = force_exclhost\n",
          "It is erroneous to mix sharing=ignore_excl for vnode a with "
          "sharing=force_exclhost which is set for other vnodes on host h1" },
        { "a: sharing = force_exclhost\nb: sharing = default_exclhost\n"
          "a: resources_available.host = h2\nb: resources_available.host = h2\n",
          "It is erroneous to mix sharing=default_exclhost for vnode b with "
          "sharing=force_exclhost which is set for other vnodes on host h2" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct vnode_list list = { .arena = arena_new() };
        char text[512];
        const char *got;

        snprintf(text, sizeof(text), "$configversion 2\n%s", rows[i].lines);
        CU_ASSERT(read_text(text, &list));
        got = vnode_list_mixed_sharing(&list, "h1");
        CU_ASSERT_EQUAL(got == NULL, rows[i].words == NULL);
        if (got && rows[i].words)
            CU_ASSERT_STRING_EQUAL(got, rows[i].words);
        arena_free(list.arena);
    }
}

/* Lines of one vnode need not stand together, and no vnode is there twice. */
static void test_many_vnodes_are_told_apart(void)
{
    enum {
        N = 5000
    };
    struct vnode_list list = { .arena = arena_new() };
    struct buf text = { 0 };

    buf_add_str(&text, "$configversion 2\n");
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < N; i++)
            buf_printf(&text, "n1[%d]: resources_available.%s = %d\n", i,
                       round ? "ncpus" : "mem", i + round);
    CU_ASSERT_FATAL(read_text(text.data, &list));
    CU_ASSERT_EQUAL_FATAL(list.n, N);
    for (int i = 0; i < N; i++) {
        char name[32], value[32];

        snprintf(name, sizeof(name), "n1[%d]", i);
        snprintf(value, sizeof(value), "%d", i + 2);
        CU_ASSERT_STRING_EQUAL(list.v[i].name, name);
        CU_ASSERT_EQUAL_FATAL(list.v[i].n, 2);
        CU_ASSERT_STRING_EQUAL(list.v[i].attrs[1].value, value);
    }
    buf_fini(&text);
    arena_free(list.arena);
}

static void test_environment_lists(void)
{
    struct environment e = { .arena = arena_new() };

    environment_add_list(&e, "A=1,B=x\\,y,C,D=a=b,A=2");
    CU_ASSERT_EQUAL_FATAL(e.n, 3);
    CU_ASSERT_STRING_EQUAL(e.v[0], "A=2");
    CU_ASSERT_STRING_EQUAL(e.v[1], "B=x,y");
    CU_ASSERT_STRING_EQUAL(e.v[2], "D=a=b");
    environment_set(&e, "B", "z");
    environment_fini(&e);
    CU_ASSERT_STRING_EQUAL(e.v[1], "B=z");
    CU_ASSERT_PTR_NULL(e.v[3]);
    arena_free(e.arena);
}

static const struct unit_case cases[] = {
    { "definitions are read and merged", test_definitions_are_read },
    { "a wrong line discards its file", test_wrong_lines_discard_the_file },
    { "a host that jobs have alone is so on all its vnodes",
      test_sharing_is_one_of_a_host },
    { "many vnodes are told apart", test_many_vnodes_are_told_apart },
    { "vnodes that files do not name any more are kept", test_vnodes_add_up },
    { "variable lists become an environment", test_environment_lists },
};

int main(void)
{
    return unit_main("mom/vnodefile", cases, ARRAY_LEN(cases));
}
