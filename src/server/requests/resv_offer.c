/* resv_offer.c - OfferResv: a scheduler's yes to an alteration with other times than
 * were asked for (counter_offer.h, doc/extensions.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/counter_offer.h"
#include "server/decide/resv_proposal.h"
#include "server/decide/resv_question.h"
#include "server/model/occurrence.h"
#include "server/requests/handlers.h"

int handle_offer_resv(const struct model *m, const struct request *rq,
                      struct decision *out)
{
    const struct body_offer_resv *body = rq->body;
    const struct occurrence *later;
    struct resv_answer a = { .m = m, .rq = rq, .out = out };

    if (!(rq->who->rights & WHO_STAFF))
        return diag_code(&out->why, PBSE_PERM);
    if (body->n == 0)
        return diag_code(&out->why, PBSE_IVALREQ);
    later = occurrence_find(m, body->offers[0].id);
    a.r = later ? later->resv : model_resv(m, body->offers[0].id);
    if (!a.r)
        return diag_code(&out->why, PBSE_UNKRESVID);
    if (!proposal_is_open(a.r) || body->seq != (uint64_t)proposal_seq(a.r) ||
        proposal_occurrence(m, a.r, rq->arena) != (later ? later : &a.r->current))
        return diag_code(&out->why, PBSE_BADSTATE);
    a.partition = *body->partition ? body->partition : DEFAULT_PARTITION;
    a.sched = question_who(m, rq, a.partition);
    return counter_offer_take(&a, body);
}
