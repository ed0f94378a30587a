/* servers.c - which addresses are the server's, for the core (tpp.md 5.1).
 *
 * Names are asked again with every attempt to reach the server: a host that starts
 * before its name service must not refuse the server for ever. Only the first time,
 * before there is a loop, the MoM waits for the answer. Later it asks in a thread, and
 * goes by what it knew before until the answer comes, so that a name service that hangs
 * stops no job of this host.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/net.h"
#include "lib/io/pool.h"
#include "mom/shell/shell.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct servers {
    size_t n;
    uint32_t ips[MOM_SERVER_IPS_MAX]; /* host order */
    bool is_local;
    uint32_t first_ip; /* of the server that hellos go to; 0: unknown */
};

/* One question, with copies of the names: while a thread asks, SIGHUP may replace the
 * configuration. */
struct question {
    struct pool_job job;
    struct shell *shell;
    char *server, *primary, *secondary; /* NULL: not set */
    size_t n_clients;
    char **clients;
    struct servers found;
    struct buf unknown; /* names of $clienthost that nobody knows, each with a '\0' */
};

static bool has_ip(const uint32_t *ips, size_t n, uint32_t ip)
{
    for (size_t i = 0; i < n; i++)
        if (ips[i] == ip)
            return true;
    return false;
}

static void add(struct servers *sv, struct in_addr addr)
{
    uint32_t ip = ntohl(addr.s_addr);

    MUST(sv->n <= MOM_SERVER_IPS_MAX);
    if (sv->n < MOM_SERVER_IPS_MAX && !has_ip(sv->ips, sv->n, ip))
        sv->ips[sv->n++] = ip;
}

/* All addresses of a name, which may have a port behind it. False: it has none. */
static bool add_host(struct servers *sv, const char *text)
{
    struct addrinfo *list = NULL;
    char name[256];
    unsigned port;

    if (!text || !net_split(text, 1, name, sizeof(name), &port) ||
        net_addresses(name, &list) != 0)
        return false;
    for (const struct addrinfo *i = list; i; i = i->ai_next) {
        const struct sockaddr_in *in = (const void *)i->ai_addr;

        add(sv, in->sin_addr);
        sv->is_local = sv->is_local || net_is_own(in->sin_addr);
    }
    freeaddrinfo(list);
    return true;
}

/* A server on this host may come from any of its addresses. */
static void add_interfaces(struct servers *sv)
{
    struct ifaddrs *all;

    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *i = all; i; i = i->ifa_next)
        if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET) {
            const struct sockaddr_in *in = (const void *)i->ifa_addr;

            add(sv, in->sin_addr);
        }
    freeifaddrs(all);
}

static void log_authorized(struct shell *s, uint32_t ip)
{
    const struct in_addr addr = { .s_addr = htonl(ip) };
    char text[INET_ADDRSTRLEN];

    inet_ntop(AF_INET, &addr, text, sizeof(text));
    logfile_printf(s->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "pbs_mom",
                   "Adding IP address %s as authorized", text);
}

static char *copy_of(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

static struct question *question_new(struct shell *s)
{
    struct question *q = xcalloc(1, sizeof(*q));

    q->shell = s;
    q->server = copy_of(conf_server_host(s->conf));
    q->primary = copy_of(s->conf->primary);
    q->secondary = copy_of(s->conf->secondary);
    q->n_clients = s->config.n_clients;
    q->clients = xcalloc(q->n_clients + 1, sizeof(*q->clients));
    for (size_t i = 0; i < q->n_clients; i++)
        q->clients[i] = xstrdup(s->config.clients[i]);
    return q;
}

static void question_free(struct question *q)
{
    for (size_t i = 0; i < q->n_clients; i++)
        free(q->clients[i]);
    free(q->clients);
    free(q->server);
    free(q->primary);
    free(q->secondary);
    buf_fini(&q->unknown);
    free(q);
}

/* Find all addresses out; nothing of the shell is touched here. */
static void answer(struct question *q)
{
    struct servers *sv = &q->found;

    (void)add_host(sv, q->server);
    sv->first_ip = sv->n > 0 ? sv->ips[0] : 0;
    (void)add_host(sv, q->primary);
    (void)add_host(sv, q->secondary);
    if (sv->is_local)
        add_interfaces(sv);
    for (size_t i = 0; i < q->n_clients; i++)
        if (!add_host(sv, q->clients[i]))
            buf_add(&q->unknown, q->clients[i], strlen(q->clients[i]) + 1);
}

/* Said once for each reading of the configuration: a MoM that looks for its server asks
 * again and again. The MoM goes on: the name service may be the one that is missing. */
static void say_unknown(struct shell *s, const struct buf *names)
{
    if (s->has_said_clients)
        return;
    s->has_said_clients = true;
    for (size_t at = 0; at < names->len; at += strlen(names->data + at) + 1)
        logfile_printf(s->log, LOG_EV_ERROR, LOG_IN_SERVER, "pbs_mom",
                       "addclient_byname, host %s not found", names->data + at);
}

/* Take the answer over, in the loop. */
static void take(struct shell *s, const struct servers *sv)
{
    if (sv->n == 0)
        return; /* what was known before is better than nothing */
    for (size_t i = 0; i < sv->n; i++)
        if (!has_ip(s->server_ips, s->n_server_ips, sv->ips[i]))
            log_authorized(s, sv->ips[i]);
    MUST(sv->n <= ARRAY_LEN(s->server_ips));
    memcpy(s->server_ips, sv->ips, sizeof(sv->ips));
    s->n_server_ips = sv->n;
    if (sv->first_ip)
        s->server_ip = sv->first_ip;
    mom_set_servers(s->mom, sv->n, sv->ips, sv->is_local);
}

void servers_find(struct shell *s)
{
    struct question *q = question_new(s);

    answer(q);
    say_unknown(s, &q->unknown);
    take(s, &q->found);
    question_free(q);
}

static void on_work(struct pool_job *job)
{
    answer((struct question *)(void *)job);
}

/* A hello that had no address to go to leaves now and not at its next time. One that
 * went to an address which has changed is repeated by the core's timer: a name that has
 * another address each time must not make the MoM say hello without a pause. */
static void on_done(struct pool_job *job)
{
    struct question *q = (struct question *)(void *)job;
    struct shell *s = q->shell;
    struct mom_out out = { .arena = s->arena };
    bool was_unknown = s->server_ip == 0;

    MUST(s->asks_servers);
    s->asks_servers = false;
    /* The configuration was read anew meanwhile: its names are asked for next. */
    if (s->asks_again)
        servers_ask(s);
    else
        say_unknown(s, &q->unknown);
    take(s, &q->found);
    question_free(q);
    if (!was_unknown || s->server_ip == 0)
        return;
    mom_server_known(s->mom, clock_steady(), &out);
    shell_carry_out(s, &out);
}

static void on_drop(struct pool_job *job)
{
    question_free((struct question *)(void *)job);
}

void servers_ask(struct shell *s)
{
    struct question *q;

    if (s->asks_servers)
        return; /* the service has not answered the last question */
    s->asks_again = false;
    if (!s->askers)
        s->askers = pool_new(s->loop, 1, 1);
    q = question_new(s);
    q->job = (struct pool_job){ .work = on_work, .done = on_done, .drop = on_drop };
    s->asks_servers = pool_run(s->askers, &q->job);
    if (!s->asks_servers)
        question_free(q); /* there is no thread; the next hello asks again */
}

void servers_reread(struct shell *s)
{
    s->has_said_clients = false;
    s->asks_again = s->asks_servers;
    servers_ask(s);
}
