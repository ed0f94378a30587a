/* password.h - the password of a store, in a file that only the server may read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_PASSWORD_H
#define LIB_STORE_PASSWORD_H

#include "lib/base/diag.h"

/* The first line of the file, to be freed by the caller. PBSE_SYSTEM with words that
 * say what to do when it cannot be read, is no plain file, belongs to somebody else or
 * lets others in, or when the line is empty. */
int store_password_read(const char *path, char **ret, struct diag *why) MUST_CHECK;

#endif
