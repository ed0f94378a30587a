/* explain.h - the second line of an error: which value is wrong, and what would be
 * right.
 *
 * PBS's own line names a kind of mistake ("Bad time specification(s)"), and scripts
 * compare it; it stays as it is. What a person needs to go on is worked out here, from
 * the attributes that were sent and the tables of lib/attr, so that it works with every
 * server. It goes to stderr, after PBS's line and before a usage text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_EXPLAIN_H
#define CMDS_COMMON_EXPLAIN_H

#include "include/pbs_ifl.h"
#include "lib/attr/row.h"
#include "lib/base/buf.h"

#include <time.h>

/* How a time is written, for messages. */
#define DATETIME_FORM "[[[[CC]YY]MM]DD]hhmm[.SS]"

/* How the value of -W is written, for messages. */
#define EXPLAIN_LIST_FORM                                                              \
    "-W takes name=value[,name=value...]; a value with a comma or a blank stands in "  \
    "quotes"

/* The window that a request for a reservation spoke of. What was not given may still be
 * known, from the reservation that is altered. */
enum window_part {
    WINDOW_START = 1 << 0,
    WINDOW_END = 1 << 1,
    WINDOW_LENGTH = 1 << 2,
};

struct window {
    unsigned given;           /* enum window_part bits: -R, -E, -D of the command */
    unsigned known;           /* the same, given or not; includes 'given' */
    bool has_base;            /* a reservation or a job supplies what was not given */
    int64_t start_at, end_at; /* seconds since the epoch */
    int64_t length_s;
};

/* What the attributes of a request say about the window: reserve_start, reserve_end,
 * reserve_duration or the walltime. A text that is no number counts as not given. */
struct window explain_window_of(const struct attropl *sent);

/* Append why the server may have refused these times when it is 'now_at'
 * (PBSE_BADTSPEC; reservations.md 5.3, 7.3). There is always something to say. */
void explain_window(const struct window *w, time_t now_at, struct buf *out);

/* Append what is wrong with the request that was refused with 'error' and 'text' (may
 * be NULL): the value that was sent, and what would be right. 'table' has the
 * attributes of the object. Returns false, and appends nothing, when there is nothing
 * to add. For PBSE_BADTSPEC call explain_window() instead. */
bool explain_refusal(const struct attr_table *table, const struct attropl *sent,
                     int error, const char *text, struct buf *out);

/* Append what a value of 'attr' has to look like, and what was sent instead. */
void explain_value(const struct attr_table *table, const struct attropl *attr,
                   struct buf *out);

/* Print how a time is written, after 'text' was none. */
void explain_time(const char *cmd, const char *text);

/* Print "<cmd>: <words>" on stderr. */
void explain_say(const char *cmd, const char *words);

/* Print the second line of a refused request: the two functions above by 'error'. */
void explain_print(const char *cmd, const struct attr_table *table,
                   const struct attropl *sent, int error, const char *text);

#endif
