/* test_placement_sets.c - requests go into one set of vnodes where one can hold them
 * (scheduling.md 16).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#include "lib/base/log.h"

#define UN    "reserve_state=1 reserve_substate=1"
#define GROUP "Resource_List.place=free:group=switch"

/* A complex of n1 .. n<n> with 2 cpus each, whose switches are the letters of 'on'; a
 * point stands for none. */
static struct scene scene_with(const char *server, const char *on)
{
    struct scene sc = scene_new();

    scene_add(&sc, OBJECT_RESOURCE, "switch", "type=13 flag=131087");
    scene_add(&sc, OBJECT_SERVER, "svr", server);
    for (int i = 0; on[i]; i++) {
        char name[16], more[64] = "";

        snprintf(name, sizeof(name), "n%d", i + 1);
        if (on[i] != '.')
            snprintf(more, sizeof(more), "resources_available.switch=%c", on[i]);
        scene_vnode(&sc, name, name, 2, more);
    }
    scene_queue(&sc, "workq", true);
    return sc;
}

static const char enabled[] = "node_group_enable=True node_group_key=switch";

static void test_smallest_set_first(void)
{
    struct scene sc = scene_with(enabled, "AABBB");

    scene_job(&sc, "1.svr", "workq", "2:ncpus=2", "");
    scene_job(&sc, "2.svr", "workq", "3:ncpus=2", "");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", "(n1:ncpus=2)+(n2:ncpus=2)");
    ASSERT_SAID(&sc, "2.svr", "(n3:ncpus=2)+(n4:ncpus=2)+(n5:ncpus=2)");
    scene_free(&sc);
}

/* Of two sets of one size the one with less left is first. */
static void test_fuller_set_first(void)
{
    struct scene sc = scene_with(enabled, "ABAB");

    scene_job(&sc, "1.svr", "workq", "1:ncpus=1", "");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=2", "");
    scene_job(&sc, "3.svr", "workq", "2:ncpus=2", "");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "2.svr", "(n3:ncpus=2)");
    ASSERT_SAID(&sc, "3.svr", "(n2:ncpus=2)+(n4:ncpus=2)");
    scene_free(&sc);
}

/* A set that could hold the job is waited for, though vnodes of two sets are free. */
static void test_waits_for_a_set(void)
{
    struct scene sc = scene_with(enabled, "ABAB");

    scene_job(&sc, "1.svr", "workq", "1:ncpus=2",
              "job_state=R substate=42 exec_vnode=(n1:ncpus=2) stime=1000000");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=2",
              "job_state=R substate=42 exec_vnode=(n2:ncpus=2) stime=1000000");
    scene_job(&sc, "3.svr", "workq", "2:ncpus=2", "");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "3.svr",
                "Not Running: Placement set switch=B has too few free resources");
    CU_ASSERT_STRING_EQUAL(
        scene_step(&sc, "3.svr")->log,
        "Placement set switch=B has too few free resources or is too "
        "small");
    scene_free(&sc);
}

static void test_spans_when_none_is_large_enough(void)
{
    struct scene sc = scene_with(enabled, "AB");

    scene_job(&sc, "1.svr", "workq", "2:ncpus=2", "");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", "(n1:ncpus=2)+(n2:ncpus=2)");
    scene_free(&sc);
}

static void test_may_not_span(void)
{
    struct scene sc = scene_with(enabled, "AB");

    scene_add(&sc, OBJECT_SCHED, "default", "do_not_span_psets=True");
    scene_job(&sc, "1.svr", "workq", "2:ncpus=2", "");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr",
                "Can Never Run: can't fit in the largest placement set, and can't span "
                "psets");
    CU_ASSERT_STRING_EQUAL(
        scene_step(&sc, "1.svr")->log,
        "Can't fit in the largest placement set, and can't span placement sets");
    scene_free(&sc);
}

static void test_vnodes_without_the_resource(void)
{
    struct scene sc = scene_with(enabled, "A..");

    scene_job(&sc, "1.svr", "workq", "2:ncpus=2", "");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", "(n2:ncpus=2)+(n3:ncpus=2)");
    scene_free(&sc);

    sc = scene_with(enabled, "A..");
    scene_add(&sc, OBJECT_SCHED, "default", "only_explicit_psets=True");
    scene_job(&sc, "1.svr", "workq", "2:ncpus=2", "");
    scene_plan(&sc); /* no set is large enough: all vnodes are used */
    ASSERT_SAID(&sc, "1.svr", "(n1:ncpus=2)+(n2:ncpus=2)");
    scene_free(&sc);
}

static void test_queue_has_its_own_key(void)
{
    struct scene sc = scene_with("node_group_enable=True node_group_key=switch", "ABA");

    scene_add(&sc, OBJECT_RESOURCE, "rack", "type=13 flag=131087");
    scene_add(&sc, OBJECT_QUEUE, "racked",
              "queue_type=Execution started=True enabled=True node_group_key=rack");
    scene_job(&sc, "1.svr", "racked", "2:ncpus=2", "");
    scene_plan(&sc); /* no vnode has a rack: one set of all */
    ASSERT_SAID(&sc, "1.svr", "(n1:ncpus=2)+(n2:ncpus=2)");
    scene_free(&sc);
}

static void test_off_unless_enabled(void)
{
    struct scene sc =
        scene_with("node_group_enable=False node_group_key=switch", "ABA");

    scene_job(&sc, "1.svr", "workq", "2:ncpus=2", "");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", "(n1:ncpus=2)+(n2:ncpus=2)");
    scene_free(&sc);
}

/* place=group works without the server's settings, for jobs and reservations. */
static void test_place_group(void)
{
    struct scene sc = scene_with("", "ABA");

    scene_job(&sc, "1.svr", "workq", "2:ncpus=1", GROUP);
    scene_resv(&sc, 1, UN, NOW + 100, NOW + 200, "2:ncpus=2", GROUP);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", "(n1:ncpus=2)+(n3:ncpus=2)");
    scene_free(&sc);

    sc = scene_with("", "ABA");
    scene_job(&sc, "1.svr", "workq", "2:ncpus=2", GROUP);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", "(n1:ncpus=2)+(n3:ncpus=2)");
    scene_free(&sc);
}

static void test_several_values_and_keys(void)
{
    struct scene sc = scene_new();

    scene_add(&sc, OBJECT_RESOURCE, "switch", "type=13 flag=131087");
    scene_add(&sc, OBJECT_RESOURCE, "rack", "type=13 flag=131087");
    scene_add(&sc, OBJECT_SERVER, "svr",
              "node_group_enable=True node_group_key=switch,rack");
    scene_vnode(&sc, "n1", "n1", 2,
                "resources_available.switch=A resources_available.rack=x");
    scene_vnode(&sc, "n2", "n2", 2,
                "resources_available.switch=A,B resources_available.rack=y");
    scene_vnode(&sc, "n3", "n3", 2,
                "resources_available.switch=B resources_available.rack=x");
    scene_vnode(&sc, "n4", "n4", 2,
                "resources_available.switch=C resources_available.rack=x");
    scene_queue(&sc, "workq", true);
    scene_job(&sc, "1.svr", "workq", "1:ncpus=2", "");
    scene_job(&sc, "2.svr", "workq", "2:ncpus=2", "");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", "(n2:ncpus=2)"); /* rack=y, as small as switch=C */
    ASSERT_SAID(&sc, "2.svr", "(n1:ncpus=2)+(n3:ncpus=2)"); /* rack=x has room */
    scene_free(&sc);
}

/* A degraded reservation gets its new vnode where the others are. */
static void test_replacement_in_the_same_set(void)
{
    struct scene sc = scene_with("", "ABAB");

    scene_vnode(&sc, "n5", "n5", 2, "resources_available.switch=A state=down");
    scene_resv(&sc, 1, "reserve_state=5 reserve_substate=10 reserve_retry=999999",
               NOW - 5, NOW + 200, "2:ncpus=2",
               GROUP " resv_nodes=(n3:ncpus=2)+(n5:ncpus=2)");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", "(n3:ncpus=2)+(n1:ncpus=2)");
    scene_free(&sc);

    sc = scene_with("", "BBA");
    scene_vnode(&sc, "n4", "n4", 2, "resources_available.switch=A state=down");
    scene_resv(&sc, 1, "reserve_state=5 reserve_substate=10 reserve_retry=999999",
               NOW - 5, NOW + 200, "2:ncpus=2",
               GROUP " resv_nodes=(n3:ncpus=2)+(n4:ncpus=2)");
    scene_plan(
        &sc); /* no set that has n3 could hold it: any vnode is better than none */
    ASSERT_SAID(&sc, "R1.svr", "(n3:ncpus=2)+(n1:ncpus=2)");
    scene_free(&sc);
}

/* A plan whose notes tell of sets, or not. */
static void plan_with_notes(struct scene *sc, bool tells_sets)
{
    const struct sched_look look = { .tells_sets = tells_sets };
    struct planning *p =
        planning_new(sc->snapshot, sc->policy, NOW, &look, sc->arena, &sc->plan);

    while (planning_go_on(p, PLANNING_EFFORT))
        continue;
    planning_free(p);
}

static void check_notes(const struct scene *sc, const char *id,
                        const char *const *expected)
{
    const struct plan_step *step = scene_step(sc, id);
    size_t n = 0;

    CU_ASSERT_FATAL(step != NULL);
    for (; expected[n]; n++) {
        CU_ASSERT_FATAL(n < step->n_notes);
        CU_ASSERT_STRING_EQUAL(step->notes[n].text, expected[n]);
        CU_ASSERT_STRING_EQUAL(step->notes[n].job_id, id);
        CU_ASSERT_EQUAL(step->notes[n].event, LOG_EV_DEBUG3);
    }
    CU_ASSERT_EQUAL(step->n_notes, n);
}

#define TRIED(set)        "Evaluating placement set: switch=" set
#define SMALL(set, r_a_t) "Placement set switch=" set " is too small: " r_a_t
#define CPUS(numbers)     "Insufficient amount of resource: ncpus (" numbers ")"

/* Of two switches, one with one vnode. */
static void test_what_is_told_of_sets(void)
{
    static const struct {
        const char *story, *select, *running;
        const char *notes[6];
    } cases[] = {
        { "the first set has room", "1:ncpus=2", NULL, { TRIED("A") } },
        { "one that is too small is passed over",
          "2:ncpus=2",
          NULL,
          { TRIED("A"), SMALL("A", CPUS("R: 4 A: 2 T: 2")), TRIED("B") } },
        { "one that is in use is not called small",
          "1:ncpus=2",
          "(n1:ncpus=2)",
          { TRIED("A"), TRIED("B") } },
        { "all are too small",
          "3:ncpus=2",
          NULL,
          { TRIED("A"), SMALL("A", CPUS("R: 6 A: 2 T: 2")), TRIED("B"),
            SMALL("B", CPUS("R: 6 A: 4 T: 4")),
            "Request won't fit into any placement sets, will use all nodes" } },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        static const char *const nothing[] = { NULL };
        struct scene sc = scene_with(enabled, "ABB");
        char more[128];

        snprintf(more, sizeof(more), "job_state=R substate=42 exec_vnode=%s stime=1000",
                 cases[i].running ? cases[i].running : "");
        if (cases[i].running)
            scene_job(&sc, "1.svr", "workq", "1:ncpus=2", more);
        scene_job(&sc, "2.svr", "workq", cases[i].select, "");
        plan_with_notes(&sc, true);
        check_notes(&sc, "2.svr", cases[i].notes);
        sc.plan = (struct plan){ 0 };
        plan_with_notes(&sc, false);
        check_notes(&sc, "2.svr", nothing);
        scene_free(&sc);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the smallest set is tried first", test_smallest_set_first },
        { "of equal sets the fuller one is first", test_fuller_set_first },
        { "a set that could hold the job is waited for", test_waits_for_a_set },
        { "a job spans sets when none could ever hold it",
          test_spans_when_none_is_large_enough },
        { "unless the site forbids it", test_may_not_span },
        { "vnodes without the resource are a set", test_vnodes_without_the_resource },
        { "a queue may have a key of its own", test_queue_has_its_own_key },
        { "sets are off unless the server turns them on", test_off_unless_enabled },
        { "place=group makes sets for one request", test_place_group },
        { "several keys, several values", test_several_values_and_keys },
        { "what is told of the sets that are tried", test_what_is_told_of_sets },
        { "a replacement stays in the set", test_replacement_in_the_same_set },
    };

    return unit_main("scheduler/placement_sets", cases, COUNT(cases));
}
