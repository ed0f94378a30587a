/* shortage.c - see shortage.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/shortage.h"

#include <inttypes.h>

const char *amount_text(struct arena *arena, const struct res *res, int64_t amount)
{
    static const char units[][3] = { "kb", "mb", "gb", "tb" };
    size_t unit = 0;

    if (res->kind == RES_FLOAT)
        return arena_printf(arena, "%.10g", (double)amount / FLOAT_SCALE);
    if (res->kind != RES_SIZE)
        return arena_printf(arena, "%lld", (long long)amount);
    while (amount > 0 && amount % 1024 == 0 && unit < 3) {
        amount /= 1024;
        unit++;
    }
    return arena_printf(arena, "%lld%s", (long long)amount, units[unit]);
}

const char *numbers_text(struct arena *arena, const struct res *res, int64_t asked,
                         int64_t left, int64_t total)
{
    return arena_printf(arena, "(R: %s A: %s T: %s)", amount_text(arena, res, asked),
                        amount_text(arena, res, left), amount_text(arena, res, total));
}

/* Enough may be free for one copy, and not for all: chunks are counted from 1 for
 * people. Which host pack tried last says nothing. */
static const char *copies_words(const struct plan_short *why, struct arena *arena)
{
    static const char *const how[] = {
        [PLACE_FREE] = "",
        [PLACE_SCATTER] = ", each on a host of its own",
        [PLACE_VSCATTER] = ", each on a vnode of its own",
    };
    const char *alone = why->never ? ", even with nobody else there" : "";

    if (why->arrange == PLACE_PACK)
        return arena_printf(arena, "no host has room for all chunks together%s", alone);
    return arena_printf(
        arena,
        "there is room for %" PRId64 " of the %" PRId64 " copies of chunk %zu%s%s",
        why->n_placed, why->n_copies, why->chunk + 1, how[why->arrange], alone);
}

const char *shortage_words(const struct plan_short *why, struct arena *arena)
{
    if (!why->res)
        return "";
    if (why->of_server)
        return arena_printf(
            arena,
            "all chunks together need %s of %s, of the server's at most %s is free",
            amount_text(arena, why->res, why->needed), why->res->name,
            amount_text(arena, why->res, why->most_free));
    if (why->value)
        return arena_printf(arena, "chunk %zu needs %s=%s, which no usable vnode has",
                            why->chunk + 1, why->res->name, why->value);
    if (why->needed > why->most_free)
        return arena_printf(arena, "chunk %zu needs %s of %s, at most %s is free",
                            why->chunk + 1, amount_text(arena, why->res, why->needed),
                            why->res->name,
                            amount_text(arena, why->res, why->most_free));
    return why->holder ? "" : copies_words(why, arena);
}
