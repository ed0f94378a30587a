/* pbs_ralter.c - alter a reservation (cli.md 10.2, reservations.md 13.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/attr_list.h"
#include "cmds/common/extension.h"
#include "cmds/common/known.h"
#include "cmds/pbs_ralter/ralter.h"
#include "include/pbs_error.h"
#include "lib/wire/batch.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* May all of it be sent to this server? One that does not know a term might do the rest
 * without it. */
static bool may_send(const struct ralter *r, int conn, int index)
{
    static const struct {
        unsigned term;
        const char *extension, *option;
    } rows[] = {
        { HOLDFAST_PUSH, EXTENSION_PUSH, "--push" },
        { HOLDFAST_RELEASE, EXTENSION_RELEASE, "--release-idle" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (r->terms & rows[i].term &&
            !extension_may_ask(CMD, conn, rows[i].extension, rows[i].option))
            return false;
    return extension_may_send(CMD, conn, r->attrs) &&
           (index == OPERAND_WHOLE || extension_knows_occurrences(CMD, conn));
}

/* As a request names it. */
static unsigned index_or_none(int index)
{
    return index == OPERAND_WHOLE ? 0 : (unsigned)index;
}

/* The server's answer, NULL: refused. */
static char *ask(const struct ralter *r, int conn, const char *id, int index)
{
    bool act_needed = r->terms || index != OPERAND_WHOLE;
    const struct holdfast_act act = {
        .what = HOLDFAST_ALTER,
        .flags = r->terms | (r->force ? HOLDFAST_FORCE : 0),
        .occurrence = index_or_none(index),
        .id = id,
        .attribs = r->attrs,
    };

    return act_needed ? holdfast_resv_act(conn, &act)
                      : pbs_modify_resv(conn, id, r->attrs, r->force ? FORCE : NULL);
}

static int try_it(struct ralter *r, int conn, const char *id, int index)
{
    const struct holdfast_act act = { .what = HOLDFAST_ALTER,
                                      .flags =
                                          r->terms | (r->force ? HOLDFAST_FORCE : 0),
                                      .occurrence = index_or_none(index),
                                      .id = id,
                                      .attribs = r->attrs };

    return index == OPERAND_ALL ? dry_run_ask_each(&r->dry, conn, &act)
                                : dry_run_ask(&r->dry, conn, &act);
}

static bool has_attr(const struct ralter *r, const char *name)
{
    for (const struct attropl *a = r->attrs; a; a = a->next)
        if (strcmp(a->name, name) == 0)
            return true;
    return false;
}

/* Is that an operand that this request can be about? */
static bool may_name(const struct ralter *r, const char *operand, bool is_one,
                     int index)
{
    bool all = is_one && index == OPERAND_ALL;
    bool moves = has_attr(r, "reserve_start") || has_attr(r, "reserve_end");

    if (is_one && (!all || (r->dry.wanted && !moves)))
        return true;
    fprintf(stderr, "%s: illegally formed reservation identifier: %s\n", CMD, operand);
    if (all)
        fprintf(
            stderr,
            "%s: name one occurrence, as S5[3], or the reservation itself; --dry-run "
            "tells of each with -D or -l, without -R and -E\n",
            CMD);
    return false;
}

static int alter(struct ralter *r, const char *operand)
{
    char id[OPERAND_MAX], server[OPERAND_MAX];
    int conn, code, index;
    char *answer;

    bool is_one = known_occurrence(operand, id, server, &index);

    if (!may_name(r, operand, is_one, index))
        return 2;
    /* A server that was named with -q is asked even when the id names another one. */
    conn = cmd_connect(CMD, r->server ? r->server : server);
    if (conn < 0)
        return cmd_exit_code(pbs_errno);
    if (!may_send(r, conn, index)) {
        pbs_disconnect(conn);
        return r->dry.wanted ? DRY_RUN_NOT_TOLD : 1;
    }
    if (r->dry.wanted) {
        code = try_it(r, conn, id, index);
        if (code == DRY_RUN_DENY && pbs_errno == PBSE_PERM)
            ralter_explain_rights(r);
        pbs_disconnect(conn);
        return code;
    }
    answer = ask(r, conn, id, index);
    /* The requests that explain a refusal set pbs_errno anew. A denial is an answer,
     * and the exit status is 0 (cli.md 10.2). */
    code = pbs_errno;
    if (answer) {
        printf("%s: %s\n", CMD, answer);
        ralter_say_more(r, conn, id, index, answer);
        free(answer);
        code = 0;
    } else if (ralter_say_bad_value(conn, r->attrs) ||
               cmd_print_bad_attribute(CMD, conn, ralter_letters, ralter_n_letters,
                                       &resv_table, ralter_usage)) {
        code = 2;
    } else {
        char *text = xstrdup(cmd_error_text(conn) ? cmd_error_text(conn) : "");

        cmd_print_error(CMD, conn, NULL, NULL);
        ralter_explain(r, conn, id, index, code, text);
        free(text);
    }
    pbs_disconnect(conn);
    return cmd_exit_code(code);
}

static int run(int argc, char **argv)
{
    struct ralter r = { .dry = { .cmd = CMD } };
    bool taken;
    int code;

    if (cmd_told(argc, argv, ralter_usage))
        return 0;
    code = ralter_parse(&r, argc, argv);
    taken = code == 0;
    /* Only dry runs have several. */
    for (int i = optind; taken && i < argc; i++)
        code = dry_run_worse(code, alter(&r, argv[i]));
    dry_run_end(&r.dry);
    attrs_free(r.attrs);
    return code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
