/* options.c - what each option of qsub sends (cli.md 3.1, 3.2, 3.7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qsub/qsub.h"

#include "cmds/common/datetime.h"
#include "cmds/common/job_options.h"
#include "cmds/qsub/interactive.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* Characters of -C that are kept (cli.md 3.1). */
#define PREFIX_MAX 32

const char qsub_usage[] =
    "usage: qsub [options] [script | -- command [arg ...]]\n"
    "       qsub --version | --help\n"
    "Where and when:\n"
    "  -q queue          destination: queue, @server or queue@server\n"
    "  -l name=value,... resources: select=..., place=..., walltime=...\n"
    "  -a date_time      not before [[[[CC]YY]MM]DD]hhmm[.SS]     -h  hold it\n"
    "  -p priority       -1024 to 1023                        -r y|n  may be rerun\n"
    "  -J X-Y[:Z][%N]    a job array with these indices, of which N run at once\n"
    "  -c interval       when it is checkpointed: n, s, c, w, c=minutes, w=minutes\n"
    "What it is called and whose it is:\n"
    "  -N name  -A account  -P project  -u user,...\n"
    "Output and mail:\n"
    "  -o path  -e path  -j oe|eo|n  -k keep  -R o|e|oe  -m points  -M user,...\n"
    "Environment:\n"
    "  -v name[=value],...   -V (everything)   -S shell\n"
    "Submission:\n"
    "  -C prefix of directives   -z  print no job id   -f  in the foreground\n"
    "  -I                a session at this terminal, when the job starts;\n"
    "  -X                and its X programs at this display\n"
    "  -W block=true     wait for the end of the job, and exit with its status\n"
    "  -W name=value[,name=value...]   any other attribute\n";

/* The attribute of an option, which -W may name as well. */
static const struct {
    char letter;
    const char *attr;
} said_by[] = {
    { 'A', "Account_Name" },   { 'c', "Checkpoint" },
    { 'e', "Error_Path" },     { 'j', "Join_Path" },
    { 'k', "Keep_Files" },     { 'M', "Mail_Users" },
    { 'N', "Job_Name" },       { 'o', "Output_Path" },
    { 'p', "Priority" },       { 'P', "project" },
    { 'R', "Remove_Files" },   { 'S', "Shell_Path_List" },
    { 'u', "User_List" },      { 'm', "Mail_Points" },
    { 'a', "Execution_Time" }, { 'h', "Hold_Types" },
    { 'I', "interactive" },    { 'J', "array_indices_submitted" },
    { 'r', "Rerunable" },
};

static const char *attr_of(int letter)
{
    for (size_t i = 0; i < ARRAY_LEN(said_by); i++)
        if (said_by[i].letter == letter)
            return said_by[i].attr;
    return NULL;
}

static int usage_error(void)
{
    fputs(qsub_usage, stderr);
    return 2;
}

static int illegal(int letter, const char *text)
{
    return job_option_illegal(CMD, qsub_usage, letter, text);
}

static int wrong(const char *text)
{
    fprintf(stderr, "%s: %s\n", CMD, text);
    return usage_error();
}

/* May this level say the attribute? A higher one that has said it keeps it; of those of
 * one level the last counts. What -W names may have a letter, too. */
static bool may_say(struct qsub *q, const char *name, enum level level)
{
    const char *said = attrs_get(q->levels, name, NULL);
    const char digit[] = { (char)('0' + level), '\0' };

    if (said && *said > *digit)
        return false;
    attrs_set(&q->levels, name, NULL, digit);
    return true;
}

/* A resource that a higher level gave already stays. */
static int take_resources(struct qsub *q, const char *text, enum level level)
{
    struct attropl *list = NULL;

    if (!attrs_add_resources(&list, CMD, text)) {
        attrs_free(list);
        return usage_error();
    }
    for (struct attropl *a = list; a; a = a->next)
        if (level == LEVEL_COMMAND || !attrs_get(q->attrs, a->name, a->resource))
            attrs_set(&q->attrs, a->name, a->resource, a->value);
    attrs_free(list);
    return 0;
}

/* Whoever waits for the job has to be able to. 0, or the exit status. */
static int take_interactive(struct qsub *q, bool wanted)
{
    q->interactive = wanted;
    return !wanted || interactive_may_be() ? 0 : 1;
}

/* A moment is typed like that of -a and sent as an instant. */
static int take_moment(struct qsub *q, const char *name, const char *value)
{
    time_t at = datetime_parse(value, time(NULL));
    char text[24];

    if (at < 0)
        return illegal('W', value);
    snprintf(text, sizeof(text), "%lld", (long long)at);
    attrs_set(&q->attrs, name, NULL, text);
    return 0;
}

/* The names within -W that ask for something of this command and are sent otherwise
 * (cli.md 3.7). 0: it was one; -1: it is none; else the exit status. */
static int take_own(struct qsub *q, const char *name, const char *value)
{
    bool is_interactive = strcmp(name, "interactive") == 0;

    /* -J may have said it already. */
    if (strcmp(name, "max_run_subjobs") == 0 && attrs_get(q->attrs, name, NULL))
        return wrong("multiple max_run_subjobs values found");
    if (strcmp(name, "reserve_start") == 0 || strcmp(name, "reserve_end") == 0)
        return take_moment(q, name, value);
    if (!is_interactive && strcmp(name, "block") != 0)
        return -1;
    if (strcasecmp(value, "true") != 0 && strcasecmp(value, "false") != 0)
        return illegal('W', value);
    if (is_interactive)
        return take_interactive(q, strcasecmp(value, "true") == 0);
    q->block = strcasecmp(value, "true") == 0;
    return 0;
}

static int take_others(struct qsub *q, const char *text, enum level level)
{
    char *name, *value;
    int more, bad = 0;

    if (*text == '\0')
        return illegal('W', text);
    /* The names within -W are options of their own: each is overruled for itself by a
     * higher level, and the option as a whole is not. */
    while (bad <= 0 && (more = attrs_next_w(&text, &name, &value)) > 0) {
        bad = may_say(q, name, level) ? take_own(q, name, value) : 0;
        if (bad < 0)
            job_option_other(&q->attrs, name, value, &more);
        free(name);
        free(value);
        if (more < 0)
            break;
    }
    if (bad > 0)
        return bad;
    return more < 0 ? illegal('W', text) : 0;
}

static void replace(char **at, const char *text)
{
    free(*at);
    *at = xstrdup(text);
}

/* "X-Y[:Z][%N]": how many may run at once is an attribute of its own. What is wrong
 * with the indices the library says. */
static int take_indices(struct qsub *q, const char *text)
{
    size_t len = strcspn(text, "%");
    const char *limit = text[len] ? text + len + 1 : NULL;
    char *indices = xstrndup(text, len);

    attrs_set(&q->attrs, "array_indices_submitted", NULL, indices);
    free(indices);
    if (!limit)
        return 0;
    if (!*limit || strspn(limit, "0123456789") != strlen(limit))
        return illegal('J', text);
    if (attrs_get(q->attrs, "max_run_subjobs", NULL))
        return wrong("multiple max_run_subjobs values found");
    attrs_set(&q->attrs, "max_run_subjobs", NULL, limit);
    return 0;
}

/* Does -v name the variable that -X sets? */
static bool names_display(const char *variables)
{
    const size_t len = strlen("DISPLAY");

    for (const char *at = variables; at && *at; at += *at == ',') {
        if (strncmp(at, "DISPLAY", len) == 0 && (!at[len] || strchr(",=", at[len])))
            return true;
        at += strcspn(at, ",");
    }
    return false;
}

int qsub_options_agree(const struct qsub *q)
{
    bool array = attrs_get(q->attrs, "array_indices_submitted", NULL) != NULL;
    const char *points = attrs_get(q->attrs, "Mail_Points", NULL);
    const char *rerun = attrs_get(q->attrs, "Rerunable", NULL);

    /* The letter j asks for mail about each subjob. */
    if (!array && points && strchr(points, 'j')) {
        fprintf(stderr, "%s: mail option 'j' can not be used without array job\n", CMD);
        return 1;
    }
    if (q->x11 && !getenv("DISPLAY"))
        return wrong("DISPLAY not set");
    if (q->x11 && !q->interactive) {
        fprintf(stderr, "%s: X11 Forwarding possible only for interactive jobs\n", CMD);
        return 1;
    }
    if (q->x11 && names_display(q->variables)) {
        /* The dashes are those of PBS. */
        fprintf(stderr,
                "%s: invalid usage of incompatible option \xe2\x80\x93X with "
                "\xe2\x80\x93v DISPLAY\n",
                CMD);
        return 1;
    }
    if (attrs_get(q->attrs, "cred", NULL) && attrs_get(q->attrs, "User_List", NULL))
        return wrong("credential incompatable with -u");
    if (array && q->interactive)
        return wrong("interactive and array job submission cannot be used together");
    if (array && rerun && strcmp(rerun, "FALSE") == 0)
        return wrong(" cannot submit non-rerunable Array Job");
    return 0;
}

static int take_plain(struct qsub *q, int letter, const char *text)
{
    const char *attr = attr_of(letter);

    if (!attr)
        return usage_error();
    if (letter == 'c' || letter == 'p')
        text += strspn(text, " \t");
    /* A lone u is what the command itself sends when -c is absent; nobody may ask for
     * it (cli.md 3.1). */
    if (letter == 'c' && strcmp(text, "u") == 0)
        return illegal(letter, text);
    attrs_set(&q->attrs, attr, NULL, text);
    return 0;
}

static int take_option(struct qsub *q, int letter, const char *text, enum level level)
{
    const char *attr = attr_of(letter);

    if (attr && !may_say(q, attr, level))
        return 0;
    switch (letter) {
    case 'a':
        return job_option_date(CMD, qsub_usage, &q->attrs, text);
    case 'l':
        return take_resources(q, text, level);
    case 'W':
        return take_others(q, text, level);
    case 'C':
        replace(&q->prefix, text);
        if (strlen(q->prefix) > PREFIX_MAX)
            q->prefix[PREFIX_MAX] = '\0';
        return 0;
    case 'q':
        replace(&q->destination, text);
        return 0;
    case 'v':
        replace(&q->variables, text);
        return 0;
    case 'V':
        q->all_variables = true;
        return 0;
    case 'f':
        q->foreground = true;
        return 0;
    case 'z':
        q->silent = true;
        return 0;
    case 'h':
        attrs_set(&q->attrs, "Hold_Types", NULL, "u");
        return 0;
    case 'r':
        if (strcmp(text, "y") != 0 && strcmp(text, "n") != 0)
            return illegal('r', text);
        attrs_set(&q->attrs, "Rerunable", NULL, *text == 'y' ? "TRUE" : "FALSE");
        return 0;
    case 'I':
        return take_interactive(q, true);
    case 'J':
        return take_indices(q, text);
    case 'X':
        q->x11 = true;
        return 0;
    default:
        return take_plain(q, letter, text);
    }
}

int qsub_options(struct qsub *q, int argc, char **argv, enum level level, int *operand)
{
    int letter;

    /* getopt keeps its place between calls, and directives and the server's default
     * are read with it after the command line. */
    optind = 0; /* a new list of words */
    while ((letter = getopt(argc, argv,
                            "a:A:c:C:e:fhIj:J:k:l:m:M:N:o:p:q:r:R:S:u:v:VW:XzP:")) !=
           -1) {
        bool merged = letter == 'l' || letter == 'W';
        int bad;

        /* An unknown option of a directive is reported with the words of the line,
         * which only the caller has. */
        if (letter == '?')
            return level == LEVEL_COMMAND ? usage_error() : -1;
        MUST(letter > 0 && (size_t)letter < ARRAY_LEN(q->level));
        /* -l and -W are merged resource by resource and name by name. Any other option
         * that a higher level gave is skipped whole, so that its value is not even
         * judged. */
        if (!merged && q->level[letter] > level)
            continue;
        q->level[letter] = level;
        bad = take_option(q, letter, optarg, level);
        if (bad)
            return bad;
    }
    *operand = optind;
    return 0;
}

struct qsub qsub_copy(const struct qsub *q)
{
    struct qsub copy = *q;

    copy.attrs = attrs_copy(q->attrs);
    copy.levels = attrs_copy(q->levels);
    copy.destination = q->destination ? xstrdup(q->destination) : NULL;
    copy.prefix = q->prefix ? xstrdup(q->prefix) : NULL;
    copy.variables = q->variables ? xstrdup(q->variables) : NULL;
    return copy;
}

void qsub_fini(struct qsub *q)
{
    attrs_free(q->attrs);
    attrs_free(q->levels);
    free(q->destination);
    free(q->prefix);
    free(q->variables);
    *q = (struct qsub){ 0 };
}

/* They are sent, and not left to the server, because PBS's command sends them. Their
 * order is that of cli.md 3.1. */
void qsub_defaults(struct qsub *q)
{
    static const struct {
        const char *attr, *value;
    } defaults[] = {
        { "Checkpoint", "u" },   { "Hold_Types", "n" },  { "Join_Path", "n" },
        { "Keep_Files", "n" },   { "Mail_Points", "a" }, { "Priority", "0" },
        { "Rerunable", "TRUE" },
    };
    const char *shell = getenv("PBS_SHELL");

    if (shell && !attrs_get(q->attrs, "Shell_Path_List", NULL))
        attrs_set(&q->attrs, "Shell_Path_List", NULL, shell);
    for (size_t i = 0; i < ARRAY_LEN(defaults); i++)
        if (!attrs_get(q->attrs, defaults[i].attr, NULL))
            attrs_set(&q->attrs, defaults[i].attr, NULL, defaults[i].value);
}
