/* store.h - the store's door: object rows and journal rows, in one transaction.
 *
 * Behind it are SQLite, PostgreSQL, and an in-memory store that can crash between any
 * two commits (for the simulator). The store knows nothing of what the attributes
 * mean: kinds, attributes and facts are names, values are texts.
 *
 * A store has one writer. Who opens it holds it until store_close(), and a second
 * opener is refused. Each opening also has an epoch of its own, which every commit
 * checks: should another server have taken the store over meanwhile, nothing of the
 * old one gets in.
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

/* Longer values (scripts, large lists) are whole in the object's row; the journal,
 * which outlives the object by weeks, has their front and their length. */
#define STORE_JOURNAL_BYTES 16384

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
    /* It is half of what was decided, and the next record is more of it: no transaction
     * may end between them. Not stored. */
    bool with_next;
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

struct store_config {
    const char *url;           /* "sqlite:<path>", "postgresql:<conninfo>", "memory:" */
    const char *password_file; /* PostgreSQL only; NULL: libpq's own ways */
    const char *holder;        /* who opens it, for people: "host:pid"; NULL: "" */
};

/* Open a store, make it when there is none (an SQLite file with mode 0600; a schema
 * "holdfast" in the database), bring an older layout up to date. On success hands the
 * store over; store_close() ends it. PBSE_OBJBUSY: another process holds it.
 * PBSE_TRYAGAIN: the database cannot be reached, or does not take connections yet.
 * PBSE_SYSTEM with words that say what to do otherwise: it cannot be reached, is
 * damaged, is somebody else's, was made by a newer version. Nothing is changed then. */
int store_open_as(const struct store_config *cfg, struct store **ret,
                  struct diag *why) MUST_CHECK;
/* The same with a URL alone. */
int store_open(const char *url, struct store **ret, struct diag *why) MUST_CHECK;
void store_close(struct store *s);

/* Is there something at this URL that a new store would replace? Nothing is changed.
 * False also when the database cannot be reached: opening says why. */
bool store_exists(const struct store_config *cfg);

/* Move what is there to a name with the time in it, so that a new store can be made; a
 * damaged store too. PBSE_OBJBUSY when a server uses it, PBSE_SYSTEM when it cannot be
 * moved. */
int store_put_aside(const struct store_config *cfg, int64_t now_at,
                    struct diag *why) MUST_CHECK;

/* True when the store held no objects at store_open(): a first start. */
bool store_is_new(const struct store *s);

/* Make a batch durable: all of it or nothing. On success it survives kill -9 and power
 * loss. PBSE_SAVE_ERR with the reason otherwise; the same batch is to be tried again,
 * and no other before it succeeded: when the connection broke during the commit, only
 * the next try finds out what became of it.
 * PBSE_INTERNAL: a record contradicts what is stored, or those before it: a seq that
 * does not grow, an object created twice, a change or removal of an object that does
 * not exist. That is a mistake of ours, and trying again never helps.
 * PBSE_OBJBUSY: another server has taken the store over, or it was put back to an
 * earlier state; this one can never write again. */
int store_commit(struct store *s, const struct store_batch *batch,
                 struct diag *why) MUST_CHECK;

/* After PBSE_INTERNAL for that batch: make durable what comes before the record that
 * contradicts and those that go with it (.with_next), in several transactions and
 * without the notes; *ret is the seq of the first one that is not durable, the words
 * say why. 0; or the error of a commit, when it is not known which one it is, and
 * store_last_seq() says how far it got. */
int store_commit_before(struct store *s, const struct store_batch *batch, uint64_t *ret,
                        struct diag *why) MUST_CHECK;

/* After a commit that failed: because the database could not be asked, or did not
 * answer in time. It may be there again at any moment. False when it has answered that
 * it cannot: its disk is full or broken, and trying again helps only when somebody has
 * done something about that. */
bool store_is_out_of_reach(const struct store *s);

/* Hand every object over in order of creation: op STORE_CREATE, fact "loaded", seq of
 * its creation, 'at' 0, its attributes sorted by name and resource as changes with
 * before NULL. The record lives during the call only. Stops and returns the first
 * non-zero value of 'each'; PBSE_SYSTEM with words when reading fails. */
typedef int (*store_each_fn)(void *arg, const struct store_record *object);
int store_load(struct store *s, store_each_fn each, void *arg,
               struct diag *why) MUST_CHECK;
/* The same for the objects of one kind, without a look at the others. */
int store_load_kind(struct store *s, const char *kind, store_each_fn each, void *arg,
                    struct diag *why) MUST_CHECK;

/* Number of the last record that is durable; 0 in a new store. */
uint64_t store_last_seq(struct store *s);
/* A note's value in the arena, NULL when there is none. PBSE_SYSTEM when reading fails.
 */
int store_note_get(struct store *s, const char *key, struct arena *arena,
                   const char **ret, struct diag *why) MUST_CHECK;

/* Look at one object, whoever holds the store: nothing is locked or written, and what
 * is being committed meanwhile is seen or not. *ret as store_load() hands it over, in
 * the arena; *ret_found says whether there is such an object. PBSE_SYSTEM with words:
 * the store cannot be reached, is damaged, or has another layout. */
int store_peek(const struct store_config *cfg, const char *kind, const char *id,
               struct arena *arena, struct store_record *ret, bool *ret_found,
               struct diag *why) MUST_CHECK;

/* Which journal rows; a zeroed struct asks for all of them. */
struct store_query {
    uint64_t since;        /* seq greater than this */
    int64_t from_at;       /* not before this second */
    int64_t until_at;      /* before this second; 0: no end */
    const char *kind, *id; /* of this object; both or neither, or 'kind' alone */
    uint64_t limit;        /* at most so many records; 0: no limit */
    const char *facts[2];  /* of one of these facts; both NULL: of any */
};

/* Journal rows that match, oldest first. */
int store_journal(struct store *s, const struct store_query *query, store_each_fn each,
                  void *arg, struct diag *why) MUST_CHECK;
/* Drop journal rows older than 'before_at', oldest first and at most 'max' of them, so
 * that nobody waits long; *n, which may be NULL, says how many went. */
int store_journal_prune(struct store *s, int64_t before_at, uint64_t max, uint64_t *n,
                        struct diag *why) MUST_CHECK;

/* Give back what the store does not need any more, a little at a time: called behind
 * commits. A failure is nobody's business. */
void store_tidy(struct store *s);

/* In-memory store only, for tests and the simulator: commits fail while 'failing', as
 * of a database that is out of reach; while 'full', as of a full disk; the record
 * with a number contradicts what is stored, until the restart; a restart: a new
 * store with the content of 's', which is closed. */
void store_memory_fail(struct store *s, bool failing);
void store_memory_fill(struct store *s, bool full);
void store_memory_contradict(struct store *s, uint64_t seq);
struct store *store_memory_reopen(struct store *s);

#endif
