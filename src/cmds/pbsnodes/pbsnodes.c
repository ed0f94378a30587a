/* pbsnodes.c - show vnodes and hosts, take them offline and back: options and requests
 * (cli.md 9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/pbsnodes/pbsnodes.h"

#include "include/pbs_error.h"
#include "lib/base/diag.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define COMMENT_MAX 79

static const char usage[] =
    "usage:\tpbsnodes -a [-v] [-S [-j] [-L]] [-F json|dsv [-D delim]] [-s server]\n"
    "\tpbsnodes [-v|-H] [-S [-j] [-L]] [-F json|dsv [-D delim]] [-s server] "
    "host|vnode ...\n"
    "\tpbsnodes [-v] -l [-s server]\n"
    "\tpbsnodes -o|-r|-c [-C comment] [-q] [-s server] host ...\n"
    "\tpbsnodes -C comment [-q] [-s server] host ...\n"
    "\tpbsnodes -d [-q] [-s server] [host ...]\n"
    "\tpbsnodes --version | --help\n"
    "  -a all, -v vnodes instead of hosts, -H the vnodes of these hosts\n"
    "  -l those that are down or offline\n"
    "  -o offline, -r back, -c back and no longer down, -C with a comment\n"
    "  -d these hosts are down and all others are not\n"
    "  -S one line each, -j with jobs, -L nothing cut; -q no messages\n"
    "A single vnode is marked by: qmgr -c 'set node NAME state += offline'\n"
    "\n";

enum action {
    ACT_SHOW,
    ACT_LIST_DOWN,
    ACT_OFFLINE,
    ACT_RESET,
    ACT_CLEAR,
    ACT_DOWN,
    ACT_COMMENT
};

struct options {
    enum action action;
    bool all, vnodes, by_host, quiet;
    char *comment; /* at most COMMENT_MAX characters */
    const char *server;
    struct nodes_view view;
};

/* One action only, and none together with -H, which selects what is shown. */
static bool set_action(struct options *o, enum action action)
{
    if (o->action != ACT_SHOW || o->by_host)
        return false;
    o->action = action;
    return true;
}

/* The letters that choose what is done: each looks at what was chosen before it. */
static bool take_action(struct options *o, int letter)
{
    switch (letter) {
    case 'a':
        o->all = true;
        return o->action == ACT_SHOW && !o->by_host;
    case 'v':
        o->vnodes = true;
        return o->action == ACT_SHOW && !o->by_host;
    case 'H':
        o->by_host = true;
        return o->action == ACT_SHOW && !o->all && !o->vnodes;
    case 'l':
        return set_action(o, ACT_LIST_DOWN);
    case 'o':
        return set_action(o, ACT_OFFLINE);
    case 'r':
        return set_action(o, ACT_RESET);
    case 'c':
        return set_action(o, ACT_CLEAR);
    case 'd':
        return set_action(o, ACT_DOWN);
    default:
        return false;
    }
}

/* At most 'most' bytes, and no part of a character. */
static size_t cut_at(const char *text, size_t most)
{
    size_t len = strnlen(text, most);

    /* A byte of this form goes on a character: the cut is before its first one. */
    while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
        len--;
    return len;
}

static bool take_option(struct options *o, int letter, const char *text)
{
    struct nodes_view *v = &o->view;

    switch (letter) {
    case 'C':
        /* The last one counts. */
        free(o->comment);
        o->comment = xstrndup(text, cut_at(text, COMMENT_MAX));
        return true;
    case 'q':
        return o->quiet = true;
    case 's':
        o->server = text;
        return true;
    case 'S':
        return v->summary = true;
    case 'j':
        return v->of_jobs = true;
    case 'L':
        return v->uncut = true;
    case 'F':
        return full_form_find(text, &v->form.form);
    case 'D':
        v->form.delimiter = text;
        return *text != '\0';
    default:
        return take_action(o, letter);
    }
}

static bool parse(struct options *o, int argc, char **argv)
{
    /* All vnodes are a long list on a large cluster, so only -a asks for them. */
    bool good = argc > 1;
    int letter;

    while ((letter = getopt(argc, argv, "acC:dD:F:HjlLoqrs:Sv")) != -1)
        /* All options are read, since -q counts wherever it stands. */
        good &= take_option(o, letter, optarg);
    /* -C alone changes the comment and nothing else (cli.md 9). */
    if (o->comment && o->action == ACT_SHOW)
        o->action = ACT_COMMENT;
    /* The others need an operand; -l and -d mean all hosts without one. */
    if (optind < argc || (o->all && o->action == ACT_SHOW))
        return good;
    return good && (o->action == ACT_LIST_DOWN || o->action == ACT_DOWN);
}

/* In a json document an error is a member, and no failure (cli.md 9). */
static int refused(const struct options *o, int conn, const char *node)
{
    const char *text = cell_or(cmd_error_text(conn), pbse_text(pbs_errno));

    if (o->view.form.form == FULL_JSON) {
        json_object_begin(o->view.form.json, "nodes", node);
        json_attr(o->view.form.json, node, NULL, cell_or(text, "unknown error"));
        return 0;
    }
    if (!o->quiet)
        fprintf(stderr, "Node: %s,  Error: %s\n", node, cell_or(text, ""));
    return 1;
}

static bool is_unusable(const struct batch_status *n)
{
    /* A vnode has several states at a time, so the words are looked for within the
     * list. */
    const char *state = cell_or(status_value(n, "state", NULL), "");

    return strstr(state, "down") || strstr(state, "offline");
}

static void show_unusable(struct options *o, const struct batch_status *n)
{
    if (o->view.summary || o->view.form.form != FULL_LINES)
        nodes_print(&o->view, n);
    else
        printf("%-20s %s %s\n", n->name, status_value(n, "state", NULL),
               cell_or(status_value(n, "comment", NULL), ""));
}

static bool is_of_host(const struct batch_status *n, const char *host)
{
    const char *its = status_value(n, "resources_available", "host");

    /* Names of hosts are the same in any case of letters. */
    return !host || (its && strcasecmp(its, host) == 0);
}

static int show_none(const struct options *o, int conn)
{
    if (pbs_errno == PBSE_UNKNODE) {
        if (!o->quiet)
            fprintf(stderr, "%s: Server has no node list\n", CMD);
        return 1;
    }
    /* An empty list without an error says that there are no vnodes. */
    if (pbs_errno != 0) {
        cmd_print_error(CMD, conn, NULL, NULL);
        return 1;
    }
    if (o->view.form.form != FULL_JSON)
        printf("%s: No nodes found\n", CMD);
    return 0;
}

/* For tables; other forms show each value in a way of their own. */
static void make_printable(const struct options *o, struct batch_status *list)
{
    if (o->view.form.form == FULL_LINES &&
        (o->view.summary || o->action == ACT_LIST_DOWN))
        cells_make_printable(list);
}

/* All hosts, all vnodes (-v), the vnodes of one host ('host' not NULL), or of these the
 * ones that are not usable: hosts would hide them behind "<various>". */
static int show_all(struct options *o, int conn, const char *host)
{
    bool merged = !o->vnodes && !host && o->action != ACT_LIST_DOWN;
    struct batch_status *list = merged ? pbs_stathost(conn, "", NULL, NULL)
                                       : pbs_statvnode(conn, "", NULL, NULL);
    bool any = false;

    if (!list)
        return show_none(o, conn);
    make_printable(o, list);
    for (const struct batch_status *n = list; n; n = n->next) {
        if (!is_of_host(n, host))
            continue;
        any = true;
        if (o->action != ACT_LIST_DOWN)
            nodes_print(&o->view, n);
        else if (is_unusable(n))
            show_unusable(o, n);
    }
    pbs_statfree(list);
    if (any)
        return 0;
    /* The server answered, and none of its vnodes is of that host. There is no text of
     * a refusal, hence no connection to ask for one. */
    pbs_errno = PBSE_UNKNODE;
    return refused(o, -1, host ? host : "");
}

/* One operand: a host, or with -v a vnode. */
static int show_operand(struct options *o, int conn, const char *name)
{
    struct batch_status *list;

    /* No name would be the request for all of them. */
    if (!*name) {
        pbs_errno = PBSE_UNKNODE;
        return refused(o, -1, name);
    }
    /* Both look through all vnodes for those of the host. */
    if (o->by_host || o->action == ACT_LIST_DOWN)
        return show_all(o, conn, name);
    list = o->vnodes ? pbs_statvnode(conn, name, NULL, NULL)
                     : pbs_stathost(conn, name, NULL, NULL);
    if (!list)
        return refused(o, conn, name);
    make_printable(o, list);
    nodes_print(&o->view, list);
    pbs_statfree(list);
    return 0;
}

/* Why a host was not marked. People give the name of a vnode, which is marked in
 * another way: so that is told. */
static void tell_unmarked(int conn, const char *host)
{
    const int error = pbs_errno;
    struct batch_status *vnode;

    fprintf(stderr, "Error marking node %s - %s\n", host,
            cell_or(cmd_error_text(conn), cell_or(pbse_text(error), "")));
    vnode =
        error == PBSE_UNKNODE && *host ? pbs_statvnode(conn, host, NULL, NULL) : NULL;
    if (vnode)
        fprintf(
            stderr,
            "pbsnodes: %s is a vnode, and hosts are marked here; to take this vnode "
            "out of use: qmgr -c 'set node %s state += offline'\n",
            host, host);
    pbs_statfree(vnode);
}

/* Change vnodes of a host; the exit code. -q is for messages, the code stays. */
static int mark(const struct options *o, int conn, const char *host,
                struct attropl *list)
{
    if (pbs_manager(conn, MGR_CMD_SET, MGR_OBJ_HOST, host, list, NULL) == 0)
        return 0;
    if (!o->quiet)
        tell_unmarked(conn, host);
    return 1;
}

/* All the vnodes of a host are marked, with -v too. */
static int change_one(const struct options *o, int conn, const char *host)
{
    struct attropl comment = { .name = (char *)"comment",
                               .value = o->comment,
                               .op = SET };
    struct attropl down = { .next = o->comment ? &comment : NULL,
                            .name = (char *)"state",
                            .value = (char *)"down",
                            .op = DECR };
    struct attropl offline = { .next = o->action == ACT_CLEAR ? &down : down.next,
                               .name = (char *)"state",
                               .value = (char *)"offline",
                               .op = o->action == ACT_OFFLINE ? INCR : DECR };

    /* The lists are on the stack: the library has sent them when it returns. */
    return mark(o, conn, host, o->action == ACT_COMMENT ? &comment : &offline);
}

static bool is_among(const char *host, int n, char **names)
{
    for (int i = 0; i < n; i++)
        if (strcasecmp(names[i], host) == 0)
            return true;
    return false;
}

/* Do what -d says: the hosts that are named are down, and all others are not. */
static int mark_down(const struct options *o, int conn, int n, char **names)
{
    struct attropl down = { .name = (char *)"state", .value = (char *)"down" };
    /* All hosts are asked for before anything is changed: without that list the others
     * could not be marked. */
    struct batch_status *hosts = pbs_stathost(conn, "", NULL, NULL);
    int code = 0;

    if (!hosts)
        return show_none(o, conn);
    for (int i = 0; i < n; i++) {
        down.op = INCR;
        code |= mark(o, conn, names[i], &down);
    }
    for (const struct batch_status *h = hosts; h; h = h->next) {
        down.op = DECR;
        if (!is_among(h->name, n, names))
            code |= mark(o, conn, h->name, &down);
    }
    pbs_statfree(hosts);
    return code;
}

static int serve(struct options *o, int conn, int n, char **names)
{
    int code = 0;

    if (o->action == ACT_DOWN)
        return mark_down(o, conn, n, names);
    if (n == 0 || (o->all && o->action == ACT_SHOW))
        return show_all(o, conn, NULL);
    for (int i = 0; i < n; i++)
        /* A failure of one operand does not keep the others from their turn. */
        code |= o->action == ACT_SHOW || o->action == ACT_LIST_DOWN
                    ? show_operand(o, conn, names[i])
                    : change_one(o, conn, names[i]);
    return code;
}

/* Ask for the server's name and version, which JSON documents and the short ids of -Sj
 * need. The name lives as long as what is returned. */
static struct batch_status *learn_server(struct nodes_view *v, int conn)
{
    struct attrl wanted = { .name = (char *)"pbs_version", .value = (char *)"" };
    struct batch_status *svr = pbs_statserver(conn, &wanted, NULL);

    /* Ids of jobs are then shown whole. */
    if (!svr)
        return NULL;
    v->default_server = svr->name;
    if (v->form.json)
        json_head(v->form.json, cell_or(status_value(svr, "pbs_version", NULL), ""),
                  svr->name);
    return svr;
}

static int connect_and_serve(struct options *o, int n, char **names)
{
    struct nodes_view *v = &o->view;
    struct batch_status *svr = NULL;
    int code, conn = pbs_connect(o->server);

    if (conn < 0) {
        cmd_print_connect_error();
        fprintf(stderr, "%s: cannot connect to server %s, error=%d\n", CMD,
                o->server ? o->server : pbs_server, pbs_errno);
        return 1;
    }
    /* The document is begun before anything is asked, so that errors have a place in
     * it. */
    if (v->form.form == FULL_JSON)
        v->form.json = json_new(time(NULL));
    if (v->form.json || v->of_jobs)
        svr = learn_server(v, conn);
    code = serve(o, conn, n, names);
    if (v->form.json)
        json_print_and_free(v->form.json);
    pbs_statfree(svr);
    pbs_disconnect(conn);
    return code;
}

static int run(int argc, char **argv)
{
    struct options o = { .view.form.delimiter = "|" };
    int code = 1;

    if (cmd_told(argc, argv, usage))
        return 0;
    /* With -q a wrong command line is told by the exit code alone. */
    if (parse(&o, argc, argv))
        code = connect_and_serve(&o, argc - optind, argv + optind);
    else if (!o.quiet)
        fputs(usage, stderr);
    free(o.comment);
    return code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
