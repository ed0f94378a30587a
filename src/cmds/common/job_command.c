/* job_command.c - see job_command.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/job_command.h"

#include "cmds/common/known.h"
#include "include/pbs_error.h"
#include "lib/base/diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

bool job_command_is_elsewhere(int error)
{
    return error == PBSE_UNKJOBID || error == PBSE_JOB_MOVED;
}

void job_command_print_refusal(const char *cmd, int conn, const char *id)
{
    /* The connection has the text of LocateJob's answer by now, which may be about
     * something else. */
    if (job_command_is_elsewhere(pbs_errno))
        fprintf(stderr, "%s: %s %s\n", cmd, pbse_text(pbs_errno), id);
    else
        cmd_print_error(cmd, conn, "job", id);
}

/* A job that the server does not know may have gone to another one: asks where, goes
 * there and asks again. *conn becomes the connection with that server, -1 when it
 * cannot be reached. */
static int ask_elsewhere(const struct job_command *c, int *conn, const char *server,
                         const char *id)
{
    const char *here = *server ? server : pbs_default();
    int err = pbs_errno;
    char *place = pbs_locjob(*conn, id, NULL);

    if (place && (!here || strcasecmp(place, here) != 0)) {
        pbs_disconnect(*conn);
        *conn = c->connect(c->name, place);
        err = *conn >= 0 ? c->ask(*conn, id, c->what) : pbs_errno;
    }
    free(place);
    pbs_errno = err;
    return err;
}

static int exit_code(const struct job_command *c, int error)
{
    return error && c->failure_code ? c->failure_code : cmd_exit_code(error);
}

/* The exit status of one job; *usage when the command line was wrong. */
static int ask_one(const struct job_command *c, const char *operand, bool *usage)
{
    char id[OPERAND_MAX], server[OPERAND_MAX];
    enum job_refusal refusal = REFUSAL_PLAIN;
    int conn, err;

    if (!known_job(operand, id, server)) {
        fprintf(stderr, "%s: illegally formed job identifier: %s\n", c->name, operand);
        return 1;
    }
    conn = c->connect(c->name, server);
    if (conn < 0)
        return exit_code(c, pbs_errno);
    err = c->ask(conn, id, c->what);
    if (job_command_is_elsewhere(err))
        err = ask_elsewhere(c, &conn, server, id);
    /* Why a connection failed has been said already. */
    if (conn < 0)
        return exit_code(c, err);
    if (err && c->refused)
        refusal = c->refused(conn, id, c->what);
    if (err && refusal == REFUSAL_PLAIN)
        job_command_print_refusal(c->name, conn, id);
    pbs_disconnect(conn);
    *usage = refusal == REFUSAL_USAGE;
    return refusal == REFUSAL_NOTED ? 0 : exit_code(c, err);
}

int job_command_run(const struct job_command *c, char **operands)
{
    int code = 0;

    MUST(c->ask && c->connect);
    for (; *operands; operands++) {
        bool usage = false;
        int failed = ask_one(c, *operands, &usage);

        if (usage)
            return 2;
        /* The last failure counts, but for a command whose refusals are all alike:
         * there an identifier that is none does not hide them (cli.md 1.7). */
        if (failed && !(c->failure_code && code == c->failure_code))
            code = failed;
    }
    return code;
}
