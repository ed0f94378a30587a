/* adopted.c - tasks that an earlier MoM has started, and others that are not children
 * of this one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/job_file.h"
#include "mom/shell/checkpoints.h"
#include "mom/shell/home.h"
#include "mom/shell/host_task.h"
#include "mom/shell/job_groups.h"
#include "mom/shell/proc.h"
#include "mom/shell/spawn.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>
#include <utlist.h>

#define WATCH_MS     500
#define GONE_AFTER   10 /* looks without a trace of an adopted job */
/* Tasks that are looked at in a turn. An end is dear (a record is written to disk), and
 * counts as so many of them. */
#define TASKS_A_TURN 100
#define END_COST     10

/* One look at tasks whose leaders have ended, in turns of the loop; who comes meanwhile
 * is part of the next one. A walk over the processes of the host serves all of them,
 * and is taken when the first one needs it. */
struct look {
    struct shell *shell;
    struct proc_session *v; /* by session; NULL: not taken */
    size_t n;
};

static int by_session(const void *a, const void *b)
{
    const struct proc_session *x = a, *y = b;

    return (x->session > y->session) - (x->session < y->session);
}

static void take_look(struct look *l)
{
    const struct task *t;

    DL_FOREACH (l->shell->leaderless, t)
        l->n++;
    l->v = xcalloc(l->n, sizeof(*l->v));
    l->n = 0;
    DL_FOREACH (l->shell->leaderless, t)
        l->v[l->n++].session = t->session;
    qsort(l->v, l->n, sizeof(*l->v), by_session);
    proc_sample(l->v, l->n);
}

/* Does anything of its session live, the leader or another process? */
static bool has_any(struct look *l, const struct task *t)
{
    const struct proc_session like = { .session = t->session }, *found;

    if (proc_session_lives(t->session, t->mark))
        return true;
    if (!proc_session_is(t->session, t->mark))
        return false;
    if (!l->v)
        take_look(l);
    found = bsearch(&like, l->v, l->n, sizeof(*l->v), by_session);
    return found && found->n_alive > 0;
}

/* True when an adopted task has ended whose leader does not run any more. It is not our
 * child, so the kernel does not tell how: its shepherd writes a status at the end. */
static bool adopted_has_ended(struct task *t, struct look *l)
{
    char path[PATH_MAX];
    struct mom_usage used;
    int32_t status;
    bool left_none;

    if (t->attached)
        return !has_any(l, t);
    if (spawn_read_exit(task_exit_path(t, path), &status, &used, &left_none))
        return true;
    /* What shall end has time to clean up behind its leader, and its shepherd waits for
     * that (spawn.c). */
    if (proc_session_lives(t->session, t->mark) ||
        (mom_job_has_kill_due(t->shell->mom, t->job_id) && has_any(l, t)))
        t->missing = 0;
    else
        t->missing++;
    return t->missing > GONE_AFTER;
}

static void begin_look(struct shell *s)
{
    s->look = xcalloc(1, sizeof(*s->look));
    s->look->shell = s;
    s->n_looks++;
}

static void end_look(struct shell *s)
{
    if (s->look)
        free(s->look->v);
    free(s->look);
    s->look = NULL;
}

/* The next one that this look has not seen; NULL: there is none. */
static struct task *next_to_see(const struct shell *s)
{
    struct task *t = s->leaderless;

    return t && t->n_looks != s->n_looks ? t : NULL;
}

/* It goes behind all that wait for this look, or has ended. What that has cost. */
static size_t see(struct task *t, struct mom_out *out)
{
    struct shell *s = t->shell;

    DL_DELETE(s->leaderless, t);
    DL_APPEND(s->leaderless, t);
    t->n_looks = s->n_looks;
    if (!adopted_has_ended(t, s->look))
        return 1;
    task_unlist(t);
    task_tell_exit(t, out);
    task_free(t);
    return END_COST;
}

static void on_watch(void *arg)
{
    struct shell *s = arg;
    struct mom_out out = { .arena = s->arena };
    struct task *t;

    if (!s->look)
        begin_look(s);
    for (size_t cost = 0; cost < TASKS_A_TURN && (t = next_to_see(s));)
        cost += see(t, &out);
    if (next_to_see(s)) {
        loop_timer_set(s->watch, 0);
    } else {
        end_look(s);
        if (s->leaderless)
            loop_timer_set(s->watch, WATCH_MS);
    }
    shell_carry_out(s, &out);
}

static void watch_end(struct task *t)
{
    struct shell *s = t->shell;

    t->is_leaderless = true;
    t->n_looks = s->n_looks;
    DL_APPEND(s->leaderless, t);
    if (!loop_timer_is_set(s->watch))
        loop_timer_set(s->watch, WATCH_MS);
}

static void close_leader(struct task *t)
{
    loop_fd_free(t->leader);
    t->leader = NULL;
    if (t->leader_fd >= 0)
        close(t->leader_fd);
    t->leader_fd = -1;
}

static void on_leader_end(void *arg, int fd, unsigned ready)
{
    (void)fd;
    (void)ready;
    close_leader(arg);
    watch_end(arg);
}

/* A task whose leader runs costs nothing: the kernel tells when that has ended. Where
 * there are no more descriptors the task is looked at as if it had. */
static void watch_leader(struct task *t)
{
    t->leader_fd = pidfd_open(t->session, 0);
    /* In this order: a descriptor that was opened is that of one process. */
    if (t->leader_fd < 0 || !proc_session_lives(t->session, t->mark)) {
        close_leader(t);
        watch_end(t);
        return;
    }
    t->leader = loop_fd_new(t->shell->loop, t->leader_fd, on_leader_end, t);
    loop_fd_want(t->leader, LOOP_READ);
}

void adopted_release(struct task *t)
{
    close_leader(t);
    if (t->is_leaderless)
        DL_DELETE(t->shell->leaderless, t);
    t->is_leaderless = false;
}

/* Watch a job that an earlier run of the MoM has started. */
static void adopt(struct shell *s, const char *job_id, uint32_t number, int32_t session,
                  int run_version)
{
    struct task *t = task_add(s, job_id, number, run_version);

    t->adopted = true;
    t->session = session;
    t->attached = mom_task_is_attached(s->mom, job_id, number);
    snprintf(t->mark, sizeof(t->mark), "%s", mom_session_mark(s->mom, job_id, number));
    MUST(t->session > 0); /* find_processes() */
    watch_leader(t);
}

void tasks_adopt(struct shell *s, const char *job_id, uint32_t only)
{
    struct mom_job_task t;

    if (!mom_find_task(s->mom, job_id, only, &t))
        return;
    adopt(s, job_id, t.number, t.session, mom_job_run_version(s->mom, job_id));
    job_groups_adopt(s, job_id, t.session);
}

/* A shepherd may be about to write how its job ended: a job that had a session is
 * watched for a while before it is given up. */
static void find_processes(struct shell *s, const char *id)
{
    int run = mom_job_run_version(s->mom, id);
    char path[PATH_MAX];
    struct mom_usage used;
    const struct mom_job_task *tasks;
    int32_t status;
    size_t n;
    bool left_none;

    if (spawn_read_exit(home_exit_path(s->home, id, run, path), &status, &used,
                        &left_none)) {
        mom_found(s->mom, id, false, status);
    } else if (mom_job_session(s->mom, id) > 0) {
        mom_found(s->mom, id, true, 0);
        adopt(s, id, 0, mom_job_session(s->mom, id), run);
    }
    n = mom_job_tasks(s->mom, id, s->arena, &tasks);
    for (size_t i = 0; i < n; i++)
        adopt(s, id, tasks[i].number, tasks[i].session, run);
}

/* Take one job from its record. A record that cannot be read is removed with the
 * job's files: nothing can be said of the job any more. */
static void recover_one(struct shell *s, const char *name)
{
    size_t len = strlen(name) - strlen(".JB");
    char *id = xstrndup(name, len), path[PATH_MAX];
    struct buf record = { 0 };
    const char *loaded;
    struct diag why;

    home_path(s->home, HOME_RECORD, id, path);
    if (records_read(path, JOB_FILE_MAX_BYTES, &record, &why) != 0)
        shell_log(s, LOG_EV_ERROR, LOG_IN_JOB, id, why.text);
    if (!record.data || !mom_record_is_of(record.data, record.len, id) ||
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

/* "ID.RUN-TASK.EX", behind the id: is it the status of a task that runs no more? Its
 * end is on record, or the MoM was killed before its begin was. */
static bool is_of_no_task(const struct shell *s, const char *id, const char *behind)
{
    struct mom_job_task task;
    unsigned number;
    int run;

    return sscanf(behind, "%d-%8X", &run, &number) == 2 &&
           (run != mom_job_run_version(s->mom, id) ||
            !mom_find_task(s->mom, id, number, &task));
}

/* Remove a file that belongs to no job here: "ID.RUN.EX", "ID.SC" or output of an
 * earlier run, or to no task, when the MoM ended before it was removed or before the
 * job's record was written; and "*.new", which was not written to its end. */
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
    if (is_new || !mom_job_attrs(s->mom, id) || (dot && is_of_no_task(s, id, dot + 1)))
        (void)unlinkat(dirfd(d), name, 0);
    free(id);
}

/* Node files that were not written to their end: a job's process was killed. */
static void sweep_aux(struct shell *s)
{
    char path[PATH_MAX];
    struct dirent *e;
    DIR *d;

    snprintf(path, sizeof(path), "%s/aux", s->home);
    d = opendir(path);
    while (d && (e = readdir(d)))
        if (ends_in(e->d_name, ".new"))
            (void)unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
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
    sweep_aux(s);
    job_groups_sweep(s);
    return true;
}

void tasks_close(struct shell *s)
{
    struct task *t, *tmp;

    HASH_ITER (hh, s->tasks, t, tmp) {
        task_unlist(t);
        task_free(t);
    }
    end_look(s);
    loop_timer_free(s->watch);
}
