/* route_away.c - see route_away.h.
 *
 * The text is "+q@b,-r@c": a sign and a destination, which has no comma in it because
 * commas divide the list that it is from.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/route_away.h"

#include "server/decide/route.h"

#include <string.h>

#define SAID_LATER '+'
#define SAID_NEVER '-'

/* Codes that say nothing about the job: a server that shuts down, cannot store, or does
 * not believe this one, may be mended. */
static bool is_about_the_server(int code)
{
    static const int codes[] = {
        PBSE_SVRDOWN, PBSE_BADCRED, PBSE_DISPROTO, PBSE_SAVE_ERR, PBSE_UNKREQ,
    };

    for (size_t i = 0; i < ARRAY_LEN(codes); i++)
        if (codes[i] == code)
            return true;
    return false;
}

enum route_word route_word_of(const char *said, const char *destination)
{
    size_t len = strlen(destination);

    for (const char *p = said; p && *p; p += strcspn(p, ","), p += *p == ',') {
        MUST(*p == SAID_LATER || *p == SAID_NEVER); /* stored_text.c */
        if (strcspn(p + 1, ",") == len && strncmp(p + 1, destination, len) == 0)
            return *p == SAID_LATER ? ROUTE_SAID_LATER : ROUTE_SAID_NEVER;
    }
    return ROUTE_NOT_ASKED;
}

const char *route_word_add(const char *said, const char *destination,
                           const struct finding *answer, struct arena *arena)
{
    bool later = answer->failed || is_about_the_server(answer->code) ||
                 route_refused_for_now(answer->code);

    MUST(!answer->found && !strchr(destination, ','));
    return arena_printf(arena, "%s%s%c%s", said ? said : "", said ? "," : "",
                        later ? SAID_LATER : SAID_NEVER, destination);
}
