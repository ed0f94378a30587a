/* dry_world.c - see dry_world.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dry_world.h"

#include "server/engine/svr_priv.h"

#include <stdlib.h>
#include <string.h>

static struct wire_attrs attrs_of(struct world *w, const char *text)
{
    struct wire_attrs list = { 0 };
    char *copy = arena_strdup(w->arena, text), *at;

    for (char *entry = strtok_r(copy, "|", &at); entry;
         entry = strtok_r(NULL, "|", &at)) {
        char *value = strchr(entry, '='), *resource = strchr(entry, '.');

        *value++ = '\0';
        if (resource && resource < value)
            *resource++ = '\0';
        else
            resource = NULL;
        wire_attrs_add(&list, w->arena, entry, resource, value, WIRE_OP_SET);
    }
    return list;
}

void dry_go_on(struct world *w)
{
    while (svr_has_work(w->s))
        svr_go_on(w->s, w->now_at, &w->out);
}

void dry_act(struct world *w, const char *user, uint32_t what, uint32_t flags,
             uint32_t occurrence, const char *id, const char *attrs)
{
    const struct requester who = { .user = user, .host = "svr", .conn = CONN_USER };
    struct body_resv_act body = { what, flags, occurrence, id, { 0 } };
    const struct wire_request rq = { .number = BATCH_RESV_ACT,
                                     .user = user,
                                     .body = &body };

    world_clear(w);
    body.attrs = attrs_of(w, attrs);
    svr_request(w->s, w->now_at, &who, &rq, &w->out);
    dry_go_on(w);
}

void dry_try(struct world *w, const char *user, uint32_t what, uint32_t flags,
             const char *id, const char *attrs)
{
    dry_try_one(w, user, what, flags, 0, id, attrs);
}

void dry_try_one(struct world *w, const char *user, uint32_t what, uint32_t flags,
                 uint32_t occurrence, const char *id, const char *attrs)
{
    dry_act(w, user, what, flags | RESV_ACT_DRY_RUN, occurrence, id, attrs);
}

void dry_attach(struct world *w, const char *may)
{
    const struct body_id body = { .id = "default" };
    const struct wire_request rq = {
        .number = BATCH_REGISTER_SCHED, .user = "root", .body = &body, .extend = may
    };
    struct requester who = { .user = "root", .host = "svr", .server_uid = true };

    svr_client_gone(w->s, w->now_at, CONN_SCHED, &w->out);
    for (who.conn = CONN_SCHED; who.conn <= CONN_SCHED2; who.conn++)
        svr_request(w->s, w->now_at, &who, &rq, &w->out);
    world_sched_done(w);
    dry_go_on(w);
    world_clear(w);
}

void dry_make(struct world *w)
{
    world_new(w);
    dry_attach(w, "cut,dry_run,dry_push");
}

/* What a scheduler is given for that request. */
static const struct wire_object *given(struct world *w, const struct wire_request *rq)
{
    static const struct requester who = {
        .user = "root", .host = "svr", .server_uid = true, .conn = CONN_SCHED
    };
    const struct wire_reply *reply;

    svr_request(w->s, w->now_at, &who, rq, &w->out);
    dry_go_on(w);
    for (size_t i = w->out.n; i > 0; i--) {
        if (w->out.v[i - 1].kind != EFFECT_REPLY ||
            w->out.v[i - 1].u.reply.conn != CONN_SCHED)
            continue;
        reply = &w->out.v[i - 1].u.reply.reply;
        CU_ASSERT_EQUAL(reply->code, 0);
        return reply->objects.n > 0 ? &reply->objects.v[0] : NULL;
    }
    CU_FAIL("the scheduler has no answer");
    return NULL;
}

const struct wire_object *dry_next(struct world *w, const char *number,
                                   const char *vnodes, uint64_t start_at,
                                   const char *extend)
{
    const struct body_run body = { number, vnodes, start_at };

    return given(w, &(struct wire_request){ .number = BATCH_DRY_RUN,
                                            .user = "root",
                                            .body = &body,
                                            .extend = extend });
}

const char *dry_number(const struct wire_object *o)
{
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    return wire_attrs_value(&o->attrs, "dry_run", NULL);
}

void dry_answer(struct world *w, const char *vnodes, uint64_t start_at,
                const char *extend)
{
    const struct wire_object *o = dry_next(w, "", "", 0, NULL);

    (void)dry_next(w, dry_number(o), vnodes, start_at, extend);
}

void dry_offer(struct world *w, size_t n, const struct wire_offer *offers)
{
    const char *number = dry_number(dry_next(w, "", "", 0, NULL));
    const struct body_offer_resv body = { strtoull(number, NULL, 10), "", n,
                                          arena_copy(w->arena, offers,
                                                     n * sizeof(*offers)) };

    (void)given(w, &(struct wire_request){
                       .number = BATCH_DRY_OFFER, .user = "root", .body = &body });
}

const char *dry_verdict_text(struct world *w)
{
    const struct wire_reply *reply = world_reply(w, CONN_USER);
    const char *text = "";

    if (!reply)
        return "waits";
    if (reply->code)
        return arena_printf(w->arena, "%d %s", reply->code,
                            reply->text ? reply->text : "");
    CU_ASSERT_EQUAL_FATAL(reply->choice, REPLY_STATUS);
    CU_ASSERT_EQUAL_FATAL(reply->objects.n, 1);
    for (size_t i = 0; i < reply->objects.v[0].attrs.n; i++) {
        const struct wire_attr *a = &reply->objects.v[0].attrs.v[i];

        text = arena_printf(w->arena, "%s%s%s%s%s=%s", text, i ? ";" : "", a->name,
                            a->resource ? "." : "", a->resource ? a->resource : "",
                            a->value);
    }
    return text;
}

const char *dry_verdict_name(struct world *w)
{
    const struct wire_reply *reply = world_reply(w, CONN_USER);

    return reply && reply->objects.n > 0 ? reply->objects.v[0].name : "";
}

void dry_expect_nothing(struct world *w, uint64_t seq)
{
    CU_ASSERT_EQUAL(svr_model(w->s)->seq, seq);
    for (size_t i = 0; i < w->out.n; i++) {
        enum effect_kind kind = w->out.v[i].kind;

        CU_ASSERT(kind == EFFECT_REPLY || kind == EFFECT_SCHED_COMMAND);
    }
    CU_ASSERT_PTR_NULL(w->s->parked.users);
    CU_ASSERT_EQUAL(w->s->waiting.n, 0);
}
