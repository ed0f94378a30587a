/* attaching.h - requests to give a session to a job (TASK_ATTACH, tpp.md 8): who asks
 * is found out before the core decides.
 *
 * The kernel says which uid made the other end of the connection. The name of its
 * account is asked in a thread, since a name service may take its time; meanwhile the
 * connection may ask for other things, and may go.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_ATTACHING_H
#define MOM_SHELL_ATTACHING_H

#include "lib/wire/task.h"
#include "mom/shell/shell.h"

#include <netinet/in.h>

struct attaching; /* what is under way of one service */

/* Nothing is under way at first; free drops what is, without an answer. */
struct attaching *attaching_new(struct shell *s);
void attaching_free(struct attaching *a);

/* 'connection' asks on 'fd', whose other end is 'peer'. The core's mom_attach()
 * follows, at once or when the account is known; its answer to a connection that has
 * gone by then is dropped by task_service_reply(). */
void attaching_start(struct attaching *a, uint64_t connection, int fd,
                     const struct sockaddr_in *peer, const struct task_request *rq);

#endif
