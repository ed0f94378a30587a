/* environ.h - the environment of a job (execution.md 12).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_ENVIRON_H
#define MOM_SHELL_ENVIRON_H

#include "lib/base/arena.h"
#include "lib/io/site_env.h"

struct environment_name;

/* A list of "NAME=value" in an arena; a later value replaces an earlier one. A user's
 * Variable_List may name a hundred thousand, so names are found in a hash. */
struct environment {
    struct arena *arena;
    size_t n;
    size_t cap;
    char **v; /* NULL-terminated; lives as long as the arena */
    struct environment_name *names;
};

/* Forget where the names are; 'v' stays. */
void environment_fini(struct environment *e);

/* "NAME=value"; without '=' it is ignored. */
void environment_add(struct environment *e, const char *entry);
void environment_set(struct environment *e, const char *name, const char *value);

/* What pbs_environment says; NULL: nothing. */
void environment_add_site(struct environment *e, const struct site_env *site);

/* "A=1,B=x\,y": a backslash takes the next character as it is. */
void environment_add_list(struct environment *e, const char *variable_list);

#endif
