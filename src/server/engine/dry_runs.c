/* dry_runs.c - dry runs that wait for a scheduler's word: they are among the parked
 * requests, and live as long as those (decide/dry_run.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/dry_run.h"

#include "lib/base/instant.h"
#include "server/engine/svr_priv.h"

#include <utlist.h>

/* When a scheduler is asked again that has not answered. */
#define ANSWER_AGAIN_S 5

void dry_runs_wake(struct turn *t, struct parked *p)
{
    struct dry_run *d = p->progress.dry;

    for (size_t i = 0; d && i < d->n; i++) {
        struct sched_link *l = sched_link_find(&t->s->links, d->v[i].sched);

        /* One that goes away takes the dry run along: dry_runs_lost(). */
        if (dry_run_is_for(d, d->v[i].sched) && l && sched_link_is_up(l))
            sched_link_try(l);
    }
}

/* Its request has its turn again. */
static void wake(struct turn *t, struct parked *p)
{
    struct waiting_reply *w =
        waiting_first(&t->s->waiting, OBJ_RESV, p->progress.dry->id);

    for (; w; w = w->next)
        if (w->conn == p->conn && w->wait_for.why == WAIT_TO_ASK_AGAIN) {
            waiting_asks_again(t, w);
            return;
        }
}

/* It is of no interest any longer when its client has gone, or when it has been put
 * again since. */
static void take_answer(struct turn *t, const char *sched, const struct act *a)
{
    struct parked *p = parked_find(&t->s->parked, a->u.dry_run.number);
    struct dry_asked *asked =
        p && p->progress.dry ? dry_run_asked(p->progress.dry, sched) : NULL;

    if (!asked || !asked->was_given || asked->has_answered)
        return;
    dry_run_take(asked, a->u.dry_run.answer, p->progress.arena);
    wake(t, p);
}

/* Oldest first of each user; NULL: none. */
static struct dry_run *find_next(const struct turn *t, const char *sched)
{
    struct parked_user *u;
    struct parked *p;

    DL_FOREACH (t->s->parked.users, u) {
        DL_FOREACH (u->first, p) {
            if (p->progress.dry && dry_run_is_for(p->progress.dry, sched))
                return p->progress.dry;
        }
    }
    return NULL;
}

static void give(struct turn *t, const struct request *rq, struct dry_run *d,
                 const char *sched)
{
    struct wire_reply reply = { .choice = REPLY_STATUS };

    if (d) {
        struct wire_object *o = wire_objects_add(&reply.objects, t->out->arena,
                                                 d->object.type, d->object.name);

        /* The request, and this with it, may be over before the reply is written. */
        o->name = arena_strdup(t->out->arena, d->object.name);
        for (size_t i = 0; i < d->object.attrs.n; i++) {
            const struct wire_attr *from = &d->object.attrs.v[i];

            wire_attrs_add(&o->attrs, t->out->arena,
                           arena_strdup(t->out->arena, from->name),
                           arena_strdup(t->out->arena, from->resource),
                           arena_strdup(t->out->arena, from->value), from->op);
        }
        dry_run_asked(d, sched)->was_given = true;
    }
    send_reply(t, rq->who->conn, &reply);
}

void dry_runs_next(struct turn *t, const struct request *rq, const struct act *a)
{
    const struct sched_link *l = sched_link_of_conn(&t->s->links, rq->who->conn);

    MUST(l); /* the handler asked for a scheduler's connection */
    if (a->u.dry_run.number > 0)
        take_answer(t, l->name, a);
    give(t, rq, find_next(t, l->name), l->name);
}

void dry_runs_unanswered(struct turn *t, const char *sched)
{
    struct parked_user *u;
    struct parked *p;

    DL_FOREACH (t->s->parked.users, u) {
        DL_FOREACH (u->first, p) {
            struct dry_run *d = p->progress.dry;
            const struct dry_asked *asked = d ? dry_run_asked(d, sched) : NULL;

            if (!asked || !asked->was_given || asked->has_answered)
                continue;
            dry_run_put_again(d, instant_after(t->now_at, ANSWER_AGAIN_S));
            wake(t, p);
        }
    }
}

void dry_runs_lost(struct turn *t, const char *sched)
{
    struct parked_user *u;
    struct parked *p;

    DL_FOREACH (t->s->parked.users, u) {
        DL_FOREACH (u->first, p) {
            struct dry_run *d = p->progress.dry;

            if (!d || !dry_run_asked(d, sched))
                continue;
            d->is_lost = true;
            wake(t, p);
        }
    }
}
