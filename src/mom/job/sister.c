/* sister.c - a job of which another host's MoM is the mother superior (tpp.md 7.3).
 *
 * Everything of it here is tasks that were spawned. It stays until the mother superior
 * says that it is over, or has not been heard of for too long.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/row.h"

#include <signal.h>

#define ROUTER_GRACE_S                                                                 \
    60 /* after a loss of the router nobody is given up for so long */

static void refuse_join(uint64_t stream, const struct im_message *msg, int32_t code,
                        struct mom_out *out)
{
    const struct im_message no = { .job_id = arena_strdup(out->arena, msg->job_id),
                                   .cookie = arena_strdup(out->arena, msg->cookie),
                                   .command = IM_ERROR,
                                   .event = msg->event,
                                   .task = msg->task,
                                   .code = code };

    out_send_im(out, stream, &no);
}

static void okay(const struct mom_job *j, const struct asker *to,
                 enum im_command command, struct mom_out *out)
{
    const struct im_message ok = { .asked = command };

    spawned_answer(j, to, command, &ok, out);
}

/* The code with which it is refused; 0: it is fine. */
static int check_join(struct mom *m, const struct im_message *msg, struct mom_out *out)
{
    const char *user = wire_attrs_value(&msg->attrs, "euser", NULL);

    if (!job_id_is_fit(msg->job_id, out->arena) || !msg->cookie[0])
        return PBSE_IVALREQ;
    /* The job's record is made of them, and must be read again after a restart. */
    for (size_t i = 0; i < msg->attrs.n; i++)
        if (attr_find_any(&job_table, msg->attrs.v[i].name) < 0)
            return PBSE_NOATTR;
    if (!user || !user[0] || (m->cfg.only_user && strcmp(user, m->cfg.only_user) != 0))
        return PBSE_BADUSER;
    return 0;
}

/* It runs no longer, and neither does a script for its image. */
static void kill_all(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    sister_drop_image(m, j, out);
    if (spawned_n_live(j) > 0)
        out_kill(out, j, SIGKILL);
}

/* Its image is for the next start. */
static void bring_to_rest(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    j->is_killed = true;
    kill_all(m, j, out);
    sister_step(m, j, out);
}

/* The old copy has the image that the job is to go on from. The start that it is of has
 * failed, and this MoM was not there to hear it. */
static bool leaves_image_for(const struct mom_job *j, const struct im_message *join)
{
    return j->is_sister && !j->is_released && !j->is_dropped &&
           j->checkpoint.has_image && wire_attrs_value(&join->attrs, JOB_IMAGE, NULL);
}

/* An old copy goes: the job runs anew. False: the same join once more, or the old copy
 * cannot go yet, and the join waits for it. */
static bool clear_place(struct mom *m, uint64_t stream, const struct tpp_addr *from,
                        const struct im_message *msg, struct mom_out *out)
{
    struct mom_job *j = job_find(m, msg->job_id);
    const struct asker again = { .stream = stream, .event = msg->event };

    if (!j)
        return true;
    if (j->is_sister && !j->is_killed && !j->is_dropped &&
        strcmp(wire_attrs_value(&j->attrs, "cookie", NULL), msg->cookie) == 0) {
        j->ms_stream = stream;
        if (j->phase == JOB_STORING)
            j->joiner = again;
        else
            okay(j, &again, IM_JOIN_JOB, out);
        return false;
    }
    if (leaves_image_for(j, msg)) {
        bring_to_rest(m, j, out);
    } else {
        out_joblog(out, LOG_EV_JOB, j, "an old copy of the job is removed");
        out_kill(out, j, SIGKILL);
        if (j->phase == JOB_RECEIVING)
            job_free(m, j);
        else
            life_drop(m, j, out);
    }
    if (!job_find(m, msg->job_id))
        return true;
    joins_wait(m, stream, from, msg); /* something of it is still at work */
    return false;
}

void sister_join(struct mom *m, uint64_t stream, const struct tpp_addr *from,
                 const struct im_message *msg, struct mom_out *out)
{
    int code = check_join(m, msg, out);
    struct mom_job *j;

    if (code) {
        refuse_join(stream, msg, code, out);
        return;
    }
    joins_drop(m, msg->job_id); /* this order is the later one */
    if (!clear_place(m, stream, from, msg, out))
        return;
    j = job_new(m, msg->job_id, &msg->attrs);
    if (!host_list_find_own(m, j, &j->hosts.own) || j->hosts.own == 0) {
        out_joblog(out, LOG_EV_ERROR, j,
                   "no match for my hostname '%s' was found in exec_host2, possible "
                   "network misconfiguration",
                   m->cfg.host);
        job_free(m, j);
        refuse_join(stream, msg, PBSE_INTERNAL, out);
        return;
    }
    /* The first host is the mother superior's, and this is another one. */
    MUST(j->hosts.own > 0 && j->hosts.own < j->hosts.n);
    j->is_sister = true;
    job_note_limits(j); /* they are those of this host */
    j->n_tasks = 0;
    code = sister_take_over(m, j, out);
    if (code) {
        job_free(m, j);
        refuse_join(stream, msg, code, out);
        return;
    }
    mom_set_cookie(m, msg->job_id, msg->cookie);
    j->joiner = (struct asker){ .stream = stream, .event = msg->event };
    j->ms_stream = stream;
    j->ms_ip = tpp_addr_ip(from);
    j->out_port = msg->stdout_port;
    j->err_port = msg->stderr_port;
    job_set_phase(m, j, JOB_STORING);
    out_job(out, MOM_STORE, j);
}

void sister_stored(struct mom *m, int64_t now_at, struct mom_job *j,
                   const struct diag *why, struct mom_out *out)
{
    if (why) {
        spawned_refuse(j, &j->joiner, IM_JOIN_JOB, why->code, out);
        if (j->checkpoint.is_restart)
            job_free(m,
                     j); /* its files are those of the image, which goes on resting */
        else
            life_drop(m, j, out);
        return;
    }
    resting_forget(m, j->id);
    job_set_phase(m, j, JOB_PRERUN);
    if (j->is_killed) { /* before it was there */
        job_set_phase(m, j, JOB_EXITED);
        if (j->checkpoint.has_image)
            sister_rest(m, j, out);
        return;
    }
    job_set_phase(m, j, JOB_RUNNING);
    j->since_at = now_at;
    j->top.sampled_at = now_at;
    life_poll_soon(m, now_at);
    life_reckon(m, j);
    out_joblog(out, LOG_EV_JOB, j, "JOIN_JOB as node %zu", j->hosts.own);
    okay(j, &j->joiner, IM_JOIN_JOB, out);
}

static struct im_message usage_of(const struct mom_job *j, enum im_command asked)
{
    return (struct im_message){ .asked = asked,
                                .cput_s = (uint64_t)j->top.used.cput_s,
                                .mem_kb = (uint64_t)j->top.used.mem_kb,
                                .cpupercent = (uint64_t)MAX_OF(j->top.cpupercent, 0),
                                .kill_recommended =
                                    j->over ? -j->over : j->checkpoint.is_broken };
}

/* Nothing of the job lives here any more: what it has used is the last that is said of
 * it, so that the mother superior's server may give the host to others. */
static void leave(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    struct im_message resc = usage_of(j, IM_ALL_OKAY);

    MUST(j->is_released && spawned_n_live(j) == 0);
    resc.job_id = arena_strdup(out->arena, j->id);
    resc.cookie = arena_strdup(out->arena, wire_attrs_value(&j->attrs, "cookie", NULL));
    resc.command = IM_SEND_RESC;
    resc.event = j->killer.event;
    resc.host = arena_strdup(out->arena, j->hosts.v[j->hosts.own].name);
    if (j->killer.stream)
        out_send_im(out, j->killer.stream, &resc);
    left_host_tell(m, j, out);
    life_drop(m, j, out);
}

void sister_step(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    struct im_message used;

    if (!j->is_killed || spawned_n_live(j) > 0 || j->is_dropped)
        return;
    if (j->is_released) {
        leave(m, j, out);
        return;
    }
    if (job_has_processes(j)) {
        job_set_phase(m, j, JOB_EXITED);
        life_reckon(m, j);
        out_job(out, MOM_SAVE, j);
    }
    used = usage_of(j, IM_KILL_JOB);
    if (j->killer.stream)
        spawned_answer(j, &j->killer, IM_KILL_JOB, &used, out);
    j->killer.stream = 0;
    /* What is being stored has its image at rest yet: sister_stored() goes on. */
    if (j->checkpoint.has_image && j->phase != JOB_STORING)
        sister_rest(m, j, out);
}

/* Asked twice it answers twice: the first answer may have been lost with its stream. */
static void take_kill(struct mom *m, struct mom_job *j, const struct asker *to,
                      struct mom_out *out)
{
    out_joblog(out, LOG_EV_JOB, j, "KILL_JOB received");
    j->is_killed = true;
    j->killer = *to;
    kill_all(m, j, out);
    sister_step(m, j, out);
}

/* Nobody waits for these, so there is nothing to wait for here either. */
static void drop(struct mom *m, struct mom_job *j, const char *received,
                 struct mom_out *out)
{
    out_joblog(out, LOG_EV_JOB, j, "%s received", received);
    kill_all(m, j, out);
    resting_forget(m, j->id); /* the image goes with what goes on from it */
    life_drop(m, j, out);
}

/* The start has failed. An image that it began with is for the next one. */
static void take_abort(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    if (!j->checkpoint.is_restart) {
        drop(m, j, "ABORT_JOB", out);
        return;
    }
    out_joblog(out, LOG_EV_JOB, j, "ABORT_JOB received");
    bring_to_rest(m, j, out);
}

/* The job goes on without this host. */
static void take_release(struct mom *m, struct mom_job *j, const struct asker *to,
                         struct mom_out *out)
{
    out_joblog(out, LOG_EV_JOB, j, "DELETE_JOB2 received");
    j->is_released = true;
    j->is_killed = true;
    j->killer = *to;
    kill_all(m, j, out);
    if (job_has_processes(j)) {
        /* A MoM that is restarted now must not offer the host to the job again. */
        job_set_phase(m, j, JOB_KILLING);
        life_reckon(m, j);
        out_job(out, MOM_SAVE, j);
    }
    sister_step(m, j, out);
}

/* The answer says that it is so, not that it was done now: the order may come twice. */
static void take_stop(struct mom *m, struct mom_job *j, bool stop,
                      const struct asker *to, struct mom_out *out)
{
    enum job_phase phase = stop ? JOB_SUSPENDED : JOB_RUNNING;

    if (job_has_processes(j) && j->phase != phase) {
        job_set_phase(m, j, phase);
        life_reckon(m, j);
        if (!stop)
            out_kill(out, j, m->cfg.resume_signo);
        out_job(out, MOM_SAVE, j);
        if (stop)
            out_kill(out, j, m->cfg.suspend_signo);
    }
    okay(j, to, stop ? IM_SUSPEND : IM_RESUME, out);
}

/* What an update may say (tpp.md 7.2): not whose the job is, and nothing else that was
 * looked at when this host has joined. */
static struct wire_attrs where_of(const struct im_message *msg, struct arena *arena)
{
    static const char *const names[] = { "exec_vnode", "exec_host", "exec_host2",
                                         "schedselect" };
    struct wire_attrs some = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const char *value = wire_attrs_value(&msg->attrs, names[i], NULL);

        if (value && *value)
            wire_attrs_add(&some, arena, names[i], NULL, value, WIRE_OP_SET);
    }
    return some;
}

/* Where the job lies now. One that leaves this host out, or has it for the first, is
 * not taken: the mother superior says in other words (DELETE_JOB2) that the host is to
 * go, and until then it needs its place. */
static void take_update(struct mom *m, struct mom_job *j, const struct im_message *msg,
                        const struct asker *to, struct mom_out *out)
{
    const struct wire_attrs where = where_of(msg, out->arena);
    const char *exec_host2 = wire_attrs_value(&where, "exec_host2", NULL);
    const struct host_list was = j->hosts;

    if (exec_host2 && !host_list_has_sister(m, exec_host2, out->arena)) {
        out_joblog(out, LOG_EV_ERROR, j, "not a sister of the job by %s", exec_host2);
        okay(j, to, IM_UPDATE_JOB, out);
        return;
    }
    job_replace_attrs(j, &where);
    host_list_read(m, j);
    asked_move(j, &was, out);
    (void)host_list_find_own(m, j, &j->hosts.own);
    job_note_limits(j);
    out_job(out, MOM_SAVE, j);
    out_job(out, MOM_LIMIT, j);
    okay(j, to, IM_UPDATE_JOB, out);
}

void sister_take(struct mom *m, int64_t now_at, struct mom_job *j, uint64_t stream,
                 const struct tpp_addr *from, const struct im_message *msg,
                 struct mom_out *out)
{
    const struct asker to = { .stream = stream,
                              .event = msg->event,
                              .task = msg->task };
    const struct im_message used = usage_of(j, IM_POLL_JOB);

    (void)now_at;
    MUST(j->is_sister && !j->is_dropped); /* im_door.c has looked */
    switch (msg->command) {
    case IM_KILL_JOB:
        take_kill(m, j, &to, out);
        break;
    case IM_POLL_JOB:
        spawned_answer(j, &to, IM_POLL_JOB, &used, out);
        break;
    case IM_ABORT_JOB:
        take_abort(m, j, out);
        break;
    case IM_DELETE_JOB:
        drop(m, j, "DELETE_JOB", out);
        break;
    case IM_DELETE_JOB_REPLY:
        okay(j, &to, IM_DELETE_JOB_REPLY, out);
        drop(m, j, "DELETE_JOB", out);
        break;
    case IM_DELETE_JOB2:
        take_release(m, j, &to, out);
        break;
    case IM_SUSPEND:
    case IM_RESUME:
        take_stop(m, j, msg->command == IM_SUSPEND, &to, out);
        break;
    case IM_UPDATE_JOB:
        take_update(m, j, msg, &to, out);
        break;
    case IM_JOIN_RECOV_JOB:
        j->out_port = msg->stdout_port;
        j->err_port = msg->stderr_port;
        j->ms_ip = tpp_addr_ip(from);
        break;
    case IM_EXEC_PROLOGUE:
        okay(j, &to, IM_EXEC_PROLOGUE, out);
        break;
    case IM_CHECKPOINT:
    case IM_CHECKPOINT_ABORT:
        sister_checkpoint(m, j, msg, &to, out);
        break;
    case IM_RESTART:
        sister_restart(m, j, msg, &to, out);
        break;
    default: /* nothing here is set up for a platform */
        spawned_refuse(j, &to, msg->command, PBSE_NOSUP, out);
    }
}

void sister_lost(struct mom *m, int64_t now_at, uint64_t stream, struct mom_out *out)
{
    struct mom_job *j;

    DL_FOREACH2 (m->wide, j, wide_next) {
        if (!j->is_sister || j->ms_stream != stream || !stream)
            continue;
        j->ms_stream = 0;
        j->ms_lost_at = now_at;
        out_joblog(out, LOG_EV_ERROR, j,
                   "im_eof, lost communication with %s, not killing job yet",
                   j->hosts.v[0].name);
        life_reckon(m, j);
    }
}

int64_t sister_due_at(const struct mom *m, const struct mom_job *j)
{
    if (!j->ms_lost_at || !m->router_is_up || j->is_dropped)
        return INT64_MAX;
    return MAX_OF(j->ms_lost_at + m->cfg.max_poll_downtime_s + 1,
                  m->router_up_at + ROUTER_GRACE_S);
}

bool sister_tick(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    if (now_at < sister_due_at(m, j))
        return false;
    out_joblog(out, LOG_EV_ERROR, j, "lost connection to MS on %s", j->hosts.v[0].name);
    if (spawned_n_live(j) > 0)
        out_kill(out, j, SIGKILL);
    j->ms_lost_at = 0;
    /* It may have to stay until what works with its files is done. */
    life_drop(m, j, out);
    return true;
}

/* It does not know which of the hosts the mother superior is speaking from now, so all
 * are asked; the others ignore it (tpp.md 7.4). Until she answers she counts as lost.
 */
void sister_reconnect(struct mom *m, int64_t now_at, struct mom_job *j,
                      struct mom_out *out)
{
    j->ms_lost_at = now_at;
    m->last_event++;
    for (size_t i = 0; i < j->hosts.n; i++)
        if (i != j->hosts.own)
            asked_add(m, j, i, IM_RECONNECT_TO_MS, out);
}
