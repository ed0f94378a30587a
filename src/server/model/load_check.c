/* load_check.c - see load_check.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/load_check.h"

#include "lib/attr/ids.h"
#include "server/model/job_phase.h"
#include "server/model/resv_state.h"
#include "server/model/stored_text.h"

#include <stdio.h>
#include <string.h>
#include <utlist.h>

#define WHAT_TO_DO                                                                     \
    "it was edited or is damaged, correct it (doc/store.md) or restore a backup"

static int refuse(struct diag *why, enum obj_kind kind, const char *id,
                  const char *what)
{
    return diag_set(why, PBSE_SYSTEM, "the store's %s %.80s %s: " WHAT_TO_DO,
                    kind_name(kind), id, what);
}

static int refuse_value(struct diag *why, enum obj_kind kind, const char *id, int attr,
                        const char *resource)
{
    char what[160];

    snprintf(what, sizeof(what), "has a value of %s%s%.60s that cannot be read",
             kind_table(kind)->rows[attr].name, resource ? "." : "",
             resource ? resource : "");
    return refuse(why, kind, id, what);
}

/* The value is decoded as model_loaded() will do it, into one that is thrown away. */
static bool can_be_read(const struct model *m, const struct attr_type *type,
                        const char *resource, const char *text)
{
    struct attr_value v = { 0 };
    int err;

    /* Lists by resource need the resource's name, and no other value has one. */
    if (attr_type_has_members(type) != (resource != NULL))
        return false;
    err = attr_value_set(type, &v, m->defs, resource, text, WIRE_OP_SET);
    attr_value_unset(type, &v, NULL);
    return err == 0;
}

static bool waits_for_resource(const struct model *m, const struct change *c)
{
    return c->resource && !resource_find(m->defs, c->resource);
}

static int check_values(const struct model *m, const struct record *rec,
                        struct diag *why)
{
    for (size_t i = 0; i < rec->n_changes; i++) {
        const struct change *c = &rec->changes[i];
        const struct attr_type *type = kind_table(rec->kind)->rows[c->attr].type;

        if (waits_for_resource(m, c) && attr_type_has_members(type))
            continue;
        arena_clear(m->scratch);
        /* Whether it can be decoded shows when it is: model_load(). */
        if (!c->after || attr_type_has_members(type) != (c->resource != NULL) ||
            !stored_text_is_good(rec->kind, c->attr, c->after, m->scratch))
            return refuse_value(why, rec->kind, rec->id, c->attr, c->resource);
    }
    return 0;
}

static const char *text_of(const struct record *rec, int attr, const char *unset)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return rec->changes[i].after;
    return unset;
}

/* It is defined in a table of its own, as model_apply() will do it in the model's. */
static int check_definition(const struct model *m, const struct record *rec,
                            struct diag *why)
{
    struct resource_defs *defs;
    int err;

    if (resource_find(m->defs, rec->id))
        return refuse(why, rec->kind, rec->id, "is a resource that there is already");
    defs = resource_defs_new();
    err = resource_define(defs, rec->id, text_of(rec, RESOURCE_A_TYPE, "string"),
                          text_of(rec, RESOURCE_A_FLAG, ""), NULL);
    resource_defs_free(defs);
    return err ? refuse(why, rec->kind, rec->id, "cannot be defined") : 0;
}

/* An object is found by its id again, whoever asks. */
static int check_id(const struct model *m, const struct record *rec, struct diag *why)
{
    const char *key;
    struct job_id job;
    bool good = *rec->id != '\0';

    arena_clear(m->scratch);
    if (rec->kind == OBJ_RESV)
        good = resv_id_key(rec->id, m->scratch, &key);
    else if (rec->kind == OBJ_JOB)
        good = job_id_parse(rec->id, m->scratch, &job) && job.server;
    return good ? 0 : refuse(why, rec->kind, rec->id, "has an id that cannot be one");
}

int load_check(const struct model *m, const struct record *rec, struct diag *why)
{
    int err = check_id(m, rec, why);

    MUST(rec->fact == FACT_LOADED);
    if (!err)
        err = check_values(m, rec, why);
    if (!err && rec->kind == OBJ_RESOURCE)
        err = check_definition(m, rec, why);
    return err;
}

int load_refuse_change(const struct record *rec, const struct change *c,
                       struct diag *why)
{
    return refuse_value(why, rec->kind, rec->id, c->attr, c->resource);
}

static int check_late(const struct model *m, struct diag *why)
{
    const struct late_value *late;

    DL_FOREACH (m->late, late) {
        const struct object *o = late->o;

        if (!can_be_read(m, kind_table(o->kind)->rows[late->attr].type, late->resource,
                         late->text))
            return refuse_value(why, o->kind, o->id, late->attr, late->resource);
    }
    return 0;
}

static int check_jobs(const struct model *m, struct diag *why)
{
    MODEL_EACH (m, OBJ_JOB, o) {
        if (job_phase(TO_JOB(o)) == JOB_PHASE_NONE)
            return refuse(why, o->kind, o->id,
                          "has a job_state and substate that do not belong together");
        if (!stored_job_is_whole(TO_JOB(o)))
            return refuse(why, o->kind, o->id,
                          "leaves for nowhere, or is suspended in no manner");
    }
    return 0;
}

static int check_reservations(const struct model *m, struct diag *why)
{
    MODEL_EACH (m, OBJ_RESV, o) {
        if (resv_phase(TO_RESV(o)) == PHASE_NONE)
            return refuse(why, o->kind, o->id,
                          "has a reserve_state and reserve_substate that do not belong "
                          "together");
    }
    return 0;
}

static int check_occurrences(const struct model *m, struct diag *why)
{
    MODEL_EACH (m, OBJ_OCCURRENCE, o) {
        char id[ID_MAX_RESV + 1];
        size_t len = strcspn(o->id, "[");

        snprintf(id, sizeof(id), "%.*s", (int)len, o->id);
        if (!o->id[len] || !model_resv(m, id))
            return refuse(why, o->kind, o->id, "has no reservation");
        if (obj_num(o, OCCURRENCE_A_START, INT64_MAX) >=
            obj_num(o, OCCURRENCE_A_END, 0))
            return refuse(why, o->kind, o->id, "does not start before it ends");
    }
    return 0;
}

int load_check_all(const struct model *m, struct diag *why)
{
    int err = check_late(m, why);

    if (!err)
        err = check_jobs(m, why);
    if (!err)
        err = check_reservations(m, why);
    return err ? err : check_occurrences(m, why);
}
