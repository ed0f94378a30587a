/* job_move_away.c - MoveJob to another server (cli.md 5.4, wire.md 14).
 *
 * The request makes the job leave, and waits. Whether it goes is the other server's
 * word (rules/job_transfer_rule.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_move_away.h"

#include "server/decide/job_transfer.h"
#include "server/decide/know.h"

#include <string.h>

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
    int err = transfer_check(job, &out->why);

    if (!err)
        err = check_server(rq, to.server, &out->why);
    if (err)
        return err;
    transfer_leaves_record(job, rq->actor, destination, rq->now_at, out);
    act_wait(out, &until);
    return 0;
}
