/* Fuzz target: definitions of resources. Each line is "name type flags", as Manager
 * creates, changes and deletes them ("-" leaves one out).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resource.h"
#include "lib/base/arena.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

static const char *word(char **at)
{
    const char *w = *at ? strsep(at, " ") : NULL;

    return w && strcmp(w, "-") != 0 ? w : NULL;
}

static void define(struct resource_defs *defs, char *line)
{
    const char *name = word(&line), *type = word(&line), *flags = word(&line);
    struct diag why = { 0 };
    const struct resource_def *def;
    struct buf b = { 0 };
    int code;

    if (!name)
        return;
    if (resource_find(defs, name))
        code = type || flags ? resource_redefine(defs, name, type, flags, &why)
                             : resource_undefine(defs, name, &why);
    else
        code = resource_define(defs, name, type, flags, &why);
    FUZZ_CHECK(code == why.code);
    def = resource_find(defs, name);
    if (def) {
        FUZZ_CHECK(resource_type_name(def) != NULL);
        resource_flags_print(def, &b);
    }
    buf_fini(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *text = fuzz_text(data, len), *at = text, *line;
    struct resource_defs *defs = resource_defs_new();

    while ((line = strsep(&at, "\n")))
        define(defs, line);
    for (size_t i = 0; i < resource_count(defs); i++)
        FUZZ_CHECK(resource_at(defs, i)->name[0]);
    resource_defs_free(defs);
    free(text);
    return 0;
}
