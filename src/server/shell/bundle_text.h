/* bundle_text.h - the texts that a bundle of occurrences has in the store: bundles.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_BUNDLE_TEXT_H
#define SERVER_SHELL_BUNDLE_TEXT_H

#include "lib/base/arena.h"

/* "S5[3].svr", or "S5[2-257].svr" */
struct bundle_id {
    const char *series; /* "S5"; not terminated */
    size_t series_len;
    int64_t from, to;
    const char *rest; /* ".svr" */
};

/* False: it is none. Indexes are at least 1, and in order. */
bool bundle_id_parse(const char *text, struct bundle_id *ret) MUST_CHECK;

/* In the arena. */
const char *bundle_id_print(const struct bundle_id *id, struct arena *arena);

struct bundle_time {
    int64_t start_at, length_s;
};

/* "1795249795+3600,1795336195": in the arena. */
const char *bundle_times_print(const struct bundle_time *v, size_t n,
                               struct arena *arena);

/* Exactly n times into v; false when the text is something else. */
bool bundle_times_parse(const char *text, struct bundle_time *v, size_t n) MUST_CHECK;

/* "17" or "17.ncpus": the index, and what is behind the dot ("" when there is no dot).
 * False: it is none. */
bool bundle_member_parse(const char *text, int64_t *ret_index,
                         const char **ret_resource) MUST_CHECK;
const char *bundle_member_print(int64_t index, const char *resource,
                                struct arena *arena);

#endif
