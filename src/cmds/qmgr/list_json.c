/* list_json.c - "list" as JSON: {"Queue": {"workq": {"enabled": true, ...}}}.
 *
 * The type of an attribute decides, never the look of its text: numbers and booleans
 * are bare, lists are arrays, resource lists are objects, all else is text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/qmgr.h"

#include "cmds/common/json_member.h"
#include "lib/attr/resource.h"
#include "lib/base/buf.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static json_t *list_node(const char *text)
{
    json_t *all = json_array();

    for (;; text++) {
        size_t len = qmgr_member_len(text);

        json_array_append_new(all, json_text(text, len));
        text += len;
        if (*text == '\0')
            return all;
    }
}

static bool is_number(const struct attr_type *type)
{
    return type == &attr_long || type == &attr_int64 || type == &attr_time ||
           type == &attr_seconds || type == &attr_float;
}

static bool is_bool(const struct attr_type *type)
{
    return type == &attr_bool || type == &attr_bool_words;
}

static json_t *scalar_node(const struct attr_type *type, const char *text)
{
    json_t *node = NULL;

    /* A number that the server wrote in a form that JSON does not have stays a text. */
    if (is_number(type))
        node = json_loads(text, JSON_DECODE_ANY, NULL);
    if (node && !json_is_number(node)) {
        json_decref(node);
        node = NULL;
    }
    if (is_bool(type) && strcasecmp(text, "true") == 0)
        return json_true();
    if (is_bool(type) && strcasecmp(text, "false") == 0)
        return json_false();
    return node ? node : json_text(text, strlen(text));
}

/* NULL for what our tables do not have, as from a server of another make: such a value
 * becomes a text. */
static const struct attr_type *type_of(int object, const struct attrl *a,
                                       struct qmgr_types *types)
{
    const struct attr_table *table = qmgr_table(object);
    int row = table ? attr_find(table, a->name) : -1;

    if (row < 0)
        return NULL;
    if (a->resource && table->rows[row].type == &attr_resources)
        return qmgr_resource_type(types, a->resource);
    return table->rows[row].type;
}

/* Limits of one attribute come as several entries: they are one array. */
static void add_limit(json_t *in, const char *key, const char *text)
{
    json_t *all = json_member(in, key);

    if (!all) {
        all = json_array();
        json_member_set(in, key, all);
    }
    json_array_append_new(all, json_text(text, strlen(text)));
}

static void add_attr(json_t *in, int object, const struct attrl *a,
                     struct qmgr_types *types)
{
    const char *key = a->resource ? a->resource : a->name;
    const struct attr_type *type = type_of(object, a, types);

    if (a->resource)
        in = json_member_object(in, a->name);
    /* Limits are arrays though their type is no list: each entry of the reply is one
     * member. */
    if (qmgr_is_limit(a->name))
        add_limit(in, key, a->value);
    else if (qmgr_is_list_type(type) || qmgr_is_list(types, object, a))
        json_member_set(in, key, list_node(a->value));
    else
        json_member_set(in, key, scalar_node(type, a->value));
}

void qmgr_list_json(int object, const char *title, const struct batch_status *objects,
                    struct qmgr_types *types)
{
    json_t *root = json_object(), *all = json_object();

    json_object_set_new(root, title, all);
    for (; objects; objects = objects->next) {
        json_t *one = json_object();

        for (const struct attrl *a = objects->attribs; a; a = a->next)
            add_attr(one, object, a, types);
        json_member_set(all, objects->name, one);
    }
    json_dumpf(root, stdout, JSON_INDENT(4) | JSON_PRESERVE_ORDER | JSON_DIGITS);
    putchar('\n');
    json_decref(root);
}
