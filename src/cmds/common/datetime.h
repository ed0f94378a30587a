/* datetime.h - [[[[CC]YY]MM]DD]hhmm[.SS] and how commands print times (cli.md 1.9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_DATETIME_H
#define CMDS_COMMON_DATETIME_H

#include "lib/base/base.h"

#include <time.h>

/* The instant that 'text' means in local time when it is 'now_at'; -1 when it is not
 * of that form. */
time_t datetime_parse(const char *text, time_t now_at);

/* True when 'text' is hhmm[.SS]: no day was given. */
bool datetime_is_clock(const char *text);

#endif
