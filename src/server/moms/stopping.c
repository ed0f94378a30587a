/* stopping.c - jobs that are to be suspended or to go on: their MoMs are told, and what
 * they answer becomes a record.
 *
 * A MoM that is lost has perhaps done what it was told; it is not waited for. Where it
 * was told nothing the job stays as it was. Otherwise it runs for the server, so that
 * it keeps all that its processes may use, and when the MoM registers it is told to do
 * what the server has (register.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/suspension.h"
#include "server/moms/moms_priv.h"

bool job_is_being_stopped(const struct job *job)
{
    return job_is_to_stop(job) || job_is_to_go_on(job);
}

void send_stop(struct moms *ms, struct moms_turn *t, struct mom_job *j,
               const struct job *job)
{
    bool admin = job_suspend_manner(job) == SUSPEND_BY_ADMIN;

    MUST(job_is_being_stopped(job));
    j->stop_told = true;
    if (job_is_to_stop(job))
        send_word(ms, t, j, admin ? "admin-suspend" : "suspend");
    else
        send_word(ms, t, j, admin ? "admin-resume" : "resume");
}

void job_has_stopped(struct moms_turn *t, const struct job *job)
{
    struct record *rec = moms_record(t, FACT_JOB_SUSPENDED, OBJ_JOB, job->obj.id);

    MUST(job_is_to_stop(job));
    suspension_begin(t->m, job, rec, t->out->arena);
}

void job_has_gone_on(struct moms_turn *t, const struct job *job)
{
    struct record *rec = moms_record(t, FACT_JOB_RESUMED, OBJ_JOB, job->obj.id);

    MUST(job_is_to_go_on(job));
    suspension_end(rec, t->out->arena);
}

static void say_no(struct moms_turn *t, struct record *rec, int code, const char *words)
{
    rec->note =
        arena_printf(t->out->arena, "%d %s", code, words ? words : pbse_text(code));
}

/* 'words' are those of the code where the MoM has none. */
static void stays_as_it_was(struct moms_turn *t, const struct job *job, int code,
                            const char *words)
{
    struct arena *arena = t->out->arena;
    bool stops = job_is_to_stop(job);
    struct record *rec = moms_record(t, stops ? FACT_JOB_MODIFIED : FACT_JOB_SUSPENDED,
                                     OBJ_JOB, job->obj.id);

    rec->reason = stops ? REASON_NOT_SUSPENDED : REASON_NOT_RESUMED;
    say_no(t, rec, code, words);
    if (stops)
        suspension_ask(rec, arena, SUSPEND_NOT);
    else
        suspension_begin(t->m, job, rec, arena);
}

void stop_without_mom(struct moms_turn *t, const struct mom_job *j,
                      const struct job *job)
{
    struct record *rec;

    if (job_is_to_stop(job) || !j->stop_told) {
        stays_as_it_was(t, job, PBSE_NORELYMOM, NULL);
        return;
    }
    rec = moms_record(t, FACT_JOB_RESUMED, OBJ_JOB, job->obj.id);
    rec->reason = REASON_NOT_RESUMED;
    say_no(t, rec, PBSE_NORELYMOM, NULL);
    suspension_end(rec, t->out->arena);
}

void reply_to_stop(struct moms_turn *t, struct mom_job *j, const struct job *job,
                   const struct wire_reply *reply)
{
    j->stop_told = false;
    /* It has ended meanwhile, or goes back to its queue. */
    if (!job_is_being_stopped(job))
        return;
    if (reply->code)
        stays_as_it_was(t, job, reply->code,
                        reply->choice == REPLY_TEXT ? reply->text : NULL);
    else if (job_is_to_stop(job))
        job_has_stopped(t, job);
    else
        job_has_gone_on(t, job);
}
