/* depend_rule.c - a job that waits for others: held while it must wait, let go when it
 * need not, deleted when it would wait for ever (model/depend.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/config.h"
#include "server/decide/depend_admit.h"
#include "server/decide/job_over.h"
#include "server/model/job_phase.h"
#include "server/rules/rules.h"

#include <string.h>

struct waiting_job {
    const struct job *job;
    enum depend_state state;
    const char *text; /* what is left to wait for, as it is stored */
    const char *culprit;
};

static void judge(const struct rule_context *c, struct waiting_job *w)
{
    const char *text = obj_str(&w->job->obj, JOB_A_DEPEND, NULL);
    struct depend_list list, left = { 0 };

    w->state = DEPEND_MET;
    w->text = NULL;
    if (!text || !depend_parse(text, c->arena, &list))
        return;
    w->state = depend_judge_all(c->m, &list, c->arena, &left, &w->culprit);
    w->text =
        left.n == list.n ? text : depend_text(&left, c->cfg->server_name, c->arena);
}

/* As a dependency holds: its substate, and the system's letter. */
static bool is_held(const struct job *job, struct arena *arena)
{
    return obj_is_set(&job->obj, JOB_A_HF_DEPEND_HOLD) &&
           job_phase(job) == JOB_DEPEND_HELD &&
           strchr(job_holds_text(job, arena), 's') != NULL;
}

/* Whatever else holds it holds it on. */
static void let_go(const struct rule_context *c, const struct job *job,
                   struct record *rec, struct arena *arena)
{
    const struct object *o = &job->obj;
    const char *holds = job_holds_text(job, arena);
    bool ours = str_same(obj_str(o, JOB_A_HF_DEPEND_HOLD, "-"), "s");
    char *rest = arena_strdup(arena, holds);
    char *at = ours ? strchr(rest, 's') : NULL;
    enum job_event where;

    if (at)
        memmove(at, at + 1, strlen(at));
    record_change(rec, arena, JOB_A_HF_DEPEND_HOLD, NULL, NULL);
    record_change(rec, arena, JOB_A_HOLD_TYPES, NULL, *rest ? rest : "n");
    where = job_place_held(job, rest, c->now_at);
    if (where == JOB_EV_HOLD && job_phase(job) == JOB_DEPEND_HELD)
        where = JOB_EV_DEPEND_OVER;
    record_job_event(rec, arena, job, where, c->now_at);
}

bool job_depend_due(const struct rule_context *c, const struct object *o,
                    struct decision *out)
{
    struct waiting_job w = { .job = TO_JOB(o) };
    bool held = is_held(w.job, c->arena), waits;
    struct record *rec;

    /* A run is not disturbed; what it waits for is looked at when it is back. */
    if (job_is_beyond_depend(w.job) ||
        (!obj_is_set(o, JOB_A_DEPEND) && !obj_is_set(o, JOB_A_HF_DEPEND_HOLD)))
        return false;
    judge(c, &w);
    waits = w.state == DEPEND_OPEN;
    if (w.state == DEPEND_FAILED) {
        job_unmet_record(c->m, w.job, w.culprit, c->server_actor, c->now_at, out);
        return true;
    }
    if (str_same(w.text, obj_str(o, JOB_A_DEPEND, NULL)) && held == waits &&
        (waits || !obj_is_set(o, JOB_A_HF_DEPEND_HOLD)))
        return false;
    rec = rule_decide(c, o, FACT_JOB_MODIFIED, out);
    record_change(rec, out->arena, JOB_A_DEPEND, NULL, w.text);
    if (waits && !held)
        depend_hold_changes(w.job, job_holds_text(w.job, c->arena), rec, c->now_at,
                            out->arena);
    else if (!waits && obj_is_set(o, JOB_A_HF_DEPEND_HOLD))
        let_go(c, w.job, rec, out->arena);
    return true;
}
