/* Unit tests of a proposal that is about two reservations: both change or none does,
 * whatever comes between, a restart of the server after every step included.
 *
 * R1 has all of vn[0] and R2 all of vn[1], from START for 600 s, in the partition of
 * the default scheduler. Both are to begin LATER, before their former end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/edit_text.h"
#include "server/decide/resv_proposal.h"
#include "server/decide/resv_question.h"
#include "server/engine/svr_priv.h"
#include "server/model/resv_fit.h"

#include "resv_world.h"

#include <string.h>

#define START 1795248000
#define LATER 1795248300
#define NO    "PBS_RESV_CONFIRM_FAIL"

static void reserve_second(struct world *w, const char *place)
{
    static const struct requester who = { .user = "user2",
                                          .host = "svr",
                                          .conn = CONN_USER };

    world_submit_as(w, &who, NULL, "",
                    arena_printf(w->arena,
                                 "reserve_start=%d|Resource_List.walltime=600|"
                                 "Resource_List.select=1:ncpus=2|"
                                 "Resource_List.place=%s",
                                 START, place));
    world_confirm(w, "R2.svr", "(vn[1]:ncpus=2)");
    CU_ASSERT_EQUAL_FATAL(world_reply_code(w, CONN_SCHED), 0);
    world_sched_done(w);
}

static void move(struct edit *e, const struct world *w, const struct resv *r)
{
    edit_init(e, svr_model(w->s), OBJ_RESV, &r->obj);
    edit_set_num(e, RESV_A_RESERVE_START, LATER);
    edit_set_num(e, RESV_A_RESERVE_END, LATER + 600);
}

static void propose(struct world *w, bool force)
{
    const struct model *m = svr_model(w->s);
    struct decision d = { .arena = w->arena };
    struct proposal_part parts[2];
    struct edit e[2];

    for (int i = 0; i < 2; i++) {
        const struct resv *r = model_resv(m, i ? "R2" : "R1");

        move(&e[i], w, r);
        parts[i] = (struct proposal_part){
            .resv = r,
            .e = &e[i],
            .asks = question_asks(m, &w->s->view, r, w->arena),
        };
    }
    proposal_open(m,
                  &(struct proposal){ .parts = parts,
                                      .n = 2,
                                      .force = force,
                                      .actor = "mgr1@svr",
                                      .now_at = w->now_at },
                  &d);
    world_take(w, &d);
    for (int i = 0; i < 2; i++)
        edit_fini(&e[i]);
}

static void make_placed(struct world *w, bool force, const char *place)
{
    world_new(w);
    world_reserve(w, 1, START, 600);
    reserve_second(w, place);
    world_clear(w);
    propose(w, force);
}

static void make(struct world *w, bool force)
{
    make_placed(w, force, "free");
}

/* What became of them: "old", "new" or "gone", an "?" behind it while it is open. */
static const char *fate(struct world *w, const char *id)
{
    const struct resv *r = model_resv(svr_model(w->s), id);
    const char *word;

    if (!r || resv_phase(r) == PHASE_DELETED)
        return "gone";
    word = obj_num(&r->obj, RESV_A_RESERVE_START, 0) == LATER ? "new" : "old";
    return proposal_is_open(r) ? arena_printf(w->arena, "%s?", word) : word;
}

static const char *fates(struct world *w)
{
    return arena_printf(w->arena, "%s %s", fate(w, "R1"), fate(w, "R2"));
}

/* One letter of a story: y and n are answers about R1, Y and N about R2. */
static void tell(struct world *w, char c)
{
    switch (c) {
    case 'y':
        world_confirm(w, "R1.svr", "(vn[2]:ncpus=2)");
        break;
    case 'Y':
        world_confirm(w, "R2.svr", "(vn[3]:ncpus=2)");
        break;
    case 'z': /* where R2 is to be */
        world_confirm(w, "R1.svr", "(vn[3]:ncpus=2)");
        break;
    case 'x': /* they change places */
        world_confirm(w, "R1.svr", "(vn[1]:ncpus=2)");
        break;
    case 'X':
        world_confirm(w, "R2.svr", "(vn[0]:ncpus=2)");
        break;
    case 'n':
        world_deny(w, "R1.svr");
        break;
    case 'N':
        world_deny(w, "R2.svr");
        break;
    case 'd':
        world_delete(w, "user1", "R1.svr");
        break;
    case 'D':
        world_delete(w, "user2", "R2.svr");
        break;
    case 'b': /* a vnode that the yes to R1 counts on breaks */
        world_vnode(w, "vn[2]", NODE_OFFLINE);
        break;
    case 't':
        world_go(w, w->now_at + 600);
        break;
    default:
        CU_FAIL("a letter that nobody knows");
    }
}

static const struct story {
    bool force;
    const char *told;
    const char *fates; /* of R1 and R2 afterwards */
    int code;          /* of the last answer; -1: none is looked at */
} stories[] = {
    { false, "", "old? old?", -1 },
    { false, "y", "old? old?", 0 },
    { false, "Y", "old? old?", 0 },
    { false, "yY", "new new", 0 },
    { false, "Yy", "new new", 0 },
    { false, "yyY", "new new", 0 },
    { false, "n", "old old", 0 },
    { false, "N", "old old", 0 },
    { false, "yN", "old old", 0 },
    { false, "Yn", "old old", 0 },
    { false, "yn", "old old", 0 },
    { false, "xX", "new new", 0 },
    { false, "Yz", "old? old?", PBSE_BADSTATE }, /* each alone would fit there */
    { false, "zY", "old? old?", PBSE_BADSTATE },
    { false, "Yzy", "new new", 0 },
    { false, "ybY", "old? old?", 0 }, /* the yes to R1 holds no more */
    { false, "ybYz", "old? old?", PBSE_BADSTATE },
    { false, "ybYx", "new new", 0 },
    { false, "d", "gone old", -1 },
    { false, "D", "old gone", -1 },
    { false, "yD", "old gone", -1 },
    { false, "Yd", "gone old", -1 },
    { false, "t", "old old", -1 },
    { false, "yt", "old old", -1 },
    { true, "n", "new new", 0 },
    { true, "yN", "new new", 0 },
    { true, "t", "new new", -1 },
    { true, "Yt", "new new", -1 },
    { true, "yD", "old gone", -1 },
};

/* What becomes of them when the server goes: what is open is dropped for both. */
static const char *fates_after_a_restart(const char *told, char *ret)
{
    char *to = ret;

    for (; *told; told++)
        if (*told != '?')
            *to++ = *told;
    *to = '\0';
    return ret;
}

static void run(const struct story *st, bool restarts)
{
    struct world w;
    char after[32];
    const char *expected =
        restarts ? fates_after_a_restart(st->fates, after) : st->fates;

    make(&w, st->force);
    for (const char *p = st->told; *p; p++) {
        world_clear(&w);
        tell(&w, *p);
        if (st->code >= 0 && !p[1])
            CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), st->code);
    }
    if (restarts)
        world_restart(&w);
    if (strcmp(fates(&w), expected) != 0)
        fprintf(stderr, "%s%s: %s, expected %s\n", st->told,
                restarts ? " and a restart" : "", fates(&w), expected);
    CU_ASSERT_STRING_EQUAL(fates(&w), expected);
    world_free(&w);
}

static void test_stories(void)
{
    for (size_t i = 0; i < ARRAY_LEN(stories); i++)
        run(&stories[i], false);
}

/* A server that is killed after any of the commits has changed both or none. */
static void test_restarts(void)
{
    for (size_t i = 0; i < ARRAY_LEN(stories); i++)
        run(&stories[i], true);
}

/* Each gets the vnodes of the yes to it, and both are one decision. */
static void test_both_get_their_vnodes(void)
{
    struct world w;

    make(&w, false);
    tell(&w, 'y');
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESV_NODES, NULL),
                "(vn[0]:ncpus=2)");
    world_clear(&w);
    tell(&w, 'Y');
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ALTERED), 2);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESV_NODES, NULL),
                "(vn[2]:ncpus=2)");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R2", RESV_A_RESV_NODES, NULL),
                "(vn[3]:ncpus=2)");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_HF_ALTER_WITH, NULL), "");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R2", RESV_A_HF_ALTER_VNODES, NULL), "");
    world_free(&w);
}

/* A forced change is made of the parts with a yes that still holds. */
static void test_force_takes_only_what_holds(void)
{
    for (int broken = 0; broken < 2; broken++) {
        struct world w;

        make(&w, true);
        tell(&w, 'y');
        if (broken)
            tell(&w, 'b');
        tell(&w, 'N');
        EXPECT_TEXT(fates(&w), "new new");
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESV_NODES, NULL),
                    broken ? "(vn[0]:ncpus=2)" : "(vn[2]:ncpus=2)");
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R2", RESV_A_RESV_NODES, NULL),
                    "(vn[1]:ncpus=2)");
        world_free(&w);
    }
}

/* A scheduler repeats its yes in each cycle: nothing has happened then. */
static void test_the_same_yes_is_no_record(void)
{
    struct world w;
    uint64_t seq;

    make(&w, false);
    tell(&w, 'y');
    seq = svr_model(w.s)->seq;
    world_clear(&w);
    tell(&w, 'y');
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    CU_ASSERT_EQUAL(svr_model(w.s)->seq, seq);
    world_free(&w);
}

/* One reservation beside two others of the same change, which follow one another on its
 * vnode or meet there. vn[3] has two cpus, and each of the three would hold one. */
static void test_others_count_while_they_are_there(void)
{
    static const struct {
        int64_t
            second_start_at; /* of the second of the others; the first goes to 300 */
        bool fits;
    } rows[] = { { START + 300, true }, { START + 299, false }, { START, false } };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct world w;
        struct exec_vnode one;
        struct resv_offer others[2], offer;
        const char *why = "";

        make(&w, false);
        CU_ASSERT_EQUAL_FATAL(exec_vnode_parse("(vn[3]:ncpus=1)", svr_model(w.s)->defs,
                                               w.arena, &one, NULL),
                              0);
        others[0] = (struct resv_offer){
            .occurrence = &model_resv(svr_model(w.s), "R2")->current,
            .vnodes = &one,
            .start_at = START,
            .end_at = START + 300,
            .now_at = w.now_at,
        };
        others[1] = others[0];
        others[1].start_at = rows[i].second_start_at;
        others[1].end_at = START + 600;
        offer = (struct resv_offer){
            .occurrence = &model_resv(svr_model(w.s), "R1")->current,
            .vnodes = &one,
            .start_at = START,
            .end_at = START + 600,
            .now_at = w.now_at,
            .with = others,
            .n_with = 2,
        };
        CU_ASSERT_EQUAL(resv_fit(svr_model(w.s), &offer, w.arena, &why), rows[i].fits);
        world_free(&w);
    }
}

/* There is room for both on one vnode, but one of them wants it alone. */
static void test_one_wants_the_vnode_alone(void)
{
    for (int excl = 0; excl < 2; excl++) {
        struct world w;

        make_placed(&w, false, excl ? "excl" : "free");
        world_fact(&w, FACT_SET, OBJ_NODE, "vn[3]", NODE_A_RESOURCES_AVAILABLE, "ncpus",
                   "8");
        tell(&w, 'Y');
        world_clear(&w);
        tell(&w, 'z');
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), excl ? PBSE_BADSTATE : 0);
        EXPECT_TEXT(fates(&w), excl ? "old? old?" : "new new");
        world_free(&w);
    }
}

/* Who asks why is told of the one that is gone. */
static void test_the_reason_names_the_other(void)
{
    struct world w;

    make(&w, false);
    tell(&w, 'd');
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R2", RESV_A_ALTER_DENIED, NULL),
                "R1.svr ends");
    world_free(&w);
}

/* The parts have one number, and an answer with another one is refused. */
static void test_one_number(void)
{
    struct world w;
    const char *seq;

    make(&w, false);
    seq = world_attr(&w, OBJ_RESV, "R1", RESV_A_HF_ALTER_SEQ, NULL);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R2", RESV_A_HF_ALTER_SEQ, NULL), seq);
    world_deny_with(&w, "R2.svr", NO ":seq=1");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    EXPECT_TEXT(fates(&w), "old? old?");
    world_free(&w);
}

/* What a damaged store may hold is no edit, and the alteration is dropped. */
static void test_texts(void)
{
    static const char *const bad[] = {
        "x",
        "13:reserve_start",
        "4:nope0:1:-",
        "99:a",
        "99999999999999999999999:a",
        "13:reserve_start0:2:=x",
        "13:reserve_start0:1:x",
        "13:reserve_start0:",
        "13:Resource_List",
        "13:Resource_List3:foo2:=1",
        "13:reserve_state0:2:=5",
        "13:reserve_start0:11:=179524830010:resv_nodes0:16:=(vn[3]:ncpus=2)",
    };

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct world w;

        make(&w, false);
        world_fact(&w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_HF_ALTER_EDIT, NULL,
                   bad[i]);
        tell(&w, 'y');
        if (strcmp(fates(&w), "old old") != 0)
            fprintf(stderr, "%s: %s\n", bad[i], fates(&w));
        CU_ASSERT_STRING_EQUAL(fates(&w), "old old");
        world_free(&w);
    }
}

/* A store of a former version has the alteration without its change. */
static void test_former_store(void)
{
    struct world w;

    make(&w, false);
    world_fact(&w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_HF_ALTER_EDIT, NULL, NULL);
    EXPECT_TEXT(fates(&w), "old old");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_ALTER_DENIED, NULL),
                "the server was replaced by a newer version");
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "two reservations, one proposal", test_stories },
        { "a restart after every step", test_restarts },
        { "both get their vnodes", test_both_get_their_vnodes },
        { "force takes only a yes that holds", test_force_takes_only_what_holds },
        { "the same yes is no record", test_the_same_yes_is_no_record },
        { "others count while they are there", test_others_count_while_they_are_there },
        { "one wants the vnode alone", test_one_wants_the_vnode_alone },
        { "the reason names the other", test_the_reason_names_the_other },
        { "one number", test_one_number },
        { "texts that are no edit", test_texts },
        { "a store of a former version", test_former_store },
    };

    return unit_main("resv_together", cases, ARRAY_LEN(cases));
}
