/* vouch.c - Authenticate by "resvport": a helper on a reserved port says whose another
 * connection from its host is. The rules are in lib/auth/resvport.c; here is found what
 * they ask for.
 *
 * What is gained is a user's identity and never more: a reserved port itself has no
 * rights, and a scheduler registers only where the kernel names its uid. An identity
 * lasts as long as its connection.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/resvport.h"
#include "server/shell/client.h"
#include "server/shell/trust.h"

#include <string.h>
#include <sys/socket.h>
#include <utlist.h>

static struct in_addr own_addr(const struct client *c)
{
    struct sockaddr_in own = { 0 };
    socklen_t len = sizeof(own);

    if (getsockname(conn_fd(c->conn), (struct sockaddr *)&own, &len) < 0)
        own.sin_addr.s_addr = INADDR_ANY;
    return own.sin_addr;
}

/* The connection from the helper's address with that port. There may be two, to
 * different addresses of this host: the one that came the helper's way is meant. */
static struct client *find_named(const struct client *helper, uint32_t port)
{
    const struct in_addr way = own_addr(helper);
    struct client *c, *other = NULL;

    DL_FOREACH(helper->all->list, c)
    {
        if (c->local || c->closing || ntohs(c->peer.sin_port) != port ||
            c->peer.sin_addr.s_addr != helper->peer.sin_addr.s_addr)
            continue;
        if (own_addr(c).s_addr == way.s_addr)
            return c;
        other = c;
    }
    return other;
}

static void become(struct client *c, const char *user)
{
    strcpy(c->user, user);
    trust_host_name(c->all->sh, c->peer.sin_addr, c->host, sizeof(c->host));
    c->host_root = strcmp(user, "root") == 0 && trust_is_own(c->peer.sin_addr);
    conn_set_max_frame(c->conn, CONN_MAX_FRAME_BYTES);
}

void serve_authenticate(struct client *c, const struct wire_request *rq)
{
    static const struct wire_reply done = { .choice = REPLY_NULL };
    const struct body_authenticate *body = rq->body;
    struct shell *sh = c->all->sh;
    struct resvport_vouch v = {
        .supported = conf_list_has(sh->conf->supported_auth_methods, body->method),
        .method = body->method,
        .encrypt_method = body->encrypt_method,
        .helper_port = c->local ? 0 : ntohs(c->peer.sin_port),
        .user = rq->user,
    };
    struct client *named = c->local ? NULL : find_named(c, body->port);
    struct diag why;
    int err;

    v.owner = named ? named->user : NULL;
    v.helper_trusted = v.supported && v.helper_port && v.helper_port < RESVPORT_END &&
                       trust_has(sh, c->peer.sin_addr);
    err = resvport_check(&v, &why);
    if (err) {
        shell_log(sh, LOG_EV_SECURITY, LOG_IN_REQUEST,
                  "%s@%s was not let vouch for port %u: %s", rq->user, c->host,
                  body->port, why.text);
        client_refuse(c, rq->number, rq->user, err, true);
        return;
    }
    become(named, rq->user);
    client_send_reply(c, &done);
}
