/* sim.c - see sim.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim.h"

#include "lib/attr/node_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/decide/route.h"
#include "server/model/job_phase.h"
#include "server/model/job_state.h"
#include "server/model/node_life.h"
#include "server/requests/manager.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN_S       100  /* before second 0: everything starts and finds itself */
#define REPAIR_S      200  /* after the faults: hellos with their waits between */
#define ANSWERS_S     30   /* with all vnodes free */
#define QUIET_S       700  /* more than a period of the scheduler */
#define JOBS_S        8000 /* queued jobs had to wait for reservations */
#define GUESTS_S      (6 * 3600) /* jobs that came from elsewhere are kept so long */
#define ENDLESS_S     (30 * 86400)
#define TICKS_MAX     20 /* at one instant without an event */
#define CALM_DELAY_MS 1

void sim_trace(const struct sim *s, const char *fmt, ...)
{
    int64_t ms = s->clock.now_ms - (int64_t)SIM_EPOCH_S * 1000;
    va_list ap;

    if (!s->trace)
        return;
    printf("%9.3f  ", (double)ms / 1000);
    if (s->other)
        printf("%s: ", s->name);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

void sim_after(struct sim *s, int64_t delay_ms, event_fn fn, void *arg,
               event_drop_fn drop)
{
    clock_post(&s->clock, s->clock.now_ms + delay_ms, fn, arg, drop);
}

int64_t sim_latency_ms(struct sim *s)
{
    int64_t ms = CALM_DELAY_MS;

    if (s->weather.jitter_ms)
        ms += rnd_range(&s->rnd, 0, s->weather.jitter_ms);
    if (rnd_percent(&s->rnd, s->weather.late_percent))
        ms += rnd_range(&s->rnd, 0, s->weather.late_ms);
    return ms;
}

void sim_init(struct sim *s, uint64_t seed, bool trace)
{
    *s = (struct sim){ .name = "svr",
                       .rnd = rnd_seeded(seed),
                       .trace = trace,
                       .slow_lists = seed % 2,
                       .number_window = seed % 16 == 3 ? 4 : 1,
                       .cluster = { .n_hosts = 1, .vnodes_per_host = 4, .ncpus = 2 } };
    s->clock.now_ms = (int64_t)(SIM_EPOCH_S - BEGIN_S) * 1000;
    planner_init(&s->planner, "default");
    planner_init(&s->second, "second");
    shell_init(s);
    comm_init(s);
}

void sim_add_other(struct sim *s, uint64_t seed)
{
    struct sim *t = xmalloc(sizeof(*t));

    sim_init(t, ~seed, s->trace);
    t->name = "two";
    t->index = 1;
    t->other = s;
    s->other = t;
    s->two = t->two = two_new();
}

static void fini(struct sim *s)
{
    peers_fini(&s->peers);
    for (size_t i = 0; i < SIM_HOSTS_MAX; i++)
        host_fini(&s->hosts[i]);
    clock_fini(&s->clock);
    shell_fini(s);
    planner_fini(&s->planner);
    planner_fini(&s->second);
    net_fini(&s->net);
    comm_fini(&s->comm);
    clients_fini(&s->clients);
    verdicts_fini(&s->verdicts);
    ledger_fini(&s->ledger);
    alters_fini(&s->alters);
    ends_fini(&s->ends);
    fates_fini(&s->fates);
    preempts_fini(&s->preempts);
    occurrences_fini(s);
    whys_fini(&s->whys);
    dries_fini(&s->dries);
    runs_fini(&s->runs);
}

void sim_fini(struct sim *s)
{
    two_free(s->two);
    if (s->other)
        fini(s->other);
    free(s->other);
    fini(s);
}

/* Time. */

static int64_t tick_ms(const struct sim *s)
{
    return MAX_OF(shell_deadline_ms(s), s->clock.now_ms);
}

static int64_t next_ms(const struct sim *s)
{
    return MIN_OF(tick_ms(s), clock_next_ms(&s->clock));
}

/* Whose next step comes first. */
static struct sim *whose_turn(struct sim *s)
{
    return s->other && next_ms(s->other) < next_ms(s) ? s->other : s;
}

static bool tick_if_first(struct sim *s, int64_t until_ms)
{
    int64_t at_ms = tick_ms(s);

    if (at_ms > until_ms || at_ms > clock_next_ms(&s->clock))
        return false;
    s->n_ticks = at_ms == s->clock.now_ms ? s->n_ticks + 1 : 0;
    s->clock.now_ms = at_ms;
    if (s->n_ticks > TICKS_MAX)
        check_failed(s, CHECK_QUIET, "the deadline of second %" PRId64 " does not pass",
                     shell_deadline_ms(s) / 1000 - SIM_EPOCH_S);
    shell_tick(s);
    return true;
}

/* One step of the complex whose turn it is; false: none is due until then. */
static bool step(struct sim *s, int64_t until_ms)
{
    int64_t other_ms = MIN_OF(next_ms(s), until_ms);

    if (s->other) /* it has nothing to do before that */
        s->other->clock.now_ms = MAX_OF(s->other->clock.now_ms, other_ms);
    s->n_steps++;
    if (tick_if_first(s, until_ms))
        return true;
    s->n_ticks = 0;
    if (clock_next_ms(&s->clock) > until_ms)
        return false;
    clock_step(&s->clock, s);
    return true;
}

void sim_run(struct sim *s, int64_t until_ms)
{
    s->n_ticks = 0;
    if (s->other)
        s->other->n_ticks = 0;
    while (!s->checks.failed && step(whose_turn(s), until_ms))
        ;
    s->clock.now_ms = MAX_OF(s->clock.now_ms, until_ms);
    if (s->other)
        s->other->clock.now_ms = s->clock.now_ms;
}

static void run_s(struct sim *s, int64_t seconds)
{
    sim_run(s, s->clock.now_ms + seconds * 1000);
}

/* Begin. */

static void set_server(struct sim *s, const char *name, const char *value)
{
    client_manage(s, MANAGER_SET, OBJECT_SERVER, "", name, NULL, value, WIRE_OP_SET);
}

/* Both, one after the other. */
static void each(struct sim *s, void (*fn)(struct sim *s))
{
    if (s->checks.failed)
        return;
    fn(s);
    if (s->other)
        fn(s->other);
}

static void begin_server(struct sim *s)
{
    for (int i = 0; i < s->cluster.n_hosts; i++)
        host_init(s, (size_t)i);
    shell_start(s, SVR_WARM);
}

static void make_nodes(struct sim *s)
{
    set_server(s, "flatuid", "True");
    for (int i = 0; i < s->cluster.n_hosts; i++)
        client_manage(s, MANAGER_CREATE, OBJECT_NODE, s->hosts[i].name, NULL, NULL,
                      NULL, WIRE_OP_SET);
}

static void begin_others(struct sim *s)
{
    for (int i = 0; i < s->cluster.n_hosts; i++)
        host_start_mom(&s->hosts[i], false);
    planner_start(s, &s->planner);
}

void sim_begin(struct sim *s)
{
    each(s, begin_server);
    run_s(s, 1);
    each(s, make_nodes);
    run_s(s, 1);
    each(s, begin_others);
    sim_run(s, (int64_t)SIM_EPOCH_S * 1000);
}

/* End. */

static void planner_is_well(struct planner *p)
{
    p->think_ms = 0;
    p->answer_twice_percent = 0;
    p->old_answer_percent = 0;
    p->wrong_percent = 0;
}

static void stop_faults(struct sim *s)
{
    s->weather = (struct weather){ 0 };
    s->shell.crash = CRASH_NOT;
    planner_is_well(&s->planner);
    planner_is_well(&s->second);
    shell_store_fails(s, false, false);
    shell_start(s, SVR_WARM);
    verdicts_calm(&s->verdicts);
    comm_router(s, true);
    for (int i = 0; i < s->cluster.n_hosts; i++) {
        struct mom_host *h = &s->hosts[i];

        h->silent = false;
        h->dies_after = 0;
        h->disk.is_full = h->knows_nobody = false;
        h->is_busy = h->is_typed_at = false;
        host_start_mom(h, false);
        if (h->cut_off)
            host_cut_off(h, false);
    }
    planner_start(s, &s->planner);
    if (s->has_second)
        planner_start(s, &s->second);
}

static void open_queue(struct sim *s, const struct queue *q, const char *attr)
{
    client_manage(s, MANAGER_SET, OBJECT_QUEUE, q->obj.id, attr, NULL, "True",
                  WIRE_OP_SET);
}

/* What was closed is open again, so that nothing keeps a job from its way. */
static void open_queues(struct sim *s)
{
    MODEL_EACH (shell_model(s), OBJ_QUEUE, o) {
        const struct queue *q = TO_QUEUE(o);

        if (!q->resv && !obj_num(o, QUEUE_A_ENABLED, 0))
            open_queue(s, q, "enabled");
        if (!q->resv && !obj_num(o, QUEUE_A_STARTED, 0))
            open_queue(s, q, "started");
    }
}

/* One that an administrator has suspended keeps its vnodes in maintenance; the word
 * that is not for it is refused. */
static void resume_jobs(struct sim *s)
{
    MODEL_EACH_LIVE(shell_model(s), OBJ_JOB, o)
    {
        const char *label = obj_str(o, JOB_A_JOB_NAME, "");

        if (job_phase(TO_JOB(o)) != JOB_SUSPENDED)
            continue;
        client_signal(s, label, o->id, "admin-resume");
        client_signal(s, label, o->id, "resume");
    }
}

static void free_vnodes(struct sim *s)
{
    const struct model *m = shell_model(s);

    set_server(s, "scheduling", "True");
    if (s->has_second)
        client_manage(s, MANAGER_SET, OBJECT_SCHED, s->second.name, "scheduling", NULL,
                      "True", WIRE_OP_SET);
    if (obj_is_set(m->server, SERVER_A_MAX_RUN))
        client_manage(s, MANAGER_UNSET, OBJECT_SERVER, "", "max_run", NULL, NULL,
                      WIRE_OP_UNSET);
    MODEL_EACH (m, OBJ_NODE, o) {
        if (node_state_stored(TO_NODE(o)) & NODE_OFFLINE)
            client_manage(s, MANAGER_SET, OBJECT_NODE, o->id, "state", NULL, "offline",
                          WIRE_OP_DECR);
        for (int attr = NODE_A_MAX_RUNNING; attr <= NODE_A_MAX_GROUP_RUN; attr++)
            if (obj_is_set(o, attr))
                client_manage(s, MANAGER_UNSET, OBJECT_NODE, o->id,
                              node_rows[attr].name, NULL, NULL, WIRE_OP_UNSET);
    }
    open_queues(s);
    resume_jobs(s);
}

/* What a job without a walltime has made is there for years: nobody waits so long. */
static void delete_endless(struct sim *s)
{
    MODEL_EACH (shell_model(s), OBJ_RESV, o) {
        if (obj_num(o, RESV_A_RESERVE_END, 0) > sim_now_at(s) + ENDLESS_S)
            client_delete(s, "root", obj_str(o, RESV_A_RESERVE_NAME, ""), o->id, true,
                          false);
    }
}

static int64_t last_end_at(const struct sim *s)
{
    int64_t at = sim_now_at(s);

    MODEL_EACH (shell_model(s), OBJ_RESV, o) {
        at = MAX_OF(at, obj_num(o, RESV_A_RESERVE_END, 0));
    }
    MODEL_EACH (shell_model(s), OBJ_OCCURRENCE, o) {
        at = MAX_OF(at, obj_num(o, OCCURRENCE_A_END, 0));
    }
    return at;
}

/* A subjob is as free as its array: the hold is the array's. One in a routing queue may
 * have nowhere to go: a job that is awaited elsewhere is not moved. */
static bool may_run(const struct job *j)
{
    return job_state(j) == 'Q' && !(j->queue && queue_is_routing(j->queue)) &&
           !(j->parent && job_state(j->parent) == 'H');
}

static bool some_run(const struct sim *s)
{
    MODEL_EACH_LIVE(shell_model(s), OBJ_JOB, o)
    {
        if (job_state(TO_JOB(o)) == 'R' && job_phase(TO_JOB(o)) != JOB_SCHED_SUSPENDED)
            return true;
    }
    return false;
}

static bool any_runs(const struct sim *s)
{
    return some_run(s) || (s->other && some_run(s->other));
}

/* The most cpus that a job of one chunk can have: of a vnode, and of what the server
 * has for all. */
static int64_t most_cpus(const struct sim *s)
{
    const struct resources *has =
        obj_resources(shell_model(s)->server, SERVER_A_RESOURCES_AVAILABLE);

    return MIN_OF(s->cluster.ncpus, resources_amount(has, "ncpus", INT64_MAX));
}

/* With all vnodes free and nothing reserved, a job of one chunk can run. */
static void check_jobs_ran(struct sim *s)
{
    int64_t ncpus = most_cpus(s);

    MODEL_EACH_LIVE(shell_model(s), OBJ_JOB, o)
    {
        const struct resources *list = obj_resources(o, JOB_A_RESOURCE_LIST);

        if (may_run(TO_JOB(o)) && resources_amount(list, "nodect", 0) == 1 &&
            resources_amount(list, "ncpus", 0) <= ncpus)
            check_failed(s, CHECK_QUIET, "job %s fits and does not start", o->id);
        if (job_phase(TO_JOB(o)) == JOB_SCHED_SUSPENDED && !some_run(s))
            check_failed(s, CHECK_QUIET, "job %s does not go on", o->id);
    }
}

/* Wait until all that can has run. On few vnodes jobs run one behind the other, so each
 * may take its time; a job that cannot run is not waited for. */
static void run_jobs(struct sim *s)
{
    size_t left =
        shell_model(s)->n_jobs + (s->other ? shell_model(s->other)->n_jobs : 0);

    for (bool more = left > 0; more && !s->checks.failed && left > 0; left--) {
        run_s(s, JOBS_S);
        each(s, check_stopped);
        more = !s->checks.failed && any_runs(s);
    }
}

static void delete_jobs(struct sim *s)
{
    MODEL_EACH_LIVE(shell_model(s), OBJ_JOB, o)
    {
        client_delete(s, "root", obj_str(o, JOB_A_JOB_NAME, ""), o->id, false, false);
    }
}

static void check_answers(struct sim *s)
{
    check_alters_answered(s);
    check_runs_agree(s);
    check_stopped(s);
}

static void end_history(struct sim *s)
{
    set_server(s, "job_history_enable", "False");
    ask_why_all(s);
}

static void check_is_quiet(struct sim *s)
{
    if (s->ledger.last_record_ms > s->clock.now_ms - QUIET_S * 1000)
        check_failed(s, CHECK_QUIET, "something still changes");
}

void sim_end(struct sim *s)
{
    int64_t end_at;

    sim_trace(s, "--- faults stop, all runs out");
    peers_cut_off(s, false);
    each(s, stop_faults);
    run_s(s, REPAIR_S);
    each(s, check_stopped);
    each(s, free_vnodes);
    run_s(s, ANSWERS_S);
    each(s, check_answers);
    check_two_agree(s);
    each(s, delete_endless);
    run_s(s, ANSWERS_S);
    if (s->checks.failed)
        return;
    end_at = MAX_OF(last_end_at(s), s->other ? last_end_at(s->other) : 0);
    sim_run(s, (end_at + REPAIR_S) * 1000);
    if (s->checks.failed)
        return;
    run_jobs(s);
    each(s, check_jobs_ran);
    each(s, delete_jobs);
    each(s, end_history);
    run_s(s, (s->other ? GUESTS_S : 0) + REPAIR_S + 2 * QUIET_S);
    each(s, check_is_quiet);
    each(s, check_end);
    check_two_end(s);
}
