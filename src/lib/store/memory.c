/* memory.c - the store in memory: for the simulator and tests.
 *
 * It keeps the journal, and the objects as the journal has made them. A batch is
 * checked against the objects first, and only then taken over: all or nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/backend.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct mem_value {
    char *key; /* "attr\nresource": sorts by attr, then resource */
    char *value;
};

struct mem_object {
    char *key; /* "kind\nid" */
    uint64_t seq;
    size_t n;
    struct mem_value *v; /* sorted by key */
    UT_hash_handle hh;
};

struct mem_note {
    char *key, *value;
    UT_hash_handle hh;
};

struct mem_entry { /* of the journal; in an arena of its own */
    struct arena *arena;
    struct store_record record;
};

struct mem_store {
    struct store base;
    struct mem_object *objects; /* in order of creation: uthash keeps it */
    struct mem_note *notes;
    size_t n_journal, cap_journal;
    struct mem_entry *journal;
    bool failing;
    uint64_t wrong_seq; /* no batch fits that has this record; 0: none */
};

static struct mem_store *self(struct store *s)
{
    return STRUCT_OF(s, struct mem_store, base);
}

static struct mem_object *object_find(struct mem_store *m, const struct store_record *r)
{
    char *key = xasprintf("%s\n%s", r->kind, r->id);
    struct mem_object *o;

    HASH_FIND_STR(m->objects, key, o);
    free(key);
    return o;
}

static void object_free(struct mem_object *o)
{
    for (size_t i = 0; i < o->n; i++) {
        free(o->v[i].key);
        free(o->v[i].value);
    }
    free(o->v);
    free(o->key);
    free(o);
}

/* Where the key is, or where it belongs. */
static size_t value_place(const struct mem_object *o, const char *key, bool *found)
{
    size_t low = 0, high = o->n;

    while (low < high) {
        size_t mid = (low + high) / 2;

        if (strcmp(o->v[mid].key, key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    *found = low < o->n && strcmp(o->v[low].key, key) == 0;
    return low;
}

/* Keep the values sorted: store_load() hands them over in that order. */
static void value_put(struct mem_object *o, const struct store_change *c)
{
    char *key = xasprintf("%s\n%s", c->attr, c->resource);
    bool found;
    size_t at = value_place(o, key, &found);

    if (found) {
        free(o->v[at].key);
        free(o->v[at].value);
        memmove(o->v + at, o->v + at + 1, (--o->n - at) * sizeof(*o->v));
    }
    if (!c->after) {
        free(key);
        return;
    }
    MUST(at <= o->n);
    /* An old value was removed above, so whatever is left to do is an insertion. */
    o->v = xrealloc(o->v, (o->n + 1) * sizeof(*o->v));
    memmove(o->v + at + 1, o->v + at, (o->n++ - at) * sizeof(*o->v));
    o->v[at] = (struct mem_value){ key, xstrdup(c->after) };
}

/* Change the objects as the record says; batch_fits() has seen that it can be done. */
static void record_apply(struct mem_store *m, const struct store_record *r)
{
    struct mem_object *o = object_find(m, r);

    MUST((o != NULL) == (r->op != STORE_CREATE)); /* batch_fits() has seen to it */
    if (r->op == STORE_REMOVE) {
        HASH_DEL(m->objects, o);
        object_free(o);
        return;
    }
    if (r->op == STORE_CREATE) {
        o = xcalloc(1, sizeof(*o));
        o->key = xasprintf("%s\n%s", r->kind, r->id);
        o->seq = r->seq;
        HASH_ADD_KEYPTR(hh, m->objects, o->key, strlen(o->key), o);
    }
    for (size_t i = 0; i < r->n; i++)
        value_put(o, &r->changes[i]);
}

/* True when every record finds its object, or none for one that is made. An object may
 * come and go within the batch, so each record also looks at those before it. */
static bool batch_fits(struct mem_store *m, const struct store_batch *batch)
{
    for (size_t i = 0; i < batch->n_records; i++) {
        const struct store_record *r = &batch->records[i];
        bool there = object_find(m, r) != NULL;

        for (size_t j = 0; j < i; j++) {
            const struct store_record *e = &batch->records[j];

            /* The last record before this one decides. */
            if (strcmp(e->kind, r->kind) == 0 && strcmp(e->id, r->id) == 0)
                there = e->op != STORE_REMOVE;
        }
        if (there == (r->op == STORE_CREATE) || r->seq == m->wrong_seq)
            return false;
    }
    return true;
}

static const char *journal_copy(struct arena *a, const char *value)
{
    const char *text = store_journal_text(value, a);

    /* The text is either the caller's own, which must be copied, or already of the
     * arena. */
    return text == value ? arena_strdup(a, value) : text;
}

static void journal_add(struct mem_store *m, const struct store_record *r)
{
    struct arena *a = arena_new();
    struct store_change *v = ARENA_ARRAY(a, struct store_change, r->n + 1);

    for (size_t i = 0; i < r->n; i++)
        v[i] = (struct store_change){ arena_strdup(a, r->changes[i].attr),
                                      arena_strdup(a, r->changes[i].resource),
                                      journal_copy(a, r->changes[i].before),
                                      journal_copy(a, r->changes[i].after) };
    if (m->n_journal == m->cap_journal) {
        m->cap_journal = m->cap_journal ? m->cap_journal * 2 : 64;
        m->journal = xrealloc(m->journal, m->cap_journal * sizeof(*m->journal));
    }
    m->journal[m->n_journal++] = (struct mem_entry){
        a,
        { .seq = r->seq,
          .at = r->at,
          .actor = arena_strdup(a, r->actor),
          .fact = arena_strdup(a, r->fact),
          .note = arena_strdup(a, r->note),
          .op = r->op,
          .kind = arena_strdup(a, r->kind),
          .id = arena_strdup(a, r->id),
          .n = r->n,
          .changes = v },
    };
}

static void note_put(struct mem_store *m, const struct store_note *n)
{
    struct mem_note *old;

    HASH_FIND_STR(m->notes, n->key, old);
    if (!old) {
        old = xcalloc(1, sizeof(*old));
        old->key = xstrdup(n->key);
        HASH_ADD_KEYPTR(hh, m->notes, old->key, strlen(old->key), old);
    }
    free(old->value);
    old->value = xstrdup(n->value);
}

static int mem_commit(struct store *s, const struct store_batch *batch,
                      struct diag *why)
{
    struct mem_store *m = self(s);

    if (m->failing)
        return diag_set(why, PBSE_SAVE_ERR, "told to fail");
    if (!batch_fits(m, batch))
        return diag_set(why, PBSE_INTERNAL, "a record contradicts the stored objects");
    for (size_t i = 0; i < batch->n_records; i++) {
        /* From here on nothing can fail: the batch is taken over as a whole. */
        record_apply(m, &batch->records[i]);
        journal_add(m, &batch->records[i]);
    }
    for (size_t i = 0; i < batch->n_notes; i++)
        note_put(m, &batch->notes[i]);
    return 0;
}

/* Cut a key "first\nsecond" in two. */
static void key_split(struct arena *a, const char *key, const char **first,
                      const char **second)
{
    size_t len = strcspn(key, "\n");

    MUST(key[len] == '\n'); /* it was joined of two */
    *first = arena_strndup(a, key, len);
    *second = arena_strdup(a, key + len + 1);
}

/* Hand the object over as the record that would make it as it is now. */
static int object_tell(const struct mem_object *o, store_each_fn each, void *arg)
{
    struct arena *a = arena_new();
    /* One more than there are, since an object may have no values. */
    struct store_change *v = ARENA_ARRAY(a, struct store_change, o->n + 1);
    struct store_record r = { .seq = o->seq,
                              .actor = "",
                              .fact = "loaded",
                              .op = STORE_CREATE,
                              .n = o->n,
                              .changes = v };
    int err;

    key_split(a, o->key, &r.kind, &r.id);
    for (size_t i = 0; i < o->n; i++) {
        key_split(a, o->v[i].key, &v[i].attr, &v[i].resource);
        v[i].after = o->v[i].value;
    }
    err = each(arg, &r);
    arena_free(a);
    return err;
}

static bool is_of_kind(const struct mem_object *o, const char *kind)
{
    size_t len = strlen(kind);

    return strncmp(o->key, kind, len) == 0 && o->key[len] == '\n';
}

static int mem_load(struct store *s, const char *kind, store_each_fn each, void *arg,
                    struct diag *why)
{
    int err = 0;

    (void)why;
    for (struct mem_object *o = self(s)->objects; o && !err; o = o->hh.next)
        if (!kind || is_of_kind(o, kind))
            err = object_tell(o, each, arg);
    return err;
}

static int mem_note_get(struct store *s, const char *key, struct arena *arena,
                        const char **ret, struct diag *why)
{
    struct mem_note *n;

    (void)why;
    HASH_FIND_STR(self(s)->notes, key, n);
    *ret = n ? arena_strdup(arena, n->value) : NULL;
    return 0;
}

static bool has_fact(const struct store_query *q, const char *fact)
{
    for (size_t i = 0; i < ARRAY_LEN(q->facts); i++)
        if (q->facts[i] && strcmp(q->facts[i], fact) == 0)
            return true;
    return !q->facts[0];
}

static bool matches(const struct store_query *q, const struct store_record *r)
{
    return has_fact(q, r->fact) && r->seq > q->since && r->at >= q->from_at &&
           (q->until_at == 0 || r->at < q->until_at) &&
           (!q->kind || strcmp(r->kind, q->kind) == 0) &&
           (!q->id || strcmp(r->id, q->id) == 0);
}

static int mem_journal(struct store *s, const struct store_query *query,
                       store_each_fn each, void *arg, struct diag *why)
{
    struct mem_store *m = self(s);
    uint64_t n = 0;
    int err = 0;

    (void)why;
    for (size_t i = 0; i < m->n_journal && !err; i++)
        if (matches(query, &m->journal[i].record)) {
            err = each(arg, &m->journal[i].record);
            /* A limit of 0 is none: the count has passed 0 before it is compared. */
            if (++n == query->limit)
                break;
        }
    return err;
}

/* Drop old records and close the gaps; what is kept stays in order. */
static int mem_prune(struct store *s, int64_t before_at, uint64_t max, uint64_t *n,
                     struct diag *why)
{
    struct mem_store *m = self(s);
    size_t kept = 0;

    (void)why;
    *n = 0;
    for (size_t i = 0; i < m->n_journal; i++)
        if (m->journal[i].record.at < before_at && *n < max) {
            arena_free(m->journal[i].arena);
            ++*n;
        } else {
            m->journal[kept++] = m->journal[i];
        }
    m->n_journal = kept;
    return 0;
}

static void mem_close(struct store *s)
{
    struct mem_store *m = self(s);
    struct mem_object *o, *next_o;
    struct mem_note *n, *next_n;

    HASH_ITER (hh, m->objects, o, next_o) {
        HASH_DEL(m->objects, o);
        object_free(o);
    }
    HASH_ITER (hh, m->notes, n, next_n) {
        HASH_DEL(m->notes, n);
        free(n->key);
        free(n->value);
        free(n);
    }
    for (size_t i = 0; i < m->n_journal; i++)
        arena_free(m->journal[i].arena);
    free(m->journal);
    free(m);
}

static const struct store_ops mem_ops = {
    mem_close, mem_commit, mem_load, mem_note_get, mem_journal, mem_prune, NULL,
};

struct store *store_memory_open(void)
{
    struct mem_store *m = xcalloc(1, sizeof(*m));

    m->base.ops = &mem_ops;
    m->base.is_new = true;
    return &m->base;
}

void store_memory_fail(struct store *s, bool failing)
{
    MUST(s->ops == &mem_ops);
    self(s)->failing = failing;
    /* The server is told that the store may come back, as after a lost connection. */
    s->out_of_reach = failing;
}

void store_memory_fill(struct store *s, bool full)
{
    MUST(s->ops == &mem_ops);
    /* A full disk is within reach, it only takes no more; hence out_of_reach stays. */
    self(s)->failing = full;
}

void store_memory_contradict(struct store *s, uint64_t seq)
{
    MUST(s->ops == &mem_ops);
    self(s)->wrong_seq = seq;
}

struct store *store_memory_reopen(struct store *s)
{
    struct mem_store *old = self(s), *m = xcalloc(1, sizeof(*m));

    MUST(s->ops == &mem_ops);
    /* This is a daemon that died and came back: what was committed is there, and the
     * failures that a test had asked for are over. */
    *m = *old;
    m->failing = false;
    m->wrong_seq = 0;
    m->base.is_new = !m->objects;
    free(old);
    return &m->base;
}
