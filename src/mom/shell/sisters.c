/* sisters.c - streams to the MoMs of other hosts. Their names are asked for in a
 * thread: a name service that hangs keeps the jobs of several hosts from starting, and
 * nothing else.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/net.h"
#include "lib/io/pool.h"
#include "mom/shell/shell.h"

#include <arpa/inet.h>
#include <stdlib.h>

#define THREADS      2
#define MOST_WAITING 10000

struct reaching {
    struct pool_job job;
    struct shell *shell;
    char *host;
    uint32_t port;
    uint32_t ip; /* host order; 0: not found */
};

static void reaching_free(struct reaching *r)
{
    free(r->host);
    free(r);
}

static void on_work(struct pool_job *job)
{
    struct reaching *r = (struct reaching *)(void *)job;
    struct in_addr addr;
    struct diag why;

    if (net_resolve(r->host, &addr, &why) == 0)
        r->ip = ntohl(addr.s_addr);
}

static void on_done(struct pool_job *job)
{
    struct reaching *r = (struct reaching *)(void *)job;
    struct shell *s = r->shell;
    struct mom_out out = { .arena = s->arena };
    const struct tpp_addr peer = tpp_addr_ipv4(r->ip, (uint16_t)r->port);
    uint64_t stream = r->ip ? leaf_open_addr(s->leaf, &peer) : 0;

    if (!r->ip)
        shell_log(s, LOG_EV_ERROR, LOG_IN_SERVER, "pbs_mom",
                  "the name of another host has no address");
    mom_reached(s->mom, clock_steady(), r->host, r->port, stream, &out);
    reaching_free(r);
    shell_carry_out(s, &out);
}

static void on_drop(struct pool_job *job)
{
    reaching_free((struct reaching *)(void *)job);
}

void sisters_reach(struct shell *s, const char *host, uint32_t port,
                   struct mom_out *out)
{
    struct reaching *r = xcalloc(1, sizeof(*r));

    MUST(port > 0 && port < 65536);
    if (!s->reachers)
        s->reachers = pool_new(s->loop, THREADS, MOST_WAITING);
    r->job = (struct pool_job){ .work = on_work, .done = on_done, .drop = on_drop };
    r->shell = s;
    r->host = xstrdup(host);
    r->port = port;
    if (pool_run(s->reachers, &r->job))
        return;
    mom_reached(s->mom, clock_steady(), host, port, 0, out);
    reaching_free(r);
}
