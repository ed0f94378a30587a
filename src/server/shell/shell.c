/* shell.c - turns of the loop: their time, their end, the next deadline.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/shell.h"

#include "server/shell/accounting.h"
#include "server/shell/clients.h"
#include "server/shell/hook_dir.h"
#include "server/shell/mail.h"
#include "server/shell/outbox.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The clock may be set: deadlines are looked at this often at least. */
#define LOOK_MS 10000
/* How long the end may wait for clients that do not read and a store that fails. */
#define END_MS  10000

int64_t shell_now(struct shell *sh)
{
    /* One value for the whole turn: everybody sees the same time. */
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

    MUST(!sh->stopping); /* the timer is that of the end then */
    /* A deadline beyond that is none, and the product would overflow. */
    if (at <= INT64_MAX / 1000000)
        wait_ms = (at * 1000000 - clock_read_us() + 999) / 1000;
    loop_timer_set(sh->deadline, MIN_OF(MAX_OF(wait_ms, 0), LOOK_MS));
}

static void end_when_empty(struct shell *sh)
{
    if (sh->stopping && outbox_is_empty(sh->outbox) &&
        !clients_have_unsent(sh->clients) && !letters_wait(sh->letters)) {
        outbox_idle(sh->outbox, INT64_MAX); /* the thread ends that before it ends */
        loop_stop(sh->loop);
    }
}

static void on_turn_end(void *arg)
{
    struct shell *sh = arg;

    /* Clients first, since what they still do adds effects to this turn. */
    clients_end_turn(sh->clients);
    outbox_end_turn(sh->outbox);
    follow_log_events(sh);
    if (!sh->stopping)
        set_deadline(sh);
    end_when_empty(sh);
    sh->now_at = 0;
}

static size_t n_objects(const struct shell *sh)
{
    size_t n = 0;

    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        n += svr_model(sh->svr)->kinds[kind].n;
    return n;
}

static void on_deadline(void *arg)
{
    struct shell *sh = arg;

    /* The end has waited long enough. */
    if (sh->stopping) {
        sh->status = MAX_OF(sh->status, outbox_is_empty(sh->outbox) ? 0 : 3);
        loop_stop(sh->loop);
        return;
    }
    heap_give_back(&sh->heap, clock_mono_ms(), n_objects(sh));
    accounting_retry(sh->accounting);
    outbox_idle(sh->outbox, shell_now(sh));
    hook_dir_clean(sh->hooks, shell_now(sh));
    /* The clock may have been set back, so the deadline is asked for again. */
    if (svr_next_deadline(sh->svr) <= shell_now(sh))
        svr_tick(sh->svr, shell_now(sh), outbox_effects(sh->outbox));
}

void shell_stop(struct shell *sh)
{
    if (sh->stopping)
        return;
    sh->stopping = true;
    /* Nobody new comes in. Those who are here get what they wait for. */
    clients_stop_listening(sh->clients);
    loop_timer_set(sh->deadline, END_MS);
}

void shell_watch(struct shell *sh)
{
    loop_at_turn_end(sh->loop, on_turn_end, sh);
    sh->deadline = loop_timer_new(sh->loop, on_deadline, sh);
    /* The first turn looks at what fell due before the start. */
    loop_timer_set(sh->deadline, 0);
}
