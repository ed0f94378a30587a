/* ids.c - identifiers and names (attributes.md 10).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"

#include <ctype.h>
#include <string.h>

#define MAX_NUMBER UINT64_C(999999999999) /* the largest max_job_sequence_id */

static bool read_number(const char **p, uint64_t *ret)
{
    uint64_t number = 0;

    if (!isdigit((unsigned char)**p))
        return false;
    for (; isdigit((unsigned char)**p); ++*p) {
        number = number * 10 + (uint64_t)(**p - '0');
        /* The bound is checked at each digit, long before the number could overflow. */
        if (number > MAX_NUMBER)
            return false;
    }
    *ret = number;
    return true;
}

/* "", or indices as they are written: 3, 1-5, 1-9:2, 1,3-5. */
static bool index_is_valid(const char *text, size_t len)
{
    return strspn(text, "0123456789-,:") >= len &&
           (len == 0 ||
            (isdigit((unsigned char)*text) && isdigit((unsigned char)text[len - 1])));
}

/* The rest of the text is ".server", or empty. */
static bool read_server(const char *p, struct arena *arena, const char **ret)
{
    *ret = NULL;
    if (!*p)
        return true;
    if (*p != '.' || !p[1] || strlen(p + 1) > NAME_MAX_HOST || strchr(p, ' '))
        return false;
    *ret = arena_strdup(arena, p + 1);
    return true;
}

bool job_id_parse(const char *text, struct arena *arena, struct job_id *ret)
{
    struct job_id id = { 0 };

    if (strlen(text) > ID_MAX_JOB || !read_number(&text, &id.number))
        return false;
    if (*text == '[') {
        const char *end = strchr(text, ']');

        if (!end || !index_is_valid(text + 1, (size_t)(end - text - 1)))
            return false;
        id.array = true;
        id.index = arena_strndup(arena, text + 1, (size_t)(end - text - 1));
        text = end + 1;
    }
    /* *ret changes only when the text is an id to its last byte. */
    if (!read_server(text, arena, &id.server))
        return false;
    *ret = id;
    return true;
}

const char *job_id_make(uint64_t number, const char *server, struct arena *arena)
{
    return arena_printf(arena, "%" PRIu64 ".%s", number, server);
}

const char *array_id_make(uint64_t number, const char *server, struct arena *arena)
{
    return arena_printf(arena, "%" PRIu64 "[].%s", number, server);
}

const char *subjob_id_make(const char *array_id, int64_t index, struct arena *arena)
{
    size_t len = strcspn(array_id, "[");

    MUST(array_id[len] == '[' && array_id[len + 1] == ']');
    return arena_printf(arena, "%.*s[%" PRId64 "]%s", (int)len, array_id, index,
                        array_id + len + 2);
}

const char *resv_id_make(char letter, uint64_t number, const char *server,
                         struct arena *arena)
{
    /* R is an advance reservation, S a standing one, M one for maintenance. */
    MUST(letter == 'R' || letter == 'S' || letter == 'M');
    return arena_printf(arena, "%c%" PRIu64 ".%s", letter, number, server);
}

bool resv_id_key(const char *text, struct arena *arena, const char **ret)
{
    size_t len;

    if (!*text || strlen(text) > ID_MAX_RESV)
        return false;
    /* The letter is passed over unseen: numbers are given to reservations of all kinds
     * from one sequence, so a number alone names one. */
    len = strcspn(text + 1, ".");
    if (len == 0)
        return false;
    *ret = arena_strndup(arena, text + 1, len);
    return true;
}

static bool has_only(const char *name, const char *marks)
{
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr(marks, *name))
            return false;
    return true;
}

bool job_name_is_valid(const char *name)
{
    return *name && strlen(name) <= NAME_MAX_JOB && has_only(name, "-_+.");
}

bool queue_name_is_valid(const char *name)
{
    return isalnum((unsigned char)*name) && strlen(name) <= NAME_MAX_QUEUE &&
           has_only(name, "_-");
}

bool host_name_is_valid(const char *name)
{
    return has_only(name, "-_.");
}

bool node_name_is_valid(const char *name)
{
    return *name && has_only(name, "-_.[]#^/\\@");
}
