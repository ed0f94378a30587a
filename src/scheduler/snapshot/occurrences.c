/* occurrences.c - the occurrences of a series as its server tells them
 * (doc/design/041-standing.md), and their vnodes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/snapshot/snapshot.h"

#include <string.h>

/* Read digits up to AMOUNT_MAX: sums of two stay in their range. */
static bool read_number(const char **p, int64_t *ret)
{
    int64_t n = 0;

    if (**p < '0' || **p > '9')
        return false;
    for (; **p >= '0' && **p <= '9'; ++*p) {
        if (n > AMOUNT_MAX / 10)
            return false;
        n = n * 10 + (**p - '0');
    }
    *ret = n;
    return true;
}

/* "1795249795+3600!-", or "-" for one that was deleted. */
static bool read_one(const char **p, struct snap_occurrence *ret)
{
    int64_t length_s;

    if (**p == '-') {
        *ret = (struct snap_occurrence){ .bare = true };
        ++*p;
        return **p == '\0' || **p == ',';
    }

    if (!read_number(p, &ret->start_at) || **p != '+')
        return false;
    ++*p;
    if (!read_number(p, &length_s) || length_s == 0)
        return false;
    ret->end_at = ret->start_at + length_s;
    ret->degraded = **p == '!';
    *p += ret->degraded;
    ret->bare = **p == '-';
    *p += ret->bare;
    return **p == '\0' || **p == ',';
}

static size_t count_entries(const char *text)
{
    size_t n = 1;

    for (; *text; text++)
        n += *text == ',';
    return n;
}

void snap_read_occurrences(struct snapshot *s, void *place, const struct wire_attr *a)
{
    struct snap_occurrences *list = place;
    const char *p = a->value;
    size_t n = count_entries(p);

    *list = (struct snap_occurrences){ 0 };
    /* No series has so many; the memory for a list is not the sender's to choose. */
    if (n > SNAP_OCCURRENCES_MAX)
        return;
    list->v = ARENA_ARRAY(snap_arena(s), struct snap_occurrence, n);
    for (;;) {
        /* A list that is right only at its beginning would be planned as a shorter
         * series, so all of it is dropped. */
        if (!read_one(&p, &list->v[list->n])) {
            list->n = 0;
            return;
        }
        list->n++;
        if (*p++ == '\0')
            break;
    }
    MUST(list->n == n);
}

/* "3:1795249795+3600" */
void snap_read_alteration(struct snapshot *s UNUSED, void *place,
                          const struct wire_attr *a)
{
    struct snap_alteration *later = place;
    struct snap_occurrence window;
    const char *p = a->value;
    int64_t index;

    *later = (struct snap_alteration){ 0 };
    if (!read_number(&p, &index) || index == 0 || *p++ != ':' || *p == '-' ||
        !read_one(&p, &window) || *p != '\0')
        return;
    *later = (struct snap_alteration){ .index = index,
                                       .start_at = window.start_at,
                                       .end_at = window.end_at };
}

/* "3=9:1:ncpus=2" */
void snap_give_requests(struct snapshot *s, struct snap_resv *r, const char *text,
                        const char *place)
{
    const char *p = text;

    while (p && *p) {
        int64_t index, len;
        const char *select;

        if (!read_number(&p, &index) || *p++ != '=' || !read_number(&p, &len) ||
            *p++ != ':' || (size_t)len > strlen(p))
            return;
        select = arena_strndup(snap_arena(s), p, (size_t)len);
        p += len;
        index -= MAX_OF(r->index, 1);
        if (index >= 0 && (size_t)index < r->occurrences.n)
            r->occurrences.v[index].request = snap_request(s, select, place, &r->asked);
    }
}

void snap_read_execvnodes(struct snapshot *s, void *place, const struct wire_attr *a)
{
    struct execvnodes *map = place;

    /* What cannot be read is dropped whole, since positions in it count. */
    if (execvnodes_parse(a->value, SNAP_OCCURRENCES_MAX, snap_arena(s), map, NULL) != 0)
        *map = (struct execvnodes){ 0 };
}

static struct snap_zone *find_zone(const struct snapshot *s, const char *name)
{
    for (size_t i = 0; i < s->zones.n; i++)
        if (strcmp(s->zones.v[i].name, name) == 0)
            return &s->zones.v[i];
    return NULL;
}

void snap_want_zone(struct snapshot *s, const char *name)
{
    /* Many series are in one zone, whose file is read once. */
    if (find_zone(s, name))
        return;
    ARENA_ROOM(s->arena, &s->zones, v, 4);
    s->zones.v[s->zones.n++] =
        (struct snap_zone){ .name = arena_strdup(s->arena, name) };
}

const struct zone *snap_zone(const struct snapshot *s, const char *name)
{
    const struct snap_zone *z = find_zone(s, name);

    return z ? z->zone : NULL;
}

size_t snapshot_zone_count(const struct snapshot *s)
{
    return s->zones.n;
}

const char *snapshot_zone_name(const struct snapshot *s, size_t i)
{
    MUST(i < s->zones.n);
    return s->zones.v[i].name;
}

void snapshot_give_zone(struct snapshot *s, size_t i, const void *data, size_t len)
{
    MUST(i < s->zones.n);
    /* NULL when the file is none of a zone; the series in it are answered with a
     * refusal then. */
    s->zones.v[i].zone = zone_parse(s->zones.v[i].name, data, len, s->arena);
}
