/* copy.h - CopyFiles and DelFiles, carried out with the rights of the job's user, in a
 * process of its own (as_user.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_COPY_H
#define MOM_SHELL_COPY_H

#include "lib/base/buf.h"
#include "lib/wire/batch.h"
#include "mom/shell/plan.h"

#define COPY_STD_FILE 1 /* flag of a pair: a job's output in the spool */
#define COPY_OUT      1 /* bits of a direction (tpp.md 6.2) */

struct copy_work {
    const struct plan_host *host;
    const struct body_files *body;
    bool remove; /* DelFiles */
};

/* Try every file, whatever became of those before it. False: 'report' says what did not
 * work, in the words that the user is mailed (execution.md 22). Output that was
 * delivered is gone from the spool. */
bool copy_run(const struct copy_work *w, struct buf *report);

/* The file in the spool that a pair names, whatever directory it is said to be in. */
const char *copy_spool_path(const struct plan_host *h, const char *name,
                            struct arena *arena);

#endif
