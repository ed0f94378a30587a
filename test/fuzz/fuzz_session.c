/* Fuzz target: the token handshakes of a connection, what the other end sends and what
 * a method makes of it both being the input's.
 *
 * The first letter says whose end this is and which methods there are, the others are
 * packets: a type as a digit, a length as a letter ('a': none), and so many bytes. A
 * token's first byte tells the method what to do with it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/auth.h"
#include "lib/auth/session.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

static int n_contexts;

static int create_ctx(void **ctx, int role, int conn_type, const char *hostname)
{
    (void)role;
    (void)conn_type;
    if (strcmp(hostname, "none") == 0)
        return 1;
    *ctx = calloc(1, AUTH_USER_MAX + 8);
    n_contexts++;
    return *ctx == NULL;
}

static void destroy_ctx(void *ctx)
{
    FUZZ_CHECK(ctx);
    n_contexts--;
    free(ctx);
}

static int get_userinfo(void *ctx, char **user, char **host, char **realm)
{
    *host = *realm = NULL;
    *user = strdup(ctx);
    return 0;
}

static int give(void **out, size_t *outlen, const void *p, size_t len)
{
    *out = malloc(len + 1);
    if (*out && len)
        memcpy(*out, p, len);
    *outlen = len;
    return 0;
}

/* What the token behind its first byte is for: words, a token, the user's name. */
static int process(void *ctx, void *in, size_t inlen, void **out, size_t *outlen,
                   int *done)
{
    char act = inlen ? *(char *)in : 'g';
    const char *rest = inlen ? (char *)in + 1 : "start";
    size_t len = inlen ? inlen - 1 : 5;

    *done = act == 'd' || act == 'D';
    if (act == 'd' || act == 'n')
        strncpy(ctx, rest, len < AUTH_USER_MAX + 7 ? len : AUTH_USER_MAX + 7);
    switch (act) {
    case 'e':
        return give(out, outlen, rest, len) + 1;
    case 'E':
        return 1;
    case 'n':
    case 'd':
        return 0;
    case 'h':
        *outlen = AUTH_TOKEN_MAX_BYTES + 1;
        *out = calloc(1, *outlen);
        return 0;
    default:
        return give(out, outlen, rest, len);
    }
}

/* A byte in front, which the other end has to have put there too. */
static int encrypt(void *ctx, void *in, size_t inlen, void **out, size_t *outlen)
{
    (void)ctx;
    give(out, outlen, in, inlen);
    return inlen == 7;
}

static int decrypt(void *ctx, void *in, size_t inlen, void **out, size_t *outlen)
{
    (void)ctx;
    return inlen < 1 || *(char *)in != '#' ||
           give(out, outlen, (char *)in + 1, inlen - 1);
}

static void check_out(struct auth_out *out, bool is_client)
{
    FUZZ_CHECK(out->n <= ARRAY_LEN(out->v));
    for (size_t i = 0; i < out->n; i++) {
        FUZZ_CHECK(out->v[i].data.len <= AUTH_TOKEN_MAX_BYTES);
        FUZZ_CHECK(!is_client || out->v[i].type == AUTH_TOKEN);
    }
    auth_out_fini(out);
}

static void check_end(struct auth_session *s, enum auth_state state, bool names)
{
    const char *words = auth_session_error(s);
    char user[AUTH_USER_MAX + 1];

    FUZZ_CHECK(*words && !strpbrk(words, "\n\r\033"));
    if (auth_session_user(s, user, sizeof(user)) == 0)
        FUZZ_CHECK(state == AUTH_DONE && auth_user_is_name(user));
    else
        FUZZ_CHECK(state != AUTH_DONE || !names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct auth_plugin one = { .name = (char[]){ "one" },
                               .create_ctx = create_ctx,
                               .destroy_ctx = destroy_ctx,
                               .get_userinfo = get_userinfo,
                               .process = process,
                               .encrypt = encrypt,
                               .decrypt = decrypt },
                       other = one;
    uint8_t how = len ? data[0] : 0;
    struct auth_session_config cfg = {
        .role = how & 1 ? PBS_AUTH_ROLE_CLIENT : PBS_AUTH_ROLE_SERVER,
        .host = how & 8 ? "none" : "host",
        .method = how & 2 ? &one : NULL,
        .encrypt = how & 4 ? (how & 16 ? &one : &other) : NULL,
    };
    bool is_client = cfg.role == PBS_AUTH_ROLE_CLIENT;
    enum auth_state state = AUTH_GOES_ON;
    struct auth_out out = { 0 };
    struct auth_session *s;
    struct diag why;

    if (!cfg.method && !cfg.encrypt)
        cfg.method = &one;
    if (auth_session_new(&cfg, &s, &why))
        return 0;
    if (is_client)
        state = auth_session_start(s, &out);
    check_out(&out, is_client);
    for (size_t at = 1; state == AUTH_GOES_ON && at + 2 <= len;) {
        size_t n = data[at + 1] - (size_t)'a';

        n = n < len - at - 2 ? n : len - at - 2;
        state = auth_session_packet(s, data[at] - '0', data + at + 2, n, &out);
        check_out(&out, is_client);
        at += 2 + n;
    }
    check_end(s, state, !is_client && cfg.method);
    auth_session_free(s);
    FUZZ_CHECK(n_contexts == 0);
    return 0;
}
