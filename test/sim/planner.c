/* planner.c - see planner.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim.h"

#include "lib/wire/answers.h"
#include "lib/wire/sched_command.h"

#include <stdlib.h>
#include <string.h>

#define RECONNECT_MS 2000
#define RESTARTS_MAX 5
#define AGAIN_MAX    50

/* What a planner does later, if it is still the same life of it. */
struct errand {
    struct planner *p;
    uint64_t life;
};

static const struct conn_ops planner_ops;

static void end_cycle_memory(struct planner *p)
{
    if (p->snapshot != p->kept)
        snapshot_free(p->snapshot);
    p->snapshot = NULL;
    arena_clear(p->arena);
    p->plan = (struct plan){ 0 };
    p->step = 0;
}

/* What it knows of the server is of no use any more. */
static void drop_kept(struct planner *p)
{
    if (p->snapshot == p->kept)
        p->snapshot = NULL;
    snapshot_free(p->kept);
    p->kept = NULL;
}

static void add_name(struct planner_names *list, const char *name)
{
    list->v = xrealloc(list->v, (list->n + 1) * sizeof(*list->v));
    list->v[list->n++] = xstrdup(name);
}

static void forget_names(struct planner_names *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->v[i]);
    free(list->v);
    *list = (struct planner_names){ 0 };
}

static void forget_cycle(struct planner *p)
{
    forget_names(&p->answered);
    forget_names(&p->spared);
    forget_names(&p->put_off);
}

void planner_init(struct planner *p, const char *name)
{
    p->name = name;
    p->arena = arena_new();
    p->trial_arena = arena_new();
    p->policy = policy_new();
    p->wrong_vnode = -1;
}

void planner_fini(struct planner *p)
{
    end_cycle_memory(p);
    drop_kept(p);
    forget_cycle(p);
    free(p->job_id);
    free(p->old_bytes);
    puller_fini(&p->puller);
    policy_free(p->policy);
    arena_free(p->trial_arena);
    arena_free(p->arena);
}

/* Connecting. */

static void connect_later(struct sim *s, struct planner *p);

static void send_register(struct sim *s, struct planner *p)
{
    const struct body_id body = { .id = p->name };
    const struct wire_request rq = { .number = BATCH_REGISTER_SCHED,
                                     .user = "root",
                                     .extend = p->may_cut ? REGISTER_MAY_CUT
                                                   "," REGISTER_MAY_TRY
                                                   "," REGISTER_MAY_OFFER
                                                          : NULL,
                                     .body = &body };

    p->state = PLANNER_REGISTERING;
    net_request(s, p->conn[p->second], &rq);
}

static void connect_now(struct sim *s, void *arg)
{
    const struct errand *l = arg;
    struct planner *p = l->p;

    if (p->state != PLANNER_CONNECTING || l->life != p->life)
        return;
    p->conn[0] = net_connect(s, "root", true, &planner_ops, p);
    p->conn[1] = net_connect(s, "root", true, &planner_ops, p);
    p->second = false;
    if (p->conn[0] && p->conn[1])
        send_register(s, p);
    else
        connect_later(s, p);
}

static struct errand *errand_of(struct planner *p)
{
    struct errand *l = xmalloc(sizeof(*l));

    *l = (struct errand){ p, p->life };
    return l;
}

static void connect_later(struct sim *s, struct planner *p)
{
    p->state = PLANNER_CONNECTING;
    sim_after(s, RECONNECT_MS, connect_now, errand_of(p), free);
}

static void drop_link(struct sim *s, struct planner *p)
{
    p->life++;
    for (int i = 0; i < 2; i++)
        net_disconnect(s, p->conn[i]);
    p->conn[0] = p->conn[1] = 0;
    puller_hang_up(s, p);
    p->state = PLANNER_OFF;
    p->trial = NULL;
    end_cycle_memory(p);
    drop_kept(p);
    forget_cycle(p);
}

void planner_start(struct sim *s, struct planner *p)
{
    p->wanted = true;
    if (p->state != PLANNER_OFF)
        return;
    sim_trace(s, "scheduler %s: starts", p->name);
    p->life++;
    p->state = PLANNER_CONNECTING;
    sim_after(s, 1, connect_now, errand_of(p), free);
}

void planner_stop(struct sim *s, struct planner *p)
{
    sim_trace(s, "scheduler %s: stops", p->name);
    p->wanted = false;
    drop_link(s, p);
}

static void on_closed(struct sim *s, void *owner, uint64_t conn)
{
    struct planner *p = owner;

    if (conn != p->conn[0] && conn != p->conn[1])
        return;
    sim_trace(s, "scheduler %s: lost the server", p->name);
    drop_link(s, p);
    if (p->wanted)
        connect_later(s, p);
}

/* Asking. */

static const uint32_t status_requests[] = {
    BATCH_STATUS_RESOURCE, BATCH_STATUS_SCHED, BATCH_STATUS_SERVER,
    BATCH_STATUS_RESV,     BATCH_STATUS_NODE,  BATCH_STATUS_QUEUE,
};

/* The first of them are about what no other answer tells. */
#define N_DEFINITIONS 2

static void end_cycle(struct sim *s, struct planner *p)
{
    end_cycle_memory(p);
    forget_cycle(p);
    free(p->job_id);
    p->job_id = NULL;
    p->trial = NULL;
    puller_hang_up(s, p);
    p->state = PLANNER_IDLE;
    net_sched_done(s, p->conn[1]);
}

static void ask_status(struct sim *s, struct planner *p, uint32_t number)
{
    const struct body_status body = { .id = "" };
    const struct wire_request rq = {
        .number = number,
        .user = "root",
        .body = &body,
        .extend = number == BATCH_STATUS_RESOURCE ? "p" : NULL,
    };

    net_request(s, p->conn[0], &rq);
}

static void ask_jobs(struct sim *s, struct planner *p, const char *queue)
{
    struct body_select body = { 0 };
    const struct wire_request rq = {
        .number = BATCH_SELECT_STATUS, .user = "root", .body = &body, .extend = "S"
    };

    wire_attrs_add(&body.criteria, p->arena, "destination", NULL, queue, WIRE_OP_EQ);
    net_request(s, p->conn[0], &rq);
}

static void ask_changes(struct sim *s, struct planner *p)
{
    struct body_changes body = { 0 };
    const struct wire_request rq = { .number = BATCH_STATUS_CHANGES,
                                     .user = "root",
                                     .body = &body };

    if (!p->kept) {
        p->kept = p->snapshot;
        snapshot_keep(p->kept);
    }
    body.since = snapshot_seq(p->kept);
    snapshot_classes(p->arena, &body);
    net_request(s, p->conn[0], &rq);
}

static void think(struct sim *s, struct planner *p);

static void ask_next(struct sim *s, struct planner *p)
{
    p->state = PLANNER_ASKING;
    /* Jobs of the other server come and go without a word. */
    if (p->keeps && !p->puller.remote && p->asked >= N_DEFINITIONS)
        ask_changes(s, p);
    else if (p->asked < ARRAY_LEN(status_requests))
        ask_status(s, p, status_requests[p->asked]);
    else if (p->asked - ARRAY_LEN(status_requests) < snapshot_queue_count(p->snapshot))
        ask_jobs(
            s, p,
            snapshot_queue_name(p->snapshot, p->asked - ARRAY_LEN(status_requests)));
    else if (!puller_asks(s, p))
        think(s, p);
}

void planner_pulled(struct sim *s, struct planner *p)
{
    if (p->state == PLANNER_ASKING)
        think(s, p);
}

static void begin_pass(struct sim *s, struct planner *p)
{
    end_cycle_memory(p);
    if (p->kept) {
        p->snapshot = p->kept;
        snapshot_skip_none(p->kept);
        p->asked = N_DEFINITIONS;
    } else {
        p->snapshot = snapshot_new();
        snapshot_set_name(p->snapshot, p->name);
        p->asked = 0;
    }
    p->refused = p->confirmed = p->failed = false;
    puller_begin(p);
    p->seen_seq = shell_model(s) ? shell_model(s)->seq : 0;
    ask_next(s, p);
}

static void say_old_answer(struct sim *s, struct planner *p)
{
    struct wire_request rq;
    bool known;

    if (!p->old_bytes)
        return;
    if (!p->old_answer_wanted && !rnd_percent(&s->rnd, p->old_answer_percent))
        return;
    if (batch_decode_request(p->old_bytes, p->old_len, p->arena, &rq, &known) != DIS_OK)
        return;
    sim_trace(s, "scheduler %s: says again what it decided in an earlier cycle",
              p->name);
    p->old_answer_wanted = false;
    p->state = PLANNER_ACTING;
    p->step = SIZE_MAX; /* its reply begins the cycle */
    net_request(s, p->conn[0], &rq);
}

static void begin_cycle(struct sim *s, struct planner *p, const char *job_id)
{
    free(p->job_id); /* of a cycle that ended with its connection */
    p->job_id = job_id ? xstrdup(job_id) : NULL;
    p->n_restarts = 0;
    p->n_again = 0;
    p->cut = false;
    say_old_answer(s, p);
    if (p->state != PLANNER_ACTING)
        begin_pass(s, p);
}

/* Dry runs. */

static void try_next(struct sim *s, struct planner *p, const struct wire_request *said)
{
    static const struct body_run none = { .object_id = "", .vnodes = "" };
    struct wire_request rq = { .number = BATCH_DRY_RUN, .body = &none };

    if (said)
        rq = *said;
    rq.user = "root";
    p->state = PLANNER_TRYING;
    net_request(s, p->conn[0], &rq);
}

/* Each is planned on a picture of its own. */
static void trial_told(struct sim *s, struct planner *p, const struct wire_reply *reply)
{
    struct wire_objects copy = { 0 };

    p->trial = NULL;
    arena_clear(p->trial_arena);
    if (reply->code && reply->code != PBSE_SAVE_ERR)
        check_failed(s, CHECK_DRY, "a scheduler may not ask: %d", reply->code);
    if (reply->code || reply->objects.n == 0) {
        end_cycle(s, p);
        return;
    }
    p->trial = wire_objects_add(&copy, p->trial_arena, OBJECT_RESV,
                                arena_strdup(p->trial_arena, reply->objects.v[0].name));
    for (size_t i = 0; i < reply->objects.v[0].attrs.n; i++) {
        const struct wire_attr *a = &reply->objects.v[0].attrs.v[i];

        wire_attrs_add(&p->trial->attrs, p->trial_arena,
                       arena_strdup(p->trial_arena, a->name),
                       arena_strdup(p->trial_arena, a->resource),
                       arena_strdup(p->trial_arena, a->value), a->op);
    }
    begin_pass(s, p);
}

static void on_command(struct sim *s, void *owner, int32_t command, const char *job_id)
{
    struct planner *p = owner;

    sweep_scheduler(s, p);
    if (command == 7) {
        planner_stop(s, p);
    } else if (command == SCHED_RESTART_CYCLE) {
        /* It may cross the end of the cycle; ours sends no end of its own for it. */
        p->cut = p->state != PLANNER_IDLE;
    } else if (p->state != PLANNER_IDLE) {
        check_failed(s, CHECK_SCHED_LINK, "command %d arrives in state %d", command,
                     (int)p->state);
    } else if (command == 6) {
        drop_kept(p);
        net_sched_done(s, p->conn[1]);
    } else if (command == SCHED_DRY_RUN) {
        p->cut = false;
        try_next(s, p, NULL);
    } else {
        begin_cycle(s, p, command == 11 ? job_id : NULL);
    }
}

/* Planning and acting. */

static void act_next(struct sim *s, struct planner *p);

/* As the daemon does: a scheduler that keeps what it knows says only what is new. */
static void plan(struct sim *s, struct planner *p)
{
    const struct sched_look look = { .job_id = p->job_id, .news_only = p->keeps };
    struct planning *ing =
        planning_new(p->snapshot, p->policy, sim_now_at(s), &look, p->arena, &p->plan);

    while (planning_go_on(ing, SIZE_MAX))
        continue;
    planning_free(ing);
}

static void plan_now(struct sim *s, void *arg)
{
    const struct errand *l = arg;
    struct planner *p = l->p;

    if (p->state != PLANNER_THINKING || l->life != p->life)
        return;
    if (p->trial) {
        struct wire_request said;

        sched_try(p->snapshot, p->policy, sim_now_at(s), p->trial, p->arena, &said);
        sim_trace(s, "scheduler %s: dry run of %s: %s", p->name, p->trial->name,
                  said.extend ? said.extend : "others would be moved");
        try_next(s, p, &said);
        return;
    }
    for (size_t i = 0; i < p->answered.n; i++)
        snapshot_skip_resv(p->snapshot, p->answered.v[i]);
    for (size_t i = 0; i < p->spared.n; i++)
        snapshot_spare_job(p->snapshot, p->spared.v[i]);
    for (size_t i = 0; i < p->put_off.n; i++)
        snapshot_put_off(p->snapshot, p->put_off.v[i]);
    plan(s, p);
    check_starts(s, p);
    check_preempt_plan(s, p);
    check_limits_plan(s, p);
    check_sums_plan(s, p);
    check_push_plan(s, p);
    p->step = 0;
    p->step_twice = false;
    p->state = PLANNER_ACTING;
    act_next(s, p);
}

/* The picture is complete; what happens from here on is not in it. */
static void think(struct sim *s, struct planner *p)
{
    p->state = PLANNER_THINKING;
    sim_after(s, p->think_ms, plan_now, errand_of(p), free);
}

static bool is_silent(uint32_t number)
{
    return number == BATCH_ASYRUN_JOB || number == BATCH_MODIFY_JOB_ASYNC;
}

static void keep_answer(struct planner *p, const struct wire_request *rq)
{
    struct buf bytes = { 0 };

    if (rq->number != BATCH_CONFIRM_RESV && rq->number != BATCH_ANSWER_RESVS)
        return;
    batch_encode_request(&bytes, rq);
    free(p->old_bytes);
    p->old_len = bytes.len;
    p->old_bytes = buf_take(&bytes);
}

static void trace_step(const struct sim *s, const struct planner *p,
                       const struct plan_step *step)
{
    static const char *const words[] = {
        [PLAN_CONFIRM_RESV] = "confirms",
        [PLAN_DENY_RESV] = "denies",
        [PLAN_RUN_JOB] = "runs",
        [PLAN_SHRINK_JOB] = "shortens",
        [PLAN_EXTEND_JOB] = "extends",
        [PLAN_COMMENT_JOB] = "comments",
        [PLAN_PREEMPT_JOBS] = "makes room for",
    };

    MUST((size_t)step->kind < ARRAY_LEN(words) && words[step->kind]);

    sim_trace(s, "scheduler %s: %s %s%s%s%s%s", p->name, words[step->kind], step->id,
              step->vnodes ? " on " : "", step->vnodes ? step->vnodes : "",
              step->kind != PLAN_RUN_JOB && step->reason ? ": " : "",
              step->kind != PLAN_RUN_JOB && step->reason ? step->reason : "");
}

/* As the daemon does: what the server took is not said again in this cycle. */
static void note_answered(struct planner *p, const struct plan_step *step)
{
    if (step->kind != PLAN_DENY_RESV && step->kind != PLAN_CONFIRM_RESV)
        return;
    add_name(&p->answered, step->id);
}

/* The same text with other vnodes: every number in brackets is another one. */
static const char *other_vnodes(struct sim *s, struct planner *p, const char *vnodes)
{
    int n = s->cluster.n_hosts * s->cluster.vnodes_per_host;
    struct buf out = { 0 };
    const char *ret;

    for (const char *c = vnodes; *c; c++) {
        buf_add_char(&out, *c);
        if (*c != '[')
            continue;
        buf_printf(&out, "%d",
                   p->wrong_vnode >= 0 ? p->wrong_vnode
                                       : (int)rnd_range(&s->rnd, 0, n - 1));
        while (c[1] >= '0' && c[1] <= '9')
            c++;
    }
    ret = arena_strdup(p->arena, out.data);
    buf_fini(&out);
    return ret;
}

/* What it says may be wrong. */
static struct plan_step said(struct sim *s, struct planner *p,
                             const struct plan_step *planned)
{
    struct plan_step copy = *planned;

    if (copy.vnodes && rnd_percent(&s->rnd, p->wrong_percent))
        copy.vnodes = other_vnodes(s, p, copy.vnodes);
    return copy;
}

/* The next 'n' steps, in one request. */
static void carry_out_many(struct sim *s, struct planner *p, size_t n)
{
    struct plan_step *steps = ARENA_ARRAY(p->arena, struct plan_step, n);
    struct wire_request rq;

    for (size_t i = 0; i < n; i++) {
        steps[i] = said(s, p, &p->plan.steps[p->step + i]);
        trace_step(s, p, &steps[i]);
    }
    plan_answers_request(steps, n, p->arena, &rq);
    p->n_sent = n;
    keep_answer(p, &rq);
    net_request(s, p->conn[0], &rq);
    sweep_scheduler(s, p);
}

/* True when the step's reply has to come first. */
static bool carry_out(struct sim *s, struct planner *p, const struct plan_step *planned)
{
    const struct plan_step copy = said(s, p, planned), *step = &copy;
    struct wire_request rq;

    p->n_sent = 1;
    if (!plan_step_request(step, p->arena, &rq))
        return false;
    trace_step(s, p, step);
    keep_answer(p, &rq);
    net_request(s, p->conn[0], &rq);
    sweep_scheduler(s, p);
    if (!is_silent(rq.number))
        return true;
    if (rnd_percent(&s->rnd, p->answer_twice_percent))
        net_request(s, p->conn[0], &rq);
    return false;
}

/* What a command that waits for the run of its job hears. */
static void answer_deferred(struct sim *s, struct planner *p)
{
    struct body_sched_reply body = { .command = 11, .job_id = p->job_id, .error = 0 };
    const struct wire_request rq = { .number = BATCH_DEF_SCHED_REPLY,
                                     .user = "root",
                                     .body = &body };

    for (size_t i = 0; i < p->plan.n && !p->failed; i++)
        if (p->plan.steps[i].kind == PLAN_RUN_JOB)
            goto send;
    body.error = PBSE_RESCUNAV;
    body.text = "Not Running";
send:
    net_request(s, p->conn[0], &rq);
}

static void plan_is_done(struct sim *s, struct planner *p)
{
    if (p->cut) {
        sim_trace(s, "scheduler %s: leaves its cycle", p->name);
        end_cycle(s, p);
    } else if (p->refused && !(p->job_id && p->failed) &&
               p->n_restarts++ < RESTARTS_MAX) {
        begin_pass(s, p);
    } else if (p->plan.again && p->n_again++ < AGAIN_MAX) {
        begin_pass(s, p);
    } else if (p->job_id) {
        answer_deferred(s, p);
        p->step = SIZE_MAX - 1; /* its reply ends the cycle */
    } else {
        end_cycle(s, p);
    }
}

/* As the daemon does: answers about reservations are given all the same, and a job for
 * which others have just left is run. */
static bool may_leave(const struct planner *p)
{
    const struct plan_step *step = &p->plan.steps[p->step];

    return p->cut && step->kind != PLAN_CONFIRM_RESV && step->kind != PLAN_DENY_RESV &&
           !step->preempts;
}

static void act_next(struct sim *s, struct planner *p)
{
    while (p->step < p->plan.n && !may_leave(p)) {
        size_t n = p->answers_many ? plan_answers(&p->plan, p->step) : 0;
        enum pull pull = puller_step(s, p, &p->plan.steps[p->step]);

        if (pull == PULL_WAIT)
            return;
        if (pull == PULL_SKIP) {
            p->step++;
            continue;
        }
        if (n > 1) {
            carry_out_many(s, p, n);
            return;
        }
        if (carry_out(s, p, &p->plan.steps[p->step]))
            return;
        p->step++;
    }
    plan_is_done(s, p);
}

void planner_moved(struct sim *s, struct planner *p, bool is_here)
{
    if (p->state != PLANNER_ACTING)
        return;
    p->step += !is_here;
    act_next(s, p);
}

/* Replies. */

static void registered(struct sim *s, struct planner *p, const struct wire_reply *reply)
{
    if (reply->code) { /* tried anew, as the daemon does */
        drop_link(s, p);
        connect_later(s, p);
        return;
    }
    if (p->second) {
        p->state = PLANNER_IDLE;
        return;
    }
    p->second = true;
    send_register(s, p);
}

/* What became of the next step. */
static void step_told(struct sim *s, struct planner *p, const struct wire_reply *reply)
{
    const struct plan_step *step = &p->plan.steps[p->step++];

    for (size_t i = 0; i < reply->deleted.n; i++) {
        sim_trace(s, "scheduler %s: %s leaves: %s", p->name, reply->deleted.v[i].id,
                  reply->deleted.v[i].order);
        if (strcmp(reply->deleted.v[i].order, PREEMPT_FAILED) == 0)
            add_name(&p->spared, reply->deleted.v[i].id);
    }
    if (reply->code == 0) {
        note_answered(p, step);
        return;
    }
    /* As the daemon does: what was planned without them is planned anew. */
    if (step->kind == PLAN_PREEMPT_JOBS || step->preempts)
        p->failed = p->refused = true;
    if (step->preempts)
        add_name(&p->put_off, step->id);
    sim_trace(s, "scheduler %s: is refused: %s %d", p->name, step->id, reply->code);
    if (!p->step_twice)
        p->refused |= step->kind == PLAN_CONFIRM_RESV;
}

static void step_answered(struct sim *s, struct planner *p,
                          const struct wire_reply *reply)
{
    sweep_scheduler(s, p);
    if (p->step == SIZE_MAX) {
        begin_pass(s, p);
        return;
    }
    if (p->step == SIZE_MAX - 1) {
        end_cycle(s, p);
        return;
    }
    if (!p->step_twice && rnd_percent(&s->rnd, p->answer_twice_percent)) {
        p->step_twice = true;
        if (p->n_sent > 1)
            carry_out_many(s, p, p->n_sent);
        else
            (void)carry_out(s, p, &p->plan.steps[p->step]);
        return;
    }
    for (size_t i = 0; i < p->n_sent; i++) {
        const struct wire_reply one =
            p->n_sent > 1 ? wire_answers_reply(reply, i) : *reply;

        step_told(s, p, &one);
    }
    p->step_twice = false;
    if (p->refused)
        plan_is_done(s, p);
    else
        act_next(s, p);
}

/* It goes on with what it is told, and begins anew after a refusal or an answer that
 * does not follow the one before. What a server without its store refuses ends the
 * cycle, as in mirror_update(). */
static void changes_told(struct sim *s, struct planner *p,
                         const struct wire_reply *reply)
{
    bool twice = rnd_percent(&s->rnd, p->reads_twice_percent);
    bool fine = reply->code == 0;

    MUST(!reply->more); /* complexes are small here */
    if (reply->code == PBSE_SAVE_ERR) {
        sim_trace(s, "scheduler %s: is shown nothing", p->name);
        plan_is_done(s, p);
        return;
    }
    for (int i = 0; fine && i <= twice; i++)
        fine = snapshot_patch(p->kept, &reply->objects);
    if (fine) {
        think(s, p);
        return;
    }
    sim_trace(s, "scheduler %s: asks for everything again: %d", p->name, reply->code);
    drop_kept(p);
    begin_pass(s, p);
}

static void on_reply(struct sim *s, void *owner, uint64_t conn UNUSED,
                     const struct wire_reply *reply)
{
    struct planner *p = owner;

    if (p->state == PLANNER_REGISTERING) {
        registered(s, p, reply);
    } else if (p->state == PLANNER_TRYING) {
        trial_told(s, p, reply);
    } else if (p->state == PLANNER_ASKING && p->kept) {
        changes_told(s, p, reply);
    } else if (p->state == PLANNER_ASKING) {
        if (reply->code == 0)
            snapshot_add(p->snapshot, &reply->objects);
        if (!reply->more) {
            p->asked++;
            ask_next(s, p);
        }
    } else if (p->state == PLANNER_ACTING) {
        step_answered(s, p, reply);
    }
}

static const struct conn_ops planner_ops = { on_reply, on_command, on_closed };
