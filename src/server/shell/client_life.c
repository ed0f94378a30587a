/* client_life.c - see client_life.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/client_life.h"

#include "lib/base/base.h"

/* clang-format off */
static const struct {
    bool holds, wants_room;
    enum life next[LIFE_EVENTS];
} rows[LIFE_COUNT] = {
    [LIFE_READY] = { .next = {
        [LIFE_EV_ASKED]  = LIFE_WAITING,
        [LIFE_EV_REST]   = LIFE_RESTING,
        [LIFE_EV_CHOKE]  = LIFE_CHOKED,
        [LIFE_EV_STARVE] = LIFE_STARVED,
        [LIFE_EV_LOOK]   = LIFE_LOOKING,
        [LIFE_EV_SHAKE]  = LIFE_HANDSHAKE,
        [LIFE_EV_CLOSE]  = LIFE_CLOSING,
    } },
    [LIFE_RESTING] = { .holds = true, .next = {
        [LIFE_EV_RESUME] = LIFE_READY,
        [LIFE_EV_CLOSE]  = LIFE_CLOSING,
    } },
    [LIFE_CHOKED] = { .holds = true, .wants_room = true, .next = {
        [LIFE_EV_ROOM]  = LIFE_RESTING,
        [LIFE_EV_CLOSE] = LIFE_CLOSING,
    } },
    [LIFE_STARVED] = { .holds = true, .next = {
        [LIFE_EV_EASE]  = LIFE_RESTING,
        [LIFE_EV_CLOSE] = LIFE_CLOSING,
    } },
    [LIFE_LOOKING] = { .holds = true, .next = {
        [LIFE_EV_FOUND] = LIFE_RESTING,
        [LIFE_EV_CLOSE] = LIFE_CLOSING,
    } },
    [LIFE_HANDSHAKE] = { .next = {
        [LIFE_EV_TOKEN] = LIFE_SHAKING,
        [LIFE_EV_SHOOK] = LIFE_READY,
        [LIFE_EV_CLOSE] = LIFE_CLOSING,
    } },
    [LIFE_SHAKING] = { .holds = true, .next = {
        [LIFE_EV_SEEN]  = LIFE_HANDSHAKE,
        [LIFE_EV_CLOSE] = LIFE_CLOSING,
    } },
    [LIFE_WAITING] = { .holds = true, .next = {
        [LIFE_EV_ASKED]      = LIFE_WAITING,
        [LIFE_EV_ANSWERED]   = LIFE_RESTING,
        [LIFE_EV_GATHER]     = LIFE_GATHERING,
        [LIFE_EV_READ]       = LIFE_READING,
        [LIFE_EV_REGISTERED] = LIFE_REGISTERED,
        [LIFE_EV_CLOSE]      = LIFE_CLOSING,
    } },
    [LIFE_GATHERING] = { .holds = true, .next = {
        [LIFE_EV_GATHERED] = LIFE_WAITING,
        [LIFE_EV_CLOSE]    = LIFE_CLOSING,
    } },
    [LIFE_READING] = { .holds = true, .wants_room = true, .next = {
        [LIFE_EV_ANSWERED] = LIFE_RESTING,
        [LIFE_EV_GATHER]   = LIFE_GATHERING,
        [LIFE_EV_CLOSE]    = LIFE_CLOSING,
    } },
    [LIFE_REGISTERED] = { .holds = true, .next = {
        [LIFE_EV_ANSWERED] = LIFE_COMMANDS,
        [LIFE_EV_CLOSE]    = LIFE_CLOSING,
    } },
    [LIFE_COMMANDS] = { .next = {
        [LIFE_EV_CLOSE] = LIFE_CLOSING,
    } },
    [LIFE_CLOSING] = { .next = {
        [LIFE_EV_CLOSE]      = LIFE_CLOSING,
    } },
};
/* clang-format on */

enum life life_next(enum life from, enum life_event event)
{
    /* LIFE_NONE is the answer for "cannot happen now" and no state of a client. */
    MUST(from > LIFE_NONE && from < LIFE_COUNT && event < LIFE_EVENTS);
    return rows[from].next[event];
}

bool life_holds(enum life life)
{
    MUST(life > LIFE_NONE && life < LIFE_COUNT);
    return rows[life].holds;
}

bool life_wants_room(enum life life)
{
    MUST(life > LIFE_NONE && life < LIFE_COUNT);
    return rows[life].wants_room;
}
