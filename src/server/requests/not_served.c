/* not_served.c - requests that this server knows and does not carry out for anybody, or
 * not yet: each is refused with the code that says why, and the connection stays open.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/job_pending.h"
#include "server/model/job_state.h"
#include "server/requests/handlers.h"
#include "server/requests/job_access.h"

#include <string.h>

/* Rescq, ReserveResc, ReleaseResc, StageIn: nobody may (request table). */
int handle_no_support(const struct model *m UNUSED, const struct request *rq UNUSED,
                      struct decision *out)
{
    return diag_code(&out->why, PBSE_NOSUP);
}

/* FailOver: from the other server of the pair alone, and no pair is configured. Anybody
 * else could end this server with it (wire.md 14). */
int handle_failover(const struct model *m UNUSED, const struct request *rq UNUSED,
                    struct decision *out)
{
    return diag_code(&out->why, PBSE_PERM);
}

/* JobCred, MvJobFile: for the connection that sends a job; neither a credential nor
 * files of a job are taken in this version. */
int handle_with_job(const struct model *m UNUSED, const struct request *rq,
                    struct decision *out)
{
    if (!pending_find(rq->view->pending, rq->who->conn))
        return diag_code(&out->why, PBSE_IVALREQ);
    return diag_code(&out->why, PBSE_NOSUP);
}

/* UserCred: a password for later; none are kept. */
int handle_user_cred(const struct model *m UNUSED, const struct request *rq,
                     struct decision *out)
{
    const struct body_user_cred *body = rq->body;

    if (!(rq->who->rights & (WHO_STAFF | WHO_DAEMON)) &&
        strcmp(body->user, rq->who->user) != 0)
        return diag_code(&out->why, PBSE_PERM);
    return diag_code(&out->why, PBSE_NOSUP);
}

/* ResvOccurEnd is the server's word to itself: acknowledged, and nothing follows. */
int handle_resv_occur_end(const struct model *m UNUSED, const struct request *rq UNUSED,
                          struct decision *out UNUSED)
{
    return 0;
}

static int check_running(const struct model *m, const struct request *rq,
                         const char *id, const struct job **ret, struct diag *why)
{
    int err = job_for_request(m, rq, id, ret, why);

    if (err)
        return err;
    if (job_state(*ret) != 'R' || !obj_num(&(*ret)->obj, JOB_A_HF_SENT, 0))
        return diag_code(why, PBSE_BADSTATE);
    return 0;
}

/* PySpawn: of a running job, and not in this version. */
int handle_of_running_job(const struct model *m, const struct request *rq,
                          struct decision *out)
{
    const char *const *id = rq->body;
    const struct job *job;
    int err = check_running(m, rq, *id, &job, &out->why);

    return err ? err : diag_code(&out->why, PBSE_NOSUP);
}
