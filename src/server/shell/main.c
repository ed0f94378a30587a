/* main.c - pbs_server: signals, and the way through its life.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/daemon.h"
#include "server/shell/accounting.h"
#include "server/shell/options.h"
#include "server/shell/outbox.h"
#include "server/shell/shell.h"
#include "server/shell/start.h"

#include <signal.h>
#include <stdio.h>

/* An end by signal leaves jobs running, like a quick shutdown. */
static void on_term(void *arg, int signo)
{
    struct shell *sh = arg;

    (void)signo;
    shell_log(sh, LOG_EV_SYSTEM | LOG_EV_ADMIN | LOG_EV_DEBUG, LOG_IN_SERVER,
              "Starting to shutdown the server, type is By Signal");
    svr_end(sh->svr, shell_now(sh), outbox_effects(sh->outbox));
    shell_stop(sh);
}

static void on_hup(void *arg, int signo)
{
    struct shell *sh = arg;

    (void)signo;
    /* Tools that rotate logs move the files away and send this signal. */
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
    daemon_hears();
    shell_watch(sh);
    /* Before the first client, so nobody sees the old value. */
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
    /* The fork comes before threads are made, which it would not copy. */
    if (!sh->opt.foreground && daemon_fork() != 0)
        return 3;
    /* The lock is the parent's until here; its content is the number of this
     * process. */
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
    /* Whatever was made is undone in the reverse order, also after a start that failed
     * half-way. */
    start_undo(&sh);
    return rc;
}
