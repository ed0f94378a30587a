/* job_options.c - see job_options.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/job_options.h"

#include "cmds/common/attr_list.h"
#include "cmds/common/datetime.h"
#include "cmds/common/depend_ids.h"
#include "cmds/common/explain.h"
#include "lib/attr/job_attrs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int job_option_illegal(const char *cmd, const char *usage, int letter, const char *text)
{
    fprintf(stderr, "%s: illegal -%c value\n", cmd, letter);
    if (letter == 'a')
        explain_time(cmd, text);
    else if (letter == 'W')
        explain_say(cmd, EXPLAIN_LIST_FORM);
    else if (letter == 'J')
        explain_say(cmd, "-J takes first-last[:step][%most at once], for example "
                         "1-10:2%4");
    else if (letter == 'c')
        explain_say(cmd, "-c takes n, s, c, w, c=minutes or w=minutes");
    else if (letter == 'r')
        fprintf(stderr, "%s: \"%.200s\" is neither y nor n\n", cmd, text);
    fputs(usage, stderr);
    return 2;
}

int job_option_date(const char *cmd, const char *usage, struct attropl **attrs,
                    const char *text)
{
    time_t at = datetime_parse(text, time(NULL));
    char value[24];

    if (at < 0)
        return job_option_illegal(cmd, usage, 'a', text);
    snprintf(value, sizeof(value), "%lld", (long long)at);
    attrs_set(attrs, "Execution_Time", NULL, value);
    return 0;
}

void job_option_other(struct attropl **attrs, const char *name, const char *value,
                      int *more)
{
    char *text = NULL;

    if (strcmp(name, "depend") != 0) {
        attrs_set(attrs, name, NULL, value);
        return;
    }
    text = depend_ids_complete(value);
    if (text) {
        attrs_set(attrs, name, NULL, text);
    } else {
        /* The words are PBS's (cli.md 3.5). */
        fputs("cannot have dependancy on subjob or range\n", stderr);
        *more = -1;
    }
    free(text);
}

/* Which option an attribute came from. */
static const struct cmd_option letters[] = {
    { "Execution_Time", NULL, 'a' },
    { "Account_Name", NULL, 'A' },
    { "Checkpoint", NULL, 'c' },
    { "Error_Path", NULL, 'e' },
    { "Hold_Types", NULL, 'h' },
    { "Join_Path", NULL, 'j' },
    { "array_indices_submitted", NULL, 'J' },
    { "Keep_Files", NULL, 'k' },
    { "Mail_Points", NULL, 'm' },
    { "Mail_Users", NULL, 'M' },
    { "Job_Name", NULL, 'N' },
    { "Output_Path", NULL, 'o' },
    { "Priority", NULL, 'p' },
    { "project", NULL, 'P' },
    { "Rerunable", NULL, 'r' },
    { "Remove_Files", NULL, 'R' },
    { "Shell_Path_List", NULL, 'S' },
    { "User_List", NULL, 'u' },
    { "depend", NULL, 'W' },
    { "group_list", NULL, 'W' },
    { "release_nodes_on_stageout", NULL, 'W' },
    { "run_count", NULL, 'W' },
    { "sandbox", NULL, 'W' },
    { "stagein", NULL, 'W' },
    { "stageout", NULL, 'W' },
    { "tolerate_node_failures", NULL, 'W' },
    { "umask", NULL, 'W' },
};

bool job_option_is_bad(const char *cmd, int conn, const char *usage)
{
    return cmd_print_bad_attribute(cmd, conn, letters, ARRAY_LEN(letters), &job_table,
                                   usage);
}
