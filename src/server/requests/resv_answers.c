/* resv_answers.c - AnswerResvs: what a scheduler says about many reservations, in one
 * request (doc/extensions.md).
 *
 * Each answer is decided by the handler of ConfirmResv in a slice of its own
 * (doc/design/006): it is judged against what those before it have made of the model,
 * its records are facts of their own, and what follows from them comes in between. The
 * slices of one turn are saved together, so many answers cost one commit; whoever waits
 * for one of the reservations is told as soon as that one is durable, and the scheduler
 * when all are.
 *
 * What was taken stays taken when the scheduler goes in the middle. What it has said
 * besides is forgotten then: those questions are open, and are put to whoever comes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/know.h"
#include "server/requests/handlers.h"

#include "lib/base/log.h"
#include "lib/wire/answers.h"

#include <string.h>

/* Between two slices; in the memory of the request. */
struct answering {
    size_t next;
    struct wire_objects refused;
};

static struct answering *answering_of(const struct request *rq)
{
    struct progress *p = rq->progress;

    if (!p->state)
        p->state = ARENA_NEW(p->arena, struct answering);
    return p->state;
}

/* It is kept for the reply, and the log has the line that any refused request has. */
static void note_refusal(const struct request *rq, struct answering *s, int err,
                         struct decision *out)
{
    const struct body_answer_resvs *body = rq->body;
    const char *text = out->why.code == err ? out->why.text : pbse_text(err);

    MUST(err != NEEDED); /* it is judged by the model alone */
    decide_log(out, LOG_EV_DEBUG, LOG_IN_REQUEST, "req_reject",
               "Reject reply code=%d, aux=0, type=%u, from %s", err,
               (unsigned)BATCH_CONFIRM_RESV, rq->actor);
    wire_answers_refuse(&s->refused, rq->progress->arena, s->next,
                        body->answers[s->next].id, err, text);
    /* What was decided before it was refused never becomes fact. */
    out->records.n = 0;
    out->why = (struct diag){ 0 };
}

/* The next one, as the request that it would be alone. */
static void take_next(const struct model *m, const struct request *rq,
                      struct answering *s, struct decision *out)
{
    const struct body_answer_resvs *body = rq->body;
    const struct wire_answer *answer = &body->answers[s->next];
    const struct body_run run = { .object_id = answer->id,
                                  .vnodes = answer->vnodes,
                                  .argument = answer->start_at };
    const struct wire_request wire = { .number = BATCH_CONFIRM_RESV,
                                       .user = rq->wire->user,
                                       .body = arena_copy(rq->arena, &run, sizeof(run)),
                                       .extend = answer->extend };
    struct request one = *rq;
    int err;

    one.wire = arena_copy(rq->arena, &wire, sizeof(wire));
    one.body = wire.body;
    one.progress = NULL;
    err = handle_resv_confirm(m, &one, out);
    MUST(out->acts.n == 0); /* an answer asks for nothing else */
    if (err)
        note_refusal(rq, s, err, out);
    s->next++;
}

/* The reply outlives the request: its objects are made again in the turn's memory. */
static void reply_refused(const struct answering *s, struct decision *out)
{
    const struct wire_objects *from = &s->refused;

    out->reply.choice = REPLY_STATUS;
    for (size_t i = 0; i < from->n; i++) {
        struct wire_object *o =
            wire_objects_add(&out->reply.objects, out->arena, from->v[i].type,
                             arena_strdup(out->arena, from->v[i].name));

        for (size_t k = 0; k < from->v[i].attrs.n; k++)
            wire_attrs_add(&o->attrs, out->arena, from->v[i].attrs.v[k].name, NULL,
                           arena_strdup(out->arena, from->v[i].attrs.v[k].value),
                           WIRE_OP_SET);
    }
}

int handle_answer_resvs(const struct model *m, const struct request *rq,
                        struct decision *out)
{
    const struct body_answer_resvs *body = rq->body;
    struct answering *s;

    if (body->n == 0 || body->n > ANSWERS_MOST)
        return diag_code(&out->why, PBSE_IVALREQ);
    if (!rq->progress) {
        act_add(out, ACT_GO_ON);
        return 0;
    }
    s = answering_of(rq);
    MUST(s->next < body->n);
    /* Nobody is there any more to hear what became of the rest. */
    if (rq->who->conn == 0)
        return 0;
    take_next(m, rq, s, out);
    if (s->next < body->n)
        act_add(out, ACT_GO_ON);
    else
        reply_refused(s, out);
    return 0;
}
