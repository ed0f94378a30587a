/* reach.c - streams to other MoMs, each opened once and kept for all jobs (tpp.md 7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

static struct reached *find(const struct mom *m, const char *key)
{
    struct reached *r;

    HASH_FIND_STR(m->reached, key, r);
    return r;
}

static struct reached *get(struct mom *m, const char *host, uint32_t port,
                           struct arena *arena)
{
    const char *key = arena_printf(arena, "%s:%u", host, port);
    struct reached *r = find(m, key);

    if (r)
        return r;
    r = xcalloc(1, sizeof(*r));
    r->key = xstrdup(key);
    r->host = xstrdup(host);
    r->port = port;
    HASH_ADD_KEYPTR(hh, m->reached, r->key, strlen(r->key), r);
    return r;
}

static void free_one(struct mom *m, struct reached *r)
{
    HASH_DEL(m->reached, r);
    free(r->key);
    free(r->host);
    free(r);
}

uint64_t reach_stream(struct mom *m, const char *host, uint32_t port,
                      struct mom_out *out)
{
    struct reached *r = get(m, host, port, out->arena);
    struct mom_effect *e;

    /* Without a router nothing is opened; asked_router_up() tries again. */
    if (r->stream || r->is_awaited || !m->router_is_up)
        return r->stream;
    r->is_awaited = true;
    e = out_add(out, MOM_REACH);
    e->u.reach.host = arena_strdup(out->arena, host);
    e->u.reach.port = port + 1; /* of the router network (tpp.md 1) */
    return 0;
}

struct reached *reach_of_stream(const struct mom *m, uint64_t stream)
{
    struct reached *r, *next;

    HASH_ITER (hh, m->reached, r, next)
        if (stream && r->stream == stream)
            return r;
    return NULL;
}

void mom_reached(struct mom *m, int64_t now_at, const char *host, uint32_t port,
                 uint64_t stream, struct mom_out *out)
{
    struct reached *r;

    MUST(port > 0);
    r = find(m, arena_printf(out->arena, "%s:%u", host, port - 1));
    if (!r || !r->is_awaited)
        return;
    r->is_awaited = false;
    r->stream = stream;
    if (stream)
        asked_reached(m, r, out);
    else
        superior_lost(m, now_at, r, out);
}

void reach_free_all(struct mom *m)
{
    struct reached *r, *next;

    HASH_ITER (hh, m->reached, r, next)
        free_one(m, r);
}
