/* views.h - the store's objects as tables that an administrator can query.
 *
 * They are made of the view object_values, a row for each value, that each database has
 * of its own. One view for each kind, one column for each attribute that people ask
 * for. Both databases have the same views; doc/store.md has queries to start from.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_VIEWS_H
#define LIB_STORE_VIEWS_H

#include "lib/base/arena.h"

/* "CREATE VIEW ...;" for every view, in SQL that SQLite and PostgreSQL both take. */
const char *store_views_sql(struct arena *arena);

#endif
