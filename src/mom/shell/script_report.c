/* script_report.c - see script_report.h. Each line is "EVENT TEXT"; 0 stands before the
 * code.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/script_report.h"

#include "mom/shell/script.h"

#include <stdlib.h>
#include <string.h>

void script_report_say(void *report, int event, const char *text)
{
    buf_printf(report, "%d %s\n", event, text);
}

void script_report_end(struct buf *report, int code)
{
    buf_printf(report, "0 %d\n", code);
}

int script_report_take(struct shell *s, const char *job_id, const char *report)
{
    int code = SCRIPT_BROKEN;

    for (const char *at = report; *at;) {
        size_t len = strcspn(at, "\n");
        char *line = xstrndup(at, len), *words;
        long event = strtol(line, &words, 10);

        if (*words == ' ' && event != 0)
            shell_log(s, (int)event, LOG_IN_JOB, job_id, words + 1);
        else if (*words == ' ')
            code = atoi(words + 1);
        free(line);
        at += len + (at[len] == '\n');
    }
    return code;
}
