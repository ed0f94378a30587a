/* tasks.c - jobs with processes: shepherds that are our children, and adopted ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/job_file.h"
#include "mom/shell/checkpoints.h"
#include "mom/shell/demux.h"
#include "mom/shell/files.h"
#include "mom/shell/home.h"
#include "mom/shell/job_groups.h"
#include "mom/shell/proc.h"
#include "mom/shell/sandbox.h"
#include "mom/shell/shell.h"
#include "mom/shell/spawn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <uthash.h>

#define WATCH_MS      500
#define GONE_AFTER    10 /* looks without a trace of an adopted job */
/* The shepherd of the job was killed too, and has written no status. */
#define STATUS_KILLED (256 + SIGKILL)
#define TOP_TASK      1 /* its number in the core */
/* An adopted job has gone and left no status: the server runs it again. */
#define STATUS_LOST   (-4)

struct task {
    struct shell *shell;
    char *key; /* the job's id, of a spawned task with its number behind it */
    char *job_id;
    uint32_t number; /* 0: the top task */
    int run_version;
    int32_t session;
    char mark[PROC_MARK_BYTES]; /* of the session, proc_session_mark() */
    pid_t shepherd;             /* while 'child' is watched */
    int report_fd, go_fd;       /* -1: closed */
    struct loop_fd *report;
    struct loop_child *child;
    bool adopted;
    bool attached;         /* and has no shepherd */
    struct mom_usage seen; /* then: by the last sample */
    bool unsaved;          /* it did not begin, for its record could not be written */
    bool dropped;       /* the core forgot the job: clean up when the shepherd ends */
    bool is_restarting; /* it reports once more when it is restored */
    unsigned missing;
    UT_hash_handle hh;
};

/* The top task of the job. */
static struct task *find(struct shell *s, const char *job_id)
{
    struct task *t;

    HASH_FIND_STR(s->tasks, job_id, t);
    return t;
}

static struct task *find_spawned(struct shell *s, const char *job_id, uint32_t number)
{
    char *key = xasprintf("%s %08X", job_id, number);
    struct task *t = find(s, key);

    free(key);
    return t;
}

static const char *exit_path_of(const struct task *t, char path[PATH_MAX])
{
    return t->number ? home_task_exit_path(t->shell->home, t->job_id, t->run_version,
                                           t->number, path)
                     : home_exit_path(t->shell->home, t->job_id, t->run_version, path);
}

/* A session that has ended and whose number is another's by now is left alone. */
static void kill_session(int32_t session, const char *mark, int signo)
{
    if (proc_session_is(session, mark))
        proc_kill_session(session, signo);
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

/* The core does not hear of this task any more. */
static void unlist(struct task *t)
{
    HASH_DEL(t->shell->tasks, t);
    t->shell->n_spawned -= t->number != 0;
}

static void free_task(struct task *t)
{
    MUST(!t->hh.tbl || find(t->shell, t->key) != t);
    close_pipes(t);
    if (t->child)
        loop_child_forget(t->child);
    free(t->key);
    free(t->job_id);
    free(t);
}

static struct task *add_task(struct shell *s, const char *job_id, uint32_t number,
                             int run_version)
{
    struct task *t = xcalloc(1, sizeof(*t));

    t->shell = s;
    t->key = number ? xasprintf("%s %08X", job_id, number) : xstrdup(job_id);
    t->job_id = xstrdup(job_id);
    t->number = number;
    MUST(!find(s, t->key)); /* a job runs once at a time on a host */
    t->run_version = run_version;
    t->report_fd = t->go_fd = -1;
    s->n_spawned += number != 0;
    HASH_ADD_KEYPTR(hh, s->tasks, t->key, strlen(t->key), t);
    return t;
}

static void remove_exit(struct task *t)
{
    char path[PATH_MAX];

    (void)unlink(exit_path_of(t, path));
}

/* Tell the core that the processes of the job have ended, with the status that the
 * shepherd has written, or with what can be said without it. */
static void tell_exit(struct task *t, struct mom_out *out)
{
    struct shell *s = t->shell;
    char path[PATH_MAX];
    struct mom_usage used = { 0 };
    int32_t status = t->attached  ? 0
                     : t->adopted ? STATUS_LOST
                     : t->unsaved ? START_RETRY
                                  : STATUS_KILLED;
    bool known, left_none;

    known = spawn_read_exit(exit_path_of(t, path), &status, &used, &left_none);
    /* The core has all of the job killed next: a walk over all processes of the host
     * for each job that ends, which finds nothing of nearly all of them. */
    if (left_none)
        mom_set_session_mark(s->mom, t->job_id, t->number ? t->number : TOP_TASK,
                             PROC_MARK_ENDED);
    if (t->attached)
        used = t->seen;
    (void)job_groups_tell_use(s, t->job_id, &used, out);
    if (t->number) {
        mom_task_ended(s->mom, clock_read(), t->job_id, t->number, status,
                       known || t->attached ? &used : NULL, out);
        remove_exit(t); /* a restart does not ask for it: the record has the end */
    } else {
        mom_exited(s->mom, clock_read(), t->job_id, status, known ? &used : NULL, out);
    }
}

/* The record of the job is on disk, or could not be written. A job that does not get
 * its go ends by itself. */
void tasks_begin(struct shell *s, const char *job_id, uint32_t number, bool is_saved)
{
    struct task *t = number ? find_spawned(s, job_id, number) : find(s, job_id);

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
        mom_task_started(m, clock_read(), t->job_id, t->number, session, status, text,
                         out);
    else
        mom_started(m, clock_read(), t->job_id, session, status, text, out);
}

/* Take what the job says before its program starts: its session, or why it failed. */
static void take_report(struct task *t, const struct spawn_report *r)
{
    struct shell *s = t->shell;
    struct mom_out out = { .arena = s->arena };

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
    if (!t->number && r->jobdir[0])
        mom_set_jobdir(s->mom, t->job_id, r->jobdir);
    tell_start(t, r->session, r->status, r->text[0] ? r->text : NULL, &out);
    /* The core knows that it has failed; the end of the shepherd is no news then. */
    if (r->status) {
        t->dropped = true;
        unlist(t);
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
        mom_task_restarted(t->shell->mom, clock_read(), t->job_id, t->number, &out);
    else
        mom_restarted(t->shell->mom, clock_read(), t->job_id, &out);
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
    (void)fd;
    (void)ready;
    (void)read_report(arg);
}

/* The shepherd has ended. Its report may still be in the pipe; it was written before
 * the end and says more, so it is taken first. */
static void on_shepherd_end(void *arg, pid_t pid, int status)
{
    struct task *t = arg;
    struct shell *s = t->shell;
    struct mom_out out = { .arena = s->arena };

    (void)pid;
    (void)status;
    t->child = NULL;
    while (t->report && read_report(t))
        ;
    if (t->dropped) {
        kill_session(t->session, t->mark, SIGKILL);
        remove_exit(t);
    } else {
        unlist(t);
        if (t->session > 0)
            tell_exit(t, &out);
        else
            tell_start(t, 0, START_RETRY, "the job's shepherd ended", &out);
    }
    free_task(t);
    shell_carry_out(s, &out);
}

static void watch(struct task *t, const struct spawned *sp)
{
    struct shell *s = t->shell;

    t->shepherd = sp->shepherd;
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
        mom_started(s->mom, clock_read(), job_id, 0, START_RETRY, why.text, out);
    } else {
        struct task *t = add_task(s, job_id, 0, run_version);

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
        mom_task_started(s->mom, clock_read(), job_id, number, 0, START_RETRY, why.text,
                         out);
    } else {
        struct task *t = add_task(s, job_id, number, run_version);

        t->is_restarting = order.restart != NULL;
        watch(t, &sp);
    }
}

static void kill_task(struct task *t, int32_t session, const char *mark, int signo)
{
    if (session > 1)
        kill_session(session, mark, signo);
    else if (t && t->child && signo == SIGKILL)
        kill(t->shepherd, SIGKILL); /* the job waits for its go and ends without it */
}

/* The numbers of the tasks that were spawned are the core's. */
static void kill_spawned(struct shell *s, const char *job_id, uint32_t only, int signo)
{
    uint32_t number;
    int32_t session;

    for (size_t i = 0; mom_job_task(s->mom, job_id, i, &number, &session); i++)
        if (!only || number == only)
            kill_task(find_spawned(s, job_id, number), session,
                      mom_session_mark(s->mom, job_id, number), signo);
}

void tasks_kill(struct shell *s, const char *job_id, uint32_t number, int signo)
{
    struct task *t = find(s, job_id);
    int32_t session = t ? t->session : mom_job_session(s->mom, job_id);

    if (!number && signo == SIGKILL)
        job_groups_kill(s, job_id);
    if (number <= 1)
        kill_task(t, session, mom_session_mark(s->mom, job_id, 1), signo);
    if (number != 1)
        kill_spawned(s, job_id, number, signo);
}

static bool has_spawned(struct shell *s, const char *job_id)
{
    uint32_t number;
    int32_t session;

    return mom_job_task(s->mom, job_id, 0, &number, &session);
}

/* Of several tasks of a job one brings the sum of all: the top task, which is started
 * first, or on a sister's host the oldest. */
static bool is_first_of_job(struct shell *s, const struct task *t)
{
    uint32_t number;
    int32_t session;

    if (!t->number)
        return true;
    return !find(s, t->job_id) &&
           mom_job_task(s->mom, t->job_id, 0, &number, &session) && number == t->number;
}

/* Tasks that were started later stand behind it in the list. */
static void add_usage(struct shell *s, const char *job_id, const struct task *from,
                      const struct proc_session *ps, size_t at, size_t n,
                      struct mom_out *out)
{
    struct mom_usage sum = { 0 };
    size_t n_processes = 0;

    for (; at < n; at++, from = from->hh.next) {
        if (strcmp(from->job_id, job_id) != 0)
            continue;
        n_processes += ps[at].n_processes;
        sum.cput_s += ps[at].used.cput_s;
        sum.mem_kb += ps[at].used.mem_kb;
        sum.vmem_kb += ps[at].used.vmem_kb;
        /* A job of one task is the usual one. */
        if (!from->number && !has_spawned(s, job_id))
            break;
    }
    /* A job that was seen with no process at all says nothing about its use: it may be
     * ending just now. */
    if (n_processes && !job_groups_tell_use(s, job_id, &sum, out))
        mom_used(s->mom, clock_read(), job_id, &sum);
}

void tasks_sample(struct shell *s, struct mom_out *out)
{
    size_t n = HASH_COUNT(s->tasks), i = 0;
    struct proc_session *ps = xcalloc(n + 1, sizeof(*ps));
    struct task *t, *tmp;

    HASH_ITER (hh, s->tasks, t, tmp)
        /* A task that has not reported has no session; -1 is that of no process. */
        ps[i++].session = t->session > 1 ? t->session : -1;
    MUST(i == n);
    proc_sample(ps, n); /* one walk through /proc for all jobs */
    i = 0;
    HASH_ITER (hh, s->tasks, t, tmp) {
        if (t->attached && ps[i].n_processes)
            t->seen = ps[i].used;
        if (is_first_of_job(s, t))
            add_usage(s, t->job_id, t, ps, i, n, out);
        i++;
    }
    free(ps);
    mom_sampled(s->mom, clock_read(), out);
}

static void drop_task(struct task *t)
{
    unlist(t);
    t->dropped = true;
    if (!t->report)
        close_pipes(t);
    if (t->session > 1)
        kill_session(t->session, t->mark, SIGKILL);
    if (t->adopted) {
        remove_exit(t);
        free_task(t);
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
    struct task *t = find(s, job_id);
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

    MUST(!find(s, job_id)); /* it has ended */
    /* The next run has tasks of the same numbers. */
    drop_spawned(s, job_id);
    job_groups_drop(s, job_id);
    demux_release(s, job_id);
    (void)unlink(
        home_exit_path(s->home, job_id, mom_job_run_version(s->mom, job_id), path));
}

/* True when an adopted task has ended. It is not our child, so the kernel does not
 * tell: its shepherd writes a status at the end, and its session is looked for. */
static bool adopted_has_ended(struct task *t)
{
    char path[PATH_MAX];
    struct mom_usage used;
    int32_t status;
    bool left_none;

    if (t->attached)
        return !proc_session_has_any(t->session, t->mark);
    if (spawn_read_exit(exit_path_of(t, path), &status, &used, &left_none))
        return true;
    t->missing = proc_session_lives(t->session, t->mark) ? 0 : t->missing + 1;
    return t->missing > GONE_AFTER;
}

static void on_watch(void *arg)
{
    struct shell *s = arg;
    struct mom_out out = { .arena = s->arena };
    struct task *t, *tmp;
    bool more = false;

    HASH_ITER (hh, s->tasks, t, tmp) {
        if (!t->adopted)
            continue;
        if (!adopted_has_ended(t)) {
            more = true;
            continue;
        }
        unlist(t);
        tell_exit(t, &out);
        free_task(t);
    }
    if (more)
        loop_timer_set(s->watch, WATCH_MS);
    shell_carry_out(s, &out);
}

/* Watch a job that an earlier run of the MoM has started. */
static void adopt(struct shell *s, const char *job_id, uint32_t number, int32_t session,
                  int run_version)
{
    struct task *t = add_task(s, job_id, number, run_version);

    t->adopted = true;
    t->session = session;
    t->attached = mom_task_is_attached(s->mom, job_id, number);
    snprintf(t->mark, sizeof(t->mark), "%s", mom_session_mark(s->mom, job_id, number));
    MUST(t->session > 0); /* find_processes() */
    loop_timer_set(s->watch, WATCH_MS);
}

void tasks_adopt(struct shell *s, const char *job_id, uint32_t only)
{
    uint32_t number;
    int32_t session;

    for (size_t i = 0; mom_job_task(s->mom, job_id, i, &number, &session); i++)
        if (number == only) {
            adopt(s, job_id, number, session, mom_job_run_version(s->mom, job_id));
            job_groups_adopt(s, job_id, session);
        }
}

/* A shepherd may be about to write how its job ended: a job that had a session is
 * watched for a while before it is given up. */
static void find_processes(struct shell *s, const char *id)
{
    int run = mom_job_run_version(s->mom, id);
    char path[PATH_MAX];
    struct mom_usage used;
    int32_t status, session;
    uint32_t number;
    bool left_none;

    if (spawn_read_exit(home_exit_path(s->home, id, run, path), &status, &used,
                        &left_none)) {
        mom_found(s->mom, id, false, status);
    } else if (mom_job_session(s->mom, id) > 0) {
        mom_found(s->mom, id, true, 0);
        adopt(s, id, 0, mom_job_session(s->mom, id), run);
    }
    for (size_t i = 0; mom_job_task(s->mom, id, i, &number, &session); i++)
        adopt(s, id, number, session, run);
}

/* Take one job from its record. A record that cannot be read is removed with the
 * job's files: nothing can be said of the job any more. */
static void recover_one(struct shell *s, const char *name)
{
    size_t len = strlen(name) - strlen(".JB");
    char *id = xstrndup(name, len), path[PATH_MAX];
    struct buf record = { 0 };
    const char *loaded;

    home_path(s->home, HOME_RECORD, id, path);
    if (!records_read(path, JOB_FILE_MAX_BYTES, &record) || !record.data ||
        !mom_record_is_of(record.data, record.len, id) ||
        !mom_load(s->mom, record.data, record.len, &loaded)) {
        shell_log(s, LOG_EV_ERROR, LOG_IN_JOB, id, "damaged job record removed");
        home_remove_files(s->home, id, 0);
        (void)unlink(path);
    } else {
        find_processes(s, id);
        checkpoints_settle(s, id);
    }
    buf_fini(&record);
    free(id);
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t len = strlen(name), n = strlen(suffix);

    return len > n && name[0] != '.' && strcmp(name + len - n, suffix) == 0;
}

/* Remove a file that belongs to no job here: "ID.RUN.EX", "ID.SC" or output of an
 * earlier run, when the MoM ended before it was removed or before the job's record was
 * written; and "*.new", which was not written to its end. */
static void sweep(struct shell *s, DIR *d, const char *name)
{
    bool is_exit = ends_in(name, ".EX"), is_new = ends_in(name, ".new");
    char *id, *dot;

    if (!is_exit && !is_new && !ends_in(name, ".SC") && !ends_in(name, ".EO") &&
        !ends_in(name, ".EE"))
        return;
    id = xstrdup(name);
    *strrchr(id, '.') = '\0';
    dot = is_exit ? strrchr(id, '.') : NULL;
    if (dot)
        *dot = '\0';
    if (is_new || !mom_job_attrs(s->mom, id))
        (void)unlinkat(dirfd(d), name, 0);
    free(id);
}

bool tasks_recover(struct shell *s, struct diag *why)
{
    char path[PATH_MAX];
    struct dirent *e;
    DIR *d;

    s->watch = loop_timer_new(s->loop, on_watch, s);
    snprintf(path, sizeof(path), "%s/mom_priv/jobs", s->home);
    d = opendir(path);
    if (!d) {
        diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
        return false;
    }
    /* An earlier MoM may have been killed before the names were on disk, and what is
     * found here is told soon. */
    if (fsync(dirfd(d)) < 0) {
        diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
        closedir(d);
        return false;
    }
    /* All records come first: only then it is known which of the other files belong to
     * nobody. */
    while ((e = readdir(d)))
        if (ends_in(e->d_name, ".JB"))
            recover_one(s, e->d_name);
    rewinddir(d);
    while ((e = readdir(d)))
        sweep(s, d, e->d_name);
    closedir(d);
    job_groups_sweep(s);
    return true;
}

void tasks_close(struct shell *s)
{
    struct task *t, *tmp;

    HASH_ITER (hh, s->tasks, t, tmp) {
        unlist(t);
        free_task(t);
    }
    loop_timer_free(s->watch);
}
