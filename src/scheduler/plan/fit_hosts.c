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

    for (size_t i = first; i < w->host_first[host + 1]; i++)
        if (is_eligible(f, w->on_host[i]))
            slots[n++] = w->on_host[i];
    MUST(n > 0);
    f->hosts[f->n_hosts] = (struct fit_host){ .n = n, .vnodes = slots };
    f->desk->host_at[host] = f->n_hosts++;
}

bool fit_has_host(struct fit *f, size_t host)
{
    while (host >= f->n_hosts && f->n_seen < f->n_order) {
        size_t vnode = f->order[f->n_seen++];

        if (is_eligible(f, vnode) && !is_found(f, f->w->host[vnode]))
            add_host(f, f->w->host[vnode]);
    }
    return host < f->n_hosts;
}

void fit_see_all(struct fit *f)
{
    (void)fit_has_host(f, SIZE_MAX);
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
