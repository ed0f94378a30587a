/* job_exchange.c - OrderJob: two jobs that do not run change places in the order in
 * which schedulers look at them, and their queues when those differ (cli.md 5.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/requests/handlers.h"
#include "server/requests/job_access.h"
#include "server/requests/job_move.h"

static int64_t rank_of(const struct job *job)
{
    return obj_num(&job->obj, JOB_A_QUEUE_RANK, 0);
}

static void record_rank(const struct request *rq, const struct job *job,
                        const struct job *other, struct decision *out)
{
    struct record *rec = decide(out, rq, FACT_JOB_MODIFIED, OBJ_JOB, job->obj.id);

    rec->note = arena_printf(out->arena, "Job changes places with %s at request of %s",
                             other->obj.id, rq->actor);
    record_change_num(rec, out->arena, JOB_A_QUEUE_RANK, rank_of(other));
    record_change_num(rec, out->arena, JOB_A_MTIME, rq->now_at);
}

/* Each goes into the queue of the other, or neither: what a refused request has decided
 * is dropped. */
static int exchange_queues(const struct model *m, const struct request *rq,
                           const struct job *const job[2], struct decision *out)
{
    for (int i = 0; i < 2; i++) {
        const struct job *other = job[!i];
        int err = other->queue ? job_move_decide(m, rq, job[i], other->queue, true,
                                                 rank_of(other), out)
                               : diag_code(&out->why, PBSE_UNKQUE);

        if (err)
            return err;
    }
    return 0;
}

int handle_order_job(const struct model *m, const struct request *rq,
                     struct decision *out)
{
    const struct body_move *body = rq->body;
    const char *const ids[] = { body->job_id, body->destination };
    const struct job *job[2];
    int err = 0;

    for (int i = 0; i < 2 && !err; i++)
        err = job_for_request(m, rq, ids[i], &job[i], &out->why);
    for (int i = 0; i < 2 && !err; i++)
        err = job_move_check(job[i], &out->why);
    if (err || job[0] == job[1])
        return err;
    if (job[0]->queue != job[1]->queue)
        return exchange_queues(m, rq, job, out);
    record_rank(rq, job[0], job[1], out);
    record_rank(rq, job[1], job[0], out);
    return 0;
}
