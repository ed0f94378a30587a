/* bundle_table.h - which occurrences lie in which bundle of the store: bundles.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_BUNDLE_TABLE_H
#define SERVER_SHELL_BUNDLE_TABLE_H

#include "server/shell/bundle_text.h"

struct bundle {
    char *id; /* of the store's object: "S5[2-257].svr" */
    int64_t from;
    size_t n, n_left;
    bool *gone; /* [n] */
    struct bundle *prev, *next;
};

struct bundle_table;

/* A table without bundles; free takes its bundles along. */
struct bundle_table *bundle_table_new(void);
void bundle_table_free(struct bundle_table *t);

/* A bundle with all of id->from to id->to; 'text' is the same id as it is stored. */
struct bundle *bundle_table_add(struct bundle_table *t, const struct bundle_id *id,
                                const char *text);

/* It has nothing left; 'id' is that of any of its occurrences. */
void bundle_table_remove(struct bundle_table *t, struct bundle *u,
                         const struct bundle_id *id);

/* The bundle that has the occurrence id->from; NULL: that has rows of its own, or is
 * not there. Linear in the bundles of the series. */
struct bundle *bundle_table_find(const struct bundle_table *t,
                                 const struct bundle_id *id);

/* An occurrence that it has is no more. */
void bundle_mark_gone(struct bundle *u, int64_t index);

#endif
