/* links.h - what a name leads to, followed with care.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_LINKS_H
#define MOM_SHELL_LINKS_H

#include "lib/base/diag.h"

#include <limits.h>

/* Follow the symbolic links that 'path' names, one after the other: 'ret' is what the
 * last one leads to, and 'path' itself when it is no link, leads to nothing that is
 * there, or ends in a slash. Where everybody may make names (a sticky directory), a
 * link is followed only when it is the caller's, root's or the directory's owner's, as
 * fs.protected_symlinks has it: false for others, with their path in *why. Links in the
 * middle of a path are left to the kernel. */
bool links_follow(const char *path, char ret[PATH_MAX], struct diag *why) MUST_CHECK;

#endif
