/* hosts.h - what "pbs_rsub --hosts" asks for: all vnodes of some hosts
 * (reservations.md 14.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_PBS_RSUB_HOSTS_H
#define CMDS_PBS_RSUB_HOSTS_H

#include "cmds/common/cmd.h"

struct rsub_hosts {
    char *select; /* "host=h1:ncpus=4+host=h2:ncpus=2" */
    char *vnodes; /* "(h1:ncpus=4)+(h2[0]:ncpus=1)+(h2[1]:ncpus=1)" */
};

/* Ask the server for the vnodes of these hosts, those that have CPUs. Returns 0, or an
 * exit code after printing why: the server did not say, or a host has none. The caller
 * frees both texts, also then. */
int rsub_hosts_find(const char *cmd, int conn, char *const *hosts, int n_hosts,
                    struct rsub_hosts *ret);

/* The first host that is named twice, NULL when none is. */
const char *rsub_hosts_twice(char *const *hosts, int n_hosts);

#endif
