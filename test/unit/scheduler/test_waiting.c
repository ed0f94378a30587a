/* Tests of what is kept of jobs that wait (src/scheduler/plan/waiting.c): in random
 * worlds, after every change, a plan that remembers decides what a plan decides that
 * sees everything for the first time, and tells each job what has become of it since it
 * was told last.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#include "lib/base/rnd.h"

enum {
    VNODES = 4,
    QUEUES = 3,
    RESVS = 3,
    JOBS = 24,
    STEPS = 24,
    TEXT = 600
};

#ifndef WORLDS
#define WORLDS 400
#endif

/* An object as the server has it; an empty text: there is none. */
struct thing {
    uint32_t type;
    int number;
    bool changed, gone;
    char text[TEXT];
    char comment[TEXT]; /* of a job, with '~' for blanks; empty: none */
    const char *accrues;
};

/* What a job was told by the log. */
struct told {
    char log[TEXT], reason[TEXT];
};

struct world {
    struct rnd rnd;
    struct scene sc; /* for its arena and policy */
    char server[TEXT];
    bool enforces; /* those that were preempted go on as soon as they can */
    struct thing things[VNODES + QUEUES + RESVS + JOBS];
    struct told told[JOBS];
    size_t n_there; /* objects, in the order in which they were made */
    struct thing *there[VNODES + QUEUES + RESVS + JOBS];
    struct snapshot *kept;
    uint64_t seq;
    int now_at;
    bool grows;   /* eligible time does: only builds with checks compare then */
    int n_passed; /* jobs of which nothing was said */
};

#define N_THINGS COUNT(((struct world *)NULL)->things)

static int pick(struct world *w, int n)
{
    return (int)rnd_range(&w->rnd, 0, n - 1);
}

static struct thing *job_of(struct world *w, int i)
{
    return &w->things[VNODES + QUEUES + RESVS + i];
}

static bool is_array(const struct thing *t)
{
    return t->type == OBJECT_JOB && t->number % 8 == 7;
}

static const char *name_of(struct world *w, const struct thing *t)
{
    switch (t->type) {
    case OBJECT_NODE:
        return arena_printf(w->sc.arena, "n%d", t->number);
    case OBJECT_QUEUE:
        return arena_printf(w->sc.arena, "q%d", t->number);
    case OBJECT_RESV:
        return arena_printf(w->sc.arena, "R%d.svr", t->number);
    default:
        return arena_printf(w->sc.arena, is_array(t) ? "%d[].svr" : "%d.svr",
                            t->number);
    }
}

static void say_vnode(struct world *w, struct thing *t)
{
    static const char *const states[] = { "free", "free", "free", "down", "busy" };

    snprintf(t->text, TEXT,
             "resources_available.ncpus=%d resources_available.host=n%d license=l "
             "sharing=default_shared state=%s%s%s",
             1 + pick(w, 3), t->number, states[pick(w, 5)],
             pick(w, 8) ? "" : " max_user_run=1", pick(w, 12) ? "" : " queue=q1");
}

static void say_queue(struct world *w, struct thing *t)
{
    static const char *const limits[] = { "",
                                          "",
                                          "",
                                          " max_run=[u:PBS_GENERIC=1]",
                                          " max_run=[o:PBS_ALL=2]",
                                          " max_run=[g:PBS_GENERIC=1]",
                                          " max_run_soft=[u:u1=1]" };

    snprintf(t->text, TEXT, "queue_type=%s started=%s Priority=%d%s%s",
             pick(w, 12) ? "Execution" : "Route", pick(w, 6) ? "True" : "False",
             pick(w, 12) ? pick(w, 3) : 150, limits[pick(w, pick(w, 6) ? 6 : 7)],
             pick(w, 6) ? "" : " resources_available.ncpus=2");
}

static void say_resv(struct world *w, struct thing *t)
{
    bool runs = pick(w, 2);
    int start = w->now_at + (runs ? -10 : 20 + pick(w, 200));

    snprintf(t->text, TEXT,
             "reserve_state=%d reserve_substate=%d reserve_start=%d reserve_end=%d "
             "queue=q%d schedselect=1:ncpus=1 Resource_List.place=free "
             "resv_nodes=(n%d:ncpus=%d)",
             runs ? 5 : 2, runs ? 5 : 2, start, start + 100 + pick(w, 100),
             pick(w, 4) ? 7 + t->number : pick(w, QUEUES), pick(w, VNODES),
             1 + pick(w, 2));
}

static void say_job(struct world *w, struct thing *t)
{
    static const char *const more[] = { " Resource_List.min_walltime=5",
                                        " Resource_List.soft_walltime=20",
                                        " Resource_List.mem=1gb", " topjob=True",
                                        " ptime=5" };
    static const char *const arrays[] = {
        " array=True array_indices_remaining=1-2",
        " array=True array_indices_remaining=1-3 max_run_subjobs=1",
        " array=True array_indices_remaining=4-5 max_run_subjobs=0",
    };
    static const char *const states[] = { "Q", "Q", "Q", "Q", "Q", "R", "H", "S" };
    const char *state = is_array(t) ? "Q" : states[pick(w, 8)];
    int ncpus = 1 + !pick(w, 3) * pick(w, 3), extra = pick(w, 12);
    char vnodes[90] = "";

    if (*state == 'R' || *state == 'S')
        snprintf(vnodes, sizeof(vnodes), " substate=%d exec_vnode=(n%d:ncpus=1)%s",
                 *state == 'S' ? 45 : 42, pick(w, VNODES),
                 *state == 'S' && pick(w, 2) ? " ptime=5"
                 : pick(w, 4)                ? ""
                                             : " Resource_List.soft_walltime=12");
    t->accrues = NULL;
    snprintf(t->text, TEXT,
             "job_state=%s queue=q%d schedselect=%d:ncpus=%d Resource_List.ncpus=%d "
             "Resource_List.walltime=%d Priority=%d queue_rank=%d euser=u%d "
             "egroup=g%d project=p%d stime=%d%s%s%s",
             state, pick(w, 5) ? 0 : pick(w, QUEUES), 1 + !pick(w, 6), ncpus, ncpus,
             10 + 40 * pick(w, 3), pick(w, 3), pick(w, 10), !pick(w, 4), !pick(w, 4),
             !pick(w, 4), w->now_at - pick(w, 30), vnodes,
             !*vnodes && extra < 5 ? more[extra] : "",
             is_array(t) ? arrays[pick(w, 3)] : "");
}

static void say_server(struct world *w)
{
    static const char *const limits[] = { "", "", "", " max_run=[u:PBS_GENERIC=2]",
                                          " max_run_res.ncpus=[p:p1=2]" };
    static const char *const formulas[] = { "", "", "", " job_sort_formula=ncpus",
                                            " job_sort_formula=eligible_time" };

    snprintf(w->server, TEXT, "backfill_depth=1 eligible_time_enable=%s%s%s%s",
             pick(w, 2) ? "True" : "False", limits[pick(w, 5)], formulas[pick(w, 5)],
             pick(w, 3) ? "" : " resources_available.ncpus=3");
}

static void say(struct world *w, struct thing *t)
{
    t->changed = true;
    if (!*t->text)
        w->there[w->n_there++] = t;
    if (t->type == OBJECT_NODE)
        say_vnode(w, t);
    else if (t->type == OBJECT_QUEUE)
        say_queue(w, t);
    else if (t->type == OBJECT_RESV)
        say_resv(w, t);
    else
        say_job(w, t);
}

static void take_away(struct world *w, struct thing *t)
{
    size_t n = 0;

    for (size_t i = 0; i < w->n_there; i++)
        if (w->there[i] != t)
            w->there[n++] = w->there[i];
    w->n_there = n;
    /* What came and went since the last reply is never told of. */
    t->gone = true;
    t->changed = false;
    *t->text = *t->comment = '\0';
}

static void change_something(struct world *w)
{
    struct thing *t = pick(w, 3) ? job_of(w, pick(w, JOBS))
                                 : &w->things[pick(w, VNODES + QUEUES + RESVS)];

    /* A number that was given back is not used again in the same reply. */
    if (t->gone)
        return;
    if (*t->text && t->type == OBJECT_JOB && pick(w, 3) == 0)
        take_away(w, t);
    else if (*t->text && t->type == OBJECT_RESV && pick(w, 2))
        take_away(w, t);
    else if (pick(w, 6) == 0)
        say_server(w);
    else
        say(w, t);
}

static void add_thing(struct world *w, struct wire_objects *list, struct thing *t)
{
    struct wire_attrs *attrs =
        &wire_objects_add(list, w->sc.arena, t->type, name_of(w, t))->attrs;

    scene_attrs(&w->sc, attrs, t->text);
    if (*t->comment)
        wire_attrs_add(attrs, w->sc.arena, "comment", NULL,
                       arena_strdup(w->sc.arena, t->comment), WIRE_OP_SET);
    if (t->accrues)
        wire_attrs_add(attrs, w->sc.arena, "accrue_type", NULL, t->accrues,
                       WIRE_OP_SET);
}

static void add_server(struct world *w, struct wire_objects *list)
{
    scene_attrs(&w->sc,
                &wire_objects_add(list, w->sc.arena, OBJECT_SERVER, "svr")->attrs,
                w->server);
}

static void add_sched(struct world *w, struct wire_objects *list)
{
    scene_attrs(&w->sc,
                &wire_objects_add(list, w->sc.arena, OBJECT_SCHED, "default")->attrs,
                w->enforces ? "sched_preempt_enforce_resumption=True" : "a=b");
}

/* What has changed since the last reply. */
static struct wire_objects news_of(struct world *w)
{
    struct wire_objects list = { 0 };

    add_server(w, &list);
    for (size_t i = 0; i < N_THINGS; i++) {
        if (w->things[i].gone)
            (void)wire_objects_add(&list, w->sc.arena, w->things[i].type,
                                   name_of(w, &w->things[i]));
        w->things[i].gone = false;
    }
    for (size_t i = 0; i < w->n_there; i++) {
        if (w->there[i]->changed)
            add_thing(w, &list, w->there[i]);
        w->there[i]->changed = false;
    }
    scene_attrs(&w->sc, &wire_objects_add(&list, w->sc.arena, OBJECT_MARK, "")->attrs,
                arena_printf(w->sc.arena, "since=%llu seq=%llu",
                             (unsigned long long)w->seq,
                             (unsigned long long)w->seq + 1));
    w->seq++;
    return list;
}

static struct wire_objects all_of(struct world *w)
{
    struct wire_objects list = { 0 };

    add_server(w, &list);
    add_sched(w, &list);
    for (size_t i = 0; i < w->n_there; i++)
        add_thing(w, &list, w->there[i]);
    return list;
}

static struct thing *job_named(struct world *w, const char *id)
{
    int i = atoi(id);

    CU_ASSERT_FATAL(i >= 0 && i < JOBS);
    return job_of(w, i);
}

/* The server does what a step says; now and then it refuses. */
static void carry_out(struct world *w, const struct plan_step *step)
{
    struct thing *t = job_named(w, step->id);

    if (step->kind == PLAN_COMMENT_JOB) {
        struct told *told = &w->told[t->number];

        snprintf(told->log, TEXT, "%s", step->log);
        snprintf(told->reason, TEXT, "%s", step->reason);
    }
    if (pick(w, 8) == 0)
        return;
    if (step->kind == PLAN_COMMENT_JOB && !step->unchanged) {
        snprintf(t->comment, TEXT, "%s", step->reason);
        t->changed = true;
    }
    if (step->kind == PLAN_COMMENT_JOB && step->accrue_type) {
        t->accrues = strcmp(step->accrue_type, "1") == 0 ? "1" : "2";
        t->changed = true;
    }
    if (step->kind == PLAN_RUN_JOB && strcmp(step->id, name_of(w, t)) == 0) {
        snprintf(t->text, TEXT,
                 "job_state=R substate=42 queue=q0 schedselect=1:ncpus=1 "
                 "Resource_List.ncpus=1 Resource_List.walltime=60 euser=u1 "
                 "egroup=g1 project=p1 stime=%d exec_vnode=%s",
                 w->now_at, step->vnodes);
        t->changed = true;
    }
}

static bool does_something(const struct plan_step *step)
{
    return step->kind != PLAN_COMMENT_JOB;
}

static const struct plan_step *said_of(const struct plan *plan, const char *id)
{
    for (size_t i = 0; i < plan->n; i++)
        if (!does_something(&plan->steps[i]) && strcmp(plan->steps[i].id, id) == 0)
            return &plan->steps[i];
    return NULL;
}

static bool is_same_step(const struct plan_step *a, const struct plan_step *b)
{
    return a->kind == b->kind && strcmp(a->id, b->id) == 0 &&
           str_same(a->vnodes, b->vnodes) && str_same(a->walltime, b->walltime) &&
           a->failure == b->failure && a->never == b->never && a->early == b->early &&
           str_same(a->reason, b->reason) && str_same(a->log, b->log) &&
           a->unchanged == b->unchanged && str_same(a->accrue_type, b->accrue_type) &&
           str_same(a->topjob, b->topjob);
}

/* Nothing is to be sent, and the log has said it before. */
static bool may_be_left_out(struct world *w, const struct plan_step *step)
{
    const struct told *told = &w->told[job_named(w, step->id)->number];

    return step->unchanged && !step->accrue_type && !step->topjob && !step->top &&
           strcmp(step->log, told->log) == 0 && strcmp(step->reason, told->reason) == 0;
}

/* 'news' is 'all' without what jobs were told before. */
static bool is_all_that_is_new(struct world *w, const struct plan *all,
                               const struct plan *news)
{
    size_t k = 0;

    for (size_t i = 0; i < all->n; i++) {
        const struct plan_step *step = &all->steps[i];

        if (k < news->n && is_same_step(step, &news->steps[k])) {
            k++;
            continue;
        }
        if (does_something(step) || said_of(news, step->id) ||
            !may_be_left_out(w, step))
            return false;
        w->n_passed++;
    }
    return k == news->n;
}

static void plan_slices(struct world *w, struct snapshot *s,
                        const struct sched_look *look, struct plan *ret)
{
    struct planning *p =
        planning_new(s, w->sc.policy, w->now_at, look, w->sc.arena, ret);

    while (planning_go_on(p, 1 + (size_t)pick(w, 40)))
        continue;
    planning_free(p);
}

static void plan_news(struct world *w, struct plan *ret)
{
    plan_slices(w, w->kept, &(struct sched_look){ .news_only = true }, ret);
}

/* Others plan on the same snapshot: for a job that somebody wants to run, for a
 * reservation that is tried, or for all. */
static void plan_otherwise(struct world *w)
{
    struct wire_objects list = { 0 };
    struct wire_request said;
    struct plan plan;

    switch (pick(w, 8)) {
    case 0:
        sched_plan(w->kept, w->sc.policy, w->now_at, "1.svr", w->sc.arena, &plan);
        break;
    case 1:
        scene_attrs(&w->sc,
                    &wire_objects_add(&list, w->sc.arena, OBJECT_RESV, "R9.svr")->attrs,
                    arena_printf(w->sc.arena,
                                 "reserve_state=1 reserve_start=%d reserve_end=%d "
                                 "queue=R9 schedselect=1:ncpus=1 "
                                 "Resource_List.place=free alter_seq=0",
                                 w->now_at + 5, w->now_at + 500));
        sched_try(w->kept, w->sc.policy, w->now_at, &list.v[0], w->sc.arena, &said);
        break;
    default:
        break;
    }
}

static void look_once(struct world *w, uint64_t seed, int step)
{
    struct snapshot *fresh = snapshot_new();
    struct wire_objects news = news_of(w), all = all_of(w);
    struct sched_look look = { 0 };
    struct plan a, b;

    if (pick(w, 4) == 0)
        look.last_id = name_of(w, job_of(w, pick(w, JOBS)));
    snapshot_add(fresh, &all);
    snapshot_told_at(w->kept, w->grows ? w->now_at : 0);
    CU_ASSERT_TRUE_FATAL(snapshot_patch(w->kept, &news));
    plan_otherwise(w);
    plan_slices(w, fresh, &look, &a);
    look.news_only = true;
    plan_slices(w, w->kept, &look, &b);
    if (!w->grows && !is_all_that_is_new(w, &a, &b)) {
        fprintf(stderr, "world %llu, step %d\n", (unsigned long long)seed, step);
        CU_FAIL("a plan that remembers is another one");
    }
    for (size_t i = 0; i < b.n; i++)
        carry_out(w, &b.steps[i]);
    snapshot_free(fresh);
}

static void settings(struct world *w)
{
    static const char *const lines[] = {
        "by_queue: False ALL",          "strict_ordering: True ALL",
        "job_sort_key: \"ncpus HIGH\"", "job_sort_key: \"job_priority LOW\"",
        "preemptive_sched: True ALL",   "preemptive_sched: True  ALL",
        "update_comments: False",
    };
    struct diag why;

    for (size_t i = 0; i < COUNT(lines); i++)
        if (pick(w, 6) == 0)
            CU_ASSERT(policy_line(w->sc.policy, lines[i], &why) != POLICY_WRONG);
}

static void make_things(struct world *w)
{
    static const struct {
        uint32_t type;
        int n, from;
    } kinds[] = { { OBJECT_NODE, VNODES, 0 },
                  { OBJECT_QUEUE, QUEUES, 0 },
                  { OBJECT_RESV, RESVS, 0 },
                  { OBJECT_JOB, JOBS, 0 } };
    size_t n = 0;

    for (size_t k = 0; k < COUNT(kinds); k++)
        for (int i = 0; i < kinds[k].n; i++) {
            w->things[n].type = kinds[k].type;
            w->things[n++].number = i;
        }
    say_server(w);
    for (size_t i = 0; i < VNODES + QUEUES; i++)
        say(w, &w->things[i]);
    for (int i = 0; i < JOBS; i++)
        if (pick(w, 2))
            say(w, job_of(w, i));
}

/* Returns how often nothing was said of a job that waits. */
static int story(uint64_t seed)
{
    struct world *w = calloc(1, sizeof(*w));
    struct wire_objects list = { 0 };
    int n_passed;

    *w = (struct world){ .sc = scene_new(), .rnd = rnd_seeded(seed), .now_at = NOW };
    w->grows = pick(w, 4) == 0;
    w->kept = snapshot_new();
    snapshot_keep(w->kept);
    settings(w);
    w->enforces = pick(w, 3) == 0;
    /* No reply about what has changed has a scheduler. */
    add_sched(w, &list);
    snapshot_add(w->kept, &list);
    make_things(w);
    for (int i = 0; i < STEPS; i++) {
        look_once(w, seed, i);
        w->now_at += pick(w, 3) ? pick(w, 3) : pick(w, 60);
        for (int k = pick(w, 4); k > 0; k--)
            change_something(w);
    }
    n_passed = w->n_passed;
    snapshot_free(w->kept);
    scene_free(&w->sc);
    free(w);
    return n_passed;
}

static void test_remembered_is_as_fresh(void)
{
    int n_passed = 0;

    for (uint64_t seed = 1; seed <= WORLDS; seed++)
        n_passed += story(seed);
    /* Most looks at a job that waits are looks at nothing new. */
    CU_ASSERT(n_passed > 5 * WORLDS);
}

/* One more reply, about one object. */
static void show(struct world *w, uint32_t type, const char *name, const char *text)
{
    struct wire_objects list = { 0 };

    scene_attrs(&w->sc, &wire_objects_add(&list, w->sc.arena, type, name)->attrs, text);
    scene_attrs(&w->sc, &wire_objects_add(&list, w->sc.arena, OBJECT_MARK, "")->attrs,
                arena_printf(w->sc.arena, "since=%llu seq=%llu",
                             (unsigned long long)w->seq,
                             (unsigned long long)w->seq + 1));
    w->seq++;
    CU_ASSERT_TRUE_FATAL(snapshot_patch(w->kept, &list));
}

#define VNODE                                                                          \
    "resources_available.host=h license=l state=free resources_available.ncpus="
#define QUEUE "queue_type=Execution started=True "
#define JOB   "job_state=Q queue=q schedselect=1:ncpus=2 Resource_List.ncpus=2 "
#define TOLD                                                                           \
    "comment=Not~Running:~Insufficient~amount~of~resource:~ncpus~(R:~2~A:~1~T:~3)"

/* A job waits and was told so: what the next look says of it after something has
 * happened. */
static void test_a_job_is_told_once(void)
{
    static const struct {
        const char *story;
        uint32_t type;
        const char *name, *text;
        bool whole;     /* the look between is one that remembers nothing */
        size_t n_steps; /* of the look after it */
    } cases[] = {
        { "nothing", OBJECT_SERVER, "svr", "a=b", false, 0 },
        { "another queue", OBJECT_QUEUE, "q2", QUEUE, false, 0 },
        { "the job is shown again", OBJECT_JOB, "2.svr", JOB TOLD, false, 1 },
        { "the job has lost its comment", OBJECT_JOB, "2.svr", JOB, false, 1 },
        { "a vnode of others goes down", OBJECT_NODE, "n2",
          VNODE "1 queue=q2 state=down", false, 0 },
        { "there is more of it", OBJECT_NODE, "n1", VNODE "4", false, 1 },
        { "it waits for something else", OBJECT_QUEUE, "q", "queue_type=Execution",
          false, 1 },
        { "a look that remembers nothing", OBJECT_QUEUE, "q2", QUEUE "Priority=200",
          true, 1 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct world w = { .sc = scene_new(), .rnd = rnd_seeded(1), .now_at = NOW };
        struct plan plan;
        struct diag why;

        CU_ASSERT(policy_line(w.sc.policy, "preemptive_sched: True ALL", &why) ==
                  POLICY_FINE);
        w.kept = snapshot_new();
        snapshot_keep(w.kept);
        show(&w, OBJECT_NODE, "n1", VNODE "3");
        show(&w, OBJECT_NODE, "n2", VNODE "1 queue=q2");
        show(&w, OBJECT_QUEUE, "q", QUEUE);
        show(&w, OBJECT_JOB, "1.svr",
             "job_state=R queue=q schedselect=1:ncpus=2 exec_vnode=(n1:ncpus=2)");
        show(&w, OBJECT_JOB, "2.svr", JOB TOLD);
        plan_news(&w, &plan);
        CU_ASSERT_EQUAL(plan.n, 1);
        plan_news(&w, &plan);
        CU_ASSERT_EQUAL(plan.n, 0);
        show(&w, cases[i].type, cases[i].name, cases[i].text);
        plan_news(&w, &plan);
        if (cases[i].whole) {
            CU_ASSERT_EQUAL(plan.n, 1);
            show(&w, cases[i].type, cases[i].name, QUEUE);
            plan_news(&w, &plan);
        }
        if (plan.n != cases[i].n_steps)
            fprintf(stderr, "%s: %zu steps\n", cases[i].story, plan.n);
        CU_ASSERT_EQUAL(plan.n, cases[i].n_steps);
        snapshot_free(w.kept);
        scene_free(&w.sc);
    }
}

static const char *reason_of(const struct plan *plan, const char *id)
{
    const struct plan_step *step = said_of(plan, id);

    return step ? step->reason : "nothing";
}

/* The look goes on behind job 3. Job 4 waits for processors, then a suspended job is
 * promised its place, and job 3, which is of job 4's crowd, waits for the limit. */
static void test_a_promise_is_another_state(void)
{
#define SMALL "queue=q euser=ann schedselect=1:ncpus=1 Resource_List.ncpus=1 "
    const struct sched_look look = { .last_id = "3.svr", .news_only = true };
    struct world w = {
        .sc = scene_new(), .rnd = rnd_seeded(1), .now_at = NOW, .enforces = true
    };
    struct wire_objects list = { 0 };
    struct plan plan;
    struct diag why;

    CU_ASSERT(policy_line(w.sc.policy, "preemptive_sched: True ALL", &why) ==
              POLICY_FINE);
    w.kept = snapshot_new();
    snapshot_keep(w.kept);
    add_sched(&w, &list);
    snapshot_add(w.kept, &list);
    show(&w, OBJECT_SERVER, "svr", "max_run=[u:PBS_GENERIC=1]");
    show(&w, OBJECT_NODE, "n1", VNODE "2");
    show(&w, OBJECT_QUEUE, "q", QUEUE);
    show(&w, OBJECT_JOB, "1.svr",
         "job_state=R queue=q schedselect=1:ncpus=2 exec_vnode=(n1:ncpus=2) "
         "stime=999990 "
         "Resource_List.ncpus=2 Resource_List.walltime=110");
    show(&w, OBJECT_JOB, "2.svr",
         SMALL "job_state=S substate=45 ptime=5 exec_vnode=(n1:ncpus=1) "
               "Resource_List.walltime=300");
    show(&w, OBJECT_JOB, "3.svr",
         SMALL "job_state=Q Resource_List.walltime=600 queue_rank=1");
    show(&w, OBJECT_JOB, "4.svr",
         SMALL "job_state=Q Resource_List.walltime=600 queue_rank=2");
    plan_slices(&w, w.kept, &look, &plan);
    CU_ASSERT(said_of(&plan, "2.svr")->est_start_at > NOW);
    CU_ASSERT_STRING_EQUAL(reason_of(&plan, "4.svr"),
                           "Not Running: Not enough free nodes available");
    CU_ASSERT_STRING_EQUAL(reason_of(&plan, "3.svr"),
                           "Not Running: User has reached server running job limit.");
    snapshot_free(w.kept);
    scene_free(&w.sc);
#undef SMALL
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a plan that remembers decides and tells what a fresh one does",
          test_remembered_is_as_fresh },
        { "a job is told once why it waits", test_a_job_is_told_once },
        { "a promise is another state", test_a_promise_is_another_state },
    };

    return unit_main("scheduler/waiting", cases, COUNT(cases));
}
