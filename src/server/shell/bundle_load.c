/* bundle_load.c - a bundle of the store becomes the occurrences that are in it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/bundle_names.h"
#include "server/shell/bundle_table.h"
#include "server/shell/bundles.h"

#include "lib/attr/execvnodes.h"
#include "lib/cal/recur.h"

#include <string.h>

#define WHAT_TO_DO                                                                     \
    "it was edited or is damaged, correct it (doc/store.md) or restore a backup"

/* A value that one occurrence has got later. */
struct own {
    const struct store_change *change;
    const char *resource;
    struct own *next;
};

struct content {
    struct bundle_id id;
    size_t n;
    struct bundle_time *times;
    struct execvnodes vnodes;
    bool *gone;       /* [n] */
    struct own **own; /* [n] */
};

static int refuse(const struct store_record *row, const char *attr, const char *member,
                  struct diag *why)
{
    return diag_set(why, PBSE_SYSTEM,
                    "the store's " BUNDLE_KIND
                    " %.80s has a value of %.40s%s%.40s that "
                    "cannot be read: " WHAT_TO_DO,
                    row->id, attr, *member ? "." : "", member);
}

static int read_own(const struct store_record *row, const struct store_change *c,
                    struct content *u, struct arena *arena, struct diag *why)
{
    const char *resource;
    struct own *own;
    int64_t index;
    size_t at;

    if (!bundle_member_parse(c->resource, &index, &resource) || index < u->id.from ||
        index > u->id.to)
        return refuse(row, c->attr, c->resource, why);
    at = (size_t)(index - u->id.from);
    if (strcmp(c->attr, BUNDLE_GONE) == 0) {
        u->gone[at] = true;
        return 0;
    }
    own = ARENA_NEW(arena, struct own);
    *own = (struct own){ c, resource, u->own[at] };
    u->own[at] = own;
    return 0;
}

static int read_content(const struct store_record *row, struct content *u,
                        struct arena *arena, struct diag *why)
{
    const char *times = bundle_value(row, BUNDLE_TIMES);
    const char *vnodes = bundle_value(row, bundle_attr(OCCURRENCE_A_RESV_NODES));
    int err = 0;

    if (!bundle_id_parse(row->id, &u->id) || u->id.to - u->id.from >= RECUR_MAX)
        return diag_set(why, PBSE_SYSTEM,
                        "the store's " BUNDLE_KIND " %.80s has an id that cannot be "
                        "one: " WHAT_TO_DO,
                        row->id);
    u->n = (size_t)(u->id.to - u->id.from + 1);
    u->times = ARENA_ARRAY(arena, struct bundle_time, u->n);
    u->gone = ARENA_ARRAY(arena, bool, u->n);
    u->own = ARENA_ARRAY(arena, struct own *, u->n);
    if (!times || !bundle_times_parse(times, u->times, u->n))
        return refuse(row, BUNDLE_TIMES, "", why);
    if (!vnodes || execvnodes_parse(vnodes, u->n, arena, &u->vnodes, why) ||
        u->vnodes.n != u->n)
        return refuse(row, bundle_attr(OCCURRENCE_A_RESV_NODES), "", why);
    for (size_t i = 0; i < row->n && !err; i++)
        if (*row->changes[i].resource)
            err = read_own(row, &row->changes[i], u, arena, why);
    return err;
}

/* The value that all have, unless it has its own. */
static void put_value(struct store_record *row, struct store_change *v,
                      const struct own *own, enum occurrence_attr attr,
                      const char *value)
{
    for (; own; own = own->next)
        if (strcmp(own->change->attr, bundle_attr(attr)) == 0)
            return;
    v[row->n++] = (struct store_change){ bundle_attr(attr), "", NULL, value };
}

static size_t count_own(const struct own *own)
{
    size_t n = 0;

    for (; own; own = own->next)
        n++;
    return n;
}

static const char *number_text(int64_t n, struct arena *arena)
{
    return arena_printf(arena, "%" PRId64, n);
}

/* The row that the occurrence would have if it were alone. */
static struct store_record member_row(const struct store_record *bundle,
                                      const struct content *u, size_t i,
                                      struct arena *arena)
{
    const struct bundle_time *t = &u->times[i];
    struct store_change *v =
        ARENA_ARRAY(arena, struct store_change, 3 + count_own(u->own[i]));
    struct store_record row = *bundle;
    struct bundle_id id = u->id;

    id.from = id.to = u->id.from + (int64_t)i;
    row.kind = kind_name(OBJ_OCCURRENCE);
    row.id = bundle_id_print(&id, arena);
    row.n = 0;
    put_value(&row, v, u->own[i], OCCURRENCE_A_START, number_text(t->start_at, arena));
    put_value(&row, v, u->own[i], OCCURRENCE_A_END,
              number_text(t->start_at + t->length_s, arena));
    put_value(&row, v, u->own[i], OCCURRENCE_A_RESV_NODES,
              u->vnodes.texts[u->vnodes.which[i]]);
    for (const struct own *own = u->own[i]; own; own = own->next)
        if (*own->change->after)
            v[row.n++] = (struct store_change){ own->change->attr, own->resource, NULL,
                                                own->change->after };
    row.changes = v;
    return row;
}

static void table_load(struct bundle_table *t, const struct store_record *row,
                       const struct content *u)
{
    struct bundle *to = bundle_table_add(t, &u->id, row->id);

    for (size_t i = 0; i < u->n; i++)
        if (u->gone[i])
            bundle_mark_gone(to, u->id.from + (int64_t)i);
}

int bundles_load(struct bundles *b, const struct store_record *row, store_each_fn each,
                 void *arg, struct diag *why)
{
    struct arena *arena = arena_new();
    struct content u = { .n = 0 };
    int err = read_content(row, &u, arena, why);

    for (size_t i = 0; i < u.n && !err; i++) {
        struct store_record member;

        if (u.gone[i])
            continue;
        member = member_row(row, &u, i, arena);
        err = each(arg, &member);
    }
    if (!err && b)
        table_load(bundles_table(b), row, &u);
    arena_free(arena);
    return err;
}
