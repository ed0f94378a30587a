/* task_service.h - the port to which tasks of jobs on this host connect (tpp.md 8).
 *
 * Served are connections from this host alone; which job a task is of it shows with the
 * job's cookie, in every request.
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

/* The core's answer, and its end of a connection (MOM_TASK_CONNECTION numbers). One
 * that is gone is ignored. */
void task_service_reply(struct task_service *ts, uint64_t connection,
                        const struct task_reply *reply, enum task_command asked);
void task_service_close(struct task_service *ts, uint64_t connection);

#endif
