/* must.c - see must.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/must.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void (*witness)(const char *words);
static char broken[512]; /* the promise that ended the process */

void must_tell(void (*tell)(const char *words))
{
    witness = tell;
}

/* The path as it is in the source tree, wherever that was built. */
static const char *source_path(const char *file)
{
    const char *src = strstr(file, "src/");

    return src ? src : file;
}

void must_fail(const char *claim, const char *file, unsigned line, const char *function)
{
    void (*tell)(const char *words) = witness;

    /* A promise that breaks while the witness writes is not told again. */
    witness = NULL;
    if (broken[0] == '\0')
        snprintf(broken, sizeof(broken), "%s:%u: %s: broken promise: %s",
                 source_path(file), line, function, claim);
    if (tell)
        tell(broken);
    /* It writes to stderr too, and aborts. */
    __assert_fail(claim, file, line, function);
}
