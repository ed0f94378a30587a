/* qstat.h - the parts of the status command (cli.md 4).
 *
 * qstat.c reads options and asks servers, jobs.c prints tables of jobs, queues.c tables
 * of queues and servers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_QSTAT_QSTAT_H
#define CMDS_QSTAT_QSTAT_H

#include "cmds/common/full.h"

enum qstat_size {
    SIZE_AS_SENT,
    SIZE_GB,
    SIZE_MW
};

struct qstat {
    bool alternate; /* -a, -i, -r, -u, -n, -s: the second table */
    bool nodes;     /* -n */
    bool comments;  /* -s */
    bool one_line;  /* -1 */
    bool wide;      /* -w */
    bool wide_ids;  /* max_job_sequence_id above seven digits */
    bool percent;   /* -p */
    enum qstat_size size;
    bool headed;        /* the table's heading is out for this server */
    const char *server; /* name for the headings */
    const char *server_comment;
};

/* Tables: the heading is printed before the first job of a server. */
void qstat_print_jobs(struct qstat *q, const struct batch_status *jobs);
void qstat_print_queues(const struct batch_status *queues);
void qstat_print_limits(const char *server, const struct batch_status *queues); /* -q */
void qstat_print_servers(const struct batch_status *servers);

#endif
