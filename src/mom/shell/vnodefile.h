/* vnodefile.h - version-2 vnode definition files (execution.md 9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_VNODEFILE_H
#define MOM_SHELL_VNODEFILE_H

#include "lib/base/arena.h"
#include "lib/base/diag.h"
#include "lib/wire/is.h"

#define VNODE_NAME_MAX 64

/* Vnodes in the order in which they were first named, each name once. Whoever makes one
 * sets 'arena' and nothing else; the functions below add to it. */
struct vnode_list {
    struct arena *arena; /* the caller's */
    size_t n;
    size_t cap;
    struct is_vnode *v;
    size_t n_slots;  /* 0 or a power of two: which vnode has a name */
    uint32_t *slots; /* place in 'v' and one; 0: empty */
};

/* Add the definitions of one file's text; a later value of an attribute replaces an
 * earlier one. All lines are read: each wrong one is told through 'complain', and the
 * list is unchanged when there was any (false).
 * Time: linear in the length of the text, as long as vnodes have few attributes. */
bool vnode_file_read(const char *text, size_t len, struct vnode_list *list, void *arg,
                     void (*complain)(void *arg, const char *words)) MUST_CHECK;

/* Add copies of the vnodes of 'old' that the list does not name, but for 'except'.
 * Time: linear in the length of both. */
void vnode_list_keep(struct vnode_list *list, const struct vnode_list *old,
                     const char *except);

/* NULL, or in words of the list's arena why it cannot be: a host that jobs have alone
 * (default_exclhost, force_exclhost) has a vnode which says otherwise. Vnodes without a
 * host of their own are on 'host', and those without a word about sharing agree with
 * all others. */
const char *vnode_list_mixed_sharing(const struct vnode_list *list, const char *host);

/* Does the text begin with "$configversion 2"? */
bool vnode_file_is_one(const char *text);

#endif
