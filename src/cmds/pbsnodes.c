/* pbsnodes.c - show vnodes and hosts, take them offline and back (cli.md 9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/attrs.h"
#include "cmds/common/full.h"
#include "lib/base/diag.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define CMD         "pbsnodes"
#define COMMENT_MAX 79

static const char usage[] =
    "usage:\tpbsnodes -a [-v] [-S [-j] [-L]] [-F json|dsv] [-D delim] [-s server]\n"
    "\tpbsnodes [-v] [-S [-j] [-L]] [-F json|dsv] [-s server] vnode|host ...\n"
    "\tpbsnodes -H host ...         vnodes of these hosts\n"
    "\tpbsnodes -l                  those that are down or offline\n"
    "\tpbsnodes -o|-r|-c [-C comment] host ...   offline, back, clear\n"
    "\tpbsnodes --version | --help\n"
    "\n";

enum action {
    ACT_SHOW,
    ACT_LIST_DOWN,
    ACT_OFFLINE,
    ACT_RESET,
    ACT_CLEAR,
    ACT_COMMENT
};

struct options {
    enum action action;
    bool all, vnodes, by_host, summary, of_jobs, uncut, quiet;
    const char *comment;
    const char *server;
    struct full form;
    const char *server_name;
    bool headed;
};

static bool set_action(struct options *o, enum action action)
{
    if (o->action != ACT_SHOW)
        return false;
    o->action = action;
    return true;
}

static bool take_option(struct options *o, int letter, const char *text)
{
    switch (letter) {
    case 'a':
        o->all = true;
        return o->action == ACT_SHOW;
    case 'v':
        o->vnodes = true;
        return o->action == ACT_SHOW;
    case 'H':
        o->by_host = true;
        return o->action == ACT_SHOW;
    case 'l':
        return set_action(o, ACT_LIST_DOWN);
    case 'o':
        return set_action(o, ACT_OFFLINE);
    case 'r':
        return set_action(o, ACT_RESET);
    case 'c':
        return set_action(o, ACT_CLEAR);
    case 'C':
        o->comment = text;
        return true;
    case 'q':
        o->quiet = true;
        return true;
    case 's':
        o->server = text;
        return true;
    case 'S':
        o->summary = true;
        return true;
    case 'j':
        o->of_jobs = true;
        return true;
    case 'L':
        o->uncut = true;
        return true;
    case 'F':
        return full_form_find(text, &o->form.form);
    case 'D':
        o->form.delimiter = text;
        return *text != '\0';
    default:
        return false;
    }
}

static void print_error(const struct options *o, int conn, const char *node)
{
    const char *text = cmd_error_text(conn);

    if (!o->quiet)
        fprintf(stderr, "Node: %s,  Error: %s\n", node,
                text ? text : pbse_text(pbs_errno));
}

static bool is_date(const char *name)
{
    return strcasecmp(name, "last_used_time") == 0 ||
           strcasecmp(name, "last_state_change_time") == 0;
}

static void print_full(const struct batch_status *node)
{
    printf("%s\n", node->name);
    for (const struct attrl *a = node->attribs; a; a = a->next) {
        time_t at = (time_t)strtoll(a->value, NULL, 10);
        char date[32];
        /* A host's vnodes may differ: "<various>" is no date. */
        bool dated = is_date(a->name) && a->value[0] != '<' && ctime_r(&at, date);

        if (dated)
            date[strcspn(date, "\n")] = '\0';
        printf("     %s%s%s = %s\n", a->name, a->resource ? "." : "",
               a->resource ? a->resource : "", dated ? date : a->value);
    }
    putchar('\n');
}

static void print_dsv(const struct options *o, const struct batch_status *node)
{
    printf("Name=%s", node->name);
    for (const struct attrl *a = node->attribs; a; a = a->next) {
        printf("%s%s%s%s=", o->form.delimiter, a->name, a->resource ? "." : "",
               a->resource ? a->resource : "");
        for (const char *p = a->value; *p; p++)
            if (*p != ' ' || strcasecmp(a->name, "jobs") != 0)
                putchar(*p);
    }
    putchar('\n');
}

static bool is_nothing(const struct attrl *a)
{
    return strcasecmp(a->name, "resources_assigned") == 0 && *a->value == '0';
}

static void add_json(struct options *o, const struct batch_status *node)
{
    json_object_begin(o->form.json, "nodes", node->name);
    for (const struct attrl *a = node->attribs; a; a = a->next)
        if (!is_nothing(a))
            json_attr(o->form.json, a->name, a->resource, a->value);
}

/* A size brought below four digits: "4gb". */
static void short_size(const char *value, char out[32])
{
    static const char units[] = "bkmgtp";
    char *end;
    unsigned long long n = strtoull(value ? value : "0b", &end, 10);
    const char *unit = *end ? strchr(units, *end) : units;
    size_t step = unit ? (size_t)(unit - units) : 0;

    for (; n > 999 && step + 1 < sizeof(units) - 1; step++)
        n = (n % 1024 + n) >> 10;
    if (step == 0)
        snprintf(out, 32, "%llu b", n);
    else
        snprintf(out, 32, "%llu%cb", n, units[step]);
}

static long long amount(const struct batch_status *n, const char *list,
                        const char *name)
{
    const char *value = status_value(n, list, name);

    return value ? strtoll(value, NULL, 10) : 0;
}

static const char *or_dashes(const char *value)
{
    return value && *value ? value : "--";
}

static void print_summary(struct options *o, const struct batch_status *n)
{
    const char *state = or_dashes(status_value(n, "state", NULL));
    int cut = o->uncut ? 4096 : 15, cut8 = o->uncut ? 4096 : 8;
    char mem[32];

    if (!o->headed) {
        puts("vnode           state           OS       hardware host            queue  "
             "      "
             "mem     ncpus   nmics   ngpus  comment");
        puts("--------------- --------------- -------- -------- --------------- "
             "---------- "
             "-------- ------- ------- ------- ---------");
        o->headed = true;
    }
    short_size(status_value(n, "resources_available", "mem"), mem);
    printf("%-15.*s %-15.*s %-8.*s %-8.*s %-15.*s %-10.*s %8.8s %7lld %7lld %7lld %s\n",
           cut, n->name, o->uncut ? cut : (int)MIN_OF(strcspn(state, ","), (size_t)15),
           state, cut8, or_dashes(status_value(n, "resources_available", "OS")), cut8,
           or_dashes(status_value(n, "resources_available", "hardware")), cut,
           or_dashes(status_value(n, "resources_available", "host")),
           o->uncut ? cut : 10, or_dashes(status_value(n, "queue", NULL)), mem,
           amount(n, "resources_available", "ncpus"),
           amount(n, "resources_available", "nmics"),
           amount(n, "resources_available", "ngpus"),
           or_dashes(status_value(n, "comment", NULL)));
}

/* The distinct ids of a vnode's jobs ("1.svr/0, 1.svr/1" is one), without the default
 * server's name; returns how many. */
static int distinct_jobs(const struct options *o, const char *jobs, char *out,
                         size_t size)
{
    int n = 0;
    size_t used = 0;

    out[0] = '\0';
    while (jobs && *jobs) {
        size_t len, total;
        char id[300];

        jobs += strspn(jobs, ", ");
        len = strcspn(jobs, "/,");
        total = strcspn(jobs, ",");
        snprintf(id, sizeof(id), "%.*s", (int)len, jobs);
        jobs += total;
        char *dot = strchr(id, '.');
        if (dot && o->server_name && strcasecmp(dot + 1, o->server_name) == 0)
            *dot = '\0';
        char *seen = strstr(out, id);
        if (!*id ||
            (seen && (seen == out || seen[-1] == ',') && strchr(",", seen[strlen(id)])))
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? "," : "", id);
        if (used >= size)
            break;
        n++;
    }
    return n;
}

static long long kib(const char *size)
{
    char *end;
    long long n = strtoll(size ? size : "0kb", &end, 10);

    switch (*end) {
    case 'm':
        return n << 10;
    case 'g':
        return n << 20;
    case 't':
        return n << 30;
    case 'k':
        return n;
    default:
        return (n + 1023) >> 10;
    }
}

/* "free/total" of the vnode's memory. */
static void memory_cell(const struct batch_status *n, char cell[80])
{
    const char *have = status_value(n, "resources_available", "mem");
    const char *used = status_value(n, "resources_assigned", "mem");
    char left[40], free_text[32], total[32];

    snprintf(left, sizeof(left), "%lldkb", kib(have) - kib(used));
    short_size(kib(used) ? left : have, free_text);
    short_size(have, total);
    snprintf(cell, 80, "%s/%s", free_text, total);
}

static void print_job_summary(struct options *o, const struct batch_status *n)
{
    static const char *const counted[] = { "ncpus", "nmics", "ngpus" };
    const char *state = or_dashes(status_value(n, "state", NULL));
    int cut = o->uncut ? 4096 : 15;
    char jobs[8192], cell[80];
    int n_jobs = distinct_jobs(o, status_value(n, "jobs", NULL), jobs, sizeof(jobs));

    if (!o->headed) {
        printf("%56smem       ncpus   nmics   ngpus\n", "");
        puts("vnode           state           njobs   run   susp      f/t        f/t   "
             "  f/t "
             "    f/t   jobs");
        puts("--------------- --------------- ------ ----- ------ ------------ ------- "
             "------- ------- -------");
        o->headed = true;
    }
    memory_cell(n, cell);
    printf("%-15.*s %-15.*s %6d %5d %6d %12.12s", cut, n->name,
           o->uncut ? cut : (int)MIN_OF(strcspn(state, ","), (size_t)15), state, n_jobs,
           n_jobs, 0, cell);
    for (size_t i = 0; i < ARRAY_LEN(counted); i++) {
        long long have = amount(n, "resources_available", counted[i]);

        snprintf(cell, sizeof(cell), "%lld/%lld",
                 have - amount(n, "resources_assigned", counted[i]), have);
        printf(" %7.7s", cell);
    }
    printf(" %s\n", n_jobs ? jobs : "--");
}

static void print_one(struct options *o, const struct batch_status *node)
{
    if (o->form.form == FULL_JSON)
        add_json(o, node);
    else if (o->form.form == FULL_DSV)
        print_dsv(o, node);
    else if (o->summary && o->of_jobs)
        print_job_summary(o, node);
    else if (o->summary)
        print_summary(o, node);
    else
        print_full(node);
}

static void print_if_unusable(const struct batch_status *n)
{
    const char *state = status_value(n, "state", NULL);
    const char *comment = status_value(n, "comment", NULL);

    if (state && (strstr(state, "down") || strstr(state, "offline")))
        printf("%-20s %s %s\n", n->name, state, comment ? comment : "");
}

/* All hosts, all vnodes (-v), the vnodes of one host ('host' not NULL), or the vnodes
 * that are not usable: hosts would hide them behind "<various>". */
static int show_all(struct options *o, int conn, const char *host)
{
    bool merged = !o->vnodes && !host && o->action != ACT_LIST_DOWN;
    struct batch_status *list = merged ? pbs_stathost(conn, "", NULL, NULL)
                                       : pbs_statvnode(conn, "", NULL, NULL);
    bool any = false;

    if (!list && pbs_errno == PBSE_UNKNODE) {
        fprintf(stderr, "%s: Server has no node list\n", CMD);
        return 1;
    }
    if (!list && pbs_errno != 0) {
        cmd_print_error(CMD, conn, NULL, NULL);
        return 1;
    }
    for (const struct batch_status *n = list; n; n = n->next) {
        const char *its_host = status_value(n, "resources_available", "host");

        if (host && (!its_host || strcasecmp(its_host, host) != 0))
            continue;
        any = true;
        if (o->action == ACT_LIST_DOWN)
            print_if_unusable(n);
        else
            print_one(o, n);
    }
    pbs_statfree(list);
    if (!any && host) {
        if (!o->quiet)
            fprintf(stderr, "Node: %s,  Error: Unknown node \n", host);
        return 1;
    }
    if (!any)
        printf("%s: No nodes found\n", CMD);
    return 0;
}

/* One operand: a host, or with -v a vnode. */
static int show_operand(struct options *o, int conn, const char *name)
{
    struct batch_status *list;

    if (o->by_host)
        return show_all(o, conn, name);
    list = o->vnodes ? pbs_statvnode(conn, name, NULL, NULL)
                     : pbs_stathost(conn, name, NULL, NULL);
    if (!list) {
        print_error(o, conn, name);
        return 1;
    }
    print_one(o, list);
    pbs_statfree(list);
    return 0;
}

static int change_one(const struct options *o, int conn, const char *name)
{
    struct attropl comment = { .name = (char *)"comment",
                               .value = (char *)(o->comment ? o->comment : "") };
    struct attropl state = { .name = (char *)"state",
                             .value = (char *)"offline",
                             .op = o->action == ACT_OFFLINE ? INCR : DECR };
    struct attropl down = state;
    struct attropl *list = &state;

    down.value = (char *)"down";
    if (o->action == ACT_COMMENT)
        list = &comment;
    else if (o->action == ACT_CLEAR)
        state.next = &down;
    if (o->comment && o->action != ACT_COMMENT)
        (o->action == ACT_CLEAR ? &down : &state)->next = &comment;
    if (pbs_manager(conn, MGR_CMD_SET, o->vnodes ? MGR_OBJ_NODE : MGR_OBJ_HOST, name,
                    list, NULL) == 0)
        return 0;
    if (!o->quiet)
        fprintf(stderr, "Error marking node %s - %s\n", name,
                cmd_error_text(conn) ? cmd_error_text(conn) : "");
    return 1;
}

static int run(struct options *o, int conn, int n, char **names)
{
    int code = 0;

    if (n == 0)
        return show_all(o, conn, NULL);
    for (int i = 0; i < n; i++)
        code |= o->action == ACT_SHOW ? show_operand(o, conn, names[i])
                                      : change_one(o, conn, names[i]);
    return code;
}

/* JSON documents and the short ids of -Sj want to know the server. */
static struct batch_status *learn_server(struct options *o, int conn)
{
    struct batch_status *svr = pbs_statserver(conn, NULL, NULL);

    if (!svr)
        return NULL;
    o->server_name = svr->name;
    if (o->form.json)
        json_head(o->form.json, status_value(svr, "pbs_version", NULL) ?: "",
                  svr->name);
    return svr;
}

int main(int argc, char **argv)
{
    struct options o = { .form.delimiter = "|" };
    struct batch_status *svr = NULL;
    bool bad = argc < 2;
    int letter, conn, code;
    char comment[COMMENT_MAX + 1];

    if (cmd_told(argc, argv, usage))
        return 0;
    while ((letter = getopt(argc, argv, "acC:D:F:HjlLoqrs:Sv")) != -1)
        bad |= !take_option(&o, letter, optarg);
    if (o.comment) {
        snprintf(comment, sizeof(comment), "%s", o.comment);
        o.comment = comment;
        if (o.action == ACT_SHOW)
            o.action = ACT_COMMENT;
    }
    bad |= optind >= argc && !o.all && o.action != ACT_LIST_DOWN;
    if (bad) {
        if (!o.quiet)
            fputs(usage, stderr);
        return 1;
    }
    conn = pbs_connect(o.server);
    if (conn < 0) {
        cmd_print_connect_error();
        fprintf(stderr, "%s: cannot connect to server %s, error=%d\n", CMD,
                o.server ? o.server : pbs_server, pbs_errno);
        return 1;
    }
    if (o.form.form == FULL_JSON)
        o.form.json = json_new(time(NULL));
    if (o.form.json || o.of_jobs)
        svr = learn_server(&o, conn);
    code = run(&o, conn, o.all ? 0 : argc - optind, argv + optind);
    if (o.form.json)
        json_print_and_free(o.form.json);
    pbs_statfree(svr);
    pbs_disconnect(conn);
    return code;
}
