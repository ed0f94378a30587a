/* shown.h - how objects look in a status reply, encoded once and kept.
 *
 * One piece of bytes is one object with all its attributes for one class of viewers:
 * those whose rights let them read the same. It holds until the object's shown_seq
 * changes. A piece that somebody holds stays as it is when the cache drops it.
 *
 * The cache is no part of the model: nothing is decided from it, and it may be emptied
 * at any time. What is kept is bounded; the least recently used goes first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_ENGINE_SHOWN_H
#define SERVER_ENGINE_SHOWN_H

#include "server/requests/show.h"

#define SHOWN_MAX_BYTES (256u << 20)

struct shown_cache;

/* The bytes of one object, as in the body of a status reply. */
struct shown {
    size_t len;
    const char *data;
    uint64_t seq; /* the record that it has seen */
};

/* Of what was encoded at most 'max_bytes' are kept for the next who asks. */
struct shown_cache *shown_cache_new(size_t max_bytes);
/* Everybody must have released what they hold. NULL is fine. */
void shown_cache_free(struct shown_cache *c);

/* The object as rq's requester may see it; the caller releases it. *ret_made says
 * whether it had to be encoded, *ret_looked_at how many promises to others were looked
 * at for it. rq->arena is not used. */
const struct shown *shown_get(struct shown_cache *c, const struct model *m,
                              const struct request *rq, const struct asked *asked,
                              const struct object *o, bool *ret_made,
                              size_t *ret_looked_at);
/* Bytes of the caller's own, held as any other piece until they are released. */
const struct shown *shown_other(struct shown_cache *c, const struct wire_object *o,
                                uint64_t seq);
void shown_release(struct shown_cache *c, const struct shown *s);

/* The object leaves the model: what is kept of it is of no use any more. */
void shown_forget(struct shown_cache *c, const struct object *o);

/* Bytes kept, and bytes that are only held (dropped, or never kept). */
size_t shown_kept_bytes(const struct shown_cache *c);
size_t shown_held_bytes(const struct shown_cache *c);

/* For tests: what is kept of the object for rq's requester equals what would be encoded
 * now; makes it when nothing is kept. */
bool shown_is_right(struct shown_cache *c, const struct model *m,
                    const struct request *rq, const struct object *o);

#endif
