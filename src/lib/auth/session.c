/* session.c - one or two handshakes in a row: for encryption first where there is one,
 * then for the name, so that the tokens of the second are encrypted. A method that does
 * both needs one handshake only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/session.h"

#include "lib/auth/auth.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_ERROR "Unknown auth error"

struct stage {
    const struct auth_plugin *plugin;
    void *ctx;
    bool has_ctx;
    bool encrypts, names; /* what it is for */
    bool done;            /* this end needs no more tokens */
};

struct auth_session {
    enum pbs_auth_role role;
    bool is_client, service;
    char *host; /* the other end */
    struct stage stages[2];
    size_t n_stages, at; /* at == n_stages: all is done */
    const struct stage *cipher;
    char user[AUTH_USER_MAX + 1]; /* at the other end; "": not known */
    char error[256];
};

void auth_out_fini(struct auth_out *out)
{
    for (size_t i = 0; i < out->n; i++)
        buf_fini(&out->v[i].data);
    out->n = 0;
}

static void add_stage(struct auth_session *s, const struct auth_session_config *cfg,
                      const struct auth_plugin *p)
{
    MUST(p && s->n_stages < ARRAY_LEN(s->stages));
    s->stages[s->n_stages++] = (struct stage){ .plugin = p,
                                               .encrypts = p == cfg->encrypt,
                                               .names = p == cfg->method };
}

/* The context of a stage, made when the stage is reached. A server waits so long
 * because its client may never come that far. */
static bool make_context(const struct auth_session *s, struct stage *st)
{
    if (!st->has_ctx)
        st->has_ctx = st->plugin->create_ctx(&st->ctx, (int)s->role,
                                             s->service ? PBS_AUTH_CONN_SERVICE
                                                        : PBS_AUTH_CONN_USER,
                                             s->host) == 0;
    return st->has_ctx;
}

/* A client makes all contexts before it says anything, so that a method which cannot
 * work here is found out without the server. */
static int make_contexts(struct auth_session *s, struct diag *why)
{
    for (size_t i = 0; i < s->n_stages; i++)
        if (!make_context(s, &s->stages[i]))
            return diag_set(why, PBSE_SYSTEM, "method %s gave no context",
                            s->stages[i].plugin->name);
    return 0;
}

int auth_session_new(const struct auth_session_config *cfg, struct auth_session **ret,
                     struct diag *why)
{
    struct auth_session *s = calloc(1, sizeof(*s));
    int err = 0;

    if (!s || !(s->host = strdup(cfg->host ? cfg->host : ""))) {
        free(s);
        return diag_set(why, PBSE_SYSTEM, "no memory");
    }
    s->role = cfg->role;
    s->is_client = cfg->role == PBS_AUTH_ROLE_CLIENT;
    s->service = cfg->service;
    if (cfg->encrypt)
        add_stage(s, cfg, cfg->encrypt);
    /* One method may do both; then one handshake does. */
    if (cfg->method && cfg->method != cfg->encrypt)
        add_stage(s, cfg, cfg->method);
    if (s->is_client)
        err = make_contexts(s, why);
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
        if (s->stages[i].has_ctx)
            s->stages[i].plugin->destroy_ctx(s->stages[i].ctx);
    free(s->host);
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
    MUST(s->cipher); /* auth_session_is_encrypted() */
    return transform(s->cipher, s->cipher->plugin->encrypt, data, len, out);
}

bool auth_session_open(struct auth_session *s, const void *data, size_t len,
                       struct buf *out)
{
    MUST(s->cipher);
    return transform(s->cipher, s->cipher->plugin->decrypt, data, len, out);
}

/* Queue a packet, encrypted when that has begun. */
static enum auth_state put(struct auth_session *s, struct auth_out *out, uint8_t type,
                           const void *data, size_t len)
{
    struct auth_packet *p = &out->v[out->n];

    MUST(out->n < ARRAY_LEN(out->v));
    *p = (struct auth_packet){ .type = type };
    if (!s->cipher)
        buf_add(&p->data, data, len);
    else if (!auth_session_seal(s, data, len, &p->data))
        return failed_text(s, "a token that cannot be encrypted");
    out->n++;
    return AUTH_GOES_ON;
}

/* Send on the token that a method gave. When the method owes one and gives none the
 * handshake ends here: both ends would wait for each other. */
static enum auth_state pass_on(struct auth_session *s, bool owes, const void *token,
                               size_t len, struct auth_out *out)
{
    if (len > AUTH_TOKEN_MAX_BYTES)
        return failed_text(s, "the method gave a token that is too long");
    if (len > 0)
        return put(s, out, AUTH_TOKEN, token, len);
    return owes ? failed_text(s, "the method has nothing to say") : AUTH_GOES_ON;
}

/* Tell the client why the handshake failed; it ends with that. */
static enum auth_state tell(struct auth_session *s, struct auth_out *out)
{
    char words[sizeof(s->error)];

    snprintf(words, sizeof(words), "%s", auth_session_error(s));
    if (!s->is_client)
        (void)put(s, out, AUTH_ERROR, words, strlen(words));
    return failed_text(s, words);
}

/* Give the stage's method a token and send on what it says. */
static enum auth_state process(struct auth_session *s, struct stage *st, const void *in,
                               size_t len, struct auth_out *out)
{
    enum auth_state state;
    void *token = NULL;
    size_t token_len = 0;
    int done = 0;

    if (!make_context(s, st)) {
        failed_text(s, "the method gave no context");
        return tell(s, out);
    }
    if (st->plugin->process(st->ctx, (void *)(uintptr_t)in, len, &token, &token_len,
                            &done)) {
        state = failed(s, token, token ? token_len : 0);
    } else {
        /* A client begins, so it owes its first token even when it is done with it. */
        bool owes = !done || (s->is_client && !in);

        state = pass_on(s, owes, token, token ? token_len : 0, out);
    }
    free(token);
    st->done = done != 0;
    return state == AUTH_FAILED ? tell(s, out) : state;
}

/* Both ends are done with a stage: encryption begins, or the next stage, or neither. */
static enum auth_state next_stage(struct auth_session *s, struct auth_out *out)
{
    struct stage *st = &s->stages[s->at++];

    MUST(st->done && s->at <= s->n_stages);
    if (st->encrypts)
        s->cipher = st;
    if (s->at == s->n_stages)
        return AUTH_DONE;
    return s->is_client ? process(s, &s->stages[s->at], NULL, 0, out) : AUTH_GOES_ON;
}

enum auth_state auth_session_start(struct auth_session *s, struct auth_out *out)
{
    MUST(s->is_client && s->n_stages > 0 && s->at == 0);
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

/* Ask the method whom it names. This happens before the other end is told that it is
 * believed: a name that is no name refuses it. */
static enum auth_state learn_user(struct auth_session *s, const struct stage *st,
                                  struct auth_out *out)
{
    char *name = NULL, *host = NULL, *realm = NULL;

    if (st->plugin->get_userinfo(st->ctx, &name, &host, &realm) == 0 && name &&
        auth_user_is_name(name))
        strcpy(s->user, name);
    free(name);
    free(host);
    free(realm);
    if (s->user[0])
        return AUTH_GOES_ON;
    failed_text(s, "the method names no user");
    return tell(s, out);
}

static enum auth_state at_server(struct auth_session *s, uint8_t type, const char *data,
                                 size_t len, struct auth_out *out)
{
    struct stage *st = &s->stages[s->at];
    enum auth_state state;

    if (type != AUTH_TOKEN)
        return failed_text(s, "not a token");
    state = process(s, st, data, len, out);
    if (state == AUTH_GOES_ON && st->done && st->names)
        state = learn_user(s, st, out);
    if (state == AUTH_GOES_ON && st->done)
        state = put(s, out, AUTH_OK, "", 1);
    if (state == AUTH_GOES_ON && st->done)
        state = next_stage(s, out);
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
    if (!s->user[0] || s->at < s->n_stages || strlen(s->user) >= size)
        return PBSE_BADCRED;
    strcpy(user, s->user);
    return 0;
}
