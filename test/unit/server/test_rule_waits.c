/* test_rule_waits.c - rules that have to know something of the world outside: a job
 * that is to become a reservation waits for its owner's groups and for the verdict of
 * hooks, and is looked at afresh when they are there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fake_mom.h"

#include "lib/attr/job_attrs.h"
#include "server/engine/svr_priv.h"
#include "server/model/resv_state.h"

#include "../unit.h"

#include <string.h>

#define FIND_OUT_S 30

/* Worlds: each has two jobs that want a reservation for themselves, 0.svr and 1.svr,
 * which do not run yet. */

static void submit_two(struct rig *r)
{
    for (int i = 0; i < 2; i++)
        CU_ASSERT_PTR_NOT_NULL_FATAL(submit(r, RIG_USER, "",
                                            "create_resv_from_job=1 "
                                            "Resource_List.walltime=600",
                                            "sleep 5\n"));
}

/* Submitting needs the groups, too, so nobody knows them from then on. */
static struct fake_mom blind_mom(void)
{
    struct fake_mom fm = fake_mom_new();

    submit_two(fm.r);
    rig_hides_groups = true;
    return fm;
}

static struct fake_mom hooked_mom(void)
{
    struct fake_mom fm;

    rig_runs_hooks = true;
    fm = fake_mom_new();
    rig_runs_hooks = false;
    submit_two(fm.r);
    CU_ASSERT_EQUAL(
        rig_manager(fm.r, RIG_ROOT, CREATE, OBJECT_HOOK, "h1", "event=resvsub"), 0);
    return fm;
}

static void fini(struct fake_mom *fm)
{
    rig_hides_groups = false;
    model_check(svr_model(fm->r->s));
    CU_ASSERT_TRUE(svr_is_settled(fm->r->s, fm->r->now_at, NULL));
    CU_ASSERT_TRUE(rig_is_same(fm->r));
    fake_mom_free(fm);
}

/* It runs, and its rule has something to ask. */
static const char *start(struct fake_mom *fm, const char *id)
{
    CU_ASSERT_EQUAL_FATAL(run_job(fm->r, id, "(n1:ncpus=1)"), 0);
    fake_answer(fm, fake_told(fm, BATCH_COMMIT, 0), 0, NULL);
    fake_usage(fm, id, 1, "4711", "00:00:00");
    return id;
}

/* Looking. */

static const struct need *asked(const struct rig *r)
{
    const struct effect *e = rig_effect(r, EFFECT_FIND_OUT, 0);

    return e ? &e->u.need : NULL;
}

static bool asks_for_groups(const struct rig *r)
{
    const struct need *need = asked(r);

    return need && need->kind == NEED_GROUPS && strcmp(need->name, RIG_USER) == 0;
}

static size_t n_resvs(const struct rig *r)
{
    return svr_model(r->s)->kinds[OBJ_RESV].n;
}

static bool is_marked(const struct rig *r, const char *id)
{
    return obj_num(the_job(r, id), JOB_A_CREATE_RESV_FROM_JOB, 0) != 0;
}

/* The job is in a reservation that runs. */
static bool has_resv(const struct rig *r, const char *id)
{
    const struct object *job = the_job(r, id);

    return job && TO_JOB(job)->resv && resv_phase(TO_JOB(job)->resv) == PHASE_RUNNING;
}

/* Answers. */

static void learn(struct rig *r, const struct need *need, const struct finding *f)
{
    r->out = (struct effects){ .arena = r->arena };
    svr_learned(r->s, r->now_at, need, f, &r->out);
}

static void learn_groups(struct rig *r, const char *first, const char *second)
{
    static const struct need need = { .kind = NEED_GROUPS, .name = RIG_USER };
    const char *groups[] = { first, second };
    const struct finding f = { .found = true, .groups = { second ? 2 : 1, groups } };

    learn(r, &need, &f);
}

static void learn_of_nobody(struct rig *r)
{
    static const struct need need = { .kind = NEED_GROUPS, .name = RIG_USER };
    static const struct finding nobody = { 0 };

    learn(r, &need, &nobody);
}

/* Cases. */

static void the_reservation_is_made_when_the_groups_are_known(void)
{
    struct fake_mom fm = blind_mom();
    struct rig *r = fm.r;
    const char *id = start(&fm, "0.svr");

    CU_ASSERT_TRUE(asks_for_groups(r));
    CU_ASSERT_EQUAL(n_resvs(r), 0);
    CU_ASSERT_FALSE(svr_has_work(r->s)); /* nothing to do before the answer */
    CU_ASSERT_PTR_NOT_NULL(rig_status(r, RIG_USER, SVR, "", ""));
    CU_ASSERT_TRUE(svr_is_settled(r->s, r->now_at, NULL));
    learn_groups(r, RIG_USER, NULL);
    CU_ASSERT_TRUE(has_resv(r, id));
    CU_ASSERT_EQUAL(n_resvs(r), 1);
    fini(&fm);
}

/* The rule looks again at each change of its job; the question is on its way. */
static void it_asks_once(void)
{
    struct fake_mom fm = blind_mom();
    struct rig *r = fm.r;
    const char *id = start(&fm, "0.svr");

    for (int i = 0; i < 3; i++) {
        fake_usage(&fm, id, 1, "4711", i % 2 ? "00:00:10" : "00:00:20");
        CU_ASSERT_PTR_NULL(asked(r));
    }
    learn_groups(r, RIG_USER, NULL);
    CU_ASSERT_TRUE(has_resv(r, id));
    CU_ASSERT_EQUAL(n_resvs(r), 1);
    fini(&fm);
}

static void all_jobs_of_a_user_ask_once(void)
{
    struct fake_mom fm = blind_mom();
    struct rig *r = fm.r;
    const char *a = start(&fm, "0.svr"), *b;

    CU_ASSERT_TRUE(asks_for_groups(r));
    b = start(&fm, "1.svr");
    CU_ASSERT_PTR_NULL(asked(r));
    learn_groups(r, RIG_USER, NULL);
    CU_ASSERT_TRUE(has_resv(r, a));
    CU_ASSERT_TRUE(has_resv(r, b));
    CU_ASSERT_EQUAL(n_resvs(r), 2);
    fini(&fm);
}

/* The group that the job was let in with is not the only one of its owner. */
static void every_group_of_the_owner_counts(void)
{
    static const struct {
        const char *second;
        bool made;
    } cases[] = { { "physics", true }, { "chemistry", false } };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_mom fm = blind_mom();
        struct rig *r = fm.r;
        const char *id;

        CU_ASSERT_EQUAL(
            rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "",
                        "acl_resv_group_enable=True acl_resv_groups=physics"),
            0);
        id = start(&fm, "0.svr");
        learn_groups(r, RIG_USER, cases[i].second);
        CU_ASSERT_EQUAL(has_resv(r, id), cases[i].made);
        CU_ASSERT_EQUAL(is_marked(r, id), cases[i].made);
        fini(&fm);
    }
}

static void an_owner_without_account_gets_none(void)
{
    struct fake_mom fm = blind_mom();
    struct rig *r = fm.r;
    const char *id = start(&fm, "0.svr");

    learn_of_nobody(r);
    CU_ASSERT_EQUAL(n_resvs(r), 0);
    CU_ASSERT_FALSE(is_marked(r, id));
    CU_ASSERT_TRUE(rig_logged(r, "No reservation created from job: Bad effective UID "
                                 "for reservation (15095)"));
    CU_ASSERT_EQUAL(state_of(r, id), 'R');
    fini(&fm);
}

static void an_answer_that_never_comes_is_not_waited_for_longer(void)
{
    struct fake_mom fm = blind_mom();
    struct rig *r = fm.r;
    const char *id = start(&fm, "0.svr");

    rig_advance(r, r->now_at + FIND_OUT_S - 1);
    CU_ASSERT_TRUE(is_marked(r, id));
    rig_advance(r, r->now_at + 1);
    CU_ASSERT_FALSE(is_marked(r, id));
    CU_ASSERT_TRUE(rig_logged(r, "the groups of " RIG_USER " are not known in time"));
    learn_groups(r, RIG_USER, NULL); /* late, and good for others */
    CU_ASSERT_EQUAL(n_resvs(r), 0);
    CU_ASSERT_EQUAL(state_of(r, id), 'R');
    fini(&fm);
}

static void ends(struct fake_mom *fm, const char *id)
{
    const struct is_message *told;

    fake_obit(fm, id, 1, 0);
    told = fake_told(fm, BATCH_COPY_FILES, 0);
    if (told)
        fake_answer(fm, told, 0, NULL);
    fake_answer(fm, fake_told(fm, BATCH_DELETE_JOB, 0), 0, NULL);
    CU_ASSERT_PTR_NULL(the_job(fm->r, id));
}

static void is_exiting(struct fake_mom *fm, const char *id)
{
    fake_obit(fm, id, 1, 0);
    CU_ASSERT_EQUAL(state_of(fm->r, id), 'E');
}

static void is_deleted(struct fake_mom *fm, const char *id)
{
    CU_ASSERT_EQUAL(delete_job(fm->r, RIG_USER, id, NULL), 0);
}

static void is_forgotten(struct fake_mom *fm, const char *id)
{
    CU_ASSERT_EQUAL(delete_job(fm->r, RIG_ROOT, id, "force"), 0);
    CU_ASSERT_PTR_NULL(the_job(fm->r, id));
}

static void is_not_marked_any_more(struct fake_mom *fm, const char *id)
{
    struct turn t = { .s = fm->r->s, .now_at = fm->r->now_at, .out = &fm->r->out };
    struct decision d = turn_decision(&t);
    struct record *rec = record_add(&d.records, d.arena, FACT_JOB_MODIFIED, OBJ_JOB, id,
                                    RIG_USER "@" RIG_HOST, fm->r->now_at);

    record_change(rec, d.arena, JOB_A_CREATE_RESV_FROM_JOB, NULL, "False");
    take_up(&t, &d);
    settle(&t);
}

/* What has become of the job decides, and not what it was when the rule asked. */
static void the_job_is_looked_at_as_it_is_then(void)
{
    static const struct {
        const char *story;
        void (*meanwhile)(struct fake_mom *fm, const char *id);
    } cases[] = {
        { "it has ended", ends },
        { "it is ending", is_exiting },
        { "it is being deleted", is_deleted },
        { "it was deleted by force", is_forgotten },
        { "the mark was taken away", is_not_marked_any_more },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_mom fm = blind_mom();
        struct rig *r = fm.r;
        const char *id = start(&fm, "0.svr");

        cases[i].meanwhile(&fm, id);
        learn_groups(r, RIG_USER, NULL);
        if (n_resvs(r) > 0)
            fprintf(stderr, "%s\n", cases[i].story);
        CU_ASSERT_EQUAL(n_resvs(r), 0);
        CU_ASSERT_FALSE(rig_logged(r, "No reservation created"));
        fini(&fm);
    }
}

/* Rule and owner wait for the same answer. */
static void its_owner_may_ask_too(void)
{
    struct fake_mom fm = blind_mom();
    struct rig *r = fm.r;
    const char *id = start(&fm, "0.svr");
    struct body_queue body = { .id = "",
                               .destination = "",
                               .attrs = rig_attrs(r, "reserve_job=0.svr") };

    CU_ASSERT_PTR_NULL(rig_ask_on(r, 77, RIG_USER, BATCH_SUBMIT_RESV, &body, NULL));
    CU_ASSERT_PTR_NULL(asked(r));
    learn_groups(r, RIG_USER, NULL);
    CU_ASSERT_TRUE(has_resv(r, id));
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_go_on(r, 77));
    CU_ASSERT_EQUAL(rig_reply(r, 77)->code, PBSE_RESV_FROM_RESVJOB);
    CU_ASSERT_EQUAL(n_resvs(r), 1);
    fini(&fm);
}

static void what_was_forbidden_meanwhile_is_refused(void)
{
    struct fake_mom fm = blind_mom();
    struct rig *r = fm.r;
    const char *id = start(&fm, "0.svr");

    rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "resv_enable=False");
    learn_groups(r, RIG_USER, NULL);
    CU_ASSERT_EQUAL(n_resvs(r), 0);
    CU_ASSERT_FALSE(is_marked(r, id));
    fini(&fm);
}

static void a_server_that_starts_again_asks_anew(void)
{
    struct fake_mom fm = blind_mom();
    struct rig *r = fm.r;
    const char *id = start(&fm, "0.svr");

    rig_restart(r);
    CU_ASSERT_TRUE(is_marked(r, id));
    CU_ASSERT_TRUE(asks_for_groups(r));
    learn_groups(r, RIG_USER, NULL);
    CU_ASSERT_TRUE(has_resv(r, id));
    rig_restart(r);
    CU_ASSERT_PTR_NULL(asked(r));
    CU_ASSERT_EQUAL(n_resvs(r), 1);
    fini(&fm);
}

/* Hooks. */

static const struct need *asked_for_verdict(const struct rig *r)
{
    const struct need *need = asked(r);

    CU_ASSERT_PTR_NOT_NULL_FATAL(need);
    CU_ASSERT_EQUAL(need->kind, NEED_VERDICT);
    CU_ASSERT_STRING_EQUAL(need->name, "resvsub");
    CU_ASSERT_NOT_EQUAL(need->asker, 0);
    return need;
}

static void hooks_may_accept_it(void)
{
    static const struct finding accept = { .found = true };
    struct fake_mom fm = hooked_mom();
    struct rig *r = fm.r;
    const char *id = start(&fm, "0.svr");

    CU_ASSERT_EQUAL(n_resvs(r), 0);
    learn(r, asked_for_verdict(r), &accept);
    CU_ASSERT_TRUE(has_resv(r, id));
    fini(&fm);
}

static void hooks_may_reject_it(void)
{
    static const struct finding reject = { .words = "no way" };
    struct fake_mom fm = hooked_mom();
    struct rig *r = fm.r;
    const char *id = start(&fm, "0.svr");

    learn(r, asked_for_verdict(r), &reject);
    CU_ASSERT_EQUAL(n_resvs(r), 0);
    CU_ASSERT_FALSE(is_marked(r, id));
    CU_ASSERT_TRUE(rig_logged(r, "No reservation created from job: no way (15136)"));
    fini(&fm);
}

static void what_hooks_set_is_what_it_has(void)
{
    struct fake_mom fm = hooked_mom();
    struct rig *r = fm.r;
    const struct finding change = { .found = true,
                                    .changes = rig_attrs(r, "Reserve_Name=theirs") };
    const char *id = start(&fm, "0.svr");

    learn(r, asked_for_verdict(r), &change);
    CU_ASSERT_TRUE_FATAL(has_resv(r, id));
    CU_ASSERT_STRING_EQUAL(
        obj_str(&TO_JOB(the_job(r, id))->resv->obj, RESV_A_RESERVE_NAME, ""), "theirs");
    fini(&fm);
}

/* A hook may turn the wish into another one; the job would wish on for ever. */
static void hooks_make_no_other_reservation_of_it(void)
{
    static const char *const cases[] = {
        "reserve_job=",
        ("reserve_job= Resource_List.select=1:ncpus=1 reserve_start=1800009000 "
         "reserve_end=1800009100"),
        "reserve_job=1.svr", /* another job, which starts */
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_mom fm = hooked_mom();
        struct rig *r = fm.r;
        const struct finding change = { .found = true,
                                        .changes = rig_attrs(r, cases[i]) };
        const char *id;

        CU_ASSERT_EQUAL_FATAL(run_job(r, "1.svr", "(n1:ncpus=1)"), 0);
        id = start(&fm, "0.svr");
        learn(r, asked_for_verdict(r), &change);
        CU_ASSERT_EQUAL(n_resvs(r), 0);
        CU_ASSERT_FALSE(is_marked(r, id));
        fini(&fm);
    }
}

/* Each job has a verdict of its own, and an answer to nobody is fine. */
static void a_verdict_is_for_one_job(void)
{
    static const struct finding accept = { .found = true };
    struct fake_mom fm = hooked_mom();
    struct rig *r = fm.r;
    const char *a = start(&fm, "0.svr");
    struct need of_a = need_copy(asked_for_verdict(r), r->arena);
    const char *b = start(&fm, "1.svr");
    struct need of_b = need_copy(asked_for_verdict(r), r->arena);

    CU_ASSERT_NOT_EQUAL(of_a.asker, of_b.asker);
    learn(r, &of_b, &accept);
    CU_ASSERT_FALSE(has_resv(r, a));
    CU_ASSERT_TRUE(has_resv(r, b));
    is_forgotten(&fm, a);
    learn(r, &of_a, &accept);
    learn(r, &of_b, &accept);
    CU_ASSERT_EQUAL(n_resvs(r), 1);
    fini(&fm);
}

/* Both are asked for, one after the other: what came first is not asked for again. */
static void a_rule_may_need_several_answers(void)
{
    static const struct finding accept = { .found = true };
    struct fake_mom fm = hooked_mom();
    struct rig *r = fm.r;
    const char *id;

    rig_hides_groups = true; /* before anybody asks */
    id = start(&fm, "0.svr");
    learn(r, asked_for_verdict(r), &accept);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_FIND_OUT), 1);
    CU_ASSERT_TRUE(asks_for_groups(r));
    rig_advance(r, r->now_at + FIND_OUT_S - 1);
    learn_groups(r, RIG_USER, NULL);
    CU_ASSERT_TRUE(has_resv(r, id));
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_FIND_OUT), 0);
    fini(&fm);
}

/* An object that changes often has its rules ask as often. */
static void who_asks_twice_waits_once(void)
{
    struct inquiries all = { 0 };
    struct need need = { .kind = NEED_GROUPS, .name = RIG_USER };
    struct asker a;
    struct inquiry *q;

    asker_init(&a, &all, NULL);
    CU_ASSERT_TRUE(asker_ask(&a, &need, 30));
    CU_ASSERT_FALSE(asker_ask(&a, &need, 30));
    q = inquiries_find(&all, &need);
    CU_ASSERT_PTR_NOT_NULL_FATAL(q);
    CU_ASSERT_PTR_EQUAL(inquiry_take(q), &a);
    CU_ASSERT_PTR_NULL(inquiry_take(q));
    inquiries_end(&all, q);
    asker_fini(&a);
    inquiries_fini(&all);
}

/* A rule forgets what it has used, and what nobody has used for long. */
static void answers_have_an_age(void)
{
    static const struct need one = { .kind = NEED_GROUPS, .name = "one" },
                             two = { .kind = NEED_GROUPS, .name = "two" },
                             old = { .kind = NEED_GROUPS, .name = "old" };
    static const struct finding yes = { .found = true };
    struct facts *f = facts_new(0);

    facts_learn(f, &old, &yes, 100);
    facts_learn(f, &one, &yes, 200);
    facts_learn(f, &two, &yes, 200);
    CU_ASSERT_PTR_NOT_NULL(facts_use(f, &one, 50));
    facts_begin_use(f); /* the decision that was made was about something else */
    CU_ASSERT_PTR_NOT_NULL(facts_use(f, &two, 50));
    CU_ASSERT_PTR_NOT_NULL(facts_use(f, &two, 50));
    facts_forget_used(f);
    CU_ASSERT_PTR_NULL(facts_find(f, &two, 50));
    CU_ASSERT_PTR_NOT_NULL(facts_find(f, &one, 50));
    CU_ASSERT_PTR_NULL(facts_use(f, &old, 100));
    facts_forget_old(f, 100);
    CU_ASSERT_PTR_NULL(facts_find(f, &old, 50));
    CU_ASSERT_PTR_NOT_NULL(facts_use(f, &one, 199));
    facts_forget_old(f, 200);
    facts_forget_used(f);
    CU_ASSERT_EQUAL(facts_bytes(f), 0);
    facts_free(f);
}

static const struct unit_case cases[] = {
    { "answers have an age", answers_have_an_age },
    { "the reservation is made when the groups are known",
      the_reservation_is_made_when_the_groups_are_known },
    { "it asks once", it_asks_once },
    { "all jobs of a user ask once", all_jobs_of_a_user_ask_once },
    { "every group of the owner counts", every_group_of_the_owner_counts },
    { "an owner without account gets none", an_owner_without_account_gets_none },
    { "an answer that never comes is not waited for longer",
      an_answer_that_never_comes_is_not_waited_for_longer },
    { "the job is looked at as it is then", the_job_is_looked_at_as_it_is_then },
    { "its owner may ask, too", its_owner_may_ask_too },
    { "what was forbidden meanwhile is refused",
      what_was_forbidden_meanwhile_is_refused },
    { "a server that starts again asks anew", a_server_that_starts_again_asks_anew },
    { "hooks may accept it", hooks_may_accept_it },
    { "hooks may reject it", hooks_may_reject_it },
    { "what hooks set is what it has", what_hooks_set_is_what_it_has },
    { "hooks make no other reservation of it", hooks_make_no_other_reservation_of_it },
    { "a verdict is for one job", a_verdict_is_for_one_job },
    { "who asks twice waits once", who_asks_twice_waits_once },
    { "a rule may need several answers", a_rule_may_need_several_answers },
};

int main(void)
{
    return unit_main("rules that wait", cases, ARRAY_LEN(cases));
}
