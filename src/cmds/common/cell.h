/* cell.h - texts for the columns of tables.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_CELL_H
#define CMDS_COMMON_CELL_H

#include "cmds/common/cmd.h"

#define CELL_MAX 64

/* 'value', or 'missing' when it is NULL or empty. */
const char *cell_or(const char *value, const char *missing);

/* At most 'width' (< CELL_MAX) characters of 'text' into 'out', which is returned; of a
 * longer text the last character shown is '*'. */
const char *cell_cut(char out[CELL_MAX], const char *text, size_t width);

/* What a terminal would obey is never printed as it is. print_visible(): a control
 * character other than newline and tab as "^X" (cli.md 4.10 and 10.3), one beyond
 * ASCII, which PBS passes on, as '?' for each byte. print_visible_char() sees one byte
 * and knows nothing of the latter: printable_text() comes before it;
 * cells_make_printable(): before objects are put into tables, each byte of a control
 * character in their names and values becomes '?', so that columns keep their width. */
void print_visible_char(char c);
void print_visible(const char *text);
void cells_make_printable(struct batch_status *objects);

enum cell_size {
    SIZE_AS_SENT,
    SIZE_GB,
    SIZE_MW /* 2^20 words of 8 bytes */
};

/* A size ("100mb") for a column of 5 characters: in the unit asked for, rounded up, and
 * with a larger unit while the number has more than four digits (cli.md 4.4). */
void cell_size(char out[CELL_MAX], const char *value, enum cell_size size);

#endif
