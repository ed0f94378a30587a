/* chunk.h - reading "name=value:name=value" inside select and exec_vnode.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_CHUNK_H
#define LIB_ATTR_CHUNK_H

#include "lib/attr/select.h"

/* A list of pairs while it is read. */
struct pairs {
    size_t n, cap;
    struct chunk_resource *v;
};

/* Read one pair; *p then stands behind its value. 'ends' are the characters that end a
 * value outside quotes. False when there is none; nothing is looked up. */
bool chunk_read_pair(const char **p, const char *ends, struct arena *arena,
                     struct pairs *out) MUST_CHECK;

/* Length of the name at 'p': letter { letter | digit | '-' | '_' }. 0: none. */
size_t chunk_name_len(const char *p);

/* Read the count in front of a chunk and move *p behind it; false when it is larger
 * than a chunk's count may be. */
bool chunk_read_count(const char **p, int64_t *ret) MUST_CHECK;

/* The value of a resource in the chunk, NULL when the chunk does not name it. */
const char *chunk_value_in(const struct chunk *chunk, const char *name);

#endif
