/* test_array_slices.c - requests about all of an array take several turns: others are
 * served in between, and what is fact stays so whoever dies.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/model/job_array.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

#define CONN       9001
#define ONE_A_TURN 60 /* a slice of so little has the end of one subjob */

static void start(struct fake_mom *fm, const char *id)
{
    const struct is_message *told;

    CU_ASSERT_EQUAL(run_job(fm->r, id, "(n1:ncpus=1)"), 0);
    told = fake_told(fm, BATCH_COMMIT, 0);
    if (!told) { /* it is sent in a later turn */
        rig_settle(fm->r);
        told = fake_told(fm, BATCH_COMMIT, 0);
    }
    fake_answer(fm, told, 0, NULL);
    fake_usage(fm, id, 1, "4711", "00:00:02");
    rig_settle(fm->r);
}

/* An array of 20 of which so many run, and a server whose turns are short. */
static struct fake_mom array_of_20(int n_running)
{
    struct fake_mom fm;
    const char *id;

    rig_slice_cost = ONE_A_TURN;
    fm = fake_mom_new();
    rig_slice_cost = 0;
    CU_ASSERT_EQUAL(rig_manager(fm.r, RIG_ROOT, SET, OBJECT_NODE, "n1",
                                "resources_available.ncpus=20"),
                    0);
    id = submit(fm.r, RIG_USER, "", "array_indices_submitted=1-20", "true\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    rig_settle(fm.r);
    for (int i = 1; i <= n_running; i++)
        start(&fm, arena_printf(fm.r->arena, "0[%d].svr", i));
    return fm;
}

static const char *counts(struct rig *r)
{
    return rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, "0[].svr", "array_state_count");
}

/* A request that is not answered in its own turn; returns how many turns it takes, and
 * others are answered in each. */
static int turns_of(struct rig *r, const char *user, uint32_t number, const void *body,
                    const char *extend, int *ret_code)
{
    const struct wire_reply *reply = rig_ask_on(r, CONN, user, number, body, extend);
    int n = 1;

    CU_ASSERT_PTR_NULL(reply);
    for (; !reply && n < 200 && svr_has_work(r->s); n++) {
        CU_ASSERT_PTR_NOT_NULL(rig_status(r, RIG_USER, SVR, "", ""));
        reply = rig_go_on(r, CONN);
    }
    *ret_code = reply ? reply->code : 0; /* DeleteJob is answered when it fails */
    return n;
}

static void waiting_subjobs_are_cut_in_slices(void)
{
    static const char *const ids[] = { "0[2-18:2].svr" };
    struct body_list list = { .ids = { 1, (const char **)ids } };
    struct fake_mom fm = array_of_20(0);
    struct rig *r = fm.r;
    int code;

    CU_ASSERT_TRUE(turns_of(r, RIG_USER, BATCH_DELETE_JOB_LIST, &list, NULL, &code) >
                   2);
    CU_ASSERT_EQUAL(code, 0);
    CU_ASSERT_STRING_EQUAL(counts(r), "Queued:11 Running:0 Exiting:0 Expired:9");
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

/* Those that run and those that wait; what is over already is passed over. */
static void a_range_is_deleted_in_slices(void)
{
    struct body_manage one = { .object_name = "0[3].svr" },
                       range = { .object_name = "0[2-8].svr" };
    struct fake_mom fm = array_of_20(5);
    struct rig *r = fm.r;
    int code;

    rig_ask(r, RIG_USER, BATCH_DELETE_JOB, &one, "force");
    rig_settle(r);
    CU_ASSERT_TRUE(turns_of(r, RIG_USER, BATCH_DELETE_JOB, &range, NULL, &code) > 4);
    CU_ASSERT_EQUAL(code, 0);
    CU_ASSERT_STRING_EQUAL(counts(r), "Queued:12 Running:4 Exiting:0 Expired:4");
    for (int i = 2; i <= 5; i++)
        if (i != 3)
            CU_ASSERT_TRUE(obj_is_set(
                the_job(r, arena_printf(r->arena, "0[%d].svr", i)), JOB_A_HF_KILL_BY));
    CU_ASSERT_FALSE(obj_is_set(the_job(r, "0[1].svr"), JOB_A_HF_KILL_BY));
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static bool is_killed(struct rig *r, int index)
{
    const struct object *o = the_job(r, arena_printf(r->arena, "0[%d].svr", index));

    return o && obj_is_set(o, JOB_A_HF_KILL_BY);
}

/* The MoM comes back with so many subjobs that run. */
static void come_back(struct fake_mom *fm, int n)
{
    struct is_running *running =
        ARENA_ARRAY(fm->r->arena, struct is_running, (size_t)n);

    for (int i = 0; i < n; i++)
        running[i] = (struct is_running){
            .job_id = arena_printf(fm->r->arena, "0[%d].svr", i + 1),
            .substate = 42,
            .run_version = 1,
        };
    fake_connect(fm, (size_t)n, running);
    rig_settle(fm->r);
}

/* A whole array is doomed at once; its subjobs follow, whoever dies in between. */
static void what_runs_of_a_doomed_array_follows(void)
{
    struct body_manage body = { .object_name = "0[].svr" };
    struct fake_mom fm = array_of_20(6);
    struct rig *r = fm.r;
    int n = 0;

    rig_ask(r, RIG_USER, BATCH_DELETE_JOB, &body, NULL);
    CU_ASSERT_STRING_EQUAL(counts(r), "Queued:0 Running:6 Exiting:0 Expired:14");
    for (int i = 1; i <= 6; i++)
        n += is_killed(r, i);
    CU_ASSERT_TRUE(n < 6);
    rig_restart(r);
    come_back(&fm, 6);
    for (int i = 1; i <= 6; i++)
        CU_ASSERT_TRUE(is_killed(r, i));
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void a_forced_deletion_takes_its_turns(void)
{
    struct body_manage body = { .object_name = "0[].svr" };
    struct fake_mom fm = array_of_20(6);
    struct rig *r = fm.r;
    int code;

    CU_ASSERT_TRUE(turns_of(r, RIG_USER, BATCH_DELETE_JOB, &body, "force", &code) > 5);
    CU_ASSERT_EQUAL(code, 0);
    rig_settle(r);
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_JOB].n, 0);
    fake_mom_free(&fm);
}

/* Two requests about the same array at once do not trip over each other. */
static void the_array_may_go_while_a_part_of_it_is_deleted(void)
{
    struct body_manage range = { .object_name = "0[1-20].svr" },
                       whole = { .object_name = "0[].svr" };
    struct fake_mom fm = array_of_20(0);
    struct rig *r = fm.r;

    CU_ASSERT_PTR_NULL(rig_ask_on(r, CONN, RIG_USER, BATCH_DELETE_JOB, &range, NULL));
    for (int i = 0; i < 3; i++)
        rig_go_on(r, CONN);
    CU_ASSERT_STRING_NOT_EQUAL(counts(r), "Queued:20 Running:0 Exiting:0 Expired:0");
    rig_ask(r, RIG_USER, BATCH_DELETE_JOB, &whole, NULL);
    CU_ASSERT_PTR_NULL(the_job(r, "0[].svr"));
    for (int i = 0; i < 100 && svr_has_work(r->s); i++)
        rig_go_on(r, CONN);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    fake_mom_free(&fm);
}

/* A subjob whose MoM is away is told of, and ends when the MoM is back. */
static void who_is_away_ends_later(void)
{
    static const char *const ids[] = { "0[].svr" };
    struct body_list list = { .ids = { 1, (const char **)ids } };
    struct fake_mom fm = array_of_20(2);
    struct rig *r = fm.r;
    const struct wire_reply *reply;

    fake_lose(&fm);
    rig_settle(r);
    reply = rig_ask_on(r, CONN, RIG_USER, BATCH_DELETE_JOB_LIST, &list, NULL);
    for (int i = 0; !reply && i < 100; i++)
        reply = rig_go_on(r, CONN);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL_FATAL(reply->deleted.n, 1);
    CU_ASSERT_EQUAL(reply->deleted.v[0].code, PBSE_NORELYMOM);
    CU_ASSERT_STRING_EQUAL(reply->deleted.v[0].id, "0[1].svr");
    rig_settle(r);
    CU_ASSERT_FALSE(is_killed(r, 1));
    come_back(&fm, 2);
    CU_ASSERT_TRUE(is_killed(r, 1));
    CU_ASSERT_TRUE(is_killed(r, 2));
    fake_mom_free(&fm);
}

static void subjobs_are_selected_in_slices(void)
{
    struct body_select body = { 0 };
    struct fake_mom fm = array_of_20(0);
    struct rig *r = fm.r;
    int code;

    for (int i = 0; i < 4; i++)
        wire_attrs_add(&body.criteria, r->arena, "job_state", NULL, "Q", WIRE_OP_EQ);
    CU_ASSERT_TRUE(turns_of(r, RIG_USER, BATCH_SELECT_JOBS, &body, "T", &code) > 5);
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->ids.n, 20);
    fake_mom_free(&fm);
}

/* All that runs is asked back, but for one that cannot come back. */
static void what_runs_is_rerun_in_slices(void)
{
    struct body_id body = { .id = "0[1-20].svr" };
    struct body_manage one = { .object_name = "0[3].svr" };
    struct fake_mom fm = array_of_20(6);
    struct rig *r = fm.r;
    int code;

    rig_ask(r, RIG_USER, BATCH_DELETE_JOB, &one, NULL);
    rig_settle(r);
    CU_ASSERT_TRUE(turns_of(r, RIG_ROOT, BATCH_RERUN, &body, NULL, &code) > 5);
    CU_ASSERT_PTR_NULL(rig_reply(r, CONN)); /* it waits for their ends */
    for (int i = 1; i <= 6; i++)
        CU_ASSERT_EQUAL(obj_is_set(the_job(r, arena_printf(r->arena, "0[%d].svr", i)),
                                   JOB_A_HF_REQUEUE),
                        i != 3);
    rig_advance(r, r->now_at + 45);
    while (!rig_reply(r, CONN) && svr_has_work(r->s))
        rig_go_on(r, CONN);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, CONN));
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, PBSE_INTERNAL);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void a_forced_rerun_takes_its_turns(void)
{
    struct body_id body = { .id = "0[].svr" };
    struct fake_mom fm = array_of_20(6);
    struct rig *r = fm.r;
    int code;

    CU_ASSERT_TRUE(turns_of(r, RIG_ROOT, BATCH_RERUN, &body, "force", &code) > 5);
    CU_ASSERT_EQUAL(code, 0);
    CU_ASSERT_STRING_EQUAL(counts(r), "Queued:20 Running:0 Exiting:0 Expired:0");
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

/* Nobody trips over the other one, and who may not rerun is not heard. */
static void an_array_may_go_while_it_is_rerun(void)
{
    struct body_id body = { .id = "0[].svr" };
    struct body_manage whole = { .object_name = "0[].svr" };
    struct fake_mom fm = array_of_20(6);
    struct rig *r = fm.r;
    int n_replies = 0;

    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_RERUN, &body, NULL)->code, PBSE_PERM);
    CU_ASSERT_PTR_NULL(rig_ask_on(r, CONN, RIG_ROOT, BATCH_RERUN, &body, "force"));
    for (int i = 0; i < 3; i++) /* then something of it is fact */
        rig_go_on(r, CONN);
    CU_ASSERT_STRING_NOT_EQUAL(counts(r), "Queued:14 Running:6 Exiting:0 Expired:0");
    rig_ask(r, RIG_USER, BATCH_DELETE_JOB, &whole, "force");
    for (int i = 0; i < 100 && svr_has_work(r->s); i++) {
        const struct wire_reply *reply = rig_go_on(r, CONN);

        /* Who was being deleted when its turn came does not come back. */
        CU_ASSERT_TRUE(!reply || reply->code == PBSE_BADSTATE);
        n_replies += reply != NULL;
    }
    CU_ASSERT_EQUAL(n_replies, 1);
    CU_ASSERT_PTR_NULL(the_job(r, "0[].svr"));
    CU_ASSERT_FALSE(svr_has_work(r->s));
    fake_mom_free(&fm);
}

/* What CONN was told, and what its MoM still has to answer. */
struct hearing {
    int n_replies, code;
    size_t n_told;
    struct is_message told[40];
};

static void hear(struct fake_mom *fm, struct hearing *h)
{
    const struct wire_reply *reply = rig_reply(fm->r, CONN);
    const struct is_message *told;

    if (reply) {
        h->n_replies++;
        h->code = reply->code;
    }
    for (size_t i = 0; (told = fake_told(fm, BATCH_SIGNAL_JOB, i)); i++) {
        MUST(h->n_told < ARRAY_LEN(h->told));
        h->told[h->n_told++] = *told;
    }
}

static void ask_to(struct fake_mom *fm, const char *user, const char *word,
                   struct hearing *h)
{
    const struct body_signal body = { .job_id = "0[].svr", .signal = word };

    *h = (struct hearing){ .code = -1 };
    rig_ask_on(fm->r, CONN, user, BATCH_SIGNAL_JOB, &body, NULL);
    hear(fm, h);
    CU_ASSERT_EQUAL(h->n_replies, 0);
}

/* The MoM answers all that it was told so far; it refuses the first one with 'code'. */
static void mom_answers(struct fake_mom *fm, struct hearing *h, int code)
{
    size_t n = h->n_told;
    struct is_message told[ARRAY_LEN(h->told)];

    memcpy(told, h->told, sizeof(told));
    h->n_told = 0;
    for (size_t i = 0; i < n; i++) {
        fake_answer(fm, &told[i], i ? 0 : code, NULL);
        hear(fm, h);
    }
}

/* Slices until nothing is left to do, others are answered in between; returns how many.
 */
static int slices(struct fake_mom *fm, struct hearing *h, bool answers)
{
    struct rig *r = fm->r;
    int n = 0;

    for (; n < 200 && svr_has_work(r->s); n++) {
        rig_go_on(r, CONN);
        hear(fm, h);
        if (answers)
            mom_answers(fm, h, 0);
        CU_ASSERT_PTR_NOT_NULL(rig_status(r, RIG_USER, SVR, "", ""));
    }
    return n;
}

static int n_suspended(struct rig *r)
{
    int n = 0;

    for (int i = 1; i <= 6; i++) {
        const struct object *o = the_job(r, arena_printf(r->arena, "0[%d].svr", i));

        n += o && obj_num(o, JOB_A_SUBSTATE, 0) == 43;
    }
    return n;
}

/* Whether its MoM is quick or slow: the reply comes once, when all are suspended. */
static void what_runs_is_suspended_in_slices(void)
{
    for (int quick = 0; quick < 2; quick++) {
        struct fake_mom fm = array_of_20(6);
        struct rig *r = fm.r;
        struct hearing h;

        ask_to(&fm, RIG_ROOT, "suspend", &h);
        CU_ASSERT_TRUE(slices(&fm, &h, quick) > 5);
        CU_ASSERT_EQUAL(h.n_replies, quick);
        CU_ASSERT_EQUAL(n_suspended(r), quick ? 6 : 0);
        mom_answers(&fm, &h, 0);
        CU_ASSERT_EQUAL(h.n_replies, 1);
        CU_ASSERT_EQUAL(h.code, 0);
        CU_ASSERT_EQUAL(n_suspended(r), 6);
        CU_ASSERT_TRUE(rig_is_same(r));
        fake_mom_free(&fm);
    }
}

static void all_go_on_in_slices(void)
{
    struct fake_mom fm = array_of_20(6);
    struct rig *r = fm.r;
    struct hearing h;

    ask_to(&fm, RIG_ROOT, "admin-suspend", &h);
    slices(&fm, &h, true);
    CU_ASSERT_EQUAL(n_suspended(r), 6);
    ask_to(&fm, RIG_ROOT, "admin-resume", &h);
    CU_ASSERT_TRUE(slices(&fm, &h, true) > 5);
    CU_ASSERT_EQUAL(h.n_replies, 1);
    CU_ASSERT_EQUAL(h.code, 0);
    CU_ASSERT_EQUAL(n_suspended(r), 0);
    /* This one waits for no MoM: a scheduler resumes them. */
    ask_to(&fm, RIG_ROOT, "suspend", &h);
    slices(&fm, &h, true);
    ask_to(&fm, RIG_ROOT, "resume", &h);
    CU_ASSERT_TRUE(slices(&fm, &h, false) > 5);
    CU_ASSERT_EQUAL(h.n_replies, 1);
    CU_ASSERT_EQUAL(h.code, 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

/* The first failure is the reply: of the MoM in an early slice, and before it that of a
 * job that the server itself refuses later. */
static void the_first_failure_of_all_slices_is_told(void)
{
    for (int refused = 0; refused < 2; refused++) {
        struct body_manage one = { .object_name = "0[5].svr" };
        struct fake_mom fm = array_of_20(6);
        struct rig *r = fm.r;
        struct hearing h;

        ask_to(&fm, RIG_ROOT, "suspend", &h);
        while (h.n_told == 0) {
            rig_go_on(r, CONN);
            hear(&fm, &h);
        }
        mom_answers(&fm, &h, PBSE_SYSTEM);
        if (refused)
            rig_ask(r, RIG_USER, BATCH_DELETE_JOB, &one, NULL);
        slices(&fm, &h, true);
        CU_ASSERT_EQUAL(h.n_replies, 1);
        CU_ASSERT_EQUAL(h.code, refused ? PBSE_BADSTATE : PBSE_SYSTEM);
        CU_ASSERT_EQUAL(n_suspended(r), refused ? 4 : 5);
        fake_mom_free(&fm);
    }
}

/* What ends a request between two slices: what was asked for stays so, the rest is not
 * done, and who waited is told once, if anybody waits. */
static void a_suspension_may_be_cut_short(void)
{
    enum {
        RIGHT,
        STORE,
        LOST_STORE,
        CLIENT,
        ARRAY,
        CUTS
    };
    static const struct {
        int replies, code;
        bool goes_on;
    } then[CUTS] = {
        [RIGHT] = { 1, PBSE_PERM, false },
        [STORE] = { 1, PBSE_SAVE_ERR, false },
        [LOST_STORE] = { 1, PBSE_SAVE_ERR, false },
        [CLIENT] = { 0, -1, true },
        [ARRAY] = { 1, PBSE_BADSTATE, false },
    };

    for (int how = 0; how < CUTS; how++) {
        struct body_manage whole = { .object_name = "0[].svr" };
        struct fake_mom fm = array_of_20(6);
        struct rig *r = fm.r;
        struct hearing h;

        rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "operators=bob@*");
        ask_to(&fm, "bob", "suspend", &h);
        for (int i = 0; i < 40 && h.n_told < 2; i++) {
            rig_go_on(r, CONN);
            hear(&fm, &h);
        }
        CU_ASSERT_EQUAL(h.n_told, 2);
        if (how == RIGHT)
            rig_manager(r, RIG_ROOT, UNSET, OBJECT_SERVER, "", "operators=");
        else if (how == STORE || how == LOST_STORE)
            svr_set_store_failed(r->s, true);
        else if (how == CLIENT)
            svr_client_gone(r->s, r->now_at, CONN, &r->out);
        else
            rig_ask(r, RIG_ROOT, BATCH_DELETE_JOB, &whole, "force");
        if (how == LOST_STORE) {
            rig_status(r, RIG_USER, SVR, "", ""); /* its effects instead of the last */
            svr_give_up(r->s, r->now_at, 0, &r->out);
        }
        if (how != STORE && how != RIGHT)
            hear(&fm, &h);
        slices(&fm, &h, false);
        svr_set_store_failed(r->s, false);
        mom_answers(&fm, &h, 0);
        slices(&fm, &h, true);
        CU_ASSERT_EQUAL(h.n_replies, then[how].replies);
        CU_ASSERT_EQUAL(h.code, then[how].code);
        if (how != ARRAY)
            CU_ASSERT_EQUAL(n_suspended(r), then[how].goes_on ? 6 : 2);
        CU_ASSERT_FALSE(svr_has_work(r->s));
        CU_ASSERT_TRUE(rig_is_same(r));
        fake_mom_free(&fm);
    }
}

static int n_asked(struct rig *r)
{
    int n = 0;

    for (int i = 1; i <= 6; i++)
        n += obj_is_set(the_job(r, arena_printf(r->arena, "0[%d].svr", i)),
                        JOB_A_HF_SUSPEND);
    return n;
}

/* The server dies in the middle: whom its MoM has stopped stays so, the others run, and
 * nobody goes on with the rest. */
static void a_killed_server_has_suspended_the_first(void)
{
    struct fake_mom fm = array_of_20(6);
    struct rig *r = fm.r;
    struct hearing h;

    ask_to(&fm, RIG_ROOT, "suspend", &h);
    for (int i = 0; i < 40 && n_asked(r) < 3; i++) {
        rig_go_on(r, CONN);
        hear(&fm, &h);
        if (h.n_told == 2)
            mom_answers(&fm, &h, 0);
    }
    CU_ASSERT_EQUAL(n_suspended(r), 2);
    rig_restart(r);
    come_back(&fm, 6);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    CU_ASSERT_EQUAL(n_suspended(r), 2);
    CU_ASSERT_EQUAL(n_asked(r), 2);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void print_ends(const struct array_ends *ends, const struct index_range *range,
                       struct buf *out)
{
    buf_clear(out);
    buf_add_str(out, "");
    array_ends_print(ends, range, out);
}

/* Two sets one after the other, every pair of 64 patterns of nine places: many at once
 * come to the same as one by one. */
static void many_ends_at_once(void)
{
    static const struct index_range range = { 3, 11, 1 };
    static const struct array_end how[] = { { .substate = 91 }, { .substate = 92 } };
    struct buf x = { 0 }, y = { 0 };

    for (unsigned a = 0; a < 512; a += 8)
        for (unsigned b = 7; b < 512; b += 7) {
            struct array_ends one = { 0 }, all = { 0 };
            struct index_set sets[2];

            for (unsigned k = 0; k < 2; k++) {
                index_set_init(&sets[k], &range, false);
                for (size_t i = 0; i < 9; i++) {
                    struct array_end e = how[k];

                    if (!((k ? b : a) >> i & 1))
                        continue;
                    index_set_put(&sets[k], i, true);
                    e.first = e.last = (uint32_t)i;
                    if (!array_ends_find(&one, i))
                        array_ends_add(&one, &e);
                }
                array_ends_add_all(&all, &sets[k], &how[k]);
                index_set_fini(&sets[k]);
            }
            print_ends(&one, &range, &x);
            print_ends(&all, &range, &y);
            CU_ASSERT_STRING_EQUAL(x.data, y.data);
            CU_ASSERT_EQUAL(one.n_places, all.n_places);
            array_ends_fini(&one);
            array_ends_fini(&all);
        }
    buf_fini(&x);
    buf_fini(&y);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "waiting subjobs are cut in slices", waiting_subjobs_are_cut_in_slices },
        { "a range is deleted in slices", a_range_is_deleted_in_slices },
        { "what runs of a doomed array follows", what_runs_of_a_doomed_array_follows },
        { "a forced deletion takes its turns", a_forced_deletion_takes_its_turns },
        { "the array may go while a part of it is deleted",
          the_array_may_go_while_a_part_of_it_is_deleted },
        { "who is away ends later", who_is_away_ends_later },
        { "subjobs are selected in slices", subjobs_are_selected_in_slices },
        { "what runs is rerun in slices", what_runs_is_rerun_in_slices },
        { "a forced rerun takes its turns", a_forced_rerun_takes_its_turns },
        { "an array may go while it is rerun", an_array_may_go_while_it_is_rerun },
        { "what runs is suspended in slices", what_runs_is_suspended_in_slices },
        { "all go on in slices", all_go_on_in_slices },
        { "the first failure of all slices is told",
          the_first_failure_of_all_slices_is_told },
        { "a suspension may be cut short", a_suspension_may_be_cut_short },
        { "a killed server has suspended the first",
          a_killed_server_has_suspended_the_first },
        { "many ends at once", many_ends_at_once },
    };

    return unit_main("array slices", cases, ARRAY_LEN(cases));
}
