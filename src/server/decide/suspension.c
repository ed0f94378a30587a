/* suspension.c - see suspension.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/suspension.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/decide/job_end.h"
#include "server/model/job_phase.h"

#include <strings.h>

int suspension_may_begin(const struct job *job, struct decision *out)
{
    static const int in_the_way[] = { JOB_A_HF_KILL_BY, JOB_A_HF_REQUEUE,
                                      JOB_A_HF_RELEASE, JOB_A_HF_SUSPEND,
                                      JOB_A_HF_CHECKPOINT };

    for (size_t i = 0; i < ARRAY_LEN(in_the_way); i++)
        if (obj_is_set(&job->obj, in_the_way[i]))
            return diag_code(&out->why, PBSE_BADSTATE);
    if (job_phase(job) != JOB_RUNNING || !obj_num(&job->obj, JOB_A_HF_SENT, 0))
        return diag_code(&out->why, PBSE_BADSTATE);
    return job_is_out_of_reach(job) ? diag_code(&out->why, PBSE_NORELYMOM) : 0;
}

void suspension_ask(struct record *rec, struct arena *arena, enum suspend_manner manner)
{
    record_change(rec, arena, JOB_A_HF_SUSPEND, NULL,
                  manner == SUSPEND_NOT ? NULL : suspend_word(manner));
}

/* Is a suspended job to give it back? Without the server's list everything is. */
static bool is_given_back(const struct attr_value *only, const struct resource_def *def)
{
    if (!def || !(def->flags & RESOURCE_CONSUMABLE))
        return false;
    if (!only->set)
        return true;
    for (size_t i = 0; i < only->u.list.n; i++)
        if (strcasecmp(only->u.list.v[i], def->name) == 0)
            return true;
    return false;
}

/* The parts of an exec_vnode with those of their resources that are given back, or with
 * the others. */
static struct exec_vnode split(const struct exec_vnode *all,
                               const struct attr_value *only, bool given_back,
                               struct arena *arena)
{
    struct exec_vnode some = { all->n, ARENA_ARRAY(arena, struct exec_chunk, all->n) };

    for (size_t i = 0; i < all->n; i++) {
        const struct exec_chunk *from = &all->chunks[i];
        struct exec_chunk *to = &some.chunks[i];

        *to = (struct exec_chunk){ from->n,
                                   ARENA_ARRAY(arena, struct vnode_part, from->n) };
        for (size_t k = 0; k < from->n; k++) {
            const struct vnode_part *part = &from->parts[k];

            to->parts[k].vnode = part->vnode;
            to->parts[k].res = ARENA_ARRAY(arena, struct chunk_resource, part->n);
            for (size_t r = 0; r < part->n; r++)
                if (is_given_back(only, part->res[r].def) == given_back)
                    to->parts[k].res[to->parts[k].n++] = part->res[r];
        }
    }
    return some;
}

static void put_list(struct record *rec, int attr, const struct attr_value *v,
                     struct arena *arena)
{
    struct wire_attrs all = { 0 };

    record_change(rec, arena, attr, NULL, NULL);
    attr_value_encode(&attr_resources, v, "", &all, arena);
    for (size_t i = 0; i < all.n; i++)
        record_change(rec, arena, attr, all.v[i].resource, all.v[i].value);
}

/* What of the job's Resource_List still counts at its queue and at the server: what it
 * does not give back. 'gone' are the sums over its vnodes, and what is given back
 * beside them goes whole. */
static void put_kept_list(const struct model *m, const struct job *job,
                          const struct attr_value *only, const struct resources *gone,
                          struct record *rec, struct arena *arena)
{
    const struct attr_value *list = obj_attr(&job->obj, JOB_A_RESOURCE_LIST);
    struct attr_value kept = { .set = true };
    struct wire_attrs all = { 0 };

    attr_value_encode(&attr_resources, list, "", &all, arena);
    for (size_t i = 0; i < all.n; i++) {
        const struct wire_attr *a = &all.v[i];
        const struct resource_value *had = resources_find(&list->u.res, a->resource);
        const struct resource_value *less = resources_find(gone, a->resource);
        struct wire_attrs by = { 0 };
        const struct attr_value one = { .set = true, .u.res = { 1, (void *)less } };

        if (!(had->def->flags & RESOURCE_QUEUE) ||
            (is_given_back(only, had->def) && !less))
            continue;
        if (attr_value_set(&attr_resources, &kept, m->defs, a->resource, a->value,
                           WIRE_OP_SET))
            continue;
        if (less)
            attr_value_encode(&attr_resources, &one, "", &by, arena);
        for (size_t k = 0; k < by.n; k++)
            (void)!attr_value_set(&attr_resources, &kept, m->defs, by.v[k].resource,
                                  by.v[k].value, WIRE_OP_DECR);
    }
    put_list(rec, JOB_A_HF_KEPT_LIST, &kept, arena);
    resources_clear(&kept.u.res);
}

/* Where the server has a list, what was given back is shown (attributes.md 14.1). */
static void put_released(const struct exec_vnode *gone, const struct attr_value *sums,
                         struct record *rec, struct arena *arena)
{
    struct exec_vnode shown = { 0, ARENA_ARRAY(arena, struct exec_chunk, gone->n) };

    for (size_t i = 0; i < gone->n; i++) {
        struct exec_chunk some = { 0, ARENA_ARRAY(arena, struct vnode_part,
                                                  gone->chunks[i].n) };

        for (size_t k = 0; k < gone->chunks[i].n; k++)
            if (gone->chunks[i].parts[k].n > 0)
                some.parts[some.n++] = gone->chunks[i].parts[k];
        if (some.n > 0)
            shown.chunks[shown.n++] = some;
    }
    if (shown.n == 0)
        return;
    record_change(rec, arena, JOB_A_RESOURCES_RELEASED, NULL,
                  exec_vnode_print(&shown, arena));
    put_list(rec, JOB_A_RESOURCE_RELEASED_LIST, sums, arena);
}

static void give_back(const struct model *m, const struct job *job, struct record *rec,
                      struct arena *arena)
{
    const struct attr_value *only =
        obj_attr(m->server, SERVER_A_RESTRICT_RES_TO_RELEASE_ON_SUSPEND);
    struct attr_value sums = { .set = true };
    struct exec_vnode all, kept, gone;

    /* A text that cannot be read books nothing, so there is nothing to give back. */
    if (exec_vnode_parse(obj_str(&job->obj, JOB_A_EXEC_VNODE, ""), m->defs, arena, &all,
                         NULL))
        return;
    kept = split(&all, only, false, arena);
    gone = split(&all, only, true, arena);
    exec_vnode_sum(&gone, NULL, &sums.u.res);
    record_change(rec, arena, JOB_A_EXEC_VNODE_KEPT, NULL,
                  exec_vnode_print(&kept, arena));
    if (only->set)
        put_kept_list(m, job, only, &sums.u.res, rec, arena);
    if (only->set)
        put_released(&gone, &sums, rec, arena);
    resources_clear(&sums.u.res);
}

void suspension_begin(const struct model *m, const struct job *job, struct record *rec,
                      struct arena *arena)
{
    enum suspend_manner manner = job_suspend_manner(job);
    bool again = job_is_to_go_on(job);

    MUST(job_phase(job) == JOB_RUNNING);
    /* A scheduler tries again to resume what could not be resumed. */
    record_job_event(rec, arena, job,
                     manner == SUSPEND_BY_SCHEDULER ||
                             (again && manner != SUSPEND_BY_ADMIN)
                         ? JOB_EV_SCHED_SUSPEND
                         : JOB_EV_SUSPEND,
                     rec->at);
    record_change(rec, arena, JOB_A_HF_RESUME, NULL, NULL);
    record_change_num(rec, arena, JOB_A_RAN_TIME,
                      again ? obj_num(&job->obj, JOB_A_RAN_TIME, 0)
                            : job_ran_s(job, rec->at));
    record_change_num(rec, arena, JOB_A_RUNS_FROM, rec->at);
    if (manner == SUSPEND_BY_SCHEDULER)
        record_change_num(rec, arena, JOB_A_PTIME, rec->at);
    if (manner != SUSPEND_BY_ADMIN)
        give_back(m, job, rec, arena);
}

void suspension_leave(const struct job *job, struct record *rec, struct arena *arena)
{
    static const int gone[] = { JOB_A_EXEC_VNODE_KEPT, JOB_A_HF_KEPT_LIST,
                                JOB_A_RESOURCES_RELEASED, JOB_A_RESOURCE_RELEASED_LIST,
                                JOB_A_PTIME };

    MUST(job_is_suspended(job));
    record_job_event(rec, arena, job, JOB_EV_RESUME, rec->at);
    record_change(rec, arena, JOB_A_HF_RESUME, NULL, "True");
    record_change_num(rec, arena, JOB_A_RUNS_FROM, rec->at);
    for (size_t i = 0; i < ARRAY_LEN(gone); i++)
        record_change(rec, arena, gone[i], NULL, NULL);
}

void suspension_end(struct record *rec, struct arena *arena)
{
    record_change(rec, arena, JOB_A_HF_RESUME, NULL, NULL);
    record_change(rec, arena, JOB_A_HF_SUSPEND, NULL, NULL);
}

void suspension_by_host(const struct job *job, bool stands, struct record *rec,
                        struct arena *arena)
{
    MUST(job_stopped_by_host(job) != stands);
    record_change(rec, arena, JOB_A_HF_STANDS, NULL, stands ? "True" : NULL);
    /* Of a job that is suspended the clock does not run either way. */
    if (job_is_suspended(job))
        return;
    record_change_num(rec, arena, JOB_A_RAN_TIME, job_ran_s(job, rec->at));
    record_change_num(rec, arena, JOB_A_RUNS_FROM, rec->at);
}
