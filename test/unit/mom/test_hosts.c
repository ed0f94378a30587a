/* Unit tests of the MoM's core: a job over three hosts. Each host is a core of its own;
 * what they send one another goes through the wire's form. What executors do is played,
 * and goes well.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "three_hosts.h"

static bool logged(const struct host *h, const char *text)
{
    for (size_t i = 0; i < h->out.n; i++)
        if (h->out.v[i].kind == MOM_LOG && strcmp(h->out.v[i].u.log.text, text) == 0)
            return true;
    return false;
}

static void test_a_job_joins_spawns_and_ends(void)
{
    for (int twice = 0; twice < 2; twice++) {
        struct world w;

        world_init(&w);
        w.twice = twice;
        send_job(&w);
        CU_ASSERT_EQUAL(w.h[0].n_starts, 1);
        CU_ASSERT_EQUAL(w.h[1].n_starts + w.h[2].n_starts, 0);
        spawn(&w, 2);
        CU_ASSERT_EQUAL(w.h[0].task_code, 0);
        CU_ASSERT_EQUAL(w.h[0].task, 0x80000001);
        CU_ASSERT_EQUAL(w.h[2].n_spawns, 1);
        CU_ASSERT(logged(&w.h[2], "task 80000001 started, /bin/true"));
        mom_exited(w.h[0].m, w.now_at, ID, 0, NULL, &w.h[0].out);
        run(&w);
        CU_ASSERT_EQUAL(w.h[0].status, 0);
        delete_job(&w);
        CU_ASSERT_EQUAL(w.h[0].code, 0);
        for (size_t k = 0; k < N; k++) {
            CU_ASSERT_EQUAL(mom_n_jobs(w.h[k].m), 0);
            CU_ASSERT_EQUAL(w.h[k].n_drops, 1);
        }
        world_fini(&w);
    }
}

/* The end waits for the last task of a sister. */
static void test_the_end_waits_for_tasks_elsewhere(void)
{
    struct world w;

    world_init(&w);
    send_job(&w);
    spawn(&w, 1);
    w.h[1].keeps_alive = true;
    mom_exited(w.h[0].m, w.now_at, ID, 4, NULL, &w.h[0].out);
    run(&w);
    CU_ASSERT_EQUAL(w.h[0].status, INT32_MIN);
    mom_task_ended(w.h[1].m, w.now_at, ID, 0x40000001, 0, NULL, &w.h[1].out);
    run(&w);
    CU_ASSERT_EQUAL(w.h[0].status, 4);
    world_fini(&w);
}

static void test_a_host_that_does_not_join_ends_the_start(void)
{
    static const struct {
        const char *story, *hosts;
        int64_t after_s;
        int32_t status;
    } rows[] = {
        { "somebody else's name", "node1:15002/0+node2:15002/0+other:15002/0", 0, -3 },
        { "another port", "node1:15002/0+node2:99/0", 0, -3 },
        { "no port", "node1:15002/0+node2:65535/0", 0, -3 },
        { "a port behind which is 0", "node1:15002/0+node2:4294967295/0", 0, -3 },
        { "no answer", "node1:15002/0+node2:15002/0+node3:15002/0", 31, -30 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct world w;

        world_init(&w);
        w.h[2].is_cut = rows[i].after_s > 0;
        send_job_on(&w, rows[i].hosts);
        run(&w);
        if (rows[i].after_s)
            later(&w, rows[i].after_s);
        CU_ASSERT_EQUAL(w.h[0].status, rows[i].status);
        CU_ASSERT_EQUAL(w.h[0].n_starts, 0);
        CU_ASSERT_EQUAL(mom_n_jobs(w.h[1].m), 0);
        world_fini(&w);
    }
}

static void test_a_lost_sister_ends_the_job_after_a_while(void)
{
    struct world w;

    world_init(&w);
    send_job(&w);
    spawn(&w, 2);
    w.h[2].is_cut = true;
    lose_stream(&w, 0, 2);
    later(&w, 300);
    CU_ASSERT_EQUAL(w.h[0].status, INT32_MIN);
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[2].m), 1);
    CU_ASSERT_FALSE(job_find(w.h[0].m, ID)->status_is_set); /* "> 300 secs" */
    later(&w, 1);
    CU_ASSERT_TRUE(job_find(w.h[0].m, ID)->status_is_set);
    later(&w, 20);  /* SIGKILL follows SIGTERM */
    later(&w, 301); /* who does not answer does not kill either */
    CU_ASSERT_EQUAL(w.h[0].status, -14);
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[2].m), 0); /* it gave the job up by itself */
    world_fini(&w);
}

/* A job that may lose hosts, as the word says; its middle host has two chunks. */
static void send_tolerant(struct world *w, const char *word, const char *select)
{
    struct wire_attrs more = { 0 };

    add(w, &more, "tolerate_node_failures", word);
    add(w, &more, "exec_vnode",
        "(node1:ncpus=1)+(node2:ncpus=2)+(v3:ncpus=1+v3a:mem=1gb)+(node2:ncpus=2)");
    add(w, &more, "exec_host", "node1/0+node2/0*2+node3/1+node2/1*2");
    add(w, &more, "schedselect", select);
    send_job_with(w, "node1:15002/0+node2:15002/0*2+node3:15002/1+node2:15002/1*2",
                  &more);
    run(w);
}

static const char *attr_of(struct world *w, size_t k, const char *name)
{
    const char *value = wire_attrs_value(&job_find(w->h[k].m, ID)->attrs, name, NULL);

    return value ? value : "";
}

#define SELECT "1:ncpus=1+1:ncpus=2+1:ncpus=1:mem=1gb+1:ncpus=2"

/* The sister does not answer, or says no, and the job begins without it. */
static void test_a_start_goes_on_without_a_host_that_has_failed(void)
{
    static const struct {
        const char *word;
        size_t cut;
        int32_t status;
        int n_starts;
        const char *where, *select;
    } rows[] = {
        { "none", 2, -30, 0, "", "" },
        { "job_start", 2, INT32_MIN, 1,
          "(node1:ncpus=1)+(node2:ncpus=2)+(node2:ncpus=2)",
          "1:ncpus=1+1:ncpus=2+1:ncpus=2" },
        { "ALL", 1, INT32_MIN, 1, "(node1:ncpus=1)+(v3:ncpus=1+v3a:mem=1gb)",
          "1:ncpus=1+1:ncpus=1:mem=1gb" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        size_t other = 3 - rows[i].cut;
        struct world w;

        world_init(&w);
        w.h[rows[i].cut].is_cut = true;
        send_tolerant(&w, rows[i].word, SELECT);
        CU_ASSERT_EQUAL(w.h[0].n_starts, 0);
        later(&w, 31);
        CU_ASSERT_EQUAL(w.h[0].n_starts, rows[i].n_starts);
        CU_ASSERT_EQUAL(w.h[0].status, rows[i].status);
        CU_ASSERT_STRING_EQUAL(w.h[0].where, rows[i].where);
        if (rows[i].n_starts) {
            CU_ASSERT_STRING_EQUAL(attr_of(&w, 0, "schedselect"), rows[i].select);
            CU_ASSERT_STRING_EQUAL(attr_of(&w, other, "exec_vnode"), rows[i].where);
            CU_ASSERT_EQUAL(job_find(w.h[other].m, ID)->hosts.n, 2);
            /* What comes late is of no use, and leaves nothing. */
            w.h[rows[i].cut].is_cut = false;
            superior_poll(w.h[0].m, job_find(w.h[0].m, ID), &w.h[0].out);
            run(&w);
            CU_ASSERT_EQUAL(mom_n_jobs(w.h[rows[i].cut].m), 0);
            mom_exited(w.h[0].m, w.now_at, ID, 0, NULL, &w.h[0].out);
            run(&w);
            CU_ASSERT_EQUAL(w.h[0].status, 0);
        }
        world_fini(&w);
    }
}

/* All others are away: it begins with its first host alone. */
static void test_a_start_may_lose_all_other_hosts(void)
{
    struct world w;

    world_init(&w);
    w.h[1].is_cut = w.h[2].is_cut = true;
    send_tolerant(&w, "job_start", "4:ncpus=1");
    later(&w, 31);
    CU_ASSERT_EQUAL(w.h[0].n_starts, 1);
    CU_ASSERT_STRING_EQUAL(w.h[0].where, "(node1:ncpus=1)");
    CU_ASSERT_STRING_EQUAL(attr_of(&w, 0, "schedselect"), "1:ncpus=1");
    CU_ASSERT_STRING_EQUAL(attr_of(&w, 0, "exec_host"), "node1/0");
    mom_exited(w.h[0].m, w.now_at, ID, 3, NULL, &w.h[0].out);
    run(&w);
    later(&w, 31);
    CU_ASSERT_EQUAL(w.h[0].status, 3);
    delete_job(&w);
    CU_ASSERT_EQUAL(w.h[0].code, 0);
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[0].m), 0);
    world_fini(&w);
}

/* The host joins, and is lost before it says that it is ready. */
static void test_a_host_that_is_not_ready_is_left_behind(void)
{
    struct world w;

    world_init(&w);
    w.h[2].is_cut = true;
    send_tolerant(&w, "job_start", SELECT);
    CU_ASSERT_EQUAL(job_find(w.h[0].m, ID)->joins_by, IM_JOIN_JOB);
    later(&w, 29);
    w.h[2].is_cut = false;
    /* Its stream ends and it is asked once more, to join. */
    lose_stream(&w, 0, 2);
    w.h[2].is_cut = true;
    run(&w);
    CU_ASSERT_EQUAL(w.h[0].n_starts, 0);
    later(&w, 2);
    CU_ASSERT_EQUAL(w.h[0].n_starts, 1);
    world_fini(&w);
}

/* A chunk that lies on two hosts cannot be taken apart. */
static void test_what_cannot_be_taken_apart_does_not_begin(void)
{
    struct wire_attrs more = { 0 };
    struct world w;

    world_init(&w);
    w.h[2].is_cut = true;
    add(&w, &more, "tolerate_node_failures", "all");
    add(&w, &more, "exec_vnode", "(node1:ncpus=1)+(node2:ncpus=1+node3:ncpus=1)");
    send_job_with(&w, "node1:15002/0+node2:15002/0+node3:15002/0", &more);
    run(&w);
    later(&w, 31);
    CU_ASSERT_EQUAL(w.h[0].n_starts, 0);
    CU_ASSERT_EQUAL(w.h[0].status, -30);
    world_fini(&w);
}

/* "all": a host that is lost for long does not end the job; "job_start" says nothing of
 * a job that runs. */
static void test_a_job_goes_on_without_a_host_that_is_lost(void)
{
    static const char *const words[] = { "all", "job_start" };

    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        struct world w;

        world_init(&w);
        send_tolerant(&w, words[i], SELECT);
        CU_ASSERT_EQUAL(w.h[0].n_starts, 1);
        spawn(&w, 2);
        spawn(&w, 1);
        w.h[2].is_cut = true;
        lose_stream(&w, 0, 2);
        later(&w, 300);
        CU_ASSERT_EQUAL(w.h[0].status, INT32_MIN);
        later(&w, 1);
        later(&w, 20);
        later(&w, 301);
        CU_ASSERT_EQUAL(w.h[0].status, i ? -14 : INT32_MIN);
        CU_ASSERT_EQUAL(mom_n_jobs(w.h[2].m), 0);
        if (i == 0) {
            CU_ASSERT_STRING_EQUAL(w.h[0].where,
                                   "(node1:ncpus=1)+(node2:ncpus=2)+(node2:ncpus=2)");
            CU_ASSERT_EQUAL(job_find(w.h[1].m, ID)->hosts.n, 2);
            /* It was asked to let the job go, and its streams end. */
            for (int n = 0; n < 2; n++) {
                lose_stream(&w, 0, 2);
                run(&w);
            }
            superior_poll(w.h[0].m, job_find(w.h[0].m, ID), &w.h[0].out);
            run(&w);
            CU_ASSERT_PTR_NULL(job_find(w.h[0].m, ID)->releasing);
            spawn(&w, 2);
            CU_ASSERT_EQUAL(w.h[0].task_code, 0);
            CU_ASSERT_EQUAL(w.h[1].n_spawns, 2);
        }
        world_fini(&w);
    }
}

static void test_a_sister_that_returns_stays(void)
{
    struct world w;

    world_init(&w);
    send_job(&w);
    lose_stream(&w, 0, 2);
    later(&w, 200);
    later(&w, 200); /* she was asked how the job does meanwhile, and has answered */
    CU_ASSERT_EQUAL(w.h[0].status, INT32_MIN);
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[2].m), 1);
    world_fini(&w);
}

static void test_usage_is_that_of_all_hosts(void)
{
    struct world w;

    world_init(&w);
    send_job(&w);
    later(&w, 10);
    later(&w, 30);
    later(&w, 60);
    CU_ASSERT_EQUAL(usage_sum(job_find(w.h[0].m, ID)).cput_s, 15);
    CU_ASSERT_EQUAL(usage_sum(job_find(w.h[0].m, ID)).mem_kb, 300);
    mom_exited(w.h[0].m, w.now_at, ID, 0, NULL, &w.h[0].out);
    run(&w);
    /* One line for each host. */
    CU_ASSERT(logged(&w.h[0], "node1 cput=00:00:05 mem=100kb"));
    CU_ASSERT(logged(&w.h[0], "node2.dom cput=00:00:05 mem=100kb"));
    CU_ASSERT(logged(&w.h[0], "node3 cput=00:00:05 mem=100kb"));
    world_fini(&w);
}

static void test_suspension_is_answered_when_all_have_stopped(void)
{
    struct world w;

    world_init(&w);
    send_job(&w);
    w.h[1].is_cut = true;
    signal_job(&w, "suspend");
    CU_ASSERT_EQUAL(w.h[0].code, -1);
    w.h[1].is_cut = false;
    signal_job(&w, "suspend"); /* one at a time */
    CU_ASSERT_EQUAL(w.h[0].code, PBSE_BADSTATE);
    later(&w, 241);
    CU_ASSERT_EQUAL(w.h[0].code, PBSE_SISCOMM);
    signal_job(&w, "suspend");
    CU_ASSERT_EQUAL(w.h[0].code, 0);
    CU_ASSERT_EQUAL(job_find(w.h[0].m, ID)->phase, JOB_SUSPENDED);
    CU_ASSERT_EQUAL(job_find(w.h[1].m, ID)->phase, JOB_SUSPENDED);
    signal_job(&w, "resume");
    CU_ASSERT_EQUAL(job_find(w.h[2].m, ID)->phase, JOB_RUNNING);
    world_fini(&w);
}

/* The first of them is answered when the others have stopped; a refusal of the second
 * would be taken for that answer. */
static void test_a_request_said_twice_is_answered_once(void)
{
    struct world w;

    world_init(&w);
    send_job(&w);
    w.h[1].is_cut = true;
    signal_job(&w, "suspend");
    w.n_requests--;
    signal_job(&w, "suspend");
    CU_ASSERT_EQUAL(w.h[0].code, -1);
    later(&w, 241);
    CU_ASSERT_EQUAL(w.h[0].code, PBSE_SISCOMM);
    world_fini(&w);
}

static bool are_all(const struct world *w, enum job_phase phase)
{
    for (size_t k = 0; k < N; k++)
        if (job_find(w->h[k].m, ID)->phase != phase)
            return false;
    return true;
}

/* The host that did not hear the order is told when it is heard of again, as the first
 * host is then: here the order was given up, and had been heard by the other one. */
static void test_a_host_that_is_out_of_step_is_told(void)
{
    struct world w;

    world_init(&w);
    send_job(&w);
    w.h[1].is_cut = true;
    signal_job(&w, "suspend");
    CU_ASSERT_EQUAL(job_find(w.h[2].m, ID)->phase, JOB_SUSPENDED);
    lose_stream(&w, 0, 1);
    run(&w);
    CU_ASSERT_EQUAL(w.h[0].code, PBSE_SISCOMM);
    CU_ASSERT_EQUAL(job_find(w.h[2].m, ID)->phase, JOB_RUNNING);
    /* It stopped nevertheless. */
    job_set_phase(w.h[1].m, job_find(w.h[1].m, ID), JOB_SUSPENDED);
    w.h[1].is_cut = false;
    lose_stream(&w, 0, 1); /* what was said meanwhile is lost */
    later(&w, 130);
    later(&w, 130);
    CU_ASSERT(are_all(&w, JOB_RUNNING));
    world_fini(&w);
}

/* The first host is killed when the others have stopped and it has not: what its record
 * says is so on all. */
static void test_a_restart_brings_the_hosts_in_step(void)
{
    struct buf record = { 0 };
    struct world w;
    const char *id;

    world_init(&w);
    send_job(&w);
    mom_job_encode(w.h[0].m, ID, &record);
    signal_job(&w, "suspend");
    CU_ASSERT(are_all(&w, JOB_SUSPENDED));
    mom_free(w.h[0].m);
    make_core(&w, 0);
    CU_ASSERT_TRUE_FATAL(mom_load(w.h[0].m, record.data, record.len, &id));
    mom_found(w.h[0].m, ID, true, 0);
    start_core(&w, 0);
    buf_fini(&record);
    for (int i = 0; i < 3; i++)
        later(&w, 130);
    CU_ASSERT(are_all(&w, JOB_RUNNING));
    world_fini(&w);
}

/* The order to stop comes to a host before a task there has a session. */
static void test_a_task_that_begins_in_a_suspended_job_stands(void)
{
    struct world w;
    size_t n;
    bool stands = false;

    world_init(&w);
    send_job(&w);
    signal_job(&w, "suspend");
    n = w.h[1].out.n;
    spawn(&w, 1);
    CU_ASSERT_EQUAL(w.h[1].n_spawns, 1);
    for (size_t i = n; i < w.h[1].out.n; i++)
        stands = stands || (w.h[1].out.v[i].kind == MOM_KILL &&
                            w.h[1].out.v[i].u.signo == SIGSTOP);
    CU_ASSERT(stands);
    world_fini(&w);
}

/* $max_load with suspend on one host: a part of the job does not stand while the rest
 * of it waits. The job goes on, or runs again where "requeue" says so, whichever host
 * is busy. */
static void test_a_busy_host_does_not_stop_a_part_of_a_job(void)
{
    for (size_t busy = 0; busy < 2; busy++)
        for (int requeues = 0; requeues <= 1; requeues++) {
            struct mom_config cfg = node1_config();
            struct host *h;
            struct world w;

            world_init(&w);
            send_job(&w);
            h = &w.h[busy];
            cfg.has_max_load = cfg.load_suspends = true;
            cfg.max_load = cfg.ideal_load = 4;
            cfg.busy_requeues = requeues;
            mom_set_rules(h->m, w.now_at, &cfg, &h->out);
            for (int i = 0; i < 2; i++) { /* it is asked to end once */
                mom_host_load(h->m, w.now_at, 9, &h->out);
                run(&w);
                later(&w, 10);
            }
            if (!requeues)
                CU_ASSERT_FALSE(job_stands(job_find(h->m, ID)));
            CU_ASSERT_EQUAL(w.h[0].status, requeues ? -11 : INT32_MIN);
            world_fini(&w);
        }
}

/* The server says where the job lies from now on. */
static void narrow(struct world *w, const char *exec_host2)
{
    struct wire_attrs attrs = { 0 };
    struct body_manage body = { .object_name = ID };

    w->h[0].code = -1;
    add(w, &attrs, "exec_host2", exec_host2);
    body.attrs = attrs;
    request(w, BATCH_MODIFY_JOB, &body);
    run(w);
}

static void test_hosts_are_released(void)
{
    struct world w;

    world_init(&w);
    send_job(&w);
    spawn(&w, 2);
    narrow(&w, "node1:15002/0+node2.dom:15002/0*2");
    CU_ASSERT_EQUAL(w.h[0].code, 0);
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[2].m), 0);
    CU_ASSERT_EQUAL(job_find(w.h[1].m, ID)->hosts.n, 2);
    narrow(&w, "node1:15002/0+node2.dom:15002/0*2"); /* said once more */
    CU_ASSERT_EQUAL(w.h[0].code, 0);
    CU_ASSERT_EQUAL(w.h[2].n_drops, 1);
    world_fini(&w);
}

static void test_nothing_is_released_before_the_job_begins(void)
{
    struct world w;

    world_init(&w);
    w.h[2].is_cut = true; /* it is waited for */
    send_job(&w);
    narrow(&w, "node1:15002/0+node2.dom:15002/0*2");
    CU_ASSERT_EQUAL(w.h[0].code, PBSE_BADSTATE);
    CU_ASSERT_EQUAL(job_find(w.h[0].m, ID)->hosts.n, 3);
    world_fini(&w);
}

/* A task that waits for one on a host that leaves is told so. */
static void test_who_waits_for_a_host_that_leaves_is_told(void)
{
    const struct task_request wait = { .version = 2,
                                       .job_id = ID,
                                       .cookie = COOKIE,
                                       .command = TASK_OBIT,
                                       .event = 11,
                                       .task = 1,
                                       .vnode = 2,
                                       .target_task = 0x80000001 };
    struct world w;

    world_init(&w);
    send_job(&w);
    spawn(&w, 2);
    w.h[0].task_code = -1;
    mom_task_request(w.h[0].m, w.now_at, CLIENT, &wait, &w.h[0].out);
    run(&w);
    CU_ASSERT_EQUAL(w.h[0].task_code, -1);
    narrow(&w, "node1:15002/0+node2.dom:15002/0*2");
    CU_ASSERT_NOT_EQUAL(w.h[0].task_code, -1);
    CU_ASSERT_NOT_EQUAL(w.h[0].task_code, 0);
    CU_ASSERT_EQUAL(w.h[0].code, 0);
    world_fini(&w);
}

/* A host that cannot be reached collects what the tasks of a job ask of it up to a
 * limit, and nothing when it is given up. */
static void test_questions_to_a_host_that_is_silent_have_a_limit(void)
{
    char *word = calloc(1, (1u << 20) + 1);
    const char *args[] = { "/bin/true", word };
    const struct task_request rq = { .version = 2,
                                     .job_id = ID,
                                     .cookie = COOKIE,
                                     .command = TASK_SPAWN,
                                     .event = 9,
                                     .task = 1,
                                     .vnode = 2,
                                     .args = { 2, args } };
    struct world w;
    int n = 0;

    memset(word, 'x', 1u << 20);
    world_init(&w);
    send_job(&w);
    w.h[2].is_cut = true;
    w.h[0].task_code = 0;
    for (; n < 100 && !w.h[0].task_code; n++) {
        mom_task_request(w.h[0].m, w.now_at, CLIENT, &rq, &w.h[0].out);
        run(&w);
    }
    CU_ASSERT_EQUAL(w.h[0].task_code, TASK_ESYSTEM);
    CU_ASSERT(n > 32 && n <= 65);
    mom_stream_closed(w.h[0].m, w.now_at, CLIENT, &w.h[0].out);
    CU_ASSERT_EQUAL(job_find(w.h[0].m, ID)->asked_bytes, 0);
    world_fini(&w);
    free(word);
}

/* The host is free for others when nothing of the job lives there. */
static void test_a_release_waits_for_the_end_of_tasks(void)
{
    struct world w;

    world_init(&w);
    send_job(&w);
    spawn(&w, 2);
    w.h[2].keeps_alive = true;
    narrow(&w, "node1:15002/0");
    CU_ASSERT_EQUAL(w.h[0].code, -1);
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[1].m), 0);
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[2].m), 1);
    w.now_at++;
    mom_task_ended(w.h[2].m, w.now_at, ID, 0x80000001, 0,
                   &(struct mom_usage){ .cput_s = 7 }, &w.h[2].out);
    run(&w);
    CU_ASSERT_EQUAL(w.h[0].code, 0);
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[2].m), 0);
    CU_ASSERT_EQUAL(usage_sum(job_find(w.h[0].m, ID)).cput_s, 7);
    CU_ASSERT_FALSE(job_find(w.h[0].m, ID)->is_wide);
    mom_exited(w.h[0].m, w.now_at, ID, 0, NULL, &w.h[0].out);
    run(&w);
    CU_ASSERT_EQUAL(w.h[0].status, 0);
    world_fini(&w);
}

/* ... and has no end of the job to tell, whatever becomes of others that its tasks have
 * asked. */
static void test_a_released_host_tells_the_server_nothing(void)
{
    const struct task_request rq = { .version = 2,
                                     .job_id = ID,
                                     .cookie = COOKIE,
                                     .command = TASK_TASKS,
                                     .event = 5,
                                     .task = 0x80000001,
                                     .vnode = 1 };
    struct world w;

    world_init(&w);
    send_job(&w);
    spawn(&w, 2);
    mom_task_request(w.h[2].m, w.now_at, CLIENT, &rq, &w.h[2].out);
    run(&w);
    CU_ASSERT_EQUAL(w.h[2].task_code, 0);
    w.h[2].keeps_alive = true;
    narrow(&w, "node1:15002/0");
    lose_stream(&w, 2, 1);
    run(&w);
    CU_ASSERT_EQUAL(w.h[2].status, INT32_MIN);
    CU_ASSERT_PTR_NOT_NULL_FATAL(job_find(w.h[2].m, ID));
    CU_ASSERT_EQUAL(job_find(w.h[2].m, ID)->phase, JOB_KILLING);
    mom_task_ended(w.h[2].m, w.now_at, ID, 0x80000001, 0, NULL, &w.h[2].out);
    run(&w);
    CU_ASSERT_EQUAL(w.h[2].status, INT32_MIN);
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[2].m), 0);
    CU_ASSERT_EQUAL(w.h[0].code, 0);
    world_fini(&w);
}

static void from_server(struct world *w, size_t k, const struct is_message *msg)
{
    mom_message(w->h[k].m, w->now_at, SERVER, node1_server(), msg, true, &w->h[k].out);
    run(w);
}

/* A server of another make has the host free when the host says so (tpp.md 6.5). */
static void test_a_host_says_until_it_is_heard_that_a_job_has_left_it(void)
{
    struct is_acked heard = { 0 };
    struct is_message ack = { .command = IS_HOOK_ACTION_ACK,
                              .acked_type = IS_HOOK_JOB_ACTION,
                              .n_acked = 1,
                              .acked = &heard };
    struct is_range all = { 0x0a000000, 255 };
    const struct is_message hello = { .command = IS_REPLYHELLO,
                                      .n_ranges = 1,
                                      .ranges = &all };
    struct world w;

    world_init(&w);
    send_job(&w);
    narrow(&w, "node1:15002/0+node2.dom:15002/0*2");
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[2].m), 0);
    CU_ASSERT(w.h[2].n_left == 1 && w.h[0].n_left == 0 && w.h[1].n_left == 0);
    from_server(&w, 2, &hello);
    CU_ASSERT_EQUAL(w.h[2].n_left, 2);
    from_server(&w, 2, &ack); /* of another one */
    from_server(&w, 2, &hello);
    CU_ASSERT_EQUAL(w.h[2].n_left, 3);
    heard.id = w.h[2].left;
    from_server(&w, 2, &ack);
    from_server(&w, 2, &hello);
    CU_ASSERT_EQUAL(w.h[2].n_left, 3);
    world_fini(&w);
}

/* A task of another host than the first has asked a host that the job then leaves: it
 * is told, and the question is not taken for one to whoever has that host's place. */
static void test_who_has_asked_a_released_host_is_told(void)
{
    static const struct {
        size_t asker;
        uint32_t vnode;
        const char *rest;
    } rows[] = { { 1, 2, "node1:15002/0+node2.dom:15002/0*2" },
                 { 2, 1, "node1:15002/0+node3:15002/1" } };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct task_request rq = { .version = 2,
                                   .job_id = ID,
                                   .cookie = COOKIE,
                                   .command = TASK_TASKS,
                                   .event = 5,
                                   .vnode = rows[i].vnode };
        struct host *h;
        struct world w;

        world_init(&w);
        send_job(&w);
        spawn(&w, (uint32_t)rows[i].asker);
        h = &w.h[rows[i].asker];
        rq.task = h->task;
        h->task_code = -99;
        w.h[rows[i].vnode].is_cut = true;
        mom_task_request(h->m, w.now_at, CLIENT, &rq, &h->out);
        run(&w);
        CU_ASSERT_EQUAL(h->task_code, -99);
        narrow(&w, rows[i].rest);
        CU_ASSERT_EQUAL(job_find(h->m, ID)->hosts.n, 2);
        CU_ASSERT_EQUAL(h->task_code, TASK_ESYSTEM);
        CU_ASSERT_PTR_NULL(job_find(h->m, ID)->asked);
        world_fini(&w);
    }
}

/* What was used on a host stays counted, also before it has said its last word. */
static void test_usage_of_released_hosts_stays(void)
{
    for (int lost = 0; lost <= 1; lost++) {
        struct world w;
        const struct mom_job *j;

        world_init(&w);
        send_job(&w);
        spawn(&w, 2);
        later(&w, 10); /* each host has used 5 s and 100 kB */
        later(&w, 30);
        later(&w, 60);
        j = job_find(w.h[0].m, ID);
        CU_ASSERT_EQUAL(usage_sum(j).cput_s, 15);
        w.h[2].is_cut = lost;
        w.h[2].keeps_alive = !lost;
        narrow(&w, "node1:15002/0");
        CU_ASSERT_EQUAL(usage_sum(j).cput_s, 15);
        CU_ASSERT_EQUAL(usage_sum(j).mem_kb, 300);
        if (!lost)
            mom_task_ended(w.h[2].m, w.now_at, ID, 0x80000001, 0,
                           &(struct mom_usage){ .cput_s = 9 }, &w.h[2].out);
        run(&w);
        later(&w, 100); /* samples of this host are added to it */
        CU_ASSERT_EQUAL(usage_sum(j).cput_s, lost ? 15 : 19);
        world_fini(&w);
    }
}

/* Where the job lies is all that an update says. */
static void test_an_update_says_where_and_nothing_else(void)
{
    struct im_message msg = {
        .job_id = ID, .cookie = COOKIE, .command = IM_UPDATE_JOB, .event = 900
    };
    struct world w;

    world_init(&w);
    send_job(&w);
    add(&w, &msg.attrs, "euser", "root");
    add(&w, &msg.attrs, "no_such_name", "x");
    add(&w, &msg.attrs, "exec_host2", "node1:15002/0+node2.dom:15002/0*2");
    deliver(&w, 0, 1, stream_of(0, 1) + 1000, &msg);
    run(&w);
    CU_ASSERT_EQUAL(job_find(w.h[1].m, ID)->hosts.n, 2);
    CU_ASSERT_STRING_EQUAL(attr_of(&w, 1, "euser"), "joe");
    CU_ASSERT_STRING_EQUAL(attr_of(&w, 1, "no_such_name"), "");
    world_fini(&w);
}

/* ... also one that leaves this host out: what is here ends by the words for that, or
 * when the mother superior is lost. */
static void leave_out(const char *exec_host2, bool killed)
{
    struct im_message msg = {
        .job_id = ID, .cookie = COOKIE, .command = IM_UPDATE_JOB, .event = 900
    };
    struct buf record = { 0 };
    const char *id;
    struct world w;

    world_init(&w);
    send_job(&w);
    spawn(&w, 1);
    add(&w, &msg.attrs, "exec_host2", exec_host2);
    deliver(&w, 0, 1, stream_of(0, 1) + 1000, &msg);
    run(&w);
    CU_ASSERT_EQUAL(job_find(w.h[1].m, ID)->hosts.own, 1);
    CU_ASSERT_EQUAL(job_find(w.h[1].m, ID)->hosts.n, 3);
    w.h[0].is_cut = true;
    if (killed) {
        mom_job_encode(w.h[1].m, ID, &record);
        mom_free(w.h[1].m);
        make_core(&w, 1);
        CU_ASSERT_TRUE_FATAL(mom_load(w.h[1].m, record.data, record.len, &id));
        start_core(&w, 1);
        run(&w);
    }
    lose_stream(&w, 0, 1);
    later(&w, 400);
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[1].m), 0);
    buf_fini(&record);
    world_fini(&w);
}

static void test_a_host_that_an_update_leaves_out_gives_the_job_up(void)
{
    leave_out("node1:15002/0", false);
    leave_out("node1:15002/0+node3:15002/0", true);
    leave_out("node2:15002/0+node1:15002/0", true);
}

/* A host that is lost is not waited for; it gives the job up by itself. */
static void test_a_release_does_not_wait_for_a_lost_host(void)
{
    struct world w;

    world_init(&w);
    send_job(&w);
    spawn(&w, 2);
    w.h[2].is_cut = true;
    narrow(&w, "node1:15002/0+node2.dom:15002/0*2");
    CU_ASSERT_EQUAL(w.h[0].code, -1);
    for (int i = 0; i < 2; i++) { /* it is tried again once */
        lose_stream(&w, 0, 2);
        run(&w);
    }
    CU_ASSERT_EQUAL(w.h[0].code, 0);
    later(&w, 400);
    CU_ASSERT_PTR_NULL(job_find(w.h[0].m, ID)->releasing);
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[2].m), 0);
    CU_ASSERT_EQUAL(w.h[0].status, INT32_MIN);
    world_fini(&w);
}

/* It was the mother superior who was cut off, which she hears after the end of all
 * streams: the host may run its tasks still, and is asked when she is back. */
static void test_a_release_outlives_the_loss_of_the_router(void)
{
    struct world w;

    world_init(&w);
    send_job(&w);
    spawn(&w, 2);
    w.h[0].is_cut = true;
    narrow(&w, "node1:15002/0");
    for (int i = 0; i < 2; i++) {
        lose_stream(&w, 0, 1);
        lose_stream(&w, 0, 2);
        run(&w);
    }
    mom_router_down(w.h[0].m, w.now_at, &w.h[0].out);
    run(&w);
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[2].m), 1);
    w.h[0].is_cut = false;
    mom_router_up(w.h[0].m, w.now_at, &w.h[0].out);
    run(&w);
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[1].m), 0);
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[2].m), 0);
    CU_ASSERT_PTR_NULL(job_find(w.h[0].m, ID)->releasing);
    world_fini(&w);
}

/* One that only says nothing may run its tasks still: it is not free. */
static void test_a_silent_host_is_not_free(void)
{
    struct world w;

    world_init(&w);
    send_job(&w);
    spawn(&w, 2);
    w.h[2].is_cut = true;
    narrow(&w, "node1:15002/0+node2.dom:15002/0*2");
    later(&w, 30);
    CU_ASSERT_EQUAL(w.h[0].code, PBSE_SISCOMM);
    narrow(&w, "node1:15002/0+node2.dom:15002/0*2");
    CU_ASSERT_EQUAL(w.h[0].code, -1); /* it is waited for again */
    w.h[2].is_cut = false;
    w.now_at++;
    superior_poll(w.h[0].m, job_find(w.h[0].m, ID), &w.h[0].out);
    run(&w);
    CU_ASSERT_EQUAL(w.h[0].code, 0);
    CU_ASSERT_EQUAL(mom_n_jobs(w.h[2].m), 0);
    world_fini(&w);
}

/* A host that was away goes by what was, until it is heard of again. */
static void test_a_sister_that_could_not_be_told_is_told_later(void)
{
    struct world w;

    world_init(&w);
    send_job(&w);
    w.h[1].is_cut = true;
    narrow(&w, "node1:15002/0+node2.dom:15002/0*2");
    CU_ASSERT_EQUAL(w.h[0].code, -1);
    later(&w, 30);
    CU_ASSERT_EQUAL(w.h[0].code, 0);
    CU_ASSERT_EQUAL(job_find(w.h[1].m, ID)->hosts.n, 3);
    lose_stream(&w, 0, 1);
    w.h[1].is_cut = false;
    later(&w, 100); /* how does the job do, there? */
    later(&w, 100);
    CU_ASSERT_EQUAL(job_find(w.h[1].m, ID)->hosts.n, 2);
    CU_ASSERT_FALSE(job_find(w.h[0].m, ID)->hosts.v[1].is_stale);
    CU_ASSERT_EQUAL(w.h[0].status, INT32_MIN);
    world_fini(&w);
}

/* After a restart the server has not named the sister yet: her answer is a stranger's,
 * and its stream is closed. What was asked on that stream is asked on another one. */
static void test_a_stream_that_was_closed_as_a_strangers_is_not_used(void)
{
    const struct tpp_addr stranger = tpp_addr_ipv4(0x0b000001, 15003);
    const struct im_message okay = { ID, COOKIE, IM_ALL_OKAY, 1, 0 };
    struct world w;

    world_init(&w);
    send_job(&w);
    w.h[1].is_cut = true;
    narrow(&w, "node1:15002/0+node2.dom:15002/0*2");
    CU_ASSERT_EQUAL(w.h[0].code, -1);
    w.h[1].is_cut = false;
    mom_im(w.h[0].m, w.now_at, stream_of(0, 1), &stranger, &okay, &w.h[0].out);
    run(&w);
    CU_ASSERT_EQUAL(w.h[0].code, 0);
    CU_ASSERT_EQUAL(job_find(w.h[1].m, ID)->hosts.n, 2);
    world_fini(&w);
}

/* Killed behind Commit, before any host was asked to join, a mother superior waits for
 * nobody: the job's end is told as soon as there is a server. */
static void test_a_start_that_no_host_heard_of_is_over_at_once(void)
{
    struct world w;
    struct buf record = { 0 };
    struct mom_out out = { .arena = arena_new() };
    struct mom_config cfg = node1_config();
    const char *id;
    struct mom *m;

    world_init(&w);
    send_job_on(&w, "node1:15002/0+node2.dom:15002/0*2+node3:15002/1");
    CU_ASSERT_EQUAL(w.h[0].out.v[w.h[0].out.n - 1].kind, MOM_STORE);
    CU_ASSERT_TRUE(w.h[0].out.v[w.h[0].out.n - 1].u.store.is_durable);
    mom_stored(w.h[0].m, w.now_at, ID, NULL, &w.h[0].out);
    CU_ASSERT_EQUAL(job_find(w.h[0].m, ID)->phase, JOB_PRERUN);
    m = mom_new(&cfg);
    mom_job_encode(w.h[0].m, ID, &record);
    CU_ASSERT_TRUE_FATAL(mom_load(m, record.data, record.len, &id));
    mom_start(m, w.now_at, false, &out);
    CU_ASSERT_EQUAL(job_find(m, ID)->phase, JOB_OBIT);
    CU_ASSERT_EQUAL(job_find(m, ID)->status, -3);
    mom_free(m);
    arena_free(out.arena);
    buf_fini(&record);
    world_fini(&w);
}

/* Killed behind its answer to a join, a sister has no other record than the one from
 * before the answer, and the mother superior counts on it. */
static void test_a_sister_that_has_joined_is_one_after_a_restart(void)
{
    const struct mom_config cfg = node1_config();
    struct buf record = { 0 };
    struct mom *m = mom_new(&cfg);
    struct mom_out out = { .arena = arena_new() };
    const char *id;
    struct world w;

    world_init(&w);
    send_job(&w);
    job_set_phase(w.h[1].m, job_find(w.h[1].m, ID), JOB_PRERUN);
    mom_job_encode(w.h[1].m, ID, &record);
    job_set_phase(w.h[1].m, job_find(w.h[1].m, ID), JOB_RUNNING);
    CU_ASSERT_TRUE_FATAL(mom_load(m, record.data, record.len, &id));
    mom_start(m, w.now_at, false, &out);
    CU_ASSERT_PTR_NOT_NULL_FATAL(job_find(m, ID));
    CU_ASSERT_EQUAL(job_find(m, ID)->phase, JOB_RUNNING);
    mom_free(m);
    arena_free(out.arena);
    buf_fini(&record);
    world_fini(&w);
}

static int32_t answer_to(struct world *w, const struct im_message *msg, uint32_t ip)
{
    const struct tpp_addr peer = tpp_addr_ipv4(ip, 15003);
    struct host *h = &w->h[1];
    size_t from = h->out.n;

    mom_im(h->m, w->now_at, 2001, &peer, msg, &h->out);
    for (size_t i = from; i < h->out.n; i++) {
        if (h->out.v[i].kind == MOM_SEND_IM)
            return h->out.v[i].u.im.code;
        if (h->out.v[i].kind == MOM_CLOSE)
            return -1;
    }
    return 0;
}

static void test_who_is_not_of_the_job_is_refused(void)
{
    static const struct {
        const char *story;
        struct im_message msg;
        uint32_t ip;
        int32_t code;
    } rows[] = {
        { "a host of nobody", { ID, COOKIE, IM_KILL_JOB, 1, 0 }, 0x0b000001, -1 },
        { "an unknown job", { "8.svr", "c", IM_KILL_JOB, 1, 0 }, 0x0a000009, 15009 },
        { "... about which nothing is answered",
          { "8.svr", "c", IM_DELETE_JOB, 0, 0 },
          0x0a000009,
          0 },
        { "another run's cookie", { ID, "c", IM_KILL_JOB, 1, 0 }, 0x0a000009, 15016 },
        { "a prefix of it", { ID, "0123", IM_SPAWN_TASK, 1, 0 }, 0x0a000009, 15016 },
        { "an answer to nothing", { ID, COOKIE, IM_ALL_OKAY, 99, 0 }, 0x0a000009, 0 },
        { "a vnode of another host",
          { ID, COOKIE, IM_SPAWN_TASK, 1, 1, .target_vnode = 2 },
          0x0a000009,
          17006 },
        { "no program",
          { ID, COOKIE, IM_SPAWN_TASK, 1, 1, .target_vnode = 1 },
          0x0a000009,
          17000 },
        { "a task that is not here",
          { ID, COOKIE, IM_OBIT_TASK, 1, 1, .target_task = 1 },
          0x0a000009,
          17006 },
        { "a platform", { ID, COOKIE, IM_SETUP_JOB, 1, 0 }, 0x0a000009, 15029 },
        { "a join without a cookie",
          { "9.svr", "", IM_JOIN_JOB, 1, 0 },
          0x0a000009,
          15004 },
        { "a join with a path", { "../x", "c", IM_JOIN_JOB, 1, 0 }, 0x0a000009, 15004 },
        { "a join of nobody's",
          { "9.svr", "c", IM_JOIN_JOB, 1, 0 },
          0x0a000009,
          15023 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct world w;
        int32_t code;

        world_init(&w);
        send_job(&w);
        code = answer_to(&w, &rows[i].msg, rows[i].ip);
        CU_ASSERT_EQUAL(code, rows[i].code);
        if (code != rows[i].code)
            fprintf(stderr, "%s: %d\n", rows[i].story, (int)code);
        CU_ASSERT_EQUAL(mom_n_jobs(w.h[1].m), 1);
        world_fini(&w);
    }
}

/* A sister's record, with a task in it. */
static void test_a_sister_finds_its_tasks_again(void)
{
    const struct mom_config cfg = node1_config();
    struct buf record = { 0 };
    struct mom *m = mom_new(&cfg);
    const char *id;
    struct mom_job_task task = { 0 };
    struct world w;

    world_init(&w);
    send_job(&w);
    spawn(&w, 1);
    mom_job_encode(w.h[1].m, ID, &record);
    CU_ASSERT_TRUE_FATAL(mom_load(m, record.data, record.len, &id));
    CU_ASSERT_EQUAL(mom_first_task(m, ID), 0x40000001);
    CU_ASSERT_TRUE(mom_find_task(m, ID, 0x40000001, &task));
    CU_ASSERT_EQUAL(task.session, 4801);
    CU_ASSERT_TRUE(job_find(m, ID)->is_sister);
    CU_ASSERT_EQUAL(job_find(m, ID)->hosts.own, 1);
    mom_free(m);
    buf_fini(&record);
    world_fini(&w);
}

static int32_t attach_on(struct world *w, size_t k, const char *job_id,
                         uint32_t claimed, const struct mom_attach *found)
{
    const struct task_request rq = { .version = 2,
                                     .job_id = job_id,
                                     .cookie = "",
                                     .command = TASK_ATTACH,
                                     .event = 1,
                                     .uid = claimed,
                                     .pid = 77 };

    w->h[k].task_code = -1;
    mom_attach(w->h[k].m, w->now_at, CLIENT, &rq, found, &w->h[k].out);
    run(w);
    return w->h[k].task_code;
}

/* What joe, whose job is there, may give to it is given; nothing else is. */
static void test_who_may_attach_a_session(void)
{
    static const struct {
        const char *story;
        const char *job_id;
        uint32_t claimed;
        struct mom_attach found;
        int32_t code;
    } rows[] = {
        { "his own", ID, 5, { "joe", 5, 77, 5, 5, "b:1" }, 0 },
        { "of the only job", "", 5, { "joe", 5, 77, 5, 5, "b:1" }, 0 },
        { "another job", "9.svr", 5, { "joe", 5, 77, 5, 5, "b:1" }, TASK_ENOTFOUND },
        { "another user", ID, 6, { "ann", 6, 77, 6, 6, "b:1" }, TASK_EUSER },
        { "another user has no job",
          "",
          6,
          { "ann", 6, 77, 6, 6, "b:1" },
          TASK_ENOTFOUND },
        { "a false claim", ID, 5, { "ann", 6, 77, 6, 6, "b:1" }, TASK_EUSER },
        { "no account", ID, 5, { NULL, 5, 77, 5, 5, "b:1" }, TASK_EUSER },
        { "no process", ID, 5, { "joe", 5, 0, 0, 0, "" }, TASK_ENOPROC },
        { "that of init", ID, 5, { "joe", 5, 1, 5, 5, "b:1" }, TASK_ENOPROC },
        { "another's process", ID, 5, { "joe", 5, 77, 6, 5, "b:1" }, TASK_EOWNER },
        { "another's session", ID, 5, { "joe", 5, 77, 5, 0, "b:1" }, TASK_EOWNER },
        { "a task's", ID, 5, { "joe", 5, 4801, 5, 5, "b:1" }, TASK_ESESSION },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct world w;
        int32_t code;

        world_init(&w);
        send_job(&w);
        spawn(&w, 1);
        code = attach_on(&w, 1, rows[i].job_id, rows[i].claimed, &rows[i].found);
        if (code != rows[i].code)
            fprintf(stderr, "%s: %d\n", rows[i].story, (int)code);
        CU_ASSERT_EQUAL(code, rows[i].code);
        CU_ASSERT_EQUAL(mom_task_is_attached(w.h[1].m, ID, 0x40000002),
                        rows[i].code == 0);
        world_fini(&w);
    }
}

/* The job's end waits for it as for any task, and the record knows it. */
static void test_an_attached_session_is_a_task(void)
{
    static const struct mom_attach found = { "joe", 5, 77, 5, 5, "b:1" };
    const struct mom_config cfg = node1_config();
    struct mom *m = mom_new(&cfg);
    struct buf record = { 0 };
    const char *id;
    struct world w;

    world_init(&w);
    send_job(&w);
    CU_ASSERT_EQUAL(attach_on(&w, 1, ID, 5, &found), 0);
    CU_ASSERT_EQUAL(w.h[1].task, 0x40000001);
    CU_ASSERT_EQUAL(attach_on(&w, 1, ID, 5, &found), TASK_ESESSION);
    mom_job_encode(w.h[1].m, ID, &record);
    CU_ASSERT_TRUE_FATAL(mom_load(m, record.data, record.len, &id));
    CU_ASSERT_TRUE(mom_task_is_attached(m, ID, 0x40000001));
    CU_ASSERT_STRING_EQUAL(mom_session_mark(m, ID, 0x40000001), "b:1");
    delete_job(&w);
    CU_ASSERT_EQUAL(attach_on(&w, 1, ID, 5, &found), TASK_ENOTFOUND);
    mom_free(m);
    buf_fini(&record);
    world_fini(&w);
}

/* Whoever adds up processes does not see those that have ended; the kernel, which
 * counts for a group, has them in its sum. */
static void test_what_has_ended_counts_once(void)
{
    const struct mom_usage ended = { .cput_s = 30 };

    for (int in_all = 0; in_all < 2; in_all++) {
        void (*tell)(struct mom *, int64_t, const char *, const struct mom_usage *) =
            in_all ? mom_used_in_all : mom_used;
        struct mom_usage used = { .cput_s = in_all ? 32 : 2 };
        struct world w;

        world_init(&w);
        send_job(&w);
        spawn(&w, 0);
        tell(w.h[0].m, w.now_at + 1, ID, &used);
        mom_task_ended(w.h[0].m, w.now_at + 1, ID, w.h[0].task, 0, &ended, &w.h[0].out);
        used.cput_s += 3;
        tell(w.h[0].m, w.now_at + 2, ID, &used);
        CU_ASSERT_EQUAL(job_find(w.h[0].m, ID)->top.used.cput_s, 35);
        tell(w.h[0].m, w.now_at + 2, "1.unknown", &used);
        world_fini(&w);
    }
}

/* What the kernel is told of a job: its chunks on this host, or all of it where it has
 * no other. */
static void test_a_job_has_its_share_of_each_host(void)
{
    static const struct {
        const char *hosts, *on;
        int64_t ncpus, mem_kb, vmem_kb;
    } rows[] = {
        { "node1:15002/0+node2.dom:15002/0*2",
          "(node1:ncpus=3:mem=2048kb)+(node2:ncpus=5:mem=1mb:vmem=4096kb)", 3, 2048,
          9216 },
        { "node1:15002/0*8", "(node1:ncpus=3:mem=2048kb)", 8, 3072, 9216 },
        { "node1:15002/0+node2.dom:15002/0", "(node1:ncpus=x:mem=-)+(node2:ncpus=1)", 8,
          3072, 9216 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct mom_share share = { 0 };
        struct wire_attrs more = { 0 };
        struct world w;

        world_init(&w);
        add(&w, &more, "exec_vnode", rows[i].on);
        wire_attrs_add(&more, w.h[0].out.arena, "Resource_List", "ncpus", "8",
                       WIRE_OP_SET);
        wire_attrs_add(&more, w.h[0].out.arena, "Resource_List", "mem", "3mb",
                       WIRE_OP_SET);
        wire_attrs_add(&more, w.h[0].out.arena, "Resource_List", "vmem", "9mb",
                       WIRE_OP_SET);
        CU_ASSERT_FALSE(mom_job_share(w.h[0].m, ID, &share));
        send_job_with(&w, rows[i].hosts, &more);
        CU_ASSERT_TRUE(mom_job_share(w.h[0].m, ID, &share));
        CU_ASSERT_EQUAL(share.ncpus, rows[i].ncpus);
        CU_ASSERT_EQUAL(share.mem_kb, rows[i].mem_kb);
        CU_ASSERT_EQUAL(share.vmem_kb, rows[i].vmem_kb);
        world_fini(&w);
    }
}

static void has_share(const struct mom *m, int64_t ncpus, int64_t mem_kb,
                      int64_t vmem_kb)
{
    struct mom_share share = { 0 };

    CU_ASSERT_TRUE(mom_job_share(m, ID, &share));
    CU_ASSERT_EQUAL(share.ncpus, ncpus);
    CU_ASSERT_EQUAL(share.mem_kb, mem_kb);
    CU_ASSERT_EQUAL(share.vmem_kb, vmem_kb);
}

/* Also on the hosts of sisters, when the job is made smaller, and after a restart. What
 * no vnode is said to have is in the schedselect alone. */
static void test_sisters_have_their_shares(void)
{
    static const char *const hosts = "node1:15002/0+node2.dom:15002/0*2",
                             *on = "(node1:ncpus=3:mem=2048kb)+(node2:ncpus=5:mem=1mb)",
                             *now_on = "(node1:ncpus=3:mem=2048kb)+(node2:ncpus=4)";
    struct im_message msg = {
        .job_id = ID, .cookie = COOKIE, .command = IM_UPDATE_JOB, .event = 900
    };
    const struct mom_config cfg = node1_config();
    struct wire_attrs more = { 0 };
    struct buf record = { 0 };
    struct mom *again = mom_new(&cfg);
    const char *id;
    struct world w;

    world_init(&w);
    add(&w, &more, "exec_vnode", on);
    add(&w, &more, "schedselect", "1:ncpus=3:vmem=3mb+1:ncpus=5:vmem=4mb");
    send_job_with(&w, hosts, &more);
    run(&w);
    has_share(w.h[0].m, 3, 2048, 3072);
    has_share(w.h[1].m, 5, 1024, 4096);
    mom_job_encode(w.h[1].m, ID, &record);
    CU_ASSERT_TRUE_FATAL(mom_load(again, record.data, record.len, &id));
    has_share(again, 5, 1024, 4096);
    add(&w, &msg.attrs, "exec_vnode", now_on);
    add(&w, &msg.attrs, "exec_host2", hosts);
    deliver(&w, 0, 1, stream_of(0, 1) + 1000, &msg);
    run(&w);
    has_share(w.h[1].m, 4, INT64_MAX, 4096);
    mom_free(again);
    buf_fini(&record);
    world_fini(&w);
}

static const char *told_error(const struct host *h)
{
    for (size_t i = 0; i < h->out.n; i++)
        if (h->out.v[i].kind == MOM_TELL)
            return h->out.v[i].u.tell.text;
    return "";
}

/* What is limited on each host is looked at there, and the mother superior ends the
 * job. */
static void test_a_sister_over_its_share_ends_the_job(void)
{
    static const struct {
        const char *story;
        bool enforces_mem, no_memory;
        struct mom_usage used;
        const char *logged, *told;
        int32_t status;
    } rows[] = {
        { "as much as it may", true, false, { 1, 1024, 2048 }, NULL, "", INT32_MIN },
        { "vmem",
          false,
          false,
          { 1, 9999, 2049 },
          "vmem 2049kb exceeded limit 2048kb",
          "=>> PBS: job killed: vmem exceeded limit of node2",
          -26 },
        { "mem",
          true,
          false,
          { 1, 1025, 2048 },
          "mem 1025kb exceeded limit 1024kb",
          "=>> PBS: job killed: mem exceeded limit of node2",
          -27 },
        { "the kernel's limit",
          false,
          true,
          { 1, 1024, 2048 },
          "mem exceeded limit 1024kb of this host",
          "=>> PBS: job killed: mem exceeded limit of node2",
          -27 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct mom_config cfg = node1_config();
        struct wire_attrs more = { 0 };
        struct world w;

        world_init(&w);
        cfg.enforce = (struct mom_enforce)MOM_ENFORCE_DEFAULTS;
        cfg.enforce.mem = rows[i].enforces_mem;
        mom_set_rules(w.h[1].m, w.now_at, &cfg, &w.h[1].out);
        add(&w, &more, "exec_vnode", "(node1:ncpus=1:mem=9gb)+(node2:ncpus=1:mem=1mb)");
        add(&w, &more, "schedselect", "1:ncpus=1:vmem=9gb+1:ncpus=1:vmem=2mb");
        send_job_with(&w, "node1:15002/0+node2:15002/0", &more);
        run(&w);
        for (int again = 0; again < 2; again++) {
            mom_used(w.h[1].m, w.now_at, ID, &rows[i].used);
            if (rows[i].no_memory)
                mom_out_of_memory(w.h[1].m, w.now_at, ID, &w.h[1].out);
            mom_sampled(w.h[1].m, w.now_at, &w.h[1].out);
            run(&w);
        }
        if (rows[i].logged)
            CU_ASSERT(logged(&w.h[1], rows[i].logged));
        for (int k = 0; k < 8; k++)
            later(&w, 20);
        if (strcmp(told_error(&w.h[0]), rows[i].told) != 0)
            fprintf(stderr, "%s: %s\n", rows[i].story, told_error(&w.h[0]));
        CU_ASSERT_STRING_EQUAL(told_error(&w.h[0]), rows[i].told);
        CU_ASSERT_EQUAL(w.h[0].status, rows[i].status);
        world_fini(&w);
    }
}

/* ... and what is limited for all of them together. */
static void test_all_hosts_together_are_limited(void)
{
    struct wire_attrs more = { 0 };
    struct world w;

    world_init(&w);
    wire_attrs_add(&more, w.h[0].out.arena, "Resource_List", "cput", "00:00:09",
                   WIRE_OP_SET);
    send_job_with(&w, "node1:15002/0+node2:15002/0", &more);
    run(&w);
    later(&w, 10);
    later(&w, 30);
    later(&w, 60);
    later(&w, 20);
    CU_ASSERT(logged(&w.h[0], "cput job total 10 secs exceeded limit 9 secs"));
    CU_ASSERT_EQUAL(w.h[0].status, -28);
    world_fini(&w);
}

/* How many streams the MoM wants to open, and forget that. */
static size_t n_reached(struct mom_out *out)
{
    size_t n = 0;

    for (size_t i = 0; i < out->n; i++) {
        if (out->v[i].kind != MOM_REACH)
            continue;
        CU_ASSERT_STRING_EQUAL(out->v[i].u.reach.host, "node2");
        CU_ASSERT_EQUAL(out->v[i].u.reach.port, 15003);
        n++;
    }
    out->n = 0;
    return n;
}

static void test_a_stream_to_a_host_is_opened_once(void)
{
    struct mom_out out = { .arena = arena_new() };
    const struct mom_config cfg = node1_config();
    struct mom *m = mom_new(&cfg);

    CU_ASSERT_EQUAL(reach_stream(m, "node2", 15002, &out), 0);
    CU_ASSERT_EQUAL(n_reached(&out), 0); /* there is no router */
    mom_router_up(m, 100, &out);
    (void)n_reached(&out);
    CU_ASSERT_EQUAL(reach_stream(m, "node2", 15002, &out), 0);
    CU_ASSERT_EQUAL(n_reached(&out), 1);
    CU_ASSERT_EQUAL(reach_stream(m, "node2", 15002, &out), 0);
    CU_ASSERT_EQUAL(n_reached(&out), 0); /* one is on its way */
    mom_reached(m, 100, "node2", 15003, 55, &out);
    CU_ASSERT_EQUAL(reach_stream(m, "node2", 15002, &out), 55);
    CU_ASSERT_EQUAL(n_reached(&out), 0);
    CU_ASSERT_PTR_NOT_NULL(reach_of_stream(m, 55));
    CU_ASSERT_PTR_NULL(reach_of_stream(m, 0));
    mom_stream_closed(m, 101, 55, &out);
    (void)n_reached(&out);
    CU_ASSERT_EQUAL(reach_stream(m, "node2", 15002, &out), 0);
    CU_ASSERT_EQUAL(n_reached(&out), 1);
    mom_reached(m, 101, "node2", 15003, 0, &out); /* it cannot be opened now */
    CU_ASSERT_EQUAL(reach_stream(m, "node2", 15002, &out), 0);
    CU_ASSERT_EQUAL(n_reached(&out), 1);
    mom_free(m);
    arena_free(out.arena);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "sisters have their own shares", test_sisters_have_their_shares },
        { "a sister over its share ends the job",
          test_a_sister_over_its_share_ends_the_job },
        { "all hosts together are limited", test_all_hosts_together_are_limited },
        { "a job joins, spawns and ends, whatever is said twice",
          test_a_job_joins_spawns_and_ends },
        { "the end waits for tasks elsewhere", test_the_end_waits_for_tasks_elsewhere },
        { "a busy host does not stop a part of a job",
          test_a_busy_host_does_not_stop_a_part_of_a_job },
        { "a host that does not join ends the start",
          test_a_host_that_does_not_join_ends_the_start },
        { "a lost sister ends the job after a while",
          test_a_lost_sister_ends_the_job_after_a_while },
        { "a start goes on without a host that has failed",
          test_a_start_goes_on_without_a_host_that_has_failed },
        { "a start may lose all other hosts", test_a_start_may_lose_all_other_hosts },
        { "a host that is not ready is left behind",
          test_a_host_that_is_not_ready_is_left_behind },
        { "what cannot be taken apart does not begin",
          test_what_cannot_be_taken_apart_does_not_begin },
        { "a job goes on without a host that is lost",
          test_a_job_goes_on_without_a_host_that_is_lost },
        { "questions to a host that is silent have a limit",
          test_questions_to_a_host_that_is_silent_have_a_limit },
        { "who waits for a host that leaves is told",
          test_who_waits_for_a_host_that_leaves_is_told },
        { "an update says where and nothing else",
          test_an_update_says_where_and_nothing_else },
        { "a sister that returns stays", test_a_sister_that_returns_stays },
        { "usage is that of all hosts", test_usage_is_that_of_all_hosts },
        { "what has ended counts once", test_what_has_ended_counts_once },
        { "a job has its share of each host", test_a_job_has_its_share_of_each_host },
        { "a request said twice is answered once",
          test_a_request_said_twice_is_answered_once },
        { "a host that is out of step is told",
          test_a_host_that_is_out_of_step_is_told },
        { "a restart brings the hosts in step",
          test_a_restart_brings_the_hosts_in_step },
        { "a task that begins in a suspended job stands",
          test_a_task_that_begins_in_a_suspended_job_stands },
        { "suspension is answered when all have stopped",
          test_suspension_is_answered_when_all_have_stopped },
        { "hosts are released", test_hosts_are_released },
        { "nothing is released before the job begins",
          test_nothing_is_released_before_the_job_begins },
        { "a release waits for the end of tasks",
          test_a_release_waits_for_the_end_of_tasks },
        { "who has asked a released host is told",
          test_who_has_asked_a_released_host_is_told },
        { "a host that an update leaves out gives the job up",
          test_a_host_that_an_update_leaves_out_gives_the_job_up },
        { "a released host tells the server nothing",
          test_a_released_host_tells_the_server_nothing },
        { "a host says until it is heard that a job has left it",
          test_a_host_says_until_it_is_heard_that_a_job_has_left_it },
        { "a release does not wait for a lost host",
          test_a_release_does_not_wait_for_a_lost_host },
        { "usage of released hosts stays", test_usage_of_released_hosts_stays },
        { "a release outlives the loss of the router",
          test_a_release_outlives_the_loss_of_the_router },
        { "a silent host is not free", test_a_silent_host_is_not_free },
        { "a sister that could not be told is told later",
          test_a_sister_that_could_not_be_told_is_told_later },
        { "who is not of the job is refused", test_who_is_not_of_the_job_is_refused },
        { "a stream that was closed as a stranger's is not used",
          test_a_stream_that_was_closed_as_a_strangers_is_not_used },
        { "a start that no host heard of is over at once",
          test_a_start_that_no_host_heard_of_is_over_at_once },
        { "a sister that has joined is one after a restart",
          test_a_sister_that_has_joined_is_one_after_a_restart },
        { "a sister finds its tasks again", test_a_sister_finds_its_tasks_again },
        { "a stream to a host is opened once", test_a_stream_to_a_host_is_opened_once },
        { "who may attach a session", test_who_may_attach_a_session },
        { "an attached session is a task", test_an_attached_session_is_a_task },
    };

    return unit_main("mom/hosts", cases, ARRAY_LEN(cases));
}
