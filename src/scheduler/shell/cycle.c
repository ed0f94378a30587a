/* cycle.c - one scheduling cycle: ask the server, plan, carry the plan out. When the
 * plan has answered questions about reservations another pass follows, so that jobs are
 * planned on the complex as it is after the answers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/shell.h"

#include "lib/io/clock.h"
#include "scheduler/shell/status.h"

#include <stdlib.h>
#include <string.h>

/* A plan that settled reservations is followed by another one, but not for ever. */
enum {
    PASSES_MAX = 6
};

struct cycle {
    struct shell *sh;
    const char *job_id;           /* command 11 */
    struct arena *arena;          /* of the pass */
    struct wire_strings answered; /* reservations, in memory of their own */
    bool refused;                 /* the server did not take an answer: look again */
    bool stop;
};

static void log_debug(struct shell *sh, const char *text)
{
    logfile_write(sh->log, LOG_EV_DEBUG, LOG_IN_REQUEST, "", text);
}

/* The next pass must not answer the question again when the server's status still
 * shows it. */
static void note_answered(struct cycle *c, const char *resv_id)
{
    c->answered.v =
        xrealloc(c->answered.v, (c->answered.n + 1) * sizeof(*c->answered.v));
    c->answered.v[c->answered.n++] = xstrdup(resv_id);
}

static void forget_answered(struct cycle *c)
{
    for (size_t i = 0; i < c->answered.n; i++)
        free((char *)c->answered.v[i]);
    free(c->answered.v);
}

static bool is_resv_step(const struct plan_step *step)
{
    return step->kind == PLAN_CONFIRM_RESV || step->kind == PLAN_DENY_RESV;
}

/* Send the server's deferred answer to a run request (wire.md 12.4). The user of
 * qrun waits for it, so it is sent whatever became of the plan. */
static void send_run_verdict(struct cycle *c, const struct plan *plan)
{
    struct body_sched_reply body = { .command = SCHED_RUN_JOB, .job_id = c->job_id };
    const struct wire_request rq = { .number = BATCH_DEF_SCHED_REPLY, .body = &body };
    struct wire_reply reply;
    struct diag why;

    MUST(c->job_id);
    body.error = PBSE_RESCUNAV;
    body.text = "PBS Error: Scheduler can not find job";
    for (size_t i = 0; plan && i < plan->n; i++) {
        if (strcmp(plan->steps[i].id, c->job_id) != 0)
            continue;
        body.error = plan->steps[i].kind == PLAN_RUN_JOB ? 0 : PBSE_RESCUNAV;
        body.text = body.error ? plan->steps[i].log : NULL;
    }
    if (link_call(c->sh->primary, &rq, c->arena, &reply, &why) == 0 && reply.code)
        logfile_printf(c->sh->log, LOG_EV_ERROR, LOG_IN_JOB, c->job_id,
                       "Error in deferred reply: %s", reply.text ? reply.text : "");
}

/* See without waiting whether the server wants the cycle to end early. */
static void look_for_command(struct cycle *c)
{
    int32_t command;
    const char *job_id;
    struct diag why;

    if (link_read_command(c->sh->secondary, 0, c->arena, &command, &job_id, &why) !=
        0) {
        log_debug(c->sh,
                  "We lost connection with the server, leaving scheduling cycle");
        c->stop = true;
    } else if (command == SCHED_QUIT) {
        c->sh->quit = c->stop = true;
    } else if (command == SCHED_RESTART_CYCLE) {
        log_debug(c->sh, "Leaving scheduling cycle as requested by server.");
        c->stop = true;
    }
}

static void carry_out(struct cycle *c, const struct plan_step *step)
{
    struct wire_reply reply = { 0 };
    struct wire_request rq;
    struct diag why;
    int err = 0;

    MUST(!c->stop); /* nothing is sent once a cycle is to end */
    if (plan_step_request(step, c->arena, &rq)) {
        /* The server may refuse an answer about a reservation, so its reply is
         * awaited. Jobs are run and commented without one: a cycle may have
         * thousands. */
        if (is_resv_step(step))
            err = link_call(c->sh->primary, &rq, c->arena, &reply, &why);
        else
            err = link_send(c->sh->primary, &rq, &why);
    }
    if (err) {
        logfile_printf(c->sh->log, LOG_EV_ERROR, LOG_IN_JOB, step->id,
                       "Leaving scheduling cycle because of an internal error. %s",
                       why.text);
        c->stop = true;
        return;
    }
    shell_log_step(c->sh, step, &reply);
    if (is_resv_step(step) && reply.code == 0)
        note_answered(c, step->id);
    else if (is_resv_step(step))
        c->refused = true;
}

static void carry_out_all(struct cycle *c, const struct plan *plan)
{
    for (size_t i = 0; i < plan->n && !c->stop; i++) {
        carry_out(c, &plan->steps[i]);
        if (!c->stop && !is_resv_step(&plan->steps[i]))
            look_for_command(c);
    }
}

static bool take_snapshot(struct cycle *c, struct snapshot *s)
{
    struct diag why;

    if (status_snapshot(c->sh, c->arena, s, &why) != 0) {
        logfile_write(c->sh->log, LOG_EV_ERROR, LOG_IN_SERVER, "", why.text);
        logfile_write(c->sh->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "",
                      "Problem with creating server data structure");
        return false;
    }
    for (size_t i = 0; i < c->answered.n; i++)
        snapshot_skip_resv(s, c->answered.v[i]);
    return true;
}

/* Run one pass. True when another one is due. */
static bool run_pass(struct cycle *c)
{
    struct snapshot *s = snapshot_new();
    struct plan plan = { 0 };
    bool again = false;

    c->arena = arena_new();
    c->refused = false;
    if (take_snapshot(c, s)) {
        sched_plan(s, c->sh->policy, clock_read(), c->job_id, c->arena, &plan);
        carry_out_all(c, &plan);
        again = (plan.again || c->refused) && !c->stop;
    }
    if (c->job_id && !link_is_broken(c->sh->primary))
        send_run_verdict(c, &plan);
    arena_free(c->arena);
    snapshot_free(s);
    return again;
}

void shell_cycle(struct shell *sh, const char *job_id)
{
    struct cycle c = { .sh = sh, .job_id = job_id };
    int passes = 0;

    MUST(sh->primary && sh->secondary && sh->policy);
    log_debug(sh, "Starting Scheduling Cycle");
    if (job_id)
        logfile_write(sh->log, LOG_EV_JOB, LOG_IN_JOB, job_id, "Received qrun request");
    while (run_pass(&c) && ++passes < PASSES_MAX)
        continue;
    forget_answered(&c);
    log_debug(sh, "Leaving Scheduling Cycle");
}

/* The attributes of the scheduler's own object that the daemon obeys itself. */
static void obey_own_object(struct shell *sh)
{
    for (size_t i = 0; i < sh->scheds.n; i++) {
        const char *events =
            wire_attrs_value(&sh->scheds.v[i].attrs, "log_events", NULL);

        if (strcmp(sh->scheds.v[i].name, sh->name) == 0 && events)
            logfile_set_mask(sh->log, (uint32_t)strtoul(events, NULL, 10));
    }
}

void shell_configure(struct shell *sh)
{
    static const struct status_kind resources_kind = { .request = BATCH_STATUS_RESOURCE,
                                                       .extend = "p",
                                                       .words = "pbs_statrsc failed" };
    static const struct status_kind scheds_kind = { .request = BATCH_STATUS_SCHED,
                                                    .words = "pbs_statsched failed" };
    struct arena *arena = arena_new();
    struct wire_objects resources, scheds;
    struct diag why;

    logfile_write(sh->log, LOG_EV_DEBUG, LOG_IN_REQUEST, "",
                  "Updating scheduler attributes");
    if (status_all(sh, &resources_kind, arena, &resources, &why) != 0 ||
        status_all(sh, &scheds_kind, arena, &scheds, &why) != 0) {
        logfile_write(sh->log, LOG_EV_ERROR, LOG_IN_SERVER, "", why.text);
        arena_free(arena);
        return;
    }
    /* The answers of the last time are kept until the new ones are complete. */
    arena_free(sh->defs_arena);
    sh->defs_arena = arena;
    sh->resources = resources;
    sh->scheds = scheds;
    obey_own_object(sh);
}
