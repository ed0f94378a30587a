/* pbsnodes.h - the parts of the vnode command (cli.md 9).
 *
 * pbsnodes.c has options and requests, show.c the full forms, summary.c the tables of
 * -S and -Sj.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_PBSNODES_PBSNODES_H
#define CMDS_PBSNODES_PBSNODES_H

#include "cmds/common/cell.h"
#include "cmds/common/full.h"
#include "lib/base/buf.h"

#define CMD "pbsnodes"

/* How vnodes and hosts are shown. */
struct nodes_view {
    struct full form;
    bool summary;               /* -S */
    bool of_jobs;               /* -j */
    bool uncut;                 /* -L */
    bool headed;                /* the table's heading is out */
    const char *default_server; /* left out of job ids in a table */
};

/* One vnode or host in the form that was asked for. */
void nodes_print(struct nodes_view *v, const struct batch_status *node);
void nodes_print_summary(struct nodes_view *v, const struct batch_status *node);
void nodes_print_job_summary(struct nodes_view *v, const struct batch_status *node);

/* The jobs of a vnode ("1.svr/0, 1.svr/1, 2.svr/2"), each once, to 'each' in turn. */
void nodes_each_job(const char *jobs, void (*each)(void *arg, const char *id),
                    void *arg);

#endif
