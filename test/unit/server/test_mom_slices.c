/* test_mom_slices.c - what a MoM tells of many vnodes and jobs is taken up in several
 * turns. It does not matter who asks in between, where the server is killed, or what
 * becomes of the MoM meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/node_attrs.h"
#include "server/model/node_life.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

/* More than three turns take up. */
#define VNODES 120

static struct is_vnode_attr cpus[] = { { "resources_available.ncpus", "2", 0, 0 } };

/* "n1", which is there, and x[0] to x[VNODES - 1]. */
static struct is_message list_of(struct fake_mom *fm, int64_t modtime)
{
    struct arena *arena = fm->r->arena;
    struct is_vnode *v = ARENA_ARRAY(arena, struct is_vnode, VNODES + 1);

    v[0] = (struct is_vnode){ "n1", 1, cpus };
    for (int i = 0; i < VNODES; i++)
        v[i + 1] = (struct is_vnode){ arena_printf(arena, "x[%d]", i), 1, cpus };
    fm->modtime = modtime;
    return (struct is_message){
        .command = IS_REGISTERMOM,
        .state = { .pcpus = 4,
                   .acpus = 4,
                   .mem_kb = 1000,
                   .arch = "linux",
                   .has_vnodes = true,
                   .modtime = modtime,
                   .n_vnodes = VNODES + 1,
                   .vnodes = v,
                   .version = "0.1" },
    };
}

static void tell(struct fake_mom *fm, int64_t modtime)
{
    struct is_message msg = list_of(fm, modtime);

    fake_hello(fm);
    fake_send(fm, &msg);
}

/* A MoM whose vnodes are all there and up. */
static struct fake_mom wide_mom(void)
{
    struct fake_mom fm = fake_mom_new();

    tell(&fm, 2000);
    rig_settle(fm.r);
    return fm;
}

static size_t n_vnodes(const struct fake_mom *fm)
{
    return svr_model(fm->r->s)->kinds[OBJ_NODE].n;
}

/* Vnodes of which that bit is stored. */
static size_t n_with(const struct fake_mom *fm, uint32_t bit)
{
    size_t n = 0;

    MODEL_EACH (svr_model(fm->r->s), OBJ_NODE, o)
        n += (node_state_stored(TO_NODE(o)) & bit) != 0;
    return n;
}

static void go_on(struct fake_mom *fm)
{
    CU_ASSERT_TRUE_FATAL(svr_is_settling(fm->r->s));
    svr_go_on(fm->r->s, fm->r->now_at, &fm->r->out);
}

/* Everybody is there, up and known to be of that list. */
static void expect_whole(struct fake_mom *fm)
{
    CU_ASSERT_EQUAL(n_vnodes(fm), VNODES + 1);
    CU_ASSERT_EQUAL(n_with(fm, NODE_DOWN | NODE_STATE_UNKNOWN | NODE_STALE), 0);
    MODEL_EACH (svr_model(fm->r->s), OBJ_NODE, o)
        CU_ASSERT_EQUAL(obj_num(o, NODE_A_HF_MODTIME, 0), fm->modtime);
}

static void vnodes_are_made_in_many_turns(void)
{
    struct fake_mom fm = fake_mom_new();
    size_t before;

    tell(&fm, 2000);
    for (before = 0; svr_is_settling(fm.r->s); before = n_vnodes(&fm)) {
        CU_ASSERT_TRUE(n_vnodes(&fm) - before <= VNODES / 3);
        /* Others are served meanwhile, and what follows from what they ask for is not
         * behind the list. */
        CU_ASSERT_EQUAL(
            rig_manager(fm.r, RIG_ROOT, 2, OBJECT_SERVER, "", "comment=asked"), 0);
        CU_ASSERT_TRUE(svr_is_settling(fm.r->s));
        go_on(&fm);
    }
    expect_whole(&fm);
    fake_mom_free(&fm);
}

/* The same list again makes no vnodes, so no vnode may say that the list was there
 * before all of them are. */
static void a_server_killed_while_it_makes_them_makes_the_others_later(void)
{
    for (int turns = 0;; turns++) {
        struct fake_mom fm = fake_mom_new();
        bool over = false;

        tell(&fm, 2000);
        for (int i = 0; i < turns && !over; i++)
            if (!(over = !svr_is_settling(fm.r->s)))
                go_on(&fm);
        rig_restart(fm.r);
        tell(&fm, 2000);
        rig_settle(fm.r);
        expect_whole(&fm);
        fake_mom_free(&fm);
        if (over)
            break;
        CU_ASSERT_TRUE_FATAL(turns < VNODES);
    }
}

/* A vnode that is deleted while the list is taken up was known when the list came. */
static void what_is_deleted_meanwhile_does_not_come_back(void)
{
    struct fake_mom fm = wide_mom();

    tell(&fm, 3000);
    CU_ASSERT_EQUAL(rig_manager(fm.r, RIG_ROOT, 1, OBJECT_NODE, "x[100]", ""), 0);
    rig_settle(fm.r);
    CU_ASSERT_EQUAL(n_vnodes(&fm), VNODES);
    CU_ASSERT_PTR_NULL(model_node(svr_model(fm.r->s), "x[100]"));
    fake_mom_free(&fm);
}

static size_t n_made(const struct fake_mom *fm)
{
    size_t n = 0;

    for (size_t i = 0; i < fm->r->out.n; i++)
        n += fm->r->out.v[i].kind == EFFECT_RECORD &&
             fm->r->out.v[i].u.record->fact == FACT_CREATED;
    return n;
}

static void a_name_that_is_listed_twice_is_made_once(void)
{
    struct fake_mom fm = fake_mom_new();
    struct is_message msg = list_of(&fm, 2000);

    msg.state.vnodes[2].name = msg.state.vnodes[1].name;
    msg.state.vnodes[VNODES].name = msg.state.vnodes[1].name;
    fake_hello(&fm);
    fake_send(&fm, &msg);
    while (svr_is_settling(fm.r->s))
        go_on(&fm);
    CU_ASSERT_EQUAL(n_vnodes(&fm), VNODES - 1);
    CU_ASSERT_EQUAL(n_made(&fm), VNODES - 2);
    fake_mom_free(&fm);
}

static void a_mom_that_comes_again_in_the_middle_is_heard_afresh(void)
{
    struct fake_mom fm = wide_mom();

    fake_lose(&fm);
    rig_settle(fm.r);
    CU_ASSERT_EQUAL(n_with(&fm, NODE_DOWN), VNODES + 1);
    tell(&fm, 3000);
    CU_ASSERT_TRUE(n_with(&fm, NODE_DOWN) > VNODES / 2);
    tell(&fm, 4000); /* on another stream */
    rig_settle(fm.r);
    expect_whole(&fm);
    fake_mom_free(&fm);
}

static void a_mom_that_goes_in_the_middle_is_down(void)
{
    struct fake_mom fm = wide_mom();

    rig_restart(fm.r);
    CU_ASSERT_EQUAL(n_with(&fm, NODE_STATE_UNKNOWN), VNODES + 1);
    tell(&fm, 3000);
    go_on(&fm);
    CU_ASSERT_TRUE(n_with(&fm, NODE_STATE_UNKNOWN) < VNODES);
    fake_lose(&fm);
    rig_settle(fm.r);
    CU_ASSERT_EQUAL(n_with(&fm, NODE_DOWN), VNODES + 1);
    tell(&fm, 3000);
    rig_settle(fm.r);
    expect_whole(&fm);
    fake_mom_free(&fm);
}

/* She is back before all of her vnodes are down. */
static void a_mom_that_is_back_at_once_is_up(void)
{
    struct fake_mom fm = wide_mom();

    fake_lose(&fm);
    CU_ASSERT_TRUE(n_with(&fm, NODE_DOWN) > 0);
    CU_ASSERT_TRUE(n_with(&fm, NODE_DOWN) < VNODES);
    tell(&fm, 3000);
    rig_settle(fm.r);
    expect_whole(&fm);
    svr_router_lost(fm.r->s, fm.r->now_at, &fm.r->out);
    CU_ASSERT_TRUE(n_with(&fm, NODE_STATE_UNKNOWN) < VNODES);
    tell(&fm, 3000);
    rig_settle(fm.r);
    expect_whole(&fm);
    fake_mom_free(&fm);
}

/* What a MoM says keeps its order: the end of a job comes behind the registration that
 * lists the job. And nothing is sent to her before it is known what she has. */
static void what_she_says_meanwhile_comes_behind(void)
{
    struct fake_mom fm = wide_mom();
    const char *id = running_job(&fm);
    const char *other;
    struct is_running listed = {
        .job_id = id, .substate = 42, .run_version = 1, .exec_vnode = "(n1:ncpus=1)"
    };
    struct is_message msg = list_of(&fm, 3000);

    fake_lose(&fm);
    rig_settle(fm.r);
    msg.n_running = 1;
    msg.running = &listed;
    fake_hello(&fm);
    fake_send(&fm, &msg);
    while (node_state_stored(model_node(svr_model(fm.r->s), "n1")) & NODE_DOWN)
        go_on(&fm);
    other = submit(fm.r, RIG_USER, "", "", "true\n");
    CU_ASSERT_EQUAL(run_job(fm.r, other, "(n1:ncpus=1)"), 0);
    fake_obit(&fm, id, 1, 0);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
    CU_ASSERT_PTR_NULL(fake_told(&fm, BATCH_QUEUE_JOB, 0));
    rig_settle(fm.r);
    CU_ASSERT_NOT_EQUAL(state_of(fm.r, id), 'R');
    CU_ASSERT_PTR_NOT_NULL(fake_message(&fm, IS_OBITREPLY));
    CU_ASSERT_PTR_NOT_NULL(fake_told(&fm, BATCH_QUEUE_JOB, 0));
    expect_whole(&fm);
    fake_mom_free(&fm);
}

/* ... and what she has said on a stream that is over is not heard. */
static void what_was_said_on_a_lost_stream_is_not_heard(void)
{
    struct fake_mom fm = wide_mom();
    const char *id = running_job(&fm);

    tell(&fm, 3000);
    fake_obit(&fm, id, 1, 0);
    fake_lose(&fm);
    rig_settle(fm.r);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
    fake_mom_free(&fm);
}

static const struct unit_case cases[] = {
    { "vnodes are made in many turns", vnodes_are_made_in_many_turns },
    { "a server killed while it makes them makes the others later",
      a_server_killed_while_it_makes_them_makes_the_others_later },
    { "what is deleted meanwhile does not come back",
      what_is_deleted_meanwhile_does_not_come_back },
    { "a name that is listed twice is made once",
      a_name_that_is_listed_twice_is_made_once },
    { "a MoM that comes again in the middle is heard afresh",
      a_mom_that_comes_again_in_the_middle_is_heard_afresh },
    { "a MoM that goes in the middle is down", a_mom_that_goes_in_the_middle_is_down },
    { "a MoM that is back at once is up", a_mom_that_is_back_at_once_is_up },
    { "what she says meanwhile comes behind", what_she_says_meanwhile_comes_behind },
    { "what was said on a lost stream is not heard",
      what_was_said_on_a_lost_stream_is_not_heard },
};

int main(void)
{
    return unit_main("a MoM's words in slices", cases, ARRAY_LEN(cases));
}
