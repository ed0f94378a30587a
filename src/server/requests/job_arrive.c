/* job_arrive.c - see job_arrive.h.
 *
 * The sender repeats what it has heard no answer to, so the id of a job that is here is
 * no mistake. A job that went on to a third server must not come a second time because
 * of such a repetition: the count of servers tells it from a job that comes back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_arrive.h"

#include "lib/attr/ids.h"
#include "lib/attr/job_attrs.h"
#include "server/decide/config.h"
#include "server/decide/job_over.h"
#include "server/decide/job_transfer.h"
#include "server/decide/next_number.h"
#include "server/model/job_state.h"

#include <stdlib.h>
#include <string.h>

const char *job_arrival_owner(const struct wire_attrs *attrs)
{
    return wire_attrs_value(attrs, job_rows[JOB_A_JOB_OWNER].name, NULL);
}

int64_t job_arrival_hops(const struct wire_attrs *attrs)
{
    const char *text = wire_attrs_value(attrs, job_rows[JOB_A_HOP_COUNT].name, NULL);
    long hops = text ? strtol(text, NULL, 10) : 1;

    /* What is no number is refused with the other attributes. */
    return hops < 1 || hops > JOB_HOPS_MAX ? JOB_HOPS_MAX + 1 : hops + 1;
}

/* Files of daemons bear the id: it has the letters of a host's name and no others. */
static bool is_name(const char *server)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789-_.";

    return server && *server && *server != '.' && !server[strspn(server, letters)];
}

/* The id of a job, or of an array where the job has indices. */
static bool is_job_id(const char *id, const struct wire_attrs *attrs,
                      struct arena *arena)
{
    const char *indices =
        wire_attrs_value(attrs, job_rows[JOB_A_ARRAY_INDICES_SUBMITTED].name, NULL);
    struct job_id parts = { 0 };

    return job_id_parse(id, arena, &parts) && is_name(parts.server) &&
           parts.array == (indices != NULL) && (!parts.array || *parts.index == '\0');
}

bool job_is_foreign(const struct svr_config *cfg, const char *id, struct arena *arena)
{
    struct job_id parts = { 0 };

    return job_id_parse(id, arena, &parts) && parts.server &&
           !names_this_server(cfg, parts.server);
}

/* Did it leave, and does it come back? */
static bool comes_back(const struct job *job, const struct wire_attrs *attrs)
{
    return (job_is_leaving(job) || job_state(job) == 'M') &&
           job_arrival_hops(attrs) > obj_num(&job->obj, JOB_A_HOP_COUNT, 1);
}

/* Two servers of one name give the same ids. */
static bool is_same(const struct job *job, const struct wire_attrs *attrs)
{
    const char *ctime = wire_attrs_value(attrs, job_rows[JOB_A_CTIME].name, NULL);

    return str_same(job_arrival_owner(attrs),
                    obj_str(&job->obj, JOB_A_JOB_OWNER, NULL)) &&
           (!ctime || strtoll(ctime, NULL, 10) == obj_num(&job->obj, JOB_A_CTIME, 0));
}

/* An id of this server's that it has not given yet. */
static bool is_own_future(const struct model *m, const struct request *rq,
                          const char *id)
{
    struct job_id parts = { 0 };

    return job_id_parse(id, rq->arena, &parts) &&
           str_same(parts.server, rq->cfg->server_name) &&
           parts.number >= number_next(m, rq);
}

int job_arrival_check(const struct model *m, const struct request *rq, const char *id,
                      const struct wire_attrs *attrs, struct diag *why)
{
    const struct job *job = model_job(m, id);
    const char *owner = job_arrival_owner(attrs);

    if (!rq->who->peer || !is_job_id(id, attrs, rq->arena) || !owner ||
        !strchr(owner, '@'))
        return diag_code(why, PBSE_IVALREQ);
    if (is_own_future(m, rq, id) || (job && !is_same(job, attrs)))
        return diag_set(why, PBSE_IVALREQ,
                        "%s: this server gives such an id to another job",
                        pbse_text(PBSE_IVALREQ));
    if (job && !comes_back(job, attrs))
        return diag_code(why, PBSE_JOBEXIST);
    if (job_arrival_hops(attrs) > JOB_HOPS_MAX)
        return diag_code(why, PBSE_HOPCOUNT);
    return 0;
}

void job_arrival_records(const struct model *m, const struct request *rq,
                         const char *id, struct decision *out)
{
    const struct job *job = model_job(m, id);

    if (!job)
        return;
    if (job->past)
        job_forget_record(job, rq->actor, rq->now_at, out);
    else
        /* It comes back before this server has heard that it had arrived. */
        record_add(&out->records, out->arena, FACT_JOB_LEFT, OBJ_JOB, job->obj.id,
                   rq->actor, rq->now_at)
            ->note = arena_strdup(out->arena, obj_str(&job->obj, JOB_A_HF_MOVE_TO, ""));
}
