/* qdel.c - delete jobs (cli.md 5.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/attr_list.h"
#include "cmds/common/cmd.h"
#include "cmds/common/job_command.h"
#include "cmds/common/known.h"
#include "lib/base/diag.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CMD                "qdel"
#define MAIL_LIMIT_DEFAULT 1000 /* when neither -W nor the server says another */

static const char usage[] =
    "usage:\n"
    "\tqdel [-x] [-W force|suppress_email=N] job_identifier...\n"
    "\tqdel --version | --help\n"
    "  -W force             even when the job's host is lost\n"
    "  -W suppress_email=N  mail about the first N jobs only\n"
    "  -x                   drop the job's history too\n";

struct qdel {
    bool force, history;
    long mail_limit; /* -1: not given */
    int code;
};

/* The jobs about which mail is sent: a count below 0 means none of them, as 0 does, and
 * never a place before the first job. False when the text is no number. */
static bool read_limit(const char *text, long *ret)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end == text || *end != '\0')
        return false;
    *ret = MAX_OF(n, 0);
    return true;
}

static bool take_w(struct qdel *q, const char *text)
{
    static const char suppress[] = "suppress_email=";

    if (strcmp(text, "force") == 0) {
        q->force = true;
        return true;
    }
    if (strncmp(text, suppress, strlen(suppress)) == 0)
        return read_limit(text + strlen(suppress), &q->mail_limit);
    /* A plain number was a delay once. Scripts still give one, so it is accepted and
     * has no effect (cli.md 5.1). */
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* "-Wsuppress_email=N" of the server's default_qdel_arguments. */
static void take_server_default(struct qdel *q, int conn)
{
    static const char prefix[] = "-Wsuppress_email=";
    struct attrl wanted = { .name = (char *)"default_qdel_arguments",
                            .value = (char *)"" };
    struct batch_status *svr;

    /* What the user gave with -W is not overruled by the server. */
    if (q->mail_limit >= 0)
        return;
    q->mail_limit = MAIL_LIMIT_DEFAULT;
    svr = pbs_statserver(conn, &wanted, NULL);
    for (const struct attrl *a = svr ? svr->attribs : NULL; a; a = a->next)
        if (strncmp(a->value, prefix, strlen(prefix)) != 0 ||
            !read_limit(a->value + strlen(prefix), &q->mail_limit))
            fprintf(stderr, "%s: unsupported %s '%s'\n", CMD, a->name, a->value);
    pbs_statfree(svr);
}

/* The reply lists a code for each job and no texts, so the texts are the library's. The
 * last failure decides the exit status (cli.md 1.7). */
static void print_failed(struct qdel *q, const char *id, int code)
{
    const char *text = pbse_text(code);

    if (text && *text)
        fprintf(stderr, "%s: %s %s\n", CMD, text, id);
    else
        fprintf(stderr, "%s: Server returned error %d for job %s\n", CMD, code, id);
    q->code = cmd_exit_code(code);
}

/* A job that its server does not know may have gone to another one (cli.md 5.1): it is
 * deleted there. The code of its deletion; 'code', which its server has answered, when
 * nobody has it. */
static int delete_elsewhere(int conn, const char *id, int code, char *extend)
{
    char *place = pbs_locjob(conn, id, NULL);
    struct batch_deljob_status *failed;
    char *ids[] = { (char *)id };
    int there = place ? pbs_connect(place) : -1;

    free(place);
    if (there < 0)
        return code;
    failed = pbs_deljoblist(there, ids, 1, extend);
    code = failed ? failed->code : pbs_errno;
    pbs_delstatfree(failed);
    pbs_disconnect(there);
    return code;
}

static void told(struct qdel *q, int conn, const struct batch_deljob_status *f,
                 char *extend)
{
    int code = f->code;

    if (job_command_is_elsewhere(code))
        code = delete_elsewhere(conn, f->name, code, extend);
    /* -x answers with this code for a job whose history was deleted, which is what was
     * asked for. */
    if (code != 0 && code != PBSE_HISTJOBDELETED)
        print_failed(q, f->name, code);
}

/* One request: ids[0..n), with or without mail to the owners. */
static void delete_some(struct qdel *q, int conn, char **ids, long n, bool mail)
{
    char extend[64];
    struct batch_deljob_status *failed;
    int err;

    if (n <= 0)
        return;
    /* The words stand in the order in which PBS's own client has them (cli.md 5.1). */
    snprintf(extend, sizeof(extend), "%s%s%s", mail ? "" : NOMAIL,
             q->force ? FORCE : "", q->history ? DELETEHISTORY : "");
    failed = pbs_deljoblist(conn, ids, (int)n, extend);
    err = pbs_errno;
    for (const struct batch_deljob_status *f = failed; f; f = f->next)
        told(q, conn, f, extend);
    pbs_errno = err;
    if (!failed && pbs_errno != 0 && pbs_errno != PBSE_HISTJOBDELETED) {
        cmd_print_error(CMD, conn, "job", ids[0]);
        q->code = cmd_exit_code(pbs_errno);
    }
    pbs_delstatfree(failed);
}

/* The jobs of one server. */
static void delete_at(struct qdel *q, const char *server, char **ids, long n)
{
    int conn = pbs_connect(server);
    /* The limit of one server must not apply to the next, so it is kept in a copy. */
    struct qdel here = *q;

    if (conn < 0) {
        cmd_print_connect_error();
        fprintf(stderr, "Couldn't connect to cluster: %s\n", pbs_server);
        q->code = cmd_exit_code(pbs_errno);
        return;
    }
    take_server_default(&here, conn);
    MUST(here.mail_limit >= 0);
    delete_some(&here, conn, ids, MIN_OF(n, here.mail_limit), true);
    /* The jobs beyond the limit go in a second request that asks for no mail. */
    if (n > here.mail_limit)
        delete_some(&here, conn, ids + here.mail_limit, n - here.mail_limit, false);
    pbs_disconnect(conn);
    q->code = here.code;
}

struct operand {
    char id[OPERAND_MAX];
    char server[OPERAND_MAX];
    bool done;
};

/* All jobs of one server go into one request. A server that fails keeps nothing from
 * the others. */
static void delete_all(struct qdel *q, struct operand *ops, size_t n)
{
    char **ids = xcalloc(n, sizeof(*ids));

    for (size_t i = 0; i < n; i++) {
        long count = 0;

        if (ops[i].done)
            continue;
        for (size_t k = i; k < n; k++) {
            if (ops[k].done || strcmp(ops[i].server, ops[k].server) != 0)
                continue;
            ops[k].done = true;
            ids[count++] = ops[k].id;
        }
        delete_at(q, ops[i].server, ids, count);
    }
    free(ids);
}

static int run(int argc, char **argv)
{
    struct qdel q = { .mail_limit = -1 };
    struct operand *ops;
    size_t n = 0;
    int letter;
    bool bad = false;

    if (cmd_told(argc, argv, usage))
        return 0;
    while ((letter = getopt(argc, argv, "W:x")) != -1) {
        if (letter == 'x') {
            q.history = true;
        } else if (letter != 'W') {
            bad = true;
        } else if (!take_w(&q, optarg)) {
            fprintf(stderr, "%s: illegal -W value\n", CMD);
            bad = true;
        }
    }
    if (bad || optind >= argc) {
        fputs(usage, stderr);
        return 2;
    }
    ops = xcalloc((size_t)(argc - optind), sizeof(*ops));
    for (int i = optind; i < argc; i++) {
        if (known_job(argv[i], ops[n].id, ops[n].server)) {
            n++;
            continue;
        }
        fprintf(stderr, "%s: illegally formed job identifier: %s\n", CMD, argv[i]);
        q.code = 1;
    }
    delete_all(&q, ops, n);
    free(ops);
    return q.code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
