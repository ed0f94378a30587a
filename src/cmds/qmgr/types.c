/* types.c - what kind of value a text is: lists are printed member by member, numbers
 * are numbers in JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/qmgr.h"

#include "lib/attr/resource.h"

#include <string.h>
#include <strings.h>

/* Learn the site's resources from the server; what fails stays unknown. */
static void ask_types(struct qmgr_types *types)
{
    struct batch_status *all = qmgr_status(types->target, MGR_OBJ_RSC, "", NULL);

    types->asked = true;
    for (const struct batch_status *r = all; r; r = r->next) {
        struct diag why;

        if (resource_find(types->defs, r->name))
            continue;
        for (const struct attrl *a = r->attribs; a; a = a->next)
            if (strcasecmp(a->name, ATTR_RESC_TYPE) == 0 &&
                resource_define(types->defs, r->name, a->value, "", &why))
                break;
    }
    pbs_statfree(all);
}

const struct attr_type *qmgr_resource_type(struct qmgr_types *types, const char *name)
{
    const struct resource_def *def;

    if (!types->defs)
        types->defs = resource_defs_new();
    def = resource_find(types->defs, name);
    if (!def && !types->asked && types->target) {
        ask_types(types);
        def = resource_find(types->defs, name);
    }
    return def ? def->type : NULL;
}

void qmgr_types_fini(struct qmgr_types *types)
{
    resource_defs_free(types->defs);
    types->defs = NULL;
}

bool qmgr_is_list_type(const struct attr_type *type)
{
    return type == &attr_strings || type == &attr_acl_user || type == &attr_acl_host ||
           type == &attr_acl_group;
}

bool qmgr_is_list(struct qmgr_types *types, int object, const struct attrl *a)
{
    const struct attr_table *table = qmgr_table(object);
    int row = table ? attr_find(table, a->name) : -1;

    if (table == &hook_table)
        return strcasecmp(a->name, "event") == 0 ||
               strcasecmp(a->name, "fail_action") == 0;
    if (row < 0)
        return false;
    if (!a->resource || table->rows[row].type != &attr_resources)
        return qmgr_is_list_type(table->rows[row].type);
    /* The type matters only for a value with a comma, and the server has to be asked
     * for it. */
    return strchr(a->value, ',') &&
           qmgr_is_list_type(qmgr_resource_type(types, a->resource));
}

/* The backslash stays in the member, so that what is printed reads back as it was. */
size_t qmgr_member_len(const char *text)
{
    size_t n = 0;

    while (text[n] && text[n] != ',')
        n += text[n] == '\\' && text[n + 1] ? 2 : 1;
    return n;
}
