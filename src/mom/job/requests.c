/* requests.c - batch requests of the server (tpp.md 6.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

#include <signal.h>

#define COPY_DIRECTION_OUT 1     /* bit of a CopyFiles (tpp.md 6.2) */
#define FILE_OF_CHECKPOINT 2     /* flag of a pair of files */
#define SUBSTATE_TERM      59    /* a script of $action terminate runs (tpp.md 6.2) */
#define STATUS_RERUN       (-11) /* the server queues the job again (execution.md 20) */
/* What a log line shows of the number of a stream: enough to follow one. */
#define STREAM_NUMBER_BITS 0xfffff

struct ask { /* one request on its way through its handler */
    struct mom *m;
    int64_t now_at;
    uint64_t stream;
    const char *peer;
    const char *msgid;
    const struct wire_request *rq;
    struct mom_out *out;
};

static void refuse(const struct ask *a, int code)
{
    struct diag why;

    diag_code(&why, code);
    out_reply_error(a->out, a->stream, a->msgid, &why);
}

static void accept_it(const struct ask *a)
{
    out_reply(a->out, a->stream, a->msgid, 0);
}

/* The request came before, and the answer to it waits for other hosts: a refusal now
 * would be taken for that answer. */
static bool is_said_twice(const struct ask *a, const struct mom_job *j)
{
    return j->waiter_msgid && j->waiter_stream == a->stream &&
           strcmp(j->waiter_msgid, a->msgid) == 0;
}

/* The job of a request; NULL when it was refused, or is not to be answered. Jobs that
 * are not committed are not there yet. */
static struct mom_job *job_of(const struct ask *a, const char *id)
{
    struct mom_job *j = job_find(a->m, id);

    if (j && is_said_twice(a, j))
        return NULL;
    /* A sister's part is the mother superior's to command. */
    if (j && j->phase >= JOB_PRERUN && !j->is_dropped && !j->is_sister)
        return j;
    refuse(a, PBSE_UNKJOBID);
    return NULL;
}

static void take_queue(const struct ask *a)
{
    receive_queue(a->m, a->now_at, a->stream, a->msgid, a->rq, a->out);
}

static void take_script(const struct ask *a)
{
    receive_script(a->m, a->stream, a->msgid, a->rq->body, a->out);
}

static void take_commit(const struct ask *a)
{
    const struct body_id *body = a->rq->body;

    receive_commit(a->m, a->now_at, a->stream, a->msgid, body->id, a->out);
}

static void take_output(const struct ask *a)
{
    receive_output(a->m, a->stream, a->msgid, a->rq->body, a->out);
}

/* RdyToCommit is obsolete; who still sends it is told to go on (tpp.md 6.2). */
static void take_ready(const struct ask *a)
{
    const struct body_id *body = a->rq->body;

    out_reply_step(a->out, a->stream, a->msgid, REPLY_RDY_TO_COMMIT, body->id);
}

static void take_delete(const struct ask *a)
{
    const struct body_manage *body = a->rq->body;
    struct mom_job *j = job_of(a, body->object_name);

    if (!j)
        return;
    out_joblog(a->out, LOG_EV_DEBUG, j, "delete job request received");
    /* The copies would lose their source. The server asks again later (tpp.md 6.4). */
    if (j->n_copying || j->waiter_msgid) {
        out_reply(a->out, a->stream, a->msgid, PBSE_TRYAGAIN);
        return;
    }
    /* A server that was started again ends the run before it answers the obituary,
     * which it had recorded. It counts on the image all the same. */
    if (j->phase == JOB_OBIT && job_is_to_rest(j)) {
        job_rest(a->m, j, a->out);
        accept_it(a);
        return;
    }
    /* Nothing of it is left by now: suites look for the line (execution.md 21). With
     * processes it comes when they are killed. */
    if (!job_has_processes(j))
        out_joblog(a->out, LOG_EV_JOB, j, "kill_job");
    if (superior_ask_all(a->m, a->now_at, j, IM_DELETE_JOB_REPLY, a->stream, a->msgid,
                         a->out))
        return; /* answered when the other hosts have answered */
    life_drop(a->m, j, a->out);
    accept_it(a);
}

/* By any of its names, or by its number. */
static bool is_kill(const char *name)
{
    return signal_number(name) == SIGKILL;
}

/* Nobody but the server lets a suspended job go on, and nobody but its host one that
 * stands; signals of a client would have to wait until then (execution.md 23). */
static bool is_deaf(const struct mom_job *j, const char *name)
{
    return (j->phase != JOB_RUNNING || job_stands(j)) && !is_kill(name);
}

static void refuse_signal(const struct ask *a, const struct mom_job *j)
{
    out_joblog(a->out, LOG_EV_ADMIN, j, "cannot signal job, job substate = %d",
               j->phase);
    refuse(a, PBSE_BADSTATE);
}

static void signal_running(const struct ask *a, struct mom_job *j, const char *name)
{
    int signo = signal_number(name);

    MUST(job_has_processes(j)); /* take_signal() has asked */
    if (signo < 0) {
        struct diag why;

        diag_set(&why, PBSE_UNKSIG, "Unknown/illegal signal name");
        out_reply_error(a->out, a->stream, a->msgid, &why);
        return;
    }
    if (is_deaf(j, name)) {
        refuse_signal(a, j);
        return;
    }
    out_joblog(a->out, LOG_EV_ADMIN, j, "signal job with %s", name);
    if (is_kill(name) && checkpoint_was_last(a->m, a->now_at, j, a->out)) {
        accept_it(a);
        return;
    }
    out_kill(a->out, j, signo);
    superior_signal(a->m, j, signo, a->out);
    accept_it(a);
}

static bool is_one_of(const char *name, const char *a, const char *b, const char *c)
{
    return strcmp(name, a) == 0 || strcmp(name, b) == 0 || strcmp(name, c) == 0;
}

/* Other hosts first, if there are any: the answer waits for theirs (tpp.md 7.4). */
static bool ask_others(const struct ask *a, struct mom_job *j, enum im_command command)
{
    if (j->waiter_msgid) {
        refuse(a, PBSE_BADSTATE);
        return true;
    }
    return superior_ask_all(a->m, a->now_at, j, command, a->stream, a->msgid, a->out);
}

/* TermJob, Rerun, suspend, resume: false for a plain signal. */
static bool pseudo_signal(const struct ask *a, struct mom_job *j, const char *name)
{
    if (strcmp(name, "TermJob") == 0 || strcmp(name, "Rerun") == 0) {
        out_joblog(a->out, LOG_EV_ADMIN, j, "signal job with %s", name);
        if (j->is_terminating) /* it is at it (execution.md 7) */
            out_joblog(a->out, LOG_EV_ADMIN, j,
                       "action terminate script %s cannot be run due to existing "
                       "subtask",
                       a->m->cfg.ends_by ? a->m->cfg.ends_by : "");
        /* The status has to be there before the processes can end. */
        if (name[0] == 'R')
            life_preset(j, STATUS_RERUN);
        life_terminate(a->m, a->now_at, j, a->out);
        if (name[0] == 'T' && j->is_terminating) {
            out_reply_aux(a->out, a->stream, a->msgid, SUBSTATE_TERM);
            return true;
        }
        /* A server that has lost count asks with the longer names after a reconnect
         * (tpp.md 5.4). */
    } else if (is_one_of(name, "suspend", "admin-suspend", "SIG_SUSPEND")) {
        if (j->phase != JOB_RUNNING) {
            out_joblog(a->out, LOG_EV_JOB, j,
                       "suspend failed: server indicates job is already suspended");
            refuse(a, PBSE_BADSTATE);
            return true;
        }
        out_joblog(a->out, LOG_EV_ADMIN, j, "signal job with %s", name);
        if (ask_others(a, j, IM_SUSPEND))
            return true;
        life_suspend(a->m, a->now_at, j, a->out);
    } else if (is_one_of(name, "resume", "admin-resume", "SIG_RESUME")) {
        if (j->phase != JOB_SUSPENDED) {
            out_joblog(a->out, LOG_EV_JOB, j,
                       "resume failed: server indicates job is not suspended");
            refuse(a, PBSE_BADSTATE);
            return true;
        }
        out_joblog(a->out, LOG_EV_ADMIN, j, "signal job with %s", name);
        if (ask_others(a, j, IM_RESUME))
            return true;
        life_resume(a->m, a->now_at, j, a->out);
    } else {
        return false;
    }
    accept_it(a);
    return true;
}

/* A job that starts is signalled when it runs, but for an end it never starts. */
static void signal_starting(const struct ask *a, struct mom_job *j, const char *name)
{
    /* An end can be kept for later in kill_at; any other signal would have to be
     * remembered and sent to a program that has not begun, so it is refused. */
    if (strcmp(name, "TermJob") != 0 && strcmp(name, "Rerun") != 0 && !is_kill(name)) {
        refuse_signal(a, j);
        return;
    }
    out_joblog(a->out, LOG_EV_ADMIN, j, "signal job with %s", name);
    if (name[0] == 'R')
        life_preset(j, STATUS_RERUN);
    if (j->is_joining) { /* nothing of it has begun */
        superior_give_up(a->m, a->now_at, j, 256 + SIGTERM, a->out);
        accept_it(a);
        return;
    }
    j->is_ended_by_order = true;
    j->kill_at = a->now_at; /* as soon as there is something to kill */
    life_reckon(a->m, j);
    accept_it(a);
}

/* Nothing runs but the epilogue, which SIGKILL ends (execution.md 23). */
static void signal_epilogue(const struct ask *a, struct mom_job *j, const char *name)
{
    if (!is_kill(name)) {
        refuse_signal(a, j);
        return;
    }
    out_joblog(a->out, LOG_EV_ADMIN, j, "signal job with %s", name);
    out_kill(a->out, j, SIGKILL);
    accept_it(a);
}

static void take_signal(const struct ask *a)
{
    const struct body_signal *body = a->rq->body;
    struct mom_job *j = job_of(a, body->job_id);

    if (!j)
        return;
    out_joblog(a->out, LOG_EV_DEBUG, j, "signal job request received");
    if (j->phase == JOB_PRERUN) {
        signal_starting(a, j, body->signal);
    } else if (j->phase == JOB_EPILOGUE) {
        signal_epilogue(a, j, body->signal);
    } else if (j->phase == JOB_OBIT) { /* the server has not taken its end */
        life_send_obit(a->m, a->now_at, j, a->out);
        if (strcmp(body->signal, "resume") == 0)
            refuse(a, PBSE_BADSTATE);
        else
            accept_it(a);
    } else if (!job_has_processes(j)) {
        refuse(a, PBSE_BADSTATE);
    } else if (!pseudo_signal(a, j, body->signal)) {
        signal_running(a, j, body->signal);
    }
}

static void take_modify(const struct ask *a)
{
    const struct body_manage *body = a->rq->body;
    struct mom_job *j = job_of(a, body->object_name);
    struct mom_share had;

    if (!j)
        return;
    had = j->share;
    /* Hosts come together before a job begins, and go apart when it has ended. A host
     * that the job has gone on without may still be in what the server has sent. */
    if (wire_attrs_find(&body->attrs, "exec_host2", NULL) &&
        (!job_has_processes(j) ||
         host_list_has_more(j, wire_attrs_value(&body->attrs, "exec_host2", NULL)))) {
        refuse(a, PBSE_BADSTATE);
        return;
    }
    /* The record is written before the server hears of the change, since effects are
     * carried out in their order. When it cannot be written the shell logs that, and a
     * restart knows the job as it was before. */
    job_replace_attrs(j, &body->attrs);
    out_joblog(a->out, LOG_EV_JOB, j, "Job Modified at request of %s@%s", a->rq->user,
               a->m->cfg.server_host);
    job_note_limits(j);
    life_reckon(a->m, j);
    out_job(a->out, MOM_SAVE, j);
    if (had.ncpus != j->share.ncpus || had.mem_kb != j->share.mem_kb ||
        had.vmem_kb != j->share.vmem_kb)
        out_job(a->out, MOM_LIMIT, j);
    if (!superior_rewidth(a->m, a->now_at, j, a->stream, a->msgid, a->out))
        accept_it(a);
}

/* The request is gone when the child is done, so what the answer needs is copied.
 * Returns the token by which mom_files_done() finds it. */
static uint64_t answer_later(const struct ask *a, const char *job_id)
{
    struct copying *c = xcalloc(1, sizeof(*c));

    c->token = ++a->m->last_token;
    c->stream = a->stream;
    c->msgid = xstrdup(a->msgid);
    c->job_id = xstrdup(job_id);
    HASH_ADD(hh, a->m->copies, token, sizeof(c->token), c);
    return c->token;
}

/* It is answered when the words are in the file: whoever reads the file after the
 * answer finds them, and two messages that follow each other keep their order. The job
 * may end meanwhile, as nothing of it is needed any more then. */
static void take_message(const struct ask *a)
{
    const struct body_message *body = a->rq->body;
    struct mom_job *j = job_of(a, body->job_id);
    struct mom_effect *e;

    if (!j)
        return;
    if (!job_has_processes(j)) {
        refuse(a, PBSE_BADSTATE);
        return;
    }
    e = out_add(a->out, MOM_TELL);
    e->job_id = arena_strdup(a->out->arena, j->id);
    e->u.tell.token = answer_later(a, "");
    /* Bit 0 means the output and bit 1 the error output, which is also where a message
     * goes that names neither (tpp.md 6.2). */
    e->u.tell.to_output = body->file & 1;
    e->u.tell.to_error = body->file & 2 || !(body->file & 1);
    e->u.tell.text = arena_strdup(a->out->arena, body->text);
}

/* The letters of the hold are the server's business; here it means an image. */
static void take_hold(const struct ask *a)
{
    const struct body_manage *body = a->rq->body;
    struct mom_job *j = job_of(a, body->object_name);

    if (j)
        checkpoint_hold(a->m, a->now_at, j, a->stream, a->msgid, a->out);
}

static struct copying *copying_of(const struct mom *m, uint64_t token)
{
    struct copying *c;

    HASH_FIND(hh, m->copies, &token, sizeof(token), c);
    return c;
}

static struct body_files *copy_files_body(const struct body_files *b,
                                          struct arena *arena)
{
    struct body_files *c = arena_copy(arena, b, sizeof(*b));

    c->job_id = arena_strdup(arena, b->job_id);
    c->owner = arena_strdup(arena, b->owner);
    c->user = arena_strdup(arena, b->user);
    c->group = arena_strdup(arena, b->group);
    c->pairs = ARENA_ARRAY(arena, struct wire_file_pair, b->n_pairs);
    for (size_t i = 0; i < b->n_pairs; i++) {
        c->pairs[i].flag = b->pairs[i].flag;
        c->pairs[i].local = arena_strdup(arena, b->pairs[i].local);
        c->pairs[i].remote = arena_strdup(arena, b->pairs[i].remote);
    }
    return c;
}

/* A MoM without root has the rights of one user. */
static bool serves_user(const struct mom *m, const char *user)
{
    return !m->cfg.only_user || strcmp(user, m->cfg.only_user) == 0;
}

/* Of the request that removes the image of a job, and nothing else. */
static bool names_image(const struct ask *a, const struct body_files *body)
{
    return a->rq->number == BATCH_DEL_FILES && body->n_pairs > 0 &&
           body->pairs[0].flag == FILE_OF_CHECKPOINT;
}

static void remove_image(const struct ask *a, const char *job_id)
{
    struct mom_job *j = resting_find(a->m, job_id);

    if (j)
        resting_drop(a->m, a->now_at, j, a->out);
    accept_it(a);
}

/* Of a job that is here or of one that is still to come: files are staged in before
 * QueueJob, and removed when a start was refused (tpp.md 6.2). What is being received
 * is not here yet. */
static void take_files(const struct ask *a)
{
    const struct body_files *body = a->rq->body;
    struct mom_job *j = job_find(a->m, body->job_id);
    struct mom_effect *e;

    if (names_image(a, body)) {
        remove_image(a, body->job_id);
        return;
    }
    if (j && (j->phase < JOB_PRERUN || j->is_dropped))
        j = NULL;
    if (!serves_user(a->m, body->user)) {
        refuse(a, PBSE_BADUSER);
        return;
    }
    out_log(a->out, LOG_EV_DEBUG, LOG_IN_JOB, body->job_id, "%s file request received",
            a->rq->number == BATCH_COPY_FILES ? "copy" : "delete");
    /* From here on the job cannot go away (life_drop()). */
    if (j)
        j->n_copying++;
    e = out_add(a->out, MOM_FILES);
    e->job_id = arena_strdup(a->out->arena, body->job_id);
    e->u.files.token = answer_later(a, j ? j->id : "");
    e->u.files.remove = a->rq->number == BATCH_DEL_FILES;
    e->u.files.body = copy_files_body(body, a->out->arena);
    copying_of(a->m, e->u.files.token)->is_out =
        !e->u.files.remove && (body->direction & COPY_DIRECTION_OUT);
}

/* What it could not deliver lies in its directory: that stays, also when the MoM is
 * restarted before the server lets the job go. */
static void note_undelivered(struct mom_job *j, struct mom_out *out)
{
    struct wire_attr attr = { .name = JOB_UNDELIVERED, .value = "1" };
    const struct wire_attrs one = { .n = 1, .v = &attr };

    job_replace_attrs(j, &one);
    out_job(out, MOM_SAVE, j);
}

void mom_files_done(struct mom *m, int64_t now_at, uint64_t token, int code,
                    const char *text, struct mom_out *out)
{
    struct copying *c;
    struct mom_job *j;

    (void)now_at;
    c = copying_of(m, token);
    if (!c)
        return;
    /* Files that were staged in before the job came have no job to find: their id is
     * empty. */
    j = job_find(m, c->job_id);
    if (j) {
        MUST(j->n_copying > 0);
        j->n_copying--;
        if (code && c->is_out && !j->is_dropped)
            note_undelivered(j, out);
        if (j->is_dropped && j->n_copying == 0)
            life_drop(m, j, out);
    }
    if (code) /* the report is mailed as it is */
        out_reply_text(out, c->stream, c->msgid, code, text ? text : "");
    else
        out_reply(out, c->stream, c->msgid, 0);
    HASH_DEL(m->copies, c);
    free(c->msgid);
    free(c->job_id);
    free(c);
}

static void take_status(const struct ask *a)
{
    const struct body_status *body = a->rq->body;
    struct mom_job *j = job_of(a, body->id);
    struct arena *arena = a->out->arena;
    struct is_message msg = { .command = IS_CMD_REPLY };
    struct wire_object *o;
    const char *none = "";

    if (!j)
        return;
    msg.msgid = arena_strdup(arena, a->msgid);
    msg.reply.choice = REPLY_STATUS;
    msg.reply.text = none;
    o = wire_objects_add(&msg.reply.objects, arena, OBJECT_JOB,
                         arena_strdup(arena, j->id));
    wire_attrs_add(&o->attrs, arena, "job_state", NULL,
                   j->phase >= JOB_EXITED ? "E" : "R", WIRE_OP_SET);
    wire_attrs_add(&o->attrs, arena, "substate", NULL,
                   arena_printf(arena, "%d", j->phase), WIRE_OP_SET);
    wire_attrs_add(&o->attrs, arena, "session_id", NULL,
                   arena_printf(arena, "%d", j->top.session), WIRE_OP_SET);
    usage_attrs(a->m, j, a->now_at, &o->attrs, arena);
    out_send(a->out, a->stream, &msg);
}

static void take_shutdown(const struct ask *a)
{
    accept_it(a);
    mom_stop(a->m, a->now_at, false, a->out);
}

static const struct {
    uint32_t number;
    void (*take)(const struct ask *a);
} rows[] = {
    { BATCH_QUEUE_JOB, take_queue },     { BATCH_JOB_SCRIPT, take_script },
    { BATCH_RDY_TO_COMMIT, take_ready }, { BATCH_COMMIT, take_commit },
    { BATCH_DELETE_JOB, take_delete },   { BATCH_HOLD_JOB, take_hold },
    { BATCH_MESSAGE_JOB, take_message }, { BATCH_MODIFY_JOB, take_modify },
    { BATCH_SHUTDOWN, take_shutdown },   { BATCH_SIGNAL_JOB, take_signal },
    { BATCH_STATUS_JOB, take_status },   { BATCH_COPY_FILES, take_files },
    { BATCH_DEL_FILES, take_files },     { BATCH_MOVE_JOB_FILE, take_output },
};

/* A refusal is said here too: who looks after a host need not see the server's log. The
 * answer to this request is among the effects from 'first' on, if it is there yet. */
static void log_refusal(const struct ask *a, size_t first)
{
    for (size_t i = first; i < a->out->n; i++) {
        const struct is_message msg = a->out->v[i].u.msg;

        if (a->out->v[i].kind != MOM_SEND || msg.command != IS_CMD_REPLY ||
            msg.reply.code == 0 || strcmp(msg.msgid, a->msgid) != 0)
            continue;
        out_log(a->out, LOG_EV_DEBUG, LOG_IN_REQUEST, "req_reject",
                "Reject reply code=%d, aux=0, type=%u, from %s@%s", msg.reply.code,
                a->rq->number, a->rq->user, a->peer);
        if (msg.reply.choice == REPLY_TEXT)
            out_log(a->out, LOG_EV_DEBUG, LOG_IN_REQUEST, "req_reject", "%s",
                    msg.reply.text);
        return;
    }
}

static void take(const struct ask *a, bool known)
{
    /* A request whose body was not understood may not reach its handler, which trusts
     * the body. It is refused like one of an unknown number, and the stream goes on
     * (tpp.md 6.2). */
    for (size_t i = 0; known && i < ARRAY_LEN(rows); i++) {
        if (rows[i].number == a->rq->number) {
            rows[i].take(a);
            return;
        }
    }
    refuse(a, PBSE_UNKREQ);
}

void request_take(struct mom *m, int64_t now_at, uint64_t stream, const char *peer,
                  const struct is_message *msg, bool known, struct mom_out *out)
{
    const struct ask a = { .m = m,
                           .now_at = now_at,
                           .stream = stream,
                           .peer = peer,
                           .msgid = msg->msgid,
                           .rq = &msg->request,
                           .out = out };
    size_t first;

    out_log(out, LOG_EV_DEBUG2, LOG_IN_REQUEST, "",
            "Type %u request received from %s@%s, sock=%u", msg->request.number,
            msg->request.user, peer, (unsigned)(stream & STREAM_NUMBER_BITS));
    first = out->n;
    take(&a, known);
    log_refusal(&a, first);
}
