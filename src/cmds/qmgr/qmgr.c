/* qmgr.c - the administrator's command: options, and commands from -c, a file or a
 * terminal (cli.md 8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/qmgr.h"

#include "lib/base/buf.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define LEAVE        (-1) /* is no exit code: those are 0 to 255 */
#define COMMANDS_MAX 64

static const char usage[] =
    "Usage: qmgr [-a] [-e] [-n] [-z] [-F json] [-c command] [server...]\n"
    "       qmgr --version | --help\n"
    "  -c command  run it and leave; without any commands are read from standard "
    "input\n"
    "  -a  stop at the first error   -e  show each command before it runs\n"
    "  -n  check the syntax only     -z  say nothing about errors\n"
    "  -F json     list objects as JSON\n";

struct options {
    bool abort_on_error, echo, parse_only;
    size_t n_commands;
    const char *commands[COMMANDS_MAX]; /* of each -c */
};

static int run_parsed(struct qmgr *q, const struct options *o, struct qmgr_command *c)
{
    int code;

    switch (c->verb) {
    case VERB_QUIT:
        return LEAVE;
    case VERB_NONE:
        return EXIT_NOTHING;
    case VERB_HELP:
        qmgr_help(c->topic);
        return EXIT_NOTHING;
    case VERB_HISTORY:
        return qmgr_input_history(q->input, c->topic);
    default:
        code = o->parse_only ? 0 : qmgr_run(q, c);
        /* Errors are not buffered: without this they would stand before the output of
         * earlier commands, where both go into one file. */
        fflush(stdout);
        return code;
    }
}

/* 0, the code of the failure, or LEAVE. *syntax: it was no command. */
static int run_command(struct qmgr *q, const struct options *o, const char *text,
                       bool *syntax)
{
    struct qmgr_command c;
    struct qmgr_mistake why;
    int code;

    if (o->echo) {
        puts(text + strspn(text, " \t"));
        fflush(stdout);
    }
    *syntax = qmgr_parse(text, &c, &why) != SYNTAX_OK;
    if (*syntax) {
        if (!q->quiet)
            qmgr_mistake_print(text, &why, q->hints, stderr);
        return (int)why.code;
    }
    code = run_parsed(q, o, &c);
    qmgr_command_clear(&c);
    return code;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n\v\f")] == '\0';
}

static bool says_nothing(const char *line)
{
    return is_blank(line) || line[strspn(line, " \t")] == '#';
}

/* With -a the first error ends everything, with a code that says of which kind it is.
 */
static int stop_at(const struct qmgr *q, int code, bool syntax)
{
    if (code == 0 || code == EXIT_NOTHING)
        return code;
    if (!q->quiet && q->replay)
        fprintf(stderr, "qmgr: stopped at line %lu\n",
                qmgr_input_line_number(q->input));
    return syntax ? 1 : 2;
}

/* All commands of a line; *leave is set after quit, a lost server, an error with -a. */
static int run_commands(struct qmgr *q, const struct options *o, const char *text,
                        bool *leave)
{
    const char *next = text;
    int code = EXIT_NOTHING;
    bool syntax = false;

    while (next && !*leave) {
        size_t len = qmgr_command_len(text = next, &next);
        char *one = xstrndup(text, len);
        /* An empty piece, as behind a last ';', leaves the code as it is. */
        int got = is_blank(one) ? code : run_command(q, o, one, &syntax);

        free(one);
        code = got == LEAVE ? 0 : got;
        *leave = got == LEAVE || q->lost;
        if (o->abort_on_error && !q->lost && code && code != EXIT_NOTHING) {
            *leave = true;
            code = stop_at(q, code, syntax);
        }
    }
    return code;
}

static int run_input(struct qmgr *q, const struct options *o)
{
    bool leave = false;
    int code = 0;

    /* PBS's qmgr begins so, also when its input is no terminal (cli.md 8). */
    printf("Max open servers: %d\n", pbs_query_max_connections());
    fflush(stdout);
    q->input = qmgr_input_open();
    q->replay = !qmgr_input_is_terminal(q->input);
    while (!leave) {
        char *line;
        enum qmgr_line got = qmgr_input_line(q->input, &line);

        if (got == LINE_END)
            break;
        if (got == LINE_BAD) {
            if (!q->quiet)
                fprintf(stderr, "qmgr: %s\n", line);
            leave = o->abort_on_error;
            code = leave ? stop_at(q, SYNTAX_ATTR, true) : SYNTAX_ATTR;
        } else {
            code = run_commands(q, o, line, &leave);
        }
        free(line);
    }
    qmgr_input_close(q->input);
    return code;
}

/* The next line of 'text' and those that it goes on with, after a backslash at its end
 * or within quotes; NULL at the end. Here, and not on standard input, a line end in
 * quotes is part of the value: the shell has shown already where the argument ends
 * (cli.md 8.1). */
static char *next_line(const char **text)
{
    bool comment = (*text)[strspn(*text, " \t")] == '#';
    struct buf line = { 0 };
    bool more = **text != '\0';

    if (!more)
        return NULL;
    while (more) {
        size_t len = strcspn(*text, "\n");
        bool last = comment || (*text)[len] == '\0';
        bool joined = !last && len > 0 && (*text)[len - 1] == '\\';

        buf_add(&line, *text, joined ? len - 1 : len);
        more = joined || (!last && qmgr_ends_in_quotes(line.data));
        if (more)
            buf_add_char(&line, joined ? ' ' : '\n');
        *text += len + ((*text)[len] != '\0');
    }
    return buf_take(&line);
}

/* Each -c in its turn: mostly one command, but as many lines as a file may have. */
static int run_arguments(struct qmgr *q, const struct options *o)
{
    int code = EXIT_NOTHING;
    bool leave = false;

    for (size_t i = 0; i < o->n_commands; i++) {
        const char *text = o->commands[i];
        char *line;

        while (!leave && (line = next_line(&text))) {
            if (!says_nothing(line))
                code = run_commands(q, o, line, &leave);
            free(line);
        }
    }
    return code;
}

static bool add_command(struct options *o, const char *text)
{
    if (o->n_commands == COMMANDS_MAX) {
        fprintf(stderr, "qmgr: more than %d commands; put them into a file\n",
                COMMANDS_MAX);
        return false;
    }
    o->commands[o->n_commands++] = text;
    return true;
}

static bool is_form(const char *text)
{
    if (strcasecmp(text, "json") == 0)
        return true;
    fprintf(stderr, "qmgr: -F takes json, not %s\n", text);
    return false;
}

static bool read_options(int argc, char **argv, struct options *o, struct qmgr *q)
{
    bool good = true;
    int letter;

    while ((letter = getopt(argc, argv, "ac:enzF:")) != -1) {
        o->abort_on_error |= letter == 'a';
        o->echo |= letter == 'e';
        o->parse_only |= letter == 'n';
        q->quiet |= letter == 'z';
        if (letter == 'c')
            good &= add_command(o, optarg);
        if (letter == 'F')
            good &= q->json = is_form(optarg);
        good &= letter != '?';
    }
    return good;
}

static bool connect_all(struct qmgr *q, int argc, char **argv)
{
    static char dflt[] = "";
    char *const only[] = { dflt };
    char *const *names = argc > 0 ? argv : only;

    /* One server that cannot be reached ends it all (cli.md 8): a change that was meant
     * for several servers must not be made on some. */
    for (int i = 0; i < (argc > 0 ? argc : 1); i++) {
        if (!qmgr_server_open(q, names[i]))
            return false;
        qmgr_servers_activate(q, names[i], i == 0);
    }
    return true;
}

static void forget(struct qmgr *q)
{
    qmgr_servers_close(q);
    for (size_t i = 0; i < ARRAY_LEN(q->active); i++) {
        struct qmgr_command c = { .names = q->active[i] };

        qmgr_command_clear(&c);
    }
}

/* The exit code says so when the output could not be written: a dump of the settings
 * that is cut short must not count as one. */
static int check_output(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "qmgr: the output cannot be written: %s\n", strerror(errno));
    return code ? code : EXIT_LOCAL;
}

int main(int argc, char **argv)
{
    struct qmgr q = { .hints = isatty(STDERR_FILENO) };
    struct options o = { 0 };
    int code = EXIT_NO_SERVER;

    if (cmd_told(argc, argv, usage))
        return check_output(0);
    if (!read_options(argc, argv, &o, &q)) {
        fputs(usage, stderr);
        return 1;
    }
    /* -n needs no server, so that a file can be checked anywhere. */
    if (o.parse_only || connect_all(&q, argc - optind, argv + optind))
        code = o.n_commands ? run_arguments(&q, &o) : run_input(&q, &o);
    forget(&q);
    return check_output(code);
}
