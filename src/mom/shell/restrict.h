/* restrict.h - $restrict_user: on a host that is there for jobs, users without a job
 * have no processes (execution.md 30).
 *
 * Every RESTRICT_INTERVAL_MS the processes of the host are looked at. What belongs to
 * the system, to an exempt user or to the MoM itself is left alone, and so is whoever
 * has a job here; the others are killed. $alien_attach and $alien_kill are about
 * processes outside of all jobs whose user has one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_RESTRICT_H
#define MOM_SHELL_RESTRICT_H

#include "mom/shell/proc.h"

#define RESTRICT_INTERVAL_MS 5000

struct shell;
struct restricting;

struct restrict_rules {
    uint32_t max_system_uid; /* users up to this one are the system's */
    int32_t mom_pid, mom_session;
    size_t n_exempt;
    const uint32_t *exempt; /* uids, sorted */
    size_t n_owners;
    const uint32_t *owners; /* sorted uids of those who have a job here */
};

enum restrict_verdict {
    RESTRICT_LEAVE,
    RESTRICT_KILL,  /* its user has no job here */
    RESTRICT_ALIEN, /* its user has one: it is a part of it, or an alien */
};

/* What becomes of the i-th of all processes, which are sorted by number. */
enum restrict_verdict restrict_judge(const struct restrict_rules *rules,
                                     const struct proc_entry *all, size_t n, size_t i);

/* At the start and after SIGHUP: begin, or end, as the configuration says. */
void restrict_reread(struct shell *s);
void restrict_close(struct shell *s);

#endif
