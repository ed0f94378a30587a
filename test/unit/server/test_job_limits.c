/* test_job_limits.c - limits of users, groups and projects at the door of queues and of
 * the complex: who is counted, and the words of every refusal (attributes.md 5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

#define SET   2
#define UNSET 3

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
      "would exceed queue workq's per-user limit" },
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
      "would exceed queue workq's per-user limit of jobs in 'Q' state" },
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

static const struct unit_case cases[] = {
    { "every limit is kept and has its words",
      test_every_limit_is_kept_and_has_its_words },
};

int main(void)
{
    return unit_main("job limits", cases, ARRAY_LEN(cases));
}
