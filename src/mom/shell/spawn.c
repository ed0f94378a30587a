/* spawn.c - see spawn.h. Everything below spawn_start() runs in the forked processes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/spawn.h"

#include "mom/shell/home.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXEC_FAILED 254

struct pipes {
    int report; /* to the MoM */
    int go;     /* from the MoM */
    int begun;  /* from the job to the shepherd */
};

static void report(int fd, int32_t session, int32_t status, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

static void report(int fd, int32_t session, int32_t status, const char *fmt, ...)
{
    struct spawn_report r = { .session = session, .status = status };
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(r.text, sizeof(r.text), fmt, ap);
    va_end(ap);
    if (write(fd, &r, sizeof(r)) != (ssize_t)sizeof(r))
        _exit(EXEC_FAILED);
}

static void default_signals(void)
{
    sigset_t none;

    for (int signo = 1; signo < NSIG; signo++)
        signal(signo, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A file of a former run may be used again; anything else by that name is removed. */
static void clear_way(const struct plan *p, const char *path)
{
    struct stat st;

    if (lstat(path, &st) < 0)
        return;
    if (!S_ISREG(st.st_mode) || st.st_nlink != 1 || st.st_uid != p->uid)
        (void)unlink(path);
}

static bool become_user(const struct plan *p)
{
    if (geteuid() != 0)
        return geteuid() == p->uid;
    return initgroups(p->user, p->gid) == 0 && setgid(p->gid) == 0 &&
           setuid(p->uid) == 0;
}

static int open_output(const struct plan *p, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0666 & ~p->umask);
    struct stat st;

    if (fd >= 0 &&
        (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != p->uid)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool open_outputs(const struct plan *p)
{
    int out = p->out ? open_output(p, p->out) : -1;
    int err = p->err ? open_output(p, p->err) : -1;

    if ((p->out && out < 0) || (p->err && err < 0))
        return false;
    if (dup2(out >= 0 ? out : err, 1) < 0 || dup2(err >= 0 ? err : out, 2) < 0)
        return false;
    if (out > 2)
        close(out);
    if (err > 2)
        close(err);
    return true;
}

/* The script's name waits in a pipe for the shell that will read it. */
static bool open_input(const struct plan *p)
{
    size_t len = p->input ? strlen(p->input) : 0;
    int fds[2];

    if (!p->input)
        return true; /* /dev/null is there already */
    if (pipe(fds) < 0 || write(fds[1], p->input, len) != (ssize_t)len ||
        dup2(fds[0], 0) < 0)
        return false;
    close(fds[0]);
    close(fds[1]);
    return true;
}

static bool make_tmpdir(const struct plan *p)
{
    struct stat st;

    if (mkdir(p->tmpdir, 0700) == 0)
        return true;
    return errno == EEXIST && lstat(p->tmpdir, &st) == 0 && S_ISDIR(st.st_mode) &&
           st.st_uid == p->uid;
}

static bool set_limits(const struct plan *p)
{
    for (size_t i = 0; i < p->n_limits; i++) {
        const struct rlimit l = { p->limits[i].value, p->limits[i].value };

        if (setrlimit((__rlimit_resource_t)p->limits[i].resource, &l) < 0)
            return false;
    }
    return true;
}

/* Whatever can fail before the program starts, in order. 0 or the job's status. */
static int prepare(const struct plan *p, char *text, size_t size)
{
    if (geteuid() == 0) {
        if (p->out)
            clear_way(p, p->out);
        if (p->err)
            clear_way(p, p->err);
        if (p->script && chown(p->script, p->uid, p->gid) < 0) {
            snprintf(text, size, "%s: %s", p->script, strerror(errno));
            return START_RETRY;
        }
    }
    umask(p->umask);
    if (!become_user(p)) {
        snprintf(text, size, "cannot become user %s: %s", p->user, strerror(errno));
        return START_BAD_USER;
    }
    if (!make_tmpdir(p)) {
        snprintf(text, size,
                 "mkdir: %s is already available: possible attempted security breach",
                 p->tmpdir);
        return START_INSECURE;
    }
    if (chdir(p->home) < 0) {
        snprintf(text, size, "Could not chdir to Home directory %s: %s", p->home,
                 strerror(errno));
        return START_FAILED;
    }
    if (!open_outputs(p) || !open_input(p)) {
        snprintf(text, size, "cannot open %s: %s", p->out ? p->out : p->err,
                 strerror(errno));
        return START_RETRY;
    }
    if (!set_limits(p)) {
        snprintf(text, size, "Unable to set limits, err=%d", errno);
        return START_FAILED;
    }
    return 0;
}

static NORETURN void job_run(const struct plan *p, const struct pipes *pipes)
{
    char text[200] = "", go;
    int status;

    default_signals();
    if (setsid() < 0)
        _exit(EXEC_FAILED);
    status = prepare(p, text, sizeof(text));
    report(pipes->report, status ? 0 : (int32_t)getpid(), status, "%s", text);
    close(pipes->report);
    if (status || read(pipes->go, &go, 1) != 1 || write(pipes->begun, "b", 1) != 1)
        _exit(EXEC_FAILED);
    execve(p->program, p->argv, p->envp);
    dprintf(2, "pbs_mom, exec of %s failed with error: %s\n", p->program,
            strerror(errno));
    _exit(EXEC_FAILED);
}

static int wait_for(pid_t pid, struct rusage *ru)
{
    int status;

    while (wait4(pid, &status, 0, ru) < 0)
        if (errno != EINTR)
            return 256 + SIGKILL;
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool has_begun(int fd)
{
    char byte;
    ssize_t n;

    do {
        n = read(fd, &byte, 1);
    } while (n < 0 && errno == EINTR);
    return n == 1;
}

static void write_exit(const char *path, int status, const struct rusage *ru)
{
    char text[96];
    int n = snprintf(text, sizeof(text), "%d %ld %ld\n", status,
                     (long)(ru->ru_utime.tv_sec + ru->ru_stime.tv_sec) +
                         (ru->ru_utime.tv_usec + ru->ru_stime.tv_usec) / 1000000,
                     ru->ru_maxrss);
    struct diag why;

    if (home_write(path, 0600, text, (size_t)n, &why) != 0)
        _exit(1);
}

/* Nothing but the kernel and an administrator's SIGKILL ends a shepherd early. */
static NORETURN void shepherd_run(const struct plan *p, const char *exit_path,
                                  struct pipes *pipes)
{
    static const int ignored[] = { SIGHUP,  SIGINT,  SIGTERM, SIGQUIT,
                                   SIGPIPE, SIGUSR1, SIGUSR2 };
    struct rusage ru = { 0 };
    int begun[2], status;
    bool started;
    pid_t job;

    default_signals();
    for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
        signal(ignored[i], SIG_IGN);
    setsid();
    prctl(PR_SET_NAME, "pbs_shepherd");
    if (pipe2(begun, O_CLOEXEC) < 0)
        _exit(1);
    job = fork();
    if (job == 0) {
        close(begun[0]);
        pipes->begun = begun[1];
        job_run(p, pipes);
    }
    close(begun[1]);
    close(pipes->report);
    close(pipes->go);
    if (job < 0)
        _exit(1);
    started = has_begun(begun[0]);
    status = wait_for(job, &ru);
    write_exit(exit_path, started ? status : START_RETRY, &ru);
    _exit(0);
}

/* The three standard descriptors become /dev/null, the pipes 3 and 4, all others are
 * closed: locks, logs and sockets are the MoM's. */
static bool keep_only(struct pipes *pipes)
{
    int null = open("/dev/null", O_RDWR);
    int go = fcntl(pipes->go, F_DUPFD, 64), up = fcntl(pipes->report, F_DUPFD, 64);

    if (null < 0 || go < 0 || up < 0)
        return false;
    for (int fd = 0; fd < 3; fd++)
        if (dup2(null, fd) < 0)
            return false;
    if (dup3(go, 3, O_CLOEXEC) < 0 || dup3(up, 4, O_CLOEXEC) < 0)
        return false;
    pipes->go = 3;
    pipes->report = 4;
    return close_range(5, ~0u, 0) == 0;
}

int spawn_start(const struct plan *p, const char *exit_path, struct spawned *ret,
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
        struct pipes pipes = { .report = up[1], .go = down[0] };

        if (!keep_only(&pipes))
            _exit(1);
        shepherd_run(p, exit_path, &pipes);
    }
    close(up[1]);
    close(down[0]);
    if (pid < 0) {
        close(up[0]);
        close(down[1]);
        return diag_set(why, PBSE_SYSTEM, "fork: %s", strerror(errno));
    }
    *ret = (struct spawned){ .shepherd = pid, .report_fd = up[0], .go_fd = down[1] };
    return 0;
}

bool spawn_read_exit(const char *exit_path, int32_t *status, struct mom_usage *used)
{
    struct buf text = { 0 };
    long cput, rss;
    int st;
    bool ok = home_read(exit_path, 256, &text) && text.data &&
              sscanf(text.data, "%d %ld %ld", &st, &cput, &rss) == 3;

    if (ok) {
        *status = st;
        *used = (struct mom_usage){ .cput_s = cput, .mem_kb = rss };
    }
    buf_fini(&text);
    return ok;
}
