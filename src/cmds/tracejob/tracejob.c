/* tracejob.c - see tracejob.h; cli.md 12.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/tracejob/tracejob.h"

#include "cmds/common/cmd.h"
#include "lib/base/log.h"
#include "lib/io/conf.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REPEATED_DEFAULT 15
#define LETTER_CHARS     6 /* the letter and the blanks behind it */

static const char usage[] =
    "USAGE: tracejob [-a|s|l|m|v] [-w size] [-p path] [-n days] [-f filter_type] "
    "[-z] [-c count] job_identifier...\n"
    "       tracejob --version | --help\n"
    "  -p path    PBS_HOME, when it is not the one of pbs.conf\n"
    "  -w size    columns of the output; 0: lines are not broken\n"
    "  -n days    look at the files of that many days, today's included (1)\n"
    "  -f type    leave out events: error, system, admin, job, job_usage, security,\n"
    "             sched, debug, debug2, resv, debug3, debug4, force or a hexadecimal\n"
    "             number; may be given several times\n"
    "  -z         show also messages that are repeated too often\n"
    "  -c count   how often is too often (15): the last of them is shown\n"
    "  -a -s -l -m  without accounting, server, scheduler, MoM files\n"
    "  -v         say which files could not be read\n";

struct options {
    struct trace trace;
    const char *home; /* of -p, NULL */
    long width;       /* -1: that of the terminal; 0: none */
    long most;        /* of the same message; 0: any number */
};

static int usage_error(void)
{
    fputs(usage, stdout);
    return 1;
}

/* A whole number from 'least' on; false for anything else. */
static bool read_number(const char *text, long least, long *ret)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end == text || *end != '\0' || n < least || n > INT_MAX)
        return false;
    *ret = n;
    return true;
}

static bool take_filter(struct options *o, const char *text)
{
    static const struct {
        const char *name;
        uint32_t class;
    } classes[] = {
        { "error", LOG_EV_ERROR },         { "system", LOG_EV_SYSTEM },
        { "admin", LOG_EV_ADMIN },         { "job", LOG_EV_JOB },
        { "job_usage", LOG_EV_JOB_USAGE }, { "security", LOG_EV_SECURITY },
        { "sched", LOG_EV_SCHED },         { "debug", LOG_EV_DEBUG },
        { "debug2", LOG_EV_DEBUG2 },       { "resv", LOG_EV_RESV },
        { "debug3", LOG_EV_DEBUG3 },       { "debug4", LOG_EV_DEBUG4 },
        { "force", LOG_EV_FORCE },
    };
    unsigned long mask;
    char *end;

    for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
        if (strcasecmp(text, classes[i].name) != 0)
            continue;
        o->trace.hidden |= classes[i].class;
        return true;
    }
    mask = strtoul(text, &end, 16);
    o->trace.hidden |= (uint32_t)mask;
    return end != text && *end == '\0' && mask <= UINT32_MAX;
}

static bool take_option(struct options *o, int letter, const char *text)
{
    long days;

    switch (letter) {
    case 'a':
        o->trace.skip[TRACE_ACCOUNTING] = true;
        return true;
    case 's':
        o->trace.skip[TRACE_SERVER] = true;
        return true;
    case 'l':
        o->trace.skip[TRACE_SCHED] = true;
        return true;
    case 'm':
        o->trace.skip[TRACE_MOM] = true;
        return true;
    case 'v':
        o->trace.verbose = true;
        return true;
    case 'z':
        o->most = o->most ? 0 : REPEATED_DEFAULT;
        return true;
    case 'p':
        o->home = text;
        return *text != '\0';
    case 'w':
        return read_number(text, 0, &o->width);
    case 'c':
        return read_number(text, 1, &o->most);
    case 'f':
        return take_filter(o, text);
    case 'n':
        if (!read_number(text, 1, &days))
            return false;
        o->trace.days = (int)days;
        return true;
    default:
        return false;
    }
}

static size_t terminal_width(void)
{
    struct winsize size;

    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0
               ? size.ws_col
               : 0;
}

/* The message in words: where the next one would pass the width it goes to a new line
 * below the first. */
static void print_message(const char *text, size_t indent, size_t width)
{
    size_t column = indent;

    while (*text) {
        size_t blanks = strspn(text, " ");
        size_t len = blanks + strcspn(text + blanks, " ");

        if (width && column > indent && column + len > width) {
            printf("\n%*s", (int)indent, "");
            text += blanks;
            len -= blanks;
            column = indent;
        }
        printf("%.*s", (int)len, text);
        column += len;
        text += len;
    }
    putchar('\n');
}

/* The column of the times is as wide as the longest kind of time among them. */
static int date_width(const struct events *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (strchr(list->v[i].date, '.'))
            return 27;
    return 20;
}

static void print_events(const struct events *list, const char *id, size_t width)
{
    int dates = date_width(list);

    printf("\nJob: %s\n\n", id);
    for (size_t i = 0; i < list->n; i++) {
        const struct event *e = &list->v[i];

        printf("%-*s %-*c", dates, e->date, LETTER_CHARS - 1, e->letter);
        print_message(e->text, (size_t)dates + LETTER_CHARS, width);
    }
}

/* The exit status of one job. */
static int trace_job(const struct options *o, const struct conf *conf,
                     const char *operand)
{
    /* The port of the server is no part of an id. */
    char *id = strchr(operand, '.')
                   ? xstrdup(operand)
                   : xasprintf("%s.%.*s", operand, (int)strcspn(conf->server, ":"),
                               conf->server);
    struct events list = events_of_job(&o->trace, id);
    int code = 0;

    if (list.n == 0) {
        fprintf(stderr, "\n%s: Couldn't find Job Id %s in logs of past %d day%s\n\n",
                CMD, id, o->trace.days, o->trace.days == 1 ? "" : "s");
        fputs(CMD
              ": -n days looks further back; -v tells which files could not be read\n",
              stderr);
        code = 1;
    } else {
        if (o->most)
            events_drop_repeated(&list, (size_t)o->most);
        print_events(&list, id, o->width >= 0 ? (size_t)o->width : terminal_width());
    }
    events_free(&list);
    free(id);
    return code;
}

static int trace_jobs(struct options *o, char **operands)
{
    struct conf *conf;
    struct diag why = { 0 };
    int code = 0;

    if (conf_load(&conf, &why)) {
        fprintf(stderr, "%s: %s\n", CMD, why.text);
        return 1;
    }
    o->trace.home = o->home ? o->home : conf->home;
    o->trace.mom_home = o->home ? o->home : conf->mom_home;
    for (; *operands; operands++)
        if (trace_job(o, conf, *operands))
            code = 1;
    conf_free(conf);
    return code;
}

static int run(int argc, char **argv)
{
    struct options o = { .trace = { .days = 1, .now_at = time(NULL) },
                         .width = -1,
                         .most = REPEATED_DEFAULT };
    int letter;

    if (cmd_told(argc, argv, usage))
        return 0;
    while ((letter = getopt(argc, argv, "zvamslw:p:n:f:c:")) != -1)
        if (!take_option(&o, letter, optarg))
            return usage_error();
    if (optind >= argc)
        return usage_error();
    return trace_jobs(&o, argv + optind);
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
