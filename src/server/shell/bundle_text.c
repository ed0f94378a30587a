/* bundle_text.c - see bundle_text.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/bundle_text.h"

#include "lib/base/buf.h"

#include <string.h>

/* No number of a bundle has more digits than a time; what is longer is damage. */
#define DIGITS_MAX 17

/* Digits, as many as there are; false when there are none or too many. */
static bool read_number(const char **p, int64_t *ret)
{
    size_t len = strspn(*p, "0123456789");
    int64_t n = 0;

    if (len == 0 || len > DIGITS_MAX)
        return false;
    for (; len > 0; len--)
        n = n * 10 + (*(*p)++ - '0');
    *ret = n;
    return true;
}

static bool skip(const char **p, char c)
{
    bool found = **p == c;

    *p += found;
    return found;
}

bool bundle_id_parse(const char *text, struct bundle_id *ret)
{
    struct bundle_id id = { .series = text, .series_len = strcspn(text, "[") };
    const char *p = text + id.series_len;

    if (id.series_len == 0 || !skip(&p, '[') || !read_number(&p, &id.from))
        return false;
    id.to = id.from;
    if (skip(&p, '-') && !read_number(&p, &id.to))
        return false;
    if (!skip(&p, ']') || id.from < 1 || id.from > id.to)
        return false;
    id.rest = p;
    *ret = id;
    return true;
}

const char *bundle_id_print(const struct bundle_id *id, struct arena *arena)
{
    int len = (int)id->series_len;

    MUST(id->from >= 1 && id->from <= id->to);
    if (id->from == id->to)
        return arena_printf(arena, "%.*s[%" PRId64 "]%s", len, id->series, id->from,
                            id->rest);
    return arena_printf(arena, "%.*s[%" PRId64 "-%" PRId64 "]%s", len, id->series,
                        id->from, id->to, id->rest);
}

const char *bundle_times_print(const struct bundle_time *v, size_t n,
                               struct arena *arena)
{
    struct buf text = { 0 };
    const char *copy;

    MUST(n > 0);
    for (size_t i = 0; i < n; i++) {
        MUST(v[i].start_at >= 0 && v[i].length_s >= 0);
        if (i > 0)
            buf_add_char(&text, ',');
        buf_add_uint(&text, (uint64_t)v[i].start_at, 1);
        if (i > 0 && v[i].length_s == v[i - 1].length_s)
            continue;
        buf_add_char(&text, '+');
        buf_add_uint(&text, (uint64_t)v[i].length_s, 1);
    }
    copy = arena_text(arena, text.data, text.len);
    buf_fini(&text);
    return copy;
}

/* A start, and its length where it has one. */
static bool read_time(const char **p, struct bundle_time *ret)
{
    return read_number(p, &ret->start_at) &&
           (!skip(p, '+') || read_number(p, &ret->length_s));
}

bool bundle_times_parse(const char *text, struct bundle_time *v, size_t n)
{
    struct bundle_time t = { .length_s = -1 };
    const char *p = text;

    MUST(n > 0);
    for (size_t i = 0; i < n; i++) {
        if ((i > 0 && !skip(&p, ',')) || !read_time(&p, &t) || t.length_s < 0)
            return false;
        v[i] = t;
    }
    return *p == '\0';
}

bool bundle_member_parse(const char *text, int64_t *ret_index,
                         const char **ret_resource)
{
    const char *p = text;

    if (!read_number(&p, ret_index) || (*p && *p != '.'))
        return false;
    *ret_resource = *p ? p + 1 : p;
    return true;
}

const char *bundle_member_print(int64_t index, const char *resource,
                                struct arena *arena)
{
    return arena_printf(arena, "%" PRId64 "%s%s", index, *resource ? "." : "",
                        resource);
}
