/* status.h - what a cycle asks the server.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SHELL_STATUS_H
#define SCHEDULER_SHELL_STATUS_H

#include "scheduler/shell/shell.h"

/* What is asked of all objects of a kind. */
struct status_kind {
    uint32_t request; /* enum batch_number */
    const char *extend;
    const char *words; /* a refusal's begin with these */
    bool by_snapshot;  /* only what a snapshot reads of 'object'; else everything */
    uint32_t object;
    bool ours; /* see snapshot_wants() */
};

/* Ask for them. After a refusal the link is still good. */
int status_all(struct shell *sh, const struct status_kind *kind, struct arena *arena,
               struct wire_objects *ret, struct diag *why) MUST_CHECK;

/* Everything a plan needs, from the status of everything: a new snapshot. */
int status_snapshot(struct shell *sh, struct arena *arena, struct snapshot **ret,
                    struct diag *why) MUST_CHECK;

#endif
