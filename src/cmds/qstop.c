/* qstop.c - let no job of queues be started (cli.md 7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/queue_control.h"

static const struct queue_control what = {
    .cmd = "qstop",
    .attr = "started",
    .value = "FALSE",
    .doing = "disabling queue",
    .usage = "Usage: qstop [queue][@server] ...\n"
             "       qstop --version | --help\n"
             "No more jobs of these queues are started; running jobs go on.\n"
             "Without a queue, @server means every queue of that server.\n",
};

int main(int argc, char **argv)
{
    return queue_control(&what, argc, argv);
}
