/* standing.c - jobs of a busy host stand, and go on by themselves when it is free
 * ($max_load with "suspend", $kbd_idle; execution.md 30).
 *
 * A job that stands keeps all that it has, and is running as far as requests go: what
 * the server suspends and resumes meanwhile is kept apart, and the processes run when
 * neither of the two stops them. A job of several hosts does not stand, since the rest
 * of it would wait: it is run again elsewhere where "$action multinodebusy 0 requeue"
 * says so, and goes on otherwise.
 *
 * What stops is noted before its processes are stopped, and what goes on after they
 * have been let go: a MoM that is killed in between leaves processes that run and are
 * noted as stopped, which her next start stops again, and never the other way round,
 * which nobody would see.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#include <signal.h>

#define STATUS_RERUN (-11)

/* What a restart of the MoM must not forget: nobody else lets it go on. */
static void note(struct mom_job *j, bool stands, struct mom_out *out)
{
    struct wire_attr attr = { .name = JOB_STANDS, .value = stands ? "1" : "0" };
    const struct wire_attrs one = { .n = 1, .v = &attr };

    job_replace_attrs(j, &one);
    out_job(out, MOM_SAVE, j);
}

bool job_stands(const struct mom_job *j)
{
    const char *word = wire_attrs_value(&j->attrs, JOB_STANDS, NULL);

    return word && *word == '1';
}

/* The server may not have heard yet that it goes on. */
static bool has_stood(const struct mom_job *j)
{
    return wire_attrs_value(&j->attrs, JOB_STANDS, NULL) != NULL;
}

static void tell_server(const struct mom *m, const struct mom_job *j, bool stands,
                        struct mom_out *out)
{
    const struct is_message msg = { .command = IS_IDLE,
                                    .stands = stands,
                                    .job_id = arena_strdup(out->arena, j->id) };

    if (m->registered)
        out_send(out, m->server, &msg);
}

void standing_tell_all(struct mom *m, struct mom_out *out)
{
    struct mom_job *j, *next;

    HASH_ITER (hh, m->jobs, j, next)
        if (job_has_processes(j) && !j->is_dropped && has_stood(j))
            tell_server(m, j, job_stands(j), out);
}

static void stop(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    out_joblog(out, LOG_EV_JOB, j, "the host is busy, job suspended");
    life_tell(m, now_at, j, out);
    life_stop_clock(m, now_at, j);
    note(j, true, out);
    out_kill(out, j, m->cfg.suspend_signo);
    tell_server(m, j, true, out);
}

static void go_on(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    /* One that is suspended as well waits for the server. */
    if (j->phase != JOB_RUNNING)
        return;
    out_joblog(out, LOG_EV_JOB, j, "the host is free, job resumed");
    out_kill(out, j, m->cfg.resume_signo);
    life_start_clock(m, now_at, j);
}

static void note_free(const struct mom *m, struct mom_job *j, struct mom_out *out)
{
    note(j, false, out);
    tell_server(m, j, false, out);
}

static void leave_host(struct mom *m, int64_t now_at, struct mom_job *j,
                       struct mom_out *out)
{
    if (!m->cfg.busy_requeues || j->is_requeued)
        return;
    j->is_requeued = true;
    out_joblog(out, LOG_EV_JOB, j, "the host is busy, the job is to run elsewhere");
    if (j->is_sister) {
        m->last_event++;
        asked_add(m, j, 0, IM_REQUEUE, out);
        return;
    }
    life_preset(j, STATUS_RERUN);
    life_terminate(m, now_at, j, out);
}

static bool host_stops_jobs(const struct mom *m)
{
    return (m->is_busy && m->cfg.load_suspends) || m->keyboard_is_busy;
}

/* What is about to end is not stopped once more. */
static bool is_ending(const struct mom_job *j)
{
    return j->kill_at != INT64_MAX || j->is_terminating;
}

/* May the host stop it, or let it go on? */
static bool is_settled_here(struct mom *m, const struct mom_job *j)
{
    if (!job_has_processes(j) || j->is_dropped || is_ending(j))
        return false;
    if (j->checkpoint.stage == IMAGE_IDLE)
        return true;
    /* What its image would show of it changes when the image is there. */
    m->has_standing = m->has_standing || job_stands(j);
    return false;
}

/* The signals of all come first: the executor has one way through the host for them,
 * and no job's record says that it goes on before it does. */
static void let_all_go_on(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct mom_job *j, *next;

    HASH_ITER (hh, m->jobs, j, next)
        if (is_settled_here(m, j) && job_stands(j))
            go_on(m, now_at, j, out);
    HASH_ITER (hh, m->jobs, j, next)
        if (is_settled_here(m, j) && job_stands(j))
            note_free(m, j, out);
}

static void stop_all(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct mom_job *j, *next;

    HASH_ITER (hh, m->jobs, j, next) {
        if (!is_settled_here(m, j))
            continue;
        if (j->is_wide || j->is_sister)
            leave_host(m, now_at, j, out);
        else if (!job_stands(j) && j->phase == JOB_RUNNING &&
                 !j->checkpoint.is_restarting)
            stop(m, now_at, j, out);
    }
}

/* Nothing is looked at more than once: what stands already costs nothing, and what has
 * begun since the last look is seen. */
void standing_settle(struct mom *m, int64_t now_at, struct mom_out *out)
{
    bool stops = host_stops_jobs(m);

    if (!stops && !m->has_standing)
        return;
    m->has_standing = stops;
    if (stops)
        stop_all(m, now_at, out);
    else
        let_all_go_on(m, now_at, out);
}

void standing_stop_again(const struct mom *m, struct mom_job *j, struct mom_out *out)
{
    if (job_has_processes(j) && !is_ending(j) &&
        (j->phase == JOB_SUSPENDED || (j->phase == JOB_RUNNING && job_stands(j))))
        out_kill(out, j, m->cfg.suspend_signo);
}

void standing_was_busy(struct mom *m)
{
    m->is_busy = m->cfg.has_max_load && m->cfg.load_suspends;
    m->keyboard_is_busy = m->cfg.has_kbd_idle;
}

/* Where nobody looks at load or keyboard any more, nothing stands. */
void standing_begin(struct mom *m, int64_t now_at, struct mom_out *out)
{
    m->has_standing = true; /* perhaps, from before a restart */
    if (m->load_at == INT64_MAX && m->keyboard_at == INT64_MAX)
        standing_settle(m, now_at, out);
}
