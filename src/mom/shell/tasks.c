/* tasks.c - jobs with processes: shepherds that are our children, and adopted ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/checkpoints.h"
#include "mom/shell/demux.h"
#include "mom/shell/files.h"
#include "mom/shell/home.h"
#include "mom/shell/host_task.h"
#include "mom/shell/job_groups.h"
#include "mom/shell/proc.h"
#include "mom/shell/sandbox.h"
#include "mom/shell/signalling.h"
#include "mom/shell/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

/* The shepherd of the job was killed too, and has written no status. */
#define STATUS_KILLED (256 + SIGKILL)
#define TOP_TASK      1 /* its number in the core */
/* An adopted job has gone and left no status: the server runs it again. */
#define STATUS_LOST   (-4)

struct task *task_find(struct shell *s, const char *job_id)
{
    struct task *t;

    HASH_FIND_STR(s->tasks, job_id, t);
    return t;
}

struct task *task_find_spawned(struct shell *s, const char *job_id, uint32_t number)
{
    char *key = xasprintf("%s %08X", job_id, number);
    struct task *t = task_find(s, key);

    free(key);
    return t;
}

const char *task_exit_path(const struct task *t, char path[PATH_MAX])
{
    return t->number ? home_task_exit_path(t->shell->home, t->job_id, t->run_version,
                                           t->number, path)
                     : home_exit_path(t->shell->home, t->job_id, t->run_version, path);
}

/* A session that has ended and whose number is another's by now is left alone. */
static void signal_session(struct shell *s, const char *job_id, int32_t session,
                           const char *mark, int signo)
{
    if (session > 1 && proc_session_is(session, mark))
        signalling_add(s, job_id, session, signo);
}

/* What of a task that the core has forgotten may still run. */
static void kill_rest(struct task *t)
{
    if (!t->is_killed)
        signal_session(t->shell, t->job_id, t->session, t->mark, SIGKILL);
    t->is_killed = t->session > 1;
}

static void close_go(struct task *t)
{
    if (t->go_fd >= 0)
        close(t->go_fd);
    t->go_fd = -1;
}

static void close_pipes(struct task *t)
{
    loop_fd_free(t->report);
    t->report = NULL;
    if (t->report_fd >= 0)
        close(t->report_fd);
    t->report_fd = -1;
    close_go(t);
}

void task_unlist(struct task *t)
{
    HASH_DEL(t->shell->tasks, t);
    t->shell->n_spawned -= t->number != 0;
}

void task_free(struct task *t)
{
    MUST(!t->hh.tbl || task_find(t->shell, t->key) != t);
    close_pipes(t);
    adopted_release(t);
    if (t->child)
        loop_child_forget(t->child);
    free(t->key);
    free(t->job_id);
    free(t);
}

struct task *task_add(struct shell *s, const char *job_id, uint32_t number,
                      int run_version)
{
    struct task *t = xcalloc(1, sizeof(*t));

    t->shell = s;
    t->key = number ? xasprintf("%s %08X", job_id, number) : xstrdup(job_id);
    t->job_id = xstrdup(job_id);
    t->number = number;
    MUST(!task_find(s, t->key)); /* a job runs once at a time on a host */
    t->run_version = run_version;
    t->report_fd = t->go_fd = t->leader_fd = -1;
    t->place = TASK_NO_PLACE;
    s->n_spawned += number != 0;
    HASH_ADD_KEYPTR(hh, s->tasks, t->key, strlen(t->key), t);
    return t;
}

static void remove_exit(struct task *t)
{
    char path[PATH_MAX];

    (void)unlink(task_exit_path(t, path));
}

void task_tell_exit(struct task *t, struct mom_out *out)
{
    struct shell *s = t->shell;
    char path[PATH_MAX];
    struct mom_usage used = { 0 };
    int32_t status = t->attached  ? 0
                     : t->adopted ? STATUS_LOST
                     : t->unsaved ? START_RETRY
                                  : STATUS_KILLED;
    bool known, left_none;

    known = spawn_read_exit(task_exit_path(t, path), &status, &used, &left_none);
    /* The core has all of the job killed next: a walk over all processes of the host
     * for each job that ends, which finds nothing of nearly all of them. */
    if (left_none)
        mom_set_session_mark(s->mom, t->job_id, t->number ? t->number : TOP_TASK,
                             PROC_MARK_ENDED);
    if (t->attached)
        used = t->seen;
    (void)job_groups_tell_use(s, t->job_id, &used, out);
    if (t->number) {
        mom_task_ended(s->mom, clock_steady(), t->job_id, t->number, status,
                       known || t->attached ? &used : NULL, out);
        remove_exit(t); /* a restart does not ask for it: the record has the end */
    } else {
        mom_exited(s->mom, clock_steady(), t->job_id, status, known ? &used : NULL,
                   out);
    }
}

/* The record of the job is on disk, or could not be written. A job that does not get
 * its go ends by itself. */
void tasks_begin(struct shell *s, const char *job_id, uint32_t number, bool is_saved)
{
    struct task *t =
        number ? task_find_spawned(s, job_id, number) : task_find(s, job_id);

    if (!t)
        return;
    t->unsaved = !is_saved;
    if (is_saved && t->go_fd >= 0 && write(t->go_fd, "g", 1) != 1)
        shell_log(s, LOG_EV_ERROR, LOG_IN_JOB, job_id, "cannot let the job begin");
    /* One that is restarted tells yet what becomes of that. */
    if (t->is_restarting && is_saved)
        close_go(t);
    else
        close_pipes(t);
}

static void tell_start(const struct task *t, int32_t session, int32_t status,
                       const char *text, struct mom_out *out)
{
    struct mom *m = t->shell->mom;

    if (t->number)
        mom_task_started(m, clock_steady(), t->job_id, t->number, session, status, text,
                         out);
    else
        mom_started(m, clock_steady(), t->job_id, session, status, text, out);
}

/* Take what the job says before its program starts: its session, or why it failed. By
 * then its shepherd has the file of the status (home_reserve()). */
static void take_report(struct task *t, const struct spawn_report *r)
{
    struct shell *s = t->shell;
    struct mom_out out = { .arena = s->arena };

    if (r->session > 0)
        records_names_are_durable(&s->records, t->names);
    t->session = r->session;
    /* It waits for its go, so its leader is there to be looked at. */
    if (r->session > 0 && proc_session_mark(r->session, t->mark))
        mom_set_session_mark(s->mom, t->job_id, t->number, t->mark);
    if (t->dropped) {
        close_pipes(t); /* without its go the job ends */
        return;
    }
    if (r->text[0] && !r->status)
        shell_log(s, LOG_EV_SECURITY | LOG_EV_ERROR, LOG_IN_JOB, t->job_id, r->text);
    if (r->jobdir[0] && !t->number)
        mom_set_jobdir(s->mom, t->job_id, r->jobdir);
    else if (r->jobdir[0])
        mom_set_made_jobdir(s->mom, t->job_id, r->jobdir);
    tell_start(t, r->session, r->status, r->text[0] ? r->text : NULL, &out);
    /* The core knows that it has failed; the end of the shepherd is no news then. */
    if (r->status) {
        t->dropped = true;
        task_unlist(t);
    }
    shell_carry_out(s, &out);
}

static void take_restarted(struct task *t)
{
    struct mom_out out = { .arena = t->shell->arena };

    t->is_restarting = false;
    close_pipes(t);
    if (t->dropped)
        return;
    if (t->number)
        mom_task_restarted(t->shell->mom, clock_steady(), t->job_id, t->number, &out);
    else
        mom_restarted(t->shell->mom, clock_steady(), t->job_id, &out);
    shell_carry_out(t->shell, &out);
}

/* Read one of its reports. True: it was a remark, and there may be more. */
static bool read_report(struct task *t)
{
    struct spawn_report r;
    ssize_t n = read(t->report_fd, &r, sizeof(r));

    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return false;
    if (n == (ssize_t)sizeof(r)) {
        r.text[sizeof(r.text) - 1] = r.jobdir[sizeof(r.jobdir) - 1] = '\0';
        if (r.event) {
            shell_log(t->shell, r.event, LOG_IN_JOB, t->job_id, r.text);
            return true;
        }
    }
    if (n == (ssize_t)sizeof(r) && t->is_restarting && !r.restarted && !r.status) {
        take_report(t, &r); /* another one follows */
        return true;
    }
    loop_fd_free(t->report);
    t->report = NULL;
    if (n == (ssize_t)sizeof(r) && r.restarted)
        take_restarted(t);
    else if (n == (ssize_t)sizeof(r)) /* else the shepherd's end says the rest */
        take_report(t, &r);
    return false;
}

static void on_report(void *arg, int fd, unsigned ready)
{
    struct task *t = arg;

    (void)fd;
    (void)ready;
    /* It may be the report of a job that is dropped behind its signals. */
    signalling_settle(t->shell, t->job_id);
    (void)read_report(t);
}

/* The shepherd has ended. Its report may still be in the pipe; it was written before
 * the end and says more, so it is taken first. */
static void on_shepherd_end(void *arg, pid_t pid, int status)
{
    struct task *t = arg;

    (void)pid;
    (void)status;
    t->child = NULL;
    while (t->report && read_report(t))
        ;
    DL_APPEND(t->shell->ended, t);
}

static void tell_end(struct task *t, struct mom_out *out)
{
    if (t->dropped) {
        kill_rest(t);
        remove_exit(t);
        return;
    }
    task_unlist(t);
    if (t->session > 0) {
        task_tell_exit(t, out);
        return;
    }
    tell_start(t, 0, START_RETRY, "the job's shepherd ended", out);
    if (t->number)
        remove_exit(t); /* of its job is removed as that is dropped */
}

void tasks_tell_ended(struct shell *s)
{
    struct mom_out out = { .arena = s->arena };
    struct task *t;

    if (!s->ended)
        return;
    /* Jobs that were dropped are those of earlier runs, and their tasks know it. */
    DL_FOREACH (s->ended, t)
        signalling_settle(s, t->job_id);
    while ((t = s->ended)) {
        DL_DELETE(s->ended, t);
        tell_end(t, &out);
        task_free(t);
    }
    shell_carry_out(s, &out);
}

static void watch(struct task *t, const struct spawned *sp)
{
    struct shell *s = t->shell;

    t->shepherd = sp->shepherd;
    t->names = records_names(&s->records); /* of before it was forked: this very turn */
    t->report_fd = sp->report_fd;
    t->go_fd = sp->go_fd;
    t->report = loop_fd_new(s->loop, sp->report_fd, on_report, t);
    loop_fd_want(t->report, LOOP_READ);
    t->child = loop_child_watch(s->loop, sp->shepherd, on_shepherd_end, t);
}

/* How tasks show that they are of this job. A job of several hosts has its cookie
 * already, since its sisters know it. */
static void need_cookie(struct shell *s, const char *job_id)
{
    char cookie[COOKIE_BYTES];

    if (wire_attrs_value(mom_job_attrs(s->mom, job_id), "cookie", NULL))
        return;
    demux_cookie(cookie);
    mom_set_cookie(s->mom, job_id, cookie);
}

/* A shepherd whose job begins in the job's group. A status of an earlier run must not
 * be taken for that of this one. */
static int start_shepherd(struct shell *s, struct spawn_order *order,
                          const char *exit_path, struct spawned *ret, struct diag *why)
{
    int err = job_groups_enter(s, order->job_id, !order->task, &order->group_fd, why);

    (void)mom_job_share(s->mom, order->job_id, &order->share);
    (void)unlink(exit_path);
    if (!err)
        err = spawn_start(order, exit_path, ret, why);
    if (order->group_fd >= 0)
        close(order->group_fd);
    return err;
}

/* The core may have dropped the job since it asked for the start; then there is
 * nothing to start. */
void tasks_start_job(struct shell *s, const char *job_id, struct mom_out *out)
{
    struct spawn_order order = { .host = &s->host, .job_id = job_id };
    char exit_path[PATH_MAX];
    struct spawned sp;
    struct diag why;
    struct spawn_restart restart;
    char image[PATH_MAX];
    int run_version;

    if (!mom_job_attrs(s->mom, job_id))
        return;
    if (mom_job_restarts(s->mom, job_id, &restart.session)) {
        restart.path = checkpoints_path(s->checkpoint_dir, job_id, image);
        order.restart = &restart;
    }
    need_cookie(s, job_id);
    order.attrs = mom_job_attrs(s->mom, job_id);
    order.hold_fd = demux_hold(s, job_id);
    if (!mom_job_script(s->mom, job_id, &order.script, &order.script_len))
        order.script = NULL;
    run_version = mom_job_run_version(s->mom, job_id);
    home_exit_path(s->home, job_id, run_version, exit_path);
    if (start_shepherd(s, &order, exit_path, &sp, &why) != 0) {
        mom_started(s->mom, clock_steady(), job_id, 0, START_RETRY, why.text, out);
    } else {
        struct task *t = task_add(s, job_id, 0, run_version);

        t->is_restarting = order.restart != NULL;
        watch(t, &sp);
    }
    /* The shepherd has its own copy, and ends it with itself. */
    demux_release(s, job_id);
}

void tasks_spawn(struct shell *s, const char *job_id, uint32_t number,
                 const struct plan_task *task, int32_t restart_session,
                 struct mom_out *out)
{
    struct spawn_restart restart = { .session = restart_session };
    struct spawn_order order = { .host = &s->host,
                                 .job_id = job_id,
                                 .attrs = mom_job_attrs(s->mom, job_id),
                                 .task = task,
                                 .hold_fd = -1 };
    char exit_path[PATH_MAX], image[PATH_MAX];
    struct spawned sp;
    struct diag why;
    int run_version;

    if (!order.attrs)
        return;
    if (restart_session) {
        restart.path = checkpoints_path(s->checkpoint_dir, job_id, image);
        order.restart = &restart;
    }
    run_version = mom_job_run_version(s->mom, job_id);
    home_task_exit_path(s->home, job_id, run_version, number, exit_path);
    if (start_shepherd(s, &order, exit_path, &sp, &why) != 0) {
        mom_task_started(s->mom, clock_steady(), job_id, number, 0, START_RETRY,
                         why.text, out);
    } else {
        struct task *t = task_add(s, job_id, number, run_version);

        t->is_restarting = order.restart != NULL;
        watch(t, &sp);
    }
}

static void kill_task(struct shell *s, const char *job_id, struct task *t,
                      int32_t session, const char *mark, int signo)
{
    signal_session(s, job_id, session, mark, signo);
    if (!t || signo != SIGKILL)
        return;
    if (session > 1)
        t->is_killed = true;
    else if (t->child)
        kill(t->shepherd, SIGKILL); /* the job waits for its go and ends without it */
}

static void kill_top(struct shell *s, const char *job_id, int signo)
{
    struct task *t = task_find(s, job_id);

    kill_task(s, job_id, t, t ? t->session : mom_job_session(s->mom, job_id),
              mom_session_mark(s->mom, job_id, TOP_TASK), signo);
}

static void kill_spawned(struct shell *s, const char *job_id,
                         const struct mom_job_task *task, int signo)
{
    kill_task(s, job_id, task_find_spawned(s, job_id, task->number), task->session,
              mom_session_mark(s->mom, job_id, task->number), signo);
}

/* The numbers of the tasks that were spawned are the core's. */
void tasks_kill(struct shell *s, const char *job_id, uint32_t number, int signo)
{
    const struct mom_job_task *tasks;
    size_t n = number ? 0 : mom_job_tasks(s->mom, job_id, s->arena, &tasks);
    struct mom_job_task one;

    if (!number && signo == SIGKILL)
        job_groups_kill(s, job_id);
    if (number <= TOP_TASK)
        kill_top(s, job_id, signo);
    else if (mom_find_task(s->mom, job_id, number, &one))
        kill_spawned(s, job_id, &one, signo);
    for (size_t i = 0; i < n; i++)
        kill_spawned(s, job_id, &tasks[i], signo);
}

static void drop_task(struct task *t)
{
    task_unlist(t);
    t->dropped = true;
    if (!t->report)
        close_pipes(t);
    kill_rest(t);
    if (t->adopted) {
        remove_exit(t);
        task_free(t);
    }
}

/* The core has forgotten them: they are found by the job's name. */
static void drop_spawned(struct shell *s, const char *job_id)
{
    struct task *t, *next;

    if (s->n_spawned == 0)
        return;
    HASH_ITER (hh, s->tasks, t, next)
        if (t->number && strcmp(t->job_id, job_id) == 0)
            drop_task(t);
}

/* The directory of its own that it worked in, with all that was not delivered from it.
 */
static void remove_sandbox(struct shell *s, const char *path, const char *user)
{
    struct diag why;

    if (!sandbox_is_name(path))
        logfile_printf(s->log, LOG_EV_ERROR, LOG_IN_FILE, "jobdir",
                       "%s is not a staging and execution directory", path);
    else if (files_remove_of(s->loop, path, user, &why) != 0)
        shell_log(s, LOG_EV_ERROR, LOG_IN_FILE, path, why.text);
}

void tasks_drop(struct shell *s, const char *job_id, int run_version,
                const char *sandbox, const char *user)
{
    struct task *t = task_find(s, job_id);
    const char *tmpdir = s->config.tmpdir ? s->config.tmpdir : s->conf->tmpdir;
    char path[PATH_MAX];
    struct diag why;

    /* The scratch directory has the user's files, and is removed with the user's rights
     * (files.h). */
    home_remove_files(s->home, job_id, run_version);
    records_give(&s->records, home_path(s->home, HOME_RECORD, job_id, path));
    demux_release(s, job_id);
    drop_spawned(s, job_id);
    if (snprintf(path, sizeof(path), "%s/pbs.%s", tmpdir ? tmpdir : "/var/tmp",
                 job_id) < (int)sizeof(path) &&
        files_remove_tree(s->loop, path, &why) != 0)
        shell_log(s, LOG_EV_ERROR, LOG_IN_FILE, path, why.text);
    if (t)
        drop_task(t);
    job_groups_drop(s, job_id);
    if (sandbox)
        remove_sandbox(s, sandbox, user);
}

void tasks_rest(struct shell *s, const char *job_id)
{
    char path[PATH_MAX];

    MUST(!task_find(s, job_id)); /* it has ended */
    /* The next run has tasks of the same numbers. */
    drop_spawned(s, job_id);
    job_groups_drop(s, job_id);
    demux_release(s, job_id);
    (void)unlink(
        home_exit_path(s->home, job_id, mom_job_run_version(s->mom, job_id), path));
}
