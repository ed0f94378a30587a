/* tree.h - remove a directory with all that is in it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_TREE_H
#define MOM_SHELL_TREE_H

#include "lib/base/base.h"

/* Remove 'name', which is relative to the directory 'dir' (AT_FDCWD: the current one).
 * Links are not followed; directories without the owner's permissions get them first.
 * However deep it is, it takes a few hundred descriptors at most. True when nothing is
 * left of it. */
bool tree_remove(int dir, const char *name) MUST_CHECK;

#endif
