/* test_model.c - the model: links and sums follow the attributes, and a model rebuilt
 * from them equals the live one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "one_record.h"
#include "test/unit/unit.h"

#include "server/model/history.h"
#include "server/model/job_array.h"
#include "server/model/model.h"

#include <stdarg.h>
#include <string.h>

static struct model *m;
static struct arena *arena;
static uint64_t seq;

static void begin(void)
{
    m = model_new("svr");
    arena = arena_new();
    seq = 0;
}

static bool is_rebuilt_the_same(void)
{
    struct model *copy = model_rebuild(m);
    struct buf why = { 0 };
    bool same = model_same(m, copy, &why);

    if (!same)
        printf("models differ: %s\n", why.data);
    buf_fini(&why);
    model_free(copy);
    return same;
}

static void end(void)
{
    CU_ASSERT(is_rebuilt_the_same());
    model_free(m);
    arena_free(arena);
}

/* One record; its changes as in one_record.h. */
static void apply(enum fact fact, enum obj_kind kind, const char *id, ...)
{
    struct record *rec;
    va_list ap;

    va_start(ap, id);
    rec = one_record(arena, fact, kind, id, ap);
    va_end(ap);
    rec->seq = ++seq;
    model_apply(m, rec);
    model_check(m);
}

static void make_nodes(void)
{
    apply(FACT_CREATED, OBJ_NODE, "n1", "Mom", "h", "resources_available.ncpus", "4",
          NULL);
    apply(FACT_CREATED, OBJ_NODE, "n2", "Mom", "h", "resources_available.ncpus", "4",
          NULL);
    apply(FACT_CREATED, OBJ_QUEUE, "workq", "queue_type", "Execution", NULL);
}

static int64_t ncpus_of(const char *node)
{
    return resources_amount(&model_node(m, node)->assigned.shown, "ncpus", 0);
}

static void make_resv(const char *id, const char *queue, const char *nodes)
{
    apply(FACT_RESV_SUBMITTED, OBJ_RESV, id, "reserve_state", "1",
          "Resource_List.ncpus", "4", NULL);
    apply(FACT_CREATED, OBJ_QUEUE, queue, "queue_type", "Execution", NULL);
    apply(FACT_RESV_CONFIRMED, OBJ_RESV, id, "reserve_state", "2", "resv_nodes", nodes,
          NULL);
}

static void test_reservations_are_found_by_any_spelling(void)
{
    static const char *const good[] = { "R7.svr", "R7", "S7.svr", "r7.other",
                                        "R7.svr,R8.svr" };
    static const char *const bad[] = {
        "7", "R77.svr", "", "R", "R7x.svr", "S7[0].svr"
    };

    begin();
    make_nodes();
    make_resv("R7.svr", "R7", "(n1:ncpus=2)");
    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        CU_ASSERT_PTR_NOT_NULL(model_resv(m, good[i]));
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        CU_ASSERT_PTR_NULL(model_resv(m, bad[i]));
    end();
}

static void test_running_reservations_are_on_the_books(void)
{
    const struct resv *r;

    begin();
    make_nodes();
    make_resv("R1.svr", "R1", "(n1:ncpus=2+n2:ncpus=1)+(n1:ncpus=1)");
    r = model_resv(m, "R1");
    CU_ASSERT_PTR_EQUAL(r->queue, model_queue(m, "R1"));
    CU_ASSERT_PTR_EQUAL(model_queue(m, "R1")->resv, r);
    CU_ASSERT_EQUAL(r->current.bookings.n, 2);
    CU_ASSERT_EQUAL(model_node(m, "n1")->n_occurrences, 1);
    CU_ASSERT_EQUAL(ncpus_of("n1"), 0);
    apply(FACT_RESV_STARTED, OBJ_RESV, "R1.svr", "reserve_state", "5", NULL);
    CU_ASSERT_EQUAL(ncpus_of("n1"), 3);
    CU_ASSERT_EQUAL(ncpus_of("n2"), 1);
    CU_ASSERT_EQUAL(resources_amount(&m->assigned.shown, "ncpus", 0), 4);
    apply(FACT_RESV_RECONFIRMED, OBJ_RESV, "R1.svr", "resv_nodes",
          "(n2:ncpus=2)+(n2:ncpus=2)", NULL);
    CU_ASSERT_EQUAL(ncpus_of("n1"), 0);
    CU_ASSERT_EQUAL(model_node(m, "n1")->n_occurrences, 0);
    CU_ASSERT_EQUAL(ncpus_of("n2"), 4);
    apply(FACT_RESV_ENDING, OBJ_RESV, "R1.svr", "reserve_state", "7", NULL);
    CU_ASSERT_EQUAL(ncpus_of("n2"), 4);
    apply(FACT_DELETED, OBJ_QUEUE, "R1", NULL);
    apply(FACT_RESV_GONE, OBJ_RESV, "R1.svr", NULL);
    CU_ASSERT_PTR_NULL(model_resv(m, "R1.svr"));
    CU_ASSERT_PTR_NOT_NULL_FATAL(m->gone);
    CU_ASSERT_STRING_EQUAL(m->gone->id, "R1.svr");
    CU_ASSERT_EQUAL(ncpus_of("n2"), 0);
    CU_ASSERT_EQUAL(resources_amount(&m->assigned.shown, "ncpus", 0), 0);
    end();
}

static void run_job(const char *id, const char *queue, const char *nodes)
{
    apply(FACT_JOB_QUEUED, OBJ_JOB, id, "job_state", "Q", "queue", queue,
          "Resource_List.ncpus", "1", NULL);
    apply(FACT_JOB_RUN, OBJ_JOB, id, "job_state", "R", "exec_vnode", nodes, NULL);
}

static void test_jobs_inside_count_in_their_queue_only(void)
{
    begin();
    make_nodes();
    make_resv("R1.svr", "R1", "(n1:ncpus=4)");
    apply(FACT_RESV_STARTED, OBJ_RESV, "R1.svr", "reserve_state", "5", NULL);
    run_job("2.svr", "R1", "(n1:ncpus=1)");
    run_job("3.svr", "workq", "(n2:ncpus=1)");
    CU_ASSERT_EQUAL(ncpus_of("n1"), 4);
    CU_ASSERT_EQUAL(ncpus_of("n2"), 1);
    CU_ASSERT_EQUAL(resources_amount(&m->assigned.shown, "ncpus", 0), 5);
    CU_ASSERT_EQUAL(resources_amount(&model_queue(m, "R1")->assigned.shown, "ncpus", 0),
                    1);
    CU_ASSERT_EQUAL(model_node(m, "n1")->n_jobs, 1);
    CU_ASSERT_PTR_EQUAL(model_job(m, "2.svr")->resv, model_resv(m, "R1"));
    CU_ASSERT_PTR_NULL(model_job(m, "3.svr")->resv);
    CU_ASSERT_EQUAL(model_queue(m, "R1")->n_state[job_state_index('R')], 1);
    apply(FACT_JOB_ENDED, OBJ_JOB, "2.svr", NULL);
    apply(FACT_JOB_REQUEUED, OBJ_JOB, "3.svr", "job_state", "Q", "exec_vnode", "",
          NULL);
    CU_ASSERT_EQUAL(ncpus_of("n1"), 4);
    CU_ASSERT_EQUAL(ncpus_of("n2"), 0);
    CU_ASSERT_EQUAL(model_queue(m, "R1")->n_jobs, 0);
    CU_ASSERT_EQUAL(resources_amount(&m->assigned.shown, "ncpus", 0), 4);
    end();
}

/* It goes before its queue and the jobs in it, whether it runs or not: what runs counts
 * at its vnodes from then on, and not any more when the reservation is there again. */
static void test_jobs_are_outside_when_their_reservation_goes(void)
{
    for (int runs = 0; runs < 2; runs++) {
        begin();
        make_nodes();
        make_resv("R1.svr", "R1", "(n1:ncpus=4)");
        if (runs)
            apply(FACT_RESV_STARTED, OBJ_RESV, "R1.svr", "reserve_state", "5", NULL);
        run_job("2.svr", "R1", "(n1:ncpus=1)");
        apply(FACT_JOB_QUEUED, OBJ_JOB, "3.svr", "job_state", "Q", "queue", "R1", NULL);
        CU_ASSERT_PTR_EQUAL(model_job(m, "3.svr")->resv, model_resv(m, "R1"));
        CU_ASSERT_EQUAL(ncpus_of("n1"), runs ? 4 : 1);
        apply(FACT_RESV_GONE, OBJ_RESV, "R1.svr", NULL);
        CU_ASSERT_PTR_NULL(model_queue(m, "R1")->resv);
        CU_ASSERT_PTR_NULL(model_queue(m, "R1")->jobs_resv);
        CU_ASSERT_PTR_NULL(model_job(m, "2.svr")->resv);
        CU_ASSERT_PTR_NULL(model_job(m, "3.svr")->resv);
        CU_ASSERT_TRUE(model_job(m, "2.svr")->counted_in_vnodes);
        CU_ASSERT_FALSE(model_job(m, "3.svr")->counted_in_vnodes);
        CU_ASSERT_EQUAL(ncpus_of("n1"), 1);
        CU_ASSERT_EQUAL(model_node(m, "n1")->n_occurrences, 0);
        CU_ASSERT_EQUAL(model_node(m, "n1")->n_jobs, 1);
        CU_ASSERT_EQUAL(resources_amount(&m->assigned.shown, "ncpus", 0), 1);
        CU_ASSERT_EQUAL(model_queue(m, "R1")->n_jobs, 2);
        apply(FACT_RESV_SUBMITTED, OBJ_RESV, "R1.svr", "reserve_state", "5",
              "Resource_List.ncpus", "4", "resv_nodes", "(n1:ncpus=4)", NULL);
        CU_ASSERT_PTR_EQUAL(model_job(m, "2.svr")->resv, model_resv(m, "R1"));
        CU_ASSERT_EQUAL(ncpus_of("n1"), 4);
        apply(FACT_JOB_ENDED, OBJ_JOB, "2.svr", NULL);
        apply(FACT_JOB_DELETED, OBJ_JOB, "3.svr", NULL);
        end();
    }
}

static void test_jobs_keep_their_order_when_they_move(void)
{
    const struct queue *q2;
    const struct job *j;

    begin();
    make_nodes();
    apply(FACT_CREATED, OBJ_QUEUE, "q2", NULL);
    apply(FACT_JOB_QUEUED, OBJ_JOB, "1.svr", "job_state", "Q", "queue", "workq", NULL);
    apply(FACT_JOB_QUEUED, OBJ_JOB, "2.svr", "job_state", "Q", "queue", "q2", NULL);
    apply(FACT_JOB_QUEUED, OBJ_JOB, "3.svr", "job_state", "H", "queue", "q2", NULL);
    apply(FACT_JOB_MODIFIED, OBJ_JOB, "1.svr", "queue", "q2", NULL);
    q2 = model_queue(m, "q2");
    j = queue_job_behind(q2, RANK_PLACE_FIRST);
    CU_ASSERT_STRING_EQUAL(j->obj.id, "1.svr");
    CU_ASSERT_STRING_EQUAL(queue_job_behind(q2, j->in_queue.place)->obj.id, "2.svr");
    CU_ASSERT_EQUAL(model_queue(m, "q2")->n_jobs, 3);
    CU_ASSERT_EQUAL(model_queue(m, "workq")->n_jobs, 0);
    CU_ASSERT_EQUAL(m->n_state[job_state_index('Q')], 2);
    CU_ASSERT_EQUAL(m->n_state[job_state_index('H')], 1);
    end();
}

static void test_history_outlives_its_queue(void)
{
    begin();
    make_nodes();
    apply(FACT_CREATED, OBJ_QUEUE, "q2", NULL);
    apply(FACT_JOB_QUEUED, OBJ_JOB, "1.svr", "job_state", "Q", "queue", "q2", NULL);
    apply(FACT_JOB_MODIFIED, OBJ_JOB, "1.svr", "job_state", "F", NULL);
    CU_ASSERT_EQUAL(model_queue(m, "q2")->n_jobs, 0);
    apply(FACT_DELETED, OBJ_QUEUE, "q2", NULL);
    CU_ASSERT_PTR_NULL(model_job(m, "1.svr")->queue);
    apply(FACT_CREATED, OBJ_QUEUE, "q2", NULL);
    /* It is in no queue, and the queue of its name knows how many there were. */
    CU_ASSERT_PTR_NULL(model_job(m, "1.svr")->queue);
    CU_ASSERT_EQUAL(history_of_queue(m, "q2"), 1);
    CU_ASSERT_EQUAL(m->n_orphans, 0);
    apply(FACT_JOB_FORGOTTEN, OBJ_JOB, "1.svr", NULL);
    CU_ASSERT_EQUAL(history_of_queue(m, "q2"), 0);
    end();
}

static void test_hosts_are_known_by_their_vnodes(void)
{
    begin();
    make_nodes();
    apply(FACT_CREATED, OBJ_NODE, "x", "Mom", "other", NULL);
    CU_ASSERT_EQUAL(model_host(m, "h")->n, 2);
    CU_ASSERT_EQUAL(model_host(m, "other")->n, 1);
    apply(FACT_DELETED, OBJ_NODE, "x", NULL);
    CU_ASSERT_PTR_NULL(model_host(m, "other"));
    end();
}

static void test_facts_have_names(void)
{
    for (int f = 0; f < FACT_COUNT; f++) {
        CU_ASSERT_PTR_NOT_NULL_FATAL(fact_name((enum fact)f));
        CU_ASSERT_EQUAL(fact_find(fact_name((enum fact)f)), (enum fact)f);
        CU_ASSERT(!(fact_creates((enum fact)f) && fact_removes((enum fact)f)));
    }
    CU_ASSERT_EQUAL(fact_find("nonsense"), FACT_COUNT);
    for (int k = 0; k < OBJ_KIND_COUNT; k++)
        CU_ASSERT_EQUAL(kind_find(kind_name((enum obj_kind)k)), (enum obj_kind)k);
}

/* The journal keeps the words of a reason where the record has none of its own. */
static void test_reasons_have_words(void)
{
    struct record rec = { .reason = REASON_NONE };

    CU_ASSERT_PTR_NULL(record_words(&rec));
    for (int reason = REASON_NONE + 1; reason < REASON_COUNT; reason++) {
        rec.reason = (enum reason)reason;
        rec.note = NULL;
        CU_ASSERT_PTR_NOT_NULL_FATAL(record_words(&rec));
        CU_ASSERT_TRUE(*record_words(&rec) != '\0');
        rec.note = "own";
        CU_ASSERT_STRING_EQUAL(record_words(&rec), "own");
    }
    CU_ASSERT_EQUAL(reason_code(REASON_MOM_MISSING), 15070);
    CU_ASSERT_EQUAL(reason_code(REASON_MOM_REFUSED), 15041);
    CU_ASSERT_EQUAL(reason_code(REASON_RERUN), 0);
}

static void test_a_difference_is_told(void)
{
    struct model *other;
    struct buf why = { 0 };

    begin();
    make_nodes();
    other = model_rebuild(m);
    apply(FACT_SET, OBJ_NODE, "n1", "comment", "x", NULL);
    CU_ASSERT_FALSE(model_same(m, other, &why));
    CU_ASSERT_STRING_EQUAL(why.data, "node n1: comment");
    buf_fini(&why);
    model_free(other);
    end();
}

/* A user may ask for any number, of a resource that no vnode has, too. */
static void test_largest_amounts_leave_the_sums_of_others_right(void)
{
    begin();
    make_nodes();
    apply(FACT_JOB_QUEUED, OBJ_JOB, "1.svr", "job_state", "Q", "queue", "workq",
          "Resource_List.hpm", "5", NULL);
    apply(FACT_JOB_QUEUED, OBJ_JOB, "2.svr", "job_state", "Q", "queue", "workq",
          "Resource_List.hpm", "9223372036854775807", "Resource_List.vmem",
          "18446744073709551615tb", NULL);
    apply(FACT_JOB_QUEUED, OBJ_JOB, "3.svr", "job_state", "Q", "queue", "workq",
          "Resource_List.vmem", "1gb", NULL);
    for (int i = 3; i >= 1; i--)
        apply(FACT_JOB_RUN, OBJ_JOB, arena_printf(arena, "%d.svr", i), "job_state", "R",
              "exec_vnode", "(n1:ncpus=1)", NULL);
    CU_ASSERT_EQUAL(resources_amount(&m->assigned.shown, "hpm", 0), INT64_MAX);
    apply(FACT_JOB_ENDED, OBJ_JOB, "2.svr", NULL);
    CU_ASSERT_EQUAL(resources_amount(&m->assigned.shown, "hpm", 0), 5);
    CU_ASSERT_EQUAL(resources_amount(&m->assigned.shown, "vmem", 0), 1024 * 1024);
    CU_ASSERT_EQUAL(
        resources_amount(&model_queue(m, "workq")->assigned.shown, "hpm", 0), 5);
    apply(FACT_JOB_ENDED, OBJ_JOB, "1.svr", NULL);
    CU_ASSERT_EQUAL(resources_amount(&m->assigned.shown, "hpm", 0), 0);
    end();
}

static const char *next_past(const char *id)
{
    const struct job *after = id ? model_job(m, id) : NULL;
    const struct job *j = history_next(&m->history.kept, after);

    return j ? j->obj.id : "none";
}

/* Whatever order they end in, and whoever has waited for one of them meanwhile. */
static void test_history_has_the_order_of_its_ends(void)
{
    begin();
    make_nodes();
    for (int i = 1; i <= 4; i++)
        apply(FACT_JOB_QUEUED, OBJ_JOB, arena_printf(arena, "%d.svr", i), "job_state",
              "Q", "queue", "workq", NULL);
    apply(FACT_JOB_QUEUED, OBJ_JOB, "5.svr", "job_state", "H", "queue", "workq",
          "depend", "afterany:2.svr@svr", NULL);
    apply(FACT_JOB_FINISHED, OBJ_JOB, "3.svr", "job_state", "F", "history_timestamp",
          "100", NULL);
    apply(FACT_JOB_FINISHED, OBJ_JOB, "2.svr", "job_state", "F", "history_timestamp",
          "200", NULL);
    apply(FACT_JOB_FINISHED, OBJ_JOB, "4.svr", "job_state", "F", "history_timestamp",
          "300", NULL);
    /* The clock was set back. */
    apply(FACT_JOB_FINISHED, OBJ_JOB, "1.svr", "job_state", "F", "history_timestamp",
          "150", NULL);
    CU_ASSERT_STRING_EQUAL(next_past(NULL), "3.svr");
    CU_ASSERT_STRING_EQUAL(next_past("3.svr"), "1.svr");
    CU_ASSERT_STRING_EQUAL(next_past("1.svr"), "4.svr");
    CU_ASSERT_STRING_EQUAL(next_past("4.svr"), "none");
    apply(FACT_JOB_ENDED, OBJ_JOB, "5.svr", NULL);
    CU_ASSERT_STRING_EQUAL(next_past("1.svr"), "2.svr");
    CU_ASSERT_STRING_EQUAL(next_past("2.svr"), "4.svr");
    end();
}

/* "7[1-3].svr" names indices of 7[].svr; what names the array itself, or no array, does
 * not. */
static void test_indices_are_those_of_an_array(void)
{
    static const struct {
        const char *id, *array, *list;
    } rows[] = {
        { "7[3].svr", "7[].svr", "3" }, { "7[1-3,5].svr", "7[].svr", "1-3,5" },
        { "7[x].svr", "7[].svr", "x" }, /* who reads the list refuses it */
        { "7[].svr", NULL, NULL },      { "7.svr", NULL, NULL },
        { "7[3", NULL, NULL },          { "7]3[.svr", NULL, NULL },
        { "8[3].svr", NULL, NULL },     { "7[3].other", NULL, NULL },
        { "9[3].svr", NULL, NULL },
    };

    begin();
    make_nodes();
    apply(FACT_JOB_QUEUED, OBJ_JOB, "7[].svr", "job_state", "Q", "queue", "workq",
          "array", "True", "array_indices_submitted", "1-5", NULL);
    /* It has the name of an array and is none: it came from a stranger. */
    apply(FACT_JOB_QUEUED, OBJ_JOB, "9[].svr", "job_state", "Q", "queue", "workq",
          NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *list = NULL;
        const struct job *array = array_of_indices(m, rows[i].id, arena, &list);

        CU_ASSERT_EQUAL(array != NULL, rows[i].array != NULL);
        if (array && rows[i].array) {
            CU_ASSERT_STRING_EQUAL(array->obj.id, rows[i].array);
            CU_ASSERT_STRING_EQUAL(list, rows[i].list);
        }
    }
    end();
}

static const struct unit_case cases[] = {
    { "the largest amounts leave the sums of others right",
      test_largest_amounts_leave_the_sums_of_others_right },
    { "reservations are found by any spelling",
      test_reservations_are_found_by_any_spelling },
    { "running reservations are on the books",
      test_running_reservations_are_on_the_books },
    { "jobs inside count in their queue only",
      test_jobs_inside_count_in_their_queue_only },
    { "jobs are outside when their reservation goes",
      test_jobs_are_outside_when_their_reservation_goes },
    { "jobs keep their order when they move",
      test_jobs_keep_their_order_when_they_move },
    { "history outlives its queue", test_history_outlives_its_queue },
    { "history has the order of its ends", test_history_has_the_order_of_its_ends },
    { "indices are those of an array", test_indices_are_those_of_an_array },
    { "hosts are known by their vnodes", test_hosts_are_known_by_their_vnodes },
    { "every fact has a name", test_facts_have_names },
    { "every reason has its words", test_reasons_have_words },
    { "a difference is told", test_a_difference_is_told },
};

int main(void)
{
    return unit_main("server model", cases, ARRAY_LEN(cases));
}
