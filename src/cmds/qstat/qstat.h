/* qstat.h - the parts of the status command (cli.md 4).
 *
 * options.c reads the command line, qstat.c asks servers, jobs.c prints tables of jobs,
 * estimate.c their estimated starts, queues.c tables of queues and servers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_QSTAT_QSTAT_H
#define CMDS_QSTAT_QSTAT_H

#include "cmds/common/cell.h"
#include "cmds/common/full.h"

#include <time.h>

#define CMD "qstat"

extern const char qstat_usage[];

/* Which form a table has, and what of it was printed already. */
struct qstat {
    bool alternate; /* -a, -i, -r, -H, -T, -u, -n, -s, -G, -M: the second table */
    bool nodes;     /* -n */
    bool comments;  /* -s */
    bool one_line;  /* -1 */
    bool wide;      /* -w */
    bool wide_ids;  /* max_job_sequence_id above seven digits */
    bool percent;   /* -p */
    bool estimates; /* -T */
    enum cell_size size;
    bool headed;        /* the table's heading is out for this server */
    const char *server; /* name for the headings */
    const char *server_comment;
    time_t now_at;
};

enum qstat_what {
    SHOW_JOBS,
    SHOW_QUEUES,
    SHOW_LIMITS,
    SHOW_SERVERS
};

struct qstat_options {
    enum qstat_what what;
    bool full;
    bool arrays;       /* -J */
    bool express;      /* -E */
    char selection;    /* of a, i, r, H; '\0' when none was given */
    const char *users; /* -u */
    char extend[8];    /* letters for the request: t, x */
    struct full form;
    struct qstat table;
};

/* Read the options; operands begin at 'optind'. Returns 0, or the exit status when
 * there is nothing to show: what is wrong and the usage are printed. */
int qstat_parse(struct qstat_options *o, int argc, char **argv) MUST_CHECK;

/* Tables: the heading is printed before the first job of a server. */
void qstat_print_jobs(struct qstat *q, const struct batch_status *jobs);
void qstat_print_queues(struct qstat *q, const struct batch_status *queues);
void qstat_print_limits(const struct qstat *q, const struct batch_status *queues);
void qstat_print_servers(struct qstat *q, const struct batch_status *servers);

/* When a waiting job is expected to start, in at most five characters (cli.md 4.5). */
void qstat_estimate(char out[CELL_MAX], const struct batch_status *job, time_t now_at);

/* The list in the order of -T: those that run by their start, then those with an
 * estimate that is still to come by it, then the others as they were. The list is
 * relinked; its new head is returned. */
struct batch_status *qstat_sort_by_start(struct batch_status *jobs, time_t now_at);

#endif
