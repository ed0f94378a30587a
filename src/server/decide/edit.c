/* edit.c - see edit.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/edit.h"

#include "lib/attr/bounds.h"
#include "lib/attr/list_edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void edit_init(struct edit *e, const struct model *m, enum obj_kind kind,
               const struct object *o)
{
    const struct attr_table *t = kind_table(kind);

    *e = (struct edit){
        .table = t,
        .defs = m->defs,
        .o = o,
        .v = xcalloc(t->n, sizeof(*e->v)),
        .touched = xcalloc(t->n, sizeof(*e->touched)),
    };
}

void edit_fini(struct edit *e)
{
    for (size_t i = 0; i < e->table->n; i++)
        if (e->v[i].set)
            e->table->rows[i].type->clear(&e->v[i]);
    free(e->v);
    free(e->touched);
    *e = (struct edit){ 0 };
}

const struct attr_value *edit_value(const struct edit *e, int attr)
{
    MUST(attr >= 0 && (size_t)attr < e->table->n);
    /* What the edit has not touched is read from the object itself, which stays as it
     * is. */
    if (e->touched[attr] || !e->o)
        return &e->v[attr];
    return obj_attr(e->o, attr);
}

size_t edit_bytes(const struct edit *e, int but)
{
    size_t bytes = 0;

    /* Untouched values count, too: the sum is that of the object as it would be. */
    for (size_t i = 0; i < e->table->n; i++)
        if ((int)i != but)
            bytes += attr_value_bytes(e->table->rows[i].type, edit_value(e, (int)i));
    return bytes;
}

int64_t edit_num(const struct edit *e, int attr, int64_t unset)
{
    const struct attr_value *v = edit_value(e, attr);

    return v->set ? v->u.num : unset;
}

const char *edit_str(const struct edit *e, int attr, const char *unset)
{
    const struct attr_value *v = edit_value(e, attr);

    return v->set ? v->u.str : unset;
}

/* The edit's own copy, to be changed. */
static struct attr_value *touch(struct edit *e, int attr)
{
    MUST(attr >= 0 && (size_t)attr < e->table->n);
    if (!e->touched[attr] && e->o && obj_is_set(e->o, attr))
        e->table->rows[attr].type->copy(&e->v[attr], obj_attr(e->o, attr));
    e->touched[attr] = true;
    return &e->v[attr];
}

static int refuse(struct diag *why, int code, const char *name, const char *resource)
{
    char what[sizeof(why->text)];

    if (!resource || *resource == '\0')
        return diag_about(why, code, name);
    /* A text that is too long is cut, which a refusal may be. */
    snprintf(what, sizeof(what), "%s.%s", name, resource);
    return diag_about(why, code, what);
}

/* A resource that nobody knows: a name that none could have is a bad value, but where a
 * job is altered (cli.md 1.10). */
static int refuse_resource(const struct edit *e, const char *name, const char *resource,
                           struct diag *why)
{
    bool alters_job = e->table == &job_table && e->o;

    return refuse(why,
                  alters_job || resource_name_is_valid(resource) ? PBSE_UNKRESC
                                                                 : PBSE_BADATVAL,
                  name, resource);
}

int edit_set(struct edit *e, int attr, const char *resource, const char *text,
             enum wire_op op, struct diag *why)
{
    const struct attr_row *row = &e->table->rows[attr];
    int err;

    /* A list of resources has no value as a whole. */
    if (attr_type_has_members(row->type) && !resource)
        return refuse(why, PBSE_UNKRESC, row->name, NULL);
    /* The copy may be changed even when this fails, since the caller then throws the
     * edit away. */
    err = attr_value_set(row->type, touch(e, attr), e->defs, resource, text, op);
    if (err == PBSE_UNKRESC && resource && !resource_find(e->defs, resource))
        return refuse_resource(e, row->name, resource, why);
    return err ? refuse(why, err, row->name, resource) : 0;
}

void edit_set_num(struct edit *e, int attr, int64_t num)
{
    struct attr_value *v = touch(e, attr);

    v->set = true;
    v->u.num = num;
}

void edit_set_str(struct edit *e, int attr, const char *text)
{
    int err = edit_set(e, attr, NULL, text, WIRE_OP_SET, NULL);

    MUST(err == 0); /* the caller's own text */
    (void)err;
}

void edit_unset(struct edit *e, int attr, const char *resource)
{
    attr_value_unset(e->table->rows[attr].type, touch(e, attr), resource);
}

void edit_job_event(struct edit *e, enum job_event event, int64_t now_at)
{
    struct job_entry in = job_enter(TO_JOB(e->o), event);

    edit_set_num(e, JOB_A_JOB_STATE, job_phase_state(in.phase));
    edit_set_num(e, JOB_A_SUBSTATE, job_phase_substate(in.phase));
    /* The time at which a job became eligible belongs to the phase that it enters. */
    if (in.etime == JOB_ETIME_NOW)
        edit_set_num(e, JOB_A_ETIME, now_at);
    else if (in.etime == JOB_ETIME_UNSET)
        edit_unset(e, JOB_A_ETIME, NULL);
}

void edit_defaults(struct edit *e)
{
    for (size_t i = 0; i < e->table->n; i++) {
        const struct attr_row *row = &e->table->rows[i];

        if (row->dflt && !(row->flags & ATTR_NOT_SAVED) && !edit_value(e, (int)i)->set)
            edit_set_str(e, (int)i, row->dflt);
    }
}

enum entry_fate {
    ENTRY_TAKE,
    ENTRY_SKIP,
    ENTRY_REFUSE
};

/* Some attributes of jobs come with their submission or never: they have no writers,
 * and whoever submits the job sets them. A reservation has none of that kind. */
static bool may_write(const struct edit *e, const struct attr_row *row, uint32_t rights)
{
    bool by_submission =
        e->table == &job_table && row->write == 0 && (row->flags & ATTR_CREATE_ONLY);

    return (row->write & rights) || (by_submission && !e->o);
}

static enum entry_fate entry_find(const struct edit *e, const struct wire_attr *a,
                                  uint32_t rights, int *attr, struct diag *why)
{
    *attr = attr_find(e->table, a->name);
    if (*attr < 0) {
        refuse(why, PBSE_NOATTR, a->name, NULL);
        return ENTRY_REFUSE;
    }
    if (may_write(e, &e->table->rows[*attr], rights))
        return ENTRY_TAKE;
    /* Daemons send whole objects back; what they may not write is passed over. */
    if (rights & WHO_DAEMON)
        return ENTRY_SKIP;
    refuse(why, PBSE_ATTRRO, e->table->rows[*attr].name, a->resource);
    return ENTRY_REFUSE;
}

/* A chunk asks for its resources as plainly as the list does. */
static int check_select_writer(const struct edit *e, const char *text, uint32_t rights,
                               struct diag *why)
{
    struct arena *arena = arena_new();
    struct select sel;
    int err = 0;

    /* What is wrong with the select itself is said later, in its turn. */
    if (select_parse(text, e->defs, arena, &sel, NULL) == 0)
        err = select_check_writer(&sel, rights, why);
    arena_free(arena);
    return err;
}

/* A new job or reservation has nothing that an empty value could take away. */
static bool is_submission(const struct edit *e)
{
    return !e->o && (e->table == &job_table || e->table == &resv_table);
}

static bool may_be_empty(const struct resource_def *def)
{
    return def->type == &attr_string || def->type == &attr_strings;
}

/* Members of a resource list have writers of their own (attributes.md 6.1). */
static int check_member(const struct edit *e, int attr, const struct wire_attr *a,
                        uint32_t rights, struct diag *why)
{
    const struct attr_row *row = &e->table->rows[attr];
    const struct resource_def *def = NULL;

    if (row->type == &attr_resources && a->resource) {
        def = resource_find(e->defs, a->resource);
        if (!def)
            return refuse_resource(e, row->name, a->resource, why);
    }
    /* Daemons write what the server has told them to count. */
    if (!def || (rights & WHO_DAEMON))
        return 0;
    if (!(def->write & rights))
        return refuse(why, PBSE_ATTRRO, row->name, def->name);
    if (*a->value == '\0' && is_submission(e) && !may_be_empty(def))
        return refuse(why, PBSE_BADATVAL, row->name, def->name);
    if (def->type == &attr_select && *a->value != '\0')
        return check_select_writer(e, a->value, rights, why);
    return 0;
}

struct edit_entries {
    struct edit *e;
    uint32_t rights;
    size_t n;                 /* entries so far */
    struct list_edit **lists; /* by row: of lists that += or -= are gathered for */
    size_t combined_bytes;    /* that += and -= of other values have walked over */
};

static int refuse_excess(const struct attr_row *row, const char *resource,
                         const char *words, struct diag *why)
{
    char what[sizeof(why->text)];

    snprintf(what, sizeof(what), "%s%s%.100s: %s", row->name, resource ? "." : "",
             resource ? resource : "", words);
    return diag_about(why, PBSE_BADATVAL, what);
}

static int check_bounds(const struct edit_entries *en, int attr,
                        const struct wire_attr *a, struct diag *why)
{
    const struct attr_row *row = &en->e->table->rows[attr];
    const struct resource_def *def = NULL;
    const char *words;

    if (row->type == &attr_resources && a->resource)
        def = resource_find(en->e->defs, a->resource);
    /* A text of any size is bounded before it is decoded. */
    words = attr_text_excess(def ? def->type : row->type, a->value);
    return words ? refuse_excess(row, a->resource, words, why) : 0;
}

/* Each += and -= of what is not gathered walks over the whole value. */
static int check_work(struct edit_entries *en, int attr, const struct wire_attr *a,
                      struct diag *why)
{
    const struct attr_row *row = &en->e->table->rows[attr];

    if (a->op != WIRE_OP_INCR && a->op != WIRE_OP_DECR)
        return 0;
    en->combined_bytes +=
        attr_value_weight(row->type, edit_value(en->e, attr)) + strlen(a->value);
    if (en->combined_bytes <= REQUEST_MAX_COMBINED_BYTES)
        return 0;
    return diag_set(why, PBSE_IVALREQ, "%s: %s is changed too often in one request",
                    pbse_text(PBSE_IVALREQ), row->name);
}

/* The list goes into a list edit with the first += or -= in the request. */
static bool is_gathered(struct edit_entries *en, int attr, const struct wire_attr *a)
{
    const struct attr_type *type = en->e->table->rows[attr].type;

    if (!type->list)
        return false;
    /* A plain "=" needs no gathering, unless a gathered list is open and has to see all
     * operations in order. */
    if (!en->lists[attr] && a->op != WIRE_OP_INCR && a->op != WIRE_OP_DECR)
        return false;
    if (!en->lists[attr])
        en->lists[attr] = list_edit_begin(type, touch(en->e, attr));
    return true;
}

static int gather(struct edit_entries *en, int attr, const struct wire_attr *a,
                  struct diag *why)
{
    const struct attr_row *row = &en->e->table->rows[attr];
    /* Some types read what is to be taken away in a form of its own. */
    bool less = a->op == WIRE_OP_DECR && row->type->decode_less;
    struct attr_value v = { 0 };
    int err = less ? row->type->decode_less(&v, en->e->defs, NULL, a->value)
                   : row->type->decode(&v, en->e->defs, NULL, a->value);

    if (err)
        return refuse(why, err, row->name, NULL);
    list_edit_apply(en->lists[attr], &v, (enum wire_op)a->op, en->n);
    return 0;
}

static int entry_apply(struct edit_entries *en, int attr, const struct wire_attr *a,
                       struct diag *why)
{
    struct edit *e = en->e;
    int err = check_bounds(en, attr, a, why);

    if (!err)
        err = check_member(e, attr, a, en->rights, why);
    if (err)
        return err;
    /* An empty value unsets, whatever the operation. */
    if (*a->value == '\0') {
        edit_unset(e, attr, a->resource);
        return 0;
    }
    if (is_gathered(en, attr, a))
        return gather(en, attr, a, why);
    err = check_work(en, attr, a, why);
    return err ? err
               : edit_set(e, attr, a->resource, a->value, (enum wire_op)a->op, why);
}

struct edit_entries *edit_entries_begin(struct edit *e, uint32_t rights)
{
    struct edit_entries *en = xcalloc(1, sizeof(*en));

    en->e = e;
    en->rights = rights;
    en->lists = xcalloc(e->table->n, sizeof(*en->lists));
    return en;
}

int edit_entries_add(struct edit_entries *en, const struct wire_attr *a,
                     struct diag *why)
{
    struct diag local = { 0 };
    int attr;

    /* The number is bounded here and not in the decoder, because the limit is one of
     * work. */
    if (en->n++ == REQUEST_MAX_ENTRIES)
        return diag_set(why, PBSE_IVALREQ, "%s: more than %d attributes",
                        pbse_text(PBSE_IVALREQ), REQUEST_MAX_ENTRIES);
    switch (entry_find(en->e, a, en->rights, &attr, &local)) {
    case ENTRY_REFUSE:
        break;
    case ENTRY_SKIP:
        return 0;
    case ENTRY_TAKE:
        entry_apply(en, attr, a, &local);
    }
    return local.code ? diag_set(why, local.code, "%s", local.text) : 0;
}

/* Put the gathered lists back: the first operation that one of them refuses. */
static int end_lists(struct edit_entries *en, struct diag *why)
{
    size_t first = SIZE_MAX;
    int err = 0;

    for (size_t i = 0; i < en->e->table->n; i++) {
        size_t when = 0;

        if (!en->lists[i] || !list_edit_end(en->lists[i], &en->e->v[i], &when) ||
            /* Every list is ended and given back, while the refusal is the earliest one
             * in the request. */
            when >= first)
            continue;
        first = when;
        err = refuse(why, PBSE_DUPLIST, en->e->table->rows[i].name, NULL);
    }
    return err;
}

static int check_values(const struct edit *e, struct diag *why)
{
    for (size_t i = 0; i < e->table->n; i++) {
        const struct attr_row *row = &e->table->rows[i];
        const char *words =
            e->touched[i] ? attr_value_excess(row->type, &e->v[i]) : NULL;

        if (words)
            return refuse_excess(row, NULL, words, why);
    }
    return 0;
}

int edit_entries_end(struct edit_entries *en, struct diag *why)
{
    int err = end_lists(en, why);

    if (!err)
        /* Bounds of the whole value are known only when all entries are in. */
        err = check_values(en->e, why);
    free(en->lists);
    free(en);
    return err;
}

/* Empty values unset and go first, then the others in their order. */
static int add_all(struct edit_entries *en, const struct wire_attrs *attrs,
                   struct diag *why)
{
    int err = 0;

    /* So an entry that empties a list does not take away what the same request sets. */
    for (int empties = 1; empties >= 0; empties--)
        for (size_t i = 0; i < attrs->n && !err; i++)
            if ((*attrs->v[i].value == '\0') == (bool)empties)
                err = edit_entries_add(en, &attrs->v[i], why);
    return err;
}

/* What a gathered list refuses comes before the entry that was refused. */
int edit_list_entries(struct edit *e, const struct wire_attrs *attrs, uint32_t rights,
                      struct diag *why)
{
    struct edit_entries *en = edit_entries_begin(e, rights);
    struct diag of_entry = { 0 }, of_list = { 0 };
    int err = add_all(en, attrs, &of_entry);
    const struct diag *first = &of_entry;

    /* The end is called in any case: it frees what was gathered. */
    if (edit_entries_end(en, &of_list) == PBSE_DUPLIST || !err)
        first = &of_list;
    return first->code ? diag_set(why, first->code, "%s", first->text) : 0;
}

int edit_check_rows(const struct edit *e, struct diag *why)
{
    for (size_t i = 0; i < e->table->n; i++) {
        const struct attr_row *row = &e->table->rows[i];
        int err;

        /* What was there before was checked when it was set. */
        if (!e->touched[i] || !e->v[i].set || !row->check)
            continue;
        err = row->check(&e->v[i], why);
        if (err)
            return err;
    }
    return 0;
}

int edit_list(struct edit *e, const struct wire_attrs *attrs, uint32_t rights,
              struct diag *why)
{
    int err = edit_list_entries(e, attrs, rights, why);

    return err ? err : edit_check_rows(e, why);
}

static bool commit_plain(const struct edit *e, int attr, struct arena *arena,
                         struct record *rec)
{
    const struct attr_type *type = e->table->rows[attr].type;
    const char *before =
        e->o ? attr_value_text(type, obj_attr(e->o, attr), arena) : NULL;
    const char *after = attr_value_text(type, &e->v[attr], arena);

    if (str_same(before, after))
        return false;
    record_change(rec, arena, attr, NULL, after);
    return true;
}

static bool commit_members(const struct edit *e, int attr, struct arena *arena,
                           struct record *rec)
{
    static const struct attr_value unset;
    const struct attr_type *type = e->table->rows[attr].type;
    const struct attr_members was =
        attr_value_members(type, e->o ? obj_attr(e->o, attr) : &unset, arena);
    const struct attr_members is = attr_value_members(type, &e->v[attr], arena);
    bool any = false;

    for (size_t i = 0; i < was.n; i++)
        if (!attr_members_find(&is, was.v[i].name)) {
            record_change(rec, arena, attr, was.v[i].name, NULL);
            any = true;
        }
    for (size_t i = 0; i < is.n; i++) {
        if (str_same(is.v[i].text, attr_members_find(&was, is.v[i].name)))
            continue;
        record_change(rec, arena, attr, is.v[i].name, is.v[i].text);
        any = true;
    }
    return any;
}

bool edit_commit(const struct edit *e, struct arena *arena, struct record *rec)
{
    bool any = false;

    for (size_t i = 0; i < e->table->n; i++) {
        if (!e->touched[i])
            continue;
        if (attr_type_has_members(e->table->rows[i].type))
            any |= commit_members(e, (int)i, arena, rec);
        else
            any |= commit_plain(e, (int)i, arena, rec);
    }
    return any;
}
