/* listing.h - status replies on their way: gathered and read in slices.
 *
 * A status of many objects is too long for one turn. A listing walks the objects
 * (requests/walk.h) and holds how each one looked (shown.h) when the walk came by, a
 * slice at a time, so that others are served in between. When a part of the reply is
 * whole, its length is known, and it can be read, again in slices, as fast as the peer
 * takes it. Parts of jobs have 500 (wire.md 8.2); the reply over other kinds is one
 * part and one packet.
 *
 * Each object is whole and as it was at one instant; a listing that takes several turns
 * shows objects of several instants. Listings live as long as their connection.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_ENGINE_LISTING_H
#define SERVER_ENGINE_LISTING_H

#include "server/engine/shown.h"
#include "server/requests/walk.h"

/* What one slice may cost, about: bytes that have to be encoded. */
#define LISTING_SLICE_BYTES (192u << 10)
/* A reply over so many bytes is refused: a packet's length has 32 bits. */
#define LISTING_MAX_BYTES   (2048u << 20)

struct listing;

struct listings {
    struct listing *by_conn; /* uthash */
    struct shown_cache *shown;
};

/* No reply is being gathered; fini frees those that are, and the looks that are kept.
 */
void listings_init(struct listings *t);
void listings_fini(struct listings *t);

/* Begin the reply to a request that was decided as a listing; what it needs of 'rq' is
 * copied. One of the same connection that is still there is dropped. */
struct listing *listing_new(struct listings *t, const struct model *m,
                            const struct request *rq);
struct listing *listing_find(const struct listings *t, uint64_t conn);
void listing_drop(struct listings *t, uint64_t conn); /* fine when there is none */

/* Go on with gathering a part for one slice. */
void listing_gather(struct listings *t, struct listing *l, int64_t now_at,
                    size_t slice_bytes);
bool listing_is_gathering(const struct listing *l);
bool listing_is_too_long(const struct listing *l);

/* Of a part that is gathered: the last record that it has seen, bytes of its packet,
 * and whether it is the last. */
uint64_t listing_seq(const struct listing *l);
size_t listing_part_bytes(const struct listing *l);
bool listing_is_last_part(const struct listing *l);

/* The part as a reply of its own, in 'arena'. */
struct wire_reply listing_reply(const struct listing *l, struct arena *arena);

enum listing_read {
    LISTING_READ_SOME, /* there is more of the part */
    LISTING_READ_PART, /* the part is read: gather the next one */
    LISTING_READ_ALL   /* that was the reply */
};

/* Append the next bytes of the packet, at least one object and about 'most_bytes'. */
enum listing_read listing_read(struct listings *t, struct listing *l, size_t most_bytes,
                               struct buf *out);

/* An object is about to leave the model, or (retires) to become history. */
void listings_leave(struct listings *t, const struct object *o, bool retires);
/* A job has another place in the order of jobs than it had. */
void listings_moved(struct listings *t, const struct job *job, struct rank_place was);

#endif
