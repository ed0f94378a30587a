/* hook_edit.h - setting attributes of a hook: each has rules and words of its own
 * (hooks.md 1 and 5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_HOOK_EDIT_H
#define SERVER_REQUESTS_HOOK_EDIT_H

#include "server/decide/edit.h"

#define HOOK_SITE "site"
#define HOOK_PBS  "pbs"

struct hook_edit {
    struct edit e;
    const struct model *m;
    const char *name;
    bool pbs; /* one of the shipped hooks */
    struct arena *arena;
    const char *why; /* words of a refusal: they may be longer than a diag's */
};

/* The caller ends it with edit_fini(&h->e). 'o' NULL: a new one of the site. */
void hook_edit_init(struct hook_edit *h, const struct model *m, const char *name,
                    const struct object *o, struct arena *arena);

/* Put a request's list in: events first, because the others are checked against them.
 * An empty value brings the default back. False: refused, with the words in h->why. */
bool hook_edit_list(struct hook_edit *h, const struct wire_attrs *attrs) MUST_CHECK;

#endif
