/* test_object_size.c - how much memory one object, and all jobs of one user, may take.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/svr_priv.h"
#include "server/model/job_tally.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

/* "Variable_List=X=aaa..." with so many letters. */
static const char *variable(struct rig *r, size_t n)
{
    char *letters = arena_zero(r->arena, n + 1);

    memset(letters, 'a', n);
    return arena_printf(r->arena, "Variable_List=X=%s", letters);
}

static int alter(struct rig *r, const char *id, const char *attrs)
{
    const struct body_manage body = { .command = SET,
                                      .object_type = OBJECT_JOB,
                                      .object_name = id,
                                      .attrs = rig_attrs(r, attrs) };

    return rig_ask(r, RIG_USER, BATCH_MODIFY_JOB, &body, NULL)->code;
}

static size_t bytes_of_user(const struct rig *r)
{
    return tally_bytes(&svr_model(r->s)->tallies, 'u', RIG_USER);
}

static void a_job_has_a_size(void)
{
    struct rig *r = rig_new();
    const char *id, *script = variable(r, 20000);

    r->s->cfg.max_object_bytes = 8192;
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", variable(r, 8192)), PBSE_IVALREQ);
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_text(r), "the attributes have "));
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_text(r), " KiB, of 8 KiB"));
    id = submit(r, RIG_USER, "", variable(r, 4096), script); /* that is not counted */
    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CU_ASSERT_EQUAL(alter(r, id, variable(r, 8192)), PBSE_IVALREQ);
    CU_ASSERT_EQUAL(alter(r, id, variable(r, 5000)), 0);
    r->s->cfg.max_object_bytes = 1024; /* what is too large may become smaller */
    CU_ASSERT_EQUAL(alter(r, id, variable(r, 5001)), PBSE_IVALREQ);
    CU_ASSERT_EQUAL(alter(r, id, variable(r, 4000)), 0);
    r->s->cfg.max_object_bytes = 0;
    CU_ASSERT_EQUAL(alter(r, id, variable(r, 50000)), 0);
    rig_free(r);
}

static void a_users_jobs_have_a_size_together(void)
{
    struct rig *r = rig_new();
    const char *first, *script = variable(r, 20000);

    r->s->cfg.max_user_jobs_bytes = 32 << 10;
    first = submit(r, RIG_USER, "", variable(r, 1000), script);
    CU_ASSERT_PTR_NOT_NULL_FATAL(first);
    CU_ASSERT(bytes_of_user(r) > 21000 && bytes_of_user(r) < 24000);
    CU_ASSERT_PTR_NULL(submit(r, RIG_USER, "", variable(r, 1000), script));
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", variable(r, 20000)), PBSE_EXCQRESC);
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_text(r), "the jobs of " RIG_USER " would take"));
    CU_ASSERT_EQUAL(alter(r, first, variable(r, 20000)), PBSE_EXCQRESC);
    CU_ASSERT_EQUAL(alter(r, first, "Job_Name=other"), 0);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, first, ""), 0);
    CU_ASSERT_EQUAL(bytes_of_user(r), 0);
    CU_ASSERT_PTR_NOT_NULL(submit(r, RIG_USER, "", variable(r, 1000), script));
    rig_free(r);
}

static void a_job_that_is_being_sent_is_counted(void)
{
    struct rig *r = rig_new();
    const uint64_t conn = 7;
    const struct body_queue body = { .id = "", .destination = "" };
    const struct body_script part = { .data = { variable(r, 1000), 1000 } };

    CU_ASSERT_EQUAL(svr_kept_bytes(r->s, conn), 0);
    CU_ASSERT_EQUAL(rig_ask_on(r, conn, RIG_USER, BATCH_QUEUE_JOB, &body, NULL)->code,
                    0);
    CU_ASSERT(svr_kept_bytes(r->s, conn) > 100);
    CU_ASSERT_EQUAL(rig_ask_on(r, conn, RIG_USER, BATCH_JOB_SCRIPT, &part, NULL)->code,
                    0);
    CU_ASSERT(svr_kept_bytes(r->s, conn) > 1000);
    svr_client_gone(r->s, r->now_at, conn, &r->out);
    CU_ASSERT_EQUAL(svr_kept_bytes(r->s, conn), 0);
    rig_free(r);
}

static const struct unit_case cases[] = {
    { "a job has a size", a_job_has_a_size },
    { "a user's jobs have a size together", a_users_jobs_have_a_size_together },
    { "a job that is being sent is counted", a_job_that_is_being_sent_is_counted },
};

int main(void)
{
    return unit_main("object_size", cases, ARRAY_LEN(cases));
}
