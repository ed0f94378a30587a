/* objects.c - one status object each into its struct.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/snapshot/snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Append a zeroed element to an array of the snapshot. */
#define APPEND(s, array, n, cap)                                                       \
    ((s)->n == (s)->cap                                                                \
         ? ((s)->cap = (s)->cap ? (s)->cap * 2 : 32,                                   \
            (s)->array = xrealloc((s)->array, (s)->cap * sizeof(*(s)->array)))         \
         : (s)->array,                                                                 \
     memset(&(s)->array[(s)->n], 0, sizeof(*(s)->array)), &(s)->array[(s)->n++])

static char *keep(struct snapshot *s, const char *text)
{
    return arena_strdup(s->arena, text);
}

static bool is_true(const char *text)
{
    bool yes;

    return bool_parse(text, &yes) == 0 && yes;
}

static int64_t number(const char *text)
{
    return strtoll(text, NULL, 10);
}

/* Words of a vnode's state that take it out of every plan (reservations.md 12.1). */
static bool word_is_unusable(const char *word, size_t len)
{
    static const char *const words[] = {
        "offline", "down",        "stale", "state-unknown", "unresolvable",
        "unknown", "maintenance", "sleep", "provisioning",  "wait-provisioning",
        "deleted",
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i]) == len && strncasecmp(words[i], word, len) == 0)
            return true;
    return false;
}

static void read_vnode_state(struct snap_vnode *v, const char *text)
{
    v->usable = *text != '\0';
    v->idle = strcmp(text, "free") == 0;
    while (*text) {
        size_t len = strcspn(text, ", ");

        if (word_is_unusable(text, len))
            v->usable = false;
        if (len == 4 && strncmp(text, "busy", len) == 0)
            v->busy = true;
        text += len;
        text += strspn(text, ", ");
    }
}

static enum sharing sharing_of(const char *text)
{
    static const char *const names[] = {
        [SHARING_DEFAULT_SHARED] = "default_shared",
        [SHARING_DEFAULT_EXCL] = "default_excl",
        [SHARING_DEFAULT_EXCLHOST] = "default_exclhost",
        [SHARING_IGNORE_EXCL] = "ignore_excl",
        [SHARING_FORCE_EXCL] = "force_excl",
        [SHARING_FORCE_EXCLHOST] = "force_exclhost",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], text) == 0)
            return (enum sharing)i;
    return SHARING_DEFAULT_SHARED;
}

static void read_vnode_attr(struct snapshot *s, struct snap_vnode *v,
                            const struct wire_attr *a)
{
    if (strcmp(a->name, "resources_available") == 0 && a->resource)
        snap_values_add(s, &v->available, a->resource, a->value);
    else if (strcmp(a->name, "state") == 0)
        read_vnode_state(v, a->value);
    else if (strcmp(a->name, "resv_enable") == 0)
        v->resv_enable = is_true(a->value);
    else if (strcmp(a->name, "no_multinode_jobs") == 0)
        v->no_multinode = is_true(a->value);
    else if (strcmp(a->name, "sharing") == 0)
        v->sharing = sharing_of(a->value);
    else if (strcmp(a->name, "Priority") == 0)
        v->priority = number(a->value);
    else if (strcmp(a->name, "queue") == 0)
        v->queue = keep(s, a->value);
    else if (strcmp(a->name, "partition") == 0)
        v->partition = keep(s, a->value);
}

/* Memory is offered in whole MiB (scheduling.md 4). */
static void round_memory(struct snapshot *s, struct snap_vnode *v)
{
    size_t mem = snap_res_find(s, "mem");

    for (size_t i = 0; i < v->available.n; i++)
        if (v->available.v[i].res == mem)
            v->available.v[i].amount &= ~(int64_t)1023;
}

void snap_add_vnode(struct snapshot *s, const struct wire_object *o)
{
    const char *license = wire_attrs_value(&o->attrs, "license", NULL);
    const char *host = wire_attrs_value(&o->attrs, "resources_available", "host");
    struct snap_vnode *v = APPEND(s, vnodes, n_vnodes, cap_vnodes);

    if (!host)
        host = wire_attrs_value(&o->attrs, "Mom", NULL);
    v->name = keep(s, o->name);
    v->host = keep(s, host ? host : o->name);
    v->resv_enable = true;
    for (size_t i = 0; i < o->attrs.n; i++)
        read_vnode_attr(s, v, &o->attrs.v[i]);
    if (license && *license != 'l')
        v->usable = false;
    round_memory(s, v);
    if (!snap_is_mine(s, v->partition))
        s->n_vnodes--;
}

void snap_add_queue(struct snapshot *s, const struct wire_object *o)
{
    const char *type = wire_attrs_value(&o->attrs, "queue_type", NULL);
    const char *started = wire_attrs_value(&o->attrs, "started", NULL);
    const char *priority = wire_attrs_value(&o->attrs, "Priority", NULL);
    const char *partition = wire_attrs_value(&o->attrs, "partition", NULL);
    struct snap_queue *q;

    if (!snap_is_mine(s, partition))
        return;
    q = APPEND(s, queues, n_queues, cap_queues);
    q->name = keep(s, o->name);
    q->partition = keep(s, partition);
    q->execution = type && strncasecmp(type, "e", 1) == 0;
    q->started = started && is_true(started);
    q->priority = priority ? number(priority) : 0;
}

static void read_resv_attr(struct snapshot *s, struct snap_resv *r,
                           const struct wire_attr *a)
{
    const struct {
        const char *name;
        int64_t *number;
        const char **text;
    } rows[] = {
        { "reserve_state", &r->state, NULL },
        { "reserve_substate", &r->substate, NULL },
        { "reserve_start", &r->start_at, NULL },
        { "reserve_end", &r->end_at, NULL },
        { "queue", NULL, &r->queue },
        { "partition", NULL, &r->partition },
        { "resv_nodes", NULL, &r->nodes },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(a->name, rows[i].name) != 0)
            continue;
        if (rows[i].number)
            *rows[i].number = number(a->value);
        else if (*a->value)
            *rows[i].text = keep(s, a->value);
    }
    if (strcmp(a->name, "reserve_retry") == 0) {
        r->has_retry = true;
        r->retry_at = number(a->value);
    }
    if (strcmp(a->name, "alter_seq") == 0) {
        r->has_seq = true;
        r->seq = number(a->value);
    }
}

/* What it has promised while an alteration is open. */
static void read_revert(struct snap_resv *r, const struct wire_attrs *attrs)
{
    const char *start = wire_attrs_value(attrs, "reserve_alter_revert", "start_time");
    const char *length = wire_attrs_value(attrs, "reserve_alter_revert", "walltime");
    int64_t length_s;

    r->old_start_at = start ? number(start) : r->start_at;
    r->knows_old_end =
        length && duration_parse(length, &length_s) == 0 &&
        !__builtin_add_overflow(r->old_start_at, length_s, &r->old_end_at);
    if (!r->knows_old_end)
        r->old_end_at = r->end_at;
}

void snap_add_resv(struct snapshot *s, const struct wire_object *o)
{
    const char *place = wire_attrs_value(&o->attrs, "Resource_List", "place");
    const char *standing = wire_attrs_value(&o->attrs, "reserve_standing", NULL);
    struct snap_resv *r = APPEND(s, resvs, n_resvs, cap_resvs);

    r->id = keep(s, o->name);
    for (size_t i = 0; i < o->attrs.n; i++)
        read_resv_attr(s, r, &o->attrs.v[i]);
    r->request =
        snap_request(s, wire_attrs_value(&o->attrs, "schedselect", NULL), place);
    r->request_orig =
        snap_request(s, wire_attrs_value(&o->attrs, "schedselect_orig", NULL), place);
    r->standing = standing && number(standing) != 0;
    read_revert(r, &o->attrs);
    if (r->partition && !snap_is_mine(s, r->partition))
        s->n_resvs--;
}

static int64_t walltime_of(const struct wire_object *o)
{
    const char *text = wire_attrs_value(&o->attrs, "Resource_List", "walltime");
    int64_t duration_s;

    return text && duration_parse(text, &duration_s) == 0 ? duration_s : -1;
}

static int64_t job_number(const struct wire_object *o, const char *name)
{
    const char *text = wire_attrs_value(&o->attrs, name, NULL);

    return text ? number(text) : 0;
}

static const char *job_text(struct snapshot *s, const struct wire_object *o,
                            const char *name)
{
    const char *text = wire_attrs_value(&o->attrs, name, NULL);

    return text && *text ? keep(s, text) : NULL;
}

/* select, place and the counts made of them are no amounts. */
static bool is_amount(const char *resource)
{
    return strcmp(resource, "select") != 0 && strcmp(resource, "place") != 0 &&
           strcmp(resource, "nodect") != 0 && strcmp(resource, "walltime") != 0;
}

void snap_add_job(struct snapshot *s, const struct wire_object *o)
{
    struct snap_job *j = APPEND(s, jobs, n_jobs, cap_jobs);
    const char *state = wire_attrs_value(&o->attrs, "job_state", NULL);
    const char *place = wire_attrs_value(&o->attrs, "Resource_List", "place");
    const char *array = wire_attrs_value(&o->attrs, "array", NULL);

    j->id = keep(s, o->name);
    j->queue = job_text(s, o, "queue");
    j->request =
        snap_request(s, wire_attrs_value(&o->attrs, "schedselect", NULL), place);
    j->exec_vnode = job_text(s, o, "exec_vnode");
    j->comment = job_text(s, o, "comment");
    j->state = state ? *state : '\0';
    j->substate = job_number(o, "substate");
    j->array = array && is_true(array);
    j->walltime_s = walltime_of(o);
    j->started_at = job_number(o, "stime");
    j->rank = job_number(o, "queue_rank");
    if (!j->rank)
        j->rank = job_number(o, "qtime") * 1000000;
    j->priority = job_number(o, "Priority");
    for (size_t i = 0; i < o->attrs.n; i++) {
        const struct wire_attr *a = &o->attrs.v[i];

        if (strcmp(a->name, "Resource_List") == 0 && a->resource &&
            is_amount(a->resource))
            snap_values_add(s, &j->wanted, a->resource, a->value);
    }
}
