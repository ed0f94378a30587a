/* options.c - the command line of qstat: its letters and which of them exclude each
 * other (cli.md 4.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qstat/qstat.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

const char qstat_usage[] =
    "usage: \n"
    "qstat [-f [-F default|dsv|json] [-D delim] [-w]] [-p] [-x] [-t] [-J] [-E]\n"
    "      [job_identifier | queue | @server | queue@server]...\n"
    "qstat [-a|-i|-r|-H|-T] [-u user,...] [-n] [-s] [-1] [-w] [-G|-M] [-t] [-J]\n"
    "      [job_identifier | queue | @server | queue@server]...\n"
    "qstat -Q [-f [-F format]] [queue]...    qstat -q [-G|-M] [queue]...\n"
    "qstat -B [-f [-F format]] [server]...   qstat --version | --help\n"
    "  -a all, -i waiting, -r running, -H finished, -T with the expected start: a "
    "table\n"
    "     with more columns; -n with nodes, -s with comments (-1 on the job's own "
    "line),\n"
    "     -w wide, -G -M sizes in gb or megawords\n"
    "  -u of these users, -J arrays, -t subjobs too, -x finished ones too, -p percent "
    "done\n"
    "  -E many job identifiers in one request\n"
    "  -f every attribute; -F the form of it, -D what separates dsv fields\n"
    "  -Q queues, -q queues and their limits, -B servers\n"
    "  -W letters  more of a i r H n s q G M 1, and u with names as the last\n";

/* What was given so far, beyond what the requests need. */
struct given {
    struct qstat_options *o;
    bool limits, full_asked, gb, mw, clash;
    char letters[8]; /* of a, i, r, H: each once */
};

/* A letter given twice is no conflict with itself, so each is kept once. There are
 * four, and 'letters' has room for them. */
static void remember(struct given *g, char letter)
{
    if (!strchr(g->letters, letter) && strlen(g->letters) + 1 < sizeof(g->letters))
        g->letters[strlen(g->letters)] = letter;
}

/* Every one of these asks for a column that only the second table has (cli.md 4.1). */
static bool is_alternate(const struct given *g)
{
    const struct qstat *q = &g->o->table;

    return *g->letters || g->o->users || q->nodes || q->comments || q->estimates ||
           g->gb || g->mw;
}

/* The letters that -W takes too; false for any other. */
static bool take_table_letter(struct given *g, int letter)
{
    struct qstat *q = &g->o->table;

    switch (letter) {
    case 'a':
    case 'i':
    case 'r':
    case 'H':
        remember(g, (char)letter);
        return true;
    case 'n':
        /* -n and -s cancel an -f that came before them; an -f that comes after them
         * counts again. Whether it has an effect is decided when all options are known.
         */
        q->nodes = true;
        g->full_asked = false;
        return true;
    case 's':
        q->comments = true;
        g->full_asked = false;
        return true;
    case 'q':
        g->limits = true;
        return true;
    case 'G':
        g->gb = true;
        return true;
    case 'M':
        g->mw = true;
        return true;
    case '1':
        q->one_line = true;
        return true;
    default:
        return false;
    }
}

static bool take_w(struct given *g, const char *text)
{
    for (; *text; text++) {
        if (*text == 'u') {
            /* The names go on to the end, so that 'u' can only be the last letter. */
            g->o->users = text + 1 + strspn(text + 1, " \t");
            return *g->o->users != '\0';
        }
        if (!isspace((unsigned char)*text) && !take_table_letter(g, *text))
            return false;
    }
    return true;
}

/* 't' and 'x' are all there are and each is added once, so 'extend' has room for them.
 */
static bool add_extend(struct qstat_options *o, char letter)
{
    MUST(strlen(o->extend) + 1 < sizeof(o->extend));
    if (!strchr(o->extend, letter))
        o->extend[strlen(o->extend)] = letter;
    return true;
}

/* -Q and -B do not come after an option of the second table. */
static bool take_objects(struct given *g, enum qstat_what what)
{
    g->clash |=
        is_alternate(g) || g->limits || (g->o->what != SHOW_JOBS && g->o->what != what);
    g->o->what = what;
    return true;
}

static bool take_option(struct given *g, int letter, const char *text)
{
    struct qstat_options *o = g->o;

    switch (letter) {
    case 'u':
        o->users = text;
        return *text != '\0';
    case 'W':
        return take_w(g, text);
    case 'T':
        return o->table.estimates = true;
    case 'w':
        return o->table.wide = o->form.unwrapped = true;
    case 'p':
        return o->table.percent = true;
    case 'f':
        return g->full_asked = true;
    case 'F':
        return full_form_find(text, &o->form.form);
    case 'D':
        o->form.delimiter = text;
        /* -D counts only behind "-F dsv" (cli.md 4.1), since other forms have no
         * delimiter. */
        return o->form.form == FULL_DSV && *text != '\0';
    case 'E':
        return o->express = true;
    case 'J':
        return o->arrays = true;
    case 't':
    case 'x':
        return add_extend(o, (char)letter);
    case 'Q':
        return take_objects(g, SHOW_QUEUES);
    case 'B':
        return take_objects(g, SHOW_SERVERS);
    default:
        return take_table_letter(g, letter);
    }
}

/* One line for each pair that does not go together; how many there were. */
static int print_conflicts(const struct given *g)
{
    const struct qstat_options *o = g->o;
    const struct qstat *q = &o->table;
    const bool formed = o->form.form != FULL_LINES;
    /* PBS says the same line once for each pair, so scripts that count lines see as
     * many. */
    const bool conflicts[] = {
        strlen(g->letters) + g->limits > 1,
        g->gb && g->mw,
        formed && (!g->full_asked || is_alternate(g) || q->wide),
        g->limits && g->full_asked,
        q->one_line && !q->nodes && !q->comments,
        g->clash || (g->limits && o->what != SHOW_JOBS),
    };
    int n = 0;

    for (size_t i = 0; i < ARRAY_LEN(conflicts); i++) {
        if (!conflicts[i])
            continue;
        fputs(CMD ": conflicting options.\n", stderr);
        n++;
    }
    if (formed && q->wide) {
        fputs(CMD ": option w cannot be used with -F\n", stderr);
        n++;
    }
    return n;
}

int qstat_parse(struct qstat_options *o, int argc, char **argv)
{
    struct given g = { .o = o };
    int letter;
    bool bad = false;

    while ((letter = getopt(argc, argv, "ainpqrstwxu:fGHJMQEBW:T1F:D:")) != -1)
        bad |= !take_option(&g, letter, optarg);
    if (bad || print_conflicts(&g) > 0) {
        fputs(qstat_usage, stderr);
        return 2;
    }
    if (g.limits)
        o->what = SHOW_LIMITS;
    o->selection = *g.letters;
    /* Finished jobs are shown only to a request that asks for history. */
    if (o->selection == 'H')
        add_extend(o, 'x');
    o->table.size = g.gb ? SIZE_GB : g.mw ? SIZE_MW : SIZE_AS_SENT;
    o->table.alternate = is_alternate(&g);
    /* With -w even the second table yields to -f: wide and full together mean unwrapped
     * lines. */
    o->full = g.full_asked && (!o->table.alternate || o->table.wide);
    return 0;
}
