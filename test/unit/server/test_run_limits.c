/* test_run_limits.c - limits of running jobs hold for whoever starts a job: which of
 * them refuses, and with which words (attributes.md 5, scheduling.md 12 and 13).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

/* A job of ann's with 1 cpu runs in workq; another one of hers, with 1 cpu and in
 * project p, is started by qrun. Her group has her name. */
static const struct limit_case {
    const char *story;
    uint32_t type; /* OBJECT_QUEUE: workq; OBJECT_SERVER */
    const char *attrs;
    int code;
    const char *text;
} cases[] = {
    { "one more than runs", OBJECT_QUEUE, "max_run=[o:PBS_ALL=2]", 0, "" },
    { "everybody", OBJECT_QUEUE, "max_run=[o:PBS_ALL=1]", PBSE_ENTLIMCT,
      "Queue workq job limit has been reached." },
    { "any user", OBJECT_QUEUE, "max_run=[u:PBS_GENERIC=1]", PBSE_ENTLIMCT,
      "User has reached queue workq running job limit." },
    { "the user", OBJECT_QUEUE, "max_run=[u:ann=1]", PBSE_ENTLIMCT,
      "Queue workq job limit reached for user ann" },
    { "her own limit stands in the place of the generic one", OBJECT_QUEUE,
      "max_run=[u:PBS_GENERIC=1],[u:ann=2]", 0, "" },
    { "somebody else's", OBJECT_QUEUE, "max_run=[u:bob=0]", 0, "" },
    { "any group", OBJECT_QUEUE, "max_run=[g:PBS_GENERIC=1]", PBSE_ENTLIMCT,
      "Group has reached queue workq running limit." },
    { "a project of which nothing runs", OBJECT_QUEUE, "max_run=[p:PBS_GENERIC=1]", 0,
      "" },
    { "a project that runs nothing", OBJECT_QUEUE, "max_run=[p:p=0]", PBSE_ENTLIMCT,
      "Queue workq job limit reached for project p" },
    { "the group is asked before the user", OBJECT_QUEUE, "max_run=[u:ann=1],[g:ann=1]",
      PBSE_ENTLIMCT, "Queue workq job limit reached for group ann" },
    { "all of the complex", OBJECT_SERVER, "max_run=[o:PBS_ALL=1]", PBSE_ENTLIMCT,
      "Server job limit has been reached." },
    { "any user of the complex", OBJECT_SERVER, "max_run=[u:PBS_GENERIC=1]",
      PBSE_ENTLIMCT, "User has reached server running job limit." },
    { "cpus that are just enough", OBJECT_QUEUE, "max_run_res.ncpus=[u:ann=2]", 0, "" },
    { "the user's cpus", OBJECT_QUEUE, "max_run_res.ncpus=[u:ann=1]", PBSE_ENTLIMRESC,
      "would exceed user ann's limit on resource ncpus in queue workq" },
    { "any user's cpus", OBJECT_SERVER, "max_run_res.ncpus=[u:PBS_GENERIC=1]",
      PBSE_ENTLIMRESC, "Server per-user limit reached on resource ncpus" },
    { "cpus of all", OBJECT_SERVER, "max_run_res.ncpus=[o:PBS_ALL=1]", PBSE_ENTLIMRESC,
      "would exceed overall limit on resource ncpus in complex" },
    { "what she does not ask for", OBJECT_SERVER, "max_run_res.mem=[o:PBS_ALL=1kb]", 0,
      "" },
    { "old, everybody", OBJECT_QUEUE, "max_running=1", PBSE_ENTLIMCT,
      "Queue workq job limit has been reached." },
    { "old, just enough", OBJECT_QUEUE, "max_running=2", 0, "" },
    { "old, a user", OBJECT_SERVER, "max_user_run=1", PBSE_ENTLIMCT,
      "User has reached server running job limit." },
    { "old, a group", OBJECT_SERVER, "max_group_run=1", PBSE_ENTLIMCT,
      "Group has reached server running limit." },
    { "old, cpus of a user", OBJECT_QUEUE, "max_user_res.ncpus=1", PBSE_ENTLIMRESC,
      "Queue workq per-user limit reached on resource ncpus" },
    { "old, cpus of a group", OBJECT_SERVER, "max_group_res.ncpus=1", PBSE_ENTLIMRESC,
      "Server per-group limit reached on resource ncpus" },
    { "old, everybody in the complex", OBJECT_SERVER, "max_running=1", PBSE_ENTLIMCT,
      "Server job limit has been reached." },
    { "old, a user in the queue", OBJECT_QUEUE, "max_user_run=1", PBSE_ENTLIMCT,
      "User has reached queue workq running job limit." },
    { "old, a group in the queue", OBJECT_QUEUE, "max_group_run=1", PBSE_ENTLIMCT,
      "Group has reached queue workq running limit." },
    { "old, cpus of a user in the complex", OBJECT_SERVER, "max_user_res.ncpus=1",
      PBSE_ENTLIMRESC, "Server per-user limit reached on resource ncpus" },
    { "old, cpus of a group in the queue", OBJECT_QUEUE, "max_group_res.ncpus=1",
      PBSE_ENTLIMRESC, "Queue workq per-group limit reached on resource ncpus" },
    { "old soft limits stop nobody", OBJECT_SERVER,
      "max_user_run_soft=0 max_group_run_soft=0 max_user_res_soft.ncpus=0 "
      "max_group_res_soft.ncpus=0",
      0, "" },
    { "nor those of a queue", OBJECT_QUEUE,
      "max_user_run_soft=0 max_group_run_soft=0 max_user_res_soft.ncpus=0 "
      "max_group_res_soft.ncpus=0",
      0, "" },
    { "soft limits stop nobody", OBJECT_SERVER, "max_run_soft=[o:PBS_ALL=0]", 0, "" },
};

static void set_limit(struct rig *r, uint32_t type, const char *attrs)
{
    const char *name = type == OBJECT_QUEUE ? "workq" : "";

    CU_ASSERT_EQUAL_FATAL(rig_manager(r, RIG_ROOT, SET, type, name, attrs), 0);
}

static void check(const struct limit_case *c, const char *vnodes)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id;
    int code;

    running_job(&fm);
    id = submit(r, RIG_USER, "", "project=p", NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    set_limit(r, c->type, c->attrs);
    /* With nobody to choose vnodes, a run that is allowed is refused for that reason.
     */
    code = *vnodes || c->code ? run_job(r, id, vnodes) : 0;
    if (code != c->code || (code && strcmp(rig_text(r), c->text) != 0)) {
        printf("\n\"%s\": %d %s\n", c->story, code, rig_text(r));
        CU_FAIL("the wrong answer");
    }
    CU_ASSERT_EQUAL(state_of(r, id), *vnodes && !c->code ? 'R' : 'Q');
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void a_limit_refuses_whoever_runs_a_job(void)
{
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        check(&cases[i], "(n1:ncpus=1)");
        check(&cases[i], "");
    }
}

static void subjobs_that_start_together_count_together(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = submit(r, RIG_USER, "", "array_indices_submitted=1-4", NULL);

    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    set_limit(r, OBJECT_QUEUE, "max_run=[u:ann=2]");
    CU_ASSERT_EQUAL(run_job(r, "0[1-3].svr", "(n1:ncpus=1)"), PBSE_ENTLIMCT);
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    CU_ASSERT_EQUAL(run_job(r, "0[1-2].svr", "(n1:ncpus=1)"), 0);
    CU_ASSERT_EQUAL(state_of(r, "0[2].svr"), 'R');
    CU_ASSERT_EQUAL(run_job(r, "0[3].svr", "(n1:ncpus=1)"), PBSE_ENTLIMCT);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static const struct unit_case all[] = {
    { "a limit refuses whoever runs a job", a_limit_refuses_whoever_runs_a_job },
    { "subjobs that start together count together",
      subjobs_that_start_together_count_together },
};

int main(void)
{
    return unit_main("run limits", all, ARRAY_LEN(all));
}
