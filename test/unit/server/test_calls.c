/* Unit tests of src/server/shell/calls.c: who is called when, with threads that are
 * played here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/pool.h"
#include "server/shell/calls.h"

#include "../unit.h"

#include <stdio.h>
#include <utlist.h>

static struct shell sh;
static struct pool_job *running; /* in order */
static size_t n_running;
static bool no_thread;

struct pool *pool_new(struct loop *l, unsigned threads, size_t most)
{
    (void)l;
    (void)most;
    CU_ASSERT(threads > 2);
    return NULL;
}

void pool_free(struct pool *p)
{
    struct pool_job *job, *next;

    (void)p;
    DL_FOREACH_SAFE (running, job, next) {
        DL_DELETE(running, job);
        job->drop(job);
    }
    n_running = 0;
}

bool pool_run(struct pool *p, struct pool_job *job)
{
    (void)p;
    if (no_thread)
        return false;
    DL_APPEND(running, job);
    n_running++;
    return true;
}

/* The first one that runs comes back from its thread, and has told nobody. */
static void fails(void)
{
    struct pool_job *job = running;

    CU_ASSERT_PTR_NOT_NULL_FATAL(job);
    DL_DELETE(running, job);
    n_running--;
    job->done(job);
}

static void call(struct calls *all, const char *user, int n)
{
    for (int i = 0; i < n; i++)
        calls_make(all, user, "nowhere", 1234,
                   &(struct job_ended){ .job_id = "1.svr", .message = "" });
}

static struct calls *begin(void)
{
    sh.loop = loop_new();
    return calls_new(&sh);
}

static void end(struct calls *all)
{
    calls_free(all);
    loop_free(sh.loop);
}

static void nobody_waits_for_the_calls_of_another_user(void)
{
    struct calls *all = begin();

    call(all, "a@h", 100);
    CU_ASSERT_EQUAL(n_running, 2);
    call(all, "b@h", 1);
    CU_ASSERT_EQUAL(n_running, 3);
    call(all, "c@h", 5);
    CU_ASSERT_EQUAL(n_running, 5);
    end(all);
}

static void the_next_one_begins_when_one_has_ended(void)
{
    struct calls *all = begin();

    call(all, "a@h", 4);
    call(all, "b@h", 1);
    for (int i = 0; i < 2; i++) {
        fails();
        CU_ASSERT_EQUAL(n_running, 3);
    }
    fails(); /* that of b, who has no other one */
    CU_ASSERT_EQUAL(n_running, 2);
    fails();
    fails();
    CU_ASSERT_EQUAL(n_running, 0);
    end(all);
}

static void without_a_thread_all_wait(void)
{
    struct calls *all = begin();

    no_thread = true;
    call(all, "a@h", 3);
    no_thread = false;
    CU_ASSERT_EQUAL(n_running, 0);
    call(all, "a@h", 1);
    CU_ASSERT_EQUAL(n_running, 1);
    end(all);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "nobody waits for the calls of another user",
          nobody_waits_for_the_calls_of_another_user },
        { "the next one begins when one has ended",
          the_next_one_begins_when_one_has_ended },
        { "without a thread all wait", without_a_thread_all_wait },
    };

    return unit_main("calls", cases, ARRAY_LEN(cases));
}
