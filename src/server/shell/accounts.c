/* accounts.c - users' ids, hosts' addresses and names, with a memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/accounts.h"

#include "lib/io/net.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netdb.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uthash.h>

#define REMEMBER_MS 60000
#define MEMORY_MAX  4096 /* names come from clients: not without limit */

struct known {  /* one answer of either kind */
    char *name; /* "u<user>", "h<host>" or "n<address>" */
    int64_t asked_ms;
    bool found;
    size_t n;
    uid_t uid;    /* of a user */
    char **names; /* the name of an address */
    uint32_t *addrs;
    UT_hash_handle hh;
};

struct accounts {
    struct known *known;
};

static void known_free(struct known *k)
{
    for (size_t i = 0; k->names && i < k->n; i++)
        free(k->names[i]);
    free(k->names);
    free(k->addrs);
    free(k->name);
    free(k);
}

static void forget_all(struct accounts *a)
{
    struct known *k, *next;

    HASH_ITER (hh, a->known, k, next) {
        HASH_DEL(a->known, k);
        known_free(k);
    }
}

struct accounts *accounts_new(void)
{
    return xcalloc(1, sizeof(struct accounts));
}

void accounts_free(struct accounts *a)
{
    if (!a)
        return;
    forget_all(a);
    free(a);
}

/* The fresh answer of that name, or an empty one to be filled in: *fresh false. */
static struct known *known_get(struct accounts *a, char kind, const char *name,
                               bool *fresh)
{
    char *key = xasprintf("%c%s", kind, name);
    struct known *k;

    HASH_FIND_STR(a->known, key, k);
    if (k && clock_mono_ms() - k->asked_ms < REMEMBER_MS) {
        free(key);
        *fresh = true;
        return k;
    }
    if (k) {
        HASH_DEL(a->known, k);
        known_free(k);
    }
    if (HASH_COUNT(a->known) >= MEMORY_MAX)
        forget_all(a);
    k = xcalloc(1, sizeof(*k));
    k->name = key;
    k->asked_ms = clock_mono_ms();
    HASH_ADD_KEYPTR(hh, a->known, k->name, strlen(k->name), k);
    *fresh = false;
    return k;
}

static void ask_uid(struct known *k, const char *user)
{
    const struct passwd *pw = getpwnam(user);

    if (!pw)
        return;
    k->found = true;
    k->uid = pw->pw_uid;
}

static const struct known *known_user(struct accounts *a, const char *user)
{
    bool fresh;
    struct known *k = known_get(a, 'u', user, &fresh);

    if (!fresh)
        ask_uid(k, user);
    return k;
}

bool accounts_uid(struct accounts *a, const char *user, uid_t *ret)
{
    const struct known *k = known_user(a, user);

    if (k->found)
        *ret = k->uid;
    return k->found;
}

static void ask_addrs(struct known *k, const char *host)
{
    struct addrinfo *list = NULL;

    if (net_addresses(host, &list))
        return;
    for (const struct addrinfo *i = list; i; i = i->ai_next) {
        const struct sockaddr_in *in = (const void *)i->ai_addr;

        k->addrs = xrealloc(k->addrs, (k->n + 1) * sizeof(*k->addrs));
        k->addrs[k->n++] = ntohl(in->sin_addr.s_addr);
    }
    freeaddrinfo(list);
}

size_t accounts_host_addrs(void *arg, const char *host, uint32_t *ret, size_t max)
{
    bool fresh;
    struct known *k = known_get(arg, 'h', host, &fresh);
    size_t n;

    if (!fresh)
        ask_addrs(k, host);
    n = MIN_OF(k->n, max);
    if (n > 0)
        memcpy(ret, k->addrs, n * sizeof(*ret));
    return n;
}

static void ask_name(struct known *k, uint32_t addr)
{
    const struct sockaddr_in in = { .sin_family = AF_INET,
                                    .sin_addr.s_addr = htonl(addr) };
    char name[NI_MAXHOST];

    if (getnameinfo((const struct sockaddr *)&in, sizeof(in), name, sizeof(name), NULL,
                    0, NI_NAMEREQD))
        return;
    for (char *p = name; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    k->found = true;
    k->n = 1;
    k->names = xcalloc(1, sizeof(*k->names));
    k->names[0] = xstrdup(name);
}

bool accounts_host_name(struct accounts *a, uint32_t addr, char *name, size_t size)
{
    char key[16];
    bool fresh;
    struct known *k;

    snprintf(key, sizeof(key), "%08x", (unsigned)addr);
    k = known_get(a, 'n', key, &fresh);
    if (!fresh)
        ask_name(k, addr);
    if (!k->found || strlen(k->names[0]) >= size)
        return false;
    strcpy(name, k->names[0]);
    return true;
}

int64_t accounts_utc_offset(void *arg, int64_t at)
{
    time_t t = (time_t)at;
    struct tm tm;

    (void)arg;
    return localtime_r(&t, &tm) ? tm.tm_gmtoff : 0;
}
