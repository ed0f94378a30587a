/* job_limits.c - see job_limits.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/job_limits.h"

#include "server/model/job_state.h"
#include "server/model/job_tally.h"

#include <stdlib.h>
#include <string.h>

#define GENERIC_NAME "PBS_GENERIC"

/* In the order in which they are asked. */
static const struct kind_row {
    char kind;
    const char *word; /* NULL: everybody */
} kinds[] = {
    { 'o', NULL },
    { 'u', "user" },
    { 'g', "group" },
    { 'p', "project" },
};

/* Where a limit holds: the jobs of a queue, or all of them. */
struct scope {
    const struct tallies *tallies;
    const struct queue *q; /* NULL: the complex */
    bool queued_only;      /* jobs in state Q only */
    const struct attr_value *limits;
};

static enum tally_part part_of(const struct scope *s)
{
    return s->queued_only ? TALLY_QUEUED : TALLY_ALL;
}

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
        return "PBS_ALL";
    }
}

/* The job before its alteration, where it counted for the same entity; else NULL. */
static const struct job *same_before(const struct kind_row *k,
                                     const struct job_entity *who)
{
    const struct job *was = who->was;

    return was && strcmp(tally_name_of(was, k->kind), name_of(k, who)) == 0 ? was
                                                                            : NULL;
}

/* The entry of the name, else the generic one, else NULL. */
static const struct limit *find_limit(const struct attr_value *limits, char kind,
                                      const char *name, const char *resource)
{
    const struct limit *l = limits_find(limits, kind, name, resource);

    return l ? l : limits_find(limits, kind, GENERIC_NAME, resource);
}

static int refuse_count(const struct scope *s, const struct kind_row *k,
                        const struct limit *l, struct diag *why)
{
    const char *state = s->queued_only ? " in 'Q' state" : "";
    const char *of = s->q ? s->q->obj.id : "";
    const char *where = s->q ? "queue " : "complex";

    if (s->q && k->kind == 'u' && strcmp(l->name, GENERIC_NAME) == 0)
        of = "generic"; /* the word itself in place of the queue: suites match it */
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

static int check_count(const struct scope *s, const struct job_entity *who,
                       struct diag *why)
{
    for (size_t i = 0; s->limits->set && i < ARRAY_LEN(kinds); i++) {
        const struct kind_row *k = &kinds[i];
        const char *name = name_of(k, who);
        const struct limit *l = find_limit(s->limits, k->kind, name, NULL);

        /* A job that is altered and stays with the same entity is in its tally
         * already. */
        if (!l || same_before(k, who))
            continue;
        if ((int64_t)(tally_jobs(s->tallies, k->kind, name, part_of(s)) + who->weight) >
            /* The value was read as a number when the limit was set. */
            strtoll(l->value, NULL, 10))
            return refuse_count(s, k, l, why);
    }
    return 0;
}

/* The first two scopes are the queue's, the others the complex's. */
static size_t n_scopes(const struct job_entity *who)
{
    return who->is_here ? 2 : 4;
}

int job_keeps_count_limits(const struct model *m, const struct queue *q,
                           const struct job_entity *who, struct diag *why)
{
    const struct object *o = &q->obj;
    const struct scope scopes[] = {
        { &q->tallies, q, false, obj_attr(o, QUEUE_A_MAX_QUEUED) },
        { &q->tallies, q, true, obj_attr(o, QUEUE_A_QUEUED_JOBS_THRESHOLD) },
        { &m->tallies, NULL, false, obj_attr(m->server, SERVER_A_MAX_QUEUED) },
        { &m->tallies, NULL, true,
          obj_attr(m->server, SERVER_A_QUEUED_JOBS_THRESHOLD) },
    };
    int err = 0;

    /* The order decides which limit a refusal names: the queue's come before the
     * server's. */
    for (size_t i = 0; err == 0 && i < n_scopes(who); i++)
        err = check_count(&scopes[i], who, why);
    return err;
}

/* What the job asked for already before it was altered; 0 for a new job. */
static tally_number amount_before(const struct job *was, const char *resource)
{
    const struct resource_value *rv =
        was ? resources_find(obj_resources(&was->obj, JOB_A_RESOURCE_LIST), resource)
            : NULL;

    /* What the job asked for before is in the sum already and must not count twice. */
    return rv ? tally_number_of(rv->def, &rv->value) : 0;
}

/* Whether all jobs of the entity and the amount that is asked for are together above
 * the limit. */
static bool exceeds(const struct scope *s, const struct model *m,
                    const struct kind_row *k, const struct job_entity *who,
                    const struct limit *l, const struct resource_value *asked)
{
    const struct resource_def *def = asked->def;
    const struct job *was = same_before(k, who);
    tally_number weight = (tally_number)who->weight;
    tally_number more = weight * tally_number_of(def, &asked->value);
    tally_number before = weight * amount_before(was, def->name);
    tally_number sum =
        tally_amount(s->tallies, k->kind, name_of(k, who), def, part_of(s));
    struct attr_value most = { 0 };
    bool too_much;

    if (was && more <= before)
        return false;
    if (resource_decode(def, m->defs, &most, l->value))
        return false; /* was decoded when it was set */
    if (!s->queued_only || (was && strchr("QB", job_state(was))))
        sum -= before;
    too_much = sum + more > tally_number_of(def, &most);
    def->type->clear(&most);
    return too_much;
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
static int check_amounts(const struct scope *s, const struct model *m,
                         const struct job_entity *who, const struct resources *asked,
                         struct diag *why)
{
    for (size_t r = 0; s->limits->set && r < asked->n; r++)
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
            const struct kind_row *k = &kinds[i];
            const struct limit *l =
                find_limit(s->limits, k->kind, name_of(k, who), asked->v[r].def->name);

            /* The first limit that is broken is named. */
            if (l && exceeds(s, m, k, who, l, &asked->v[r]))
                return refuse_amount(s, k, l, why);
        }
    return 0;
}

int job_keeps_amount_limits(const struct model *m, const struct queue *q,
                            const struct job_entity *who, const struct resources *asked,
                            struct diag *why)
{
    const struct object *o = &q->obj, *svr = m->server;
    const struct scope scopes[] = {
        { &q->tallies, q, false, obj_attr(o, QUEUE_A_MAX_QUEUED_RES) },
        { &q->tallies, q, true, obj_attr(o, QUEUE_A_QUEUED_JOBS_THRESHOLD_RES) },
        { &m->tallies, NULL, false, obj_attr(svr, SERVER_A_MAX_QUEUED_RES) },
        { &m->tallies, NULL, true, obj_attr(svr, SERVER_A_QUEUED_JOBS_THRESHOLD_RES) },
    };
    int err = 0;

    /* The order is that of the limits of numbers, for the same reason. */
    for (size_t i = 0; err == 0 && i < n_scopes(who); i++)
        err = check_amounts(&scopes[i], m, who, asked, why);
    return err;
}
