/* test_job_stop.c - jobs are suspended and resumed: who may ask, what MoMs are told,
 * what the job gives back meanwhile, and what a restart, a lost MoM or a refusal
 * leaves.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/model/job_suspend.h"
#include "server/model/node_life.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

#define SAME(text, expected) CU_ASSERT_STRING_EQUAL(text, expected)

/* What the MoM was told by the last signal; later questions of the test take the
 * effects away. */
static const struct is_message *last_told;

static void note_told(struct rig *r)
{
    last_told = NULL;
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.v[i].kind == EFFECT_MOM_MESSAGE &&
            r->out.v[i].u.mom.msg.request.number == BATCH_SIGNAL_JOB)
            last_told = &r->out.v[i].u.mom.msg;
}

/* The code of the reply; -1: it waits. */
static int signal_as(struct rig *r, uint64_t conn, const char *user, const char *id,
                     const char *word)
{
    const struct body_signal body = { .job_id = id, .signal = word };
    const struct wire_reply *reply =
        conn ? rig_ask_on(r, conn, user, BATCH_SIGNAL_JOB, &body, NULL)
             : rig_ask(r, user, BATCH_SIGNAL_JOB, &body, NULL);

    note_told(r);
    return reply ? (int)reply->code : -1;
}

static int signal_job(struct rig *r, const char *id, const char *word)
{
    return signal_as(r, 0, RIG_ROOT, id, word);
}

static const char *shown(struct rig *r, uint32_t number, const char *id,
                         const char *attr)
{
    const char *v = rig_value(r, RIG_ROOT, number, id, attr);

    return v ? v : "(none)";
}

static const char *job_shows(struct rig *r, const char *id, const char *attr)
{
    return shown(r, BATCH_STATUS_JOB, id, attr);
}

static const char *in_use(struct rig *r, const char *resource)
{
    return shown(r, NOD, "n1",
                 arena_printf(r->arena, "resources_assigned.%s", resource));
}

static const char *queue_uses(struct rig *r, const char *resource)
{
    return shown(r, QUE, "workq",
                 arena_printf(r->arena, "resources_assigned.%s", resource));
}

/* What the n-th signal is that the MoM was told, "" when there is none. */
static const char *told_word(const struct fake_mom *fm, size_t n)
{
    const struct is_message *told = fake_told(fm, BATCH_SIGNAL_JOB, n);

    return told ? ((const struct body_signal *)told->request.body)->signal : "";
}

/* The MoM does what it was told, or refuses; the code that 'conn' hears of it. */
static int mom_answers(struct fake_mom *fm, uint64_t conn, int code, const char *text)
{
    CU_ASSERT_PTR_NOT_NULL_FATAL(last_told);
    fake_answer(fm, last_told, code, text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(fm->r, conn));
    return rig_reply(fm->r, conn)->code;
}

#define JOB "Resource_List.select=1:ncpus=2:mem=100kb Resource_List.walltime=100"

static const char *job_of(struct fake_mom *fm, const char *attrs)
{
    struct rig *r = fm->r;
    const char *id;

    rig_manager(r, RIG_ROOT, SET, OBJECT_NODE, "n1", "resources_available.mem=1mb");
    id = submit(r, RIG_USER, "", attrs, "x\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CU_ASSERT_EQUAL_FATAL(run_job(r, id, "(n1:ncpus=2:mem=100kb)"), 0);
    fake_answer(fm, fake_told(fm, BATCH_COMMIT, 0), 0, NULL);
    fake_usage(fm, id, 1, "4711", "00:00:05");
    return id;
}

static void suspend_now(struct fake_mom *fm, const char *id, const char *word)
{
    CU_ASSERT_EQUAL_FATAL(signal_job(fm->r, id, word), -1);
    CU_ASSERT_EQUAL_FATAL(mom_answers(fm, fm->r->conn, 0, NULL), 0);
}

static uint64_t scheduler_of(struct rig *r)
{
    uint64_t conn = rig_attach_sched(r);

    for (int i = 0; i < 3; i++) /* what it is told at first */
        rig_sched_done(r);
    return conn;
}

static int commands(const struct rig *r)
{
    return rig_count(r, EFFECT_SCHED_COMMAND)
               ? (int)rig_effect(r, EFFECT_SCHED_COMMAND, 0)->u.sched.command
               : 0;
}

static void a_client_suspends_and_a_scheduler_resumes(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = job_of(&fm, JOB);
    uint64_t sched = scheduler_of(r), waits;
    const struct is_message *told;

    CU_ASSERT_EQUAL(signal_job(r, id, "suspend"), -1);
    waits = r->conn;
    CU_ASSERT_TRUE(rig_logged(r, "job signaled with suspend by root@"));
    CU_ASSERT_TRUE(rig_logged(r, "suspend job by root@"));
    SAME(told_word(&fm, 0), "suspend");
    told = fake_told(&fm, BATCH_SIGNAL_JOB, 0);
    /* Until the MoM has stopped it it has all, and runs. */
    SAME(job_shows(r, id, "job_state"), "R");
    SAME(in_use(r, "ncpus"), "2");
    CU_ASSERT_EQUAL(signal_job(r, id, "suspend"), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(signal_job(r, id, "resume"), PBSE_BADSTATE);

    r->now_at += 10;
    fake_answer(&fm, told, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, waits));
    CU_ASSERT_EQUAL(rig_reply(r, waits)->code, 0);
    CU_ASSERT_EQUAL(commands(r), 2 /* something has become free */);
    SAME(accounted(r, 'z', 0), "resources_used.walltime=00:00:05");
    SAME(job_shows(r, id, "job_state"), "S");
    SAME(job_shows(r, id, "substate"), "43");
    SAME(job_shows(r, id, "exec_vnode"), "(n1:ncpus=2:mem=100kb)");
    SAME(job_shows(r, id, "exec_vnode_kept"), "(n1)");
    SAME(job_shows(r, id, "resources_released"), "(none)");
    /* Nobody has preempted it. */
    CU_ASSERT_FALSE(obj_is_set(the_job(r, id), JOB_A_PTIME));
    SAME(in_use(r, "ncpus"), "0");
    SAME(in_use(r, "mem"), "0kb");
    SAME(queue_uses(r, "ncpus"), "0");
    SAME(shown(r, NOD, "n1", "jobs"), arena_printf(r->arena, "%s/0", id));
    rig_sched_done(r);

    /* A scheduler waits until somebody lets it. */
    CU_ASSERT_EQUAL(signal_as(r, sched, RIG_ROOT, id, "resume"), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(signal_job(r, id, "resume"), 0);
    CU_ASSERT_EQUAL(commands(r), 1);
    SAME(told_word(&fm, 0), "");
    SAME(job_shows(r, id, "substate"), "45");
    CU_ASSERT_EQUAL(signal_job(r, id, "resume"), 0); /* once more */

    r->now_at += 1000;
    CU_ASSERT_EQUAL(signal_as(r, sched, RIG_ROOT, id, "resume"), -1);
    SAME(told_word(&fm, 0), "resume");
    /* Before the MoM is told the vnodes are its own again. */
    SAME(in_use(r, "ncpus"), "2");
    SAME(job_shows(r, id, "job_state"), "R");
    CU_ASSERT_PTR_NOT_NULL(strstr(job_shows(r, id, "comment"), "Job run at "));
    CU_ASSERT_EQUAL(mom_answers(&fm, sched, 0, NULL), 0);
    SAME(accounted(r, 'r', 0), "");
    SAME(queue_uses(r, "ncpus"), "2");
    SAME(queue_uses(r, "mem"), "100kb");
    SAME(job_shows(r, id, "exec_vnode_kept"), "(none)");
    /* What it had run before counts, and the time between does not. */
    CU_ASSERT_EQUAL(job_ends_at(TO_JOB(the_job(r, id)), r->now_at), r->now_at + 90);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void what_may_not_be_is_refused(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = job_of(&fm, JOB);
    const char *waiting = submit(r, RIG_USER, "", JOB, "x\n");

    for (int i = 0; i < 4; i++) {
        static const char *const words[] = { "suspend", "resume", "admin-suspend",
                                             "admin-resume" };

        CU_ASSERT_EQUAL(signal_as(r, 0, RIG_USER, id, words[i]), PBSE_PERM);
        CU_ASSERT_EQUAL(signal_as(r, 0, RIG_USER, waiting, words[i]), PBSE_PERM);
        CU_ASSERT_EQUAL(signal_job(r, waiting, words[i]), PBSE_BADSTATE);
        CU_ASSERT_EQUAL(signal_job(r, "99.svr", words[i]), PBSE_UNKJOBID);
    }
    CU_ASSERT_EQUAL(signal_job(r, id, "admin-resume"), PBSE_BADSTATE);
    suspend_now(&fm, id, "suspend");
    CU_ASSERT_EQUAL(signal_job(r, id, "admin-resume"), PBSE_WRONG_RESUME);
    SAME(rig_text(r), "Job can not be resumed with the requested resume signal");
    CU_ASSERT_EQUAL(signal_job(r, id, "admin-suspend"), PBSE_BADSTATE);
    fake_mom_free(&fm);
}

static void admin_suspend_keeps_all_and_brings_maintenance(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = job_of(&fm, JOB);

    CU_ASSERT_EQUAL(signal_job(r, id, "admin-suspend"), -1);
    SAME(told_word(&fm, 0), "admin-suspend");
    CU_ASSERT_EQUAL(mom_answers(&fm, r->conn, 0, NULL), 0);
    SAME(job_shows(r, id, "job_state"), "S");
    SAME(job_shows(r, id, "substate"), "43");
    SAME(job_shows(r, id, "exec_vnode_kept"), "(n1:ncpus=2:mem=100kb)");
    SAME(in_use(r, "ncpus"), "2");
    SAME(shown(r, NOD, "n1", "state"), "maintenance");
    SAME(shown(r, NOD, "n1", "maintenance_jobs"), id);
    CU_ASSERT_EQUAL(signal_job(r, id, "resume"), PBSE_WRONG_RESUME);
    /* It is nobody's to end but its jobs'. */
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_NODE, "n1", "state=free"), 0);
    SAME(shown(r, NOD, "n1", "state"), "maintenance");

    rig_restart(r);
    fake_connect(
        &fm, 1, &(struct is_running){ .job_id = id, .substate = 43, .run_version = 1 });
    SAME(shown(r, NOD, "n1", "maintenance_jobs"), id);
    SAME(told_word(&fm, 0), "");
    CU_ASSERT_EQUAL(signal_job(r, id, "admin-resume"), -1);
    SAME(told_word(&fm, 0), "admin-resume");
    CU_ASSERT_EQUAL(mom_answers(&fm, r->conn, 0, NULL), 0);
    SAME(job_shows(r, id, "job_state"), "R");
    SAME(shown(r, NOD, "n1", "state"), "free");
    SAME(shown(r, NOD, "n1", "maintenance_jobs"), "(none)");
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

/* Another signal is its MoM's to send: that is logged of a signal, not of a message. A
 * job that its MoM has not taken yet has no process. */
static void a_signal_needs_a_process(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *early = submit(r, RIG_USER, "", "", "x\n");
    const char *id = job_of(&fm, JOB);
    struct body_message message = { .job_id = id, .text = "hello" };

    CU_ASSERT_EQUAL(run_job(r, early, "(n1:ncpus=1)"), 0);
    CU_ASSERT_EQUAL(signal_job(r, early, "SIGUSR1"), PBSE_BADSTATE);
    CU_ASSERT_FALSE(rig_logged(r, "job signaled with"));
    CU_ASSERT_EQUAL(signal_job(r, id, "SIGUSR1"), -1);
    CU_ASSERT_TRUE(rig_logged(r, "job signaled with SIGUSR1 by root@"));
    CU_ASSERT_PTR_NULL(rig_ask(r, RIG_USER, BATCH_MESSAGE_JOB, &message, NULL));
    CU_ASSERT_FALSE(rig_logged(r, "job signaled with"));
    fake_mom_free(&fm);
}

/* By force a job goes back that must not be repeated otherwise. */
static void force_runs_again_what_may_not_be(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = job_of(&fm, JOB " Rerunable=n");
    struct body_id body = { .id = id };

    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_RERUN, &body, NULL)->code, PBSE_NORERUN);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_RERUN, &body, "force")->code, 0);
    SAME(job_shows(r, id, "job_state"), "Q");
    fake_mom_free(&fm);
}

static void maintenance_ends_with_the_job(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = job_of(&fm, JOB);

    suspend_now(&fm, id, "admin-suspend");
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, id, NULL), 0);
    SAME(told_word(&fm, 0), "TermJob");
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
    fake_obit(&fm, id, 1, 271);
    SAME(shown(r, NOD, "n1", "state"), "free");
    fake_mom_free(&fm);
}

static void a_list_says_what_is_given_back(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    uint64_t sched = scheduler_of(r);
    const char *id = job_of(&fm, JOB);

    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "",
                                "restrict_res_to_release_on_suspend=ncpus"),
                    0);
    suspend_now(&fm, id, "suspend");
    SAME(accounted(r, 'z', 0), "resources_used.walltime=00:00:05 "
                               "resources_released=(n1:ncpus=2)");
    SAME(job_shows(r, id, "resources_released"), "(n1:ncpus=2)");
    SAME(job_shows(r, id, "resource_released_list.ncpus"), "2");
    SAME(job_shows(r, id, "resource_released_list.mem"), "(none)");
    SAME(job_shows(r, id, "exec_vnode_kept"), "(n1:mem=100kb)");
    SAME(in_use(r, "ncpus"), "0");
    SAME(in_use(r, "mem"), "100kb");
    SAME(queue_uses(r, "ncpus"), "0");
    SAME(queue_uses(r, "mem"), "100kb");
    /* The list is the one of that moment. */
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, UNSET, OBJECT_SERVER, "",
                                "restrict_res_to_release_on_suspend="),
                    0);
    rig_restart(r);
    fake_connect(
        &fm, 1, &(struct is_running){ .job_id = id, .substate = 43, .run_version = 1 });
    SAME(in_use(r, "mem"), "100kb");
    sched = scheduler_of(r);
    CU_ASSERT_EQUAL(signal_job(r, id, "resume"), 0);
    CU_ASSERT_EQUAL(signal_as(r, sched, RIG_ROOT, id, "resume"), -1);
    CU_ASSERT_EQUAL(mom_answers(&fm, sched, 0, NULL), 0);
    SAME(in_use(r, "ncpus"), "2");
    SAME(in_use(r, "mem"), "100kb");
    SAME(job_shows(r, id, "resources_released"), "(none)");
    SAME(job_shows(r, id, "resource_released_list.ncpus"), "(none)");
    fake_mom_free(&fm);
}

/* What an earlier run had kept counts for nothing when the next one gives all back. */
static void what_a_run_kept_ends_with_it(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = job_of(&fm, JOB);
    const struct body_id body = { .id = id };

    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "",
                                "restrict_res_to_release_on_suspend=ncpus"),
                    0);
    suspend_now(&fm, id, "suspend");
    SAME(queue_uses(r, "mem"), "100kb");
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_RERUN, &body, "force")->code, 0);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, UNSET, OBJECT_SERVER, "",
                                "restrict_res_to_release_on_suspend="),
                    0);
    CU_ASSERT_EQUAL_FATAL(run_job(r, id, "(n1:ncpus=2:mem=100kb)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    fake_usage(&fm, id, 2, "4712", "00:00:05");
    suspend_now(&fm, id, "suspend");
    SAME(in_use(r, "mem"), "0kb");
    SAME(queue_uses(r, "mem"), "0kb");
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void it_goes_on_only_where_there_is_room(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    uint64_t sched = scheduler_of(r);
    const char *id = job_of(&fm, JOB);
    const char *other =
        submit(r, RIG_USER, "", "Resource_List.select=1:ncpus=3", "x\n");

    suspend_now(&fm, id, "suspend");
    CU_ASSERT_EQUAL(signal_job(r, id, "resume"), 0);
    CU_ASSERT_EQUAL(run_job(r, other, "(n1:ncpus=3)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    CU_ASSERT_EQUAL(signal_as(r, sched, RIG_ROOT, id, "resume"), PBSE_RESCUNAV);
    SAME(job_shows(r, id, "job_state"), "S");
    SAME(in_use(r, "ncpus"), "3");
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, other, "force"), 0);
    CU_ASSERT_EQUAL(signal_as(r, sched, RIG_ROOT, id, "resume"), -1);
    SAME(in_use(r, "ncpus"), "2");
    fake_mom_free(&fm);
}

/* The scheduler does not count it either (scheduling.md 13). */
static void it_counts_for_no_limit_of_running_jobs(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    uint64_t sched = scheduler_of(r);
    const char *id = job_of(&fm, JOB);
    const char *other =
        submit(r, RIG_USER, "", "Resource_List.select=1:ncpus=1", "x\n");

    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "max_run=[u:PBS_GENERIC=1]"),
        0);
    CU_ASSERT_EQUAL(run_job(r, other, "(n1:ncpus=1)"), PBSE_ENTLIMCT);
    suspend_now(&fm, id, "suspend");
    rig_restart(r);
    fake_connect(
        &fm, 1, &(struct is_running){ .job_id = id, .substate = 43, .run_version = 1 });
    sched = scheduler_of(r);
    /* It counts again from the moment at which it has its vnodes. */
    CU_ASSERT_EQUAL(signal_job(r, id, "resume"), 0);
    CU_ASSERT_EQUAL(signal_as(r, sched, RIG_ROOT, id, "resume"), -1);
    CU_ASSERT_EQUAL(run_job(r, other, "(n1:ncpus=1)"), PBSE_ENTLIMCT);
    fake_answer(&fm, last_told, 0, NULL);
    suspend_now(&fm, id, "suspend");
    CU_ASSERT_EQUAL(run_job(r, other, "(n1:ncpus=1)"), 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void a_mom_that_refuses_changes_nothing(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    uint64_t sched = scheduler_of(r);
    const char *id = job_of(&fm, JOB);

    CU_ASSERT_EQUAL(signal_job(r, id, "suspend"), -1);
    CU_ASSERT_EQUAL(mom_answers(&fm, r->conn, PBSE_SISCOMM, "no sister"), PBSE_SISCOMM);
    SAME(rig_reply(r, r->conn)->text, "no sister");
    SAME(job_shows(r, id, "job_state"), "R");
    SAME(in_use(r, "ncpus"), "2");
    r->now_at += 10;
    suspend_now(&fm, id, "suspend");
    r->now_at += 100;
    CU_ASSERT_EQUAL(signal_job(r, id, "resume"), 0);
    for (int i = 0; i < 3; i++) /* its cycles because of that are over */
        rig_sched_done(r);
    CU_ASSERT_EQUAL(signal_as(r, sched, RIG_ROOT, id, "resume"), -1);
    r->now_at += 7;
    CU_ASSERT_EQUAL(mom_answers(&fm, sched, PBSE_BADSTATE, NULL), PBSE_BADSTATE);
    CU_ASSERT_PTR_NULL(accounted(r, 'z', 0));
    /* The scheduler tries again, and is not woken for it. */
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_SCHED_COMMAND), 0);
    SAME(job_shows(r, id, "substate"), "45");
    SAME(in_use(r, "ncpus"), "0");
    CU_ASSERT_EQUAL(signal_as(r, sched, RIG_ROOT, id, "resume"), -1);
    CU_ASSERT_EQUAL(mom_answers(&fm, sched, 0, NULL), 0);
    /* It has not run while its MoM was asked in vain. */
    CU_ASSERT_EQUAL(job_ends_at(TO_JOB(the_job(r, id)), r->now_at), r->now_at + 90);
    fake_mom_free(&fm);
}

/* Who waits is told at once, the job keeps what its processes may use, and the MoM is
 * told when it is back. */
static void a_mom_that_is_lost_is_told_later(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    uint64_t sched = scheduler_of(r);
    const char *id = job_of(&fm, JOB);
    struct is_running listed = { .job_id = id, .substate = 43, .run_version = 1 };

    CU_ASSERT_EQUAL(signal_job(r, id, "suspend"), -1);
    fake_lose(&fm);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, r->conn));
    CU_ASSERT_EQUAL(rig_reply(r, r->conn)->code, PBSE_NORELYMOM);
    SAME(job_shows(r, id, "job_state"), "R");
    CU_ASSERT_EQUAL(signal_job(r, id, "suspend"), PBSE_NORELYMOM);
    fake_connect(&fm, 1, &listed); /* it had done it */
    SAME(told_word(&fm, 0), "resume");

    listed.substate = 42;
    suspend_now(&fm, id, "suspend");
    CU_ASSERT_EQUAL(signal_job(r, id, "resume"), 0);
    CU_ASSERT_EQUAL(signal_as(r, sched, RIG_ROOT, id, "resume"), -1);
    fake_lose(&fm);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, sched));
    CU_ASSERT_EQUAL(rig_reply(r, sched)->code, PBSE_NORELYMOM);
    SAME(in_use(r, "ncpus"), "2");
    fake_connect(&fm, 1, &listed);
    SAME(told_word(&fm, 0), "");
    suspend_now(&fm, id, "suspend");
    fake_lose(&fm);
    fake_connect(&fm, 1, &listed); /* somebody else let it go on */
    SAME(told_word(&fm, 0), "suspend");
    fake_mom_free(&fm);
}

/* Whoever would resume it is told so, and it gives others their vnodes back. */
static void a_mom_that_was_not_told_leaves_it_suspended(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = job_of(&fm, JOB);
    uint64_t sched;

    suspend_now(&fm, id, "suspend");
    CU_ASSERT_EQUAL(signal_job(r, id, "resume"), 0);
    rig_restart(r); /* its MoM has not said hello yet */
    sched = scheduler_of(r);
    CU_ASSERT_EQUAL(signal_as(r, sched, RIG_ROOT, id, "resume"), PBSE_NORELYMOM);
    SAME(job_shows(r, id, "job_state"), "S");
    SAME(job_shows(r, id, "substate"), "45");
    SAME(in_use(r, "ncpus"), "0");
    fake_mom_free(&fm);
}

/* Nobody waits for it any more: the job runs, and its MoM is told so where it has done
 * what the server before had asked for. */
static void a_server_that_dies_forgets_what_it_had_asked_for(void)
{
    static const struct {
        const char *story;
        bool resumes;
        int mom; /* the substate that the MoM has when it registers */
        const char *told;
    } cases[] = {
        { "it has not heard of the suspension", false, 42, "" },
        { "it has suspended the job", false, 43, "resume" },
        { "it has not heard of the resumption", true, 43, "resume" },
        { "it has resumed the job", true, 42, "" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_mom fm = fake_mom_new();
        struct rig *r = fm.r;
        const char *id = job_of(&fm, JOB);
        struct is_running listed = { .job_id = id,
                                     .substate = (uint32_t)cases[i].mom,
                                     .run_version = 1 };

        if (cases[i].resumes)
            suspend_now(&fm, id, "admin-suspend");
        CU_ASSERT_EQUAL(
            signal_job(r, id, cases[i].resumes ? "admin-resume" : "suspend"), -1);
        rig_restart(r);
        fake_connect(&fm, 1, &listed);
        if (strcmp(told_word(&fm, 0), cases[i].told) != 0)
            CU_FAIL(cases[i].story);
        SAME(job_shows(r, id, "job_state"), "R");
        SAME(in_use(r, "ncpus"), "2");
        SAME(shown(r, NOD, "n1", "state"), "free");
        fake_mom_free(&fm);
    }
}

static void subjobs_are_suspended_together(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = submit(r, RIG_USER, "", "array_indices_submitted=1-4", "x\n");
    const struct is_message *told[2];
    uint64_t waits;

    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    for (int i = 1; i <= 2; i++) {
        const char *sub = arena_printf(r->arena, "0[%d].svr", i);

        CU_ASSERT_EQUAL_FATAL(run_job(r, sub, "(n1:ncpus=1)"), 0);
        fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
        fake_usage(&fm, sub, 1, "4711", "00:00:00");
    }
    CU_ASSERT_EQUAL(signal_job(r, "0[3].svr", "suspend"), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(signal_job(r, "0[1-3].svr", "suspend"), -1);
    waits = r->conn;
    told[0] = fake_told(&fm, BATCH_SIGNAL_JOB, 0);
    told[1] = fake_told(&fm, BATCH_SIGNAL_JOB, 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(told[0]);
    CU_ASSERT_PTR_NOT_NULL_FATAL(told[1]);
    fake_answer(&fm, told[1], PBSE_SYSTEM, "bad");
    CU_ASSERT_PTR_NULL(rig_reply(r, waits));
    fake_answer(&fm, told[0], 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, waits));
    CU_ASSERT_EQUAL(rig_reply(r, waits)->code, PBSE_SYSTEM); /* the first failure */
    SAME(rig_reply(r, waits)->text, "bad");
    SAME(job_shows(r, "0[1].svr", "job_state"), "S");
    SAME(job_shows(r, "0[2].svr", "job_state"), "R");
    SAME(in_use(r, "ncpus"), "1");
    /* One is suspended already, the other can be. */
    CU_ASSERT_EQUAL(signal_job(r, "0[].svr", "suspend"), -1);
    CU_ASSERT_EQUAL(mom_answers(&fm, r->conn, 0, NULL), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(signal_job(r, "0[].svr", "resume"), 0);
    SAME(job_shows(r, "0[1].svr", "substate"), "45");
    SAME(job_shows(r, "0[2].svr", "substate"), "45");
    fake_mom_free(&fm);
}

static void a_requeued_job_is_not_suspended_any_more(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = job_of(&fm, JOB);
    const struct body_id body = { .id = id };

    suspend_now(&fm, id, "suspend");
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_RERUN, &body, "force")->code, 0);
    SAME(job_shows(r, id, "job_state"), "Q");
    SAME(job_shows(r, id, "exec_vnode_kept"), "(none)");
    SAME(job_shows(r, id, "ran_time"), "(none)");
    CU_ASSERT_EQUAL(run_job(r, id, "(n1:ncpus=2:mem=100kb)"), 0);
    SAME(in_use(r, "ncpus"), "2");
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static void a_client_that_goes_leaves_nothing_behind(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = job_of(&fm, JOB);
    const struct is_message *told;

    CU_ASSERT_EQUAL(signal_job(r, id, "suspend"), -1);
    told = fake_told(&fm, BATCH_SIGNAL_JOB, 0);
    svr_client_gone(r->s, r->now_at, r->conn, &r->out);
    fake_answer(&fm, told, 0, NULL);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_REPLY), 0);
    SAME(job_shows(r, id, "job_state"), "S");
    fake_mom_free(&fm);
}

/* A MoM that was greeted twice lists her jobs twice, and what she says of a job may be
 * older than what she was told since. */
static void an_older_list_is_no_answer(void)
{
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const char *id = running_job(&fm);
    struct is_running listed = { .job_id = id, .substate = 43, .run_version = 1 };
    struct is_message told = { 0 };
    uint64_t sched;

    CU_ASSERT_EQUAL(signal_job(r, id, "suspend"), -1);
    told.msgid = arena_strdup(r->arena, last_told->msgid);
    fake_register(&fm, 1, &listed);
    CU_ASSERT_EQUAL(obj_num(the_job(r, id), JOB_A_SUBSTATE, 0), 42);
    last_told = &told;
    CU_ASSERT_EQUAL(mom_answers(&fm, r->conn, 0, NULL), 0);
    SAME(job_shows(r, id, "substate"), "43");

    listed.substate = 42;
    sched = scheduler_of(r);
    CU_ASSERT_EQUAL(signal_job(r, id, "resume"), 0);
    CU_ASSERT_EQUAL(signal_as(r, sched, RIG_ROOT, id, "resume"), -1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(last_told);
    told.msgid = arena_strdup(r->arena, last_told->msgid);
    fake_register(&fm, 1, &listed);
    fake_answer(&fm, &told, PBSE_SYSTEM, NULL);
    SAME(job_shows(r, id, "substate"), "45");
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a client suspends and a scheduler resumes",
          a_client_suspends_and_a_scheduler_resumes },
        { "what may not be is refused", what_may_not_be_is_refused },
        { "admin-suspend keeps all and brings maintenance",
          admin_suspend_keeps_all_and_brings_maintenance },
        { "a signal needs a process", a_signal_needs_a_process },
        { "force runs again what may not be", force_runs_again_what_may_not_be },
        { "maintenance ends with the job", maintenance_ends_with_the_job },
        { "a list says what is given back", a_list_says_what_is_given_back },
        { "what a run kept ends with it", what_a_run_kept_ends_with_it },
        { "it goes on only where there is room", it_goes_on_only_where_there_is_room },
        { "it counts for no limit of running jobs",
          it_counts_for_no_limit_of_running_jobs },
        { "a MoM that refuses changes nothing", a_mom_that_refuses_changes_nothing },
        { "a MoM that is lost is told later", a_mom_that_is_lost_is_told_later },
        { "an older list is no answer", an_older_list_is_no_answer },
        { "a MoM that was not told leaves it suspended",
          a_mom_that_was_not_told_leaves_it_suspended },
        { "a server that dies forgets what it had asked for",
          a_server_that_dies_forgets_what_it_had_asked_for },
        { "subjobs are suspended together", subjobs_are_suspended_together },
        { "a requeued job is not suspended any more",
          a_requeued_job_is_not_suspended_any_more },
        { "a client that goes leaves nothing behind",
          a_client_that_goes_leaves_nothing_behind },
    };

    return unit_main("job_stop", cases, ARRAY_LEN(cases));
}
