/* proc.h - processes by session, out of /proc.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_PROC_H
#define MOM_SHELL_PROC_H

#include "mom/mom.h"

/* One walk over /proc serves all jobs: what the processes of each session use now. */
struct proc_session {
    int32_t session;
    struct mom_usage used;
    size_t n_processes;
};
void proc_sample(struct proc_session *sessions, size_t n);

/* Signal every process of a session; with SIGKILL until none is found any more. Returns
 * how many got it. */
size_t proc_kill_session(int32_t session, int signo);

/* Is there a process of that number that leads its session? */
bool proc_session_lives(int32_t session);

uint64_t proc_mem_kb(void);
uint32_t proc_ncpus(void);

#endif
