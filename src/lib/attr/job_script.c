/* job_script.c - see job_script.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_script.h"

#include <string.h>

const char *script_to_text(const char *data, size_t len, struct arena *arena)
{
    size_t extra = 0;
    char *text, *to;

    /* A value of an attribute ends at its first NUL, so a NUL is written as "\0" and a
     * backslash is doubled. The first walk finds how much room that takes. */
    for (size_t i = 0; i < len; i++)
        extra += data[i] == '\0' || data[i] == '\\';
    text = to = arena_alloc(arena, len + extra + 1);
    for (size_t i = 0; i < len; i++) {
        if (data[i] == '\0' || data[i] == '\\')
            *to++ = '\\';
        *to++ = data[i] ? data[i] : '0';
    }
    *to = '\0';
    return text;
}

const char *script_from_text(const char *text, struct arena *arena, size_t *ret_len)
{
    char *data = arena_alloc(arena, strlen(text) + 1);
    char *to = data;

    for (const char *p = text; *p; p++) {
        /* A backslash at the very end can only come from a damaged store, and stands
         * for itself. */
        if (*p == '\\' && p[1]) {
            p++;
            *to++ = *p == '0' ? '\0' : *p;
        } else {
            *to++ = *p;
        }
    }
    *ret_len = (size_t)(to - data);
    return data;
}
