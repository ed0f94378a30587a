/* check_depend.c - nobody runs who has to wait for others, and nobody stops waiting
 * before he may.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_depend.h"

#include "lib/attr/job_attrs.h"
#include "server/model/depend.h"
#include "server/model/job_state.h"
#include "sim.h"

static const struct change *change_of(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return &rec->changes[i];
    return NULL;
}

/* A run begins: whoever it would have to wait for is not in its list any more, and of a
 * set it is the only one. */
static void check_run(struct sim *s, const struct model *m, const struct job *j,
                      const struct depend_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct depend_entry *e = &list->v[i];
        const struct job *other = e->job ? model_job(m, e->job) : NULL;

        if (e->type != DEPEND_RUNONE)
            check_failed(s, CHECK_LIFE, "job %s runs and waits for %s", j->obj.id,
                         e->job ? e->job : "others");
        else if (other && (job_is_at_mom(other) ||
                           (other->past && obj_is_set(&other->obj, JOB_A_STIME))))
            check_failed(s, CHECK_LIFE, "jobs %s and %s of one set run", j->obj.id,
                         e->job);
    }
}

static bool has(const struct depend_list *list, const struct depend_entry *e)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].type == e->type && str_same(list->v[i].job, e->job))
            return true;
    return false;
}

/* In the words of cli.md 3.7, whatever depend.c says. */
static bool is_satisfied(const struct sim *s, const struct model *m,
                         const struct job *j, const struct depend_entry *e,
                         struct arena *arena)
{
    const struct job *other = e->job ? model_job(m, e->job) : NULL;
    int64_t substate = other ? job_substate(other) : 0;
    bool over = other && job_state(other) == 'F';

    if (e->job && depend_is_remote(m, e))
        return check_two_may_go(s, j, e, arena);
    switch (e->type) {
    case DEPEND_AFTER:
        return other && (job_is_at_mom(other) || obj_is_set(&other->obj, JOB_A_STIME));
    case DEPEND_AFTEROK:
        return over && substate == JOB_SUB_FINISHED;
    case DEPEND_AFTERNOTOK:
        return over && substate != JOB_SUB_FINISHED;
    case DEPEND_AFTERANY:
        return over;
    case DEPEND_RUNONE: /* it can run no more */
        return !other || over;
    case DEPEND_ON: /* somebody's "before" counts it down */
        return true;
    default:
        return false;
    }
}

static void check_dropped(struct sim *s, const struct model *m, const struct job *j,
                          const struct change *c, struct arena *arena)
{
    struct depend_list was, is = { 0 };

    if (!c->before || !depend_parse(c->before, arena, &was))
        return;
    if (c->after && !depend_parse(c->after, arena, &is))
        check_failed(s, CHECK_LIFE, "job %s waits for \"%s\"", j->obj.id, c->after);
    for (size_t i = 0; i < was.n; i++)
        if (!has(&is, &was.v[i]) && !is_satisfied(s, m, j, &was.v[i], arena))
            check_failed(s, CHECK_LIFE, "job %s stops waiting for %s too early",
                         j->obj.id, was.v[i].job ? was.v[i].job : "others");
}

void check_depend_record(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct job *j = rec->kind == OBJ_JOB ? model_job(m, rec->id) : NULL;
    const char *text = j ? obj_str(&j->obj, JOB_A_DEPEND, NULL) : NULL;
    const struct change *c = change_of(rec, JOB_A_DEPEND);
    struct arena *arena;
    struct depend_list list;

    if (!text)
        return;
    arena = arena_new();
    if (rec->fact == FACT_JOB_RUN && depend_parse(text, arena, &list))
        check_run(s, m, j, &list);
    /* What the server does by itself; an alteration may drop what it likes. */
    if (rec->fact == FACT_JOB_MODIFIED && rec->reason == REASON_NONE && c)
        check_dropped(s, m, j, c, arena);
    arena_free(arena);
}
