/* job_limits.c - see job_limits.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_limits.h"

#include "server/model/job_state.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ALL_NAME     "PBS_ALL"
#define GENERIC_NAME "PBS_GENERIC"
#define NO_PROJECT   "_pbs_project_default"

/* In the order in which they are asked. */
static const struct kind_row {
    char kind;
    const char *word; /* NULL: everybody */
    int attr;         /* of a job; -1: everybody */
} kinds[] = {
    { 'o', NULL, -1 },
    { 'u', "user", JOB_A_EUSER },
    { 'g', "group", JOB_A_EGROUP },
    { 'p', "project", JOB_A_PROJECT },
};

static const char *name_of(const struct kind_row *k, const struct job_entity *who)
{
    switch (k->kind) {
    case 'u':
        return who->user;
    case 'g':
        return who->group;
    case 'p':
        return who->project;
    default:
        return ALL_NAME;
    }
}

/* Where a limit holds: the jobs of a queue, or all of them. */
struct scope {
    const struct model *m;
    const struct queue *q; /* NULL: the complex */
    bool queued_only;      /* jobs in state Q only */
};

static const struct job *first_job(const struct scope *s)
{
    if (s->q)
        return s->q->jobs;
    return TO_JOB(s->m->kinds[OBJ_JOB].first);
}

static const struct job *next_job(const struct scope *s, const struct job *j)
{
    return s->q ? j->queue_next : TO_JOB(j->obj.next);
}

static bool counts(const struct scope *s, const struct kind_row *k, const char *name,
                   const struct job *j)
{
    if (s->queued_only && job_state(j) != 'Q')
        return false;
    return k->attr < 0 || strcmp(obj_str(&j->obj, k->attr, NO_PROJECT), name) == 0;
}

/* The entry of the name, else the generic one, else NULL. */
static const struct limit *find_limit(const struct attr_value *limits, char kind,
                                      const char *name, const char *resource)
{
    const struct limit *generic = NULL;

    for (size_t i = 0; limits->set && i < limits->u.limits.n; i++) {
        const struct limit *l = &limits->u.limits.v[i];

        if (l->kind != kind || (resource && strcasecmp(l->resource, resource) != 0))
            continue;
        if (strcmp(l->name, name) == 0)
            return l;
        if (strcmp(l->name, GENERIC_NAME) == 0)
            generic = l;
    }
    return generic;
}

/* --- how many jobs
 * ----------------------------------------------------------------------- */

static int64_t count_jobs(const struct scope *s, const struct kind_row *k,
                          const char *name)
{
    int64_t n = 0;

    for (const struct job *j = first_job(s); j; j = next_job(s, j))
        n += counts(s, k, name, j);
    return n;
}

static int refuse_count(const struct scope *s, const struct kind_row *k,
                        const struct limit *l, struct diag *why)
{
    const char *state = s->queued_only ? " in 'Q' state" : "";
    const char *of = s->q ? s->q->obj.id : "";
    const char *where = s->q ? "queue " : "complex";

    if (!k->word)
        return diag_set(why, PBSE_ENTLIMCT, "Maximum number of jobs%s already in %s%s",
                        state, where, of);
    if (strcmp(l->name, GENERIC_NAME) == 0)
        return diag_set(why, PBSE_ENTLIMCT, "would exceed %s%s's per-%s limit%s", where,
                        of, k->word, s->queued_only ? " of jobs in 'Q' state" : "");
    return diag_set(why, PBSE_ENTLIMCT,
                    "Maximum number of jobs%s for %s %s already in %s%s", state,
                    k->word, l->name, where, of);
}

static int check_count(const struct scope *s, const struct attr_value *limits,
                       const struct job_entity *who, struct diag *why)
{
    for (size_t i = 0; limits->set && i < ARRAY_LEN(kinds); i++) {
        const char *name = name_of(&kinds[i], who);
        const struct limit *l = find_limit(limits, kinds[i].kind, name, NULL);

        if (l && count_jobs(s, &kinds[i], name) + 1 > strtoll(l->value, NULL, 10))
            return refuse_count(s, &kinds[i], l, why);
    }
    return 0;
}

int job_keeps_count_limits(const struct model *m, const struct queue *q,
                           const struct job_entity *who, struct diag *why)
{
    const struct {
        struct scope scope;
        const struct attr_value *limits;
    } rows[] = {
        { { m, q, false }, obj_attr(&q->obj, QUEUE_A_MAX_QUEUED) },
        { { m, q, true }, obj_attr(&q->obj, QUEUE_A_QUEUED_JOBS_THRESHOLD) },
        { { m, NULL, false }, obj_attr(m->server, SERVER_A_MAX_QUEUED) },
        { { m, NULL, true }, obj_attr(m->server, SERVER_A_QUEUED_JOBS_THRESHOLD) },
    };
    int err = 0;

    for (size_t i = 0; err == 0 && i < ARRAY_LEN(rows); i++)
        err = check_count(&rows[i].scope, rows[i].limits, who, why);
    return err;
}

/* --- how much
 * ---------------------------------------------------------------------------- */

static bool add_amount(struct attr_value *sum, const struct resources *list,
                       const struct resource_def *def)
{
    const struct resource_value *rv = resources_find(list, def->name);

    if (!rv || !rv->value.set)
        return true;
    if (sum->set)
        return def->type->add(sum, &rv->value) == 0;
    def->type->copy(sum, &rv->value);
    return true;
}

/* Would all of them and the new one be more than the limit? More than can be counted is
 * more. */
static bool exceeds(const struct scope *s, const struct kind_row *k, const char *name,
                    const struct resource_def *def, const struct limit *l,
                    const struct resources *wanted)
{
    struct attr_value sum = { 0 }, most = { 0 };
    bool fits = add_amount(&sum, wanted, def), more;

    for (const struct job *j = first_job(s); fits && j; j = next_job(s, j))
        if (counts(s, k, name, j))
            fits = add_amount(&sum, obj_resources(&j->obj, JOB_A_RESOURCE_LIST), def);
    if (resource_decode(def, s->m->defs, &most, l->value))
        return false; /* was decoded when it was set */
    more = !fits || def->type->compare(&sum, &most) > 0;
    if (sum.set)
        def->type->clear(&sum);
    def->type->clear(&most);
    return more;
}

static int refuse_amount(const struct scope *s, const struct kind_row *k,
                         const struct limit *l, struct diag *why)
{
    const char *of = s->q ? s->q->obj.id : "";
    const char *where = s->q ? "queue " : "complex";
    const char *state = s->queued_only ? " for jobs in 'Q' state" : "";

    if (!k->word)
        return diag_set(why, PBSE_ENTLIMRESC,
                        "would exceed limit on resource %s in %s%s%s", l->resource,
                        where, of, state);
    if (strcmp(l->name, GENERIC_NAME) == 0)
        return diag_set(why, PBSE_ENTLIMRESC,
                        "would exceed per-%s limit on resource %s in %s%s%s", k->word,
                        l->resource, where, of, state);
    return diag_set(why, PBSE_ENTLIMRESC,
                    "would exceed %s %s's limit on resource %s in %s%s%s", k->word,
                    l->name, l->resource, where, of, state);
}

/* Only what the job asks for can be too much. */
static int check_amounts(const struct scope *s, const struct attr_value *limits,
                         const struct job_entity *who, const struct resources *wanted,
                         struct diag *why)
{
    for (size_t r = 0; limits->set && r < wanted->n; r++)
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
            const struct resource_def *def = wanted->v[r].def;
            const char *name = name_of(&kinds[i], who);
            const struct limit *l = find_limit(limits, kinds[i].kind, name, def->name);

            if (l && exceeds(s, &kinds[i], name, def, l, wanted))
                return refuse_amount(s, &kinds[i], l, why);
        }
    return 0;
}

int job_keeps_amount_limits(const struct model *m, const struct queue *q,
                            const struct job_entity *who,
                            const struct resources *wanted, struct diag *why)
{
    const struct {
        struct scope scope;
        const struct attr_value *limits;
    } rows[] = {
        { { m, q, false }, obj_attr(&q->obj, QUEUE_A_MAX_QUEUED_RES) },
        { { m, q, true }, obj_attr(&q->obj, QUEUE_A_QUEUED_JOBS_THRESHOLD_RES) },
        { { m, NULL, false }, obj_attr(m->server, SERVER_A_MAX_QUEUED_RES) },
        { { m, NULL, true }, obj_attr(m->server, SERVER_A_QUEUED_JOBS_THRESHOLD_RES) },
    };
    int err = 0;

    for (size_t i = 0; err == 0 && i < ARRAY_LEN(rows); i++)
        err = check_amounts(&rows[i].scope, rows[i].limits, who, wanted, why);
    return err;
}
