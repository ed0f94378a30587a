/* preempt.c - see preempt.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/preempt.h"

#include <stdlib.h>
#include <string.h>

#define BLANKS " \t"

static struct preempt_methods methods_of(const char *word, size_t len)
{
    struct preempt_methods ret = { 0 };

    for (size_t i = 0; i < len && ret.n < PREEMPT_METHODS_MAX; i++)
        if (strchr("SCRD", word[i]) && !memchr(ret.v, word[i], ret.n))
            ret.v[ret.n++] = word[i];
    return ret;
}

/* Of "SCR 80 SC 50 S" the first set is for jobs with more than 80 percent left, the
 * second for those with more than 50, the last one for the others. */
struct preempt_methods preempt_methods_for(const char *order, int percent_left)
{
    for (;;) {
        const char *word = order + strspn(order, BLANKS);
        size_t len = strcspn(word, BLANKS);
        const char *number = word + len + strspn(word + len, BLANKS);
        char *end;
        long down_to = strtol(number, &end, 10);

        if (end == number || percent_left < 0 || percent_left > down_to)
            return methods_of(word, len);
        order = end;
    }
}

int preempt_percent_left(int64_t wanted_s, int64_t used_s)
{
    if (wanted_s <= 0)
        return -1;
    used_s = MIN_OF(MAX_OF(used_s, 0), wanted_s);
    return (int)((double)(wanted_s - used_s) * 100 / (double)wanted_s);
}

uint32_t preempt_condition_find(const char *name, size_t len)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } rows[] = {
        { "express_queue", PREEMPT_EXPRESS },
        { "normal_jobs", PREEMPT_NORMAL },
        { "fairshare", PREEMPT_FAIRSHARE },
        { "queue_softlimits", PREEMPT_QUEUE_SOFT },
        { "server_softlimits", PREEMPT_SERVER_SOFT },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strlen(rows[i].name) == len && strncmp(rows[i].name, name, len) == 0)
            return rows[i].bit;
    return 0;
}

struct preempt_levels preempt_levels_read(const char *prio)
{
    struct preempt_levels ret = { 0 };

    while (*prio && ret.n < PREEMPT_LEVELS_MAX) {
        uint32_t bits = 0;

        for (; *prio && *prio != ','; prio += strspn(prio, "+" BLANKS)) {
            size_t len = strcspn(prio, ",+" BLANKS);

            bits |= preempt_condition_find(prio, len);
            prio += len;
        }
        if (bits)
            ret.v[ret.n++] = bits;
        prio += *prio == ',';
    }
    return ret;
}
