/* spawn.c - see spawn.h. Everything below spawn_start() runs in the forked processes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/spawn.h"

#include "lib/base/log.h"
#include "lib/io/child.h"
#include "lib/io/clock.h"
#include "mom/shell/home.h"
#include "mom/shell/proc.h"
#include "mom/shell/restart.h"
#include "mom/shell/starting.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_BYTES       96 /* of the file with a status; blanks until it is known */
#define LOOK_AGAIN_MS    100
#define LOOK_AT_LEAST_MS 2000

struct pipes {
    int report; /* to the MoM */
    int go;     /* from the MoM */
    int begun;  /* from the job to the shepherd */
    int group;  /* into the job's group; -1: there is none */
};

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
        start_say(st, "%s", why.text);
    else
        plan_share(ret, &o->share);
    return status;
}

static bool enter_group(struct starting *st, int door)
{
    bool ok = door < 0 || write(door, "0", 1) == 1;

    if (!ok)
        start_say(st, "cannot enter the group of the job: %s", strerror(errno));
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
    start_send_report(r->st->report_fd, &report);
    close(r->st->report_fd);
    close(r->begun);
}

static void restoring_says(void *arg, int event, const char *text)
{
    const struct restoring *r = arg;

    start_remark(r->st, event, text);
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
        start_remark(st, LOG_EV_ERROR, "there is no $action restart");
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

    child_reset_signals(); /* the shepherd ignores some */
    if (setsid() < 0)
        _exit(EXEC_FAILED);
    /* Before anything of the user's runs. The shepherd stays outside: it has to outlive
     * a job that is killed as a whole. */
    if (!enter_group(&st, pipes->group))
        status = START_RETRY;
    else
        status = make_plan(&st, o, &plan);
    if (!status)
        status = start_prepare(&st);
    start_report(pipes->report, status ? 0 : (int32_t)getpid(), status,
                 st.has_jobdir               ? plan.jobdir
                 : plan.jobdir || !st.is_top ? NULL
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

/* A process that has asked to be traced by its parent stops for it at each signal and
 * each program, which is no end. Nobody traces here: it goes on with the signal, and
 * untraced. */
static bool is_end(pid_t pid, int status)
{
    if (!WIFSTOPPED(status))
        return true;
    (void)ptrace(
        PTRACE_DETACH, pid, NULL,
        (void *)(intptr_t)(WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status)));
    return false;
}

static int wait_for(pid_t pid, struct rusage *ru)
{
    pid_t ended;
    int status;

    MUST(pid > 0);
    /* What the job leaves behind is this process's child (take_orphans()), and is
     * waited for as it ends, or its numbers would stay taken. */
    do {
        ended = wait4(-1, &status, 0, ru);
        if (ended < 0 && errno != EINTR)
            /* Nobody can say how it ended. */
            return 256 + SIGKILL;
        if (ended > 0 && !is_end(ended, status))
            ended = -1;
    } while (ended != pid);
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

/* Until a child ends, or so long. */
static bool child_ends_within(int64_t ms)
{
    const struct timespec most = { ms / 1000, ms % 1000 * 1000000 };
    sigset_t ends;

    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    return sigtimedwait(&ends, NULL, &most) == SIGCHLD;
}

static void hold_ends_of_children(void)
{
    sigset_t ends;

    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, NULL);
}

/* A script that catches SIGTERM has the time that it is given to clean up, although the
 * login shell that it was started from has ended by that signal: the job is over when
 * nothing of its session is left (execution.md 19). Whoever has sent the signal sends
 * SIGKILL later. What has left the session is not waited for: whether only such
 * processes are left is seen by a walk over all of the host, so that is looked at when
 * nothing has ended for a while, and then ever more rarely. */
static bool wait_for_rest(pid_t session)
{
    int64_t pause_ms = LOOK_AGAIN_MS, look_at, now;
    bool left_none;

    hold_ends_of_children();
    look_at = clock_mono_ms() + pause_ms;
    while (!(left_none = has_left_none())) {
        now = clock_mono_ms();
        if (now >= look_at) {
            if (proc_signal_session(session, 0) == 0)
                break;
            look_at = now + pause_ms;
            pause_ms = MIN_OF(2 * pause_ms, (int64_t)LOOK_AT_LEAST_MS);
        }
        if (!child_ends_within(look_at - now))
            continue;
        pause_ms = LOOK_AGAIN_MS;
        look_at = MIN_OF(look_at, now + pause_ms);
    }
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

/* The process that cannot go on says why: nobody else knows it. */
static NORETURN void give_up(const struct pipes *pipes, int32_t status,
                             const char *text)
{
    start_report(pipes->report, 0, status, NULL, text);
    _exit(EXEC_FAILED);
}

static NORETURN void give_up_for_errno(const struct pipes *pipes, const char *what)
{
    struct diag why;

    diag_set(&why, PBSE_SYSTEM, "%s: %s", what, strerror(errno));
    give_up(pipes, START_RETRY, why.text);
}

/* The file of the status has its place on the disk before there is a job: a disk that
 * fills up meanwhile does not turn its end into another one. The name of the job's
 * record gets to the disk with it, so that the MoM need not wait for that. */
static void reserve_exit(const char *path, const struct pipes *pipes)
{
    struct diag why;

    if (home_reserve(path, 0600, EXIT_BYTES, &why) == 0)
        return;
    give_up(pipes, START_RETRY, why.text);
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
    give_up(pipes, START_RETRY, why.text);
}

/* From here on the client is known by it (execution.md 26). */
static void say_method(const struct pipes *pipes)
{
    struct spawn_report r = { .event = LOG_EV_JOB };

    snprintf(r.text, sizeof(r.text), "interactive authentication method = resvport");
    start_send_report(pipes->report, &r);
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

    if (status)
        give_up(pipes, status, why.text);
    say_method(pipes);
}

/* A MoM that was killed before she let a task begin has no record of it, and the next
 * one does not look for its status. */
static bool is_nobodys(const struct spawn_order *o, bool started, pid_t mom)
{
    return o->task && !started && getppid() != mom;
}

/* The shepherd's process: it starts the job, waits for its end and writes the status
 * into a file. So the status is not lost when the MoM is restarted meanwhile. Signals
 * are ignored: only SIGKILL ends a shepherd early. */
static NORETURN void shepherd_run(const struct spawn_order *o, const char *exit_path,
                                  struct pipes *pipes, pid_t mom)
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
        give_up_for_errno(pipes, "pipe");
    left_none = take_orphans(interactive);
    job = fork();
    if (job < 0)
        give_up_for_errno(pipes, "fork");
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
    if (interactive)
        job_terminal_carry(&terminal, job);
    started = has_begun(begun[0]);
    restored = !o->restart || (started && has_begun(begun[0]));
    status = wait_for(job, &ru);
    left_none =
        left_none && (status == 256 + SIGTERM ? wait_for_rest(job) : has_left_none());
    if (started && !restored)
        status = SPAWN_RESTART_FAILED;
    /* A task was told of before its program begins, so it may be killed by then. */
    if (!started && !(o->task && status > 256))
        status = START_RETRY;
    if (is_nobodys(o, started, mom))
        (void)unlink(exit_path);
    else
        write_exit(exit_path, status, &ru, left_none);
    _exit(0);
}

int spawn_start(const struct spawn_order *o, const char *exit_path, struct spawned *ret,
                struct diag *why)
{
    int up[2], down[2];
    pid_t pid, mom = getpid();

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
        shepherd_run(o, exit_path, &pipes, mom);
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
