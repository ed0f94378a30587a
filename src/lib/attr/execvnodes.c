/* execvnodes.c - see execvnodes.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/execvnodes.h"

#include "lib/base/buf.h"

#include <stdlib.h>
#include <string.h>

/* Without memory the process ends with a message, as everywhere. */
#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <uthash.h>

/* Read digits, up to a number that is below 'below'. */
static bool read_number(const char **p, size_t below, size_t *ret)
{
    size_t n = 0;

    if (**p < '0' || **p > '9')
        return false;
    for (; **p >= '0' && **p <= '9'; ++*p) {
        n = n * 10 + (size_t)(**p - '0');
        /* Looked at for each digit, so that no text is long enough to leave the
         * range of n. */
        if (n >= below)
            return false;
    }
    *ret = n;
    return true;
}

/* "2" or "4-7": those positions have the text at index 'at'. A position has one text
 * only, so that all ranges together cost no more than there are positions. */
static bool read_range(const char **p, struct execvnodes *map, size_t at)
{
    size_t from, to;

    if (!read_number(p, map->n, &from))
        return false;
    to = from;
    if (**p == '-') {
        ++*p;
        if (!read_number(p, map->n, &to))
            return false;
    }
    for (size_t i = from; i <= to; i++) {
        if (map->which[i] != SIZE_MAX)
            return false;
        map->which[i] = at;
    }
    return from <= to;
}

/* "{0,2-4}" */
static bool read_ranges(const char **p, struct execvnodes *map, size_t at)
{
    do {
        ++*p; /* the brace, or the comma */
        if (!read_range(p, map, at))
            return false;
    } while (**p == ',');
    return *(*p)++ == '}';
}

/* How many texts there are at most: each has its brace. */
static size_t count_braces(const char *p)
{
    size_t n = 0;

    for (; *p; p++)
        n += *p == '{';
    return n;
}

static bool read_map(const char *p, size_t most, struct arena *arena,
                     struct execvnodes *map)
{
    size_t n_read = 0;

    if (!read_number(&p, most + 1, &map->n) || map->n == 0 || *p++ != '#')
        return false;
    map->which = ARENA_ARRAY(arena, size_t, map->n);
    /* Bounded by the text itself, which has come whole. */
    map->texts = ARENA_ARRAY(arena, const char *, count_braces(p) + 1);
    for (size_t i = 0; i < map->n; i++)
        map->which[i] = SIZE_MAX;
    while (*p) {
        size_t len = strcspn(p, "{");

        if (len == 0 || !p[len])
            return false;
        map->texts[map->n_texts] = arena_strndup(arena, p, len);
        p += len;
        if (!read_ranges(&p, map, map->n_texts++))
            return false;
    }
    for (size_t i = 0; i < map->n; i++)
        n_read += map->which[i] != SIZE_MAX;
    return n_read == map->n;
}

int execvnodes_parse(const char *text, size_t most, struct arena *arena,
                     struct execvnodes *ret, struct diag *why)
{
    *ret = (struct execvnodes){ 0 };
    if (!read_map(text, most, arena, ret))
        return diag_code(why, PBSE_BADATVAL);
    MUST(ret->n_texts > 0 && ret->n_texts <= ret->n);
    return 0;
}

/* One exec_vnode with the positions so far, the last run of them open. */
struct entry {
    const char *text;
    struct buf ranges; /* the runs that are closed, with commas */
    size_t from, to;   /* the open one */
    UT_hash_handle hh;
};

static void close_run(struct entry *e)
{
    const char *comma = e->ranges.len > 0 ? "," : "";

    if (e->from == e->to)
        buf_printf(&e->ranges, "%s%zu", comma, e->from);
    else
        buf_printf(&e->ranges, "%s%zu-%zu", comma, e->from, e->to);
}

static void add_position(struct entry *e, size_t at)
{
    if (at > e->to + 1) {
        close_run(e);
        e->from = at;
    }
    e->to = at;
}

static struct entry *entry_new(struct entry **all, const char *text, size_t at,
                               struct arena *arena)
{
    struct entry *e = ARENA_NEW(arena, struct entry);

    e->text = text;
    e->from = e->to = at;
    HASH_ADD_KEYPTR(hh, *all, e->text, strlen(e->text), e);
    return e;
}

/* Print from the entry that was made last back to the first. */
static const char *print_entries(struct entry *all, size_t n, struct arena *arena)
{
    struct entry *e = all ? ELMT_FROM_HH(all->hh.tbl, all->hh.tbl->tail) : NULL;
    struct buf out = { 0 };
    const char *text;

    buf_printf(&out, "%zu#", n);
    for (; e; e = e->hh.prev) {
        close_run(e);
        buf_printf(&out, "%s{%s}", e->text, e->ranges.data);
        buf_fini(&e->ranges);
    }
    text = arena_strndup(arena, out.data, out.len);
    buf_fini(&out);
    return text;
}

const char *execvnodes_print(const char *const *vnodes, size_t n, struct arena *arena)
{
    struct entry *all = NULL, *e = NULL;
    const char *text;

    MUST(n > 0);
    for (size_t i = 0; i < n; i++) {
        MUST(*vnodes[i]);
        /* Most occurrences have the text of the one before, by address: no need to
         * look for it. */
        if (!e || e->text != vnodes[i])
            HASH_FIND_STR(all, vnodes[i], e);
        if (e)
            add_position(e, i);
        else
            e = entry_new(&all, vnodes[i], i, arena);
    }
    text = print_entries(all, n, arena);
    HASH_CLEAR(hh, all);
    return text;
}
