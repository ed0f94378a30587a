/* suite.c - what every store does: the same cases for memory, SQLite and PostgreSQL.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

#include "../unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct backend *backend; /* which the cases run against */

static struct store *open_new(void)
{
    return backend->open_new();
}

static struct store *reopen(struct store *s)
{
    return backend->reopen(s);
}

/* Everything the store holds, in one text. */
static int tell(void *arg, const struct store_record *r)
{
    static const char *const ops[] = { "+", "*", "-" };
    struct buf *b = arg;

    buf_printf(b, "%s%s/%s@%d", ops[r->op], r->kind, r->id, (int)r->seq);
    if (strcmp(r->fact, "loaded") != 0)
        buf_printf(b, "(%s %s %d %s)", r->fact, r->actor, (int)r->at,
                   r->note ? r->note : "-");
    for (size_t i = 0; i < r->n; i++) {
        const struct store_change *c = &r->changes[i];

        buf_printf(b, " %s%s%s=", c->attr, *c->resource ? "." : "", c->resource);
        if (c->before)
            buf_printf(b, "[%s>]", c->before);
        buf_add_str(b, c->after ? c->after : "unset");
    }
    buf_add_str(b, "; ");
    return 0;
}

char *suite_objects(struct store *s)
{
    struct buf b = { 0 };
    struct diag why;

    CU_ASSERT_EQUAL(store_load(s, tell, &b, &why), 0);
    return buf_take(&b);
}

const char *suite_note(struct store *s, const char *key, struct arena *arena)
{
    const char *value = NULL;
    struct diag why;

    CU_ASSERT_EQUAL(store_note_get(s, key, arena, &value, &why), 0);
    return value;
}

char *suite_journal(struct store *s, uint64_t since)
{
    struct buf b = { 0 };
    struct diag why;

    CU_ASSERT_EQUAL(
        store_journal(s, &(struct store_query){ .since = since }, tell, &b, &why), 0);
    return buf_take(&b);
}

int suite_commit(struct store *s, const struct store_record *r, size_t n)
{
    struct store_batch b = { .n_records = n, .records = r };
    struct diag why;

    return store_commit(s, &b, &why);
}

const struct store_record suite_first[2] = {
    RECORD(1, STORE_CREATE, "server", "svr", { "comment", "", NULL, "it's \"me\"; x" }),
    RECORD(2, STORE_CREATE, "queue", "workq", { "max_run", "b", NULL, "2" },
           { "max_run", "a", NULL, "1" }, { "enabled", "", NULL, "True" }),
};

static void test_objects_come_back_in_order(void)
{
    const struct store_record more[] = {
        RECORD(5, STORE_CHANGE, "queue", "workq", { "max_run", "a", "1", "7" },
               { "max_run", "b", "2", NULL }, { "started", "", NULL, "" }),
        RECORD(6, STORE_CREATE, "resv", "R1.svr", { "x", "", NULL, "\xc3\xa4\n" }),
        RECORD(7, STORE_REMOVE, "server", "svr", { "comment", "", "it's", NULL }),
        RECORD(9, STORE_CREATE, "server", "svr", { "y", "", NULL, "z" }),
    };
    struct store *s = open_new();

    CU_ASSERT_TRUE(store_is_new(s));
    CU_ASSERT_EQUAL(store_last_seq(s), 0);
    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    ASSERT_TEXT(suite_objects(s), FIRST);
    CU_ASSERT_EQUAL(suite_commit(s, more, 4), 0);
    s = reopen(s);
    CU_ASSERT_FALSE(store_is_new(s));
    CU_ASSERT_EQUAL(store_last_seq(s), 9);
    ASSERT_TEXT(suite_objects(s), "+queue/workq@2 enabled=True max_run.a=7 started=; "
                                  "+resv/R1.svr@6 x=\xc3\xa4\n; +server/svr@9 y=z; ");
    store_close(s);
}

static void test_journal_keeps_what_happened(void)
{
    const struct store_record more[] = {
        { .seq = 3,
          .at = 77,
          .actor = "a@b",
          .fact = "queue.set",
          .note = "why not",
          .op = STORE_CHANGE,
          .kind = "queue",
          .id = "workq",
          .n = 2,
          .changes = (const struct store_change[]){ { "z", "", "1", NULL },
                                                    { "a", "m", NULL, "2" } } },
        { .seq = 4,
          .at = 78,
          .actor = "a@b",
          .fact = "queue.deleted",
          .op = STORE_REMOVE,
          .kind = "queue",
          .id = "workq" },
    };
    struct store *s = open_new();
    struct diag why;

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    CU_ASSERT_EQUAL(suite_commit(s, more, 2), 0);
    s = reopen(s);
    ASSERT_TEXT(suite_journal(s, 2),
                "*queue/workq@3(queue.set a@b 77 why not) z=[1>]unset "
                "a.m=2; -queue/workq@4(queue.deleted a@b 78 -); ");
    CU_ASSERT_EQUAL(store_journal_prune(s, 1000, 99, NULL, &why), 0);
    ASSERT_TEXT(suite_journal(s, 1),
                "+queue/workq@2(f me@h 1002 -) max_run.b=2 max_run.a=1 "
                "enabled=True; ");
    CU_ASSERT_EQUAL(store_journal_prune(s, 9999, 99, NULL, &why), 0);
    s = reopen(s);
    CU_ASSERT_EQUAL(store_last_seq(s), 4); /* numbers do not go back with the rows */
    ASSERT_TEXT(suite_journal(s, 0), "");
    store_close(s);
}

static const struct store_query everything;

/* at = 1000 + seq; objects a and b in turn. */
static struct store *open_with_journal(void)
{
    struct store *s = open_new();

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    for (int i = 3; i <= 10; i++) {
        struct store_record r[] = { RECORD(
            (uint64_t)i, STORE_CHANGE, i % 2 ? "server" : "queue",
            i % 2 ? "svr" : "workq", { "n", "", NULL, "1" }, { "m", "", NULL, "1" }) };

        if (i % 5 == 0)
            r->fact = "g";
        CU_ASSERT_EQUAL(suite_commit(s, r, 1), 0);
    }
    return s;
}

static int note_seq(void *arg, const struct store_record *r)
{
    buf_printf(arg, "%d ", (int)r->seq);
    return 0;
}

static void test_journal_is_searched(void)
{
    static const struct {
        struct store_query query;
        const char *found;
    } cases[] = {
        { { .since = 8 }, "9 10 " },
        { { .limit = 3 }, "1 2 3 " },
        { { .since = 3, .limit = 1 }, "4 " },
        { { .from_at = 1009 }, "9 10 " },
        { { .until_at = 1003 }, "1 2 " },
        { { .from_at = 1004, .until_at = 1006 }, "4 5 " },
        { { .kind = "queue", .id = "workq" }, "2 4 6 8 10 " },
        { { .kind = "queue" }, "2 4 6 8 10 " },
        { { .kind = "queue", .id = "workq", .since = 5, .limit = 2 }, "6 8 " },
        { { .kind = "queue", .id = "svr" }, "" },
        { { .kind = "server", .from_at = 1006, .until_at = 1008 }, "7 " },
        { { .facts = { "g" } }, "5 10 " },
        { { .facts = { "h", "g" }, .since = 5 }, "10 " },
        { { .facts = { "f", "g" }, .limit = 5 }, "1 2 3 4 5 " },
        { { .kind = "queue", .id = "workq", .facts = { "g" } }, "10 " },
    };
    struct store *s = open_with_journal();
    struct diag why;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf b = { 0 };

        CU_ASSERT_EQUAL(store_journal(s, &cases[i].query, note_seq, &b, &why), 0);
        ASSERT_TEXT(buf_take(&b), cases[i].found);
    }
    store_close(s);
}

static void test_journal_is_pruned_in_pieces(void)
{
    struct store *s = open_with_journal();
    struct buf b = { 0 };
    struct diag why;
    uint64_t n = 99;

    CU_ASSERT_EQUAL(store_journal_prune(s, 1008, 5, &n, &why), 0);
    CU_ASSERT_EQUAL(n, 5);
    CU_ASSERT_EQUAL(store_journal_prune(s, 1008, 5, &n, &why), 0);
    CU_ASSERT_EQUAL(n, 2);
    CU_ASSERT_EQUAL(store_journal_prune(s, 1008, 5, &n, &why), 0);
    CU_ASSERT_EQUAL(n, 0);
    CU_ASSERT_EQUAL(store_journal(s, &everything, note_seq, &b, &why), 0);
    ASSERT_TEXT(buf_take(&b), "8 9 10 ");
    store_close(s);
}

/* The journal outlives its objects by weeks: of a large value it has the front. */
static void test_large_values_are_short_in_the_journal(void)
{
    char *whole = xcalloc(1, STORE_JOURNAL_BYTES + 2), *fits;
    struct store_change changes[2];
    const struct store_record r = { .seq = 1,
                                    .actor = "root",
                                    .fact = "job.queued",
                                    .op = STORE_CREATE,
                                    .kind = "job",
                                    .id = "1.svr",
                                    .n = 2,
                                    .changes = changes };
    struct store *s = open_new();
    char *text;

    memset(whole, 'w', STORE_JOURNAL_BYTES + 1);
    fits = xstrndup(whole, STORE_JOURNAL_BYTES);
    changes[0] = (struct store_change){ "fits", "", NULL, fits };
    changes[1] = (struct store_change){ "large", "", NULL, whole };
    CU_ASSERT_EQUAL(suite_commit(s, &r, 1), 0);
    text = suite_objects(s);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, whole));
    free(text);
    text = suite_journal(s, 0);
    CU_ASSERT_PTR_NULL(strstr(text, whole));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, fits));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "w... (16385 bytes)"));
    free(text);
    free(whole);
    free(fits);
    store_close(s);
}

static void test_notes_travel_with_the_batch(void)
{
    static const struct store_note notes[] = { { "a", "1" },
                                               { "b", "" },
                                               { "a", "2" } };
    struct store_batch batch = {
        .n_records = 2, .records = suite_first, .n_notes = 3, .notes = notes
    };
    struct store *s = open_new();
    struct arena *a = arena_new();
    struct diag why;

    CU_ASSERT_PTR_NULL(suite_note(s, "a", a));
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), 0);
    s = reopen(s);
    CU_ASSERT_STRING_EQUAL(suite_note(s, "a", a), "2");
    CU_ASSERT_STRING_EQUAL(suite_note(s, "b", a), "");
    CU_ASSERT_PTR_NULL(suite_note(s, "c", a));
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), PBSE_INTERNAL); /* old numbers */
    arena_free(a);
    store_close(s);
}

static void test_wrong_batch_changes_nothing(void)
{
    const struct {
        const char *story;
        struct store_record r[2];
    } cases[] = {
        { "created twice",
          { RECORD(3, STORE_CREATE, "resv", "R1", { "x", "", NULL, "1" }),
            RECORD(4, STORE_CREATE, "queue", "workq", { "x", "", NULL, "1" }) } },
        { "created twice in one batch",
          { RECORD(3, STORE_CREATE, "resv", "R1", { "x", "", NULL, "1" }),
            RECORD(4, STORE_CREATE, "resv", "R1", { "x", "", NULL, "1" }) } },
        { "a change of nothing",
          { RECORD(3, STORE_CREATE, "resv", "R1", { "x", "", NULL, "1" }),
            RECORD(4, STORE_CHANGE, "resv", "R2", { "x", "", NULL, "1" }) } },
        { "an unset of nothing",
          { RECORD(3, STORE_CREATE, "resv", "R1", { "x", "", NULL, "1" }),
            RECORD(4, STORE_CHANGE, "resv", "R2", { "x", "", "1", NULL }) } },
        { "removed before it is changed",
          { RECORD(3, STORE_REMOVE, "queue", "workq", { "x", "", NULL, NULL }),
            RECORD(4, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }) } },
        { "a removal of nothing",
          { RECORD(3, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }),
            RECORD(4, STORE_REMOVE, "resv", "R2", { "x", "", "1", NULL }) } },
        { "numbers that fall",
          { RECORD(4, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }),
            RECORD(3, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }) } },
        { "a number twice",
          { RECORD(3, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }),
            RECORD(3, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }) } },
        { "a number of before",
          { RECORD(2, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }),
            RECORD(3, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }) } },
    };
    struct store *s = open_new();

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int err = suite_commit(s, cases[i].r, 2);

        if (err != PBSE_INTERNAL)
            fprintf(stderr, "%s: got %d\n", cases[i].story, err);
        CU_ASSERT_EQUAL(err, PBSE_INTERNAL);
        ASSERT_TEXT(suite_objects(s), FIRST);
        ASSERT_TEXT(suite_journal(s, 2), "");
        CU_ASSERT_EQUAL(store_last_seq(s), 2);
    }
    s = reopen(s);
    ASSERT_TEXT(suite_objects(s), FIRST);
    CU_ASSERT_EQUAL(suite_commit(s, cases[0].r, 1), 0); /* and it goes on */
    store_close(s);
}

/* Wherever in a batch the record is that contradicts: what comes before it is saved,
 * but for those that go with it. */
static void test_what_comes_before_a_wrong_record_is_saved(void)
{
    enum {
        N = 7
    };
    static const bool with_next[3][N] = { { false },
                                          { true, true, false, false, true, true },
                                          { true, true, true, true, true, true } };
    static const size_t first[3][N] = { { 0, 1, 2, 3, 4, 5, 6 },
                                        { 0, 0, 0, 3, 4, 4, 4 },
                                        { 0 } };

    for (size_t k = 0; k < 3 * N; k++) {
        size_t wrong = k % N, kept = first[k / N][wrong];
        struct store_change change = { "x", "", NULL, "1" };
        struct store_record r[N];
        struct store_batch batch = { .n_records = N, .records = r };
        struct store *s = open_new();
        struct diag why = { 0 };
        uint64_t seq = 0;

        CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
        for (size_t i = 0; i < N; i++)
            r[i] = (struct store_record){ .seq = 3 + i,
                                          .actor = "root@svr",
                                          .fact = "set",
                                          .op = STORE_CHANGE,
                                          .kind = "queue",
                                          .id = i == wrong ? "nosuch" : "workq",
                                          .n = 1,
                                          .changes = &change,
                                          .with_next = with_next[k / N][i] };
        CU_ASSERT_EQUAL(store_commit(s, &batch, &why), PBSE_INTERNAL);
        CU_ASSERT_EQUAL(store_last_seq(s), 2);
        CU_ASSERT_EQUAL(store_commit_before(s, &batch, &seq, &why), 0);
        CU_ASSERT_EQUAL(seq, 3 + kept);
        CU_ASSERT_EQUAL(store_last_seq(s), 2 + kept);
        s = reopen(s);
        CU_ASSERT_EQUAL(store_last_seq(s), 2 + kept);
        store_close(s);
    }
}

/* Made, changed, removed and made again: what counts is the end. */
static void test_batch_may_do_and_undo(void)
{
    const struct store_record r[] = {
        RECORD(3, STORE_CREATE, "job", "1", { "a", "", NULL, "1" },
               { "b", "x", NULL, "2" }),
        RECORD(4, STORE_CHANGE, "job", "1", { "a", "", "1", "3" },
               { "b", "x", "2", NULL }, { "c", "", NULL, "4" }),
        RECORD(5, STORE_CREATE, "job", "2", { "a", "", NULL, "1" }),
        RECORD(6, STORE_REMOVE, "job", "2", { "a", "", "1", NULL }),
        RECORD(7, STORE_REMOVE, "queue", "workq", { "enabled", "", "True", NULL }),
        RECORD(8, STORE_CREATE, "queue", "workq", { "started", "", NULL, "True" }),
        RECORD(9, STORE_CHANGE, "server", "svr", { "comment", "", "it's", NULL },
               { "nothing", "", NULL, NULL }),
        RECORD(10, STORE_CHANGE, "server", "svr", { "comment", "", NULL, "new" }),
    };
    struct store *s = open_new();

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    CU_ASSERT_EQUAL(suite_commit(s, r, ARRAY_LEN(r)), 0);
    s = reopen(s);
    ASSERT_TEXT(suite_objects(s), "+server/svr@1 comment=new; +job/1@3 a=3 c=4; "
                                  "+queue/workq@8 started=True; ");
    store_close(s);
}

/* Attributes may hold what is no text in any encoding, and characters that are used to
 * write such bytes. */
static void test_any_bytes_come_back(void)
{
    static const char odd[] =
        "\x01\x7f\x80\xff\xc3 \xc3\xa4 \xed\xa0\x80 \xf4\x8f\xbf\xbf"
        " \xf4\x8f\xbc\x80 \xf0\x9f\x98\x80 \\ \"{},'NULL";
    const struct store_record r[] = {
        RECORD(3, STORE_CREATE, "job", "\xe4\"\\{", { odd, odd, NULL, odd },
               { "null", "NULL", NULL, "NULL" }),
    };
    struct store_batch batch = { .n_records = 1,
                                 .records = r,
                                 .n_notes = 1,
                                 .notes = &(struct store_note){ "k", odd } };
    struct arena *arena = arena_new();
    struct store *s = open_new();
    struct buf expect = { 0 };
    struct diag why;

    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), 0);
    s = reopen(s);
    buf_printf(&expect, "+job/\xe4\"\\{@3 %s.%s=%s null.NULL=NULL; ", odd, odd, odd);
    ASSERT_TEXT(suite_objects(s), expect.data);
    CU_ASSERT_STRING_EQUAL(suite_note(s, "k", arena), odd);
    buf_fini(&expect);
    arena_free(arena);
    store_close(s);
}

#define MANY 5000

static int count(void *arg, const struct store_record *r)
{
    *(size_t *)arg += 1 + r->n;
    return 0;
}

static void test_large_batch_is_one_batch(void)
{
    struct store_record *v = xcalloc(MANY, sizeof(*v));
    struct arena *arena = arena_new();
    struct store *s = open_new();
    struct diag why;
    size_t n = 0;

    for (size_t i = 0; i < MANY; i++) {
        struct store_change *c = ARENA_NEW(arena, struct store_change);
        char *text = arena_alloc(arena, 2001);

        memset(text, 'a' + (int)(i % 26), 2000);
        text[2000] = '\0';
        *c = (struct store_change){ "text", "", NULL, text };
        v[i] = (struct store_record){ .seq = i + 1,
                                      .at = 1,
                                      .actor = "a",
                                      .fact = "f",
                                      .op = STORE_CREATE,
                                      .kind = "job",
                                      .id = arena_printf(arena, "%d", (int)i),
                                      .n = 1,
                                      .changes = c };
    }
    v[MANY - 1].id = "0"; /* twice */
    CU_ASSERT_EQUAL(suite_commit(s, v, MANY), PBSE_INTERNAL);
    CU_ASSERT_EQUAL(store_load(s, count, &n, &why), 0);
    CU_ASSERT_EQUAL(n, 0);
    v[MANY - 1].id = "last";
    CU_ASSERT_EQUAL(suite_commit(s, v, MANY), 0);
    s = reopen(s);
    CU_ASSERT_EQUAL(store_load(s, count, &n, &why), 0);
    CU_ASSERT_EQUAL(n, 2 * MANY);
    CU_ASSERT_EQUAL(store_last_seq(s), MANY);
    free(v);
    arena_free(arena);
    store_close(s);
}

/* A value goes and comes, in the batch that made the object and after it, also by the
 * same name with another resource; what comes last is what there is. */
static void test_values_go_and_come(void)
{
    const struct store_record r[] = {
        RECORD(3, STORE_CREATE, "job", "1", { "b", "", NULL, "1" },
               { "a", "", NULL, "x" }, { "b", "", "1", "2" }, { "c", "", NULL, NULL }),
        RECORD(4, STORE_CHANGE, "job", "1", { "a", "", "x", NULL },
               { "d", "z", NULL, "" }),
        RECORD(5, STORE_CHANGE, "job", "1", { "a", "m", NULL, "y" },
               { "b", "", "2", NULL }),
        RECORD(6, STORE_CHANGE, "job", "1", { "b", "", NULL, "3" },
               { "d", "z", "", NULL }),
        RECORD(7, STORE_REMOVE, "job", "1", { "a", "m", "y", NULL }),
        RECORD(8, STORE_CREATE, "job", "1", { "e", "", NULL, "1" }),
    };
    static const char *const then[] = { "+job/1@3 a=x b=2; ",
                                        "+job/1@3 b=2 d.z=; ",
                                        "+job/1@3 a.m=y d.z=; ",
                                        "+job/1@3 a.m=y b=3; ",
                                        "",
                                        "+job/1@8 e=1; " };

    /* So many records in the first batch, the others one by one. */
    for (size_t first = 1; first <= ARRAY_LEN(r); first++) {
        struct store *s = open_new();

        CU_ASSERT_EQUAL(suite_commit(s, r, first), 0);
        ASSERT_TEXT(suite_objects(s), then[first - 1]);
        for (size_t i = first; i < ARRAY_LEN(r); i++) {
            CU_ASSERT_EQUAL(suite_commit(s, &r[i], 1), 0);
            s = reopen(s);
            ASSERT_TEXT(suite_objects(s), then[i]);
        }
        store_close(s);
    }
}

static void test_one_kind_is_loaded(void)
{
    const struct store_record more[] = {
        RECORD(3, STORE_CREATE, "que", "a", { "x", "", NULL, "1" }),
        RECORD(4, STORE_CREATE, "queue", "a", { "x", "", NULL, "2" }),
    };
    struct store *s = open_new();
    struct buf b = { 0 };
    struct diag why;

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    CU_ASSERT_EQUAL(suite_commit(s, more, 2), 0);
    CU_ASSERT_EQUAL(store_load_kind(s, "queue", tell, &b, &why), 0);
    ASSERT_TEXT(buf_take(&b), "+queue/workq@2 enabled=True max_run.a=1 max_run.b=2; "
                              "+queue/a@4 x=2; ");
    CU_ASSERT_EQUAL(store_load_kind(s, "resv", tell, &b, &why), 0);
    ASSERT_TEXT(buf_take(&b), "");
    store_close(s);
}

static int stop_at_second(void *arg, const struct store_record *r)
{
    (void)r;
    return ++*(int *)arg == 2 ? 42 : 0;
}

static void test_reader_can_stop(void)
{
    struct store *s = open_new();
    struct diag why;
    int n = 0;

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    CU_ASSERT_EQUAL(store_load(s, stop_at_second, &n, &why), 42);
    n = 0;
    CU_ASSERT_EQUAL(store_journal(s, &everything, stop_at_second, &n, &why), 42);
    ASSERT_TEXT(suite_objects(s), FIRST);
    store_close(s);
}

int suite_run(const struct backend *b)
{
    static const struct unit_case cases[] = {
        { "objects come back in order", test_objects_come_back_in_order },
        { "the journal keeps what happened", test_journal_keeps_what_happened },
        { "the journal is searched", test_journal_is_searched },
        { "the journal is pruned in pieces", test_journal_is_pruned_in_pieces },
        { "large values are short in the journal",
          test_large_values_are_short_in_the_journal },
        { "notes travel with the batch", test_notes_travel_with_the_batch },
        { "a wrong batch changes nothing", test_wrong_batch_changes_nothing },
        { "what comes before a wrong record is saved",
          test_what_comes_before_a_wrong_record_is_saved },
        { "a batch may do and undo", test_batch_may_do_and_undo },
        { "any bytes come back", test_any_bytes_come_back },
        { "a large batch is one batch", test_large_batch_is_one_batch },
        { "values go and come", test_values_go_and_come },
        { "one kind is loaded", test_one_kind_is_loaded },
        { "a reader can stop", test_reader_can_stop },
    };

    backend = b;
    return unit_main(b->name, cases, ARRAY_LEN(cases));
}
