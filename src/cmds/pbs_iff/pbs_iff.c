/* pbs_iff.c - vouch for the connection of whoever started this (wire.md 4.2).
 *
 * Installed set-uid root and started by libpbs, which reads the answer from stdout: an
 * int code and, when it is not 0, an int length and a text, in this host's byte order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/pbs_iff/iff.h"

#include "include/pbs_error.h"
#include "lib/base/version.h"
#include "lib/io/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* Without rights until they are needed; nothing opened later may become stdout or
 * stderr by accident. */
static int settle_in(void)
{
    int fd;

    if (seteuid(getuid()) < 0)
        return IFF_SELF;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd < 0)
        return IFF_SELF;
    close(fd);
    signal(SIGPIPE, SIG_IGN);
    return IFF_OK;
}

static int find_user(struct iff_args *a)
{
    /* The real user is the one whom the server is told; the effective one is root. */
    const struct passwd *pw = getpwuid(getuid());

    if (!pw) {
        fprintf(stderr, "pbs_iff: uid %lu has no account\n", (unsigned long)getuid());
        return IFF_SELF;
    }
    a->user = pw->pw_name;
    return IFF_OK;
}

static bool put(const void *bytes, size_t len)
{
    const char *at = bytes;

    while (len > 0) {
        ssize_t n = write(STDOUT_FILENO, at, len);

        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            at += n;
            len -= (size_t)n;
        }
    }
    return true;
}

static int tell(int32_t code, const char *text)
{
    int32_t len = text ? (int32_t)strlen(text) : 0;

    if (code == 0)
        return put(&code, sizeof(code)) ? IFF_OK : IFF_TALK;
    /* The library knows two answers: vouched for, and refused. Any other code is no
     * answer to this request. */
    if (code != PBSE_BADCRED)
        return IFF_TALK;
    if (!put(&code, sizeof(code)) || !put(&len, sizeof(len)) ||
        (len > 0 && !put(text, (size_t)len)))
        return IFF_TALK;
    return IFF_REFUSED;
}

/* -t: the port of our own connection. */
static int own_port(int fd, unsigned *port)
{
    struct sockaddr_in own = { 0 };
    socklen_t len = sizeof(own);

    if (getsockname(fd, (struct sockaddr *)&own, &len) < 0) {
        fprintf(stderr, "pbs_iff: getsockname: %s\n", strerror(errno));
        return IFF_SELF;
    }
    *port = ntohs(own.sin_port);
    return IFF_OK;
}

int iff_left_ms(int64_t until_ms)
{
    int64_t left_ms = until_ms - clock_mono_ms();

    return left_ms > 0 ? (int)MIN_OF(left_ms, (int64_t)INT_MAX) : 0;
}

static int vouch(const struct iff_args *a)
{
    struct sockaddr_in local = { .sin_addr.s_addr = htonl(INADDR_ANY) }, server;
    int err = a->test ? iff_resolve(a, &server) : iff_own_socket(a, &local, &server);
    unsigned port = ntohs(local.sin_port);
    char *text = NULL;
    int64_t until_ms;
    int fd, code = 0;

    if (!err)
        err = iff_check_server(&server);
    /* The time begins behind the look-ups, which have limits of their own. */
    until_ms = clock_mono_ms() + IFF_TOTAL_MS;
    if (!err)
        err = iff_take_slot(until_ms);
    if (!err)
        err = iff_connect(local.sin_addr, &server, until_ms, &fd);
    if (err)
        return err;
    if (a->test)
        err = own_port(fd, &port);
    if (!err)
        err = iff_vouch(fd, a, port, until_ms, &code, &text);
    close(fd);
    if (!err)
        err = tell(code, text);
    free(text);
    return err;
}

int main(int argc, char **argv)
{
    struct iff_args a;
    int err = settle_in();

    if (!err && argc == 2 && strcasecmp(argv[1], "--version") == 0) {
        fputs(VERSION_TEXT, stdout);
        return IFF_OK;
    }
    if (!err)
        err = iff_parse(argc, argv, &a);
    /* The answer is bytes for the library, and none for a person. */
    if (!err && !a.test && isatty(STDOUT_FILENO)) {
        fputs("pbs_iff: output is a tty & not test mode\n", stderr);
        return IFF_USAGE;
    }
    if (!err)
        err = find_user(&a);
    return err ? err : vouch(&a);
}
