/* client_handshake.c - see client_handshake.h.
 *
 * A token under way belongs to a thread: the loop does not touch the session until
 * done(). A connection that ends meanwhile only lets go of it; when a thread comes to a
 * token that nobody waits for any more it passes it over, so that a method that was
 * slow for a while is not kept busy with the past.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/client_handshake.h"

#include "lib/io/pool.h"
#include "server/shell/methods.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HANDSHAKE_MS 30000 /* from the answer to Authenticate to the end */
#define MOST_TOKENS  16

struct handshake {
    struct pool_job job;
    struct client *client; /* NULL: the connection is gone */
    struct auth_session *session;
    struct pool *pool; /* the method's threads */
    atomic_bool abandoned;
    struct loop_timer *timer;
    bool running; /* a thread has it */
    bool by_method;
    unsigned n_tokens;
    char user[AUTH_USER_MAX + 1];
    char host[256]; /* what its peer's host is called */
    /* the step under way */
    uint8_t type;
    struct buf token;
    struct auth_out out;
    enum auth_state state;
};

static void handshake_free(struct handshake *h)
{
    auth_session_free(h->session);
    buf_fini(&h->token);
    auth_out_fini(&h->out);
    free(h);
}

static void on_drop(struct pool_job *job)
{
    handshake_free((struct handshake *)(void *)job);
}

void handshake_abandon(struct client *c)
{
    struct handshake *h = c->shake;

    if (!h)
        return;
    c->shake = NULL;
    loop_timer_free(h->timer);
    h->client = NULL;
    h->abandoned = true;
    /* A thread that has it frees it when it comes back. */
    if (!h->running)
        handshake_free(h);
}

/* It ends here, without a DIS reply: the client is not in that state. */
static void give_up(struct client *c, const char *why)
{
    shell_log(c->all->sh, LOG_EV_SECURITY, LOG_IN_REQUEST,
              "handshake with %s failed: %s", c->host, why);
    handshake_abandon(c);
    client_happens(c, LIFE_EV_CLOSE);
}

static void on_late(void *arg)
{
    struct handshake *h = arg;

    MUST(h->client); /* the timer goes with it */
    give_up(h->client, "not finished in time");
}

static bool seal(void *arg, const void *data, size_t len, struct buf *out)
{
    return auth_session_seal(arg, data, len, out);
}

static bool unseal(void *arg, const void *data, size_t len, struct buf *out)
{
    return auth_session_open(arg, data, len, out);
}

/* Both ends agree: the connection is somebody's, and encrypted if that was asked for.
 */
static void finish(struct client *c, struct handshake *h)
{
    char user[sizeof(h->user)], host[sizeof(h->host)];

    MUST(c->shake == h);
    if (auth_session_is_encrypted(h->session)) {
        const struct conn_cipher cipher = { seal, unseal, h->session };

        conn_set_cipher(c->conn, &cipher);
        /* The session lives as long as the connection that it encrypts. */
        c->session = h->session;
        h->session = NULL;
    }
    /* The text is copied, since the handshake ends here. */
    memcpy(user, h->user, sizeof(user));
    memcpy(host, h->host, sizeof(host));
    handshake_abandon(c);
    client_happens(c, LIFE_EV_SHOOK);
    client_become(c, user, host);
}

static void on_done(struct pool_job *job)
{
    struct handshake *h = (struct handshake *)(void *)job;
    struct client *c = h->client;

    MUST(h->running);
    h->running = false;
    if (!c) {
        handshake_free(h);
        return;
    }
    /* The connection reads again, before anything can end it. */
    client_happens(c, LIFE_EV_SEEN);
    for (size_t i = 0; i < h->out.n; i++)
        conn_send_packet(c->conn, (enum packet_type)h->out.v[i].type,
                         h->out.v[i].data.data, h->out.v[i].data.len);
    auth_out_fini(&h->out);
    if (h->state == AUTH_FAILED)
        give_up(c, auth_session_error(h->session));
    else if (h->state == AUTH_DONE)
        finish(c, h);
}

/* In a thread. */
static void on_work(struct pool_job *job)
{
    struct handshake *h = (struct handshake *)(void *)job;

    /* Nobody waits for it any more. */
    if (h->abandoned)
        return;
    h->state =
        auth_session_packet(h->session, h->type, h->token.data, h->token.len, &h->out);
    /* A method says who it is. A handshake only for encryption has that from the
     * vouch. */
    if (h->state == AUTH_DONE && h->by_method &&
        auth_session_user(h->session, h->user, sizeof(h->user)))
        h->state = AUTH_FAILED;
}

void handshake_packet(struct client *c, const struct packet *f)
{
    struct handshake *h = c->shake;

    /* The number is bounded, so a peer cannot keep a handshake going for ever. */
    if (++h->n_tokens > MOST_TOKENS || f->type != PACKET_TOKEN) {
        give_up(c, f->type == PACKET_TOKEN ? "too many tokens" : "not a token");
        return;
    }
    MUST(!h->running); /* while a thread has it no packets are read */
    h->type = f->type;
    buf_clear(&h->token);
    buf_add(&h->token, f->data, f->len);
    if (!pool_run(h->pool, &h->job)) {
        give_up(c, "too many at a time");
        return;
    }
    h->running = true;
    client_happens(c, LIFE_EV_TOKEN);
}

int handshake_begin(struct client *c, const struct auth_plugin *method,
                    const struct auth_plugin *encrypt, const char *user,
                    const char *host, struct diag *why)
{
    const struct auth_session_config cfg = { .role = PBS_AUTH_ROLE_SERVER,
                                             .host = c->host,
                                             .method = method,
                                             .encrypt = encrypt };
    struct handshake *h = xcalloc(1, sizeof(*h));
    int err = auth_session_new(&cfg, &h->session, why);

    if (err) {
        free(h);
        return err;
    }
    h->job = (struct pool_job){ .work = on_work, .done = on_done, .drop = on_drop };
    /* Each method has threads of its own, so a slow one delays no other. */
    h->pool = methods_pool(c->all->methods, method ? method : encrypt);
    h->client = c;
    h->by_method = method != NULL;
    if (user)
        snprintf(h->user, sizeof(h->user), "%s", user);
    snprintf(h->host, sizeof(h->host), "%s", host);
    h->timer = loop_timer_new(c->all->sh->loop, on_late, h);
    loop_timer_set(h->timer, HANDSHAKE_MS);
    MUST(!c->shake && (method || encrypt));
    c->shake = h;
    client_happens(c, LIFE_EV_SHAKE);
    return 0;
}
