/* fit_hosts.c - the hosts on which a fit tries to place chunks.
 *
 * They come in the order of their first eligible vnode, and the vnodes of each keep the
 * order that the policy gave them. In the order of the world, of which it is known what
 * else is on a host, a host is made when the search comes to it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/fit.h"

static bool is_eligible(struct fit *f, size_t vnode)
{
    if (f->judge)
        f->judge(f, vnode);
    return f->eligible[vnode];
}

/* Is the host one of those that were found? What stands in host_at[] may be of an
 * earlier search. */
static bool is_found(const struct fit *f, size_t host)
{
    size_t at = f->desk->host_at[host];

    return at < f->n_hosts && f->w->host[f->hosts[at].vnodes[0]] == host;
}

/* With all its eligible vnodes, of which one has been seen. */
static void add_host(struct fit *f, size_t host)
{
    const struct world *w = f->w;
    size_t first = w->host_first[host];
    size_t *slots = &f->desk->slots[first];
    size_t n = 0;

    for (int away = 0; away <= f->there_first; away++)
        for (size_t i = first; i < w->host_first[host + 1]; i++) {
            size_t vnode = w->on_host[i];

            if (is_eligible(f, vnode) &&
                (!f->there_first || w->s->vnodes[vnode].usable != away))
                slots[n++] = vnode;
        }
    MUST(n > 0);
    f->hosts[f->n_hosts] = (struct fit_host){ .n = n, .vnodes = slots };
    f->desk->host_at[host] = f->n_hosts++;
}

/* The vnode that is seen next, SIZE_MAX: not in this turn. */
static size_t see_vnode(struct fit *f)
{
    bool away = f->n_seen >= f->n_order;
    size_t vnode = f->order[f->n_seen++ % f->n_order];

    return f->there_first && f->w->s->vnodes[vnode].usable == away ? SIZE_MAX : vnode;
}

bool fit_has_host(struct fit *f, size_t host)
{
    size_t n_all = f->there_first ? 2 * f->n_order : f->n_order;
    size_t n_to_see = MIN_OF(n_all, f->n_plain);

    while (host >= f->n_hosts && f->n_seen < n_to_see) {
        size_t vnode = see_vnode(f);

        if (vnode != SIZE_MAX && is_eligible(f, vnode) &&
            !is_found(f, f->w->host[vnode]))
            add_host(f, f->w->host[vnode]);
    }
    return host < f->n_hosts;
}

void fit_see_all(struct fit *f)
{
    /* Hosts that a walk has found stand behind those that were seen in order. */
    if (f->walk_turn)
        f->n_hosts = f->n_ordered;
    f->walk_turn = 0;
    f->n_plain = SIZE_MAX;
    (void)fit_has_host(f, SIZE_MAX);
}

bool fit_has_plain_host(struct fit *f, size_t host)
{
    return f->walk_turn ? host < f->n_ordered : fit_has_host(f, host);
}

void fit_set_out(struct fit *f, const struct req_chunk *chunk)
{
    MUST(f->judge && f->n_plain != SIZE_MAX);
    if (!f->walk_turn)
        f->n_ordered = f->n_hosts;
    f->walk_turn = ++f->desk->turn;
    f->set_out(f, chunk);
}

size_t fit_walk_on(struct fit *f)
{
    for (size_t vnode; (vnode = f->next(f)) != SIZE_MAX;) {
        size_t host = f->w->host[vnode];

        if (f->desk->host_tried[host] == f->walk_turn || !is_eligible(f, vnode))
            continue;
        f->desk->host_tried[host] = f->walk_turn;
        if (!is_found(f, host))
            add_host(f, host);
        if (f->desk->host_at[host] >= f->n_ordered)
            return f->desk->host_at[host];
    }
    return SIZE_MAX;
}

/* The hosts in their order, with how many vnodes each has. */
static void count_hosts(struct fit *f)
{
    for (size_t i = 0; i < f->n_order; i++) {
        size_t host = f->w->host[f->order[i]];

        if (!f->eligible[f->order[i]])
            continue;
        if (!is_found(f, host)) {
            f->hosts[f->n_hosts] = (struct fit_host){ .vnodes = &f->order[i] };
            f->desk->host_at[host] = f->n_hosts++;
        }
        f->hosts[f->desk->host_at[host]].n++;
    }
}

void fit_group_hosts(struct fit *f)
{
    size_t *slots = f->desk->slots;

    MUST(!f->judge && f->n_hosts == 0);
    count_hosts(f);
    for (size_t h = 0; h < f->n_hosts; h++) {
        size_t n = f->hosts[h].n;

        f->hosts[h] = (struct fit_host){ .vnodes = slots };
        slots += n;
    }
    for (size_t i = 0; i < f->n_order; i++) {
        struct fit_host *h;

        if (!f->eligible[f->order[i]])
            continue;
        h = &f->hosts[f->desk->host_at[f->w->host[f->order[i]]]];
        f->desk->slots[h->vnodes - f->desk->slots + (ptrdiff_t)h->n++] = f->order[i];
    }
    f->n_seen = f->n_order;
}

void fit_mark(struct fit *f, size_t vnode, bool used)
{
    f->desk->used[vnode] = used ? f->turn : 0;
    f->desk->host_used[f->w->host[vnode]] = used ? f->turn : 0;
}
