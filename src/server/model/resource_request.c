/* resource_request.c - from what was asked for to what is booked.
 *
 * The order of the steps is that of attributes.md 8; a value that is there is never
 * overwritten by a default, and the sums always win.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/resource_request.h"

#include "lib/attr/queue_attrs.h"
#include "lib/attr/server_attrs.h"

#include <string.h>

void resources_set_text(struct resources *list, const struct resource_defs *defs,
                        const char *name, const char *text)
{
    struct attr_value v = { .set = true, .u.res = *list };
    int err = attr_value_set(&attr_resources, &v, defs, name, text, WIRE_OP_SET);

    MUST(!err);
    (void)err;
    *list = v.u.res;
}

const char *resources_text(const struct resources *list, const char *name,
                           struct arena *arena)
{
    const struct attr_value v = { .set = true, .u.res = *list };

    return attr_value_member(&attr_resources, &v, name, arena);
}

static bool has(const struct resources *list, const char *name)
{
    return resources_find(list, name) != NULL;
}

/* The code's text, a colon, and the resource at fault (wire.md 8.1). */
static int refuse(struct diag *why, int code, const char *resource)
{
    return diag_set(why, code, "%s: %s", pbse_text(code), resource);
}

/* Old job-wide requests and select do not mix (attributes.md 7.3). */
static int check_combination(const struct resources *list, bool reservation,
                             struct diag *why)
{
    if (!has(list, "select") && !has(list, "place"))
        return 0;
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].def->flags & RESOURCE_HOST)
            return refuse(why, PBSE_INVALJOBRESC, list->v[i].def->name);
    /* A reservation may give a place without a select; a job may not. */
    if (has(list, "nodes"))
        return refuse(why, PBSE_INVALNODEPLACE, "nodes");
    if (!has(list, "select") && !reservation)
        return diag_code(why, PBSE_PLACENOSELECT);
    return 0;
}

enum default_kind {
    WITH_SELECT,
    WITHOUT_SELECT
};

static void fill(struct resources *list, const struct resource_defs *defs,
                 const struct resources *from, enum default_kind kind,
                 struct arena *arena)
{
    for (size_t i = 0; i < from->n; i++) {
        const char *name = from->v[i].def->name;
        bool is_select = strcmp(name, "select") == 0 || strcmp(name, "place") == 0;

        /* What the user or an earlier default has given stays; limits never become a
         * select. */
        if (has(list, name) || (is_select && kind == WITHOUT_SELECT))
            continue;
        resources_set_text(list, defs, name, resources_text(from, name, arena));
    }
}

#define N_DEFAULTS 4

/* Where the i-th default comes from; NULL: nowhere. */
static const struct resources *default_list(const struct model *m,
                                            const struct queue *queue, size_t i,
                                            enum default_kind *ret)
{
    *ret = i < 2 ? WITH_SELECT : WITHOUT_SELECT;
    switch (i) {
    case 0:
        return queue ? obj_resources(&queue->obj, QUEUE_A_RESOURCES_DEFAULT) : NULL;
    case 1:
        return obj_resources(m->server, SERVER_A_RESOURCES_DEFAULT);
    case 2:
        return queue ? obj_resources(&queue->obj, QUEUE_A_RESOURCES_MAX) : NULL;
    default:
        return obj_resources(m->server, SERVER_A_RESOURCES_MAX);
    }
}

/* A reservation's walltime is in the list before: no default speaks for it. */
static void fill_defaults(struct resources *list, const struct model *m,
                          const struct queue *queue, struct arena *arena)
{
    for (size_t i = 0; i < N_DEFAULTS; i++) {
        enum default_kind kind;
        const struct resources *from = default_list(m, queue, i, &kind);

        if (from)
            fill(list, m->defs, from, kind, arena);
    }
}

const char *resource_request_default(const struct model *m, const struct queue *queue,
                                     const char *name, struct arena *arena)
{
    for (size_t i = 0; i < N_DEFAULTS; i++) {
        enum default_kind kind;
        const struct resources *from = default_list(m, queue, i, &kind);
        const char *text = from ? resources_text(from, name, arena) : NULL;

        if (text)
            return text;
    }
    return NULL;
}

/* The forms before select: 'nodes', or what the list has that belongs to a host.
 * 'asked' is the list before its defaults. */
static int make_select(struct resources *list, const struct resources *asked,
                       const struct resource_defs *defs, bool reservation,
                       struct arena *arena, struct diag *why)
{
    const char *select, *place;
    int err = select_from_resources(list, asked, defs, !reservation, arena, &select,
                                    &place, why);

    if (err)
        return err;
    resources_set_text(list, defs, "select", select);
    /* A place that was given outweighs the one that follows from the old form. */
    if (!has(list, "place"))
        resources_set_text(list, defs, "place", place);
    return 0;
}

/* A chunk that asks for no resource is refused: it would use nothing of the vnode that
 * it lies on, which nobody has in mind. */
static int parse_complete(const char *schedselect, const struct model *m,
                          struct arena *arena, struct select *ret, struct diag *why)
{
    int err = select_parse(schedselect, m->defs, arena, ret, why);

    if (!err && select_has_bare_chunk(ret))
        err = diag_code(why, PBSE_INVALSELECTRESC);
    return err;
}

/* Queue defaults come before the server's in every chunk, so each is a pass. */
static int make_schedselect(const struct resources *list, const struct model *m,
                            const struct queue *queue, struct arena *arena,
                            const char **ret, struct diag *why)
{
    struct select sel;
    const char *text = resources_text(list, "select", arena);
    int err = select_parse(text, m->defs, arena, &sel, why);

    if (err)
        return err;
    if (queue && obj_is_set(&queue->obj, QUEUE_A_DEFAULT_CHUNK)) {
        /* The text is parsed again, so that the second pass sees the queue's defaults
         * as given. */
        text = select_to_schedselect(
            &sel, obj_resources(&queue->obj, QUEUE_A_DEFAULT_CHUNK), arena);
        err = select_parse(text, m->defs, arena, &sel, why);
        if (err)
            return err;
    }
    *ret = select_to_schedselect(&sel, obj_resources(m->server, SERVER_A_DEFAULT_CHUNK),
                                 arena);
    return 0;
}

int resource_request_check(const struct resources *list, const struct model *m,
                           bool reservation, struct arena *arena, struct diag *why)
{
    struct select sel;
    struct place place;
    int err = check_combination(list, reservation, why);

    if (!err && has(list, "select"))
        err = select_parse(resources_text(list, "select", arena), m->defs, arena, &sel,
                           why);
    if (!err && has(list, "place"))
        err = place_parse(resources_text(list, "place", arena), arena, &place, why);
    return err;
}

static int complete(struct resources *list, const struct resources *asked,
                    const struct model *m, const struct queue *queue, bool reservation,
                    struct arena *arena, const char **ret_schedselect, struct diag *why)
{
    struct select sel;
    int err = 0;

    fill_defaults(list, m, queue, arena);
    if (!has(list, "select"))
        err = make_select(list, asked, m->defs, reservation, arena, why);
    /* "free" is PBS's default. */
    if (!err && !has(list, "place"))
        resources_set_text(list, m->defs, "place", "free");
    if (!err)
        err = make_schedselect(list, m, queue, arena, ret_schedselect, why);
    if (!err)
        err = parse_complete(*ret_schedselect, m, arena, &sel, why);
    if (!err)
        /* The sums come last, because they overwrite what defaults have put into the
         * list. */
        select_sum(&sel, m->defs, list);
    return err;
}

int resource_request_complete(struct resources *list, const struct model *m,
                              const struct queue *queue, bool reservation,
                              struct arena *arena, const char **ret_schedselect,
                              struct diag *why)
{
    struct resources asked;
    int err = resource_request_check(list, m, reservation, arena, why);

    if (err)
        return err;
    /* The defaults change the list, and the old forms are read from what the user has
     * given. */
    resources_copy(&asked, list);
    err = complete(list, &asked, m, queue, reservation, arena, ret_schedselect, why);
    resources_clear(&asked);
    return err;
}

/* Members of 'list' that are sums over these chunks. */
static void remove_sums(struct resources *list, const struct resource_defs *defs,
                        const char *schedselect, struct arena *arena)
{
    struct resources sums = { 0 };
    struct select sel;

    if (select_parse(schedselect, defs, arena, &sel, NULL))
        return;
    select_sum(&sel, defs, &sums);
    for (size_t i = 0; i < sums.n; i++)
        resources_remove(list, sums.v[i].def->name);
    resources_clear(&sums);
}

int resource_request_reselect(struct resources *list, const struct model *m,
                              const char *select, const char *schedselect,
                              struct arena *arena, const char **ret_schedselect,
                              struct diag *why)
{
    struct select sel;
    int err = select_parse(select, m->defs, arena, &sel, why);

    if (err)
        return err;
    /* Sums of the old select would look like requests of the user. */
    remove_sums(list, m->defs, schedselect, arena);
    resources_set_text(list, m->defs, "select", select);
    if ((err = make_schedselect(list, m, NULL, arena, ret_schedselect, why)) ||
        (err = parse_complete(*ret_schedselect, m, arena, &sel, why)))
        return err;
    select_sum(&sel, m->defs, list);
    return 0;
}

static const char *const shape[] = { "nodes", "nodect", "select", "place", "walltime" };

bool resource_is_shape(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(shape); i++)
        if (strcmp(shape[i], name) == 0)
            return true;
    return false;
}

struct resources resources_shape_last(const struct resources *list, struct arena *arena)
{
    struct resources ret = { .v = ARENA_ARRAY(arena, struct resource_value,
                                              list->n + 1) };

    for (size_t i = 0; i < list->n; i++)
        if (!resource_is_shape(list->v[i].def->name))
            ret.v[ret.n++] = list->v[i];
    /* The shape follows in the order of the array, which is that of PBS's status. */
    for (size_t i = 0; i < ARRAY_LEN(shape); i++) {
        const struct resource_value *rv = resources_find(list, shape[i]);

        if (rv)
            ret.v[ret.n++] = *rv;
    }
    return ret;
}
