/* register.c - REGISTERMOM: a MoM tells which jobs it has, and they are compared with
 * those that the model has at it (tpp.md 5.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/checkpoint.h"
#include "server/model/hot_start.h"
#include "server/model/job_phase.h"
#include "server/model/job_suspend.h"
#include "server/moms/tidings.h"

#include <ctype.h>
#include <string.h>

/* How long a job that its MoM did not list may still be heard of: its obituary may be
 * on the way. */
#define MISSING_GRACE_S 60

/* A MoM that was restarted lists what it had and may find out a little later that
 * nothing is left of it: a hot start waits so long before it believes that a job runs
 * on. */
#define SURE_AFTER_S    20

static void discard(struct moms_turn *t, const struct mom *mom,
                    const struct is_running *r, int64_t run_version, const char *why)
{
    /* The text ends with a space, as in PBS's own line; see reconcile(). */
    effect_log(t->effects, t->m->seq, LOG_EV_JOB, LOG_IN_JOB, r->job_id,
               "Discard running job, %s", why);
    mom_discard(t, mom, r->job_id, run_version);
}

static void signal_job(struct moms *ms, struct moms_turn *t, const char *job_id,
                       const char *name)
{
    struct body_signal *body = ARENA_NEW(t->effects->arena, struct body_signal);
    struct wire_request rq = { .number = BATCH_SIGNAL_JOB, .user = "root" };

    body->job_id = arena_strdup(t->effects->arena, job_id);
    body->signal = name;
    rq.body = body;
    /* Nobody waits for the answer, so there is no connection. The state of the job is
     * compared again at the next REGISTERMOM. */
    moms_forward(ms, t, 0, 1, &job_id, &rq);
}

/* The MoM was away while the job was suspended or resumed here: it is told to do the
 * same. Where it was told that before and has done it, that is its answer; where it has
 * not, jobs.c tells it again. A list may be older than what the MoM was told on this
 * stream since, which has an answer of its own. */
static void compare_stops(struct moms *ms, struct moms_turn *t,
                          const struct is_running *r, const struct mom_job *j,
                          const struct job *job)
{
    bool stands = r->substate == JOB_SUB_SUSPENDED;

    if ((!stands && r->substate != JOB_SUB_RUNNING) ||
        (j->busy && job_is_being_stopped(job)))
        return;
    if (job_is_to_stop(job) && stands)
        job_has_stopped(t, job);
    else if (job_is_to_go_on(job) && !stands)
        job_has_gone_on(t, job);
    else if (job_is_suspended(job) && !stands)
        signal_job(ms, t, job->obj.id, "suspend");
    else if (job_phase(job) == JOB_RUNNING && stands && !job_is_being_stopped(job))
        signal_job(ms, t, job->obj.id, "resume");
}

static void confirm_running(struct moms *ms, struct moms_turn *t, struct mom *mom,
                            const struct is_running *r, const struct job *job)
{
    struct mom_job *j = moms_job(ms, job->obj.id);

    j->mom = mom;
    j->run_version = obj_num(&job->obj, JOB_A_RUN_VERSION, 0);
    j->known = true;
    run_note_hosts(ms, j, job);
    /* The MoM lists the job, so the job is not missed any more. */
    j->lost_at = 0;
    if (job_state(job) != 'R')
        return;
    /* A hot start asks for certainty about a job that its MoM had taken before the
     * restart. */
    if (job_ran_before(job) && obj_num(&job->obj, JOB_A_HF_SENT, 0)) {
        j->sure_at = t->now_at + SURE_AFTER_S;
        moms_wake_at(ms, j->sure_at);
    }
    job_is_taken(t, job);
    compare_stops(ms, t, r, j, job);
}

/* The job is in its queue, or about to be sent again; what waits for that run is there.
 */
static void remember_image(struct moms *ms, struct mom *mom, const struct job *job)
{
    struct mom_job *j = moms_job(ms, job->obj.id);

    if (job_is_at_mom(job))
        return;
    j->mom = mom;
    j->run_version = job_image_run(job);
    j->known = true;
    run_note_host(j, mom);
}

/* A sister has a part of the image, or of the one before. */
static void remember_part(struct moms *ms, struct mom *mom, const struct job *job)
{
    struct mom_job *j = moms_job(ms, job->obj.id);

    run_note_host(j, mom);
    j->known = true;
}

/* Has the job a vnode of that MoM? Its other hosts list it as well. */
static bool lies_at(const struct moms *ms, const struct job *job, const struct mom *mom)
{
    for (size_t i = 0; i < job->bookings.n; i++)
        if (mom_of_node(ms, job->bookings.v[i].node->obj.id) == mom)
            return true;
    return false;
}

/* A job that has an image keeps its exec_vnode. What another host has of the job is of
 * an image that was given up while the host was away. */
static bool image_lies_at(const struct moms *ms, struct moms_turn *t,
                          const struct job *job, const struct mom *mom)
{
    struct exec_vnode at;

    return !exec_vnode_parse(obj_str(&job->obj, JOB_A_EXEC_VNODE, ""), t->m->defs,
                             t->effects->arena, &at, NULL) &&
           vnodes_lie_at(ms, &at, mom);
}

/* It rests there, or is about to: its obituary was answered, and that is not on disk at
 * the MoM yet. What rests at a sister may be older, as she need not have had part in
 * the last start: whether it is of the same image the mother superior asks when she
 * joins. */
static bool image_is_wanted(const struct moms *ms, struct moms_turn *t,
                            const struct mom *mom, const struct is_running *r,
                            const struct job *job)
{
    int64_t image = job_image_run(job);
    bool rests = r->substate == JOB_SUB_HELD;
    bool is_older_part = r->node_id != 0 && rests && r->run_version < image;

    if (!job_has_image(job) || (!rests && job_is_at_mom(job)))
        return false;
    if (r->run_version != image && !is_older_part)
        return false;
    return r->node_id == 0 || image_lies_at(ms, t, job, mom);
}

/* The table of tpp.md 5.4. A run version is always known here, so the rows for jobs
 * without one speak of a job that does not run. */
static void reconcile(struct moms *ms, struct moms_turn *t, struct mom *mom,
                      const struct is_running *r)
{
    const struct job *job = model_job(t->m, r->job_id);
    int64_t run_version;

    if (!job) {
        discard(t, mom, r, -1, "not known to Server ");
        return;
    }
    /* The order is that of the table: each row is asked only when those above it do not
     * apply. */
    run_version = obj_num(&job->obj, JOB_A_RUN_VERSION, 0);
    if (image_is_wanted(ms, t, mom, r, job)) {
        if (r->node_id == 0)
            remember_image(ms, mom, job);
        else
            remember_part(ms, mom, job);
        return;
    }
    if (r->node_id == 0 && job_is_at_mom(job) && !mom_has_job(ms, t, mom, job))
        discard(t, mom, r, r->run_version, "runs at another MoM ");
    else if (run_version > 0 && run_version != r->run_version)
        discard(t, mom, r, r->run_version, "has been run again ");
    else if (!job_is_at_mom(job))
        discard(t, mom, r, r->run_version, "state mismatch ");
    /* Node 0 is the mother superior. A sister's entry needs no answer, unless the job
     * has given its host back while the sister was away. */
    else if (r->node_id == 0)
        confirm_running(ms, t, mom, r, job);
    else if (!lies_at(ms, job, mom))
        discard(t, mom, r, r->run_version, "has left this host ");
}

/* A job that the MoM lists, under a name that is compared in any case. */
struct listed_job {
    char *id; /* in lower case */
    UT_hash_handle hh;
};

static char *lower(struct arena *arena, const char *id)
{
    char *ret = arena_strdup(arena, id);

    for (char *p = ret; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return ret;
}

static void note_listed(struct tidings *x, const char *job_id)
{
    char *id = lower(x->arena, job_id);
    size_t len = strlen(id);
    struct listed_job *j;

    HASH_FIND(hh, x->jobs, id, len, j);
    if (j)
        return;
    j = ARENA_NEW(x->arena, struct listed_job);
    j->id = id;
    HASH_ADD_KEYPTR(hh, x->jobs, j->id, len, j);
}

static bool is_listed(const struct tidings *x, const char *job_id, struct arena *arena)
{
    const char *id = lower(arena, job_id);
    struct listed_job *j;

    HASH_FIND(hh, x->jobs, id, strlen(id), j);
    return j != NULL;
}

void listed_jobs_clear(struct listed_job **jobs)
{
    /* The entries are the arena's. */
    HASH_CLEAR(hh, *jobs);
}

bool register_compare(struct moms *ms, struct moms_turn *t, struct tidings *x,
                      struct slice *s)
{
    for (bool more = true; more && x->next < x->msg.n_running; x->next++) {
        const struct is_running *r = &x->msg.running[x->next];

        reconcile(ms, t, x->mom, r);
        note_listed(x, r->job_id);
        more = slice_goes_on(s, t, 1);
    }
    return x->next == x->msg.n_running;
}

/* Jobs of this MoM that it did not list: what was never taken is sent now, what ends
 * goes on ending, and what ran is missed. */
static void look_at_jobs_of(struct moms *ms, const struct moms_turn *t,
                            const struct tidings *x, const struct node *n)
{
    for (size_t i = 0; i < n->n_jobs; i++) {
        const struct job *job = n->jobs[i];

        /* What is next for the job depends on the link to its MoM, which is there
         * now. */
        moms_touch_job(ms, job->obj.id);
        MUST(job->bookings.n > 0); /* this one's vnode at least */
        /* A job that lies on several hosts is listed by the MoM of its first vnode, and
         * only that MoM is believed. */
        if (job_state(job) != 'R' || !obj_num(&job->obj, JOB_A_HF_SENT, 0) ||
            job->bookings.v[0].node != n || is_listed(x, job->obj.id, t->out->arena))
            continue;
        moms_job(ms, job->obj.id)->lost_at = t->now_at + MISSING_GRACE_S;
        moms_job(ms, job->obj.id)->sure_at = 0;
        moms_wake_at(ms, t->now_at + MISSING_GRACE_S);
    }
}

bool register_look(struct moms *ms, struct moms_turn *t, struct tidings *x,
                   struct slice *s)
{
    const struct mom_node *mn;

    while ((mn = tidings_next_node(x))) {
        const struct node *n = model_node(t->m, mn->id);

        if (n)
            look_at_jobs_of(ms, t, x, n);
        if (!slice_goes_on(s, t, n ? 1 + n->n_jobs : 1))
            return false;
    }
    return true;
}
