/* Unit tests of reservations out of running jobs: what is refused, in which order; what
 * the reservation has from the job; that the books follow the links at every step; and
 * jobs that ask for one by themselves.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fake_mom.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/resv_attrs.h"
#include "server/engine/svr_priv.h"
#include "server/model/resv_state.h"

#include "../unit.h"

#include <string.h>

#define CONTAINS(text, part) CU_ASSERT_PTR_NOT_NULL((text) ? strstr(text, part) : NULL)
#define FIVE_YEARS_S         157680000

/* Helpers. */

/* One attribute of an object becomes something, whatever the requests allow. */
static void become(struct rig *r, enum obj_kind kind, const char *id, int attr,
                   const char *resource, const char *text)
{
    struct turn t = { .s = r->s, .now_at = r->now_at, .out = &r->out };
    struct decision d = { .arena = r->arena };
    struct record *rec =
        record_add(&d.records, r->arena, kind == OBJ_JOB ? FACT_JOB_MODIFIED : FACT_SET,
                   kind, id, "test@svr", r->now_at);

    record_change(rec, r->arena, attr, resource, text);
    take_up(&t, &d);
    settle(&t);
}

static int ask(struct rig *r, const char *user, const char *attrs)
{
    struct body_queue body = { .id = "",
                               .destination = "",
                               .attrs = rig_attrs(r, attrs) };
    const struct wire_reply *reply = rig_ask(r, user, BATCH_SUBMIT_RESV, &body, NULL);

    return reply ? reply->code : -1;
}

static void grow(struct fake_mom *fm, const char *id)
{
    CU_ASSERT_EQUAL_FATAL(run_job(fm->r, id, "(n1:ncpus=2)"), 0);
    fake_answer(fm, fake_told(fm, BATCH_COMMIT, 0), 0, NULL);
    fake_usage(fm, id, 1, "4711", "00:00:00");
}

/* A running job 0.svr of two cpus; started a minute ago. */
static const char *old_job(struct fake_mom *fm, const char *attrs)
{
    const char *id = submit(fm->r, RIG_USER, "", attrs, "sleep 5\n");

    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    grow(fm, id);
    rig_advance(fm->r, fm->r->now_at + 60);
    return id;
}

static void answer(struct fake_mom *fm, uint32_t number)
{
    const struct is_message *told = fake_told(fm, number, 0);

    CU_ASSERT_PTR_NOT_NULL_FATAL(told);
    fake_answer(fm, told, 0, NULL);
}

static void end_job(struct fake_mom *fm, const char *id)
{
    fake_obit(fm, id, 1, 0);
    answer(fm, BATCH_COPY_FILES);
    answer(fm, BATCH_DELETE_JOB);
}

static const struct object *the_resv(const struct rig *r, const char *id)
{
    return model_find(svr_model(r->s), OBJ_RESV, id);
}

static enum resv_phase phase_of(const struct rig *r, const char *id)
{
    const struct object *o = the_resv(r, id);

    return o ? resv_phase(TO_RESV(o)) : PHASE_NONE;
}

/* Sums equal recounts, and what is assigned on the vnode and the server is that. */
static void check_books(const struct rig *r, int64_t ncpus)
{
    const struct model *m = svr_model(r->s);

    model_check(m);
    CU_ASSERT_EQUAL(resources_amount(&model_node(m, "n1")->assigned.shown, "ncpus", 0),
                    ncpus);
    CU_ASSERT_EQUAL(resources_amount(&m->assigned.shown, "ncpus", 0), ncpus);
}

/* Refusals. */

static void nothing(struct rig *r UNUSED)
{
}

static void in_state(struct rig *r, const char *state, const char *substate)
{
    become(r, OBJ_JOB, "0.svr", JOB_A_SUBSTATE, NULL, substate);
    become(r, OBJ_JOB, "0.svr", JOB_A_JOB_STATE, NULL, state);
}

static void is_sent(struct rig *r)
{
    in_state(r, "R", "41");
}

static void is_suspended(struct rig *r)
{
    in_state(r, "S", "43");
}

static void exits(struct rig *r)
{
    in_state(r, "E", "50");
}

static void waits(struct rig *r)
{
    in_state(r, "Q", "10");
}

static void has_no_vnodes(struct rig *r)
{
    become(r, OBJ_JOB, "0.svr", JOB_A_EXEC_VNODE, NULL, NULL);
}

static void is_array(struct rig *r)
{
    become(r, OBJ_JOB, "0.svr", JOB_A_ARRAY, NULL, "True");
}

static void is_part_of_array(struct rig *r)
{
    become(r, OBJ_JOB, "0.svr", JOB_A_ARRAY_ID, NULL, "7[].svr");
}

static void is_in_resv(struct rig *r)
{
    CU_ASSERT_EQUAL(ask(r, RIG_USER, "reserve_job=0"), 0);
}

static void array_in_resv(struct rig *r)
{
    is_in_resv(r);
    is_array(r);
}

static void array_that_waits(struct rig *r)
{
    is_array(r);
    waits(r);
}

static void resvs_are_off(struct rig *r)
{
    rig_manager(r, RIG_ROOT, 2, OBJECT_SERVER, "", "resv_enable=False");
}

static void users_are_listed(struct rig *r)
{
    rig_manager(r, RIG_ROOT, 2, OBJECT_SERVER, "",
                "acl_resv_user_enable=True acl_resv_users=bob@*");
}

static void account_is_gone(struct rig *r)
{
    become(r, OBJ_JOB, "0.svr", JOB_A_EUSER, NULL, "nobodyknows");
}

static const struct refusal {
    const char *story;
    void (*before)(struct rig *r);
    const char *user;
    const char *attrs;
    int code;
    const char *text;
} refusals[] = {
    { "a job that is not", nothing, RIG_USER, "reserve_job=99.svr", PBSE_UNKJOBID,
      "Unknown Job Id" },
    { "an array that is not", nothing, RIG_USER, "reserve_job=0[].svr", PBSE_UNKJOBID,
      "Unknown Job Id" },
    { "words that name no job", nothing, RIG_USER, "reserve_job=R0", PBSE_UNKJOBID,
      "Unknown Job Id" },
    { "a job in a reservation", is_in_resv, RIG_USER, "reserve_job=0",
      PBSE_RESV_FROM_RESVJOB,
      "Reservation may not be created from a job already within a reservation" },
    { "in a reservation wins over an array", array_in_resv, RIG_USER, "reserve_job=0",
      PBSE_RESV_FROM_RESVJOB,
      "Reservation may not be created from a job already within a reservation" },
    { "in a reservation wins over a stranger", is_in_resv, "eve", "reserve_job=0",
      PBSE_RESV_FROM_RESVJOB,
      "Reservation may not be created from a job already within a reservation" },
    { "an array", is_array, RIG_USER, "reserve_job=0", PBSE_RESV_FROM_ARRJOB,
      "Reservation may not be created from an array job" },
    { "a part of an array", is_part_of_array, RIG_USER, "reserve_job=0",
      PBSE_RESV_FROM_ARRJOB, "Reservation may not be created from an array job" },
    { "an array wins over a stranger", is_array, "eve", "reserve_job=0",
      PBSE_RESV_FROM_ARRJOB, "Reservation may not be created from an array job" },
    { "an array wins over its state", array_that_waits, RIG_USER, "reserve_job=0",
      PBSE_RESV_FROM_ARRJOB, "Reservation may not be created from an array job" },
    { "somebody else's job", nothing, "eve", "reserve_job=0", PBSE_PERM,
      "Unauthorized Request " },
    { "a manager is somebody else", nothing, RIG_ROOT, "reserve_job=0", PBSE_PERM,
      "Unauthorized Request " },
    { "a stranger wins over the state", waits, "eve", "reserve_job=0", PBSE_PERM,
      "Unauthorized Request " },
    { "a job that waits", waits, RIG_USER, "reserve_job=0", PBSE_BADSTATE,
      "Request invalid for state of job" },
    { "a wrong length of a job that starts", is_sent, RIG_USER,
      "reserve_job=0 Resource_List.walltime=0", PBSE_BADTSPEC,
      "Bad time specification(s)" },
    { "a stranger and a job that starts", is_sent, "eve", "reserve_job=0", PBSE_PERM,
      "Unauthorized Request " },
    { "a suspended job", is_suspended, RIG_USER, "reserve_job=0", PBSE_BADSTATE,
      "Request invalid for state of job" },
    { "a job that runs nowhere", has_no_vnodes, RIG_USER, "reserve_job=0",
      PBSE_BADSTATE, "Request invalid for state of job" },
    { "a job that ends", exits, RIG_USER, "reserve_job=0", PBSE_BADSTATE,
      "Request invalid for state of job" },
    { "an unknown attribute before the job", nothing, RIG_USER, "foo=1 reserve_job=99",
      PBSE_NOATTR, "Undefined attribute " },
    { "the job before an unknown attribute", nothing, RIG_USER, "reserve_job=99 foo=1",
      PBSE_UNKJOBID, "Unknown Job Id" },
    { "a length of nothing", nothing, RIG_USER,
      "reserve_job=0 Resource_List.walltime=0", PBSE_BADTSPEC,
      "Bad time specification(s)" },
    { "a length without end", nothing, RIG_USER,
      "reserve_job=0 reserve_duration=9223372036854775807", PBSE_BADTSPEC,
      "Bad time specification(s)" },
    { "an end before the job's start", nothing, RIG_USER,
      "reserve_job=0 reserve_end=1799999999", PBSE_BADTSPEC,
      "Bad time specification(s)" },
    { "a duration and another end", nothing, RIG_USER,
      "reserve_job=0 reserve_end=1800000100 Resource_List.walltime=50", PBSE_BADTSPEC,
      "Bad time specification(s)" },
    { "somebody else's account", nothing, RIG_USER, "reserve_job=0 User_List=eve",
      PBSE_R_UID, "Bad effective UID for reservation" },
    { "an account that is gone", account_is_gone, RIG_USER, "reserve_job=0", PBSE_R_UID,
      "Bad effective UID for reservation" },
    { "a group of others", nothing, RIG_USER, "reserve_job=0 group_list=others",
      PBSE_BADGRP, NULL },
    { "reservations are off", resvs_are_off, RIG_USER, "reserve_job=99",
      PBSE_RESVAUTH_U, "reservations disallowed on svr" },
    { "a user who may not reserve", users_are_listed, RIG_USER, "reserve_job=0",
      PBSE_RESVAUTH_U, "Requestor not authorized to make reservations" },
    { "somebody named twice", nothing, RIG_USER,
      "reserve_job=0 Authorized_Users=eve,eve", PBSE_DUPLIST,
      "Duplicate entry in list " },
};

static void check_refusal(const struct refusal *c)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    uint64_t seq;
    int code;

    old_job(&fm, "");
    c->before(r);
    seq = svr_model(r->s)->seq;
    code = ask(r, c->user, c->attrs);
    if (code != c->code || (c->text && strcmp(rig_text(r), c->text) != 0))
        fprintf(stderr, "%s: %d '%s'\n", c->story, code, rig_text(r));
    CU_ASSERT_EQUAL(code, c->code);
    if (c->text)
        CU_ASSERT_STRING_EQUAL(rig_text(r), c->text);
    CU_ASSERT_EQUAL(svr_model(r->s)->seq, seq);
    model_check(svr_model(r->s));
    fake_mom_free(&fm);
}

static void test_refusals(void)
{
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++)
        check_refusal(&refusals[i]);
}

/* A job that starts. */

#define CONN 77

static void told_to_run(struct fake_mom *fm UNUSED, const char *id UNUSED)
{
}

static void taken_by_its_mom(struct fake_mom *fm, const char *id UNUSED)
{
    fake_answer(fm, fake_told(fm, BATCH_COMMIT, 0), 0, NULL);
}

static void starts(struct fake_mom *fm, const char *id)
{
    taken_by_its_mom(fm, id);
    fake_usage(fm, id, 1, "4711", "00:00:00");
}

static void is_rejected(struct fake_mom *fm, const char *id UNUSED)
{
    fake_answer(fm, fake_told(fm, BATCH_COMMIT, 0), PBSE_SYSTEM, NULL);
}

static void is_deleted(struct fake_mom *fm, const char *id)
{
    CU_ASSERT_EQUAL(delete_job(fm->r, RIG_ROOT, id, "force"), 0);
}

static void ends_at_once(struct fake_mom *fm, const char *id)
{
    taken_by_its_mom(fm, id);
    fake_obit(fm, id, 1, 1);
}

static void is_silent(struct fake_mom *fm, const char *id UNUSED)
{
    rig_advance(fm->r, fm->r->now_at + 59);
    CU_ASSERT_FALSE(svr_has_work(fm->r->s));
    rig_advance(fm->r, fm->r->now_at + 1);
}

static void loses_its_reservations(struct fake_mom *fm, const char *id)
{
    resvs_are_off(fm->r);
    (void)id;
    rig_advance(fm->r, fm->r->now_at + 60);
}

static const struct waiting {
    const char *story;
    void (*meanwhile)(struct fake_mom *fm, const char *id);
    int code;         /* -1: it waits on */
    const char *text; /* of the reply */
} waitings[] = {
    { "nothing happens", told_to_run, -1, NULL },
    { "its MoM has it", taken_by_its_mom, -1, NULL },
    { "it starts", starts, 0, "R1.svr CONFIRMED" },
    { "its MoM refuses it", is_rejected, PBSE_BADSTATE,
      "Request invalid for state of job" },
    { "it is deleted", is_deleted, PBSE_UNKJOBID, "Unknown Job Id" },
    { "it ends before anybody knew", ends_at_once, PBSE_BADSTATE,
      "Request invalid for state of job" },
    { "its MoM says nothing for a minute", is_silent, PBSE_BADSTATE,
      "Request invalid for state of job" },
    { "the rules change", loses_its_reservations, PBSE_RESVAUTH_U,
      "reservations disallowed on svr" },
};

static const struct wire_reply *go_on(struct rig *r)
{
    const struct wire_reply *reply = NULL;

    for (int i = 0; i < 100 && !reply && svr_has_work(r->s); i++)
        reply = rig_go_on(r, CONN);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    return reply;
}

/* A request about a job that has just been given vnodes: it waits. */
static const char *begin_waiting(struct fake_mom *fm)
{
    struct body_queue body = { .id = "",
                               .destination = "",
                               .attrs = rig_attrs(fm->r, "reserve_job=0") };
    const char *id = submit(fm->r, RIG_USER, "", "", "sleep 5\n");
    struct effects of_run;

    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CU_ASSERT_EQUAL_FATAL(run_job(fm->r, id, "(n1:ncpus=2)"), 0);
    of_run = fm->r->out;
    CU_ASSERT_PTR_NULL(
        rig_ask_on(fm->r, CONN, RIG_USER, BATCH_SUBMIT_RESV, &body, NULL));
    CU_ASSERT_FALSE(svr_has_work(fm->r->s));
    CU_ASSERT_EQUAL(rig_count(fm->r, EFFECT_RECORD), 0);
    fm->r->out = of_run; /* what the MoM was told */
    return id;
}

static void check_waiting(const struct waiting *c)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = begin_waiting(&fm);
    const struct wire_reply *reply;

    c->meanwhile(&fm, id);
    reply = go_on(fm.r);
    if ((reply ? reply->code : -1) != c->code)
        fprintf(stderr, "%s: %d\n", c->story, reply ? reply->code : -1);
    CU_ASSERT_EQUAL(reply ? reply->code : -1, c->code);
    if (reply)
        CU_ASSERT_STRING_EQUAL(reply->text, c->text);
    model_check(svr_model(fm.r->s));
    fake_mom_free(&fm);
}

static void test_waiting(void)
{
    for (size_t i = 0; i < ARRAY_LEN(waitings); i++)
        check_waiting(&waitings[i]);
}

/* Nobody is left who would want it. */
static void test_waiting_for_nobody(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = begin_waiting(&fm);
    struct effects of_run = fm.r->out;

    svr_client_gone(fm.r->s, fm.r->now_at, CONN, &fm.r->out);
    fm.r->out = of_run;
    starts(&fm, id);
    CU_ASSERT_PTR_NULL(go_on(fm.r));
    CU_ASSERT_EQUAL(svr_model(fm.r->s)->kinds[OBJ_RESV].n, 0);
    fake_mom_free(&fm);
}

static void test_waiting_for_a_lost_store(void)
{
    struct fake_mom fm = fake_mom_new();
    const struct wire_reply *reply;

    begin_waiting(&fm);
    fm.r->out.n = 0;
    svr_give_up(fm.r->s, fm.r->now_at, 0, &fm.r->out);
    reply = rig_reply(fm.r, CONN);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, PBSE_SAVE_ERR);
    rig_advance(fm.r, fm.r->now_at + 60);
    CU_ASSERT_PTR_NULL(go_on(fm.r));
    fake_mom_free(&fm);
}

static void test_waiting_and_a_restart(void)
{
    struct fake_mom fm = fake_mom_new();

    begin_waiting(&fm);
    rig_restart(fm.r);
    CU_ASSERT_FALSE(svr_has_work(fm.r->s));
    CU_ASSERT_EQUAL(svr_model(fm.r->s)->kinds[OBJ_RESV].n, 0);
    fake_mom_free(&fm);
}

/* What it is. */

static void test_it_is_the_jobs(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const struct object *o;

    old_job(&fm, "Resource_List.select=1:ncpus=2 Resource_List.walltime=600");
    CU_ASSERT_EQUAL(ask(r, RIG_USER, "reserve_job=0 Reserve_Name=keep"), 0);
    CU_ASSERT_STRING_EQUAL(rig_text(r), "R1.svr CONFIRMED");
    o = the_resv(r, "R1.svr");
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    CU_ASSERT_EQUAL(resv_phase(TO_RESV(o)), PHASE_RUNNING);
    CU_ASSERT_EQUAL(obj_num(o, RESV_A_RESERVE_START, 0), RIG_START_AT);
    CU_ASSERT_EQUAL(obj_num(o, RESV_A_RESERVE_END, 0), RIG_START_AT + 600);
    CU_ASSERT_EQUAL(obj_num(o, RESV_A_RESERVE_DURATION, 0), 600);
    CU_ASSERT_STRING_EQUAL(obj_str(o, RESV_A_RESV_NODES, ""), "(n1:ncpus=2)");
    CU_ASSERT_STRING_EQUAL(obj_str(o, RESV_A_RESERVE_JOB, ""), "0.svr");
    CU_ASSERT_STRING_EQUAL(obj_str(o, RESV_A_RESERVE_OWNER, ""), "ann@" RIG_HOST);
    CU_ASSERT_STRING_EQUAL(obj_str(o, RESV_A_SCHEDSELECT, ""), "1:ncpus=2");
    CU_ASSERT_STRING_EQUAL(obj_str(o, RESV_A_PARTITION, ""), "pbs-default");
    CU_ASSERT_STRING_EQUAL(obj_str(o, RESV_A_EUSER, ""), "ann");
    CU_ASSERT_STRING_EQUAL(obj_str(o, RESV_A_EGROUP, ""), "ann");
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_USER, BATCH_STATUS_RESV, "R1.svr", "Resource_List.select"),
        "1:ncpus=2");
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_USER, BATCH_STATUS_RESV, "R1.svr", "Resource_List.nodect"),
        "1");
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_USER, BATCH_STATUS_RESV, "R1.svr", "Authorized_Users"),
        "ann@" RIG_HOST);
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_USER, BATCH_STATUS_JOB, "0.svr", "queue"),
                           "R1");
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_USER, BATCH_STATUS_JOB, "0.svr", "reserve_ID"), "R1.svr");
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_USER, BATCH_STATUS_QUEUE, "R1", "enabled"),
                           "True");
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_USER, BATCH_STATUS_QUEUE, "R1", "started"),
                           "True");
    fake_mom_free(&fm);
}

static void test_it_is_told(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    old_job(&fm, "Resource_List.walltime=600");
    CU_ASSERT_EQUAL(ask(r, RIG_USER, "reserve_job=0"), 0);
    CU_ASSERT_PTR_NULL(accounted(r, 'U', 0));
    CU_ASSERT_STRING_EQUAL(
        accounted(r, 'Y', 0),
        "requestor=@ start=1800000000 end=1800000600 nodes=(n1:ncpus=2)");
    CONTAINS(accounted(r, 'B', 0), "owner=ann@svr.example name=NULL queue=R1 ");
    CONTAINS(accounted(r, 'B', 0), "start=1800000000 end=1800000600 duration=600 ");
    CONTAINS(accounted(r, 'Q', 0), "queue=R1 ctime="); /* reservations.md 15.1 */
    CU_ASSERT_PTR_NULL(accounted(r, 'Y', 1));
    CU_ASSERT_TRUE(rig_logged(r, "enqueuing into R1, state R hop 1"));
    CU_ASSERT_TRUE(rig_logged(r, "New reservation submitted start="));
    CU_ASSERT_PTR_NULL(fake_told(&fm, BATCH_SIGNAL_JOB, 0));
    CU_ASSERT_EQUAL(state_of(r, "0.svr"), 'R');
    end_job(&fm, "0.svr");
    CONTAINS(accounted(r, 'E', 0), "queue=R1 resvname=NULL resvID=R1.svr ctime=");
    CU_ASSERT_EQUAL(phase_of(r, "R1.svr"), PHASE_RUNNING);
    fake_mom_free(&fm);
}

/* "-I" has nothing to wait for. */
static void test_it_is_answered_at_once(void)
{
    static const char *const attrs[] = { "reserve_job=0 interactive=10",
                                         "reserve_job=0 interactive=-10",
                                         "interactive=0 reserve_job=0.svr" };

    for (size_t i = 0; i < ARRAY_LEN(attrs); i++) {
        struct fake_mom fm = fake_mom_new();

        old_job(&fm, "");
        CU_ASSERT_EQUAL(ask(fm.r, RIG_USER, attrs[i]), 0);
        CU_ASSERT_STRING_EQUAL(rig_text(fm.r), "R1.svr CONFIRMED");
        rig_advance(fm.r, fm.r->now_at + 20);
        CU_ASSERT_EQUAL(phase_of(fm.r, "R1.svr"), PHASE_RUNNING);
        fake_mom_free(&fm);
    }
}

static void test_length(void)
{
    static const struct {
        const char *story;
        const char *job;
        const char *resv;
        int64_t length_s;
    } cases[] = {
        { "no walltime", "", "reserve_job=0", FIVE_YEARS_S },
        { "the job's", "Resource_List.walltime=600", "reserve_job=0", 600 },
        { "-D after the job", "Resource_List.walltime=600",
          "reserve_job=0 Resource_List.walltime=1:00:00", 3600 },
        { "-D before the job", "Resource_List.walltime=600",
          "Resource_List.walltime=3600 reserve_job=0", 3600 },
        { "a duration", "", "reserve_job=0 reserve_duration=3600", 3600 },
        { "an end", "", "reserve_job=0 reserve_end=1800000100", 100 },
        { "a start is the job's", "Resource_List.walltime=600",
          "reserve_start=1800000300 reserve_job=0", 600 },
        { "a start after it too", "Resource_List.walltime=600",
          "reserve_job=0 reserve_start=1800000300", 600 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_mom fm = fake_mom_new();
        const struct object *o;

        old_job(&fm, cases[i].job);
        if (ask(fm.r, RIG_USER, cases[i].resv))
            fprintf(stderr, "%s: %s\n", cases[i].story, rig_text(fm.r));
        o = the_resv(fm.r, "R1.svr");
        CU_ASSERT_PTR_NOT_NULL_FATAL(o);
        CU_ASSERT_EQUAL(obj_num(o, RESV_A_RESERVE_START, 0), RIG_START_AT);
        CU_ASSERT_EQUAL(obj_num(o, RESV_A_RESERVE_END, 0),
                        RIG_START_AT + cases[i].length_s);
        CU_ASSERT_EQUAL(obj_num(o, RESV_A_RESERVE_DURATION, 0), cases[i].length_s);
        fake_mom_free(&fm);
    }
}

/* More cannot be had this way than the job has, nor less. */
static void test_resources_are_the_jobs(void)
{
    struct fake_mom fm = fake_mom_new();

    old_job(&fm, "Resource_List.select=1:ncpus=2");
    CU_ASSERT_EQUAL(ask(fm.r, RIG_USER,
                        "Resource_List.ncpus=4 reserve_job=0 Resource_List.mem=5gb"),
                    0);
    CU_ASSERT_STRING_EQUAL(
        rig_value(fm.r, RIG_USER, BATCH_STATUS_RESV, "R1.svr", "Resource_List.ncpus"),
        "2");
    CU_ASSERT_PTR_NULL(
        rig_value(fm.r, RIG_USER, BATCH_STATUS_RESV, "R1.svr", "Resource_List.mem"));
    check_books(fm.r, 2);
    fake_mom_free(&fm);
}

/* A length that is over already ends it at once, and the job with it. */
static void test_a_length_that_is_over(void)
{
    struct fake_mom fm = fake_mom_new();

    old_job(&fm, "Resource_List.select=1:ncpus=2");
    CU_ASSERT_EQUAL(ask(fm.r, RIG_USER, "reserve_job=0 Resource_List.walltime=10"), 0);
    CU_ASSERT_STRING_EQUAL(rig_text(fm.r), "R1.svr CONFIRMED");
    CU_ASSERT_EQUAL(phase_of(fm.r, "R1.svr"), PHASE_ENDING);
    answer(&fm, BATCH_SIGNAL_JOB);
    check_books(fm.r, 2);
    end_job(&fm, "0.svr");
    CU_ASSERT_EQUAL(phase_of(fm.r, "R1.svr"), PHASE_NONE);
    check_books(fm.r, 0);
    fake_mom_free(&fm);
}

/* Books. */

/* The share is counted once from the job's start to the reservation's end. */
static void test_books(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    old_job(&fm, "Resource_List.select=1:ncpus=2 Resource_List.walltime=600");
    check_books(r, 2);
    CU_ASSERT_EQUAL(ask(r, RIG_USER, "reserve_job=0"), 0);
    check_books(r, 2);
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_restart(r);
    check_books(r, 2);
    fake_connect(&fm, 0, NULL);
    end_job(&fm, "0.svr");
    CU_ASSERT_PTR_NULL(the_job(r, "0.svr"));
    check_books(r, 2);
    rig_advance(r, RIG_START_AT + 599);
    CU_ASSERT_EQUAL(phase_of(r, "R1.svr"), PHASE_RUNNING);
    rig_advance(r, RIG_START_AT + 600);
    CONTAINS(accounted(r, 'F', 0), "queue=R1 ");
    CU_ASSERT_STRING_EQUAL(accounted(r, 'K', 0), "requestor=root@svr.example");
    CU_ASSERT_EQUAL(phase_of(r, "R1.svr"), PHASE_NONE);
    CU_ASSERT_PTR_NULL(model_queue(svr_model(r->s), "R1"));
    check_books(r, 0);
    fake_mom_free(&fm);
}

/* Others of its users work in it when the job is through. */
static void test_the_next_job(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id;

    old_job(&fm, "Resource_List.select=1:ncpus=2 Resource_List.walltime=600");
    CU_ASSERT_EQUAL(ask(r, RIG_USER, "reserve_job=0 Authorized_Users=bob"), 0);
    CU_ASSERT_EQUAL(submit_code(r, "eve", "R1", ""), PBSE_PERM);
    CU_ASSERT_EQUAL(submit_code(r, "bob", "R1", "Resource_List.select=1:ncpus=3"),
                    PBSE_EXCQRESC);
    end_job(&fm, "0.svr");
    id = submit(r, "bob", "R1", "Resource_List.select=1:ncpus=2", "echo again\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    grow(&fm, id);
    CU_ASSERT_EQUAL(state_of(r, id), 'R');
    check_books(r, 2);
    fake_mom_free(&fm);
}

static void test_deletion_kills_the_job(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    struct body_manage body = { .command = 1,
                                .object_type = 2,
                                .object_name = "R1.svr" };

    old_job(&fm, "Resource_List.walltime=600");
    CU_ASSERT_EQUAL(ask(r, RIG_USER, "reserve_job=0"), 0);
    CU_ASSERT_EQUAL(rig_ask(r, "eve", BATCH_DELETE_RESV, &body, NULL)->code, PBSE_PERM);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_DELETE_RESV, &body, NULL)->code, 0);
    CU_ASSERT_STRING_EQUAL(accounted(r, 'k', 0), "requestor=ann@svr.example");
    answer(&fm, BATCH_SIGNAL_JOB);
    CU_ASSERT_EQUAL(phase_of(r, "R1.svr"), PHASE_ENDING);
    end_job(&fm, "0.svr");
    CU_ASSERT_EQUAL(phase_of(r, "R1.svr"), PHASE_NONE);
    check_books(r, 0);
    fake_mom_free(&fm);
}

/* A job of two cpus out of four, until second 600; bob was promised all four from
 * second 1000 on. */
static struct fake_mom before_somebody_else(void)
{
    struct fake_mom fm = fake_mom_new();
    struct body_run body = { .object_id = "R1.svr", .vnodes = "(n1:ncpus=4)" };
    const struct wire_reply *reply;

    old_job(&fm, "Resource_List.select=1:ncpus=2 Resource_List.walltime=600");
    CU_ASSERT_EQUAL(ask(fm.r, "bob",
                        "reserve_start=1800001000 reserve_duration=100 "
                        "Resource_List.select=1:ncpus=4"),
                    0);
    reply = rig_ask(fm.r, RIG_ROOT, BATCH_CONFIRM_RESV, &body,
                    "PBS_RESV_CONFIRM_SUCCESS:partition=pbs-default");
    CU_ASSERT_EQUAL(reply->code, 0);
    return fm;
}

static const char *resv_value(struct rig *r, const char *id, const char *attr)
{
    return rig_value(r, RIG_USER, BATCH_STATUS_RESV, id, attr);
}

/* Longer than its job it reaches into what somebody else was promised: both say so. */
static void test_it_may_reach_into_a_later_one(void)
{
    struct fake_mom fm = before_somebody_else();
    struct rig *r = fm.r;

    CU_ASSERT_EQUAL(ask(r, RIG_USER, "reserve_job=0 Resource_List.walltime=2000"), 0);
    CU_ASSERT_TRUE(
        rig_logged(r, "Reservation oversubscribes vnodes reservations=R1.svr"));
    CU_ASSERT_STRING_EQUAL(resv_value(r, "R2.svr", "oversubscribed_resv"), "R1.svr");
    CU_ASSERT_STRING_EQUAL(resv_value(r, "R1.svr", "oversubscribed_resv"), "R2.svr");
    CU_ASSERT_PTR_NULL(resv_value(r, "R2.svr", "oversubscribed_jobs"));
    CU_ASSERT_EQUAL(phase_of(r, "R1.svr"), PHASE_CONFIRMED);
    fake_mom_free(&fm);
}

static void test_it_is_in_nobodys_way(void)
{
    struct fake_mom fm = before_somebody_else();

    CU_ASSERT_EQUAL(ask(fm.r, RIG_USER, "reserve_job=0"), 0);
    CU_ASSERT_FALSE(rig_logged(fm.r, "Reservation oversubscribes"));
    CU_ASSERT_PTR_NULL(resv_value(fm.r, "R2.svr", "oversubscribed_resv"));
    CU_ASSERT_PTR_NULL(resv_value(fm.r, "R2.svr", "oversubscribed_jobs"));
    fake_mom_free(&fm);
}

/* Jobs that ask themselves. */

static void test_a_marked_job(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = submit(r, RIG_USER, "",
                            "create_resv_from_job=1 Resource_List.walltime=600 "
                            "Resource_List.select=1:ncpus=2",
                            "sleep 5\n");

    CU_ASSERT_EQUAL_FATAL(run_job(r, id, "(n1:ncpus=2)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    CU_ASSERT_EQUAL(phase_of(r, "R1.svr"), PHASE_NONE); /* not before it runs */
    fake_usage(&fm, id, 1, "4711", "00:00:00");
    CU_ASSERT_EQUAL(phase_of(r, "R1.svr"), PHASE_RUNNING);
    CONTAINS(accounted(r, 'Y', 0), "requestor=@ start=1800000000 end=1800000600 ");
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_USER, BATCH_STATUS_RESV, "R1.svr", "reserve_job"), "0.svr");
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_USER, BATCH_STATUS_RESV, "R1.svr", "Reserve_Owner"),
        "ann@" RIG_HOST);
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_USER, BATCH_STATUS_JOB, "0.svr", "queue"),
                           "R1");
    check_books(r, 2);
    rig_restart(r);
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_RESV].n, 1); /* and only one */
    fake_mom_free(&fm);
}

static void test_a_marked_job_that_never_runs(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = submit(r, RIG_USER, "", "create_resv_from_job=1", "x\n");

    CU_ASSERT_EQUAL_FATAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), PBSE_BADUSER, "no such user");
    CU_ASSERT_EQUAL(state_of(r, id), 'Q');
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_RESV].n, 0);
    CU_ASSERT_TRUE(obj_num(the_job(r, id), JOB_A_CREATE_RESV_FROM_JOB, 0));
    check_books(r, 0);
    fake_mom_free(&fm);
}

/* Deleted while it was being sent: it runs for a moment, and nothing is made of it. */
static void test_a_marked_job_that_is_doomed(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = submit(r, RIG_USER, "", "create_resv_from_job=1", "x\n");
    const struct is_message *commit;

    CU_ASSERT_EQUAL_FATAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    commit = fake_told(&fm, BATCH_COMMIT, 0);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, id, NULL), 0);
    fake_answer(&fm, commit, 0, NULL);
    fake_usage(&fm, id, 1, "4711", "00:00:00");
    CU_ASSERT_EQUAL(state_of(r, id), 'R');
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_RESV].n, 0);
    fake_mom_free(&fm);
}

static void test_a_mark_that_is_refused(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = submit(r, RIG_USER, "", "create_resv_from_job=1", "x\n");

    resvs_are_off(r);
    CU_ASSERT_EQUAL_FATAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    fake_usage(&fm, id, 1, "4711", "00:00:00");
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_RESV].n, 0);
    CU_ASSERT_EQUAL(state_of(r, id), 'R');
    CU_ASSERT_FALSE(obj_is_set(the_job(r, id), JOB_A_CREATE_RESV_FROM_JOB));
    CU_ASSERT_TRUE(rig_logged(r, "No reservation created from job: reservations "
                                 "disallowed on svr (15094)"));
    fake_mom_free(&fm);
}

/* The scheduler gives a job no more than its reservation has left. */
static void test_what_is_used_in_it_is_not_given_again(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    struct body_run body = { .vnodes = "(n1:ncpus=1)" };
    const struct wire_reply *reply;
    uint64_t sched;

    old_job(&fm, ""); /* has both cpus */
    CU_ASSERT_EQUAL(ask(r, RIG_USER, "reserve_job=0"), 0);
    sched = rig_attach_sched(r);
    body.object_id = submit(r, RIG_USER, "R1", "Resource_List.ncpus=1", "x\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(body.object_id);
    reply = rig_ask_on(r, sched, RIG_ROOT, BATCH_ASYRUN_JOB_ACK, &body, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, PBSE_RESCUNAV);
    CU_ASSERT_EQUAL(state_of(r, body.object_id), 'Q');
    fake_mom_free(&fm);
}

static int run_as_sched(struct rig *r, uint64_t sched, const char *queue,
                        const char *vnodes)
{
    const char *attrs = "Resource_List.select=1:mem=1gb Resource_List.walltime=60";
    const struct body_run body = { .object_id =
                                       submit(r, RIG_USER, queue, attrs, "x\n"),
                                   .vnodes = vnodes };
    const struct wire_reply *reply =
        rig_ask_on(r, sched, RIG_ROOT, BATCH_ASYRUN_JOB_ACK, &body, NULL);

    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    return reply->code;
}

/* What the reservation does not name is the vnode's own: its jobs take of it as others
 * do, and neither are given what the vnode has not. */
static void test_what_it_does_not_name_is_the_vnodes(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    uint64_t sched;

    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, 2, OBJECT_NODE, "n1", "resources_available.mem=4gb"),
        0);
    old_job(&fm, "Resource_List.select=1:ncpus=2");
    CU_ASSERT_EQUAL(ask(r, RIG_USER, "reserve_job=0"), 0);
    CU_ASSERT_STRING_EQUAL(obj_str(the_resv(r, "R1.svr"), RESV_A_RESV_NODES, ""),
                           "(n1:ncpus=2)");
    sched = rig_attach_sched(r);
    CU_ASSERT_EQUAL(run_as_sched(r, sched, "R1", "(n1:mem=5gb)"), PBSE_RESCUNAV);
    CU_ASSERT_EQUAL(run_as_sched(r, sched, "R1", "(n1:mem=3gb)"), 0);
    CU_ASSERT_EQUAL(run_as_sched(r, sched, "R1", "(n1:mem=2gb)"), PBSE_RESCUNAV);
    CU_ASSERT_EQUAL(run_as_sched(r, sched, "workq", "(n1:mem=2gb)"), PBSE_RESCUNAV);
    CU_ASSERT_EQUAL(run_as_sched(r, sched, "workq", "(n1:mem=1gb)"), 0);
    CU_ASSERT_EQUAL(run_as_sched(r, sched, "R1", "(n1:mem=1gb)"), PBSE_RESCUNAV);
    model_check(svr_model(r->s));
    fake_mom_free(&fm);
}

/* A job in a reservation may have its vnodes as much alone as the reservation has. */
static void test_no_job_is_more_exclusive_than_its_reservation(void)
{
    static const char *const places[] = { "free", "excl", "exclhost" };

    for (size_t resv = 0; resv < ARRAY_LEN(places); resv++) {
        struct fake_mom fm = fake_mom_new();
        struct rig *r = fm.r;

        old_job(&fm,
                arena_printf(r->arena,
                             "Resource_List.select=1:ncpus=2 Resource_List.place=%s",
                             places[resv]));
        CU_ASSERT_EQUAL(ask(r, RIG_USER, "reserve_job=0"), 0);
        for (size_t job = 0; job < ARRAY_LEN(places); job++) {
            const char *attrs = arena_printf(
                r->arena, "Resource_List.select=1:ncpus=1 Resource_List.place=%s",
                places[job]);

            CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "R1", attrs),
                            job <= resv ? 0 : PBSE_JOBINRESV_CONFLICT);
            if (job > resv)
                CU_ASSERT_STRING_EQUAL(rig_text(r),
                                       "job and reservation have conflicting "
                                       "specification Resource_List.place");
        }
        fake_mom_free(&fm);
    }
}

static void test_a_mark_in_a_reservation(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    old_job(&fm, "");
    CU_ASSERT_EQUAL(ask(r, RIG_USER, "reserve_job=0"), 0);
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "R1", "create_resv_from_job=1"),
                    PBSE_RESV_FROM_RESVJOB);
    CU_ASSERT_STRING_EQUAL(
        rig_text(r),
        "Reservation may not be created from a job already within a reservation");
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "R1", "create_resv_from_job=0"), 0);
    fake_mom_free(&fm);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "every refusal has its code, text and place", test_refusals },
        { "a request waits for a job that starts", test_waiting },
        { "nothing is done for who has gone", test_waiting_for_nobody },
        { "nobody waits for a lost store", test_waiting_for_a_lost_store },
        { "a restart forgets who waited", test_waiting_and_a_restart },
        { "the reservation is what the job is", test_it_is_the_jobs },
        { "it is told as it should be", test_it_is_told },
        { "nobody waits for it", test_it_is_answered_at_once },
        { "its length is the job's unless one is given", test_length },
        { "its resources are the job's", test_resources_are_the_jobs },
        { "a length that is over ends it", test_a_length_that_is_over },
        { "the share is counted once", test_books },
        { "the next job runs in it", test_the_next_job },
        { "its deletion kills the job", test_deletion_kills_the_job },
        { "it may reach into a later one", test_it_may_reach_into_a_later_one },
        { "as long as its job it is in nobody's way", test_it_is_in_nobodys_way },
        { "a marked job gets one when it runs", test_a_marked_job },
        { "a job that never runs gets none", test_a_marked_job_that_never_runs },
        { "a job that is to be deleted gets none", test_a_marked_job_that_is_doomed },
        { "a refused mark is taken away", test_a_mark_that_is_refused },
        { "what is used in it is not given again",
          test_what_is_used_in_it_is_not_given_again },
        { "what it does not name is the vnode's",
          test_what_it_does_not_name_is_the_vnodes },
        { "no job is more exclusive than its reservation",
          test_no_job_is_more_exclusive_than_its_reservation },
        { "no mark in a reservation", test_a_mark_in_a_reservation },
    };

    return unit_main("resv_from_job", cases, ARRAY_LEN(cases));
}
