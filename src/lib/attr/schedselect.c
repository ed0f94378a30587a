/* schedselect.c - the select with counts and defaults written out (attributes.md 8),
 * and which of two asks for a part of the other (reservations.md 13.5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/chunk.h"
#include "lib/attr/value.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* Sizes without a unit are bytes; the unit is written so that every reader takes it
 * so. */
static bool size_lacks_unit(const char *value)
{
    MUST(*value != '\0');

    int last = tolower((unsigned char)value[strlen(value) - 1]);

    return last != 'b' && last != 'w';
}

static void print_pair(const struct chunk_resource *res, struct buf *out)
{
    const struct attr_type *type = res->def ? res->def->type : NULL;
    bool yes;

    buf_printf(out, ":%s=", res->name);
    if (type == &attr_bool && bool_parse(res->value, &yes) == 0)
        buf_add_str(out, yes ? "True" : "False");
    else if (type == &attr_size && *res->value && size_lacks_unit(res->value))
        buf_printf(out, "%sb", res->value);
    else
        chunk_value_print(res->value, out);
}

/* A default of the queue or server for a resource that the chunk does not name. */
static void print_default(const struct resource_value *rv, struct buf *out)
{
    struct buf text = { 0 };

    rv->def->type->print(&rv->value, &text);
    buf_printf(out, ":%s=", rv->def->name);
    chunk_value_print(text.data ? text.data : "", out);
    buf_fini(&text);
}

/* One chunk as schedulers read it: with its count, booleans and sizes in one form,
 * and the defaults behind what the user asked for. */
static void print_chunk(const struct chunk *chunk, const struct resources *defaults,
                        struct buf *out)
{
    int64_t count = chunk->count;

    if (!chunk->counted && defaults)
        count = resources_amount(defaults, "nchunk", count);
    buf_printf(out, "%" PRId64, count);
    for (size_t i = 0; i < chunk->n; i++)
        print_pair(&chunk->res[i], out);
    for (size_t i = 0; defaults && i < defaults->n; i++) {
        const char *name = defaults->v[i].def->name;

        if (strcasecmp(name, "nchunk") != 0 && !chunk_value_in(chunk, name))
            print_default(&defaults->v[i], out);
    }
}

const char *select_to_schedselect(const struct select *sel,
                                  const struct resources *defaults, struct arena *arena)
{
    struct buf out = { 0 };
    const char *text;

    for (size_t i = 0; i < sel->n; i++) {
        if (i)
            buf_add_char(&out, '+');
        print_chunk(&sel->chunks[i], defaults, &out);
    }
    MUST(out.len > 0); /* a select has chunks */
    text = arena_strndup(arena, out.data, out.len);
    buf_fini(&out);
    return text;
}

/* Split off the count: "2:ncpus=1" -> 2, "ncpus=1". */
static const char *after_count(const char *chunk, size_t len, int64_t *count,
                               size_t *rest)
{
    const char *p = chunk;

    *count = 1;
    if (isdigit((unsigned char)*p) && !chunk_read_count(&p, count))
        *count = -1;
    if (p != chunk && *p == ':')
        p++;
    MUST((size_t)(p - chunk) <= len);
    *rest = len - (size_t)(p - chunk);
    return p;
}

/* The length of the chunk at 'p': it ends at a '+' outside quotes, or with the text. */
static size_t chunk_len(const char *p)
{
    char quote = '\0';
    size_t n = 0;

    for (; p[n] && (quote || p[n] != '+'); n++) {
        if (quote && p[n] == quote)
            quote = '\0';
        else if (!quote && (p[n] == '"' || p[n] == '\''))
            quote = p[n];
    }
    return n;
}

/* True when the chunk that is asked for is the original one with no larger count. */
static bool chunk_covers(const char *original, size_t original_len,
                         const char *asked_for, size_t asked_for_len)
{
    int64_t had, asked;
    size_t n, m;
    const char *a = after_count(original, original_len, &had, &n);
    const char *b = after_count(asked_for, asked_for_len, &asked, &m);

    return n == m && memcmp(a, b, n) == 0 && asked >= 1 && asked <= had;
}

bool schedselect_is_subset(const char *asked_for, const char *original)
{
    if (!*asked_for)
        return false;
    for (;;) {
        size_t have = chunk_len(original), want = chunk_len(asked_for);

        if (chunk_covers(original, have, asked_for, want)) {
            if (!asked_for[want])
                return true;
            asked_for += want + 1;
        }
        if (!original[have])
            return false;
        original += have + 1;
    }
}
