/* job_x11.c - see job_x11.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/job_x11.h"

#include "lib/io/child.h"
#include "mom/shell/job_terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define X11_PORT      6000
#define FIRST_DISPLAY 10 /* those below may be of servers */
#define LAST_DISPLAY  1009
#define XAUTH_S       20 /* it waits for a lock of its file */

bool job_x11_cookie(const char *text, struct job_x11 *ret)
{
    struct job_x11 x = { .is_wanted = true, .until_fd = -1 };
    char more;

    /* The words go to xauth as a command: nothing that could be another one. */
    if (sscanf(text, "%64[A-Za-z0-9-]:%512[0-9A-Fa-f]:%5u%c", x.protocol, x.data,
               &x.screen, &more) != 3 ||
        strlen(x.data) % 2 != 0)
        return false;
    *ret = x;
    return true;
}

/* The setup of a connection, as the X protocol has it: the order of bytes, the version
 * 11.0, and the lengths of the names of the authorization and of its data. */
#define SETUP_BYTES 12

static unsigned setup_number(const char *bytes, size_t at)
{
    unsigned a = (uint8_t)bytes[at], b = (uint8_t)bytes[at + 1];

    return bytes[0] == 'B' ? a << 8 | b : b << 8 | a;
}

static size_t padded(size_t n)
{
    return (n + 3) / 4 * 4;
}

static unsigned hex_digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
}

static bool is_cookie(const char *hex, const char *bytes)
{
    for (size_t i = 0; hex[2 * i]; i++)
        if ((uint8_t)bytes[i] !=
            (hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1])))
            return false;
    return true;
}

enum relay_look job_x11_look(const struct job_x11 *x, const char *bytes, size_t n)
{
    size_t name = strlen(x->protocol), data = strlen(x->data) / 2;

    MUST(strlen(x->data) % 2 == 0); /* job_x11_cookie() */
    if (n > 0 && bytes[0] != 'B' && bytes[0] != 'l')
        return RELAY_UNFIT;
    if (n < SETUP_BYTES)
        return RELAY_MORE;
    if (setup_number(bytes, 2) != 11 || setup_number(bytes, 4) != 0 ||
        setup_number(bytes, 6) != name || setup_number(bytes, 8) != data)
        return RELAY_UNFIT;
    if (n < SETUP_BYTES + padded(name) + padded(data))
        return RELAY_MORE;
    return memcmp(bytes + SETUP_BYTES, x->protocol, name) == 0 &&
                   is_cookie(x->data, bytes + SETUP_BYTES + padded(name))
               ? RELAY_FITS
               : RELAY_UNFIT;
}

/* Where the bytes of X clients go, and what these clients have. */
struct way_to_client {
    struct sockaddr_in to;
    const struct job_x11 *x;
};

static int reach_client(void *arg)
{
    const struct way_to_client *way = arg;

    return job_terminal_call(&way->to);
}

static enum relay_look look_at_client(void *arg, const char *bytes, size_t n)
{
    const struct way_to_client *way = arg;

    return job_x11_look(way->x, bytes, n);
}

static NORETURN void carry(struct relay *r)
{
    int *const keep[] = { &r->listen_fd, &r->until_fd };

    if (child_keep_only(keep, 2))
        relay_run(r);
    _exit(0);
}

/* Where the client listens for X: the host that the job's terminal is connected to. */
static bool find_client(const struct wire_attrs *attrs, int client,
                        struct sockaddr_in *ret)
{
    const char *text = wire_attrs_value(attrs, "forward_x11_port", NULL);
    long port = text ? strtol(text, NULL, 10) : 0;
    socklen_t len = sizeof(*ret);

    if (port < IPPORT_RESERVED || port > UINT16_MAX ||
        getpeername(client, (struct sockaddr *)ret, &len) != 0)
        return false;
    ret->sin_port = htons((uint16_t)port);
    return true;
}

static int begin(struct job_x11 *x, struct way_to_client *way, struct diag *why)
{
    struct relay r = { .reach = reach_client, .look = look_at_client, .arg = way };
    unsigned port;
    int until[2];
    pid_t pid;

    r.listen_fd =
        relay_listen_local(X11_PORT + FIRST_DISPLAY, X11_PORT + LAST_DISPLAY, &port);
    if (r.listen_fd < 0 || pipe2(until, O_CLOEXEC) < 0)
        return diag_set(why, PBSE_SYSTEM, "no display for the job: %s",
                        strerror(errno));
    r.until_fd = until[0];
    pid = fork();
    if (pid == 0)
        carry(&r);
    close(r.listen_fd);
    close(until[0]);
    if (pid < 0) {
        close(until[1]);
        return diag_set(why, PBSE_SYSTEM, "fork: %s", strerror(errno));
    }
    x->until_fd = until[1];
    x->number = port - X11_PORT;
    snprintf(x->display, sizeof(x->display), "localhost:%u.%u", x->number, x->screen);
    return 0;
}

int job_x11_open(const struct wire_attrs *attrs, int client, struct job_x11 *ret,
                 struct diag *why)
{
    const char *cookie = wire_attrs_value(attrs, "forward_x11_cookie", NULL);
    struct job_x11 x = { .until_fd = -1 };
    struct way_to_client way = { .x = &x };
    int err = 0;

    if (!wire_attrs_value(attrs, "forward_x11_port", NULL)) {
        *ret = x;
        return 0;
    }
    if (!cookie || !job_x11_cookie(cookie, &x) || !find_client(attrs, client, &way.to))
        return diag_set(why, PBSE_SYSTEM, "no cookie or port of an X server");
    err = begin(&x, &way, why);
    if (!err)
        *ret = x;
    return err;
}

/* The command comes by its input: arguments are everybody's to see. */
static NORETURN void run_xauth(int input, char **envp)
{
    char *argv[] = { (char *)"xauth", (char *)"-q", (char *)"-", NULL };
    int null = open("/dev/null", O_WRONLY);

    alarm(XAUTH_S);
    if (dup2(input, 0) == 0 && dup2(null, 1) == 1 && dup2(null, 2) == 2)
        execvpe(argv[0], argv, envp);
    _exit(127);
}

bool job_x11_authorize(const struct job_x11 *x, char **envp)
{
    int fds[2], status = -1;
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) < 0)
        return false;
    pid = fork();
    if (pid == 0)
        run_xauth(fds[0], envp);
    close(fds[0]);
    /* So few bytes fit into the pipe, whether or not somebody reads them. */
    signal(SIGPIPE, SIG_IGN);
    dprintf(fds[1], "add unix:%u %s %s\n", x->number, x->protocol, x->data);
    signal(SIGPIPE, SIG_DFL);
    close(fds[1]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
