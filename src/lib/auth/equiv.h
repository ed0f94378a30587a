/* equiv.h - host equivalence: whether a user of another host is an account of this one
 * (attributes.md 9 and 13), as /etc/hosts.equiv and the account's ~/.rhosts say.
 *
 * Each line of such a file is "HOST" or "HOST USER"; '#' begins a comment. HOST is a
 * name, compared without regard to case, or '+' for every host; a name without a dot is
 * of the domain of this host. USER is a name, or '+' for every user; without USER the
 * line is about the user with the account's own name. A '-' before either refuses what
 * it stands for. The first line that is about a user decides.
 *
 * Netgroups ("+@G") let nobody in, since nobody is asked who they are; a refused one
 * ("-@G") might be anybody, so the file ends there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_AUTH_EQUIV_H
#define LIB_AUTH_EQUIV_H

#include <stdbool.h>
#include <stddef.h>

enum equiv_word {
    EQUIV_SILENT, /* no line is about this user */
    EQUIV_YES,
    EQUIV_NO,
};

struct equiv_asks {
    const char *account;  /* of this host */
    const char *user;     /* of 'host', who would be it */
    const char *host;     /* by its full name */
    const char *own_host; /* this one's full name, for names without a domain */
};

/* What a file says, whose 'len' bytes may be any. A file of the site ('of_site') makes
 * nobody an account of another name: it would be every account at once. */
enum equiv_word equiv_read(const char *text, size_t len, bool of_site,
                           const struct equiv_asks *asks);

#endif
