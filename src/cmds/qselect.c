/* qselect.c - list the jobs that meet criteria (cli.md 6).
 *
 * Every option is a criterion, and a job must meet all of them; the server looks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/attr_list.h"
#include "cmds/common/datetime.h"
#include "cmds/common/explain.h"
#include "cmds/common/operand.h"
#include "include/pbs_error.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CMD            "qselect"

/* An operator is two letters between dots. */
#define OPERATOR_CHARS 4

static const char usage[] =
    "usage: qselect [criteria]\n"
    "       qselect --version | --help\n"
    "Lists the jobs that meet all criteria. [op] is .eq. (the default), .ne., .gt.,\n"
    ".ge., .lt. or .le.\n"
    "  -a [op]date_time   time before which it does not start   -A account\n"
    "  -c [op]checkpoint  -h [op]holds (u, o, s, p, n)           -N name\n"
    "  -p [op]priority    -P project   -r y|n   may be rerun     -u user[@host],...\n"
    "  -s [op]states      letters of EHQRTWSUBXFM\n"
    "  -l resource op value[,resource op value...]   what it asks for\n"
    "  -q destination     queue, @server or queue@server\n"
    "  -t X[op]date_time  X: a may start, c made, e eligible since, g eligible time,\n"
    "                     m changed, q queued, s started, t estimated start\n"
    "  -J  arrays only    -T  subjobs one by one\n"
    "  -x  finished ones too   -H  finished and moved ones only\n";

struct select {
    struct attropl *criteria;
    const char *destination; /* of -q, "" without */
    char extend[4];
};

static int usage_error(void)
{
    fputs(usage, stderr);
    return 2;
}

static int illegal(int letter)
{
    fprintf(stderr, "%s: illegal -%c value\n", CMD, letter);
    return usage_error();
}

static const struct {
    const char *text;
    enum batch_op op;
} operators[] = {
    { ".eq.", EQ }, { ".ne.", NE }, { ".ge.", GE },
    { ".gt.", GT }, { ".le.", LE }, { ".lt.", LT },
};

/* The operator that stands at 'text'; false when there is none. */
static bool find_operator(const char *text, enum batch_op *op)
{
    for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
        if (strncmp(text, operators[i].text, OPERATOR_CHARS) != 0)
            continue;
        *op = operators[i].op;
        return true;
    }
    return false;
}

/* Takes the operator from the front of a value. What begins with a dot is short of four
 * characters afterwards, whether they are an operator or not (cli.md 6). */
static enum batch_op take_operator(const char **text)
{
    enum batch_op op = EQ;

    if (**text != '.')
        return EQ;
    find_operator(*text, &op);
    *text += strnlen(*text, OPERATOR_CHARS);
    return op;
}

/* Criteria are kept as they come, also two of the same attribute: "-p .gt.0 -p .lt.9"
 * is a range. */
static void add(struct select *s, const char *name, const char *resource,
                const char *value, enum batch_op op)
{
    struct attropl **end = &s->criteria, *one = NULL;

    while (*end)
        end = &(*end)->next;
    attrs_set(&one, name, resource, value);
    one->op = op;
    *end = one;
}

static void add_time(struct select *s, const char *name, const char *resource,
                     time_t at, enum batch_op op)
{
    char value[24];

    snprintf(value, sizeof(value), "%lld", (long long)at);
    add(s, name, resource, value, op);
}

static int take_date(struct select *s, const char *text)
{
    enum batch_op op = take_operator(&text);
    time_t at = datetime_parse(text, time(NULL));

    if (at < 0) {
        fprintf(stderr, "%s: illegal -a value\n", CMD);
        explain_time(CMD, text);
        return usage_error();
    }
    add_time(s, "Execution_Time", NULL, at, op);
    return 0;
}

static const struct {
    char letter;
    const char *attr, *resource;
} times[] = {
    { 'a', "Execution_Time", NULL }, { 'c', "ctime", NULL },
    { 'e', "etime", NULL },          { 'g', "eligible_time", NULL },
    { 'm', "mtime", NULL },          { 'q', "qtime", NULL },
    { 's', "stime", NULL },          { 't', "estimated", "start_time" },
};

/* The time that a job was eligible is no instant: hours and minutes are sent as they
 * are given. */
static bool is_length(char letter, const char *text)
{
    return letter == 'g' && strchr(text, ':') && !text[strspn(text, "0123456789:")];
}

static int take_time(struct select *s, const char *text)
{
    char letter = *text;
    enum batch_op op;
    size_t i = 0;
    time_t at;

    while (i < ARRAY_LEN(times) && times[i].letter != letter)
        i++;
    if (i == ARRAY_LEN(times))
        return illegal('t');
    text++;
    op = take_operator(&text);
    if (is_length(letter, text)) {
        add(s, times[i].attr, times[i].resource, text, op);
        return 0;
    }
    at = datetime_parse(text, time(NULL));
    if (at < 0) {
        fprintf(stderr, "%s: illegal -t value\n", CMD);
        explain_time(CMD, text);
        return usage_error();
    }
    add_time(s, times[i].attr, times[i].resource, at, op);
    return 0;
}

/* A letter, then letters, digits, '_' and '-'. */
static size_t resource_name_len(const char *text)
{
    size_t len = 0;

    if (isalpha((unsigned char)*text))
        while (isalnum((unsigned char)text[len]) || text[len] == '_' ||
               text[len] == '-')
            len++;
    return len;
}

/* One "name.op.value" at *text; *text moves behind it and its comma. False when it is
 * malformed; *text stays then. */
static bool take_resource(struct select *s, const char **text)
{
    const char *p = *text;
    size_t name_len = resource_name_len(p), value_len;
    char *name, *value;
    enum batch_op op;

    if (name_len == 0 || !find_operator(p + name_len, &op))
        return false;
    p += name_len + OPERATOR_CHARS;
    value_len = strcspn(p, ",");
    /* Something has to follow a comma. */
    if (value_len == 0 || (p[value_len] == ',' && p[value_len + 1] == '\0'))
        return false;
    name = xstrndup(*text, name_len);
    value = xstrndup(p, value_len);
    add(s, "Resource_List", name, value, op);
    free(name);
    free(value);
    *text = p + value_len + (p[value_len] == ',');
    return true;
}

static int take_resources(struct select *s, const char *text)
{
    do {
        if (!take_resource(s, &text)) {
            fprintf(stderr, "%s: illegal -l value\nresource_list: %s\n", CMD, text);
            return usage_error();
        }
    } while (*text);
    return 0;
}

/* Letters with an operator; none at all are no criterion. */
static int take_letters(struct select *s, int option, const char *attr,
                        const char *allowed, const char *text)
{
    enum batch_op op = take_operator(&text);

    if (*text == '\0' || (allowed && text[strspn(text, allowed)] != '\0'))
        return illegal(option);
    add(s, attr, NULL, text, op);
    return 0;
}

/* "user[@host],...". */
static bool is_user_list(const char *text)
{
    while (true) {
        size_t len = strcspn(text, ",");
        const char *at = memchr(text, '@', len);

        if (len == 0 || *text == '@' || (at && at + 1 == text + len))
            return false;
        for (size_t i = 0; i < len; i++)
            if (!isgraph((unsigned char)text[i]) || (text[i] == '@' && text + i != at))
                return false;
        if (text[len] == '\0')
            return true;
        text += len + 1;
    }
}

static int take_equal(struct select *s, int letter, const char *text)
{
    static const struct {
        char letter;
        const char *attr;
    } plain[] = {
        { 'A', "Account_Name" },
        { 'N', "Job_Name" },
        { 'P', "project" },
        { 'u', "User_List" },
    };

    if (letter == 'u' && !is_user_list(text))
        return illegal('u');
    for (size_t i = 0; i < ARRAY_LEN(plain); i++)
        if (plain[i].letter == letter)
            add(s, plain[i].attr, NULL, text, EQ);
    return 0;
}

static void extend(struct select *s, char letter)
{
    size_t len = strlen(s->extend);

    if (!strchr(s->extend, letter) && len + 1 < sizeof(s->extend))
        s->extend[len] = letter;
}

static int take_option(struct select *s, int letter, const char *text)
{
    enum batch_op op;

    switch (letter) {
    case 'a':
        return take_date(s, text);
    case 't':
        return take_time(s, text);
    case 'l':
        return take_resources(s, text);
    case 'c':
        return take_letters(s, 'c', "Checkpoint", NULL, text);
    case 'h':
        return take_letters(s, 'h', "Hold_Types", "uospn", text);
    case 's':
        return take_letters(s, 's', "job_state", "EHQRTWSUBXFM", text);
    case 'p':
        op = take_operator(&text);
        add(s, "Priority", NULL, text, op);
        return 0;
    case 'q':
        s->destination = text;
        add(s, ATTR_q, NULL, text, EQ);
        return 0;
    case 'r':
        if (strcmp(text, "y") != 0 && strcmp(text, "n") != 0)
            return illegal('r');
        add(s, "Rerunable", NULL, *text == 'y' ? "TRUE" : "FALSE", EQ);
        return 0;
    case 'J':
        add(s, "array", NULL, "True", EQ);
        return 0;
    case 'H':
        add(s, "job_state", NULL, "FM", EQ);
        extend(s, 'x');
        return 0;
    case 'x':
    case 'T':
        extend(s, (char)letter);
        return 0;
    default:
        return letter == '?' ? usage_error() : take_equal(s, letter, text);
    }
}

static int list_jobs(const struct select *s, const char *server)
{
    int conn = cmd_connect(CMD, server), error;
    char **ids;

    if (conn < 0)
        return cmd_exit_code(pbs_errno);
    ids = pbs_selectjob(conn, s->criteria, s->extend);
    error = ids ? 0 : pbs_errno;
    for (char **id = ids; id && *id; id++)
        puts(*id);
    free(ids);
    if (error)
        cmd_print_error(CMD, conn, NULL, NULL);
    pbs_disconnect(conn);
    /* That a server keeps no history is no failure of the command. */
    return error == PBSE_JOBHISTNOTSET ? 0 : cmd_exit_code(error);
}

static int select_jobs(struct select *s, int argc, char **argv)
{
    char queue[OPERAND_MAX], server[OPERAND_MAX];
    int letter;

    while ((letter = getopt(argc, argv, "a:A:c:h:HJl:N:p:P:q:r:s:t:Tu:x")) != -1) {
        int bad = take_option(s, letter, optarg);

        if (bad)
            return bad;
    }
    if (optind < argc)
        return usage_error();
    if (!operand_destination(s->destination, queue, server)) {
        fprintf(stderr, "%s: illegally formed destination: %s\n", CMD, s->destination);
        return 2;
    }
    return list_jobs(s, server);
}

static int run(int argc, char **argv)
{
    struct select s = { .destination = "" };
    int code;

    if (cmd_told(argc, argv, usage))
        return 0;
    code = select_jobs(&s, argc, argv);
    attrs_free(s.criteria);
    return code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
