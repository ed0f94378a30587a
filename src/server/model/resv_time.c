/* resv_time.c - windows and retry times of reservations.
 *
 * Each legal combination of start, end, walltime and duration is a row; what is not in
 * the table is refused. Values come from users, so every sum is checked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/resv_time.h"

#include "lib/base/instant.h"

enum derivation {
    DERIVE_END,    /* start + length */
    DERIVE_START,  /* end - length */
    DERIVE_LENGTH, /* end - start */
};

enum length_from {
    FROM_NOTHING,
    FROM_WALLTIME,
    FROM_DURATION
};

static const struct window_rule {
    uint32_t given;
    enum derivation derive;
    enum length_from length;
} rules[] = {
    { GIVEN_START | GIVEN_END, DERIVE_LENGTH, FROM_NOTHING },
    { GIVEN_START | GIVEN_WALLTIME, DERIVE_END, FROM_WALLTIME },
    { GIVEN_END | GIVEN_WALLTIME, DERIVE_START, FROM_WALLTIME },
    { GIVEN_START | GIVEN_END | GIVEN_WALLTIME, DERIVE_LENGTH, FROM_WALLTIME },
    { GIVEN_START | GIVEN_DURATION, DERIVE_END, FROM_DURATION },
    { GIVEN_END | GIVEN_DURATION, DERIVE_START, FROM_DURATION },
    { GIVEN_START | GIVEN_END | GIVEN_DURATION, DERIVE_LENGTH, FROM_DURATION },
    { GIVEN_START | GIVEN_DURATION | GIVEN_WALLTIME, DERIVE_END, FROM_DURATION },
};

/* What was not given is there already. */
static const struct window_rule alter_rules[] = {
    { GIVEN_START, DERIVE_LENGTH, FROM_NOTHING },
    { GIVEN_END, DERIVE_LENGTH, FROM_NOTHING },
    { GIVEN_DURATION, DERIVE_END, FROM_DURATION },
    { GIVEN_START | GIVEN_END, DERIVE_LENGTH, FROM_NOTHING },
    { GIVEN_START | GIVEN_DURATION, DERIVE_END, FROM_DURATION },
    { GIVEN_END | GIVEN_DURATION, DERIVE_START, FROM_DURATION },
    { GIVEN_START | GIVEN_END | GIVEN_DURATION, DERIVE_LENGTH, FROM_DURATION },
};

static const struct window_rule *rule_find(const struct window_rule *list, size_t n,
                                           uint32_t given)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].given == given)
            return &list[i];
    return NULL;
}

static bool derive(const struct window_rule *rule, struct resv_times *t)
{
    int64_t length_s = rule->length == FROM_WALLTIME ? t->walltime_s : t->duration_s;

    switch (rule->derive) {
    case DERIVE_END:
        if (__builtin_add_overflow(t->start_at, length_s, &t->end_at))
            return false;
        break;
    case DERIVE_START:
        if (__builtin_sub_overflow(t->end_at, length_s, &t->start_at))
            return false;
        break;
    case DERIVE_LENGTH:
        if (__builtin_sub_overflow(t->end_at, t->start_at, &length_s))
            return false;
        break;
    }
    /* A length that was given must be the length that follows; otherwise the user means
     * something else. */
    if ((t->given & GIVEN_WALLTIME && t->walltime_s != length_s) ||
        (t->given & GIVEN_DURATION && t->duration_s != length_s))
        return false;
    t->walltime_s = t->duration_s = length_s;
    return length_s > 0;
}

int resv_times_derive(struct resv_times *t, int64_t now_at, bool may_be_past,
                      struct diag *why)
{
    const struct window_rule *rule = rule_find(rules, ARRAY_LEN(rules), t->given);
    /* The values are worked on as a copy, so a refusal leaves the caller's as they
     * were. */
    struct resv_times got = *t;

    if (!rule || !derive(rule, &got) || (got.start_at < now_at && !may_be_past))
        return diag_code(why, PBSE_BADTSPEC);
    *t = got;
    return 0;
}

int resv_times_alter(struct resv_times *t, int64_t now_at, struct diag *why)
{
    const struct window_rule *rule =
        rule_find(alter_rules, ARRAY_LEN(alter_rules), t->given);
    struct resv_times got = *t;

    if (!rule || !derive(rule, &got))
        return diag_code(why, PBSE_BADTSPEC);
    /* Only a start that changes must lie ahead: a running reservation has begun in the
     * past. */
    if ((t->given & GIVEN_START || rule->derive == DERIVE_START) &&
        got.start_at < now_at)
        return diag_code(why, PBSE_BADTSPEC);
    *t = got;
    return 0;
}

int64_t resv_next_retry(int64_t now_at, int64_t start_at, int64_t interval_s)
{
    int64_t next_at = instant_after(now_at, interval_s);
    int64_t early_at = start_at - MIN_OF(interval_s, RESV_RETRY_EARLY_S);

    /* One attempt is always made shortly before the start, when it still helps, and one
     * at the start. */
    if (now_at < early_at)
        return MIN_OF(next_at, early_at);
    if (now_at < start_at)
        return MIN_OF(next_at, start_at);
    return next_at;
}

int64_t resv_retry_time_s(const struct model *m)
{
    return obj_num(m->server, SERVER_A_RESERVE_RETRY_TIME, RESV_RETRY_TIME_S);
}
