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
#include "server/shell/client.h"
#include "server/shell/client_handshake.h"
#include "server/shell/methods.h"

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
    /* The number comes from the wire and may be any. */
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

/* What the kernel has against the claim that 'user' made the socket at the far end of
 * 'named', NULL: nothing. It knows nothing about sockets of other hosts. False: the
 * account is looked up first. */
static bool kernel_says(struct client *helper, const struct client *named,
                        const char *user, const char **ret)
{
    const struct need need = { .kind = NEED_ACCOUNT, .name = user };
    const struct finding *account;
    struct sockaddr_in own;
    struct diag why;
    uid_t maker;

    *ret = NULL;
    /* The kernel of this host knows the sockets of this host only. An address that may
     * be its own is looked at as if it were. */
    if (net_is_foreign(named->peer.sin_addr))
        return true;
    account = lookup(helper->all->sh->lookups, &helper->seeker, &need);
    if (!account)
        return false;
    if (!account->found)
        *ret = "no such account at this host";
    else if (!own_end(named, &own) ||
             auth_socket_owner(&named->peer, &own, &maker, &why))
        *ret = "no process of this host has its other end";
    else if (maker != account->uid)
        *ret = "another user made its other end";
    return true;
}

/* Root by the helper's or a method's word, at this host; or whom the settings name. */
static bool is_root(const struct client *c, const char *user)
{
    const char *principal = c->all->sh->conf->privileged_auth_user;

    return (strcmp(user, "root") == 0 && net_is_own(c->peer.sin_addr)) ||
           (principal && strcmp(user, principal) == 0);
}

void client_become(struct client *c, const char *user, const char *host)
{
    snprintf(c->user, sizeof(c->user), "%s", user);
    snprintf(c->host, sizeof(c->host), "%s", host);
    c->host_root = is_root(c, user);
    /* From here on the connection counts as this user's. */
    client_is_known(c);
}

bool serve_as_server(struct client *c, const struct wire_request *rq)
{
    struct shell *sh = c->all->sh;
    char host[sizeof(c->host)];
    enum trust trust;
    bool has_name;

    /* Who turns reserved ports off has no such servers. */
    if (c->local || ntohs(c->peer.sin_port) >= RESVPORT_END ||
        !conf_list_has(sh->conf->supported_auth_methods, RESVPORT_METHOD))
        return true;
    trust = trust_has_server(sh, &c->seeker, c->peer.sin_addr);
    has_name = trust_host_name(sh, &c->seeker, c->peer.sin_addr, host, sizeof(host));
    if (trust == TRUST_LATER || !has_name)
        return false;
    if (trust == TRUST_NO)
        return true;
    c->is_server = true;
    client_become(c, rq->user, host);
    c->host_root = false; /* a server hands over jobs, and that is all */
    return true;
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

/* What name services have to say of a helper on a reserved port: whether its host
 * counts, that host's name, and whether the kernel agrees. False: later. */
static bool know_helper(struct client *c, const struct client *named,
                        struct resvport_vouch *v, char *host, size_t size)
{
    struct shell *sh = c->all->sh;
    enum trust trust;
    bool has_name;

    if (!v->supported || !v->helper_port || v->helper_port >= RESVPORT_END)
        return true;
    trust = trust_has(sh, &c->seeker, c->peer.sin_addr);
    has_name = trust_host_name(sh, &c->seeker, c->peer.sin_addr, host, size);
    if (trust == TRUST_LATER || !has_name)
        return false;
    v->helper_trusted = trust == TRUST_YES;
    return !named || !v->helper_trusted ||
           kernel_says(c, named, v->user, &v->kernel_says);
}

/* Its own connection is 'named', which comes from the helper's host. */
static int vouch_for(struct client *named, const struct resvport_vouch *v,
                     const struct auth_plugin *encrypt, const char *host,
                     struct diag *why)
{
    int err = resvport_check(v, why);

    if (err)
        return err;
    if (named->shake)
        return diag_set(why, PBSE_BADCRED, "a handshake is under way there");
    if (!encrypt) {
        if (!*named->user)
            client_become(named, v->user, host);
        return 0;
    }
    if (!is_fresh(named))
        return diag_set(why, PBSE_BADCRED, "it has sent something in the clear");
    return handshake_begin(named, NULL, encrypt, v->user, host, why);
}

static bool serve_vouch(struct client *c, const struct wire_request *rq,
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
    char host[sizeof(c->host)];
    struct diag why;
    int err;

    if (!know_helper(c, named, &v, host, sizeof(host)))
        return false;
    /* The rules decide on these facts alone (lib/auth/resvport.c). */
    v.owner = named ? named->user : NULL;
    err = vouch_for(named, &v, encrypt, host, &why);
    if (!err) {
        agree(c);
        return true;
    }
    shell_log(sh, LOG_EV_SECURITY, LOG_IN_REQUEST,
              "%s@%s was not let vouch for port %u: %s", rq->user, c->host, body->port,
              why.text);
    client_refuse(c, rq->number, rq->user, err, true);
    return true;
}

static bool serve_method(struct client *c, const struct wire_request *rq,
                         const struct auth_plugin *encrypt)
{
    const struct body_authenticate *body = rq->body;
    const struct auth_plugin *method = methods_auth(c->all->methods, body->method);
    char host[sizeof(c->host)];
    struct diag why;

    if (!method) {
        refuse(c, rq, PBSE_NOSUP, "that method is not supported");
    } else if (!is_fresh(c)) {
        refuse(c, rq, PBSE_BADCRED, "the connection is in use already");
    } else if (!trust_host_name(c->all->sh, &c->seeker, c->peer.sin_addr, host,
                                sizeof(host))) {
        return false;
    } else if (handshake_begin(c, method, encrypt, NULL, host, &why)) {
        refuse(c, rq, PBSE_NOSUP, why.text);
    } else {
        agree(c);
    }
    return true;
}

bool serve_authenticate(struct client *c, const struct wire_request *rq)
{
    const struct body_authenticate *body = rq->body;
    const struct auth_plugin *encrypt = NULL;

    /* Both sides must mean the same method, or none. */
    if (*body->encrypt_method) {
        encrypt = methods_encrypt(c->all->methods, body->encrypt_method);
        if (!encrypt) {
            refuse(c, rq, PBSE_NOSUP, "that encryption method is not in force here");
            return true;
        }
    } else if (c->all->sh->conf->require_encryption) {
        refuse(c, rq, PBSE_NOSUP, "it would not be encrypted");
        return true;
    }
    if (strcasecmp(body->method, RESVPORT_METHOD) == 0)
        return serve_vouch(c, rq, encrypt);
    return serve_method(c, rq, encrypt);
}
