/* snapshot.c - a snapshot as a whole: its life, its resources, one object after
 * another.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/snapshot/snapshot.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct snapshot *snapshot_new(void)
{
    struct snapshot *s = xcalloc(1, sizeof(*s));

    s->arena = arena_new();
    s->defs = resource_defs_new();
    s->sched_name = "default";
    s->partition = PARTITION_DEFAULT;
    s->backfill_fuzzy_s = FUZZY_S;
    s->preempt.queue_priority = PREEMPT_QUEUE_PRIO;
    snap_forget_server(s);
    (void)snap_res(s, ""); /* slot 0, RES_PRESENCE */
    s->res.v[RES_PRESENCE] = (struct res){ .name = "", .consumable = true };
    return s;
}

void snapshot_free(struct snapshot *s)
{
    if (!s)
        return;
    snap_kept_free(s);
    /* The requests themselves are in the arena, since a snapshot that is kept has given
     * all of its own back above. */
    HASH_CLEAR(hh, s->requests);
    arena_free(s->arena);
    resource_defs_free(s->defs);
    free(s->res.v);
    free(s->vnodes);
    free(s->queues);
    free(s->resvs);
    free(s->jobs);
    free(s);
}

void snapshot_set_name(struct snapshot *s, const char *sched_name)
{
    /* Which objects are ours depends on the name, and objects are asked as they come.
     */
    MUST(s->n_vnodes + s->n_queues + s->n_resvs + s->n_jobs == 0);
    s->sched_name = arena_strdup(s->arena, sched_name);
    if (strcmp(sched_name, "default") != 0)
        s->partition = NULL; /* the scheduler's own object says it */
}

static bool is_true(const struct wire_attrs *attrs, const char *name)
{
    const char *text = wire_attrs_value(attrs, name, NULL);
    bool yes;

    return text && bool_parse(text, &yes) == 0 && yes;
}

/* opt_backfill_fuzzy in seconds (scheduling.md 7). */
static int64_t fuzzy_of(const char *text)
{
    static const struct {
        const char *word;
        int64_t s;
    } words[] = {
        { "off", 0 }, { "low", 60 }, { "med", 600 }, { "medium", 600 }, { "high", 3600 }
    };
    for (size_t i = 0; text && i < ARRAY_LEN(words); i++)
        if (strcasecmp(text, words[i].word) == 0)
            return words[i].s;
    /* Any other word is refused by the server. */
    if (!text || !isdigit((unsigned char)*text))
        return FUZZY_S;
    return MIN_OF(strtoll(text, NULL, 10), (long long)WALLTIME_NONE_S);
}

static void read_preempt(struct snapshot *s, const struct wire_attrs *attrs)
{
    const char *prio = wire_attrs_value(attrs, "preempt_prio", NULL);
    const char *order = wire_attrs_value(attrs, "preempt_order", NULL);
    const char *express = wire_attrs_value(attrs, "preempt_queue_prio", NULL);
    const char *targets = wire_attrs_value(attrs, "preempt_targets_enable", NULL);

    s->preempt = (struct snap_preempt){
        .prio = prio ? arena_strdup(s->arena, prio) : NULL,
        .order = order ? arena_strdup(s->arena, order) : NULL,
        .queue_priority = express ? strtoll(express, NULL, 10) : PREEMPT_QUEUE_PRIO,
        .ignores_targets = targets && !is_true(attrs, "preempt_targets_enable"),
        .enforces_resumption = is_true(attrs, "sched_preempt_enforce_resumption"),
    };
}

static void read_formula(struct snapshot *s, const struct wire_attrs *attrs)
{
    const char *text = wire_attrs_value(attrs, "job_sort_formula", NULL);
    const char *threshold = wire_attrs_value(attrs, "job_sort_formula_threshold", NULL);

    s->sched_formula = text ? arena_strdup(s->arena, text) : NULL;
    s->has_threshold = threshold != NULL;
    s->threshold = threshold ? strtod(threshold, NULL) : 0;
}

void snapshot_told_at(struct snapshot *s, int64_t now_at)
{
    s->told_at = now_at;
}

static void add_sched(struct snapshot *s, const struct wire_object *o)
{
    const char *partition = wire_attrs_value(&o->attrs, "partition", NULL), *wait;

    /* Servers list all schedulers; settings of the others are not ours. */
    if (strcmp(o->name, s->sched_name) != 0)
        return;
    if (partition)
        s->partition = arena_strdup(s->arena, partition);
    s->do_not_span_psets = is_true(&o->attrs, "do_not_span_psets");
    s->only_explicit_psets = is_true(&o->attrs, "only_explicit_psets");
    s->backfill_fuzzy_s =
        fuzzy_of(wire_attrs_value(&o->attrs, "opt_backfill_fuzzy", NULL));
    wait = wire_attrs_value(&o->attrs, "job_run_wait", NULL);
    s->run_wait = wait ? arena_strdup(s->arena, wait) : NULL;
    read_preempt(s, &o->attrs);
    read_formula(s, &o->attrs);
}

void snapshot_add(struct snapshot *s, const struct wire_objects *objects)
{
    for (size_t i = 0; i < objects->n; i++) {
        const struct wire_object *o = &objects->v[i];

        switch (o->type) {
        case OBJECT_RESOURCE:
            snap_add_resource(s, o);
            break;
        case OBJECT_SERVER:
            snap_add_server(s, o);
            break;
        case OBJECT_SCHED:
            add_sched(s, o);
            break;
        default: /* what we do not know plays no part */
            if (snap_kind_of(o->type))
                snap_add(s, snap_kind_of(o->type), o);
            break;
        }
    }
}

bool snap_is_mine(const struct snapshot *s, const char *partition)
{
    /* What belongs to no partition is the default scheduler's. */
    if (!partition || !*partition)
        return strcmp(s->sched_name, "default") == 0;
    return s->partition && strcmp(partition, s->partition) == 0;
}

/* How values of the resource are compared; a resource without a definition is text. */
static enum res_kind kind_of(const struct resource_def *def)
{
    if (!def)
        return RES_TEXT;
    if (def->type == &attr_size)
        return RES_SIZE;
    if (def->type == &attr_float)
        return RES_FLOAT;
    if (def->type == &attr_bool)
        return RES_BOOL;
    if (def->type == &attr_long || def->type == &attr_int64 ||
        def->type == &attr_duration || def->type == &attr_time)
        return RES_NUMBER;
    return RES_TEXT;
}

size_t snap_res_find(const struct snapshot *s, const char *name)
{
    /* Slot 0 is no resource. A site has some tens of them. */
    for (size_t i = 1; i < s->res.n; i++)
        if (strcasecmp(s->res.v[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

size_t snap_res(struct snapshot *s, const char *name)
{
    struct res_table *t = &s->res;
    const struct resource_def *def;
    size_t i = snap_res_find(s, name);

    if (i != SIZE_MAX)
        return i;
    /* Slots are indices, so the array may move: everybody keeps the index and not the
     * place. */
    if (t->n == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 16;
        t->v = xrealloc(t->v, t->cap * sizeof(*t->v));
    }
    MUST(t->n < t->cap);
    def = resource_find(s->defs, name);
    t->v[t->n] = (struct res){
        .name = arena_strdup(s->arena, name),
        .kind = kind_of(def),
        /* Something that runs on a vnode leaves less of it there: flags n and f
           (attributes.md 6), and only of what can be counted. */
        .consumable = def && (def->flags & (RESOURCE_NODE | RESOURCE_FIRST)) &&
                      kind_of(def) != RES_TEXT && kind_of(def) != RES_BOOL,
        .summed = def &&
                  (def->flags & (RESOURCE_NODE | RESOURCE_FIRST | RESOURCE_QUEUE)) &&
                  kind_of(def) != RES_TEXT && kind_of(def) != RES_BOOL,
        .by_case = strcasecmp(name, "host") != 0,
    };
    return t->n++;
}

/* Numbers and durations: "90" and "1:30" are the same amount. */
static int64_t number_amount(const char *text)
{
    char *end;
    int64_t v = strtoll(text, &end, 10);
    int64_t duration_s;

    if (*end == ':' && duration_parse(text, &duration_s) == 0)
        return duration_s;
    return v;
}

static int64_t float_amount(const char *text)
{
    double v = strtod(text, NULL) * FLOAT_SCALE;

    if (!(v > -(double)AMOUNT_MAX)) /* nor what is no number at all */
        return -AMOUNT_MAX;
    return v < (double)AMOUNT_MAX ? (int64_t)(v + (v < 0 ? -0.5 : 0.5)) : AMOUNT_MAX;
}

static int64_t plain_amount(const struct res *res, const char *text)
{
    struct size_value size;
    bool yes;

    switch (res->kind) {
    case RES_NUMBER:
        return number_amount(text);
    case RES_SIZE:
        return size_parse(text, &size) == 0 ? size_kib(&size) : 0;
    case RES_FLOAT:
        return float_amount(text);
    case RES_BOOL:
        return bool_parse(text, &yes) == 0 && yes;
    case RES_TEXT:
        break;
    }
    return 0;
}

int64_t snap_amount(const struct res *res, const char *text)
{
    /* The bound lets sums of two amounts stay in their range. */
    int64_t amount = plain_amount(res, text);

    return MAX_OF(MIN_OF(amount, AMOUNT_MAX), -AMOUNT_MAX);
}

int64_t snap_need(const struct res *res, const char *text)
{
    int64_t amount = snap_amount(res, text);

    /* A request for less than nothing would free what others have. */
    return MAX_OF(amount, 0);
}

void snap_values_add(struct snapshot *s, struct res_values *list, const char *name,
                     const char *text)
{
    size_t res = snap_res(s, name);

    ARENA_ROOM(snap_arena(s), list, v, 8);
    list->v[list->n++] = (struct res_value){
        .res = res,
        .amount = snap_amount(&s->res.v[res], text),
        .text = arena_strdup(snap_arena(s), text),
    };
}

const struct res_value *snap_values_find(const struct res_values *list, size_t res)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].res == res)
            return &list->v[i];
    return NULL;
}

/* Define a resource from its numbers (wire.md 8.2); the built-in ones are known
 * already. */
void snap_add_resource(struct snapshot *s, const struct wire_object *o)
{
    const char *type_text = wire_attrs_value(&o->attrs, "type", NULL);
    const char *flag_text = wire_attrs_value(&o->attrs, "flag", NULL);
    const char *type =
        resource_type_of_number(type_text ? (int32_t)strtol(type_text, NULL, 10) : 0);
    struct buf flags = { 0 };

    if (!type || resource_find(s->defs, o->name))
        return;
    resource_flags_of_number(flag_text ? (uint32_t)strtoul(flag_text, NULL, 10) : 0,
                             &flags);
    /* A refusal leaves the resource unknown: its values are compared as texts. */
    (void)!resource_define(s->defs, o->name, type, flags.data ? flags.data : "", NULL);
    buf_fini(&flags);
}

size_t snapshot_queue_count(const struct snapshot *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_queues; i++)
        /* Jobs are asked for queue by queue, and those in routing queues cannot run. */
        n += s->queues[i].execution;
    return n;
}

const char *snapshot_queue_name(const struct snapshot *s, size_t i)
{
    for (size_t k = 0; k < s->n_queues; k++)
        if (s->queues[k].execution && i-- == 0)
            return s->queues[k].name;
    return NULL;
}

void snapshot_skip_none(struct snapshot *s)
{
    for (size_t i = 0; i < s->n_resvs; i++)
        s->resvs[i].skip = false;
    for (size_t i = 0; i < s->n_jobs; i++)
        s->jobs[i].spared = s->jobs[i].gave_up = s->jobs[i].put_off = false;
}

/* A subjob that waits has no element of its own: its array has one. */
static bool is_job_or_array_of(const char *element, const char *id)
{
    size_t len = strcspn(element, "[");

    return strcmp(element, id) == 0 ||
           (element[len] == '[' && element[len + 1] == ']' &&
            strncmp(element, id, len + 1) == 0);
}

void snapshot_give_up(struct snapshot *s, const char *job_id)
{
    for (size_t i = 0; i < s->n_jobs; i++)
        if (is_job_or_array_of(s->jobs[i].id, job_id))
            s->jobs[i].gave_up = true;
}

void snapshot_put_off(struct snapshot *s, const char *job_id)
{
    for (size_t i = 0; i < s->n_jobs; i++)
        if (is_job_or_array_of(s->jobs[i].id, job_id))
            s->jobs[i].put_off = true;
}

void snapshot_spare_job(struct snapshot *s, const char *job_id)
{
    for (size_t i = 0; i < s->n_jobs; i++)
        if (strcmp(s->jobs[i].id, job_id) == 0)
            s->jobs[i].spared = true;
}

void snapshot_skip_resv(struct snapshot *s, const char *resv_id)
{
    for (size_t i = 0; i < s->n_resvs; i++)
        /* An answer that the server has taken is not given twice in one cycle. */
        if (strcmp(s->resvs[i].id, resv_id) == 0)
            s->resvs[i].skip = true;
}

const struct snap_queue *snap_queue_find(const struct snapshot *s, const char *name)
{
    for (size_t i = 0; i < s->n_queues; i++)
        if (name && strcmp(s->queues[i].name, name) == 0)
            return &s->queues[i];
    return NULL;
}
