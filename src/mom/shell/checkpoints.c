/* checkpoints.c - see checkpoints.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/checkpoints.h"

#include "lib/io/child.h"
#include "lib/io/daemon.h"
#include "mom/shell/action_script.h"
#include "mom/shell/as_user.h"
#include "mom/shell/home.h"
#include "mom/shell/script.h"
#include "mom/shell/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utlist.h>

#define MAX_REPORT      (64u << 10)
#define WATCH_MS        500
#define REMOVE_LIMIT_MS 3600000
#define DROPPED         ".CK.drop-" /* and the host: the directory may be shared */

struct making { /* an image whose script runs, or is to be asked for */
    struct shell *shell;
    char *job_id;
    enum config_action_kind kind;
    pid_t pid; /* 0: an earlier MoM has started it */
    struct loop_child *child;
    bool is_abandoned; /* nobody waits for it */
    struct making *prev, *next;
};

static const char *path_of(const char *dir, const char *job_id, const char *suffix,
                           char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s.%s", dir, job_id, suffix);
    return path;
}

const char *checkpoints_path(const char *dir, const char *job_id, char path[PATH_MAX])
{
    return path_of(dir, job_id, "CK", path);
}

static struct making *find(const struct shell *s, const char *job_id)
{
    struct making *k;

    DL_FOREACH (s->makings, k)
        if (!k->is_abandoned && strcmp(k->job_id, job_id) == 0)
            return k;
    return NULL;
}

/* Whoever may write there could have the MoM restore what he likes, and whoever may
 * read there has the memory of all jobs. */
static int check_dir(const char *dir, struct diag *why)
{
    struct stat st;

    if (stat(dir, &st) < 0)
        return diag_set(why, PBSE_SYSTEM, "%s: %s", dir, strerror(errno));
    if (!S_ISDIR(st.st_mode) || (st.st_mode & 077) ||
        (st.st_uid != 0 && st.st_uid != geteuid()))
        return diag_set(why, PBSE_SYSTEM,
                        "%s: the checkpoint directory must be root's alone (0700)",
                        dir);
    return 0;
}

int checkpoints_open(struct shell *s, const char *option, struct diag *why)
{
    const char *env = getenv("PBS_CHECKPOINT_PATH");
    const struct {
        const char *dir, *words;
    } rows[] = {
        { option, "Using checkpoint path of the command line." },
        { env, "Using checkpoint path of the environment." },
        { s->config.checkpoint_path, "Using checkpoint path of the configuration." },
    };
    const char *words = "Using default checkpoint path.";

    snprintf(s->checkpoint_dir, sizeof(s->checkpoint_dir), "%s/checkpoint", s->home);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (!rows[i].dir || !rows[i].dir[0])
            continue;
        if (rows[i].dir[0] != '/' || strlen(rows[i].dir) >= sizeof(s->checkpoint_dir))
            return diag_set(why, PBSE_SYSTEM, "%s: not a checkpoint directory",
                            rows[i].dir);
        snprintf(s->checkpoint_dir, sizeof(s->checkpoint_dir), "%s", rows[i].dir);
        words = rows[i].words;
        break;
    }
    logfile_printf(s->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "set_checkpoint_path", "%s",
                   words);
    logfile_printf(s->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "set_checkpoint_path",
                   "Setting checkpoint path to %s/", s->checkpoint_dir);
    s->host.checkpoint_dir = s->checkpoint_dir;
    return check_dir(s->checkpoint_dir, why);
}

static bool run_remove(const void *work, struct buf *report)
{
    (void)report;
    return tree_remove(AT_FDCWD, work);
}

/* An image may be large, so the MoM does not wait for its removal. */
static void remove_aside(struct shell *s, const char *path)
{
    const struct as_user a = { .uid = geteuid(),
                               .gid = getegid(),
                               .dir = "/",
                               .limit_ms = REMOVE_LIMIT_MS,
                               .run = run_remove,
                               .work = path };
    struct diag why;

    if (as_user_start(s->loop, &a, &why) != 0)
        shell_log(s, LOG_EV_ERROR, LOG_IN_FILE, path, why.text);
}

/* Where the runner puts an image that another one has replaced. */
static const char *replaced_path(const char *dir, const char *host, const char *job_id,
                                 char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s" DROPPED "%s", dir, job_id, host);
    return path;
}

/* Out of the way at once, and gone later. */
static void throw_away(struct shell *s, const char *job_id, const char *suffix)
{
    char path[PATH_MAX], aside[PATH_MAX + 64];

    snprintf(aside, sizeof(aside), "%s-%d-%u",
             replaced_path(s->checkpoint_dir, s->short_name, job_id, path),
             (int)getpid(), ++s->n_images_removed);
    if (rename(path_of(s->checkpoint_dir, job_id, suffix, path), aside) == 0)
        remove_aside(s, aside);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

void checkpoints_settle(struct shell *s, const char *job_id)
{
    char path[PATH_MAX], old[PATH_MAX];

    if (mom_job_makes_image(s->mom, job_id))
        return;
    path_of(s->checkpoint_dir, job_id, "CK", path);
    path_of(s->checkpoint_dir, job_id, "CK.old", old);
    if (is_there(old)) {
        throw_away(s, job_id, "CK");
        (void)rename(old, path);
    }
    if (!mom_job_has_image(s->mom, job_id))
        throw_away(s, job_id, "CK");
    if (!mom_job_has_image_before(s->mom, job_id))
        throw_away(s, job_id, "CK.prev");
    (void)unlink(path_of(s->checkpoint_dir, job_id, "CL", path));
}

void checkpoints_drop(struct shell *s, const char *job_id)
{
    char path[PATH_MAX];

    checkpoints_abandon(s, job_id);
    throw_away(s, job_id, "CK");
    throw_away(s, job_id, "CK.old");
    throw_away(s, job_id, "CK.prev");
    (void)unlink(path_of(s->checkpoint_dir, job_id, "CL", path));
}

void checkpoints_go_back(struct shell *s, const char *job_id, bool has_before)
{
    char path[PATH_MAX], before[PATH_MAX];

    throw_away(s, job_id, "CK");
    if (has_before)
        (void)rename(path_of(s->checkpoint_dir, job_id, "CK.prev", before),
                     path_of(s->checkpoint_dir, job_id, "CK", path));
}

/* In the runner: a line of the report, which the MoM logs. */
static void say(void *arg, int event, const char *text)
{
    dprintf(*(const int *)arg, "%d %s\n", event, text);
}

/* 0, or a number of errno.h. */
static int make_room(const struct action_call *c, const char *dir, const char *host)
{
    char path[PATH_MAX], old[PATH_MAX], replaced[PATH_MAX];

    path_of(dir, c->job_id, "CK.old", old);
    replaced_path(dir, host, c->job_id, replaced);
    (void)!tree_remove(AT_FDCWD, replaced);
    if (!is_there(old) && rename(c->path, old) < 0 && errno != ENOENT)
        return errno;
    (void)!tree_remove(AT_FDCWD, path_of(dir, c->job_id, "CK", path));
    return mkdir(c->path, 0700) < 0 ? errno : 0;
}

static void put_in_place(const struct action_call *c, const char *dir, const char *host,
                         bool keeps_before, bool is_made)
{
    char old[PATH_MAX], replaced[PATH_MAX], before[PATH_MAX];

    path_of(dir, c->job_id, "CK.old", old);
    replaced_path(dir, host, c->job_id, replaced);
    if (!is_there(old) && is_made)
        return;
    if (is_made && keeps_before) {
        path_of(dir, c->job_id, "CK.prev", before);
        (void)rename(before, replaced);
        (void)rename(old, before);
    } else if (is_made) {
        (void)rename(old, replaced);
    } else {
        (void)rename(c->path, replaced);
        (void)rename(old, c->path);
    }
}

static int error_of(int code)
{
    return code >= 0              ? code
           : code == SCRIPT_UNFIT ? EACCES
           : code == SCRIPT_LATE  ? ETIME
                                  : EINTR;
}

struct run { /* what the runner has to do; all of it is in its copy of the MoM */
    struct action_call call; /* of the top task */
    const char *dir, *host;
    bool has_top; /* a sister's host has none */
    bool keeps_before;
    size_t n;
    struct action_call *others; /* tasks beside it */
};

static int call_script(const struct action_call *c, int report)
{
    return error_of(action_call(c, false, say, &report));
}

/* A script for each of them, side by side: processes of one program may have to agree
 * on the moment. The number of one that has failed, 0: none has. */
static int call_others(const struct run *r, int report)
{
    pid_t *pids = xcalloc(r->n + 1, sizeof(*pids));
    int err = 0;

    for (size_t i = 0; i < r->n; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody else would end it */
            _exit(call_script(&r->others[i], report) & 0xff);
        }
        if (pids[i] < 0)
            err = errno;
    }
    for (size_t i = 0; i < r->n; i++) {
        int status = 0;

        while (pids[i] > 0 && waitpid(pids[i], &status, 0) < 0 && errno == EINTR)
            ;
        if (!err && pids[i] > 0)
            err = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
    }
    free(pids);
    return err;
}

/* The image may fill the disk, and what is lost then is the job: the report has its
 * place before the script begins. A file system that cannot do that is taken as it is.
 */
static int reserve(int report)
{
    if (fallocate(report, FALLOC_FL_KEEP_SIZE, 0, MAX_REPORT) == 0 ||
        errno == EOPNOTSUPP || errno == ENOSYS)
        return 0;
    return errno;
}

/* The runner's process: the end of the script is in the report before the lock on the
 * report goes with this process. */
static NORETURN void run(const struct run *r, int report)
{
    int err;

    setsid();
    prctl(PR_SET_NAME, "pbs_checkpoint");
    err = reserve(report);
    if (!err)
        err = make_room(&r->call, r->dir, r->host);
    if (!err) {
        err = call_others(r, report);
        /* The job goes on as long as its top task does. */
        if (!err && r->has_top)
            err = call_script(&r->call, report);
        put_in_place(&r->call, r->dir, r->host, r->keeps_before, err == 0);
    }
    dprintf(report, "0 %d\n", err);
    _exit(fsync(report) < 0);
}

static int open_report(const struct shell *s, const char *job_id, int flags)
{
    char path[PATH_MAX];
    int fd = open(path_of(s->checkpoint_dir, job_id, "CL", path),
                  O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);

    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Log the lines of the report. The number at its end; EIO where it has none. */
static int take_report(struct shell *s, const char *job_id, const char *text)
{
    int code = EIO;

    while (*text) {
        size_t len = strcspn(text, "\n");
        char *line = xstrndup(text, len), *words;
        long event = strtol(line, &words, 10);

        if (*words == ' ' && event != 0)
            shell_log(s, (int)event, LOG_IN_JOB, job_id, words + 1);
        else if (*words == ' ' && text[len] == '\n')
            code = atoi(words + 1);
        free(line);
        text += len + (text[len] == '\n');
    }
    return code;
}

static void free_making(struct making *k)
{
    DL_DELETE(k->shell->makings, k);
    if (k->child)
        loop_child_forget(k->child);
    free(k->job_id);
    free(k);
}

/* The script has ended. The report goes last: the job's record has what it says then.
 */
static void tell(struct making *k)
{
    struct shell *s = k->shell;
    struct mom_out out = { .arena = s->arena };
    struct buf report = { 0 };
    char path[PATH_MAX], image[PATH_MAX], replaced[PATH_MAX];
    char *job_id = xstrdup(k->job_id);
    bool is_wanted = !k->is_abandoned;
    int err = ENOENT;

    free_making(k);
    path_of(s->checkpoint_dir, job_id, "CL", path);
    if (home_read(path, MAX_REPORT, &report))
        err = take_report(s, job_id, report.data ? report.data : "");
    buf_fini(&report);
    if (is_wanted) {
        checkpoints_path(s->checkpoint_dir, job_id, image);
        mom_checkpointed(s->mom, clock_steady(), job_id, err ? NULL : image, err, &out);
        shell_carry_out(s, &out);
    }
    replaced_path(s->checkpoint_dir, s->short_name, job_id, replaced);
    if (is_there(replaced))
        remove_aside(s, replaced);
    if (mom_job_attrs(s->mom, job_id))
        checkpoints_settle(s, job_id);
    else
        checkpoints_drop(s, job_id);
    free(job_id);
}

static void on_end(void *arg, pid_t pid, int status)
{
    struct making *k = arg;

    (void)pid;
    (void)status;
    k->child = NULL;
    tell(k);
}

/* Those that an earlier MoM has started are no children: their locks are looked at. */
static void on_watch(void *arg)
{
    struct shell *s = arg;
    struct making *k, *next;
    bool more = false;

    DL_FOREACH_SAFE (s->makings, k, next) {
        int fd;

        if (k->pid)
            continue;
        fd = open_report(s, k->job_id, 0);
        if (fd < 0 && errno == EWOULDBLOCK) {
            more = true;
            continue;
        }
        if (fd >= 0)
            close(fd);
        tell(k);
        break; /* the list has changed */
    }
    DL_FOREACH (s->makings, k)
        more |= !k->pid;
    if (more)
        loop_timer_set(s->checkpoint_watch, WATCH_MS);
}

static struct making *add(struct shell *s, const char *job_id, bool aborts)
{
    struct making *k = xcalloc(1, sizeof(*k));

    MUST(!find(s, job_id)); /* one at a time */
    k->shell = s;
    k->job_id = xstrdup(job_id);
    k->kind = aborts ? CONFIG_ACTION_CHECKPOINT_ABORT : CONFIG_ACTION_CHECKPOINT;
    DL_APPEND(s->makings, k);
    return k;
}

static void watch_earlier(struct shell *s, const char *job_id, bool aborts)
{
    (void)add(s, job_id, aborts);
    if (!s->checkpoint_watch)
        s->checkpoint_watch = loop_timer_new(s->loop, on_watch, s);
    loop_timer_set(s->checkpoint_watch, 1);
}

/* The tasks beside the top task, in the arena of this turn. */
static void note_others(struct shell *s, struct run *r)
{
    const char *job_id = r->call.job_id;
    const struct mom_job_task *tasks;

    r->n = mom_job_tasks(s->mom, job_id, s->arena, &tasks);
    r->others = ARENA_ARRAY(s->arena, struct action_call, r->n);
    for (size_t i = 0; i < r->n; i++) {
        struct action_call *c = &r->others[i];

        *c = r->call;
        c->task = tasks[i].number;
        c->session = tasks[i].session;
        c->vnode = tasks[i].vnode;
    }
}

/* 0, or a number of errno.h: nothing was begun. */
static int start(struct shell *s, const char *job_id, bool aborts, bool keeps_before)
{
    char path[PATH_MAX];
    struct run r = {
        .call = {
            .host = &s->host,
            .kind = aborts ? CONFIG_ACTION_CHECKPOINT_ABORT : CONFIG_ACTION_CHECKPOINT,
            .job_id = job_id,
            .attrs = mom_job_attrs(s->mom, job_id),
            .session = mom_job_session(s->mom, job_id),
            .task = 1,
            .path = checkpoints_path(s->checkpoint_dir, job_id, path),
        },
        .dir = s->checkpoint_dir,
        .host = s->short_name,
        .has_top = mom_job_session(s->mom, job_id) > 0,
        .keeps_before = keeps_before,
    };
    int report = -1, *const keep[] = { &report };
    struct making *k;
    pid_t pid;

    if (!s->config.actions[r.call.kind].path) /* gone with a SIGHUP */
        return ENOENT;
    note_others(s, &r);
    report = open_report(s, job_id, O_CREAT | O_TRUNC);
    if (report < 0)
        return errno;
    pid = fork();
    if (pid == 0) {
        if (!child_keep_only(keep, 1))
            _exit(1);
        run(&r, report);
    }
    close(report);
    if (pid < 0)
        return errno;
    k = add(s, job_id, aborts);
    k->pid = pid;
    k->child = loop_child_watch(s->loop, pid, on_end, k);
    return 0;
}

void checkpoints_make(struct shell *s, const struct mom_effect *e, struct mom_out *out)
{
    bool aborts = e->u.checkpoint.aborts;
    int err;

    /* Effects wait in a list while jobs go. */
    if (!mom_job_attrs(s->mom, e->job_id) || find(s, e->job_id))
        return;
    if (e->u.checkpoint.was_begun) {
        watch_earlier(s, e->job_id, aborts);
        return;
    }
    err = start(s, e->job_id, aborts, e->u.checkpoint.keeps_before);
    if (err)
        mom_checkpointed(s->mom, clock_steady(), e->job_id, NULL, err, out);
}

/* The script ends with its runner. One of an earlier MoM is waited for, since another
 * process may have its number by now. */
void checkpoints_abandon(struct shell *s, const char *job_id)
{
    struct making *k = find(s, job_id);

    if (!k)
        return;
    k->is_abandoned = true;
    if (k->pid)
        kill(k->pid, SIGKILL);
}

void checkpoints_sweep(struct shell *s)
{
    DIR *d = opendir(s->checkpoint_dir);
    char path[PATH_MAX];
    struct dirent *e;

    while (d && (e = readdir(d))) {
        const char *at = strstr(e->d_name, DROPPED);
        size_t len = strlen(s->short_name);

        if (!at || e->d_name[0] == '.')
            continue;
        at += strlen(DROPPED);
        if (strncmp(at, s->short_name, len) != 0 || (at[len] && at[len] != '-'))
            continue; /* another host's */
        if (snprintf(path, sizeof(path), "%s/%s", s->checkpoint_dir, e->d_name) <
            (int)sizeof(path))
            remove_aside(s, path);
    }
    if (d)
        closedir(d);
}

/* The scripts go on: the next MoM asks what became of them. */
void checkpoints_close(struct shell *s)
{
    struct making *k, *next;

    DL_FOREACH_SAFE (s->makings, k, next)
        free_making(k);
    loop_timer_free(s->checkpoint_watch);
}
