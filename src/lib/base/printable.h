/* printable.h - a text that somebody gave, as one line that people and terminals read.
 *
 * Names, values and reasons come from users, MoMs and files, and go to logs, accounting
 * files, letters and tables. There a control character would end a line, begin another
 * one, or tell a terminal to do something. One function decides how each byte is shown.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_PRINTABLE_H
#define LIB_BASE_PRINTABLE_H

#include "lib/base/buf.h"

/* Add 'len' bytes of text: a newline becomes a blank, another control character its
 * name in "^X" form (escape is "^[", delete is "^?") as qstat -f shows it
 * (cli.md 4.10), a control character beyond ASCII "?". Tabs, other characters of UTF-8
 * and bytes of older encodings stay. Linear. */
void buf_add_printable(struct buf *out, const char *text, size_t len);

/* The same in place and in as many bytes: each byte of a control character, tabs and
 * newlines too, becomes '?'. For columns, whose width is counted in bytes. */
void printable_cell(char *text);

/* The same of control characters beyond ASCII only: for texts whose other ones are
 * shown as "^X" later on, or stay. */
void printable_text(char *text);

/* True when the text has a control character, tabs and newlines included. */
bool has_control(const char *text);

#endif
