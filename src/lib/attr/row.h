/* row.h - attribute rows: one per attribute of each object, in the order of replies.
 *
 * The tables are resv_attrs.h, job_attrs.h, queue_attrs.h, server_attrs.h,
 * node_attrs.h, sched_attrs.h, hook_attrs.h: each an enum and a 'const struct
 * attr_row NAME_rows[NAME_A_COUNT]'. Enumerators are the kind's prefix, "_A_" and the
 * attribute's name in capitals: RESV_A_RESERVE_START, JOB_A_JOB_NAME, NODE_A_STATE,
 * QUEUE_A_QUEUE_TYPE, SERVER_A_SCHEDULING, SCHED_A_PARTITION. Rows that only our own
 * daemons keep come last, have ATTR_INTERNAL and a name that starts with "hf_".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_ROW_H
#define LIB_ATTR_ROW_H

#include "lib/attr/value.h"

/* Who reads or writes an attribute (attributes.md 1). */
enum attr_who {
    WHO_USER = 1 << 0,
    WHO_OPERATOR = 1 << 1,
    WHO_MANAGER = 1 << 2,
    WHO_DAEMON = 1 << 3, /* scheduler, peer server, MoM: letter s */
};

enum attr_flag {
    ATTR_CREATE_ONLY = 1 << 0,   /* comes with a submission and is not altered later */
    ATTR_TO_PEER = 1 << 1,       /* goes along when a job moves to another server */
    ATTR_TO_MOM = 1 << 2,        /* of a job: its MoM is sent it */
    ATTR_ALTER_RUNNING = 1 << 3, /* may be altered while the job runs */
    ATTR_NOT_SAVED = 1 << 4,     /* derived or computed: never in the store */
    ATTR_SELECT_EQ = 1 << 5,     /* jobs are selected by = and != of it only */
    ATTR_HIDDEN = 1 << 6,        /* shown only with show_hidden_attribs of the server */
    ATTR_ANY_QUEUE = 1 << 7,     /* of queues of both types */
    ATTR_EXEC_QUEUE = 1 << 8,
    ATTR_ROUTE_QUEUE = 1 << 9,
    ATTR_INTERNAL = 1 << 10,  /* saved, but no client ever sees it */
    ATTR_ALTERABLE = 1 << 11, /* of a reservation: pbs_ralter may change it */
    ATTR_LINKS = 1 << 12,     /* what is derived (links, sums) follows it */
    ATTR_LOOKS = 1 << 13,   /* of the server: what is shown of all objects follows it */
    ATTR_ALONE = 1 << 14,   /* no rule of another object looks at it */
    ATTR_PLANNED = 1 << 15, /* a job that waits may run when it is changed */
};

struct attr_row {
    const char *name;
    const struct attr_type *type;
    uint16_t read;    /* enum attr_who bits */
    uint16_t write;   /* enum attr_who bits */
    uint32_t flags;   /* enum attr_flag bits */
    const char *dflt; /* text set at creation, NULL when none or when it is computed */
    /* The attribute's own check of a decoded value, with no attribute name in the
     * error text (attributes.md 2, step 5); NULL when the type says it all. */
    int (*check)(const struct attr_value *v, struct diag *why);
    const char *doc; /* one sentence */
};

/* An attribute table: rows[0 .. n). */
struct attr_table {
    const char *kind;         /* "reservation", "job", ... */
    const char *macro_prefix; /* "RESV", "JOB", ... */
    const struct attr_row *rows;
    size_t n;
    const uint16_t *order; /* rows that clients see, by name; private to attr_find() */
    size_t n_order;
};

/* Index of an attribute by name without regard to case, -1 when unknown. Internal rows
 * are not found. Time: a handful of comparisons. */
int attr_find(const struct attr_table *t, const char *name);

/* Same, internal rows too: for the store and apply. */
int attr_find_any(const struct attr_table *t, const char *name);

/* Append the reference of a table: per attribute its name, type, readers, writers and
 * what it means. Internal rows are left out. */
void attr_table_print(const struct attr_table *t, struct buf *out);

extern const struct attr_table resv_table, job_table, queue_table, server_table,
    node_table, sched_table, hook_table;

#endif
