/* request.c - schedselect and place read once, however many ask for the same.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/snapshot/snapshot.h"

#include <string.h>

static void read_chunk(struct snapshot *s, const struct chunk *from,
                       struct req_chunk *to)
{
    MUST(from->count > 0); /* read_request() refused the others */
    *to = (struct req_chunk){ .count = from->count };
    to->needs = arena_alloc(s->arena, from->n * sizeof(*to->needs) + 1);
    for (size_t i = 0; i < from->n; i++) {
        size_t res = snap_res(s, from->res[i].name);

        to->needs[to->n++] = (struct need){
            .res = res,
            .amount = snap_need(&s->res.v[res], from->res[i].value),
            .text = from->res[i].value,
        };
    }
}

static bool read_request(struct snapshot *s, const char *select, const char *place,
                         struct request *rq)
{
    struct select sel;

    if (place_parse(place, s->arena, &rq->place, NULL) != 0 ||
        select_parse(select, s->defs, s->arena, &sel, NULL) != 0)
        return false;
    rq->n = sel.n;
    rq->chunks = arena_alloc(s->arena, sel.n * sizeof(*rq->chunks) + 1);
    for (size_t i = 0; i < sel.n; i++) {
        /* The sum is checked before it is made: a count may be as large as a number
         * can be. */
        if (sel.chunks[i].count < 1 ||
            sel.chunks[i].count > REQUEST_CHUNKS_MAX - rq->n_total)
            return false;
        read_chunk(s, &sel.chunks[i], &rq->chunks[i]);
        rq->n_total += sel.chunks[i].count;
    }
    return rq->n_total > 0;
}

const struct request *snap_request(struct snapshot *s, const char *select,
                                   const char *place)
{
    struct request *rq;
    const char *key;

    if (!select)
        return NULL;
    if (!place)
        place = "free";
    key = arena_printf(s->arena, "%s\n%s", place, select);
    HASH_FIND_STR(s->requests, key, rq);
    if (rq)
        return rq;
    rq = arena_zero(s->arena, sizeof(*rq));
    rq->key = key;
    rq->valid = read_request(s, select, place, rq);
    MUST(!rq->valid || (rq->n_total > 0 && rq->n_total <= REQUEST_CHUNKS_MAX));
    HASH_ADD_KEYPTR(hh, s->requests, key, strlen(key), rq);
    return rq;
}
