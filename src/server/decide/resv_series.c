/* resv_series.c - see resv_series.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_series.h"

#include "server/model/occurrence.h"

#include "lib/attr/resv_attrs.h"
#include "lib/base/buf.h"
#include "lib/base/instant.h"

#include <stdlib.h>
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

const char *series_starts_text(const struct series_times *times, struct arena *arena)
{
    struct buf text = { 0 };
    const char *copy;

    MUST(times->n > 0);
    for (size_t i = 0; i < times->n; i++)
        buf_printf(&text, "%s%" PRId64, i ? "," : "", times->start_at[i]);
    copy = arena_strdup(arena, text.data);
    buf_fini(&text);
    return copy;
}

static int64_t duration_of(const struct resv *r)
{
    return obj_num(&r->obj, RESV_A_RESERVE_DURATION, 0);
}

bool series_times_read(const struct resv *r, struct arena *arena,
                       struct series_times *ret)
{
    const char *p = obj_str(&r->obj, RESV_A_HF_STARTS, NULL);
    int64_t *at;
    char *end;
    size_t n = 0;

    if (!p || !*p)
        return false;
    at = ARENA_ARRAY(arena, int64_t, strlen(p) / 2 + 1);
    for (;; p = end + 1) {
        at[n++] = strtoll(p, &end, 10);
        if (*end != ',')
            break;
    }
    MUST(n <= RECUR_MAX);
    *ret =
        (struct series_times){ .n = n, .start_at = at, .duration_s = duration_of(r) };
    return true;
}

int64_t series_unconfirmed_end_at(const struct resv *r)
{
    const char *text = obj_str(&r->obj, RESV_A_HF_STARTS, NULL);
    const char *last;

    if (!text)
        return INT64_MIN;
    last = strrchr(text, ',');
    return instant_after(strtoll(last ? last + 1 : text, NULL, 10), duration_of(r));
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
