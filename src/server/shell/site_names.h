/* site_names.h - what the name services of the site say. They may be slow or hang:
 * these functions are for threads (find_out.c), and are safe to be called from several.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_SITE_NAMES_H
#define SERVER_SHELL_SITE_NAMES_H

#include "server/decide/need.h"

#include <limits.h>
#include <sys/types.h>

/* An account of this host. */
struct site_entry {
    uid_t uid;
    gid_t gid;
    char home[PATH_MAX]; /* "": longer than that */
};

/* False: there is none, or the name service does not answer. */
bool site_entry(const char *user, struct site_entry *ret);

/* Each fills in an empty finding as need.h says of the kind; lists are in 'arena'. */
void site_groups(const char *user, struct arena *arena, struct finding *ret);
void site_account(const char *user, struct finding *ret);
/* Is the user of another host the account of this one, whose full name is 'own_host'?
 * The files of equiv.h are read. */
void site_equivalent(const char *account, const char *user_at_host,
                     const char *own_host, struct arena *arena, struct finding *ret);
void site_user(const char *uid, struct arena *arena, struct finding *ret);
void site_addrs(const char *host, struct arena *arena, struct finding *ret);
void site_full_name(const char *host, struct finding *ret);
void site_peer(const char *addr, struct arena *arena, struct finding *ret);

#endif
