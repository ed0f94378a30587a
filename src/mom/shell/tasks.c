/* tasks.c - jobs with processes: shepherds that are our children, and adopted ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/files.h"
#include "mom/shell/home.h"
#include "mom/shell/proc.h"
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
#define MAX_RECORD    (16u << 20)
/* The shepherd of the job was killed too, and has written no status. */
#define STATUS_KILLED (256 + SIGKILL)
/* An adopted job has gone and left no status: the server runs it again. */
#define STATUS_LOST   (-4)

struct task {
    struct shell *shell;
    char *job_id;
    int run_version;
    int32_t session;
    pid_t shepherd;       /* while 'child' is watched */
    int report_fd, go_fd; /* -1: closed */
    struct loop_fd *report;
    struct loop_child *child;
    bool adopted;
    bool unsaved; /* it did not begin, for its record could not be written */
    bool dropped; /* the core forgot the job: clean up when the shepherd ends */
    unsigned missing;
    UT_hash_handle hh;
};

static struct task *find(struct shell *s, const char *job_id)
{
    struct task *t;

    HASH_FIND_STR(s->tasks, job_id, t);
    return t;
}

static void close_pipes(struct task *t)
{
    loop_fd_free(t->report);
    t->report = NULL;
    if (t->report_fd >= 0)
        close(t->report_fd);
    if (t->go_fd >= 0)
        close(t->go_fd);
    t->report_fd = t->go_fd = -1;
}

/* The core does not hear of this task any more. */
static void unlist(struct task *t)
{
    HASH_DEL(t->shell->tasks, t);
}

static void free_task(struct task *t)
{
    MUST(!t->hh.tbl || find(t->shell, t->job_id) != t);
    close_pipes(t);
    if (t->child)
        loop_child_forget(t->child);
    free(t->job_id);
    free(t);
}

static struct task *add_task(struct shell *s, const char *job_id, int run_version)
{
    struct task *t = xcalloc(1, sizeof(*t));

    MUST(!find(s, job_id)); /* a job runs once at a time on a host */
    t->shell = s;
    t->job_id = xstrdup(job_id);
    t->run_version = run_version;
    t->report_fd = t->go_fd = -1;
    HASH_ADD_KEYPTR(hh, s->tasks, t->job_id, strlen(t->job_id), t);
    return t;
}

static void remove_exit(struct task *t)
{
    char path[PATH_MAX];

    (void)unlink(home_exit_path(t->shell->home, t->job_id, t->run_version, path));
}

/* Tell the core that the processes of the job have ended, with the status that the
 * shepherd has written, or with what can be said without it. */
static void tell_exit(struct task *t, struct mom_out *out)
{
    struct shell *s = t->shell;
    char path[PATH_MAX];
    struct mom_usage used = { 0 };
    int32_t status = t->adopted   ? STATUS_LOST
                     : t->unsaved ? START_RETRY
                                  : STATUS_KILLED;
    bool known;

    home_exit_path(s->home, t->job_id, t->run_version, path);
    known = spawn_read_exit(path, &status, &used);
    mom_exited(s->mom, clock_read(), t->job_id, status, known ? &used : NULL, out);
}

/* The record of the job is on disk, or could not be written. A job that does not get
 * its go ends by itself. */
void tasks_begin(struct shell *s, const char *job_id, bool is_saved)
{
    struct task *t = find(s, job_id);

    if (!t)
        return;
    t->unsaved = !is_saved;
    if (is_saved && t->go_fd >= 0 && write(t->go_fd, "g", 1) != 1)
        shell_log(s, LOG_EV_ERROR, LOG_IN_JOB, job_id, "cannot let the job begin");
    close_pipes(t);
}

/* Take what the job says before its program starts: its session, or why it failed. */
static void take_report(struct task *t, const struct spawn_report *r)
{
    struct shell *s = t->shell;
    struct mom_out out = { .arena = s->arena };

    t->session = r->session;
    if (t->dropped) {
        close_pipes(t); /* without its go the job ends */
        return;
    }
    if (r->text[0] && !r->status)
        shell_log(s, LOG_EV_SECURITY | LOG_EV_ERROR, LOG_IN_JOB, t->job_id, r->text);
    mom_started(s->mom, clock_read(), t->job_id, r->session, r->status,
                r->text[0] ? r->text : NULL, &out);
    /* The core knows that it has failed; the end of the shepherd is no news then. */
    if (r->status) {
        t->dropped = true;
        unlist(t);
    }
    shell_carry_out(s, &out);
}

static void on_report(void *arg, int fd, unsigned ready)
{
    struct task *t = arg;
    struct spawn_report r;
    ssize_t n = read(fd, &r, sizeof(r));

    (void)ready;
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    loop_fd_free(t->report);
    t->report = NULL;
    if (n != (ssize_t)sizeof(r))
        return; /* the shepherd's end says the rest */
    r.text[sizeof(r.text) - 1] = '\0';
    take_report(t, &r);
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
    if (t->report)
        on_report(t, t->report_fd, LOOP_READ);
    if (t->dropped) {
        proc_kill_session(t->session, SIGKILL);
        remove_exit(t);
    } else {
        unlist(t);
        if (t->session > 0)
            tell_exit(t, &out);
        else
            mom_started(s->mom, clock_read(), t->job_id, 0, START_RETRY,
                        "the job's shepherd ended", &out);
    }
    free_task(t);
    shell_carry_out(s, &out);
}

static void not_started(struct shell *s, const char *job_id, int status,
                        const struct diag *why, struct mom_out *out)
{
    mom_started(s->mom, clock_read(), job_id, 0, status, why->text, out);
}

/* The core may have dropped the job since it asked for the start; then there is
 * nothing to start. */
void tasks_start_job(struct shell *s, const char *job_id, struct mom_out *out)
{
    const struct spawn_order order = { .host = &s->host,
                                       .job_id = job_id,
                                       .attrs = mom_job_attrs(s->mom, job_id) };
    char exit_path[PATH_MAX];
    struct spawned sp;
    struct diag why;
    struct task *t;
    int run_version;

    if (!order.attrs)
        return;
    run_version = mom_job_run_version(s->mom, job_id);
    home_exit_path(s->home, job_id, run_version, exit_path);
    (void)unlink(exit_path);
    if (spawn_start(&order, exit_path, &sp, &why) != 0) {
        not_started(s, job_id, START_RETRY, &why, out);
    } else {
        t = add_task(s, job_id, run_version);
        t->shepherd = sp.shepherd;
        t->report_fd = sp.report_fd;
        t->go_fd = sp.go_fd;
        t->report = loop_fd_new(s->loop, sp.report_fd, on_report, t);
        loop_fd_want(t->report, LOOP_READ);
        t->child = loop_child_watch(s->loop, sp.shepherd, on_shepherd_end, t);
    }
}

void tasks_kill(struct shell *s, const char *job_id, int signo)
{
    struct task *t = find(s, job_id);
    int32_t session = t ? t->session : mom_job_session(s->mom, job_id);

    if (session > 1)
        proc_kill_session(session, signo);
    else if (t && t->child && signo == SIGKILL)
        kill(t->shepherd, SIGKILL); /* the job waits for its go and ends without it */
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
        /* A job that was seen with no process at all says nothing about its use: it may
         * be ending just now. */
        if (ps[i].n_processes)
            mom_used(s->mom, clock_read(), t->job_id, &ps[i].used);
        i++;
    }
    free(ps);
    mom_sampled(s->mom, clock_read(), out);
}

void tasks_drop(struct shell *s, const char *job_id, int run_version)
{
    struct task *t = find(s, job_id);
    const char *tmpdir = s->config.tmpdir ? s->config.tmpdir : s->conf->tmpdir;
    char path[PATH_MAX];
    struct diag why;

    /* The scratch directory has the user's files, and is removed with the user's rights
     * (files.h). */
    home_remove_job(s->home, job_id, run_version);
    if (snprintf(path, sizeof(path), "%s/pbs.%s", tmpdir ? tmpdir : "/var/tmp",
                 job_id) < (int)sizeof(path) &&
        files_remove_tree(s->loop, path, &why) != 0)
        shell_log(s, LOG_EV_ERROR, LOG_IN_FILE, path, why.text);
    if (!t)
        return;
    unlist(t);
    t->dropped = true;
    if (!t->report)
        close_pipes(t);
    if (t->session > 1)
        proc_kill_session(t->session, SIGKILL);
    if (t->adopted)
        free_task(t);
}

/* True when an adopted job has ended. It is not our child, so the kernel does not tell:
 * the file that its shepherd writes at the end is looked for, and its session. */
static bool adopted_has_ended(struct task *t)
{
    char path[PATH_MAX];

    home_exit_path(t->shell->home, t->job_id, t->run_version, path);
    if (access(path, F_OK) == 0)
        return true;
    t->missing = proc_session_lives(t->session) ? 0 : t->missing + 1;
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
static void adopt(struct shell *s, const char *job_id, int run_version)
{
    struct task *t = add_task(s, job_id, run_version);

    t->adopted = true;
    t->session = mom_job_session(s->mom, job_id);
    MUST(t->session > 0); /* find_processes() */
    loop_timer_set(s->watch, WATCH_MS);
}

/* A shepherd may be about to write how its job ended: a job that had a session is
 * watched for a while before it is given up. */
static void find_processes(struct shell *s, const char *id)
{
    int run = mom_job_run_version(s->mom, id);
    char path[PATH_MAX];
    struct mom_usage used;
    int32_t status;

    if (spawn_read_exit(home_exit_path(s->home, id, run, path), &status, &used)) {
        mom_found(s->mom, id, false, status);
    } else if (mom_job_session(s->mom, id) > 0) {
        mom_found(s->mom, id, true, 0);
        adopt(s, id, run);
    }
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
    if (!home_read(path, MAX_RECORD, &record) || !record.data ||
        !mom_record_is_of(record.data, record.len, id) ||
        !mom_load(s->mom, record.data, record.len, &loaded)) {
        shell_log(s, LOG_EV_ERROR, LOG_IN_JOB, id, "damaged job record removed");
        home_remove_job(s->home, id, 0);
    } else {
        find_processes(s, id);
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
    /* All records come first: only then it is known which of the other files belong to
     * nobody. */
    while ((e = readdir(d)))
        if (ends_in(e->d_name, ".JB"))
            recover_one(s, e->d_name);
    rewinddir(d);
    while ((e = readdir(d)))
        sweep(s, d, e->d_name);
    closedir(d);
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
