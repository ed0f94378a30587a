/* script_report.h - what a process that runs a script of the administrator has to say:
 * lines for the log, and how the script has ended.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_SCRIPT_REPORT_H
#define MOM_SHELL_SCRIPT_REPORT_H

#include "mom/shell/shell.h"

/* In the process; 'report' is a struct buf. A line of the log, and the end. */
void script_report_say(void *report, int event, const char *text);
void script_report_end(struct buf *report, int code);

/* In the MoM: log the lines as those of the job. The code that stands at the end, or
 * SCRIPT_BROKEN of a process that did not come so far. */
int script_report_take(struct shell *s, const char *job_id, const char *report);

#endif
