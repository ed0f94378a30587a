/* test_wakes.c - which changes of jobs, queues, vnodes, schedulers and the server start
 * a scheduling cycle, because a job that waits may run then, and which do not
 * (scheduling.md 3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/sched_command.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

/* Types of objects, as Manager has them, and a job. */
#define S OBJECT_SERVER
#define Q OBJECT_QUEUE
#define V OBJECT_NODE
#define C OBJECT_SCHED
#define J 99

struct wake_case {
    uint32_t type;
    const char *attrs;
    int command; /* 0: none */
};

static const struct wake_case wakes[] = {
    { S, "max_run=[u:PBS_GENERIC=5]", SCHED_NEW },
    { S, "max_run_res.ncpus=[u:PBS_GENERIC=5]", SCHED_NEW },
    { S, "max_run_soft=[u:PBS_GENERIC=5]", SCHED_NEW },
    { S, "resources_available.ncpus=100", SCHED_NEW },
    { S, "backfill_depth=5", SCHED_NEW },
    { S, "node_group_enable=True", SCHED_NEW },
    { S, "comment=hello", 0 },
    { S, "max_queued=[u:PBS_GENERIC=500]", 0 },
    { S, "resources_max.ncpus=1000", 0 },
    { S, "resv_enable=False", 0 },
    { Q, "max_run=[u:PBS_GENERIC=5]", SCHED_NEW },
    { Q, "max_run_res.mem=[o:PBS_ALL=5gb]", SCHED_NEW },
    { Q, "resources_available.ncpus=100", SCHED_NEW },
    { Q, "backfill_depth=5", SCHED_NEW },
    { Q, "Priority=150", SCHED_NEW },
    { Q, "max_queued=[u:PBS_GENERIC=500]", 0 },
    { Q, "acl_users=ann", 0 },
    { Q, "resources_default.ncpus=1", 0 },
    { V, "resources_available.ncpus=8", SCHED_NEW },
    { V, "max_running=3", SCHED_NEW },
    { V, "max_user_run=3", SCHED_NEW },
    { V, "no_multinode_jobs=True", SCHED_NEW },
    { V, "queue=workq", SCHED_NEW },
    { V, "comment=hello", 0 },
    { V, "priority=5", 0 },
    { V, "resv_enable=False", 0 },
    { V, "state=offline", 0 },
    { V, "resources_available.ncpus=16", 0 }, /* it is of no use now */
    { V, "state=free", SCHED_NEW },
    { C, "job_sort_formula_threshold=5", SCHED_NEW },
    { C, "do_not_span_psets=True", SCHED_NEW },
    { C, "log_events=511", 0 },
    { J, "Resource_List.ncpus=1", SCHED_NEW },
    { J, "Resource_List.walltime=60", SCHED_NEW },
    { J, "Priority=5", SCHED_NEW },
    { J, "project=p", SCHED_NEW },
    { J, "Priority=5", 0 }, /* it is so already */
    { J, "Job_Name=other", 0 },
    { J, "Output_Path=h:/other", 0 },
    { J, "Mail_Points=n", 0 },
};

static int alter_as(struct rig *r, const char *user, const char *id, const char *attrs)
{
    struct body_manage body = { .command = 2,
                                .object_type = OBJECT_JOB,
                                .object_name = id };

    body.attrs = rig_attrs(r, attrs);
    return rig_ask(r, user, BATCH_MODIFY_JOB, &body, NULL)->code;
}

/* The scheduler has nothing to do. */
static void all_cycles_end(struct rig *r)
{
    do
        rig_sched_done(r);
    while (rig_count(r, EFFECT_SCHED_COMMAND) > 0);
}

/* The last command of the input; 0: none. */
static int commanded(const struct rig *r)
{
    size_t n = rig_count(r, EFFECT_SCHED_COMMAND);

    return n ? (int)rig_effect(r, EFFECT_SCHED_COMMAND, n - 1)->u.sched.command : 0;
}

static int set(struct rig *r, const struct wake_case *c, const char *job)
{
    static const char *const names[] = {
        [S] = "", [Q] = "workq", [V] = "n1", [C] = "default"
    };

    if (c->type == J)
        return alter_as(r, RIG_ROOT, job, c->attrs);
    return rig_manager(r, RIG_ROOT, SET, c->type, names[c->type], c->attrs);
}

static void test_what_starts_a_cycle(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *job;

    rig_attach_sched(r);
    job = submit(r, RIG_USER, "", "Resource_List.ncpus=2", NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(job);
    for (size_t i = 0; i < ARRAY_LEN(wakes); i++) {
        const struct wake_case *c = &wakes[i];
        int got;

        all_cycles_end(r);
        CU_ASSERT_EQUAL(set(r, c, job), 0);
        if (c->type == C) { /* first it reads its configuration anew */
            CU_ASSERT_EQUAL(commanded(r), SCHED_CONFIGURE);
            rig_sched_done(r);
        }
        got = commanded(r);
        CU_ASSERT_EQUAL(got, c->command);
        if (got != c->command)
            printf("%s: command %d, text %s\n", c->attrs, got, rig_text(r));
    }
    fake_mom_free(&fm);
}

static void test_without_jobs_none_begins(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    rig_attach_sched(r);
    all_cycles_end(r);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, S, "", "max_run=[o:PBS_ALL=5]"), 0);
    CU_ASSERT_EQUAL(commanded(r), 0);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, Q, "workq", "max_run=[o:PBS_ALL=4]"),
                    0);
    CU_ASSERT_EQUAL(commanded(r), 0);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, V, "n1", "max_running=4"), 0);
    CU_ASSERT_EQUAL(commanded(r), 0);
    fake_mom_free(&fm);
}

static void test_jobs_that_cannot_run_wake_nobody(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *held, *stopped;

    new_queue(r, "later", "started=False");
    rig_attach_sched(r);
    held = submit(r, RIG_USER, "", "Resource_List.ncpus=2 Hold_Types=u", NULL);
    stopped = submit(r, RIG_USER, "later", "Resource_List.ncpus=2", NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(held);
    CU_ASSERT_PTR_NOT_NULL_FATAL(stopped);
    all_cycles_end(r);
    CU_ASSERT_EQUAL(alter_as(r, RIG_ROOT, held, "Resource_List.ncpus=1"), 0);
    CU_ASSERT_EQUAL(commanded(r), 0);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, Q, "later", "max_running=4"), 0);
    CU_ASSERT_EQUAL(commanded(r), 0);
    fake_mom_free(&fm);
}

/* However many changes come while a cycle runs: one cycle follows. */
static void test_many_changes_are_one_cycle(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    size_t n = 0;

    rig_attach_sched(r);
    CU_ASSERT_PTR_NOT_NULL_FATAL(
        submit(r, RIG_USER, "", "Resource_List.ncpus=2", NULL));
    all_cycles_end(r);
    for (int i = 0; i < 20; i++) {
        CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, Q, "workq",
                                    arena_printf(r->arena, "max_running=%d", i + 1)),
                        0);
        n += rig_count(r, EFFECT_SCHED_COMMAND);
    }
    CU_ASSERT_EQUAL(n, 1);
    rig_sched_done(r);
    CU_ASSERT_EQUAL(commanded(r), SCHED_NEW);
    rig_sched_done(r);
    CU_ASSERT_EQUAL(commanded(r), 0);
    fake_mom_free(&fm);
}

/* What a scheduler writes about jobs would wake it for ever. */
static void test_schedulers_do_not_wake_themselves(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    uint64_t primary = rig_attach_sched(r);
    const char *job = submit(r, RIG_USER, "", "Resource_List.ncpus=2", NULL);
    struct body_manage body = { .command = 2,
                                .object_type = OBJECT_JOB,
                                .object_name = job };

    CU_ASSERT_PTR_NOT_NULL_FATAL(job);
    all_cycles_end(r);
    body.attrs = rig_attrs(r, "Resource_List.soft_walltime=60 comment=waits");
    rig_ask_on(r, primary, RIG_ROOT, BATCH_MODIFY_JOB_ASYNC, &body, NULL);
    CU_ASSERT_EQUAL(commanded(r), 0);
    CU_ASSERT(str_same(
        rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, job, "Resource_List.soft_walltime"),
        "00:01:00"));
    fake_mom_free(&fm);
}

/* Two jobs change places: the second may run where the first one waits. */
static void test_another_order_starts_a_cycle(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    struct body_move body = { 0 };

    rig_attach_sched(r);
    body.job_id = submit(r, RIG_USER, "", "Resource_List.ncpus=2", NULL);
    body.destination = submit(r, RIG_USER, "", "Resource_List.ncpus=1", NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(body.job_id);
    CU_ASSERT_PTR_NOT_NULL_FATAL(body.destination);
    all_cycles_end(r);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_ORDER_JOB, &body, NULL)->code, 0);
    CU_ASSERT_EQUAL(commanded(r), SCHED_NEW);
    fake_mom_free(&fm);
}

static size_t n_asked(const struct rig *r)
{
    size_t n = 0;
    const struct effect *e;

    for (size_t i = 0; (e = rig_effect(r, EFFECT_RECORD, i)); i++)
        n += e->u.record->fact == FACT_RESV_ASKED;
    return n;
}

/* Nobody asks a scheduler that does not schedule. A reservation that waits for its
 * answer looks again as soon as it does, whichever of the two settings says so. */
static void a_reservation_asks_when_there_is_scheduling(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    rig_attach_sched(r);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, S, "", "scheduling=False"), 0);
    ask_for_a_reservation(r, 4000);
    CU_ASSERT_EQUAL(n_asked(r), 0);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, S, "", "scheduling=True"), 0);
    CU_ASSERT_EQUAL(n_asked(r), 1);
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_SCHED, "default", "scheduling=False"), 0);
    ask_for_a_reservation(r, 4001);
    CU_ASSERT_EQUAL(n_asked(r), 0);
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_SCHED, "default", "scheduling=True"), 0);
    CU_ASSERT_EQUAL(n_asked(r), 1);
    fake_mom_free(&fm);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a cycle follows what may let a job run, and nothing else",
          test_what_starts_a_cycle },
        { "without jobs none begins", test_without_jobs_none_begins },
        { "jobs that cannot run wake nobody", test_jobs_that_cannot_run_wake_nobody },
        { "many changes are one cycle", test_many_changes_are_one_cycle },
        { "schedulers do not wake themselves", test_schedulers_do_not_wake_themselves },
        { "another order starts a cycle", test_another_order_starts_a_cycle },
        { "a reservation asks when there is scheduling",
          a_reservation_asks_when_there_is_scheduling },
    };

    return unit_main("wakes", cases, ARRAY_LEN(cases));
}
