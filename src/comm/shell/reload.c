/* reload.c - SIGHUP: the settings are read again, in a thread.
 *
 * Reading them asks for the numbers of services, which a name service may keep to
 * itself for as long as it likes; packets of the whole cluster would wait meanwhile. Of
 * what was read only the mask of the log is taken over.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "comm/shell/shell.h"
#include "lib/io/pool.h"

#include <stdlib.h>

struct reading {
    struct pool_job job;
    struct comm *comm;
    struct conf *fresh; /* NULL: something is wrong with the settings */
};

static void say(struct comm *c, const char *words)
{
    logfile_write(c->log, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_SERVER, c->daemon, words);
}

static void on_work(struct pool_job *job)
{
    struct reading *r = (struct reading *)(void *)job;
    struct diag why;

    if (conf_load(&r->fresh, &why) != 0)
        r->fresh = NULL;
}

static void reading_free(struct reading *r)
{
    if (r->fresh)
        conf_free(r->fresh);
    free(r);
}

static void on_done(struct pool_job *job)
{
    struct reading *r = (struct reading *)(void *)job;
    struct comm *c = r->comm;
    bool again = c->reload_again;

    MUST(c->reloading);
    c->reloading = c->reload_again = false;
    if (r->fresh) {
        logfile_set_mask(c->log, r->fresh->comm_log_events);
        say(c, "main, Processed SIGHUP");
    } else {
        say(c, "Configuration error, ignoring");
    }
    reading_free(r);
    if (again)
        comm_reload(c);
}

static void on_drop(struct pool_job *job)
{
    reading_free((struct reading *)(void *)job);
}

void comm_reload(struct comm *c)
{
    struct reading *r;

    if (c->reloading) { /* the file may have changed since it was read */
        c->reload_again = true;
        return;
    }
    /* Strangers can make the threads of prove.c wait: this has one of its own. */
    if (!c->reloader)
        c->reloader = pool_new(c->loop, 1, 1);
    r = xcalloc(1, sizeof(*r));
    r->job = (struct pool_job){ .work = on_work, .done = on_done, .drop = on_drop };
    r->comm = c;
    c->reloading = pool_run(c->reloader, &r->job);
    if (!c->reloading) {
        say(c, "there is no thread to read the settings, SIGHUP is ignored");
        reading_free(r);
    }
}
