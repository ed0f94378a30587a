/* qenable.c - let queues take new jobs (cli.md 7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/queue_control.h"

static const struct queue_control what = {
    .cmd = "qenable",
    .attr = "enabled",
    .value = "TRUE",
    .doing = "enabling queue",
    .usage = "Usage: qenable [queue][@server] ...\n"
             "       qenable --version | --help\n"
             "Queues take new jobs from now on.\n"
             "Without a queue, @server means every queue of that server.\n",
};

int main(int argc, char **argv)
{
    return queue_control(&what, argc, argv);
}
