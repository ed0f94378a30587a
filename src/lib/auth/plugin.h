/* plugin.h - methods that are loaded when they are named (wire.md 4.5).
 *
 * libpbs links this: no event loop, no cryptography, errors instead of exits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_AUTH_PLUGIN_H
#define LIB_AUTH_PLUGIN_H

#include "include/pbs_auth.h"
#include "lib/base/diag.h"

#define AUTH_METHOD_MAX 100 /* characters of a method's name (wire.md 1) */

struct auth_plugin {
    char *name;
    void (*set_config)(const struct pbs_auth_config *config);
    int (*create_ctx)(void **ctx, int role, int conn_type, const char *hostname);
    void (*destroy_ctx)(void *ctx);
    int (*get_userinfo)(void *ctx, char **user, char **host, char **realm);
    int (*process)(void *ctx, void *in, size_t inlen, void **out, size_t *outlen,
                   int *done);
    int (*encrypt)(void *ctx, void *in, size_t inlen, void **out, size_t *outlen);
    int (*decrypt)(void *ctx, void *in, size_t inlen, void **out, size_t *outlen);
    struct pbs_auth_config config;
    struct auth_plugin *next;
};

/* What plug-ins are told when they are loaded: 'exec' is where they are looked for.
 * Strings are copied. */
struct auth_plugin_site {
    const char *home, *exec, *auth_method, *encrypt_method;
    void (*logfunc)(int type, int objclass, int severity, const char *objname,
                    const char *text);
};

/* Is it a name and nothing else: lower-case letters, digits, '_' and '-'? Anything that
 * could lead to another file than that of a method is not. */
bool auth_method_is_name(const char *name) MUST_CHECK;

/* The method of that name, loaded at the first use and kept for the life of the
 * process; letter case does not count. PBSE_SYSTEM with the words to print when there
 * is none or it lacks a function. Any thread may call this; it may block on the disk.
 */
int auth_plugin_load(const struct auth_plugin_site *site, const char *name,
                     const struct auth_plugin **ret, struct diag *why) MUST_CHECK;

/* Can it be used as an encryption method? */
bool auth_plugin_encrypts(const struct auth_plugin *p) MUST_CHECK;

#endif
