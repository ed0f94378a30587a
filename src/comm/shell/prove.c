/* prove.c - do these addresses belong to the host of that connection?
 *
 * An address of our own host: its interfaces say so. One of another host: the name that
 * the address bears must have the address of the connection as well. That name is in
 * the hands of who runs the claimed address's names, so nobody gains an address by what
 * his own are called. Name services may be slow: they are asked in threads, and the
 * connection is not read from meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "comm/shell/shell.h"
#include "lib/io/conn.h"
#include "lib/io/net.h"
#include "lib/io/pool.h"

#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define PROVE_THREADS 4
/* One leaf may claim many addresses: beyond so long the rest is not proven. */
#define PROVE_MS      20000

struct prove_job {
    struct pool_job job;
    struct comm *comm;
    uint64_t link;
    uint32_t peer_ip; /* host order */
    size_t n;
    struct router_claim claims[];
};

static struct sockaddr_in address_of(uint32_t ip)
{
    return (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(ip) };
}

static bool name_has_both(const char *name, uint32_t a, uint32_t b)
{
    struct addrinfo *list = NULL;
    bool has_a = false, has_b = false;

    if (net_addresses(name, &list) != 0)
        return false;
    for (const struct addrinfo *i = list; i; i = i->ai_next) {
        const struct sockaddr_in *in = (const void *)i->ai_addr;
        uint32_t ip = ntohl(in->sin_addr.s_addr);

        has_a = has_a || ip == a;
        has_b = has_b || ip == b;
    }
    freeaddrinfo(list);
    return has_a && has_b;
}

static bool is_of_host(uint32_t claimed, uint32_t peer)
{
    const struct sockaddr_in in = address_of(claimed);
    char name[NI_MAXHOST];

    /* A name of which we are told must lead back to the address: whoever runs the
     * reverse zone can write any name there. */
    return getnameinfo((const struct sockaddr *)&in, sizeof(in), name, sizeof(name),
                       NULL, 0, NI_NAMEREQD) == 0 &&
           name_has_both(name, claimed, peer);
}

static void job_work(struct pool_job *job)
{
    struct prove_job *pj = (struct prove_job *)(void *)job;
    const int64_t until_ms = clock_mono_ms() + PROVE_MS;

    for (size_t i = 0; i < pj->n && clock_mono_ms() < until_ms; i++)
        pj->claims[i].proven = is_of_host(pj->claims[i].ip, pj->peer_ip);
}

static void job_done(struct pool_job *job)
{
    struct prove_job *pj = (struct prove_job *)(void *)job;

    comm_proven(pj->comm, pj->link, pj->n, pj->claims);
    free(pj);
}

static void job_drop(struct pool_job *job)
{
    free(job);
}

static struct prove_job *job_new(struct comm *c, const struct router_effect *e,
                                 uint32_t peer_ip)
{
    size_t bytes = e->n_claims * sizeof(*e->claims);
    struct prove_job *pj = xcalloc(1, sizeof(*pj) + bytes);

    pj->job.work = job_work;
    pj->job.done = job_done;
    pj->job.drop = job_drop;
    pj->comm = c;
    pj->link = e->link;
    pj->peer_ip = peer_ip;
    pj->n = e->n_claims;
    memcpy(pj->claims, e->claims, bytes);
    return pj;
}

/* Decide about a connection from our own host at once: its interfaces say which
 * addresses are its own. False for another host. */
static bool decide_own(struct comm *c, const struct router_effect *e,
                       const struct sockaddr_in *peer, struct router_out *out)
{
    struct router_claim *v;

    if (!net_is_own(peer->sin_addr))
        return false;
    v = arena_copy(out->arena, e->claims, e->n_claims * sizeof(*v));
    for (size_t i = 0; i < e->n_claims; i++)
        v[i].proven = net_is_own(address_of(v[i].ip).sin_addr);
    router_proven(c->router, clock_steady(), e->link, e->n_claims, v, out);
    return true;
}

void comm_prove(struct comm *c, const struct router_effect *e, struct conn *conn,
                const struct sockaddr_in *peer, struct router_out *out)
{
    struct prove_job *pj;

    MUST(e->n_claims > 0);
    if (decide_own(c, e, peer, out))
        return;
    if (!c->pool)
        /* Most routers never have to ask, so there are no threads until one does. */
        c->pool = pool_new(c->loop, PROVE_THREADS, COMM_MAX_LINKS);
    pj = job_new(c, e, ntohl(peer->sin_addr.s_addr));
    if (pool_run(c->pool, &pj->job)) {
        conn_hold(conn, true);
        return;
    }
    /* There is no thread: nothing counts as proven. */
    router_proven(c->router, clock_steady(), e->link, 0, NULL, out);
    free(pj);
}
