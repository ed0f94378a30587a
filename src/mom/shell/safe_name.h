/* safe_name.h - a job's own names in directories where everybody may make names: the
 * spool, undelivered/, the scratch directories' parent.
 *
 * Anybody can make a file or a directory there with the name of a future job. What a
 * job needs is made under a name that nobody can guess and then put into its place in
 * one step; what lay there before gets the other name: it is neither opened, nor
 * followed, nor removed.
 *
 * All functions set errno when they fail, and leave nothing behind then.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_SAFE_NAME_H
#define MOM_SHELL_SAFE_NAME_H

#include "lib/base/base.h"

#include <limits.h>
#include <sys/types.h>

struct place {
    uid_t uid; /* whom it shall belong to: given away only by root */
    gid_t gid;
    mode_t mode;
    /* What became of an object of somebody else; "" when there was none. */
    char aside[NAME_MAX + 1];
    uid_t aside_uid;
};

/* How that is told: the path, aside_uid as unsigned, aside. */
#define PLACE_ASIDE "%s belonged to uid %u: moved aside as %s"

/* The file 'path', open for appending; -1: not to be had. One that is there is used
 * again if it is a plain file of that user and group with one name; it keeps its
 * contents. The directory must belong to root or to this process's user. */
int place_file(struct place *p, const char *path) MUST_CHECK;

/* The directory 'path'. One that is there is used again if it is that user's or root's.
 */
bool place_directory(struct place *p, const char *path) MUST_CHECK;

/* Where something is that is not that user's directory: the same, with the rights of
 * root. What cannot be done so is left as it is, which whoever uses the path finds out.
 */
void place_reclaim(struct place *p, const char *path);

/* Move the plain file 'from' to 'to' in another directory of the same file system. A
 * plain file of the same owner that is there is replaced. */
bool place_move(struct place *p, const char *from, const char *to) MUST_CHECK;

#endif
