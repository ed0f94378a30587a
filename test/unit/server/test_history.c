/* test_history.c - jobs that are over and kept (attributes.md 14.7): who sees them,
 * what they do not hold, and when they go.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/model/changes.h"
#include "server/model/history.h"
#include "server/model/job_state.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

static const struct job *kept(const struct rig *r, const char *id)
{
    const struct job *j = model_job(svr_model(r->s), id);

    CU_ASSERT_PTR_NOT_NULL_FATAL(j);
    return j;
}

static const char *text_of(const struct rig *r, const char *id, int attr)
{
    return obj_str(&kept(r, id)->obj, attr, "");
}

static struct fake_mom keeping(const char *attrs)
{
    struct fake_mom fm = fake_mom_new();

    CU_ASSERT_EQUAL(rig_manager(fm.r, RIG_ROOT, SET, OBJECT_SERVER, "", attrs), 0);
    return fm;
}

static void end_job(struct fake_mom *fm, const char *id, int32_t status)
{
    fake_obit(fm, id, 1, status);
    fake_answer(fm, fake_told(fm, BATCH_COPY_FILES, 0), 0, NULL);
    fake_answer(fm, fake_told(fm, BATCH_DELETE_JOB, 0), 0, NULL);
}

static bool ends_with(const char *text, const char *words)
{
    size_t len = strlen(text), n = strlen(words);

    return len > n && strcmp(text + len - n, words) == 0;
}

static void ends_have_their_phases(void)
{
    static const struct {
        const char *story;
        int32_t status;
        int64_t substate;
        const char *words;
    } cases[] = {
        { "it ended well", 0, 92, " and finished" },
        { "it did not", 3, 93, " and failed" },
        { "its walltime was over", -29, 93, " and exceeded resource walltime" },
        { "it took too many cpus", -24, 93, " and exceeded resource ncpus (burst)" },
        { "no limit has that number", -2000000000, 93, " and failed" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake_mom fm = keeping("job_history_enable=True");
        const char *id = running_job(&fm);

        end_job(&fm, id, cases[i].status);
        CU_ASSERT_EQUAL(job_state(kept(fm.r, id)), 'F');
        CU_ASSERT_EQUAL(job_substate(kept(fm.r, id)), cases[i].substate);
        CU_ASSERT_TRUE(ends_with(text_of(fm.r, id, JOB_A_COMMENT), cases[i].words));
        CU_ASSERT_PTR_NOT_NULL(accounted(fm.r, 'E', 0));
        fake_mom_free(&fm);
    }
}

static void set_comment(struct rig *r, const char *id, const char *text)
{
    struct body_manage body = { .command = 2, .object_type = 2, .object_name = id };

    wire_attrs_add(&body.attrs, r->arena, "comment", NULL, text, WIRE_OP_SET);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_MODIFY_JOB, &body, NULL)->code, 0);
}

static void deletions_are_told_of(void)
{
    struct fake_mom fm = keeping("job_history_enable=True");
    struct rig *r = fm.r;
    const char *queued = submit(r, RIG_USER, "", "", "sleep 1\n");
    const char *running = running_job(&fm);

    set_comment(r, queued, "mine");
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, queued, NULL), 0);
    CU_ASSERT_STRING_EQUAL(accounted(r, 'D', 0), "requestor=ann@svr.example");
    CU_ASSERT_EQUAL(job_substate(kept(r, queued)), 91);
    CU_ASSERT_STRING_EQUAL(text_of(r, queued, JOB_A_COMMENT), "mine");
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, running, NULL), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
    end_job(&fm, running, 271);
    CU_ASSERT_EQUAL(job_substate(kept(r, running)), 91);
    CU_ASSERT_TRUE(ends_with(text_of(r, running, JOB_A_COMMENT),
                             " and terminated by ann@svr.example"));
    CU_ASSERT_FALSE(obj_is_set(&kept(r, running)->obj, JOB_A_HF_SCRIPT));
    fake_mom_free(&fm);
}

/* The end is added to what the system has said, whatever that was. */
static void the_end_is_added_to_words_of_the_system(void)
{
    static const char *const words[] = {
        "Job run at Sat Nov 21 at 08:02 on (n1:ncpus=1)",
        "Job manually qrun on (n1:ncpus=1)",
        "Job Array Began at Sat Nov 21 at 07:57",
        "Not Running: Insufficient amount of resource: ncpus",
        "Can Never Run: Not enough total nodes available",
        "Job held by ann on Sat Nov 21 08:02:39 2026",
        "job held, too many failed attempts to run",
        "Job Array Held, too many failed attempts to run subjob 3[1].svr",
        "Job was requeued",
        "Job has been moved to \"workq@other\"",
    };

    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        struct fake_mom fm = keeping("job_history_enable=True");
        const char *id = submit(fm.r, RIG_USER, "", "", "x\n");
        const char *comment;

        set_comment(fm.r, id, words[i]);
        CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, id, NULL), 0);
        comment = text_of(fm.r, id, JOB_A_COMMENT);
        CU_ASSERT_TRUE(strncmp(comment, words[i], strlen(words[i])) == 0 &&
                       ends_with(comment, " and terminated by ann@svr.example"));
        fake_mom_free(&fm);
    }
}

static void what_is_over_holds_nothing(void)
{
    struct fake_mom fm =
        keeping("job_history_enable=True max_queued=[u:PBS_GENERIC=1]");
    struct rig *r = fm.r;
    const struct model *m = svr_model(r->s);
    const char *id = running_job(&fm);
    const struct job *j;
    uint64_t seq = m->seq;
    size_t n_gone;
    const char **gone;

    CU_ASSERT_NOT_EQUAL(submit_code(r, RIG_USER, "", ""), 0);
    end_job(&fm, id, 0);
    j = kept(r, id);
    CU_ASSERT_PTR_NULL(j->queue);
    CU_ASSERT_EQUAL(j->bookings.n, 0);
    CU_ASSERT_EQUAL(m->n_jobs, 0);
    CU_ASSERT_PTR_NULL(m->live);
    /* A scheduler that keeps what it knows hears that it has gone. */
    gone = changes_gone(m, OBJ_JOB, seq, r->arena, &n_gone);
    CU_ASSERT_EQUAL_FATAL(n_gone, 1);
    CU_ASSERT_STRING_EQUAL(gone[0], id);
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_ROOT, QUE, "workq", "total_jobs"), "1");
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_ROOT, SVR, "", "total_jobs"), "1");
    CU_ASSERT_EQUAL(submit_code(r, RIG_USER, "", ""), 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

static int status_code(struct rig *r, const char *id, const char *extend, size_t *ret_n)
{
    const struct body_status body = { .id = id };
    const struct wire_reply *reply =
        rig_ask(r, RIG_USER, BATCH_STATUS_JOB, &body, extend);

    *ret_n = 0;
    while (!reply && rig_count(r, EFFECT_REPLY) == 0)
        reply = rig_go_on(r, r->conn);
    if (reply)
        *ret_n = reply->objects.n;
    return reply ? reply->code : -1;
}

static void requests_are_refused(void)
{
    struct fake_mom fm = keeping("job_history_enable=True");
    struct rig *r = fm.r;
    const char *id = submit(r, RIG_USER, "", "", "true\n");
    const struct body_id locate = { .id = id };
    const struct body_manage alter = { .command = 2,
                                       .object_type = 2,
                                       .object_name = id };
    const struct body_run run = { .object_id = id, .vnodes = "(n1:ncpus=1)" };
    const struct body_list list = { .ids = { 1, &id } };
    const struct wire_reply *reply;
    size_t n;

    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, id, NULL), 0);
    CU_ASSERT_EQUAL(status_code(r, id, NULL, &n), PBSE_HISTJOBID);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_LOCATE_JOB, &locate, NULL)->code,
                    PBSE_HISTJOBID);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_MODIFY_JOB, &alter, NULL)->code,
                    PBSE_HISTJOBID);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_ROOT, BATCH_RUN_JOB, &run, NULL)->code,
                    PBSE_HISTJOBID);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, id, NULL), PBSE_HISTJOBID);
    /* Its history is its owner's, and goes at his word. */
    CU_ASSERT_EQUAL(delete_job(r, "bob", id, "deletehist"), PBSE_PERM);
    reply = rig_ask(r, RIG_USER, BATCH_DELETE_JOB_LIST, &list, "deletehist");
    CU_ASSERT_EQUAL(reply->code, 0);
    CU_ASSERT_EQUAL_FATAL(reply->deleted.n, 1);
    CU_ASSERT_EQUAL(reply->deleted.v[0].code, PBSE_HISTJOBDELETED);
    CU_ASSERT_TRUE(
        rig_logged(r, "Deleting job history upon request from ann@svr.example"));
    CU_ASSERT_EQUAL(status_code(r, id, "x", &n), PBSE_UNKJOBID);
    fake_mom_free(&fm);
}

static void without_history_nothing_is_kept(void)
{
    struct fake_mom fm = keeping("job_history_enable=False");
    const char *id = running_job(&fm);
    size_t n;

    end_job(&fm, id, 0);
    CU_ASSERT_PTR_NULL(the_job(fm.r, id));
    CU_ASSERT_EQUAL(status_code(fm.r, "", "x", &n), PBSE_JOBHISTNOTSET);
    fake_mom_free(&fm);
}

/* qdel -x of a job that runs: it is gone with its end, after a restart as well. */
static void what_is_to_be_forgotten_is(void)
{
    struct fake_mom fm = keeping("job_history_enable=True");
    const char *id = running_job(&fm);

    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, id, NULL), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_SIGNAL_JOB, 0), 0, NULL);
    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, id, "deletehist"), 0);
    CU_ASSERT_TRUE(rig_logged(fm.r, "Also deleted job history"));
    end_job(&fm, id, 271);
    CU_ASSERT_PTR_NULL(the_job(fm.r, id));
    CU_ASSERT_PTR_NOT_NULL(accounted(fm.r, 'E', 0));
    fake_mom_free(&fm);
}

static void force_keeps_history_too(void)
{
    struct fake_mom fm = keeping("job_history_enable=True");
    const char *id = running_job(&fm);

    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, id, "force"), 0);
    CU_ASSERT_EQUAL(job_substate(kept(fm.r, id)), 91);
    CU_ASSERT_TRUE(ends_with(text_of(fm.r, id, JOB_A_COMMENT), " and terminated"));
    CU_ASSERT_PTR_NOT_NULL(accounted(fm.r, 'E', 0));
    fake_mom_free(&fm);
}

/* qdel -x -Wforce: nothing of it is left at once, and that it is to be forgotten is not
 * written down first. */
static void force_forgets_at_once(void)
{
    struct fake_mom fm = keeping("job_history_enable=True");
    const char *id = running_job(&fm);
    size_t n = 0;

    CU_ASSERT_EQUAL(delete_job(fm.r, RIG_USER, id, "deletehistforce"), 0);
    CU_ASSERT_PTR_NULL(the_job(fm.r, id));
    for (size_t i = 0; i < rig_count(fm.r, EFFECT_RECORD); i++)
        n += rig_effect(fm.r, EFFECT_RECORD, i)->u.record->kind == OBJ_JOB;
    CU_ASSERT_EQUAL(n, 2); /* it is killed, and it is over */
    fake_mom_free(&fm);
}

/* Each job goes when its own time is over, not one second before. */
static void history_ends(void)
{
    struct fake_mom fm = keeping("job_history_enable=True job_history_duration=100");
    struct rig *r = fm.r;
    const char *a = submit(r, RIG_USER, "", "", "true\n");
    const char *b = submit(r, RIG_USER, "", "", "true\n");

    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, b, NULL), 0);
    rig_advance(r, r->now_at + 50);
    CU_ASSERT_EQUAL(delete_job(r, RIG_USER, a, NULL), 0);
    rig_advance(r, r->now_at + 49);
    CU_ASSERT_PTR_NOT_NULL(the_job(r, b));
    rig_restart(r);
    CU_ASSERT_EQUAL(svr_model(r->s)->history.n, 2);
    rig_advance(r, r->now_at + 1);
    CU_ASSERT_PTR_NULL(the_job(r, b));
    CU_ASSERT_PTR_NOT_NULL(the_job(r, a));
    rig_advance(r, r->now_at + 50);
    CU_ASSERT_PTR_NULL(the_job(r, a));
    fake_mom_free(&fm);
}

static void switching_it_off_drops_all(void)
{
    struct fake_mom fm = keeping("job_history_enable=True");
    struct rig *r = fm.r;

    for (int i = 0; i < 250; i++)
        CU_ASSERT_EQUAL(
            delete_job(r, RIG_USER, submit(r, RIG_USER, "", "", "true\n"), NULL), 0);
    CU_ASSERT_EQUAL(svr_model(r->s)->history.n, 250);
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, UNSET, OBJECT_SERVER, "", "job_history_enable="), 0);
    rig_settle(r);
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_JOB].n, 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    fake_mom_free(&fm);
}

/* The order of history is that of its ends, whatever order a store gives it back in. */
static void a_restart_keeps_the_order(void)
{
    struct fake_mom fm = keeping("job_history_enable=True");
    struct rig *r = fm.r;
    const char *id[3];

    for (int i = 0; i < 3; i++)
        id[i] = submit(r, RIG_USER, "", "", "true\n");
    for (int i = 2; i >= 0; i--) {
        CU_ASSERT_EQUAL(delete_job(r, RIG_USER, id[i], NULL), 0);
        rig_advance(r, r->now_at + 1);
    }
    rig_restart(r);
    CU_ASSERT_STRING_EQUAL(history_next(&svr_model(r->s)->history.kept, NULL)->obj.id,
                           "2.svr");
    CU_ASSERT_PTR_NULL(svr_model(r->s)->live);
    CU_ASSERT_TRUE(rig_logged(r, "Recovered 3 jobs"));
    fake_mom_free(&fm);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "ends have their phases", ends_have_their_phases },
        { "deletions are told of", deletions_are_told_of },
        { "the end is added to words of the system",
          the_end_is_added_to_words_of_the_system },
        { "what is over holds nothing", what_is_over_holds_nothing },
        { "requests are refused", requests_are_refused },
        { "without history nothing is kept", without_history_nothing_is_kept },
        { "what is to be forgotten is", what_is_to_be_forgotten_is },
        { "force keeps history too", force_keeps_history_too },
        { "force forgets at once", force_forgets_at_once },
        { "history ends", history_ends },
        { "switching it off drops all", switching_it_off_drops_all },
        { "a restart keeps the order", a_restart_keeps_the_order },
    };

    return unit_main("history", cases, ARRAY_LEN(cases));
}
