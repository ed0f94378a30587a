/* job_mail.c - letters about the beginning and the end of jobs (operations.md 18).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/react/reactions.h"

#include "lib/attr/job_attrs.h"
#include "server/decide/job_letter.h"
#include "server/model/job_exit.h"

#include <string.h>

#define ABORTED "Aborted by PBS Server \n"

/* Who wants it gets the letter; 'text' is formatted by the caller. */
static void mail(const struct reaction *r, enum letter_point point, const char *text)
{
    MUST(text[0] && text[strlen(text) - 1] == '\n');
    if (job_wants_letter(r->o, point))
        job_letter(r->out, r->rec->seq, r->o, text);
}

static void mail_aborted(const struct reaction *r, enum letter_point point,
                         const char *reason)
{
    mail(r, point, arena_printf(r->out->arena, ABORTED "%s\n", reason));
}

/* By the rule that says whose jobs somebody may delete: a user of the same name on
 * another host may be somebody else. */
static bool is_by_owner(const struct reaction *r)
{
    struct requester who = requester_named(r->m, r->rec->actor, r->out->arena);

    return requester_is_owner(r->m, &who, obj_str(r->o, JOB_A_JOB_OWNER, ""));
}

/* The owner knows what he has deleted himself. */
static void mail_deleted(const struct reaction *r)
{
    if (r->rec->reason != REASON_NO_LETTER && !is_by_owner(r))
        mail(r, LETTER_ALWAYS,
             arena_printf(r->out->arena, "Job to be deleted at request of %s\n",
                          r->rec->actor));
}

void mail_job_killed(const struct reaction *r)
{
    if (reason_aborts(r->rec->reason))
        mail_aborted(r, LETTER_ABORT, record_words(r->rec));
    else
        mail_deleted(r);
}

/* A job that ran was told of when its deletion was asked for. */
void mail_job_deleted(const struct reaction *r)
{
    if (!obj_is_set(r->o, JOB_A_HF_KILL_BY))
        mail_job_killed(r);
}

void mail_job_begun(const struct reaction *r)
{
    mail(r, LETTER_BEGIN, "Begun execution\n");
}

/* What the MoM's word about the end means for the job; it is told in the letter about
 * the obituary when the job did not come to its own end. */
static struct job_verdict verdict(const struct object *o)
{
    return job_exit_verdict((int32_t)obj_num(o, JOB_A_EXIT_STATUS, 0),
                            obj_num(o, JOB_A_RERUNABLE, 1) != 0,
                            obj_is_set(o, JOB_A_HF_KILL_BY));
}

/* A job whose deletion was asked for is gone as it was asked: who had to be told of it
 * was told then. */
static void mail_node_lost(const struct reaction *r)
{
    if (!obj_is_set(r->o, JOB_A_HF_KILL_BY))
        mail_aborted(r, LETTER_ALWAYS, record_words(r->rec));
}

/* It could not be run. Words about that are in the job's files when these had been set
 * up. */
static void mail_not_run(const struct reaction *r)
{
    bool has_files = obj_num(r->o, JOB_A_EXIT_STATUS, 0) == JOB_EXIT_FAIL2;

    mail_aborted(r, LETTER_ALWAYS,
                 has_files ? "Job cannot be executed\nSee job standard error file"
                           : "Job cannot be executed\nSee Administrator for help");
}

/* It goes back to its queue, and its owner has to mend what made it fail. A job that
 * was to be deleted does not go back. False: there is nothing to tell. */
static bool mail_put_back(const struct reaction *r)
{
    if (verdict(r->o).fate == FATE_END)
        return false;
    switch (obj_num(r->o, JOB_A_EXIT_STATUS, 0)) {
    case JOB_EXIT_BAD_USER:
        mail_aborted(r, LETTER_ALWAYS, pbse_text(PBSE_BADUSER));
        return true;
    case JOB_EXIT_BAD_PASSWORD:
        mail(r, LETTER_ALWAYS,
             arena_printf(r->out->arena, "Begun execution\n%s:job has bad password\n",
                          verdict(r->o).comment));
        return true;
    default:
        return false;
    }
}

void mail_job_obit(const struct reaction *r)
{
    const char *limit = job_exit_limit(obj_num(r->o, JOB_A_EXIT_STATUS, 0));

    if (r->rec->reason == REASON_NODE_LOST)
        mail_node_lost(r);
    else if (limit)
        mail_aborted(r, LETTER_ALWAYS,
                     arena_printf(r->out->arena,
                                  "Job exceeded resource %s\n"
                                  "See job standard error file",
                                  limit));
    else if (mail_put_back(r))
        return;
    else if (obj_num(r->o, JOB_A_HF_REQUEUE, 0) || verdict(r->o).fate != FATE_ABORT)
        return; /* it goes back, or comes to its end: mail_job_ended() */
    else if (r->rec->note)
        mail_aborted(r, LETTER_ABORT, r->rec->note);
    else
        mail_not_run(r);
}

static void add_usage(const struct object *o, struct buf *out, struct arena *arena)
{
    struct wire_attrs used = { 0 };

    buf_printf(out, "Exit_status=%" PRId64 "\n", obj_num(o, JOB_A_EXIT_STATUS, 0));
    if (obj_is_set(o, JOB_A_RESOURCES_USED))
        attr_value_encode(job_rows[JOB_A_RESOURCES_USED].type,
                          obj_attr(o, JOB_A_RESOURCES_USED), "resources_used", &used,
                          arena);
    for (size_t i = 0; i < used.n; i++)
        buf_printf(out, "%s.%s=%s\n", used.v[i].name, used.v[i].resource,
                   used.v[i].value);
}

void mail_job_ended(const struct reaction *r)
{
    struct buf text = { 0 };

    if (!job_wants_letter(r->o, LETTER_END) ||
        job_exit_limit(obj_num(r->o, JOB_A_EXIT_STATUS, 0)) ||
        verdict(r->o).fate == FATE_ABORT)
        return;
    buf_add_str(&text, "Execution terminated\n");
    add_usage(r->o, &text, r->out->arena);
    mail(r, LETTER_END, text.data);
    buf_fini(&text);
}
