/* resv_show.c - what a status reply shows of a reservation beyond its stored values:
 * the proposed ones of an open alteration, and who else was promised its vnodes.
 *
 * Old partners expect an alteration inside the reservation: state 11, the proposed
 * times and select, and what they were in reserve_alter_revert and schedselect_orig.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_proposal.h"
#include "server/decide/resv_series.h"
#include "server/model/occurrence.h"
#include "server/model/resource_request.h"
#include "server/model/resv_oversub.h"
#include "server/model/resv_state.h"
#include "server/requests/show.h"

#include "lib/attr/execvnodes.h"
#include "lib/base/buf.h"

#include <string.h>
#include <utlist.h>

/* A status request with this extension is told why an alteration was denied. */
#define EXTEND_WHY "why"

static void show_value(const struct request *rq, const struct object *o, int attr,
                       const struct attr_value *v, struct wire_attrs *out)
{
    if (resv_rows[attr].type == &attr_resources) {
        /* The select and its like come last, as PBS lists them. */
        struct resources shown = resources_shape_last(&v->u.res, rq->arena);

        show_resources(rq, o, attr, &shown, out);
    } else if (v->set) {
        attr_value_encode(resv_rows[attr].type, v, resv_rows[attr].name, out,
                          rq->arena);
    }
}

/* What an alteration started from, in the order of old: select, start_time, walltime.
 */
static void show_revert(const struct request *rq, int attr,
                        const struct resources *list, int64_t start_at,
                        struct wire_attrs *out)
{
    const char *name = resv_rows[attr].name;
    struct arena *arena = rq->arena;
    const char *select = resources_text(list, "select", arena);
    const char *walltime = resources_text(list, "walltime", arena);

    if (select)
        wire_attrs_add(out, arena, name, "select", select, WIRE_OP_SET);
    wire_attrs_add(out, arena, name, "start_time",
                   arena_printf(arena, "%" PRId64, start_at), WIRE_OP_SET);
    if (walltime)
        wire_attrs_add(out, arena, name, "walltime", walltime, WIRE_OP_SET);
}

/* What the series has, once somebody has asked to alter one of its occurrences. */
static void show_series_revert(const struct request *rq, const struct object *o,
                               struct wire_attrs *out)
{
    const struct resources *kept = obj_resources(o, RESV_A_HF_SERIES_RESOURCES);

    if (!obj_is_set(o, RESV_A_HF_SERIES_START))
        return;
    show_revert(rq, RESV_A_RESERVE_STANDING_REVERT,
                kept->n > 0 ? kept : obj_resources(o, RESV_A_RESOURCE_LIST),
                obj_num(o, RESV_A_HF_SERIES_START, 0), out);
}

static void show_proposed(const struct model *m, const struct request *rq,
                          const struct object *o, int attr, struct wire_attrs *out)
{
    MUST(proposal_is_open(TO_RESV(o)));

    struct edit e;
    /* A proposal that cannot be read any more, after a change of resources, shows the
     * stored value. */
    bool whole = proposal_read(m, TO_RESV(o), &e, rq->arena);

    show_value(rq, o, attr, whole ? edit_value(&e, attr) : obj_attr(o, attr), out);
    edit_fini(&e);
}

static bool show_wanted(const struct model *m, const struct request *rq,
                        const struct object *o, int attr, struct wire_attrs *out)
{
    switch (attr) {
    /* The stored state says what holds; clients of PBS expect the state of the
     * alteration. */
    case RESV_A_RESERVE_STATE:
        show_num(rq, o, attr, RESV_BEING_ALTERED, out);
        return true;
    case RESV_A_RESERVE_ALTER_REVERT:
        show_revert(rq, attr, obj_resources(o, RESV_A_RESOURCE_LIST),
                    obj_num(o, RESV_A_RESERVE_START, 0), out);
        return true;
    case RESV_A_SCHEDSELECT_ORIG:
        show_text(rq, o, attr, obj_str(o, RESV_A_SCHEDSELECT, ""), out);
        return true;
    default:
        if (proposal_shows(attr))
            show_proposed(m, rq, o, attr, out);
        return proposal_shows(attr);
    }
}

/* Three attributes show it, and whether the look lasts depends on it. */
static const struct oversub *oversub_of(const struct model *m, const struct request *rq,
                                        const struct object *o)
{
    const struct occurrence *oc = occurrence_itself(&TO_RESV(o)->current);
    struct look *look = rq->look;

    MUST(look && (!look->of || look->of == o)); /* a look is at one object */
    if (!look->of) {
        look->of = o;
        look->oversub = resv_oversub(m, oc, rq->now_at, rq->arena);
        look->n_looked_at += look->oversub.n_looked_at;
    }
    return &look->oversub;
}

static bool show_oversub(const struct model *m, const struct request *rq,
                         const struct object *o, int attr, struct wire_attrs *out)
{
    const struct oversub *found = oversub_of(m, rq, o);
    /* Nobody is told of promises that are kept: without a text the attribute is left
     * out. */
    const char *text = attr == RESV_A_OVERSUBSCRIBED_JOBS
                           ? oversub_text(found->jobs, found->n_jobs, rq->arena)
                       : attr == RESV_A_OVERSUBSCRIBED_RESV
                           ? oversub_text(found->resvs, found->n_resvs, rq->arena)
                           : oversub_met_list(found, rq->arena);

    if (text)
        show_text(rq, o, attr, text, out);
    return true;
}

static const char *times_text(const struct series_times *times, struct arena *arena)
{
    struct buf text = { 0 };
    const char *copy;

    for (size_t i = 0; i < times->n; i++)
        buf_printf(&text, "%s%" PRId64 "+%" PRId64, i ? "," : "", times->v[i].start_at,
                   times->v[i].end_at - times->v[i].start_at);
    copy = arena_strdup(arena, text.data);
    buf_fini(&text);
    return copy;
}

/* Of a new series all occurrences are asked about with the first one as it is wanted.
 */
static void show_first_proposed(const struct model *m, const struct resv *r,
                                struct arena *arena, struct series_times *times)
{
    struct edit e;

    if (!proposal_is_open(r))
        return;
    if (proposal_read(m, r, &e, arena))
        times->v[0] = (struct window){ edit_num(&e, RESV_A_RESERVE_START, 0),
                                       edit_num(&e, RESV_A_RESERVE_END, 0) };
    edit_fini(&e);
}

/* NULL: one that somebody has deleted, which keeps the others in their places. */
static void add_occurrence(const struct occurrence *oc, struct buf *text)
{
    struct window w;

    if (!oc) {
        buf_add_str(text, ",-");
        return;
    }
    w = occurrence_window(oc);
    buf_printf(text, "%s%" PRId64 "+%" PRId64 "%s%s", text->len ? "," : "", w.start_at,
               w.end_at - w.start_at,
               phase_is_replaced(occurrence_phase(oc)) ? "!" : "",
               oc->bookings.n == 0 ? "-" : "");
}

/* doc/design/041-standing.md */
static const char *occurrences_text(const struct model *m, const struct resv *r,
                                    struct arena *arena)
{
    struct series_times times;
    const struct occurrence **places;
    struct buf text = { 0 };
    const char *copy;
    size_t n;

    if (series_times_read(r, arena, &times)) {
        show_first_proposed(m, r, arena, &times);
        return times_text(&times, arena);
    }
    places = occurrence_places(r, arena, &n);
    for (size_t i = 0; i < n; i++)
        add_occurrence(places[i], &text);
    copy = arena_strdup(arena, text.data);
    buf_fini(&text);
    return copy;
}

/* The vnodes of the current and of all later ones (reservations.md 9.3). */
static const char *execvnodes_text(const struct resv *r, struct arena *arena)
{
    const char *some = NULL;
    size_t n;
    const struct occurrence **places = occurrence_places(r, arena, &n);
    const char **vnodes = ARENA_ARRAY(arena, const char *, n);

    for (size_t i = 0; i < n; i++)
        vnodes[i] = places[i] ? occurrence_vnodes(places[i]) : "";
    /* The form has no word for an occurrence whose vnodes were all taken, or that was
     * deleted: those of a neighbour stand there, and reserve_occurrences says so. */
    for (size_t i = 0; i < n && !some; i++)
        some = *vnodes[i] ? vnodes[i] : NULL;
    for (size_t i = 0; some && i < n; i++) {
        some = *vnodes[i] ? vnodes[i] : some;
        vnodes[i] = some;
    }
    return some ? execvnodes_print(vnodes, n, arena) : NULL;
}

/* Those of later occurrences that have one of their own. */
static const char *schedselects_text(const struct resv *r, struct arena *arena)
{
    struct buf text = { 0 };
    const struct occurrence *oc;
    const char *copy;

    DL_FOREACH (r->later, oc) {
        const char *own = obj_str(oc->values, OCCURRENCE_A_SCHEDSELECT, NULL);

        if (own)
            buf_printf(&text, "%" PRId64 "=%zu:%s", occurrence_index(oc), strlen(own),
                       own);
    }
    copy = text.len ? arena_strdup(arena, text.data) : NULL;
    buf_fini(&text);
    return copy;
}

/* The open question about a later occurrence; a scheduler that knows the attribute is
 * ours (doc/design/052-one-occurrence.md). */
static const char *alteration_text(const struct model *m, const struct resv *r,
                                   int attr, struct arena *arena)
{
    const char *text = NULL;
    struct edit e;
    int64_t start_at;

    if (!proposal_is_open(r) || proposal_is_about_shown(r) ||
        !occurrence_is_current(&r->current))
        return NULL;
    if (proposal_read(m, r, &e, arena)) {
        start_at = edit_num(&e, RESV_A_RESERVE_START, 0);
        if (attr == RESV_A_ALTER_SCHEDSELECT)
            text = arena_strdup(arena, edit_str(&e, RESV_A_SCHEDSELECT, ""));
        else
            text =
                arena_printf(arena, "%" PRId64 ":%" PRId64 "+%" PRId64,
                             occurrence_index(proposal_occurrence(m, r, arena)),
                             start_at, edit_num(&e, RESV_A_RESERVE_END, 0) - start_at);
    }
    edit_fini(&e);
    return text;
}

static bool show_series(const struct model *m, const struct request *rq,
                        const struct object *o, int attr, struct wire_attrs *out)
{
    const struct resv *r = TO_RESV(o);
    const char *text;

    if (!obj_num(o, RESV_A_RESERVE_STANDING, 0))
        return false;
    switch (attr) {
    case RESV_A_RESERVE_OCCURRENCES:
        text = occurrences_text(m, r, rq->arena);
        break;
    case RESV_A_RESERVE_EXECVNODES:
        text = execvnodes_text(r, rq->arena);
        break;
    case RESV_A_RESERVE_STANDING_SCHEDSELECT:
        text = obj_str(o, RESV_A_HF_SERIES_SCHEDSELECT, NULL);
        break;
    case RESV_A_RESERVE_OCCURRENCE_SCHEDSELECTS:
        text = schedselects_text(r, rq->arena);
        break;
    case RESV_A_ALTER_OCCURRENCE:
    case RESV_A_ALTER_SCHEDSELECT:
        text = alteration_text(m, r, attr, rq->arena);
        break;
    case RESV_A_RESERVE_STANDING_REVERT:
        show_series_revert(rq, o, out);
        return true;
    default:
        return false;
    }
    if (text)
        show_text(rq, o, attr, text, out);
    return true;
}

/* A confirmed series one of whose later occurrences is degraded (reservations.md 3.2).
 */
static bool show_substate(const struct request *rq, const struct object *o,
                          struct wire_attrs *out)
{
    enum resv_phase phase = resv_phase(TO_RESV(o));

    /* One that lacks vnodes itself says so by its own substate. */
    if ((phase != PHASE_CONFIRMED && phase != PHASE_RUNNING) ||
        !resv_later_is_degraded(TO_RESV(o)))
        return false;
    show_num(rq, o, RESV_A_RESERVE_SUBSTATE, resv_phase_substate(PHASE_DEGRADED), out);
    return true;
}

/* Who else was promised its vnodes depends on others and on the time; the answer is
 * nearly always nobody. */
bool resv_show_is_lasting(const struct model *m, const struct request *rq,
                          const struct object *o)
{
    const char *extend = rq->wire->extend;

    return (!extend || strcmp(extend, EXTEND_WHY) != 0) &&
           oversub_of(m, rq, o)->n_met == 0;
}

/* What our schedulers may answer beside the wanted times. */
static void show_allowed(const struct request *rq, const struct object *o, int attr,
                         struct wire_attrs *out)
{
    uint32_t allows = proposal_allows(TO_RESV(o));

    MUST(allows != (ALLOWS_PUSH | ALLOWS_SHORTER)); /* nobody pushes by itself */
    if (allows)
        show_text(rq, o, attr, allows & ALLOWS_PUSH ? "push" : "shorter", out);
}

bool show_resv(const struct model *m, const struct request *rq, const struct object *o,
               int attr, struct wire_attrs *out)
{
    MUST(o->kind == OBJ_RESV);
    switch (attr) {
    case RESV_A_OVERSUBSCRIBED_JOBS:
    case RESV_A_OVERSUBSCRIBED_RESV:
    case RESV_A_OVERSUBSCRIBED_ON:
        return show_oversub(m, rq, o, attr, out);
    /* Our schedulers send this number back with their answer. */
    case RESV_A_ALTER_SEQ:
        show_num(rq, o, attr, proposal_seq(TO_RESV(o)), out);
        return true;
    case RESV_A_ALTER_ALLOWS:
        show_allowed(rq, o, attr, out);
        return true;
    case RESV_A_ALTER_DENIED: /* true: shows none */
    case RESV_A_PUSHED:
        return !rq->wire->extend || strcmp(rq->wire->extend, EXTEND_WHY) != 0;
    case RESV_A_RESERVE_SUBSTATE:
        return show_substate(rq, o, out);
    default:
        if (show_series(m, rq, o, attr, out))
            return true;
    }
    if (proposal_is_about_shown(TO_RESV(o)) && show_wanted(m, rq, o, attr, out))
        return true;
    /* Every other attribute is shown as it is stored. */
    if (attr != RESV_A_RESOURCE_LIST)
        return false;
    show_value(rq, o, attr, obj_attrs_get(&o->attrs, (size_t)attr), out);
    return true;
}
