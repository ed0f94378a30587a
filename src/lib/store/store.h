/* store.h - the store's door: object rows and journal rows, in one transaction.
 *
 * Behind it are SQLite, an in-memory store that can crash between any two commits
 * (for the simulator), and later PostgreSQL. The store knows nothing of what the
 * attributes mean: kinds, attributes and facts are names, values are texts.
 *
 * Not thread safe by itself: the server's shell calls a store from its store thread
 * only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_STORE_H
#define LIB_STORE_STORE_H

#include "lib/base/arena.h"
#include "lib/base/diag.h"

struct store;

/* One attribute's change; 'after' NULL removes the row. */
struct store_change {
    const char *attr;
    const char *resource; /* "" when none */
    const char *before;   /* NULL: was unset */
    const char *after;
};

enum store_op {
    STORE_CREATE,
    STORE_CHANGE,
    STORE_REMOVE
};

struct store_record {
    uint64_t seq;
    int64_t at;
    const char *actor;
    const char *fact; /* "resv.confirmed" */
    const char *note; /* NULL when none */
    enum store_op op;
    const char *kind; /* "resv" */
    const char *id;
    size_t n;
    const struct store_change *changes;
};

/* Free-form facts of the shell stored in the same transaction, e.g. the accounting
 * file and the offset reached. */
struct store_note {
    const char *key;
    const char *value;
};

struct store_batch {
    size_t n_records;
    const struct store_record *records;
    size_t n_notes;
    const struct store_note *notes;
};

/* Open 'url': "sqlite:<path>" (made when missing, mode 0600) or "memory:".
 * On success hands the store over; store_close() ends it. PBSE_SYSTEM with the reason
 * otherwise, also for a schema version that is not ours. */
int store_open(const char *url, struct store **ret, struct diag *why) MUST_CHECK;
void store_close(struct store *s);

/* True when the store held no objects at store_open(): a first start. */
bool store_is_new(const struct store *s);

/* Make a batch durable: all of it or nothing. On success it survives kill -9 and power
 * loss. PBSE_SAVE_ERR with the reason otherwise; the same batch may be tried again.
 * Refused too: a seq that does not grow, an object created twice, a change or removal
 * of an object that does not exist. */
int store_commit(struct store *s, const struct store_batch *batch,
                 struct diag *why) MUST_CHECK;

/* Hand every object over in order of creation: op STORE_CREATE, fact "loaded", seq of
 * its creation, 'at' 0, its attributes sorted by name and resource as changes with
 * before NULL. The record lives during the call only. Stops and returns the first
 * non-zero value of 'each'; PBSE_SYSTEM with words when reading fails. */
typedef int (*store_each_fn)(void *arg, const struct store_record *object);
int store_load(struct store *s, store_each_fn each, void *arg,
               struct diag *why) MUST_CHECK;

uint64_t store_last_seq(struct store *s);
/* A note's value in the arena, NULL when there is none. */
const char *store_note_get(struct store *s, const char *key, struct arena *arena);

/* Journal rows with seq > 'since', oldest first. */
int store_journal(struct store *s, uint64_t since, store_each_fn each, void *arg,
                  struct diag *why) MUST_CHECK;
/* Drop journal rows older than 'before_at'. */
int store_journal_prune(struct store *s, int64_t before_at,
                        struct diag *why) MUST_CHECK;

/* In-memory store only, for tests and the simulator: commits fail while 'failing'; a
 * restart: a new store with the content of 's', which is closed. */
void store_memory_fail(struct store *s, bool failing);
struct store *store_memory_reopen(struct store *s);

#endif
