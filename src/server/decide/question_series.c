/* question_series.c - see question_series.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/question_series.h"

#include "server/decide/resv_proposal.h"
#include "server/decide/resv_question.h"
#include "server/decide/resv_record.h"
#include "server/decide/resv_series.h"
#include "server/model/occurrence.h"

#include "lib/attr/execvnodes.h"
#include "lib/attr/resv_attrs.h"
#include "lib/base/log.h"

#include <string.h>

/* The map of an answer. Equal texts were merged, so each is read once. */
struct offers {
    struct execvnodes map;
    struct exec_vnode *vnodes; /* by text */
    const char **texts;        /* by text, as they are stored; NULL: stays as it is */
};

static const struct exec_vnode *vnodes_of(const struct offers *f, size_t i)
{
    return &f->vnodes[f->map.which[i]];
}

static const char *text_of(const struct offers *f, size_t i)
{
    return f->texts[f->map.which[i]];
}

/* Read the map of an answer, which has to be about so many occurrences. Those of a
 * series that is confirmed may stay as they are. */
static int read_offers(const struct resv_answer *a, size_t n, bool may_stay,
                       struct offers *ret)
{
    struct arena *arena = a->rq->arena;
    int err = execvnodes_parse(a->vnodes, RECUR_MAX, arena, &ret->map, &a->out->why);

    if (err)
        return err;
    if (ret->map.n != n) {
        decide_log(a->out, LOG_EV_RESV, LOG_IN_RESV, a->r->obj.id,
                   "Number of execvnodes given does not equal the number of "
                   "occurrences left");
        return diag_code(&a->out->why, PBSE_BADATVAL);
    }
    ret->vnodes = ARENA_ARRAY(arena, struct exec_vnode, ret->map.n_texts);
    ret->texts = ARENA_ARRAY(arena, const char *, ret->map.n_texts);
    for (size_t i = 0; i < ret->map.n_texts && !err; i++) {
        if (may_stay && strcmp(ret->map.texts[i], EXECVNODES_SAME) == 0)
            continue;
        err = answer_vnodes_of(a, ret->map.texts[i], &ret->vnodes[i]);
        if (!err)
            ret->texts[i] = exec_vnode_print(&ret->vnodes[i], arena);
    }
    return err;
}

/* Refused, with the occurrence that does not hold. */
static int refuse(const struct resv_answer *a, int64_t index, const char *why)
{
    return answer_refuse(
        a, arena_printf(a->rq->arena, "occurrence %" PRId64 ": %s", index, why));
}

/* What every occurrence of a new series has to be offered, but for the first one,
 * which may be altered ('e', NULL: it is not). */
static const char *schedselect_of(const struct resv_answer *a, const struct edit *e)
{
    const char *series = obj_str(&a->r->obj, RESV_A_SCHEDSELECT, "");

    return e ? edit_str(e, RESV_A_SCHEDSELECT, series) : series;
}

/* Equal vnodes are judged once, whoever has them; with the first one altered it is
 * judged beside the others. */
static int judge_amounts(const struct resv_answer *a, const struct offers *f,
                         const struct edit *e)
{
    bool *judged = arena_zero(a->rq->arena, f->map.n_texts * sizeof(*judged));
    const char *why = "";

    if (!answer_is_as_much(a, vnodes_of(f, 0), schedselect_of(a, e), &why))
        return answer_refuse(a, why);
    for (size_t i = 1; i < f->map.n; i++) {
        if (!judged[f->map.which[i]] &&
            !answer_is_as_much(a, vnodes_of(f, i), schedselect_of(a, NULL), &why))
            return answer_refuse(a, why);
        judged[f->map.which[i]] = true;
    }
    return 0;
}

/* They do not overlap, so none is in the way of another one. What has passed meanwhile
 * needs no vnodes any more. */
static int judge_windows(const struct resv_answer *a, const struct offers *f,
                         const struct series_times *times)
{
    for (size_t i = 0; i < times->n; i++) {
        const struct resv_offer offer = {
            .occurrence = &a->r->current,
            .vnodes = vnodes_of(f, i),
            .start_at = times->v[i].start_at,
            .end_at = times->v[i].end_at,
            .now_at = a->rq->now_at,
            .away = a->away,
        };
        const char *why = "";

        if (offer.end_at > a->rq->now_at && !answer_fits(a, &offer, &why))
            return refuse(a, (int64_t)i + 1, why);
    }
    return 0;
}

static void make_later(const struct resv_answer *a, const struct offers *f,
                       const struct series_times *times)
{
    const char **vnodes = ARENA_ARRAY(a->rq->arena, const char *, times->n);

    MUST(f->map.n == times->n);
    for (size_t i = 0; i < times->n; i++)
        vnodes[i] = text_of(f, i);
    resv_series_make_later(a->r, times, vnodes, a->rq->actor, a->rq->now_at, a->out);
}

static void record_series(const struct resv_answer *a, const struct offers *f,
                          const struct series_times *times)
{
    struct arena *arena = a->rq->arena;
    enum resv_phase to = resv_next(resv_phase(a->r), RESV_EV_CONFIRM);
    struct record *rec;

    MUST(to == PHASE_CONFIRMED);
    answer_open_queue(a); /* told before its reservation */
    rec = decide(a->out, a->rq, FACT_RESV_CONFIRMED, OBJ_RESV, a->r->obj.id);
    record_change_phase(rec, arena, to);
    record_change_num(rec, arena, RESV_A_RESERVE_START, times->v[0].start_at);
    record_change_num(rec, arena, RESV_A_RESERVE_END, times->v[0].end_at);
    record_change(rec, arena, RESV_A_RESV_NODES, NULL, text_of(f, 0));
    record_change_num(rec, arena, RESV_A_RESERVE_INDEX, 1);
    record_change(rec, arena, RESV_A_HF_STARTS, NULL, NULL);
    resv_record_unasked(rec, arena);
    record_change(rec, arena, RESV_A_PARTITION, NULL, a->partition);
    record_change_num(rec, arena, RESV_A_MTIME, a->rq->now_at);
    make_later(a, f, times);
}

/* Read and judge the answer about a new series, whose first occurrence may be altered
 * ('e', NULL: it is not). */
static int take_new(const struct resv_answer *a, const struct edit *e,
                    struct series_times *times, struct offers *f)
{
    bool is_new = series_times_read(a->r, a->rq->arena, times);
    int err;

    MUST(is_new);
    if (e)
        times->v[0] = (struct window){ edit_num(e, RESV_A_RESERVE_START, 0),
                                       edit_num(e, RESV_A_RESERVE_END, 0) };
    if (series_unconfirmed_end_at(a->r) <= a->rq->now_at)
        return diag_code(&a->out->why, PBSE_BADTSPEC);
    if ((err = read_offers(a, times->n, false, f)) || (err = judge_amounts(a, f, e)))
        return err;
    return judge_windows(a, f, times);
}

int series_confirm(const struct resv_answer *a)
{
    struct series_times times;
    struct offers f = { 0 };
    int err = take_new(a, NULL, &times, &f);

    if (!err)
        record_series(a, &f, &times);
    return err;
}

int series_confirm_altered(const struct resv_answer *a, const struct edit *e)
{
    struct series_times times;
    struct offers f = { 0 };
    int err = take_new(a, e, &times, &f);

    if (err)
        return err;

    const struct proposal_grant g = { .e = e,
                                      .vnodes = text_of(&f, 0),
                                      .partition = a->partition,
                                      .actor = a->rq->actor,
                                      .now_at = a->rq->now_at };

    proposal_grant(a->m, a->r, &g, a->out);
    make_later(a, &f, &times);
    return 0;
}

/* Degraded, or taken by maintenance before it has begun. */
static bool is_degraded(const struct occurrence *oc)
{
    return phase_is_replaced(occurrence_phase(oc));
}

/* Has it been offered others than those that it has lost? NULL: it was deleted. */
static bool moves(const struct occurrence *oc, const char *text)
{
    return oc && text && is_degraded(oc) && strcmp(text, occurrence_vnodes(oc)) != 0;
}

static int judge_one(const struct resv_answer *a, const struct occurrence *oc,
                     const struct exec_vnode *vnodes)
{
    struct window w = occurrence_window(oc);
    const struct resv_offer offer = {
        .occurrence = oc,
        .vnodes = vnodes,
        .start_at = w.start_at,
        .end_at = w.end_at,
        .now_at = a->rq->now_at,
    };
    const char *why = "";

    if (answer_is_as_much(a, vnodes, occurrence_schedselect(oc), &why) &&
        answer_fits(a, &offer, &why))
        return 0;
    return refuse(a, occurrence_index(oc), why);
}

static void record_later(const struct resv_answer *a, const struct occurrence *oc,
                         const char *text)
{
    struct arena *arena = a->rq->arena;
    struct record *rec = decide(a->out, a->rq, FACT_SET, OBJ_OCCURRENCE,
                                arena_strdup(arena, oc->values->id));

    later_record_phase(rec, arena, resv_next(occurrence_phase(oc), RESV_EV_CONFIRM));
    record_change(rec, arena, OCCURRENCE_A_RESV_NODES, NULL, text);
}

/* The reservation: the current one when it moves, and when the rest is tried again. */
static void record_current(const struct resv_answer *a, const char *text, bool all)
{
    struct arena *arena = a->rq->arena;
    struct record *rec =
        decide(a->out, a->rq, FACT_RESV_RECONFIRMED, OBJ_RESV, a->r->obj.id);

    if (text) {
        record_change_phase(rec, arena, resv_next(resv_phase(a->r), RESV_EV_CONFIRM));
        record_change(rec, arena, RESV_A_RESV_NODES, NULL, text);
    }
    if (all)
        resv_record_unasked(rec, arena);
    else
        resv_record_retry(rec, arena, a->m, a->r, a->rq->now_at);
    record_change_num(rec, arena, RESV_A_MTIME, a->rq->now_at);
}

/* Write what moves; false when nothing does. All of it was judged. */
static bool record_moved(const struct resv_answer *a, const struct offers *f,
                         const struct occurrence *const *places)
{
    const struct occurrence *current = &a->r->current;
    const char *text = moves(current, text_of(f, 0)) ? text_of(f, 0) : NULL;
    bool any = text != NULL;
    bool all = text || !is_degraded(current);

    for (size_t i = 1; i < f->map.n; i++) {
        const struct occurrence *oc = places[i];
        bool moved = moves(oc, text_of(f, i));

        if (moved)
            record_later(a, oc, text_of(f, i));
        any |= moved;
        all &= moved || !oc || !is_degraded(oc);
    }
    if (any)
        record_current(a, text, all);
    return any;
}

int series_replace(const struct resv_answer *a, bool *ret_moved)
{
    const struct resv *r = a->r;
    struct offers f = { 0 };
    size_t n;
    const struct occurrence **places = occurrence_places(r, a->rq->arena, &n);
    int err;

    *ret_moved = false;
    if (occurrence_end_at(&r->current, INT64_MAX) <= a->rq->now_at)
        return diag_code(&a->out->why, PBSE_BADTSPEC);
    if ((err = read_offers(a, n, true, &f)))
        return err;
    for (size_t i = 0; i < n; i++)
        if (moves(places[i], text_of(&f, i)) &&
            (err = judge_one(a, places[i], vnodes_of(&f, i))))
            return err;
    *ret_moved = record_moved(a, &f, places);
    return 0;
}
