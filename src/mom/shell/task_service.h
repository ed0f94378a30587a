/* task_service.h - the port to which tasks of jobs on this host connect (tpp.md 8).
 *
 * Served are connections from this host alone; which job a task is of it shows with the
 * job's cookie, in every request. A connection on which no cookie was shown is a
 * stranger's: those have a small room of their own, and the oldest goes for a new one.
 * The others count for the user of their job, and the user with most of them, or with
 * most memory, is the one who is limited when there are too many. So nobody keeps
 * another one's tasks out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_TASK_SERVICE_H
#define MOM_SHELL_TASK_SERVICE_H

#include "mom/mom.h"

struct task_service;
struct shell;

/* Listen on 'addr' (NULL: all) and port. PBSE_SYSTEM with words. */
int task_service_open(struct shell *s, const char *addr, unsigned port,
                      struct task_service **ret, struct diag *why) MUST_CHECK;
void task_service_free(struct task_service *ts); /* NULL is fine */

/* At the end of a turn: connections that hold too much memory are closed. */
void task_service_keep_limits(struct task_service *ts);

/* The core's answer, and its end of a connection (MOM_TASK_CONNECTION numbers). One
 * that is gone is ignored. */
void task_service_reply(struct task_service *ts, uint64_t connection,
                        const struct task_reply *reply, enum task_command asked);
void task_service_close(struct task_service *ts, uint64_t connection);

#endif
