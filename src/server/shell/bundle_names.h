/* bundle_names.h - what bundles.c writes and bundle_load.c reads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_BUNDLE_NAMES_H
#define SERVER_SHELL_BUNDLE_NAMES_H

#include "lib/store/store.h"
#include "server/model/model.h"
#include "server/shell/bundle_table.h"
#include "server/shell/bundles.h"

#include <string.h>

/* Attributes of a bundle that no occurrence has. */
#define BUNDLE_GONE  "gone"
#define BUNDLE_TIMES "times"

static inline const char *bundle_attr(enum occurrence_attr attr)
{
    return occurrence_table.rows[attr].name;
}

/* The value that the row gives an attribute; NULL: it gives none. */
static inline const char *bundle_value(const struct store_record *row, const char *attr)
{
    for (size_t i = 0; i < row->n; i++)
        if (strcmp(row->changes[i].attr, attr) == 0 && !*row->changes[i].resource)
            return row->changes[i].after;
    return NULL;
}

struct bundle_table *bundles_table(struct bundles *b);

#endif
