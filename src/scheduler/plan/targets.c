/* targets.c - see targets.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/targets.h"

#include <string.h>
#include <strings.h>

#define QUEUE_WORD    "queue="
#define RESOURCE_WORD "Resource_List."

bool targets_none(const char *targets)
{
    return strcasecmp(targets, "NONE") == 0;
}

static bool begins(const char *word, size_t len, const char *with)
{
    return len > strlen(with) && strncasecmp(word, with, strlen(with)) == 0;
}

static bool is_text(const char *text, const char *word, size_t len)
{
    return text && strlen(text) == len && strncmp(text, word, len) == 0;
}

/* 'word' is "R=V". */
static bool asks_for(const struct snapshot *s, const struct snap_job *j,
                     const char *word, size_t len)
{
    const char *is = memchr(word, '=', len);
    const struct res_value *v;
    char name[128], value[1024];
    size_t res, name_len = is ? (size_t)(is - word) : 0, value_len;

    if (!is || name_len >= sizeof(name) || len - name_len - 1 >= sizeof(value))
        return false;
    memcpy(name, word, name_len);
    name[name_len] = '\0';
    value_len = len - name_len - 1;
    memcpy(value, is + 1, value_len);
    value[value_len] = '\0';
    /* The walltime is no amount among the others. */
    res = snap_res_find(s, name);
    v = res == SIZE_MAX ? NULL : snap_values_find(&j->asked, res);
    if (!v)
        return false;
    return s->res.v[res].kind == RES_TEXT
               ? is_text(v->text, value, value_len)
               : v->amount == snap_amount(&s->res.v[res], value);
}

bool targets_have(const struct snapshot *s, const char *targets,
                  const struct snap_job *j)
{
    while (*targets) {
        const char *word = targets + strspn(targets, ", \t");
        size_t len = strcspn(word, ",");

        if (begins(word, len, QUEUE_WORD) &&
            is_text(j->queue, word + strlen(QUEUE_WORD), len - strlen(QUEUE_WORD)))
            return true;
        if (begins(word, len, RESOURCE_WORD) &&
            asks_for(s, j, word + strlen(RESOURCE_WORD), len - strlen(RESOURCE_WORD)))
            return true;
        targets = word + len;
    }
    return false;
}
