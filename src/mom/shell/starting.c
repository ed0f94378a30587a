/* starting.c - see starting.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/starting.h"

#include "lib/base/log.h"
#include "mom/shell/prologue.h"
#include "mom/shell/sandbox.h"

#include <errno.h>
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

void start_say(struct starting *st, const char *fmt, ...)
{
    size_t len = strlen(st->text);
    va_list ap;

    if (len > 0 && len < sizeof(st->text) - 2)
        len += (size_t)snprintf(st->text + len, sizeof(st->text) - len, "; ");
    va_start(ap, fmt);
    vsnprintf(st->text + len, sizeof(st->text) - len, fmt, ap);
    va_end(ap);
}

void start_say_aside(struct starting *st, const char *path, const struct place *at)
{
    if (at->aside[0])
        start_say(st, PLACE_ASIDE, path, (unsigned)at->aside_uid, at->aside);
}

void start_send_report(int fd, const struct spawn_report *r)
{
    /* The report is shorter than a pipe takes in one piece, so it comes whole or not at
     * all. */
    if (write(fd, r, sizeof(*r)) != (ssize_t)sizeof(*r))
        _exit(EXEC_FAILED);
}

void start_report(int fd, int32_t session, int32_t status, const char *jobdir,
                  const char *text)
{
    struct spawn_report r = { .session = session, .status = status };

    if (jobdir && strlen(jobdir) < sizeof(r.jobdir))
        snprintf(r.jobdir, sizeof(r.jobdir), "%s", jobdir);
    snprintf(r.text, sizeof(r.text), "%s", text);
    start_send_report(fd, &r);
}

void start_remark(void *arg, int event, const char *text)
{
    const struct starting *st = arg;
    struct spawn_report r = { .event = event };

    MUST(event != 0);
    snprintf(r.text, sizeof(r.text), "%s", text);
    start_send_report(st->report_fd, &r);
}

static bool take_groups(const struct plan *p)
{
    return geteuid() != 0 || initgroups(p->user, p->gid) == 0;
}

static bool take_ids(const struct plan *p)
{
    if (geteuid() != 0)
        return geteuid() == p->uid;
    return setgid(p->gid) == 0 && setuid(p->uid) == 0;
}

bool start_become_user(const struct plan *p)
{
    return take_groups(p) && take_ids(p);
}

/* The shell of the job reads the name of the script from its input, where it waits in a
 * pipe. */
static bool open_input(const struct plan *p)
{
    size_t len = p->input ? strlen(p->input) : 0;
    int fds[2];

    if (!p->input)
        return true; /* /dev/null is there already */
    /* One line with a path is less than a pipe holds: this does not wait for a
     * reader. */
    if (pipe(fds) < 0 || write(fds[1], p->input, len) != (ssize_t)len ||
        dup2(fds[0], 0) < 0)
        return false;
    close(fds[0]);
    close(fds[1]);
    return true;
}

static bool make_tmpdir(struct starting *st)
{
    const struct plan *p = st->plan;
    struct place at = { .uid = p->uid, .gid = p->gid, .mode = 0700 };

    if (!place_directory(&at, p->tmpdir)) {
        start_say(st, "cannot make the scratch directory %s: %s", p->tmpdir,
                  strerror(errno));
        return false;
    }
    start_say_aside(st, p->tmpdir, &at);
    return true;
}

static bool set_limits(const struct plan *p)
{
    MUST(p->n_limits <= ARRAY_LEN(p->limits));
    for (size_t i = 0; i < p->n_limits; i++) {
        const struct rlimit l = { p->limits[i].value, p->limits[i].value };

        if (setrlimit((__rlimit_resource_t)p->limits[i].resource, &l) < 0)
            return false;
    }
    /* A number of -1 is legal; only errno tells. */
    errno = 0;
    return p->nice == 0 || nice(p->nice) != -1 || errno == 0;
}

/* With root's rights: where everybody may make directories somebody else may have made
 * one with the name of the job's own. */
static void reclaim_jobdir(struct starting *st)
{
    const struct plan *p = st->plan;
    struct place at = { .uid = p->uid, .gid = p->gid, .mode = 0700 };

    place_reclaim(&at, p->jobdir);
    start_say_aside(st, p->jobdir, &at);
}

/* The first host of a job has the directory before it has tasks elsewhere. Another host
 * has the same one, or makes its own: which of both it is shows when it is made, unless
 * the administrator says that all have the same. */
static bool makes_jobdir(const struct starting *st)
{
    return st->plan->jobdir &&
           (st->is_top || (st->plan->remote.ip && !st->host->config->jobdir_is_shared));
}

/* Do what needs the rights of the MoM: names in directories that everybody writes to.
 */
static int prepare_places(struct starting *st)
{
    const struct plan *p = st->plan;

    /* The process ends as the program of the job, which inherits this. */
    umask(p->umask);
    if (geteuid() == 0 && p->script && chown(p->script, p->uid, p->gid) < 0) {
        start_say(st, "%s: %s", p->script, strerror(errno));
        return START_RETRY;
    }
    if (st->terminal && !job_terminal_take(st->terminal, p->uid)) {
        start_say(st, "cannot open %s: %s", st->terminal->path, strerror(errno));
        return START_FAILED_EARLY;
    }
    if (!st->terminal && !start_open_outputs(st, false))
        return START_RETRY;
    if (makes_jobdir(st))
        reclaim_jobdir(st);
    return make_tmpdir(st) ? 0 : START_INSECURE;
}

/* Have the user's rights for what the user's files need, and root's again afterwards:
 * the administrator's script is yet to run. Without root these are the same. */
static bool borrow_user(const struct plan *p)
{
    return geteuid() != 0 || (initgroups(p->user, p->gid) == 0 &&
                              setegid(p->gid) == 0 && seteuid(p->uid) == 0);
}

static bool return_user(void)
{
    return getuid() != 0 ||
           (seteuid(0) == 0 && setegid(0) == 0 && setgroups(0, NULL) == 0);
}

/* The user is told once, and the log of each file. */
static void say_not_direct(struct starting *st)
{
    const struct plan *p = st->plan;
    char text[SPAWN_TEXT_BYTES];

    for (size_t i = 0; i < ARRAY_LEN(p->not_direct); i++) {
        if (!p->not_direct[i])
            continue;
        snprintf(text, sizeof(text),
                 "Direct write is requested for job: %s, but the destination: %s is "
                 "not usecp-able from %s",
                 p->job_id, p->not_direct[i], st->host->host);
        start_remark(st, LOG_EV_DEBUG3, text);
    }
    if (p->remark)
        dprintf(2, "%s\n", p->remark);
}

/* What stands in the place of a terminal. */
static bool open_files(struct starting *st)
{
    const struct plan *p = st->plan;

    if (!start_open_outputs(st, true))
        return false;
    if (start_use_outputs(st) && open_input(p)) {
        say_not_direct(st);
        return true;
    }
    start_say(st, "cannot open %s: %s", p->out.path ? p->out.path : p->err.path,
              strerror(errno));
    return false;
}

/* The directory of the job's own. */
static bool make_jobdir(struct starting *st)
{
    const char *dir = st->plan->jobdir;
    char text[PATH_MAX + 64];
    struct diag why;
    enum sandbox_made made = sandbox_make(dir, &why);

    if (made == SANDBOX_REFUSED) {
        start_say(st, "%s", why.text);
        return false;
    }
    if (made == SANDBOX_IS_NEW)
        snprintf(text, sizeof(text), "created the job directory %s", dir);
    else
        snprintf(text, sizeof(text),
                 "the staging and execution directory %s already exists", dir);
    st->has_jobdir = st->is_top || made == SANDBOX_IS_NEW;
    start_remark(st, made == SANDBOX_IS_NEW ? LOG_EV_JOB : LOG_EV_DEBUG3, text);
    return true;
}

/* Where the home cannot be entered a job begins in its own directory, or in "/", unless
 * it is to keep its output at home (execution.md 12). */
static bool begin_elsewhere(struct starting *st)
{
    const struct plan *p = st->plan;
    char text[PATH_MAX + 128];

    snprintf(text, sizeof(text), "Could not chdir to Home directory %s: %s", p->home,
             strerror(errno));
    start_remark(st, LOG_EV_SECURITY | LOG_EV_JOB, text);
    st->is_homeless = true;
    if (p->jobdir)
        return chdir(p->jobdir) == 0;
    return !p->out.is_users && !p->err.is_users && chdir("/") == 0;
}

/* A shell begins at home, where its profile lies, and is told to go on to the job's
 * directory; another program begins there, and a task beside the top task at home. */
static bool enter_directory(struct starting *st)
{
    const struct plan *p = st->plan;

    if (st->is_top && p->jobdir && !p->input)
        return chdir(p->jobdir) == 0;
    return chdir(p->home) == 0 || begin_elsewhere(st);
}

/* Enter the home directory and open what the user may open, with the user's rights. */
static int enter_as_user(struct starting *st)
{
    if (makes_jobdir(st) && !make_jobdir(st))
        return START_RETRY;
    if (!enter_directory(st)) {
        start_say(st, "Could not enter the directory of the job: %s", strerror(errno));
        return START_FAILED;
    }
    if (!st->terminal && !open_files(st))
        return START_RETRY;
    if (st->is_homeless)
        dprintf(2, "Could not chdir to home directory\n");
    return 0;
}

static int cannot_become(struct starting *st)
{
    start_say(st, "cannot become user %s: %s", st->plan->user, strerror(errno));
    return START_BAD_USER;
}

/* A home that is not there is told, and it may not matter to the job (execution.md 11,
 * step 4). */
static void remark_home(struct starting *st)
{
    const struct plan *p = st->plan;
    char text[PATH_MAX + 256];
    struct stat of_home;

    if (stat(p->home, &of_home) == 0 || (errno != ENOENT && errno != ENOTDIR))
        return;
    snprintf(text, sizeof(text), "%s: home directory: %s", p->job_id, p->home);
    start_remark(st, LOG_EV_ERROR, text);
}

static int prepare_files(struct starting *st)
{
    int status;

    if (st->is_top)
        remark_home(st);
    status = prepare_places(st);
    if (status)
        return status;
    if (!borrow_user(st->plan))
        return cannot_become(st);
    prctl(PR_SET_DUMPABLE, 0); /* until exec the MoM's memory is in here */
    status = enter_as_user(st);
    return return_user() ? status : cannot_become(st);
}

int start_prepare(struct starting *st)
{
    int status = prepare_files(st);

    if (!status && st->is_top)
        status = prologue_run(st->host, st->plan, start_remark, st);
    if (status)
        return status;
    /* What restores processes of the user is the administrator's. */
    if (!st->restarts && !take_groups(st->plan))
        return cannot_become(st);
    /* Only root may raise limits and priorities (execution.md 11). Who knows the groups
     * may need more memory than the job, so he was asked before. */
    if (!set_limits(st->plan)) {
        start_say(st, "Unable to set limits, err=%d", errno);
        return START_FAILED;
    }
    if (!st->restarts && !take_ids(st->plan))
        return cannot_become(st);
    prctl(PR_SET_DUMPABLE, 0); /* the change of user has allowed it again */
    if (st->terminal && st->x11->is_wanted &&
        !job_x11_authorize(st->x11, st->plan->envp))
        start_remark(st, LOG_EV_ERROR,
                     "xauth did not take the cookie of the job's display");
    return 0;
}
