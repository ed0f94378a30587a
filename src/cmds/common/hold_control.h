/* hold_control.h - all of qhold and qrls (cli.md 5.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_HOLD_CONTROL_H
#define CMDS_COMMON_HOLD_CONTROL_H

#include "cmds/common/cmd.h"

struct hold_control {
    const char *name, *usage;
    int (*ask)(int conn, const char *id, const char *holds, const char *extend);

    /* The letters that the command itself accepts, besides a lone n, before any server
     * is asked. NULL: the library judges them for each job. */
    const char *letters;
};

/* The command; its exit status. */
int hold_control(const struct hold_control *c, int argc, char **argv);

#endif
