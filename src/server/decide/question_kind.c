/* question_kind.c - see question_kind.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/question_kind.h"

#include "server/decide/resv_proposal.h"
#include "server/model/occurrence.h"

/* A healthy reservation was not asked about, or was healed since: taking other vnodes
 * now would only move it. */
static int refuse_yes(const struct resv_answer *a)
{
    enum resv_phase phase = resv_phase(a->r);
    bool ends = phase == PHASE_ENDING || phase == PHASE_DELETED;

    return diag_code(&a->out->why, ends ? PBSE_BADTSPEC : PBSE_BADSTATE);
}

static int ignore_no(const struct resv_answer *a UNUSED)
{
    return 0;
}

static const struct question_row question_none = {
    .command = SCHED_RECONFIRM,
    .yes = refuse_yes,
    .no = ignore_no,
};

static const struct question_row *const rows[QUESTION_KIND_COUNT] = {
    [QUESTION_NONE] = &question_none,         [QUESTION_NEW] = &question_new,
    [QUESTION_MAINTAIN] = &question_maintain, [QUESTION_REPLACE] = &question_replace,
    [QUESTION_ALTER] = &question_alter,
};

enum question_kind question_kind(const struct resv *r)
{
    enum resv_phase phase = resv_phase(r);

    /* An alteration comes first: what it asks for replaces what else would be asked. */
    if (proposal_is_open(r))
        return QUESTION_ALTER;
    if (phase == PHASE_UNCONFIRMED)
        return resv_is_maintenance(r) ? QUESTION_MAINTAIN : QUESTION_NEW;
    if (phase_is_replaced(phase) ||
        (phase_is_confirmed(phase) && resv_later_is_degraded(r)))
        return QUESTION_REPLACE;
    return QUESTION_NONE;
}

int64_t question_due_at(const struct model *m, const struct resv *r)
{
    const struct question_row *row = rows[question_kind(r)];

    return row->due_at ? row->due_at(m, r) : INT64_MAX;
}

int64_t question_limit_at(const struct model *m, const struct resv *r)
{
    const struct question_row *row = rows[question_kind(r)];

    MUST(!row->limit_at == !row->give_up); /* a limit does something */
    return row->limit_at ? row->limit_at(m, r) : INT64_MAX;
}

void question_give_up(const struct model *m, const struct resv *r, const char *actor,
                      int64_t now_at, struct decision *out)
{
    MUST(question_limit_at(m, r) <= now_at);
    rows[question_kind(r)]->give_up(m, r, actor, now_at, out);
}

int32_t question_command(const struct resv *r)
{
    return (int32_t)rows[question_kind(r)]->command;
}

int question_take(const struct resv_answer *a, bool yes)
{
    const struct question_row *row = rows[question_kind(a->r)];

    return yes ? row->yes(a) : row->no(a);
}
