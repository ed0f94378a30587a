/* run_limits.c - see run_limits.h.
 *
 * Limits of the new form and of the old one exclude each other when they are set, so
 * both are read as one: an old one is the generic limit of its kind.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/run_limits.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "lib/attr/run_limit.h"
#include "lib/attr/server_attrs.h"
#include "server/model/job_tally.h"

#include <stdlib.h>

#define GENERIC_NAME "PBS_GENERIC"
#define NO_ATTR      (-1)

/* The attributes of a queue or of the server. */
struct limit_attrs {
    int count, amount; /* of any kind of entity */
    int old_count[sizeof("gpou") - 1], old_amount[sizeof("gpou") - 1]; /* by kind */
};

static const struct limit_attrs queue_limits = {
    .count = QUEUE_A_MAX_RUN,
    .amount = QUEUE_A_MAX_RUN_RES,
    .old_count = { QUEUE_A_MAX_GROUP_RUN, NO_ATTR, QUEUE_A_MAX_RUNNING,
                   QUEUE_A_MAX_USER_RUN },
    .old_amount = { QUEUE_A_MAX_GROUP_RES, NO_ATTR, NO_ATTR, QUEUE_A_MAX_USER_RES },
};

static const struct limit_attrs server_limits = {
    .count = SERVER_A_MAX_RUN,
    .amount = SERVER_A_MAX_RUN_RES,
    .old_count = { SERVER_A_MAX_GROUP_RUN, NO_ATTR, SERVER_A_MAX_RUNNING,
                   SERVER_A_MAX_USER_RUN },
    .old_amount = { SERVER_A_MAX_GROUP_RES, NO_ATTR, NO_ATTR, SERVER_A_MAX_USER_RES },
};

/* Where a limit holds: the jobs of a queue, or all of them. */
struct scope {
    const struct object *o;
    const char *queue; /* NULL: the server */
    const struct tallies *tallies;
    const struct limit_attrs *attrs;
};

struct wish {
    const struct model *m;
    const struct job *job;
    size_t n;
    struct arena *arena;
};

static const struct attr_value *value_of(const struct scope *s, int attr)
{
    static const struct attr_value unset;

    return attr == NO_ATTR ? &unset : obj_attr(s->o, attr);
}

/* The entry of the name, else the generic one, else NULL. */
static const struct limit *find_limit(const struct attr_value *limits, char kind,
                                      const char *name, const char *resource)
{
    const struct limit *l;

    if (!limits->set)
        return NULL;
    l = limits_find(limits, kind, name, resource);
    return l ? l : limits_find(limits, kind, GENERIC_NAME, resource);
}

static bool is_own(const struct limit *l)
{
    return !str_same(l->name, GENERIC_NAME);
}

static int refuse(const struct wish *w, const struct scope *s, char kind, bool own,
                  const char *resource, struct diag *why)
{
    const struct run_limit about = {
        .kind = kind,
        .own = own || kind == 'o',
        .queue = s->queue,
        .entity = tally_name_of(w->job, kind),
        .resource = resource,
    };

    return diag_set(why, resource ? PBSE_ENTLIMRESC : PBSE_ENTLIMCT, "%s",
                    run_limit_comment(&about, w->arena));
}

static int check_count(const struct wish *w, const struct scope *s, size_t i,
                       struct diag *why)
{
    char kind = run_limit_kinds[i];
    const char *name = tally_name_of(w->job, kind);
    const struct attr_value *old = value_of(s, s->attrs->old_count[i]);
    const struct limit *l = find_limit(value_of(s, s->attrs->count), kind, name, NULL);
    int64_t most;

    if (!l && !old->set)
        return 0;
    /* The value was read as a number when the limit was set. */
    most = l ? strtoll(l->value, NULL, 10) : old->u.num;
    if ((int64_t)(tally_jobs(s->tallies, kind, name, TALLY_RUNNING) + w->n) <= most)
        return 0;
    return refuse(w, s, kind, l && is_own(l), NULL, why);
}

/* The limit of a resource; false: there is none. */
static bool find_amount(const struct wish *w, const struct scope *s, size_t i,
                        const struct resource_def *def, tally_number *ret,
                        bool *ret_own)
{
    const struct attr_value *old = value_of(s, s->attrs->old_amount[i]);
    const struct resource_value *rv =
        old->set ? resources_find(&old->u.res, def->name) : NULL;
    const struct limit *l =
        find_limit(value_of(s, s->attrs->amount), run_limit_kinds[i],
                   tally_name_of(w->job, run_limit_kinds[i]), def->name);
    struct attr_value most = { 0 };

    *ret_own = l && is_own(l);
    if (rv && !l)
        *ret = tally_number_of(def, &rv->value);
    if (!l)
        return rv != NULL;
    if (resource_decode(def, w->m->defs, &most, l->value))
        return false; /* was decoded when it was set */
    *ret = tally_number_of(def, &most);
    def->type->clear(&most);
    return true;
}

/* Only what the job asks for can be too much. */
static int check_amounts(const struct wish *w, const struct scope *s, size_t i,
                         struct diag *why)
{
    const struct resources *asked = obj_resources(&w->job->obj, JOB_A_RESOURCE_LIST);
    char kind = run_limit_kinds[i];

    for (size_t r = 0; r < asked->n; r++) {
        const struct resource_def *def = asked->v[r].def;
        tally_number most, sum;
        bool own;

        if (!find_amount(w, s, i, def, &most, &own))
            continue;
        sum = tally_amount(s->tallies, kind, tally_name_of(w->job, kind), def,
                           TALLY_RUNNING) +
              (tally_number)w->n * tally_number_of(def, &asked->v[r].value);
        if (sum > most)
            return refuse(w, s, kind, own, def->name, why);
    }
    return 0;
}

int job_keeps_run_limits(const struct model *m, const struct job *job, size_t n,
                         struct arena *arena, struct diag *why)
{
    const struct wish w = { m, job, n, arena };
    const struct queue *q = job->queue;
    const struct scope scopes[] = {
        { q ? &q->obj : NULL, q ? q->obj.id : NULL, q ? &q->tallies : NULL,
          &queue_limits },
        { m->server, NULL, &m->tallies, &server_limits },
    };
    static int (*const checks[])(const struct wish *, const struct scope *, size_t,
                                 struct diag *) = { check_count, check_amounts };
    int err = 0;

    MUST(n > 0);
    /* The order decides which limit is named (scheduling.md 13). */
    for (size_t c = 0; c < ARRAY_LEN(checks); c++)
        for (size_t s = q ? 0 : 1; s < ARRAY_LEN(scopes); s++)
            for (size_t i = 0; !err && run_limit_kinds[i]; i++)
                err = checks[c](&w, &scopes[s], i, why);
    return err;
}
