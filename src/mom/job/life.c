/* life.c - a job's way from its start to the server's last word about it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#include "lib/base/instant.h"

#include <signal.h>

#define STATUS_RESTARTED (-4)
#define STATUS_KILLED    (256 + SIGKILL)
#define STATUS_TERM      (256 + SIGTERM)
#define FIRST_SESSION    1000

static void save(struct mom *m, const struct mom_job *j, struct mom_out *out)
{
    if (!m->cfg.mock)
        out_job(out, MOM_SAVE, j);
}

static void clock_stop(struct mom_job *j, int64_t now_at)
{
    if (j->since_at && now_at > j->since_at)
        j->walltime_s += now_at - j->since_at;
    j->since_at = 0;
}

void life_preset(struct mom_job *j, int32_t status)
{
    if (!j->status_is_set) {
        j->status = status;
        j->status_is_set = true;
    }
}

static void life_poll_soon(struct mom *m, int64_t now_at)
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
    const char *at = vars ? strstr(vars, "PBS_O_HOME=") : NULL;

    if (jobdir || !at)
        return jobdir;
    at += strlen("PBS_O_HOME=");
    return arena_strndup(arena, at, strcspn(at, ","));
}

/* The first update is what makes the job run in the server's eyes. */
static struct is_job_update update_of(const struct mom *m, const struct mom_job *j,
                                      int64_t now_at, bool first, struct arena *arena)
{
    struct is_job_update u = { .job_id = arena_strdup(arena, j->id),
                               .run_version = j->run_version };

    if (first)
        wire_attrs_add(&u.attrs, arena, "session_id", NULL,
                       arena_printf(arena, "%d", j->session), WIRE_OP_SET);
    usage_attrs(m, j, now_at, &u.attrs, arena);
    if (first) {
        add_set(&u.attrs, arena, "Error_Path",
                wire_attrs_value(&j->attrs, "Error_Path", NULL));
        add_set(&u.attrs, arena, "Output_Path",
                wire_attrs_value(&j->attrs, "Output_Path", NULL));
        add_set(&u.attrs, arena, "jobdir", home_of(j, arena));
    }
    return u;
}

/* One message with all jobs that run, or those of them that the server was not told of.
 */
static void send_updates(struct mom *m, int64_t now_at, bool only_untold,
                         struct mom_out *out)
{
    struct is_message msg = { .command = IS_RESCUSED };
    struct mom_job *j, *tmp;

    if (!m->registered)
        return;
    msg.updates = ARENA_ARRAY(out->arena, struct is_job_update, HASH_COUNT(m->jobs));
    HASH_ITER(hh, m->jobs, j, tmp)
    {
        if (!job_has_processes(j) || j->is_dropped || (only_untold && j->is_told))
            continue;
        if (j->is_told && j->phase == JOB_SUSPENDED)
            continue;
        msg.updates[msg.n_updates++] = update_of(m, j, now_at, !j->is_told, out->arena);
        j->is_told = true;
    }
    if (msg.n_updates)
        out_send(out, m->server, &msg);
}

void life_tell_running(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct mom_job *j, *tmp;

    HASH_ITER(hh, m->jobs, j, tmp)
    j->is_told = false;
    send_updates(m, now_at, false, out);
}

void life_send_obit(struct mom *m, int64_t now_at, struct mom_job *j,
                    struct mom_out *out)
{
    struct is_job_update u;
    struct is_message msg = { .command = IS_JOBOBIT, .n_updates = 1 };

    if (!m->registered)
        return;
    u = update_of(m, j, now_at, false, out->arena);
    u.status = j->status;
    msg.updates = arena_copy(out->arena, &u, sizeof(u));
    out_send(out, m->server, &msg);
    j->obit_at = now_at;
    out_joblog(out, LOG_EV_DEBUG2, j, "Obit sent");
}

void life_send_obits(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct mom_job *j, *tmp;

    HASH_ITER(hh, m->jobs, j, tmp)
    if (j->phase == JOB_OBIT && !j->is_dropped)
        life_send_obit(m, now_at, j, out);
}

static void go_running(struct mom *m, int64_t now_at, struct mom_job *j,
                       struct mom_out *out)
{
    j->phase = JOB_RUNNING;
    j->since_at = now_at;
    j->sampled_at = now_at;
    save(m, j, out);
    life_poll_soon(m, now_at);
    send_updates(m, now_at, true, out);
}

void life_start(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    j->phase = JOB_PRERUN;
    if (!m->cfg.mock) {
        out_job(out, MOM_START, j);
        return;
    }
    if (m->last_mock_session == 0)
        m->last_mock_session = FIRST_SESSION;
    j->session = ++m->last_mock_session;
    out_joblog(out, LOG_EV_JOB, j, "Started mock run of job");
    go_running(m, now_at, j, out);
}

void mom_started(struct mom *m, int64_t now_at, const char *job_id, int32_t session,
                 int32_t status, const char *text, struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    if (!j || j->phase != JOB_PRERUN)
        return;
    if (session <= 0) {
        if (text)
            out_joblog(out, LOG_EV_ERROR, j, "%s", text);
        out_joblog(out, LOG_EV_ERROR, j, "job not started, %s %d",
                   status == -3 ? "Retry" : "Failure", status);
        life_preset(j, status);
        life_end(m, now_at, j, status, out);
        return;
    }
    j->session = session;
    out_joblog(out, LOG_EV_JOB, j, "Started, pid = %d", session);
    go_running(m, now_at, j, out);
    if (j->is_dropped)
        out_kill(out, j, SIGKILL);
}

static void log_usage(const struct mom *m, const struct mom_job *j, struct mom_out *out)
{
    int64_t s = (int64_t)((double)j->used.cput_s * m->cfg.cputmult);

    out_joblog(out, LOG_EV_DEBUG2, j,
               "task 00000001 cput=%02" PRId64 ":%02" PRId64 ":%02" PRId64, s / 3600,
               s / 60 % 60, s % 60);
    out_joblog(out, LOG_EV_DEBUG2, j,
               "%s cput=%02" PRId64 ":%02" PRId64 ":%02" PRId64 " mem=%" PRId64 "kb",
               m->cfg.host, s / 3600, s / 60 % 60, s % 60, j->used.mem_kb);
}

void life_end(struct mom *m, int64_t now_at, struct mom_job *j, int32_t status,
              struct mom_out *out)
{
    bool had_processes = job_has_processes(j);

    life_preset(j, status);
    clock_stop(j, now_at);
    j->kill_at = INT64_MAX;
    if (j->is_dropped) {
        life_drop(m, j, out);
        return;
    }
    if (had_processes) {
        out_kill(out, j, SIGKILL);
        log_usage(m, j, out);
    }
    j->phase = JOB_OBIT;
    save(m, j, out);
    life_send_obit(m, now_at, j, out);
}

void mom_exited(struct mom *m, int64_t now_at, const char *job_id, int32_t status,
                const struct mom_usage *used, struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    if (!j || (!job_has_processes(j) && j->phase != JOB_PRERUN))
        return;
    if (used)
        usage_take(m, j, now_at, used);
    out_joblog(out, LOG_EV_DEBUG, j, "task 00000001 terminated");
    out_joblog(out, LOG_EV_JOB, j, "Terminated");
    life_end(m, now_at, j, status, out);
}

void life_terminate(struct mom *m, int64_t now_at, struct mom_job *j,
                    struct mom_out *out)
{
    int64_t delay = job_number(j, "job_kill_delay", NULL, KILL_DELAY_S);

    if (m->cfg.mock) {
        out_joblog(out, LOG_EV_JOB, j, "kill_job");
        life_end(m, now_at, j, STATUS_TERM, out);
        return;
    }
    out_joblog(out, LOG_EV_JOB, j, "kill_job");
    if (j->phase == JOB_SUSPENDED)
        out_kill(out, j, SIGCONT);
    out_kill(out, j, SIGTERM);
    j->kill_at = MIN_OF(j->kill_at, instant_after(now_at, MAX_OF(delay, 0)));
    save(m, j, out);
    life_poll_soon(m, now_at);
}

void life_suspend(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    out_kill(out, j, SIGSTOP);
    clock_stop(j, now_at);
    j->phase = JOB_SUSPENDED;
    save(m, j, out);
}

void life_resume(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    out_kill(out, j, SIGCONT);
    j->since_at = now_at;
    j->phase = JOB_RUNNING;
    save(m, j, out);
}

void life_drop(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    if (job_has_processes(j)) {
        out_joblog(out, LOG_EV_JOB, j, "kill_job");
        out_kill(out, j, SIGKILL);
    }
    if (j->n_copying || (j->phase == JOB_PRERUN && !m->cfg.mock)) {
        j->is_dropped = true;
        return;
    }
    if (!m->cfg.mock)
        out_job(out, MOM_DROP, j);
    job_free(m, j);
}

void life_obit_reply(struct mom *m, const struct is_message *msg, struct mom_out *out)
{
    for (size_t i = 0; i < msg->acks.n; i++) {
        struct mom_job *j = job_find(m, msg->acks.v[i]);

        if (!j || j->phase != JOB_OBIT)
            continue;
        if (!job_leaves_files(j)) {
            life_drop(m, j, out);
            continue;
        }
        j->phase = JOB_EXITED;
        save(m, j, out);
    }
    for (size_t i = 0; i < msg->rejects.n; i++) {
        struct mom_job *j = job_find(m, msg->rejects.v[i]);

        if (!j || j->phase < JOB_RUNNING)
            continue;
        out_joblog(out, LOG_EV_ERROR, j, "Job removed, Server rejected Obit");
        life_drop(m, j, out);
    }
}

static void kill_late(struct mom *m, int64_t now_at, struct mom_job *j,
                      struct mom_out *out)
{
    if (now_at < j->kill_at || !job_has_processes(j))
        return;
    j->kill_at = INT64_MAX;
    out_joblog(out, LOG_EV_JOB, j, "kill_job");
    if (m->cfg.mock)
        life_end(m, now_at, j, STATUS_KILLED, out);
    else
        out_kill(out, j, SIGKILL);
}

static void tick_job(struct mom *m, int64_t now_at, struct mom_job *j,
                     struct mom_out *out)
{
    kill_late(m, now_at, j, out);
    if (now_at >= usage_walltime_end(m, j)) {
        if (m->cfg.mock)
            life_end(m, now_at, j, 0, out);
        else
            usage_enforce(m, now_at, j, out);
    }
    if (j->phase == JOB_OBIT && !j->is_dropped && now_at >= j->obit_at + OBIT_REPEAT_S)
        life_send_obit(m, now_at, j, out);
}

static bool anything_runs(const struct mom *m)
{
    struct mom_job *j, *tmp;

    HASH_ITER(hh, m->jobs, j, tmp)
    if (j->phase == JOB_RUNNING)
        return true;
    return false;
}

static void tick_sample(struct mom *m, int64_t now_at, struct mom_out *out)
{
    int64_t step = (m->cfg.max_check_poll_s - m->cfg.min_check_poll_s + 19) / 20;

    if (now_at < m->sample_at)
        return;
    if (!anything_runs(m)) {
        m->sample_at = INT64_MAX;
        return;
    }
    m->sample_at = now_at + m->sample_interval_s;
    m->sample_interval_s =
        m->registered ? MIN_OF(m->sample_interval_s + step, m->cfg.max_check_poll_s)
                      : m->cfg.max_check_poll_s;
    if (m->cfg.mock)
        mom_sampled(m, now_at, out);
    else
        out_add(out, MOM_SAMPLE);
}

void life_tick(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct mom_job *j, *tmp;

    HASH_ITER(hh, m->jobs, j, tmp)
    tick_job(m, now_at, j, out);
    tick_sample(m, now_at, out);
}

void mom_used(struct mom *m, int64_t now_at, const char *job_id,
              const struct mom_usage *used)
{
    struct mom_job *j = job_find(m, job_id);

    if (j && j->phase == JOB_RUNNING)
        usage_take(m, j, now_at, used);
}

void mom_sampled(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct mom_job *j, *tmp;

    HASH_ITER(hh, m->jobs, j, tmp)
    usage_enforce(m, now_at, j, out);
    send_updates(m, now_at, false, out);
}

int64_t life_deadline(const struct mom *m)
{
    int64_t at = m->sample_at;
    struct mom_job *j, *tmp;

    HASH_ITER(hh, m->jobs, j, tmp)
    {
        at = MIN_OF(at, usage_walltime_end(m, j));
        if (job_has_processes(j))
            at = MIN_OF(at, j->kill_at);
        if (j->phase == JOB_OBIT && m->registered && !j->is_dropped)
            at = MIN_OF(at, j->obit_at + OBIT_REPEAT_S);
    }
    return at;
}

void life_give_back(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    out_joblog(out, LOG_EV_JOB, j, "kill_job");
    life_preset(j, STATUS_RESTARTED);
    save(m, j, out);
    out_kill(out, j, SIGKILL);
}

static void recover(struct mom *m, int64_t now_at, bool kill_jobs, struct mom_job *j,
                    struct mom_out *out)
{
    if (j->phase == JOB_EXITED || j->phase == JOB_OBIT) {
        j->phase = JOB_OBIT; /* the server says once more what it wants */
        return;
    }
    if (!job_has_processes(j)) {
        if (j->is_lost || kill_jobs)
            life_end(m, now_at, j, STATUS_RESTARTED, out);
        else
            life_start(m, now_at, j, out); /* it was accepted and never begun */
        return;
    }
    if (kill_jobs)
        life_give_back(m, j, out);
}

/* A job that ran and of which nothing is found is lost; one that was not begun yet can
 * begin. */
bool mom_load(struct mom *m, const char *data, size_t len, const char **ret_id)
{
    struct mom_job *j = job_decode(m, data, len);

    if (!j)
        return false;
    *ret_id = j->id;
    if (job_has_processes(j)) {
        j->is_lost = true;
        j->was = j->phase;
        j->phase = JOB_PRERUN;
    }
    return true;
}

void mom_found(struct mom *m, const char *job_id, bool running, int32_t status)
{
    struct mom_job *j = job_find(m, job_id);

    if (!j || !j->is_lost)
        return;
    j->is_lost = false;
    if (running) {
        j->phase = j->was;
    } else {
        life_preset(j, status);
        j->phase = JOB_OBIT;
    }
}

void mom_start(struct mom *m, int64_t now_at, bool kill_jobs, struct mom_out *out)
{
    struct mom_job *j, *tmp;

    HASH_ITER(hh, m->jobs, j, tmp)
    {
        recover(m, now_at, kill_jobs, j, out);
        if (j->phase == JOB_RUNNING)
            life_poll_soon(m, now_at);
    }
}
