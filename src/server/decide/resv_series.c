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
    struct window *v;
    int64_t *at;
    size_t n;
    int err;

    if (!zone)
        return diag_code(why, PBSE_BAD_ICAL_TZ);
    err = recur_parse(rule, arena, &r, why);
    if (err)
        return err;
    at = ARENA_ARRAY(arena, int64_t, RECUR_MAX);
    err = recur_expand(r, zone, start_at, duration_s, at, &n, why);
    if (err)
        return err;
    MUST(n > 0 && n <= RECUR_MAX);
    v = ARENA_ARRAY(arena, struct window, n);
    for (size_t i = 0; i < n; i++)
        v[i] = (struct window){ at[i], at[i] + duration_s };
    *ret = (struct series_times){ .n = n, .v = v };
    return 0;
}

static int64_t length_of(struct window w)
{
    return w.end_at - w.start_at;
}

const char *series_starts_text(const struct series_times *times, struct arena *arena)
{
    struct buf text = { 0 };
    const char *copy;

    MUST(times->n > 0);
    for (size_t i = 0; i < times->n; i++) {
        buf_printf(&text, "%s%" PRId64, i ? "," : "", times->v[i].start_at);
        if (length_of(times->v[i]) != length_of(times->v[0]))
            buf_printf(&text, "+%" PRId64, length_of(times->v[i]));
    }
    copy = arena_strdup(arena, text.data);
    buf_fini(&text);
    return copy;
}

static int64_t duration_of(const struct resv *r)
{
    return obj_num(&r->obj, RESV_A_RESERVE_DURATION, 0);
}

static const char *starts_of(const struct resv *r)
{
    return obj_str(&r->obj, RESV_A_HF_STARTS, NULL);
}

bool series_is_new(const struct resv *r)
{
    return starts_of(r) != NULL;
}

/* One entry of the text; *ret_end is behind it. */
static struct window read_entry(const struct resv *r, const char *p, char **ret_end)
{
    int64_t start_at = strtoll(p, ret_end, 10);
    int64_t length_s = duration_of(r);

    if (**ret_end == '+')
        length_s = strtoll(*ret_end + 1, ret_end, 10);
    return (struct window){ start_at, instant_after(start_at, length_s) };
}

bool series_times_read(const struct resv *r, struct arena *arena,
                       struct series_times *ret)
{
    const char *p = starts_of(r);
    struct window *v;
    char *end;
    size_t n = 0;

    if (!p || !*p)
        return false;
    v = ARENA_ARRAY(arena, struct window, strlen(p) / 2 + 1);
    for (;; p = end + 1) {
        v[n++] = read_entry(r, p, &end);
        if (*end != ',')
            break;
    }
    MUST(n <= RECUR_MAX);
    *ret = (struct series_times){ .n = n, .v = v };
    return true;
}

int64_t series_second_start_at(const struct resv *r)
{
    const char *text = starts_of(r);
    const char *second = text ? strchr(text, ',') : NULL;

    return second ? strtoll(second + 1, NULL, 10) : INT64_MAX;
}

int64_t series_unconfirmed_end_at(const struct resv *r)
{
    const char *text = starts_of(r);
    const char *last;
    char *end;

    if (!text)
        return INT64_MIN;
    last = strrchr(text, ',');
    return read_entry(r, last ? last + 1 : text, &end).end_at;
}

static void set_num(struct resv *view, size_t row, int64_t num, struct arena *arena)
{
    obj_attrs_view_put(&view->obj.attrs, row,
                       (struct attr_value){ .set = true, .u.num = num }, arena);
}

const struct resv *series_first_as_resv(const struct resv *r, struct arena *arena)
{
    const char *text = starts_of(r);
    struct resv *view;
    struct window first;
    char *end;

    if (!text)
        return r;
    first = read_entry(r, text, &end);
    view = arena_copy(arena, r, sizeof(*view));
    view->obj.attrs = obj_attrs_view(&r->obj.attrs, RESV_A_COUNT, arena);
    set_num(view, RESV_A_RESERVE_START, first.start_at, arena);
    set_num(view, RESV_A_RESERVE_END, first.end_at, arena);
    view->obj.reads = NULL; /* nobody checks what is read of a copy */
    return view;
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
        record_change_num(rec, out->arena, OCCURRENCE_A_START, times->v[i].start_at);
        record_change_num(rec, out->arena, OCCURRENCE_A_END, times->v[i].end_at);
        record_change_num(rec, out->arena, OCCURRENCE_A_STATE,
                          resv_phase_state(PHASE_CONFIRMED));
        record_change_num(rec, out->arena, OCCURRENCE_A_SUBSTATE,
                          resv_phase_substate(PHASE_CONFIRMED));
        record_change(rec, out->arena, OCCURRENCE_A_RESV_NODES, NULL, vnodes[i]);
    }
}
