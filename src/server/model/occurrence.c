/* occurrence.c - see occurrence.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/occurrence.h"

#include "lib/attr/ids.h"
#include "lib/cal/recur.h"
#include "server/model/node_life.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* clang-format off */
static const struct attr_row later_rows[OCCURRENCE_A_COUNT] = {
    [OCCURRENCE_A_INDEX] = { .name = "reserve_index", .type = &attr_long, .flags = ATTR_INTERNAL | ATTR_LINKS, .doc = "Its place in the series, from 1." },
    [OCCURRENCE_A_START] = { .name = "reserve_start", .type = &attr_time, .flags = ATTR_INTERNAL | ATTR_LINKS, .doc = "Epoch." },
    [OCCURRENCE_A_END] = { .name = "reserve_end", .type = &attr_time, .flags = ATTR_INTERNAL | ATTR_LINKS, .doc = "Epoch." },
    [OCCURRENCE_A_STATE] = { .name = "reserve_state", .type = &attr_long, .flags = ATTR_INTERNAL | ATTR_LINKS, .doc = "As that of a reservation." },
    [OCCURRENCE_A_SUBSTATE] = { .name = "reserve_substate", .type = &attr_long, .flags = ATTR_INTERNAL, .doc = "As that of a reservation." },
    [OCCURRENCE_A_RESV_NODES] = { .name = "resv_nodes", .type = &attr_string, .flags = ATTR_INTERNAL | ATTR_LINKS, .doc = "Its vnodes." },
    [OCCURRENCE_A_RETRY] = { .name = "reserve_retry", .type = &attr_time, .flags = ATTR_INTERNAL, .doc = "When to ask for other vnodes." },
    [OCCURRENCE_A_RESOURCE_LIST] = { .name = "Resource_List", .type = &attr_resources, .flags = ATTR_INTERNAL, .doc = "Unset: that of the series." },
    [OCCURRENCE_A_SCHEDSELECT] = { .name = "schedselect", .type = &attr_string, .flags = ATTR_INTERNAL, .doc = "Unset: that of the series." },
};
/* clang-format on */

const struct attr_table occurrence_table = {
    .kind = "occurrence",
    .macro_prefix = "OCCURRENCE",
    .rows = later_rows,
    .n = OCCURRENCE_A_COUNT,
};

/* Which attribute of a later one has what an attribute of the reservation has of the
 * current one, and where that of the series is kept once the current one has another.
 * A value that no series keeps is the occurrence's alone: unset means unset. */
#define NOT_OF_SERIES (-1)
static const struct {
    enum resv_attr current;
    enum occurrence_attr later;
    int series;
} same_value[] = {
    { RESV_A_RESERVE_INDEX, OCCURRENCE_A_INDEX, NOT_OF_SERIES },
    { RESV_A_RESERVE_START, OCCURRENCE_A_START, NOT_OF_SERIES },
    { RESV_A_RESERVE_END, OCCURRENCE_A_END, NOT_OF_SERIES },
    { RESV_A_RESERVE_STATE, OCCURRENCE_A_STATE, NOT_OF_SERIES },
    { RESV_A_RESERVE_SUBSTATE, OCCURRENCE_A_SUBSTATE, NOT_OF_SERIES },
    { RESV_A_RESV_NODES, OCCURRENCE_A_RESV_NODES, NOT_OF_SERIES },
    { RESV_A_RESERVE_RETRY, OCCURRENCE_A_RETRY, NOT_OF_SERIES },
    { RESV_A_RESOURCE_LIST, OCCURRENCE_A_RESOURCE_LIST, RESV_A_HF_SERIES_RESOURCES },
    { RESV_A_SCHEDSELECT, OCCURRENCE_A_SCHEDSELECT, RESV_A_HF_SERIES_SCHEDSELECT },
};

static int attr_of(const struct occurrence *oc, enum resv_attr attr)
{
    /* The current occurrence is kept in the reservation itself. */
    if (oc->values->kind == OBJ_RESV)
        return (int)attr;
    for (size_t i = 0; i < ARRAY_LEN(same_value); i++)
        if (same_value[i].current == attr)
            return (int)same_value[i].later;
    MUST(!"the attribute is one of occurrences");
    return 0;
}

static int64_t num_of(const struct occurrence *oc, enum resv_attr attr, int64_t unset)
{
    return obj_num(oc->values, attr_of(oc, attr), unset);
}

struct window occurrence_window(const struct occurrence *oc)
{
    return (struct window){ .start_at = occurrence_start_at(oc, 0),
                            .end_at = occurrence_end_at(oc, 0) };
}

static int64_t length_of(const struct occurrence *oc)
{
    struct window w = occurrence_window(oc);

    return w.end_at - w.start_at;
}

int64_t occurrence_start_at(const struct occurrence *oc, int64_t unset)
{
    return num_of(oc, RESV_A_RESERVE_START, unset);
}

int64_t occurrence_end_at(const struct occurrence *oc, int64_t unset)
{
    return num_of(oc, RESV_A_RESERVE_END, unset);
}

enum resv_phase occurrence_phase(const struct occurrence *oc)
{
    return resv_phase_find(num_of(oc, RESV_A_RESERVE_STATE, RESV_NONE),
                           num_of(oc, RESV_A_RESERVE_SUBSTATE, RESV_NONE));
}

const struct resources *occurrence_resources(const struct occurrence *oc)
{
    const struct resources *own =
        obj_resources(oc->values, attr_of(oc, RESV_A_RESOURCE_LIST));

    const struct resources *kept =
        obj_resources(&oc->resv->obj, RESV_A_HF_SERIES_RESOURCES);

    /* An occurrence that was altered has a list of its own; the others have that of the
     * series. */
    if (own->n > 0)
        return own;
    return kept->n > 0 ? kept : obj_resources(&oc->resv->obj, RESV_A_RESOURCE_LIST);
}

const char *occurrence_vnodes(const struct occurrence *oc)
{
    return obj_str(oc->values, attr_of(oc, RESV_A_RESV_NODES), "");
}

const char *occurrence_schedselect(const struct occurrence *oc)
{
    const struct object *series = &oc->resv->obj;
    const char *own = obj_str(oc->values, attr_of(oc, RESV_A_SCHEDSELECT), NULL);

    if (own)
        return own;
    own = obj_str(series, RESV_A_HF_SERIES_SCHEDSELECT, NULL);
    return own ? own : obj_str(series, RESV_A_SCHEDSELECT, "");
}

bool resv_later_is_degraded(const struct resv *r)
{
    const struct occurrence *oc;

    DL_FOREACH (r->later, oc)
        if (phase_is_replaced(occurrence_phase(oc)))
            return true;
    return false;
}

void later_record_phase(struct record *rec, struct arena *arena, enum resv_phase to)
{
    MUST(rec->kind == OBJ_OCCURRENCE && phase_is_confirmed(to));
    record_change_num(rec, arena, OCCURRENCE_A_STATE, resv_phase_state(to));
    record_change_num(rec, arena, OCCURRENCE_A_SUBSTATE, resv_phase_substate(to));
}

const struct occurrence *resv_current(const struct resv *r)
{
    return r->stands_for ? &r->stands_for->current : &r->current;
}

bool occurrence_is_current(const struct occurrence *oc)
{
    return oc == &oc->resv->current;
}

int64_t occurrence_index(const struct occurrence *oc)
{
    return num_of(oc, RESV_A_RESERVE_INDEX, 1);
}

const char *occurrence_name(const struct occurrence *oc, struct arena *arena)
{
    const char *id = oc->resv->obj.id;
    size_t len = strcspn(id, ".");

    /* An advance reservation is called by its id. */
    if (obj_num(&oc->resv->obj, RESV_A_RESERVE_COUNT, 1) <= 1)
        return id;
    return arena_printf(arena, "%.*s[%" PRId64 "]%s", (int)len, id,
                        occurrence_index(oc), id + len);
}

const struct node *occurrence_unusable(const struct occurrence *oc)
{
    for (size_t i = 0; i < oc->bookings.n; i++)
        if (!node_is_usable(oc->bookings.v[i].node))
            return oc->bookings.v[i].node;
    return NULL;
}

/* A store that somebody has changed may name any index; such an occurrence stands
 * behind the one before it. */
static size_t place_of(const struct occurrence *oc, size_t next)
{
    int64_t first = occurrence_index(&oc->resv->current);
    int64_t index = occurrence_index(oc);

    if (index < first + (int64_t)next || index >= first + RECUR_MAX)
        return next;
    return (size_t)(index - first);
}

/* Put them into their places, where there is room for that; returns the places that
 * they need. */
static size_t fill_places(const struct resv *r, const struct occurrence **v)
{
    const struct occurrence *oc;
    size_t n = 1;

    if (v)
        v[0] = &r->current;
    DL_FOREACH (r->later, oc) {
        size_t place = place_of(oc, n);

        if (v)
            v[place] = oc;
        n = place + 1;
    }
    return n;
}

const struct occurrence **occurrence_places(const struct resv *r, struct arena *arena,
                                            size_t *ret_n)
{
    int64_t count = MIN_OF(obj_num(&r->obj, RESV_A_RESERVE_COUNT, 1), RECUR_MAX);
    int64_t n_by_count = count - occurrence_index(&r->current) + 1;
    size_t n = MAX_OF(fill_places(r, NULL), (size_t)MAX_OF(n_by_count, 0));
    const struct occurrence **v = ARENA_ARRAY(arena, const struct occurrence *, n);

    fill_places(r, v);
    *ret_n = n;
    return v;
}

const struct occurrence *occurrence_before(const struct occurrence *oc)
{
    if (occurrence_is_current(oc))
        return NULL;
    /* In a list of utlist the first one has the last one before it. */
    return oc == oc->resv->later ? &oc->resv->current : oc->prev;
}

const struct occurrence *occurrence_after(const struct occurrence *oc)
{
    return occurrence_is_current(oc) ? oc->resv->later : oc->next;
}

const struct occurrence *occurrence_itself(const struct occurrence *oc)
{
    return oc->values->kind == OBJ_OCCURRENCE ? &TO_LATER(oc->values)->occurrence
                                              : resv_current(TO_RESV(oc->values));
}

/* What an occurrence has that has nothing of its own. */
static const struct attr_value *value_of_series(const struct resv *r, size_t i)
{
    const struct attr_value *kept = obj_attr(&r->obj, same_value[i].series);

    return kept->set ? kept : obj_attr(&r->obj, (int)same_value[i].current);
}

/* The value that is in force in a later occurrence: its own, or that of the series. */
static const struct attr_value *value_in_force(const struct occurrence *later, size_t i)
{
    const struct attr_value *own = obj_attr(later->values, (int)same_value[i].later);

    return own->set || same_value[i].series == NOT_OF_SERIES
               ? own
               : value_of_series(later->resv, i);
}

struct resv *occurrence_as_resv(const struct occurrence *oc, struct arena *arena)
{
    const struct resv *r = oc->resv;
    struct resv *view = arena_copy(arena, r, sizeof(*view));

    view->obj.attrs = obj_attrs_view(&r->obj.attrs, RESV_A_COUNT, arena);
    view->obj.id = arena_strdup(arena, occurrence_name(oc, arena));
    view->obj.reads = NULL; /* nobody checks what is read of a copy */
    view->current = *oc;
    view->later = NULL;
    view->n_later = 0;
    if (occurrence_is_current(oc))
        return view;
    for (size_t i = 0; i < ARRAY_LEN(same_value); i++)
        obj_attrs_view_put(&view->obj.attrs, (size_t)same_value[i].current,
                           *value_in_force(oc, i), arena);
    obj_attrs_view_put(&view->obj.attrs, RESV_A_RESERVE_DURATION,
                       (struct attr_value){ .set = true, .u.num = length_of(oc) },
                       arena);
    view->queue = NULL; /* the jobs in it are those of the current one */
    return view;
}

const struct occurrence *occurrence_find(const struct model *m, const char *id)
{
    const struct object *o = model_find(m, OBJ_OCCURRENCE, id);
    const char *bracket = strchr(id, '[');
    const struct resv *r;
    char series[ID_MAX_RESV + 1];
    char *end;
    int64_t index;

    /* A later occurrence is an object of its own. */
    if (o)
        return TO_LATER(o)->stray ? NULL : &TO_LATER(o)->occurrence;
    if (!bracket || bracket[1] < '1' || bracket[1] > '9')
        return NULL;
    snprintf(series, sizeof(series), "%.*s", (int)(bracket - id), id);
    r = model_resv(m, series);
    index = strtoll(bracket + 1, &end, 10);
    /* The id comes from a client, so every character is checked. */
    if (!r || end[0] != ']' || (end[1] != '\0' && end[1] != '.'))
        return NULL;
    return occurrence_index(&r->current) == index ? &r->current : NULL;
}

const struct occurrence *occurrence_at(const struct model *m, const struct resv *r,
                                       int64_t index, struct arena *arena)
{
    const char *id = r->obj.id;
    const struct occurrence *oc = NULL;
    size_t len = strcspn(id, "[."); /* of a view, too: occurrence_as_resv() */

    if (obj_num(&r->obj, RESV_A_RESERVE_STANDING, 0))
        oc = occurrence_find(
            m, arena_printf(arena, "%.*s[%" PRId64 "]", (int)len, id, index));
    return oc;
}

/* The record gives the attribute this value, whole. */
static void copy_value(const struct attr_value *v, int attr, struct arena *arena,
                       struct record *rec)
{
    const struct attr_type *type = kind_table(rec->kind)->rows[attr].type;
    struct attr_members members;

    if (!v->set || !attr_type_has_members(type)) {
        record_change(rec, arena, attr, NULL,
                      v->set ? attr_value_text(type, v, arena) : NULL);
        return;
    }
    record_change(rec, arena, attr, NULL, NULL); /* members that it does not have */
    members = attr_value_members(type, v, arena);
    for (size_t k = 0; k < members.n; k++)
        record_change(rec, arena, attr, members.v[k].name, members.v[k].text);
}

/* Have they the same text, and the same members? */
static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool equal_values(const struct attr_type *type, const struct attr_value *a,
                         const struct attr_value *b, struct arena *arena)
{
    struct attr_members x, y;

    if (!a->set || !b->set || !attr_type_has_members(type))
        return same_text(a->set ? attr_value_text(type, a, arena) : NULL,
                         b->set ? attr_value_text(type, b, arena) : NULL);
    x = attr_value_members(type, a, arena);
    y = attr_value_members(type, b, arena);
    for (size_t i = 0; x.n == y.n && i < x.n; i++)
        if (!same_text(x.v[i].name, y.v[i].name) ||
            !same_text(x.v[i].text, y.v[i].text))
            return false;
    return x.n == y.n;
}

void later_record_request(const struct occurrence *later, struct record *rec,
                          struct arena *arena, const struct attr_value *resources,
                          const struct attr_value *schedselect)
{
    static const struct attr_value none = { 0 };

    MUST(rec->kind == OBJ_OCCURRENCE);
    for (size_t i = 0; i < ARRAY_LEN(same_value); i++) {
        bool is_list = same_value[i].current == RESV_A_RESOURCE_LIST;
        const struct attr_value *v = is_list ? resources : schedselect;
        const struct attr_type *type = resv_rows[same_value[i].current].type;

        if (same_value[i].series == NOT_OF_SERIES)
            continue;
        if (equal_values(type, v, value_of_series(later->resv, i), arena))
            v = &none;
        copy_value(v, (int)same_value[i].later, arena, rec);
    }
}

static void keep_value(const struct resv *r, size_t i, struct arena *arena,
                       struct record *rec)
{
    if (same_value[i].series != NOT_OF_SERIES &&
        /* What the series was asked to have is kept once, when an occurrence first gets
         * something else. */
        !obj_is_set(&r->obj, same_value[i].series))
        copy_value(obj_attr(&r->obj, (int)same_value[i].current), same_value[i].series,
                   arena, rec);
}

void occurrence_keep_series(const struct resv *r, struct arena *arena,
                            struct record *rec)
{
    MUST(rec->kind == OBJ_RESV);
    /* Nobody comes after this one who could need the values. */
    if (r->n_later == 0 && !obj_is_set(&r->obj, RESV_A_HF_STARTS))
        return;
    for (size_t i = 0; i < ARRAY_LEN(same_value); i++)
        keep_value(r, i, arena, rec);
}

/* The caller says which phase the reservation goes to. */
static bool is_phase(enum resv_attr attr)
{
    return attr == RESV_A_RESERVE_STATE || attr == RESV_A_RESERVE_SUBSTATE;
}

static void take_value(const struct occurrence *later, size_t i, struct arena *arena,
                       struct record *rec)
{
    const struct attr_value *own = obj_attr(later->values, (int)same_value[i].later);
    int attr = (int)same_value[i].current;
    const struct attr_value *kept;

    if (same_value[i].series == NOT_OF_SERIES) {
        copy_value(own, attr, arena, rec);
        return;
    }
    kept = obj_attr(&later->resv->obj, same_value[i].series);
    if (own->set) {
        keep_value(later->resv, i, arena, rec);
        copy_value(own, attr, arena, rec);
    } else if (kept->set) {
        /* The occurrence before had values of its own, and the series' come back. */
        copy_value(kept, attr, arena, rec);
    }
}

void occurrence_take_turn(const struct occurrence *later, struct arena *arena,
                          struct record *rec)
{
    MUST(rec->kind == OBJ_RESV && !occurrence_is_current(later));
    for (size_t i = 0; i < ARRAY_LEN(same_value); i++)
        if (!is_phase(same_value[i].current))
            take_value(later, i, arena, rec);
    record_change_num(rec, arena, RESV_A_RESERVE_DURATION, length_of(later));
}
