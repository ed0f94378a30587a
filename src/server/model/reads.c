/* reads.c - see reads.h. What is noted is no part of the model: a const object may be
 * watched.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/reads.h"

#include <stdlib.h>
#include <string.h>

void reads_begin(const struct object *o)
{
    MUST(!o->reads);
    /* The object is const for its readers; only this note beside its values is
     * written. */
    STRUCT_OF(&o->reads, struct object, reads)->reads =
        xcalloc(kind_table(o->kind)->n, sizeof(*o->reads));
}

void reads_end(const struct object *o)
{
    MUST(o->reads);
    free(o->reads);
    STRUCT_OF(&o->reads, struct object, reads)->reads = NULL;
}

bool reads_has(const struct object *o, int attr)
{
    return o->reads && o->reads[attr];
}

void reads_forget(const struct object *o)
{
    if (o->reads)
        memset(o->reads, 0, kind_table(o->kind)->n * sizeof(*o->reads));
}
