/* bundles.c - see bundles.h.
 *
 * The table knows which occurrences lie in which bundle. It runs ahead of the store by
 * the rows that are under way: they reach it in order, or the process ends and a start
 * makes the table anew.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/bundles.h"

#include "server/shell/bundle_names.h"
#include "server/shell/bundle_table.h"

#include "lib/attr/execvnodes.h"

#include <stdlib.h>
#include <string.h>

enum run_kind {
    RUN_NONE,
    RUN_MADE, /* occurrences of a bundle to be */
    RUN_GONE  /* occurrences of one bundle */
};

/* Rows of one turn, in order and without a gap, that become one row. */
struct run {
    enum run_kind kind;
    struct arena *turn;
    struct store_record last;
    size_t n;
    struct bundle_id first_id;
    size_t bytes; /* RUN_MADE: of vnodes */
    struct bundle_time times[BUNDLE_MOST];
    const char *vnodes[BUNDLE_MOST];
    struct bundle *bundle; /* RUN_GONE */
    int64_t gone[BUNDLE_MOST];
};

struct bundles {
    struct bundle_table *table;
    struct run run;
};

struct bundles *bundles_new(void)
{
    struct bundles *b = xcalloc(1, sizeof(*b));

    b->table = bundle_table_new();
    return b;
}

void bundles_free(struct bundles *b)
{
    if (!b)
        return;
    MUST(b->run.n == 0); /* all that was decided was handed on */
    bundle_table_free(b->table);
    free(b);
}

struct bundle_table *bundles_table(struct bundles *b)
{
    return b->table;
}

/* What an occurrence has of the values that a bundle has for each of its own. */
struct made {
    struct bundle_time time;
    const char *vnodes;
};

/* An occurrence that has these values and no other. */
static bool read_made(const struct store_record *row, struct made *ret)
{
    const char *start = bundle_value(row, bundle_attr(OCCURRENCE_A_START));
    const char *end = bundle_value(row, bundle_attr(OCCURRENCE_A_END));
    const char *vnodes = bundle_value(row, bundle_attr(OCCURRENCE_A_RESV_NODES));

    if (row->op != STORE_CREATE || row->n != 3 || !start || !end || !vnodes || !*vnodes)
        return false;
    ret->time.start_at = strtoll(start, NULL, 10);
    ret->time.length_s = strtoll(end, NULL, 10) - ret->time.start_at;
    ret->vnodes = vnodes;
    return ret->time.start_at >= 0 && ret->time.length_s >= 0 && !strchr(vnodes, '{');
}

/* A row that may become one with others. */
struct piece {
    enum run_kind kind;
    struct bundle_id id;
    struct made made;      /* RUN_MADE */
    struct bundle *bundle; /* that has it; NULL: none */
};

static struct piece read_piece(const struct bundles *b, const struct store_record *row)
{
    struct piece p = { .kind = RUN_NONE };

    if (strcmp(row->kind, kind_name(OBJ_OCCURRENCE)) != 0 ||
        !bundle_id_parse(row->id, &p.id))
        return p;
    p.bundle = bundle_table_find(b->table, &p.id);
    if (p.bundle && row->op == STORE_REMOVE)
        p.kind = RUN_GONE;
    else if (!p.bundle && read_made(row, &p.made))
        p.kind = RUN_MADE;
    return p;
}

static bool same_words(const struct store_record *a, const struct store_record *b)
{
    return a->at == b->at && str_same(a->actor, b->actor) &&
           str_same(a->fact, b->fact) && str_same(a->note, b->note);
}

static size_t bytes_more(const struct run *run, const char *vnodes)
{
    if (run->n > 0 && strcmp(run->vnodes[run->n - 1], vnodes) == 0)
        return 0;
    return strlen(vnodes);
}

/* The next of the series, whose text fits as well. */
static bool continues_made(const struct run *run, const struct piece *p)
{
    return p->id.series_len == run->first_id.series_len &&
           memcmp(p->id.series, run->first_id.series, p->id.series_len) == 0 &&
           strcmp(p->id.rest, run->first_id.rest) == 0 &&
           p->id.from == run->first_id.from + (int64_t)run->n &&
           run->bytes + bytes_more(run, p->made.vnodes) <=
               MAX_OF(run->bytes, (size_t)BUNDLE_BYTES);
}

static bool continues(const struct run *run, const struct store_record *row,
                      const struct arena *turn, const struct piece *p)
{
    if (run->kind == RUN_NONE || p->kind != run->kind || run->turn != turn ||
        run->n == BUNDLE_MOST || !same_words(row, &run->last))
        return false;
    return p->kind == RUN_GONE ? p->bundle == run->bundle : continues_made(run, p);
}

static void run_add(struct run *run, const struct store_record *row, struct arena *turn,
                    const struct piece *p)
{
    /* Whatever comes between two rows has ended the run. */
    MUST(run->n == 0 || row->seq == run->last.seq + 1);
    if (run->n == 0) {
        run->kind = p->kind;
        run->turn = turn;
        run->first_id = p->id;
        run->bundle = p->bundle;
        run->bytes = 0;
    }
    if (p->kind == RUN_GONE) {
        bundle_mark_gone(p->bundle, p->id.from);
        run->gone[run->n] = p->id.from;
    } else {
        run->bytes += bytes_more(run, p->made.vnodes);
        run->times[run->n] = p->made.time;
        run->vnodes[run->n] = p->made.vnodes;
    }
    run->last = *row;
    run->n++;
}

static struct store_change *change_list(struct arena *arena, size_t n)
{
    return ARENA_ARRAY(arena, struct store_change, n);
}

static struct store_record made_row(struct bundles *b)
{
    struct run *run = &b->run;
    struct store_record row = run->last;
    struct bundle_id id = run->first_id;
    struct store_change *v = change_list(run->turn, 2);

    id.to = id.from + (int64_t)run->n - 1;
    row.kind = BUNDLE_KIND;
    row.id = bundle_id_print(&id, run->turn);
    v[0] = (struct store_change){ BUNDLE_TIMES, "", NULL,
                                  bundle_times_print(run->times, run->n, run->turn) };
    v[1] = (struct store_change){ bundle_attr(OCCURRENCE_A_RESV_NODES), "", NULL,
                                  execvnodes_print(run->vnodes, run->n, run->turn) };
    row.changes = v;
    row.n = 2;
    (void)bundle_table_add(b->table, &id, row.id);
    return row;
}

static struct store_record gone_row(struct bundles *b)
{
    struct run *run = &b->run;
    struct store_record row = run->last;
    struct store_change *v = change_list(run->turn, run->n);

    row.kind = BUNDLE_KIND;
    row.id = arena_strdup(run->turn, run->bundle->id);
    row.n = 0;
    if (run->bundle->n_left == 0) {
        bundle_table_remove(b->table, run->bundle, &run->first_id);
        return row;
    }
    for (size_t i = 0; i < run->n; i++)
        v[row.n++] = (struct store_change){
            BUNDLE_GONE, bundle_member_print(run->gone[i], "", run->turn), NULL, "True"
        };
    row.op = STORE_CHANGE;
    row.changes = v;
    return row;
}

void bundles_flush(struct bundles *b, const struct bundles_to *to)
{
    struct run *run = &b->run;
    struct store_record row;

    if (run->n == 0)
        return;
    /* One alone is as good as a row of its own. */
    if (run->kind == RUN_MADE)
        row = run->n == 1 ? run->last : made_row(b);
    else
        row = gone_row(b);
    run->n = 0;
    run->kind = RUN_NONE;
    to->row(to->arg, &row, run->turn);
}

/* A bundle has these for each of its occurrences, so that not to have them needs a
 * word. */
static bool has_for_all(const char *attr)
{
    return strcmp(attr, bundle_attr(OCCURRENCE_A_START)) == 0 ||
           strcmp(attr, bundle_attr(OCCURRENCE_A_END)) == 0 ||
           strcmp(attr, bundle_attr(OCCURRENCE_A_RESV_NODES)) == 0;
}

/* A change of an occurrence is one of its bundle. */
static struct store_record changed_row(const struct store_record *from,
                                       const struct piece *p, struct arena *turn)
{
    struct store_record row = *from;
    struct store_change *v = change_list(turn, from->n + 1);

    MUST(from->op == STORE_CHANGE);
    for (size_t i = 0; i < from->n; i++) {
        v[i] = from->changes[i];
        v[i].resource = bundle_member_print(p->id.from, v[i].resource, turn);
        if (!v[i].after && has_for_all(v[i].attr))
            v[i].after = "";
    }
    row.kind = BUNDLE_KIND;
    row.id = arena_strdup(turn, p->bundle->id);
    row.changes = v;
    return row;
}

void bundles_put(struct bundles *b, const struct store_record *row, struct arena *turn,
                 const struct bundles_to *to)
{
    struct piece p = read_piece(b, row);
    struct store_record changed;

    if (!continues(&b->run, row, turn, &p)) {
        bundles_flush(b, to);
        /* With the row that has just left, a bundle may have been made or have gone. */
        p = read_piece(b, row);
    }
    if (p.kind != RUN_NONE) {
        run_add(&b->run, row, turn, &p);
    } else if (p.bundle) {
        changed = changed_row(row, &p, turn);
        to->row(to->arg, &changed, turn);
    } else {
        to->row(to->arg, row, turn);
    }
}
