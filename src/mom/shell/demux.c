/* demux.c - see demux.h. What the process does is in demux_serve.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/demux.h"

#include "lib/base/log.h"
#include "lib/io/child.h"
#include "mom/shell/demux_serve.h"
#include "mom/shell/shell.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <uthash.h>
#include <utlist.h>

#define MAX_WRITERS 4096   /* connections at a time */
#define DRAIN_MS    300000 /* after the job, for the last words */

struct demux { /* the process of a job */
    struct shell *shell;
    char *job_id;
    int hold_fd; /* as long as the job is to start; -1: this is not listed any more */
    int report_fd;
    struct loop_fd *report;
    struct loop_child *child;
    bool is_ready, is_answered; /* the core has heard whether it is */
    char cookie[COOKIE_BYTES];
    uint16_t ports[2];
    struct demux *prev, *next; /* among all */
    UT_hash_handle hh;         /* among those that are listed */
};

void demux_cookie(char cookie[COOKIE_BYTES])
{
    uint8_t bytes[(COOKIE_BYTES - 1) / 2];
    ssize_t got = getrandom(bytes, sizeof(bytes), 0);

    /* The kernel gives so few bytes whole once it has begun. A cookie that others could
     * guess would let them act as the job. */
    MUST(got == (ssize_t)sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(cookie + 2 * i, 3, "%02X", bytes[i]);
}

static struct demux *find(struct shell *s, const char *job_id)
{
    struct demux *d;

    HASH_FIND_STR(s->demuxes, job_id, d);
    return d;
}

int demux_hold(struct shell *s, const char *job_id)
{
    const struct demux *d = find(s, job_id);

    return d ? d->hold_fd : -1;
}

static void release(struct demux *d)
{
    HASH_DEL(d->shell->demuxes, d);
    close(d->hold_fd);
    d->hold_fd = -1;
}

void demux_release(struct shell *s, const char *job_id)
{
    struct demux *d = find(s, job_id);

    if (d)
        release(d);
}

static void demux_free(struct demux *d)
{
    MUST(d->hold_fd < 0);
    DL_DELETE(d->shell->demux_processes, d);
    loop_fd_free(d->report);
    close(d->report_fd);
    if (d->child)
        loop_child_forget(d->child);
    free(d->job_id);
    free(d);
}

void demux_close_all(struct shell *s)
{
    struct demux *d, *next;

    DL_FOREACH_SAFE (s->demux_processes, d, next) {
        if (d->hold_fd >= 0)
            release(d);
        demux_free(d);
    }
}

/* A port of its own for each of the two files. */
static int open_port(uint16_t *ret)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
        listen(fd, 128) == 0 && getsockname(fd, (struct sockaddr *)&at, &len) == 0) {
        *ret = ntohs(at.sin_port);
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool become_user(const struct plan *p)
{
    if (geteuid() != 0)
        return geteuid() == p->uid;
    return initgroups(p->user, p->gid) == 0 && setgid(p->gid) == 0 &&
           setuid(p->uid) == 0;
}

/* In the new process. */
static NORETURN void demux_run(struct shell *s, const char *job_id, const char *cookie,
                               const int fds[4])
{
    struct demux_work w = { .cookie = cookie,
                            .listen_fd = { fds[0], fds[1] },
                            .hold_fd = fds[2],
                            .report_fd = fds[3],
                            .most = MAX_WRITERS,
                            .drain_ms = DRAIN_MS };
    int *const keep[] = { &w.listen_fd[0], &w.listen_fd[1], &w.hold_fd, &w.report_fd };
    struct plan plan = { 0 };
    struct diag why;

    setsid();
    prctl(PR_SET_NAME, "pbs_demux");
    if (!child_keep_only(keep, 4)) {
        demux_say(&w, "cannot take the output of other hosts: %s", strerror(errno));
        _exit(1);
    }
    signal(SIGPIPE, SIG_IGN); /* the MoM may be gone */
    if (plan_make(&s->host, job_id, mom_job_attrs(s->mom, job_id), NULL, arena_new(),
                  &plan, &why) != 0) {
        demux_say(&w, "cannot take the output of other hosts: %s", why.text);
        _exit(1);
    }
    if (!become_user(&plan)) {
        demux_say(&w,
                  "cannot take the output of other hosts: cannot become user %s: %s",
                  plan.user, strerror(errno));
        _exit(1);
    }
    prctl(PR_SET_DUMPABLE, 0);
    w.path[0] = plan.out.path;
    w.path[1] = plan.err.path;
    w.umask = plan.umask;
    demux_serve(&w);
}

/* The core hears whether the job may go on with its start. Nobody waits for one whose
 * job is gone, or is being run again. */
static void answer(struct demux *d, bool ok)
{
    struct shell *s = d->shell;
    struct mom_out out = { .arena = s->arena };

    if (d->is_answered || d->hold_fd < 0)
        return;
    d->is_answered = true;
    mom_prepared(s->mom, clock_steady(), d->job_id, ok ? d->cookie : NULL, d->ports[0],
                 d->ports[1], &out);
    shell_carry_out(s, &out);
}

/* False: there is no more now. */
static bool take_remark(struct demux *d)
{
    struct demux_remark r;
    ssize_t n = read(d->report_fd, &r, sizeof(r));

    if (n < 0 && errno == EINTR)
        return true;
    if (n != (ssize_t)sizeof(r)) {
        if (n >= 0) /* its end says the rest */
            loop_fd_want(d->report, 0);
        return false;
    }
    r.text[sizeof(r.text) - 1] = '\0';
    if (!r.is_ready)
        shell_log(d->shell, LOG_EV_ERROR, LOG_IN_JOB, d->job_id, r.text);
    d->is_ready |= r.is_ready;
    return true;
}

/* One at a time: the answer may end the job, and the next call is one of the loop. */
static void on_report(void *arg, int fd, unsigned ready)
{
    struct demux *d = arg;

    (void)fd;
    (void)ready;
    (void)take_remark(d);
    if (d->is_ready)
        answer(d, true);
}

static void say_end(const struct demux *d, int status)
{
    char text[256];

    if (status == 0)
        return;
    snprintf(text, sizeof(text),
             "the process that takes the output of other hosts has ended, %s %d: %s",
             WIFSIGNALED(status) ? "signal" : "exit status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
             d->is_ready ? "what tasks there write from now on is lost"
                         : "the job cannot start");
    shell_log(d->shell, LOG_EV_ERROR, LOG_IN_JOB, d->job_id, text);
}

static void on_end(void *arg, pid_t pid, int status)
{
    struct demux *d = arg;

    (void)pid;
    d->child = NULL;
    while (take_remark(d))
        ;
    say_end(d, status);
    answer(d, false);
    if (d->hold_fd >= 0)
        release(d);
    demux_free(d);
}

static struct demux *keep(struct shell *s, const char *job_id, const char *cookie,
                          const uint16_t ports[2], int hold_fd, int report_fd)
{
    struct demux *d = xcalloc(1, sizeof(*d));

    demux_release(s, job_id); /* of an earlier run that was given up */
    *d = (struct demux){ .shell = s,
                         .job_id = xstrdup(job_id),
                         .hold_fd = hold_fd,
                         .report_fd = report_fd,
                         .ports = { ports[0], ports[1] } };
    memcpy(d->cookie, cookie, COOKIE_BYTES);
    HASH_ADD_KEYPTR(hh, s->demuxes, d->job_id, strlen(d->job_id), d);
    DL_APPEND(s->demux_processes, d);
    (void)fcntl(report_fd, F_SETFL, O_NONBLOCK);
    d->report = loop_fd_new(s->loop, report_fd, on_report, d);
    loop_fd_want(d->report, LOOP_READ);
    return d;
}

static void close_all(const int *fds, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* The ends for the process and, behind them, those of the MoM: two ports, the pipe that
 * holds the process, and the one for its remarks. -1 where there is none. */
static bool open_ends(int child[4], int own[2], uint16_t ports[2])
{
    int hold[2], report[2];

    child[0] = open_port(&ports[0]);
    child[1] = open_port(&ports[1]);
    child[2] = child[3] = own[0] = own[1] = -1;
    if (child[0] < 0 || child[1] < 0 || pipe2(hold, O_CLOEXEC) < 0)
        return false;
    child[2] = hold[0];
    own[0] = hold[1];
    if (pipe2(report, O_CLOEXEC) < 0)
        return false;
    child[3] = report[1];
    own[1] = report[0];
    /* What the MoM does not read is not waited for. */
    return fcntl(child[3], F_SETFL, O_NONBLOCK) == 0;
}

void demux_start(struct shell *s, const char *job_id, struct mom_out *out)
{
    char cookie[COOKIE_BYTES];
    uint16_t ports[2] = { 0, 0 };
    int child[4], own[2], err;
    struct demux *d;
    pid_t pid = -1;

    demux_cookie(cookie);
    if (open_ends(child, own, ports)) {
        pid = fork();
        if (pid == 0)
            demux_run(s, job_id, cookie, child);
    }
    err = errno;
    close_all(child, 4);
    if (pid > 0) {
        d = keep(s, job_id, cookie, ports, own[0], own[1]);
        d->child = loop_child_watch(s->loop, pid, on_end, d);
        return;
    }
    close_all(own, 2);
    shell_log(s, LOG_EV_ERROR, LOG_IN_JOB, job_id,
              arena_printf(out->arena, "cannot take the output of other hosts: %s",
                           strerror(err)));
    mom_prepared(s->mom, clock_steady(), job_id, NULL, 0, 0, out);
}
