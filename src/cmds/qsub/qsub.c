/* qsub.c - submit a batch job (cli.md 3).
 *
 * Options are taken from the command line, the script's directives and the server's
 * default_qsub_arguments; the first of them that has an option wins.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qsub/qsub.h"

#include "cmds/common/explain.h"
#include "cmds/common/job_options.h"
#include "cmds/common/operand.h"
#include "cmds/qsub/blocking.h"
#include "cmds/qsub/interactive.h"
#include "cmds/qsub/script_copy.h"
#include "include/pbs_error.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define DEFAULT_WORDS_MAX 128

/* How often a server whose default arguments have changed meanwhile is asked once more
 * (cli.md 3.2). */
#define RETRIES_MAX       5
#define RETRY_EXIT        183

/* Submit_arguments and argument_list are XML (cli.md 3.1), so the five characters that
 * have a meaning there are written as entities. */
static void add_xml_word(struct buf *out, const char *word)
{
    static const char *const entities[128] = {
        ['&'] = "&amp;",  ['<'] = "&lt;",    ['>'] = "&gt;",
        ['"'] = "&quot;", ['\''] = "&apos;",
    };

    buf_add_str(out, "<jsdl-hpcpa:Argument>");
    for (; *word; word++) {
        unsigned char c = (unsigned char)*word;

        if (c < 128 && entities[c])
            buf_add_str(out, entities[c]);
        else
            buf_add_char(out, *word);
    }
    buf_add_str(out, "</jsdl-hpcpa:Argument>");
}

static void set_words(struct qsub *q, const char *attr, int n, char **words)
{
    struct buf xml = { 0 };

    for (int i = 0; i < n; i++)
        add_xml_word(&xml, words[i]);
    if (xml.len > 0)
        attrs_set(&q->attrs, attr, NULL, xml.data);
    buf_fini(&xml);
}

static void set_job_name(struct qsub *q, const char *path)
{
    char *copy;

    if (attrs_get(q->attrs, "Job_Name", NULL))
        return;
    /* basename() may change its argument. */
    copy = xstrdup(path ? path : "STDIN");
    attrs_set(&q->attrs, "Job_Name", NULL, basename(copy));
    free(copy);
}

/* default_qsub_arguments of the server, the lowest level. */
static int take_server_default(struct qsub *q, int conn)
{
    struct attrl wanted = { .name = (char *)"default_qsub_arguments",
                            .value = (char *)"" };
    struct batch_status *svr = pbs_statserver(conn, &wanted, NULL);
    char *words[DEFAULT_WORDS_MAX + 2] = { (char *)CMD };
    int n, operand = 0, bad = 0;

    if (svr && svr->attribs) {
        char *text = xstrdup(svr->attribs->value);

        n = qsub_split(text, words + 1, DEFAULT_WORDS_MAX);
        if (n > 0)
            bad = qsub_options(q, n + 1, words, LEVEL_SERVER, &operand);
        /* As in a directive, no word may be left over. */
        if (n < 0 || bad || (n > 0 && operand <= n)) {
            fprintf(stderr, "%s: directive error: %s \n", CMD, svr->attribs->value);
            bad = 255;
        }
        free(text);
    }
    pbs_statfree(svr);
    return bad;
}

/* What the server or the library said, and a line that says what to change. */
static int report_refusal(const struct qsub *q, int conn, const char *queue)
{
    int error = pbs_errno;
    const char *text = cmd_error_text(conn);

    if (error == PBSE_NOATTR)
        fprintf(stderr, "%s: Error (%d) submitting job\n", CMD, error);
    else if (job_option_is_bad(CMD, conn, qsub_usage))
        return 2;
    else if (text)
        fprintf(stderr, "%s: %s\n", CMD, text);
    else
        fprintf(stderr, "%s: Error (%d) submitting job\n", CMD, error);
    /* The name of an attribute in the text says that a queue within its value is
     * meant. */
    if (error == PBSE_UNKQUE && *queue && !(text && strchr(text, '.')))
        fprintf(stderr, "%s: there is no queue \"%s\"; qstat -Q lists them\n", CMD,
                queue);
    else
        explain_print(CMD, &job_table, q->attrs, error, text);
    return cmd_exit_code(error);
}

/* What a job that is waited for cannot be as well (cli.md 3.7). */
static void settle_waiting(struct qsub *q)
{
    if (q->interactive && q->block) {
        fprintf(stderr,
                "%s (Warning) : setting \"block\" attribute as \"true\" for an "
                "interactive job will not return job's exit status\n",
                CMD);
    }
    if (q->interactive && q->level['r'] && attrs_get(q->attrs, "Rerunable", NULL) &&
        strcmp(attrs_get(q->attrs, "Rerunable", NULL), "TRUE") == 0)
        fprintf(stderr,
                "%s (Warning): Interactive jobs will be treated as not rerunnable\n",
                CMD);
}

/* Once the server has the job. */
static int after_submission(const struct qsub *q, struct callback *c, struct x11 *x,
                            const char *server, const char *id)
{
    if (q->interactive)
        return interactive_run(c, x, server, id);
    if (q->block)
        blocking_hold(c);
    if (!q->silent)
        puts(id);
    fflush(stdout);
    return q->block ? blocking_run(c, server, id) : 0;
}

/* 0, or the exit status. */
static int read_destination(const struct qsub *q, char queue[OPERAND_MAX],
                            char server[OPERAND_MAX])
{
    if (!q->destination || operand_destination(q->destination, queue, server))
        return 0;
    fprintf(stderr, "%s: illegally formed destination: %s\n", CMD, q->destination);
    return 2;
}

/* Connect to 'server' ("" for the default): 0 with *conn open, or the exit status after
 * the reason was printed. */
static int connect_to(const struct qsub *q, const char *server, int *conn)
{
    const char *dflt;
    int error;

    /* Submissions that neither wait for the job nor talk to it carry this word, as
     * those of PBS do (cli.md 3.5). */
    *conn =
        pbs_connect_extend(server, q->interactive || q->block ? NULL : "qsub-daemon");
    if (*conn >= 0)
        return 0;
    error = pbs_errno;
    dflt = pbs_default();
    cmd_print_connect_error();
    fprintf(stderr, "%s: cannot connect to server %s (errno=%d)\n", CMD,
            dflt ? dflt : "", error);
    return cmd_exit_code(error);
}

/* The server's default arguments may have named the destination, and with it another
 * server: the job goes there. What that server has as default arguments is not read,
 * the lowest level has been. 0, or the exit status; *conn is -1 then or still open. */
static int follow_destination(const struct qsub *q, int *conn, char queue[OPERAND_MAX],
                              char server[OPERAND_MAX])
{
    char asked[OPERAND_MAX];
    const char *dflt = pbs_default();
    int code;

    snprintf(asked, sizeof(asked), "%s", *server || !dflt ? server : dflt);
    code = read_destination(q, queue, server);
    if (code || q->level['q'] != LEVEL_SERVER || !*server ||
        strcasecmp(server, asked) == 0)
        return code;
    pbs_disconnect(*conn);
    return connect_to(q, server, conn);
}

/* A submission under way. */
struct sending {
    int conn; /* -1: none */
    char queue[OPERAND_MAX], server[OPERAND_MAX];
    char *script; /* the copy of it; NULL: none, or not needed any more */
    struct callback callback;
    struct x11 x11;
    char *id;   /* of the job, once the server has it */
    bool stale; /* the default arguments that were read hold no longer */
};

/* The server's default arguments are the lowest level, so they are read last, and what
 * nobody gave is filled in after them. 0, or the exit status. */
static int complete(struct qsub *q, struct sending *s)
{
    int code = take_server_default(q, s->conn);

    if (code == 0)
        code = follow_destination(q, &s->conn, s->queue, s->server);
    if (code == 0)
        code = qsub_options_agree(q);
    if (code == 0) {
        qsub_defaults(q);
        code = qsub_environment(q);
    }
    if (code == 0)
        settle_waiting(q);
    if (code == 0 && (q->interactive || q->block))
        code = callback_listen(&s->callback, &q->attrs,
                               q->interactive ? "interactive" : "block");
    if (code == 0 && q->x11)
        code = x11_prepare(&s->x11, &q->attrs);
    return code;
}

/* 0 with s->id, or the exit status; that of a stale submission is not told yet. */
static int submit_once(struct qsub *q, struct sending *s)
{
    int code = complete(q, s);

    if (code)
        return code;
    s->id = pbs_submit(s->conn, q->attrs, s->script, s->queue, NULL);
    /* The library returns the id even when the commit failed, so the error number
     * decides. */
    if (s->id && pbs_errno == PBSE_NONE)
        return 0;
    s->stale = pbs_errno == PBSE_FORCE_QSUB_UPDATE;
    return s->stale ? RETRY_EXIT : report_refusal(q, s->conn, s->queue);
}

/* What an earlier try has left is given back. */
static void forget(struct sending *s)
{
    x11_end(&s->x11);
    callback_close(&s->callback);
    free(s->id);
    s->x11 = (struct x11)X11_NONE;
    s->id = NULL;
    s->stale = false;
}

/* Submit, and if the server says that its default arguments have changed since they
 * were read, read them again: they go into a copy of what the user said. */
static int submit_until_fresh(const struct qsub *q, struct sending *s)
{
    int code = RETRY_EXIT;

    s->stale = true;
    for (int left = RETRIES_MAX; s->stale && left >= 0; left--) {
        struct qsub own = qsub_copy(q);

        forget(s);
        code = submit_once(&own, s);
        /* A job may wait for days, and its server should not keep a connection for
         * that. */
        if (!s->stale && s->conn >= 0)
            pbs_disconnect(s->conn);
        if (code == 0) {
            /* The server has the script. The copy goes before the id is printed, which
             * may be into a pipe that nobody reads, and before anybody waits for the
             * job: either may be the end of this program. */
            script_copy_remove(&s->script);
            code = after_submission(&own, &s->callback, &s->x11, s->server, s->id);
        }
        qsub_fini(&own);
    }
    if (s->stale) {
        fputs("Retry to submit a job exhausted.\n", stderr);
        pbs_disconnect(s->conn);
    }
    return code;
}

/* The copy of the script is given away. */
static int send_job(const struct qsub *q, char *script)
{
    struct sending s = { .script = script, .callback.fd = -1, .x11 = X11_NONE };
    int code = read_destination(q, s.queue, s.server);

    if (code == 0)
        code = connect_to(q, s.server, &s.conn);
    if (code == 0)
        code = submit_until_fresh(q, &s);
    forget(&s);
    script_copy_remove(&s.script);
    return code;
}

/* The words after "--", NULL when there is no such operand. */
static char **command_words(int argc, char **argv, int operand, int *n)
{
    *n = argc - operand;
    if (operand < 1 || operand > argc || strcmp(argv[operand - 1], "--") != 0)
        return NULL;
    return argv + operand;
}

static int submit(struct qsub *q, int operand)
{
    int n, code = 0;
    char **command = command_words(q->argc, q->argv, operand, &n);
    const char *path = NULL;
    char *script = NULL;

    /* Parsing has moved a "--" before the operands that stood in front of it. */
    if ((command && n == 0) || (!command && n > 1) ||
        (command && strcmp(q->typed[operand - 1], "--") != 0)) {
        fputs(qsub_usage, stderr);
        return 2;
    }
    if (command) {
        attrs_set(&q->attrs, "executable", NULL, command[0]);
        set_words(q, "argument_list", n - 1, command + 1);
    } else {
        path = n == 1 && strcmp(q->argv[operand], "-") != 0 ? q->argv[operand] : NULL;
        /* The commands of an interactive job are typed; a script has its directives
         * only. */
        if (path || !q->interactive)
            script = script_copy_take(q, path, &code);
        if (code)
            return code;
    }
    set_job_name(q, path);
    if (q->interactive)
        script_copy_remove(&script);
    return send_job(q, script);
}

static int run(int argc, char **argv)
{
    struct qsub q = { .argc = argc };
    char **typed;
    int operand = 0, code;

    if (cmd_told(argc, argv, qsub_usage))
        return 0;
    typed = xcalloc((size_t)argc + 1, sizeof(*typed));
    /* getopt moves operands behind the options. Whether a word stood behind "--" can
     * be told only from the order as it was typed. */
    memcpy(typed, argv, (size_t)argc * sizeof(*typed));
    q.argv = argv;
    q.typed = typed;
    /* Every word is recorded before any is understood, so that the record is complete.
     */
    if (argc > 1)
        set_words(&q, "Submit_arguments", argc - 1, argv + 1);
    code = qsub_options(&q, argc, argv, LEVEL_COMMAND, &operand);
    if (code == 0)
        code = submit(&q, operand);
    qsub_fini(&q);
    free(typed);
    return code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
