/* svr_listing.c - the engine's part of long status replies (listing.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/svr_priv.h"
#include "server/react/react.h"

/* A reply of so many bytes is sent as any other. */
#define SHORT_BYTES (64u << 10)

/* Records of this very turn have been seen, whatever they are about. */
static uint64_t seen(const struct turn *t, const struct listing *l)
{
    for (size_t i = t->out->n; i > 0; i--)
        if (t->out->v[i - 1].kind == EFFECT_RECORD)
            return t->s->m->seq;
    return listing_seq(l);
}

static size_t slice_bytes(const struct turn *t)
{
    size_t bytes = t->s->cfg.listing_slice_bytes;

    return bytes ? bytes : LISTING_SLICE_BYTES;
}

static bool is_short(const struct turn *t, const struct listing *l)
{
    /* A short reply goes the usual way and needs no state behind it. */
    return listing_is_last_part(l) &&
           listing_part_bytes(l) <= MIN_OF(slice_bytes(t), (size_t)SHORT_BYTES);
}

static enum svr_outcome tell_part(struct turn *t, const struct listing *l,
                                  uint64_t conn)
{
    struct wire_reply reply;

    /* The client gets an error instead of a list that is cut without a word. */
    if (listing_is_too_long(l)) {
        reply = refusal(t->out->arena, PBSE_SYSTEM, NULL);
    } else if (listing_is_gathering(l)) {
        return SVR_GATHERING;
    } else if (!is_short(t, l)) {
        effect_add(t->out, EFFECT_LISTING, seen(t, l))->u.listing_conn = conn;
        return SVR_LISTED;
    } else {
        reply = listing_reply(l, t->out->arena);
    }
    send_reply(t, conn, &reply);
    /* The reply waits for the records that it shows and for no others. */
    t->out->v[t->out->n - 1].seq = seen(t, l);
    listing_drop(&t->s->listings, conn);
    return SVR_ANSWERED;
}

static enum svr_outcome gather(struct turn *t, struct listing *l, uint64_t conn)
{
    listing_gather(&t->s->listings, l, t->now_at, slice_bytes(t));
    return tell_part(t, l, conn);
}

enum svr_outcome begin_listing(struct turn *t, const struct request *rq)
{
    return gather(t, listing_new(&t->s->listings, t->s->m, rq), rq->who->conn);
}

bool svr_listing_is_gathering(const struct svr *s, uint64_t conn)
{
    const struct listing *l = listing_find(&s->listings, conn);

    return l && listing_is_gathering(l);
}

void svr_listing_go_on(struct svr *s, int64_t now_at, uint64_t conn,
                       struct effects *out)
{
    struct turn t = turn_begin(s, now_at, out);
    struct listing *l = listing_find(&s->listings, conn);

    if (l && listing_is_gathering(l))
        gather(&t, l, conn);
}

size_t svr_listing_held_bytes(const struct svr *s)
{
    return shown_held_bytes(s->listings.shown);
}

void svr_listing_drop(struct svr *s, uint64_t conn)
{
    listing_drop(&s->listings, conn);
}

enum svr_listing svr_listing_read(struct svr *s, uint64_t conn, size_t most_bytes,
                                  struct buf *out)
{
    struct listing *l = listing_find(&s->listings, conn);

    if (!l)
        return SVR_LISTING_ALL;
    switch (listing_read(&s->listings, l, most_bytes, out)) {
    case LISTING_READ_SOME:
        return SVR_LISTING_SOME;
    case LISTING_READ_PART:
        return SVR_LISTING_PART;
    default:
        return SVR_LISTING_ALL;
    }
}

static bool kind_is_right(struct svr *s, const struct request *rq, enum obj_kind kind,
                          struct buf *why)
{
    if (kind == OBJ_OCCURRENCE) /* shown as a part of its reservation */
        return true;
    MODEL_EACH (s->m, kind, o) {
        if (shown_is_right(s->listings.shown, s->m, rq, o))
            continue;
        if (why)
            buf_printf(why, "%s %s, rights %x", kind_name(kind), o->id,
                       rq->who->rights);
        return false;
    }
    return true;
}

bool svr_shown_is_right(struct svr *s, int64_t now_at, struct buf *why)
{
    static const uint32_t rights[] = { WHO_USER, WHO_USER | WHO_OPERATOR,
                                       WHO_USER | WHO_MANAGER, WHO_USER | WHO_STAFF,
                                       WHO_ANYONE };

    for (size_t i = 0; i < ARRAY_LEN(rights); i++) {
        const struct requester who = { .user = "", .host = "", .rights = rights[i] };
        const struct wire_request wire = { 0 };
        const struct request rq = { .wire = &wire,
                                    .who = &who,
                                    .now_at = now_at,
                                    .cfg = &s->cfg,
                                    .view = &s->view };

        /* The simulator and debug builds compare every kept piece with a fresh one. */
        for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
            if (!kind_is_right(s, &rq, (enum obj_kind)kind, why))
                return false;
    }
    return true;
}

static void add_step(const struct walk *w, enum walk_step step, const struct object *o,
                     struct decision *out)
{
    if (step == WALK_AT)
        show_object(w->m, w->rq, o, show_object_type(o->kind), &w->asked, out);
    else if (step == WALK_OTHER)
        wire_objects_add(&out->reply.objects, out->arena, w->other.type, w->other.name)
            ->attrs = w->other.attrs;
}

int svr_changes(struct svr *s, int64_t now_at, const struct body_changes *body,
                struct arena *arena, struct wire_objects *ret)
{
    const struct requester who = {
        .user = "root", .host = "", .rights = WHO_USER | WHO_STAFF, .scheduler = true
    };
    const struct wire_request wire = { .number = BATCH_STATUS_CHANGES, .body = body };
    const struct request rq = { .wire = &wire,
                                .body = body,
                                .who = &who,
                                .actor = "root",
                                .now_at = now_at,
                                .arena = arena,
                                .cfg = &s->cfg,
                                .view = &s->view };
    struct decision out = { .arena = arena };
    const struct object *o = NULL;
    enum walk_step step;
    struct walk w;
    int err = walk_open(s->m, &rq, arena, &w, &out.why);

    if (err)
        return err;
    while ((step = walk_next(&w, &o)) != WALK_END)
        add_step(&w, step, o, &out);
    walk_close(&w);
    *ret = out.reply.objects;
    return 0;
}
