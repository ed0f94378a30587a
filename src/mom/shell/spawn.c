/* spawn.c - see spawn.h. Everything below spawn_start() runs in the forked processes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/spawn.h"

#include "lib/base/log.h"
#include "lib/io/child.h"
#include "mom/shell/home.h"
#include "mom/shell/job_terminal.h"
#include "mom/shell/job_x11.h"
#include "mom/shell/plain.h"
#include "mom/shell/proc.h"
#include "mom/shell/prologue.h"
#include "mom/shell/restart.h"
#include "mom/shell/safe_name.h"
#include "mom/shell/sandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXEC_FAILED    254
#define EXIT_BYTES     96 /* of the file with a status; blanks until it is known */
#define REMOVE_LIMIT_S 60
#define LOOK_AGAIN_MS  100

struct pipes {
    int report; /* to the MoM */
    int go;     /* from the MoM */
    int begun;  /* from the job to the shepherd */
    int group;  /* into the job's group; -1: there is none */
};

/* A start under way. 'text' is what the MoM's log gets, one remark behind the other. */
struct starting {
    const struct plan *plan;
    const struct job_terminal *terminal; /* NULL: not an interactive job */
    const struct job_x11 *x11;           /* then */
    const struct plan_host *host;
    bool has_jobdir;  /* made, or found fit */
    bool is_top;      /* and not a task beside the top task */
    bool restarts;    /* from an image */
    bool is_homeless; /* the home cannot be entered */
    int report_fd;    /* to the MoM */
    int output[2];    /* descriptors of output and error output, -1: none yet */
    char text[SPAWN_TEXT_BYTES];
};

static void say(struct starting *st, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void say(struct starting *st, const char *fmt, ...)
{
    size_t len = strlen(st->text);
    va_list ap;

    if (len > 0 && len < sizeof(st->text) - 2)
        len += (size_t)snprintf(st->text + len, sizeof(st->text) - len, "; ");
    va_start(ap, fmt);
    vsnprintf(st->text + len, sizeof(st->text) - len, fmt, ap);
    va_end(ap);
}

static void say_aside(struct starting *st, const char *path, const struct place *at)
{
    if (at->aside[0])
        say(st, PLACE_ASIDE, path, (unsigned)at->aside_uid, at->aside);
}

/* Tell the MoM. A process that cannot tell ends, since the MoM would wait for
 * nothing. */
static void send_report(int fd, const struct spawn_report *r)
{
    /* The report is shorter than a pipe takes in one piece, so it comes whole or not at
     * all. */
    if (write(fd, r, sizeof(*r)) != (ssize_t)sizeof(*r))
        _exit(EXEC_FAILED);
}

static void report(int fd, int32_t session, int32_t status, const char *jobdir,
                   const char *text)
{
    struct spawn_report r = { .session = session, .status = status };

    if (jobdir && strlen(jobdir) < sizeof(r.jobdir))
        snprintf(r.jobdir, sizeof(r.jobdir), "%s", jobdir);
    snprintf(r.text, sizeof(r.text), "%s", text);
    send_report(fd, &r);
}

/* A line for the MoM's log, before it is known whether the job starts. */
static void remark(void *arg, int event, const char *text)
{
    const struct starting *st = arg;
    struct spawn_report r = { .event = event };

    MUST(event != 0);
    snprintf(r.text, sizeof(r.text), "%s", text);
    send_report(st->report_fd, &r);
}

static bool become_user(const struct plan *p)
{
    if (geteuid() != 0)
        return geteuid() == p->uid;
    return initgroups(p->user, p->gid) == 0 && setgid(p->gid) == 0 &&
           setuid(p->uid) == 0;
}

/* What an earlier run has written elsewhere comes first. A start that was cut short may
 * have put it there before: the program has not begun, so nothing else is lost. */
static bool begin_with_earlier(struct starting *st, int fd, const char *earlier)
{
    if (!earlier || (access(earlier, F_OK) < 0 && errno == ENOENT))
        return true;
    if (ftruncate(fd, 0) == 0 && home_copy(earlier, fd))
        return true;
    say(st, "cannot begin with %s: %s", earlier, strerror(errno));
    return false;
}

/* Open an output in the spool, with the rights of the MoM: somebody else may have taken
 * the name, and only the MoM can move such a file aside. */
static int open_spooled(struct starting *st, const struct plan_output *o)
{
    const struct plan *p = st->plan;
    struct place at = { .uid = p->uid, .gid = p->gid, .mode = 0666 & ~p->umask };
    int fd = place_file(&at, o->path);

    if (fd < 0) {
        say(st, "cannot open %s: %s", o->path, strerror(errno));
        return -1;
    }
    say_aside(st, o->path, &at);
    if (begin_with_earlier(st, fd, o->earlier))
        return fd;
    close(fd);
    return -1;
}

/* Open an output in the home directory, with the rights of the user. */
static int open_kept(struct starting *st, const char *path)
{
    struct diag why;
    struct stat is;
    int fd;

    /* Who writes directly may write to nowhere; no other device is opened. */
    if (strcmp(path, "/dev/null") == 0)
        return open(path, O_WRONLY | O_CLOEXEC);
    fd = plain_open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW,
                    0666 & ~st->plan->umask, &why);
    if (fd >= 0 && fstat(fd, &is) == 0 && is.st_uid == st->plan->uid)
        return fd;
    say(st, "cannot open %s", fd < 0 ? why.text : path);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Connect an output to the mother superior's host, and show that it belongs to the job
 * (tpp.md 7.3). */
static int open_remote(struct starting *st, uint16_t port)
{
    const struct plan_remote *r = &st->plan->remote;
    const struct sockaddr_in to = { .sin_family = AF_INET,
                                    .sin_port = htons(port),
                                    .sin_addr.s_addr = htonl(r->ip) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0 &&
        write(fd, r->cookie, strlen(r->cookie)) == (ssize_t)strlen(r->cookie))
        return fd;
    say(st, "cannot reach port %u of the mother superior: %s", port, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool open_remotes(struct starting *st)
{
    st->output[0] = open_remote(st, st->plan->remote.out_port);
    st->output[1] = open_remote(st, st->plan->remote.err_port);
    return st->output[0] >= 0 && st->output[1] >= 0;
}

/* Open the outputs that are kept, or those that are not: the latter are opened before
 * the process becomes the user, the former afterwards. */
static bool open_outputs(struct starting *st, bool kept)
{
    const struct plan_output *of[2] = { &st->plan->out, &st->plan->err };

    if (st->plan->remote.ip)
        return kept || open_remotes(st);
    for (size_t i = 0; i < 2; i++) {
        if (!of[i]->path || of[i]->is_users != kept)
            continue;
        MUST(st->output[i] < 0); /* each is opened once */
        st->output[i] = kept ? open_kept(st, of[i]->path) : open_spooled(st, of[i]);
        if (st->output[i] < 0)
            return false;
    }
    return true;
}

/* Make the outputs descriptors 1 and 2. Where the two are joined, one goes where the
 * other goes. */
static bool use_outputs(const struct starting *st)
{
    const int out = st->output[0], err = st->output[1];

    MUST(out >= 0 || err >= 0);
    if (dup2(out >= 0 ? out : err, 1) < 0 || dup2(err >= 0 ? err : out, 2) < 0)
        return false;
    if (out > 2)
        close(out);
    if (err > 2)
        close(err);
    return true;
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
        say(st, "cannot make the scratch directory %s: %s", p->tmpdir, strerror(errno));
        return false;
    }
    say_aside(st, p->tmpdir, &at);
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
    say_aside(st, p->jobdir, &at);
}

/* Do what needs the rights of the MoM: names in directories that everybody writes to.
 */
static int prepare_places(struct starting *st)
{
    const struct plan *p = st->plan;

    /* The process ends as the program of the job, which inherits this. */
    umask(p->umask);
    if (geteuid() == 0 && p->script && chown(p->script, p->uid, p->gid) < 0) {
        say(st, "%s: %s", p->script, strerror(errno));
        return START_RETRY;
    }
    if (st->terminal && !job_terminal_take(st->terminal, p->uid)) {
        say(st, "cannot open %s: %s", st->terminal->path, strerror(errno));
        return START_FAILED_EARLY;
    }
    if (!st->terminal && !open_outputs(st, false))
        return START_RETRY;
    if (p->jobdir && st->is_top)
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

/* What stands in the place of a terminal. */
static bool open_files(struct starting *st)
{
    const struct plan *p = st->plan;

    if (!open_outputs(st, true))
        return false;
    if (use_outputs(st) && open_input(p)) {
        if (p->remark)
            dprintf(2, "%s\n", p->remark);
        return true;
    }
    say(st, "cannot open %s: %s", p->out.path ? p->out.path : p->err.path,
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
        say(st, "%s", why.text);
        return false;
    }
    if (made == SANDBOX_IS_NEW)
        snprintf(text, sizeof(text), "created the job directory %s", dir);
    else
        snprintf(text, sizeof(text),
                 "the staging and execution directory %s already exists", dir);
    st->has_jobdir = true;
    remark(st, made == SANDBOX_IS_NEW ? LOG_EV_JOB : LOG_EV_DEBUG3, text);
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
    remark(st, LOG_EV_SECURITY | LOG_EV_JOB, text);
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
    const struct plan *p = st->plan;

    if (p->jobdir && st->is_top && !make_jobdir(st))
        return START_RETRY;
    if (!enter_directory(st)) {
        say(st, "Could not enter the directory of the job: %s", strerror(errno));
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
    say(st, "cannot become user %s: %s", st->plan->user, strerror(errno));
    return START_BAD_USER;
}

static int prepare_files(struct starting *st)
{
    int status = prepare_places(st);

    if (status)
        return status;
    if (!borrow_user(st->plan))
        return cannot_become(st);
    prctl(PR_SET_DUMPABLE, 0); /* until exec the MoM's memory is in here */
    status = enter_as_user(st);
    return return_user() ? status : cannot_become(st);
}

/* Do all that can fail before the program starts, in order. 0, or the status of the
 * job. */
static int prepare(struct starting *st)
{
    int status = prepare_files(st);

    if (!status && st->is_top)
        status = prologue_run(st->host, st->plan, remark, st);
    if (status)
        return status;
    /* What restores processes of the user is the administrator's. */
    if (!st->restarts && !become_user(st->plan))
        return cannot_become(st);
    prctl(PR_SET_DUMPABLE, 0); /* the change of user has allowed it again */
    if (st->terminal && st->x11->is_wanted &&
        !job_x11_authorize(st->x11, st->plan->envp))
        remark(st, LOG_EV_ERROR, "xauth did not take the cookie of the job's display");
    if (!set_limits(st->plan)) {
        say(st, "Unable to set limits, err=%d", errno);
        return START_FAILED;
    }
    return 0;
}

/* The plan is made here and not in the MoM, since it asks for the user's account: a
 * service that does not answer keeps this job from starting, and nothing else. Its
 * memory goes with exec. */
static int make_plan(struct starting *st, const struct spawn_order *o, struct plan *ret)
{
    const struct plan_terminal terminal = {
        .type = st->terminal ? st->terminal->client_has.type : NULL,
        .display = st->terminal && st->x11->is_wanted ? st->x11->display : NULL,
    };
    struct diag why;
    int status =
        o->task ? plan_make_task(o->host, o->job_id, o->attrs, o->task, arena_new(),
                                 ret, &why)
                : plan_make(o->host, o->job_id, o->attrs,
                            st->terminal ? &terminal : NULL, arena_new(), ret, &why);

    if (status)
        say(st, "%s", why.text);
    else
        plan_share(ret, &o->share);
    return status;
}

static bool enter_group(struct starting *st, int door)
{
    bool ok = door < 0 || write(door, "0", 1) == 1;

    if (!ok)
        say(st, "cannot enter the group of the job: %s", strerror(errno));
    if (door >= 0)
        close(door);
    return ok;
}

struct restoring {
    struct starting *st;
    int begun; /* to the shepherd */
};

static void on_restored(void *arg)
{
    const struct restoring *r = arg;
    const struct spawn_report report = { .restarted = true };

    if (write(r->begun, "r", 1) != 1)
        _exit(EXEC_FAILED);
    send_report(r->st->report_fd, &report);
    close(r->st->report_fd);
    close(r->begun);
}

static void restoring_says(void *arg, int event, const char *text)
{
    const struct restoring *r = arg;

    remark(r->st, event, text);
}

static NORETURN void restore(const struct spawn_order *o, struct starting *st,
                             const struct pipes *pipes)
{
    struct restoring r = { .st = st, .begun = pipes->begun };
    const struct action_call call = { .host = o->host,
                                      .kind = CONFIG_ACTION_RESTART,
                                      .job_id = o->job_id,
                                      .attrs = o->attrs,
                                      .session = o->restart->session,
                                      .task = o->task ? o->task->number : 1,
                                      .vnode = o->task ? o->task->vnode : 0,
                                      .path = o->restart->path };

    if (!o->host->config->actions[CONFIG_ACTION_RESTART].path) {
        remark(st, LOG_EV_ERROR, "there is no $action restart");
        _exit(EXEC_FAILED);
    }
    restart_run(&call, on_restored, restoring_says, &r);
}

/* The job's process: it plans and prepares itself, reports, waits for its go and
 * becomes the program. */
static NORETURN void job_run(const struct spawn_order *o, const struct pipes *pipes,
                             const struct job_terminal *terminal,
                             const struct job_x11 *x11)
{
    struct plan plan = { 0 };
    struct starting st = { .plan = &plan,
                           .terminal = terminal,
                           .x11 = x11,
                           .host = o->host,
                           .is_top = !o->task,
                           .restarts = o->restart != NULL,
                           .report_fd = pipes->report,
                           .output = { -1, -1 } };
    char go;
    int status;

    for (int signo = 1; signo < NSIG; signo++)
        /* The shepherd ignores signals, and what is ignored stays so across exec. */
        signal(signo, SIG_DFL);
    if (setsid() < 0)
        _exit(EXEC_FAILED);
    /* Before anything of the user's runs. The shepherd stays outside: it has to outlive
     * a job that is killed as a whole. */
    if (!enter_group(&st, pipes->group))
        status = START_RETRY;
    else
        status = make_plan(&st, o, &plan);
    if (!status)
        status = prepare(&st);
    report(pipes->report, status ? 0 : (int32_t)getpid(), status,
           st.has_jobdir ? plan.jobdir
           : plan.jobdir ? NULL
                         : plan.home,
           st.text);
    if (!o->restart)
        close(pipes->report);
    /* Without a go (the MoM died, or could not write the record) the program does
     * not start. */
    if (status || read(pipes->go, &go, 1) != 1 || write(pipes->begun, "b", 1) != 1)
        _exit(EXEC_FAILED);
    if (o->restart)
        restore(o, &st, pipes);
    /* What follows happens only when that fails; the user finds the reason in the error
     * output. */
    if (plan.is_searched) {
        environ = plan.envp;
        execvp(plan.program, plan.argv);
    } else {
        execve(plan.program, plan.argv, plan.envp);
    }
    dprintf(2, "pbs_mom, exec of %s failed with error: %s\n", plan.program,
            strerror(errno));
    _exit(EXEC_FAILED);
}

static int wait_for(pid_t pid, struct rusage *ru)
{
    pid_t ended;
    int status;

    MUST(pid > 0);
    /* What the job leaves behind is this process's child (take_orphans()), and is
     * waited for as it ends, or its numbers would stay taken. */
    while ((ended = wait4(-1, &status, 0, ru)) != pid)
        if (ended < 0 && errno != EINTR)
            /* Nobody can say how it ended. */
            return 256 + SIGKILL;
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Whatever loses its parent becomes a child of this process and not of init: when there
 * is no child left, nothing of the job is. Without a job at a terminal, whose bytes
 * this process carries meanwhile. */
static bool take_orphans(bool interactive)
{
    return !interactive && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

static bool has_left_none(void)
{
    pid_t ended;

    do {
        ended = waitpid(-1, NULL, WNOHANG);
    } while (ended > 0 || (ended < 0 && errno == EINTR));
    return ended < 0 && errno == ECHILD;
}

/* A script that catches SIGTERM has the time that it is given to clean up, although the
 * login shell that it was started from has ended by that signal: the job is over when
 * nothing of its session is left (execution.md 19). Whoever has sent the signal sends
 * SIGKILL later. What has left the session is not waited for. */
static bool wait_for_rest(pid_t session)
{
    bool left_none;

    while (!(left_none = has_left_none()) && proc_kill_session(session, 0) > 0)
        (void)poll(NULL, 0, LOOK_AGAIN_MS);
    return left_none;
}

/* True when the job has started its program: the byte comes before exec, and an end
 * of file without it means that the job never began. */
static bool has_begun(int fd)
{
    char byte;
    ssize_t n;

    MUST(fd >= 0);
    do {
        n = read(fd, &byte, 1);
    } while (n < 0 && errno == EINTR);
    return n == 1;
}

static void write_exit(const char *path, int status, const struct rusage *ru,
                       bool left_none)
{
    char text[EXIT_BYTES];
    int n = snprintf(text, sizeof(text), "%d %ld %ld %d\n", status,
                     (long)(ru->ru_utime.tv_sec + ru->ru_stime.tv_sec) +
                         (ru->ru_utime.tv_usec + ru->ru_stime.tv_usec) / 1000000,
                     ru->ru_maxrss, left_none);

    if (!home_fill(path, text, (size_t)n))
        _exit(1);
}

/* The file of the status has its place on the disk before there is a job: a disk that
 * fills up meanwhile does not turn its end into another one. */
static void reserve_exit(const char *path, const struct pipes *pipes)
{
    struct diag why;

    if (home_reserve(path, 0600, EXIT_BYTES, &why) == 0)
        return;
    report(pipes->report, 0, START_RETRY, NULL, why.text);
    _exit(EXEC_FAILED);
}

/* The MoM has the script in its memory until now: a file is made where that holds up
 * nobody else. The process that the job is made of gives it to the user. */
static void make_script(const struct spawn_order *o, const struct pipes *pipes)
{
    char path[PATH_MAX];
    struct diag why;

    if (!o->script || home_lay(home_path(o->host->home, HOME_SCRIPT, o->job_id, path),
                               0700, o->script, o->script_len, &why) == 0)
        return;
    report(pipes->report, 0, START_RETRY, NULL, why.text);
    _exit(EXEC_FAILED);
}

/* In a process of its own, since it becomes the user. A name service that does not
 * answer must not keep the job for ever. */
static NORETURN void remove_as_user(const struct spawn_order *o)
{
    struct plan plan = { 0 };
    const char *paths[PLAN_REMOVED_MAX];
    size_t n;

    alarm(REMOVE_LIMIT_S);
    n = plan_removed(o->host, o->job_id, o->attrs, arena_new(), &plan, paths);
    if (n > 0 && become_user(&plan))
        for (size_t i = 0; i < n; i++)
            (void)unlink(paths[i]);
    _exit(0);
}

/* A job that has ended well leaves no output that it shall not leave. Output in the
 * spool is not delivered then, and goes with the job. */
static void remove_outputs(const struct spawn_order *o)
{
    struct rusage ru;
    pid_t pid;

    if (!wire_attrs_value(o->attrs, "Remove_Files", NULL))
        return;
    pid = fork();
    if (pid == 0)
        remove_as_user(o);
    if (pid > 0)
        (void)wait_for(pid, &ru);
}

/* The qsub of an interactive job is called before there is a job: without it the job
 * does not start, and this process ends. */
static void call_client(const struct spawn_order *o, const struct pipes *pipes,
                        struct job_terminal *ret, struct job_x11 *x11)
{
    struct diag why;
    int status = job_terminal_open(o->attrs, o->job_id, ret, &why);

    if (!status && job_x11_open(o->attrs, ret->client, x11, &why) != 0)
        status = START_FAILED_EARLY;

    if (!status)
        return;
    report(pipes->report, 0, status, NULL, why.text);
    _exit(EXEC_FAILED);
}

/* The shepherd's process: it starts the job, waits for its end and writes the status
 * into a file. So the status is not lost when the MoM is restarted meanwhile. Signals
 * are ignored: only SIGKILL ends a shepherd early. */
static NORETURN void shepherd_run(const struct spawn_order *o, const char *exit_path,
                                  struct pipes *pipes)
{
    static const int ignored[] = { SIGHUP,  SIGINT,  SIGTERM, SIGQUIT,
                                   SIGPIPE, SIGUSR1, SIGUSR2 };
    bool interactive = !o->task && job_is_interactive(o->attrs), started, left_none;
    bool restored;
    struct job_terminal terminal = { 0 };
    struct job_x11 x11 = { .until_fd = -1 };
    struct rusage ru = { 0 };
    int begun[2], status;
    pid_t job;

    for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
        signal(ignored[i], SIG_IGN);
    setsid();
    prctl(PR_SET_NAME, "pbs_shepherd");
    reserve_exit(exit_path, pipes);
    make_script(o, pipes);
    if (interactive)
        call_client(o, pipes, &terminal, &x11);
    if (pipe2(begun, O_CLOEXEC) < 0)
        _exit(1);
    left_none = take_orphans(interactive);
    job = fork();
    if (job == 0) {
        close(begun[0]);
        pipes->begun = begun[1];
        job_run(o, pipes, interactive ? &terminal : NULL, &x11);
    }
    close(begun[1]);
    /* The MoM must see the end of these pipes when the job closes them, so no copy may
     * stay open here. */
    close(pipes->report);
    close(pipes->go);
    if (pipes->group >= 0)
        close(pipes->group);
    if (job < 0)
        _exit(1);
    if (interactive)
        job_terminal_carry(&terminal, job);
    started = has_begun(begun[0]);
    restored = !o->restart || (started && has_begun(begun[0]));
    status = wait_for(job, &ru);
    left_none =
        left_none && (status == 256 + SIGTERM ? wait_for_rest(job) : has_left_none());
    if (started && !restored)
        status = SPAWN_RESTART_FAILED;
    if (started && status == 0 && !interactive && !o->task)
        remove_outputs(o);
    write_exit(exit_path, started ? status : START_RETRY, &ru, left_none);
    _exit(0);
}

int spawn_start(const struct spawn_order *o, const char *exit_path, struct spawned *ret,
                struct diag *why)
{
    int up[2], down[2];
    pid_t pid;

    if (pipe2(up, O_CLOEXEC) < 0)
        return diag_set(why, PBSE_SYSTEM, "pipe: %s", strerror(errno));
    if (pipe2(down, O_CLOEXEC) < 0) {
        close(up[0]);
        close(up[1]);
        return diag_set(why, PBSE_SYSTEM, "pipe: %s", strerror(errno));
    }
    pid = fork();
    if (pid == 0) {
        struct pipes pipes = { .report = up[1], .go = down[0], .group = o->group_fd };
        int hold = o->hold_fd, *keep[4] = { &pipes.go, &pipes.report };
        size_t n = 2;

        if (hold >= 0)
            keep[n++] = &hold;
        if (pipes.group >= 0)
            keep[n++] = &pipes.group;
        if (!child_keep_only(keep, n))
            _exit(1);
        shepherd_run(o, exit_path, &pipes);
    }
    close(up[1]);
    close(down[0]);
    if (pid < 0) {
        close(up[0]);
        close(down[1]);
        return diag_set(why, PBSE_SYSTEM, "fork: %s", strerror(errno));
    }
    (void)fcntl(up[0], F_SETFL, O_NONBLOCK);
    *ret = (struct spawned){ .shepherd = pid, .report_fd = up[0], .go_fd = down[1] };
    return 0;
}

bool spawn_read_exit(const char *exit_path, int32_t *status, struct mom_usage *used,
                     bool *ret_left_none)
{
    struct buf text = { 0 };
    long cput, rss;
    int st, left_none = 0; /* a shepherd of an older MoM does not say it */
    bool ok = home_read(exit_path, 256, &text) && text.data &&
              strchr(text.data, '\n') &&
              sscanf(text.data, "%d %ld %ld %d", &st, &cput, &rss, &left_none) >= 3;

    *ret_left_none = ok && left_none == 1;
    if (ok) {
        *status = st;
        *used = (struct mom_usage){ .cput_s = cput, .mem_kb = rss };
    }
    buf_fini(&text);
    return ok;
}
