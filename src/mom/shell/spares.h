/* spares.h - records of jobs are written into files that are used again.
 *
 * Each job has its record written three times. Making a file and giving it back costs a
 * file system several times what writing it costs, so the file that a record leaves is
 * the next one's. They lie in mom_priv/spare, and nobody but the MoM ever has them
 * open: scripts and outputs, which users have, are none of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_SPARES_H
#define MOM_SHELL_SPARES_H

#include "lib/base/diag.h"

#include <stddef.h>

struct spares {
    const char *home; /* the caller's, as long as this lives */
    unsigned n;       /* mom_priv/spare/0 to n - 1 may be written over */
};

/* Nothing is spare yet; what an earlier MoM has left is removed. */
void spares_open(struct spares *s, const char *home);
/* As home_write() with mode 0600: 'path' has the old bytes or the new ones at any
 * moment, the new ones durably when this returns 0. PBSE_SYSTEM with words. */
int spares_write(struct spares *s, const char *path, const void *data, size_t len,
                 struct diag *why) MUST_CHECK;
/* Remove the file, which nobody will want again; it may become a spare one. */
void spares_give(struct spares *s, const char *path);

#endif
