/* store.c - opening by URL, and what all backends share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/backend.h"

#include <string.h>

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

int store_open(const char *url, struct store **ret, struct diag *why)
{
    if (strncmp(url, "sqlite:", 7) == 0 && url[7])
        return store_sqlite_open(url + 7, ret, why);
    if (strcmp(url, "memory:") == 0) {
        *ret = store_memory_open();
        return 0;
    }
    return diag_set(why, PBSE_SYSTEM, "%s: not a store: sqlite:<path> is one", url);
}

void store_close(struct store *s)
{
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
        if (batch->records[i].seq <= seq)
            return diag_set(why, PBSE_SAVE_ERR,
                            "record %" PRIu64 " follows %" PRIu64 " in the journal",
                            batch->records[i].seq, seq);
        seq = batch->records[i].seq;
    }
    err = s->ops->commit(s, batch, why);
    if (!err)
        s->last_seq = seq;
    return err;
}

int store_load(struct store *s, store_each_fn each, void *arg, struct diag *why)
{
    return s->ops->load(s, each, arg, why);
}

const char *store_note_get(struct store *s, const char *key, struct arena *arena)
{
    return s->ops->note_get(s, key, arena);
}

int store_journal(struct store *s, uint64_t since, store_each_fn each, void *arg,
                  struct diag *why)
{
    return s->ops->journal(s, since, each, arg, why);
}

int store_journal_prune(struct store *s, int64_t before_at, struct diag *why)
{
    return s->ops->prune(s, before_at, why);
}
