/* test_bundles.c - occurrences that are made together are one object of the store, and
 * nobody who loads them can tell.
 *
 * The stories go the way twice: through bundles into one store, and as they are into
 * another one. What is loaded from both must be equal.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"

#include "lib/base/buf.h"
#include "lib/base/rnd.h"
#include "server/model/occurrence.h"
#include "server/shell/bundle_text.h"
#include "server/shell/bundles.h"
#include "server/shell/records.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_ROWS 12000

/* Two stores and the rows of the transaction under way. */
static struct {
    struct store *plain, *bundled;
    struct bundles *bundles;
    struct arena *turn;
    uint64_t seq;
    int64_t at;
    size_t n_plain, n_bundled;
    struct store_record rows_plain[MOST_ROWS], rows_bundled[MOST_ROWS];
} two;

static void two_new(void)
{
    struct diag why;

    CU_ASSERT_EQUAL_FATAL(store_open("memory:", &two.plain, &why), 0);
    CU_ASSERT_EQUAL_FATAL(store_open("memory:", &two.bundled, &why), 0);
    two.bundles = bundles_new();
    two.turn = arena_new();
    two.seq = 0;
    two.at = 1000;
    two.n_plain = two.n_bundled = 0;
}

static void take_row(void *arg UNUSED, const struct store_record *row,
                     const struct arena *turn UNUSED)
{
    two.rows_bundled[two.n_bundled++] = *row;
}

static const struct bundles_to to = { take_row, NULL };

static void put(enum store_op op, const char *id, size_t n,
                const struct store_change *v)
{
    const struct store_record row = {
        .seq = ++two.seq,
        .at = two.at,
        .actor = "a@b",
        .fact = op == STORE_CREATE   ? "created"
                : op == STORE_REMOVE ? "deleted"
                                     : "set",
        .op = op,
        .kind = "occurrence",
        .id = arena_strdup(two.turn, id),
        .n = n,
        .changes = n ? arena_copy(two.turn, v, n * sizeof(*v)) : NULL,
    };

    two.rows_plain[two.n_plain++] = row;
    bundles_put(two.bundles, &row, two.turn, &to);
}

static int commit(struct store *s, struct store_record *rows, size_t n,
                  struct diag *why)
{
    const struct store_batch batch = { .n_records = n, .records = rows };

    return n ? store_commit(s, &batch, why) : 0;
}

/* The end of a turn, which is a transaction. Returns how many rows it had. */
static size_t end_turn(void)
{
    size_t n;
    struct diag why = { 0 };

    bundles_flush(two.bundles, &to);
    n = two.n_bundled;
    CU_ASSERT_EQUAL(commit(two.plain, two.rows_plain, two.n_plain, &why), 0);
    CU_ASSERT_EQUAL(commit(two.bundled, two.rows_bundled, two.n_bundled, &why), 0);
    CU_ASSERT_EQUAL(store_last_seq(two.plain), store_last_seq(two.bundled));
    two.n_plain = two.n_bundled = 0;
    arena_clear(two.turn);
    return n;
}

static int compare_changes(const void *a, const void *b)
{
    const struct store_change *x = a, *y = b;
    int order = strcmp(x->attr, y->attr);

    return order ? order : strcmp(x->resource, y->resource);
}

static int say_occurrence(void *arg, const struct store_record *row)
{
    struct store_change v[64];
    struct buf *out = arg;

    CU_ASSERT_STRING_EQUAL(row->kind, "occurrence");
    CU_ASSERT_TRUE_FATAL(row->n < ARRAY_LEN(v));
    memcpy(v, row->changes, row->n * sizeof(*v));
    qsort(v, row->n, sizeof(*v), compare_changes);
    buf_printf(out, "%s", row->id);
    for (size_t i = 0; i < row->n; i++)
        buf_printf(out, " %s%s%s=%s", v[i].attr, *v[i].resource ? "." : "",
                   v[i].resource, v[i].after);
    buf_printf(out, "\n");
    return 0;
}

struct reading {
    struct buf text;
    struct bundles *bundles;
};

static int say_object(void *arg, const struct store_record *row)
{
    struct reading *r = arg;
    struct diag why = { 0 };
    int err = strcmp(row->kind, BUNDLE_KIND) == 0
                  ? bundles_load(r->bundles, row, say_occurrence, &r->text, &why)
                  : say_occurrence(&r->text, row);

    CU_ASSERT_EQUAL(err, 0);
    CU_ASSERT_STRING_EQUAL(why.text, "");
    return err;
}

static char *content(struct store *s, struct bundles *learns)
{
    struct reading r = { .bundles = learns };
    struct diag why;

    buf_printf(&r.text, "objects:\n");
    CU_ASSERT_EQUAL(store_load(s, say_object, &r, &why), 0);
    return buf_take(&r.text);
}

static void check_equal(void)
{
    char *plain = content(two.plain, NULL), *bundled = content(two.bundled, NULL);

    CU_ASSERT_STRING_EQUAL(plain, bundled);
    if (strcmp(plain, bundled) != 0)
        fprintf(stderr, "plain:\n%s\nbundled:\n%s\n", plain, bundled);
    free(plain);
    free(bundled);
}

/* The server is killed, and learns from the store where it was. */
static void restart(void)
{
    bundles_free(two.bundles);
    two.bundles = bundles_new();
    free(content(two.bundled, two.bundles));
}

static int no_objects(void *arg UNUSED, const struct store_record *row UNUSED)
{
    return 1;
}

static void check_all_has_gone(void)
{
    struct diag why;

    CU_ASSERT_EQUAL(store_load(two.bundled, no_objects, NULL, &why), 0);
}

static void two_end(void)
{
    check_equal();
    store_close(two.plain);
    store_close(two.bundled);
    bundles_free(two.bundles);
    arena_free(two.turn);
}

static const char *id_of(int series, int index)
{
    return arena_printf(two.turn, "S%d[%d].svr", series, index);
}

static void make(int series, int index, const char *vnodes)
{
    int64_t start_at = 1795249795 + index * 3600;
    int64_t end_at = start_at + (index % 50 == 7 ? 900 : 1800);
    const struct store_change v[] = {
        { "reserve_start", "", NULL, arena_printf(two.turn, "%" PRId64, start_at) },
        { "reserve_end", "", NULL, arena_printf(two.turn, "%" PRId64, end_at) },
        { "resv_nodes", "", NULL, vnodes },
    };

    put(STORE_CREATE, id_of(series, index), 3, v);
}

static void set(int series, int index, const char *attr, const char *resource,
                const char *before, const char *after)
{
    const struct store_change v = { attr, resource, before, after };

    put(STORE_CHANGE, id_of(series, index), 1, &v);
}

static void drop(int series, int index)
{
    put(STORE_REMOVE, id_of(series, index), 0, NULL);
}

/* The confirmation of the longest series that there may be, and its deletion. */
static void test_ten_thousand_are_a_few_rows(void)
{
    size_t most = 10000 / BUNDLE_MOST + 1;

    two_new();
    for (int i = 2; i <= 10000; i++)
        make(1, i, "(vn[0]:ncpus=2)");
    CU_ASSERT_EQUAL(end_turn(), most);
    check_equal();
    for (int i = 2; i <= 10000; i++)
        drop(1, i);
    CU_ASSERT_EQUAL(end_turn(), most);
    two_end();
}

/* The journal has each value whole, so that it says what has become of the objects. */
static void test_values_are_whole_in_the_journal(void)
{
    two_new();
    for (int i = 2; i <= 1000; i++)
        make(1, i, arena_printf(two.turn, "(vn[%d]:ncpus=2)+(%0*d:ncpus=1)", i, i, 1));
    bundles_flush(two.bundles, &to);
    for (size_t i = 0; i < two.n_bundled; i++)
        for (size_t k = 0; k < two.rows_bundled[i].n; k++)
            CU_ASSERT_TRUE(strlen(two.rows_bundled[i].changes[k].after) <
                           STORE_JOURNAL_BYTES);
    CU_ASSERT_TRUE(two.n_bundled < 100);
    end_turn();
    two_end();
}

static void test_life_of_a_bundle(void)
{
    two_new();
    for (int i = 2; i <= 6; i++)
        make(1, i, i == 4 ? "(vn[1]:ncpus=2)" : "(vn[0]:ncpus=2)");
    CU_ASSERT_EQUAL(end_turn(), 1);
    /* Each of these is one row, of the bundle. */
    set(1, 3, "reserve_retry", "", NULL, "1795249000");
    set(1, 3, "Resource_List", "ncpus", NULL, "4");
    set(1, 5, "resv_nodes", "", "(vn[0]:ncpus=2)", NULL);
    set(1, 6, "reserve_start", "", "1795271395", "1795271400");
    CU_ASSERT_EQUAL(end_turn(), 4);
    check_equal();
    restart();
    set(1, 3, "reserve_retry", "", "1795249000", NULL);
    set(1, 5, "resv_nodes", "", NULL, "(vn[2]:ncpus=2)");
    CU_ASSERT_EQUAL(end_turn(), 2);
    check_equal();
    drop(1, 2);
    CU_ASSERT_EQUAL(end_turn(), 1);
    restart();
    drop(1, 4);
    drop(1, 3);
    CU_ASSERT_EQUAL(end_turn(), 1);
    check_equal();
    restart();
    drop(1, 5);
    drop(1, 6);
    CU_ASSERT_EQUAL(end_turn(), 1);
    check_all_has_gone();
    two_end();
}

static void test_what_is_not_alike_is_not_bundled(void)
{
    const struct store_change strange = { "reserve_start", "", NULL, "-5" };

    two_new();
    put(STORE_CREATE, "S1[3].svr", 1, &strange);
    make(1, 2, "(vn[0]:ncpus=2)");
    make(2, 3, "(vn[0]:ncpus=2)"); /* another series */
    make(2, 5, "(vn[0]:ncpus=2)"); /* not the next one */
    two.at++;
    make(2, 6, "(vn[0]:ncpus=2)"); /* another second */
    make(2, 7, "");                /* no vnodes */
    CU_ASSERT_EQUAL(end_turn(), 6);
    two_end();
}

/* A transaction has several turns, whose arenas end one by one. */
static void test_turns_are_apart(void)
{
    struct arena *first, *second = arena_new();

    two_new();
    first = two.turn;
    make(1, 2, "(vn[0]:ncpus=2)");
    two.turn = second;
    make(1, 3, "(vn[0]:ncpus=2)");
    make(1, 4, "(vn[0]:ncpus=2)");
    CU_ASSERT_EQUAL(end_turn(), 2);
    arena_free(first);
    two_end();
}

static const char *const some_vnodes[] = { "(a:ncpus=1)", "(b:ncpus=1)",
                                           "(a:x=2)+(b:x=1)", NULL };

/* One occurrence after the other as it would be in the core, so that what is done to it
 * is possible. */
struct series_of_story {
    int next;
    bool there[400];
};

static void random_step(struct rnd *rnd, struct series_of_story *s, int series)
{
    int at = (int)rnd_range(rnd, 0, s->next ? s->next - 1 : 0);
    int n = (int)rnd_range(rnd, 1, 20);
    bool all_alike = rnd_range(rnd, 0, 1) == 0;

    switch (rnd_range(rnd, 0, 5)) {
    case 0:
        for (; n > 0 && s->next < (int)ARRAY_LEN(s->there); n--) {
            size_t which = all_alike ? 0 : (size_t)rnd_range(rnd, 0, 2);

            make(series, s->next + 2, some_vnodes[which]);
            s->there[s->next++] = true;
        }
        break;
    case 1:
    case 2:
        for (; n > 0 && at < s->next; n--, at++) {
            if (s->there[at])
                drop(series, at + 2);
            s->there[at] = false;
        }
        break;
    case 3:
        if (s->next && s->there[at])
            set(series, at + 2, "resv_nodes", "", NULL,
                some_vnodes[rnd_range(rnd, 0, 3)]);
        break;
    case 4:
        if (s->next && s->there[at])
            set(series, at + 2, "Resource_List", all_alike ? "ncpus" : "a.b", NULL,
                n > 10 ? "1" : NULL);
        break;
    default:
        two.at++;
    }
}

static void test_stories_are_the_same_with_bundles(void)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct series_of_story s[2] = { { 0 }, { 0 } };
        struct rnd rnd = rnd_seeded(seed);

        two_new();
        for (int i = 0; i < 60; i++) {
            int which = (int)rnd_range(&rnd, 0, 1);

            random_step(&rnd, &s[which], which + 1);
            if (rnd_range(&rnd, 0, 2) == 0)
                end_turn();
            if (two.n_plain == 0 && rnd_range(&rnd, 0, 4) == 0)
                restart();
        }
        end_turn();
        two_end();
    }
}

static int count(void *arg, const struct store_record *row UNUSED)
{
    ++*(size_t *)arg;
    return 0;
}

/* Somebody has edited the store. */
static void test_what_cannot_be_read_is_refused(void)
{
    static const struct {
        const char *id, *times, *vnodes, *attr, *member;
    } cases[] = {
        { "S1", "1+5,2", "2#(a:x=1){0-1}", NULL, "" },
        { "S1[].svr", "1+5,2", "2#(a:x=1){0-1}", NULL, "" },
        { "S1[3-2].svr", "1+5,2", "2#(a:x=1){0-1}", NULL, "" },
        { "S1[0-1].svr", "1+5,2", "2#(a:x=1){0-1}", NULL, "" },
        { "S1[2-3", "1+5,2", "2#(a:x=1){0-1}", NULL, "" },
        { "S1[2-99999999999999999999].svr", "1+5,2", "2#(a:x=1){0-1}", NULL, "" },
        { "S1[2-10002].svr", "1+5,2", "2#(a:x=1){0-1}", NULL, "" },
        { "S1[2-3].svr", "1,2", "2#(a:x=1){0-1}", NULL, "" },
        { "S1[2-3].svr", "1+5", "2#(a:x=1){0-1}", NULL, "" },
        { "S1[2-3].svr", "1+5,2,3", "2#(a:x=1){0-1}", NULL, "" },
        { "S1[2-3].svr", "1+,2", "2#(a:x=1){0-1}", NULL, "" },
        { "S1[2-3].svr", "1+5,2x", "2#(a:x=1){0-1}", NULL, "" },
        { "S1[2-3].svr", "1+5,-2", "2#(a:x=1){0-1}", NULL, "" },
        { "S1[2-3].svr", "", "2#(a:x=1){0-1}", NULL, "" },
        { "S1[2-3].svr", "1+5,2", "3#(a:x=1){0-2}", NULL, "" },
        { "S1[2-3].svr", "1+5,2", "1#(a:x=1){0}", NULL, "" },
        { "S1[2-3].svr", "1+5,2", "2#(a:x=1){0-2}", NULL, "" },
        { "S1[2-3].svr", "1+5,2", "", NULL, "" },
        { "S1[2-3].svr", "1+5,2", "2#(a:x=1){0-1}", "gone", "1" },
        { "S1[2-3].svr", "1+5,2", "2#(a:x=1){0-1}", "gone", "4" },
        { "S1[2-3].svr", "1+5,2", "2#(a:x=1){0-1}", "gone", "x" },
        { "S1[2-3].svr", "1+5,2", "2#(a:x=1){0-1}", "reserve_retry", "2x" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct store_change v[] = { { "times", "", NULL, cases[i].times },
                                          { "resv_nodes", "", NULL, cases[i].vnodes },
                                          { cases[i].attr, cases[i].member, NULL,
                                            "1" } };
        const struct store_record row = { .kind = BUNDLE_KIND,
                                          .id = cases[i].id,
                                          .n = cases[i].attr ? 3 : 2,
                                          .changes = v };
        struct diag why = { 0 };
        size_t n = 0;

        CU_ASSERT_EQUAL(bundles_load(NULL, &row, count, &n, &why), PBSE_SYSTEM);
        CU_ASSERT_EQUAL(n, 0);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.text, cases[i].id));
        CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "restore a backup"));
    }
}

/* The former layout, as a former version wrote it: each occurrence is an object. */

static char *file_text(const char *name)
{
    const char *top = getenv("top_srcdir");
    struct buf text = { 0 };
    char path[4096], part[4096];
    size_t len;
    FILE *f;

    snprintf(path, sizeof(path), "%s/test/unit/server/%s", top ? top : ".", name);
    f = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    while ((len = fread(part, 1, sizeof(part), f)) > 0)
        buf_add(&text, part, len);
    fclose(f);
    return buf_take(&text);
}

static void make_file(const char *path)
{
    char *sql = file_text("layout-4.sql");
    sqlite3 *db;

    CU_ASSERT_EQUAL_FATAL(sqlite3_open(path, &db), SQLITE_OK);
    CU_ASSERT_EQUAL(sqlite3_exec(db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL),
                    SQLITE_OK);
    CU_ASSERT_EQUAL(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    free(sql);
}

static const struct change *apply(void *arg, const struct record *rec)
{
    return model_load(arg, rec);
}

/* What becomes of such occurrences is a row for each, as before. */
static void drop_two(struct store *s, struct bundles *bundles)
{
    two.bundles = bundles;
    two.turn = arena_new();
    two.seq = store_last_seq(s);
    two.n_plain = two.n_bundled = 0;
    put(STORE_REMOVE, "S0[2].localhost", 0, NULL);
    put(STORE_REMOVE, "S0[3].localhost", 0, NULL);
    bundles_flush(bundles, &to);
    CU_ASSERT_EQUAL_FATAL(two.n_bundled, 2);
    CU_ASSERT_STRING_EQUAL(two.rows_bundled[1].kind, "occurrence");
    CU_ASSERT_EQUAL(two.rows_bundled[1].op, STORE_REMOVE);
    arena_free(two.turn);
}

static void test_a_store_of_layout_4(void)
{
    char dir[] = "/tmp/hf-bundles-XXXXXX", url[128], path[64];
    struct model *m = model_new("localhost");
    struct bundles *bundles = bundles_new();
    const struct object *o;
    struct store *s;
    struct diag why = { 0 };

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/db", dir);
    snprintf(url, sizeof(url), "sqlite:%s", path);
    make_file(path);
    CU_ASSERT_EQUAL_FATAL(store_open(url, &s, &why), 0);
    CU_ASSERT_EQUAL(
        records_read(s, bundles, &(struct records_into){ m, apply, m }, &why), 0);
    model_loaded(m, store_last_seq(s));
    CU_ASSERT_EQUAL(model_resv(m, "S0")->n_later, 4);
    CU_ASSERT_EQUAL(model_resv(m, "S1")->n_later, 3);
    CU_ASSERT_PTR_NULL(model_find(m, OBJ_OCCURRENCE, "S0[4]"));
    o = model_find(m, OBJ_OCCURRENCE, "S0[3]");
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    CU_ASSERT_EQUAL(obj_num(o, OCCURRENCE_A_END, 0) - obj_num(o, OCCURRENCE_A_START, 0),
                    1200);
    drop_two(s, bundles);
    bundles_free(bundles);
    model_free(m);
    store_close(s);
    for (size_t i = 0; i < 3; i++) {
        static const char *const ends[] = { "", "-wal", "-shm" };

        snprintf(path, sizeof(path), "%s/db%s", dir, ends[i]);
        unlink(path);
    }
    rmdir(dir);
}

static const struct unit_case cases[] = {
    { "ten thousand occurrences are a few rows", test_ten_thousand_are_a_few_rows },
    { "values are whole in the journal", test_values_are_whole_in_the_journal },
    { "the life of a bundle", test_life_of_a_bundle },
    { "what is not alike is not bundled", test_what_is_not_alike_is_not_bundled },
    { "turns are apart", test_turns_are_apart },
    { "stories are the same with bundles", test_stories_are_the_same_with_bundles },
    { "what cannot be read is refused", test_what_cannot_be_read_is_refused },
    { "a store of layout 4 is loaded and goes on", test_a_store_of_layout_4 },
};

int main(void)
{
    return unit_main("bundles", cases, ARRAY_LEN(cases));
}
