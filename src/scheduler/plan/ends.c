/* ends.c - see ends.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/ends.h"

static bool is_before(const struct end_node *a, const struct end_node *b)
{
    return a->at != b->at ? a->at < b->at : a->number < b->number;
}

/* A number that looks random: the bits of the other one, mixed (splitmix64). */
static uint64_t height_of(uint64_t number)
{
    uint64_t x = (number + 1) * 0x9e3779b97f4a7c15u;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Divide a tree into those before 'e' and those behind it. */
static void split(struct end_node *tree, const struct end_node *e,
                  struct end_node **before, struct end_node **behind)
{
    while (tree) {
        if (is_before(tree, e)) {
            *before = tree;
            before = &tree->right;
            tree = tree->right;
        } else {
            *behind = tree;
            behind = &tree->left;
            tree = tree->left;
        }
    }
    *before = *behind = NULL;
}

/* All of 'a' are before all of 'b'. */
static struct end_node *join(struct end_node *a, struct end_node *b)
{
    struct end_node *root = NULL, **to = &root;

    while (a && b) {
        if (a->height > b->height) {
            *to = a;
            to = &a->right;
            a = a->right;
        } else {
            *to = b;
            to = &b->left;
            b = b->left;
        }
    }
    *to = a ? a : b;
    return root;
}

void ends_add(struct end_node **root, struct end_node *e, int64_t at, uint64_t number)
{
    *e = (struct end_node){ .at = at, .number = number, .height = height_of(number) };
    while (*root && (*root)->height > e->height)
        root = is_before(*root, e) ? &(*root)->right : &(*root)->left;
    split(*root, e, &e->left, &e->right);
    *root = e;
}

void ends_remove(struct end_node **root, struct end_node *e)
{
    while (*root != e) {
        MUST(*root);
        root = is_before(*root, e) ? &(*root)->right : &(*root)->left;
    }
    *root = join(e->left, e->right);
}

struct end_node *ends_after(struct end_node *root, int64_t at)
{
    struct end_node *best = NULL;

    while (root) {
        if (root->at > at) {
            best = root;
            root = root->left;
        } else {
            root = root->right;
        }
    }
    return best;
}

struct end_node *ends_next(struct end_node *root, const struct end_node *e)
{
    struct end_node *best = NULL;

    while (root) {
        if (is_before(e, root)) {
            best = root;
            root = root->left;
        } else {
            root = root->right;
        }
    }
    return best;
}
