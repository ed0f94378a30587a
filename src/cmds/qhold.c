/* qhold.c - hold jobs (cli.md 5.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/hold_control.h"

#define CMD "qhold"

static const char usage[] =
    "usage: qhold [-h hold_list] job_identifier...\n"
    "       qhold --version | --help\n"
    "  -h hold_list   whose holds: u the owner's (the default), o an operator's,\n"
    "                 s the system's; n and p change nothing\n";

int main(int argc, char **argv)
{
    const struct hold_control c = { .name = CMD, .usage = usage, .ask = pbs_holdjob };

    return cmd_finish(CMD, hold_control(&c, argc, argv));
}
