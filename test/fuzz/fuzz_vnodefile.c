/* Fuzz target: version-2 vnode files of the MoM.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/vnodefile.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

static void complain(void *arg, const char *words)
{
    size_t *n = arg;

    FUZZ_CHECK(words && *words);
    ++*n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *arena = arena_new();
    struct vnode_list list = { .arena = arena };
    char *text = fuzz_text(data, len);
    size_t n_wrong = 0;
    bool ok = vnode_file_read((const char *)data, len, &list, &n_wrong, complain);

    FUZZ_CHECK(ok == (n_wrong == 0));
    FUZZ_CHECK(ok || list.n == 0);
    (void)vnode_file_is_one(text);
    free(text);
    arena_free(arena);
    return 0;
}
