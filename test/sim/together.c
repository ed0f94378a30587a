/* together.c - see together.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "together.h"

#include "server/decide/resv_proposal.h"
#include "server/decide/resv_question.h"
#include "server/decide/resv_series.h"
#include "server/engine/svr_priv.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static bool may_be_part(const struct resv *r, int64_t start_at, int64_t end_at,
                        int64_t now_at)
{
    enum resv_phase phase = resv_phase(r);

    if (!proposal_may_open(r) || !proposal_may_alter_times(r) || series_is_new(r) ||
        resv_is_maintenance(r) ||
        !(phase == PHASE_UNCONFIRMED || phase_is_confirmed(phase)))
        return false;
    return start_at < end_at && end_at > now_at &&
           (phase_is_running(phase) || start_at > now_at);
}

static int64_t start_of(const struct resv *r, const struct together_part *part)
{
    return phase_is_running(resv_phase(r)) ? obj_num(&r->obj, RESV_A_RESERVE_START, 0)
                                           : part->start_at;
}

/* Every one is there, once, and can be altered so. */
static bool are_possible(const struct sim *s, const struct together_part *parts,
                         size_t n)
{
    const struct model *m = shell_model(s);

    for (size_t i = 0; i < n; i++) {
        const struct resv *r = m ? model_resv(m, parts[i].id) : NULL;

        if (!r ||
            !may_be_part(r, start_of(r, &parts[i]), parts[i].end_at, sim_now_at(s)) ||
            proposal_meets_later(r, start_of(r, &parts[i])) ||
            proposal_meets_later(r, parts[i].end_at))
            return false;
        for (size_t k = 0; k < i; k++)
            if (strcmp(parts[k].id, parts[i].id) == 0)
                return false;
    }
    return n > 1;
}

static void make_edit(struct edit *e, const struct model *m, const struct resv *r,
                      const struct together_part *part)
{
    int64_t start_at = start_of(r, part);
    char walltime[24];
    int err;

    snprintf(walltime, sizeof(walltime), "%" PRId64, part->end_at - start_at);
    edit_init(e, m, OBJ_RESV, &r->obj);
    edit_set_num(e, RESV_A_RESERVE_START, start_at);
    edit_set_num(e, RESV_A_RESERVE_END, part->end_at);
    edit_set_num(e, RESV_A_RESERVE_DURATION, part->end_at - start_at);
    err = edit_set(e, RESV_A_RESOURCE_LIST, "walltime", walltime, WIRE_OP_SET, NULL);
    MUST(!err);
    (void)err;
}

static void remember(struct sim *s, const struct resv *r,
                     const struct together_part *part, bool force)
{
    struct wish *w = xcalloc(1, sizeof(*w));

    w->id = xstrdup(r->obj.id);
    w->seq = shell_model(s)->seq + 1;
    w->several = true;
    w->times = true;
    w->start_at = start_of(r, part);
    w->end_at = part->end_at;
    w->duration_s = w->end_at - w->start_at;
    w->force = force;
    DL_PREPEND(s->alters.wishes, w);
}

static void decide_all(struct sim *s, const struct together_part *wanted, size_t n,
                       bool force, struct decision *out)
{
    const struct svr *svr = s->shell.svr;
    struct proposal_part parts[TOGETHER_MAX];
    struct edit edits[TOGETHER_MAX];

    for (size_t i = 0; i < n; i++) {
        const struct resv *r = model_resv(svr->m, wanted[i].id);

        make_edit(&edits[i], svr->m, r, &wanted[i]);
        parts[i] = (struct proposal_part){
            .resv = r,
            .e = &edits[i],
            .asks = question_asks(svr->m, &svr->view, r, out->arena),
        };
        remember(s, r, &wanted[i], force);
    }
    proposal_open(
        svr->m,
        &(struct proposal){ .parts = parts,
                            .n = n,
                            .force = force,
                            .actor = arena_printf(out->arena, "root@%s", s->name),
                            .now_at = sim_now_at(s) },
        out);
    for (size_t i = 0; i < n; i++)
        edit_fini(&edits[i]);
}

/* A server that cannot save refuses whoever wants a change. */
void together_open(struct sim *s, const struct together_part *parts, size_t n,
                   bool force)
{
    struct effects *out = shell_begin_turn(s);
    struct turn t = { .s = s->shell.svr, .now_at = sim_now_at(s), .out = out };
    struct decision d;

    MUST(n <= TOGETHER_MAX);
    if (!out || t.s->store_failed || !are_possible(s, parts, n))
        return;
    d = turn_decision(&t);
    decide_all(s, parts, n, force, &d);
    take_up(&t, &d);
    settle(&t);
    shell_end_turn(s);
}

/* What becomes of the parts. */

static struct wish *open_part(struct sim *s, const struct model *m, const char *id)
{
    const struct resv *r = model_resv(m, id);
    struct wish *w;

    DL_FOREACH (s->alters.wishes, w)
        if (w->several && r && proposal_seq(r) == (int64_t)w->seq &&
            strcmp(w->id, id) == 0)
            return w;
    return NULL;
}

void check_together_before(struct sim *s, const struct model *m,
                           const struct record *rec)
{
    struct wish *w = rec->kind == OBJ_RESV ? open_part(s, m, rec->id) : NULL;

    if (!w)
        return;
    if (rec->fact == FACT_RESV_ALTERED)
        w->fate = WISH_MADE;
    else if (rec->fact == FACT_RESV_ALTER_DENIED || rec->fact == FACT_RESV_ENDING)
        w->fate = WISH_DROPPED;
    else
        return;
    w->fate_seq = rec->seq;
}

void check_together_settled(struct sim *s, const struct model *m)
{
    struct wish *a, *b;

    DL_FOREACH (s->alters.wishes, a) {
        if (!a->several || a->checked)
            continue;
        if (a->fate == WISH_OPEN && !open_part(s, m, a->id))
            check_failed(s, CHECK_ALTER, "a part, %s, is lost", a->id);
        DL_FOREACH (s->alters.wishes, b)
            if (b->several && b->seq == a->seq && b->fate != a->fate)
                check_failed(s, CHECK_ALTER, "of one proposal %s is %d and %s is %d",
                             a->id, (int)a->fate, b->id, (int)b->fate);
        a->checked = a->fate != WISH_OPEN;
    }
}
