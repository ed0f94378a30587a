/* job_script.h - a job script as an attribute's text: any bytes, without NUL.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_JOB_SCRIPT_H
#define LIB_ATTR_JOB_SCRIPT_H

#include "lib/base/arena.h"

/* Backslash becomes "\\", NUL becomes "\0". */
const char *script_to_text(const char *data, size_t len, struct arena *arena);

/* The bytes again; *ret_len of them. */
const char *script_from_text(const char *text, struct arena *arena, size_t *ret_len);

#endif
