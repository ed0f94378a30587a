/* check_shown.c - what a status of reservations says, against the model and what was
 * asked for.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_proposal.h"
#include "server/model/occurrence.h"
#include "server/model/resource_request.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static const char *shown(const struct wire_object *o, const char *name,
                         const char *resource)
{
    for (size_t i = 0; i < o->attrs.n; i++)
        if (strcmp(o->attrs.v[i].name, name) == 0 &&
            (!resource || str_same(o->attrs.v[i].resource, resource)))
            return o->attrs.v[i].value;
    return NULL;
}

/* What was not asked for is not looked at. */
static void check_num(struct sim *s, const struct wire_object *o, int attr,
                      int64_t want)
{
    const char *text = shown(o, resv_rows[attr].name, NULL);

    if (text && atoll(text) != want)
        check_failed(s, CHECK_SHOWN, "%s: %s is shown as %s, not %" PRId64, o->name,
                     resv_rows[attr].name, text, want);
}

static void check_text(struct sim *s, const struct wire_object *o, const char *name,
                       const char *resource, const char *want)
{
    const char *text = shown(o, name, resource);

    if (!str_same(text ? text : "", want ? want : ""))
        check_failed(s, CHECK_SHOWN, "%s: %s%s%s is shown as '%s', not '%s'", o->name,
                     name, resource ? "." : "", resource ? resource : "",
                     text ? text : "", want ? want : "");
}

static void check_times(struct sim *s, const struct wire_object *o,
                        const struct resv *r, const struct wish *w)
{
    const struct object *own = &r->obj;
    bool wanted = w && w->times;

    check_num(s, o, RESV_A_RESERVE_START,
              wanted ? w->start_at : obj_num(own, RESV_A_RESERVE_START, 0));
    check_num(s, o, RESV_A_RESERVE_END,
              wanted ? w->end_at : obj_num(own, RESV_A_RESERVE_END, 0));
    check_num(s, o, RESV_A_RESERVE_DURATION,
              wanted ? w->duration_s : obj_num(own, RESV_A_RESERVE_DURATION, 0));
}

/* The values to which it would go back, as old partners expect them. */
static void check_revert(struct sim *s, const struct wire_object *o,
                         const struct resv *r, bool open, struct arena *arena)
{
    const struct object *own = &r->obj;
    const char *start =
        arena_printf(arena, "%" PRId64, obj_num(own, RESV_A_RESERVE_START, 0));

    check_text(s, o, "reserve_alter_revert", "start_time", open ? start : NULL);
    check_text(s, o, "schedselect_orig", NULL,
               open ? obj_str(own, RESV_A_SCHEDSELECT, "") : NULL);
}

static void check_list(struct sim *s, const struct wire_object *o, const struct resv *r,
                       enum obj_kind kind)
{
    const char *name = kind == OBJ_JOB ? "oversubscribed_jobs" : "oversubscribed_resv";
    const char *text = shown(o, name, NULL);
    struct buf want = { 0 };

    promise_conflicts(s, r, kind, &want);
    if (!str_same(text ? text : "", want.len ? want.data : ""))
        check_failed(s, CHECK_LISTED, "%s shows %s '%s' and meets '%s'", o->name, name,
                     text ? text : "", want.len ? want.data : "");
    buf_fini(&want);
}

static void check_one(struct sim *s, const struct resv *r, const struct wire_object *o,
                      bool manager, struct arena *arena)
{
    const struct resources *list = obj_resources(&r->obj, RESV_A_RESOURCE_LIST);
    const struct wish *w = alter_open(s, r);
    bool open = proposal_is_about_shown(r);

    check_num(s, o, RESV_A_RESERVE_STATE,
              open ? RESV_BEING_ALTERED : (int64_t)resv_phase_state(resv_phase(r)));
    check_num(s, o, RESV_A_RESERVE_SUBSTATE,
              (resv_phase(r) == PHASE_CONFIRMED || resv_phase(r) == PHASE_RUNNING) &&
                      resv_later_is_degraded(r)
                  ? resv_phase_substate(PHASE_DEGRADED)
                  : resv_phase_substate(resv_phase(r)));
    check_times(s, o, r, w);
    if (!w || !w->release) /* else it follows from the jobs */
        check_text(s, o, "Resource_List", "select",
                   w && w->select ? w->select : resources_text(list, "select", arena));
    if (manager)
        check_revert(s, o, r, open, arena);
    check_list(s, o, r, OBJ_JOB);
    check_list(s, o, r, OBJ_RESV);
}

void check_shown(struct sim *s, const struct model *m, bool manager,
                 const struct wire_objects *list)
{
    struct arena *arena = arena_new();

    for (size_t i = 0; i < list->n; i++) {
        const struct resv *r = model_resv(m, list->v[i].name);

        if (r)
            check_one(s, r, &list->v[i], manager, arena);
        else
            check_failed(s, CHECK_SHOWN, "%s is shown and is not there",
                         list->v[i].name);
    }
    arena_free(arena);
}
