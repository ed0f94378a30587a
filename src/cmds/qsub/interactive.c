/* interactive.c - see interactive.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qsub/interactive.h"

#include "cmds/qsub/qsub.h"
#include "cmds/qsub/tty_session.h"
#include "lib/auth/resvport.h"
#include "lib/auth/sockowner.h"
#include "lib/io/conf.h"
#include "lib/io/net.h"
#include "lib/wire/terminal.h"

#include <ctype.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOOK_EVERY_S 30 /* is the job still there? */
#define ANSWER_S     60 /* for the user's yes or no */
#define GREETING_S   30 /* for a MoM that has connected */

static const int held[] = { SIGHUP, SIGINT, SIGTERM, SIGTSTP, 0 };

struct interactive {
    struct callback *callback;
    const char *server; /* as for pbs_connect() */
    const char *job_id;
};

bool interactive_may_be(void)
{
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
        return true;
    fprintf(stderr,
            "%s:\tstandard input and output must be a terminal for\n"
            "\tinteractive job submission\n",
            CMD);
    return false;
}

/* Is the caller somebody with root's rights on its host, or a MoM of this very user on
 * this host? The second is what a private cluster has, whose MoM has no rights to a
 * reserved port. */
static bool is_mom(int fd, const struct sockaddr_in *from)
{
    struct sockaddr_in here;
    socklen_t len = sizeof(here);
    bool own = net_is_own(from->sin_addr);
    struct diag why;
    uid_t owner;

    if (auth_is_privileged(fd, from, own))
        return true;
    return own && getsockname(fd, (struct sockaddr *)&here, &len) == 0 &&
           auth_socket_owner(from, &here, &owner, &why) == 0 && owner == getuid();
}

enum greeting {
    GREETED,
    NOT_OURS, /* somebody else: go on waiting */
    BROKEN,   /* the MoM of another job */
};

static bool send_all(int fd, const void *bytes, size_t size)
{
    /* So few bytes go into the buffer of a new connection at once. */
    return send(fd, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static enum greeting greet(const struct interactive *it, int fd,
                           const struct sockaddr_in *from)
{
    char id[TERMINAL_ID_BYTES];
    uint8_t ours[TERMINAL_BYTES];
    struct terminal t;

    if (!is_mom(fd, from)) {
        fprintf(stderr, "%s: failed authentication with execution host\n", CMD);
        return NOT_OURS;
    }
    if (!callback_read(fd, id, sizeof(id), GREETING_S))
        return NOT_OURS;
    if (!memchr(id, '\0', sizeof(id)) || strcmp(id, it->job_id) != 0) {
        fprintf(stderr, "%s: invalid job name from execution server\n", CMD);
        return BROKEN;
    }
    tty_describe(&t);
    terminal_put(&t, ours);
    return send_all(fd, ours, sizeof(ours)) ? GREETED : NOT_OURS;
}

/* A line that the user types in time; NULL at the end of input, "" for an empty line.
 * *in_time says whether it came. */
static char *read_line(char *line, int size, bool *in_time)
{
    struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
    int n;

    do {
        n = poll(&p, 1, ANSWER_S * 1000);
    } while (n < 0 && errno == EINTR);
    *in_time = n > 0;
    return *in_time ? fgets(line, size, stdin) : NULL;
}

/* True when the user wants the job to go. */
static bool wants_to_end(void)
{
    char line[256];
    bool in_time;

    printf("Do you wish to terminate the job and exit (y|[n])? ");
    fflush(stdout);
    for (;;) {
        char *answer = read_line(line, sizeof(line), &in_time);

        if (!in_time)
            printf("Timeout -- deleting job\n");
        if (!answer)
            return true;
        if (strchr("\nnN", *answer))
            return false;
        if (tolower((unsigned char)*answer) == 'y')
            return true;
        printf("yes or no please\n");
        fflush(stdout);
    }
}

/* What a signal means before the job has started. True: the job goes. */
static bool take_signal(int signo)
{
    switch (signo) {
    case SIGTSTP:
        printf("Sorry, you cannot suspend qsub until the job is started\n");
        fflush(stdout);
        return false;
    case SIGHUP:
        return true; /* the terminal is gone, and nobody is left to be asked */
    default:
        return wants_to_end();
    }
}

static void keep_alive(int fd)
{
    static const int on = 1, idle_s = 60, every_s = 15, times = 4;

    /* A host that vanishes says nothing; without these the session would stay for
     * hours. */
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof(every_s));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof(times));
}

/* The connection of the job's MoM; -1, with the exit status in *code, when there will
 * be none. */
static int wait_for_mom(const struct interactive *it, int *code)
{
    struct sockaddr_in from;
    int fd, signo;

    for (;;) {
        enum greeting g;

        switch (callback_wait(it->callback, LOOK_EVERY_S, &fd, &from, &signo)) {
        case CALLBACK_SIGNAL:
            if (!take_signal(signo))
                break;
            callback_delete_job(it->server, it->job_id);
            *code = 0;
            return -1;
        case CALLBACK_TIME:
            if (callback_job_lives(it->server, it->job_id))
                break;
            fprintf(stderr, "%s: job %s apparently deleted\n", CMD, it->job_id);
            *code = 1;
            return -1;
        case CALLBACK_CALL:
            g = greet(it, fd, &from);
            if (g == GREETED)
                return fd;
            close(fd);
            *code = 1;
            if (g == BROKEN)
                return -1;
        }
    }
}

static bool is_mom_too(void *arg, int fd, const struct sockaddr_in *from)
{
    (void)arg;
    return is_mom(fd, from);
}

int interactive_run(struct callback *c, struct x11 *x, const char *server,
                    const char *job_id)
{
    const struct interactive it = { .callback = c, .server = server, .job_id = job_id };
    int code = 1, fd, signo;

    /* Whoever reads that qsub waits may interrupt it. */
    callback_hold(c, held);
    printf("%s: waiting for job %s to start\n", CMD, job_id);
    fflush(stdout);
    fd = wait_for_mom(&it, &code);
    callback_let_go(c, held);
    callback_close(c);
    if (fd < 0)
        return code;
    printf("%s: job %s ready\n\n", CMD, job_id);
    keep_alive(fd);
    x11_begin(x, is_mom_too);
    signo = tty_session(fd);
    x11_end(x);
    close(fd);
    printf("\n%s: job %s completed\n", CMD, job_id);
    return signo ? 128 + signo : 0;
}
