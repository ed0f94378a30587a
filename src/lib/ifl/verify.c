/* verify.c - attribute names are checked before a request travels (wire.md 15.3).
 *
 * Names are checked against the tables of lib/attr. Values and resources are judged by
 * the server, which knows the site's resources. All bad names are collected for
 * pbs_get_attributes_in_error(); the first decides the call's code and text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include "lib/attr/row.h"

#include <string.h>
#include <strings.h>

static bool verify_off;

void set_no_attribute_verification(void)
{
    verify_off = true;
}

static const struct attr_table *const tables[] = {
    [MGR_OBJ_SERVER] = &server_table, [MGR_OBJ_QUEUE] = &queue_table,
    [MGR_OBJ_JOB] = &job_table,       [MGR_OBJ_NODE] = &node_table,
    [MGR_OBJ_RESV] = &resv_table,     [MGR_OBJ_SCHED] = &sched_table,
    [MGR_OBJ_HOST] = &node_table,     [MGR_OBJ_SITE_HOOK] = &hook_table,
    [MGR_OBJ_PBS_HOOK] = &hook_table,
};

/* Names that travel without being attributes of the object. */
static const struct {
    uint32_t number;
    int object;
    const char *name;
} others[] = {
    { BATCH_SELECT_JOBS, MGR_OBJ_JOB, ATTR_q },
    { BATCH_SELECT_STATUS, MGR_OBJ_JOB, ATTR_q },
    { BATCH_MANAGER, MGR_OBJ_RSC, ATTR_RESC_TYPE },
    { BATCH_MANAGER, MGR_OBJ_RSC, ATTR_RESC_FLAG },
    { BATCH_STATUS_RESOURCE, MGR_OBJ_RSC, ATTR_RESC_TYPE },
    { BATCH_STATUS_RESOURCE, MGR_OBJ_RSC, ATTR_RESC_FLAG },
};

static bool is_known(uint32_t number, int object, const char *name)
{
    const struct attr_table *t =
        (size_t)object < ARRAY_LEN(tables) ? tables[object] : NULL;

    if (t && attr_find(t, name) >= 0)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (others[i].number == number && others[i].object == object &&
            strcasecmp(others[i].name, name) == 0)
            return true;
    return false;
}

/* What is not ours to know is left to the server: other object types, and changes of
 * hooks, whose refusals name the attribute in a way of their own (hooks.md). */
static bool can_judge(uint32_t number, int object)
{
    if (number == BATCH_MANAGER &&
        (object == MGR_OBJ_SITE_HOOK || object == MGR_OBJ_PBS_HOOK))
        return false;
    return object == MGR_OBJ_RSC ||
           (object >= 0 && (size_t)object < ARRAY_LEN(tables) && tables[object]);
}

int ifl_verify(int c, uint32_t number, int object, const struct attrl *list)
{
    int code = 0;

    ifl_bad_attrs_clear();
    if (verify_off || !can_judge(number, object))
        return 0;
    for (; list; list = list->next) {
        if (!list->name || !*list->name || is_known(number, object, list->name))
            continue;
        ifl_bad_attrs_add(list, PBSE_NOATTR, pbse_text(PBSE_NOATTR));
        code = PBSE_NOATTR;
    }
    return code ? ifl_set_error(c, code, pbse_text(code)) : 0;
}
