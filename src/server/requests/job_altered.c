/* job_altered.c - see job_altered.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_altered.h"

#include "lib/attr/job_attrs.h"

#include <uthash.h>

struct asked_for {
    const struct edit *e;
    const struct wire_attrs *attrs;
    struct arena *arena;
};

/* One entry of an 'a' record: the value as it is now. */
static void add_altered(const struct asked_for *a, int attr,
                        const struct resource_def *def, struct buf *out)
{
    const struct attr_type *type = job_rows[attr].type;
    const struct attr_value *v = edit_value(a->e, attr);
    const char *value = def ? attr_value_member(type, v, def->name, a->arena)
                            : attr_value_text(type, v, a->arena);

    buf_printf(out, "%s%s%s%s=", out->len ? " " : "", job_rows[attr].name,
               def ? "." : "", def ? def->name : "");
    buf_add_quoted(out, value ? value : "UNSET");
}

/* Resources of the request that are told already. */
struct told {
    const struct resource_def *def;
    UT_hash_handle hh;
};

static bool told_before(struct told **told, const struct resource_def *def,
                        struct arena *arena)
{
    struct told *t;

    HASH_FIND(hh, *told, &def, sizeof(def), t);
    if (t)
        return true;
    t = ARENA_NEW(arena, struct told);
    t->def = def;
    HASH_ADD(hh, *told, def, sizeof(t->def), t);
    return false;
}

/* What the request says of one attribute: once, and each resource once. A resource
 * beside an attribute that has no members counts for nothing. */
static void add_attr(const struct asked_for *a, int attr, const int *attr_of,
                     struct buf *out)
{
    MUST(attr >= 0); /* -1 stands for a name that is not known */

    bool members = attr_type_has_members(job_rows[attr].type);
    struct told *told = NULL;

    for (size_t i = 0; i < a->attrs->n; i++) {
        const char *resource = a->attrs->v[i].resource;
        const struct resource_def *def;

        if (attr_of[i] != attr)
            continue;
        def = members && resource ? resource_find(a->e->defs, resource) : NULL;
        if (told_before(&told, def, a->arena))
            continue;
        add_altered(a, attr, def, out);
    }
    HASH_CLEAR(hh, told);
}

const char *job_altered_text(const struct edit *e, const struct wire_attrs *attrs,
                             struct arena *arena)
{
    const struct asked_for asked = { e, attrs, arena };
    int *attr_of = ARENA_ARRAY(arena, int, attrs->n + 1);
    struct buf text = { 0 };
    const char *ret;

    for (size_t i = 0; i < attrs->n; i++)
        attr_of[i] = attr_find(&job_table, attrs->v[i].name);
    /* Attributes behind the script's are ours alone and not part of accounting. */
    for (int attr = 0; attr < JOB_A_HF_SCRIPT; attr++)
        if (attr != JOB_A_RESOURCES_USED && attr != JOB_A_ESTIMATED)
            add_attr(&asked, attr, attr_of, &text);
    ret = arena_strdup(arena, text.data ? text.data : "");
    buf_fini(&text);
    return ret;
}
