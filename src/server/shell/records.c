/* records.c - the core's records as the store's rows, and back.
 *
 * The store holds names, so that rows can be inserted into the tables of attributes
 * without touching what is stored.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/records.h"

#include "server/decide/denials.h"
#include "server/model/load_check.h"
#include "server/model/resv_state.h"

#include "lib/attr/resv_attrs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum store_op op_of(enum fact fact)
{
    if (fact_creates(fact))
        return STORE_CREATE;
    return fact_removes(fact) ? STORE_REMOVE : STORE_CHANGE;
}

/* What an occurrence that comes later has unless a row says otherwise. A series makes
 * thousands of them in one transaction, and these were half of their rows. */
static const int usual_attrs[] = { OCCURRENCE_A_INDEX, OCCURRENCE_A_STATE,
                                   OCCURRENCE_A_SUBSTATE };

static int64_t usual_value(const char *id, int attr)
{
    const char *bracket = strchr(id, '[');

    switch (attr) {
    case OCCURRENCE_A_STATE:
        return resv_phase_state(PHASE_CONFIRMED);
    case OCCURRENCE_A_SUBSTATE:
        return resv_phase_substate(PHASE_CONFIRMED);
    default:
        MUST(attr == OCCURRENCE_A_INDEX);
        return bracket ? strtoll(bracket + 1, NULL, 10) : 1;
    }
}

static bool is_usual(const struct record *rec, const struct change *c)
{
    char text[24];

    if (rec->kind != OBJ_OCCURRENCE || !fact_creates(rec->fact) || !c->after)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(usual_attrs); i++) {
        if (usual_attrs[i] != c->attr)
            continue;
        snprintf(text, sizeof(text), "%" PRId64, usual_value(rec->id, c->attr));
        return strcmp(text, c->after) == 0;
    }
    return false;
}

/* What is derived or computed has no row in the store. */
static bool is_stored(const struct record *rec, const struct change *c)
{
    const struct attr_row *row = &kind_table(rec->kind)->rows[c->attr];

    return !(row->flags & ATTR_NOT_SAVED) && !is_usual(rec, c);
}

struct store_record records_to_store(const struct record *rec, struct arena *arena)
{
    const struct attr_table *table = kind_table(rec->kind);
    struct store_change *v =
        ARENA_ARRAY(arena, struct store_change, rec->n_changes + 1);
    struct store_record to = {
        .seq = rec->seq,
        .at = rec->at,
        .actor = rec->actor ? rec->actor : "",
        .fact = fact_name(rec->fact),
        /* The words are for readers of the journal; nothing is decided by them. */
        .note = record_words(rec),
        .op = op_of(rec->fact),
        .kind = kind_name(rec->kind),
        .id = rec->id,
        .changes = v,
    };

    MUST(rec->seq > 0); /* its place in the journal */
    for (size_t i = 0; i < rec->n_changes; i++) {
        const struct change *c = &rec->changes[i];

        if (is_stored(rec, c))
            v[to.n++] = (struct store_change){ table->rows[c->attr].name,
                                               c->resource ? c->resource : "",
                                               c->before, c->after };
    }
    MUST(to.n <= rec->n_changes);
    return to;
}

/* Reservations are known by their numbers: two that differ in nothing else would become
 * one object here, and one of two in the store. */
static int check_alone(const struct model *m, enum obj_kind kind, const char *id,
                       struct diag *why)
{
    const struct object *o = kind == OBJ_SERVER ? NULL : model_find(m, kind, id);

    if (!o)
        return 0;
    return diag_set(why, PBSE_SYSTEM,
                    "the store has %s %s and %s, which are the same: it is damaged, "
                    "restore a backup",
                    kind_name(kind), o->id, id);
}

/* What former versions kept and this one does not: an alteration that was open is
 * dropped by its rule (doc/store.md), and a job of another server is asked for again.
 */
static bool is_former(enum obj_kind kind, const char *attr)
{
    static const struct {
        enum obj_kind kind;
        const char *attr;
    } former[] = {
        { OBJ_RESV, "hf_alter_unset" },       { OBJ_RESV, "hf_alter_start" },
        { OBJ_RESV, "hf_alter_end" },         { OBJ_RESV, "hf_alter_duration" },
        { OBJ_RESV, "hf_alter_resources" },   { OBJ_RESV, "hf_alter_schedselect" },
        { OBJ_RESV, "hf_alter_name" },        { OBJ_RESV, "hf_alter_mail_points" },
        { OBJ_RESV, "hf_alter_mail_users" },  { OBJ_RESV, "hf_alter_users" },
        { OBJ_RESV, "hf_alter_groups" },      { OBJ_RESV, "hf_alter_priority" },
        { OBJ_RESV, "hf_alter_interactive" }, { OBJ_JOB, "hf_verify_again" },
    };

    for (size_t i = 0; i < ARRAY_LEN(former); i++)
        if (former[i].kind == kind && strcmp(former[i].attr, attr) == 0)
            return true;
    return false;
}

struct loading {
    const struct records_into *into;
    struct bundles *bundles;
    struct arena *arena;
    struct diag *why;
    int attr_at[64]; /* of the object before */
};

/* Rows come behind these, and say what is different. */
static void load_usual(struct loading *l, struct record *rec)
{
    for (size_t i = 0; rec->kind == OBJ_OCCURRENCE && i < ARRAY_LEN(usual_attrs); i++)
        record_change_num(rec, l->arena, usual_attrs[i],
                          usual_value(rec->id, usual_attrs[i]));
}

/* Most objects have the values of the one before at the same places. */
static int find_attr(const struct attr_table *table, const char *name, size_t place,
                     struct loading *l)
{
    int *guess = place < ARRAY_LEN(l->attr_at) ? &l->attr_at[place] : NULL;
    int found;

    if (guess && *guess < (int)table->n && strcmp(table->rows[*guess].name, name) == 0)
        return *guess;
    found = attr_find_any(table, name);
    if (guess && found >= 0)
        *guess = found;
    return found;
}

static int load_changes(const struct attr_table *table, const struct store_record *row,
                        struct loading *l, struct record *rec)
{
    for (size_t i = 0; i < row->n; i++) {
        const struct store_change *c = &row->changes[i];
        int attr = find_attr(table, c->attr, i, l);

        if (attr < 0 && is_former(rec->kind, c->attr))
            continue;
        if (attr < 0)
            /* A store of a newer version is refused before it can be damaged. */
            return diag_set(
                l->why, PBSE_SYSTEM,
                "the store's %.20s %.80s has the unknown attribute %.40s: use the "
                "version that wrote it, or restore a backup",
                row->kind, row->id, c->attr);
        record_change(rec, l->arena, attr, *c->resource ? c->resource : NULL, c->after);
    }
    return 0;
}

static int load_object(void *arg, const struct store_record *row)
{
    struct loading *l = arg;
    enum obj_kind kind = kind_find(row->kind);
    struct record rec = { .seq = row->seq,
                          .at = row->at,
                          .fact = FACT_LOADED,
                          .kind = kind,
                          .id = row->id,
                          .actor = "" };
    const struct change *bad;
    int err;

    if (strcmp(row->kind, BUNDLE_KIND) == 0)
        return bundles_load(l->bundles, row, load_object, l, l->why);
    if (kind == OBJ_KIND_COUNT)
        return diag_set(
            l->why, PBSE_SYSTEM,
            "the store's %.20s %.80s is of an unknown kind: use the version that "
            "wrote it, or restore a backup",
            row->kind, row->id);
    load_usual(l, &rec);
    err = check_alone(l->into->m, kind, row->id, l->why);
    if (!err)
        err = load_changes(kind_table(kind), row, l, &rec);
    if (!err)
        err = load_check(l->into->m, &rec, l->why);
    if (!err && (bad = l->into->load(l->into->arg, &rec)))
        err = load_refuse_change(&rec, bad, l->why);
    /* Each object is loaded on its own, so memory does not grow with the store. */
    arena_clear(l->arena);
    return err;
}

int records_read(struct store *store, struct bundles *bundles,
                 const struct records_into *into, struct diag *why)
{
    struct loading l = {
        .into = into, .bundles = bundles, .arena = arena_new(), .why = why
    };
    int err = store_load(store, load_object, &l, why);

    arena_free(l.arena);
    return err ? err : load_check_all(into->m, why);
}

static const struct change *load_into_core(void *arg, const struct record *rec)
{
    return svr_load(arg, rec);
}

int records_load(struct store *store, struct bundles *bundles, struct svr *svr,
                 struct diag *why)
{
    const struct records_into core = { svr_model(svr), load_into_core, svr };
    int err = records_read(store, bundles, &core, why);

    if (!err)
        /* Links are made once, when every object is there. */
        svr_loaded(svr, store_last_seq(store));
    return err;
}

/* A denial of the last day. */
struct denial_row {
    char *id, *owner; /* NULL: not known */
    const char *reason;
    int64_t at;
};

struct denial_rows {
    struct arena *arena;
    size_t n, cap;
    struct denial_row *v;
};

static const struct store_change *find_change(const struct store_record *row, int attr)
{
    for (size_t i = 0; i < row->n; i++)
        if (strcmp(row->changes[i].attr, resv_rows[attr].name) == 0)
            return &row->changes[i];
    return NULL;
}

/* The row of a reservation that ends by itself, unconfirmed, has the words of a reason
 * as its note. */
static const char *reason_of_ending(const struct store_record *row)
{
    const struct store_change *state = find_change(row, RESV_A_RESERVE_STATE);

    if (!row->note || !state || !state->before ||
        atoll(state->before) != RESV_UNCONFIRMED)
        return NULL;
    for (enum reason i = REASON_NONE; i < REASON_COUNT; i++)
        if (denial_of_ending(i) && strcmp(row->note, reason_text(i)) == 0)
            return denial_of_ending(i);
    return NULL;
}

static bool is_denial(const struct store_record *row, const char **ret_reason)
{
    if (strcmp(row->fact, fact_name(FACT_RESV_ENDING)) == 0) {
        *ret_reason = reason_of_ending(row);
        return *ret_reason != NULL;
    }
    *ret_reason = row->note;
    return strcmp(row->fact, fact_name(FACT_RESV_DENIED)) == 0;
}

static int note_denial(void *arg, const struct store_record *row)
{
    struct denial_rows *rows = arg;
    const char *reason;

    if (!is_denial(row, &reason))
        return 0;
    ARENA_ROOM(rows->arena, rows, v, 16);
    rows->v[rows->n++] = (struct denial_row){
        .id = arena_strdup(rows->arena, row->id),
        .reason = arena_strdup(rows->arena, reason),
        .at = row->at,
    };
    return 0;
}

/* One of the rows about a reservation that was denied. */
struct owner_sought {
    struct arena *arena;
    struct denial_row *of;
};

static int note_owner(void *arg, const struct store_record *row)
{
    const struct store_change *owner = find_change(row, RESV_A_RESERVE_OWNER);
    struct owner_sought *o = arg;

    if (owner && owner->after && !o->of->owner)
        o->of->owner = arena_strdup(o->arena, owner->after);
    return 0;
}

/* The row in which a reservation is made has its owner. Of one that waited for more
 * than a day the owner is not known, and only the staff is told. */
static int find_owner(struct store *store, struct store_query query,
                      struct denial_row *of, struct arena *arena, struct diag *why)
{
    struct owner_sought o = { .arena = arena, .of = of };

    query.id = of->id;
    query.facts[0] = query.facts[1] = NULL;
    return store_journal(store, &query, note_owner, &o, why);
}

/* Most of a journal is about reservations that nobody denied: their rows are left in
 * the store. */
int records_load_denials(struct store *store, struct svr *svr, int64_t now_at,
                         struct diag *why)
{
    const struct store_query query = {
        .from_at = now_at - DENIALS_KEPT_S,
        .kind = kind_name(OBJ_RESV),
        .facts = { fact_name(FACT_RESV_DENIED), fact_name(FACT_RESV_ENDING) },
    };
    struct denial_rows rows = { .arena = arena_new() };
    int err = store_journal(store, &query, note_denial, &rows, why);

    for (size_t i = 0; i < rows.n && !err; i++) {
        struct denial_row *d = &rows.v[i];

        err = find_owner(store, query, d, rows.arena, why);
        if (!err)
            svr_restore_denial(svr, d->id, d->owner ? d->owner : "", d->reason, d->at);
    }
    arena_free(rows.arena);
    return err;
}
