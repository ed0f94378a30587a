/* backend.h - what a store is made of, behind store.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_BACKEND_H
#define LIB_STORE_BACKEND_H

#include "lib/store/store.h"

struct store_ops {
    void (*close)(struct store *s);
    int (*commit)(struct store *s, const struct store_batch *batch, struct diag *why);
    int (*load)(struct store *s, store_each_fn each, void *arg, struct diag *why);
    const char *(*note_get)(struct store *s, const char *key, struct arena *arena);
    int (*journal)(struct store *s, uint64_t since, store_each_fn each, void *arg,
                   struct diag *why);
    int (*prune)(struct store *s, int64_t before_at, struct diag *why);
};

/* First member of each backend's own struct. */
struct store {
    const struct store_ops *ops;
    bool is_new;
    uint64_t last_seq;
};

int store_sqlite_open(const char *path, struct store **ret,
                      struct diag *why) MUST_CHECK;
struct store *store_memory_open(void);

/* "create", "change", "remove", as the journal has them. */
const char *store_op_name(enum store_op op);
enum store_op store_op_find(const char *name); /* STORE_CHANGE for an unknown one */

#endif
