/* resv_series.c - see resv_series.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_series.h"

#include "server/model/occurrence.h"

#include <string.h>

int resv_series_expand(const char *rule, const struct zone *zone, int64_t start_at,
                       int64_t duration_s, struct arena *arena,
                       struct series_times *ret, struct diag *why)
{
    struct recur *r;
    int64_t *at;
    size_t n;
    int err;

    if (!zone)
        return diag_code(why, PBSE_BAD_ICAL_TZ);
    err = recur_parse(rule, arena, &r, why);
    if (!err)
        err = recur_check(r, zone, start_at, duration_s, &n, why);
    if (err)
        return err;
    at = ARENA_ARRAY(arena, int64_t, n);
    /* The same walk as that of the check, so that it comes as far. */
    n = recur_list(r, zone, start_at, start_at + RECUR_HORIZON_S, n, at);
    MUST(n > 0 && n <= RECUR_MAX);
    *ret = (struct series_times){ .n = n, .start_at = at, .duration_s = duration_s };
    return 0;
}

/* "S5[3].svr" */
static const char *later_id(const struct resv *r, size_t index, struct arena *arena)
{
    size_t len = strcspn(r->obj.id, ".");

    return arena_printf(arena, "%.*s[%zu]%s", (int)len, r->obj.id, index,
                        r->obj.id + len);
}

void resv_series_make_later(const struct resv *r, const struct series_times *times,
                            const char *const *vnodes, const char *actor,
                            int64_t now_at, struct decision *out)
{
    MUST(times->n <= RECUR_MAX && r->n_later == 0);
    for (size_t i = 1; i < times->n; i++) {
        struct record *rec =
            record_add(&out->records, out->arena, FACT_CREATED, OBJ_OCCURRENCE,
                       later_id(r, i + 1, out->arena), actor, now_at);

        record_change_num(rec, out->arena, OCCURRENCE_A_INDEX, (int64_t)i + 1);
        record_change_num(rec, out->arena, OCCURRENCE_A_START, times->start_at[i]);
        record_change_num(rec, out->arena, OCCURRENCE_A_END,
                          times->start_at[i] + times->duration_s);
        record_change_num(rec, out->arena, OCCURRENCE_A_STATE,
                          resv_phase_state(PHASE_CONFIRMED));
        record_change_num(rec, out->arena, OCCURRENCE_A_SUBSTATE,
                          resv_phase_substate(PHASE_CONFIRMED));
        record_change(rec, out->arena, OCCURRENCE_A_RESV_NODES, NULL, vnodes[i]);
    }
}
