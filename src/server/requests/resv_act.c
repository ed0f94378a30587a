/* resv_act.c - ResvAct: an ordinary request about a reservation, with terms that PBS's
 * own requests cannot say (doc/extensions.md).
 *
 * The ordinary handler stays the one place where it is decided: this one only says
 * which it is. A term that the ordinary handler does not keep would be half a request,
 * so each row says which are kept, and any other is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/resv_dry.h"

#include <string.h>

#define FLAGS_ALL                                                                      \
    (RESV_ACT_DRY_RUN | RESV_ACT_PUSH | RESV_ACT_FORCE | RESV_ACT_FROM |               \
     RESV_ACT_RELEASE)

struct act_row {
    uint32_t number; /* of the ordinary request; 0: it is not served */
    uint32_t flags;  /* that its handler keeps */
    bool occurrence; /* it keeps one of these, too */
};

static const struct act_row rows[] = {
    [RESV_ACT_SUBMIT] = { BATCH_SUBMIT_RESV, RESV_ACT_DRY_RUN, false },
    [RESV_ACT_ALTER] = { BATCH_MODIFY_RESV,
                         RESV_ACT_FORCE | RESV_ACT_PUSH | RESV_ACT_RELEASE |
                             RESV_ACT_DRY_RUN,
                         true },
    [RESV_ACT_DELETE] = { BATCH_DELETE_RESV, RESV_ACT_DRY_RUN, true },
    [RESV_ACT_STATUS] = { BATCH_STATUS_RESV, RESV_ACT_FROM, true },
};

/* Force takes vnodes from the others where a push leaves them theirs. */
static bool contradict(uint32_t flags)
{
    return (flags & RESV_ACT_PUSH) && (flags & RESV_ACT_FORCE);
}

static int check(const struct body_resv_act *b, struct diag *why)
{
    if (b->what < RESV_ACT_SUBMIT || b->what >= ARRAY_LEN(rows) ||
        (b->flags & ~(uint32_t)FLAGS_ALL))
        return diag_code(why, PBSE_IVALREQ);
    if (b->what == RESV_ACT_DELETE && b->attrs.n > 0)
        return diag_code(why, PBSE_IVALREQ);
    if (rows[b->what].number == 0 || (b->flags & ~rows[b->what].flags) ||
        (b->occurrence && !rows[b->what].occurrence) || contradict(b->flags))
        return diag_code(why, PBSE_NOSUP);
    /* The ordinary request shows the reservation, and serves many at once. */
    if (b->what == RESV_ACT_STATUS && !b->occurrence)
        return diag_code(why, PBSE_NOSUP);
    return 0;
}

/* The vnodes that maintenance would be confirmed with, taken out of the attributes;
 * NULL: none are named. */
static const char *take_vnodes(struct body_resv_act *b, struct arena *arena)
{
    const char *vnodes = NULL;
    size_t n = 0;

    if (b->what != RESV_ACT_SUBMIT || !(b->flags & RESV_ACT_DRY_RUN))
        return NULL;
    b->attrs.v = arena_copy(arena, b->attrs.v, b->attrs.n * sizeof(*b->attrs.v));
    for (size_t i = 0; i < b->attrs.n; i++) {
        if (strcmp(b->attrs.v[i].name, DRY_RUN_VNODES) == 0)
            vnodes = b->attrs.v[i].value;
        else
            b->attrs.v[n++] = b->attrs.v[i];
    }
    b->attrs.n = n;
    return vnodes;
}

/* What PBS's requests say in their extension; 'vnodes' as above. */
static const char *extension_of(const struct body_resv_act *b, const char *vnodes)
{
    if (b->flags & RESV_ACT_FORCE)
        return "force";
    return vnodes ? "m" : NULL;
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
    struct body_resv_act b = *(const struct body_resv_act *)rq->body;
    int err = check(&b, &out->why);
    const char *vnodes;

    if (err)
        return err;
    if (b.what == RESV_ACT_STATUS)
        return handle_occurrence_status(m, rq, out);
    vnodes = take_vnodes(&b, rq->arena);

    const struct wire_request wire = {
        .number = rows[b.what].number,
        .user = rq->wire->user,
        .body = ordinary_body(&b, rq->arena),
        .extend = extension_of(&b, vnodes),
    };
    struct request ordinary = *rq;
    handler_fn handle = request_row(wire.number)->handle;

    ordinary.wire = arena_copy(rq->arena, &wire, sizeof(wire));
    ordinary.body = wire.body;
    ordinary.occurrence = b.occurrence;
    ordinary.terms = b.flags;
    if (b.flags & RESV_ACT_DRY_RUN)
        return resv_dry_run(m, &ordinary, handle, vnodes, out);
    return handle(m, &ordinary, out);
}
