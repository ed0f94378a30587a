/* job_queue.c - QueueJob: a job comes in (wire.md 10.1).
 *
 * QueueJob decides everything: who the job runs as, whether its queue lets it in, what
 * it asks for (submission.c). What it decided waits beside the model (job_pending.h)
 * until Commit makes it a record (job_commit.c); nobody sees a job that was not
 * committed. The number is spent when its sender is told.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "lib/attr/job_attrs.h"
#include "server/decide/config.h"
#include "server/decide/depend_admit.h"
#include "server/decide/job_pending.h"
#include "server/decide/next_number.h"
#include "server/decide/object_size.h"
#include "server/decide/verdict.h"
#include "server/requests/handlers.h"
#include "server/requests/job_admit.h"
#include "server/requests/job_arrive.h"
#include "server/requests/job_settle.h"
#include "server/requests/submission.h"

#include <string.h>

static bool commits_at_once(const struct wire_request *wire)
{
    return wire->extend && strstr(wire->extend, ":C:");
}

/* Refused at once, and asked again when it is committed. */
static int check_depend(const struct submission *s, struct decision *out)
{
    const struct depend_wish wish = {
        .m = s->m,
        .rq = s->rq,
        .job = s->id,
        .owner = edit_str(&s->job, JOB_A_JOB_OWNER, ""),
        .text = edit_str(&s->job, JOB_A_DEPEND, NULL),
    };
    struct depend_plan plan;

    return wish.text ? depend_admit(&wish, &plan, out) : 0;
}

/* The id says that the queue takes the job and that nobody else gets the number; all
 * else is looked at again with the commit. So the answer need not wait for the jobs of
 * others. */
static uint64_t newest_shown(const struct submission *s)
{
    uint64_t settings = MAX_OF(s->m->server->version, s->m->defs_seq);

    return MAX_OF(settings, s->queue->obj.version);
}

static int accept_submission(struct submission *s, struct decision *out)
{
    struct records scratch = { 0 };
    bool at_once = commits_at_once(s->rq->wire);
    const char *depend = edit_str(&s->job, JOB_A_DEPEND, NULL);
    bool waits = false;
    struct record *rec;
    int err = 0;

    /* It is in the id and in the default paths. */
    if (!s->arrives)
        number_take(s->m, s->rq, s->number, out);
    if (at_once)
        job_arrival_records(s->m, s->rq, s->id, out);
    /* Without a commit the record goes into a list that is thrown away, after
     * pending_add() has copied it. */
    rec = record_add(at_once ? &out->records : &scratch, out->arena, FACT_JOB_QUEUED,
                     OBJ_JOB, s->id, s->rq->actor, s->rq->now_at);
    edit_commit(&s->job, out->arena, rec);
    if (at_once && depend)
        err = arrival_settle_depend(s->m, s->rq, rec, depend, &waits, out);
    if (err)
        return err;
    if (at_once)
        arrival_settle(rec, s->id, waits, s->rq);
    else
        act_add(out, ACT_KEEP_JOB)->u.job = rec;
    if (out->records.n == 0 && !depend && !s->arrives)
        out->shows_seq = newest_shown(s);
    reply_id(out, at_once ? REPLY_COMMIT : REPLY_QUEUE, s->id);
    return 0;
}

/* The number is looked at here and taken only when the submission is accepted. */
static void name_new(struct submission *s)
{
    const char *server = s->rq->cfg->server_name;

    s->number = number_next(s->m, s->rq);
    s->id = s->indices ? array_id_make(s->number, server, s->rq->arena)
                       : job_id_make(s->number, server, s->rq->arena);
}

/* A job keeps the id that its first server gave it, and belongs to whom that server
 * says: the word of a server that is trusted counts. */
static void name_arrival(struct submission *s, struct requester *owner)
{
    *owner = requester_named(s->m, job_arrival_owner(&s->body->attrs), s->rq->arena);
    s->owner = owner;
    s->arrives = true;
    s->id = s->body->id;
}

int handle_queue_job(const struct model *m, const struct request *rq,
                     struct decision *out)
{
    struct body_queue body = *(const struct body_queue *)rq->body;
    struct submission s = { .m = m, .rq = rq, .body = &body, .owner = rq->who };
    struct requester owner;
    int err;

    /* A client does not choose the id of a job. Only servers that move jobs send
     * one. */
    if (rq->who->peer)
        act_add(out, ACT_FORGET_OTHERS)->u.job_id = arena_strdup(out->arena, body.id);
    if (*body.id || rq->who->peer) {
        err = job_arrival_check(m, rq, body.id, &body.attrs, &out->why);
        if (err)
            return err;
    }
    /* A hook sees the job before any check and may change its attributes, which are
     * then checked like the user's own. */
    err = request_verdict(m, rq, HOOK_QUEUEJOB, &body.attrs, &body.attrs, out);
    if (err)
        return err;
    err = job_find_queue(m, rq, s.body->destination, &s.queue, &out->why);
    if (err)
        return err;
    s.indices = wire_attrs_value(&body.attrs, "array_indices_submitted", NULL);
    if (*body.id)
        name_arrival(&s, &owner);
    else
        name_new(&s);
    edit_init(&s.job, m, OBJ_JOB, NULL);
    err = submission_check(&s, &out->why);
    if (!err)
        err = submission_describe(&s, &out->why);
    if (!err)
        err = object_keeps_size(rq, &s.job, &out->why);
    if (!err)
        err =
            user_jobs_keep_size(m, rq, s.acct.user, edit_bytes(&s.job, -1), &out->why);
    if (!err)
        err = check_depend(&s, out);
    if (!err)
        err = accept_submission(&s, out);
    edit_fini(&s.job);
    return err;
}
