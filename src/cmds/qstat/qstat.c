/* qstat.c - show jobs, queues and servers: options and requests (cli.md 4.1, 4.12).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qstat/qstat.h"

#include "cmds/common/attrs.h"
#include "cmds/common/operand.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define CMD                  "qstat"
#define SEQUENCE_OF_WIDE_IDS 9999999

static const char usage[] =
    "usage: \n"
    "qstat [-f [-F format] [-D delim] [-w]] [-p] [-x] [-t] [job_identifier | "
    "queue]...\n"
    "qstat [-a|-i|-r] [-u user,...] [-n] [-s] [-1] [-w] [-G|-M] [job_identifier | "
    "queue]...\n"
    "qstat -Q [-f [-F format]] [queue]...    qstat -q [queue]...\n"
    "qstat -B [-f [-F format]] [server]...   qstat --version | --help\n"
    "  -a all jobs  -i not running  -r running   (a table with more columns)\n"
    "  -n nodes, -s comments, -1 on the job's own line, -w wide, -G -M sizes in gb, "
    "mw\n"
    "  -f every attribute; -F default|dsv|json; -D what separates dsv columns\n";

enum what {
    SHOW_JOBS,
    SHOW_QUEUES,
    SHOW_LIMITS,
    SHOW_SERVERS
};

struct options {
    enum what what;
    bool full;
    char table;        /* of a, i, r; '\0' when none was given */
    const char *users; /* -u */
    char extend[8];    /* letters for the request: t, x */
    struct full form;
    struct qstat table_of;
    bool headed_servers; /* tables of queues and servers are printed whole */
};

static int conflict(void)
{
    fputs("qstat: conflicting options.\n", stderr);
    return 2;
}

static int take_option(struct options *o, int letter, const char *text)
{
    struct qstat *q = &o->table_of;

    switch (letter) {
    case 'a':
    case 'i':
    case 'r':
        if (o->table)
            return conflict();
        o->table = (char)letter;
        break;
    case 'u':
        o->users = text;
        break;
    case 'n':
        q->nodes = true;
        o->full = false;
        break;
    case 's':
        q->comments = true;
        o->full = false;
        break;
    case '1':
        q->one_line = true;
        break;
    case 'w':
        q->wide = o->form.unwrapped = true;
        break;
    case 'G':
    case 'M':
        if (q->size != SIZE_AS_SENT)
            return conflict();
        q->size = letter == 'G' ? SIZE_GB : SIZE_MW;
        break;
    case 'p':
        q->percent = true;
        break;
    case 'f':
        o->full = true;
        break;
    case 'F':
        return full_form_find(text, &o->form.form) ? 0 : 2;
    case 'D':
        if (o->form.form != FULL_DSV || *text == '\0')
            return 2;
        o->form.delimiter = text;
        break;
    case 't':
    case 'x':
        if (!strchr(o->extend, letter))
            o->extend[strlen(o->extend)] = (char)letter;
        break;
    case 'Q':
    case 'q':
    case 'B':
        if (o->what != SHOW_JOBS)
            return conflict();
        o->what = letter == 'Q'   ? SHOW_QUEUES
                  : letter == 'q' ? SHOW_LIMITS
                                  : SHOW_SERVERS;
        break;
    default:
        return 2;
    }
    return 0;
}

static int parse(struct options *o, int argc, char **argv)
{
    struct qstat *q = &o->table_of;
    int letter;

    while ((letter = getopt(argc, argv, "ainpqrstwxu:fGMQB1F:D:")) != -1) {
        int bad = take_option(o, letter, optarg);

        if (bad)
            return bad;
    }
    q->alternate = o->table || o->users || q->nodes || q->comments;
    if (o->what != SHOW_JOBS && q->alternate)
        return conflict();
    if (o->what == SHOW_LIMITS && o->full)
        return conflict();
    if (q->one_line && !q->nodes && !q->comments)
        return conflict();
    if (o->form.form != FULL_LINES && q->wide) {
        fputs("qstat: option w cannot be used with -F\n", stderr);
        return 2;
    }
    if (o->form.form != FULL_LINES && (!o->full || q->alternate))
        return conflict();
    if (q->alternate && !q->wide)
        o->full = false;
    return 0;
}

static char *server_comment, *server_name;

/* What the headings need to know of a server; asked once per connection. */
static void learn_server(struct options *o, int conn)
{
    struct batch_status *svr = pbs_statserver(conn, NULL, NULL);
    const char *largest;

    if (!svr)
        return;
    free(server_comment);
    free(server_name);
    server_name = xstrdup(svr->name);
    server_comment = xstrdup(status_value(svr, "comment", NULL) ?: "");
    largest = status_value(svr, "max_job_sequence_id", NULL);
    o->table_of.wide_ids = largest && strtoll(largest, NULL, 10) > SEQUENCE_OF_WIDE_IDS;
    o->table_of.server = server_name;
    o->table_of.server_comment = server_comment;
    if (o->form.json)
        json_head(o->form.json, status_value(svr, "pbs_version", NULL) ?: "",
                  svr->name);
    pbs_statfree(svr);
}

static int open_server(struct options *o, const char *server)
{
    int conn = pbs_connect(server);

    if (conn < 0) {
        const char *dflt = pbs_default();
        int error = pbs_errno;

        cmd_print_connect_error();
        fprintf(stderr, "%s: cannot connect to server %s (errno=%d)\n", CMD,
                dflt ? dflt : "", error);
        return -1;
    }
    if (o->what == SHOW_JOBS || o->form.json || o->what == SHOW_LIMITS)
        learn_server(o, conn);
    o->table_of.headed = false;
    return conn;
}

static void show_jobs(struct options *o, const struct batch_status *jobs)
{
    if (!o->full) {
        qstat_print_jobs(&o->table_of, jobs);
        return;
    }
    for (; jobs; jobs = jobs->next)
        full_print(&o->form, "Job Id", "Jobs", jobs);
}

/* The attributes that the tables need; NULL, all of them, for -f. */
static struct attrl *wanted_attrs(const struct options *o)
{
    static struct attrl list[] = {
        { .name = (char *)"Job_Name" },       { .name = (char *)"Job_Owner" },
        { .name = (char *)"resources_used" }, { .name = (char *)"job_state" },
        { .name = (char *)"queue" },          { .name = (char *)"session_id" },
        { .name = (char *)"Resource_List" },  { .name = (char *)"exec_host" },
        { .name = (char *)"comment" },
    };
    const size_t n = ARRAY_LEN(list);

    if (o->full)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        list[i].value = (char *)"";
        list[i].next = i + 1 < n ? &list[i + 1] : NULL;
    }
    return list;
}

static void add_criterion(struct attropl **list, const char *name, const char *value)
{
    attrs_set(list, name, NULL, value);
    for (struct attropl *a = *list; a; a = a->next)
        a->op = EQ;
}

static struct attropl *criteria_of(const struct options *o, const char *queue)
{
    struct attropl *list = NULL;

    if (o->table == 'i')
        add_criterion(&list, "job_state", "EHQTW");
    if (o->table == 'r')
        add_criterion(&list, "job_state", "RS");
    if (o->users)
        add_criterion(&list, "User_List", o->users);
    if (list && *queue)
        add_criterion(&list, "destination", queue);
    return list;
}

/* Report a refusal about 'what'; the exit code. */
static int refused(int conn, const char *what, const char *object)
{
    const char *text = cmd_error_text(conn);
    int error = pbs_errno;

    if (error == 0)
        return 0;
    if (error == PBSE_HISTJOBID)
        fprintf(stderr,
                "%s: %s %s, use -x or -H to obtain historical job information\n", CMD,
                object, text ? text : "Job has finished");
    else if (error == PBSE_JOBHISTNOTSET)
        fprintf(stderr, "%s: %s\n", CMD, text ? text : "");
    else if (text && *what)
        fprintf(stderr, "%s: %s %s%s%s\n", CMD, text, what, *object ? " " : "", object);
    else if (text)
        fprintf(stderr, "%s: %s%s%s\n", CMD, text, *object ? " " : "", object);
    else
        fprintf(stderr, "%s: Server returned error %d for %s\n", CMD, error, object);
    return error == PBSE_JOBHISTNOTSET ? 0 : cmd_exit_code(error);
}

static int jobs_of_id(struct options *o, const char *text)
{
    char id[OPERAND_MAX], server[OPERAND_MAX];
    struct batch_status *list;
    int conn, code = 0;

    if (!operand_job(text, id, server)) {
        fprintf(stderr, "%s: illegally formed job identifier: %s\n", CMD, text);
        return 1;
    }
    conn = open_server(o, server);
    if (conn < 0)
        return 255;
    list = pbs_statjob(conn, id, wanted_attrs(o), o->extend);
    if (!list)
        code = refused(conn, "", id);
    show_jobs(o, list);
    pbs_statfree(list);
    pbs_disconnect(conn);
    return code;
}

static int jobs_at(struct options *o, const char *text)
{
    char queue[OPERAND_MAX], server[OPERAND_MAX];
    struct attropl *criteria;
    struct batch_status *list;
    int conn, code = 0;

    if (!operand_destination(text, queue, server)) {
        fprintf(stderr, "%s: illegally formed destination: %s\n", CMD, text);
        return 1;
    }
    conn = open_server(o, server);
    if (conn < 0)
        return 255;
    criteria = criteria_of(o, queue);
    if (criteria)
        list = pbs_selstat(conn, criteria, wanted_attrs(o), o->extend);
    else
        list = pbs_statjob(conn, queue, wanted_attrs(o), o->extend);
    if (!list)
        code = refused(conn, "destination", queue);
    show_jobs(o, list);
    attrs_free(criteria);
    pbs_statfree(list);
    pbs_disconnect(conn);
    return code;
}

static int show_operand_jobs(struct options *o, const char *text)
{
    const char *p = text + strspn(text, " \t");

    return isdigit((unsigned char)*p) ? jobs_of_id(o, text) : jobs_at(o, text);
}

static int show_queues(struct options *o, const char *text)
{
    char queue[OPERAND_MAX], server[OPERAND_MAX];
    struct batch_status *list;
    int conn, code = 0;

    if (!operand_destination(text, queue, server)) {
        fprintf(stderr, "%s: illegal 'destination' value\n", CMD);
        return 1;
    }
    conn = open_server(o, server);
    if (conn < 0)
        return 255;
    list = pbs_statque(conn, queue, NULL, NULL);
    if (!list)
        code = refused(conn, "", queue);
    if (o->what == SHOW_LIMITS && list)
        qstat_print_limits(o->table_of.server, list);
    else if (!o->full)
        qstat_print_queues(list);
    for (struct batch_status *q = o->full ? list : NULL; q; q = q->next)
        full_print(&o->form, "Queue", "Queue", q);
    pbs_statfree(list);
    pbs_disconnect(conn);
    return code;
}

static int show_server(struct options *o, const char *server)
{
    int conn = open_server(o, server), code = 0;
    struct batch_status *list;

    if (conn < 0)
        return 255;
    list = pbs_statserver(conn, NULL, NULL);
    if (!list)
        code = refused(conn, "", server);
    if (o->full)
        for (struct batch_status *s = list; s; s = s->next)
            full_print(&o->form, "Server", "Server", s);
    else
        qstat_print_servers(list);
    pbs_statfree(list);
    pbs_disconnect(conn);
    return code;
}

static int show_operand(struct options *o, const char *text)
{
    switch (o->what) {
    case SHOW_QUEUES:
    case SHOW_LIMITS:
        return show_queues(o, text);
    case SHOW_SERVERS:
        return show_server(o, text);
    default:
        return show_operand_jobs(o, text);
    }
}

int main(int argc, char **argv)
{
    struct options o = { .form.delimiter = "|" };
    int code;

    if (cmd_told(argc, argv, usage))
        return 0;
    code = parse(&o, argc, argv);
    if (code) {
        fputs(usage, stderr);
        return code;
    }
    if (o.full && o.form.form == FULL_JSON)
        o.form.json = json_new(time(NULL));
    if (optind >= argc)
        code = show_operand(&o, "");
    for (int i = optind; i < argc; i++) {
        int failed = show_operand(&o, argv[i]);

        if (failed)
            code = failed;
    }
    if (o.form.json)
        json_print_and_free(o.form.json);
    free(server_comment);
    free(server_name);
    return code;
}
