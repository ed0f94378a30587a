/* checkpoint.c - images of jobs: made on request and in time (execution.md 25).
 *
 * That an image is being made is in the job's record before its script begins, and that
 * it is complete before anybody hears of it. So a job that its script has ended, and
 * whose MoM was killed meanwhile, is not taken for one that has ended by itself
 * (doc/design/066).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#include <signal.h>

#define STATUS_RESTARTED    (-4) /* exit statuses of execution.md 20 */
#define STATUS_HAS_IMAGE    (-5)
#define STATUS_CHECKPOINTED (-12)
#define MINUTE_S            60

/* One top task on one host is what a script is given, and its terminal would be gone.
 */
static bool is_simple(const struct mom_job *j)
{
    return host_list_is_single(j) && !j->is_sister && spawned_n_live(j) == 0 &&
           !wire_attrs_value(&j->attrs, "interactive", NULL);
}

static void answer(struct mom_job *j, int code, const char *text, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;

    if (!c->waiter_msgid)
        return;
    if (code && text)
        out_reply_text(out, c->waiter_stream, c->waiter_msgid, code, text);
    else
        out_reply(out, c->waiter_stream, c->waiter_msgid, code);
    c->waiter_msgid = NULL;
}

static void wait_for_it(struct mom_job *j, uint64_t stream, const char *msgid)
{
    j->checkpoint.waiter_stream = stream;
    j->checkpoint.waiter_msgid = arena_strdup(j->arena, msgid);
}

/* The letter of the Checkpoint attribute and its minutes: c of cput, w of walltime. */
static char period_of(const struct mom_job *j, int64_t *ret_s)
{
    const char *text = wire_attrs_value(&j->attrs, "Checkpoint", NULL);
    long minutes = text && text[0] && text[1] == '=' ? strtol(text + 2, NULL, 10) : 0;

    if (minutes <= 0 || (*text != 'c' && *text != 'w'))
        return '\0';
    *ret_s = MIN_OF((int64_t)minutes, MOST_COUNTED / MINUTE_S) * MINUTE_S;
    return *text;
}

/* What the letter counts, of this job so far; not scaled. */
static int64_t counted_s(const struct mom_job *j, char letter, int64_t now_at)
{
    if (letter == 'c')
        return j->top.used.cput_s;
    return j->walltime_s +
           (j->since_at && now_at > j->since_at ? now_at - j->since_at : 0);
}

static bool may_begin(const struct mom_job *j)
{
    const struct checkpoint *c = &j->checkpoint;

    return is_simple(j) && !c->making && !c->is_restarting && !j->status_is_set &&
           !j->is_unseen && !j->is_dropped;
}

static void begin(struct mom_job *j, int64_t now_at, enum checkpoint_kind kind,
                  struct mom_out *out)
{
    int64_t period_s;
    char letter = period_of(j, &period_s);
    struct mom_effect *e;

    MUST(job_has_processes(j) && j->checkpoint.making == CHECKPOINT_NONE);
    j->checkpoint.making = kind;
    /* Also one that fails is not tried again before its time. */
    if (letter)
        j->checkpoint.last_s = counted_s(j, letter, now_at);
    out_job(out, MOM_SAVE, j);
    e = out_add(out, MOM_CHECKPOINT);
    e->job_id = arena_strdup(out->arena, j->id);
    e->u.checkpoint.aborts = kind == CHECKPOINT_ABORT;
}

static void refuse(struct mom_job *j, uint64_t stream, const char *msgid, int code,
                   const char *why, struct mom_out *out)
{
    if (why)
        out_joblog(out, LOG_EV_JOB, j, "req_holdjob failed: %s", why);
    out_reply_text(out, stream, msgid, code, pbse_text(code));
}

void checkpoint_hold(struct mom *m, int64_t now_at, struct mom_job *j, uint64_t stream,
                     const char *msgid, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;

    /* Asked again after a lost answer: it is so, or will be. */
    if (j->status_is_set && j->status == STATUS_CHECKPOINTED) {
        out_reply(out, stream, msgid, 0);
    } else if (c->making == CHECKPOINT_ABORT &&
               (!c->waiter_msgid || c->waiter_stream != stream)) {
        wait_for_it(j, stream, msgid);
    } else if (!m->cfg.checkpoint_aborts || !is_simple(j)) {
        refuse(j, stream, msgid, PBSE_NOSUP, NULL, out);
    } else if (!job_has_processes(j) || j->status_is_set) {
        refuse(j, stream, msgid, PBSE_BADSTATE, "Job not running or suspended.", out);
    } else if (c->is_restarting) {
        refuse(j, stream, msgid, PBSE_CKPBSY, "Restart active.", out);
    } else if (!may_begin(j)) {
        refuse(j, stream, msgid, PBSE_CKPBSY, "Checkpoint active.", out);
    } else {
        out_joblog(out, LOG_EV_JOB, j, "req_holdjob: Checkpoint initiated.");
        wait_for_it(j, stream, msgid);
        begin(j, now_at, CHECKPOINT_ABORT, out);
    }
}

int64_t checkpoint_due_at(const struct mom *m, const struct mom_job *j)
{
    int64_t period_s;

    if (!m->cfg.checkpoints || j->phase != JOB_RUNNING || !j->since_at ||
        !may_begin(j) || period_of(j, &period_s) != 'w')
        return INT64_MAX;
    return j->since_at + j->checkpoint.last_s + period_s - j->walltime_s;
}

void checkpoint_tick(struct mom *m, int64_t now_at, struct mom_job *j,
                     struct mom_out *out)
{
    int64_t period_s;
    char letter;

    if (!m->cfg.checkpoints || j->phase != JOB_RUNNING || !may_begin(j))
        return;
    letter = period_of(j, &period_s);
    if (!letter || counted_s(j, letter, now_at) - j->checkpoint.last_s < period_s)
        return;
    begin(j, now_at, CHECKPOINT_PERIODIC, out);
    life_reckon(m, j);
}

bool checkpoint_keeps_end(struct mom_job *j, int32_t status)
{
    if (j->checkpoint.making != CHECKPOINT_ABORT)
        return false;
    j->checkpoint.has_ended = true;
    j->checkpoint.end_status = status;
    return true;
}

void checkpoint_abandon(struct mom_job *j, struct mom_out *out)
{
    if (j->checkpoint.making == CHECKPOINT_NONE)
        return;
    j->checkpoint.making = CHECKPOINT_NONE;
    out_job(out, MOM_ABANDON, j);
    answer(j, PBSE_BADSTATE, NULL, out);
}

bool checkpoint_was_last(struct mom *m, int64_t now_at, struct mom_job *j,
                         struct mom_out *out)
{
    bool was_last = j->checkpoint.making && j->checkpoint.has_ended;

    checkpoint_abandon(j, out);
    if (was_last)
        life_end(m, now_at, j, j->checkpoint.end_status, out);
    return was_last;
}

void checkpoint_recover(struct mom_job *j, struct mom_out *out)
{
    struct mom_effect *e;

    if (j->checkpoint.making == CHECKPOINT_NONE)
        return;
    e = out_add(out, MOM_CHECKPOINT);
    e->job_id = arena_strdup(out->arena, j->id);
    e->u.checkpoint.aborts = j->checkpoint.making == CHECKPOINT_ABORT;
    e->u.checkpoint.was_begun = true;
}

int32_t checkpoint_status_of_restart(const struct mom_job *j)
{
    return j->checkpoint.has_image ? STATUS_HAS_IMAGE : STATUS_RESTARTED;
}

/* Its user learns of it where he looks for what went wrong; who waits, from the
 * answer. */
static void failed(struct mom *m, int64_t now_at, struct mom_job *j,
                   enum checkpoint_kind kind, int error, struct mom_out *out)
{
    struct mom_effect *e;

    out_joblog(out, LOG_EV_ERROR, j, "checkpoint failed: errno=%d", error);
    out_job(out, MOM_SAVE, j);
    if (kind == CHECKPOINT_PERIODIC) {
        e = out_add(out, MOM_TELL);
        e->job_id = arena_strdup(out->arena, j->id);
        e->u.tell.to_error = true;
        e->u.tell.text = arena_printf(out->arena, "Checkpoint failed, error %d", error);
    }
    answer(j, PBSE_SYSTEM,
           arena_printf(out->arena, "checkpoint failed: errno=%d", error), out);
    if (j->checkpoint.has_ended)
        life_end(m, now_at, j, j->checkpoint.end_status, out);
}

static void succeeded(struct mom *m, int64_t now_at, struct mom_job *j,
                      enum checkpoint_kind kind, const char *path, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;

    c->has_image = true;
    c->used = j->top.used;
    c->walltime_s = counted_s(j, 'w', now_at);
    c->session = j->top.session;
    out_joblog(out, LOG_EV_JOB, j, "checkpointed to %s", path);
    if (kind == CHECKPOINT_ABORT)
        life_preset(j, STATUS_CHECKPOINTED);
    out_job(out, MOM_SAVE, j);
    answer(j, 0, NULL, out);
    if (kind == CHECKPOINT_ABORT && c->has_ended)
        life_end(m, now_at, j, c->end_status, out);
    /* What its script has left alive would go on beside the image. */
    else if (kind == CHECKPOINT_ABORT)
        out_kill(out, j, SIGKILL);
}

void mom_checkpointed(struct mom *m, int64_t now_at, const char *job_id,
                      const char *path, int error, struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);
    enum checkpoint_kind kind = j ? j->checkpoint.making : CHECKPOINT_NONE;

    /* It was abandoned, and its end is no news. */
    if (kind == CHECKPOINT_NONE)
        return;
    MUST(job_has_processes(j)); /* an end that does not wait for it abandons it */
    j->checkpoint.making = CHECKPOINT_NONE;
    life_poll_soon(m, now_at);
    if (path)
        succeeded(m, now_at, j, kind, path, out);
    else
        failed(m, now_at, j, kind, error, out);
    if (job_find(m, job_id) == j)
        life_reckon(m, j);
}

void mom_restarted(struct mom *m, int64_t now_at, const char *job_id,
                   struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    if (!j || !j->checkpoint.is_restarting)
        return;
    j->checkpoint.is_restarting = false;
    out_joblog(out, LOG_EV_JOB, j, "restarted from its checkpoint");
    life_reckon(m, j);
    life_tell(m, now_at, j, out);
}

bool mom_job_restarts(const struct mom *m, const char *job_id, int32_t *ret_session)
{
    const struct mom_job *j = job_find(m, job_id);

    if (!j || !j->checkpoint.is_restart)
        return false;
    *ret_session = j->checkpoint.session;
    return true;
}

bool mom_job_has_image(const struct mom *m, const char *job_id)
{
    const struct mom_job *j = job_find_any(m, job_id);

    return j && j->checkpoint.has_image;
}

bool mom_job_makes_image(const struct mom *m, const char *job_id)
{
    const struct mom_job *j = job_find(m, job_id);

    return j && j->checkpoint.making;
}
