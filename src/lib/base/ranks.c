/* ranks.c - see ranks.h.
 *
 * Adding and removing walk down from the root and mend the heights on their way back.
 * They call themselves once for each level, and there are few: 28 for a million
 * members.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/ranks.h"

static uint32_t height_of(const struct ranked *r)
{
    return r ? r->height : 0;
}

static void measure(struct ranked *r)
{
    r->height = 1 + MAX_OF(height_of(r->left), height_of(r->right));
}

/* The left one comes to the top, and the old top to its right. */
static struct ranked *turn_right(struct ranked *r)
{
    struct ranked *top = r->left;

    r->left = top->right;
    top->right = r;
    measure(r);
    measure(top);
    return top;
}

static struct ranked *turn_left(struct ranked *r)
{
    struct ranked *top = r->right;

    r->right = top->left;
    top->left = r;
    measure(r);
    measure(top);
    return top;
}

/* The two sides of 'r' are balanced and differ by two at most; returns the new top. */
static struct ranked *balance(struct ranked *r)
{
    uint32_t left = height_of(r->left), right = height_of(r->right);

    if (left > right + 1) {
        if (height_of(r->left->left) < height_of(r->left->right))
            r->left = turn_left(r->left);
        return turn_right(r);
    }
    if (right > left + 1) {
        if (height_of(r->right->right) < height_of(r->right->left))
            r->right = turn_right(r->right);
        return turn_left(r);
    }
    measure(r);
    return r;
}

static struct ranked *put(struct ranked *top, struct ranked *r)
{
    if (!top)
        return r;
    MUST(rank_is_before(r->place, top->place) || rank_is_before(top->place, r->place));
    if (rank_is_before(r->place, top->place))
        top->left = put(top->left, r);
    else
        top->right = put(top->right, r);
    return balance(top);
}

void ranks_add(struct ranks *rs, struct ranked *r, struct rank_place place)
{
    MUST(!ranked_is_there(r));
    *r = (struct ranked){ .place = place, .height = 1 };
    rs->root = put(rs->root, r);
}

/* Without its first member, which is *ret. */
static struct ranked *take_first(struct ranked *top, struct ranked **ret)
{
    if (!top->left) {
        *ret = top;
        return top->right;
    }
    top->left = take_first(top->left, ret);
    return balance(top);
}

static struct ranked *take(struct ranked *top, const struct ranked *r)
{
    struct ranked *next, *right;

    MUST(top); /* or it is not in this order */
    if (rank_is_before(r->place, top->place)) {
        top->left = take(top->left, r);
        return balance(top);
    }
    if (rank_is_before(top->place, r->place)) {
        top->right = take(top->right, r);
        return balance(top);
    }
    MUST(top == r);
    if (!top->right)
        return top->left;
    /* The next one behind it stands in its place. */
    right = take_first(top->right, &next);
    next->right = right;
    next->left = top->left;
    return balance(next);
}

void ranks_remove(struct ranks *rs, struct ranked *r)
{
    MUST(ranked_is_there(r));
    rs->root = take(rs->root, r);
    r->height = 0;
}

struct ranked *ranks_behind(const struct ranks *rs, struct rank_place place)
{
    struct ranked *best = NULL;

    for (struct ranked *r = rs->root; r;) {
        if (rank_is_before(place, r->place)) {
            best = r;
            r = r->left;
        } else {
            r = r->right;
        }
    }
    return best;
}

static size_t check(const struct ranked *r, struct rank_place after,
                    struct rank_place before)
{
    uint32_t left, right;

    if (!r)
        return 0;
    left = height_of(r->left);
    right = height_of(r->right);
    MUST(rank_is_before(after, r->place) && rank_is_before(r->place, before));
    MUST(r->height == 1 + MAX_OF(left, right) && left <= right + 1 &&
         right <= left + 1);
    return 1 + check(r->left, after, r->place) + check(r->right, r->place, before);
}

size_t ranks_check(const struct ranks *rs)
{
    return check(rs->root, RANK_PLACE_FIRST, RANK_PLACE_LAST);
}
