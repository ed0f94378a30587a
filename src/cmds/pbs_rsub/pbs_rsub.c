/* pbs_rsub.c - submit a reservation (cli.md 10.1, reservations.md 5.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/attr_list.h"
#include "cmds/common/cmd.h"
#include "cmds/common/explain.h"
#include "cmds/common/extension.h"
#include "cmds/common/why.h"
#include "cmds/pbs_rsub/asap.h"
#include "cmds/pbs_rsub/hosts.h"
#include "cmds/pbs_rsub/rsub.h"
#include "lib/base/diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cmd_option letters[] = {
    { "reserve_end", NULL, 'E' },
    { "group_list", NULL, 'g' },
    { "Authorized_Groups", NULL, 'G' },
    { "Authorized_Hosts", NULL, 'H' },
    { "interactive", NULL, 'I' },
    { "Mail_Points", NULL, 'm' },
    { "Mail_Users", NULL, 'M' },
    { "Reserve_Name", NULL, 'N' },
    { "reserve_rrule", NULL, 'r' },
    { "reserve_start", NULL, 'R' },
    { "User_List", NULL, 'u' },
    { "Authorized_Users", NULL, 'U' },
    { "on_end", NULL, 'W' },
    { "on_end_queue", NULL, 'W' },
    { "auto_extend", NULL, 'W' },
    { "auto_extend_max", NULL, 'W' },
    { "auto_extend_release", NULL, 'W' },
    { "qmove", NULL, 'W' },
};

/* The second half of a maintenance reservation: its vnodes. One that cannot have them
 * is of no use to anybody. */
static int confirm(int conn, const char *answer, const char *vnodes)
{
    char *id = xasprintf("%.*s", (int)strcspn(answer, " "), answer);
    int code = 0;

    if (pbs_confirmresv(conn, id, vnodes, 0, "PBS_RESV_CONFIRM_SUCCESS") == 0) {
        printf("%s CONFIRMED\n", id);
    } else {
        const char *text = cmd_error_text(conn);

        /* The deletion below sets it anew. */
        code = pbs_errno;
        fprintf(stderr, "%s: PBS Failed to confirm resv: %s (%d)\n", CMD,
                text ? text : pbse_text(code), code);
        /* Its vnodes are taken away from others, so it must not stay behind without
         * them. */
        pbs_delresv(conn, id, NULL);
    }
    free(id);
    return cmd_exit_code(code);
}

/* What the job of --job has to be. */
static void explain_job(const char *job, int error)
{
    struct buf words = { 0 };

    if (error == PBSE_BADSTATE)
        buf_printf(&words,
                   "--job takes a job that runs; for one that waits there is "
                   "pbs_rsub -W qmove=%s",
                   job);
    else if (error == PBSE_PERM)
        buf_printf(&words, "%s is not yours; only its owner reserves with --job", job);
    else if (error == PBSE_UNKJOBID)
        buf_printf(&words, "there is no job %s; qstat lists all", job);
    if (words.len > 0)
        explain_say(CMD, words.data);
    buf_fini(&words);
}

static int refused(const struct rsub *r, int conn)
{
    const char *job = attrs_get(r->attrs, "reserve_job", NULL);
    int code = pbs_errno;

    if (cmd_print_bad_attribute(CMD, conn, letters, ARRAY_LEN(letters), &resv_table,
                                rsub_usage)) {
        code = 2;
    } else {
        cmd_print_error(CMD, conn, NULL, NULL);
        explain_print(CMD, &resv_table, r->attrs, code, cmd_error_text(conn));
        if (job)
            explain_job(job, code);
    }
    return cmd_exit_code(code);
}

/* The line of the answer is PBS's; what we add stands on standard error, behind it. */
static void say_answer(int conn, const char *answer)
{
    printf("%s\n", answer);
    /* Both streams may be one file, in which the answer stands first. */
    fflush(stdout);
    why_explain_denial(CMD, conn, answer);
}

/* A maintenance reservation is confirmed by a second request, of which the first one
 * knows nothing; here both are one. */
static int try_it(struct rsub *r, int conn, const char *vnodes)
{
    struct holdfast_act act = { .what = HOLDFAST_SUBMIT };
    int code;

    if (r->maintenance)
        attrs_set(&r->attrs, "resv_nodes", NULL, vnodes);
    act.attribs = r->attrs;
    code = dry_run_ask(&r->dry, conn, &act);
    dry_run_end(&r->dry);
    return code;
}

static int submit_on(struct rsub *r, int conn)
{
    struct rsub_hosts found = { 0 };
    char *answer = NULL;
    int code = 0;

    if (!extension_may_send(CMD, conn, r->attrs))
        return 1;
    if (r->maintenance) {
        /* The vnodes have to be known first: the select is made of them. */
        code = rsub_hosts_find(CMD, conn, r->hosts, r->n_hosts, &found);
        if (!code) {
            attrs_set(&r->attrs, "Resource_List", "select", found.select);
            attrs_set(&r->attrs, "Resource_List", "place", "exclhost");
        }
    }
    if (*r->asap_job)
        code = rsub_asap_copy(CMD, conn, r->asap_job, &r->attrs);
    if (!code && r->dry.wanted)
        code = try_it(r, conn, found.vnodes);
    else if (!code &&
             !(answer = pbs_submit_resv(conn, r->attrs, r->maintenance ? "m" : NULL)))
        code = refused(r, conn);
    else if (!code && r->maintenance)
        code = confirm(conn, answer, found.vnodes);
    else if (!code)
        say_answer(conn, answer);
    free(answer);
    free(found.select);
    free(found.vnodes);
    return code;
}

static int submit(struct rsub *r)
{
    int conn = cmd_connect(CMD, *r->asap_server ? r->asap_server : r->server);
    int code;

    if (conn < 0)
        return cmd_exit_code(pbs_errno);
    code = submit_on(r, conn);
    pbs_disconnect(conn);
    return code;
}

static int run(int argc, char **argv)
{
    struct rsub r = { .start_at = -1, .end_at = -1, .dry = { .cmd = CMD } };
    int code;

    if (cmd_told(argc, argv, rsub_usage))
        return 0;
    if (argc < 2)
        return rsub_usage_error();
    code = rsub_parse(&r, argc, argv);
    if (code == 0)
        code = rsub_add_environment(&r);
    if (code == 0)
        code = submit(&r);
    attrs_free(r.attrs);
    return code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
