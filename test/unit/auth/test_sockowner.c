/* Unit tests of lib/auth/sockowner.h, on connections over loopback.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/sockowner.h"

#include "../unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SOMEBODY 4711

struct pair { /* a connection of this process with itself */
    int far, near;
    struct sockaddr_in far_at, near_at;
};

static struct sockaddr_in loopback(unsigned last, in_port_t port)
{
    return (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_addr.s_addr = htonl(0x7f000000 + last),
                                 .sin_port = port };
}

static struct sockaddr_in own_end(int fd)
{
    struct sockaddr_in at = { 0 };
    socklen_t len = sizeof(at);

    CU_ASSERT_EQUAL_FATAL(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    return at;
}

static int listening(void)
{
    const struct sockaddr_in any = loopback(1, 0);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    CU_ASSERT_EQUAL_FATAL(bind(fd, (const struct sockaddr *)&any, sizeof(any)), 0);
    CU_ASSERT_EQUAL_FATAL(listen(fd, 1), 0);
    return fd;
}

static struct pair pair_of(int domain, const void *to, socklen_t len, int listener)
{
    struct pair p = { .far = socket(domain, SOCK_STREAM, 0) };
    socklen_t far_len = sizeof(p.far_at);

    CU_ASSERT_EQUAL_FATAL(connect(p.far, to, len), 0);
    p.near = accept(listener, (struct sockaddr *)&p.far_at, &far_len);
    CU_ASSERT_FATAL(p.near >= 0);
    p.near_at = own_end(p.near);
    return p;
}

static struct pair pair_new(void)
{
    int listener = listening();
    const struct sockaddr_in to = own_end(listener);
    struct pair p = pair_of(AF_INET, &to, sizeof(to), listener);

    close(listener);
    return p;
}

static void pair_end(struct pair *p)
{
    if (p->far >= 0)
        close(p->far);
    close(p->near);
}

static bool has_owner(const struct pair *p, uid_t *uid)
{
    struct diag why;

    return auth_socket_owner(&p->far_at, &p->near_at, uid, &why) == 0;
}

static bool is_in_table(const struct pair *p, bool ipv6, uid_t *uid)
{
    return auth_owner_in_table(ipv6 ? "/proc/self/net/tcp6" : "/proc/self/net/tcp",
                               ipv6, &p->far_at, &p->near_at, uid);
}

static void test_a_socket_is_whose_who_made_it(void)
{
    struct pair p = pair_new();
    uid_t by_question = 1, by_table = 1;

    CU_ASSERT_TRUE(has_owner(&p, &by_question));
    CU_ASSERT_TRUE(is_in_table(&p, false, &by_table));
    CU_ASSERT_EQUAL(by_question, geteuid());
    CU_ASSERT_EQUAL(by_table, geteuid());
    CU_ASSERT_TRUE(auth_is_established(p.near));
    pair_end(&p);
}

/* Only root may become somebody else for a moment; others have the test before. */
static void test_another_users_socket_is_that_users(void)
{
    uid_t by_question = 1, by_table = 1;
    struct pair p;

    if (geteuid() != 0)
        return;
    CU_ASSERT_EQUAL_FATAL(seteuid(SOMEBODY), 0);
    p = pair_new();
    CU_ASSERT_EQUAL_FATAL(seteuid(0), 0);
    CU_ASSERT_TRUE(has_owner(&p, &by_question));
    CU_ASSERT_TRUE(is_in_table(&p, false, &by_table));
    CU_ASSERT_EQUAL(by_question, SOMEBODY);
    CU_ASSERT_EQUAL(by_table, SOMEBODY);
    pair_end(&p);
}

static void test_each_of_the_four_values_counts(void)
{
    struct pair p = pair_new(), wrong;
    uid_t uid;

    for (int i = 0; i < 5; i++) {
        wrong = p;
        if (i == 0)
            wrong.far_at = loopback(2, p.far_at.sin_port);
        else if (i == 1)
            wrong.near_at = loopback(2, p.near_at.sin_port);
        else if (i == 2)
            wrong.far_at.sin_port = (in_port_t)~p.far_at.sin_port;
        else if (i == 3)
            wrong.near_at.sin_port = (in_port_t)~p.near_at.sin_port;
        else
            wrong.near_at = loopback(0, 0);
        CU_ASSERT_FALSE(has_owner(&wrong, &uid));
        CU_ASSERT_FALSE(is_in_table(&wrong, false, &uid));
    }
    pair_end(&p);
}

/* The kernel answers with the listening socket when there is no such connection. */
static void test_a_listening_socket_is_no_connection(void)
{
    int listener = listening();
    struct pair p = { .far = listener, .far_at = own_end(listener) };
    uid_t uid;

    p.near_at = loopback(1, htons(1));
    CU_ASSERT_FALSE(has_owner(&p, &uid));
    CU_ASSERT_FALSE(is_in_table(&p, false, &uid));
    close(listener);
}

/* A port below 1024 is not enough at this host. Only root has one in this test. */
static void test_a_reserved_port_is_roots(void)
{
    static const uid_t makers[] = { 0, SOMEBODY };

    for (size_t i = 0; geteuid() == 0 && i < ARRAY_LEN(makers); i++) {
        struct sockaddr_in from = loopback(1, 0), to;
        struct pair p = { 0 };
        socklen_t len = sizeof(p.far_at);
        int listener = listening(), err = -1;

        to = own_end(listener);
        CU_ASSERT_EQUAL_FATAL(seteuid(makers[i]), 0);
        p.far = socket(AF_INET, SOCK_STREAM, 0);
        CU_ASSERT_EQUAL_FATAL(seteuid(0), 0);
        for (unsigned port = 1023; err && port > 700; port--) {
            from.sin_port = htons((uint16_t)port);
            err = bind(p.far, (const struct sockaddr *)&from, sizeof(from));
        }
        CU_ASSERT_EQUAL_FATAL(connect(p.far, (const struct sockaddr *)&to, sizeof(to)),
                              0);
        p.near = accept(listener, (struct sockaddr *)&p.far_at, &len);
        CU_ASSERT_EQUAL(auth_is_privileged(p.near, &p.far_at, true), makers[i] == 0);
        CU_ASSERT_TRUE(auth_is_privileged(p.near, &p.far_at, false));
        p.far_at.sin_port = htons(1024);
        CU_ASSERT_FALSE(auth_is_privileged(p.near, &p.far_at, true));
        CU_ASSERT_FALSE(auth_is_privileged(p.near, &p.far_at, false));
        close(listener);
        pair_end(&p);
    }
}

static void wait_for_end(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLRDHUP };

    CU_ASSERT_EQUAL(poll(&p, 1, 10000), 1);
}

/* It is nobody's then, and the kernel says 0: that must not be taken for root. */
static void test_a_closed_socket_has_no_owner(void)
{
    static const struct linger reset = { .l_onoff = 1 };
    uid_t uid;

    for (int i = 0; i < 2; i++) {
        struct pair p = pair_new();

        if (i == 1)
            setsockopt(p.far, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
        CU_ASSERT_EQUAL(write(p.far, "x", 1), 1);
        close(p.far);
        p.far = -1;
        wait_for_end(p.near);
        CU_ASSERT_FALSE(auth_is_established(p.near));
        CU_ASSERT_FALSE(has_owner(&p, &uid));
        CU_ASSERT_FALSE(is_in_table(&p, false, &uid));
        pair_end(&p);
    }
}

/* A program that uses IPv6 sockets for everything. */
static void test_mapped_addresses_are_found(void)
{
    int listener = listening();
    struct sockaddr_in6 to = { .sin6_family = AF_INET6,
                               .sin6_port = own_end(listener).sin_port };
    uid_t by_question = 1, by_table = 1;
    struct pair p;
    int probe = socket(AF_INET6, SOCK_STREAM, 0);

    if (probe < 0) { /* a kernel without IPv6 has no such programs */
        close(listener);
        return;
    }
    close(probe);
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &to.sin6_addr);
    p = pair_of(AF_INET6, &to, sizeof(to), listener);
    close(listener);
    CU_ASSERT_TRUE(has_owner(&p, &by_question));
    CU_ASSERT_EQUAL(by_question, geteuid());
    CU_ASSERT_FALSE(is_in_table(&p, false, &by_table));
    CU_ASSERT_TRUE(is_in_table(&p, true, &by_table));
    CU_ASSERT_EQUAL(by_table, geteuid());
    pair_end(&p);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a socket is whose who made it", test_a_socket_is_whose_who_made_it },
        { "another user's socket is that user's",
          test_another_users_socket_is_that_users },
        { "each of the four values counts", test_each_of_the_four_values_counts },
        { "a listening socket is no connection",
          test_a_listening_socket_is_no_connection },
        { "a reserved port is root's", test_a_reserved_port_is_roots },
        { "a closed socket has no owner", test_a_closed_socket_has_no_owner },
        { "mapped addresses are found", test_mapped_addresses_are_found },
    };

    return unit_main("sockowner", cases, sizeof(cases) / sizeof(cases[0]));
}
