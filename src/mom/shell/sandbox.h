/* sandbox.h - the directory of its own that a job with sandbox=PRIVATE works in
 * (execution.md 14): ROOT/pbs.JOBID.x8z, ROOT being $jobdir_root or the user's home.
 *
 * Everything but the name is done with the rights of the job's user.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_SANDBOX_H
#define MOM_SHELL_SANDBOX_H

#include "lib/base/attrs.h"
#include "lib/base/diag.h"
#include "mom/shell/config.h"

/* True when the job asks for a directory of its own (sandbox=PRIVATE). */
bool sandbox_is_private(const struct wire_attrs *attrs);

/* The path, in 'arena'. */
const char *sandbox_path(const struct config *config, const char *job_id,
                         const char *user_home, struct arena *arena);

enum sandbox_made {
    SANDBOX_IS_NEW,
    SANDBOX_WAS_THERE,
    SANDBOX_REFUSED
};

/* Make it, for its user alone. One that is there is used if it is this user's; REFUSED
 * comes with words. */
enum sandbox_made sandbox_make(const char *path, struct diag *why);

/* May a directory of that name be removed as one? */
bool sandbox_is_name(const char *path);

#endif
