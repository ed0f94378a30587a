/* queue_control.c - see queue_control.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/queue_control.h"

#include "cmds/common/cmd.h"
#include "cmds/common/operand.h"

#include <stdio.h>

static void print_refusal(const struct queue_control *what, int conn,
                          const char *operand)
{
    const char *text = cmd_error_text(conn);

    if (text)
        fprintf(stderr, "%s: %s %s\n", what->cmd, text, operand);
    else
        fprintf(stderr, "%s: Error (%d) %s %s\n", what->cmd, pbs_errno, what->doing,
                operand);
}

static int change_one(const struct queue_control *what, const char *operand)
{
    struct attropl set = { .name = (char *)what->attr,
                           .value = (char *)what->value,
                           .op = SET };
    char queue[OPERAND_MAX], server[OPERAND_MAX];
    int conn, code = 0;

    if (!operand_destination(operand, queue, server)) {
        fprintf(stderr, "%s: illegally formed destination: %s\n", what->cmd, operand);
        return 1;
    }
    conn = cmd_connect_operator(what->cmd, server);
    if (conn < 0)
        return 2;
    if (pbs_manager(conn, MGR_CMD_SET, MGR_OBJ_QUEUE, queue, &set, NULL) != 0) {
        print_refusal(what, conn, operand);
        code = 2;
    }
    pbs_disconnect(conn);
    return code;
}

static int change_all(const struct queue_control *what, int argc, char **argv)
{
    int code = 0;

    if (cmd_told(argc, argv, what->usage))
        return 0;
    /* No queue is called like an option: better than an unknown queue is the usage. */
    if (argc < 2 || argv[1][0] == '-') {
        fputs(what->usage, stderr);
        return 1;
    }
    for (int i = 1; i < argc; i++) {
        int failed = change_one(what, argv[i]);

        /* The last failure decides, as for other commands with several operands (cli.md
         * 1.7). */
        if (failed)
            code = failed;
    }
    return code;
}

int queue_control(const struct queue_control *what, int argc, char **argv)
{
    return cmd_finish(what->cmd, change_all(what, argc, argv));
}
