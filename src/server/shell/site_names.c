/* site_names.c - see site_names.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/site_names.h"

#include "lib/io/net.h"

#include <errno.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#define GROUPS_MAX     1024              /* of one user; the others are not looked at */
#define ADDRS_MAX      64                /* of one host */
#define ENTRY_MAX_SIZE ((size_t)1 << 20) /* of an entry of a name service */

/* Accounts. */

static const char *group_name(gid_t gid, struct arena *arena)
{
    struct group g, *found = NULL;
    size_t size = 4096;
    char *text = NULL;
    const char *name;
    int err;

    do {
        size *= 2;
        text = xrealloc(text, size);
        err = getgrgid_r(gid, &g, text, size, &found);
    } while (err == ERANGE && size < ENTRY_MAX_SIZE);
    name = found ? arena_strdup(arena, found->gr_name)
                 : arena_printf(arena, "%lu", (unsigned long)gid);
    free(text);
    return name;
}

static void add_groups(const char *user, gid_t primary, struct arena *arena,
                       struct finding *ret)
{
    gid_t gids[GROUPS_MAX];
    int n = GROUPS_MAX;
    const char **v;

    if (getgrouplist(user, primary, gids, &n) < 0)
        n = GROUPS_MAX;
    v = ARENA_ARRAY(arena, const char *, (size_t)n + 1);
    v[ret->groups.n++] = group_name(primary, arena);
    for (int i = 0; i < n; i++)
        if (gids[i] != primary)
            v[ret->groups.n++] = group_name(gids[i], arena);
    ret->groups.v = v;
}

void site_groups(const char *user, struct arena *arena, struct finding *ret)
{
    struct passwd pw, *found = NULL;
    size_t size = 4096;
    char *text = NULL;
    int err;

    do {
        size *= 2;
        text = xrealloc(text, size);
        err = getpwnam_r(user, &pw, text, size, &found);
    } while (err == ERANGE && size < ENTRY_MAX_SIZE);
    ret->found = found != NULL;
    if (found)
        add_groups(user, pw.pw_gid, arena, ret);
    free(text);
}

/* Hosts. */

/* The service said nothing: it may know more when it is asked again. */
static bool is_silence(int err)
{
    return err == EAI_AGAIN || err == EAI_SYSTEM || err == EAI_MEMORY;
}

void site_addrs(const char *host, struct arena *arena, struct finding *ret)
{
    struct addrinfo *list = NULL;
    uint32_t *v = ARENA_ARRAY(arena, uint32_t, ADDRS_MAX);
    int err = net_addresses(host, &list);

    ret->failed = is_silence(err);
    if (err)
        return;
    for (const struct addrinfo *i = list; i && ret->n_addrs < ADDRS_MAX;
         i = i->ai_next) {
        const struct sockaddr_in *in = (const void *)i->ai_addr;

        v[ret->n_addrs++] = ntohl(in->sin_addr.s_addr);
    }
    ret->addrs = v;
    ret->found = ret->n_addrs > 0;
    freeaddrinfo(list);
}

void site_full_name(const char *host, struct finding *ret)
{
    const struct addrinfo hints = { .ai_family = AF_INET,
                                    .ai_socktype = SOCK_STREAM,
                                    .ai_flags = AI_CANONNAME };
    struct addrinfo *list = NULL;
    int err = getaddrinfo(host, NULL, &hints, &list);

    if (err == 0) {
        ret->found = list->ai_canonname && strcasecmp(list->ai_canonname, host) == 0;
        freeaddrinfo(list);
    }
    /* A machine may be without an /etc/hosts. */
    ret->found |= strcasecmp(host, "localhost") == 0;
    ret->failed = !ret->found && is_silence(err);
}
