/* Fuzz target: the forms before select. The first line is a nodes text, each further
 * one "resource text" of a job-wide list; what they convert to is a select and a place.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/select.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

static struct resource_defs *defs;

static void add(struct attr_value *list, const char *resource, const char *text)
{
    (void)!attr_value_set(&attr_resources, list, defs, resource, text, WIRE_OP_SET);
}

static void convert(const struct attr_value *list, bool whole, struct arena *arena)
{
    const char *select = NULL, *place = NULL;
    struct select sel;
    struct place arranged;
    struct diag why = { 0 };
    int code = select_from_resources(&list->u.res, NULL, defs, whole, arena, &select,
                                     &place, &why);

    FUZZ_CHECK(code == 0 || code == why.code);
    if (code)
        return;
    if (select)
        FUZZ_CHECK(select_parse(select, NULL, arena, &sel, &why) == 0);
    if (place)
        FUZZ_CHECK(place_parse(place, arena, &arranged, &why) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *arena = arena_new();
    char *text = fuzz_text(data, len), *at = text, *line = strsep(&at, "\n");
    struct attr_value list = { 0 };

    if (!defs)
        defs = resource_defs_new();
    (void)nodes_is_valid(line);
    if (*line)
        add(&list, "nodes", line);
    while ((line = strsep(&at, "\n"))) {
        const char *name = strsep(&line, " ");

        if (line)
            add(&list, name, line);
    }
    convert(&list, true, arena);
    convert(&list, false, arena);
    attr_resources.clear(&list);
    free(text);
    arena_free(arena);
    return 0;
}
