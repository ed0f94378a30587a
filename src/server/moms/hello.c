/* hello.c - a MoM introduces itself (tpp.md 5.3): is it a MoM of our vnodes? Its host
 * may be one of which nobody has said anything yet; then the hello waits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/moms/moms_priv.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <utlist.h>

static bool is_loopback(uint32_t addr)
{
    return addr >> 24 == 127;
}

/* A MoM on this very host may come from any of its addresses. */
static bool is_local(const struct moms *ms, const struct mom *mom)
{
    const struct book_host *own = host_book_own(ms->hosts);
    size_t n;
    const uint32_t *addrs = book_host_addrs(mom->at, &n);

    /* The MoM's host is this host when its name leads to loopback or to an address that
     * this host has. */
    for (size_t i = 0; i < n; i++)
        if (is_loopback(addrs[i]) || book_host_has(own, addrs[i]))
            return true;
    return false;
}

static bool is_peer(const struct moms *ms, const struct mom *mom, const char *host,
                    uint32_t addr)
{
    /* The routers may know the MoM by the name that its vnodes have, which needs no
     * address. */
    if (strcasecmp(mom->host, host) == 0)
        return true;
    if (!addr)
        return false;
    /* A loopback address is everybody's own, so it is believed only of a MoM on this
     * host. */
    return book_host_has(mom->at, addr) || (is_loopback(addr) && is_local(ms, mom));
}

static struct mom *find_peer(const struct moms *ms, const char *host,
                             uint32_t service_port)
{
    uint32_t addr = addr_of_text(host);
    struct mom *mom, *next;

    /* Each MoM is compared: a host may run several, and the name of a peer need not be
     * the one in Mom. */
    HASH_ITER (hh, ms->by_key, mom, next)
        if (mom->port == service_port && mom->nodes && is_peer(ms, mom, host, addr))
            return mom;
    return NULL;
}

/* So many may wait; who says hello again is heard again. */
#define HELLOS_MAX 10000

static void hello_drop(struct moms *ms, struct hello *h)
{
    DL_DELETE(ms->hellos, h);
    free(h->host);
    free(h);
}

void hello_forget(struct moms *ms, uint64_t stream)
{
    struct hello *h, *next;

    /* A stream waits at most once, but the whole list is searched rather than relying
     * on it. */
    DL_FOREACH_SAFE (ms->hellos, h, next) {
        if (h->stream == stream)
            hello_drop(ms, h);
    }
}

void hello_forget_all(struct moms *ms)
{
    while (ms->hellos)
        hello_drop(ms, ms->hellos);
}

static bool hello_waits(struct moms *ms, const struct hello *said)
{
    struct hello *h;
    size_t n = 0;

    /* All hosts are known already, so waiting would teach nothing. */
    if (!host_book_is_open(ms->hosts))
        return false;
    DL_COUNT(ms->hellos, h, n);
    if (n >= HELLOS_MAX)
        return false;
    h = xcalloc(1, sizeof(*h));
    *h = *said;
    /* The caller's text ends with its call. */
    h->host = xstrdup(said->host);
    DL_APPEND(ms->hellos, h);
    return true;
}

/* All are asked for again: the answers may be old. */
static void refuse_hello(struct moms *ms, struct moms_turn *t, const struct hello *said)
{
    /* The words of the line, "tfind2:pmom" included, are PBS's (tpp.md 5.3). */
    effect_log(t->effects, t->m->seq, LOG_EV_ERROR, LOG_IN_SERVER, "is_request",
               "bad attempt to connect from %s:%" PRIu32 ", reason=tfind2:pmom",
               said->host, said->port);
    mom_close(t, said->stream);
    host_book_refresh(ms->hosts, t->now_at);
}

static void accept_hello(struct moms *ms, struct moms_turn *t, struct mom *mom,
                         const struct hello *said)
{
    struct mom *before = mom_of_stream(ms, said->stream);

    effect_log(t->effects, t->m->seq, LOG_EV_SYSTEM, LOG_IN_NODE, mom->host,
               "Hello from MoM on port=%" PRIu32, said->mom_port);
    /* A MoM that was restarted says hello before its old stream is seen to end. The old
     * one is closed by us. */
    if (mom->stream && mom->stream != said->stream)
        mom_close(t, mom->stream);
    if (mom->stream)
        /* What was asked on the old stream stays unanswered, and its jobs are looked at
         * again. */
        mom_stream_over(ms, t, mom);
    /* The address of the leaf may have gone from one host to another meanwhile. The MoM
     * that it was before has no stream any more. */
    if (before && before != mom)
        mom_stream_over(ms, t, before);
    mom_bind(ms, mom, said->stream);
    MUST(!mom->peer_host); /* it goes with the stream */
    mom->peer_host = xstrdup(said->host);
    mom->peer_port = said->port;
    mom_reply_hello(ms, t, mom);
}

static void take_hello(struct moms *ms, struct moms_turn *t, const struct hello *said)
{
    /* The leaf's port is one more than the service port of its vnodes (tpp.md 1). */
    bool is_its_leaf = said->port > 0 && said->mom_port == said->port - 1;
    struct mom *mom = is_its_leaf ? find_peer(ms, said->host, said->mom_port) : NULL;

    /* A wrong port is refused at once. A wrong host may be one whose addresses are
     * still being looked up. */
    if (mom)
        accept_hello(ms, t, mom, said);
    else if (!is_its_leaf || !hello_waits(ms, said))
        refuse_hello(ms, t, said);
}

void mom_hello(struct moms *ms, struct moms_turn *t, uint64_t stream, const char *host,
               uint32_t port, const struct is_message *msg)
{
    char *own_host = xstrdup(host); /* of the stream that is over, perhaps */
    const struct hello said = {
        .stream = stream, .host = own_host, .port = port, .mom_port = msg->mom_port
    };

    /* Who says hello again on the same stream replaces what it said before. */
    hello_forget(ms, stream);
    take_hello(ms, t, &said);
    free(own_host);
}

/* May it be what that hello waits for? A MoM on this host may come from any address. */
static bool is_about(const struct moms *ms, const struct hello *h, const char *host)
{
    uint32_t addr = addr_of_text(h->host);
    struct mom *mom, *next;

    if (!host || is_loopback(addr))
        return true;
    /* The hello is about 'host' when the host now has the address that the hello came
     * from. */
    HASH_ITER (hh, ms->by_key, mom, next) {
        if (mom->at && strcmp(mom->host, host) == 0)
            return book_host_has(mom->at, addr);
    }
    return false;
}

/* MoMs that were told of fewer hosts than are known now are told again. */
static void greet_untold(struct moms *ms)
{
    struct mom *mom, *next;

    /* The version of the host book says whether a MoM has heard of all hosts; only the
     * others are greeted. */
    HASH_ITER (hh, ms->by_key, mom, next) {
        mom->greet |= mom->registered && mom->stream &&
                      mom->told_version != host_book_version(ms->hosts);
        ms->greet |= mom->greet;
    }
}

void moms_host_learned(struct moms *ms, struct moms_turn *t, const char *host)
{
    bool all = !host_book_is_open(ms->hosts);
    struct hello *list = ms->hellos, *h, *next;

    /* The list is taken over, because a hello that must go on waiting is appended to
     * the new one. */
    ms->hellos = NULL;
    DL_FOREACH_SAFE (list, h, next) {
        DL_DELETE(list, h);
        if (all || is_about(ms, h, host)) {
            take_hello(ms, t, h);
            free(h->host);
            free(h);
        } else {
            DL_APPEND(ms->hellos, h);
        }
    }
    if (all)
        greet_untold(ms);
}
