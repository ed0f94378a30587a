/* resolver.c - see resolver.h.
 *
 * A question lives as long as its thread and whoever waits for it. The thread cannot be
 * stopped while the service hangs, so it is left behind, and frees the question itself
 * when nobody waits any more.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/resolver.h"

#include "lib/io/clock.h"
#include "lib/io/net.h"
#include "scheduler/shell/link_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

#define ANSWER_MS 30000

struct question {
    /* Of the thread until it has closed 'told', and then of whoever waits. */
    int err;
    struct in_addr addr;
    struct diag why;
    int told;    /* the thread's end of a pipe: closed when the answer is there */
    int answers; /* the other end */
    /* Guards n_owners: the thread, and the resolver. */
    pthread_mutex_t lock;
    int n_owners;
    struct question *prev, *next;
    char host[];
};

struct resolver {
    struct question *open; /* not answered yet when they were looked at last */
};

static void question_unref(struct question *q)
{
    bool last;

    pthread_mutex_lock(&q->lock);
    MUST(q->n_owners > 0);
    last = --q->n_owners == 0;
    pthread_mutex_unlock(&q->lock);
    if (!last)
        return;
    pthread_mutex_destroy(&q->lock);
    free(q);
}

static void *thread_main(void *arg)
{
    struct question *q = arg;

    q->err = net_resolve(q->host, &q->addr, &q->why);
    /* Whoever waits sees the end of the pipe, and what was written before. */
    close(q->told);
    question_unref(q);
    return NULL;
}

static bool start_thread(struct question *q)
{
    pthread_attr_t attr;
    pthread_t thread;

    if ((errno = pthread_attr_init(&attr)) != 0)
        return false;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    errno = pthread_create(&thread, &attr, thread_main, q);
    pthread_attr_destroy(&attr);
    return errno == 0;
}

/* NULL, with errno: there is no pipe or no thread. */
static struct question *question_new(const char *host)
{
    size_t size = strlen(host) + 1;
    struct question *q;
    int fds[2], err;

    if (pipe2(fds, O_CLOEXEC) < 0)
        return NULL;
    q = xcalloc(1, sizeof(*q) + size);
    memcpy(q->host, host, size);
    q->answers = fds[0];
    q->told = fds[1];
    q->n_owners = 2;
    pthread_mutex_init(&q->lock, NULL);
    if (start_thread(q))
        return q;
    err = errno;
    close(fds[0]);
    close(fds[1]);
    pthread_mutex_destroy(&q->lock);
    free(q);
    errno = err;
    return NULL;
}

static struct question *find(const struct resolver *r, const char *host)
{
    struct question *q;

    DL_FOREACH (r->open, q)
        if (strcmp(q->host, host) == 0)
            return q;
    return NULL;
}

/* It was answered, or nobody waits for it any more. */
static void forget(struct resolver *r, struct question *q)
{
    DL_DELETE(r->open, q);
    close(q->answers);
    question_unref(q);
}

struct resolver *resolver_new(void)
{
    return xcalloc(1, sizeof(struct resolver));
}

void resolver_free(struct resolver *r)
{
    if (!r)
        return;
    while (r->open)
        forget(r, r->open);
    free(r);
}

int resolver_ask(struct resolver *r, const char *host, struct in_addr *ret,
                 struct diag *why)
{
    struct question *q = find(r, host);
    bool timed_out;
    int err;

    if (!q) {
        q = question_new(host);
        if (!q)
            return diag_set(why, PBSE_SYSTEM, "%s: cannot be looked up: %s", host,
                            strerror(errno));
        DL_APPEND(r->open, q);
    }
    err = link_wait(q->answers, POLLIN, clock_mono_ms() + ANSWER_MS, &timed_out, why);
    if (err)
        return timed_out ? diag_set(why, err, "%s: nobody tells its address", host)
                         : err;
    err = q->err;
    if (err)
        *why = q->why;
    else
        *ret = q->addr;
    forget(r, q);
    return err;
}
