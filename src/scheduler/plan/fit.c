/* fit.c - first fit: hosts in order, on each host its vnodes in order.
 *
 * A host of one vnode is a vnode; only a host of several can split a chunk. A host that
 * failed a chunk is not tried again for further copies of it. Hosts come as they are
 * needed: fit_hosts.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/fit.h"

#include <string.h>
#include <strings.h>

bool fit_is_counted(const struct world *w, const struct need *n)
{
    return w->s->res.v[n->res].consumable && !w->ignored[n->res];
}

/* A text resource of a vnode is a comma list; the wanted text must be one of its
 * members. Case counts for every resource but host. */
static bool text_is_met(const struct res *res, const char *wanted, const char *offered)
{
    size_t len = strlen(wanted);

    while (offered) {
        size_t n = strcspn(offered, ",");

        offered += strspn(offered, " ");
        n = strcspn(offered, ",");
        if (n == len && (res->by_case ? strncmp(offered, wanted, n)
                                      : strncasecmp(offered, wanted, n)) == 0)
            return true;
        offered = offered[n] ? offered + n + 1 : NULL;
    }
    return false;
}

/* A vnode answers to its own name and to its host's name, also when nobody has set
 * these two resources. */
const char *fit_offered_text(const struct world *w, size_t vnode, size_t res)
{
    size_t home = world_slot(w, vnode, res) / w->n_res;
    const struct res_value *value =
        snap_values_find(&w->s->vnodes[home].available, res);

    if (value)
        return value->text;
    if (strcasecmp(w->s->res.v[res].name, "vnode") == 0)
        return w->s->vnodes[vnode].name;
    if (strcasecmp(w->s->res.v[res].name, "host") == 0)
        return w->s->vnodes[vnode].host;
    return NULL;
}

bool fit_need_is_met(const struct world *w, const struct need *n, size_t vnode)
{
    const struct res *res = &w->s->res.v[n->res];
    size_t slot = world_slot(w, vnode, n->res);
    const char *offered;

    if (w->ignored[n->res] || (w->infinite[n->res] && !w->is_set[slot]))
        return true;
    if (res->kind == RES_BOOL)
        return (w->total[slot] != 0) == (n->amount != 0);
    if (res->kind != RES_TEXT)
        return w->total[slot] >= n->amount;
    offered = fit_offered_text(w, vnode, n->res);
    return offered ? text_is_met(res, n->text, offered) : !*n->text;
}

bool fit_matches(const struct fit *f, const struct req_chunk *chunk, size_t vnode)
{
    if (f->ask)
        f->ask((struct fit *)f, vnode);
    if (!f->eligible[vnode])
        return false;
    for (size_t i = 0; i < chunk->n; i++)
        if (!fit_is_counted(f->w, &chunk->needs[i]) &&
            !fit_need_is_met(f->w, &chunk->needs[i], vnode))
            return false;
    return true;
}

/* True when the policy lets a resource that is not set on the vnode count as without
 * end (resource_unset_infinite). */
static bool is_infinite(const struct world *w, size_t vnode, size_t res)
{
    return w->infinite[res] && !w->is_set[world_slot(w, vnode, res)];
}

bool fit_has_room(const struct fit *f, const struct req_chunk *chunk, size_t vnode)
{
    for (size_t i = 0; i < chunk->n; i++) {
        const struct need *n = &chunk->needs[i];

        if (n->amount > 0 && fit_is_counted(f->w, n) &&
            !is_infinite(f->w, vnode, n->res) &&
            f->free[world_slot(f->w, vnode, n->res)] < n->amount)
            return false;
    }
    return true;
}

void fit_take(struct fit *f, const struct placed *pd, int sign)
{
    MUST(pd->n > 0 || sign < 0); /* an empty chunk takes nothing and has no host */
    MUST(sign == 1 || sign == -1);
    for (size_t i = 0; i < pd->n; i++) {
        const struct piece *piece = &pd->pieces[i];

        MUST(piece->vnode < f->w->n);
        for (size_t r = 1; r < f->w->n_res; r++)
            f->free[world_slot(f->w, piece->vnode, r)] -= sign * piece->amounts[r];
        /* With place=scatter a vnode or host gets one chunk at most, so that giving
         * this chunk back leaves nothing of the request there. */
        fit_mark(f, piece->vnode, sign > 0);
    }
}

void fit_place_whole(struct fit *f, const struct req_chunk *chunk, size_t vnode,
                     struct placed *pd)
{
    struct piece *piece = placed_add(pd, f->w->scratch, f->w, vnode);

    piece->needs = arena_alloc(f->w->scratch, chunk->n * sizeof(struct need *) + 1);
    for (size_t i = 0; i < chunk->n; i++) {
        const struct need *n = &chunk->needs[i];

        if (!fit_is_counted(f->w, n))
            continue;
        piece->amounts[n->res] += n->amount;
        piece->needs[piece->n_needs++] = n;
    }
    fit_take(f, pd, 1);
}

/* What is free on the vnode besides what the pieces before take of the same. */
static int64_t free_beside(const struct fit *f, const struct placed *pd, size_t vnode,
                           size_t res)
{
    size_t slot = world_slot(f->w, vnode, res);
    int64_t free = f->free[slot];

    for (size_t i = 0; f->w->home && i < pd->n; i++)
        if (world_slot(f->w, pd->pieces[i].vnode, res) == slot)
            free -= pd->pieces[i].amounts[res];
    return free;
}

/* What one vnode of a host gives to a chunk that none of them holds alone: all it has
 * of each resource, up to what is left; printed in reverse order (scheduling.md 18). */
static void give_part(struct fit *f, const struct req_chunk *chunk, size_t vnode,
                      int64_t *left, struct placed *pd)
{
    struct piece *piece = NULL;

    for (size_t i = chunk->n; i-- > 0;) {
        const struct need *n = &chunk->needs[i];
        int64_t has, part;

        if (!fit_is_counted(f->w, n))
            continue;
        has = is_infinite(f->w, vnode, n->res) ? left[i]
                                               : free_beside(f, pd, vnode, n->res);
        part = has < left[i] ? has : left[i];
        if (part <= 0)
            continue;
        if (!piece) {
            piece = placed_add(pd, f->w->scratch, f->w, vnode);
            piece->needs = arena_alloc(f->w->scratch, chunk->n * sizeof(struct need *));
        }
        piece->amounts[n->res] += part;
        piece->needs[piece->n_needs++] = n;
        left[i] -= part;
    }
}

bool fit_place_split(struct fit *f, const struct req_chunk *chunk, size_t host,
                     struct placed *pd)
{
    const struct fit_host *h = &f->hosts[host];
    int64_t *left = arena_alloc(f->w->scratch, chunk->n * sizeof(*left) + 1);
    bool missing = false;

    MUST(host < f->n_hosts && pd->n == 0);
    for (size_t i = 0; i < chunk->n; i++)
        left[i] = fit_is_counted(f->w, &chunk->needs[i]) ? chunk->needs[i].amount : 0;
    for (size_t i = 0; i < h->n; i++)
        if (fit_matches(f, chunk, h->vnodes[i]))
            give_part(f, chunk, h->vnodes[i], left, pd);
    for (size_t i = 0; i < chunk->n; i++)
        missing = missing || left[i] > 0;
    if (missing || pd->n == 0) {
        pd->n = 0;
        return false;
    }
    fit_take(f, pd, 1);
    return true;
}

/* Put one copy of a chunk on a host: whole on the first vnode that can hold it, else
 * split over the vnodes of the host. */
bool fit_place_on_host(struct fit *f, const struct req_chunk *chunk, size_t host,
                       struct placed *pd)
{
    const struct fit_host *h = &f->hosts[host];
    enum place_arrange arrange = f->rq->place.arrange;

    if (arrange == PLACE_SCATTER && fit_host_is_used(f, h->vnodes[0]))
        return false;
    for (size_t i = 0; i < h->n; i++) {
        size_t vnode = h->vnodes[i];

        if (!fit_matches(f, chunk, vnode) || !fit_has_room(f, chunk, vnode) ||
            (arrange == PLACE_VSCATTER && fit_is_used(f, vnode)))
            continue;
        fit_place_whole(f, chunk, vnode, pd);
        return true;
    }
    return h->n > 1 && arrange != PLACE_VSCATTER && fit_place_split(f, chunk, host, pd);
}

/* Where first fit stands: a host one after the other, or on a walk. */
struct stand {
    size_t host; /* its index; SIZE_MAX: the walk is over */
    bool walks;
};

/* The host to begin with for the first copy of a chunk. */
static struct stand begin_with(const struct fit *f, size_t chunk, size_t first)
{
    bool goes_on = f->from && f->rq->place.arrange == PLACE_FREE;

    return (struct stand){ .host = goes_on ? MAX_OF(first, f->from[chunk]) : first };
}

/* Is there a host, before 'last'? SIZE_MAX: there is no last one. */
static bool has_host(struct fit *f, struct stand *at, const struct req_chunk *chunk,
                     size_t last)
{
    if (!at->walks && last == SIZE_MAX && f->n_plain != SIZE_MAX &&
        !fit_has_plain_host(f, at->host)) {
        at->walks = true;
        fit_set_out(f, chunk);
        at->host = fit_walk_on(f);
    }
    return at->host < last && (at->walks || fit_has_host(f, at->host));
}

static void next_host(struct fit *f, struct stand *at)
{
    at->host = at->walks ? fit_walk_on(f) : at->host + 1;
}

/* All copies of all chunks on hosts [first, last); last SIZE_MAX: on all from there. */
static bool place_all(struct fit *f, size_t first, size_t last)
{
    MUST(first <= last);
    if (f->w->p->sorts_anew)
        return fit_place_sorted(f, first, MIN_OF(last, f->n_hosts));
    f->n_placed = 0;
    for (size_t c = 0; c < f->rq->n; c++) {
        const struct req_chunk *chunk = &f->rq->chunks[c];
        /* Further copies of the same chunk go on from the host of the copy before: a
         * host that had no room for one copy has no room for the next either. */
        struct stand at = begin_with(f, c, first);

        for (int64_t copy = 0; copy < f->counts[c]; copy++) {
            struct placed *pd = &f->placed[f->n_placed];

            *pd = (struct placed){ 0 };
            while (has_host(f, &at, chunk, last) &&
                   !fit_place_on_host(f, chunk, at.host, pd))
                next_host(f, &at);
            if (!has_host(f, &at, chunk, last)) {
                f->failed_chunk = c;
                f->failed_copy = copy;
                return false;
            }
            if (copy == 0 && f->from)
                f->from[c] = at.host;
            f->n_placed++;
        }
    }
    return true;
}

static void undo(struct fit *f)
{
    while (f->n_placed > 0)
        fit_take(f, &f->placed[--f->n_placed], -1);
}

size_t fit_only_chunk(const struct fit *f)
{
    size_t ret = SIZE_MAX;

    for (size_t c = 0; c < f->rq->n; c++) {
        if (f->counts[c] == 0)
            continue;
        if (ret != SIZE_MAX)
            return SIZE_MAX;
        ret = c;
    }
    return ret;
}

/* All on one host: the first that can hold all. */
static bool place_packed(struct fit *f)
{
    struct stand at = { .host = f->from ? f->from[0] : 0 };
    size_t only = fit_only_chunk(f);
    const struct req_chunk *chunk = only == SIZE_MAX ? NULL : &f->rq->chunks[only];

    MUST(chunk || f->n_plain == SIZE_MAX);
    for (; has_host(f, &at, chunk, SIZE_MAX); next_host(f, &at)) {
        if (f->only_host != SIZE_MAX &&
            f->w->host[f->hosts[at.host].vnodes[0]] != f->only_host)
            continue;
        if (place_all(f, at.host, at.host + 1))
            return true;
        undo(f);
    }
    return false;
}

bool fit_first(struct fit *f)
{
    return f->rq->place.arrange == PLACE_PACK ? place_packed(f)
                                              : place_all(f, 0, SIZE_MAX);
}

void fit_init(struct fit *f, struct world *w, struct desk *desk,
              const struct request *rq, const int64_t *counts, int64_t *free,
              bool *eligible, const size_t *order, size_t n)
{
    int64_t *own_counts = arena_alloc(w->scratch, rq->n * sizeof(*own_counts) + 1);
    int64_t n_total = 0;

    MUST(n <= w->n && rq->valid);
    for (size_t c = 0; c < rq->n; c++) {
        own_counts[c] = counts ? counts[c] : rq->chunks[c].count;
        MUST(own_counts[c] >= 0);
        n_total += own_counts[c];
    }
    *f = (struct fit){
        .w = w,
        .rq = rq,
        .counts = own_counts,
        .free = free,
        .eligible = eligible,
        .desk = desk,
        .turn = ++desk->turn,
        .order = w->p->sorts_anew ? fit_sorted(w, free, order, n) : order,
        .n_order = n,
        .hosts = desk->hosts,
        .checks = FIT_CHECKS_MAX,
        .only_host = SIZE_MAX,
        .n_plain = SIZE_MAX,
        .placed = arena_zero(w->scratch, (size_t)n_total * sizeof(struct placed) + 1),
    };
    /* Only the vnodes of a host in the order of the world are known beforehand. */
    if (f->order != w->order)
        fit_group_hosts(f);
}

void fit_pin(struct fit *f, const struct placed *pd)
{
    /* What is pinned shapes the search: it is there before the first chunk is placed.
     */
    MUST(f->n_placed == 0);
    for (size_t i = 0; f->judge && i < pd->n; i++)
        f->judge(f, pd->pieces[i].vnode);
    fit_take(f, pd, 1);
    /* All chunks of place=pack are on one host. When it has no eligible vnode nothing
     * more is found. */
    for (size_t i = 0; f->rq->place.arrange == PLACE_PACK && i < pd->n; i++)
        f->only_host = f->w->host[pd->pieces[i].vnode];
}

/* Every copy that was asked for has its place. */
static bool is_complete(const struct fit *f)
{
    int64_t wanted = 0;

    for (size_t c = 0; c < f->rq->n; c++)
        wanted += f->counts[c];
    return f->n_placed == (size_t)wanted;
}

/* Does the chunk ask for a resource twice? It is compared with what is free for each
 * time alone then. */
static bool asks_twice(const struct req_chunk *chunk)
{
    for (size_t i = 0; i < chunk->n; i++)
        for (size_t k = 0; k < i; k++)
            if (chunk->needs[i].res == chunk->needs[k].res)
                return true;
    return false;
}

/* Would a copy of the chunk have a place if nothing else of the request had one? */
static bool has_place_alone(struct fit *f, size_t c)
{
    const struct req_chunk *chunk = &f->rq->chunks[c];
    struct stand at = { 0 };
    struct placed pd = { 0 };

    MUST(f->n_placed == 0);
    for (; has_host(f, &at, chunk, SIZE_MAX); next_host(f, &at))
        if (fit_place_on_host(f, chunk, at.host, &pd)) {
            fit_take(f, &pd, -1);
            return true;
        }
    return false;
}

/* First fit has failed. Is it certain that there is no other way?
 *
 * Copies of a single chunk differ in nothing, and no two hosts share what they have
 * (w->home): so each host may take as many as it can, which is what first fit gives it.
 * And a chunk that finds no place while nothing of the request is placed finds none
 * beside the others either. */
static bool is_hopeless(struct fit *f)
{
    size_t only = fit_only_chunk(f);

    if (only != SIZE_MAX && !f->w->home && !asks_twice(&f->rq->chunks[only]))
        return true;
    return f->rq->place.arrange != PLACE_PACK && f->failed_copy == 0 &&
           !has_place_alone(f, f->failed_chunk);
}

static bool find_other_way(struct fit *f)
{
    if (!is_hopeless(f)) {
        fit_see_all(f);
        return fit_complete(f);
    }
    /* Whoever explains the failure looks at all hosts, or goes on a walk. */
    if (f->n_plain == SIZE_MAX)
        fit_see_all(f);
    return false;
}

bool fit_find(struct fit *f)
{
    size_t failed_chunk;
    int64_t failed_copy;

    if (fit_first(f)) {
        MUST(is_complete(f));
        return true;
    }
    failed_chunk = f->failed_chunk;
    failed_copy = f->failed_copy;
    undo(f);
    if (find_other_way(f)) {
        MUST(is_complete(f));
        return true;
    }
    MUST(f->n_placed == 0);         /* what was tried is given back */
    f->failed_chunk = failed_chunk; /* first fit's failure is what users are told */
    f->failed_copy = failed_copy;
    return false;
}
