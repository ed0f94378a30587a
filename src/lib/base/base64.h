/* base64.h - base64 as hooks are printed and read back (hooks.md 3).
 *
 * Text is written in lines that each encode 512 bytes of their own, padding included,
 * so it is read line by line.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_BASE64_H
#define LIB_BASE_BASE64_H

#include "lib/base/buf.h"

/* Append the lines, each ended by a newline; nothing for no data. */
void base64_print(const char *data, size_t len, struct buf *out);

/* Append the bytes of a text of lines; blanks around a line do not count. False for
 * anything that is no base64: 'out' may have grown then. */
bool base64_read(const char *text, size_t len, struct buf *out) MUST_CHECK;

#endif
