/* two.c - see two.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/two.h"

#include "lib/attr/job_attrs.h"
#include "server/model/waiters.h"
#include "test/unit/unit.h"

#include <string.h>

const int two_says_nothing[TWO_SAYS_NOTHING] = {
    PBSE_SAVE_ERR, PBSE_SVRDOWN, PBSE_SYSTEM, PBSE_PERM, PBSE_IVALREQ,
};

struct two two_new(void)
{
    struct two t = { .fm = fake_mom_new() };

    CU_ASSERT_STRING_EQUAL_FATAL(submit(t.fm.r, RIG_USER, "", "", "x\n"), FIRST);
    t.out = (struct pair){ .from = rig_new(), .to = t.fm.r, .conn = 1000 };
    t.back = (struct pair){ .from = t.fm.r, .to = t.out.from, .conn = 2000 };
    return t;
}

void two_free(struct two *t)
{
    CU_ASSERT_TRUE(rig_is_same(t->out.from));
    CU_ASSERT_TRUE(rig_is_same(t->fm.r));
    rig_free(t->out.from);
    fake_mom_free(&t->fm);
}

void two_ask_for(struct two *t, const char *depend)
{
    CU_ASSERT_PTR_NULL(submit(t->out.from, RIG_USER, "",
                              arena_printf(t->out.from->arena, "depend=%s", depend),
                              "x\n"));
    t->out.client = t->out.from->conn;
}

const struct wire_reply *two_answered(struct two *t, const struct finding *f)
{
    const struct effects asked = t->out.from->out;

    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(t->out.from));
    t->out.said = NULL;
    for (size_t i = 0; !t->out.said && i < asked.n; i++) {
        const struct need *need = &asked.v[i].u.need;
        struct finding own;

        if (asked.v[i].kind != EFFECT_FIND_OUT || !need_is_deed(need->kind))
            continue;
        own = f ? *f : pair_attempt(&t->out, need, FOR_EVER);
        pair_tell(&t->out, need, &own);
    }
    if (!t->out.said)
        t->out.said = rig_go_on(t->out.from, t->out.client);
    return t->out.said;
}

const char *two_child(struct two *t, const char *type)
{
    two_ask_for(t, arena_printf(t->out.from->arena, "%s:" FIRST "@two", type));
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(t->out.from));
    CU_ASSERT_STRING_EQUAL(transfer_asked(t->out.from)->detail, "@two");
    CU_ASSERT_PTR_NOT_NULL_FATAL(two_answered(t, NULL));
    CU_ASSERT_EQUAL_FATAL(t->out.said->code, 0);
    return t->out.said->text;
}

void two_let_happen(struct fake_mom *fm, enum how how)
{
    if (how == IS_DELETED) {
        CU_ASSERT_EQUAL(delete_job(fm->r, RIG_USER, FIRST, NULL), 0);
        return;
    }
    CU_ASSERT_EQUAL(run_job(fm->r, FIRST, "(n1:ncpus=1)"), 0);
    fake_answer(fm, fake_told(fm, BATCH_COMMIT, 0), 0, NULL);
    if (how == RUNS)
        return;
    fake_obit(fm, FIRST, 1, how == ENDS_WELL ? 0 : 1);
    fake_answer(fm, fake_told(fm, BATCH_COPY_FILES, 0), 0, NULL);
    fake_answer(fm, fake_told(fm, BATCH_DELETE_JOB, 0), 0, NULL);
}

void two_tell(struct two *t)
{
    rig_restart(t->fm.r);
    while (transfer_asked(t->fm.r))
        pair_go(&t->back, FOR_EVER);
}

void two_ask_again(struct two *t, int64_t after_s, const struct finding *f)
{
    struct rig *here = t->out.from;

    rig_advance(here, here->now_at + after_s);
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(here));
    if (f)
        pair_tell(&t->out, transfer_asked(here), f);
    else
        pair_go(&t->out, FOR_EVER);
}

bool two_is_confirmed(const struct rig *r, const char *id)
{
    const struct waiters list =
        waiters_in(TO_JOB(the_job(r, id)), JOB_A_HF_VERIFY, r->arena);

    for (size_t i = 0; i < list.n; i++)
        if (!list.v[i].known)
            return false;
    return list.n > 0;
}

size_t n_asked(const struct rig *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->out.n; i++)
        n += r->out.v[i].kind == EFFECT_FIND_OUT;
    return n;
}

bool is_asked(const struct rig *r, const char *detail)
{
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.v[i].kind == EFFECT_FIND_OUT && r->out.v[i].u.need.detail &&
            strcmp(r->out.v[i].u.need.detail, detail) == 0)
            return true;
    return false;
}

int two_say(struct two *t, const struct body_register_dep *body)
{
    const struct wire_request rq = { .number = BATCH_REGISTER_DEP,
                                     .user = RIG_ROOT,
                                     .body = body };

    t->back.conn++;
    return pair_served(&t->back, &rq).code;
}
