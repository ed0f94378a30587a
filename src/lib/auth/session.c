/* session.c - one or two handshakes in a row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/session.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_ERROR "Unknown auth error"

struct stage {
    const struct auth_plugin *plugin;
    void *ctx;
    bool encrypts, names; /* what it is for */
    bool done;            /* this end needs no more tokens */
};

struct auth_session {
    bool is_client;
    struct stage stages[2];
    size_t n_stages, at; /* at == n_stages: all is done */
    const struct stage *cipher;
    char error[256];
};

void auth_out_fini(struct auth_out *out)
{
    for (size_t i = 0; i < out->n; i++)
        buf_fini(&out->v[i].data);
    out->n = 0;
}

static int add_stage(struct auth_session *s, const struct auth_session_config *cfg,
                     const struct auth_plugin *p, struct diag *why)
{
    struct stage *st = &s->stages[s->n_stages];

    st->plugin = p;
    st->encrypts = p == cfg->encrypt;
    st->names = p == cfg->method;
    if (p->create_ctx(&st->ctx, (int)cfg->role,
                      cfg->service ? PBS_AUTH_CONN_SERVICE : PBS_AUTH_CONN_USER,
                      cfg->host ? cfg->host : ""))
        return diag_set(why, PBSE_SYSTEM, "method %s gave no context", p->name);
    s->n_stages++;
    return 0;
}

int auth_session_new(const struct auth_session_config *cfg, struct auth_session **ret,
                     struct diag *why)
{
    struct auth_session *s = calloc(1, sizeof(*s));
    int err = 0;

    if (!s)
        return diag_set(why, PBSE_SYSTEM, "no memory");
    s->is_client = cfg->role == PBS_AUTH_ROLE_CLIENT;
    if (cfg->encrypt)
        err = add_stage(s, cfg, cfg->encrypt, why);
    if (!err && cfg->method && cfg->method != cfg->encrypt)
        err = add_stage(s, cfg, cfg->method, why);
    if (err)
        auth_session_free(s);
    else
        *ret = s;
    return err;
}

void auth_session_free(struct auth_session *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_stages; i++)
        s->stages[i].plugin->destroy_ctx(s->stages[i].ctx);
    free(s);
}

const char *auth_session_error(const struct auth_session *s)
{
    return s->error[0] ? s->error : UNKNOWN_ERROR;
}

/* The words of a method or of the other end, as one printable line. */
static enum auth_state failed(struct auth_session *s, const char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len && text[i] && n < sizeof(s->error) - 1; i++)
        s->error[n++] = (char)(isprint((unsigned char)text[i]) ? text[i] : '?');
    s->error[n] = '\0';
    return AUTH_FAILED;
}

static enum auth_state failed_text(struct auth_session *s, const char *text)
{
    return failed(s, text, strlen(text));
}

typedef int (*crypt_fn)(void *ctx, void *in, size_t inlen, void **out, size_t *outlen);

static bool transform(const struct stage *st, crypt_fn fn, const void *data, size_t len,
                      struct buf *out)
{
    void *made = NULL;
    size_t made_len = 0;
    bool ok = fn(st->ctx, (void *)(uintptr_t)data, len, &made, &made_len) == 0 &&
              made && made_len > 0;

    if (ok)
        buf_add(out, made, made_len);
    free(made);
    return ok;
}

bool auth_session_is_encrypted(const struct auth_session *s)
{
    return s->cipher != NULL;
}

bool auth_session_seal(struct auth_session *s, const void *data, size_t len,
                       struct buf *out)
{
    return transform(s->cipher, s->cipher->plugin->encrypt, data, len, out);
}

bool auth_session_open(struct auth_session *s, const void *data, size_t len,
                       struct buf *out)
{
    return transform(s->cipher, s->cipher->plugin->decrypt, data, len, out);
}

/* Queue a packet, encrypted when that has begun. */
static void put(struct auth_session *s, struct auth_out *out, uint8_t type,
                const void *data, size_t len)
{
    struct auth_packet *p = &out->v[out->n];

    *p = (struct auth_packet){ .type = type };
    if (!s->cipher)
        buf_add(&p->data, data, len);
    else if (!auth_session_seal(s, data, len, &p->data))
        return; /* the other end misses it and gives up */
    out->n++;
}

/* Give the stage's method a token and send on what it says. */
static enum auth_state process(struct auth_session *s, struct stage *st, const void *in,
                               size_t len, struct auth_out *out)
{
    void *token = NULL;
    size_t token_len = 0;
    int done = 0;
    int err = st->plugin->process(st->ctx, (void *)(uintptr_t)in, len, &token,
                                  &token_len, &done);

    if (err)
        failed(s, token, token ? token_len : 0);
    else if (token && token_len > 0)
        put(s, out, AUTH_TOKEN, token, token_len);
    free(token);
    if (err && !s->is_client)
        put(s, out, AUTH_ERROR, auth_session_error(s), strlen(auth_session_error(s)));
    st->done = done != 0;
    return err ? AUTH_FAILED : AUTH_GOES_ON;
}

/* Both ends are through with a stage. */
static enum auth_state next_stage(struct auth_session *s, struct auth_out *out)
{
    struct stage *st = &s->stages[s->at++];

    if (st->encrypts)
        s->cipher = st;
    if (s->at == s->n_stages)
        return AUTH_DONE;
    return s->is_client ? process(s, &s->stages[s->at], NULL, 0, out) : AUTH_GOES_ON;
}

enum auth_state auth_session_start(struct auth_session *s, struct auth_out *out)
{
    return process(s, &s->stages[0], NULL, 0, out);
}

static enum auth_state at_client(struct auth_session *s, uint8_t type, const char *data,
                                 size_t len, struct auth_out *out)
{
    struct stage *st = &s->stages[s->at];

    if (type == AUTH_ERROR)
        return failed(s, data, len);
    if (type == AUTH_OK && st->done)
        return next_stage(s, out);
    if (type == AUTH_TOKEN && !st->done)
        return process(s, st, data, len, out);
    return failed_text(s, "the server broke off the handshake");
}

static enum auth_state at_server(struct auth_session *s, uint8_t type, const char *data,
                                 size_t len, struct auth_out *out)
{
    struct stage *st = &s->stages[s->at];
    enum auth_state state;

    if (type != AUTH_TOKEN)
        return failed_text(s, "not a token");
    state = process(s, st, data, len, out);
    if (state == AUTH_GOES_ON && st->done) {
        put(s, out, AUTH_OK, "", 1);
        state = next_stage(s, out);
    }
    return state;
}

enum auth_state auth_session_packet(struct auth_session *s, uint8_t type,
                                    const void *data, size_t len, struct auth_out *out)
{
    struct buf plain = { 0 };
    enum auth_state state;

    if (s->at >= s->n_stages || len > AUTH_TOKEN_MAX_BYTES)
        return failed_text(s, "a token that was not expected");
    if (s->cipher) {
        if (!auth_session_open(s, data, len, &plain)) {
            buf_fini(&plain);
            return failed_text(s, "a token that cannot be decrypted");
        }
        data = plain.data;
        len = plain.len;
    }
    state = s->is_client ? at_client(s, type, data, len, out)
                         : at_server(s, type, data, len, out);
    buf_fini(&plain);
    return state;
}

int auth_session_user(struct auth_session *s, char *user, size_t size)
{
    const struct stage *st = NULL;
    char *name = NULL, *host = NULL, *realm = NULL;
    int err = PBSE_BADCRED;

    for (size_t i = 0; i < s->n_stages; i++)
        if (s->stages[i].names)
            st = &s->stages[i];
    if (!st || s->at < s->n_stages)
        return PBSE_BADCRED;
    if (st->plugin->get_userinfo(st->ctx, &name, &host, &realm) == 0 && name && *name &&
        strlen(name) < size) {
        snprintf(user, size, "%s", name);
        err = 0;
    } else {
        failed_text(s, "the method names no user");
    }
    free(name);
    free(host);
    free(realm);
    return err;
}
