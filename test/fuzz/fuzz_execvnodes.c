/* Fuzz target: the vnodes of each occurrence of a series as one text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/execvnodes.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

#define MOST 10000

static const char *print(const struct execvnodes *map, struct arena *arena)
{
    const char **vnodes = ARENA_ARRAY(arena, const char *, map->n);

    for (size_t i = 0; i < map->n; i++)
        vnodes[i] = map->texts[map->which[i]];
    return execvnodes_print(vnodes, map->n, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *arena = arena_new();
    char *text = fuzz_text(data, len);
    struct execvnodes map, again;
    struct diag why = { 0 };

    if (execvnodes_parse(text, MOST, arena, &map, &why) != 0) {
        FUZZ_CHECK(why.code != 0);
    } else {
        FUZZ_CHECK(map.n > 0 && map.n <= MOST && map.n_texts <= map.n);
        FUZZ_CHECK(execvnodes_parse(print(&map, arena), MOST, arena, &again, &why) ==
                   0);
        FUZZ_CHECK(again.n == map.n);
        for (size_t i = 0; i < map.n; i++)
            FUZZ_CHECK(strcmp(map.texts[map.which[i]], again.texts[again.which[i]]) ==
                       0);
    }
    free(text);
    arena_free(arena);
    return 0;
}
