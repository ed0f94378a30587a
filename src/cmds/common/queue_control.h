/* queue_control.h - what qenable, qdisable, qstart and qstop have in common: one
 * attribute of the queues that the operands name (cli.md 7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_QUEUE_CONTROL_H
#define CMDS_COMMON_QUEUE_CONTROL_H

struct queue_control {
    const char *cmd;
    const char *attr;
    const char *value;
    const char *doing; /* for an error without a text: "enabling queue" */
    const char *usage;
};

/* The whole command: operands are "[queue][@server]", and no queue means every queue of
 * that server. Returns the exit status: 0, 1 for a mistake in the operands, 2 when a
 * server refused or could not be reached; the last failure decides. */
int queue_control(const struct queue_control *what, int argc, char **argv);

#endif
