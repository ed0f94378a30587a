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

/* What is counted at the server and at no vnode is asked for beside the chunks. */
static bool is_beside(const struct snapshot *s, const struct res_value *asked)
{
    const struct res *row = &s->res.v[asked->res];

    return row->summed && !row->consumable;
}

/* The place of the resource in the list, made when it is new. */
static struct need *sum_of(struct res_sums *list, size_t res)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].res == res)
            return &list->v[i];
    list->v[list->n] = (struct need){ .res = res };
    return &list->v[list->n++];
}

static void add_to_sum(struct res_sums *list, size_t res, int64_t count, int64_t amount)
{
    struct need *sum = sum_of(list, res);
    int64_t all;

    /* Of absurd amounts a thousand leave the range. */
    if (__builtin_mul_overflow(count, amount, &all) || all > AMOUNT_MAX - sum->amount)
        sum->amount = AMOUNT_MAX;
    else
        sum->amount += all;
}

/* Add up what the chunks ask for, and what is asked for beside them. */
static void read_sums(const struct snapshot *s, struct arena *arena,
                      const struct res_values *asked, struct request *rq)
{
    size_t most = asked ? asked->n : 0;

    for (size_t c = 0; c < rq->n; c++)
        most += rq->chunks[c].n;
    rq->all.v = arena_alloc(arena, MIN_OF(most, s->res.n) * sizeof(*rq->all.v) + 1);
    for (size_t c = 0; c < rq->n; c++)
        for (size_t i = 0; i < rq->chunks[c].n; i++) {
            const struct need *need = &rq->chunks[c].needs[i];

            if (s->res.v[need->res].summed && s->res.v[need->res].consumable)
                add_to_sum(&rq->all, need->res, rq->chunks[c].count, need->amount);
        }
    for (size_t i = 0; asked && i < asked->n; i++)
        if (is_beside(s, &asked->v[i]))
            add_to_sum(&rq->all, asked->v[i].res, 1, MAX_OF(asked->v[i].amount, 0));
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

/* No valid place or select has a newline, nor has the name of a resource, so two
 * different requests have different keys. */
static const char *key_of(struct snapshot *s, const char *select, const char *place,
                          const struct res_values *asked)
{
    struct arena *arena = snap_arena(s);
    const char *key = arena_printf(arena, "%s\n%s", place, select);

    for (size_t i = 0; asked && i < asked->n; i++)
        if (is_beside(s, &asked->v[i]))
            key =
                arena_printf(arena, "%s\n%s=%lld", key, s->res.v[asked->v[i].res].name,
                             (long long)asked->v[i].amount);
    return key;
}

const struct request *snap_request(struct snapshot *s, const char *select,
                                   const char *place, const struct res_values *asked)
{
    struct request *rq;
    const char *key;

    if (!select)
        return NULL;
    /* Without a place chunks go anywhere (scheduling.md 15). */
    if (!place)
        place = "free";
    key = key_of(s, select, place, asked);
    HASH_FIND_STR(s->requests, key, rq);
    if (!rq) {
        rq = new_request(s, key);
        /* One that cannot be read is kept as well: others with the same text need no
         * second look. */
        rq->valid = read_request(s, rq->arena, select, place, rq);
        if (rq->valid)
            read_sums(s, rq->arena, asked, rq);
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
