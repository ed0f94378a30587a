/* edit_text.c - see edit_text.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/edit_text.h"

#include <string.h>

static void put(struct buf *out, const char *text)
{
    /* The length comes first, so a text may have any byte in it. */
    buf_printf(out, "%zu:%s", strlen(text), text);
}

static void put_step(struct buf *out, const char *name, const char *resource,
                     const char *value)
{
    put(out, name);
    put(out, resource);
    /* "-" unsets. A value begins with "=", so that no value can look like it. */
    if (!value) {
        put(out, "-");
        return;
    }
    buf_printf(out, "%zu:=%s", strlen(value) + 1, value);
}

/* The list becomes what it is in the edit, whatever it was before. */
static void put_list(struct buf *out, const struct attr_row *row,
                     const struct attr_value *v, struct arena *arena)
{
    const struct attr_members members = attr_value_members(row->type, v, arena);

    put_step(out, row->name, "", NULL);
    for (size_t i = 0; i < members.n; i++)
        put_step(out, row->name, members.v[i].name, members.v[i].text);
}

static void put_attr(struct buf *out, const struct edit *e, int attr,
                     struct arena *arena)
{
    const struct attr_row *row = &e->table->rows[attr];
    const struct attr_value *v = edit_value(e, attr);

    /* Members are written one by one, since their names may have any character. */
    if (v->set && attr_type_has_members(row->type))
        put_list(out, row, v, arena);
    else
        put_step(out, row->name, "", attr_value_text(row->type, v, arena));
}

const char *edit_to_text(const struct edit *e, const int *attrs, size_t n,
                         struct arena *arena)
{
    struct buf out = { 0 };
    const char *text;

    for (size_t i = 0; i < n; i++)
        /* Only what the edit has touched is kept; the rest follows the object as it
         * changes. */
        if (e->touched[attrs[i]])
            put_attr(&out, e, attrs[i], arena);
    /* An edit that changes nothing has an empty text. */
    text = out.len ? arena_strdup(arena, out.data) : "";
    buf_fini(&out);
    return text;
}

/* NULL when no entry begins there, or when it is longer than what is left. */
static const char *take(const char **text, struct arena *arena)
{
    const char *p = *text;
    size_t left = strlen(p), len = 0;

    if (*p < '0' || *p > '9')
        return NULL;
    for (; *p >= '0' && *p <= '9'; p++) {
        /* The bound is checked at every digit, so the number cannot overflow. */
        len = 10 * len + (size_t)(*p - '0');
        if (len > left)
            return NULL;
    }
    if (*p++ != ':' || strlen(p) < len)
        return NULL;
    *text = p + len;
    return arena_strndup(arena, p, len);
}

static bool make_step(struct edit *e, const char *name, const char *resource,
                      const char *value)
{
    int attr = attr_find_any(e->table, name);

    /* The text may come from a store of another version. */
    if (attr < 0)
        return false;
    if (*resource == '\0')
        resource = NULL;
    if (strcmp(value, "-") == 0)
        edit_unset(e, attr, resource);
    else if (*value != '=' ||
             /* A resource may have been deleted since the text was written. */
             edit_set(e, attr, resource, value + 1, WIRE_OP_SET, NULL) != 0)
        return false;
    return true;
}

bool edit_from_text(struct edit *e, const char *text, struct arena *arena)
{
    while (*text) {
        const char *name = take(&text, arena);
        const char *resource = name ? take(&text, arena) : NULL;
        const char *value = resource ? take(&text, arena) : NULL;

        /* A text that ends early or names what is gone is refused as a whole. */
        if (!value || !make_step(e, name, resource, value))
            return false;
    }
    return true;
}
