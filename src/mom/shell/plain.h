/* plain.h - open plain files that somebody else may have put there.
 *
 * A FIFO, a socket or a device in their place is not opened: nobody waits for its other
 * end, and nothing happens to the device.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_PLAIN_H
#define MOM_SHELL_PLAIN_H

#include "lib/base/diag.h"

#include <sys/types.h>

/* open(2) for plain files, close-on-exec; O_TRUNC is carried out once the file is known
 * to be one. -1: *why has the path and what is wrong with it ("/x/out is a FIFO"),
 * errno is set (EINVAL for another kind than a plain file). */
int plain_open(const char *path, int flags, mode_t mode, struct diag *why) MUST_CHECK;

#endif
