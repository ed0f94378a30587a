/* object.c - reading attributes of an object.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "server/model/model.h"

#include "lib/attr/bounds.h"

#include <string.h>

const struct attr_value *obj_attr(const struct object *o, int attr)
{
    MUST(attr >= 0 && (size_t)attr < kind_table(o->kind)->n);
#ifdef HF_CHECKS
    /* Debug builds note which attributes a rule or a link reads. */
    if (o->reads)
        o->reads[attr] = true;
#endif
    return obj_attrs_get(&o->attrs, (size_t)attr);
}

bool obj_is_set(const struct object *o, int attr)
{
    return obj_attr(o, attr)->set;
}

size_t obj_bytes(const struct object *o)
{
    const struct attr_table *table = kind_table(o->kind);
    size_t bytes = 0;

    for (size_t i = 0; i < table->n; i++)
        bytes += attr_value_bytes(table->rows[i].type, obj_attrs_get(&o->attrs, i));
    return bytes;
}

int64_t obj_num(const struct object *o, int attr, int64_t unset)
{
    const struct attr_value *v = obj_attr(o, attr);

    return v->set ? v->u.num : unset;
}

const char *obj_str(const struct object *o, int attr, const char *unset)
{
    const struct attr_value *v = obj_attr(o, attr);

    return v->set ? v->u.str : unset;
}

const struct resources *obj_resources(const struct object *o, int attr)
{
    static const struct resources none;
    const struct attr_value *v = obj_attr(o, attr);

    MUST(kind_table(o->kind)->rows[attr].type == &attr_resources);
    /* A caller need not ask whether the list is set. */
    return v->set ? &v->u.res : &none;
}

int job_state_index(int letter)
{
    const char *at = letter ? strchr(JOB_STATE_LETTERS, letter) : NULL;

    /* What is no letter of a state counts with the first one, so the sums stay within
     * their array. */
    return at ? (int)(at - JOB_STATE_LETTERS) : 0;
}
