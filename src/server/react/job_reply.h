/* job_reply.h - answers to those who wait for a job: RunJob waits until the MoM took or
 * refused it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REACT_JOB_REPLY_H
#define SERVER_REACT_JOB_REPLY_H

#include "server/decide/request.h"

/* The reply to a held request about the job of 'rec', when the record answers it; call
 * it for each hold of that object after each record. False: go on waiting. */
bool job_held_reply(const struct record *rec, const struct hold_reply *hold,
                    struct arena *arena, struct wire_reply *ret);

#endif
