/* Unit tests of the MoM's core: images of jobs, on request and in time, jobs that rest,
 * and what is left of both when the MoM was killed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <signal.h>
#include <stdlib.h>

#define JOB   "1.svr"
#define IMAGE "/ck/1.svr.CK"

static void give_scripts(struct bench *b)
{
    struct mom_config cfg = node1_config();

    cfg.checkpoints = cfg.checkpoint_aborts = true;
    mom_set_rules(b->m, b->now_at, &cfg, &b->out);
}

static void bench_with_scripts(struct bench *b)
{
    bench_init(b);
    give_scripts(b);
}

static struct wire_attrs attrs_of(struct bench *b, const char *run, const char *user,
                                  const char *checkpoint)
{
    struct wire_attrs attrs = { 0 };

    add(b, &attrs, "Job_Name", NULL, "j");
    add(b, &attrs, "Job_Owner", NULL, "joe@h");
    add(b, &attrs, "euser", NULL, user);
    add(b, &attrs, "exec_vnode", NULL, "(node1:ncpus=1)");
    add(b, &attrs, "Resource_List", "walltime", "01:00:00");
    add(b, &attrs, "run_version", NULL, run);
    add(b, &attrs, "Checkpoint", NULL, checkpoint);
    return attrs;
}

/* It runs as session 4711. */
static void begin(struct bench *b, const struct wire_attrs *attrs)
{
    send_job(b, JOB, attrs);
    mom_stored(b->m, b->now_at, JOB, NULL, &b->out);
    mom_started(b->m, b->now_at, JOB, 4711, 0, NULL, &b->out);
    forget(b);
}

static void run_with(struct bench *b, const char *checkpoint)
{
    struct wire_attrs attrs = attrs_of(b, "3", "joe", checkpoint);

    begin(b, &attrs);
}

static void hold(struct bench *b)
{
    const struct body_manage body = { .command = 2,
                                      .object_type = 2,
                                      .object_name = JOB };

    request(b, BATCH_HOLD_JOB, &body, "m9");
}

static int32_t hold_code(const struct bench *b)
{
    const struct is_message *reply = sent(b, IS_CMD_REPLY);

    return reply ? reply->reply.code : INT32_MIN;
}

static bool has(const struct bench *b, enum mom_effect_kind kind)
{
    return effect(b, kind, 0) != NULL;
}

/* Held, with an image, and its end acknowledged. */
static void bring_to_rest(struct bench *b)
{
    hold(b);
    b->now_at += 10;
    mom_checkpointed(b->m, b->now_at, JOB, IMAGE, 0, &b->out);
    mom_exited(b->m, b->now_at, JOB, 256 + SIGKILL, NULL, &b->out);
    obit_reply(b, JOB, false);
}

static void test_what_cannot_be_checkpointed_is_refused(void)
{
    struct bench b;

    bench_init(&b);
    run_with(&b, "u");
    hold(&b);
    CU_ASSERT_EQUAL(hold_code(&b), PBSE_NOSUP);
    CU_ASSERT_FALSE(has(&b, MOM_CHECKPOINT));
    forget(&b);
    give_scripts(&b);
    hold(&b);
    CU_ASSERT(has(&b, MOM_CHECKPOINT));
    CU_ASSERT(logged(&b, "req_holdjob: Checkpoint initiated."));
    forget(&b);
    b.stream = 77;
    hold(&b); /* twice on one stream */
    CU_ASSERT_EQUAL(hold_code(&b), PBSE_CKPBSY);
    CU_ASSERT(logged(&b, "req_holdjob failed: Checkpoint active."));
    bench_fini(&b);
}

/* The answer was lost: it is given again, and no second image is made. */
static void test_who_asks_again_is_answered(void)
{
    struct bench b;

    bench_with_scripts(&b);
    run_with(&b, "u");
    hold(&b);
    mom_checkpointed(b.m, b.now_at, JOB, IMAGE, 0, &b.out);
    CU_ASSERT_EQUAL(hold_code(&b), 0);
    forget(&b);
    hold(&b);
    CU_ASSERT_EQUAL(hold_code(&b), 0);
    CU_ASSERT_STRING_EQUAL(sent(&b, IS_CMD_REPLY)->msgid, "m9");
    CU_ASSERT_FALSE(has(&b, MOM_CHECKPOINT));
    bench_fini(&b);

    /* One that ends with another status has no image for it. */
    bench_with_scripts(&b);
    run_with(&b, "u");
    b.now_at += 3601;
    mom_tick(b.m, b.now_at, &b.out);
    CU_ASSERT(killed_with(&b, SIGTERM)); /* its walltime is over */
    forget(&b);
    hold(&b);
    CU_ASSERT_EQUAL(hold_code(&b), PBSE_BADSTATE);
    bench_fini(&b);
}

/* The record says that an image is being made before the script begins, and that it is
 * there before the server hears of it. */
static void test_a_held_job_is_killed_behind_its_image(void)
{
    struct bench b;

    bench_with_scripts(&b);
    run_with(&b, "u");
    hold(&b);
    CU_ASSERT_PTR_NOT_NULL_FATAL(effect(&b, MOM_CHECKPOINT, 0));
    CU_ASSERT(effect(&b, MOM_CHECKPOINT, 0)->u.checkpoint.aborts);
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_SAVE, 0));
    CU_ASSERT(effect(&b, MOM_SAVE, 0) < effect(&b, MOM_CHECKPOINT, 0));
    CU_ASSERT_EQUAL(hold_code(&b), INT32_MIN);
    forget(&b);
    mom_checkpointed(b.m, b.now_at, JOB, IMAGE, 0, &b.out);
    CU_ASSERT(logged(&b, "checkpointed to " IMAGE));
    CU_ASSERT_EQUAL(hold_code(&b), 0);
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_SAVE, 0));
    CU_ASSERT(effect(&b, MOM_SAVE, 0) < effect(&b, MOM_SEND, 0));
    CU_ASSERT(killed_with(&b, SIGKILL));
    mom_exited(b.m, b.now_at, JOB, 256 + SIGKILL, NULL, &b.out);
    CU_ASSERT_EQUAL(told_status(&b), -12);
    forget(&b);
    obit_reply(&b, JOB, false);
    CU_ASSERT(has(&b, MOM_REST));
    CU_ASSERT_FALSE(has(&b, MOM_DROP));
    CU_ASSERT_EQUAL(mom_n_jobs(b.m), 0);
    CU_ASSERT_PTR_NOT_NULL(mom_job_attrs(b.m, JOB)); /* its files belong to somebody */
    bench_fini(&b);
}

/* A server that was started again ends the run before it answers the obituary. */
static void test_the_end_of_the_run_leaves_the_image(void)
{
    const struct body_manage end = { .command = 1,
                                     .object_type = 2,
                                     .object_name = JOB };
    struct bench b;

    bench_with_scripts(&b);
    run_with(&b, "u");
    hold(&b);
    mom_checkpointed(b.m, b.now_at, JOB, IMAGE, 0, &b.out);
    mom_exited(b.m, b.now_at, JOB, 256 + SIGKILL, NULL, &b.out);
    forget(&b);
    request(&b, BATCH_DELETE_JOB, &end, "m4");
    CU_ASSERT(has(&b, MOM_REST));
    CU_ASSERT_FALSE(has(&b, MOM_DROP));
    CU_ASSERT(mom_job_has_image(b.m, JOB));
    forget(&b);
    obit_reply(&b, JOB, false); /* no news */
    CU_ASSERT_FALSE(has(&b, MOM_DROP));
    CU_ASSERT(mom_job_has_image(b.m, JOB));
    bench_fini(&b);
}

/* The script ends the job itself, and the job's end comes first. */
static void test_an_end_waits_for_the_image(void)
{
    static const struct {
        const char *path;
        int32_t status;
    } rows[] = { { IMAGE, -12 }, { NULL, 256 + SIGKILL } };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct bench b;

        bench_with_scripts(&b);
        run_with(&b, "u");
        hold(&b);
        forget(&b);
        mom_exited(b.m, b.now_at, JOB, 256 + SIGKILL, NULL, &b.out);
        CU_ASSERT_EQUAL(told_status(&b), INT32_MIN);
        mom_checkpointed(b.m, b.now_at, JOB, rows[i].path, 5, &b.out);
        CU_ASSERT_EQUAL(told_status(&b), rows[i].status);
        CU_ASSERT_EQUAL(hold_code(&b), rows[i].path ? 0 : PBSE_SYSTEM);
        bench_fini(&b);
    }
}

static void test_a_job_goes_on_when_the_script_fails(void)
{
    struct bench b;

    bench_with_scripts(&b);
    run_with(&b, "u");
    hold(&b);
    forget(&b);
    mom_checkpointed(b.m, b.now_at, JOB, NULL, 17, &b.out);
    CU_ASSERT_EQUAL(hold_code(&b), PBSE_SYSTEM);
    CU_ASSERT(logged(&b, "checkpoint failed: errno=17"));
    CU_ASSERT_FALSE(has(&b, MOM_KILL));
    CU_ASSERT_FALSE(mom_job_has_image(b.m, JOB));
    mom_exited(b.m, b.now_at, JOB, 0, NULL, &b.out);
    CU_ASSERT_EQUAL(told_status(&b), 0);
    bench_fini(&b);
}

/* A deletion does not wait for an image that nobody wants any more. */
static void test_a_deletion_ends_the_script(void)
{
    struct bench b;

    bench_with_scripts(&b);
    run_with(&b, "u");
    hold(&b);
    forget(&b);
    signal_job(&b, JOB, "TermJob");
    CU_ASSERT(has(&b, MOM_ABANDON));
    CU_ASSERT(killed_with(&b, SIGTERM));
    CU_ASSERT_EQUAL(hold_code(&b), PBSE_BADSTATE); /* the hold's comes first */
    forget(&b);
    mom_checkpointed(b.m, b.now_at, JOB, IMAGE, 0, &b.out); /* late */
    CU_ASSERT_EQUAL(b.out.n, 0);
    mom_exited(b.m, b.now_at, JOB, 271, NULL, &b.out);
    CU_ASSERT_EQUAL(told_status(&b), 271);
    obit_reply(&b, JOB, false);
    CU_ASSERT_FALSE(has(&b, MOM_REST));
    bench_fini(&b);
}

/* Whose processes have ended already ends with the deletion itself. */
static void test_a_deletion_ends_what_waits_for_its_image(void)
{
    static const char *const words[] = { "TermJob", "SIGKILL" };

    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        struct bench b;

        bench_with_scripts(&b);
        run_with(&b, "u");
        hold(&b);
        mom_exited(b.m, b.now_at, JOB, 3, NULL, &b.out);
        CU_ASSERT_EQUAL(told_status(&b), INT32_MIN);
        signal_job(&b, JOB, words[i]);
        CU_ASSERT_EQUAL(told_status(&b), 3);
        bench_fini(&b);
    }
}

/* By walltime at the second, by cput with the sample that shows it; a failure is told
 * to the user, and is not tried again at once. */
static void test_images_are_made_in_time(void)
{
    const struct mom_usage used = { .cput_s = 61 };
    const struct mom_effect *e;
    struct bench b;

    bench_with_scripts(&b);
    run_with(&b, "w=2");
    CU_ASSERT_EQUAL(life_due_at(b.m, job_find(b.m, JOB)), b.now_at + 120);
    b.now_at += 119;
    mom_tick(b.m, b.now_at, &b.out);
    CU_ASSERT_FALSE(has(&b, MOM_CHECKPOINT));
    b.now_at += 1;
    mom_tick(b.m, b.now_at, &b.out);
    CU_ASSERT_PTR_NOT_NULL_FATAL(e = effect(&b, MOM_CHECKPOINT, 0));
    CU_ASSERT_FALSE(e->u.checkpoint.aborts);
    forget(&b);
    mom_checkpointed(b.m, b.now_at, JOB, NULL, 5, &b.out);
    CU_ASSERT_PTR_NOT_NULL_FATAL(e = effect(&b, MOM_TELL, 0));
    CU_ASSERT_STRING_EQUAL(e->u.tell.text, "Checkpoint failed, error 5");
    CU_ASSERT_EQUAL(life_due_at(b.m, job_find(b.m, JOB)), b.now_at + 120);
    bench_fini(&b);

    bench_with_scripts(&b);
    run_with(&b, "c=1");
    CU_ASSERT(life_due_at(b.m, job_find(b.m, JOB)) >= b.now_at + 3600);
    mom_used(b.m, b.now_at, JOB, &used);
    mom_sampled(b.m, b.now_at, &b.out);
    CU_ASSERT(has(&b, MOM_CHECKPOINT));
    mom_checkpointed(b.m, b.now_at, JOB, IMAGE, 0, &b.out);
    CU_ASSERT_FALSE(has(&b, MOM_KILL)); /* it runs on */
    CU_ASSERT(mom_job_has_image(b.m, JOB));
    bench_fini(&b);
}

/* The job's end is its own while a periodic image is made. */
static void test_a_job_that_ends_does_not_wait_for_a_periodic_image(void)
{
    struct bench b;

    bench_with_scripts(&b);
    run_with(&b, "w=1");
    b.now_at += 60;
    mom_tick(b.m, b.now_at, &b.out);
    CU_ASSERT(has(&b, MOM_CHECKPOINT));
    mom_exited(b.m, b.now_at, JOB, 0, NULL, &b.out);
    CU_ASSERT(has(&b, MOM_ABANDON));
    CU_ASSERT_EQUAL(told_status(&b), 0);
    bench_fini(&b);
}

static void test_the_next_run_goes_on_from_the_image(void)
{
    const struct mom_usage used = { .cput_s = 61 };
    struct wire_attrs attrs;
    struct bench b;
    int32_t session;

    bench_with_scripts(&b);
    run_with(&b, "u");
    mom_used(b.m, b.now_at, JOB, &used);
    bring_to_rest(&b);
    forget(&b);
    attrs = attrs_of(&b, "4", "joe", "u");
    send_job(&b, JOB, &attrs);
    CU_ASSERT(mom_job_restarts(b.m, JOB, &session) && session == 4711);
    /* The image is counted on whether the job begins or not. */
    CU_ASSERT(has(&b, MOM_STORE) && effect(&b, MOM_STORE, 0)->u.store.is_durable);
    mom_stored(b.m, b.now_at, JOB, NULL, &b.out);
    CU_ASSERT(has(&b, MOM_START));
    mom_started(b.m, b.now_at, JOB, 4712, 0, NULL, &b.out);
    /* Until the script has restored it the server does not hear of its session, and
     * there is no other image. */
    CU_ASSERT_PTR_NULL(sent(&b, IS_RESCUSED));
    forget(&b);
    hold(&b);
    CU_ASSERT_EQUAL(hold_code(&b), PBSE_CKPBSY);
    CU_ASSERT(logged(&b, "req_holdjob failed: Restart active."));
    mom_restarted(b.m, b.now_at, JOB, &b.out);
    CU_ASSERT_PTR_NOT_NULL_FATAL(sent(&b, IS_RESCUSED));
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&sent(&b, IS_RESCUSED)->updates[0].attrs,
                                            "resources_used", "cput"),
                           "00:01:01");
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&sent(&b, IS_RESCUSED)->updates[0].attrs,
                                            "resources_used", "walltime"),
                           "00:00:10");
    /* Its end takes the image along. */
    mom_exited(b.m, b.now_at, JOB, 0, NULL, &b.out);
    forget(&b);
    obit_reply(&b, JOB, false);
    CU_ASSERT_FALSE(has(&b, MOM_REST));
    bench_fini(&b);
}

/* A restart that fails does not cost the image. */
static void test_a_failed_restart_keeps_the_image(void)
{
    static const int32_t ends[] = { -7, -3, -11 };

    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        struct wire_attrs attrs;
        struct bench b;

        bench_with_scripts(&b);
        run_with(&b, "u");
        bring_to_rest(&b);
        attrs = attrs_of(&b, "4", "joe", "u");
        begin(&b, &attrs);
        mom_exited(b.m, b.now_at, JOB, ends[i], NULL, &b.out);
        forget(&b);
        obit_reply(&b, JOB, false);
        CU_ASSERT_EQUAL(has(&b, MOM_REST), ends[i] != -11); /* qrerun begins anew */
        bench_fini(&b);
    }
}

/* An id comes back with another job, or an older run of it: nobody is given somebody
 * else's memory. */
static void test_an_image_is_for_its_own_job_only(void)
{
    static const struct {
        const char *run, *user;
        bool restarts;
    } rows[] = { { "4", "joe", true }, { "4", "eve", false }, { "3", "joe", false } };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct wire_attrs attrs;
        struct bench b;
        int32_t session;

        bench_with_scripts(&b);
        run_with(&b, "u");
        bring_to_rest(&b);
        forget(&b);
        attrs = attrs_of(&b, rows[i].run, rows[i].user, "u");
        send_job(&b, JOB, &attrs);
        CU_ASSERT_EQUAL(mom_job_restarts(b.m, JOB, &session), rows[i].restarts);
        CU_ASSERT_EQUAL(has(&b, MOM_DROP), !rows[i].restarts);
        if (has(&b, MOM_DROP))
            CU_ASSERT_TRUE(effect(&b, MOM_DROP, 0)->u.drop.may_have_images);
        bench_fini(&b);
    }
}

/* A full disk refuses the run; the image goes on resting. */
static void test_a_run_that_cannot_be_stored_costs_nothing(void)
{
    struct wire_attrs attrs;
    struct diag why;
    struct bench b;

    bench_with_scripts(&b);
    run_with(&b, "u");
    bring_to_rest(&b);
    attrs = attrs_of(&b, "4", "joe", "u");
    send_job(&b, JOB, &attrs);
    forget(&b);
    diag_set(&why, PBSE_SYSTEM, "full");
    mom_stored(b.m, b.now_at, JOB, &why, &b.out);
    CU_ASSERT_FALSE(has(&b, MOM_DROP));
    CU_ASSERT(mom_job_has_image(b.m, JOB));
    CU_ASSERT_EQUAL(mom_n_jobs(b.m), 0);
    bench_fini(&b);
}

static void discard(struct bench *b, int32_t run)
{
    const struct is_message msg = { .command = IS_DISCARD_JOB,
                                    .job_id = JOB,
                                    .run_version = run };

    message(b, &msg);
}

/* The server wants it gone: by the files of the image, or because it has another
 * picture of the job. A late word about another run changes nothing. */
static void test_an_image_goes_when_the_server_says_so(void)
{
    struct wire_file_pair pair = { .flag = 2, .local = JOB ".CK", .remote = "" };
    const struct body_files files = { .job_id = JOB,
                                      .owner = "joe",
                                      .user = "joe",
                                      .group = "",
                                      .n_pairs = 1,
                                      .pairs = &pair };
    struct bench b;

    bench_with_scripts(&b);
    run_with(&b, "u");
    bring_to_rest(&b);
    forget(&b);
    discard(&b, 2);
    CU_ASSERT_FALSE(has(&b, MOM_DROP));
    discard(&b, 3);
    CU_ASSERT(has(&b, MOM_DROP));
    CU_ASSERT_FALSE(mom_job_has_image(b.m, JOB));
    bench_fini(&b);

    bench_with_scripts(&b);
    run_with(&b, "u");
    bring_to_rest(&b);
    forget(&b);
    request(&b, BATCH_DEL_FILES, &files, "m4");
    CU_ASSERT(has(&b, MOM_DROP));
    CU_ASSERT_EQUAL(hold_code(&b), 0);
    forget(&b);
    request(&b, BATCH_DEL_FILES, &files, "m4"); /* said twice */
    CU_ASSERT_EQUAL(hold_code(&b), 0);
    bench_fini(&b);
}

/* The record of a job as it is now, in another MoM that has not begun yet. */
static void reload(struct bench *b, struct bench *ret)
{
    struct mom_config cfg = node1_config();
    struct buf record = { 0 };
    const char *id;

    memset(ret, 0, sizeof(*ret));
    cfg.checkpoints = cfg.checkpoint_aborts = true;
    mom_job_encode(b->m, JOB, &record);
    ret->out.arena = arena_new();
    ret->now_at = b->now_at;
    ret->m = mom_new(&cfg);
    mom_set_vnodes(ret->m, ret->now_at, 5, 0, NULL, &ret->out);
    CU_ASSERT_FATAL(mom_load(ret->m, record.data, record.len, &id));
    buf_fini(&record);
}

static void test_the_mom_asks_what_became_of_an_image(void)
{
    struct bench b, after;
    const struct mom_effect *e;

    bench_with_scripts(&b);
    run_with(&b, "u");
    hold(&b);
    reload(&b, &after);
    mom_found(after.m, JOB, false, 256 + SIGKILL); /* its script has ended the job */
    mom_start(after.m, after.now_at, false, &after.out);
    CU_ASSERT_PTR_NOT_NULL_FATAL(e = effect(&after, MOM_CHECKPOINT, 0));
    CU_ASSERT(e->u.checkpoint.was_begun && e->u.checkpoint.aborts);
    say_hello(&after);
    CU_ASSERT_EQUAL(told_status(&after), INT32_MIN);
    hold(&after); /* the server asks again */
    CU_ASSERT_EQUAL(hold_code(&after), INT32_MIN);
    mom_checkpointed(after.m, after.now_at, JOB, IMAGE, 0, &after.out);
    CU_ASSERT_EQUAL(hold_code(&after), 0);
    CU_ASSERT_EQUAL(told_status(&after), -12);
    bench_fini(&after);
    bench_fini(&b);
}

/* It is listed as held, so that a server which does not count on it says so. */
static void test_a_job_that_rests_is_found_again(void)
{
    struct bench b, after;
    const struct is_message *msg;

    bench_with_scripts(&b);
    run_with(&b, "u");
    bring_to_rest(&b);
    reload(&b, &after);
    mom_start(after.m, after.now_at, false, &after.out);
    CU_ASSERT(mom_job_has_image(after.m, JOB));
    CU_ASSERT_EQUAL(mom_n_jobs(after.m), 0);
    say_hello(&after);
    CU_ASSERT_PTR_NOT_NULL_FATAL(msg = sent(&after, IS_REGISTERMOM));
    CU_ASSERT_EQUAL_FATAL(msg->n_running, 1);
    CU_ASSERT_EQUAL(msg->running[0].substate, 20);
    CU_ASSERT_EQUAL(msg->running[0].run_version, 3);
    bench_fini(&after);
    bench_fini(&b);
}

/* -r, and SIGTERM: what has a periodic image goes on from it. */
static void test_a_job_with_an_image_is_given_back_as_such(void)
{
    static const bool with_image[] = { false, true };

    for (size_t i = 0; i < ARRAY_LEN(with_image); i++) {
        struct bench b;

        bench_with_scripts(&b);
        run_with(&b, "w=1");
        b.now_at += 60;
        mom_tick(b.m, b.now_at, &b.out);
        if (with_image[i])
            mom_checkpointed(b.m, b.now_at, JOB, IMAGE, 0, &b.out);
        mom_stop(b.m, b.now_at, true, &b.out);
        mom_exited(b.m, b.now_at, JOB, 256 + SIGKILL, NULL, &b.out);
        CU_ASSERT_EQUAL(told_status(&b), with_image[i] ? -5 : -4);
        bench_fini(&b);
    }
}

/* Cut at every byte, and with each byte changed, a record is read or refused. */
static void test_damaged_records_are_refused(void)
{
    struct buf record = { 0 };
    struct bench b;
    const char *id;

    bench_with_scripts(&b);
    run_with(&b, "u");
    bring_to_rest(&b);
    mom_job_encode(b.m, JOB, &record);
    for (size_t len = 0; len < record.len; len++) {
        const struct mom_config cfg = node1_config();
        struct mom *m = mom_new(&cfg);
        char *copy = xcalloc(1, record.len);

        CU_ASSERT_FALSE(mom_load(m, record.data, len, &id));
        memcpy(copy, record.data, record.len);
        copy[len] ^= 3;
        (void)!mom_load(m, copy, record.len, &id);
        mom_free(m);
        free(copy);
    }
    buf_fini(&record);
    bench_fini(&b);
}

/* An epilogue that ends with 2 sends a job back to its image, unless the job was to be
 * ended. */
static void test_an_epilogue_sends_a_job_back_to_its_image(void)
{
    static const struct {
        bool has_image, is_deleted;
        int32_t ended, code, told;
    } cases[] = {
        { true, false, 1, 2, -15 },   { true, false, 1, 1, 1 },
        { true, false, 1, -4, 1 },    { false, false, 1, 2, 1 },
        { true, false, -29, 2, -29 }, { true, false, 256 + SIGKILL, 2, -15 },
        { true, true, 271, 2, 271 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct mom_usage used = { .cput_s = 61 };
        struct bench b;

        bench_with_scripts(&b);
        run_with(&b, "c=1");
        b.m->cfg.runs_epilogues = true;
        if (cases[i].has_image) {
            mom_used(b.m, b.now_at, JOB, &used);
            mom_sampled(b.m, b.now_at, &b.out);
            mom_checkpointed(b.m, b.now_at, JOB, IMAGE, 0, &b.out);
        }
        if (cases[i].ended < 0)
            life_preset(job_find(b.m, JOB), cases[i].ended);
        if (cases[i].is_deleted)
            life_terminate(b.m, b.now_at, job_find(b.m, JOB), &b.out);
        mom_exited(b.m, b.now_at, JOB, cases[i].ended < 0 ? 0 : cases[i].ended, NULL,
                   &b.out);
        CU_ASSERT(has(&b, MOM_EPILOGUE));
        forget(&b);
        mom_epilogue_done(b.m, b.now_at, JOB, cases[i].code, &b.out);
        CU_ASSERT_EQUAL(told_status(&b), cases[i].told);
        forget(&b);
        obit_reply(&b, JOB, false);
        CU_ASSERT_EQUAL(has(&b, MOM_REST), cases[i].told == -15);
        bench_fini(&b);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "what cannot be checkpointed is refused",
          test_what_cannot_be_checkpointed_is_refused },
        { "who asks again is answered", test_who_asks_again_is_answered },
        { "a held job is killed behind its image",
          test_a_held_job_is_killed_behind_its_image },
        { "the end of the run leaves the image",
          test_the_end_of_the_run_leaves_the_image },
        { "an end waits for the image", test_an_end_waits_for_the_image },
        { "a job goes on when the script fails",
          test_a_job_goes_on_when_the_script_fails },
        { "a deletion ends the script", test_a_deletion_ends_the_script },
        { "a deletion ends what waits for its image",
          test_a_deletion_ends_what_waits_for_its_image },
        { "images are made in time", test_images_are_made_in_time },
        { "a job that ends does not wait for a periodic image",
          test_a_job_that_ends_does_not_wait_for_a_periodic_image },
        { "the next run goes on from the image",
          test_the_next_run_goes_on_from_the_image },
        { "a failed restart keeps the image", test_a_failed_restart_keeps_the_image },
        { "an image is for its own job only", test_an_image_is_for_its_own_job_only },
        { "a run that cannot be stored costs nothing",
          test_a_run_that_cannot_be_stored_costs_nothing },
        { "an image goes when the server says so",
          test_an_image_goes_when_the_server_says_so },
        { "the MoM asks what became of an image",
          test_the_mom_asks_what_became_of_an_image },
        { "a job that rests is found again", test_a_job_that_rests_is_found_again },
        { "a job with an image is given back as such",
          test_a_job_with_an_image_is_given_back_as_such },
        { "an epilogue sends a job back to its image",
          test_an_epilogue_sends_a_job_back_to_its_image },
        { "damaged records are refused", test_damaged_records_are_refused },
    };

    return unit_main("mom/checkpoint", cases, ARRAY_LEN(cases));
}
