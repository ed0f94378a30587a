/* node_state.c - vnode states as bits and as words, in the order of printing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/node_state.h"

#include "lib/base/diag.h"

#include <string.h>
#include <strings.h>

/* Bits and words of PBS. A state prints as the words of its bits in this order,
 * whatever order they were given in. */
static const struct {
    int64_t bit;
    const char *name;
} states[] = {
    { NODE_STATE_UNKNOWN, "state-unknown" },
    { NODE_DOWN, "down" },
    { NODE_STALE, "Stale" },
    { NODE_OFFLINE, "offline" },
    { NODE_JOB_BUSY, "job-busy" },
    { NODE_JOB_EXCLUSIVE, "job-exclusive" },
    { NODE_BUSY, "busy" },
    { NODE_PROVISIONING, "provisioning" },
    { NODE_WAIT_PROVISIONING, "wait-provisioning" },
    { NODE_RESV_EXCLUSIVE, "resv-exclusive" },
    { NODE_UNRESOLVABLE, "unresolvable" },
    { NODE_OFFLINE_BY_MOM, "offline_by_mom" },
    { NODE_MAINTENANCE, "maintenance" },
    { NODE_SLEEP, "sleep" },
};

void node_state_print(int64_t state, struct buf *out)
{
    const char *sep = "";

    /* Both kinds of offline print as one word, in the place of the administrator's when
     * that is set too. */
    for (size_t i = 0; i < ARRAY_LEN(states); i++) {
        const char *name = states[i].name;

        if (!(state & states[i].bit))
            continue;
        if (states[i].bit == NODE_OFFLINE_BY_MOM) {
            if (state & NODE_OFFLINE)
                continue;
            name = "offline";
        }
        buf_printf(out, "%s%s", sep, name);
        sep = ",";
    }
    if (!*sep)
        buf_add_str(out, "free");
}

static bool find_state(const char *word, size_t len, int64_t *ret)
{
    /* "free" is no bit but the lack of all of them, so it has no row. */
    if (len == 4 && strncasecmp(word, "free", 4) == 0) {
        *ret = NODE_FREE;
        return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(states); i++) {
        if (strlen(states[i].name) != len ||
            strncasecmp(word, states[i].name, len) != 0)
            continue;
        *ret = states[i].bit;
        return true;
    }
    return false;
}

int node_state_parse(const char *text, int64_t *ret)
{
    int64_t bits = 0;
    bool freed = false;

    for (;;) {
        int64_t bit;
        size_t len;

        text += strspn(text, " \t");
        len = strcspn(text, ", \t");
        if (!find_state(text, len, &bit))
            return PBSE_BADNDATVAL;
        freed = freed || bit == NODE_FREE;
        bits |= bit;
        text += len;
        text += strspn(text, " \t");
        if (!*text)
            break;
        /* Blanks may stand on both sides of a comma, and nowhere else. */
        if (*text++ != ',')
            return PBSE_BADNDATVAL;
    }
    /* A vnode cannot be free and something else at once; "free,free" is fine. */
    if (freed && bits)
        return PBSE_MUTUALEX;
    /* *ret is written at the end only: a refused text changes nothing. */
    *ret = bits;
    return 0;
}
