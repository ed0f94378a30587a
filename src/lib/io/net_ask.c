/* net_ask.c - see net_ask.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/net_ask.h"

#include "lib/io/net.h"

#include <stdlib.h>
#include <string.h>

struct asking {
    struct pool_job job;
    net_asked_fn fn;
    void *arg;
    bool found;
    struct in_addr ip;
    char host[]; /* a copy: who asked may be gone before the thread is */
};

static void on_work(struct pool_job *job)
{
    struct asking *a = (struct asking *)(void *)job;

    /* This runs in a thread of the pool, so it touches nothing but its own job. */
    a->found = net_resolve(a->host, &a->ip, NULL) == 0;
}

static void on_done(struct pool_job *job)
{
    struct asking *a = (struct asking *)(void *)job;

    a->fn(a->arg, a->found ? &a->ip : NULL);
    free(a);
}

static void on_drop(struct pool_job *job)
{
    free(job);
}

bool net_ask(struct pool *p, const char *host, net_asked_fn fn, void *arg)
{
    size_t size = strlen(host) + 1;
    struct asking *a = xcalloc(1, sizeof(*a) + size);

    MUST(p && fn);
    a->job = (struct pool_job){ .work = on_work, .done = on_done, .drop = on_drop };
    a->fn = fn;
    a->arg = arg;
    memcpy(a->host, host, size);
    if (pool_run(p, &a->job))
        return true;
    free(a);
    return false;
}
