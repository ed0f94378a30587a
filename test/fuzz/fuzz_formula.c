/* Fuzz target: the job sort formula.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/formula.h"

#include "fuzz.h"

#include <stdio.h>

const char fuzz_frames[] = "";

static struct resource_defs *defs;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *text = fuzz_text(data, len), *twice = malloc(2 * len + 8);
    struct diag why = { 0 };
    int code;

    if (!twice)
        abort();
    if (!defs)
        defs = resource_defs_new();
    code = formula_check(text, defs, &why);
    FUZZ_CHECK(code == 0 || why.code == code);
    /* What is an expression is one in parentheses too. */
    sprintf(twice, "(%s)+1", text);
    if (code != PBSE_BAD_FORMULA)
        FUZZ_CHECK(formula_check(twice, defs, &why) == code || len > 100);
    free(twice);
    free(text);
    return 0;
}
