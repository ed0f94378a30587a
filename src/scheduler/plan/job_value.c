/* job_value.c - see job_value.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/job_value.h"

#include "scheduler/plan/formula_code.h"
#include "scheduler/plan/level.h"

#include <string.h>
#include <strings.h>

/* accrue_type of the server, of a job whose time is eligible. */
#define ACCRUES_ELIGIBLE 2

typedef double (*term_fn)(const struct planner *pl, const struct snap_job *j);

/* The server told it when the job changed last; it has grown since. */
static double eligible_time(const struct planner *pl, const struct snap_job *j)
{
    bool grows = j->accrue_type == ACCRUES_ELIGIBLE && j->told_at > 0;

    return (double)j->eligible_s +
           (grows ? (double)MAX_OF(pl->now_at - j->told_at, 0) : 0);
}

static double queue_priority(const struct planner *pl, const struct snap_job *j)
{
    const struct snap_queue *q = link_of_job(pl, j)->queue;

    return q ? (double)q->priority : 0;
}

static double job_priority(const struct planner *pl UNUSED, const struct snap_job *j)
{
    return (double)j->priority;
}

static double accrue_type(const struct planner *pl UNUSED, const struct snap_job *j)
{
    return (double)j->accrue_type;
}

static double length(int64_t s)
{
    return s < 0 ? 0 : (double)s;
}

static double walltime(const struct planner *pl UNUSED, const struct snap_job *j)
{
    return length(j->walltime_s);
}

static double min_walltime(const struct planner *pl UNUSED, const struct snap_job *j)
{
    return length(j->min_walltime_s);
}

static double max_walltime(const struct planner *pl UNUSED, const struct snap_job *j)
{
    return length(j->max_walltime_s);
}

static double nodect(const struct planner *pl UNUSED, const struct snap_job *j)
{
    return j->request ? (double)j->request->n_total : 0;
}

/* Fair share is not served: nobody has a share, and nobody has used anything. */
static double nothing(const struct planner *pl UNUSED, const struct snap_job *j UNUSED)
{
    return 0;
}

static const struct term {
    const char *name;
    term_fn value;
} terms[] = {
    { "eligible_time", eligible_time },
    { "queue_priority", queue_priority },
    { "job_priority", job_priority },
    { "sort_priority", job_priority },
    { "accrue_type", accrue_type },
    { "walltime", walltime },
    { "min_walltime", min_walltime },
    { "max_walltime", max_walltime },
    { "nodect", nodect },
    { "fairshare_perc", nothing },
    { "fair_share_perc", nothing },
    { "fairshare_tree_usage", nothing },
    { "fairshare_factor", nothing },
};

/* What a name stands for: a term, else a resource, else nothing (0). */
struct meaning {
    term_fn term;
    size_t res; /* SIZE_MAX: none */
};

static struct meaning meaning_of(const struct snapshot *s, const char *name)
{
    struct meaning m = { .res = SIZE_MAX };

    for (size_t i = 0; i < ARRAY_LEN(terms); i++)
        if (strcasecmp(terms[i].name, name) == 0)
            m.term = terms[i].value;
    if (!m.term)
        m.res = snap_res_find(s, name);
    return m;
}

static double amount_of(const struct res *res, const struct res_value *asked)
{
    if (res->kind == RES_TEXT || res->kind == RES_BOOL)
        return 0;
    if (res->kind == RES_FLOAT)
        return (double)asked->amount / FLOAT_SCALE;
    return (double)asked->amount;
}

static double value_of(const struct planner *pl, const struct snap_job *j,
                       const struct meaning *m)
{
    const struct res_value *asked;

    if (m->term)
        return m->term(pl, j);
    asked = m->res == SIZE_MAX ? NULL : snap_values_find(&j->asked, m->res);
    return asked ? amount_of(&pl->s->res.v[m->res], asked) : 0;
}

/* The formula of a plan. */
struct job_formula {
    const struct formula_code *code; /* NULL: it is not understood */
    const char *why;
    struct meaning *meanings; /* of its names */
    double *values;           /* of them, for the job that is looked at */
};

void job_values_begin(struct planner *pl)
{
    const char *text = pl->s->formula ? pl->s->formula : pl->s->sched_formula;
    struct job_formula *f;

    if (!text)
        return;
    f = pl->formula = ARENA_NEW(pl->arena, struct job_formula);
    f->code = formula_compile(text, pl->arena, &f->why);
    if (!f->code)
        return;
    f->meanings = ARENA_ARRAY(pl->arena, struct meaning, f->code->n_names + 1);
    f->values = ARENA_ARRAY(pl->arena, double, f->code->n_names + 1);
    for (size_t i = 0; i < f->code->n_names; i++)
        f->meanings[i] = meaning_of(pl->s, f->code->names[i]);
}

double job_value(const struct planner *pl, const struct snap_job *j, const char **why)
{
    const struct job_formula *f = pl->formula;
    const char *unused;
    double value = 0;

    why = why ? why : &unused;
    *why = f ? f->why : NULL;
    if (!f || !f->code)
        return 0;
    for (size_t i = 0; i < f->code->n_names; i++)
        f->values[i] = value_of(pl, j, &f->meanings[i]);
    return formula_compute(f->code, f->values, &value, why) ? value : 0;
}

bool job_is_under_threshold(const struct planner *pl, const struct snap_job *j)
{
    return pl->formula && pl->s->has_threshold &&
           job_value(pl, j, NULL) <= pl->s->threshold;
}

void job_keys(struct planner *pl, const struct snap_job *j, double *ret)
{
    for (size_t i = 0; i < pl->p->n_job_keys; i++) {
        const struct sort_key *key = &pl->p->job_keys[i];
        struct meaning m = meaning_of(pl->s, key->resource);
        double value = strcmp(key->resource, "preempt_priority") == 0
                           ? (double)level_of(pl, j)
                           : value_of(pl, j, &m);

        ret[i] = key->high_first ? -value : value;
    }
}

const char *job_values_fault(const struct planner *pl)
{
    return pl->formula ? pl->formula->why : NULL;
}

void job_values_each(const struct planner *pl, value_fn each, void *arg)
{
    for (size_t i = 0; pl->formula && i < pl->s->n_jobs; i++) {
        struct job_worth w = { .id = pl->s->jobs[i].id };

        w.value = job_value(pl, &pl->s->jobs[i], &w.why);
        w.under = job_is_under_threshold(pl, &pl->s->jobs[i]);
        w.threshold = pl->s->threshold;
        each(arg, &w);
    }
}
