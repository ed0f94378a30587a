/* run_limit.h - limits of running jobs (max_run, max_run_res and their old forms): the
 * order in which they are asked, and the words for one that is reached (scheduling.md
 * 12 and 13). The scheduler writes them into comments and its log; the server refuses a
 * run with them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_RUN_LIMIT_H
#define LIB_ATTR_RUN_LIMIT_H

#include "lib/base/arena.h"

#include <stdbool.h>

/* Group, project, everybody, user: in the order of the tests. Jobs are asked for before
 * resources, and within each the queue before the server. */
extern const char run_limit_kinds[];

struct run_limit {
    char kind;            /* one of run_limit_kinds */
    bool own;             /* of that name, or of everybody; else the generic one */
    const char *queue;    /* NULL: of the server */
    const char *entity;   /* whose jobs they are; not read where the kind is 'o' */
    const char *resource; /* NULL: of the number of jobs */
};

/* The words for the job's comment, behind "Not Running: "; in the arena. */
const char *run_limit_comment(const struct run_limit *l, struct arena *arena);
/* The words for the scheduler's log; in the arena. */
const char *run_limit_log(const struct run_limit *l, struct arena *arena);

#endif
