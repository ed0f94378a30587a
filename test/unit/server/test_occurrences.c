/* test_occurrences.c - a series with several occurrences in the model: each has its own
 * window and vnodes, and all of it is made again from what is stored.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "one_record.h"
#include "test/unit/unit.h"

#include "server/decide/config.h"
#include "server/engine/listing.h"
#include "server/model/claims_over.h"
#include "server/model/occurrence.h"
#include "server/model/resv_claims.h"
#include "server/model/resv_fit.h"
#include "server/model/resv_oversub.h"

#include <stdarg.h>
#include <string.h>

static struct model *m;
static struct arena *arena;
static uint64_t seq;

/* One record; its changes as in one_record.h. The model is checked against one that is
 * made anew each time. */
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

static void make_later(const char *id, const char *index, const char *start_at,
                       const char *end_at, const char *vnodes)
{
    apply(FACT_CREATED, OBJ_OCCURRENCE, id, "reserve_index", index, "reserve_start",
          start_at, "reserve_end", end_at, "resv_nodes", vnodes, "reserve_state", "2",
          "reserve_substate", "2", NULL);
}

static void make_series(void)
{
    apply(FACT_RESV_SUBMITTED, OBJ_RESV, "S5.svr", "reserve_state", "2",
          "reserve_substate", "2", "reserve_start", "100", "reserve_end", "150",
          "reserve_index", "1", "reserve_count", "4", "resv_nodes", "(n1:ncpus=4)",
          "Resource_List.ncpus", "4", NULL);
}

/* S5 from 100, 200, 300 and 400 on, for 50 seconds; the third one is elsewhere. */
static void begin(void)
{
    m = model_new("svr");
    arena = arena_new();
    seq = 0;
    apply(FACT_CREATED, OBJ_NODE, "n1", "Mom", "h", "resources_available.ncpus", "4",
          "hf_state", "0", NULL);
    apply(FACT_CREATED, OBJ_NODE, "n2", "Mom", "h", "resources_available.ncpus", "4",
          "hf_state", "0", NULL);
    make_series();
    make_later("S5[2].svr", "2", "200", "250", "(n1:ncpus=3)");
    make_later("S5[3].svr", "3", "300", "350", "(n2:ncpus=2)+(n2:ncpus=1)");
    make_later("S5[4].svr", "4", "400", "450", "(n1:ncpus=1)");
}

static void end(void)
{
    model_check(m);
    model_free(m);
    arena_free(arena);
}

static const struct occurrence *find(const char *id)
{
    const struct occurrence *oc = occurrence_find(m, id);

    CU_ASSERT_PTR_NOT_NULL_FATAL(oc);
    return oc;
}

static struct claims claims(const char *node, const struct occurrence *own,
                            int64_t start_at, int64_t end_at)
{
    struct window window = { .start_at = start_at, .end_at = end_at };

    return claims_on(model_node(m, node), own, window, 50, arena);
}

static void test_claims_have_their_own_window_and_vnodes(void)
{
    struct claims list;

    begin();
    list = claims("n1", NULL, 0, 1000);
    CU_ASSERT_EQUAL_FATAL(list.n, 3);
    CU_ASSERT_PTR_EQUAL(list.v[0].occurrence, &model_resv(m, "S5")->current);
    CU_ASSERT_EQUAL(claims_at(&list, "ncpus", 99), 0);
    CU_ASSERT_EQUAL(claims_at(&list, "ncpus", 100), 4);
    CU_ASSERT_EQUAL(claims_at(&list, "ncpus", 150), 0);
    CU_ASSERT_EQUAL(claims_at(&list, "ncpus", 249), 3);
    CU_ASSERT_EQUAL(claims_at(&list, "ncpus", 300), 0);
    CU_ASSERT_EQUAL(claims_at(&list, "ncpus", 400), 1);
    list = claims("n2", NULL, 0, 1000);
    CU_ASSERT_EQUAL(list.n, 1);
    CU_ASSERT_EQUAL(claims_at(&list, "ncpus", 300), 3);
    list = claims("n1", find("S5[2]"), 120, 260);
    CU_ASSERT_EQUAL_FATAL(list.n, 1);
    CU_ASSERT_EQUAL(list.v[0].start_at, 100);
    end();
}

static bool fits(const char *id, int64_t start_at, int64_t end_at, const char *vnodes)
{
    struct exec_vnode ev;
    struct resv_offer offer = { .occurrence = find(id),
                                .vnodes = &ev,
                                .start_at = start_at,
                                .end_at = end_at,
                                .now_at = 50 };
    const char *why;

    CU_ASSERT_EQUAL_FATAL(exec_vnode_parse(vnodes, m->defs, arena, &ev, NULL), 0);
    return resv_fit(m, &offer, arena, &why);
}

static void test_occurrences_of_a_series_do_not_share_a_vnode(void)
{
    begin();
    /* In its own window the second one is in nobody's way. */
    CU_ASSERT_TRUE(fits("S5[2]", 200, 250, "(n1:ncpus=4)"));
    CU_ASSERT_TRUE(fits("S5[2]", 150, 200, "(n1:ncpus=4)"));
    /* One second earlier the first one is still there, with all of the vnode. */
    CU_ASSERT_FALSE(fits("S5[2]", 149, 200, "(n1:ncpus=1)"));
    CU_ASSERT_TRUE(fits("S5[2]", 149, 200, "(n2:ncpus=4)"));
    /* The third one has left one of four. */
    CU_ASSERT_TRUE(fits("S5[2]", 300, 350, "(n2:ncpus=1)"));
    CU_ASSERT_FALSE(fits("S5[2]", 300, 350, "(n2:ncpus=2)"));
    /* The current one is judged against those that come later. */
    CU_ASSERT_TRUE(fits("S5[1]", 100, 200, "(n1:ncpus=4)"));
    CU_ASSERT_FALSE(fits("S5[1]", 100, 201, "(n1:ncpus=4)"));
    end();
}

static void test_oversubscription_names_the_occurrence(void)
{
    struct oversub found;

    begin();
    apply(FACT_RESV_SUBMITTED, OBJ_RESV, "R9.svr", "reserve_state", "2",
          "reserve_substate", "2", "reserve_start", "140", "reserve_end", "220",
          "resv_nodes", "(n1:ncpus=2)", "Resource_List.ncpus", "2", NULL);
    found = resv_oversub(m, &model_resv(m, "R9")->current, 50, arena);
    CU_ASSERT_EQUAL(found.n_jobs, 0);
    CU_ASSERT_STRING_EQUAL(oversub_text(found.resvs, found.n_resvs, arena),
                           "S5[1].svr,S5[2].svr");
    found = resv_oversub(m, find("S5[2]"), 50, arena);
    CU_ASSERT_STRING_EQUAL(oversub_text(found.resvs, found.n_resvs, arena), "R9.svr");
    found = resv_oversub(m, find("S5[4]"), 50, arena);
    CU_ASSERT_EQUAL(found.n_resvs, 0);
    end();
}

/* Each row claims, of what is left, amounts during spans of time. */
static void test_when_too_much_is_claimed(void)
{
    static const struct over_row {
        struct {
            int64_t start_at, end_at, amount;
        } claims[3];
        int64_t left;
        struct window window, spans[2];
        size_t n;
    } rows[] = {
        { { { 0, 10, 4 } }, 4, { 0, 100 }, { { 0 } }, 0 },
        { { { 0, 10, 5 } }, 4, { 0, 100 }, { { 0, 10 } }, 1 },
        /* One ends when the other begins. */
        { { { 0, 10, 3 }, { 10, 20, 3 } }, 4, { 0, 100 }, { { 0 } }, 0 },
        { { { 0, 11, 3 }, { 10, 20, 3 } }, 4, { 0, 100 }, { { 10, 11 } }, 1 },
        /* Two spans, the first cut by the window. */
        { { { 0, 10, 5 }, { 20, 30, 5 }, { 30, 40, 2 } },
          4,
          { 5, 100 },
          { { 5, 10 }, { 20, 30 } },
          2 },
        /* One span without a gap though the claims change. */
        { { { 0, 10, 5 }, { 10, 20, 6 } }, 4, { 0, 100 }, { { 0, 20 } }, 1 },
        /* Who asks would have too much alone. */
        { { { 10, 20, 1 } }, -2, { 0, 50 }, { { 10, 50 } }, 1 },
        /* Their sum leaves the range. */
        { { { 0, 9, INT64_MAX }, { 2, 8, INT64_MAX }, { 3, 4, INT64_MAX } },
          INT64_MAX,
          { 0, 50 },
          { { 2, 8 } },
          1 },
        { { { 60, 70, 9 } }, 4, { 0, 50 }, { { 0 } }, 0 },
    };

    begin();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct resource_def *def = resource_find(m->defs, "ncpus");
        struct resource_value values[3] = { 0 };
        struct resources amounts[3];
        struct claim v[3] = { 0 };
        struct claims list = { .n = 3, .v = v };
        struct spans spans;

        for (size_t k = 0; k < 3; k++) {
            values[k].def = def;
            values[k].value.set = true;
            values[k].value.u.num = rows[i].claims[k].amount;
            amounts[k] = (struct resources){ 1, &values[k] };
            v[k] = (struct claim){ .start_at = rows[i].claims[k].start_at,
                                   .end_at = rows[i].claims[k].end_at,
                                   .amount = &amounts[k] };
        }
        spans = claims_over(&list, "ncpus", rows[i].left, rows[i].window, arena);
        CU_ASSERT_EQUAL_FATAL(spans.n, rows[i].n);
        for (size_t k = 0; k < spans.n; k++) {
            CU_ASSERT_EQUAL(spans.v[k].start_at, rows[i].spans[k].start_at);
            CU_ASSERT_EQUAL(spans.v[k].end_at, rows[i].spans[k].end_at);
        }
    }
    end();
}

static void test_spans_are_met(void)
{
    struct window v[] = { { 10, 20 }, { 30, 40 }, { 50, 60 } };
    const struct spans spans = { .n = 3, .v = v };

    CU_ASSERT_FALSE(spans_meet(&spans, 0, 10));
    CU_ASSERT_TRUE(spans_meet(&spans, 0, 11));
    CU_ASSERT_TRUE(spans_meet(&spans, 19, 25));
    CU_ASSERT_FALSE(spans_meet(&spans, 20, 30));
    CU_ASSERT_TRUE(spans_meet(&spans, 20, 31));
    CU_ASSERT_TRUE(spans_meet(&spans, 59, 99));
    CU_ASSERT_FALSE(spans_meet(&spans, 60, 99));
    CU_ASSERT_FALSE(spans_meet(&(struct spans){ 0 }, 0, 99));
}

/* All occurrences of S5 have 4 by their Resource_List, whatever their vnodes are. */
static void test_oversubscription_at_the_server(void)
{
    struct oversub found;

    begin();
    apply(FACT_CREATED, OBJ_NODE, "n3", "Mom", "h", "resources_available.ncpus", "9",
          "hf_state", "0", NULL);
    apply(FACT_RESV_SUBMITTED, OBJ_RESV, "R9.svr", "reserve_state", "2",
          "reserve_substate", "2", "reserve_start", "140", "reserve_end", "320",
          "resv_nodes", "(n3:ncpus=2)", "Resource_List.ncpus", "2", NULL);
    found = resv_oversub(m, &model_resv(m, "R9")->current, 50, arena);
    CU_ASSERT_EQUAL(found.n_met, 0);
    apply(FACT_SET, OBJ_SERVER, "svr", "resources_available.ncpus", "6", NULL);
    found = resv_oversub(m, &model_resv(m, "R9")->current, 50, arena);
    CU_ASSERT_EQUAL(found.n_met, 0);
    apply(FACT_SET, OBJ_SERVER, "svr", "resources_available.ncpus", "5", NULL);
    found = resv_oversub(m, &model_resv(m, "R9")->current, 50, arena);
    CU_ASSERT_STRING_EQUAL(oversub_met_list(&found, arena),
                           "S5[1].svr on server resource ncpus from @140 to @150, "
                           "S5[2].svr on server resource ncpus from @200 to @250, "
                           "S5[3].svr on server resource ncpus from @300 to @320");
    found = resv_oversub(m, find("S5[3]"), 50, arena);
    CU_ASSERT_STRING_EQUAL(oversub_text(found.resvs, found.n_resvs, arena), "R9.svr");
    found = resv_oversub(m, find("S5[4]"), 50, arena);
    CU_ASSERT_EQUAL(found.n_met, 0);
    end();
}

/* Forty that have all of n2 at one time. */
static void make_crowd(void)
{
    for (int i = 10; i < 50; i++)
        apply(FACT_RESV_SUBMITTED, OBJ_RESV, arena_printf(arena, "R%d.svr", i),
              "reserve_state", "2", "reserve_substate", "2", "reserve_start", "500",
              "reserve_end", "600", "resv_nodes", "(n2:ncpus=4)", "Resource_List.ncpus",
              "4", NULL);
}

/* Three attributes say whom a reservation meets, and whether the reply may be kept
 * depends on it: that is worked out once. A listing takes as many turns as it costs,
 * however short the texts are. */
static void test_oversubscription_is_worked_out_once_for_a_look(void)
{
    static const struct svr_config cfg = { .server_name = "svr" };
    static const struct body_status body = { .id = "" };
    static const struct wire_request wire = { .number = BATCH_STATUS_RESV,
                                              .body = &body };
    static const struct requester who = {
        .user = "x", .host = "y", .rights = WHO_USER, .conn = 3
    };
    const struct asked all = { .all = true };
    struct listings t;
    struct listing *l;
    struct request rq;
    size_t n = 0, turns = 0;
    bool made;

    begin();
    make_crowd();
    rq = (struct request){ .wire = &wire,
                           .body = &body,
                           .who = &who,
                           .actor = "x@y",
                           .now_at = 50,
                           .arena = arena,
                           .cfg = &cfg };
    listings_init(&t);
    shown_release(t.shown, shown_get(t.shown, m, &rq, &all, &model_resv(m, "R11")->obj,
                                     &made, &n));
    CU_ASSERT_EQUAL(n, 1 + 39); /* the vnode, and who else is there */
    l = listing_new(&t, m, &rq);
    for (; listing_is_gathering(l); turns++)
        listing_gather(&t, l, 50, 4096);
    CU_ASSERT(turns > (40 * 39 * 16 + listing_part_bytes(l)) / 4096 / 2);
    CU_ASSERT(turns > 1 + listing_part_bytes(l) / 4096);
    listings_fini(&t);
    end();
}

/* The order on a vnode is that of the series, whatever the order of creation. */
static void test_links_follow_one_occurrence(void)
{
    const struct node *n2;

    begin();
    n2 = model_node(m, "n2");
    apply(FACT_SET, OBJ_OCCURRENCE, "S5[4].svr", "resv_nodes", "(n2:ncpus=4)", NULL);
    apply(FACT_SET, OBJ_OCCURRENCE, "S5[2].svr", "resv_nodes", "(n2:ncpus=4)", NULL);
    CU_ASSERT_EQUAL(model_node(m, "n1")->n_occurrences, 1);
    CU_ASSERT_EQUAL_FATAL(n2->n_occurrences, 3);
    CU_ASSERT_PTR_EQUAL(n2->occurrences[0], find("S5[2]"));
    CU_ASSERT_PTR_EQUAL(n2->occurrences[2], find("S5[4]"));
    CU_ASSERT_EQUAL(find("S5[3]")->bookings.v[0].n_parts, 2);
    /* Only what runs is in the sums. */
    CU_ASSERT_EQUAL(resources_amount(&n2->assigned.shown, "ncpus", 0), 0);
    /* One that is deleted leaves the others their numbers. */
    apply(FACT_DELETED, OBJ_OCCURRENCE, "S5[3].svr", NULL);
    CU_ASSERT_EQUAL(model_resv(m, "S5")->n_later, 2);
    CU_ASSERT_PTR_NULL(occurrence_find(m, "S5[3]"));
    CU_ASSERT_PTR_EQUAL(find("S5[2]")->next, find("S5[4]"));
    make_later("S5[3].svr", "3", "300", "350", "(n1:ncpus=1)");
    CU_ASSERT_PTR_EQUAL(find("S5[2]")->next, find("S5[3]"));
    CU_ASSERT_PTR_EQUAL(find("S5[3]")->next, find("S5[4]"));
    end();
}

static void test_what_is_not_set_is_that_of_the_series(void)
{
    begin();
    CU_ASSERT_EQUAL(resources_amount(occurrence_resources(find("S5[2]")), "ncpus", 0),
                    4);
    apply(FACT_SET, OBJ_OCCURRENCE, "S5[2].svr", "Resource_List.ncpus", "3", NULL);
    CU_ASSERT_EQUAL(resources_amount(occurrence_resources(find("S5[2]")), "ncpus", 0),
                    3);
    CU_ASSERT_EQUAL(resources_amount(occurrence_resources(find("S5[4]")), "ncpus", 0),
                    4);
    end();
}

static void test_occurrences_are_found_by_their_number(void)
{
    static const char *const bad[] = {
        "S5",   "S5[0]", "S5[5]",  "S5[02]",   "S6[2]",
        "S5[]", "S5[2",  "S5[1]x", "S5[-1]",   "[1]",
        "",     "S5[1",  "S55[1]", "S5[1][2]", "S5[99999999999999999999999999]"
    };

    begin();
    CU_ASSERT_PTR_EQUAL(find("S5[1]"), &model_resv(m, "S5")->current);
    CU_ASSERT_PTR_EQUAL(find("R5[1].other"), find("S5[1].svr"));
    CU_ASSERT_EQUAL(occurrence_index(find("S5[3].svr")), 3);
    CU_ASSERT_EQUAL(occurrence_phase(find("S5[3]")), PHASE_CONFIRMED);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        CU_ASSERT_PTR_NULL(occurrence_find(m, bad[i]));
    end();
}

static void test_an_occurrence_without_its_series_books_nothing(void)
{
    begin();
    apply(FACT_RESV_GONE, OBJ_RESV, "S5.svr", NULL);
    CU_ASSERT_EQUAL(m->n_stray, 3);
    CU_ASSERT_EQUAL(model_node(m, "n1")->n_occurrences, 0);
    CU_ASSERT_PTR_NULL(occurrence_find(m, "S5[2]"));
    make_series();
    CU_ASSERT_EQUAL(m->n_stray, 0);
    CU_ASSERT_EQUAL(model_resv(m, "S5")->n_later, 3);
    CU_ASSERT_EQUAL(model_node(m, "n1")->n_occurrences, 3);
    end();
}

static void commit(struct record *rec)
{
    rec->seq = ++seq;
    model_apply(m, rec);
    model_check(m);
}

/* Two records: the later object goes, its values become those of the reservation. */
static void take_turn(const struct occurrence *later)
{
    struct records list = { 0 };
    struct record *gone = record_add(&list, arena, FACT_DELETED, OBJ_OCCURRENCE,
                                     arena_strdup(arena, later->values->id), "", 1);
    struct record *rec =
        record_add(&list, arena, FACT_SET, OBJ_RESV,
                   arena_strdup(arena, later->resv->obj.id), "root@svr", 1);

    occurrence_take_turn(later, arena, rec);
    commit(gone);
    commit(rec);
}

static void test_the_next_one_takes_its_turn(void)
{
    const struct resv *r;

    begin();
    r = model_resv(m, "S5");
    apply(FACT_SET, OBJ_RESV, "S5.svr", "reserve_retry", "77", NULL);
    apply(FACT_SET, OBJ_OCCURRENCE, "S5[3].svr", "Resource_List.ncpus", "3", NULL);
    take_turn(find("S5[2]"));
    CU_ASSERT_EQUAL(r->n_later, 2);
    CU_ASSERT_PTR_EQUAL(find("S5[2]"), &r->current);
    CU_ASSERT_PTR_NULL(occurrence_find(m, "S5[1]"));
    CU_ASSERT_EQUAL(occurrence_window(&r->current).start_at, 200);
    CU_ASSERT_EQUAL(occurrence_window(&r->current).end_at, 250);
    CU_ASSERT_EQUAL(obj_num(&r->obj, RESV_A_RESERVE_DURATION, 0), 50);
    CU_ASSERT_STRING_EQUAL(obj_str(&r->obj, RESV_A_RESV_NODES, ""), "(n1:ncpus=3)");
    CU_ASSERT_FALSE(obj_is_set(&r->obj, RESV_A_RESERVE_RETRY));
    CU_ASSERT_EQUAL(resources_amount(occurrence_resources(&r->current), "ncpus", 0), 4);
    /* The third one has resources of its own and other vnodes. */
    take_turn(find("S5[3]"));
    CU_ASSERT_EQUAL(resources_amount(occurrence_resources(&r->current), "ncpus", 0), 3);
    CU_ASSERT_PTR_EQUAL(model_node(m, "n2")->occurrences[0], &r->current);
    CU_ASSERT_EQUAL(model_node(m, "n1")->n_occurrences, 1);
    end();
}

/* Every window, asked of the index and of all occurrences one by one. */
static size_t n_meeting(const struct node *n, int64_t start_at, int64_t end_at)
{
    size_t sum = 0;

    for (size_t i = 0; i < n->n_occurrences; i++) {
        struct window w = n->occurrences[i]->booked;

        sum += w.start_at < end_at && w.end_at > start_at;
    }
    return sum;
}

static void check_windows(void)
{
    const struct node *n1 = model_node(m, "n1");
    struct arena *windows = arena_new();

    for (int64_t start_at = -10; start_at < 1200; start_at += 10)
        for (int64_t length_s = 1; length_s < 2000; length_s = length_s * 3 + 7) {
            size_t n;

            occurrence_times_find(&n1->times, start_at, start_at + length_s, windows,
                                  &n);
            CU_ASSERT_EQUAL(n, n_meeting(n1, start_at, start_at + length_s));
            arena_clear(windows);
        }
    arena_free(windows);
}

static void test_search_by_time(void)
{
    static const int lengths_s[] = { 1, 2, 3, 40, 64, 65, 500, 0 };
    const struct node *n1;

    begin();
    n1 = model_node(m, "n1");
    for (int i = 5; i < 60; i++) {
        int at = i * 17 % 1000, length_s = lengths_s[i % 8];

        make_later(arena_printf(arena, "S5[%d].svr", i), arena_printf(arena, "%d", i),
                   arena_printf(arena, "%d", at),
                   arena_printf(arena, "%d", at + length_s), "(n1:ncpus=1)");
    }
    check_windows();
    /* One that runs is there until it goes; times that change move it. */
    apply(FACT_SET, OBJ_RESV, "S5.svr", "reserve_state", "5", "reserve_substate", "5",
          NULL);
    CU_ASSERT_EQUAL(claims("n1", NULL, 100000, 100001).n, 0);
    CU_ASSERT_EQUAL(model_resv(m, "S5")->current.booked.end_at, INT64_MAX);
    apply(FACT_SET, OBJ_OCCURRENCE, "S5[7].svr", "reserve_start", "1100", "reserve_end",
          "1199", NULL);
    apply(FACT_SET, OBJ_RESV, "S5.svr", "reserve_start", "20", NULL);
    check_windows();
    for (int i = 5; i < 60; i += 2)
        apply(FACT_DELETED, OBJ_OCCURRENCE, arena_printf(arena, "S5[%d].svr", i), NULL);
    check_windows();
    apply(FACT_RESV_GONE, OBJ_RESV, "S5.svr", NULL);
    CU_ASSERT_EQUAL(n1->times.n_classes, 0);
    end();
}

/* Whatever the order in which they are found by time, claims come in the order of the
 * reservations, then of the series: a denial names the first of them. */
static void test_claims_come_in_the_order_of_reservations(void)
{
    static const char *const expected[] = { "S5.svr", "S5[2].svr", "S5[4].svr",
                                            "R6.svr", "R7.svr" };
    struct claims list;

    begin();
    apply(FACT_RESV_SUBMITTED, OBJ_RESV, "R6.svr", "reserve_start", "90", "reserve_end",
          "1000", "resv_nodes", "(n1:ncpus=1)", NULL);
    apply(FACT_RESV_SUBMITTED, OBJ_RESV, "R7.svr", "reserve_start", "80", "reserve_end",
          "82", "resv_nodes", "(n1:ncpus=1)", NULL);
    list = claims("n1", NULL, 0, 2000);
    CU_ASSERT_EQUAL_FATAL(list.n, 5);
    for (size_t i = 0; i < list.n; i++)
        CU_ASSERT_STRING_EQUAL(list.v[i].occurrence->values->id, expected[i]);
    end();
}

/* What the third one has of its own must not become what the fourth one has. */
static void test_the_series_keeps_its_own(void)
{
    struct records list = { 0 };
    struct record *rec;
    const struct resv *r;

    begin();
    r = model_resv(m, "S5");
    apply(FACT_SET, OBJ_RESV, "S5.svr", "Resource_List.select", "1:ncpus=4",
          "schedselect", "1:ncpus=4", NULL);
    /* The current one is altered: the later ones are not. */
    rec = record_add(&list, arena, FACT_SET, OBJ_RESV, "S5.svr", "root@svr", 1);
    occurrence_keep_series(r, arena, rec);
    record_change(rec, arena, RESV_A_RESOURCE_LIST, "ncpus", "1");
    record_change(rec, arena, RESV_A_RESOURCE_LIST, "mem", "5kb");
    record_change(rec, arena, RESV_A_SCHEDSELECT, NULL, "1:ncpus=1");
    commit(rec);
    CU_ASSERT_EQUAL(resources_amount(occurrence_resources(find("S5[1]")), "ncpus", 0),
                    1);
    CU_ASSERT_EQUAL(resources_amount(occurrence_resources(find("S5[2]")), "ncpus", 0),
                    4);
    /* Once more: what is kept stays. */
    rec = record_add(&list, arena, FACT_SET, OBJ_RESV, "S5.svr", "root@svr", 1);
    occurrence_keep_series(r, arena, rec);
    CU_ASSERT_EQUAL(rec->n_changes, 0);
    take_turn(find("S5[2]"));
    CU_ASSERT_EQUAL(resources_amount(occurrence_resources(&r->current), "ncpus", 0), 4);
    CU_ASSERT_EQUAL(resources_amount(occurrence_resources(&r->current), "mem", 0), 0);
    CU_ASSERT_STRING_EQUAL(obj_str(&r->obj, RESV_A_SCHEDSELECT, ""), "1:ncpus=4");
    end();
}

static void test_a_turn_of_another_select_keeps_the_series(void)
{
    const struct resv *r;

    begin();
    r = model_resv(m, "S5");
    apply(FACT_SET, OBJ_OCCURRENCE, "S5[2].svr", "Resource_List.ncpus", "3", NULL);
    take_turn(find("S5[2]"));
    CU_ASSERT_EQUAL(resources_amount(occurrence_resources(&r->current), "ncpus", 0), 3);
    CU_ASSERT_EQUAL(resources_amount(occurrence_resources(find("S5[3]")), "ncpus", 0),
                    4);
    take_turn(find("S5[3]"));
    CU_ASSERT_EQUAL(resources_amount(occurrence_resources(&r->current), "ncpus", 0), 4);
    end();
}

static void test_a_difference_of_one_occurrence_is_told(void)
{
    struct model *other;
    struct buf why = { 0 };

    begin();
    other = model_rebuild(m);
    CU_ASSERT_TRUE(model_same(m, other, NULL));
    apply(FACT_SET, OBJ_OCCURRENCE, "S5[3].svr", "reserve_start", "310", NULL);
    CU_ASSERT_FALSE(model_same(m, other, &why));
    CU_ASSERT_STRING_EQUAL(why.data, "occurrence S5[3].svr: reserve_start");
    buf_fini(&why);
    model_free(other);
    end();
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "claims have their own window and vnodes",
          test_claims_have_their_own_window_and_vnodes },
        { "occurrences of a series do not share a vnode",
          test_occurrences_of_a_series_do_not_share_a_vnode },
        { "oversubscription names the occurrence",
          test_oversubscription_names_the_occurrence },
        { "when too much is claimed", test_when_too_much_is_claimed },
        { "spans are met", test_spans_are_met },
        { "oversubscription at the server", test_oversubscription_at_the_server },
        { "oversubscription is worked out once for a look",
          test_oversubscription_is_worked_out_once_for_a_look },
        { "links follow one occurrence", test_links_follow_one_occurrence },
        { "what is not set is that of the series",
          test_what_is_not_set_is_that_of_the_series },
        { "occurrences are found by their number",
          test_occurrences_are_found_by_their_number },
        { "an occurrence without its series books nothing",
          test_an_occurrence_without_its_series_books_nothing },
        { "the next one takes its turn", test_the_next_one_takes_its_turn },
        { "they are found by time", test_search_by_time },
        { "claims come in the order of reservations, then of the series",
          test_claims_come_in_the_order_of_reservations },
        { "the series keeps its own resources and select",
          test_the_series_keeps_its_own },
        { "a turn of another select keeps that of the series",
          test_a_turn_of_another_select_keeps_the_series },
        { "a difference of one occurrence is told",
          test_a_difference_of_one_occurrence_is_told },
    };

    return unit_main("occurrences", cases, ARRAY_LEN(cases));
}
