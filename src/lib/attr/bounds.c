/* bounds.c - see bounds.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/bounds.h"

#include "lib/attr/list_edit.h"
#include "lib/attr/resource.h"

#include <string.h>

/* The bound in the text is made from the number itself, so that they cannot differ. */
#define DIGITS_OF(number)    #number
#define MORE_THAN(n, things) "more than " DIGITS_OF(n) " " things
#define TOO_MANY_MEMBERS     MORE_THAN(LIST_MAX_MEMBERS, "members")
#define TOO_MANY_ENTRIES     MORE_THAN(LIST_MAX_MEMBERS, "entries")

_Static_assert(ORDERED_MAX_BYTES == 1024 * 1024, "the text says so");

/* Count how often one of 'signs' stands in the text. A backslash hides what follows it.
 */
static size_t count_signs(const char *text, const char *signs)
{
    /* The walk stops at each sign and at backslashes. When there is one sign only, a
     * backslash takes the place of the second. */
    const char stops[] = { signs[0], signs[1] ? signs[1] : '\\', '\\', '\0' };
    size_t n = 0;

    for (text += strcspn(text, stops); *text; text += strcspn(text, stops)) {
        if (*text == '\\') {
            text += text[1] ? 2 : 1;
            continue;
        }
        n++;
        text++;
    }
    return n;
}

static const char *specification_excess(const char *text)
{
    /* Signs stand between chunks, so there is one chunk more than signs. */
    if (count_signs(text, "+") >= SELECT_MAX_CHUNKS)
        return MORE_THAN(SELECT_MAX_CHUNKS, "chunks");
    if (count_signs(text, ":") > SELECT_MAX_PAIRS)
        return MORE_THAN(SELECT_MAX_PAIRS, "resources");
    return NULL;
}

/* The text is measured before it is decoded, in time linear in its length: a text that
 * is too long must not cost what decoding it would. */
const char *attr_text_excess(const struct attr_type *type, const char *text)
{
    if (type == &attr_select || type == &attr_nodes || type == &attr_place)
        return specification_excess(text);
    if (type == &attr_entity_limit || type == &attr_entity_limit_resource)
        return count_signs(text, "[") > LIST_MAX_MEMBERS ? TOO_MANY_ENTRIES : NULL;
    if (!type->list)
        return NULL;
    if (count_signs(text, type == &attr_variables ? "," : ",\n") >= LIST_MAX_MEMBERS)
        return TOO_MANY_MEMBERS;
    if (type->list->by_order && strlen(text) > ORDERED_MAX_BYTES)
        return "longer than 1 MiB";
    return NULL;
}

static const char *resources_excess(const struct resources *r)
{
    const char *words = NULL;

    for (size_t i = 0; i < r->n && !words; i++)
        words = attr_value_excess(r->v[i].def->type, &r->v[i].value);
    return words;
}

/* The value is measured as well, since += makes a long one out of two short ones. */
const char *attr_value_excess(const struct attr_type *type, const struct attr_value *v)
{
    if (!v->set)
        return NULL;
    if (type == &attr_resources)
        return resources_excess(&v->u.res);
    if (type->list)
        return v->u.list.n > LIST_MAX_MEMBERS ? TOO_MANY_MEMBERS : NULL;
    if (type->wire_type == attr_entity_limit.wire_type)
        return v->u.limits.n > LIST_MAX_MEMBERS ? TOO_MANY_ENTRIES : NULL;
    if (type == &attr_select || type == &attr_nodes || type == &attr_place)
        return specification_excess(v->u.str);
    return NULL;
}

static size_t text_bytes(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static size_t resources_bytes(const struct resources *r)
{
    size_t bytes = r->n * sizeof(*r->v);

    for (size_t i = 0; i < r->n; i++)
        bytes += attr_value_bytes(r->v[i].def->type, &r->v[i].value);
    return bytes;
}

static size_t list_bytes(const struct strings *list)
{
    size_t bytes = list->n * sizeof(*list->v);

    for (size_t i = 0; i < list->n; i++)
        bytes += text_bytes(list->v[i]);
    return bytes;
}

static size_t limits_bytes(const struct limits *limits)
{
    size_t bytes = limits->n * sizeof(*limits->v);

    for (size_t i = 0; i < limits->n; i++)
        bytes += text_bytes(limits->v[i].name) + text_bytes(limits->v[i].resource) +
                 text_bytes(limits->v[i].value);
    return bytes;
}

/* Numbers, sizes and the like own no memory besides the struct, which the owner counts.
 */
size_t attr_value_bytes(const struct attr_type *type, const struct attr_value *v)
{
    if (!v->set)
        return 0;
    if (type == &attr_resources)
        return resources_bytes(&v->u.res);
    if (type->list)
        return list_bytes(&v->u.list);
    if (type->wire_type == attr_entity_limit.wire_type)
        return limits_bytes(&v->u.limits);
    if (type->wire_type == attr_string.wire_type)
        return text_bytes(v->u.str);
    return 0;
}

static size_t resources_weight(const struct resources *r)
{
    size_t bytes = 0;

    for (size_t i = 0; i < r->n; i++)
        bytes += attr_value_weight(r->v[i].def->type, &r->v[i].value);
    return bytes;
}

/* What copying a member or an entry costs, in bytes that are only walked over. */
#define MEMBER_BYTES 256
/* What reading a grammar costs for each byte of its text. */
#define READ_AGAIN   16

size_t attr_value_weight(const struct attr_type *type, const struct attr_value *v)
{
    if (!v->set)
        return 0;
    if (type == &attr_resources)
        return resources_weight(&v->u.res);
    if (type->list)
        return v->u.list.n * MEMBER_BYTES;
    if (type->wire_type == attr_entity_limit.wire_type)
        return v->u.limits.n * MEMBER_BYTES;
    /* A text with a grammar is decoded again after each += and -=. */
    if (type->wire_type == attr_string.wire_type)
        return strlen(v->u.str) * (type->has_grammar ? READ_AGAIN : 1);
    return sizeof(*v);
}
