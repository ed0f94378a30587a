/* fields.c - the attributes of a status object, value by value into its struct.
 *
 * A row says which attribute is read, how, and where it goes; the daemon asks a server
 * for the attributes of the rows and no others (snapshot_wants()).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/snapshot/snapshot.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct field {
    const char *name;
    /* Read one value of the attribute into the struct; NULL: read when all are known.
     */
    void (*read)(struct snapshot *s, void *place, const struct wire_attr *a);
    size_t offset; /* of the place in the struct */
    bool ours;     /* servers of another make do not know the attribute */
    bool others;   /* only theirs means anything */
};

char *snap_text(struct snapshot *s, const char *text)
{
    return arena_strdup(snap_arena(s), text);
}

int64_t snap_number(const char *text)
{
    return strtoll(text, NULL, 10);
}

static void read_text(struct snapshot *s, void *place, const struct wire_attr *a)
{
    /* An empty text says the same as an attribute that is not set. */
    if (*a->value)
        *(const char **)place = snap_text(s, a->value);
}

static void read_number(struct snapshot *s, void *place, const struct wire_attr *a)
{
    (void)s;
    *(int64_t *)place = snap_number(a->value);
}

static void read_duration(struct snapshot *s, void *place, const struct wire_attr *a)
{
    (void)s;
    if (duration_parse(a->value, place) != 0)
        *(int64_t *)place = 0;
}

static void read_bool(struct snapshot *s, void *place, const struct wire_attr *a)
{
    bool yes;

    (void)s;
    *(bool *)place = bool_parse(a->value, &yes) == 0 && yes;
}

/* What is so as long as the server does not say otherwise: true when it does. */
static void read_false(struct snapshot *s, void *place, const struct wire_attr *a)
{
    bool yes;

    (void)s;
    *(bool *)place = bool_parse(a->value, &yes) == 0 && !yes;
}

/* Is it the letter for "never"? */
static void read_none(struct snapshot *s, void *place, const struct wire_attr *a)
{
    (void)s;
    *(bool *)place = strcmp(a->value, "n") == 0;
}

/* A number that may be absent, with a flag behind it. */
static void read_maybe(struct snapshot *s, void *place, const struct wire_attr *a)
{
    struct maybe_number *m = place;

    (void)s;
    *m = (struct maybe_number){ .is_set = true, .value = snap_number(a->value) };
}

static void read_amounts(struct snapshot *s, void *place, const struct wire_attr *a)
{
    /* A value without a resource is of no use: nobody could say what it is an amount
     * of. */
    if (a->resource)
        snap_values_add(s, place, a->resource, a->value);
}

enum vnode_word {
    WORD_HARMLESS,
    WORD_AWAY, /* not there today */
    WORD_UNUSABLE,
};

/* What a word of a vnode's state means for plans (reservations.md 12.1). */
static enum vnode_word vnode_word(const char *word, size_t len)
{
    static const struct {
        const char *word;
        enum vnode_word means;
    } words[] = {
        { "offline", WORD_AWAY },          { "down", WORD_AWAY },
        { "stale", WORD_UNUSABLE },        { "state-unknown", WORD_UNUSABLE },
        { "unresolvable", WORD_UNUSABLE }, { "unknown", WORD_UNUSABLE },
        { "maintenance", WORD_UNUSABLE },  { "sleep", WORD_UNUSABLE },
        { "provisioning", WORD_UNUSABLE }, { "wait-provisioning", WORD_UNUSABLE },
        { "deleted", WORD_UNUSABLE },
    };

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strlen(words[i].word) == len && strncasecmp(words[i].word, word, len) == 0)
            return words[i].means;
    return WORD_HARMLESS;
}

/* Read the words of a state, as "down,offline". A vnode without any state is not
 * usable: servers always send one. */
static void read_vnode_state(struct snapshot *s, void *place, const struct wire_attr *a)
{
    struct snap_vnode *v = place;
    const char *text = a->value;
    enum vnode_word worst = WORD_HARMLESS;

    (void)s;
    v->usable = *text != '\0';
    v->idle = strcmp(text, "free") == 0;
    while (*text) {
        size_t len = strcspn(text, ", ");

        /* The words come in any order, and one bad word is enough. */
        worst = MAX_OF(worst, vnode_word(text, len));
        if (len == 4 && strncmp(text, "busy", len) == 0)
            v->busy = true;
        if (len == 5 && strncasecmp(text, "stale", len) == 0)
            v->stale = true;
        text += len;
        text += strspn(text, ", ");
    }
    v->usable = v->usable && worst == WORD_HARMLESS;
    /* Reservations that are far ahead may be promised such a vnode. */
    v->may_return = worst == WORD_AWAY;
}

static void read_sharing(struct snapshot *s, void *place, const struct wire_attr *a)
{
    static const char *const names[] = {
        [SHARING_DEFAULT_SHARED] = "default_shared",
        [SHARING_DEFAULT_EXCL] = "default_excl",
        [SHARING_DEFAULT_EXCLHOST] = "default_exclhost",
        [SHARING_IGNORE_EXCL] = "ignore_excl",
        [SHARING_FORCE_EXCL] = "force_excl",
        [SHARING_FORCE_EXCLHOST] = "force_exclhost",
    };

    (void)s;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        /* An unknown word leaves default_shared, which a vnode without the attribute
         * has too. */
        if (strcmp(names[i], a->value) == 0)
            *(enum sharing *)place = (enum sharing)i;
}

/* Execution queues are all that a scheduler sees into; "e", "Execution" and what
 * begins so mean one. */
static void read_queue_type(struct snapshot *s, void *place, const struct wire_attr *a)
{
    (void)s;
    *(bool *)place = strncasecmp(a->value, "e", 1) == 0;
}

static void read_letter(struct snapshot *s, void *place, const struct wire_attr *a)
{
    (void)s;
    *(char *)place = *a->value;
}

/* Words of a later version allow nothing that is known here. */
static void read_allowed(struct snapshot *s, void *place, const struct wire_attr *a)
{
    struct snap_resv *r = place;

    (void)s;
    r->may_push = strcmp(a->value, "push") == 0;
    r->may_shorten = strcmp(a->value, "shorter") == 0;
}

static void read_estimate(struct snapshot *s, void *place, const struct wire_attr *a)
{
    struct snap_job *j = place;
    int64_t length_s;

    if (a->resource && strcmp(a->resource, "start_time") == 0)
        j->estimated.start_at = snap_number(a->value);
    else if (a->resource && strcmp(a->resource, "exec_vnode") == 0)
        j->estimated.vnodes = snap_text(s, a->value);
    else if (a->resource && strcmp(a->resource, "soft_walltime") == 0 &&
             duration_parse(a->value, &length_s) == 0)
        j->estimated.soft_walltime_s = length_s;
}

/* select, place and the counts made of them are no amounts; lengths and
 * preempt_targets have places of their own. */
static void read_asked(struct snapshot *s, void *place, const struct wire_attr *a)
{
    static const char *const others[] = { "select",        "place",
                                          "nodect",        "walltime",
                                          "min_walltime",  "max_walltime",
                                          "soft_walltime", "preempt_targets" };

    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (a->resource && strcmp(a->resource, others[i]) == 0)
            return;
    read_amounts(s, place, a);
}

static void add_limit(struct snapshot *s, struct snap_limits *list, char kind,
                      const char *name, const char *resource, const char *value)
{
    size_t res = resource ? snap_res(s, resource) : SIZE_MAX;

    list->v =
        arena_grow(snap_arena(s), list->v, list->n, &list->cap, 4, sizeof(*list->v));
    list->v[list->n++] = (struct snap_limit){
        .kind = kind,
        .name = snap_text(s, name),
        .res = res,
        .amount = resource ? snap_amount(&s->res.v[res], value) : snap_number(value),
    };
}

/* A name may hold the sign too; the last one stands before the number. */
static const char *last_equals(const char *from, const char *end)
{
    while (end > from && *end != '=')
        end--;
    return end > from ? end : NULL;
}

/* "[u:PBS_GENERIC=5]", perhaps several; a name may stand in quotes. What is none of
 * that limits nothing. */
static void read_limits(struct snapshot *s, void *place, const struct wire_attr *a)
{
    for (const char *at = strchr(a->value, '['); at; at = strchr(at + 1, '[')) {
        const char *end = strchr(at, ']');
        const char *is = end ? last_equals(at, end) : NULL;
        char *name;
        size_t len;

        if (!is || is < at + 3 || at[2] != ':')
            return;
        name = arena_strndup(snap_arena(s), at + 3, (size_t)(is - at - 3));
        len = strlen(name);
        if (len > 1 && name[0] == '"' && name[len - 1] == '"') {
            name[len - 1] = '\0';
            name++;
        }
        add_limit(s, place, at[1], name, a->resource,
                  arena_strndup(snap_arena(s), is + 1, (size_t)(end - is - 1)));
        at = end;
    }
}

/* The limits of old: a number for everybody, for each user, for each group. */
static void read_old_all(struct snapshot *s, void *place, const struct wire_attr *a)
{
    add_limit(s, place, 'o', "PBS_ALL", a->resource, a->value);
}

static void read_old_user(struct snapshot *s, void *place, const struct wire_attr *a)
{
    add_limit(s, place, 'u', "PBS_GENERIC", a->resource, a->value);
}

static void read_old_group(struct snapshot *s, void *place, const struct wire_attr *a)
{
    add_limit(s, place, 'g', "PBS_GENERIC", a->resource, a->value);
}

#define AT(kind, member) offsetof(struct snap_##kind, member)

/* clang-format off */
static const struct field server_fields[] = {
    { "reserve_retry_time", read_number, offsetof(struct snapshot, retry_time_s) },
    { "node_group_enable", read_bool, offsetof(struct snapshot, group_enable) },
    { "node_group_key",    read_text, offsetof(struct snapshot, group_key) },
    { "resources_available", read_amounts, offsetof(struct snapshot, available) },
    { "max_run",        read_limits,    offsetof(struct snapshot, limits) },
    { "max_run_res",    read_limits,    offsetof(struct snapshot, limits) },
    { "max_running",    read_old_all,   offsetof(struct snapshot, limits) },
    { "max_user_run",   read_old_user,  offsetof(struct snapshot, limits) },
    { "max_group_run",  read_old_group, offsetof(struct snapshot, limits) },
    { "max_user_res",   read_old_user,  offsetof(struct snapshot, limits) },
    { "max_group_res",  read_old_group, offsetof(struct snapshot, limits) },
    { "max_run_soft",       read_limits,    offsetof(struct snapshot, soft) },
    { "max_run_res_soft",   read_limits,    offsetof(struct snapshot, soft) },
    { "max_user_run_soft",  read_old_user,  offsetof(struct snapshot, soft) },
    { "max_group_run_soft", read_old_group, offsetof(struct snapshot, soft) },
    { "max_user_res_soft",  read_old_user,  offsetof(struct snapshot, soft) },
    { "max_group_res_soft", read_old_group, offsetof(struct snapshot, soft) },
    { "restrict_res_to_release_on_suspend", read_text,
      offsetof(struct snapshot, suspend_releases) },
    { "backfill_depth", read_maybe, offsetof(struct snapshot, backfill_depth) },
    { "job_sort_formula",  read_text, offsetof(struct snapshot, formula) },
    { "eligible_time_enable", read_bool, offsetof(struct snapshot, counts_eligible) },
    { "has_runjob_hook",   read_bool, offsetof(struct snapshot, has_runjob_hook),
      .others = true },
    { 0 },
};

static const struct field vnode_fields[] = {
    { "resv_enable",         read_bool,   AT(vnode, resv_enable) },
    { "no_multinode_jobs",   read_bool,   AT(vnode, no_multinode) },
    { "resources_available", read_amounts, AT(vnode, available) },
    { "license",             NULL },
    { "sharing",             read_sharing, AT(vnode, sharing) },
    { "Priority",            read_number, AT(vnode, priority) },
    { "max_running",         read_maybe,  AT(vnode, max_running) },
    { "max_user_run",        read_maybe,  AT(vnode, max_user_run) },
    { "max_group_run",       read_maybe,  AT(vnode, max_group_run) },
    { "last_used_time",      read_number, AT(vnode, last_used_at) },
    { "queue",               read_text,   AT(vnode, queue) },
    { "partition",           read_text,   AT(vnode, partition) },
    { "Mom",                 NULL },
    { "state",               read_vnode_state, 0 },
    { 0 },
};

static const struct field queue_fields[] = {
    { "queue_type", read_queue_type, AT(queue, execution) },
    { "started",    read_bool,       AT(queue, started) },
    { "Priority",   read_number,     AT(queue, priority) },
    { "partition",  read_text,       AT(queue, partition) },
    { "node_group_key", read_text,   AT(queue, group_key) },
    { "resources_available", read_amounts, AT(queue, available) },
    { "max_run",        read_limits,    AT(queue, limits) },
    { "max_run_res",    read_limits,    AT(queue, limits) },
    { "max_running",    read_old_all,   AT(queue, limits) },
    { "max_user_run",   read_old_user,  AT(queue, limits) },
    { "max_group_run",  read_old_group, AT(queue, limits) },
    { "max_user_res",   read_old_user,  AT(queue, limits) },
    { "max_group_res",  read_old_group, AT(queue, limits) },
    { "max_run_soft",       read_limits,    AT(queue, soft) },
    { "max_run_res_soft",   read_limits,    AT(queue, soft) },
    { "max_user_run_soft",  read_old_user,  AT(queue, soft) },
    { "max_group_run_soft", read_old_group, AT(queue, soft) },
    { "max_user_res_soft",  read_old_user,  AT(queue, soft) },
    { "max_group_res_soft", read_old_group, AT(queue, soft) },
    { "backfill_depth", read_maybe,     AT(queue, backfill_depth) },
    { 0 },
};

static const struct field resv_fields[] = {
    { "alter_seq",            read_maybe,  AT(resv, question), .ours = true },
    { "alter_allows",         read_allowed, 0, .ours = true },
    { "reserve_state",        read_number, AT(resv, state) },
    { "reserve_substate",     read_number, AT(resv, substate) },
    { "reserve_start",        read_number, AT(resv, start_at) },
    { "reserve_end",          read_number, AT(resv, end_at) },
    { "queue",                read_text,   AT(resv, queue) },
    { "Resource_List",        read_asked,  AT(resv, asked) },
    { "schedselect",          NULL },
    { "schedselect_orig",     NULL },
    { "resv_nodes",           read_text,   AT(resv, nodes) },
    { "reserve_retry",        read_maybe,  AT(resv, retry) },
    { "partition",            read_text,   AT(resv, partition) },
    { "reserve_standing",     read_number, AT(resv, standing) },
    { "reserve_index",        read_number, AT(resv, index) },
    { "reserve_count",        read_number, AT(resv, count) },
    { "reserve_rrule",        read_text,   AT(resv, rule) },
    { "reserve_timezone",     read_text,   AT(resv, zone) },
    { "reserve_standing_revert", NULL },
    { "reserve_execvnodes",   snap_read_execvnodes, AT(resv, map) },
    { "reserve_occurrences",  snap_read_occurrences, AT(resv, occurrences), .ours = true },
    { "reserve_standing_schedselect", NULL, .ours = true },
    { "reserve_occurrence_schedselects", NULL, .ours = true },
    { "alter_occurrence",     snap_read_alteration, AT(resv, later), .ours = true },
    { "alter_schedselect",    NULL, .ours = true },
    { "reserve_alter_revert", NULL },
    { 0 },
};

static const struct field job_fields[] = {
    { "Resource_List", read_asked, AT(job, asked) },
    { "exec_vnode",    read_text,   AT(job, exec_vnode) },
    { "exec_vnode_kept", read_text, AT(job, kept), .ours = true },
    { "ran_time",      read_number, AT(job, ran_s), .ours = true },
    { "runs_from",     read_number, AT(job, runs_from_at), .ours = true },
    { "array",         read_bool,   AT(job, array) },
    { "array_id",      read_text,   AT(job, array_id) },
    { "array_indices_remaining", read_text, AT(job, remaining) },
    { "max_run_subjobs", read_maybe, AT(job, max_subjobs) },
    { "schedselect",   NULL },
    { "comment",       read_text,   AT(job, comment) },
    { "job_state",     read_letter, AT(job, state) },
    { "stime",         read_number, AT(job, started_at) },
    { "ptime",         read_number, AT(job, preempted_at) },
    { "Rerunable",     read_false,  AT(job, no_rerun) },
    { "Checkpoint",    read_none,   AT(job, no_checkpoint) },
    { "queue_rank",    read_number, AT(job, rank) },
    { "qtime",         NULL },
    { "Priority",      read_number, AT(job, priority) },
    { "queue",         read_text,   AT(job, queue) },
    { "substate",      read_number, AT(job, substate) },
    { "euser",         read_text,   AT(job, user) },
    { "egroup",        read_text,   AT(job, group) },
    { "project",       read_text,   AT(job, project) },
    { "eligible_time", read_duration, AT(job, eligible_s) },
    { "accrue_type",   read_number, AT(job, accrue_type) },
    { "topjob",        read_bool,   AT(job, topjob) },
    { "topjob_ineligible", read_bool, AT(job, topjob_ineligible) },
    { "estimated",     read_estimate, 0 },
    { 0 },
};
/* clang-format on */

static const struct field *fields_of(uint32_t type)
{
    switch (type) {
    case OBJECT_SERVER:
        return server_fields;
    case OBJECT_NODE:
        return vnode_fields;
    case OBJECT_QUEUE:
        return queue_fields;
    case OBJECT_RESV:
        return resv_fields;
    default:
        MUST(type == OBJECT_JOB);
        return job_fields;
    }
}

void snapshot_wants(uint32_t type, bool ours, struct arena *arena,
                    struct wire_attrs *ret)
{
    for (const struct field *f = fields_of(type); f->name; f++)
        if (ours ? !f->others : !f->ours)
            wire_attrs_add(ret, arena, f->name, NULL, "", WIRE_OP_SET);
}

static const struct field *field_find(const struct field *fields, const char *name)
{
    /* Some twenty fields: a table of names would cost more than the walk. */
    for (; fields->name; fields++)
        if (strcmp(fields->name, name) == 0)
            return fields;
    return NULL;
}

void snap_read_fields(struct snapshot *s, uint32_t type, void *object,
                      const struct wire_object *o)
{
    const struct field *fields = fields_of(type);

    for (size_t i = 0; i < o->attrs.n; i++) {
        const struct wire_attr *a = &o->attrs.v[i];
        const struct field *f = field_find(fields, a->name);

        /* Servers also send what was not asked for, and other versions know more
         * attributes. */
        if (f && f->read)
            f->read(s, (char *)object + f->offset, a);
    }
}
