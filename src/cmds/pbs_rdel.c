/* pbs_rdel.c - delete reservations (cli.md 10.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/cmd.h"
#include "cmds/common/dry_run.h"
#include "cmds/common/extension.h"
#include "cmds/common/known.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#define CMD "pbs_rdel"

static const char usage[] =
    "usage:\tpbs_rdel [-q destination] reservation...\n"
    "      \tpbs_rdel --dry-run [-F json] reservation...\n"
    "      \tpbs_rdel --version | --help\n"
    "Deletes reservations and the jobs in them; S5[3]: the third\n"
    "occurrence of a standing one alone. --dry-run tells what would\n"
    "become of it, and deletes nothing; S5[]: of each occurrence.\n";

/* Delete an occurrence; false with pbs_errno. */
static bool delete_occurrence(int conn, const char *id, int index)
{
    const struct holdfast_act act = { .what = HOLDFAST_DELETE,
                                      .occurrence = (unsigned)index,
                                      .id = id };
    char *answer = holdfast_resv_act(conn, &act);
    bool done = answer != NULL;

    free(answer);
    return done;
}

static int try_one(struct dry_run *dry, int conn, const char *id, int index)
{
    const struct holdfast_act act = {
        .what = HOLDFAST_DELETE,
        .occurrence = index == OPERAND_WHOLE ? 0 : (unsigned)index,
        .id = id,
    };

    return index == OPERAND_ALL ? dry_run_ask_each(dry, conn, &act)
                                : dry_run_ask(dry, conn, &act);
}

/* What names no reservation, and no occurrence that could be deleted. */
static int complain(const char *operand, bool all)
{
    fprintf(stderr, "%s: illegally formed reservation identifier: %s\n", CMD, operand);
    if (all)
        fprintf(
            stderr,
            "%s: name one occurrence, as S5[3], or the reservation itself; --dry-run "
            "tells of each\n",
            CMD);
    return 1;
}

/* Delete one, or tell what would become of it; the exit code of it. */
static int delete_one(struct dry_run *dry, const char *operand)
{
    char id[OPERAND_MAX], server[OPERAND_MAX];
    int conn, code = 0, index;
    bool done;

    if (!known_occurrence(operand, id, server, &index))
        return complain(operand, false);
    if (index == OPERAND_ALL && !dry->wanted)
        return complain(operand, true);
    conn = cmd_connect(CMD, server);
    if (conn < 0)
        return cmd_exit_code(pbs_errno);
    if (index != OPERAND_WHOLE && !extension_knows_occurrences(CMD, conn)) {
        pbs_disconnect(conn);
        return dry->wanted ? DRY_RUN_NOT_TOLD : 1;
    }
    /* One request is enough: the server deletes the jobs of the reservation itself. */
    if (dry->wanted) {
        code = try_one(dry, conn, id, index);
        pbs_disconnect(conn);
        return code;
    }
    done = index == OPERAND_WHOLE ? pbs_delresv(conn, id, NULL) == 0
                                  : delete_occurrence(conn, id, index);
    if (!done) {
        code = cmd_exit_code(pbs_errno);
        cmd_print_error(CMD, conn, "reservation", id);
    }
    pbs_disconnect(conn);
    return code;
}

static int run(int argc, char **argv)
{
    struct dry_run dry = { .cmd = CMD };
    bool bad = false;
    int letter, code = 0;

    if (cmd_told(argc, argv, usage))
        return 0;
    while ((letter = getopt(argc, argv, "q:F:-:")) != -1) {
        if (letter == 'q' && *optarg)
            continue; /* an old option: the server never looked at it */
        if ((letter == '-' && dry_run_take_word(&dry, optarg)) ||
            (letter == 'F' && dry_run_take_form(&dry, optarg)))
            continue;
        if (letter == 'q')
            fprintf(stderr, "%s: illegal -q value\n", CMD);
        bad = true;
    }
    if (bad || optind >= argc || !dry_run_is_whole(&dry)) {
        fputs(usage, stderr);
        return 2;
    }
    /* A reservation that cannot be deleted does not keep the others from it; the last
     * failure decides the code (cli.md 1.7), and the worst verdict. */
    for (int i = optind; i < argc; i++) {
        int failed = delete_one(&dry, argv[i]);

        if (dry.wanted)
            code = dry_run_worse(code, failed);
        else if (failed)
            code = failed;
    }
    dry_run_end(&dry);
    return code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
