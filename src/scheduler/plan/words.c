/* words.c - what a failure is called in comments and logs (scheduling.md 12).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/plan.h"

#include <string.h>

static const struct {
    enum plan_error error;
    const char *comment;
    const char *log; /* NULL: the same */
} words[] = {
    { PLAN_QUEUE_STOPPED, "Queue not started.", "Queue not started" },
    { PLAN_NO_VNODES, "No available resources on nodes", NULL },
    { PLAN_SHORT, "Insufficient amount of resource: ", NULL },
    { PLAN_CONFLICT, "Job would conflict with reservation or top job", NULL },
    { PLAN_NOT_FOR_RESV, "Node not eligible for advance reservation", NULL },
    { PLAN_FEW_FREE_VNODES, "Not enough free nodes available", NULL },
    { PLAN_FEW_VNODES, "Not enough total nodes available", NULL },
    { PLAN_RESV_INVALID, "Reservation is in an invalid state", NULL },
};

static const char *in_use_text(enum asker asker)
{
    return asker == ASKER_RESV
               ? "Reservation is requesting an exclusive node and node is in use"
               : "Job is requesting an exclusive node and node is in use";
}

const char *plan_error_text(struct arena *arena, enum plan_error error,
                            enum asker asker, bool for_log, const char *resource,
                            const char *numbers)
{
    const char *text = "";

    if (error == PLAN_IN_USE)
        return in_use_text(asker);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (words[i].error == error)
            text = for_log && words[i].log ? words[i].log : words[i].comment;
    if (error != PLAN_SHORT)
        return text;
    return arena_printf(arena, "%s%s %s", text, resource ? resource : "",
                        numbers ? numbers : "");
}
