/* Fuzz target: select, and the schedselect made of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/row.h"
#include "lib/attr/select.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

static struct resource_defs *defs;

static void check_known(const char *text, struct arena *arena)
{
    struct resources sum = { 0 };
    struct select sel, again;
    struct diag why;
    const char *sched, *twice;

    if (select_parse(text, defs, arena, &sel, &why) != 0) {
        FUZZ_CHECK(why.code != 0);
        return;
    }
    sched = select_to_schedselect(&sel, NULL, arena);
    FUZZ_CHECK(select_parse(sched, defs, arena, &again, &why) == 0);
    twice = select_to_schedselect(&again, NULL, arena);
    FUZZ_CHECK(strcmp(sched, twice) == 0);
    (void)schedselect_is_subset(sched, sched); /* a count of 0 is none */
    select_sum(&again, defs, &sum);
    (void)!select_check_writer(&sel, WHO_USER, &why);
    (void)select_has_bare_chunk(&sel);
    resources_clear(&sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *arena = arena_new();
    char *text = fuzz_text(data, len), *second = text;
    struct select sel;
    struct diag why;

    if (!defs)
        defs = resource_defs_new();
    strsep(&second, "\n");
    (void)!select_parse(text, NULL, arena, &sel, &why);
    check_known(text, arena);
    if (second)
        (void)schedselect_is_subset(text, second);
    free(text);
    arena_free(arena);
    return 0;
}
