/* vouch.c - Authenticate (wire.md 4). By "resvport" a helper on a reserved port says
 * whose another connection from its host is: the rules are in lib/auth/resvport.c, here
 * is found what they ask for. By another method the handshake of a plug-in begins.
 *
 * What is gained is a user's identity and never more: a reserved port itself has no
 * rights, and a scheduler registers only where the kernel names its uid. An identity
 * lasts as long as its connection.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/resvport.h"
#include "lib/auth/sockowner.h"
#include "lib/io/net.h"
#include "server/shell/accounts.h"
#include "server/shell/client.h"
#include "server/shell/client_handshake.h"
#include "server/shell/methods.h"
#include "server/shell/trust.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <utlist.h>

static bool own_end(const struct client *c, struct sockaddr_in *ret)
{
    socklen_t len = sizeof(*ret);

    return getsockname(conn_fd(c->conn), (struct sockaddr *)ret, &len) == 0;
}

static bool same_end(const struct sockaddr_in *a, const struct sockaddr_in *b)
{
    return a->sin_addr.s_addr == b->sin_addr.s_addr && a->sin_port == b->sin_port;
}

/* The connection from the helper's address with that port, to the very address and port
 * of ours that the helper came to. These four values name one established connection.
 * One that its peer has reset may still stand here, with bytes of whoever had the port
 * before, and is not meant. */
static struct client *find_named(const struct client *helper, uint32_t port)
{
    struct sockaddr_in far = helper->peer, way, own;
    struct client *c;

    far.sin_port = htons((uint16_t)port);
    if (port > UINT16_MAX || !own_end(helper, &way))
        return NULL;
    DL_FOREACH (helper->all->list, c) {
        if (!c->local && !client_is_closing(c) && same_end(&c->peer, &far) &&
            own_end(c, &own) && same_end(&own, &way) &&
            auth_is_established(conn_fd(c->conn)))
            return c;
    }
    return NULL;
}

/* What the kernel has against the claim that 'user' made the socket at the far end; it
 * knows nothing about those of other hosts. NULL: nothing. */
static const char *kernel_says(const struct client *named, const char *user)
{
    struct sockaddr_in own;
    struct diag why;
    uid_t maker, uid;

    if (!net_is_own(named->peer.sin_addr))
        return NULL;
    if (!accounts_uid(named->all->sh->accounts, user, &uid))
        return "no such account at this host";
    if (!own_end(named, &own) || auth_socket_owner(&named->peer, &own, &maker, &why))
        return "no process of this host has its other end";
    return maker == uid ? NULL : "another user made its other end";
}

/* Root by the helper's or a method's word, at this host; or whom the settings name. */
static bool is_root(const struct client *c, const char *user)
{
    const char *principal = c->all->sh->conf->privileged_auth_user;

    return (strcmp(user, "root") == 0 && net_is_own(c->peer.sin_addr)) ||
           (principal && strcmp(user, principal) == 0);
}

void client_become(struct client *c, const char *user)
{
    snprintf(c->user, sizeof(c->user), "%s", user);
    trust_host_name(c->all->sh, c->peer.sin_addr, c->host, sizeof(c->host));
    c->host_root = is_root(c, user);
    client_is_known(c);
}

/* The asking connection ends; the reason is for the log. */
static void refuse(struct client *c, const struct wire_request *rq, int code,
                   const char *why)
{
    shell_log(c->all->sh, LOG_EV_SECURITY, LOG_IN_REQUEST,
              "Authenticate of %s@%s refused: %s", rq->user, c->host, why);
    client_refuse(c, rq->number, rq->user, code, true);
}

static void agree(struct client *c)
{
    static const struct wire_reply done = { .choice = REPLY_NULL };

    client_send_reply(c, &done);
}

/* May a handshake begin here? What was sent in the clear before it must be nothing. */
static bool is_fresh(const struct client *c)
{
    return !c->user[0] && c->life == LIFE_READY && c->message.len == c->message_at;
}

static void serve_vouch(struct client *c, const struct wire_request *rq,
                        const struct auth_plugin *encrypt)
{
    const struct body_authenticate *body = rq->body;
    struct shell *sh = c->all->sh;
    struct resvport_vouch v = {
        .supported = conf_list_has(sh->conf->supported_auth_methods, body->method),
        .method = body->method,
        .encrypts = encrypt != NULL,
        .helper_port = c->local ? 0 : ntohs(c->peer.sin_port),
        .user = rq->user,
    };
    struct client *named = c->local ? NULL : find_named(c, body->port);
    struct diag why;
    int err;

    v.owner = named ? named->user : NULL;
    v.helper_trusted = v.supported && v.helper_port && v.helper_port < RESVPORT_END &&
                       trust_has(sh, c->peer.sin_addr);
    v.kernel_says = named && v.helper_trusted ? kernel_says(named, rq->user) : NULL;
    err = resvport_check(&v, &why);
    if (!err && named->shake)
        err = diag_set(&why, PBSE_BADCRED, "a handshake is under way there");
    if (!err && encrypt && !is_fresh(named))
        err = diag_set(&why, PBSE_BADCRED, "it has sent something in the clear");
    if (!err && encrypt)
        err = handshake_begin(named, NULL, encrypt, rq->user, &why);
    if (err) {
        shell_log(sh, LOG_EV_SECURITY, LOG_IN_REQUEST,
                  "%s@%s was not let vouch for port %u: %s", rq->user, c->host,
                  body->port, why.text);
        client_refuse(c, rq->number, rq->user, err, true);
        return;
    }
    if (!encrypt && !*named->user)
        client_become(named, rq->user);
    agree(c);
}

static void serve_method(struct client *c, const struct wire_request *rq,
                         const struct auth_plugin *encrypt)
{
    const struct body_authenticate *body = rq->body;
    const struct auth_plugin *method = methods_auth(c->all->methods, body->method);
    struct diag why;

    if (!method) {
        refuse(c, rq, PBSE_NOSUP, "that method is not supported");
    } else if (!is_fresh(c)) {
        refuse(c, rq, PBSE_BADCRED, "the connection is in use already");
    } else if (handshake_begin(c, method, encrypt, NULL, &why)) {
        refuse(c, rq, PBSE_NOSUP, why.text);
    } else {
        agree(c);
    }
}

void serve_authenticate(struct client *c, const struct wire_request *rq)
{
    const struct body_authenticate *body = rq->body;
    const struct auth_plugin *encrypt = NULL;

    if (*body->encrypt_method) {
        encrypt = methods_encrypt(c->all->methods, body->encrypt_method);
        if (!encrypt) {
            refuse(c, rq, PBSE_NOSUP, "that encryption method is not in force here");
            return;
        }
    } else if (c->all->sh->conf->require_encryption) {
        refuse(c, rq, PBSE_NOSUP, "it would not be encrypted");
        return;
    }
    if (strcasecmp(body->method, RESVPORT_METHOD) == 0)
        serve_vouch(c, rq, encrypt);
    else
        serve_method(c, rq, encrypt);
}
