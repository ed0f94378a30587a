/* resv_answer.c - see resv_answer.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_answer.h"

#include "server/model/resv_claims.h"

#include "server/decide/resv_question.h"
#include "server/decide/resv_queue.h"
#include "server/decide/sched_link.h"
#include "server/model/node_life.h"

#include "lib/attr/execvnodes.h"
#include "lib/attr/resv_attrs.h"
#include "lib/base/log.h"

#include <ctype.h>

/* How long to wait for vnodes that were not heard of before asking again. */
#define ASK_AGAIN_S 5

bool answer_is_for_awaited_vnodes(const struct resv_answer *a)
{
    const struct sched_link *l =
        sched_link_of_conn(a->rq->view->links, a->rq->who->conn);

    /* The scheduler may have looked before the vnodes were heard of, so the cycle
     * counts, too. */
    return nodes_are_awaited(a->m) || (l && l->began_unsure);
}

void answer_ask_again(const struct resv_answer *a)
{
    question_put_again(decide(a->out, a->rq, FACT_SET, OBJ_RESV, a->r->obj.id),
                       a->rq->arena, a->rq->now_at + ASK_AGAIN_S);
}

void answer_note_no(const struct resv_answer *a)
{
    struct record *rec = decide(a->out, a->rq, FACT_SET, OBJ_RESV, a->r->obj.id);

    question_note_no(rec, a->rq->arena, a->r, a->sched);
    if (rec->n_changes == 0)
        a->out->records.n--; /* it has said so already */
}

/* The exec_vnode in a map of one occurrence. */
static int unwrap(const struct resv_answer *a, const char **text)
{
    struct execvnodes map;
    int err;

    if (!isdigit((unsigned char)**text))
        return 0;
    err = execvnodes_parse(*text, 1, a->rq->arena, &map, &a->out->why);
    if (!err)
        *text = map.texts[map.which[0]];
    return err;
}

int answer_vnodes(const struct resv_answer *a, struct exec_vnode *ret)
{
    return answer_vnodes_of(a, a->vnodes, ret);
}

int answer_vnodes_of(const struct resv_answer *a, const char *text,
                     struct exec_vnode *ret)
{
    const char *unknown;
    int err = unwrap(a, &text);

    if (!err)
        err = exec_vnode_parse(text, a->m->defs, a->rq->arena, ret, &a->out->why);

    if (err)
        return err;
    unknown = resv_fit_unknown(a->m, ret);
    if (!unknown)
        return 0;
    decide_log(a->out, LOG_EV_DEBUG, LOG_IN_RESV, a->r->obj.id,
               "Unknown node %s received", unknown);
    return diag_set(&a->out->why, PBSE_SYSTEM, "Unknown node %s received", unknown);
}

/* An answer to an older question may offer what a larger or smaller select asked for. A
 * select that cannot be read was accepted by a former version: nothing is known of it.
 */
bool answer_is_as_much(const struct resv_answer *a, const struct exec_vnode *vnodes,
                       const char *schedselect, const char **ret_why)
{
    struct resources want = { 0 };
    struct select select;
    bool same = true;

    if (select_parse(schedselect, a->m->defs, a->rq->arena, &select, NULL))
        return true;
    select_sum(&select, a->m->defs, &want);
    for (size_t i = 0; same && i < want.n; i++) {
        const char *name = want.v[i].def->name;
        int64_t offered = exec_vnode_amount(vnodes, NULL, name);

        /* A resource that is not counted on vnodes is not part of an offer. */
        same = offered == 0 || offered == resources_amount(&want, name, 0);
        if (!same)
            *ret_why = arena_printf(a->rq->arena, "it offers %" PRId64 " of %s",
                                    offered, name);
    }
    resources_clear(&want);
    return same;
}

/* NULL: none. */
static const struct node *find_alien(const struct resv_answer *a,
                                     const struct resv_offer *offer)
{
    for (size_t i = 0; i < offer->vnodes->n; i++) {
        const struct exec_chunk *chunk = &offer->vnodes->chunks[i];

        for (size_t k = 0; k < chunk->n; k++) {
            const struct node *n = model_node(a->m, chunk->parts[k].vnode);
            const char *its = n ? obj_str(&n->obj, NODE_A_PARTITION, NULL) : NULL;

            if (its && strcmp(its, a->partition) != 0 &&
                !bookings_has(&offer->occurrence->bookings, n))
                return n;
        }
    }
    return NULL;
}

bool answer_fits(const struct resv_answer *a, const struct resv_offer *offer,
                 const char **ret_why)
{
    const struct node *alien = resv_is_maintenance(a->r) ? NULL : find_alien(a, offer);

    if (!alien)
        return resv_fit(a->m, offer, a->rq->arena, ret_why);
    *ret_why = arena_printf(a->rq->arena, "vnode %s is of partition %s", alien->obj.id,
                            obj_str(&alien->obj, NODE_A_PARTITION, ""));
    return false;
}

int answer_judge(const struct resv_answer *a, const struct resv_offer *offer,
                 const char *schedselect)
{
    const struct resv *r = offer->occurrence->resv;
    const char *why = "";

    MUST(r == a->r || r == a->r->stands_for);
    if (answer_is_as_much(a, offer->vnodes, schedselect, &why) &&
        answer_fits(a, offer, &why))
        return 0;
    return answer_refuse(a, why);
}

struct resv_offer offer_beside(const struct resv_offer *v, size_t n, size_t i,
                               struct arena *arena)
{
    struct resv_offer offer = v[i];
    struct resv_offer *with = arena_copy(arena, v, n * sizeof(*with));

    MUST(n > 0 && i < n);
    with[i] = with[n - 1];
    offer.with = with;
    offer.n_with = n - 1;
    return offer;
}

int answer_refuse(const struct resv_answer *a, const char *why)
{
    decide_log(a->out, LOG_EV_RESV, LOG_IN_RESV, a->r->obj.id,
               "Confirmation refused: %s", why);
    return diag_code(&a->out->why, PBSE_BADSTATE);
}

void answer_open_queue(const struct resv_answer *a)
{
    bool enabled = a->r->queue && obj_num(&a->r->queue->obj, QUEUE_A_ENABLED, 0);
    struct record *rec = resv_queue_record(a->m, a->r, FACT_SET,
                                           enabled ? REASON_NONE : REASON_RESV_KEEPS,
                                           a->rq->now_at, a->out);

    if (!rec)
        return;
    if (!enabled)
        record_change(rec, a->rq->arena, QUEUE_A_ENABLED, NULL, "True");
    record_change(rec, a->rq->arena, QUEUE_A_PARTITION, NULL, a->partition);
}
