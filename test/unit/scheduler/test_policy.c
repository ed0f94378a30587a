/* Unit tests of sched_config's lines and of dedicated time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#include "scheduler/policy/policy.h"

#define OBSOLETE "Obsolete config name "

static void test_lines(void)
{
    static const struct {
        const char *line;
        enum policy_line result;
        const char *words;
    } cases[] = {
        { "# a comment", POLICY_FINE, "" },
        { "* another", POLICY_FINE, "" },
        { "", POLICY_FINE, "" },
        { "by_queue: false", POLICY_FINE, "" },
        { "fair_share: false ALL", POLICY_FINE, "" },
        { "node_sort_key: \"sort_priority HIGH\" ALL", POLICY_FINE, "" },
        { "node_sort_key: \"ncpus LOW unused\"", POLICY_FINE, "" },
        { "resources: \"ncpus, mem, arch\"", POLICY_FINE, "" },
        { "  by_queue :: 'True'\tnon_prime", POLICY_FINE, "" },
        { "smp_cluster_dist: lowest_load", POLICY_FINE, "" },
        { "prime_spill: 1:00:00 ALL", POLICY_FINE, "" },
        { "fairshare_decay_factor: 0.7", POLICY_FINE, "" },
        { "fairshare_entity: egroup:euser", POLICY_FINE, "" },
        { "server_dyn_res: \"lic !/bin/count\"", POLICY_FINE, "" },
        { "peer_queue: \"workq workq@other\"", POLICY_FINE, "" },
        { "peer_queue: \"a b\"", POLICY_FINE, "" },
        { "resv_confirm_ignore: none", POLICY_FINE, "" },
        { "job_sort_key: \"cput LOW\" ALL", POLICY_FINE, "" },

        { "by_queue", POLICY_WRONG, "Config line invalid" },
        { "by_queue: ", POLICY_WRONG, "Config line invalid" },
        { "preempt_prio", POLICY_WRONG, "Config line invalid" },
        { "unheard_of: 1", POLICY_WRONG, "Unknown config parameter" },
        { "sort_by: fifo", POLICY_WRONG, "Unknown config parameter" },
        { "by_queue: True sometimes", POLICY_WRONG,
          "Invalid prime keyword: sometimes" },
        { "prime_spill: 3600", POLICY_WRONG, "Invalid time 3600" },
        { "fairshare_decay_time: 1:xx", POLICY_WRONG, "Invalid time 1:xx" },
        { "node_sort_key: sort_priority HIGH", POLICY_WRONG, "Invalid node_sort_key" },
        { "node_sort_key: \"ncpus SIDEWAYS\"", POLICY_WRONG, "Invalid node_sort_key" },
        { "node_sort_key: \"ncpus LOW wasted\"", POLICY_WRONG,
          "Invalid node_sort_key" },
        { "node_sort_key: \"ncpus\" non_prime", POLICY_WRONG, "Invalid node_sort_key" },
        { "job_sort_key: cput LOW", POLICY_WRONG, "Invalid job_sort_key" },
        { "fairshare_decay_factor: 1.5", POLICY_WRONG,
          "fairshare_decay_factor: Invalid value: 1.5.  Valid values are between 0 and "
          "1." },
        { "fairshare_decay_factor: half", POLICY_WRONG,
          "Invalid fairshare_decay_factor" },
        { "fairshare_entity: nobody", POLICY_WRONG,
          "fairshare_entity nobody is erroneous (or deprecated)." },
        { "resv_confirm_ignore: all", POLICY_WRONG,
          "resv_confirm_ignore valid values: dedicated_time or none" },
        { "server_dyn_res: \"lic /bin/count\"", POLICY_WRONG,
          "Invalid server_dyn_res" },
        { "peer_queue: workq", POLICY_WRONG, "Invalid peer queue" },
        { "peer_queue: \"workq far@\"", POLICY_WRONG, "Invalid peer queue" },
        { "peer_queue: \"workq @other\"", POLICY_WRONG, "Invalid peer queue" },
        { "peer_queue: \"workq far@other more\"", POLICY_WRONG, "Invalid peer queue" },

        { "strict_fifo: false", POLICY_NOTICE,
          OBSOLETE "strict_fifo, instead use strict_ordering" },
        { "help_starving_jobs: true ALL", POLICY_NOTICE,
          OBSOLETE "help_starving_jobs, instead use use eligible_time in "
                   "job_sort_formula" },
        { "max_starve: 24:00:00", POLICY_NOTICE,
          OBSOLETE "max_starve, instead use use eligible_time in job_sort_formula" },
        { "backfill: true", POLICY_NOTICE,
          OBSOLETE "backfill, instead use server's backfill_depth=0" },
        { "sort_queues: true", POLICY_NOTICE, OBSOLETE "sort_queues" },
        { "half_life: 24:00:00", POLICY_NOTICE,
          OBSOLETE "half_life, instead use fairshare_decay_time and "
                   "fairshare_decay_factor instead" },
        { "node_group_key: host", POLICY_NOTICE,
          OBSOLETE "node_group_key, instead use nothing - set via qmgr" },
        { "log_filter: 256", POLICY_NOTICE,
          OBSOLETE "log_filter, instead use nothing - set log_events via qmgr" },
        { "preempt_queue_prio: 150", POLICY_NOTICE,
          OBSOLETE "preempt_queue_prio, instead use nothing - set via qmgr" },
        { "preempt_prio: \"express_queue, normal_jobs\"", POLICY_NOTICE,
          OBSOLETE "preempt_prio, instead use nothing - set via qmgr" },
        { "preempt_order: \"SCR\"", POLICY_NOTICE,
          OBSOLETE "preempt_order, instead use nothing - set via qmgr" },
        { "preempt_sort: min_time_since_start", POLICY_NOTICE,
          OBSOLETE "preempt_sort, instead use nothing - set via qmgr" },
        { "sort_nodes: true", POLICY_NOTICE,
          OBSOLETE "sort_nodes, instead use node_sort_key" },
        { "job_sort_key: \"sort_priority HIGH\"", POLICY_NOTICE,
          OBSOLETE "sort_priority in job_sort_key, instead use job_priority" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct policy *p = policy_new();
        struct diag why = { 0 };

        CU_ASSERT_EQUAL(policy_line(p, cases[i].line, &why), cases[i].result);
        if (strcmp(why.text, cases[i].words) != 0)
            fprintf(stderr, "%s: %s\n", cases[i].line, why.text);
        CU_ASSERT_STRING_EQUAL(why.text, cases[i].words);
        policy_free(p);
    }
}

static void test_values(void)
{
    struct policy *p = policy_new();
    struct diag why = { 0 };

    CU_ASSERT_EQUAL(policy_line(p, "by_queue: True prime", &why), POLICY_FINE);
    CU_ASSERT_EQUAL(policy_line(p, "by_queue: False non_prime", &why), POLICY_FINE);
    CU_ASSERT_TRUE(p->by_queue);
    CU_ASSERT_EQUAL(policy_line(p, "by_queue: 0 whenever", &why), POLICY_WRONG);
    CU_ASSERT_FALSE(p->by_queue); /* the value holds all the same */
    CU_ASSERT_EQUAL(policy_line(p, "sort_nodes: true", &why), POLICY_NOTICE);
    CU_ASSERT_EQUAL(policy_line(p, "node_sort_key: \"mem LOW\" non_prime", &why),
                    POLICY_FINE);
    CU_ASSERT_EQUAL_FATAL(p->n_sort_keys, 1);
    CU_ASSERT_STRING_EQUAL(p->sort_keys[0].resource, "sort_priority");
    CU_ASSERT_EQUAL(policy_line(p, "dedicated_prefix: \"\"", &why), POLICY_WRONG);
    CU_ASSERT_FALSE(policy_prefix_has(p->dedicated_prefix, "workq"));
    CU_ASSERT_EQUAL(policy_line(p, "dedicated_prefix: ded", &why), POLICY_FINE);
    CU_ASSERT_TRUE(policy_prefix_has(p->dedicated_prefix, "dedq"));
    CU_ASSERT_FALSE(policy_prefix_has(p->dedicated_prefix, "workq"));
    policy_free(p);
}

static void test_what_is_asked_for_in_vain(void)
{
    static const struct {
        const char *line, *names;
    } cases[] = {
        { "preemptive_sched: true ALL", "" },
        { "preempt_attempts: 5", "" },
        { "fair_share: True non_prime", "fair_share" },
        { "smp_cluster_dist: pack", "" },
        { "smp_cluster_dist: round_robin", "smp_cluster_dist" },
        { "fairshare_entity: egroup", "fairshare_entity" },
        { "fairshare_enforce_no_shares: false", "fairshare_enforce_no_shares" },
        { "node_sort_key: \"ncpus HIGH unused\"", "" },
        { "node_sort_key: \"last_used_time LOW\"", "" },
        { "node_sort_key: \"ncpus HIGH\"", "" },
        { "job_sort_key: \"cput LOW\"", "" },
        { "half_life: 12:00:00", "half_life" },
        { "dedicated_prefix: ded", "" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct policy *p = policy_new();
        struct buf names = { 0 };
        struct diag why = { 0 };

        CU_ASSERT_NOT_EQUAL(policy_line(p, cases[i].line, &why), POLICY_WRONG);
        policy_unserved(p, &names);
        CU_ASSERT_STRING_EQUAL(names.data ? names.data : "", cases[i].names);
        buf_fini(&names);
        policy_free(p);
    }
}

static void test_periods(void)
{
    static const struct {
        int start_at, end_at;
        bool crosses;
    } cases[] = {
        { 0, 100, false },   { 0, 101, true },    { 99, 101, true },
        { 100, 200, false }, { 150, 160, false }, { 150, 201, true },
        { 199, 300, true },  { 200, 300, false }, { 0, 500, true },
    };
    struct policy *p = policy_new();

    CU_ASSERT_TRUE(policy_add_dedicated(p, 100, 200));
    CU_ASSERT_TRUE(policy_add_dedicated(p, 300, 250));
    CU_ASSERT_EQUAL(p->n_dedicated, 1);
    for (size_t i = 0; i < COUNT(cases); i++)
        CU_ASSERT_EQUAL(policy_crossed(p, cases[i].start_at, cases[i].end_at) != NULL,
                        cases[i].crosses);
    CU_ASSERT_PTR_NULL(policy_dedicated_at(p, 99));
    CU_ASSERT_PTR_NOT_NULL(policy_dedicated_at(p, 100));
    CU_ASSERT_PTR_NULL(policy_dedicated_at(p, 200));
    while (p->n_dedicated < POLICY_PERIODS_MAX)
        CU_ASSERT_TRUE_FATAL(policy_add_dedicated(p, 1, 2));
    CU_ASSERT_FALSE(policy_add_dedicated(p, 1, 2));
    policy_free(p);
}

#define ONE "Resource_List.ncpus=1 Resource_List.walltime=00:01:40"
#define UN  "reserve_state=1 reserve_substate=1 Resource_List.place=free"

/* Dedicated time from NOW + 1000 to NOW + 2000; 'now' is relative to that. */
static struct scene dedicated_scene(void)
{
    struct scene sc = scene_new();
    struct diag why;

    CU_ASSERT_EQUAL(policy_line(sc.policy, "dedicated_prefix: ded", &why), POLICY_FINE);
    CU_ASSERT_EQUAL(policy_line(sc.policy, "nonprimetime_prefix: np_", &why),
                    POLICY_FINE);
    CU_ASSERT_TRUE(policy_add_dedicated(sc.policy, NOW + 1000, NOW + 2000));
    scene_hosts(&sc, 1, 2);
    scene_queue(&sc, "workq", true);
    scene_queue(&sc, "dedq", true);
    scene_queue(&sc, "np_q", true);
    return sc;
}

static void test_jobs_and_dedicated_time(void)
{
    static const struct {
        int now;
        const char *queue, *job_id, *expect;
    } cases[] = {
        { 0, "workq", NULL, "(n1:ncpus=1)" },
        { 900, "workq", NULL, "(n1:ncpus=1)" },
        { 901, "workq", NULL, "Not Running: Job would cross dedicated time boundary" },
        { 999, "dedq", NULL, "Not Running: Dedicated time conflict" },
        { 1000, "workq", NULL, "Not Running: Dedicated time conflict" },
        { 1000, "dedq", NULL, "(n1:ncpus=1)" },
        { 1901, "dedq", NULL, "Not Running: Job would cross dedicated time boundary" },
        { 2000, "workq", NULL, "(n1:ncpus=1)" },
        { 0, "np_q", NULL, "Not Running: Job will run in nonprimetime only" },
        { 0, "np_q", "1.svr", "(n1:ncpus=1)" },
        { 0, "dedq", "1.svr", "(n1:ncpus=1)" },
        { 950, "dedq", "1.svr",
          "Not Running: Job would cross dedicated time boundary" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = dedicated_scene();

        scene_job(&sc, "1.svr", cases[i].queue, "1:ncpus=1", ONE);
        sched_plan(sc.snapshot, sc.policy, NOW + cases[i].now, cases[i].job_id,
                   sc.arena, &sc.plan);
        ASSERT_SAID(&sc, "1.svr", cases[i].expect);
        scene_free(&sc);
    }
}

/* A promise is kept: its jobs run whatever the time. */
static void test_jobs_of_reservations_and_dedicated_time(void)
{
    struct scene sc = dedicated_scene();

    scene_resv(&sc, 7, "reserve_state=5 reserve_substate=5", NOW, NOW + 1500,
               "1:ncpus=1", "Resource_List.place=free resv_nodes=(n1:ncpus=1)");
    scene_job(&sc, "1.svr", "R7", "1:ncpus=1", "Resource_List.ncpus=1");
    sched_plan(sc.snapshot, sc.policy, NOW + 1100, NULL, sc.arena, &sc.plan);
    ASSERT_SAID(&sc, "1.svr", "(n1:ncpus=1)");
    scene_free(&sc);
}

static void test_resvs_and_dedicated_time(void)
{
#define CROSSES "denied: Job would not finish before dedicated time"
    static const struct {
        int start, end;
        const char *line, *expect;
    } cases[] = {
        { 100, 1000, NULL, "(n1:ncpus=1)" },
        { 100, 1001, NULL, CROSSES },
        { 1000, 2000, NULL, "(n1:ncpus=1)" },
        { 1500, 2001, NULL, CROSSES },
        { 500, 2500, NULL, CROSSES },
        { 500, 2500, "resv_confirm_ignore: dedicated_time", "(n1:ncpus=1)" },
        { 2000, 2500, NULL, "(n1:ncpus=1)" },
    };
#undef CROSSES

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = dedicated_scene();
        struct diag why;

        if (cases[i].line)
            CU_ASSERT_EQUAL(policy_line(sc.policy, cases[i].line, &why), POLICY_FINE);
        scene_resv(&sc, 7, UN, NOW + cases[i].start, NOW + cases[i].end, "1:ncpus=1",
                   "");
        scene_plan(&sc);
        ASSERT_SAID(&sc, "R7.svr", cases[i].expect);
        scene_free(&sc);
    }
}

/* The scheduler chooses the start: behind the dedicated time when it does not fit
 * before it. */
static void test_open_start_and_dedicated_time(void)
{
    struct scene sc = dedicated_scene();
    const int open = 1893488460;

    scene_resv(&sc, 7, UN, open, open + 1001, "1:ncpus=1", "");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R7.svr", "(n1:ncpus=1)");
    CU_ASSERT_EQUAL(scene_step(&sc, "R7.svr")->start_at, NOW + 2000);
    scene_free(&sc);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "lines of sched_config are obeyed or answered with the text for the log",
          test_lines },
        { "values hold for prime time", test_values },
        { "what a line asks for in vain is known by name",
          test_what_is_asked_for_in_vain },
        { "dedicated time has two boundaries", test_periods },
        { "jobs keep out of dedicated time unless their queue is for it",
          test_jobs_and_dedicated_time },
        { "dedicated time breaks no promise",
          test_jobs_of_reservations_and_dedicated_time },
        { "new reservations do not cross dedicated time",
          test_resvs_and_dedicated_time },
        { "a reservation with an open start waits for its end",
          test_open_start_and_dedicated_time },
    };

    return unit_main("scheduler/policy", cases, COUNT(cases));
}
