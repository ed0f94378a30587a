/* auth_greet.c - a method of somebody else's: built with the installed pbs_auth.h
 * alone.
 *
 * The client says what GREET_SAY of its environment has; what the server makes of it
 * depends on the first word:
 *
 *   hello NAME     it asks "who?", the client says NAME again, and that is the user
 *   file PATH      it waits until that file is there, then as "hello root"
 *   hang           it never comes back
 *   refuse WORDS   no, and why; mute: no, and nothing else
 *   silent         neither a token nor an end; garbage: a token of nonsense for each
 *   huge           a token of a megabyte
 *   nobody, odd, long, blank   a user who has no name, or one that no account has
 *
 * GREET_DO in the client's environment makes that end the strange one: close (all of
 * its descriptors), none (no token), fail (with words), long (a token that is too
 * long). Encryption is exclusive or with a number that goes up by one for each byte.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pbs_auth.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HUGE ((size_t)1 << 20)

struct greet {
    int role, turn;
    char first[1200]; /* what the client said first */
    unsigned char out_key, in_key;
};

static const struct pbs_auth_config *config;

void pbs_auth_set_config(const struct pbs_auth_config *c)
{
    config = c;
}

int pbs_auth_create_ctx(void **ctx, int role, int conn_type, const char *hostname)
{
    struct greet *g = calloc(1, sizeof(*g));

    if (!g || conn_type != PBS_AUTH_CONN_USER || !hostname)
        return 1;
    g->role = role;
    *ctx = g;
    return 0;
}

void pbs_auth_destroy_ctx(void *ctx)
{
    free(ctx);
}

/* What stands behind the first word. */
static const char *rest_of(const struct greet *g)
{
    const char *blank = strchr(g->first, ' ');

    return blank ? blank + 1 : "";
}

static int begins(const struct greet *g, const char *word)
{
    return strncmp(g->first, word, strlen(word)) == 0;
}

int pbs_auth_get_userinfo(void *ctx, char **user, char **host, char **realm)
{
    const struct greet *g = ctx;

    *user = *host = *realm = NULL;
    if (begins(g, "nobody"))
        return 0;
    *user = strdup(begins(g, "hello")   ? rest_of(g)
                   : begins(g, "odd")   ? "an\nn"
                   : begins(g, "blank") ? "root "
                   : begins(g, "long")  ? g->first
                                        : "root");
    *realm = strdup("greet");
    return 0;
}

static int say(void **out, size_t *outlen, const char *text)
{
    *out = strdup(text);
    *outlen = strlen(text);
    return 0;
}

static int say_huge(void **out, size_t *outlen)
{
    *out = calloc(1, HUGE);
    *outlen = HUGE;
    return 0;
}

static void wait_for_file(const char *path)
{
    while (access(path, F_OK) != 0)
        usleep(20000);
}

static int first_token(struct greet *g, void **out, size_t *outlen, int *done)
{
    if (begins(g, "hello"))
        return say(out, outlen, "who?");
    if (begins(g, "refuse"))
        return say(out, outlen, rest_of(g)) + 1;
    if (begins(g, "mute"))
        return 1;
    if (begins(g, "silent"))
        return 0;
    if (begins(g, "garbage"))
        return say(out, outlen, "\x01\xff%s%n\n\x80");
    if (begins(g, "huge"))
        return say_huge(out, outlen);
    if (begins(g, "file"))
        wait_for_file(rest_of(g));
    while (begins(g, "hang"))
        pause();
    *done = 1;
    return 0;
}

static int at_server(struct greet *g, const void *in, size_t len, void **out,
                     size_t *outlen, int *done)
{
    if (config->logfunc)
        config->logfunc(0x0080, 5, 7, "greet", "a token came");
    if (begins(g, "garbage"))
        return say(out, outlen, "more");
    if (g->turn == 1 && len < sizeof(g->first)) {
        memcpy(g->first, in, len);
        return first_token(g, out, outlen, done);
    }
    *done = 1;
    if (len == strlen(rest_of(g)) && memcmp(in, rest_of(g), len) == 0)
        return 0;
    return say(out, outlen, "not what you said first") + 1;
}

static int at_client(struct greet *g, const void *in, size_t len, void **out,
                     size_t *outlen, int *done)
{
    const char *act = getenv("GREET_DO"), *text = getenv("GREET_SAY");

    snprintf(g->first, sizeof(g->first), "%s", text ? text : "");
    if (act && strcmp(act, "fail") == 0)
        return say(out, outlen, "I would rather not") + 1;
    if (act && strcmp(act, "none") == 0)
        return 0;
    if (act && strcmp(act, "long") == 0)
        return say_huge(out, outlen);
    if (act && strcmp(act, "close") == 0)
        for (int fd = STDERR_FILENO + 1; fd < 64; fd++)
            close(fd);
    *done = begins(g, "hello") ? g->turn == 2 : !begins(g, "garbage");
    if (g->turn == 1)
        return say(out, outlen, text ? text : "");
    if (begins(g, "garbage"))
        return say(out, outlen, "go on");
    return say(out, outlen, len == 4 && memcmp(in, "who?", 4) == 0 ? rest_of(g) : "?");
}

int pbs_auth_process_handshake_data(void *ctx, void *in, size_t inlen, void **out,
                                    size_t *outlen, int *done)
{
    struct greet *g = ctx;

    *out = NULL;
    *outlen = 0;
    *done = 0;
    g->turn++;
    return (g->role == PBS_AUTH_ROLE_CLIENT ? at_client : at_server)(g, in, inlen, out,
                                                                     outlen, done);
}

static int cover(unsigned char *key, const void *in, size_t len, void **out,
                 size_t *outlen)
{
    const unsigned char *from = in;
    unsigned char *to = malloc(len + 1);

    if (!to)
        return 1;
    for (size_t i = 0; i < len; i++)
        to[i] = from[i] ^ (*key)++;
    *out = to;
    *outlen = len;
    return 0;
}

int pbs_auth_encrypt_data(void *ctx, void *in, size_t inlen, void **out, size_t *outlen)
{
    struct greet *g = ctx;

    return cover(&g->out_key, in, inlen, out, outlen);
}

int pbs_auth_decrypt_data(void *ctx, void *in, size_t inlen, void **out, size_t *outlen)
{
    struct greet *g = ctx;

    return cover(&g->in_key, in, inlen, out, outlen);
}
