/* said_id.h - the id of a job as a request says it (attributes.md 10).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_SAID_ID_H
#define SERVER_DECIDE_SAID_ID_H

#include "server/decide/request.h"

/* The id of that job, array, subjob or range of subjobs in the form in which the model
 * has it: "7" and "7.SVR.example.org@svr:15001" are "7.svr". What stands behind '@' is
 * dropped, whatever it is: it was for the client, which chose the server by it. The id
 * of another server keeps its name, and so does one under which there is a job; a
 * text that is no id is returned as it is.
 * Lives as long as 'text' and the arena of the request. */
const char *said_job_id(const struct model *m, const struct request *rq,
                        const char *text);

#endif
