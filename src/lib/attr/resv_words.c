/* resv_words.c - see resv_words.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resv_words.h"

#include "lib/attr/resv_number.h"

static const struct {
    const char *brief;
    const char *full;
} names[RESV_STATE_COUNT] = {
    [RESV_NONE] = { "NO", "RESV_NONE" },
    [RESV_UNCONFIRMED] = { "UN", "RESV_UNCONFIRMED" },
    [RESV_CONFIRMED] = { "CO", "RESV_CONFIRMED" },
    [RESV_WAIT] = { "WT", "RESV_WAIT" },
    [RESV_TIME_TO_RUN] = { "TR", "RESV_TIME_TO_RUN" },
    [RESV_RUNNING] = { "RN", "RESV_RUNNING" },
    [RESV_FINISHED] = { "FN", "RESV_FINISHED" },
    [RESV_BEING_DELETED] = { "BD", "RESV_BEING_DELETED" },
    [RESV_DELETED] = { "DE", "RESV_DELETED" },
    [RESV_DELETING_JOBS] = { "DJ", "RESV_DELETING_JOBS" },
    [RESV_DEGRADED] = { "DG", "RESV_DEGRADED" },
    [RESV_BEING_ALTERED] = { "AL", "RESV_BEING_ALTERED" },
    [RESV_IN_CONFLICT] = { "IC", "RESV_IN_CONFLICT" },
};

const char *resv_state_short(int64_t state)
{
    return state >= 0 && state < RESV_STATE_COUNT ? names[state].brief : NULL;
}

const char *resv_state_long(int64_t state)
{
    return state >= 0 && state < RESV_STATE_COUNT ? names[state].full : NULL;
}
