/* job_call.c - who waits at a port for the end of a job is told of it (cli.md 3.9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/react/reactions.h"

#include "lib/attr/job_attrs.h"

/* Why it has not ended by itself, "" when it has. */
static const char *message(const struct reaction *r)
{
    const char *by = obj_str(r->o, JOB_A_HF_KILL_BY, NULL);

    /* Of a job without a run the record says who has deleted it. */
    if (r->rec->fact == FACT_JOB_DELETED || r->rec->fact == FACT_JOB_WITHDRAWN)
        by = r->rec->actor;
    return by ? arena_printf(r->out->arena, "Job to be deleted at request of %s", by)
              : "";
}

void call_job_over(const struct reaction *r)
{
    int64_t port = obj_num(r->o, JOB_A_BLOCK, 0);
    const char *host = obj_str(r->o, JOB_A_SUBMIT_HOST, NULL);
    struct effect *e;

    if (port <= 0 || !host)
        return;
    MUST(port <= UINT16_MAX); /* check_client_port() */
    e = effect_add(r->out, EFFECT_CALL, r->rec->seq);
    e->u.call.user = arena_strdup(r->out->arena, obj_str(r->o, JOB_A_JOB_OWNER, ""));
    e->u.call.host = arena_strdup(r->out->arena, host);
    e->u.call.port = (uint16_t)port;
    e->u.call.told = (struct job_ended){
        .job_id = arena_strdup(r->out->arena, r->rec->id),
        .message = message(r),
        .exit_value = (int32_t)obj_num(r->o, JOB_A_EXIT_STATUS, 0),
    };
}
