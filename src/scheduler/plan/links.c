/* links.c - see links.h.
 *
 * Where a name stands for several objects, the first of them in the order of the server
 * counts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "scheduler/plan/links.h"

#include "scheduler/plan/names.h"

#include <stdlib.h>
#include <string.h>

/* A queue that some job is in: what stands behind its name. */
struct job_queue {
    char *name;
    size_t queue, resv; /* SIZE_MAX: none */
    UT_hash_handle hh;
};

/* The names of queues and those of the queues of reservations. */
struct tables {
    bool filled;
    struct names queues, resvs;
};

static void fill_tables(struct tables *t, const struct world *w)
{
    const struct snapshot *s = w->s;

    names_init(&t->queues, w->arena, s->n_queues);
    for (size_t i = 0; i < s->n_queues; i++)
        names_add(&t->queues, s->queues[i].name, i);
    names_init(&t->resvs, w->arena, s->n_resvs);
    for (size_t i = 0; i < s->n_resvs; i++)
        names_add(&t->resvs, s->resvs[i].queue, i);
    t->filled = true;
}

static struct job_queue *find_queue(const struct links *l, const char *name)
{
    struct job_queue *q = NULL;

    if (name)
        HASH_FIND_STR(l->by_name, name, q);
    return q;
}

/* Jobs are in few queues, and next to one another in the same. */
static struct job_queue *queue_of(struct links *l, const struct world *w,
                                  struct tables *t, const char *name)
{
    struct job_queue *q = find_queue(l, name);

    if (q || !name)
        return q;
    if (!t->filled)
        fill_tables(t, w);
    q = xcalloc(1, sizeof(*q));
    q->name = xstrdup(name);
    q->queue = names_find(&t->queues, name);
    q->resv = names_find(&t->resvs, name);
    if (q->resv != SIZE_MAX)
        l->resvs[q->resv].has_jobs = true;
    HASH_ADD_KEYPTR(hh, l->by_name, q->name, strlen(q->name), q);
    return q;
}

/* Jobs that run, end or are suspended (R, E, S, U) have vnodes. The exec_vnode of a
 * job in any other state is what it had before. */
static bool is_placed(const struct snap_job *j)
{
    return j->exec_vnode && j->state && strchr("RESU", j->state);
}

/* A job that waits and has vnodes all the same runs there or nowhere (scheduling.md
 * 15.1): so a server says it of a job that was checkpointed. */
static bool is_resting(const struct snap_job *j)
{
    return j->exec_vnode && *j->exec_vnode && j->state == 'Q' && !j->array;
}

static bool is_suspended(const struct snap_job *j)
{
    return j->state == 'S';
}

/* A job that has given all back stays on its vnodes with nothing. */
static bool is_any(const struct world *w, const struct placement *at)
{
    for (size_t c = 0; c < at->n; c++)
        for (size_t i = 0; i < at->chunks[c].n; i++)
            for (size_t r = 1; r < w->n_res; r++)
                if (at->chunks[c].pieces[i].amounts[r])
                    return true;
    return false;
}

/* Where the snapshot is kept, so is what was read of an element, as long as vnodes and
 * resources have the numbers that they had then. NULL: it has to be read. */
static const void *recall(const struct world *w, const struct snap_memo *memo)
{
    return memo && memo->version == snap_derived_version(w->s) ? memo->what : NULL;
}

/* The memory of what is read: as lasting as the memo. */
static struct arena *arena_of(const struct world *w, const struct snap_memo *memo)
{
    return memo ? snap_derived_arena(w->s) : w->arena;
}

static void remember(const struct world *w, struct snap_memo *memo, const void *what,
                     size_t size_bytes)
{
    if (memo)
        *memo = (struct snap_memo){ .version = snap_derived_version(w->s),
                                    .what = arena_copy(arena_of(w, memo), what,
                                                       size_bytes) };
}

/* The vnodes of the job, without its queue and reservation. */
static struct job_link where_job_is(const struct world *w, const struct snap_job *j)
{
    const struct job_link *known = recall(w, j->memo);
    struct job_link link = { 0 };

    if (known)
        return *known;
    link.has_vnodes =
        is_placed(j) &&
        placement_read_into(w, j->exec_vnode, arena_of(w, j->memo), &link.at);
    link.rests = is_resting(j) &&
                 placement_read_into(w, j->exec_vnode, arena_of(w, j->memo), &link.at);
    if (link.has_vnodes && j->kept && is_suspended(j))
        link.keeps =
            placement_read_into(w, j->kept, arena_of(w, j->memo), &link.kept) &&
            is_any(w, &link.kept);
    remember(w, j->memo, &link, sizeof(link));
    return link;
}

static struct job_link link_job(const struct world *w, const struct snap_job *j,
                                const struct job_queue *q)
{
    struct job_link link = where_job_is(w, j);

    if (q && q->queue != SIZE_MAX && w->s->queues[q->queue].execution)
        link.queue = &w->s->queues[q->queue];
    if (q && q->resv != SIZE_MAX)
        link.resv = &w->s->resvs[q->resv];
    return link;
}

/* Note which resources the pieces of the reservation name: by one of them at least,
 * and by all of them. Most questions are answered by these two alone. */
static void note_names(const struct world *w, struct arena *arena,
                       struct resv_link *link)
{
    link->named_somewhere = arena_zero(arena, w->n_res * sizeof(bool));
    link->named_everywhere = arena_alloc(arena, w->n_res * sizeof(bool));
    memset(link->named_everywhere, 1, w->n_res * sizeof(bool));
    for (size_t c = 0; c < link->at.n; c++)
        for (size_t i = 0; i < link->at.chunks[c].n; i++)
            for (size_t r = 1; r < w->n_res; r++) {
                if (link->at.chunks[c].pieces[i].amounts[r])
                    link->named_somewhere[r] = true;
                else
                    link->named_everywhere[r] = false;
            }
}

static int by_number(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

static void note_vnodes(struct arena *arena, struct resv_link *link)
{
    size_t n_pieces = 0, n = 0;

    for (size_t c = 0; c < link->at.n; c++)
        n_pieces += link->at.chunks[c].n;
    link->vnodes = ARENA_ARRAY(arena, size_t, n_pieces + 1);
    for (size_t c = 0; c < link->at.n; c++)
        for (size_t i = 0; i < link->at.chunks[c].n; i++)
            link->vnodes[n++] = link->at.chunks[c].pieces[i].vnode;
    qsort(link->vnodes, n, sizeof(*link->vnodes), by_number);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || link->vnodes[i] != link->vnodes[i - 1])
            link->vnodes[link->n_vnodes++] = link->vnodes[i];
}

static struct resv_link link_resv(const struct world *w, const struct snap_resv *r)
{
    const struct resv_link *known = recall(w, r->memo);
    struct arena *arena = arena_of(w, r->memo);
    struct resv_link link = { 0 };

    if (known)
        return *known;
    link.has_vnodes = placement_read_into(w, r->nodes, arena, &link.at);
    if (link.has_vnodes)
        note_names(w, arena, &link);
    note_vnodes(arena, &link);
    remember(w, r->memo, &link, sizeof(link));
    return link;
}

struct links *links_new(struct arena *arena, bool lasting)
{
    struct links *l = ARENA_NEW(arena, struct links);

    l->lasting = lasting;
    return l;
}

void links_fini(struct links *l)
{
    struct job_queue *q, *next;

    HASH_ITER (hh, l->by_name, q, next) {
        HASH_DEL(l->by_name, q);
        free(q->name);
        free(q);
    }
}

/* Bits for 'n' jobs, with those of the words that were there. */
static uint64_t *more_bits(struct arena *arena, const uint64_t *bits, size_t words,
                           size_t n)
{
    uint64_t *ret = ARENA_ARRAY(arena, uint64_t, n / 64 + 1);

    if (bits)
        memcpy(ret, bits, words * sizeof(*ret));
    return ret;
}

void links_put(uint64_t *bits, size_t job, bool set)
{
    uint64_t bit = (uint64_t)1 << job % 64;

    bits[job / 64] = set ? bits[job / 64] | bit : bits[job / 64] & ~bit;
}

bool links_has(const uint64_t *bits, size_t job)
{
    return bits[job / 64] >> job % 64 & 1;
}

/* The bits of that word, of jobs [from, n). */
static uint64_t word_of(const uint64_t *bits, size_t word, size_t n, size_t from)
{
    uint64_t ret = bits[word];

    if (word == from / 64)
        ret &= ~(uint64_t)0 << from % 64;
    if (word == n / 64)
        ret &= ~(~(uint64_t)0 << n % 64);
    return ret;
}

size_t links_next(const uint64_t *bits, size_t n, size_t from)
{
    for (size_t i = from / 64; i * 64 < n; i++) {
        uint64_t word = word_of(bits, i, n, from);

        if (word)
            return i * 64 + (size_t)__builtin_ctzll(word);
    }
    return SIZE_MAX;
}

/* How many bits of the word are set: sums of pairs, of fours, of bytes. The compiler's
 * own way is a function of its library, which a core does not call. */
static size_t count_bits(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (size_t)(word * 0x0101010101010101u >> 56);
}

size_t links_count(const uint64_t *bits, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i * 64 < n; i++)
        count += count_bits(word_of(bits, i, n, 0));
    return count;
}

/* Room for all elements of the snapshot, and for twice as many where they stay. */
static void make_room(struct links *l, const struct world *w)
{
    const struct snapshot *s = w->s;
    struct arena *arena = l->lasting ? w->book->arena : w->arena;

    while (s->n_jobs >= l->room_jobs) {
        size_t words = l->room_jobs / 64 + 1;

        l->jobs = arena_grow(arena, l->jobs, l->room_jobs, &l->room_jobs, s->n_jobs + 1,
                             sizeof(*l->jobs));
        l->waits = more_bits(arena, l->waits, words, l->room_jobs);
        l->endless = more_bits(arena, l->endless, words, l->room_jobs);
        l->soft = more_bits(arena, l->soft, words, l->room_jobs);
    }
    while (s->n_queues >= l->room_queues)
        l->queue_has_vnodes =
            arena_grow(arena, l->queue_has_vnodes, l->room_queues, &l->room_queues,
                       s->n_queues + 1, sizeof(*l->queue_has_vnodes));
    while (s->n_resvs >= l->room_resvs) {
        size_t room = l->room_resvs;

        l->resvs = arena_grow(arena, l->resvs, room, &l->room_resvs, s->n_resvs + 1,
                              sizeof(*l->resvs));
        l->series = arena_grow(arena, l->series, room, &room, s->n_resvs + 1,
                               sizeof(struct series *));
        MUST(room == l->room_resvs);
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, *(const char *const *)b);
}

static bool queue_has_vnodes(const struct world *w, size_t queue)
{
    return w->queues.n > 0 && bsearch(w->s->queues[queue].name, w->queues.v,
                                      w->queues.n, sizeof(*w->queues.v), compare_names);
}

static void find_all(struct links *l, const struct world *w)
{
    const struct snapshot *s = w->s;
    struct tables t = { 0 };
    struct job_queue *q = NULL;

    links_fini(l);
    make_room(l, w);
    for (size_t i = 0; i < s->n_queues; i++)
        l->queue_has_vnodes[i] = queue_has_vnodes(w, i);
    for (size_t i = 0; i < s->n_resvs; i++)
        l->resvs[i] = link_resv(w, &s->resvs[i]);
    for (size_t i = 0; i < s->n_jobs; i++) {
        if (!q || !str_same(q->name, s->jobs[i].queue))
            q = queue_of(l, w, &t, s->jobs[i].queue);
        l->jobs[i] = link_job(w, &s->jobs[i], q);
    }
    if (t.filled) {
        names_fini(&t.queues);
        names_fini(&t.resvs);
    }
}

/* Does a queue that jobs are in stand for something that has been gone meanwhile? */
static bool is_cut(const struct links *l, size_t n_queues, size_t n_resvs)
{
    const struct job_queue *q, *next;

    if (n_queues == SIZE_MAX && n_resvs == SIZE_MAX)
        return false;
    HASH_ITER (hh, l->by_name, q, next)
        if ((q->queue != SIZE_MAX && q->queue >= n_queues) ||
            (q->resv != SIZE_MAX && q->resv >= n_resvs))
            return true;
    return false;
}

/* Do the news of all but jobs concern only the elements that they are about? A queue or
 * a reservation may concern jobs that were not shown again. */
static bool queues_stay(const struct links *l, const struct snapshot *s)
{
    const struct snap_news *jobs = snap_news(s, OBJECT_JOB);
    const struct snap_news *resvs = snap_news(s, OBJECT_RESV);
    const struct snap_news *queues = snap_news(s, OBJECT_QUEUE);

    if (!l->made || resvs->moved || queues->moved || l->queues_at != s->queues ||
        l->resvs_at != s->resvs)
        return false;
    if (is_cut(l, queues->n_left, resvs->n_left))
        return false;
    for (size_t i = 0; i < queues->n; i++)
        if (find_queue(l, s->queues[queues->v[i]].name))
            return false;
    for (size_t i = 0; i < resvs->n; i++)
        if (find_queue(l, s->resvs[resvs->v[i]].queue) ||
            (resvs->v[i] < l->n_resvs && l->resvs[resvs->v[i]].has_jobs))
            return false;
    for (size_t i = 0; i < jobs->n; i++)
        if (s->jobs[jobs->v[i]].queue && !find_queue(l, s->jobs[jobs->v[i]].queue))
            return false;
    return true;
}

static void find_news(struct links *l, const struct world *w)
{
    const struct snapshot *s = w->s;
    const struct snap_news *jobs = snap_news(s, OBJECT_JOB);
    const struct snap_news *resvs = snap_news(s, OBJECT_RESV);
    const struct snap_news *queues = snap_news(s, OBJECT_QUEUE);

    make_room(l, w);
    for (size_t i = 0; i < queues->n; i++)
        l->queue_has_vnodes[queues->v[i]] = queue_has_vnodes(w, queues->v[i]);
    for (size_t i = 0; i < resvs->n; i++)
        l->resvs[resvs->v[i]] = link_resv(w, &s->resvs[resvs->v[i]]);
    for (size_t i = 0; i < jobs->n; i++) {
        const struct snap_job *j = &s->jobs[jobs->v[i]];

        l->jobs[jobs->v[i]] = link_job(w, j, find_queue(l, j->queue));
    }
}

#ifdef HF_CHECKS
/* What was found bit by bit is what would be found at once. */
static void check_links(const struct links *l, const struct world *w)
{
    struct links *all = links_new(w->arena, false);

    find_all(all, w);
    for (size_t i = 0; i < w->s->n_jobs; i++)
        MUST(l->jobs[i].queue == all->jobs[i].queue &&
             l->jobs[i].resv == all->jobs[i].resv &&
             l->jobs[i].at.chunks == all->jobs[i].at.chunks);
    for (size_t i = 0; i < w->s->n_resvs; i++)
        MUST(l->resvs[i].has_jobs >= all->resvs[i].has_jobs &&
             l->resvs[i].at.chunks == all->resvs[i].at.chunks);
    for (size_t i = 0; i < w->s->n_queues; i++)
        MUST(l->queue_has_vnodes[i] == all->queue_has_vnodes[i]);
    links_fini(all);
}
#endif

struct links *links_find(struct world *w)
{
    struct links *l = w->links ? w->links : links_new(w->arena, false);

    l->queues_anew = !l->lasting || !queues_stay(l, w->s);
    l->anew = l->queues_anew || snap_news(w->s, OBJECT_JOB)->moved;
    if (l->anew)
        find_all(l, w);
    else
        find_news(l, w);
    l->made = true;
    l->n_resvs = w->s->n_resvs;
    l->queues_at = w->s->queues;
    l->resvs_at = w->s->resvs;
    if (!l->lasting)
        links_fini(l); /* what it has beside the arena was for finding them */
#ifdef HF_CHECKS
    if (!l->anew)
        check_links(l, w);
#endif
    return l;
}

bool link_has_vnode(const struct resv_link *r, size_t vnode)
{
    return r->n_vnodes > 0 &&
           bsearch(&vnode, r->vnodes, r->n_vnodes, sizeof(vnode), by_number);
}

bool link_names(const struct world *w, const struct resv_link *r, size_t vnode,
                size_t res)
{
    MUST(r->has_vnodes && res != RES_PRESENCE);
    if (!r->named_somewhere[res])
        return false;
    if (r->named_everywhere[res] && link_has_vnode(r, vnode))
        return true;
    for (size_t c = 0; c < r->at.n; c++)
        for (size_t i = 0; i < r->at.chunks[c].n; i++) {
            const struct piece *piece = &r->at.chunks[c].pieces[i];

            if (piece->amounts[res] &&
                world_slot(w, piece->vnode, res) == world_slot(w, vnode, res))
                return true;
        }
    return false;
}

/* Copy the amounts of 'from' that the reservation does not name on that vnode, and that
 * the job is there when the reservation is not. False when there are none. */
static bool piece_beside(const struct world *w, const struct resv_link *r,
                         const struct piece *from, struct piece *to)
{
    bool any = false;

    for (size_t res = 1; res < w->n_res; res++) {
        if (!from->amounts[res] || link_names(w, r, from->vnode, res))
            continue;
        to->amounts[res] = from->amounts[res];
        any = true;
    }
    if (any && !link_has_vnode(r, from->vnode))
        to->amounts[RES_PRESENCE] = 1;
    return any;
}

/* True when the placement lies on vnodes of the reservation, and every resource that it
 * uses is named by every piece of that. */
static bool is_all_named(const struct world *w, const struct resv_link *r,
                         const struct placement *at)
{
    for (size_t c = 0; c < at->n; c++)
        for (size_t i = 0; i < at->chunks[c].n; i++) {
            const struct piece *piece = &at->chunks[c].pieces[i];

            if (!link_has_vnode(r, piece->vnode))
                return false;
            for (size_t res = 1; res < w->n_res; res++)
                if (piece->amounts[res] && !r->named_everywhere[res])
                    return false;
        }
    return true;
}

bool link_beside(const struct world *w, const struct resv_link *r,
                 const struct placement *at, struct placement *ret)
{
    bool any = false;

    MUST(r->has_vnodes);
    *ret = (struct placement){ 0 };
    /* This is the usual case, and it needs no memory. */
    if (is_all_named(w, r, at))
        return false;
    for (size_t c = 0; c < at->n; c++) {
        struct placed *pd = placement_add(ret, w->arena);

        for (size_t i = 0; i < at->chunks[c].n; i++) {
            const struct piece *from = &at->chunks[c].pieces[i];

            if (piece_beside(w, r, from, placed_add(pd, w->arena, w, from->vnode)))
                any = true;
        }
    }
    return any;
}
