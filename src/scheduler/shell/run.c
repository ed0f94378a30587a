/* run.c - connected to the server: register, wait for commands, serve them, again and
 * again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/mirror.h"
#include "scheduler/shell/shell.h"
#include "scheduler/shell/signals.h"

#include <stdlib.h>

enum {
    /* The daemon waits this long between two tries to connect. */
    RETRY_MS = 2000
};

static void disconnect(struct shell *sh)
{
    link_close(sh->primary);
    link_close(sh->secondary);
    sh->primary = sh->secondary = NULL;
    /* The next server may be another one. */
    sh->no_seq = sh->can_mirror = sh->can_answer_many = false;
    mirror_drop(sh);
    /* Its commands and its jobs are not the next server's. */
    shell_remember(sh, SCHED_NULL, NULL);
    shell_forget_in_vain(sh);
    free(sh->last_waiting);
    sh->last_waiting = NULL;
}

static int register_link(struct shell *sh, struct link *l, struct diag *why)
{
    const struct body_id body = { .id = sh->name };
    /* Our server may then cut a cycle short and ask for dry runs (doc/extensions.md);
     * others pass it over. */
    const struct wire_request rq = { .number = BATCH_REGISTER_SCHED,
                                     .body = &body,
                                     .extend = REGISTER_MAY_CUT
                                     "," REGISTER_MAY_TRY "," REGISTER_MAY_OFFER };
    struct arena *arena = arena_new();
    struct wire_reply reply;
    int err = link_call(l, &rq, arena, &reply, why);

    if (!err && reply.code)
        err = diag_set(why, reply.code,
                       "Couldn't register the scheduler %s with connected server: %s",
                       sh->name, reply.text ? reply.text : "");
    arena_free(arena);
    return err;
}

/* Open both links and register each. The server tells the two apart by their order:
 * requests are sent on the first, commands come on the second (wire.md 12.1). */
static int connect_server(struct shell *sh, struct diag *why)
{
    int err;

    MUST(!sh->primary && !sh->secondary);
    err = link_open(sh->conf, sh->resolver, sh->user, &sh->primary, why);
    if (!err)
        err = link_open(sh->conf, sh->resolver, sh->user, &sh->secondary, why);
    if (!err)
        err = register_link(sh, sh->primary, why);
    if (!err)
        err = register_link(sh, sh->secondary, why);
    if (err)
        disconnect(sh);
    else
        mirror_ask_server(sh);
    return err;
}

static void reconfigure(struct shell *sh)
{
    logfile_write(sh->log, LOG_EV_SCHED, LOG_IN_SCHED, "reconfigure",
                  "Scheduler is reconfiguring");
    shell_read_config(sh);
    shell_configure(sh);
}

/* Do what a command says. Every other number than these means a cycle: which event
 * caused it does not matter for what is decided, since the states in the snapshot
 * decide. What the administrator asks for, and what comes every scheduler_iteration,
 * has the log say of each job why it waits; other cycles say what is new. */
static void obey(struct shell *sh, int32_t command, const char *job_id)
{
    MUST(command != SCHED_RUN_JOB || job_id);
    switch (command) {
    case SCHED_NULL:
    case SCHED_RULESET:
    case SCHED_RESTART_CYCLE: /* no cycle runs now */
        break;
    case SCHED_CONFIGURE:
        reconfigure(sh);
        break;
    case SCHED_QUIT:
        sh->quit = true;
        break;
    case SCHED_FIRST:
        shell_configure(sh);
        shell_cycle(sh, NULL, false);
        break;
    case SCHED_DRY_RUN:
        shell_dry_runs(sh);
        break;
    case SCHED_RUN_JOB:
        shell_cycle(sh, job_id, false);
        break;
    case SCHED_TIMER:
    case SCHED_ON_COMMAND:
        shell_cycle(sh, NULL, false);
        break;
    default:
        shell_cycle(sh, NULL, true);
        break;
    }
}

void shell_remember(struct shell *sh, int32_t command, const char *job_id)
{
    free(sh->remembered_job);
    sh->remembered = command;
    sh->remembered_job = job_id ? xstrdup(job_id) : NULL;
}

/* Does the server wait for the end of this command? Ours does not for the one that cuts
 * a cycle short, which may come when the cycle has just ended: it would take a second
 * end for that of its next command. */
static bool has_an_end(const struct shell *sh, int32_t command)
{
    return command != SCHED_RESTART_CYCLE || sh->no_seq;
}

static int serve_one(struct shell *sh, int32_t command, const char *job_id,
                     struct diag *why)
{
    obey(sh, command, job_id);
    if (sh->quit || !has_an_end(sh, command))
        return 0;
    return link_send_done(sh->secondary, why);
}

/* What came during the last cycle. */
static int serve_remembered(struct shell *sh, struct diag *why)
{
    int32_t command = sh->remembered;
    char *job_id = sh->remembered_job;
    int err;

    sh->remembered = SCHED_NULL;
    sh->remembered_job = NULL;
    err = serve_one(sh, command, job_id, why);
    free(job_id);
    return err;
}

static bool is_over(const struct shell *sh)
{
    return sh->quit || signals_stop();
}

static void hang_up(struct shell *sh)
{
    /* SIGHUP comes after a log was moved away, or when the administrator has edited
     * a file. */
    logfile_reopen(sh->log);
    logfile_write(sh->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "restart",
                  "restart on signal 1");
    reconfigure(sh);
}

/* Wait for bytes on the secondary link or a signal. */
static void wait_for_command(struct shell *sh)
{
    struct pollfd p = { .fd = link_fd(sh->secondary), .events = POLLIN };

    if (!signals_came())
        (void)signals_wait(&p, 1, -1);
    if (signals_take_hangup())
        hang_up(sh);
}

/* Serve commands until a link is lost or the daemon is to end. */
static void serve(struct shell *sh)
{
    struct arena *arena = arena_new();
    struct diag why = { 0 };

    MUST(sh->primary && sh->secondary);
    while (!is_over(sh) && !link_is_broken(sh->primary)) {
        int32_t command;
        const char *job_id;
        int err;

        arena_clear(arena);
        if (link_read_command(sh->secondary, 0, arena, &command, &job_id, &why) != 0)
            break;
        /* No command has come: the read above does not wait, so that signals are looked
         * at. */
        if (command < 0) {
            wait_for_command(sh);
            continue;
        }
        err = serve_one(sh, command, job_id, &why);
        while (!err && sh->remembered && !is_over(sh))
            err = serve_remembered(sh, &why);
        if (err)
            break;
    }
    if (!is_over(sh))
        logfile_printf(sh->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "",
                       "Lost the connection to the server: %s",
                       link_is_broken(sh->secondary) ? why.text : "a request failed");
    arena_free(arena);
}

void shell_run(struct shell *sh)
{
    int last_error = 0;

    while (!is_over(sh)) {
        struct diag why;
        int err = connect_server(sh, &why);

        if (err) {
            if (err != last_error) /* once, not every two seconds */
                logfile_write(sh->log, LOG_EV_ERROR, LOG_IN_SCHED, "pbs_sched",
                              why.text);
            last_error = err;
            if (!signals_came())
                (void)signals_wait(NULL, 0, RETRY_MS);
            if (signals_take_hangup())
                logfile_reopen(sh->log);
            continue;
        }
        last_error = 0;
        logfile_write(sh->log, LOG_EV_ADMIN, LOG_IN_SCHED, "pbs_sched",
                      "Connected to the server");
        serve(sh);
        disconnect(sh);
    }
}
