/* ceiling_walk.c - see ceiling_walk.h.
 *
 * A walk goes through all classes that come into question at once. In each it knows the
 * next vnode that is worth a look; of these the one that comes first is next.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/ceiling_walk.h"

#include "scheduler/plan/links.h"

#include <strings.h>

bool ceiling_walk_can(const struct pool *pool, struct world *w)
{
    return pool->turn && !w->home && w->n > 0 &&
           (pool->as_if_empty || pool->start_at >= w->now_at);
}

/* May the pool use a vnode of that combination at all (vnode_pool.c)? */
static bool may_use_kind(const struct sought *what, unsigned kind)
{
    bool there = kind & VNODE_USABLE;
    bool away = what->pool->with_away && !there && (kind & VNODE_MAY_RETURN);
    bool job = what->pool->asker == ASKER_JOB;

    if (!there && !away)
        return false;
    if (job && (kind & VNODE_BUSY))
        return false;
    if ((kind & VNODE_ONE_CHUNK) && what->rq->n_total != 1)
        return false;
    return job || !(kind & VNODE_FOR_RESVS) == what->other_kind;
}

static uint64_t kinds_of(const struct sought *what)
{
    uint64_t kinds = 0;

    for (unsigned k = 0; k < VNODE_KINDS; k++)
        if (may_use_kind(what, k))
            kinds |= (uint64_t)1 << k;
    return kinds;
}

/* Those that are there today, or those that are not. */
static uint64_t present_kinds(const struct ceiling_walk *k)
{
    uint64_t there = 0;

    if (!k->with_away)
        return k->kinds;
    for (unsigned kind = 0; kind < VNODE_KINDS; kind++)
        if (kind & VNODE_USABLE)
            there |= (uint64_t)1 << kind;
    return k->kinds & (k->away ? ~there : there);
}

/* Does one of n > 0 windows, which rise, touch [from_at, to_at)? */
static bool is_touched(const struct span *v, size_t n, int64_t from_at, int64_t to_at)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (v[mid].end_at <= from_at)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n && v[low].start_at < to_at;
}

static uint32_t spans_touched(const struct ceilings *c, const struct span *v, size_t n)
{
    uint32_t spans = 0;

    for (size_t k = 0; k < CEILING_SPANS; k++)
        if (is_touched(v, n, c->at[k], c->at[k + 1]))
            spans |= 1u << k;
    return spans;
}

/* A vnode that has gained nothing since an earlier window has no more than in that. */
static uint32_t spans_of(const struct ceilings *c, const struct pool *pool)
{
    struct span window = { pool->start_at, pool->end_at };
    uint32_t spans = pool->gained ? spans_touched(c, &pool->gained->window, 1) : 0;

    if (pool->as_if_empty)
        return 0;
    return spans | (pool->n_spans > 0 ? spans_touched(c, pool->spans, pool->n_spans)
                                      : spans_touched(c, &window, 1));
}

static bool is_high_enough(const struct ceiling_walk *k, const int64_t *most,
                           int64_t amount)
{
    for (size_t i = 0; i < CEILING_SPANS; i++)
        if ((k->spans >> i & 1) && most[i] < amount)
            return false;
    return true;
}

/* May there be something below the node? */
static bool is_open(const struct ceiling_walk *k, const struct ceiling_way *way,
                    size_t node)
{
    if (!(way->of->kinds[node] & present_kinds(k)))
        return false;
    if (k->as_if_empty)
        return true;
    /* Nobody knows what is free there without them. */
    if (k->without_endless && (way->of->kinds[node] & KIND_ENDLESS))
        return true;
    if (!is_high_enough(k, ceiling_most(k->c, way->of, node, RES_PRESENCE),
                        way->presence))
        return false;
    for (size_t i = 0; i < k->n_wants; i++)
        if (!is_high_enough(k, ceiling_most(k->c, way->of, node, k->wants[i].slot),
                            k->wants[i].amount))
            return false;
    return true;
}

/* The first leaf >= first among the leaves [low, high) below the node that may have
 * something; SIZE_MAX: none has. */
static size_t find_leaf(const struct ceiling_walk *k, const struct ceiling_way *way,
                        size_t node, size_t low, size_t high, size_t first)
{
    size_t mid = low + (high - low) / 2;
    size_t found;

    if (high <= first || !is_open(k, way, node))
        return SIZE_MAX;
    if (high - low == 1)
        return low;
    found = find_leaf(k, way, 2 * node, low, mid, first);
    return found != SIZE_MAX ? found
                             : find_leaf(k, way, 2 * node + 1, mid, high, first);
}

/* Have the way's next vnode be one that is worth a look. */
static void settle(const struct ceiling_walk *k, struct ceiling_way *way)
{
    size_t leaf;

    if (way->next < way->known || way->next >= way->of->n)
        return;
    leaf = find_leaf(k, way, 1, 0, way->of->n_leaves, way->next / k->c->leaf);
    if (leaf == SIZE_MAX) {
        way->next = way->of->n;
        return;
    }
    way->next = MAX_OF(way->next, leaf * k->c->leaf);
    way->known = MIN_OF(way->of->n, (leaf + 1) * k->c->leaf);
}

/* The first vnode of the class at the place or behind it. */
static size_t member_from(const struct ceiling_class *of, size_t place)
{
    size_t low = 0, high = of->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (of->places[mid] < place)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void set_out(struct ceiling_walk *k)
{
    for (size_t i = 0; i < k->n_ways; i++) {
        struct ceiling_way *way = &k->ways[i];

        way->next = member_from(way->of, k->away ? 0 : k->from);
        way->known = 0;
        settle(k, way);
    }
}

/* The names of vnodes and hosts are no matter of a class: each vnode has its own. */
static bool is_by_name(const struct world *w, const struct need *n)
{
    const char *name = w->s->res.v[n->res].name;

    return strcasecmp(name, "host") == 0 || strcasecmp(name, "vnode") == 0;
}

static bool is_met(const struct world *w, const struct need *n, size_t vnode)
{
    return fit_is_counted(w, n) || is_by_name(w, n) || fit_need_is_met(w, n, vnode);
}

static bool may_lie_on(const struct world *w, const struct sought *what, size_t vnode)
{
    if (!str_same(w->s->vnodes[vnode].queue, what->pool->queue))
        return false;
    if (what->met && !is_met(w, what->met, vnode))
        return false;
    for (size_t i = 0; what->chunk && i < what->chunk->n; i++)
        if (!is_met(w, &what->chunk->needs[i], vnode))
            return false;
    return true;
}

/* Is it worth while to walk through the class? */
static bool comes_into_question(const struct ceiling_walk *k, const struct sought *what,
                                const struct ceiling_class *of)
{
    const struct world *w = k->w;
    bool any = !of->alike;

    for (size_t i = w->host_first[of->host]; i < w->host_first[of->host + 1] && !any;
         i++)
        any = may_lie_on(w, what, w->on_host[i]);
    for (size_t i = 0; any && i < k->n_wants; i++)
        any = of->total[k->wants[i].slot] >= k->wants[i].amount;
    return any;
}

static int64_t presence_of(const struct world *w, const struct sought *what,
                           const struct ceiling_class *of)
{
    int64_t least = PRESENCE_ALL;

    if (!what->present)
        return INT64_MIN;
    if (!of->alike)
        return 1;
    for (size_t i = w->host_first[of->host]; i < w->host_first[of->host + 1]; i++)
        if (world_use(w, w->on_host[i], &what->rq->place) == USE_SHARED)
            least = 1;
    return least;
}

/* What is counted and cannot be had without end. A resource that no vnode has is
 * nowhere free. False: the chunk has no place anywhere. */
static bool list_wants(struct ceiling_walk *k, const struct req_chunk *chunk)
{
    for (size_t i = 0; i < chunk->n; i++) {
        const struct need *n = &chunk->needs[i];

        if (!fit_is_counted(k->w, n) || n->amount <= 0)
            continue;
        if (k->c->slot[n->res] == SIZE_MAX)
            return false;
        k->wants[k->n_wants++] = (struct want){ k->c->slot[n->res], n->amount };
    }
    return true;
}

static size_t next_gained(const struct ceiling_walk *k, size_t from)
{
    return k->gained ? links_next(k->gained, k->w->n, from) : SIZE_MAX;
}

void ceiling_walk_begin(struct ceiling_walk *k, struct world *w,
                        const struct sought *what, size_t from)
{
    const struct pool *pool = what->pool;
    bool any = true;

    *k = (struct ceiling_walk){ .w = w,
                                .c = ceilings_find(w),
                                .as_if_empty = pool->as_if_empty,
                                .without_endless = pool->without_endless,
                                .with_away = pool->with_away,
                                .kinds = kinds_of(what),
                                .from = from };
    MUST(k->c && (!pool->with_away || (from == 0 && !pool->gained)));
    k->gained = pool->gained ? pool->gained->places : NULL;
    k->next_gained = next_gained(k, from);
    k->spans = spans_of(k->c, pool);
    k->wants =
        ARENA_ARRAY(w->scratch, struct want, (what->chunk ? what->chunk->n : 0) + 1);
    k->ways = ARENA_ARRAY(w->scratch, struct ceiling_way, k->c->n_classes);
    if (what->chunk && what->room)
        any = list_wants(k, what->chunk);
    for (size_t i = 0; any && i < k->c->n_classes; i++) {
        const struct ceiling_class *of = &k->c->v[i];

        if (comes_into_question(k, what, of))
            k->ways[k->n_ways++] =
                (struct ceiling_way){ .of = of, .presence = presence_of(w, what, of) };
    }
    set_out(k);
}

/* The way whose next vnode comes first, NULL: all are at their end. */
static struct ceiling_way *first_way(struct ceiling_walk *k)
{
    struct ceiling_way *best = NULL;

    for (size_t i = 0; i < k->n_ways; i++) {
        struct ceiling_way *way = &k->ways[i];

        if (way->next < way->of->n &&
            (!best || way->of->places[way->next] < best->of->places[best->next]))
            best = way;
    }
    return best;
}

/* The next one that has gained something when it comes before that of the way, NULL: or
 * is the same; SIZE_MAX: it does not. */
static size_t take_gained(struct ceiling_walk *k, const struct ceiling_way *way)
{
    size_t place = k->next_gained;

    if (place == SIZE_MAX || (way && way->of->places[way->next] < place))
        return SIZE_MAX;
    k->next_gained = next_gained(k, place + 1);
    return way && way->of->places[way->next] == place ? SIZE_MAX : k->w->order[place];
}

size_t ceiling_walk_next(struct ceiling_walk *k)
{
    for (;;) {
        struct ceiling_way *way = first_way(k);
        size_t vnode = take_gained(k, way);

        if (vnode != SIZE_MAX)
            return vnode;
        if (!way && k->with_away && !k->away) {
            k->away = true;
            set_out(k);
            continue;
        }
        if (!way)
            return SIZE_MAX;
        vnode = k->w->order[way->of->places[way->next++]];
        settle(k, way);
        if (!k->with_away || k->w->s->vnodes[vnode].usable != k->away)
            return vnode;
    }
}

bool ceiling_walk_raise(struct ceiling_walk *k, size_t res, int64_t amount)
{
    size_t slot = k->c->slot[res];
    bool found = false;

    if (slot == SIZE_MAX)
        return false;
    for (size_t i = 0; k->as_if_empty && i < k->n_ways; i++)
        if (k->ways[i].of->total[slot] <= amount)
            k->ways[i].next = k->ways[i].of->n;

    for (size_t i = 0; i < k->n_wants; i++)
        if (k->wants[i].slot == slot) {
            k->wants[i].amount = amount + 1;
            found = true;
        }
    if (!found)
        k->wants[k->n_wants++] = (struct want){ slot, amount + 1 };
    return true;
}
