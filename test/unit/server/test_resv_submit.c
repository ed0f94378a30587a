/* Unit tests of SubmitResv: what is refused, in which order, with which words; and what
 * a new reservation and its queue look like.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include <string.h>

#define SOON   "reserve_start=1795248000"
#define WINDOW SOON "|Resource_List.walltime=600"
#define GOOD   WINDOW "|Resource_List.select=1:ncpus=2"

struct refusal {
    const char *story;
    const char *user;
    const char *attrs;
    int code;
    const char *text;
};

static const struct refusal refusals[] = {
    { "no times", "user1", "Resource_List.select=1:ncpus=1", PBSE_BADTSPEC,
      "Bad time specification(s)" },
    { "a start in the past", "user1", "reserve_start=1795247570|reserve_duration=10",
      PBSE_BADTSPEC, "Bad time specification(s)" },
    { "a length of nothing", "user1", SOON "|Resource_List.walltime=0", PBSE_BADTSPEC,
      "Bad time specification(s)" },
    { "an unknown attribute", "user1", GOOD "|foo=bar", PBSE_NOATTR,
      "Undefined attribute " },
    { "an attribute of jobs", "user1", GOOD "|Variable_List=A=b|Output_Path=/x",
      PBSE_NOATTR, "Undefined attribute " },
    { "an unknown attribute before bad times", "user1", "foo=bar", PBSE_NOATTR,
      "Undefined attribute " },
    { "an unknown resource", "user1", WINDOW "|Resource_List.foo=1", PBSE_UNKRESC,
      "Unknown resource Resource_List.foo" },
    { "an unknown resource in select", "user1", WINDOW "|Resource_List.select=1:foo=1",
      PBSE_UNKRESC, "Unknown resource: foo" },
    { "an unknown resource in select before bad times", "user1",
      "Resource_List.select=1:foo=1", PBSE_UNKRESC, "Unknown resource: foo" },
    { "a bad value", "user1", WINDOW "|Resource_List.ncpus=abc", PBSE_BADATVAL,
      "Illegal attribute or resource value Resource_List.ncpus" },
    { "a bad place", "user1", GOOD "|Resource_List.place=bogus", PBSE_BADATVAL,
      "Illegal attribute or resource value Resource_List.place" },
    { "a bad duration", "user1", SOON "|Resource_List.walltime=1x", PBSE_BADATVAL,
      "Illegal attribute or resource value Resource_List.walltime" },
    { "job-wide cpus beside a select", "user1", GOOD "|Resource_List.ncpus=1",
      PBSE_INVALJOBRESC,
      "\"-lresource=\" cannot be used with \"select\" or \"place\", resource is: "
      "ncpus" },
    { "a limit that shrinks", "user1", GOOD "|Resource_List.min_walltime=5",
      PBSE_NOSTF_RESV,
      "\"min_walltime\" and \"max_walltime\" are not valid resources for a "
      "reservation" },
    { "somebody named twice", "user1", GOOD "|Authorized_Users=a,a", PBSE_DUPLIST,
      "Duplicate entry in list " },
    { "a group named twice", "user1", GOOD "|Authorized_Groups=g,g", PBSE_DUPLIST,
      "Duplicate entry in list " },
    { "bad times before somebody named twice", "user1", "Authorized_Users=a,a",
      PBSE_BADTSPEC, "Bad time specification(s)" },
    { "root", "root", GOOD, PBSE_R_UID, "Bad effective UID for reservation" },
    { "an account nobody knows", "nobody1", GOOD, PBSE_R_UID,
      "Bad effective UID for reservation" },
    { "somebody else's account", "user1", GOOD "|User_List=user2", PBSE_R_UID,
      "Bad effective UID for reservation" },
    { "a group of others", "user1", GOOD "|group_list=g2", PBSE_BADGRP, "" },
    { "a priority out of range", "user1", GOOD "|Priority=5000", PBSE_BADATVAL,
      "Illegal attribute or resource value" },
    { "bad times before a priority", "user1", "Priority=5000", PBSE_BADTSPEC,
      "Bad time specification(s)" },
    { "a state of one's own", "user1", GOOD "|reserve_state=5", PBSE_ATTRRO,
      "Cannot set attribute, read only or insufficient permission  reserve_state" },
    { "a retry of one's own", "user1", GOOD "|reserve_retry=5", PBSE_ATTRRO,
      "Cannot set attribute, read only or insufficient permission  reserve_retry" },
    { "an index of one's own", "user1", GOOD "|reserve_index=5", PBSE_ATTRRO,
      "Cannot set attribute, read only or insufficient permission  reserve_index" },
    { "nodes of one's own", "user1", GOOD "|resv_nodes=(vn[0])", PBSE_ATTRRO,
      "Cannot set attribute, read only or insufficient permission  resv_nodes" },
    { "a series without a zone", "user1", GOOD "|reserve_rrule=FREQ=DAILY;COUNT=2",
      PBSE_BAD_ICAL_TZ, "Unrecognized PBS_TZID environment variable" },
    { "a series without a rule", "user1", GOOD "|reserve_standing=1",
      PBSE_BAD_RRULE_SYNTAX, "Undefined iCalendar syntax" },
    { "out of a job that is not", "user1", "reserve_job=5.svr", PBSE_UNKJOBID,
      "Unknown Job Id" },
    { "for a job that is not", "user1", "qmove=5.svr", PBSE_UNKJOBID,
      "Unknown Job Id" },
};

static void check_refusal(struct world *w, const struct refusal *c)
{
    uint64_t seq = svr_model(w->s)->seq;

    world_submit(w, c->user, c->attrs);
    if (world_reply_code(w, CONN_USER) != c->code)
        fprintf(stderr, "%s: %d %s\n", c->story, world_reply_code(w, CONN_USER),
                world_reply_text(w, CONN_USER));
    CU_ASSERT_EQUAL(world_reply_code(w, CONN_USER), c->code);
    if (*c->text)
        EXPECT_TEXT(world_reply_text(w, CONN_USER), c->text);
    CU_ASSERT_EQUAL(svr_model(w->s)->seq, seq);
    CU_ASSERT_EQUAL(svr_model(w->s)->kinds[OBJ_RESV].n, 0);
    CU_ASSERT_EQUAL(svr_model(w->s)->kinds[OBJ_QUEUE].n, 0);
}

static void test_refusals(void)
{
    struct world w;

    world_new(&w);
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
        world_clear(&w);
        check_refusal(&w, &refusals[i]);
    }
    /* No number was burnt. */
    world_submit(&w, "user1", GOOD);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "1/1");
    world_free(&w);
}

/* With a new reservation, and with one that is there. */
static void check_not_written(struct world *w, const struct attr_row *row,
                              const char *user, unsigned rights)
{
    char submitted[160], altered[80];
    uint64_t seq = svr_model(w->s)->seq;
    /* Names that are the server's own are not known to anybody. */
    int code = strncmp(row->name, "hf_", 3) == 0 ? PBSE_NOATTR : PBSE_ATTRRO;

    if (row->write & rights)
        return;
    snprintf(submitted, sizeof(submitted), GOOD "|%s=1", row->name);
    snprintf(altered, sizeof(altered), "%s=1", row->name);
    world_clear(w);
    world_submit(w, user, submitted);
    if (world_reply_code(w, CONN_USER) != code)
        fprintf(stderr, "%s by %s: %d\n", row->name, user,
                world_reply_code(w, CONN_USER));
    CU_ASSERT_EQUAL(world_reply_code(w, CONN_USER), code);
    world_clear(w);
    world_modify(w, user, "R1.svr", altered, NULL);
    if (world_reply_code(w, CONN_OTHER) != code)
        fprintf(stderr, "%s altered by %s: %d\n", row->name, user,
                world_reply_code(w, CONN_OTHER));
    CU_ASSERT_EQUAL(world_reply_code(w, CONN_OTHER), code);
    CU_ASSERT_EQUAL(svr_model(w->s)->seq, seq);
}

static void test_what_is_not_theirs(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1", GOOD);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "1/1");
    for (int attr = 0; attr < RESV_A_COUNT; attr++) {
        /* pbs_rsub sends it with each rule; it is worth nothing by itself. */
        if (attr == RESV_A_RESERVE_STANDING)
            continue;
        check_not_written(&w, &resv_rows[attr], "user1", WHO_USER);
        check_not_written(&w, &resv_rows[attr], "mgr1",
                          WHO_USER | WHO_OPERATOR | WHO_MANAGER);
    }
    world_free(&w);
}

/* Who may reserve at all; each row beside the one that wins over it. */
static void test_admission(void)
{
    static const struct {
        const char *story;
        int attr;
        const char *value;
        const char *host;
        const char *user;
        const char *extend;
        const char *id;
        int code;
        const char *text;
    } cases[] = {
        { "reservations are off", SERVER_A_RESV_ENABLE, "False", "svr", "user1", NULL,
          "", PBSE_RESVAUTH_U, "reservations disallowed on svr" },
        { "off wins over an id", SERVER_A_RESV_ENABLE, "False", "svr", "user1", "m",
          "R5", PBSE_RESVAUTH_U, "reservations disallowed on svr" },
        { "another host", SERVER_A_ACL_RESV_HOST_ENABLE, "True", "far", "user1", NULL,
          "", PBSE_RESVAUTH_H, "Host machine not authorized to submit reservations" },
        { "another host wins over maintenance", SERVER_A_ACL_RESV_HOST_ENABLE, "True",
          "far", "user1", "m", "", PBSE_RESVAUTH_H,
          "Host machine not authorized to submit reservations" },
        { "the server's own host", SERVER_A_ACL_RESV_HOST_ENABLE, "True", "svr",
          "user1", NULL, "", 0, "R1.svr UNCONFIRMED" },
        { "maintenance by a user", SERVER_A_COMMENT, "x", "svr", "user1", "m", "R5",
          PBSE_PERM, "Unauthorized Request " },
        { "maintenance by a manager", SERVER_A_COMMENT, "x", "svr", "mgr1", "m", "", 0,
          "M1.svr UNCONFIRMED" },
        { "an id of one's own", SERVER_A_COMMENT, "x", "svr", "user1", NULL, "R5",
          PBSE_IVALREQ, "" },
        { "groups are asked, none is named", SERVER_A_ACL_RESV_GROUP_ENABLE, "True",
          "svr", "user1", NULL, "", PBSE_RESVAUTH_G,
          "Requestor's group not authorized to submit reservations" },
        { "users are asked, none is named", SERVER_A_ACL_RESV_USER_ENABLE, "True",
          "svr", "user1", NULL, "", PBSE_RESVAUTH_U,
          "Requestor not authorized to make reservations" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;
        const struct requester who = { .user = cases[i].user,
                                       .host = cases[i].host,
                                       .conn = CONN_USER };

        world_new(&w);
        world_server(&w, cases[i].attr, NULL, cases[i].value);
        world_submit_as(&w, &who, cases[i].extend, cases[i].id, GOOD);
        if (world_reply_code(&w, CONN_USER) != cases[i].code)
            fprintf(stderr, "%s\n", cases[i].story);
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_USER), cases[i].code);
        if (*cases[i].text)
            EXPECT_TEXT(world_reply_text(&w, CONN_USER), cases[i].text);
        world_free(&w);
    }
}

static void test_lists_let_in(void)
{
    struct world w;

    world_new(&w);
    world_server(&w, SERVER_A_ACL_RESV_GROUP_ENABLE, NULL, "True");
    world_server(&w, SERVER_A_ACL_RESV_GROUPS, NULL, "all");
    world_server(&w, SERVER_A_ACL_RESV_USER_ENABLE, NULL, "True");
    world_server(&w, SERVER_A_ACL_RESV_USERS, NULL, "-user2,+user1@*");
    world_submit(&w, "user1", GOOD);
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "R1.svr UNCONFIRMED");
    world_clear(&w);
    world_submit(&w, "user2", GOOD);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_USER), PBSE_RESVAUTH_U);
    world_server(&w, SERVER_A_ACL_RESV_GROUPS, NULL, "-g1,all");
    world_clear(&w);
    world_submit(&w, "user1", GOOD);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_USER), PBSE_RESVAUTH_G);
    world_free(&w);
}

struct attr_case {
    int attr;
    const char *resource;
    const char *text;
};

static void check_attrs(struct world *w, enum obj_kind kind, const char *id, size_t n,
                        const struct attr_case *cases)
{
    for (size_t i = 0; i < n; i++)
        EXPECT_TEXT(world_attr(w, kind, id, cases[i].attr, cases[i].resource),
                    cases[i].text);
}

static void test_a_new_reservation(void)
{
    static const struct attr_case resv[] = {
        { RESV_A_RESERVE_NAME, NULL, "NULL" },
        { RESV_A_RESERVE_OWNER, NULL, "user1@svr" },
        { RESV_A_RESERVE_STATE, NULL, "1" },
        { RESV_A_RESERVE_SUBSTATE, NULL, "1" },
        { RESV_A_RESERVE_START, NULL, "1795248000" },
        { RESV_A_RESERVE_END, NULL, "1795248600" },
        { RESV_A_RESERVE_DURATION, NULL, "600" },
        { RESV_A_QUEUE, NULL, "R1" },
        { RESV_A_RESOURCE_LIST, "ncpus", "5" },
        { RESV_A_RESOURCE_LIST, "nodect", "3" },
        { RESV_A_RESOURCE_LIST, "place", "free" },
        { RESV_A_RESOURCE_LIST, "select", "2:ncpus=2+1:mem=1gb" },
        { RESV_A_RESOURCE_LIST, "walltime", "00:10:00" },
        { RESV_A_SCHEDSELECT, NULL, "2:ncpus=2+1:mem=1gb:ncpus=1" },
        { RESV_A_RESV_NODES, NULL, "" },
        { RESV_A_AUTHORIZED_USERS, NULL, "user1@svr" },
        { RESV_A_SERVER, NULL, "svr" },
        { RESV_A_CTIME, NULL, "1795247571" },
        { RESV_A_MTIME, NULL, "1795247571" },
        { RESV_A_HOP_COUNT, NULL, "1" },
        { RESV_A_INTERACTIVE, NULL, "" },
        { RESV_A_EUSER, NULL, "user1" },
        { RESV_A_EGROUP, NULL, "g1" },
        { RESV_A_RESERVE_COUNT, NULL, "1" },
        { RESV_A_RESERVE_RETRY, NULL, "" },
        { RESV_A_SUBMIT_HOST, NULL, "svr" },
        { RESV_A_PARTITION, NULL, "" },
    };
    static const struct attr_case queue[] = {
        { QUEUE_A_QUEUE_TYPE, NULL, "Execution" },
        { QUEUE_A_ENABLED, NULL, "False" },
        { QUEUE_A_STARTED, NULL, "False" },
        { QUEUE_A_ACL_USER_ENABLE, NULL, "True" },
        { QUEUE_A_ACL_USERS, NULL, "user1@svr" },
        { QUEUE_A_ACL_GROUP_ENABLE, NULL, "" },
        { QUEUE_A_ACL_GROUPS, NULL, "" },
        { QUEUE_A_ACL_HOST_ENABLE, NULL, "" },
        { QUEUE_A_RESOURCES_MAX, "ncpus", "5" },
        { QUEUE_A_RESOURCES_MAX, "mem", "1gb" },
        { QUEUE_A_RESOURCES_AVAILABLE, "ncpus", "5" },
        { QUEUE_A_RESOURCES_MAX, "nodect", "" },
        { QUEUE_A_RESOURCES_MAX, "select", "" },
        { QUEUE_A_RESOURCES_MAX, "place", "" },
        { QUEUE_A_RESOURCES_MAX, "walltime", "" },
        { QUEUE_A_PARTITION, NULL, "" },
    };
    struct world w;

    world_new(&w);
    world_submit(&w, "user1",
                 WINDOW "|Resource_List.select=2:ncpus=2+1:mem=1gb|Variable_List=A=b");
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "R1.svr UNCONFIRMED");
    CU_ASSERT_EQUAL(world_reply(&w, CONN_USER)->choice, REPLY_TEXT);
    check_attrs(&w, OBJ_RESV, "R1.svr", ARRAY_LEN(resv), resv);
    check_attrs(&w, OBJ_QUEUE, "R1", ARRAY_LEN(queue), queue);
    EXPECT_TEXT(world_account(&w, 'U', 0), "requestor=user1@svr");
    CU_ASSERT_EQUAL(world_count_log(&w, "New reservation submitted start=Sat Nov 21 "
                                        "08:00:00 2026 end=Sat Nov 21 08:10:00 2026"),
                    1);
    CU_ASSERT_TRUE(world_commanded(&w, 1));
    world_free(&w);
}

static void test_lists_go_to_the_queue(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1",
                 GOOD "|Authorized_Users=zoe,user2@far|Authorized_Groups=g1|"
                      "Authorized_Hosts=far|Reserve_Name=test");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ACL_USERS, NULL),
                world_attr(&w, OBJ_RESV, "R1", RESV_A_AUTHORIZED_USERS, NULL));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ACL_USERS, NULL), "user1@svr"));
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ACL_GROUP_ENABLE, NULL),
                "True");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ACL_GROUPS, NULL), "g1");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ACL_HOST_ENABLE, NULL), "True");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ACL_HOSTS, NULL), "far");
    world_free(&w);
}

/* Old job-wide requests, and defaults that fill what is missing and nothing else. */
static void test_requests_are_completed(void)
{
    static const struct {
        const char *attrs;
        const char *select, *place, *schedselect, *ncpus, *mem;
    } cases[] = {
        { "|Resource_List.ncpus=2|Resource_List.mem=100mb", "1:mem=100mb:ncpus=2",
          "free", "1:mem=100mb:ncpus=2", "2", "100mb" },
        { "", "1:ncpus=1", "free", "1:ncpus=1", "1", "" },
        { "|Resource_List.place=scatter", "1:ncpus=1", "scatter", "1:ncpus=1", "1",
          "" },
        { "|Resource_List.select=3", "3", "free", "3:ncpus=1", "3", "" },
        { "|Resource_List.select=ncpus=2|Resource_List.place=excl", "ncpus=2", "excl",
          "1:ncpus=2", "2", "" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        world_new(&w);
        world_server(&w, SERVER_A_RESOURCES_DEFAULT, "walltime", "00:00:05");
        world_submit(&w, "user1", arena_printf(w.arena, WINDOW "%s", cases[i].attrs));
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESOURCE_LIST, "select"),
                    cases[i].select);
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESOURCE_LIST, "place"),
                    cases[i].place);
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_SCHEDSELECT, NULL),
                    cases[i].schedselect);
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESOURCE_LIST, "ncpus"),
                    cases[i].ncpus);
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESOURCE_LIST, "mem"),
                    cases[i].mem);
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESOURCE_LIST, "walltime"),
                    "00:10:00");
        world_free(&w);
    }
}

static void test_waiting_for_the_answer(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1", GOOD "|interactive=20");
    CU_ASSERT_PTR_NULL(world_reply(&w, CONN_USER));
    EXPECT_TEXT(world_account(&w, 'U', 0), "requestor=user1@svr Interactive=20");
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "R1.svr CONFIRMED");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_INTERACTIVE, NULL), "20");

    world_clear(&w);
    world_submit(&w, "user1", GOOD "|interactive=20");
    world_deny(&w, "R2.svr");
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "R2.svr DENIED");

    world_clear(&w);
    world_submit(&w, "user1", GOOD "|interactive=20");
    world_go(&w, NOW + 19);
    CU_ASSERT_PTR_NULL(world_reply(&w, CONN_USER));
    world_go(&w, NOW + 20);
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "R3.svr UNCONFIRMED");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R3.svr"), "1/1");

    world_clear(&w);
    world_submit(&w, "user1", GOOD "|interactive=20");
    world_delete(&w, "mgr1", "R4.svr");
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "R4.svr DENIED");
    world_free(&w);
}

static void test_waiting_beyond_all_time(void)
{
    struct world w;

    world_new(&w);
    world_server(&w, SERVER_A_RESV_ANSWER_TIME, NULL, "9223372036854775807");
    world_submit(&w, "user1", GOOD "|interactive=9223372036854775807");
    world_go(&w, NOW + 1000);
    CU_ASSERT_PTR_NULL(world_reply(&w, CONN_USER));
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 1);
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "R1.svr CONFIRMED");
    world_clear(&w);
    world_modify(&w, "user1", "R1.svr",
                 "reserve_duration=5000|interactive=9223372036854775807", NULL);
    world_go(&w, NOW + 1001);
    CU_ASSERT_PTR_NULL(world_reply(&w, CONN_OTHER));
    world_free(&w);
}

static void test_wait_and_forget(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1", GOOD "|interactive=-20");
    world_go(&w, NOW + 19);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "1/1");
    world_go(&w, NOW + 20);
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "R1.svr delete, wait period expired");
    EXPECT_TEXT(world_account(&w, 'K', 0), "requestor=root@svr");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "gone");
    CU_ASSERT_PTR_NULL(model_queue(svr_model(w.s), "R1"));

    /* The wait is over also when the server was away meanwhile. */
    world_clear(&w);
    world_submit(&w, "user1", GOOD "|interactive=-20");
    w.now_at += 100;
    world_restart(&w);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R2.svr"), "gone");

    /* A confirmed one is not forgotten. */
    world_clear(&w);
    world_submit(&w, "user1", GOOD "|interactive=-20");
    world_confirm(&w, "R3.svr", "(vn[0]:ncpus=2)");
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "R3.svr CONFIRMED");
    world_go(&w, w.now_at + 30);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R3.svr"), "2/2");
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a refused submission changes nothing", test_refusals },
        { "what is not for clients to write is refused from them",
          test_what_is_not_theirs },
        { "who may not reserve is told so in order", test_admission },
        { "lists of groups and users let in", test_lists_let_in },
        { "a new reservation has its attributes", test_a_new_reservation },
        { "its lists go to its queue", test_lists_go_to_the_queue },
        { "requests are completed", test_requests_are_completed },
        { "who waits gets the answer", test_waiting_for_the_answer },
        { "waiting beyond all time does not end", test_waiting_beyond_all_time },
        { "who waits only so long gets no reservation", test_wait_and_forget },
    };

    return unit_main("resv_submit", cases, ARRAY_LEN(cases));
}
