/* store.c - opening by URL, and what all backends share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/backend.h"

#include <string.h>

/* These words are in the stores of sites: they may be added to, not changed. */
static const char *const op_names[] = {
    [STORE_CREATE] = "create",
    [STORE_CHANGE] = "change",
    [STORE_REMOVE] = "remove",
};

const char *store_op_name(enum store_op op)
{
    return op_names[op];
}

enum store_op store_op_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(op_names); i++)
        if (strcmp(op_names[i], name) == 0)
            return (enum store_op)i;
    return STORE_CHANGE;
}

int store_version_error(const char *where, int64_t version, struct diag *why)
{
    if (version > STORE_SCHEMA_VERSION)
        return diag_set(why, PBSE_SYSTEM,
                        "%s: made by a newer version (layout %" PRId64
                        ", this program knows up to %d): use that version again, or "
                        "restore a backup",
                        where, version, STORE_SCHEMA_VERSION);
    return diag_set(why, PBSE_SYSTEM,
                    "%s: it has no layout that this program knows; it is damaged, or "
                    "belongs to something else: restore a backup, or set PBS_STORE",
                    where);
}

const char *store_pg_conninfo(const char *url)
{
    if (strncmp(url, "postgresql://", 13) == 0 || strncmp(url, "postgres://", 11) == 0)
        return url;
    return strncmp(url, "postgresql:", 11) == 0 ? url + 11 : NULL;
}

const char *store_sqlite_path(const char *url)
{
    return strncmp(url, "sqlite:", 7) == 0 && url[7] ? url + 7 : NULL;
}

bool store_exists(const struct store_config *cfg)
{
    if (store_sqlite_path(cfg->url))
        return store_sqlite_exists(store_sqlite_path(cfg->url));
    return store_pg_conninfo(cfg->url) &&
           store_pg_exists(store_pg_conninfo(cfg->url), cfg);
}

int store_put_aside(const struct store_config *cfg, int64_t now_at, struct diag *why)
{
    if (store_sqlite_path(cfg->url))
        return store_sqlite_put_aside(store_sqlite_path(cfg->url), now_at, why);
    if (store_pg_conninfo(cfg->url))
        return store_pg_put_aside(store_pg_conninfo(cfg->url), cfg, now_at, why);
    return 0;
}

int store_open_as(const struct store_config *cfg, struct store **ret, struct diag *why)
{
    const char *url = cfg->url;

    if (store_sqlite_path(url))
        return store_sqlite_open(store_sqlite_path(url), cfg->holder ? cfg->holder : "",
                                 ret, why);
    if (store_pg_conninfo(url))
        return store_pg_open(store_pg_conninfo(url), cfg, ret, why);
    if (strcmp(url, "memory:") == 0) {
        *ret = store_memory_open();
        return 0;
    }
    return diag_set(why, PBSE_SYSTEM,
                    "%s: not a store: sqlite:<path> and postgresql:<conninfo> are",
                    url);
}

int store_open(const char *url, struct store **ret, struct diag *why)
{
    const struct store_config cfg = { .url = url };

    return store_open_as(&cfg, ret, why);
}

void store_close(struct store *s)
{
    MUST(!s || s->ops);
    if (s)
        s->ops->close(s);
}

bool store_is_new(const struct store *s)
{
    return s->is_new;
}

uint64_t store_last_seq(struct store *s)
{
    return s->last_seq;
}

int store_commit(struct store *s, const struct store_batch *batch, struct diag *why)
{
    uint64_t seq = s->last_seq;
    int err;

    for (size_t i = 0; i < batch->n_records; i++) {
        /* Numbers rise from record to record; gaps are fine. */
        if (batch->records[i].seq <= seq)
            return diag_set(why, PBSE_INTERNAL,
                            "record %" PRIu64 " follows %" PRIu64 " in the journal",
                            batch->records[i].seq, seq);
        seq = batch->records[i].seq;
    }
    err = s->ops->commit(s, batch, why);
    MUST(s->last_seq <= seq); /* a backend never takes records back */
    if (!err)
        s->last_seq = seq;
    return err;
}

/* Where the part that begins at 'from' ends when it is to have about 'n' records:
 * behind a record that the next one does not belong to, and before 'to' if it can be.
 */
static size_t part_end(const struct store_batch *batch, size_t from, size_t n,
                       size_t to)
{
    size_t at = from + n;

    while (at < to && batch->records[at - 1].with_next)
        at++;
    if (at < to)
        return at;
    for (at = from + n; at > from && batch->records[at - 1].with_next; at--)
        ;
    return at > from ? at : to;
}

/* By halves: a part that fits is durable then, one that does not is looked at more
 * closely, until nothing less can be left out. */
int store_commit_before(struct store *s, const struct store_batch *batch, uint64_t *ret,
                        struct diag *why)
{
    size_t from = 0, to = batch->n_records;

    MUST(to > 0); /* notes contradict nothing */
    for (;;) {
        size_t n = (to - from) / 2;
        size_t mid = n > 0 ? part_end(batch, from, n, to) : to;
        const struct store_batch part = { .n_records = mid - from,
                                          .records = batch->records + from };
        int err = store_commit(s, &part, why);

        if (err == 0)
            from = mid;
        else if (err != PBSE_INTERNAL)
            return err;
        else if (mid == to)
            break;
        else
            to = mid;
        if (from == to) /* then nothing has contradicted but the whole */
            break;
    }
    *ret = from < batch->n_records ? batch->records[from].seq : s->last_seq + 1;
    return 0;
}

int store_load(struct store *s, store_each_fn each, void *arg, struct diag *why)
{
    MUST(each);
    return s->ops->load(s, NULL, each, arg, why);
}

int store_load_kind(struct store *s, const char *kind, store_each_fn each, void *arg,
                    struct diag *why)
{
    MUST(kind && each);
    return s->ops->load(s, kind, each, arg, why);
}

int store_note_get(struct store *s, const char *key, struct arena *arena,
                   const char **ret, struct diag *why)
{
    MUST(key && *key);
    return s->ops->note_get(s, key, arena, ret, why);
}

int store_journal(struct store *s, const struct store_query *query, store_each_fn each,
                  void *arg, struct diag *why)
{
    MUST(each && (!query->id || query->kind)); /* ids are unique within a kind only */
    MUST(query->facts[0] || !query->facts[1]);
    return s->ops->journal(s, query, each, arg, why);
}

int store_journal_prune(struct store *s, int64_t before_at, uint64_t max, uint64_t *n,
                        struct diag *why)
{
    uint64_t gone = 0;

    return s->ops->prune(s, before_at, max, n ? n : &gone, why);
}

bool store_is_out_of_reach(const struct store *s)
{
    return s->out_of_reach;
}

void store_tidy(struct store *s)
{
    if (s->ops->tidy)
        s->ops->tidy(s);
}

const char *store_journal_text(const char *value, struct arena *arena)
{
    size_t len = value ? strlen(value) : 0;

    if (len <= STORE_JOURNAL_BYTES)
        return value;
    return arena_printf(arena, "%.*s... (%zu bytes)", STORE_JOURNAL_BYTES, value, len);
}
