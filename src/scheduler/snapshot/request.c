/* request.c - schedselect and place read once, however many ask for the same.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/snapshot/snapshot.h"

#include <string.h>

static void read_chunk(struct snapshot *s, struct arena *arena,
                       const struct chunk *from, struct req_chunk *to)
{
    MUST(from->count > 0); /* read_request() refused the others */
    *to = (struct req_chunk){ .count = from->count };
    to->needs = arena_alloc(arena, from->n * sizeof(*to->needs) + 1);
    for (size_t i = 0; i < from->n; i++) {
        /* A resource that nobody has defined gets a slot too: no vnode has it, so the
         * request waits or is denied for it by name. */
        size_t res = snap_res(s, from->res[i].name);

        to->needs[to->n++] = (struct need){
            .res = res,
            .amount = snap_need(&s->res.v[res], from->res[i].value),
            .text = from->res[i].value,
        };
    }
}

static bool read_request(struct snapshot *s, struct arena *arena, const char *select,
                         const char *place, struct request *rq)
{
    struct select sel;

    if (place_parse(place, arena, &rq->place, NULL) != 0 ||
        select_parse(select, s->defs, arena, &sel, NULL) != 0)
        return false;
    rq->n = sel.n;
    rq->chunks = arena_alloc(arena, sel.n * sizeof(*rq->chunks) + 1);
    for (size_t i = 0; i < sel.n; i++) {
        /* The sum is checked before it is made: a count may be as large as a number
         * can be. */
        if (sel.chunks[i].count < 1 ||
            sel.chunks[i].count > REQUEST_CHUNKS_MAX - rq->n_total)
            return false;
        read_chunk(s, arena, &sel.chunks[i], &rq->chunks[i]);
        rq->n_total += sel.chunks[i].count;
    }
    return rq->n_total > 0;
}

/* The memory of a request that nobody uses yet: of its own, where requests are given
 * back one by one. */
static struct request *new_request(struct snapshot *s, const char *key)
{
    struct arena *arena = s->kept ? arena_new_small() : s->arena;
    struct request *rq = ARENA_NEW(arena, struct request);

    rq->arena = arena;
    rq->key = arena_strdup(arena, key);
    return rq;
}

const struct request *snap_request(struct snapshot *s, const char *select,
                                   const char *place)
{
    struct request *rq;
    const char *key;

    if (!select)
        return NULL;
    /* Without a place chunks go anywhere (scheduling.md 15). */
    if (!place)
        place = "free";
    /* No valid place or select has a newline, so two different pairs have different
     * keys. */
    key = arena_printf(snap_arena(s), "%s\n%s", place, select);
    HASH_FIND_STR(s->requests, key, rq);
    if (!rq) {
        rq = new_request(s, key);
        /* One that cannot be read is kept as well: others with the same text need no
         * second look. */
        rq->valid = read_request(s, rq->arena, select, place, rq);
        MUST(!rq->valid || (rq->n_total > 0 && rq->n_total <= REQUEST_CHUNKS_MAX));
        HASH_ADD_KEYPTR(hh, s->requests, rq->key, strlen(rq->key), rq);
    }
    if (s->kept)
        snap_kept_use(s, rq);
    return rq;
}

void snap_request_release(struct snapshot *s, struct request *rq)
{
    MUST(s->kept && rq->n_uses > 0);
    /* Jobs come and go, and what the last user of a text leaves would never be asked
     * for again by this name. */
    if (--rq->n_uses > 0)
        return;
    HASH_DELETE(hh, s->requests, rq);
    arena_free(rq->arena);
}
