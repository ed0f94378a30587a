/* job_to_resv.c - a job that was marked with create_resv_from_job runs: the
 * reservation is made in its owner's name (reservations.md 15.2).
 *
 * The server asks itself, so the same checks speak as when the owner asks. It asks when
 * the job's script runs, so that there is nothing to give back when the job never
 * starts. A refusal takes the mark away and says why. What has to be found out first
 * (the owner's groups, the verdict of hooks) is waited for; the mark says that it is
 * wanted meanwhile, also to a server that starts again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/resv_attrs.h"
#include "server/decide/know.h"
#include "server/decide/resv_submit.h"
#include "server/model/job_state.h"
#include "server/rules/rules.h"

#include <string.h>

static bool is_wanted(const struct job *job)
{
    const struct object *o = &job->obj;

    return obj_num(o, JOB_A_CREATE_RESV_FROM_JOB, 0) && !job->resv &&
           job_state(job) == 'R' && job_substate(job) == JOB_SUB_RUNNING &&
           !obj_is_set(o, JOB_A_HF_KILL_BY);
}

/* "pbs_rsub --job" by the owner. */
static int ask(const struct rule_context *c, const struct object *job,
               struct decision *out)
{
    struct requester who =
        requester_named(c->m, obj_str(job, JOB_A_JOB_OWNER, ""), c->arena);
    struct body_queue body = { .id = "", .destination = "" };
    const struct wire_request wire = {
        .number = BATCH_SUBMIT_RESV,
        .user = who.user,
        .body = &body,
    };
    const struct request rq = {
        .wire = &wire,
        .body = &body,
        .who = &who,
        .actor = arena_strdup(c->arena, obj_str(job, JOB_A_JOB_OWNER, "")),
        .now_at = c->now_at,
        .arena = c->arena,
        .cfg = c->cfg,
        .view = c->view,
        .knows = c->knows,
    };

    wire_attrs_add(&body.attrs, c->arena, resv_rows[RESV_A_RESERVE_JOB].name, NULL,
                   job->id, WIRE_OP_SET);
    return handle_submit_resv(c->m, &rq, out);
}

/* Hooks may have made another wish of it. */
static int check_moves(const struct object *job, struct decision *out)
{
    for (size_t i = 0; i < out->records.n; i++)
        if (out->records.v[i]->fact == FACT_JOB_MOVED &&
            strcmp(out->records.v[i]->id, job->id) == 0)
            return 0;
    out->records.n = 0;
    return diag_set(&out->why, PBSE_HOOKERROR, "hooks have asked for something else");
}

bool rule_resv_from_job(const struct rule_context *c, const struct object *o,
                        struct decision *out)
{
    struct record *rec;
    int err;

    if (!is_wanted(TO_JOB(o)))
        return false;
    err = ask(c, o, out);
    if (err == NEEDED)
        return false;
    if (!err)
        err = check_moves(o, out);
    if (!err)
        return true;
    MUST(out->records.n == 0); /* who was refused has decided nothing */
    rec = rule_decide(c, o, FACT_JOB_MODIFIED, out);
    rec->note = arena_printf(c->arena, "No reservation created from job: %s (%d)",
                             out->why.text, err);
    record_change(rec, c->arena, JOB_A_CREATE_RESV_FROM_JOB, NULL, NULL);
    return true;
}
