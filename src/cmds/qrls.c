/* qrls.c - release holds of jobs (cli.md 5.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/hold_control.h"

#define CMD "qrls"

static const char usage[] =
    "usage: qrls [-h hold_list] job_identifier...\n"
    "       qrls --version | --help\n"
    "  -h hold_list   whose holds: u the owner's (the default), o an operator's,\n"
    "                 s the system's; n changes nothing;\n"
    "                 p that of a bad password\n";

int main(int argc, char **argv)
{
    const struct hold_control c = {
        .name = CMD, .usage = usage, .ask = pbs_rlsjob, .letters = "uosp"
    };

    return cmd_finish(CMD, hold_control(&c, argc, argv));
}
