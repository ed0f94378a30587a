/* callback.c - see callback.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qsub/callback.h"

#include "cmds/common/cmd.h"
#include "cmds/qsub/qsub.h"
#include "include/pbs_error.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t came;

static void on_signal(int signo)
{
    came = signo;
}

int callback_listen(struct callback *c, struct attropl **attrs, const char *attr)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t len = sizeof(at);
    char port[16];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
        listen(fd, SOMAXCONN) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &len) != 0) {
        fprintf(stderr, "%s: cannot listen for the job: %s\n", CMD, strerror(errno));
        if (fd >= 0)
            close(fd);
        return 1;
    }
    *c = (struct callback){ .fd = fd, .port = ntohs(at.sin_port) };
    snprintf(port, sizeof(port), "%u", c->port);
    attrs_set(attrs, attr, NULL, port);
    return 0;
}

void callback_close(struct callback *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

void callback_hold(struct callback *c, const int *signals)
{
    struct sigaction sa = { .sa_handler = on_signal };
    sigset_t held;

    sigemptyset(&held);
    came = 0;
    for (; *signals; signals++) {
        sigaction(*signals, &sa, NULL);
        sigaddset(&held, *signals);
    }
    sigprocmask(SIG_BLOCK, &held, &c->before);
}

void callback_let_go(struct callback *c, const int *signals)
{
    for (; *signals; signals++)
        signal(*signals, SIG_DFL);
    sigprocmask(SIG_SETMASK, &c->before, NULL);
}

static int64_t now_ms(void)
{
    struct timespec ts;

    /* A clock that is set does not shorten or lengthen a wait. */
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

enum callback_event callback_wait(struct callback *c, int timeout_s, int *ret_fd,
                                  struct sockaddr_in *from, int *ret_signal)
{
    const struct timespec limit = { .tv_sec = timeout_s };
    struct pollfd p = { .fd = c->fd, .events = POLLIN };
    socklen_t len = sizeof(*from);

    MUST(c->fd >= 0);
    (void)ppoll(&p, 1, &limit, &c->before);
    if (came) {
        *ret_signal = came;
        came = 0;
        return CALLBACK_SIGNAL;
    }
    if (!(p.revents & POLLIN))
        return CALLBACK_TIME;
    *ret_fd = accept4(c->fd, (struct sockaddr *)from, &len, SOCK_CLOEXEC);
    /* Who has gone again has not called. */
    return *ret_fd < 0 ? CALLBACK_TIME : CALLBACK_CALL;
}

bool callback_read(int fd, void *bytes, size_t size, int timeout_s)
{
    int64_t until = now_ms() + (int64_t)timeout_s * 1000;
    char *at = bytes;

    while (size > 0) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        int64_t left = until - now_ms();
        ssize_t n;

        if (left <= 0 || (poll(&p, 1, (int)left) < 0 && errno != EINTR))
            return false;
        if (!p.revents)
            continue;
        n = read(fd, at, size);
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

bool callback_job_lives(const char *server, const char *job_id)
{
    struct attrl wanted = { .name = (char *)"job_state", .value = (char *)"" };
    int conn = pbs_connect(server);
    struct batch_status *job;
    bool lives = true;

    if (conn < 0)
        return true;
    job = pbs_statjob(conn, job_id, &wanted, NULL);
    if (!job && (pbs_errno == PBSE_UNKJOBID || pbs_errno == PBSE_HISTJOBID))
        lives = false;
    pbs_statfree(job);
    pbs_disconnect(conn);
    return lives;
}

bool callback_job_status(const char *server, const char *job_id, int *ret)
{
    struct attrl wanted = { .name = (char *)"Exit_status", .value = (char *)"" };
    int conn = pbs_connect(server);
    struct batch_status *job;
    bool known;

    if (conn < 0)
        return false;
    /* "x": jobs that have ended, too. */
    job = pbs_statjob(conn, job_id, &wanted, "x");
    known = job && job->attribs;
    if (known)
        *ret = (int)strtol(job->attribs->value, NULL, 10);
    pbs_statfree(job);
    pbs_disconnect(conn);
    return known;
}

void callback_delete_job(const char *server, const char *job_id)
{
    int conn = cmd_connect(CMD, server);

    if (conn < 0)
        return;
    if (pbs_deljob(conn, job_id, NULL) == 0)
        printf("Job %s is being deleted\n", job_id);
    else
        cmd_print_error(CMD, conn, "job", job_id);
    pbs_disconnect(conn);
}
