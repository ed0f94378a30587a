/* parked.c - see parked.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/parked.h"

#include "server/engine/waiting.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

size_t request_copy(const struct request *rq, struct arena *arena,
                    struct wire_request *wire, struct requester *who)
{
    struct buf bytes = { 0 };
    bool known;
    enum dis_error e;
    size_t n_bytes;

    /* Encoding and decoding copies every field of every kind of request, without a
     * function for each. */
    batch_encode_request(&bytes, rq->wire);
    e = batch_decode_request(bytes.data, bytes.len, arena, wire, &known);
    MUST(!e && known);
    (void)e;
    n_bytes = bytes.len;
    buf_fini(&bytes);
    *who = *rq->who;
    who->user = arena_strdup(arena, rq->who->user);
    who->host = arena_strdup(arena, rq->who->host);
    return n_bytes;
}

static struct parked_user *find_user(const struct parked_table *t, const char *name)
{
    struct parked_user *u;

    /* Only users with parked requests are in the list. */
    DL_FOREACH (t->users, u) {
        if (strcmp(u->name, name) == 0)
            return u;
    }
    return NULL;
}

static struct parked_user *make_user(struct parked_table *t, const char *name)
{
    struct parked_user *u = xcalloc(1, sizeof(*u));

    u->name = xstrdup(name);
    DL_APPEND(t->users, u);
    return u;
}

static void drop_user(struct parked_table *t, struct parked_user *u)
{
    DL_DELETE(t->users, u);
    free(u->name);
    free(u);
}

static struct parked *copy_of(const struct request *rq)
{
    struct parked *p = xcalloc(1, sizeof(*p));

    p->arena = p->progress.arena = arena_new();
    p->bytes = request_copy(rq, p->arena, &p->wire, &p->who);
    return p;
}

static struct parked *add(struct parked_table *t, const char *user, struct parked *p,
                          struct inquiries *inquiries)
{
    struct parked_user *u = find_user(t, user);

    asker_init(&p->asker, inquiries, NULL);
    p->conn = p->who.conn;
    p->user = u ? u : make_user(t, user);
    p->user->n++;
    p->user->bytes += p->bytes;
    DL_APPEND(p->user->first, p);
    if (p->conn)
        HASH_ADD(hh, t->by_conn, conn, sizeof(p->conn), p);
    t->n_ready++;
    return p;
}

struct parked *parked_add(struct parked_table *t, const struct request *rq, bool silent,
                          struct inquiries *inquiries)
{
    const struct parked_user *u = find_user(t, rq->actor);
    struct parked *p;

    MUST(silent || !parked_find(t, rq->who->conn)); /* one request at a time */
    /* The limits are those of one user: whoever asks too much is refused, and others
     * are not. */
    if (u && u->n >= PARKED_MAX_OF_USER)
        return NULL;
    p = copy_of(rq);
    if (u && u->bytes + p->bytes > PARKED_MAX_BYTES_OF_USER) {
        arena_free(p->arena);
        free(p);
        return NULL;
    }
    /* Nobody waits for the answer of a silent request, so the connection goes on. */
    if (silent)
        p->who.conn = 0;
    return add(t, rq->actor, p, inquiries);
}

struct parked *parked_carry_on(struct parked_table *t, const struct request *rq,
                               const char *kept, struct inquiries *inquiries)
{
    struct parked *p;

    MUST(rq->who->conn == 0);
    p = add(t, rq->actor, copy_of(rq), inquiries);
    p->let_in = p->began = true;
    p->progress.kept = arena_strdup(p->arena, kept);
    return p;
}

bool parked_ask(struct parked_table *t, struct parked *p, struct need *need,
                int64_t until_at)
{
    parked_wait(t, p);
    return asker_ask(&p->asker, need, until_at);
}

/* What it has learned is its user's memory. */
void parked_learn(struct parked_table *t, struct parked *p, const struct need *need,
                  const struct finding *finding)
{
    size_t before = asker_bytes(&p->asker);

    asker_learn(&p->asker, need, finding, INT64_MAX);
    p->bytes += asker_bytes(&p->asker) - before;
    p->user->bytes += asker_bytes(&p->asker) - before;
    /* It knows all that it had asked for and is decided afresh. */
    if (!p->asker.awaits)
        parked_wake(t, p);
}

size_t parked_bytes(const struct parked_table *t, uint64_t conn)
{
    const struct parked *p = parked_find(t, conn);

    if (!p)
        return 0;
    return arena_used_bytes(p->arena) + asker_bytes(&p->asker);
}

void parked_remove(struct parked_table *t, struct parked *p)
{
    if (p->conn)
        HASH_DEL(t->by_conn, p);
    asker_fini(&p->asker);
    waiting_group_leave(p->group);
    parked_wait(t, p); /* not counted any more */
    DL_DELETE(p->user->first, p);
    MUST(p->user->bytes >= p->bytes);
    p->user->bytes -= p->bytes;
    if (--p->user->n == 0)
        drop_user(t, p->user);
    /* The state of a long request may hold more than memory of its arena. */
    if (p->progress.drop)
        p->progress.drop(p->progress.state);
    arena_free(p->arena);
    free(p);
}

void parked_fini(struct parked_table *t)
{
    while (t->users)
        parked_remove(t, t->users->first);
}

static struct parked *first_ready(const struct parked_user *u)
{
    struct parked *p;

    DL_FOREACH (u->first, p) {
        if (!p->waits)
            return p;
    }
    return NULL;
}

struct parked *parked_turn(struct parked_table *t)
{
    struct parked *p = NULL;

    while (!p && t->n_ready > 0) {
        struct parked_user *u = t->users;

        /* The user goes to the end of the line, so users take turns however many
         * requests one of them has. */
        DL_DELETE(t->users, u);
        DL_APPEND(t->users, u);
        p = first_ready(u);
    }
    return p;
}

void parked_wait(struct parked_table *t, struct parked *p)
{
    if (!p->waits)
        t->n_ready--;
    p->waits = true;
}

void parked_wake(struct parked_table *t, struct parked *p)
{
    if (p->waits)
        t->n_ready++;
    p->waits = false;
}

struct parked *parked_find(const struct parked_table *t, uint64_t conn)
{
    struct parked *p;

    HASH_FIND(hh, t->by_conn, &conn, sizeof(conn), p);
    return p;
}

void parked_client_gone(struct parked_table *t, uint64_t conn)
{
    struct parked *p = parked_find(t, conn);

    if (!p)
        return;
    /* Nothing of it is a fact yet, so it can be dropped. */
    if (!p->began) {
        parked_remove(t, p);
        return;
    }
    /* A request that has changed something is carried to its end, without anybody who
     * waits. */
    HASH_DEL(t->by_conn, p);
    p->conn = p->who.conn = 0;
    /* What it waited for goes with the connection (waiting.h), unless it is an answer
     * that is found out. */
    if (!p->asker.awaits)
        parked_wake(t, p);
}

void parked_leave(const struct parked_table *t, const struct object *o, bool retires)
{
    const struct parked_user *u;
    const struct parked *p;

    DL_FOREACH (t->users, u) {
        DL_FOREACH (u->first, p) {
            /* A walk over objects must not stand on one that goes. */
            if (p->progress.leave && p->progress.state)
                p->progress.leave(p->progress.state, o, retires);
        }
    }
}

void parked_moved(const struct parked_table *t, const struct job *job,
                  struct rank_place was)
{
    const struct parked_user *u;
    const struct parked *p;

    DL_FOREACH (t->users, u) {
        DL_FOREACH (u->first, p) {
            if (p->progress.moved && p->progress.state)
                p->progress.moved(p->progress.state, job, was);
        }
    }
}
