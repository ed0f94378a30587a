/* toy.c - a method for tests: the client's token is a name, the server asks "why", the
 * client says "because". It encrypts by turning over every bit behind a check byte.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "include/pbs_auth.h"

#include <stdlib.h>
#include <string.h>

struct toy {
    int is_client, steps, service;
    char host[64];
    char user[64];
};

static char exec[256];

void pbs_auth_set_config(const struct pbs_auth_config *config)
{
    strncpy(exec, config->pbs_exec_path, sizeof(exec) - 1);
}

int pbs_auth_create_ctx(void **ctx, int role, int conn_type, const char *hostname)
{
    struct toy *t = calloc(1, sizeof(*t));

    if (!t || strcmp(hostname, "no.context") == 0) {
        free(t);
        return 1;
    }
    t->is_client = role == PBS_AUTH_ROLE_CLIENT;
    t->service = conn_type == PBS_AUTH_CONN_SERVICE;
    strncpy(t->host, hostname, sizeof(t->host) - 1);
    *ctx = t;
    return 0;
}

void pbs_auth_destroy_ctx(void *ctx)
{
    free(ctx);
}

int pbs_auth_get_userinfo(void *ctx, char **user, char **host, char **realm)
{
    const struct toy *t = ctx;

    *user = strdup(t->user);
    *host = strdup(t->host);
    *realm = strdup(exec);
    return 0;
}

static void say(void **out, size_t *outlen, const char *text)
{
    *outlen = strlen(text);
    *out = strdup(text);
}

static int is(const void *in, size_t len, const char *text)
{
    return len == strlen(text) && memcmp(in, text, len) == 0;
}

static int at_server(struct toy *t, const void *in, size_t len, void **out,
                     size_t *outlen, int *done)
{
    if (t->steps == 1 && is(in, len, "liar")) {
        say(out, outlen, "you\nlie");
        return 1;
    }
    if (t->steps == 1 && is(in, len, "mute"))
        return 1;
    if (t->steps == 1 && is(in, len, "idle"))
        return 0; /* neither a word nor an end */
    if (t->steps == 1 && is(in, len, "windbag")) {
        *out = calloc(1, 65537);
        *outlen = 65537;
        return 0;
    }
    if (t->steps == 1 && len < sizeof(t->user)) {
        memcpy(t->user, in, len);
        say(out, outlen, "why");
        return 0;
    }
    *done = 1;
    return !is(in, len, "because");
}

int pbs_auth_process_handshake_data(void *ctx, void *in, size_t inlen, void **out,
                                    size_t *outlen, int *done)
{
    struct toy *t = ctx;

    *out = NULL;
    *outlen = 0;
    *done = 0;
    t->steps++;
    if (!t->is_client)
        return at_server(t, in, inlen, out, outlen, done);
    if (t->steps == 1) {
        if (strcmp(t->host, "speechless") != 0)
            say(out, outlen, t->host); /* the host is the name, in this toy */
        return 0;
    }
    *done = 1;
    if (strcmp(t->host, "sulky") == 0)
        return 0; /* needs no more and says nothing: the server does */
    say(out, outlen, "because");
    return !is(in, inlen, "why");
}

int pbs_auth_encrypt_data(void *ctx, void *in, size_t inlen, void **out, size_t *outlen)
{
    char *p = malloc(inlen + 1);

    (void)ctx;
    p[0] = '#';
    for (size_t i = 0; i < inlen; i++)
        p[i + 1] = (char)~((const char *)in)[i];
    *out = p;
    *outlen = inlen + 1;
    return 0;
}

int pbs_auth_decrypt_data(void *ctx, void *in, size_t inlen, void **out, size_t *outlen)
{
    char *p = malloc(inlen);

    (void)ctx;
    *out = p;
    *outlen = inlen - 1;
    for (size_t i = 0; i + 1 < inlen; i++)
        p[i] = (char)~((const char *)in)[i + 1];
    return ((const char *)in)[0] != '#';
}
