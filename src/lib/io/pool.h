/* pool.h - work that may block, done in threads, its end told in the loop.
 *
 * Jobs are begun in order; with more than one thread they may end in another. A job
 * that never ends (a service that hangs) keeps its thread and nothing else.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_POOL_H
#define LIB_IO_POOL_H

#include "lib/io/loop.h"

struct pool;

/* The first member of the owner's job, which is malloc'd and the pool's from pool_run()
 * until done() or drop(). */
struct pool_job {
    void (*work)(struct pool_job *job); /* in a thread */
    void (*done)(struct pool_job *job); /* afterwards, in the loop */
    void (*drop)(struct pool_job *job); /* instead of done(), in any thread: the pool
                                           went first */
    struct pool_job *prev, *next;
};

/* Threads are started with the first job. 'most' jobs may wait. */
struct pool *pool_new(struct loop *l, unsigned threads, size_t most);
/* Does not wait for the threads: a job that runs now is dropped when it ends. */
void pool_free(struct pool *p);

/* False: too many are waiting, or there is no thread; the job is still the caller's. */
bool pool_run(struct pool *p, struct pool_job *job) MUST_CHECK;

#endif
