/* test_list_edit.c - lists that many operations change at once, texts that lose parts,
 * and how much is too much.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/bounds.h"
#include "lib/attr/list_edit.h"
#include "lib/base/rnd.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 4000
#define MOST   64

static struct arena *arena;

static const char *shown(const struct attr_type *type, const struct attr_value *v)
{
    const char *text = attr_value_text(type, v, arena);

    return text ? text : "-";
}

/* One operation after the other, as simply as can be. */

struct naive {
    size_t n;
    const char *v[MOST * 4];
};

static void naive_take_away(struct naive *l, const char *text)
{
    for (size_t i = 0; i < l->n; i++) {
        if (strcmp(l->v[i], text) != 0)
            continue;
        memmove(&l->v[i], &l->v[i + 1], (l->n - i - 1) * sizeof(l->v[0]));
        l->n--;
        return;
    }
}

static bool naive_has(const struct naive *l, const char *text)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->v[i], text) == 0)
            return true;
    return false;
}

/* False when a text comes twice where it may not. */
static bool naive_apply(struct naive *l, enum wire_op op, const char *const *texts,
                        size_t n, bool ordered)
{
    if (op != WIRE_OP_INCR && op != WIRE_OP_DECR)
        l->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (op == WIRE_OP_DECR) {
            naive_take_away(l, texts[i]);
            continue;
        }
        if (ordered && naive_has(l, texts[i]))
            return false;
        l->v[l->n++] = texts[i];
    }
    return true;
}

static const char *joined(const char *const *texts, size_t n)
{
    const char *all = "";

    for (size_t i = 0; i < n; i++)
        all = arena_printf(arena, "%s%s%s", all, i ? "," : "", texts[i]);
    return all;
}

/* What an ordered type makes of these members. */
static const char *in_order(const struct attr_type *type, const struct naive *l)
{
    struct attr_value v = { 0 };
    const char *text;
    int err = attr_value_set(type, &v, NULL, NULL, joined(l->v, l->n), WIRE_OP_SET);

    CU_ASSERT_EQUAL(err, 0);
    text = shown(type, &v);
    type->clear(&v);
    return text;
}

static size_t some_texts(struct rnd *r, const char **texts)
{
    static const char *const words[] = { "a", "b", "+a", "-b", "c@h", "a@h", "@" };
    size_t n = (size_t)rnd_range(r, 0, 4);

    for (size_t i = 0; i < n; i++)
        texts[i] = words[rnd_range(r, 0, (int64_t)ARRAY_LEN(words) - 1)];
    return n;
}

static void one_round(const struct attr_type *type, uint64_t seed)
{
    bool ordered = type->list->by_order != NULL;
    struct rnd r = rnd_seeded(seed);
    struct naive want = { 0 }, first;
    struct attr_value v = { 0 };
    struct list_edit *l;
    size_t failed_at = SIZE_MAX, when = SIZE_MAX, n;
    const char *texts[8];
    int err;

    n = some_texts(&r, texts);
    while (!naive_apply(&want, WIRE_OP_SET, texts, n, ordered))
        n = some_texts(&r, texts);
    CU_ASSERT_EQUAL(attr_value_set(type, &v, NULL, NULL, joined(texts, n), WIRE_OP_SET),
                    0);
    first = want;
    l = list_edit_begin(type, &v);
    for (size_t i = 1; i <= 8; i++) {
        static const enum wire_op ops[] = { WIRE_OP_INCR, WIRE_OP_DECR, WIRE_OP_DECR,
                                            WIRE_OP_SET };
        enum wire_op op = ops[rnd_range(&r, 0, rnd_percent(&r, 20) ? 3 : 1)];
        struct attr_value other = { 0 };

        do {
            n = some_texts(&r, texts);
            err = attr_value_set(op == WIRE_OP_DECR ? &attr_strings : type, &other,
                                 NULL, NULL, joined(texts, n), WIRE_OP_SET);
        } while (err);
        list_edit_apply(l, &other, op, i);
        if (failed_at == SIZE_MAX && !naive_apply(&want, op, texts, n, ordered))
            failed_at = i;
    }
    err = list_edit_end(l, &v, &when);
    CU_ASSERT_EQUAL(err, failed_at == SIZE_MAX ? 0 : PBSE_DUPLIST);
    CU_ASSERT_EQUAL(when, failed_at);
    if (failed_at != SIZE_MAX)
        want = first;
    CU_ASSERT_STRING_EQUAL(shown(type, &v),
                           ordered ? in_order(type, &want) : joined(want.v, want.n));
    /* It is a list like any other. */
    if (attr_value_set(type, &v, NULL, NULL, "zz", WIRE_OP_INCR) == 0)
        CU_ASSERT_PTR_NOT_NULL(strstr(shown(type, &v), "zz"));
    type->clear(&v);
}

static void test_gathered_operations_do_what_each_would_do(void)
{
    static const struct attr_type *const types[] = { &attr_strings, &attr_acl_user,
                                                     &attr_acl_host, &attr_acl_group };

    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        one_round(types[seed % ARRAY_LEN(types)], seed);
        arena_clear(arena);
    }
}

/* Texts. */

static const char *naive_subtract(const char *text, const char *less)
{
    char *left = arena_strdup(arena, text);
    size_t len = strlen(left), gone = strlen(less);

    for (size_t at = len; gone <= len && at-- > 0;) {
        if (strncmp(left + at, less, gone) != 0)
            continue;
        memmove(left + at, left + at + gone, len - at - gone + 1);
        len -= gone;
    }
    return len ? left : "-";
}

static const char *some_text(struct rnd *r, int64_t most)
{
    size_t n = (size_t)rnd_range(r, 1, most);
    char *text = arena_alloc(arena, n + 1);

    for (size_t i = 0; i < n; i++)
        text[i] = rnd_percent(r, 60) ? 'a' : 'b';
    text[n] = '\0';
    return text;
}

static void test_every_occurrence_of_a_text_goes(void)
{
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct rnd r = rnd_seeded(seed);
        const char *text = some_text(&r, 40), *less = some_text(&r, 6);
        struct attr_value v = { 0 };

        CU_ASSERT_EQUAL(attr_value_set(&attr_string, &v, NULL, NULL, text, WIRE_OP_SET),
                        0);
        CU_ASSERT_EQUAL(
            attr_value_set(&attr_string, &v, NULL, NULL, less, WIRE_OP_DECR), 0);
        CU_ASSERT_STRING_EQUAL(shown(&attr_string, &v), naive_subtract(text, less));
        attr_string.clear(&v);
        arena_clear(arena);
    }
}

/* Bounds. */

/* 'n' times the piece, with 'sep' between. */
static const char *times(const char *piece, const char *sep, size_t n)
{
    struct buf b = { 0 };
    const char *text;

    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s%s", i ? sep : "", piece);
    text = arena_strndup(arena, b.data, b.len);
    buf_fini(&b);
    return text;
}

static void test_each_bound_is_the_first_number_that_is_refused(void)
{
    static const struct {
        const struct attr_type *type;
        const char *piece, *sep;
        size_t most;
        const char *words;
    } cases[] = {
        { &attr_variables, "a", ",", LIST_MAX_MEMBERS, "more than 65536 members" },
        { &attr_strings, "a", "\n", LIST_MAX_MEMBERS, "more than 65536 members" },
        { &attr_acl_user, "a", ",", LIST_MAX_MEMBERS, "more than 65536 members" },
        { &attr_acl_host, "a234567", "", ORDERED_MAX_BYTES / 7, "longer than 1 MiB" },
        { &attr_entity_limit, "[u:a=1]", ",", LIST_MAX_MEMBERS,
          "more than 65536 entries" },
        { &attr_select, "1", "+", SELECT_MAX_CHUNKS, "more than 10000 chunks" },
        { &attr_select, "1:a=1:b=2:c=3:d=4:e=5", "+", SELECT_MAX_PAIRS / 5,
          "more than 40000 resources" },
        { &attr_nodes, "1", "+", SELECT_MAX_CHUNKS, "more than 10000 chunks" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *fits = times(cases[i].piece, cases[i].sep, cases[i].most);
        const char *over = times(cases[i].piece, cases[i].sep, cases[i].most + 1);

        CU_ASSERT_PTR_NULL(attr_text_excess(cases[i].type, fits));
        CU_ASSERT_STRING_EQUAL(attr_text_excess(cases[i].type, over), cases[i].words);
        arena_clear(arena);
    }
}

static void test_signs_behind_a_backslash_end_no_member(void)
{
    CU_ASSERT_PTR_NULL(
        attr_text_excess(&attr_variables, times("a\\", ",", LIST_MAX_MEMBERS * 2)));
    CU_ASSERT_PTR_NULL(attr_text_excess(&attr_variables, "\\"));
    CU_ASSERT_PTR_NULL(attr_text_excess(&attr_string, times("a", ",", 100000)));
    arena_clear(arena);
}

static void test_a_value_grows_no_further_than_a_text(void)
{
    struct attr_value v = { 0 };
    const char *half = times("a", ",", LIST_MAX_MEMBERS / 2);

    for (int i = 0; i < 2; i++)
        CU_ASSERT_EQUAL(attr_value_set(&attr_strings, &v, NULL, NULL, half, i ? 2 : 0),
                        0);
    CU_ASSERT_PTR_NULL(attr_value_excess(&attr_strings, &v));
    CU_ASSERT_EQUAL(attr_value_set(&attr_strings, &v, NULL, NULL, "b", WIRE_OP_INCR),
                    0);
    CU_ASSERT_STRING_EQUAL(attr_value_excess(&attr_strings, &v),
                           "more than 65536 members");
    CU_ASSERT_TRUE(attr_value_weight(&attr_strings, &v) > LIST_MAX_MEMBERS);
    attr_strings.clear(&v);
    CU_ASSERT_PTR_NULL(attr_value_excess(&attr_strings, &v));
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "gathered operations do what each would do",
          test_gathered_operations_do_what_each_would_do },
        { "every occurrence of a text goes", test_every_occurrence_of_a_text_goes },
        { "each bound is the first number that is refused",
          test_each_bound_is_the_first_number_that_is_refused },
        { "signs behind a backslash end no member",
          test_signs_behind_a_backslash_end_no_member },
        { "a value grows no further than a text",
          test_a_value_grows_no_further_than_a_text },
    };
    int status;

    arena = arena_new();
    status = unit_main("list edits", cases, ARRAY_LEN(cases));
    arena_free(arena);
    return status;
}
