/* submission.h - a job on its way in.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_SUBMISSION_H
#define SERVER_REQUESTS_SUBMISSION_H

#include "server/decide/edit.h"
#include "server/decide/request.h"
#include "server/requests/job_admit.h"

/* A job on its way in. All texts are the request's; 'job' is the caller's to end with
 * edit_fini(). */
struct submission {
    const struct model *m;
    const struct request *rq;
    const struct body_queue *body;
    const struct queue *queue;
    struct job_account acct;
    const struct requester *owner; /* whose job it is, and with whose rights */
    bool arrives;                  /* from another server, which has made it */
    struct edit job;
    uint64_t number;
    const char *id;
    const char *indices; /* what makes it an array, or NULL */
};

/* All checks in their order (wire.md 8.1, attributes.md 9); the job is complete when
 * they have passed, and s->acct says who it runs as. Needs m, rq, body, queue, owner,
 * id, arrives and indices, and a job for which edit_init() was called.
 * Returns 0 or a PBSE code with its words in 'why'. */
int submission_check(struct submission *s, struct diag *why) MUST_CHECK;

/* What the server itself says of a new job whose checks have passed: owner, queue,
 * times, paths, defaults. Returns 0 or a PBSE code with its words in 'why'. */
int submission_describe(struct submission *s, struct diag *why) MUST_CHECK;

#endif
