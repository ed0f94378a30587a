/* Unit tests of the MoM's core: images of a job over three hosts (doc/design/084).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "three_hosts.h"

#include "mom/job/image.h"

#define HOSTS "node1:15002/0+node2.dom:15002/0*2+node3:15002/1"
#define TASK2 0x40000001
#define TASK3 0x80000001

static void give_scripts(struct world *w, size_t k)
{
    struct mom_config cfg = node1_config();

    cfg.checkpoints = cfg.checkpoint_aborts = true;
    cfg.checkpoint_limit_s = cfg.checkpoint_abort_limit_s = 60;
    cfg.restart_limit_s = 60;
    mom_set_rules(w->h[k].m, w->now_at, &cfg, &w->h[k].out);
}

static void send_run(struct world *w, const char *run_version, const char *checkpoint)
{
    struct wire_attrs more = { 0 };

    add(w, &more, "Job_Name", "j");
    add(w, &more, "Job_Owner", "joe@h");
    add(w, &more, "run_version", run_version);
    add(w, &more, "Checkpoint", checkpoint);
    send_job_with(w, HOSTS, &more);
    run(w);
}

/* It runs, with a task on each host. */
static void begin(struct world *w, const char *checkpoint)
{
    world_init(w);
    w->notices_loss = true;
    for (size_t k = 0; k < N; k++)
        give_scripts(w, k);
    send_run(w, "3", checkpoint);
    for (uint32_t vnode = 0; vnode < N; vnode++) {
        spawn(w, vnode);
        CU_ASSERT_EQUAL_FATAL(w->h[0].task_code, 0);
    }
}

static void hold(struct world *w)
{
    const struct body_manage body = { .command = 2,
                                      .object_type = 2,
                                      .object_name = ID };

    w->h[0].text[0] = '\0';
    request(w, BATCH_HOLD_JOB, &body);
    run(w);
}

static void answer_obit(struct world *w)
{
    const char *ids[] = { ID };
    struct is_message msg = { .command = IS_OBITREPLY };

    msg.acks.n = 1;
    msg.acks.v = ids;
    mom_message(w->h[0].m, w->now_at, SERVER, node1_server(), &msg, true, &w->h[0].out);
    run(w);
}

/* Held, with images on all hosts. */
static void bring_to_rest(struct world *w)
{
    hold(w);
    CU_ASSERT_EQUAL(w->h[0].code, 0);
    CU_ASSERT_EQUAL(w->h[0].status, -12);
    answer_obit(w);
    for (size_t k = 0; k < N; k++) {
        CU_ASSERT_EQUAL(mom_n_jobs(w->h[k].m), 0);
        CU_ASSERT_PTR_NOT_NULL(resting_find(w->h[k].m, ID));
        CU_ASSERT_EQUAL(w->h[k].n_drops, 0);
    }
    w->h[0].status = INT32_MIN;
}

static const struct mom_job *job(const struct world *w, size_t k)
{
    return job_find_any(w->h[k].m, ID);
}

static bool logged(const struct world *w, size_t k, const char *text)
{
    const struct mom_out *out = &w->h[k].out;

    for (size_t i = 0; i < out->n; i++)
        if (out->v[i].kind == MOM_LOG && strstr(out->v[i].u.log.text, text))
            return true;
    return false;
}

static bool task_runs(const struct world *w, size_t k, uint32_t number)
{
    const struct mom_job *j = job_find(w->h[k].m, ID);
    const struct spawned *t = j ? spawned_find(j, number) : NULL;

    return t && !t->is_down && t->session > 0;
}

/* Every pair: the event cannot come there, or leads to a stage that the end of the job
 * leads out of. */
static void test_every_stage_ends_with_the_job(void)
{
    size_t n = 0;

    for (enum image_stage s = IMAGE_IDLE; s < IMAGE_STAGES; s++) {
        CU_ASSERT_EQUAL(image_next(s, IMAGE_EV_DROP), IMAGE_IDLE);
        for (enum image_event e = 0; e < IMAGE_EVENTS; e++)
            n += image_next(s, e) != IMAGE_STAGES;
    }
    CU_ASSERT_EQUAL(n, 21);
    /* A host that makes an image is asked for no other. */
    CU_ASSERT_EQUAL(image_next(IMAGE_OWN, IMAGE_EV_MAKE), IMAGE_STAGES);
    CU_ASSERT_EQUAL(image_next(IMAGE_STOPPED, IMAGE_EV_MAKE), IMAGE_STAGES);
    CU_ASSERT_EQUAL(image_next(IMAGE_UNDOING, IMAGE_EV_ASK), IMAGE_STAGES);
}

/* Also with each message twice. Her own script runs when all others have ended. */
static void test_a_held_job_goes_on_with_all_its_tasks(void)
{
    for (int twice = 0; twice < 2; twice++) {
        struct world w;

        begin(&w, "u");
        w.twice = twice;
        w.h[2].script = -1;
        hold(&w);
        CU_ASSERT_EQUAL(w.h[1].n_scripts, 1);
        CU_ASSERT_EQUAL(w.h[0].n_scripts, 0);
        CU_ASSERT_EQUAL(w.h[0].code, -1);
        w.h[2].script = 0;
        mom_checkpointed(w.h[2].m, w.now_at, ID, "/ck", 0, &w.h[2].out);
        run(&w);
        CU_ASSERT_EQUAL(w.h[0].n_scripts, 1);
        CU_ASSERT_EQUAL(w.h[0].code, 0);
        CU_ASSERT_EQUAL(w.h[0].status, -12);
        CU_ASSERT(logged(&w, 1, "CHECKPOINT_ABORT received"));
        CU_ASSERT_FALSE(task_runs(&w, 1, TASK2));
        answer_obit(&w);

        send_run(&w, "4", "u");
        CU_ASSERT(logged(&w, 2, "RESTART received"));
        CU_ASSERT_EQUAL(w.h[0].n_restores, 2);
        CU_ASSERT_EQUAL(w.h[1].n_restores, 1);
        CU_ASSERT_EQUAL(w.h[2].n_restores, 1);
        CU_ASSERT(task_runs(&w, 0, 2) && task_runs(&w, 1, TASK2) &&
                  task_runs(&w, 2, TASK3));
        CU_ASSERT_EQUAL(w.h[0].n_hellos, 2);
        spawn(&w, 1); /* with a number of its own */
        CU_ASSERT_EQUAL(w.h[0].task, TASK2 + 1);
        mom_exited(w.h[0].m, w.now_at, ID, 0, NULL, &w.h[0].out);
        run(&w);
        CU_ASSERT_EQUAL(w.h[0].status, 0);
        delete_job(&w);
        for (size_t k = 0; k < N; k++) {
            CU_ASSERT_PTR_NULL(job(&w, k));
            CU_ASSERT_EQUAL(w.h[k].n_drops, 1);
        }
        world_fini(&w);
    }
}

/* Whoever had made hers goes back: her tasks are restored, and the job goes on. */
static void test_a_script_that_fails_on_one_host_is_undone_on_the_others(void)
{
    for (size_t bad = 0; bad < N; bad++) {
        struct world w;

        begin(&w, "u");
        w.h[bad].script = 7;
        hold(&w);
        CU_ASSERT_EQUAL(w.h[0].code, PBSE_SYSTEM);
        CU_ASSERT_STRING_EQUAL(w.h[0].text,
                               bad == 2   ? "node3: checkpoint failed: errno=7"
                               : bad == 1 ? "node2.dom: checkpoint failed: errno=7"
                                          : "checkpoint failed: errno=7");
        CU_ASSERT_EQUAL(w.h[0].status, INT32_MIN);
        for (size_t k = 0; k < N; k++) {
            CU_ASSERT_EQUAL(w.h[k].n_restores, k > 0 && k != bad);
            CU_ASSERT_EQUAL(w.h[k].n_back, k > 0 && k != bad);
            CU_ASSERT_FALSE(mom_job_has_image(w.h[k].m, ID));
        }
        CU_ASSERT(task_runs(&w, 1, TASK2) && task_runs(&w, 2, TASK3));
        w.h[bad].script = 0;
        bring_to_rest(&w);
        world_fini(&w);
    }
}

static void test_a_host_without_scripts_refuses_for_all(void)
{
    const struct mom_config cfg = node1_config();
    struct world w;

    begin(&w, "u");
    mom_set_rules(w.h[2].m, w.now_at, &cfg, &w.h[2].out);
    hold(&w);
    CU_ASSERT_EQUAL(w.h[0].code, PBSE_NOSUP);
    CU_ASSERT(task_runs(&w, 1, TASK2));
    give_scripts(&w, 2);
    mom_set_rules(w.h[0].m, w.now_at, &cfg, &w.h[0].out);
    hold(&w);
    CU_ASSERT_EQUAL(w.h[0].code, PBSE_NOSUP);
    CU_ASSERT_EQUAL(w.h[2].n_scripts, 0); /* nobody was asked */
    world_fini(&w);
}

/* A session that a user has given to the job is in the image as every task, for its
 * script is told the session; when it is restored it has a shepherd. */
static void test_an_attached_task_comes_back_as_one_of_ours(void)
{
    const uint32_t number = TASK2 + 1;

    const struct task_request rq = { .version = 2,
                                     .job_id = ID,
                                     .cookie = "",
                                     .command = TASK_ATTACH,
                                     .event = 4,
                                     .uid = 500,
                                     .pid = 9 };
    const struct mom_attach who = { .user = "joe",
                                    .uid = 500,
                                    .session = 9009,
                                    .owner = 500,
                                    .leader_owner = 500,
                                    .mark = "" };
    struct world w;

    begin(&w, "u");
    mom_attach(w.h[1].m, w.now_at, CLIENT, &rq, &who, &w.h[1].out);
    run(&w);
    CU_ASSERT_TRUE(mom_task_is_attached(w.h[1].m, ID, number));
    /* On a host whose image is undone, as well. */
    w.h[2].script = 7;
    hold(&w);
    CU_ASSERT_EQUAL(w.h[0].code, PBSE_SYSTEM);
    CU_ASSERT_EQUAL(w.h[1].n_restores, 2);
    CU_ASSERT(task_runs(&w, 1, number));
    CU_ASSERT_FALSE(mom_task_is_attached(w.h[1].m, ID, number));
    w.h[2].script = 0;
    bring_to_rest(&w);
    send_run(&w, "4", "u");
    CU_ASSERT_EQUAL(w.h[1].n_restores, 4);
    CU_ASSERT(task_runs(&w, 1, TASK2) && task_runs(&w, 1, number));
    CU_ASSERT_FALSE(mom_task_is_attached(w.h[1].m, ID, number));
    world_fini(&w);
}

/* The stream breaks while the script runs: the job goes on, and who was lost undoes
 * what she has made when she is heard of. */
static void test_a_lost_host_is_undone_when_it_is_back(void)
{
    struct world w;

    begin(&w, "u");
    w.h[2].script = -1;
    hold(&w);
    w.h[2].is_cut = true;
    lose_stream(&w, 0, 2);
    run(&w);
    CU_ASSERT_EQUAL(w.h[0].code, PBSE_SISCOMM);
    CU_ASSERT(task_runs(&w, 1, TASK2));
    /* Her tasks are gone with her script. */
    mom_checkpointed(w.h[2].m, w.now_at, ID, "/ck", 0, &w.h[2].out);
    run(&w);
    CU_ASSERT_FALSE(task_runs(&w, 2, TASK3));
    hold(&w);
    CU_ASSERT_EQUAL(w.h[0].code, PBSE_CKPBSY);
    w.h[2].is_cut = false;
    w.h[2].script = 0;
    later(&w, 120); /* POLL_JOB */
    CU_ASSERT_EQUAL(w.h[2].n_restores, 1);
    CU_ASSERT(task_runs(&w, 2, TASK3));
    CU_ASSERT_EQUAL(w.h[2].n_back, 1);
    bring_to_rest(&w);
    world_fini(&w);
}

/* Nobody waits for a script longer than it may last, and a late answer is no news. */
static void test_a_script_that_hangs_is_not_waited_for(void)
{
    struct world w;

    begin(&w, "u");
    w.h[2].script = -1;
    hold(&w);
    later(&w, 89);
    CU_ASSERT_EQUAL(w.h[0].code, -1);
    later(&w, 1);
    CU_ASSERT(task_runs(&w, 1, TASK2)); /* undone there */
    CU_ASSERT_EQUAL(w.h[0].code, -1);
    later(&w, 90); /* she does not undo it either while it runs */
    CU_ASSERT_EQUAL(w.h[0].code, PBSE_SISCOMM);
    w.h[2].script = 0;
    mom_checkpointed(w.h[2].m, w.now_at, ID, "/ck", 0, &w.h[2].out);
    run(&w);
    CU_ASSERT(task_runs(&w, 2, TASK3)); /* the order to undo it was kept */
    later(&w, 120);
    CU_ASSERT_EQUAL(w.h[0].status, INT32_MIN);
    bring_to_rest(&w);
    world_fini(&w);
}

static void test_tasks_that_cannot_be_brought_back_end_the_job(void)
{
    struct world w;

    begin(&w, "u");
    w.h[2].script = 7;
    w.h[1].restores_badly = true;
    hold(&w);
    CU_ASSERT_EQUAL(w.h[0].code, PBSE_SYSTEM);
    later(&w, 20);
    CU_ASSERT_EQUAL(w.h[0].status, -14);
    world_fini(&w);
}

static void test_a_deletion_waits_for_nobodys_image(void)
{
    struct world w;

    begin(&w, "u");
    w.h[2].script = -1;
    hold(&w);
    signal_job(&w, "TermJob");
    later(&w, 11);
    CU_ASSERT_EQUAL(w.h[0].status, 256 + 9);
    CU_ASSERT_EQUAL(job(&w, 0)->checkpoint.stage, IMAGE_IDLE);
    delete_job(&w);
    for (size_t k = 0; k < N; k++)
        CU_ASSERT_PTR_NULL(job(&w, k));
    world_fini(&w);
}

/* The program ends by itself while others make their images. */
static void test_an_end_of_its_own_is_one(void)
{
    struct world w;

    begin(&w, "u");
    w.h[2].script = -1;
    hold(&w);
    mom_exited(w.h[0].m, w.now_at, ID, 3, NULL, &w.h[0].out);
    run(&w);
    CU_ASSERT_EQUAL(w.h[0].status, 3);
    delete_job(&w);
    for (size_t k = 0; k < N; k++)
        CU_ASSERT_PTR_NULL(job(&w, k));
    world_fini(&w);
}

static void tick_minute(struct world *w)
{
    later(w, 60);
    run(w);
}

/* The second one fails on one host: none of them counts, and the first does. */
static void test_all_hosts_go_on_from_the_same_image(void)
{
    struct world w;
    int32_t first;

    begin(&w, "w=1");
    tick_minute(&w);
    for (size_t k = 0; k < N; k++) {
        CU_ASSERT_EQUAL(w.h[k].n_scripts, 1);
        CU_ASSERT(mom_job_has_image(w.h[k].m, ID));
    }
    CU_ASSERT(task_runs(&w, 1, TASK2));
    first = job(&w, 0)->checkpoint.last.event;
    w.h[2].script = 7;
    tick_minute(&w);
    CU_ASSERT_EQUAL(w.h[1].n_scripts, 2);
    CU_ASSERT_EQUAL(w.h[1].n_back, 1);
    CU_ASSERT_EQUAL(w.h[2].n_back, 0);
    for (size_t k = 0; k < N; k++)
        CU_ASSERT_EQUAL(job(&w, k)->checkpoint.last.event, first);
    CU_ASSERT_EQUAL(w.h[1].n_restores, 0); /* they run */
    world_fini(&w);
}

/* The last effect of that kind, or of that command, before the n-th; -1: there is none.
 */
static ptrdiff_t last_of(const struct mom_out *out, size_t n, enum mom_effect_kind kind,
                         enum im_command command)
{
    while (n-- > 0)
        if (out->v[n].kind == kind &&
            (kind != MOM_SEND_IM || out->v[n].u.im.command == command))
            return (ptrdiff_t)n;
    return -1;
}

/* A MoM that is killed behind her answer must not have forgotten the image. */
static void test_an_image_is_noted_before_it_is_told(void)
{
    struct world w;

    begin(&w, "w=1");
    tick_minute(&w);
    for (size_t k = 1; k < N; k++) {
        const struct mom_out *out = &w.h[k].out;
        ptrdiff_t made = last_of(out, out->n, MOM_CHECKPOINT, 0);
        ptrdiff_t told = last_of(out, out->n, MOM_SEND_IM, IM_ALL_OKAY);
        ptrdiff_t noted = last_of(out, (size_t)told, MOM_SAVE, 0);

        CU_ASSERT_TRUE(made >= 0 && made < noted && noted < told);
        CU_ASSERT(mom_job_has_image(w.h[k].m, ID));
    }
    world_fini(&w);
}

static void stop_superior(struct world *w)
{
    mom_stop(w->h[0].m, w->now_at, true, &w->h[0].out);
    run(w);
    CU_ASSERT_EQUAL(w->h[0].status, -5);
    answer_obit(w);
}

/* The others have made a second one when hers is cut off: all go on from the first. */
static void test_an_image_that_not_all_have_is_not_used(void)
{
    struct world w;

    begin(&w, "w=1");
    tick_minute(&w);
    w.h[0].script = -1;
    tick_minute(&w);
    CU_ASSERT_NOT_EQUAL(job(&w, 1)->checkpoint.last.event,
                        job(&w, 0)->checkpoint.last.event);
    stop_superior(&w);
    send_run(&w, "4", "w=1");
    CU_ASSERT_EQUAL(w.h[1].n_back, 1);
    CU_ASSERT_EQUAL(job(&w, 1)->checkpoint.last.event,
                    job(&w, 0)->checkpoint.last.event);
    CU_ASSERT(task_runs(&w, 1, TASK2) && task_runs(&w, 2, TASK3));
    world_fini(&w);
}

/* One has nothing of it: the start fails, and costs no image. */
static void test_a_host_without_the_image_does_not_join(void)
{
    const struct is_message lost = { .command = IS_DISCARD_JOB,
                                     .job_id = ID,
                                     .run_version = 3 };
    struct world w;

    begin(&w, "u");
    bring_to_rest(&w);
    mom_message(w.h[2].m, w.now_at, SERVER, node1_server(), &lost, true, &w.h[2].out);
    run(&w);
    CU_ASSERT_PTR_NULL(job(&w, 2));
    send_run(&w, "4", "u");
    CU_ASSERT(logged(&w, 0, "job_start_error 15057 from node node3"));
    CU_ASSERT_EQUAL(w.h[0].status, -3);
    answer_obit(&w);
    CU_ASSERT_PTR_NOT_NULL(resting_find(w.h[0].m, ID));
    CU_ASSERT_PTR_NOT_NULL(resting_find(w.h[1].m, ID));
    CU_ASSERT_PTR_NULL(job(&w, 2));
    world_fini(&w);
}

/* One is away when the job starts: the others have joined, and it is tried again. */
static void test_a_host_that_is_away_costs_no_image(void)
{
    struct world w;

    begin(&w, "u");
    bring_to_rest(&w);
    w.h[2].is_cut = true;
    lose_stream(&w, 0, 2);
    run(&w);
    send_run(&w, "4", "u");
    CU_ASSERT_EQUAL(w.h[0].status, -30);
    answer_obit(&w);
    for (size_t k = 0; k < N; k++)
        CU_ASSERT_PTR_NOT_NULL(resting_find(w.h[k].m, ID));
    w.h[2].is_cut = false;
    send_run(&w, "5", "u");
    CU_ASSERT(task_runs(&w, 1, TASK2) && task_runs(&w, 2, TASK3));
    world_fini(&w);
}

/* By a sister, or by the mother superior herself; then it is tried again. */
static void test_a_restart_that_fails_costs_no_image(void)
{
    for (size_t bad = 0; bad < N; bad += 2) {
        struct world w;

        begin(&w, "u");
        bring_to_rest(&w);
        w.h[bad].restores_badly = true;
        send_run(&w, "4", "u");
        CU_ASSERT_EQUAL(w.h[0].status, -7);
        answer_obit(&w);
        for (size_t k = 0; k < N; k++) {
            CU_ASSERT_EQUAL(mom_n_jobs(w.h[k].m), 0);
            CU_ASSERT_PTR_NOT_NULL(resting_find(w.h[k].m, ID));
        }
        w.h[bad].restores_badly = false;
        send_run(&w, "5", "u");
        CU_ASSERT(task_runs(&w, 0, 2) && task_runs(&w, 1, TASK2) &&
                  task_runs(&w, 2, TASK3));
        world_fini(&w);
    }
}

/* A sister's tasks that were restored take a while to end, and the server hears of the
 * failed start when they have ended: the next one finds all images at rest. */
static void test_a_failed_restart_is_over_when_its_tasks_are(void)
{
    struct world w;

    begin(&w, "u");
    bring_to_rest(&w);
    w.h[1].restores_badly = true;
    w.h[2].keeps_alive = true;
    send_run(&w, "4", "u");
    CU_ASSERT_EQUAL(w.h[0].status, INT32_MIN);
    CU_ASSERT(task_runs(&w, 2, TASK3));

    mom_task_ended(w.h[2].m, w.now_at, ID, TASK3, 256 + 9, NULL, &w.h[2].out);
    run(&w);
    CU_ASSERT_EQUAL(w.h[0].status, -7);
    answer_obit(&w);
    for (size_t k = 0; k < N; k++)
        CU_ASSERT_PTR_NOT_NULL(resting_find(w.h[k].m, ID));
    w.h[1].restores_badly = w.h[2].keeps_alive = false;
    send_run(&w, "5", "u");
    CU_ASSERT(task_runs(&w, 1, TASK2) && task_runs(&w, 2, TASK3));
    world_fini(&w);
}

/* What the third host still had of an earlier start is gone, and it looks at once at
 * what has waited for that. */
static void end_last_task(struct world *w)
{
    struct host *h = &w->h[2];

    mom_task_ended(h->m, w->now_at, ID, TASK3, 256 + 9, NULL, &h->out);
    run(w);
    later(w, 0);
}

/* A sister does not hear that the start has failed: the next one waits for the end of
 * what she has of it, and her image stays. */
static void test_a_failed_restart_that_a_sister_does_not_hear_of(void)
{
    struct world w;

    begin(&w, "u");
    bring_to_rest(&w);
    w.h[1].restores_badly = true;
    w.h[2].keeps_alive = true;
    send_run(&w, "4", "u");
    w.h[2].is_cut = true;
    lose_stream(&w, 0, 2);
    run(&w);
    CU_ASSERT_EQUAL(w.h[0].status, -7);
    answer_obit(&w);
    CU_ASSERT(task_runs(&w, 2, TASK3));

    w.h[1].restores_badly = w.h[2].is_cut = false;
    w.h[0].status = INT32_MIN;
    send_run(&w, "5", "u");
    CU_ASSERT_EQUAL(w.h[0].status, INT32_MIN); /* nobody is refused */
    later(&w, 1);
    CU_ASSERT_EQUAL(w.h[0].status, INT32_MIN);
    w.h[2].keeps_alive = false;
    end_last_task(&w);
    CU_ASSERT_EQUAL(w.h[0].status, INT32_MIN);
    CU_ASSERT_EQUAL(w.h[2].n_drops, 0);
    CU_ASSERT(task_runs(&w, 1, TASK2) && task_runs(&w, 2, TASK3));
    world_fini(&w);
}

/* A start from an image has failed on one host, while the stream to another one broke
 * whose tasks do not end: that one still has the earlier start. */
static void lose_a_sister_with_tasks(struct world *w)
{
    begin(w, "u");
    bring_to_rest(w);
    w->h[1].restores_badly = true;
    w->h[2].keeps_alive = true;
    send_run(w, "4", "u");
    w->h[2].is_cut = true;
    lose_stream(w, 0, 2);
    run(w);
    answer_obit(w);
}

/* The tasks do not end while the mother superior waits: she gives the start up, and
 * nothing of it begins when they have ended. The image is there for the next one. */
static void test_a_join_that_waits_too_long(void)
{
    struct world w;

    lose_a_sister_with_tasks(&w);
    w.h[1].restores_badly = w.h[2].is_cut = false;
    w.h[0].status = INT32_MIN;
    send_run(&w, "5", "u");
    CU_ASSERT_EQUAL(w.h[0].status, INT32_MIN);
    later(&w, JOIN_WAIT_S + 1);
    CU_ASSERT_EQUAL(w.h[0].status, -30);
    answer_obit(&w);
    CU_ASSERT_PTR_NULL(w.h[2].m->joins);

    w.h[2].keeps_alive = false;
    end_last_task(&w);
    CU_ASSERT_PTR_NULL(job_find(w.h[2].m, ID));
    CU_ASSERT_PTR_NOT_NULL(resting_find(w.h[2].m, ID));
    send_run(&w, "6", "u");
    CU_ASSERT(task_runs(&w, 1, TASK2) && task_runs(&w, 2, TASK3));
    world_fini(&w);
}

/* The order goes with the stream that it came on. */
static void test_a_join_that_waits_goes_with_its_stream(void)
{
    struct world w;

    lose_a_sister_with_tasks(&w);
    w.h[1].restores_badly = w.h[2].is_cut = false;
    send_run(&w, "5", "u");
    CU_ASSERT_PTR_NOT_NULL(w.h[2].m->joins);
    mom_stream_closed(w.h[2].m, w.now_at, stream_of(0, 2) + 1000, &w.h[2].out);
    CU_ASSERT_PTR_NULL(w.h[2].m->joins);
    end_last_task(&w);
    CU_ASSERT_PTR_NULL(job_find(w.h[2].m, ID));
    CU_ASSERT_PTR_NOT_NULL(resting_find(w.h[2].m, ID));
    world_fini(&w);
}

static void discard_by_server(struct world *w, int32_t run_version)
{
    const struct is_message discard = { .command = IS_DISCARD_JOB,
                                        .job_id = ID,
                                        .run_version = run_version };

    mom_message(w->h[0].m, w->now_at, SERVER, node1_server(), &discard, true,
                &w->h[0].out);
    run(w);
}

/* qrerun, and qdel while it begins: the image is not wanted on any host, also when
 * nobody has taken part in the last start for long. */
static void test_an_image_that_is_not_wanted_goes_on_all_hosts(void)
{
    struct world w;

    for (int starts = 0; starts < 2; starts++) {
        begin(&w, "u");
        bring_to_rest(&w);
        if (starts) {
            w.h[2].restores_badly = true;
            send_run(&w, "4", "u");
            CU_ASSERT_EQUAL(w.h[0].status, -7);
            answer_obit(&w);
        }
        discard_by_server(&w, starts ? 4 : 3);
        for (size_t k = 0; k < N; k++) {
            CU_ASSERT_PTR_NULL(job(&w, k));
            CU_ASSERT_EQUAL(w.h[k].n_drops, 1);
        }
        world_fini(&w);
    }

    begin(&w, "u");
    bring_to_rest(&w);
    w.h[2].is_cut = true;
    lose_stream(&w, 0, 2);
    run(&w);
    discard_by_server(&w, 3);
    CU_ASSERT_PTR_NULL(job(&w, 0)); /* who is not there is not waited for */
    CU_ASSERT_PTR_NULL(job(&w, 1));
    CU_ASSERT_PTR_NOT_NULL(job(&w, 2)); /* the server has it discarded later */
    world_fini(&w);
}

/* The connection of a task may be seen to end after the task. */
static void test_who_rests_waits_for_no_answer(void)
{
    const struct task_request rq = { .version = 2,
                                     .job_id = ID,
                                     .cookie = COOKIE,
                                     .command = TASK_OBIT,
                                     .event = 5,
                                     .task = TASK2,
                                     .target_task = TASK3,
                                     .vnode = 2 };
    struct world w;

    begin(&w, "u");
    mom_task_request(w.h[1].m, w.now_at, CLIENT, &rq, &w.h[1].out);
    run(&w);
    CU_ASSERT_PTR_NOT_NULL(job_find(w.h[1].m, ID)->asked);
    bring_to_rest(&w);
    world_fini(&w);
}

/* The job begins elsewhere, or is gone, and this host had no part in its last starts.
 * What is of a later run than the order is not meant. */
static void test_an_image_of_an_earlier_run_goes_with_a_later_one(void)
{
    struct is_message discard = { .command = IS_DISCARD_JOB, .job_id = ID };
    struct world w;

    begin(&w, "u");
    bring_to_rest(&w);
    discard.run_version = 2;
    mom_message(w.h[2].m, w.now_at, SERVER, node1_server(), &discard, true,
                &w.h[2].out);
    CU_ASSERT_PTR_NOT_NULL(resting_find(w.h[2].m, ID));
    discard.run_version = 7;
    mom_message(w.h[2].m, w.now_at, SERVER, node1_server(), &discard, true,
                &w.h[2].out);
    CU_ASSERT_PTR_NULL(resting_find(w.h[2].m, ID));
    run(&w);
    CU_ASSERT_EQUAL(w.h[2].n_drops, 1);
    world_fini(&w);
}

/* The job begins anew under its id: a host that still has an image drops it. */
static void test_a_job_that_begins_anew_has_no_image(void)
{
    struct world w;

    begin(&w, "u");
    bring_to_rest(&w);
    resting_drop(w.h[0].m, w.now_at, job_find_any(w.h[0].m, ID), &w.h[0].out);
    w.h[1].is_cut = w.h[2].is_cut = true;
    run(&w);
    lose_stream(&w, 0, 1);
    lose_stream(&w, 0, 2);
    run(&w);
    w.h[1].is_cut = w.h[2].is_cut = false;
    CU_ASSERT_PTR_NOT_NULL(resting_find(w.h[1].m, ID));
    send_run(&w, "4", "u");
    CU_ASSERT_EQUAL(w.h[0].n_restores + w.h[1].n_restores, 0);
    CU_ASSERT_PTR_NULL(resting_find(w.h[1].m, ID));
    CU_ASSERT_FALSE(mom_job_has_image(w.h[1].m, ID));
    CU_ASSERT_EQUAL(job(&w, 1)->phase, JOB_RUNNING);
    world_fini(&w);
}

/* A host is silent when it is to forget the image: the next run does not wait for it.
 */
static void test_a_silent_host_holds_up_no_run(void)
{
    struct wire_attrs more = { 0 };
    struct world w;

    begin(&w, "u");
    bring_to_rest(&w);
    resting_drop(w.h[0].m, w.now_at, job_find_any(w.h[0].m, ID), &w.h[0].out);
    w.h[2].is_cut = true;
    run(&w);
    CU_ASSERT_EQUAL(job(&w, 0)->phase, JOB_EXITED); /* it waits for that host */
    CU_ASSERT_PTR_NULL(job(&w, 1));
    add(&w, &more, "run_version", "4");
    send_job_with(&w, "node1:15002/0+node2.dom:15002/0", &more);
    run(&w);
    CU_ASSERT_EQUAL(w.h[0].code, 0);
    CU_ASSERT_EQUAL(job(&w, 0)->run_version, 4);
    CU_ASSERT_EQUAL(job(&w, 0)->phase, JOB_RUNNING);
    CU_ASSERT_EQUAL(w.h[0].n_restores + w.h[1].n_restores, 0);
    /* The time to wait in vain is over, and is nothing to the new run. */
    later(&w, 300);
    CU_ASSERT_EQUAL(job(&w, 0)->phase, JOB_RUNNING);
    world_fini(&w);
}

/* The MoM of a host is another one from now on, which has the record of the job; its
 * top task lives, or has ended well. */
static void restart_with(struct world *w, size_t k, bool running)
{
    static const char *const names[N] = { "node1", "node2", "node3" };
    struct is_range all = { 0x0a000000, 255 };
    const struct is_message hello = { .command = IS_REPLYHELLO,
                                      .n_ranges = 1,
                                      .ranges = &all };
    struct mom_config cfg = node1_config();
    struct host *h = &w->h[k];
    struct buf record = { 0 };
    const char *id;

    mom_job_encode(h->m, ID, &record);
    mom_free(h->m);
    cfg.host = cfg.node_name = names[k];
    h->m = mom_new(&cfg);
    give_scripts(w, k);
    h->n_done = h->out.n;
    mom_set_vnodes(h->m, w->now_at, 5, 0, NULL, &h->out);
    CU_ASSERT_FATAL(mom_load(h->m, record.data, record.len, &id));
    buf_fini(&record);
    mom_found(h->m, ID, running, 0);
    mom_start(h->m, w->now_at, false, &h->out);
    mom_router_up(h->m, w->now_at, &h->out);
    mom_connected(h->m, w->now_at, SERVER, 1, &h->out);
    mom_message(h->m, w->now_at, SERVER, node1_server(), &hello, true, &h->out);
    for (size_t i = 0; i < N; i++) /* the others see its streams end */
        if (i != k) {
            mom_stream_closed(w->h[i].m, w->now_at, stream_of(i, k), &w->h[i].out);
            mom_stream_closed(w->h[i].m, w->now_at, stream_of(k, i) + 1000,
                              &w->h[i].out);
        }
    run(w);
}

static void restart(struct world *w, size_t k)
{
    restart_with(w, k, true);
}

/* Her script outlives her; the mother superior has given her up meanwhile. */
static void test_a_sister_is_killed_while_her_script_runs(void)
{
    struct world w;

    begin(&w, "u");
    w.h[2].script = -1;
    hold(&w);
    restart(&w, 2);
    CU_ASSERT(task_runs(&w, 1, TASK2));
    CU_ASSERT(mom_job_makes_image(w.h[2].m, ID));
    w.h[2].script = 0;
    mom_checkpointed(w.h[2].m, w.now_at, ID, "/ck", 0, &w.h[2].out);
    run(&w);
    CU_ASSERT_EQUAL(w.h[0].code, PBSE_SISCOMM);
    CU_ASSERT(task_runs(&w, 2, TASK3));
    CU_ASSERT_EQUAL(w.h[2].n_restores, 1);
    bring_to_rest(&w);
    world_fini(&w);
}

static int32_t answer_to(struct world *w, size_t k, enum im_command command,
                         int32_t event)
{
    const struct im_message msg = {
        .job_id = ID, .cookie = COOKIE, .command = command, .event = event
    };
    const struct tpp_addr peer = tpp_addr_ipv4(0x0a00000a, 15003);
    struct host *h = &w->h[k];
    size_t n = h->out.n;

    mom_im(h->m, w->now_at, 2000 + 10 * 0 + k, &peer, &msg, &h->out);
    for (; n < h->out.n; n++)
        if (h->out.v[n].kind == MOM_SEND_IM && h->out.v[n].u.im.event == event)
            return h->out.v[n].u.im.command == IM_ALL_OKAY ? 0 : h->out.v[n].u.im.code;
    return -1;
}

/* The image is there, and nobody has seen yet that the tasks have ended: a MoM that was
 * started again looks at them once in half a second. */
static void test_an_order_waits_for_the_end_of_the_tasks(void)
{
    struct world w;
    struct host *h;

    begin(&w, "u");
    h = &w.h[1];
    h->script = -1;
    CU_ASSERT_EQUAL(answer_to(&w, 1, IM_CHECKPOINT_ABORT, 500), -1);
    run(&w);
    mom_checkpointed(h->m, w.now_at, ID, "/ck", 0, &h->out);
    CU_ASSERT_EQUAL(answer_to(&w, 1, IM_CHECKPOINT_ABORT, 500), -1); /* said twice */
    CU_ASSERT_EQUAL(answer_to(&w, 1, IM_RESTART, 501), -1);
    run(&w);
    CU_ASSERT(task_runs(&w, 1, TASK2));
    CU_ASSERT_EQUAL(h->n_restores, 1);
    world_fini(&w);
}

/* At each stage: what she cannot know any more is undone. */
static void test_the_mother_superior_is_killed_in_the_middle(void)
{
    static const struct {
        const char *story;
        size_t hangs;
        int32_t status;
    } rows[] = {
        { "while the others make theirs", 2, INT32_MIN },
        { "while she makes her own", 0, -12 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct world w;
        struct host *h;

        begin(&w, "u");
        h = &w.h[rows[i].hangs];
        h->script = -1;
        hold(&w);
        restart(&w, 0);
        h->script = 0;
        mom_checkpointed(h->m, w.now_at, ID, "/ck", 0, &h->out);
        run(&w);
        CU_ASSERT_EQUAL(w.h[0].status, rows[i].status);
        if (rows[i].status == INT32_MIN) {
            CU_ASSERT(task_runs(&w, 1, TASK2) && task_runs(&w, 2, TASK3));
            later(&w, 120); /* her processes have been seen */
            bring_to_rest(&w);
        } else {
            answer_obit(&w);
        }
        send_run(&w, "4", "u");
        CU_ASSERT(task_runs(&w, 0, 2) && task_runs(&w, 1, TASK2) &&
                  task_runs(&w, 2, TASK3));
        world_fini(&w);
    }
}

/* An image that was being made in time is given up with the job, at either stage. */
static void test_the_job_ends_while_its_mother_superior_is_away(void)
{
    for (size_t hangs = 0; hangs < N; hangs += 2) {
        struct world w;

        begin(&w, "w=1");
        w.h[hangs].script = -1;
        tick_minute(&w);
        CU_ASSERT_EQUAL(job(&w, 0)->checkpoint.stage, hangs ? IMAGE_OTHERS : IMAGE_OWN);
        restart_with(&w, 0, false);
        CU_ASSERT_EQUAL(job(&w, 0)->checkpoint.stage, IMAGE_IDLE);
        w.h[hangs].script = 0;
        mom_checkpointed(w.h[hangs].m, w.now_at, ID, "/ck", 0, &w.h[hangs].out);
        run(&w);
        CU_ASSERT_EQUAL(w.h[0].status, 0);
        delete_job(&w);
        for (size_t k = 0; k < N; k++)
            CU_ASSERT_PTR_NULL(job(&w, k));
        world_fini(&w);
    }
}

static void test_a_sister_is_killed_at_rest(void)
{
    struct world w;

    begin(&w, "u");
    bring_to_rest(&w);
    restart(&w, 2);
    CU_ASSERT_PTR_NOT_NULL(resting_find(w.h[2].m, ID));
    send_run(&w, "4", "u");
    CU_ASSERT(task_runs(&w, 2, TASK3));
    world_fini(&w);
}

static void test_orders_that_make_no_sense_change_nothing(void)
{
    struct world w;

    begin(&w, "u");
    CU_ASSERT_EQUAL(answer_to(&w, 1, IM_CHECKPOINT, 0), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(answer_to(&w, 1, IM_CHECKPOINT, -5), PBSE_BADSTATE);
    /* The order that undoes it has the next number. */
    CU_ASSERT_EQUAL(answer_to(&w, 1, IM_CHECKPOINT, INT32_MAX), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(answer_to(&w, 1, IM_RESTART, 77), 0); /* nothing to undo */
    CU_ASSERT_EQUAL(w.h[1].n_scripts + w.h[1].n_back, 0);
    w.h[1].script = -1;
    CU_ASSERT_EQUAL(answer_to(&w, 1, IM_CHECKPOINT, 500), -1);
    run(&w);
    CU_ASSERT_EQUAL(answer_to(&w, 1, IM_CHECKPOINT, 502), PBSE_CKPBSY);
    CU_ASSERT_EQUAL(answer_to(&w, 1, IM_RESTART, 600), PBSE_CKPBSY);
    /* To the mother superior herself. */
    CU_ASSERT_EQUAL(answer_to(&w, 0, IM_CHECKPOINT_ABORT, 700), -1);
    CU_ASSERT(logged(&w, 0, "Mother Superior talking to herself"));
    world_fini(&w);
}

/* What rests here answers what was lost with a stream, and starts nothing. */
static void test_a_sister_at_rest(void)
{
    struct world w;

    begin(&w, "u");
    bring_to_rest(&w);
    CU_ASSERT_EQUAL(answer_to(&w, 1, IM_KILL_JOB, 900), 0);
    CU_ASSERT_EQUAL(answer_to(&w, 1, IM_SPAWN_TASK, 901), PBSE_JOBEXIST);
    CU_ASSERT_EQUAL(answer_to(&w, 1, IM_CHECKPOINT, 902), PBSE_JOBEXIST);
    CU_ASSERT_EQUAL(answer_to(&w, 1, IM_ABORT_JOB, 0), -1);
    CU_ASSERT_PTR_NOT_NULL(resting_find(w.h[1].m, ID));
    CU_ASSERT_EQUAL(answer_to(&w, 1, IM_DELETE_JOB_REPLY, 903), 0);
    CU_ASSERT_PTR_NULL(job(&w, 1));
    CU_ASSERT_EQUAL(answer_to(&w, 2, IM_DELETE_JOB, 0), -1);
    CU_ASSERT_PTR_NULL(job(&w, 2));
    world_fini(&w);
}

/* Records of a job at each stage: whole they are the same again, cut or changed they
 * are read or refused. */
static void test_damaged_records_are_refused(void)
{
    struct world w;

    begin(&w, "w=1");
    tick_minute(&w);
    tick_minute(&w);
    w.h[1].script = -1;
    tick_minute(&w);
    for (size_t k = 0; k < N; k++) {
        struct buf record = { 0 }, again = { 0 };
        const struct mom_config cfg = node1_config();
        struct mom *m = mom_new(&cfg);
        const char *id;

        mom_job_encode(w.h[k].m, ID, &record);
        CU_ASSERT_FATAL(mom_load(m, record.data, record.len, &id));
        mom_found(m, ID, true, 0);
        mom_job_encode(m, ID, &again);
        CU_ASSERT_EQUAL(record.len, again.len);
        mom_free(m);
        for (size_t len = 0; len < record.len; len++) {
            char *copy = arena_copy(w.h[k].out.arena, record.data, record.len);

            m = mom_new(&cfg);
            CU_ASSERT_FALSE(mom_load(m, record.data, len, &id));
            copy[len] ^= 3;
            (void)!mom_load(m, copy, record.len, &id);
            mom_free(m);
        }
        buf_fini(&record);
        buf_fini(&again);
    }
    world_fini(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "every stage ends with the job", test_every_stage_ends_with_the_job },
        { "a held job goes on with all its tasks",
          test_a_held_job_goes_on_with_all_its_tasks },
        { "a script that fails on one host is undone on the others",
          test_a_script_that_fails_on_one_host_is_undone_on_the_others },
        { "a host without scripts refuses for all",
          test_a_host_without_scripts_refuses_for_all },
        { "an attached task comes back as one of ours",
          test_an_attached_task_comes_back_as_one_of_ours },
        { "a lost host is undone when it is back",
          test_a_lost_host_is_undone_when_it_is_back },
        { "a script that hangs is not waited for",
          test_a_script_that_hangs_is_not_waited_for },
        { "tasks that cannot be brought back end the job",
          test_tasks_that_cannot_be_brought_back_end_the_job },
        { "a deletion waits for nobody's image",
          test_a_deletion_waits_for_nobodys_image },
        { "an end of its own is one", test_an_end_of_its_own_is_one },
        { "all hosts go on from the same image",
          test_all_hosts_go_on_from_the_same_image },
        { "an image is noted before it is told",
          test_an_image_is_noted_before_it_is_told },
        { "an image that not all have is not used",
          test_an_image_that_not_all_have_is_not_used },
        { "a host without the image does not join",
          test_a_host_without_the_image_does_not_join },
        { "a host that is away costs no image",
          test_a_host_that_is_away_costs_no_image },
        { "a restart that fails costs no image",
          test_a_restart_that_fails_costs_no_image },
        { "a failed restart is over when its tasks are",
          test_a_failed_restart_is_over_when_its_tasks_are },
        { "a failed restart that a sister does not hear of",
          test_a_failed_restart_that_a_sister_does_not_hear_of },
        { "a join that waits too long", test_a_join_that_waits_too_long },
        { "a join that waits goes with its stream",
          test_a_join_that_waits_goes_with_its_stream },
        { "an image that is not wanted goes on all hosts",
          test_an_image_that_is_not_wanted_goes_on_all_hosts },
        { "who rests waits for no answer", test_who_rests_waits_for_no_answer },
        { "an image of an earlier run goes with a later one",
          test_an_image_of_an_earlier_run_goes_with_a_later_one },
        { "a job that begins anew has no image",
          test_a_job_that_begins_anew_has_no_image },
        { "a silent host holds up no run", test_a_silent_host_holds_up_no_run },
        { "a sister is killed while her script runs",
          test_a_sister_is_killed_while_her_script_runs },
        { "an order waits for the end of the tasks",
          test_an_order_waits_for_the_end_of_the_tasks },
        { "the mother superior is killed in the middle",
          test_the_mother_superior_is_killed_in_the_middle },
        { "the job ends while its mother superior is away",
          test_the_job_ends_while_its_mother_superior_is_away },
        { "a sister is killed while she is at rest", test_a_sister_is_killed_at_rest },
        { "orders that make no sense change nothing",
          test_orders_that_make_no_sense_change_nothing },
        { "a sister at rest", test_a_sister_at_rest },
        { "damaged records are refused", test_damaged_records_are_refused },
    };

    return unit_main("mom/images", cases, ARRAY_LEN(cases));
}
