/* accounts.h - what the shell knows of users and hosts, for the core.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_ACCOUNTS_H
#define SERVER_SHELL_ACCOUNTS_H

#include "server/shell/shell.h"

struct accounts *accounts_new(void);
void accounts_free(struct accounts *a);

/* Functions of struct svr_config; 'arg' is the struct accounts. Answers are kept for a
 * minute, because the system's name services may be slow. */
size_t accounts_host_addrs(void *arg, const char *host, uint32_t *ret, size_t max);
/* What an address (host byte order) is called, in lower case; nobody has checked that
 * the name has the address. False: it has no name. */
bool accounts_host_name(struct accounts *a, uint32_t addr, char *name, size_t size);
/* The uid of an account of this host; false: there is none. */
bool accounts_uid(struct accounts *a, const char *user, uid_t *ret);
int64_t accounts_utc_offset(void *arg, int64_t at);

#endif
