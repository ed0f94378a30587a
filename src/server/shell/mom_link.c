/* mom_link.c - the server's leaf on the router network.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/mom_link.h"

#include "lib/tpp/leaf.h"
#include "server/shell/outbox.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* A registration can only be parsed by who knows what was asked for (tpp.md 5.2). */
struct stream {
    uint64_t number;
    bool inventory; /* the last REPLYHELLO asked for the vnodes */
    UT_hash_handle hh;
};

struct mom_link {
    struct shell *sh;
    struct leaf *leaf;
    struct stream *streams;
};

static struct stream *stream_find(struct mom_link *ml, uint64_t number)
{
    struct stream *s;

    HASH_FIND(hh, ml->streams, &number, sizeof(number), s);
    return s;
}

static void stream_forget(struct mom_link *ml, uint64_t number)
{
    struct stream *s = stream_find(ml, number);

    if (!s)
        return;
    HASH_DEL(ml->streams, s);
    free(s);
}

static void stream_asked(struct mom_link *ml, uint64_t number, bool inventory)
{
    struct stream *s = stream_find(ml, number);

    MUST(number != 0); /* which stands for no stream */
    if (!s) {
        s = xcalloc(1, sizeof(*s));
        s->number = number;
        HASH_ADD(hh, ml->streams, number, sizeof(s->number), s);
    }
    s->inventory = inventory;
}

static struct effects *effects(struct mom_link *ml)
{
    return outbox_effects(ml->sh->outbox);
}

/* A message that means nothing ends its stream: the MoM says hello again. */
static void bad_message(struct mom_link *ml, uint64_t stream, const char *host,
                        uint32_t port, enum dis_error err)
{
    shell_log(ml->sh, LOG_EV_ERROR, LOG_IN_SERVER, "bad message from MoM %s:%u: %s",
              host, port, dis_error_text(err));
    leaf_close(ml->leaf, stream);
    stream_forget(ml, stream);
    /* The core is told as if the MoM had closed the stream. */
    svr_mom_lost(ml->sh->svr, shell_now(ml->sh), stream, effects(ml));
}

static void on_message(void *arg, uint64_t stream, const struct tpp_addr *peer,
                       const char *data, size_t len)
{
    struct mom_link *ml = arg;
    const struct stream *s = stream_find(ml, stream);
    struct effects *out = effects(ml);
    struct is_message msg = { 0 };
    char host[INET_ADDRSTRLEN];
    uint32_t port = peer->port;
    bool known = true;
    enum dis_error err;
    int32_t version;

    inet_ntop(AF_INET, peer->ip, host, sizeof(host));
    err = is_decode(data, len, s && s->inventory, out->arena, &msg, &known);
    if (err == DIS_OK)
        svr_mom_message(ml->sh->svr, shell_now(ml->sh), stream,
                        arena_strdup(out->arena, host), port, &msg, out);
    else if (is_of_other_version(data, len, &version))
        logfile_printf(ml->sh->log, LOG_EV_ERROR, LOG_IN_SERVER, "is_request",
                       "protocol version %d unknown from %s:%u", version, host, port);
    if (err != DIS_OK)
        bad_message(ml, stream, host, port, err);
}

static void on_closed(void *arg, uint64_t stream)
{
    struct mom_link *ml = arg;

    stream_forget(ml, stream);
    /* With the last router all streams end, and that says nothing about the MoMs:
     * on_down() follows and tells it as what it is. */
    if (leaf_is_up(ml->leaf))
        svr_mom_lost(ml->sh->svr, shell_now(ml->sh), stream, effects(ml));
}

static void on_down(void *arg)
{
    struct mom_link *ml = arg;

    svr_router_lost(ml->sh->svr, shell_now(ml->sh), effects(ml));
}

static void on_up(void *arg)
{
    struct mom_link *ml = arg;

    svr_router_back(ml->sh->svr, shell_now(ml->sh), effects(ml));
}

static void on_log(void *arg, int event, const char *text)
{
    struct mom_link *ml = arg;
    char object[320];

    snprintf(object, sizeof(object), "%s(Main Thread)", ml->sh->daemon);
    logfile_write(ml->sh->log, (uint32_t)event, LOG_IN_TPP, object, text);
}

/* Leaves have come to a router that this one had not heard of: which they are their
 * hellos say (tpp.md 5.4). */
static void on_update(void *arg)
{
    on_log(arg, LOG_EV_SYSTEM, "Received UPDATE from pbs_comm");
    on_up(arg);
}

void mom_link_send(struct mom_link *ml, uint64_t stream, const struct is_message *msg)
{
    struct buf bytes = { 0 };

    if (!ml)
        return;
    /* MoMs come to us, and what is said to them goes back where they came from. */
    MUST(stream != 0);
    if (msg->command == IS_REPLYHELLO)
        stream_asked(ml, stream, msg->need_inventory != 0);
    is_encode(&bytes, msg);
    leaf_send(ml->leaf, stream, bytes.data, bytes.len);
    buf_fini(&bytes);
}

void mom_link_close(struct mom_link *ml, uint64_t stream)
{
    if (!ml)
        return;
    leaf_close(ml->leaf, stream);
    stream_forget(ml, stream);
}

struct mom_link *mom_link_new(struct shell *sh)
{
    struct mom_link *ml = xcalloc(1, sizeof(*ml));
    struct leaf_config cfg = { .loop = sh->loop,
                               .node_type = TPP_LEAF_NOTIFIED,
                               .events = { .message = on_message,
                                           .closed = on_closed,
                                           .down = on_down,
                                           .up = on_up,
                                           .update = on_update,
                                           .log = on_log,
                                           .arg = ml } };
    struct diag why;

    ml->sh = sh;
    if (leaf_new_by_conf(sh->conf, (uint16_t)sh->conf->batch_port, true, &cfg,
                         &ml->leaf, &why) == 0)
        return ml;
    /* The server serves its clients without MoMs, and says why. */
    shell_log(sh, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_SERVER,
              "not on the router network: %s", why.text);
    free(ml);
    return NULL;
}

void mom_link_free(struct mom_link *ml)
{
    struct stream *s, *next;

    if (!ml)
        return;
    /* The leaf goes first, because its events use the streams. */
    leaf_free(ml->leaf);
    HASH_ITER (hh, ml->streams, s, next) {
        HASH_DEL(ml->streams, s);
        free(s);
    }
    free(ml);
}
