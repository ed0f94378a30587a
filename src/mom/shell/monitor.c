/* monitor.c - see monitor.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/monitor.h"

#include "lib/io/net.h"
#include "lib/io/pool.h"
#include "lib/wire/rm.h"
#include "mom/shell/host_facts.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define THREADS      4
#define MOST_WAITING 64
#define MOST_OF_HOST 16  /* of them */
#define MOST_QUERIES 256 /* of one message */
#define OBJECT       "rm_request"

/* A message that is being answered: all that its thread needs is copied. Those of one
 * host are answered one after the other, so that who has many questions, or slow ones,
 * keeps one thread from the others and no more. */
struct asking {
    struct pool_job job;
    struct shell *shell;
    uint64_t stream;
    struct tpp_addr peer;
    struct arena *arena;
    struct wire_strings queries;
    size_t n_restricted; /* the peer has to be among these; 0: it may ask */
    const char **restricted;
    struct host_facts facts;
    struct host_running running;
    bool is_begun; /* it is the pool's until it is answered */
    bool is_refused;
    struct rm_reply reply;
    struct asking *prev, *next;
};

static void asking_free(struct asking *a)
{
    host_facts_fini(&a->facts);
    host_running_fini(&a->running);
    arena_free(a->arena);
    free(a);
}

/* Whoever has an address says what its name is; that name has to lead back to it. */
static bool leads_to(const char *name, uint32_t ip)
{
    struct addrinfo *list = NULL;
    bool found = false;

    if (net_addresses(name, &list) != 0)
        return false;
    for (const struct addrinfo *i = list; i && !found; i = i->ai_next) {
        const struct sockaddr_in *in = (const void *)i->ai_addr;

        found = ntohl(in->sin_addr.s_addr) == ip;
    }
    freeaddrinfo(list);
    return found;
}

static bool is_restricted(const struct asking *a)
{
    struct sockaddr_in addr = { .sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(tpp_addr_ip(&a->peer)) };
    char name[NI_MAXHOST];

    return getnameinfo((const struct sockaddr *)&addr, sizeof(addr), name, sizeof(name),
                       NULL, 0, NI_NAMEREQD) == 0 &&
           host_is_among(name, a->restricted, a->n_restricted) &&
           leads_to(name, tpp_addr_ip(&a->peer));
}

static void on_work(struct pool_job *job)
{
    struct asking *a = (struct asking *)job;
    struct buf b = { 0 };

    a->is_refused = a->n_restricted > 0 && !is_restricted(a);
    if (a->is_refused)
        return;
    a->reply.is_ok = true;
    a->reply.texts.v = ARENA_ARRAY(a->arena, const char *, a->queries.n);
    for (size_t i = 0; i < a->queries.n; i++) {
        buf_clear(&b);
        host_facts_answer(&a->facts, a->queries.v[i], &b);
        a->reply.texts.v[a->reply.texts.n++] = arena_strndup(a->arena, b.data, b.len);
    }
    buf_fini(&b);
}

static void send_reply(struct shell *s, uint64_t stream, const struct rm_reply *reply)
{
    struct buf b = { 0 };

    rm_reply_encode(&b, reply);
    /* Who has gone meanwhile is not answered. */
    (void)leaf_send(s->leaf, stream, b.data, b.len);
    buf_fini(&b);
}

static void send_words(struct shell *s, uint64_t stream, bool is_ok, const char *words)
{
    const struct rm_reply reply = { .is_ok = is_ok,
                                    .texts = { .n = words ? 1 : 0, .v = &words } };

    send_reply(s, stream, &reply);
}

static void leave(struct asking *a)
{
    DL_DELETE(a->shell->askings, a);
    a->shell->n_askings--;
}

void monitor_stream_closed(struct shell *s, uint64_t stream)
{
    struct asking *a, *next;

    DL_FOREACH_SAFE (s->askings, a, next) {
        if (a->stream != stream)
            continue;
        /* What is begun leaves the list when the pool has done it. */
        if (a->is_begun) {
            host_running_stop(&a->running);
            continue;
        }
        leave(a);
        asking_free(a);
    }
}

/* The leaf does not tell of an end that we have asked for. */
static void close_stream(struct shell *s, uint64_t stream)
{
    struct mom_out out = { .arena = s->arena };

    leaf_close(s->leaf, stream);
    monitor_stream_closed(s, stream);
    mom_stream_closed(s->mom, clock_steady(), stream, &out);
    shell_carry_out(s, &out);
}

static void refuse_stranger(struct shell *s, uint64_t stream,
                            const struct tpp_addr *peer)
{
    struct in_addr addr = { .s_addr = htonl(tpp_addr_ip(peer)) };
    char text[INET_ADDRSTRLEN];

    logfile_printf(s->log, LOG_EV_ERROR | LOG_EV_SECURITY, LOG_IN_SERVER, OBJECT,
                   "bad attempt to connect");
    logfile_printf(s->log, LOG_EV_ERROR | LOG_EV_SECURITY, LOG_IN_SERVER, OBJECT,
                   "message refused from port %u addr %s", peer->port,
                   inet_ntop(AF_INET, &addr, text, sizeof(text)));
    close_stream(s, stream);
}

static bool are_of_one_host(const struct asking *a, const struct tpp_addr *peer)
{
    return tpp_addr_ip(&a->peer) == tpp_addr_ip(peer);
}

/* The next message of that host, unless one is being answered. */
static void begin_next(struct shell *s, const struct tpp_addr *peer)
{
    struct asking *a, *next;

    DL_FOREACH_SAFE (s->askings, a, next) {
        if (!are_of_one_host(a, peer))
            continue;
        if (a->is_begun)
            return;
        a->is_begun = pool_run(s->monitors, &a->job);
        if (a->is_begun)
            return;
        leave(a);
        send_words(s, a->stream, false, "too many questions");
        asking_free(a);
    }
}

/* The messages of a host are begun in the order in which they came, so those of a
 * stream are answered in that order. */
static void on_done(struct pool_job *job)
{
    struct asking *a = (struct asking *)job;
    struct tpp_addr peer = a->peer;
    struct shell *s = a->shell;

    leave(a);
    if (a->is_refused)
        refuse_stranger(s, a->stream, &peer);
    else
        send_reply(s, a->stream, &a->reply);
    asking_free(a);
    begin_next(s, &peer);
}

static void on_drop(struct pool_job *job)
{
    asking_free((struct asking *)job);
}

static void copy_resources(struct asking *a, const struct config *c)
{
    struct host_resource *own =
        ARENA_ARRAY(a->arena, struct host_resource, c->resources.n);

    for (size_t i = 0; i < c->resources.n; i++)
        own[i] = (struct host_resource){
            .name = arena_strdup(a->arena, c->resources.v[i].name),
            .value = arena_strdup(a->arena, c->resources.v[i].value)
        };
    a->facts = (struct host_facts){ .home = arena_strdup(a->arena, a->shell->home),
                                    .script_ms = a->shell->monitor_alarm_s * 1000,
                                    .running = &a->running,
                                    .n_own = c->resources.n,
                                    .own = own };
}

static const char **copy_texts(struct arena *arena, const char *const *v, size_t n)
{
    const char **copy = ARENA_ARRAY(arena, const char *, n);

    for (size_t i = 0; i < n; i++)
        copy[i] = arena_strdup(arena, v[i]);
    return copy;
}

static void ask(struct shell *s, uint64_t stream, const struct tpp_addr *peer,
                const struct rm_request *rq, bool may_ask)
{
    struct asking *a;
    size_t n_of_host = 0;

    DL_FOREACH (s->askings, a)
        n_of_host += are_of_one_host(a, peer);
    if (!s->monitors)
        s->monitors = pool_new(s->loop, THREADS, MOST_WAITING);
    if (rq->texts.n > MOST_QUERIES || s->n_askings >= MOST_WAITING ||
        n_of_host >= MOST_OF_HOST) {
        send_words(s, stream, false, "too many questions");
        return;
    }
    a = xcalloc(1, sizeof(*a));
    *a = (struct asking){ .job = { .work = on_work, .done = on_done, .drop = on_drop },
                          .shell = s,
                          .stream = stream,
                          .peer = *peer,
                          .arena = arena_new() };
    host_running_init(&a->running);
    a->queries =
        (struct wire_strings){ .n = rq->texts.n,
                               .v = copy_texts(a->arena, rq->texts.v, rq->texts.n) };
    if (!may_ask) {
        a->n_restricted = s->config.n_restricted;
        a->restricted =
            copy_texts(a->arena, s->config.restricted, s->config.n_restricted);
    }
    copy_resources(a, &s->config);
    DL_APPEND(s->askings, a);
    s->n_askings++;
    begin_next(s, peer);
}

static void log_command(struct shell *s, const struct tpp_addr *peer, const char *what)
{
    char text[TPP_ADDR_TEXT_BYTES];

    logfile_printf(s->log, LOG_EV_SYSTEM, LOG_IN_SERVER, OBJECT, "%s asked for by %s",
                   what, tpp_addr_text(peer, text));
}

/* The configuration is where root has written it: a file that somebody names from
 * afar is not taken. */
static void configure(struct shell *s, uint64_t stream, const struct tpp_addr *peer,
                      const struct rm_request *rq)
{
    bool ok = rq->texts.n == 0;

    log_command(s, peer, "configuration");
    if (!ok)
        send_words(s, stream, false, "another configuration file is not taken");
    else if (shell_reread(s))
        send_words(s, stream, true, NULL);
    else
        send_words(s, stream, false,
                   "the configuration is wrong, see the log of the MoM");
}

static void take_command(struct shell *s, uint64_t stream, const struct tpp_addr *peer,
                         const struct rm_request *rq)
{
    char words[64];

    switch (rq->command) {
    case RM_CONFIG:
        configure(s, stream, peer, rq);
        break;
    case RM_SHUTDOWN:
        log_command(s, peer, "shutdown");
        send_words(s, stream, true, NULL);
        shell_stop(s, false); /* jobs run on, and the next MoM finds them */
        break;
    default:
        snprintf(words, sizeof(words), "unknown command %d", rq->command);
        send_words(s, stream, false, words);
    }
}

void monitor_take(struct shell *s, uint64_t stream, const struct tpp_addr *peer,
                  const char *data, size_t len)
{
    bool may_ask = mom_may_ask(s->mom, peer);
    char text[TPP_ADDR_TEXT_BYTES];
    struct rm_request rq;
    enum dis_error err;

    if (!may_ask && s->config.n_restricted == 0) {
        refuse_stranger(s, stream, peer);
        return;
    }
    err = rm_request_decode(data, len, s->decoding, &rq);
    if (err) {
        logfile_printf(s->log, LOG_EV_ERROR, LOG_IN_SERVER, OBJECT, "%s from %s",
                       dis_error_text(err), tpp_addr_text(peer, text));
        close_stream(s, stream);
    } else if (rq.command == RM_CLOSE) {
        close_stream(s, stream);
    } else if (rq.command == RM_REQUEST) {
        ask(s, stream, peer, &rq, may_ask);
    } else if (!may_ask) {
        refuse_stranger(s, stream, peer);
    } else {
        take_command(s, stream, peer, &rq);
    }
}

/* Commands that run for a question end with the MoM: nobody would end them later. */
void monitor_close(struct shell *s)
{
    struct asking *a, *next;

    DL_FOREACH_SAFE (s->askings, a, next) {
        leave(a);
        if (a->is_begun)
            host_running_stop(&a->running);
        else
            asking_free(a);
    }
    /* Those that are begun are the pool's. */
    if (s->monitors)
        pool_free(s->monitors);
    s->monitors = NULL;
}
