/* check_occurrence.c - see check_occurrence.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_occurrence.h"

#include "server/model/occurrence.h"
#include "server/model/resource_request.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static struct deleted *find(const struct sim *s, const char *resv_id, int64_t index)
{
    size_t len = strcspn(resv_id, ".");
    char name[256];
    struct deleted *d;

    snprintf(name, sizeof(name), "%.*s[%" PRId64 "]%s", (int)len, resv_id, index,
             resv_id + len);
    DL_FOREACH (s->deleted, d)
        if (strcmp(d->name, name) == 0)
            return d;
    return NULL;
}

void occurrence_delete_asked(struct sim *s, const char *resv_id, uint32_t index)
{
    size_t len = strcspn(resv_id, ".");
    struct deleted *d;

    if (find(s, resv_id, index))
        return;
    d = xcalloc(1, sizeof(*d));
    d->name = xasprintf("%.*s[%" PRIu32 "]%s", (int)len, resv_id, index, resv_id + len);
    DL_APPEND(s->deleted, d);
}

void occurrence_deleted(struct sim *s, const char *resv_id, uint32_t index)
{
    find(s, resv_id, index)->told = true;
}

bool occurrence_may_be_gone(const struct sim *s, const char *resv_id, int64_t index)
{
    return find(s, resv_id, index) != NULL;
}

void occurrences_fini(struct sim *s)
{
    struct deleted *d, *next;

    DL_FOREACH_SAFE (s->deleted, d, next) {
        DL_DELETE(s->deleted, d);
        free(d->name);
        free(d);
    }
}

static const struct occurrence *altered(const struct model *m, const struct record *rec)
{
    return rec->kind == OBJ_OCCURRENCE && rec->fact == FACT_RESV_ALTERED &&
                   rec->reason != REASON_PUSHED /* check_push.c looks at these */
               ? occurrence_find(m, rec->id)
               : NULL;
}

/* What clocks show there, once more: stories know one zone that changes its offset
 * (test/unit/cal/zones.h), at 2026-10-04 02:00. */
static int64_t local_s(const char *zone, int64_t at)
{
    if (strcmp(zone, "Australia/Sydney") != 0)
        return at;
    return at + (at < 1791043200 ? 36000 : 39600);
}

/* "S5[3].svr": S5.svr */
static const struct resv *series_of(const struct model *m, const char *id)
{
    const char *close = strchr(id, ']');
    char name[256];

    snprintf(name, sizeof(name), "%.*s%s", (int)strcspn(id, "["), id,
             close ? close + 1 : "");
    return model_resv(m, name);
}

/* Turns that are days apart begin at the same time of the day. */
static void check_clocks(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct resv *r = series_of(m, rec->id);
    const char *rule = r ? obj_str(&r->obj, RESV_A_RESERVE_RRULE, "") : "";
    const char *zone = r ? obj_str(&r->obj, RESV_A_RESERVE_TIMEZONE, "UTC") : "";
    int64_t start_at = 0;

    if (!strstr(rule, "FREQ=WEEKLY") && !strstr(rule, "FREQ=DAILY"))
        return;
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == OCCURRENCE_A_START)
            start_at = atoll(rec->changes[i].after);
    if ((local_s(zone, start_at) -
         local_s(zone, obj_num(&r->obj, RESV_A_RESERVE_START, 0))) %
        86400)
        check_failed(s, CHECK_LIFE, "%s begins at another time of the day than %s",
                     rec->id, r->obj.id);
}

void check_occurrence_before(struct sim *s, const struct model *m,
                             const struct record *rec)
{
    const struct occurrence *oc = altered(m, rec);
    const struct wish *w = oc ? alter_wish(s, oc->resv) : NULL;

    if (rec->kind == OBJ_OCCURRENCE && rec->fact == FACT_CREATED)
        check_clocks(s, m, rec);
    if (!oc)
        return;
    if (!w || w->later != occurrence_index(oc))
        check_failed(s, CHECK_ALTER, "%s is altered and nobody asked for it", rec->id);
    else if (!s->alters.agreed && !w->force)
        check_failed(s, CHECK_ALTER, "%s is altered and no scheduler agreed", rec->id);
    s->alters.granted = w;
}

static int64_t ncpus_of(const struct occurrence *oc)
{
    int64_t sum = 0;

    for (size_t i = 0; i < oc->bookings.n; i++)
        sum += resources_amount(&oc->bookings.v[i].amount, "ncpus", 0);
    return sum;
}

void check_occurrence_after(struct sim *s, const struct model *m,
                            const struct record *rec)
{
    const struct occurrence *oc = altered(m, rec);
    const struct wish *w = s->alters.granted;
    struct arena *arena;
    const struct resources *list;
    const char *select;

    if (!oc || !w)
        return;
    s->alters.granted = NULL;
    if (w->force && !s->alters.agreed)
        alter_forced_later(s, oc);
    arena = arena_new();
    list = occurrence_resources(oc);
    select = resources_text(list, "select", arena);
    if (occurrence_start_at(oc, 0) != w->start_at ||
        occurrence_end_at(oc, 0) != w->end_at ||
        (w->times && resources_amount(list, "walltime", 0) != w->duration_s))
        check_failed(s, CHECK_ALTER, "%s was altered, and to other times", rec->id);
    if (w->select && !str_same(select, w->select))
        check_failed(s, CHECK_ALTER, "%s was altered, and has select %s", rec->id,
                     select);
    if (!phase_is_in_conflict(occurrence_phase(oc)) &&
        ncpus_of(oc) != resources_amount(list, "ncpus", 0))
        check_failed(s, CHECK_ALTER, "%s does not hold what it asks for", rec->id);
    arena_free(arena);
}

static void check_order(struct sim *s, const struct resv *r)
{
    const struct occurrence *before = &r->current, *oc;

    DL_FOREACH (r->later, oc) {
        struct window w = occurrence_window(oc);

        if (w.start_at >= w.end_at || w.start_at < occurrence_end_at(before, 0) ||
            occurrence_index(oc) <= occurrence_index(before))
            check_failed(s, CHECK_ALTER, "occurrence %" PRId64 " of %s is out of order",
                         occurrence_index(oc), r->obj.id);
        before = oc;
    }
}

/* The current one is there until its jobs have gone. */
static void check_deleted(struct sim *s, const struct model *m, const struct deleted *d)
{
    const struct occurrence *oc = occurrence_find(m, d->name);

    if (oc && !(occurrence_is_current(oc) && !phase_is_confirmed(occurrence_phase(oc))))
        check_failed(s, CHECK_TOLD, "%s was told to be deleted and is there", d->name);
}

void check_occurrences_settled(struct sim *s, const struct model *m)
{
    struct deleted *d;

    MODEL_EACH (m, OBJ_RESV, o) {
        check_order(s, TO_RESV(o));
    }
    if (!svr_is_settling(s->shell.svr))
        DL_FOREACH (s->deleted, d)
            if (d->told)
                check_deleted(s, m, d);
}
