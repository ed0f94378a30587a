/* life.c - a job's way from its start to the server's last word about it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

#include "lib/base/instant.h"

#include <signal.h>
#include <strings.h>

/* Exit statuses with which the server runs a job again (execution.md 20). */
#define STATUS_RETRY (-3)

/* Jobs in one message about usage: some milliseconds of the server. */
#define UPDATES_MOST 500

static void save(const struct mom_job *j, struct mom_out *out)
{
    out_job(out, MOM_SAVE, j);
}

/* No deadline costs a look at other jobs: each job has the earliest of its own among
 * m->due. An obituary waits for a server that is registered, and then goes to it at
 * once (link_hello_reply()). */
int64_t life_due_at(const struct mom *m, const struct mom_job *j)
{
    int64_t at = usage_walltime_end(m, j);

    if (job_has_processes(j))
        at = MIN_OF(at, MIN_OF(j->kill_at, checkpoint_due_at(m, j)));
    /* Before there is a session a signal finds nobody: a start that shall end is given
     * time to report, and then its shepherd is killed. */
    if (j->phase == JOB_PRERUN)
        at = MIN_OF(at, instant_after(j->kill_at, START_GRACE_S));
    if (j->phase == JOB_OBIT && m->registered && !j->is_dropped)
        at = MIN_OF(at, j->obit_at + OBIT_REPEAT_S);
    if (j->is_wide)
        at = MIN_OF(at, j->is_sister ? sister_due_at(m, j) : superior_due_at(m, j));
    return at;
}

void life_reckon(struct mom *m, struct mom_job *j)
{
    deadline_set(&m->due, &j->due, life_due_at(m, j));
}

void life_reckon_wide(struct mom *m)
{
    struct mom_job *j;

    DL_FOREACH2 (m->wide, j, wide_next)
        life_reckon(m, j);
}

static void clock_stop(struct mom_job *j, int64_t now_at)
{
    /* A clock that was set back adds nothing. */
    if (j->since_at && now_at > j->since_at)
        j->walltime_s += now_at - j->since_at;
    j->since_at = 0;
}

void life_stop_clock(struct mom *m, int64_t now_at, struct mom_job *j)
{
    clock_stop(j, now_at);
    life_reckon(m, j);
}

void life_start_clock(struct mom *m, int64_t now_at, struct mom_job *j)
{
    if (!j->since_at)
        j->since_at = now_at;
    life_reckon(m, j);
}

void life_preset(struct mom_job *j, int32_t status)
{
    /* The reason comes first and the end of the processes later; what they end with
     * does not replace the reason (execution.md 20). */
    if (!j->status_is_set) {
        j->status = status;
        j->status_is_set = true;
    }
}

void life_poll_soon(struct mom *m, int64_t now_at)
{
    m->sample_interval_s = m->cfg.min_check_poll_s;
    m->sample_at = MIN_OF(m->sample_at, now_at + m->sample_interval_s);
}

static void add_set(struct wire_attrs *list, struct arena *arena, const char *name,
                    const char *value)
{
    if (value)
        wire_attrs_add(list, arena, name, NULL, arena_strdup(arena, value),
                       WIRE_OP_SET);
}

static const char *home_of(const struct mom_job *j, struct arena *arena)
{
    const char *jobdir = wire_attrs_value(&j->attrs, "jobdir", NULL);
    const char *vars = wire_attrs_value(&j->attrs, "Variable_List", NULL);
    /* The home directory of the host where the job was submitted is as near as the core
     * can come: accounts are known to the shell only. */
    const char *at = vars ? strstr(vars, "PBS_O_HOME=") : NULL;

    if (jobdir || !at)
        return jobdir;
    at += strlen("PBS_O_HOME=");
    return arena_strndup(arena, at, strcspn(at, ","));
}

void mom_set_jobdir(struct mom *m, const char *job_id, const char *path)
{
    struct wire_attr attr = { .name = "jobdir", .value = path };
    const struct wire_attrs one = { .n = 1, .v = &attr };
    struct mom_job *j = job_find(m, job_id);
    struct arena *arena = arena_new();
    const char *known = j ? home_of(j, arena) : NULL;

    if (j && !(known && strcmp(known, path) == 0))
        job_replace_attrs(j, &one);
    arena_free(arena);
}

/* The first update is what makes the job run in the server's eyes. */
static struct is_job_update update_of(const struct mom *m, const struct mom_job *j,
                                      int64_t now_at, bool first, struct arena *arena)
{
    struct is_job_update u = { .job_id = arena_strdup(arena, j->id),
                               .run_version = j->run_version };

    if (first)
        wire_attrs_add(&u.attrs, arena, "session_id", NULL,
                       arena_printf(arena, "%d", j->top.session), WIRE_OP_SET);
    usage_attrs(m, j, now_at, &u.attrs, arena);
    if (first) {
        add_set(&u.attrs, arena, "Error_Path",
                wire_attrs_value(&j->attrs, "Error_Path", NULL));
        add_set(&u.attrs, arena, "Output_Path",
                wire_attrs_value(&j->attrs, "Output_Path", NULL));
        add_set(&u.attrs, arena, "jobdir", home_of(j, arena));
        /* Where it lies may be this MoM's word. */
        if (wire_attrs_value(&j->attrs, "tolerate_node_failures", NULL))
            add_set(&u.attrs, arena, "exec_vnode",
                    wire_attrs_value(&j->attrs, "exec_vnode", NULL));
    }
    return u;
}

/* The next usage of a suspended job is that of its end. */
static bool has_news(const struct mom_job *j)
{
    return job_has_processes(j) && !j->is_dropped && !j->is_sister &&
           !j->checkpoint.is_restarting && !(j->is_told && j->phase == JOB_SUSPENDED);
}

static void add_update(const struct mom *m, int64_t now_at, struct mom_job *j,
                       struct is_message *msg, struct arena *arena)
{
    MUST(msg->n_updates < UPDATES_MOST);
    msg->updates[msg->n_updates++] = update_of(m, j, now_at, !j->is_told, arena);
    j->is_told = true;
}

void life_tell(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    struct is_message msg = { .command = IS_RESCUSED };

    /* A server that registers later hears of all jobs then (link_hello_reply()). */
    if (!m->registered || !has_news(j))
        return;
    msg.updates = ARENA_ARRAY(out->arena, struct is_job_update, 1);
    add_update(m, now_at, j, &msg, out->arena);
    out_send(out, m->server, &msg);
}

/* All jobs that run. The server takes a message up as a whole, so a host of many jobs
 * sends several. */
static void send_updates(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct is_message msg = { .command = IS_RESCUSED };
    struct mom_job *j, *tmp;

    if (!m->registered)
        return;
    HASH_ITER (hh, m->jobs, j, tmp) {
        if (!has_news(j))
            continue;
        if (msg.n_updates == 0)
            msg.updates = ARENA_ARRAY(out->arena, struct is_job_update,
                                      MIN_OF(HASH_COUNT(m->jobs), UPDATES_MOST));
        add_update(m, now_at, j, &msg, out->arena);
        if (msg.n_updates == UPDATES_MOST) {
            out_send(out, m->server, &msg);
            msg.n_updates = 0;
        }
    }
    if (msg.n_updates > 0)
        out_send(out, m->server, &msg);
}

void life_tell_running(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct mom_job *j, *tmp;

    /* Perhaps this server is another one, or has lost what it was told. */
    HASH_ITER (hh, m->jobs, j, tmp)
        j->is_told = false;
    send_updates(m, now_at, out);
}

void life_send_obit(struct mom *m, int64_t now_at, struct mom_job *j,
                    struct mom_out *out)
{
    struct is_job_update u;
    struct is_message msg = { .command = IS_JOBOBIT, .n_updates = 1 };

    MUST(j->phase == JOB_OBIT);
    if (!m->registered)
        return;
    u = update_of(m, j, now_at, false, out->arena);
    u.status = j->status;
    msg.updates = arena_copy(out->arena, &u, sizeof(u));
    out_send(out, m->server, &msg);
    /* Answers come on the stream of the question only, so those that an earlier stream
     * owes are not waited for (obit.c). */
    j->n_obits = j->obit_stream == m->server ? j->n_obits + 1 : 1;
    j->obit_stream = m->server;
    j->obit_at = now_at;
    life_reckon(m, j);
    out_joblog(out, LOG_EV_DEBUG2, j, "Obit sent");
}

void life_send_obits(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct mom_job *j, *tmp;

    HASH_ITER (hh, m->jobs, j, tmp)
        if (j->phase == JOB_OBIT && !j->is_dropped)
            life_send_obit(m, now_at, j, out);
}

static void go_running(struct mom *m, int64_t now_at, struct mom_job *j,
                       struct mom_out *out)
{
    MUST(j->phase == JOB_PRERUN);
    job_set_phase(m, j, JOB_RUNNING);
    j->since_at = now_at;
    j->top.sampled_at = now_at;
    life_reckon(m, j);
    /* The program begins after its session is on disk. Otherwise a MoM that dies here
     * would start it a second time, not knowing of the first. */
    out_job(out, MOM_BEGIN, j);
    checkpoint_go_on(m, j, out);
    life_poll_soon(m, now_at);
    life_tell(m, now_at, j, out);
}

void life_start(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    /* How long a start may take is not limited: homes on a slow file server are legal.
     * Somebody has to want its end first (life_due_at()). */
    (void)now_at;
    job_set_phase(m, j, JOB_PRERUN);
    if (host_list_is_single(j))
        life_start_top(m, j, out);
    else
        superior_begin(m, j, out);
}

void life_start_top(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    (void)m;
    MUST(j->phase == JOB_PRERUN && !j->is_joining && !j->is_sister);
    out_job(out, MOM_START, j);
}

void mom_started(struct mom *m, int64_t now_at, const char *job_id, int32_t session,
                 int32_t status, const char *text, struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    /* The executor reports late, perhaps about a job that was given up meanwhile. */
    if (!j || j->phase != JOB_PRERUN || j->is_joining || j->is_sister)
        return;
    job_forget_script(j);
    if (session <= 0) {
        if (text)
            out_joblog(out, LOG_EV_ERROR, j, "%s", text);
        out_joblog(out, LOG_EV_ERROR, j, "job not started, %s %d",
                   status == STATUS_RETRY ? "Retry" : "Failure", status);
        /* The disk may be full: then the server hears of that before the job is back in
         * its queue. */
        if (status == STATUS_RETRY)
            out_add(out, MOM_TRY_NOTE);
        life_preset(j, status);
        life_end(m, now_at, j, status, out);
        return;
    }
    j->top.session = session;
    if (text)
        out_joblog(out, LOG_EV_JOB, j, "%s", text);
    else
        out_joblog(out, LOG_EV_JOB, j, "Started, pid = %d", session);
    go_running(m, now_at, j, out);
    /* The order to forget the job came while it was starting, when there was no session
     * to kill. */
    if (j->is_dropped)
        out_kill(out, j, SIGKILL);
}

static void log_usage(const struct mom *m, const struct mom_job *j, struct mom_out *out)
{
    int64_t s = job_scaled(j->top.used.cput_s, m->cfg.cputmult);

    out_joblog(out, LOG_EV_DEBUG2, j,
               "task %08X cput=%02" PRId64 ":%02" PRId64 ":%02" PRId64, j->top.number,
               s / 3600, s / 60 % 60, s % 60);
    out_joblog(out, LOG_EV_DEBUG2, j,
               "%s cput=%02" PRId64 ":%02" PRId64 ":%02" PRId64 " mem=%" PRId64 "kb",
               m->cfg.host, s / 3600, s / 60 % 60, s % 60, j->top.used.mem_kb);
}

void life_end(struct mom *m, int64_t now_at, struct mom_job *j, int32_t status,
              struct mom_out *out)
{
    bool had_processes = job_has_processes(j);

    checkpoint_abandon(m, j, out);
    life_preset(j, status);
    clock_stop(j, now_at);
    j->kill_at = INT64_MAX;
    j->is_terminating = false;
    /* The top process has ended; what it has left behind in its session does not
     * outlive the job (execution.md 19). */
    if (had_processes)
        out_kill(out, j, SIGKILL);
    if (j->is_dropped) {
        job_set_phase(m, j, JOB_OBIT); /* nothing starts any more */
        life_drop(m, j, out);
        return;
    }
    if (had_processes)
        log_usage(m, j, out);
    if (superior_kill(m, now_at, j, out)) {
        job_set_phase(m, j, JOB_KILLING);
        life_reckon(m, j);
        save(j, out);
        return;
    }
    life_over(m, now_at, j, out);
}

/* "ncpus=1,place=pack": what the attribute of that name says of resources. */
static const char *resources_text(const struct wire_attrs *attrs, const char *name,
                                  struct arena *arena)
{
    struct buf text = { 0 };
    const char *copy;

    for (size_t i = 0; i < attrs->n; i++) {
        const struct wire_attr *a = &attrs->v[i];

        if (strcmp(a->name, name) == 0 && a->resource)
            buf_printf(&text, "%s%s=%s", text.len ? "," : "", a->resource, a->value);
    }
    copy = arena_strndup(arena, text.data, text.len);
    buf_fini(&text);
    return copy;
}

/* No record is written for it: a MoM that ends meanwhile finds the end of the job's
 * processes again, and then the script runs once more. */
static void begin_epilogue(struct mom *m, int64_t now_at, struct mom_job *j,
                           struct mom_out *out)
{
    struct wire_attrs used = { 0 };
    struct mom_effect *e = out_add(out, MOM_EPILOGUE);

    job_set_phase(m, j, JOB_EPILOGUE);
    life_reckon(m, j);
    usage_attrs(m, j, now_at, &used, out->arena);
    e->job_id = arena_strdup(out->arena, j->id);
    e->u.epilogue.session = j->top.session;
    e->u.epilogue.status = j->status;
    e->u.epilogue.asked = resources_text(&j->attrs, "Resource_List", out->arena);
    e->u.epilogue.used = resources_text(&used, "resources_used", out->arena);
}

/* The server is told the end. */
static void tell_end(struct mom *m, int64_t now_at, struct mom_job *j,
                     struct mom_out *out)
{
    job_set_phase(m, j, JOB_OBIT);
    life_reckon(m, j);
    /* The end is on disk before the server hears of it, so a restart repeats the same
     * status. */
    save(j, out);
    life_send_obit(m, now_at, j, out);
}

void life_over(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    if (m->cfg.runs_epilogues)
        begin_epilogue(m, now_at, j, out);
    else
        tell_end(m, now_at, j, out);
}

void mom_epilogue_done(struct mom *m, int64_t now_at, const char *job_id, int code,
                       struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    /* What the script ended with changes nothing of the job's end (execution.md 16). */
    (void)code;
    if (j && j->phase == JOB_EPILOGUE)
        tell_end(m, now_at, j, out);
}

void mom_exited(struct mom *m, int64_t now_at, const char *job_id, int32_t status,
                const struct mom_usage *used, struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    /* The core may have given the job up meanwhile, which the executor hears of
     * later. */
    if (!j || (!job_has_processes(j) && j->phase != JOB_PRERUN))
        return;
    if (used)
        usage_ended(m, j, now_at, used);
    spawned_tell_end(m, j, j->top.number, status, out);
    out_joblog(out, LOG_EV_DEBUG, j, "task %08X terminated", j->top.number);
    out_joblog(out, LOG_EV_JOB, j, "Terminated");
    clock_stop(j, now_at);
    if (!checkpoint_keeps_end(j, status))
        life_end(m, now_at, j, status, out);
    else
        life_reckon(m, j);
}

static void kill_late(int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    if (now_at < j->kill_at || !job_has_processes(j))
        return;
    j->kill_at = INT64_MAX;
    out_joblog(out, LOG_EV_JOB, j, "kill_job");
    out_kill(out, j, SIGKILL);
}

/* A restart in between must not forget the script, or that SIGKILL follows. */
static void note_termination(struct mom_job *j, bool terminates, struct mom_out *out)
{
    struct wire_attr attr = { .name = JOB_TERMINATES, .value = terminates ? "1" : "0" };
    const struct wire_attrs one = { .n = 1, .v = &attr };

    j->is_terminating = terminates;
    job_replace_attrs(j, &one);
    save(j, out);
}

static void kill_after_delay(struct mom *m, int64_t now_at, struct mom_job *j)
{
    int64_t delay = job_number(j, "job_kill_delay", NULL, KILL_DELAY_S);

    /* A second request does not put off the end that the first one has set. */
    j->kill_at = MIN_OF(j->kill_at, instant_after(now_at, MAX_OF(delay, 0)));
    life_reckon(m, j);
}

void life_terminate(struct mom *m, int64_t now_at, struct mom_job *j,
                    struct mom_out *out)
{
    MUST(job_has_processes(j));
    if (j->is_terminating)
        return; /* the script is at it */
    out_joblog(out, LOG_EV_JOB, j, "kill_job");
    if (checkpoint_was_last(m, now_at, j, out))
        return;
    if (j->phase == JOB_SUSPENDED || job_stands(j))
        /* Stopped processes take no SIGTERM before they go on. */
        out_kill(out, j, SIGCONT);
    if (m->cfg.terminates) {
        note_termination(j, true, out);
        out_job(out, MOM_TERMINATE, j);
    } else {
        kill_after_delay(m, now_at, j);
        /* A MoM that dies behind the signal shall know why the processes have ended. */
        save(j, out);
        out_kill(out, j, SIGTERM);
    }
    life_poll_soon(m, now_at);
}

void mom_terminated(struct mom *m, int64_t now_at, const char *job_id, bool went_well,
                    struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    if (!j || !j->is_terminating || !job_has_processes(j))
        return;
    kill_after_delay(m, now_at, j);
    note_termination(j, false, out);
    if (went_well)
        return;
    out_joblog(out, LOG_EV_ADMIN, j, "Terminate action failed");
    j->kill_at = now_at;
    kill_late(now_at, j, out);
    life_reckon(m, j);
}

/* A script whose end the MoM has not seen is begun anew. */
static void recover_end(struct mom *m, int64_t now_at, struct mom_job *j,
                        struct mom_out *out)
{
    const char *word = wire_attrs_value(&j->attrs, JOB_TERMINATES, NULL);

    if (word && *word == '1')
        life_terminate(m, now_at, j, out);
}

void life_suspend(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    MUST(j->phase == JOB_RUNNING);
    /* The accounting of the suspension has what was used so far, and nothing is told of
     * a suspended job. */
    life_tell(m, now_at, j, out);
    out_joblog(out, LOG_EV_JOB, j, "job suspended");
    clock_stop(j, now_at);
    job_set_phase(m, j, JOB_SUSPENDED);
    life_reckon(m, j);
    /* In this order: standing.c. */
    save(j, out);
    out_kill(out, j, m->cfg.suspend_signo);
}

void life_resume(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    MUST(j->phase == JOB_SUSPENDED);
    out_joblog(out, LOG_EV_JOB, j, "job resumed");
    job_set_phase(m, j, JOB_RUNNING);
    if (!job_stands(j)) {
        out_kill(out, j, m->cfg.resume_signo);
        j->since_at = now_at;
    }
    life_reckon(m, j);
    save(j, out);
}

/* Output that its user wants kept on this host lies in its directory too. */
static bool keeps_output(const struct mom_job *j)
{
    const char *keep = wire_attrs_value(&j->attrs, "Keep_Files", NULL);

    return keep && strpbrk(keep, "oe") && !strchr(keep, 'd');
}

static void fill_drop(const struct mom_job *j, struct mom_effect *e,
                      struct arena *arena)
{
    const char *word = wire_attrs_value(&j->attrs, "sandbox", NULL);
    const char *dir = wire_attrs_value(&j->attrs, "jobdir", NULL);
    const char *user = wire_attrs_value(&j->attrs, "euser", NULL);

    e->u.drop.run_version = j->run_version;
    if (word && dir && user && strcasecmp(word, "PRIVATE") == 0 && !j->is_sister &&
        !keeps_output(j) && !wire_attrs_value(&j->attrs, JOB_UNDELIVERED, NULL)) {
        e->u.drop.sandbox = arena_strdup(arena, dir);
        e->u.drop.user = arena_strdup(arena, user);
    }
}

void life_drop(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    if (!j->is_dropped)
        superior_forget(m, j, out);
    checkpoint_abandon(m, j, out);
    if (job_has_processes(j)) {
        out_joblog(out, LOG_EV_JOB, j, "kill_job");
        out_kill(out, j, SIGKILL);
    }
    /* A child that copies or starts still works with the job's files: the job stays
     * until that child is done, hidden from all requests by is_dropped. */
    if (j->n_copying || (j->phase == JOB_PRERUN && !j->is_joining && !j->is_sister)) {
        if (j->phase == JOB_PRERUN && !j->is_dropped)
            out_kill(out, j, SIGKILL); /* nobody waits for what it may wait for */
        j->is_dropped = true;
        life_reckon(m, j);
        return;
    }
    out_job(out, MOM_DROP, j);
    /* The shell removes files of this run by its number, and the job is freed before
     * the shell hears of that. */
    fill_drop(j, &out->v[out->n - 1], out->arena);
    job_free(m, j);
}

/* The start waits for something, a file server perhaps. Without its shepherd it has
 * failed. */
static void give_up_start(int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    if (j->phase != JOB_PRERUN || j->is_joining ||
        now_at < instant_after(j->kill_at, START_GRACE_S))
        return;
    j->kill_at = INT64_MAX;
    out_joblog(out, LOG_EV_ERROR, j, "the start does not come to an end, kill_job");
    out_kill(out, j, SIGKILL);
}

static void tick_job(struct mom *m, int64_t now_at, struct mom_job *j,
                     struct mom_out *out)
{
    kill_late(now_at, j, out);
    give_up_start(now_at, j, out);
    if (now_at >= usage_walltime_end(m, j))
        usage_enforce(m, now_at, j, out);
    checkpoint_tick(m, now_at, j, out);
    if (j->phase == JOB_OBIT && !j->is_dropped && now_at >= j->obit_at + OBIT_REPEAT_S)
        life_send_obit(m, now_at, j, out);
    if (j->is_wide) {
        if (j->is_sister ? sister_tick(m, now_at, j, out)
                         : superior_tick(m, now_at, j, out))
            return; /* it is gone */
    }
    /* The clock of the MoM counts whole seconds, and a job whose next deadline is not
     * later than now would be taken again in this same turn, for ever. */
    deadline_set(&m->due, &j->due, MAX_OF(life_due_at(m, j), now_at + 1));
}

static void poll_sisters(struct mom *m, struct mom_out *out)
{
    struct mom_job *j, *next;

    DL_FOREACH_SAFE2 (m->wide, j, next, wide_next)
        /* Sisters give up what they have of a suspended job as well, when its mother
         * superior is not heard of. */
        if (!j->is_sister && job_has_processes(j))
            superior_poll(m, j, out);
}

static void tick_sample(struct mom *m, int64_t now_at, struct mom_out *out)
{
    /* Twenty samples, rounded up, lead from the fastest interval to the slowest
     * (execution.md 17). */
    int64_t step = (m->cfg.max_check_poll_s - m->cfg.min_check_poll_s + 19) / 20;

    if (now_at < m->sample_at)
        return;
    /* The next job that runs sets the time again (life_poll_soon()). */
    if (m->n_running == 0) {
        m->sample_at = INT64_MAX;
        return;
    }
    m->sample_at = now_at + m->sample_interval_s;
    m->sample_interval_s =
        m->registered ? MIN_OF(m->sample_interval_s + step, m->cfg.max_check_poll_s)
                      : m->cfg.max_check_poll_s;
    out_add(out, MOM_SAMPLE);
    poll_sisters(m, out);
}

void mom_pretend_usage(struct mom *m, const char *job_id)
{
    struct mom_job *j = job_find(m, job_id);

    if (j)
        j->top.is_pretended = true;
}

void life_tick(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct deadline *d;

    while ((d = deadlines_take(&m->due, now_at)))
        tick_job(m, now_at, STRUCT_OF(d, struct mom_job, due), out);
    tick_sample(m, now_at, out);
}

/* Its processes live: its limits count from now on. */
static void note_seen(struct mom *m, struct mom_job *j)
{
    if (!j->is_unseen)
        return;
    j->is_unseen = false;
    life_reckon(m, j);
}

void mom_used(struct mom *m, int64_t now_at, const char *job_id,
              const struct mom_usage *used)
{
    struct mom_job *j = job_find(m, job_id);

    /* The job may have ended while /proc was read, and suspended jobs are not sampled
     * (execution.md 17). */
    if (!j || j->phase != JOB_RUNNING)
        return;
    usage_live(m, j, now_at, used);
    note_seen(m, j);
}

void mom_used_in_all(struct mom *m, int64_t now_at, const char *job_id,
                     const struct mom_usage *used)
{
    struct mom_job *j = job_find(m, job_id);

    if (!j || !job_has_processes(j))
        return;
    usage_take(m, j, now_at, used);
    note_seen(m, j);
}

void mom_out_of_memory(struct mom *m, int64_t now_at, const char *job_id,
                       struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    if (j && job_has_processes(j))
        usage_out_of_memory(m, now_at, j, out);
}

void mom_sampled(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct mom_job *j, *tmp;

    HASH_ITER (hh, m->jobs, j, tmp) {
        usage_enforce(m, now_at, j, out);
        checkpoint_tick(m, now_at, j, out);
    }
    send_updates(m, now_at, out);
}

int64_t life_deadline(const struct mom *m)
{
    return MIN_OF(m->sample_at, deadlines_next(&m->due));
}

void life_give_back(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    MUST(job_has_processes(j));
    out_joblog(out, LOG_EV_JOB, j, "kill_job");
    checkpoint_abandon(m, j, out);
    life_preset(j, checkpoint_status_of_restart(j));
    /* The status comes first: if the MoM dies in between, the next one still says that
     * the server shall run the job again. */
    save(j, out);
    out_kill(out, j, SIGKILL);
}

/* Without -p nothing of it is kept; with it the mother superior hears that it is here
 * (tpp.md 6.6). */
static void recover_sister(struct mom *m, int64_t now_at, bool kill_jobs,
                           struct mom_job *j, struct mom_out *out)
{
    /* Its record is written before the join is answered, and not again then: the mother
     * superior may count on this host. */
    if (j->phase == JOB_PRERUN && !kill_jobs) {
        job_set_phase(m, j, JOB_RUNNING);
        j->since_at = now_at;
    }
    if (job_has_processes(j) && !kill_jobs) {
        sister_recover_image(j, out);
        sister_reconnect(m, now_at, j, out);
        return;
    }
    out_kill(out, j, SIGKILL);
    life_drop(m, j, out);
}

static void recover(struct mom *m, int64_t now_at, bool kill_jobs, struct mom_job *j,
                    struct mom_out *out)
{
    if (j->is_sister) {
        recover_sister(m, now_at, kill_jobs, j, out);
        return;
    }
    if (j->phase == JOB_EXITED || j->phase == JOB_OBIT) {
        job_set_phase(m, j, JOB_OBIT); /* the server says once more what it wants */
        return;
    }
    if (j->phase == JOB_KILLING || j->phase == JOB_EPILOGUE) {
        job_set_phase(m, j, JOB_KILLING);
        checkpoint_abandon(m, j, out); /* it may have ended while one was made */
        if (!superior_kill(m, now_at, j, out))
            life_over(m, now_at, j, out);
        return;
    }
    if (!job_has_processes(j)) {
        if (!j->is_lost)
            out_joblog(out, LOG_EV_JOB, j, "the MoM ended before the job began");
        life_end(m, now_at, j,
                 j->is_lost ? checkpoint_status_of_restart(j) : STATUS_RETRY, out);
        return;
    }
    superior_recover(j);
    checkpoint_recover(m, now_at, j, out);
    if (kill_jobs)
        life_give_back(m, j, out);
    else
        recover_end(m, now_at, j, out);
}

/* A job that ran and of which nothing is found is lost. One that was accepted and had
 * not begun goes back to the server, which may have given it up meanwhile and let it
 * run elsewhere: only the server knows whether it shall still begin. */
bool mom_load(struct mom *m, const char *data, size_t len, const char **ret_id)
{
    struct mom_job *j = job_decode(m, data, len);

    if (!j)
        return false;
    *ret_id = j->id;
    if (j->phase == JOB_RESTING) {
        resting_add(m, j);
        return true;
    }
    if (j->is_sister)
        return true; /* it has no top task that could be lost */
    if (job_has_processes(j)) {
        j->is_lost = true;
        j->was = j->phase;
        job_set_phase(m, j, JOB_PRERUN);
    }
    return true;
}

void mom_found(struct mom *m, const char *job_id, bool running, int32_t status)
{
    struct mom_job *j = job_find(m, job_id);

    if (!j || !j->is_lost)
        return;
    MUST(j->was == JOB_RUNNING || j->was == JOB_SUSPENDED); /* mom_load() */
    j->is_lost = false;
    j->is_unseen = running;
    if (running || checkpoint_keeps_end(j, status)) {
        job_set_phase(m, j, j->was);
        if (!running)
            clock_stop(j, j->since_at);
    } else {
        /* What comes after the end of its processes is done by mom_start(). */
        life_preset(j, status);
        job_set_phase(m, j, JOB_KILLING);
    }
}

void mom_start(struct mom *m, int64_t now_at, bool kill_jobs, struct mom_out *out)
{
    struct mom_job *j, *tmp;

    HASH_ITER (hh, m->jobs, j, tmp) {
        const char *id = arena_strdup(out->arena, j->id);

        recover(m, now_at, kill_jobs, j, out);
        j = job_find(m, id); /* a sister's part may be gone */
        if (!j)
            continue;
        standing_stop_again(m, j, out);
        life_reckon(m, j);
        if (job_has_processes(j))
            life_poll_soon(m, now_at);
    }
    standing_begin(m, now_at, out);
}
