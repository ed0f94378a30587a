/* hook_compile.h - would Python take this script, or configuration? (hooks.md 4)
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_HOOK_COMPILE_H
#define SERVER_SHELL_HOOK_COMPILE_H

#include "lib/base/diag.h"

#include <stddef.h>

/* What Python says of a script that it compiled. */
enum hook_verdict {
    HOOK_IS_SOUND,
    HOOK_IS_WRONG,
    HOOK_IS_UNKNOWN, /* it could not be asked */
};

/* Read a text of that kind ("py", "json", "ini" or "xml") in a Python of its own,
 * without running anything of it: the one of the installation
 * ('exec'/python/bin/python), else python3 of the daemon's PATH. It takes some
 * hundredths of a second as a rule, and ten seconds at the most: this is for threads.
 * 'why' gets the words of Python, or of what kept it from being asked. */
enum hook_verdict hook_compile(const char *exec, const char *kind, const char *name,
                               const char *data, size_t len, struct diag *why);

#endif
