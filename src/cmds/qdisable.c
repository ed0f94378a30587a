/* qdisable.c - let queues take no new jobs (cli.md 7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/queue_control.h"

static const struct queue_control what = {
    .cmd = "qdisable",
    .attr = "enabled",
    .value = "FALSE",
    .doing = "disabling queue",
    .usage = "Usage: qdisable [queue][@server] ...\n"
             "       qdisable --version | --help\n"
             "Queues take no new jobs; the jobs in them go on.\n"
             "Without a queue, @server means every queue of that server.\n",
};

int main(int argc, char **argv)
{
    return queue_control(&what, argc, argv);
}
