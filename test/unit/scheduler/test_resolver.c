/* Unit test of scheduler/shell/resolver.c: the name service is played.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/resolver.h"

#include "lib/io/clock.h"
#include "lib/io/net.h"
#include "scheduler/shell/link_priv.h"

#include "../unit.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool hangs;  /* nobody is answered about "slow" */
static int n_asked; /* about it */
static bool waits;  /* whoever waits for an answer does so until it is there */

int net_resolve(const char *host, struct in_addr *ret, struct diag *why)
{
    if (strcmp(host, "nowhere") == 0)
        return diag_set(why, PBSE_BADHOST, "%s: no such host", host);
    pthread_mutex_lock(&lock);
    if (strcmp(host, "slow") == 0) {
        n_asked++;
        pthread_cond_broadcast(&changed);
        while (hangs)
            pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    ret->s_addr = htonl(0x0a000001);
    return 0;
}

int64_t clock_mono_ms(void)
{
    return 0;
}

int link_wait(int fd, short what, int64_t deadline_ms, bool *timed_out,
              struct diag *why)
{
    struct pollfd p = { .fd = fd, .events = what };

    CU_ASSERT(deadline_ms > 0); /* there is one */
    *timed_out = poll(&p, 1, waits ? -1 : 0) == 0;
    return *timed_out ? diag_set(why, PBSE_SYSTEM, "no answer") : 0;
}

static void set_hangs(bool on)
{
    pthread_mutex_lock(&lock);
    hangs = on;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_until_asked(void)
{
    pthread_mutex_lock(&lock);
    while (n_asked == 0)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void test_the_answer_of_the_service_is_told(void)
{
    struct resolver *r = resolver_new();
    struct in_addr addr = { 0 };
    struct diag why;

    waits = true;
    CU_ASSERT_EQUAL(resolver_ask(r, "there", &addr, &why), 0);
    CU_ASSERT_EQUAL(ntohl(addr.s_addr), 0x0a000001);
    CU_ASSERT_EQUAL(resolver_ask(r, "nowhere", &addr, &why), PBSE_BADHOST);
    CU_ASSERT_STRING_EQUAL(why.text, "nowhere: no such host");
    resolver_free(r);
}

static void test_a_service_that_hangs_is_asked_once(void)
{
    struct resolver *r = resolver_new();
    struct in_addr addr = { 0 };
    struct diag why;

    set_hangs(true);
    waits = false;
    n_asked = 0;
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(resolver_ask(r, "slow", &addr, &why), PBSE_SYSTEM);
        CU_ASSERT_STRING_EQUAL(why.text, "slow: nobody tells its address");
    }
    wait_until_asked();
    waits = true;
    CU_ASSERT_EQUAL(resolver_ask(r, "there", &addr, &why),
                    0); /* another host is known */
    set_hangs(false);
    CU_ASSERT_EQUAL(resolver_ask(r, "slow", &addr, &why), 0);
    CU_ASSERT_EQUAL(n_asked, 1);
    CU_ASSERT_EQUAL(resolver_ask(r, "slow", &addr, &why), 0); /* asked anew */
    CU_ASSERT_EQUAL(n_asked, 2);
    resolver_free(r);
}

static void test_nobody_waits_at_the_end(void)
{
    struct resolver *r = resolver_new();
    struct in_addr addr;
    struct diag why;

    set_hangs(true);
    waits = false;
    CU_ASSERT_EQUAL(resolver_ask(r, "slow", &addr, &why), PBSE_SYSTEM);
    resolver_free(r);
    set_hangs(false); /* the thread frees what is left */
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the answer of the service is told", test_the_answer_of_the_service_is_told },
        { "a service that hangs is asked once",
          test_a_service_that_hangs_is_asked_once },
        { "nobody waits at the end", test_nobody_waits_at_the_end },
    };

    return unit_main("scheduler/resolver", cases, ARRAY_LEN(cases));
}
