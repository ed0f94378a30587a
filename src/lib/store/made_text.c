/* made_text.c - see made_text.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/made_text.h"

#include "lib/store/json_text.h"

#include <stdlib.h>
#include <string.h>

void value_list_add(struct value_list *list, const struct store_change *c)
{
    if (list->n == list->cap) {
        list->cap = list->cap ? 2 * list->cap : 64;
        list->v = xrealloc(list->v, list->cap * sizeof(*list->v));
    }
    list->v[list->n++] = *c;
}

void value_list_fini(struct value_list *list)
{
    free(list->v);
    *list = (struct value_list){ 0 };
}

int value_order(const struct store_change *a, const struct store_change *b)
{
    int order = strcmp(a->attr, b->attr);

    return order ? order : strcmp(a->resource, b->resource);
}

/* Two changes of the same value stay in their order, which is that of their places. */
static int by_name(const void *a, const void *b)
{
    const struct store_change *x = *(const struct store_change *const *)a,
                              *y = *(const struct store_change *const *)b;
    int order = value_order(x, y);

    return order ? order : (x > y) - (x < y);
}

static void add_string(struct buf *out, const char *text)
{
    buf_add_char(out, '"');
    json_add_bytes(out, text, strlen(text));
    buf_add_char(out, '"');
}

void made_to_text(const struct store_change *v, size_t n, struct arena *arena,
                  struct buf *out)
{
    const struct store_change **sorted =
        ARENA_ARRAY(arena, const struct store_change *, n + 1);

    for (size_t i = 0; i < n; i++)
        sorted[i] = &v[i];
    qsort(sorted, n, sizeof(*sorted), by_name);
    buf_clear(out);
    buf_add_char(out, '[');
    for (size_t i = 0; i < n; i++) {
        const struct store_change *c = sorted[i];

        if (!c->after || (i + 1 < n && value_order(c, sorted[i + 1]) == 0))
            continue;
        buf_add_str(out, out->len > 1 ? ",[" : "[");
        add_string(out, c->attr);
        buf_add_char(out, ',');
        add_string(out, c->resource);
        buf_add_char(out, ',');
        add_string(out, c->after);
        buf_add_char(out, ']');
    }
    buf_add_char(out, ']');
}

static void skip_blanks(char **at)
{
    while (**at == ' ' || **at == '\t' || **at == '\r' || **at == '\n')
        ++*at;
}

/* Go over that character and the blanks around it, which PostgreSQL writes; false when
 * another one is there. */
static bool skip(char **at, char c)
{
    skip_blanks(at);
    if (**at != c)
        return false;
    ++*at;
    skip_blanks(at);
    return true;
}

static bool read_value(char **at, struct store_change *ret)
{
    *ret = (struct store_change){ 0 };
    return skip(at, '[') && (ret->attr = json_string_in_place(at)) && skip(at, ',') &&
           (ret->resource = json_string_in_place(at)) && skip(at, ',') &&
           (ret->after = json_string_in_place(at)) && skip(at, ']');
}

bool made_from_text(const char *text, struct arena *arena, struct value_list *to)
{
    char *at = arena_strdup(arena, text);
    struct store_change c;

    to->n = 0;
    if (!skip(&at, '['))
        return false;
    if (!skip(&at, ']')) {
        do {
            if (!read_value(&at, &c))
                return false;
            value_list_add(to, &c);
        } while (skip(&at, ','));
        if (!skip(&at, ']'))
            return false;
    }
    return *at == '\0';
}
