/* resv_why.c - why a reservation was denied, or is not what was asked for: ResvWhy
 * (doc/extensions.md).
 *
 * Who may see a reservation may see why it stands as it does. Of one that is gone the
 * server knows whose it was, and tells its owner and the staff; others hear what they
 * hear of any unknown reservation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/denials.h"
#include "server/decide/resv_question.h"
#include "server/requests/handlers.h"
#include "server/requests/resv_access.h"

#include "lib/attr/resv_attrs.h"
#include "lib/attr/resv_number.h"

static void say(const struct decision *out, struct wire_object *o, const char *name,
                const char *text)
{
    if (text && *text)
        wire_attrs_add(&o->attrs, out->arena, name, NULL,
                       arena_strdup(out->arena, text), WIRE_OP_SET);
}

static void say_num(const struct decision *out, struct wire_object *o, const char *name,
                    int64_t num)
{
    say(out, o, name, arena_printf(out->arena, "%" PRId64, num));
}

/* 'reason' NULL: the scheduler gave none. */
static void say_denial(const struct decision *out, struct wire_object *o, int64_t at,
                       const char *reason)
{
    say_num(out, o, "denied_at", at);
    say(out, o, "denied_reason",
        reason && *reason ? reason : "the scheduler gave no reason");
}

/* The one that is there: its state, when it was asked about, what was short when it was
 * tried the last time, and when it is tried again. */
static void say_living(const struct decision *out, struct wire_object *o,
                       const struct resv *r)
{
    int64_t asked_at = question_asked_at(r);
    int64_t retry_at = obj_num(&r->obj, RESV_A_RESERVE_RETRY, 0);

    say_num(out, o, "reserve_state", obj_num(&r->obj, RESV_A_RESERVE_STATE, 0));
    say_num(out, o, "reserve_substate", obj_num(&r->obj, RESV_A_RESERVE_SUBSTATE, 0));
    if (asked_at != INT64_MIN)
        say_num(out, o, "asked_at", asked_at);
    if (retry_at > 0)
        say_num(out, o, "reserve_retry", retry_at);
    say(out, o, "alter_denied", obj_str(&r->obj, RESV_A_ALTER_DENIED, NULL));
    if (obj_is_set(&r->obj, RESV_A_HF_REPLACE_DENIED_AT))
        say_denial(out, o, obj_num(&r->obj, RESV_A_HF_REPLACE_DENIED_AT, 0),
                   obj_str(&r->obj, RESV_A_HF_REPLACE_DENIED, NULL));
}

static bool may_know(const struct request *rq, const struct denial *d)
{
    return (rq->who->rights & (WHO_STAFF | WHO_DAEMON)) ||
           resv_owner_is(d->owner, rq->who->user);
}

int handle_resv_why(const struct model *m, const struct request *rq,
                    struct decision *out)
{
    const struct body_id *body = rq->body;
    const struct resv *r = model_resv(m, body->id);
    const struct denial *d = denials_find(rq->view->denials, body->id, rq->now_at);
    struct wire_object *o;

    if (!r && (!d || !may_know(rq, d)))
        return diag_code(&out->why, PBSE_UNKRESVID);
    out->reply.choice = REPLY_STATUS;
    o = wire_objects_add(&out->reply.objects, out->arena, OBJECT_RESV,
                         arena_strdup(out->arena, body->id));
    if (r)
        say_living(out, o, r);
    else
        say_denial(out, o, d->at, d->reason);
    return 0;
}
