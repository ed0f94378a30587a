/* rows.c - rows of the journal become records.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/rows.h"

#include <stdlib.h>

struct rows {
    store_each_fn each;
    void *arg;
    struct arena *arena; /* of the record in the making */
    struct store_record record;
    bool open; /* there is one */
    struct store_change *changes;
    size_t cap;
};

struct rows *rows_new(store_each_fn each, void *arg)
{
    struct rows *r = xcalloc(1, sizeof(*r));

    r->each = each;
    r->arg = arg;
    r->arena = arena_new();
    return r;
}

void rows_free(struct rows *r)
{
    if (!r)
        return;
    free(r->changes);
    arena_free(r->arena);
    free(r);
}

/* Begin a record. Its texts are copied, since a row is gone when the next one is
 * read. */
static void record_begin(struct rows *r, uint64_t seq, const char *const *columns)
{
    MUST(!r->open); /* the one before was handed over */
    arena_clear(r->arena);
    r->record = (struct store_record){
        .seq = seq,
        .at = strtoll(columns[ROW_AT], NULL, 10),
        .actor = arena_strdup(r->arena, columns[ROW_ACTOR]),
        .fact = arena_strdup(r->arena, columns[ROW_FACT]),
        .op = store_op_find(columns[ROW_OP]),
        .kind = arena_strdup(r->arena, columns[ROW_KIND]),
        .id = arena_strdup(r->arena, columns[ROW_ID]),
        .note = arena_strdup(r->arena, columns[ROW_NOTE]),
    };
    r->open = true;
}

static void change_add(struct rows *r, const char *const *columns)
{
    if (r->record.n == r->cap) {
        r->cap = r->cap ? r->cap * 2 : 64;
        r->changes = xrealloc(r->changes, r->cap * sizeof(*r->changes));
    }
    MUST(r->open && r->record.n < r->cap);
    r->changes[r->record.n++] = (struct store_change){
        .attr = arena_strdup(r->arena, columns[ROW_ATTR]),
        .resource = arena_strdup(r->arena, columns[ROW_RESOURCE]),
        .before = arena_strdup(r->arena, columns[ROW_BEFORE]),
        .after = arena_strdup(r->arena, columns[ROW_AFTER]),
    };
    r->record.changes = r->changes;
}

int rows_add(struct rows *r, const char *const *columns)
{
    uint64_t seq = strtoull(columns[ROW_SEQ], NULL, 10);
    int err = 0;

    /* Rows of one record follow one another: another number means that it is
     * complete. */
    if (r->open && r->record.seq != seq)
        err = rows_end(r);
    if (!r->open)
        record_begin(r, seq, columns);
    /* A record without changes has one row, with NULL in the columns of a change. */
    if (columns[ROW_ATTR])
        change_add(r, columns);
    return err;
}

int rows_end(struct rows *r)
{
    if (!r->open)
        return 0;
    r->open = false;
    return r->each(r->arg, &r->record);
}
