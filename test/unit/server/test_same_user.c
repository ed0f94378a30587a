/* Unit tests of whom the server takes for an account of its host: flatuid, and the
 * files of host equivalence (attributes.md 9 and 13).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/config.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/server/harness.h"

#include "../unit.h"

#include <string.h>

#define FAR  "far.example"
#define CONN 7000

static const struct {
    const char *story, *settings, *trusted, *who, *attrs;
    int code;
    const char *euser;
} rows[] = {
    { "of this host", "", NULL, "ann", "", 0, "ann" },
    { "of another one", "", NULL, "ann@" FAR, "", PBSE_BADUSER, NULL },
    { "flatuid makes them one", "flatuid=True", NULL, "ann@" FAR, "", 0, "ann" },
    { "and no two names", "flatuid=True", NULL, "ann@" FAR, "User_List=bob",
      PBSE_BADUSER, NULL },
    { "so do the files", "", "ann ann@" FAR, "ann@" FAR, "", 0, "ann" },
    { "of whom they name", "", "ann ann@" FAR, "bob@" FAR, "", PBSE_BADUSER, NULL },
    { "where they name him", "", "ann ann@" FAR, "ann@near.example", "", PBSE_BADUSER,
      NULL },
    { "another account", "", "bob ann@" FAR, "ann@" FAR, "User_List=bob", 0, "bob" },
    { "from this host", "", "bob ann@" RIG_HOST, "ann", "User_List=bob", 0, "bob" },
    { "not of itself", "", NULL, "ann", "User_List=bob", PBSE_BADUSER, NULL },
    { "nor back", "", "bob ann@" RIG_HOST, "bob", "User_List=ann", PBSE_BADUSER, NULL },
    { "root of another host is named", "acl_roots=root@" FAR, NULL, "root@" FAR, "", 0,
      "root" },
    { "or is not", "acl_roots=root@" RIG_HOST, "root root@" FAR, "root@" FAR, "",
      PBSE_BADUSER, NULL },
    { "root is nobody's", "acl_roots=root,ann", "root ann@" RIG_HOST, "ann",
      "User_List=root", PBSE_BADUSER, NULL },
};

static void who_may_run_jobs(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct rig *r = rig_new();
        const char *euser;
        int code;

        CU_ASSERT_EQUAL(
            rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", rows[i].settings), 0);
        rig_trusted = rows[i].trusted;
        code = submit_code(r, rows[i].who, "", rows[i].attrs);
        euser = rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, "0.svr", "euser");
        if (code != rows[i].code || !str_same(euser, rows[i].euser)) {
            fprintf(stderr, "%s: %d, %s\n", rows[i].story, code, euser ? euser : "");
            CU_FAIL("is another user");
        }
        rig_trusted = NULL;
        rig_free(r);
    }
}

static int delete_as(struct rig *r, const char *who, const char *id)
{
    const struct body_manage body = { .command = 1,
                                      .object_type = 2,
                                      .object_name = id };
    const struct wire_reply *reply = rig_ask(r, who, BATCH_DELETE_JOB, &body, NULL);

    return reply ? (int)reply->code : -1;
}

static void an_owner_may_ask_from_elsewhere(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *a = submit(r, "ann", "", "", NULL), *b = submit(r, "bob", "", "", NULL);

    CU_ASSERT_EQUAL(delete_as(r, "ann@" FAR, a), PBSE_PERM);
    rig_trusted = "ann ann@" FAR;
    CU_ASSERT_EQUAL(delete_as(r, "ann@near.example", a), PBSE_PERM);
    CU_ASSERT_EQUAL(delete_as(r, "bob@" FAR, b), PBSE_PERM);
    CU_ASSERT_EQUAL(delete_as(r, "ann@" FAR, b), PBSE_PERM);
    CU_ASSERT_EQUAL(delete_as(r, "ann@" FAR, a), 0);
    rig_trusted = NULL;
    fake_mom_free(&fm);
}

static void own_jobs_are_seen_from_elsewhere(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = submit(r, "ann", "", "", NULL);
    const struct wire_objects *seen;

    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "query_other_jobs=False"), 0);
    seen = rig_status(r, "ann@" FAR, BATCH_STATUS_JOB, "", "");
    CU_ASSERT(seen && seen->n == 0);
    rig_trusted = "ann ann@" FAR;
    seen = rig_status(r, "ann@" FAR, BATCH_STATUS_JOB, "", "");
    CU_ASSERT(seen && seen->n == 1 && strcmp(seen->v[0].name, id) == 0);
    rig_trusted = NULL;
    fake_mom_free(&fm);
}

static const struct need *asked(const struct rig *r, size_t n)
{
    const struct effect *e = rig_effect(r, EFFECT_FIND_OUT, n);

    return e ? &e->u.need : NULL;
}

static void learn(struct rig *r, const struct need *need, bool found)
{
    struct need copy = need_copy(need, r->arena);
    const struct finding finding = { .found = found, .failed = !found };
    struct effects none = { .arena = r->arena };

    svr_learned(r->s, r->now_at, &copy, &finding, &none);
}

/* A home directory may be slow: only who depends on it waits for it. */
static void ask_and_learn(bool found)
{
    const struct body_manage body = { .command = 1,
                                      .object_type = 2,
                                      .object_name = "0.svr" };
    struct rig *r;

    rig_finds_out = true;
    r = rig_new();
    rig_finds_out = false;
    CU_ASSERT_PTR_NOT_NULL(rig_status(r, "ann@" FAR, BATCH_STATUS_JOB, "", ""));
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_FIND_OUT), 0);
    CU_ASSERT_EQUAL(delete_as(r, "ann", "0.svr"), PBSE_UNKJOBID);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_FIND_OUT), 0);
    CU_ASSERT_PTR_NULL(rig_ask_on(r, CONN, "ann@" FAR, BATCH_DELETE_JOB, &body, NULL));
    CU_ASSERT_PTR_NOT_NULL_FATAL(asked(r, 0));
    CU_ASSERT_EQUAL(asked(r, 0)->kind, NEED_EQUIVALENT);
    CU_ASSERT_STRING_EQUAL(asked(r, 0)->name, "ann");
    CU_ASSERT_STRING_EQUAL(asked(r, 0)->detail, "ann@" FAR);
    CU_ASSERT_STRING_EQUAL(asked(r, 0)->data, RIG_HOST);
    learn(r, asked(r, 0), found);
    CU_ASSERT_PTR_NOT_NULL(rig_go_on(r, CONN));
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, PBSE_UNKJOBID);
    rig_free(r);
}

static void who_needs_files_waits_for_them(void)
{
    ask_and_learn(true);
    ask_and_learn(false);
}

static const struct unit_case cases[] = {
    { "jobs run as who may run them", who_may_run_jobs },
    { "an owner may ask from elsewhere", an_owner_may_ask_from_elsewhere },
    { "own jobs are seen from elsewhere", own_jobs_are_seen_from_elsewhere },
    { "who needs the files waits for them", who_needs_files_waits_for_them },
};

int main(void)
{
    return unit_main("server/same_user", cases, ARRAY_LEN(cases));
}
