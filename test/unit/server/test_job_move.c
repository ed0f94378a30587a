/* test_job_move.c - MoveJob and OrderJob: which jobs, through which doors, and what
 * they have afterwards.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ask_move(struct rig *r, uint32_t number, const char *user, const char *id,
                    const char *to)
{
    const struct body_move body = { .job_id = id, .destination = to };
    int code = rig_ask(r, user, number, &body, NULL)->code;

    /* A refusal has changed nothing, and what was changed is stored. */
    CU_ASSERT_TRUE(rig_is_same(r));
    return code;
}

static int move(struct rig *r, const char *user, const char *id, const char *to)
{
    return ask_move(r, BATCH_MOVE_JOB, user, id, to);
}

static int order(struct rig *r, const char *user, const char *id, const char *other)
{
    return ask_move(r, BATCH_ORDER_JOB, user, id, other);
}

static const char *text_of(struct rig *r, const char *id, const char *attr)
{
    const char *text = rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, id, attr);

    return text ? text : "";
}

static void queue(struct rig *r, const char *name, const char *attrs)
{
    char all[400];

    snprintf(all, sizeof(all), "queue_type=e enabled=true started=true %s", attrs);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, CREATE, OBJECT_QUEUE, name, all), 0);
}

static void set(struct rig *r, uint32_t type, const char *name, const char *attrs)
{
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, type, name, attrs), 0);
}

static void a_job_goes_into_another_queue(void)
{
    struct rig *r = rig_new();
    const char *id;
    char rank[40];

    queue(r, "q2", "");
    id = submit(r, RIG_USER, "", "Hold_Types=u", NULL);
    snprintf(rank, sizeof(rank), "%s", text_of(r, id, "queue_rank"));
    CU_ASSERT_EQUAL(move(r, RIG_USER, id, "q2"), 0);
    CU_ASSERT_TRUE(rig_logged(r, "dequeuing from workq, state H"));
    CU_ASSERT_TRUE(rig_logged(r, "enqueuing into q2, state H"));
    CU_ASSERT_TRUE(rig_logged(r, "Job moved to q2 at request of ann@svr.example"));
    CU_ASSERT_PTR_NOT_NULL_FATAL(accounted(r, 'Q', 0));
    CU_ASSERT_PTR_NOT_NULL(strstr(accounted(r, 'Q', 0), " queue=q2 "));
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), "q2");
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue_rank"), rank);
    CU_ASSERT_EQUAL(state_of(r, id), 'H');
    /* The other forms of a destination; its own queue is where it is already. */
    CU_ASSERT_EQUAL(move(r, RIG_USER, id, "workq@svr"), 0);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), "workq");
    CU_ASSERT_EQUAL(move(r, RIG_USER, id, "workq"), 0);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_LOG), 0);
    CU_ASSERT_EQUAL(move(r, RIG_ROOT, id, "q2"), 0);
    CU_ASSERT_EQUAL(move(r, RIG_USER, id, "@svr.example"), 0);
    CU_ASSERT_EQUAL(move(r, RIG_USER, id, "workq@svr:15001"), 0);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), "workq");
    CU_ASSERT_EQUAL(move(r, RIG_USER, id, "q2"), 0);
    CU_ASSERT_EQUAL(move(r, RIG_USER, id, ""), 0);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), "workq");
    rig_free(r);
}

static void what_cannot_be_moved_is_refused(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = submit(r, RIG_USER, "", "", "x\n"), *run;

    queue(r, "q2", "");
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, CREATE, OBJECT_QUEUE, "route",
                                "queue_type=r route_destinations=q2 enabled=true"),
                    0);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, CREATE, OBJECT_QUEUE, "raw", ""), 0);
    CU_ASSERT_EQUAL(move(r, RIG_USER, "99.svr", "q2"), PBSE_UNKJOBID);
    CU_ASSERT_EQUAL(move(r, "eve", id, "q2"), PBSE_PERM);
    CU_ASSERT_EQUAL(move(r, RIG_USER, id, "nosuch"), PBSE_UNKQUE);
    CU_ASSERT_EQUAL(move(r, RIG_USER, id, "q2@nosuchhost"), PBSE_BADHOST);
    CU_ASSERT_EQUAL(move(r, "eve", id, "route"), PBSE_PERM);
    CU_ASSERT_EQUAL(move(r, RIG_ROOT, id, "raw"), PBSE_QUENOEN);
    run = running_job(&fm);
    CU_ASSERT_EQUAL(move(r, RIG_USER, run, "q2"), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(move(r, RIG_ROOT, run, "nosuch"), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(order(r, RIG_USER, run, id), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(order(r, RIG_USER, id, run), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(order(r, RIG_USER, id, "99.svr"), PBSE_UNKJOBID);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), "workq");
    fake_mom_free(&fm);
}

/* The door of q2; the job is ann's, has 2 cpus and 100 seconds, and another one of hers
 * is in q2. */
struct door {
    const char *attrs;
    int code;
};

static void the_door_is_that_of_a_submission(void)
{
    static const struct door doors[] = {
        { "enabled=false", PBSE_QUNOENB },
        { "max_queuable=1", PBSE_MAXQUED },
        { "from_route_only=true", PBSE_QACESS },
        { "acl_user_enable=true acl_users=bob", PBSE_PERM },
        { "acl_user_enable=true acl_users=oper", PBSE_PERM },
        { "acl_user_enable=true acl_users=ann", 0 },
        { "acl_host_enable=true acl_hosts=elsewhere", PBSE_BADHOST },
        { "acl_group_enable=true acl_groups=bob", PBSE_PERM },
        { "max_queued=[u:ann=1]", PBSE_ENTLIMCT },
        { "max_queued=[u:ann=2]", 0 },
        { "max_queued_res.ncpus=[u:ann=2]", PBSE_ENTLIMRESC },
        { "resources_max.ncpus=1", PBSE_EXCQRESC },
        { "resources_min.walltime=101", PBSE_EXCQRESC },
    };

    for (size_t i = 0; i < ARRAY_LEN(doors); i++) {
        struct rig *r = rig_new();
        const char *id;
        int code;

        queue(r, "q2", "");
        CU_ASSERT_PTR_NOT_NULL(submit(r, RIG_USER, "q2", "", NULL));
        id = submit(r, RIG_USER, "", "Resource_List.ncpus=2 Resource_List.walltime=100",
                    NULL);
        set(r, OBJECT_QUEUE, "q2", doors[i].attrs);
        set(r, OBJECT_SERVER, "", "operators=oper@*");
        code = move(r, RIG_USER, id, "q2");
        if (code != doors[i].code)
            fprintf(stderr, "%s: %d\n", doors[i].attrs, code);
        CU_ASSERT_EQUAL(code, doors[i].code);
        /* An operator opens no queue to somebody else, a manager does. */
        if (code)
            CU_ASSERT_EQUAL(move(r, "oper", id, "q2"), doors[i].code);
        CU_ASSERT_EQUAL(move(r, RIG_ROOT, id, "q2"), 0);
        CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), "q2");
        rig_free(r);
    }
}

/* The size of arrays that the queue takes comes behind whether it is open at all. */
static void an_array_has_the_size_that_the_queue_takes(void)
{
    static const struct door doors[] = {
        { "max_array_size=3", 0 },
        { "max_array_size=2", PBSE_MaxArraySize },
        { "max_array_size=2 enabled=false", PBSE_QUNOENB },
        { "max_array_size=2 from_route_only=true", PBSE_MaxArraySize },
    };

    for (size_t i = 0; i < ARRAY_LEN(doors); i++) {
        struct rig *r = rig_new();
        const char *id =
            submit(r, RIG_USER, "", "array_indices_submitted=1-5:2", "x\n");

        queue(r, "q2", "");
        set(r, OBJECT_QUEUE, "q2", doors[i].attrs);
        CU_ASSERT_EQUAL(move(r, RIG_USER, id, "q2"), doors[i].code);
        CU_ASSERT_EQUAL(move(r, RIG_ROOT, id, "q2"), 0);
        rig_free(r);
    }
}

/* The owner asks from another host than he has submitted on: either is enough. */
static void the_host_of_the_request_counts_too(void)
{
    static const struct door doors[] = {
        { "acl_hosts=elsewhere", 0 },
        { "acl_hosts=" RIG_HOST, 0 },
        { "acl_hosts=third", PBSE_BADHOST },
        { "acl_hosts=-elsewhere,-" RIG_HOST, PBSE_BADHOST },
    };

    for (size_t i = 0; i < ARRAY_LEN(doors); i++) {
        struct rig *r = rig_new();
        const char *id = submit(r, RIG_USER, "", "", NULL);

        queue(r, "q2", "acl_host_enable=true");
        set(r, OBJECT_QUEUE, "q2", doors[i].attrs);
        set(r, OBJECT_SERVER, "", "flatuid=true");
        CU_ASSERT_EQUAL(move(r, RIG_USER "@elsewhere", id, "q2"), doors[i].code);
        CU_ASSERT_STRING_EQUAL(text_of(r, id, "queue"), doors[i].code ? "workq" : "q2");
        rig_free(r);
    }
}

/* What a job has in "workq", which gives an hour and chunks with 1 gb, and in "q2",
 * which gives 4 cpus and at most two hours. */
struct wish {
    const char *asked;
    const char *here[4], *there[4]; /* select, ncpus, walltime, place */
    const char *sched_there;
};

static const char *const shown[4] = { "Resource_List.select", "Resource_List.ncpus",
                                      "Resource_List.walltime", "Resource_List.place" };

static const struct wish wishes[] = {
    { "",
      { "1:ncpus=1", "1", "01:00:00", "pack" },
      { "1:ncpus=4", "4", "02:00:00", "pack" },
      "1:ncpus=4" },
    { "Resource_List.ncpus=2",
      { "1:ncpus=2", "2", "01:00:00", "pack" },
      { "1:ncpus=2", "2", "02:00:00", "pack" },
      "1:ncpus=2" },
    { "Resource_List.walltime=3600",
      { "1:ncpus=1", "1", "01:00:00", "pack" },
      { "1:ncpus=4", "4", "01:00:00", "pack" },
      "1:ncpus=4" },
    { "Resource_List.select=2:ncpus=3 Resource_List.place=scatter",
      { "2:ncpus=3", "6", "01:00:00", "scatter" },
      { "2:ncpus=3", "6", "02:00:00", "scatter" },
      "2:ncpus=3" },
};

static void check_request(struct rig *r, const char *id, const char *const want[4])
{
    for (int i = 0; i < 4; i++) {
        const char *got = text_of(r, id, shown[i]);

        if (strcmp(got, want[i]) != 0)
            fprintf(stderr, "%s: %s, expected %s\n", shown[i], got, want[i]);
        CU_ASSERT_STRING_EQUAL(got, want[i]);
    }
}

static void defaults_are_those_of_the_new_queue(void)
{
    for (size_t i = 0; i < ARRAY_LEN(wishes); i++) {
        const struct wish *w = &wishes[i];
        struct rig *r = rig_new();
        const char *id;

        queue(r, "q2", "resources_default.ncpus=4 resources_max.walltime=7200");
        set(r, OBJECT_QUEUE, "workq",
            "resources_default.walltime=3600 default_chunk.mem=1gb");
        id = submit(r, RIG_USER, "", w->asked, NULL);
        check_request(r, id, w->here);
        CU_ASSERT_STRING_EQUAL(text_of(r, id, "Resource_List.mem"),
                               *w->here[1] == '6' ? "2gb" : "1gb");
        CU_ASSERT_EQUAL(move(r, RIG_USER, id, "q2"), 0);
        check_request(r, id, w->there);
        CU_ASSERT_STRING_EQUAL(text_of(r, id, "Resource_List.mem"), "");
        CU_ASSERT_STRING_EQUAL(text_of(r, id, "schedselect"), w->sched_there);
        /* There and back it is the same job, also after a restart. */
        rig_restart(r);
        CU_ASSERT_EQUAL(move(r, RIG_USER, id, "workq"), 0);
        check_request(r, id, w->here);
        rig_free(r);
    }
}

static int modify(struct rig *r, const char *id, const char *attrs)
{
    struct body_manage body = { .command = SET,
                                .object_type = OBJECT_JOB,
                                .object_name = id,
                                .attrs = rig_attrs(r, attrs) };

    return rig_ask(r, RIG_USER, BATCH_MODIFY_JOB, &body, NULL)->code;
}

static void what_was_altered_is_asked_for(void)
{
    struct rig *r = rig_new();
    const char *id;

    queue(r, "q2", "resources_default.walltime=7200");
    set(r, OBJECT_QUEUE, "workq", "resources_default.walltime=3600");
    id = submit(r, RIG_USER, "", "", NULL);
    CU_ASSERT_EQUAL(modify(r, id, "Resource_List.walltime=60"), 0);
    CU_ASSERT_EQUAL(move(r, RIG_USER, id, "q2"), 0);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "Resource_List.walltime"), "00:01:00");
    /* What was taken away is the queue's to give again. */
    CU_ASSERT_EQUAL(modify(r, id, "Resource_List.walltime="), 0);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "Resource_List.walltime"), "02:00:00");
    CU_ASSERT_EQUAL(move(r, RIG_USER, id, "workq"), 0);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "Resource_List.walltime"), "01:00:00");
    rig_free(r);
}

/* Which resources are defaults is known by their whole names. */
static void a_longer_name_is_another_resource(void)
{
    struct rig *r = rig_new();
    const char *id;

    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, CREATE, OBJECT_RESOURCE, "walltimes", "type=long"), 0);
    queue(r, "q2", "resources_default.walltime=7200");
    set(r, OBJECT_QUEUE, "workq", "resources_default.walltimes=3");
    id = submit(r, RIG_USER, "", "Resource_List.walltime=60", NULL);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "Resource_List.walltimes"), "3");
    CU_ASSERT_EQUAL(modify(r, id, "Resource_List.cput=5"), 0);
    CU_ASSERT_EQUAL(move(r, RIG_USER, id, "q2"), 0);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "Resource_List.walltimes"), "");
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "Resource_List.walltime"), "00:01:00");
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "Resource_List.cput"), "00:00:05");
    rig_free(r);
}

/* Where a job goes back to is the queue that it had outside of reservations. */
static void the_queue_before_is_no_reservations(void)
{
    struct rig *r = rig_new();
    const char *id = submit(r, RIG_USER, "", "", NULL);

    ask_for_a_reservation(r, 98);
    ask_for_a_reservation(r, 99);
    CU_ASSERT_EQUAL(move(r, RIG_ROOT, id, "R1"), PBSE_QUNOENB);
    set(r, OBJECT_QUEUE, "R1", "enabled=true");
    set(r, OBJECT_QUEUE, "R2", "enabled=true");
    CU_ASSERT_EQUAL(move(r, RIG_ROOT, id, "R1"), 0);
    CU_ASSERT_EQUAL(move(r, RIG_ROOT, id, "R2"), 0);
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "reserve_ID"), "R2.svr");
    CU_ASSERT_STRING_EQUAL(obj_str(the_job(r, id), JOB_A_HF_QUEUE_BEFORE, ""), "workq");
    CU_ASSERT_EQUAL(move(r, RIG_ROOT, id, "workq"), 0);
    CU_ASSERT_FALSE(obj_is_set(the_job(r, id), JOB_A_HF_QUEUE_BEFORE));
    CU_ASSERT_STRING_EQUAL(text_of(r, id, "reserve_ID"), "");
    rig_free(r);
}

/* The jobs in the order in which they are listed: "1 2 3". */
static const char *listed(struct rig *r, const char *queue)
{
    static char text[100];
    const struct body_status body = { .id = queue };
    const struct wire_reply *reply =
        rig_ask(r, RIG_USER, BATCH_STATUS_JOB, &body, NULL);
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < reply->objects.n; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%d", i ? " " : "",
                                atoi(reply->objects.v[i].name));
    return text;
}

static void two_jobs_change_places(void)
{
    struct rig *r = rig_new();
    const char *a = submit(r, RIG_USER, "", "", NULL);
    const char *b = submit(r, RIG_USER, "", "Hold_Types=u", NULL);
    const char *c = submit(r, "bob", "", "", NULL);
    char rank_a[40], rank_b[40], rank_c[40];

    snprintf(rank_a, sizeof(rank_a), "%s", text_of(r, a, "queue_rank"));
    snprintf(rank_b, sizeof(rank_b), "%s", text_of(r, b, "queue_rank"));
    snprintf(rank_c, sizeof(rank_c), "%s", text_of(r, c, "queue_rank"));
    CU_ASSERT_TRUE(strcmp(rank_a, rank_b) < 0 && strcmp(rank_b, rank_c) < 0);
    CU_ASSERT_STRING_EQUAL(listed(r, ""), "0 1 2");
    CU_ASSERT_STRING_EQUAL(listed(r, "workq"), "0 1 2");
    r->now_at += 9;
    CU_ASSERT_EQUAL(order(r, RIG_USER, a, b), 0);
    CU_ASSERT_EQUAL(obj_num(the_job(r, a), JOB_A_MTIME, 0), RIG_START_AT + 9);
    CU_ASSERT_EQUAL(obj_num(the_job(r, b), JOB_A_MTIME, 0), RIG_START_AT + 9);
    CU_ASSERT_TRUE(rig_logged(r, "changes places with 1.svr at request of ann@"));
    CU_ASSERT_STRING_EQUAL(text_of(r, a, "queue_rank"), rank_b);
    CU_ASSERT_STRING_EQUAL(text_of(r, b, "queue_rank"), rank_a);
    CU_ASSERT_EQUAL(state_of(r, b), 'H');
    CU_ASSERT_EQUAL(order(r, RIG_USER, a, c), PBSE_PERM);
    CU_ASSERT_EQUAL(order(r, "bob", a, c), PBSE_PERM);
    CU_ASSERT_EQUAL(order(r, RIG_USER, a, a), 0);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_LOG), 0);
    CU_ASSERT_EQUAL(order(r, RIG_ROOT, c, b), 0);
    CU_ASSERT_STRING_EQUAL(text_of(r, c, "queue_rank"), rank_a);
    CU_ASSERT_STRING_EQUAL(text_of(r, b, "queue_rank"), rank_c);
    rig_restart(r);
    CU_ASSERT_STRING_EQUAL(text_of(r, c, "queue_rank"), rank_a);
    CU_ASSERT_STRING_EQUAL(listed(r, ""), "2 0 1");
    CU_ASSERT_STRING_EQUAL(listed(r, "workq"), "2 0 1");
    rig_free(r);
}

static void jobs_of_two_queues_change_queues_too(void)
{
    struct rig *r = rig_new();
    const char *a, *b;
    char rank_a[40], rank_b[40];

    queue(r, "q2", "");
    a = submit(r, RIG_USER, "", "", NULL);
    b = submit(r, RIG_USER, "q2", "", NULL);
    snprintf(rank_a, sizeof(rank_a), "%s", text_of(r, a, "queue_rank"));
    snprintf(rank_b, sizeof(rank_b), "%s", text_of(r, b, "queue_rank"));
    /* Neither moves when one is not let in. */
    set(r, OBJECT_QUEUE, "q2", "acl_user_enable=true acl_users=bob");
    CU_ASSERT_EQUAL(order(r, RIG_USER, b, a), PBSE_PERM);
    CU_ASSERT_EQUAL(order(r, RIG_USER, a, b), PBSE_PERM);
    CU_ASSERT_STRING_EQUAL(text_of(r, a, "queue"), "workq");
    CU_ASSERT_STRING_EQUAL(text_of(r, b, "queue"), "q2");
    /* Whether a queue is open or full does not matter: for each that comes one goes. */
    set(r, OBJECT_QUEUE, "q2",
        "acl_user_enable=false enabled=false max_queuable=1 from_route_only=true");
    CU_ASSERT_EQUAL(order(r, RIG_USER, a, b), 0);
    CU_ASSERT_STRING_EQUAL(text_of(r, a, "queue"), "q2");
    CU_ASSERT_STRING_EQUAL(text_of(r, b, "queue"), "workq");
    CU_ASSERT_STRING_EQUAL(text_of(r, a, "queue_rank"), rank_b);
    CU_ASSERT_STRING_EQUAL(text_of(r, b, "queue_rank"), rank_a);
    rig_free(r);
}

static void groups_are_found_out_first(void)
{
    struct rig *r = rig_new();
    const struct body_move body = { .job_id = "0.svr", .destination = "q2" };

    queue(r, "q2", "");
    submit(r, RIG_USER, "", "", NULL);
    rig_hides_groups = true;
    CU_ASSERT_PTR_NULL(rig_ask(r, RIG_USER, BATCH_MOVE_JOB, &body, NULL));
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_FIND_OUT), 1);
    CU_ASSERT_STRING_EQUAL(text_of(r, "0.svr", "queue"), "workq");
    /* Whom no list stops nobody has to look for. */
    CU_ASSERT_EQUAL(move(r, RIG_ROOT, "0.svr", "q2"), 0);
    rig_hides_groups = false;
    rig_free(r);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a job goes into another queue", a_job_goes_into_another_queue },
        { "what cannot be moved is refused", what_cannot_be_moved_is_refused },
        { "the door is that of a submission", the_door_is_that_of_a_submission },
        { "an array has the size that the queue takes",
          an_array_has_the_size_that_the_queue_takes },
        { "the host of the request counts too", the_host_of_the_request_counts_too },
        { "a longer name is another resource", a_longer_name_is_another_resource },
        { "the queue before is no reservation's", the_queue_before_is_no_reservations },
        { "defaults are those of the new queue", defaults_are_those_of_the_new_queue },
        { "what was altered is asked for", what_was_altered_is_asked_for },
        { "two jobs change places", two_jobs_change_places },
        { "jobs of two queues change queues too",
          jobs_of_two_queues_change_queues_too },
        { "groups are found out first", groups_are_found_out_first },
    };

    return unit_main("job move", cases, ARRAY_LEN(cases));
}
