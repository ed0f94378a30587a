/* Fuzz target: an edit as one text, as it is kept with an open alteration. What can be
 * read is written as a text that reads to the same, and what cannot be read leaves an
 * edit that can be ended.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/edit_text.h"

#include "lib/attr/resv_attrs.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

/* Every attribute of a reservation. */
static const int *all_attrs(void)
{
    static int attrs[RESV_A_COUNT];

    for (int i = 0; i < RESV_A_COUNT; i++)
        attrs[i] = i;
    return attrs;
}

static const char *text_of(const struct edit *e, struct arena *arena)
{
    return edit_to_text(e, all_attrs(), RESV_A_COUNT, arena);
}

/* A step may be made twice, and an unset list has no members: it is the text of what
 * was read that has to stay the same, not the first one. */
static void check_again(const struct model *m, const struct edit *first,
                        struct arena *arena)
{
    const char *text = text_of(first, arena);
    struct edit again;

    edit_init(&again, m, OBJ_RESV, NULL);
    FUZZ_CHECK(edit_from_text(&again, text, arena));
    FUZZ_CHECK(strcmp(text_of(&again, arena), text) == 0);
    for (int i = 0; i < RESV_A_COUNT; i++)
        FUZZ_CHECK(first->touched[i] == again.touched[i]);
    edit_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct model *m;
    char *text = fuzz_text(data, len);
    struct arena *arena = arena_new();
    struct edit e;

    if (!m)
        m = model_new("svr");
    edit_init(&e, m, OBJ_RESV, NULL);
    if (edit_from_text(&e, text, arena))
        check_again(m, &e, arena);
    edit_fini(&e);
    arena_free(arena);
    free(text);
    return 0;
}
