/* pbs_rstat.c - show reservations (cli.md 10.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/cell.h"
#include "cmds/common/cmd.h"
#include "cmds/common/extension.h"
#include "cmds/common/json.h"
#include "cmds/common/known.h"
#include "cmds/common/why.h"
#include "include/pbs_error.h"
#include "lib/attr/resv_words.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* A server whose sequence numbers may have more than seven digits gets wider columns
 * (cli.md 10.3). */
#define CMD                  "pbs_rstat"
#define SEQUENCE_OF_WIDE_IDS 9999999
#define TIME_TEXT_MAX        64

enum {
    OPTION_WHY = 256 /* no letter */
};

static const char usage[] =
    "Usage:\n"
    "\tpbs_rstat [-S | -B | -f] [-F json|dsv] [-D delimiter] [reservation-id...]\n"
    "\tpbs_rstat --why [-F json|dsv] [-D delimiter] reservation-id...\n"
    "\tpbs_rstat --version | --help\n"
    "  -S  one line each (default)   -B  ids only   -f  all attributes\n"
    "  -F  all attributes, as JSON or as one delimited line each\n"
    "  S5[3]  its third occurrence   S5[]  all that are left of a series\n"
    "  --why  why a reservation was denied in the last day, or what it waits for\n";

enum form {
    FORM_SHORT,
    FORM_BRIEF,
    FORM_FULL,
    FORM_JSON,
    FORM_DSV
};

struct rstat {
    enum form form;
    const char *delimiter;
    time_t now_at;
    bool wide_ids; /* or the indices of occurrences have to fit in */
    bool headed;   /* the short form's heading is out */
    bool why;      /* --why */
    struct json *json;
};

/* The name of the state whose number is 'value'; an unknown one counts as none. */
static const char *state_name(const char *value, const char *(*name_of)(int64_t state))
{
    const char *name = name_of((int64_t)strtoul(value, NULL, 10));

    return name ? name : name_of(RESV_NONE);
}

/* A reservation need not have every attribute that a column shows; an empty cell keeps
 * the columns. */
static const char *value_of(const struct batch_status *resv, const char *name)
{
    for (const struct attrl *a = resv->attribs; a; a = a->next)
        if (strcasecmp(a->name, name) == 0)
            return a->value;
    return "";
}

/* A time in the shortest form that is still clear: the nearer it is to now, the less of
 * the date is printed. */
static void short_time(const char *value, time_t now_at, char out[TIME_TEXT_MAX])
{
    time_t at = (time_t)strtoll(value, NULL, 10);
    struct tm then, now;

    if (*value == '\0' || !localtime_r(&at, &then) || !localtime_r(&now_at, &now)) {
        snprintf(out, TIME_TEXT_MAX, "--");
        return;
    }
    if (then.tm_year != now.tm_year)
        strftime(out, TIME_TEXT_MAX, "%a %b %d %Y %H:%M", &then);
    else if (then.tm_yday == now.tm_yday)
        strftime(out, TIME_TEXT_MAX, "Today %H:%M", &then);
    /* Both numbers are the day of the year of a Sunday, so they are equal within one
     * week of the year. */
    else if (then.tm_yday - then.tm_wday == now.tm_yday - now.tm_wday)
        strftime(out, TIME_TEXT_MAX, "%a %H:%M", &then);
    else
        strftime(out, TIME_TEXT_MAX, "%a %b %d %H:%M", &then);
}

static void print_short(struct rstat *r, const struct batch_status *resv)
{
    char start[TIME_TEXT_MAX], end[TIME_TEXT_MAX];
    int id_width = r->wide_ids ? 15 : 10, queue_width = r->wide_ids ? 13 : 8;

    if (!r->headed) {
        printf("%-*.*s %-*.*s %-8.8s %-5.5s %17.17s / Duration / %-17.17s\n", id_width,
               id_width, "Resv ID", queue_width, queue_width, "Queue", "User", "State",
               "Start", "End");
        for (int i = 0; i < (r->wide_ids ? 79 : 69); i++)
            putchar('-');
        putchar('\n');
        r->headed = true;
    }
    short_time(value_of(resv, "reserve_start"), r->now_at, start);
    short_time(value_of(resv, "reserve_end"), r->now_at, end);
    printf("%-*.*s %-*.*s %-8.8s %-5.5s %17s / %ld / %-17s\n", id_width, id_width,
           resv->name, queue_width, queue_width, value_of(resv, "queue"),
           value_of(resv, "Authorized_Users"),
           state_name(value_of(resv, "reserve_state"), resv_state_short), start,
           strtol(value_of(resv, "reserve_duration"), NULL, 10), end);
}

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Not printed by -f: attributes that are meant for programs (cli.md 10.3). JSON and dsv
 * leave them out as well, so that all forms show the same. */
static bool is_left_out(const char *name)
{
    static const char *const names[] = { "reserve_execvnodes", "reserve_standing",
                                         "reserve_timezone" };

    return is_one_of(name, names, ARRAY_LEN(names));
}

/* What -f shows of a value: names of states and dates in words. The day of the month
 * has two digits, where qstat has a blank (cli.md 10.3). */
static const char *shown_value(const struct attrl *a, char out[TIME_TEXT_MAX])
{
    static const char *const times[] = { "reserve_start", "reserve_end", "ctime",
                                         "mtime", "reserve_retry" };
    time_t at;
    struct tm tm;

    if (strcasecmp(a->name, "reserve_state") == 0)
        return state_name(a->value, resv_state_long);
    if (!is_one_of(a->name, times, ARRAY_LEN(times)))
        return a->value;
    at = (time_t)strtoll(a->value, NULL, 10);
    if (!localtime_r(&at, &tm))
        return a->value;
    strftime(out, TIME_TEXT_MAX, "%a %b %d %H:%M:%S %Y", &tm);
    return out;
}

static void print_value(const struct attrl *a, const char *value)
{
    printf("%s%s%s = ", a->name, a->resource ? "." : "",
           a->resource ? a->resource : "");
    print_visible(value);
    putchar('\n');
}

/* For people: who else was promised the same, from when to when in local time. */
static void print_met(const struct attrl *a)
{
    printf("%s = ", a->name);
    why_print_reason(stdout, a->value);
    putchar('\n');
}

static void print_full(const struct batch_status *resv)
{
    char text[TIME_TEXT_MAX];

    printf("Resv ID: %s\n", resv->name);
    for (const struct attrl *a = resv->attribs; a; a = a->next)
        if (strcmp(a->name, "oversubscribed_on") == 0)
            print_met(a);
        else if (!is_left_out(a->name))
            print_value(a, shown_value(a, text));
    putchar('\n');
}

static void print_dsv(const struct rstat *r, const struct batch_status *resv)
{
    char text[TIME_TEXT_MAX];

    printf("Resv ID: %s", resv->name);
    for (const struct attrl *a = resv->attribs; a; a = a->next) {
        if (is_left_out(a->name))
            continue;
        printf("%s%s%s%s=", r->delimiter, a->name, a->resource ? "." : "",
               a->resource ? a->resource : "");
        dsv_print_value(shown_value(a, text), r->delimiter);
    }
    putchar('\n');
}

static void add_json(struct rstat *r, const struct batch_status *resv)
{
    char text[TIME_TEXT_MAX];

    json_object_begin(r->json, "Reservations", resv->name);
    for (const struct attrl *a = resv->attribs; a; a = a->next)
        if (!is_left_out(a->name))
            json_attr(r->json, a->name, a->resource, shown_value(a, text));
}

static void print_one(struct rstat *r, const struct batch_status *resv)
{
    switch (r->form) {
    case FORM_SHORT:
        print_short(r, resv);
        break;
    case FORM_BRIEF:
        printf("Resv ID: %s\n", resv->name);
        break;
    case FORM_FULL:
        print_full(resv);
        break;
    case FORM_DSV:
        print_dsv(r, resv);
        break;
    case FORM_JSON:
        add_json(r, resv);
        break;
    }
}

/* What the server says of itself is only needed for the columns and for the head of the
 * document. Without an answer the columns are narrow and the document has no head. */
static void learn_server(struct rstat *r, int conn)
{
    struct attrl version = { .name = (char *)"pbs_version", .value = (char *)"" };
    struct attrl largest = { .next = &version,
                             .name = (char *)"max_job_sequence_id",
                             .value = (char *)"" };
    struct batch_status *svr = pbs_statserver(conn, &largest, NULL);

    if (!svr)
        return;
    r->wide_ids |=
        strtoll(value_of(svr, "max_job_sequence_id"), NULL, 10) > SEQUENCE_OF_WIDE_IDS;
    if (r->json)
        json_head(r->json, value_of(svr, "pbs_version"), svr->name);
    pbs_statfree(svr);
}

static struct batch_status *last_of(struct batch_status *list)
{
    while (list->next)
        list = list->next;
    return list;
}

/* The index in "S5[3].svr". */
static unsigned index_of(const char *name)
{
    const char *bracket = strchr(name, '[');

    return bracket ? (unsigned)strtoul(bracket + 1, NULL, 10) : 0;
}

/* One occurrence, or all that are left: the server shows some of them at once. */
static struct batch_status *ask_occurrences(int conn, const char *id, int index)
{
    struct holdfast_act act = { .what = HOLDFAST_STATUS,
                                .flags = index == OPERAND_ALL ? HOLDFAST_FROM : 0,
                                .occurrence =
                                    index == OPERAND_ALL ? 1 : (unsigned)index,
                                .id = id };
    struct batch_status *list = holdfast_resv_look(conn, &act);
    struct batch_status *last = list ? last_of(list) : NULL;

    while (index == OPERAND_ALL && last && index_of(last->name) >= act.occurrence) {
        act.occurrence = index_of(last->name) + 1;
        last->next = holdfast_resv_look(conn, &act);
        last = last->next ? last_of(last->next) : NULL;
    }
    return list;
}

static struct batch_status *ask(int conn, const char *id, int index)
{
    return index == OPERAND_WHOLE ? pbs_statresv(conn, id, NULL, NULL)
                                  : ask_occurrences(conn, id, index);
}

static void say_unknown(const char *id, int index)
{
    if (id && index == OPERAND_WHOLE)
        fprintf(stderr, "%s: there is no reservation %s; pbs_rstat alone lists all\n",
                CMD, id);
    else if (id)
        fprintf(
            stderr,
            "%s: there is no such occurrence of %s, or no such standing reservation; "
            "pbs_rstat '%.*s[]' lists all that are left, pbs_rstat alone all "
            "reservations\n",
            CMD, id, (int)strcspn(id, "."), id);
}

/* All reservations (id NULL), or one, or occurrences of it; the exit code. */
static int show(struct rstat *r, const char *id, int index, const char *server)
{
    int conn = pbs_connect(server), code = 0;
    struct batch_status *list;

    if (conn < 0) {
        cmd_print_connect_error();
        fprintf(stderr, "%s: cannot connect to server (errno=%d)\n", CMD, pbs_errno);
        return cmd_exit_code(pbs_errno);
    }
    if (index != OPERAND_WHOLE && !extension_knows_occurrences(CMD, conn)) {
        pbs_disconnect(conn);
        return 1;
    }
    if (r->form == FORM_SHORT || r->form == FORM_JSON)
        learn_server(r, conn);
    list = ask(conn, id, index);
    if (!list && pbs_errno != 0) {
        /* Scripts ask for several reservations at once and rely on 0, even when some of
         * these have ended. */
        code = pbs_errno == PBSE_UNKRESVID ? 0 : cmd_exit_code(pbs_errno);
        cmd_print_error(CMD, conn, NULL, NULL);
        if (code == 0)
            say_unknown(id, index);
    }
    if (r->form == FORM_SHORT)
        cells_make_printable(list);
    for (const struct batch_status *resv = list; resv; resv = resv->next)
        print_one(r, resv);
    pbs_statfree(list);
    pbs_disconnect(conn);
    return code;
}

static void print_why(struct rstat *r, const struct batch_status *why)
{
    if (r->form == FORM_JSON)
        add_json(r, why);
    else if (r->form == FORM_DSV)
        print_dsv(r, why);
    else
        why_print(stdout, "", why);
}

/* Why one reservation was denied, or what it waits for; the exit code. */
static int explain(struct rstat *r, const char *id, const char *server)
{
    int conn = cmd_connect(CMD, server), code = 0;
    struct batch_status *why;

    if (conn < 0)
        return cmd_exit_code(pbs_errno);
    if (!why_is_told(conn)) {
        fprintf(stderr,
                "%s: the server does not tell why: it is of another make, or "
                "older than this command\n",
                CMD);
        pbs_disconnect(conn);
        return 1;
    }
    if (r->form == FORM_JSON)
        learn_server(r, conn);
    why = holdfast_why(conn, id);
    if (why)
        print_why(r, why);
    else
        code = cmd_exit_code(pbs_errno);
    if (!why) {
        cmd_print_error(CMD, conn, NULL, NULL);
        if (pbs_errno == PBSE_UNKRESVID)
            fprintf(stderr,
                    "%s: there is no reservation %s, and none of yours was denied by "
                    "that name in the last day\n",
                    CMD, id);
    }
    pbs_statfree(why);
    pbs_disconnect(conn);
    return code;
}

/* -F takes the next word only when that is the name of a form; without such a word -F
 * means -f. Operands that stood before are moved behind that word by getopt(). */
static bool take_form_word(struct rstat *r, int argc, char **argv)
{
    static const struct {
        const char *word;
        enum form form;
    } words[] = { { "json", FORM_JSON },
                  { "dsv", FORM_DSV },
                  { "default", FORM_FULL } };

    r->form = FORM_FULL;
    for (size_t i = 0; optind < argc && i < ARRAY_LEN(words); i++) {
        if (strcasecmp(argv[optind], words[i].word) == 0) {
            r->form = words[i].form;
            optind++;
            return true;
        }
    }
    return false;
}

static bool parse(struct rstat *r, int argc, char **argv)
{
    static const struct option longs[] = { { "why", no_argument, NULL, OPTION_WHY },
                                           { 0 } };
    int letter;

    while ((letter = getopt_long(argc, argv, "fFBSD:", longs, NULL)) != -1) {
        if (letter == OPTION_WHY)
            r->why = true;
        else if (letter == 'f')
            r->form = FORM_FULL;
        else if (letter == 'F')
            take_form_word(r, argc, argv);
        else if (letter == 'B')
            r->form = FORM_BRIEF;
        else if (letter == 'S')
            r->form = FORM_SHORT;
        else if (letter == 'D' && *optarg)
            r->delimiter = optarg;
        else
            return false;
    }
    return true;
}

static int show_operand(struct rstat *r, const char *operand)
{
    char id[OPERAND_MAX], server[OPERAND_MAX];
    int index;

    bool formed = known_occurrence(operand, id, server, &index);

    if (!formed || (r->why && index != OPERAND_WHOLE)) {
        fprintf(stderr, "%s: illegally formed reservation identifier: %s\n", CMD,
                operand);
        if (formed)
            fprintf(stderr, "%s: --why is told of a whole series: ask for %s\n", CMD,
                    id);
        return 1;
    }
    return r->why ? explain(r, id, server) : show(r, id, index, server);
}

static int run(int argc, char **argv)
{
    struct rstat r = { .delimiter = "|", .now_at = time(NULL) };
    int code = 0;

    if (cmd_told(argc, argv, usage))
        return 0;
    if (!parse(&r, argc, argv)) {
        fputs(usage, stderr);
        return 1;
    }
    /* One document for all operands. It is printed after errors too, with what was
     * found. */
    if (r.form == FORM_JSON)
        r.json = json_new(r.now_at);
    if (r.why && optind >= argc) {
        fprintf(stderr, "%s: --why needs the id of a reservation\n", CMD);
        fputs(usage, stderr);
        code = 1;
    } else if (optind >= argc)
        code = show(&r, NULL, OPERAND_WHOLE, NULL);
    for (int i = optind; i < argc; i++)
        r.wide_ids |= strchr(argv[i], '[') != NULL;
    for (int i = optind; i < argc; i++) {
        int failed = show_operand(&r, argv[i]);

        if (failed)
            code = failed;
    }
    if (r.json)
        json_print_and_free(r.json);
    return code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
