/* acts.c - see acts.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/acts.h"

#include "server/decide/job_pending.h"
#include "server/decide/next_number.h"
#include "server/model/job_array.h"
#include "server/moms/moms.h"

/* The functions that carry out an act, in the order of the rows below. They are called
 * when the records of the decision have been taken up. */
static enum svr_outcome wait_for(struct turn *t, const struct request *rq,
                                 const struct act *a)
{
    waiting_add(&t->s->waiting, rq->who->conn, rq->wire->number, rq->actor,
                t->s->m->seq, &a->u.wait_for);
    return SVR_WAITS;
}

static void add_to_group(struct turn *t, const struct request *rq, const struct act *a,
                         struct waiting_group *g)
{
    /* A client that has left waits for nothing. */
    for (size_t i = 0; i < a->u.wait_jobs.n && rq->who->conn; i++) {
        const struct wait_for until = { .why = WAIT_FOR_OBJECT,
                                        .kind = OBJ_JOB,
                                        .id = a->u.wait_jobs.ids[i] };

        waiting_group_add(g,
                          waiting_add(&t->s->waiting, rq->who->conn, rq->wire->number,
                                      rq->actor, t->s->m->seq, &until));
    }
}

void acts_gather(struct turn *t, struct parked *p, const struct request *rq,
                 const struct act *a)
{
    if (!p->group)
        p->group = waiting_group_new();
    add_to_group(t, rq, a, p->group);
}

static enum svr_outcome wait_for_jobs(struct turn *t, const struct request *rq,
                                      const struct act *a)
{
    struct parked *p =
        rq->progress ? STRUCT_OF(rq->progress, struct parked, progress) : NULL;
    struct waiting_group *g = p && p->group ? p->group : waiting_group_new();
    struct wire_reply reply;

    add_to_group(t, rq, a, g);
    if (p)
        p->group = NULL;
    /* The MoMs may have answered for all since the first slice. */
    if (!waiting_group_close(g, a->u.wait_jobs.code, &reply, t->out->arena))
        return SVR_WAITS;
    send_reply(t, rq->who->conn, &reply);
    return SVR_ANSWERED;
}

static enum svr_outcome list(struct turn *t, const struct request *rq,
                             const struct act *a UNUSED)
{
    return begin_listing(t, rq);
}

/* No record may come of it: the MoM's answer is what the client waits for. The message
 * leaves when the turn is saved, and the request may be gone by then. */
static void forward_for(struct turn *t, const struct request *rq, uint64_t conn,
                        size_t n, const char *const *job_ids)
{
    struct decision none;
    struct moms_turn mt = moms_turn(t, &none);
    struct wire_request kept;
    struct requester who;

    request_copy(rq, t->out->arena, &kept, &who);
    moms_forward(t->s->moms, &mt, conn, n, job_ids, &kept);
    MUST(none.records.n == 0);
}

static enum svr_outcome forward(struct turn *t, const struct request *rq,
                                const struct act *a)
{
    forward_for(t, rq, rq->who->conn, a->u.jobs.n, a->u.jobs.ids);
    return SVR_FORWARDED;
}

static enum svr_outcome tell_mom(struct turn *t, const struct request *rq,
                                 const struct act *a)
{
    struct request told = *rq;

    if (a->told)
        told.wire = a->told;
    forward_for(t, &told, 0, 1, &a->u.job_id);
    return SVR_ANSWERED;
}

/* A scheduler is asked to run a job for somebody (wire.md 12.4). It must be there at
 * this moment, since nobody would answer otherwise. */
static struct sched_link *link_for_run(const struct turn *t, const struct act *a)
{
    const struct job *j = job_behind(t->s->m, a->u.job_id, t->out->arena);
    const char *partition =
        j && j->queue ? obj_str(&j->queue->obj, QUEUE_A_PARTITION, NULL) : NULL;
    const struct object *sched = sched_of_partition(t->s->m, partition);
    struct sched_link *l = sched ? sched_link_find(&t->s->links, sched->id) : NULL;

    return l && sched_link_is_up(l) ? l : NULL;
}

static int may_defer(const struct turn *t, const struct request *rq UNUSED,
                     const struct act *a)
{
    return link_for_run(t, a) ? 0 : PBSE_NOSCHEDULER;
}

static void defer_for(struct turn *t, const struct request *rq, const struct act *a,
                      uint64_t conn)
{
    struct sched_link *l = link_for_run(t, a);
    const struct wait_for until = { .why = WAIT_FOR_RUN,
                                    .kind = OBJ_JOB,
                                    .id = a->u.job_id };

    MUST(l); /* may_defer() */
    sched_link_run_job(l, a->u.job_id);
    /* The wait ends with the scheduler's answer, or with its connection. */
    waiting_add(&t->s->waiting, conn, rq->wire->number, rq->actor, t->s->m->seq,
                &until);
}

static enum svr_outcome defer_run(struct turn *t, const struct request *rq,
                                  const struct act *a)
{
    defer_for(t, rq, a, rq->who->conn);
    return SVR_WAITS;
}

static enum svr_outcome defer_run_quietly(struct turn *t, const struct request *rq,
                                          const struct act *a)
{
    defer_for(t, rq, a, 0);
    return SVR_ANSWERED;
}

static int may_end_deferred(const struct turn *t, const struct request *rq UNUSED,
                            const struct act *a)
{
    return waits_for_run(t->s, a->u.deferred.job_id) ? 0 : PBSE_IVALREQ;
}

static enum svr_outcome end_deferred(struct turn *t, const struct request *rq UNUSED,
                                     const struct act *a)
{
    answer_deferred(t, a->u.deferred.job_id, a->u.deferred.code, a->u.deferred.text);
    return SVR_ANSWERED;
}

static enum svr_outcome keep_job(struct turn *t, const struct request *rq,
                                 const struct act *a)
{
    pending_add(t->s->pending, rq->who->conn, a->u.job);
    number_given(t->s->m, OBJ_JOB, a->u.job->id, &t->s->view.next_number);
    return SVR_ANSWERED;
}

static enum svr_outcome add_script(struct turn *t, const struct request *rq,
                                   const struct act *a)
{
    pending_add_script(t->s->pending, rq->who->conn, a->u.script.data, a->u.script.len);
    return SVR_ANSWERED;
}

static enum svr_outcome forget_job(struct turn *t, const struct request *rq,
                                   const struct act *a UNUSED)
{
    pending_drop(t->s->pending, rq->who->conn);
    return SVR_ANSWERED;
}

static enum svr_outcome forget_others(struct turn *t, const struct request *rq UNUSED,
                                      const struct act *a)
{
    pending_drop_id(t->s->pending, a->u.job_id);
    return SVR_ANSWERED;
}

static enum svr_outcome register_sched(struct turn *t, const struct request *rq,
                                       const struct act *a)
{
    return sched_register(t, rq, a->u.sched);
}

static enum svr_outcome quit_schedulers(struct turn *t, const struct request *rq UNUSED,
                                        const struct act *a UNUSED)
{
    struct sched_link *l, *next;

    HASH_ITER (hh, t->s->links.by_name, l, next)
        sched_link_wake(l, SCHED_QUIT);
    /* The command leaves in this turn, whatever is still to be settled. */
    pump_schedulers(t);
    return SVR_ANSWERED;
}

static enum svr_outcome end_jobs(struct turn *t, const struct request *rq,
                                 const struct act *a UNUSED)
{
    stop_end_jobs(t, rq->actor);
    return SVR_ANSWERED;
}

static enum svr_outcome stop(struct turn *t, const struct request *rq,
                             const struct act *a)
{
    stop_begin(t, rq->who->conn, a->u.stop.how, a->u.stop.quit_moms);
    return SVR_WAITS;
}

static enum svr_outcome close_after(struct turn *t, const struct request *rq,
                                    const struct act *a UNUSED)
{
    close_conn(t, rq->who->conn);
    return SVR_CLOSED;
}

static enum svr_outcome dry_run(struct turn *t, const struct request *rq,
                                const struct act *a)
{
    dry_runs_next(t, rq, a);
    return SVR_ANSWERED;
}

/* clang-format off */
static const struct act_row rows[ACT_KINDS] = {
    [ACT_GO_ON]             = { "go on", .parks = true },
    [ACT_ASK_AGAIN]         = { "ask again", .parks = true, .needs_store = true },
    [ACT_WAIT]              = { "wait", .answers = true, .needs_store = true,
                                .carry_out = wait_for },
    [ACT_WAIT_JOBS]         = { "wait for jobs", .answers = true, .needs_store = true,
                                .carry_out = wait_for_jobs },
    [ACT_LIST]              = { "list", .answers = true, .carry_out = list },
    [ACT_FORWARD]           = { "forward", .answers = true, .needs_store = true,
                                .carry_out = forward },
    [ACT_TELL_MOM]          = { "tell MoM", .needs_store = true,
                                .carry_out = tell_mom },
    [ACT_DEFER_RUN]         = { "defer run", .answers = true, .needs_store = true,
                                .may = may_defer, .carry_out = defer_run },
    [ACT_DEFER_RUN_QUIETLY] = { "defer run quietly", .needs_store = true,
                                .may = may_defer, .carry_out = defer_run_quietly },
    [ACT_END_DEFERRED]      = { "end deferred run", .may = may_end_deferred,
                                .carry_out = end_deferred },
    [ACT_KEEP_JOB]          = { "keep job", .needs_store = true,
                                .carry_out = keep_job },
    [ACT_ADD_SCRIPT]        = { "add script", .carry_out = add_script },
    [ACT_FORGET_JOB]        = { "forget job", .after_refusal = true,
                                .carry_out = forget_job },
    [ACT_FORGET_OTHERS]     = { "forget others", .after_refusal = true,
                                .carry_out = forget_others },
    [ACT_REGISTER]          = { "register", .answers = true,
                                .carry_out = register_sched },
    [ACT_QUIT_SCHEDULERS]   = { "quit schedulers", .carry_out = quit_schedulers },
    [ACT_END_JOBS]          = { "end jobs", .needs_store = true,
                                .carry_out = end_jobs },
    [ACT_STOP]              = { "stop", .answers = true, .carry_out = stop },
    [ACT_DRY_RUN]           = { "dry run", .answers = true, .carry_out = dry_run },
    [ACT_CLOSE]             = { "close", .after_refusal = true,
                                .carry_out = close_after },
};
/* clang-format on */

const struct act_row *act_row(enum act_kind kind)
{
    MUST(kind < ACT_KINDS && rows[kind].name);
    return &rows[kind];
}

bool acts_answer(const struct decision *d)
{
    for (size_t i = 0; i < d->acts.n; i++)
        if (act_row(d->acts.v[i].kind)->answers)
            return true;
    return false;
}

bool acts_park(const struct decision *d)
{
    for (size_t i = 0; i < d->acts.n; i++)
        if (act_row(d->acts.v[i].kind)->parks)
            return true;
    return false;
}

bool acts_need_store(const struct decision *d)
{
    for (size_t i = 0; i < d->acts.n; i++)
        if (act_row(d->acts.v[i].kind)->needs_store)
            return true;
    return false;
}

int acts_may(const struct turn *t, const struct request *rq, const struct decision *d)
{
    int err = 0;

    for (size_t i = 0; i < d->acts.n && !err; i++) {
        const struct act_row *row = act_row(d->acts.v[i].kind);

        /* An act that cannot be carried out refuses the request before any of its
         * records is taken up. */
        if (row->may)
            err = row->may(t, rq, &d->acts.v[i]);
    }
    return err;
}

static enum svr_outcome carry_out(struct turn *t, const struct request *rq,
                                  const struct decision *d, bool refused)
{
    enum svr_outcome all = SVR_ANSWERED;

    for (size_t i = 0; i < d->acts.n; i++) {
        const struct act_row *row = act_row(d->acts.v[i].kind);
        enum svr_outcome one;

        /* Most acts belong to a success. The few others clean up after the request. */
        if (refused && !row->after_refusal)
            continue;
        MUST(row->carry_out); /* what parks a request was seen to before */
        one = row->carry_out(t, rq, &d->acts.v[i]);
        /* Two acts never both say what became of the request. */
        MUST(all == SVR_ANSWERED || one == SVR_ANSWERED);
        all = one == SVR_ANSWERED ? all : one;
    }
    return all;
}

enum svr_outcome acts_carry_out(struct turn *t, const struct request *rq,
                                const struct decision *d)
{
    return carry_out(t, rq, d, false);
}

enum svr_outcome acts_after_refusal(struct turn *t, const struct request *rq,
                                    const struct decision *d)
{
    return carry_out(t, rq, d, true);
}
