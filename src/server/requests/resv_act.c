/* resv_act.c - ResvAct: an ordinary request about a reservation, with terms that PBS's
 * own requests cannot say (doc/extensions.md).
 *
 * The ordinary handler stays the one place where it is decided: this one only says
 * which it is. A term that the ordinary handler does not keep would be half a request,
 * so each row says which are kept, and any other is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/handlers.h"

#define FLAGS_ALL (RESV_ACT_DRY_RUN | RESV_ACT_PUSH | RESV_ACT_FORCE)

struct act_row {
    uint32_t number; /* of the ordinary request; 0: it is not served */
    uint32_t flags;  /* that its handler keeps */
    bool occurrence; /* it keeps one of these, too */
};

static const struct act_row rows[] = {
    [RESV_ACT_SUBMIT] = { BATCH_SUBMIT_RESV, 0, false },
    [RESV_ACT_ALTER] = { BATCH_MODIFY_RESV, RESV_ACT_FORCE, false },
    [RESV_ACT_DELETE] = { BATCH_DELETE_RESV, 0, false },
    [RESV_ACT_STATUS] = { 0 },
};

static int check(const struct body_resv_act *b, struct diag *why)
{
    if (b->what < RESV_ACT_SUBMIT || b->what >= ARRAY_LEN(rows) ||
        (b->flags & ~(uint32_t)FLAGS_ALL))
        return diag_code(why, PBSE_IVALREQ);
    if (b->what == RESV_ACT_DELETE && b->attrs.n > 0)
        return diag_code(why, PBSE_IVALREQ);
    if (rows[b->what].number == 0 || (b->flags & ~rows[b->what].flags) ||
        (b->occurrence && !rows[b->what].occurrence))
        return diag_code(why, PBSE_NOSUP);
    return 0;
}

/* The body of the ordinary request, in the arena. */
static const void *ordinary_body(const struct body_resv_act *b, struct arena *arena)
{
    const struct body_queue submit = { .id = b->id,
                                       .destination = "",
                                       .attrs = b->attrs };
    const struct body_modify_resv alter = { .object_type = OBJECT_RESV,
                                            .resv_id = b->id,
                                            .attrs = b->attrs };
    const struct body_manage delete = { .command = MANAGER_DELETE,
                                        .object_type = OBJECT_RESV,
                                        .object_name = b->id };

    switch (b->what) {
    case RESV_ACT_SUBMIT:
        return arena_copy(arena, &submit, sizeof(submit));
    case RESV_ACT_ALTER:
        return arena_copy(arena, &alter, sizeof(alter));
    default:
        MUST(b->what == RESV_ACT_DELETE); /* check() refused the others */
        return arena_copy(arena, &delete, sizeof(delete));
    }
}

int handle_resv_act(const struct model *m, const struct request *rq,
                    struct decision *out)
{
    const struct body_resv_act *b = rq->body;
    int err = check(b, &out->why);

    if (err)
        return err;

    const struct wire_request wire = {
        .number = rows[b->what].number,
        .user = rq->wire->user,
        .body = ordinary_body(b, rq->arena),
        .extend = b->flags & RESV_ACT_FORCE ? "force" : NULL,
    };
    struct request ordinary = *rq;

    ordinary.wire = arena_copy(rq->arena, &wire, sizeof(wire));
    ordinary.body = wire.body;
    return request_row(wire.number)->handle(m, &ordinary, out);
}
