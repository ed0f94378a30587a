/* rsub.h - what the options of pbs_rsub ask for (cli.md 10.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_PBS_RSUB_RSUB_H
#define CMDS_PBS_RSUB_RSUB_H

#include "cmds/common/dry_run.h"
#include "cmds/common/operand.h"

#include <time.h>

#define CMD "pbs_rsub"

extern const char rsub_usage[];

struct rsub {
    struct attropl *attrs;
    const char *server;
    const char *start_text;  /* -R as typed, NULL when not given */
    time_t start_at, end_at; /* -1 when not given */
    bool standing;
    bool from_job;
    bool maintenance;
    char asap_job[OPERAND_MAX];    /* -W qmove, "": not given */
    char asap_server[OPERAND_MAX]; /* of "id@server", else "" */
    char **hosts;                  /* of argv */
    int n_hosts;
    struct dry_run dry;
};

/* The usage on stderr; returns the exit code. */
int rsub_usage_error(void);

/* Read the command line. 0, or the exit code when something is wrong with it, which has
 * been said. *r is zeroed but for the times, which are -1, and dry.cmd; its texts are
 * those of argv, and its attributes are the caller's to free in both cases. */
int rsub_parse(struct rsub *r, int argc, char **argv);

/* Add PBS_O_* of the submitter, and the time zone when one is named. 0, or the exit
 * code when a rule has no zone, which has been said. */
int rsub_add_environment(struct rsub *r);

#endif
