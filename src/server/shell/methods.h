/* methods.h - the plug-ins that the settings allow, loaded at the start and never
 * because somebody on the network names one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_METHODS_H
#define SERVER_SHELL_METHODS_H

#include "lib/auth/plugin.h"
#include "server/shell/shell.h"

struct methods;
struct pool;

/* A supported method that cannot be loaded is logged and then missing. An encryption
 * method that cannot be used refuses the start: PBSE_SYSTEM with the words. */
int methods_new(struct shell *sh, struct methods **ret, struct diag *why) MUST_CHECK;
void methods_free(struct methods *m);

/* For authentication, for encryption: NULL when it is not allowed or not there. Letter
 * case does not count. */
const struct auth_plugin *methods_auth(const struct methods *m, const char *name);
const struct auth_plugin *methods_encrypt(const struct methods *m, const char *name);

/* The threads where tokens of that method are looked at. Each method has its own: one
 * that hangs holds up nobody but those who use it. */
struct pool *methods_pool(const struct methods *m, const struct auth_plugin *p);

#endif
