/* Unit tests of instants in order: what comes next, on random sets against looking at
 * all of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/ends.h"

#include "lib/base/rnd.h"

#include "../unit.h"

#include <CUnit/Basic.h>

enum {
    NODES = 200,
    INSTANTS = 40
};

struct many {
    struct end_node *root;
    struct end_node v[NODES];
    bool is_in[NODES];
    uint64_t n_added;
};

static bool comes_before(const struct end_node *a, const struct end_node *b)
{
    return a->at < b->at || (a->at == b->at && a->number < b->number);
}

/* The first that comes after 'at', or behind 'e' when there is one. */
static struct end_node *look_through(struct many *m, int64_t at,
                                     const struct end_node *e)
{
    struct end_node *best = NULL;

    for (size_t i = 0; i < NODES; i++) {
        struct end_node *x = &m->v[i];

        if (m->is_in[i] && (e ? comes_before(e, x) : x->at > at) &&
            (!best || comes_before(x, best)))
            best = x;
    }
    return best;
}

static void compare(struct many *m)
{
    for (int64_t at = -1; at <= INSTANTS; at++)
        CU_ASSERT_PTR_EQUAL(ends_after(m->root, at), look_through(m, at, NULL));
    for (size_t i = 0; i < NODES; i++)
        if (m->is_in[i])
            CU_ASSERT_PTR_EQUAL(ends_next(m->root, &m->v[i]),
                                look_through(m, 0, &m->v[i]));
}

/* What stands above is higher: that is what keeps it flat when some go. */
static bool is_heap(const struct end_node *e)
{
    return !e || ((!e->left || e->left->height < e->height) &&
                  (!e->right || e->right->height < e->height) && is_heap(e->left) &&
                  is_heap(e->right));
}

static void test_random_sets(void)
{
    struct rnd rnd = rnd_seeded(1);
    struct many m = { 0 };

    for (int round = 0; round < 2000; round++) {
        size_t i = (size_t)rnd_range(&rnd, 0, NODES - 1);

        if (m.is_in[i])
            ends_remove(&m.root, &m.v[i]);
        else
            ends_add(&m.root, &m.v[i], rnd_range(&rnd, 0, INSTANTS), m.n_added++);
        m.is_in[i] = !m.is_in[i];
        if (round % 20 == 0)
            compare(&m);
        CU_ASSERT_TRUE(is_heap(m.root));
    }
}

static size_t depth_of(const struct end_node *e)
{
    size_t left = e ? depth_of(e->left) : 0, right = e ? depth_of(e->right) : 0;

    return e ? 1 + MAX_OF(left, right) : 0;
}

/* Instants mostly come in their order. */
static void test_the_tree_is_flat(void)
{
    static struct end_node v[100000];
    struct end_node *root = NULL;

    for (size_t i = 0; i < ARRAY_LEN(v); i++)
        ends_add(&root, &v[i], (int64_t)(i / 3), i);
    CU_ASSERT_TRUE(depth_of(root) < 64);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the next one is the next one", test_random_sets },
        { "the tree is flat", test_the_tree_is_flat },
    };

    return unit_main("scheduler/ends", cases, ARRAY_LEN(cases));
}
