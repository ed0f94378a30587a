/* qmgr.c - the administrator's command: options, and lines from -c, a file or a
 * terminal.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/qmgr.h"

#include "lib/base/buf.h"

#include <ctype.h>
#include <getopt.h>
#include <histedit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HISTORY_LINES  500
#define EXIT_NOTHING   255 /* help, or a line without a command */
#define EXIT_NO_SERVER 3

static const char usage[] =
    "Usage: qmgr [-a] [-e] [-n] [-z] [-c command] [server...]\n"
    "       qmgr --version | --help\n"
    "  -c command  run it and leave; without it commands are read from standard input\n"
    "  -a  stop at the first error   -e  show each command before it runs\n"
    "  -n  check the syntax only     -z  say nothing about errors\n";

struct options {
    bool abort_on_error, echo, parse_only;
    const char *command;
};

struct lines {
    EditLine *edit; /* NULL when not at a terminal */
    History *history;
    struct buf pending;
};

/* 0, the code of the failure, or -1 to leave. */
static int run_line(struct qmgr *q, const struct options *o, const char *line)
{
    struct qmgr_command c;
    int code;

    if (o->echo)
        printf("%s\n", line);
    code = (int)qmgr_parse(line, q->quiet, &c);
    if (code == 0 && c.verb == VERB_QUIT) {
        code = -1;
    } else if (code == 0 && c.verb == VERB_HELP) {
        qmgr_help(c.topic);
        code = EXIT_NOTHING;
    } else if (code == 0 && c.verb == VERB_NONE) {
        code = EXIT_NOTHING;
    } else if (code == 0 && !o->parse_only) {
        code = qmgr_run(q, &c);
        fflush(stdout);
    }
    qmgr_command_clear(&c);
    return code;
}

/* Cut off a comment: '#' at the start or after a blank, outside quotes; and find the
 * end of the first command of the line. */
static size_t command_len(char *text)
{
    char quote = '\0';

    for (char *p = text; *p; p++) {
        if (quote)
            quote = *p == quote ? '\0' : quote;
        else if (*p == '"' || *p == '\'')
            quote = *p;
        else if (*p == ';')
            return (size_t)(p - text);
        else if (*p == '#' && (p == text || isspace((unsigned char)p[-1])))
            *p-- = '\0';
    }
    return strlen(text);
}

/* All commands of one line; sets *leave after quit, or after an error with -a. */
static int run_commands(struct qmgr *q, const struct options *o, char *text,
                        bool *leave)
{
    int code = 0;

    while (!*leave) {
        size_t len = command_len(text);
        bool last = text[len] == '\0';
        int failed;

        text[len] = '\0';
        failed = run_line(q, o, text);
        if (failed == -1) {
            *leave = true;
            return 0;
        }
        code = failed;
        if (o->abort_on_error && failed != 0 && failed != EXIT_NOTHING) {
            *leave = true;
            return failed <= SYNTAX_ATTR ? 1 : 2;
        }
        if (last)
            break;
        text += len + 1;
    }
    return code;
}

static char *prompt(EditLine *el)
{
    struct lines *l;

    el_get(el, EL_CLIENTDATA, &l);
    return (char *)(l->pending.len > 0 ? "Qmgr< " : "Qmgr: ");
}

static void lines_init(struct lines *l)
{
    HistEvent event;

    *l = (struct lines){ 0 };
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return;
    l->edit = el_init("qmgr", stdin, stdout, stderr);
    l->history = history_init();
    if (!l->edit || !l->history)
        return;
    history(l->history, &event, H_SETSIZE, HISTORY_LINES);
    el_set(l->edit, EL_CLIENTDATA, l);
    el_set(l->edit, EL_PROMPT, prompt);
    el_set(l->edit, EL_EDITOR, "emacs");
    el_set(l->edit, EL_HIST, history, l->history);
    el_set(l->edit, EL_SIGNAL, 1);
}

static void lines_fini(struct lines *l)
{
    if (l->edit)
        el_end(l->edit);
    if (l->history)
        history_end(l->history);
    buf_fini(&l->pending);
}

/* One physical line without its newline, NULL at the end of input; the caller frees. */
static char *read_physical(struct lines *l)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t got;

    if (l->edit) {
        HistEvent event;
        int n = 0;
        const char *typed = el_gets(l->edit, &n);

        if (!typed || n <= 0)
            return NULL;
        if (typed[strspn(typed, " \t\n")] != '\0')
            history(l->history, &event, H_ENTER, typed);
        line = xstrndup(typed, (size_t)n);
        got = n;
    } else {
        got = getline(&line, &cap, stdin);
    }
    if (got < 0) {
        free(line);
        return NULL;
    }
    line[strcspn(line, "\n")] = '\0';
    return line;
}

/* A whole line: a backslash at the end goes on with the next one. */
static char *read_line(struct lines *l)
{
    buf_clear(&l->pending);
    for (;;) {
        char *part = read_physical(l);
        size_t len;

        if (!part)
            return l->pending.len > 0 ? buf_take(&l->pending) : NULL;
        len = strlen(part);
        if (len > 0 && part[len - 1] == '\\') {
            buf_add(&l->pending, part, len - 1);
            buf_add_char(&l->pending, ' ');
            free(part);
            continue;
        }
        buf_add(&l->pending, part, len);
        free(part);
        return buf_take(&l->pending);
    }
}

static int run_input(struct qmgr *q, const struct options *o)
{
    struct lines l;
    bool leave = false;
    int code = 0;

    printf("Max open servers: %d\n", pbs_query_max_connections());
    fflush(stdout);
    lines_init(&l);
    while (!leave) {
        char *line = read_line(&l);
        const char *text = line ? line + strspn(line, " \t") : NULL;

        if (!line)
            break;
        if (*text && *text != '#')
            code = run_commands(q, o, line, &leave);
        free(line);
    }
    lines_fini(&l);
    return code;
}

static bool connect_all(struct qmgr *q, int argc, char **argv)
{
    static const char *const dflt[] = { "" };
    size_t n = argc > 0 ? (size_t)argc : 1;

    q->servers = xcalloc(n, sizeof(*q->servers));
    q->conns = xcalloc(n, sizeof(*q->conns));
    for (size_t i = 0; i < n; i++) {
        q->servers[i] = argc > 0 ? argv[i] : dflt[0];
        q->conns[i] = pbs_connect(q->servers[i]);
        if (q->conns[i] < 0) {
            cmd_print_connect_error();
            fprintf(stderr, "qmgr: cannot connect to server %s\n", q->servers[i]);
            return false;
        }
        q->n_servers++;
    }
    return true;
}

static void disconnect_all(struct qmgr *q)
{
    for (size_t i = 0; i < q->n_servers; i++)
        pbs_disconnect(q->conns[i]);
    free(q->servers);
    free(q->conns);
    for (size_t i = 0; i < ARRAY_LEN(q->active); i++) {
        struct qmgr_command c = { .names = q->active[i] };

        qmgr_command_clear(&c);
    }
}

int main(int argc, char **argv)
{
    struct qmgr q = { 0 };
    struct options o = { 0 };
    bool bad = false, leave = false;
    int letter, code;

    if (cmd_told(argc, argv, usage))
        return 0;
    while ((letter = getopt(argc, argv, "ac:enz")) != -1) {
        o.abort_on_error |= letter == 'a';
        o.echo |= letter == 'e';
        o.parse_only |= letter == 'n';
        q.quiet |= letter == 'z';
        bad |= letter == '?';
        if (letter == 'c')
            o.command = optarg;
    }
    if (bad) {
        fputs(usage, stderr);
        return 1;
    }
    if (!connect_all(&q, argc - optind, argv + optind)) {
        disconnect_all(&q);
        return EXIT_NO_SERVER;
    }
    if (o.command) {
        char *line = xstrdup(o.command);

        code = run_commands(&q, &o, line, &leave);
        free(line);
    } else {
        code = run_input(&q, &o);
    }
    disconnect_all(&q);
    return code;
}
