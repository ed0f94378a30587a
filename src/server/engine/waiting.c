/* waiting.c - see waiting.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/waiting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct waiting_for {
    char *key; /* "6 R7.svr" */
    struct waiting_reply *first;
    UT_hash_handle hh;
};

struct waiting_group {
    size_t n_open; /* that wait, and who holds it */
    int32_t code;  /* the first failure, 0: none yet */
    char *text;    /* of it; NULL: none */
};

struct waiting_group *waiting_group_new(void)
{
    struct waiting_group *g = xcalloc(1, sizeof(*g));

    g->n_open = 1;
    return g;
}

void waiting_group_add(struct waiting_group *g, struct waiting_reply *w)
{
    MUST(!w->group);
    w->group = g;
    g->n_open++;
}

void waiting_group_leave(struct waiting_group *g)
{
    if (!g)
        return;
    MUST(g->n_open > 0);
    if (--g->n_open > 0)
        return;
    free(g->text);
    free(g);
}

static void set_failure(struct waiting_group *g, int32_t code, const char *text)
{
    free(g->text);
    g->code = code;
    g->text = text ? xstrdup(text) : NULL;
}

static void tell(const struct waiting_group *g, struct wire_reply *reply,
                 struct arena *arena)
{
    *reply = (struct wire_reply){ .code = g->code, .choice = REPLY_NULL };
    if (g->text) {
        reply->choice = REPLY_TEXT;
        reply->text = arena_strdup(arena, g->text);
    }
}

bool waiting_group_close(struct waiting_group *g, int code, struct wire_reply *reply,
                         struct arena *arena)
{
    bool over = g->n_open == 1;

    if (code)
        set_failure(g, code, pbse_text(code));
    if (over)
        tell(g, reply, arena);
    waiting_group_leave(g);
    return over;
}

bool waiting_takes(struct waiting_reply *w, struct wire_reply *reply,
                   struct arena *arena)
{
    struct waiting_group *g = w->group;

    if (!g)
        return true;
    if (g->code == 0 && reply->code != 0)
        set_failure(g, reply->code, reply->choice == REPLY_TEXT ? reply->text : NULL);
    if (g->n_open > 1)
        return false;
    tell(g, reply, arena);
    return true;
}

static void make_key(char *ret, size_t size_bytes, enum obj_kind kind, const char *id)
{
    snprintf(ret, size_bytes, "%d %s", (int)kind, id);
}

static struct waiting_for *find(const struct waiting_table *t, enum obj_kind kind,
                                const char *id)
{
    char key[512];
    struct waiting_for *o;

    make_key(key, sizeof(key), kind, id);
    HASH_FIND_STR(t->by_object, key, o);
    return o;
}

static struct waiting_for *make(struct waiting_table *t, enum obj_kind kind,
                                const char *id)
{
    struct waiting_for *o = find(t, kind, id);
    char key[512];

    if (o)
        return o;
    make_key(key, sizeof(key), kind, id);
    o = xcalloc(1, sizeof(*o));
    o->key = xstrdup(key);
    HASH_ADD_KEYPTR(hh, t->by_object, o->key, strlen(o->key), o);
    return o;
}

static int by_time(const struct waiting_reply *a, const struct waiting_reply *b)
{
    return a->wait_for.until_at <= b->wait_for.until_at ? -1 : 1;
}

struct waiting_reply *waiting_add(struct waiting_table *t, uint64_t conn,
                                  uint32_t number, const char *who, uint64_t seq,
                                  const struct wait_for *wait_for)
{
    struct waiting_reply *w = xcalloc(1, sizeof(*w));
    struct waiting_for *o = make(t, wait_for->kind, wait_for->id);

    MUST(who && wait_for->id);
    /* A reply that waits is somebody's; a deferred run may be nobody's. */
    MUST(conn != 0 || wait_for->why == WAIT_FOR_RUN);
    MUST(wait_for->why != WAIT_TO_ASK_AGAIN || wait_for->until_at != 0);
    w->conn = conn;
    w->number = number;
    w->seq = seq;
    w->who = xstrdup(who);
    w->wait_for = *wait_for;
    w->wait_for.id = xstrdup(wait_for->id);
    DL_APPEND(o->first, w);
    /* Only a wait with an end stands in the list by time. */
    if (wait_for->until_at)
        DL_INSERT_INORDER2(t->timed, w, by_time, time_prev, time_next);
    t->n++;
    return w;
}

struct waiting_reply *waiting_first(const struct waiting_table *t, enum obj_kind kind,
                                    const char *id)
{
    /* Most records are about objects for which nobody waits. */
    struct waiting_for *o = t->n ? find(t, kind, id) : NULL;

    return o ? o->first : NULL;
}

struct waiting_reply *waiting_overdue(const struct waiting_table *t, int64_t now_at)
{
    return t->timed && t->timed->wait_for.until_at <= now_at ? t->timed : NULL;
}

int64_t waiting_deadline(const struct waiting_table *t)
{
    return t->timed ? t->timed->wait_for.until_at : INT64_MAX;
}

struct waiting_reply *waiting_after(const struct waiting_table *t, uint64_t seq)
{
    struct waiting_for *o, *next;
    struct waiting_reply *w;

    HASH_ITER (hh, t->by_object, o, next)
        /* The order does not matter: all of them are told the same. */
        DL_FOREACH (o->first, w)
            if (w->seq > seq)
                return w;
    return NULL;
}

void waiting_remove(struct waiting_table *t, struct waiting_reply *w)
{
    struct waiting_for *o = find(t, w->wait_for.kind, w->wait_for.id);

    MUST(o && o->first && t->n > 0);
    DL_DELETE(o->first, w);
    /* The entry of the object goes with the last one who waits for it. */
    if (!o->first) {
        HASH_DELETE(hh, t->by_object, o);
        free(o->key);
        free(o);
    }
    if (w->wait_for.until_at)
        DL_DELETE2(t->timed, w, time_prev, time_next);
    t->n--;
    waiting_group_leave(w->group);
    free((char *)w->wait_for.id);
    free(w->who);
    free(w);
}

/* All for which 'conn' matches; 0 matches every one. */
static void drop(struct waiting_table *t, uint64_t conn)
{
    struct waiting_for *o, *next_object;
    struct waiting_reply *w, *next;

    HASH_ITER (hh, t->by_object, o, next_object)
        for (w = o->first; w; w = next) {
            next = w->next;
            if (conn == 0 || w->conn == conn)
                waiting_remove(t, w);
        }
}

struct waiting_reply *waiting_of_conn(const struct waiting_table *t, uint64_t conn)
{
    struct waiting_reply *w;

    DL_FOREACH2 (t->timed, w, time_next)
        if (w->conn == conn)
            return w;
    return NULL;
}

void waiting_drop_conn(struct waiting_table *t, uint64_t conn)
{
    if (conn != 0)
        drop(t, conn);
}

void waiting_remove_all(struct waiting_table *t, struct waiting_reply *w)
{
    /* A connection has one request at a time, so what it waits for is the group. */
    if (w->group)
        waiting_drop_conn(t, w->conn);
    else
        waiting_remove(t, w);
}

void waiting_fini(struct waiting_table *t)
{
    drop(t, 0);
}
