/* job_options.h - options that qsub and qalter read alike (cli.md 3.1, 5.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_JOB_OPTIONS_H
#define CMDS_COMMON_JOB_OPTIONS_H

#include "cmds/common/cmd.h"

/* Print PBS's line about a bad value, a line that says what 'text' should have been,
 * and the usage. Returns the exit status 2. */
int job_option_illegal(const char *cmd, const char *usage, int letter,
                       const char *text);

/* -a: set Execution_Time; 0, or the exit status. Only the time of the command can say
 * which day "0900" means, so the server is sent an instant. */
int job_option_date(const char *cmd, const char *usage, struct attropl **attrs,
                    const char *text);

/* One setting of -W: sets the attribute, job ids in a list of dependencies completed.
 * '*more' becomes -1 for one that cannot be. */
void job_option_other(struct attropl **attrs, const char *name, const char *value,
                      int *more);

/* True when an attribute of the failed request is known to be wrong and came from an
 * option other than -l: the line about that option, one that explains the value, and
 * the usage are printed. What stands in -l is told with the library's own text. */
bool job_option_is_bad(const char *cmd, int conn, const char *usage);

#endif
