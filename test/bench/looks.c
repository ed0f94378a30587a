/* looks.c - what a look of the scheduler costs beside thousands of jobs that wait, when
 * little or nothing has changed since the last one.
 *
 *   test/bench/looks [--rounds N] [--vnodes N] [--resvs N] [--jobs N] [--owners N]
 *                    [--limits 0|1] [--lengths N] [--server N] [--all 0|1]
 *                    [--top N]
 *
 * Hosts with one vnode of 16 cpus each; 'resvs' reservations in a week, one cpu on four
 * vnodes each; all vnodes are held by jobs that run, but where 'server' says how many
 * cpus the server has for all together: then so many jobs run. 'jobs' wait, of so many
 * owners and so many walltimes; 'limits': each owner may run one job. 'all': each job
 * is told why it waits in each look; 'top': the order is strict, and so many jobs are
 * top jobs. Printed is the processor time of the first look,
 * and of looks after nothing has changed, a job has ended (and another one starts), one
 * has been submitted, a vnode has come up and gone down again: what was told is taken
 * up, and a plan is made; medians of the rounds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/sched.h"

#include "measure.h"
#include "tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW         1000000
#define DAY_S       86400
#define MOST_ROUNDS 999

struct sizes {
    int rounds, vnodes, resvs, jobs, owners, limits, lengths, server, all, top;
};

/* A server that tells what has changed. */
struct teller {
    struct sizes n;
    struct arena *arena, *plans;
    struct wire_objects said;
    uint64_t seq;
    struct snapshot *kept;
    struct policy *policy;
    int n_running, next_job;
    int now_at;
    size_t n_steps;
};

static void say_vnode(struct teller *t, int i, const char *state)
{
    struct wire_object *o = wire_objects_add(&t->said, t->arena, OBJECT_NODE,
                                             arena_printf(t->arena, "n%d", i));

    tell_attr(t->arena, o, "state", NULL, "%s", state);
    tell_attr(t->arena, o, "license", NULL, "l");
    tell_attr(t->arena, o, "resources_available", "host", "n%d", i);
    tell_attr(t->arena, o, "resources_available", "ncpus", "16");
    tell_attr(t->arena, o, "resources_available", "mem", "64gb");
}

static void say_queue(struct teller *t, const char *format, int i)
{
    struct wire_object *o = wire_objects_add(&t->said, t->arena, OBJECT_QUEUE,
                                             arena_printf(t->arena, format, i));

    tell_attr(t->arena, o, "queue_type", NULL, "Execution");
    tell_attr(t->arena, o, "started", NULL, "True");
}

static void say_server(struct teller *t)
{
    struct wire_object *o = wire_objects_add(&t->said, t->arena, OBJECT_SERVER, "svr");

    if (t->n.server > 0)
        tell_attr(t->arena, o, "resources_available", "ncpus", "%d", t->n.server);
    if (t->n.top > 0)
        tell_attr(t->arena, o, "backfill_depth", NULL, "%d", t->n.top);
    if (t->n.limits)
        tell_attr(t->arena, o, "max_run", NULL, "[u:PBS_GENERIC=1]");
}

static void say_resv(struct teller *t, int i)
{
    struct wire_object *o = wire_objects_add(&t->said, t->arena, OBJECT_RESV,
                                             arena_printf(t->arena, "R%d.svr", i));
    int start_at = NOW + DAY_S + i % 168 * 3600, v = i * 4;

    tell_attr(t->arena, o, "reserve_state", NULL, "2");
    tell_attr(t->arena, o, "reserve_substate", NULL, "2");
    tell_attr(t->arena, o, "reserve_start", NULL, "%d", start_at);
    tell_attr(t->arena, o, "reserve_end", NULL, "%d", start_at + 3600);
    tell_attr(t->arena, o, "queue", NULL, "R%d", i);
    tell_attr(t->arena, o, "schedselect", NULL, "4:ncpus=1");
    tell_attr(t->arena, o, "Resource_List", "place", "free");
    tell_attr(t->arena, o, "resv_nodes", NULL,
              "(n%d:ncpus=1)+(n%d:ncpus=1)+(n%d:ncpus=1)+(n%d:ncpus=1)",
              v % t->n.vnodes, (v + 1) % t->n.vnodes, (v + 2) % t->n.vnodes,
              (v + 3) % t->n.vnodes);
    say_queue(t, "R%d", i);
}

/* 'on': it runs there; 'comment': it waits and was told so. */
static void say_job(struct teller *t, int i, const char *on, const char *comment)
{
    struct wire_object *o = wire_objects_add(&t->said, t->arena, OBJECT_JOB,
                                             arena_printf(t->arena, "%d.svr", i));
    int ncpus = t->n.server > 0 ? 1 : 16;

    tell_attr(t->arena, o, "schedselect", NULL, "1:ncpus=%d", ncpus);
    tell_attr(t->arena, o, "Resource_List", "ncpus", "%d", ncpus);
    tell_attr(t->arena, o, "Resource_List", "walltime", "%d",
              3600 * (1 + i % t->n.lengths));
    tell_attr(t->arena, o, "queue_rank", NULL, "%d", i);
    tell_attr(t->arena, o, "job_state", NULL, on ? "R" : "Q");
    tell_attr(t->arena, o, "queue", NULL, "workq");
    tell_attr(t->arena, o, "euser", NULL, "u%d", i % t->n.owners);
    tell_attr(t->arena, o, "egroup", NULL, "g");
    tell_attr(t->arena, o, "project", NULL, "p");
    if (on) {
        tell_attr(t->arena, o, "stime", NULL, "%d", t->now_at);
        tell_attr(t->arena, o, "exec_vnode", NULL, "%s", on);
    }
    if (comment)
        tell_attr(t->arena, o, "comment", NULL, "%s", comment);
}

/* The scheduler has heard of all that was said. */
static void tell(struct teller *t)
{
    struct wire_object *mark =
        wire_objects_add(&t->said, t->arena, OBJECT_MARK, "mark");

    tell_attr(t->arena, mark, "since", NULL, "%llu", (unsigned long long)t->seq);
    tell_attr(t->arena, mark, "seq", NULL, "%llu", (unsigned long long)++t->seq);
    if (!snapshot_patch(t->kept, &t->said))
        abort();
    arena_clear(t->arena);
    t->said = (struct wire_objects){ 0 };
}

/* The server takes what the plan says. */
static void obey(struct teller *t, const struct plan *plan)
{
    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_step *step = &plan->steps[i];

        if (step->kind == PLAN_RUN_JOB)
            say_job(t, atoi(step->id), step->vnodes, NULL);
        else if (step->kind == PLAN_COMMENT_JOB && !step->unchanged)
            say_job(t, atoi(step->id), NULL, step->reason);
    }
    t->n_steps = plan->n;
}

/* One look; what it decides is told with the next one. */
static double look(struct teller *t)
{
    const struct sched_look about = { .news_only = !t->n.all };
    double begin = measure_now_ms(), ms;
    struct planning *p;
    struct plan plan;

    tell(t);
    p = planning_new(t->kept, t->policy, t->now_at, &about, t->plans, &plan);
    while (planning_go_on(p, PLANNING_EFFORT))
        continue;
    planning_free(p);
    ms = measure_now_ms() - begin;
    obey(t, &plan);
    arena_clear(t->plans);
    t->now_at += 1;
    return ms;
}

static struct teller teller_new(const struct sizes *n)
{
    struct teller t = { .n = *n,
                        .arena = arena_new(),
                        .plans = arena_new(),
                        .kept = snapshot_new(),
                        .policy = policy_new(),
                        .now_at = NOW };
    struct diag why;

    if (n->top > 0 && policy_line(t.policy, "strict_ordering: True ALL", &why) != 0)
        abort();
    snapshot_keep(t.kept);
    say_server(&t);
    say_queue(&t, "workq", 0);
    for (int i = 0; i < n->vnodes; i++)
        say_vnode(&t, i, "free");
    for (int i = 0; i < n->resvs; i++)
        say_resv(&t, i);
    t.n_running = n->server > 0 ? n->server : n->vnodes;
    for (int i = 0; i < t.n_running; i++)
        say_job(&t, i,
                arena_printf(t.arena, "(n%d:ncpus=%d)", i, n->server > 0 ? 1 : 16),
                NULL);
    for (t.next_job = t.n_running; t.next_job < t.n_running + n->jobs; t.next_job++)
        say_job(&t, t.next_job, NULL, NULL);
    return t;
}

static void nothing(struct teller *t, int round)
{
    (void)t;
    (void)round;
}

static void job_ended(struct teller *t, int round)
{
    (void)wire_objects_add(&t->said, t->arena, OBJECT_JOB,
                           arena_printf(t->arena, "%d.svr", round));
}

static void job_came(struct teller *t, int round)
{
    (void)round;
    say_job(t, t->next_job++, NULL, NULL);
}

static void vnode_turned(struct teller *t, int round)
{
    say_vnode(t, t->n.vnodes - 1, round % 2 ? "free" : "down");
}

/* The look after the change, and not those that follow from it. */
static void measure(struct teller *t, const char *what,
                    void (*change)(struct teller *t, int round))
{
    double ms[MOST_ROUNDS];
    size_t n_steps = 0;

    for (int i = 0; i < t->n.rounds; i++) {
        change(t, i);
        ms[i] = look(t);
        n_steps = t->n_steps;
        for (int k = 0; k < 4; k++)
            (void)look(t);
    }
    printf("%-28s %9.3f ms %7zu steps\n", what, measure_median(ms, (size_t)t->n.rounds),
           n_steps);
}

int main(int argc, char **argv)
{
    struct sizes n = { 11, 5000, 500, 10000, 1, 0, 1, 0, 0, 0 };
    static const struct {
        const char *name;
        size_t at;
    } options[] = {
        { "--rounds", offsetof(struct sizes, rounds) },
        { "--vnodes", offsetof(struct sizes, vnodes) },
        { "--resvs", offsetof(struct sizes, resvs) },
        { "--jobs", offsetof(struct sizes, jobs) },
        { "--owners", offsetof(struct sizes, owners) },
        { "--limits", offsetof(struct sizes, limits) },
        { "--lengths", offsetof(struct sizes, lengths) },
        { "--server", offsetof(struct sizes, server) },
        { "--all", offsetof(struct sizes, all) },
        { "--top", offsetof(struct sizes, top) },
    };
    struct teller t;
    double first;

    for (int i = 1; i + 1 < argc; i += 2)
        for (size_t k = 0; k < ARRAY_LEN(options); k++)
            if (strcmp(argv[i], options[k].name) == 0)
                *(int *)((char *)&n + options[k].at) = atoi(argv[i + 1]);
    n.rounds = MIN_OF(MAX_OF(n.rounds, 1), MOST_ROUNDS);
    t = teller_new(&n);
    first = look(&t);
    printf("%d vnodes, %d reservations, %d run, %d wait\n", n.vnodes, n.resvs,
           t.n_running, n.jobs);
    printf("%-28s %9.3f ms %7zu steps\n", "the first look", first, t.n_steps);
    for (int k = 0; k < 4; k++)
        (void)look(&t);
    measure(&t, "nothing new", nothing);
    measure(&t, "one job ended", job_ended);
    measure(&t, "one job submitted", job_came);
    measure(&t, "one vnode up or down", vnode_turned);
    snapshot_free(t.kept);
    policy_free(t.policy);
    arena_free(t.plans);
    arena_free(t.arena);
    return 0;
}
