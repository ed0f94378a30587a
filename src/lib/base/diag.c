/* diag.c - see diag.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int diag_set(struct diag *why, int code, const char *fmt, ...)
{
    va_list ap;

    if (!why)
        return code;
    why->code = code;
    va_start(ap, fmt);
    vsnprintf(why->text, sizeof(why->text), fmt, ap);
    va_end(ap);
    return code;
}

int diag_code(struct diag *why, int code)
{
    const char *text = pbse_text(code);

    return diag_set(why, code, "%s", text ? text : "");
}

int diag_about(struct diag *why, int code, const char *what)
{
    const char *text = pbse_text(code);

    return diag_set(why, code, "%s%s%s", text ? text : "", text && *text ? " " : "",
                    what);
}
