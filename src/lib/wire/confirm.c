/* confirm.c - see confirm.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/confirm.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define YES_WORD "PBS_RESV_CONFIRM_SUCCESS"
#define NO_WORD  "PBS_RESV_CONFIRM_FAIL"

/* The value of the field 'name' that begins at 'at', NULL when it is another field. */
static const char *value_of(const char *at, const char *name)
{
    size_t len = strlen(name);

    return strncmp(at, name, len) == 0 && at[len] == '=' ? at + len + 1 : NULL;
}

/* A number that takes the whole text and is not negative; -1 for everything else,
 * which is the number of no question. */
static int64_t number(const char *text, size_t len)
{
    long long n;
    char *end;

    errno = 0;
    n = strtoll(text, &end, 10);
    return errno == 0 && end == text + len && n >= 0 ? n : -1;
}

/* Read one field of 'len' bytes at 'at'. An empty value counts as none, and of two
 * fields of one name the first counts. */
static void read_field(const char *at, size_t len, struct arena *arena,
                       struct wire_confirm *c)
{
    const char *value;

    if ((value = value_of(at, "seq")) && value < at + len && !c->has_seq) {
        c->has_seq = true;
        c->seq = number(value, (size_t)(at + len - value));
    } else if ((value = value_of(at, "partition")) && value < at + len &&
               !c->partition) {
        c->partition = arena_strndup(arena, value, (size_t)(at + len - value));
    } else if ((value = value_of(at, "away")) && value < at + len) {
        c->away = c->yes;
    }
}

bool wire_confirm_read(const char *text, struct arena *arena, struct wire_confirm *ret)
{
    struct wire_confirm c = { 0 };
    const char *at, *reason;

    if (!text)
        return false;
    c.yes = strncmp(text, YES_WORD, strlen(YES_WORD)) == 0;
    if (!c.yes && strncmp(text, NO_WORD, strlen(NO_WORD)) != 0)
        return false;
    /* The reason is the last field: it may have colons, and what looks like a field. */
    for (at = strchr(text, ':'); at; at = strchr(at, ':')) {
        if ((reason = value_of(++at, "reason"))) {
            c.reason = *reason ? arena_strdup(arena, reason) : NULL;
            break;
        }
        read_field(at, strcspn(at, ":"), arena, &c);
    }
    *ret = c;
    return true;
}

const char *wire_confirm_text(const struct wire_confirm *c, struct arena *arena)
{
    const char *seq = c->has_seq ? arena_printf(arena, ":seq=%" PRId64, c->seq) : "";
    const char *reason = !c->yes && c->reason ? c->reason : NULL;

    return arena_printf(arena, "%s%s%s%s%s%s%s", c->yes ? YES_WORD : NO_WORD, seq,
                        c->partition ? ":partition=" : "",
                        c->partition ? c->partition : "",
                        c->yes && c->away ? ":away=1" : "", reason ? ":reason=" : "",
                        reason ? reason : "");
}
