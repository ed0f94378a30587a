/* place.c - place: how chunks lie on hosts, and with whom (attributes.md 7.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/chunk.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *word;
    enum place_arrange arrange;
} arranges[] = {
    { "free", PLACE_FREE },
    { "pack", PLACE_PACK },
    { "scatter", PLACE_SCATTER },
    { "vscatter", PLACE_VSCATTER },
};

static const struct {
    const char *word;
    enum place_share share;
} shares[] = {
    { "shared", PLACE_SHARED },
    { "excl", PLACE_EXCL },
    { "exclhost", PLACE_EXCLHOST },
};

/* Words are compared without regard to case, like everything in a place text but the
 * name behind "group=". */
static bool is_word(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && strncasecmp(text, word, len) == 0;
}

/* Read one word between colons. There is at most one of each set: how chunks lie, and
 * with whom they share. */
static bool read_word(const char *text, size_t len, struct arena *arena,
                      struct place *place, bool *arranged)
{
    for (size_t i = 0; i < ARRAY_LEN(arranges); i++) {
        if (!is_word(text, len, arranges[i].word))
            continue;
        if (*arranged)
            return false;
        *arranged = true;
        place->arrange = arranges[i].arrange;
        return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(shares); i++) {
        if (!is_word(text, len, shares[i].word))
            continue;
        if (place->share_given)
            return false;
        place->share_given = true;
        place->share = shares[i].share;
        return true;
    }
    /* 6 is the length of "group="; a name must follow, and reach to the next colon. */
    if (len <= 6 || strncasecmp(text, "group=", 6) != 0 ||
        chunk_name_len(text + 6) != len - 6)
        return false;
    /* Of several groups the first one counts. */
    if (!place->group)
        place->group = arena_strndup(arena, text + 6, len - 6);
    return true;
}

int place_parse(const char *text, struct arena *arena, struct place *ret,
                struct diag *why)
{
    struct place place = { 0 };
    bool arranged = false;

    for (;;) {
        size_t len = strcspn(text, ":");

        if (!read_word(text, len, arena, &place, &arranged))
            return diag_code(why, PBSE_BADATVAL);
        if (!text[len])
            break;
        text += len + 1;
    }
    /* Nothing was written to *ret before: a refused text changes nothing. */
    *ret = place;
    return 0;
}
