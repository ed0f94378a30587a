/* qalter.c - change attributes of jobs (cli.md 5.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/attr_list.h"
#include "cmds/common/explain.h"
#include "cmds/common/job_command.h"
#include "cmds/common/job_options.h"
#include "include/pbs_error.h"
#include "lib/attr/job_attrs.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CMD "qalter"

static const char usage[] =
    "usage: qalter [options] job_identifier...\n"
    "       qalter --version | --help\n"
    "Where and when:\n"
    "  -l name=value,... resources; name= or name takes the value away\n"
    "  -a date_time      not before [[[[CC]YY]MM]DD]hhmm[.SS]     -h  hold types\n"
    "  -p priority       -1024 to 1023                        -r y|n  may be rerun\n"
    "What it is called and whose it is:\n"
    "  -N name  -A account  -P project  -u user,...\n"
    "Output and mail:\n"
    "  -o path  -e path  -j oe|eo|n  -k keep  -R o|e|oe  -m points  -M user,...\n"
    "Others:\n"
    "  -c checkpoint  -S shell  -W name=value[,name=value...]   any other attribute\n";

/* The options whose text is the value of an attribute. */
static const struct {
    char letter;
    const char *attr;
} plain[] = {
    { 'A', "Account_Name" }, { 'c', "Checkpoint" },      { 'e', "Error_Path" },
    { 'h', "Hold_Types" },   { 'j', "Join_Path" },       { 'k', "Keep_Files" },
    { 'm', "Mail_Points" },  { 'M', "Mail_Users" },      { 'N', "Job_Name" },
    { 'o', "Output_Path" },  { 'p', "Priority" },        { 'P', "project" },
    { 'R', "Remove_Files" }, { 'S', "Shell_Path_List" }, { 'u', "User_List" },
};

static int usage_error(void)
{
    fputs(usage, stderr);
    return 2;
}

static int illegal(int letter, const char *text)
{
    return job_option_illegal(CMD, usage, letter, text);
}

static int take_others(struct attropl **attrs, const char *text)
{
    const char *at = text;
    char *name, *value;
    int more = *text ? 1 : -1;

    while (more > 0 && (more = attrs_next_w(&at, &name, &value)) > 0) {
        job_option_other(attrs, name, value, &more);
        free(name);
        free(value);
    }
    return more < 0 ? illegal('W', text) : 0;
}

static int take_plain(struct attropl **attrs, int letter, const char *text)
{
    for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
        if (plain[i].letter != letter)
            continue;
        if (letter == 'c' || letter == 'p')
            text += strspn(text, " \t");
        /* A lone u stands for "not given", and nobody may ask for it (cli.md 2). */
        if (letter == 'c' && strcmp(text, CHECKPOINT_UNSPECIFIED) == 0)
            return illegal(letter, text);
        attrs_set(attrs, plain[i].attr, NULL, text);
        return 0;
    }
    return usage_error();
}

static int take_option(struct attropl **attrs, int letter, const char *text)
{
    switch (letter) {
    case 'a':
        return job_option_date(CMD, usage, attrs, text);
    case 'l':
        return attrs_add_resources(attrs, CMD, text) ? 0 : usage_error();
    case 'W':
        return take_others(attrs, text);
    case 'r':
        if (strcmp(text, "y") != 0 && strcmp(text, "n") != 0)
            return illegal('r', text);
        attrs_set(attrs, "Rerunable", NULL, *text == 'y' ? "TRUE" : "FALSE");
        return 0;
    default:
        return take_plain(attrs, letter, text);
    }
}

/* The operators do not travel, and the two structures are laid out alike. */
static int ask(int conn, const char *id, const void *attrs)
{
    return pbs_alterjob(conn, id, (struct attrl *)(uintptr_t)attrs, NULL);
}

static enum job_refusal refused(int conn, const char *id, const void *attrs)
{
    int error = pbs_errno;

    if (job_option_is_bad(CMD, conn, usage))
        return REFUSAL_USAGE;
    job_command_print_refusal(CMD, conn, id);
    explain_print(CMD, &job_table, attrs, error, cmd_error_text(conn));
    return REFUSAL_TOLD;
}

static int alter(struct attropl **attrs, int argc, char **argv)
{
    struct job_command command = {
        .name = CMD, .ask = ask, .refused = refused, .connect = cmd_connect
    };
    int letter;

    while ((letter = getopt(argc, argv, "a:A:c:e:h:j:k:l:m:M:N:o:p:P:r:R:S:u:W:")) !=
           -1) {
        int bad = take_option(attrs, letter, optarg);

        if (bad)
            return bad;
    }
    /* No option at all is no mistake: the request goes out without attributes, and the
     * server grants it. */
    if (optind >= argc)
        return usage_error();
    command.what = *attrs;
    return job_command_run(&command, argv + optind);
}

static int run(int argc, char **argv)
{
    struct attropl *attrs = NULL;
    int code;

    if (cmd_told(argc, argv, usage))
        return 0;
    code = alter(&attrs, argc, argv);
    attrs_free(attrs);
    return code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
