/* occurrence_status.c - the status of occurrences of a standing reservation: ResvAct
 * (doc/extensions.md).
 *
 * An occurrence is shown with the attributes of a reservation, as the reservation will
 * look in its turn. Everybody may see what he may see of the reservation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/occurrence.h"
#include "server/requests/handlers.h"
#include "server/requests/show.h"

#include "lib/attr/resv_attrs.h"

/* The most that one reply shows; who wants more asks from the next one on. */
#define AT_ONCE 200

static void show(const struct model *m, const struct request *rq,
                 const struct occurrence *oc, const struct asked *asked,
                 struct decision *out)
{
    struct resv *view = occurrence_as_resv(oc, rq->arena);

    show_object(m, rq, &view->obj, OBJECT_RESV, asked, out);
}

static void show_from(const struct model *m, const struct request *rq,
                      const struct resv *r, int64_t index, const struct asked *asked,
                      struct decision *out)
{
    for (const struct occurrence *oc = &r->current;
         oc && out->reply.objects.n < AT_ONCE; oc = occurrence_after(oc))
        if (occurrence_index(oc) >= index)
            show(m, rq, oc, asked, out);
}

int handle_occurrence_status(const struct model *m, const struct request *rq,
                             struct decision *out)
{
    const struct body_resv_act *b = rq->body;
    const struct resv *r = model_resv(m, b->id);
    const struct occurrence *oc;
    struct asked asked;
    int err;

    MUST(b->occurrence > 0);
    if (!r || !obj_num(&r->obj, RESV_A_RESERVE_STANDING, 0))
        return diag_code(&out->why, PBSE_UNKRESVID);
    oc = occurrence_at(m, r, b->occurrence, rq->arena);
    if (!oc && !(b->flags & RESV_ACT_FROM))
        return diag_code(&out->why, PBSE_UNKRESVID);
    err = asked_parse(&b->attrs, OBJ_RESV, rq->arena, &asked, &out->why);
    if (err)
        return err;
    out->reply.choice = REPLY_STATUS;
    if (b->flags & RESV_ACT_FROM)
        show_from(m, rq, r, b->occurrence, &asked, out);
    else
        show(m, rq, oc, &asked, out);
    return 0;
}
