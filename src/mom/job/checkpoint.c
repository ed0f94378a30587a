/* checkpoint.c - images of jobs: made on request and in time (execution.md 25).
 *
 * That an image is being made is in the job's record before its script begins, and that
 * it is complete before anybody hears of it. So a job that its script has ended, and
 * whose MoM was killed meanwhile, is not taken for one that has ended by itself
 * (doc/design/066).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

#include <signal.h>

#define STATUS_RESTARTED    (-4) /* exit statuses of execution.md 20 */
#define STATUS_HAS_IMAGE    (-5)
#define STATUS_CHECKPOINTED (-12)
#define MINUTE_S            60

/* No script can bring back a terminal. */
static bool is_simple(const struct mom_job *j)
{
    return !j->is_sister && !wire_attrs_value(&j->attrs, "interactive", NULL);
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
        return usage_sum(j).cput_s;
    return j->walltime_s +
           (j->since_at && now_at > j->since_at ? now_at - j->since_at : 0);
}

static bool may_begin(const struct mom_job *j)
{
    const struct checkpoint *c = &j->checkpoint;

    return is_simple(j) && c->stage == IMAGE_IDLE && !c->is_restarting &&
           !j->status_is_set && !j->is_unseen && !j->is_dropped && !j->releasing &&
           !image_is_early(j) && image_has_undone_all(j);
}

static void begin(struct mom *m, struct mom_job *j, int64_t now_at,
                  enum checkpoint_kind kind, struct mom_out *out)
{
    int64_t period_s;
    char letter = period_of(j, &period_s);

    MUST(job_has_processes(j) && j->checkpoint.making == CHECKPOINT_NONE);
    j->checkpoint.making = kind;
    j->checkpoint.failed_code = 0;
    /* Also one that fails is not tried again before its time. */
    if (letter)
        j->checkpoint.last_s = counted_s(j, letter, now_at);
    image_note_tasks(j, image_new_event(m, now_at));
    if (superior_n_members(j) > 0)
        image_ask_others(m, now_at, j, out);
    else
        image_make_own(j, out);
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
        begin(m, j, now_at, CHECKPOINT_ABORT, out);
        life_reckon(m, j);
    }
}

int64_t checkpoint_due_at(const struct mom *m, const struct mom_job *j)
{
    int64_t period_s;

    if (!m->cfg.checkpoints || j->phase != JOB_RUNNING || !j->since_at ||
        period_of(j, &period_s) != 'w' || !may_begin(j))
        return INT64_MAX;
    return j->since_at + j->checkpoint.last_s + period_s - j->walltime_s;
}

void checkpoint_tick(struct mom *m, int64_t now_at, struct mom_job *j,
                     struct mom_out *out)
{
    int64_t period_s;
    char letter;

    if (!m->cfg.checkpoints || j->phase != JOB_RUNNING)
        return;
    letter = period_of(j, &period_s);
    if (!letter || !may_begin(j) ||
        counted_s(j, letter, now_at) - j->checkpoint.last_s < period_s)
        return;
    begin(m, j, now_at, CHECKPOINT_PERIODIC, out);
    life_reckon(m, j);
}

bool checkpoint_keeps_end(struct mom_job *j, int32_t status)
{
    struct checkpoint *c = &j->checkpoint;

    /* While other hosts make theirs nobody ends it but itself. */
    if (c->making != CHECKPOINT_ABORT || c->stage != IMAGE_OWN)
        return false;
    c->has_ended = true;
    c->end_status = status;
    return true;
}

static void drop_questions(struct mom_job *j)
{
    struct asked *a, *next;

    DL_FOREACH_SAFE (j->asked, a, next)
        if (image_has_asked(j, a))
            asked_free(j, a);
    j->checkpoint.answer_by = 0;
}

void checkpoint_abandon(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;

    if (j->is_sister) {
        sister_drop_image(m, j, out);
        return;
    }
    if (c->stage == IMAGE_IDLE)
        return;
    drop_questions(j);
    if (c->stage == IMAGE_OWN)
        out_job(out, MOM_ABANDON, j);
    image_move(j, IMAGE_EV_DROP);
    c->making = CHECKPOINT_NONE;
    image_end_tasks(m, j, out);
    answer(j, PBSE_BADSTATE, NULL, out);
}

bool checkpoint_was_last(struct mom *m, int64_t now_at, struct mom_job *j,
                         struct mom_out *out)
{
    bool was_last = j->checkpoint.making && j->checkpoint.has_ended;

    checkpoint_abandon(m, j, out);
    if (was_last)
        life_end(m, now_at, j, j->checkpoint.end_status, out);
    return was_last;
}

void checkpoint_recover(struct mom *m, int64_t now_at, struct mom_job *j,
                        struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;
    struct mom_effect *e;

    MUST(!j->is_sister);
    /* Whoever was asked by the MoM before goes back, also if it had done so. */
    for (size_t i = 0; i < j->hosts.n; i++)
        j->hosts.v[i].undo = j->hosts.v[i].is_member ? c->undo : 0;
    if (c->stage == IMAGE_OTHERS || c->stage == IMAGE_UNDOING) {
        c->stage = IMAGE_IDLE;
        image_undo_others(m, now_at, j, out);
    }
    if (c->stage == IMAGE_RESTORING) /* those that are not there have ended */
        image_move(j, IMAGE_EV_RESTORED);
    if (c->stage != IMAGE_OWN)
        return;
    e = out_add(out, MOM_CHECKPOINT);
    e->job_id = arena_strdup(out->arena, j->id);
    e->u.checkpoint.aborts = c->making == CHECKPOINT_ABORT;
    e->u.checkpoint.was_begun = true;
}

int32_t checkpoint_status_of_restart(const struct mom_job *j)
{
    return j->checkpoint.has_image ? STATUS_HAS_IMAGE : STATUS_RESTARTED;
}

/* Its user learns of it where he looks for what went wrong; who waits, from the
 * answer. */
void checkpoint_failed(struct mom *m, int64_t now_at, struct mom_job *j, int code,
                       const char *text, int error, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;
    enum checkpoint_kind kind = c->making;
    struct mom_effect *e;

    MUST(c->stage == IMAGE_IDLE);
    c->making = CHECKPOINT_NONE;
    image_end_tasks(m, j, out); /* what its script has ended nevertheless */
    out_job(out, MOM_SAVE, j);
    if (kind == CHECKPOINT_PERIODIC) {
        e = out_add(out, MOM_TELL);
        e->job_id = arena_strdup(out->arena, j->id);
        e->u.tell.to_error = true;
        e->u.tell.text = arena_printf(out->arena, "Checkpoint failed, error %d", error);
    }
    answer(j, code, text, out);
    if (c->has_ended)
        life_end(m, now_at, j, c->end_status, out);
}

static void failed(struct mom *m, int64_t now_at, struct mom_job *j, int error,
                   struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;
    const char *text = arena_printf(out->arena, "checkpoint failed: errno=%d", error);

    out_joblog(out, LOG_EV_ERROR, j, "%s", text);
    /* Where the job is over the other hosts have nothing to go on with. */
    if (superior_n_members(j) > 0 && !c->has_ended) {
        c->failed_code = PBSE_SYSTEM;
        free(c->failed_why);
        c->failed_why = xstrdup(text);
        image_undo_others(m, now_at, j, out);
        return;
    }
    image_move(j, IMAGE_EV_FAILED);
    checkpoint_failed(m, now_at, j, PBSE_SYSTEM, text, error, out);
}

static void succeeded(struct mom *m, int64_t now_at, struct mom_job *j,
                      const char *path, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;
    enum checkpoint_kind kind = c->making;

    image_move(j, IMAGE_EV_MADE);
    c->making = CHECKPOINT_NONE;
    image_keep(j, counted_s(j, 'w', now_at));
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

    /* It was abandoned, and its end is no news. */
    if (!j || j->checkpoint.stage != IMAGE_OWN)
        return;
    MUST(job_has_processes(j)); /* an end that does not wait for it abandons it */
    if (j->is_sister) {
        sister_checkpointed(m, now_at, j, path, error, out);
        return;
    }
    life_poll_soon(m, now_at);
    if (path)
        succeeded(m, now_at, j, path, out);
    else
        failed(m, now_at, j, error, out);
    if (job_find(m, job_id) == j)
        life_reckon(m, j);
    /* Its host may be busy, or free, since the image was begun. */
    standing_settle(m, now_at, out);
}

void checkpoint_go_on(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;

    c->is_restarting = c->is_restart && !m->cfg.restarts_aside;
    c->is_broken = false;
    if (c->is_restart && c->last.n > 0)
        image_restore_tasks(j, out);
}

void checkpoint_restored(struct mom *m, int64_t now_at, struct mom_job *j,
                         struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;

    if (!c->is_top_restored || c->stage == IMAGE_RESTORING)
        return;
    out_joblog(out, LOG_EV_JOB, j, "restarted from its checkpoint");
    if (!c->is_restarting)
        return; /* the server knows that it runs */
    c->is_restarting = false;
    life_reckon(m, j);
    life_tell(m, now_at, j, out);
}

void mom_restarted(struct mom *m, int64_t now_at, const char *job_id,
                   struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    if (!j || !j->checkpoint.is_restart || j->checkpoint.is_top_restored)
        return;
    j->checkpoint.is_top_restored = true;
    checkpoint_restored(m, now_at, j, out);
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

    return j && j->checkpoint.stage == IMAGE_OWN;
}

bool mom_job_has_image_before(const struct mom *m, const char *job_id)
{
    const struct mom_job *j = job_find_any(m, job_id);

    return j && j->checkpoint.before.event != 0;
}
