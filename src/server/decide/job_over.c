/* job_over.c - see job_over.h.
 *
 * What is told of the end (accounting, log, mail) is told from the same attributes
 * whether or not history is kept: the two facts have the same reactions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/job_over.h"

#include "lib/attr/job_attrs.h"
#include "server/decide/array_run.h"
#include "server/decide/checkpoint.h"
#include "server/decide/job_comment.h"
#include "server/model/history.h"
#include "server/model/job_exit.h"
#include "server/model/job_phase.h"
#include "server/model/waiters.h"

#include <string.h>

/* " and finished" is added to what the comment says; a job without one gets it as words
 * of their own. */
static void add_to_comment(const struct job *job, struct record *rec, const char *words,
                           struct arena *arena)
{
    const char *comment = obj_str(&job->obj, JOB_A_COMMENT, NULL);

    if (!comment)
        record_change(rec, arena, JOB_A_COMMENT, NULL,
                      arena_printf(arena, "Job %s", words));
    /* An operator's words are left alone (attributes.md 14.3, "Beat this"). */
    else if (job_comment_origin(comment) != COMMENT_FOREIGN)
        record_change(rec, arena, JOB_A_COMMENT, NULL,
                      arena_printf(arena, "%s and %s", comment, words));
}

static bool is_kept(const struct model *m, const struct job *job, bool forget)
{
    return history_is_kept(m) && !forget && !obj_num(&job->obj, JOB_A_HF_FORGET, 0);
}

/* Who waits for it has to see how it ended; and the server that it came from may still
 * ask for it (job_transfer.h). */
static bool stays(const struct model *m, const struct job *job, bool forget)
{
    return job_is_awaited(job) || is_kept(m, job, forget) ||
           obj_num(&job->obj, JOB_A_HF_CAME, 0);
}

static struct record *about(const struct job *job, enum fact fact, const char *actor,
                            int64_t now_at, struct decision *out)
{
    return record_add(&out->records, out->arena, fact, OBJ_JOB, job->obj.id, actor,
                      now_at);
}

static struct record *retire(const struct model *m, const struct job *job,
                             enum fact fact, const char *actor, int64_t now_at,
                             enum job_event event, const char *words, bool forget,
                             struct decision *out)
{
    struct record *rec = about(job, fact, actor, now_at, out);

    MUST(!job_is_history(job)); /* a job ends once */
    record_job_event(rec, out->arena, job, event, now_at);
    record_change_num(rec, out->arena, JOB_A_HISTORY_TIMESTAMP, now_at);
    if (words)
        add_to_comment(job, rec, words, out->arena);
    /* Nobody runs it again; a script may be large. */
    record_change(rec, out->arena, JOB_A_HF_SCRIPT, NULL, NULL);
    record_change(rec, out->arena, JOB_A_HF_HOT_VNODES, NULL, NULL);
    checkpoint_forget(job, rec, out->arena);
    if (!is_kept(m, job, forget))
        record_change(rec, out->arena, JOB_A_HF_FORGET, NULL, "True");
    return rec;
}

static const char *by_whom(const char *actor, struct arena *arena)
{
    return *actor ? arena_printf(arena, "terminated by %s", actor) : "terminated";
}

struct record *job_over_record(const struct model *m, const struct job *job,
                               const char *actor, int64_t now_at, int64_t exit_status,
                               struct decision *out)
{
    const char *killer = obj_str(&job->obj, JOB_A_HF_KILL_BY, NULL);
    const char *resource = job_exit_limit(exit_status);
    enum job_event event = exit_status == 0 ? JOB_EV_FINISH : JOB_EV_FAIL;
    const char *words = exit_status == 0 ? "finished" : "failed";

    if (job->parent)
        return subjob_over_record(job, FACT_SUBJOB_ENDED, exit_status, actor, now_at,
                                  out);
    if (!stays(m, job, false))
        return about(job, FACT_JOB_ENDED, actor, now_at, out);
    if (killer) {
        event = JOB_EV_TERMINATE;
        words = by_whom(killer, out->arena);
    } else if (resource) {
        words = arena_printf(out->arena, "exceeded resource %s", resource);
    }
    return retire(m, job, FACT_JOB_FINISHED, actor, now_at, event, words, false, out);
}

struct record *job_forced_record(const struct model *m, const struct job *job,
                                 const char *actor, int64_t now_at, bool forget,
                                 struct decision *out)
{
    if (job->parent)
        return subjob_over_record(job, FACT_SUBJOB_ENDED, ARRAY_END_NO_STATUS, actor,
                                  now_at, out);
    if (!stays(m, job, forget))
        return about(job, FACT_JOB_ENDED, actor, now_at, out);
    return retire(m, job, FACT_JOB_FINISHED, actor, now_at, JOB_EV_TERMINATE,
                  "terminated", forget, out);
}

struct record *job_withdrawn_record(const struct model *m, const struct job *job,
                                    const char *actor, int64_t now_at, bool forget,
                                    struct decision *out)
{
    if (job->parent)
        return subjob_over_record(job, FACT_SUBJOB_DELETED, ARRAY_END_NO_STATUS, actor,
                                  now_at, out);
    if (!stays(m, job, forget))
        return about(job, FACT_JOB_DELETED, actor, now_at, out);
    return retire(m, job, FACT_JOB_WITHDRAWN, actor, now_at, JOB_EV_TERMINATE,
                  by_whom(actor, out->arena), forget, out);
}

struct record *job_unmet_record(const struct model *m, const struct job *job,
                                const char *culprit, const char *actor, int64_t now_at,
                                struct decision *out)
{
    struct record *rec = job_withdrawn_record(m, job, actor, now_at, false, out);

    rec->reason = REASON_DEPENDENCY;
    rec->note = arena_printf(out->arena,
                             "Job deleted as result of dependency on job %s", culprit);
    return rec;
}

struct record *job_away_record(const struct model *m, const struct job *job,
                               const char *actor, int64_t now_at, const char *comment,
                               struct decision *out)
{
    struct record *rec;

    MUST(!job->parent && job->n_children == 0);
    if (!stays(m, job, false))
        return about(job, FACT_JOB_LEFT, actor, now_at, out);
    rec = retire(m, job, FACT_JOB_AWAY, actor, now_at, JOB_EV_MOVE, NULL, false, out);
    record_change(rec, out->arena, JOB_A_COMMENT, NULL, comment);
    return rec;
}

void job_forget_record(const struct job *job, const char *actor, int64_t now_at,
                       struct decision *out)
{
    struct record *rec;

    MUST(job_is_history(job));
    if (!obj_is_set(&job->obj, JOB_A_HF_WAITERS)) {
        about(job, FACT_JOB_FORGOTTEN, actor, now_at, out);
        return;
    }
    /* It goes when the servers whose jobs wait for it have been told how it ended. */
    rec = about(job, FACT_SET, actor, now_at, out);
    rec->reason = REASON_TRANSFER;
    record_change(rec, out->arena, JOB_A_HF_FORGET, NULL, "True");
}
