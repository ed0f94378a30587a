/* test_job_limits.c - limits of users, groups and projects at the door of queues and of
 * the complex: who is counted, and the words of every refusal (attributes.md 5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

/* Ann has two jobs with 2 cpus and 1 gb each in workq, one of them in project p; the
 * user's group has the user's name. She submits a third. */
struct limit_case {
    const char *story;
    uint32_t type; /* OBJECT_QUEUE: workq; OBJECT_SERVER */
    const char *attr, *value, *submission;
    int code;
    const char *text;
};

static const struct limit_case cases_of_counts[] = {
    { "everybody", OBJECT_QUEUE, "max_queued", "[o:PBS_ALL=2]", "", 15142,
      "Maximum number of jobs already in queue workq" },
    { "just enough", OBJECT_QUEUE, "max_queued", "[o:PBS_ALL=3]", "", 0, "" },
    { "any user", OBJECT_QUEUE, "max_queued", "[u:PBS_GENERIC=2]", "", 15142,
      "would exceed queue generic's per-user limit" },
    { "any group", OBJECT_QUEUE, "max_queued", "[g:PBS_GENERIC=2]", "", 15142,
      "would exceed queue workq's per-group limit" },
    { "any project", OBJECT_QUEUE, "max_queued", "[p:PBS_GENERIC=1]", "project=p",
      15142, "would exceed queue workq's per-project limit" },
    { "another project", OBJECT_QUEUE, "max_queued", "[p:PBS_GENERIC=1]", "project=q",
      0, "" },
    { "the user", OBJECT_QUEUE, "max_queued", "[u:ann=2]", "", 15142,
      "Maximum number of jobs for user ann already in queue workq" },
    { "the group", OBJECT_QUEUE, "max_queued", "[g:ann=2]", "", 15142,
      "Maximum number of jobs for group ann already in queue workq" },
    { "the project", OBJECT_QUEUE, "max_queued", "[p:p=1]", "project=p", 15142,
      "Maximum number of jobs for project p already in queue workq" },
    { "the own limit counts", OBJECT_QUEUE, "max_queued", "[u:PBS_GENERIC=1],[u:ann=3]",
      "", 0, "" },
    { "somebody else's does not", OBJECT_QUEUE, "max_queued", "[u:bob=0]", "", 0, "" },
    { "all of the complex", OBJECT_SERVER, "max_queued", "[o:PBS_ALL=2]", "", 15142,
      "Maximum number of jobs already in complex" },
    { "any user", OBJECT_SERVER, "max_queued", "[u:PBS_GENERIC=2]", "", 15142,
      "would exceed complex's per-user limit" },
    { "the user", OBJECT_SERVER, "max_queued", "[u:ann=2]", "", 15142,
      "Maximum number of jobs for user ann already in complex" },
    { "held jobs are not queued", OBJECT_QUEUE, "queued_jobs_threshold",
      "[o:PBS_ALL=2]", "", 0, "" },
    { "queued ones are", OBJECT_QUEUE, "queued_jobs_threshold", "[o:PBS_ALL=1]", "",
      15142, "Maximum number of jobs in 'Q' state already in queue workq" },
    { "any user", OBJECT_QUEUE, "queued_jobs_threshold", "[u:PBS_GENERIC=1]", "", 15142,
      "would exceed queue generic's per-user limit of jobs in 'Q' state" },
    { "any group", OBJECT_QUEUE, "queued_jobs_threshold", "[g:PBS_GENERIC=1]", "",
      15142, "would exceed queue workq's per-group limit of jobs in 'Q' state" },
    { "any user", OBJECT_SERVER, "queued_jobs_threshold", "[u:PBS_GENERIC=1]", "",
      15142, "would exceed complex's per-user limit of jobs in 'Q' state" },
    { "the user", OBJECT_SERVER, "queued_jobs_threshold", "[u:ann=1]", "", 15142,
      "Maximum number of jobs in 'Q' state for user ann already in complex" },

    { "cpus of all", OBJECT_QUEUE, "max_queued_res.ncpus", "[o:PBS_ALL=5]",
      "Resource_List.select=1:ncpus=2", 15143,
      "would exceed limit on resource ncpus in queue workq" },
    { "just enough", OBJECT_QUEUE, "max_queued_res.ncpus", "[o:PBS_ALL=5]",
      "Resource_List.select=1:ncpus=1", 0, "" },
    { "size of all", OBJECT_SERVER, "max_queued_res.mem", "[o:PBS_ALL=3gb]",
      "Resource_List.select=1:ncpus=1:mem=1025mb", 15143,
      "would exceed limit on resource mem in complex" },
    { "not asked for", OBJECT_SERVER, "max_queued_res.mem", "[o:PBS_ALL=1gb]", "", 0,
      "" },
    { "any user", OBJECT_QUEUE, "max_queued_res.ncpus", "[u:PBS_GENERIC=4]", "", 15143,
      "would exceed per-user limit on resource ncpus in queue workq" },
    { "the group", OBJECT_SERVER, "max_queued_res.ncpus", "[g:ann=4]", "", 15143,
      "would exceed group ann's limit on resource ncpus in complex" },
    { "of queued ones", OBJECT_QUEUE, "queued_jobs_threshold_res.ncpus", "[u:ann=2]",
      "", 15143,
      "would exceed user ann's limit on resource ncpus in queue workq for jobs in 'Q' "
      "state" },
    { "of queued ones", OBJECT_SERVER, "queued_jobs_threshold_res.ncpus",
      "[o:PBS_ALL=2]", "", 15143,
      "would exceed limit on resource ncpus in complex for jobs in 'Q' state" },
};

static void test_every_limit_is_kept_and_has_its_words(void)
{
    struct rig *r = rig_new();

    CU_ASSERT_PTR_NOT_NULL_FATAL(submit(
        r, RIG_USER, "", "Resource_List.select=1:ncpus=2:mem=1gb project=p", NULL));
    CU_ASSERT_PTR_NOT_NULL_FATAL(submit(
        r, RIG_USER, "", "Resource_List.select=1:ncpus=2:mem=1gb Hold_Types=u", NULL));
    for (size_t i = 0; i < ARRAY_LEN(cases_of_counts); i++) {
        const struct limit_case *c = &cases_of_counts[i];
        const char *queue = c->type == OBJECT_QUEUE ? "workq" : "";
        const char *attr = arena_strndup(r->arena, c->attr, strcspn(c->attr, "."));
        const char *set = arena_printf(r->arena, "%s=%s", c->attr, c->value);
        const struct wire_reply *reply;
        struct body_queue body = { .id = "", .destination = "" };

        CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, c->type, queue, set), 0);
        body.attrs = rig_attrs(r, c->submission);
        reply = rig_ask(r, RIG_USER, BATCH_QUEUE_JOB, &body, NULL); /* not committed */
        if (reply->code != c->code || (c->code && strcmp(reply->text, c->text) != 0))
            printf("%s: %d %s\n", c->story, reply->code,
                   reply->text ? reply->text : "");
        CU_ASSERT_EQUAL(reply->code, c->code);
        if (c->code)
            CU_ASSERT_STRING_EQUAL(reply->text, c->text);
        CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, UNSET, c->type, queue, attr), 0);
    }
    rig_free(r);
}

/* QueueJob and Commit apart, each sender on a connection of its own. */
static const char *begin(struct rig *r, uint64_t conn, const char *attrs)
{
    struct body_queue body = { .id = "", .destination = "" };
    const struct wire_reply *reply;

    body.attrs = rig_attrs(r, attrs);
    reply = rig_ask_on(r, conn, RIG_USER, BATCH_QUEUE_JOB, &body, NULL);
    CU_ASSERT_EQUAL_FATAL(reply->code, 0);
    return arena_strdup(r->arena, reply->text);
}

static int commit(struct rig *r, uint64_t conn, const char *id)
{
    const struct body_id body = { .id = id };

    return rig_ask_on(r, conn, RIG_USER, BATCH_COMMIT, &body, NULL)->code;
}

/* Two that begin together both fit; when they are committed only one does. */
static void test_a_race_for_the_last_place_is_lost_by_one(void)
{
    static const struct {
        const char *limit, *job;
        int code;
    } races[] = {
        { "max_queuable=1", "", 15046 },
        { "max_queued=[u:ann=1]", "", 15142 },
        { "max_queued_res.ncpus=[o:PBS_ALL=3]", "Resource_List.select=1:ncpus=2",
          15143 },
    };

    for (size_t i = 0; i < ARRAY_LEN(races); i++) {
        struct rig *r = rig_new();
        const char *first, *second;

        CU_ASSERT_EQUAL(
            rig_manager(r, RIG_ROOT, SET, OBJECT_QUEUE, "workq", races[i].limit), 0);
        first = begin(r, 901, races[i].job);
        second = begin(r, 902, races[i].job);
        CU_ASSERT_EQUAL(commit(r, 902, second), 0);
        CU_ASSERT_EQUAL(commit(r, 901, first), races[i].code);
        CU_ASSERT_PTR_NULL(the_job(r, first));
        CU_ASSERT_EQUAL(commit(r, 901, first), 15001); /* it is forgotten */
        rig_free(r);
    }
}

/* Nobody sees an uncommitted job, so nobody keeps its resource from being deleted. */
static void test_a_resource_that_went_before_the_commit_refuses_the_job(void)
{
    struct rig *r = rig_new();
    const char *id;

    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, CREATE, OBJECT_RESOURCE, "lic", "type=long flag=q"),
        0);
    id = begin(r, 901, "Resource_List.lic=3");
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_RESOURCE, "lic", ""), 0);
    CU_ASSERT_EQUAL(commit(r, 901, id), 15035);
    CU_ASSERT_PTR_NULL(the_job(r, id));
    rig_free(r);
}

static int alter(struct rig *r, const char *user, const char *id, const char *attrs)
{
    struct body_manage body = { .object_type = OBJECT_JOB, .object_name = id };

    body.attrs = rig_attrs(r, attrs);
    return rig_ask(r, user, BATCH_MODIFY_JOB, &body, NULL)->code;
}

static void test_an_alteration_keeps_the_limits_too(void)
{
    struct rig *r = rig_new();
    const char *a, *b;

    a = submit(r, RIG_USER, "", "Resource_List.select=1:ncpus=2 project=p", NULL);
    b = submit(r, RIG_USER, "", "Resource_List.select=1:ncpus=3 project=q", NULL);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_QUEUE, "workq",
                                "max_queued_res.ncpus=[u:ann=4] max_queued=[p:p=1]"),
                    0);
    /* Over the limit already: less is no wrong, more is. */
    CU_ASSERT_EQUAL(alter(r, RIG_USER, b, "Priority=3"), 0);
    CU_ASSERT_EQUAL(alter(r, RIG_USER, a, "Resource_List.select=1:ncpus=3"), 15143);
    CU_ASSERT_STRING_EQUAL(rig_text(r),
                           "would exceed user ann's limit on resource ncpus in queue "
                           "workq");
    CU_ASSERT_EQUAL(alter(r, RIG_USER, b, "Resource_List.select=1:ncpus=1"), 0);
    CU_ASSERT_EQUAL(alter(r, RIG_USER, b, "Resource_List.select=1:ncpus=2"), 0);
    CU_ASSERT_EQUAL(alter(r, RIG_USER, b, "Resource_List.select=1:ncpus=3"), 15143);
    /* Another project is a new entry there. */
    CU_ASSERT_EQUAL(alter(r, RIG_USER, b, "project=p"), 15142);
    CU_ASSERT_STRING_EQUAL(
        rig_text(r), "Maximum number of jobs for project p already in queue workq");
    CU_ASSERT_EQUAL(alter(r, RIG_USER, a, "project=q"), 0);
    CU_ASSERT_EQUAL(alter(r, RIG_USER, b, "project=p"), 0);
    CU_ASSERT_EQUAL(alter(r, RIG_ROOT, a, "project=p"), 0); /* a manager may */
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

/* Holds, releases, deletions: the sums are those of the jobs that are there. */
static void test_who_leaves_makes_room(void)
{
    struct rig *r = rig_new();
    const char *two = "Resource_List.select=1:ncpus=2:mem=1gb", *a;

    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "",
                                "max_queued_res.mem=[o:PBS_ALL=2gb] "
                                "queued_jobs_threshold=[u:PBS_GENERIC=1]"),
                    0);
    a = submit(r, RIG_USER, "", two, NULL);
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", two), 15142);
    CU_ASSERT_EQUAL(alter(r, RIG_USER, a, "Hold_Types=u"), 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", two), 0);
    CU_ASSERT_EQUAL(submit_code(r, "bob", "", two), 15143);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, a, NULL), 0);
    CU_ASSERT_EQUAL(submit_code(r, "bob", "", two), 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_restart(r);
    CU_ASSERT_EQUAL(submit_code(r, "eve", "", two), 15143);
    rig_free(r);
}

/* Nothing keeps a job from asking for less than nothing of what a site has defined. */
static void test_amounts_below_nothing_make_no_room(void)
{
    struct rig *r = rig_new();

    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, CREATE, OBJECT_RESOURCE, "f", "type=float flag=q"), 0);
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, CREATE, OBJECT_RESOURCE, "lic", "type=long flag=q"),
        0);
    CU_ASSERT_PTR_NOT_NULL(
        submit(r, RIG_USER, "", "Resource_List.lic=-5 Resource_List.f=-5", NULL));
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "",
                    "max_queued_res.lic=[o:PBS_ALL=3] max_queued_res.f=[o:PBS_ALL=3]"),
        0);
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", "Resource_List.lic=4"), 15143);
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", "Resource_List.f=4"), 15143);
    CU_ASSERT_EQUAL(
        submit_code(r, RIG_USER, "", "Resource_List.lic=3 Resource_List.f=3"), 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

/* Numbers at the end of their range are added up all the same. */
static void test_huge_amounts_are_more_than_any_limit(void)
{
    struct rig *r = rig_new();
    const char *huge = "Resource_List.mem=18446744073709551615pw "
                       "Resource_List.lic=9223372036854775807 Resource_List.f=1e308";
    const char *a;

    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, CREATE, OBJECT_RESOURCE, "f", "type=float flag=q"), 0);
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, CREATE, OBJECT_RESOURCE, "lic", "type=long flag=q"),
        0);
    a = submit(r, RIG_USER, "", huge, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(a);
    CU_ASSERT_PTR_NOT_NULL(submit(r, RIG_USER, "", huge, NULL));
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "",
                                "max_queued_res.lic=[o:PBS_ALL=9223372036854775807]"),
                    0);
    CU_ASSERT_EQUAL(submit_code(r, "bob", "", "Resource_List.lic=1"), 15143);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, a, NULL), 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    CU_ASSERT_EQUAL(submit_code(r, "bob", "", "Resource_List.lic=1"), 15143);
    CU_ASSERT_EQUAL(submit_code(r, "bob", "", "Resource_List.lic=0"), 0);
    rig_free(r);
}

static const struct unit_case cases[] = {
    { "every limit is kept and has its words",
      test_every_limit_is_kept_and_has_its_words },
    { "a race for the last place is lost by one",
      test_a_race_for_the_last_place_is_lost_by_one },
    { "a resource that went before the commit refuses the job",
      test_a_resource_that_went_before_the_commit_refuses_the_job },
    { "an alteration keeps the limits too", test_an_alteration_keeps_the_limits_too },
    { "amounts below nothing make no room", test_amounts_below_nothing_make_no_room },
    { "who leaves makes room", test_who_leaves_makes_room },
    { "huge amounts are more than any limit",
      test_huge_amounts_are_more_than_any_limit },
};

int main(void)
{
    return unit_main("job limits", cases, ARRAY_LEN(cases));
}
