/* client_budget.c - the memory that connections make the server hold: whoever has most
 * of it goes when it is too much.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/client.h"

#include <utlist.h>

static size_t held_by(const struct client *c)
{
    return c->counted + conn_held_bytes(c->conn);
}

/* The connection of that share that holds most; NULL: of any. */
static struct client *who_holds_most(const struct clients *cs,
                                     const struct share *whose)
{
    struct client *c, *most = NULL;

    DL_FOREACH (cs->list, c)
        if ((!whose || c->share == whose) && (!most || held_by(c) > held_by(most)))
            most = c;
    return most;
}

static bool drop_who_holds_most(struct clients *cs, const struct share *whose,
                                size_t bytes)
{
    struct client *c = who_holds_most(cs, whose);

    if (!c || held_by(c) == 0)
        return false;
    shell_log(cs->sh, LOG_EV_SECURITY, LOG_IN_REQUEST,
              "%zu MiB of unread replies and unfinished messages%s: the connection of "
              "%s@%s, which has %zu KiB of them, is closed",
              bytes >> 20, whose ? " of one party" : "", *c->user ? c->user : "unknown",
              c->host, held_by(c) >> 10);
    client_gone(c);
    return true;
}

/* The largest party of a kind may have 'most_each' bytes, the kind 'most'. */
static void keep_budget(struct clients *cs, const struct shares *kind, size_t most_each,
                        size_t most)
{
    const struct share *s;

    /* Of the largest party the connection that holds most is closed, and not the one
     * that came last. */
    while ((s = shares_with_most_memory(kind)) != NULL &&
           (s->memory.bytes > most_each || kind->memory.bytes > most) &&
           drop_who_holds_most(cs, s, s->memory.bytes))
        continue;
}

void clients_keep_budgets(struct clients *cs)
{
    struct crowd *w = &cs->crowd;

    if (w->strangers.memory.bytes > cs->max_stranger_memory)
        keep_budget(cs, &w->strangers, SIZE_MAX, cs->max_stranger_memory);
    if (w->users.memory.bytes > cs->max_user_memory)
        keep_budget(cs, &w->users, cs->max_user_memory, SIZE_MAX);
    /* All parties together have a limit, too, however small each of them is. */
    while (w->memory.bytes > cs->max_memory &&
           drop_who_holds_most(cs, NULL, w->memory.bytes))
        continue;
}
