/* superior.c - what the mother superior of a job asks of its other hosts (tpp.md 7).
 *
 * Every question to a host is kept until it is answered, its stream has broken twice,
 * or it is too late. What the job does next is derived from the questions that are left
 * (superior_step()): when nobody has to join any more it starts, when nobody has to
 * kill any more it is over. So it does not matter in which order answers come.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

#include "lib/base/instant.h"

#include <signal.h>

#define DELETE_WAIT_S 240 /* tpp.md 5.8 */
#define ANSWER_WAIT_S 30  /* less than a server waits for the answer */
#define ROUTER_GRACE_S                                                                 \
    60 /* after a loss of the router nobody is given up for so long */
#define MOST_KB       (INT64_MAX / 1000000)
#define MOST_CPUT_S   (INT64_MAX / 1000000)

/* Exit statuses (execution.md 20). */
#define STATUS_RERUN  (-11)
#define STATUS_SISTER (-14)

size_t superior_n_members(const struct mom_job *j)
{
    size_t n = 0;

    for (size_t i = 0; i < j->hosts.n; i++)
        n += j->hosts.v[i].is_member;
    return n;
}

void superior_ask_members(struct mom *m, struct mom_job *j, enum im_command command,
                          struct mom_out *out)
{
    superior_ask_event(m, j, command, ++m->last_event, out);
}

void superior_ask_event(struct mom *m, struct mom_job *j, enum im_command command,
                        int32_t event, struct mom_out *out)
{
    for (size_t i = 0; i < j->hosts.n; i++)
        if (j->hosts.v[i].is_member)
            asked_add_event(m, j, i, command, event, out);
}

void superior_tell_members(struct mom *m, struct mom_job *j, enum im_command command,
                           struct mom_out *out)
{
    struct reached *r, *next;

    HASH_ITER (hh, m->reached, r, next) {
        size_t host = host_list_find(j, r->host, r->port);
        struct im_message msg;

        if (!r->stream || host == j->hosts.n || !j->hosts.v[host].is_member)
            continue;
        msg = asked_message(j, command, 0, out->arena);
        out_send_im(out, r->stream, &msg);
    }
}

bool superior_kill(struct mom *m, int64_t now_at, struct mom_job *j,
                   struct mom_out *out)
{
    if (j->is_sister)
        return false;
    if (j->waiter_msgid) { /* what was to be done first will not be done any more */
        out_reply(out, j->waiter_stream, j->waiter_msgid, PBSE_BADSTATE);
        j->waiter_msgid = NULL;
        j->answer_by = INT64_MAX;
    }
    /* What tasks have asked is not answered any more: they are killed, too. */
    if (superior_n_members(j) == 0)
        return false;
    asked_drop_all(j);
    j->answer_by = now_at + m->cfg.max_poll_downtime_s;
    superior_ask_members(m, j, IM_KILL_JOB, out);
    return true;
}

void superior_forget(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    if (j->is_sister || superior_n_members(j) == 0)
        return;
    asked_drop_all(j);
    /* A start that is aborted leaves the images that it began with. */
    superior_tell_members(
        m, j, j->is_joining && !j->checkpoint.is_restart ? IM_ABORT_JOB : IM_DELETE_JOB,
        out);
    for (size_t i = 0; i < j->hosts.n; i++)
        j->hosts.v[i].is_member = false;
    j->is_joining = false;
}

/* The request of the server is answered when 'command' has been answered by all. */
static void keep_waiting(struct mom *m, struct mom_job *j, enum im_command command,
                         int64_t until_at, uint64_t stream, const char *msgid)
{
    MUST(!j->waiter_msgid); /* one at a time */
    j->waiter_stream = stream;
    j->waiter_msgid = arena_strdup(j->arena, msgid);
    j->waits_for = command;
    j->waiter_code = 0;
    j->answer_by = until_at;
    life_reckon(m, j);
}

bool superior_ask_all(struct mom *m, int64_t now_at, struct mom_job *j,
                      enum im_command command, uint64_t stream, const char *msgid,
                      struct mom_out *out)
{
    bool ends = command == IM_DELETE_JOB_REPLY;

    if (j->is_sister || superior_n_members(j) == 0)
        return false;
    keep_waiting(m, j, command, now_at + (ends ? DELETE_WAIT_S : ANSWER_WAIT_S), stream,
                 msgid);
    superior_ask_members(m, j, command, out);
    return true;
}

void superior_poll(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    releasing_again(m, j, out);
    host_list_note_width(m, j);
    /* A host that has not answered the last time is not asked twice: its silence ends
     * with its stream, and then it counts as lost. */
    if (superior_n_members(j) > 0 && !asked_is_open(j, IM_POLL_JOB))
        superior_ask_members(m, j, IM_POLL_JOB, out);
}

/* The tasks of another host are known to that host alone, and it signals all of them
 * when it is asked to signal task 0. */
void superior_signal(struct mom *m, struct mom_job *j, int signo, struct mom_out *out)
{
    struct im_message order = { .job_id = j->id,
                                .cookie = wire_attrs_value(&j->attrs, "cookie", NULL),
                                .command = IM_SIGNAL_TASK,
                                .signo = signo };

    for (size_t i = 0; i < j->hosts.n; i++) {
        if (!j->hosts.v[i].is_member)
            continue;
        order.from_vnode = host_list_vnode_of(j, j->hosts.own);
        asked_add_order(m, j, i, &order, out);
    }
}

/* The job's hosts were others: those that are gone end what they have of it. */
static void go_apart(struct mom *m, struct mom_job *j, const struct host_list *was,
                     struct mom_out *out)
{
    host_list_read(m, j);
    asked_move(j, was, out);
    for (size_t i = 0; i < was->n; i++)
        if (was->v[i].is_member &&
            host_list_find(j, was->v[i].name, was->v[i].port) == j->hosts.n)
            releasing_add(m, j, &was->v[i], out);
    host_list_note_width(m, j);
    if (job_has_processes(j) &&
        (was->n != j->hosts.n || was->n_vnodes != j->hosts.n_vnodes))
        out_job(out, MOM_WHERE, j);
}

bool superior_rewidth(struct mom *m, int64_t now_at, struct mom_job *j, uint64_t stream,
                      const char *msgid, struct mom_out *out)
{
    const struct host_list was = j->hosts;

    if (j->is_sister)
        return false;
    go_apart(m, j, &was, out);
    /* Where a job lies matters to its other hosts, whatever else was altered. */
    if (j->waiter_msgid || (was.n == j->hosts.n && was.n_vnodes == j->hosts.n_vnodes &&
                            !releasing_is_open(j)))
        return false;
    if (superior_n_members(j) == 0 && !releasing_is_open(j))
        return false;
    keep_waiting(m, j, IM_UPDATE_JOB, now_at + ANSWER_WAIT_S, stream, msgid);
    superior_ask_members(m, j, IM_UPDATE_JOB, out);
    return true;
}

bool superior_prune(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    const struct host_list was = j->hosts;
    const char *before = wire_attrs_value(&j->attrs, "exec_vnode", NULL);
    struct wire_attrs where = { 0 };

    MUST(!j->is_sister);
    if (!tolerate_where(j, out->arena, &where))
        return false;
    out_joblog(out, LOG_EV_JOB, j, "pruned from exec_vnode=%s", before);
    job_replace_attrs(j, &where);
    out_joblog(out, LOG_EV_JOB, j, "pruned to exec_vnode=%s",
               wire_attrs_value(&j->attrs, "exec_vnode", NULL));
    go_apart(m, j, &was, out);
    job_note_limits(j);
    life_reckon(m, j);
    out_job(out, MOM_SAVE, j);
    superior_ask_members(m, j, IM_UPDATE_JOB, out);
    return true;
}

void superior_end(struct mom *m, int64_t now_at, struct mom_job *j, int32_t status,
                  struct mom_out *out)
{
    /* The first reason stays: what follows from an end is not another one. */
    life_preset(j, status);
    if (job_has_processes(j))
        life_terminate(m, now_at, j, out);
    else if (j->is_joining)
        superior_give_up(m, now_at, j, status, out);
    else if (j->phase == JOB_PRERUN)
        j->kill_at = now_at;
    life_reckon(m, j);
}

static bool finish_request(struct mom *m, int64_t now_at, struct mom_job *j,
                           struct mom_out *out)
{
    const char *msgid = j->waiter_msgid;
    int32_t code = j->waiter_code;

    MUST(msgid && !j->is_sister); /* a sister answers her superior, not the server */
    j->waiter_msgid = NULL;
    j->answer_by = INT64_MAX;
    if (!code && j->waits_for == IM_SUSPEND && j->phase == JOB_RUNNING)
        life_suspend(m, now_at, j, out);
    if (!code && j->waits_for == IM_RESUME && j->phase == JOB_SUSPENDED)
        life_resume(m, now_at, j, out);
    if (code) /* some hosts have done it, and others have not */
        in_step_settle_all(m, j, out);
    if (j->waiter_stream) /* else nobody has asked for it (resting.c) */
        out_reply(out, j->waiter_stream, msgid, code);
    host_list_note_width(m, j);
    life_reckon(m, j);
    if (j->waits_for != IM_DELETE_JOB_REPLY)
        return false;
    for (size_t i = 0; i < j->hosts.n; i++)
        j->hosts.v[i].is_member = false;
    life_drop(m, j, out);
    return true;
}

/* What follows from the questions that are left. Those of a sister are of her tasks,
 * and nothing follows. True: the job is gone. */
static bool superior_step(struct mom *m, int64_t now_at, struct mom_job *j,
                          struct mom_out *out)
{
    if (j->is_sister)
        return false;
    if (j->is_joining && j->joins_by &&
        (j->start_status || !asked_is_open(j, j->joins_by))) {
        joining_step(m, now_at, j, out);
    } else if (j->phase == JOB_KILLING && !asked_is_open(j, IM_KILL_JOB)) {
        j->answer_by = INT64_MAX;
        life_hosts_over(m, now_at, j, out);
    } else {
        image_step(m, now_at, j, out);
    }
    if (j->waiter_msgid && !asked_is_open(j, j->waits_for) &&
        !(j->waits_for == IM_UPDATE_JOB && releasing_is_open(j) &&
          j->answer_by != INT64_MAX))
        return finish_request(m, now_at, j, out);
    return false;
}

/* The host will not do what it was asked for. */
static void take_failure(struct mom_job *j, const struct asked *a, int32_t code,
                         const char *text, struct mom_out *out)
{
    struct job_host *h = &j->hosts.v[a->host];

    if (a->client) {
        task_door_answer(j, a, code, NULL, out);
        return;
    }
    in_step_heard(j, a->host, a->command, false);
    if (image_has_asked(j, a)) {
        image_refused(j, a, code, text, out);
    } else if (a->command == IM_JOIN_JOB || a->command == IM_EXEC_PROLOGUE ||
               a->command == IM_RESTART) {
        joining_failed(j, a, code, out);
    } else if (a->command == IM_UPDATE_JOB) {
        /* The job goes on as long as it may without that host, which is told when it
         * speaks again (doc/design/056). */
        h->is_stale = true;
        out_joblog(out, LOG_EV_ERROR, j, "sister node %s failed to update job",
                   h->name);
    } else if (a->command == j->waits_for) {
        j->waiter_code = PBSE_SISCOMM;
    }
}

/* No host uses more than sums of all can hold, whatever it says. */
static void take_usage(struct job_host *h, const struct im_message *msg)
{
    h->used.cput_s = MAX_OF(h->used.cput_s, (int64_t)MIN_OF(msg->cput_s, MOST_CPUT_S));
    h->used.mem_kb = MAX_OF(h->used.mem_kb, (int64_t)MIN_OF(msg->mem_kb, MOST_KB));
    h->cpupercent = (int64_t)MIN_OF(msg->cpupercent, INT32_MAX);
}

static void take_success(struct mom *m, int64_t now_at, struct mom_job *j,
                         const struct asked *a, const struct im_message *msg,
                         struct mom_out *out)
{
    struct job_host *h = &j->hosts.v[a->host];

    if (a->client)
        task_door_answer(j, a, 0, msg, out);
    if (j->is_sister) /* what the hosts are to do is not hers to say */
        return;
    if (image_has_asked(j, a))
        image_done(j, a);
    else
        image_heard(m, j, a->host, out);
    in_step_heard(j, a->host, a->command, true);
    in_step_settle(m, j, a->host, out);
    if (a->command == IM_UPDATE_JOB) {
        h->is_stale = false;
    } else if (h->is_stale && !asked_is_open(j, IM_UPDATE_JOB)) {
        m->last_event++;
        asked_add(m, j, a->host, IM_UPDATE_JOB, out);
    }
    if (a->command != IM_KILL_JOB && a->command != IM_POLL_JOB)
        return;
    take_usage(h, msg);
    if (a->command == IM_POLL_JOB && msg->kill_recommended && !j->status_is_set &&
        !usage_over_elsewhere(m, now_at, j, h->name, msg->kill_recommended, out))
        superior_end(m, now_at, j, STATUS_SISTER, out);
}

void superior_answer(struct mom *m, int64_t now_at, struct mom_job *j, uint64_t stream,
                     struct im_message *msg, struct mom_out *out)
{
    const struct reached *r = reach_of_stream(m, stream);
    size_t host = r ? host_list_find(j, r->host, r->port) : j->hosts.n;
    struct asked *a = host < j->hosts.n ? asked_find(j, host, msg->event) : NULL;
    struct asked was;
    int32_t code = 0;

    if (host < j->hosts.n)
        j->hosts.v[host].lost_at = 0; /* it speaks */
    if (!a && r && releasing_is_over(j, r, msg->event, 0)) {
        /* It has nothing of the job: there is nothing to be counted either. */
        (void)superior_step(m, now_at, j, out);
        return;
    }
    if (!a) {
        /* Said twice, or too late: nobody waits for it. */
        out_joblog(out, LOG_EV_DEBUG2, j, "event %d taskid %08X not found", msg->event,
                   msg->task);
        return;
    }
    was = *a;
    asked_free(j, a);
    was.arena = NULL; /* it went with the question */
    if (msg->command == IM_ERROR || msg->command == IM_ERROR2)
        code = msg->code ? msg->code : PBSE_SYSTEM;
    else if (im_decode_answer(msg, was.command, out->arena) != DIS_OK)
        code = PBSE_DISPROTO;
    if (code)
        take_failure(j, &was, code, msg->command == IM_ERROR2 ? msg->text : NULL, out);
    else
        take_success(m, now_at, j, &was, msg, out);
    life_reckon(m, j);
    (void)superior_step(m, now_at, j, out);
}

void superior_requeue(struct mom *m, int64_t now_at, struct mom_job *j,
                      struct mom_out *out)
{
    out_joblog(out, LOG_EV_JOB, j, "REQUEUE received");
    superior_end(m, now_at, j, STATUS_RERUN, out);
}

void superior_take_resc(struct mom *m, int64_t now_at, struct mom_job *j,
                        uint64_t stream, const struct im_message *msg,
                        struct mom_out *out)
{
    const struct reached *r = reach_of_stream(m, stream);

    /* Each is asked for one event, and answers it once. */
    if (!r ||
        !releasing_is_over(j, r, msg->event, (int64_t)MIN_OF(msg->cput_s, MOST_CPUT_S)))
        return;
    (void)superior_step(m, now_at, j, out);
}

void superior_rejoined(struct mom *m, struct mom_job *j, uint64_t stream,
                       struct mom_out *out)
{
    (void)stream;
    if (!job_has_processes(j))
        return;
    superior_ask_members(m, j, IM_JOIN_RECOV_JOB, out);
    in_step_settle_all(m, j, out);
}

/* The stream with the question on it is over. What must be heard is said once more on a
 * new one; the rest has failed (tpp.md 7.5). */
static void broken(struct mom *m, struct mom_job *j, struct asked *a,
                   struct mom_out *out)
{
    bool must_be_heard = a->command == IM_JOIN_JOB || a->command == IM_KILL_JOB ||
                         a->command == IM_UPDATE_JOB || a->command == IM_RESTART ||
                         a->command == IM_DELETE_JOB_REPLY;

    if (must_be_heard && !a->is_resent) {
        a->is_resent = true;
        a->is_sent = false;
        asked_send(m, j, a, out);
        return;
    }
    /* Who cannot be reached is not asked again to end what he had: he gives it up by
     * himself (sister.c). */
    if (a->command != IM_KILL_JOB)
        take_failure(j, a, PBSE_SISCOMM, NULL, out);
    asked_free(j, a);
}

static void note_lost(struct mom *m, int64_t now_at, struct mom_job *j, size_t host,
                      struct mom_out *out)
{
    struct job_host *h = &j->hosts.v[host];

    /* A start fails by its open questions, and an end does not need the host. */
    if (!job_has_processes(j) || !h->is_member)
        return;
    if (!h->lost_at)
        h->lost_at = now_at;
    out_log(out, LOG_EV_ERROR, LOG_IN_JOB, j->id,
            "im_eof, lost communication with %s, not killing job yet", h->name);
    life_reckon(m, j);
}

void superior_lost(struct mom *m, int64_t now_at, const struct reached *r,
                   struct mom_out *out)
{
    struct mom_job *j, *after;
    struct asked *a, *next;

    DL_FOREACH_SAFE2 (m->wide, j, after, wide_next) {
        size_t host = host_list_find(j, r->host, r->port);

        releasing_lost(m, j, r, out);
        if (host < j->hosts.n)
            note_lost(m, now_at, j, host, out);
        DL_FOREACH_SAFE (j->asked, a, next)
            if (a->host == host)
                broken(m, j, a, out);
        (void)superior_step(m, now_at, j, out);
    }
}

/* When the first of those who are lost has been lost for too long. */
static int64_t lost_until(const struct mom *m, const struct mom_job *j)
{
    int64_t at = INT64_MAX;

    if (!job_has_processes(j) || j->status_is_set || !m->router_is_up)
        return at;
    /* Nothing is told of a suspended job, so its vnodes stay what they are. */
    if (j->phase == JOB_SUSPENDED && job_tolerates_failures(j))
        return at;
    for (size_t i = 0; i < j->hosts.n; i++)
        if (j->hosts.v[i].lost_at)
            at = MIN_OF(at, j->hosts.v[i].lost_at + m->cfg.max_poll_downtime_s + 1);
    /* The router may be what was lost, for all of them. */
    return at == INT64_MAX ? at : MAX_OF(at, m->router_up_at + ROUTER_GRACE_S);
}

int64_t superior_due_at(const struct mom *m, const struct mom_job *j)
{
    return MIN_OF(MIN_OF(j->answer_by, image_due_at(j)), lost_until(m, j));
}

/* The lost ones are marked, and the job goes on without them if it may. */
static bool goes_on_without(struct mom *m, int64_t now_at, struct mom_job *j,
                            struct mom_out *out)
{
    if (!job_tolerates_failures(j))
        return false;
    for (size_t i = 0; i < j->hosts.n; i++) {
        struct job_host *h = &j->hosts.v[i];

        if (!h->lost_at || now_at <= h->lost_at + m->cfg.max_poll_downtime_s)
            continue;
        h->has_failed = true;
        out_joblog(out, LOG_EV_ERROR, j,
                   "lost communication with %s for > %" PRId64
                   " secs, the job goes on without it",
                   h->name, m->cfg.max_poll_downtime_s);
    }
    if (!superior_prune(m, j, out))
        return false;
    /* What the server takes for a start says where the job lies now. */
    j->is_told = false;
    life_tell(m, now_at, j, out);
    return true;
}

static void give_up_lost(struct mom *m, int64_t now_at, struct mom_job *j,
                         struct mom_out *out)
{
    if (goes_on_without(m, now_at, j, out))
        return;
    for (size_t i = 0; i < j->hosts.n && !j->status_is_set; i++) {
        const struct job_host *h = &j->hosts.v[i];

        if (!h->lost_at || now_at <= h->lost_at + m->cfg.max_poll_downtime_s)
            continue;
        out_joblog(out, LOG_EV_ERROR, j,
                   "lost communication with %s for > %" PRId64 " secs, killing job now",
                   h->name, m->cfg.max_poll_downtime_s);
        out_joblog(out, LOG_EV_ERROR, j, "node EOF %zu (%s)", i, h->name);
        superior_end(m, now_at, j, STATUS_SISTER, out);
    }
}

/* Who has not answered will not. */
static void too_late(const struct mom *m, struct mom_job *j, struct mom_out *out)
{
    struct asked *a, *next;

    if (j->is_joining && j->joins_by == IM_JOIN_JOB)
        out_joblog(out, LOG_EV_ERROR, j,
                   "sister_join_job_alarm wait time %" PRId64 " secs exceeded",
                   m->cfg.join_alarm_s);

    j->answer_by = INT64_MAX;
    /* A host that may be heard of again may still run what it had of the job: it is not
     * free, and goes on being asked. */
    if (releasing_is_open(j))
        j->waiter_code = PBSE_SISCOMM;
    DL_FOREACH_SAFE (j->asked, a, next) {
        if (a->command == IM_POLL_JOB || a->client || image_has_asked(j, a))
            continue;
        if (a->command != IM_KILL_JOB)
            take_failure(j, a, PBSE_SISCOMM, NULL, out);
        asked_free(j, a);
    }
}

bool superior_tick(struct mom *m, int64_t now_at, struct mom_job *j,
                   struct mom_out *out)
{
    if (now_at >= lost_until(m, j))
        give_up_lost(m, now_at, j, out);
    if (now_at >= j->answer_by)
        too_late(m, j, out);
    if (now_at >= image_due_at(j))
        image_too_late(j, out);
    return superior_step(m, now_at, j, out);
}

void superior_recover(struct mom_job *j)
{
    MUST(!j->is_sister);
    /* A release may have been cut off. */
    for (size_t i = 0; i < j->hosts.n; i++)
        j->hosts.v[i].is_stale = j->hosts.v[i].is_member;
    in_step_recover(j);
}
