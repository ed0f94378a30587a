/* desk.c - see desk.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/desk.h"

struct desk *desk_new(struct arena *arena, size_t n_vnodes, size_t n_hosts,
                      size_t n_res)
{
    struct desk *d = ARENA_NEW(arena, struct desk);

    MUST(n_hosts <= n_vnodes && n_res > 0);
    d->judged = ARENA_ARRAY(arena, uint64_t, n_vnodes + 1);
    d->free = ARENA_ARRAY(arena, int64_t, n_vnodes * n_res + 1);
    d->eligible = ARENA_ARRAY(arena, bool, n_vnodes + 1);
    d->host_asked = ARENA_ARRAY(arena, uint64_t, n_hosts + 1);
    d->host_busy = ARENA_ARRAY(arena, bool, n_hosts + 1);
    d->used = ARENA_ARRAY(arena, uint64_t, n_vnodes + 1);
    d->host_used = ARENA_ARRAY(arena, uint64_t, n_hosts + 1);
    d->host_tried = ARENA_ARRAY(arena, uint64_t, n_hosts + 1);
    d->host_at = ARENA_ARRAY(arena, size_t, n_hosts + 1);
    d->hosts = ARENA_ARRAY(arena, struct fit_host, n_hosts + 1);
    d->slots = ARENA_ARRAY(arena, size_t, n_vnodes + 1);
    d->taken = ARENA_ARRAY(arena, uint64_t, n_vnodes + 1);
    d->last_here = ARENA_ARRAY(arena, size_t, n_hosts + 1);
    return d;
}
