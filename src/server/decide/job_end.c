/* job_end.c - see job_end.h.
 *
 * A run ends in one of three ways: its obituary is stored and end processing goes on at
 * the MoM (rules and moms/), it is given up without the MoM (force, a lost node), or
 * there was no run. What must be told about the end is in the attributes of the job
 * before it leaves, so that the accounting is a function of records.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/job_end.h"

#include "lib/attr/job_attrs.h"
#include "lib/base/instant.h"
#include "server/decide/array_run.h"
#include "server/decide/checkpoint.h"
#include "server/decide/job_comment.h"
#include "server/decide/job_over.h"
#include "server/decide/job_release.h"
#include "server/decide/node_used.h"
#include "server/model/job_exit.h"
#include "server/model/job_hosts.h"
#include "server/model/job_phase.h"
#include "server/model/node_life.h"

/* Exit status of a job that was given up: as if ended by SIGKILL (cli.md 5.1). */
#define EXIT_KILLED 265

static struct record *about(const struct job *job, enum fact fact, const char *actor,
                            int64_t now_at, struct decision *out)
{
    return record_add(&out->records, out->arena, fact, OBJ_JOB, job->obj.id, actor,
                      now_at);
}

/* Where history is kept, it has to be known until the end that it is not wanted. */
static void forget_later(const struct job *job, const char *actor, int64_t now_at,
                         struct decision *out)
{
    if (!obj_num(&job->obj, JOB_A_HF_FORGET, 0))
        record_change(about(job, FACT_SET, actor, now_at, out), out->arena,
                      JOB_A_HF_FORGET, NULL, "True");
}

static void quiet_as(struct record *rec, uint32_t flags)
{
    if (flags & JOB_END_NOMAIL)
        rec->reason = REASON_NO_LETTER;
}

static struct record *kill_record(const struct job *job, const char *actor,
                                  int64_t now_at, bool force, struct decision *out)
{
    struct record *rec = about(job, FACT_JOB_KILLED, actor, now_at, out);

    record_change(rec, out->arena, JOB_A_HF_KILL_BY, NULL, actor);
    record_change_num(rec, out->arena, JOB_A_HF_KILL_AT, now_at);
    /* A forced deletion does not wait for the MoM's obituary, so what it would have
     * said is written here. */
    if (force) {
        record_change_num(rec, out->arena, JOB_A_EXIT_STATUS, EXIT_KILLED);
        record_change_num(rec, out->arena, JOB_A_OBITTIME, now_at);
        rec->note = "Delete forced";
    }
    return rec;
}

void job_delete_records(const struct model *m, const struct job *job, const char *actor,
                        int64_t now_at, uint32_t flags, struct decision *out)
{
    bool force = (flags & JOB_END_FORCE) != 0;
    bool forget = (flags & JOB_END_FORGET) != 0;
    bool doomed = obj_is_set(&job->obj, JOB_A_HF_KILL_BY);

    if (array_is_under_way(job)) {
        array_delete_records(m, job, actor, now_at, flags, out);
        return;
    }
    /* A subjob that is over only waits for its array to take it over. */
    if (job_state(job) == 'X')
        return;
    /* Without a run there is nothing to end first. */
    if (!job_is_at_mom(job)) {
        quiet_as(job_withdrawn_record(m, job, actor, now_at, forget, out), flags);
        return;
    }
    if (forget && !force)
        forget_later(job, actor, now_at, out);
    /* Who has asked first is kept; asking again changes nothing, unless it is by
     * force. */
    if (job_state(job) == 'R' && (!doomed || force))
        quiet_as(kill_record(job, actor, now_at, force, out), flags);
    if (!force)
        return;
    /* The job is off its vnodes with the next record, so they are stamped now. */
    nodes_used_records(&job->bookings, actor, now_at, out);
    job_forced_record(m, job, actor, now_at, forget, out);
}

/* Attributes of a run that a job in the queue does not have. */
static const int of_a_run[] = {
    JOB_A_EXEC_VNODE,
    JOB_A_EXEC_HOST,
    JOB_A_EXEC_HOST2,
    JOB_A_SESSION_ID,
    JOB_A_STIME,
    JOB_A_OBITTIME,
    JOB_A_EXIT_STATUS,
    JOB_A_RESOURCES_USED,
    JOB_A_JOBDIR,
    JOB_A_ALT_ID,
    JOB_A_HF_SENT,
    JOB_A_HF_KILL_BY,
    JOB_A_HF_KILL_AT,
    JOB_A_HF_KILL_HARD,
    JOB_A_HF_REQUEUE,
    JOB_A_HF_OBIT_COMMENT,
    JOB_A_HF_STAGED_IN,
    JOB_A_HF_SUSPEND,
    JOB_A_HF_RESUME,
    JOB_A_HF_STANDS,
    JOB_A_HF_CHECKPOINT,
    JOB_A_EXEC_VNODE_KEPT,
    JOB_A_HF_KEPT_LIST,
    JOB_A_RAN_TIME,
    JOB_A_RUNS_FROM,
    JOB_A_RESOURCES_RELEASED,
    JOB_A_RESOURCE_RELEASED_LIST,
};

/* Before files are fetched again that could not be (execution.md 22). */
#define STAGE_IN_AGAIN_S 1800
#define TOO_MANY_RUNS    "job held, too many failed attempts to run"

/* A subjob has no holds of its own: its array is held as a whole. */
static void hold_array(const struct job *job, const char *why, const char *actor,
                       int64_t now_at, struct decision *out)
{
    const struct job *array = job->parent;
    const char *holds = job_holds_text(array, out->arena);
    struct record *rec = about(array, FACT_JOB_MODIFIED, actor, now_at, out);

    record_change(rec, out->arena, JOB_A_HOLD_TYPES, NULL,
                  *holds == 'n' ? "s" : arena_printf(out->arena, "s%s", holds));
    record_change(
        rec, out->arena, JOB_A_COMMENT, NULL,
        str_same(why, TOO_MANY_RUNS)
            ? arena_printf(out->arena,
                           "Job Array Held, too many failed attempts to run subjob %s",
                           job->obj.id)
            : why);
    record_job_event(rec, out->arena, array, JOB_EV_HOLD, now_at);
}

static void leave_run(const struct job *job, struct record *rec, int64_t now_at,
                      struct decision *out)
{
    /* Its vnodes are read from the bookings, which go with the attributes below. */
    nodes_used_records(&job->bookings, rec->actor, now_at, out);
    for (size_t i = 0; i < ARRAY_LEN(of_a_run); i++)
        /* Its image lies where it ran, and there it has to run again. */
        if (of_a_run[i] != JOB_A_EXEC_VNODE || !job_has_image(job))
            record_change(rec, out->arena, of_a_run[i], NULL, NULL);
    /* Where it ran is told no longer; its callers say why it waits now, if they know.
     */
    if (job_comment_origin(obj_str(&job->obj, JOB_A_COMMENT, "")) == COMMENT_OF_RUN)
        record_change(rec, out->arena, JOB_A_COMMENT, NULL, NULL);
    job_release_undo(job, out->arena, rec);
}

void job_waits_for_files(const struct job *job, struct record *rec, const char *why,
                         int64_t now_at, struct decision *out)
{
    leave_run(job, rec, now_at, out);
    record_change_num(rec, out->arena, JOB_A_EXECUTION_TIME,
                      instant_after(now_at, STAGE_IN_AGAIN_S));
    record_change(rec, out->arena, JOB_A_COMMENT, NULL, why);
    record_job_event(rec, out->arena, job, JOB_EV_STAGE_FAIL, now_at);
}

void job_back_in_queue(const struct job *job, struct record *rec, const char *hold,
                       int64_t now_at, struct decision *out)
{
    enum job_event where = job_place_now(job, now_at, out->arena);

    leave_run(job, rec, now_at, out);
    /* A job that fails on every vnode would otherwise start for ever. */
    if (obj_num(&job->obj, JOB_A_RUN_COUNT, 0) > JOB_MAX_RUNS)
        hold = TOO_MANY_RUNS;
    if (hold && job->parent) {
        hold_array(job, hold, rec->actor, now_at, out);
    } else if (hold) {
        const char *holds = job_holds_text(job, out->arena);

        where = JOB_EV_HOLD;
        record_change(rec, out->arena, JOB_A_HOLD_TYPES, NULL,
                      /* "n" stands for no hold; the system's hold is added to those
                       * that are there. */
                      *holds == 'n' ? "s" : arena_printf(out->arena, "s%s", holds));
        record_change(rec, out->arena, JOB_A_COMMENT, NULL, hold);
    }
    record_job_event(rec, out->arena, job, where, now_at);
}

void job_requeue_records(const struct job *job, const char *actor, int64_t now_at,
                         int64_t exit_status, const char *why, struct decision *out)
{
    struct record *rec = about(job, FACT_JOB_OBIT, actor, now_at, out);

    rec->note = why;
    record_change_num(rec, out->arena, JOB_A_EXIT_STATUS, exit_status);
    record_change_num(rec, out->arena, JOB_A_OBITTIME, now_at);
    record_change(rec, out->arena, JOB_A_HF_REQUEUE, NULL, "True");
    /* Two records: the end of the run, for accounting, and the return to the queue. */
    rec = about(job, FACT_JOB_REQUEUED, actor, now_at, out);
    rec->note = why;
    job_back_in_queue(job, rec, NULL, now_at, out);
    /* Nobody can be asked for its image, and its MoM will be told to forget the run. */
    record_change(rec, out->arena, JOB_A_HF_IMAGE, NULL, NULL);
    record_change(rec, out->arena, JOB_A_EXEC_VNODE, NULL, NULL);
}

bool job_is_out_of_reach(const struct job *job)
{
    const struct node *n = job_first_node(job);

    return job_state(job) == 'R' && obj_num(&job->obj, JOB_A_HF_SENT, 0) && n &&
           !node_may_be_reached(n);
}

bool job_keeps_server(const struct job *job)
{
    const struct node *n = job_first_node(job);

    /* A job whose MoM cannot be reached would keep the server from ending for ever. */
    return job_is_at_mom(job) && n && node_may_be_reached(n);
}
