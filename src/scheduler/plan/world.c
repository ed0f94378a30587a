/* world.c - vnodes with their totals, order, timelines and holders.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/world.h"

#include "scheduler/plan/desk.h"
#include "scheduler/plan/links.h"
#include "scheduler/plan/waiting.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The name in "@name", by which a vnode borrows a resource of another; NULL for a
 * value of its own. */
static const char *reference_of(const struct res_value *value)
{
    return value->text && *value->text == '@' ? value->text + 1 : NULL;
}

/* The vnode at the end of a chain of references. A reference to a vnode that is not
 * there or has nothing to lend, or a chain that leads back, gives 'vnode' itself,
 * which has nothing then (scheduling.md 14.3). */
static size_t follow(const struct world *w, size_t vnode, size_t res, const char *to)
{
    enum {
        HOPS_MAX = 10
    };
    size_t at = world_vnode(w, to);

    for (int hop = 0; hop < HOPS_MAX && at != SIZE_MAX; hop++) {
        const struct res_value *value =
            snap_values_find(&w->s->vnodes[at].available, res);

        if (!value)
            return vnode;
        to = reference_of(value);
        if (!to)
            return at;
        at = world_vnode(w, to);
    }
    return vnode;
}

/* Every vnode has its resources itself, until read_references() says otherwise. A
 * complex without any reference never gets here: world_slot() is then quick. */
static void make_homes(struct world *w)
{
    w->lent = arena_zero(w->arena, w->n_res * sizeof(*w->lent));
    w->home = arena_alloc(w->arena, w->n * w->n_res * sizeof(*w->home));
    for (size_t i = 0; i < w->n * w->n_res; i++)
        w->home[i] = i / w->n_res;
}

static void read_references(struct world *w)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct res_values *values = &w->s->vnodes[i].available;

        for (size_t k = 0; k < values->n; k++) {
            const char *to = reference_of(&values->v[k]);

            if (!to)
                continue;
            if (!w->home)
                make_homes(w);
            w->lent[values->v[k].res] = true;
            w->home[i * w->n_res + values->v[k].res] =
                follow(w, i, values->v[k].res, to);
        }
    }
}

/* Does a value of the server's resources_available limit anything? */
static bool limits(const struct world *w, const struct res_value *value)
{
    return w->s->res.v[value->res].summed && !w->ignored[value->res];
}

static void read_server(struct world *w)
{
    size_t from = world_server(w) * w->n_res;

    w->total[from + RES_PRESENCE] = PRESENCE_ALL;
    for (size_t k = 0; k < w->s->available.n; k++) {
        const struct res_value *value = &w->s->available.v[k];

        if (!limits(w, value))
            continue;
        w->total[from + value->res] = value->amount;
        w->is_set[from + value->res] = true;
        w->has_server = true;
    }
}

/* Does the server name the same amounts as when that was read? */
static bool is_same_server(const struct world *kept, const struct snapshot *s)
{
    size_t from = world_server(kept) * kept->n_res, n_set = 0, n = 0;

    for (size_t r = 1; r < kept->n_res; r++)
        n_set += kept->is_set[from + r];
    for (size_t k = 0; k < s->available.n; k++) {
        const struct res_value *value = &s->available.v[k];

        if (!limits(kept, value))
            continue;
        n++;
        if (!kept->is_set[from + value->res] ||
            kept->total[from + value->res] != value->amount)
            return false;
    }
    return n == n_set;
}

static void read_totals(struct world *w)
{
    w->total = arena_zero(w->arena, (w->n + 1) * w->n_res * sizeof(int64_t));
    w->is_set = arena_zero(w->arena, (w->n + 1) * w->n_res * sizeof(bool));
    for (size_t i = 0; i < w->n; i++) {
        const struct res_values *values = &w->s->vnodes[i].available;

        w->total[i * w->n_res + RES_PRESENCE] = PRESENCE_ALL;
        for (size_t k = 0; k < values->n; k++) {
            if (reference_of(&values->v[k]))
                continue;
            w->total[i * w->n_res + values->v[k].res] = values->v[k].amount;
            w->is_set[i * w->n_res + values->v[k].res] = true;
        }
    }
}

/* Note which resources this policy does not compare, and which count as infinite
 * where they are not set. */
static void read_policy(struct world *w)
{
    w->ignored = arena_zero(w->arena, w->n_res * sizeof(bool));
    w->infinite = arena_zero(w->arena, w->n_res * sizeof(bool));
    for (size_t r = 1; r < w->n_res; r++) {
        const struct res *res = &w->s->res.v[r];

        w->infinite[r] = policy_list_has(w->p->unset_infinite, res->name);
        w->ignored[r] = w->p->resources && res->kind != RES_BOOL &&
                        strcasecmp(res->name, "host") != 0 &&
                        strcasecmp(res->name, "vnode") != 0 &&
                        !policy_list_has(w->p->resources, res->name);
    }
}

/* By what is kept with the snapshot; keys that change as jobs start are looked at for
 * each request (fit_sorted()). */
static int64_t sort_value(const struct world *w, size_t vnode,
                          const struct sort_key *key)
{
    size_t res;

    if (key->by != SORT_TOTAL)
        return 0;

    if (strcmp(key->resource, "sort_priority") == 0)
        return w->s->vnodes[vnode].priority;
    res = snap_res_find(w->s, key->resource);
    return res == SIZE_MAX ? 0 : w->total[world_slot(w, vnode, res)];
}

static int compare_order(const void *a, const void *b, void *arg)
{
    const struct world *w = arg;
    size_t i = *(const size_t *)a;
    size_t k = *(const size_t *)b;

    for (size_t n = 0; n < w->p->n_sort_keys; n++) {
        const struct sort_key *key = &w->p->sort_keys[n];
        int64_t vi = sort_value(w, i, key);
        int64_t vk = sort_value(w, k, key);

        if (vi != vk)
            return (vi > vk) == key->high_first ? -1 : 1;
    }
    return i < k ? -1 : 1;
}

static int compare_name(const void *a, const void *b, void *arg)
{
    const struct world *w = arg;

    return strcmp(w->s->vnodes[*(const size_t *)a].name,
                  w->s->vnodes[*(const size_t *)b].name);
}

static int compare_host(const void *a, const void *b, void *arg)
{
    const struct world *w = arg;
    size_t i = *(const size_t *)a;
    size_t k = *(const size_t *)b;
    int c = strcasecmp(w->s->vnodes[i].host, w->s->vnodes[k].host);

    if (c != 0)
        return c;
    return i < k ? -1 : i > k;
}

static size_t *sorted(struct world *w,
                      int (*compare)(const void *, const void *, void *))
{
    size_t *v = arena_alloc(w->arena, w->n * sizeof(*v) + 1);

    for (size_t i = 0; i < w->n; i++)
        v[i] = i;
    if (w->n > 0)
        qsort_r(v, w->n, sizeof(*v), compare, w);
    return v;
}

/* Number the hosts by name. Names of hosts differ in more than case. */
static void number_hosts(struct world *w)
{
    size_t *by_host = sorted(w, compare_host);

    w->host = arena_alloc(w->arena, w->n * sizeof(*w->host) + 1);
    for (size_t i = 0; i < w->n; i++) {
        if (i == 0 || strcasecmp(w->s->vnodes[by_host[i]].host,
                                 w->s->vnodes[by_host[i - 1]].host) != 0)
            w->n_hosts++;
        w->host[by_host[i]] = w->n_hosts - 1;
    }
}

/* List the vnodes of each host. */
static void list_hosts(struct world *w)
{
    size_t *next = arena_zero(w->arena, (w->n_hosts + 1) * sizeof(*next));

    w->on_host = arena_alloc(w->arena, w->n * sizeof(*w->on_host) + 1);
    w->host_first = arena_zero(w->arena, (w->n_hosts + 1) * sizeof(*next));
    for (size_t i = 0; i < w->n; i++)
        w->host_first[w->host[i] + 1]++;
    for (size_t h = 0; h < w->n_hosts; h++) {
        w->host_first[h + 1] += w->host_first[h];
        next[h] = w->host_first[h];
    }
    for (size_t i = 0; i < w->n; i++)
        w->on_host[next[w->host[w->order[i]]]++] = w->order[i];
}

size_t world_vnode(const struct world *w, const char *name)
{
    size_t low = 0;
    size_t high = w->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int c = strcmp(w->s->vnodes[w->by_name[mid]].name, name);

        if (c == 0)
            return w->by_name[mid];
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return SIZE_MAX;
}

bool world_is_lent(const struct world *w, size_t res)
{
    return w->lent && w->lent[res];
}

enum use world_use(const struct world *w, size_t vnode, const struct place *place)
{
    /* clang-format off */
    static const enum use uses[][4] = { /* silent, shared, excl, exclhost */
        [SHARING_DEFAULT_SHARED]   = { USE_SHARED, USE_SHARED, USE_EXCL,   USE_HOST },
        [SHARING_DEFAULT_EXCL]     = { USE_EXCL,   USE_SHARED, USE_EXCL,   USE_HOST },
        [SHARING_DEFAULT_EXCLHOST] = { USE_HOST,   USE_SHARED, USE_EXCL,   USE_HOST },
        [SHARING_IGNORE_EXCL]      = { USE_SHARED, USE_SHARED, USE_SHARED, USE_SHARED },
        [SHARING_FORCE_EXCL]       = { USE_EXCL,   USE_EXCL,   USE_EXCL,   USE_HOST },
        [SHARING_FORCE_EXCLHOST]   = { USE_HOST,   USE_HOST,   USE_HOST,   USE_HOST },
    };
    /* clang-format on */
    size_t column = 0;

    if (place->share_given)
        column = place->share == PLACE_EXCLHOST ? 3
                 : place->share == PLACE_EXCL   ? 2
                                                : 1;
    return uses[w->s->vnodes[vnode].sharing][column];
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_queues(struct world *w)
{
    const char **v = ARENA_ARRAY(w->arena, const char *, w->n + 1);
    size_t n = 0;

    for (size_t i = 0; i < w->n; i++)
        if (w->s->vnodes[i].queue)
            v[n++] = w->s->vnodes[i].queue;
    qsort(v, n, sizeof(*v), compare_texts);
    w->queues.v = v;
    /* The texts of a vnode go when the server shows it again. */
    for (size_t i = 0; i < n; i++)
        if (i == 0 || strcmp(v[i], v[w->queues.n - 1]) != 0)
            v[w->queues.n++] = arena_strdup(w->arena, v[i]);
}

/* Everything that follows from vnodes and policy alone; w->arena is where it stays. */
static void derive(struct world *w)
{
    w->by_name = sorted(w, compare_name);
    read_references(w);
    read_policy(w);
    read_totals(w);
    read_server(w);
    w->order = sorted(w, compare_order);
    w->place = ARENA_ARRAY(w->arena, size_t, w->n + 1);
    for (size_t i = 0; i < w->n; i++)
        w->place[w->order[i]] = i;
    number_hosts(w);
    list_hosts(w);
    list_queues(w);
    w->desk = desk_new(w->arena, w->n, w->n_hosts, w->n_res);
    w->booked = arena_alloc(w->arena, (w->n + 1) * sizeof(*w->booked));
    w->sum = ARENA_ARRAY(w->arena, int64_t *, w->n + 1);
}

/* Memory of links that are gone stays in the arena of what is derived until that is
 * derived anew, at the latest when it is so much. */
#define DERIVED_MAX_BYTES(w) ((size_t)(64u << 20) + 4096 * (w)->n)

/* What the last plan derived, when it still holds. */
static const struct world *kept_world(const struct world *w)
{
    const struct world *kept = snap_derived(w->s);

    return kept && kept->p == w->p && kept->n_res == w->n_res &&
                   is_same_server(kept, w->s) &&
                   arena_used_bytes(snap_derived_arena(w->s)) < DERIVED_MAX_BYTES(w)
               ? kept
               : NULL;
}

static void end_book(void *kept)
{
    struct world *w = kept;

    book_fini(w->book);
    links_fini(w->links);
    waiting_free(w->waiting);
}

void world_open_book(struct world *w, struct arena *arena, bool lasting)
{
    w->book = book_new(arena, w->n, lasting);
    w->line = w->book->line;
}

/* Derive into the arena of the snapshot where that is kept, for the next plans too. */
static void derive_for_all(struct world *w, struct arena *arena)
{
    struct arena *lasting = snap_derive(w->s);
    struct world *kept;

    if (!lasting) {
        w->arena = arena;
        derive(w);
        world_open_book(w, arena, false);
        return;
    }
    w->arena = lasting;
    derive(w);
    world_open_book(w, lasting, true);
    w->links = links_new(lasting, true);
    w->waiting = waiting_new();
    kept = arena_copy(lasting, w, sizeof(*w));
    snap_derived_set(w->s, kept, end_book);
}

struct world *world_new(const struct snapshot *s, const struct policy *p,
                        int64_t now_at, struct arena *arena)
{
    struct world *w = arena_zero(arena, sizeof(*w));

    MUST(s->res.n > 0); /* slot 0 stands for the presence on a vnode */
    w->s = s;
    w->p = p;
    w->n_res = s->res.n;
    w->n = s->n_vnodes;
    if (kept_world(w))
        *w = *kept_world(w);
    else
        derive_for_all(w, arena);
    MUST(w->s == s && w->n == s->n_vnodes);
    w->arena = arena;
    w->scratch = arena_new();
    w->now_at = now_at;
    MUST(w->n_booked == 0);
    return w;
}

struct timeline *world_line(struct world *w, size_t vnode)
{
    if (!w->line[vnode])
        w->line[vnode] =
            timeline_new(w->book->arena, w->n_res, &w->total[vnode * w->n_res]);
    return w->line[vnode];
}

int64_t world_least(const struct world *w, size_t vnode, size_t res, int64_t start_at,
                    int64_t end_at)
{
    return w->line[vnode] ? timeline_least(w->line[vnode], res, start_at, end_at)
                          : w->total[vnode * w->n_res + res];
}

void world_least_all(const struct world *w, size_t vnode, int64_t start_at,
                     int64_t end_at, int64_t *least)
{
    if (w->line[vnode])
        timeline_least_all(w->line[vnode], start_at, end_at, least);
    else
        memcpy(least, &w->total[vnode * w->n_res], w->n_res * sizeof(*least));
}

void world_fini(struct world *w)
{
    if (w->book->lasting)
        world_settle(w);
    else
        book_fini(w->book);
    arena_free(w->scratch);
}

struct arena *world_scratch(struct world *w)
{
    arena_clear(w->scratch);
    return w->scratch;
}
