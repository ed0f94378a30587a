/* depend_remote.h - RegistDep between servers: what is sent (wire.md 7.2 O).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_DEPEND_REMOTE_H
#define SERVER_DECIDE_DEPEND_REMOTE_H

#include "server/decide/request.h"
#include "server/model/waiters.h"

enum depend_operation {
    DEPEND_OP_REGISTER = 1,
    DEPEND_OP_RELEASE = 2,
    DEPEND_OP_READY = 3,
    DEPEND_OP_DELETE = 4,
    DEPEND_OP_UNREGISTER = 5,
};

/* The number of a type in the message, and back; DEPEND_TYPE_COUNT: there is none. */
uint32_t depend_type_to_wire(enum depend_type type);
enum depend_type depend_type_from_wire(uint32_t number);

/* Register the job 'child' of 'owner' ("user@host") with the server of what the entry
 * names. The answer, NULL: it is not known yet (request_know()). */
const struct finding *depend_register(const struct request *rq, const char *child,
                                      const char *owner, const struct depend_entry *e);

/* Register 'job', which waits for the job of 'w' at its server. An attempt is known by
 * w->at, when it is due: what was said at an earlier one does not count. */
const struct finding *depend_confirm(const struct request *rq, const struct job *job,
                                     const struct waiter *w);

/* Tell the server of a job that waits for 'job'. The answer, or NULL. The attempt is
 * known by when it is due, 'at'. */
const struct finding *depend_tell_server(const struct request *rq,
                                         const struct job *job, const struct waiter *w,
                                         enum depend_operation op, int64_t at);

/* What does the job of that server wait for? The answer, whose words are the "depend"
 * of the job, or NULL. The attempt is known by 'at'. */
const struct finding *depend_ask_server(const struct request *rq, const char *job,
                                        const char *server, int64_t at);

/* Is that a word about the jobs? Where it is none, such as that the other server cannot
 * store anything now, it is asked again, as if it had been away. */
bool depend_is_answered(const struct finding *answer);

#endif
