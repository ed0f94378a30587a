/* Unit tests of the order of jobs and of the walks through it, against plain lists:
 * jobs come, go, end and change their places and queues beside walks that pause.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "one_record.h"
#include "test/unit/unit.h"

#include "lib/base/rnd.h"
#include "server/model/job_walk.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST    40 /* numbers of jobs */
#define N_WALKS 4
#define N_STEPS 6000

static struct model *m;
static struct arena *arena;

/* One record; its changes as in one_record.h. */
static void apply(enum fact fact, enum obj_kind kind, const char *id, ...)
{
    struct record *rec;
    va_list ap;

    va_start(ap, id);
    rec = one_record(arena, fact, kind, id, ap);
    va_end(ap);
    rec->seq = m->seq + 1;
    model_apply(m, rec);
}

static void begin(void)
{
    m = model_new("svr");
    arena = arena_new();
    apply(FACT_CREATED, OBJ_QUEUE, "q0", "queue_type", "Execution", NULL);
    apply(FACT_CREATED, OBJ_QUEUE, "q1", "queue_type", "Execution", NULL);
}

static void end(void)
{
    model_check(m);
    model_free(m);
    arena_free(arena);
}

static void queue_job(const char *id, const char *queue, const char *rank)
{
    apply(FACT_JOB_QUEUED, OBJ_JOB, id, "job_state", "Q", "queue", queue, "queue_rank",
          rank, NULL);
}

/* The numbers of the jobs in their order, of one queue, or of those that live or all.
 */
static const char *listed(const struct queue *q, bool past)
{
    char *text = arena_strdup(arena, "");

    for (const struct job *j = q ? queue_job_behind(q, RANK_PLACE_FIRST)
                                 : job_order_behind(m, RANK_PLACE_FIRST, past);
         j; j = q ? queue_job_behind(q, job_order_place(j))
                  : job_order_behind(m, job_order_place(j), past))
        text = arena_printf(arena, "%s%d ", text, atoi(j->obj.id));
    return text;
}

static void test_jobs_stand_by_rank_and_then_by_age(void)
{
    begin();
    queue_job("1.svr", "q0", "30");
    queue_job("2.svr", "q1", "20");
    queue_job("3.svr", "q0", "30");
    queue_job("4.svr", "q0", "10");
    CU_ASSERT_STRING_EQUAL(listed(NULL, false), "4 2 1 3 ");
    CU_ASSERT_STRING_EQUAL(listed(model_queue(m, "q0"), false), "4 1 3 ");
    apply(FACT_JOB_MODIFIED, OBJ_JOB, "4.svr", "queue_rank", "40", NULL);
    CU_ASSERT_STRING_EQUAL(listed(NULL, false), "2 1 3 4 ");
    CU_ASSERT_STRING_EQUAL(listed(model_queue(m, "q0"), false), "1 3 4 ");
    apply(FACT_JOB_MODIFIED, OBJ_JOB, "2.svr", "queue", "q0", NULL);
    CU_ASSERT_STRING_EQUAL(listed(model_queue(m, "q0"), false), "2 1 3 4 ");
    CU_ASSERT_STRING_EQUAL(listed(model_queue(m, "q1"), false), "");
    /* Who is over keeps the place, where only those see it who ask for it. */
    apply(FACT_JOB_MODIFIED, OBJ_JOB, "3.svr", "job_state", "F", NULL);
    CU_ASSERT_STRING_EQUAL(listed(NULL, false), "2 1 4 ");
    CU_ASSERT_STRING_EQUAL(listed(NULL, true), "2 1 3 4 ");
    apply(FACT_JOB_FORGOTTEN, OBJ_JOB, "3.svr", NULL);
    CU_ASSERT_STRING_EQUAL(listed(NULL, true), "2 1 4 ");
    end();
}

/* A walk beside a list of who was there all the while. */
struct watched {
    struct job_walk walk;
    bool over, in_queue;
    int n_met[MOST];
    bool all_the_while[MOST];
    bool moved[MOST]; /* of the others the order is known */
    struct rank_place last;
};

static int number_of(const struct job *j)
{
    return atoi(j->obj.id);
}

static bool is_for(const struct watched *w, const struct job *j)
{
    if (w->in_queue)
        return j->queue && str_same(j->queue->obj.id, "q0");
    return w->walk.past || !j->past;
}

static void start(struct watched *w, int manner)
{
    *w = (struct watched){ .walk = job_walk_begin(m, manner == 1) };
    w->in_queue = manner == 2;
    if (w->in_queue)
        job_walk_in_queue(&w->walk, model_queue(m, "q0"), "q0");
    MODEL_EACH (m, OBJ_JOB, o)
        w->all_the_while[number_of(TO_JOB(o))] = is_for(w, TO_JOB(o));
}

static void finish(struct watched *w)
{
    for (int i = 0; i < MOST; i++) {
        if (w->all_the_while[i])
            CU_ASSERT_EQUAL(w->n_met[i], 1);
        CU_ASSERT(w->n_met[i] <= 1);
    }
    CU_ASSERT_EQUAL(job_walk_aside(&w->walk), 0);
    job_walk_end(&w->walk);
    w->over = true;
}

/* False: there is nothing left. */
static bool step(struct watched *w)
{
    bool met;
    const struct job *j = job_walk_next(&w->walk, &met);

    if (!j)
        return false;
    if (met)
        return true;
    w->n_met[number_of(j)]++;
    CU_ASSERT(w->walk.past || !j->past);
    if (w->moved[number_of(j)])
        return true;
    CU_ASSERT(rank_is_before(w->last, job_order_place(j)));
    w->last = job_order_place(j);
    return true;
}

/* Whoever stood on the job, or counted on it, hears of what becomes of it. */
static void left(struct watched *v, const struct job *j, bool retires)
{
    for (int i = 0; i < N_WALKS; i++) {
        if (v[i].over)
            continue;
        job_walk_leave(&v[i].walk, j, retires);
        if (!retires || !v[i].walk.past)
            v[i].all_the_while[number_of(j)] = false;
    }
}

/* One that has the number of another one before it. */
static void came(struct watched *v, int number)
{
    for (int i = 0; i < N_WALKS; i++) {
        v[i].n_met[number] = 0;
        v[i].moved[number] = false;
    }
}

static void changed(struct watched *v, const struct job *j, struct rank_place was)
{
    for (int i = 0; i < N_WALKS; i++) {
        if (v[i].over)
            continue;
        if (!rank_is_same(was, job_order_place(j))) {
            job_walk_moved(&v[i].walk, j, was);
            v[i].moved[number_of(j)] = true;
        }
        v[i].all_the_while[number_of(j)] &= is_for(&v[i], j);
    }
}

/* Something becomes of a job. */
static void change(struct watched *v, struct rnd *r)
{
    int number = (int)rnd_range(r, 0, MOST - 1);
    const char *id = arena_printf(arena, "%d.svr", number);
    const char *queue = rnd_percent(r, 50) ? "q0" : "q1";
    const char *rank = arena_printf(arena, "%d", (int)rnd_range(r, 1, 60));
    const struct job *j = model_job(m, id);
    struct rank_place was = j ? job_order_place(j) : RANK_PLACE_FIRST;

    if (!j) {
        queue_job(id, queue, rank);
        came(v, number);
    } else if (rnd_percent(r, 15)) {
        left(v, j, false);
        apply(FACT_JOB_FORGOTTEN, OBJ_JOB, id, NULL);
    } else if (j->past) {
        return;
    } else if (rnd_percent(r, 10)) {
        left(v, j, true);
        apply(FACT_JOB_MODIFIED, OBJ_JOB, id, "job_state", "F", NULL);
        changed(v, j, was);
    } else {
        apply(FACT_JOB_MODIFIED, OBJ_JOB, id, "queue_rank", rank, "queue",
              rnd_percent(r, 30) ? queue : j->queue->obj.id, NULL);
        changed(v, j, was);
    }
}

static void test_each_job_is_met_once(void)
{
    struct watched v[N_WALKS];
    struct rnd r = rnd_seeded(3);
    int n_walks = 0;

    begin();
    for (int i = 0; i < N_WALKS; i++)
        start(&v[i], i % 3);
    for (int i = 0; i < N_STEPS; i++) {
        struct watched *w = &v[rnd_range(&r, 0, N_WALKS - 1)];

        for (int64_t n = rnd_range(&r, 0, 3); n > 0; n--)
            change(v, &r);
        if (step(w))
            continue;
        finish(w);
        start(w, n_walks++ % 3);
        if (n_walks % 8 == 0)
            model_check(m);
    }
    CU_ASSERT(n_walks > N_STEPS / MOST / 2);
    for (int i = 0; i < N_WALKS; i++) {
        while (step(&v[i]))
            continue;
        finish(&v[i]);
    }
    end();
}

/* One job was met; all the others go to the other side, and come back. */
static void move_all(struct job_walk *w, int n, const char *rank)
{
    for (int i = 1; i <= n; i++) {
        const char *id = arena_printf(arena, "%d.svr", i);
        const struct job *j = model_job(m, id);
        struct rank_place was = job_order_place(j);

        apply(FACT_JOB_MODIFIED, OBJ_JOB, id, "queue_rank", rank, NULL);
        job_walk_moved(w, j, was);
    }
}

static void test_a_walk_remembers_only_so_many(void)
{
    struct job_walk w;
    bool met;

    begin();
    queue_job("0.svr", "q0", "50");
    for (int i = 1; i <= JOB_WALK_MAX_ASIDE + 2; i++)
        queue_job(arena_printf(arena, "%d.svr", i), "q0", "60");
    w = job_walk_begin(m, false);
    CU_ASSERT_EQUAL(number_of(job_walk_next(&w, &met)), 0);
    move_all(&w, JOB_WALK_MAX_ASIDE, "40");
    CU_ASSERT_EQUAL(job_walk_aside(&w), JOB_WALK_MAX_ASIDE);
    move_all(&w, JOB_WALK_MAX_ASIDE, "60");
    CU_ASSERT_EQUAL(job_walk_aside(&w), 0);
    move_all(&w, JOB_WALK_MAX_ASIDE, "40");
    CU_ASSERT_EQUAL(number_of(job_walk_next(&w, &met)), 1);
    CU_ASSERT_FALSE(w.lost);
    move_all(&w, JOB_WALK_MAX_ASIDE, "70");
    CU_ASSERT_EQUAL(job_walk_aside(&w), 1); /* the one that was met */
    move_all(&w, JOB_WALK_MAX_ASIDE + 1, "30");
    CU_ASSERT_FALSE(w.lost);
    move_all(&w, JOB_WALK_MAX_ASIDE + 2, "20");
    CU_ASSERT_TRUE(w.lost); /* it says so, and does not leave anybody out silently */
    CU_ASSERT_PTR_NULL(job_walk_next(&w, &met));
    job_walk_end(&w);
    end();
}

static const struct unit_case cases[] = {
    { "jobs stand by rank and then by age", test_jobs_stand_by_rank_and_then_by_age },
    { "each job is met once", test_each_job_is_met_once },
    { "a walk remembers only so many", test_a_walk_remembers_only_so_many },
};

int main(void)
{
    return unit_main("job_order", cases, ARRAY_LEN(cases));
}
