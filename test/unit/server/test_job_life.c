/* test_job_life.c - a job from its submission to its last accounting record, with a
 * MoM that is played by the test.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define CONTAINS(text, part) CU_ASSERT_PTR_NOT_NULL((text) ? strstr(text, part) : NULL)

static void a_job_runs_and_ends(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = submit(r, RIG_USER, "", "Job_Name=try", "echo hello\n");
    const struct is_message *told;
    const struct body_queue *queue;
    const struct body_files *files;

    CU_ASSERT_STRING_EQUAL(id, "0.svr");
    CU_ASSERT_STRING_EQUAL(
        accounted(r, 'Q', 0),
        "user=ann group=ann project=_pbs_project_default jobname=try "
        "queue=workq ctime=1800000000 qtime=1800000000 "
        "etime=1800000000 Resource_List.ncpus=1 "
        "Resource_List.nodect=1 Resource_List.place=pack "
        "Resource_List.select=1:ncpus=1 ");
    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    CU_ASSERT_EQUAL(state_of(r, id), 'R');
    CU_ASSERT_TRUE(rig_logged(r, "Job Run at request of root@svr.example on exec_vnode "
                                 "(n1:ncpus=1)"));

    /* One group with one message id: the job, its script, the commit. */
    told = fake_told(&fm, BATCH_QUEUE_JOB, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(told);
    queue = told->request.body;
    CU_ASSERT_STRING_EQUAL(queue->id, "0.svr");
    CU_ASSERT_STRING_EQUAL(queue->destination, "n1");
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&queue->attrs, "exec_host2", NULL),
                           "localhost:15002/0");
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&queue->attrs, "run_version", NULL), "1");
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&queue->attrs, "hashname", NULL), "0.svr");
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&queue->attrs, "euser", NULL), "ann");
    CU_ASSERT_PTR_NULL(wire_attrs_value(&queue->attrs, "Resource_List", "select"));
    CU_ASSERT_STRING_EQUAL(fake_told(&fm, BATCH_JOB_SCRIPT, 0)->msgid, told->msgid);
    CU_ASSERT_STRING_EQUAL(fake_told(&fm, BATCH_COMMIT, 0)->msgid, told->msgid);

    fake_answer(&fm, told, 0, NULL);
    CONTAINS(accounted(r, 'S', 0), "exec_host=n1/0 exec_vnode=(n1:ncpus=1) ");
    CONTAINS(accounted(r, 'S', 0), "resource_assigned.ncpus=1 ");
    fake_usage(&fm, id, 1, "4711", "00:00:02");
    CU_ASSERT_EQUAL(obj_num(the_job(r, id), JOB_A_SUBSTATE, 0), 42);
    CU_ASSERT_EQUAL(obj_num(the_job(r, id), JOB_A_SESSION_ID, 0), 4711);

    fake_obit(&fm, id, 1, 3);
    CU_ASSERT_EQUAL(state_of(r, id), 'E');
    CU_ASSERT_EQUAL(fake_message(&fm, IS_OBITREPLY)->acks.n, 1);
    told = fake_told(&fm, BATCH_COPY_FILES, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(told);
    files = told->request.body;
    CU_ASSERT_EQUAL(files->n_pairs, 2);
    CU_ASSERT_STRING_EQUAL(files->pairs[0].local, "0.svr.OU");
    CU_ASSERT_STRING_EQUAL(files->pairs[0].remote, "svr.example:try.o0");
    CU_ASSERT_STRING_EQUAL(files->owner, "ann");

    fake_answer(&fm, told, 0, NULL);
    told = fake_told(&fm, BATCH_DELETE_JOB, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(told);
    CU_ASSERT_PTR_NULL(
        rig_value(r, RIG_ROOT, BATCH_STATUS_NODE, "n1", "last_used_time"));
    fake_answer(&fm, told, 0, NULL);
    CU_ASSERT_PTR_NULL(the_job(r, id));
    CONTAINS(accounted(r, 'E', 0), "session=4711 end=1800000000 Exit_status=3 "
                                   "resources_used.cput=00:00:01 "
                                   "resources_used.walltime=00:00:02 run_count=1");
    CU_ASSERT_PTR_NULL(fake_message(&fm, IS_DISCARD_JOB));
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_ROOT, BATCH_STATUS_NODE, "n1", "last_used_time"),
        "1800000000");
    fake_mom_free(&fm);
}

/* More than 2 MiB, beyond which other servers connect to the MoM's service port: parts
 * of at most 64 KiB in order, under the message number of the job (tpp.md 6.2). */
static void a_large_script_travels_in_parts(void)
{
    struct fake_mom fm = fake_mom_new();
    size_t len = (3u << 20) + 5, at = 0;
    char *script = xcalloc(1, len + 1);
    const struct is_message *queue, *told;
    const char *id;

    for (size_t i = 0; i < len; i++)
        script[i] = (char)('a' + i % 23);
    id = submit(fm.r, RIG_USER, "", "", script);
    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CU_ASSERT_EQUAL(run_job(fm.r, id, "(n1:ncpus=1)"), 0);
    queue = fake_told(&fm, BATCH_QUEUE_JOB, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(queue);
    for (size_t n = 0; (told = fake_told(&fm, BATCH_JOB_SCRIPT, n)); n++) {
        const struct body_script *part = told->request.body;

        CU_ASSERT_STRING_EQUAL(told->msgid, queue->msgid);
        CU_ASSERT_EQUAL(part->sequence, n);
        CU_ASSERT(part->data.len > 0 && part->data.len <= 65536);
        CU_ASSERT_FATAL(part->data.len <= len - at);
        CU_ASSERT_EQUAL(memcmp(part->data.data, script + at, part->data.len), 0);
        at += part->data.len;
    }
    CU_ASSERT_EQUAL(at, len);
    CU_ASSERT_PTR_NOT_NULL(fake_told(&fm, BATCH_COMMIT, 0));
    free(script);
    fake_mom_free(&fm);
}

static void files_that_are_kept_are_not_copied(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "Keep_Files=oe", NULL);

    CU_ASSERT_EQUAL(run_job(fm.r, id, "(n1:ncpus=1)"), 0);
    CU_ASSERT_PTR_NULL(fake_told(&fm, BATCH_JOB_SCRIPT, 0));
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    fake_obit(&fm, id, 1, 0);
    CU_ASSERT_PTR_NULL(fake_told(&fm, BATCH_COPY_FILES, 0));
    CU_ASSERT_PTR_NOT_NULL(fake_told(&fm, BATCH_DELETE_JOB, 0));
    fake_mom_free(&fm);
}

/* An obituary may come before any usage: the job started all the same. */
static void alter(struct rig *r, const char *id, const char *attr, const char *resource,
                  const char *value)
{
    struct body_manage body = { .command = 2, .object_type = 2, .object_name = id };

    wire_attrs_add(&body.attrs, r->arena, attr, resource, value, WIRE_OP_SET);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_MODIFY_JOB, &body, NULL)->code, 0);
}

/* What a scheduler says of a job, on its own connection. */
static void estimate(struct rig *r, const char *id, const char *attrs)
{
    struct body_manage body = {
        .command = 2, .object_type = 2, .object_name = id, .attrs = rig_attrs(r, attrs)
    };

    rig_ask_on(r, r->sched_conn - 1, RIG_ROOT, BATCH_MODIFY_JOB_ASYNC, &body, NULL);
    CU_ASSERT_FALSE(rig_logged(r, "Reject reply"));
}

static void an_estimate_goes_with_its_top_job(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = submit(r, RIG_USER, "", "", "x\n");
    const char *other = submit(r, RIG_USER, "", "", "x\n");

    rig_attach_sched(r);
    estimate(r, id,
             "topjob=True estimated.start_time=1800000100 "
             "estimated.exec_vnode=(n1:ncpus=1)");
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_USER, BATCH_STATUS_JOB, id, "estimated.start_time"),
        "1800000100");
    CU_ASSERT_PTR_NULL(accounted(r, 'a', 0)); /* nobody has altered it */
    estimate(r, id, "topjob=False");
    CU_ASSERT_TRUE(obj_is_set(the_job(r, id), JOB_A_ESTIMATED)); /* as PBS does */
    estimate(r, other, "topjob=True estimated.start_time=1800000300");
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "",
                                "clear_topjob_estimates_enable=True"),
                    0);
    /* At once: of the one that was top, and not of the one that is. */
    CU_ASSERT_FALSE(obj_is_set(the_job(r, id), JOB_A_ESTIMATED));
    CU_ASSERT_TRUE(obj_is_set(the_job(r, other), JOB_A_ESTIMATED));
    estimate(r, id, "topjob=True estimated.start_time=1800000200");
    rig_restart(r);
    rig_attach_sched(r);
    CU_ASSERT_TRUE(obj_is_set(the_job(r, id), JOB_A_ESTIMATED));
    estimate(r, id, "topjob=False");
    CU_ASSERT_FALSE(obj_is_set(the_job(r, id), JOB_A_ESTIMATED));
    fake_mom_free(&fm);
}

/* Every field in its place, quoted as the rules say (operations.md 17). */
static void accounting_records_are_exact(void)
{
#define GENERAL                                                                        \
    "gridname=\"grid\" user=ann group=ann account=\"acct one\" project=\"proj x\" "    \
    "accounting_id=\"acct_7\" jobname=none queue=workq "                               \
    "ctime=1800000000 qtime=1800000000 etime=1800000000 start=1800000000 "             \
    "exec_host=n1/0 exec_vnode=(n1:ncpus=1) Resource_List.mem=1mb "                    \
    "Resource_List.ncpus=1 Resource_List.nodect=1 Resource_List.place=excl "           \
    "Resource_List.select=1:ncpus=1:mem=1mb Resource_List.site=\"a b\" "
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id;

    rig_manager(r, RIG_ROOT, 2, OBJECT_SERVER, "", "eligible_time_enable=t");
    id = submit(r, RIG_USER, "",
                "Resource_List.select=1:ncpus=1:mem=1mb Resource_List.place=excl",
                "x\n");
    alter(r, id, "Account_Name", NULL, "acct one");
    CU_ASSERT_STRING_EQUAL(accounted(r, 'a', 0), "Account_Name=\"acct one\"");
    alter(r, id, "project", NULL, "proj x");
    alter(r, id, "gridname", NULL, "grid");
    rig_attach_sched(r);
    estimate(r, id, "accounting_id=acct_7"); /* a daemon may say it */
    alter(r, id, "Resource_List", "site", "a b");
    CU_ASSERT_STRING_EQUAL(accounted(r, 'a', 0), "Resource_List.site=\"a b\"");
    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    CU_ASSERT_STRING_EQUAL(accounted(r, 'S', 0),
                           GENERAL "resource_assigned.mem=1000000kb "
                                   "resource_assigned.ncpus=4 ");
    fake_usage(&fm, id, 1, "4711", "00:00:02");
    fake_alt_id(&fm, id, 1, "alt_12");
    fake_obit(&fm, id, 1, 3);
    fake_answer(&fm, fake_told(&fm, BATCH_COPY_FILES, 0), 0, NULL);
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), 0, NULL);
    CU_ASSERT_STRING_EQUAL(
        accounted(r, 'E', 0),
        GENERAL "session=4711 alt_id=alt_12 end=1800000000 Exit_status=3 "
                "resources_used.cput=00:00:01 "
                "resources_used.walltime=00:00:02 eligible_time=00:00:00 run_count=1");
    fake_mom_free(&fm);
#undef GENERAL
}

/* A hook of a MoM may count in objects of JSON, which end where their quotes do. */
static void json_is_accounted_in_single_quotes(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    struct is_job_update u = { .run_version = 1 };
    struct is_message msg = { .command = IS_RESCUSED, .n_updates = 1, .updates = &u };
    const char *id;

    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, 0, OBJECT_RESOURCE, "seen", "type=string"),
                    0);
    u.job_id = id = running_job(&fm);
    wire_attrs_add(&u.attrs, r->arena, "resources_used", "seen", "{\"a\":1}", 0);
    fake_send(&fm, &msg);
    fake_obit(&fm, id, 1, 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COPY_FILES, 0), 0, NULL);
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), 0, NULL);
    CONTAINS(accounted(r, 'E', 0), " resources_used.seen='{\"a\":1}' ");
    fake_mom_free(&fm);
}

/* Readers find the end of a text that has double quotes. */
static void accounts_are_quoted(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "", "x\n");

    alter(fm.r, id, "Account_Name", NULL, "say \"a\"");
    CU_ASSERT_EQUAL(run_job(fm.r, id, "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    CONTAINS(accounted(fm.r, 'S', 0), " account='say \"a\"' project=");
    fake_mom_free(&fm);
}

/* No text that a user may choose ends its field and begins another one: what the line
 * shows as a blank counts as one, and a quote has its counterpart. */
static void no_value_forges_a_field(void)
{
    static const struct {
        const char *value, *word, *account;
    } cases[] = {
        { "plain", "plain", "\"plain\"" },
        { "it's", "it's", "\"it's\"" },
        { "a\"b", "a\"b", "'a\"b'" },
        { "a b", "\"a b\"", "\"a b\"" },
        { "a\nuser=root", "\"a\nuser=root\"", "\"a\nuser=root\"" },
        { "a\tuser=root", "\"a\tuser=root\"", "\"a\tuser=root\"" },
        { "\"a", "'\"a'", "'\"a'" },
        { "'a", "\"'a\"", "\"'a\"" },
        { "a\"b' user=root c", "'a\"b\\u0027 user=root c'",
          "'a\"b\\u0027 user=root c'" },
    };
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, 0, OBJECT_RESOURCE, "str", "type=string"),
                    0);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *id = submit(r, RIG_USER, "", "", "x\n");
        const char *line;

        alter(r, id, "Account_Name", NULL, cases[i].value);
        alter(r, id, "Resource_List", "str", cases[i].value);
        CONTAINS(accounted(r, 'a', 0),
                 arena_printf(r->arena, "Resource_List.str=%s", cases[i].word));
        CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=1)"), 0);
        fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
        line = accounted(r, 'S', 0);
        CONTAINS(line, arena_printf(r->arena, " Resource_List.str=%s ", cases[i].word));
        CONTAINS(line, arena_printf(r->arena, " account=%s ", cases[i].account));
        fake_obit(&fm, id, 1, 0);
        fake_answer(&fm, fake_told(&fm, BATCH_COPY_FILES, 0), 0, NULL);
        fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), 0, NULL);
    }
    fake_mom_free(&fm);
}

static void a_short_job_is_accounted_for(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "", "true\n");

    CU_ASSERT_EQUAL(run_job(fm.r, id, "(n1:ncpus=1)"), 0);
    fake_obit(&fm, id, 1, 0);
    CU_ASSERT_PTR_NOT_NULL(accounted(fm.r, 'S', 0));
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'E');
    fake_mom_free(&fm);
}

static void delete_is_tried_again(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job(&fm);

    fake_obit(&fm, id, 1, 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COPY_FILES, 0), PBSE_NOCOPYFILE, "no disk");
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_effect(fm.r, EFFECT_MAIL, 0));
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_effect(fm.r, EFFECT_MAIL, 0)->u.mail.text,
                                  "Post job file processing error; job "));
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), PBSE_TRYAGAIN, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(fake_told(&fm, BATCH_DELETE_JOB, 0));
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), PBSE_TRYAGAIN, NULL);
    CU_ASSERT_PTR_NULL(fake_told(&fm, BATCH_DELETE_JOB, 0));
    rig_advance(fm.r, fm.r->now_at + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(fake_told(&fm, BATCH_DELETE_JOB, 0));
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), PBSE_UNKJOBID,
                "Unknown Job Id");
    CU_ASSERT_PTR_NULL(the_job(fm.r, id));
    fake_mom_free(&fm);
}

/* She answers that she does not know the job that is to end; what she is told in
 * 'after_s' seconds, and not before. */
static const struct is_message *does_not_know(struct fake_mom *fm, int after_s)
{
    fake_answer(fm, fake_told(fm, BATCH_SIGNAL_JOB, 0), PBSE_UNKJOBID,
                "Unknown Job Id");
    CU_ASSERT_TRUE(rig_logged(fm->r, "MOM rejected signal during delete (15001)"));
    CU_ASSERT_PTR_NULL(fake_told(fm, BATCH_SIGNAL_JOB, 0));
    rig_advance(fm->r, fm->r->now_at + after_s - 1);
    CU_ASSERT_PTR_NULL(fake_told(fm, BATCH_SIGNAL_JOB, 0));
    rig_advance(fm->r, fm->r->now_at + 1);
    return fake_told(fm, BATCH_SIGNAL_JOB, 0);
}

/* A MoM that was sent the job may be about to take it up. */
static void its_end_is_said_again(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "", "x\n");
    const struct is_message *told;

    CU_ASSERT_EQUAL_FATAL(run_job(fm.r, id, "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    delete_job(fm.r, RIG_USER, id, NULL);
    told = does_not_know(&fm, 5);
    CU_ASSERT_PTR_NOT_NULL_FATAL(told);
    CU_ASSERT_STRING_EQUAL(((const struct body_signal *)told->request.body)->signal,
                           "TermJob");
    fake_mom_free(&fm);
}

static void its_end_is_said_ten_times(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "", "x\n");

    CU_ASSERT_EQUAL(
        rig_manager(fm.r, RIG_ROOT, SET, OBJECT_SERVER, "", "resend_term_delay=2"), 0);
    CU_ASSERT_EQUAL_FATAL(run_job(fm.r, id, "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    delete_job(fm.r, RIG_USER, id, NULL);
    for (int i = 0; i < 10; i++)
        CU_ASSERT_PTR_NOT_NULL_FATAL(does_not_know(&fm, 2));
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), PBSE_UNKJOBID, NULL);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'E');
    fake_mom_free(&fm);
}

/* What has started and is not known any more is over. */
static void a_job_that_has_started_is_not_waited_for(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job(&fm);

    delete_job(fm.r, RIG_USER, id, NULL);
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), PBSE_UNKJOBID, NULL);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'E');
    fake_mom_free(&fm);
}

/* A host of the job was not reached when it was deleted there, or the word about that
 * was lost with its stream: all are told once more, in another way, and the job is
 * over.
 */
static void hosts_that_were_not_reached_discard_the_job(void)
{
    static const int codes[] = { PBSE_SISCOMM, PBSE_UNKJOBID };

    for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
        struct fake_mom fm = fake_mom_new();
        const char *id = running_job(&fm);

        fake_obit(&fm, id, 1, 0);
        fake_answer(&fm, fake_told(&fm, BATCH_COPY_FILES, 0), 0, NULL);
        fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), codes[i], NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(fake_message(&fm, IS_DISCARD_JOB));
        CU_ASSERT_EQUAL(fake_message(&fm, IS_DISCARD_JOB)->run_version, 1);
        CU_ASSERT_PTR_NULL(the_job(fm.r, id));
        fake_mom_free(&fm);
    }
}

static void a_refused_job_is_queued_again(void)
{
    struct fake_mom fm = fake_mom_new();
    struct body_run body = { .vnodes = "(n1:ncpus=1)" };

    body.object_id = submit(fm.r, RIG_USER, "", "", "x\n");
    CU_ASSERT_PTR_NULL(rig_ask(fm.r, RIG_ROOT, BATCH_RUN_JOB, &body, NULL));
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), PBSE_BADUSER, "no such user");
    CU_ASSERT_EQUAL(rig_reply(fm.r, fm.r->conn)->code, PBSE_MOMREJECT);
    CU_ASSERT_EQUAL(state_of(fm.r, body.object_id), 'Q');
    CU_ASSERT_FALSE(obj_is_set(the_job(fm.r, body.object_id), JOB_A_EXEC_VNODE));
    CU_ASSERT_TRUE(rig_logged(fm.r, "send of job to localhost failed error = 15023 "
                                    "reject_msg=no such user"));
    /* Run again it is another run, and RunJob is answered when it is taken. */
    CU_ASSERT_PTR_NULL(rig_ask(fm.r, RIG_ROOT, BATCH_RUN_JOB, &body, NULL));
    CU_ASSERT_EQUAL(obj_num(the_job(fm.r, body.object_id), JOB_A_RUN_VERSION, 0), 2);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    CU_ASSERT_EQUAL(rig_reply(fm.r, fm.r->conn)->code, 0);
    fake_mom_free(&fm);
}

/* Its owner's hold, which he has set meanwhile, is still there. */
static void too_many_runs_hold_the_job(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "Checkpoint=n", "x\n");

    for (int i = 0; i < 21; i++) {
        CU_ASSERT_EQUAL(state_of(fm.r, id), 'Q');
        CU_ASSERT_EQUAL_FATAL(run_job(fm.r, id, "(n1:ncpus=1)"), 0);
        if (i < 20)
            fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), PBSE_SYSTEM, NULL);
    }
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    fake_usage(&fm, id, 21, "4711", "00:00:05");
    alter(fm.r, id, "Hold_Types", NULL, "u");
    fake_obit(&fm, id, 21, -3);
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), 0, NULL);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'H');
    CU_ASSERT_STRING_EQUAL(
        rig_value(fm.r, RIG_USER, BATCH_STATUS_JOB, id, "Hold_Types"), "su");
    CU_ASSERT_EQUAL(run_job(fm.r, id, "(n1:ncpus=1)"), PBSE_BADSTATE);
    fake_mom_free(&fm);
}

/* Its owner may say how often it has run: also a number that has no next one. */
static void a_count_of_runs_has_an_end(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "run_count=9223372036854775807", "x\n");

    CU_ASSERT_EQUAL_FATAL(run_job(fm.r, id, "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), PBSE_SYSTEM, NULL);
    CU_ASSERT_STRING_EQUAL(rig_value(fm.r, RIG_USER, BATCH_STATUS_JOB, id, "run_count"),
                           "9223372036854775807");
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'H');
    fake_mom_free(&fm);
}

/* Deletion. */

static void a_queued_job_is_deleted(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "", NULL);

    CU_ASSERT_EQUAL(delete_job(fm.r, "eve", id, NULL), PBSE_PERM);
    CU_ASSERT_PTR_NOT_NULL(the_job(fm.r, id));
    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, id, NULL), 0);
    CU_ASSERT_PTR_NULL(the_job(fm.r, id));
    CU_ASSERT_STRING_EQUAL(accounted(fm.r, 'D', 0), "requestor=ann@svr.example");
    CU_ASSERT_PTR_NULL(accounted(fm.r, 'D', 1));
    fake_mom_free(&fm);
}

static const char *signal_told(const struct fake_mom *fm)
{
    const struct is_message *told = fake_told(fm, BATCH_SIGNAL_JOB, 0);

    return told ? ((const struct body_signal *)told->request.body)->signal : "";
}

static void a_job_is_its_owners(void)
{
    static const struct {
        const char *user;
        int code;
    } cases[] = { { "anna", PBSE_PERM },
                  { "an", PBSE_PERM },
                  { "ANN", PBSE_PERM },
                  { RIG_USER, 0 } };
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "", "x\n");

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        CU_ASSERT_EQUAL(delete_job(fm.r, cases[i].user, id, NULL), cases[i].code);
    fake_mom_free(&fm);
}

static void a_running_job_is_killed(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job(&fm);

    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, id, NULL), 0);
    CU_ASSERT_STRING_EQUAL(accounted(fm.r, 'D', 0), "requestor=ann@svr.example");
    CU_ASSERT_STRING_EQUAL(signal_told(&fm), "TermJob");
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, id, NULL), 0); /* again: nothing new */
    CU_ASSERT_PTR_NULL(accounted(fm.r, 'D', 0));
    rig_advance(fm.r, fm.r->now_at + 69);
    CU_ASSERT_STRING_EQUAL(signal_told(&fm), "");
    rig_advance(fm.r, fm.r->now_at + 1);
    CU_ASSERT_STRING_EQUAL(signal_told(&fm), "SIGKILL");
    fake_obit(&fm, id, 1, -11); /* a doomed job never returns to the queue */
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'E');
    fake_mom_free(&fm);
}

static void deletion_waits_for_a_job_being_sent(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "", "x\n");
    const struct is_message *commit;

    CU_ASSERT_EQUAL(run_job(fm.r, id, "(n1:ncpus=1)"), 0);
    commit = fake_told(&fm, BATCH_COMMIT, 0);
    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, id, NULL), 0);
    CU_ASSERT_STRING_EQUAL(signal_told(&fm), "");
    fake_answer(&fm, commit, 0, NULL);
    CU_ASSERT_STRING_EQUAL(signal_told(&fm), "TermJob");
    fake_mom_free(&fm);
}

static void force_does_not_wait(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job(&fm);

    rig_advance(fm.r, fm.r->now_at + 5);
    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, id, "nomailforce"), 0);
    CU_ASSERT_PTR_NULL(the_job(fm.r, id));
    CU_ASSERT_EQUAL(
        obj_num(&model_node(svr_model(fm.r->s), "n1")->obj, NODE_A_LAST_USED_TIME, 0),
        fm.r->now_at);
    CONTAINS(accounted(fm.r, 'E', 0), "Exit_status=265");
    CU_ASSERT_STRING_EQUAL(fake_message(&fm, IS_DISCARD_JOB)->job_id, id);
    id = running_job(&fm);
    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, id, NULL),
                    0); /* and then not any more */
    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, id, "force"), 0);
    CU_ASSERT_TRUE(rig_logged(fm.r, "Delete forced"));
    CU_ASSERT_TRUE(rig_logged(fm.r, "Discard running job, Forced Delete "));
    CU_ASSERT_PTR_NULL(the_job(fm.r, id));
    CONTAINS(accounted(fm.r, 'E', 0), "Exit_status=265");
    fake_mom_free(&fm);
}

struct deletion {
    const char *story;
    const char *ids; /* blanks between; "1" and "2" are queued jobs of ann */
    int code;
    const char *failed; /* "id:code ..." as in the reply */
};

static void delete_replies_are_exact(void)
{
    static const struct deletion cases[] = {
        { "all deleted", "0.svr 1.svr", 0, "" },
        { "unknown alone", "9.svr", 15001, "9.svr:15001 " },
        { "several unknown, nothing else", "9.svr 8.svr 7.svr", 15001, "9.svr:15001 " },
        { "unknown before", "9.svr 8.svr 0.svr", 0, "8.svr:15001 9.svr:15001 " },
        { "unknown last", "0.svr 9.svr", 0, "9.svr:15001 " },
        { "the same one twice", "0.svr 0.svr", 0, "" },
        { "somebody else's", "2.svr", 15007, "2.svr:15007 " },
        { "none at all", "", 0, "" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_mom fm = fake_mom_new();
        const char *ids[8];
        struct body_list body = { .ids = { 0, ids } };
        char *copy = arena_strdup(fm.r->arena, cases[i].ids);
        const struct wire_reply *reply;
        struct buf got = { 0 };

        submit(fm.r, RIG_USER, "", "", NULL);
        submit(fm.r, RIG_USER, "", "", NULL);
        submit(fm.r, "bob", "", "", NULL);
        for (char *save, *p = strtok_r(copy, " ", &save); p;
             p = strtok_r(NULL, " ", &save))
            ids[body.ids.n++] = p;
        reply = rig_ask(fm.r, RIG_USER, BATCH_DELETE_JOB_LIST, &body, NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
        CU_ASSERT_EQUAL(reply->choice, REPLY_DELETE);
        CU_ASSERT_EQUAL(reply->code, cases[i].code);
        buf_add_str(&got, "");
        for (size_t k = 0; k < reply->deleted.n; k++)
            buf_printf(&got, "%s:%u ", reply->deleted.v[k].id,
                       reply->deleted.v[k].code);
        CU_ASSERT_STRING_EQUAL(got.data, cases[i].failed);
        buf_fini(&got);
        fake_mom_free(&fm);
    }
}

/* Room. */

/* A scheduler decides on a picture that may be old; a manager knows what he does. */
static void a_scheduler_cannot_overfill_a_vnode(void)
{
    static const struct {
        const char *story, *attrs, *vnodes;
        int code; /* by the scheduler; a manager's is 0 */
    } cases[] = {
        { "the rest", "Resource_List.select=1:ncpus=2", "(n1:ncpus=2)", 0 },
        { "one more", "Resource_List.select=1:ncpus=3", "(n1:ncpus=3)", PBSE_RESCUNAV },
        { "one more in two chunks", "Resource_List.select=3:ncpus=1",
          "(n1:ncpus=1)+(n1:ncpus=1)+(n1:ncpus=1)", PBSE_RESCUNAV },
        { "a vnode of its own",
          "Resource_List.select=1:ncpus=1 Resource_List.place=excl", "(n1:ncpus=1)",
          PBSE_RESCUNAV },
    };

    for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
        struct fake_mom fm = fake_mom_new(); /* n1 has 4 cpus */
        uint64_t sched = rig_attach_sched(fm.r);
        bool manager = i % 2;
        struct body_run body = { .vnodes = cases[i / 2].vnodes };
        const struct wire_reply *reply;
        int code = manager ? 0 : cases[i / 2].code;

        CU_ASSERT_EQUAL(
            run_job(fm.r,
                    submit(fm.r, RIG_USER, "", "Resource_List.select=1:ncpus=2", "x\n"),
                    "(n1:ncpus=2)"),
            0);
        body.object_id = submit(fm.r, RIG_USER, "", cases[i / 2].attrs, "x\n");
        reply = rig_ask_on(fm.r, manager ? sched + 9 : sched, RIG_ROOT,
                           BATCH_ASYRUN_JOB_ACK, &body, NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
        if (reply->code != code)
            fprintf(stderr, "%s: %d\n", cases[i / 2].story, reply->code);
        CU_ASSERT_EQUAL(reply->code, code);
        CU_ASSERT_EQUAL(state_of(fm.r, body.object_id), code ? 'Q' : 'R');
        fake_mom_free(&fm);
    }
}

static void a_vnode_that_is_not_heard_of_takes_no_job(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "", "x\n");

    fake_lose(&fm); /* down */
    CU_ASSERT_EQUAL(run_job(fm.r, id, "(n1:ncpus=1)"), PBSE_NORELYMOM);
    fake_connect(&fm, 0, NULL);
    rig_restart(fm.r); /* state-unknown, its last known availability holds */
    CU_ASSERT_EQUAL(run_job(fm.r, id, "(n1:ncpus=1)"), PBSE_NORELYMOM);
    fake_connect(&fm, 0, NULL);
    CU_ASSERT_EQUAL(run_job(fm.r, id, "(n1:ncpus=1)"), 0);
    fake_mom_free(&fm);
}

/* Requeue. */

#define RERUN_CONN 7007

/* The code of the reply to qrerun; -1: it waits. */
static int rerun_said(struct rig *r)
{
    while (!rig_reply(r, RERUN_CONN) && svr_has_work(r->s))
        rig_go_on(r, RERUN_CONN);
    return rig_reply(r, RERUN_CONN) ? (int)rig_reply(r, RERUN_CONN)->code : -1;
}

static void qrerun_puts_the_job_back(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job(&fm);
    struct body_id body = { .id = id };
    int64_t etime = obj_num(the_job(fm.r, id), JOB_A_ETIME, 0);

    rig_advance(fm.r, fm.r->now_at + 60);
    CU_ASSERT_EQUAL(rig_ask(fm.r, RIG_USER, BATCH_RERUN, &body, NULL)->code, PBSE_PERM);
    CU_ASSERT_PTR_NULL(
        rig_ask_on(fm.r, RERUN_CONN, RIG_ROOT, BATCH_RERUN, &body, NULL));
    rig_go_on(fm.r, RERUN_CONN);
    CU_ASSERT_STRING_EQUAL(signal_told(&fm), "Rerun");
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
    fake_obit(&fm, id, 1, -11);
    CONTAINS(accounted(fm.r, 'R', 0), "Exit_status=-11");
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), 0, NULL);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'Q');
    CU_ASSERT_FALSE(obj_is_set(the_job(fm.r, id), JOB_A_RESOURCES_USED));
    CU_ASSERT_FALSE(obj_is_set(the_job(fm.r, id), JOB_A_SESSION_ID));
    CU_ASSERT_PTR_NULL(accounted(fm.r, 'E', 0));
    /* It has been eligible since it was so first (attributes.md 14.1). */
    CU_ASSERT_EQUAL(obj_num(the_job(fm.r, id), JOB_A_ETIME, 0), etime);
    CU_ASSERT_EQUAL(rerun_said(fm.r), 0);
    fake_mom_free(&fm);
}

/* What a MoM tells of a run beside its session. */
static void tell_of_run(struct fake_mom *fm, const char *id)
{
    struct is_job_update u = { .job_id = id, .run_version = 1 };
    struct is_message msg = { .command = IS_RESCUSED, .n_updates = 1, .updates = &u };

    wire_attrs_add(&u.attrs, fm->r->arena, "jobdir", NULL, "/home/ann", 0);
    wire_attrs_add(&u.attrs, fm->r->arena, "alt_id", NULL, "alt-7", 0);
    wire_attrs_add(&u.attrs, fm->r->arena, "resources_used", "mem", "6248kb", 0);
    fake_send(fm, &msg);
}

/* A job that is back in its queue is as it was before the run, but for how often it was
 * run and for what is written anew with each start. */
static void what_is_of_a_run_goes_with_it(void)
{
    static const int stays[] = { JOB_A_RUN_COUNT, JOB_A_RUN_VERSION, JOB_A_HASHNAME,
                                 JOB_A_JOB_KILL_DELAY };
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "", "x\n");
    struct body_id body = { .id = id };
    bool before[JOB_A_COUNT];
    size_t n = 0;

    for (int i = 0; i < JOB_A_COUNT; i++)
        before[i] = obj_is_set(the_job(fm.r, id), i);
    CU_ASSERT_EQUAL_FATAL(run_job(fm.r, id, "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    fake_usage(&fm, id, 1, "4711", "00:00:05");
    tell_of_run(&fm, id);
    for (int i = 0; i < JOB_A_COUNT; i++)
        n += obj_is_set(the_job(fm.r, id), i) && !before[i];
    CU_ASSERT_TRUE(n > 8); /* the run has its marks */
    CU_ASSERT_TRUE(obj_is_set(the_job(fm.r, id), JOB_A_JOBDIR));
    CU_ASSERT_TRUE(obj_is_set(the_job(fm.r, id), JOB_A_ALT_ID));
    rig_ask_on(fm.r, RERUN_CONN, RIG_ROOT, BATCH_RERUN, &body, NULL);
    rig_go_on(fm.r, RERUN_CONN);
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
    fake_obit(&fm, id, 1, -11);
    CONTAINS(accounted(fm.r, 'R', 0), " alt_id=alt-7 ");
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), 0, NULL);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'Q');
    for (int i = 0; i < JOB_A_COUNT; i++) {
        bool may = before[i];

        for (size_t k = 0; k < ARRAY_LEN(stays); k++)
            may |= stays[k] == i;
        if (obj_is_set(the_job(fm.r, id), i) && !may)
            printf("\n  %s is still there", job_rows[i].name);
        CU_ASSERT_TRUE(may || !obj_is_set(the_job(fm.r, id), i));
    }
    fake_mom_free(&fm);
}

/* The time passes: that is told, and the job goes back whenever its MoM answers. */
static void qrerun_waits_for_so_long(void)
{
    static const struct {
        const char *setting;
        int64_t s;
    } rows[] = { { "", 45 }, { "job_requeue_timeout=7", 7 } };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fake_mom fm = fake_mom_new();
        struct rig *r = fm.r;
        const char *id = running_job(&fm);
        struct body_id body = { .id = id };
        int64_t began_at;

        if (*rows[i].setting)
            CU_ASSERT_EQUAL(
                rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", rows[i].setting), 0);
        began_at = r->now_at;
        CU_ASSERT_PTR_NULL(
            rig_ask_on(r, RERUN_CONN, RIG_ROOT, BATCH_RERUN, &body, NULL));
        rig_go_on(r, RERUN_CONN);
        fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
        CU_ASSERT_EQUAL(rerun_said(r), -1);
        rig_advance(r, began_at + rows[i].s - 1);
        CU_ASSERT_EQUAL(rerun_said(r), -1);
        rig_advance(r, began_at + rows[i].s);
        CU_ASSERT_EQUAL(rerun_said(r), PBSE_INTERNAL);
        CU_ASSERT_PTR_NOT_NULL(
            strstr(rig_reply(r, RERUN_CONN)->text, "(job_requeue_timeout)"));
        CU_ASSERT_EQUAL(state_of(r, id), 'R');
        fake_obit(&fm, id, 1, -11);
        fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), 0, NULL);
        CU_ASSERT_EQUAL(state_of(r, id), 'Q');
        fake_mom_free(&fm);
    }
}

/* Nobody waits for a run of which the end is known, whatever it was. */
static void qrerun_of_a_job_that_ends_otherwise(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job(&fm);
    struct body_id body = { .id = id };

    CU_ASSERT_PTR_NULL(
        rig_ask_on(fm.r, RERUN_CONN, RIG_ROOT, BATCH_RERUN, &body, NULL));
    rig_go_on(fm.r, RERUN_CONN);
    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_ROOT, id, "force"), 0);
    CU_ASSERT_EQUAL(rerun_said(fm.r), 0);
    fake_mom_free(&fm);
}

static void a_dead_node_gives_its_jobs_back(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job(&fm);
    int64_t lost_at = fm.r->now_at;

    fake_lose(&fm);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
    rig_advance(fm.r, lost_at + 309);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
    rig_advance(fm.r, lost_at + 310);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'Q');
    CONTAINS(accounted(fm.r, 'R', 0), "Exit_status=-20");
    fake_mom_free(&fm);
}

static void node_fail_requeue_says_when(void)
{
    static const struct {
        const char *story, *setting;
        int64_t after_s; /* 0: never */
    } cases[] = {
        { "so many seconds", "node_fail_requeue=20", 20 },
        { "the default", "node_fail_requeue=", 310 },
        { "negative: as good as at once", "node_fail_requeue=-5", 1 },
        { "0: never", "node_fail_requeue=0", 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_mom fm = fake_mom_new();
        const char *id = running_job(&fm);
        int64_t lost_at = fm.r->now_at;

        CU_ASSERT_EQUAL(
            rig_manager(fm.r, RIG_ROOT, SET, OBJECT_SERVER, "", cases[i].setting), 0);
        fake_lose(&fm);
        rig_advance(fm.r, lost_at + (cases[i].after_s ? cases[i].after_s - 1 : 10000));
        if (state_of(fm.r, id) != 'R')
            fprintf(stderr, "%s: %c\n", cases[i].story, state_of(fm.r, id));
        CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
        if (cases[i].after_s) {
            rig_advance(fm.r, lost_at + cases[i].after_s);
            CU_ASSERT_EQUAL(state_of(fm.r, id), 'Q');
        }
        fake_mom_free(&fm);
    }
}

/* What was decided about a run holds when its vnode is lost before it is done. */
static void a_decided_end_stays_decided_on_a_dead_node(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *doomed = running_job(&fm), *ended, *requeued;
    struct body_id body;

    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, doomed, NULL), 0);
    ended = running_job(&fm);
    fake_obit(&fm, ended, 1, 0);
    requeued = running_job(&fm);
    body.id = requeued;
    CU_ASSERT_PTR_NULL(rig_ask(fm.r, RIG_ROOT, BATCH_RERUN, &body, NULL));
    rig_go_on(fm.r, 0);
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
    fake_obit(&fm, requeued, 1, -11);
    CU_ASSERT_EQUAL(state_of(fm.r, doomed), 'R');
    CU_ASSERT_EQUAL(state_of(fm.r, ended), 'E');
    CU_ASSERT_EQUAL(state_of(fm.r, requeued), 'E');
    fake_lose(&fm);
    rig_advance(fm.r, fm.r->now_at + 310);
    CU_ASSERT_PTR_NULL(the_job(fm.r, doomed));
    CU_ASSERT_PTR_NULL(the_job(fm.r, ended));
    CU_ASSERT_EQUAL(state_of(fm.r, requeued), 'Q');
    fake_mom_free(&fm);
}

/* 0 keeps a job that runs for ever; one that has ended is over as by default. */
static void an_ended_job_does_not_wait_for_ever(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job(&fm);

    CU_ASSERT_EQUAL(
        rig_manager(fm.r, RIG_ROOT, SET, OBJECT_SERVER, "", "node_fail_requeue=0"), 0);
    fake_obit(&fm, id, 1, 0);
    fake_lose(&fm);
    rig_advance(fm.r, fm.r->now_at + 309);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'E');
    rig_advance(fm.r, fm.r->now_at + 1);
    CU_ASSERT_PTR_NULL(the_job(fm.r, id));
    fake_mom_free(&fm);
}

static void patience_beyond_all_time_does_not_end(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = running_job(&fm);

    CU_ASSERT_EQUAL(rig_manager(fm.r, RIG_ROOT, SET, OBJECT_SERVER, "",
                                "node_fail_requeue=9223372036854775806"),
                    0);
    fake_lose(&fm);
    rig_advance(fm.r, fm.r->now_at + 1000);
    CU_ASSERT_EQUAL(state_of(fm.r, id), 'R');
    fake_mom_free(&fm);
}

static void a_job_that_must_not_rerun_ends_with_its_node(void)
{
    struct fake_mom fm = fake_mom_new();
    const char *id = submit(fm.r, RIG_USER, "", "Rerunable=False", "x\n");

    CU_ASSERT_EQUAL(run_job(fm.r, id, "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    fake_lose(&fm);
    rig_advance(fm.r, fm.r->now_at + 310);
    CU_ASSERT_PTR_NULL(the_job(fm.r, id));
    CONTAINS(accounted(fm.r, 'E', 0), "Exit_status=-20");
    fake_mom_free(&fm);
}

/* Vnodes that are used remain and are named, the others go. */
static void all_vnodes_that_can_go_go(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    running_job(&fm);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_NODE, "@default", ""),
                    15027); /* the only one */
    CU_ASSERT_STRING_EQUAL(rig_text(r), "Cannot delete busy object");
    rig_manager(r, RIG_ROOT, CREATE, OBJECT_RESOURCE, "lic", "type=long flag=hn");
    rig_manager(r, RIG_ROOT, CREATE, OBJECT_NODE, "n2", "Mom=localhost");
    rig_manager(r, RIG_ROOT, CREATE, OBJECT_NODE, "n3", "Mom=other");
    rig_manager(r, RIG_ROOT, CREATE, OBJECT_NODE, "n4", "resources_available.lic=4");
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_NODE, "n1", "resources_available.lic=@n4"),
        0);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_NODE, "@default", ""),
                    15069);
    CU_ASSERT_STRING_EQUAL(rig_text(r), "Modification failed for n1, n4");
    CU_ASSERT_TRUE(rig_logged(r, "deleted at request of root@svr.example"));
    CU_ASSERT_TRUE(
        rig_logged(r, "Reject reply code=15069, aux=0, type=9, from root@svr.example"));
    CU_ASSERT_FALSE(rig_logged(r, "Server has empty nodes list"));
    CU_ASSERT_PTR_NULL(model_node(svr_model(r->s), "n2"));
    CU_ASSERT_PTR_NULL(model_node(svr_model(r->s), "n3"));
    CU_ASSERT_PTR_NOT_NULL(model_node(svr_model(r->s), "n4"));
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

/* The first vnode known for a MoM is its natural one, whatever its name. */
static void the_natural_vnode_stays(void)
{
    struct rig *r = rig_new();

    rig_manager(r, RIG_ROOT, CREATE, OBJECT_NODE, "v1", "Mom=h");
    rig_manager(r, RIG_ROOT, CREATE, OBJECT_NODE, "h", "");
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_NODE, "v1", ""), 15027);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_NODE, "h", ""), 0);
    CU_ASSERT_FALSE(rig_logged(r, "Server has empty nodes list"));
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_NODE, "v1", ""), 0);
    CU_ASSERT_TRUE(rig_logged(r, "Server has empty nodes list"));
    rig_manager(r, RIG_ROOT, CREATE, OBJECT_NODE, "v1", "Mom=h");
    rig_manager(r, RIG_ROOT, CREATE, OBJECT_NODE, "h", "");
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_NODE, "@svr", ""), 0);
    CU_ASSERT_TRUE(rig_logged(r, "deleted at request of root@svr.example"));
    CU_ASSERT_TRUE(rig_logged(r, "Server has empty nodes list"));
    rig_free(r);
}

/* What the site has defined is shown as assigned once it was used there. */
static void a_site_resource_is_shown_when_used(void)
{
    static const char used[] = "resources_assigned.gas";
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id;

    rig_manager(r, RIG_ROOT, CREATE, OBJECT_RESOURCE, "gas", "type=long flag=hn");
    rig_manager(r, RIG_ROOT, SET, OBJECT_NODE, "n1", "resources_available.gas=3");
    CU_ASSERT_PTR_NULL(rig_value(r, RIG_ROOT, NOD, "n1", used));
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_ROOT, NOD, "n1", "resources_assigned.vmem"),
                           "0kb");
    id = submit(r, RIG_USER, "", "Resource_List.select=1:ncpus=1:gas=2", "x\n");
    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=1:gas=2)"), 0);
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_ROOT, NOD, "n1", used), "2");
    delete_job(r, RIG_ROOT, id, "force");
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_ROOT, NOD, "n1", used), "0");
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_restart(r);
    CU_ASSERT_PTR_NULL(rig_value(r, RIG_ROOT, NOD, "n1", used));
    fake_mom_free(&fm);
}

/* Names get what the chunks ask for, in their order; amounts are not checked. */
static void qrun_names_vnodes(void)
{
    static const struct {
        const char *select, *vnodes, *exec_vnode, *exec_host;
    } cases[] = {
        { "1:ncpus=1", "n1", "n1:ncpus=1", "n1/0" },
        { "1:ncpus=1", "(n1)", "(n1:ncpus=1)", "n1/0" },
        { "1:ncpus=1", "n1+nosuch", "n1:ncpus=1", "n1/0" },
        { "1:ncpus=1", "n1:ncpus=100", "n1:ncpus=100", "n1/0*100" },
        { "2:ncpus=1+1:mem=1kb", "n1", "n1:ncpus=1+n1:ncpus=1+n1:mem=1kb:ncpus=1",
          "n1/0+n1/1+n1/2" },
        { "1:ncpus=1+1:ncpus=2", "n1+n1", "n1:ncpus=1+n1:ncpus=2", "n1/0+n1/1*2" },
        { "1:ncpus=1+1:ncpus=2", "n1:ncpus=3+n1", "n1:ncpus=3+n1:ncpus=2",
          "n1/0*3+n1/1*2" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_mom fm = fake_mom_new();
        struct rig *r = fm.r;
        const char *id = submit(
            r, RIG_USER, "",
            arena_printf(r->arena, "Resource_List.select=%s", cases[i].select), "x\n");

        CU_ASSERT_EQUAL(run_job(r, id, cases[i].vnodes), 0);
        CU_ASSERT_STRING_EQUAL(obj_str(the_job(r, id), JOB_A_EXEC_VNODE, ""),
                               cases[i].exec_vnode);
        CU_ASSERT_STRING_EQUAL(obj_str(the_job(r, id), JOB_A_EXEC_HOST, ""),
                               cases[i].exec_host);
        fake_mom_free(&fm);
    }
}

/* The MoM of n1 has a second vnode. */
static void add_n2(struct fake_mom *fm)
{
    struct is_vnode_attr ncpus[] = { { "resources_available.ncpus", "4", 0, 0 } };
    struct is_vnode vnodes[] = { { "n1", 1, ncpus }, { "n2", 1, ncpus } };
    struct is_message msg = {
        .command = IS_REGISTERMOM,
        .state = { .pcpus = 4,
                   .acpus = 4,
                   .mem_kb = 1000000,
                   .arch = "linux",
                   .has_vnodes = true,
                   .modtime = fm->modtime + 1,
                   .n_vnodes = ARRAY_LEN(vnodes),
                   .vnodes = vnodes,
                   .version = "0.1" },
    };

    CU_ASSERT_EQUAL(rig_manager(fm->r, RIG_ROOT, 0, OBJECT_NODE, "n2", "Mom=localhost"),
                    0);
    fake_hello(fm);
    fake_send(fm, &msg);
}

/* Tasks of a host are counted over all of its vnodes; the lowest free one is next. */
static void jobs_on_vnodes_of_one_host_have_tasks_of_their_own(void)
{
    static const struct {
        const char *vnodes, *exec_host;
    } rows[] = {
        { "n1:ncpus=1", "n1/0" },
        { "n2:ncpus=1", "n1/1" },
        { "n1:ncpus=1", "n1/2" },
    };
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *ids[ARRAY_LEN(rows)], *id;

    add_n2(&fm);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ids[i] = submit(r, RIG_USER, "", "", "x\n");
        CU_ASSERT_EQUAL(run_job(r, ids[i], rows[i].vnodes), 0);
        CU_ASSERT_STRING_EQUAL(obj_str(the_job(r, ids[i]), JOB_A_EXEC_HOST, ""),
                               rows[i].exec_host);
    }
    CU_ASSERT_EQUAL(delete_job(r, RIG_ROOT, ids[1], "force"), 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    id = submit(r, RIG_USER, "", "Resource_List.select=2:ncpus=1", "x\n");
    CU_ASSERT_EQUAL(run_job(r, id, "n1:ncpus=1+n2:ncpus=1"), 0);
    CU_ASSERT_STRING_EQUAL(obj_str(the_job(r, id), JOB_A_EXEC_HOST, ""), "n1/1+n1/3");
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

/* ModifyJob of the owner with several entries. */
static int alter_all(struct rig *r, const char *id, const char *attrs)
{
    struct body_manage body = { .command = 2, .object_type = 2, .object_name = id };

    body.attrs = rig_attrs(r, attrs);
    return rig_ask(r, RIG_USER, BATCH_MODIFY_JOB, &body, NULL)->code;
}

/* What was asked for, in the order of the table, resources in that of the request. */
static void an_alteration_says_what_was_asked_for(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = submit(r, RIG_USER, "", "", "x\n");

    CU_ASSERT_EQUAL(alter_all(r, id, "Resource_List.walltime=90 Account_Name=acct2"),
                    0);
    CU_ASSERT_STRING_EQUAL(accounted(r, 'a', 0),
                           "Account_Name=acct2 Resource_List.walltime=00:01:30");
    CU_ASSERT_EQUAL(alter_all(r, id, "Resource_List.walltime= Account_Name="), 0);
    CU_ASSERT_STRING_EQUAL(accounted(r, 'a', 0),
                           "Account_Name=UNSET Resource_List.walltime=UNSET");
    /* What is said twice is told once, as it is in the end. */
    CU_ASSERT_EQUAL(alter_all(r, id,
                              "Account_Name=a Resource_List.walltime=10 Account_Name=b "
                              "Resource_List.walltime=20"),
                    0);
    CU_ASSERT_STRING_EQUAL(accounted(r, 'a', 0),
                           "Account_Name=b Resource_List.walltime=00:00:20");
    id = running_job(&fm);
    rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "",
                "resources_default.walltime=1:00:00");
    CU_ASSERT_EQUAL(alter_all(r, id, "Resource_List.walltime=50 Resource_List.cput=7"),
                    0);
    CU_ASSERT_STRING_EQUAL(
        accounted(r, 'a', 0),
        "Resource_List.walltime=00:00:50 Resource_List.cput=00:00:07");
    /* The default comes back to its owner, although it is more than the limit was. */
    CU_ASSERT_EQUAL(alter_all(r, id, "Resource_List.walltime="), 0);
    CU_ASSERT_STRING_EQUAL(accounted(r, 'a', 0), "Resource_List.walltime=01:00:00");
    CU_ASSERT_EQUAL(alter_all(r, id, "Resource_List.walltime=2:00:00"), PBSE_PERM);
    id = submit(r, RIG_USER, "", "Resource_List.ncpus=1", "x\n");
    CU_ASSERT_EQUAL(alter_all(r, id, "Resource_List.ncpus=3 Account_Name=acct2"), 0);
    CU_ASSERT_STRING_EQUAL(accounted(r, 'a', 0),
                           "Account_Name=acct2 Resource_List.ncpus=3");
    /* A resource beside an attribute that has none counts for nothing. */
    CU_ASSERT_EQUAL(alter_all(r, id, "Account_Name.ncpus=acct3 Priority.mem=7"), 0);
    CU_ASSERT_STRING_EQUAL(accounted(r, 'a', 0), "Account_Name=acct3 Priority=7");
    fake_mom_free(&fm);
}

/* Nothing is remembered of a deletion that the MoM cannot be told (cli.md 5.1). */
static void what_a_lost_mom_cannot_be_told_is_refused(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = running_job(&fm);
    const struct body_id one = { .id = id };
    const struct body_signal signal = { .job_id = id, .signal = "SIGUSR1" };
    const char *ids[] = { id, "99.svr" };
    const struct body_list list = { .ids = { 2, ids } };
    const struct wire_reply *reply;

    fake_lose(&fm);
    for (int i = 0; i < 2; i++) {
        uint64_t seq = svr_model(r->s)->seq;

        CU_ASSERT_EQUAL(delete_job(r, RIG_USER, id, NULL), 15070);
        CU_ASSERT_TRUE(rig_logged(r, "Server could not connect to MOM"));
        CU_ASSERT_TRUE(rig_logged(r, "Delete failed 15070"));
        CU_ASSERT_PTR_NULL(accounted(r, 'D', 0));
        CU_ASSERT_EQUAL(svr_model(r->s)->seq, seq);
        CU_ASSERT_EQUAL(state_of(r, id), 'R');
    }
    reply = rig_ask(r, RIG_USER, BATCH_DELETE_JOB_LIST, &list, "");
    CU_ASSERT_EQUAL(reply->code, 15001); /* of the last failure */
    CU_ASSERT_EQUAL_FATAL(reply->deleted.n, 2);
    CU_ASSERT_EQUAL(reply->deleted.v[1].code, 15070);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_RERUN, &one, NULL)->code, 15070);
    CU_ASSERT_FALSE(obj_num(the_job(r, id), JOB_A_HF_REQUEUE, 0));
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_SIGNAL_JOB, &signal, NULL)->code, 15070);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, id, "force"), 0);
    CU_ASSERT_PTR_NULL(the_job(r, id));
    CU_ASSERT_PTR_NOT_NULL(accounted(r, 'D', 0));
    fake_mom_free(&fm);
}

/* Nothing of a session is delivered, and it is never run again. */
static void an_interactive_job_has_no_files(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = submit(r, RIG_USER, "", "interactive=40000 Rerunable=True", NULL);
    const struct is_message *told;
    const struct body_queue *queue;

    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_USER, BATCH_STATUS_JOB, id, "interactive"),
                           "True");
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_USER, BATCH_STATUS_JOB, id, "Rerunable"),
                           "False");
    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    told = fake_told(&fm, BATCH_QUEUE_JOB, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(told);
    queue = told->request.body;
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&queue->attrs, "interactive", NULL),
                           "40000");
    fake_answer(&fm, told, 0, NULL);
    fake_usage(&fm, id, 1, "4711", "00:00:02");
    fake_obit(&fm, id, 1, 0);
    CU_ASSERT_PTR_NULL(fake_told(&fm, BATCH_COPY_FILES, 0));
    CU_ASSERT_PTR_NOT_NULL(fake_told(&fm, BATCH_DELETE_JOB, 0));
    fake_mom_free(&fm);
}

/* The call is about the end: it leaves when the job is over and not before. */
static void who_waits_is_called(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = submit(r, RIG_USER, "", "block=40000", NULL);
    const struct effect *call;

    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_USER, BATCH_STATUS_JOB, id, "block"),
                           "True");
    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_QUEUE_JOB, 0), 0, NULL);
    fake_usage(&fm, id, 1, "4711", "00:00:02");
    fake_obit(&fm, id, 1, 3);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_CALL), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COPY_FILES, 0), 0, NULL);
    fake_answer(&fm, fake_told(&fm, BATCH_DELETE_JOB, 0), 0, NULL);
    call = rig_effect(r, EFFECT_CALL, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(call);
    CU_ASSERT_EQUAL(call->u.call.port, 40000);
    CU_ASSERT_STRING_EQUAL(call->u.call.told.job_id, id);
    CU_ASSERT_STRING_EQUAL(call->u.call.told.message, "");
    CU_ASSERT_EQUAL(call->u.call.told.exit_value, 3);
    CU_ASSERT_TRUE(call->seq > 0);
    fake_mom_free(&fm);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a job runs and ends", a_job_runs_and_ends },
        { "a large script travels in parts", a_large_script_travels_in_parts },
        { "files that are kept are not copied", files_that_are_kept_are_not_copied },
        { "an estimate goes with its top job", an_estimate_goes_with_its_top_job },
        { "accounting records are exact", accounting_records_are_exact },
        { "accounts are quoted", accounts_are_quoted },
        { "no value forges a field", no_value_forges_a_field },
        { "JSON is accounted in single quotes", json_is_accounted_in_single_quotes },
        { "a short job is accounted for", a_short_job_is_accounted_for },
        { "DeleteJob is tried again", delete_is_tried_again },
        { "its end is said again", its_end_is_said_again },
        { "its end is said ten times", its_end_is_said_ten_times },
        { "a job that has started is not waited for",
          a_job_that_has_started_is_not_waited_for },
        { "a refused job is queued again", a_refused_job_is_queued_again },
        { "too many runs hold the job", too_many_runs_hold_the_job },
        { "a count of runs has an end", a_count_of_runs_has_an_end },
        { "a queued job is deleted", a_queued_job_is_deleted },
        { "a job is its owner's", a_job_is_its_owners },
        { "a running job is killed", a_running_job_is_killed },
        { "deletion waits for a job being sent", deletion_waits_for_a_job_being_sent },
        { "force does not wait", force_does_not_wait },
        { "delete replies are exact", delete_replies_are_exact },
        { "a scheduler cannot overfill a vnode", a_scheduler_cannot_overfill_a_vnode },
        { "a vnode that is not heard of takes no job",
          a_vnode_that_is_not_heard_of_takes_no_job },
        { "qrerun puts the job back", qrerun_puts_the_job_back },
        { "what is of a run goes with it", what_is_of_a_run_goes_with_it },
        { "qrerun waits for so long", qrerun_waits_for_so_long },
        { "qrerun does not wait for a job that is gone",
          qrerun_of_a_job_that_ends_otherwise },
        { "a dead node gives its jobs back", a_dead_node_gives_its_jobs_back },
        { "node_fail_requeue says when", node_fail_requeue_says_when },
        { "a decided end stays decided on a dead node",
          a_decided_end_stays_decided_on_a_dead_node },
        { "an ended job does not wait for ever", an_ended_job_does_not_wait_for_ever },
        { "patience beyond all time does not end",
          patience_beyond_all_time_does_not_end },
        { "a job that must not rerun ends with its node",
          a_job_that_must_not_rerun_ends_with_its_node },
        { "all vnodes that can go go", all_vnodes_that_can_go_go },
        { "an alteration says what was asked for",
          an_alteration_says_what_was_asked_for },
        { "what a lost MoM cannot be told is refused",
          what_a_lost_mom_cannot_be_told_is_refused },
        { "the natural vnode stays", the_natural_vnode_stays },
        { "qrun names vnodes", qrun_names_vnodes },
        { "hosts that were not reached discard the job",
          hosts_that_were_not_reached_discard_the_job },
        { "jobs on vnodes of one host have tasks of their own",
          jobs_on_vnodes_of_one_host_have_tasks_of_their_own },
        { "an interactive job has no files", an_interactive_job_has_no_files },
        { "who waits is called", who_waits_is_called },
        { "a resource of the site is shown when it was used",
          a_site_resource_is_shown_when_used },
    };

    return unit_main("job life", cases, ARRAY_LEN(cases));
}
