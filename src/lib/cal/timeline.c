/* timeline.c - steps in blocks, with a tree of what is least and most above them.
 *
 * A step holds from its instant until the next one's, the first from the beginning of
 * time and the last for ever. Steps that follow one another differ. They are kept in
 * order in blocks of at most BLOCK_STEPS: a change moves the rest of two blocks and
 * tells those between what they all get ('later'), a question walks two blocks and asks
 * the tree about those between. Most vnodes have a few steps, which are one block and
 * need no tree.
 *
 * The tree is made current by the next question that needs it, and only above blocks
 * that changed. Its leaves are a power of two; those without a block have the least of
 * everything above and the most below all that may be asked for.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/timeline.h"

#include <string.h>

#define BLOCK_STEPS 32
#define FIRST_STEPS 4
/* A block with fewer is joined to the next one where they fit into one. */
#define FEW_STEPS   8

/* Vectors have one number a resource. */
struct block {
    size_t n, cap; /* n > 0 */
    int64_t *at;
    int64_t *free; /* a vector each step, without 'later' */
    int64_t *later;
    int64_t *least, *most; /* of all steps, with 'later'; unless 'stale' */
    bool owes;             /* 'later' is not zero */
    bool stale;
    struct block *next_spare;
};

struct timeline {
    struct arena *arena;
    size_t n_res;
    size_t n, cap; /* blocks, n > 0 */
    struct block **v;
    int64_t *begin_at;   /* of each block, side by side: they are searched */
    struct block *spare; /* that became empty */
    int64_t *answer;     /* room for a vector */
    /* Vectors of the tree's nodes; node i > 0 is above 2i and 2i + 1. */
    int64_t *least, *most;
    size_t n_leaves;
    size_t stale_from, stale_to; /* of the blocks: what the tree does not know yet */
};

/* Of a step, by the numbers of its block and in it. */
struct place {
    size_t block, step;
};

#define FREE(t, b, i)  (&(b)->free[(i) * (t)->n_res])
#define LEAST(t, node) (&(t)->least[(node) * (t)->n_res])
#define MOST(t, node)  (&(t)->most[(node) * (t)->n_res])

/* Vectors. */

static void add(size_t n_res, int64_t *to, const int64_t *amounts, int sign)
{
    for (size_t r = 0; r < n_res; r++)
        to[r] += sign * amounts[r];
}

static void lower(size_t n_res, int64_t *least, const int64_t *to)
{
    for (size_t r = 0; r < n_res; r++)
        least[r] = MIN_OF(least[r], to[r]);
}

static void raise(size_t n_res, int64_t *most, const int64_t *to)
{
    for (size_t r = 0; r < n_res; r++)
        most[r] = MAX_OF(most[r], to[r]);
}

static void fill(size_t n_res, int64_t *to, int64_t amount)
{
    for (size_t r = 0; r < n_res; r++)
        to[r] = amount;
}

static int64_t *vectors(struct timeline *t, size_t n)
{
    return arena_zero(t->arena, n * t->n_res * sizeof(int64_t));
}

/* Blocks. */

static void block_reserve(struct timeline *t, struct block *b, size_t cap)
{
    int64_t *at, *has;

    if (cap <= b->cap)
        return;
    at = arena_alloc(t->arena, cap * sizeof(*at));
    has = arena_alloc(t->arena, cap * t->n_res * sizeof(*has));
    if (b->n > 0) {
        memcpy(at, b->at, b->n * sizeof(*at));
        memcpy(has, b->free, b->n * t->n_res * sizeof(*has));
    }
    b->at = at;
    b->free = has;
    b->cap = cap;
    MUST(b->n <= b->cap);
}

static struct block *block_new(struct timeline *t, size_t cap)
{
    struct block *b = t->spare;

    if (b) {
        t->spare = b->next_spare;
    } else {
        b = ARENA_NEW(t->arena, struct block);
        b->later = vectors(t, 3);
        b->least = b->later + t->n_res;
        b->most = b->least + t->n_res;
    }
    fill(t->n_res, b->later, 0);
    b->owes = false;
    b->stale = true;
    b->n = 0;
    block_reserve(t, b, cap);
    return b;
}

/* Before anybody looks at single steps. */
static struct block *settled(const struct timeline *t, struct block *b)
{
    if (!b->owes)
        return b;
    for (size_t i = 0; i < b->n; i++)
        add(t->n_res, FREE(t, b, i), b->later, 1);
    fill(t->n_res, b->later, 0);
    b->owes = false;
    return b;
}

static void block_sum_up(const struct timeline *t, struct block *b)
{
    if (!b->stale)
        return;
    settled(t, b);
    fill(t->n_res, b->least, INT64_MAX);
    fill(t->n_res, b->most, INT64_MIN);
    for (size_t i = 0; i < b->n; i++) {
        lower(t->n_res, b->least, FREE(t, b, i));
        raise(t->n_res, b->most, FREE(t, b, i));
    }
    b->stale = false;
}

/* To the steps [from, to). */
static void block_add(const struct timeline *t, struct block *b, size_t from, size_t to,
                      const int64_t *amounts, int sign)
{
    if (from == 0 && to == b->n) {
        add(t->n_res, b->later, amounts, sign);
        b->owes = true;
        if (!b->stale) {
            add(t->n_res, b->least, amounts, sign);
            add(t->n_res, b->most, amounts, sign);
        }
        return;
    }
    settled(t, b);
    for (size_t i = from; i < to; i++)
        add(t->n_res, FREE(t, b, i), amounts, sign);
    b->stale = true;
}

/* 'n' steps of 'from' to the end of 'to', which has room. */
static void block_append(const struct timeline *t, struct block *to,
                         const struct block *from, size_t first, size_t n)
{
    MUST(first + n <= from->n && to->n + n <= to->cap);
    MUST(!from->owes && !to->owes); /* else the steps would change in between */
    memcpy(&to->at[to->n], &from->at[first], n * sizeof(*to->at));
    memcpy(FREE(t, to, to->n), FREE(t, from, first), n * t->n_res * sizeof(*to->free));
    to->n += n;
    to->stale = true;
}

/* The row of blocks. */

/* The tree does not know of the blocks [from, to) any more. */
static void mark_stale(struct timeline *t, size_t from, size_t to)
{
    t->stale_from = MIN_OF(t->stale_from, from);
    t->stale_to = MAX_OF(t->stale_to, to);
}

static void blocks_reserve(struct timeline *t, size_t cap)
{
    struct block **v = arena_alloc(t->arena, cap * sizeof(struct block *));
    int64_t *begin_at = arena_alloc(t->arena, cap * sizeof(*begin_at));

    if (t->n > 0) {
        memcpy(v, t->v, t->n * sizeof(struct block *));
        memcpy(begin_at, t->begin_at, t->n * sizeof(*begin_at));
    }
    t->v = v;
    t->begin_at = begin_at;
    t->cap = cap;
}

static void blocks_insert(struct timeline *t, size_t i, struct block *b)
{
    size_t behind = t->n - i;

    MUST(i <= t->n && b->n > 0);
    if (t->n == t->cap)
        blocks_reserve(t, 2 * t->cap);
    memmove(&t->v[i + 1], &t->v[i], behind * sizeof(struct block *));
    memmove(&t->begin_at[i + 1], &t->begin_at[i], behind * sizeof(*t->begin_at));
    t->v[i] = b;
    t->begin_at[i] = b->at[0];
    t->n++;
    mark_stale(t, i, t->n);
}

static void blocks_remove(struct timeline *t, size_t i)
{
    MUST(i < t->n && t->n > 1); /* the beginning of time stays somewhere */
    mark_stale(t, i, t->n);
    t->v[i]->next_spare = t->spare;
    t->spare = t->v[i];
    t->n--;
    memmove(&t->v[i], &t->v[i + 1], (t->n - i) * sizeof(struct block *));
    memmove(&t->begin_at[i], &t->begin_at[i + 1], (t->n - i) * sizeof(*t->begin_at));
}

/* The step that holds at 'at'. */
static struct place find(const struct timeline *t, int64_t at)
{
    struct place p = { 0, 0 };
    size_t high = t->n;

    while (high - p.block > 1) {
        size_t mid = p.block + (high - p.block) / 2;

        if (t->begin_at[mid] <= at)
            p.block = mid;
        else
            high = mid;
    }
    high = t->v[p.block]->n;
    while (high - p.step > 1) {
        size_t mid = p.step + (high - p.step) / 2;

        if (t->v[p.block]->at[mid] <= at)
            p.step = mid;
        else
            high = mid;
    }
    MUST(t->v[p.block]->at[p.step] <= at); /* the first step holds from INT64_MIN on */
    return p;
}

/* Half of a full block becomes one of its own. */
static void halve(struct timeline *t, size_t i)
{
    struct block *b = settled(t, t->v[i]), *half = block_new(t, BLOCK_STEPS);

    MUST(b->n == BLOCK_STEPS);
    block_append(t, half, b, BLOCK_STEPS / 2, BLOCK_STEPS / 2);
    b->n = BLOCK_STEPS / 2;
    b->stale = true;
    mark_stale(t, i, i + 1);
    blocks_insert(t, i + 1, half);
}

/* Make a step begin at 'at'. */
static void begin_step(struct timeline *t, int64_t at)
{
    struct place p = find(t, at);
    struct block *b = t->v[p.block];

    if (b->at[p.step] == at)
        return;
    if (b->n == BLOCK_STEPS) {
        halve(t, p.block);
        p = find(t, at);
        b = t->v[p.block];
    }
    if (b->n == b->cap)
        block_reserve(t, b, 2 * b->cap);
    memmove(&b->at[p.step + 1], &b->at[p.step], (b->n - p.step) * sizeof(*b->at));
    memmove(FREE(t, b, p.step + 1), FREE(t, b, p.step),
            (b->n - p.step) * t->n_res * sizeof(*b->free));
    b->at[p.step + 1] = at; /* what is free is that of the step before */
    b->n++;
    MUST(b->at[p.step] < at && (p.step + 2 == b->n || at < b->at[p.step + 2]));
}

static void join_few(struct timeline *t, size_t i)
{
    struct block *b = t->v[i], *next;

    if (i + 1 == t->n || b->n >= FEW_STEPS || b->n + t->v[i + 1]->n > BLOCK_STEPS)
        return;
    next = settled(t, t->v[i + 1]);
    settled(t, b);
    block_reserve(t, b, BLOCK_STEPS);
    block_append(t, b, next, 0, next->n);
    mark_stale(t, i, i + 1);
    blocks_remove(t, i + 1);
}

static void remove_step(struct timeline *t, struct place p)
{
    struct block *b = t->v[p.block];

    b->n--;
    if (b->n == 0) {
        blocks_remove(t, p.block);
        return;
    }
    memmove(&b->at[p.step], &b->at[p.step + 1], (b->n - p.step) * sizeof(*b->at));
    memmove(FREE(t, b, p.step), FREE(t, b, p.step + 1),
            (b->n - p.step) * t->n_res * sizeof(*b->free));
    b->stale = true;
    t->begin_at[p.block] = b->at[0];
    mark_stale(t, p.block, p.block + 1);
    join_few(t, p.block);
}

/* When nothing changes at 'at', no step begins there. */
static void end_step(struct timeline *t, int64_t at)
{
    struct place p = find(t, at), before = p;
    const struct block *b = settled(t, t->v[p.block]), *prev;

    if (at == INT64_MIN)
        return;
    if (p.step == 0)
        before = (struct place){ p.block - 1, t->v[p.block - 1]->n };
    before.step--;
    prev = settled(t, t->v[before.block]);
    if (memcmp(FREE(t, prev, before.step), FREE(t, b, p.step),
               t->n_res * sizeof(*b->free)) == 0)
        remove_step(t, p);
}

/* Timelines. */

static struct timeline *timeline_empty(struct arena *arena, size_t n_res, size_t cap)
{
    struct timeline *t = ARENA_NEW(arena, struct timeline);

    t->arena = arena;
    t->n_res = n_res;
    t->answer = vectors(t, 1);
    blocks_reserve(t, cap);
    return t;
}

struct timeline *timeline_new(struct arena *arena, size_t n, const int64_t *capacity)
{
    struct timeline *t;
    struct block *b;

    MUST(n > 0);
    t = timeline_empty(arena, n, 1);
    b = block_new(t, FIRST_STEPS);
    b->n = 1;
    b->at[0] = INT64_MIN;
    memcpy(b->free, capacity, n * sizeof(*capacity));
    blocks_insert(t, 0, b);
    return t;
}

struct timeline *timeline_copy(struct arena *arena, struct timeline *t)
{
    struct timeline *copy = timeline_empty(arena, t->n_res, t->n);

    for (size_t i = 0; i < t->n; i++) {
        const struct block *from = settled(t, t->v[i]);
        struct block *to = block_new(copy, from->n);

        block_append(copy, to, from, 0, from->n);
        blocks_insert(copy, i, to);
    }
    return copy;
}

static void change(struct timeline *t, int64_t start_at, int64_t end_at,
                   const int64_t *amounts, int sign)
{
    struct place first, last;

    MUST(sign == 1 || sign == -1);
    if (start_at >= end_at)
        return;
    begin_step(t, start_at);
    if (end_at != TIMELINE_NEVER)
        begin_step(t, end_at);
    first = find(t, start_at);
    last = find(t, end_at - 1);
    MUST(t->v[first.block]->at[first.step] == start_at);
    MUST(first.block < last.block ||
         (first.block == last.block && first.step <= last.step));
    for (size_t i = first.block; i <= last.block; i++)
        block_add(t, t->v[i], i == first.block ? first.step : 0,
                  i == last.block ? last.step + 1 : t->v[i]->n, amounts, sign);
    mark_stale(t, first.block, last.block + 1);
    if (end_at != TIMELINE_NEVER)
        end_step(t, end_at);
    end_step(t, start_at);
}

void timeline_claim(struct timeline *t, int64_t start_at, int64_t end_at,
                    const int64_t *amounts)
{
    change(t, start_at, end_at, amounts, -1);
}

void timeline_release(struct timeline *t, int64_t start_at, int64_t end_at,
                      const int64_t *amounts)
{
    change(t, start_at, end_at, amounts, 1);
}

/* The tree. */

static void tree_leaf(struct timeline *t, size_t i)
{
    size_t node = t->n_leaves + i;

    MUST(i < t->n_leaves);
    if (i >= t->n) {
        fill(t->n_res, LEAST(t, node), INT64_MAX);
        fill(t->n_res, MOST(t, node), INT64_MIN);
        return;
    }
    block_sum_up(t, t->v[i]);
    memcpy(LEAST(t, node), t->v[i]->least, t->n_res * sizeof(int64_t));
    memcpy(MOST(t, node), t->v[i]->most, t->n_res * sizeof(int64_t));
}

static void tree_node(struct timeline *t, size_t node)
{
    size_t bytes = t->n_res * sizeof(int64_t);

    memcpy(LEAST(t, node), LEAST(t, 2 * node), bytes);
    memcpy(MOST(t, node), MOST(t, 2 * node), bytes);
    lower(t->n_res, LEAST(t, node), LEAST(t, 2 * node + 1));
    raise(t->n_res, MOST(t, node), MOST(t, 2 * node + 1));
}

static void tree_refresh(struct timeline *t)
{
    size_t first, last;

    if (t->n_leaves < t->n) {
        for (t->n_leaves = MAX_OF(t->n_leaves, (size_t)2); t->n_leaves < t->n;)
            t->n_leaves *= 2;
        t->least = vectors(t, 2 * t->n_leaves);
        t->most = vectors(t, 2 * t->n_leaves);
        mark_stale(t, 0, t->n_leaves);
    }
    t->stale_to = MIN_OF(t->stale_to, t->n_leaves); /* there were more since */
    if (t->stale_from >= t->stale_to)
        return;
    for (size_t i = t->stale_from; i < t->stale_to; i++)
        tree_leaf(t, i);
    first = t->n_leaves + t->stale_from;
    last = t->n_leaves + t->stale_to - 1;
    for (first /= 2, last /= 2; first > 0; first /= 2, last /= 2)
        for (size_t node = first; node <= last; node++)
            tree_node(t, node);
    t->stale_from = SIZE_MAX;
    t->stale_to = 0;
    MUST(t->n <= t->n_leaves);
}

/* Questions. */

/* Of the steps from 'from' on that begin before 'end_at'. False: the block has others.
 */
static bool least_of_steps(const struct timeline *t, struct block *b, size_t from,
                           int64_t end_at, int64_t *least)
{
    size_t i = from;

    settled(t, b);
    for (; i < b->n && b->at[i] < end_at; i++)
        lower(t->n_res, least, FREE(t, b, i));
    return i == b->n;
}

static void least_of_blocks(struct timeline *t, size_t first, size_t last,
                            int64_t *least)
{
    MUST(last <= t->n);
    if (first >= last)
        return;
    tree_refresh(t);
    first += t->n_leaves;
    last += t->n_leaves;
    for (; first < last; first /= 2, last /= 2) {
        if (first & 1)
            lower(t->n_res, least, LEAST(t, first++));
        if (last & 1)
            lower(t->n_res, least, LEAST(t, --last));
    }
}

void timeline_least_all(struct timeline *t, int64_t start_at, int64_t end_at,
                        int64_t *least)
{
    struct place p = find(t, start_at);
    size_t last;

    MUST(start_at < end_at);
    fill(t->n_res, least, INT64_MAX);
    if (!least_of_steps(t, t->v[p.block], p.step, end_at, least))
        return;
    last = find(t, end_at - 1).block;
    if (last == p.block)
        return;
    least_of_blocks(t, p.block + 1, last, least);
    (void)least_of_steps(t, t->v[last], 0, end_at, least);
}

int64_t timeline_least(struct timeline *t, size_t resource, int64_t start_at,
                       int64_t end_at)
{
    MUST(resource < t->n_res);
    timeline_least_all(t, start_at, end_at, t->answer);
    return t->answer[resource];
}

/* A resource of which nothing is asked for may be short. */
static bool suffices(size_t n_res, const int64_t *has, const int64_t *amounts)
{
    for (size_t r = 0; r < n_res; r++)
        if (amounts[r] > 0 && has[r] < amounts[r])
            return false;
    return true;
}

bool timeline_fits(struct timeline *t, int64_t start_at, int64_t end_at,
                   const int64_t *amounts)
{
    timeline_least_all(t, start_at, end_at, t->answer);
    return suffices(t->n_res, t->answer, amounts);
}

/* A search for the first stretch that is long enough. */
struct search {
    struct timeline *t;
    const int64_t *amounts;
    int64_t not_before, duration_s;
    bool open; /* everything has sufficed since start_at */
    int64_t start_at, end_at;
};

/* From 'at' on all suffices, or something is short. True: what was open until there is
 * long enough. */
static bool reach(struct search *q, int64_t at, bool enough)
{
    if (q->open && at >= q->end_at)
        return true;
    if (enough && !q->open) {
        q->start_at = MAX_OF(at, q->not_before);
        if (__builtin_add_overflow(q->start_at, q->duration_s, &q->end_at))
            q->end_at = TIMELINE_NEVER;
    }
    q->open = enough;
    return false;
}

static bool search_block(struct search *q, struct block *b, size_t from)
{
    settled(q->t, b);
    for (size_t i = from; i < b->n; i++)
        if (reach(q, b->at[i], suffices(q->t->n_res, FREE(q->t, b, i), q->amounts)))
            return true;
    return false;
}

/* The blocks from 'first' on that are below a node, which are [low, high). When all
 * suffices in all of them, or something in none, the first step says it for all. */
static bool search_tree(struct search *q, size_t node, size_t low, size_t high,
                        size_t first)
{
    struct timeline *t = q->t;
    size_t mid = low + (high - low) / 2;

    if (high <= first || low >= t->n)
        return false;
    if (low >= first) {
        if (suffices(t->n_res, LEAST(t, node), q->amounts))
            return reach(q, t->begin_at[low], true);
        if (!suffices(t->n_res, MOST(t, node), q->amounts))
            return reach(q, t->begin_at[low], false);
    }
    if (high - low == 1)
        return search_block(q, t->v[low], 0);
    return search_tree(q, 2 * node, low, mid, first) ||
           search_tree(q, 2 * node + 1, mid, high, first);
}

int64_t timeline_earliest(struct timeline *t, int64_t not_before, int64_t duration_s,
                          const int64_t *amounts)
{
    struct place p = find(t, not_before);
    struct search q = {
        .t = t, .amounts = amounts, .not_before = not_before, .duration_s = duration_s
    };

    MUST(duration_s > 0);
    if (search_block(&q, t->v[p.block], p.step))
        return q.start_at;
    if (p.block + 1 < t->n) {
        tree_refresh(t);
        if (search_tree(&q, 1, 0, t->n_leaves, p.block + 1))
            return q.start_at;
    }
    return q.open ? q.start_at : TIMELINE_NEVER;
}

int64_t timeline_next_change(const struct timeline *t, int64_t after_at)
{
    struct place p = find(t, after_at);

    if (p.step + 1 < t->v[p.block]->n)
        return t->v[p.block]->at[p.step + 1];
    return p.block + 1 < t->n ? t->begin_at[p.block + 1] : TIMELINE_NEVER;
}

static const int64_t *free_at(const struct timeline *t, int64_t at)
{
    struct place p = find(t, at);

    return FREE(t, settled(t, t->v[p.block]), p.step);
}

bool timeline_same(struct timeline *a, struct timeline *b, int64_t from_at)
{
    if (a->n_res != b->n_res)
        return false;
    for (;;) {
        int64_t next_at = timeline_next_change(a, from_at);

        if (memcmp(free_at(a, from_at), free_at(b, from_at),
                   a->n_res * sizeof(int64_t)) != 0 ||
            timeline_next_change(b, from_at) != next_at)
            return false;
        if (next_at == TIMELINE_NEVER)
            return true;
        from_at = next_at;
    }
}
