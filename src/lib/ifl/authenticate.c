/* authenticate.c - saying who we are on a TCP connection, and encrypting it (wire.md
 * 4).
 *
 * With "resvport" the set-uid helper speaks for us; any other method is a plug-in whose
 * tokens travel on the connection itself. A method of encryption has its handshake
 * first. Plug-ins are loaded here and nowhere else: who does not name one in the
 * settings never touches their libraries.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/session.h"
#include "lib/ifl/ifl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define RESVPORT   "resvport"
#define CLUSTERKEY "clusterkey"

/* Commands print the words of errno too (cli.md 1.5), so it survives the setting of
 * pbs_errno. */
static int fail(int code)
{
    int keep = errno;

    ifl_set_error(-1, code, NULL);
    errno = keep;
    return -1;
}

/* What people see of a refusal; 'text' may be NULL. */
static int refused(int code, const char *text)
{
    char kept[256];

    /* 'text' may be the connection's own, which fail() and the closing of the
     * connection free. */
    snprintf(kept, sizeof(kept), "%s", text ? text : "");
    fprintf(stderr, "auth: error returned: %d\n", code);
    if (*kept)
        fprintf(stderr, "auth: %s\n", kept);
    errno = 0; /* no words of the system's belong to it */
    return fail(code);
}

/* Daemons prove themselves with the cluster's key, which users do not have: where that
 * is the method, commands use the helper. */
static const char *method_of(const struct conf *conf)
{
    return strcmp(conf->auth_method, CLUSTERKEY) == 0 ? RESVPORT : conf->auth_method;
}

static int load(const struct conf *conf, const char *name,
                const struct auth_plugin **ret)
{
    const struct auth_plugin_site site = { .home = conf->home,
                                           .exec = conf->exec,
                                           .auth_method = conf->auth_method,
                                           .encrypt_method = conf->encrypt_method };
    struct diag why;

    if (auth_plugin_load(&site, name, ret, &why) == 0)
        return 0;
    fprintf(stderr, "%s\n", why.text);
    errno = 0; /* that was all */
    return fail(PBSE_SYSTEM);
}

static int load_methods(const struct conf *conf, struct auth_session_config *cfg)
{
    if (strcmp(method_of(conf), RESVPORT) != 0 &&
        load(conf, method_of(conf), &cfg->method))
        return -1;
    if (!*conf->encrypt_method)
        return 0;
    if (load(conf, conf->encrypt_method, &cfg->encrypt))
        return -1;
    if (auth_plugin_encrypts(cfg->encrypt))
        return 0;
    fprintf(stderr,
            "The given PBS_ENCRYPT_METHOD = %s does not support encrypt/decrypt of "
            "data\n",
            conf->encrypt_method);
    errno = 0;
    return fail(PBSE_SYSTEM);
}

/* The helper vouches from another connection, and names the encryption there. */
static int vouched(const struct conf *conf, int c, const char *host, unsigned port)
{
    int code = ifl_resvport(conf, c, host, port);
    char text[PBS_MAXHOSTNAME + 64];

    if (code == 0)
        return 0;
    snprintf(text, sizeof(text), "Unable to authenticate connection (%s:%u)", host,
             port);
    return refused(code, text);
}

static int announced(const struct conf *conf, int c)
{
    const struct body_authenticate body = { conf->auth_method, conf->encrypt_method,
                                            0 };
    /* The server answers before the first token, so that a method that it does not have
     * is refused with words, and not by silence. */
    int code = ifl_do(c, BATCH_AUTHENTICATE, &body, NULL);

    return code ? refused(code, ifl_geterrmsg(c)) : 0;
}

static bool send_tokens(struct ifl_handle *h, const struct auth_out *out)
{
    for (size_t i = 0; i < out->n; i++)
        if (!ifl_send_packet(h, out->v[i].type, out->v[i].data.data,
                             out->v[i].data.len))
            return false;
    return true;
}

/* One handshake, or two. */
struct talk {
    struct ifl_handle *h;
    struct auth_session *session;
    struct auth_out out;
    struct buf data;
    enum auth_state state;
    char words[256]; /* when it is not to be believed */
};

static enum auth_state given_up(struct talk *t, const char *words)
{
    snprintf(t->words, sizeof(t->words), "%s", words);
    return AUTH_FAILED;
}

/* The next packet of the server's. */
static enum auth_state listen_once(struct talk *t)
{
    uint8_t type;

    buf_clear(&t->data);
    if (!ifl_recv_packet(t->h, &type, &t->data))
        return given_up(t, "the server has closed the connection");
    return auth_session_packet(t->session, type, t->data.data, t->data.len, &t->out);
}

/* Both sides send and listen in turns until the session says that it is done. What it
 * has to send in its last step is sent before that is believed. */
static void talk_step(void *arg)
{
    struct talk *t = arg;

    t->state = auth_session_start(t->session, &t->out);
    while (t->state != AUTH_FAILED) {
        bool sent = send_tokens(t->h, &t->out);

        auth_out_fini(&t->out);
        if (t->state == AUTH_DONE)
            return;
        t->state = sent ? listen_once(t) : given_up(t, "the server is gone");
    }
    if (!t->words[0])
        given_up(t, auth_session_error(t->session));
}

/* On success the session is the connection's, when it is needed further on. */
static int shake_hands(struct auth_session *s, int c)
{
    struct talk t = {
        .h = ifl_handle_lock(c), .session = s, .state = AUTH_FAILED, .words = ""
    };
    bool ok = t.h && xmem_try(talk_step, &t) && t.state == AUTH_DONE;

    auth_out_fini(&t.out);
    buf_fini(&t.data);
    if (ok && auth_session_is_encrypted(s)) {
        t.h->session = s;
        s = NULL;
    }
    if (t.h)
        ifl_handle_unlock(t.h);
    auth_session_free(s);
    return ok ? 0 : refused(PBSE_BADCRED, t.words);
}

int ifl_authenticate(const struct conf *conf, int c, const char *host, unsigned port)
{
    struct auth_session_config cfg = { .role = PBS_AUTH_ROLE_CLIENT, .host = host };
    struct auth_session *s = NULL;
    struct diag why;

    /* All that can fail on this host comes first: the server is not troubled with a
     * client that lacks its own plug-in. */
    if (load_methods(conf, &cfg))
        return -1;
    if ((cfg.method || cfg.encrypt) && auth_session_new(&cfg, &s, &why))
        return refused(PBSE_SYSTEM, why.text);
    if (cfg.method ? announced(conf, c) : vouched(conf, c, host, port)) {
        auth_session_free(s);
        return -1;
    }
    return s ? shake_hands(s, c) : 0;
}
