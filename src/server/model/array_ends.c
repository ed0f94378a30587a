/* array_ends.c - see array_ends.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/array_ends.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void array_ends_fini(struct array_ends *ends)
{
    free(ends->v);
    *ends = (struct array_ends){ 0 };
}

void array_ends_copy(struct array_ends *ret, const struct array_ends *from)
{
    *ret = *from;
    ret->cap = from->n;
    ret->v = from->n ? xcalloc(from->n, sizeof(*ret->v)) : NULL;
    for (size_t i = 0; i < from->n; i++)
        ret->v[i] = from->v[i];
}

static bool same_outcome(const struct array_end *a, const struct array_end *b)
{
    return a->exit_status == b->exit_status && a->substate == b->substate &&
           a->run_count == b->run_count;
}

/* How many ranges lie before the place as a whole. */
static size_t ranges_before(const struct array_ends *ends, size_t place)
{
    size_t from = 0, to = ends->n;

    while (from < to) {
        size_t mid = from + (to - from) / 2;

        if (ends->v[mid].last < place)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

const struct array_end *array_ends_find(const struct array_ends *ends, size_t place)
{
    size_t at = ranges_before(ends, place);

    return at < ends->n && ends->v[at].first <= place ? &ends->v[at] : NULL;
}

static void insert(struct array_ends *ends, size_t at, const struct array_end *how)
{
    if (ends->n == ends->cap) {
        ends->cap = MAX_OF(2 * ends->cap, (size_t)4);
        ends->v = xrealloc(ends->v, ends->cap * sizeof(*ends->v));
    }
    memmove(ends->v + at + 1, ends->v + at, (ends->n - at) * sizeof(*ends->v));
    ends->v[at] = *how;
    ends->n++;
}

/* The range behind 'at' becomes a part of it when it follows at once and says the same.
 */
static void join(struct array_ends *ends, size_t at)
{
    struct array_end *v = ends->v + at;

    if (at + 1 >= ends->n || v[0].last + 1 != v[1].first || !same_outcome(v, v + 1))
        return;
    v[0].last = v[1].last;
    memmove(v + 1, v + 2, (ends->n - at - 2) * sizeof(*v));
    ends->n--;
}

void array_ends_add(struct array_ends *ends, const struct array_end *how)
{
    size_t at = ranges_before(ends, how->first);

    MUST(how->first <= how->last);
    MUST(at == ends->n || ends->v[at].first > how->last); /* a subjob ends once */
    insert(ends, at, how);
    ends->n_places += how->last - how->first + 1;
    join(ends, at);
    if (at > 0)
        join(ends, at - 1);
}

/* Behind all others. */
static void append(struct array_ends *ends, const struct array_end *how)
{
    struct array_end *last = ends->n > 0 ? &ends->v[ends->n - 1] : NULL;

    MUST(!last || last->last < how->first);
    ends->n_places += how->last - how->first + 1;
    if (last && last->last + 1 == how->first && same_outcome(last, how))
        last->last = how->last;
    else
        insert(ends, ends->n, how);
}

void array_ends_add_all(struct array_ends *ends, const struct index_set *places,
                        const struct array_end *how)
{
    size_t at = index_set_next(places, 0), i = 0;
    struct array_ends all = { 0 };

    while (i < ends->n || at != INDEX_NO_PLACE) {
        const struct array_end *is = i < ends->n ? &ends->v[i] : NULL;
        struct array_end e = *how;

        if (is && (at == INDEX_NO_PLACE || is->first <= at)) {
            append(&all, is);
            if (at != INDEX_NO_PLACE && at <= is->last)
                at = index_set_next(places, is->last + 1);
            i++;
            continue;
        }
        e.first = (uint32_t)at;
        at = index_set_run_end(places, at);
        at = is ? MIN_OF(at, (size_t)is->first) : at;
        e.last = (uint32_t)at - 1;
        append(&all, &e);
        at = index_set_next(places, at);
    }
    array_ends_fini(ends);
    *ends = all;
}

static bool read_number(const char **at, long least, long most, long *ret)
{
    char *end;

    if (!isdigit((unsigned char)**at) && **at != '-')
        return false;
    *ret = strtol(*at, &end, 10);
    *at = end;
    return *ret >= least && *ret <= most;
}

/* ":substate:status:runs"; a subjob that never ran has no status. */
static bool read_outcome(const char **at, struct array_end *ret)
{
    long substate, status = ARRAY_END_NO_STATUS, runs;

    if (*(*at)++ != ':' || !read_number(at, 0, UINT16_MAX, &substate) ||
        *(*at)++ != ':')
        return false;
    if (**at != ':' && !read_number(at, INT32_MIN + 1L, INT32_MAX, &status))
        return false;
    if (*(*at)++ != ':' || !read_number(at, 0, UINT16_MAX, &runs))
        return false;
    ret->substate = (uint16_t)substate;
    ret->exit_status = (int32_t)status;
    ret->run_count = (uint16_t)runs;
    return true;
}

/* One entry, whose places are behind all that were read before. */
static bool read_end(struct array_ends *ends, const struct index_range *range,
                     const char **at)
{
    struct array_end how;
    long first, last;
    size_t from, to;

    if (!read_number(at, 0, LONG_MAX, &first))
        return false;
    last = first;
    if (**at == '-') {
        ++*at;
        if (!read_number(at, first, LONG_MAX, &last))
            return false;
    }
    from = index_range_place(range, first);
    to = index_range_place(range, last);
    if (from == INDEX_NO_PLACE || to == INDEX_NO_PLACE || !read_outcome(at, &how) ||
        (ends->n > 0 && ends->v[ends->n - 1].last >= from))
        return false;
    how.first = (uint32_t)from;
    how.last = (uint32_t)to;
    array_ends_add(ends, &how);
    return true;
}

bool array_ends_read(struct array_ends *ends, const struct index_range *range,
                     const char *text)
{
    bool good = true;

    *ends = (struct array_ends){ 0 };
    while (good && *text) {
        good = read_end(ends, range, &text) && (!*text || (*text == ',' && text[1]));
        text += good && *text == ',';
    }
    if (!good)
        array_ends_fini(ends);
    return good;
}

void array_ends_print(const struct array_ends *ends, const struct index_range *range,
                      struct buf *out)
{
    for (size_t i = 0; i < ends->n; i++) {
        const struct array_end *e = &ends->v[i];

        buf_printf(out, "%s%" PRId64, i ? "," : "", index_range_at(range, e->first));
        if (e->last > e->first)
            buf_printf(out, "-%" PRId64, index_range_at(range, e->last));
        buf_printf(out, ":%u:", e->substate);
        if (e->exit_status != ARRAY_END_NO_STATUS)
            buf_printf(out, "%" PRId32, e->exit_status);
        buf_printf(out, ":%u", e->run_count);
    }
}
