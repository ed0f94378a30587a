/* Fuzz target: exec_vnode.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/select.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

static struct resource_defs *defs;

static void check(const char *text, const struct resource_defs *with,
                  struct arena *arena)
{
    struct exec_vnode ev, again;
    struct resources sum = { 0 };
    struct diag why = { 0 };
    const char *printed;

    if (exec_vnode_parse(text, with, arena, &ev, &why) != 0) {
        FUZZ_CHECK(why.code != 0);
        return;
    }
    printed = exec_vnode_print(&ev, arena);
    FUZZ_CHECK(exec_vnode_parse(printed, with, arena, &again, &why) == 0);
    FUZZ_CHECK(strcmp(printed, exec_vnode_print(&again, arena)) == 0);
    FUZZ_CHECK(exec_vnode_amount(&ev, NULL, "ncpus") ==
               exec_vnode_amount(&again, NULL, "ncpus"));
    if (ev.n > 0 && ev.chunks[0].n > 0)
        FUZZ_CHECK(exec_vnode_has(&ev, ev.chunks[0].parts[0].vnode));
    if (with)
        exec_vnode_sum(&ev, NULL, &sum);
    resources_clear(&sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *arena = arena_new();
    char *text = fuzz_text(data, len);

    if (!defs)
        defs = resource_defs_new();
    check(text, NULL, arena);
    check(text, defs, arena);
    free(text);
    arena_free(arena);
    return 0;
}
