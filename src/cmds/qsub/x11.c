/* x11.c - see x11.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qsub/x11.h"

#include "cmds/qsub/qsub.h"
#include "lib/io/net.h"
#include "lib/io/relay.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define X11_PORT     6000 /* of display 0 */
#define NUMBER_MAX   59535
#define SCREEN_MAX   65535
#define X11_SOCKETS  "/tmp/.X11-unix/X"
#define PROTOCOL_MAX 64
#define DATA_MAX     512

extern char **environ;

/* Digits only, up to 'most'; what follows is *end. */
static bool take_number(const char *text, unsigned long most, unsigned *ret,
                        const char **end)
{
    unsigned long n;
    char *rest;

    if (!isdigit((unsigned char)*text))
        return false;
    n = strtoul(text, &rest, 10);
    *ret = (unsigned)n;
    *end = rest;
    return n <= most;
}

bool x11_display_parse(const char *text, struct x11_display *ret)
{
    const char *colon = strrchr(text, ':'), *end;
    size_t len = colon ? (size_t)(colon - text) : 0;

    *ret = (struct x11_display){ 0 };
    if (!colon || len >= sizeof(ret->host) ||
        !take_number(colon + 1, NUMBER_MAX, &ret->number, &end))
        return false;
    if (*end == '.' && !take_number(end + 1, SCREEN_MAX, &ret->screen, &end))
        return false;
    if (len != 4 || strncmp(text, "unix", 4) != 0)
        memcpy(ret->host, text, len);
    return *end == '\0';
}

bool x11_cookie(const char *line, unsigned screen, char *ret, size_t size)
{
    char protocol[PROTOCOL_MAX + 1], data[DATA_MAX + 1];

    if (sscanf(line, "%*s %64[A-Za-z0-9-] %512[0-9A-Fa-f]", protocol, data) != 2)
        return false;
    return snprintf(ret, size, "%s:%s:%u", protocol, data, screen) < (int)size;
}

/* The first line of "xauth list NAME". It is run without a shell, and its complaints
 * are the user's to read. */
static bool ask_xauth(const char *name, char *line, int size)
{
    char *argv[] = { (char *)"xauth", (char *)"list", (char *)name, NULL };
    posix_spawn_file_actions_t actions;
    int fds[2], status;
    bool ok;
    FILE *f;
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) < 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
    errno = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    ok = errno == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(fds[1]);
    if (!ok) {
        fprintf(stderr, "%s: cannot run xauth: %s\n", CMD, strerror(errno));
        close(fds[0]);
        return false;
    }
    f = fdopen(fds[0], "r");
    ok = f && fgets(line, size, f);
    if (f)
        fclose(f);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return ok;
}

/* A display that is reached through "localhost" is, to xauth, one of this host. */
static void xauth_name(const char *text, const struct x11_display *d, char *ret,
                       size_t size)
{
    if (strcmp(d->host, "localhost") == 0)
        snprintf(ret, size, "unix:%u", d->number);
    else
        snprintf(ret, size, "%s", text);
}

int x11_prepare(struct x11 *x, struct attropl **attrs)
{
    char name[512], line[2048], cookie[PROTOCOL_MAX + DATA_MAX + 16];
    const char *text = getenv("DISPLAY");

    if (!text || !x11_display_parse(text, &x->display)) {
        fprintf(stderr, "%s: DISPLAY is none: %s\n", CMD, text ? text : "");
        return 1;
    }
    xauth_name(text, &x->display, name, sizeof(name));
    if (!ask_xauth(name, line, sizeof(line)) ||
        !x11_cookie(line, x->display.screen, cookie, sizeof(cookie))) {
        fprintf(stderr, "%s: xauth has no cookie for %s\n", CMD, name);
        return 1;
    }
    attrs_set(attrs, ATTR_X11_cookie, NULL, cookie);
    return callback_listen(&x->callback, attrs, ATTR_X11_port);
}

static int reach_socket(const struct x11_display *d)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(at.sun_path, sizeof(at.sun_path), X11_SOCKETS "%u", d->number);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof(at)) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int reach_host(const struct x11_display *d)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)(X11_PORT + d->number)) };
    struct diag why;
    int fd;

    if (net_resolve(d->host, &at.sin_addr, &why) != 0)
        return -1;
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof(at)) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int reach(void *arg)
{
    const struct x11 *x = arg;

    return *x->display.host ? reach_host(&x->display) : reach_socket(&x->display);
}

void x11_begin(struct x11 *x,
               bool (*may)(void *arg, int fd, const struct sockaddr_in *from))
{
    struct relay r = {
        .listen_fd = x->callback.fd, .may = may, .reach = reach, .arg = x
    };
    int until[2];

    if (x->callback.fd < 0 || pipe2(until, O_CLOEXEC) < 0)
        return;
    fflush(stdout);
    x->carrier = fork();
    if (x->carrier == 0) {
        close(until[1]);
        r.until_fd = until[0];
        relay_run(&r);
        _exit(0);
    }
    close(until[0]);
    x->until_fd = until[1];
    callback_close(&x->callback);
}

void x11_end(struct x11 *x)
{
    callback_close(&x->callback);
    if (x->until_fd < 0)
        return;
    close(x->until_fd);
    x->until_fd = -1;
    while (x->carrier > 0 && waitpid(x->carrier, NULL, 0) < 0 && errno == EINTR)
        ;
}
