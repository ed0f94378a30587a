/* release.c - vnodes that a running job gives back: its MoM lets the hosts go, and then
 * they are free. Or hosts have failed, and its MoM has let them go by itself.
 *
 * The MoM is sent the same ModifyJob as for any other alteration, with all that says
 * where the job lies (tpp.md 6.2, execution.md 23). It may come twice, after a server
 * or a stream was lost: a MoM that has let the hosts go already says so.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/job_prune.h"
#include "server/decide/job_release.h"
#include "server/model/job_state.h"
#include "server/model/job_suspend.h"
#include "server/moms/moms_priv.h"

#include <string.h>

/* Nothing changes, and whoever waits is told so. */
static void keep_all(struct moms_turn *t, const struct job *job, const char *words)
{
    struct record *rec = moms_record(t, FACT_JOB_MODIFIED, OBJ_JOB, job->obj.id);

    rec->reason = REASON_NOT_RELEASED;
    rec->note = words;
    record_change(rec, t->out->arena, JOB_A_HF_RELEASE, NULL, NULL);
}

/* Members of the list that are no business of MoMs are left out, as from QueueJob. */
static struct wire_attrs for_mom(const struct model *m, const struct wire_attrs *all,
                                 struct arena *arena)
{
    struct wire_attrs some = { 0 };

    for (size_t i = 0; i < all->n; i++) {
        const struct wire_attr *a = &all->v[i];
        const struct resource_def *def =
            a->resource ? resource_find(m->defs, a->resource) : NULL;

        if (!a->resource || (def && (def->flags & RESOURCE_MOM)))
            wire_attrs_add(&some, arena, a->name, arena_strdup(arena, a->resource),
                           arena_strdup(arena, a->value), WIRE_OP_SET);
    }
    return some;
}

void send_release(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                  const struct job *job)
{
    struct arena *arena = t->effects->arena;
    struct body_manage *body = ARENA_NEW(arena, struct body_manage);
    struct wire_attrs attrs = { 0 };
    struct diag why;

    *body = (struct body_manage){ .command = MANAGER_SET,
                                  .object_type = OBJECT_JOB,
                                  .object_name = arena_strdup(arena, job->obj.id) };
    if (job_release_attrs(t->m, job, obj_str(&job->obj, JOB_A_HF_RELEASE, ""), arena,
                          &attrs, &why)) {
        keep_all(t, job, arena_strdup(t->out->arena, why.text));
        return;
    }
    body->attrs = for_mom(t->m, &attrs, arena);
    send_modify(ms, t, j, body);
}

/* A host that its mother superior could not reach may have come back before the record:
 * it is told here what it would be told when it registers. Of one that has let the job
 * go that asks nothing. */
static void discard_elsewhere(const struct moms *ms, struct moms_turn *t,
                              const struct job *job, const char *kept_text)
{
    struct exec_vnode kept;

    if (exec_vnode_parse(kept_text, t->m->defs, t->effects->arena, &kept, NULL))
        return;
    for (size_t i = 0; i < job->bookings.n; i++) {
        const struct mom *mom = mom_of_node(ms, job->bookings.v[i].node->obj.id);

        if (mom && mom->registered && !vnodes_lie_at(ms, &kept, mom))
            mom_discard(t, mom, job->obj.id, obj_num(&job->obj, JOB_A_RUN_VERSION, 0));
    }
}

static const char *kept_by(const struct record *rec)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == JOB_A_EXEC_VNODE)
            return rec->changes[i].after;
    return "";
}

void reply_to_release(const struct moms *ms, struct moms_turn *t, const struct job *job,
                      const struct wire_reply *reply)
{
    const char *signs = obj_str(&job->obj, JOB_A_HF_RELEASE, NULL);
    struct arena *arena = t->out->arena;
    struct record *rec;
    struct diag why;

    /* The job ends, and the answer came too late for the release. */
    if (!signs || job_state(job) != 'R')
        return;
    if (reply->code) {
        keep_all(t, job,
                 reply->choice == REPLY_TEXT ? arena_strdup(arena, reply->text)
                                             : pbse_text(reply->code));
        return;
    }
    rec = moms_record(t, FACT_JOB_RELEASED, OBJ_JOB, job->obj.id);
    if (job_release_changes(t->m, job, signs, arena, rec, &why) == 0) {
        discard_elsewhere(ms, t, job, kept_by(rec));
        return;
    }
    t->out->records.n--; /* it is the last one */
    keep_all(t, job, arena_strdup(arena, why.text));
}

/* A release that the MoM has been asked for is about what is left: its signs of the
 * parts that stay. */
static void goes_on_with_release(const struct job *job, const char *stays,
                                 struct record *rec, struct arena *arena)
{
    const char *open = obj_str(&job->obj, JOB_A_HF_RELEASE, NULL);
    char *left;
    size_t n = 0;

    if (!open || strlen(open) != strlen(stays))
        return;
    left = arena_strdup(arena, open);
    for (size_t i = 0; stays[i]; i++)
        if (stays[i] == RELEASE_STAYS)
            left[n++] = open[i];
    left[n] = '\0';
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == JOB_A_HF_RELEASE)
            rec->changes[i].after = left;
}

void prune_job(const struct moms *ms, struct moms_turn *t, const struct job *job,
               const char *rest, bool at_start)
{
    struct arena *arena = t->out->arena;
    struct record *rec;
    const char *signs;
    struct diag why;

    if (!*rest || strcmp(rest, obj_str(&job->obj, JOB_A_EXEC_VNODE, "")) == 0 ||
        !job_may_lose_hosts(job) || job_is_suspended(job))
        return;
    if (job_prune_signs(t->m, job, rest, arena, &signs, &why)) {
        effect_log(t->effects, t->m->seq, LOG_EV_ERROR, LOG_IN_JOB, job->obj.id,
                   "its MoM says that it lies on %s, which is no part of %s", rest,
                   obj_str(&job->obj, JOB_A_EXEC_VNODE, ""));
        return;
    }
    rec = moms_record(t, FACT_JOB_RELEASED, OBJ_JOB, job->obj.id);
    rec->reason = at_start ? REASON_PRUNED_AT_START : REASON_PRUNED;
    if (job_release_changes(t->m, job, signs, arena, rec, &why)) {
        t->out->records.n--; /* a vnode is gone: they are free at the job's end */
        return;
    }
    discard_elsewhere(ms, t, job, kept_by(rec));
    goes_on_with_release(job, signs, rec, arena);
}
