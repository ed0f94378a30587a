/* listing.c - see listing.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/listing.h"

#include "lib/wire/packet.h"
#include "server/engine/parked.h"

#include <stdlib.h>
#include <string.h>

#define JOBS_PER_PART 500 /* and as many of all kinds in StatusChanges */
/* What an object costs that need not be encoded, in bytes that would have been. */
#define CHEAP_BYTES   64
/* What it costs to look at what one other was promised on one vnode, likewise. */
#define PROMISE_BYTES 16

struct listing {
    uint64_t conn;
    struct arena *arena; /* of the request's copy and the walk */
    struct arena *slice; /* of one slice: the request's arena */
    struct wire_request wire;
    struct requester who;
    struct request rq;
    struct walk walk;
    bool gathering, too_long, more;
    size_t n, cap, n_most; /* objects of the part */
    const struct shown **v;
    const struct shown *ahead; /* first of the next part */
    size_t body_bytes;         /* of the part's objects */
    uint64_t seq;              /* of the last record that shows */
    size_t n_read;
    bool head_read;
    UT_hash_handle hh;
};

void listings_init(struct listings *t)
{
    *t = (struct listings){ .shown = shown_cache_new(SHOWN_MAX_BYTES) };
}

static void release_all(struct listings *t, struct listing *l)
{
    /* What was read has been released one by one. */
    for (size_t i = l->n_read; i < l->n; i++)
        shown_release(t->shown, l->v[i]);
    if (l->ahead)
        shown_release(t->shown, l->ahead);
    l->n = l->n_read = 0;
    l->ahead = NULL;
}

static void listing_free(struct listings *t, struct listing *l)
{
    HASH_DEL(t->by_conn, l);
    release_all(t, l);
    walk_close(&l->walk);
    arena_free(l->arena);
    arena_free(l->slice);
    free(l->v);
    free(l);
}

void listings_fini(struct listings *t)
{
    while (t->by_conn)
        listing_free(t, t->by_conn);
    shown_cache_free(t->shown);
}

struct listing *listing_find(const struct listings *t, uint64_t conn)
{
    struct listing *l;

    HASH_FIND(hh, t->by_conn, &conn, sizeof(conn), l);
    return l;
}

void listing_drop(struct listings *t, uint64_t conn)
{
    struct listing *l = listing_find(t, conn);

    if (l)
        listing_free(t, l);
}

/* The request's texts outlive its turn. */
static void copy_request(struct listing *l, const struct request *rq)
{
    request_copy(rq, l->arena, &l->wire, &l->who);
    l->rq = *rq;
    l->rq.wire = &l->wire;
    l->rq.body = l->wire.body;
    l->rq.who = &l->who;
    l->rq.actor = arena_strdup(l->arena, rq->actor);
    l->rq.arena = l->slice;
}

struct listing *listing_new(struct listings *t, const struct model *m,
                            const struct request *rq)
{
    struct listing *l = xcalloc(1, sizeof(*l));
    struct diag why;
    int err;

    /* A connection has one listing; a new request ends the one before it. */
    listing_drop(t, rq->who->conn);
    l->conn = rq->who->conn;
    l->arena = arena_new();
    l->slice = arena_new();
    l->gathering = true;
    copy_request(l, rq);
    err = walk_open(m, &l->rq, l->arena, &l->walk, &why);
    MUST(err == 0); /* the handler has tried it */
    (void)err;
    /* A reply about jobs comes in parts of so many jobs; other kinds come in one
     * part. */
    l->n_most = l->walk.kind == OBJ_JOB || l->walk.changes ? JOBS_PER_PART : SIZE_MAX;
    HASH_ADD(hh, t->by_conn, conn, sizeof(l->conn), l);
    return l;
}

static void add(struct listing *l, const struct shown *s)
{
    if (l->n == l->cap) {
        l->cap = MAX_OF(2 * l->cap, (size_t)16);
        l->v = xrealloc(l->v, l->cap * sizeof(*l->v));
    }
    l->v[l->n++] = s;
    l->body_bytes += s->len;
    /* The reply may leave when the newest record that it shows is durable. */
    l->seq = MAX_OF(l->seq, s->seq);
}

static void begin_part(struct listing *l)
{
    l->n = l->n_read = 0;
    l->body_bytes = 0;
    l->head_read = false;
    l->more = false;
    l->gathering = true;
    /* The object that was one too many for the last part begins this one. */
    if (l->ahead)
        add(l, l->ahead);
    l->ahead = NULL;
}

static void end_part(struct listing *l, const struct shown *ahead)
{
    l->ahead = ahead;
    l->more = ahead != NULL;
    l->gathering = false;
}

/* One step of the walk; returns its cost. */
static size_t gather_one(struct listings *t, struct listing *l)
{
    const struct object *o;
    const struct shown *s;
    size_t n_looked_at = 0;
    bool made;
    enum walk_step step = walk_next(&l->walk, &o);
    size_t cost = CHEAP_BYTES * walk_cost(&l->walk);

    if (step == WALK_PAST)
        return cost;
    if (step == WALK_END) {
        end_part(l, NULL);
        return 0;
    }
    if (step == WALK_OTHER) {
        s = shown_other(t->shown, &l->walk.other, l->walk.other_seq);
        made = true;
    } else {
        s = shown_get(t->shown, l->walk.m, &l->rq, &l->walk.asked, o, &made,
                      &n_looked_at);
        cost += PROMISE_BYTES * n_looked_at;
    }
    /* Only now it is certain that another part follows, which the head of this one has
     * to say. */
    if (l->n == l->n_most)
        end_part(l, s);
    else
        add(l, s);
    /* An object that others have asked for before costs no encoding. */
    return made ? cost + s->len : cost;
}

/* What is not in a list tells something too: objects that are gone, jobs that are
 * elsewhere or do not meet the criteria. Reservations show what others are promised. */
static uint64_t seen_by_all(const struct walk *w)
{
    const struct model *m = w->m;

    if (w->changes)
        return changes_seen(w);
    if (w->selection || w->queue || w->kind == OBJ_RESV)
        return m->seq;
    return MAX_OF(m->settings_seq, MAX_OF(m->defs_seq, m->kinds[w->kind].members_seq));
}

void listing_gather(struct listings *t, struct listing *l, int64_t now_at,
                    size_t slice_bytes)
{
    size_t cost = 0;

    arena_clear(l->slice);
    l->rq.now_at = now_at;
    while (l->gathering && !l->too_long && cost < slice_bytes) {
        cost += gather_one(t, l);
        /* The bound keeps one client from filling the memory of the server. */
        l->too_long = l->body_bytes > LISTING_MAX_BYTES || walk_is_lost(&l->walk);
    }
    l->seq = MAX_OF(l->seq, seen_by_all(&l->walk));
}

uint64_t listing_seq(const struct listing *l)
{
    return l->seq;
}

bool listing_is_gathering(const struct listing *l)
{
    return l->gathering;
}

bool listing_is_too_long(const struct listing *l)
{
    return l->too_long;
}

size_t listing_part_bytes(const struct listing *l)
{
    return PACKET_HEADER_BYTES + l->body_bytes;
}

bool listing_is_last_part(const struct listing *l)
{
    return !l->more;
}

struct wire_reply listing_reply(const struct listing *l, struct arena *arena)
{
    char *bytes = arena_alloc(arena, l->body_bytes + 1);
    struct wire_reply reply = {
        .choice = REPLY_STATUS,
        .more = l->more,
        .encoded = { .n = l->n, .data = bytes, .len = l->body_bytes },
    };

    for (size_t i = 0; i < l->n; i++) {
        /* A short reply is copied into its effect, since the pieces may go before it
         * leaves. */
        memcpy(bytes, l->v[i]->data, l->v[i]->len);
        bytes += l->v[i]->len;
    }
    return reply;
}

static void read_head(const struct listing *l, struct buf *out)
{
    struct buf head = { 0 };

    batch_put_status_head(&head, l->n, l->more);
    /* The head tells the whole length, which is known because the pieces are encoded
     * already. */
    packet_put_head(out, PACKET_DATA, head.len + l->body_bytes);
    buf_add(out, head.data, head.len);
    buf_fini(&head);
}

enum listing_read listing_read(struct listings *t, struct listing *l, size_t most_bytes,
                               struct buf *out)
{
    size_t end = out->len + most_bytes;

    MUST(!l->gathering);
    if (!l->head_read)
        read_head(l, out);
    l->head_read = true;
    while (l->n_read < l->n) {
        const struct shown *s = l->v[l->n_read++];

        buf_add(out, s->data, s->len);
        /* Each piece is released as soon as its bytes are in the buffer of the
         * connection. */
        shown_release(t->shown, s);
        if (out->len >= end && l->n_read < l->n)
            return LISTING_READ_SOME;
    }
    /* The last part has been read, and nothing is left to remember. */
    if (!l->more) {
        listing_free(t, l);
        return LISTING_READ_ALL;
    }
    begin_part(l);
    return LISTING_READ_PART;
}

void listings_leave(struct listings *t, const struct object *o, bool retires)
{
    struct listing *l, *next;

    HASH_ITER (hh, t->by_conn, l, next)
        walk_leave(&l->walk, o, retires);
    /* Nobody may be shown an object after it has gone. */
    shown_forget(t->shown, o);
}

void listings_moved(struct listings *t, const struct job *job, struct rank_place was)
{
    struct listing *l, *next;

    HASH_ITER (hh, t->by_conn, l, next)
        walk_moved(&l->walk, job, was);
}
