/* cycle.c - one scheduling cycle: ask the server, plan, carry the plan out. When the
 * plan has answered questions about reservations another pass follows, so that jobs are
 * planned on the complex as it is after the answers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/shell.h"

#include "lib/attr/value.h"
#include "lib/io/clock.h"
#include "lib/wire/answers.h"
#include "scheduler/shell/mirror.h"
#include "scheduler/shell/peers.h"
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
    bool news_only;               /* jobs are not told what they were told before */
    struct arena *arena;          /* of the pass */
    struct wire_strings answered; /* reservations, in memory of their own */
    struct wire_strings spared;   /* jobs that could not be preempted, likewise */
    struct wire_strings given_up; /* jobs for which others have not left, likewise */
    struct wire_strings put_off; /* jobs that do not run though others left, likewise */
    struct wire_strings victims; /* who has left for one of those, likewise */
    char *tries;                 /* the job for which they did not leave last, */
    int n_tries;                 /* so often in a row */
    bool refused;                /* the server did not take an answer: look again */
    bool failed; /* nor did others leave for a job: the rest of the plan is void */
    bool stop;
    bool has_remarked;  /* in an earlier pass */
    bool cut;           /* the server wants the cycle to end early */
    int n_paces;        /* requests of keep_pace() */
    int n_awaited;      /* of their replies */
    size_t n_done;      /* steps of the pass that were carried out */
    bool gathers;       /* lines of the log are held */
    const char *pulled; /* the job that pull() has moved last */
    int64_t begun_ms;   /* of the monotonic clock */
};

/* A cycle that is cut looks at so many slices of jobs all the same. The next one goes
 * on behind them, so that questions without end only slow the jobs down. */
enum {
    SLICES_IF_CUT = 1,
    /* keep_pace(): so many slices are on their way, so many wait for the disk. */
    PACES_AHEAD = 3,
    PACES_UNSAVED = 8
};

/* How often others are chosen for one job of which somebody stays (scheduling.md 22.2).
 */
#define PREEMPT_TRIES  5

#define CYCLE_LENGTH_S 1200 /* sched_cycle_length that is not set */

static void log_debug(struct shell *sh, const char *text)
{
    logfile_write(sh->log, LOG_EV_DEBUG, LOG_IN_REQUEST, "", text);
}

static void add_name(struct wire_strings *list, const char *name)
{
    list->v = xrealloc(list->v, (list->n + 1) * sizeof(*list->v));
    list->v[list->n++] = xstrdup(name);
}

static bool has_name(const struct wire_strings *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->v[i], name) == 0)
            return true;
    return false;
}

static void free_names(struct wire_strings *list)
{
    for (size_t i = 0; i < list->n; i++)
        free((char *)list->v[i]);
    free(list->v);
    *list = (struct wire_strings){ 0 };
}

void shell_forget_in_vain(struct shell *sh)
{
    free_names(&sh->in_vain);
}

static bool is_resv_step(const struct plan_step *step)
{
    return step->kind == PLAN_CONFIRM_RESV || step->kind == PLAN_DENY_RESV;
}

/* The steps of a plan for one array are about its subjobs, and about itself when one
 * cannot be started. */
static bool plan_is_about(const char *job_id, const char *step_id)
{
    size_t len = strcspn(job_id, "[");

    return strcmp(job_id, step_id) == 0 ||
           (job_id[len] == '[' && strncmp(job_id, step_id, len + 1) == 0);
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
    if (c->failed)
        body.text = "Can't preempt enough work to run job";
    for (size_t i = 0; plan && !c->failed && i < plan->n; i++) {
        if (!plan_is_about(c->job_id, plan->steps[i].id) ||
            plan->steps[i].kind == PLAN_PREEMPT_JOBS)
            continue;
        body.error = plan->steps[i].kind == PLAN_RUN_JOB ? 0 : PBSE_RESCUNAV;
        body.text = body.error ? plan->steps[i].log : NULL;
        /* Of an array that was asked for one subjob that starts is enough. */
        if (!body.error)
            break;
    }
    if (body.error && !body.text) {
        body.text = "PBS Error: Scheduler can not find job";
        logfile_write(c->sh->log, LOG_EV_SCHED, LOG_IN_JOB, c->job_id,
                      "Could not find job to qrun.");
    }
    if (link_call(c->sh->primary, &rq, c->arena, &reply, &why) == 0 && reply.code)
        logfile_printf(c->sh->log, LOG_EV_ERROR, LOG_IN_JOB, c->job_id,
                       "Error in deferred reply: %s", reply.text ? reply.text : "");
}

/* See without waiting whether the server wants the cycle to end early: it is told to
 * quit, or a question about a reservation is not to wait for the jobs of a long cycle.
 */
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
        c->cut = true;
    } else if (command > SCHED_NULL) {
        /* It is not meant to be there before the end of the cycle; it comes next. */
        shell_remember(c->sh, command, job_id);
    }
}

/* Returns 'err'. */
static int leave_after(struct cycle *c, const char *id, int err, const struct diag *why)
{
    if (err) {
        logfile_printf(c->sh->log, LOG_EV_ERROR, LOG_IN_JOB, id,
                       "Leaving scheduling cycle because of an internal error. %s",
                       why->text);
        c->stop = true;
    }
    return err;
}

/* Others are chosen for it in the next pass, but not without end. */
static void count_try(struct cycle *c, const char *job_id)
{
    if (!str_same(c->tries, job_id)) {
        free(c->tries);
        c->tries = xstrdup(job_id);
        c->n_tries = 0;
    }
    if (++c->n_tries < PREEMPT_TRIES)
        return;
    logfile_write(c->sh->log, LOG_EV_DEBUG, LOG_IN_JOB, job_id,
                  "Maximum number of preemption tries exceeded - cannot run job");
    add_name(&c->given_up, job_id);
}

/* Those who have not left are left alone in this cycle, and what was planned without
 * them is planned anew. */
static void note_preemption(struct cycle *c, const char *job_id,
                            const struct wire_reply *reply)
{
    for (size_t i = 0; i < reply->deleted.n; i++)
        if (str_same(reply->deleted.v[i].order, PREEMPT_FAILED))
            add_name(&c->spared, reply->deleted.v[i].id);
    if (!reply->code && reply->choice == REPLY_PREEMPT)
        return;
    c->failed = c->refused = true;
    count_try(c, job_id);
}

/* Others have left for it, and it does not run: they come first now, and it waits for
 * the next cycle (scheduling.md 22.2). It follows the step that made them leave. */
static void return_victims(struct cycle *c, const struct plan_step *step)
{
    const struct plan_step *before = step - 1;

    MUST(step->preempts && before->kind == PLAN_PREEMPT_JOBS);
    MUST(strcmp(before->id, step->id) == 0);
    c->failed = c->refused = true;
    add_name(&c->put_off, step->id);
    if (!has_name(&c->sh->in_vain, step->id))
        add_name(&c->sh->in_vain, step->id);
    for (size_t i = 0; i < before->victims.n; i++)
        add_name(&c->victims, before->victims.v[i]);
}

/* A job that the server does not run waits for the next cycle, and says why. What it
 * was to get is free for the others then, too. */
static void comment_refusal(struct cycle *c, const struct plan_step *step,
                            const struct wire_reply *reply)
{
    const char *words = reply->text ? reply->text : pbse_text(reply->code);
    struct wire_request rq;
    struct diag why;

    if (!c->sh->updates.is_due ||
        !plan_refused_request(step, c->sh->policy, words, c->arena, &rq))
        return;
    updates_sent(&c->sh->updates);
    (void)leave_after(c, step->id, link_send(c->sh->primary, &rq, &why), &why);
}

/* The step has been sent; 'reply' is empty where none is awaited. */
static void step_is_done(struct cycle *c, const struct plan_step *step,
                         const struct wire_reply *reply)
{
    shell_log_step(c->sh, step, reply);
    /* The next pass must not answer the question again when the server's status still
     * shows it. */
    if (is_resv_step(step) && reply->code == 0)
        add_name(&c->answered, step->id);
    else if (is_resv_step(step))
        c->refused = true;
    else if (step->kind == PLAN_PREEMPT_JOBS)
        note_preemption(c, step->id, reply);
    else if (step->preempts && reply->code)
        return_victims(c, step);
    if (step->kind == PLAN_RUN_JOB && reply->code && has_name(&c->victims, step->id))
        logfile_printf(c->sh->log, LOG_EV_SCHED, LOG_IN_JOB, step->id,
                       "Failed to rerun job: %s",
                       reply->text ? reply->text : pbse_text(reply->code));
    if (step->kind == PLAN_RUN_JOB && reply->code && !c->stop)
        comment_refusal(c, step, reply);
}

/* Read the replies to keep_pace(), but for the last 'but' ones. */
static void read_paces(struct cycle *c, int but)
{
    struct wire_reply reply;
    struct diag why;

    for (; c->n_awaited > but; c->n_awaited--)
        if (link_is_broken(c->sh->primary) ||
            link_read_reply(c->sh->primary, c->arena, &reply, &why) != 0)
            c->stop = true;
}

/* Lines about jobs that wait are written together as long as nothing is sent between
 * them. */
static void gather_lines(struct cycle *c, bool gathers)
{
    if (c->gathers != gathers)
        logfile_gather(c->sh->log, gathers);
    c->gathers = gathers;
}

/* A job of another queue is moved before it is run, and nothing else is asked for it
 * (scheduling.md 28). False: nothing is to be sent. */
static bool pull(struct cycle *c, const struct plan_step *step)
{
    const struct peer_job *job = peers_find(c->sh->peers, step->id);

    if (!job)
        return true;
    gather_lines(c, false);
    /* Others leave for it before it is moved. */
    if (step->kind == PLAN_PREEMPT_JOBS)
        return true;
    /* It came with the step that shortens it. */
    if (step->kind == PLAN_RUN_JOB && step->considered && str_same(c->pulled, step->id))
        return true;
    if (step->kind == PLAN_RUN_JOB || step->kind == PLAN_SHRINK_JOB) {
        /* Replies come in order: those of before are read first. */
        read_paces(c, 0);
        c->pulled = !c->stop && peers_pull(c->sh, job, c->arena) ? step->id : NULL;
        return c->pulled != NULL;
    }
    shell_log_step(c->sh, step, NULL);
    return false;
}

/* Replies come in order: those of before are read first. */
static int ask(struct cycle *c, const struct wire_request *rq, struct wire_reply *reply,
               struct diag *why)
{
    read_paces(c, 0);
    if (c->stop)
        return diag_set(why, PBSE_PROTOCOL, "the server does not answer");
    return link_call(c->sh->primary, rq, c->arena, reply, why);
}

/* True when something was sent, and the server may have something to say. */
static bool carry_out(struct cycle *c, const struct plan_step *step)
{
    struct wire_reply reply = { 0 };
    struct wire_request rq;
    struct plan_step sent;
    struct diag why;
    bool sends;
    int err = 0;

    MUST(!c->stop); /* nothing is sent once a cycle is to end */
    if (!pull(c, step))
        return true;
    sent = updates_hold_back(&c->sh->updates, step);
    /* Whether those go on who have left in vain is worth an answer. */
    if (step->kind == PLAN_RUN_JOB && step->waits == PLAN_WAIT_NONE &&
        has_name(&c->victims, step->id))
        sent.waits = PLAN_WAIT_HOOKS;
    sends = plan_step_request(&sent, c->arena, &rq);
    if (sends && step->kind == PLAN_COMMENT_JOB)
        updates_sent(&c->sh->updates);
    gather_lines(c, !sends);
    if (sends) {
        /* The server may refuse an answer about a reservation, so its reply is
         * awaited; so is that of MoMs whose jobs are to go on or to leave, and whether
         * the job for which they left runs. Jobs are run and commented without one: a
         * cycle may have thousands. */
        if (plan_step_is_awaited(&sent))
            err = ask(c, &rq, &reply, &why);
        else
            err = link_send(c->sh->primary, &rq, &why);
    }
    if (leave_after(c, step->id, err, &why) == 0)
        step_is_done(c, step, &reply);
    return sends;
}

/* Many answers about reservations go to our server in one request, so that they are
 * saved together. Any other server is given one after the other. */
static void carry_out_answers(struct cycle *c, const struct plan_step *steps, size_t n)
{
    struct wire_request rq;
    struct wire_reply reply;
    struct diag why;

    MUST(!c->stop && n > 1);
    plan_answers_request(steps, n, c->arena, &rq);
    if (leave_after(c, steps->id,
                    link_call(c->sh->primary, &rq, c->arena, &reply, &why), &why))
        return;
    for (size_t i = 0; i < n; i++) {
        const struct wire_reply one = wire_answers_reply(&reply, i);

        step_is_done(c, &steps[i], &one);
    }
}

/* Returns how many steps those were. */
static size_t carry_out_next(struct cycle *c, const struct plan *plan)
{
    const struct plan_step *steps = &plan->steps[c->n_done];
    size_t n = c->sh->can_answer_many ? plan_answers(plan, c->n_done) : 0;

    if (n > 1) {
        gather_lines(c, false);
        carry_out_answers(c, steps, n);
        return n;
    }
    /* The job for which others have left is run before anything else. Behind a job that
     * waits nobody looks: there are thousands, and the end of the slice comes soon. */
    if (carry_out(c, steps) && !c->stop && !is_resv_step(steps) &&
        steps->kind != PLAN_PREEMPT_JOBS)
        look_for_command(c);
    return 1;
}

/* Carry out what the plan has by now. */
static void carry_out_new(struct cycle *c, const struct plan *plan)
{
    while (c->n_done < plan->n && !c->stop && !c->failed)
        c->n_done += carry_out_next(c, plan);
    gather_lines(c, false);
}

/* Where the next cycle goes on; NULL: with the first job. */
static void remember_place(struct cycle *c, const char *last_id)
{
    free(c->sh->last_waiting);
    c->sh->last_waiting = last_id ? xstrdup(last_id) : NULL;
}

static void leave(struct cycle *c)
{
    log_debug(c->sh, "Leaving scheduling cycle as requested by server.");
    c->stop = true;
}

/* A cycle of sched_cycle_length ends: the next one goes on behind it. */
static void leave_if_long(struct cycle *c)
{
    int64_t lasted_s = (clock_mono_ms() - c->begun_ms) / 1000;

    if (lasted_s < c->sh->cycle_length_s)
        return;
    logfile_printf(c->sh->log, LOG_EV_SCHED, LOG_IN_SCHED, "toolong",
                   "Leaving the scheduling cycle: Cycle duration of %" PRId64
                   " seconds has exceeded sched_cycle_length of %" PRId64 " seconds",
                   lasted_s, c->sh->cycle_length_s);
    c->stop = true;
}

/* A request whose answer shows that the server has decided all that was before it;
 * every few slices that it has saved it as well. A server of ours answers for a
 * resource at once, and for itself when all that was decided is on disk. */
static struct wire_request pace_request(const struct cycle *c, struct body_status *body)
{
    bool saved = c->n_paces % PACES_UNSAVED == 0;

    *body = (struct body_status){ .id = saved ? "" : "ncpus" };
    if (saved)
        wire_attrs_add(&body->wanted, c->arena, "scheduling", NULL, "", WIRE_OP_SET);
    return (struct wire_request){
        .number = saved ? BATCH_STATUS_SERVER : BATCH_STATUS_RESOURCE,
        .body = body,
    };
}

/* Jobs are run without a reply, so thousands of them may be on their way, and whatever
 * the server is asked next waits behind them, a question about a reservation among
 * them. A small request behind each slice is awaited some slices later, so that neither
 * waits for the other. Until it is answered the server decides nothing further of this
 * connection, so only few of them wait for the disk. */
static void keep_pace(struct cycle *c)
{
    struct body_status body;
    struct wire_request rq;
    struct diag why;

    read_paces(c, PACES_AHEAD - 1);
    if (c->stop)
        return;
    c->n_paces++;
    rq = pace_request(c, &body);
    if (link_send(c->sh->primary, &rq, &why) != 0)
        c->stop = true;
    else
        c->n_awaited++;
}

/* Plan, and carry out each slice before the next one is planned: jobs start while the
 * others are looked at, and the server can end a long cycle between two. */
static void plan_and_do(struct cycle *c, const struct snapshot *s, struct plan *plan)
{
    const struct sched_look look = { .job_id = c->job_id,
                                     .last_id = c->job_id ? NULL : c->sh->last_waiting,
                                     .tells_sets =
                                         logfile_mask(c->sh->log) & LOG_EV_DEBUG3,
                                     .news_only = c->news_only };
    struct planning *p =
        planning_new(s, c->sh->policy, clock_read(), &look, c->arena, plan);
    /* With a length of 0 a cycle is of one job. */
    size_t effort = c->sh->cycle_length_s > 0 ? PLANNING_EFFORT : 1;
    bool more = true;

    if (!c->job_id && !c->has_remarked)
        shell_log_remarks(c->sh, p);
    c->has_remarked = true;
    c->n_done = 0;
    carry_out_new(c, plan);
    for (int i = 0; more && !c->stop && !c->failed; i++) {
        look_for_command(c);
        if (c->stop)
            break;
        more = planning_go_on(p, effort);
        carry_out_new(c, plan);
        if (more && !c->stop && !c->failed && !c->sh->no_seq)
            keep_pace(c);
        if (c->cut && more && !c->stop && i + 1 >= SLICES_IF_CUT)
            leave(c);
        if (more && !c->stop && !c->failed)
            leave_if_long(c);
    }
    read_paces(c, 0);
    if (!c->job_id && !plan->again)
        remember_place(c, more ? planning_last_waiting(p) : NULL);
    planning_free(p);
}

static bool take_snapshot(struct cycle *c, struct snapshot **ret)
{
    struct diag why;

    *ret = NULL;
    if (mirror_snapshot(c->sh, c->arena, ret, &why) != 0) {
        logfile_write(c->sh->log, LOG_EV_ERROR, LOG_IN_SERVER, "", why.text);
        logfile_write(c->sh->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "",
                      "Problem with creating server data structure");
        return false;
    }
    for (size_t i = 0; i < c->answered.n; i++)
        snapshot_skip_resv(*ret, c->answered.v[i]);
    for (size_t i = 0; i < c->spared.n; i++)
        snapshot_spare_job(*ret, c->spared.v[i]);
    for (size_t i = 0; i < c->given_up.n; i++)
        snapshot_give_up(*ret, c->given_up.v[i]);
    for (size_t i = 0; i < c->sh->in_vain.n; i++)
        snapshot_give_up(*ret, c->sh->in_vain.v[i]);
    for (size_t i = 0; i < c->put_off.n; i++)
        snapshot_put_off(*ret, c->put_off.v[i]);
    return true;
}

/* Run one pass. True when another one is due. */
static bool run_pass(struct cycle *c)
{
    struct snapshot *s;
    struct plan plan = { 0 };
    bool again = false;

    c->arena = arena_new();
    c->refused = c->failed = false;
    if (take_snapshot(c, &s)) {
        plan_and_do(c, s, &plan);
        /* Who waits for qrun is told of the first attempt. */
        again = (plan.again || c->refused) && !c->stop && !(c->job_id && c->failed);
    }
    if (c->job_id && !link_is_broken(c->sh->primary))
        send_run_verdict(c, &plan);
    arena_free(c->arena);
    if (s != c->sh->mirror)
        snapshot_free(s);
    return again;
}

void shell_cycle(struct shell *sh, const char *job_id, bool news_only)
{
    struct cycle c = {
        .sh = sh, .job_id = job_id, .news_only = news_only, .begun_ms = clock_mono_ms()
    };
    int passes = 0;

    MUST(sh->primary && sh->secondary && sh->policy);
    log_debug(sh, "Starting Scheduling Cycle");
    /* This scheduler knows no other time (scheduling.md 9). */
    logfile_write(sh->log, LOG_EV_DEBUG2, LOG_IN_SERVER, "",
                  "It is primetime.  It will never end");
    if (job_id)
        logfile_write(sh->log, LOG_EV_JOB, LOG_IN_JOB, job_id, "Received qrun request");
    /* Those who have left for such a job and have come back wake the next cycle: they
     * would leave and come back without end. */
    if (!news_only)
        shell_forget_in_vain(sh);
    updates_begin(&sh->updates, clock_read());
    peers_begin(sh->peers, job_id == NULL);
    while (run_pass(&c) && ++passes < PASSES_MAX)
        continue;
    peers_end(sh->peers);
    free_names(&c.answered);
    free_names(&c.spared);
    free_names(&c.given_up);
    free_names(&c.put_off);
    free_names(&c.victims);
    free(c.tries);
    log_debug(sh, "Leaving Scheduling Cycle");
}

/* The attributes of the scheduler's own object that the daemon obeys itself. */
static void obey(struct shell *sh, const struct wire_attrs *own)
{
    const char *events = wire_attrs_value(own, "log_events", NULL);
    const char *length = wire_attrs_value(own, "sched_cycle_length", NULL);

    if (events)
        logfile_set_mask(sh->log, (uint32_t)strtoul(events, NULL, 10));
    updates_set_period(&sh->updates, wire_attrs_value(own, "attr_update_period", NULL));
    if (!length || duration_parse(length, &sh->cycle_length_s) != 0)
        sh->cycle_length_s = CYCLE_LENGTH_S;
}

static void obey_own_object(struct shell *sh)
{
    for (size_t i = 0; i < sh->scheds.n; i++)
        if (strcmp(sh->scheds.v[i].name, sh->name) == 0)
            obey(sh, &sh->scheds.v[i].attrs);
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
    /* What is kept was read with the resources and the partition of before, and plans
     * have made of it what the settings said. */
    mirror_drop(sh);
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
    shell_tell_unknown_names(sh);
}
