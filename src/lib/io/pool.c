/* pool.c - see pool.h.
 *
 * The pool outlives pool_free() for as long as a thread is in a job; whoever is last
 * frees it. Only the loop's thread touches 'notify', and only under the lock.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <utlist.h>

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct loop_notify *notify; /* NULL: the owner is gone */
    struct pool_job *waiting, *ended;
    size_t n_waiting, most;
    unsigned threads, n_threads;
};

/* Unlock, and free the pool when the caller was the last one to use it. */
static void pool_unref(struct pool *p, bool last)
{
    pthread_mutex_unlock(&p->lock);
    if (!last)
        return;
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* Drop jobs that nobody waits for any more. */
static void drop_all(struct pool_job **list)
{
    struct pool_job *job, *next;

    DL_FOREACH_SAFE (*list, job, next) {
        DL_DELETE(*list, job);
        job->drop(job);
    }
}

/* Wait for a job; NULL when the owner of the pool is gone. The lock is held. */
static struct pool_job *next_job(struct pool *p)
{
    struct pool_job *job;

    while (p->notify && !p->waiting)
        pthread_cond_wait(&p->wake, &p->lock);
    if (!p->notify)
        return NULL;
    job = p->waiting;
    DL_DELETE(p->waiting, job);
    p->n_waiting--;
    return job;
}

/* Run jobs until the owner is gone. A job whose owner went meanwhile has nobody to
 * tell. */
static void *thread_main(void *arg)
{
    struct pool *p = arg;
    struct pool_job *job;

    pthread_mutex_lock(&p->lock);
    while ((job = next_job(p)) != NULL) {
        pthread_mutex_unlock(&p->lock);
        job->work(job);
        pthread_mutex_lock(&p->lock);
        if (!p->notify) {
            job->drop(job);
            break;
        }
        DL_APPEND(p->ended, job);
        loop_notify_poke(p->notify);
    }
    pool_unref(p, --p->n_threads == 0);
    return NULL;
}

/* In the loop's thread: tell the owner of each job that has ended. The lock is not
 * held meanwhile, since the owner may start other jobs. */
static void on_ended(void *arg)
{
    struct pool *p = arg;
    struct pool_job *list, *job, *next;

    pthread_mutex_lock(&p->lock);
    list = p->ended;
    p->ended = NULL;
    pthread_mutex_unlock(&p->lock);
    DL_FOREACH_SAFE (list, job, next) {
        DL_DELETE(list, job);
        job->done(job);
    }
}

struct pool *pool_new(struct loop *l, unsigned threads, size_t most)
{
    struct pool *p = xcalloc(1, sizeof(*p));

    MUST(threads > 0 && most > 0);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    p->threads = threads;
    p->most = most;
    p->notify = loop_notify_new(l, on_ended, p);
    return p;
}

/* Start one more thread. It takes no signals: those are for the loop's thread. */
static bool start_thread(struct pool *p)
{
    pthread_attr_t how;
    sigset_t all, before;
    pthread_t id;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&how);
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    err = pthread_create(&id, &how, thread_main, p);
    pthread_attr_destroy(&how);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err == 0;
}

bool pool_run(struct pool *p, struct pool_job *job)
{
    bool ok;

    MUST(job->work && job->done && job->drop);
    pthread_mutex_lock(&p->lock);
    while (p->n_threads < p->threads && start_thread(p))
        p->n_threads++;
    ok = p->n_threads > 0 && p->n_waiting < p->most;
    if (ok) {
        DL_APPEND(p->waiting, job);
        p->n_waiting++;
        pthread_cond_signal(&p->wake);
    }
    pthread_mutex_unlock(&p->lock);
    return ok;
}

void pool_free(struct pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    loop_notify_free(p->notify);
    p->notify = NULL;
    drop_all(&p->waiting);
    drop_all(&p->ended);
    pthread_cond_broadcast(&p->wake);
    pool_unref(p, p->n_threads == 0);
}
