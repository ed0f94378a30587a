/* resv_on_end.c - see resv_on_end.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_on_end.h"

#include "lib/attr/queue_attrs.h"
#include "lib/attr/resv_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/decide/know.h"
#include "server/decide/queue_door.h"

#include <string.h>
#include <strings.h>

static const char *const words[ON_END_COUNT] = {
    [ON_END_KILL] = "kill",
    [ON_END_REQUEUE] = "requeue",
    [ON_END_HOLD] = "hold",
    [ON_END_EXTEND] = "extend",
};

/* A store that somebody has edited may hold any word; jobs are killed then, as they are
 * without one. */
static enum on_end find(const char *word)
{
    for (int i = 0; i < ON_END_COUNT; i++)
        if (strcmp(words[i], word) == 0)
            return (enum on_end)i;
    return ON_END_KILL;
}

int on_end_queue_check(const struct queue *q, struct diag *why)
{
    if (q->resv)
        return diag_set(why, PBSE_BADATVAL, "%s: %s is the queue of a reservation",
                        pbse_text(PBSE_BADATVAL), q->obj.id);
    return 0;
}

/* The owner's rights count, whoever sets the attribute: the jobs that are put there are
 * first of all the owner's. Those of others are asked about when they are put there. */
static int check_owner(const struct model *m, const struct request *rq,
                       const struct queue *q, const char *owner, const char *user,
                       struct diag *why)
{
    struct requester who = requester_named(m, owner, rq->arena);
    struct job_account acct = { .user = user };
    struct request asks = *rq;
    int err = request_groups(rq, user, &acct.groups, why);

    if (err)
        return err;
    asks.who = &who;
    return queue_takes_owner(&asks, q, &acct, why);
}

int resv_on_end_check(const struct model *m, const struct request *rq,
                      const struct edit *e, const char *owner, const char *user,
                      struct diag *why)
{
    const char *name = edit_str(e, RESV_A_ON_END_QUEUE, NULL);
    const struct queue *q = name ? model_queue(m, name) : NULL;
    int err;

    MUST(e->table == &resv_table);
    /* A queue that was accepted once is looked at again only when its turn comes. */
    if (!name || !e->touched[RESV_A_ON_END_QUEUE])
        return 0;
    if (!q)
        return diag_code(why, PBSE_UNKQUE);
    err = on_end_queue_check(q, why);
    return err ? err : check_owner(m, rq, q, owner, user, why);
}

static enum on_end says(const struct model *m, const struct resv *r)
{
    const char *dflt = obj_str(m->server, SERVER_A_RESV_DEFAULT_ON_END, "");

    return find(obj_str(&r->obj, RESV_A_ON_END, dflt));
}

enum on_end resv_on_end(const struct model *m, const struct resv *r)
{
    enum on_end what = says(m, r);

    return what == ON_END_EXTEND ? ON_END_KILL : what;
}

bool resv_on_end_extends(const struct model *m, const struct resv *r)
{
    return says(m, r) == ON_END_EXTEND;
}

enum on_end resv_on_end_now(const struct resv *r)
{
    return find(obj_str(&r->obj, RESV_A_HF_ON_END, ""));
}

void resv_record_on_end(struct record *rec, struct arena *arena, enum on_end what)
{
    MUST(rec->kind == OBJ_RESV && what < ON_END_EXTEND);
    /* Killing is what an end without a word does. */
    record_change(rec, arena, RESV_A_HF_ON_END, NULL,
                  what == ON_END_KILL ? NULL : words[what]);
}
