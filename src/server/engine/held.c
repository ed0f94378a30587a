/* held.c - see held.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/held.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct held_object {
    char *key; /* "6 R7.svr" */
    struct held *first;
    UT_hash_handle hh;
};

static void make_key(char *ret, size_t size_bytes, enum obj_kind kind, const char *id)
{
    snprintf(ret, size_bytes, "%d %s", (int)kind, id);
}

static struct held_object *find(const struct holds_table *t, enum obj_kind kind,
                                const char *id)
{
    char key[512];
    struct held_object *o;

    make_key(key, sizeof(key), kind, id);
    HASH_FIND_STR(t->by_object, key, o);
    return o;
}

static struct held_object *make(struct holds_table *t, enum obj_kind kind,
                                const char *id)
{
    struct held_object *o = find(t, kind, id);
    char key[512];

    if (o)
        return o;
    make_key(key, sizeof(key), kind, id);
    o = xcalloc(1, sizeof(*o));
    o->key = xstrdup(key);
    HASH_ADD_KEYPTR(hh, t->by_object, o->key, strlen(o->key), o);
    return o;
}

static int by_time(const struct held *a, const struct held *b)
{
    return a->hold.until_at <= b->hold.until_at ? -1 : 1;
}

void held_add(struct holds_table *t, uint64_t conn, uint32_t number, const char *who,
              uint64_t seq, const struct hold_reply *hold)
{
    struct held *h = xcalloc(1, sizeof(*h));
    struct held_object *o = make(t, hold->kind, hold->id);

    MUST(conn != 0 && who); /* a reply that is held is somebody's */
    h->conn = conn;
    h->number = number;
    h->seq = seq;
    h->who = xstrdup(who);
    h->hold = *hold;
    h->hold.id = xstrdup(hold->id);
    DL_APPEND(o->first, h);
    if (hold->until_at)
        DL_INSERT_INORDER2(t->timed, h, by_time, time_prev, time_next);
    t->n++;
}

struct held *held_first(const struct holds_table *t, enum obj_kind kind, const char *id)
{
    struct held_object *o = t->n ? find(t, kind, id) : NULL;

    return o ? o->first : NULL;
}

struct held *held_overdue(const struct holds_table *t, int64_t now_at)
{
    return t->timed && t->timed->hold.until_at <= now_at ? t->timed : NULL;
}

int64_t held_deadline(const struct holds_table *t)
{
    return t->timed ? t->timed->hold.until_at : INT64_MAX;
}

struct held *held_after(const struct holds_table *t, uint64_t seq)
{
    struct held_object *o, *next;
    struct held *h;

    HASH_ITER (hh, t->by_object, o, next)
        DL_FOREACH (o->first, h)
            if (h->seq > seq)
                return h;
    return NULL;
}

void held_remove(struct holds_table *t, struct held *h)
{
    struct held_object *o = find(t, h->hold.kind, h->hold.id);

    MUST(o && o->first && t->n > 0);
    DL_DELETE(o->first, h);
    if (!o->first) {
        HASH_DELETE(hh, t->by_object, o);
        free(o->key);
        free(o);
    }
    if (h->hold.until_at)
        DL_DELETE2(t->timed, h, time_prev, time_next);
    t->n--;
    free((char *)h->hold.id);
    free(h->who);
    free(h);
}

/* All for which 'conn' matches; 0 matches every one. */
static void drop(struct holds_table *t, uint64_t conn)
{
    struct held_object *o, *next_object;
    struct held *h, *next;

    HASH_ITER (hh, t->by_object, o, next_object)
        for (h = o->first; h; h = next) {
            next = h->next;
            if (conn == 0 || h->conn == conn)
                held_remove(t, h);
        }
}

void held_drop_conn(struct holds_table *t, uint64_t conn)
{
    if (conn != 0)
        drop(t, conn);
}

void held_fini(struct holds_table *t)
{
    drop(t, 0);
}
