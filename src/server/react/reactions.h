/* reactions.h - the reactions themselves, by room; the rows are in react/table.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REACT_REACTIONS_H
#define SERVER_REACT_REACTIONS_H

#include "server/react/react.h"

/* server, queues, vnodes, schedulers: react/manager_react.c */
void react_manager(const struct reaction *r);

/* reservations: react/resv_*.c. Each looks at the fact and knows what it has to say. */
void react_resv_account(const struct reaction *r);
void react_resv_log(const struct reaction *r);
void react_resv_wake(const struct reaction *r);
void react_resv_mail(const struct reaction *r);
void react_resv_queue_log(const struct reaction *r); /* records of its queue */

/* jobs: react/job_*.c, likewise */
void react_job_account(const struct reaction *r);
void react_job_log(const struct reaction *r);
void react_job_wake(const struct reaction *r);

/* vnodes as their MoMs report them: react/node_react.c */
void react_node(const struct reaction *r);

#endif
