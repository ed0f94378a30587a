/* objects.c - one status object each into its struct: its fields (fields.c), and then
 * what needs several attributes, or must be read after all others.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/snapshot/snapshot.h"

#include <stddef.h>
#include <string.h>

/* What plans find out about an object is remembered beside it where it is kept; a
 * snapshot of one pass has nobody to remember it for. */
static struct snap_memo *new_memo(struct snapshot *s)
{
    return s->kept ? ARENA_NEW(snap_arena(s), struct snap_memo) : NULL;
}

/* Memory is offered in whole MiB (scheduling.md 4). */
static void round_memory(struct snapshot *s, struct snap_vnode *v)
{
    size_t mem = snap_res_find(s, "mem");

    for (size_t i = 0; i < v->available.n; i++)
        if (v->available.v[i].res == mem)
            v->available.v[i].amount &= ~(int64_t)1023;
}

void snap_forget_server(struct snapshot *s)
{
    s->retry_time_s = RETRY_TIME_S;
    s->group_enable = false;
    s->group_key = NULL;
    s->available = (struct res_values){ 0 };
    s->limits = s->soft = (struct snap_limits){ 0 };
    s->suspend_releases = NULL;
    s->backfill_depth = (struct maybe_number){ 0 };
    s->counts_eligible = false;
    s->formula = NULL;
}

void snap_add_server(struct snapshot *s, const struct wire_object *o)
{
    snap_read_fields(s, OBJECT_SERVER, s, o);
}

static bool read_vnode(struct snapshot *s, void *place, const struct wire_object *o)
{
    const char *license = wire_attrs_value(&o->attrs, "license", NULL);
    const char *host = wire_attrs_value(&o->attrs, "resources_available", "host");
    struct snap_vnode *v = place;

    /* Vnodes that do not name their host share that of their MoM. */
    if (!host)
        host = wire_attrs_value(&o->attrs, "Mom", NULL);
    v->name = snap_text(s, o->name);
    v->host = snap_text(s, host ? host : o->name);
    /* It is true until the server says otherwise. */
    v->resv_enable = true;
    snap_read_fields(s, OBJECT_NODE, v, o);
    /* PBS leaves such a vnode out of the cycle, whatever its state says (scheduling.md
     * 4). */
    if (license && *license != 'l')
        v->usable = v->may_return = false;
    round_memory(s, v);
    return snap_is_mine(s, v->partition);
}

static bool read_queue(struct snapshot *s, void *place, const struct wire_object *o)
{
    struct snap_queue *q = place;

    q->name = snap_text(s, o->name);
    snap_read_fields(s, OBJECT_QUEUE, q, o);
    return snap_is_mine(s, q->partition);
}

/* Read what the reservation has promised while an alteration is open; without one
 * that is what it has. */
static void read_revert(struct snap_resv *r, const struct wire_attrs *attrs)
{
    const char *start = wire_attrs_value(attrs, "reserve_alter_revert", "start_time");
    const char *length = wire_attrs_value(attrs, "reserve_alter_revert", "walltime");
    int64_t length_s;

    r->old_start_at = start ? snap_number(start) : r->start_at;
    r->knows_old_end =
        length && duration_parse(length, &length_s) == 0 &&
        !__builtin_add_overflow(r->old_start_at, length_s, &r->old_end_at);
    if (!r->knows_old_end)
        r->old_end_at = r->end_at;
}

/* Read what the series had before one of its occurrences was altered, for a server that
 * does not tell the occurrences. */
static void read_series(struct snapshot *s, struct snap_resv *r,
                        const struct wire_attrs *attrs)
{
    const char *attr = "reserve_standing_revert";
    const char *start = wire_attrs_value(attrs, attr, "start_time");
    const char *length = wire_attrs_value(attrs, attr, "walltime");
    const char *select = wire_attrs_value(attrs, attr, "select");

    if (!r->standing || r->occurrences.n > 0)
        return;
    if (start)
        r->series_start_at = snap_number(start);
    if (!length || duration_parse(length, &r->series_length_s) != 0)
        r->series_length_s = 0;
    if (select)
        r->request_series = snap_request(
            s, select, wire_attrs_value(attrs, "Resource_List", "place"), &r->asked);
    if (r->rule && r->zone)
        snap_want_zone(s, r->zone);
}

/* The request of one select attribute, with the place of the object. */
static const struct request *read_select(struct snapshot *s,
                                         const struct wire_object *o, const char *attr,
                                         const struct res_values *asked)
{
    return snap_request(s, wire_attrs_value(&o->attrs, attr, NULL),
                        wire_attrs_value(&o->attrs, "Resource_List", "place"), asked);
}

static bool read_resv(struct snapshot *s, void *place, const struct wire_object *o)
{
    struct snap_resv *r = place;

    r->id = snap_text(s, o->name);
    r->memo = new_memo(s);
    snap_read_fields(s, OBJECT_RESV, r, o);
    r->request = read_select(s, o, "schedselect", &r->asked);
    r->request_orig = read_select(s, o, "schedselect_orig", &r->asked);
    r->request_series = read_select(s, o, "reserve_standing_schedselect", &r->asked);
    /* While no occurrence has had another select, all have the one that is shown, which
     * an open alteration has put aside. */
    if (!r->request_series)
        r->request_series = r->request_orig ? r->request_orig : r->request;
    r->later.request = read_select(s, o, "alter_schedselect", &r->asked);
    snap_give_requests(
        s, r, wire_attrs_value(&o->attrs, "reserve_occurrence_schedselects", NULL),
        wire_attrs_value(&o->attrs, "Resource_List", "place"));
    read_revert(r, &o->attrs);
    read_series(s, r, &o->attrs);
    /* A reservation gets its partition when it is confirmed; until then each scheduler
     * is asked about it. Maintenance holds vnodes of any partition, whichever is its
     * own. */
    r->alien = r->partition && !snap_is_mine(s, r->partition);
    return !r->alien || r->id[0] == 'M';
}

static int64_t length_of(const struct wire_object *o, const char *resource)
{
    const char *text = wire_attrs_value(&o->attrs, "Resource_List", resource);
    int64_t duration_s;

    return text && duration_parse(text, &duration_s) == 0 ? duration_s : -1;
}

/* The order of arrival, for a server that does not tell the microsecond: the second. */
static int64_t rank_of(const struct wire_object *o)
{
    const char *arrived = wire_attrs_value(&o->attrs, "qtime", NULL);
    int64_t rank;

    return arrived && !__builtin_mul_overflow(snap_number(arrived), 1000000, &rank)
               ? rank
               : 0;
}

static bool read_job(struct snapshot *s, void *place, const struct wire_object *o)
{
    struct snap_job *j = place;
    const char *targets;

    j->id = snap_text(s, o->name);
    j->memo = new_memo(s);
    snap_read_fields(s, OBJECT_JOB, j, o);
    j->told_at = s->told_at;
    j->request = read_select(s, o, "schedselect", &j->asked);
    j->walltime_s = length_of(o, "walltime");
    j->soft_walltime_s = length_of(o, "soft_walltime");
    j->min_walltime_s = length_of(o, "min_walltime");
    j->max_walltime_s = length_of(o, "max_walltime");
    targets = wire_attrs_value(&o->attrs, "Resource_List", "preempt_targets");
    j->targets = targets ? snap_text(s, targets) : NULL;
    /* Among jobs that are equal otherwise the older one comes first. */
    if (!j->rank)
        j->rank = rank_of(o);
    return true;
}

#define KIND(object, kind)                                                             \
    {                                                                                  \
        .type = (object), .size_bytes = sizeof(struct snap_##kind),                    \
        .array = offsetof(struct snapshot, kind##s),                                   \
        .n = offsetof(struct snapshot, n_##kind##s),                                   \
        .cap = offsetof(struct snapshot, cap_##kind##s), .read = read_##kind           \
    }

const struct snap_kind snap_kinds[N_SNAP_KINDS] = {
    KIND(OBJECT_NODE, vnode),
    KIND(OBJECT_QUEUE, queue),
    KIND(OBJECT_RESV, resv),
    KIND(OBJECT_JOB, job),
};

const struct snap_kind *snap_kind_of(uint32_t type)
{
    /* Servers list subjobs beside jobs, and to a plan they are the same. */
    if (type == OBJECT_SUBJOB)
        type = OBJECT_JOB;
    for (size_t i = 0; i < ARRAY_LEN(snap_kinds); i++)
        if (snap_kinds[i].type == type)
            return &snap_kinds[i];
    return NULL;
}

size_t *snap_count(struct snapshot *s, const struct snap_kind *kind)
{
    return (size_t *)((char *)s + kind->n);
}

void *snap_at(struct snapshot *s, const struct snap_kind *kind, size_t i)
{
    char *array = *(char **)((char *)s + kind->array);

    MUST(i < *snap_count(s, kind));
    return array + i * kind->size_bytes;
}

void *snap_append(struct snapshot *s, const struct snap_kind *kind)
{
    void **array = (void **)((char *)s + kind->array);
    size_t *cap = (size_t *)((char *)s + kind->cap);
    size_t *n = snap_count(s, kind);

    if (*n == *cap) {
        *cap = *cap ? *cap * 2 : 32;
        *array = xrealloc(*array, *cap * kind->size_bytes);
    }
    ++*n;
    /* A reply leaves out what is not set, so the element begins with nothing. */
    return memset(snap_at(s, kind, *n - 1), 0, kind->size_bytes);
}

/* An object of another scheduler is read and dropped again, since its partition may be
 * anywhere among its attributes. */
void snap_add(struct snapshot *s, const struct snap_kind *kind,
              const struct wire_object *o)
{
    if (!kind->read(s, snap_append(s, kind), o))
        --*snap_count(s, kind);
}
