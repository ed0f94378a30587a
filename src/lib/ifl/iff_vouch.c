/* iff_vouch.c - wait for the helper that vouches for a TCP connection (wire.md 4.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/iff_client.h"
#include "lib/ifl/ifl.h"

#include <poll.h>
#include <time.h>

/* The helper may find all reserved ports taken and tries for about a minute
 * (wire.md 4.2); the server behind it may be slow. */
#define ANSWER_S 600

/* A program that cannot wait for the server has said so to the connection. */
static int answer_s(int fd)
{
    struct ifl_handle *h = ifl_handle_lock(fd);
    int seconds = ANSWER_S;

    if (h) {
        seconds = MIN_OF(h->timeout_s, ANSWER_S);
        ifl_handle_unlock(h);
    }
    return seconds;
}

static time_t now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* False when the helper was silent for too long. */
static bool wait_readable(int fd, time_t until_s)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    time_t left_s = until_s - now_s();

    return left_s > 0 && poll(&p, 1, (int)left_s * 1000) != 0;
}

int ifl_resvport(const struct conf *conf, int fd, const char *host, unsigned port)
{
    const time_t until_s = now_s() + answer_s(fd);
    enum iff_state state = IFF_GOES_ON;
    struct iff_client helper;
    int code = -1;

    /* Its answer may come in pieces. A helper that has not told all of it by the
     * deadline is left to itself. */
    if (iff_client_start(conf, fd, host, port, &helper))
        return -1;
    while (state == IFF_GOES_ON && wait_readable(helper.from, until_s))
        state = iff_client_read(&helper, &code);
    iff_client_end(&helper, state == IFF_GOES_ON);
    return state == IFF_TOLD ? code : -1;
}
