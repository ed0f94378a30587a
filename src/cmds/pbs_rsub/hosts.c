/* hosts.c - see hosts.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/pbs_rsub/hosts.h"

#include "cmds/common/bounded.h"
#include "lib/base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *available(const struct batch_status *vnode, const char *resource)
{
    for (const struct attrl *a = vnode->attribs; a; a = a->next)
        if (strcmp(a->name, "resources_available") == 0 && a->resource &&
            strcmp(a->resource, resource) == 0)
            return a->value;
    return NULL;
}

/* A vnode without CPUs runs nothing, so there is nothing to keep off it. */
static long long cpus_on(const struct batch_status *vnode, const char *host)
{
    const char *its_host = available(vnode, "host");
    const char *cpus = available(vnode, "ncpus");
    long long n = cpus ? strtoll(cpus, NULL, 10) : 0;

    return its_host && strcmp(its_host, host) == 0 && n > 0 ? n : 0;
}

/* The sum over the host's vnodes, which are appended to 'vnodes'. The vnodes are named
 * one by one, because the confirmation that follows promises these and no others. */
static long long add_host(const struct batch_status *all, const char *host,
                          struct buf *vnodes)
{
    long long sum = 0;

    for (const struct batch_status *v = all; v; v = v->next) {
        long long n = cpus_on(v, host);

        if (n == 0)
            continue;
        buf_printf(vnodes, "%s(%s:ncpus=%lld)", vnodes->len ? "+" : "", v->name, n);
        sum = bounded_add(sum, n);
    }
    return sum;
}

static int add_hosts(const char *cmd, const struct batch_status *all,
                     char *const *hosts, int n_hosts, struct buf *select,
                     struct buf *vnodes)
{
    for (int i = 0; i < n_hosts; i++) {
        long long sum = add_host(all, hosts[i], vnodes);

        /* A misspelt host must not end in a reservation of the others. */
        if (sum == 0) {
            fprintf(stderr, "%s: Host with resources not found: %s\n", cmd, hosts[i]);
            return 2;
        }
        buf_printf(select, "%shost=%s:ncpus=%lld", i ? "+" : "", hosts[i], sum);
    }
    return 0;
}

int rsub_hosts_find(const char *cmd, int conn, char *const *hosts, int n_hosts,
                    struct rsub_hosts *ret)
{
    char attr[] = "resources_available", of_host[] = "host", of_cpus[] = "ncpus";
    char none[] = "";
    struct attrl cpus = { .name = attr, .resource = of_cpus, .value = none };
    struct attrl host = {
        .next = &cpus, .name = attr, .resource = of_host, .value = none
    };
    struct batch_status *all;
    struct buf select = { 0 }, vnodes = { 0 };
    int code;

    all = pbs_statvnode(conn, "", &host, NULL);
    /* No vnodes at all is an answer: then no host is found. */
    if (!all && pbs_errno != PBSE_NONE) {
        cmd_print_error(cmd, conn, NULL, NULL);
        return cmd_exit_code(pbs_errno);
    }
    code = add_hosts(cmd, all, hosts, n_hosts, &select, &vnodes);
    pbs_statfree(all);
    ret->select = buf_take(&select);
    ret->vnodes = buf_take(&vnodes);
    return code;
}

/* Each host is a chunk of its own, and a host cannot be taken whole twice. */
const char *rsub_hosts_twice(char *const *hosts, int n_hosts)
{
    /* Hosts are named one by one on a command line, so there are few. */
    for (int i = 1; i < n_hosts; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(hosts[i], hosts[k]) == 0)
                return hosts[i];
    return NULL;
}
