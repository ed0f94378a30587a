/* qstart.c - let jobs of queues be run or routed (cli.md 7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/queue_control.h"

static const struct queue_control what = {
    .cmd = "qstart",
    .attr = "started",
    .value = "TRUE",
    .doing = "starting queue",
    .usage = "Usage: qstart [queue][@server] ...\n"
             "       qstart --version | --help\n"
             "Jobs in these queues may be run, or routed, from now on.\n"
             "Without a queue, @server means every queue of that server.\n",
};

int main(int argc, char **argv)
{
    return queue_control(&what, argc, argv);
}
