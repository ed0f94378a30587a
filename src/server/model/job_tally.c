/* job_tally.c - see job_tally.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_tally.h"

#include "server/model/job_state.h"
#include "server/model/job_suspend.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ALL_NAME   "PBS_ALL"

/* No value counts for more: so many of them fit into a number that a server never has
 * as many jobs. */
#define NUMBER_MAX ((tally_number)1 << 90)
#define FLOAT_UNIT 1048576.0

struct tally_sum {
    const struct resource_def *def;
    size_t n; /* jobs that ask for it; without any the entry goes */
    tally_number of[TALLY_PARTS];
};

struct tally {
    char *name;
    size_t n_jobs; /* objects; without any the tally goes */
    size_t n[TALLY_PARTS];
    size_t bytes; /* of these jobs' attributes */
    size_t n_sums;
    struct tally_sum *sums; /* in no order */
    UT_hash_handle hh;
};

/* Sizes below one KiB count as the next (attributes.md 3). */
static tally_number kib_of(const struct size_value *s)
{
    tally_number bytes = (tally_number)s->number << s->shift;

    return ((s->words ? bytes * 8 : bytes) + 1023) >> 10;
}

static tally_number float_number(double real)
{
    const double most = 0x1p90 / FLOAT_UNIT;

    if (!(real > 0)) /* nor what is no number at all */
        return 0;
    /* The conversion of a larger number would be undefined. */
    return real < most ? (tally_number)(real * FLOAT_UNIT) : NUMBER_MAX;
}

tally_number tally_number_of(const struct resource_def *def,
                             const struct attr_value *value)
{
    const struct attr_type *type = def->type;

    if (!value->set)
        return 0;
    if (type == &attr_long || type == &attr_int64 || type == &attr_duration)
        return MAX_OF(value->u.num, 0);
    if (type == &attr_size)
        return MIN_OF(kib_of(&value->u.size), NUMBER_MAX);
    return type == &attr_float ? float_number(value->u.real) : 0;
}

/* The name under which a job counts in tallies of that kind: user, group, project, or
 * all together. */
const char *tally_name_of(const struct job *j, char kind)
{
    switch (kind) {
    case 'u':
        return obj_str(&j->obj, JOB_A_EUSER, "");
    case 'g':
        return obj_str(&j->obj, JOB_A_EGROUP, "");
    case 'p':
        return obj_str(&j->obj, JOB_A_PROJECT, TALLY_NO_PROJECT);
    default:
        return ALL_NAME;
    }
}

static size_t kind_index(char kind)
{
    const char *at = strchr(TALLY_KINDS, kind);

    /* The caller's letter is one of the constant; a user never gives it. */
    MUST(kind && at);
    return (size_t)(at - TALLY_KINDS);
}

static const struct tally *find(const struct tallies *tallies, char kind,
                                const char *name)
{
    struct tally *t;

    HASH_FIND_STR(tallies->of[kind_index(kind)], name, t);
    return t;
}

static struct tally *make(struct tally **tallies, const char *name)
{
    struct tally *t;

    HASH_FIND_STR(*tallies, name, t);
    if (t)
        return t;
    t = xcalloc(1, sizeof(*t));
    t->name = xstrdup(name);
    HASH_ADD_KEYPTR(hh, *tallies, t->name, strlen(t->name), t);
    return t;
}

static struct tally_sum *sum_of(const struct tally *t, const struct resource_def *def)
{
    for (size_t i = 0; i < t->n_sums; i++)
        if (t->sums[i].def == def)
            return &t->sums[i];
    return NULL;
}

static struct tally_sum *sum_make(struct tally *t, const struct resource_def *def)
{
    struct tally_sum *sum = sum_of(t, def);

    if (sum)
        return sum;
    t->sums = xrealloc(t->sums, (t->n_sums + 1) * sizeof(*t->sums));
    t->sums[t->n_sums] = (struct tally_sum){ .def = def };
    return &t->sums[t->n_sums++];
}

/* Does the job belong to that part? What waits of an array that has begun is queued;
 * one that stands, or is about to, does not run. */
static bool is_part(const struct job *j, enum tally_part part)
{
    static const char *const states[TALLY_PARTS] = {
        [TALLY_QUEUED] = "QB", [TALLY_RUNNING] = "R"
    };

    if (part == TALLY_RUNNING && job_is_stopped(j))
        return false;
    return part == TALLY_ALL || strchr(states[part], job_state(j));
}

/* So many objects and so much weight more; less when they are negative. */
static void count_amounts(struct tally *t, const struct job *j, const bool *parts,
                          int jobs, int64_t weight)
{
    const struct resources *list = obj_resources(&j->obj, JOB_A_RESOURCE_LIST);

    for (size_t i = 0; i < list->n; i++) {
        const struct resource_def *def = list->v[i].def;
        tally_number amount = tally_number_of(def, &list->v[i].value);
        struct tally_sum *sum;

        if (amount == 0)
            continue;
        sum = sum_make(t, def);
        MUST(jobs > 0 || sum->n > 0); /* what is taken off was counted */
        /* The addition of -1 as an unsigned number is a subtraction. */
        sum->n += (size_t)jobs;
        for (enum tally_part p = 0; p < TALLY_PARTS; p++)
            sum->of[p] += parts[p] ? weight * amount : 0;
        /* The last entry takes the place of the one that goes, since the sums are in no
         * order. */
        if (sum->n == 0)
            *sum = t->sums[--t->n_sums];
    }
}

static void count(struct tallies *tallies, const struct job *j, int jobs,
                  int64_t weight)
{
    bool parts[TALLY_PARTS];

    for (enum tally_part p = 0; p < TALLY_PARTS; p++)
        parts[p] = is_part(j, p);
    for (size_t i = 0; i < TALLY_KIND_COUNT; i++) {
        struct tally **of = &tallies->of[i];
        struct tally *t = make(of, tally_name_of(j, TALLY_KINDS[i]));

        MUST(jobs > 0 || t->n_jobs > 0);
        t->n_jobs += (size_t)jobs;
        for (enum tally_part p = 0; p < TALLY_PARTS; p++)
            t->n[p] += parts[p] ? (size_t)weight : 0;
        t->bytes += (size_t)jobs * j->bytes;
        count_amounts(t, j, parts, jobs, weight);
        /* A tally goes with its last job, so names that are not used any more take no
         * memory. */
        if (t->n_jobs > 0)
            continue;
        HASH_DEL(*of, t);
        free(t->sums);
        free(t->name);
        free(t);
    }
}

void tallies_add(struct tallies *tallies, const struct job *j)
{
    if (!job_is_history(j))
        count(tallies, j, 1, (int64_t)j->weight);
}

void tallies_remove(struct tallies *tallies, const struct job *j)
{
    if (!job_is_history(j))
        count(tallies, j, -1, -(int64_t)j->weight);
}

void tallies_reweigh(struct tallies *tallies, const struct job *j, size_t weight)
{
    if (!job_is_history(j))
        count(tallies, j, 0, (int64_t)weight - (int64_t)j->weight);
}

/* The user's tally is there: a job that is counted is in it. */
static void count_bytes(struct tallies *tallies, const struct job *j, size_t sign)
{
    if (job_is_history(j))
        return;
    for (size_t i = 0; i < TALLY_KIND_COUNT; i++)
        make(&tallies->of[i], tally_name_of(j, TALLY_KINDS[i]))->bytes +=
            sign * j->bytes;
}

void tallies_add_bytes(struct tallies *tallies, const struct job *j)
{
    count_bytes(tallies, j, 1);
}

void tallies_remove_bytes(struct tallies *tallies, const struct job *j)
{
    count_bytes(tallies, j, (size_t)-1);
}

size_t tally_jobs(const struct tallies *tallies, char kind, const char *name,
                  enum tally_part part)
{
    const struct tally *t = find(tallies, kind, name);

    return t ? t->n[part] : 0;
}

size_t tally_bytes(const struct tallies *tallies, char kind, const char *name)
{
    const struct tally *t = find(tallies, kind, name);

    return t ? t->bytes : 0;
}

tally_number tally_amount(const struct tallies *tallies, char kind, const char *name,
                          const struct resource_def *def, enum tally_part part)
{
    const struct tally *t = find(tallies, kind, name);
    const struct tally_sum *sum = t ? sum_of(t, def) : NULL;

    return sum ? sum->of[part] : 0;
}

/* Another model has definitions of its own. */
static const struct tally_sum *sum_named(const struct tally *t, const char *name)
{
    for (size_t i = 0; i < t->n_sums; i++)
        if (strcasecmp(t->sums[i].def->name, name) == 0)
            return &t->sums[i];
    return NULL;
}

static bool same_tally(const struct tally *a, const struct tally *b)
{
    if (a->n_jobs != b->n_jobs || memcmp(a->n, b->n, sizeof(a->n)) != 0 ||
        a->bytes != b->bytes || a->n_sums != b->n_sums)
        return false;
    for (size_t i = 0; i < a->n_sums; i++) {
        const struct tally_sum *x = &a->sums[i];
        /* The order of the sums depends on history, so each is looked up. */
        const struct tally_sum *y = sum_named(b, x->def->name);

        if (!y || x->n != y->n || memcmp(x->of, y->of, sizeof(x->of)) != 0)
            return false;
    }
    return true;
}

bool tallies_same(const struct tallies *a, const struct tallies *b)
{
    for (size_t i = 0; i < TALLY_KIND_COUNT; i++) {
        if (HASH_COUNT(a->of[i]) != HASH_COUNT(b->of[i]))
            return false;
        for (const struct tally *t = a->of[i]; t; t = t->hh.next) {
            const struct tally *other = find(b, TALLY_KINDS[i], t->name);

            if (!other || !same_tally(t, other))
                return false;
        }
    }
    return true;
}
