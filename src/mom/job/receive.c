/* receive.c - QueueJob, JobScript, Commit: one job, one answer (tpp.md 6.3).
 *
 * Nothing is answered before Commit unless something is wrong. The job is on disk
 * before the server hears of success. Nearly all jobs begin at once, and then their
 * record has to be on disk again; so the answer waits for that, a second at most, and
 * the disk is waited for once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#include "lib/attr/row.h"
#include "lib/base/instant.h"

enum { /* file types of MvJobFile (tpp.md 6.2) */
    FILE_OUTPUT = 2,
    FILE_ERROR = 3
};

#define COMMIT_WAITS_S 1 /* for the begin of the job */

static void reject(struct mom_out *out, uint64_t stream, const char *msgid, int code,
                   const char *text)
{
    struct diag why;

    if (text)
        diag_set(&why, code, "%s", text);
    else
        diag_code(&why, code);
    out_reply_error(out, stream, msgid, &why);
}

static int check_attrs(const struct mom *m, const struct wire_attrs *attrs,
                       struct arena *arena, const char **text)
{
    const char *user = wire_attrs_value(attrs, "euser", NULL);

    /* An attribute that we do not know may change what the job means, so the job is
     * refused and not run without it (tpp.md 6.3). */
    for (size_t i = 0; i < attrs->n; i++)
        if (attr_find_any(&job_table, attrs->v[i].name) < 0)
            return PBSE_NOATTR;
    if (!user || !user[0])
        return PBSE_BADUSER;
    if (m->cfg.only_user && strcmp(user, m->cfg.only_user) != 0) {
        *text = arena_printf(arena, "this MoM runs jobs of %s only", m->cfg.only_user);
        return PBSE_BADUSER;
    }
    return 0;
}

/* The same run once more: the server did not hear the answer. Any other run of a job
 * that is here is refused. */
static bool queue_known(struct mom *m, struct mom_job *j, uint64_t stream,
                        const char *msgid, const struct wire_attrs *attrs,
                        struct mom_out *out)
{
    const char *version = wire_attrs_value(attrs, "run_version", NULL);

    /* A job that is still being written has not been answered; its answer is on the
     * way. */
    if (j->phase >= JOB_PRERUN && version && atoi(version) == j->run_version) {
        peer_release(m, j);
        peer_receives(m, j, stream);
        j->again = true;
        return true;
    }
    reject(out, stream, msgid, PBSE_JOBEXIST, NULL);
    return false;
}

/* Neither script, credential nor output of an earlier run follows (tpp.md 6.3). */
static bool is_implicit_commit(const struct wire_request *rq)
{
    return rq->extend && strstr(rq->extend, ":C:");
}

void receive_queue(struct mom *m, int64_t now_at, uint64_t stream, const char *msgid,
                   const struct wire_request *rq, struct mom_out *out)
{
    const struct body_queue *body = rq->body;
    const char *text = NULL;
    struct mom_job *j = job_find(m, body->id);
    int code;

    if (j && j->phase == JOB_RECEIVING) { /* sent anew: the first half is forgotten */
        job_free(m, j);
        j = NULL;
    } else if (j && resting_is_leaving(j)) { /* the next run does not wait for that */
        resting_leave_now(m, j, out);
        j = NULL;
    }
    if (j) {
        if (!queue_known(m, j, stream, msgid, &body->attrs, out))
            return;
    } else if (!job_id_is_fit(body->id, out->arena)) {
        reject(out, stream, msgid, PBSE_IVALREQ, NULL);
        return;
    } else if ((code = check_attrs(m, &body->attrs, out->arena, &text)) != 0) {
        reject(out, stream, msgid, code, text);
        return;
        /* Half a job holds memory for as long as its sender likes. */
    } else if (m->n_receiving >= MAX_RECEIVING) {
        reject(out, stream, msgid, PBSE_SYSTEM, "too many jobs are being received");
        return;
    } else {
        j = job_new(m, body->id, &body->attrs);
        job_set_phase(m, j, JOB_RECEIVING);
        peer_receives(m, j, stream);
    }
    if (is_implicit_commit(rq))
        receive_commit(m, now_at, stream, msgid, body->id, out);
    else
        out_reply_step(out, stream, msgid, REPLY_QUEUE, body->id);
}

/* The job that a further part belongs to; NULL when that was answered already. */
static struct mom_job *part_of(struct mom *m, uint64_t stream, const char *msgid,
                               const struct body_script *body, struct mom_out *out)
{
    struct mom_job *j =
        /* Parts may leave the id out: they then belong to the oldest job under way on
         * the stream, since a sender finishes one job before the next (tpp.md 6.3). */
        body->job_id[0] ? job_find(m, body->job_id) : peer_job(m, stream);

    if (j && j->again && peer_is_of(j, stream)) {
        out_reply_step(out, stream, msgid, REPLY_NULL, NULL);
        return NULL; /* it has all its parts */
    }
    if (j && j->phase == JOB_RECEIVING && peer_is_of(j, stream))
        return j;
    reject(out, stream, msgid, PBSE_IVALREQ, NULL);
    return NULL;
}

static void take_part(struct mom *m, struct mom_job *j, struct buf *to,
                      size_t max_bytes, const char *msgid,
                      const struct body_script *body, struct mom_out *out)
{
    uint64_t stream = j->stream;

    MUST(to->len <= max_bytes);
    /* The check subtracts, because a sum of two lengths could wrap around. */
    if (body->data.len > max_bytes - to->len) {
        job_free(m, j);
        reject(out, stream, msgid, PBSE_SYSTEM,
               to == &j->script ? "job script is too long" : "job output is too long");
        return;
    }
    buf_add(to, body->data.data, body->data.len);
    out_reply_step(out, stream, msgid, REPLY_NULL, NULL);
}

void receive_script(struct mom *m, uint64_t stream, const char *msgid,
                    const struct body_script *body, struct mom_out *out)
{
    struct mom_job *j = part_of(m, stream, msgid, body, out);

    if (j)
        take_part(m, j, &j->script, MAX_SCRIPT_BYTES, msgid, body, out);
}

void receive_output(struct mom *m, uint64_t stream, const char *msgid,
                    const struct body_script *body, struct mom_out *out)
{
    struct mom_job *j;

    if (body->file_type != FILE_OUTPUT && body->file_type != FILE_ERROR) {
        reject(out, stream, msgid, PBSE_NOSUP, NULL); /* images stay on their host */
        return;
    }
    j = part_of(m, stream, msgid, body, out);
    if (j)
        take_part(m, j, &j->saved[body->file_type == FILE_ERROR], MAX_SAVED_BYTES,
                  msgid, body, out);
}

/* A job that is the server's alone until it begins: its record need not be durable
 * before that, and then is written with the session once. What has a part on other
 * hosts, or an image here, is counted on by others. */
static bool is_answered_later(const struct mom_job *j)
{
    return host_list_is_single(j) && !j->checkpoint.is_restart;
}

void receive_answer(struct mom_job *j, struct mom_out *out)
{
    if (!j->msgid)
        return;
    MUST(!j->is_sister); /* its mother superior waits, and no server */
    out_reply_commit(out, j->stream, j->msgid, j->id);
    j->msgid = NULL;
    j->commit_by = INT64_MAX;
}

void receive_answer_now(struct mom_job *j, struct mom_out *out)
{
    if (!j->msgid)
        return;
    out_job(out, MOM_SAVE, j);
    receive_answer(j, out);
}

/* The server did not hear the answer: it hears it now, and how the job stands. */
static void commit_again(struct mom *m, int64_t now_at, uint64_t stream,
                         const char *msgid, struct mom_job *j, struct mom_out *out)
{
    peer_release(m, j);
    j->again = false;
    receive_answer_now(j, out);
    out_reply_commit(out, stream, msgid, j->id);
    j->is_told = false;
    if (j->phase == JOB_OBIT)
        life_send_obit(m, now_at, j, out);
    else
        life_tell(m, now_at, j, out);
}

void receive_commit(struct mom *m, int64_t now_at, uint64_t stream, const char *msgid,
                    const char *job_id, struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    if (j && j->again && peer_is_of(j, stream)) {
        commit_again(m, now_at, stream, msgid, j, out);
        return;
    }
    if (!j || j->phase != JOB_RECEIVING || !peer_is_of(j, stream)) {
        reject(out, stream, msgid, PBSE_UNKJOBID, NULL);
        return;
    }
    /* The answer leaves when the disk has the job (receive_answer()), and names this
     * request. */
    j->msgid = arena_strdup(j->arena, msgid);
    /* All parts are here: if the stream ends now, the job stays, and the list of jobs
     * at the next registration tells the server where it is. */
    peer_release(m, j);
    job_set_phase(m, j, JOB_STORING);
    resting_take_over(m, j, out);
    out_job(out, MOM_STORE, j);
    out->v[out->n - 1].u.store.is_durable = !is_answered_later(j);
}

void mom_stored(struct mom *m, int64_t now_at, const char *job_id,
                const struct diag *why, struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    if (!j || j->phase != JOB_STORING)
        return;
    if (j->is_sister) {
        sister_stored(m, now_at, j, why, out);
        return;
    }
    MUST(j->msgid); /* the answer names it */
    /* They are files now, or will never be; a job that runs for months does not keep
     * them in memory. A short script is made a file when the job starts. */
    if (why || j->script.len > MOM_SCRIPT_HELD_BYTES)
        job_forget_script(j);
    buf_fini(&j->saved[0]);
    buf_fini(&j->saved[1]);
    if (why) {
        out_reply_error(out, j->stream, j->msgid, why);
        j->msgid = NULL;
        if (j->checkpoint.is_restart)
            job_free(m,
                     j); /* its files are those of the image, which goes on resting */
        else
            life_drop(m, j, out);
        return;
    }
    resting_forget(m, job_id);
    if (is_answered_later(j))
        j->commit_by = instant_after(now_at, COMMIT_WAITS_S);
    else
        receive_answer(j, out);
    life_start(m, now_at, j, out);
    life_reckon(m, j);
}

/* Half a job is no job. */
void receive_drop_stream(struct mom *m, uint64_t stream)
{
    struct mom_job *j;

    while ((j = peer_job(m, stream))) {
        j->again = false;
        if (j->phase == JOB_RECEIVING)
            job_free(m, j);
        else
            peer_release(m, j);
    }
}
