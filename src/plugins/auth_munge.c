/* auth_munge.c - the method "munge": the credential of a daemon that both hosts trust
 * (wire.md 4.4, tpp.md 2.3).
 *
 * One token: a credential around "user:group" of the client's real uid, with its NUL
 * byte. What counts is the uid that munge vouches for; the payload only has to agree.
 * Between daemons that uid must be root's or the one this daemon runs as, so that a
 * cluster without root can use munge too.
 *
 * libmunge is opened when it is first needed: a host without it has a clear text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "include/pbs_auth.h"
#include "lib/auth/auth.h"
#include "lib/base/base.h"
#include "lib/io/conf.h"

#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <munge.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_ROOM 4096
#define TOKEN_MAX 65536
#define SONAME    "libmunge.so.2"

struct munge_ctx { /* of one connection */
    bool is_client, service;
    bool done;
    char user[257];
};

static struct {
    munge_err_t (*encode)(char **cred, munge_ctx_t ctx, const void *buf, int len);
    munge_err_t (*decode)(const char *cred, munge_ctx_t ctx, void **buf, int *len,
                          uid_t *uid, gid_t *gid);
    const char *(*text)(munge_err_t err);
    munge_ctx_t (*ctx_new)(void);
    void (*ctx_free)(munge_ctx_t ctx);
    munge_err_t (*ctx_set)(munge_ctx_t ctx, int option, ...);
} lib;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *library; /* NULL: not opened yet */
static char *socket_path;

static bool open_library(void)
{
    const struct {
        const char *name;
        void *at;
    } rows[] = {
        { "munge_encode", &lib.encode },        { "munge_decode", &lib.decode },
        { "munge_strerror", &lib.text },        { "munge_ctx_create", &lib.ctx_new },
        { "munge_ctx_destroy", &lib.ctx_free }, { "munge_ctx_set", &lib.ctx_set },
    };
    /* Its symbols stay its own: a daemon may have other libraries with the same names.
     */
    void *so = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);

    if (!so)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        void *found = dlsym(so, rows[i].name);

        if (!found) {
            dlclose(so);
            return false;
        }
        memcpy(rows[i].at, &found, sizeof(found));
    }
    library = so;
    return true;
}

/* Handshakes run in threads, and two of them may need the library first. */
static bool have_library(void)
{
    bool ok;

    pthread_mutex_lock(&lock);
    ok = library || open_library();
    pthread_mutex_unlock(&lock);
    return ok;
}

void pbs_auth_set_config(const struct pbs_auth_config *config)
{
    struct conf *conf;

    (void)config;
    if (conf_load(&conf, NULL))
        return;
    /* Settings come before the first handshake, so nobody reads the old one meanwhile.
     */
    free(socket_path);
    socket_path = conf->munge_socket ? strdup(conf->munge_socket) : NULL;
    conf_free(conf);
}

int pbs_auth_create_ctx(void **ret, int role, int conn_type, const char *hostname)
{
    struct munge_ctx *c = calloc(1, sizeof(*c));

    (void)hostname;
    if (!c)
        return 1;
    c->is_client = role == PBS_AUTH_ROLE_CLIENT;
    c->service =
        conn_type == PBS_AUTH_CONN_SERVICE || role == PBS_AUTH_ROLE_INTERACTIVE;
    *ret = c;
    return 0;
}

void pbs_auth_destroy_ctx(void *ctx)
{
    free(ctx);
}

int pbs_auth_get_userinfo(void *ctx, char **user, char **host, char **realm)
{
    const struct munge_ctx *c = ctx;

    *user = *host = *realm = NULL;
    if (c->is_client || !c->done)
        return 1;
    *user = strdup(c->user);
    return *user ? 0 : 1;
}

static int fail(void **out, size_t *outlen, const char *fmt, ...) PRINTF_LIKE(3, 4);

static int fail(void **out, size_t *outlen, const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    *out = text;
    *outlen = text ? strlen(text) : 0;
    return 1;
}

static bool group_of(gid_t gid, char *name, size_t size)
{
    struct group gr, *found = NULL;
    size_t room_size = NAME_ROOM;
    char *room = NULL;
    int err;

    /* The members come along though only the name is wanted; 64 MiB of them are enough.
     */
    do { /* a group may have many members */
        char *more = realloc(room, room_size *= 4);

        if (!more)
            break;
        room = more;
        err = getgrgid_r(gid, &gr, room, room_size, &found);
    } while (err == ERANGE && room_size < (64u << 20));
    if (found)
        snprintf(name, size, "%s", gr.gr_name);
    free(room);
    return found != NULL;
}

/* NULL: the usual socket. */
static munge_ctx_t munge_options(void)
{
    munge_ctx_t m = socket_path ? lib.ctx_new() : NULL;

    if (m)
        lib.ctx_set(m, MUNGE_OPT_SOCKET, socket_path);
    return m;
}

static int make_token(struct munge_ctx *c, void **out, size_t *outlen)
{
    char user[257], group[257], payload[sizeof(user) + sizeof(group)], *cred = NULL;
    munge_ctx_t m;
    munge_err_t err;
    gid_t gid;
    struct diag why;

    /* The real user, also when a set-uid program asks. */
    if (auth_account(getuid(), user, sizeof(user), &gid, &why))
        return fail(out, outlen, "Failed to obtain user-info for uid = %lu",
                    (unsigned long)getuid());
    if (!group_of(gid, group, sizeof(group)))
        return fail(out, outlen, "Failed to obtain group-info for gid=%lu",
                    (unsigned long)gid);
    snprintf(payload, sizeof(payload), "%s:%s", user, group);
    m = munge_options();
    err = lib.encode(&cred, m, payload, (int)strlen(payload));
    if (m)
        lib.ctx_free(m);
    if (err != EMUNGE_SUCCESS) {
        free(cred);
        return fail(out, outlen, "MUNGE user-authentication on encode failed with `%s`",
                    lib.text(err));
    }
    *out = cred;
    *outlen = strlen(cred) + 1;
    c->done = true;
    return 0;
}

/* Is the payload's first field this name? */
static bool names(const char *payload, int len, const char *user)
{
    size_t n = strlen(user);

    return len >= 0 && (size_t)len >= n && memcmp(payload, user, n) == 0 &&
           ((size_t)len == n || payload[n] == ':' || payload[n] == '\0');
}

static bool is_daemon(uid_t uid)
{
    /* Daemons of one cluster run as one user. */
    return uid == 0 || uid == geteuid();
}

static int check_decoded(struct munge_ctx *c, uid_t uid, gid_t gid, const char *payload,
                         int len, void **out, size_t *outlen)
{
    char user[sizeof(c->user)], group[257];
    struct diag why;

    if (auth_account(uid, user, sizeof(user), NULL, &why))
        return fail(out, outlen, "Failed to obtain user-info for uid = %lu",
                    (unsigned long)uid);
    if (!group_of(gid, group, sizeof(group)))
        return fail(out, outlen, "Failed to obtain group-info for gid=%lu",
                    (unsigned long)gid);
    if (!payload || !names(payload, len, user) || (c->service && !is_daemon(uid)))
        return fail(out, outlen, "User credentials do not match");
    memcpy(c->user, user, sizeof(c->user));
    c->done = true;
    return 0;
}

static int check_token(struct munge_ctx *c, const void *in, size_t inlen, void **out,
                       size_t *outlen)
{
    char *cred = strndup(in ? in : "", inlen); /* up to its NUL, or with one */
    void *payload = NULL;
    munge_ctx_t m;
    munge_err_t err;
    /* Nobody, should the library leave it as it is. */
    uid_t uid = (uid_t)-1;
    gid_t gid = (gid_t)-1;
    int len = 0, ret;

    if (!cred)
        return 1;
    m = munge_options();
    err = lib.decode(cred, m, &payload, &len, &uid, &gid);
    if (m)
        lib.ctx_free(m);
    if (err != EMUNGE_SUCCESS)
        ret = fail(out, outlen, "MUNGE user-authentication on decode failed with `%s`",
                   lib.text(err));
    else
        ret = check_decoded(c, uid, gid, payload, len, out, outlen);
    free(payload);
    free(cred);
    return ret;
}

int pbs_auth_process_handshake_data(void *ctx, void *in, size_t inlen, void **out,
                                    size_t *outlen, int *done)
{
    struct munge_ctx *c = ctx;
    int err;

    *out = NULL;
    *outlen = 0;
    *done = 0;
    /* There is one token: the client is asked for it without input, the server gets it,
     * and nobody is asked twice. */
    if (c->done || inlen > TOKEN_MAX || c->is_client != (inlen == 0))
        return 1;
    if (!have_library())
        return fail(out, outlen, "Failed to load munge lib");
    err = c->is_client ? make_token(c, out, outlen)
                       : check_token(c, in, inlen, out, outlen);
    *done = !err;
    return err;
}
