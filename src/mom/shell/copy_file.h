/* copy_file.h - copies of plain files with the rights of whoever calls.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_COPY_FILE_H
#define MOM_SHELL_COPY_FILE_H

#include "lib/base/diag.h"

/* Copy the plain file 'src', opened with 'flags' beside O_RDONLY, to 'dest', with its
 * permissions. Nobody sees half a file, unless its directory takes no new names. False:
 * *why has a path and what is wrong with it. */
bool copy_file(const char *src, int flags, const char *dest,
               struct diag *why) MUST_CHECK;

#endif
