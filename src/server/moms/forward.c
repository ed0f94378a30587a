/* forward.c - requests of clients that MoMs carry out: signals and messages to running
 * jobs. A request that names several jobs is answered when all of their MoMs have said
 * what became of their part.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/moms/moms_priv.h"

#include <stdlib.h>

static void forwarded_free(struct forwarded *f)
{
    free(f->text);
    free(f);
}

static void tell_client(struct moms_turn *t, const struct forwarded *f)
{
    struct effect *e = effect_add(t->effects, EFFECT_REPLY, t->m->seq);

    e->u.reply.conn = f->conn;
    e->u.reply.reply = (struct wire_reply){ .code = f->code, .choice = REPLY_NULL };
    if (!f->text)
        return;
    e->u.reply.reply.choice = REPLY_TEXT;
    e->u.reply.reply.text = arena_strdup(t->effects->arena, f->text);
}

/* The forwarded requests have answers without a body or with a text; nothing else of a
 * MoM's reply goes to a client. */
static void take(struct forwarded *f, const struct wire_reply *reply)
{
    if (f->code)
        return;
    f->code = reply->code;
    free(f->text);
    f->text = reply->choice == REPLY_TEXT && reply->text ? xstrdup(reply->text) : NULL;
}

void forwarded_answer(struct moms_turn *t, struct forwarded *f,
                      const struct wire_reply *reply)
{
    MUST(f->n_open > 0);
    take(f, reply);
    if (--f->n_open > 0)
        return;
    tell_client(t, f);
    forwarded_free(f);
}

void forwarded_drop(struct forwarded *f)
{
    MUST(f->n_open > 0);
    if (--f->n_open == 0)
        forwarded_free(f);
}

/* The request as it goes to the MoM of one job. */
static struct wire_request ours(struct moms_turn *t, const char *job_id,
                                const struct wire_request *rq)
{
    struct wire_request ret = *rq;
    struct body_signal *body;

    /* The MoM serves its server only: what a client may ask was checked before, and the
     * request goes on in the name of root. */
    ret.user = "root";
    if (rq->number != BATCH_SIGNAL_JOB)
        return ret;
    /* A MoM knows subjobs, and nothing of their array. */
    body = ARENA_NEW(t->effects->arena, struct body_signal);
    *body = *(const struct body_signal *)rq->body;
    body->job_id = arena_strdup(t->effects->arena, job_id);
    ret.body = body;
    return ret;
}

static void forward_one(struct moms *ms, struct moms_turn *t, const char *job_id,
                        struct forwarded *f, const struct wire_request *rq)
{
    static const struct wire_reply away = { .code = PBSE_NORELYMOM,
                                            .choice = REPLY_TEXT };
    struct mom_job *j = moms_job(ms, job_id);
    const struct wire_request to_mom = ours(t, job_id, rq);
    struct wire_reply no = away;

    if (j->mom && j->mom->registered) {
        send_forwarded(ms, t, j, f, &to_mom);
        return;
    }
    /* Nobody waits for the answer, so a MoM that is away needs no word. */
    if (!f)
        return;
    no.text = pbse_text(PBSE_NORELYMOM);
    forwarded_answer(t, f, &no);
}

void moms_forward(struct moms *ms, struct moms_turn *t, uint64_t conn, size_t n,
                  const char *const *job_ids, const struct wire_request *rq)
{
    struct forwarded *f = conn ? xcalloc(1, sizeof(*f)) : NULL;

    MUST(n == 1 || (n > 1 && rq->number == BATCH_SIGNAL_JOB));
    if (f)
        *f = (struct forwarded){ .conn = conn, .n_open = n };
    /* The last answer frees 'f', so that nothing of it is looked at here. */
    for (size_t i = 0; i < n; i++)
        forward_one(ms, t, job_ids[i], f, rq);
}
