/* carry_on.c - a start finds requests that the server was carrying out when it ended
 * (decide/kept_request.h): they are parked as they were and go on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/kept_request.h"
#include "server/engine/svr_priv.h"

static void tell(struct turn *t, const struct object *o, const char *what)
{
    effect_log(t->out, t->s->m->seq, LOG_EV_SYSTEM | LOG_EV_ADMIN, LOG_IN_SERVER,
               log_server_name(&t->s->cfg, t->out->arena),
               "Request %s of %s was under way when the server ended: %s", o->id,
               obj_str(o, REQUEST_A_ACTOR, "nobody"), what);
}

/* Nobody could read it at the next start either. */
static void drop(struct turn *t, const struct object *o, const struct diag *why,
                 struct decision *d)
{
    tell(t, o,
         arena_printf(t->out->arena, "%s, so it is given up in its middle", why->text));
    record_add(&d->records, d->arena, FACT_DELETED, OBJ_REQUEST, o->id, t->s->actor,
               t->now_at);
}

static void carry_on(struct turn *t, const struct object *o,
                     const struct wire_request *wire, const struct requester *who)
{
    const struct request rq = {
        .wire = wire,
        .who = who,
        .actor = obj_str(o, REQUEST_A_ACTOR, ""),
    };

    tell(t, o, "it goes on");
    (void)parked_carry_on(&t->s->parked, &rq, o->id, &t->s->inquiries);
}

void carry_on_requests(struct turn *t)
{
    struct decision d = turn_decision(t);

    MODEL_EACH (t->s->m, OBJ_REQUEST, o) {
        struct wire_request wire;
        struct requester who;
        struct diag why;

        if (kept_request_read(o, t->out->arena, &wire, &who, &why))
            carry_on(t, o, &wire, &who);
        else
            drop(t, o, &why, &d);
    }
    take_up(t, &d);
}
