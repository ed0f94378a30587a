/* job_commit.c - JobScript and Commit: a job that was taken becomes one (wire.md 10.1).
 *
 * What QueueJob decided is looked at again where others may have changed it since.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/job_script.h"
#include "lib/attr/server_attrs.h"
#include "server/decide/config.h"
#include "server/decide/job_limits.h"
#include "server/decide/job_pending.h"
#include "server/decide/object_size.h"
#include "server/model/job_array.h"
#include "server/model/job_phase.h"
#include "server/model/job_tally.h"
#include "server/requests/handlers.h"
#include "server/requests/job_admit.h"
#include "server/requests/job_arrive.h"
#include "server/requests/job_settle.h"

#include <string.h>
#include <strings.h>

#define SCRIPT_MAX_KIB_DEFAULT (100 * 1024)

static int64_t script_max_kib(const struct model *m)
{
    const struct attr_value *v = obj_attr(m->server, SERVER_A_JOBSCRIPT_MAX_SIZE);

    return v->set ? size_kib(&v->u.size) : SCRIPT_MAX_KIB_DEFAULT;
}

int handle_job_script(const struct model *m, const struct request *rq,
                      struct decision *out)
{
    const struct body_script *body = rq->body;
    const struct pending_job *job = pending_find(rq->view->pending, rq->who->conn);
    struct act *part;

    if (!job)
        return diag_code(&out->why, PBSE_IVALREQ);
    /* The sum is compared, so a script in many parts is bounded like one in a single
     * part. */
    if (job->script.len + body->data.len > (size_t)script_max_kib(m) * 1024) {
        act_add(out, ACT_FORGET_JOB);
        return diag_code(&out->why, PBSE_JOBSCRIPTMAXSIZE);
    }
    part = act_add(out, ACT_ADD_SCRIPT);
    part->u.script.data = body->data.data;
    part->u.script.len = body->data.len;
    out->shows_seq = 0; /* the job is nobody's yet */
    return 0;
}

int handle_rdy_to_commit(const struct model *m UNUSED, const struct request *rq UNUSED,
                         struct decision *out UNUSED)
{
    /* An older step of the protocol: everything was checked by QueueJob, and Commit
     * follows. */
    return 0;
}

/* Resource_List of a record; a definition may have changed since it was made. */
static int asked_for_in(const struct model *m, const struct record *rec,
                        struct attr_value *list, struct diag *why)
{
    int err = 0;

    for (size_t i = 0; err == 0 && i < rec->n_changes; i++) {
        const struct change *c = &rec->changes[i];

        if (c->attr == JOB_A_RESOURCE_LIST && c->after)
            /* A resource may have been deleted since, and the commit is refused
             * then. */
            err = attr_value_set(&attr_resources, list, m->defs, c->resource, c->after,
                                 WIRE_OP_SET);
    }
    return err ? diag_code(why, err) : 0;
}

/* What others may have changed between QueueJob and Commit: its queue, its resources,
 * and who is how near to a limit. */
static int check_again(const struct model *m, const struct record *rec,
                       struct diag *why)
{
    const struct queue *q = model_queue(m, arrival_text(rec, JOB_A_QUEUE, ""));
    const struct job_entity who = {
        .user = arrival_text(rec, JOB_A_EUSER, ""),
        .group = arrival_text(rec, JOB_A_EGROUP, ""),
        .project = arrival_text(rec, JOB_A_PROJECT, TALLY_NO_PROJECT),
        .weight =
            new_job_weight(arrival_text(rec, JOB_A_ARRAY_INDICES_SUBMITTED, NULL)),
    };
    struct attr_value list = { 0 };
    /* The queue may have been deleted since QueueJob. */
    int err = q ? asked_for_in(m, rec, &list, why) : diag_code(why, PBSE_UNKQUE);

    if (!err)
        err = queue_has_room(q, why);
    if (!err)
        err = job_keeps_count_limits(m, q, &who, why);
    if (!err && list.set)
        err = job_keeps_amount_limits(m, q, &who, &list.u.res, why);
    if (list.set)
        attr_resources.clear(&list);
    return err;
}

/* Two servers may send the same job, each as it has it. */
static int check_arrival_again(const struct model *m, const struct pending_job *pending,
                               struct diag *why)
{
    const struct job *job = model_job(m, pending->id);

    return job && !job->past && !job_is_leaving(job) ? diag_code(why, PBSE_JOBEXIST)
                                                     : 0;
}

int handle_commit(const struct model *m, const struct request *rq, struct decision *out)
{
    const struct body_id *body = rq->body;
    const struct pending_job *job = pending_find(rq->view->pending, rq->who->conn);
    const char *depend;
    bool waits = false;
    struct record *rec;
    int err;

    /* A connection commits the job that it sent itself and no other. */
    if (!job || strcasecmp(job->id, body->id) != 0)
        return diag_code(&out->why, PBSE_UNKJOBID);
    act_add(out, ACT_FORGET_JOB); /* it is a job now, or can be none any more */
    err = check_arrival_again(m, job, &out->why);
    if (!err)
        err = check_again(m, job->rec, &out->why);
    if (!err)
        err = user_jobs_keep_size(m, rq, arrival_text(job->rec, JOB_A_EUSER, ""),
                                  pending_bytes(job), &out->why);
    if (err)
        return err;
    job_arrival_records(m, rq, job->id, out);
    rec = pending_record(job, &out->records, out->arena);
    depend = arrival_text(rec, JOB_A_DEPEND, NULL);
    if (depend && (err = arrival_settle_depend(m, rq, rec, depend, &waits, out))) {
        out->records.n = 0;
        return err;
    }
    /* From here on nothing refuses: the record becomes the job. */
    arrival_settle(rec, job->id, waits, rq);
    if (job->has_script)
        record_change(rec, out->arena, JOB_A_HF_SCRIPT, NULL,
                      script_to_text(job->script.data, job->script.len, out->arena));
    reply_id(out, REPLY_COMMIT, rec->id);
    return 0;
}
