/* check_retry.c - when lost vnodes are sought, once more from the demands: an interval
 * after the loss and after each vain attempt, right before the start and at it; at once
 * when the job that was in the way has ended, when maintenance takes vnodes, and with
 * reserve_retry_now when a vnode is lost.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resv_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/model/node_life.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#define INTERVAL_S 600 /* of a server that says nothing */
#define EARLY_S    5

static const struct change *change_of(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return &rec->changes[i];
    return NULL;
}

static int64_t num_after(const struct record *rec, const struct object *o, int attr)
{
    const struct change *c = change_of(rec, attr);

    return !c ? obj_num(o, attr, 0) : c->after ? strtoll(c->after, NULL, 10) : 0;
}

/* 'start_at' of the occurrence that is shown. */
static int64_t next_attempt(int64_t now_at, int64_t start_at, int64_t interval_s)
{
    int64_t early_at = start_at - (interval_s < EARLY_S ? interval_s : EARLY_S);
    int64_t next_at = now_at + interval_s;

    if (now_at < early_at && next_at > early_at)
        return early_at;
    if (now_at >= early_at && now_at < start_at && next_at > start_at)
        return start_at;
    return next_at;
}

/* Does a job of it stand in the way of an attempt? */
static bool is_blocked(const struct resv *r)
{
    for (size_t i = 0; i < r->current.bookings.n; i++) {
        const struct node *n = r->current.bookings.v[i].node;

        for (size_t k = 0; k < n->n_jobs && !node_is_usable(n); k++)
            if (n->jobs[k]->resv == r)
                return true;
    }
    return false;
}

/* May it be tried at once? */
static bool may_be_now(const struct model *m, const struct resv *r,
                       const struct record *rec)
{
    if (obj_num(m->server, SERVER_A_RESERVE_RETRY_NOW, 0) ||
        (rec->note && strncmp(rec->note, "its vnodes go to ", 17) == 0))
        return true;
    return obj_num(&r->obj, RESV_A_HF_REPLACE_BLOCKED, 0) && !is_blocked(r);
}

static void check_attempt(struct sim *s, const struct model *m, const struct resv *r,
                          const struct record *rec)
{
    const struct change *c = change_of(rec, RESV_A_RESERVE_RETRY);
    int64_t start_at = num_after(rec, &r->obj, RESV_A_RESERVE_START);
    int64_t interval_s = obj_num(m->server, SERVER_A_RESERVE_RETRY_TIME, INTERVAL_S);
    int64_t at = c && c->after ? strtoll(c->after, NULL, 10) : 0;

    if (at == 0 || at == next_attempt(rec->at, start_at, interval_s) ||
        (at == rec->at && may_be_now(m, r, rec)))
        return;
    check_failed(s, CHECK_HEALTH,
                 "%s is to be tried again at %+" PRId64 " s, its start is at %+" PRId64
                 ", the interval %" PRId64,
                 rec->id, at - rec->at, start_at - rec->at, interval_s);
}

/* 'm' is the model before the record. */
void check_retry_record(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct resv *r = rec->kind == OBJ_RESV ? model_resv(m, rec->id) : NULL;

    if (r)
        check_attempt(s, m, r, rec);
    if (r && rec->fact == FACT_RESV_RETRY && ledger_find(&s->ledger, rec->id))
        ledger_find(&s->ledger, rec->id)->tried_at = rec->at;
}

static int count_lost(const struct resv *r)
{
    int n = 0;

    for (size_t i = 0; i < r->current.bookings.n; i++)
        n += !node_is_usable(r->current.bookings.v[i].node);
    return n;
}

/* With reserve_retry_now whoever lacks more than before is tried at once: the attempt
 * is due, or was made in this second. */
static void check_tried_now(struct sim *s, const struct model *m, const struct resv *r)
{
    struct entry *e = ledger_find(&s->ledger, r->obj.id);
    int64_t retry_at = obj_num(&r->obj, RESV_A_RESERVE_RETRY, 0);
    bool now = obj_num(m->server, SERVER_A_RESERVE_RETRY_NOW, 0) != 0;
    int lost = count_lost(r);

    if (!e)
        return;
    if (now && e->retried_now && lost > e->n_lost && retry_at > sim_now_at(s) &&
        e->tried_at != sim_now_at(s))
        check_failed(s, CHECK_HEALTH,
                     "%s has lost a vnode and is tried again at %+" PRId64 " s only",
                     r->obj.id, retry_at - sim_now_at(s));
    e->retried_now = now;
    e->n_lost = lost;
}

/* And nobody waits for a job that has ended. */
void check_retry_settled(struct sim *s, const struct model *m)
{
    MODEL_EACH (m, OBJ_RESV, o) {
        check_tried_now(s, m, TO_RESV(o));
        if (obj_num(o, RESV_A_HF_REPLACE_BLOCKED, 0) && !is_blocked(TO_RESV(o)))
            check_failed(s, CHECK_HEALTH, "%s waits for jobs, of which there are none",
                         o->id);
    }
}
