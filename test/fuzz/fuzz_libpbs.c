/* Fuzz target: what libpbs makes of replies: the lists that programs get.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include "fuzz.h"

const char fuzz_frames[] = "replies.txt";

static size_t length(const char *s)
{
    return s ? strlen(s) : 0;
}

/* Every text of the list is looked at. */
static size_t walk(const struct batch_status *list)
{
    size_t n = 0;

    for (; list; list = list->next) {
        n += length(list->name) + length(list->text);
        for (const struct attrl *a = list->attribs; a; a = a->next)
            n += length(a->name) + length(a->resource) + length(a->value);
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *arena = arena_new();
    struct wire_reply reply;
    struct batch_status *list = NULL;

    if (batch_decode_reply((const char *)data, len, arena, &reply) == DIS_OK &&
        reply.choice == REPLY_STATUS && ifl_status_list(&reply.objects, &list) == 0) {
        FUZZ_CHECK((list != NULL) == (reply.objects.n > 0));
        FUZZ_CHECK(walk(list) <= len);
        ifl_statfree(list);
    }
    arena_free(arena);
    return 0;
}
