/* check_alter.c - a refused or denied alteration changes nothing, an open one nothing
 * yet, a granted one exactly what was asked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_alter.h"

#include "check_ends.h"
#include "check_occurrence.h"

#include "server/decide/resv_proposal.h"
#include "server/decide/resv_record.h"
#include "server/model/node_life.h"
#include "server/model/occurrence.h"
#include "server/model/resource_request.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define ANSWERED_S 90

/* Remembering. */

static void wish_free(struct wish *w)
{
    free(w->id);
    free(w->select);
    free(w->name);
    free(w->users);
    free(w->groups);
    free(w->mail);
    free(w->mail_to);
    free(w);
}

static void forced_free(struct forced *f)
{
    free(f->id);
    free(f->vnodes);
    free(f);
}

void alters_fini(struct alters *a)
{
    struct wish *w, *next_wish;
    struct forced *f, *next;

    DL_FOREACH_SAFE (a->wishes, w, next_wish) {
        DL_DELETE(a->wishes, w);
        wish_free(w);
    }
    DL_FOREACH_SAFE (a->forced, f, next) {
        DL_DELETE(a->forced, f);
        forced_free(f);
    }
}

void alters_forget_after(struct alters *a, uint64_t seq)
{
    struct wish *w, *next;

    a->granted = NULL;
    DL_FOREACH_SAFE (a->wishes, w, next) {
        if (w->fate_seq > seq) {
            w->fate = WISH_OPEN;
            w->fate_seq = 0;
            w->checked = false;
        }
        if (w->seq <= seq)
            continue;
        DL_DELETE(a->wishes, w);
        wish_free(w);
    }
}

static struct wish *find_wish(const struct sim *s, const char *id, uint64_t seq)
{
    struct wish *w;

    DL_FOREACH (s->alters.wishes, w)
        if (w->seq == seq && strcmp(w->id, id) == 0)
            return w;
    return NULL;
}

/* The number of the proposal that the record opens; its own when it opens none. */
static uint64_t seq_opened(const struct record *rec)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == RESV_A_HF_ALTER_SEQ && rec->changes[i].after)
            return strtoull(rec->changes[i].after, NULL, 10);
    return rec->seq;
}

static struct wish *wish_of(const struct sim *s, const struct resv *r,
                            const struct record *rec)
{
    return find_wish(s, r->obj.id,
                     proposal_is_open(r) ? (uint64_t)proposal_seq(r) : seq_opened(rec));
}

const struct wish *alter_open(struct sim *s, const struct resv *r)
{
    const struct wish *w;

    /* One of a later occurrence is shown there (check_occurrence.c). */
    if (!proposal_is_about_shown(r))
        return NULL;
    w = find_wish(s, r->obj.id, (uint64_t)proposal_seq(r));
    if (!w)
        check_failed(s, CHECK_ALTER, "%s is being altered and nobody asked for it",
                     r->obj.id);
    return w;
}

const struct wish *alter_wish(const struct sim *s, const struct resv *r)
{
    const struct wish *w;

    if (proposal_is_open(r))
        return find_wish(s, r->obj.id, (uint64_t)proposal_seq(r));
    DL_FOREACH (s->alters.wishes, w)
        if (w->later && strcmp(w->id, r->obj.id) == 0)
            return w;
    return NULL;
}

static uint64_t first_record_of(const struct effects *out, const char *id)
{
    for (size_t i = 0; i < out->n; i++)
        if (out->v[i].kind == EFFECT_RECORD && strcmp(out->v[i].u.record->id, id) == 0)
            return out->v[i].u.record->seq;
    return 0;
}

static int64_t given(const struct wire_attrs *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->v[i].name, name) == 0)
            return atoll(list->v[i].value);
    return 0;
}

static char *given_text(const struct wire_attrs *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->v[i].name, name) == 0)
            return xstrdup(list->v[i].value);
    return NULL;
}

/* reservations.md 13.6, once more. */
static void derive(struct wish *w, const struct object *o,
                   const struct wire_attrs *list)
{
    int64_t start_at = given(list, "reserve_start");
    int64_t end_at = given(list, "reserve_end");
    int64_t duration_s = given(list, "reserve_duration");

    w->times = start_at || end_at || duration_s;
    w->start_at = start_at ? start_at : obj_num(o, RESV_A_RESERVE_START, 0);
    w->end_at = end_at ? end_at : obj_num(o, RESV_A_RESERVE_END, 0);
    if (duration_s && end_at && !start_at)
        w->start_at = end_at - duration_s;
    else if (duration_s)
        w->end_at = w->start_at + duration_s;
    w->duration_s = w->end_at - w->start_at;
}

void alter_requested(struct sim *s, const struct model *before,
                     const struct wire_request *rq, const struct effects *out)
{
    const struct body_resv_act *act = rq->number == BATCH_RESV_ACT ? rq->body : NULL;
    const struct body_modify_resv said = {
        .resv_id = act ? act->id : ((const struct body_modify_resv *)rq->body)->resv_id,
        .attrs = act ? act->attrs : ((const struct body_modify_resv *)rq->body)->attrs,
    };
    const struct body_modify_resv *body = &said;
    const struct object *o = model_find(before, OBJ_RESV, body->resv_id);
    uint64_t seq = first_record_of(out, body->resv_id);
    const struct occurrence *oc = NULL;
    struct wish *w;

    if (!o || !seq || (act && act->what != RESV_ACT_ALTER))
        return;
    if (act && act->occurrence)
        oc = occurrence_at(before, TO_RESV(o), act->occurrence, out->arena);
    w = xcalloc(1, sizeof(*w));
    w->id = xstrdup(body->resv_id);
    w->seq = seq;
    w->force = rq->extend && strcmp(rq->extend, "force") == 0;
    if (oc && !occurrence_is_current(oc)) {
        w->later = act->occurrence;
        o = &occurrence_as_resv(oc, out->arena)->obj;
    }
    w->force |= act && (act->flags & RESV_ACT_FORCE);
    w->push = act && (act->flags & RESV_ACT_PUSH);
    w->release = act && (act->flags & RESV_ACT_RELEASE);
    w->chunks = w->release ? ends_busy_chunks(before, TO_RESV(o)) : 0;
    w->select = given_text(&body->attrs, "Resource_List");
    w->name = given_text(&body->attrs, "Reserve_Name");
    w->users = given_text(&body->attrs, "Authorized_Users");
    w->groups = given_text(&body->attrs, "Authorized_Groups");
    w->mail = given_text(&body->attrs, "Mail_Points");
    w->mail_to = given_text(&body->attrs, "Mail_Users");
    derive(w, o, &body->attrs);
    DL_PREPEND(s->alters.wishes, w);
    count_alteration(s, TO_RESV(o), w, "asked");
}

/* Forced ones. */

static struct forced *find_forced(const struct sim *s, const char *id)
{
    struct forced *f;

    DL_FOREACH (s->alters.forced, f)
        if (strcmp(f->id, id) == 0)
            return f;
    return NULL;
}

static void forget_forced(struct sim *s, const char *id)
{
    struct forced *f = find_forced(s, id);

    if (!f)
        return;
    DL_DELETE(s->alters.forced, f);
    forced_free(f);
}

static void add_forced(struct sim *s, const char *id, const char *vnodes,
                       int64_t start_at, int64_t end_at)
{
    struct forced *f = xcalloc(1, sizeof(*f));

    forget_forced(s, id);
    f->id = xstrdup(id);
    f->vnodes = xstrdup(vnodes);
    f->start_at = start_at;
    f->end_at = end_at;
    DL_PREPEND(s->alters.forced, f);
}

void alter_forced_later(struct sim *s, const struct occurrence *oc)
{
    add_forced(s, oc->values->id, obj_str(oc->values, OCCURRENCE_A_RESV_NODES, ""),
               occurrence_start_at(oc, 0), occurrence_end_at(oc, 0));
}

/* An occurrence that was forced before its turn keeps its name in the turn. */
static const struct forced *forced_of(const struct sim *s, const struct occurrence *oc)
{
    struct arena *arena = arena_new();
    const struct forced *f = find_forced(s, occurrence_name(oc, arena));

    arena_free(arena);
    return f || !occurrence_is_current(oc) ? f : find_forced(s, oc->resv->obj.id);
}

/* Who takes less of the time that he was forced into needs nobody's word. */
static bool is_within_forced(const struct sim *s, const struct resv *r,
                             const struct wish *w)
{
    const struct forced *f = forced_of(s, &r->current);

    return f && f->start_at <= w->start_at && w->end_at <= f->end_at;
}

/* The current occurrence may have been forced before its turn. */
static void forget_forced_turn(struct sim *s, const struct resv *r)
{
    struct arena *arena = arena_new();

    forget_forced(s, occurrence_name(&r->current, arena));
    forget_forced(s, r->obj.id);
    arena_free(arena);
}

static void remember_forced(struct sim *s, const struct resv *r)
{
    forget_forced_turn(s, r);
    add_forced(s, r->obj.id, obj_str(&r->obj, RESV_A_RESV_NODES, ""),
               obj_num(&r->obj, RESV_A_RESERVE_START, 0),
               obj_num(&r->obj, RESV_A_RESERVE_END, 0));
}

/* "vn[1]" in "(vn[1]:ncpus=2)+(vn[10]:ncpus=1)" */
static bool names_vnode(const char *vnodes, const char *vnode)
{
    size_t len = strlen(vnode);

    for (const char *at = vnodes; (at = strstr(at, vnode)); at += len)
        if (at > vnodes && (at[-1] == '(' || at[-1] == '+') && at[len] == ':')
            return true;
    return false;
}

bool alter_may_overlap(const struct sim *s, const struct occurrence *oc,
                       const char *vnode)
{
    const struct forced *f = forced_of(s, oc);
    const struct resv *r = oc->resv;

    if (obj_is_set(&r->obj, RESV_A_RESERVE_JOB) || resv_is_maintenance(r))
        return true;
    return f && names_vnode(f->vnodes, vnode) &&
           f->start_at <= occurrence_start_at(oc, 0) &&
           f->end_at >= occurrence_end_at(oc, 0);
}

/* Records. */

/* What an alteration that is open or denied may touch: nothing that anybody sees, but
 * for the reason. */
static void check_untouched(struct sim *s, const struct record *rec)
{
    for (size_t i = 0; i < rec->n_changes; i++) {
        int attr = rec->changes[i].attr;

        if (!(resv_rows[attr].flags & ATTR_INTERNAL) && attr != RESV_A_ALTER_DENIED &&
            attr != RESV_A_PUSHED)
            check_failed(s, CHECK_ALTER, "%s of %s changes %s", fact_name(rec->fact),
                         rec->id, resv_rows[attr].name);
    }
}

static const char *new_vnodes(const struct record *rec)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == RESV_A_RESV_NODES)
            return rec->changes[i].after;
    return NULL;
}

/* The reservation goes back to waiting. */
static bool moves_out(const struct resv *r, const struct wish *w,
                      const struct record *rec)
{
    return phase_is_running(resv_phase(r)) && w->start_at > rec->at;
}

static bool has_job_on(const struct resv *r, const struct node *n)
{
    for (size_t i = 0; i < n->n_jobs; i++)
        if (n->jobs[i]->resv == r)
            return true;
    return false;
}

static int64_t used_ncpus(const struct node *n, const struct resv *r)
{
    int64_t sum = 0;

    for (size_t i = 0; i < n->n_jobs; i++)
        for (size_t k = 0; n->jobs[i]->resv == r && k < n->jobs[i]->bookings.n; k++)
            if (n->jobs[i]->bookings.v[k].node == n)
                sum += resources_amount(&n->jobs[i]->bookings.v[k].amount, "ncpus", 0);
    return sum;
}

/* Running: usable vnodes stay, but for a smaller select; those with jobs always. */
static void check_kept(struct sim *s, const struct model *m, const struct resv *r,
                       const struct wish *w, const struct record *rec)
{
    struct arena *arena = arena_new();
    struct exec_vnode ev = { 0 };

    if (exec_vnode_parse(new_vnodes(rec), m->defs, arena, &ev, NULL))
        check_failed(s, CHECK_ALTER, "%s cannot be read", new_vnodes(rec));
    for (size_t i = 0; i < r->current.bookings.n; i++) {
        const struct node *n = r->current.bookings.v[i].node;
        int64_t has = resources_amount(&r->current.bookings.v[i].amount, "ncpus", 0);
        int64_t keeps = exec_vnode_amount(&ev, n->obj.id, "ncpus");

        /* What the reservation does not name its jobs use of the vnode's own. */
        if (keeps < MIN_OF(has, used_ncpus(n, r)) ||
            (has_job_on(r, n) && !exec_vnode_has(&ev, n->obj.id)))
            check_failed(s, CHECK_ALTER, "%s is altered and loses %s under its jobs",
                         rec->id, n->obj.id);
        if (!w->select && !w->release && node_is_usable(n) && keeps < has)
            check_failed(s, CHECK_ALTER, "%s is altered and loses usable %s", rec->id,
                         n->obj.id);
    }
    arena_free(arena);
}

/* Nobody has to agree to that. */
static bool ends_now(const struct resv *r, const struct wish *w,
                     const struct record *rec)
{
    return phase_is_running(resv_phase(r)) && w->end_at <= rec->at;
}

/* What force cannot do: take running jobs along, begin what is over, or hold up the end
 * of an occurrence until it is answered. */
static bool is_impossible(const struct resv *r, const struct wish *w,
                          const struct record *rec)
{
    if (r->n_later > 0 && rec->fact == FACT_RESV_ALTER_DENIED &&
        occurrence_end_at(&r->current, INT64_MAX) <= rec->at)
        return true;
    if (phase_is_running(resv_phase(r)))
        return moves_out(r, w, rec) && resv_has_busy_job(r);
    return w->end_at <= rec->at;
}

/* All parts are made or none is, by force too: is another one impossible, or dropped by
 * this turn already? */
static bool lacks_a_part(const struct sim *s, const struct model *m,
                         const struct wish *w, const struct record *rec)
{
    const struct wish *other;

    DL_FOREACH (s->alters.wishes, other) {
        const struct resv *r;

        if (!w->several || other == w || other->seq != w->seq)
            continue;
        r = model_resv(m, other->id);
        if (!r || other->fate == WISH_DROPPED || is_impossible(r, other, rec))
            return true;
    }
    return false;
}

static void check_grant(struct sim *s, const struct model *m, const struct resv *r,
                        const struct wish *w, const struct record *rec)
{
    bool unconfirmed = resv_phase(r) == PHASE_UNCONFIRMED;

    if (is_impossible(r, w, rec))
        check_failed(s, CHECK_ALTER, "%s is altered to what cannot be", rec->id);
    if (!s->alters.agreed && !w->force && !ends_now(r, w, rec) &&
        !resv_is_maintenance(r))
        check_failed(s, CHECK_ALTER, "%s is altered and no scheduler agreed", rec->id);
    if (new_vnodes(rec) && phase_is_running(resv_phase(r)) && !moves_out(r, w, rec))
        check_kept(s, m, r, w, rec);
    if (!s->alters.agreed && !unconfirmed && w->force)
        remember_forced(s, r); /* its times follow when they are so */
    else if (w->times && !is_within_forced(s, r, w))
        forget_forced_turn(s, r);
}

/* Reservations that extend themselves (doc/design/049-auto-extend.md), once more. */

static bool asks_by_itself(const struct record *rec)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == RESV_A_HF_EXTEND_TRIED)
            return rec->fact == FACT_RESV_ALTER_ASKED;
    return false;
}

static int64_t extended_end(const struct model *m, const struct resv *r)
{
    const struct object *o = &r->obj;
    int64_t end_at = obj_num(o, RESV_A_RESERVE_END, 0);
    const char *on_end =
        obj_str(o, RESV_A_ON_END, obj_str(m->server, SERVER_A_RESV_DEFAULT_ON_END, ""));
    int64_t step_s =
        obj_num(o, RESV_A_AUTO_EXTEND, strcmp(on_end, "extend") == 0 ? 600 : 0);
    int64_t ret = end_at + step_s;

    if (obj_num(o, RESV_A_AUTO_EXTEND_MAX, 0) > 0)
        ret = MIN_OF(ret, obj_num(o, RESV_A_HF_ASKED_END, end_at) +
                              obj_num(o, RESV_A_AUTO_EXTEND_MAX, 0));
    return r->later ? MIN_OF(ret, occurrence_start_at(r->later, 0) - 1) : ret;
}

static int64_t num_after(const struct record *rec, int attr, int64_t before)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr && rec->changes[i].after)
            return atoll(rec->changes[i].after);
    return before;
}

static void note_own_wish(struct sim *s, const struct model *m, const struct resv *r,
                          const struct record *rec)
{
    struct wish *w = xcalloc(1, sizeof(*w));

    w->id = xstrdup(rec->id);
    w->seq = seq_opened(rec);
    w->times = true;
    w->shorter = true;
    w->release = obj_num(&r->obj, RESV_A_AUTO_EXTEND_RELEASE, 0) != 0;
    w->chunks = w->release ? ends_busy_chunks(m, r) : 0;
    w->start_at = obj_num(&r->obj, RESV_A_RESERVE_START, 0);
    w->end_at = extended_end(m, r);
    w->duration_s = w->end_at - w->start_at;
    DL_PREPEND(s->alters.wishes, w);
    if (!phase_is_running(resv_phase(r)) || !resv_has_busy_job(r) ||
        resv_is_maintenance(r) || w->end_at <= obj_num(&r->obj, RESV_A_RESERVE_END, 0))
        check_failed(s, CHECK_ALTER, "%s wants more time without need", rec->id);
}

/* Less than the whole step was granted: that is what is checked from now on. */
static void take_shorter(struct sim *s, const struct resv *r, struct wish *w,
                         const struct record *rec)
{
    int64_t end_at = num_after(rec, RESV_A_RESERVE_END, w->end_at);

    if (end_at > w->end_at || end_at <= obj_num(&r->obj, RESV_A_RESERVE_END, 0))
        check_failed(s, CHECK_ALTER, "%s is extended to %" PRId64, rec->id, end_at);
    w->end_at = end_at;
    w->duration_s = end_at - w->start_at;
}

void check_alter_before(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct resv *r = rec->kind == OBJ_RESV ? model_resv(m, rec->id) : NULL;
    struct wish *w;

    if (!r || rec->reason == REASON_PUSHED) /* check_push.c looks at these */
        return;
    if (asks_by_itself(rec))
        note_own_wish(s, m, r, rec);
    w = wish_of(s, r, rec);
    if (w && w->shorter && rec->fact == FACT_RESV_ALTERED)
        take_shorter(s, r, w, rec);
    if (rec->fact == FACT_RESV_ALTER_ASKED && proposal_is_open(r))
        check_failed(s, CHECK_ALTER, "%s is altered twice at once", rec->id);
    if (rec->fact == FACT_RESV_ALTER_ASKED || rec->fact == FACT_RESV_ALTER_DENIED)
        check_untouched(s, rec);
    if (rec->fact == FACT_RESV_ALTER_DENIED && w && w->force && !w->later &&
        rec->reason != REASON_SERVER_BEGAN && !is_impossible(r, w, rec) &&
        !lacks_a_part(s, m, w, rec) &&
        /* It does not outlast the occurrence that it is about. */
        !occurrence_may_be_gone(s, r->obj.id, occurrence_index(&r->current)))
        check_failed(s, CHECK_ALTER, "forced alteration of %s is denied", rec->id);
    if (w && (rec->fact == FACT_RESV_ALTERED || rec->fact == FACT_RESV_ALTER_DENIED))
        count_alteration(s, r, w,
                         rec->fact == FACT_RESV_ALTERED ? "granted" : "denied");
    s->alters.granted = rec->fact == FACT_RESV_ALTERED ? w : NULL;
    if (s->alters.granted)
        check_grant(s, m, r, w, rec);
    if (!w && (rec->fact == FACT_RESV_ALTERED || rec->fact == FACT_RESV_ALTER_ASKED ||
               rec->fact == FACT_RESV_ALTER_DENIED))
        check_failed(s, CHECK_ALTER, "%s of %s, and nobody asked for it",
                     fact_name(rec->fact), rec->id);
}

/* What it is then. */

static void check_num(struct sim *s, const struct object *o, int attr, int64_t want)
{
    if (obj_num(o, attr, 0) != want)
        check_failed(s, CHECK_ALTER,
                     "%s was altered: %s is %" PRId64 ", and asked was for %" PRId64,
                     o->id, resv_rows[attr].name, obj_num(o, attr, 0), want);
}

static void check_text(struct sim *s, const struct object *o, const char *name,
                       const char *is, const char *want)
{
    if (want && !str_same(is, want))
        check_failed(s, CHECK_ALTER, "%s was altered: %s is %s, and asked was for %s",
                     o->id, name, is ? is : "not set", want);
}

static void check_list(struct sim *s, const struct object *o, int attr,
                       const char *want)
{
    struct arena *arena = arena_new();

    if (want)
        check_text(s, o, resv_rows[attr].name,
                   attr_value_text(resv_rows[attr].type, obj_attr(o, attr), arena),
                   want);
    arena_free(arena);
}

static void check_made(struct sim *s, const struct object *o, const struct wish *w)
{
    const struct resources *list = obj_resources(o, RESV_A_RESOURCE_LIST);
    struct arena *arena = arena_new();

    if (w->times) {
        check_num(s, o, RESV_A_RESERVE_START, w->start_at);
        check_num(s, o, RESV_A_RESERVE_END, w->end_at);
        check_num(s, o, RESV_A_RESERVE_DURATION, w->duration_s);
        if (resources_amount(list, "walltime", 0) != w->duration_s)
            check_failed(s, CHECK_ALTER, "%s was altered and its walltime is wrong",
                         o->id);
    }
    check_text(s, o, "select", resources_text(list, "select", arena), w->select);
    check_text(s, o, "name", obj_str(o, RESV_A_RESERVE_NAME, NULL), w->name);
    check_list(s, o, RESV_A_AUTHORIZED_USERS, w->users);
    check_list(s, o, RESV_A_AUTHORIZED_GROUPS, w->groups);
    check_list(s, o, RESV_A_MAIL_USERS, w->mail_to);
    check_text(s, o, "Mail_Points", obj_str(o, RESV_A_MAIL_POINTS, NULL), w->mail);
    arena_free(arena);
}

/* It holds as much as it asks for. Maintenance holds its vnodes whatever they have, and
 * that may be less since they were deleted and made again. */
static void check_amount(struct sim *s, const struct resv *r)
{
    const struct resources *list = obj_resources(&r->obj, RESV_A_RESOURCE_LIST);
    int64_t want = resources_amount(list, "ncpus", 0);
    int64_t sum = 0;

    for (size_t i = 0; i < r->current.bookings.n; i++)
        sum += resources_amount(&r->current.bookings.v[i].amount, "ncpus", 0);
    if (phase_is_confirmed(resv_phase(r)) && !phase_is_in_conflict(resv_phase(r)) &&
        !resv_is_maintenance(r) && sum != want)
        check_failed(s, CHECK_ALTER, "%s asks for %" PRId64 " cpus and holds %" PRId64,
                     r->obj.id, want, sum);
}

static bool has_member(const struct attr_value *list, const char *name)
{
    for (size_t i = 0; i < list->u.list.n; i++)
        if (strcmp(list->u.list.v[i], name) == 0)
            return true;
    return false;
}

/* A queue sorts its lists. */
static bool same_members(const struct attr_value *a, const struct attr_value *b)
{
    bool same = a->set == b->set && (!a->set || a->u.list.n == b->u.list.n);

    for (size_t i = 0; same && a->set && i < a->u.list.n; i++)
        same = has_member(b, a->u.list.v[i]);
    return same;
}

/* Who may use it may use its queue. */
static void check_queue(struct sim *s, const struct resv *r)
{
    const struct object *q = r->queue ? &r->queue->obj : NULL;

    if (q && (!same_members(obj_attr(&r->obj, RESV_A_AUTHORIZED_USERS),
                            obj_attr(q, QUEUE_A_ACL_USERS)) ||
              !same_members(obj_attr(&r->obj, RESV_A_AUTHORIZED_GROUPS),
                            obj_attr(q, QUEUE_A_ACL_GROUPS))))
        check_failed(s, CHECK_ALTER, "%s and its queue are for different people",
                     r->obj.id);
}

void check_alter_after(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct resv *r = rec->kind == OBJ_RESV ? model_resv(m, rec->id) : NULL;
    struct forced *f;
    const struct wish *w;

    if (!r || (rec->fact != FACT_RESV_ALTERED && rec->fact != FACT_SET))
        return;
    w = s->alters.granted ? s->alters.granted : find_wish(s, rec->id, rec->seq);
    s->alters.granted = NULL;
    if (!w || w->later)
        return;
    check_made(s, &r->obj, w);
    if (rec->fact != FACT_RESV_ALTERED)
        return;
    check_amount(s, r);
    f = find_forced(s, rec->id);
    if (f && w->force && !s->alters.agreed) {
        f->start_at = w->start_at;
        f->end_at = w->end_at;
    }
}

/* Queues follow their reservations within one decision. */
void check_alters_settled(struct sim *s, const struct model *m)
{
    MODEL_EACH (m, OBJ_RESV, o) {
        const struct resv *r = TO_RESV(o);
        enum resv_phase phase = resv_phase(r);

        if (proposal_is_open(r) && !phase_is_confirmed(phase) &&
            phase != PHASE_UNCONFIRMED && r->n_later == 0)
            check_failed(s, CHECK_ALTER, "%s is being altered and deleted", o->id);
        check_queue(s, r);
    }
}

void check_alters_answered(struct sim *s)
{
    const struct model *m = shell_model(s);

    MODEL_EACH (m, OBJ_RESV, o) {
        if (proposal_is_open(TO_RESV(o)) &&
            obj_num(o, RESV_A_HF_ALTER_AT, 0) < sim_now_at(s) - ANSWERED_S)
            check_failed(s, CHECK_QUIET, "nobody answers the alteration of %s", o->id);
    }
}
