/* main.c - pbs_server: turns of the loop, signals, and the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/daemon.h"
#include "server/shell/accounting.h"
#include "server/shell/clients.h"
#include "server/shell/options.h"
#include "server/shell/outbox.h"
#include "server/shell/shell.h"
#include "server/shell/start.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The clock may be set: deadlines are looked at this often at least. */
#define LOOK_MS 10000
/* How long the end may wait for clients that do not read and a store that fails. */
#define END_MS  10000

int64_t shell_now(struct shell *sh)
{
    if (sh->now_at == 0)
        sh->now_at = clock_read();
    return sh->now_at;
}

void shell_log(struct shell *sh, uint32_t event, uint32_t log_class, const char *fmt,
               ...)
{
    va_list ap;
    char *text;

    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    if (text)
        logfile_write(sh->log, event, log_class, sh->daemon, text);
    free(text);
}

/* Turns. */

static void follow_log_events(struct shell *sh)
{
    const struct object *server = svr_model(sh->svr)->server;

    if (!server || server->version == sh->mask_version)
        return;
    /* The mask of the command line holds until the attribute is changed. */
    if (sh->mask_version != 0 || !sh->opt.log_mask)
        logfile_set_mask(
            sh->log, (uint32_t)obj_num(server, SERVER_A_LOG_EVENTS, LOG_MASK_DEFAULT));
    sh->mask_version = server->version;
}

static void set_deadline(struct shell *sh)
{
    int64_t at = svr_next_deadline(sh->svr), wait_ms = LOOK_MS;

    if (at <= INT64_MAX / 1000000)
        wait_ms = (at * 1000000 - clock_read_us() + 999) / 1000;
    loop_timer_set(sh->deadline, MIN_OF(MAX_OF(wait_ms, 0), LOOK_MS));
}

static void end_when_empty(struct shell *sh)
{
    if (sh->stopping && outbox_is_empty(sh->outbox) &&
        !clients_have_unsent(sh->clients))
        loop_stop(sh->loop);
}

static void on_turn_end(void *arg)
{
    struct shell *sh = arg;

    outbox_end_turn(sh->outbox);
    follow_log_events(sh);
    if (!sh->stopping)
        set_deadline(sh);
    end_when_empty(sh);
    sh->now_at = 0;
}

static void on_deadline(void *arg)
{
    struct shell *sh = arg;

    if (sh->stopping) {
        sh->status = MAX_OF(sh->status, outbox_is_empty(sh->outbox) ? 0 : 3);
        loop_stop(sh->loop);
        return;
    }
    accounting_retry(sh->accounting);
    if (svr_next_deadline(sh->svr) <= shell_now(sh))
        svr_tick(sh->svr, shell_now(sh), outbox_effects(sh->outbox));
}

void shell_stop(struct shell *sh)
{
    if (sh->stopping)
        return;
    sh->stopping = true;
    clients_stop_listening(sh->clients);
    loop_timer_set(sh->deadline, END_MS);
}

/* Signals. */

static void on_term(void *arg, int signo)
{
    struct shell *sh = arg;

    (void)signo;
    shell_log(sh, LOG_EV_SYSTEM | LOG_EV_ADMIN | LOG_EV_DEBUG, LOG_IN_SERVER,
              "Starting to shutdown the server, type is By Signal");
    shell_stop(sh);
}

static void on_hup(void *arg, int signo)
{
    struct shell *sh = arg;

    (void)signo;
    logfile_reopen(sh->log);
    accounting_reopen(sh->accounting);
}

static void on_ignored(void *arg, int signo)
{
    (void)arg;
    (void)signo;
}

/* "-a": as if a manager had set it. */
static void set_scheduling(struct shell *sh)
{
    struct effects *out = outbox_effects(sh->outbox);
    struct body_manage body = { .command = 2,
                                .object_type = OBJECT_SERVER,
                                .object_name = "" };
    struct wire_request rq = { .number = BATCH_MANAGER,
                               .user = sh->user,
                               .body = &body };
    struct requester self = { .user = sh->user, .host = sh->host, .server_uid = true };

    if (sh->opt.scheduling < 0)
        return;
    wire_attrs_add(&body.attrs, out->arena, "scheduling", NULL,
                   sh->opt.scheduling ? "True" : "False", WIRE_OP_SET);
    svr_request(sh->svr, shell_now(sh), &self, &rq, out);
}

static void run(struct shell *sh)
{
    static const struct {
        int signo;
        loop_signal_fn fn;
    } signals[] = { { SIGTERM, on_term },
                    { SIGINT, on_term },
                    { SIGHUP, on_hup },
                    { SIGUSR1, on_ignored },
                    { SIGUSR2, on_ignored } };
    struct loop_signal *handles[ARRAY_LEN(signals)];

    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        handles[i] = loop_signal_new(sh->loop, signals[i].signo, signals[i].fn, sh);
    loop_at_turn_end(sh->loop, on_turn_end, sh);
    sh->deadline = loop_timer_new(sh->loop, on_deadline, sh);
    loop_timer_set(sh->deadline, 0);
    set_scheduling(sh);
    daemon_ready();
    if (sh->opt.recover_only)
        shell_stop(sh);
    loop_run(sh->loop);
    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        loop_signal_free(handles[i]);
    shell_log(sh, LOG_EV_SYSTEM, LOG_IN_SERVER, "Server shutdown completed");
}

static int go_on(struct shell *sh)
{
    struct diag why;
    int rc = start_prepare(sh);

    if (rc >= 0)
        return rc;
    if (!sh->opt.foreground && daemon_fork() != 0)
        return 3;
    if (daemon_lock_pid(sh->lock_fd, &why)) {
        fprintf(stderr, "%s: %s\n", sh->opt.argv0, why.text);
        return 2;
    }
    rc = start_recover(sh);
    if (rc < 0)
        rc = start_network(sh);
    if (rc >= 0)
        return rc;
    run(sh);
    return sh->status;
}

int main(int argc, char **argv)
{
    struct shell sh = { .lock_fd = -1 };
    int rc = options_parse(argc, argv, &sh.opt);

    if (rc >= 0)
        return rc;
    daemon_tidy();
    rc = go_on(&sh);
    start_undo(&sh);
    return rc;
}
