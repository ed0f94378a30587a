/* views.c - a table of columns, from which the views are made.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/views.h"

#include "lib/base/buf.h"

#include <string.h>

struct column {
    const char *name;
    const char *attr;
    const char *resource; /* NULL: the attribute is no list */
    bool is_number;
};

struct view {
    const char *name;
    const char *kind;
    const struct column *columns;
};

/* clang-format off */
static const struct column job_columns[] = {
    { "name",        "Job_Name" },
    { "owner",       "Job_Owner" },
    { "state",       "job_state" },
    { "substate",    "substate",      .is_number = true },
    { "queue",       "queue" },
    { "project",     "project" },
    { "account",     "Account_Name" },
    { "priority",    "Priority",      .is_number = true },
    { "queued_at",   "qtime",         .is_number = true },
    { "started_at",  "stime",         .is_number = true },
    { "exec_vnode",  "exec_vnode" },
    { "select_spec", "Resource_List", "select" },
    { "walltime",    "Resource_List", "walltime" },
    { "exit_status", "Exit_status",   .is_number = true },
    { "comment",     "comment" },
    { NULL },
};

static const struct column resv_columns[] = {
    { "name",        "Reserve_Name" },
    { "owner",       "Reserve_Owner" },
    { "state",       "reserve_state",    .is_number = true },
    { "substate",    "reserve_substate", .is_number = true },
    { "queue",       "queue" },
    { "start_at",    "reserve_start",    .is_number = true },
    { "end_at",      "reserve_end",      .is_number = true },
    { "duration_s",  "reserve_duration", .is_number = true },
    { "rrule",       "reserve_rrule" },
    { "vnodes",      "resv_nodes" },
    { "select_spec", "Resource_List",    "select" },
    { NULL },
};

static const struct column node_columns[] = {
    { "mom",         "Mom" },
    { "state",       "hf_state",         .is_number = true },
    { "queue",       "queue" },
    { "partition",   "partition" },
    { "ncpus",       "resources_available", "ncpus", .is_number = true },
    { "mem",         "resources_available", "mem" },
    { "comment",     "comment" },
    { NULL },
};

static const struct column queue_columns[] = {
    { "type",        "queue_type" },
    { "enabled",     "enabled" },
    { "started",     "started" },
    { "priority",    "Priority",         .is_number = true },
    { "partition",   "partition" },
    { "comment",     "comment" },
    { NULL },
};

static const struct view views[] = {
    { "jobs",         "job",   job_columns },
    { "reservations", "resv",  resv_columns },
    { "vnodes",       "node",  node_columns },
    { "queues",       "queue", queue_columns },
};
/* clang-format on */

/* One column: the value of that attribute among the rows of the object. Numbers are
 * cast, so that people can compare them; the names here are our own and need no
 * quoting. */
static void put_column(struct buf *b, const struct column *c)
{
    buf_add_str(b, c->is_number ? ", CAST(" : ", ");
    buf_printf(b, "max(CASE WHEN a.attr = '%s' AND a.resource = '%s' THEN a.value END)",
               c->attr, c->resource ? c->resource : "");
    buf_add_str(b, c->is_number ? " AS BIGINT)" : "");
    buf_printf(b, " AS \"%s\"", c->name);
}

static void put_view(struct buf *b, const struct view *v)
{
    buf_printf(b, "CREATE VIEW %s AS SELECT a.id, a.seq AS made_seq", v->name);
    for (const struct column *c = v->columns; c->name; c++)
        put_column(b, c);
    buf_printf(b, " FROM object_values a WHERE a.kind = '%s' GROUP BY a.id, a.seq;",
               v->kind);
}

const char *store_views_sql(struct arena *arena)
{
    struct buf b = { 0 };
    const char *made;

    /* The same text is good for SQLite and for PostgreSQL. */
    for (size_t i = 0; i < ARRAY_LEN(views); i++)
        put_view(&b, &views[i]);
    made = arena_strndup(arena, b.data, b.len);
    buf_fini(&b);
    return made;
}
