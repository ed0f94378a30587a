/* chunk.c - see chunk.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/chunk.h"

#include <ctype.h>
#include <string.h>

size_t chunk_name_len(const char *p)
{
    size_t n = 0;

    if (!isalpha((unsigned char)*p))
        return 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '-' || p[n] == '_')
        n++;
    return n;
}

/* The length of the value at 'p' with its quotes: it ends at one of 'ends' outside
 * quotes, or with the text. */
static size_t value_len(const char *p, const char *ends)
{
    char quote = '\0';
    size_t n = 0;

    for (; p[n] && (quote || !strchr(ends, p[n])); n++) {
        if (quote && p[n] == quote)
            quote = '\0';
        else if (!quote && (p[n] == '"' || p[n] == '\''))
            quote = p[n];
    }
    return n;
}

/* The value without its quotes; NULL when it is empty, has a character that cannot be
 * printed or an open quote. What is taken is as long as the value, not as the text
 * behind it. */
static const char *read_value(const char **text, const char *ends, struct arena *arena)
{
    size_t len = value_len(*text, ends);
    char *value = arena_text(arena, *text, len), *to = value;
    char quote = '\0';

    for (const char *p = *text; p < *text + len; p++) {
        if (quote && *p == quote)
            quote = '\0';
        else if (!quote && (*p == '"' || *p == '\''))
            quote = *p;
        else if (quote || isgraph((unsigned char)*p) || (unsigned char)*p >= 0x80)
            *to++ = *p;
        else
            return NULL;
    }
    if (quote || len == 0)
        return NULL;
    MUST(to <= value + len); /* quotes were left out, nothing was added */
    *to = '\0';
    *text += len;
    return value;
}

bool chunk_read_pair(const char **p, const char *ends, struct arena *arena,
                     struct pairs *out)
{
    size_t len = chunk_name_len(*p);
    const char *name, *value;

    if (len == 0 || (*p)[len] != '=')
        return false;
    name = arena_strndup(arena, *p, len);
    *p += len + 1;
    value = read_value(p, ends, arena);
    if (!value)
        return false;
    ARENA_ROOM(arena, out, v, 4);
    out->v[out->n++] = (struct chunk_resource){ .name = name, .value = value };
    return true;
}

static bool needs_quotes(const char *value)
{
    for (const char *p = value; *p; p++)
        if (strchr("\"'+:=()", *p) ||
            (!isgraph((unsigned char)*p) && (unsigned char)*p < 0x80))
            return true;
    return *value == '\0';
}

/* A value with quotes of both kinds is written in pieces, each in the other kind. */
void chunk_value_print(const char *value, struct buf *out)
{
    if (!needs_quotes(value)) {
        buf_add_str(out, value);
        return;
    }
    do {
        char quote = *value == '"' ? '\'' : '"';
        const char *end = strchr(value, quote);
        size_t len = end ? (size_t)(end - value) : strlen(value);

        if (quote == '"' && end && !strchr(value, '\'')) {
            quote = '\''; /* one pair of the other kind does for all */
            len = strlen(value);
        }
        MUST(len > 0 || !*value); /* it does not begin with the quote chosen */
        buf_printf(out, "%c%.*s%c", quote, (int)len, value, quote);
        value += len;
    } while (*value);
}

#define MAX_COUNT INT32_MAX /* of one chunk */

bool chunk_read_count(const char **p, int64_t *ret)
{
    int64_t count = 0;

    for (; isdigit((unsigned char)**p); ++*p) {
        count = count * 10 + (**p - '0');
        if (count > MAX_COUNT)
            return false;
    }
    *ret = count;
    return true;
}

const char *chunk_value_in(const struct chunk *chunk, const char *name)
{
    for (size_t i = 0; i < chunk->n; i++)
        if (strcasecmp(chunk->res[i].name, name) == 0)
            return chunk->res[i].value;
    return NULL;
}
