/* link_open.c - reaching the server: its local socket where one answers, else TCP with
 * the method of authentication that the settings name (wire.md 4).
 *
 * On the local socket the kernel says who we are. Over TCP the helper pbs_iff or the
 * tokens of a plug-in say it, and a method of encryption has its handshake first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/link_priv.h"

#include "lib/auth/iff_client.h"
#include "lib/auth/resvport.h"
#include "lib/io/clock.h"
#include "lib/io/net.h"
#include "lib/io/protect.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* In milliseconds: the connect may take the first, the answer of the helper or each
 * packet of a handshake the second. */
#define CONNECT_MS 30000
#define HELPER_MS  60000
#define HOST_BYTES 256

struct target {
    const struct conf *conf;
    struct resolver *resolver;
    char host[HOST_BYTES];
    unsigned port;
    int64_t connect_ms, answer_ms; /* how long the server may take */
};

/* Send a request whose reply is a code only; a refusal is an error. */
static int say(struct link *l, const struct wire_request *rq, struct diag *why)
{
    struct arena *arena = arena_new();
    struct wire_reply reply;
    int err = link_call(l, rq, arena, &reply, why);

    if (!err && reply.code)
        err = diag_set(why, reply.code, "%s", reply.text ? reply.text : "refused");
    arena_free(arena);
    return err;
}

/* The link on a connected socket, which it owns, greeted; NULL after a failure. */
static struct link *greet(int fd, const char *user, int64_t timeout_ms, int *err,
                          struct diag *why)
{
    static const struct wire_request greeting = { .number = BATCH_CONNECT };
    struct link *l = xcalloc(1, sizeof(*l));

    MUST(fd >= 0 && user);
    l->fd = fd;
    l->user = xstrdup(user);
    l->timeout_ms = timeout_ms;
    *err = say(l, &greeting, why);
    if (*err == 0)
        return l;
    link_close(l);
    return NULL;
}

static int open_socket(const char *path, int *ret, struct diag *why)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    int fd;

    if (strlen(path) >= sizeof(to.sun_path))
        return diag_set(why, PBSE_SYSTEM, "%s: too long for a socket", path);
    /* It fits: the length was checked above. */
    strcpy(to.sun_path, path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    /* A local connect does not wait for a network, so the socket becomes non-blocking
     * only behind it. */
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0 ||
        fcntl(fd, F_SETFL, O_NONBLOCK) < 0) {
        diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return PBSE_SYSTEM;
    }
    *ret = fd;
    return 0;
}

int link_open_local(const char *path, const char *user, struct link **ret,
                    struct diag *why)
{
    struct link *l;
    int fd = -1;
    int err = open_socket(path, &fd, why);

    if (err)
        return err;
    l = greet(fd, user, LINK_TIMEOUT_MS, &err, why);
    if (l)
        *ret = l;
    return err;
}

/* The address that connections come from when PBS_PUBLIC_HOST_NAME is set. */
static int find_source(const struct target *t, struct sockaddr_in *from,
                       struct diag *why)
{
    const char *host = t->conf->public_host_name;

    *from = (struct sockaddr_in){ .sin_family = AF_INET };
    return host ? resolver_ask(t->resolver, host, &from->sin_addr, why) : 0;
}

/* Wait for the end of a connect that was begun, and say how it ended. */
static int wait_connected(int fd, int64_t connect_ms, struct diag *why)
{
    bool timed_out;
    int failed = 0;
    socklen_t len = sizeof(failed);
    int err = link_wait(fd, POLLOUT, clock_mono_ms() + connect_ms, &timed_out, why);

    if (err)
        return err;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &len) < 0)
        failed = errno;
    return failed ? diag_set(why, PBSE_SYSTEM, "%s", strerror(failed)) : 0;
}

static int connect_tcp(const struct target *t, int *ret, struct diag *why)
{
    struct sockaddr_in from;
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)t->port) };
    int fd = -1;
    int err = resolver_ask(t->resolver, t->host, &to.sin_addr, why);

    if (!err)
        err = find_source(t, &from, why);
    if (err)
        return err;
    /* From here on the socket is ours to close. */
    err = net_connect_from(t->conf->public_host_name ? &from : NULL, &to, &fd);
    err = err ? diag_set(why, PBSE_SYSTEM, "%s", strerror(err))
              : wait_connected(fd, t->connect_ms, why);
    if (err && fd >= 0)
        close(fd);
    if (!err)
        *ret = fd;
    return err;
}

/* True when pbs_iff vouches for us. The cluster's key proves a daemon to a daemon; a
 * server that takes requests knows no such method from its clients. */
static bool uses_helper(const struct conf *conf)
{
    return strcmp(conf->auth_method, RESVPORT_METHOD) == 0 ||
           strcmp(conf->auth_method, "clusterkey") == 0;
}

/* Let pbs_iff vouch for the connection, with a bounded wait for its answer. */
static int ask_helper(const struct target *t, const struct link *l, struct diag *why)
{
    int64_t deadline_ms = clock_mono_ms() + HELPER_MS;
    enum iff_state state = IFF_GOES_ON;
    struct iff_client helper;
    bool timed_out;
    int err = 0;
    int code = -1;

    if (iff_client_start(t->conf, l->fd, t->host, t->port, &helper))
        return diag_set(why, PBSE_SYSTEM, "%s/sbin/pbs_iff: cannot be started",
                        t->conf->exec);
    protect_spawned(helper.pid);
    while (state == IFF_GOES_ON && !err) {
        err = link_wait(helper.from, POLLIN, deadline_ms, &timed_out, why);
        if (!err)
            state = iff_client_read(&helper, &code);
    }
    /* A helper that gave no answer in time is not waited for. */
    iff_client_end(&helper, err != 0);
    if (!err && code)
        err = diag_set(why, PBSE_BADCRED, "pbs_iff could not vouch for us (%d)", code);
    return err;
}

static int announce(const struct target *t, struct link *l, struct diag *why)
{
    const struct body_authenticate body = { t->conf->auth_method,
                                            t->conf->encrypt_method, 0 };
    const struct wire_request rq = { .number = BATCH_AUTHENTICATE, .body = &body };

    return say(l, &rq, why);
}

static int send_tokens(struct link *l, const struct auth_out *out, struct diag *why)
{
    int err = 0;

    for (size_t i = 0; i < out->n && !err; i++)
        err = link_write_packet(l, out->v[i].type, out->v[i].data.data,
                                out->v[i].data.len, why);
    return err;
}

/* Exchange tokens with the server until one side is content or gives up. */
static int shake_hands(struct link *l, struct auth_session *s, struct diag *why)
{
    struct auth_out out = { 0 };
    enum auth_state state = auth_session_start(s, &out);
    int err = 0;

    while (state != AUTH_FAILED && !err) {
        struct packet p;
        bool timed_out;

        err = send_tokens(l, &out, why);
        auth_out_fini(&out);
        if (err || state == AUTH_DONE)
            return err;
        err = link_read_packet(l, clock_mono_ms() + HELPER_MS, &timed_out, &p, why);
        if (!err)
            state = auth_session_packet(s, p.type, p.data, p.len, &out);
    }
    auth_out_fini(&out);
    return err ? err : diag_set(why, PBSE_BADCRED, "%s", auth_session_error(s));
}

static int load_methods(const struct conf *conf, struct auth_session_config *cfg,
                        struct diag *why)
{
    const struct auth_plugin_site site = { .home = conf->home,
                                           .exec = conf->exec,
                                           .auth_method = conf->auth_method,
                                           .encrypt_method = conf->encrypt_method };
    int err = 0;

    /* Where the helper vouches there is no plug-in for authentication to load. */
    if (!uses_helper(conf))
        err = auth_plugin_load(&site, conf->auth_method, &cfg->method, why);
    if (!err && *conf->encrypt_method)
        err = auth_plugin_load(&site, conf->encrypt_method, &cfg->encrypt, why);
    if (!err && cfg->encrypt && !auth_plugin_encrypts(cfg->encrypt))
        err = diag_set(why, PBSE_SYSTEM,
                       "The given PBS_ENCRYPT_METHOD = %s does not support "
                       "encrypt/decrypt of data",
                       conf->encrypt_method);
    return err;
}

/* Prove who we are. Encryption without a plug-in for authentication is possible: the
 * helper vouches then, and the session encrypts. */
static int authenticate(const struct target *t, struct link *l, struct diag *why)
{
    struct auth_session_config cfg = { .role = PBS_AUTH_ROLE_CLIENT, .host = t->host };
    struct auth_session *s = NULL;
    int err = load_methods(t->conf, &cfg, why);

    MUST(!l->session); /* so far nothing is encrypted */
    if (!err && (cfg.method || cfg.encrypt))
        err = auth_session_new(&cfg, &s, why);
    if (!err)
        err = cfg.method ? announce(t, l, why) : ask_helper(t, l, why);
    if (!err && s)
        err = shake_hands(l, s, why);
    /* The session lives as long as the link when it encrypts; otherwise its work is
     * done. */
    if (!err && s && auth_session_is_encrypted(s))
        l->session = s;
    else
        auth_session_free(s);
    return err;
}

/* Is the server of the settings on this host? One whose name cannot be resolved is
 * taken for it: the socket below PBS_HOME is then all that there is. */
static bool is_here(const struct target *t)
{
    struct in_addr addr;
    struct diag ignored;

    return resolver_ask(t->resolver, t->host, &addr, &ignored) != 0 || net_is_own(addr);
}

static int open_tcp(const struct target *t, const char *user, struct link **ret,
                    struct diag *why)
{
    struct diag cause;
    struct link *l = NULL;
    int fd;
    int err = connect_tcp(t, &fd, &cause);

    if (!err)
        l = greet(fd, user, t->answer_ms, &err, &cause);
    if (!err)
        err = authenticate(t, l, &cause);
    if (!err) {
        MUST(l);
        *ret = l;
        return 0;
    }
    link_close(l);
    return diag_set(why, err, "%s:%u: %s", t->host, t->port, cause.text);
}

int link_open(const struct conf *conf, struct resolver *resolver, const char *user,
              struct link **ret, struct diag *why)
{
    struct target t = { .conf = conf,
                        .resolver = resolver,
                        .connect_ms = CONNECT_MS,
                        .answer_ms = LINK_TIMEOUT_MS };
    struct link *l;
    int fd = -1;
    int err;

    if (!net_split(conf_server_host(conf), conf->batch_port, t.host, sizeof(t.host),
                   &t.port))
        return diag_set(why, PBSE_BADHOST, "%s: no name of a server",
                        conf_server_host(conf));
    if (conf->local_socket && is_here(&t) &&
        open_socket(conf_server_socket(conf), &fd, why) == 0) {
        /* A server that answers on the socket and refuses us is not tried again over
         * TCP. */
        l = greet(fd, user, t.answer_ms, &err, why);
        if (l)
            *ret = l;
        return err;
    }
    return open_tcp(&t, user, ret, why);
}

int link_open_peer(const struct conf *conf, struct resolver *resolver,
                   const char *server, const char *user, struct link **ret,
                   struct diag *why)
{
    struct target t = { .conf = conf,
                        .resolver = resolver,
                        .connect_ms = LINK_PEER_CONNECT_MS,
                        .answer_ms = LINK_PEER_MS };

    if (!net_split(server, conf->batch_port, t.host, sizeof(t.host), &t.port))
        return diag_set(why, PBSE_BADHOST, "%s: no name of a server", server);
    return open_tcp(&t, user, ret, why);
}
