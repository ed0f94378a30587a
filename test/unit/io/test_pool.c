/* Unit tests of lib/io/pool: work in threads, its end told in the loop.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/pool.h"

#include "../unit.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What the jobs of a test share. */
static struct board {
    sem_t begun, go_on; /* posted and awaited by jobs that block */
    atomic_int n_dropped;
    int n_done;
    char begun_as[16], done_as[16]; /* letters in order */
    atomic_int n_begun;
    pthread_t loop_thread;
    bool worked_in_loop, done_elsewhere, signals_reach_it;
} board;

struct task {
    struct pool_job job; /* first */
    char name;
    bool blocks;
};

static void on_work(struct pool_job *job)
{
    struct task *t = (struct task *)(void *)job;
    sigset_t blocked;

    board.begun_as[atomic_fetch_add(&board.n_begun, 1)] = t->name;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (!sigismember(&blocked, SIGTERM) || !sigismember(&blocked, SIGCHLD))
        board.signals_reach_it = true;
    if (pthread_equal(pthread_self(), board.loop_thread))
        board.worked_in_loop = true;
    if (t->blocks) {
        sem_post(&board.begun);
        sem_wait(&board.go_on);
    }
}

static void on_done(struct pool_job *job)
{
    struct task *t = (struct task *)(void *)job;

    if (!pthread_equal(pthread_self(), board.loop_thread))
        board.done_elsewhere = true;
    board.done_as[board.n_done++] = t->name;
    free(t);
}

static void on_drop(struct pool_job *job)
{
    struct task *t = (struct task *)(void *)job;
    bool blocks = t->blocks;

    free(t);
    board.n_dropped++;
    if (blocks)
        sem_post(&board.begun); /* the test waits for it */
}

static void board_init(void)
{
    memset(&board, 0, sizeof(board));
    sem_init(&board.begun, 0, 0);
    sem_init(&board.go_on, 0, 0);
    board.loop_thread = pthread_self();
}

static bool run(struct pool *p, char name, bool blocks)
{
    struct task *t = calloc(1, sizeof(*t));
    bool taken;

    t->job = (struct pool_job){ .work = on_work, .done = on_done, .drop = on_drop };
    t->name = name;
    t->blocks = blocks;
    taken = pool_run(p, &t->job);
    if (!taken)
        free(t); /* still ours */
    return taken;
}

static void turn_until_done(struct loop *l, int n)
{
    while (board.n_done < n)
        CU_ASSERT_TRUE_FATAL(loop_turn(l, true));
}

static void test_jobs_are_begun_in_order_and_end_in_the_loop(void)
{
    struct loop *l = loop_new();
    struct pool *p = pool_new(l, 1, 100);

    board_init();
    for (char name = 'a'; name <= 'f'; name++)
        CU_ASSERT_TRUE(run(p, name, false));
    turn_until_done(l, 6);
    CU_ASSERT_STRING_EQUAL(board.begun_as, "abcdef");
    CU_ASSERT_STRING_EQUAL(board.done_as, "abcdef");
    CU_ASSERT_FALSE(board.worked_in_loop);
    CU_ASSERT_FALSE(board.done_elsewhere);
    CU_ASSERT_FALSE(board.signals_reach_it);
    pool_free(p);
    loop_free(l);
}

static void test_one_that_blocks_leaves_the_other_threads(void)
{
    struct loop *l = loop_new();
    struct pool *p = pool_new(l, 2, 100);

    board_init();
    CU_ASSERT_TRUE(run(p, 'x', true));
    sem_wait(&board.begun);
    for (char name = 'a'; name <= 'c'; name++)
        CU_ASSERT_TRUE(run(p, name, false));
    turn_until_done(l, 3);
    CU_ASSERT_STRING_EQUAL(board.done_as, "abc");
    sem_post(&board.go_on);
    turn_until_done(l, 4);
    CU_ASSERT_STRING_EQUAL(board.done_as, "abcx");
    pool_free(p);
    loop_free(l);
}

static void test_only_so_many_wait(void)
{
    struct loop *l = loop_new();
    struct pool *p = pool_new(l, 1, 2);

    board_init();
    CU_ASSERT_TRUE(run(p, 'x', true));
    sem_wait(&board.begun); /* it does not wait any more */
    CU_ASSERT_TRUE(run(p, 'a', false));
    CU_ASSERT_TRUE(run(p, 'b', false));
    CU_ASSERT_FALSE(run(p, 'c', false));
    sem_post(&board.go_on);
    turn_until_done(l, 3);
    CU_ASSERT_STRING_EQUAL(board.done_as, "xab");
    CU_ASSERT_TRUE(run(p, 'd', false)); /* there is room again */
    turn_until_done(l, 4);
    CU_ASSERT_EQUAL(board.n_dropped, 0);
    pool_free(p);
    loop_free(l);
}

/* Whoever waits is dropped at once, whoever is in a thread when it comes out, and
 * nobody is told that it is done. */
static void test_the_end_waits_for_nobody(void)
{
    struct loop *l = loop_new();
    struct pool *p = pool_new(l, 1, 100);

    board_init();
    CU_ASSERT_TRUE(run(p, 'x', true));
    sem_wait(&board.begun);
    CU_ASSERT_TRUE(run(p, 'a', false));
    CU_ASSERT_TRUE(run(p, 'b', false));
    pool_free(p);
    CU_ASSERT_EQUAL(board.n_dropped, 2);
    loop_free(l); /* the loop may go too */
    sem_post(&board.go_on);
    sem_wait(&board.begun);
    CU_ASSERT_EQUAL(board.n_dropped, 3);
    CU_ASSERT_EQUAL(board.n_done, 0);
    CU_ASSERT_STRING_EQUAL(board.begun_as, "x");
}

static void test_what_has_ended_may_not_have_been_told(void)
{
    struct loop *l = loop_new();
    struct pool *p = pool_new(l, 1, 100);

    board_init();
    CU_ASSERT_TRUE(run(p, 'a', false));
    CU_ASSERT_TRUE(run(p, 'x', true));
    sem_wait(&board.begun); /* 'a' has ended, and the loop has not turned */
    CU_ASSERT_EQUAL(board.n_done, 0);
    pool_free(p);
    CU_ASSERT_EQUAL(board.n_dropped, 1);
    sem_post(&board.go_on);
    sem_wait(&board.begun);
    CU_ASSERT_EQUAL(board.n_dropped, 2);
    loop_free(l);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "jobs are begun in order and end in the loop",
          test_jobs_are_begun_in_order_and_end_in_the_loop },
        { "one that blocks leaves the other threads",
          test_one_that_blocks_leaves_the_other_threads },
        { "only so many wait", test_only_so_many_wait },
        { "the end waits for nobody", test_the_end_waits_for_nobody },
        { "what has ended may not have been told",
          test_what_has_ended_may_not_have_been_told },
    };

    return unit_main("pool", cases, ARRAY_LEN(cases));
}
