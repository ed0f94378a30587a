/* pbs_rdel.c - delete reservations (cli.md 10.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/cmd.h"
#include "cmds/common/operand.h"

#include <getopt.h>
#include <stdio.h>

#define CMD "pbs_rdel"

static const char usage[] = "usage:\tpbs_rdel [-q destination] reservation...\n"
                            "      \tpbs_rdel --version | --help\n"
                            "Deletes reservations and the jobs in them.\n";

/* Delete one; the exit code of it. */
static int delete_one(const char *operand)
{
    char id[OPERAND_MAX], server[OPERAND_MAX];
    int conn, code = 0;

    if (!operand_resv(operand, id, server)) {
        fprintf(stderr, "%s: illegally formed reservation identifier: %s\n", CMD,
                operand);
        return 1;
    }
    conn = cmd_connect(CMD, server);
    if (conn < 0)
        return cmd_exit_code(pbs_errno);
    /* One request is enough: the server deletes the jobs of the reservation itself. */
    if (pbs_delresv(conn, id, NULL) != 0) {
        code = cmd_exit_code(pbs_errno);
        cmd_print_error(CMD, conn, "reservation", id);
    }
    pbs_disconnect(conn);
    return code;
}

static int run(int argc, char **argv)
{
    bool bad = false;
    int letter, code = 0;

    if (cmd_told(argc, argv, usage))
        return 0;
    while ((letter = getopt(argc, argv, "q:")) != -1) {
        if (letter == 'q' && *optarg)
            continue; /* an old option: the server never looked at it */
        if (letter == 'q')
            fprintf(stderr, "%s: illegal -q value\n", CMD);
        bad = true;
    }
    if (bad || optind >= argc) {
        fputs(usage, stderr);
        return 2;
    }
    /* A reservation that cannot be deleted does not keep the others from it; the last
     * failure decides the code (cli.md 1.7). */
    for (int i = optind; i < argc; i++) {
        int failed = delete_one(argv[i]);

        if (failed)
            code = failed;
    }
    return code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
