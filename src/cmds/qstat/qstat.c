/* qstat.c - show jobs, queues and servers: what is asked of which server, and what it
 * refuses (cli.md 4.1, 4.12).
 *
 * One connection is kept while the operands are of the same server; its name and what
 * the headings need are asked once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qstat/qstat.h"

#include "cmds/common/attr_list.h"
#include "cmds/common/job_command.h"
#include "cmds/common/known.h"
#include "cmds/common/operand.h"
#include "include/pbs_error.h"
#include "lib/base/buf.h"
#include "lib/base/diag.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SEQUENCE_OF_WIDE_IDS 9999999
#define NO_SERVER            255

struct qstat_run {
    struct qstat_options o;
    int conn;                 /* -1: none */
    char server[OPERAND_MAX]; /* as the operands name it, "" for the default */
    char *name, *comment;     /* what the server says of itself */
    bool stopped;             /* the rest of the operands is not looked at */
};

/* What the headings need to know of a server. */
static void learn_server(struct qstat_run *r)
{
    static struct attrl wanted[] = {
        { .next = &wanted[1], .name = (char *)"comment", .value = (char *)"" },
        { .next = &wanted[2],
          .name = (char *)"max_job_sequence_id",
          .value = (char *)"" },
        { .name = (char *)"pbs_version", .value = (char *)"" },
    };
    struct qstat *q = &r->o.table;
    struct batch_status *svr = pbs_statserver(r->conn, wanted, NULL);
    const char *largest;

    if (!svr)
        return;
    /* Two operands may name one server differently; the heading stands again only when
     * the server itself is another one. */
    if (r->name && strcmp(r->name, svr->name) != 0)
        q->headed = false;
    free(r->name);
    free(r->comment);
    r->name = xstrdup(svr->name);
    r->comment = xstrdup(cell_or(status_value(svr, "comment", NULL), ""));
    largest = status_value(svr, "max_job_sequence_id", NULL);
    q->wide_ids = largest && strtoll(largest, NULL, 10) > SEQUENCE_OF_WIDE_IDS;
    q->server = r->name;
    q->server_comment = r->comment;
    if (r->o.form.json)
        json_head(r->o.form.json, cell_or(status_value(svr, "pbs_version", NULL), ""),
                  svr->name);
    pbs_statfree(svr);
}

static void close_server(struct qstat_run *r)
{
    if (r->conn >= 0)
        pbs_disconnect(r->conn);
    r->conn = -1;
}

/* Whatever was asked for, the default server's name is told (cli.md 1.5). */
static void print_unreachable(void)
{
    const char *dflt = pbs_default();
    int error = pbs_errno;

    cmd_print_connect_error();
    fprintf(stderr, "%s: cannot connect to server %s (errno=%d)\n", CMD,
            dflt ? dflt : "", error);
}

/* Be connected with 'server'; false, with the reason printed, when it cannot be. */
static bool open_server(struct qstat_run *r, const char *server)
{
    if (r->conn >= 0 && strcmp(r->server, server) == 0)
        return true;
    close_server(r);
    r->conn = pbs_connect(server);
    if (r->conn < 0) {
        print_unreachable();
        return false;
    }
    /* The server is asked about itself only where a heading or a document needs it:
     * that is a request more for each connection. */
    snprintf(r->server, sizeof(r->server), "%s", server);
    if (r->o.what == SHOW_JOBS || r->o.what == SHOW_LIMITS ||
        (r->o.form.json && r->o.what == SHOW_QUEUES))
        learn_server(r);
    return true;
}

/* Report a refusal about 'object', which 'what' names; the exit code. */
static int refused(struct qstat_run *r, const char *what, const char *object)
{
    int error = pbs_errno;
    /* Of a job that was looked for elsewhere the connection has LocateJob's text. */
    const char *text = job_command_is_elsewhere(error)
                           ? pbse_text(error)
                           : cell_or(cmd_error_text(r->conn), pbse_text(error));

    if (error == 0)
        return 0;
    /* These two texts have a form of their own (cli.md 4.12). History that is switched
     * off is no failure of the command. */
    if (error == PBSE_HISTJOBID)
        fprintf(stderr,
                "%s: %s %s, use -x or -H to obtain historical job information\n", CMD,
                object, cell_or(text, "Job has finished"));
    else if (error == PBSE_JOBHISTNOTSET)
        fprintf(stderr, "%s: %s %s\n", CMD, cell_or(text, ""), object);
    else if (text)
        fprintf(stderr, "%s: %s%s%s%s%s\n", CMD, text, *what ? " " : "", what,
                *object ? " " : "", object);
    else
        fprintf(stderr, "%s: Server returned error %d%s%s\n", CMD, error,
                *object ? " for " : "", object);
    /* Who may not see one object may not see the others either; and a connection that
     * broke in the middle of a reply is no longer of use. */
    r->stopped |= error == PBSE_PERM;
    if (error == PBSE_PROTOCOL || error == PBSE_SYSTEM)
        close_server(r);
    return error == PBSE_JOBHISTNOTSET ? 0 : cmd_exit_code(error);
}

/* The attributes that the tables need; NULL, all of them, for -f. */
static struct attrl *wanted_attrs(const struct qstat_options *o)
{
    static struct attrl list[12];
    const struct qstat *q = &o->table;
    const bool table = !o->full;
    const struct {
        const char *name;
        bool wanted;
    } rows[] = {
        { "Job_Name", table },
        { "Job_Owner", table },
        { "resources_used", table },
        { "job_state", table },
        { "queue", table },
        { "Resource_List", q->alternate || q->percent },
        { "array_state_count", q->percent },
        { "session_id", q->alternate },
        { "exec_host", q->nodes },
        { "comment", q->comments },
        { "estimated", q->estimates },
        { "stime", q->estimates },
    };
    struct attrl *head = NULL, **end = &head;

    /* -f with -p asks for the attributes of the percentage alone, as PBS does. */
    if (o->full && !q->percent)
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (!rows[i].wanted)
            continue;
        list[i] = (struct attrl){ .name = (char *)rows[i].name, .value = (char *)"" };
        *end = &list[i];
        end = &list[i].next;
    }
    return head;
}

static void add_criterion(struct attropl **list, const char *name, const char *value)
{
    attrs_set(list, name, NULL, value);
    /* The server compares by the operator of each criterion, and attrs_set() has put
     * SET there. */
    for (struct attropl *a = *list; a; a = a->next)
        a->op = EQ;
}

/* The criteria that jobs have to meet; NULL when every job is meant. */
static struct attropl *criteria_of(const struct qstat_options *o, const char *queue)
{
    struct attropl *list = NULL;
    const char *states = o->selection == 'i'   ? "EHQTW"
                         : o->selection == 'r' ? "RS"
                         : o->selection == 'H' ? "MFX"
                                               : NULL;

    if (states)
        add_criterion(&list, "job_state", states);
    if (o->users)
        add_criterion(&list, "User_List", o->users);
    if (o->arrays)
        add_criterion(&list, "array", "True");
    /* Without other criteria the queue itself is the object of the request, and is not
     * a criterion. */
    if (list && *queue)
        add_criterion(&list, "destination", queue);
    return list;
}

static struct batch_status *ask_jobs(struct qstat_run *r, const char *queue)
{
    struct qstat_options *o = &r->o;
    struct attropl *criteria = criteria_of(o, queue);
    struct batch_status *list =
        criteria ? pbs_selstat(r->conn, criteria, wanted_attrs(o), o->extend)
                 : pbs_statjob(r->conn, queue, wanted_attrs(o), o->extend);

    attrs_free(criteria);
    return list;
}

/* -J -t means the subjobs of arrays, not the arrays. */
static void drop_arrays(struct batch_status **list)
{
    while (*list) {
        struct batch_status *job = *list;

        if (strstr(job->name, "[]")) {
            *list = job->next;
            job->next = NULL;
            pbs_statfree(job);
        } else {
            list = &job->next;
        }
    }
}

/* Prints the jobs of a reply and frees them. */
static void show_jobs(struct qstat_run *r, struct batch_status *jobs)
{
    struct qstat_options *o = &r->o;

    if (o->arrays && strchr(o->extend, 't'))
        drop_arrays(&jobs);
    if (o->table.estimates)
        jobs = qstat_sort_by_start(jobs, o->table.now_at);
    if (!o->full) {
        cells_make_printable(jobs);
        qstat_print_jobs(&o->table, jobs);
    }
    for (struct batch_status *j = o->full ? jobs : NULL; j; j = j->next)
        full_print(&o->form, "Job Id", "Jobs", j);
    pbs_statfree(jobs);
}

/* A job that the server does not know may have gone to another one: asks where, goes
 * there and asks again. */
static struct batch_status *ask_elsewhere(struct qstat_run *r, const char *id)
{
    int error = pbs_errno;
    char *place = pbs_locjob(r->conn, (char *)id, NULL);
    struct batch_status *list = NULL;

    if (place && strcasecmp(place, cell_or(r->name, "")) != 0 && open_server(r, place))
        list = pbs_statjob(r->conn, id, wanted_attrs(&r->o), r->o.extend);
    else
        pbs_errno = error;
    free(place);
    return list;
}

static int jobs_of_id(struct qstat_run *r, const char *id, const char *server,
                      const char *shown)
{
    struct batch_status *list;

    if (!open_server(r, server))
        return NO_SERVER;
    list = pbs_statjob(r->conn, id, wanted_attrs(&r->o), r->o.extend);
    if (!list && job_command_is_elsewhere(pbs_errno))
        list = ask_elsewhere(r, id);
    if (r->conn < 0)
        return NO_SERVER;
    if (!list)
        return refused(r, "", shown);
    show_jobs(r, list);
    return 0;
}

static int jobs_at(struct qstat_run *r, const char *text)
{
    char queue[OPERAND_MAX], server[OPERAND_MAX];
    struct batch_status *list;

    if (!operand_destination(text, queue, server)) {
        fprintf(stderr, "%s: illegally formed destination: %s\n", CMD, text);
        return 1;
    }
    if (!open_server(r, server))
        return NO_SERVER;
    list = ask_jobs(r, queue);
    if (!list)
        return refused(r, *queue ? "destination" : "", queue);
    show_jobs(r, list);
    return 0;
}

static bool is_job_operand(const char *text)
{
    return isdigit((unsigned char)text[strspn(text, " \t")]);
}

static int show_operand_jobs(struct qstat_run *r, const char *text)
{
    char id[OPERAND_MAX], server[OPERAND_MAX];

    if (!is_job_operand(text))
        return jobs_at(r, text);
    if (known_job(text, id, server))
        return jobs_of_id(r, id, server, id);
    fprintf(stderr, "%s: illegally formed job identifier: %s\n", CMD, text);
    return 1;
}

struct express {
    char id[OPERAND_MAX], server[OPERAND_MAX];
    unsigned long long number, subjob;
};

static int by_server_and_number(const void *pa, const void *pb)
{
    const struct express *a = pa, *b = pb;
    int order = strcasecmp(a->server, b->server);

    if (order != 0)
        return order;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if (a->subjob != b->subjob)
        return a->subjob < b->subjob ? -1 : 1;
    return strcmp(a->id, b->id);
}

/* The operands sorted; -1 when one of them is no job. */
static int read_express(struct express *jobs, int n, char **operands)
{
    for (int i = 0; i < n; i++) {
        const char *bracket;

        if (!is_job_operand(operands[i]) ||
            !known_job(operands[i], jobs[i].id, jobs[i].server)) {
            fputs(CMD ": Express option can only be used with job ids\n", stderr);
            return -1;
        }
        /* Ids that are compared as texts would put 10 before 9. */
        bracket = strchr(jobs[i].id, '[');
        jobs[i].number = strtoull(jobs[i].id, NULL, 10);
        jobs[i].subjob = bracket ? strtoull(bracket + 1, NULL, 10) : 0;
    }
    qsort(jobs, (size_t)n, sizeof(*jobs), by_server_and_number);
    return 0;
}

static int show_express(struct qstat_run *r, int n, char **operands)
{
    struct express *jobs = xcalloc((size_t)n + 1, sizeof(*jobs));
    struct buf list = { 0 };
    int code = n == 0 || read_express(jobs, n, operands) != 0;

    if (n == 0)
        fputs(CMD ": Express option can only be used with job ids\n", stderr);
    for (int i = 0; i < n && code != 1;) {
        const char *server = jobs[i].server;
        int failed, first = i;

        /* The ids of one server go as one list with a comma behind each, also behind
         * the last (cli.md 4.8). Sorting has put them side by side. */
        buf_clear(&list);
        for (; i < n && strcasecmp(jobs[i].server, server) == 0; i++)
            buf_printf(&list, "%s,", jobs[i].id);
        failed = jobs_of_id(r, list.data, server, jobs[first].id);
        code = failed ? failed : code;
    }
    buf_fini(&list);
    free(jobs);
    return code;
}

static int show_queues(struct qstat_run *r, const char *text)
{
    char queue[OPERAND_MAX], server[OPERAND_MAX];
    struct qstat_options *o = &r->o;
    struct batch_status *list;

    if (!operand_destination(text, queue, server)) {
        fprintf(stderr, "%s: illegal 'destination' value\n", CMD);
        return 1;
    }
    if (!open_server(r, server))
        return NO_SERVER;
    list = pbs_statque(r->conn, queue, NULL, NULL);
    if (!list)
        return refused(r, "", queue);
    if (!o->full)
        cells_make_printable(list);
    if (o->what == SHOW_LIMITS)
        qstat_print_limits(&o->table, list);
    else if (!o->full)
        qstat_print_queues(&o->table, list);
    else
        for (struct batch_status *q = list; q; q = q->next)
            full_print(&o->form, "Queue", "Queue", q);
    pbs_statfree(list);
    return 0;
}

static int show_server(struct qstat_run *r, const char *server)
{
    struct qstat_options *o = &r->o;
    struct batch_status *list;

    if (strlen(server) >= OPERAND_MAX) { /* no host is called like that */
        pbs_errno = PBSE_BADHOST;
        print_unreachable();
        return NO_SERVER;
    }
    if (!open_server(r, server))
        return NO_SERVER;
    list = pbs_statserver(r->conn, NULL, NULL);
    if (!list)
        return refused(r, "", server);
    if (o->form.json)
        json_head(o->form.json, cell_or(status_value(list, "pbs_version", NULL), ""),
                  list->name);
    if (o->full)
        for (struct batch_status *s = list; s; s = s->next)
            full_print(&o->form, "Server", "Server", s);
    else
        qstat_print_servers(&o->table, list);
    pbs_statfree(list);
    return 0;
}

static int show_operand(struct qstat_run *r, const char *text)
{
    switch (r->o.what) {
    case SHOW_QUEUES:
    case SHOW_LIMITS:
        return show_queues(r, text);
    case SHOW_SERVERS:
        return show_server(r, text);
    default:
        return show_operand_jobs(r, text);
    }
}

static int show_all(struct qstat_run *r, int n, char **operands)
{
    int code = 0;

    if (r->o.express && r->o.what == SHOW_JOBS)
        return show_express(r, n, operands);
    if (n == 0)
        return show_operand(r, "");
    for (int i = 0; i < n && !r->stopped; i++) {
        int failed = show_operand(r, operands[i]);

        if (failed)
            code = failed;
    }
    return code;
}

static int run(int argc, char **argv)
{
    struct qstat_run r = { .conn = -1, .o.form.delimiter = "|" };
    int code;

    if (cmd_told(argc, argv, qstat_usage))
        return 0;
    code = qstat_parse(&r.o, argc, argv);
    if (code)
        return code;
    r.o.table.now_at = time(NULL);
    if (r.o.full && r.o.form.form == FULL_JSON)
        r.o.form.json = json_new(r.o.table.now_at);
    code = show_all(&r, argc - optind, argv + optind);
    if (r.o.form.json)
        json_print_and_free(r.o.form.json);
    close_server(&r);
    free(r.comment);
    free(r.name);
    return code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
