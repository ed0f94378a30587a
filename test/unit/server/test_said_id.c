/* test_said_id.c - the forms in which a request may name a job (attributes.md 10).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

/* The code of one request about the job of that id. */
static int ask(struct rig *r, uint32_t number, const void *body)
{
    const struct wire_reply *reply = rig_ask(r, RIG_ROOT, number, body, NULL);

    return reply ? (int)reply->code : 0;
}

static int manage(struct rig *r, uint32_t number, const char *id, const char *attrs)
{
    struct body_manage body = { .object_type = OBJECT_JOB, .object_name = id };

    body.attrs = rig_attrs(r, attrs);
    return ask(r, number, &body);
}

static int delete_list(struct rig *r, const char *id)
{
    const char *ids[] = { id };
    const struct body_list body = { .ids = { .n = 1, .v = ids } };
    const struct wire_reply *reply =
        rig_ask(r, RIG_ROOT, BATCH_DELETE_JOB_LIST, &body, NULL);

    return reply->deleted.n > 0 ? (int)reply->deleted.v[0].code : 0;
}

static int about(struct rig *r, uint32_t number, const char *id)
{
    switch (number) {
    case BATCH_STATUS_JOB:
        return ask(r, number, &(struct body_status){ .id = id });
    case BATCH_HOLD_JOB:
    case BATCH_RELEASE_JOB:
        return manage(r, number, id, "Hold_Types=u");
    case BATCH_MODIFY_JOB:
        return manage(r, number, id, "Priority=3");
    case BATCH_DELETE_JOB:
        return manage(r, number, id, "");
    case BATCH_DELETE_JOB_LIST:
        return delete_list(r, id);
    case BATCH_SIGNAL_JOB:
        return ask(r, number, &(struct body_signal){ .job_id = id, .signal = "0" });
    case BATCH_MESSAGE_JOB:
        return ask(r, number, &(struct body_message){ .job_id = id, .text = "x" });
    case BATCH_RELEASE_NODES:
        return ask(r, number,
                   &(struct body_release_nodes){ .job_id = id, .vnodes = "" });
    case BATCH_MOVE_JOB:
        return ask(r, number,
                   &(struct body_move){ .job_id = id, .destination = "workq" });
    case BATCH_ORDER_JOB:
        return ask(r, number, &(struct body_move){ .job_id = id, .destination = id });
    case BATCH_RUN_JOB:
        return ask(r, number,
                   &(struct body_run){ .object_id = id, .vnodes = "nosuch" });
    default: /* LocateJob and Rerun have the id alone */
        return ask(r, number, &(struct body_id){ .id = id });
    }
}

/* Those that change nothing about the others come first. */
static const uint32_t requests[] = {
    BATCH_STATUS_JOB, BATCH_LOCATE_JOB,      BATCH_HOLD_JOB,    BATCH_RELEASE_JOB,
    BATCH_MODIFY_JOB, BATCH_SIGNAL_JOB,      BATCH_MESSAGE_JOB, BATCH_RERUN,
    BATCH_ORDER_JOB,  BATCH_RELEASE_NODES,   BATCH_MOVE_JOB,    BATCH_RUN_JOB,
    BATCH_DELETE_JOB, BATCH_DELETE_JOB_LIST,
};

/* What stands behind the number. */
static const char *const names_here[] = { "",      ".svr",         ".SVR",
                                          "@else", ".svr.example", ".Svr.EXAMPLE",
                                          "@a:9",  ".svr@svr",     ".svr@" };
static const char *const names_elsewhere[] = {
    ".other", ".svr.other", ".svr.example.org", ".sv", ".", ".other@svr", "x",
    " ",      "..svr"
};

static void every_request_knows_every_form(void)
{
    for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
        for (size_t k = 0; k < ARRAY_LEN(names_here); k++) {
            struct rig *r = rig_new();
            const char *id;
            int code;

            CU_ASSERT_STRING_EQUAL(submit(r, RIG_USER, "", "", NULL), "0.svr");
            id = arena_printf(r->arena, "0%s", names_here[k]);
            code = about(r, requests[i], id);
            if (code == PBSE_UNKJOBID)
                printf("request %u does not know %s\n", requests[i], id);
            CU_ASSERT_NOT_EQUAL(code, PBSE_UNKJOBID);
            rig_free(r);
        }
    }
}

static void jobs_of_others_are_not_known(void)
{
    struct rig *r = rig_new();

    submit(r, RIG_USER, "", "", NULL);
    for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
        for (size_t k = 0; k < ARRAY_LEN(names_elsewhere); k++) {
            const char *id = arena_printf(r->arena, "0%s", names_elsewhere[k]);

            CU_ASSERT_EQUAL(about(r, requests[i], id), PBSE_UNKJOBID);
        }
    }
    rig_free(r);
}

/* The ids that a status shows, which are always whole. */
static const char *shown(struct rig *r, const char *id)
{
    const struct wire_objects *o = rig_status(r, RIG_ROOT, BATCH_STATUS_JOB, id, "");
    const char *text = "";

    for (size_t i = 0; o && i < o->n; i++)
        text = arena_printf(r->arena, "%s%s%s", text, *text ? " " : "", o->v[i].name);
    return text;
}

static void arrays_and_lists_have_these_forms_too(void)
{
    struct rig *r = rig_new();

    submit(r, RIG_USER, "", "", NULL);
    submit(r, RIG_USER, "", "array_indices_submitted=1-4", NULL);
    CU_ASSERT_STRING_EQUAL(shown(r, "0,9,1[]@svr,"), "0.svr 1[].svr");
    CU_ASSERT_STRING_EQUAL(shown(r, "1[2]"), "1[2].svr");
    CU_ASSERT_STRING_EQUAL(shown(r, "1[2-4:2].SVR,0.svr.example"),
                           "1[2].svr 1[4].svr 0.svr");
    CU_ASSERT_STRING_EQUAL(shown(r, "1[9]"), "");
    CU_ASSERT_EQUAL(delete_list(r, "1[3]@svr"), 0);
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, "1[].svr", "array_state_count"),
        "Queued:3 Running:0 Exiting:0 Expired:1");
    rig_free(r);
}

static void dependencies_have_these_forms_too(void)
{
    static const char *const forms[] = { "0.svr", "0.SVR", "0.svr.example", "0.svr@SVR",
                                         "0.Svr@svr.example" };
    struct rig *r = rig_new();
    const char *id;

    submit(r, RIG_USER, "", "", NULL);
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        id = submit(r, RIG_USER, "",
                    arena_printf(r->arena, "depend=afterok:%s", forms[i]), NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(id);
        CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, id, "depend"),
                               "afterok:0.svr@svr");
    }
    CU_ASSERT_PTR_NULL(submit(r, RIG_USER, "", "depend=afterok:0.other", NULL));
    CU_ASSERT_PTR_NULL(submit(r, RIG_USER, "", "depend=afterok:6.SVR", NULL));
    rig_free(r);
}

static const struct unit_case cases[] = {
    { "every request knows every form of an id", every_request_knows_every_form },
    { "jobs of other servers are not known", jobs_of_others_are_not_known },
    { "arrays and lists have these forms too", arrays_and_lists_have_these_forms_too },
    { "dependencies have these forms too", dependencies_have_these_forms_too },
};

int main(void)
{
    return unit_main("said_id", cases, ARRAY_LEN(cases));
}
