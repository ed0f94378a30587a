/* check_ends.c - see check_ends.h.
 *
 * The end that was asked for is read off the records, not off what the server notes of
 * it: it is that of each end that is not the reservation's own wish.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_ends.h"

#include "lib/attr/select.h"
#include "lib/attr/server_attrs.h"
#include "server/decide/resv_proposal.h"
#include "server/model/node_life.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define STEP_S 600 /* of on_end=extend without a step */

static void forget(struct ends *e, struct asked_end *one)
{
    DL_DELETE(e->asked, one);
    free(one->id);
    free(one);
}

void ends_fini(struct ends *e)
{
    ends_forget_after(e, 0);
}

void ends_forget_after(struct ends *e, uint64_t seq)
{
    struct asked_end *one, *next;

    DL_FOREACH_SAFE (e->asked, one, next)
        if (one->seq > seq)
            forget(e, one);
}

static int64_t asked_end(const struct sim *s, const char *id, int64_t none)
{
    const struct asked_end *one;

    DL_FOREACH (s->ends.asked, one)
        if (strcmp(one->id, id) == 0)
            return one->end_at;
    return none;
}

static void note(struct sim *s, const struct record *rec, int64_t end_at)
{
    struct asked_end *one = xcalloc(1, sizeof(*one));

    one->id = xstrdup(rec->id);
    one->seq = rec->seq;
    one->end_at = end_at;
    DL_PREPEND(s->ends.asked, one);
}

/* Chunks. */

static bool has_job_on(const struct resv *r, const struct node *n)
{
    for (size_t i = 0; n && i < n->n_jobs; i++)
        if (n->jobs[i]->resv == r)
            return true;
    return false;
}

static bool is_busy(const struct model *m, const struct resv *r,
                    const struct exec_chunk *chunk)
{
    for (size_t i = 0; i < chunk->n; i++)
        if (has_job_on(r, model_node(m, chunk->parts[i].vnode)))
            return true;
    return false;
}

static size_t count_chunks(const struct model *m, const struct resv *r, bool busy)
{
    struct arena *arena = arena_new();
    struct exec_vnode ev = { 0 };
    size_t n = 0;

    if (exec_vnode_parse(obj_str(&r->obj, RESV_A_RESV_NODES, ""), m->defs, arena, &ev,
                         NULL))
        ev.n = 0;
    for (size_t i = 0; i < ev.n; i++)
        n += !busy || is_busy(m, r, &ev.chunks[i]);
    arena_free(arena);
    return n;
}

/* Without any job nothing says what to keep, and of one in conflict nobody knows which
 * chunks are left. */
size_t ends_busy_chunks(const struct model *m, const struct resv *r)
{
    size_t n = phase_is_in_conflict(resv_phase(r)) ? 0 : count_chunks(m, r, true);

    return n ? n : count_chunks(m, r, false);
}

/* What has to go with fewer chunks are the vnodes that are lost: none is left then. */
static void check_lost_go_first(struct sim *s, const struct model *m,
                                const struct record *rec, const char *vnodes)
{
    struct arena *arena = arena_new();
    struct exec_vnode ev = { 0 };

    if (exec_vnode_parse(vnodes, m->defs, arena, &ev, NULL))
        ev.n = 0;
    for (size_t i = 0; i < ev.n; i++)
        for (size_t k = 0; k < ev.chunks[i].n; k++) {
            const struct node *n = model_node(m, ev.chunks[i].parts[k].vnode);

            if (n && !node_is_usable(n))
                check_failed(s, CHECK_ALTER, "%s is smaller and keeps the lost %s",
                             rec->id, n->obj.id);
        }
    arena_free(arena);
}

/* Ends. */

static const char *text_after(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return rec->changes[i].after;
    return NULL;
}

static int64_t step_s(const struct model *m, const struct resv *r)
{
    const char *on_end = obj_str(&r->obj, RESV_A_ON_END,
                                 obj_str(m->server, SERVER_A_RESV_DEFAULT_ON_END, ""));

    return obj_num(&r->obj, RESV_A_AUTO_EXTEND,
                   strcmp(on_end, "extend") == 0 ? STEP_S : 0);
}

/* It has extended itself. What it may is settled when it asks; its step can have been
 * changed since, and so can the maximum, but not while the question is open. */
static void check_own(struct sim *s, const struct model *m, const struct resv *r,
                      int64_t end_at)
{
    int64_t before_at = obj_num(&r->obj, RESV_A_RESERVE_END, 0);
    int64_t most_s = obj_num(&r->obj, RESV_A_AUTO_EXTEND_MAX, 0);
    int64_t asked_at = asked_end(s, r->obj.id, before_at);

    if (end_at > before_at + step_s(m, r))
        check_failed(s, CHECK_ENDS,
                     "%s extends itself by %" PRId64 " s, its step is %" PRId64,
                     r->obj.id, end_at - before_at, step_s(m, r));
    if (most_s > 0 && end_at > asked_at + most_s)
        check_failed(s, CHECK_ENDS,
                     "%s ends %" PRId64 " s after what was asked for, and %" PRId64
                     " are its maximum",
                     r->obj.id, end_at - asked_at, most_s);
}

static bool makes_it_longer(const struct resv *r, const struct wish *w)
{
    return w && w->times && w->end_at > obj_num(&r->obj, RESV_A_RESERVE_END, 0);
}

void check_ends_before(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct resv *r = rec->kind == OBJ_RESV ? model_resv(m, rec->id) : NULL;
    const char *end =
        rec->kind == OBJ_RESV ? text_after(rec, RESV_A_RESERVE_END) : NULL;
    const char *vnodes = r ? text_after(rec, RESV_A_RESV_NODES) : NULL;
    const struct wish *w = s->alters.granted;

    if (end && r && w && w->shorter)
        check_own(s, m, r, atoll(end));
    else if (end)
        note(s, rec, atoll(end));
    if (r && w && (w->select || w->release) && vnodes && s->alters.agreed &&
        phase_is_running(resv_phase(r)) && w->start_at <= rec->at)
        check_lost_go_first(s, m, rec, vnodes);
    if (r && w && w->release && !makes_it_longer(r, w))
        check_failed(s, CHECK_ENDS, "%s gives vnodes back and is not longer", rec->id);
}

/* Chunks of the select that the open alteration wants. */
static size_t count_wanted(const struct model *m, const struct resv *r)
{
    struct arena *arena = arena_new();
    struct select sel = { 0 };
    struct edit e;
    size_t n = 0;

    if (proposal_read(m, r, &e, arena) &&
        select_parse(edit_str(&e, RESV_A_SCHEDSELECT, ""), NULL, arena, &sel, NULL))
        sel.n = 0;
    for (size_t i = 0; i < sel.n; i++)
        n += (size_t)sel.chunks[i].count;
    edit_fini(&e);
    arena_free(arena);
    return n;
}

/* What goes is counted when it is asked for: with fewer chunks than jobs use it would
 * only be denied, and nobody would know why. */
static void check_asked(struct sim *s, const struct model *m, const struct resv *r)
{
    const struct wish *w = alter_open(s, r);

    if (w && w->chunks && !phase_is_in_conflict(resv_phase(r)) &&
        count_wanted(m, r) != w->chunks)
        check_failed(s, CHECK_ENDS,
                     "%s is to give back what is idle and wants %zu chunks of %zu",
                     r->obj.id, count_wanted(m, r), w->chunks);
}

void check_ends_after(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct resv *r = rec->kind == OBJ_RESV ? model_resv(m, rec->id) : NULL;
    const struct wish *w = s->alters.granted;

    if (r && rec->fact == FACT_RESV_ALTER_ASKED && proposal_is_open(r))
        check_asked(s, m, r);
    if (!r || !w || !w->chunks)
        return;
    if (count_chunks(m, r, false) != w->chunks)
        check_failed(s, CHECK_ENDS,
                     "%s has given back what is idle, and has %zu chunks of %zu",
                     rec->id, count_chunks(m, r, false), w->chunks);
}

/* Beyond the end that somebody asked for it is there only while jobs of it run. */
void check_ends_settled(struct sim *s, const struct model *m)
{
    if (svr_is_settling(s->shell.svr))
        return;
    MODEL_EACH (m, OBJ_RESV, o) {
        const struct resv *r = TO_RESV(o);

        if (phase_is_running(resv_phase(r)) && !resv_has_busy_job(r) &&
            sim_now_at(s) >= asked_end(s, o->id, INT64_MAX))
            check_failed(s, CHECK_ENDS, "%s has extended itself and has no job", o->id);
    }
}
