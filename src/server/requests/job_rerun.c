/* job_rerun.c - Rerun: running jobs go back to their queue. Of subjobs, ranges of them
 * and whole arrays all that runs does (job_named.h), in slices when that is much
 * (doc/design/006).
 *
 * Without force the request waits until the runs are over, at the longest for
 * job_requeue_timeout. What was asked for stays a fact when that time has passed, or
 * when the client has gone: the jobs go back whenever their MoM answers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_rerun.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/server_attrs.h"
#include "lib/base/instant.h"
#include "server/decide/job_end.h"
#include "server/model/job_exit.h"
#include "server/requests/array_walk.h"
#include "server/requests/handlers.h"
#include "server/requests/job_access.h"
#include "server/requests/job_named.h"
#include "server/requests/preempt_method.h"

#include <string.h>

/* In the units of request_slice_cost(): the end of a run. */
#define RERUN_COST 60

int64_t rerun_timeout_s(const struct model *m)
{
    return obj_num(m->server, SERVER_A_JOB_REQUEUE_TIMEOUT, REQUEUE_TIMEOUT_S);
}

/* Whoever wants it back in the queue does not want a hot start to put it on its vnodes.
 */
static void forget_vnodes(struct record *rec, struct decision *out)
{
    MUST(rec->kind == OBJ_JOB);
    record_change(rec, out->arena, JOB_A_HF_HOT_VNODES, NULL, NULL);
}

/* A job that is being deleted does not come back. */
static int check_coming_back(const struct job *job, struct decision *out)
{
    return obj_is_set(&job->obj, JOB_A_HF_KILL_BY) ? diag_code(&out->why, PBSE_BADSTATE)
                                                   : 0;
}

int job_may_rerun(const struct job *job, struct decision *out)
{
    int err = check_coming_back(job, out);

    if (err)
        return err;
    if (!obj_num(&job->obj, JOB_A_RERUNABLE, 1))
        return diag_code(&out->why, PBSE_NORERUN);
    return job_mom_is_heard(job, out);
}

struct record *job_rerun_record(const struct job *job, const char *actor,
                                int64_t now_at, struct decision *out)
{
    struct record *rec = record_add(&out->records, out->arena, FACT_JOB_MODIFIED,
                                    OBJ_JOB, job->obj.id, actor, now_at);

    /* The job goes on running until its MoM reports the end; this attribute says what
     * becomes of it then. */
    rec->reason = REASON_RERUN;
    record_change(rec, out->arena, JOB_A_HF_REQUEUE, NULL, "True");
    forget_vnodes(rec, out);
    return rec;
}

static void rerun(const struct request *rq, const struct job *job, bool force,
                  struct decision *out)
{
    if (!force) {
        (void)job_rerun_record(job, rq->actor, rq->now_at, out);
        return;
    }
    /* Force does not wait for the MoM: the job is back in its queue at once, and the
     * MoM discards the run when it hears of it. */
    job_requeue_records(job, rq->actor, rq->now_at, JOB_EXIT_RERUN, "Rerun", out);
    forget_vnodes(decide(out, rq, FACT_SET, OBJ_JOB, job->obj.id), out);
}

/* A run whose end is waited for. */
struct awaited {
    const char *id;
    int64_t run_version;
};

/* What becomes of all that the request names. Of an array what can be rerun is,
 * whatever becomes of the rest; the reply has the first failure. */
struct rerun {
    bool force;
    size_t n_done;
    int err;
    struct array_walk walk; /* of a rerun in slices */
    struct arena *arena;    /* of the request; NULL: nothing is waited for */
    bool is_asked;          /* of all: their ends are waited for */
    int64_t until_at;
    size_t n, cap, at; /* 'at' of the awaited ones have ended */
    struct awaited *v;
};

static bool is_force(const struct request *rq)
{
    return rq->wire->extend && strcmp(rq->wire->extend, "force") == 0;
}

static void rerun_one(const struct request *rq, const struct job *job, struct rerun *re,
                      struct decision *out)
{
    int no = re->force ? check_coming_back(job, out) : job_may_rerun(job, out);

    if (no) {
        re->err = re->err ? re->err : no;
        return;
    }
    rerun(rq, job, re->force, out);
    re->n_done++;
    if (!re->arena)
        return;
    ARENA_ROOM(re->arena, re, v, 8);
    re->v[re->n++] =
        (struct awaited){ .id = arena_strdup(re->arena, job->obj.id),
                          .run_version = obj_num(&job->obj, JOB_A_RUN_VERSION, 0) };
}

/* How is it with a run that was asked to end? */
static enum preempt_state look_at(const struct model *m, const struct awaited *a)
{
    const struct job *job = model_job(m, a->id);
    const char *letter;

    if (job && obj_num(&job->obj, JOB_A_RUN_VERSION, 0) != a->run_version)
        return PREEMPT_LEFT; /* it runs again */
    return preempt_look(job, &letter);
}

static int reply_to(const struct rerun *re, struct decision *out)
{
    if (re->err && re->n_done == 0)
        return diag_code(&out->why, re->err);
    if (re->err)
        out->reply = (struct wire_reply){ .code = re->err,
                                          .choice = REPLY_TEXT,
                                          .text = pbse_text(re->err) };
    return 0;
}

/* The time is over. The number is that of PBS. */
static int reply_late(const struct model *m, struct decision *out)
{
    return diag_set(&out->why, PBSE_INTERNAL,
                    "the job is still being ended after %" PRId64
                    " s (job_requeue_timeout) and goes back to its queue when its MoM "
                    "answers; see qstat, or use -W force:",
                    rerun_timeout_s(m));
}

/* All that was asked for is fact. */
static int wait_for_ends(const struct model *m, const struct request *rq,
                         struct rerun *re, struct decision *out)
{
    size_t most = request_slice_cost(rq), cost = 0;

    for (; re->at < re->n && cost < most; re->at++, cost++) {
        enum preempt_state is = look_at(m, &re->v[re->at]);

        if (is == PREEMPT_LEAVING)
            break;
        if (is == PREEMPT_STAYS && !re->err)
            re->err = PBSE_MOMREJECT;
    }
    if (re->at == re->n)
        return reply_to(re, out);
    if (cost == most) {
        act_add(out, ACT_GO_ON);
        return 0;
    }
    if (rq->now_at >= re->until_at)
        return reply_late(m, out);
    act_add(out, ACT_ASK_AGAIN)->u.wait_for = (struct wait_for){
        .why = WAIT_TO_ASK_AGAIN,
        .kind = OBJ_JOB,
        .id = re->v[re->at].id,
        .until_at = re->until_at,
    };
    return 0;
}

/* Everybody was asked to end. */
static int all_asked(struct rerun *re, struct decision *out)
{
    if (re->n == 0)
        return reply_to(re, out);
    re->is_asked = true;
    act_add(out, ACT_GO_ON); /* so that it is fact */
    return 0;
}

static int rerun_all(const struct request *rq, const struct job_list *jobs,
                     struct rerun *re, struct decision *out)
{
    for (size_t i = 0; i < jobs->n; i++)
        rerun_one(rq, jobs->v[i], re, out);
    return all_asked(re, out);
}

static void rerun_drop(void *state)
{
    array_walk_fini(&((struct rerun *)state)->walk);
}

static struct rerun *rerun_begin(const struct model *m, const struct request *rq)
{
    struct progress *p = rq->progress;
    struct rerun *re = ARENA_NEW(p->arena, struct rerun);

    re->force = is_force(rq);
    re->arena = re->force ? NULL : p->arena;
    re->until_at = instant_after(rq->now_at, rerun_timeout_s(m));
    p->state = re;
    return re;
}

static struct rerun *rerun_begin_array(const struct model *m, const struct request *rq,
                                       const struct job *array,
                                       const struct job_list *jobs)
{
    struct rerun *re = rerun_begin(m, rq);

    array_walk_init(&re->walk, array, jobs, rq->progress->arena);
    rq->progress->drop = rerun_drop;
    return re;
}

struct rerun_slice {
    const struct request *rq;
    struct rerun *re;
    struct decision *out;
};

static void rerun_next(void *arg, const struct job *job)
{
    const struct rerun_slice *slice = arg;

    rerun_one(slice->rq, job, slice->re, slice->out);
}

static int rerun_go_on(const struct model *m, const struct request *rq,
                       struct rerun *re, struct decision *out)
{
    struct rerun_slice slice = { rq, re, out };

    if (re->is_asked)
        return wait_for_ends(m, rq, re, out);
    if (array_walk_slice(&re->walk, m, rq, RERUN_COST, rerun_next, &slice))
        return all_asked(re, out);
    act_add(out, ACT_GO_ON);
    return 0;
}

static int rerun_named(const struct model *m, const struct request *rq,
                       const struct job_named *named, struct decision *out)
{
    struct rerun at_once = { .force = is_force(rq) };
    struct job_list jobs;
    int err = job_named_running(m, rq, named, &jobs, &out->why);

    if (err)
        return err;
    if (rq->progress && named->job->array)
        return rerun_go_on(m, rq, rerun_begin_array(m, rq, named->job, &jobs), out);
    if (rq->progress)
        return rerun_all(rq, &jobs, rerun_begin(m, rq), out);
    /* One that cannot be is refused at once. */
    err = jobs.n == 1 && !at_once.force ? job_may_rerun(jobs.v[0], out) : 0;
    if (err)
        return err;
    if (at_once.force &&
        (!named->job->array || jobs.n * RERUN_COST <= request_slice_cost(rq)))
        return rerun_all(rq, &jobs, &at_once, out);
    act_add(out, ACT_GO_ON);
    return 0;
}

int handle_rerun_job(const struct model *m, const struct request *rq,
                     struct decision *out)
{
    const struct body_id *body = rq->body;
    struct job_named named;
    int err;

    if (!requester_is_staff(rq) && rq->progress)
        return diag_code(&out->why, PBSE_PERM);
    if (rq->progress && rq->progress->state)
        return rerun_go_on(m, rq, rq->progress->state, out);
    err = job_named_find(m, rq, body->id, &named, &out->why);
    if (err)
        return err;
    err = requester_is_staff(rq) ? rerun_named(m, rq, &named, out)
                                 : diag_code(&out->why, PBSE_PERM);
    job_named_fini(&named);
    return err;
}
