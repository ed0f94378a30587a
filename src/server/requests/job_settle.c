/* job_settle.c - what a new job's record says only now that the job is committed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_settle.h"

#include "lib/attr/ids.h"
#include "lib/attr/job_attrs.h"
#include "server/decide/config.h"
#include "server/decide/depend_admit.h"
#include "server/model/job_phase.h"
#include "server/model/job_state.h"

#include <string.h>

const char *arrival_text(const struct record *rec, int attr, const char *unset)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr && rec->changes[i].after)
            return rec->changes[i].after;
    return unset;
}

/* In a routing queue no job is eligible to run. */
static void drop_etime(struct record *rec)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == JOB_A_ETIME) {
            rec->changes[i] = rec->changes[--rec->n_changes];
            return;
        }
}

/* Add to the job's record where it belongs now that it is committed. */
static void put_place(struct record *rec, const char *holds, int64_t execution_at,
                      uint64_t number, bool waits, const struct request *rq)
{
    /* Order in the queue: microseconds since the epoch. Within one second numbers
     * rise with arrival. */
    int64_t rank = rq->now_at * 1000000 + (int64_t)(number % 1000000);

    /* The state of a job depends on the moment of its commit and not on that of its
     * submission. */
    MUST(rec->fact == FACT_JOB_QUEUED && rec->kind == OBJ_JOB);
    rec->at = rq->now_at;
    if (waits)
        depend_hold_changes(NULL, holds, rec, rq->now_at, rq->arena);
    else
        record_job_event(rec, rq->arena, NULL,
                         job_place(holds, execution_at,
                                   arrival_text(rec, JOB_A_STAGEIN, NULL) != NULL,
                                   rq->now_at),
                         rq->now_at);
    if (*arrival_text(rec, JOB_A_QUEUE_TYPE, "E") == 'R')
        drop_etime(rec);
    record_change_num(rec, rq->arena, JOB_A_MTIME, rq->now_at);
    record_change_num(rec, rq->arena, JOB_A_QTIME, rq->now_at);
    record_change_num(rec, rq->arena, JOB_A_QUEUE_RANK, rank);
}

static int64_t execution_at(const struct record *rec)
{
    int64_t at = 0;

    /* The text was written by the server itself and has digits only. */
    for (const char *p = arrival_text(rec, JOB_A_EXECUTION_TIME, "0"); *p; p++)
        at = *p >= '0' && *p <= '9' ? at * 10 + (*p - '0') : at;
    return at;
}

/* In the place of what was asked for; NULL: nothing is left of that. */
static void put_depend(struct record *rec, const char *text)
{
    size_t i = 0;

    while (i < rec->n_changes && rec->changes[i].attr != JOB_A_DEPEND)
        i++;
    MUST(i < rec->n_changes); /* or there would be nothing to settle */
    if (text)
        rec->changes[i].after = text;
    else
        rec->changes[i] = rec->changes[--rec->n_changes];
}

/* What it waits for is settled with the commit: others may have ended since it was
 * sent. The records of others follow the job's own. */
int arrival_settle_depend(const struct model *m, const struct request *rq,
                          struct record *rec, const char *text, bool *ret_waits,
                          struct decision *out)
{
    const struct depend_wish wish = {
        .m = m,
        .rq = rq,
        .job = rec->id,
        .owner = arrival_text(rec, JOB_A_JOB_OWNER, ""),
        .text = text,
        .registers = true,
    };
    struct depend_plan plan;
    const char *verify;
    int err = depend_admit(&wish, &plan, out);

    if (err)
        return err;
    put_depend(rec, depend_text(&plan.own, rq->cfg->server_name, rq->arena));
    if (plan.elsewhere.n)
        record_change(rec, rq->arena, JOB_A_HF_WAITERS, NULL,
                      depend_waiters_text(NULL, &plan, rq->arena));
    verify = depend_verify_text(&wish, &plan);
    if (verify) {
        record_change(rec, rq->arena, JOB_A_HF_VERIFY, NULL, verify);
        record_change_num(rec, rq->arena, JOB_A_HF_VERIFY_AT,
                          rq->now_at + DEPEND_VERIFY_AFTER_S);
    }
    depend_tell_others(&wish, &plan, out);
    *ret_waits = plan.state == DEPEND_OPEN;
    return 0;
}

void arrival_settle(struct record *rec, const char *id, bool waits,
                    const struct request *rq)
{
    struct job_id parts = { 0 };

    if (!job_id_parse(id, rq->arena, &parts))
        parts.number = 0;
    put_place(rec, arrival_text(rec, JOB_A_HOLD_TYPES, "n"), execution_at(rec),
              parts.number, waits, rq);
}
