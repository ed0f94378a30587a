/* Unit test of lib/io/relay.c: a relay in a child, between a listener and an echo.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/relay.h"

#include "../unit.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (1 << 20)

static unsigned to_port; /* where the bytes go; 0: nowhere */

static int dial(unsigned port)
{
    const struct sockaddr_in to = { .sin_family = AF_INET,
                                    .sin_port = htons((uint16_t)port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CU_ASSERT_EQUAL_FATAL(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}

static int reach(void *arg)
{
    (void)arg;
    return to_port ? dial(to_port) : -1;
}

static bool nobody(void *arg, int fd, const struct sockaddr_in *from)
{
    (void)arg;
    (void)fd;
    (void)from;
    return false;
}

typedef bool may_fn(void *arg, int fd, const struct sockaddr_in *from);
typedef enum relay_look look_fn(void *arg, const char *bytes, size_t n);

/* Begins a relay; the end of *until ends it. Its port. */
static unsigned begin(may_fn *may, look_fn *look, int *until, pid_t *pid)
{
    struct relay r = { .reach = reach, .may = may, .look = look };
    unsigned port = 0;
    int fds[2];

    r.listen_fd = relay_listen_local(20000, 29999, &port);
    CU_ASSERT_FATAL(r.listen_fd >= 0 && pipe(fds) == 0);
    r.until_fd = fds[0];
    *pid = fork();
    if (*pid == 0) {
        close(fds[1]);
        relay_run(&r);
        _exit(0);
    }
    close(fds[0]);
    close(r.listen_fd);
    *until = fds[1];
    return port;
}

static void end(int until, pid_t pid)
{
    int status = -1;

    close(until);
    CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
    CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Both directions are full at the same time, and the end of one is not that of the
 * other. */
static void test_all_bytes_arrive(void)
{
    static char out[BYTES], in[BYTES];
    int listener, until, here, there;
    size_t sent = 0, got = 0;
    unsigned port;
    pid_t pid;

    listener = relay_listen_local(20000, 29999, &to_port);
    CU_ASSERT_FATAL(listener >= 0);
    port = begin(NULL, NULL, &until, &pid);
    here = dial(port);
    there = accept(listener, NULL, NULL);
    for (size_t i = 0; i < BYTES; i++)
        out[i] = (char)(i * 7 + i / 255);
    while (got < BYTES) {
        ssize_t n =
            sent < BYTES ? send(here, out + sent, BYTES - sent, MSG_DONTWAIT) : 0;

        sent += n > 0 ? (size_t)n : 0;
        n = recv(there, in + got, BYTES - got, sent == BYTES ? 0 : MSG_DONTWAIT);
        got += n > 0 ? (size_t)n : 0;
    }
    CU_ASSERT_EQUAL(memcmp(out, in, BYTES), 0);
    CU_ASSERT_EQUAL(shutdown(here, SHUT_WR), 0);
    CU_ASSERT_EQUAL(recv(there, in, 1, 0), 0); /* the end came */
    CU_ASSERT_EQUAL(send(there, "still", 5, 0), 5);
    CU_ASSERT_EQUAL(recv(here, in, 5, MSG_WAITALL), 5);
    close(there);
    CU_ASSERT_EQUAL(recv(here, in, 1, 0), 0);
    close(here);
    close(listener);
    end(until, pid);
}

static void test_who_is_not_wanted_is_sent_away(void)
{
    char byte;

    for (int refuses = 0; refuses < 2; refuses++) {
        int until, fd;
        pid_t pid;

        to_port = 0; /* and there is nowhere to go */
        fd = dial(begin(refuses ? nobody : NULL, NULL, &until, &pid));
        CU_ASSERT(recv(fd, &byte, 1, 0) <= 0);
        close(fd);
        end(until, pid);
    }
}

static enum relay_look look_for_word(void *arg UNUSED, const char *bytes, size_t n)
{
    if (n > 0 && bytes[0] != 'h')
        return RELAY_UNFIT;
    return n < 5                            ? RELAY_MORE
           : memcmp(bytes, "hello", 5) == 0 ? RELAY_FITS
                                            : RELAY_UNFIT;
}

/* Nobody is reached by who does not say what is wanted, and nothing that was said is
 * lost. A caller that says nothing keeps no other one. */
static void test_first_bytes_are_looked_at(void)
{
    int listener = relay_listen_local(20000, 29999, &to_port), until, silent, fd, there;
    struct timeval soon = { .tv_usec = 200000 };
    unsigned port;
    char in[8];
    pid_t pid;

    CU_ASSERT_FATAL(listener >= 0);
    port = begin(NULL, look_for_word, &until, &pid);
    silent = dial(port);
    for (int i = 0; i < 2; i++) {
        fd = dial(port);
        CU_ASSERT_EQUAL(send(fd, i ? "help!" : "xhello", 5, 0), 5);
        CU_ASSERT(recv(fd, in, 1, 0) <= 0);
        close(fd);
    }
    CU_ASSERT_EQUAL(setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon)),
                    0);
    CU_ASSERT_EQUAL(accept(listener, NULL, NULL), -1);
    fd = dial(port);
    CU_ASSERT_EQUAL(send(fd, "hel", 3, 0), 3);
    CU_ASSERT_EQUAL(accept(listener, NULL, NULL), -1);
    CU_ASSERT_EQUAL(send(fd, "lo!!", 4, 0), 4);
    soon.tv_sec = 60;
    CU_ASSERT_EQUAL(setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon)),
                    0);
    there = accept(listener, NULL, NULL);
    CU_ASSERT_EQUAL(recv(there, in, 7, MSG_WAITALL), 7);
    CU_ASSERT_EQUAL(memcmp(in, "hello!!", 7), 0);
    CU_ASSERT_EQUAL(send(there, "yes", 3, 0), 3);
    CU_ASSERT_EQUAL(recv(fd, in, 3, MSG_WAITALL), 3);
    close(there);
    close(fd);
    /* It is sent away in its time. */
    CU_ASSERT(recv(silent, in, 1, 0) <= 0);
    close(silent);
    close(listener);
    end(until, pid);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "all bytes arrive, and the end of each direction", test_all_bytes_arrive },
        { "first bytes are looked at", test_first_bytes_are_looked_at },
        { "who is not wanted is sent away", test_who_is_not_wanted_is_sent_away },
    };

    return unit_main("io/relay", cases, ARRAY_LEN(cases));
}
