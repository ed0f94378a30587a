/* hello_reply.c - REPLYHELLO: which addresses belong to the cluster (tpp.md 5.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/moms/moms_priv.h"

#include <stdlib.h>
#include <string.h>

static int by_addr(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void add_addrs(const struct book_host *h, struct buf *to)
{
    size_t n;
    const uint32_t *addrs = book_host_addrs(h, &n);

    buf_add(to, addrs, n * sizeof(*addrs));
}

/* Every host of the cluster that is known, the own one too: MoMs talk to no others. */
static void all_addrs(const struct moms *ms, struct buf *to)
{
    struct mom *mom, *next;

    add_addrs(host_book_own(ms->hosts), to);
    HASH_ITER (hh, ms->by_key, mom, next) {
        /* The address a MoM comes from may be one that its host's name does not lead
         * to. */
        uint32_t peer = mom->peer_host ? addr_of_text(mom->peer_host) : 0;

        if (mom->at)
            add_addrs(mom->at, to);
        if (peer)
            buf_add(to, &peer, sizeof(peer));
    }
}

static void make_ranges(const uint32_t *v, size_t n, struct arena *arena,
                        struct is_message *msg)
{
    /* The addresses are sorted. In the worst case each is a range of its own. */
    msg->ranges = ARENA_ARRAY(arena, struct is_range, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct is_range *last = msg->n_ranges ? &msg->ranges[msg->n_ranges - 1] : NULL;

        MUST(!last || v[i] >= last->low_ip); /* the addresses are sorted */
        /* This address was there already: hosts may share one. */
        if (last && v[i] <= last->low_ip + last->extra)
            continue;
        /* It follows the last range, which grows by one. */
        if (last && v[i] == last->low_ip + last->extra + 1)
            last->extra++;
        else
            msg->ranges[msg->n_ranges++] = (struct is_range){ .low_ip = v[i] };
    }
}

void mom_reply_hello(struct moms *ms, struct moms_turn *t, struct mom *mom)
{
    struct is_message msg = { .command = IS_REPLYHELLO, .need_inventory = 1 };
    struct buf bytes = { 0 };
    uint32_t *v;
    size_t n;

    all_addrs(ms, &bytes);
    n = bytes.len / sizeof(*v);
    v = ARENA_ARRAY(t->effects->arena, uint32_t, n + 1);
    if (n > 0)
        memcpy(v, bytes.data, n * sizeof(*v));
    buf_fini(&bytes);
    qsort(v, n, sizeof(*v), by_addr);
    make_ranges(v, n, t->effects->arena, &msg);
    /* Whoever learns of a new host later compares with this. */
    mom->told_version = host_book_version(ms->hosts);
    mom_send(t, mom, &msg);
}
