/* job_move_away.c - MoveJob to another server (cli.md 5.4, wire.md 14).
 *
 * The request makes the job leave, and waits. Whether it goes is the other server's
 * word (rules/job_transfer_rule.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_move_away.h"

#include "lib/attr/job_attrs.h"
#include "server/decide/job_transfer.h"
#include "server/decide/know.h"
#include "server/model/job_array.h"
#include "server/model/job_phase.h"

#include <string.h>

/* What other objects of this server hold on to does not go: jobs that wait for others,
 * or are waited for, and arrays of which something has begun. */
static int check_ties(const struct job *job, struct diag *why)
{
    if (obj_is_set(&job->obj, JOB_A_DEPEND) || job->n_children > 0)
        return diag_code(why, PBSE_NOSUP);
    if (job->array && array_has_begun(job))
        return diag_code(why, PBSE_BADSTATE);
    return 0;
}

/* The name without its port must be one of a host. */
static int check_server(const struct request *rq, const char *server, struct diag *why)
{
    const char *host = arena_strndup(rq->arena, server, strcspn(server, ":"));

    if (!*host)
        return diag_code(why, PBSE_BADHOST);
    return request_host(rq, host, PBSE_BADHOST, why);
}

int job_move_away(const struct request *rq, const struct job *job,
                  const char *destination, struct decision *out)
{
    const struct transfer_to to = transfer_to_parse(destination, rq->arena);
    const struct wait_for until = { .why = WAIT_FOR_OBJECT,
                                    .kind = OBJ_JOB,
                                    .id = job->obj.id };
    struct record *rec;
    int err = check_ties(job, &out->why);

    if (!err && obj_num(&job->obj, JOB_A_HOP_COUNT, 1) >= JOB_HOPS_MAX)
        err = diag_code(&out->why, PBSE_HOPCOUNT);
    if (!err)
        err = check_server(rq, to.server, &out->why);
    if (err)
        return err;
    rec = decide(out, rq, FACT_JOB_LEAVES, OBJ_JOB, job->obj.id);
    rec->note = arena_strdup(out->arena, destination);
    record_job_event(rec, out->arena, job, JOB_EV_LEAVE, rq->now_at);
    record_change(rec, out->arena, JOB_A_HF_MOVE_TO, NULL, rec->note);
    record_change_num(rec, out->arena, JOB_A_HF_MOVE_UNTIL,
                      rq->now_at + TRANSFER_ASKS_S);
    /* A hot start does not run it again here. */
    record_change(rec, out->arena, JOB_A_HF_HOT_VNODES, NULL, NULL);
    act_wait(out, &until);
    return 0;
}
