/* file_text.h - whole files, as tests look at them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_SERVER_FILE_TEXT_H
#define UNIT_SERVER_FILE_TEXT_H

#include "lib/base/buf.h"

#include <stdio.h>

/* What is in the file, "" when there is none; for free(). */
static inline char *file_content(const char *path)
{
    struct buf b = { 0 };
    FILE *f = fopen(path, "r");
    int c;

    while (f && (c = fgetc(f)) != EOF)
        buf_add_char(&b, (char)c);
    if (f)
        fclose(f);
    return buf_take(&b);
}

#endif
